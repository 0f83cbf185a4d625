/* Step 10 of the data's path: a pass over the rows of a dataset for one term, block by block and on several threads.
 * Reads the features that count, once; what is done with a block is the caller's. */
#ifndef MXB_MODEL_ROW_PASS_H
#define MXB_MODEL_ROW_PASS_H

#include "model/row_block.h"

struct pool;
struct row_pass;

/** Works on rows first .. first + block->n - 1 of the dataset, which are read and scaled. Blocks never meet. */
typedef void (*block_fn)(const struct row_pass *pass, const struct row_block *block, size_t first);

struct row_pass {
    const mxb_model *model;
    const struct mxb_dataset *dataset; /* already checked against the model */
    const struct term *term;           /* what is evaluated: a tree or a fourier round */
    int is_projected;                  /* the term's components are known: nothing is read */
    block_fn work;
    void *context; /* its own */
    size_t n_components;
    size_t block_rows;
    uint32_t *features; /* [n_used] the features to read, ascending */
    size_t n_used;
    struct row_block *blocks; /* [thread] */
};

/** PARAM unless the dataset has the model's features and `n_threads` is one. */
mxb_status mxb__pass_check(const mxb_model *model, const struct mxb_dataset *dataset, int n_threads, mxb_error *error);

/* Rows of a block: enough to amortise a call per column; fewer where rows are wide. */
enum { MXB__PASS_ROWS = 256 };

/** Of the threads that the caller wants (0: all processors), as many as there are blocks of so many rows for. */
size_t mxb__pass_n_threads(size_t n_rows, size_t block_rows, int n_threads);

/** Runs the pass. The fields after `context` are filled in and cleared again. Fails only for want of memory, and then
 * before any work. */
mxb_status mxb__pass_run(struct row_pass *pass, struct pool *pool, mxb_error *error);

#endif
