#include "kernels/kernels.h"

#include "check.h"

static void the_table_is_full(void) {
    const struct kernels *tables[] = {mxb__kernels(), &mxb__kernels_portable};
    for (size_t i = 0; i < 2; i++) {
        const struct kernels *kernels = tables[i];
        REQUIRE(kernels != NULL);
        CHECK(kernels->name != NULL && kernels->name[0] != '\0');
        CHECK(kernels->encode != NULL);
        CHECK(kernels->histogram_packed != NULL);
        CHECK(kernels->histogram_wide != NULL);
        CHECK(kernels->partition != NULL);
        CHECK(kernels->project != NULL);
        CHECK(kernels->gram != NULL);
        CHECK(kernels->weighted_sum != NULL);
        CHECK(kernels->dot != NULL);
    }
    CHECK_TEXT(mxb__kernels_portable.name, "portable");
    CHECK(mxb__kernels() == mxb__kernels()); /* one choice a process */
}

int main(void) {
    RUN(the_table_is_full);
    return check_report();
}
