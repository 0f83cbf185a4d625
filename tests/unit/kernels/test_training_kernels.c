#define _POSIX_C_SOURCE 200809L
#include "kernels/training_kernels.h"

#include <stdlib.h>

#include "check.h"

static void both_tables_are_of_one_set(void) {
    static const char *const names[] = {NULL, "avx512", "avx2", "portable", "neon9000", ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct training_kernels *kernels = mxb__training_kernels_named(names[i]);
        CHECK((kernels == NULL ? NULL : kernels->shared) == mxb__kernels_named(names[i]));
    }
    CHECK(mxb__training_kernels_named("portable") == &mxb__training_kernels_portable);
}

static void the_environment_may_choose(void) {
    static const char *const names[] = {"portable", "avx2", "avx512", "neon9000"};
    unsetenv("MIXBOOST_KERNELS");
    CHECK(mxb__training_kernels()->shared == mxb__kernels());
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        setenv("MIXBOOST_KERNELS", names[i], 1);
        CHECK(mxb__training_kernels()->shared == mxb__kernels());
    }
}

int main(void) {
    RUN(both_tables_are_of_one_set);
    RUN(the_environment_may_choose);
    return check_report();
}
