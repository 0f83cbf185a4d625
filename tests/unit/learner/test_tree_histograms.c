/* Histograms, slots and the split search, against sums over the rows one by one. */
#include "learner/tree/tree_histograms.h"

#include "check.h"
#include "unit/learner/make_engine.h"

static struct gradient_sum cell_of(const struct tree_engine *engine, uint32_t slot, uint32_t feature, size_t code) {
    size_t at = slot * engine->n_cells + feature * MXB__CELLS + code;
    if (!engine->packed) {
        return ((const struct gradient_sum *)(const void *)engine->slots)[at];
    }
    uint64_t word = ((const uint64_t *)(const void *)engine->slots)[at];
    int64_t h = (int64_t)(word & 0xffffffffu);
    return (struct gradient_sum){(int64_t)(word - (uint64_t)h) / ((int64_t)1 << 32), h};
}

static struct gradient_sum row_of(const struct tree_engine *engine, size_t row) {
    if (!engine->packed) {
        return naive_quanta(engine->input, engine->quanta, row);
    }
    int64_t h = (int64_t)(engine->words[row] & 0xffffffffu);
    return (struct gradient_sum){(int64_t)(engine->words[row] - (uint64_t)h) / ((int64_t)1 << 32), h};
}

/* All cells of all sampled columns: exactly in integers, and near the sums of the gradients themselves. */
static void check_histogram(const struct tree_engine *engine, struct engine_node node, double tolerance) {
    const mxb_prepared *prepared = engine->input->prepared;
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        if (!engine->is_column[f]) {
            continue;
        }
        struct gradient_sum naive[256] = {{0, 0}};
        double g[256] = {0};
        double h[256] = {0};
        for (uint32_t i = node.begin; i < node.end; i++) {
            size_t row = engine->rows[i];
            uint8_t code = prepared->columns[f * prepared->n_rows + row];
            naive[code].g += row_of(engine, row).g;
            naive[code].h += row_of(engine, row).h;
            g[code] += engine->input->g[row];
            h[code] += engine->input->h[row];
        }
        for (size_t code = 0; code < 256; code++) {
            struct gradient_sum cell = cell_of(engine, node.slot, f, code);
            CHECK(cell.g == naive[code].g && cell.h == naive[code].h);
            CHECK_NEAR((double)cell.g / engine->quanta.g_scale, g[code], tolerance * engine->input->sum_abs_g);
            CHECK_NEAR((double)cell.h / engine->quanta.h_scale, h[code], tolerance * engine->input->sum_h);
        }
    }
}

/* A root, its smaller child built and the other by subtraction, and several nodes in one call. */
static void check_histograms(struct bench *bench, uint32_t round, double tolerance) {
    struct tree_engine *engine = &bench->engine;
    bench_begin(bench, round);
    uint32_t n = engine->n_sampled;
    struct engine_node root = {0, n, mxb__slot_take(engine)};
    struct histogram_request request = {root, MXB__NO_SLOT};
    mxb__histograms_build(engine, &request, 1);
    check_histogram(engine, root, tolerance);

    uint32_t middle = n / 3;
    struct engine_node left = {0, middle, mxb__slot_take(engine)};
    struct engine_node right = {middle, n, root.slot};
    request = (struct histogram_request){left, right.slot};
    mxb__histograms_build(engine, &request, 1);
    check_histogram(engine, left, tolerance);
    check_histogram(engine, right, tolerance);

    struct engine_node a = {0, middle / 4, mxb__slot_take(engine)};
    struct engine_node b = {middle / 4, middle, left.slot};
    struct engine_node c = {middle, n - 1, mxb__slot_take(engine)};
    struct engine_node d = {n - 1, n, right.slot};
    struct histogram_request both[] = {{a, b.slot}, {c, d.slot}};
    mxb__histograms_build(engine, both, 2);
    check_histogram(engine, a, tolerance);
    check_histogram(engine, b, tolerance);
    check_histogram(engine, c, tolerance);
    check_histogram(engine, d, tolerance);
}

static void wide_histograms_equal_naive_ones(void) {
    for (uint32_t seed = 1; seed <= 4; seed++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.tree_n_threads = seed % 2 == 0 ? 3 : 1;
        options.subsample = seed > 2 ? 0.6 : 1.0;
        options.colsample = seed > 2 ? 0.4 : 1.0;
        struct data_recipe recipe = {
            .n_rows = 3000, .n_features = 19, .seed = seed, .missing = 0.1, .weighted = seed > 1};
        REQUIRE(bench_open(&bench, recipe, options, 256));
        check_histograms(&bench, seed, 1e-13);
        CHECK_INT(bench.engine.packed, 0);
        CHECK_INT(bench.engine.in_order, bench.engine.n_sampled == 3000);
        bench_close(&bench);
    }
}

/* Nodes of more than 65536 rows are built by all threads together. */
static void packed_histograms_equal_naive_ones(void) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
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
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
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
        struct engine_node nodes[2] = {{0, 300, mxb__slot_take(engine)}, {300, 500, mxb__slot_take(engine)}};
        struct histogram_request histograms[2] = {{nodes[0], MXB__NO_SLOT}, {nodes[1], MXB__NO_SLOT}};
        struct split_request splits[2] = {{.node = nodes[0]}, {.node = nodes[1]}};
        mxb__histograms_build(engine, histograms, 2);
        engine->ops->find_splits(engine, splits, 2);
        for (int i = 0; i < 2; i++) {
            struct gradient_sum total = {0, 0};
            for (uint32_t r = nodes[i].begin; r < nodes[i].end; r++) {
                total.g += row_of(engine, engine->rows[r]).g;
                total.h += row_of(engine, engine->rows[r]).h;
            }
            CHECK(splits[i].total.g == total.g && splits[i].total.h == total.h);
            struct gradient_sum cells[9][MXB__CELLS];
            double gains[9] = {0};
            for (uint32_t f = 0; f < 9; f++) {
                for (size_t code = 0; code < MXB__CELLS; code++) {
                    cells[f][code] =
                        engine->is_column[f] ? cell_of(engine, nodes[i].slot, f, code) : (struct gradient_sum){0, 0};
                }
                if (engine->is_column[f]) {
                    struct feature_cells found = mxb__feature_cells(cells[f], 0, &bench.fit.prepared->bins[f]);
                    gains[f] = mxb__split_gain(&mxb__kernels_portable, &found, total, &engine->rules);
                }
            }
            uint32_t best = mxb__split_choose(gains, 9);
            REQUIRE(best < 9);
            struct feature_cells best_cells = mxb__feature_cells(cells[best], 0, &bench.fit.prepared->bins[best]);
            struct split expected = mxb__split_locate(&best_cells, total, &engine->rules, gains[best]);
            CHECK(splits[i].split.gain == expected.gain);
            CHECK(splits[i].split.left.g == expected.left.g && splits[i].split.left.h == expected.left.h);
            CHECK_INT(splits[i].split.feature, best);
            CHECK_INT(splits[i].split.bin, expected.bin);
            CHECK_INT(splits[i].split.missing_left, expected.missing_left);
            CHECK(engine->is_column[splits[i].split.feature]);
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
    REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 10, .n_features = 27, .seed = 1}, options, 256));
    for (uint32_t round = 1; round <= 200; round++) {
        bench_begin(&bench, round);
        uint32_t n = 0;
        for (uint32_t group = 0; group < 4; group++) {
            int used = 0;
            for (uint32_t f = 8 * group; f < 27 && f < 8 * group + 8; f++) {
                used |= bench.engine.is_column[f];
            }
            CHECK(!used || (n < bench.engine.n_groups && bench.engine.groups[n] == group));
            n += used ? 1 : 0;
        }
        CHECK_INT(bench.engine.n_groups, n);
    }
    bench_close(&bench);
}

/* ---- slots ---- */

static void slots_are_handed_out_once(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.max_max_depth = 4;
    REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 100, .n_features = 2, .seed = 1}, options, 256));
    bench_begin(&bench, 1);
    size_t n = bench.engine.n_slots;
    CHECK(n >= 5 && n <= 64);
    CHECK_INT(bench.engine.n_free, n);
    int taken[64] = {0};
    for (size_t i = 0; i < n && n <= 64; i++) {
        uint32_t slot = mxb__slot_take(&bench.engine);
        REQUIRE(slot < n);
        CHECK_INT(taken[slot]++, 0);
    }
    CHECK_INT(bench.engine.n_free, 0);
    mxb__slot_return(&bench.engine, 2);
    CHECK_INT(mxb__slot_take(&bench.engine), 2);
    bench_begin(&bench, 2);
    CHECK_INT(bench.engine.n_free, n);
    bench_close(&bench);
}

int main(void) {
    RUN(wide_histograms_equal_naive_ones);
    RUN(packed_histograms_equal_naive_ones);
    RUN(wide_histograms_of_many_rows);
    RUN(splits_are_those_of_the_cells);
    RUN(groups_hold_the_sampled_columns);
    RUN(slots_are_handed_out_once);
    return check_report();
}
