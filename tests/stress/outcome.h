/* What an operation under failures came to: whatever it made, a number that two equal outcomes share, and its end. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "data/dataset.h"

struct outcome {
    mxb_table *table;
    mxb_dataset *dataset;
    mxb_prepared *prepared;
    mxb_params *params;
    mxb_model *model;
    void *bytes;
    size_t n_bytes;
    double values[64];
};

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001B3u;
    }
    return hash;
}

static inline uint64_t hash_column(uint64_t hash, const mxb_dataset *dataset, const struct column *column) {
    for (size_t i = 0; i < dataset->n_rows; i++) {
        double value;
        mxb__column_read(dataset, column, i, 1, &value);
        hash = hash_bytes(hash, &value, sizeof value);
    }
    return hash;
}

static inline uint64_t outcome_hash(const struct outcome *outcome) {
    uint64_t hash = 0xCBF29CE484222325u;
    const mxb_dataset *dataset = outcome->dataset;
    for (size_t f = 0; dataset != NULL && f < dataset->n_columns; f++) {
        hash = hash_column(hash, dataset, &dataset->columns[f]);
    }
    if (dataset != NULL && dataset->label.data != NULL) {
        hash = hash_column(hash, dataset, &dataset->label);
    }
    if (outcome->model != NULL) {
        void *bytes;
        size_t n;
        if (mxb_model_to_bytes(outcome->model, &bytes, &n, NULL) != MXB_OK) {
            check_failed(__FILE__, __LINE__, "the model has no bytes");
            return 0;
        }
        hash = hash_bytes(hash, bytes, n);
        mxb_bytes_free(bytes);
    }
    hash = hash_bytes(hash, outcome->bytes, outcome->n_bytes);
    return hash_bytes(hash, outcome->values, sizeof outcome->values);
}

static inline void outcome_clear(struct outcome *outcome) {
    mxb_bytes_free(outcome->bytes);
    mxb_model_free(outcome->model);
    mxb_params_free(outcome->params);
    mxb_prepared_free(outcome->prepared);
    mxb_dataset_free(outcome->dataset);
    mxb_table_free(outcome->table);
    *outcome = (struct outcome){0};
}

/* Of a save to `path` that failed and could not remove it; returns how many there were. */
static inline int outcome_remove_temporary(const char *path) {
    char name[64];
    snprintf(name, sizeof name, "%s.tmp%ld-0", path, (long)getpid());
    return unlink(name) == 0;
}

#endif
