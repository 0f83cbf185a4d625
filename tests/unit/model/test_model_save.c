#include "check.h"
#include "model/model_format.h"
#include "unit/model/edit_model.h"
#include "unit/model/make_model.h"

static void header_is_as_described(void) {
    mxb_model *model = make_small_model();
    void *made;
    size_t n;
    REQUIRE(mxb_model_to_bytes(model, &made, &n, NULL) == MXB_OK);
    const unsigned char *bytes = made;
    static const unsigned char start[] = {0x89, 'M', 'X', 'B', '\r', '\n', 0x1A, '\n', 1, 0, 0, 0, 6, 0, 0, 0};
    CHECK(memcmp(bytes, start, sizeof start) == 0);
    CHECK_INT(edit_number(bytes + 16, 8), n);
    CHECK(edit_possible(bytes, n));
    uint64_t at = 24 + 6 * 32 + 8;
    for (size_t i = 0; i < 6; i++) {
        const unsigned char *entry = bytes + 24 + 32 * i;
        CHECK_INT(edit_number(entry, 4), i + 1);
        CHECK_INT(edit_number(entry + 4, 4), 0);
        CHECK_INT(edit_number(entry + 8, 8), at);
        uint64_t length = edit_number(entry + 16, 8);
        CHECK(edit_number(entry + 24, 8) == mxb__crc64(bytes + at, length));
        at += length;
    }
    CHECK(edit_number(bytes + 216, 8) == mxb__crc64(bytes, 216));
    CHECK_INT(at, n);
    mxb_bytes_free(made);
    mxb_model_free(model);
}

static void arguments(void) {
    mxb_model *model = make_small_model();
    mxb_error error;
    void *bytes;
    size_t n;
    FAILS(mxb_model_to_bytes(NULL, &bytes, &n, &error), error, MXB_ERROR_PARAM, "model is NULL");
    FAILS(mxb_model_to_bytes(model, NULL, &n, &error), error, MXB_ERROR_PARAM, "the place for the bytes is NULL");
    FAILS(mxb_model_to_bytes(model, &bytes, NULL, &error), error, MXB_ERROR_PARAM, "the place for the bytes is NULL");
    FAILS(mxb_model_save(model, NULL, &error), error, MXB_ERROR_PARAM, "path is NULL");
    FAILS(mxb_model_save(NULL, "x.mxb", &error), error, MXB_ERROR_PARAM, "model is NULL");
    mxb_bytes_free(NULL);

    char *name = make_block(70001, 1);
    memset(name, 'n', 70000);
    mxb__free(model->feature_names[1]);
    model->feature_names[1] = name;
    FAILS(mxb_model_to_bytes(model, &bytes, &n, &error), error, MXB_ERROR_DATA,
          "the name of feature 1 has 70000 bytes; a model file takes up to 65536");
    CHECK(bytes == NULL && n == 0);
    mxb_model_free(model);
}

static void a_name_may_be_as_long_as_the_format_says(void) {
    mxb_model *model = make_small_model(), *loaded;
    mxb_error error;
    void *bytes;
    size_t n;
    char *name = make_block(MXB__MAX_NAME_BYTES + 1, 1);
    memset(name, 'n', MXB__MAX_NAME_BYTES);
    mxb__free(model->feature_names[1]);
    model->feature_names[1] = name;
    OK(mxb_model_to_bytes(model, &bytes, &n, &error), error);
    OK(mxb_model_from_bytes(bytes, n, &loaded, &error), error);
    CHECK_TEXT(loaded->feature_names[1], name);
    mxb_bytes_free(bytes);
    mxb_model_free(loaded);
    mxb_model_free(model);
}

int main(void) {
    RUN(header_is_as_described);
    RUN(arguments);
    RUN(a_name_may_be_as_long_as_the_format_says);
    return check_report();
}
