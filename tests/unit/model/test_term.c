#include "check.h"
#include "unit/model/make_model.h"

static const struct projection PROJECTIONS[2] = {{.n_components = 3}, {.n_components = 7}};

static void names(void) {
    CHECK_TEXT(mxb__term_name(TERM_TREE), "tree");
    CHECK_TEXT(mxb__term_name(TERM_FOURIER), "fourier");
}

static void scale_tree(void) {
    struct term term = make_tree(3, 4), scaled;
    mxb_error error;
    OK(mxb__term_copy(&scaled, &term, NULL, &error), error);
    mxb__term_scale(&scaled, 0.25, NULL);
    for (uint32_t i = 0; i < term.tree.n_nodes; i++) {
        double rate = term.tree.nodes[i].split == SPLIT_NONE ? 0.25 : 1; /* thresholds stay */
        CHECK(scaled.tree.nodes[i].value == rate * term.tree.nodes[i].value);
    }
    mxb__term_clear(&term);
    mxb__term_clear(&scaled);
}

static void scale_fourier(void) {
    struct term term = make_fourier(1, 7), scaled;
    mxb_error error;
    OK(mxb__term_copy(&scaled, &term, PROJECTIONS, &error), error);
    CHECK(scaled.kind == TERM_FOURIER && scaled.n_outputs == 1 && scaled.fourier.projection == 1);
    mxb__term_scale(&scaled, 0.5, PROJECTIONS);
    for (int j = 0; j < 7; j++) {
        CHECK(scaled.fourier.weights[j] == 0.5 * term.fourier.weights[j]);
    }
    CHECK(scaled.fourier.intercept == 0.5 * term.fourier.intercept);
    mxb__term_clear(&term);
    mxb__term_clear(&scaled);
    CHECK(scaled.fourier.weights == NULL);
    mxb__term_clear(&scaled);
}

static void copy_may_fail(void) {
    struct term terms[2] = {make_tree(3, 2), make_fourier(0, 3)}, copy;
    mxb_error error;
    for (int i = 0; i < 2; i++) {
        mxb__memory_fail_at(1, 0);
        CHECK_INT(mxb__term_copy(&copy, &terms[i], PROJECTIONS, &error), MXB_ERROR_MEMORY);
        mxb__term_clear(&terms[i]);
    }
}

int main(void) {
    make_stream = mxb__random_stream(9, RANDOM_ROWS, 0);
    RUN(names);
    RUN(scale_tree);
    RUN(scale_fourier);
    RUN(copy_may_fail);
    return check_report();
}
