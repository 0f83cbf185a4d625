/* The engine of histogram trees: each open node has the sums of its bins. */
#ifndef MXB_LEARNER_TREE_HISTOGRAMS_H
#define MXB_LEARNER_TREE_HISTOGRAMS_H

#include "learner/tree/tree_engine.h"

extern const struct engine_ops mxb__histogram_engine;

/* tree_rows.c: the partition, by bin codes. */
void mxb__rows_partition(struct tree_engine *engine, const struct family *families, size_t n);

#endif
