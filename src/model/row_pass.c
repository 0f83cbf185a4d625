/* Step 10 of the data's path: raw columns to blocks of rows. Knows nothing of what is added up. */
#include "model/row_pass.h"

#include "base/parallel.h"
#include "base/processors.h"
#include "data/dataset.h"

/* A block of wide rows must not leave the caches. The rows of a block never meet, so this changes no result. */
enum { MAX_BLOCK_VALUES = 1 << 19 };

/* Each thread has buffers of its own, so a wish for a million threads must not become a wish for their memory. */
enum { MAX_THREADS = 1024 };

static int reads_all_features(const struct row_pass *pass) { return pass->n_components > 0 && !pass->is_projected; }

static uint32_t count_components(const struct row_pass *pass) {
    const struct term *term = pass->term;
    return term->kind == TERM_FOURIER ? pass->model->projections[term->fourier.projection].n_components : 0;
}

static size_t choose_block_rows(const struct row_pass *pass) {
    size_t n_features = pass->model->n_features, n_rows = pass->dataset->n_rows, n_components = count_components(pass);
    size_t fitting = MAX_BLOCK_VALUES / (n_features > n_components ? n_features : n_components);
    size_t most = n_rows < MXB__PASS_ROWS ? n_rows : MXB__PASS_ROWS;
    return fitting == 0 ? 1 : fitting < most ? fitting : most;
}

mxb_status mxb__pass_check(const mxb_model *model, const struct mxb_dataset *dataset, int n_threads, mxb_error *error) {
    if (n_threads < 0) {
        return mxb__fail(error, MXB_ERROR_PARAM, "n_threads is %d; it must be 0 (all processors) or more", n_threads);
    }
    return mxb__dataset_check_features(dataset, model->feature_names, model->n_features, "the model", error);
}

size_t mxb__pass_n_threads(size_t n_rows, size_t block_rows, int n_threads) {
    size_t n_blocks = mxb__n_blocks(n_rows, block_rows);
    size_t n_useful = n_blocks < MAX_THREADS ? n_blocks : MAX_THREADS;
    /* Counting processors reads files: not for a block that one thread works on. */
    size_t n_wanted = n_threads > 0 ? (size_t)n_threads : n_useful > 1 ? mxb__n_processors() : 1;
    return n_wanted < n_useful ? n_wanted : n_useful;
}

/* ---- making ready ---- */

static mxb_status list_features(struct row_pass *pass, mxb_error *error) {
    const mxb_model *model = pass->model;
    const struct term *term = pass->term;
    unsigned char *used;
    MXB_TRY(mxb__alloc(&pass->features, model->n_features, sizeof *pass->features, "the features to read", error));
    MXB_TRY(mxb__alloc_zeroed(&used, model->n_features, sizeof *used, "the features to read", error));
    for (uint32_t i = 0; term->kind == TERM_TREE && i < term->tree.n_nodes; i++) {
        const struct tree_node *node = &term->tree.nodes[i];
        if (node->split != SPLIT_NONE) {
            used[node->feature] = 1;
        }
    }
    for (uint32_t l = 0; term->kind == TERM_SYMMETRIC && l < term->symmetric.depth; l++) {
        used[term->symmetric.levels[l].feature] = 1;
    }
    for (uint32_t f = 0; f < model->n_features; f++) {
        if (reads_all_features(pass) || used[f]) {
            pass->features[pass->n_used++] = f;
        }
    }
    mxb__free(used);
    return MXB_OK;
}

/* A block for each thread, so that the workers need no memory; `memory` is what their arrays are carved from. */
static mxb_status make_blocks(struct row_pass *pass, size_t n_threads, char **memory, mxb_error *error) {
    struct workspace workspace = {.base = NULL, .used = 0};
    struct row_block measured;
    MXB_TRY(mxb__alloc(&pass->blocks, n_threads, sizeof *pass->blocks, "prediction", error));
    mxb__block_carve(&measured, pass->model, pass->block_rows, pass->n_components, &workspace);
    MXB_TRY(mxb__alloc(memory, n_threads, workspace.used, "prediction", error));
    workspace = (struct workspace){.base = *memory, .used = 0};
    for (size_t t = 0; t < n_threads; t++) {
        mxb__block_carve(&pass->blocks[t], pass->model, pass->block_rows, pass->n_components, &workspace);
    }
    return MXB_OK;
}

/* ---- running ---- */

/* One feature at a time; `dots` is free until the rows are there. */
static void read_rows(const struct row_pass *pass, size_t first, const struct row_block *block) {
    for (size_t k = 0; k < pass->n_used; k++) {
        size_t f = pass->features[k];
        mxb__column_read(pass->dataset, &pass->dataset->columns[f], first, block->n, block->dots);
        for (size_t i = 0; i < block->n; i++) {
            block->rows[i * block->n_features + f] = block->dots[i];
        }
    }
}

static void run_block(void *context, size_t index, size_t thread) {
    const struct row_pass *pass = context;
    struct row_block block = pass->blocks[thread];
    size_t first = index * pass->block_rows;
    block.n = mxb__block_length(pass->dataset->n_rows, pass->block_rows, index);
    read_rows(pass, first, &block);
    if (reads_all_features(pass)) {
        mxb__block_scale(&block, &pass->model->scaling);
    }
    pass->work(pass, &block, first);
}

/* A guess at the work of a row: a read a feature, some steps, a cosine and its sums a component. */
static double row_nanoseconds(const struct row_pass *pass) {
    double per_component = pass->is_projected ? 1 : 8 + 0.5 * (double)pass->model->n_features;
    return 30 + 3 * (double)pass->n_used + (double)pass->n_components * per_component;
}

mxb_status mxb__pass_run(struct row_pass *pass, struct pool *pool, mxb_error *error) {
    char *memory = NULL;
    pass->n_components = count_components(pass);
    pass->block_rows = choose_block_rows(pass);
    pass->features = NULL;
    pass->n_used = 0;
    pass->blocks = NULL;
    mxb_status status = list_features(pass, error);
    if (status == MXB_OK) {
        status = make_blocks(pass, mxb__pool_n_threads(pool), &memory, error);
    }
    if (status == MXB_OK) {
        size_t n_rows = pass->dataset->n_rows;
        mxb__pool_run(pool, mxb__n_blocks(n_rows, pass->block_rows), (double)n_rows * row_nanoseconds(pass), run_block,
                      pass);
    }
    mxb__free(pass->features);
    mxb__free(pass->blocks);
    mxb__free(memory);
    return status;
}
