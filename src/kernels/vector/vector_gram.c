/* Z'HZ of the ridge rounds: tiles of sums that stay in registers for a run of rows, SIMD across columns. Every sum runs
 * over the rows in order, so the bits are those of portable C. */
#include "kernels/vector/vector_training.h"

/* A run is the rows, and a panel the columns, whose values are doubles at the same time: they stay in L2, and those of
 * a tile in L1, where a panel of an odd number of cache lines spreads its rows over all sets. */
enum { RUN_ROWS = 64, PANEL = 104 };

/* Components and vectors of columns of a tile: as many sums as the registers hold beside the operands. */
enum { GROUP = WIDTH, VECTORS = WIDTH == 8 ? 3 : 2 };

struct gram_run {
    size_t n_rows;
    double columns[RUN_ROWS][PANEL];  /* z of the panel */
    double weighted[RUN_ROWS][GROUP]; /* h z of a group of components */
    /* Where a group meets the columns of the same number, only a triangle is wanted. */
    double squares[PANEL / GROUP][GROUP][WIDTH];
};

/* The sums of a group, `stride` from one component to the next. */
struct gram_sums {
    double *first;
    size_t stride;
    size_t n_components; /* GROUP, but for the last components of all */
};

/* Components first .. first + n_components - 1 of the group and n_vectors from `column` on; both counts and `exact` are
 * constants where this is inlined. */
MXB__INLINE void add_tile(const struct gram_run *run, size_t column, size_t n_vectors, size_t first,
                          size_t n_components, struct gram_sums to, int exact) {
    double *out = to.first + first * to.stride;
    doubles sums[GROUP][VECTORS];
    for (size_t j = 0; j < n_components; j++) {
        for (size_t v = 0; v < n_vectors; v++) {
            sums[j][v] = load(out + j * to.stride + v * WIDTH);
        }
    }
    for (size_t i = 0; i < run->n_rows; i++) {
        doubles z[VECTORS];
        for (size_t v = 0; v < n_vectors; v++) {
            z[v] = load(run->columns[i] + column + v * WIDTH);
        }
        for (size_t j = 0; j < n_components; j++) {
            doubles weighted = all(run->weighted[i][first + j]);
            for (size_t v = 0; v < n_vectors; v++) {
                sums[j][v] = exact ? plus_exact(sums[j][v], weighted, z[v]) : sums[j][v] + weighted * z[v];
            }
        }
    }
    for (size_t j = 0; j < n_components; j++) {
        for (size_t v = 0; v < n_vectors; v++) {
            store(out + j * to.stride + v * WIDTH, sums[j][v]);
        }
    }
}

/* All components of the group. */
MXB__INLINE void add_vectors(const struct gram_run *run, size_t column, size_t n_vectors, struct gram_sums to,
                             int exact) {
    if (to.n_components == GROUP) {
        add_tile(run, column, n_vectors, 0, GROUP, to, exact);
        return;
    }
    size_t j = 0;
    for (; j + GROUP / 2 <= to.n_components; j += GROUP / 2) {
        add_tile(run, column, n_vectors, j, GROUP / 2, to, exact);
    }
    for (; j < to.n_components; j++) {
        add_tile(run, column, n_vectors, j, 1, to, exact);
    }
}

/* The panel's columns before n_columns, a whole number of vectors. */
MXB__INLINE void add_columns(const struct gram_run *run, size_t n_columns, struct gram_sums to, int exact) {
    size_t column = 0;
    for (; column + VECTORS * WIDTH <= n_columns; column += VECTORS * WIDTH, to.first += VECTORS * WIDTH) {
        add_vectors(run, column, VECTORS, to, exact);
    }
    for (; column < n_columns; column += WIDTH, to.first += WIDTH) {
        add_vectors(run, column, 1, to, exact);
    }
}

/* `to` has room for whole vectors. */
static inline void widen(const float *from, size_t n, double *to) {
    size_t k = 0;
    for (; k + WIDTH <= n; k += WIDTH) {
        store(to + k, widened(load_floats(from + k)));
    }
    if (k < n) {
        store(to + k, widened(load_first_floats(from + k, n - k)));
    }
}

/* A group from component j on; its values are in the panel, or come from z. */
MXB__INLINE void weigh(struct gram_run *run, const float *z, const double *h, size_t c, size_t j, size_t start,
                       size_t end, int rounded) {
    for (size_t i = 0; i < run->n_rows; i++) {
        double *weighted = run->weighted[i];
        __builtin_prefetch(z + (i + RUN_ROWS) * c + j); /* of the next run, while this one is added up */
        if (j >= end) {
            widen(z + i * c + j, c - j < GROUP ? c - j : GROUP, weighted);
        }
        doubles hz = h[i] * load(j < end ? run->columns[i] + (j - start) : weighted);
        store(weighted, rounded ? widened(narrowed(hz)) : hz);
    }
}

/* A run of rows to the columns start .. end - 1 of the components that have them. */
MXB__INLINE void add_run(struct gram_run *run, const float *z, const double *h, size_t c, size_t start, size_t end,
                         double *gram, int rounded) {
    for (size_t i = 0; i < run->n_rows; i++) {
        widen(z + i * c + start, end - start, run->columns[i]);
    }
    for (size_t j = start; j < c; j += GROUP) {
        size_t n_components = c - j < GROUP ? c - j : GROUP;
        size_t n_columns = j < end ? j - start : end - start;
        weigh(run, z, h, c, j, start, end, rounded);
        add_columns(run, n_columns, (struct gram_sums){gram + j * c + start, c, n_components}, rounded);
        if (j < end) {
            double *square = run->squares[n_columns / GROUP][0];
            add_vectors(run, n_columns, 1, (struct gram_sums){square, WIDTH, n_components}, rounded);
        }
    }
}

enum direction { FROM_GRAM, TO_GRAM };

static void copy_squares(struct gram_run *run, double *gram, size_t c, size_t start, size_t end, enum direction way) {
    for (size_t j = start; j < end; j++) {
        size_t inside = (j - start) % GROUP;
        double *square = run->squares[(j - start) / GROUP][inside];
        double *row = gram + j * c + (j - inside);
        memcpy(way == TO_GRAM ? row : square, way == TO_GRAM ? square : row, (inside + 1) * sizeof *row);
    }
}

void MXB__KERNEL(gram)(const float *z, const double *h, size_t n, size_t n_components, int rounded, double *gram) {
    size_t c = n_components;
    struct gram_run run;
    memset(run.squares, 0, sizeof run.squares); /* what is beside the triangles is added, too, and dropped */
    for (size_t start = 0; start < c; start += PANEL) {
        size_t end = c - start < PANEL ? c : start + PANEL;
        copy_squares(&run, gram, c, start, end, FROM_GRAM);
        for (size_t first = 0; first < n; first += RUN_ROWS) {
            run.n_rows = n - first < RUN_ROWS ? n - first : RUN_ROWS;
            if (rounded) {
                add_run(&run, z + first * c, h + first, c, start, end, gram, 1);
            } else {
                add_run(&run, z + first * c, h + first, c, start, end, gram, 0);
            }
        }
        copy_squares(&run, gram, c, start, end, TO_GRAM);
    }
}
