/* Step 2 of the data's path: rows known by what they hold. Knows nothing of what the keys are for. */
#include "data/row_keys.h"

#include "base/random.h"
#include "data/sort.h"

void mxb__row_keys(const mxb_dataset *dataset, const struct labels *labels, uint64_t *keys) {
    for (size_t i = 0; i < dataset->n_rows; i++) { /* mixed, so that a label and a value cannot change places */
        keys[i] = mxb__mix64(mxb__sort_key(mxb__label_of(labels, i)));
    }
    for (size_t c = 0; c < dataset->n_columns; c++) {
        const struct column *column = &dataset->columns[c];
        for (size_t i = 0; i < dataset->n_rows; i++) {
            double value = mxb__column_value(column, mxb__dataset_array_row(dataset, i));
            keys[i] = mxb__mix64(keys[i] + mxb__sort_key(value));
        }
    }
}
