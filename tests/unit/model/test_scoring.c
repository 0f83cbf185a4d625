/* Scores by blocks and by few rows: the same bits, near those of the plain sum, and nothing read that does not count.
 */
#include "model/scoring.h"

#include "check.h"
#include "unit/model/naive_predict.h"

enum { N_ROWS = 140 };

struct table {
    const double *rows;
    uint32_t n_features;
    size_t n_reads[8]; /* of each of the first features */
};

static void read_column(const void *source, size_t feature, size_t first, size_t n, double *values) {
    struct table *table = (struct table *)(uintptr_t)source;
    table->n_reads[feature < 8 ? feature : 7]++;
    for (size_t i = 0; i < n; i++) {
        values[i] = table->rows[(first + i) * table->n_features + feature];
    }
}

static struct scoring open_scoring(const mxb_model *model, size_t n, int few, char **memory) {
    struct scoring scoring;
    for (int measuring = 1; measuring >= 0; measuring--) {
        static struct workspace workspace;
        if (measuring) {
            workspace = (struct workspace){.base = NULL, .used = 0};
        } else {
            make_sure(mxb__alloc(memory, workspace.used, 1, "a test", NULL));
            workspace = (struct workspace){.base = *memory, .used = 0};
        }
        if (few) {
            mxb__scoring_carve_few(&scoring, model, n, &workspace);
        } else {
            mxb__scoring_carve(&scoring, model, n, &workspace);
        }
    }
    return scoring;
}

static void check_scores(const mxb_model *model) {
    double *rows = make_rows(N_ROWS, model->n_features), together[N_ROWS], scores[N_ROWS];
    struct table table = {.rows = rows, .n_features = model->n_features};
    char *memory;
    struct scoring scoring = open_scoring(model, N_ROWS, 0, &memory);
    mxb__score_block(&scoring, read_column, &table, 0, N_ROWS, together);
    for (uint32_t f = 0; f < model->n_features && f < 7; f++) {
        CHECK_INT(table.n_reads[f], mxb__scoring_reads(model, f));
    }
    for (size_t n = 1; n < N_ROWS; n = 3 * n + 1) { /* from any row on */
        mxb__score_block(&scoring, read_column, &table, N_ROWS - n, n, scores);
        CHECK(same_bits(scores, together + N_ROWS - n, n));
    }
    mxb__free(memory);
    scoring = open_scoring(model, MXB__FEW_ROWS, 1, &memory);
    for (size_t n = 0; n <= MXB__FEW_ROWS; n++) {
        mxb__score_few(&scoring, rows, n, scores);
        CHECK(same_bits(scores, together, n));
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        CHECK_NEAR(together[i], raw_score(model, rows + i * model->n_features), 1e-4);
    }
    mxb__free(memory);
    free(rows);
}

static void models_of_all_shapes(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        check_scores(model);
        mxb_model_free(model);
    }
    for (uint32_t k = 0; k <= 12; k++) {
        struct model_shape shape = {.seed = 30 + k,
                                    .loss = MODEL_MSE,
                                    .n_features = 3 + k,
                                    .n_trees = 2 * k,
                                    .n_symmetric = k % 3 * k,
                                    .max_depth = k,
                                    .n_projections = 2,
                                    .n_components = 9 + k,
                                    .n_fourier = k % 5,
                                    .scaling = SCALING_RANK};
        mxb_model *model = make_model(&shape);
        check_scores(model);
        mxb_model_free(model);
    }
}

/* Without projections only what trees split on is read. */
static void features_that_count(void) {
    struct model_shape shape = {.seed = 12, .loss = MODEL_MSE, .n_features = 6, .n_trees = 1, .max_depth = 2};
    mxb_model *model = make_model(&shape);
    int n_read = 0;
    for (uint32_t f = 0; f < 6; f++) {
        CHECK_INT(mxb__scoring_reads(model, f), model->feature_splits[f] > 0);
        n_read += mxb__scoring_reads(model, f);
    }
    CHECK(n_read > 0 && n_read < 6);
    check_scores(model);
    mxb_model_free(model);
}

int main(void) {
    RUN(models_of_all_shapes);
    RUN(features_that_count);
    return check_report();
}
