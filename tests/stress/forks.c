/* Train, fork, then train, load and predict in parent and child at the same time, with threads, over and over: no hang,
 * and the same bytes on both sides.
 *
 *     forks [REPEATS] */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stress/faults.h"
#include "unit/boost/train_data.h"

enum { N_ROWS = 3000, LIMIT = 10 /* seconds a repeat may take on either side */ };

static struct made_data data;
static mxb_params *params;
static int n_repeats = 200;

static void give_up(int signal) {
    static const char text[] = "a training or prediction hangs after a fork\n";
    (void)signal;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        _exit(2);
    }
    _exit(1);
}

static int predicts(const mxb_model *model, const double *predictions) {
    double *again = predict(model, &data);
    int same = memcmp(again, predictions, N_ROWS * sizeof *again) == 0;
    free(again);
    return same;
}

/* Whether a training gives the bytes of `model`, with the threads that were asked for, and whether the model, one
 * loaded from these bytes and the trained one give these predictions. */
static int agrees(const mxb_model *model, struct model_bytes bytes, const double *predictions) {
    mxb_model *loaded = NULL;
    faults_begin((struct fault_plan){.n = 0}); /* only counts */
    mxb_model *trained = train(&data, params);
    struct fault_report report = faults_end();
    struct model_bytes made = bytes_of(trained);
    int same = same_bytes(made, bytes) && mxb_model_from_bytes(bytes.bytes, bytes.n_bytes, &loaded, NULL) == MXB_OK &&
               predicts(model, predictions) && predicts(trained, predictions) && predicts(loaded, predictions);
    mxb_bytes_free(made.bytes);
    mxb_model_free(trained);
    mxb_model_free(loaded);
    return same && report.n_calls[FAULT_THREAD] >= 2;
}

static void parent_and_child_go_on(void) {
    for (int i = 0; i < n_repeats; i++) {
        alarm(LIMIT);
        mxb_model *model = train(&data, params);
        REQUIRE(model != NULL);
        struct model_bytes bytes = bytes_of(model);
        double *predictions = predict(model, &data);
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(LIMIT); /* alarms are not inherited */
            _exit(agrees(model, bytes, predictions) ? 0 : 1);
        }
        int status = 1;
        CHECK(agrees(model, bytes, predictions));
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        alarm(0);
        mxb_bytes_free(bytes.bytes);
        free(predictions);
        mxb_model_free(model);
    }
}

int main(int argc, char **argv) {
    if (argc > 1) {
        n_repeats = atoi(argv[1]);
    }
    signal(SIGALRM, give_up);
    data = data_make((struct data_recipe){.n_rows = N_ROWS, .n_features = 6, .seed = 2, .missing = 0.1});
    params = PARAMS("num_round", "3", "tree_probability", "0.5", "n_components", "8", "n_threads", "3");
    RUN(parent_and_child_go_on);
    mxb_params_free(params);
    data_clear(&data);
    printf("%d repeats\n", n_repeats);
    return check_report();
}
