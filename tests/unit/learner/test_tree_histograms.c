/* Histograms of open nodes, and the splits found in them, against sums over the rows one by one. */
#include "learner/tree/tree_histograms.h"

#include "check.h"
#include "learner/tree/tree_tiny.h"
#include "unit/learner/make_engine.h"

/* ---- one node ---- */

static struct gradient_sum cell_of(const struct tree_engine *engine, const struct engine_node *node, uint32_t field,
                                   size_t value) {
    size_t at = field * MXB__CELLS + value;
    if (!engine->packed) {
        return ((const struct gradient_sum *)(const void *)node->cells)[at];
    }
    uint64_t word = ((const uint64_t *)(const void *)node->cells)[at];
    int64_t h = (int64_t)(word & 0xffffffffu);
    return (struct gradient_sum){(int64_t)(word - (uint64_t)h) / ((int64_t)1 << 32), h};
}

/* The byte of a record, from the codes of the features that share it. */
static size_t value_of(const mxb_prepared *prepared, uint32_t field, uint32_t row) {
    size_t value = 0;
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        const struct feature_place *place = &prepared->fields.places[f];
        value += place->field == field ? place->stride * naive_code(prepared, f, row) : 0;
    }
    return value;
}

static int is_sampled(const struct tree_engine *engine, uint32_t field) {
    int sampled = 0;
    for (uint32_t f = 0; f < engine->input->prepared->n_features; f++) {
        sampled |= engine->is_column[f] && engine->input->prepared->fields.places[f].field == field;
    }
    return sampled;
}

/* All cells of a field: exactly in integers, and near the sums of the gradients themselves. */
static void check_field(const struct tree_engine *engine, const struct engine_node *node, uint32_t field,
                        double tolerance) {
    struct gradient_sum naive[256] = {{0, 0}};
    double g[256] = {0};
    double h[256] = {0};
    int n_wrong = 0;
    for (uint32_t i = node->rows.begin; i < node->rows.end; i++) {
        uint32_t row = engine->rows[i];
        size_t value = value_of(engine->input->prepared, field, row);
        naive[value].g += naive_row(engine, row).g;
        naive[value].h += naive_row(engine, row).h;
        g[value] += engine->input->g[row];
        h[value] += engine->input->h[row];
    }
    for (size_t value = 0; value < 256; value++) {
        struct gradient_sum cell = cell_of(engine, node, field, value);
        n_wrong += !same_sum(cell, naive[value]);
        CHECK_NEAR((double)cell.g / engine->quanta.g_scale, g[value], tolerance * engine->input->sum_abs_g);
        CHECK_NEAR((double)cell.h / engine->quanta.h_scale, h[value], tolerance * engine->input->sum_h);
    }
    CHECK_INT(n_wrong, 0);
}

/* An open node: the cells of its sampled fields unless it is tiny, its sum, and its split. */
static void check_open(const struct tree_engine *engine, const struct engine_node *node, double tolerance) {
    CHECK_INT(node->cells == NULL, mxb__span_rows(node->rows) <= MXB__TINY_ROWS);
    for (uint32_t field = 0; node->cells != NULL && field < engine->input->prepared->fields.n; field++) {
        if (is_sampled(engine, field)) {
            check_field(engine, node, field, tolerance);
        }
    }
    CHECK(same_sum(node->total, naive_total_of(engine, node->rows)));
    struct split expected = naive_split_of(engine, node);
    CHECK(same_split(&node->split, &expected));
}

/* ---- a tree ---- */

enum { MAX_NODES = 15 };

struct opened {
    struct bench *bench;
    double tolerance;
    struct engine_node nodes[MAX_NODES]; /* as in a heap: 2k + 1 and 2k + 2 are the children of k */
};

/* Every histogram is in one node or on the stack. */
static void check_none_lost(const struct opened *opened) {
    const struct tree_engine *engine = &opened->bench->engine;
    const struct engine_scratch *scratch = &engine->scratch;
    size_t bytes = engine->n_cells * (engine->packed ? sizeof(uint64_t) : sizeof(struct gradient_sum));
    int *n_times = calloc(scratch->n_histograms, sizeof *n_times);
    size_t n_wrong = 0;
    for (size_t i = 0; i < scratch->n_unused + MAX_NODES; i++) {
        const char *cells = i < MAX_NODES ? opened->nodes[i].cells : scratch->unused[i - MAX_NODES];
        if (cells != NULL) {
            size_t number = (size_t)(cells - scratch->cells) / bytes;
            int is_one = number < scratch->n_histograms && cells == scratch->cells + number * bytes;
            n_wrong += !is_one || n_times[number]++ > 0;
        }
    }
    for (size_t i = 0; i < scratch->n_histograms; i++) {
        n_wrong += n_times[i] != 1;
    }
    CHECK_INT(n_wrong, 0);
    free(n_times);
}

/* The lowest split on the feature with at least so many rows on the left. */
static void split_off(struct opened *opened, size_t k, uint32_t feature, uint32_t n_left) {
    const struct tree_engine *engine = &opened->bench->engine;
    const mxb_prepared *prepared = opened->bench->fit.prepared;
    uint32_t n_of_code[MXB__MAX_BINS] = {0};
    struct engine_node *node = &opened->nodes[k];
    for (uint32_t i = node->rows.begin; i < node->rows.end; i++) {
        n_of_code[naive_code(prepared, feature, engine->rows[i])]++;
    }
    uint32_t bin = 0;
    for (uint32_t n = n_of_code[0]; n < n_left && bin + 1 < prepared->bins[feature].n_cuts; n += n_of_code[bin]) {
        bin++;
    }
    node->split = forced_split(engine, node->rows, feature, bin, k % 2 == 0);
}

/* Divides the nodes in one call. */
static void check_children(struct opened *opened, const size_t *parents, size_t n) {
    struct tree_engine *engine = &opened->bench->engine;
    struct engine_node *nodes = opened->nodes;
    struct family families[4] = {{NULL, NULL, NULL}};
    for (size_t i = 0; i < n; i++) {
        size_t k = parents[i];
        families[i] = (struct family){&nodes[k], &nodes[2 * k + 1], &nodes[2 * k + 2]};
    }
    engine->ops->partition(engine, families, n);
    engine->ops->open_children(engine, families, n);
    for (size_t i = 0; i < n; i++) {
        CHECK(families[i].parent->cells == NULL);
        check_open(engine, families[i].left, opened->tolerance);
        check_open(engine, families[i].right, opened->tolerance);
    }
    check_none_lost(opened);
}

/* A root, its children, then balanced and unbalanced families in one call, some with tiny children. */
static void check_histograms(struct bench *bench, uint32_t round, double tolerance) {
    struct tree_engine *engine = &bench->engine;
    struct opened opened = {bench, tolerance, {{.cells = NULL}}};
    struct engine_node *nodes = opened.nodes;
    uint32_t last = bench->fit.prepared->n_features - 1;
    bench_begin(bench, round);
    uint32_t n = engine->n_sampled;
    nodes[0].rows = (struct row_span){0, n};
    engine->ops->open_root(engine, &nodes[0]);
    check_open(engine, &nodes[0], tolerance);
    check_none_lost(&opened);

    split_off(&opened, 0, 0, n / 3);
    check_children(&opened, (size_t[]){0}, 1);
    split_off(&opened, 1, last, 60);
    split_off(&opened, 2, last / 2, n / 3);
    check_children(&opened, (size_t[]){2, 1}, 2);
    split_off(&opened, 3, 1, 30); /* both tiny where the root is not large */
    split_off(&opened, 4, 1, 1);
    split_off(&opened, 5, 0, n / 10);
    split_off(&opened, 6, 1, n / 5);
    check_children(&opened, (size_t[]){3, 4, 5, 6}, 4);
    for (size_t k = 0; k < MAX_NODES; k++) {
        engine->ops->close(engine, &nodes[k]);
    }
    CHECK_INT(engine->scratch.n_unused, engine->scratch.n_histograms);
    check_none_lost(&opened);
}

static void wide_histograms_equal_naive_ones(void) {
    for (uint32_t seed = 1; seed <= 8; seed++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.tree_n_threads = 1 + seed % 3;
        options.subsample = seed > 4 ? 0.6 : 1.0;
        options.colsample = seed > 4 ? 0.4 : 1.0;
        struct data_recipe recipe = {.n_rows = 3000,
                                     .n_features = 19,
                                     .seed = seed,
                                     .missing = 0.1,
                                     .n_distinct = seed % 4 == 3 ? 5 : 0,
                                     .weighted = seed % 2 == 0};
        REQUIRE(bench_open(&bench, recipe, options, 256));
        CHECK(seed % 4 == 3 ? bench.fit.prepared->fields.n < 19 : bench.fit.prepared->fields.n == 19);
        check_histograms(&bench, seed, 1e-13);
        CHECK_INT(bench.engine.packed, 0);
        bench_close(&bench);
    }
}

/* Large nodes are built by all threads together, others beside them in the same call by one. */
static void packed_histograms_equal_naive_ones(void) {
    for (uint32_t threads = 1; threads <= 3; threads++) {
        for (int sampled = 0; sampled < 2; sampled++) {
            struct bench bench;
            struct learner_options options = fit_options();
            options.tree_n_threads = threads;
            options.subsample = sampled ? 0.9 : 1.0;
            struct data_recipe recipe = {.n_rows = 100001, .n_features = 3, .seed = 9, .missing = 0.05};
            REQUIRE(bench_open(&bench, recipe, options, 256));
            check_histograms(&bench, 1, 1e-5);
            CHECK_INT(bench.engine.packed, 1);
            bench_close(&bench);
        }
    }
}

/* Gradients with a long tail stay wide, also where a node is built together. */
static void wide_histograms_of_many_rows(void) {
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.tree_n_threads = threads;
        struct data_recipe recipe = {.n_rows = 70000, .n_features = 2, .seed = 10, .wild = 1, .weighted = 1};
        REQUIRE(bench_open(&bench, recipe, options, 256));
        check_histograms(&bench, 1, 1e-13);
        CHECK_INT(bench.engine.packed, 0);
        bench_close(&bench);
    }
}

/* Several panels of records, the last one not full, and with few columns sampled groups that do not lie side by side.
 */
static void many_features(void) {
    for (uint32_t k = 0; k < 8; k++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.tree_n_threads = 1 + k % 3;
        options.colsample = k % 2 == 0 ? 1.0 : 0.04;
        struct data_recipe recipe = {
            .n_rows = k < 6 ? 600 : 66000, .n_features = k < 6 ? 107 : 37, .seed = k, .n_distinct = k == 5 ? 12 : 0};
        REQUIRE(bench_open(&bench, recipe, options, 64));
        check_histograms(&bench, k, k < 6 ? 1e-13 : 1e-5);
        CHECK_INT(bench.engine.packed, k >= 6);
        CHECK(bench.engine.n_groups <= (k % 2 == 0 ? 14 : 5));
        bench_close(&bench);
    }
}

static void splits_are_those_of_the_cells(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.colsample = 0.5;
    options.lambda_l2 = 2.0;
    options.min_child_weight = 5.0;
    struct data_recipe recipe = {.n_rows = 500, .n_features = 9, .seed = 4, .missing = 0.2, .n_distinct = 12};
    REQUIRE(bench_open(&bench, recipe, options, 256));
    struct tree_engine *engine = &bench.engine;
    for (uint32_t round = 1; round < 20; round++) {
        bench_begin(&bench, round);
        struct engine_node nodes[3] = {{.rows = {0, 500}}};
        struct family family = {&nodes[0], &nodes[1], &nodes[2]};
        engine->ops->open_root(engine, &nodes[0]);
        REQUIRE(nodes[0].split.gain > 0.0);
        check_open(engine, &nodes[0], 1e-13);
        engine->ops->partition(engine, &family, 1);
        engine->ops->open_children(engine, &family, 1);
        for (size_t k = 1; k < 3; k++) {
            check_open(engine, &nodes[k], 1e-13);
            REQUIRE(nodes[k].split.gain > 0.0);
            CHECK(engine->is_column[nodes[k].split.feature]);
        }
        CHECK_NEAR(engine->rules.lambda, 2.0 * engine->quanta.h_scale * engine->rules.unit, 0.0);
        CHECK_NEAR(engine->rules.least_h, 5.0 * engine->quanta.h_scale, 0.0);
    }
    bench_close(&bench);
}

/* Exactly those with a sampled column, ascending. */
static void groups_hold_the_sampled_columns(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.colsample = 0.1;
    REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 50, .n_features = 27, .seed = 1}, options, 256));
    CHECK_INT(bench.fit.prepared->fields.n, 27);
    for (uint32_t round = 1; round <= 200; round++) {
        bench_begin(&bench, round);
        uint32_t n = 0;
        for (uint32_t group = 0; group < 4; group++) {
            int used = 0;
            for (uint32_t field = 8 * group; field < 27 && field < 8 * group + 8; field++) {
                used |= is_sampled(&bench.engine, field);
            }
            CHECK(!used || (n < bench.engine.n_groups && bench.engine.groups[n] == group));
            n += used ? 1 : 0;
        }
        CHECK_INT(bench.engine.n_groups, n);
    }
    bench_close(&bench);
}

/* ---- how many ---- */

/* One a level, or as many as there can be nodes that are not tiny; more where they are of use and within the budget. */
static void there_are_enough_histograms(void) {
    const struct {
        uint32_t n_rows, n_fields, depth, threads;
        size_t n_histograms, n_engines, of_thread;
    } cases[] = {{MXB__TINY_ROWS, 8, 6, 1, 24, 1, 0},
                 {MXB__TINY_ROWS + 1, 8, 6, 1, 24 + 1, 1, 1},
                 {4 * MXB__TINY_ROWS, 8, 6, 1, 32 + 3, 1, 3},
                 {100000, 8, 6, 2, 32 + 7, 2, 7},
                 {100000, 8, 0, 2, 1, 2, 1},
                 {100000, 1128, 6, 2, 14, 2, 7},
                 {100000, 1128, 6, 3, 14, 0, 0},
                 {100000, 100000, 6, 1, 7, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mxb_prepared prepared = {
            .n_rows = cases[k].n_rows, .n_features = cases[k].n_fields, .fields = {.n = cases[k].n_fields}};
        struct learner_options options = fit_options();
        struct fit_input input = {.prepared = &prepared, .options = &options};
        struct workspace workspace = {NULL, 0};
        struct tree_engine engine;
        options.max_max_depth = cases[k].depth;
        options.tree_n_threads = cases[k].threads;
        mxb__engine_carve(&engine, &input, &workspace);
        CHECK_INT(engine.scratch.n_histograms, cases[k].n_histograms);
        CHECK_INT(engine.n_engines, cases[k].n_engines);
        /* A subtree's root brings a histogram along, so there may be room for one more than those of the thread. */
        CHECK(engine.thread_batch >= 2 * (cases[k].of_thread + 1) || engine.n_engines == 0);
        engine.scratch.n_unused = 5;
        CHECK_INT(engine.ops->room(&engine, 0), 5);
        CHECK_INT(engine.ops->room(&engine, 4), 1);
        CHECK_INT(engine.ops->room(&engine, 7), 0);
    }
}

/* Many features are shared out among the threads, so these take no histograms of their own. */
static void many_features_take_no_cells_for_every_thread(void) {
    mxb_prepared prepared = {.n_rows = 20000, .n_features = 65000, .fields = {.n = 65000}};
    struct learner_options options = fit_options();
    struct fit_input input = {.prepared = &prepared, .options = &options};
    size_t used[2];
    for (uint32_t k = 0; k < 2; k++) {
        struct workspace workspace = {NULL, 0};
        struct tree_engine engine;
        options.tree_n_threads = k == 0 ? 1 : 64;
        mxb__engine_carve(&engine, &input, &workspace);
        used[k] = workspace.used;
    }
    CHECK(used[1] < used[0] + used[0] / 10);
}

/* The scratch of threads that have nothing to do is left alone: with many it would cost more than a small tree. */
static void idle_threads_touch_no_memory(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.tree_n_threads = 200;
    CHECK(bench_open(&bench, (struct data_recipe){.n_rows = 30, .n_features = 3, .seed = 1}, options, 256));
    for (uint32_t round = 1; round <= 2; round++) {
        struct engine_node root = {.rows = {0, 30}};
        bench_begin(&bench, round);
        bench.engine.ops->open_root(&bench.engine, &root);
        CHECK(root.split.gain > 0.0);
        for (size_t t = 1; t < options.tree_n_threads; t++) {
            CHECK(bench.engine.tiny_cells[t].is_seen[0][0] == 0x5a5a5a5a5a5a5a5au);
        }
    }
    bench_close(&bench);
}

int main(void) {
    RUN(wide_histograms_equal_naive_ones);
    RUN(packed_histograms_equal_naive_ones);
    RUN(wide_histograms_of_many_rows);
    RUN(many_features);
    RUN(splits_are_those_of_the_cells);
    RUN(groups_hold_the_sampled_columns);
    RUN(there_are_enough_histograms);
    RUN(many_features_take_no_cells_for_every_thread);
    RUN(idle_threads_touch_no_memory);
    return check_report();
}
