#include "data/prepared.h"

#include "unit/data/make_source.h"

/* Cuts as they come from a feature's values, and codes by looking at one cut after another. */
static void check_feature(const mxb_prepared *prepared, size_t f, const size_t *rows, int weighted) {
    static uint64_t keys[N_ROWS], spare_keys[N_ROWS];
    static uint32_t numbers[N_ROWS], spare_numbers[N_ROWS];
    static double sums[N_ROWS], values[N_ROWS], weights[N_ROWS];
    struct distinct_scratch scratch = {keys, spare_keys, numbers, spare_numbers, sums, 0};
    size_t n = prepared->n_rows;
    for (size_t i = 0; i < n; i++) {
        values[i] = value_of(rows[i], f);
        weights[i] = weighted ? source[rows[i]].weight : 1;
    }
    struct distinct distinct = mxb__distinct_find(values, weights, n, &scratch);
    double cuts[MXB__MAX_CUTS];
    const struct feature_bins *bins = &prepared->bins[f];
    CHECK_INT(bins->n_cuts, mxb__bins_find_cuts(&distinct, prepared->settings.hist_nbins, cuts));
    CHECK_INT(memcmp(bins->cuts, cuts, bins->n_cuts * sizeof *cuts), 0);
    const struct feature_place *place = &prepared->fields.places[f];
    size_t n_wrong = 0;
    size_t n_missing = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned code = 0;
        for (size_t c = 0; c < bins->n_cuts; c++) {
            code += bins->cuts[c] < values[i];
        }
        if (isnan(values[i])) {
            code = bins->n_cuts + 1;
            n_missing++;
        }
        n_wrong += prepared->columns[f * n + i] != code;
        unsigned field = prepared->records[i * MXB__PANEL + place->field];
        n_wrong += field / place->stride % place->n_codes != code;
    }
    CHECK_INT(n_wrong, 0);
    CHECK_INT(bins->has_missing, n_missing > 0);

    static double knots[MXB__MAX_KNOTS];
    static float scores[MXB__MAX_KNOTS];
    struct scaling_feature expected;
    const struct scaling_feature *scaling = &prepared->scaling.features[f];
    mxb__scaling_fit(prepared->settings.scaling, &distinct, knots, scores, &expected);
    CHECK(scaling->center == expected.center && scaling->factor == expected.factor);
    CHECK(scaling->missing == expected.missing);
    CHECK_INT(scaling->n_knots, expected.n_knots);
    if (expected.n_knots > 0) {
        CHECK_INT(memcmp(scaling->knots, knots, expected.n_knots * sizeof *knots), 0);
        CHECK_INT(memcmp(scaling->knot_scores, scores, expected.n_knots * sizeof *scores), 0);
    }
}

static void check_prepared(const mxb_prepared *prepared, int weighted) {
    static size_t rows[N_ROWS];
    size_t n = 0;
    for (size_t i = 0; i < N_ROWS; i++) {
        if (!weighted || source[i].weight > 0) {
            rows[n++] = i;
        }
    }
    REQUIRE(prepared->n_rows == n && prepared->labels.n_rows == n && prepared->n_features == N_FEATURES);
    CHECK(prepared->columns == prepared->records + n * MXB__PANEL); /* one panel */
    CHECK((uintptr_t)prepared->records % 32 == 0);
    CHECK_INT(prepared->scaling.n_features, N_FEATURES);
    CHECK_INT(prepared->scaling.kind, prepared->settings.scaling);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        int16_t label = source[rows[i]].label;
        double expected = prepared->settings.two_classes ? label == 6 : label;
        sum += weighted ? source[rows[i]].weight : 1;
        CHECK(mxb__label_of(&prepared->labels, i) == expected);
        CHECK(weighted ? prepared->labels.weights[i] == source[rows[i]].weight : prepared->labels.weights == NULL);
        for (size_t f = N_FEATURES; f < MXB__PANEL; f++) {
            CHECK_INT(prepared->records[i * MXB__PANEL + f], 0);
        }
    }
    CHECK(prepared->labels.sum == sum);
    for (size_t f = 0; f < N_FEATURES; f++) {
        check_feature(prepared, f, rows, weighted);
    }
    CHECK_INT(prepared->bins[10].n_cuts, 1); /* bool */
    CHECK_INT(prepared->bins[11].n_cuts, 0); /* all missing: the one code is the missing one */
    CHECK_INT(prepared->columns[11 * n], 1);
    CHECK_INT(prepared->bins[12].n_cuts, 0); /* constant */
    CHECK_INT(prepared->columns[12 * n], 0);
}

static void codes_are_those_of_the_raw_values(void) {
    static const struct prepare_settings settings[] = {
        {1, 256, SCALING_NONE, 0}, {1, 255, SCALING_STANDARD, 0}, {1, 16, SCALING_RANK, 0}, {1, 2, SCALING_RANK, 0}};
    mxb_dataset *dataset = make_dataset(1);
    REQUIRE(dataset != NULL);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        mxb_prepared *prepared = prepare(dataset, settings[i], 2);
        if (prepared != NULL) {
            check_prepared(prepared, 1);
        }
        mxb_prepared_free(prepared);
    }
    mxb_dataset_free(dataset);
}

static void without_weights(void) {
    struct prepare_settings settings = {0, 256, SCALING_RANK, 0};
    mxb_dataset *dataset = make_dataset(0);
    REQUIRE(dataset != NULL);
    mxb_prepared *prepared = prepare(dataset, settings, 1);
    if (prepared != NULL) {
        check_prepared(prepared, 0);
    }
    mxb_prepared_free(prepared);
    mxb_dataset_free(dataset);
}

static void check_same(const mxb_prepared *a, const mxb_prepared *b) {
    REQUIRE(a != NULL && b != NULL && a->n_rows == b->n_rows && a->fields.n == b->fields.n);
    CHECK_INT(memcmp(a->columns, b->columns, a->n_rows * a->n_features), 0);
    CHECK_INT(memcmp(a->records, b->records, (size_t)(a->columns - a->records)), 0);
    for (size_t i = 0; i < a->n_rows; i++) {
        CHECK(mxb__label_of(&a->labels, i) == mxb__label_of(&b->labels, i));
    }
    for (uint32_t f = 0; f < a->n_features; f++) {
        CHECK_INT(a->bins[f].n_cuts, b->bins[f].n_cuts);
        CHECK_INT(memcmp(a->bins[f].cuts, b->bins[f].cuts, a->bins[f].n_cuts * sizeof(double)), 0);
        CHECK(same_scaling(&a->scaling.features[f], &b->scaling.features[f]));
    }
}

static void same_for_any_number_of_threads(void) {
    mxb_dataset *dataset = make_dataset(1);
    REQUIRE(dataset != NULL);
    for (int kind = SCALING_NONE; kind <= SCALING_RANK; kind++) {
        struct prepare_settings settings = {1, 256, (enum scaling_kind)kind, 0};
        mxb_prepared *one = prepare(dataset, settings, 1);
        for (size_t n_threads = 2; n_threads <= 20; n_threads += n_threads) {
            mxb_prepared *many = prepare(dataset, settings, n_threads == 16 ? 3 : n_threads);
            check_same(one, many);
            mxb_prepared_free(many);
        }
        mxb_prepared_free(one);
    }
    mxb_dataset_free(dataset);
}

/* Whether rows are dropped or not: the view has all that the caller's data have. */
static void the_view_has_label_and_weight(void) {
    struct prepare_settings settings = {0, 64, SCALING_RANK, 0};
    static double ones[N_ROWS];
    mxb_error error;
    for (size_t i = 0; i < N_ROWS; i++) {
        ones[i] = 1;
    }
    for (int dropped = 0; dropped < 2; dropped++) {
        mxb_dataset *dataset = make_dataset(dropped);
        REQUIRE(dataset != NULL);
        if (!dropped) {
            OK(mxb_dataset_set_weight(dataset, ones, sizeof *ones, MXB_FLOAT64, &error), error);
        }
        mxb_prepared *prepared = prepare(dataset, settings, 1);
        REQUIRE(prepared != NULL);
        CHECK((prepared->view->rows != NULL) == dropped);
        CHECK(prepared->view->label.data == dataset->label.data);
        CHECK(prepared->view->weight.data == dataset->weight.data);
        mxb_prepared_free(prepared);
        mxb_dataset_free(dataset);
    }
}

/* Rows of weight 0 dropped by us or by the caller: the same. */
static void weight_zero_is_absent(void) {
    struct prepare_settings settings = {1, 64, SCALING_RANK, 0};
    static size_t rows[N_ROWS];
    size_t n = 0;
    mxb_error error;
    mxb_dataset *subset = NULL;
    mxb_dataset *dataset = make_dataset(1);
    REQUIRE(dataset != NULL);
    for (size_t i = 0; i < N_ROWS; i++) {
        if (source[i].weight > 0) {
            rows[n++] = i;
        }
    }
    CHECK_INT(mxb_dataset_select(dataset, rows, n, &subset, &error), MXB_OK);
    mxb_prepared *ours = prepare(dataset, settings, 2);
    mxb_prepared *callers = prepare(subset, settings, 2);
    mxb_dataset_free(subset); /* the view inside needs only the arrays */
    mxb_dataset_free(dataset);
    check_same(ours, callers);
    mxb_prepared_free(ours);
    mxb_prepared_free(callers);
}

/* Row i of weight k and k selections of row i: the same cuts and scaling. */
static void weight_k_is_k_copies(void) {
    static size_t rows[5 * N_ROWS];
    size_t n = 0;
    mxb_error error;
    mxb_dataset *copies = NULL;
    mxb_dataset *weighted = make_dataset(1);
    mxb_dataset *plain_rows = make_dataset(0);
    REQUIRE(weighted != NULL && plain_rows != NULL);
    for (size_t i = 0; i < N_ROWS; i++) {
        for (int k = 0; k < (int)source[i].weight; k++) {
            rows[n++] = i;
        }
    }
    CHECK_INT(mxb_dataset_select(plain_rows, rows, n, &copies, &error), MXB_OK);
    for (int kind = SCALING_NONE; kind <= SCALING_RANK; kind++) {
        struct prepare_settings settings = {1, 100, (enum scaling_kind)kind, 0};
        mxb_prepared *a = prepare(weighted, settings, 2);
        mxb_prepared *b = prepare(copies, settings, 2);
        REQUIRE(a != NULL && b != NULL);
        CHECK(a->labels.sum == b->labels.sum);
        for (uint32_t f = 0; f < N_FEATURES; f++) {
            CHECK_INT(a->bins[f].n_cuts, b->bins[f].n_cuts);
            CHECK_INT(memcmp(a->bins[f].cuts, b->bins[f].cuts, a->bins[f].n_cuts * sizeof(double)), 0);
            CHECK(same_scaling(&a->scaling.features[f], &b->scaling.features[f]));
        }
        mxb_prepared_free(a);
        mxb_prepared_free(b);
    }
    mxb_dataset_free(copies);
    mxb_dataset_free(weighted);
    mxb_dataset_free(plain_rows);
}

/* One row, one feature; and more features than one panel has. */
static void smallest_and_wider(void) {
    double x[33] = {1, 2, 3};
    double y = 4;
    mxb_error error;
    struct prepare_settings settings = {0, 256, SCALING_RANK, 0};
    for (size_t d = 1; d <= 33; d += 32) {
        mxb_dataset *dataset;
        OK(mxb_dataset_create(1, &dataset, &error), error);
        CHECK_INT(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT64, d, 0, sizeof *x, &error), MXB_OK);
        CHECK_INT(mxb_dataset_set_label(dataset, &y, 0, MXB_FLOAT64, &error), MXB_OK);
        mxb_prepared *prepared = prepare(dataset, settings, 3);
        REQUIRE(prepared != NULL);
        CHECK_INT(prepared->fields.n, 1); /* constants share it */
        for (size_t f = 0; f < d; f++) {
            CHECK_INT(prepared->bins[f].n_cuts, 0);
            CHECK_INT(prepared->columns[f], 0);
        }
        mxb_prepared_free(prepared);
        mxb_dataset_free(dataset);
    }
}

static void sentences(void) {
    double x[] = {1, 2, 3};
    double y[] = {1, NAN, 2};
    double w[] = {0, 1, 1};
    mxb_error error;
    mxb_dataset *dataset;
    mxb_prepared *prepared;
    struct prepare_settings settings = {1, 256, SCALING_NONE, 0};
    OK(mxb_dataset_create(3, &dataset, &error), error);
    CHECK_INT(mxb_dataset_set_label(dataset, y, sizeof *y, MXB_FLOAT64, &error), MXB_OK);
    FAILS(mxb__prepared_create(dataset, &settings, NULL, &prepared, &error), error, MXB_ERROR_DATA,
          "the training data has no feature columns");
    CHECK(prepared == NULL);
    CHECK_INT(mxb_dataset_add_column(dataset, NULL, x, sizeof *x, MXB_FLOAT64, &error), MXB_OK);
    CHECK_INT(mxb_dataset_set_weight(dataset, w, sizeof *w, MXB_FLOAT64, &error), MXB_OK);
    /* Rows are numbered as the caller's, also behind rows of weight 0. */
    FAILS(mxb__prepared_create(dataset, &settings, NULL, &prepared, &error), error, MXB_ERROR_DATA,
          "the label of row 2 of the training data is nan; labels must be finite numbers");
    CHECK(prepared == NULL);
    y[1] = 2;
    FAILS(mxb__prepared_create(dataset, &settings, NULL, &prepared, &error), error, MXB_ERROR_DATA,
          "all labels of the training data are 2; logloss needs two different values");
    w[2] = -1;
    FAILS(mxb__prepared_create(dataset, &settings, NULL, &prepared, &error), error, MXB_ERROR_DATA,
          "the weight of row 3 of the training data is -1; weights must be finite and not negative");
    CHECK(prepared == NULL);
    mxb_dataset_free(dataset);
    mxb_prepared_free(NULL);
}

static void failing_allocations(void) {
    check_failing_allocations(&(struct prepare_settings){1, 256, SCALING_RANK, 0});
}

int main(void) {
    make_source();
    RUN(codes_are_those_of_the_raw_values);
    RUN(without_weights);
    RUN(same_for_any_number_of_threads);
    RUN(the_view_has_label_and_weight);
    RUN(weight_zero_is_absent);
    RUN(weight_k_is_k_copies);
    RUN(smallest_and_wider);
    RUN(sentences);
    RUN(failing_allocations);
    return check_report();
}
