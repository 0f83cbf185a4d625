/* Whole trees of the grower against the naive ones, on both engines: with subtrees put off for the threads and without,
 * and with as little room as it promises to need. */
#include "learner/tree/tree_grow.h"

#include <stdatomic.h>

#include "check.h"
#include "learner/tree/tree_exact.h"
#include "learner/tree/tree_histograms.h"
#include "learner/tree/tree_tiny.h"
#include "unit/learner/naive_tree.h"

struct bench {
    struct fit_case fit;
    struct tree_engine engine;
    struct grower grower;
    char *memory;
};

static int bench_open_on(struct bench *bench, struct made_data data, struct learner_options options,
                         uint32_t hist_nbins) {
    bench->memory = NULL;
    if (!fit_open(&bench->fit, data, options, hist_nbins, SCALING_NONE)) {
        return 0;
    }
    bench->fit.input.options = &bench->fit.options;
    struct workspace workspace = {NULL, 0};
    mxb__engine_carve(&bench->engine, &bench->fit.input, &workspace);
    mxb__grower_carve(&bench->grower, &bench->engine, &bench->fit.input, &workspace);
    size_t n_bytes = workspace.used;
    if (mxb__alloc(&bench->memory, n_bytes, 1, "a test", NULL) != MXB_OK) {
        return 0;
    }
    workspace = (struct workspace){bench->memory, 0};
    mxb__engine_carve(&bench->engine, &bench->fit.input, &workspace);
    mxb__grower_carve(&bench->grower, &bench->engine, &bench->fit.input, &workspace);
    return workspace.used == n_bytes;
}

static int bench_open(struct bench *bench, struct data_recipe recipe, struct learner_options options,
                      uint32_t hist_nbins) {
    return bench_open_on(bench, data_make(recipe), options, hist_nbins);
}

static void bench_close(struct bench *bench) {
    mxb__free(bench->memory);
    fit_close(&bench->fit);
}

/* ---- an engine that looks at what it is asked ---- */

static struct bench *watched;
static atomic_int *n_taken; /* [2 max_leaves] how often a node of the grower was a child */
static atomic_int n_bad_calls;

static void watch(int is_fine) { atomic_fetch_add(&n_bad_calls, is_fine ? 0 : 1); }

static void watch_child(const struct engine_node *child) {
    const struct grow_node *nodes = watched->grower.nodes;
    size_t number = (size_t)((const char *)child - (const char *)nodes) / sizeof *nodes;
    int is_node = number > 0 && number < 2 * (size_t)mxb__engine_max_leaves(&watched->fit.input) - 1;
    watch(is_node && child == &nodes[number].work && atomic_fetch_add(&n_taken[number], 1) == 0);
}

/* Room in the arrays for a batch: families, spans and gains. */
static void watch_partition(struct tree_engine *engine, const struct family *families, size_t n) {
    watch(n <= engine->scratch.max_batch);
    for (size_t i = 0; i < n; i++) {
        watch_child(families[i].left);
        watch_child(families[i].right);
    }
    mxb__histogram_engine.partition(engine, families, n);
}

static void watch_children(struct tree_engine *engine, const struct family *families, size_t n) {
    size_t n_needed = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t left = mxb__span_rows(families[i].left->rows);
        uint32_t right = mxb__span_rows(families[i].right->rows);
        n_needed += (left < right ? left : right) > MXB__TINY_ROWS;
    }
    watch(2 * n <= engine->scratch.max_batch && n_needed <= engine->scratch.n_unused);
    mxb__histogram_engine.open_children(engine, families, n);
    watch(engine->scratch.n_unused <= engine->scratch.n_histograms + 1);
}

/* The engine that has begun, and those of the threads, from now on under watch. */
static void begin_to_watch(struct bench *bench, struct engine_ops *ops) {
    *ops = *bench->engine.ops;
    if (bench->engine.ops != &mxb__exact_engine) {
        ops->partition = watch_partition;
        ops->open_children = watch_children;
        bench->engine.ops = ops;
        for (size_t t = 0; t < bench->engine.n_engines; t++) {
            bench->engine.of_thread[t].ops = ops;
        }
    }
    watched = bench;
    n_taken = calloc(2 * (size_t)mxb__engine_max_leaves(&bench->fit.input), sizeof *n_taken);
    n_bad_calls = 0;
}

/* Which of the engines a histogram was made for, and its number there, as one number; `none` if it is none. */
static size_t number_of(const struct tree_engine *engine, const char *cells, size_t none) {
    size_t bytes = engine->n_cells * (engine->packed ? sizeof(uint64_t) : sizeof(struct gradient_sum));
    size_t first = 0;
    for (size_t t = 0; t <= engine->n_engines; t++) {
        const struct engine_scratch *scratch = t == 0 ? &engine->scratch : &engine->of_thread[t - 1].scratch;
        if (cells >= scratch->cells && cells < scratch->cells + scratch->n_histograms * bytes) {
            size_t number = (size_t)(cells - scratch->cells) / bytes;
            return cells == scratch->cells + number * bytes ? first + number : none;
        }
        first += scratch->n_histograms;
    }
    return none;
}

/* Every histogram is on one stack, and each engine has as many as it began with. */
static void check_none_lost(const struct tree_engine *engine) {
    size_t n_all = engine->scratch.n_histograms;
    for (size_t t = 0; t < engine->n_engines; t++) {
        n_all += engine->of_thread[t].scratch.n_histograms;
    }
    int *is_there = calloc(n_all + 1, sizeof *is_there);
    size_t n_wrong = 0;
    for (size_t t = 0; t <= engine->n_engines; t++) {
        const struct engine_scratch *scratch = t == 0 ? &engine->scratch : &engine->of_thread[t - 1].scratch;
        CHECK_INT(scratch->n_unused, scratch->n_histograms);
        for (size_t i = 0; i < scratch->n_unused; i++) {
            size_t number = number_of(engine, scratch->unused[i], n_all);
            n_wrong += number == n_all || is_there[number]++ > 0;
        }
    }
    CHECK_INT(n_wrong, 0);
    free(is_there);
}

/* ---- growing and comparing ---- */

enum how { WITH_SUBTREES, WITHOUT_SUBTREES, N_WAYS };

static void bench_grow(struct bench *bench, uint32_t max_depth, enum how how) {
    struct engine_ops watching;
    struct draw draw = {.round = 1, .max_depth = max_depth};
    const struct engine_ops *ops = bench->engine.ops;
    mxb__engine_begin(&bench->engine, &bench->fit.input, &draw, NULL);
    bench->engine.subtree_rows = how == WITHOUT_SUBTREES ? 0 : bench->engine.subtree_rows;
    begin_to_watch(bench, &watching);
    mxb__grower_run(&bench->grower, &bench->engine, max_depth);
    CHECK_INT(n_bad_calls, 0);
    CHECK(bench->grower.n_nodes < 2 * mxb__engine_max_leaves(&bench->fit.input));
    bench->engine.ops = ops;
    if (ops != &mxb__exact_engine) {
        check_none_lost(&bench->engine);
    }
    free(n_taken);
}

/* What a test counts of a tree. */
struct counts {
    size_t n_nodes;
    size_t n_rows; /* in leaves */
};

/* Nodes, splits and rows below both. */
static void compare_below(const struct bench *bench, uint32_t n, const struct naive_tree *naive, size_t m,
                          struct counts *counts) {
    const struct grow_node *node = &bench->grower.nodes[n];
    const struct naive_node *other = &naive->nodes[m];
    const struct split *split = &node->work.split;
    size_t n_rows = mxb__span_rows(node->work.rows);
    counts->n_nodes++;
    CHECK_INT(n_rows, other->n_rows);
    CHECK_INT(node->left == 0, other->is_leaf);
    CHECK(node->work.cells == NULL || bench->engine.ops == &mxb__exact_engine);
    if (node->left == 0 || other->is_leaf) {
        counts->n_rows += n_rows;
        return;
    }
    CHECK_INT(split->feature, other->feature);
    CHECK_INT(split->bin, other->bin);
    CHECK_INT(split->missing_left, other->missing_left);
    for (uint32_t side = 0; side < 2; side++) {
        CHECK_INT(bench->grower.nodes[node->left + side].depth, node->depth + 1);
        compare_below(bench, node->left + side, naive, side == 0 ? other->left : other->right, counts);
    }
}

static void compare(const struct bench *bench, const struct naive_tree *naive) {
    struct counts counts = {0, 0};
    CHECK_INT(bench->grower.nodes[0].depth, 0);
    compare_below(bench, 0, naive, 0, &counts);
    CHECK_INT(counts.n_nodes, naive->n_nodes);
    CHECK_INT(counts.n_rows, bench->engine.n_sampled);
}

/* Both ways, against the naive tree. */
static void check_grown(struct bench *bench, uint32_t depth) {
    struct naive_tree naive = naive_make(&bench->fit, depth, NULL, NULL);
    for (enum how how = 0; how < N_WAYS; how++) {
        bench_grow(bench, depth, how);
        compare(bench, &naive);
    }
    naive_clear(&naive);
}

static void trees_equal_naive_ones(void) {
    for (uint32_t seed = 1; seed <= 64; seed++) {
        struct bench bench;
        struct learner_options options = fit_options();
        uint32_t depth = 1 + seed % 6;
        options.max_max_depth = depth;
        options.lambda_l2 = seed % 3 == 0 ? 0.0 : 0.5;
        options.min_child_weight = seed % 4 == 0 ? 3.0 : 0.0;
        options.split_noise = seed % 3 == 2 ? 0.7 : 0.0;
        options.tree_n_threads = (uint32_t[]){1, 2, 3, 7, 1}[seed % 5];
        struct data_recipe recipe = {.n_rows = 20 + 23 * seed,
                                     .n_features = 1 + seed % 10,
                                     .seed = seed,
                                     .missing = seed % 2 == 0 ? 0.2 : 0.0,
                                     .n_distinct = seed % 3 == 1 ? 5 : 0,
                                     .weighted = seed % 7 == 1};
        REQUIRE(bench_open(&bench, recipe, options, (uint32_t[]){256, 7, 0, 0}[seed % 4]));
        check_grown(&bench, depth);
        bench_close(&bench);
    }
}

/* One a level, or as many as there can be nodes that are not tiny. */
static size_t least_histograms(uint32_t depth, size_t n_rows) {
    size_t n_nodes = n_rows / (MXB__TINY_ROWS + 1);
    return depth + 1 < n_nodes ? depth + 1 : n_nodes;
}

/* Nodes of all sizes, down to no histogram at all, every number of histograms from the least on. */
static void few_histograms_grow_the_same_tree(void) {
    const size_t n_rows[] = {MXB__TINY_ROWS, MXB__TINY_ROWS + 1, 150, 520, 1700};
    for (uint32_t k = 0; k < 5 * 12; k++) {
        struct bench bench;
        struct learner_options options = fit_options();
        uint32_t depth = 1 + k / 5;
        options.max_max_depth = depth;
        options.lambda_l2 = 0.01;
        options.split_noise = k % 2 == 0 ? 0.3 : 0.0;
        options.tree_n_threads = (uint32_t[]){1, 2, 3, 7}[k % 4];
        struct data_recipe recipe = {.n_rows = n_rows[k % 5], .n_features = 3, .seed = k, .missing = 0.1};
        REQUIRE(bench_open(&bench, recipe, options, 256));
        size_t least = least_histograms(depth, n_rows[k % 5]);
        size_t n_all = bench.engine.scratch.n_histograms;
        CHECK(n_all >= least);
        CHECK_INT(bench.engine.n_engines, options.tree_n_threads);
        CHECK_INT(bench.engine.of_thread[0].scratch.n_histograms, least);
        for (size_t n = least; n <= n_all; n = 2 * n + 1) {
            bench.engine.scratch.n_histograms = n;
            check_grown(&bench, depth);
        }
        bench_close(&bench);
    }
}

/* So many features that the budget holds few histograms, and none for the threads. */
static void wide_data_grow_the_same_tree(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.max_max_depth = 5;
    options.lambda_l2 = 0.0;
    options.tree_n_threads = 3;
    struct data_recipe recipe = {.n_rows = 300, .n_features = 1500, .seed = 77, .missing = 0.05};
    REQUIRE(bench_open(&bench, recipe, options, 20));
    CHECK_INT(bench.engine.scratch.n_histograms, 10);
    CHECK_INT(bench.engine.n_engines, 0);
    check_grown(&bench, 5);
    bench_close(&bench);
}

/* Eight clusters from which, level by level, a few rows are split off: these are put off and need no histogram, so that
 * more are put off than there are histograms. The other features only take room. */
static void more_subtrees_than_histograms(void) {
    enum { N = 2000, D = 986, DEPTH = 7 };
    struct bench bench;
    struct made_data data = data_allocate(N, D, 0);
    struct dice dice = {5};
    for (size_t i = 0; i < N; i++) {
        data.y[i] = dice_normal(&dice);
        for (size_t f = 0; f < 3; f++) {
            data.x[f * N + i] = (double)(i >> f & 1);
            data.y[i] += data.x[f * N + i] * (double)(4000 >> f);
        }
        for (size_t f = 3; f < 6; f++) {
            data.x[f * N + i] = i / 80 == f;
            data.y[i] += data.x[f * N + i] * (double)(4000 >> f);
        }
        for (size_t f = 6; f < D; f++) {
            data.x[f * N + i] = (double)dice_below(&dice, 20);
        }
    }
    REQUIRE(data_view(&data));
    struct learner_options options = fit_options();
    options.max_max_depth = DEPTH;
    options.lambda_l2 = 0.0;
    options.tree_n_threads = 2;
    REQUIRE(bench_open_on(&bench, data, options, 256));
    CHECK_INT(bench.engine.scratch.n_histograms, 16);
    CHECK_INT(bench.engine.n_engines, 2);
    check_grown(&bench, DEPTH);
    bench_close(&bench);
}

/* An exact tree in batches of one node's children, and of more. */
static void small_batches_grow_the_same_tree(void) {
    for (uint32_t depth = 1; depth <= 12; depth++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.max_max_depth = depth;
        options.lambda_l2 = 0.01;
        options.split_noise = depth % 2 == 0 ? 0.3 : 0.0;
        options.tree_n_threads = 1 + depth % 3;
        struct data_recipe recipe = {.n_rows = 700, .n_features = 3, .seed = depth, .missing = 0.1};
        REQUIRE(bench_open(&bench, recipe, options, 0));
        struct naive_tree naive = naive_make(&bench.fit, depth, NULL, NULL);
        size_t largest = bench.engine.scratch.max_batch;
        CHECK_INT(largest, depth < 9 ? 1u << depth : 512);
        for (size_t max_batch = 2; max_batch <= largest; max_batch *= 2) {
            bench.engine.scratch.max_batch = max_batch;
            bench_grow(&bench, depth, WITH_SUBTREES);
            compare(&bench, &naive);
        }
        naive_clear(&naive);
        bench_close(&bench);
    }
}

/* A drawn depth may be less than the largest; the workspace is made for the largest. */
static void smaller_depths_fit(void) {
    for (uint32_t k = 0; k < 4; k++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.max_max_depth = 9;
        options.tree_n_threads = 1 + k;
        struct data_recipe recipe = {.n_rows = 400, .n_features = 3, .seed = 5};
        REQUIRE(bench_open(&bench, recipe, options, k == 0 ? 0 : 256));
        for (uint32_t depth = 0; depth <= 9; depth++) {
            check_grown(&bench, depth);
        }
        bench_close(&bench);
    }
}

/* As many leaves as rows: every array is filled to its end. */
static void one_leaf_a_row(void) {
    for (uint32_t k = 0; k < 6; k++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.max_max_depth = 30;
        options.lambda_l2 = 0.0;
        options.split_noise = k % 2 == 0 ? 1.0 : 0.0;
        options.tree_n_threads = (uint32_t[]){1, 2, 3, 7, 1, 3}[k];
        struct data_recipe recipe = {.n_rows = k < 2 ? 200 : 1000, .n_features = k < 2 ? 1 : 3, .seed = 5};
        REQUIRE(bench_open(&bench, recipe, options, k < 4 ? 256 : 0));
        struct naive_tree naive = naive_make(&bench.fit, 30, NULL, NULL);
        CHECK_INT(naive.n_nodes, 2 * recipe.n_rows - 1);
        naive_clear(&naive);
        check_grown(&bench, 30);
        CHECK_INT(bench.grower.n_nodes, 2 * recipe.n_rows - 1);
        bench_close(&bench);
    }
}

static void check_same_below(const struct grow_node *nodes, uint32_t n, const struct grow_node *others, uint32_t m) {
    const struct engine_node *a = &nodes[n].work;
    const struct engine_node *b = &others[m].work;
    CHECK(a->split.gain == b->split.gain && a->split.feature == b->split.feature && a->split.bin == b->split.bin);
    CHECK(a->split.missing_left == b->split.missing_left && a->total.g == b->total.g && a->total.h == b->total.h);
    CHECK(a->rows.begin == b->rows.begin && a->rows.end == b->rows.end);
    CHECK_INT(nodes[n].left == 0, others[m].left == 0);
    if (nodes[n].left != 0 && others[m].left != 0) {
        check_same_below(nodes, nodes[n].left, others, others[m].left);
        check_same_below(nodes, nodes[n].left + 1, others, others[m].left + 1);
    }
}

/* Packed quanta are not exact, so compare threads with each other and the first split with what the naive tree takes.
 */
static void check_packed_trees(double split_noise) {
    struct grow_node *first = NULL;
    for (uint32_t k = 0; k < 8; k++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.max_max_depth = 10;
        options.split_noise = split_noise;
        options.tree_n_threads = (uint32_t[]){1, 2, 3, 7}[k / 2];
        struct data_recipe recipe = {.n_rows = 90000, .n_features = 3, .seed = 8, .missing = 0.05};
        REQUIRE(bench_open(&bench, recipe, options, 64));
        bench_grow(&bench, 10, k % 2 == 0 ? WITH_SUBTREES : WITHOUT_SUBTREES);
        CHECK_INT(bench.engine.packed, 1);
        CHECK(bench.grower.n_nodes > 1000);
        if (first == NULL) {
            first = calloc(bench.grower.n_nodes, sizeof *first);
            memcpy(first, bench.grower.nodes, bench.grower.n_nodes * sizeof *first);
            struct naive_tree naive = naive_make(&bench.fit, 1, NULL, NULL);
            CHECK_INT(first[0].work.split.feature, naive.nodes[0].feature);
            CHECK_INT(first[0].work.split.bin, naive.nodes[0].bin);
            naive_clear(&naive);
        }
        check_same_below(bench.grower.nodes, 0, first, 0);
        bench_close(&bench);
    }
    free(first);
}

static void packed_trees_do_not_depend_on_threads(void) {
    check_packed_trees(0.0);
    check_packed_trees(0.5);
}

int main(void) {
    RUN(trees_equal_naive_ones);
    RUN(few_histograms_grow_the_same_tree);
    RUN(wide_data_grow_the_same_tree);
    RUN(more_subtrees_than_histograms);
    RUN(small_batches_grow_the_same_tree);
    RUN(smaller_depths_fit);
    RUN(one_leaf_a_row);
    RUN(packed_trees_do_not_depend_on_threads);
    return check_report();
}
