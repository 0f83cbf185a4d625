/* How many processors this process may keep busy. */
#ifndef MXB_BASE_PROCESSORS_H
#define MXB_BASE_PROCESSORS_H

#include <stddef.h>

/** Processors this process may use, at least 1: what its affinity allows, or fewer where its control groups (a
 *  container's limit) give it less time than that. Allocates nothing and cannot fail. */
size_t mxb__n_processors(void);

/** The same with the files below `root`, the folder that holds proc and sys, for tests. */
size_t mxb__n_processors_under(const char *root);

/** The limit of the control groups alone: quota / period rounded up, the least of the process's group and those above
 *  it; SIZE_MAX where none is set. */
size_t mxb__cgroup_processors(const char *root);

#endif
