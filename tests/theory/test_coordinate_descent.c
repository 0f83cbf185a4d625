/* The paper's reformulation: the boosting loop is coordinate descent on L(beta). The identities of the appendix at
 * random beta, and the loop's scores after every round against B beta^m of the recursion, which sees the loop's draws
 * and nothing else of it. */
#include "check.h"
#include "class_loop.h"
#include "problems.h"

enum { N_STEPS = 30 };

static struct problem problem;
static struct class_loop loop;

/* ---- the identities ---- */

/* The two derivatives of L by a coordinate, (nabla 1) and (nabla 2), against differences of L itself. */
static void derivatives_are_those_of_the_objective(void) {
    uint64_t state = 11;
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        double beta[MAX_HYPOTHESES], d = 1e-3;
        struct coordinates at;
        make_problem(index, &problem);
        random_beta(&problem.class, beta, &state);
        find_coordinates(&problem, beta, &at);
        double here = objective(&problem, beta);
        for (size_t j = 0; j < problem.class.n_hypotheses; j++) {
            double middle = beta[j];
            beta[j] = middle + d;
            double above = objective(&problem, beta);
            beta[j] = middle - d;
            double below = objective(&problem, beta);
            beta[j] = middle;
            CHECK_NEAR(at.first[j], (above - below) / (2 * d), 1e-6);
            CHECK_NEAR(at.second[j], (above - 2 * here + below) / (d * d), 1e-6);
        }
    }
}

/* sum over i of h_i (-g_i / h_i - sigma B_ij)^2 */
static double squares_left(const double *b, const double *g, const double *h, double sigma) {
    double sum = 0.0;
    for (size_t i = 0; i < problem.class.n_rows; i++) {
        double rest = -g[i] / h[i] - sigma * b[i];
        sum += h[i] * rest * rest;
    }
    return sum;
}

/* The magnitude: the least-squares sigma is -L'_j / L''_j, and leaves the sum of squares less Gamma_j^2. So the
 * coordinate whose best fit leaves the least is the one with the largest |Gamma_j|. */
static void least_squares_and_newton_agree(void) {
    uint64_t state = 12;
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        double beta[MAX_HYPOTHESES], left[MAX_HYPOTHESES], f[MAX_ROWS], g[MAX_ROWS], h[MAX_ROWS];
        struct coordinates at;
        make_problem(index, &problem);
        const struct finite_class *class = &problem.class;
        random_beta(class, beta, &state);
        find_coordinates(&problem, beta, &at);
        find_scores(class, beta, f);
        row_derivatives(&problem, f, g, h);
        for (size_t j = 0; j < class->n_hypotheses; j++) {
            double sigma = -at.first[j] / at.second[j], all = squares_left(class->b[j], g, h, 0.0);
            left[j] = squares_left(class->b[j], g, h, sigma);
            CHECK(left[j] < squares_left(class->b[j], g, h, sigma + 1e-4));
            CHECK(left[j] < squares_left(class->b[j], g, h, sigma - 1e-4));
            CHECK_NEAR(left[j], all - at.gamma[j] * at.gamma[j], 1e-12 * all);
        }
        for (size_t k = 0; k < class->n_subclasses; k++) {
            size_t chosen = choose_coordinate(class, at.gamma, k, PICK_BEST);
            for (size_t j = 0; j < class->n_hypotheses; j++) {
                CHECK(!in_subclass(class, j, k) || left[chosen] <= left[j]);
            }
        }
    }
}

/* ---- the loop, step by step ---- */

static double largest_of(const double *x, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

/* Compares the loop's raw scores, and its objective, with B beta. */
static void compare_scores(const mxb_model *model, const double *beta, size_t round) {
    double scores[MAX_ROWS], expected[MAX_ROWS];
    size_t n = problem.class.n_rows;
    OK(mxb_model_predict(model, loop.data, MXB_PREDICT_RAW, 1, scores, &loop.error), loop.error);
    find_scores(&problem.class, beta, expected);
    double scale = largest_of(expected, n);
    for (size_t i = 0; i < n; i++) {
        CHECK_NEAR(loop.start[i] + scores[i], expected[i], 1e-12 * scale);
    }
    double value = objective(&problem, beta);
    CHECK_NEAR(objective_of_curve(&loop, model, round), value, 1e-12 * value);
}

/* One round at a time, against the recursion from the same beta^0. */
static void follow(size_t seed, double *beta) {
    mxb_trainer *trainer = NULL;
    OK(class_loop_set(&loop, "random_state", (double)seed), loop.error);
    OK(class_loop_set(&loop, "num_round", N_STEPS), loop.error);
    OK(mxb_trainer_create(loop.prepared, NULL, loop.params, &trainer, &loop.error), loop.error);
    for (size_t round = 0; round <= N_STEPS; round++) {
        mxb_model *model = NULL;
        if (mxb_trainer_run(trainer, round, NULL, NULL, &loop.error) == MXB_OK) {
            CHECK_INT(mxb_trainer_model(trainer, &model, &loop.error), MXB_OK);
        }
        if (model == NULL || mxb_model_n_rounds(model) != round) {
            check_failed(__FILE__, __LINE__, loop.error.message);
            mxb_model_free(model);
            break;
        }
        if (round > 0) {
            descend(&problem, beta, drawn_subclass(model, round), loop.pick);
        }
        compare_scores(model, beta, round);
        mxb_model_free(model);
    }
    mxb_trainer_free(trainer);
}

static void follow_from(double size, enum pick pick) {
    uint64_t state = 13;
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        double beta[MAX_HYPOTHESES];
        make_problem(index, &problem);
        random_beta(&problem.class, beta, &state);
        for (size_t j = 0; j < problem.class.n_hypotheses; j++) {
            beta[j] *= size;
        }
        mxb_status status = class_loop_open(&loop, &problem, problem.phi, beta, pick);
        CHECK_INT(status, MXB_OK);
        if (status == MXB_OK) {
            follow(100 + index, beta);
        }
        class_loop_close(&loop);
    }
}

static void scores_follow_the_recursion_from_0(void) { follow_from(0.0, PICK_BEST); }

static void scores_follow_the_recursion_from_anywhere(void) { follow_from(1.0, PICK_BEST); }

/* The reformulation does not depend on which hypothesis is taken; only the rate does. */
static void scores_follow_the_recursion_of_the_worst_hypothesis(void) { follow_from(0.0, PICK_WORST); }

/* The library's own squared error is the theory's, with the same learners. */
static void the_built_in_squared_error_is_the_same(void) {
    double scores[2][MAX_ROWS];
    make_problem(0, &problem);
    for (int is_built_in = 0; is_built_in < 2; is_built_in++) {
        mxb_model *model = NULL;
        OK(class_loop_open(&loop, &problem, problem.phi, NULL, PICK_BEST), loop.error);
        mxb_error *error = &loop.error;
        if (is_built_in) {
            mxb_prepared_free(loop.prepared);
            loop.prepared = NULL;
            mxb_dataset_free(loop.data);
            OK(mxb_dataset_create(problem.class.n_rows, &loop.data, error), loop.error);
            OK(mxb_dataset_add_column(loop.data, NULL, loop.row_numbers, sizeof(double), MXB_FLOAT64, error),
               loop.error);
            OK(mxb_dataset_set_label(loop.data, problem.y, sizeof(double), MXB_FLOAT64, error), loop.error);
            OK(mxb_params_set_loss(loop.params, NULL, error), loop.error);
            OK(mxb_params_set(loop.params, "objective", "mse", error), loop.error);
        }
        OK(class_loop_set(&loop, "num_round", N_STEPS), loop.error);
        OK(mxb_train(loop.data, NULL, loop.params, NULL, NULL, &model, error), loop.error);
        OK(mxb_model_predict(model, loop.data, MXB_PREDICT_RAW, 1, scores[is_built_in], error), loop.error);
        mxb_model_free(model);
        class_loop_close(&loop);
    }
    for (size_t i = 0; i < problem.class.n_rows; i++) {
        CHECK_NEAR(scores[1][i], scores[0][i], 0.0);
    }
}

int main(void) {
    RUN(derivatives_are_those_of_the_objective);
    RUN(least_squares_and_newton_agree);
    RUN(scores_follow_the_recursion_from_0);
    RUN(scores_follow_the_recursion_from_anywhere);
    RUN(scores_follow_the_recursion_of_the_worst_hypothesis);
    RUN(the_built_in_squared_error_is_the_same);
    return check_report();
}
