/* A finite class of normalised hypotheses on few rows (the paper's Assumption 3), its subclasses, the norm that a
 * probability mass function over them induces, and the minimum cosine angle (Definition 1). Plain numbers; nothing here
 * calls the library. */
#ifndef FINITE_CLASS_H
#define FINITE_CLASS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { MAX_ROWS = 8, MAX_HYPOTHESES = 360, MAX_SUBCLASSES = 3, MAX_RANK = 3 };

struct finite_class {
    size_t n_rows;
    size_t n_hypotheses;
    size_t n_subclasses;
    size_t rank;                             /* of B, the dimension of Range(B) */
    double b[MAX_HYPOTHESES][MAX_ROWS];      /* b[j][i] = B_ij; each b[j] has length 1 */
    unsigned subclasses[MAX_HYPOTHESES];     /* bit k is set where j is in I(k) */
    double basis[MAX_RANK][MAX_ROWS];        /* orthonormal, spans Range(B) */
    double inside[MAX_HYPOTHESES][MAX_RANK]; /* b[j] in that basis: of length 1 too */
};

static const double PI = 3.14159265358979323846;

/* ---- random numbers ---- */

static inline double random_uniform(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static inline double random_normal(uint64_t *state) {
    double radius = sqrt(-2.0 * log(random_uniform(state)));
    return radius * cos(2.0 * PI * random_uniform(state));
}

/* ---- vectors ---- */

static inline double dot(const double *x, const double *y, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

static inline void scale_to_length_1(double *x, size_t n) {
    double length = sqrt(dot(x, x, n));
    for (size_t i = 0; i < n; i++) {
        x[i] /= length;
    }
}

static inline int in_subclass(const struct finite_class *class, size_t j, size_t k) {
    return (int)(class->subclasses[j] >> k & 1u);
}

/* ---- making a class ---- */

/* Orthonormal vectors at random. */
static inline void make_basis(struct finite_class *class, uint64_t *state) {
    for (size_t r = 0; r < class->rank; r++) {
        double *vector = class->basis[r];
        for (size_t i = 0; i < class->n_rows; i++) {
            vector[i] = random_normal(state);
        }
        for (size_t repeat = 0; repeat < 2; repeat++) { /* twice: orthogonal to rounding */
            for (size_t s = 0; s < r; s++) {
                double part = dot(vector, class->basis[s], class->n_rows);
                for (size_t i = 0; i < class->n_rows; i++) {
                    vector[i] -= part * class->basis[s][i];
                }
            }
        }
        scale_to_length_1(vector, class->n_rows);
    }
}

/* Makes b[j] the vector whose coordinates in the basis are `inside`, scaled to length 1. */
static inline void set_hypothesis(struct finite_class *class, size_t j, const double *inside, unsigned subclasses) {
    memcpy(class->inside[j], inside, class->rank * sizeof *inside);
    scale_to_length_1(class->inside[j], class->rank);
    for (size_t i = 0; i < class->n_rows; i++) {
        class->b[j][i] = 0.0;
        for (size_t r = 0; r < class->rank; r++) {
            class->b[j][i] += class->inside[j][r] * class->basis[r][i];
        }
    }
    class->subclasses[j] = subclasses;
}

/* Hypotheses in random directions, dealt to the subclasses in turn; every fourth is in two subclasses, as the paper
 * allows. */
static inline void make_class(struct finite_class *class, size_t rank, size_t n_rows, size_t n_hypotheses,
                              size_t n_subclasses, uint64_t *state) {
    memset(class, 0, sizeof *class);
    class->rank = rank;
    class->n_rows = n_rows;
    class->n_hypotheses = n_hypotheses;
    class->n_subclasses = n_subclasses;
    make_basis(class, state);
    for (size_t j = 0; j < n_hypotheses; j++) {
        double inside[MAX_RANK];
        for (size_t r = 0; r < rank; r++) {
            inside[r] = random_normal(state);
        }
        unsigned subclasses = 1u << j % n_subclasses;
        set_hypothesis(class, j, inside, j % 4 == 3 ? subclasses | 1u << (j + 1) % n_subclasses : subclasses);
    }
}

/* ---- the norm of a probability mass function ---- */

/* sum over k of phi_k max over j in I(k) of |x_j| */
static inline double phi_norm(const struct finite_class *class, const double *phi, const double *x) {
    double sum = 0.0;
    for (size_t k = 0; k < class->n_subclasses; k++) {
        double largest = 0.0;
        for (size_t j = 0; j < class->n_hypotheses; j++) {
            largest = in_subclass(class, j, k) ? fmax(largest, fabs(x[j])) : largest;
        }
        sum += phi[k] * largest;
    }
    return sum;
}

/* ---- the minimum cosine angle ---- */

/* Theta lies in [low, high]. */
struct theta {
    double low;
    double high;
};

/* The norm of the cosines between all hypotheses and a direction of Range(B), given in the basis with length 1. The
 * basis is orthonormal, so that cosines are the same in it. */
static inline double cosine_norm(const struct finite_class *class, const double *phi, const double *direction) {
    double cosines[MAX_HYPOTHESES];
    for (size_t j = 0; j < class->n_hypotheses; j++) {
        cosines[j] = dot(class->inside[j], direction, class->rank);
    }
    return phi_norm(class, phi, cosines);
}

/* Theta from its definition: the least cosine norm over a grid of directions, and a proven slack.
 *
 * Let F(u) be the cosine norm at the unit vector u. As hypotheses have length 1, ||a_j . u| - |a_j . v|| <= ||u - v||,
 * and neither a maximum nor a mean with weights phi enlarges that: F is Lipschitz with constant 1. If every unit vector
 * (or its opposite, where F is the same) is within d of a grid point, then min F <= min F over the grid <= min F + d.
 *
 *   rank 1: there is one direction; d = 0.
 *   rank 2: n angles in the middle of n equal parts of the half circle; the arc to the next is at most pi / 2n, and so
 * d. rank 3: a unit vector or its opposite points at one of three faces of the cube [-1, 1]^3, cut into n x n cells of
 * side 2 / n. A point of a face is within sqrt(2) / n of the middle of its cell, and going from both to the sphere, the
 *           projection onto the unit ball for points outside it, lengthens no distance: d = sqrt(2) / n. */
static inline struct theta minimum_cosine(const struct finite_class *class, const double *phi) {
    enum { N_ANGLES = 20000, N_CELLS = 300 };
    double least = 1.0, slack = 0.0;
    if (class->rank == 1) {
        least = cosine_norm(class, phi, (const double[]){1.0});
    } else if (class->rank == 2) {
        slack = PI / (2.0 * N_ANGLES);
        for (size_t i = 0; i < N_ANGLES; i++) {
            double angle = ((double)i + 0.5) * PI / N_ANGLES;
            least = fmin(least, cosine_norm(class, phi, (const double[]){cos(angle), sin(angle)}));
        }
    } else {
        slack = sqrt(2.0) / N_CELLS;
        for (size_t cell = 0; cell < (size_t)3 * N_CELLS * N_CELLS; cell++) {
            size_t face = cell / ((size_t)N_CELLS * N_CELLS);
            double direction[MAX_RANK];
            direction[face] = 1.0;
            direction[(face + 1) % 3] = (2.0 * (double)(cell % N_CELLS) + 1.0) / N_CELLS - 1.0;
            direction[(face + 2) % 3] = (2.0 * (double)(cell / N_CELLS % N_CELLS) + 1.0) / N_CELLS - 1.0;
            scale_to_length_1(direction, 3);
            least = fmin(least, cosine_norm(class, phi, direction));
        }
    }
    return (struct theta){fmax(least - slack, 0.0), least};
}

#endif
