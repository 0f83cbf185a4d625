/* Models that wait: what is put in comes out, within the budget; from several threads; without memory. */
#include "tune/kept_models.h"

#include <pthread.h>

#include "base/memory.h"
#include "unit/boost/make_own.h"
#include "unit/tune/make_search.h"

enum { N_CONFIGS = 5, N_FOLDS = 3, N_MODELS = 3 };

static mxb_error error;
static struct made_data data;
static mxb_params *params;
static mxb_model *models[N_MODELS]; /* of more and more rounds */
static size_t sizes[N_MODELS];

static mxb_trial trial_of(size_t config, size_t fold) {
    return (mxb_trial){.stage = 1, .config = config, .fold = fold};
}

static void put(struct kept_models *kept, size_t config, size_t fold, size_t model) {
    mxb_trial trial = trial_of(config, fold);
    mxb__kept_models_put(kept, &trial, models[model]);
}

/* Whether this model is kept there, or none for N_MODELS. */
static int has(struct kept_models *kept, size_t config, size_t fold, size_t model) {
    mxb_model *found = NULL;
    mxb_trial trial = trial_of(config, fold);
    mxb_status status = mxb__kept_models_get(kept, &trial, params, &found, &error);
    int as_wanted = model == N_MODELS ? found == NULL : same_models(found, models[model]);
    mxb_model_free(found);
    return status == MXB_OK && as_wanted;
}

static void what_is_put_in_comes_out(void) {
    struct kept_models kept;
    OK(mxb__kept_models_init(&kept, N_CONFIGS, N_FOLDS, 1 << 20, &error), error);
    for (size_t i = 0; i < N_CONFIGS * N_FOLDS; i++) {
        CHECK(has(&kept, i / N_FOLDS, i % N_FOLDS, N_MODELS));
    }
    for (size_t i = 0; i < N_CONFIGS * N_FOLDS; i++) {
        put(&kept, i / N_FOLDS, i % N_FOLDS, i % 2);
    }
    for (size_t i = 0; i < N_CONFIGS * N_FOLDS; i++) {
        CHECK(has(&kept, i / N_FOLDS, i % N_FOLDS, i % 2));
        CHECK(has(&kept, i / N_FOLDS, i % N_FOLDS, i % 2)); /* it stays there */
    }
    put(&kept, 3, 1, 2);
    CHECK(has(&kept, 3, 1, 2));
    mxb__kept_models_drop(&kept, 3);
    for (size_t i = 0; i < N_CONFIGS * N_FOLDS; i++) {
        CHECK(has(&kept, i / N_FOLDS, i % N_FOLDS, i / N_FOLDS == 3 ? N_MODELS : i % 2));
    }
    mxb__kept_models_clear(&kept);
}

static void the_budget_holds(void) {
    struct kept_models kept;
    size_t budget = sizes[0] + sizes[1];
    OK(mxb__kept_models_init(&kept, N_CONFIGS, N_FOLDS, budget, &error), error);
    put(&kept, 0, 0, 0);
    put(&kept, 1, 2, 1); /* to the last byte */
    CHECK_INT(kept.n_bytes, budget);
    put(&kept, 2, 1, 0);
    CHECK(has(&kept, 0, 0, 0) && has(&kept, 1, 2, 1) && has(&kept, 2, 1, N_MODELS));
    put(&kept, 0, 0, 1); /* larger than what it replaces */
    CHECK(has(&kept, 0, 0, N_MODELS));
    CHECK_INT(kept.n_bytes, sizes[1]);
    put(&kept, 2, 1, 0); /* in the room left by it */
    CHECK(has(&kept, 2, 1, 0));
    put(&kept, 1, 2, 1); /* in its own room */
    CHECK(has(&kept, 1, 2, 1));
    mxb__kept_models_drop(&kept, 1);
    CHECK_INT(kept.n_bytes, sizes[0]);
    mxb__kept_models_drop(&kept, 1);
    CHECK_INT(kept.n_bytes, sizes[0]);
    mxb__kept_models_clear(&kept);
    OK(mxb__kept_models_init(&kept, N_CONFIGS, N_FOLDS, 0, &error), error);
    put(&kept, 0, 0, 0);
    CHECK(has(&kept, 0, 0, N_MODELS) && kept.n_bytes == 0);
    mxb__kept_models_clear(&kept);
}

/* One that can be saved is kept, and read with the learner; the other has no bytes. */
static void learners_of_ones_own(void) {
    for (int with_files = 0; with_files <= 1; with_files++) {
        struct kept_models kept;
        struct line_learner lines = {0};
        mxb_params *own = PARAMS("num_round", "4", "n_threads", "1");
        mxb_model *model;
        mxb_model *found;
        mxb_trial trial = trial_of(1, 1);
        REQUIRE(own != NULL && line_learner_add(own, &lines, "line", with_files, 0.9));
        OK(mxb_train(data.dataset, NULL, own, NULL, NULL, &model, &error), error);
        OK(mxb__kept_models_init(&kept, N_CONFIGS, N_FOLDS, 1 << 20, &error), error);
        mxb__kept_models_put(&kept, &trial, model);
        OK(mxb__kept_models_get(&kept, &trial, own, &found, &error), error);
        CHECK(with_files ? same_models(model, found) : found == NULL);
        if (with_files) { /* with the learner's functions */
            double values[50];
            OK(mxb_model_predict(found, data.dataset, MXB_PREDICT_RAW, 1, values, &error), error);
        }
        mxb_model_free(found);
        mxb_model_free(model);
        mxb__kept_models_clear(&kept);
        mxb_params_free(own);
        CHECK_INT(lines.n_live, 0);
    }
}

static void out_of_memory(void) {
    struct kept_models kept;
    mxb_model *found = NULL;
    mxb_trial trial = trial_of(0, 1);
    mxb__memory_fail_at(1, 1);
    FAILS(mxb__kept_models_init(&kept, N_CONFIGS, N_FOLDS, 1 << 20, &error), error, MXB_ERROR_MEMORY,
          "out of memory: 240 bytes for models that wait");
    mxb__memory_fail_at(0, 0);
    OK(mxb__kept_models_init(&kept, N_CONFIGS, N_FOLDS, 1 << 20, &error), error);
    put(&kept, 0, 1, 0);
    mxb__memory_fail_at(1, 1);
    put(&kept, 0, 0, 0);
    CHECK_INT(mxb__kept_models_get(&kept, &trial, params, &found, &error), MXB_ERROR_MEMORY);
    CHECK(found == NULL && strncmp(error.message, "out of memory", 13) == 0);
    mxb__memory_fail_at(0, 0);
    CHECK(has(&kept, 0, 0, N_MODELS) && has(&kept, 0, 1, 0));
    mxb__kept_models_clear(&kept);
}

/* ---- several threads ---- */

struct shared {
    struct kept_models kept;
    size_t thread;
    struct shared *all;
};

/* Each has a fold of its own; the budget is everybody's. */
static void *put_and_get(void *argument) {
    const struct shared *own = argument;
    struct kept_models *kept = &own->all->kept;
    struct dice dice = {own->thread};
    for (size_t i = 0; i < 200; i++) {
        mxb_trial trial = trial_of(dice_below(&dice, N_CONFIGS), own->thread);
        size_t model = dice_below(&dice, N_MODELS);
        mxb_model *found = NULL;
        mxb_error said;
        mxb__kept_models_put(kept, &trial, models[model]);
        if (mxb__kept_models_get(kept, &trial, params, &found, &said) != MXB_OK ||
            (found != NULL && mxb_model_n_rounds(found) != mxb_model_n_rounds(models[model]))) {
            mxb_model_free(found);
            return argument;
        }
        mxb_model_free(found);
    }
    return NULL;
}

static void several_threads_share_it(void) {
    struct shared shared[N_FOLDS];
    pthread_t threads[N_FOLDS];
    OK(mxb__kept_models_init(&shared[0].kept, N_CONFIGS, N_FOLDS, 4 * sizes[1], &error), error);
    for (size_t i = 0; i < N_FOLDS; i++) {
        shared[i].thread = i;
        shared[i].all = shared;
        REQUIRE(pthread_create(&threads[i], NULL, put_and_get, &shared[i]) == 0);
    }
    for (size_t i = 0; i < N_FOLDS; i++) {
        void *bad = NULL;
        pthread_join(threads[i], &bad);
        CHECK(bad == NULL);
    }
    size_t n_bytes = 0;
    for (size_t i = 0; i < shared[0].kept.n; i++) {
        n_bytes += shared[0].kept.models[i].n_bytes;
    }
    CHECK_INT(shared[0].kept.n_bytes, n_bytes);
    CHECK(n_bytes <= 4 * sizes[1]);
    mxb__kept_models_clear(&shared[0].kept);
}

int main(void) {
    static const char *const n_rounds[N_MODELS] = {"2", "5", "9"};
    data = data_make((struct data_recipe){.n_rows = 50, .n_features = 2, .seed = 3});
    for (size_t i = 0; i < N_MODELS; i++) {
        params = PARAMS("num_round", n_rounds[i], "n_threads", "1", "n_components", "3", "tree_probability", "0.5");
        if (params == NULL || mxb_train(data.dataset, NULL, params, NULL, NULL, &models[i], &error) != MXB_OK) {
            return 1;
        }
        struct model_bytes bytes = bytes_of(models[i]);
        sizes[i] = bytes.n_bytes;
        mxb_bytes_free(bytes.bytes);
        mxb_params_free(params);
    }
    params = PARAMS("n_threads", "1");
    RUN(what_is_put_in_comes_out);
    RUN(the_budget_holds);
    RUN(learners_of_ones_own);
    RUN(out_of_memory);
    RUN(several_threads_share_it);
    for (size_t i = 0; i < N_MODELS; i++) {
        mxb_model_free(models[i]);
    }
    mxb_params_free(params);
    data_clear(&data);
    return check_report();
}
