/* Spaces as text: how a file may look, what comes back, and the sentence for every mistake. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "tune/space.h"
#include "unit/boost/make_data.h"

static mxb_error error;

/* Reads a space and writes it again; to be freed with mxb__free. NULL, and a failed check, where that fails. */
static char *rewritten(const char *text) {
    mxb_space *space = NULL;
    char *out = NULL;
    if (mxb_space_create(text, &space, &error) != MXB_OK || mxb__space_format(space, &out, &error) != MXB_OK) {
        check_failed(__FILE__, __LINE__, error.message);
    }
    mxb_space_free(space);
    return out;
}

static void check_rewritten(const char *text, const char *expected) {
    char *out = rewritten(text);
    CHECK_TEXT(out, expected);
    mxb__free(out);
}

static void a_file_may_look_like_this(void) {
    static const char plain[] =
        "gamma 0.001 1000 log10\n"
        "n_components 1 100 integer\n"
        "leaf_rows sample all choice\n"
        "lambda_l2 0.01\n"
        "subsample 0.5 1 linear\n";
    check_rewritten(plain, plain);
    check_rewritten(
        "# what the kernel needs\r\n"
        "gamma\t0.001 1e3    log10# in words\r\n"
        "\r\n"
        "   \t  # nothing\r\n"
        "\tn_components 1 100 integer   \t\r\n"
        "leaf_rows sample all choice # either\r\n"
        "lambda_l2 1e-2\r\n"
        "subsample +.5 1.0 linear\r\n",
        plain);
    check_rewritten(
        "\n\n\ngamma 0.001 1000 log10\nn_components 1 100 integer\nleaf_rows sample all choice\n"
        "lambda_l2 0.01\nsubsample 0.5 1 linear",
        plain);                                                /* no newline at the end */
    check_rewritten("alpha 5 #", "alpha 5\n");                 /* nor behind a comment */
    check_rewritten("alpha 5\r", "alpha 5\n");                 /* nor behind a carriage return */
    check_rewritten("alpha 1 1 choice", "alpha 1 1 choice\n"); /* a value may be there twice */
    check_rewritten("alpha 1 choice", "alpha 1 choice\n");     /* or alone */
    check_rewritten("alpha 2 2 linear", "alpha 2 2 linear\n"); /* as ends may be equal */
    check_rewritten("alpha auto 1 choice", "alpha auto 1 choice\n");
    check_rewritten("objective logloss", "objective logloss\n"); /* never drawn */
    check_rewritten(
        "\xEF\xBB\xBF"
        "alpha 5\n",
        "alpha 5\n"); /* a byte order mark */
    check_rewritten(" alpha 1 5 linear\n defaults # first", "defaults\nalpha 1 5 linear\n");
}

static void values_have_one_text(void) {
    check_rewritten("alpha 1e-3 0.0100 +1 choice", "alpha 0.001 0.01 1 choice\n");
    check_rewritten("alpha 1e-3", "alpha 0.001\n");
    check_rewritten("alpha 10e-4 1e2 log10", "alpha 0.001 100 log10\n");
    check_rewritten("depth_probabilities 0.50,0.50", "depth_probabilities 0.5,0.5\n");
    mxb_space *space;
    char *text;
    OK(mxb_space_create("alpha 1", &space, &error), error);
    OK(mxb_space_fix(space, "depth_probabilities", "0.25, 0.75", &error), error);
    OK(mxb_space_fix(space, "alpha", "1e1", &error), error);
    OK(mxb__space_format(space, &text, &error), error);
    CHECK_TEXT(text, "alpha 10\ndepth_probabilities 0.25,0.75\n"); /* can be read again */
    check_rewritten(text, text);
    mxb__free(text);
    mxb_space_free(space);
}

/* Whether two spaces are the same, to the last bit. */
static int same_spaces(const mxb_space *a, const mxb_space *b) {
    int same = a->n_ranges == b->n_ranges;
    for (size_t i = 0; same && i < a->n_ranges; i++) {
        const struct range *left = &a->ranges[i], *right = &b->ranges[i];
        same = strcmp(left->option, right->option) == 0 && left->scale == right->scale &&
               left->is_whole == right->is_whole && left->lowest == right->lowest && left->highest == right->highest &&
               left->n_values == right->n_values;
        for (size_t k = 0; same && k < left->n_values; k++) {
            same = strcmp(left->values[k], right->values[k]) == 0;
        }
    }
    return same;
}

static size_t put_line(struct dice *dice, const char *option, int is_integer, char *out, size_t room) {
    double a = is_integer ? 1 + (double)dice_below(dice, 30) : 1e-3 + dice_uniform(dice) * 0.9;
    double b = is_integer ? 1 + (double)dice_below(dice, 30) : 1e-3 + dice_uniform(dice) * 0.9;
    static const char *const scales[] = {"linear", "log10", "choice", "integer"};
    size_t scale = dice_below(dice, is_integer ? 5 : 4);
    int length = scale == 3 && !is_integer
                     ? snprintf(out, room, "%s %.17g\n", option, a)
                     : snprintf(out, room, "%s %.17g %.17g %s\n", option, fmin(a, b), fmax(a, b), scales[scale % 4]);
    return (size_t)length;
}

static void random_spaces_come_back(void) {
    static const char *const numbers[] = {"gamma", "alpha", "subsample", "colsample", "lambda_l2", "split_prior"};
    static const char *const integers[] = {"num_round", "n_components", "max_max_depth", "n_members"};
    struct dice dice = {3};
    for (int k = 0; k < 300; k++) {
        char text[2000] = "";
        size_t used = 0;
        for (size_t i = 0; i < 6; i++) {
            used += dice_below(&dice, 2) ? put_line(&dice, numbers[i], 0, text + used, sizeof text - used) : 0;
        }
        for (size_t i = 0; i < 4; i++) {
            used += put_line(&dice, integers[i], 1, text + used, sizeof text - used);
        }
        mxb_space *space, *again;
        char *out;
        OK(mxb_space_create(text, &space, &error), error);
        OK(mxb__space_format(space, &out, &error), error);
        OK(mxb_space_create(out, &again, &error), error);
        CHECK(same_spaces(space, again));
        check_rewritten(out, out);
        mxb__free(out);
        mxb_space_free(space);
        mxb_space_free(again);
    }
}

/* ---- Size ---- */

/* "alpha 1 1 ... 1 choice" with so many words, and a tail. */
static char *many_words(size_t n_words, const char *tail) {
    char *text = malloc(2 * n_words + strlen(tail) + 32);
    size_t used = (size_t)sprintf(text, "alpha");
    for (size_t i = 2; i < n_words; i++) {
        used += (size_t)sprintf(text + used, " 1");
    }
    sprintf(text + used, " choice%s", tail);
    return text;
}

static void a_line_has_up_to_a_thousand_words(void) {
    mxb_space *space;
    char *most = many_words(1000, "# and a comment of many more words");
    char *more = many_words(1001, "");
    char *far_more = many_words(100000, "\ngamma 1\n");
    OK(mxb_space_create(most, &space, &error), error);
    CHECK_INT(space->ranges[0].n_values, 998);
    mxb_space_free(space);
    FAILS(mxb_space_create(more, &space, &error), error, MXB_ERROR_PARAM,
          "line 1 of the search space: it has more than 1000 words");
    FAILS(mxb_space_create(far_more, &space, &error), error, MXB_ERROR_PARAM,
          "line 1 of the search space: it has more than 1000 words");
    free(most);
    free(more);
    free(far_more);
}

static void lines_may_be_very_long(void) {
    enum { N = 1000000 };
    mxb_space *space;
    char *text = malloc(N + 100);
    memset(text, ' ', N);
    strcpy(text + N, "alpha 1");
    check_rewritten(text, "alpha 1\n");
    text[0] = '#';
    FAILS(mxb_space_create(text, &space, &error), error, MXB_ERROR_PARAM, "the search space has no option");
    memset(text, 'x', N);
    FAILS(mxb_space_create(text, &space, &error), error, MXB_ERROR_PARAM,
          "line 1 of the search space: there is no option "
          "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\"");
    memset(text, '\n', N);
    strcpy(text + N, "alpha");
    FAILS(mxb_space_create(text, &space, &error), error, MXB_ERROR_PARAM,
          "line 1000001 of the search space: alpha has no value");
    memcpy(text, "alpha ", 6);
    memset(text + 6, '0', N);
    strcpy(text + N, "1\n");
    check_rewritten(text, "alpha 1\n"); /* a number of very many digits */
    free(text);
}

/* ---- Mistakes ---- */

struct mistake {
    const char *line;
    const char *sentence;
};

static const struct mistake MISTAKES[] = {
    {"alpha", "alpha has no value"},
    {"alpha # 1 2 linear", "alpha has no value"},
    {"beta 1 2 linear", "there is no option \"beta\""},
    {"Alpha 1", "there is no option \"Alpha\""},
    {"beta", "there is no option \"beta\""},
    {"\xC3\xA4 1 2 linear", "there is no option \"\\xc3\\xa4\""},
    {"\xEF\xBB\xBF"
     "alpha 1",
     "there is no option \"\\xef\\xbb\\xbf"
     "alpha\""},
    {"gamma 1", "gamma is there twice"}, /* on line 2 already */
    {"gamma 2 3 log10", "gamma is there twice"},
    {"objective mse logloss choice", "objective cannot be tuned: its losses cannot be compared"},
    {"n_threads 1 4 integer", "n_threads cannot be tuned: threads are shared out by the tuner"},
    {"n_threads 4", "n_threads cannot be tuned: threads are shared out by the tuner"},
    {"tree_n_threads 1 2 choice", "tree_n_threads cannot be tuned: threads are shared out by the tuner"},
    {"ridge_n_threads 1 2 choice", "ridge_n_threads cannot be tuned: threads are shared out by the tuner"},
    {"kernel_n_threads 1 2 choice", "kernel_n_threads cannot be tuned: threads are shared out by the tuner"},
    {"alpha 1 2", "\"2\" is no scale; a line ends with linear, log10, integer or choice"},
    {"alpha 1 2 log", "\"log\" is no scale; a line ends with linear, log10, integer or choice"},
    {"alpha 1 2 Linear", "\"Linear\" is no scale; a line ends with linear, log10, integer or choice"},
    {"alpha 1 2 linearly", "\"linearly\" is no scale; a line ends with linear, log10, integer or choice"},
    {"alpha 1 2 fixed", "\"fixed\" is no scale; a line ends with linear, log10, integer or choice"},
    {"alpha 1 linear", "alpha needs a lowest and a highest value before \"linear\""},
    {"alpha 1 2 3 log10", "alpha needs a lowest and a highest value before \"log10\""},
    {"num_round 1 integer", "num_round needs a lowest and a highest value before \"integer\""},
    {"fit_intercept 0 1 integer", "fit_intercept is a boolean, so its scale must be choice"},
    {"leaf_rows 0 1 linear", "leaf_rows is a choice, so its scale must be choice"},
    {"fourier_linear 0 1 linear", "fourier_linear is a boolean or auto, so its scale must be choice"},
    {"depth_probabilities 0 1 linear", "depth_probabilities is a list or auto, so its scale must be choice"},
    {"alpha 3 2 linear", "the lowest alpha, 3, is above the highest, 2"},
    {"alpha 1e-2 1e-3 log10", "the lowest alpha, 0.01, is above the highest, 0.001"},
    {"num_round 3 2 integer", "the lowest num_round, 3, is above the highest, 2"},
    {"alpha 0 1 log10", "the lowest alpha is 0; on a log10 scale it must be over 0"},
    {"alpha -0 1 log10", "the lowest alpha is -0; on a log10 scale it must be over 0"},
    {"base_score -1 1 log10", "the lowest base_score is -1; on a log10 scale it must be over 0"},
    {"alpha one 2 linear", "\"one\" is no number"},
    {"alpha 1 two linear", "\"two\" is no number"},
    {"alpha 1 inf linear", "\"inf\" is no number"},
    {"alpha nan 1 linear", "\"nan\" is no number"},
    {"alpha auto 1 linear", "\"auto\" is no number"},
    {"alpha 1 1e999 linear", "\"1e999\" is no number"},
    {"alpha 1,5 2 linear", "\"1,5\" is no number"},
    {"num_round 1.5 9 linear", "num_round takes whole numbers, and 1.5 is none"},
    {"num_round 1 9.25 log10", "num_round takes whole numbers, and 9.25 is none"},
    {"alpha 0.5 3 integer", "alpha takes whole numbers, and 0.5 is none"},
    {"learning_rate 0 1 linear", "learning_rate is \"0\"; it must be over 0, up to 1, or auto"},
    {"learning_rate 0.1 2 linear", "learning_rate is \"2\"; it must be over 0, up to 1, or auto"},
    {"max_max_depth 1 31 integer", "max_max_depth is \"31\"; it must be a whole number, 1 to 30"},
    {"alpha -1", "alpha is \"-1\"; it must be 0 to 1e300, or auto"},
    {"alpha choice", "alpha is \"choice\"; it must be 0 to 1e300, or auto"},
    {"leaf_rows sample some choice", "leaf_rows is \"some\"; it must be sample | all"},
    {"fit_intercept true 1 choice", "fit_intercept is \"1\"; it must be true | false"},
};

static void every_mistake_has_its_sentence(void) {
    for (size_t i = 0; i < sizeof MISTAKES / sizeof MISTAKES[0]; i++) {
        char text[300], sentence[300];
        mxb_space *space = (mxb_space *)1;
        snprintf(text, sizeof text, "# a space\ngamma 1 2 linear\n\n%s\nsubsample 0.5 1 linear\n", MISTAKES[i].line);
        snprintf(sentence, sizeof sentence, "line 4 of the search space: %s", MISTAKES[i].sentence);
        FAILS(mxb_space_create(text, &space, &error), error, MXB_ERROR_PARAM, sentence);
        CHECK(space == NULL);
    }
}

static void a_space_has_an_option(void) {
    static const char *const texts[] = {"", "\n", "# alpha 1\n", " \t\r\n\r\n", "#"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        mxb_space *space;
        FAILS(mxb_space_create(texts[i], &space, &error), error, MXB_ERROR_PARAM, "the search space has no option");
        CHECK(space == NULL);
    }
}

static void values_are_checked(void) {
    char *text;
    OK(mxb__space_read_value("alpha", "1e-3", &text, &error), error);
    CHECK_TEXT(text, "0.001");
    mxb__free(text);
    FAILS(mxb__space_read_value("alpha", "x", &text, &error), error, MXB_ERROR_PARAM,
          "alpha is \"x\"; it must be 0 to 1e300, or auto");
    CHECK(text == NULL);
    FAILS(mxb__space_read_value("aleph", "1", &text, &error), error, MXB_ERROR_PARAM, "there is no option \"aleph\"");
}

static void writing_may_fail(void) {
    mxb_space *space;
    char *text = NULL;
    OK(mxb_space_create("alpha 1 2 linear\ngamma 1", &space, &error), error);
    mxb__memory_fail_at(1, 1);
    CHECK_INT(mxb__space_format(space, &text, &error), MXB_ERROR_MEMORY);
    mxb__memory_fail_at(0, 0);
    CHECK(text == NULL);
    mxb_space_free(space);
}

int main(void) {
    RUN(a_file_may_look_like_this);
    RUN(values_have_one_text);
    RUN(random_spaces_come_back);
    RUN(a_line_has_up_to_a_thousand_words);
    RUN(lines_may_be_very_long);
    RUN(every_mistake_has_its_sentence);
    RUN(a_space_has_an_option);
    RUN(values_are_checked);
    RUN(writing_may_fail);
    return check_report();
}
