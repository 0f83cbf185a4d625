/* Predictions round by round, against models cut to their first rounds. */
#include "check.h"
#include "model/stages.h"
#include "unit/model/naive_predict.h"

enum { N_ROWS = 1100 };

/* The slow twin: the model of the first n_rounds rounds. */
static void predict_cut(const mxb_model *model, uint32_t n_rounds, const mxb_dataset *dataset, mxb_output output,
                        double *out) {
    mxb_model *cut;
    make_sure(make_cut(model, n_rounds, &cut, NULL));
    make_sure(mxb__model_build(cut, NULL));
    make_sure(mxb_model_predict(cut, dataset, output, 1, out, NULL));
    mxb_model_free(cut);
}

static void check_stages(const mxb_model *model, const mxb_dataset *dataset, mxb_output output, int n_threads,
                         size_t cache_bytes) {
    static double fast[N_ROWS], slow[N_ROWS];
    size_t n_rows = mxb_dataset_n_rows(dataset);
    mxb_stages *stages;
    mxb_error error;
    OK(mxb__stages_create(model, dataset, n_threads, cache_bytes, &stages, &error), error);
    for (uint32_t round = 1; round <= mxb_model_n_rounds(model); round++) {
        OK(mxb_stages_next(stages, output, fast, &error), error);
        predict_cut(model, round, dataset, output, slow);
        CHECK(same_bits(fast, slow, n_rows));
    }
    CHECK_INT(mxb_stages_next(stages, output, fast, NULL), MXB_ERROR_PARAM);
    CHECK(same_bits(fast, slow, n_rows));
    mxb_stages_free(stages);
}

static void against_cut_models(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        double *rows = make_rows(N_ROWS, model->n_features);
        mxb_dataset *dataset = make_dataset(rows, N_ROWS, model->n_features);
        for (int n_threads = 0; n_threads <= 3; n_threads++) {
            /* Features kept, of one projection alone, and never. */
            for (size_t cache_bytes = 0; cache_bytes <= 1 << 20; cache_bytes += 1 << 15) {
                check_stages(model, dataset, MXB_PREDICT_RAW, n_threads, cache_bytes);
            }
            check_stages(model, dataset, MXB_PREDICT_VALUE, n_threads, 1 << 20);
        }
        if (model->loss == MODEL_LOGLOSS) {
            check_stages(model, dataset, MXB_PREDICT_PROBABILITY, 2, 1 << 20);
        }
        mxb_dataset_free(dataset);
        mxb_model_free(model);
        free(rows);
    }
}

/* A caller's rounds among the others, the first of all included, and a caller's link. */
static void with_own_rounds(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        struct line_learner lines = {0};
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        double *rows = make_rows(300, model->n_features);
        mxb_dataset *dataset = make_dataset(rows, 300, model->n_features);
        for (size_t i = 0; i < 300; i++) { /* a line through the largest number would leave the range */
            double *x = &rows[i * model->n_features];
            *x = *x == DBL_MAX ? 0 : *x;
        }
        make_line_rounds(model, &lines);
        check_stages(model, dataset, MXB_PREDICT_RAW, 2, 1 << 20);
        check_stages(model, dataset, MXB_PREDICT_VALUE, 2, 1 << 20);
        make_own_link(model, link_cube);
        check_stages(model, dataset, MXB_PREDICT_VALUE, 2, 1 << 20);
        mxb_dataset_free(dataset);
        mxb_model_free(model);
        CHECK_INT(lines.n_live, 0);
        free(rows);
    }
}

/* Sums that leave the range of a double, and come back, do so as in the cut models. */
static void huge_terms(void) {
    struct line_learner lines = {0};
    struct model_shape shape = MAKE_SHAPES[5];
    shape.n_symmetric = 4;
    mxb_model *model = make_model(&shape);
    double *rows = make_rows(300, 3);
    mxb_dataset *dataset = make_dataset(rows, 300, 3);
    make_line_rounds(model, &lines);
    for (uint32_t r = 0; r < model->n_terms; r++) {
        struct term *term = &model->terms[r];
        for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
            term->tree.nodes[i].value *= 8e307;
        }
        for (size_t i = 0; term->kind == TERM_SYMMETRIC && i < mxb__symmetric_n_leaves(&term->symmetric); i++) {
            term->symmetric.values[i] *= 8e307;
        }
        for (uint32_t j = 0; term->kind == TERM_FOURIER && j < 4; j++) {
            term->fourier.weights[j] *= 8e307;
        }
        if (term->kind == TERM_FOURIER) {
            term->fourier.intercept *= 8e307;
        } else if (term->kind == TERM_OWN) {
            *(struct line *)term->own.box->term = (struct line){0, r % 4 == 0 ? 1e308 : -1e308};
        }
    }
    make_sure(mxb__model_build(model, NULL));
    check_stages(model, dataset, MXB_PREDICT_RAW, 1, 1 << 20);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

/* The second round on a projection reads no row again. */
static void features_are_kept(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[3]);
    double *rows = make_rows(300, 2), fast[300], slow[300];
    mxb_dataset *dataset = make_dataset(rows, 300, 2);
    mxb_stages *stages;
    mxb_error error;
    predict_cut(model, 2, dataset, MXB_PREDICT_RAW, slow);
    OK(mxb_stages_create(model, dataset, 1, &stages, &error), error);
    OK(mxb_stages_next(stages, MXB_PREDICT_RAW, fast, &error), error);
    memset(rows, 0, 600 * sizeof *rows);
    OK(mxb_stages_next(stages, MXB_PREDICT_RAW, fast, &error), error);
    CHECK(same_bits(fast, slow, 300));
    mxb_stages_free(stages);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

/* Garbage collectors free in any order. The sanitizer sees what is read of the model. */
static void freed_after_the_model(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[3]);
    double *rows = make_rows(300, 2), out[300];
    mxb_dataset *dataset = make_dataset(rows, 300, 2);
    mxb_stages *stages;
    mxb_error error;
    OK(mxb_stages_create(model, dataset, 1, &stages, &error), error);
    OK(mxb_stages_next(stages, MXB_PREDICT_RAW, out, &error), error);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    mxb_stages_free(stages);
    free(rows);
}

/* Each stage may be asked for something else; texts count as the model has them. */
static void outputs_and_texts(void) {
    static const char *const texts[] = {"\xFF", "10", "unknown", ""};
    static const int16_t codes[] = {0, 1, 2, 3, -1};
    static const double x[] = {-1, 0.5, NAN, 1, 2};
    mxb_model *model = make_text_model();
    mxb_dataset *dataset;
    mxb_stages *stages;
    mxb_error error;
    OK(mxb_dataset_create(5, &dataset, &error), error);
    for (int f = 0; f < 4; f += 2) {
        OK(mxb_dataset_add_column(dataset, NULL, x, 8, MXB_FLOAT64, &error), error);
        OK(mxb_dataset_add_text_column(dataset, NULL, codes, 2, MXB_INT16, texts, 4, &error), error);
    }
    uint64_t n_failed = 0;
    do {
        mxb__memory_fail_at(++n_failed, 0);
        stages = NULL;
    } while (n_failed < 100 && mxb_stages_create(model, dataset, 0, &stages, &error) == MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    CHECK(n_failed > 5);
    REQUIRE(stages != NULL);
    for (uint32_t round = 1; round <= mxb_model_n_rounds(model); round++) {
        mxb_output output = (mxb_output)(round % 3);
        double fast[5], slow[5];
        OK(mxb_stages_next(stages, output, fast, &error), error);
        predict_cut(model, round, dataset, output, slow);
        CHECK(same_bits(fast, slow, 5));
    }
    mxb_stages_free(stages);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
}

static void arguments(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[1]), *constant = make_model(&MAKE_SHAPES[0]);
    double x[4] = {0}, out;
    mxb_dataset *three = make_dataset(x, 1, 3), *four = make_dataset(x, 1, 4), *one = make_dataset(x, 1, 1);
    mxb_stages *stages = (mxb_stages *)x;
    mxb_error error;
    FAILS(mxb_stages_create(NULL, three, 0, &stages, &error), error, MXB_ERROR_PARAM, "model is NULL");
    CHECK(stages == NULL);
    FAILS(mxb_stages_create(model, NULL, 0, &stages, &error), error, MXB_ERROR_PARAM, "dataset is NULL");
    FAILS(mxb_stages_create(model, three, 0, NULL, &error), error, MXB_ERROR_PARAM, "the place for the stages is NULL");
    FAILS(mxb_stages_create(model, three, -1, &stages, &error), error, MXB_ERROR_PARAM,
          "n_threads is -1; it must be 0 (all processors) or more");
    stages = (mxb_stages *)x;
    CHECK_INT(mxb_stages_create(model, four, 0, &stages, NULL), MXB_ERROR_PARAM);
    CHECK(stages == NULL);
    mxb_stages_free(NULL);

    OK(mxb_stages_create(constant, one, 1, &stages, &error), error);
    FAILS(mxb_stages_next(stages, MXB_PREDICT_RAW, &out, &error), error, MXB_ERROR_PARAM,
          "the model has no more than its 0 rounds");
    mxb_stages_free(stages);
    OK(mxb_stages_create(model, three, 1, &stages, &error), error);
    FAILS(mxb_stages_next(NULL, MXB_PREDICT_RAW, &out, &error), error, MXB_ERROR_PARAM, "stages is NULL");
    FAILS(mxb_stages_next(stages, MXB_PREDICT_RAW, NULL, &error), error, MXB_ERROR_PARAM, "out is NULL");
    FAILS(mxb_stages_next(stages, MXB_PREDICT_PROBABILITY, &out, &error), error, MXB_ERROR_PARAM,
          "probabilities need a model of objective logloss; this one is of objective mse");
    for (uint32_t round = 1; round <= mxb_model_n_rounds(model); round++) { /* none of these went a round on */
        OK(mxb_stages_next(stages, MXB_PREDICT_RAW, &out, &error), error);
    }
    mxb_stages_free(stages);
    mxb_dataset_free(three);
    mxb_dataset_free(four);
    mxb_dataset_free(one);
    mxb_model_free(model);
    mxb_model_free(constant);
}

/* What fails in the middle of a round cannot go on. */
static void failures(void) {
    struct line_learner lines = {.predict_mischief = {2, MXB_ERROR_DATA, 0, 0}};
    mxb_model *model = make_model(&MAKE_SHAPES[1]);
    double *rows = make_rows(3, 3), out[3];
    mxb_dataset *dataset = make_dataset(rows, 3, 3);
    mxb_stages *stages;
    mxb_error error;
    make_line_rounds(model, &lines);
    OK(mxb_stages_create(model, dataset, 1, &stages, &error), error);
    OK(mxb_stages_next(stages, MXB_PREDICT_RAW, out, &error), error);
    OK(mxb_stages_next(stages, MXB_PREDICT_RAW, out, &error), error);
    FAILS(mxb_stages_next(stages, MXB_PREDICT_RAW, out, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" failed in predicting round 3: call 2 went wrong");
    FAILS(mxb_stages_next(stages, MXB_PREDICT_RAW, out, &error), error, MXB_ERROR_PARAM,
          "these stages have failed before and can only be freed");
    mxb_stages_free(stages);
    make_own_link(model, link_cube);
    model->base_score = 1e200;
    OK(mxb_stages_create(model, dataset, 1, &stages, &error), error);
    FAILS(mxb_stages_next(stages, MXB_PREDICT_VALUE, out, &error), error, MXB_ERROR_DATA,
          "the link of the loss \"cubic\" gave inf for row 1 of the dataset; it must be finite");
    mxb_stages_free(stages);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

int main(void) {
    RUN(against_cut_models);
    RUN(with_own_rounds);
    RUN(huge_terms);
    RUN(features_are_kept);
    RUN(freed_after_the_model);
    RUN(outputs_and_texts);
    RUN(arguments);
    RUN(failures);
    return check_report();
}
