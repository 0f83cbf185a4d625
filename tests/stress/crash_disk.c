/* What the linker puts in place of the calls on files, their record, and the states that it allows. */
#define _XOPEN_SOURCE 700
#include "stress/crash_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    MAX_CALLS = 256,
    MAX_FILES = 64,
    MAX_NAMES = 16,   /* changes of names that are not on the disk yet */
    MAX_SECTORS = 10, /* of a file, not on the disk yet; larger ones where they would be more */
    SECTOR = 512
};

enum call_kind { NAME, UNNAME, WRITE, CUT, SYNC, SYNC_FOLDER, PROMISE };

struct call {
    enum call_kind kind;
    int file;             /* its number; every file made is another one */
    char *name;           /* of NAME and UNNAME, and the folder's of SYNC_FOLDER */
    uint64_t at;          /* where a WRITE begins, the size after a CUT, the number of a PROMISE */
    unsigned char *bytes; /* of a WRITE */
    size_t n_bytes;
};

static struct crash_plan plan;
static int is_active;
static uint64_t n_faultable;
static struct call calls[MAX_CALLS];
static size_t n_calls;
static int n_files;
static struct {
    int file;    /* -1: none of ours */
    uint64_t at; /* where write goes on */
} descriptors[1024];

/* ---- The record ---- */

static void *must(void *block) {
    if (block == NULL) {
        fprintf(stderr, "crash_disk: out of room\n");
        abort();
    }
    return block;
}

static void record(struct call call) {
    must(n_calls < MAX_CALLS ? calls : NULL);
    calls[n_calls++] = call;
}

static char *copy_text(const char *text) { return strcpy(must(malloc(strlen(text) + 1)), text); }

static unsigned char *copy_bytes(const void *bytes, size_t n) {
    return n == 0 ? NULL : memcpy(must(malloc(n)), bytes, n);
}

static char *absolute(const char *path) {
    char whole[2 * PATH_MAX];
    char folder[PATH_MAX] = "";
    if (path[0] != '/') {
        must(getcwd(folder, sizeof folder));
    }
    snprintf(whole, sizeof whole, "%s%s%s", folder, path[0] == '/' ? "" : "/", path);
    return copy_text(whole);
}

static char *name_of(int descriptor) {
    char link[64];
    char name[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t n = readlink(link, name, sizeof name - 1);
    must(n > 0 ? name : NULL);
    name[n] = '\0';
    return copy_text(name);
}

/* The file that the program sees under a name; -1: none. */
static int file_named(const char *name) {
    int file = -1;
    for (size_t i = 0; i < n_calls; i++) {
        if ((calls[i].kind == NAME || calls[i].kind == UNNAME) && strcmp(calls[i].name, name) == 0) {
            file = calls[i].kind == NAME ? calls[i].file : -1;
        }
    }
    return file;
}

static int file_of(int descriptor) { return is_active ? descriptors[descriptor].file : -1; }

static char *folder_of(const char *name) {
    char *folder = copy_text(name);
    char *slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
    return folder;
}

static void forget_calls(void) {
    for (size_t i = 0; i < n_calls; i++) {
        free(calls[i].name);
        free(calls[i].bytes);
    }
    n_calls = 0;
    n_files = 0;
    for (size_t i = 0; i < sizeof descriptors / sizeof descriptors[0]; i++) {
        descriptors[i].file = -1;
    }
}

void crash_begin(struct crash_plan wanted, const char *path) {
    static unsigned char bytes[CRASH_LARGEST_FILE];
    forget_calls();
    plan = wanted;
    n_faultable = 0;
    if (path != NULL) {
        FILE *file = must(fopen(path, "rb"));
        size_t n = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        must(n < sizeof bytes ? bytes : NULL);
        char *name = absolute(path);
        record((struct call){.kind = NAME, .file = 0, .name = name});
        record((struct call){.kind = WRITE, .file = 0, .bytes = copy_bytes(bytes, n), .n_bytes = n});
        record((struct call){.kind = SYNC, .file = 0});
        record((struct call){.kind = SYNC_FOLDER, .name = folder_of(name)});
        n_files = 1;
    }
    record((struct call){.kind = PROMISE});
    is_active = 1;
}

void crash_promise(uint64_t promise) { record((struct call){.kind = PROMISE, .at = promise}); }

uint64_t crash_end(void) {
    is_active = 0;
    return n_faultable;
}

/* ---- The calls ---- */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
ssize_t __real_write(int file, const void *from, size_t n);
ssize_t __wrap_write(int file, const void *from, size_t n);
ssize_t __real_pwrite(int file, const void *from, size_t n, off_t at);
ssize_t __wrap_pwrite(int file, const void *from, size_t n, off_t at);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_close(int file);
int __wrap_close(int file);
int __real_ftruncate(int file, off_t n);
int __wrap_ftruncate(int file, off_t n);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);

static int fails(void) {
    if (!is_active || ++n_faultable != plan.n) {
        return 0;
    }
    errno = plan.number;
    return 1;
}

int __wrap_open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & O_CREAT) != 0) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    if (fails()) {
        return -1;
    }
    int descriptor = __real_open(path, flags, mode);
    if (descriptor < 0 || !is_active || (flags & (O_WRONLY | O_RDWR)) == 0) {
        return descriptor;
    }
    char *name = name_of(descriptor);
    int file = file_named(name);
    if (file < 0) {
        file = n_files++;
        must(n_files <= MAX_FILES ? name : NULL);
        record((struct call){.kind = NAME, .file = file, .name = name});
    } else {
        free(name);
    }
    descriptors[descriptor].file = file;
    descriptors[descriptor].at = 0;
    return descriptor;
}

static size_t shorter(size_t n) {
    return is_active && plan.largest_write > 0 && n > plan.largest_write ? plan.largest_write : n;
}

static void record_write(int file, uint64_t at, const void *from, ssize_t n) {
    if (file >= 0 && n > 0) {
        must(at + (uint64_t)n <= CRASH_LARGEST_FILE ? calls : NULL);
        record((struct call){
            .kind = WRITE, .file = file, .at = at, .bytes = copy_bytes(from, (size_t)n), .n_bytes = (size_t)n});
    }
}

ssize_t __wrap_write(int descriptor, const void *from, size_t n) {
    int file = file_of(descriptor);
    ssize_t done = file >= 0 && fails() ? -1 : __real_write(descriptor, from, shorter(n));
    record_write(file, file >= 0 ? descriptors[descriptor].at : 0, from, done);
    if (file >= 0 && done > 0) {
        descriptors[descriptor].at += (uint64_t)done;
    }
    return done;
}

ssize_t __wrap_pwrite(int descriptor, const void *from, size_t n, off_t at) {
    ssize_t done = fails() ? -1 : __real_pwrite(descriptor, from, shorter(n), at);
    record_write(file_of(descriptor), (uint64_t)at, from, done);
    return done;
}

int __wrap_fsync(int descriptor) {
    if (fails()) {
        return -1;
    }
    int file = file_of(descriptor);
    if (is_active && file >= 0 && !plan.drops_file_sync) {
        record((struct call){.kind = SYNC, .file = file});
    } else if (is_active && file < 0 && !plan.drops_folder_sync) {
        record((struct call){.kind = SYNC_FOLDER, .name = name_of(descriptor)});
    }
    return 0; /* the real disk has nothing to do with it */
}

int __wrap_rename(const char *from, const char *to) {
    if (fails()) {
        return -1;
    }
    int result = __real_rename(from, to);
    if (result == 0 && is_active) {
        char *old = absolute(from);
        record((struct call){.kind = NAME, .file = file_named(old), .name = absolute(to)});
        record((struct call){.kind = UNNAME, .name = old});
    }
    return result;
}

int __wrap_close(int descriptor) {
    int result = __real_close(descriptor);
    if (is_active) {
        descriptors[descriptor].file = -1;
    }
    return fails() ? -1 : result;
}

int __wrap_ftruncate(int descriptor, off_t n) {
    int result = fails() ? -1 : __real_ftruncate(descriptor, n);
    if (result == 0 && file_of(descriptor) >= 0) {
        record((struct call){.kind = CUT, .file = file_of(descriptor), .at = (uint64_t)n});
    }
    return result;
}

int __wrap_unlink(const char *path) {
    int result = __real_unlink(path);
    if (result == 0 && is_active) {
        record((struct call){.kind = UNNAME, .name = absolute(path)});
    }
    return result;
}

/* ---- The states ---- */

struct content {
    unsigned char bytes[CRASH_LARGEST_FILE]; /* 0 behind the end */
    size_t n_bytes;
};

struct visitor {
    void (*visit)(const struct crash_state *state, void *context);
    void *context;
    const char *path;
    size_t n_cut; /* calls before the power cut */
    struct crash_state state;
    uint64_t n_visited;
};

static void show(struct visitor *visitor, const struct content *content) {
    visitor->state.exists = content != NULL;
    visitor->state.bytes = content == NULL ? NULL : content->bytes;
    visitor->state.n_bytes = content == NULL ? 0 : content->n_bytes;
    visitor->visit(&visitor->state, visitor->context);
    visitor->n_visited++;
}

static int changes(const struct call *call, int file) {
    return (call->kind == WRITE || call->kind == CUT) && call->file == file;
}

static void apply(struct content *content, const struct call *call) {
    if (call->kind == WRITE && call->n_bytes > 0) {
        size_t end = call->at + call->n_bytes;
        memcpy(content->bytes + call->at, call->bytes, call->n_bytes);
        content->n_bytes = end > content->n_bytes ? end : content->n_bytes;
    } else if (call->kind == CUT) {
        memset(content->bytes + call->at, 0, CRASH_LARGEST_FILE - call->at);
        content->n_bytes = call->at;
    }
}

/* Every mixture by sectors of what is on the disk and what should be, in every size between the two. */
static void mix(struct visitor *visitor, const struct content *disk, const struct content *wanted) {
    static struct content mixture;
    size_t low = disk->n_bytes < wanted->n_bytes ? disk->n_bytes : wanted->n_bytes;
    size_t high = disk->n_bytes < wanted->n_bytes ? wanted->n_bytes : disk->n_bytes;
    size_t first = 0;
    while (first < high && disk->bytes[first] == wanted->bytes[first]) {
        first++;
    }
    size_t sector = SECTOR;
    while (high / sector - first / sector >= MAX_SECTORS) {
        sector *= 2;
    }
    size_t begin = first / sector * sector;
    for (size_t size = low;; size = size / sector * sector + sector < high ? size / sector * sector + sector : high) {
        size_t n_sectors = size > begin ? (size - begin + sector - 1) / sector : 0;
        for (uint64_t mask = 0; mask < (uint64_t)1 << n_sectors; mask++) {
            memcpy(mixture.bytes, disk->bytes, high);
            for (size_t s = 0; s < n_sectors; s++) {
                if ((mask >> s & 1u) != 0) {
                    memcpy(mixture.bytes + begin + s * sector, wanted->bytes + begin + s * sector, sector);
                }
            }
            mixture.n_bytes = size;
            show(visitor, &mixture);
        }
        if (size == high) {
            return;
        }
    }
}

/* What may be in a file: at the cut itself, and after each of the changes that are not on the disk. */
static void visit_contents(struct visitor *visitor, int file) {
    static struct content disk;
    static struct content wanted;
    size_t n_synced = 0;
    memset(&disk, 0, sizeof disk);
    for (size_t i = 0; i < visitor->n_cut; i++) {
        n_synced = calls[i].kind == SYNC && calls[i].file == file ? i : n_synced;
    }
    for (size_t i = 0; i < n_synced; i++) {
        if (changes(&calls[i], file)) {
            apply(&disk, &calls[i]);
        }
    }
    wanted = disk;
    show(visitor, &disk);
    for (size_t i = n_synced; i < visitor->n_cut; i++) {
        if (changes(&calls[i], file)) {
            apply(&wanted, &calls[i]);
            mix(visitor, &disk, &wanted);
        }
    }
}

/* Whether a change of a name is on the disk for sure: its folder was synchronised after it. */
static int is_named_for_sure(const struct visitor *visitor, size_t change) {
    char *folder = folder_of(calls[change].name);
    int sure = 0;
    for (size_t i = change + 1; i < visitor->n_cut; i++) {
        sure = sure || (calls[i].kind == SYNC_FOLDER && strcmp(calls[i].name, folder) == 0);
    }
    free(folder);
    return sure;
}

static void visit_cut(struct visitor *visitor) {
    size_t unsure[MAX_NAMES];
    size_t n_unsure = 0;
    int named = -1;
    for (size_t i = 0; i < visitor->n_cut; i++) {
        int is_of_path =
            (calls[i].kind == NAME || calls[i].kind == UNNAME) && strcmp(calls[i].name, visitor->path) == 0;
        if (is_of_path && is_named_for_sure(visitor, i)) {
            named = calls[i].kind == NAME ? calls[i].file : -1;
        } else if (is_of_path) {
            must(n_unsure < MAX_NAMES ? unsure : NULL);
            unsure[n_unsure++] = i;
        }
        visitor->state.promise = calls[i].kind == PROMISE ? calls[i].at : visitor->state.promise;
    }
    /* Any of those not yet on the disk may have been the last to reach it, or none of them. */
    for (size_t i = 0; i <= n_unsure; i++) {
        int file = i == 0 ? named : calls[unsure[i - 1]].kind == NAME ? calls[unsure[i - 1]].file : -1;
        if (file < 0) {
            show(visitor, NULL);
        } else {
            visit_contents(visitor, file);
        }
    }
}

uint64_t crash_visit(const char *path, void (*visit)(const struct crash_state *state, void *context), void *context) {
    char *name = absolute(path);
    struct visitor visitor = {.visit = visit, .context = context, .path = name};
    size_t n_before = 0; /* the calls of what was there already */
    while (calls[n_before].kind != PROMISE) {
        n_before++;
    }
    for (visitor.n_cut = n_before + 1; visitor.n_cut <= n_calls; visitor.n_cut++) {
        visitor.state.promise = 0;
        visit_cut(&visitor);
    }
    free(name);
    return visitor.n_visited;
}
