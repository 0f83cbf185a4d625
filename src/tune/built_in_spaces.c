/* The spaces that have names: the paper's two, from its appendix, and ours. */
#include <string.h>

#include "mixboost/tune.h"

/* Logarithms of the paper's tables are powers of ten here. lambda_l2 is printed there as 10^-2 to 10^-2. */
static const char PAPER[] =
    "preset paper\n"
    "num_round 10 1000 integer\n"
    "min_max_depth 1 19 integer\n"
    "max_max_depth 1 19 integer\n"
    "learning_rate 0.0031622776601683795 0.1 log10\n"
    "subsample 0.5 1 linear\n"
    "colsample 0.5 1 linear\n"
    "lambda_l2 0.01\n"
    "tree_probability 0.9 1 linear\n"
    "fit_intercept false true choice\n"
    "alpha 0.000001 0.001 log10\n"
    "gamma 0.001 1000 log10\n"
    "n_components 1 100 integer\n"
    "hist_nbins 256\n"
    "early_stopping_rounds 0\n";

static const char PAPER_NODE[] =
    "preset paper\n"
    "num_round 64 2048 integer\n"
    "min_max_depth 1 8 integer\n"
    "max_max_depth 1 8 integer\n"
    "learning_rate 0.001 1 log10\n"
    "subsample 0.5 1 linear\n"
    "colsample 0.5 1 linear\n"
    "lambda_l2 0.01\n"
    "tree_probability 0.9 1 linear\n"
    "fit_intercept false true choice\n"
    "alpha 0.000001 1000 log10\n"
    "gamma 0.001 1000 log10\n"
    "n_components 1 100 integer\n"
    "hist_nbins 256\n"
    "early_stopping_rounds 0\n";

static const char DEFAULT[] =
    "defaults\n"
    "learning_rate 0.015 0.15 log10\n"
    "max_max_depth 4 12 integer\n"
    "symmetric_probability 0.2 1 linear\n"
    "subsample 0.5 1 linear\n"
    "colsample 0.5 1 linear\n"
    "lambda_l2 0.03 10 log10\n"
    "min_child_weight 0.001 3 log10\n"
    "tree_probability 0.3 0.95 linear\n"
    "alpha 0.0001 1 log10\n"
    "fourier_scaling rank standard choice\n"
    "fourier_linear false true choice\n"
    "split_noise 0 0.5 linear\n"
    "split_prior 0 0.1 0.25 choice\n";

const char *mxb_space_built_in(const char *name) {
    static const struct {
        const char *name;
        const char *text;
    } spaces[] = {{"default", DEFAULT}, {"paper", PAPER}, {"paper-node", PAPER_NODE}};
    for (size_t i = 0; name != NULL && i < sizeof spaces / sizeof spaces[0]; i++) {
        if (strcmp(spaces[i].name, name) == 0) {
            return spaces[i].text;
        }
    }
    return NULL;
}
