/* Walks by codes against steps taken one by one, on random trees and codes of both widths. */
#include "learner/tree/tree_walk.h"

#include "check.h"
#include "unit/boost/make_data.h"

enum { MAX_NODES = 255, N_FEATURES = 5, MAX_ROWS = 100 };

struct wood {
    struct split splits[MAX_NODES];
    uint32_t left[MAX_NODES]; /* 0: a leaf */
    uint32_t depth[MAX_NODES];
    uint32_t n_nodes;
    uint32_t deepest;
    struct feature_bins bins[N_FEATURES];
    uint32_t codes[N_FEATURES * MAX_ROWS];
    uint8_t bytes[N_FEATURES * MAX_ROWS];
    size_t n_rows;
};

/* Codes 0 .. n_cuts, and missing; often those next to the bin of some split. */
static uint32_t draw_code(struct dice *dice, const struct wood *wood, uint32_t feature) {
    uint64_t n_codes = (uint64_t)wood->bins[feature].n_cuts + 2;
    const struct split *near = &wood->splits[dice_below(dice, wood->n_nodes)];
    if (near->feature == feature && dice_below(dice, 2) == 0) {
        return near->bin + (uint32_t)dice_below(dice, 2);
    }
    return (uint32_t)(dice_below(dice, 3) == 0 ? n_codes - 1 - dice_below(dice, 2) : dice_below(dice, n_codes));
}

/* Splits random leaves until there are as many as wanted, none deeper than 12. */
static void grow(struct wood *wood, struct dice *dice, uint32_t n_splits, uint32_t max_cuts) {
    *wood = (struct wood){.n_nodes = 1};
    for (uint32_t f = 0; f < N_FEATURES; f++) {
        wood->bins[f].n_cuts = f == 0 ? max_cuts : (uint32_t)dice_below(dice, (size_t)max_cuts + 1);
    }
    for (uint32_t k = 0; k < n_splits; k++) {
        uint32_t n = (uint32_t)dice_below(dice, wood->n_nodes);
        if (wood->left[n] != 0 || wood->depth[n] == 12) {
            continue;
        }
        uint32_t feature = (uint32_t)dice_below(dice, N_FEATURES);
        uint32_t n_cuts = wood->bins[feature].n_cuts;
        uint32_t bin = dice_below(dice, 4) == 0 ? n_cuts : (uint32_t)dice_below(dice, (size_t)n_cuts + 1);
        wood->splits[n] =
            (struct split){.gain = 1.0, .feature = feature, .bin = bin, .missing_left = (uint8_t)dice_below(dice, 2)};
        wood->left[n] = wood->n_nodes;
        for (uint32_t child = wood->n_nodes; child < wood->n_nodes + 2; child++) {
            wood->depth[child] = wood->depth[n] + 1;
        }
        wood->deepest = wood->depth[n] + 1 > wood->deepest ? wood->depth[n] + 1 : wood->deepest;
        wood->n_nodes += 2;
    }
    wood->n_rows = 1 + dice_below(dice, MAX_ROWS);
    for (size_t i = 0; i < N_FEATURES * wood->n_rows; i++) {
        wood->codes[i] = draw_code(dice, wood, (uint32_t)(i / wood->n_rows));
        wood->bytes[i] = (uint8_t)wood->codes[i];
    }
}

static uint32_t naive_leaf(const struct wood *wood, size_t row) {
    uint32_t n = 0;
    while (wood->left[n] != 0) {
        const struct split *split = &wood->splits[n];
        uint32_t code = wood->codes[split->feature * wood->n_rows + row];
        int missing = code == mxb__missing_code(&wood->bins[split->feature]);
        n = wood->left[n] + ((missing ? split->missing_left : code <= split->bin) ? 0 : 1);
    }
    return n;
}

static void check_walk(const struct wood *wood, struct dice *dice, int wide) {
    struct walk_node nodes[MAX_NODES];
    struct walk walk = {.nodes = nodes, .depth = wood->deepest};
    walk.codes = (struct code_columns){wide ? NULL : wood->bytes, wide ? wood->codes : NULL, wood->n_rows};
    for (uint32_t n = 0; n < wood->n_nodes; n++) {
        nodes[n] = wood->left[n] == 0 ? mxb__walk_leaf(n)
                                      : mxb__walk_split(&walk.codes, wood->bins, &wood->splits[n], wood->left[n]);
    }
    static struct walkers walkers;
    walkers.n = dice_below(dice, wood->n_rows + 1);
    for (size_t i = 0; i < walkers.n; i++) {
        walkers.rows[i] = (uint32_t)dice_below(dice, wood->n_rows);
    }
    walkers.leaves[walkers.n] = UINT32_MAX;
    mxb__walk_find(&walk, &walkers);
    for (size_t i = 0; i < walkers.n; i++) {
        CHECK_INT(walkers.leaves[i], naive_leaf(wood, walkers.rows[i]));
    }
    CHECK(walkers.leaves[walkers.n] == UINT32_MAX);
}

static void walks_end_where_steps_do(void) {
    static const uint32_t byte_cuts[] = {0, 1, 7, 254};
    static const uint32_t word_cuts[] = {0, 1, 254, 255, 100000, UINT32_MAX - 2};
    static struct wood wood;
    struct dice dice = {4};
    for (uint32_t k = 0; k < 2000; k++) {
        int wide = k % 2 == 1;
        uint32_t n_splits = k < 20 ? 0 : (uint32_t)dice_below(&dice, (MAX_NODES - 1) / 2 + 1);
        grow(&wood, &dice, n_splits, wide ? word_cuts[k / 2 % 6] : byte_cuts[k / 2 % 4]);
        check_walk(&wood, &dice, wide);
    }
}

int main(void) {
    RUN(walks_end_where_steps_do);
    return check_report();
}
