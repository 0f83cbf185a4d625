/* The losses of the table, each in formulas that are safe at any score: derivatives, their range and the metric of a
 * block of rows in one pass. */
#include <math.h>

#include "base/math.h"
#include "kernels/portable/portable_training.h"

struct row_loss {
    double value;
    double g;
};

static struct row_loss squared_of_row(const struct loss_block *block, size_t row) {
    double residual = block->scores[row] - block->labels[row];
    double in_units = residual / block->unit;
    struct row_loss loss = {in_units * in_units, residual};
    return loss;
}

static struct row_loss logistic_of_row(const struct loss_block *block, size_t row) {
    double score = block->scores[row];
    int is_1 = block->is_1[row];
    double e = mxb__exp(-fabs(score)); /* in (0, 1]: nothing below can overflow or cancel */
    double likely = 1.0 / (1.0 + e);
    double unlikely = e * likely;
    double p_of_1 = score >= 0.0 ? likely : unlikely;
    double p_of_0 = score >= 0.0 ? unlikely : likely;
    double wrong_side = is_1 ? -score : score;
    struct row_loss loss = {mxb__log1p(e) + (wrong_side > 0.0 ? wrong_side : 0.0), is_1 ? -p_of_0 : p_of_1};
    return loss;
}

static struct loss_sums take_rows(const struct loss_block *block, enum hessian hessian,
                                  struct row_loss (*of_row)(const struct loss_block *block, size_t row)) {
    double abs_g[MXB__LANES] = {0};
    double h[MXB__LANES] = {0};
    double mean[MXB__LANES] = {0};
    struct loss_sums sums = {0};
    for (size_t i = 0; i < block->n; i++) {
        double weight = block->weights == NULL ? 1.0 : block->weights[i];
        double share = weight / block->weight_sum;
        struct row_loss row = of_row(block, i);
        if (share > 0.0) { /* a row that does not count may not turn an infinity into NaN */
            mean[i % MXB__LANES] += share * row.value;
        }
        if (block->g != NULL) {
            double row_g = row.g * weight;
            double row_h = mxb__implied_hessian(hessian, row.g) * weight;
            abs_g[i % MXB__LANES] += fabs(row_g);
            h[i % MXB__LANES] += row_h;
            sums.max_abs_g = mxb__larger(fabs(row_g), sums.max_abs_g);
            sums.max_h = mxb__larger(row_h, sums.max_h);
            block->g[i] = row_g;
            if (block->h != NULL) {
                block->h[i] = row_h;
            }
        }
    }
    sums.abs_g = mxb__add_lanes(abs_g);
    sums.h = mxb__add_lanes(h);
    sums.mean = mxb__add_lanes(mean);
    return sums;
}

struct loss_sums mxb__portable_squared(const struct loss_block *block) {
    return take_rows(block, HESSIAN_ONE, squared_of_row);
}

struct loss_sums mxb__portable_logistic(const struct loss_block *block) {
    return take_rows(block, HESSIAN_LOGISTIC, logistic_of_row);
}
