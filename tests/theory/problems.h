/* The problems that the tests of the theory share: random classes of rank 2 and 3, both losses, several probability
 * mass functions, one of which leaves a subclass out and one of which draws nothing else. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include "coordinates.h"

enum { N_PROBLEMS = 12 };

static inline void make_problem(size_t index, struct problem *problem) {
    static const double PHI[3][2][MAX_SUBCLASSES] = {
        {{1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}, {0.5, 0.5}},
        {{0.7, 0.2, 0.1}, {0.125, 0.875}},
        {{0.6, 0.0, 0.4}, {0.0, 1.0}},
    };
    size_t is_small = index / 2 % 2;
    uint64_t state = 1 + index / 2; /* both losses meet the same class */
    if (is_small) {
        make_class(&problem->class, 2, 6, 8, 2, &state);
    } else {
        make_class(&problem->class, 3, 8, 15, 3, &state);
    }
    memcpy(problem->phi, PHI[index / 4][is_small], sizeof problem->phi);
    make_labels(problem, index % 2 == 0 ? &SQUARED : &LOGISTIC, &state);
}

#endif
