#include "check.h"
#include "unit/model/make_model.h"

static void amplitude(void) {
    CHECK(mxb__projection_amplitude(2) == 1);
    CHECK(mxb__projection_amplitude(8) == 0.5f);
    CHECK(mxb__projection_amplitude(100) == (float)sqrt(0.02));
}

static void projection_copies(void) {
    struct projection from = make_projection(3, 5), to;
    mxb_error error;
    for (uint64_t n = 1; n <= 2; n++) {
        mxb__memory_fail_at(n, 0);
        CHECK_INT(mxb__projection_copy(&to, &from, &error), MXB_ERROR_MEMORY);
        CHECK(to.weights == NULL && to.phases == NULL);
    }
    OK(mxb__projection_copy(&to, &from, &error), error);
    CHECK(to.n_features == 3 && to.n_components == 5 && to.weights != from.weights && to.phases != from.phases);
    CHECK(memcmp(to.weights, from.weights, 15 * sizeof(float)) == 0);
    CHECK(memcmp(to.phases, from.phases, 5 * sizeof(float)) == 0);
    mxb__projection_clear(&to);
    mxb__projection_clear(&to);
    mxb__projection_clear(&from);
}

static void fourier_copies(void) {
    struct term term = make_fourier(1, 6);
    struct fourier copy;
    mxb_error error;
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__fourier_copy(&copy, &term.fourier, 6, &error), MXB_ERROR_MEMORY);
    OK(mxb__fourier_copy(&copy, &term.fourier, 6, &error), error);
    CHECK(copy.projection == 1 && copy.intercept == term.fourier.intercept && copy.weights != term.fourier.weights);
    CHECK(memcmp(copy.weights, term.fourier.weights, 6 * sizeof(double)) == 0);
    mxb__fourier_clear(&copy);
    CHECK(copy.weights == NULL);
    mxb__term_clear(&term);
}

static void rounds_collapse_into_one(void) {
    struct term first = make_fourier(0, 3), second = make_fourier(0, 3);
    double sum[3] = {0, 0, 0};
    second.fourier.weights[1] = first.fourier.weights[1] = DBL_MAX;
    mxb__fourier_collapse(sum, &first.fourier, 3);
    mxb__fourier_collapse(sum, &second.fourier, 3);
    for (int j = 0; j < 3; j++) {
        CHECK(sum[j] == (j == 1 ? DBL_MAX : first.fourier.weights[j] + second.fourier.weights[j]));
    }
    mxb__term_clear(&first);
    mxb__term_clear(&second);
}

int main(void) {
    make_stream = mxb__random_stream(8, RANDOM_ROWS, 0);
    RUN(amplitude);
    RUN(projection_copies);
    RUN(fourier_copies);
    RUN(rounds_collapse_into_one);
    return check_report();
}
