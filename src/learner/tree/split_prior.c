/* What features are worth to trees that have been grown, as factors on their next gains. Part of the frozen arithmetic.
 * Knows nothing of nodes. */
#include "learner/tree/split_prior.h"

#include <math.h>

#include "base/math.h"

static const double LEAST_SHARE = 0.001; /* of all gains; what a feature without any has */

void mxb__split_prior(const double *gains, uint32_t n, double power, double *factors) {
    double largest = 0.0;
    double sum = 0.0;
    for (uint32_t f = 0; f < n; f++) {
        largest = fmax(largest, gains[f]);
    }
    for (uint32_t f = 0; f < n && largest > 0.0; f++) {
        sum += gains[f] / largest; /* gains may be so large that their sum is not finite */
    }
    double least = LEAST_SHARE * sum;
    for (uint32_t f = 0; f < n; f++) {
        double worth = largest > 0.0 ? (gains[f] / largest + least) / (1.0 + least) : 1.0;
        factors[f] = mxb__exp(power * mxb__log(worth));
    }
}
