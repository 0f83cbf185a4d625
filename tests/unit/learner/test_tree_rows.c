/* Partition and leaf sums over batches of nodes, against doing it row by row. */
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

/* Splits all rows in two, and each part into leaves of some rows side by side: `n` in all. */
static struct leaf *make_leaves(struct bench *bench, uint32_t n) {
    struct engine_node root = node_of(bench, 0, bench->engine.n_sampled, 1, 100, 0);
    struct engine_node children[2] = {{.cells = NULL}};
    struct family family = {&root, &children[0], &children[1]};
    struct leaf *leaves = calloc(n, sizeof *leaves);
    mxb__rows_partition(&bench->engine, &family, 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i < n / 2 ? 0 : n / 2; /* leaf of this child */
        uint32_t n_of_child = i < n / 2 ? n / 2 : n - n / 2;
        struct row_span rows = children[i < n / 2 ? 0 : 1].rows;
        uint32_t step = mxb__span_rows(rows) / n_of_child;
        uint32_t begin = rows.begin + (i - first) * step;
        uint32_t end = i + 1 == first + n_of_child ? rows.end : begin + step;
        leaves[i] = (struct leaf){.rows = {begin, end}, .value = (double)i / 7.0 - 3.0};
    }
    return leaves;
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
    mxb__engine_leaf_sums(&bench.engine, NULL, 0);
    for (uint32_t i = 0; i < 10; i++) {
        CHECK_INT(bench.engine.rows[i], i);
    }
    bench_close(&bench);
}

/* Wide quanta also where the histograms are packed. */
static void check_leaf_sums(size_t n_rows, uint32_t threads, int packed, uint32_t n_leaves) {
    struct bench bench;
    struct data_recipe recipe = {.n_rows = n_rows, .n_features = 2, .seed = 3, .weighted = !packed};
    REQUIRE(bench_start(&bench, recipe, threads, 1.0));
    CHECK_INT(bench.engine.packed, packed);
    struct leaf *leaves = make_leaves(&bench, n_leaves);
    mxb__engine_leaf_sums(&bench.engine, leaves, n_leaves);
    for (size_t leaf = 0; leaf < n_leaves; leaf++) {
        struct gradient_sum naive = {0, 0};
        long double g = 0;
        long double h = 0;
        for (uint32_t i = leaves[leaf].rows.begin; i < leaves[leaf].rows.end; i++) {
            size_t row = bench.engine.rows[i];
            struct gradient_sum sum = naive_quanta(&bench.fit.input, bench.engine.wide_quanta, row);
            naive.g += sum.g;
            naive.h += sum.h;
            g += (long double)bench.fit.g[row];
            h += (long double)bench.fit.h[row];
        }
        CHECK(same_sum(naive, leaves[leaf].sum));
        CHECK_NEAR((double)naive.g / bench.engine.wide_quanta.g_scale, (double)g, 1e-13 * bench.fit.input.sum_abs_g);
        CHECK_NEAR((double)naive.h / bench.engine.wide_quanta.h_scale, (double)h, 1e-13 * bench.fit.input.sum_h);
    }
    free(leaves);
    bench_close(&bench);
}

/* Each sampled row gets the value of its leaf, once; no other row gets any. */
static void check_leaf_values(size_t n_rows, uint32_t threads, double subsample, uint32_t n_leaves) {
    struct bench bench;
    struct data_recipe recipe = {.n_rows = n_rows, .n_features = 2, .seed = 4};
    REQUIRE(bench_start(&bench, recipe, threads, subsample));
    struct leaf *leaves = make_leaves(&bench, n_leaves);
    double *scores = calloc(n_rows, sizeof *scores);
    double *expected = calloc(n_rows, sizeof *expected);
    for (size_t i = 0; i < n_rows; i++) {
        scores[i] = expected[i] = (double)i / 3.0;
    }
    for (size_t leaf = 0; leaf < n_leaves; leaf++) {
        for (uint32_t i = leaves[leaf].rows.begin; i < leaves[leaf].rows.end; i++) {
            expected[bench.engine.rows[i]] += leaves[leaf].value;
        }
    }
    mxb__engine_add_leaves(&bench.engine, leaves, n_leaves, scores);
    CHECK(memcmp(scores, expected, n_rows * sizeof *scores) == 0);
    free(scores);
    free(expected);
    free(leaves);
    bench_close(&bench);
}

/* Few leaves and many, of one row and of more rows than a block has. */
static void leaf_sums_equal_naive_ones(void) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        check_leaf_sums(200, threads, 0, 3);
        check_leaf_sums(200, threads, 0, 63);
        check_leaf_sums(40000, threads, 0, 2);
        check_leaf_sums(80000, threads, 1, 5);
        check_leaf_sums(80000, threads, 1, 500);
    }
}

static void leaf_values_go_to_their_rows(void) {
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        check_leaf_values(200, threads, 1.0, 3);
        check_leaf_values(100000, threads, 1.0, 2);
        check_leaf_values(100000, threads, 0.5, 64);
        check_leaf_values(100000, threads, 1.0, 700);
    }
}

int main(void) {
    RUN(partition_equals_a_naive_one);
    RUN(no_nodes_are_fine);
    RUN(leaf_sums_equal_naive_ones);
    RUN(leaf_values_go_to_their_rows);
    return check_report();
}
