/* Partitions of batches of nodes, against doing it row by row. */
#include "check.h"
#include "learner/tree/tree_histograms.h"
#include "unit/learner/make_engine.h"

static int bench_start(struct bench *bench, struct data_recipe recipe, uint32_t threads, double subsample) {
    struct learner_options options = fit_options();
    options.tree_n_threads = threads;
    options.subsample = subsample;
    options.max_max_depth = 10; /* room for 1024 leaves */
    if (!bench_open(bench, recipe, options, 256)) {
        return 0;
    }
    bench_begin(bench, 1);
    return 1;
}

/* Partitions the nodes in one call and checks every row of them, that no other row moved, and the children. */
static void check_partition(struct bench *bench, const struct family *families, size_t n) {
    struct tree_engine *engine = &bench->engine;
    const mxb_prepared *prepared = bench->fit.prepared;
    uint32_t *expected = calloc(engine->n_sampled, sizeof *expected);
    uint32_t middles[8] = {0};
    memcpy(expected, engine->rows, engine->n_sampled * sizeof *expected);
    for (size_t k = 0; k < n; k++) {
        const struct engine_node *parent = families[k].parent;
        uint32_t at = parent->rows.begin;
        for (int left = 1; left >= 0; left--) {
            for (uint32_t i = parent->rows.begin; i < parent->rows.end; i++) {
                if (naive_side(prepared, &parent->split, engine->rows[i]) == left) {
                    expected[at++] = engine->rows[i];
                }
            }
            middles[k] = left ? at : middles[k];
        }
    }
    mxb__rows_partition(engine, families, n);
    CHECK(memcmp(expected, engine->rows, engine->n_sampled * sizeof *expected) == 0);
    for (size_t k = 0; k < n; k++) {
        const struct family *family = &families[k];
        CHECK_INT(family->left->rows.begin, family->parent->rows.begin);
        CHECK_INT(family->left->rows.end, middles[k]);
        CHECK_INT(family->right->rows.begin, middles[k]);
        CHECK_INT(family->right->rows.end, family->parent->rows.end);
        CHECK(same_sum(family->left->total, naive_total_of(engine, family->left->rows)));
        CHECK(same_sum(family->right->total, naive_total_of(engine, family->right->rows)));
    }
    free(expected);
}

/* A node of these rows, to be split so. */
static struct engine_node node_of(const struct bench *bench, uint32_t begin, uint32_t end, uint32_t feature,
                                  uint8_t bin, uint8_t missing_left) {
    struct engine_node node = {.rows = {begin, end}};
    node.total = naive_total_of(&bench->engine, node.rows);
    node.split = forced_split(&bench->engine, node.rows, feature, bin, missing_left);
    return node;
}

static void check_several(size_t n_rows, uint32_t threads, double subsample) {
    struct bench bench;
    struct data_recipe recipe = {.n_rows = n_rows, .n_features = 4, .seed = n_rows, .missing = 0.15};
    REQUIRE(bench_start(&bench, recipe, threads, subsample));
    uint32_t n = bench.engine.n_sampled;
    struct engine_node parents[3] = {node_of(&bench, 0, n, 2, 100, 1)};
    struct engine_node children[3][2] = {{{.cells = NULL}}};
    struct family families[3];
    for (size_t k = 0; k < 3; k++) {
        families[k] = (struct family){&parents[k], &children[k][0], &children[k][1]};
    }
    check_partition(&bench, families, 1);
    uint32_t middle = children[0][0].rows.end;
    parents[0] = node_of(&bench, 0, middle, 0, 3, 0);
    parents[1] = node_of(&bench, middle, n, 3, 200, 0);
    check_partition(&bench, families, 2);
    /* Out of order, with one node left alone, one of one row, and one that goes to one side whole. */
    parents[0] = node_of(&bench, n - 1, n, 1, 0, 1);
    parents[1] = node_of(&bench, 1, n / 3, 1, 254, 1);
    parents[2] = node_of(&bench, n / 3, n / 2, 1, 120, 0);
    check_partition(&bench, families, 3);
    bench_close(&bench);
}

static void partition_equals_a_naive_one(void) {
    const size_t counts[] = {10, 1000, 32768, 32769, 100000};
    for (size_t c = 0; c < 5; c++) {
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            check_several(counts[c], threads, 1.0);
            check_several(counts[c], threads, 0.7);
        }
    }
}

static void no_nodes_are_fine(void) {
    struct bench bench;
    REQUIRE(bench_start(&bench, (struct data_recipe){.n_rows = 10, .n_features = 1, .seed = 1}, 1, 1.0));
    mxb__rows_partition(&bench.engine, NULL, 0);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_INT(bench.engine.rows[i], i);
    }
    bench_close(&bench);
}

int main(void) {
    RUN(partition_equals_a_naive_one);
    RUN(no_nodes_are_fine);
    return check_report();
}
