/* The losses, each in formulas that are safe at any score. Sums run over fixed blocks of rows, added in order. */
#include "loss/loss.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "base/reduce.h"

enum { BLOCK = 4096, N_SUMS = 4 };

/* Below this a hessian tells nothing any more; a Newton step stays finite. */
static const double SMALLEST_HESSIAN = 1e-16;

/* ---- mse: l(y, f) = (y - f)^2 / 2; the metric is the root of the mean of (y - f)^2 ---- */

static double mse_start(double mean, double mean_rest) {
    (void)mean_rest;
    return mean;
}

static double mse_value(double label, double score, double unit) {
    double residual = (score - label) / unit;
    return residual * residual;
}

static void mse_derivatives(double label, double score, double *g, double *h) {
    *g = score - label;
    *h = 1.0;
}

/* ---- logloss: l(y, f) = log(1 + e^f) - y f with y = 0 or 1 ---- */

static double logloss_start(double mean, double mean_rest) {
    return mxb__log(fmax(mean, DBL_MIN)) - mxb__log(fmax(mean_rest, DBL_MIN));
}

static double logloss_value(double label, double score, double unit) {
    (void)unit;
    double wrong_side = label > 0.5 ? -score : score;
    return mxb__log1p(mxb__exp(-fabs(score))) + (wrong_side > 0.0 ? wrong_side : 0.0);
}

static void logloss_derivatives(double label, double score, double *g, double *h) {
    double e = mxb__exp(-fabs(score)); /* in (0, 1]: nothing below can overflow or cancel */
    double likely = 1.0 / (1.0 + e);
    double unlikely = e * likely;
    double p_of_1 = score >= 0.0 ? likely : unlikely;
    double p_of_0 = score >= 0.0 ? unlikely : likely;
    *g = label > 0.5 ? -p_of_0 : p_of_1;
    *h = fmax(likely * unlikely, SMALLEST_HESSIAN);
}

static const struct loss LOSSES[] = {
    {"mse", "rmse", 0, 1, 1, mse_start, mse_value, mse_derivatives},
    {"logloss", "logloss", 1, 0, 0, logloss_start, logloss_value, logloss_derivatives},
};

const struct loss *mxb__loss_find(const char *name) {
    for (size_t i = 0; i < sizeof LOSSES / sizeof LOSSES[0]; i++) {
        if (strcmp(LOSSES[i].name, name) == 0) {
            return &LOSSES[i];
        }
    }
    return NULL;
}

/* ---- sums over rows ---- */

size_t mxb__loss_scratch(size_t n_rows) { return N_SUMS * mxb__n_blocks(n_rows, BLOCK); }

struct loss_task {
    const struct loss *loss; /* NULL: values or derivatives are there already */
    const double *values;
    const struct loss_rows *rows;
    double unit;
    double *sums; /* [block][N_SUMS] */
    double *g;
    double *h;
};

static double weight_of(const struct loss_rows *rows, size_t i) {
    return rows->weights == NULL ? 1.0 : rows->weights[i];
}

double mxb__loss_start(const struct loss *loss, const struct loss_rows *rows) {
    double means[2] = {0};
    for (size_t i = 0; i < rows->n_rows; i++) {
        double share = weight_of(rows, i) / rows->weight_sum;
        means[0] += share * rows->labels[i];
        means[1] += share * (1.0 - rows->labels[i]);
    }
    mxb__reduce_doubles(means, 2);
    return loss->start(means[0], means[1]);
}

static void add_metric(void *context, size_t block, size_t thread) {
    struct loss_task *task = context;
    const struct loss_rows *rows = task->rows;
    (void)thread;
    size_t first = block * BLOCK;
    size_t end = first + mxb__block_length(rows->n_rows, BLOCK, block);
    double sum = 0.0;
    for (size_t i = first; i < end; i++) {
        double share = weight_of(rows, i) / rows->weight_sum;
        if (share > 0.0) { /* a row that does not count may not turn an infinity into NaN */
            sum += share * (task->loss == NULL ? task->values[i]
                                               : task->loss->value(rows->labels[i], rows->scores[i], task->unit));
        }
    }
    task->sums[block] = sum;
}

static double sum_metric(struct loss_task *task, struct pool *pool) {
    size_t n_blocks = mxb__n_blocks(task->rows->n_rows, BLOCK);
    mxb__pool_run(pool, n_blocks, (double)task->rows->n_rows * 20.0, add_metric, task);
    double sum = 0.0;
    for (size_t b = 0; b < n_blocks; b++) {
        sum += task->sums[b];
    }
    mxb__reduce_doubles(&sum, 1);
    return sum;
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

double mxb__loss_metric(const struct loss *loss, const struct loss_rows *rows, struct pool *pool, double *scratch) {
    struct loss_task task = {.loss = loss, .rows = rows, .unit = 1.0, .sums = scratch};
    double sum = sum_metric(&task, pool);
    if (!loss->metric_is_squared) {
        return sum;
    }
    if (!(sum > 1e-280 && sum < 1e280)) {
        task.unit = fitting_unit(rows);
        sum = sum_metric(&task, pool);
    }
    return task.unit * sqrt(sum);
}

double mxb__loss_mean(const struct loss_rows *rows, const double *values, struct pool *pool, double *scratch) {
    struct loss_task task = {.rows = rows, .values = values, .sums = scratch};
    return sum_metric(&task, pool);
}

static void add_gradients(void *context, size_t block, size_t thread) {
    struct loss_task *task = context;
    const struct loss_rows *rows = task->rows;
    (void)thread;
    size_t first = block * BLOCK;
    size_t end = first + mxb__block_length(rows->n_rows, BLOCK, block);
    struct gradient_range range = {0};
    for (size_t i = first; i < end; i++) {
        double weight = weight_of(rows, i);
        if (task->loss != NULL) {
            task->loss->derivatives(rows->labels[i], rows->scores[i], &task->g[i], &task->h[i]);
        }
        task->g[i] *= weight;
        task->h[i] *= weight;
        range.sum_abs_g += fabs(task->g[i]);
        range.sum_h += task->h[i];
        range.max_abs_g = fmax(range.max_abs_g, fabs(task->g[i]));
        range.max_h = fmax(range.max_h, task->h[i]);
    }
    double *sums = task->sums + block * N_SUMS;
    sums[0] = range.sum_abs_g;
    sums[1] = range.sum_h;
    sums[2] = range.max_abs_g;
    sums[3] = range.max_h;
}

static struct gradient_range sum_gradients(struct loss_task *task, struct pool *pool) {
    const double *scratch = task->sums;
    size_t n_blocks = mxb__n_blocks(task->rows->n_rows, BLOCK);
    mxb__pool_run(pool, n_blocks, (double)task->rows->n_rows * 15.0, add_gradients, task);
    double sums[2] = {0};
    double maxima[2] = {0};
    for (size_t b = 0; b < n_blocks; b++) {
        const double *block = scratch + b * N_SUMS;
        sums[0] += block[0];
        sums[1] += block[1];
        maxima[0] = fmax(maxima[0], block[2]);
        maxima[1] = fmax(maxima[1], block[3]);
    }
    mxb__reduce_doubles(sums, 2);
    mxb__reduce_maxima(maxima, 2);
    struct gradient_range range = {sums[0], sums[1], maxima[0], maxima[1]};
    return range;
}

struct gradient_range mxb__loss_gradients(const struct loss *loss, const struct loss_rows *rows, struct pool *pool,
                                          double *scratch, double *g, double *h) {
    struct loss_task task = {.loss = loss, .rows = rows, .sums = scratch, .g = g, .h = h};
    return sum_gradients(&task, pool);
}

struct gradient_range mxb__loss_weigh(const struct loss_rows *rows, struct pool *pool, double *scratch, double *g,
                                      double *h) {
    struct loss_task task = {.rows = rows, .sums = scratch, .g = g, .h = h};
    return sum_gradients(&task, pool);
}
