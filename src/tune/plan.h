/* Algorithm 2's table of stages. */
#ifndef MXB_TUNE_PLAN_H
#define MXB_TUNE_PLAN_H

#include <stddef.h>

#include "base/status.h"

enum { MXB__MAX_STAGES = 64 };

struct stage_plan {
    size_t n_configs; /* n_i = max(1, floor(n_0 eta^-i)) */
    double resource;  /* r_i = eta^(i - s_max) */
    size_t n_workers; /* p_i = min(cores, n_i) */
    size_t n_threads; /* t_i = floor(cores / p_i), of each worker */
};

struct plan {
    size_t n_stages; /* s_max + 1 */
    struct stage_plan stages[MXB__MAX_STAGES];
};

/** The table; PARAM where n_0 < eta^s_max. `min_resource` is over 0, up to 1. */
mxb_status mxb__plan_make(struct plan *plan, size_t n_configs, size_t eta, double min_resource, size_t n_cores,
                          mxb_error *error);

#endif
