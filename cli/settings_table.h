/* Configurations side by side, on standard output: a row for each option in which they differ. */
#ifndef CLI_SETTINGS_TABLE_H
#define CLI_SETTINGS_TABLE_H

#include <stddef.h>

#include "mixboost/tune.h"
#include "text.h"

enum { SETTINGS_TABLE_MAX = 5 }; /* configurations that have room beside each other */

/* A row above the settings: what the configurations are called, or what became of them. */
struct settings_head {
    const char *name;
    char texts[SETTINGS_TABLE_MAX][TEXT_NUMBER_SIZE];
};

/** Prints `n` (at most SETTINGS_TABLE_MAX) configurations of the space: the heads, the rounds, the settings. */
void settings_table_print(const mxb_space *space, mxb_params *const *configs, size_t n,
                          const struct settings_head *heads, size_t n_heads);

#endif
