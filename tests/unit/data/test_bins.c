#include "data/bins.h"

#include <float.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "unit/data/draw_column.h"

static const struct random_stream RANDOM = {0x62696e73};

enum { MAX = 5000 };

static double values[MAX];
static double weights[MAX];

/* ---- Where a cut lies ---- */

static int separates(double a, double b) {
    double cut = mxb__bins_cut(a, b);
    return a <= cut && cut < b;
}

static void a_cut_separates_neighbours(void) {
    static const double special[] = {-INFINITY,      -DBL_MAX,      -1e308,  -1,        -DBL_MIN,
                                     -3 * 0x1p-1074, -0x1p-1074,    0,       0x1p-1074, 2 * 0x1p-1074,
                                     3 * 0x1p-1074,  4 * 0x1p-1074, DBL_MIN, 1,         1 + 0x1p-52,
                                     1 + 0x1p-51,    1e308,         DBL_MAX, INFINITY};
    size_t n = sizeof special / sizeof special[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i + 1; j < n; j++) {
            CHECK(separates(special[i], special[j]));
        }
        if (special[i] < INFINITY) {
            CHECK(separates(special[i], nextafter(special[i], INFINITY)));
        }
    }
    int n_wrong = 0;
    for (uint64_t i = 0; i < 100000; i++) { /* any bits */
        uint64_t bits[2] = {mxb__random_bits(RANDOM, 2 * i), mxb__random_bits(RANDOM, 2 * i + 1)};
        double pair[2];
        memcpy(pair, bits, sizeof pair);
        n_wrong += !isnan(pair[0]) && pair[0] < INFINITY && !separates(pair[0], nextafter(pair[0], INFINITY));
        n_wrong += pair[0] < pair[1] && !separates(pair[0], pair[1]);
    }
    CHECK_INT(n_wrong, 0);
    CHECK(mxb__bins_cut(1, 2) == 1.5);
    CHECK(mxb__bins_cut(-3, 5) == 1);
    CHECK(mxb__bins_cut(-DBL_MAX, DBL_MAX) == 0);
    CHECK(mxb__bins_cut(1, INFINITY) == 1);
    CHECK(mxb__bins_cut(-INFINITY, 1) == -INFINITY);
}

/* ---- Cuts of a whole feature ---- */

/* Bins of the distinct values: how many, their weights, and the heaviest value in each. */
struct layout {
    uint32_t n_bins;
    double weight[256];
    double heaviest[256];
    int is_sound; /* cuts ascend, separate neighbours, and no bin is empty */
};

static struct layout lay_out(const struct distinct *distinct, const double *cuts, uint32_t n_cuts) {
    struct layout layout = {.n_bins = n_cuts + 1, .is_sound = 1};
    uint32_t bin = 0;
    for (size_t i = 0; i < distinct->n; i++) {
        while (bin < n_cuts && cuts[bin] < distinct->values[i]) {
            bin++;
        }
        if (i > 0 && bin > 0 && cuts[bin - 1] < distinct->values[i] && cuts[bin - 1] >= distinct->values[i - 1]) {
            layout.is_sound &= cuts[bin - 1] == mxb__bins_cut(distinct->values[i - 1], distinct->values[i]);
        }
        layout.weight[bin] += distinct->weights[i];
        layout.heaviest[bin] = fmax(layout.heaviest[bin], distinct->weights[i]);
    }
    for (uint32_t b = 0; b < layout.n_bins && distinct->n > 0; b++) {
        layout.is_sound &= layout.weight[b] > 0;
    }
    return layout;
}

/* No bin is heavier than an even share of what was left when it was begun, and one value. */
static int is_balanced(const struct layout *layout, uint32_t n_bins) {
    double left = 0;
    for (uint32_t b = 0; b < layout->n_bins; b++) {
        left += layout->weight[b];
    }
    for (uint32_t b = 0; b < layout->n_bins; b++) {
        double share = left / (n_bins - b);
        if (layout->weight[b] > (share + layout->heaviest[b]) * (1 + 1e-9)) {
            return 0;
        }
        left -= layout->weight[b];
    }
    return 1;
}

static void make_distinct(size_t n, int kind) {
    for (size_t i = 0; i < n; i++) {
        values[i] = (double)i * 0.5 - 7;
        double u = mxb__random_uniform(RANDOM, (uint64_t)kind * MAX + i);
        switch (kind) {
            case 0:
                weights[i] = 1;
                break;
            case 1:
                weights[i] = 1 + floor(5 * u);
                break;
            case 2: /* of all sizes */
                weights[i] = pow(10, 12 * u - 6);
                break;
            case 3: /* a few heavy ones among light ones */
                weights[i] = u < 0.02 ? 1e4 : 1;
                break;
            case 4: /* rising */
                weights[i] = (double)(i + 1);
                break;
            default: /* falling */
                weights[i] = (double)(n - i);
                break;
        }
    }
}

static void bins_for_every_count(void) {
    static const size_t sizes[] = {1, 2, 3, 5, 17, 254, 255, 256, 257, 300, 1000, MAX};
    for (int kind = 0; kind < 6; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            size_t n = sizes[s];
            make_distinct(n, kind);
            struct distinct distinct = {n, values, weights};
            for (uint32_t n_bins = 2; n_bins <= 256; n_bins++) {
                double cuts[MXB__MAX_CUTS];
                uint32_t n_cuts = mxb__bins_find_cuts(&distinct, n_bins, cuts);
                uint32_t most = n_bins < 255 ? n_bins : 255;
                struct layout layout = lay_out(&distinct, cuts, n_cuts);
                CHECK(n_cuts + 1 <= most);
                CHECK(layout.is_sound);
                CHECK(is_balanced(&layout, most));
                if (n <= most) {
                    CHECK_INT(n_cuts + 1, n); /* each its own */
                }
                if (kind == 0 && n > most) {
                    CHECK_INT(n_cuts + 1, most); /* equal weights: no bin is left unused */
                }
            }
        }
    }
}

/* Equal weights: bins differ by no more than one value. */
static void equal_weights_give_equal_bins(void) {
    make_distinct(1000, 0);
    struct distinct distinct = {1000, values, weights};
    for (uint32_t n_bins = 2; n_bins <= 255; n_bins++) {
        double cuts[MXB__MAX_CUTS];
        uint32_t n_cuts = mxb__bins_find_cuts(&distinct, n_bins, cuts);
        struct layout layout = lay_out(&distinct, cuts, n_cuts);
        double smallest = INFINITY;
        double largest = 0;
        for (uint32_t b = 0; b < layout.n_bins; b++) {
            smallest = fmin(smallest, layout.weight[b]);
            largest = fmax(largest, layout.weight[b]);
        }
        CHECK(largest - smallest <= 1);
    }
}

static void a_heavy_value_gets_its_own_bin(void) {
    make_distinct(100, 0);
    weights[50] = 1000;
    struct distinct distinct = {100, values, weights};
    double cuts[MXB__MAX_CUTS];
    uint32_t n_cuts = mxb__bins_find_cuts(&distinct, 10, cuts);
    struct layout layout = lay_out(&distinct, cuts, n_cuts);
    int found = 0;
    for (uint32_t b = 0; b < layout.n_bins; b++) {
        found |= layout.weight[b] == 1000;
    }
    CHECK(found);
}

/* Worked by hand: a bin is closed where that comes nearer to an even share of what is left. */
static void worked_examples(void) {
    static const struct {
        uint32_t n_bins;
        double weights[5];
        double cuts[4]; /* between the values 0, 1, 2, 3, 4; 0 = none */
    } cases[] = {{2, {1, 1, 10, 0, 0}, {1.5}},          {2, {10, 1, 1, 0, 0}, {0.5}}, {3, {1, 1, 1, 1, 1}, {1.5, 3.5}},
                 {2, {1, 1, 1, 1, 1}, {2.5}},           {2, {4, 2, 4, 0, 0}, {1.5}},  {3, {1, 5, 1, 1, 1}, {0.5, 1.5}},
                 {4, {1, 1, 1, 1, 9}, {1.5, 2.5, 3.5}}, {2, {1, 2, 9, 1, 1}, {1.5}}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t n = 0;
        for (; n < 5 && cases[c].weights[n] > 0; n++) {
            values[n] = (double)n;
            weights[n] = cases[c].weights[n];
        }
        struct distinct distinct = {n, values, weights};
        double cuts[MXB__MAX_CUTS] = {0};
        uint32_t n_cuts = mxb__bins_find_cuts(&distinct, cases[c].n_bins, cuts);
        uint32_t n_expected = 0;
        while (n_expected < 4 && cases[c].cuts[n_expected] > 0) {
            n_expected++;
        }
        CHECK_INT(n_cuts, n_expected);
        CHECK_INT(memcmp(cuts, cases[c].cuts, sizeof cases[c].cuts), 0);
    }
}

static void few_values_and_none(void) {
    double cuts[MXB__MAX_CUTS];
    struct distinct none = {0, values, weights};
    CHECK_INT(mxb__bins_find_cuts(&none, 256, cuts), 0);
    double two[] = {-INFINITY, INFINITY};
    double ones[] = {1, 1, 1, 1};
    struct distinct ends = {2, two, ones};
    CHECK_INT(mxb__bins_find_cuts(&ends, 2, cuts), 1);
    CHECK(cuts[0] == -INFINITY);
    double four[] = {-INFINITY, -0x1p-1074, 0x1p-1074, INFINITY};
    struct distinct close = {4, four, ones};
    CHECK_INT(mxb__bins_find_cuts(&close, 256, cuts), 3);
    CHECK(cuts[0] == -INFINITY && cuts[1] >= four[1] && cuts[1] < four[2] && cuts[2] == four[2]);
    struct feature_bins bins = {.n_cuts = 254, .cuts = cuts};
    CHECK_INT(mxb__missing_code(&bins), 255);
}

/* ---- From rows: order and copies do not matter ---- */

static uint32_t cuts_of_rows(const double *rows, const double *row_weights, size_t n, uint32_t n_bins, double *cuts) {
    static uint64_t keys[MAX], spare_keys[MAX];
    static uint32_t numbers[MAX], spare_numbers[MAX];
    static double sums[MAX];
    struct distinct_scratch scratch = {keys, spare_keys, numbers, spare_numbers, sums, 0};
    struct distinct distinct = mxb__distinct_find(rows, row_weights, n, &scratch);
    return mxb__bins_find_cuts(&distinct, n_bins, cuts);
}

static void order_and_copies_do_not_matter(void) {
    enum { N = 1200 };
    static double rows[N], row_weights[N], shuffled[N], shuffled_weights[N], copies[MAX];
    double cuts[3][MXB__MAX_CUTS];
    size_t n_copies = 0;
    for (size_t i = 0; i < N; i++) {
        rows[i] = rint(100 * mxb__random_normal(RANDOM, 70000 + i)) / 8;
        size_t k = 1 + (size_t)(mxb__random_bits(RANDOM, 80000 + i) % 4);
        row_weights[i] = (double)k;
        for (size_t j = 0; j < k; j++) {
            copies[n_copies++] = rows[i];
        }
    }
    for (size_t i = 0; i < N; i++) { /* 7 and N have no common factor */
        shuffled[i] = rows[(i * 7 + 3) % N];
        shuffled_weights[i] = row_weights[(i * 7 + 3) % N];
    }
    for (uint32_t n_bins = 2; n_bins <= 256; n_bins++) {
        uint32_t n = cuts_of_rows(rows, row_weights, N, n_bins, cuts[0]);
        CHECK_INT(cuts_of_rows(shuffled, shuffled_weights, N, n_bins, cuts[1]), n);
        CHECK_INT(cuts_of_rows(copies, NULL, n_copies, n_bins, cuts[2]), n);
        CHECK_INT(memcmp(cuts[0], cuts[1], n * sizeof(double)), 0);
        CHECK_INT(memcmp(cuts[0], cuts[2], n * sizeof(double)), 0);
    }
}

/* ---- Rows that weigh 1 ---- */

static void check_both_ways(const double *rows, size_t n, int narrow) {
    double walked[MXB__MAX_CUTS], found[MXB__MAX_CUTS];
    struct sorted sorted = sort_values(rows, n, narrow);
    struct distinct distinct = list_distinct(rows, n);
    for (uint32_t n_bins = 2; n_bins <= 256; n_bins += n_bins < 250 ? n_bins / 3 + 1 : 1) {
        uint32_t n_cuts = mxb__bins_find_cuts(&distinct, n_bins, walked);
        CHECK_INT(mxb__bins_find_cuts_sorted(&sorted, n_bins, found), n_cuts);
        CHECK_INT(memcmp(found, walked, n_cuts * sizeof *found), 0);
    }
}

static void steps_find_what_the_walk_finds(void) {
    for_every_column(check_both_ways);
    /* Short columns of few values: heavy ones at every place. */
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct random_stream stream = {seed};
        double rows[60];
        size_t n = 1 + (size_t)(mxb__random_bits(stream, 0) % 60);
        for (size_t i = 0; i < n; i++) {
            double u = mxb__random_uniform(stream, i + 1);
            rows[i] = floor(u * u * (double)(1 + seed % 40));
        }
        check_both_ways(rows, n, (int)(seed % 2));
    }
}

int main(void) {
    RUN(a_cut_separates_neighbours);
    RUN(bins_for_every_count);
    RUN(equal_weights_give_equal_bins);
    RUN(a_heavy_value_gets_its_own_bin);
    RUN(worked_examples);
    RUN(few_values_and_none);
    RUN(order_and_copies_do_not_matter);
    RUN(steps_find_what_the_walk_finds);
    return check_report();
}
