/* Chooses the table of hot loops: the widest vectors that the processor has, or what MIXBOOST_KERNELS names. */
#include "kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/portable/portable.h"

const struct kernels mxb__kernels_portable = {
    .name = "portable",
    .encode = mxb__portable_encode,
    .encode_row = mxb__portable_encode_row,
    .scale_ranks = mxb__portable_scale_ranks,
    .project = mxb__portable_project,
    .dot = mxb__portable_dot,
    .project_dot = mxb__portable_project_dot,
    .full_tree = mxb__portable_full_tree,
    .symmetric_tree = mxb__portable_symmetric_tree,
    .row_trees = mxb__portable_row_trees,
    .row_levels = mxb__portable_row_levels,
    .add_leaves = mxb__portable_add_leaves,
};

#if defined(MXB__HAS_AVX)
extern const struct kernels mxb__kernels_avx2;
extern const struct kernels mxb__kernels_avx512;

static int has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

static int has_portable(void) { return 1; }

static const struct {
    const struct kernels *kernels;
    int (*is_usable)(void);
} SETS[] = {
#if defined(MXB__HAS_AVX)
    {&mxb__kernels_avx512, has_avx512},
    {&mxb__kernels_avx2, has_avx2},
#endif
    {&mxb__kernels_portable, has_portable},
};

enum { N_SETS = sizeof SETS / sizeof SETS[0] };

const struct kernels *mxb__kernels_named(const char *name) {
    for (size_t i = 0; i < N_SETS; i++) {
        if (SETS[i].is_usable() && (name == NULL || strcmp(name, SETS[i].kernels->name) == 0)) {
            return SETS[i].kernels;
        }
    }
    return NULL;
}

const struct kernels *mxb__kernels(void) {
    const struct kernels *wanted = mxb__kernels_named(getenv("MIXBOOST_KERNELS"));
    return wanted != NULL ? wanted : mxb__kernels_named(NULL); /* one that is not here changes no result */
}
