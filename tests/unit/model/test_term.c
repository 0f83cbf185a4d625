#include "check.h"
#include "unit/model/make_model.h"

static const struct projection PROJECTIONS[2] = {{.n_components = 3}, {.n_components = 7}};

static void names(void) {
    struct term term = {.kind = TERM_TREE};
    CHECK_TEXT(mxb__term_name(&term), "tree");
    term.kind = TERM_SYMMETRIC;
    CHECK_TEXT(mxb__term_name(&term), "symmetric");
    term.kind = TERM_FOURIER;
    CHECK_TEXT(mxb__term_name(&term), "fourier");
}

static void both_shapes_are_trees(void) {
    for (int kind = TERM_TREE; kind <= TERM_SYMMETRIC; kind++) {
        struct term term = {.kind = (enum term_kind)kind};
        CHECK_INT(mxb__term_is_tree(&term), kind == TERM_TREE || kind == TERM_SYMMETRIC);
    }
}

static void gains(void) {
    struct term term = {.kind = TERM_TREE, .tree = {.gain = 1}};
    CHECK(mxb__term_gain(&term) == 1);
    term = (struct term){.kind = TERM_SYMMETRIC, .symmetric = {.gain = 2}};
    CHECK(mxb__term_gain(&term) == 2);
    term = (struct term){.kind = TERM_FOURIER, .fourier = {.gain = 3}};
    CHECK(mxb__term_gain(&term) == 3);
    term = (struct term){.kind = TERM_OWN};
    CHECK(isnan(mxb__term_gain(&term)));
}

static void copies_are_equal_and_apart(void) {
    struct term tree = make_tree(3, 2), symmetric = make_symmetric(3, 5), fourier = make_fourier(1, 7), copy;
    mxb_error error;
    OK(mxb__term_copy(&copy, &tree, NULL, &error), error);
    CHECK(copy.kind == TERM_TREE && copy.tree.n_nodes == tree.tree.n_nodes && copy.tree.nodes != tree.tree.nodes);
    for (uint32_t i = 0; i < tree.tree.n_nodes; i++) {
        CHECK(copy.tree.nodes[i].value == tree.tree.nodes[i].value);
    }
    mxb__term_clear(&copy);
    OK(mxb__term_copy(&copy, &symmetric, NULL, &error), error);
    CHECK(copy.kind == TERM_SYMMETRIC && copy.symmetric.depth == symmetric.symmetric.depth);
    CHECK(copy.symmetric.values != symmetric.symmetric.values &&
          copy.symmetric.values[0] == symmetric.symmetric.values[0]);
    mxb__term_clear(&copy);
    OK(mxb__term_copy(&copy, &fourier, PROJECTIONS, &error), error);
    CHECK(copy.kind == TERM_FOURIER && copy.n_outputs == 1 && copy.fourier.projection == 1);
    CHECK(copy.repaired == fourier.repaired && copy.fourier.intercept == fourier.fourier.intercept);
    CHECK(memcmp(copy.fourier.weights, fourier.fourier.weights, 7 * sizeof(double)) == 0);
    mxb__term_clear(&copy);
    CHECK(copy.fourier.weights == NULL);
    mxb__term_clear(&copy);
    mxb__term_clear(&tree);
    mxb__term_clear(&symmetric);
    mxb__term_clear(&fourier);
}

static void copy_may_fail(void) {
    struct term terms[3] = {make_tree(3, 2), make_fourier(0, 3), make_symmetric(3, 2)}, copy;
    mxb_error error;
    for (int i = 0; i < 3; i++) {
        mxb__memory_fail_at(1, 0);
        CHECK_INT(mxb__term_copy(&copy, &terms[i], PROJECTIONS, &error), MXB_ERROR_MEMORY);
        mxb__term_clear(&terms[i]);
    }
}

int main(void) {
    make_stream = mxb__random_stream(9, RANDOM_ROWS, 0);
    RUN(names);
    RUN(both_shapes_are_trees);
    RUN(gains);
    RUN(copies_are_equal_and_apart);
    RUN(copy_may_fail);
    return check_report();
}
