/* Writes tests/golden: rows, models of every kind that a file can hold, and their raw predictions. Run by hand once for
 * a version of the format; what it wrote for a released version stays as it is. */
#include "golden/golden.h"
#include "golden/golden_own.h"
#include "unit/model/make_model.h"

enum label { NUMBER, SIGN, WORD };

static const struct recipe {
    const char *name;
    enum label label;
    int with_names;
    const char *options; /* name=value, blanks between them */
} RECIPES[] = {
    {"trees", NUMBER, 1, "tree_probability=1 symmetric_probability=0"},
    {"symmetric", NUMBER, 0, "tree_probability=1 symmetric_probability=1 symmetric_depth=3"},
    {"exact", NUMBER, 1, "tree_probability=1 use_histograms=false num_round=20 early_stopping_rounds=3"},
    {"rank", NUMBER, 1, "tree_probability=0.5 fourier_scaling=rank"},
    {"standard", NUMBER, 1, "tree_probability=0.5 fourier_scaling=standard fourier_linear=true"},
    {"none", NUMBER, 0, "tree_probability=0 fourier_scaling=none gamma=0.1 n_projections=1 n_components=19"},
    {"logloss", SIGN, 1, "objective=logloss tree_probability=0.7 n_projections=2"},
    {"words", WORD, 1, "objective=logloss tree_probability=1"},
    {"members", NUMBER, 1, "n_members=3 tree_probability=0.6"},
    {"own", NUMBER, 1, "tree_probability=0.6"},
};

enum { N_RECIPES = sizeof RECIPES / sizeof RECIPES[0] };

static mxb_error error;

static void must(mxb_status status) {
    if (status != MXB_OK) {
        fprintf(stderr, "make_golden: %s\n", error.message);
        exit(1);
    }
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
    char options[256] = "num_round=8 max_max_depth=4 n_components=4 learning_rate=0.3 ";
    mxb_params *params;
    strcat(options, recipe->options);
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
    if (strcmp(recipe->name, "exact") == 0) {
        must(mxb_dataset_split(data, 0.3, 0, 1, &fit, &valid, &error));
    }
    must(mxb_train(fit == NULL ? data : fit, valid, params, NULL, NULL, &model, &error));
    mxb_dataset_free(fit);
    mxb_dataset_free(valid);
    mxb_params_free(params);
    return model;
}

static void save(const mxb_model *model, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.mxb", GOLDEN_FOLDER, name);
    must(mxb_model_save(model, path, &error));
}

/* ---- The example of docs/model-format.md: one feature, one split ---- */

static void save_example(void) {
    mxb_model *model;
    struct term term = {.kind = TERM_TREE, .n_outputs = 1, .tree = {.n_nodes = 3, .max_depth = 1, .gain = 8}};
    must(mxb__model_create(&model, &error));
    model->loss = MODEL_MSE;
    model->base_score = 0.5;
    model->n_features = 1;
    model->feature_names = make_block(1, sizeof *model->feature_names);
    model->feature_names[0] = make_text("x");
    term.tree.nodes = make_block(3, sizeof *term.tree.nodes);
    term.tree.nodes[0] = (struct tree_node){
        .split = SPLIT_NUMERIC, .value = 1.5, .feature = 0, .left = 1, .missing_left = 1, .share = 1};
    term.tree.nodes[1].value = -2;
    term.tree.nodes[2].value = 3;
    must(mxb__model_add_term(model, &term, &error));
    must(mxb__model_build(model, &error));
    save(model, "example");
    mxb_model_free(model);
}

int main(void) {
    static struct golden_rows rows;
    static double raw[N_RECIPES][GOLDEN_ROWS];
    write_rows();
    if (!golden_read_rows(&rows)) {
        return 1;
    }
    save_example();
    FILE *file = create("raw.csv");
    for (size_t k = 0; k < N_RECIPES; k++) {
        mxb_dataset *data = golden_view(&rows, RECIPES[k].with_names);
        set_label(data, &rows, RECIPES[k].label);
        mxb_model *model = train(&RECIPES[k], data);
        save(model, RECIPES[k].name);
        must(mxb_model_predict(model, data, MXB_PREDICT_RAW, 1, raw[k], &error));
        fprintf(file, "%s%s", RECIPES[k].name, k + 1 < N_RECIPES ? "," : "\n");
        mxb_model_free(model);
        mxb_dataset_free(data);
    }
    for (size_t i = 0; i < GOLDEN_ROWS; i++) {
        for (size_t k = 0; k < N_RECIPES; k++) {
            fprintf(file, "%.17g%s", raw[k][i], k + 1 < N_RECIPES ? "," : "\n");
        }
    }
    fclose(file);
    return 0;
}
