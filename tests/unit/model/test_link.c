/* From scores to outputs: what a model can give, its own links and a caller's. Numbers are compared with libm's. */
#include "check.h"
#include "model/link.h"
#include "unit/model/naive_predict.h"

static void what_a_model_can_give(void) {
    mxb_model *classes = make_model(&MAKE_SHAPES[2]), *numbers = make_model(&MAKE_SHAPES[1]);
    mxb_model *own = make_model(&MAKE_SHAPES[1]);
    mxb_error error;
    make_own_link(own, NULL);
    for (int output = MXB_PREDICT_VALUE; output <= MXB_PREDICT_RAW; output++) {
        CHECK_INT(mxb__link_check(classes, (mxb_output)output, NULL), MXB_OK);
        CHECK(!mxb__link_is_own(classes, (mxb_output)output));
        CHECK_INT(mxb__link_is_own(own, (mxb_output)output), output == MXB_PREDICT_VALUE);
    }
    FAILS(mxb__link_check(classes, (mxb_output)-1, &error), error, MXB_ERROR_PARAM,
          "output is -1; it must be 0, 1 or 2 (value, probability or raw)");
    FAILS(mxb__link_check(classes, (mxb_output)3, &error), error, MXB_ERROR_PARAM,
          "output is 3; it must be 0, 1 or 2 (value, probability or raw)");
    FAILS(mxb__link_check(numbers, MXB_PREDICT_PROBABILITY, &error), error, MXB_ERROR_PARAM,
          "probabilities need a model of objective logloss; this one is of objective mse");
    FAILS(mxb__link_check(own, MXB_PREDICT_PROBABILITY, &error), error, MXB_ERROR_PARAM,
          "probabilities need a model of objective logloss; this one is of objective cubic");
    FAILS(mxb__link_check(own, MXB_PREDICT_VALUE, &error), error, MXB_ERROR_PARAM,
          "predictions of the loss \"cubic\" go through its link, which is not here; load the model by "
          "mxb_model_load_with and params with that loss, or ask for raw predictions");
    CHECK_INT(mxb__link_check(own, MXB_PREDICT_RAW, NULL), MXB_OK);
    own->has_link = 0;
    CHECK_INT(mxb__link_check(own, MXB_PREDICT_VALUE, NULL), MXB_OK);
    mxb_model_free(classes);
    mxb_model_free(numbers);
    mxb_model_free(own);
}

static void labels_and_probabilities(void) {
    static const double scores[] = {-DBL_MAX, -800, -3, -1e-20, 0, 1e-20, 0.5, 36, DBL_MAX};
    enum { N = sizeof scores / sizeof scores[0] };
    mxb_model *classes = make_model(&MAKE_SHAPES[2]), *numbers = make_model(&MAKE_SHAPES[1]);
    double out[N];
    memcpy(out, scores, sizeof out);
    mxb__link_apply(classes, MXB_PREDICT_RAW, N, out);
    mxb__link_apply(numbers, MXB_PREDICT_VALUE, N, out);
    CHECK(same_bits(out, scores, N));
    mxb__link_apply(classes, MXB_PREDICT_PROBABILITY, N, out);
    for (int i = 0; i < N; i++) {
        double expected = 1 / (1 + exp(-scores[i]));
        CHECK_NEAR(out[i], expected, 4e-15 * expected + 1e-300);
    }
    memcpy(out, scores, sizeof out);
    mxb__link_apply(classes, MXB_PREDICT_VALUE, N, out);
    for (int i = 0; i < N; i++) {
        CHECK(out[i] == (scores[i] > 0 ? 3 : -1));
    }
    mxb_model_free(classes);
    mxb_model_free(numbers);
}

static void a_callers_link(void) {
    static const size_t order[] = {2, 0};
    mxb_model *model = make_model(&MAKE_SHAPES[0]);
    double x[3] = {0}, scores[3] = {2, -3, 0.5}, huge[2] = {1, 1e200};
    mxb_dataset *dataset = make_dataset(x, 3, 1), *subset;
    mxb_error error;
    make_own_link(model, link_cube);
    OK(mxb__link_apply_own(model, dataset, dataset->n_rows, scores, &error), error);
    CHECK(scores[0] == 8 && scores[1] == -27 && scores[2] == 0.125);
    OK(mxb_dataset_select(dataset, order, 2, &subset, &error), error);
    FAILS(mxb__link_apply_own(model, subset, subset->n_rows, huge, &error), error, MXB_ERROR_DATA,
          "the link of the loss \"cubic\" gave inf for row 1 of the dataset; it must be finite");
    scores[0] = 3;
    OK(mxb__link_apply_own(model, NULL, 1, scores, &error), error);
    CHECK(scores[0] == 27 && scores[1] == -27); /* one row alone */
    scores[0] = -1e200;
    FAILS(mxb__link_apply_own(model, NULL, 1, scores, &error), error, MXB_ERROR_DATA,
          "the link of the loss \"cubic\" gave -inf for row 1; it must be finite");
    mxb_dataset_free(subset);
    mxb_dataset_free(dataset);
    mxb_model_free(model);
}

int main(void) {
    RUN(what_a_model_can_give);
    RUN(labels_and_probabilities);
    RUN(a_callers_link);
    return check_report();
}
