/* Many threads predict with one model while another trains: every prediction is the same bits, every training the same
 * bytes.
 *
 *     load [TRAININGS [THREADS]] */
#define _XOPEN_SOURCE 700
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "stress/served_model.h"

enum { MOST_THREADS = 256 };

static struct served served;
static size_t n_trainings = 10;
static size_t n_threads = 64;
static atomic_int is_training, is_over;

struct client {
    pthread_t thread;
    int is_started;
    size_t n_predictions, n_beside, n_wrong; /* beside: begun while a training went on */
    size_t number;
};

static void *predict_over_and_over(void *argument) {
    struct client *client = argument;
    size_t i = client->number;
    do {
        size_t row = i * 7 % N_SERVED_ROWS;
        client->n_beside += atomic_load(&is_training) != 0;
        int is_right = i % 20 == 0   ? served_load_agrees(&served)
                       : i % 20 == 1 ? served_batch_agrees(&served, served.model, 2)
                       : i % 20 < 4  ? served_batch_agrees(&served, served.model, 1)
                                     : served_rows_agree(&served, served.model, row, 1);
        client->n_wrong += !is_right;
        client->n_predictions++;
        i++;
    } while (!atomic_load(&is_over));
    return NULL;
}

static void predictions_beside_trainings(void) {
    static struct client clients[MOST_THREADS];
    size_t n_predictions = 0, n_beside = 0, n_wrong = 0, n_started = 0, n_trained_wrong = 0;
    for (size_t t = 0; t < n_threads; t++) {
        clients[t].number = t;
        clients[t].is_started = pthread_create(&clients[t].thread, NULL, predict_over_and_over, &clients[t]) == 0;
        n_started += (size_t)clients[t].is_started;
    }
    for (size_t i = 0; i < n_trainings; i++) {
        atomic_store(&is_training, 1);
        n_trained_wrong += !served_training_agrees(&served);
        atomic_store(&is_training, 0);
    }
    atomic_store(&is_over, 1);
    for (size_t t = 0; t < n_threads; t++) {
        if (clients[t].is_started) {
            pthread_join(clients[t].thread, NULL);
        }
        n_predictions += clients[t].n_predictions;
        n_beside += clients[t].n_beside;
        n_wrong += clients[t].n_wrong;
        CHECK(clients[t].n_predictions > 0);
    }
    CHECK_INT(n_started, n_threads);
    CHECK_INT(n_wrong, 0);
    CHECK_INT(n_trained_wrong, 0);
    printf("%zu threads, %zu predictions, %zu wrong, %zu beside trainings; %zu trainings, %zu wrong\n", n_started,
           n_predictions, n_wrong, n_beside, n_trainings, n_trained_wrong);
}

int main(int argc, char **argv) {
    n_trainings = argc > 1 ? strtoull(argv[1], NULL, 10) : n_trainings;
    n_threads = argc > 2 ? strtoull(argv[2], NULL, 10) : n_threads;
    n_threads = n_threads < MOST_THREADS ? n_threads : MOST_THREADS;
    check_test = "the model";
    if (served_make(&served)) {
        RUN(predictions_beside_trainings);
    } else {
        check_failed(__FILE__, __LINE__, "cannot train the model");
    }
    served_clear(&served);
    return check_report();
}
