/* How many threads work where nobody says: one on each processor this process may use, or as many as its control groups
 * give it the time of; then on one processor, then on all again. Where more are asked for than there are processors,
 * they take turns and do not wait at the processor's cost.
 *
 *     default_threads */
#define _GNU_SOURCE /* sched_setaffinity */
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/processors.h"
#include "stress/faults.h"
#include "unit/boost/train_data.h"

enum { N_ROWS = 60000, N_TIMES = 5 };

static struct made_data data;
static mxb_model *model;
static double *out;

/* The caller, and those that a prediction starts. */
static uint64_t n_working(void) {
    faults_begin((struct fault_plan){.n = 0}); /* only counts */
    CHECK_INT(mxb_model_predict(model, data.dataset, MXB_PREDICT_RAW, 0, out, NULL), MXB_OK);
    return 1 + faults_end().n_calls[FAULT_THREAD];
}

/* Likewise for a training that has nothing to share but by itself. */
static int training_shares(void) {
    mxb_params *params = PARAMS("num_round", "1", "tree_probability", "1");
    faults_begin((struct fault_plan){.n = 0});
    mxb_model *trained = train(&data, params);
    uint64_t n_started = faults_end().n_calls[FAULT_THREAD];
    mxb_model_free(trained);
    mxb_params_free(params);
    return n_started > 0;
}

static int find_processors(cpu_set_t *all, cpu_set_t *one) {
    size_t first = 0;
    if (sched_getaffinity(0, sizeof *all, all) != 0) {
        return 0;
    }
    while (!CPU_ISSET(first, all)) {
        first++;
    }
    CPU_ZERO(one);
    CPU_SET(first, one);
    return 1;
}

static void follows_affinity(void) {
    cpu_set_t all, one;
    REQUIRE(find_processors(&all, &one));
    uint64_t n_allowed = (uint64_t)CPU_COUNT(&all), limit = mxb__cgroup_processors("");
    uint64_t n = n_working();
    CHECK_INT(n, n_allowed < limit ? n_allowed : limit);
    CHECK_INT(training_shares(), n > 1);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    uint64_t n_on_one = n_working();
    CHECK_INT(n_on_one, 1);
    CHECK(!training_shares());
    REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
    CHECK_INT(n_working(), n);
    printf("%llu threads by default, %llu on one processor\n", (unsigned long long)n, (unsigned long long)n_on_one);
}

/* Processor time of all threads together: what other processes do does not count. */
static double seconds_of_training(const char *n_threads) {
    mxb_params *params =
        PARAMS("num_round", "20", "tree_probability", "0.5", "n_components", "20", "n_threads", n_threads);
    double least = HUGE_VAL;
    for (int i = 0; i < N_TIMES; i++) {
        clock_t begin = clock();
        mxb_model_free(train(&data, params));
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
    mxb_params_free(params);
    return least;
}

/* By default as many as the one processor bears; of those that are asked for, more than that. */
static void threads_on_one_processor_cost_little(void) {
    cpu_set_t all, one;
    REQUIRE(find_processors(&all, &one));
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
    double alone = seconds_of_training("1"), by_default = seconds_of_training("0");
    double together = seconds_of_training("8");
    REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
    CHECK(by_default <= 1.5 * alone);
    CHECK(together <= 5 * alone); /* threads that spin take 58 times as much */
    printf("8 threads on one processor take %.2f times the time of one\n", together / alone);
}

int main(void) {
    data = data_make((struct data_recipe){.n_rows = N_ROWS, .n_features = 6, .seed = 2});
    mxb_params *params = PARAMS("num_round", "20", "n_threads", "1");
    model = train(&data, params);
    out = malloc(N_ROWS * sizeof *out);
    RUN(follows_affinity);
    RUN(threads_on_one_processor_cost_little);
    free(out);
    mxb_model_free(model);
    mxb_params_free(params);
    data_clear(&data);
    return check_report();
}
