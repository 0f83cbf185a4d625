/* Rows, settings and plans for tests of folds. */
#ifndef MAKE_FOLDS_H
#define MAKE_FOLDS_H

#include "tune/fold_data.h"
#include "unit/tune/make_search.h"

enum { N_ROWS = 211 };

/* Rows whose first feature is their number. */
static inline struct made_data numbered(size_t n_rows, int two_classes) {
    struct made_data data = data_make(
        (struct data_recipe){.n_rows = n_rows, .n_features = 3, .seed = 8, .two_classes = two_classes, .weighted = 1});
    for (size_t i = 0; i < n_rows; i++) {
        data.x[i] = (double)i;
    }
    return data;
}

static inline struct settings settings_of(const char *const *pairs) {
    struct settings settings;
    mxb__settings_init(&settings);
    for (; *pairs != NULL; pairs += 2) {
        CHECK_INT(mxb__settings_set(&settings, pairs[0], pairs[1], NULL), MXB_OK);
    }
    return settings;
}

#define SETTINGS(...) settings_of((const char *const[]){__VA_ARGS__, NULL})

static inline struct plan plan_of(const struct settings *settings) {
    struct plan plan = {0};
    CHECK_INT(mxb__plan_make(&plan, 1000, mxb__setting_count(settings, SETTING_ETA),
                             settings->values[SETTING_MIN_RESOURCE], 2, NULL),
              MXB_OK);
    return plan;
}

#endif
