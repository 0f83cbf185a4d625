/* The loss of a training, built-in and a caller's: the same numbers, and every wrong one named. */
#include "loss/objective.h"

#include "base/parallel.h"
#include "check.h"
#include "unit/boost/make_own.h"

enum { N = 9001 }; /* several blocks and a rest */

static uint8_t is_1[N];
static double labels[N], weights[N], scores[N], g[2][N], h[2][N];
static double scratch[N + 64];

static mxb_loss loss_of(struct own_loss *own) {
    mxb_loss loss = {.name = "mine",
                     .metric_name = "error",
                     .value = own_value,
                     .derivatives = own_derivatives,
                     .start = own_start,
                     .context = own};
    return loss;
}

static struct loss_rows make_rows(int two_classes, int weighted) {
    uint64_t state = 5;
    struct loss_rows rows = {
        .n_rows = N, .labels = labels, .is_1 = is_1, .weights = weighted ? weights : NULL, .scores = scores};
    for (size_t i = 0; i < N; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double u = (double)(state >> 11) * 0x1p-53;
        scores[i] = 8.0 * u - 4.0;
        is_1[i] = (state >> 7) % 3 == 0;
        labels[i] = two_classes ? is_1[i] : 3.0 * u * u;
        weights[i] = (double)((state >> 20) % 1000) / 100.0 + 0.01;
        rows.weight_sum += weighted ? weights[i] : 1.0;
    }
    return rows;
}

static const struct loss_place PLACE = {"the training data", NULL, 7};

/* Derivatives and metric, or the metric alone. */
static mxb_status measure(const struct objective *objective, struct loss_rows rows, const struct loss_place *place,
                          int with_derivatives, struct measurement *measured, mxb_error *error) {
    rows.g = with_derivatives ? g[0] : NULL;
    rows.h = with_derivatives ? h[0] : NULL;
    return mxb__objective_measure(objective, &rows, place, NULL, scratch, measured, error);
}

static void finds_the_one_that_is_meant(void) {
    mxb_loss none = {.name = ""};
    struct own_loss own = {0};
    mxb_loss mine = loss_of(&own);
    struct objective objective = mxb__objective_find(&none, "logloss");
    CHECK(objective.own == NULL && objective.loss == mxb__loss_find("logloss"));
    CHECK(mxb__objective_two_classes(&objective) && !mxb__objective_constant_hessian(&objective));
    CHECK(mxb__objective_hessian(&objective) == HESSIAN_LOGISTIC);
    objective = mxb__objective_find(NULL, "mse");
    CHECK(objective.loss == mxb__loss_find("mse") && mxb__objective_constant_hessian(&objective));
    objective = mxb__objective_find(&mine, "logloss");
    CHECK(objective.own == &mine && objective.loss == NULL);
    CHECK(mxb__objective_hessian(&objective) == HESSIAN_STORED);
    CHECK(!mxb__objective_two_classes(&objective) && !mxb__objective_constant_hessian(&objective));
}

/* Whatever the weights and the number of threads. */
static void a_loss_that_repeats_a_built_in_one_gives_its_bits(void) {
    for (int k = 0; k < 8; k++) {
        int two_classes = k & 1, weighted = k >> 1 & 1;
        struct pool *pool = mxb__pool_open(k & 4 ? 3 : 1);
        struct own_loss own = {.two_classes = two_classes};
        mxb_loss mine = loss_of(&own);
        struct objective objectives[2] = {mxb__objective_find(NULL, two_classes ? "logloss" : "mse"),
                                          mxb__objective_find(&mine, "mse")};
        struct loss_rows rows = make_rows(two_classes, weighted);
        struct measurement measured[2], judged[2];
        double start[2];
        mxb_error error;
        for (int i = 0; i < 2; i++) {
            CHECK(mxb__objective_scratch(&objectives[i], N) <= sizeof scratch / sizeof scratch[0]);
            OK(mxb__objective_start(&objectives[i], &rows, &start[i], &error), error);
            OK(mxb__objective_measure(&objectives[i], &rows, &PLACE, pool, scratch, &judged[i], &error), error);
            rows.g = g[i];
            rows.h = h[i];
            OK(mxb__objective_measure(&objectives[i], &rows, &PLACE, pool, scratch, &measured[i], &error), error);
            rows.g = rows.h = NULL;
            CHECK(judged[i].metric == measured[i].metric && judged[i].range.sum_h == 0);
        }
        CHECK(start[0] == start[1]);
        CHECK(measured[0].metric ==
              (two_classes ? measured[1].metric : sqrt(measured[1].metric))); /* mean of squares */
        CHECK(memcmp(g[0], g[1], sizeof g[0]) == 0 && memcmp(h[0], h[1], sizeof h[0]) == 0);
        CHECK(memcmp(&measured[0].range, &measured[1].range, sizeof measured[0].range) == 0);
        mxb__pool_close(pool);
    }
}

static void a_metric_of_ones_own_is_taken_as_it_is(void) {
    struct own_loss own = {0};
    mxb_loss mine = loss_of(&own);
    struct objective objective = mxb__objective_find(&mine, "mse");
    struct loss_rows rows = make_rows(0, 1);
    struct measurement measured;
    double expected;
    mxb_error error;
    mine.metric = own_metric;
    OK(measure(&objective, rows, &PLACE, 0, &measured, &error), error);
    OK(own_metric(&own, N, labels, weights, scores, &expected, &error), error);
    CHECK(measured.metric == expected);
    CHECK_INT(own.n_values, 0);
}

static void without_a_start_it_is_0(void) {
    struct own_loss own = {0};
    mxb_loss mine = loss_of(&own);
    struct objective objective = mxb__objective_find(&mine, "mse");
    struct loss_rows rows = make_rows(0, 0);
    double start = 5;
    mxb_error error;
    mine.start = NULL;
    OK(mxb__objective_start(&objective, &rows, &start, &error), error);
    CHECK(start == 0);
}

/* ---- what callbacks do wrong ---- */

static void wrong_numbers_are_named(void) {
    static const uint32_t array_rows[4] = {10, 11, 16, 20};
    struct own_loss own = {0};
    mxb_loss mine = loss_of(&own);
    struct objective objective = mxb__objective_find(&mine, "mse");
    struct loss_rows rows = make_rows(0, 0);
    struct loss_place valid = {"the validation data", array_rows, 3};
    struct measurement measured;
    double number;
    mxb_error error;
    rows.n_rows = 4;
    rows.weight_sum = 4;
    own.derivatives_mischief = (struct mischief){1, MXB_OK, (double)NAN, 2};
    FAILS(measure(&objective, rows, &PLACE, 1, &measured, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" gave a first derivative of nan after round 7 in row 3 of the training data; it must be "
          "finite");
    own = (struct own_loss){.derivatives_mischief = {1, MXB_OK, -1e-300, 1002}};
    FAILS(measure(&objective, rows, &valid, 1, &measured, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" gave a second derivative of -1e-300 after round 3 in row 17 of the validation data; it "
          "must be finite and not negative");
    own = (struct own_loss){.derivatives_mischief = {1, MXB_OK, HUGE_VAL, 1003}};
    CHECK_INT(measure(&objective, rows, &valid, 1, &measured, &error), MXB_ERROR_DATA);
    own = (struct own_loss){.derivatives_mischief = {1, MXB_OK, 0.0, 1003}}; /* 0 is fine */
    OK(measure(&objective, rows, &valid, 1, &measured, &error), error);
    own = (struct own_loss){.value_mischief = {1, MXB_OK, -HUGE_VAL, 0}};
    FAILS(measure(&objective, rows, &valid, 0, &measured, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" gave a value of -inf after round 3 in row 11 of the validation data; it must be finite");
    own = (struct own_loss){.start_mischief = {1, MXB_OK, (double)NAN, 0}};
    FAILS(mxb__objective_start(&objective, &rows, &number, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" gave a start value of nan; it must be finite");
    mine.metric = own_metric;
    own = (struct own_loss){.metric_mischief = {1, MXB_OK, HUGE_VAL, 0}};
    FAILS(measure(&objective, rows, &valid, 0, &measured, &error), error, MXB_ERROR_DATA,
          "the loss \"mine\" gave a metric of inf after round 3 on the validation data");
}

static void failures_are_passed_on(void) {
    static const struct mischief failing = {1, MXB_ERROR_IO, 0, 0}, stopping = {1, MXB_STOPPED, 0, 0};
    struct own_loss own = {.derivatives_mischief = failing, .value_mischief = stopping, .start_mischief = failing};
    mxb_loss mine = loss_of(&own);
    struct objective objective = mxb__objective_find(&mine, "mse");
    struct loss_rows rows = make_rows(0, 0);
    struct measurement measured;
    double number;
    mxb_error error;
    FAILS(measure(&objective, rows, &PLACE, 1, &measured, &error), error, MXB_ERROR_IO,
          "the loss \"mine\" failed after round 7 on the training data: call 1 went wrong");
    FAILS(measure(&objective, rows, &PLACE, 0, &measured, &error), error, MXB_STOPPED,
          "the loss \"mine\" stopped after round 7 on the training data: call 1 went wrong");
    FAILS(mxb__objective_start(&objective, &rows, &number, &error), error, MXB_ERROR_IO,
          "the loss \"mine\" failed in giving a start value: call 1 went wrong");
    mine.metric = own_metric;
    own.metric_mischief = failing;
    FAILS(measure(&objective, rows, &PLACE, 0, &measured, &error), error, MXB_ERROR_IO,
          "the loss \"mine\" failed after round 7 on the training data: call 1 went wrong");
}

/* A row of weight 0 is as if absent, even if nothing can be said about it. */
static void rows_of_weight_0_do_not_count(void) {
    struct own_loss own = {.value_mischief = {2, MXB_OK, (double)NAN, 5}};
    mxb_loss mine = loss_of(&own);
    struct objective objective = mxb__objective_find(&mine, "mse");
    struct loss_rows rows = make_rows(0, 1);
    struct measurement measured[2];
    mxb_error error;
    rows.weight_sum -= weights[5];
    weights[5] = 0;
    OK(measure(&objective, rows, &PLACE, 0, &measured[0], &error), error);
    OK(measure(&objective, rows, &PLACE, 0, &measured[1], &error), error);
    CHECK(measured[0].metric == measured[1].metric);
}

int main(void) {
    RUN(finds_the_one_that_is_meant);
    RUN(a_loss_that_repeats_a_built_in_one_gives_its_bits);
    RUN(a_metric_of_ones_own_is_taken_as_it_is);
    RUN(without_a_start_it_is_0);
    RUN(wrong_numbers_are_named);
    RUN(failures_are_passed_on);
    RUN(rows_of_weight_0_do_not_count);
    return check_report();
}
