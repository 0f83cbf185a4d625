/* Symmetric trees on histograms: the search of a level, and what it needs of each node. */
#ifndef MXB_LEARNER_LEVEL_CELLS_H
#define MXB_LEARNER_LEVEL_CELLS_H

#include "learner/tree/tree_cells.h"
#include "learner/tree/tree_fields.h"

/* Scratch of one thread, for a group of fields. */
struct level_cells {
    struct gradient_sum of_node[MXB__GROUP * MXB__CELLS]; /* of a node that keeps none */
    double gains[MXB__GROUP][2][MXB__CELLS];              /* of each feature, side by side where they share a field */
    uint8_t has_missing[MXB__GROUP][MXB__CELLS];          /* where a feature's gains begin */
};

void mxb__level_cells_search(struct tree_engine *engine, const struct level *level);
struct gradient_sum mxb__level_cells_left(const struct tree_engine *engine, const struct engine_node *node);

#endif
