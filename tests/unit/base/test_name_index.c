/* Names to positions, many of them, and with allocations that fail. */
#include "base/name_index.h"

#include "base/memory.h"
#include "check.h"

enum { MANY = 50000 };

static char names[MANY][12];

static void finds_what_was_added(void) {
    struct name_index index = {0};
    mxb_error error;
    CHECK(mxb__name_index_find(&index, "a") == MXB__NO_POSITION);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        OK(mxb__name_index_add(&index, names[i], i, &error), error);
    }
    size_t n_wrong = 0;
    for (size_t i = 0; i < MANY; i++) {
        char copy[12];
        memcpy(copy, names[i], sizeof copy);
        n_wrong += mxb__name_index_find(&index, copy) != i;
    }
    CHECK_INT(n_wrong, 0);
    CHECK_INT(index.n_names, MANY);
    CHECK(mxb__name_index_find(&index, "f50000") == MXB__NO_POSITION);
    CHECK(mxb__name_index_find(&index, "") == MXB__NO_POSITION);
    mxb__name_index_clear(&index);
    CHECK(mxb__name_index_find(&index, "f1") == MXB__NO_POSITION);
}

static void keeps_its_names_when_memory_runs_out(void) {
    struct name_index index = {0};
    mxb_error error;
    for (size_t i = 0; i < 8; i++) {
        OK(mxb__name_index_add(&index, names[i], i, &error), error);
    }
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__name_index_add(&index, names[8], 8, &error), MXB_ERROR_MEMORY);
    CHECK(mxb__name_index_find(&index, names[8]) == MXB__NO_POSITION);
    CHECK_INT(mxb__name_index_find(&index, names[7]), 7);
    OK(mxb__name_index_add(&index, names[8], 8, &error), error);
    CHECK_INT(mxb__name_index_find(&index, names[8]), 8);
    mxb__name_index_clear(&index);
}

int main(void) {
    RUN(finds_what_was_added);
    RUN(keeps_its_names_when_memory_runs_out);
    return check_report();
}
