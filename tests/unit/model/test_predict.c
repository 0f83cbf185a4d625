#include "base/parallel.h"
#include "check.h"
#include "unit/model/naive_predict.h"

enum { N_ROWS = 1100 }; /* several blocks and a part of one */

static void against_the_oracle(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        double *rows = make_rows(N_ROWS, model->n_features), out[N_ROWS];
        mxb_dataset *dataset = make_dataset(rows, N_ROWS, model->n_features);
        mxb_error error;
        OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, out, &error), error);
        for (size_t i = 0; i < N_ROWS; i++) {
            double expected = raw_score(model, rows + i * model->n_features);
            /* z is float32 by definition; without it the sum is the same to the last bit. */
            CHECK_NEAR(out[i], expected, model->n_projections > 0 ? 2e-5 : 0);
        }
        mxb_dataset_free(dataset);
        mxb_model_free(model);
        free(rows);
    }
}

static void batches_and_threads(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        double *rows = make_rows(N_ROWS, model->n_features), one[N_ROWS], other[N_ROWS];
        mxb_dataset *dataset = make_dataset(rows, N_ROWS, model->n_features);
        mxb_error error;
        OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, one, &error), error);
        static const int threads[] = {0, 2, 3, 8, 1000000};
        for (int t = 0; t < 5; t++) {
            memset(other, 0xFF, sizeof other);
            OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, threads[t], other, &error), error);
            CHECK(same_bits(one, other, N_ROWS));
        }
        for (size_t i = 0; i < N_ROWS; i++) {
            mxb_dataset *row = make_dataset(rows + i * model->n_features, 1, model->n_features);
            OK(mxb_model_predict(model, row, MXB_PREDICT_RAW, 1, &other[i], &error), error);
            mxb_dataset_free(row);
        }
        CHECK(same_bits(one, other, N_ROWS));
        mxb_dataset_free(dataset);
        mxb_model_free(model);
        free(rows);
    }
}

/* A text counts as its number in the model, one it does not know as missing. */
static void texts(void) {
    static const char *const known[] = {"\xFF", "10", "unknown", ""};
    static const double numbers[] = {5, 1, NAN, 0, NAN};
    static const int16_t codes[] = {0, 1, 2, 3, -1};
    static const double x[] = {-1, 0.5, NAN, 1, 2};
    mxb_model *model = make_text_model();
    mxb_dataset *dataset;
    mxb_error error;
    double raw[5], value[5];
    OK(mxb_dataset_create(5, &dataset, &error), error);
    OK(mxb_dataset_add_column(dataset, NULL, x, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_text_column(dataset, NULL, codes, 2, MXB_INT16, known, 4, &error), error);
    OK(mxb_dataset_add_column(dataset, NULL, x, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_text_column(dataset, NULL, codes, 2, MXB_INT16, known, 4, &error), error);
    OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, raw, &error), error);
    OK(mxb_model_predict(model, dataset, MXB_PREDICT_VALUE, 1, value, &error), error);
    for (size_t i = 0; i < 5; i++) {
        double row[] = {x[i], numbers[i], x[i], NAN};
        CHECK(raw[i] == raw_score(model, row));
        CHECK(value[i] == (raw[i] > 0));
    }
    uint64_t n = 0;
    mxb_status status = MXB_ERROR_MEMORY;
    while (status == MXB_ERROR_MEMORY && n < 100) {
        mxb__memory_fail_at(++n, 0);
        status = mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, raw, NULL);
        mxb__memory_fail_at(0, 0);
    }
    CHECK_INT(status, MXB_OK);
    CHECK(n > 6);
    mxb_dataset_free(dataset);
    OK(mxb_dataset_create(5, &dataset, &error), error);
    OK(mxb_dataset_add_matrix(dataset, x, MXB_FLOAT64, 4, 8, 0, &error), error);
    FAILS(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, raw, &error), error, MXB_ERROR_DATA,
          "feature 2 of the dataset holds numbers, that of the model holds text");
    mxb_dataset_free(dataset);
    mxb_model_free(model);
}

static void check_wide_rows(uint32_t n_features, size_t n_rows) {
    struct model_shape shape = {.seed = 11, .loss = MODEL_MSE, .n_features = n_features, .n_trees = 20, .max_depth = 6};
    mxb_model *model = make_model(&shape);
    double *rows = make_rows(n_rows, n_features), one[200], three[200];
    mxb_dataset *dataset = make_dataset(rows, n_rows, n_features);
    mxb_error error;
    OK(mxb_model_predict(model, dataset, MXB_PREDICT_VALUE, 1, one, &error), error);
    OK(mxb_model_predict(model, dataset, MXB_PREDICT_VALUE, 3, three, &error), error);
    CHECK(same_bits(one, three, n_rows));
    for (size_t i = 0; i < n_rows; i++) {
        CHECK_NEAR(one[i], raw_score(model, rows + i * n_features), 0);
    }
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

/* Rows so wide that blocks are shorter, and that one alone is more than a block should be. */
static void wide_rows(void) {
    check_wide_rows(6000, 200);
    check_wide_rows(140000, 20);
}

static void unused_features_are_not_read(void) {
    struct model_shape shape = {.seed = 12, .loss = MODEL_MSE, .n_features = 3, .n_trees = 3, .max_depth = 3};
    mxb_model *model = make_model(&shape);
    double column[4] = {-1, 0, NAN, 1}, out[4];
    mxb_error error;
    mxb_dataset *dataset;
    for (uint32_t r = 0; r < 3; r++) {
        for (uint32_t i = 0; i < model->terms[r].tree.n_nodes; i++) {
            model->terms[r].tree.nodes[i].feature = 1;
        }
    }
    OK(mxb__model_build(model, &error), error);
    OK(mxb_dataset_create(4, &dataset, &error), error);
    const void *nowhere = (const void *)(uintptr_t)64; /* reading it would end the test */
    OK(mxb_dataset_add_column(dataset, NULL, nowhere, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_column(dataset, NULL, column, 8, MXB_FLOAT64, &error), error);
    OK(mxb_dataset_add_column(dataset, NULL, nowhere, 8, MXB_FLOAT64, &error), error);
    OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, out, &error), error);
    for (size_t i = 0; i < 4; i++) {
        CHECK_NEAR(out[i], raw_score(model, (double[]){0, column[i], 0}), 0);
    }
    memset(out, 0, sizeof out);
    OK(mxb__model_add_term_values(model, &model->terms[2], dataset, NULL, out, &error), error);
    CHECK_NEAR(out[2], walk(&model->terms[2].tree, 0, (double[]){0, NAN, 0}), 0);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
}

static void links(void) {
    struct model_shape shape = {.seed = 1, .loss = MODEL_LOGLOSS, .n_features = 1};
    mxb_model *model = make_model(&shape);
    double x = 0, out;
    mxb_dataset *dataset = make_dataset(&x, 1, 1);
    mxb_error error;
    static const double scores[] = {-DBL_MAX, -800, -40, -1, -1e-20, -0.0, 0, 1e-20, 0.5, 36, 800, DBL_MAX};
    for (size_t i = 0; i < sizeof scores / sizeof scores[0]; i++) {
        model->base_score = scores[i];
        double expected = scores[i] < 0 ? exp(scores[i]) / (1 + exp(scores[i])) : 1 / (1 + exp(-scores[i]));
        OK(mxb_model_predict(model, dataset, MXB_PREDICT_PROBABILITY, 1, &out, &error), error);
        CHECK_NEAR(out, expected, 4e-15 * expected + 1e-320);
        CHECK(out >= 0 && out <= 1);
        OK(mxb_model_predict(model, dataset, MXB_PREDICT_VALUE, 1, &out, &error), error);
        CHECK(out == (scores[i] > 0 ? 3 : -1)); /* the labels of made models; even odds are the smaller one */
        OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, &out, &error), error);
        CHECK(out == scores[i]);
    }
    model->loss = MODEL_MSE;
    OK(mxb_model_predict(model, dataset, MXB_PREDICT_VALUE, 1, &out, &error), error);
    CHECK(out == DBL_MAX);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
}

static void finite_whatever_the_weights(void) {
    struct model_shape shape = {.seed = 13,
                                .loss = MODEL_MSE,
                                .n_features = 2,
                                .n_trees = 4,
                                .n_symmetric = 4,
                                .max_depth = 2,
                                .n_projections = 2,
                                .n_components = 6,
                                .n_fourier = 4};
    for (int sign = -1; sign <= 1; sign += 2) {
        mxb_model *model = make_model(&shape);
        double *rows = make_rows(300, 2), out[300];
        mxb_dataset *dataset = make_dataset(rows, 300, 2);
        mxb_error error;
        for (uint32_t r = 0; r < model->n_terms; r++) {
            struct term *term = &model->terms[r];
            for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
                term->tree.nodes[i].value = copysign(DBL_MAX, term->tree.nodes[i].value * sign);
            }
            for (size_t i = 0; term->kind == TERM_SYMMETRIC && i < mxb__symmetric_n_leaves(&term->symmetric); i++) {
                term->symmetric.values[i] = copysign(DBL_MAX, term->symmetric.values[i] * sign);
            }
            for (uint32_t j = 0; term->kind == TERM_FOURIER && j < 6; j++) {
                term->fourier.weights[j] = copysign(DBL_MAX, term->fourier.weights[j] * sign);
            }
        }
        OK(mxb__model_build(model, &error), error);
        OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, out, &error), error);
        for (size_t i = 0; i < 300; i++) {
            CHECK(isfinite(out[i]));
        }
        for (uint32_t r = 0; r < model->n_terms; r++) {
            OK(mxb__model_add_term_values(model, &model->terms[r], dataset, NULL, out, &error), error);
        }
        for (size_t i = 0; i < 300; i++) {
            CHECK(isfinite(out[i]));
        }
        mxb_dataset_free(dataset);
        mxb_model_free(model);
        free(rows);
    }
}

static void term_by_term(void) {
    for (int s = 1; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        double *rows = make_rows(N_ROWS, model->n_features), one[N_ROWS], three[N_ROWS];
        mxb_dataset *dataset = make_dataset(rows, N_ROWS, model->n_features);
        struct pool *pool = mxb__pool_open(3);
        mxb_error error;
        for (size_t i = 0; i < N_ROWS; i++) {
            one[i] = three[i] = model->n_members * model->base_score;
        }
        for (uint32_t r = 0; r < model->n_terms; r++) {
            OK(mxb__model_add_term_values(model, &model->terms[r], dataset, NULL, one, &error), error);
            OK(mxb__model_add_term_values(model, &model->terms[r], dataset, pool, three, &error), error);
        }
        CHECK(same_bits(one, three, N_ROWS));
        for (size_t i = 0; i < N_ROWS; i++) {
            double expected = model->n_members * raw_score(model, rows + i * model->n_features);
            CHECK_NEAR(one[i], expected, model->n_projections > 0 ? 2e-5 : 0);
        }
        mxb__pool_close(pool);
        mxb_dataset_free(dataset);
        mxb_model_free(model);
        free(rows);
    }
}

/* Rounds of callers' learners are summed on their own, from 0, and the mean of that over the members is added last. The
 * lines cancel to nearly nothing, so that any other order shows in the bits. */
static void own_rounds_are_added_last(void) {
    static const struct line three[] = {{0, 3e16}, {1, 1}, {0, -3e16}};
    for (int s = 5; s <= 6; s++) { /* of one member, and of two */
        struct line_learner lines = {0};
        mxb_model *model = make_model(&MAKE_SHAPES[s]), *plain = make_model(&MAKE_SHAPES[s]);
        double *rows = make_rows(N_ROWS, 3), raw[N_ROWS], without[N_ROWS];
        mxb_dataset *dataset = make_dataset(rows, N_ROWS, 3);
        uint32_t n_lines = 3 * model->n_members;
        mxb_error error;
        make_line_rounds(model, &lines);
        for (uint32_t i = 0, k = 0; i < model->n_terms; i++) {
            if (model->terms[i].kind == TERM_OWN) {
                *(struct line *)model->terms[i].own.box->term = three[k++ / model->n_members];
            }
        }
        OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 2, raw, &error), error);
        OK(mxb_model_predict(plain, dataset, MXB_PREDICT_RAW, 1, without, &error), error);
        for (size_t i = 0; i < N_ROWS; i++) {
            double sum = 0;
            for (uint32_t k = 0; k < n_lines; k++) {
                const struct line *line = &three[k / model->n_members];
                double x = isfinite(rows[3 * i]) ? rows[3 * i] : 0;
                sum = mxb__bounded(sum + 0.3 * (line->intercept + line->slope * x));
            }
            CHECK(raw[i] == mxb__bounded(without[i] + sum / model->n_members));
        }
        mxb_model_free(model);
        mxb_model_free(plain);
        CHECK_INT(lines.n_live, 0);
        mxb_dataset_free(dataset);
        free(rows);
    }
}

static void arguments(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[2]), *regression = make_model(&MAKE_SHAPES[1]);
    double *rows = make_rows(2, 5), out[2];
    mxb_dataset *five = make_dataset(rows, 2, 5), *four = make_dataset(rows, 2, 4), *three = make_dataset(rows, 2, 3);
    mxb_error error;
    FAILS(mxb_model_predict(NULL, five, MXB_PREDICT_RAW, 1, out, &error), error, MXB_ERROR_PARAM, "model is NULL");
    FAILS(mxb_model_predict(model, NULL, MXB_PREDICT_RAW, 1, out, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    FAILS(mxb_model_predict(model, five, MXB_PREDICT_RAW, 1, NULL, &error), error, MXB_ERROR_PARAM, "out is NULL");
    FAILS(mxb_model_predict(model, five, (mxb_output)3, 1, out, &error), error, MXB_ERROR_PARAM,
          "output is 3; it must be 0, 1 or 2 (value, probability or raw)");
    FAILS(mxb_model_predict(model, five, MXB_PREDICT_RAW, -2, out, &error), error, MXB_ERROR_PARAM,
          "n_threads is -2; it must be 0 (all processors) or more");
    FAILS(mxb_model_predict(regression, three, MXB_PREDICT_PROBABILITY, 1, out, &error), error, MXB_ERROR_PARAM,
          "probabilities need a model of objective logloss; this one is of objective mse");
    CHECK_INT(mxb_model_predict(model, four, MXB_PREDICT_RAW, 1, out, NULL), MXB_ERROR_PARAM);
    CHECK_INT(mxb_model_predict(model, five, MXB_PREDICT_PROBABILITY, 1, out, NULL), MXB_OK);

    mxb_dataset *named;
    OK(mxb_dataset_create(2, &named, &error), error);
    for (int f = 0; f < 5; f++) {
        char name[32];
        snprintf(name, sizeof name, "feature %d", f == 4 ? 9 : f);
        OK(mxb_dataset_add_column(named, name, rows, 8, MXB_FLOAT64, &error), error);
    }
    CHECK_INT(mxb_model_predict(model, named, MXB_PREDICT_RAW, 1, out, &error), MXB_ERROR_PARAM);
    CHECK(strstr(error.message, "feature 9") != NULL);
    mxb_dataset_free(named);
    mxb_dataset_free(five);
    mxb_dataset_free(four);
    mxb_dataset_free(three);
    mxb_model_free(model);
    mxb_model_free(regression);
    free(rows);
}

static void memory_may_fail(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[5]);
    double *rows = make_rows(3, 3), out[3];
    mxb_dataset *dataset = make_dataset(rows, 3, 3);
    mxb_error error;
    for (int call = 0; call < 3; call++) { /* all terms, a tree, a fourier term */
        mxb_status status = MXB_ERROR_MEMORY;
        uint64_t n = 1;
        for (; status != MXB_OK; n++) {
            mxb__memory_fail_at(n, 0);
            status = call == 0 ? mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, out, &error)
                               : mxb__model_add_term_values(model, &model->terms[call], dataset, NULL, out, &error);
            mxb__memory_fail_at(0, 0);
            CHECK(status == MXB_OK || status == MXB_ERROR_MEMORY);
        }
        CHECK(n >= 4);
    }
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

/* Without memory for a pool the call works alone. */
static void pool_may_fail(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[5]);
    double *rows = make_rows(N_ROWS, 3), one[N_ROWS], other[N_ROWS];
    mxb_dataset *dataset = make_dataset(rows, N_ROWS, 3);
    mxb_error error;
    OK(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, one, &error), error);
    for (uint64_t n = 1; n < 12; n++) {
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 3, other, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_ERROR_MEMORY || (status == MXB_OK && same_bits(one, other, N_ROWS)));
    }
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

int main(void) {
    RUN(against_the_oracle);
    RUN(batches_and_threads);
    RUN(texts);
    RUN(wide_rows);
    RUN(unused_features_are_not_read);
    RUN(links);
    RUN(finite_whatever_the_weights);
    RUN(term_by_term);
    RUN(own_rounds_are_added_last);
    RUN(arguments);
    RUN(memory_may_fail);
    RUN(pool_may_fail);
    return check_report();
}
