/* Trainings of the program with checkpoints, killed at random moments and gone on with from the model that is there: no
 * checkpoint is lost, and in the end the model has the bytes of a training that nobody disturbed.
 *
 *     killed_trainings PROGRAM [KILLS] [SEED] */
#define _XOPEN_SOURCE 700
#include <sys/stat.h>

#include "base/clock.h"
#include "stress/killing.h"
#include "unit/boost/train_data.h"

enum { MAX_ARGUMENTS = 32 };

static const struct kind {
    const char *name;
    const char *options[MAX_ARGUMENTS - 12];
} KINDS[] = {
    {"both learners", {"--num_round", "400", "--tree_probability", "0.7", "--n_threads", "1"}},
    {"three threads, all of the bank",
     {"--num_round", "300", "--tree_probability", "0.5", "--n_threads", "3", "--fourier_metric", "learned",
      "--n_projections", "2"}},
    {"early stopping",
     {"--num_round", "300", "--valid", "valid.csv", "--early_stopping_rounds", "300", "--learning_rate", "0.05",
      "--n_threads", "1"}},
    {"members", {"--num_round", "150", "--n_members", "3", "--n_threads", "3"}},
    {"exact trees", {"--num_round", "200", "--use_histograms", "false", "--tree_probability", "0.9"}},
};
enum { N_KINDS = sizeof KINDS / sizeof KINDS[0] };

static char folder[] = "/tmp/mixboost-test-XXXXXX";
static char *program;
static size_t n_wanted = 300;
static size_t n_kills;
static size_t n_resumed; /* trainings gone on with from a checkpoint */
static size_t n_trainings;
static struct dice dice = {1};

/* In a child: `every` 0 for no checkpoints. */
static pid_t start(const struct kind *kind, const char *model, size_t every) {
    const char *arguments[MAX_ARGUMENTS] = {program, "train", "train.csv", "--label", "y", "--quiet", "--model", model};
    char rounds[24];
    size_t n = 8;
    snprintf(rounds, sizeof rounds, "%zu", every);
    if (every > 0) {
        arguments[n++] = "--checkpoint-every";
        arguments[n++] = rounds;
    }
    if (access(model, F_OK) == 0) {
        arguments[n++] = "--from";
        arguments[n++] = model;
    }
    for (size_t i = 0; kind->options[i] != NULL; i++) {
        arguments[n++] = kind->options[i];
    }
    pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE); /* which the program inherits */
        execv(program, (char **)(uintptr_t)arguments);
        _exit(127);
    }
    return child;
}

/* The rounds of the model in the file; SIZE_MAX and a failed check where it is none. */
static size_t count_rounds(const char *path) {
    mxb_model *model = NULL;
    mxb_error error = {""};
    if (mxb_model_load(path, &model, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        return SIZE_MAX;
    }
    size_t n_rounds = mxb_model_n_rounds(model);
    mxb_model_free(model);
    return n_rounds;
}

static void remove_left_over(pid_t child) {
    char name[64];
    snprintf(name, sizeof name, "model.mxb.tmp%ld-0", (long)child);
    unlink(name);
}

/* One training to its end; `seconds`: what it takes undisturbed. */
static void kill_and_resume(const struct kind *kind, double seconds) {
    size_t n_before = 0;
    unlink("model.mxb");
    for (int is_done = 0; !is_done;) {
        pid_t child = start(kind, "model.mxb", 1 + dice_below(&dice, 12));
        REQUIRE(child > 0);
        int status = 0;
        if (n_kills < n_wanted) {
            status = kill_after(child, 0.6 * seconds * dice_uniform(&dice));
        } else {
            REQUIRE(waitpid(child, &status, 0) == child);
        }
        is_done = WIFEXITED(status);
        CHECK(is_done ? WEXITSTATUS(status) == 0 : WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        n_kills += !is_done;
        if (!is_done) {
            remove_left_over(child);
        }
        if (access("model.mxb", F_OK) == 0) {
            size_t n_rounds = count_rounds("model.mxb");
            n_resumed += !is_done;
            CHECK(n_rounds != SIZE_MAX && n_rounds >= n_before);
            n_before = n_rounds;
        } else {
            CHECK(!is_done && n_before == 0);
        }
        REQUIRE(check_n_failed == 0);
    }
    n_trainings++;
}

static int same_files(const char *a, const char *b) {
    FILE *files[2] = {fopen(a, "rb"), fopen(b, "rb")};
    int same = files[0] != NULL && files[1] != NULL;
    for (int byte = 0; same && byte != EOF;) {
        byte = getc(files[0]);
        same = byte == getc(files[1]);
    }
    for (int i = 0; i < 2; i++) {
        if (files[i] != NULL) {
            fclose(files[i]);
        }
    }
    return same;
}

static void trainings_survive_being_killed(void) {
    double seconds[N_KINDS];
    char whole[N_KINDS][24];
    for (size_t i = 0; i < N_KINDS; i++) {
        double began = mxb__seconds_now();
        int status = 1;
        snprintf(whole[i], sizeof whole[i], "whole%zu.mxb", i);
        pid_t child = start(&KINDS[i], whole[i], 5);
        REQUIRE(child > 0 && waitpid(child, &status, 0) == child && status == 0);
        seconds[i] = mxb__seconds_now() - began;
    }
    for (size_t i = 0; n_kills < n_wanted; i++) {
        kill_and_resume(&KINDS[i % N_KINDS], seconds[i % N_KINDS]);
        if (check_n_failed == 0 && !same_files("model.mxb", whole[i % N_KINDS])) {
            check_failed(__FILE__, __LINE__, KINDS[i % N_KINDS].name);
        }
        REQUIRE(check_n_failed == 0);
    }
    for (size_t i = 0; i < N_KINDS; i++) {
        unlink(whole[i]);
    }
}

static int write_csv(const char *path, size_t n_rows, uint64_t seed) {
    struct made_data data = data_make((struct data_recipe){.n_rows = n_rows, .n_features = 4, .seed = seed});
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return 0;
    }
    fprintf(file, "a,b,c,d,y\n");
    for (size_t i = 0; i < n_rows; i++) {
        for (size_t f = 0; f < 4; f++) {
            fprintf(file, "%.6g,", data.x[f * n_rows + i]);
        }
        fprintf(file, "%.6g\n", data.y[i]);
    }
    data_clear(&data);
    return fclose(file) == 0;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "killed_trainings PROGRAM [KILLS] [SEED]\n");
        return 2;
    }
    program = realpath(argv[1], NULL);
    n_wanted = argc > 2 ? (size_t)atoi(argv[2]) : n_wanted;
    dice.state = argc > 3 ? (uint64_t)atoi(argv[3]) : dice.state;
    if (program == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0 || !write_csv("train.csv", 300, 1) ||
        !write_csv("valid.csv", 100, 2)) {
        fprintf(stderr, "cannot make the data of the test\n");
        return 1;
    }
    RUN(trainings_survive_being_killed);
    unlink("model.mxb");
    unlink("train.csv");
    unlink("valid.csv");
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        check_failed(__FILE__, __LINE__, "files left behind");
    }
    free(program);
    printf("%zu kills in %zu trainings, %zu with a checkpoint to go on from\n", n_kills, n_trainings, n_resumed);
    return check_report();
}
