/* Writes what tests/golden lacks: rows, models of every kind that a file can hold, and their predictions. A file that
 * is there stays as it is. Run by hand when there is something new that a file can hold; SHA256SUMS lists what it
 * wrote. */
#include "golden/golden.h"
#include "golden/golden_own.h"
#include "golden/made_models.h"

#define SMALL "num_round=8 max_max_depth=4 n_components=4 learning_rate=0.3 "

enum label { NUMBER, SIGN, WORD };

static const struct recipe {
    const char *name;
    enum label label;
    int with_names;
    int with_valid;
    const char *options; /* name=value, blanks between them */
} RECIPES[] = {
    {"trees", NUMBER, 1, 0, SMALL "tree_probability=1 symmetric_probability=0"},
    {"symmetric", NUMBER, 0, 0, SMALL "tree_probability=1 symmetric_probability=1 symmetric_depth=3"},
    {"exact", NUMBER, 1, 1, SMALL "tree_probability=1 use_histograms=false num_round=20 early_stopping_rounds=3"},
    {"rank", NUMBER, 1, 0, SMALL "tree_probability=0.5 fourier_scaling=rank"},
    {"bounded", NUMBER, 1, 0, SMALL "tree_probability=0.5 fourier_scaling=standard fourier_linear=true"},
    {"none", NUMBER, 0, 0, SMALL "tree_probability=0 fourier_scaling=none gamma=0.1 n_projections=1 n_components=19"},
    {"logloss", SIGN, 1, 0, SMALL "objective=logloss tree_probability=0.7 n_projections=2"},
    {"words", WORD, 1, 0, SMALL "objective=logloss tree_probability=1"},
    {"members", NUMBER, 1, 0, SMALL "n_members=3 tree_probability=0.6"},
    {"own", NUMBER, 1, 0, SMALL "tree_probability=0.6"},
    {"defaults", NUMBER, 1, 0, "num_round=30"},
    {"paper", SIGN, 1, 0, "preset=paper objective=logloss num_round=12"},
    {"judged", WORD, 0, 1, SMALL "objective=logloss tree_probability=0.7 early_stopping_rounds=0 n_members=2"},
};

static const struct {
    const char *name;
    mxb_model *(*make)(void);
} MADE[] = {
    {"example", made_example},   {"constant", made_constant},         {"repaired", made_repaired},
    {"deep", made_deep},         {"extreme", made_extreme},           {"unmet", made_unmet},
    {"own_loss", made_own_loss}, {"own_stranger", made_own_stranger}, {"left_out", made_left_out},
};

enum { N_RECIPES = sizeof RECIPES / sizeof RECIPES[0], N_MADE = sizeof MADE / sizeof MADE[0] };

static mxb_error error;

static void must(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "make_golden: %s\n", error.message);
        exit(1);
    }
}

static int exists(const char *name, const char *suffix) {
    char file[64];
    snprintf(file, sizeof file, "%s%s", name, suffix);
    FILE *stream = golden_open(file, "r");
    if (stream != NULL) {
        fclose(stream);
    }
    return stream != NULL;
}

static FILE *create(const char *file) {
    FILE *stream = golden_open(file, "w");
    if (stream == NULL) {
        fprintf(stderr, "make_golden: cannot write %s\n", file);
        exit(1);
    }
    return stream;
}

/* ---- Rows ---- */

static uint64_t state = 1;

static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static void put_number(FILE *file, double number, int is_missing) {
    if (!is_missing) {
        fprintf(file, "%.3f", number);
    }
    fputc(',', file);
}

/* Some values are missing, which tells something of the label. A row of Paris weighs nothing, so models do not know
 * that town. */
static void write_rows(void) {
    FILE *file = create("rows.csv");
    fprintf(file, "height,width,count,town,weight,number,sign,word\n");
    for (int i = 0; i < GOLDEN_ROWS; i++) {
        double height = 6 * uniform() - 3, width = 2 * uniform();
        int count = (int)(5 * uniform()), town = (int)(4 * uniform());
        int no_width = uniform() < 0.2;
        double number = 0.7 * height + (no_width ? 4 : width > 1) - 0.3 * count + (town == 2) + 0.3 * uniform();
        int likely = number + uniform() > 0.5;
        put_number(file, height, uniform() < 0.1);
        put_number(file, width, no_width);
        fprintf(file, "%d,%s,", count, uniform() < 0.1 ? "" : GOLDEN_TOWNS[town]);
        put_number(file, town == 1 ? 0 : 0.2 + uniform(), 0);
        fprintf(file, "%.3f,%s,%s\n", number, likely ? "2" : "-1", GOLDEN_WORDS[likely]);
    }
    fclose(file);
}

/* ---- Models ---- */

static mxb_params *params_of(const struct recipe *recipe) {
    char options[256];
    mxb_params *params;
    snprintf(options, sizeof options, "%s", recipe->options);
    must(mxb_params_create(&params, &error));
    for (char *option = strtok(options, " "); option != NULL; option = strtok(NULL, " ")) {
        char *value = strchr(option, '=');
        *value++ = '\0';
        must(mxb_params_set(params, option, value, &error));
    }
    if (strcmp(recipe->name, "own") == 0) {
        must(golden_add_own(params, &error));
    }
    return params;
}

static void set_label(mxb_dataset *data, const struct golden_rows *rows, enum label label) {
    must(mxb_dataset_set_weight(data, rows->weight, sizeof(double), MXB_FLOAT64, &error));
    must(label == NUMBER ? mxb_dataset_set_label(data, rows->number, sizeof(double), MXB_FLOAT64, &error)
         : label == SIGN ? mxb_dataset_set_label(data, rows->sign, sizeof(double), MXB_FLOAT64, &error)
                         : mxb_dataset_set_text_label(data, rows->word, 1, MXB_INT8, GOLDEN_WORDS, 2, &error));
}

static mxb_model *train(const struct recipe *recipe, const mxb_dataset *data) {
    mxb_params *params = params_of(recipe);
    mxb_dataset *fit = NULL, *valid = NULL;
    mxb_model *model;
    if (recipe->with_valid) {
        must(mxb_dataset_split(data, 0.3, 0, 1, &fit, &valid, &error));
    }
    must(mxb_train(fit == NULL ? data : fit, valid, params, NULL, NULL, &model, &error));
    mxb_dataset_free(fit);
    mxb_dataset_free(valid);
    mxb_params_free(params);
    return model;
}

static mxb_model *train_new(const struct recipe *recipe, const struct golden_rows *rows) {
    mxb_dataset *data = golden_view(rows, GOLDEN_FEATURES, recipe->with_names ? GOLDEN_NAMES : NULL);
    set_label(data, rows, recipe->label);
    mxb_model *model = train(recipe, data);
    mxb_dataset_free(data);
    return model;
}

/* Frees the model. */
static void save(mxb_model *model, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.mxb", GOLDEN_FOLDER, name);
    must(mxb_model_save(model, path, &error));
    mxb_model_free(model);
}

/* ---- Predictions ---- */

static void write_predictions(const char *name, const struct golden_rows *rows) {
    char path[4096];
    mxb_params *own;
    mxb_model *model;
    struct golden_predictions predictions;
    must(mxb_params_create(&own, &error));
    must(golden_add_own(own, &error));
    snprintf(path, sizeof path, "%s/%s.mxb", GOLDEN_FOLDER, name);
    must(mxb_model_load_with(path, own, &model, &error));
    mxb_dataset *data = golden_view_for(rows, model);
    if (golden_predict(model, data, 1, &predictions, &error) == MXB_OK) {
        char file_name[64];
        snprintf(file_name, sizeof file_name, "%s.csv", name);
        FILE *file = create(file_name);
        fprintf(file, "raw,linked\n");
        for (size_t i = 0; i < GOLDEN_ROWS; i++) {
            fprintf(file, "%.17g,%.17g\n", predictions.raw[i], predictions.linked[i]);
        }
        fclose(file);
    } else {
        printf("%s has no predictions: %s\n", name, error.message);
    }
    mxb_dataset_free(data);
    mxb_model_free(model);
    mxb_params_free(own);
}

int main(void) {
    static struct golden_rows rows;
    if (!exists("rows", ".csv")) {
        write_rows();
    }
    if (!golden_read_rows(&rows)) {
        return 1;
    }
    for (size_t k = 0; k < N_RECIPES + N_MADE; k++) {
        const char *name = k < N_RECIPES ? RECIPES[k].name : MADE[k - N_RECIPES].name;
        if (!exists(name, ".mxb")) {
            save(k < N_RECIPES ? train_new(&RECIPES[k], &rows) : MADE[k - N_RECIPES].make(), name);
        }
        if (!exists(name, ".csv")) {
            write_predictions(name, &rows);
        }
    }
    return 0;
}
