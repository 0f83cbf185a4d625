/* The exact engine: sorted rows stay sorted and belong to their node, and splits are those of a histogram with a bin
 * for every value. */
#include "learner/tree/tree_exact.h"

#include "check.h"
#include "unit/learner/make_engine.h"

static uint32_t code_of(const struct bench *bench, uint32_t feature, uint32_t row) {
    return bench->fit.prepared->codes[feature * bench->fit.prepared->n_rows + row];
}

/* On every sampled feature the node has the rows that it has in `rows`, by code, equal codes by row number. */
static void check_sorted(const struct bench *bench, struct engine_node node) {
    const struct tree_engine *engine = &bench->engine;
    const mxb_prepared *prepared = bench->fit.prepared;
    uint8_t *is_in = calloc(prepared->n_rows, 1);
    for (uint32_t i = node.begin; i < node.end; i++) {
        is_in[engine->rows[i]] = 1;
    }
    size_t n_wrong = 0;
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        const uint32_t *sorted = engine->sorted + f * prepared->n_rows;
        for (uint32_t i = node.begin; engine->is_column[f] && i < node.end; i++) {
            n_wrong += !is_in[sorted[i]];
            if (i > node.begin) {
                uint32_t before = code_of(bench, f, sorted[i - 1]);
                uint32_t code = code_of(bench, f, sorted[i]);
                n_wrong += before > code || (before == code && sorted[i - 1] >= sorted[i]);
            }
        }
    }
    CHECK_INT(n_wrong, 0);
    free(is_in);
}

/* Partitions the nodes in one call, row by row for comparison, and opens the children. */
static void check_partition(struct bench *bench, struct partition_request *requests, size_t n) {
    struct tree_engine *engine = &bench->engine;
    const mxb_prepared *prepared = bench->fit.prepared;
    uint32_t *expected = calloc(engine->n_sampled, sizeof *expected);
    uint32_t middles[8] = {0};
    struct engine_node children[8][2];
    struct open_request opens[8];
    memcpy(expected, engine->rows, engine->n_sampled * sizeof *expected);
    for (size_t r = 0; r < n; r++) {
        const struct split *split = &requests[r].split;
        uint32_t at = requests[r].node.begin;
        for (int left = 1; left >= 0; left--) {
            for (uint32_t i = requests[r].node.begin; i < requests[r].node.end; i++) {
                uint32_t code = code_of(bench, split->feature, engine->rows[i]);
                int is_missing = code == prepared->bins[split->feature].n_cuts + 1;
                if ((is_missing ? split->missing_left : code <= split->bin) == left) {
                    expected[at++] = engine->rows[i];
                }
            }
            middles[r] = left ? at : middles[r];
        }
    }
    engine->ops->partition(engine, requests, n);
    CHECK(memcmp(expected, engine->rows, engine->n_sampled * sizeof *expected) == 0);
    for (size_t r = 0; r < n; r++) {
        CHECK_INT(requests[r].middle, middles[r]);
        children[r][0] = (struct engine_node){requests[r].node.begin, requests[r].middle, MXB__NO_SLOT};
        children[r][1] = (struct engine_node){requests[r].middle, requests[r].node.end, MXB__NO_SLOT};
        opens[r] = (struct open_request){&requests[r].node, &children[r][0], &children[r][1]};
    }
    engine->ops->open_children(engine, opens, n);
    for (size_t r = 0; r < n; r++) {
        check_sorted(bench, children[r][0]);
        check_sorted(bench, children[r][1]);
    }
    free(expected);
}

static struct split split_on(uint32_t feature, uint32_t bin, uint8_t missing_left) {
    return (struct split){.gain = 1.0, .feature = feature, .bin = bin, .missing_left = missing_left};
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
    uint32_t n = bench.engine.n_sampled;
    CHECK_INT(n < n_rows, subsample < 1.0);
    struct engine_node root = {0, n, MXB__NO_SLOT};
    bench.engine.ops->open_root(&bench.engine, &root);
    check_sorted(&bench, root);
    uint32_t middle_code = bench.fit.prepared->bins[2].n_cuts / 3;
    struct partition_request whole = {.node = root, .split = split_on(2, middle_code, 1)};
    check_partition(&bench, &whole, 1);
    uint32_t middle = whole.middle;
    CHECK(middle > 0 && middle < n);
    struct partition_request children[2] = {
        {.node = {0, middle, 0}, .split = split_on(0, 1, 0)},
        {.node = {middle, n, 0}, .split = split_on(4, bench.fit.prepared->bins[4].n_cuts, 0)}};
    check_partition(&bench, children, 2);
    /* Out of order, one of them whole to one side. */
    struct partition_request others[3] = {
        {.node = {children[1].middle, n, 0}, .split = split_on(1, 0, 1)},
        {.node = {0, children[0].middle, 0}, .split = split_on(3, bench.fit.prepared->bins[3].n_cuts, 1)},
        {.node = {middle, children[1].middle, 0}, .split = split_on(3, middle_code, 0)}};
    check_partition(&bench, others, 3);
    CHECK_INT(others[1].middle, children[0].middle);
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
        struct split_request root = {.node = {0, 200, MXB__NO_SLOT}};
        bench.engine.ops->open_root(&bench.engine, &root.node);
        check_sorted(&bench, root.node);
        bench.engine.ops->find_splits(&bench.engine, &root, 1);
        CHECK(root.split.gain > 0.0 && bench.engine.is_column[root.split.feature]);
        for (uint32_t f = 0; f < 10; f++) {
            CHECK((bench.engine.sorted[f * 200] == 0x5a5a5a5au) == !bench.engine.is_column[f]);
        }
    }
    bench_close(&bench);
}

/* Cells of a node, a cell for every value: what a histogram would hold. */
static struct split split_of_cells(const struct bench *bench, struct engine_node node, struct gradient_sum total) {
    struct gradient_sum cells[6][MXB__CELLS] = {{{0, 0}}};
    struct feature_cells of_feature[6];
    double gains[6];
    for (uint32_t f = 0; f < 6; f++) {
        for (uint32_t i = node.begin; i < node.end; i++) {
            uint32_t row = bench->engine.rows[i];
            struct gradient_sum sum = naive_quanta(&bench->fit.input, bench->engine.wide_quanta, row);
            cells[f][code_of(bench, f, row)].g += sum.g;
            cells[f][code_of(bench, f, row)].h += sum.h;
        }
        of_feature[f] = mxb__feature_cells(cells[f], 0, &bench->fit.prepared->bins[f]);
        gains[f] = mxb__split_gain(&mxb__kernels_portable, &of_feature[f], total, &bench->engine.rules);
    }
    uint32_t best = mxb__split_choose(gains, 6);
    struct split split = {0};
    if (best < 6) {
        split = mxb__split_locate(&of_feature[best], total, &bench->engine.rules, gains[best]);
        split.feature = best;
    }
    return split;
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
        struct split_request root = {.node = {0, engine->n_sampled, MXB__NO_SLOT}};
        engine->ops->open_root(engine, &root.node);
        engine->ops->find_splits(engine, &root, 1);
        REQUIRE(root.split.gain > 0.0);
        struct partition_request whole = {.node = root.node, .split = root.split};
        check_partition(&bench, &whole, 1);
        struct split_request nodes[2] = {{.node = {whole.middle, engine->n_sampled, MXB__NO_SLOT}},
                                         {.node = {0, whole.middle, MXB__NO_SLOT}}};
        engine->ops->find_splits(engine, nodes, 2);
        for (int k = 0; k < 2; k++) {
            struct gradient_sum total = {0, 0};
            for (uint32_t i = nodes[k].node.begin; i < nodes[k].node.end; i++) {
                total.g += engine->sums[engine->rows[i]].g;
                total.h += engine->sums[engine->rows[i]].h;
            }
            struct split expected = split_of_cells(&bench, nodes[k].node, total);
            CHECK(nodes[k].total.g == total.g && nodes[k].total.h == total.h);
            CHECK(nodes[k].split.gain == expected.gain);
            CHECK(nodes[k].split.left.g == expected.left.g && nodes[k].split.left.h == expected.left.h);
            CHECK_INT(nodes[k].split.feature, expected.feature);
            CHECK_INT(nodes[k].split.bin, expected.bin);
            CHECK_INT(nodes[k].split.missing_left, expected.missing_left);
        }
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
        CHECK_INT(engine.max_batch, batches[k]);
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
