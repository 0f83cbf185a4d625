/* The engine of histogram trees: sums over bins, and splits from them. Sums are integers, so threads and
 * order do not matter. A few features at a time are taken through all steps (add the rows of the smaller child,
 * subtract them from the parent, search both) while their cells are in the cache. Knows nothing of how nodes are
 * numbered or chosen. */
#include "learner/tree/tree_histograms.h"

#include <string.h>

#include "base/parallel.h"
#include "base/reduce.h"
#include "learner/tree/level_cells.h"
#include "learner/tree/tree_tiny.h"

enum {
    SHARED_ROWS = 1 << 14, /* nodes with more are built by all threads, unless there are fields enough to share out */
    SUBTREES = 4           /* for each thread, at the least: none has a larger part of the rows than that allows */
};

/* Histograms kept at once; beyond it a tree is grown part by part (tree_grow.c). */
static const size_t BUDGET_BYTES = (size_t)64 << 20;

/* ---- one training, one tree ---- */

static struct engine_scratch carve_scratch(size_t n_histograms, size_t n_cells, const struct fit_input *input,
                                           struct workspace *workspace) {
    struct engine_scratch scratch = {.n_histograms = n_histograms};
    size_t most = n_histograms + 1; /* a subtree brings one along */
    scratch.max_batch = 2 * most;
    scratch.unused = mxb__carve(workspace, most, sizeof *scratch.unused);
    mxb__engine_carve_batches(&scratch, input, workspace);
    scratch.cells = mxb__engine_carve_sums(n_histograms * n_cells, input, workspace);
    return scratch;
}

/* Fields enough to share out need no cells of every thread, which would take more memory than all else. */
static int shares_rows(const struct fit_input *input) {
    size_t n_threads = input->options->tree_n_threads;
    size_t n_panels = mxb__n_blocks(input->prepared->fields.n, MXB__PANEL);
    return n_threads > 1 && n_panels < 2 * n_threads && input->prepared->n_rows > SHARED_ROWS;
}

/* One for every level in progress; and never more than there can be nodes that are not tiny. */
static size_t least_histograms(const struct fit_input *input) {
    size_t n_levels = (size_t)input->options->max_max_depth + 1;
    size_t n_nodes = input->prepared->n_rows / (MXB__TINY_ROWS + 1);
    return n_levels < n_nodes ? n_levels : n_nodes;
}

static void carve(struct tree_engine *engine, const struct fit_input *input, struct workspace *workspace) {
    const mxb_prepared *prepared = input->prepared;
    size_t n_threads = input->options->tree_n_threads;
    size_t n_groups = mxb__n_blocks(prepared->fields.n, MXB__GROUP);
    size_t needed = least_histograms(input);
    engine->n_cells = n_groups * MXB__GROUP * MXB__CELLS;
    size_t histogram_bytes = engine->n_cells * sizeof(struct gradient_sum);
    size_t affordable = BUDGET_BYTES / histogram_bytes;
    size_t useful = mxb__engine_max_leaves(input) / 2 + needed; /* all parents of leaves at once */
    size_t n_histograms = affordable < useful ? affordable : useful;

    engine->groups = mxb__carve(workspace, n_groups, sizeof *engine->groups);
    engine->right = mxb__carve(workspace, prepared->n_rows, sizeof *engine->right);
    engine->leaf_of_row = engine->right;
    engine->thread_cells = mxb__carve(workspace, shares_rows(input) ? n_threads : 0, histogram_bytes);
    engine->thread_built = mxb__carve(workspace, n_threads, sizeof *engine->thread_built);
    n_histograms = n_histograms < needed ? needed : n_histograms;
    engine->scratch = carve_scratch(n_histograms, engine->n_cells, input, workspace);

    engine->tiny_cells = mxb__carve(workspace, n_threads, sizeof *engine->tiny_cells);
    engine->tiny_cleared = mxb__carve(workspace, n_threads, sizeof *engine->tiny_cleared);
    size_t n_level_cells = input->options->symmetric_depth > 0 ? n_threads : 0;
    engine->level_cells = mxb__carve(workspace, n_level_cells, sizeof *engine->level_cells);
    engine->n_engines = n_threads * needed <= affordable ? n_threads : 0;
    engine->of_thread = mxb__carve(workspace, engine->n_engines, sizeof *engine->of_thread);
    for (size_t t = 0; t < engine->n_engines; t++) {
        struct engine_scratch scratch = carve_scratch(needed, engine->n_cells, input, workspace);
        engine->thread_batch = scratch.max_batch;
        if (workspace->base != NULL) {
            engine->of_thread[t].scratch = scratch;
        }
    }
}

/* Groups of fields with a sampled feature. */
static void list_groups(struct tree_engine *engine) {
    const struct fields *fields = &engine->input->prepared->fields;
    engine->n_groups = 0;
    for (uint32_t first = 0; first < fields->n; first += MXB__GROUP) {
        uint32_t end = first + MXB__GROUP < fields->n ? first + MXB__GROUP : fields->n;
        int used = 0;
        for (uint32_t i = fields->first[first]; i < fields->first[end]; i++) {
            used |= engine->is_column[fields->features[i]];
        }
        engine->groups[engine->n_groups] = first / MXB__GROUP;
        engine->n_groups += used ? 1 : 0;
    }
}

static void free_all_cells(struct tree_engine *engine) {
    struct engine_scratch *scratch = &engine->scratch;
    scratch->n_unused = 0;
    for (size_t i = scratch->n_histograms; i > 0; i--) {
        scratch->unused[scratch->n_unused++] =
            scratch->cells + (i - 1) * engine->n_cells * (engine->packed ? 1 : 2) * sizeof(uint64_t);
    }
}

static void begin(struct tree_engine *engine, const struct draw *draw) {
    const struct fit_input *input = engine->input;
    list_groups(engine);
    engine->packed = mxb__quanta_packed(input, &engine->quanta) &&
                     mxb__quanta_write_packed(input, engine->quanta, draw->round, engine->words);
    if (!engine->packed) {
        engine->quanta = engine->wide_quanta;
        mxb__quanta_write_wide(input, engine->quanta, engine->sums);
    }
    mxb__engine_set_rules(engine);
    free_all_cells(engine);
    memset(engine->tiny_cleared, 0, input->options->tree_n_threads);
    size_t n_subtrees = engine->n_engines == 1 ? 1 : engine->n_engines * SUBTREES; /* 1: the whole tree */
    engine->subtree_row_ns = mxb__cells_rows_ns(engine, 4); /* some levels, of which each adds half of them */
    engine->subtree_rows = engine->n_engines == 0 ? 0 : engine->n_sampled / (uint32_t)n_subtrees;
    for (size_t t = 0; t < engine->n_engines; t++) {
        struct engine_scratch scratch = engine->of_thread[t].scratch;
        struct tree_engine *own = &engine->of_thread[t];
        *own = *engine;
        own->scratch = scratch;
        own->pool = NULL;
        own->subtree_rows = 0;
        own->tiny_cells = engine->tiny_cells + t;
        own->tiny_cleared = engine->tiny_cleared + t;
        free_all_cells(own);
    }
}

/* ---- opening nodes ---- */

/* What the tasks of one call do: each takes some groups of fields of one family through all steps. A root is a left
 * child without parent and sibling. */
struct open_task {
    struct tree_engine *engine;
    const struct family *families;
    double *gains; /* [2 families][n_features]; NULL: none are found */
    size_t groups_a_part;
    size_t n_parts;       /* of a family */
    int built_by_threads; /* the smaller child, and there is only one family */
    size_t max_rows;      /* a family whose smaller child has more is left out */
};

static struct engine_node *smaller_child(const struct family *family) {
    const struct family *f = family;
    int is_left = f->right == NULL || mxb__span_rows(f->left->rows) <= mxb__span_rows(f->right->rows);
    return is_left ? f->left : f->right;
}

static struct engine_node *larger_child(const struct family *family) {
    return smaller_child(family) == family->left ? family->right : family->left;
}

static struct gradient_sum sum_cells(const struct tree_engine *engine, const uint64_t *cells) {
    struct gradient_sum sum = {0, 0};
    for (size_t i = 0; i < MXB__MAX_BINS; i++) {
        struct gradient_sum cell = engine->packed
                                       ? mxb__unpacked(cells[i])
                                       : (struct gradient_sum){(int64_t)cells[2 * i], (int64_t)cells[2 * i + 1]};
        sum.g += cell.g;
        sum.h += cell.h;
    }
    return sum;
}

/* Every row is in one cell of each field that was built, so any of them adds up to the node. */
static struct gradient_sum root_total(const struct tree_engine *engine, const struct engine_node *root,
                                      uint32_t field) {
    return root->cells == NULL ? mxb__tiny_total(engine, root)
                               : sum_cells(engine, mxb__cells_of(engine, root->cells, field));
}

/* Of many threads a small tree needs few. */
static struct tiny_cells *tiny_cells_of(const struct tree_engine *engine, size_t thread) {
    struct tiny_cells *cells = &engine->tiny_cells[thread];
    if (!engine->tiny_cleared[thread]) {
        memset(cells, 0, sizeof *cells);
        engine->tiny_cleared[thread] = 1;
    }
    return cells;
}

/* Cells of the smaller child of a family. */
static void build_run(const struct open_task *task, const struct engine_node *node, struct field_run run) {
    const struct tree_engine *engine = task->engine;
    uint64_t *cells = mxb__cells_of(engine, node->cells, run.first);
    if (task->built_by_threads) {
        mxb__cells_gather(engine, run, cells);
    } else {
        mxb__cells_build(engine, node, run, cells);
    }
    mxb__reduce_integers((int64_t *)cells, mxb__cells_words(engine, run.n));
}

static void search_run(const struct tree_engine *engine, const struct engine_node *node, struct field_run run,
                       size_t thread, double *gains) {
    if (node->cells == NULL) {
        mxb__tiny_gains(engine, node, run, tiny_cells_of(engine, thread), gains);
        return;
    }
    const mxb_prepared *prepared = engine->input->prepared;
    for (uint32_t field = run.first; field < run.first + run.n; field++) {
        const uint64_t *cells = mxb__cells_of(engine, node->cells, field);
        uint32_t feature = mxb__field_feature(engine, field);
        if (feature == prepared->n_features) {
            struct gradient_sum sums[MXB__MAX_BINS];
            mxb__field_load(engine, field, cells, sums);
            mxb__field_gains(engine, node->total, field, sums, gains);
        } else if (engine->is_column[feature]) {
            struct feature_cells of_feature = mxb__feature_cells(cells, engine->packed, &prepared->bins[feature]);
            gains[feature] = mxb__split_gain(engine->input->kernels, &of_feature, node->total, &engine->rules);
        }
    }
}

/* One run of fields: cells of the smaller child, and of the larger one where the parent's were. */
static void fill_run(const struct open_task *task, const struct family *family, struct field_run run) {
    const struct tree_engine *engine = task->engine;
    const struct engine_node *smaller = smaller_child(family);
    const struct engine_node *larger = larger_child(family);
    if (smaller->cells != NULL) {
        build_run(task, smaller, run);
    }
    if (larger != NULL && larger->cells != NULL) {
        uint64_t *cells = mxb__cells_of(engine, larger->cells, run.first);
        if (smaller->cells != NULL) {
            mxb__cells_subtract(cells, mxb__cells_of(engine, smaller->cells, run.first),
                                mxb__cells_words(engine, run.n));
        } else {
            mxb__tiny_subtract(engine, smaller, run, cells);
        }
    }
}

/* The gains of both children, or of a root, on the fields of a run. */
static void search_children(const struct tree_engine *engine, const struct family *family, struct field_run run,
                            size_t thread, double *gains) {
    if (family->parent == NULL) {
        struct engine_node root = *family->left;
        root.total = root_total(engine, &root, run.first);
        search_run(engine, &root, run, thread, gains);
        return;
    }
    search_run(engine, family->left, run, thread, gains);
    search_run(engine, family->right, run, thread, gains + engine->input->prepared->n_features);
}

static void open_part(void *context, size_t index, size_t thread) {
    const struct open_task *task = context;
    const struct tree_engine *engine = task->engine;
    size_t family = index / task->n_parts;
    if (mxb__span_rows(smaller_child(&task->families[family])->rows) > task->max_rows) {
        return;
    }
    size_t next = index % task->n_parts * task->groups_a_part;
    size_t end = next + task->groups_a_part < engine->n_groups ? next + task->groups_a_part : engine->n_groups;
    while (next < end) {
        struct field_run run = mxb__cells_next_run(engine, &next, end);
        fill_run(task, &task->families[family], run);
        if (task->gains != NULL) {
            search_children(engine, &task->families[family], run, thread,
                            task->gains + 2 * family * engine->input->prepared->n_features);
        }
    }
}

static struct split locate_split(const struct tree_engine *engine, const struct engine_node *node, uint32_t feature,
                                 double gain) {
    const mxb_prepared *prepared = engine->input->prepared;
    if (node->cells == NULL) {
        return mxb__tiny_locate(engine, node, feature, tiny_cells_of(engine, 0), gain);
    }
    uint32_t field = prepared->fields.places[feature].field;
    const uint64_t *cells = mxb__cells_of(engine, node->cells, field);
    if (mxb__field_feature(engine, field) == feature) {
        struct feature_cells of_feature = mxb__feature_cells(cells, engine->packed, &prepared->bins[feature]);
        return mxb__split_locate(&of_feature, node->total, &engine->rules, gain);
    }
    struct gradient_sum sums[MXB__MAX_BINS];
    mxb__field_load(engine, field, cells, sums);
    return mxb__field_locate(engine, node->total, feature, sums, gain);
}

static void choose_split(const struct tree_engine *engine, struct engine_node *node, const double *gains) {
    uint32_t d = engine->input->prepared->n_features;
    uint32_t feature = mxb__split_choose(gains, d, &engine->factors, node->path);
    if (feature < d) {
        node->split = locate_split(engine, node, feature, gains[feature]);
        node->split.feature = feature;
    }
}

static double cells_ns(const struct tree_engine *engine, size_t n_nodes) {
    return (double)n_nodes * (double)engine->n_groups * MXB__GROUP * MXB__CELLS * 0.5;
}

/* Rows of a node that all threads build together: more than one of them should do alone, of so many in all. */
static size_t rows_to_share(const struct tree_engine *engine, size_t n_rows) {
    size_t n_panels = mxb__n_blocks(engine->n_groups, MXB__PANEL_GROUPS);
    size_t share = n_rows / (2 * mxb__pool_n_threads(engine->pool)) * n_panels;
    int shares = engine->pool != NULL && shares_rows(engine->input);
    return !shares ? SIZE_MAX : share < SHARED_ROWS ? SHARED_ROWS : share;
}

static void run_parts(struct open_task *task, size_t n, size_t n_rows) {
    struct tree_engine *engine = task->engine;
    size_t n_panels = mxb__n_blocks(engine->n_groups, MXB__PANEL_GROUPS);
    int few = engine->pool != NULL && n * n_panels < 2 * mxb__pool_n_threads(engine->pool);
    task->groups_a_part = few ? 1 : MXB__PANEL_GROUPS;
    task->n_parts = mxb__n_blocks(engine->n_groups, task->groups_a_part);
    double nanoseconds = mxb__cells_rows_ns(engine, n_rows) + cells_ns(engine, 2 * n);
    mxb__pool_run(engine->pool, n * task->n_parts, nanoseconds, open_part, task);
}

/* Cells of all children, and their gains unless these are NULL. */
static void fill_families(struct tree_engine *engine, const struct family *families, size_t n, double *gains) {
    size_t d = engine->input->prepared->n_features;
    size_t n_rows = 0;
    for (size_t i = 0; i < n; i++) {
        n_rows += mxb__span_rows(smaller_child(&families[i])->rows);
    }
    size_t max_rows = rows_to_share(engine, n_rows);
    for (size_t i = 0; i < n; i++) {
        const struct engine_node *node = smaller_child(&families[i]);
        if (node->cells != NULL && mxb__span_rows(node->rows) > max_rows) {
            struct open_task large = {engine, &families[i], gains == NULL ? NULL : gains + 2 * i * d,
                                      .built_by_threads = 1, .max_rows = SIZE_MAX};
            mxb__cells_build_by_threads(engine, node);
            run_parts(&large, 1, 0);
        }
    }
    struct open_task others = {engine, families, gains, .max_rows = max_rows};
    run_parts(&others, n, n_rows);
}

static void open_families(struct tree_engine *engine, const struct family *families, size_t n) {
    size_t d = engine->input->prepared->n_features;
    double *gains = engine->scratch.gains;
    memset(gains, 0, 2 * n * d * sizeof *gains);
    fill_families(engine, families, n, gains);
    for (size_t i = 0; i < n; i++) {
        if (families[i].parent == NULL) {
            families[i].left->total = root_total(engine, families[i].left, engine->groups[0] * MXB__GROUP);
            choose_split(engine, families[i].left, gains + 2 * i * d);
        } else {
            choose_split(engine, families[i].left, gains + 2 * i * d);
            choose_split(engine, families[i].right, gains + (2 * i + 1) * d);
        }
    }
}

/* ---- open and closed nodes ---- */

static int is_tiny(const struct engine_node *node) { return mxb__span_rows(node->rows) <= MXB__TINY_ROWS; }

static void take_cells(struct tree_engine *engine, struct engine_node *node) {
    node->cells = engine->scratch.unused[--engine->scratch.n_unused];
}

static void close_node(struct tree_engine *engine, struct engine_node *node) {
    if (node->cells != NULL) {
        engine->scratch.unused[engine->scratch.n_unused++] = node->cells;
        node->cells = NULL;
    }
}

/* The root of the subtree, unless it is tiny, has brought along cells that were not this engine's. */
static void give_back(struct tree_engine *of_thread, struct engine_node *node) {
    if (of_thread->scratch.n_unused > of_thread->scratch.n_histograms) {
        take_cells(of_thread, node);
    }
}

static void open_root(struct tree_engine *engine, struct engine_node *root) {
    struct family family = {.left = root};
    if (!is_tiny(root)) {
        take_cells(engine, root);
    }
    open_families(engine, &family, 1);
}

/* The larger child takes the parent's cells over. */
static void hand_cells_down(struct tree_engine *engine, const struct family *family) {
    struct engine_node *smaller = smaller_child(family);
    struct engine_node *larger = larger_child(family);
    if (!is_tiny(smaller)) {
        take_cells(engine, smaller);
    }
    if (is_tiny(larger)) {
        close_node(engine, family->parent);
    } else {
        larger->cells = family->parent->cells;
        family->parent->cells = NULL;
    }
}

static void open_children(struct tree_engine *engine, const struct family *families, size_t n) {
    for (size_t i = 0; i < n; i++) {
        hand_cells_down(engine, &families[i]);
    }
    open_families(engine, families, n);
}

/* ---- symmetric trees ---- */

static void fill_root(struct tree_engine *engine, const struct family *family) {
    if (!is_tiny(family->left)) {
        take_cells(engine, family->left);
    }
    fill_families(engine, family, 1, NULL);
    family->left->total = root_total(engine, family->left, engine->groups[0] * MXB__GROUP);
}

/* All nodes of a level are open at once. Where there is no room for another histogram the children have none, nor
 * anything below them: their cells are made each time they are looked at. */
static void open_level(struct tree_engine *engine, const struct family *families, size_t n) {
    if (n == 1 && families[0].parent == NULL) {
        fill_root(engine, families);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        struct engine_node *parent = families[i].parent;
        if (parent->cells != NULL && (is_tiny(smaller_child(&families[i])) || engine->scratch.n_unused > 0)) {
            hand_cells_down(engine, &families[i]);
        } else {
            close_node(engine, parent);
        }
    }
    fill_families(engine, families, n, NULL);
}

/* Every level in progress has histograms of its own, one at least: so many are kept back. Few rows have fewer
 * histograms than levels, and yet enough for one node at a time: open nodes have no row in common. */
static size_t room(const struct tree_engine *engine, size_t levels_below) {
    size_t n_unused = engine->scratch.n_unused;
    return n_unused > levels_below ? n_unused - levels_below : 0;
}

const struct engine_ops mxb__histogram_engine = {
    .carve = carve,
    .begin = begin,
    .room = room,
    .open_root = open_root,
    .partition = mxb__rows_partition,
    .open_children = open_children,
    .close = close_node,
    .give_back = give_back,
    .open_level = open_level,
    .search_level = mxb__level_cells_search,
    .left_sum = mxb__level_cells_left,
};
