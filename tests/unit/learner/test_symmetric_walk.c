/* Leaves by codes against steps taken one by one, for codes of both widths. */
#include "learner/tree/symmetric_walk.h"

#include "check.h"
#include "unit/boost/make_data.h"

enum { N_FEATURES = 4, MAX_ROWS = 80 };

static uint32_t step_down(const struct split *splits, uint32_t depth, const struct feature_bins *bins,
                          const uint32_t *codes, size_t n_rows, size_t row) {
    uint32_t leaf = 0;
    for (uint32_t l = 0; l < depth; l++) {
        uint32_t code = codes[splits[l].feature * n_rows + row];
        int missing = code == bins[splits[l].feature].n_cuts + 1;
        int left = missing ? splits[l].missing_left : code <= splits[l].bin;
        leaf = 2 * leaf + (left ? 0 : 1);
    }
    return leaf;
}

static void random_trees(void) {
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct dice dice = {seed};
        int wide = seed % 2 == 1;
        size_t n_rows = 1 + dice_below(&dice, MAX_ROWS);
        struct feature_bins bins[N_FEATURES];
        struct split splits[MXB__MAX_SYMMETRIC_DEPTH];
        uint32_t codes[N_FEATURES * MAX_ROWS], leaves[MAX_ROWS];
        uint8_t bytes[N_FEATURES * MAX_ROWS];
        for (uint32_t f = 0; f < N_FEATURES; f++) {
            bins[f].n_cuts = (uint32_t)dice_below(&dice, f == 0 ? 3 : wide ? 100000 : 255);
            for (size_t i = 0; i < n_rows; i++) {
                codes[f * n_rows + i] = (uint32_t)dice_below(&dice, (size_t)bins[f].n_cuts + 2);
                bytes[f * n_rows + i] = (uint8_t)codes[f * n_rows + i];
            }
        }
        struct symmetric_walk walk = {
            .codes = {wide ? NULL : bytes, wide ? codes : NULL, n_rows},
            .depth = (uint32_t)dice_below(&dice, MXB__MAX_SYMMETRIC_DEPTH + 1),
        };
        for (uint32_t l = 0; l < walk.depth; l++) {
            uint32_t feature = (uint32_t)dice_below(&dice, N_FEATURES);
            splits[l] = (struct split){.feature = feature, .missing_left = (uint8_t)dice_below(&dice, 2)};
            splits[l].bin = (uint32_t)dice_below(&dice, (size_t)bins[feature].n_cuts + 1);
            walk.levels[l] = mxb__walk_split(&walk.codes, bins, &splits[l], 0);
        }
        size_t first = dice_below(&dice, n_rows);
        mxb__symmetric_walk_find(&walk, first, n_rows - first, leaves);
        for (size_t i = first; i < n_rows; i++) {
            CHECK_INT(leaves[i - first], step_down(splits, walk.depth, bins, codes, n_rows, i));
        }
    }
}

int main(void) {
    RUN(random_trees);
    return check_report();
}
