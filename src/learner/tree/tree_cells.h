/* The cells of histograms: sums over rows by bin, words or pairs, for fields of the row records. */
#ifndef MXB_LEARNER_TREE_CELLS_H
#define MXB_LEARNER_TREE_CELLS_H

#include "learner/tree/tree_engine.h"

/* Fields side by side in one panel, the first of which begins a group. */
struct field_run {
    uint32_t first;
    uint32_t n;
};

enum { MXB__PANEL_GROUPS = MXB__PANEL / MXB__GROUP };

/** Those of engine->groups[*next] and of the groups behind it, before groups[end]; moves *next past them. */
struct field_run mxb__cells_next_run(const struct tree_engine *engine, size_t *next, size_t end);

/** Cells are 64-bit integers, one a cell when packed and two when wide, so that adding and subtracting is the same for
 *  both: how many so many fields have. */
static inline size_t mxb__cells_words(const struct tree_engine *engine, uint32_t n_fields) {
    return (size_t)n_fields * MXB__CELLS * (engine->packed ? 1 : 2);
}

/** Where the cells of a field begin in a histogram. */
static inline uint64_t *mxb__cells_of(const struct tree_engine *engine, char *histogram, uint32_t field) {
    return (uint64_t *)(void *)histogram + mxb__cells_words(engine, field);
}

/** The sums over the rows of a node, for the fields of a run. */
void mxb__cells_build(const struct tree_engine *engine, const struct engine_node *node, struct field_run run,
                      uint64_t *cells);

void mxb__cells_subtract(uint64_t *restrict from, const uint64_t *restrict cells, size_t n);

/** The same for a large node, by all threads: first blocks of rows, each thread into cells of its own; then, run by
 * run, their sum. */
void mxb__cells_build_by_threads(struct tree_engine *engine, const struct engine_node *node);
void mxb__cells_gather(const struct tree_engine *engine, struct field_run run, uint64_t *cells);

/** A guess at the time that it takes to add so many rows. */
double mxb__cells_rows_ns(const struct tree_engine *engine, size_t n_rows);

#endif
