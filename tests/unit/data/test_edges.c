#include "data/edges.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "check.h"
#include "unit/data/draw_column.h"

enum { N = 2500, D = 2 * N_COLUMN_KINDS };

static double doubles[D][N]; /* by column */
static float floats[N][D];   /* by row */
static double labels[N], ones[N];

static void make_data(void) {
    static double values[N];
    for (size_t f = 0; f < D; f++) {
        int missing = f % 4 == 1;
        draw_column((enum column_kind)(f / 2), 7, N, missing, 0, doubles[f]);
        draw_column((enum column_kind)(f / 2), 7, N, missing, 1, values);
        for (size_t i = 0; i < N; i++) {
            floats[i][f] = (float)values[i];
        }
    }
    for (size_t i = 0; i < N; i++) {
        labels[i] = (double)i;
        ones[i] = 1;
    }
}

/* The first n rows, as floats by row, as doubles by column, or every other column of both kinds. */
static mxb_status make_dataset(size_t n, int layout, int weighted, mxb_dataset **dataset, mxb_error *error) {
    MXB_TRY(mxb_dataset_create(n, dataset, error));
    for (size_t f = 0; f < D; f++) {
        int narrow = layout == 0 || (layout == 2 && f % 3 != 0);
        MXB_TRY(narrow ? mxb_dataset_add_column(*dataset, NULL, &floats[0][f], sizeof floats[0], MXB_FLOAT32, error)
                       : mxb_dataset_add_column(*dataset, NULL, doubles[f], sizeof(double), MXB_FLOAT64, error));
    }
    if (weighted) {
        MXB_TRY(mxb_dataset_set_weight(*dataset, ones, sizeof *ones, MXB_FLOAT64, error));
    }
    return mxb_dataset_set_label(*dataset, labels, sizeof *labels, MXB_FLOAT64, error);
}

static mxb_prepared *prepare(size_t n, int layout, int weighted, enum scaling_kind scaling, size_t n_threads) {
    struct prepare_settings settings = {0, 100, scaling, 0};
    mxb_dataset *dataset = NULL;
    mxb_prepared *prepared = NULL;
    mxb_error error;
    struct pool *pool = mxb__pool_open(n_threads);
    if (make_dataset(n, layout, weighted, &dataset, &error) != MXB_OK ||
        mxb__prepared_create(dataset, &settings, pool, &prepared, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    mxb__pool_close(pool);
    mxb_dataset_free(dataset);
    return prepared;
}

static void check_same(const mxb_prepared *a, const mxb_prepared *b) {
    for (size_t f = 0; f < D; f++) {
        const struct scaling_feature *x = &a->scaling.features[f], *y = &b->scaling.features[f];
        CHECK_INT(a->bins[f].n_cuts, b->bins[f].n_cuts);
        CHECK_INT(memcmp(a->bins[f].cuts, b->bins[f].cuts, a->bins[f].n_cuts * sizeof(double)), 0);
        CHECK(x->center == y->center && x->factor == y->factor);
        CHECK(x->missing == y->missing && x->n_knots == y->n_knots);
        CHECK_INT(memcmp(x->knots, y->knots, x->n_knots * sizeof *x->knots), 0);
        CHECK_INT(memcmp(x->knot_scores, y->knot_scores, x->n_knots * sizeof *x->knot_scores), 0);
    }
}

/* Rows without weights are sorted by value in groups of features; those with weights, of 1 each, are listed. */
static void no_weights_are_weights_of_1(void) {
    static const size_t sizes[] = {1, 2, 300, 1023, 1024, 1025, N};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int layout = 0; layout < 3; layout++) {
            for (int scaling = SCALING_NONE; scaling <= SCALING_STANDARD; scaling++) {
                mxb_prepared *listed = prepare(sizes[s], layout, 1, (enum scaling_kind)scaling, 1);
                mxb_prepared *found = prepare(sizes[s], layout, 0, (enum scaling_kind)scaling, 1 + s % 3);
                REQUIRE(listed != NULL && found != NULL);
                check_same(listed, found);
                mxb_prepared_free(listed);
                mxb_prepared_free(found);
            }
        }
    }
}

static void more_threads_than_a_group_has_features(void) {
    mxb_prepared *one = prepare(N, 2, 0, SCALING_RANK, 1);
    for (size_t n_threads = 2; n_threads <= 40; n_threads += 19) {
        mxb_prepared *many = prepare(N, 2, 0, SCALING_RANK, n_threads);
        REQUIRE(one != NULL && many != NULL);
        check_same(one, many);
        mxb_prepared_free(many);
    }
    mxb_prepared_free(one);
}

/* Many threads, whose columns do not fit into the room of the codes. */
static void no_room_to_sort(void) {
    struct pool *pool = mxb__pool_open(20);
    mxb_error error;
    mxb_dataset *dataset;
    mxb_prepared *prepared;
    struct prepare_settings settings = {0, 100, SCALING_RANK, 0};
    OK(make_dataset(N, 0, 0, &dataset, &error), error);
    int seen = 0;
    for (uint64_t n = 1; n < 100; n++) {
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb__prepared_create(dataset, &settings, pool, &prepared, &error);
        mxb__memory_fail_at(0, 0);
        seen |= status == MXB_ERROR_MEMORY && strstr(error.message, "sorting columns") != NULL;
        CHECK((status == MXB_OK) == (prepared != NULL));
        mxb_prepared_free(prepared);
    }
    CHECK(seen);
    mxb__pool_close(pool);
    mxb_dataset_free(dataset);
}

int main(void) {
    make_data();
    RUN(no_weights_are_weights_of_1);
    RUN(more_threads_than_a_group_has_features);
    RUN(no_room_to_sort);
    return check_report();
}
