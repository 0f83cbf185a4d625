/* Growing a tree level by level, as far as the engine has room, and part by part beyond; what is small enough is put
 * off and then grown by the threads, a subtree each. The tree does not depend on the order: sums are integers, and
 * nodes are renumbered breadth-first afterwards. Knows nothing of rows or histograms. */
#include "learner/tree/tree_grow.h"

#include <stdlib.h>

#include "base/parallel.h"

struct subtree {
    uint32_t root;
    uint32_t n_rows;
};

void mxb__grower_carve(struct grower *grower, const struct tree_engine *engine, const struct fit_input *input,
                       struct workspace *workspace) {
    size_t max_leaves = mxb__engine_max_leaves(input);
    grower->nodes = mxb__carve(workspace, 2 * max_leaves, sizeof *grower->nodes);
    grower->families = mxb__carve(workspace, engine->scratch.max_batch, sizeof *grower->families);
    grower->subtrees = mxb__carve(workspace, max_leaves / 2, sizeof *grower->subtrees); /* none is a leaf */
    grower->of_thread = mxb__carve(workspace, engine->n_engines, sizeof *grower->of_thread);
    struct family *families = mxb__carve(workspace, engine->n_engines * engine->thread_batch, sizeof *families);
    for (size_t t = 0; t < engine->n_engines && workspace->base != NULL; t++) {
        grower->of_thread[t] = (struct grower){
            .engine = &engine->of_thread[t], .nodes = grower->nodes, .families = families + t * engine->thread_batch};
    }
}

/* ---- one batch ---- */

/* Splits up to `most` of the nodes from *next to `end` that are to be split, and moves *next past them. Appends their
 * children and returns how many nodes were split: these are the grower's families. */
static size_t split_nodes(struct grower *grower, uint32_t *next, uint32_t end, size_t most) {
    size_t n = 0;
    for (; *next < end && n < most; (*next)++) {
        struct grow_node *node = &grower->nodes[*next];
        if (node->work.split.gain > 0.0 && node->left == 0) {
            struct grow_node *children = &grower->nodes[grower->n_nodes];
            children[0] = (struct grow_node){.depth = node->depth + 1, .work.path = 2 * node->work.path};
            children[1] = (struct grow_node){.depth = node->depth + 1, .work.path = 2 * node->work.path + 1};
            grower->families[n++] = (struct family){&node->work, &children[0].work, &children[1].work};
            node->left = grower->n_nodes;
            grower->n_nodes += 2;
        }
    }
    grower->engine->ops->partition(grower->engine, grower->families, n);
    return n;
}

/* A subtree's nodes are taken at once, as many as it can have. */
static void put_off(struct grower *grower, uint32_t root) {
    struct grow_node *node = &grower->nodes[root];
    uint32_t n_rows = mxb__span_rows(node->work.rows);
    uint32_t levels = grower->max_depth - node->depth;
    uint32_t max_leaves = levels < 32 && n_rows >> levels > 0 ? (uint32_t)1 << levels : n_rows;
    node->left = grower->n_nodes;
    grower->n_nodes += 2 * max_leaves - 2;
    grower->subtrees[grower->n_subtrees++] = (struct subtree){root, n_rows};
}

static void grow_subtrees(struct grower *grower);

/* Grows all that lies below nodes first .. first + n, which are of one depth and open. */
static void grow_below(struct grower *grower, uint32_t first, uint32_t n) {
    struct tree_engine *engine = grower->engine;
    uint32_t end = first + n;
    uint32_t child_depth = grower->nodes[first].depth + 1;
    for (uint32_t i = first; i < end; i++) {
        struct engine_node *node = &grower->nodes[i].work;
        if (node->split.gain == 0.0) {
            engine->ops->close(engine, node);
        } else if (mxb__span_rows(node->rows) <= engine->subtree_rows) {
            put_off(grower, i);
        }
    }
    for (uint32_t next = first; next < end;) {
        if (child_depth == grower->max_depth) { /* the children will be leaves: never opened */
            size_t n_split = split_nodes(grower, &next, end, n);
            for (size_t i = 0; i < n_split; i++) {
                engine->ops->close(engine, grower->families[i].parent);
            }
            continue;
        }
        size_t levels_below = grower->max_depth - 1 - child_depth;
        size_t room = engine->ops->room(engine, levels_below);
        if (room == 0) {
            grow_subtrees(grower);
            room = engine->ops->room(engine, levels_below);
        }
        uint32_t first_child = grower->n_nodes;
        size_t n_split = split_nodes(grower, &next, end, room > 0 ? room : 1);
        if (n_split > 0) {
            engine->ops->open_children(engine, grower->families, n_split);
            grow_below(grower, first_child, (uint32_t)(2 * n_split));
        }
    }
}

/* ---- subtrees ---- */

static void grow_subtree(void *context, size_t index, size_t thread) {
    struct grower *all = context;
    struct grower *grower = &all->of_thread[thread];
    uint32_t root = all->subtrees[index].root;
    grower->max_depth = all->max_depth;
    grower->n_nodes = all->nodes[root].left;
    all->nodes[root].left = 0;
    grow_below(grower, root, 1);
    grower->engine->ops->give_back(grower->engine, &all->nodes[root].work);
}

static int larger_first(const void *a, const void *b) {
    uint32_t n_rows_a = ((const struct subtree *)a)->n_rows;
    uint32_t n_rows_b = ((const struct subtree *)b)->n_rows;
    return n_rows_a < n_rows_b ? 1 : n_rows_a > n_rows_b ? -1 : 0;
}

static void grow_subtrees(struct grower *grower) {
    if (grower->n_subtrees == 0) {
        return;
    }
    qsort(grower->subtrees, grower->n_subtrees, sizeof *grower->subtrees, larger_first);
    double n_rows = 0.0;
    for (size_t i = 0; i < grower->n_subtrees; i++) {
        n_rows += grower->subtrees[i].n_rows;
    }
    mxb__pool_run(grower->engine->pool, grower->n_subtrees, n_rows * grower->engine->subtree_row_ns, grow_subtree,
                  grower);
    for (size_t i = 0; i < grower->n_subtrees; i++) {
        grower->engine->ops->close(grower->engine, &grower->nodes[grower->subtrees[i].root].work);
    }
    grower->n_subtrees = 0;
}

void mxb__grower_run(struct grower *grower, struct tree_engine *engine, uint32_t max_depth) {
    grower->engine = engine;
    grower->max_depth = max_depth;
    grower->n_nodes = 1;
    grower->n_subtrees = 0;
    grower->nodes[0] = (struct grow_node){.work = {.rows = {0, engine->n_sampled}, .path = 1}};
    if (max_depth > 0) {
        engine->ops->open_root(engine, &grower->nodes[0].work);
        grow_below(grower, 0, 1);
        grow_subtrees(grower);
    }
}
