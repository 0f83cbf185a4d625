/* Step 2 of the data's path: rows known by what they hold. Knows nothing of what the keys are for. */
#include "data/row_keys.h"

#include "base/random.h"
#include "data/sort.h"

static uint64_t text_key(const char *text) {
    uint64_t key = 1;
    for (; text != NULL && *text != '\0'; text++) {
        key = mxb__mix64(key ^ (unsigned char)*text);
    }
    return key;
}

void mxb__row_keys(const mxb_dataset *dataset, const struct labels *labels, uint64_t *keys) {
    for (size_t i = 0; i < dataset->n_rows; i++) {
        keys[i] = mxb__sort_key(mxb__label_of(labels, i));
    }
    for (size_t c = 0; c < dataset->n_columns; c++) {
        const struct column *column = &dataset->columns[c];
        for (size_t i = 0; i < dataset->n_rows; i++) {
            uint64_t value = column->texts != NULL
                                 ? text_key(mxb__column_text(dataset, column, i))
                                 : mxb__sort_key(mxb__column_value(column, mxb__dataset_array_row(dataset, i)));
            keys[i] = mxb__mix64(keys[i] + value);
        }
    }
}
