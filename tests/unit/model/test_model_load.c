#define _POSIX_C_SOURCE 200809L

#include <unistd.h>

#include "check.h"
#include "model/model_format.h"
#include "unit/model/edit_model.h"
#include "unit/model/make_model.h"

struct image {
    unsigned char *bytes;
    size_t n;
};

static struct image image_of(mxb_model *model) {
    struct image image;
    void *bytes;
    make_sure(mxb_model_to_bytes(model, &bytes, &image.n, NULL));
    image.bytes = bytes;
    return image;
}

static struct image small_image(void) {
    mxb_model *model = make_small_model();
    struct image image = image_of(model);
    mxb_model_free(model);
    return image;
}

static int loads(const unsigned char *bytes, size_t n) {
    mxb_model *model;
    mxb_status status = mxb_model_from_bytes(bytes, n, &model, NULL);
    mxb_model_free(model);
    return status == MXB_OK;
}

static void check_rejected(const struct image *image, const char *sentence) {
    mxb_model *model;
    mxb_error error;
    FAILS(mxb_model_from_bytes(image->bytes, image->n, &model, &error), error, MXB_ERROR_FORMAT, sentence);
    CHECK(model == NULL);
    mxb_model_free(model);
}

static void round_trip(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]), *loaded;
        mxb_error error;
        struct image one = image_of(model), other;
        OK(mxb_model_from_bytes(one.bytes, one.n, &loaded, &error), error);
        other = image_of(loaded);
        CHECK(one.n == other.n && memcmp(one.bytes, other.bytes, one.n) == 0);
        CHECK(loaded->n_terms == model->n_terms && loaded->base_score == model->base_score);
        CHECK(loaded->collapsed_intercept == model->collapsed_intercept);
        CHECK(loaded->feature_splits[0] == model->feature_splits[0]);
        mxb_model_free(model);
        mxb_model_free(loaded);
        mxb_bytes_free(one.bytes);
        mxb_bytes_free(other.bytes);
    }
}

/* Any one byte, changed to any other value. */
static void every_edit_is_noticed(void) {
    struct image image = small_image();
    CHECK(loads(image.bytes, image.n));
    for (size_t i = 0; i < image.n; i++) {
        for (int change = 1; change < 256; change++) {
            image.bytes[i] = (unsigned char)(image.bytes[i] ^ change);
            if (loads(image.bytes, image.n)) {
                CHECK_INT(i, -1);
            }
            image.bytes[i] = (unsigned char)(image.bytes[i] ^ change);
        }
    }
    mxb_bytes_free(image.bytes);
}

static void every_truncation_is_noticed(void) {
    struct image image = small_image();
    mxb_error error;
    mxb_model *model;
    for (size_t n = 0; n < image.n; n++) {
        unsigned char *cut = malloc(n + 1); /* its own block, so that a sanitizer sees every byte beyond it */
        char expected[200];
        memcpy(cut, image.bytes, n);
        if (n < 8) {
            snprintf(expected, sizeof expected, "the model is not a mixboost model");
        } else if (n < 24) {
            snprintf(expected, sizeof expected, "the model is truncated: %zu bytes of a header of 32", n);
        } else if (n < 224) {
            snprintf(expected, sizeof expected, "the model is truncated: %zu bytes of a header of 224", n);
        } else {
            snprintf(expected, sizeof expected, "the model is truncated: %zu bytes of %zu", n, image.n);
        }
        FAILS(mxb_model_from_bytes(cut, n, &model, &error), error, MXB_ERROR_FORMAT, expected);
        free(cut);
    }
    mxb_bytes_free(image.bytes);
}

/* Sections cut at any length, with everything around them put right. */
static void every_shorter_section_is_noticed(void) {
    struct image image = small_image();
    unsigned char *copy = malloc(image.n);
    for (size_t s = 0; s < 6; s++) {
        size_t length;
        edit_section(image.bytes, s, &length);
        for (size_t n = 0; n < length; n++) {
            memcpy(copy, image.bytes, image.n);
            size_t n_file = edit_resize(copy, image.n, s, n);
            edit_repair(copy);
            CHECK(edit_possible(copy, n_file));
            CHECK(!loads(copy, n_file));
        }
    }
    free(copy);
    mxb_bytes_free(image.bytes);
}

static void headers_that_lie(void) {
    struct image image = small_image();
    unsigned char *entries = image.bytes + EDIT_START;
    check_rejected(&(struct image){(unsigned char *)"a,b,c\n1,2,3\n", 12}, "the model is not a mixboost model");
    image.bytes[8] = 7;
    check_rejected(&image, "the model was written by a newer mixboost (format 7; this one reads up to 1)");
    image.bytes[8] = 0;
    check_rejected(&image,
                   "the model was written by a mixboost that was never released (format 0) and cannot be read; "
                   "train the model again");
    image.bytes[8] = 1;
    image.bytes[12] = 65;
    check_rejected(&image, "the model is damaged: 65 sections; at most 64");
    image.bytes[12] = 6;
    image.bytes[16] ^= 1;
    check_rejected(&image, "the model is damaged: checksum of the header");
    image.bytes[16] ^= 1;

    mxb__store_u64(image.bytes + 16, image.n - 1);
    edit_repair(image.bytes);
    check_rejected(&image, "the model is damaged: 546 bytes where 545 belong");
    mxb__store_u64(image.bytes + 16, image.n + 10);
    edit_repair(image.bytes);
    check_rejected(&image, "the model is truncated: 546 bytes of 556");
    mxb__store_u64(image.bytes + 16, image.n);

    entries[4] = 2;
    edit_repair(image.bytes);
    check_rejected(&image, "the model is damaged: section 1 has flags 2 and follows section 0");
    entries[4] = 1;
    edit_repair(image.bytes);
    check_rejected(&image, "the model is damaged: section meta is marked optional");
    entries[4] = 0;
    entries[0] = 2;
    edit_repair(image.bytes);
    check_rejected(&image, "the model is damaged: section meta is missing");
    entries[0] = 1;
    entries[5 * EDIT_ENTRY] = 5;
    edit_repair(image.bytes);
    check_rejected(&image, "the model is damaged: section 5 has flags 0 and follows section 5");
    entries[5 * EDIT_ENTRY] = 9;
    edit_repair(image.bytes);
    check_rejected(&image, "the model needs a newer mixboost: section 9 is unknown");
    entries[5 * EDIT_ENTRY + 4] = 1; /* the loader may go on without section 9, but not without the curve */
    edit_repair(image.bytes);
    check_rejected(&image, "the model is damaged: section curve is missing");
    mxb_bytes_free(image.bytes);
}

static void sections_that_lie(void) {
    struct image image = small_image();
    unsigned char *entries = image.bytes + EDIT_START;
    size_t length;
    edit_section(image.bytes, 4, &length)[0] ^= 0x40;
    check_rejected(&image, "the model is damaged: checksum of section terms");
    edit_section(image.bytes, 4, &length)[0] ^= 0x40;

    mxb__store_u64(entries + EDIT_ENTRY + 8, 271); /* one byte before the end of the last */
    edit_repair_header(image.bytes);
    check_rejected(&image, "the model is damaged: section 2 of 20 bytes at 271 does not follow the last");
    mxb__store_u64(entries + EDIT_ENTRY + 8, 272);
    mxb__store_u64(entries + EDIT_ENTRY + 16, UINT64_MAX);
    edit_repair_header(image.bytes);
    check_rejected(&image,
                   "the model is damaged: section 2 of 18446744073709551615 bytes at 272 does not follow the last");
    mxb_bytes_free(image.bytes);
}

/* All of a section's checksum, not a part of it. */
static void every_byte_of_a_checksum_counts(void) {
    struct image image = small_image();
    for (size_t s = 0; s < 6; s++) {
        for (size_t i = 0; i < 8; i++) {
            unsigned char *byte = image.bytes + EDIT_START + s * EDIT_ENTRY + 24 + i;
            *byte ^= 1;
            edit_repair_header(image.bytes);
            CHECK(!loads(image.bytes, image.n));
            *byte ^= 1;
        }
    }
    mxb_bytes_free(image.bytes);
}

/* A file with bytes after its last section that the header counts. */
static void no_room_for_other_bytes(void) {
    struct image image = small_image();
    struct image longer = {calloc(image.n + 5, 1), image.n + 5};
    memcpy(longer.bytes, image.bytes, image.n);
    check_rejected(&longer, "the model is damaged: 551 bytes where 546 belong");
    mxb__store_u64(longer.bytes + 16, longer.n);
    edit_repair(longer.bytes);
    check_rejected(&longer, "the model is damaged: 5 bytes belong to no section");
    free(longer.bytes);
    mxb_bytes_free(image.bytes);
}

/* A section 8 that a later version might add. */
static void optional_sections_are_skipped(void) {
    struct image image = small_image();
    struct image newer = {calloc(image.n + EDIT_ENTRY + 3, 1), image.n + EDIT_ENTRY + 3};
    size_t n_table = EDIT_START + 6 * EDIT_ENTRY;
    memcpy(newer.bytes, image.bytes, n_table);
    memcpy(newer.bytes + n_table + EDIT_ENTRY + 8, image.bytes + n_table + 8, image.n - n_table - 8);
    newer.bytes[12] = 7;
    for (size_t i = 0; i < 6; i++) {
        unsigned char *entry = newer.bytes + EDIT_START + i * EDIT_ENTRY;
        mxb__store_u64(entry + 8, edit_number(entry + 8, 8) + EDIT_ENTRY);
    }
    unsigned char *entry = newer.bytes + n_table;
    mxb__store_u32(entry, 8);
    mxb__store_u32(entry + 4, 1);
    mxb__store_u64(entry + 8, image.n + EDIT_ENTRY);
    mxb__store_u64(entry + 16, 3);
    mxb__store_u64(newer.bytes + 16, newer.n);
    edit_repair(newer.bytes);
    CHECK(loads(newer.bytes, newer.n));
    mxb__store_u32(entry + 4, 0);
    edit_repair(newer.bytes);
    check_rejected(&newer, "the model needs a newer mixboost: section 8 is unknown");
    mxb__store_u32(entry, 7);
    edit_repair(newer.bytes);
    check_rejected(&newer, "the model is damaged: section repairs is not marked optional");
    mxb__store_u32(entry, 8);
    mxb__store_u32(entry + 4, 1);
    edit_repair(newer.bytes);
    newer.bytes[newer.n - 1] = 1; /* skipped, but not unchecked */
    check_rejected(&newer, "the model is damaged: checksum of section (unknown)");
    free(newer.bytes);
    mxb_bytes_free(image.bytes);
}

static void arguments(void) {
    mxb_error error;
    mxb_model *loaded = (mxb_model *)&error;
    FAILS(mxb_model_from_bytes(NULL, 3, &loaded, &error), error, MXB_ERROR_PARAM, "bytes is NULL");
    CHECK(loaded == NULL);
    FAILS(mxb_model_from_bytes("", 0, NULL, &error), error, MXB_ERROR_PARAM, "the place for the model is NULL");
    loaded = (mxb_model *)&error;
    FAILS(mxb_model_load(NULL, &loaded, &error), error, MXB_ERROR_PARAM, "path is NULL");
    CHECK(loaded == NULL);
    FAILS(mxb_model_load("x.mxb", NULL, &error), error, MXB_ERROR_PARAM, "the place for the model is NULL");
    loaded = (mxb_model *)&error;
    CHECK_INT(mxb_model_load("no/such/file.mxb", &loaded, NULL), MXB_ERROR_IO);
    CHECK(loaded == NULL);
    loaded = (mxb_model *)&error;
    CHECK_INT(mxb_model_from_bytes("a,b,y", 5, &loaded, NULL), MXB_ERROR_FORMAT);
    CHECK(loaded == NULL);
}

static void save_and_load(void) {
    static const char path[] = "test_model_load.mxb";
    mxb_model *model = make_model(&MAKE_SHAPES[4]), *loaded;
    mxb_error error;
    struct image one = image_of(model), other;
    OK(mxb_model_save(model, path, &error), error);
    OK(mxb_model_load(path, &loaded, &error), error);
    other = image_of(loaded);
    CHECK(one.n == other.n && memcmp(one.bytes, other.bytes, one.n) == 0);
    mxb_model_free(loaded);

    FILE *file = fopen(path, "r+b"); /* the same bytes are on disk, and the file's name is in the message */
    REQUIRE(file != NULL);
    CHECK(fread(other.bytes, 1, one.n, file) == one.n && fgetc(file) == EOF);
    CHECK(memcmp(one.bytes, other.bytes, one.n) == 0);
    CHECK(fseek(file, -1, SEEK_END) == 0 && fputc(one.bytes[one.n - 1] ^ 1, file) != EOF && fclose(file) == 0);
    FAILS(mxb_model_load(path, &loaded, &error), error, MXB_ERROR_FORMAT,
          "\"test_model_load.mxb\" is damaged: checksum of section curve");
    CHECK(truncate(path, 100) == 0);
    FAILS(mxb_model_load(path, &loaded, &error), error, MXB_ERROR_FORMAT,
          "\"test_model_load.mxb\" is truncated: 100 bytes of a header of 224");
    CHECK(truncate(path, 0) == 0);
    FAILS(mxb_model_load(path, &loaded, &error), error, MXB_ERROR_FORMAT,
          "\"test_model_load.mxb\" is not a mixboost model");
    CHECK(loaded == NULL);
    CHECK(unlink(path) == 0);
    mxb_bytes_free(one.bytes);
    mxb_bytes_free(other.bytes);
    mxb_model_free(model);
}

static void memory_may_fail(void) {
    static const char path[] = "test_model_memory.mxb";
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]), *loaded = NULL;
        mxb_error error;
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            mxb_status saved = MXB_ERROR_MEMORY, read = MXB_ERROR_MEMORY;
            for (uint64_t n = 1; saved != MXB_OK; n++) {
                mxb__memory_fail_at(n, for_ever);
                saved = mxb_model_save(model, path, &error);
                mxb__memory_fail_at(0, 0);
                CHECK(saved == MXB_OK || saved == MXB_ERROR_MEMORY);
                CHECK(n > 1 || saved == MXB_ERROR_MEMORY);
            }
            uint64_t n = 1;
            for (; read != MXB_OK; n++) {
                mxb__memory_fail_at(n, for_ever);
                read = mxb_model_load(path, &loaded, &error);
                mxb__memory_fail_at(0, 0);
                CHECK(read == MXB_OK || (read == MXB_ERROR_MEMORY && loaded == NULL));
            }
            CHECK(n > 10);
            mxb_model_free(loaded);
        }
        mxb_model_free(model);
    }
    CHECK(unlink(path) == 0);
}

int main(void) {
    RUN(round_trip);
    RUN(every_edit_is_noticed);
    RUN(every_truncation_is_noticed);
    RUN(every_shorter_section_is_noticed);
    RUN(headers_that_lie);
    RUN(sections_that_lie);
    RUN(every_byte_of_a_checksum_counts);
    RUN(no_room_for_other_bytes);
    RUN(optional_sections_are_skipped);
    RUN(arguments);
    RUN(save_and_load);
    RUN(memory_may_fail);
    return check_report();
}
