#include "check.h"
#include "model/utf8.h"
#include "unit/model/make_model.h"

/* A reader of JSON that only says whether the text is JSON: each function returns what follows its part, or NULL. */
static const char *read_value(const char *at);

static const char *skip_blanks(const char *at) { return at + strspn(at, " \n"); }

static const char *read_string(const char *at) {
    if (*at++ != '"') {
        return NULL;
    }
    while (*at != '"') {
        if ((unsigned char)*at < 0x20) {
            return NULL;
        }
        if (*at == '\\') {
            at++;
            if (*at == 'u' && strspn(at + 1, "0123456789abcdef") >= 4) {
                at += 4;
            } else if (*at != '"' && *at != '\\') {
                return NULL;
            }
        }
        at++;
    }
    return at + 1;
}

static const char *read_number(const char *at) {
    at += *at == '-';
    size_t digits = strspn(at, "0123456789");
    if (digits == 0 || (digits > 1 && *at == '0')) {
        return NULL;
    }
    at += digits;
    if (*at == '.') {
        digits = strspn(at + 1, "0123456789");
        at = digits == 0 ? NULL : at + 1 + digits;
    }
    if (at != NULL && (*at == 'e' || *at == 'E')) {
        at += 1 + (at[1] == '-' || at[1] == '+');
        digits = strspn(at, "0123456789");
        at = digits == 0 ? NULL : at + digits;
    }
    return at;
}

static const char *read_members(const char *at, char close) {
    at = skip_blanks(at + 1);
    if (*at == close) {
        return at + 1;
    }
    for (;;) {
        if (close == '}') {
            at = read_string(skip_blanks(at));
            if (at == NULL || *at++ != ':') {
                return NULL;
            }
        }
        at = read_value(skip_blanks(at));
        if (at == NULL || (*at != ',' && *at != close)) {
            return NULL;
        }
        if (*at++ == close) {
            return at;
        }
    }
}

static const char *read_value(const char *at) {
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0) {
            return at + strlen(words[i]);
        }
    }
    return *at == '{'   ? read_members(at, '}')
           : *at == '[' ? read_members(at, ']')
           : *at == '"' ? read_string(at)
                        : read_number(at);
}

static int is_json(const char *text) {
    size_t n_bytes = strlen(text);
    const char *end = read_value(text);
    for (size_t i = 0; i < n_bytes;) {
        size_t length = mxb__utf8_length(text + i, n_bytes - i);
        if (length == 0) {
            return 0;
        }
        i += length;
    }
    return end != NULL && strcmp(end, "\n") == 0;
}

static void the_checker_checks(void) {
    CHECK(is_json("{\"a\": [1, -2.5e-3, \"x\\\"\", null]}\n"));
    CHECK(!is_json("{\"a\": [1,]}\n") && !is_json("[inf]\n") && !is_json("[1\n") && !is_json("[01]\n"));
    CHECK(!is_json("[\"\xFF\"]\n") && !is_json("[]\n\n") && !is_json("[]"));
}

static void small_model(void) {
    mxb_model *model = make_small_model();
    mxb_error error;
    char *json;
    size_t n_bytes;
    OK(mxb_model_to_json(model, &json, &n_bytes, &error), error);
    CHECK_INT(n_bytes, strlen(json));
    CHECK(is_json(json));
    CHECK_TEXT(
        json,
        "{\"format\": 1,\n"
        "\"loss\": \"logloss\",\n"
        "\"labels\": [0, 1],\n"
        "\"base_score\": 0.5,\n"
        "\"n_members\": 1,\n"
        "\"features\": [\n"
        "  {\"name\": \"a\", \"splits\": 0, \"tree_gain\": 0, \"symmetric_gain\": 0, \"fourier_gain\": 0.25},\n"
        "  {\"name\": \"bc\", \"splits\": 1, \"tree_gain\": 8, \"symmetric_gain\": 0, \"fourier_gain\": 0.25}],\n"
        "\"options\": {\n"
        "  \"gamma\": \"2.5\"},\n"
        "\"scaling\": {\"kind\": \"rank\", \"features\": [\n"
        "  {\"missing\": 0, \"knots\": [0, 1], \"scores\": [-1, 1]},\n"
        "  {\"missing\": 0, \"knots\": [0], \"scores\": [-1]}]},\n"
        "\"projections\": [\n"
        "  {\"n_components\": 2, \"phases\": [0, 0.5],\n"
        "   \"weights\": [[0, 0],\n"
        "    [0, 0.25]]}],\n"
        "\"rounds\": [\n"
        "  {\"learner\": \"tree\", \"decrease\": 0.75, \"repaired\": false, \"max_depth\": 1, \"gain\": 8, \"nodes\": "
        "[{\"feature\": 1, "
        "\"threshold\": 1.5, \"missing\": \"left\", \"gain\": 8, \"left\": 1, \"right\": 2},\n"
        "    {\"value\": -2},\n"
        "    {\"value\": 2}]},\n"
        "  {\"learner\": \"fourier\", \"decrease\": 0, \"repaired\": true, \"projection\": 0, \"gain\": 0.5, "
        "\"intercept\": 0.125, \"weights\": [4, 0]}],\n"
        "\"curve\": {\"metric\": \"logloss\", \"train\": [0.75, 0, 0], \"valid\": [0, 0, 0]},\n"
        "\"stopped_early\": false,\n"
        "\"n_repairs\": 1}\n");
    mxb_bytes_free(json);
    mxb_model_free(model);
}

static void symmetric_tree(void) {
    struct model_shape shape = {.seed = 1, .loss = MODEL_MSE, .n_features = 2};
    mxb_model *model = make_model(&shape);
    struct term term = {.kind = TERM_SYMMETRIC, .n_outputs = 1, .symmetric = {.depth = 1, .max_depth = 6, .gain = 8}};
    mxb_error error;
    char *json;
    size_t n_bytes;
    make_sure(mxb__symmetric_allocate(&term.symmetric, NULL));
    term.symmetric.levels[0] = (struct symmetric_level){INFINITY, 1, 0.5f, 1};
    term.symmetric.values[0] = -2;
    term.symmetric.values[1] = 2;
    model->train_curve[0] = 3;
    model->train_curve[1] = 0.5;
    make_sure(mxb__model_add_term(model, &term, NULL));
    make_sure(mxb__model_build(model, NULL));
    OK(mxb_model_to_json(model, &json, &n_bytes, &error), error);
    CHECK(is_json(json));
    CHECK(strstr(json,
                 "{\"learner\": \"symmetric\", \"decrease\": 2.5, \"repaired\": false, \"max_depth\": 6, \"gain\": 8, "
                 "\"levels\": [{"
                 "\"feature\": 1, \"threshold\": \"inf\", \"missing\": \"left\", \"gain\": 4}],\n"
                 "    \"values\": [-2, 2]}],\n") != NULL);
    CHECK(strstr(json, "\"splits\": 1, \"tree_gain\": 0, \"symmetric_gain\": 4, \"fourier_gain\": 0}") != NULL);
    mxb_bytes_free(json);
    mxb_model_free(model);
}

static void every_shape_is_json(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]);
        mxb_error error;
        char *json;
        size_t n_bytes;
        OK(mxb_model_to_json(model, &json, &n_bytes, &error), error);
        CHECK(is_json(json));
        mxb_bytes_free(json);
        mxb_model_free(model);
    }
}

static void callers_parts(void) {
    mxb_model *model = make_own_model(&MAKE_SHAPES[4]);
    double *curve_end = model->train_curve + mxb_model_n_rounds(model);
    mxb_error error;
    char *json;
    size_t n_bytes;
    curve_end[-2] = 2;
    curve_end[-1] = 1;
    curve_end[0] = 1.5;
    OK(mxb_model_to_json(model, &json, &n_bytes, &error), error);
    CHECK(is_json(json));
    CHECK(strstr(json, "\"loss\": \"huber\",\n\"labels\": null,\n") != NULL);
    CHECK(strstr(json, "\"curve\": {\"metric\": \"mean huber\", ") != NULL);
    CHECK(
        strstr(json,
               ",\n  {\"learner\": \"line\", \"decrease\": 1, \"repaired\": false, \"rate\": 0.5, \"bytes\": "
               "\"01fe7a\"},\n"
               "  {\"learner\": \"line\", \"decrease\": -0.5, \"repaired\": false, \"rate\": 0.5, \"bytes\": \"\"}]") !=
        NULL);
    mxb_bytes_free(json);
    for (uint64_t n = 1; n < 6; n++) {
        mxb__memory_fail_at(n, 0);
        CHECK_INT(mxb_model_to_json(model, &json, &n_bytes, &error), MXB_ERROR_MEMORY);
        mxb__memory_fail_at(0, 0);
    }
    mxb_model_free(model);
}

static void what_json_cannot_hold(void) {
    mxb_model *model = make_small_model();
    mxb_error error;
    char *json;
    size_t n_bytes;
    mxb__free(model->feature_names[0]);
    mxb__free(model->feature_names[1]);
    model->feature_names[0] = make_text("q\"b\\t\tn\n\x01\x7F");
    model->feature_names[1] = make_text("\xC3\xA9\xFF\xE2\x82z");
    model->terms[0].tree.nodes[0].value = -INFINITY;
    model->terms[0].tree.nodes[0].missing_left = 0;
    mxb__free(model->train_curve);
    mxb__free(model->valid_curve);
    model->train_curve = model->valid_curve = NULL;
    OK(mxb_model_to_json(model, &json, &n_bytes, &error), error);
    CHECK(is_json(json));
    CHECK(strstr(json, "{\"name\": \"q\\\"b\\\\t\\u0009n\\u000a\\u0001\x7F\", ") != NULL);
    CHECK(strstr(json, "{\"name\": \"\xC3\xA9\\ufffd\\ufffd\\ufffdz\", ") != NULL);
    CHECK(strstr(json, "\"threshold\": \"-inf\", \"missing\": \"right\"") != NULL);
    CHECK(strstr(json, "\"train\": null, \"valid\": null}") != NULL);
    CHECK(strstr(json, "{\"learner\": \"tree\", \"decrease\": null, ") != NULL);
    mxb_bytes_free(json);
    model->terms[0].tree.nodes[0].value = INFINITY;
    OK(mxb_model_to_json(model, &json, &n_bytes, &error), error);
    CHECK(strstr(json, "\"threshold\": \"inf\"") != NULL);
    mxb_bytes_free(json);
    mxb_model_free(model);
}

static void arguments_and_memory(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[4]);
    mxb_error error;
    char *json;
    size_t n_bytes;
    FAILS(mxb_model_to_json(NULL, &json, &n_bytes, &error), error, MXB_ERROR_PARAM, "model is NULL");
    FAILS(mxb_model_to_json(model, NULL, &n_bytes, &error), error, MXB_ERROR_PARAM, "the place for the text is NULL");
    FAILS(mxb_model_to_json(model, &json, NULL, &error), error, MXB_ERROR_PARAM, "the place for the text is NULL");
    mxb_status status = MXB_ERROR_MEMORY;
    uint64_t n = 1;
    for (; status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 1);
        status = mxb_model_to_json(model, &json, &n_bytes, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && json == NULL && n_bytes == 0));
    }
    CHECK(n > 5);
    mxb_bytes_free(json);
    mxb_model_free(model);
}

static void texts(void) {
    mxb_model *model = make_text_model();
    mxb_error error;
    char *json;
    size_t n_bytes;
    OK(mxb_model_to_json(model, &json, &n_bytes, &error), error);
    CHECK(is_json(json));
    CHECK(strstr(json, "\"labels\": [\"<=50K\", \">50K\"],\n") != NULL);
    CHECK(strstr(json, ", \"texts\": [\"\", \"10\", \"9\", \"new\\u000aline\", \"\xC3\xA9\", \"\\ufffd\"]},\n") !=
          NULL);
    CHECK(strstr(json, ", \"texts\": []}],\n") != NULL);
    mxb_bytes_free(json);
    mxb_model_free(model);
}

int main(void) {
    RUN(the_checker_checks);
    RUN(small_model);
    RUN(texts);
    RUN(symmetric_tree);
    RUN(every_shape_is_json);
    RUN(callers_parts);
    RUN(what_json_cannot_hold);
    RUN(arguments_and_memory);
    return check_report();
}
