/* Algorithm 2's tables of stages: the paper's three, random ones by whole numbers and by logarithms, what is refused.
 */
#include "tune/plan.h"

#include "check.h"
#include "unit/boost/make_data.h"

static mxb_error error;

/* What the paper's tables are, by hand. */
struct expected_plan {
    size_t n_configs;
    size_t eta;
    double min_resource;
    size_t n_cores;
    size_t n_stages;
    struct stage_plan stages[4];
};

static void the_papers_three_settings(void) {
    static const struct expected_plan plans[] = {
        {512, 4, 1.0 / 4, 16, 2, {{512, 0.25, 16, 1}, {128, 1, 16, 1}}},
        {256, 4, 1.0 / 16, 40, 3, {{256, 0.0625, 40, 1}, {64, 0.25, 40, 1}, {16, 1, 16, 2}}},
        {1000, 4, 1.0 / 20, 8, 3, {{1000, 0.0625, 8, 1}, {250, 0.25, 8, 1}, {62, 1, 8, 1}}},
        {7, 3, 1, 4, 1, {{7, 1, 4, 1}}},
        {8, 2, 0.125, 64, 4, {{8, 0.125, 8, 8}, {4, 0.25, 4, 16}, {2, 0.5, 2, 32}, {1, 1, 1, 64}}},
    };
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        const struct expected_plan *expected = &plans[i];
        struct plan plan;
        OK(mxb__plan_make(&plan, expected->n_configs, expected->eta, expected->min_resource, expected->n_cores, &error),
           error);
        CHECK_INT(plan.n_stages, expected->n_stages);
        for (size_t s = 0; s < expected->n_stages; s++) {
            CHECK_INT(plan.stages[s].n_configs, expected->stages[s].n_configs);
            CHECK(plan.stages[s].resource == expected->stages[s].resource);
            CHECK_INT(plan.stages[s].n_workers, expected->stages[s].n_workers);
            CHECK_INT(plan.stages[s].n_threads, expected->stages[s].n_threads);
        }
    }
}

static size_t power_of(size_t eta, size_t exponent) {
    size_t power = 1;
    for (size_t i = 0; i < exponent; i++) {
        power *= eta;
    }
    return power;
}

/* All columns of a table whose s_max is known. */
static void check_stages(const struct plan *plan, size_t n_configs, size_t eta, size_t last, size_t n_cores) {
    size_t n_wrong = plan->n_stages != last + 1;
    for (size_t i = 0; n_wrong == 0 && i <= last; i++) {
        const struct stage_plan *stage = &plan->stages[i];
        size_t n = n_configs / power_of(eta, i) > 1 ? n_configs / power_of(eta, i) : 1;
        size_t workers = n_cores < n ? n_cores : n;
        n_wrong += stage->n_configs != n || stage->n_workers != workers || stage->n_threads != n_cores / workers;
        n_wrong += stage->resource != 1.0 / (double)power_of(eta, last - i);
    }
    CHECK_INT(n_wrong, 0);
}

/* min_resource a/b: s_max is the largest s with a eta^s <= b, in whole numbers. */
static void fractions_by_whole_numbers(void) {
    struct dice dice = {11};
    size_t n_refused = 0, n_at_a_power = 0;
    for (int k = 0; k < 20000; k++) {
        size_t eta = 2 + dice_below(&dice, k % 2 == 0 ? 5 : 30);
        size_t a = 1 + dice_below(&dice, 7);
        size_t b = a + dice_below(&dice, 3000);
        if (k % 3 == 0) { /* at a power and beside it */
            b = a * power_of(eta, 1 + dice_below(&dice, 3)) + dice_below(&dice, 3) - 1;
        }
        size_t n_configs = 1 + dice_below(&dice, k % 4 == 0 ? 50 : 20000);
        size_t n_cores = 1 + dice_below(&dice, 100);
        size_t last = 0;
        struct plan plan;
        while (a * power_of(eta, last + 1) <= b) {
            last++;
        }
        n_at_a_power += a * power_of(eta, last) == b;
        mxb_status status = mxb__plan_make(&plan, n_configs, eta, (double)a / (double)b, n_cores, &error);
        CHECK_INT(status, n_configs < power_of(eta, last) ? MXB_ERROR_PARAM : MXB_OK);
        if (status == MXB_OK) {
            check_stages(&plan, n_configs, eta, last, n_cores);
        }
        n_refused += status != MXB_OK;
    }
    CHECK(n_refused > 1000 && n_at_a_power > 1000);
}

/* Any number between two powers: floor(-log_eta r). */
static void numbers_by_logarithms(void) {
    struct dice dice = {12};
    for (int k = 0; k < 20000; k++) {
        size_t eta = 2 + dice_below(&dice, 10);
        double min_resource = exp(-12.0 * dice_uniform(&dice));
        long double stages = -logl((long double)min_resource) / logl((long double)eta);
        struct plan plan;
        if (fabsl(stages - roundl(stages)) < 1e-9L) {
            continue;
        }
        OK(mxb__plan_make(&plan, 1000000, eta, min_resource, 3, &error), error);
        check_stages(&plan, 1000000, eta, (size_t)stages, 3);
    }
}

/* Where a number is the power itself or its next neighbour. */
static void the_edge_is_sharp(void) {
    struct plan plan;
    for (size_t eta = 2; eta <= 1000; eta++) {
        for (size_t s = 1; power_of(eta, s) <= 1000000; s++) {
            double edge = 1.0 / (double)power_of(eta, s);
            OK(mxb__plan_make(&plan, 1000000, eta, edge, 1, &error), error);
            CHECK_INT(plan.n_stages, s + 1);
            OK(mxb__plan_make(&plan, 1000000, eta, nextafter(edge, 1), 1, &error), error);
            CHECK_INT(plan.n_stages, s);
        }
    }
}

/* n_0 >= eta^s_max, with equality allowed. */
static void too_few_configurations(void) {
    struct plan plan;
    OK(mxb__plan_make(&plan, 16, 4, 1.0 / 20, 2, &error), error);
    CHECK_INT(plan.stages[2].n_configs, 1);
    FAILS(mxb__plan_make(&plan, 15, 4, 1.0 / 20, 2, &error), error, MXB_ERROR_PARAM,
          "15 configurations cannot go through 3 stages, each with one in 4 of the stage before: there "
          "must be at least 16, or min_resource must be larger");
    FAILS(mxb__plan_make(&plan, 1, 2, 0.5, 2, &error), error, MXB_ERROR_PARAM,
          "1 configuration cannot go through 2 stages, each with one in 2 of the stage before: there "
          "must be at least 2, or min_resource must be larger");
    CHECK_INT(mxb__plan_make(&plan, 1000000, 2, 5e-324, 2, &error), MXB_ERROR_PARAM);
    CHECK_INT(mxb__plan_make(&plan, 1000000, 1000, 5e-324, 2, &error), MXB_ERROR_PARAM);
}

int main(void) {
    RUN(the_papers_three_settings);
    RUN(fractions_by_whole_numbers);
    RUN(numbers_by_logarithms);
    RUN(the_edge_is_sharp);
    RUN(too_few_configurations);
    return check_report();
}
