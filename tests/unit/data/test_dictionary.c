/* Ranks of texts, and dictionaries: order of bytes, search, copies. */
#include "data/dictionary.h"

#include "base/memory.h"
#include "base/random.h"
#include "check.h"

static void ranks_by_bytes(void) {
    static const char *const texts[] = {"b", "", "a", "B", "b", "\xc3\xa9", "aa", "10", "9"};
    static const double expected[] = {6, 0, 4, 3, 6, 7, 5, 1, 2};
    double ranks[9];
    mxb_error error;
    OK(mxb__texts_rank(texts, 9, ranks, &error), error);
    for (size_t i = 0; i < 9; i++) {
        CHECK(ranks[i] == expected[i]);
    }
    OK(mxb__texts_rank(NULL, 0, ranks, &error), error);
}

/* A rank is the number of different texts before it, counted one by one. */
static void ranks_agree_with_counting(void) {
    enum { N = 300 };
    static char bytes[N][4];
    const char *texts[N];
    double ranks[N];
    struct random_stream stream = mxb__random_stream(1, RANDOM_ROWS, 0);
    mxb_error error;
    for (size_t i = 0; i < N; i++) {
        uint64_t bits = mxb__random_bits(stream, i);
        bytes[i][0] = (char)(1 + bits % 3);
        bytes[i][1] = (char)(bits >> 8 & 0x83);
        bytes[i][2] = (char)(bits >> 16 & 0x81);
        texts[i] = bytes[i];
    }
    OK(mxb__texts_rank(texts, N, ranks, &error), error);
    for (size_t i = 0; i < N; i++) {
        double n_before = 0;
        for (size_t k = 0; k < N; k++) {
            int is_first = 1;
            for (size_t j = 0; j < k; j++) {
                is_first &= strcmp(texts[j], texts[k]) != 0;
            }
            n_before += is_first && strcmp(texts[k], texts[i]) < 0;
        }
        CHECK(ranks[i] == n_before);
    }
}

static void finds_texts(void) {
    static const char *const texts[] = {"", "10", "9", "a", "aa", "\xff"};
    struct dictionary *dictionary;
    mxb_error error;
    OK(mxb__alloc_zeroed(&dictionary, 1, sizeof *dictionary, "a test", &error), error);
    CHECK_INT(mxb__dictionary_find(dictionary, "a"), MXB__NO_NUMBER);
    OK(mxb__dictionary_fill(dictionary, texts, 6, &error), error);
    CHECK_INT(dictionary->is_text, 1);
    CHECK_INT(dictionary->n_texts, 6);
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_TEXT(dictionary->texts[i], texts[i]);
        CHECK(dictionary->texts[i] != texts[i]);
        CHECK_INT(mxb__dictionary_find(dictionary, texts[i]), i);
    }
    CHECK_INT(mxb__dictionary_find(dictionary, "1"), MXB__NO_NUMBER);
    CHECK_INT(mxb__dictionary_find(dictionary, "aaa"), MXB__NO_NUMBER);
    CHECK_INT(mxb__dictionary_find(dictionary, "\xff\xff"), MXB__NO_NUMBER);
    mxb__dictionaries_free(dictionary, 1);
}

static void copies(void) {
    static const char *const texts[] = {"a", "b"};
    struct dictionary *three, *copy;
    mxb_error error;
    OK(mxb__alloc_zeroed(&three, 3, sizeof *three, "a test", &error), error);
    OK(mxb__dictionary_fill(&three[1], texts, 2, &error), error);
    OK(mxb__dictionary_fill(&three[2], texts, 0, &error), error);
    OK(mxb__dictionaries_copy(&copy, three, 3, &error), error);
    CHECK(copy[0].is_text == 0 && copy[1].is_text == 1 && copy[2].is_text == 1);
    CHECK(copy[1].n_texts == 2 && copy[2].n_texts == 0 && copy[1].texts[0] != three[1].texts[0]);
    CHECK_TEXT(copy[1].texts[1], "b");
    mxb__dictionaries_free(copy, 3);
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 0;
    while (status == MXB_ERROR_MEMORY && n < 100) {
        mxb__memory_fail_at(++n, 0);
        status = mxb__dictionaries_copy(&copy, three, 3, &error);
        mxb__memory_fail_at(0, 0);
        CHECK((status == MXB_OK) == (copy != NULL));
    }
    CHECK_INT(n, 6);
    mxb__dictionaries_free(copy, 3);
    mxb__dictionaries_free(three, 3);
    OK(mxb__dictionaries_copy(&copy, NULL, 3, &error), error);
    CHECK(copy == NULL);
    mxb__dictionaries_free(NULL, 3);
}

static void sorting_may_run_out_of_memory(void) {
    static const char *const texts[] = {"b", "a"};
    double ranks[2];
    mxb_error error;
    mxb__memory_fail_at(1, 0);
    CHECK_INT(mxb__texts_rank(texts, 2, ranks, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
}

int main(void) {
    RUN(ranks_by_bytes);
    RUN(ranks_agree_with_counting);
    RUN(finds_texts);
    RUN(copies);
    RUN(sorting_may_run_out_of_memory);
    return check_report();
}
