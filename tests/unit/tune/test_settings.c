/* Every setting: its default, the ends of its range, what lies just beyond, and the sentence that says so. */
#include "tune/settings.h"

#include "check.h"

static mxb_error error;

struct expected_setting {
    const char *name;
    const char *initial;
    const char *range;
    double value; /* of the initial text */
    int is_kept;
    const char *inside[5];
    double values[5];
    const char *outside[9];
};

static const struct expected_setting EXPECTED[] = {
    {"n_configs",
     "512",
     "1 to 1000000",
     512,
     1,
     {"1", "1000000", "1e3", "+7", "007"},
     {1, 1000000, 1000, 7, 7},
     {"0", "1000001", "1.5", "-1", "", "many", "nan", " 1"}},
    {"eta", "4", "2 to 1000", 4, 1, {"2", "1000"}, {2, 1000}, {"1", "1001", "2.5", "0", "-4", "inf", "e", "4 "}},
    {"min_resource",
     "1/4",
     "a number or a fraction a/b over 0, up to 1",
     0.25,
     1,
     {"1", "1/3", "5/20", "1e-300", "0.5/2"},
     {1, 1.0 / 3.0, 0.25, 1e-300, 0.25},
     {"0", "-0.5", "1.01", "1/0", "0/0", "3/2", "1/4/2", "/4", "-1/-4"}},
    {"resource", "rows", "rows | rounds", 0, 1, {"rows", "rounds"}, {0, 1}, {"", "row", "Rows", "|", "rows | rounds"}},
    {"n_folds",
     "0",
     "2 to 1000, or 0",
     0,
     1,
     {"0", "2", "1000", "5"},
     {0, 2, 1000, 5},
     {"1", "1001", "2.5", "-2", "", "auto", "-0"}},
    {"valid_fraction",
     "0.2",
     "0.001 to 0.999",
     0.2,
     1,
     {"0.001", "0.999", "5e-1"},
     {0.001, 0.999, 0.5},
     {"0", "1", "0.0009", "0.9991", "nan", "1/5", "", "-0.2"}},
    {"stratify",
     "auto",
     "false | true | auto",
     2,
     1,
     {"false", "true", "auto"},
     {0, 1, 2},
     {"", "yes", "True", "0", "false ", "|", "fal"}},
    {"random_state",
     "0",
     "0 to 4294967295",
     0,
     1,
     {"0", "4294967295", "42"},
     {0, 4294967295.0, 42},
     {"-1", "4294967296", "0.5", "", "1e10"}},
    {"scoring",
     "metric",
     "a name of up to 63 printable characters",
     0,
     1,
     {"metric", "roc_auc", "f (a, b)", " ~"},
     {0, 0, 0, 0},
     {""}},
    {"time_limit", "0", "0 to 1e9", 0, 0, {"0", "1e9", "0.25", "-0"}, {0, 1e9, 0.25, 0}, {"-1", "1e10", "inf", "10m"}},
    {"n_threads", "0", "0 to 4096", 0, 0, {"0", "4096", "3"}, {0, 4096, 3}, {"-1", "4097", "1.5", "auto", ""}},
    {"memory", "1024", "0 to 1000000000", 1024, 0, {"0", "1e9"}, {0, 1e9}, {"-1", "1000000001", "0.5", "1G", ""}},
};

static void the_table_is_as_documented(void) {
    struct settings settings;
    mxb__settings_init(&settings);
    REQUIRE(mxb_setting_count() == sizeof EXPECTED / sizeof EXPECTED[0] && mxb_setting_count() == N_SETTINGS);
    for (size_t i = 0; i < N_SETTINGS; i++) {
        CHECK_TEXT(mxb_setting_name(i), EXPECTED[i].name);
        CHECK_TEXT(mxb_setting_default(i), EXPECTED[i].initial);
        CHECK_TEXT(mxb_setting_range(i), EXPECTED[i].range);
        CHECK(mxb_setting_help(i) != NULL && strlen(mxb_setting_help(i)) > 10);
        CHECK_TEXT(mxb__settings_get(&settings, EXPECTED[i].name), EXPECTED[i].initial);
        CHECK(settings.values[i] == EXPECTED[i].value);
        CHECK_INT(mxb__setting_is_kept((enum setting)i), EXPECTED[i].is_kept);
    }
    CHECK(mxb_setting_name(N_SETTINGS) == NULL && mxb_setting_default(N_SETTINGS) == NULL);
    CHECK(mxb_setting_range(N_SETTINGS) == NULL && mxb_setting_help(SIZE_MAX) == NULL);
    CHECK(mxb__settings_get(&settings, "eto") == NULL && mxb__settings_get(&settings, "") == NULL);
    CHECK_INT(mxb__setting_count(&settings, SETTING_N_CONFIGS), 512);
}

static void ranges_hold_at_both_ends(void) {
    for (size_t i = 0; i < N_SETTINGS; i++) {
        const struct expected_setting *expected = &EXPECTED[i];
        struct settings settings;
        mxb__settings_init(&settings);
        for (size_t k = 0; k < 5 && expected->inside[k] != NULL; k++) {
            OK(mxb__settings_set(&settings, expected->name, expected->inside[k], &error), error);
            CHECK(settings.values[i] == expected->values[k] && !signbit(settings.values[i]));
            CHECK_TEXT(mxb__settings_get(&settings, expected->name), expected->inside[k]);
        }
        struct settings before = settings;
        for (size_t k = 0; k < 8 && expected->outside[k] != NULL; k++) {
            char sentence[300];
            int is_whole = i == SETTING_N_CONFIGS || i == SETTING_ETA || i == SETTING_N_FOLDS ||
                           i == SETTING_RANDOM_STATE || i == SETTING_N_THREADS || i == SETTING_MEMORY;
            snprintf(sentence, sizeof sentence, "%s is \"%s\"; it must be %s%s", expected->name, expected->outside[k],
                     is_whole ? "a whole number, " : "", expected->range);
            FAILS(mxb__settings_set(&settings, expected->name, expected->outside[k], &error), error, MXB_ERROR_PARAM,
                  sentence);
        }
        CHECK(memcmp(&before, &settings, sizeof before) == 0); /* as it was */
    }
}

/* One setting changes one setting. */
static void the_others_stay(void) {
    for (size_t i = 0; i < N_SETTINGS; i++) {
        struct settings settings;
        mxb__settings_init(&settings);
        OK(mxb__settings_set(&settings, EXPECTED[i].name, EXPECTED[i].inside[1], &error), error);
        for (size_t k = 0; k < N_SETTINGS; k++) {
            CHECK_TEXT(settings.texts[k], k == i ? EXPECTED[i].inside[1] : EXPECTED[k].initial);
            CHECK(settings.values[k] == (k == i ? EXPECTED[i].values[1] : EXPECTED[k].value));
        }
    }
}

static void unknown_names_and_long_texts(void) {
    struct settings settings;
    char most[SETTING_TEXT_SIZE + 1] = "";
    mxb__settings_init(&settings);
    FAILS(mxb__settings_set(&settings, "n_config", "1", &error), error, MXB_ERROR_PARAM,
          "there is no setting \"n_config\"");
    FAILS(mxb__settings_set(&settings, "a\nb", "1", &error), error, MXB_ERROR_PARAM, "there is no setting \"a\\x0ab\"");
    FAILS(mxb__settings_set(&settings, "scoring", "a\nb", &error), error, MXB_ERROR_PARAM,
          "scoring is \"a\\x0ab\"; it must be a name of up to 63 printable characters");
    FAILS(mxb__settings_set(&settings, "scoring", "a\x7f", &error), error, MXB_ERROR_PARAM,
          "scoring is \"a\\x7f\"; it must be a name of up to 63 printable characters");
    memset(most, '0', SETTING_TEXT_SIZE - 1);
    most[SETTING_TEXT_SIZE - 2] = '3';
    OK(mxb__settings_set(&settings, "eta", most, &error), error);
    CHECK_TEXT(mxb__settings_get(&settings, "eta"), most);
    CHECK_INT(mxb__setting_count(&settings, SETTING_ETA), 3);
    memset(most, '0', SETTING_TEXT_SIZE);
    most[SETTING_TEXT_SIZE - 1] = '3'; /* one byte too many to be kept */
    FAILS(mxb__settings_set(&settings, "eta", most, &error), error, MXB_ERROR_PARAM,
          "eta is \"000000000000000000000000000000000000000000000000000000000000...\"; it must be a whole number, "
          "2 to 1000");
}

int main(void) {
    RUN(the_table_is_as_documented);
    RUN(ranges_hold_at_both_ends);
    RUN(the_others_stay);
    RUN(unknown_names_and_long_texts);
    return check_report();
}
