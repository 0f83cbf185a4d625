/* The portable set of training's kernels; training_kernels.h says what each does. */
#ifndef MXB_KERNELS_PORTABLE_TRAINING_H
#define MXB_KERNELS_PORTABLE_TRAINING_H

#include "kernels/training_kernels.h"

void mxb__portable_histogram_packed(const struct histogram_rows *rows, const uint64_t *words, uint64_t *cells);
void mxb__portable_histogram_wide(const struct histogram_rows *rows, const struct gradient_sum *sums,
                                  struct gradient_sum *cells);
double mxb__portable_best_cut_packed(const uint64_t *cells, size_t n, const struct cut_search *search);
double mxb__portable_best_cut_wide(const struct gradient_sum *cells, size_t n, const struct cut_search *search);
void mxb__portable_add_gains_packed(const uint64_t *cells, size_t n, const struct cut_gains *node, double *right,
                                    double *left);
void mxb__portable_add_gains_wide(const struct gradient_sum *cells, size_t n, const struct cut_gains *node,
                                  double *right, double *left);
size_t mxb__portable_quanta_packed(const struct scaled_rows *rows, struct random_stream noise, size_t first, size_t n,
                                   uint64_t *words);
void mxb__portable_quanta_wide(const struct scaled_rows *rows, size_t first, size_t n, struct gradient_sum *sums);
struct gradient_sum mxb__portable_sum_quanta(const struct scaled_rows *rows, const uint32_t *indices, size_t n);
size_t mxb__portable_partition(const struct column_split *split, const uint32_t *rows, size_t first, size_t n,
                               uint32_t *left, uint32_t *right);
void mxb__portable_gram(const float *z, const double *h, size_t n, size_t n_components, int rounded, double *gram);
void mxb__portable_weighted_sum(const float *z, const double *v, size_t n, size_t n_components, double *sums);
struct loss_sums mxb__portable_squared(const struct loss_block *block);
struct loss_sums mxb__portable_logistic(const struct loss_block *block);

#endif
