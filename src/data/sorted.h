/* A column in ascending order whose rows weigh 1 each: what lies where is found without a look at every value. */
#ifndef MXB_DATA_SORTED_H
#define MXB_DATA_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* Equal values are neighbours and form a run; the place of a value is the weight below it. */
struct sorted {
    size_t n;         /* values, missing ones not counted */
    const void *keys; /* of floats in 32 bits or of doubles in 64, see sort.h */
    int narrow;
};

/** Bytes of a key. */
static inline size_t mxb__sorted_key_bytes(int narrow) { return narrow ? sizeof(uint32_t) : sizeof(uint64_t); }

/** Writes the keys of n values (NaN = missing) to `keys`, at `first` and behind; narrow ones for values that are
 *  floats. */
void mxb__sorted_write(const double *values, size_t n, int narrow, void *keys, size_t first);

/** Sorts n keys so written. `spare` has as much room; the result lies in one of the two. */
struct sorted mxb__sorted_find(void *keys, void *spare, size_t n, int narrow);

double mxb__sorted_value(const struct sorted *sorted, size_t place);

/** The values first .. end - 1 as a column of their own. */
struct sorted mxb__sorted_part(const struct sorted *sorted, size_t first, size_t end);

/** Where the run that `place` is in begins, and where the next one does (n after the last). */
size_t mxb__sorted_run_begin(const struct sorted *sorted, size_t place);
size_t mxb__sorted_run_end(const struct sorted *sorted, size_t place);

#endif
