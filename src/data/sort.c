/* Sorting columns: radix sort on the bits of a number, least significant digit first, three digits at a time. Knows
 * nothing of bins. */
#include "data/sort.h"

#include <string.h>

enum { DIGIT_BITS = 11, RADIX = 1 << DIGIT_BITS, N_DIGITS = 3, TURN_BITS = N_DIGITS * DIGIT_BITS };

/* A run of keys with the same upper bits is put in order by insertion up to this length. */
enum { SHORT_RUN = 24 };

struct keyed {
    void *keys;     /* 32 or 64 bits each */
    uint32_t *rows; /* NULL = keys alone */
};

/* `narrow` is a constant where these are inlined. */
static inline uint64_t key_at(const void *keys, size_t i, int narrow) {
    return narrow ? ((const uint32_t *)keys)[i] : ((const uint64_t *)keys)[i];
}

static inline size_t digit_of(uint64_t key, unsigned shift) { return (size_t)(key >> shift) & (RADIX - 1); }

static inline void move_by_digit(struct keyed from, struct keyed to, size_t n, unsigned shift, int narrow,
                                 uint32_t places[RADIX]) {
    uint32_t sum = 0;
    for (size_t d = 0; d < RADIX; d++) {
        uint32_t count = places[d];
        places[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t key = key_at(from.keys, i, narrow);
        size_t place = places[digit_of(key, shift)]++;
        if (narrow) {
            ((uint32_t *)to.keys)[place] = (uint32_t)key;
        } else {
            ((uint64_t *)to.keys)[place] = key;
        }
        if (from.rows != NULL) {
            to.rows[place] = from.rows[i];
        }
    }
}

/* Sorts by the digits from bit `shift` on; which of the two then has the result is returned, the other is spare. */
static inline struct keyed sort_turn(struct keyed from, struct keyed to, size_t n, unsigned shift, int narrow) {
    uint32_t counts[N_DIGITS][RADIX];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++) {
        uint64_t key = key_at(from.keys, i, narrow) >> shift;
        for (unsigned digit = 0; digit < N_DIGITS; digit++) {
            counts[digit][digit_of(key, digit * DIGIT_BITS)]++;
        }
    }
    for (unsigned digit = 0; digit < N_DIGITS && n > 0; digit++) {
        unsigned digit_shift = shift + digit * DIGIT_BITS;
        if (counts[digit][digit_of(key_at(from.keys, 0, narrow), digit_shift)] == n) {
            continue; /* one value in all keys: nothing to move */
        }
        move_by_digit(from, to, n, digit_shift, narrow, counts[digit]);
        struct keyed moved = to;
        to = from;
        from = moved;
    }
    return from;
}

void mxb__sort_keys(uint64_t *keys, uint32_t *rows, size_t n, uint64_t *spare_keys, uint32_t *spare_rows) {
    struct keyed given = {keys, rows};
    struct keyed spare = {spare_keys, rows != NULL ? spare_rows : NULL};
    struct keyed sorted = sort_turn(given, spare, n, 0, 0);
    sorted = sort_turn(sorted, sorted.keys == keys ? spare : given, n, TURN_BITS, 0);
    if (sorted.keys != keys) {
        memcpy(keys, sorted.keys, n * sizeof *keys);
        if (rows != NULL) {
            memcpy(rows, sorted.rows, n * sizeof *rows);
        }
    }
}

uint32_t *mxb__sort_narrow(uint32_t *keys, uint32_t *spare, size_t n) {
    return sort_turn((struct keyed){keys, NULL}, (struct keyed){spare, NULL}, n, 0, 1).keys;
}

/* ---- Upper bits first ---- */

enum { LOWER_BITS = 64 - TURN_BITS };

uint64_t *mxb__sort_upper(uint64_t *words, uint64_t *spare, size_t n) {
    return sort_turn((struct keyed){words, NULL}, (struct keyed){spare, NULL}, n, LOWER_BITS, 0).keys;
}

static void insert_each(uint64_t *keys, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint64_t key = keys[i];
        size_t place = i;
        for (; place > 0 && keys[place - 1] > key; place--) {
            keys[place] = keys[place - 1];
        }
        keys[place] = key;
    }
}

/* Sorts keys that differ in their lower bits only. */
static void sort_run(uint64_t *keys, uint64_t *spare, size_t n) {
    if (n <= SHORT_RUN) {
        insert_each(keys, n);
        return;
    }
    uint64_t *sorted = sort_turn((struct keyed){keys, NULL}, (struct keyed){spare, NULL}, n, 0, 0).keys;
    if (sorted != keys) {
        memcpy(keys, sorted, n * sizeof *keys);
    }
}

uint64_t *mxb__sort_wide(uint64_t *keys, uint64_t *spare, size_t n) {
    uint64_t *sorted = mxb__sort_upper(keys, spare, n);
    uint64_t *unused = sorted == keys ? spare : keys;
    for (size_t begin = 0, end = 1; begin < n; begin = end++) {
        int is_ascending = 1;
        for (; end < n && sorted[end] >> LOWER_BITS == sorted[begin] >> LOWER_BITS; end++) {
            is_ascending &= sorted[end - 1] <= sorted[end];
        }
        if (!is_ascending) {
            sort_run(sorted + begin, unused + begin, end - begin);
        }
    }
    return sorted;
}
