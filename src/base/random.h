/* Counter-based random numbers: a pure function of (seed, purpose, round, index), so that any thread may draw any one
 * of them in any order and in any process. */
#ifndef MXB_BASE_RANDOM_H
#define MXB_BASE_RANDOM_H

#include <stdint.h>

/* What a number is for; part of the frozen arithmetic, never renumbered. */
enum random_purpose {
    RANDOM_LEARNER = 1,      /* which learner class a round draws */
    RANDOM_SHAPE = 2,        /* 0: a tree's maximal depth, 1: whether it is symmetric */
    RANDOM_ROWS = 3,         /* a tree's row sample */
    RANDOM_COLUMNS = 4,      /* a tree's column sample */
    RANDOM_ROUNDING = 5,     /* stochastic rounding of packed gradients */
    RANDOM_FREQUENCIES = 6,  /* a projection's weights */
    RANDOM_PHASES = 7,       /* a projection's offsets */
    RANDOM_SPLIT_ROWS = 8,   /* mxb_dataset_split */
    RANDOM_FOLDS = 9,        /* mxb_cross_validate; the round is the repeat */
    RANDOM_OWN_LEARNER = 10, /* the seed of a caller's learner */
    RANDOM_IMPORTANCE = 11,  /* rows to measure a projection's features at */
    RANDOM_SPLIT_NOISE = 12, /* a factor on a feature's gain; the index is its place in the tree */
    RANDOM_SLOT = 16,        /* which slot of the bank of projections a fourier round works on */
    RANDOM_REDRAW = 17,      /* whether the slot's projection is drawn anew */
    RANDOM_GAMMA = 18,       /* a projection's gamma; the round is the projection */
    RANDOM_SAMPLE = 19,      /* rows that stand for all when a projection is drawn */
    RANDOM_PAIRS = 20,       /* pairs of them */
    RANDOM_MEMBERS = 24,     /* the seed of a member; the round is its number */
    RANDOM_PARTS = 25,       /* which rows are kept aside to choose num_round; the index is a row's key */
    RANDOM_OPTIONS = 26,     /* a configuration's options; the round is its number, the index an option's place */
    RANDOM_FRACTIONS = 27    /* the seed of a stage's rows; the round is the stage, the index the fold */
};

/* A stream: everything but the index, mixed once. */
struct random_stream {
    uint64_t key;
};

static inline uint64_t mxb__mix64(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

static inline struct random_stream mxb__random_stream(uint64_t seed, enum random_purpose purpose, uint64_t round) {
    struct random_stream stream = {
        mxb__mix64(mxb__mix64(seed + 0x9E3779B97F4A7C15u) + (uint64_t)purpose * 0xD1B54A32D192ED03u) ^
        mxb__mix64(round * 0x8CB92BA72F3D8DD7u + 0x2545F4914F6CDD1Du)};
    return stream;
}

/** 64 random bits. */
static inline uint64_t mxb__random_bits(struct random_stream stream, uint64_t index) {
    return mxb__mix64(mxb__mix64(stream.key + index * 0x9E3779B97F4A7C15u) ^ stream.key);
}

/** Uniform on [0, 1), a multiple of 2^-53. */
static inline double mxb__random_uniform(struct random_stream stream, uint64_t index) {
    return (double)(mxb__random_bits(stream, index) >> 11) * 0x1p-53;
}

/** Standard normal, by inversion; never infinite. */
double mxb__random_normal(struct random_stream stream, uint64_t index);

#endif
