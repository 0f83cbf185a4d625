/* Finds bins and scaling of every feature, and for exact trees the order of the rows. Where each row weighs 1 a column
 * is sorted by its values alone and cuts and knots are looked up in it; else its distinct values and their weights are
 * listed. Knows nothing of how codes of bins are stored. */
#include "data/edges.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"

/* The codes of bins are written later: until then their room serves as scratch. Exact trees have none. */
static size_t free_room(const mxb_prepared *prepared) { return prepared->settings.exact ? 0 : prepared->code_bytes; }

/* ---- Rows that weigh 1 ---- */

/* Some features at a time: all threads read their columns, in blocks of rows so that a row-major matrix is fetched by
 * whole cache lines, then each thread sorts one column after another. */
struct feature_group {
    mxb_prepared *prepared;
    size_t first;      /* feature */
    size_t n_features; /* in this group */
    size_t slot_bytes; /* of a column's keys */
    char *keys;        /* [feature of the group][slot_bytes] */
    char *spare;       /* [thread][slot_bytes] */
};

enum { READ_ROWS = 1024 };

static int is_narrow(const struct feature_group *group, size_t feature) {
    return mxb__column_is_narrow(&group->prepared->view->columns[feature]);
}

static void read_block(void *context, size_t block, size_t thread) {
    struct feature_group *group = context;
    const mxb_dataset *view = group->prepared->view;
    double values[READ_ROWS];
    size_t first = block * READ_ROWS;
    size_t n = mxb__block_length(view->n_rows, READ_ROWS, block);
    (void)thread;
    for (size_t i = 0; i < group->n_features; i++) {
        size_t feature = group->first + i;
        mxb__column_read(view, &view->columns[feature], first, n, values);
        mxb__sorted_write(values, n, is_narrow(group, feature), group->keys + i * group->slot_bytes, first);
    }
}

static void sort_feature(void *context, size_t index, size_t thread) {
    struct feature_group *group = context;
    mxb_prepared *prepared = group->prepared;
    size_t feature = group->first + index;
    struct sorted sorted =
        mxb__sorted_find(group->keys + index * group->slot_bytes, group->spare + thread * group->slot_bytes,
                         prepared->n_rows, is_narrow(group, feature));
    double *cuts = prepared->cuts + feature * MXB__MAX_CUTS;
    prepared->bins[feature].cuts = cuts;
    prepared->bins[feature].n_cuts = mxb__bins_find_cuts_sorted(&sorted, prepared->settings.hist_nbins, cuts);
    prepared->bins[feature].has_missing = sorted.n < prepared->n_rows;
    mxb__scaling_fit_sorted(prepared->settings.scaling, &sorted, prepared->knots + feature * prepared->knot_room,
                            prepared->knot_scores + feature * prepared->knot_room,
                            &prepared->scaling.features[feature]);
}

static size_t bytes_of_slot(const struct feature_group *group) {
    int all_narrow = 1;
    for (size_t f = 0; f < group->prepared->n_features; f++) {
        all_narrow &= is_narrow(group, f);
    }
    return mxb__n_blocks(group->prepared->n_rows * mxb__sorted_key_bytes(all_narrow), 64) * 64;
}

/* How many features a group has: about the same for each group, and for each thread as many as for the others. */
static size_t features_of_group(size_t n_features, size_t n_slots, size_t n_threads) {
    size_t most = (n_slots - n_threads) / n_threads * n_threads;
    size_t even = mxb__n_blocks(n_features, mxb__n_blocks(n_features, most));
    return mxb__n_blocks(even, n_threads) * n_threads;
}

static mxb_status find_in_groups(mxb_prepared *prepared, struct pool *pool, mxb_error *error) {
    struct feature_group group = {.prepared = prepared};
    size_t n = prepared->n_rows;
    size_t d = prepared->n_features;
    size_t n_threads = mxb__pool_n_threads(pool);
    group.slot_bytes = bytes_of_slot(&group);
    char *scratch = NULL;
    size_t n_slots = free_room(prepared) / group.slot_bytes;
    if (n_slots < 2 * n_threads) {
        n_slots = 2 * n_threads;
        MXB_TRY(mxb__alloc(&scratch, n_slots, group.slot_bytes, "sorting columns", error));
    }
    size_t most = features_of_group(d, n_slots, n_threads);
    group.keys = scratch != NULL ? scratch : (char *)prepared->records;
    group.spare = group.keys + most * group.slot_bytes;
    for (; group.first < d; group.first += most) {
        group.n_features = mxb__block_length(d, most, group.first / most);
        double n_values = (double)n * (double)group.n_features;
        mxb__pool_run(pool, mxb__n_blocks(n, READ_ROWS), n_values * 2.0, read_block, &group);
        mxb__pool_run(pool, group.n_features, n_values * 5.0, sort_feature, &group);
    }
    mxb__free(scratch);
    return MXB_OK;
}

/* ---- Rows of any weight, and exact trees ---- */

/* One feature at a time and thread: values, their distinct ones, then cuts or order, and scaling. */
struct feature_task {
    mxb_prepared *prepared;
    size_t scratch_bytes; /* of a thread */
    size_t n_in_room;     /* threads that find theirs in the free room; the others have it in `scratch` */
    char *scratch;
};

static char *scratch_of(const struct feature_task *task, size_t thread) {
    return thread < task->n_in_room ? (char *)task->prepared->records + thread * task->scratch_bytes
                                    : task->scratch + (thread - task->n_in_room) * task->scratch_bytes;
}

static double *carve_scratch(struct workspace *workspace, const mxb_prepared *prepared,
                             struct distinct_scratch *scratch) {
    size_t n = prepared->n_rows;
    int with_rows = prepared->labels.weights != NULL || prepared->settings.exact;
    double *values = mxb__carve(workspace, n, sizeof *values);
    scratch->keys = mxb__carve(workspace, n, sizeof *scratch->keys);
    scratch->spare_keys = mxb__carve(workspace, n, sizeof *scratch->spare_keys);
    scratch->weights = mxb__carve(workspace, n, sizeof *scratch->weights);
    scratch->rows = with_rows ? mxb__carve(workspace, n, sizeof *scratch->rows) : NULL;
    scratch->spare_rows = with_rows ? mxb__carve(workspace, n, sizeof *scratch->spare_rows) : NULL;
    return values;
}

/* A bin for every distinct value. Its cuts are not written down: with as many as rows they would take as much room
 * as codes and order together, and a tree asks for few. */
static void write_order(mxb_prepared *prepared, size_t feature, const double *values, const struct distinct *distinct,
                        const struct distinct_scratch *scratch) {
    size_t n = prepared->n_rows;
    struct feature_bins *bins = &prepared->bins[feature];
    bins->cuts = NULL;
    bins->n_cuts = distinct->n > 0 ? (uint32_t)(distinct->n - 1) : 0;
    uint32_t *order = prepared->order + feature * n;
    uint32_t *codes = prepared->codes + feature * n;
    size_t n_missing = 0;
    for (size_t i = n; i > 0; i--) {
        if (isnan(values[i - 1])) {
            order[n - ++n_missing] = (uint32_t)(i - 1);
            codes[i - 1] = mxb__missing_code(bins);
        }
    }
    uint32_t code = 0;
    for (size_t i = 0; i < n - n_missing; i++) {
        code += i > 0 && scratch->keys[i] != scratch->keys[i - 1];
        order[i] = scratch->rows[i];
        codes[order[i]] = code;
    }
}

static int has_missing(const double *values, size_t n) {
    size_t i = 0;
    while (i < n && !isnan(values[i])) {
        i++;
    }
    return i < n;
}

static void list_feature(void *context, size_t feature, size_t thread) {
    struct feature_task *task = context;
    mxb_prepared *prepared = task->prepared;
    size_t n = prepared->n_rows;
    struct distinct_scratch scratch;
    struct workspace workspace = {scratch_of(task, thread), 0};
    double *values = carve_scratch(&workspace, prepared, &scratch);
    const struct column *column = &prepared->view->columns[feature];
    scratch.narrow = mxb__column_is_narrow(column);

    mxb__column_read(prepared->view, column, 0, n, values);
    struct distinct distinct = mxb__distinct_find(values, prepared->labels.weights, n, &scratch);
    if (prepared->settings.exact) {
        write_order(prepared, feature, values, &distinct, &scratch);
    } else {
        double *cuts = prepared->cuts + feature * MXB__MAX_CUTS;
        prepared->bins[feature].cuts = cuts;
        prepared->bins[feature].n_cuts = mxb__bins_find_cuts(&distinct, prepared->settings.hist_nbins, cuts);
        prepared->bins[feature].has_missing = has_missing(values, n);
    }
    mxb__scaling_fit(prepared->settings.scaling, &distinct, prepared->knots + feature * prepared->knot_room,
                     prepared->knot_scores + feature * prepared->knot_room, &prepared->scaling.features[feature]);
}

static mxb_status find_one_by_one(mxb_prepared *prepared, struct pool *pool, mxb_error *error) {
    struct feature_task task = {.prepared = prepared};
    struct distinct_scratch unused;
    struct workspace measure = {NULL, 0};
    carve_scratch(&measure, prepared, &unused);
    task.scratch_bytes = measure.used;
    size_t n_threads = mxb__pool_n_threads(pool);
    size_t n_fitting = free_room(prepared) / task.scratch_bytes;
    task.n_in_room = n_fitting < n_threads ? n_fitting : n_threads;
    MXB_TRY(mxb__alloc(&task.scratch, n_threads - task.n_in_room, task.scratch_bytes, "sorting columns", error));
    mxb__pool_run(pool, prepared->n_features, (double)prepared->n_rows * (double)prepared->n_features * 30.0,
                  list_feature, &task);
    mxb__free(task.scratch);
    return MXB_OK;
}

mxb_status mxb__edges_find(mxb_prepared *prepared, struct pool *pool, mxb_error *error) {
    enum scaling_kind kind = prepared->settings.scaling; /* the sums of the others run over distinct values */
    int values_suffice =
        prepared->labels.weights == NULL && !prepared->settings.exact && (kind == SCALING_NONE || kind == SCALING_RANK);
    return values_suffice ? find_in_groups(prepared, pool, error) : find_one_by_one(prepared, pool, error);
}
