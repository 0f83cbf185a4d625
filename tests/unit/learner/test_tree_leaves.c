/* Values and scores of leaves, by spans and by numbers, against doing it row by row. */
#include "learner/tree/tree_leaves.h"

#include "check.h"
#include "unit/learner/make_engine.h"

/* `hist_nbins` 0: the exact engine. */
static int bench_start(struct bench *bench, struct data_recipe recipe, uint32_t threads, double subsample,
                       uint32_t hist_nbins) {
    struct learner_options options = fit_options();
    options.tree_n_threads = threads;
    options.subsample = subsample;
    options.max_max_depth = 12; /* room for 4096 leaves */
    if (!bench_open(bench, recipe, options, hist_nbins)) {
        return 0;
    }
    bench_begin(bench, 1);
    return 1;
}

/* Splits all rows in two, and each part into leaves of some rows side by side: `n` in all. */
static struct leaf *make_leaves(struct bench *bench, uint32_t n) {
    struct engine_node root = {.rows = {0, bench->engine.n_sampled}};
    bench->engine.ops->open_root(&bench->engine, &root); /* sorts the rows of an exact tree */
    root.split = forced_split(&bench->engine, root.rows, 1, 100, 0);
    struct engine_node children[2] = {{.cells = NULL}};
    struct family family = {&root, &children[0], &children[1]};
    struct leaf *leaves = calloc(n, sizeof *leaves);
    bench->engine.ops->partition(&bench->engine, &family, 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t first = i < n / 2 ? 0 : n / 2; /* leaf of this child */
        uint32_t n_of_child = i < n / 2 ? n / 2 : n - n / 2;
        struct row_span rows = children[i < n / 2 ? 0 : 1].rows;
        uint32_t step = mxb__span_rows(rows) / n_of_child;
        uint32_t begin = rows.begin + (i - first) * step;
        uint32_t end = i + 1 == first + n_of_child ? rows.end : begin + step;
        leaves[i] = (struct leaf){.rows = {begin, end}};
    }
    return leaves;
}

/* The wide sum over the rows of a leaf: those whose number is `leaf`. */
static struct gradient_sum naive_leaf_sum(const struct bench *bench, const uint32_t *leaf_of_row, size_t leaf,
                                          int64_t *n_rows) {
    struct gradient_sum sum = {0, 0};
    *n_rows = 0;
    for (size_t row = 0; row < bench->fit.prepared->n_rows; row++) {
        if (leaf_of_row[row] == leaf) {
            struct gradient_sum quanta = naive_quanta(&bench->fit.input, bench->engine.wide_quanta, row);
            sum.g += quanta.g;
            sum.h += quanta.h;
            ++*n_rows;
        }
    }
    return sum;
}

static void check_sums(const struct bench *bench, const struct leaf *leaves, size_t n, const uint32_t *leaf_of_row) {
    for (size_t i = 0; i < n; i++) {
        int64_t n_rows;
        CHECK(same_sum(leaves[i].sum, naive_leaf_sum(bench, leaf_of_row, i, &n_rows)));
        CHECK_INT(leaves[i].n_rows, n_rows);
        double g = (double)leaves[i].sum.g / bench->engine.wide_quanta.g_scale;
        double h = (double)leaves[i].sum.h / bench->engine.wide_quanta.h_scale + 1.0;
        CHECK_NEAR(leaves[i].value, -g / h, 1e-14 * fabs(g / h));
    }
}

/* Each row gets the value of its leaf, once. */
static void check_scores(const struct bench *bench, const struct leaf *leaves, const uint32_t *leaf_of_row,
                         const double *scores) {
    size_t n_wrong = 0;
    for (size_t i = 0; i < bench->fit.prepared->n_rows; i++) {
        n_wrong += scores[i] != (double)i / 3.0 + leaves[leaf_of_row[i]].value;
    }
    CHECK_INT(n_wrong, 0);
}

static double *begin_scores(const struct bench *bench) {
    size_t n = bench->fit.prepared->n_rows;
    double *scores = calloc(n, sizeof *scores);
    for (size_t i = 0; i < n; i++) {
        scores[i] = (double)i / 3.0;
    }
    return scores;
}

struct leaf_case {
    size_t n_rows;
    uint32_t n_leaves;
    double subsample;
    uint32_t hist_nbins;
};

/* Few leaves and many, of one row and of more rows than a block has. The larger ones are packed, unless exact. */
static const struct leaf_case CASES[] = {
    {200, 3, 1.0, 256},     {200, 63, 1.0, 0},      {200, 63, 0.7, 256},  {40000, 2, 1.0, 256},
    {80000, 5, 1.0, 256},   {80000, 500, 0.5, 256}, {80000, 500, 0.9, 0}, {100000, 700, 1.0, 256},
    {3000, 1024, 0.6, 256}, {9000, 1025, 0.8, 256}, {3000, 1025, 0.8, 0}, {90000, 64, 0.5, 256},
};

/* Rows of the sample by their spans. The others go to any leaf whatever. */
static void number_rows(struct bench *bench, struct leaf *leaves, uint32_t n_leaves, struct dice *dice) {
    struct tree_engine *engine = &bench->engine;
    size_t n_rows = bench->fit.prepared->n_rows;
    uint32_t *expected = calloc(n_rows, sizeof *expected);
    for (size_t i = 0; i < n_rows; i++) {
        expected[i] = MXB__NO_LEAF;
    }
    for (uint32_t leaf = 0; leaf < n_leaves; leaf++) {
        for (uint32_t i = leaves[leaf].rows.begin; i < leaves[leaf].rows.end; i++) {
            expected[engine->rows[i]] = leaf;
        }
    }
    mxb__leaves_number(engine, leaves, n_leaves);
    CHECK(memcmp(engine->leaf_of_row, expected, n_rows * sizeof *expected) == 0);
    for (size_t i = 0; i < n_rows; i++) {
        if (expected[i] == MXB__NO_LEAF) {
            engine->leaf_of_row[i] = (uint32_t)dice_below(dice, n_leaves);
        }
    }
    free(expected);
}

static void check_leaves(size_t k, const struct leaf_case *c, int from_all_rows) {
    struct bench bench;
    struct dice dice = {k + 1};
    struct data_recipe recipe = {.n_rows = c->n_rows, .n_features = 2, .seed = k, .weighted = k % 3 == 0};
    REQUIRE(bench_start(&bench, recipe, k % 2 == 0 ? 1 : 3, c->subsample, c->hist_nbins));
    bench.fit.options.leaves_from_all_rows = from_all_rows;
    struct leaf *leaves = make_leaves(&bench, c->n_leaves);
    number_rows(&bench, leaves, c->n_leaves, &dice);
    uint32_t *leaf_of_row = calloc(c->n_rows, sizeof *leaf_of_row); /* that the sums are made of */
    memcpy(leaf_of_row, bench.engine.leaf_of_row, c->n_rows * sizeof *leaf_of_row);
    if (!from_all_rows) {
        uint8_t *is_sampled = calloc(c->n_rows, 1);
        for (uint32_t i = 0; i < bench.engine.n_sampled; i++) {
            is_sampled[bench.engine.rows[i]] = 1;
        }
        for (size_t i = 0; i < c->n_rows; i++) {
            leaf_of_row[i] = is_sampled[i] ? leaf_of_row[i] : MXB__NO_LEAF;
        }
        free(is_sampled);
    }
    CHECK_INT(mxb__leaves_fit(&bench.engine, leaves, c->n_leaves), 0);
    check_sums(&bench, leaves, c->n_leaves, leaf_of_row);
    double *scores = begin_scores(&bench);
    mxb__leaves_add(&bench.engine, leaves, c->n_leaves, scores);
    check_scores(&bench, leaves, bench.engine.leaf_of_row, scores);
    free(scores);
    free(leaf_of_row);
    free(leaves);
    bench_close(&bench);
}

static void leaves_equal_naive_ones(void) {
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0] * 2; k++) {
        check_leaves(k, &CASES[k / 2], 0);
        check_leaves(k, &CASES[k / 2], 1);
    }
}

/* Quanta are fine enough for the sums that they stand for. */
static void quanta_lose_nothing(void) {
    struct bench bench;
    struct data_recipe recipe = {.n_rows = 80000, .n_features = 2, .seed = 3};
    REQUIRE(bench_start(&bench, recipe, 1, 1.0, 256));
    CHECK_INT(bench.engine.packed, 1);
    struct leaf *leaves = make_leaves(&bench, 5);
    CHECK_INT(mxb__leaves_fit(&bench.engine, leaves, 5), 0);
    for (size_t leaf = 0; leaf < 5; leaf++) {
        long double g = 0;
        long double h = 0;
        for (uint32_t i = leaves[leaf].rows.begin; i < leaves[leaf].rows.end; i++) {
            g += (long double)bench.fit.g[bench.engine.rows[i]];
            h += (long double)bench.fit.h[bench.engine.rows[i]];
        }
        struct quanta quanta = bench.engine.wide_quanta;
        CHECK_NEAR((double)leaves[leaf].sum.g / quanta.g_scale, (double)g, 1e-13 * bench.fit.input.sum_abs_g);
        CHECK_NEAR((double)leaves[leaf].sum.h / quanta.h_scale, (double)h, 1e-13 * bench.fit.input.sum_h);
        CHECK_NEAR(leaves[leaf].value, (double)(-g / (h + 1)), 1e-12);
    }
    free(leaves);
    bench_close(&bench);
}

static void a_leaf_without_rows_is_worth_nothing(void) {
    for (int k = 0; k < 4; k++) {
        struct bench bench;
        struct data_recipe recipe = {.n_rows = 20, .n_features = 1, .seed = 1};
        REQUIRE(bench_start(&bench, recipe, 1, k / 2 == 0 ? 1.0 : 0.5, 256));
        bench.fit.options.lambda_l2 = k % 2;
        bench.fit.options.leaves_from_all_rows = 1;
        memset(bench.engine.leaf_of_row, 0, 20 * sizeof *bench.engine.leaf_of_row);
        uint32_t n = bench.engine.n_sampled;
        struct leaf leaves[2] = {{.rows = {0, n}}, {.rows = {n, n}}};
        CHECK_INT(mxb__leaves_fit(&bench.engine, leaves, 2), 0);
        CHECK_INT(leaves[0].n_rows, 20);
        CHECK_INT(leaves[1].n_rows, 0);
        CHECK(leaves[1].value == 0.0);
        CHECK_INT(mxb__leaves_fit(&bench.engine, NULL, 0), 0);
        bench_close(&bench);
    }
}

int main(void) {
    RUN(leaves_equal_naive_ones);
    RUN(quanta_lose_nothing);
    RUN(a_leaf_without_rows_is_worth_nothing);
    return check_report();
}
