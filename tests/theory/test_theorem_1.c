/* Theorem 1: with the learning rate mu / S, E[L(beta^M)] - L(beta*) <= (1 - mu^2/S^2 Theta^2)^M (L(beta^0) - L(beta*)).
 *
 * The library draws a subclass from seed and round; no caller can dictate a sequence of draws. So the expectation over
 * few rounds is enumerated over all sequences with the recursion of coordinates.h, and the boosting loop is trained
 * with many seeds: each training must follow the recursion along its own draws, all sequences must come up, and the
 * trainings' mean must be the enumerated expectation but for chance. Over many rounds the mean itself is held against
 * the bound.
 *
 * Theta is the lower end of the grid's interval, which makes the bound weaker by the grid's slack and never wrong. A
 * learner that takes the worst hypothesis must break each bound: the tests can fail. */
#include "check.h"
#include "class_loop.h"
#include "problems.h"

enum { N_ENUMERATED = 8, N_AVERAGED = 40, N_SEEDS = 400 };

/* A mean of N_SEEDS trainings may be off by this many of its standard errors. Seeds are fixed, so nothing ever
 * flickers. */
static const double N_ERRORS = 4.0;

static struct problem problem;
static struct class_loop loop;
static double optimum;
static double theta; /* at most the problem's; the grid is slow, so it is asked once */

static double contraction(double cosine) {
    double ratio = problem.loss.mu / problem.loss.s;
    return 1.0 - ratio * ratio * cosine * cosine;
}

/* The theorem's right side. */
static double bound(double cosine, size_t n_rounds) {
    static const double ZERO[MAX_HYPOTHESES];
    return pow(contraction(cosine), (double)n_rounds) * (objective(&problem, ZERO) - optimum);
}

static void prepare(size_t index) {
    static double thetas[N_PROBLEMS];
    double gap;
    make_problem(index, &problem);
    if (thetas[index] == 0.0) {
        thetas[index] = minimum_cosine(&problem.class, problem.phi).low;
    }
    theta = thetas[index];
    optimum = find_optimum(&problem, &gap);
}

/* ---- the proof's steps ---- */

/* At beta: every single step descends by mu / 2S Gamma_j^2; the expectation by mu / 2S^2 ||L'||^2; and ||L'||^2 is at
 * least 2 mu Theta^2 (L - L*). Together: one round contracts. */
static void check_steps_at(double *beta) {
    const struct smooth_loss *loss = &problem.loss;
    struct coordinates at;
    double here = objective(&problem, beta), expectation = 0.0, room = 1e-12 * here;
    find_coordinates(&problem, beta, &at);
    for (size_t j = 0; j < problem.class.n_hypotheses; j++) {
        double before = beta[j];
        beta[j] -= learning_rate(&problem) * at.first[j] / at.second[j];
        CHECK(objective(&problem, beta) <= here - loss->mu / (2 * loss->s) * at.gamma[j] * at.gamma[j] + room);
        beta[j] = before;
    }
    for (size_t k = 0; k < problem.class.n_subclasses; k++) {
        double next[MAX_HYPOTHESES];
        memcpy(next, beta, sizeof next);
        descend(&problem, next, k, PICK_BEST);
        expectation += problem.phi[k] * objective(&problem, next);
    }
    double norm = phi_norm(&problem.class, problem.phi, at.first);
    CHECK(expectation <= here - loss->mu / (2 * loss->s * loss->s) * norm * norm + room);
    CHECK(norm * norm >= 2 * loss->mu * theta * theta * (here - optimum) - room);
    CHECK(expectation - optimum <= contraction(theta) * (here - optimum) + room);
}

static void the_proof_holds_step_by_step(void) {
    uint64_t state = 21;
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        prepare(index);
        for (int point = 0; point < 100; point++) {
            double beta[MAX_HYPOTHESES] = {0.0};
            random_beta(&problem.class, beta, &state);
            check_steps_at(beta);
        }
    }
}

/* ---- enumeration ---- */

/* E[x] and E[x^2] of the excess x = L(beta^m) - L(beta*) for each m. */
struct expectation {
    double mean[N_ENUMERATED + 1];
    double square[N_ENUMERATED + 1];
};

/* Adds what the sequences that begin with the draws so far, of this probability, give. */
static void enumerate(const double *beta, size_t m, double probability, enum pick pick, struct expectation *of) {
    double excess = objective(&problem, beta) - optimum;
    of->mean[m] += probability * excess;
    of->square[m] += probability * excess * excess;
    for (size_t k = 0; m < N_ENUMERATED && k < problem.class.n_subclasses; k++) {
        if (problem.phi[k] > 0.0) {
            double next[MAX_HYPOTHESES];
            memcpy(next, beta, sizeof next);
            descend(&problem, next, k, pick);
            enumerate(next, m + 1, probability * problem.phi[k], pick, of);
        }
    }
}

static void enumerate_all(enum pick pick, struct expectation *of) {
    static const double ZERO[MAX_HYPOTHESES];
    memset(of, 0, sizeof *of);
    enumerate(ZERO, 0, 1.0, pick, of);
}

static void the_enumerated_expectation_obeys_the_bound(void) {
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        struct expectation best, worst;
        prepare(index);
        enumerate_all(PICK_BEST, &best);
        enumerate_all(PICK_WORST, &worst);
        CHECK_NEAR(best.mean[0], bound(theta, 0), 1e-12);
        for (size_t m = 1; m <= N_ENUMERATED; m++) {
            CHECK(best.mean[m] <= bound(theta, m) + 1e-12);
        }
        CHECK(worst.mean[N_ENUMERATED] > 1.05 * bound(theta, N_ENUMERATED));
    }
}

/* ---- the boosting loop ---- */

/* Mean over seeds of L(beta^m) - L(beta*) for each m, with its standard error. */
struct averages {
    double mean[N_AVERAGED + 1];
    double error[N_AVERAGED + 1];
};

/* The recursion along the training's draws gives its scores. */
static void replay(const mxb_model *model) {
    double beta[MAX_HYPOTHESES] = {0.0}, scores[MAX_ROWS], expected[MAX_ROWS];
    for (size_t round = 1; round <= mxb_model_n_rounds(model); round++) {
        size_t k = drawn_subclass(model, round);
        CHECK(problem.phi[k] > 0.0);
        descend(&problem, beta, k, loop.pick);
    }
    OK(mxb_model_predict(model, loop.data, MXB_PREDICT_RAW, 1, scores, &loop.error), loop.error);
    find_scores(&problem.class, beta, expected);
    for (size_t i = 0; i < problem.class.n_rows; i++) {
        CHECK_NEAR(scores[i], expected[i], 1e-12);
    }
}

/* Trains with every seed. */
static void average(enum pick pick, struct averages *averages) {
    double sum[N_AVERAGED + 1] = {0.0}, sum_of_squares[N_AVERAGED + 1] = {0.0};
    mxb_status status = class_loop_open(&loop, &problem, problem.phi, NULL, pick);
    for (size_t seed = 0; status == MXB_OK && seed < N_SEEDS; seed++) {
        mxb_model *model;
        status = class_loop_train(&loop, seed, N_AVERAGED, &model);
        for (size_t m = 0; status == MXB_OK && m <= N_AVERAGED; m++) {
            double excess = objective_of_curve(&loop, model, m) - optimum;
            sum[m] += excess / N_SEEDS;
            sum_of_squares[m] += excess * excess / N_SEEDS;
        }
        if (status == MXB_OK) {
            replay(model);
        }
        mxb_model_free(model);
    }
    for (size_t m = 0; m <= N_AVERAGED; m++) {
        averages->mean[m] = sum[m];
        averages->error[m] = sqrt(fmax(sum_of_squares[m] - sum[m] * sum[m], 0.0) / (N_SEEDS - 1));
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, loop.error.message);
    }
    class_loop_close(&loop);
}

static void the_loops_mean_obeys_the_bound(void) {
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        struct averages best, worst;
        struct expectation expectation;
        prepare(index);
        average(PICK_BEST, &best);
        enumerate_all(PICK_BEST, &expectation);
        for (size_t m = 0; m <= N_AVERAGED; m++) {
            CHECK(best.mean[m] <= bound(theta, m) + N_ERRORS * best.error[m] + 1e-12);
        }
        for (size_t m = 0; m <= N_ENUMERATED; m++) {
            double variance = expectation.square[m] - expectation.mean[m] * expectation.mean[m];
            double error = sqrt(fmax(variance, 0.0) / N_SEEDS);
            CHECK_NEAR(best.mean[m], expectation.mean[m], N_ERRORS * error + 1e-12);
        }
        average(PICK_WORST, &worst);
        double broken = bound(theta, N_AVERAGED) + N_ERRORS * worst.error[N_AVERAGED];
        CHECK(worst.mean[N_AVERAGED] > 2.0 * broken);
    }
}

/* Over few rounds the trainings meet every sequence that the enumeration counts: none of its terms is unknown to the
 * loop. */
static void the_loop_meets_every_sequence(void) {
    enum { N_FEW = 4, N_SEQUENCES = 3 * 3 * 3 * 3 };
    int is_seen[N_SEQUENCES] = {0};
    int n_seen = 0;
    prepare(1);
    OK(class_loop_open(&loop, &problem, problem.phi, NULL, PICK_BEST), loop.error);
    for (size_t seed = 0; seed < 2 * N_SEEDS; seed++) {
        mxb_model *model;
        OK(class_loop_train(&loop, seed, N_FEW, &model), loop.error);
        size_t sequence = 0;
        for (size_t round = 1; round <= N_FEW; round++) {
            sequence = 3 * sequence + drawn_subclass(model, round);
        }
        n_seen += !is_seen[sequence];
        is_seen[sequence] = 1;
        replay(model);
        mxb_model_free(model);
    }
    CHECK_INT(n_seen, N_SEQUENCES);
    class_loop_close(&loop);
}

/* The bound is no looser than it must be: the axes of Range(B) as one subclass, and labels along their diagonal, the
 * direction where Theta = 1 / sqrt(3) is attained. One round takes off exactly what the theorem says; a Theta larger by
 * 0.01 would be refuted. */
static void the_bound_is_attained(void) {
    static const double AXES[][MAX_RANK] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    uint64_t state = 22;
    double gap;
    mxb_model *model;
    make_class(&problem.class, 3, 6, 3, 1, &state);
    make_labels(&problem, &SQUARED, &state);
    memcpy(problem.phi, (const double[MAX_SUBCLASSES]){1.0}, sizeof problem.phi);
    for (size_t j = 0; j < 3; j++) {
        set_hypothesis(&problem.class, j, AXES[j], 1u);
    }
    find_scores(&problem.class, (const double[MAX_HYPOTHESES]){2.0, 2.0, 2.0}, problem.y);
    optimum = find_optimum(&problem, &gap);
    OK(class_loop_open(&loop, &problem, problem.phi, NULL, PICK_BEST), loop.error);
    OK(class_loop_train(&loop, 0, 1, &model), loop.error);
    double excess = objective_of_curve(&loop, model, 1) - optimum, cosine = 1.0 / sqrt(3.0);
    CHECK_NEAR(excess, bound(cosine, 1), 1e-12);
    CHECK(excess > bound(cosine + 0.01, 1));
    mxb_model_free(model);
    class_loop_close(&loop);
}

/* ---- Theta = 1: the rate of Newton's method ---- */

/* A training whose every round must be a Newton step over Range(B) times the learning rate, but for an error of at most
 * `slack` of the step's length; and the bound with this Theta. */
static void follow_newton(double cosine, double slack) {
    enum { N_STEPS = 20 };
    double before[MAX_ROWS] = {0.0}, scores[MAX_ROWS], step[MAX_ROWS];
    double rate = learning_rate(&problem), gap;
    size_t n = problem.class.n_rows;
    mxb_trainer *trainer;
    mxb_model *model;
    optimum = find_optimum(&problem, &gap);
    OK(class_loop_open(&loop, &problem, problem.phi, NULL, PICK_BEST), loop.error);
    OK(class_loop_set(&loop, "num_round", N_STEPS), loop.error);
    OK(mxb_trainer_create(loop.prepared, NULL, loop.params, &trainer, &loop.error), loop.error);
    for (size_t round = 1; round <= N_STEPS; round++) {
        OK(mxb_trainer_run(trainer, round, NULL, NULL, &loop.error), loop.error);
        OK(mxb_trainer_model(trainer, &model, &loop.error), loop.error);
        OK(mxb_model_predict(model, loop.data, MXB_PREDICT_RAW, 1, scores, &loop.error), loop.error);
        newton_step(&problem, before, step);
        double length = sqrt(dot(step, step, n)), miss = 0.0;
        for (size_t i = 0; i < n; i++) {
            double difference = scores[i] - before[i] - rate * step[i];
            miss += difference * difference;
        }
        CHECK(sqrt(miss) <= rate * slack * length + 1e-13);
        CHECK(objective_of_curve(&loop, model, round) - optimum <= bound(cosine, round) + 1e-13);
        memcpy(before, scores, sizeof before);
        mxb_model_free(model);
    }
    mxb_trainer_free(trainer);
    class_loop_close(&loop);
}

/* Range(B) of dimension 1: every hypothesis is the Newton direction, Theta is 1, whatever is drawn. For the squared
 * error the rate 1 - mu^2/S^2 is 0: one round ends at the optimum, as the bound demands. */
static void theta_1_gives_the_newton_rate(void) {
    const struct smooth_loss *losses[] = {&SQUARED, &LOGISTIC};
    for (size_t index = 0; index < 2; index++) {
        uint64_t state = 31;
        make_class(&problem.class, 1, 5, 4, 2, &state);
        make_labels(&problem, losses[index], &state);
        memcpy(problem.phi, (const double[MAX_SUBCLASSES]){0.25, 0.75}, sizeof problem.phi);
        CHECK_NEAR(minimum_cosine(&problem.class, problem.phi).low, 1.0, 1e-15);
        follow_newton(1.0, 1e-12);
    }
}

/* A fan of n directions over a plane, Theta = cos(pi / 2n): as n grows the class is dense and Theta goes to 1. One of
 * the directions is within the angle pi / 2n of the Newton step d, so at most |d| sin(pi / 2n) away from it; the one
 * chosen is the closest in the norm that h weighs, where lengths change by factors between sqrt(mu) and sqrt(S). */
static void a_dense_class_comes_close_to_newton(void) {
    const struct smooth_loss *losses[] = {&SQUARED, &LOGISTIC};
    for (size_t n = 90; n <= MAX_HYPOTHESES; n *= 2) {
        for (size_t index = 0; index < 2; index++) {
            uint64_t state = 32;
            make_class(&problem.class, 2, 6, n, 1, &state);
            for (size_t j = 0; j < n; j++) {
                double angle = PI * (double)j / (double)n;
                set_hypothesis(&problem.class, j, (const double[]){cos(angle), sin(angle)}, 1u);
            }
            make_labels(&problem, losses[index], &state);
            memcpy(problem.phi, (const double[MAX_SUBCLASSES]){1.0}, sizeof problem.phi);
            double half = PI / (2.0 * (double)n);
            follow_newton(cos(half), sin(half) * sqrt(problem.loss.s / problem.loss.mu));
        }
    }
}

int main(void) {
    RUN(the_proof_holds_step_by_step);
    RUN(the_enumerated_expectation_obeys_the_bound);
    RUN(the_loops_mean_obeys_the_bound);
    RUN(the_loop_meets_every_sequence);
    RUN(the_bound_is_attained);
    RUN(theta_1_gives_the_newton_rate);
    RUN(a_dense_class_comes_close_to_newton);
    return check_report();
}
