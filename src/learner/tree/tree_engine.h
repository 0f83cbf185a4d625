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

#define MXB__NO_SLOT UINT32_MAX

/* Rows that one task of a batch works on at the most. */
enum { MXB__TASK_ROWS = 1 << 15 };

/* A node's rows are rows[begin .. end) of the engine; its histogram, while it has one, lies in a slot. */
struct engine_node {
    uint32_t begin;
    uint32_t end;
    uint32_t slot;
};

struct tree_engine {
    const struct engine_ops *ops;
    const struct fit_input *input;

    /* The round's sample. */
    uint32_t n_sampled;
    uint8_t *is_column; /* [n_features] sampled? */
    uint32_t *shuffled; /* [n_features] for drawing columns */

    /* The round's gradients in quanta. */
    int packed;
    struct quanta quanta;      /* of the split search */
    struct quanta wide_quanta; /* of the leaf sums */
    struct split_rules rules;
    union {
        uint64_t *words;           /* packed */
        struct gradient_sum *sums; /* wide */
    };

    uint32_t *rows; /* [n_rows] the sampled ones, nodes side by side */
    double *gains;  /* [node of a batch][n_features] scratch of the split search */

    /* A batch is worked in tasks of at most so many rows of one request; scratch for what each comes to. */
    uint32_t *task_first;          /* [requests + 1] first task of each request */
    uint32_t *task_left;           /* [task] rows that went left */
    struct gradient_sum *task_sum; /* [task] */
    double *scores;                /* of all rows, while leaves are added */

    /* Histograms (tree_histograms.h). */
    int in_order;          /* rows are still 0 .. n - 1: all were sampled and none moved */
    uint32_t *right;       /* [n_rows] scratch of the partition */
    uint32_t n_groups_all; /* groups of features in a record */
    uint32_t *groups;      /* [n_groups] groups with a sampled column */
    uint32_t n_groups;
    size_t n_slots;
    size_t n_cells;      /* of a slot */
    char *slots;         /* [n_slots][n_cells], words or sums */
    char *thread_slots;  /* [threads][n_cells], for nodes that all threads build together, if any is so large */
    uint32_t *free_slot; /* stack */
    size_t n_free;
    struct histogram_request *requests; /* [n_slots] scratch */

    /* Exact trees (tree_exact.h). */
    size_t max_batch;   /* nodes in one split search */
    uint32_t *sorted;   /* [n_features][n_rows] the sampled rows of each sampled feature, nodes side by side as in
                           `rows`, in each node by ascending code */
    uint8_t *goes_left; /* [n_rows] by row number, of the last partition */
    size_t n_spares;    /* threads, or features where these are fewer */
    uint32_t *spares;   /* [n_spares][n_rows] scratch of the partition */
};

struct split_request {
    struct engine_node node;
    struct gradient_sum total; /* out */
    struct split split;        /* out; gain 0 = none */
};

struct partition_request {
    struct engine_node node;
    struct split split;
    uint32_t middle; /* out: left rows are begin .. middle, in their old order; right ones middle .. end, likewise */
};

/* A node whose rows were partitioned, and the two that have them now. */
struct open_request {
    struct engine_node *parent;
    struct engine_node *left;
    struct engine_node *right;
};

/* How splits are found. A node is opened before its split is searched, and closed after; opening children closes their
 * parent. */
struct engine_ops {
    void (*carve)(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace);
    /* Starts a tree whose sample is drawn: gradients to quanta, no node open. */
    void (*begin)(struct tree_engine *engine, const struct draw *draw);
    /* How many nodes, one at least, may be split and their children opened, when so many levels follow below these. */
    size_t (*room)(const struct tree_engine *engine, size_t levels_below);
    void (*open_root)(struct tree_engine *engine, struct engine_node *root);
    void (*open_children)(struct tree_engine *engine, const struct open_request *requests, size_t n);
    void (*close)(struct tree_engine *engine, struct engine_node *node);
    void (*find_splits)(struct tree_engine *engine, struct split_request *requests, size_t n);
    void (*partition)(struct tree_engine *engine, struct partition_request *requests, size_t n);
};

/** Chooses the engine that the data was prepared for and takes its arrays from the workspace; measures when its base is
 *  NULL. */
void mxb__engine_carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace);

/** Starts a tree: samples rows and columns and turns gradients into quanta. */
void mxb__engine_begin(struct tree_engine *engine, const struct fit_input *input, const struct draw *draw);

/* Leaves: first the sums in wide quanta over their rows, then their values, made of these, to the rows' scores. */
struct leaf_request {
    struct engine_node node;
    struct gradient_sum sum; /* out */
    double value;
};
void mxb__engine_leaf_sums(struct tree_engine *engine, struct leaf_request *requests, size_t n);
void mxb__engine_add_leaves(struct tree_engine *engine, struct leaf_request *requests, size_t n, double *scores);

/** Largest number of leaves a tree can have, and so of requests in one call. */
uint32_t mxb__engine_max_leaves(const struct fit_input *input);

#endif
