/* Growing a tree level by level, as far as the engine has room, and part by part beyond. The tree does not depend on
 * the order: sums are integers, and nodes are renumbered breadth-first afterwards. Knows nothing of rows or histograms.
 */
#include "learner/tree/tree_grow.h"

void mxb__grower_carve(struct grower *grower, const struct fit_input *input, struct workspace *workspace) {
    size_t max_leaves = mxb__engine_max_leaves(input);
    grower->nodes = mxb__carve(workspace, 2 * max_leaves, sizeof *grower->nodes);
    grower->opens = mxb__carve(workspace, max_leaves, sizeof *grower->opens);
    grower->splits = mxb__carve(workspace, max_leaves, sizeof *grower->splits);
    grower->partitions = mxb__carve(workspace, max_leaves, sizeof *grower->partitions);
}

/* Finds the splits of nodes first .. first + n, which are open; those without one are closed. */
static void find_splits(struct grower *grower, uint32_t first, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        grower->splits[i].node = grower->nodes[first + i].rows;
    }
    grower->engine->ops->find_splits(grower->engine, grower->splits, n);
    for (uint32_t i = 0; i < n; i++) {
        struct grow_node *node = &grower->nodes[first + i];
        node->split = grower->splits[i].split;
        if (node->split.gain == 0.0) {
            grower->engine->ops->close(grower->engine, &node->rows);
        }
    }
}

/* Splits up to `most` of the nodes first .. end that are to be split, starting at *next, and moves *next past them.
 * Appends their children and returns how many nodes were split. */
static uint32_t split_nodes(struct grower *grower, uint32_t *next, uint32_t end, size_t most) {
    uint32_t n = 0;
    uint32_t begin = *next;
    for (; *next < end && n < most; (*next)++) {
        const struct grow_node *node = &grower->nodes[*next];
        if (node->split.gain > 0.0) {
            grower->partitions[n++] = (struct partition_request){.node = node->rows, .split = node->split};
        }
    }
    grower->engine->ops->partition(grower->engine, grower->partitions, n);
    n = 0;
    for (uint32_t i = begin; i < *next; i++) {
        struct grow_node *node = &grower->nodes[i];
        if (node->split.gain > 0.0) {
            uint32_t middle = grower->partitions[n++].middle;
            struct grow_node child = {.depth = node->depth + 1};
            child.rows = (struct engine_node){node->rows.begin, middle, MXB__NO_SLOT};
            node->left = grower->n_nodes;
            grower->nodes[grower->n_nodes++] = child;
            child.rows = (struct engine_node){middle, node->rows.end, MXB__NO_SLOT};
            grower->nodes[grower->n_nodes++] = child;
        }
    }
    return n;
}

static void open_children(struct grower *grower, uint32_t begin, uint32_t end) {
    struct grow_node *nodes = grower->nodes;
    size_t n = 0;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t left = nodes[i].left;
        if (left != 0) {
            grower->opens[n++] = (struct open_request){&nodes[i].rows, &nodes[left].rows, &nodes[left + 1].rows};
        }
    }
    grower->engine->ops->open_children(grower->engine, grower->opens, n);
}

/* Grows all that lies below nodes first .. first + n, which are of one depth and open. */
static void grow_below(struct grower *grower, uint32_t first, uint32_t n) {
    struct tree_engine *engine = grower->engine;
    uint32_t end = first + n;
    find_splits(grower, first, n);
    uint32_t child_depth = grower->nodes[first].depth + 1;
    for (uint32_t next = first; next < end;) {
        uint32_t begin = next;
        uint32_t first_child = grower->n_nodes;
        if (child_depth == grower->max_depth) { /* the children will be leaves: never opened */
            split_nodes(grower, &next, end, n);
            for (uint32_t i = begin; i < next; i++) {
                if (grower->nodes[i].left != 0) {
                    engine->ops->close(engine, &grower->nodes[i].rows);
                }
            }
            continue;
        }
        size_t room = engine->ops->room(engine, grower->max_depth - 1 - child_depth);
        uint32_t n_split = split_nodes(grower, &next, end, room);
        if (n_split > 0) {
            open_children(grower, begin, next);
            grow_below(grower, first_child, 2 * n_split);
        }
    }
}

void mxb__grower_run(struct grower *grower, struct tree_engine *engine, uint32_t max_depth) {
    grower->engine = engine;
    grower->max_depth = max_depth;
    grower->n_nodes = 1;
    grower->nodes[0] = (struct grow_node){.rows = {0, engine->n_sampled, MXB__NO_SLOT}};
    if (max_depth > 0) {
        engine->ops->open_root(engine, &grower->nodes[0].rows);
        grow_below(grower, 0, 1);
    }
}
