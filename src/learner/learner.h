/* The seam between the boosting loop and the learner classes. A class is one const learner_ops; it never sees a loss or
 * another class. */
#ifndef MXB_LEARNER_LEARNER_H
#define MXB_LEARNER_LEARNER_H

#include <stddef.h>
#include <stdint.h>

#include "base/callbacks.h"
#include "base/memory.h"
#include "base/status.h"
#include "data/prepared.h"
#include "kernels/training_kernels.h"
#include "model/model.h"

struct pool;

/* The options learners look at. */
struct learner_options {
    uint64_t seed;
    double learning_rate;
    double subsample;
    double colsample;
    double lambda_l2;
    double min_child_weight;
    uint32_t max_max_depth;   /* of ordinary and symmetric trees */
    uint32_t symmetric_depth; /* of symmetric trees, at the most; 0: none is drawn */
    double split_noise;
    double split_prior;
    int leaves_from_all_rows;
    size_t max_wide_rows; /* up to so many, histograms are always wide (tree/quanta.h) */
    double alpha;
    int fit_intercept;
    double gamma; /* NaN: drawn for each projection */
    uint32_t n_components;
    uint32_t n_projections;
    int learns_metric;
    int takes_inputs;        /* among the components: fourier/projection_bank.h */
    size_t fourier_bytes;    /* room for what the fourier learner may keep of all rows */
    uint32_t tree_n_threads; /* the pools below have at most so many */
    uint32_t ridge_n_threads;
    uint32_t kernel_n_threads;
};

/* What one round offers a learner: fit -g/h with weights h over the rows of `prepared`. */
struct fit_input {
    const mxb_prepared *prepared;
    const mxb_dataset *valid; /* rows that are only scored, texts numbered as in training; NULL: none */
    const struct training_kernels *kernels;
    const struct learner_options *options;
    struct pool *tree_pool;
    struct pool *ridge_pool;
    struct pool *kernel_pool;
    const double *g;      /* [n_rows], weights multiplied in */
    const double *h;      /* [n_rows], likewise; never negative; NULL unless stored */
    enum hessian hessian; /* a caller's class meets only stored ones */
    double sum_abs_g;
    double sum_h;
    double max_abs_g;
    double max_h;
    int constant_hessian; /* h is the same in every round */
    mxb_model *model;     /* where a learner keeps what its terms share */
};

/* What the schedule drew for the round. */
struct draw {
    uint32_t round;         /* from 1 */
    uint32_t max_depth;     /* trees only */
    int is_symmetric;       /* trees only: one split a level */
    const mxb_learner *own; /* a caller's class only */
};

struct learner_ops {
    const char *name;
    /* Bytes this class wants for itself, asked once before round 1 (g, h and their range are not set yet). The block
     * belongs to one training, is 64-byte aligned, begins with 64 zero bytes, and keeps its contents between rounds. */
    size_t (*workspace_bytes)(const struct fit_input *input);
    /* Fits the round's term, the learning rate multiplied in. */
    mxb_status (*fit)(const struct fit_input *input, const struct draw *draw, void *workspace, struct term *term,
                      mxb_error *error);
    /* Adds the value of the term that was fitted last to the score of every training row: bit for bit what
     * mxb__model_add_term_values would add. */
    void (*add)(const struct fit_input *input, void *workspace, double *scores);
    /* The same for the rows of input->valid. Comes before `add`; `term` is what fit made. Where it fails the scores are
     * as they were. */
    mxb_status (*add_valid)(const struct fit_input *input, const struct term *term, void *workspace, double *scores,
                            mxb_error *error);
};

extern const struct learner_ops mxb__tree_learner;
extern const struct learner_ops mxb__fourier_learner;
extern const struct learner_ops mxb__own_learner; /* all classes of the caller */

#endif
