/* Child processes that save one model after the other over the same file and are killed at random moments: the file is
 * the last model whose save returned, or the one that was being saved, byte for byte.
 *
 *     killed_saves [KILLS] [SEED] */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <dirent.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "stress/killing.h"
#include "unit/boost/train_data.h"

enum { N_MODELS = 5 };

static mxb_model *models[N_MODELS]; /* of different sizes */
static struct model_bytes bytes[N_MODELS];
static volatile uint64_t *n_saved; /* by the children, in memory that they share */
static char folder[] = "/tmp/mixboost-test-XXXXXX";
static size_t n_wanted = 300;
static size_t n_kills;
static size_t n_new; /* times that the file was ahead of what the child could tell */
static size_t n_left_over;
static struct dice dice = {1};

static void save_for_ever(void) {
    for (;;) {
        if (mxb_model_save(models[(*n_saved + 1) % N_MODELS], "model.mxb", NULL) != MXB_OK) {
            _exit(1);
        }
        ++*n_saved;
    }
}

static int holds(uint64_t version) {
    mxb_model *model = NULL;
    mxb_error error = {""};
    if (mxb_model_load("model.mxb", &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        return 0;
    }
    struct model_bytes loaded = bytes_of(model);
    int same = same_bytes(loaded, bytes[version % N_MODELS]);
    mxb_bytes_free(loaded.bytes);
    mxb_model_free(model);
    return same;
}

/* The temporary file of the child that was killed, if it had one: nobody else's is in its way. */
static void remove_left_over(pid_t child) {
    char name[64];
    snprintf(name, sizeof name, "model.mxb.tmp%ld-0", (long)child);
    n_left_over += unlink(name) == 0;
}

static int count_entries(void) {
    DIR *list = opendir(".");
    int n = 0;
    while (list != NULL && readdir(list) != NULL) {
        n++;
    }
    if (list != NULL) {
        closedir(list);
    }
    return n;
}

/* Seconds that a save takes. */
static double time_saves(void) {
    double began = mxb__seconds_now();
    for (int i = 0; i < 20; i++) {
        CHECK_INT(mxb_model_save(models[i % N_MODELS], "model.mxb", NULL), MXB_OK);
    }
    return (mxb__seconds_now() - began) / 20;
}

static void the_last_save_is_never_lost(void) {
    double seconds = time_saves();
    CHECK_INT(mxb_model_save(models[0], "model.mxb", NULL), MXB_OK);
    while (n_kills < n_wanted) {
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            save_for_ever();
        }
        int status = kill_after(child, 0.001 + 4 * seconds * dice_uniform(&dice));
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        n_kills++;
        int is_new = !holds(*n_saved);
        if (is_new) {
            CHECK(holds(*n_saved + 1));
            ++*n_saved;
        }
        n_new += (size_t)is_new;
        remove_left_over(child);
        CHECK_INT(count_entries(), 3); /* ".", ".." and the model */
        REQUIRE(check_n_failed == 0);
    }
}

static int make_world(void) {
    static const char *const rounds[N_MODELS] = {"3", "40", "400", "8", "120"};
    struct made_data data = data_make((struct data_recipe){.n_rows = 200, .n_features = 4, .seed = 1});
    n_saved = mmap(NULL, sizeof *n_saved, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int fine = n_saved != MAP_FAILED;
    for (int i = 0; fine && i < N_MODELS; i++) {
        mxb_params *params = PARAMS("num_round", rounds[i], "n_threads", "1");
        models[i] = train(&data, params);
        bytes[i] = bytes_of(models[i]);
        fine = bytes[i].bytes != NULL;
        mxb_params_free(params);
    }
    data_clear(&data);
    return fine;
}

int main(int argc, char **argv) {
    n_wanted = argc > 1 ? (size_t)atoi(argv[1]) : n_wanted;
    dice.state = argc > 2 ? (uint64_t)atoi(argv[2]) : dice.state;
    if (mkdtemp(folder) == NULL || chdir(folder) != 0 || !make_world()) {
        fprintf(stderr, "cannot make the data of the test\n");
        return 1;
    }
    RUN(the_last_save_is_never_lost);
    for (int i = 0; i < N_MODELS; i++) {
        mxb_bytes_free(bytes[i].bytes);
        mxb_model_free(models[i]);
    }
    unlink("model.mxb");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    printf("%zu kills in %llu saves, %zu before the save returned, %zu temporary files left\n", n_kills,
           (unsigned long long)*n_saved, n_new, n_left_over);
    return check_report();
}
