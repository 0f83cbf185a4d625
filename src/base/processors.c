/* Counts processors: by affinity, and by the time the control groups of this process give it. What cannot be read, or
 * does not look as expected, sets no limit. Knows nothing of threads. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/processors.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longer lines and paths than any system has are passed over. */
enum { LINE_SIZE = 4096, PATH_SIZE = LINE_SIZE + 512, CHUNK = 512, LIMIT_SIZE = 64, MAX_DIGITS = 18 };

#define NO_LIMIT SIZE_MAX

static size_t read_bytes(int file, char *bytes, size_t n) {
    ssize_t n_read;
    do {
        n_read = read(file, bytes, n);
    } while (n_read < 0 && errno == EINTR);
    return n_read > 0 ? (size_t)n_read : 0;
}

/* ---- A group's limit ---- */

/* Reads a small file of a group as a text; "" where there is none. */
static void read_limit(const char *folder, const char *name, char text[LIMIT_SIZE]) {
    char path[PATH_SIZE];
    text[0] = '\0';
    int n = snprintf(path, sizeof path, "%s/%s", folder, name);
    int file = n > 0 && n < (int)sizeof path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        text[read_bytes(file, text, LIMIT_SIZE - 1)] = '\0';
        close(file);
    }
}

/* The number that `text` begins with; 0 where it is none ("max", "-1"). *end is what follows. */
static uint64_t parse_count(const char *text, const char **end) {
    uint64_t count = 0;
    int n_digits = 0;
    while (text[n_digits] >= '0' && text[n_digits] <= '9' && n_digits < MAX_DIGITS) {
        count = 10 * count + (uint64_t)(text[n_digits++] - '0');
    }
    *end = text + n_digits;
    return count;
}

static size_t processors_of(uint64_t quota, uint64_t period) {
    return quota == 0 || period == 0 ? NO_LIMIT : (size_t)((quota - 1) / period + 1);
}

/* Version 2: "quota period" or "max period" in one file. */
static size_t limit_of_v2(const char *folder) {
    char text[LIMIT_SIZE];
    const char *end;
    read_limit(folder, "cpu.max", text);
    uint64_t quota = parse_count(text, &end);
    return *end == ' ' ? processors_of(quota, parse_count(end + 1, &end)) : NO_LIMIT;
}

/* Version 1: a file each; a quota of -1 is none. */
static size_t limit_of_v1(const char *folder) {
    char quota[LIMIT_SIZE];
    char period[LIMIT_SIZE];
    const char *end;
    read_limit(folder, "cpu.cfs_quota_us", quota);
    read_limit(folder, "cpu.cfs_period_us", period);
    return processors_of(parse_count(quota, &end), parse_count(period, &end));
}

/* ---- All groups of the process ---- */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The least limit of group `group` ("/a/b") and those above it. A container may see its own group as the top of the
 * mount and still be told the path it has outside: then only the top is there. */
static size_t limit_up_to_mount(const char *root, const char *mount, const char *group,
                                size_t (*limit_of)(const char *folder)) {
    char folder[PATH_SIZE];
    int n_mount = snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, mount);
    int n = snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s%s", root, mount, strcmp(group, "/") == 0 ? "" : group);
    if (n_mount < 0 || n < n_mount || n >= (int)sizeof folder) {
        return NO_LIMIT;
    }
    size_t limit = limit_of(folder);
    for (int end = n - 1; end >= n_mount; end--) {
        if (folder[end] == '/') {
            folder[end] = '\0';
            limit = smaller(limit, limit_of(folder));
        }
    }
    return limit;
}

/* Whether "cpu" is one of "cpu,cpuacct". */
static int has_cpu(const char *controllers) {
    for (const char *name = controllers; name != NULL; name = strchr(name, ',')) {
        name += *name == ',';
        size_t n = strcspn(name, ",");
        if (n == 3 && memcmp(name, "cpu", n) == 0) {
            return 1;
        }
    }
    return 0;
}

/* A line of /proc/self/cgroup: "0::/group" of version 2, "4:cpu,cpuacct:/group" of version 1. */
static size_t limit_of_line(const char *root, char *line) {
    char mount[LINE_SIZE];
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL || group[1] != '/') {
        return NO_LIMIT;
    }
    *group++ = '\0';
    *controllers++ = '\0';
    if (strcmp(line, "0") == 0 && *controllers == '\0') {
        return limit_up_to_mount(root, "", group, limit_of_v2);
    }
    if (!has_cpu(controllers)) {
        return NO_LIMIT;
    }
    snprintf(mount, sizeof mount, "/%s", controllers); /* most systems also have it as plain "cpu", but not all */
    return smaller(limit_up_to_mount(root, mount, group, limit_of_v1),
                   limit_up_to_mount(root, "/cpu", group, limit_of_v1));
}

size_t mxb__cgroup_processors(const char *root) {
    char line[LINE_SIZE];
    char chunk[CHUNK];
    size_t limit = NO_LIMIT;
    size_t n_line = 0;
    int n = snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    int file = n > 0 && n < (int)sizeof line ? open(line, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) {
        return NO_LIMIT;
    }
    for (size_t n_read; (n_read = read_bytes(file, chunk, sizeof chunk)) > 0;) {
        for (size_t i = 0; i < n_read; i++) {
            if (chunk[i] == '\n' && n_line < sizeof line) {
                line[n_line] = '\0';
                limit = smaller(limit, limit_of_line(root, line));
            } else if (n_line < sizeof line) {
                line[n_line] = chunk[i];
            }
            n_line = chunk[i] == '\n' ? 0 : n_line + 1;
        }
    }
    close(file);
    return limit;
}

static size_t count_by_affinity(void) {
#ifdef CPU_COUNT
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0) {
        return (size_t)CPU_COUNT(&allowed);
    }
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (size_t)n : 1;
}

size_t mxb__n_processors_under(const char *root) {
    size_t n = count_by_affinity();
    return n == 1 ? 1 : smaller(n, mxb__cgroup_processors(root));
}

size_t mxb__n_processors(void) { return mxb__n_processors_under(""); }
