/* A part of prepared data: the bins, scaling and texts of the whole, the codes and labels of its own rows. */
#include "base/memory.h"
#include "unit/data/make_source.h"

static mxb_error error;

/* Rows of the source, in no order. Of every third one 5 times; those that weigh nothing are not in what is prepared. */
struct rows {
    size_t n_asked;
    size_t asked[2 * N_ROWS];
    size_t n;
    size_t rows[2 * N_ROWS];
};

static struct rows choose(size_t n, int weighted) {
    static struct rows rows;
    rows.n_asked = rows.n = 0;
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)(mxb__random_bits(RANDOM, 40000 + (i % 3 == 0 ? i / 15 : i)) % N_ROWS);
        rows.asked[rows.n_asked++] = row;
        if (!weighted || source[row].weight > 0) {
            rows.rows[rows.n++] = row;
        }
    }
    return rows;
}

static mxb_prepared *prepare_part(const mxb_prepared *whole, const mxb_dataset *part, size_t n_threads) {
    mxb_prepared *prepared = NULL;
    struct pool *pool = mxb__pool_open(n_threads);
    if (mxb__prepared_create_part(whole, part, pool, &prepared, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    mxb__pool_close(pool);
    return prepared;
}

static mxb_dataset *select_rows(const mxb_dataset *dataset, const struct rows *rows) {
    mxb_dataset *part = NULL;
    if (mxb_dataset_select(dataset, rows->asked, rows->n_asked, &part, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return part;
}

/* The place of a row of the source in what is prepared of all. */
static size_t place_of(size_t row, int weighted) {
    size_t place = 0;
    for (size_t i = 0; i < row; i++) {
        place += !weighted || source[i].weight > 0;
    }
    return place;
}

/* ---- Against the whole ---- */

static void check_edges(const mxb_prepared *part, const mxb_prepared *whole) {
    REQUIRE(part->n_features == whole->n_features && part->fields.n == whole->fields.n);
    CHECK(memcmp(&part->settings, &whole->settings, sizeof part->settings) == 0);
    CHECK(part->scaling.kind == whole->scaling.kind && part->scaling.n_features == whole->n_features);
    for (size_t f = 0; f < whole->n_features; f++) {
        const struct feature_bins *bins = &part->bins[f], *expected = &whole->bins[f];
        CHECK_INT(bins->n_cuts, expected->n_cuts);
        CHECK_INT(bins->has_missing, expected->has_missing);
        CHECK(bins->cuts != expected->cuts && memcmp(bins->cuts, expected->cuts, bins->n_cuts * sizeof(double)) == 0);
        CHECK(same_scaling(&part->scaling.features[f], &whole->scaling.features[f]));
        CHECK(part->scaling.features[f].n_knots == 0 ||
              part->scaling.features[f].knots != whole->scaling.features[f].knots);
        CHECK(memcmp(&part->fields.places[f], &whole->fields.places[f], sizeof *part->fields.places) == 0);
    }
}

static void check_rows(const mxb_prepared *part, const mxb_prepared *whole, const struct rows *rows, int weighted) {
    size_t n_wrong = 0;
    REQUIRE(part->n_rows == rows->n && part->labels.n_rows == rows->n && part->view->n_rows == rows->n);
    CHECK(part->columns == part->records + rows->n * MXB__PANEL); /* one panel */
    for (size_t i = 0; i < rows->n; i++) {
        size_t place = place_of(rows->rows[i], weighted);
        for (size_t f = 0; f < whole->n_features; f++) {
            n_wrong += part->columns[f * part->n_rows + i] != whole->columns[f * whole->n_rows + place];
        }
        n_wrong += memcmp(part->records + i * MXB__PANEL, whole->records + place * MXB__PANEL, MXB__PANEL) != 0;
        n_wrong += mxb__label_of(&part->labels, i) != mxb__label_of(&whole->labels, place);
        n_wrong += weighted ? part->labels.weights[i] != whole->labels.weights[place] : part->labels.weights != NULL;
    }
    CHECK_INT(n_wrong, 0);
}

/* With keys as the same rows have that are prepared for themselves. */
static void check_keys(const mxb_prepared *part, const mxb_dataset *dataset) {
    mxb_prepared *alone = prepare(dataset, part->settings, 1);
    REQUIRE(alone != NULL);
    CHECK((part->row_keys != NULL) == (part->n_rows < 500));
    CHECK(part->row_keys == NULL || memcmp(part->row_keys, alone->row_keys, part->n_rows * sizeof(uint64_t)) == 0);
    CHECK(part->labels.sum == alone->labels.sum);
    mxb_prepared_free(alone);
}

static void edges_of_the_whole_and_codes_of_the_part(void) {
    static const struct prepare_settings settings[] = {
        {1, 256, SCALING_NONE, 0}, {0, 255, SCALING_STANDARD, 0}, {1, 16, SCALING_RANK, 0}, {0, 2, SCALING_RANK, 0}};
    static const size_t sizes[] = {40, 700, 2 * N_ROWS};
    for (int k = 0; k < 24; k++) {
        int weighted = k % 2;
        mxb_dataset *dataset = make_dataset(weighted);
        REQUIRE(dataset != NULL);
        struct prepare_settings setting = settings[k / 2 % 4];
        setting.two_classes &= weighted; /* where all rows count there are three labels */
        struct rows rows = choose(sizes[k / 8], weighted);
        mxb_dataset *selected = select_rows(dataset, &rows);
        mxb_prepared *whole = prepare(dataset, setting, 2);
        REQUIRE(whole != NULL && selected != NULL);
        mxb_prepared *part = prepare_part(whole, selected, 1 + (size_t)k % 3);
        REQUIRE(part != NULL);
        check_edges(part, whole);
        check_rows(part, whole, &rows, weighted);
        check_keys(part, selected);
        mxb_prepared_free(part);
        mxb_prepared_free(whole);
        mxb_dataset_free(selected);
        mxb_dataset_free(dataset);
    }
}

/* Feature 0 misses some values, but not in these rows; the code for missing stays. */
static void what_is_missing_elsewhere_has_its_code(void) {
    mxb_dataset *dataset = make_dataset(0), *selected;
    static size_t rows[N_ROWS];
    size_t n = 0;
    REQUIRE(dataset != NULL);
    for (size_t i = 0; i < N_ROWS; i++) {
        if (i % 11 != 0 && i % 13 != 0 && is_valid(i)) {
            rows[n++] = i;
        }
    }
    OK(mxb_dataset_select(dataset, rows, n, &selected, &error), error);
    struct prepare_settings settings = {0, 64, SCALING_RANK, 0};
    mxb_prepared *whole = prepare(dataset, settings, 1), *alone = prepare(selected, settings, 1);
    REQUIRE(whole != NULL && alone != NULL);
    mxb_prepared *part = prepare_part(whole, selected, 1);
    REQUIRE(part != NULL);
    check_edges(part, whole);
    CHECK(part->bins[0].has_missing && part->bins[1].has_missing && part->bins[4].has_missing);
    CHECK(!alone->bins[0].has_missing && !alone->bins[1].has_missing && !alone->bins[4].has_missing);
    CHECK(!same_scaling(&part->scaling.features[0], &alone->scaling.features[0])); /* knots are the whole's */
    mxb_prepared_free(part);
    mxb_prepared_free(alone);
    mxb_prepared_free(whole);
    mxb_dataset_free(selected);
    mxb_dataset_free(dataset);
}

/* The whole may go, and the datasets, of which only the arrays are needed. */
static void outlives_the_whole(void) {
    struct rows rows = choose(300, 1);
    struct prepare_settings settings = {1, 256, SCALING_RANK, 0};
    mxb_dataset *dataset = make_dataset(1);
    REQUIRE(dataset != NULL);
    mxb_dataset *selected = select_rows(dataset, &rows);
    mxb_prepared *first = prepare(dataset, settings, 1), *second = prepare(dataset, settings, 1);
    REQUIRE(selected != NULL && first != NULL && second != NULL);
    mxb_prepared *part = prepare_part(first, selected, 1);
    REQUIRE(part != NULL);
    mxb_prepared *of_part = prepare_part(part, selected, 2); /* a part is a whole, too */
    mxb_prepared_free(first);
    mxb_dataset_free(selected);
    mxb_dataset_free(dataset);
    check_edges(part, second);
    check_rows(part, second, &rows, 1);
    check_edges(of_part, second);
    check_rows(of_part, second, &rows, 1);
    mxb_prepared_free(part);
    mxb_prepared_free(of_part);
    mxb_prepared_free(second);
}

/* ---- Exact trees, texts ---- */

static void exact_ones_are_prepared_anew(void) {
    struct rows rows = choose(600, 1);
    struct prepare_settings settings = {1, 0, SCALING_RANK, 1};
    mxb_dataset *dataset = make_dataset(1);
    REQUIRE(dataset != NULL);
    mxb_dataset *selected = select_rows(dataset, &rows);
    mxb_prepared *whole = prepare(dataset, settings, 1), *alone = prepare(selected, settings, 1);
    REQUIRE(selected != NULL && whole != NULL && alone != NULL);
    mxb_prepared *part = prepare_part(whole, selected, 2);
    REQUIRE(part != NULL && part->n_rows == rows.n && alone->n_rows == rows.n);
    CHECK(part->columns == NULL && part->cuts == NULL);
    CHECK(memcmp(part->codes, alone->codes, rows.n * N_FEATURES * sizeof *part->codes) == 0);
    CHECK(memcmp(part->order, alone->order, rows.n * N_FEATURES * sizeof *part->order) == 0);
    for (size_t f = 0; f < N_FEATURES; f++) {
        CHECK_INT(part->bins[f].n_cuts, alone->bins[f].n_cuts);
        CHECK(same_scaling(&part->scaling.features[f], &alone->scaling.features[f]));
    }
    mxb_prepared_free(part);
    mxb_prepared_free(alone);
    mxb_prepared_free(whole);
    mxb_dataset_free(selected);
    mxb_dataset_free(dataset);
}

static const char *const TEXTS[] = {"d", "a", "c", "b", "e"};
static int8_t codes[] = {0, 1, 2, 3, -1, 0, 1, 2, 3, -1}; /* d a c b - d a c b - ; nobody has e */
static double numbers[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
enum { N_TEXT_ROWS = 10 };

static mxb_dataset *make_texts(int with_text, int with_number) {
    mxb_dataset *dataset = NULL;
    mxb_status status = mxb_dataset_create(N_TEXT_ROWS, &dataset, &error);
    if (status == MXB_OK && with_text) {
        status = mxb_dataset_add_text_column(dataset, "t", codes, 1, MXB_INT8, TEXTS, 5, &error);
    }
    if (status == MXB_OK && with_number) {
        status = mxb_dataset_add_column(dataset, "x", numbers, sizeof *numbers, MXB_FLOAT64, &error);
    }
    if (status == MXB_OK) {
        status = mxb_dataset_set_label(dataset, numbers, sizeof *numbers, MXB_FLOAT64, &error);
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return dataset;
}

/* A part without a text, and one without any. */
static void texts_have_the_numbers_of_the_whole(void) {
    static const size_t rows[][3] = {{3, 0, 8}, {4, 9, 4}, {2, 4, 1}}; /* b d b, - - -, c - a */
    static const uint8_t expected[][3] = {{1, 3, 1}, {4, 4, 4}, {2, 4, 0}};
    mxb_dataset *dataset = make_texts(1, 0), *selected;
    struct prepare_settings settings = {0, 256, SCALING_RANK, 0};
    mxb_prepared *whole = prepare(dataset, settings, 1);
    REQUIRE(whole != NULL);
    for (size_t k = 0; k < 3; k++) {
        OK(mxb_dataset_select(dataset, rows[k], 3, &selected, &error), error);
        mxb_prepared *part = prepare_part(whole, selected, 1);
        mxb_dataset_free(selected);
        REQUIRE(part != NULL && part->dictionaries != NULL && part->dictionaries != whole->dictionaries);
        CHECK(part->dictionaries[0].is_text && part->dictionaries[0].n_texts == 4);
        for (size_t i = 0; i < 4; i++) {
            CHECK_TEXT(part->dictionaries[0].texts[i], whole->dictionaries[0].texts[i]);
        }
        CHECK_INT(memcmp(part->columns, expected[k], 3), 0);
        double value;
        mxb__column_read(part->view, &part->view->columns[0], 1, 1, &value);
        CHECK(k == 0 ? value == 3 : isnan(value));
        check_edges(part, whole);
        mxb_prepared_free(part);
    }
    mxb_prepared_free(whole);
    mxb_dataset_free(dataset);
}

/* ---- Mistakes ---- */

static void check_refused(const mxb_dataset *whole_rows, const mxb_dataset *part_rows, const char *sentence) {
    struct prepare_settings settings = {0, 256, SCALING_RANK, 0};
    mxb_prepared *part = (mxb_prepared *)1, *whole = prepare(whole_rows, settings, 1);
    REQUIRE(whole != NULL);
    FAILS(mxb__prepared_create_part(whole, part_rows, NULL, &part, &error), error, MXB_ERROR_DATA, sentence);
    CHECK(part == NULL);
    mxb_prepared_free(whole);
}

static void columns_must_be_those_of_the_whole(void) {
    mxb_dataset *both = make_texts(1, 1), *text = make_texts(1, 0), *number = make_texts(0, 1);
    check_refused(both, text, "the part has 1 features; the whole has 2");
    check_refused(number, both, "the part has 2 features; the whole has 1");
    check_refused(text, number, "feature \"x\" of the dataset holds numbers, that of the whole holds text");
    check_refused(number, text,
                  "feature \"t\" of the dataset holds text (\"d\" in row 1), that of the whole holds numbers");
    mxb_dataset_free(both);
    mxb_dataset_free(text);
    mxb_dataset_free(number);
}

/* A whole in which nothing is missing has no code for it, neither for texts that it does not know. */
static void rows_must_be_those_of_the_whole(void) {
    static const size_t few[] = {0, 1, 3, 5, 6, 8}; /* without c, none missing */
    mxb_dataset *both = make_texts(1, 1), *some;
    OK(mxb_dataset_select(both, few, 6, &some, &error), error);
    check_refused(some, both, "feature 1 of the part has values that are missing; that of the whole has none");
    codes[4] = codes[9] = 2;
    check_refused(some, both, "feature 1 of the part has values that are missing; that of the whole has none");
    codes[2] = codes[4] = codes[7] = codes[9] = 0;
    numbers[9] = NAN;
    double labels[N_TEXT_ROWS] = {0};
    OK(mxb_dataset_set_label(both, labels, sizeof *labels, MXB_FLOAT64, &error), error);
    check_refused(some, both, "feature 2 of the part has values that are missing; that of the whole has none");
    codes[2] = codes[7] = 2;
    codes[4] = codes[9] = -1;
    numbers[9] = 10;
    mxb_dataset_free(some);
    mxb_dataset_free(both);
}

/* Classes and labels are the part's own. */
static void a_part_has_both_classes(void) {
    struct prepare_settings settings = {1, 256, SCALING_RANK, 0};
    mxb_dataset *dataset = make_dataset(1), *selected;
    mxb_prepared *part;
    size_t rows[3], n = 0;
    REQUIRE(dataset != NULL);
    mxb_prepared *whole = prepare(dataset, settings, 1);
    for (size_t i = 0; n < 3; i++) {
        if (source[i].label == 6 && source[i].weight > 0) {
            rows[n++] = i;
        }
    }
    OK(mxb_dataset_select(dataset, rows, 3, &selected, &error), error);
    FAILS(mxb__prepared_create_part(whole, selected, NULL, &part, &error), error, MXB_ERROR_DATA,
          "all labels of the training data are 6; logloss needs two different values");
    CHECK(part == NULL);
    mxb_prepared_free(whole);
    mxb_dataset_free(selected);
    mxb_dataset_free(dataset);
}

static void every_allocation_may_fail(void) {
    struct prepare_settings settings = {0, 256, SCALING_RANK, 0};
    mxb_dataset *dataset = make_texts(1, 1);
    mxb_prepared *whole = prepare(dataset, settings, 1), *part = NULL;
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 1000) {
        mxb__memory_fail_at(++n, 0);
        status = mxb__prepared_create_part(whole, dataset, NULL, &part, &error);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (part != NULL));
    }
    CHECK(status == MXB_OK && n > 10);
    mxb_prepared_free(part);
    mxb_prepared_free(whole);
    mxb_dataset_free(dataset);
}

int main(void) {
    make_source();
    RUN(edges_of_the_whole_and_codes_of_the_part);
    RUN(what_is_missing_elsewhere_has_its_code);
    RUN(outlives_the_whole);
    RUN(exact_ones_are_prepared_anew);
    RUN(texts_have_the_numbers_of_the_whole);
    RUN(columns_must_be_those_of_the_whole);
    RUN(rows_must_be_those_of_the_whole);
    RUN(a_part_has_both_classes);
    RUN(every_allocation_may_fail);
    return check_report();
}
