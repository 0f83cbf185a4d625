/* How many processors there are: affinity in a child, control groups in a tree of files made for it, and, where the
 * system lets us make a group, in a real one. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "base/processors.h"

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { NO_PATH = 6000 };

static char root[] = "/tmp/mixboost_processors_XXXXXX";

/* ---- A tree of files ---- */

/* Writes a file below the root, its folders made as needed. */
static void put(const char *path, const char *text) {
    char whole[NO_PATH];
    int n = snprintf(whole, sizeof whole, "%s%s", root, path);
    for (int i = (int)strlen(root) + 1; i < n; i++) {
        if (whole[i] == '/') {
            whole[i] = '\0';
            mkdir(whole, 0700);
            whole[i] = '/';
        }
    }
    FILE *file = fopen(whole, "w");
    if (file == NULL || fputs(text, file) == EOF || fclose(file) != 0) {
        check_failed(__FILE__, __LINE__, whole);
    }
}

static void forget_all(void) {
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s/*", root);
    CHECK_INT(system(command), 0);
}

#define GROUPS "/proc/self/cgroup"
#define V2     "/sys/fs/cgroup"
#define V1     "/sys/fs/cgroup/cpu,cpuacct"

static void without_any_files(void) {
    CHECK(mxb__cgroup_processors(root) == SIZE_MAX);
    CHECK(mxb__cgroup_processors("/nowhere/at/all") == SIZE_MAX);
}

/* quota / period, rounded up. */
static void version_2_of_one_group(void) {
    static const struct {
        const char *text;
        size_t n;
    } cases[] = {{"max 100000\n", SIZE_MAX},
                 {"100000 100000\n", 1},
                 {"100001 100000\n", 2},
                 {"200000 100000\n", 2},
                 {"250000 100000\n", 3},
                 {"1000 100000\n", 1},
                 {"50000 25000", 2},
                 {"999999999999999999 1\n", 999999999999999999},
                 /* What no kernel writes sets no limit. */
                 {"", SIZE_MAX},
                 {"\n", SIZE_MAX},
                 {"100000\n", SIZE_MAX},
                 {"100000 \n", SIZE_MAX},
                 {"100000 0\n", SIZE_MAX},
                 {"0 100000\n", SIZE_MAX},
                 {"-1 100000\n", SIZE_MAX},
                 {"100000 max\n", SIZE_MAX},
                 {"9999999999999999999999999 100000\n", SIZE_MAX},
                 {"nonsense", SIZE_MAX}};
    put(GROUPS, "0::/a/b\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        put(V2 "/a/b/cpu.max", cases[i].text);
        CHECK_INT(mxb__cgroup_processors(root), cases[i].n);
    }
    forget_all();
}

/* The least of all levels counts, whichever it is; groups beside the process's own do not. */
static void version_2_of_the_groups_above(void) {
    static const char *const levels[] = {V2 "/a/b/c/cpu.max", V2 "/a/b/cpu.max", V2 "/a/cpu.max", V2 "/cpu.max"};
    put(GROUPS, "0::/a/b/c\n");
    put(V2 "/a/b/c/d/cpu.max", "100000 100000\n");
    put(V2 "/a/other/cpu.max", "100000 100000\n");
    put("/sys/fs/cpu.max", "100000 100000\n");
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            put(levels[j], i == j ? "300000 100000\n" : j % 2 == 0 ? "max 100000\n" : "700000 100000\n");
        }
        CHECK_INT(mxb__cgroup_processors(root), 3);
    }
    forget_all();
}

/* In a container the path may be the one outside, of which only the top is mounted. */
static void version_2_of_a_path_that_is_not_there(void) {
    put(GROUPS, "0::/docker/0123456789abcdef\n");
    put(V2 "/cpu.max", "200000 100000\n");
    CHECK_INT(mxb__cgroup_processors(root), 2);
    put(GROUPS, "0::/\n");
    CHECK_INT(mxb__cgroup_processors(root), 2);
    put(GROUPS, "0::/../other\n");
    CHECK_INT(mxb__cgroup_processors(root), 2);
    forget_all();
}

static void version_1(void) {
    put(GROUPS, "9:memory:/m\n4:cpu,cpuacct:/docker/x\n1:name=systemd:/\n");
    put(V1 "/docker/x/cpu.cfs_quota_us", "150000\n");
    put(V1 "/docker/x/cpu.cfs_period_us", "50000\n");
    CHECK_INT(mxb__cgroup_processors(root), 3);
    put(V1 "/docker/cpu.cfs_quota_us", "100000\n");
    put(V1 "/docker/cpu.cfs_period_us", "100000\n");
    CHECK_INT(mxb__cgroup_processors(root), 1);
    put(V1 "/docker/cpu.cfs_quota_us", "-1\n");
    CHECK_INT(mxb__cgroup_processors(root), 3);
    put(V1 "/docker/x/cpu.cfs_quota_us", "-1\n");
    CHECK(mxb__cgroup_processors(root) == SIZE_MAX);
    forget_all();
    put(GROUPS, "4:cpuacct,cpu:/\n"); /* mounted as plain cpu */
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    CHECK_INT(mxb__cgroup_processors(root), 4);
    put(GROUPS, "5:cpuset:/\n4:cpuacct:/\n3:xcpu,cpux,:/\n2:blkio:/\n");
    CHECK(mxb__cgroup_processors(root) == SIZE_MAX);
    forget_all();
}

/* Both at once, as systems in between have them: the least counts. */
static void both_versions(void) {
    put(GROUPS, "3:cpu,cpuacct:/x\n0::/y\n");
    put(V1 "/x/cpu.cfs_quota_us", "300000\n");
    put(V1 "/x/cpu.cfs_period_us", "100000\n");
    CHECK_INT(mxb__cgroup_processors(root), 3);
    put(V2 "/y/cpu.max", "200000 100000\n");
    CHECK_INT(mxb__cgroup_processors(root), 2);
    forget_all();
}

/* Lines of any length and content: passed over, and what follows is still read. */
static void strange_lines(void) {
    static char text[20000];
    size_t n = 0;
    n += (size_t)sprintf(text, "\n:\n::\n0:\n0::\n0::relative\n7::/x\n:cpu:/x\nnonsense\n0::/");
    memset(text + n, 'a', 9000);
    n += 9000;
    n += (size_t)sprintf(text + n, "\n1:cpu:/");
    for (int i = 0; i < 1900; i++) { /* deep, and just short enough */
        n += (size_t)sprintf(text + n, "b/");
    }
    sprintf(text + n, "\n0::/last\n");
    put(GROUPS, text);
    CHECK(mxb__cgroup_processors(root) == SIZE_MAX);
    put(V2 "/last/cpu.max", "500000 100000\n");
    CHECK_INT(mxb__cgroup_processors(root), 5);
    forget_all();
}

/* ---- This process ---- */

/* What mxb__n_processors says in a child after `prepare`; 0 where that failed. */
static int count_in_child(int (*prepare)(void)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        size_t n = prepare() ? mxb__n_processors() : 0;
        _exit(n < 100 ? (int)n : 100);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static int stay_on_one(void) {
    cpu_set_t allowed;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
        return 0;
    }
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(i, &allowed)) {
            CPU_SET(i, &one);
            return sched_setaffinity(0, sizeof one, &one) == 0;
        }
    }
    return 0;
}

static int change_nothing(void) { return 1; }

static void follows_affinity(void) {
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    size_t n = mxb__n_processors();
    size_t limit = mxb__cgroup_processors("");
    size_t n_allowed = (size_t)CPU_COUNT(&allowed);
    CHECK_INT(n, limit < n_allowed ? limit : n_allowed);
    CHECK_INT(count_in_child(change_nothing), n < 100 ? n : 100);
    CHECK_INT(count_in_child(stay_on_one), 1);
}

/* The less of the two: of a limit of 1, and of one that no machine has the processors for. */
static void follows_the_groups(void) {
    size_t without = mxb__n_processors_under("/nowhere/at/all");
    put(GROUPS, "0::/a\n");
    put(V2 "/a/cpu.max", "1000 100000\n");
    CHECK_INT(mxb__n_processors_under(root), 1);
    put(V2 "/a/cpu.max", "900000000000 100000\n");
    CHECK_INT(mxb__n_processors_under(root), without);
    CHECK(without >= mxb__n_processors());
    forget_all();
}

static char group[200];

static int write_group(const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", group, name);
    FILE *file = fopen(path, "r+");
    int fine = file != NULL && fputs(text, file) != EOF;
    return (file == NULL || fclose(file) == 0) && fine;
}

static int join_group(void) { return write_group("cgroup.procs", "0\n"); }

/* Needs a system that lets us make a group with a limit, of either version; elsewhere nothing is done. */
static void follows_a_real_group(void) {
    static const struct {
        const char *top, *file, *limit;
    } versions[] = {{"/sys/fs/cgroup", "cpu.max", "100000 100000\n"},
                    {"/sys/fs/cgroup/cpu", "cpu.cfs_quota_us", "100000\n"}};
    for (int i = 0; i < 2; i++) {
        snprintf(group, sizeof group, "%s/mixboost_test_%d", versions[i].top, (int)getpid());
        if (mkdir(group, 0755) != 0) {
            continue;
        }
        if (write_group(versions[i].file, versions[i].limit)) {
            int n = count_in_child(join_group);
            CHECK(n == 0 || n == 1); /* 0: the group would not take the child */
        }
        CHECK_INT(rmdir(group), 0);
    }
}

int main(void) {
    if (mkdtemp(root) == NULL) {
        perror(root);
        return 1;
    }
    RUN(without_any_files);
    RUN(version_2_of_one_group);
    RUN(version_2_of_the_groups_above);
    RUN(version_2_of_a_path_that_is_not_there);
    RUN(version_1);
    RUN(both_versions);
    RUN(strange_lines);
    RUN(follows_affinity);
    RUN(follows_the_groups);
    RUN(follows_a_real_group);
    rmdir(root);
    return check_report();
}
