/* The knots of a scaling by ranks (data/scaling.h) for kernels: a value lies between two of them, and its input between
 * their scores. */
#ifndef MXB_KERNELS_RANK_TABLE_H
#define MXB_KERNELS_RANK_TABLE_H

#include <math.h>

#include "base/math.h"
#include "kernels/cut_tree.h"

enum { MXB__MAX_KNOTS = 1024 };

struct rank_table {
    size_t n_knots;      /* 1 .. MXB__MAX_KNOTS */
    const double *knots; /* ascending finite values */
    const float *scores; /* theirs */
    float missing;       /* the score of NaN */

    /* To find a value's place quickly: the numbers right below knots 2, 4, ... but the last, so that as many cuts are
     * below a value as there are such knots up to it. Without levels there is none. */
    struct cut_tree tree;
};

/** The slots and floats that the tree of so many knots takes at most. */
size_t mxb__rank_table_slots(size_t n_knots);
size_t mxb__rank_table_n_halves(size_t n_knots);

/** Makes the tree of a table whose other parts are there in `slots` and `halves`, aligned to 64 bytes; none for a
 * single knot, nor for knots so far apart that kernels would have to look out for infinite distances. */
void mxb__rank_table_build(struct rank_table *table, double *slots, float *halves);

/** The score of x as a factor: linear between the knots, constant beyond the ends. If x lies inside,
 *  knots[low] <= x < knots[low + 1]. */
static inline float mxb__rank_score(const struct rank_table *table, double x, size_t low) {
    const double *knots = table->knots;
    size_t last = table->n_knots - 1;
    double score;
    if (isnan(x)) {
        return mxb__factor((double)table->missing);
    }
    if (x <= knots[0] || x >= knots[last]) {
        score = (double)table->scores[x <= knots[0] ? 0 : last];
    } else {
        double width = knots[low + 1] - knots[low];
        double part = x - knots[low];
        if (isinf(width)) { /* halves, which are exact at this size */
            width = knots[low + 1] / 2 - knots[low] / 2;
            part = x / 2 - knots[low] / 2;
        }
        double from = (double)table->scores[low], to = (double)table->scores[low + 1];
        score = from + part / width * (to - from);
    }
    return mxb__factor(score);
}

#endif
