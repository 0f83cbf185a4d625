/* What trees become: tests that say of every row what the splits say of it. */
#include "model/forest.h"

#include "check.h"
#include "unit/model/naive_predict.h"

/* The threshold and the missing side that a test stands for. */
struct meaning {
    uint32_t feature;
    double threshold;
    size_t missing_side;
    int is_known;
};

/* Of the cuts that a feature's tree has, number k: slots that repeat above the lowest level do not count. */
static double threshold_of(const struct forest *forest, uint32_t k, uint32_t number) {
    const struct forest_feature *feature = &forest->features[k];
    const struct cut_tree *cuts = &forest->cuts[k];
    return feature->n_parts > 1 ? feature->thresholds[number] : cuts->levels[cuts->depth - 1][number];
}

static struct meaning meaning_of(const struct forest *forest, uint32_t test) {
    uint32_t column = test >> 8;
    for (uint32_t k = 0; k < forest->n_features; k++) {
        for (size_t side = 0; side < 2; side++) {
            uint32_t first = forest->features[k].columns[side];
            if (first != UINT32_MAX && column >= first && column < first + forest->features[k].n_parts) {
                uint32_t number = (column - first) * MXB__TREE_CUTS + (test & 255);
                return (struct meaning){forest->feature_numbers[k], threshold_of(forest, k, number), side, 1};
            }
        }
    }
    return (struct meaning){.is_known = 0};
}

static int means(const struct forest *forest, uint32_t test, uint32_t feature, double threshold, int missing_left) {
    struct meaning found = meaning_of(forest, test);
    return found.is_known && found.feature == feature && found.threshold == threshold &&
           found.missing_side == (missing_left ? MISSING_LEFT : MISSING_RIGHT);
}

/* The full tree below place k against the tree below node `at`. */
static size_t count_wrong(const struct forest *forest, const struct forest_tree *full, size_t k,
                          const struct tree *tree, uint32_t at) {
    const struct tree_node *node = &tree->nodes[at];
    size_t n = (size_t)1 << full->depth;
    if (k >= n) {
        return full->kind == FOREST_FULL ? full->values[k - n] != node->value : full->entries[k - n] != at;
    }
    if (node->split == SPLIT_NONE) { /* all rows go left */
        return ((full->tests[k] & 255) != 255) + count_wrong(forest, full, 2 * k, tree, at);
    }
    return !means(forest, full->tests[k], node->feature, node->value, node->missing_left) +
           count_wrong(forest, full, 2 * k, tree, node->left) +
           count_wrong(forest, full, 2 * k + 1, tree, node->left + 1);
}

static size_t count_wrong_nodes(const struct forest *forest, const struct forest_tree *deep, const struct tree *tree) {
    size_t n_wrong = 0;
    for (uint32_t i = 0; deep->kind == FOREST_DEEP && i < tree->n_nodes; i++) {
        const struct tree_node *node = &tree->nodes[i];
        const struct deep_node *made = &deep->nodes[i];
        int is_leaf = node->split == SPLIT_NONE;
        n_wrong += made->left != (is_leaf ? i : node->left);
        n_wrong += is_leaf ? made->value != node->value || (made->test & 255) != 255
                           : !means(forest, made->test, node->feature, node->value, node->missing_left);
    }
    return n_wrong;
}

static size_t count_wrong_levels(const struct forest *forest, const struct forest_tree *made,
                                 const struct symmetric *tree) {
    size_t n_wrong = made->depth != tree->depth || made->values != tree->values;
    for (uint32_t l = 0; l < tree->depth; l++) {
        const struct symmetric_level *level = &tree->levels[l];
        n_wrong += !means(forest, made->tests[l], level->feature, level->threshold, level->missing_left);
    }
    return n_wrong;
}

static void check_forest(const mxb_model *model) {
    const struct forest *forest = model->forest;
    uint32_t k = 0;
    for (uint32_t t = 0; t < model->n_terms; t++) {
        const struct term *term = &model->terms[t];
        if (mxb__term_is_tree(term)) {
            const struct forest_tree *tree = &forest->trees[k++];
            size_t n_wrong = term->kind == TERM_SYMMETRIC ? count_wrong_levels(forest, tree, &term->symmetric)
                                                          : count_wrong(forest, tree, 1, &term->tree, 0) +
                                                                count_wrong_nodes(forest, tree, &term->tree);
            CHECK_INT(n_wrong, 0);
        }
    }
    CHECK_INT(k, forest->n_trees);
}

static void trees_of_all_shapes(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        check_forest(model);
        mxb_model_free(model);
    }
    for (uint32_t depth = 0; depth <= 12;
         depth++) { /* at last with over 256 columns, or over 255 thresholds of a feature */
        struct model_shape shape = {.seed = 50 + depth,
                                    .loss = MODEL_MSE,
                                    .n_features = depth % 2 == 1 ? 140 : 3,
                                    .n_trees = 4 * depth,
                                    .n_symmetric = depth,
                                    .max_depth = depth};
        mxb_model *model = make_model(&shape);
        check_forest(model);
        CHECK_INT(model->forest->is_narrow, model->forest->n_columns <= MXB__NARROW_COLUMNS);
        CHECK(depth != 11 || !model->forest->is_narrow);
        CHECK(depth != 12 || model->forest->features[0].n_parts > 1);
        mxb_model_free(model);
    }
}

/* A feature has columns of the kinds its splits need, and none that no split needs. */
static void columns(void) {
    static const struct {
        uint32_t n_columns;
        uint8_t missing_left[3];
    } cases[] = {{1, {0, 0, 0}}, {1, {1, 1, 1}}, {2, {0, 1, 0}}};
    for (size_t c = 0; c < 3; c++) {
        struct term term = {.kind = TERM_SYMMETRIC, .n_outputs = 1, .symmetric = {.depth = 3, .max_depth = 3}};
        mxb_model *model = make_model(&MAKE_SHAPES[0]);
        make_sure(mxb__symmetric_allocate(&term.symmetric, NULL));
        for (uint32_t l = 0; l < 3; l++) { /* one threshold twice */
            term.symmetric.levels[l] = (struct symmetric_level){l / 2, 0, 0, cases[c].missing_left[l]};
        }
        for (size_t i = 0; i < 8; i++) {
            term.symmetric.values[i] = (double)i;
        }
        make_sure(mxb__model_add_term(model, &term, NULL));
        make_sure(mxb__model_build(model, NULL));
        CHECK_INT(model->forest->n_features, 1);
        CHECK_INT(model->forest->features[0].n_thresholds, 2);
        CHECK_INT(model->forest->n_columns, cases[c].n_columns);
        check_forest(model);
        mxb_model_free(model);
    }
}

static void add_levels(mxb_model *model, uint32_t feature, double first_threshold) {
    struct term term = {.kind = TERM_SYMMETRIC, .n_outputs = 1, .symmetric = {.depth = 8, .max_depth = 8}};
    make_sure(mxb__symmetric_allocate(&term.symmetric, NULL));
    for (uint32_t l = 0; l < 8; l++) {
        term.symmetric.levels[l] = (struct symmetric_level){first_threshold + l, feature, 0, 1};
    }
    for (size_t i = 0; i < 256; i++) {
        term.symmetric.values[i] = (double)i;
    }
    make_sure(mxb__model_add_term(model, &term, NULL));
}

/* More splits than a search tree has cuts, but no more thresholds: the tree has room beside the next feature's. */
static void splits_that_share_thresholds(void) {
    struct model_shape shape = {.seed = 3, .loss = MODEL_MSE, .n_features = 2};
    mxb_model *model = make_model(&shape);
    for (uint32_t k = 0; k < 32; k++) {
        add_levels(model, 0, k < 31 ? 8 * k : 240); /* 0 .. 247, eight of them twice */
    }
    add_levels(model, 0, 247); /* 247 .. 254 */
    add_levels(model, 1, 1000);
    make_sure(mxb__model_build(model, NULL));
    CHECK_INT(model->forest->features[0].n_thresholds, 255);
    check_forest(model);
    for (int x = -1; x < 256; x++) {
        double row[2] = {x, 1003.5}, score, expected = raw_score(model, row);
        make_sure(mxb_model_predict_rows(model, row, 1, 2, MXB_PREDICT_RAW, &score, NULL));
        CHECK(score == expected);
    }
    mxb_model_free(model);
}

/* Nodes are counted before memory is asked for or any is looked at. */
static void too_many_nodes(void) {
    struct term terms[] = {{.kind = TERM_TREE, .tree = {.n_nodes = 1u << 30}},
                           {.kind = TERM_TREE, .tree = {.n_nodes = 1}}};
    uint32_t no_splits = 0;
    mxb_model model = {.n_features = 1, .n_members = 1, .n_terms = 2, .terms = terms, .feature_splits = &no_splits};
    struct forest *forest;
    mxb_error error;
    FAILS(mxb__forest_build(&model, &forest, &error), error, MXB_ERROR_DATA,
          "the model's trees have 1073741825 nodes; at most 1073741824 are allowed");
}

int main(void) {
    RUN(trees_of_all_shapes);
    RUN(columns);
    RUN(splits_that_share_thresholds);
    RUN(too_many_nodes);
    return check_report();
}
