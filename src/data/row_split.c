/* Step 2 of the data's path: the rows of a dataset in two parts. Each row has random bits of its own; the rows with the
 * smallest of them make up the second part. Knows nothing of columns but the label. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "data/dataset.h"

enum {
    MAX_CLASSES = 4096, /* label values that a stratified split may have */
    BLOCK = 1024        /* labels read at a time */
};

/* Rows that are split in proportion: those of one label value, or all. */
struct class {
    double label;
    size_t n_rows;
    size_t n_second;    /* how many of them go into the second part */
    size_t next_key;    /* while keys are being sorted by class: where the next one goes */
    uint64_t threshold; /* rows whose bits are below it go into the second part, if n_second < n_rows */
};

struct split {
    const mxb_dataset *dataset;
    struct random_stream stream;
    int stratify;
    size_t n_second;
    size_t n_classes;
    size_t capacity;       /* of classes */
    struct class *classes; /* ascending by label */
    uint64_t *keys;        /* the random bits of all rows, sorted by class */
};

/* ---- Classes ---- */

/* The first class whose label is not below `label`. */
static size_t lower_bound(const struct split *split, double label) {
    size_t low = 0;
    size_t high = split->n_classes;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (split->classes[middle].label < label) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Counts a row under its label. */
static mxb_status count_label(struct split *split, double label, mxb_error *error) {
    size_t at = lower_bound(split, label);
    if (at == split->n_classes || split->classes[at].label != label) {
        if (split->n_classes == MAX_CLASSES || 2 * (split->n_classes + 1) > split->dataset->n_rows) {
            return mxb__fail(error, MXB_ERROR_DATA,
                             "a stratified split needs labels that repeat: at most %d values, and half as many as "
                             "rows; the %zu rows have more",
                             (int)MAX_CLASSES, split->dataset->n_rows);
        }
        if (split->n_classes == split->capacity) {
            size_t capacity = split->capacity == 0 ? 16 : 2 * split->capacity;
            MXB_TRY(
                mxb__grow(&split->classes, split->capacity, capacity, sizeof *split->classes, "label values", error));
            split->capacity = capacity;
        }
        memmove(split->classes + at + 1, split->classes + at, (split->n_classes - at) * sizeof *split->classes);
        split->classes[at] = (struct class){.label = label};
        split->n_classes++;
    }
    split->classes[at].n_rows++;
    return MXB_OK;
}

/* Labels of the block that begins at row `first`; all alike where they do not matter. Returns how many. */
static size_t read_block(const struct split *split, size_t first, double labels[BLOCK]) {
    size_t n = split->dataset->n_rows - first < BLOCK ? split->dataset->n_rows - first : BLOCK;
    if (split->stratify) {
        mxb__column_read(split->dataset, &split->dataset->label, first, n, labels);
    } else {
        memset(labels, 0, n * sizeof *labels);
    }
    return n;
}

static mxb_status count_classes(struct split *split, mxb_error *error) {
    double labels[BLOCK];
    for (size_t first = 0; first < split->dataset->n_rows; first += BLOCK) {
        size_t n = read_block(split, first, labels);
        for (size_t i = 0; i < n; i++) {
            if (isnan(labels[i])) {
                return mxb__fail(error, MXB_ERROR_DATA, "row %zu has no label: a stratified split needs all of them",
                                 first + i + 1);
            }
            MXB_TRY(count_label(split, labels[i], error));
        }
    }
    return MXB_OK;
}

/* Shares out the second part by largest remainder; equal ones by label. A class of several rows keeps one in the first
 * part, even if the second then gets fewer rows than asked for. */
static void share_out(struct split *split, double fraction) {
    size_t n_given = 0;
    for (size_t i = 0; i < split->n_classes; i++) {
        struct class *class = &split->classes[i];
        class->n_second = (size_t)(fraction * (double)class->n_rows);
        if (class->n_second >= class->n_rows) {
            class->n_second = class->n_rows - 1; /* a fraction that rounds to 1 */
        }
        n_given += class->n_second;
    }
    for (; n_given < split->n_second; n_given++) {
        struct class *neediest = NULL;
        double most = 0;
        for (size_t i = 0; i < split->n_classes; i++) {
            struct class *class = &split->classes[i];
            double lacking = fraction * (double)class->n_rows - (double)class->n_second;
            int may_give = class->n_rows == 1 ? class->n_second == 0 : class->n_second < class->n_rows - 1;
            if (may_give && (neediest == NULL || lacking > most)) {
                neediest = class;
                most = lacking;
            }
        }
        if (neediest == NULL) {
            return;
        }
        neediest->n_second++;
    }
}

/* ---- Rows ---- */

/* The element that would stand at `rank` if keys[0 .. n) were sorted; reorders them. The keys are random and all
 * different, so any pivot will do. */
static uint64_t select_rank(uint64_t *keys, size_t n, size_t rank) {
    size_t low = 0;
    size_t high = n - 1;
    while (low < high) {
        /* [low .. store) below the pivot | [store .. i) above | not seen yet | pivot at high */
        uint64_t pivot = keys[high];
        size_t store = low;
        for (size_t i = low; i < high; i++) {
            if (keys[i] < pivot) {
                uint64_t swapped = keys[i];
                keys[i] = keys[store];
                keys[store++] = swapped;
            }
        }
        keys[high] = keys[store];
        keys[store] = pivot;
        if (store == rank) {
            return pivot;
        }
        if (store < rank) {
            low = store + 1;
        } else {
            high = store - 1;
        }
    }
    return keys[low];
}

static mxb_status find_thresholds(struct split *split, mxb_error *error) {
    double labels[BLOCK];
    size_t n_rows = split->dataset->n_rows;
    MXB_TRY(mxb__alloc(&split->keys, n_rows, sizeof *split->keys, "a random order of rows", error));
    size_t begin = 0;
    for (size_t i = 0; i < split->n_classes; i++) {
        split->classes[i].next_key = begin;
        begin += split->classes[i].n_rows;
    }
    for (size_t first = 0; first < n_rows; first += BLOCK) {
        size_t n = read_block(split, first, labels);
        for (size_t i = 0; i < n; i++) {
            struct class *class = &split->classes[lower_bound(split, labels[i])];
            split->keys[class->next_key++] = mxb__random_bits(split->stream, first + i);
        }
    }
    for (size_t i = 0; i < split->n_classes; i++) {
        struct class *class = &split->classes[i];
        if (class->n_second < class->n_rows) {
            class->threshold =
                select_rank(split->keys + class->next_key - class->n_rows, class->n_rows, class->n_second);
        }
    }
    return MXB_OK;
}

static void deal_rows(const struct split *split, mxb_dataset *first_part, mxb_dataset *second_part) {
    double labels[BLOCK];
    uint32_t *firsts = first_part->rows;
    uint32_t *seconds = second_part->rows;
    for (size_t first = 0; first < split->dataset->n_rows; first += BLOCK) {
        size_t n = read_block(split, first, labels);
        for (size_t i = 0; i < n; i++) {
            const struct class *class = &split->classes[lower_bound(split, labels[i])];
            uint32_t row = mxb__dataset_array_row(split->dataset, first + i);
            if (class->n_second == class->n_rows || mxb__random_bits(split->stream, first + i) < class->threshold) {
                *seconds++ = row;
            } else {
                *firsts++ = row;
            }
        }
    }
}

static mxb_status split_rows(struct split *split, double fraction, mxb_dataset **first, mxb_dataset **second,
                             mxb_error *error) {
    if (split->stratify) {
        MXB_TRY(count_classes(split, error));
        share_out(split, fraction);
    } else {
        MXB_TRY(mxb__alloc_zeroed(&split->classes, 1, sizeof *split->classes, "label values", error));
        split->n_classes = 1;
        split->classes[0].n_rows = split->dataset->n_rows;
        split->classes[0].n_second = split->n_second;
    }
    MXB_TRY(find_thresholds(split, error));
    size_t n_second = 0;
    for (size_t i = 0; i < split->n_classes; i++) {
        n_second += split->classes[i].n_second;
    }
    MXB_TRY(mxb__dataset_create_subset(split->dataset, split->dataset->n_rows - n_second, first, error));
    MXB_TRY(mxb__dataset_create_subset(split->dataset, n_second, second, error));
    deal_rows(split, *first, *second);
    return MXB_OK;
}

static mxb_status check_arguments(const mxb_dataset *dataset, double fraction, int stratify, mxb_error *error) {
    char text[MXB__NUMBER_SIZE];
    if (dataset == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "dataset is NULL");
    }
    if (!(fraction > 0 && fraction < 1)) {
        mxb__number_format(fraction, text);
        return mxb__fail(error, MXB_ERROR_PARAM, "fraction is %s; it must be over 0 and below 1", text);
    }
    if (dataset->n_rows < 2) {
        return mxb__fail(error, MXB_ERROR_DATA, "a dataset of one row cannot be split");
    }
    if (stratify && dataset->label.data == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the dataset has no label, which a stratified split needs");
    }
    return MXB_OK;
}

mxb_status mxb_dataset_split(const mxb_dataset *dataset, double fraction, int stratify, uint64_t seed,
                             mxb_dataset **first, mxb_dataset **second, mxb_error *error) {
    struct split split = {.dataset = dataset, .stratify = stratify};
    if (first == NULL || second == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", first == NULL ? "first" : "second");
    }
    *first = NULL;
    *second = NULL;
    MXB_TRY(check_arguments(dataset, fraction, stratify, error));
    split.stream = mxb__random_stream(seed, RANDOM_SPLIT_ROWS, 0);
    split.n_second = (size_t)(fraction * (double)dataset->n_rows + 0.5);
    split.n_second = split.n_second < 1 ? 1 : split.n_second;
    split.n_second = split.n_second > dataset->n_rows - 1 ? dataset->n_rows - 1 : split.n_second;
    mxb_status status = split_rows(&split, fraction, first, second, error);
    mxb__free(split.keys);
    mxb__free(split.classes);
    if (status != MXB_OK) {
        mxb_dataset_free(*first);
        *first = NULL;
    }
    return status;
}
