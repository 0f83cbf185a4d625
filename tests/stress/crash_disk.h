/* A disk that forgets. What a program does to files is recorded, and every state is made that a power cut at any moment
 * could leave of one of them: writes since the last fsync of the file are lost, or some sectors of them, in any order;
 * names made, changed or removed since the last fsync of their folder are as before or not, in any order. A program
 * that includes this is linked with crash_disk.c and -Wl,--wrap for every call (tests/CMakeLists.txt). */
#ifndef CRASH_DISK_H
#define CRASH_DISK_H

#include <stddef.h>
#include <stdint.h>

enum { CRASH_LARGEST_FILE = 1 << 15 };

struct crash_plan {
    uint64_t n;           /* the n-th call fails, from 1; 0: none */
    int number;           /* the errno it fails with */
    size_t largest_write; /* bytes moved by one call; 0: any number */
    int drops_file_sync;  /* fsync says that it is done, and is not: what the checks must notice */
    int drops_folder_sync;
};

/* What the disk has of a file after a power cut. */
struct crash_state {
    int exists;
    const unsigned char *bytes;
    size_t n_bytes;
    uint64_t promise; /* the last one before the cut */
};

/** Begins to record; `path` is a file that is there already and on the disk, or NULL. */
void crash_begin(struct crash_plan plan, const char *path);

/** From here on the program counts on something: a number, larger than those before. */
void crash_promise(uint64_t promise);

/** Ends the recording; returns how many calls could have failed. */
uint64_t crash_end(void);

/** Visits every state of the file `path` after every cut of what was recorded; returns how many there are. */
uint64_t crash_visit(const char *path, void (*visit)(const struct crash_state *state, void *context), void *context);

#endif
