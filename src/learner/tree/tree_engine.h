/* The work of growing a tree that touches rows, in batches of nodes: one call may serve a node or a whole level, so
 * that another engine (a GPU, several machines) fits behind the same calls. */
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
    const struct fit_input *input;
    uint32_t n_groups_all; /* groups of features in a record */

    /* The round's sample. */
    uint32_t n_sampled;
    int in_order;       /* rows are still 0 .. n - 1: all were sampled and none moved */
    uint8_t *is_column; /* [n_features] sampled? */
    uint32_t *shuffled; /* [n_features] for drawing columns */
    uint32_t *groups;   /* [n_groups] groups with a sampled column */
    uint32_t n_groups;

    /* The round's gradients in quanta. */
    int packed;
    struct quanta quanta;      /* of the histograms */
    struct quanta wide_quanta; /* of the leaf sums */
    struct split_rules rules;
    union {
        uint64_t *words;           /* packed */
        struct gradient_sum *sums; /* wide */
    };

    uint32_t *rows;    /* [n_rows] the sampled ones, nodes side by side */
    uint32_t *side[2]; /* [n_rows] each: scratch of the partition, left and right */

    size_t n_slots;
    size_t n_cells;      /* of a slot */
    char *slots;         /* [n_slots][n_cells], words or sums */
    char *thread_slots;  /* [threads][n_cells], for nodes that all threads build together */
    uint32_t *free_slot; /* stack */
    size_t n_free;
    struct split *splits; /* [n_slots][n_features] scratch of the split search */

    /* A batch is worked in tasks of at most so many rows of one request; scratch for what each comes to. */
    uint32_t *task_first;          /* [requests + 1] first task of each request */
    uint32_t *task_left;           /* [task] rows that went left */
    struct gradient_sum *task_sum; /* [task] */
};

/** Takes the engine's arrays from the workspace; measures when its base is NULL. */
void mxb__engine_carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace);

/** Starts a tree: samples rows and columns and turns gradients into quanta. All slots are free. */
void mxb__engine_begin(struct tree_engine *engine, const struct fit_input *input, const struct draw *draw);

uint32_t mxb__engine_take_slot(struct tree_engine *engine);
void mxb__engine_return_slot(struct tree_engine *engine, uint32_t slot);

/* Builds the histogram of `node`; then, if `sibling` is a slot, subtracts it there: what held the parent now holds the
 * other child. */
struct histogram_request {
    struct engine_node node;
    uint32_t sibling;
};
void mxb__engine_histograms(struct tree_engine *engine, const struct histogram_request *requests, size_t n);

struct split_request {
    struct engine_node node;
    struct gradient_sum total; /* out */
    struct split split;        /* out; gain 0 = none */
};
void mxb__engine_splits(struct tree_engine *engine, struct split_request *requests, size_t n);

struct partition_request {
    struct engine_node node;
    struct split split;
    uint32_t middle; /* out: left rows are begin .. middle, in their old order; right ones middle .. end, likewise */
};
void mxb__engine_partition(struct tree_engine *engine, struct partition_request *requests, size_t n);

/* Sums in wide quanta over the rows of a leaf. */
struct leaf_request {
    struct engine_node node;
    struct gradient_sum sum; /* out */
};
void mxb__engine_leaf_sums(struct tree_engine *engine, struct leaf_request *requests, size_t n);

/** Largest number of leaves a tree can have, and so of requests in one call. */
uint32_t mxb__engine_max_leaves(const struct fit_input *input);

#endif
