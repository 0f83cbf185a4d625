/* What both engines share: the samples, the quanta, the bound on leaves, and the choice between them. */
#include "learner/tree/tree_engine.h"

#include "base/random.h"
#include "check.h"
#include "learner/tree/tree_exact.h"
#include "learner/tree/tree_histograms.h"
#include "unit/learner/make_engine.h"

static void row_sample_has_its_fraction(void) {
    const double fractions[] = {0.1, 0.5, 0.93};
    for (size_t k = 0; k < 3; k++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.subsample = fractions[k];
        REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 2000, .n_features = 1, .seed = 1}, options, 256));
        double n_all = 0.0;
        double times_in[2000] = {0};
        for (uint32_t round = 1; round <= 200; round++) {
            bench_begin(&bench, round);
            n_all += bench.engine.n_sampled;
            for (uint32_t i = 0; i < bench.engine.n_sampled; i++) {
                times_in[bench.engine.rows[i]]++;
                CHECK(i == 0 || bench.engine.rows[i] > bench.engine.rows[i - 1]);
            }
        }
        double spread = sqrt(fractions[k] * (1 - fractions[k]));
        CHECK_NEAR(n_all / (200.0 * 2000.0), fractions[k], 5.0 * spread / sqrt(200.0 * 2000.0));
        for (size_t i = 0; i < 2000; i++) {
            CHECK_NEAR(times_in[i] / 200.0, fractions[k], 6.0 * spread / sqrt(200.0));
        }
        bench_close(&bench);
    }
}

static void row_sample_is_never_empty(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.subsample = 1e-6;
    REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 5, .n_features = 1, .seed = 1}, options, 256));
    for (uint32_t round = 1; round <= 50; round++) {
        bench_begin(&bench, round);
        CHECK(bench.engine.n_sampled >= 1 && bench.engine.n_sampled <= 5);
        for (uint32_t i = 0; i < bench.engine.n_sampled; i++) {
            CHECK(bench.engine.rows[i] < 5);
        }
    }
    bench_close(&bench);
}

/* Over several blocks of rows, by one thread or more. */
static void row_sample_is_drawn_row_by_row(void) {
    for (uint32_t threads = 1; threads <= 3; threads++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.subsample = 0.3;
        options.tree_n_threads = threads;
        REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 100000, .n_features = 1, .seed = 1}, options, 256));
        bench_begin(&bench, 4);
        struct random_stream random = mxb__random_stream(options.seed, RANDOM_ROWS, 4);
        uint32_t n = 0;
        size_t n_wrong = 0;
        for (uint32_t i = 0; i < 100000; i++) {
            if (mxb__random_uniform(random, i) < 0.3) {
                n_wrong += n >= bench.engine.n_sampled || bench.engine.rows[n] != i;
                n++;
            }
        }
        CHECK_INT(n_wrong, 0);
        CHECK_INT(bench.engine.n_sampled, n);
        bench_close(&bench);
    }
}

static void column_sample_has_its_size(void) {
    const double fractions[] = {1e-9, 0.1, 0.25, 0.5, 0.99, 1.0};
    const uint32_t sizes[] = {1, 1, 3, 6, 11, 11}; /* of 11, nearest and at least one */
    for (size_t k = 0; k < 6; k++) {
        struct bench bench;
        struct learner_options options = fit_options();
        options.colsample = fractions[k];
        REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 10, .n_features = 11, .seed = 1}, options, 256));
        double times_in[11] = {0};
        for (uint32_t round = 1; round <= 2000; round++) {
            uint32_t n = 0;
            bench_begin(&bench, round);
            for (uint32_t f = 0; f < 11; f++) {
                CHECK(bench.engine.is_column[f] <= 1);
                n += bench.engine.is_column[f];
                times_in[f] += bench.engine.is_column[f];
            }
            CHECK_INT(n, sizes[k]);
        }
        double p = sizes[k] / 11.0;
        for (uint32_t f = 0; f < 11; f++) {
            CHECK_NEAR(times_in[f] / 2000.0, p, 5.0 * sqrt(p * (1 - p) / 2000.0) + 1e-12);
        }
        bench_close(&bench);
    }
}

/* Samples come from seed and round alone. */
static void samples_depend_on_seed_and_round(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.subsample = 0.5;
    REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 1000, .n_features = 2, .seed = 1}, options, 256));
    uint32_t rows[3][1000] = {{0}};
    const uint64_t seeds[3] = {1, 1, 2};
    const uint32_t rounds[3] = {7, 8, 7};
    for (size_t k = 0; k < 3; k++) {
        bench.fit.options.seed = seeds[k];
        bench_begin(&bench, rounds[k]);
        memcpy(rows[k], bench.engine.rows, bench.engine.n_sampled * sizeof rows[k][0]);
    }
    CHECK(memcmp(rows[0], rows[1], sizeof rows[0]) != 0);
    CHECK(memcmp(rows[0], rows[2], sizeof rows[0]) != 0);
    bench.fit.options.seed = 1;
    bench_begin(&bench, 7);
    CHECK(memcmp(rows[0], bench.engine.rows, bench.engine.n_sampled * sizeof rows[0][0]) == 0);
    bench_close(&bench);
}

static void leaves_are_bounded_by_depth_and_rows(void) {
    mxb_prepared prepared = {.n_rows = 100};
    struct learner_options options = fit_options();
    struct fit_input input = {.prepared = &prepared, .options = &options};
    options.max_max_depth = 3;
    CHECK_INT(mxb__engine_max_leaves(&input), 8);
    options.max_max_depth = 30;
    CHECK_INT(mxb__engine_max_leaves(&input), 100);
    prepared.n_rows = UINT32_MAX;
    CHECK_INT(mxb__engine_max_leaves(&input), 1 << 30);
}

static void the_data_chooses_the_engine(void) {
    for (uint32_t hist_nbins = 0; hist_nbins <= 256; hist_nbins += 256) {
        struct bench bench;
        struct data_recipe recipe = {.n_rows = 100, .n_features = 3, .seed = 1, .weighted = 1};
        struct learner_options options = fit_options();
        options.lambda_l2 = 3.0;
        options.min_child_weight = 0.25;
        REQUIRE(bench_open(&bench, recipe, options, hist_nbins));
        CHECK(bench.engine.ops == (hist_nbins == 0 ? &mxb__exact_engine : &mxb__histogram_engine));
        bench_begin(&bench, 1);
        CHECK(bench.engine.quanta.g_scale == bench.engine.wide_quanta.g_scale);
        CHECK(bench.engine.rules.lambda == 3.0 * bench.engine.quanta.h_scale * bench.engine.rules.unit);
        CHECK(bench.engine.rules.least_h == 0.25 * bench.engine.quanta.h_scale);
        bench_close(&bench);
    }
}

/* Rows and columns are the same for both. */
static void the_sample_does_not_depend_on_the_engine(void) {
    struct bench benches[2];
    struct learner_options options = fit_options();
    options.subsample = 0.6;
    options.colsample = 0.4;
    for (uint32_t exact = 0; exact < 2; exact++) {
        struct data_recipe recipe = {.n_rows = 300, .n_features = 9, .seed = 1};
        REQUIRE(bench_open(&benches[exact], recipe, options, exact ? 0 : 256));
    }
    for (uint32_t round = 1; round <= 20; round++) {
        const struct tree_engine *a = &benches[0].engine;
        const struct tree_engine *b = &benches[1].engine;
        bench_begin(&benches[0], round);
        bench_begin(&benches[1], round);
        REQUIRE(a->n_sampled == b->n_sampled);
        CHECK(memcmp(a->rows, b->rows, a->n_sampled * sizeof *a->rows) == 0);
        CHECK(memcmp(a->is_column, b->is_column, 9) == 0);
    }
    bench_close(&benches[0]);
    bench_close(&benches[1]);
}

int main(void) {
    RUN(row_sample_has_its_fraction);
    RUN(row_sample_is_never_empty);
    RUN(row_sample_is_drawn_row_by_row);
    RUN(column_sample_has_its_size);
    RUN(samples_depend_on_seed_and_round);
    RUN(leaves_are_bounded_by_depth_and_rows);
    RUN(the_data_chooses_the_engine);
    RUN(the_sample_does_not_depend_on_the_engine);
    return check_report();
}
