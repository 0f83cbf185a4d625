#include "check.h"
#include "model/model_format.h"
#include "unit/model/make_model.h"

/* The section's bytes as hexadecimal text. */
static void check_section(const mxb_model *model, enum section_id id, const char *expected) {
    static char text[1024];
    struct byte_writer out = {0};
    mxb__section_encode(model, id, &out);
    CHECK_INT(out.status, MXB_OK);
    text[0] = '\0';
    for (size_t i = 0; i < out.n_bytes; i++) {
        snprintf(text + 2 * i, 3, "%02x", (unsigned char)out.bytes[i]);
    }
    CHECK_TEXT(text, expected);
    mxb__free(out.bytes);
}

/* Those of which the fourier term does not say so itself, in a section that others do without. */
static void repaired_terms(void) {
    mxb_model *model = make_small_model();
    CHECK_INT(mxb__model_n_sections(model), 6);
    check_section(model, SECTION_REPAIRS, "00000000");
    model->terms[0].repaired = 1;
    CHECK_INT(mxb__model_n_sections(model), 7);
    check_section(model, SECTION_REPAIRS, "0100000000000000");
    mxb_model_free(model);
}

/* clang-format off */

/* As docs/model-format.md has it, field by field. */
static void every_byte(void) {
    mxb_model *model = make_small_model();
    check_section(model, SECTION_META,
                  "02"                                     /* logloss */
                  "01"                                     /* with labels that are numbers */
                  "0000000000000000" "000000000000f03f"    /* 0 and 1 */
                  "000000000000e03f"                       /* base score 0.5 */
                  "01000000"                               /* one member */
                  "02000000" "01"                          /* two features, with names */
                  "01" "01000000" "61"                     /* numeric, "a" */
                  "01" "02000000" "6263");                 /* numeric, "bc" */
    check_section(model, SECTION_OPTIONS,
                  "01000000"
                  "05000000" "67616d6d61"                  /* gamma */
                  "03000000" "322e35");                    /* 2.5 */
    check_section(model, SECTION_SCALING,
                  "02" "02000000"                          /* rank, two features */
                  "00000000" "02000000"                    /* missing 0, two knots */
                  "0000000000000000" "000000000000f03f"    /* 0 and 1 */
                  "000080bf" "0000803f"                    /* scores -1 and 1 */
                  "00000000" "01000000" "0000000000000000" "000080bf");
    check_section(model, SECTION_PROJECTIONS,
                  "01000000" "02000000"                    /* one, of two components */
                  "00000000" "00000000"                    /* weights of feature 0 */
                  "00000000" "0000803e"                    /* weights of feature 1 */
                  "00000000" "0000003f");                  /* phases */
    check_section(model, SECTION_TERMS,
                  "02000000"
                  "01" "00000000" "01000000"               /* tree, one output from 0 */
                  "01000000" "03000000"                    /* maximal depth 1, three nodes */
                  "0000000000002040"                       /* gain 8 */
                  "01" "000000000000f83f" "01000000" "01"  /* x1 <= 1.5, missing left */
                  "0000803f"                               /* all of the gain */
                  "00" "00000000000000c0"                  /* leaf -2 */
                  "00" "0000000000000040"                  /* leaf 2 */
                  "02" "00000000" "01000000"               /* fourier, one output from 0 */
                  "00000000" "01"                          /* projection 0, repaired */
                  "000000000000e03f" "000000000000c03f"    /* gain 0.5, intercept 0.125 */
                  "0000000000001040" "0000000000000000");  /* weights 4 and 0 */
    check_section(model, SECTION_CURVE,
                  "00" "03000000" "01"                     /* not stopped early, 3 values, validation */
                  "000000000000e83f" "0000000000000000" "0000000000000000"
                  "0000000000000000" "0000000000000000" "0000000000000000");
    mxb_model_free(model);
}

static void callers_parts(void) {
    mxb_model *model = make_own_model(&MAKE_SHAPES[0]);
    model->base_score = 0.5;
    check_section(model, SECTION_META,
                  "03"                                     /* a caller's loss */
                  "05000000" "6875626572"                  /* huber */
                  "0a000000" "6d65616e206875626572"        /* mean huber */
                  "01"                                     /* with a link */
                  "000000000000e03f" "01000000" "01000000" "00" "01");
    check_section(model, SECTION_TERMS,
                  "02000000"
                  "03" "00000000" "01000000"               /* a caller's, one output from 0 */
                  "04000000" "6c696e65"                    /* line */
                  "000000000000e03f"                       /* rate 0.5 */
                  "03000000" "01fe7a"                      /* its bytes */
                  "03" "00000000" "01000000" "04000000" "6c696e65" "000000000000e03f" "00000000");
    mxb_model_free(model);
}

static void symmetric_tree(void) {
    struct model_shape shape = {.seed = 1, .loss = MODEL_MSE, .n_features = 2};
    mxb_model *model = make_model(&shape);
    struct term term = {.kind = TERM_SYMMETRIC, .n_outputs = 1, .symmetric = {.depth = 1, .max_depth = 6, .gain = 8}};
    make_sure(mxb__symmetric_allocate(&term.symmetric, NULL));
    term.symmetric.levels[0] = (struct symmetric_level){1.5, 1, 1, 1};
    term.symmetric.values[0] = -2;
    term.symmetric.values[1] = 2;
    make_sure(mxb__model_add_term(model, &term, NULL));
    check_section(model, SECTION_TERMS,
                  "01000000"
                  "04" "00000000" "01000000"               /* symmetric, one output from 0 */
                  "06000000" "01000000"                    /* maximal depth 6, one level */
                  "0000000000002040"                       /* gain 8 */
                  "000000000000f83f" "01000000" "01"       /* x1 <= 1.5, missing left */
                  "0000803f"                               /* all of the gain */
                  "00000000000000c0" "0000000000000040");  /* leaves -2 and 2 */
    mxb_model_free(model);
}

static void parts_left_out(void) {
    struct model_shape shape = {.seed = 1, .loss = MODEL_MSE, .n_features = 2};
    mxb_model *model = make_model(&shape);
    mxb__free(model->train_curve);
    model->train_curve = NULL;
    model->base_score = 0;
    model->scaling.kind = SCALING_STANDARD;
    check_section(model, SECTION_META, "01" "0000000000000000" "01000000" "02000000" "00" "01" "01");
    check_section(model, SECTION_SCALING, "03" "00000000");
    check_section(model, SECTION_PROJECTIONS, "00000000");
    check_section(model, SECTION_TERMS, "00000000");
    check_section(model, SECTION_CURVE, "00" "00000000" "00");
    mxb_model_free(model);
}

static void texts(void) {
    mxb_model *model = make_text_model();
    model->base_score = 0;
    model->n_features = 2;
    check_section(model, SECTION_META,
                  "02" "02"                                /* logloss, with labels that are texts */
                  "05000000" "3c3d35304b"                  /* <=50K */
                  "04000000" "3e35304b"                    /* >50K */
                  "0000000000000000" "01000000"            /* base score 0, one member */
                  "02000000" "01"                          /* two features, with names */
                  "01" "09000000" "666561747572652030"     /* numeric, "feature 0" */
                  "02" "09000000" "666561747572652031"     /* text, "feature 1" */
                  "06000000" "00000000" "02000000" "3130"  /* six texts: "", "10", */
                  "01000000" "39" "08000000" "6e65770a6c696e65" "02000000" "c3a9" "01000000" "ff");
    model->n_features = 4;
    mxb_model_free(model);
}

static void standard_scaling(void) {
    struct model_shape shape = {.seed = 1, .loss = MODEL_MSE, .n_features = 1, .n_projections = 1, .n_components = 1,
                                .scaling = SCALING_STANDARD};
    mxb_model *model = make_model(&shape);
    model->scaling.features[0] = (struct scaling_feature){.center = 1, .factor = 2, .missing = 0.5f};
    check_section(model, SECTION_SCALING, "03" "01000000" "0000003f" "000000000000f03f" "0000000000000040");
    mxb_model_free(model);
}

/* clang-format on */

int main(void) {
    RUN(every_byte);
    RUN(repaired_terms);
    RUN(callers_parts);
    RUN(symmetric_tree);
    RUN(parts_left_out);
    RUN(texts);
    RUN(standard_scaling);
    return check_report();
}
