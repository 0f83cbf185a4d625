/* Child processes that are killed at random moments. */
#ifndef KILLING_H
#define KILLING_H

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE = 300 /* seconds after which what has not ended hangs; SIGALRM ends it */ };

static inline void sleep_for(double seconds) {
    struct timespec left = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1.0) * 1e9)};
    while (nanosleep(&left, &left) != 0) {
    }
}

/* Kills the child after so many seconds; its status, as of waitpid. -1 where there is no such child. */
static inline int kill_after(pid_t child, double seconds) {
    int status = 0;
    sleep_for(seconds);
    kill(child, SIGKILL);
    return waitpid(child, &status, 0) == child ? status : -1;
}

#endif
