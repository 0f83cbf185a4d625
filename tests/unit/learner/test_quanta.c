/* Gradients as integers: no sum may overflow, nothing may be coarser than it has to be, and rounding at random must be
 * right in the mean. */
#include "learner/tree/quanta.h"

#include <float.h>

#include "base/parallel.h"
#include "check.h"
#include "unit/boost/make_data.h"

struct rows {
    mxb_prepared prepared; /* only its number of rows is looked at */
    struct learner_options options;
    struct fit_input input;
    double *g;
    double *h;
};

static void rows_make(struct rows *rows, size_t n) {
    *rows = (struct rows){.prepared = {.n_rows = n},
                          .options = {.seed = 11, .max_wide_rows = 1 << 16, .tree_n_threads = 1}};
    rows->g = calloc(n, sizeof *rows->g);
    rows->h = calloc(n, sizeof *rows->h);
    rows->input = (struct fit_input){.prepared = &rows->prepared,
                                     .kernels = mxb__training_kernels(),
                                     .options = &rows->options,
                                     .g = rows->g,
                                     .h = rows->h};
}

static void rows_measure(struct rows *rows) {
    struct fit_input *input = &rows->input;
    input->sum_abs_g = input->sum_h = input->max_abs_g = input->max_h = 0.0;
    for (size_t i = 0; i < rows->prepared.n_rows; i++) {
        input->sum_abs_g += fabs(rows->g[i]);
        input->sum_h += rows->h[i];
        input->max_abs_g = fmax(input->max_abs_g, fabs(rows->g[i]));
        input->max_h = fmax(input->max_h, rows->h[i]);
    }
}

static void rows_clear(struct rows *rows) {
    free(rows->g);
    free(rows->h);
}

static void rows_fill(struct rows *rows, double g, double h) {
    for (size_t i = 0; i < rows->prepared.n_rows; i++) {
        rows->g[i] = i % 3 == 1 ? -g : g;
        rows->h[i] = h;
    }
}

static int64_t g_of_word(uint64_t word) {
    uint64_t high = word - (word & 0xffffffffu);
    return (int64_t)high / ((int64_t)1 << 32);
}

static int64_t h_of_word(uint64_t word) { return (int64_t)(word & 0xffffffffu); }

/* ---- wide ---- */

/* |sums| below 2^62 and, unless the numbers are too small for it, not below a quarter of that. */
static void check_wide(struct rows *rows) {
    const uint64_t limit = (uint64_t)1 << 62;
    rows_measure(rows);
    struct quanta quanta = mxb__quanta_wide(&rows->input);
    uint64_t sum_g = 0;
    uint64_t sum_h = 0;
    CHECK(quanta.g_scale == ldexp(1.0, quanta.g_exponent) && quanta.g_scale > 0.0 && isfinite(quanta.g_scale));
    CHECK(quanta.h_scale == ldexp(1.0, quanta.h_exponent) && quanta.h_scale > 0.0 && isfinite(quanta.h_scale));
    struct gradient_sum *sums = calloc(rows->prepared.n_rows, sizeof *sums);
    mxb__quanta_write_wide(&rows->input, quanta, sums);
    for (size_t i = 0; i < rows->prepared.n_rows; i++) {
        struct gradient_sum row = sums[i];
        sum_g += (uint64_t)(row.g < 0 ? -row.g : row.g);
        sum_h += (uint64_t)row.h;
        CHECK(row.h >= 0);
        CHECK(sum_g < limit && sum_h < limit);
    }
    free(sums);
    int tiny = quanta.g_exponent == 1000 || rows->input.sum_abs_g == 0.0;
    CHECK(tiny || isinf(rows->input.sum_abs_g) || sum_g >= limit / 8);
    tiny = quanta.h_exponent == 1000 || rows->input.sum_h == 0.0;
    CHECK(tiny || isinf(rows->input.sum_h) || sum_h >= limit / 8);
}

static void wide_sums_never_overflow(void) {
    const size_t counts[] = {1, 2, 3, 1000, 65535, 65537, 131072};
    const double sizes[] = {1.0, 0x1p-53, 0.1, 3.0, 1e300, 1e308, DBL_MAX, 1e-300, DBL_MIN, 5e-324, 0.0};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct rows rows;
        rows_make(&rows, counts[c]);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            rows_fill(&rows, sizes[s], sizes[(s + 3) % (sizeof sizes / sizeof sizes[0])]);
            check_wide(&rows);
            rows_fill(&rows, 1e-9 * sizes[s], 1e-9); /* one huge and many tiny */
            rows.g[counts[c] / 2] = -sizes[s];
            rows.h[counts[c] / 2] = 1e9;
            check_wide(&rows);
        }
        rows_clear(&rows);
    }
}

static void wide_rounds_to_nearest(void) {
    struct rows rows;
    struct dice dice = {3};
    size_t n = 5000;
    rows_make(&rows, n);
    for (size_t i = 0; i < n; i++) {
        rows.g[i] = dice_normal(&dice) * pow(10.0, 8.0 * dice_uniform(&dice));
        rows.h[i] = pow(10.0, 20.0 * dice_uniform(&dice) - 18.0);
    }
    rows_measure(&rows);
    struct quanta quanta = mxb__quanta_wide(&rows.input);
    struct gradient_sum *sums = calloc(n, sizeof *sums);
    mxb__quanta_write_wide(&rows.input, quanta, sums);
    for (size_t i = 0; i < n; i++) {
        long double g = (long double)rows.g[i] * (long double)quanta.g_scale;
        long double h = (long double)rows.h[i] * (long double)quanta.h_scale;
        CHECK(fabsl((long double)sums[i].g - g) <= 0.5L && fabsl((long double)sums[i].h - h) <= 0.5L);
    }
    free(sums);
    rows_clear(&rows);
}

static void wide_halves_go_to_even(void) {
    struct rows rows;
    rows_make(&rows, 2);
    struct quanta quanta = {0, 0, 1.0, 1.0};
    rows.g[0] = 2.5;
    rows.h[0] = 3.5;
    rows.g[1] = -2.5;
    rows.h[1] = 0.5;
    struct gradient_sum sums[2];
    mxb__quanta_write_wide(&rows.input, quanta, sums);
    CHECK(sums[0].g == 2 && sums[0].h == 4);
    CHECK(sums[1].g == -2 && sums[1].h == 0);
    rows_clear(&rows);
}

/* ---- packed ---- */

static void packed_needs_many_rows(void) {
    struct quanta quanta;
    for (size_t n = 65535; n <= 65537; n++) {
        struct rows rows;
        rows_make(&rows, n);
        rows_fill(&rows, 1.0, 1.0);
        rows_measure(&rows);
        CHECK_INT(mxb__quanta_packed(&rows.input, &quanta), n > 65536);
        rows_clear(&rows);
    }
}

static void packed_from_the_row_the_options_say(void) {
    const size_t counts[] = {1, 2, 65536, 65537, 70000};
    struct quanta quanta;
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct rows rows;
        rows_make(&rows, counts[c]);
        rows_fill(&rows, 1.0, 1.0);
        rows_measure(&rows);
        rows.options.max_wide_rows = 0;
        CHECK_INT(mxb__quanta_packed(&rows.input, &quanta), 1);
        rows.options.max_wide_rows = SIZE_MAX;
        CHECK_INT(mxb__quanta_packed(&rows.input, &quanta), 0);
        rows_clear(&rows);
    }
}

/* At most 1 % of the rows may be coarse, and zeros are not coarse. */
static void packed_refuses_coarse_quanta(void) {
    struct quanta quanta;
    struct rows rows;
    size_t n = 70000;
    uint64_t *words = calloc(n, sizeof *words);
    rows_make(&rows, n);
    for (int of_h = 0; of_h < 2; of_h++) {
        for (size_t n_small = 699; n_small <= 701; n_small++) {
            rows_fill(&rows, 1.0, 1.0);
            for (size_t i = 0; i < n_small; i++) {
                *(of_h ? &rows.h[i] : &rows.g[i]) = 1e-5;
            }
            rows_measure(&rows);
            CHECK_INT(mxb__quanta_packed(&rows.input, &quanta), 1);
            CHECK_INT(mxb__quanta_write_packed(&rows.input, quanta, 1, words), n_small <= 700);
        }
    }
    rows_fill(&rows, 1.0, 1.0);
    for (size_t i = 0; i < n / 2; i++) {
        rows.g[i] = 0.0;
        rows.h[i] = 0.0;
    }
    rows_measure(&rows);
    CHECK_INT(mxb__quanta_packed(&rows.input, &quanta), 1);
    CHECK_INT(mxb__quanta_write_packed(&rows.input, quanta, 1, words), 1);
    free(words);
    rows_clear(&rows);
}

static void packed_refuses_infinite_sums(void) {
    struct quanta quanta;
    struct rows rows;
    rows_make(&rows, 70000);
    rows_fill(&rows, 1e304, 1.0);
    rows_measure(&rows);
    CHECK(isinf(rows.input.sum_abs_g));
    CHECK_INT(mxb__quanta_packed(&rows.input, &quanta), 0);
    rows_fill(&rows, 1.0, 1e304);
    rows_measure(&rows);
    CHECK_INT(mxb__quanta_packed(&rows.input, &quanta), 0);
    rows_clear(&rows);
}

/* Whatever the noise: below 2^31 and 2^32, and no more than four times finer quanta would have fitted. */
static void packed_sums_never_overflow(void) {
    const size_t counts[] = {65537, 100003, 131072};
    const double sizes[] = {1.0, 0.1, 1e-200, 1e200, 1.0 / 3.0, 0x1.fffffffffffffp-1};
    uint64_t *words = calloc(131072, sizeof *words);
    for (size_t c = 0; c < 3; c++) {
        struct rows rows;
        rows_make(&rows, counts[c]);
        for (size_t s = 0; s < 6; s++) {
            struct quanta quanta;
            rows_fill(&rows, sizes[s], sizes[5 - s]);
            rows_measure(&rows);
            REQUIRE(mxb__quanta_packed(&rows.input, &quanta));
            int64_t sum_g = 0;
            int64_t sum_h = 0;
            int64_t worst_g = 0;
            int64_t worst_h = 0;
            mxb__quanta_write_packed(&rows.input, quanta, (uint32_t)s, words);
            for (size_t i = 0; i < counts[c]; i++) {
                int64_t g = g_of_word(words[i]);
                sum_g += g < 0 ? -g : g;
                sum_h += h_of_word(words[i]);
                worst_g += (int64_t)ceil(fabs(rows.g[i]) * quanta.g_scale);
                worst_h += (int64_t)ceil(rows.h[i] * quanta.h_scale);
            }
            CHECK(worst_g < (int64_t)1 << 31 && worst_h < (int64_t)1 << 32);
            CHECK(sum_g <= worst_g && sum_g > (int64_t)1 << 29);
            CHECK(sum_h <= worst_h && sum_h > (int64_t)1 << 30);
        }
        rows_clear(&rows);
    }
    free(words);
}

/* Each word is one of the two neighbours; a number of whole quanta is kept as it is. */
static void packed_rounds_to_a_neighbour(void) {
    struct rows rows;
    struct dice dice = {5};
    struct quanta quanta;
    size_t n = 66000;
    rows_make(&rows, n);
    for (size_t i = 0; i < n; i++) {
        rows.g[i] = dice_normal(&dice);
        rows.h[i] = 0.5 + dice_uniform(&dice);
    }
    rows_measure(&rows);
    REQUIRE(mxb__quanta_packed(&rows.input, &quanta));
    for (size_t i = 0; i < n; i += 5) {
        rows.g[i] = floor(rows.g[i] * quanta.g_scale) / quanta.g_scale;
        rows.h[i] = floor(rows.h[i] * quanta.h_scale) / quanta.h_scale;
    }
    uint64_t *words = calloc(n, sizeof *words);
    mxb__quanta_write_packed(&rows.input, quanta, 9, words);
    for (size_t i = 0; i < n; i++) {
        double g = rows.g[i] * quanta.g_scale;
        double h = rows.h[i] * quanta.h_scale;
        double g_word = (double)g_of_word(words[i]);
        double h_word = (double)h_of_word(words[i]);
        CHECK(g_word == floor(g) || g_word == ceil(g));
        CHECK(h_word == floor(h) || h_word == ceil(h));
    }
    free(words);
    rows_clear(&rows);
}

/* Over rows in one round, over rounds for one row, and without a link between g and h. */
static void packed_rounding_is_right_in_the_mean(void) {
    enum { ROUNDS = 100, N = 65600 };
    struct rows rows;
    struct quanta quanta;
    rows_make(&rows, N);
    rows_fill(&rows, 1.0, 1.0);
    rows_measure(&rows);
    REQUIRE(mxb__quanta_packed(&rows.input, &quanta));
    double g_part = 0.3;
    double h_part = 0.8;
    for (size_t i = 0; i < N; i++) {
        rows.g[i] = (i % 2 == 0 ? 1000.0 + g_part : -1000.0 + g_part) / quanta.g_scale;
        rows.h[i] = (2000.0 + h_part) / quanta.h_scale;
    }
    uint64_t *words = calloc(N, sizeof *words);
    double *up_g_of_row = calloc(N, sizeof *up_g_of_row);
    double up_both = 0.0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        double up_g = 0.0;
        double up_h = 0.0;
        mxb__quanta_write_packed(&rows.input, quanta, round, words);
        for (size_t i = 0; i < N; i++) {
            double g = (double)g_of_word(words[i]) - (i % 2 == 0 ? 1000.0 : -1000.0);
            double h = (double)h_of_word(words[i]) - 2000.0;
            up_g += g;
            up_h += h;
            up_both += g * h;
            up_g_of_row[i] += g;
        }
        CHECK_NEAR(up_g / N, g_part, 5.5 * sqrt(g_part * (1 - g_part) / N));
        CHECK_NEAR(up_h / N, h_part, 5.5 * sqrt(h_part * (1 - h_part) / N));
    }
    for (size_t i = 0; i < N; i++) {
        CHECK_NEAR(up_g_of_row[i] / ROUNDS, g_part, 6.5 * sqrt(g_part * (1 - g_part) / ROUNDS));
    }
    CHECK_NEAR(up_both / (N * (double)ROUNDS), g_part * h_part, 5.0 * 0.5 / sqrt(N * (double)ROUNDS));
    free(words);
    free(up_g_of_row);
    rows_clear(&rows);
}

static void threads_change_nothing(void) {
    const size_t threads[] = {1, 2, 3, 8};
    struct rows rows;
    struct dice dice = {6};
    size_t n = 100000;
    rows_make(&rows, n);
    for (size_t i = 0; i < n; i++) {
        rows.g[i] = dice_normal(&dice);
        rows.h[i] = dice_uniform(&dice);
    }
    rows_measure(&rows);
    struct quanta wide = mxb__quanta_wide(&rows.input);
    uint64_t *words[2] = {calloc(n, sizeof **words), calloc(n, sizeof **words)};
    struct gradient_sum *sums[2] = {calloc(n, sizeof **sums), calloc(n, sizeof **sums)};
    for (size_t t = 0; t < 4; t++) {
        struct quanta packed;
        rows.input.tree_pool = mxb__pool_open(threads[t]);
        CHECK_INT(mxb__quanta_packed(&rows.input, &packed), 1);
        CHECK_INT(mxb__quanta_write_packed(&rows.input, packed, 2, words[t > 0]), 1);
        mxb__quanta_write_wide(&rows.input, wide, sums[t > 0]);
        mxb__pool_close(rows.input.tree_pool);
        CHECK(t == 0 || memcmp(words[0], words[1], n * sizeof **words) == 0);
        CHECK(t == 0 || memcmp(sums[0], sums[1], n * sizeof **sums) == 0);
    }
    for (size_t i = 0; i < 2; i++) {
        free(words[i]);
        free(sums[i]);
    }
    rows_clear(&rows);
}

int main(void) {
    RUN(wide_sums_never_overflow);
    RUN(wide_rounds_to_nearest);
    RUN(wide_halves_go_to_even);
    RUN(packed_needs_many_rows);
    RUN(packed_from_the_row_the_options_say);
    RUN(packed_refuses_coarse_quanta);
    RUN(packed_refuses_infinite_sums);
    RUN(packed_sums_never_overflow);
    RUN(packed_rounds_to_a_neighbour);
    RUN(packed_rounding_is_right_in_the_mean);
    RUN(threads_change_nothing);
    return check_report();
}
