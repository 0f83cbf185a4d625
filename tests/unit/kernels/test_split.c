/* The best cut of a feature, and the gains of all: bit for bit those of single cuts, which in turn are right to a few
 * roundings. */
#include <float.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "kernels/training_kernels.h"

static const struct random_stream RANDOM = {0x73706c6974};

enum { MAX_CELLS = 256 };

static struct gradient_sum sums[MAX_CELLS];

/* A cell of up to 2^g_bits and 2^h_bits quanta, of all sizes; some are empty, some lack g or h. */
static struct gradient_sum random_cell(size_t i, uint64_t draw, int g_bits, int h_bits) {
    uint64_t bits = mxb__random_bits(RANDOM, draw * 1000 + i);
    int64_t g = (int64_t)(mxb__random_bits(RANDOM, draw * 1000 + 300 + i) >> (64 - g_bits) >> (bits >> 60));
    int64_t h = (int64_t)(mxb__random_bits(RANDOM, draw * 1000 + 600 + i) >> (64 - h_bits) >> (bits >> 56 & 15));
    struct gradient_sum cell = {bits % 8 == 0 ? 0 : bits % 2 == 0 ? -g : g, bits / 16 % 8 == 0 ? 0 : h};
    return bits / 256 % 4 == 0 ? (struct gradient_sum){0, 0} : cell;
}

static struct cut_search random_search(size_t n, uint64_t draw, int g_bits, int h_bits) {
    static const double parts[] = {0.0, 0.0, 1e-3, 0.3, HUGE_VAL};
    static const struct split_rules rules[] = {{0x1p-63, 0, 1},         {0x1p-63, 0x1p-62, 1}, {0x1p-63, 1e-300, 1},
                                               {0x1p-64, 0.7, 1},       {0x1p-900, 0.9, 1},    {0x1p-1024, 0.6, 1},
                                               {0x1p-1024, HUGE_VAL, 1}};
    struct cut_search search = {.rules = rules[draw % 7]};
    if (draw / 2 % 2 == 1) {
        search.missing = random_cell(MAX_CELLS, draw, g_bits, h_bits);
    }
    search.total = search.missing;
    for (size_t i = 0; i < n; i++) {
        sums[i] = random_cell(i, draw, g_bits, h_bits);
        search.total.g += sums[i].g;
        search.total.h += sums[i].h;
    }
    search.rules.least_h = fmax(1.0, parts[draw % 5] * (double)search.total.h);
    return search;
}

/* To a few roundings of what is subtracted. */
static void check_score(const struct cut_search *search, struct gradient_sum left, double score) {
    struct gradient_sum right = {search->total.g - left.g, search->total.h - left.h};
    long double gl = (long double)left.g, gr = (long double)right.g;
    long double wl = (long double)left.h * search->rules.unit + search->rules.lambda;
    long double wr = (long double)right.h * search->rules.unit + search->rules.lambda;
    long double difference = fabsl(gl * wr - gr * wl);
    long double error = 4 * DBL_EPSILON * (fabsl(gl) * wr + fabsl(gr) * wl);
    double low = (double)(fmaxl(difference - error, 0) * fmaxl(difference - error, 0) / (wl * wr));
    double high = (double)((difference + error) * (difference + error) / (wl * wr));
    CHECK(score >= low * (1 - 4 * DBL_EPSILON) && score <= high * (1 + 4 * DBL_EPSILON));
}

/* Every cut by itself. */
static double naive_best(size_t n, const struct cut_search *search) {
    double best = 0;
    for (size_t cut = 0; cut < n; cut++) {
        for (int side = 0; side < 2; side++) {
            struct gradient_sum left = side == 1 ? search->missing : (struct gradient_sum){0, 0};
            for (size_t i = 0; i <= cut; i++) {
                left.g += sums[i].g;
                left.h += sums[i].h;
            }
            double right_h = (double)(search->total.h - left.h);
            double score = mxb__cut_score(search, left);
            if ((double)left.h < search->rules.least_h || right_h < search->rules.least_h) {
                CHECK(score == 0.0);
            } else if (search->rules.lambda < HUGE_VAL) {
                check_score(search, left, score);
            }
            best = score > best ? score : best;
        }
    }
    return best;
}

/* The cells lie at the end of their memory, so that a sanitizer sees a look behind them. */
static void check_cells(size_t n, const struct cut_search *search, int packed) {
    uint64_t *words = malloc((n + 1) * sizeof *words);
    struct gradient_sum *cells = malloc((n + 1) * sizeof *cells);
    REQUIRE(words != NULL && cells != NULL);
    for (size_t i = 0; i < n; i++) {
        words[i + 1] = ((uint64_t)sums[i].g << 32) + (uint64_t)sums[i].h;
        cells[i + 1] = sums[i];
    }
    double expected = naive_best(n, search);
    CHECK(mxb__training_kernels()->best_cut_wide(cells + 1, n, search) == expected);
    if (packed) {
        CHECK(mxb__training_kernels()->best_cut_packed(words + 1, n, search) == expected);
    }
    CHECK(expected == 0.0 || search->rules.lambda < HUGE_VAL);
    free(words);
    free(cells);
}

/* Gains of every cut by itself, added to what is there. */
static void check_gains(size_t n, const struct cut_search *search, int packed, uint64_t draw) {
    struct cut_gains node = {*search, 0.3 * mxb__random_uniform(RANDOM, draw), 1.0 + (double)(draw % 3)};
    size_t n_padded = (n + MXB__LANES - 1) / MXB__LANES * MXB__LANES;
    uint64_t *words = malloc((n + 1) * sizeof *words);
    double *gains[2] = {malloc((n_padded + 1) * sizeof(double)), malloc((n_padded + 1) * sizeof(double))};
    REQUIRE(words != NULL && gains[0] != NULL && gains[1] != NULL);
    for (int form = 0; form <= 2 * packed + 1; form++) { /* wide and packed, with and without the second side */
        double *left = form % 2 == 1 ? gains[1] : NULL;
        int n_wrong = 0;
        for (size_t i = 0; i < n_padded; i++) {
            gains[0][i] = gains[1][i] = (double)i;
        }
        for (size_t i = 0; i < n; i++) {
            words[i + 1] = ((uint64_t)sums[i].g << 32) + (uint64_t)sums[i].h;
        }
        if (form < 2) {
            mxb__training_kernels()->add_gains_wide(sums, n, &node, gains[0], left);
        } else {
            mxb__training_kernels()->add_gains_packed(words + 1, n, &node, gains[0], left);
        }
        struct gradient_sum below = {0, 0};
        for (size_t i = 0; i < n; i++) {
            below = mxb__plus(below, sums[i]);
            double right_gain = (double)i + mxb__cut_gain(&node, below);
            double left_gain = (double)i + mxb__cut_gain(&node, mxb__plus(below, search->missing));
            n_wrong += memcmp(&gains[0][i], &right_gain, sizeof right_gain) != 0 && !isnan(right_gain);
            n_wrong += left != NULL && memcmp(&gains[1][i], &left_gain, sizeof left_gain) != 0 && !isnan(left_gain);
            n_wrong += left == NULL && gains[1][i] != (double)i;
        }
        CHECK_INT(n_wrong, 0);
    }
    free(words);
    free(gains[0]);
    free(gains[1]);
}

/* A gain is the score less what is lost, times the factor; and nothing where the score is not allowed. */
static void single_gains(void) {
    struct cut_gains node = {{.total = {3, 10}, .rules = {0x1p-4, 0.25, 4}}, 0.125, 3.0};
    CHECK(mxb__cut_gain(&node, (struct gradient_sum){5, 3}) == 0.0);
    CHECK(mxb__cut_gain(&node, (struct gradient_sum){5, 7}) == 0.0);
    struct gradient_sum left = {5, 4};
    CHECK(mxb__cut_gain(&node, left) == (mxb__cut_score(&node.cuts, left) - 0.125) * 3.0);
}

static void every_number_of_cells(void) {
    for (size_t n = 0; n <= MAX_CELLS; n++) {
        struct cut_search search = random_search(n, n, 22, 23);
        check_cells(n, &search, 1);
        check_gains(n, &search, 1, n);
        search = random_search(n, n + 1000, 52, 53);
        check_cells(n, &search, 0);
        check_gains(n, &search, 0, n);
    }
}

static void every_rule(void) {
    for (uint64_t draw = 0; draw < 600; draw++) {
        size_t n = mxb__random_bits(RANDOM, draw) % 40;
        struct cut_search search = random_search(n, 2000 + draw, 1 + (int)(draw % 25), 1 + (int)(draw / 2 % 26));
        check_cells(n, &search, 1);
        check_gains(n, &search, 1, draw);
        search = random_search(n, 3000 + draw, 1 + (int)(draw % 56), 1 + (int)(draw / 2 % 56));
        check_cells(n, &search, 0);
        check_gains(n, &search, 0, draw);
    }
}

/* As large as quanta may come to, on either side. */
static void largest_sums(void) {
    static const int64_t tops[2] = {INT64_MAX / 2, INT32_MAX};
    for (int packed = 0; packed < 2; packed++) {
        int64_t top = tops[packed];
        for (int sign = -1; sign <= 1; sign += 2) {
            struct cut_search search = {.rules = {0x1p-63, 0.0, 1.0}};
            sums[0] = (struct gradient_sum){sign * (top / 2), 1};
            sums[1] = (struct gradient_sum){-sign * (top / 2), top - 2};
            sums[2] = (struct gradient_sum){0, 1};
            search.total.h = top;
            check_cells(3, &search, packed);
            sums[0].g = sign * top;
            sums[1].g = 0;
            search.total.g = sign * top;
            check_cells(3, &search, packed);
            search.missing = sums[2] = (struct gradient_sum){0, 1};
            search.total.h++;
            check_cells(3, &search, packed);
        }
    }
}

static void words_have_both_signs(void) {
    static const struct gradient_sum cases[] = {
        {0, 0}, {-1, 0}, {-1, UINT32_MAX}, {INT32_MIN, 0}, {INT32_MAX, 77}, {INT32_MIN, UINT32_MAX}, {5, UINT32_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gradient_sum sum = mxb__unpacked(((uint64_t)cases[i].g << 32) + (uint64_t)cases[i].h);
        CHECK(sum.g == cases[i].g && sum.h == cases[i].h);
    }
}

int main(void) {
    RUN(single_gains);
    RUN(every_number_of_cells);
    RUN(every_rule);
    RUN(largest_sums);
    RUN(words_have_both_signs);
    return check_report();
}
