/* The problem as the paper analyses it: minimise L(beta) = sum over i of l(y_i, B_i beta) by descent along one
 * coordinate of beta a round. Everything from beta, B, y and the loss alone; nothing here calls the library, so that it
 * can judge the library's boosting loop. */
#ifndef COORDINATES_H
#define COORDINATES_H

#include "finite_class.h"

/* ---- losses ---- */

/* (y - f)^2 / 2, or log(1 + exp(-y f)) + lambda f^2 / 2 with y -1 or 1. */
struct smooth_loss {
    const char *name;
    int is_logistic;
    double lambda;
    double mu; /* l'' is at least mu (Assumption 1) ... */
    double s;  /* ... and at most s (Assumption 2) */
};

static const struct smooth_loss SQUARED = {"squared", 0, 0.0, 1.0, 1.0};
static const struct smooth_loss LOGISTIC = {"logistic + 0.25/2 f^2", 1, 0.25, 0.25, 0.5};

static inline double loss_value(const struct smooth_loss *loss, double y, double f) {
    if (!loss->is_logistic) {
        return 0.5 * (y - f) * (y - f);
    }
    double wrong = -y * f;
    return fmax(wrong, 0.0) + log1p(exp(-fabs(wrong))) + 0.5 * loss->lambda * f * f;
}

static inline double loss_first(const struct smooth_loss *loss, double y, double f) {
    return loss->is_logistic ? -y / (1.0 + exp(y * f)) + loss->lambda * f : f - y;
}

static inline double loss_second(const struct smooth_loss *loss, double f) {
    double e = exp(-fabs(f));
    return loss->is_logistic ? e / ((1.0 + e) * (1.0 + e)) + loss->lambda : 1.0;
}

/* ---- the problem ---- */

struct problem {
    struct finite_class class;
    struct smooth_loss loss;
    double phi[MAX_SUBCLASSES]; /* the probability of each subclass */
    double y[MAX_ROWS];
};

static inline void make_labels(struct problem *problem, const struct smooth_loss *loss, uint64_t *state) {
    problem->loss = *loss;
    for (size_t i = 0; i < problem->class.n_rows; i++) {
        double y = 2.0 * random_normal(state);
        problem->y[i] = !loss->is_logistic ? y : y > 0.0 ? 1.0 : -1.0;
    }
}

/* The scores B beta. */
static inline void find_scores(const struct finite_class *class, const double *beta, double *f) {
    for (size_t i = 0; i < class->n_rows; i++) {
        f[i] = 0.0;
        for (size_t j = 0; j < class->n_hypotheses; j++) {
            f[i] += class->b[j][i] * beta[j];
        }
    }
}

static inline double objective_of_scores(const struct problem *problem, const double *f) {
    double sum = 0.0;
    for (size_t i = 0; i < problem->class.n_rows; i++) {
        sum += loss_value(&problem->loss, problem->y[i], f[i]);
    }
    return sum;
}

static inline double objective(const struct problem *problem, const double *beta) {
    double f[MAX_ROWS];
    find_scores(&problem->class, beta, f);
    return objective_of_scores(problem, f);
}

static inline void row_derivatives(const struct problem *problem, const double *f, double *g, double *h) {
    for (size_t i = 0; i < problem->class.n_rows; i++) {
        g[i] = loss_first(&problem->loss, problem->y[i], f[i]);
        h[i] = loss_second(&problem->loss, f[i]);
    }
}

/* The derivatives of L by each coordinate of beta, and Gamma, the first over the root of the second. */
struct coordinates {
    double first[MAX_HYPOTHESES];
    double second[MAX_HYPOTHESES];
    double gamma[MAX_HYPOTHESES];
};

static inline void find_coordinates(const struct problem *problem, const double *beta, struct coordinates *at) {
    double f[MAX_ROWS], g[MAX_ROWS], h[MAX_ROWS];
    find_scores(&problem->class, beta, f);
    row_derivatives(problem, f, g, h);
    for (size_t j = 0; j < problem->class.n_hypotheses; j++) {
        const double *b = problem->class.b[j];
        at->first[j] = at->second[j] = 0.0;
        for (size_t i = 0; i < problem->class.n_rows; i++) {
            at->first[j] += g[i] * b[i];
            at->second[j] += h[i] * b[i] * b[i];
        }
        at->gamma[j] = at->first[j] / sqrt(at->second[j]);
    }
}

/* Which hypothesis of a subclass a learner takes: the best, as the paper's, or the worst, which no promise covers. */
enum pick { PICK_BEST, PICK_WORST };

/* The descent coordinate: the j of I(k) whose |Gamma_j| is the largest (or the smallest). */
static inline size_t choose_coordinate(const struct finite_class *class, const double *gamma, size_t k,
                                       enum pick pick) {
    size_t chosen = SIZE_MAX;
    for (size_t j = 0; j < class->n_hypotheses; j++) {
        if (in_subclass(class, j, k) &&
            (chosen == SIZE_MAX ||
             (pick == PICK_BEST ? fabs(gamma[j]) > fabs(gamma[chosen]) : fabs(gamma[j]) < fabs(gamma[chosen])))) {
            chosen = j;
        }
    }
    return chosen;
}

/* The learning rate of Theorem 1. */
static inline double learning_rate(const struct problem *problem) { return problem->loss.mu / problem->loss.s; }

/* One round when subclass k is drawn: beta_j += rate * sigma_j with sigma_j = -L'_j / L''_j. */
static inline void descend(const struct problem *problem, double *beta, size_t k, enum pick pick) {
    struct coordinates at;
    find_coordinates(problem, beta, &at);
    size_t j = choose_coordinate(&problem->class, at.gamma, k, pick);
    beta[j] += learning_rate(problem) * (-at.first[j] / at.second[j]);
}

/* Coordinates at random, such that the scores B beta are of order 1. */
static inline void random_beta(const struct finite_class *class, double *beta, uint64_t *state) {
    for (size_t j = 0; j < class->n_hypotheses; j++) {
        beta[j] = 2.0 * random_normal(state);
    }
}

/* ---- Newton's method over Range(B) ---- */

/* Solves the symmetric positive definite system of `n` equations in place. */
static inline void solve_small(double matrix[MAX_RANK][MAX_RANK], double *right, size_t n) {
    for (size_t p = 0; p < n; p++) {
        for (size_t r = p + 1; r < n; r++) {
            double factor = matrix[r][p] / matrix[p][p];
            for (size_t c = p; c < n; c++) {
                matrix[r][c] -= factor * matrix[p][c];
            }
            right[r] -= factor * right[p];
        }
    }
    for (size_t p = n; p-- > 0;) {
        for (size_t c = p + 1; c < n; c++) {
            right[p] -= matrix[p][c] * right[c];
        }
        right[p] /= matrix[p][p];
    }
}

/* The Newton step at the scores f, the minimiser over Range(B) of the second-order expansion. Returns the length of the
 * gradient within Range(B). */
static inline double newton_step(const struct problem *problem, const double *f, double *step) {
    const struct finite_class *class = &problem->class;
    double g[MAX_ROWS], h[MAX_ROWS], matrix[MAX_RANK][MAX_RANK] = {{0.0}}, right[MAX_RANK];
    row_derivatives(problem, f, g, h);
    for (size_t r = 0; r < class->rank; r++) {
        right[r] = -dot(class->basis[r], g, class->n_rows);
        for (size_t s = 0; s < class->rank; s++) {
            for (size_t i = 0; i < class->n_rows; i++) {
                matrix[r][s] += class->basis[r][i] * h[i] * class->basis[s][i];
            }
        }
    }
    double length = sqrt(dot(right, right, class->rank));
    solve_small(matrix, right, class->rank);
    for (size_t i = 0; i < class->n_rows; i++) {
        step[i] = 0.0;
        for (size_t r = 0; r < class->rank; r++) {
            step[i] += right[r] * class->basis[r][i];
        }
    }
    return length;
}

/* L(beta*), by Newton's method with halved steps where a whole one does not descend. `*gap` is a proof: by strong
 * convexity the value is above the least by at most ||gradient||^2 / 2 mu. */
static inline double find_optimum(const struct problem *problem, double *gap) {
    double f[MAX_ROWS] = {0.0}, step[MAX_ROWS], trial[MAX_ROWS];
    double value = objective_of_scores(problem, f), length = 0.0;
    for (int round = 0; round < 50; round++) {
        length = newton_step(problem, f, step);
        for (double part = 1.0; part > 1e-6; part /= 2.0) {
            for (size_t i = 0; i < problem->class.n_rows; i++) {
                trial[i] = f[i] + part * step[i];
            }
            if (objective_of_scores(problem, trial) < value) {
                memcpy(f, trial, sizeof f);
                value = objective_of_scores(problem, f);
                break;
            }
        }
    }
    *gap = length * length / (2.0 * problem->loss.mu);
    return value;
}

#endif
