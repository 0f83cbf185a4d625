/* Rows of numbers: bit for bit the predictions of a dataset. */
#include "check.h"
#include "unit/model/naive_predict.h"

/* The slow twin: a dataset of one row, for each. */
static mxb_status predict_datasets(const mxb_model *model, const double *rows, size_t n_rows, mxb_output output,
                                   double *out) {
    mxb_status status = MXB_OK;
    for (size_t i = 0; i < n_rows && status == MXB_OK; i++) {
        mxb_dataset *dataset = make_dataset(rows + i * model->n_features, 1, model->n_features);
        status = mxb_model_predict(model, dataset, output, 1, out + i, NULL);
        mxb_dataset_free(dataset);
    }
    return status;
}

/* Numbers of rows around those that go one by one, and around the blocks of the others. */
static void check_rows(const mxb_model *model, size_t most) {
    static const size_t sizes[] = {1, 2, 3, 7, 16, 17, 31, 32, 33, 127, 200, 256, 300};
    double *rows = make_rows(300, model->n_features), slow[300];
    for (int output = MXB_PREDICT_VALUE; output <= MXB_PREDICT_RAW; output++) {
        mxb_status expected = predict_datasets(model, rows, most, (mxb_output)output, slow);
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0] && sizes[s] <= most; s++) {
            double fast[301];
            fast[sizes[s]] = 7;
            CHECK_INT(mxb_model_predict_rows(model, rows, sizes[s], model->n_features, (mxb_output)output, fast, NULL),
                      expected);
            CHECK(expected != MXB_OK || same_bits(fast, slow, sizes[s]));
            CHECK(fast[sizes[s]] == 7);
        }
    }
    free(rows);
}

static void against_datasets(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        check_rows(model, 300);
        mxb_model_free(model);
    }
    mxb_model *cubic = make_model(&MAKE_SHAPES[5]);
    make_own_link(cubic, link_cube);
    check_rows(cubic, 50);
    cubic->own_loss.link = NULL; /* the output VALUE is refused, others are not */
    check_rows(cubic, 50);
    mxb_model_free(cubic);
}

/* Up to 32 rows of ordinary size ask for no memory at all; others do, and may not get it. */
static void heap(void) {
    static const struct {
        struct model_shape shape;
        size_t n_rows;
        mxb_status status;
    } cases[] = {
        {{.seed = 1, .n_features = 500, .n_trees = 9, .max_depth = 6, .n_projections = 1, .n_components = 1000},
         32,
         MXB_OK},
        {{.seed = 2, .n_features = 2500, .n_trees = 9, .max_depth = 6}, 32, MXB_OK},
        {{.seed = 3, .n_features = 4, .n_projections = 1, .n_components = 40000}, 7, MXB_OK},
        {{.seed = 3, .n_features = 140, .n_trees = 30, .max_depth = 6}, 256, MXB_ERROR_MEMORY},
        {{.seed = 4, .n_features = 7000, .n_trees = 9, .max_depth = 6, .n_projections = 1, .n_components = 3},
         1,
         MXB_ERROR_MEMORY},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct model_shape shape = cases[c].shape;
        double *rows = make_rows(cases[c].n_rows, shape.n_features), out[256];
        mxb_error error;
        shape.loss = MODEL_MSE;
        shape.n_fourier = shape.n_projections;
        mxb_model *model = make_model(&shape);
        mxb__memory_fail_at(1, 1);
        mxb_status status =
            mxb_model_predict_rows(model, rows, cases[c].n_rows, shape.n_features, MXB_PREDICT_RAW, out, &error);
        mxb__memory_fail_at(0, 0);
        CHECK_INT(status, cases[c].status);
        check_rows(model, 3);
        mxb_model_free(model);
        free(rows);
    }
}

/* A tree that parts the numbers of a feature from what is missing. */
static struct term make_missing_tree(uint32_t feature) {
    struct term term = {.kind = TERM_TREE, .n_outputs = 1};
    term.tree = (struct tree){.n_nodes = 3, .max_depth = 1, .nodes = make_block(3, sizeof(struct tree_node))};
    term.tree.nodes[0] =
        (struct tree_node){.value = (double)INFINITY, .feature = feature, .left = 1, .split = SPLIT_NUMERIC};
    term.tree.nodes[2].value = 10 + feature;
    return term;
}

/* A text is its number; whatever is no number of a text is missing, and so is every value of a feature without texts.
 */
static void texts(void) {
    static const double given[] = {0, 5, 6, -1, 0.5, -0.0, 1e300, -INFINITY, INFINITY, NAN};
    static const double counts_as[] = {0, 5, NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN};
    mxb_model *model = make_text_model();
    mxb_error error;
    for (uint32_t f = 1; f <= 3; f++) {
        struct term term = make_missing_tree(f);
        OK(mxb__model_add_term(model, &term, &error), error);
    }
    OK(mxb__model_build(model, &error), error);
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        double row[] = {0.5, given[i], given[i], given[i]}, read[] = {0.5, counts_as[i], given[i], NAN}, out;
        OK(mxb_model_predict_rows(model, row, 1, 4, MXB_PREDICT_RAW, &out, &error), error);
        CHECK(out == raw_score(model, read));
    }
    mxb_model_free(model);
}

static void arguments(void) {
    struct line_learner lines = {0};
    mxb_model *model = make_model(&MAKE_SHAPES[1]), *own = make_model(&MAKE_SHAPES[1]);
    double row[4] = {0}, out = 7;
    mxb_error error;
    FAILS(mxb_model_predict_rows(NULL, row, 1, 3, MXB_PREDICT_RAW, &out, &error), error, MXB_ERROR_PARAM,
          "model is NULL");
    FAILS(mxb_model_predict_rows(model, NULL, 1, 3, MXB_PREDICT_RAW, &out, &error), error, MXB_ERROR_PARAM,
          "rows is NULL");
    FAILS(mxb_model_predict_rows(model, row, 1, 3, MXB_PREDICT_RAW, NULL, &error), error, MXB_ERROR_PARAM,
          "out is NULL");
    FAILS(mxb_model_predict_rows(model, row, 0, 3, MXB_PREDICT_RAW, &out, &error), error, MXB_ERROR_PARAM,
          "n_rows is 0; it must be at least 1");
    FAILS(mxb_model_predict_rows(model, row, 1, 4, MXB_PREDICT_RAW, &out, &error), error, MXB_ERROR_PARAM,
          "a row has 4 values, the model has 3 features");
    FAILS(mxb_model_predict_rows(model, row, 1, 3, MXB_PREDICT_PROBABILITY, &out, &error), error, MXB_ERROR_PARAM,
          "probabilities need a model of objective logloss; this one is of objective mse");
    make_line_rounds(own, &lines);
    FAILS(mxb_model_predict_rows(own, row, 1, 3, MXB_PREDICT_RAW, &out, &error), error, MXB_ERROR_PARAM,
          "the model has rounds of a caller's learner, which predict datasets only; use mxb_model_predict");
    CHECK(out == 7);
    mxb_model_free(model);
    mxb_model_free(own);
}

int main(void) {
    RUN(against_datasets);
    RUN(heap);
    RUN(texts);
    RUN(arguments);
    return check_report();
}
