/* Lemma 1: at any beta, the expectation over the drawn subclass of Gamma_j^2, j the hypothesis that its learner takes,
 * is at least the square of Gamma's norm. The learners are asked in a round of the library's boosting loop that starts
 * from beta; Gamma is computed apart from it. */
#include "check.h"
#include "class_loop.h"
#include "problems.h"

enum { N_POINTS = 60 };

static struct problem problem;
static struct class_loop loop;

/* The hypothesis that subclass k takes in the boosting loop from beta on; SIZE_MAX on failure. */
static size_t ask_learner(const double *beta, size_t k, enum pick pick) {
    double only[MAX_SUBCLASSES] = {0.0};
    mxb_model *model = NULL;
    only[k] = 1.0;
    mxb_status status = class_loop_open(&loop, &problem, only, beta, pick);
    if (status == MXB_OK) {
        status = class_loop_train(&loop, 0, 1, &model);
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, loop.error.message);
    }
    mxb_model_free(model);
    class_loop_close(&loop);
    return status == MXB_OK ? loop.chosen[0] : SIZE_MAX;
}

/* At how many of N_POINTS random points the lemma's inequality is broken. */
static size_t count_violations(enum pick pick) {
    uint64_t state = 5;
    size_t n_violations = 0;
    for (size_t point = 0; point < N_POINTS; point++) {
        double beta[MAX_HYPOTHESES], expectation = 0.0;
        struct coordinates at;
        random_beta(&problem.class, beta, &state);
        find_coordinates(&problem, beta, &at);
        for (size_t k = 0; k < problem.class.n_subclasses; k++) {
            size_t j = ask_learner(beta, k, pick);
            if (j == SIZE_MAX) {
                return SIZE_MAX;
            }
            CHECK(in_subclass(&problem.class, j, k));
            expectation += problem.phi[k] * at.gamma[j] * at.gamma[j];
        }
        double norm = phi_norm(&problem.class, problem.phi, at.gamma);
        n_violations += expectation < norm * norm * (1.0 - 1e-12);
    }
    return n_violations;
}

static void holds_for_the_best_hypothesis(void) {
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        make_problem(index, &problem);
        CHECK_INT(count_violations(PICK_BEST), 0);
    }
}

/* The test above can fail: a learner that takes the worst hypothesis of its subclass breaks the inequality at every
 * point, whatever the probabilities. */
static void is_broken_by_the_worst_hypothesis(void) {
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        make_problem(index, &problem);
        CHECK_INT(count_violations(PICK_WORST), N_POINTS);
    }
}

/* With one subclass the lemma is an equation; with two it is one only where both have the same largest |Gamma|. */
static void is_an_equation_for_one_subclass(void) {
    double beta[MAX_HYPOTHESES];
    struct coordinates at;
    uint64_t state = 6;
    make_problem(1, &problem);
    for (size_t k = 0; k < problem.class.n_subclasses; k++) {
        memset(problem.phi, 0, sizeof problem.phi);
        problem.phi[k] = 1.0;
        random_beta(&problem.class, beta, &state);
        find_coordinates(&problem, beta, &at);
        size_t j = ask_learner(beta, k, PICK_BEST);
        REQUIRE(j != SIZE_MAX);
        CHECK_NEAR(fabs(at.gamma[j]), phi_norm(&problem.class, problem.phi, at.gamma), 1e-14);
    }
}

int main(void) {
    RUN(holds_for_the_best_hypothesis);
    RUN(is_broken_by_the_worst_hypothesis);
    RUN(is_an_equation_for_one_subclass);
    return check_report();
}
