/* Step 9 of the data's path: random feature maps and the ridge rounds on them, as plain numbers. Knows nothing of the
 * seed they were drawn from or the system they were solved by. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

float mxb__projection_amplitude(uint32_t n_components) { return (float)sqrt(2.0 / (double)n_components); }

mxb_status mxb__projection_copy(struct projection *to, const struct projection *from, mxb_error *error) {
    struct projection copy = {.n_components = from->n_components, .n_features = from->n_features};
    size_t n_weights = (size_t)from->n_features * from->n_components;
    memset(to, 0, sizeof *to);
    MXB_TRY(mxb__alloc(&copy.weights, n_weights, sizeof *copy.weights, "a projection", error));
    mxb_status status = mxb__alloc(&copy.phases, copy.n_components, sizeof *copy.phases, "a projection", error);
    if (status != MXB_OK) {
        mxb__projection_clear(&copy);
        return status;
    }
    memcpy(copy.weights, from->weights, n_weights * sizeof *copy.weights);
    memcpy(copy.phases, from->phases, copy.n_components * sizeof *copy.phases);
    *to = copy;
    return MXB_OK;
}

void mxb__projection_clear(struct projection *projection) {
    mxb__free(projection->weights);
    mxb__free(projection->phases);
    memset(projection, 0, sizeof *projection);
}

void mxb__fourier_collapse(double *sum, const struct fourier *fourier, uint32_t n_components) {
    for (uint32_t j = 0; j < n_components; j++) {
        sum[j] = mxb__bounded(sum[j] + fourier->weights[j]);
    }
}

mxb_status mxb__fourier_copy(struct fourier *to, const struct fourier *from, uint32_t n_components, mxb_error *error) {
    *to = *from;
    MXB_TRY(mxb__alloc(&to->weights, n_components, sizeof *to->weights, "a fourier round", error));
    memcpy(to->weights, from->weights, n_components * sizeof *to->weights);
    return MXB_OK;
}

void mxb__fourier_clear(struct fourier *fourier) {
    mxb__free(fourier->weights);
    memset(fourier, 0, sizeof *fourier);
}
