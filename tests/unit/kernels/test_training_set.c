#include "check.h"
#include "kernels/training_kernels.h"

static void every_table_is_full(void) {
    static const char *const names[] = {"avx512", "avx2", "portable"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct training_kernels *kernels = mxb__training_kernels_named(names[i]);
        if (kernels == NULL) {
            continue; /* this processor does not have it */
        }
        CHECK_TEXT(kernels->shared->name, names[i]);
        CHECK(kernels->histogram_packed != NULL);
        CHECK(kernels->histogram_wide != NULL);
        CHECK(kernels->best_cut_packed != NULL);
        CHECK(kernels->best_cut_wide != NULL);
        CHECK(kernels->add_gains_packed != NULL);
        CHECK(kernels->add_gains_wide != NULL);
        CHECK(kernels->quanta_packed != NULL);
        CHECK(kernels->quanta_wide != NULL);
        CHECK(kernels->sum_quanta != NULL);
        CHECK(kernels->partition != NULL);
        CHECK(kernels->gram != NULL);
        CHECK(kernels->weighted_sum != NULL);
        CHECK(kernels->squared != NULL);
        CHECK(kernels->logistic != NULL);
    }
}

int main(void) {
    RUN(every_table_is_full);
    return check_report();
}
