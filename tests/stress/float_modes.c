/* What a caller has set its processor to: after every kind of call it is as it was, and a process that takes denormal
 * numbers for 0, or has the x87 round to fewer digits, gets the same bytes, unless such numbers are in its data: then
 * it still gets finite ones.
 *
 *     float_modes */
#define _XOPEN_SOURCE 700
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "stress/extreme_data.h"
#include "unit/boost/train_data.h"

#if defined(__x86_64__)

enum { FLAGS = 0x3f /* of MXCSR: what happened, not what shall */ };

struct mode {
    const char *name;
    unsigned mxcsr;   /* bits put to those of a fresh process */
    unsigned control; /* of the x87, bits taken away */
};

static const struct mode MODES[] = {{"as it comes", 0, 0},
                                    {"results that are denormal are 0 (FTZ)", 0x8000, 0},
                                    {"operands that are denormal are 0 (DAZ)", 0x0040, 0},
                                    {"both", 0x8040, 0},
                                    {"the x87 rounds to 24 digits", 0, 0x0300}};

enum { N_MODES = sizeof MODES / sizeof MODES[0] };

static const char *const OPTIONS[][16] = {
    {"num_round", "8", "tree_probability", "0.5", "n_components", "16", "n_threads", "3", NULL},
    {"num_round", "8", "tree_probability", "1", "use_histograms", "false", "n_threads", "3", NULL},
    {"num_round", "8", "tree_probability", "1", "symmetric_probability", "0.5", "n_threads", "3", NULL},
    {"num_round", "8", "tree_probability", "0", "n_components", "16", "fourier_scaling", "none", "n_threads", "3",
     NULL}};

enum { N_OPTION_SETS = sizeof OPTIONS / sizeof OPTIONS[0] };

static size_t n_same, n_finite, n_changed_modes;
static char path[] = "/tmp/mixboost-test-XXXXXX";

/* ---- what the processor is set to ---- */

struct control {
    unsigned mxcsr;
    uint16_t x87;
};

static struct control get_control(void) {
    struct control control;
    __asm__ volatile("fnstcw %0" : "=m"(control.x87));
    control.mxcsr = __builtin_ia32_stmxcsr();
    return control;
}

static void set_control(struct control control) {
    __asm__ volatile("fldcw %0" : : "m"(control.x87));
    __builtin_ia32_ldmxcsr(control.mxcsr);
}

static struct control control_of(const struct mode *mode, struct control fresh) {
    return (struct control){fresh.mxcsr | mode->mxcsr, (uint16_t)(fresh.x87 & ~mode->control)};
}

static void check_untouched(struct control was) {
    struct control is = get_control();
    int same = (is.mxcsr & ~(unsigned)FLAGS) == (was.mxcsr & ~(unsigned)FLAGS) && is.x87 == was.x87;
    CHECK(same);
    n_changed_modes += !same;
}

/* ---- every kind of call ---- */

/* What a training and its model gave. */
struct results {
    struct model_bytes bytes;
    double *predictions;
};

static void results_clear(struct results *results) {
    mxb_bytes_free(results->bytes.bytes);
    free(results->predictions);
}

/* What is asked of a model beside predictions of a dataset. */
static void use_in_mode(const mxb_model *model, const struct made_data *data, struct control control) {
    double metric, *numbers = calloc(data->n_rows + data->n_features, sizeof *numbers);
    char *json = NULL;
    size_t n_bytes;
    mxb_stages *stages = NULL;
    CHECK_INT(mxb_model_evaluate(model, data->dataset, 2, &metric, NULL), MXB_OK);
    check_untouched(control);
    CHECK_INT(mxb_model_importance(model, MXB_IMPORTANCE_FOURIER, numbers, NULL), MXB_OK);
    check_untouched(control);
    CHECK_INT(mxb_model_to_json(model, &json, &n_bytes, NULL), MXB_OK);
    check_untouched(control);
    CHECK_INT(mxb_model_predict_rows(model, numbers, 1, data->n_features, MXB_PREDICT_RAW, &metric, NULL), MXB_OK);
    check_untouched(control);
    CHECK_INT(mxb_stages_create(model, data->dataset, 2, &stages, NULL), MXB_OK);
    CHECK_INT(mxb_stages_next(stages, MXB_PREDICT_RAW, numbers, NULL), MXB_OK);
    check_untouched(control);
    mxb_stages_free(stages);
    mxb_bytes_free(json);
    free(numbers);
}

/* All in one mode; the processor is asked after each call. */
static struct results results_in(const struct mode *mode, struct control fresh, const struct made_data *data,
                                 const mxb_params *params) {
    struct control control = control_of(mode, fresh);
    struct results results = {{NULL, 0}, NULL};
    mxb_model *loaded = NULL;
    set_control(control);
    mxb_model *model = train(data, params);
    check_untouched(control);
    CHECK_INT(mxb_model_save(model, path, NULL), MXB_OK);
    check_untouched(control);
    CHECK_INT(mxb_model_load(path, &loaded, NULL), MXB_OK);
    check_untouched(control);
    if (loaded != NULL) {
        results.predictions = predict(loaded, data);
        check_untouched(control);
        use_in_mode(loaded, data, control);
        results.bytes = bytes_of(loaded);
    }
    set_control(fresh);
    mxb_model_free(model);
    mxb_model_free(loaded);
    return results;
}

static int has_same(const struct results *one, const struct results *other, size_t n_rows) {
    return same_bytes(one->bytes, other->bytes) && one->predictions != NULL && other->predictions != NULL &&
           memcmp(one->predictions, other->predictions, n_rows * sizeof(double)) == 0;
}

static int are_finite(const struct results *results, size_t n_rows) {
    int finite = results->predictions != NULL;
    for (size_t i = 0; finite && i < n_rows; i++) {
        finite = isfinite(results->predictions[i]) != 0;
    }
    return finite;
}

static void try_modes(const struct made_data *data, const mxb_params *params, int has_denormals, const char *name) {
    struct control fresh = get_control();
    struct results expected = results_in(&MODES[0], fresh, data, params);
    for (size_t m = 1; m < N_MODES; m++) {
        struct results results = results_in(&MODES[m], fresh, data, params);
        int same = has_same(&results, &expected, data->n_rows);
        n_same += (size_t)same;
        n_finite += !same;
        if (!are_finite(&results, data->n_rows) || (!same && (!has_denormals || MODES[m].mxcsr == 0))) {
            fprintf(stderr, "%s: ", name);
            check_failed(__FILE__, __LINE__, MODES[m].name);
        }
        results_clear(&results);
    }
    results_clear(&expected);
}

static void ordinary_data(void) {
    static const size_t n_rows[] = {300, 20000}; /* sums of few rows, and packed ones */
    for (int kind = 0; kind < 4 * N_OPTION_SETS; kind++) {
        int two_classes = kind & 1, odd = kind >> 1 & 1;
        mxb_params *params = params_of(OPTIONS[kind / 4]);
        CHECK_INT(mxb_params_set(params, "objective", two_classes ? "logloss" : "mse", NULL), MXB_OK);
        for (int i = 0; i < 2; i++) {
            struct made_data data = data_make((struct data_recipe){.n_rows = n_rows[i],
                                                                   .n_features = 6,
                                                                   .seed = 3,
                                                                   .missing = 0.1,
                                                                   .two_classes = two_classes,
                                                                   .weighted = odd,
                                                                   .wild = odd});
            try_modes(&data, params, 0, "ordinary data");
            data_clear(&data);
        }
        mxb_params_free(params);
    }
}

/* Which of these work with denormal numbers: columns and labels that are, and labels whose digits are. */
static int has_denormals(const struct example *example, int two_classes) {
    return strcmp(example->name, "denormal values") == 0 ||
           (!two_classes && example->label > 0.0 && example->label <= 1e-300);
}

static void numbers_at_their_ends(void) {
    for (size_t e = 0; e < sizeof EXAMPLES / sizeof EXAMPLES[0]; e++) {
        const struct example *example = &EXAMPLES[e];
        for (int kind = 0; kind < 2 * N_OPTION_SETS; kind++) {
            int two_classes = kind & 1;
            if (example->n_columns == MANY_COLUMNS || (two_classes && example->n_rows == 1)) {
                continue;
            }
            struct made_data data = extreme_data(example, two_classes);
            mxb_params *params = params_of(OPTIONS[kind / 2]);
            CHECK_INT(mxb_params_set(params, "objective", two_classes ? "logloss" : "mse", NULL), MXB_OK);
            try_modes(&data, params, has_denormals(example, two_classes), example->name);
            mxb_params_free(params);
            data_clear(&data);
        }
    }
}

static void run(void) {
    RUN(ordinary_data);
    RUN(numbers_at_their_ends);
}

#else

static size_t n_same, n_finite, n_changed_modes;
static char path[] = "/tmp/mixboost-test-XXXXXX";
static void run(void) {}

#endif

int main(void) {
    int file = mkstemp(path);
    if (file < 0) {
        fprintf(stderr, "cannot make %s\n", path);
        return 1;
    }
    close(file);
    run();
    unlink(path);
    printf("%zu trainings with the same bytes, %zu of denormal numbers finite, %zu calls that left another mode\n",
           n_same, n_finite, n_changed_modes);
    return check_report();
}
