/* Splits on features that share a byte of the row records. */
#ifndef MXB_LEARNER_TREE_FIELDS_H
#define MXB_LEARNER_TREE_FIELDS_H

#include "learner/tree/tree_engine.h"

/** The only feature of a field, or n_features where it has several. */
uint32_t mxb__field_feature(const struct tree_engine *engine, uint32_t field);

/** The cells of a field in a histogram, as sums. */
void mxb__field_load(const struct tree_engine *engine, uint32_t field, const void *cells,
                     struct gradient_sum sums[MXB__MAX_BINS]);

/* Sums by the code of one feature, with an empty one for missing values where there are none. */
struct digit_sums {
    struct gradient_sum of_code[MXB__MAX_SHARED_CODES + 1];
};

/** The cells of one feature of a field, from the field's sums without the features behind it; and these sums without
 *  the feature as well. */
struct feature_cells mxb__field_read(const struct tree_engine *engine, uint32_t feature,
                                     const struct gradient_sum *sums, struct digit_sums *digit);
void mxb__field_drop(const struct tree_engine *engine, uint32_t feature, struct gradient_sum *sums);

/** The cells of any feature of a field. The sums do not outlive it. */
struct feature_cells mxb__field_find(const struct tree_engine *engine, uint32_t feature, struct gradient_sum *sums,
                                     struct digit_sums *digit);

/** The largest gains of a node on the sampled features of a field, from its sums, which do not outlive it. */
void mxb__field_gains(const struct tree_engine *engine, struct gradient_sum total, uint32_t field,
                      struct gradient_sum *sums, double *gains);

/** The split with the gain that was found on the feature. The sums do not outlive it. */
struct split mxb__field_locate(const struct tree_engine *engine, struct gradient_sum total, uint32_t feature,
                               struct gradient_sum *sums, double gain);

#endif
