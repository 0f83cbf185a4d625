/* CSV files as the commands need them: where the program meets the library's tables. */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "arguments.h"
#include "mixboost/mixboost.h"

/* The features that a file must have, as a model or another file has them. */
struct features {
    size_t n;
    const char **names; /* [n]; an entry is NULL where they have no names */
    /* Those that hold text, which a file of few rows may not show, and a label that does. */
    size_t n_text;
    const char **text_names;   /* [n_text]; likewise */
    const char **text_numbers; /* [n_text] their columns in a file without header, counted from 1 */
    char (*numbers)[24];       /* what these point into */
};

/** Makes room for n features and a label. Returns EXIT_DONE, or an exit code after the sentence. */
int features_init(struct features *features, size_t n);

/** Marks a column as text. `number` 0: not known. */
void features_add_text(struct features *features, const char *name, size_t number);

/** The features of a model, in a file that has nothing else if it has no header. As features_init. */
int features_of_model(struct features *features, const mxb_model *model);
void features_clear(struct features *features);

/** Reads the CSV file at `path` as the flag --header says; `features` NULL: whatever it has. Returns EXIT_DONE, or an
 *  exit code after the sentence. */
int source_read(const char *path, const struct arguments *arguments, const struct features *features, int n_threads,
                mxb_table **table);

/** Reports what the writer of the file DATA.csv may have meant otherwise: data taken for names, and a typing error that
 * makes text of a column of numbers. */
void source_report_oddities(const mxb_table *table, const struct arguments *arguments);

/** Says so if --header has a value it cannot have; for complaining before any work is done. */
int source_check_header(const struct arguments *arguments);

/** Loads a model from a file, which cannot be standard input. Returns EXIT_DONE, or an exit code after the sentence. */
int source_load_model(const char *path, mxb_model **model);

/* The flag of source_read, for the commands that have it. */
#define SOURCE_HEADER_FLAG                                                                  \
    {                                                                                       \
        "header", "auto|yes|no",                                                            \
            "Whether the first line names the columns; auto (the default): it does if one " \
            "of its fields is not a number.",                                               \
            0                                                                               \
    }

#endif
