/* Data prepared for exact trees: codes, order and thresholds against the raw values, and against the bins where every
 * value has one. */
#include "unit/data/make_source.h"

/* Codes count distinct values below, thresholds lie between neighbours, and the order is by code, then by row. */
static void check_exact_feature(const mxb_prepared *prepared, uint32_t f, const size_t *rows) {
    size_t n = prepared->n_rows;
    const uint32_t *codes = prepared->codes + f * n;
    const uint32_t *order = prepared->order + f * n;
    uint32_t n_cuts = prepared->bins[f].n_cuts;
    size_t n_wrong = 0;
    for (size_t k = 0; k < n; k++) {
        size_t i = order[k];
        double x = value_of(rows[i], f);
        double before = k == 0 ? x : value_of(rows[order[k - 1]], f);
        n_wrong += isnan(x) ? codes[i] != n_cuts + 1 : codes[i] > n_cuts;
        if (k == 0) {
            n_wrong += codes[i] != 0 && !isnan(x);
        } else if (isnan(x) ? isnan(before) : before == x) {
            n_wrong += codes[i] != codes[order[k - 1]] || order[k - 1] >= i;
        } else {
            n_wrong += isnan(before) ? 1 : 0;
            n_wrong += isnan(x) ? codes[order[k - 1]] != n_cuts : !(before < x) || codes[i] != codes[order[k - 1]] + 1;
            n_wrong += !isnan(x) && mxb__prepared_threshold(prepared, f, codes[i] - 1) != mxb__bins_cut(before, x);
        }
    }
    CHECK_INT(n_wrong, 0);
    CHECK(mxb__prepared_threshold(prepared, f, n_cuts) == INFINITY);
}

static void exact_form(void) {
    static size_t rows[N_ROWS];
    mxb_dataset *dataset = make_dataset(1);
    REQUIRE(dataset != NULL);
    size_t n = 0;
    for (size_t i = 0; i < N_ROWS; i++) {
        if (source[i].weight > 0) {
            rows[n++] = i;
        }
    }
    struct prepare_settings settings = {1, 0, SCALING_RANK, 1};
    struct prepare_settings histogram = {1, 256, SCALING_RANK, 0};
    mxb_prepared *binned = prepare(dataset, histogram, 1);
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        mxb_prepared *prepared = prepare(dataset, settings, n_threads);
        REQUIRE(binned != NULL && prepared != NULL && prepared->n_rows == n);
        CHECK(prepared->columns == NULL && prepared->records == NULL && prepared->cuts == NULL);
        CHECK(binned->codes == NULL && binned->order == NULL);
        for (uint32_t f = 0; f < N_FEATURES; f++) {
            check_exact_feature(prepared, f, rows);
            CHECK(same_scaling(&prepared->scaling.features[f], &binned->scaling.features[f]));
            int fits = prepared->bins[f].n_cuts <= MXB__MAX_CUTS; /* then both forms are one */
            for (size_t i = 0; fits && i < n; i++) {
                CHECK_INT(binned->columns[f * n + i], prepared->codes[f * n + i]);
            }
            for (uint32_t bin = 0; fits && bin <= prepared->bins[f].n_cuts; bin++) {
                CHECK(mxb__prepared_threshold(binned, f, bin) == mxb__prepared_threshold(prepared, f, bin));
            }
        }
        CHECK(prepared->bins[5].n_cuts > 2000); /* far more than bins */
        mxb_prepared_free(prepared);
    }
    mxb_prepared_free(binned);
    mxb_dataset_free(dataset);
}

static void places_in_an_order(void) {
    const uint32_t codes[] = {3, 0, 7, 3, 1};
    const uint32_t order[] = {1, 4, 0, 3, 2};
    for (uint32_t begin = 0; begin <= 5; begin++) {
        for (uint32_t end = begin; end <= 5; end++) {
            for (uint32_t code = 0; code <= 8; code++) {
                uint32_t expected = begin;
                while (expected < end && codes[order[expected]] <= code) {
                    expected++;
                }
                CHECK_INT(mxb__order_find_above(order, codes, begin, end, code), expected);
            }
        }
    }
}

static void failing_allocations(void) { check_failing_allocations(&(struct prepare_settings){1, 0, SCALING_RANK, 1}); }

int main(void) {
    make_source();
    RUN(exact_form);
    RUN(places_in_an_order);
    RUN(failing_allocations);
    return check_report();
}
