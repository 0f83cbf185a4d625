/* The portable set of kernels; kernels.h says what each does. */
#ifndef MXB_KERNELS_PORTABLE_H
#define MXB_KERNELS_PORTABLE_H

#include "kernels/kernels.h"

void mxb__portable_encode(const struct cut_tree *cuts, const double *values, size_t n, uint8_t missing_code,
                          uint8_t *codes);
void mxb__portable_encode_row(const struct cut_tree *cuts, const uint32_t *features, size_t n, const double *row,
                              uint8_t *codes);
void mxb__portable_scale_ranks(const struct rank_table *table, const double *values, size_t n, float *out);
void mxb__portable_project(const float *inputs, size_t n, const float *weights, const float *phases, size_t n_features,
                           size_t n_components, float amplitude, float *z);
void mxb__portable_dot(const float *z, size_t n, size_t n_components, const double *weights, double *out);
void mxb__portable_project_dot(const struct feature_map *map, const float *inputs, size_t stride, size_t n,
                               double *out);
void mxb__portable_full_tree(const struct code_rows *rows, const uint32_t *nodes, unsigned depth, uint8_t *leaves);
void mxb__portable_symmetric_tree(const struct code_rows *rows, const uint32_t *levels, unsigned depth,
                                  uint8_t *leaves);
void mxb__portable_row_trees(const struct narrow_tree *trees, size_t n, const uint8_t *codes, size_t n_columns,
                             uint8_t *leaves);
void mxb__portable_row_levels(const uint8_t *columns, const uint8_t *thresholds, size_t n, const uint8_t *codes,
                              size_t n_columns, uint8_t *leaves);
void mxb__portable_add_leaves(const uint8_t *leaves, size_t n, const double *values, size_t n_values, double *scores);

#endif
