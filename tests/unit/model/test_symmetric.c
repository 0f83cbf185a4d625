#include "check.h"
#include "unit/model/naive_predict.h"

static uint32_t leaf_of(const struct symmetric *tree, const double *row) {
    uint32_t leaf;
    mxb__symmetric_leaves(tree, row, 0, 1, &leaf);
    return leaf;
}

static void sides(void) {
    struct symmetric_level level = {.threshold = 1.5, .missing_left = 1};
    struct symmetric tree = {.depth = 1, .max_depth = 1, .levels = &level};
    static const double rows[][2] = {{1.5, 0}, {1, 0}, {-INFINITY, 0}, {1.6, 1}, {INFINITY, 1}, {NAN, 0}};
    for (size_t i = 0; i < 6; i++) {
        CHECK_INT(leaf_of(&tree, rows[i]), (long long)rows[i][1]);
    }
    level.missing_left = 0;
    CHECK_INT(leaf_of(&tree, rows[5]), 1);
    level.threshold = INFINITY; /* only missing values go right */
    CHECK_INT(leaf_of(&tree, rows[4]), 0);
    CHECK_INT(leaf_of(&tree, rows[5]), 1);
}

/* The first level is the highest bit. */
static void bits(void) {
    struct symmetric_level levels[3] = {{.feature = 0}, {.feature = 1}, {.feature = 2}};
    struct symmetric tree = {.depth = 3, .max_depth = 3, .levels = levels};
    CHECK_INT(leaf_of(&tree, (double[]){1, -1, -1}), 4);
    CHECK_INT(leaf_of(&tree, (double[]){-1, 1, -1}), 2);
    CHECK_INT(leaf_of(&tree, (double[]){-1, -1, 1}), 1);
    CHECK_INT(leaf_of(&tree, (double[]){1, 1, 1}), 7);
    tree.depth = 0;
    CHECK_INT(leaf_of(&tree, (double[]){1, 1, 1}), 0);
}

/* Against a walk down the tree, one row and many, of rows that lie apart. */
static void random_trees(void) {
    enum { N_ROWS = 67, STRIDE = 5 };
    for (uint32_t depth = 0; depth <= MXB__MAX_SYMMETRIC_DEPTH; depth++) {
        double *rows = make_rows(N_ROWS, STRIDE);
        struct term term = make_symmetric(4, depth);
        const struct symmetric *tree = &term.symmetric;
        uint32_t leaves[N_ROWS];
        mxb__symmetric_leaves(tree, rows, STRIDE, N_ROWS, leaves);
        for (size_t i = 0; i < N_ROWS; i++) {
            CHECK(tree->values[leaves[i]] == walk_levels(tree, rows + i * STRIDE));
            CHECK_INT(leaf_of(tree, rows + i * STRIDE), leaves[i]);
        }
        mxb__term_clear(&term);
        free(rows);
    }
}

static void copies(void) {
    struct term term = make_symmetric(3, 5);
    struct symmetric copy;
    mxb_error error;
    for (uint64_t n = 1; n <= 2; n++) {
        mxb__memory_fail_at(n, 0);
        CHECK_INT(mxb__symmetric_copy(&copy, &term.symmetric, &error), MXB_ERROR_MEMORY);
        CHECK(copy.levels == NULL && copy.values == NULL);
    }
    OK(mxb__symmetric_copy(&copy, &term.symmetric, &error), error);
    size_t n_leaves = mxb__symmetric_n_leaves(&copy);
    CHECK(copy.depth == term.symmetric.depth && copy.max_depth == 5 && copy.gain == term.symmetric.gain);
    CHECK(copy.levels != term.symmetric.levels && copy.values != term.symmetric.values);
    CHECK(memcmp(copy.levels, term.symmetric.levels, copy.depth * sizeof *copy.levels) == 0);
    CHECK(memcmp(copy.values, term.symmetric.values, n_leaves * sizeof *copy.values) == 0);
    mxb__symmetric_clear(&copy);
    CHECK(copy.levels == NULL && copy.values == NULL && copy.depth == 0);
    mxb__term_clear(&term);
}

int main(void) {
    make_stream = mxb__random_stream(8, RANDOM_ROWS, 0);
    RUN(sides);
    RUN(bits);
    RUN(random_trees);
    RUN(copies);
    return check_report();
}
