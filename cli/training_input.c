/* Options of a command line, handed to the library. */
#include "training_input.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "mixboost/tune.h"

int training_input_options(const struct arguments *arguments, mxb_params **params) {
    mxb_error error;
    mxb_status status = mxb_params_create(params, &error);
    for (size_t i = 0; status == MXB_OK && i < mxb_option_count(); i++) {
        const char *value = arguments_option(arguments, i);
        if (value != NULL) {
            status = mxb_params_set(*params, mxb_option_name(i), value, &error);
        }
    }
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

int training_input_check(const mxb_params *params) {
    mxb_error error;
    mxb_status status = mxb_params_check(params, &error);
    return status == MXB_OK ? EXIT_DONE : fail_status(status, &error);
}

int training_input_has_classes(const mxb_params *params) {
    return strcmp(mxb_params_get(params, "objective"), "logloss") == 0;
}

const char *training_input_metric(const mxb_params *params) {
    return training_input_has_classes(params) ? "logloss" : "rmse";
}

int training_input_n_threads(const mxb_params *params) {
    return (int)strtod(mxb_params_get(params, "n_threads"), NULL);
}

uint64_t training_input_seed(const mxb_params *params) {
    return (uint64_t)strtod(mxb_params_get(params, "random_state"), NULL);
}
