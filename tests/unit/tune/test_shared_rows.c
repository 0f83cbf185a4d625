/* Rows that are prepared once for all: shared by options that agree, dropped when idle, asked for by many threads. The
 * source is included so that preparing can be held up. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <pthread.h>
#include <time.h>

#include "base/memory.h"
#include "unit/tune/make_folds.h"

/* Where there is a gate, who prepares waits there until so many have come. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    int n_wanted; /* 0: there is none */
    int n_there;
    int n_prepared;
    int n_tired; /* waited for too long */
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static void gate_set(int n_wanted) {
    pthread_mutex_lock(&gate.lock);
    gate.n_wanted = n_wanted;
    gate.n_there = gate.n_prepared = gate.n_tired = 0;
    pthread_mutex_unlock(&gate.lock);
}

/* With the lock held. */
static void gate_wait(void) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 20;
    while (gate.n_there < gate.n_wanted) {
        if (pthread_cond_timedwait(&gate.change, &gate.lock, &until) != 0) {
            gate.n_tired++;
            return;
        }
    }
}

static void gate_come(void) {
    pthread_mutex_lock(&gate.lock);
    gate.n_there++;
    pthread_cond_broadcast(&gate.change);
    pthread_mutex_unlock(&gate.lock);
}

static mxb_status gated_create(const mxb_dataset *train, const mxb_params *params, mxb_prepared **prepared,
                               mxb_error *error) {
    pthread_mutex_lock(&gate.lock);
    gate.n_prepared++;
    if (gate.n_wanted > 0) {
        gate.n_there++;
        pthread_cond_broadcast(&gate.change);
        gate_wait();
    }
    pthread_mutex_unlock(&gate.lock);
    return mxb_prepared_create(train, params, prepared, error);
}

#define mxb_prepared_create gated_create
#include "tune/fold_data.c"
#undef mxb_prepared_create

static mxb_error error;

/* Two folds, stages of 1/4 and 1 of the rows or rounds. */
struct scene {
    struct made_data data;
    struct fold_data folds;
};

static int scene_open(struct scene *scene, const char *resource) {
    struct settings settings = SETTINGS("n_folds", "2", "resource", resource, "min_resource", "1/4");
    struct plan plan = plan_of(&settings);
    scene->data = numbered(N_ROWS, 1);
    return mxb__fold_data_init(&scene->folds, &error) == MXB_OK &&
           mxb__fold_data_make(&scene->folds, scene->data.dataset, &settings, 1, &error) == MXB_OK &&
           mxb__fold_data_cut(&scene->folds, &plan, &settings, 1, &error) == MXB_OK;
}

static void scene_close(struct scene *scene) {
    for (size_t fold = 0; fold < 2; fold++) {
        for (size_t i = 0; i < scene->folds.folds[fold].n_prepared; i++) {
            CHECK_INT(scene->folds.folds[fold].prepared[i].n_users, 0);
        }
    }
    mxb__fold_data_clear(&scene->folds);
    data_clear(&scene->data);
}

/* NULL, and a failed check, where it fails. */
static const mxb_prepared *acquire(struct scene *scene, size_t fold, size_t stage, const mxb_params *params) {
    const mxb_prepared *prepared = NULL;
    mxb_error said = {"no options"};
    if (params == NULL || mxb__fold_data_acquire(&scene->folds, fold, stage, params, &prepared, &said) != MXB_OK) {
        check_failed(__FILE__, __LINE__, said.message);
    }
    return prepared;
}

/* The same, given back at once; only for comparing. */
static const mxb_prepared *glance(struct scene *scene, size_t fold, size_t stage, mxb_params *params) {
    const mxb_prepared *prepared = acquire(scene, fold, stage, params);
    mxb__fold_data_release(&scene->folds, fold, prepared);
    mxb_params_free(params);
    return prepared;
}

static void options_that_agree_share(void) {
    struct scene scene;
    REQUIRE(scene_open(&scene, "rows"));
    const mxb_prepared *first = glance(&scene, 0, 1, PARAMS("objective", "logloss"));
    CHECK(first == glance(&scene, 0, 1,
                          PARAMS("objective", "logloss", "learning_rate", "0.5", "n_threads", "3", "num_round", "7",
                                 "tree_probability", "0.1", "gamma", "2", "random_state", "4")));
    CHECK(first != glance(&scene, 0, 0, PARAMS("objective", "logloss")));
    CHECK(glance(&scene, 0, 0, PARAMS("objective", "logloss")) == glance(&scene, 0, 0, PARAMS("objective", "logloss")));
    CHECK(first != glance(&scene, 1, 1, PARAMS("objective", "logloss")));
    CHECK(first != glance(&scene, 0, 1, PARAMS("objective", "mse")));
    CHECK(first != glance(&scene, 0, 1, PARAMS("objective", "logloss", "hist_nbins", "17")));
    CHECK(first != glance(&scene, 0, 1, PARAMS("objective", "logloss", "fourier_scaling", "standard")));
    CHECK(first != glance(&scene, 0, 1, PARAMS("objective", "logloss", "use_histograms", "false")));
    CHECK(first == glance(&scene, 0, 1, PARAMS("objective", "logloss"))); /* still there */
    scene_close(&scene);
    REQUIRE(scene_open(&scene, "rounds"));
    CHECK(glance(&scene, 0, 0, PARAMS("objective", "logloss")) == glance(&scene, 0, 1, PARAMS("objective", "logloss")));
    CHECK_INT(scene.folds.folds[0].n_prepared, 1);
    CHECK_INT(scene.folds.folds[1].n_prepared, 0);
    scene_close(&scene);
}

static struct model_bytes train_on(const mxb_prepared *prepared, const mxb_dataset *valid, const mxb_params *params) {
    mxb_trainer *trainer = NULL;
    mxb_model *model = NULL;
    mxb_error said = {"no prepared rows"};
    if (prepared == NULL || mxb_trainer_create(prepared, valid, params, &trainer, &said) != MXB_OK ||
        mxb_trainer_run(trainer, 5, NULL, NULL, &said) != MXB_OK ||
        mxb_trainer_model(trainer, &model, &said) != MXB_OK) {
        check_failed(__FILE__, __LINE__, said.message);
    }
    struct model_bytes bytes = bytes_of(model);
    mxb_model_free(model);
    mxb_trainer_free(trainer);
    return bytes;
}

/* The fold's rows prepared by the public calls: all of them first, then a part with the bins of all. */
static void trainings_are_those_on_plainly_prepared_rows(void) {
    static const char *const exact[] = {"true", "false"};
    struct scene scene;
    REQUIRE(scene_open(&scene, "rows"));
    for (size_t i = 0; i < 8; i++) {
        size_t fold = i % 2, stage = i / 2 % 2;
        mxb_prepared *plain[2] = {NULL, NULL};
        mxb_params *params = PARAMS("objective", "logloss", "use_histograms", exact[i / 4], "num_round", "5",
                                    "n_threads", "2", "n_components", "4", "tree_probability", "0.6");
        const struct fold *at = &scene.folds.folds[fold];
        OK(mxb_prepared_create(at->train, params, &plain[1], &error), error);
        OK(mxb_prepared_create_part(plain[1], mxb__fold_data_rows(&scene.folds, fold, 0), params, &plain[0], &error),
           error);
        const mxb_prepared *shared = acquire(&scene, fold, stage, params);
        struct model_bytes got = train_on(shared, at->valid, params);
        struct model_bytes wanted = train_on(plain[stage], at->valid, params);
        struct model_bytes other = train_on(plain[!stage], at->valid, params);
        CHECK(same_bytes(got, wanted) && !same_bytes(got, other));
        mxb__fold_data_release(&scene.folds, fold, shared);
        mxb_bytes_free(got.bytes);
        mxb_bytes_free(wanted.bytes);
        mxb_bytes_free(other.bytes);
        mxb_prepared_free(plain[0]);
        mxb_prepared_free(plain[1]);
        mxb_params_free(params);
    }
    scene_close(&scene);
}

/* Options of the i-th way to prepare. */
static mxb_params *way(size_t i) {
    char bins[16];
    snprintf(bins, sizeof bins, "%zu", 16 + i);
    return PARAMS("objective", "logloss", "hist_nbins", bins, "num_round", "5", "n_threads", "1", "n_components", "2");
}

/* Whether rows prepared in this way are there. */
static int is_there(const struct scene *scene, size_t i) {
    char bins[16];
    const struct fold *fold = &scene->folds.folds[0];
    snprintf(bins, sizeof bins, " %zu ", 16 + i);
    for (size_t k = 0; k < fold->n_prepared; k++) {
        if (strstr(fold->prepared[k].key, bins) != NULL) {
            return 1;
        }
    }
    return 0;
}

static void what_was_not_used_longest_gives_way(void) {
    struct scene scene;
    REQUIRE(scene_open(&scene, "rounds"));
    for (size_t i = 0; i < MXB__MAX_PREPARED; i++) {
        glance(&scene, 0, 0, way(i));
    }
    glance(&scene, 0, 0, way(0)); /* used again */
    glance(&scene, 0, 0, way(20));
    CHECK_INT(scene.folds.folds[0].n_prepared, MXB__MAX_PREPARED);
    CHECK(is_there(&scene, 0) && !is_there(&scene, 1) && is_there(&scene, 2) && is_there(&scene, 20));
    glance(&scene, 0, 0, way(1));
    CHECK(is_there(&scene, 0) && is_there(&scene, 1) && !is_there(&scene, 2) && is_there(&scene, 20));
    scene_close(&scene);
}

/* Also of those with the same key as ones in use, and where all are. */
static void what_is_in_use_stays(void) {
    enum { N = 3 * MXB__MAX_PREPARED };
    struct scene scene;
    const mxb_prepared *used[N];
    mxb_params *params[N];
    struct model_bytes before[N];
    REQUIRE(scene_open(&scene, "rows"));
    for (size_t i = 0; i < N; i++) {
        params[i] = way(i);
        used[i] = acquire(&scene, 0, i % 2, params[i]);
        before[i] = train_on(used[i], scene.folds.folds[0].valid, params[i]);
    }
    for (size_t i = 0; i < N; i++) {
        struct model_bytes after = train_on(used[i], scene.folds.folds[0].valid, params[i]);
        CHECK(same_bytes(before[i], after));
        mxb_bytes_free(before[i].bytes);
        mxb_bytes_free(after.bytes);
        mxb__fold_data_release(&scene.folds, 0, used[i]);
        mxb_params_free(params[i]);
    }
    glance(&scene, 0, 0, way(100)); /* all are idle: those too many go */
    CHECK(scene.folds.folds[0].n_prepared <= MXB__MAX_PREPARED);
    mxb__fold_data_release(&scene.folds, 0, NULL); /* does no harm */
    scene_close(&scene);
}

/* ---- failures ---- */

static void a_failure_leaves_nothing_behind(void) {
    for (size_t stage = 0; stage <= 1; stage++) {
        struct scene scene;
        mxb_params *params = way(0);
        uint64_t n = 0;
        mxb_status status = MXB_ERROR_MEMORY;
        REQUIRE(params != NULL && scene_open(&scene, "rows"));
        while (status != MXB_OK && n < 1000) {
            const mxb_prepared *prepared = (const mxb_prepared *)&scene;
            mxb__memory_fail_at(++n, 0);
            status = mxb__fold_data_acquire(&scene.folds, 0, stage, params, &prepared, &error);
            mxb__memory_fail_at(0, 0);
            CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && prepared == NULL));
            for (size_t i = 0; status != MXB_OK && i < scene.folds.folds[0].n_prepared; i++) {
                CHECK_INT(scene.folds.folds[0].prepared[i].n_users, 0);
            }
            if (status == MXB_OK) {
                mxb__fold_data_release(&scene.folds, 0, prepared);
            }
        }
        CHECK(n > 10 && n < 1000);
        CHECK_INT(scene.folds.folds[0].n_prepared, stage == 0 ? 2 : 1);
        mxb_params_free(params);
        scene_close(&scene);
    }
}

/* ---- many threads ---- */

enum { N_THREADS = 8, N_WAYS = 5, N_USES = 40 };

struct user {
    struct scene *scene;
    struct model_bytes (*wanted)[2][2]; /* [way][fold][stage] */
    uint64_t seed;
    size_t n_wrong;
};

static void *use(void *argument) {
    struct user *user = argument;
    struct dice dice = {user->seed};
    for (size_t i = 0; i < N_USES; i++) {
        size_t which = dice_below(&dice, N_WAYS), fold = dice_below(&dice, 2), stage = dice_below(&dice, 2);
        mxb_params *params = way(which);
        const mxb_prepared *prepared = acquire(user->scene, fold, stage, params);
        struct model_bytes got = train_on(prepared, user->scene->folds.folds[fold].valid, params);
        user->n_wrong += !same_bytes(got, user->wanted[which][fold][stage]);
        mxb__fold_data_release(&user->scene->folds, fold, prepared);
        mxb_bytes_free(got.bytes);
        mxb_params_free(params);
    }
    return NULL;
}

static void many_threads_use_it(void) {
    struct scene scene;
    static struct model_bytes wanted[N_WAYS][2][2];
    struct user users[N_THREADS];
    pthread_t threads[N_THREADS];
    REQUIRE(scene_open(&scene, "rows"));
    for (size_t i = 0; i < N_WAYS * 4; i++) {
        mxb_params *params = way(i / 4);
        size_t fold = i / 2 % 2, stage = i % 2;
        const mxb_prepared *prepared = acquire(&scene, fold, stage, params);
        wanted[i / 4][fold][stage] = train_on(prepared, scene.folds.folds[fold].valid, params);
        mxb__fold_data_release(&scene.folds, fold, prepared);
        mxb_params_free(params);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        users[i] = (struct user){.scene = &scene, .wanted = wanted, .seed = i};
        REQUIRE(pthread_create(&threads[i], NULL, use, &users[i]) == 0);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_INT(users[i].n_wrong, 0);
    }
    for (size_t i = 0; i < N_WAYS * 4; i++) {
        mxb_bytes_free(wanted[i / 4][i / 2 % 2][i % 2].bytes);
    }
    scene_close(&scene);
}

struct asker {
    struct scene *scene;
    size_t fold;
    size_t way;
    int comes; /* to the gate, before it asks */
};

static void *ask(void *argument) {
    struct asker *asker = argument;
    if (asker->comes) {
        gate_come();
    }
    glance(asker->scene, asker->fold, 1, way(asker->way));
    return NULL;
}

static void folds_are_prepared_side_by_side(void) {
    struct scene scene;
    pthread_t threads[2];
    REQUIRE(scene_open(&scene, "rows"));
    struct asker askers[2] = {{.scene = &scene}, {.scene = &scene, .fold = 1}};
    gate_set(2);
    for (size_t i = 0; i < 2; i++) {
        REQUIRE(pthread_create(&threads[i], NULL, ask, &askers[i]) == 0);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK_INT(gate.n_prepared, 2);
    CHECK_INT(gate.n_tired, 0);
    gate_set(0);
    scene_close(&scene);
}

static void what_a_fold_has_is_there_while_more_is_prepared(void) {
    struct scene scene;
    pthread_t thread;
    REQUIRE(scene_open(&scene, "rows"));
    struct asker asker = {.scene = &scene, .way = 1};
    const mxb_prepared *first = glance(&scene, 0, 1, way(0));
    gate_set(2);
    REQUIRE(pthread_create(&thread, NULL, ask, &asker) == 0);
    pthread_mutex_lock(&gate.lock);
    while (gate.n_there == 0) { /* until it prepares */
        pthread_cond_wait(&gate.change, &gate.lock);
    }
    pthread_mutex_unlock(&gate.lock);
    CHECK(glance(&scene, 0, 1, way(0)) == first);
    gate_come();
    pthread_join(thread, NULL);
    CHECK_INT(gate.n_tired, 0);
    gate_set(0);
    CHECK_INT(scene.folds.folds[0].n_prepared, 2);
    scene_close(&scene);
}

static void one_thread_prepares_for_all(void) {
    struct scene scene;
    struct asker askers[N_THREADS];
    pthread_t threads[N_THREADS];
    REQUIRE(scene_open(&scene, "rows"));
    gate_set(N_THREADS + 1); /* all of them, and the one that prepares once more */
    for (size_t i = 0; i < N_THREADS; i++) {
        askers[i] = (struct asker){.scene = &scene, .comes = 1};
        REQUIRE(pthread_create(&threads[i], NULL, ask, &askers[i]) == 0);
    }
    for (size_t i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    CHECK_INT(gate.n_prepared, 1);
    CHECK_INT(gate.n_tired, 0);
    gate_set(0);
    CHECK_INT(scene.folds.folds[0].n_prepared, 1);
    scene_close(&scene);
}

int main(void) {
    RUN(options_that_agree_share);
    RUN(trainings_are_those_on_plainly_prepared_rows);
    RUN(what_was_not_used_longest_gives_way);
    RUN(what_is_in_use_stays);
    RUN(a_failure_leaves_nothing_behind);
    RUN(many_threads_use_it);
    RUN(folds_are_prepared_side_by_side);
    RUN(what_a_fold_has_is_there_while_more_is_prepared);
    RUN(one_thread_prepares_for_all);
    return check_report();
}
