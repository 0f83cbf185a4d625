/* The hot loops that only training has, as a second table beside that of kernels.h, so that a library which only
 * predicts has none of them. A trainer takes the table once and keeps it. */
#ifndef MXB_KERNELS_TRAINING_KERNELS_H
#define MXB_KERNELS_TRAINING_KERNELS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "kernels/kernels.h"

/* Histogram cells of a feature: 256 bins and one more cache line, so that the same bin of neighbouring features does
 * not share L1 sets (with 256, skewed data cost 4.5 times more). */
enum { MXB__CELLS = 264 };

/* Features are handled in groups of eight: one 64-bit load of a row record. */
enum { MXB__GROUP = 8 };

/* A record has the codes of so many features, half a cache line; more features lie in further panels of records. So
 * histograms of wide data touch few cells at a time, and read no byte that they do not add. Whoever writes the records
 * may put several features into one byte: to the kernels these are one. */
enum { MXB__PANEL = 32 };

/* Rows whose bin codes a histogram is built from. */
struct histogram_rows {
    const uint8_t *records; /* [row][MXB__PANEL] bin codes, from the first feature on, which begins a group */
    const uint32_t *rows;   /* the n rows to add; NULL = first .. first + n - 1 */
    size_t first;
    size_t n;
    size_t n_features; /* to add, all in this panel */
};

/* Which rows go left: the missing code's as it says, others with a code up to `bin`. */
struct column_split {
    const uint8_t *column; /* [row] bin codes */
    uint8_t bin;
    uint8_t missing_code;
    uint8_t missing_left; /* 0 or 1 */
};

/* One side of a node's split, in integer quanta. */
struct gradient_sum {
    int64_t g;
    int64_t h;
};

static inline struct gradient_sum mxb__plus(struct gradient_sum a, struct gradient_sum b) {
    struct gradient_sum sum = {a.g + b.g, a.h + b.h};
    return sum;
}

/* The second where one is NaN, in one instruction: fmax is a call. */
static inline double mxb__larger(double x, double y) { return x > y ? x : y; }

/* A word of packed sums: g in the high and h in the low 32 bits. */
static inline struct gradient_sum mxb__unpacked(uint64_t word) {
    int64_t h = (int64_t)(word & 0xffffffffu);
    struct gradient_sum sum = {((int64_t)word - h) / ((int64_t)1 << 32), h};
    return sum;
}

/* What a split is held to. The hessians of its sides are taken in a unit, a power of two, in which those of all rows
 * and the penalty stay below 1: then no product of them is too large or too small for a double. */
struct split_rules {
    double unit;
    double lambda;  /* the L2 penalty in units */
    double least_h; /* of a side, in quanta: 1 or more */
};

/* The cuts of a feature: some of its cells go left, the others right, and the missing values to either side. */
struct cut_search {
    struct gradient_sum total; /* of the node, missing values included */
    struct gradient_sum missing;
    struct split_rules rules;
};

static inline int mxb__has_missing(const struct cut_search *search) {
    return search->missing.g != 0 || search->missing.h != 0;
}

/* (gl wr - gr wl)^2 / (wl wr) with w = h + lambda in units; 0 where a side has too little weight. A cut gains as much,
 * less a term and times a factor that all cuts of a node share: gl^2 / wl + gr^2 / wr = (g^2 + score) / (wl + wr). One
 * division instead of two, the same with the sides exchanged, and no digits lost where a cut gains little. */
static inline double mxb__cut_score(const struct cut_search *search, struct gradient_sum left) {
    const struct split_rules *rules = &search->rules;
    double gl = (double)left.g;
    double gr = (double)(search->total.g - left.g);
    double hl = (double)left.h;
    double hr = (double)(search->total.h - left.h);
    if (hl < rules->least_h || hr < rules->least_h) {
        return 0.0;
    }
    double wl = hl * rules->unit + rules->lambda;
    double wr = hr * rules->unit + rules->lambda;
    double difference = gl * wr - gr * wl;
    return difference * difference / (wl * wr);
}

/* What one node of a symmetric tree gains by the cuts of a feature, in units: (score - lost) factor, and nothing where
 * a side has too little weight. */
struct cut_gains {
    struct cut_search cuts;
    double lost;
    double factor;
};

static inline double mxb__cut_gain(const struct cut_gains *node, struct gradient_sum left) {
    double least_h = node->cuts.rules.least_h;
    int is_allowed = (double)left.h >= least_h && (double)(node->cuts.total.h - left.h) >= least_h;
    return is_allowed ? (mxb__cut_score(&node->cuts, left) - node->lost) * node->factor : 0.0;
}

/* Where the hessians of rows are. Those of the library's losses follow from g as long as no weights multiply them, and
 * then no array is kept: a row costs 8 bytes less to keep and to read. */
enum hessian {
    HESSIAN_STORED, /* in an array of their own */
    HESSIAN_ONE,    /* 1, of the squared loss */
    HESSIAN_LOGISTIC
};

/* Below this a hessian tells nothing any more; a Newton step stays finite. */
#define MXB__SMALLEST_HESSIAN 1e-16

/* Of the logistic loss: |g| is the probability of the label that the row does not have. */
static inline double mxb__logistic_hessian(double g) {
    double p = fabs(g);
    return mxb__larger(p * (1.0 - p), MXB__SMALLEST_HESSIAN);
}

static inline double mxb__implied_hessian(enum hessian hessian, double g) {
    return hessian == HESSIAN_LOGISTIC ? mxb__logistic_hessian(g) : 1.0;
}

/* The gradients of all rows, and how many quanta make 1 of each: powers of two. */
struct scaled_rows {
    const double *g;
    const double *h; /* never negative; NULL unless stored */
    enum hessian hessian;
    double g_scale;
    double h_scale;
};

/* A row with a non-zero |g| or h of fewer quanta is coarse. */
enum { MXB__COARSE_QUANTA = 8 };

/* Rows whose loss is taken. */
struct loss_block {
    size_t n;
    const double *labels; /* of the squared loss */
    const uint8_t *is_1;  /* labels 0 and 1, of the logistic loss */
    const double *scores;
    const double *weights; /* NULL: all 1 */
    double weight_sum;     /* of all rows, not of these alone */
    double unit;           /* a power of two to take squares in */
    double *g;             /* out: derivatives of the loss times the weight; NULL: not wanted */
    double *h;             /* out, with g; NULL: only their sum and maximum are wanted */
};

/* What the rows come to. Without derivatives only the mean is told, and the others are 0. */
struct loss_sums {
    double abs_g;
    double h;
    double max_abs_g;
    double max_h;
    double mean; /* sum of weight / weight_sum times the loss; rows of weight 0 have no part in it */
};

struct training_kernels {
    const struct kernels *shared; /* the table of the same set that predictions have, and with it the set's name */

    /* Adds each row's word, gradient quanta in the high and hessian quanta in the low 32 bits, to its cells:
     * cells[feature * MXB__CELLS + code], features counted from the first. No sum can overflow by the choice of the
     * scale. */
    void (*histogram_packed)(const struct histogram_rows *rows, const uint64_t *words, uint64_t *cells);

    /* The same with a pair of 64-bit integers a row and a cell. */
    void (*histogram_wide)(const struct histogram_rows *rows, const struct gradient_sum *sums,
                           struct gradient_sum *cells);

    /* The largest score of a cut behind one of n cells, MXB__CELLS at most, with the missing values on either side
     * where there are any; 0 if no cut is allowed. Neither the order of the cuts nor empty cells matter to it. */
    double (*best_cut_packed)(const uint64_t *cells, size_t n, const struct cut_search *search);
    double (*best_cut_wide)(const struct gradient_sum *cells, size_t n, const struct cut_search *search);

    /* Adds mxb__cut_gain of each cut behind one of n cells, MXB__CELLS at most: to right[i] with the missing values on
     * the right, and unless that is NULL to left[i] with them on the left. Both have room for the next multiple of
     * MXB__LANES, and behind the n-th may be anything. */
    void (*add_gains_packed)(const uint64_t *cells, size_t n, const struct cut_gains *node, double *right,
                             double *left);
    void (*add_gains_wide)(const struct gradient_sum *cells, size_t n, const struct cut_gains *node, double *right,
                           double *left);

    /* Words for rows first .. first + n - 1, from words[first] on: g and h in quanta, up to 2^31 and 2^32, rounded down
     * after adding noise of [0, 1), the high and the low half of the row's random bits. Returns how many rows are
     * coarse.
     */
    size_t (*quanta_packed)(const struct scaled_rows *rows, struct random_stream noise, size_t first, size_t n,
                            uint64_t *words);

    /* The same as pairs of integers, up to 2^62, rounded to nearest and halves to even. */
    void (*quanta_wide)(const struct scaled_rows *rows, size_t first, size_t n, struct gradient_sum *sums);

    /* The sum over n rows of what quanta_wide would write. */
    struct gradient_sum (*sum_quanta)(const struct scaled_rows *rows, const uint32_t *indices, size_t n);

    /* Stable split of n rows (rows NULL: first .. first + n - 1): left ones to `left` in order, right ones to `right`
     * in order. Each output has room for n, and behind its rows may be anything; `left` may be `rows`. Returns the
     * number of left ones. */
    size_t (*partition)(const struct column_split *split, const uint32_t *rows, size_t first, size_t n, uint32_t *left,
                        uint32_t *right);

    /* Adds sum_i h_i z_i z_i' to the lower triangle of gram[c][c], rows in order, in double: h_i z_ij is rounded to
     * double, or with `rounded` to float32, so that its product with z_ik is exact. */
    void (*gram)(const float *z, const double *h, size_t n, size_t n_components, int rounded, double *gram);

    /* sums[j] += sum_i v_i z_ij, rows in order, in double. */
    void (*weighted_sum)(const float *z, const double *v, size_t n, size_t n_components, double *sums);

    /* (score - label)^2 in squared units, with the derivatives of half of it; and log(1 + e^score) - label score for
     * labels 0 and 1. Hessians are those that g implies, times the weight. The sums are taken in lanes. */
    struct loss_sums (*squared)(const struct loss_block *block);
    struct loss_sums (*logistic)(const struct loss_block *block);
};

/** The table of the set that mxb__kernels chooses. */
const struct training_kernels *mxb__training_kernels(void);

/** That of the set of that name, as mxb__kernels_named. */
const struct training_kernels *mxb__training_kernels_named(const char *name);

extern const struct training_kernels mxb__training_kernels_portable;

#endif
