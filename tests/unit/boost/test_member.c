/* Trainings of several members: each is what a training of its seed alone would be, and the model is their mean. */
#include "boost/trainer.h"

#include "boost/schedule.h"
#include "data/dataset.h"
#include "unit/boost/own_case.h"
#include "unit/boost/train_data.h"

enum { N_MEMBERS = 3, N_ROUNDS = 24 };

/* A training set, a validation set, and options for trees and fourier rounds on them. */
struct world {
    struct made_data train;
    struct made_data valid;
    mxb_params *params;
};

static int set(mxb_params *params, const char *name, const char *value) {
    return mxb_params_set(params, name, value, NULL) == MXB_OK;
}

static int set_count(mxb_params *params, const char *name, uint64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return set(params, name, text);
}

static int world_open(struct world *world, int two_classes, int weighted) {
    struct data_recipe recipe = {
        .n_rows = 400, .n_features = 4, .seed = 3, .missing = 0.1, .two_classes = two_classes, .weighted = weighted};
    *world = (struct world){.train = data_make(recipe)};
    recipe.seed = 4;
    recipe.n_rows = 150;
    world->valid = data_make(recipe);
    world->params = PARAMS("tree_probability", "0.7", "max_max_depth", "4", "n_components", "9", "subsample", "0.7",
                           "random_state", "11", "n_threads", "2");
    return world->params != NULL && set(world->params, "objective", two_classes ? "logloss" : "mse") &&
           set_count(world->params, "n_members", N_MEMBERS) && set_count(world->params, "num_round", N_ROUNDS);
}

static void world_close(struct world *world) {
    data_clear(&world->train);
    data_clear(&world->valid);
    mxb_params_free(world->params);
}

/* A training of member `which` alone. */
static mxb_model *train_alone(const struct world *world, uint32_t which) {
    mxb_params alone = *world->params;
    mxb_model *model = NULL;
    CHECK(set_count(&alone, "random_state", mxb__schedule_seed(world->params, which)) && set(&alone, "n_members", "1"));
    CHECK(set(&alone, "early_stopping_rounds", "0"));
    CHECK_INT(mxb_train(world->train.dataset, NULL, &alone, NULL, NULL, &model, NULL), MXB_OK);
    return model;
}

static mxb_trainer *make_trainer(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params,
                                 const mxb_model *from) {
    mxb_trainer *trainer = NULL;
    mxb_error error;
    mxb_status status = from == NULL ? mxb_trainer_create(prepared, valid, params, &trainer, &error)
                                     : mxb_trainer_create_from(prepared, valid, params, from, &trainer, &error);
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    return trainer;
}

/* ---- what members are ---- */

static void seeds(void) {
    mxb_params *params = PARAMS("random_state", "7");
    REQUIRE(params != NULL);
    CHECK_INT(mxb__schedule_seed(params, 0), 7);
    for (uint32_t m = 0; m < MXB__MAX_MEMBERS; m++) {
        uint64_t seed = mxb__schedule_seed(params, m);
        CHECK(set_count(params, "random_state", seed)); /* a seed that an option can have */
        CHECK(set(params, "random_state", "7"));
        for (uint32_t other = 0; other < m; other++) {
            CHECK(mxb__schedule_seed(params, other) != seed);
        }
    }
    mxb_params_free(params);
}

/* The rounds of member m are, byte for byte, those of a training with its seed. */
static void check_member(const mxb_model *whole, const mxb_model *alone, uint32_t which) {
    mxb_model *part;
    mxb_error error;
    OK(mxb__model_copy_empty(alone, &part, &error), error);
    OK(mxb__members_part(part, whole, which, &error), error);
    if (part->n_projections > 0) {
        OK(mxb__scaling_copy(&part->scaling, &whole->scaling, &error), error);
    }
    struct model_bytes bytes[2] = {bytes_of(part), bytes_of(alone)};
    CHECK(same_bytes(bytes[0], bytes[1]));
    mxb_bytes_free(bytes[0].bytes);
    mxb_bytes_free(bytes[1].bytes);
    mxb_model_free(part);
}

static void members_are_trainings_of_other_seeds(void) {
    for (int kind = 0; kind < 4; kind++) {
        struct world world;
        REQUIRE(world_open(&world, kind % 2, kind / 2));
        mxb_model *whole = train(&world.train, world.params);
        double *mean = predict(whole, &world.valid), *sum = calloc(world.valid.n_rows, sizeof *sum);
        CHECK_INT(mxb_model_n_members(whole), N_MEMBERS);
        CHECK_INT(mxb_model_n_rounds(whole), N_ROUNDS);
        CHECK_INT(mxb_model_n_curve(whole), N_ROUNDS);
        for (uint32_t m = 0; m < N_MEMBERS; m++) {
            mxb_model *alone = train_alone(&world, m);
            double *raw = predict(alone, &world.valid);
            check_member(whole, alone, m);
            for (size_t i = 0; i < world.valid.n_rows; i++) {
                sum[i] += raw[i];
            }
            free(raw);
            mxb_model_free(alone);
        }
        for (size_t i = 0; i < world.valid.n_rows; i++) {
            CHECK_NEAR(mean[i], sum[i] / N_MEMBERS, 1e-12 * fmax(1.0, fabs(mean[i])));
        }
        free(mean);
        free(sum);
        mxb_model_free(whole);
        world_close(&world);
    }
}

/* ---- curves and early stopping ---- */

/* Losses after each round are those of the mean, on both sets of rows, and so is the round that is kept. */
static void the_mean_is_judged(void) {
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct world world;
        mxb_model *whole;
        mxb_error error;
        REQUIRE(world_open(&world, two_classes, 0) && set(world.params, "learning_rate", "0.6"));
        REQUIRE(set(world.params, "early_stopping_rounds", "6") && set(world.params, "num_round", "200"));
        OK(mxb_train(world.train.dataset, world.valid.dataset, world.params, NULL, NULL, &whole, &error), error);
        size_t n_curve = mxb_model_n_curve(whole), best = 0;
        REQUIRE(n_curve < 200 && mxb_model_stopped_early(whole));
        for (size_t round = 0; round <= n_curve; round++) {
            best = mxb_model_curve(whole, round, 1) < mxb_model_curve(whole, best, 1) ? round : best;
        }
        CHECK_INT(mxb_model_n_rounds(whole), best);
        CHECK_INT(n_curve, best + 6);
        for (int valid = 0; valid < 2; valid++) {
            double metric;
            const mxb_dataset *rows = valid ? world.valid.dataset : world.train.dataset;
            OK(mxb_model_evaluate(whole, rows, 1, &metric, &error), error);
            CHECK_NEAR(mxb_model_curve(whole, best, valid), metric, 1e-13);
        }
        mxb_model_free(whole);
        world_close(&world);
    }
}

static int count_calls(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    size_t *n_calls = context;
    CHECK_INT(round, ++*n_calls);
    CHECK(isfinite(train_loss) && isnan(valid_loss) && seconds >= 0.0);
    return 1;
}

static void progress_comes_once_a_round(void) {
    struct world world;
    mxb_model *model;
    mxb_error error;
    size_t n_calls = 0;
    REQUIRE(world_open(&world, 0, 0));
    OK(mxb_train(world.train.dataset, NULL, world.params, count_calls, &n_calls, &model, &error), error);
    CHECK_INT(n_calls, N_ROUNDS);
    mxb_model_free(model);
    world_close(&world);
}

/* ---- threads ---- */

static void threads_are_shared(void) {
    mxb_params *params = PARAMS("n_threads", "8", "tree_n_threads", "2", "kernel_n_threads", "9");
    REQUIRE(params != NULL);
    struct training training = {.params = *params, .n_at_once = 3};
    CHECK_INT(mxb__member_threads(&training, OPTION_N_THREADS), 2);
    CHECK_INT(mxb__member_threads(&training, OPTION_TREE_N_THREADS), 1);
    CHECK_INT(mxb__member_threads(&training, OPTION_RIDGE_N_THREADS), 2);
    CHECK_INT(mxb__member_threads(&training, OPTION_KERNEL_N_THREADS), 3);
    training.n_at_once = 1;
    CHECK_INT(mxb__member_threads(&training, OPTION_N_THREADS), 8);
    mxb_params_free(params);
}

/* One after the other, some at once, each with one thread or with several. */
static void threads_change_nothing(void) {
    static const char *const threads[][2] = {{"1", "0"}, {"2", "0"}, {"3", "0"}, {"7", "0"}, {"40", "5"}, {"1", "4"}};
    for (int two_classes = 0; two_classes < 2; two_classes++) {
        struct data_recipe recipe = {
            .n_rows = 5000, .n_features = 6, .seed = 8, .missing = 0.1, .two_classes = two_classes};
        struct made_data data = data_make(recipe);
        mxb_params *params = PARAMS("num_round", "6", "n_members", "3", "tree_probability", "0.6", "max_max_depth", "6",
                                    "n_components", "12", "subsample", "0.8");
        struct model_bytes first = {NULL, 0};
        REQUIRE(params != NULL && set(params, "objective", two_classes ? "logloss" : "mse"));
        for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
            CHECK(set(params, "n_threads", threads[t][0]) && set(params, "tree_n_threads", threads[t][1]));
            struct model_bytes bytes = train_bytes(&data, params);
            CHECK(t == 0 || same_bytes(first, bytes));
            mxb_bytes_free(t == 0 ? NULL : bytes.bytes);
            first = t == 0 ? bytes : first;
        }
        mxb_bytes_free(first.bytes);
        mxb_params_free(params);
        data_clear(&data);
    }
}

/* How many are trained at once, and how far ahead of the curve. */
static void check_plan(size_t n_rows, const char *n_members, const char *n_threads, uint32_t n_at_once,
                       uint32_t n_ahead) {
    struct made_data data = data_make((struct data_recipe){.n_rows = n_rows, .n_features = 1, .seed = 1});
    mxb_params *params =
        PARAMS("n_members", n_members, "n_threads", n_threads, "num_round", "20", "tree_probability", "1");
    mxb_prepared *prepared;
    mxb_error error;
    REQUIRE(params != NULL);
    OK(mxb_prepared_create(data.dataset, params, &prepared, &error), error);
    mxb_trainer *trainer = make_trainer(prepared, NULL, params, NULL);
    CHECK_INT(trainer->training.n_at_once, n_at_once);
    CHECK_INT(trainer->training.n_ahead, n_ahead);
    CHECK((trainer->members[0].kept != NULL) == (n_ahead > 1));
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    mxb_params_free(params);
    data_clear(&data);
}

static void members_are_trained_at_once_where_their_scores_fit(void) {
    check_plan(1000, "1", "4", 1, 1);
    check_plan(1000, "4", "1", 1, 1);
    check_plan(1000, "4", "3", 3, 16);
    check_plan(1000, "4", "40", 4, 16);
    check_plan(100000, "16", "2", 2, 5);
    check_plan(140000, "16", "2", 1, 1);
}

static int stop_at_5(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    (void)context, (void)train_loss, (void)valid_loss, (void)seconds;
    return round != 5;
}

/* Members are ahead of the round that the training is stopped after, or paused at. */
static void stopping_and_pausing_change_nothing(void) {
    for (int how = 0; how < 2; how++) {
        struct world world;
        mxb_prepared *prepared;
        mxb_model *whole;
        mxb_error error;
        REQUIRE(world_open(&world, 1, 0) && set(world.params, "n_threads", "3"));
        OK(mxb_train(world.train.dataset, world.valid.dataset, world.params, NULL, NULL, &whole, &error), error);
        OK(mxb_prepared_create(world.train.dataset, world.params, &prepared, &error), error);
        mxb_trainer *trainer = make_trainer(prepared, world.valid.dataset, world.params, NULL);
        if (how == 0) {
            CHECK_INT(mxb_trainer_run(trainer, SIZE_MAX, stop_at_5, NULL, &error), MXB_STOPPED);
            CHECK_INT(mxb_trainer_n_rounds(trainer), 5);
            CHECK_INT(trainer->members[1].model->n_terms, 16);
            mxb_model *part = trainer_model(trainer);
            CHECK(mxb_model_n_rounds(part) <= 5 && mxb_model_n_curve(part) == 5);
            mxb_model_free(part);
        }
        for (size_t round = 6; how == 1 && round < N_ROUNDS; round++) {
            OK(mxb_trainer_run(trainer, round, NULL, NULL, &error), error);
            CHECK_INT(trainer->members[1].model->n_terms, round);
        }
        OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
        mxb_model *model = trainer_model(trainer);
        struct model_bytes bytes[2] = {bytes_of(whole), bytes_of(model)};
        CHECK(same_bytes(bytes[0], bytes[1]));
        mxb_bytes_free(bytes[0].bytes);
        mxb_bytes_free(bytes[1].bytes);
        mxb_model_free(whole);
        mxb_model_free(model);
        mxb_trainer_free(trainer);
        mxb_prepared_free(prepared);
        world_close(&world);
    }
}

/* A member ahead whose gradients are no numbers goes no further; the training fails when its round is judged. */
static void gradients_that_are_not_finite(void) {
    struct world world;
    mxb_prepared *prepared;
    mxb_error error;
    REQUIRE(world_open(&world, 0, 0));
    OK(mxb_prepared_create(world.train.dataset, world.params, &prepared, &error), error);
    mxb_trainer *trainer = make_trainer(prepared, NULL, world.params, NULL);
    struct member *member = &trainer->members[1];
    struct pools none = {NULL, NULL, NULL, NULL};
    for (uint32_t m = 0; m < N_MEMBERS; m++) {
        OK(mxb__member_run(&trainer->members[m], &trainer->training, m == 1 ? 3 : 8, &none, &error), error);
    }
    member->measured.range.max_abs_g = HUGE_VAL;
    OK(mxb__member_run(member, &trainer->training, 8, &none, &error), error);
    CHECK_INT(member->n_measured, 3);
    FAILS(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error, MXB_ERROR_DATA,
          "the loss or its gradient after round 3 is not finite; labels, weights or base_score are too large, or "
          "learning_rate is");
    mxb_trainer_free(trainer);
    mxb_prepared_free(prepared);
    world_close(&world);
}

/* ---- going on ---- */

/* From each of some rounds, through bytes, to the end: as in one go. */
static void a_training_goes_on(void) {
    for (int kind = 0; kind < 4; kind++) {
        struct world world;
        mxb_prepared *prepared;
        mxb_error error;
        REQUIRE(world_open(&world, kind % 2, 0) && set(world.params, "early_stopping_rounds", kind < 2 ? "0" : "50"));
        const mxb_dataset *valid = kind < 2 ? NULL : world.valid.dataset;
        OK(mxb_prepared_create(world.train.dataset, world.params, &prepared, &error), error);
        mxb_trainer *trainer = make_trainer(prepared, valid, world.params, NULL);
        struct model_bytes parts[6], whole = {NULL, 0};
        for (size_t k = 0; k < 6; k++) {
            OK(mxb_trainer_run(trainer, 3 * k, NULL, NULL, &error), error);
            mxb_model *part = trainer_model(trainer);
            parts[k] = bytes_of(part);
            mxb_model_free(part);
        }
        for (size_t k = 0; k <= 6; k++) {
            mxb_model *part = NULL;
            if (k < 6) {
                OK(mxb_model_from_bytes(parts[k].bytes, parts[k].n_bytes, &part, &error), error);
                mxb_trainer_free(trainer);
                trainer = make_trainer(prepared, valid, world.params, part);
                CHECK_INT(mxb_trainer_n_rounds(trainer), mxb_model_n_rounds(part));
            }
            mxb_model_free(part);
            OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
            mxb_model *model = trainer_model(trainer);
            struct model_bytes bytes = bytes_of(model);
            CHECK(k == 0 || same_bytes(bytes, whole));
            mxb_bytes_free(whole.bytes);
            mxb_bytes_free(k < 6 ? parts[k].bytes : NULL);
            whole = bytes;
            mxb_model_free(model);
        }
        struct model_bytes in_one_go = {NULL, 0};
        mxb_model *model;
        OK(mxb_train(world.train.dataset, valid, world.params, NULL, NULL, &model, &error), error);
        in_one_go = bytes_of(model);
        CHECK(same_bytes(in_one_go, whole));
        mxb_model_free(model);
        mxb_bytes_free(in_one_go.bytes);
        mxb_bytes_free(whole.bytes);
        mxb_trainer_free(trainer);
        mxb_prepared_free(prepared);
        world_close(&world);
    }
}

static void the_number_of_members_stays(void) {
    struct world world;
    mxb_prepared *prepared;
    mxb_trainer *trainer;
    mxb_error error;
    REQUIRE(world_open(&world, 0, 0));
    mxb_model *model = train(&world.train, world.params);
    OK(mxb_prepared_create(world.train.dataset, world.params, &prepared, &error), error);
    CHECK(set(world.params, "n_members", "2"));
    FAILS(mxb_trainer_create_from(prepared, NULL, world.params, model, &trainer, &error), error, MXB_ERROR_PARAM,
          "n_members is 2; to go on from a model it must be as there, 3");
    CHECK(set(world.params, "n_members", "3") && set(world.params, "num_round", "23"));
    FAILS(mxb_trainer_create_from(prepared, NULL, world.params, model, &trainer, &error), error, MXB_ERROR_PARAM,
          "num_round is 23; the model already has 24 rounds");
    mxb_prepared_free(prepared);
    mxb_model_free(model);
    world_close(&world);
}

/* ---- callers' learners and losses ---- */

/* Each callback in turn stops the training at each of its first calls, in whichever member; going on leads to the same
 * model. Derivatives are asked of every member, the metric of the mean alone. */
static void a_callback_may_stop_any_member(void) {
    for (int which = 0; which < 4; which++) {
        for (size_t at = 8; at <= 16; at++) {
            struct mixed mixed;
            mxb_prepared *prepared;
            mxb_error error;
            mxb_model *whole;
            REQUIRE(mixed_open(&mixed, "9", 0.8) && own_loss_set(mixed.params, &mixed.own, "mine", 0));
            REQUIRE(set(mixed.params, "n_members", "3") && set(mixed.params, "early_stopping_rounds", "0"));
            OK(mxb_train(mixed.train.dataset, mixed.valid.dataset, mixed.params, NULL, NULL, &whole, &error), error);
            CHECK_INT(mixed.own.n_derivatives, 3 * (9 + 1));
            CHECK_INT(mixed.own.n_metrics, 2 * (9 + 1));
            struct model_bytes expected = bytes_of(whole);
            mxb_model_free(whole);
            mixed.lines = (struct line_learner){0};
            mixed.own = (struct own_loss){0};
            struct mischief stop = {at, MXB_STOPPED, 0, 0};
            *(which == 0   ? &mixed.own.derivatives_mischief
              : which == 1 ? &mixed.own.metric_mischief
              : which == 2 ? &mixed.lines.fit_mischief
                           : &mixed.lines.predict_mischief) = stop;
            OK(mxb_prepared_create(mixed.train.dataset, mixed.params, &prepared, &error), error);
            mxb_trainer *trainer = make_trainer(prepared, mixed.valid.dataset, mixed.params, NULL);
            CHECK_INT(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), MXB_STOPPED);
            CHECK(which != 0 || mxb_trainer_n_rounds(trainer) == (at - 4) / 3);
            mxb_model *part = trainer_model(trainer);
            CHECK_INT(mxb_model_n_rounds(part), mxb_trainer_n_rounds(trainer));
            OK(mxb_trainer_run(trainer, SIZE_MAX, NULL, NULL, &error), error);
            whole = trainer_model(trainer);
            struct model_bytes stopped = bytes_of(whole);
            CHECK(same_bytes(expected, stopped));
            mxb_model_free(part);
            mxb_model_free(whole);
            mxb_bytes_free(expected.bytes);
            mxb_bytes_free(stopped.bytes);
            mxb_trainer_free(trainer);
            mxb_prepared_free(prepared);
            mixed_close(&mixed);
        }
    }
}

/* The first member's failure is told, and no member after it begins. */
static void the_first_failure_is_told(void) {
    struct mixed mixed;
    mxb_model *model;
    mxb_error error;
    REQUIRE(mixed_open(&mixed, "9", 1.0) && set(mixed.params, "n_members", "3"));
    mixed.lines.fit_mischief = (struct mischief){5, MXB_ERROR_DATA, 0, 0};
    FAILS(mxb_train(mixed.train.dataset, NULL, mixed.params, NULL, NULL, &model, &error), error, MXB_ERROR_DATA,
          "the learner \"line\" failed in round 2: call 5 went wrong");
    CHECK_INT(mixed.lines.n_fits, 5);
    mixed_close(&mixed);
}

static void too_many_terms(void) {
    struct world world;
    mxb_model *model;
    mxb_error error;
    REQUIRE(world_open(&world, 0, 0) && set(world.params, "n_members", "17") &&
            set(world.params, "num_round", "1000000"));
    FAILS(mxb_train(world.train.dataset, NULL, world.params, NULL, NULL, &model, &error), error, MXB_ERROR_PARAM,
          "num_round is 1000000 and n_members 17; together they may be 16777216 rounds at most");
    world_close(&world);
}

int main(void) {
    RUN(seeds);
    RUN(members_are_trainings_of_other_seeds);
    RUN(the_mean_is_judged);
    RUN(progress_comes_once_a_round);
    RUN(threads_are_shared);
    RUN(threads_change_nothing);
    RUN(members_are_trained_at_once_where_their_scores_fit);
    RUN(stopping_and_pausing_change_nothing);
    RUN(gradients_that_are_not_finite);
    RUN(a_training_goes_on);
    RUN(the_number_of_members_stays);
    RUN(a_callback_may_stop_any_member);
    RUN(the_first_failure_is_told);
    RUN(too_many_terms);
    return check_report();
}
