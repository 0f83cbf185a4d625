/* A column in ascending order. Runs of equal values are found by steps that double, so a look at a place among many
 * different values costs as little as one at its neighbours. Knows nothing of bins and scaling. */
#include "data/sorted.h"

#include "data/sort.h"

static uint64_t key_at(const struct sorted *sorted, size_t place) {
    return sorted->narrow ? ((const uint32_t *)sorted->keys)[place] : ((const uint64_t *)sorted->keys)[place];
}

void mxb__sorted_write(const double *values, size_t n, int narrow, void *keys, size_t first) {
    if (narrow) {
        uint32_t *to = (uint32_t *)keys + first;
        for (size_t i = 0; i < n; i++) {
            to[i] = mxb__sort_narrow_key((float)values[i]);
        }
    } else {
        uint64_t *to = (uint64_t *)keys + first;
        for (size_t i = 0; i < n; i++) {
            to[i] = mxb__sort_key(values[i]);
        }
    }
}

struct sorted mxb__sorted_find(void *keys, void *spare, size_t n, int narrow) {
    struct sorted sorted = {.n = n, .narrow = narrow};
    sorted.keys = narrow ? (void *)mxb__sort_narrow(keys, spare, n) : (void *)mxb__sort_wide(keys, spare, n);
    /* Missing values come last, all with the same key. */
    if (n > 0 && key_at(&sorted, n - 1) == (narrow ? UINT32_MAX : UINT64_MAX)) {
        sorted.n = mxb__sorted_run_begin(&sorted, n - 1);
    }
    return sorted;
}

double mxb__sorted_value(const struct sorted *sorted, size_t place) {
    uint64_t key = key_at(sorted, place);
    return sorted->narrow ? (double)mxb__sort_narrow_value((uint32_t)key) : mxb__sort_value(key);
}

struct sorted mxb__sorted_part(const struct sorted *sorted, size_t first, size_t end) {
    return (struct sorted){.n = end - first,
                           .keys = (const char *)sorted->keys + first * mxb__sorted_key_bytes(sorted->narrow),
                           .narrow = sorted->narrow};
}

size_t mxb__sorted_run_begin(const struct sorted *sorted, size_t place) {
    uint64_t key = key_at(sorted, place);
    size_t step = 1;
    while (step <= place && key_at(sorted, place - step) == key) {
        step *= 2;
    }
    size_t inside = place - step / 2;
    size_t before = step <= place ? place - step + 1 : 0; /* the run begins here at the earliest */
    while (before < inside) {
        size_t middle = before + (inside - before) / 2;
        if (key_at(sorted, middle) == key) {
            inside = middle;
        } else {
            before = middle + 1;
        }
    }
    return inside;
}

size_t mxb__sorted_run_end(const struct sorted *sorted, size_t place) {
    uint64_t key = key_at(sorted, place);
    size_t step = 1;
    while (step < sorted->n - place && key_at(sorted, place + step) == key) {
        step *= 2;
    }
    size_t after = step < sorted->n - place ? place + step : sorted->n; /* the run ends here at the latest */
    size_t inside = place + step / 2 + 1;
    while (inside < after) {
        size_t middle = inside + (after - inside) / 2;
        if (key_at(sorted, middle) == key) {
            inside = middle + 1;
        } else {
            after = middle;
        }
    }
    return after;
}
