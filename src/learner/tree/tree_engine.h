/* The work of growing a tree that touches rows, in batches of nodes: one call may serve a node or a whole level, so
 * that another engine (a GPU, several machines) fits behind the same calls. What depends on how splits are found, from
 * histograms of bins or exactly from sorted rows, is a table of functions. */
#ifndef MXB_LEARNER_TREE_ENGINE_H
#define MXB_LEARNER_TREE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "learner/learner.h"
#include "learner/tree/quanta.h"
#include "learner/tree/tree_split.h"

/* Rows that one task of a batch works on at the most. */
enum { MXB__TASK_ROWS = 1 << 15 };

/* rows[begin .. end) of the engine. */
struct row_span {
    uint32_t begin;
    uint32_t end;
};

struct engine_node {
    struct row_span rows;
    uint32_t path; /* from the root, which has 1: below k, 2k to the left and 2k + 1 to the right */
    struct gradient_sum total;
    struct split split; /* the best one, once the node is open; gain 0 = none */
    char *cells;        /* the histogram, while the node is open and unless it is tiny; else NULL */
};

/* A node and the two that take its rows over. */
struct family {
    struct engine_node *parent;
    struct engine_node *left;
    struct engine_node *right;
};

/* All nodes of one depth of a symmetric tree. */
struct level {
    const struct engine_node *nodes;
    size_t n_nodes;
    double score;           /* the sum of their own (level_split.h) */
    struct level_cut *cuts; /* [n_features] out: the best one of each; gain 0 = none */
};

/* Scratch of one engine, for batches of nodes. Work on a batch's rows is cut into tasks of one span each. */
struct engine_scratch {
    size_t max_batch;       /* nodes that are open and of one depth, at the most */
    double *gains;          /* [max_batch][n_features] */
    struct row_span *spans; /* [max_batch] */
    uint32_t *task_first;   /* [spans + 1] first task of each */
    uint32_t *task_left;    /* [task] rows that went left */

    /* Histograms. */
    char *cells; /* [n_histograms][n_cells], words or sums */
    size_t n_histograms;
    char **unused; /* [n_histograms + 1] stack of those that no node has */
    size_t n_unused;
};

struct tree_engine {
    const struct engine_ops *ops;
    const struct fit_input *input;
    struct pool *pool; /* NULL in an engine that works for one thread of the pool */

    /* The round's sample. */
    uint32_t n_sampled;
    double sample_scale; /* the weight of all rows over that of the sample */
    uint8_t *is_column;  /* [n_features] sampled? */
    uint32_t *shuffled;  /* [n_features] for drawing columns */

    /* The round's gradients in quanta. */
    int packed;
    struct quanta quanta;      /* of the split search */
    struct quanta wide_quanta; /* of the leaf sums */
    struct split_rules rules;
    struct split_factors factors;
    union {
        uint64_t *words;           /* packed */
        struct gradient_sum *sums; /* wide */
    };

    uint32_t *rows;             /* [n_rows] the sampled ones, nodes side by side */
    uint32_t *leaf_of_row;      /* [n_rows] once the tree is grown: lies where the partition has its scratch */
    _Atomic int64_t *leaf_sums; /* [3 max_leaves] scratch: g, h and rows of each */

    struct engine_scratch scratch;

    /* Subtrees grown by one thread each, on engines of their own that share everything but the scratch. */
    uint32_t subtree_rows;         /* those of so many rows at the most; 0 = none */
    double subtree_row_ns;         /* a guess at the work on each of their rows */
    size_t n_engines;              /* threads, or 0 where there is no room for their histograms */
    size_t thread_batch;           /* their max_batch */
    struct tree_engine *of_thread; /* [n_engines] */

    /* Histograms (tree_histograms.h). */
    uint32_t *right;  /* [n_rows] scratch of the partition */
    uint32_t *groups; /* [n_groups] groups of fields with a sampled feature */
    uint32_t n_groups;
    size_t n_cells;                  /* of a histogram */
    char *thread_cells;              /* [threads, unless there is one][n_cells], for nodes that all build together */
    uint8_t *thread_built;           /* [threads] whether they hold anything */
    struct tiny_cells *tiny_cells;   /* [threads] (tree_tiny.h) */
    uint8_t *tiny_cleared;           /* [threads] whether these were, for the first tiny node of the tree */
    struct level_cells *level_cells; /* [threads] (level_cells.h) */

    /* Exact trees (tree_exact.h). */
    uint32_t *sorted;    /* [n_features][n_rows] the sampled rows of each sampled feature, nodes side by side as in
                            `rows`, in each node by ascending code */
    uint8_t *goes_left;  /* [n_rows] by row number, of the last partition */
    size_t n_spares;     /* threads, or features where these are fewer */
    uint32_t *spares;    /* [n_spares][n_rows] scratch of the partition */
    size_t max_cuts;     /* of a feature */
    double *level_gains; /* [n_spares][2][max_cuts] scratch of symmetric trees */
};

/* How splits are found. A node is opened once, which finds its split, and closed after; opening children closes their
 * parent. */
struct engine_ops {
    void (*carve)(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace);
    /* Starts a tree whose sample is drawn: gradients to quanta, no node open. */
    void (*begin)(struct tree_engine *engine, const struct draw *draw);
    /* How many nodes may be split and their children opened, when so many levels follow below these. 0: none before the
     * subtrees that were put off are grown, and one after that, whatever it says then. */
    size_t (*room)(const struct tree_engine *engine, size_t levels_below);
    void (*open_root)(struct tree_engine *engine, struct engine_node *root);
    /* Gives the parents' rows to the children, in their old order, and tells these their totals. */
    void (*partition)(struct tree_engine *engine, const struct family *families, size_t n);
    void (*open_children)(struct tree_engine *engine, const struct family *families, size_t n);
    void (*close)(struct tree_engine *engine, struct engine_node *node);
    /* After an engine of one thread has grown all below a node that another one opened: opens the node again, in form
     * only, so that the other one can close it. NULL where there are no such engines. */
    void (*give_back)(struct tree_engine *of_thread, struct engine_node *node);

    /* Symmetric trees: opens the children of all nodes of a level that were divided, or a root, which is a left child
     * without parent and sibling. No split is found, and there is always room. */
    void (*open_level)(struct tree_engine *engine, const struct family *families, size_t n);
    /* The best cuts of a level whose nodes are open. */
    void (*search_level)(struct tree_engine *engine, const struct level *level);
    /* The sum of the rows that go left by the node's split. */
    struct gradient_sum (*left_sum)(const struct tree_engine *engine, const struct engine_node *node);
};

/** Chooses the engine that the data was prepared for and takes its arrays from the workspace; measures when its base is
 *  NULL. */
void mxb__engine_carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace);

/** For the engines: an array of sums that may hold words instead, which leave its second half alone. */
void *mxb__engine_carve_sums(size_t n, const struct fit_input *input, struct workspace *workspace);

/** For the engines: arrays for batches of scratch->max_batch nodes. */
void mxb__engine_carve_batches(struct engine_scratch *scratch, const struct fit_input *input,
                               struct workspace *workspace);

/** For the engines: what splits are held to, once the quanta are chosen. */
void mxb__engine_set_rules(struct tree_engine *engine);

/** Starts a tree: samples rows and columns and turns gradients into quanta. `prior` as in struct split_factors. */
void mxb__engine_begin(struct tree_engine *engine, const struct fit_input *input, const struct draw *draw,
                       const double *prior);

/** Largest number of leaves a tree can have, and so of spans in one call. */
uint32_t mxb__engine_max_leaves(const struct fit_input *input);

static inline uint32_t mxb__span_rows(struct row_span span) { return span.end - span.begin; }

/** What a partition leaves to be told: where the right child's rows begin, and whose sum is whose. */
static inline void mxb__family_divide(const struct family *family, uint32_t middle) {
    const struct engine_node *parent = family->parent;
    family->left->rows = (struct row_span){parent->rows.begin, middle};
    family->right->rows = (struct row_span){middle, parent->rows.end};
    family->left->total = parent->split.left;
    family->right->total.g = parent->total.g - parent->split.left.g;
    family->right->total.h = parent->total.h - parent->split.left.h;
}

#endif
