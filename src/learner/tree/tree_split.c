/* The best split on a feature: the largest gain first, then the lowest bin within a tie of it, so that the winner does
 * not depend on the order of the search. The rules are written once, for cells of a histogram and for sorted rows. */
#include "learner/tree/tree_split.h"

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

enum { AHEAD = 24 }; /* rows; without looking ahead a walk over sorted rows takes four times as long */

static const double TIE = 1e-9;
/* A gain below this part of the node's own score is rounding. */
static const double NOISE = 1e-12;

static double score(struct gradient_sum sum, double lambda_l2) {
    double g = (double)sum.g;
    return g * g / ((double)sum.h + lambda_l2);
}

static struct gradient_sum plus(struct gradient_sum a, struct gradient_sum b) {
    struct gradient_sum sum = {a.g + b.g, a.h + b.h};
    return sum;
}

static struct gradient_sum minus(struct gradient_sum a, struct gradient_sum b) {
    struct gradient_sum sum = {a.g - b.g, a.h - b.h};
    return sum;
}

static double gain_of(struct gradient_sum left, struct gradient_sum right, double parent_score,
                      const struct split_rules *rules) {
    int allowed = left.h > 0 && right.h > 0 && (double)left.h >= rules->min_child_weight &&
                  (double)right.h >= rules->min_child_weight;
    return allowed ? score(left, rules->lambda_l2) + score(right, rules->lambda_l2) - parent_score : 0.0;
}

/* ---- a search over the cuts of a feature, from left to right ---- */

/* All cuts are offered once to find the largest gain, then again from `first` on until one ties with it: that is
 * the winner, nearly always the first one looked at. A cell is what lies between two cuts; the caller numbers them. */
struct search {
    const struct split_rules *rules;
    struct gradient_sum total;
    struct gradient_sum missing;
    int has_missing;
    double parent_score;
    struct gradient_sum left; /* the cells offered so far */
    double best;
    int found;
    size_t first; /* no cell before this one is within a tie of the best */
    struct gradient_sum left_of_first;
};

static struct search search_begin(struct gradient_sum total, struct gradient_sum missing,
                                  const struct split_rules *rules, size_t first) {
    double parent_score = score(total, rules->lambda_l2);
    struct search search = {.rules = rules,
                            .total = total,
                            .missing = missing,
                            .has_missing = missing.g != 0 || missing.h != 0,
                            .parent_score = parent_score,
                            .best = NOISE * parent_score,
                            .first = first};
    return search;
}

/* Moves a cell to the left; the gains of cutting behind it, with missing values to the right and to the left. */
static inline void move_cell(struct search *search, struct gradient_sum cell, double gains[2]) {
    search->left = plus(search->left, cell);
    struct gradient_sum both = plus(search->left, search->missing);
    gains[0] = gain_of(search->left, minus(search->total, search->left), search->parent_score, search->rules);
    gains[1] =
        search->has_missing ? gain_of(both, minus(search->total, both), search->parent_score, search->rules) : 0.0;
}

static inline void offer_cell(struct search *search, struct gradient_sum cell, size_t number) {
    double gains[2];
    struct gradient_sum before = search->left;
    move_cell(search, cell, gains);
    for (int side = 0; side < 2; side++) {
        if (gains[side] > search->best) {
            if (search->best < gains[side] * (1.0 - TIE)) {
                search->first = number;
                search->left_of_first = before;
            }
            search->best = gains[side];
            search->found = 1;
        }
    }
}

/* Second time: whether the cut behind this cell, after `bin`, wins. */
static int take_cell(struct search *search, struct gradient_sum cell, uint32_t bin, struct split *split) {
    double gains[2];
    move_cell(search, cell, gains);
    for (uint8_t side = 0; side < 2; side++) {
        if (gains[side] >= search->best * (1.0 - TIE)) {
            int heavier_left = search->left.h >= search->total.h - search->left.h;
            *split = (struct split){search->best, 0, bin, search->has_missing ? side : (uint8_t)heavier_left};
            return 1;
        }
    }
    return 0;
}

struct split mxb__split_find(const struct gradient_sum *cells, const struct feature_bins *bins,
                             struct gradient_sum total, const struct split_rules *rules) {
    struct split split = {0};
    struct search search = search_begin(total, cells[mxb__missing_code(bins)], rules, 0);
    /* Without missing values, a split after the last bin would leave the right side empty. */
    uint32_t n_bins = bins->n_cuts + (search.has_missing ? 1u : 0u);
    for (uint32_t b = 0; b < n_bins; b++) {
        offer_cell(&search, cells[b], b);
    }
    search.left = search.left_of_first;
    for (size_t b = search.first; search.found; b++) {
        if (take_cell(&search, cells[b], (uint32_t)b, &split)) {
            break;
        }
    }
    return split;
}

/* Cell number k + 1 begins with the k-th row and holds all with its code; returns the next cell's number. Cell 0 is
 * empty: where a node has no row of code 0, the cut after bin 0 parts missing values from all others. */
static size_t read_cell(const struct sorted_rows *rows, size_t number, struct gradient_sum *cell, uint32_t *bin) {
    *cell = (struct gradient_sum){0, 0};
    *bin = 0;
    if (number > 0) {
        *bin = rows->codes[rows->rows[number - 1]];
        for (; number <= rows->n && rows->codes[rows->rows[number - 1]] == *bin; number++) {
            size_t later = rows->rows[number + AHEAD <= rows->n ? number + AHEAD - 1 : rows->n - 1];
            PREFETCH(rows->codes + later);
            PREFETCH(rows->sums + later);
            *cell = plus(*cell, rows->sums[rows->rows[number - 1]]);
        }
        return number;
    }
    return 1;
}

struct split mxb__split_find_sorted(const struct sorted_rows *rows, const struct feature_bins *bins,
                                    struct gradient_sum total, const struct split_rules *rules) {
    struct split split = {0};
    struct sorted_rows present = *rows;
    struct gradient_sum missing = {0, 0};
    while (present.n > 0 && rows->codes[rows->rows[present.n - 1]] == mxb__missing_code(bins)) {
        missing = plus(missing, rows->sums[rows->rows[--present.n]]);
    }
    if (present.n == 0) {
        return split;
    }
    struct gradient_sum cell;
    uint32_t bin;
    size_t first = rows->codes[rows->rows[0]] > 0 ? 0 : 1;
    struct search search = search_begin(total, missing, rules, first);
    for (size_t number = first; number <= present.n;) {
        size_t next = read_cell(&present, number, &cell, &bin);
        offer_cell(&search, cell, number);
        number = next;
    }
    search.left = search.left_of_first;
    for (size_t number = search.first; search.found;) {
        number = read_cell(&present, number, &cell, &bin);
        if (take_cell(&search, cell, bin, &split)) {
            break;
        }
    }
    return split;
}

/* ---- among features ---- */

struct split mxb__split_choose(const struct split *of_feature, uint32_t n) {
    double best = 0.0;
    for (uint32_t f = 0; f < n; f++) {
        best = of_feature[f].gain > best ? of_feature[f].gain : best;
    }
    struct split chosen = {0};
    for (uint32_t f = 0; f < n && best > 0.0; f++) {
        if (of_feature[f].gain >= best * (1.0 - TIE)) {
            chosen = of_feature[f];
            chosen.feature = f;
            break;
        }
    }
    return chosen;
}
