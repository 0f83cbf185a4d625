/* Splits on features that share a byte of the row records. */
#ifndef MXB_LEARNER_TREE_FIELDS_H
#define MXB_LEARNER_TREE_FIELDS_H

#include "learner/tree/tree_engine.h"

/** The only feature of a field, or n_features where it has several. */
uint32_t mxb__field_feature(const struct tree_engine *engine, uint32_t field);

/** The cells of a field in a histogram, as sums. */
void mxb__field_load(const struct tree_engine *engine, uint32_t field, const void *cells,
                     struct gradient_sum sums[MXB__MAX_BINS]);

/** The largest gains of a node on the sampled features of a field, from its sums, which do not outlive it. */
void mxb__field_gains(const struct tree_engine *engine, struct gradient_sum total, uint32_t field,
                      struct gradient_sum *sums, double *gains);

/** The split with the gain that was found on the feature. The sums do not outlive it. */
struct split mxb__field_locate(const struct tree_engine *engine, struct gradient_sum total, uint32_t feature,
                               struct gradient_sum *sums, double gain);

#endif
