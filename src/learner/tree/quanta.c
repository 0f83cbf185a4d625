/* Gradients as integers: the choice of quanta and the rounding. Part of the frozen arithmetic. */
#include "learner/tree/quanta.h"

#include <math.h>

#include "base/parallel.h"
#include "base/random.h"
#include "base/reduce.h"

enum { BLOCK = 1 << 15, WIDE_BITS = 61 };

static const size_t MAX_PACKED_ROWS = (size_t)1 << 30;

/* The largest e with sum * 2^e <= limit (a sum that overflowed is replaced by n times the largest). */
static int exponent_for(double sum, double largest, size_t n, double limit) {
    int bound; /* sum < 2^bound */
    if (isinf(sum)) {
        int count_bits;
        frexp(largest, &bound);
        frexp((double)n, &count_bits);
        bound += count_bits;
    } else if (sum > 0.0) {
        frexp(sum, &bound);
    } else {
        return 0;
    }
    int limit_bits; /* limit >= 2^(limit_bits - 1) */
    frexp(limit, &limit_bits);
    int exponent = limit_bits - 1 - bound;
    if (!isinf(sum) && ldexp(sum, exponent + 1) <= limit) {
        exponent++;
    }
    return exponent < 1000 ? exponent : 1000; /* 2^exponent must be a double */
}

static struct quanta make_quanta(int g_exponent, int h_exponent) {
    struct quanta quanta = {g_exponent, h_exponent, ldexp(1.0, g_exponent), ldexp(1.0, h_exponent)};
    return quanta;
}

struct quanta mxb__quanta_wide(const struct fit_input *input) {
    size_t n = input->prepared->n_rows;
    double limit = ldexp(1.0, WIDE_BITS);
    return make_quanta(exponent_for(input->sum_abs_g, input->max_abs_g, n, limit),
                       exponent_for(input->sum_h, input->max_h, n, limit));
}

int mxb__quanta_may_be_packed(const struct fit_input *input) {
    size_t n = input->prepared->n_rows;
    return n > input->options->max_wide_rows && n <= MAX_PACKED_ROWS;
}

int mxb__quanta_packed(const struct fit_input *input, struct quanta *quanta) {
    size_t n = input->prepared->n_rows;
    if (!mxb__quanta_may_be_packed(input) || isinf(input->sum_abs_g) || isinf(input->sum_h)) {
        return 0;
    }
    *quanta = make_quanta(exponent_for(input->sum_abs_g, input->max_abs_g, n, 0x1p31 - 1.0 - (double)n),
                          exponent_for(input->sum_h, input->max_h, n, 0x1p32 - 1.0 - (double)n));
    return 1;
}

/* ---- all rows, in blocks ---- */

struct quanta_task {
    const struct fit_input *input;
    struct scaled_rows rows;
    struct random_stream random;
    struct gradient_sum *sums;
    uint64_t *words;
    _Atomic int64_t n_coarse;
};

static void run(struct quanta_task *task, double nanoseconds_a_row, task_fn function) {
    size_t n = task->input->prepared->n_rows;
    mxb__pool_run(task->input->tree_pool, mxb__n_blocks(n, BLOCK), (double)n * nanoseconds_a_row, function, task);
}

static void write_wide(void *context, size_t block, size_t thread) {
    struct quanta_task *task = context;
    (void)thread;
    size_t n = mxb__block_length(task->input->prepared->n_rows, BLOCK, block);
    task->input->kernels->quanta_wide(&task->rows, block * BLOCK, n, task->sums);
}

void mxb__quanta_write_wide(const struct fit_input *input, struct quanta quanta, struct gradient_sum *sums) {
    struct quanta_task task = {.input = input, .rows = mxb__quanta_rows(input, quanta), .sums = sums};
    run(&task, 1.0, write_wide);
}

static void write_packed(void *context, size_t block, size_t thread) {
    struct quanta_task *task = context;
    (void)thread;
    size_t n = mxb__block_length(task->input->prepared->n_rows, BLOCK, block);
    task->n_coarse +=
        (int64_t)task->input->kernels->quanta_packed(&task->rows, task->random, block * BLOCK, n, task->words);
}

int mxb__quanta_write_packed(const struct fit_input *input, struct quanta quanta, uint32_t round, uint64_t *words) {
    struct quanta_task task = {.input = input,
                               .rows = mxb__quanta_rows(input, quanta),
                               .random = mxb__random_stream(input->options->seed, RANDOM_ROUNDING, round),
                               .words = words};
    run(&task, 2.0, write_packed);
    int64_t n_coarse = task.n_coarse;
    mxb__reduce_integers(&n_coarse, 1);
    return (uint64_t)n_coarse * 100 <= input->prepared->n_rows;
}
