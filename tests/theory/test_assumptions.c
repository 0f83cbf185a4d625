/* What the theory asks for, of the losses and classes that its tests use: Assumptions 1 to 3, and the minimum cosine
 * angle of Definition 1 by its grid against values known in closed form and against a search of the corners. */
#include "check.h"
#include "problems.h"

static struct problem problem;

/* Assumptions 1 and 2: mu <= l'' <= S, and both bounds are reached; the derivatives are those of the value. */
static void losses_are_strongly_convex_and_smooth(void) {
    const struct smooth_loss *losses[] = {&SQUARED, &LOGISTIC};
    for (size_t k = 0; k < 2; k++) {
        double least = INFINITY, largest = 0.0;
        for (int step = -4000; step <= 4000; step++) {
            double f = step * 0.01, y = step % 2 == 0 ? 1.0 : -1.0, d = 1e-5;
            double second = loss_second(losses[k], f);
            least = fmin(least, second);
            largest = fmax(largest, second);
            double above = loss_value(losses[k], y, f + d), below = loss_value(losses[k], y, f - d);
            CHECK_NEAR(loss_first(losses[k], y, f), (above - below) / (2 * d), 1e-6);
            above = loss_first(losses[k], y, f + d), below = loss_first(losses[k], y, f - d);
            CHECK_NEAR(second, (above - below) / (2 * d), 1e-6);
        }
        CHECK(least >= losses[k]->mu && least < losses[k]->mu + 1e-9);
        CHECK(largest <= losses[k]->s && largest > losses[k]->s - 1e-9);
    }
}

/* Assumption 3: every hypothesis has length 1 over the rows, every subclass has one, every hypothesis is in one; and
 * what the tests rely on: the basis is orthonormal and spans them. */
static void classes_are_normalised(void) {
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        make_problem(index, &problem);
        const struct finite_class *class = &problem.class;
        unsigned seen = 0;
        for (size_t j = 0; j < class->n_hypotheses; j++) {
            CHECK_NEAR(dot(class->b[j], class->b[j], class->n_rows), 1.0, 1e-14);
            CHECK(class->subclasses[j] != 0 && class->subclasses[j] < 1u << class->n_subclasses);
            seen |= class->subclasses[j];
            for (size_t r = 0; r < class->rank; r++) {
                CHECK_NEAR(dot(class->b[j], class->basis[r], class->n_rows), class->inside[j][r], 1e-14);
            }
        }
        CHECK_INT(seen, (1u << class->n_subclasses) - 1);
        for (size_t r = 0; r < class->rank; r++) {
            for (size_t s = 0; s < class->rank; s++) {
                CHECK_NEAR(dot(class->basis[r], class->basis[s], class->n_rows), r == s, 1e-14);
            }
        }
        CHECK_NEAR(problem.phi[0] + problem.phi[1] + problem.phi[2], 1.0, 1e-15);
    }
}

static void the_optimum_is_proven(void) {
    for (size_t index = 0; index < N_PROBLEMS; index++) {
        double gap, beta[MAX_HYPOTHESES];
        uint64_t state = 77;
        make_problem(index, &problem);
        double least = find_optimum(&problem, &gap);
        CHECK(gap < 1e-14);
        for (int point = 0; point < 100; point++) {
            random_beta(&problem.class, beta, &state);
            CHECK(objective(&problem, beta) > least);
        }
    }
}

/* ---- the minimum cosine angle ---- */

static void check_theta(const struct finite_class *class, const double *phi, double exact) {
    struct theta theta = minimum_cosine(class, phi);
    CHECK(theta.low <= exact + 1e-12);
    CHECK(exact <= theta.high + 1e-12);
    CHECK(theta.high - theta.low < 0.005);
}

/* The axes of Range(B) as hypotheses. In one subclass: the farthest direction from all is the diagonal. In a subclass
 * each: sum of phi_k |u_k|, least on the axis with the least phi. */
static void of_the_axes(void) {
    static const double PHI[] = {0.5, 0.2, 0.3};
    for (size_t rank = 1; rank <= 3; rank++) {
        for (int is_split = 0; is_split < 2; is_split++) {
            uint64_t state = rank;
            make_class(&problem.class, rank, 6, rank, is_split ? rank : 1, &state);
            for (size_t j = 0; j < rank; j++) {
                double axis[MAX_RANK] = {0.0};
                axis[j] = j % 2 == 0 ? 1.0 : -1.0;
                set_hypothesis(&problem.class, j, axis, is_split ? 1u << j : 1u);
            }
            static const double LEAST[] = {0.5, 0.2, 0.2};
            static const double ALL[] = {1.0};
            check_theta(&problem.class, is_split ? PHI : ALL, is_split ? LEAST[rank - 1] : 1.0 / sqrt((double)rank));
        }
    }
}

/* n directions evenly over the half circle: the farthest lies midway between two. */
static void of_a_fan(void) {
    for (size_t n = 2; n <= MAX_HYPOTHESES; n = 3 * n - 1) {
        uint64_t state = n;
        make_class(&problem.class, 2, 5, n, 1, &state);
        for (size_t j = 0; j < n; j++) {
            double angle = PI * (double)j / (double)n;
            set_hypothesis(&problem.class, j, (const double[]){cos(angle), sin(angle)}, 1u);
        }
        check_theta(&problem.class, (const double[]){1.0}, cos(PI / (2.0 * (double)n)));
    }
}

/* The planes through 0 on which the cosine norm may bend: |a_i . u| = |a_j . u| or a_i . u = 0. */
static size_t find_bends(const struct finite_class *class, double bends[][MAX_RANK]) {
    size_t n = 0;
    for (size_t i = 0; i < class->n_hypotheses; i++) {
        memcpy(bends[n++], class->inside[i], sizeof bends[0]);
        for (size_t j = 0; j < i; j++) {
            for (size_t r = 0; r < MAX_RANK; r++) {
                bends[n][r] = class->inside[i][r] - class->inside[j][r];
                bends[n + 1][r] = class->inside[i][r] + class->inside[j][r];
            }
            n += 2;
        }
    }
    return n;
}

/* Theta exactly. Between the bends the cosine norm is a linear function w . u that is positive; over the length of u it
 * is quasi-concave, so that its least value is at a corner of the region: where two bends meet (rank 3), or one (rank
 * 2). */
static double search_corners(const struct finite_class *class, const double *phi) {
    static double bends[15 * 15][MAX_RANK];
    size_t n = find_bends(class, bends);
    double least = 1.0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < (class->rank == 3 ? i : 1); j++) {
            const double *p = bends[i], *q = class->rank == 3 ? bends[j] : (const double[]){0.0, 0.0, 1.0};
            double corner[] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
            if (dot(corner, corner, 3) > 1e-20) {
                scale_to_length_1(corner, 3);
                least = fmin(least, cosine_norm(class, phi, corner));
            }
        }
    }
    return least;
}

static void of_random_classes(void) {
    for (size_t index = 0; index < N_PROBLEMS; index += 2) {
        make_problem(index, &problem);
        double exact = search_corners(&problem.class, problem.phi);
        check_theta(&problem.class, problem.phi, exact);
        CHECK(exact > 0.3); /* or the bounds of the other tests would say nothing */
    }
}

int main(void) {
    RUN(losses_are_strongly_convex_and_smooth);
    RUN(classes_are_normalised);
    RUN(the_optimum_is_proven);
    RUN(of_the_axes);
    RUN(of_a_fan);
    RUN(of_random_classes);
    return check_report();
}
