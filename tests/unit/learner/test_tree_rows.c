/* Partition and leaf sums over batches of nodes, against doing it row by row. */
#include "check.h"
#include "learner/tree/tree_histograms.h"
#include "unit/learner/make_engine.h"

static int bench_start(struct bench *bench, struct data_recipe recipe, uint32_t threads, double subsample) {
    struct learner_options options = fit_options();
    options.tree_n_threads = threads;
    options.subsample = subsample;
    if (!bench_open(bench, recipe, options, 256)) {
        return 0;
    }
    bench_begin(bench, 1);
    return 1;
}

static int goes_left(const mxb_prepared *prepared, const struct split *split, uint32_t row) {
    uint8_t code = prepared->columns[split->feature * prepared->n_rows + row];
    int missing = code == prepared->bins[split->feature].n_cuts + 1;
    return missing ? split->missing_left : code <= split->bin;
}

/* Partitions the nodes in one call and checks every row of them, and that no other row moved. */
static void check_partition(struct bench *bench, struct partition_request *requests, size_t n) {
    struct tree_engine *engine = &bench->engine;
    const mxb_prepared *prepared = bench->fit.prepared;
    uint32_t *expected = calloc(engine->n_sampled, sizeof *expected);
    uint32_t middles[8] = {0};
    memcpy(expected, engine->rows, engine->n_sampled * sizeof *expected);
    for (size_t r = 0; r < n; r++) {
        uint32_t at = requests[r].node.begin;
        for (int left = 1; left >= 0; left--) {
            for (uint32_t i = requests[r].node.begin; i < requests[r].node.end; i++) {
                if (goes_left(prepared, &requests[r].split, engine->rows[i]) == left) {
                    expected[at++] = engine->rows[i];
                }
            }
            middles[r] = left ? at : middles[r];
        }
    }
    mxb__rows_partition(engine, requests, n);
    CHECK(memcmp(expected, engine->rows, engine->n_sampled * sizeof *expected) == 0);
    for (size_t r = 0; r < n; r++) {
        CHECK_INT(requests[r].middle, middles[r]);
    }
    free(expected);
}

static struct split split_on(uint32_t feature, uint8_t bin, uint8_t missing_left) {
    return (struct split){.gain = 1.0, .feature = feature, .bin = bin, .missing_left = missing_left};
}

static void check_several(size_t n_rows, uint32_t threads, double subsample) {
    struct bench bench;
    struct data_recipe recipe = {.n_rows = n_rows, .n_features = 4, .seed = n_rows, .missing = 0.15};
    REQUIRE(bench_start(&bench, recipe, threads, subsample));
    uint32_t n = bench.engine.n_sampled;
    struct partition_request root = {.node = {0, n, 0}, .split = split_on(2, 100, 1)};
    check_partition(&bench, &root, 1);
    CHECK_INT(bench.engine.in_order, 0);
    uint32_t middle = root.middle;
    struct partition_request children[2] = {{.node = {0, middle, 0}, .split = split_on(0, 3, 0)},
                                            {.node = {middle, n, 0}, .split = split_on(3, 200, 0)}};
    check_partition(&bench, children, 2);
    /* Out of order, with one node left alone, one of one row, and one that goes to one side whole. */
    struct partition_request others[3] = {{.node = {n - 1, n, 0}, .split = split_on(1, 0, 1)},
                                          {.node = {1, n / 3, 0}, .split = split_on(1, 254, 1)},
                                          {.node = {n / 3, n / 2, 0}, .split = split_on(1, 120, 0)}};
    check_partition(&bench, others, 3);
    bench_close(&bench);
}

static void partition_equals_a_naive_one(void) {
    const size_t counts[] = {10, 1000, 32768, 32769, 100000};
    for (size_t c = 0; c < 5; c++) {
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            check_several(counts[c], threads, 1.0);
            check_several(counts[c], threads, 0.7);
        }
    }
}

static void no_nodes_are_fine(void) {
    struct bench bench;
    REQUIRE(bench_start(&bench, (struct data_recipe){.n_rows = 10, .n_features = 1, .seed = 1}, 1, 1.0));
    mxb__rows_partition(&bench.engine, NULL, 0);
    mxb__engine_leaf_sums(&bench.engine, NULL, 0);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_INT(bench.engine.rows[i], i);
    }
    bench_close(&bench);
}

/* Wide quanta also where the histograms are packed. */
static void check_leaf_sums(size_t n_rows, uint32_t threads, int packed) {
    struct bench bench;
    struct data_recipe recipe = {.n_rows = n_rows, .n_features = 2, .seed = 3, .weighted = !packed};
    REQUIRE(bench_start(&bench, recipe, threads, 1.0));
    CHECK_INT(bench.engine.packed, packed);
    struct partition_request root = {.node = {0, (uint32_t)n_rows, 0}, .split = split_on(1, 100, 0)};
    mxb__rows_partition(&bench.engine, &root, 1);
    uint32_t n = (uint32_t)n_rows;
    struct leaf_request leaves[3] = {
        {.node = {0, root.middle, 0}}, {.node = {root.middle, n - 1, 0}}, {.node = {n - 1, n, 0}}};
    mxb__engine_leaf_sums(&bench.engine, leaves, 3);
    for (size_t leaf = 0; leaf < 3; leaf++) {
        struct gradient_sum naive = {0, 0};
        long double g = 0;
        long double h = 0;
        for (uint32_t i = leaves[leaf].node.begin; i < leaves[leaf].node.end; i++) {
            size_t row = bench.engine.rows[i];
            struct gradient_sum sum = naive_quanta(&bench.fit.input, bench.engine.wide_quanta, row);
            naive.g += sum.g;
            naive.h += sum.h;
            g += (long double)bench.fit.g[row];
            h += (long double)bench.fit.h[row];
        }
        CHECK(naive.g == leaves[leaf].sum.g && naive.h == leaves[leaf].sum.h);
        CHECK_NEAR((double)naive.g / bench.engine.wide_quanta.g_scale, (double)g, 1e-13 * bench.fit.input.sum_abs_g);
        CHECK_NEAR((double)naive.h / bench.engine.wide_quanta.h_scale, (double)h, 1e-13 * bench.fit.input.sum_h);
    }
    bench_close(&bench);
}

/* Each row gets the value of its leaf, once. */
static void check_leaf_values(size_t n_rows, uint32_t threads) {
    struct bench bench;
    REQUIRE(bench_start(&bench, (struct data_recipe){.n_rows = n_rows, .n_features = 2, .seed = 4}, threads, 1.0));
    uint32_t n = (uint32_t)n_rows;
    struct partition_request root = {.node = {0, n, 0}, .split = split_on(0, 20, 0)};
    mxb__rows_partition(&bench.engine, &root, 1);
    struct leaf_request leaves[3] = {{.node = {0, root.middle, 0}, .value = 0.1},
                                     {.node = {root.middle, n - 1, 0}, .value = -7.0},
                                     {.node = {n - 1, n, 0}, .value = 3.0}};
    double *scores = calloc(n_rows, sizeof *scores);
    for (size_t i = 0; i < n_rows; i++) {
        scores[i] = (double)i / 3.0;
    }
    mxb__engine_add_leaves(&bench.engine, leaves, 3, scores);
    size_t n_wrong = 0;
    for (size_t leaf = 0; leaf < 3; leaf++) {
        for (uint32_t i = leaves[leaf].node.begin; i < leaves[leaf].node.end; i++) {
            uint32_t row = bench.engine.rows[i];
            n_wrong += scores[row] != (double)row / 3.0 + leaves[leaf].value;
        }
    }
    CHECK_INT(n_wrong, 0);
    free(scores);
    bench_close(&bench);
}

static void leaf_values_go_to_their_rows(void) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        check_leaf_values(200, threads);
        check_leaf_values(100000, threads);
    }
}

static void leaf_sums_equal_naive_ones(void) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        check_leaf_sums(200, threads, 0);
        check_leaf_sums(40000, threads, 0);
        check_leaf_sums(80000, threads, 1);
    }
}

int main(void) {
    RUN(partition_equals_a_naive_one);
    RUN(no_nodes_are_fine);
    RUN(leaf_sums_equal_naive_ones);
    RUN(leaf_values_go_to_their_rows);
    return check_report();
}
