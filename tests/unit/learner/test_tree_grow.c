/* Whole trees of the grower against the naive ones, on both engines, and the same tree with as little room as it
 * promises to need. */
#include "learner/tree/tree_grow.h"

#include "check.h"
#include "learner/tree/tree_exact.h"
#include "unit/learner/naive_tree.h"

struct bench {
    struct fit_case fit;
    struct tree_engine engine;
    struct grower grower;
    char *memory;
};

static int bench_open(struct bench *bench, struct data_recipe recipe, struct learner_options options,
                      uint32_t hist_nbins) {
    bench->memory = NULL;
    if (!fit_open(&bench->fit, data_make(recipe), options, hist_nbins, SCALING_NONE)) {
        return 0;
    }
    bench->fit.input.options = &bench->fit.options;
    struct workspace workspace = {NULL, 0};
    mxb__engine_carve(&bench->engine, &bench->fit.input, &workspace);
    mxb__grower_carve(&bench->grower, &bench->fit.input, &workspace);
    size_t n_bytes = workspace.used;
    if (mxb__alloc(&bench->memory, n_bytes, 1, "a test", NULL) != MXB_OK) {
        return 0;
    }
    workspace = (struct workspace){bench->memory, 0};
    mxb__engine_carve(&bench->engine, &bench->fit.input, &workspace);
    mxb__grower_carve(&bench->grower, &bench->fit.input, &workspace);
    return workspace.used == n_bytes;
}

static void bench_close(struct bench *bench) {
    mxb__free(bench->memory);
    fit_close(&bench->fit);
}

/* `n_slots` 0: as many as there are. All must be free again at the end. */
static void bench_grow(struct bench *bench, uint32_t round, uint32_t max_depth, size_t n_slots) {
    struct draw draw = {.round = round, .max_depth = max_depth};
    size_t n_all = bench->engine.n_slots;
    bench->engine.n_slots = n_slots > 0 ? n_slots : n_all;
    mxb__engine_begin(&bench->engine, &bench->fit.input, &draw);
    mxb__grower_run(&bench->grower, &bench->engine, max_depth);
    CHECK(bench->engine.ops == &mxb__exact_engine || bench->engine.n_free == bench->engine.n_slots);
    bench->engine.n_slots = n_all;
}

/* Nodes, splits and rows below both; returns the rows in leaves. */
static size_t compare_below(const struct bench *bench, uint32_t n, const struct naive_tree *naive, size_t m,
                            uint32_t depth) {
    const struct grow_node *node = &bench->grower.nodes[n];
    const struct naive_node *other = &naive->nodes[m];
    size_t n_rows = node->rows.end - node->rows.begin;
    CHECK_INT(node->depth, depth);
    CHECK_INT(n_rows, other->n_rows);
    CHECK_INT(node->left == 0, other->is_leaf);
    if (node->left == 0 || other->is_leaf) {
        return n_rows;
    }
    CHECK_INT(node->split.feature, other->feature);
    CHECK_INT(node->split.bin, other->bin);
    CHECK_INT(node->split.missing_left, other->missing_left);
    return compare_below(bench, node->left, naive, other->left, depth + 1) +
           compare_below(bench, node->left + 1, naive, other->right, depth + 1);
}

static void compare(const struct bench *bench, const struct naive_tree *naive) {
    CHECK_INT(bench->grower.n_nodes, naive->n_nodes);
    CHECK_INT(compare_below(bench, 0, naive, 0, 0), bench->engine.n_sampled);
}

static void trees_equal_naive_ones(void) {
    for (uint32_t seed = 1; seed <= 48; seed++) {
        struct bench bench;
        struct learner_options options = fit_options();
        uint32_t depth = 1 + seed % 6;
        options.max_max_depth = depth;
        options.lambda_l2 = seed % 3 == 0 ? 0.0 : 0.5;
        options.min_child_weight = seed % 4 == 0 ? 3.0 : 0.0;
        options.tree_n_threads = seed % 5 == 0 ? 3 : 1;
        struct data_recipe recipe = {.n_rows = 20 + 13 * seed,
                                     .n_features = 1 + seed % 10,
                                     .seed = seed,
                                     .missing = seed % 2 == 0 ? 0.2 : 0.0,
                                     .n_distinct = seed % 3 == 1 ? 5 : 0,
                                     .weighted = seed % 5 == 1};
        REQUIRE(bench_open(&bench, recipe, options, (uint32_t[]){256, 7, 0, 0}[seed % 4]));
        bench_grow(&bench, seed, depth, 0);
        struct naive_tree naive = naive_make(&bench.fit, depth, NULL, NULL);
        compare(&bench, &naive);
        naive_clear(&naive);
        bench_close(&bench);
    }
}

/* Every number of slots from depth + 1 on. */
static void few_slots_grow_the_same_tree(void) {
    for (uint32_t depth = 1; depth <= 12; depth++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.max_max_depth = depth;
        options.lambda_l2 = 0.01;
        struct data_recipe recipe = {.n_rows = 700, .n_features = 3, .seed = depth, .missing = 0.1};
        REQUIRE(bench_open(&bench, recipe, options, 256));
        struct naive_tree naive = naive_make(&bench.fit, depth, NULL, NULL);
        CHECK(bench.engine.n_slots >= depth + 1);
        for (size_t n_slots = depth + 1; n_slots <= bench.engine.n_slots; n_slots = 2 * n_slots + 1) {
            bench_grow(&bench, 1, depth, n_slots);
            compare(&bench, &naive);
        }
        bench_grow(&bench, 1, depth, 0);
        compare(&bench, &naive);
        naive_clear(&naive);
        bench_close(&bench);
    }
}

/* So many features that the budget holds few histograms. */
static void wide_data_grow_the_same_tree(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.max_max_depth = 12;
    options.lambda_l2 = 0.0;
    options.tree_n_threads = 2;
    struct data_recipe recipe = {.n_rows = 200, .n_features = 1500, .seed = 77, .missing = 0.05};
    REQUIRE(bench_open(&bench, recipe, options, 8));
    CHECK_INT(bench.engine.n_slots, 13);
    bench_grow(&bench, 1, 12, 0);
    struct naive_tree naive = naive_make(&bench.fit, 12, NULL, NULL);
    CHECK(naive.n_nodes > 60);
    compare(&bench, &naive);
    naive_clear(&naive);
    bench_close(&bench);
}

/* An exact tree in batches of one node's children, and of more. */
static void small_batches_grow_the_same_tree(void) {
    for (uint32_t depth = 1; depth <= 12; depth++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.max_max_depth = depth;
        options.lambda_l2 = 0.01;
        options.tree_n_threads = 1 + depth % 3;
        struct data_recipe recipe = {.n_rows = 700, .n_features = 3, .seed = depth, .missing = 0.1};
        REQUIRE(bench_open(&bench, recipe, options, 0));
        struct naive_tree naive = naive_make(&bench.fit, depth, NULL, NULL);
        size_t largest = bench.engine.max_batch;
        CHECK_INT(largest, depth < 9 ? 1u << depth : 512);
        for (bench.engine.max_batch = 2; bench.engine.max_batch <= largest; bench.engine.max_batch *= 2) {
            bench_grow(&bench, 1, depth, 0);
            compare(&bench, &naive);
        }
        naive_clear(&naive);
        bench_close(&bench);
    }
}

/* A drawn depth may be less than the largest; the workspace is made for the largest. */
static void smaller_depths_fit(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.max_max_depth = 9;
    for (uint32_t hist_nbins = 0; hist_nbins <= 256; hist_nbins += 256) {
        struct data_recipe recipe = {.n_rows = 400, .n_features = 3, .seed = 5};
        REQUIRE(bench_open(&bench, recipe, options, hist_nbins));
        for (uint32_t depth = 0; depth <= 9; depth++) {
            bench_grow(&bench, 1, depth, 0);
            struct naive_tree naive = naive_make(&bench.fit, depth, NULL, NULL);
            compare(&bench, &naive);
            naive_clear(&naive);
        }
        bench_close(&bench);
    }
}

/* As many leaves as rows: every array is filled to its end. */
static void one_leaf_a_row(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.max_max_depth = 30;
    options.lambda_l2 = 0.0;
    for (uint32_t hist_nbins = 0; hist_nbins <= 256; hist_nbins += 256) {
        struct data_recipe recipe = {.n_rows = 200, .n_features = 1, .seed = 5};
        REQUIRE(bench_open(&bench, recipe, options, hist_nbins));
        bench_grow(&bench, 1, 30, 0);
        CHECK_INT(bench.grower.n_nodes, 399);
        struct naive_tree naive = naive_make(&bench.fit, 30, NULL, NULL);
        compare(&bench, &naive);
        naive_clear(&naive);
        bench_close(&bench);
    }
}

/* Packed quanta are not exact, so compare threads with each other and gains with what the naive tree would take. */
static void packed_trees_do_not_depend_on_threads(void) {
    struct grow_node *first = NULL;
    uint32_t n_first = 0;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.max_max_depth = 4;
        options.tree_n_threads = threads;
        struct data_recipe recipe = {.n_rows = 90000, .n_features = 3, .seed = 8, .missing = 0.05};
        REQUIRE(bench_open(&bench, recipe, options, 64));
        bench_grow(&bench, 3, 4, 0);
        CHECK_INT(bench.engine.packed, 1);
        CHECK_INT(bench.grower.n_nodes, 31);
        if (first == NULL) {
            n_first = bench.grower.n_nodes;
            first = calloc(n_first, sizeof *first);
            memcpy(first, bench.grower.nodes, n_first * sizeof *first);
            struct naive_tree naive = naive_make(&bench.fit, 1, NULL, NULL);
            CHECK_INT(first[0].split.feature, naive.nodes[0].feature);
            CHECK_INT(first[0].split.bin, naive.nodes[0].bin);
            naive_clear(&naive);
        }
        for (uint32_t n = 0; n < n_first; n++) {
            const struct grow_node *node = &bench.grower.nodes[n];
            CHECK(node->split.gain == first[n].split.gain && node->split.feature == first[n].split.feature);
            CHECK(node->split.bin == first[n].split.bin && node->left == first[n].left);
            CHECK(node->rows.begin == first[n].rows.begin && node->rows.end == first[n].rows.end);
        }
        bench_close(&bench);
    }
    free(first);
}

int main(void) {
    RUN(trees_equal_naive_ones);
    RUN(few_slots_grow_the_same_tree);
    RUN(wide_data_grow_the_same_tree);
    RUN(small_batches_grow_the_same_tree);
    RUN(smaller_depths_fit);
    RUN(one_leaf_a_row);
    RUN(packed_trees_do_not_depend_on_threads);
    return check_report();
}
