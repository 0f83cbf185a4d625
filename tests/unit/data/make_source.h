/* Training data for the tests of prepared data: every type of column, at odd addresses. */
#ifndef MAKE_SOURCE_H
#define MAKE_SOURCE_H

#include <stdlib.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "check.h"
#include "data/prepared.h"

static const struct random_stream RANDOM = {0x70726570};

enum { N_ROWS = 3001, N_FEATURES = 15 };

/* One row of the caller's data: every type, at odd addresses. */
#pragma pack(push, 1)
struct source {
    uint8_t odd;
    double f64;
    float f32;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    uint8_t flag;
    double empty;
    double constant;
    double weight;
    int16_t label;
};
#pragma pack(pop)

static struct source source[N_ROWS];
static uint8_t validity[N_ROWS / 8 + 3];
static double plain[N_ROWS]; /* a feature of its own, contiguous */
enum { VALIDITY_OFFSET = 5, VALIDITY_FEATURE = 4 };

static inline void make_source(void) {
    for (uint64_t i = 0; i < N_ROWS; i++) {
        uint64_t bits = mxb__random_bits(RANDOM, i);
        double x = mxb__random_normal(RANDOM, 10000 + i);
        struct source *row = &source[i];
        row->f64 = i % 11 == 0 ? NAN : i % 97 == 0 ? INFINITY : i % 89 == 0 ? -INFINITY : x;
        row->f32 = i % 13 == 0 ? NAN : (float)(x * x);
        row->i8 = (int8_t)bits;
        row->i16 = (int16_t)(bits >> 8);
        row->i32 = (int32_t)(uint32_t)(bits >> 16);
        row->i64 = (int64_t)bits;
        row->u8 = (uint8_t)(bits >> 24);
        row->u16 = (uint16_t)(bits >> 32);
        row->u32 = (uint32_t)(bits >> 20);
        row->u64 = bits;
        row->flag = (uint8_t)((bits >> 40) % 3); /* 2 is as true as 1 */
        row->empty = NAN;
        row->constant = 2.5;
        row->weight = i % 7 == 3 ? 0 : (double)(1 + bits % 4);
        row->label = (int16_t)(i % 7 == 3 ? 99 : (bits >> 50) % 2 == 0 ? -5 : 6);
        plain[i] = floor(4 * x);
    }
    for (size_t i = 0; i < sizeof validity; i++) {
        validity[i] = (uint8_t)mxb__random_bits(RANDOM, 20000 + i);
    }
}

static inline int is_valid(size_t row) {
    size_t bit = VALIDITY_OFFSET + row;
    return (validity[bit / 8] >> (bit % 8) & 1) != 0;
}

/* The value of a feature as the caller means it. */
static inline double value_of(size_t row, size_t feature) {
    const struct source *s = &source[row];
    switch (feature) {
        case 0:
            return s->f64;
        case 1:
            return (double)s->f32;
        case 2:
            return s->i8;
        case 3:
            return s->i16;
        case 4:
            return is_valid(row) ? (double)s->i32 : (double)NAN;
        case 5:
            return (double)s->i64;
        case 6:
            return s->u8;
        case 7:
            return s->u16;
        case 8:
            return s->u32;
        case 9:
            return (double)s->u64;
        case 10:
            return s->flag != 0;
        case 11:
            return NAN;
        case 12:
            return 2.5;
        case 13:
            return plain[row];
        default:
            return source[N_ROWS - 1 - row].f64; /* a negative stride */
    }
}

static inline mxb_status add_features(mxb_dataset *dataset, mxb_error *error) {
    ptrdiff_t step = sizeof *source;
    struct {
        const void *data;
        ptrdiff_t stride;
        mxb_type type;
    } columns[N_FEATURES] = {{&source->f64, step, MXB_FLOAT64},
                             {&source->f32, step, MXB_FLOAT32},
                             {&source->i8, step, MXB_INT8},
                             {&source->i16, step, MXB_INT16},
                             {&source->i32, step, MXB_INT32},
                             {&source->i64, step, MXB_INT64},
                             {&source->u8, step, MXB_UINT8},
                             {&source->u16, step, MXB_UINT16},
                             {&source->u32, step, MXB_UINT32},
                             {&source->u64, step, MXB_UINT64},
                             {&source->flag, step, MXB_BOOL},
                             {&source->empty, step, MXB_FLOAT64},
                             {&source->constant, step, MXB_FLOAT64},
                             {plain, sizeof *plain, MXB_FLOAT64},
                             {&source[N_ROWS - 1].f64, -step, MXB_FLOAT64}};
    for (size_t f = 0; f < N_FEATURES; f++) {
        char name[8];
        snprintf(name, sizeof name, "x%zu", f);
        mxb_status status =
            mxb_dataset_add_column(dataset, name, columns[f].data, columns[f].stride, columns[f].type, error);
        if (status != MXB_OK) {
            return status;
        }
    }
    return mxb_dataset_set_validity(dataset, VALIDITY_FEATURE, validity, VALIDITY_OFFSET, error);
}

/* The whole of it, or NULL. */
static inline mxb_dataset *make_dataset(int weighted) {
    mxb_dataset *dataset;
    mxb_error error;
    mxb_status status = mxb_dataset_create(N_ROWS, &dataset, &error);
    if (status == MXB_OK) {
        status = add_features(dataset, &error);
    }
    if (status == MXB_OK) {
        status = mxb_dataset_set_label(dataset, &source->label, sizeof *source, MXB_INT16, &error);
    }
    if (status == MXB_OK && weighted) {
        status = mxb_dataset_set_weight(dataset, &source->weight, sizeof *source, MXB_FLOAT64, &error);
    }
    if (status != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
        mxb_dataset_free(dataset);
        return NULL;
    }
    return dataset;
}

static inline mxb_prepared *prepare(const mxb_dataset *dataset, struct prepare_settings settings, size_t n_threads) {
    mxb_prepared *prepared = NULL;
    mxb_error error;
    struct pool *pool = mxb__pool_open(n_threads);
    if (mxb__prepared_create(dataset, &settings, pool, &prepared, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    mxb__pool_close(pool);
    return prepared;
}

static inline int same_scaling(const struct scaling_feature *a, const struct scaling_feature *b) {
    return memcmp(&a->center, &b->center, sizeof a->center) == 0 &&
           memcmp(&a->factor, &b->factor, sizeof a->factor) == 0 && a->missing == b->missing &&
           a->n_knots == b->n_knots &&
           (a->n_knots == 0 || (memcmp(a->knots, b->knots, a->n_knots * sizeof *a->knots) == 0 &&
                                memcmp(a->knot_scores, b->knot_scores, a->n_knots * sizeof *a->knot_scores) == 0));
}

/* Data is prepared with its n-th allocation failing, or all from there on, until none is left to fail. */
static inline void check_failing_allocations(const struct prepare_settings *settings) {
    mxb_error error;
    mxb_dataset *dataset = make_dataset(1);
    REQUIRE(dataset != NULL);
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        mxb_prepared *prepared = NULL;
        mxb_status status = MXB_ERROR_MEMORY;
        uint64_t n = 0;
        while (status == MXB_ERROR_MEMORY && n < 1000) {
            error.message[0] = '\0';
            mxb__memory_fail_at(++n, for_ever);
            status = mxb__prepared_create(dataset, settings, NULL, &prepared, &error);
            mxb__memory_fail_at(0, 0);
            CHECK((status == MXB_OK) == (prepared != NULL));
            CHECK(status == MXB_OK || strncmp(error.message, "out of memory: ", 15) == 0);
        }
        CHECK_INT(status, MXB_OK);
        CHECK(n > 10);
        mxb_prepared_free(prepared);
    }
    mxb_dataset_free(dataset);
}

#endif
