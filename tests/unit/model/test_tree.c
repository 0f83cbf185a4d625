#include "check.h"
#include "unit/model/make_model.h"

/* The naive walk. */
static uint32_t walk(const struct tree *tree, uint32_t at, const double *row) {
    const struct tree_node *node = &tree->nodes[at];
    if (node->split == SPLIT_NONE) {
        return at;
    }
    double x = row[node->feature];
    if (x != x) {
        return walk(tree, node->missing_left ? node->left : node->left + 1, row);
    }
    return walk(tree, x <= node->value ? node->left : node->left + 1, row);
}

static void sides(void) {
    struct tree_node nodes[3] = {{.value = 1.5, .left = 1, .split = SPLIT_NUMERIC, .missing_left = 1}};
    struct tree tree = {.n_nodes = 3, .max_depth = 1, .nodes = nodes};
    static const double rows[][2] = {{1.5, 1}, {1, 1}, {-INFINITY, 1}, {1.6, 2}, {INFINITY, 2}, {NAN, 1}};
    for (size_t i = 0; i < 6; i++) {
        CHECK_INT(mxb__tree_leaf(&tree, rows[i]), (long long)rows[i][1]);
    }
    nodes[0].missing_left = 0;
    CHECK_INT(mxb__tree_leaf(&tree, rows[5]), 2);
    nodes[0].value = INFINITY; /* only missing values go right */
    CHECK_INT(mxb__tree_leaf(&tree, rows[4]), 1);
    CHECK_INT(mxb__tree_leaf(&tree, rows[5]), 2);
}

/* Eight pairs at once against one at a time: trees of different depths, a single leaf among them. */
static void side_by_side(void) {
    static const double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0};
    struct term terms[MXB__WALKS];
    for (uint32_t k = 0; k < MXB__WALKS; k++) {
        terms[k] = make_tree(4, k);
    }
    for (int trial = 0; trial < 300; trial++) {
        double values[MXB__WALKS][4];
        const double *rows[MXB__WALKS];
        const struct tree *trees[MXB__WALKS];
        uint32_t leaves[MXB__WALKS];
        for (uint32_t k = 0; k < MXB__WALKS; k++) {
            for (int f = 0; f < 4; f++) {
                values[k][f] = make_below(5) == 0 ? special[make_below(5)] : make_number();
            }
            rows[k] = values[k];
            trees[k] = &terms[make_below(MXB__WALKS)].tree;
        }
        mxb__tree_leaves(trees, rows, leaves);
        for (uint32_t k = 0; k < MXB__WALKS; k++) {
            CHECK_INT(leaves[k], walk(trees[k], 0, rows[k]));
        }
    }
    for (uint32_t k = 0; k < MXB__WALKS; k++) {
        mxb__term_clear(&terms[k]);
    }
}

static void random_trees(void) {
    static const double special[] = {NAN, INFINITY, -INFINITY, 0, -0.0};
    for (uint32_t depth = 0; depth <= 8; depth++) {
        struct term term = make_tree(4, depth);
        for (int k = 0; k < 300; k++) {
            double row[4];
            for (int f = 0; f < 4; f++) {
                row[f] = make_below(5) == 0 ? special[make_below(5)] : make_number();
            }
            CHECK_INT(mxb__tree_leaf(&term.tree, row), walk(&term.tree, 0, row));
        }
        mxb__term_clear(&term);
    }
}

static void copies(void) {
    struct term term = make_tree(3, 5);
    struct tree copy;
    mxb_error error;
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__tree_copy(&copy, &term.tree, &error), MXB_ERROR_MEMORY);
    OK(mxb__tree_copy(&copy, &term.tree, &error), error);
    CHECK(copy.nodes != term.tree.nodes && copy.n_nodes == term.tree.n_nodes && copy.max_depth == 5);
    CHECK(memcmp(copy.nodes, term.tree.nodes, copy.n_nodes * sizeof *copy.nodes) == 0);
    mxb__tree_clear(&copy);
    CHECK(copy.nodes == NULL && copy.n_nodes == 0);
    mxb__term_clear(&term);
}

int main(void) {
    make_stream = mxb__random_stream(7, RANDOM_ROWS, 0);
    RUN(sides);
    RUN(random_trees);
    RUN(side_by_side);
    RUN(copies);
    return check_report();
}
