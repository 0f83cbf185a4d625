/* Opens what the command line names, and says so when that fails. */
#include "source.h"

#include <string.h>

#include "message.h"

static const struct {
    const char *word;
    mxb_header header;
} headers[] = {{"auto", MXB_HEADER_AUTO}, {"yes", MXB_HEADER_YES}, {"no", MXB_HEADER_NO}};

enum { N_HEADERS = sizeof headers / sizeof *headers };

/* What --header says, or N_HEADERS when it is none of the words. */
static size_t header_index(const struct arguments *arguments) {
    const char *word = arguments_flag(arguments, "header");
    size_t i = 0;
    while (word != NULL && i < N_HEADERS && strcmp(word, headers[i].word) != 0) {
        i++;
    }
    return i;
}

int source_check_header(const struct arguments *arguments) {
    if (header_index(arguments) == N_HEADERS) {
        return fail_usage("--header must be auto, yes or no, not \"%s\"", arguments_flag(arguments, "header"));
    }
    return EXIT_DONE;
}

int source_read(const char *path, const struct arguments *arguments, mxb_table **table) {
    mxb_error error;
    mxb_status status = mxb_table_read_csv(path, headers[header_index(arguments)].header, table, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

int source_load_model(const char *path, mxb_model **model) {
    mxb_error error;
    if (strcmp(path, "-") == 0) {
        return fail_usage("a model cannot be read from standard input; name its file");
    }
    mxb_status status = mxb_model_load(path, model, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}
