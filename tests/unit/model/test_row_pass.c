/* A pass: every row once, whatever the blocks and threads, and nothing read that does not count. */
#include "base/parallel.h"
#include "check.h"
#include "model/row_pass.h"
#include "unit/model/naive_predict.h"

enum { N_ROWS = 1100 };

struct seen {
    int n_visits[N_ROWS];
    double rows[N_ROWS][6];
    float inputs[N_ROWS][6];
};

static void look(const struct row_pass *pass, const struct row_block *block, size_t first) {
    struct seen *seen = pass->context;
    for (size_t i = 0; i < block->n; i++) {
        seen->n_visits[first + i]++;
        for (size_t k = 0; k < pass->n_used; k++) {
            size_t f = pass->features[k];
            seen->rows[first + i][f] = block->rows[i * block->n_features + f];
            if (pass->n_components > 0) {
                seen->inputs[first + i][f] = block->inputs[i * block->n_features + f];
            }
        }
    }
}

static void count_visits(const struct row_pass *pass, const struct row_block *block, size_t first) {
    int *n_visits = pass->context;
    for (size_t i = 0; i < block->n; i++) {
        n_visits[first + i]++;
    }
}

/* The first round of a kind. */
static const struct term *find_term(const mxb_model *model, enum term_kind kind) {
    const struct term *term = model->terms;
    while (term->kind != kind) {
        term++;
    }
    return term;
}

static void every_row_once(void) {
    static struct seen seen;
    struct model_shape shape = MAKE_SHAPES[4];
    mxb_model *model = make_model(&shape);
    double *rows = make_rows(N_ROWS, 4);
    mxb_dataset *dataset = make_dataset(rows, N_ROWS, 4);
    mxb_error error;
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        struct pool *pool = mxb__pool_open(n_threads);
        struct row_pass pass = {
            .model = model, .dataset = dataset, .term = find_term(model, TERM_FOURIER), .work = look, .context = &seen};
        memset(&seen, 0, sizeof seen);
        OK(mxb__pass_run(&pass, pool, &error), error);
        mxb__pool_close(pool);
        for (size_t i = 0; i < N_ROWS; i++) {
            CHECK_INT(seen.n_visits[i], 1);
            CHECK(same_bits(seen.rows[i], rows + 4 * i, 4));
            for (size_t f = 0; f < 4; f++) {
                CHECK(seen.inputs[i][f] ==
                      mxb__scale_value(SCALING_STANDARD, &model->scaling.features[f], rows[4 * i + f]));
            }
        }
    }
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

/* Wide rows come in smaller blocks, a block of one row at the least. */
static void wide_rows_and_projections(void) {
    static const struct model_shape shapes[] = {
        {.seed = 1, .n_features = 6000, .n_trees = 1, .max_depth = 1},
        {.seed = 2, .n_features = 1, .n_projections = 1, .n_components = 60000, .n_fourier = 1},
        {.seed = 3, .n_features = 600000, .n_trees = 1, .max_depth = 1},
    };
    static const size_t block_rows[] = {(1 << 19) / 6000, (1 << 19) / 60000, 1};
    for (int s = 0; s < 3; s++) {
        struct model_shape shape = shapes[s];
        int n_visits[100] = {0};
        double x = 0.5;
        mxb_dataset *dataset;
        mxb_error error;
        shape.loss = MODEL_MSE;
        mxb_model *model = make_model(&shape);
        OK(mxb_dataset_create(100, &dataset, &error), error);
        OK(mxb_dataset_add_matrix(dataset, &x, MXB_FLOAT64, shape.n_features, 0, 0, &error), error);
        struct row_pass pass = {
            .model = model, .dataset = dataset, .term = model->terms, .work = count_visits, .context = n_visits};
        OK(mxb__pass_run(&pass, NULL, &error), error);
        CHECK_INT(pass.block_rows, block_rows[s]);
        for (int i = 0; i < 100; i++) {
            CHECK_INT(n_visits[i], 1);
        }
        mxb_dataset_free(dataset);
        mxb_model_free(model);
    }
}

static void features_to_read(void) {
    static struct seen seen;
    struct model_shape shape = MAKE_SHAPES[5];
    shape.n_symmetric = 5;
    mxb_model *model = make_model(&shape);
    const void *nowhere = (const void *)(uintptr_t)64; /* reading it would end the test */
    double x[4] = {1, 2, 3, 4};
    mxb_dataset *dataset, *unreadable;
    mxb_error error;
    const struct term *tree = model->terms, *symmetric = model->terms, *fourier = model->terms;
    while (tree->kind != TERM_TREE || tree->tree.n_nodes == 1) {
        tree++;
    }
    while (symmetric->kind != TERM_SYMMETRIC || symmetric->symmetric.depth < 2) {
        symmetric++;
    }
    while (fourier->kind != TERM_FOURIER) {
        fourier++;
    }
    uint32_t used = tree->tree.nodes[0].feature;
    for (uint32_t i = 0; i < tree->tree.n_nodes; i++) {
        tree->tree.nodes[i].feature = used;
    }
    for (uint32_t l = 0; l < symmetric->symmetric.depth; l++) {
        symmetric->symmetric.levels[l].feature = used;
    }
    OK(mxb_dataset_create(4, &dataset, &error), error);
    OK(mxb_dataset_create(4, &unreadable, &error), error);
    for (uint32_t f = 0; f < 3; f++) {
        OK(mxb_dataset_add_column(dataset, NULL, f == used ? x : nowhere, 8, MXB_FLOAT64, &error), error);
        OK(mxb_dataset_add_column(unreadable, NULL, nowhere, 8, MXB_FLOAT64, &error), error);
    }
    struct row_pass pass = {.model = model, .dataset = dataset, .term = tree, .work = look, .context = &seen};
    OK(mxb__pass_run(&pass, NULL, &error), error); /* the tree's feature alone */
    CHECK_INT(pass.n_used, 1);
    CHECK(seen.rows[3][used] == 4);
    pass.term = symmetric;
    OK(mxb__pass_run(&pass, NULL, &error), error); /* likewise */
    CHECK_INT(pass.n_used, 1);
    pass = (struct row_pass){
        .model = model, .dataset = unreadable, .term = fourier, .is_projected = 1, .work = look, .context = &seen};
    OK(mxb__pass_run(&pass, NULL, &error), error); /* what is projected already needs none */
    CHECK_INT(pass.n_used, 0);
    CHECK_INT(pass.n_components, 4);
    mxb_dataset_free(dataset);
    mxb_dataset_free(unreadable);
    mxb_model_free(model);
}

static void threads(void) {
    CHECK_INT(mxb__pass_n_threads(N_ROWS, MXB__PASS_ROWS, 2), 2);
    CHECK_INT(mxb__pass_n_threads(N_ROWS, MXB__PASS_ROWS, 1000000), 5); /* blocks of 256 */
    CHECK(mxb__pass_n_threads(N_ROWS, MXB__PASS_ROWS, 0) >= 1);
    CHECK_INT(mxb__pass_n_threads(1, MXB__PASS_ROWS, 0), 1);
    CHECK_INT(mxb__pass_n_threads(1, MXB__PASS_ROWS, 7), 1);
}

static void arguments(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[1]);
    double x[4] = {0};
    mxb_dataset *three = make_dataset(x, 1, 3), *four = make_dataset(x, 1, 4);
    mxb_error error;
    CHECK_INT(mxb__pass_check(model, three, 0, NULL), MXB_OK);
    FAILS(mxb__pass_check(model, three, -1, &error), error, MXB_ERROR_PARAM,
          "n_threads is -1; it must be 0 (all processors) or more");
    CHECK_INT(mxb__pass_check(model, four, 0, NULL), MXB_ERROR_PARAM);
    mxb_dataset_free(three);
    mxb_dataset_free(four);
    mxb_model_free(model);
}

/* A pass that gets no memory has done nothing. */
static void memory_may_fail(void) {
    static struct seen seen;
    mxb_model *model = make_model(&MAKE_SHAPES[5]);
    double *rows = make_rows(3, 3);
    mxb_dataset *dataset = make_dataset(rows, 3, 3);
    mxb_error error;
    memset(&seen, 0, sizeof seen);
    for (uint64_t n = 1; n <= 4; n++) {
        struct row_pass pass = {
            .model = model, .dataset = dataset, .term = find_term(model, TERM_FOURIER), .work = look, .context = &seen};
        mxb__memory_fail_at(n, 0);
        CHECK_INT(mxb__pass_run(&pass, NULL, &error), MXB_ERROR_MEMORY);
        mxb__memory_fail_at(0, 0);
        CHECK_INT(seen.n_visits[0], 0);
    }
    mxb_dataset_free(dataset);
    mxb_model_free(model);
    free(rows);
}

int main(void) {
    RUN(every_row_once);
    RUN(wide_rows_and_projections);
    RUN(features_to_read);
    RUN(threads);
    RUN(arguments);
    RUN(memory_may_fail);
    return check_report();
}
