/* Texts to codes: against a plain search, and how it gives the texts away. */
#include "io/text_list.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static uint32_t add(struct text_list *list, const char *text) {
    uint32_t code = 99;
    CHECK_INT(mxb__text_list_add(list, text, strlen(text), &code, NULL), MXB_OK);
    return code;
}

static void codes_follow_first_sight(void) {
    struct text_list list = {0};
    CHECK_INT(add(&list, "b"), 0);
    CHECK_INT(add(&list, "a"), 1);
    CHECK_INT(add(&list, "b"), 0);
    CHECK_INT(add(&list, ""), 2);
    CHECK_INT(add(&list, "bb"), 3);
    CHECK_INT(add(&list, "b\xff"), 4);
    CHECK_INT(add(&list, ""), 2);
    uint32_t code;
    CHECK_INT(mxb__text_list_add(&list, "bbb", 2, &code, NULL), MXB_OK); /* the rest does not belong to it */
    CHECK_INT(code, 3);
    CHECK_INT(list.n_texts, 5);
    mxb__text_list_clear(&list);
    CHECK_INT(list.n_texts, 0);
    mxb__text_list_clear(&list);
}

static void agrees_with_a_plain_search(void) {
    enum { TEXTS = 3000, MANY = 700 };
    static char known[MANY][12];
    size_t n_known = 0;
    struct random_stream stream = mxb__random_stream(3, RANDOM_ROWS, 0);
    struct text_list list = {0};
    int n_wrong = 0;
    for (uint64_t i = 0; i < TEXTS; i++) {
        char text[12];
        snprintf(text, sizeof text, "%x", (unsigned)(mxb__random_bits(stream, i) % MANY));
        size_t k = 0;
        while (k < n_known && strcmp(known[k], text) != 0) {
            k++;
        }
        if (k == n_known) {
            memcpy(known[n_known++], text, sizeof text);
        }
        n_wrong += add(&list, text) != k;
    }
    CHECK_INT(n_wrong, 0);
    CHECK_INT(list.n_texts, n_known);
    const char **texts;
    char *bytes;
    mxb_error error;
    OK(mxb__text_list_take(&list, &texts, &bytes, &error), error);
    CHECK(list.n_texts == 0 && list.bytes == NULL && list.slots == NULL);
    for (size_t k = 0; k < n_known; k++) {
        n_wrong += strcmp(texts[k], known[k]) != 0;
    }
    CHECK_INT(n_wrong, 0);
    mxb__free(texts);
    mxb__free(bytes);
}

static void an_empty_list_can_be_taken(void) {
    struct text_list list = {0};
    const char **texts;
    char *bytes;
    mxb_error error;
    OK(mxb__text_list_take(&list, &texts, &bytes, &error), error);
    CHECK(texts != NULL && bytes == NULL);
    mxb__free(texts);
}

static mxb_status fill_and_take(void) {
    struct text_list list = {0};
    const char **texts = NULL;
    char *bytes = NULL;
    mxb_status status = MXB_OK;
    for (int i = 0; status == MXB_OK && i < 60; i++) {
        char text[16];
        uint32_t code;
        status = mxb__text_list_add(&list, text, (size_t)snprintf(text, sizeof text, "text %d", i), &code, NULL);
    }
    if (status == MXB_OK) {
        status = mxb__text_list_take(&list, &texts, &bytes, NULL);
    }
    mxb__text_list_clear(&list);
    mxb__free(texts);
    mxb__free(bytes);
    return status;
}

static void survives_every_failing_allocation(void) {
    uint64_t n = 0;
    mxb_status status = MXB_ERROR_MEMORY;
    while (status == MXB_ERROR_MEMORY && n < 100) {
        mxb__memory_fail_at(++n, 0);
        status = fill_and_take();
        mxb__memory_fail_at(0, 0);
    }
    CHECK_INT(status, MXB_OK);
    CHECK(n > 8);
}

int main(void) {
    RUN(codes_follow_first_sight);
    RUN(agrees_with_a_plain_search);
    RUN(an_empty_list_can_be_taken);
    RUN(survives_every_failing_allocation);
    return check_report();
}
