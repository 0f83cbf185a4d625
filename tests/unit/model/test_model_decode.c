#include "unit/model/damage_model.h"

static void meta(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_META, 0, "\x04", "section meta: loss 4; 1 to 3 are known"),
        DAMAGE(SECTION_META, 1, "\3", "section meta: labels of kind 3; 1 and 2 are known"),
        DAMAGE(SECTION_META, 2, NAN_BYTES, "section meta: a label is not finite"),
        DAMAGE(SECTION_META, 10, INF_BYTES, "section meta: a label is not finite"),
        DAMAGE(SECTION_META, 10, "\0\0\0\0\0\0\0\0", "section meta: the labels do not ascend"),
        DAMAGE(SECTION_META, 18, INF_BYTES, "section meta: base_score is not finite"),
        DAMAGE(SECTION_META, 30, "\0\0\0\0", "section meta: no features"),
        DAMAGE(SECTION_META, 30, "\1\0\x10\0", "section meta: 1048577 features; at most 1048576"),
        DAMAGE(SECTION_META, 30, "\3\0\0\0", "section meta: 3 features in 13 bytes"),
        DAMAGE(SECTION_META, 26, "\0\0\0\0", "section meta: 0 members, not 1 to 256"),
        DAMAGE(SECTION_META, 30, "\1\0\0\0", "section meta has 7 bytes too many"),
        DAMAGE(SECTION_META, 34, "\2", "section meta: has_names is 2, not 0 or 1"),
        DAMAGE(SECTION_META, 41, "\7", "section meta: feature 1 is of kind 7; 1 and 2 are known"),
        DAMAGE(SECTION_META, 36, "\x08\0\0\0", "section meta: a zero byte in a text"),
        DAMAGE(SECTION_META, 42, "\3\0\0\0", "section meta: 3 bytes of a feature's name in 2 bytes"),
        DAMAGE(SECTION_META, 42, "\1\0\1\0", "section meta: 65537 bytes of a feature's name; at most 65536"),
        DAMAGE(SECTION_META, 47, "\0", "section meta: a zero byte in a text"),
    };
    check_damage(damages, sizeof damages / sizeof damages[0]);
    check_resized(SECTION_META, -1, "the model is damaged: section meta: 2 bytes of a feature's name in 1 bytes");
    check_resized(SECTION_META, -41, "the model is damaged: section meta ends too early");
    check_resized(SECTION_META, 1, "the model is damaged: section meta has 1 bytes too many");
}

/* The text model with bytes of its section meta changed. */
static void check_text_damage(size_t offset, const char *change, size_t n_change, const char *sentence) {
    mxb_model *model = make_text_model(), *loaded;
    void *bytes;
    size_t n_bytes, length;
    mxb_error error;
    char expected[200];
    make_sure(mxb_model_to_bytes(model, &bytes, &n_bytes, NULL));
    memcpy(edit_section(bytes, 0, &length) + offset, change, n_change);
    edit_repair(bytes);
    snprintf(expected, sizeof expected, "the model is damaged: %s", sentence);
    FAILS(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT, expected);
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

/* Offsets: labels' texts at 6 and 15, base score 19, features 31 and 36 and 50, of the second the count at 64, then
 * texts: length at 68, 72 ("10" 76), 78 ("9" 82), 83 ("new\nline" 87), 95 (99), 101 (105). */
static void texts(void) {
    check_text_damage(15, "<", 1, "section meta: the labels do not ascend");
    check_text_damage(16, "\0", 1, "section meta: a zero byte in a text");
    check_text_damage(2, "\1\0\x10\0", 4, "section meta: 1048577 bytes of a label; at most 1048576");
    check_text_damage(64, "\1\0\0\1", 4, "section meta: 16777217 texts; at most 16777216");
    check_text_damage(64, "\xFF\0\0\0", 4, "section meta: 255 texts in 70 bytes");
    check_text_damage(64, "\7\0\0\0", 4, "section meta: 2305 bytes of a text in 28 bytes");
    check_text_damage(82, "1", 1, "section meta: feature 1, the texts do not ascend"); /* "10" and "1" */
    check_text_damage(82, "\xC4", 1, "section meta: feature 1, the texts do not ascend");
    check_text_damage(77, "\0", 1, "section meta: a zero byte in a text");
    check_text_damage(72, "\1\0\x10\0", 4, "section meta: 1048577 bytes of a text; at most 1048576");
    check_text_damage(72, "\xF0\0\0\0", 4, "section meta: 240 bytes of a text in 62 bytes");
    check_text_damage(50, "\1", 1, "section meta: feature 2 is of kind 6; 1 and 2 are known");
}

static void members(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_META, 26, "\0\0\0\0", "section meta: 0 members, not 1 to 256"),
        DAMAGE(SECTION_META, 26, "\1\0\0\0", "section curve: 10 losses for 16 rounds"),
        DAMAGE(SECTION_META, 26, "\0\1\0\0", "section terms: 16 terms of 256 members"),
        DAMAGE(SECTION_META, 26, "\1\1\0\0", "section meta: 257 members, not 1 to 256"),
        DAMAGE(SECTION_META, 26, "\3\0\0\0", "section terms: 16 terms of 3 members"),
        DAMAGE(SECTION_TERMS, 0, "\xF\0\0\0", "section terms: 15 terms of 2 members"),
        DAMAGE(SECTION_CURVE, 1, "\x8\0\0\0", "section curve: 8 losses for 8 rounds"),
    };
    check_damage_of(make_model(&MAKE_SHAPES[6]), damages, sizeof damages / sizeof damages[0]);
}

static void texts_come_back(void) {
    mxb_model *model = make_text_model(), *loaded, *copy;
    void *bytes, *again;
    size_t n_bytes, n_again;
    mxb_error error;
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    OK(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error);
    OK(mxb_model_to_bytes(loaded, &again, &n_again, &error), error);
    CHECK(n_bytes == n_again && memcmp(bytes, again, n_bytes) == 0);
    mxb_bytes_free(again);
    OK(make_cut(loaded, (uint32_t)mxb_model_n_rounds(loaded), &copy, &error), error);
    OK(mxb_model_to_bytes(copy, &again, &n_again, &error), error);
    CHECK(n_bytes == n_again && memcmp(bytes, again, n_bytes) == 0);
    CHECK_TEXT(mxb_model_feature_text(loaded, 1, 3), "new\nline");
    CHECK_INT(mxb_model_feature_is_text(loaded, 3), 1);
    CHECK_INT(mxb_model_feature_n_texts(loaded, 3), 0);
    mxb_bytes_free(again);
    mxb_bytes_free(bytes);
    mxb_model_free(copy);
    mxb_model_free(loaded);
    mxb_model_free(model);
}

static void many_texts_come_back(void) {
    enum { N = 3000 };
    static char numbers[N][8];
    const char *texts[N];
    mxb_model *model = make_text_model(), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    for (size_t i = 0; i < N; i++) {
        snprintf(numbers[i], sizeof numbers[i], "%04zu", i);
        texts[i] = numbers[i];
    }
    OK(mxb__dictionary_fill(&model->dictionaries[0], texts, N, &error), error);
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    OK(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error);
    for (size_t i = 0; i < N; i++) {
        CHECK_TEXT(mxb_model_feature_text(loaded, 0, i), texts[i]);
    }
    mxb_bytes_free(bytes);
    mxb_model_free(loaded);
    mxb_model_free(model);
}

static void both_labels_the_same_text(void) {
    mxb_model *model = make_text_model(), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    mxb__free(model->label_texts[1]);
    model->label_texts[1] = make_text(model->label_texts[0]);
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    FAILS(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT,
          "the model is damaged: section meta: the labels do not ascend");
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

static void a_text_twice(void) {
    static const char *const same[] = {"a", "a"};
    mxb_model *model = make_small_model(), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    model->dictionaries = make_block(2, sizeof *model->dictionaries);
    make_sure(mxb__dictionary_fill(&model->dictionaries[0], same, 2, NULL));
    make_sure(mxb_model_to_bytes(model, &bytes, &n_bytes, NULL));
    FAILS(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT,
          "the model is damaged: section meta: feature 0, the texts do not ascend");
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

static void texts_survive_failing_allocations(void) {
    mxb_model *model = make_text_model(), *made = NULL;
    void *bytes;
    size_t n_bytes;
    make_sure(mxb_model_to_bytes(model, &bytes, &n_bytes, NULL));
    for (int copying = 0; copying < 2; copying++) {
        mxb_status status = MXB_ERROR_MEMORY;
        uint64_t n = 0;
        while (status == MXB_ERROR_MEMORY && n < 1000) {
            mxb__memory_fail_at(++n, 0);
            status =
                copying ? mxb__model_copy_empty(model, &made, NULL) : mxb_model_from_bytes(bytes, n_bytes, &made, NULL);
            mxb__memory_fail_at(0, 0);
            CHECK((status == MXB_OK) == (made != NULL));
        }
        CHECK_INT(status, MXB_OK);
        CHECK(n > 20);
        mxb_model_free(made);
    }
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

static void options(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_OPTIONS, 0, "\1\4\0\0", "section options: 1025 options; at most 1024"),
        DAMAGE(SECTION_OPTIONS, 0, "\3\0\0\0", "section options: 3 options in 16 bytes"),
        DAMAGE(SECTION_OPTIONS, 8, "\n", "section options: a text that is not printable"),
        DAMAGE(SECTION_OPTIONS, 17, "\xFF", "section options: a text that is not printable"),
        DAMAGE(SECTION_OPTIONS, 17, "\0", "section options: a zero byte in a text"),
        DAMAGE(SECTION_OPTIONS, 4, "\xFF\xFF\xFF\xFF",
               "section options: 4294967295 bytes of an option's name; at most 65536"),
        DAMAGE(SECTION_OPTIONS, 13, "\4\0\0\0", "section options: 4 bytes of an option's value in 3 bytes"),
    };
    check_damage(damages, sizeof damages / sizeof damages[0]);
    check_resized(SECTION_OPTIONS, -5, "the model is damaged: section options ends too early");
}

static void option_twice(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[0]), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    mxb__free(model->option_names[2]);
    model->option_names[2] = make_text(model->option_names[0]);
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    FAILS(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT,
          "the model is damaged: section options: one option twice");
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

static void scaling(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_SCALING, 0, "\4", "section scaling: kind 4; 0 to 3 are known"),
        DAMAGE(SECTION_SCALING, 1, "\1\0\0\0", "section scaling: 1 features of 2"),
        DAMAGE(SECTION_SCALING, 1, "\0\0\0\0", "section scaling has 52 bytes too many"),
        DAMAGE(SECTION_SCALING, 5, "\0\0\x80\x7F", "section scaling: feature 0, the value for missing is out of range"),
        DAMAGE(SECTION_SCALING, 5, "\xFF\xFF\x7F\x7F",
               "section scaling: feature 0, the value for missing is out of range"),
        DAMAGE(SECTION_SCALING, 9, "\0\0\0\0", "section scaling: feature 0 has no knots"),
        DAMAGE(SECTION_SCALING, 9, "\1\4\0\0", "section scaling: 1025 knots; at most 1024"),
        DAMAGE(SECTION_SCALING, 9, "\4\0\0\0", "section scaling: 4 knots in 44 bytes"),
        DAMAGE(SECTION_SCALING, 13, INF_BYTES,
               "section scaling: feature 0, knot 0 is not finite or not above the last"),
        DAMAGE(SECTION_SCALING, 21, NAN_BYTES,
               "section scaling: feature 0, knot 1 is not finite or not above the last"),
        DAMAGE(SECTION_SCALING, 21, "\0\0\0\0\0\0\0\0",
               "section scaling: feature 0, knot 1 is not finite or not above the last"),
        DAMAGE(SECTION_SCALING, 29, "\0\0\xC0\x7F",
               "section scaling: feature 0, score 0 is out of range or below the last"),
        DAMAGE(SECTION_SCALING, 33, "\0\0\x80\xC0",
               "section scaling: feature 0, score 1 is out of range or below the last"),
        DAMAGE(SECTION_SCALING, 0, "\1", "section scaling has 12 bytes too many"), /* read as standard */
    };
    check_damage(damages, sizeof damages / sizeof damages[0]);
    check_resized(SECTION_SCALING, -53, "the model is damaged: section scaling ends too early");
    check_resized(SECTION_SCALING, -4, "the model is damaged: section scaling: 1 knots in 8 bytes");
    check_resized(SECTION_SCALING, -30, "the model is damaged: section scaling: 2 features in 22 bytes");
}

/* Scores and the value for missing, of feature 0. */
static void scaled_values_may_be_as_large_as_the_format_says(void) {
    mxb_model *model = make_small_model(), *loaded;
    mxb_error error;
    void *bytes;
    size_t n_bytes, length;
    make_sure(mxb_model_to_bytes(model, &bytes, &n_bytes, NULL));
    unsigned char *section = edit_section(bytes, SECTION_SCALING - 1, &length);
    memcpy(section + 5, "\xCA\xF2\x49\x71", 4); /* 1e30 */
    memcpy(section + 29, "\xCA\xF2\x49\xF1\xCA\xF2\x49\x71", 8);
    edit_repair(bytes);
    OK(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error);
    CHECK(loaded->scaling.features[0].missing == 1e30f);
    CHECK(loaded->scaling.features[0].knot_scores[0] == -1e30f && loaded->scaling.features[0].knot_scores[1] == 1e30f);
    mxb_model_free(loaded);
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

static void standard_scaling(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[4]), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    for (int i = 0; i < 2; i++) {
        *(i == 0 ? &model->scaling.features[3].center : &model->scaling.features[2].factor) = INFINITY;
        OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
        FAILS(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT,
              i == 0 ? "the model is damaged: section scaling: a center is not finite"
                     : "the model is damaged: section scaling: a factor is not finite");
        mxb_bytes_free(bytes);
    }
    mxb_model_free(model);
}

static void curve(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_CURVE, 0, "\2", "section curve: stopped_early is 2, not 0 or 1"),
        DAMAGE(SECTION_CURVE, 5, "\xFF", "section curve: has_valid is 255, not 0 or 1"),
        DAMAGE(SECTION_CURVE, 0, "\1\3\0\0\0\0", "section curve: stopped early without validation"),
        DAMAGE(SECTION_CURVE, 1, "\2\0\0\0", "section curve: 2 losses for 2 rounds"),
        DAMAGE(SECTION_CURVE, 1, "\2\0\0\1", "section curve: 16777218 losses; at most 16777217"),
        DAMAGE(SECTION_CURVE, 1, "\4\0\0\0", "section curve: 4 losses in 48 bytes"),
        DAMAGE(SECTION_CURVE, 1, "\0\0\0\0", "section curve: validation without training"),
        DAMAGE(SECTION_CURVE, 5, "\0", "section curve has 24 bytes too many"),
        DAMAGE(SECTION_CURVE, 6, NAN_BYTES, "section curve: a loss is not finite"),
        DAMAGE(SECTION_CURVE, 46, INF_BYTES, "section curve: a loss is not finite"),
    };
    check_damage(damages, sizeof damages / sizeof damages[0]);
    check_resized(SECTION_CURVE, -51, "the model is damaged: section curve ends too early");
}

/* Offsets: the loss's name at 1, the metric's at 10, has_link at 24. */
static void callers_loss(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_META, 1, "\0\0\0\0", "section meta: a name that is not 1 to 63 printable ASCII characters"),
        DAMAGE(SECTION_META, 1, "\x50\0\0\0", "section meta: 80 bytes of a loss's name in 38 bytes"),
        DAMAGE(SECTION_META, 6, "\n", "section meta: a name that is not 1 to 63 printable ASCII characters"),
        DAMAGE(SECTION_META, 10, "\x50\0\0\0", "section meta: 80 bytes of a metric's name in 29 bytes"),
        DAMAGE(SECTION_META, 20, "\x7F", "section meta: a name that is not 1 to 63 printable ASCII characters"),
        DAMAGE(SECTION_META, 24, "\2", "section meta: has_link is 2, not 0 or 1"),
        DAMAGE(SECTION_META, 25, NAN_BYTES, "section meta: base_score is not finite"),
    };
    check_damage_of(make_own_model(&MAKE_SHAPES[0]), damages, sizeof damages / sizeof damages[0]);
}

static void callers_loss_is_kept(void) {
    mxb_model *model = make_own_model(&MAKE_SHAPES[0]), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    OK(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error);
    CHECK(loaded->loss == MODEL_OWN_LOSS && loaded->has_link == 1 && loaded->own_loss.value == NULL);
    CHECK_TEXT(loaded->own_loss.name, "huber");
    CHECK_TEXT(mxb_model_metric(loaded), "mean huber");
    mxb_bytes_free(bytes);
    mxb_model_free(model);
    mxb_model_free(loaded);
}

int main(void) {
    RUN(meta);
    RUN(texts);
    RUN(members);
    RUN(texts_come_back);
    RUN(many_texts_come_back);
    RUN(both_labels_the_same_text);
    RUN(a_text_twice);
    RUN(texts_survive_failing_allocations);
    RUN(options);
    RUN(option_twice);
    RUN(scaling);
    RUN(scaled_values_may_be_as_large_as_the_format_says);
    RUN(standard_scaling);
    RUN(curve);
    RUN(callers_loss);
    RUN(callers_loss_is_kept);
    return check_report();
}
