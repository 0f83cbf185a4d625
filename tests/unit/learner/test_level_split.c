/* The best cut of a level against every cut, side and node on its own, in long double. */
#include "learner/tree/level_split.h"

#include <stdlib.h>

#include "check.h"
#include "unit/boost/make_data.h"

enum { MAX_NODES = 6, MAX_CUTS = 40, ROOM = 48 };

struct level_case {
    size_t n_nodes;
    struct feature_bins bins;
    struct gradient_sum cells[MAX_NODES][MAX_CUTS + 2]; /* the last used one: missing values */
    struct gradient_sum totals[MAX_NODES];
    double lambda_l2;
    double min_child_weight;
};

static struct gradient_sum sum_left(const struct level_case *level, size_t node, uint32_t bin, int missing_left) {
    struct gradient_sum left = {0, 0};
    for (uint32_t code = 0; code <= level->bins.n_cuts + 1; code++) {
        if (code == level->bins.n_cuts + 1 ? missing_left : code <= bin) {
            left = mxb__plus(left, level->cells[node][code]);
        }
    }
    return left;
}

static long double score(const struct level_case *level, struct gradient_sum sum) {
    return (long double)sum.g * (long double)sum.g / ((long double)sum.h + (long double)level->lambda_l2);
}

/* What all nodes gain that the cut divides. */
static long double naive_gain(const struct level_case *level, uint32_t bin, int missing_left) {
    long double gain = 0;
    for (size_t i = 0; i < level->n_nodes; i++) {
        struct gradient_sum left = sum_left(level, i, bin, missing_left);
        struct gradient_sum right = {level->totals[i].g - left.g, level->totals[i].h - left.h};
        double least = fmax(level->min_child_weight, 1.0);
        if ((double)left.h >= least && (double)right.h >= least) {
            gain += score(level, left) + score(level, right) - score(level, level->totals[i]);
        }
    }
    return gain;
}

/* Whether some cut could leave enough on both sides. */
static int is_heavy(const struct level_case *level, size_t node) {
    return (double)level->totals[node].h >= 2 * fmax(level->min_child_weight, 1.0);
}

static int has_missing(const struct level_case *level) {
    int found = 0;
    for (size_t i = 0; i < level->n_nodes; i++) {
        const struct gradient_sum *missing = &level->cells[i][level->bins.n_cuts + 1];
        found |= is_heavy(level, i) && (missing->g != 0 || missing->h != 0);
    }
    return found;
}

static struct level_cut naive_cut(const struct level_case *level) {
    int n_sides = has_missing(level) ? 2 : 1;
    long double best = 0, own = 0;
    for (size_t i = 0; i < level->n_nodes; i++) {
        own += is_heavy(level, i) ? score(level, level->totals[i]) : 0;
    }
    for (uint32_t bin = 0; bin <= level->bins.n_cuts; bin++) {
        for (int side = 0; side < n_sides; side++) {
            long double gain = naive_gain(level, bin, side);
            best = gain > best ? gain : best;
        }
    }
    for (uint32_t bin = 0; best > 1e-12L * own && bin <= level->bins.n_cuts; bin++) {
        for (int side = 0; side < n_sides; side++) {
            if (naive_gain(level, bin, side) >= best * (1 - 1e-9L)) {
                return (struct level_cut){(double)best, bin, (uint8_t)side, n_sides == 2};
            }
        }
    }
    return (struct level_cut){0};
}

/* ---- from cells and from rows ---- */

struct gain_room {
    double right[ROOM];
    double left[ROOM];
    uint8_t has_missing;
};

static struct level_gains gains_in(struct gain_room *room, const struct level_case *level) {
    memset(room, 0, sizeof *room);
    return (struct level_gains){level->bins.n_cuts + 1, room->right, room->left, &room->has_missing};
}

static double score_of(const struct level_case *level, const struct split_rules *rules) {
    double sum = 0.0;
    for (size_t i = 0; i < level->n_nodes; i++) {
        if (mxb__level_divides(level->totals[i], rules)) {
            sum += mxb__level_score(level->totals[i], rules);
        }
    }
    return sum;
}

static struct level_cut find_in_cells(const struct level_case *level, struct gain_room *room, int packed) {
    struct split_rules rules = mxb__split_rules(level->lambda_l2, level->min_child_weight);
    struct level_gains gains = gains_in(room, level);
    for (size_t i = 0; i < level->n_nodes; i++) {
        uint64_t words[MAX_CUTS + 2];
        for (uint32_t code = 0; code <= level->bins.n_cuts + 1; code++) {
            words[code] = ((uint64_t)level->cells[i][code].g << 32) + (uint64_t)level->cells[i][code].h;
        }
        const void *cells = packed ? (const void *)words : (const void *)level->cells[i];
        struct feature_cells of_feature = mxb__feature_cells(cells, packed, &level->bins);
        if (mxb__level_divides(level->totals[i], &rules)) {
            mxb__level_add(mxb__training_kernels(), &of_feature, level->totals[i], &rules, &gains);
        }
    }
    return mxb__level_best(&gains, score_of(level, &rules), &rules);
}

/* Each cell that is not empty is a row, or two; empty ones have none. */
static struct level_cut find_in_rows(const struct level_case *level, struct gain_room *room, struct dice *dice) {
    struct split_rules rules = mxb__split_rules(level->lambda_l2, level->min_child_weight);
    struct level_gains gains = gains_in(room, level);
    for (size_t i = 0; i < level->n_nodes; i++) {
        uint32_t rows[2 * MAX_CUTS + 4], codes[2 * MAX_CUTS + 4];
        struct gradient_sum sums[2 * MAX_CUTS + 4];
        uint32_t n = 0;
        for (uint32_t code = 0; code <= level->bins.n_cuts + 1; code++) {
            struct gradient_sum cell = level->cells[i][code];
            struct gradient_sum part = {dice_below(dice, 2) ? 17 : 0, (int64_t)dice_below(dice, (size_t)cell.h + 1)};
            if (cell.g != 0 || cell.h != 0) {
                rows[n] = n, codes[n] = code, sums[n++] = part;
                rows[n] = n, codes[n] = code, sums[n++] = (struct gradient_sum){cell.g - part.g, cell.h - part.h};
            }
        }
        struct sorted_rows sorted = {rows, n, codes, sums, level->bins.n_cuts + 1};
        if (mxb__level_divides(level->totals[i], &rules)) {
            mxb__level_add_sorted(&sorted, level->totals[i], &rules, &gains);
        }
    }
    return mxb__level_best(&gains, score_of(level, &rules), &rules);
}

static int same_cut(struct level_cut a, struct level_cut b) {
    return a.gain == b.gain && a.bin == b.bin && a.missing_left == b.missing_left && a.has_missing == b.has_missing;
}

/* Sums of one order have the same bits, whatever they come from. */
static void check_level(const struct level_case *level, struct dice *dice) {
    struct gain_room wide_room, packed_room, row_room;
    size_t n = level->bins.n_cuts + 1;
    struct level_cut wide = find_in_cells(level, &wide_room, 0);
    struct level_cut packed = find_in_cells(level, &packed_room, 1);
    struct level_cut by_rows = find_in_rows(level, &row_room, dice);
    struct level_cut naive = naive_cut(level);
    CHECK(same_cut(wide, packed) && same_cut(wide, by_rows));
    CHECK(memcmp(wide_room.right, packed_room.right, n * sizeof(double)) == 0);
    CHECK(memcmp(wide_room.right, row_room.right, n * sizeof(double)) == 0);
    CHECK(memcmp(wide_room.left, row_room.left, n * sizeof(double)) == 0);
    CHECK_INT(wide.bin, naive.bin);
    CHECK_INT(wide.missing_left, naive.missing_left);
    CHECK_NEAR(wide.gain, naive.gain, 1e-9 * naive.gain);
    if (naive.gain > 0) {
        CHECK_INT(wide.has_missing, naive.has_missing);
    }
}

static void draw_level(struct level_case *level, struct dice *dice) {
    static const double lambdas[] = {0, 1, 300, 1e6}, weights[] = {0, 1, 40, 2000};
    size_t missing = dice_below(dice, 3); /* none, some nodes', all nodes' */
    *level = (struct level_case){.n_nodes = 1 + dice_below(dice, MAX_NODES),
                                 .bins.n_cuts = (uint32_t)dice_below(dice, MAX_CUTS + 1),
                                 .lambda_l2 = lambdas[dice_below(dice, 4)],
                                 .min_child_weight = weights[dice_below(dice, 4)]};
    int few = dice_below(dice, 2) == 0; /* values, so that cuts tie */
    for (size_t i = 0; i < level->n_nodes; i++) {
        int sparse = dice_below(dice, 2) == 0;
        for (uint32_t code = 0; code <= level->bins.n_cuts + 1; code++) {
            int is_missing = code == level->bins.n_cuts + 1;
            int empty = is_missing ? missing == 0 || (missing == 1 && i % 2 == 0) : sparse && dice_below(dice, 3) > 0;
            if (!empty) {
                level->cells[i][code] =
                    (struct gradient_sum){(int64_t)dice_below(dice, few ? 3 : 2000) - (few ? 1 : 900),
                                          (int64_t)dice_below(dice, few ? 2 : 700)};
            }
            level->totals[i] = mxb__plus(level->totals[i], level->cells[i][code]);
        }
    }
}

static void every_cut(void) {
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct dice dice = {seed};
        struct level_case level;
        int before = check_n_failed;
        draw_level(&level, &dice);
        check_level(&level, &dice);
        if (check_n_failed > before) {
            fprintf(stderr, "    (the level of seed %llu)\n", (unsigned long long)seed);
            return;
        }
    }
}

/* A level of one node has the split of the node, and its gain but for a rounding. */
static void one_node_is_a_split(void) {
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct dice dice = {seed};
        struct level_case level;
        struct gain_room room;
        draw_level(&level, &dice);
        level.n_nodes = 1;
        struct level_cut cut = find_in_cells(&level, &room, 0);
        struct split_rules rules = mxb__split_rules(level.lambda_l2, level.min_child_weight);
        struct feature_cells cells = mxb__feature_cells(level.cells[0], 0, &level.bins);
        double gain = mxb__split_gain(mxb__training_kernels(), &cells, level.totals[0], &rules);
        CHECK_NEAR(cut.gain, gain, 1e-15 * gain);
        if (gain > 0.0) {
            struct split split = mxb__split_locate(&cells, level.totals[0], &rules, gain);
            CHECK_INT(cut.bin, split.bin);
            CHECK(!cut.has_missing || cut.missing_left == split.missing_left);
        }
    }
}

static void nodes_that_no_cut_divides(void) {
    struct split_rules rules = mxb__split_rules(1.0, 10.0);
    CHECK(!mxb__level_divides((struct gradient_sum){5, 19}, &rules));
    CHECK(mxb__level_divides((struct gradient_sum){5, 20}, &rules));
    rules = mxb__split_rules(1.0, (double)INFINITY);
    CHECK(!mxb__level_divides((struct gradient_sum){5, INT64_MAX / 2}, &rules));
}

/* Penalties beyond every number leave nothing to gain. */
static void endless_penalty(void) {
    struct level_case level = {.n_nodes = 1, .bins.n_cuts = 1, .lambda_l2 = (double)INFINITY};
    struct gain_room room;
    level.cells[0][0] = (struct gradient_sum){100, 100};
    level.cells[0][1] = (struct gradient_sum){-100, 100};
    level.totals[0] = (struct gradient_sum){0, 200};
    CHECK(find_in_cells(&level, &room, 0).gain == 0.0);
}

int main(void) {
    RUN(every_cut);
    RUN(one_node_is_a_split);
    RUN(nodes_that_no_cut_divides);
    RUN(endless_penalty);
    return check_report();
}
