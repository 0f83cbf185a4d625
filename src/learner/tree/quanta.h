/* Gradients as integers. Integer sums do not depend on their order, so neither does the tree. */
#ifndef MXB_LEARNER_TREE_QUANTA_H
#define MXB_LEARNER_TREE_QUANTA_H

#include <stddef.h>
#include <stdint.h>

#include "learner/learner.h"

/* g_scale = 2^g_exponent quanta make 1 of g, and so for h. */
struct quanta {
    int g_exponent;
    int h_exponent;
    double g_scale;
    double h_scale;
};

/** Quanta so fine that the sums of all |g| and of all h stay below 2^62 of them. */
struct quanta mxb__quanta_wide(const struct fit_input *input);

/** Whether the rows may have packed words: they are neither few (max_wide_rows), which need none, nor too many. */
int mxb__quanta_may_be_packed(const struct fit_input *input);

/** Quanta for words of 32 bits each: all |g| sum to less than 2^31, all h to less than 2^32, whichever way each row is
 *  rounded. Returns 0 where the rows may not have them, or their gradients are too large for any. */
int mxb__quanta_packed(const struct fit_input *input, struct quanta *quanta);

/** All rows as wide sums, rounded to nearest. */
void mxb__quanta_write_wide(const struct fit_input *input, struct quanta quanta, struct gradient_sum *sums);

/** All rows as packed words, rounded at random so that the mean is right, the same for any thread. Returns 0 where
 * these quanta are too coarse: for more than 1 % of the rows a non-zero |g| or h is below 8 quanta. */
int mxb__quanta_write_packed(const struct fit_input *input, struct quanta quanta, uint32_t round, uint64_t *words);

static inline struct scaled_rows mxb__quanta_rows(const struct fit_input *input, struct quanta quanta) {
    struct scaled_rows rows = {input->g, input->h, input->hessian, quanta.g_scale, quanta.h_scale};
    return rows;
}

#endif
