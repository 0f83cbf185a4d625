/* Lays configurations out in columns. Knows nothing of where they come from. */
#include "settings_table.h"

#include <stdio.h>
#include <string.h>

#include "columns.h"
#include "tuning_text.h"

enum { NAME_WIDTH = 21, VALUE_WIDTH = 13 };

static void print_values(const char *name, const char *const *values, size_t n) {
    char padded[SETTINGS_TABLE_MAX][64];
    struct cell cells[1 + SETTINGS_TABLE_MAX] = {{name, NAME_WIDTH}};
    for (size_t i = 0; i < n; i++) {
        snprintf(padded[i], sizeof padded[i], "%*s", VALUE_WIDTH, values[i]);
        cells[1 + i] = (struct cell){padded[i], VALUE_WIDTH};
    }
    columns_print(cells, 1 + n);
}

static void print_option(const char *name, const char *option, mxb_params *const *configs, size_t n) {
    const char *values[SETTINGS_TABLE_MAX];
    for (size_t i = 0; i < n; i++) {
        values[i] = mxb_params_get(configs[i], option);
    }
    print_values(name, values, n);
}

void settings_table_print(const mxb_space *space, mxb_params *const *configs, size_t n,
                          const struct settings_head *heads, size_t n_heads) {
    for (size_t row = 0; row < n_heads; row++) {
        const char *values[SETTINGS_TABLE_MAX];
        for (size_t i = 0; i < n; i++) {
            values[i] = heads[row].texts[i];
        }
        print_values(heads[row].name, values, n);
    }
    print_option("rounds", "num_round", configs, n);
    for (size_t i = 0; i < mxb_space_n_options(space); i++) {
        const char *option = mxb_space_option(space, i);
        if (tuning_is_drawn(space, i) && strcmp(option, "num_round") != 0) {
            print_option(option, option, configs, n);
        }
    }
}
