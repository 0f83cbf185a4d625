/* Step 10 of the data's path: the fourier terms of a model, made ready to predict. All terms of a projection are one
 * feature map, and what no projection has a weight for is not even read. Made once, with the model. Knows nothing of
 * trees, links or datasets. */
#ifndef MXB_MODEL_WAVES_H
#define MXB_MODEL_WAVES_H

#include "base/memory.h"
#include "kernels/kernels.h"
#include "model/model.h"

struct waves {
    const struct kernels *kernels;
    const struct scaling *scaling; /* the model's */
    uint32_t n_inputs;
    uint32_t *columns;         /* [n_features] the number of the input; UINT32_MAX: no projection has a weight for it */
    struct rank_table *tables; /* [n_inputs] for ranks */
    uint32_t n_maps;
    struct feature_map *maps; /* of the projections that a term uses, in order */

    double *slots; /* what the above point into, beside the model's tables */
    float *halves;
    uint32_t *numbers;
    float *weights;
    double *dots;
};

/** Makes the waves of a model whose collapsed weights are there, or none on failure. */
mxb_status mxb__waves_build(const mxb_model *model, struct waves **waves, mxb_error *error);
void mxb__waves_free(struct waves *waves);

/** Whether the values of a feature count. */
int mxb__waves_read(const struct waves *waves, uint32_t feature);

/* Room for a block of rows. */
struct wave_rows {
    size_t stride;
    float *inputs; /* [n_inputs][stride] scaled */
    double *sums;  /* [n] of a projection */
};

/** Takes the arrays for up to `n` rows from the workspace; measures when its base is NULL. */
void mxb__waves_carve(struct wave_rows *rows, const struct waves *waves, size_t n, struct workspace *workspace);

/** The inputs of a feature that is read, from its values (NaN = missing) in n rows from `first` on. */
void mxb__waves_scale(const struct waves *waves, uint32_t feature, const double *values, size_t first, size_t n,
                      const struct wave_rows *rows);

/** Adds what each projection says, in order, to the scores of the first n rows, which stay finite. */
void mxb__waves_add(const struct waves *waves, const struct wave_rows *rows, size_t n, double *scores);

#endif
