/* The program's only global state, because a signal handler can reach nothing else: which signal came, and when. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught_signal; /* to die of in the end */
static volatile sig_atomic_t is_noted;      /* since the last interrupt_catch */

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static void note(int number) {
    caught_signal = number;
    is_noted = 1;
}

void interrupt_catch(void) {
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    is_noted = 0;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction before;
        /* A signal that the parent had ignored (nohup, a job in the background) stays ignored. */
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

int interrupt_caught(void) { return is_noted != 0; }

void interrupt_release(void) {
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction now;
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == note) {
            signal(signals[i], SIG_DFL);
        }
    }
    if (caught_signal != 0) {
        raise(caught_signal);
    }
}
