/* The stages of successive halving, as the paper's Algorithm 2 has them. Knows nothing of configurations or losses. */
#include "tune/plan.h"

/* The largest s with eta^-s >= min_resource. Powers are exact up to 2^53; beyond, no one has as many configurations. */
static size_t find_last_stage(size_t eta, double min_resource) {
    size_t last = 0;
    double power = (double)eta;
    while (last + 1 < MXB__MAX_STAGES && 1.0 / power >= min_resource) {
        last++;
        power *= (double)eta;
    }
    return last;
}

mxb_status mxb__plan_make(struct plan *plan, size_t n_configs, size_t eta, double min_resource, size_t n_cores,
                          mxb_error *error) {
    size_t last = find_last_stage(eta, min_resource);
    double power = 1.0;
    for (size_t i = 0; i < last; i++) {
        power *= (double)eta;
    }
    if ((double)n_configs < power) {
        return mxb__fail(error, MXB_ERROR_PARAM,
                         "%zu configuration%s cannot go through %zu stages, each with one in %zu of the stage before: "
                         "there must be at least %.7g, or min_resource must be larger",
                         n_configs, n_configs == 1 ? "" : "s", last + 1, eta, power);
    }
    plan->n_stages = last + 1;
    size_t n = n_configs;
    for (size_t i = 0; i <= last; i++) {
        struct stage_plan *stage = &plan->stages[i];
        stage->n_configs = n < 1 ? 1 : n;
        stage->resource = 1.0 / power;
        stage->n_workers = n_cores < stage->n_configs ? n_cores : stage->n_configs;
        stage->n_threads = n_cores / stage->n_workers;
        n /= eta; /* floor(floor(n / eta) / eta) is floor(n / eta^2) */
        power /= (double)eta;
    }
    return MXB_OK;
}
