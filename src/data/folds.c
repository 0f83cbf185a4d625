/* Step 2 of the data's path: rows dealt into folds, like cards. The rows are put in a random order, with labels of one
 * value kept together if asked, and dealt one by one to the folds in turn: then all folds, and the parts of every label
 * value in them, differ by at most one. Knows nothing of columns' values or of what folds are for. */
#include "data/folds.h"

#include "base/memory.h"
#include "base/random.h"
#include "data/sort.h"

/* The rows in the order they are dealt: first those that weigh anything, whose keys are sorted by. */
struct deck {
    size_t n_sorted;
    uint64_t *keys;
    uint64_t *spare_keys;
    uint32_t *rows;
    uint32_t *spare_rows;
};

static mxb_status deck_allocate(struct deck *deck, size_t n, mxb_error *error) {
    static const char purpose[] = "a random order of rows";
    MXB_TRY(mxb__alloc(&deck->keys, n, sizeof *deck->keys, purpose, error));
    MXB_TRY(mxb__alloc(&deck->spare_keys, n, sizeof *deck->spare_keys, purpose, error));
    MXB_TRY(mxb__alloc(&deck->rows, n, sizeof *deck->rows, purpose, error));
    return mxb__alloc(&deck->spare_rows, n, sizeof *deck->spare_rows, purpose, error);
}

static void deck_clear(struct deck *deck) {
    mxb__free(deck->keys);
    mxb__free(deck->spare_keys);
    mxb__free(deck->rows);
    mxb__free(deck->spare_rows);
}

static int weighs(const struct labels *labels, size_t row) {
    return labels->weights == NULL || labels->weights[row] > 0.0;
}

static void sort_deck(struct deck *deck) {
    mxb__sort_keys(deck->keys, deck->rows, deck->n_sorted, deck->spare_keys, deck->spare_rows);
}

/* Rows that weigh nothing come last, in their own order. */
static void shuffle(struct deck *deck, const struct labels *labels, struct random_stream stream) {
    for (size_t row = 0; row < labels->n_rows; row++) {
        if (weighs(labels, row)) {
            deck->keys[deck->n_sorted] = mxb__random_bits(stream, deck->n_sorted);
            deck->rows[deck->n_sorted++] = (uint32_t)row;
        }
    }
    size_t n = deck->n_sorted;
    for (size_t row = 0; row < labels->n_rows; row++) {
        if (!weighs(labels, row)) {
            deck->rows[n++] = (uint32_t)row;
        }
    }
    sort_deck(deck);
}

/* The sort is stable, so rows of one label stay shuffled. */
static mxb_status sort_by_label(struct deck *deck, const struct labels *labels, size_t n_folds, mxb_error *error) {
    char text[MXB__LABEL_SIZE];
    for (size_t i = 0; i < deck->n_sorted; i++) {
        deck->keys[i] = mxb__sort_key(mxb__label_of(labels, deck->rows[i]));
    }
    sort_deck(deck);
    for (size_t first = 0, end; first < deck->n_sorted; first = end) {
        end = first + 1;
        while (end < deck->n_sorted && deck->keys[end] == deck->keys[first]) {
            end++;
        }
        if (end - first < n_folds) {
            double value = mxb__sort_value(deck->keys[first]);
            return mxb__fail(
                error, MXB_ERROR_DATA, "label %s has %zu row%s; %zu stratified folds need at least %zu of each label",
                mxb__labels_show(labels, value, text), end - first, end - first == 1 ? "" : "s", n_folds, n_folds);
        }
    }
    return MXB_OK;
}

mxb_status mxb__folds_deal(const struct labels *labels, size_t n_folds, int stratify, uint64_t seed, uint64_t repeat,
                           uint32_t *folds, mxb_error *error) {
    struct deck deck = {0};
    mxb_status status = deck_allocate(&deck, labels->n_rows, error);
    if (status != MXB_OK) {
        goto cleanup;
    }
    shuffle(&deck, labels, mxb__random_stream(seed, RANDOM_FOLDS, repeat));
    if (deck.n_sorted < n_folds) {
        status = mxb__fail(error, MXB_ERROR_DATA, "%zu folds need at least as many rows; the data has %zu%s", n_folds,
                           deck.n_sorted, deck.n_sorted < labels->n_rows ? " that weigh anything" : "");
        goto cleanup;
    }
    if (stratify) {
        status = sort_by_label(&deck, labels, n_folds, error);
    }
    for (size_t i = 0; status == MXB_OK && i < labels->n_rows; i++) {
        folds[deck.rows[i]] = (uint32_t)(i % n_folds);
    }
cleanup:
    deck_clear(&deck);
    return status;
}

mxb_status mxb__folds_select(const mxb_dataset *dataset, const uint32_t *folds, uint32_t fold, int others,
                             mxb_dataset **selected, mxb_error *error) {
    size_t n = 0;
    for (size_t i = 0; i < dataset->n_rows; i++) {
        n += (folds[i] != fold) == others;
    }
    MXB_TRY(mxb__dataset_create_subset(dataset, n, selected, error));
    n = 0;
    for (size_t i = 0; i < dataset->n_rows; i++) {
        if ((folds[i] != fold) == others) {
            (*selected)->rows[n++] = mxb__dataset_array_row(dataset, i);
        }
    }
    return MXB_OK;
}
