/* The exact engine: sorted rows stay sorted and belong to their node, and splits are those of a histogram with a bin
 * for every value. */
#include "learner/tree/tree_exact.h"

#include "check.h"
#include "unit/learner/make_engine.h"

/* On every sampled feature the node has the rows that it has in `rows`, by code, equal codes by row number. */
static void check_sorted(const struct bench *bench, struct row_span span) {
    const struct tree_engine *engine = &bench->engine;
    const mxb_prepared *prepared = bench->fit.prepared;
    uint8_t *is_in = calloc(prepared->n_rows, 1);
    for (uint32_t i = span.begin; i < span.end; i++) {
        is_in[engine->rows[i]] = 1;
    }
    size_t n_wrong = 0;
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        const uint32_t *sorted = engine->sorted + f * prepared->n_rows;
        for (uint32_t i = span.begin; engine->is_column[f] && i < span.end; i++) {
            n_wrong += !is_in[sorted[i]];
            if (i > span.begin) {
                uint32_t before = naive_code(prepared, f, sorted[i - 1]);
                uint32_t code = naive_code(prepared, f, sorted[i]);
                n_wrong += before > code || (before == code && sorted[i - 1] >= sorted[i]);
            }
        }
    }
    CHECK_INT(n_wrong, 0);
    free(is_in);
}

/* Opened: its rows are sorted, its sum is known, and its split is that of a histogram with a bin for every value, as
 * far as one has bins enough. */
static void check_open(const struct bench *bench, const struct engine_node *node) {
    const mxb_prepared *prepared = bench->fit.prepared;
    check_sorted(bench, node->rows);
    CHECK(same_sum(node->total, naive_total_of(&bench->engine, node->rows)));
    int few_values = 1;
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        few_values &= prepared->bins[f].n_cuts < MXB__MAX_CUTS;
    }
    if (few_values) {
        struct split expected = naive_split_of(&bench->engine, node);
        CHECK(same_split(&node->split, &expected));
    }
}

/* Partitions the nodes in one call, row by row for comparison, and opens the children. */
static void check_partition(struct bench *bench, const struct family *families, size_t n) {
    struct tree_engine *engine = &bench->engine;
    uint32_t *expected = calloc(engine->n_sampled, sizeof *expected);
    uint32_t middles[8] = {0};
    memcpy(expected, engine->rows, engine->n_sampled * sizeof *expected);
    for (size_t k = 0; k < n; k++) {
        const struct engine_node *parent = families[k].parent;
        uint32_t at = parent->rows.begin;
        for (int left = 1; left >= 0; left--) {
            for (uint32_t i = parent->rows.begin; i < parent->rows.end; i++) {
                if (naive_side(bench->fit.prepared, &parent->split, engine->rows[i]) == left) {
                    expected[at++] = engine->rows[i];
                }
            }
            middles[k] = left ? at : middles[k];
        }
        *families[k].left = *families[k].right = (struct engine_node){.cells = NULL};
    }
    engine->ops->partition(engine, families, n);
    CHECK(memcmp(expected, engine->rows, engine->n_sampled * sizeof *expected) == 0);
    engine->ops->open_children(engine, families, n);
    for (size_t k = 0; k < n; k++) {
        CHECK_INT(families[k].left->rows.begin, families[k].parent->rows.begin);
        CHECK_INT(families[k].left->rows.end, middles[k]);
        CHECK_INT(families[k].right->rows.begin, middles[k]);
        CHECK_INT(families[k].right->rows.end, families[k].parent->rows.end);
        check_open(bench, families[k].left);
        check_open(bench, families[k].right);
    }
    free(expected);
}

static void check_several(size_t n_rows, uint32_t threads, double subsample, size_t n_distinct) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.tree_n_threads = threads;
    options.subsample = subsample;
    struct data_recipe recipe = {
        .n_rows = n_rows, .n_features = 5, .seed = n_rows, .missing = 0.15, .n_distinct = n_distinct};
    REQUIRE(bench_open(&bench, recipe, options, 0));
    bench_begin(&bench, 1);
    struct tree_engine *engine = &bench.engine;
    const struct feature_bins *bins = bench.fit.prepared->bins;
    uint32_t n = engine->n_sampled;
    CHECK_INT(n < n_rows, subsample < 1.0);
    struct engine_node nodes[7] = {{.rows = {0, n}}}; /* as in a heap: 2k + 1 and 2k + 2 are the children of k */
    struct engine_node below[3][2];
    engine->ops->open_root(engine, &nodes[0]);
    check_open(&bench, &nodes[0]);
    nodes[0].split = forced_split(engine, nodes[0].rows, 2, bins[2].n_cuts / 3, 1);
    check_partition(&bench, &(struct family){&nodes[0], &nodes[1], &nodes[2]}, 1);
    CHECK(nodes[1].rows.end > 0 && nodes[1].rows.end < n);
    nodes[1].split = forced_split(engine, nodes[1].rows, 0, 1, 0);
    nodes[2].split = forced_split(engine, nodes[2].rows, 4, bins[4].n_cuts, 0);
    struct family both[2] = {{&nodes[1], &nodes[3], &nodes[4]}, {&nodes[2], &nodes[5], &nodes[6]}};
    check_partition(&bench, both, 2);
    /* Out of order, one of them whole to one side. */
    nodes[6].split = forced_split(engine, nodes[6].rows, 1, 0, 1);
    nodes[3].split = forced_split(engine, nodes[3].rows, 3, bins[3].n_cuts, 1);
    nodes[5].split = forced_split(engine, nodes[5].rows, 3, bins[2].n_cuts / 3, 0);
    struct family others[3] = {{&nodes[6], &below[0][0], &below[0][1]},
                               {&nodes[3], &below[1][0], &below[1][1]},
                               {&nodes[5], &below[2][0], &below[2][1]}};
    check_partition(&bench, others, 3);
    CHECK_INT(below[1][0].rows.end, nodes[3].rows.end);
    bench_close(&bench);
}

static void partition_keeps_every_order(void) {
    const size_t counts[] = {40, 1000, 70000};
    for (size_t c = 0; c < 3; c++) {
        for (uint32_t threads = 1; threads <= 8;
             threads += threads < 3 ? 2 : 5) { /* below, near and above 5 features */
            check_several(counts[c], threads, 1.0, 0);
            check_several(counts[c], threads, 0.6, 7);
        }
    }
}

/* Only the sampled columns are kept in order, and only these are searched. */
static void columns_left_out_are_not_touched(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.colsample = 0.4;
    struct data_recipe recipe = {.n_rows = 200, .n_features = 10, .seed = 3};
    REQUIRE(bench_open(&bench, recipe, options, 0));
    for (uint32_t round = 1; round <= 20; round++) {
        memset(bench.engine.sorted, 0x5a, 10 * 200 * sizeof *bench.engine.sorted);
        bench_begin(&bench, round);
        struct engine_node root = {.rows = {0, 200}};
        bench.engine.ops->open_root(&bench.engine, &root);
        check_open(&bench, &root);
        CHECK(root.split.gain > 0.0 && bench.engine.is_column[root.split.feature]);
        for (uint32_t f = 0; f < 10; f++) {
            CHECK((bench.engine.sorted[f * 200] == 0x5a5a5a5au) == !bench.engine.is_column[f]);
        }
    }
    bench_close(&bench);
}

static void splits_are_those_of_a_histogram(void) {
    for (uint32_t seed = 1; seed <= 30; seed++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.lambda_l2 = seed % 2;
        options.min_child_weight = seed % 3 == 0 ? 4.0 : 0.0;
        options.subsample = seed % 4 == 0 ? 0.7 : 1.0;
        struct data_recipe recipe = {.n_rows = 50 + 20 * seed,
                                     .n_features = 6,
                                     .seed = seed,
                                     .missing = seed % 2 == 0 ? 0.3 : 0.0,
                                     .n_distinct = 2 + 8 * (seed % 9),
                                     .weighted = seed % 5 == 0};
        REQUIRE(bench_open(&bench, recipe, options, 0));
        bench_begin(&bench, seed);
        struct tree_engine *engine = &bench.engine;
        CHECK_INT(engine->packed, 0);
        struct engine_node nodes[3] = {{.rows = {0, engine->n_sampled}}};
        engine->ops->open_root(engine, &nodes[0]);
        check_open(&bench, &nodes[0]);
        REQUIRE(nodes[0].split.gain > 0.0);
        check_partition(&bench, &(struct family){&nodes[0], &nodes[1], &nodes[2]}, 1);
        bench_close(&bench);
    }
}

/* Many features: fewer nodes at once, but always a node's two children. */
static void batches_are_bounded(void) {
    const size_t features[] = {1, 3000, 600000};
    const size_t batches[] = {512, 349, 2};
    for (size_t k = 0; k < 3; k++) {
        mxb_prepared prepared = {.n_rows = 1000, .n_features = (uint32_t)features[k], .settings = {.exact = 1}};
        struct learner_options options = fit_options();
        struct fit_input input = {.prepared = &prepared, .options = &options};
        struct workspace workspace = {NULL, 0};
        struct tree_engine engine;
        options.max_max_depth = 20;
        mxb__engine_carve(&engine, &input, &workspace);
        CHECK_INT(engine.scratch.max_batch, batches[k]);
        CHECK_INT(engine.ops->room(&engine, 7), batches[k] / 2);
    }
}

int main(void) {
    RUN(partition_keeps_every_order);
    RUN(columns_left_out_are_not_touched);
    RUN(splits_are_those_of_a_histogram);
    RUN(batches_are_bounded);
    return check_report();
}
