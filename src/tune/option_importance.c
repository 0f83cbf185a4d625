/* What each option explains, by itself, of where configurations stand: the share of the variance of their ranks that
 * lies between groups of similar values, less what chance would give. Knows nothing of losses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "tune/tuner.h"

/* Groups that the values of an option are parted into, and configurations that one has at least. */
enum { MAX_GROUPS = 8, MIN_GROUP = 4 };

struct point {
    double value; /* of the option */
    double rank;  /* 0 is the best */
};

static int compare_points(const void *a, const void *b) {
    const struct point *left = a;
    const struct point *right = b;
    if (left->value != right->value) {
        return left->value < right->value ? -1 : 1;
    }
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

/* A number for an option's value: itself, or for words the place among those of the range; infinite for what stands
 * nowhere among the others, as auto among numbers. */
static double value_of(const struct range *range, const char *text) {
    double value;
    if (range->n_values == 0) {
        return mxb__number_parse(text, strlen(text), &value) ? value : HUGE_VAL;
    }
    size_t place = 0;
    while (place < range->n_values && strcmp(range->values[place], text) != 0) {
        place++;
    }
    return place < range->n_values ? (double)place : HUGE_VAL;
}

static double mean_rank(const struct point *points, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += points[i].rank;
    }
    return sum / (double)n;
}

/* Omega squared of the points, which are sorted: groups of the same size or larger, equal values together. */
static double explained(const struct point *points, size_t n) {
    size_t n_wanted = n / MIN_GROUP < MAX_GROUPS ? n / MIN_GROUP : MAX_GROUPS;
    if (n_wanted < 2) {
        return (double)NAN;
    }
    size_t size = (n + n_wanted - 1) / n_wanted;
    double mean = mean_rank(points, n);
    double total = 0.0;
    double between = 0.0;
    size_t n_groups = 0;
    for (size_t i = 0; i < n; i++) {
        total += (points[i].rank - mean) * (points[i].rank - mean);
    }
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && (end < first + size || points[end].value == points[end - 1].value); end++) {
        }
        double distance = mean_rank(points + first, end - first) - mean;
        between += (double)(end - first) * distance * distance;
        n_groups++;
    }
    if (n_groups < 2) {
        return 0.0;
    }
    double within = (total - between) / (double)(n - n_groups);
    double share = (between - (double)(n_groups - 1) * within) / (total + within);
    return fmin(fmax(share, 0.0), 1.0);
}

/* The configurations that have been tried, best first. */
static mxb_status find_tried(const mxb_tuner *tuner, size_t **configs, size_t *n, mxb_error *error) {
    MXB_TRY(mxb__alloc(configs, tuner->results.n_all, sizeof **configs, "a ranking", error));
    mxb_status status = mxb__results_rank(&tuner->results, *configs, error);
    if (status != MXB_OK) {
        mxb__free(*configs);
        return status;
    }
    *n = 0;
    while (*n < tuner->results.n_all && !isnan(mxb__results_loss(&tuner->results, 0, (*configs)[*n]))) {
        (*n)++;
    }
    return MXB_OK;
}

/* Fills points[option][configuration]. */
static mxb_status find_points(const mxb_tuner *tuner, const size_t *configs, size_t n, struct point *points,
                              mxb_error *error) {
    for (size_t rank = 0; rank < n; rank++) {
        mxb_params *params;
        MXB_TRY(mxb__tuner_draw(tuner, configs[rank], &params, error));
        for (size_t i = 0; i < tuner->space->n_ranges; i++) {
            const struct range *range = &tuner->space->ranges[i];
            points[i * n + rank].value = value_of(range, mxb_params_get(params, range->option));
            points[i * n + rank].rank = (double)rank;
        }
        mxb_params_free(params);
    }
    return MXB_OK;
}

mxb_status mxb_tuner_importance(const mxb_tuner *tuner, double *importances, mxb_error *error) {
    size_t *configs;
    size_t n;
    struct point *points = NULL;
    MXB_TRY(mxb__tuner_check_started(tuner, error));
    if (importances == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "importances is NULL");
    }
    MXB_TRY(find_tried(tuner, &configs, &n, error));
    mxb_status status = mxb__alloc(&points, tuner->space->n_ranges * n, sizeof *points, "importances", error);
    if (status == MXB_OK) {
        status = find_points(tuner, configs, n, points, error);
    }
    for (size_t i = 0; status == MXB_OK && i < tuner->space->n_ranges; i++) {
        struct point *of_option = points + i * n;
        size_t n_compared = n;
        qsort(of_option, n, sizeof *of_option, compare_points);
        while (n_compared > 0 && isinf(of_option[n_compared - 1].value)) {
            n_compared--;
        }
        importances[i] = explained(of_option, n_compared);
    }
    mxb__free(points);
    mxb__free(configs);
    return status;
}
