/* Saves cut by a power cut at every call, on a disk that forgets what was not synchronised: whatever it has of the file
 * is the model before or the one being saved, byte for byte, and the new one as soon as the save has returned. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stress/crash_disk.h"
#include "unit/boost/train_data.h"

enum { N_VERSIONS = 4 }; /* a model before, and three that are saved one after the other */

static mxb_model *models[N_VERSIONS];
static struct model_bytes versions[N_VERSIONS];
static char folder[] = "/tmp/mixboost-test-XXXXXX";
static uint64_t n_states;
static uint64_t n_broken;
static uint64_t n_saves;

static const struct scenario {
    const char *name;
    const char *path; /* saved to */
    const char *file; /* what is replaced */
    int is_new;
    uint64_t n_saves;
    size_t largest_write;
} SCENARIOS[] = {
    {"over a model", "model.mxb", "model.mxb", 0, 1, 0},
    {"over a model, in pieces", "model.mxb", "model.mxb", 0, 1, 700},
    {"a new file", "model.mxb", "model.mxb", 1, 1, 0},
    {"through a link", "link.mxb", "in/model.mxb", 0, 1, 0},
    {"checkpoints", "model.mxb", "model.mxb", 1, 3, 1000},
};
enum { N_SCENARIOS = sizeof SCENARIOS / sizeof SCENARIOS[0] };

struct check {
    int is_new;
    uint64_t n_broken;
};

/* Version `promise` was there for sure; the one after it may be. */
static void check_state(const struct crash_state *state, void *context) {
    struct check *check = context;
    int fine = !state->exists && check->is_new && state->promise == 0;
    for (uint64_t v = state->promise; state->exists && v <= state->promise + 1 && v < N_VERSIONS; v++) {
        int is_absent = v == 0 && check->is_new;
        fine = fine || (!is_absent && versions[v].n_bytes == state->n_bytes &&
                        memcmp(versions[v].bytes, state->bytes, state->n_bytes) == 0);
    }
    check->n_broken += !fine;
}

/* Saves one version after the other until one fails. */
static uint64_t save(const struct scenario *scenario, struct crash_plan plan) {
    mxb_error error;
    int fine = unlink(scenario->file) == 0 || errno == ENOENT;
    if (!scenario->is_new) {
        fine = fine && mxb_model_save(models[0], scenario->file, NULL) == MXB_OK;
    }
    CHECK(fine);
    plan.largest_write = scenario->largest_write;
    crash_begin(plan, scenario->is_new ? NULL : scenario->file);
    mxb_status status = MXB_OK;
    for (uint64_t v = 1; v <= scenario->n_saves && status == MXB_OK; v++) {
        status = mxb_model_save(models[v], scenario->path, &error);
        if (status == MXB_OK) {
            crash_promise(v);
        }
        CHECK(status == MXB_OK || (plan.n > 0 && status == MXB_ERROR_IO));
        n_saves++;
    }
    return crash_end();
}

/* Broken states after saves like this. */
static uint64_t tear(const struct scenario *scenario, struct crash_plan plan, uint64_t *n_faultable) {
    struct check check = {.is_new = scenario->is_new};
    *n_faultable = save(scenario, plan);
    n_states += crash_visit(scenario->file, check_state, &check);
    return check.n_broken;
}

static void every_cut_leaves_the_old_model_or_the_new_one(void) {
    for (size_t i = 0; i < N_SCENARIOS; i++) {
        const struct scenario *scenario = &SCENARIOS[i];
        uint64_t n_faultable;
        uint64_t n_seen;
        uint64_t before = n_states;
        CHECK_INT(tear(scenario, (struct crash_plan){.n = 0}, &n_faultable), 0);
        CHECK(n_faultable >= 6); /* open, write, fsync, close, rename, and the folder's open */
        for (uint64_t n = 1; n <= n_faultable; n++) {
            static const int numbers[] = {EIO, ENOSPC, EINTR, EMFILE};
            for (size_t f = 0; f < sizeof numbers / sizeof numbers[0]; f++) {
                uint64_t broken = tear(scenario, (struct crash_plan){.n = n, .number = numbers[f]}, &n_seen);
                n_broken += broken;
                if (broken > 0) {
                    check_failed(__FILE__, __LINE__, scenario->name);
                    fprintf(stderr, "    (call %llu fails: %s)\n", (unsigned long long)n, strerror(numbers[f]));
                }
            }
        }
        printf("%-24s %llu states\n", scenario->name, (unsigned long long)(n_states - before));
    }
}

/* The checks see what they are there for. */
static void a_missing_sync_is_seen(void) {
    uint64_t n_faultable;
    uint64_t before = n_states;
    for (size_t i = 0; i < N_SCENARIOS; i++) {
        CHECK(tear(&SCENARIOS[i], (struct crash_plan){.drops_file_sync = 1}, &n_faultable) > 0);
        CHECK(tear(&SCENARIOS[i], (struct crash_plan){.drops_folder_sync = 1}, &n_faultable) > 0);
    }
    n_states = before;
}

static int make_world(void) {
    static const char *const rounds[N_VERSIONS] = {"2", "3", "5", "4"};
    struct made_data data = data_make((struct data_recipe){.n_rows = 50, .n_features = 2, .seed = 1});
    int fine = mkdir("in", 0700) == 0 && symlink("in/model.mxb", "link.mxb") == 0;
    for (int v = 0; v < N_VERSIONS; v++) {
        mxb_params *params = PARAMS("num_round", rounds[v], "n_components", "3", "tree_probability", "0.5");
        models[v] = train(&data, params);
        versions[v] = bytes_of(models[v]);
        fine = fine && versions[v].n_bytes > 0 && versions[v].n_bytes < CRASH_LARGEST_FILE;
        mxb_params_free(params);
    }
    data_clear(&data);
    return fine;
}

int main(void) {
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || !make_world()) {
        fprintf(stderr, "cannot make the data of the test\n");
        return 1;
    }
    RUN(every_cut_leaves_the_old_model_or_the_new_one);
    RUN(a_missing_sync_is_seen);
    crash_begin((struct crash_plan){.n = 0}, NULL); /* frees what was recorded */
    crash_end();
    for (int v = 0; v < N_VERSIONS; v++) {
        mxb_bytes_free(versions[v].bytes);
        mxb_model_free(models[v]);
    }
    unlink("model.mxb");
    unlink("in/model.mxb");
    unlink("link.mxb");
    if (rmdir("in") != 0 || chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%llu saves, %llu states, %llu broken\n", (unsigned long long)n_saves, (unsigned long long)n_states,
           (unsigned long long)n_broken);
    return check_report();
}
