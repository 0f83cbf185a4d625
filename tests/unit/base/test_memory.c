#define _DEFAULT_SOURCE /* mincore */
#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static int is_aligned(const void *pointer) { return (uintptr_t)pointer % 64 == 0; }

static void blocks_are_aligned_and_whole(void) {
    static const size_t counts[] = {0, 1, 3, 63, 64, 65, 1000, 4096, 100003};
    static const size_t sizes[] = {0, 1, 2, 7, 8, 24, 64, 129};
    mxb_error error;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof sizes[0]; j++) {
            unsigned char *block = NULL;
            OK(mxb__alloc(&block, counts[i], sizes[j], "a test", &error), error);
            CHECK(block != NULL && is_aligned(block));
            memset(block, 0xa5, counts[i] * sizes[j]); /* the sanitizer sees a block that is too short */
            mxb__free(block);
            OK(mxb__alloc_zeroed(&block, counts[i], sizes[j], "a test", &error), error);
            CHECK(block != NULL && is_aligned(block));
            size_t n_set = 0;
            for (size_t k = 0; k < counts[i] * sizes[j]; k++) {
                n_set += block[k] != 0;
            }
            CHECK_INT(n_set, 0);
            mxb__free(block);
        }
    }
    mxb__free(NULL);
}

/* Whole huge pages can be had only where they begin. */
static void large_blocks_begin_with_a_huge_page(void) {
    const size_t huge_page = (size_t)1 << 21;
    for (size_t n = 2 * huge_page; n <= 3 * huge_page; n += huge_page / 2 + 1) {
        unsigned char *block;
        mxb_error error;
        OK(mxb__alloc(&block, n, 1, "a test", &error), error);
        CHECK((uintptr_t)block % huge_page == 0);
        block[0] = block[n - 1] = 1;
        mxb__free(block);
    }
}

/* What was wished to be left alone is not there before it is used, although a huge page would reach into it. */
static void seldom_used_parts_cost_nothing(void) {
    const size_t n = (size_t)40 << 20, used = (size_t)37 << 20; /* more than the heap would recycle */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *block;
    mxb_error error;
    OK(mxb__alloc(&block, n, 1, "a test", &error), error);
    mxb__memory_seldom_used(block + used + 1, n - used - 1);
    mxb__memory_seldom_used(block + 1, 100); /* too small to matter */
    memset(block, 7, used);
    unsigned char is_there[8];
    REQUIRE(sizeof is_there * page <= n - used - ((size_t)1 << 16));
    REQUIRE(mincore(block + used + (1 << 16), sizeof is_there * page, is_there) == 0);
    for (size_t i = 0; i < sizeof is_there; i++) {
        CHECK_INT(is_there[i] & 1, 0);
    }
    memset(block + used, 7, n - used);
    size_t n_wrong = 0;
    for (size_t i = 0; i < n; i++) {
        n_wrong += block[i] != 7;
    }
    CHECK_INT(n_wrong, 0);
    mxb__free(block);
}

static void products_do_not_overflow(void) {
    static const size_t cases[][2] = {{SIZE_MAX, 1},         {SIZE_MAX, 2},         {1, SIZE_MAX},
                                      {2, SIZE_MAX / 2 + 1}, {SIZE_MAX / 8 + 2, 8}, {(size_t)1 << 32, (size_t)1 << 32},
                                      {SIZE_MAX - 63, 1},    {SIZE_MAX, SIZE_MAX}};
    mxb_error error;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int something = 0;
        void *block = &something;
        FAILS(mxb__alloc(&block, cases[i][0], cases[i][1], "bin codes", &error), error, MXB_ERROR_MEMORY,
              "out of memory: 18446744073709551615 bytes for bin codes");
        CHECK(block == NULL);
        block = &something;
        CHECK_INT(mxb__alloc_zeroed(&block, cases[i][0], cases[i][1], "bin codes", NULL), MXB_ERROR_MEMORY);
        CHECK(block == NULL);
    }
}

/* A size that fits the type and no machine. */
static void too_much_is_an_error(void) {
    void *block;
    mxb_error error;
    FAILS(mxb__alloc(&block, (size_t)1 << 60, 1, "a dream", &error), error, MXB_ERROR_MEMORY,
          "out of memory: 1152921504606846976 bytes for a dream");
    CHECK(block == NULL);
}

static void grow_keeps_contents(void) {
    uint32_t *numbers = NULL;
    mxb_error error;
    size_t n = 0;
    for (size_t wanted = 1; wanted < 5000; wanted = wanted * 3 / 2 + 1) {
        OK(mxb__grow(&numbers, n, wanted, sizeof *numbers, "numbers", &error), error);
        CHECK(is_aligned(numbers));
        for (size_t i = n; i < wanted; i++) {
            numbers[i] = (uint32_t)(i * i);
        }
        n = wanted;
        size_t n_wrong = 0;
        for (size_t i = 0; i < n; i++) {
            n_wrong += numbers[i] != (uint32_t)(i * i);
        }
        CHECK_INT(n_wrong, 0);
    }
    OK(mxb__grow(&numbers, n, 3, sizeof *numbers, "numbers", &error), error); /* smaller: the first stay */
    CHECK(numbers[0] == 0 && numbers[1] == 1 && numbers[2] == 4);
    mxb__free(numbers);
}

static void grow_that_fails_changes_nothing(void) {
    int *numbers;
    mxb_error error;
    OK(mxb__alloc(&numbers, 2, sizeof *numbers, "numbers", &error), error);
    numbers[0] = 11;
    numbers[1] = 22;
    int *before = numbers;
    mxb__memory_fail_at(1, 0);
    FAILS(mxb__grow(&numbers, 2, 1000, sizeof *numbers, "numbers", &error), error, MXB_ERROR_MEMORY,
          "out of memory: 4000 bytes for numbers");
    CHECK(numbers == before && numbers[0] == 11 && numbers[1] == 22);
    CHECK_INT(mxb__grow(&numbers, 2, SIZE_MAX / 2, sizeof *numbers, "numbers", NULL), MXB_ERROR_MEMORY);
    CHECK(numbers == before && numbers[0] == 11 && numbers[1] == 22);
    mxb__free(numbers);
}

static void texts_are_copied(void) {
    static const char *const texts[] = {"", "a", "a longer name, with \xc3\xa9"};
    mxb_error error;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char *copy;
        OK(mxb__copy_text(&copy, texts[i], &error), error);
        CHECK(copy != texts[i]);
        CHECK_TEXT(copy, texts[i]);
        mxb__free(copy);
    }
    char *copy = NULL;
    mxb__memory_fail_at(1, 0);
    FAILS(mxb__copy_text(&copy, "name", &error), error, MXB_ERROR_MEMORY, "out of memory: 5 bytes for a name");
    CHECK(copy == NULL);
}

/* Which of ten allocations fail, as bits. */
static unsigned failures(uint64_t n, int for_ever) {
    unsigned failed = 0;
    mxb__memory_fail_at(n, for_ever);
    for (unsigned i = 0; i < 10; i++) {
        char *block;
        failed |= (unsigned)(mxb__alloc(&block, 1, 1, "a test", NULL) != MXB_OK) << i;
        mxb__free(block);
    }
    mxb__memory_fail_at(0, 0);
    return failed;
}

static void fails_on_request(void) {
    CHECK_INT(failures(0, 0), 0);
    CHECK_INT(failures(0, 1), 0);
    for (unsigned n = 1; n <= 10; n++) {
        CHECK_INT(failures(n, 0), 1u << (n - 1));
        CHECK_INT(failures(n, 1), 0x3ffu & ~((1u << (n - 1)) - 1));
    }
    CHECK_INT(failures(11, 1), 0);
    CHECK_INT(failures(0, 0), 0); /* and stops */
}

struct carved {
    double *a;
    uint8_t *b;
    uint32_t *c;
    double *none;
    uint8_t *d;
};

static struct carved carve_all(struct workspace *workspace, size_t n) {
    struct carved carved;
    carved.a = mxb__carve(workspace, n, sizeof *carved.a);
    carved.b = mxb__carve(workspace, n + 1, sizeof *carved.b);
    carved.c = mxb__carve(workspace, 3 * n, sizeof *carved.c);
    carved.none = mxb__carve(workspace, 0, sizeof *carved.none);
    carved.d = mxb__carve(workspace, 7, sizeof *carved.d);
    return carved;
}

static void carving_takes_what_was_measured(void) {
    mxb_error error;
    for (size_t n = 0; n < 200; n++) {
        struct workspace measure = {NULL, 0};
        struct carved unused = carve_all(&measure, n);
        CHECK(unused.a == NULL && unused.b == NULL && unused.d == NULL);
        CHECK_INT(measure.used % 64, 0);
        char *block;
        OK(mxb__alloc(&block, measure.used, 1, "a workspace", &error), error);
        struct workspace workspace = {block, 0};
        struct carved carved = carve_all(&workspace, n);
        CHECK_INT(workspace.used, measure.used);
        CHECK(is_aligned(carved.a) && is_aligned(carved.b) && is_aligned(carved.c) && is_aligned(carved.d));
        /* No two overlap: each is filled, then all are looked at. */
        memset(carved.a, 1, n * sizeof *carved.a);
        memset(carved.b, 2, n + 1);
        memset(carved.c, 3, 3 * n * sizeof *carved.c);
        memset(carved.d, 4, 7);
        size_t n_wrong = 0;
        for (size_t i = 0; i < n * sizeof *carved.a; i++) {
            n_wrong += ((char *)carved.a)[i] != 1;
        }
        for (size_t i = 0; i <= n; i++) {
            n_wrong += carved.b[i] != 2;
        }
        for (size_t i = 0; i < 3 * n * sizeof *carved.c; i++) {
            n_wrong += ((char *)carved.c)[i] != 3;
        }
        CHECK_INT(n_wrong, 0);
        mxb__free(block);
    }
}

static void large_blocks_are_rounded_up(void) {
    CHECK_INT(mxb__block_bytes(0), 0);
    CHECK_INT(mxb__block_bytes(1), 64);
    CHECK_INT(mxb__block_bytes(64), 64);
    CHECK_INT(mxb__block_bytes(65), 128);
    CHECK_INT(mxb__block_bytes((4 << 20) - 64), (4 << 20) - 64);
    CHECK_INT(mxb__block_bytes(4 << 20), 4 << 20);
    CHECK_INT(mxb__block_bytes((4 << 20) + 1), 6 << 20);
}

int main(void) {
    RUN(blocks_are_aligned_and_whole);
    RUN(large_blocks_begin_with_a_huge_page);
    RUN(seldom_used_parts_cost_nothing);
    RUN(products_do_not_overflow);
    RUN(too_much_is_an_error);
    RUN(grow_keeps_contents);
    RUN(grow_that_fails_changes_nothing);
    RUN(texts_are_copied);
    RUN(fails_on_request);
    RUN(carving_takes_what_was_measured);
    RUN(large_blocks_are_rounded_up);
    return check_report();
}
