/* Step 3 of the data's path, for the trees: at most 256 bins a feature, one of them for missing values; for exact trees
 * as many as there are values. */
#ifndef MXB_DATA_BINS_H
#define MXB_DATA_BINS_H

#include <stddef.h>
#include <stdint.h>

#include "data/distinct.h"
#include "data/sorted.h"

/* Bin codes of histograms are bytes: 255 bins of values (254 cuts between them) and one of missing values. */
enum { MXB__MAX_BINS = 256, MXB__MAX_CUTS = 254 };

/* One feature's bins: a value's code is the number of cuts below it, 0 .. n_cuts; n_cuts + 1 means missing. */
struct feature_bins {
    uint32_t n_cuts;
    const double *cuts; /* ascending; NULL for exact trees, see mxb__prepared_threshold */
    int has_missing;    /* some training row has no value; not told for exact trees */
};

static inline uint32_t mxb__missing_code(const struct feature_bins *bins) { return bins->n_cuts + 1; }

/** The number that separates neighbours a < b: a <= cut < b. */
double mxb__bins_cut(double a, double b);

/** Writes the cuts for at most `n_bins` bins of values (also at most 255) and returns their number. Every distinct
 * value gets its own bin if there are so few; otherwise a greedy walk balances the weight in the bins. */
uint32_t mxb__bins_find_cuts(const struct distinct *distinct, uint32_t n_bins, double cuts[MXB__MAX_CUTS]);

/** The same cuts where every row weighs 1. */
uint32_t mxb__bins_find_cuts_sorted(const struct sorted *sorted, uint32_t n_bins, double cuts[MXB__MAX_CUTS]);

#endif
