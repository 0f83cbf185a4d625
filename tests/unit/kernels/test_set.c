#include "check.h"
#include "kernels/kernels.h"

static void every_table_is_full(void) {
    static const char *const names[] = {"avx512", "avx2", "portable"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct kernels *kernels = mxb__kernels_named(names[i]);
        if (kernels == NULL) {
            continue; /* this processor does not have it */
        }
        CHECK_TEXT(kernels->name, names[i]);
        CHECK(kernels->encode != NULL);
        CHECK(kernels->project != NULL);
        CHECK(kernels->dot != NULL);
    }
}

int main(void) {
    RUN(every_table_is_full);
    return check_report();
}
