/* What the sets of training's kernels add to vector.h. */
#ifndef MXB_KERNELS_VECTOR_TRAINING_H
#define MXB_KERNELS_VECTOR_TRAINING_H

#include "kernels/training_kernels.h"
#include "kernels/vector/vector.h"

/* As mxb__logistic_hessian. */
static inline doubles logistic_hessians(doubles g) {
    doubles p = magnitude(g);
    return larger(p * (1.0 - p), all(MXB__SMALLEST_HESSIAN));
}

static inline doubles implied_hessians(enum hessian hessian, doubles g) {
    return hessian == HESSIAN_LOGISTIC ? logistic_hessians(g) : all(1.0);
}

double MXB__KERNEL(best_cut_packed)(const uint64_t *cells, size_t n, const struct cut_search *search);
double MXB__KERNEL(best_cut_wide)(const struct gradient_sum *cells, size_t n, const struct cut_search *search);
void MXB__KERNEL(add_gains_packed)(const uint64_t *cells, size_t n, const struct cut_gains *node, double *right,
                                   double *left);
void MXB__KERNEL(add_gains_wide)(const struct gradient_sum *cells, size_t n, const struct cut_gains *node,
                                 double *right, double *left);
void MXB__KERNEL(gram)(const float *z, const double *h, size_t n, size_t n_components, int rounded, double *gram);
void MXB__KERNEL(weighted_sum)(const float *z, const double *v, size_t n, size_t n_components, double *sums);
size_t MXB__KERNEL(quanta_packed)(const struct scaled_rows *rows, struct random_stream noise, size_t first, size_t n,
                                  uint64_t *words);
void MXB__KERNEL(quanta_wide)(const struct scaled_rows *rows, size_t first, size_t n, struct gradient_sum *sums);
size_t MXB__KERNEL(partition)(const struct column_split *split, const uint32_t *rows, size_t first, size_t n,
                              uint32_t *left, uint32_t *right);
struct loss_sums MXB__KERNEL(squared)(const struct loss_block *block);
struct loss_sums MXB__KERNEL(logistic)(const struct loss_block *block);

#endif
