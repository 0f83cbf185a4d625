/* Numbers at their ends: every example of extreme_data.h with every learner, objective and setting of the tables here.
 * What went in finite comes out finite, metrics are right, and every repair is counted.
 *
 *     numbers [full]    full: also with a column of 2^24 distinct values */
#include <stdlib.h>

#include "model/model.h"
#include "stress/extreme_data.h"
#include "unit/boost/train_data.h"

enum { N_ODD = 8, LARGE = 1 << 18 /* cells from which an example has one setting a learner */ };

static size_t n_examples, n_trainings, n_predictions, n_repairs, n_not_finite;

/* ---- repairs, as they happen ---- */

static size_t n_factors_repaired;

unsigned __real_mxb__cholesky_factor(double *a, size_t n, double *diagonal);
unsigned __wrap_mxb__cholesky_factor(double *a, size_t n, double *diagonal);

unsigned __wrap_mxb__cholesky_factor(double *a, size_t n, double *diagonal) {
    unsigned n_tries = __real_mxb__cholesky_factor(a, n, diagonal);
    n_factors_repaired += n_tries > 0;
    return n_tries;
}

/* ---- objectives ---- */

static mxb_status absolute_value(void *context, size_t n, const double *labels, const double *scores, double *values,
                                 mxb_error *error) {
    (void)context, (void)error;
    for (size_t i = 0; i < n; i++) {
        values[i] = fabs(scores[i] - labels[i]);
    }
    return MXB_OK;
}

/* The second derivative is what `context` says: none, or next to none. */
static mxb_status absolute_derivatives(void *context, size_t n, const double *labels, const double *scores,
                                       double *first, double *second, mxb_error *error) {
    (void)error;
    for (size_t i = 0; i < n; i++) {
        first[i] = scores[i] > labels[i] ? 1.0 : scores[i] < labels[i] ? -1.0 : 0.0;
        second[i] = *(const double *)context;
    }
    return MXB_OK;
}

static double NO_HESSIAN = 0.0, LEAST_HESSIAN = 5e-324;

static const struct objective_case {
    const char *name;
    const char *base_score;
    double *hessian; /* of an absolute loss; NULL: one of the library's */
} OBJECTIVES[] = {
    {"mse", "auto", NULL},       {"logloss", "auto", NULL},    {"logloss", "800", NULL}, /* where hessians are 0 */
    {"logloss", "-1e300", NULL}, {"own", "auto", &NO_HESSIAN}, {"own", "auto", &LEAST_HESSIAN},
};

static int is_logloss(const struct objective_case *objective) { return strcmp(objective->name, "logloss") == 0; }

static int set_objective(mxb_params *params, const struct objective_case *objective) {
    if (objective->hessian == NULL) {
        return mxb_params_set(params, "objective", objective->name, NULL) == MXB_OK &&
               mxb_params_set(params, "base_score", objective->base_score, NULL) == MXB_OK;
    }
    mxb_loss *loss = NULL;
    int fine =
        mxb_loss_create("absolute", absolute_value, absolute_derivatives, objective->hessian, &loss, NULL) == MXB_OK &&
        mxb_params_set_loss(params, loss, NULL) == MXB_OK;
    mxb_loss_free(loss);
    return fine;
}

/* The metric in long double, whose range has the squares of all doubles. */
static double metric_of(const struct objective_case *objective, const struct made_data *data, const double *raw) {
    long double sum = 0.0L, weights = 0.0L;
    for (size_t i = 0; i < data->n_rows; i++) {
        long double weight = data->weights == NULL ? 1.0L : (long double)data->weights[i];
        long double error = (long double)raw[i] - (long double)data->y[i];
        long double wrong_side = data->y[i] == 0.0 ? (long double)raw[i] : -(long double)raw[i];
        sum += weight * (is_logloss(objective)        ? fmaxl(wrong_side, 0.0L) + log1pl(expl(-fabsl(wrong_side)))
                         : objective->hessian != NULL ? fabsl(error)
                                                      : error * error);
        weights += weight;
    }
    return (double)(strcmp(objective->name, "mse") == 0 ? sqrtl(sum / weights) : sum / weights);
}

/* ---- learners and their settings ---- */

static const char *const ALWAYS[] = {"num_round",      "5",         "learning_rate",    "1", "subsample", "1",
                                     "n_components",   "12",        "n_projections",    "1", "n_threads", "1",
                                     "fourier_metric", "isotropic", "min_child_weight", "0", NULL};

static const struct learner_case {
    const char *name;
    const char *options[7]; /* names and values up to NULL */
    int is_fourier;
} LEARNERS[] = {
    {"trees", {"tree_probability", "1", "symmetric_probability", "0", NULL}, 0},
    {"exact trees", {"tree_probability", "1", "symmetric_probability", "0", "use_histograms", "false", NULL}, 0},
    {"symmetric", {"tree_probability", "1", "symmetric_probability", "1", NULL}, 0},
    {"fourier", {"tree_probability", "0", "fourier_linear", "false", NULL}, 1},
    {"fourier with inputs", {"tree_probability", "0", "fourier_linear", "true", NULL}, 1},
};

/* The last two only of fourier rounds. */
static const char *const PENALTIES[] = {"0", "1e-300", "1"};
static const char *const GAMMAS[] = {"1", "1e-3", "1e3", "auto"};
static const char *const SCALINGS[] = {"rank", "none", "standard"};

enum { N_PENALTIES = 3, N_GAMMAS = 4, N_SCALINGS = 3, N_LEARNERS = sizeof LEARNERS / sizeof LEARNERS[0] };

static size_t n_settings(const struct learner_case *learner) {
    return learner->is_fourier ? N_PENALTIES * N_GAMMAS * N_SCALINGS : N_PENALTIES;
}

/* Also with a training's options: those of all, of the learner, and setting number `k` of it. */
static mxb_params *make_params(const struct learner_case *learner, size_t k, const struct objective_case *objective) {
    mxb_params *params = params_of(ALWAYS);
    const char *const settings[][2] = {{"lambda_l2", PENALTIES[k % N_PENALTIES]},
                                       {"alpha", PENALTIES[k % N_PENALTIES]},
                                       {"gamma", GAMMAS[k / N_PENALTIES % N_GAMMAS]},
                                       {"fourier_scaling", SCALINGS[k / N_PENALTIES / N_GAMMAS]}};
    int fine = params != NULL && set_objective(params, objective);
    for (size_t i = 0; fine && learner->options[i] != NULL; i += 2) {
        fine = mxb_params_set(params, learner->options[i], learner->options[i + 1], NULL) == MXB_OK;
    }
    for (size_t i = 0; fine && i < 4; i++) {
        fine = mxb_params_set(params, settings[i][0], settings[i][1], NULL) == MXB_OK;
    }
    if (!fine) {
        mxb_params_free(params);
        params = NULL;
    }
    return params;
}

/* ---- what must hold ---- */

static void check_finite(const double *values, size_t n) {
    size_t n_bad = 0;
    for (size_t i = 0; i < n; i++) {
        n_bad += isfinite(values[i]) ? 0 : 1;
    }
    CHECK_INT(n_bad, 0);
    n_predictions += n;
    n_not_finite += n_bad;
}

/* Rows of values that no training row had. */
static void check_odd_rows(const mxb_model *model, size_t n_columns) {
    static const double odd[N_ODD] = {0.0, HUGE_VAL, -HUGE_VAL, (double)NAN, DBL_MAX, -DBL_MAX, 5e-324, -1.0};
    double *rows = malloc(N_ODD * n_columns * sizeof *rows);
    double out[N_ODD];
    for (size_t i = 0; i < N_ODD * n_columns; i++) {
        rows[i] = odd[(i + i / n_columns) % N_ODD];
    }
    CHECK_INT(mxb_model_predict_rows(model, rows, N_ODD, n_columns, MXB_PREDICT_RAW, out, NULL), MXB_OK);
    check_finite(out, N_ODD);
    free(rows);
}

static void check_metrics(const mxb_model *model, const struct objective_case *objective, const struct made_data *data,
                          const double *raw) {
    double largest = 0.0, evaluated = -1.0;
    for (size_t r = 0; r <= mxb_model_n_curve(model); r++) {
        CHECK(isfinite(mxb_model_curve(model, r, 0)) && mxb_model_curve(model, r, 0) >= 0.0);
    }
    for (size_t i = 0; i < data->n_rows; i++) {
        largest = fmax(largest, fmax(fabs(raw[i]), fabs(data->y[i])));
    }
    double metric = metric_of(objective, data, raw);
    CHECK_INT(mxb_model_evaluate(model, data->dataset, 1, &evaluated, NULL), MXB_OK);
    CHECK_NEAR(evaluated, metric, 1e-12 * metric + 1e-290 * largest + 1e-320);
}

/* Of the rounds, those that say so: as many as equations were repaired, or more where a hessian that never changes lets
 * rounds share theirs; none where none were. (Steps too long for a double, where a loss has next to no hessian, are
 * left out, and the rounds say so, too.) */
static void check_repairs(const mxb_model *model, const struct objective_case *objective) {
    size_t n = 0;
    for (uint32_t r = 0; r < model->n_terms; r++) {
        n += model->terms[r].repaired;
    }
    CHECK_INT(mxb_model_n_repairs(model), n);
    CHECK(is_logloss(objective) ? n == n_factors_repaired : n >= n_factors_repaired);
    CHECK(n_factors_repaired > 0 || n == 0 || objective->hessian != NULL);
    n_repairs += n;
}

static void check_loaded(const mxb_model *model, const mxb_params *params, const struct made_data *data,
                         const double *raw) {
    struct model_bytes bytes = bytes_of(model);
    mxb_model *loaded = NULL;
    mxb_error error = {""};
    CHECK_INT(mxb_model_from_bytes_with(bytes.bytes, bytes.n_bytes, params, &loaded, &error), MXB_OK);
    CHECK_TEXT(error.message, "");
    if (loaded != NULL) {
        double *again = predict(loaded, data);
        CHECK(memcmp(raw, again, data->n_rows * sizeof *raw) == 0);
        CHECK_INT(mxb_model_n_repairs(loaded), mxb_model_n_repairs(model));
        free(again);
    }
    mxb_bytes_free(bytes.bytes);
    mxb_model_free(loaded);
}

static void check_training(const struct made_data *data, const mxb_params *params,
                           const struct objective_case *objective) {
    n_factors_repaired = 0;
    mxb_model *model = train(data, params);
    REQUIRE(model != NULL);
    double *raw = predict(model, data);
    check_finite(raw, data->n_rows);
    check_odd_rows(model, data->n_features);
    check_metrics(model, objective, data, raw);
    check_repairs(model, objective);
    check_loaded(model, params, data, raw);
    n_trainings++;
    free(raw);
    mxb_model_free(model);
}

/* ---- the tables ---- */

static void try_learners(const struct example *example, const struct objective_case *objective) {
    struct made_data data = extreme_data(example, is_logloss(objective));
    for (size_t l = 0; l < N_LEARNERS; l++) {
        size_t n = example->n_rows * example->n_columns >= LARGE ? 1 : n_settings(&LEARNERS[l]);
        for (size_t k = 0; k < n; k++) {
            int failed_before = check_n_failed;
            mxb_params *params = make_params(&LEARNERS[l], k, objective);
            check_training(&data, params, objective);
            mxb_params_free(params);
            if (check_n_failed > failed_before) {
                fprintf(stderr, "    (%s, %s from %s, hessian %g; %s, setting %zu)\n", example->name, objective->name,
                        objective->base_score, objective->hessian == NULL ? 1.0 : *objective->hessian, LEARNERS[l].name,
                        k);
            }
        }
    }
    data_clear(&data);
}

static void finite_in_finite_out(void) {
    for (size_t e = 0; e < sizeof EXAMPLES / sizeof EXAMPLES[0]; e++) {
        const struct example *example = &EXAMPLES[e];
        size_t n = sizeof OBJECTIVES / sizeof OBJECTIVES[0];
        for (size_t o = 0; o < n; o++) {
            if (example->n_rows > 1 || !is_logloss(&OBJECTIVES[o])) { /* which needs both classes */
                try_learners(example, &OBJECTIVES[o]);
            }
        }
        n_examples++;
    }
}

static void many_distinct_values(void) {
    try_learners(&MANY_VALUES, &OBJECTIVES[0]);
    try_learners(&MANY_VALUES, &OBJECTIVES[1]);
    n_examples++;
}

/* ---- scaled copies ---- */

/* Raw predictions and the curve's last value of the plain example, labels and weights times powers of two. */
static double *predict_scaled(const mxb_params *params, int label_exponent, int weight_exponent, double *metric) {
    struct made_data data = extreme_data(&EXAMPLES[0], 0);
    mxb_dataset_free(data.dataset);
    data.weights = malloc(data.n_rows * sizeof *data.weights);
    for (size_t i = 0; i < data.n_rows; i++) {
        data.y[i] = ldexp(data.y[i], label_exponent);
        data.weights[i] = ldexp(1.0 + (double)(i % 3), weight_exponent);
    }
    double *raw = NULL;
    mxb_model *model = data_view(&data) ? train(&data, params) : NULL;
    if (model != NULL) {
        raw = predict(model, &data);
        *metric = ldexp(mxb_model_curve(model, mxb_model_n_curve(model), 0), -label_exponent);
        for (size_t i = 0; i < data.n_rows; i++) {
            raw[i] = ldexp(raw[i], -label_exponent);
        }
        n_trainings++;
    }
    mxb_model_free(model);
    data_clear(&data);
    return raw;
}

static void check_scaled(const mxb_params *params, int label_exponent, int weight_exponent) {
    double metric = -1.0, wanted_metric = -2.0;
    double *wanted = predict_scaled(params, 0, 0, &wanted_metric);
    double *raw = predict_scaled(params, label_exponent, weight_exponent, &metric);
    double largest = 0.0;
    REQUIRE(wanted != NULL && raw != NULL);
    for (size_t i = 0; i < EXAMPLES[0].n_rows; i++) {
        largest = fmax(largest, fabs(raw[i] - wanted[i]));
    }
    CHECK_NEAR(largest, 0.0, label_exponent + weight_exponent < -940 ? 1e-15 : 0.0);
    CHECK_NEAR(metric, wanted_metric, 1e-14);
    free(wanted);
    free(raw);
}

/* Units do not matter: labels in others give predictions in others, weights in others the same, to the last bit. (But
 * for gradients near 2^-1000, where quanta end.) */
static void units_do_not_matter(void) {
    static const int exponents[][2] = {{994, 0}, {500, 0}, {-900, 0}, {0, 950}, {0, -950}, {600, -600}};
    for (size_t l = 0; l < N_LEARNERS; l++) {
        for (size_t k = 0; k < n_settings(&LEARNERS[l]); k += N_PENALTIES) { /* without penalties, which have a unit */
            mxb_params *params = make_params(&LEARNERS[l], k, &OBJECTIVES[0]);
            for (size_t i = 0; i < sizeof exponents / sizeof exponents[0]; i++) {
                int failed_before = check_n_failed;
                check_scaled(params, exponents[i][0], exponents[i][1]);
                if (check_n_failed > failed_before) {
                    fprintf(stderr, "    (%s, setting %zu, labels 2^%d, weights 2^%d)\n", LEARNERS[l].name, k,
                            exponents[i][0], exponents[i][1]);
                }
            }
            mxb_params_free(params);
        }
    }
}

int main(int argc, char **argv) {
    RUN(finite_in_finite_out);
    RUN(units_do_not_matter);
    if (argc > 1 && strcmp(argv[1], "full") == 0) {
        RUN(many_distinct_values);
    }
    CHECK(n_repairs > 0);
    printf("%zu examples, %zu trainings, %zu predictions, %zu not finite, %zu rounds repaired\n", n_examples,
           n_trainings, n_predictions, n_not_finite, n_repairs);
    return check_report();
}
