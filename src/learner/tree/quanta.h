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

/** Quanta for words of 32 bits each: all |g| sum to less than 2^31, all h to less than 2^32, whichever way each row is
 *  rounded. Returns 0 where these would be too coarse: few rows (2^16 at most), or more than 1 % of the rows with a
 *  non-zero |g| or h below 8 quanta. */
int mxb__quanta_packed(const struct fit_input *input, struct quanta *quanta);

/** The row's g and h in wide quanta, rounded to nearest. */
struct gradient_sum mxb__quanta_of_row(const struct fit_input *input, struct quanta quanta, size_t row);

/** All rows as wide sums; as packed words, rounded at random so that the mean is right, the same for any thread. */
void mxb__quanta_write_wide(const struct fit_input *input, struct quanta quanta, struct gradient_sum *sums);
void mxb__quanta_write_packed(const struct fit_input *input, struct quanta quanta, uint32_t round, uint64_t *words);

#endif
