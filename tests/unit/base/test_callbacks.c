/* What callbacks come to, and how the caller's parts are found. */
#include "base/callbacks.h"

#include "check.h"

static void results_are_told(void) {
    mxb_error said = {"no"};
    mxb_error error = {"old"};
    CHECK_INT(mxb__callback_result(MXB_OK, &said, "x", "y", &error), MXB_OK);
    CHECK_TEXT(error.message, "old");
    FAILS(mxb__callback_result(MXB_ERROR_IO, &said, "the loss \"a\"", "in round 3", &error), error, MXB_ERROR_IO,
          "the loss \"a\" failed in round 3: no");
    FAILS(mxb__callback_result(MXB_STOPPED, &said, "the loss \"a\"", "in round 3", &error), error, MXB_STOPPED,
          "the loss \"a\" stopped in round 3: no");
    said.message[0] = '\0';
    FAILS(mxb__callback_result(MXB_ERROR_DATA, &said, "the loss \"a\"", "in round 3", &error), error, MXB_ERROR_DATA,
          "the loss \"a\" failed in round 3");
    memset(said.message, 'm', sizeof said.message); /* no NUL anywhere */
    CHECK_INT(mxb__callback_result(MXB_ERROR_DATA, &said, "w", "h", &error), MXB_ERROR_DATA);
    CHECK_INT(strlen(error.message), sizeof error.message - 1);
    CHECK_INT(mxb__callback_result(MXB_ERROR_DATA, &said, "w", "h", NULL), MXB_ERROR_DATA);
}

static void learners_are_found_by_name(void) {
    struct own_parts own = {.n_learners = 2, .learners = {{.name = "a"}, {.name = "b"}}};
    CHECK(mxb__own_learner_find(&own, "b") == &own.learners[1]);
    CHECK(mxb__own_learner_find(&own, "c") == NULL);
    CHECK(mxb__own_learner_find(&own, "") == NULL);
    CHECK(mxb__own_learner_find(NULL, "a") == NULL);
}

static void names_are_printable(void) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl";
    CHECK(mxb__own_name_fits(letters, 1) && mxb__own_name_fits(letters, 63));
    CHECK(!mxb__own_name_fits(letters, 0) && !mxb__own_name_fits(letters, 64));
    CHECK(mxb__own_name_fits(" ~", 2) && !mxb__own_name_fits("\x1f", 1) && !mxb__own_name_fits("\x7f", 1));
    CHECK(!mxb__own_name_fits("a\0b", 3) && !mxb__own_name_fits("\xC3\xBC", 2));
}

int main(void) {
    RUN(results_are_told);
    RUN(learners_are_found_by_name);
    RUN(names_are_printable);
    return check_report();
}
