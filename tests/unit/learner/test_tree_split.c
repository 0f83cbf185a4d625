/* The best split of a feature against a search that looks at every bin and side on its own, in long double. */
#include "learner/tree/tree_split.h"

#include <float.h>
#include <stdlib.h>

#include "check.h"
#include "unit/boost/make_data.h"

enum { MISSING_NONE, MISSING_SOME, MISSING_ALL };

struct node_case {
    struct gradient_sum cells[MXB__CELLS];
    struct feature_bins bins;
    struct gradient_sum total;
    double lambda_l2;
    double min_child_weight;
};

/* The gain of sending bins up to `bin` left, and missing values to `missing_left`; -1 if not allowed. */
static long double naive_gain(const struct node_case *node, uint32_t bin, int missing_left) {
    long double g[2] = {0, 0};
    long double h[2] = {0, 0};
    for (uint32_t code = 0; code <= node->bins.n_cuts + 1; code++) {
        int left = code == node->bins.n_cuts + 1 ? missing_left : code <= bin;
        g[left] += (long double)node->cells[code].g;
        h[left] += (long double)node->cells[code].h;
    }
    if (h[0] <= 0 || h[1] <= 0 || h[0] < node->min_child_weight || h[1] < node->min_child_weight) {
        return -1;
    }
    long double lambda = node->lambda_l2;
    long double all = g[0] + g[1];
    return g[0] * g[0] / (h[0] + lambda) + g[1] * g[1] / (h[1] + lambda) - all * all / (h[0] + h[1] + lambda);
}

static struct gradient_sum naive_left(const struct node_case *node, uint32_t bin, int missing_left) {
    struct gradient_sum left = {0, 0};
    for (uint32_t code = 0; code <= node->bins.n_cuts + 1; code++) {
        if (code == node->bins.n_cuts + 1 ? missing_left : code <= bin) {
            left.g += node->cells[code].g;
            left.h += node->cells[code].h;
        }
    }
    return left;
}

static struct split naive_find(const struct node_case *node) {
    const struct gradient_sum *missing = &node->cells[node->bins.n_cuts + 1];
    int has_missing = missing->g != 0 || missing->h != 0;
    struct split found = {0};
    long double best = 0;
    long double left_h = 0;
    for (uint32_t bin = 0; bin <= node->bins.n_cuts; bin++) {
        for (int side = 0; side <= has_missing; side++) {
            long double gain = naive_gain(node, bin, side);
            best = gain > best ? gain : best;
        }
    }
    long double g = (long double)node->total.g;
    long double own = g * g / ((long double)node->total.h + (long double)node->lambda_l2);
    if (!(best > 1e-12L * own)) {
        return found;
    }
    for (uint32_t bin = 0; bin <= node->bins.n_cuts; bin++) {
        left_h += (long double)node->cells[bin].h;
        for (int side = 0; side <= has_missing; side++) {
            if (naive_gain(node, bin, side) >= best * (1 - 1e-9L)) {
                int heavier_left = 2 * left_h >= (long double)node->total.h;
                found = (struct split){(double)best, 0, bin, (uint8_t)(has_missing ? side : heavier_left),
                                       naive_left(node, bin, side)};
                return found;
            }
        }
    }
    return found;
}

static void add_up(struct node_case *node) {
    node->total = (struct gradient_sum){0, 0};
    for (uint32_t code = 0; code <= node->bins.n_cuts + 1; code++) {
        node->total.g += node->cells[code].g;
        node->total.h += node->cells[code].h;
    }
}

static struct split_rules rules_of(const struct node_case *node) {
    return mxb__split_rules(node->lambda_l2, node->min_child_weight);
}

static struct split find_in(const struct feature_cells *cells, const struct node_case *node) {
    struct split_rules rules = rules_of(node);
    struct split split = {0};
    double gain = mxb__split_gain(mxb__training_kernels(), cells, node->total, &rules);
    if (gain > 0.0) {
        split = mxb__split_locate(cells, node->total, &rules, gain);
        CHECK(split.gain == gain);
    }
    return split;
}

static struct split find_wide(const struct node_case *node) {
    struct feature_cells cells = mxb__feature_cells(node->cells, 0, &node->bins);
    CHECK_INT(cells.n, node->bins.n_cuts + 1);
    return find_in(&cells, node);
}

/* The same node as words, where they can hold it. */
static int find_packed(const struct node_case *node, struct split *found) {
    uint64_t words[MXB__CELLS];
    int64_t sum = 0;
    for (uint32_t code = 0; code <= node->bins.n_cuts + 1; code++) {
        sum += llabs(node->cells[code].g) + node->cells[code].h;
        words[code] = ((uint64_t)node->cells[code].g << 32) + (uint64_t)node->cells[code].h;
        if (sum > INT32_MAX) {
            return 0;
        }
    }
    struct feature_cells cells = mxb__feature_cells(words, 1, &node->bins);
    *found = find_in(&cells, node);
    return 1;
}

/* The same node without its empty bins but the first one. */
static struct split find_compact(const struct node_case *node) {
    struct gradient_sum sums[MXB__CELLS];
    uint8_t bin_of[MXB__CELLS];
    struct feature_cells cells = {.sums = sums, .bin_of = bin_of, .missing = node->cells[node->bins.n_cuts + 1]};
    for (uint32_t bin = 0; bin <= node->bins.n_cuts; bin++) {
        if (bin == 0 || node->cells[bin].g != 0 || node->cells[bin].h != 0) {
            bin_of[cells.n] = (uint8_t)bin;
            sums[cells.n++] = node->cells[bin];
        }
    }
    return find_in(&cells, node);
}

/* The same node as rows: each cell is shared out between one and three of them, empty cells have none. */
static struct split find_sorted(const struct node_case *node, struct dice *dice) {
    enum { MAX_ROWS = 3 * MXB__CELLS };
    static uint32_t rows[MAX_ROWS];
    static uint32_t codes[MAX_ROWS];
    static struct gradient_sum sums[MAX_ROWS];
    uint32_t n = 0;
    uint32_t shift = (uint32_t)dice_below(dice, MAX_ROWS); /* row numbers are not places */
    for (uint32_t code = 0; code <= node->bins.n_cuts + 1; code++) {
        struct gradient_sum left = node->cells[code];
        while (left.h != 0 || left.g != 0) {
            int last = dice_below(dice, 3) == 0 || left.h < 2;
            struct gradient_sum part = {last ? left.g : 17, last ? left.h : left.h / 2};
            uint32_t row = (n + shift) % MAX_ROWS;
            if (n + 1 == MAX_ROWS) {
                check_failed(__FILE__, __LINE__, "too many rows");
                break;
            }
            rows[n++] = row;
            codes[row] = code;
            sums[row] = part;
            left.g -= part.g;
            left.h -= part.h;
        }
    }
    struct sorted_rows sorted = {rows, n, codes, sums, mxb__missing_code(&node->bins)};
    struct split_rules rules = rules_of(node);
    struct split split = {0};
    double gain = mxb__split_gain_sorted(&sorted, node->total, &rules);
    if (gain > 0.0) {
        split = mxb__split_locate_sorted(&sorted, node->total, &rules, gain);
    }
    return split;
}

static void check_same(struct split a, struct split b) {
    CHECK(a.gain == b.gain);
    CHECK_INT(a.bin, b.bin);
    CHECK_INT(a.missing_left, b.missing_left);
    CHECK(a.left.g == b.left.g && a.left.h == b.left.h);
}

/* From cells in all their forms and from rows, which must agree. */
static struct split find_all(const struct node_case *node) {
    static struct dice dice = {99};
    struct split found = find_wide(node);
    struct split packed;
    check_same(find_compact(node), found);
    check_same(find_sorted(node, &dice), found);
    if (find_packed(node, &packed)) {
        check_same(packed, found);
    }
    return found;
}

static void check_node(const struct node_case *node) {
    struct split expected = naive_find(node);
    struct split found = find_all(node);
    CHECK_NEAR(found.gain, expected.gain, 1e-9 * expected.gain);
    found.gain = expected.gain;
    check_same(found, expected);
}

/* `size`: of the cells; small ones make many exact ties. */
static void random_node(struct node_case *node, struct dice *dice, size_t size, int missing) {
    const double lambdas[] = {0.0, 1.0, 7.5};
    const double weights[] = {0.0, 0.0, 1.0, 3.0, 20.0};
    const uint32_t cuts[] = {0, 1, 2, 5, 17, 253, 254};
    memset(node, 0, sizeof *node);
    node->bins.n_cuts = cuts[dice_below(dice, 7)];
    node->lambda_l2 = lambdas[dice_below(dice, 3)] * (double)size / 4.0;
    node->min_child_weight = weights[dice_below(dice, 5)] * (double)size / 4.0;
    for (uint32_t code = 0; code <= node->bins.n_cuts + 1; code++) {
        int is_missing = code == node->bins.n_cuts + 1;
        int empty = is_missing ? missing == MISSING_NONE : missing == MISSING_ALL || dice_below(dice, 4) == 0;
        if (!empty) {
            node->cells[code].g = (int64_t)dice_below(dice, 2 * size + 1) - (int64_t)size;
            node->cells[code].h = (int64_t)dice_below(dice, size) + 1;
        }
    }
    add_up(node);
}

static void equals_a_search_of_everything(void) {
    const size_t sizes[] = {2, 4, 1000, (size_t)1 << 31, (size_t)1 << 52};
    struct dice dice = {1};
    static struct node_case node;
    for (int i = 0; i < 5000; i++) {
        random_node(&node, &dice, sizes[i % 5], i % 3);
        check_node(&node);
    }
}

/* Sums near the top of what quanta may come to. */
static void largest_sums_do_not_overflow(void) {
    static struct node_case node;
    node.bins.n_cuts = 1;
    node.cells[0] = (struct gradient_sum){-((int64_t)1 << 60), (int64_t)1 << 60};
    node.cells[1] = (struct gradient_sum){(int64_t)1 << 60, (int64_t)1 << 60};
    node.cells[2] = (struct gradient_sum){((int64_t)1 << 60) - 1, (int64_t)1 << 59};
    add_up(&node);
    check_node(&node);
    struct split found = find_all(&node);
    CHECK_INT(found.bin, 0);
    CHECK_INT(found.missing_left, 0);
}

static void one_bin_splits_off_missing_values(void) {
    static struct node_case node;
    node.cells[0] = (struct gradient_sum){5, 3};
    node.cells[1] = (struct gradient_sum){-5, 2};
    add_up(&node);
    struct split found = find_all(&node);
    CHECK_NEAR(found.gain, 25.0 / 3 + 25.0 / 2, 1e-12);
    CHECK_INT(found.bin, 0);
    CHECK_INT(found.missing_left, 0);
    node.cells[1] = (struct gradient_sum){0, 0};
    add_up(&node);
    CHECK(find_all(&node).gain == 0.0);
    node.cells[1] = node.cells[0];
    node.cells[0] = (struct gradient_sum){0, 0};
    add_up(&node);
    CHECK(find_all(&node).gain == 0.0);
}

static void values_against_missing_ones_is_the_last_bin(void) {
    static struct node_case node;
    node.bins.n_cuts = 3;
    for (int code = 0; code < 4; code++) {
        node.cells[code] = (struct gradient_sum){10, 10};
    }
    node.cells[4] = (struct gradient_sum){-10, 10};
    add_up(&node);
    struct split found = find_all(&node);
    CHECK_INT(found.bin, 3);
    CHECK_INT(found.missing_left, 0);
}

/* Where the lowest bins are empty, so does the first, with the missing values to the left: a lower bin. */
static void missing_values_against_all_is_the_first_bin_where_that_is_empty(void) {
    static struct node_case node;
    node.bins.n_cuts = 5;
    node.cells[3] = (struct gradient_sum){10, 10};
    node.cells[4] = (struct gradient_sum){10, 10};
    node.cells[6] = (struct gradient_sum){-10, 10};
    add_up(&node);
    struct split found = find_all(&node);
    CHECK_INT(found.bin, 0);
    CHECK_INT(found.missing_left, 1);
    node.cells[0] = (struct gradient_sum){10, 10};
    add_up(&node);
    found = find_all(&node);
    CHECK_INT(found.bin, 4);
    CHECK_INT(found.missing_left, 0);
}

/* Gains that rise by less than a tie at a time, over more than one in all: the winner lies in between. */
static void slowly_rising_gains(void) {
    static struct node_case node;
    struct dice dice = {3};
    node.bins.n_cuts = 254;
    for (int i = 0; i < 60; i++) {
        int64_t half = (int64_t)1 << 40;
        memset(node.cells, 0, sizeof node.cells);
        for (int code = 0; code < 255; code++) { /* the left bins drag it down a little less from one to the next */
            int64_t step = (int64_t)dice_below(&dice, i % 2 == 0 ? 400 : 40000);
            node.cells[code] = (struct gradient_sum){-step, 1};
        }
        node.cells[0] = (struct gradient_sum){-half, half};
        node.cells[254] = (struct gradient_sum){half, half};
        add_up(&node);
        check_node(&node);
    }
}

static void lowest_bin_wins_a_tie(void) {
    static struct node_case node;
    node.bins.n_cuts = 9; /* bins 3, 4, 5 and 6 are empty: cuts after 2 .. 6 are the same split */
    for (int code = 0; code < 10; code++) {
        int empty = code >= 3 && code <= 6;
        node.cells[code] = (struct gradient_sum){empty ? 0 : code < 3 ? -4 : 4, empty ? 0 : 2};
    }
    add_up(&node);
    struct split found = find_all(&node);
    CHECK_INT(found.bin, 2);
    /* The two ends mirror each other. */
    memset(node.cells, 0, sizeof node.cells);
    node.bins.n_cuts = 2;
    node.cells[0] = node.cells[2] = (struct gradient_sum){3, 1};
    node.cells[1] = (struct gradient_sum){-6, 1};
    add_up(&node);
    found = find_all(&node);
    CHECK_INT(found.bin, 0);
}

static void missing_goes_right_before_left_in_a_tie(void) {
    static struct node_case node;
    node.bins.n_cuts = 1;
    node.cells[0] = (struct gradient_sum){-3, 1};
    node.cells[1] = (struct gradient_sum){3, 1};
    node.cells[2] = (struct gradient_sum){0, 1};
    add_up(&node);
    struct split found = find_all(&node);
    CHECK_INT(found.bin, 0);
    CHECK_INT(found.missing_left, 0);
}

static void absent_missing_values_follow_the_heavier_child(void) {
    static struct node_case node;
    node.bins.n_cuts = 1;
    for (int64_t left_h = 1; left_h <= 3; left_h++) {
        node.cells[0] = (struct gradient_sum){-3, left_h};
        node.cells[1] = (struct gradient_sum){3, 2};
        add_up(&node);
        CHECK_INT(find_all(&node).missing_left, left_h >= 2);
    }
}

static void min_child_weight_may_be_reached_exactly(void) {
    static struct node_case node;
    node.bins.n_cuts = 1;
    node.cells[0] = (struct gradient_sum){-3, 5};
    node.cells[1] = (struct gradient_sum){3, 6};
    add_up(&node);
    node.min_child_weight = 5.0;
    CHECK(find_all(&node).gain > 0.0);
    node.min_child_weight = 5.0000001;
    CHECK(find_all(&node).gain == 0.0);
    node.min_child_weight = HUGE_VAL;
    CHECK(find_all(&node).gain == 0.0);
}

/* Children without weight, infinite penalties: nothing to gain, and nothing that is not a number. */
static void odd_rules_find_nothing(void) {
    static struct node_case node;
    node.bins.n_cuts = 1;
    node.cells[0] = (struct gradient_sum){-3, 0};
    node.cells[1] = (struct gradient_sum){3, 4};
    add_up(&node);
    CHECK(find_all(&node).gain == 0.0);
    node.cells[1].h = 0;
    add_up(&node);
    CHECK(find_all(&node).gain == 0.0);
    node.cells[0] = node.cells[1] = (struct gradient_sum){0, 0};
    add_up(&node);
    CHECK(find_all(&node).gain == 0.0);
    node.cells[0] = (struct gradient_sum){-3, 4};
    node.cells[1] = (struct gradient_sum){3, 4};
    add_up(&node);
    node.lambda_l2 = HUGE_VAL;
    CHECK(find_all(&node).gain == 0.0);
}

static void equal_children_are_no_split(void) {
    static struct node_case node;
    node.bins.n_cuts = 5;
    for (int code = 0; code < 6; code++) {
        node.cells[code] = (struct gradient_sum){1234567, 7654321};
    }
    add_up(&node);
    CHECK(find_all(&node).gain == 0.0);
}

static void lowest_feature_wins_a_tie(void) {
    const struct split_factors silence = {.noise = {.deviation = 0.0}};
    double gains[5] = {0.5, 2.0 * (1 - 0.5e-9), 2.0, 0.0, 2.0};
    CHECK_INT(mxb__split_choose(gains, 5, &silence, 1), 1);
    gains[1] = 2.0 * (1 - 2e-9);
    CHECK_INT(mxb__split_choose(gains, 5, &silence, 1), 2);
    CHECK_INT(mxb__split_choose(gains, 1, &silence, 1), 0);
    CHECK_INT(mxb__split_choose(gains + 3, 2, &silence, 1), 1);
    CHECK_INT(mxb__split_choose(gains + 3, 1, &silence, 1), 1); /* none */
    CHECK_INT(mxb__split_choose(gains, 0, &silence, 1), 0);
}

/* The largest gain once the prior is on it, with noise and without; ties are those of the products. */
static void prior_decides_between_features(void) {
    const double gains[4] = {1.0, 0.0, 1.5, 1.25};
    double prior[4] = {0.9, 1.0, 0.5, 0.8};
    struct split_factors factors = {.prior = prior};
    CHECK_INT(mxb__split_choose(gains, 4, &factors, 1), 3);
    prior[3] = 0.72 * (1.0 + 0.5e-9); /* 0.9 of 1.25, within a tie of it */
    CHECK_INT(mxb__split_choose(gains, 4, &factors, 1), 0);
    prior[3] = 0.72 * (1.0 + 2e-9);
    CHECK_INT(mxb__split_choose(gains, 4, &factors, 1), 3);
    CHECK_INT(mxb__split_choose(gains + 1, 1, &factors, 1), 1); /* none */
    factors.noise = mxb__split_noise(4, 1, 0.5);
    for (uint32_t place = 1; place <= 500; place++) {
        uint32_t expected = 0;
        double best = 0.0;
        for (uint32_t f = 0; f < 4; f++) {
            double product = gains[f] * prior[f] * mxb__split_noise_factor(&factors.noise, place, f);
            expected = product > best ? f : expected;
            best = product > best ? product : best;
        }
        CHECK_INT(mxb__split_choose(gains, 4, &factors, place), expected);
    }
}

/* Whatever the options are, no score is infinite or lost. */
static void units_leave_room(void) {
    const double lambdas[] = {0.0, 0x1p-1074, 1.0, 0x1p61, 0x1p62, 0x1p63, 1e300, DBL_MAX};
    for (size_t i = 0; i < sizeof lambdas / sizeof lambdas[0]; i++) {
        static struct node_case node;
        int64_t half = (int64_t)1 << 60;
        struct split_rules rules = mxb__split_rules(lambdas[i], 0.0);
        CHECK(rules.least_h == 1.0);
        CHECK(rules.unit > 0.0 && 0x1p62 * rules.unit + rules.lambda < 1.0);
        CHECK(0x1p62 * rules.unit + rules.lambda >= 0.25);
        node.bins.n_cuts = 1;
        node.lambda_l2 = lambdas[i];
        node.cells[0] = (struct gradient_sum){-half, 2 * half};
        node.cells[1] = (struct gradient_sum){half, 2 * half - 1};
        add_up(&node);
        check_node(&node);
        node.cells[0] = (struct gradient_sum){-1, 1};
        node.cells[1] = (struct gradient_sum){1, 1};
        add_up(&node);
        CHECK(find_all(&node).gain > 0.0);
    }
    CHECK(mxb__split_rules(1.0, 7.5).least_h == 7.5);
}

/* Gains of some 1e-9 of the children's scores, whose differences would not even tell the bin in double. */
static void small_gains_keep_their_digits(void) {
    static struct node_case node;
    struct dice dice = {5};
    for (int i = 0; i < 200; i++) {
        node.bins.n_cuts = 20;
        for (int code = 0; code < 21; code++) {
            int64_t h = ((int64_t)1 << 50) + (int64_t)dice_below(&dice, (size_t)1 << 48);
            node.cells[code] = (struct gradient_sum){h + (int64_t)dice_below(&dice, (size_t)1 << 40), h};
        }
        add_up(&node);
        check_node(&node);
    }
}

int main(void) {
    RUN(equals_a_search_of_everything);
    RUN(largest_sums_do_not_overflow);
    RUN(one_bin_splits_off_missing_values);
    RUN(values_against_missing_ones_is_the_last_bin);
    RUN(missing_values_against_all_is_the_first_bin_where_that_is_empty);
    RUN(slowly_rising_gains);
    RUN(lowest_bin_wins_a_tie);
    RUN(missing_goes_right_before_left_in_a_tie);
    RUN(absent_missing_values_follow_the_heavier_child);
    RUN(min_child_weight_may_be_reached_exactly);
    RUN(odd_rules_find_nothing);
    RUN(equal_children_are_no_split);
    RUN(units_leave_room);
    RUN(small_gains_keep_their_digits);
    RUN(lowest_feature_wins_a_tie);
    RUN(prior_decides_between_features);
    return check_report();
}
