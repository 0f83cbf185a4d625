/* The sample of rows that a projection's drawing looks at: which rows, and the median of their distances, against plain
 * searches and sorts. */
#include "learner/fourier/row_sample.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"
#include "unit/learner/make_features.h"

/* Opens a case on rows of the recipe with the weights (NULL: as the recipe says). */
static int open_rows(struct fit_case *fit, struct data_recipe recipe, const double *weights, uint64_t seed) {
    struct learner_options options = fit_options();
    struct made_data data = data_make(recipe);
    options.seed = seed;
    if (weights != NULL) {
        mxb_dataset_free(data.dataset);
        free(data.weights);
        data.weights = calloc(recipe.n_rows, sizeof *data.weights);
        memcpy(data.weights, weights, recipe.n_rows * sizeof *weights);
        if (!data_view(&data)) {
            return 0;
        }
    }
    return fit_open(fit, data, options, 256, SCALING_RANK);
}

static mxb_status take_sample(struct fit_case *fit, struct row_sample *sample) {
    fit->input.options = &fit->options;
    return mxb__row_sample_init(sample, &fit->input, NULL);
}

static double weight_of(const struct fit_case *fit, size_t row) {
    return fit->prepared->labels.weights == NULL ? 1.0 : fit->prepared->labels.weights[row];
}

/* ---- which rows ---- */

static void few_rows_are_all_there(void) {
    for (size_t n = 1; n <= MXB__ALL_ROWS; n += 7) {
        struct fit_case fit;
        struct row_sample sample;
        REQUIRE(open_rows(&fit, (struct data_recipe){.n_rows = n, .n_features = 3, .seed = n, .weighted = n % 2 == 0},
                          NULL, 5));
        REQUIRE(take_sample(&fit, &sample) == MXB_OK);
        float *inputs = naive_inputs(&fit, fit.prepared->view);
        CHECK_INT(sample.n_rows, n);
        CHECK_INT(sample.is_drawn, 0);
        CHECK(memcmp(sample.inputs, inputs, n * 3 * sizeof *inputs) == 0);
        for (size_t i = 0; i < n; i++) {
            CHECK(sample.weights[i] > 0.0 && sample.weights[i] <= 1.0);
            CHECK_NEAR(sample.weights[i] / sample.weights[0], weight_of(&fit, i) / weight_of(&fit, 0),
                       1e-15 * weight_of(&fit, i) / weight_of(&fit, 0));
        }
        free(inputs);
        mxb__row_sample_clear(&sample);
        fit_close(&fit);
    }
}

/* The row at which the running weight first exceeds the target, each time from the first row on. */
static size_t naive_draw(const struct fit_case *fit, size_t k) {
    double even = mxb__random_uniform(mxb__random_stream(fit->options.seed, RANDOM_SAMPLE, 0), k);
    double target = ((double)k + even) / MXB__SAMPLE_ROWS * fit->prepared->labels.sum;
    double sum = 0.0;
    size_t row = 0;
    for (;; row++) {
        sum += weight_of(fit, row);
        if (sum > target || row + 1 == fit->prepared->n_rows) {
            return row;
        }
    }
}

static void many_rows_are_drawn_by_weight(void) {
    const size_t sizes[] = {MXB__ALL_ROWS + 1, 300, 512, 5000};
    for (size_t k = 0; k < 8; k++) {
        struct fit_case fit;
        struct row_sample sample;
        struct data_recipe recipe = {.n_rows = sizes[k / 2], .n_features = 2, .seed = k, .weighted = k % 2 == 1};
        REQUIRE(open_rows(&fit, recipe, NULL, k));
        REQUIRE(take_sample(&fit, &sample) == MXB_OK);
        float *inputs = naive_inputs(&fit, fit.prepared->view);
        CHECK_INT(sample.n_rows, MXB__SAMPLE_ROWS);
        CHECK_INT(sample.is_drawn, 1);
        for (size_t i = 0; i < MXB__SAMPLE_ROWS; i++) {
            CHECK(memcmp(sample.inputs + 2 * i, inputs + 2 * naive_draw(&fit, i), 2 * sizeof *inputs) == 0);
            CHECK(sample.weights[i] == sample.weights[0]);
        }
        free(inputs);
        mxb__row_sample_clear(&sample);
        fit_close(&fit);
    }
}

/* ---- distances ---- */

static double median_of(const struct row_sample *sample, const double *metric, uint64_t seed) {
    double median = -1.0;
    CHECK_INT(mxb__row_sample_median(sample, metric, seed, &median, NULL), MXB_OK);
    return median;
}

static double naive_distance(const struct row_sample *sample, const double *metric, size_t a, size_t b) {
    double sum = 0.0;
    for (size_t f = 0; f < sample->n_features; f++) {
        double x = (double)sample->inputs[a * sample->n_features + f];
        double y = (double)sample->inputs[b * sample->n_features + f];
        sum += (metric[f] * (x - y)) * (metric[f] * (x - y));
    }
    return sum;
}

/* The weight of pairs that are at most so far apart, or of all that differ; without a sort. */
struct naive_pairs {
    size_t n;
    double distances[MXB__ALL_ROWS * MXB__ALL_ROWS];
    double weights[MXB__ALL_ROWS * MXB__ALL_ROWS];
};

static double naive_median(const struct naive_pairs *pairs) {
    double total = 0.0, median = HUGE_VAL;
    for (size_t k = 0; k < pairs->n; k++) {
        total += pairs->distances[k] > 0.0 ? pairs->weights[k] : 0.0;
    }
    for (size_t k = 0; k < pairs->n; k++) {
        double up_to = 0.0;
        for (size_t i = 0; i < pairs->n; i++) {
            int counts = pairs->distances[i] > 0.0 && pairs->distances[i] <= pairs->distances[k];
            up_to += counts ? pairs->weights[i] : 0.0;
        }
        if (pairs->distances[k] > 0.0 && up_to >= total / 2) {
            median = fmin(median, pairs->distances[k]);
        }
    }
    return total > 0.0 ? median : 0.0;
}

static double naive_sample_median(const struct row_sample *sample, const double *metric, uint64_t seed) {
    static struct naive_pairs pairs;
    struct random_stream stream = mxb__random_stream(seed, RANDOM_PAIRS, 0);
    pairs.n = 0;
    if (sample->is_drawn) {
        for (uint64_t k = 0; k < MXB__SAMPLE_PAIRS; k++) {
            size_t a = (size_t)(512 * mxb__random_uniform(stream, 2 * k));
            size_t b = (size_t)(512 * mxb__random_uniform(stream, 2 * k + 1));
            pairs.distances[pairs.n] = naive_distance(sample, metric, a, b);
            pairs.weights[pairs.n++] = 1.0;
        }
    } else {
        for (size_t a = 0; a < sample->n_rows; a++) {
            for (size_t b = 0; b < a; b++) {
                pairs.distances[pairs.n] = naive_distance(sample, metric, a, b);
                pairs.weights[pairs.n++] = sample->weights[a] * sample->weights[b];
            }
        }
    }
    return naive_median(&pairs);
}

static void medians_equal_plain_ones(void) {
    for (uint64_t k = 0; k < 60; k++) {
        struct fit_case fit;
        struct row_sample sample;
        struct dice dice = {k};
        double weights[200];
        double metric[4];
        size_t n = k % 4 == 0 ? 200 : 1 + dice_below(&dice, MXB__ALL_ROWS);
        for (size_t i = 0; i < n; i++) {
            weights[i] = 1.0 + (double)dice_below(&dice, 5); /* whole: the order of sums does not show */
        }
        for (size_t f = 0; f < 4; f++) {
            metric[f] = dice_below(&dice, 3) == 0 ? 0.0 : dice_uniform(&dice);
        }
        struct data_recipe recipe = {
            .n_rows = n, .n_features = 4, .seed = k, .missing = 0.1, .n_distinct = k % 3 == 0 ? 2 : 0};
        REQUIRE(open_rows(&fit, recipe, k % 2 == 0 ? weights : NULL, k));
        REQUIRE(take_sample(&fit, &sample) == MXB_OK);
        CHECK_NEAR(median_of(&sample, metric, k), naive_sample_median(&sample, metric, k), 0.0);
        mxb__row_sample_clear(&sample);
        fit_close(&fit);
    }
}

/* Of two independent rows of standard normal numbers; half the squared distance has a chi-squared distribution. */
static void the_median_is_that_of_all_rows(void) {
    const double ones[] = {1.0, 1.0, 1.0};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct fit_case fit;
        struct row_sample sample;
        REQUIRE(open_rows(&fit, (struct data_recipe){.n_rows = 20000, .n_features = 3, .seed = seed}, NULL, seed));
        REQUIRE(take_sample(&fit, &sample) == MXB_OK);
        CHECK_NEAR(median_of(&sample, ones, seed), 2 * 2.366, 0.9);
        mxb__row_sample_clear(&sample);
        fit_close(&fit);
    }
}

static void equal_rows_have_no_distance(void) {
    for (size_t n = 1; n <= 100; n += 33) {
        struct fit_case fit;
        struct row_sample sample;
        const double ones[] = {1.0, 1.0};
        const double only_first[] = {1.0, 0.0};
        REQUIRE(open_rows(&fit, (struct data_recipe){.n_rows = n, .n_features = 2, .seed = 3}, NULL, 1));
        for (size_t i = 0; i < n; i++) {
            fit.data.x[i] = 7.0; /* the first feature, in the caller's array */
        }
        REQUIRE(take_sample(&fit, &sample) == MXB_OK);
        CHECK(n == 1 ? median_of(&sample, ones, 1) == 0.0 : median_of(&sample, ones, 1) > 0.0);
        CHECK(median_of(&sample, only_first, 1) == 0.0);
        mxb__row_sample_clear(&sample);
        fit_close(&fit);
    }
}

/* Far values and weights, all finite. */
static void extremes_stay_finite(void) {
    const double odd[] = {HUGE_VAL, -HUGE_VAL, 1e308, -1e308, 5e-324, (double)NAN, 0.0, 1e-40};
    const double ones[] = {1.0, 1.0};
    for (size_t k = 0; k < 2 * 3; k++) {
        size_t n = k % 2 == 0 ? 50 : 90;
        struct made_data data = data_allocate(n, 2, 1);
        struct fit_case fit;
        struct row_sample sample;
        for (size_t i = 0; i < n; i++) {
            data.x[i] = odd[i % 8];
            data.x[n + i] = odd[i * 3 % 7] / 2;
            data.weights[i] = i % 2 == 0 ? 1e287 : 1e-287;
        }
        REQUIRE(data_view(&data));
        REQUIRE(fit_open(&fit, data, fit_options(), 256, (enum scaling_kind)(k / 2)));
        REQUIRE(take_sample(&fit, &sample) == MXB_OK);
        double median = median_of(&sample, ones, 1);
        CHECK(isfinite(median) && median > 0.0);
        mxb__row_sample_clear(&sample);
        fit_close(&fit);
    }
}

/* ---- weights are copies ---- */

/* Rows with whole weights against as many copies: one after the other, or in any order. */
static void check_copies(size_t n_rows, int in_any_order, uint64_t seed) {
    struct fit_case fits[2];
    struct row_sample samples[2];
    struct dice dice = {seed};
    double *weights = calloc(n_rows, sizeof *weights);
    struct data_recipe recipe = {.n_rows = n_rows, .n_features = 3, .seed = seed};
    size_t n_copies = 0;
    for (size_t i = 0; i < n_rows; i++) {
        weights[i] = 1.0 + (double)dice_below(&dice, 3);
        n_copies += (size_t)weights[i];
    }
    REQUIRE(!in_any_order || n_copies <= MXB__ALL_ROWS);
    REQUIRE(open_rows(&fits[0], recipe, weights, seed));
    struct made_data copies = data_allocate(n_copies, 3, 0);
    for (size_t i = 0, at = 0; i < n_rows; i++) {
        for (size_t k = 0; k < (size_t)weights[i]; k++, at++) {
            size_t to = in_any_order ? n_copies - 1 - at : at;
            for (size_t f = 0; f < 3; f++) {
                copies.x[f * n_copies + to] = fits[0].data.x[f * n_rows + i];
            }
        }
    }
    struct learner_options options = fit_options();
    options.seed = seed;
    REQUIRE(data_view(&copies) && fit_open(&fits[1], copies, options, 256, SCALING_RANK));
    double medians[2];
    for (int k = 0; k < 2; k++) {
        const double metric[] = {0.5, 1.0, 1.3};
        REQUIRE(take_sample(&fits[k], &samples[k]) == MXB_OK);
        medians[k] = median_of(&samples[k], metric, seed);
    }
    CHECK(medians[0] > 0.0 && medians[0] == medians[1]);
    if (n_rows > MXB__ALL_ROWS) {
        CHECK(memcmp(samples[0].inputs, samples[1].inputs, 512 * 3 * sizeof(float)) == 0);
    }
    for (int k = 0; k < 2; k++) {
        mxb__row_sample_clear(&samples[k]);
        fit_close(&fits[k]);
    }
    free(weights);
}

static void weights_are_copies(void) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        check_copies(2 + 2 * seed, 1, seed);
        check_copies(2 + 2 * seed, 0, seed);
        check_copies(100 + 100 * seed, 0, seed);
    }
}

static void failed_allocations_leak_nothing(void) {
    struct fit_case fit;
    struct row_sample sample;
    const double ones[] = {1.0, 1.0};
    double median;
    REQUIRE(open_rows(&fit, (struct data_recipe){.n_rows = 20, .n_features = 2, .seed = 1}, NULL, 1));
    for (uint64_t n = 1; n <= 2; n++) {
        mxb__memory_fail_at(n, 0);
        CHECK_INT(take_sample(&fit, &sample), MXB_ERROR_MEMORY);
        mxb__memory_fail_at(0, 0);
    }
    REQUIRE(take_sample(&fit, &sample) == MXB_OK);
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__row_sample_median(&sample, ones, 1, &median, NULL), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    mxb__row_sample_clear(&sample);
    fit_close(&fit);
}

int main(void) {
    RUN(few_rows_are_all_there);
    RUN(many_rows_are_drawn_by_weight);
    RUN(medians_equal_plain_ones);
    RUN(the_median_is_that_of_all_rows);
    RUN(equal_rows_have_no_distance);
    RUN(extremes_stay_finite);
    RUN(weights_are_copies);
    RUN(failed_allocations_leak_nothing);
    return check_report();
}
