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
        CHECK(kernels->encode_row != NULL);
        CHECK(kernels->scale_ranks != NULL);
        CHECK(kernels->project != NULL);
        CHECK(kernels->dot != NULL);
        CHECK(kernels->project_dot != NULL);
        CHECK(kernels->full_tree != NULL);
        CHECK(kernels->symmetric_tree != NULL);
        CHECK(kernels->row_trees != NULL);
        CHECK(kernels->row_levels != NULL);
        CHECK(kernels->add_leaves != NULL);
    }
}

int main(void) {
    RUN(every_table_is_full);
    return check_report();
}
