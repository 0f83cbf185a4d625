#define _POSIX_C_SOURCE 200809L
#include "kernels/kernels.h"

#include <stdlib.h>

#include "check.h"

static void the_portable_set_is_always_there(void) {
    CHECK(mxb__kernels_named("portable") == &mxb__kernels_portable);
    CHECK_TEXT(mxb__kernels_portable.name, "portable");
    CHECK(mxb__kernels_named("neon9000") == NULL);
    CHECK(mxb__kernels_named("") == NULL);
}

static void the_environment_may_choose(void) {
    unsetenv("MIXBOOST_KERNELS");
    CHECK(mxb__kernels() == mxb__kernels_named(NULL));
    setenv("MIXBOOST_KERNELS", "portable", 1);
    CHECK(mxb__kernels() == &mxb__kernels_portable);
    setenv("MIXBOOST_KERNELS", "neon9000", 1);
    CHECK(mxb__kernels() == mxb__kernels_named(NULL));
}

int main(void) {
    RUN(the_portable_set_is_always_there);
    RUN(the_environment_may_choose);
    return check_report();
}
