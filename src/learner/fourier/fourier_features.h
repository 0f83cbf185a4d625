/* The random features of rows, block by block, kept between rounds as far as there is room. */
#ifndef MXB_LEARNER_FOURIER_FOURIER_FEATURES_H
#define MXB_LEARNER_FOURIER_FOURIER_FEATURES_H

#include <stddef.h>
#include <stdint.h>

#include "learner/learner.h"

/* Rows of a block; sums run over blocks in order, so it is part of the frozen arithmetic. */
enum { MXB__FOURIER_BLOCK = 1024 };

/* Rows whose features are wanted, and what is kept of them. Features have places: a slot of the bank has the place of
 * its number, or shares it with others where there are fewer places than slots, and then who came last has it. */
struct feature_rows {
    const mxb_dataset *dataset; /* NULL: no rows */
    size_t n_places;            /* 0: features are not kept */
    uint32_t *owners;           /* [n_places] whose features are there: a projection, counted from 1; 0: none */
    float *features;            /* [place][row][component] */
    int *has_inputs;            /* whether the inputs are there */
    float *inputs;              /* [row][feature] scaled; NULL: not kept */
};

struct fourier_features {
    const struct fit_input *input;
    size_t n_slots;
    size_t n_components;
    uint32_t slot;       /* of the round */
    uint32_t projection; /* of the round, an index into the model's */

    struct feature_rows train;
    struct feature_rows valid; /* only scored */

    const struct feature_rows *rows; /* those taken last */
    float *kept;                     /* their features, [row][component]; NULL: not kept */
    float *z;                        /* [thread][block][component], where features of some rows are not kept */
    float *inputs;                   /* [thread][block][feature], likewise for inputs */
    double *columns;                 /* [thread][block] */
};

/** Carves what is kept and the scratch of `n_threads` threads from the workspace; measures when its base is NULL. */
void mxb__features_carve(struct fourier_features *features, const struct fit_input *input, size_t n_threads,
                         struct workspace *workspace);

/** Nothing is kept yet. */
void mxb__features_reset(const struct fourier_features *features);

/** From now on blocks are about these rows, train or valid, and the round's projection. Fills what is kept of them. */
void mxb__features_take(struct fourier_features *features, const struct feature_rows *rows);

/** The features of a block of the rows taken last, [row][component]. */
const float *mxb__features_of_block(const struct fourier_features *features, size_t block, size_t thread);

#endif
