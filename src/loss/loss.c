/* The losses of the table and sums of any loss over rows. Sums run over fixed blocks of rows, added in order; within a
 * block the kernels say how. */
#include "loss/loss.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "base/reduce.h"

enum { BLOCK = 4096 };

/* ---- mse: l(y, f) = (y - f)^2 / 2; the metric is the root of the mean of (y - f)^2 ---- */

static double mse_start(double mean, double mean_rest) {
    (void)mean_rest;
    return mean;
}

static struct loss_sums mse_measure(const struct training_kernels *kernels, const struct loss_block *block) {
    return kernels->squared(block);
}

/* ---- logloss: l(y, f) = log(1 + e^f) - y f with y = 0 or 1 ---- */

static double logloss_start(double mean, double mean_rest) {
    return mxb__log(fmax(mean, DBL_MIN)) - mxb__log(fmax(mean_rest, DBL_MIN));
}

static struct loss_sums logloss_measure(const struct training_kernels *kernels, const struct loss_block *block) {
    return kernels->logistic(block);
}

static const struct loss LOSSES[] = {
    {"mse", "rmse", 0, HESSIAN_ONE, 1, mse_start, mse_measure},
    {"logloss", "logloss", 1, HESSIAN_LOGISTIC, 0, logloss_start, logloss_measure},
};

const struct loss *mxb__loss_find(const char *name) {
    for (size_t i = 0; i < sizeof LOSSES / sizeof LOSSES[0]; i++) {
        if (strcmp(LOSSES[i].name, name) == 0) {
            return &LOSSES[i];
        }
    }
    return NULL;
}

static double weight_of(const struct loss_rows *rows, size_t i) {
    return rows->weights == NULL ? 1.0 : rows->weights[i];
}

/* Rounding must not take a mean out of the labels' range: where all are the same, nothing is left to learn. */
double mxb__loss_start(const struct loss *loss, const struct loss_rows *rows) {
    double means[2] = {0}, least = INFINITY, largest = -INFINITY;
    for (size_t i = 0; i < rows->n_rows; i++) {
        double share = weight_of(rows, i) / rows->weight_sum;
        double label = loss->two_classes ? (double)rows->is_1[i] : rows->labels[i];
        means[0] += share * label;
        means[1] += share * (1.0 - label);
        least = fmin(least, label);
        largest = fmax(largest, label);
    }
    mxb__reduce_doubles(means, 2);
    return loss->start(fmin(fmax(means[0], least), largest), means[1]);
}

/* ---- sums over blocks of rows ---- */

size_t mxb__loss_scratch(size_t n_rows) {
    return mxb__n_blocks(n_rows, BLOCK) * (sizeof(struct loss_sums) / sizeof(double));
}

struct loss_task {
    const struct loss *loss; /* NULL: values or derivatives are there already */
    const struct training_kernels *kernels;
    const struct loss_rows *rows;
    const double *values;
    double unit;
    struct loss_sums *sums; /* [block] */
};

static struct loss_sums sum_blocks(struct loss_task *task, struct pool *pool, double ns_a_row, task_fn sum_block) {
    size_t n_blocks = mxb__n_blocks(task->rows->n_rows, BLOCK);
    mxb__pool_run(pool, n_blocks, (double)task->rows->n_rows * ns_a_row, sum_block, task);
    double sums[3] = {0};
    double maxima[2] = {0};
    for (size_t b = 0; b < n_blocks; b++) {
        sums[0] += task->sums[b].abs_g;
        sums[1] += task->sums[b].h;
        sums[2] += task->sums[b].mean;
        maxima[0] = fmax(maxima[0], task->sums[b].max_abs_g);
        maxima[1] = fmax(maxima[1], task->sums[b].max_h);
    }
    mxb__reduce_doubles(sums, 3);
    mxb__reduce_maxima(maxima, 2);
    struct loss_sums sum = {sums[0], sums[1], maxima[0], maxima[1], sums[2]};
    return sum;
}

/* ---- losses of the table ---- */

static void measure_block(void *context, size_t index, size_t thread) {
    struct loss_task *task = context;
    const struct loss_rows *rows = task->rows;
    (void)thread;
    size_t first = index * BLOCK;
    struct loss_block block = {.n = mxb__block_length(rows->n_rows, BLOCK, index),
                               .labels = task->loss->two_classes ? NULL : rows->labels + first,
                               .is_1 = task->loss->two_classes ? rows->is_1 + first : NULL,
                               .scores = rows->scores + first,
                               .weights = rows->weights == NULL ? NULL : rows->weights + first,
                               .weight_sum = rows->weight_sum,
                               .unit = task->unit,
                               .g = rows->g == NULL ? NULL : rows->g + first,
                               .h = rows->h == NULL ? NULL : rows->h + first};
    task->sums[index] = task->loss->measure(task->kernels, &block);
}

/* A unit near the largest difference between score and label, for squares that would overflow or vanish. */
static double fitting_unit(const struct loss_rows *rows) {
    double largest = 0.0;
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (weight_of(rows, i) > 0.0) {
            largest = fmax(largest, fabs(rows->scores[i] / 2 - rows->labels[i] / 2)); /* halves: never infinite */
        }
    }
    mxb__reduce_maxima(&largest, 1);
    int exponent = 0;
    if (largest > 0.0) {
        frexp(largest, &exponent);
    }
    return ldexp(1.0, exponent < 1023 ? exponent : 1023);
}

struct measurement mxb__loss_measure(const struct loss *loss, const struct training_kernels *kernels,
                                     const struct loss_rows *rows, struct pool *pool, double *scratch) {
    struct loss_task task = {
        .loss = loss, .kernels = kernels, .rows = rows, .unit = 1.0, .sums = (struct loss_sums *)(void *)scratch};
    struct loss_sums sums = sum_blocks(&task, pool, 5.0, measure_block);
    struct measurement measured = {sums.mean, {sums.abs_g, sums.h, sums.max_abs_g, sums.max_h}};
    if (!loss->metric_is_squared) {
        return measured;
    }
    if (!(sums.mean > 1e-280 && sums.mean < 1e280)) {
        struct loss_rows again = *rows;
        again.g = NULL;
        again.h = NULL;
        task.rows = &again;
        task.unit = fitting_unit(rows);
        sums = sum_blocks(&task, pool, 5.0, measure_block);
    }
    measured.metric = task.unit * sqrt(sums.mean);
    return measured;
}

/* ---- losses that are computed elsewhere ---- */

static void average_block(void *context, size_t index, size_t thread) {
    struct loss_task *task = context;
    const struct loss_rows *rows = task->rows;
    (void)thread;
    size_t n = mxb__block_length(rows->n_rows, BLOCK, index);
    double lanes[MXB__LANES] = {0};
    for (size_t i = 0; i < n; i++) {
        double share = weight_of(rows, index * BLOCK + i) / rows->weight_sum;
        if (share > 0.0) {
            lanes[i % MXB__LANES] += share * task->values[index * BLOCK + i];
        }
    }
    task->sums[index] = (struct loss_sums){.mean = mxb__add_lanes(lanes)};
}

double mxb__loss_mean(const struct loss_rows *rows, const double *values, struct pool *pool, double *scratch) {
    struct loss_task task = {.rows = rows, .values = values, .sums = (struct loss_sums *)(void *)scratch};
    return sum_blocks(&task, pool, 5.0, average_block).mean;
}

static void weigh_block(void *context, size_t index, size_t thread) {
    struct loss_task *task = context;
    const struct loss_rows *rows = task->rows;
    (void)thread;
    size_t n = mxb__block_length(rows->n_rows, BLOCK, index);
    double *g = rows->g + index * BLOCK;
    double *h = rows->h + index * BLOCK;
    double lanes[2][MXB__LANES] = {{0}};
    struct loss_sums sums = {0};
    for (size_t i = 0; i < n; i++) {
        double weight = weight_of(rows, index * BLOCK + i);
        g[i] *= weight;
        h[i] *= weight;
        lanes[0][i % MXB__LANES] += fabs(g[i]);
        lanes[1][i % MXB__LANES] += h[i];
        sums.max_abs_g = fmax(sums.max_abs_g, fabs(g[i]));
        sums.max_h = fmax(sums.max_h, h[i]);
    }
    sums.abs_g = mxb__add_lanes(lanes[0]);
    sums.h = mxb__add_lanes(lanes[1]);
    task->sums[index] = sums;
}

struct gradient_range mxb__loss_weigh(const struct loss_rows *rows, struct pool *pool, double *scratch) {
    struct loss_task task = {.rows = rows, .sums = (struct loss_sums *)(void *)scratch};
    struct loss_sums sums = sum_blocks(&task, pool, 5.0, weigh_block);
    struct gradient_range range = {sums.abs_g, sums.h, sums.max_abs_g, sums.max_h};
    return range;
}
