/* Step 9 of the data's path: what is kept. A model is made by a trainer or the loader and never changes afterwards.
 * Knows nothing of bins, losses or how a term was fitted. */
#ifndef MXB_MODEL_MODEL_H
#define MXB_MODEL_MODEL_H

#include <float.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/callbacks.h"
#include "base/status.h"
#include "data/dictionary.h"
#include "data/scaling.h"

/** x, or where x is infinite the nearest finite number, or 0 for NaN. Only sums of numbers near DBL_MAX need it. */
static inline double mxb__bounded(double x) { return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x == x ? x : 0; }

/* ---- tree.c ---- */

enum split_kind { SPLIT_NONE = 0 /* a leaf */, SPLIT_NUMERIC = 1 };

struct tree_node {
    double value;         /* leaf: what it adds to the score; split: threshold, x <= value goes left */
    uint32_t feature;     /* split only */
    uint32_t left;        /* split only: index of the left child; the right one follows it */
    float share;          /* split only: of the tree's gain, 0 .. 1 */
    uint8_t split;        /* enum split_kind */
    uint8_t missing_left; /* split only: 1 = missing values go left */
};

/* Nodes in breadth-first order, so children come after their parent and siblings side by side. Node 0 is the root. */
struct tree {
    uint32_t n_nodes;
    uint32_t max_depth; /* what was drawn; the tree may be less deep */
    double gain;        /* of all its splits (docs/importance.md) */
    struct tree_node *nodes;
};

/** The leaf a row of doubles (NaN = missing) ends in. */
uint32_t mxb__tree_leaf(const struct tree *tree, const double *row);

/** The same for eight pairs of a tree and a row at once, half the time of one after the other: while one waits for its
 *  next node the others go on. */
enum { MXB__WALKS = 8 };
void mxb__tree_leaves(const struct tree *const trees[MXB__WALKS], const double *const rows[MXB__WALKS],
                      uint32_t leaves[MXB__WALKS]);
mxb_status mxb__tree_copy(struct tree *to, const struct tree *from, mxb_error *error);
void mxb__tree_clear(struct tree *tree);

/* ---- symmetric.c ---- */

/* One level of a symmetric tree: all its nodes split alike. */
struct symmetric_level {
    double threshold; /* x <= it goes left */
    uint32_t feature;
    float share;          /* of the tree's gain, 0 .. 1 */
    uint8_t missing_left; /* 1 = missing values go left */
};

/* A full binary tree without nodes: a row's leaf is the number whose bits are its ways, 1 = right, those of the first
 * level highest. */
struct symmetric {
    uint32_t depth;     /* levels; 0 = a single leaf */
    uint32_t max_depth; /* what was drawn */
    double gain;        /* of all its levels (docs/importance.md) */
    struct symmetric_level *levels;
    double *values; /* [2^depth] what each leaf adds to the score */
};

enum { MXB__MAX_SYMMETRIC_DEPTH = 16 };

static inline size_t mxb__symmetric_n_leaves(const struct symmetric *tree) { return (size_t)1 << tree->depth; }

/** The leaves that n rows of doubles (NaN = missing), each `stride` behind the last, end in. Level by level, so that no
 *  row waits for its way. */
void mxb__symmetric_leaves(const struct symmetric *tree, const double *rows, size_t stride, size_t n, uint32_t *leaves);
/** Room for the levels and values of a tree whose depth is set. On failure the tree is cleared. */
mxb_status mxb__symmetric_allocate(struct symmetric *tree, mxb_error *error);
mxb_status mxb__symmetric_copy(struct symmetric *to, const struct symmetric *from, mxb_error *error);
void mxb__symmetric_clear(struct symmetric *tree);

/* ---- fourier.c ---- */

/* A random feature map: component j of a row x of scaled inputs is sqrt(2/c) cos(2 pi (sum_f x_f weights[f][j] +
 * phases[j])). */
struct projection {
    uint32_t n_components;
    uint32_t n_features;
    float *weights; /* [feature][component], in turns: the frequency divided by 2 pi; factors (mxb__factor) */
    float *phases;  /* [component], in turns, 0 .. 1 */
};

/* One ridge round on a projection: z(x) . weights + intercept, the learning rate multiplied in. */
struct fourier {
    uint32_t projection; /* index into the model's projections */
    double intercept;
    double gain;     /* docs/importance.md */
    double *weights; /* [n_components] */
};

/** sqrt(2 / n_components), as every component is multiplied by it. */
float mxb__projection_amplitude(uint32_t n_components);
mxb_status mxb__projection_copy(struct projection *to, const struct projection *from, mxb_error *error);
void mxb__projection_clear(struct projection *projection);
/** Adds the round's weights to those of the rounds before it on the same projection. */
void mxb__fourier_collapse(double *sum, const struct fourier *fourier, uint32_t n_components);
mxb_status mxb__fourier_copy(struct fourier *to, const struct fourier *from, uint32_t n_components, mxb_error *error);
void mxb__fourier_clear(struct fourier *fourier);

/* ---- own_term.c ---- */

struct mxb_dataset;

/* What copies of a model share of a round of a caller's learner. Models are handles of their own, which different
 * threads may free, so the count is atomic. */
struct own_box {
    atomic_size_t n_holders;
    mxb_learner learner; /* its name only where the model was loaded without it */
    uint32_t round;      /* for messages */
    int has_term;
    void *term;       /* the learner's */
    char *bytes;      /* without a term: what the file holds */
    uint32_t n_bytes; /* of these */
};

/* A round of a caller's learner: rate times what the learner says of a row. */
struct own_term {
    struct own_box *box; /* NULL: cleared */
    double rate;
};

/** A box without a term yet; whoever makes the term sets `term` and `has_term`. */
mxb_status mxb__own_term_create(struct own_term *own, const mxb_learner *learner, uint32_t round, double rate,
                                mxb_error *error);
void mxb__own_term_share(struct own_term *to, const struct own_term *from);
void mxb__own_term_clear(struct own_term *own);

/** What a callback of the learner came to, as mxb__callback_result; `doing` goes before the round ("in"). */
mxb_status mxb__own_term_result(const struct own_term *own, mxb_status status, const mxb_error *said, const char *doing,
                                mxb_error *error);

/** Makes room for values NaN, so that one which a callback does not write is noticed. */
void mxb__own_term_blank_values(double *values, size_t n_rows);
/** DATA unless the values for the rows of `dataset`, which messages call `owner`, are finite. */
mxb_status mxb__own_term_check_values(const struct own_term *own, const struct mxb_dataset *dataset,
                                      const double *values, const char *owner, mxb_error *error);

/** Adds the term's values for all rows of `dataset` to `scores`, or none on failure. `values` is scratch for as many.
 */
mxb_status mxb__own_term_add_values(const struct own_term *own, const struct mxb_dataset *dataset, double *values,
                                    double *scores, mxb_error *error);

/** Whether the term can be made into bytes, and these, the caller's to free; and a term from bytes. Where the learner
 * is not here the bytes are kept. */
int mxb__own_term_is_writable(const struct own_term *own);
mxb_status mxb__own_term_write(const struct own_term *own, char **bytes, uint32_t *n_bytes, mxb_error *error);
mxb_status mxb__own_term_read(struct own_term *own, const void *bytes, uint32_t n_bytes, mxb_error *error);

/* ---- term.c ---- */

enum term_kind { TERM_TREE = 1, TERM_FOURIER = 2, TERM_OWN = 3, TERM_SYMMETRIC = 4 };

/* What one round added. */
struct term {
    enum term_kind kind;
    uint8_t repaired;      /* 1 = equations needed jitter, or steps beyond a double were left out */
    uint32_t first_output; /* 0 for now */
    uint32_t n_outputs;    /* 1 for now */
    union {
        struct tree tree;
        struct fourier fourier;
        struct own_term own;
        struct symmetric symmetric;
    };
};

mxb_status mxb__term_copy(struct term *to, const struct term *from, const struct projection *projections,
                          mxb_error *error);
void mxb__term_clear(struct term *term);
/** Whether it is a tree, ordinary or symmetric. */
static inline int mxb__term_is_tree(const struct term *term) {
    return term->kind == TERM_TREE || term->kind == TERM_SYMMETRIC;
}
/** The name of the learner class. */
const char *mxb__term_name(const struct term *term);
/** What it gained (docs/importance.md); NaN for a caller's learner, which does not tell. */
double mxb__term_gain(const struct term *term);

/* ---- model.c ---- */

struct forest;

enum model_loss { MODEL_MSE = 1, MODEL_LOGLOSS = 2, MODEL_OWN_LOSS = 3 };

struct mxb_model {
    uint32_t n_features;
    char **feature_names;            /* [n_features], or NULL */
    struct dictionary *dictionaries; /* [n_features], or NULL: no feature holds text */
    enum model_loss loss;
    double labels[2];     /* logloss: the two label values, the smaller first; 0 and 1 if these are texts */
    char *label_texts[2]; /* the texts; NULL: the labels are numbers */
    mxb_loss own_loss;    /* a caller's: its names, and its functions where they are here */
    uint8_t has_link;     /* a caller's: predictions go through its link */
    double base_score;

    size_t n_options; /* the options it was trained with, thread counts left out */
    char **option_names;
    char **option_values;

    struct scaling scaling;
    uint32_t n_projections;
    struct projection *projections;
    uint32_t n_members; /* ensembles whose mean the model is; 1 to MXB__MAX_MEMBERS */
    uint32_t n_terms;   /* term (r - 1) n_members + m is round r, from 1, of member m, from 0 */
    uint32_t capacity;  /* of terms; not saved */
    struct term *terms;

    uint32_t n_curve; /* losses after 0 .. n_curve rounds: n_curve + 1 values each */
    double *train_curve;
    double *valid_curve; /* NULL without a validation set */
    uint8_t stopped_early;

    /* Derived by mxb__model_build when the terms are final, never lazily. Per projection the sum of its terms'
     * weights, in order; NULL for a projection no term uses. */
    double **collapsed_weights; /* [n_projections][n_components] */
    double collapsed_intercept;
    uint32_t n_components;    /* of the widest projection that a term uses; 0 without any */
    uint32_t *feature_splits; /* [n_features] how many tree splits use the feature */
    uint32_t n_repairs;       /* terms that were repaired */
    uint32_t n_own_terms;     /* terms of callers' learners */
    struct forest *forest;    /* the trees, made ready to predict */
    struct waves *waves;      /* the fourier terms, made ready to predict */
};

/** Zeroed model of one member; fields are filled in by its maker. */
mxb_status mxb__model_create(mxb_model **model, mxb_error *error);

/** Appends; on success the model owns the term's or projection's arrays. */
mxb_status mxb__model_add_term(mxb_model *model, struct term *term, mxb_error *error);
mxb_status mxb__model_add_projection(mxb_model *model, struct projection *projection, mxb_error *error);

/** Derives what predictions need from the terms. */
mxb_status mxb__model_build(mxb_model *model, mxb_error *error);

/** A deep copy of all but terms, projections and the tables of the scaling; members.c adds those. */
mxb_status mxb__model_copy_empty(const mxb_model *model, mxb_model **copy, mxb_error *error);

/* ---- members.c ---- */

/** Gives a model without terms the first n_rounds rounds of each of its n_members members, which are models of one
 *  member each and have the same scaling, and the projections and scaling that these use. On failure it can only be
 *  freed, and on success is not built yet. */
mxb_status mxb__members_join(mxb_model *model, const mxb_model *const *members, uint32_t n_rounds, mxb_error *error);

/** The way back: gives a model of one member, without terms, those of member `which` of `from`,
 *  with their projections but without the scaling. */
mxb_status mxb__members_part(mxb_model *member, const mxb_model *from, uint32_t which, mxb_error *error);

/* ---- importance.c ---- */

/** Adds what a tree of either kind gained by each feature, as one of n_members; other terms have no splits. */
void mxb__term_add_split_gains(const struct term *term, uint32_t n_members, double *importances);

/* ---- predict.c ---- */

struct pool;

/** Adds one term's values for all rows of `dataset` (already checked against the model) to `scores`. */
mxb_status mxb__model_add_term_values(const mxb_model *model, const struct term *term,
                                      const struct mxb_dataset *dataset, struct pool *pool, double *scores,
                                      mxb_error *error);

/* ---- model_load.c ---- */

/** Makes a model of bytes that come from `file`, or loads it from there, with what the caller brings of his own (NULL:
 *  nothing). On failure it is NULL. */
mxb_status mxb__model_decode(const void *bytes, size_t n_bytes, const char *file, const struct own_parts *own,
                             mxb_model **model, mxb_error *error);
mxb_status mxb__model_from_bytes(const void *bytes, size_t n_bytes, const struct own_parts *own, mxb_model **model,
                                 mxb_error *error);
mxb_status mxb__model_load(const char *path, const struct own_parts *own, mxb_model **model, mxb_error *error);

/* ---- model_decode.c: limits every file is held to ---- */

#define MXB__MAX_FEATURES    ((uint32_t)1 << 20)
#define MXB__MAX_COMPONENTS  ((uint32_t)1 << 16)
#define MXB__MAX_PROJECTIONS ((uint32_t)1 << 17)
#define MXB__MAX_MEMBERS     ((uint32_t)1 << 8)
#define MXB__MAX_TERMS       ((uint32_t)1 << 24) /* of all members together */
#define MXB__MAX_OPTIONS     ((uint32_t)1 << 10)
#define MXB__MAX_NAME_BYTES  ((uint32_t)1 << 16)
enum { MXB__MAX_TREE_DEPTH = 30 };

#endif
