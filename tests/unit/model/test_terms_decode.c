#include "unit/model/damage_model.h"

static void projections(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_PROJECTIONS, 0, "\1\0\2\0", "section projections: 131073 projections; at most 131072"),
        DAMAGE(SECTION_PROJECTIONS, 0, "\2\0\0\0", "section projections: 2 projections in 28 bytes"),
        DAMAGE(SECTION_PROJECTIONS, 4, "\0\0\0\0", "section projections: no components"),
        DAMAGE(SECTION_PROJECTIONS, 4, "\1\0\1\0", "section projections: 65537 components; at most 65536"),
        DAMAGE(SECTION_PROJECTIONS, 4, "\3\0\0\0", "section projections: 3 components in 24 bytes"),
        DAMAGE(SECTION_PROJECTIONS, 4, "\1\0\0\0", "section projections has 12 bytes too many"),
        DAMAGE(SECTION_PROJECTIONS, 8, "\0\0\xC0\x7F",
               "section projections: a weight has more than 12 digits or is too large"),
        DAMAGE(SECTION_PROJECTIONS, 28, "\0\0\x80\x7F", "section projections: a phase is not finite"),
        DAMAGE(SECTION_PROJECTIONS, 0, "\0\0\0\0", "section projections has 28 bytes too many"),
    };
    check_damage(damages, sizeof damages / sizeof damages[0]);
    check_resized(SECTION_PROJECTIONS, -29, "the model is damaged: section projections ends too early");
}

static void projection_without_scaling(void) {
    mxb_model *model = make_small_model(), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    mxb__scaling_clear(&model->scaling);
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    FAILS(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT,
          "the model is damaged: section projections: 1 of them, but no scaling");
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

/* Offsets in the section of terms: the tree at 4, its nodes at 29, 47 and 56, the fourier term at 65. */
static void rounds(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_TERMS, 0, "\1\0\0\1", "section terms: 16777217 terms; at most 16777216"),
        DAMAGE(SECTION_TERMS, 0, "\5\0\0\0", "section terms: 5 terms in 107 bytes"),
        DAMAGE(SECTION_TERMS, 0, "\3\0\0\0", "section terms ends too early"),
        DAMAGE(SECTION_TERMS, 0, "\1\0\0\0", "section terms has 46 bytes too many"),
        DAMAGE(SECTION_TERMS, 4, "\5", "term of round 1: kind 5; 1 to 4 are known"),
        DAMAGE(SECTION_TERMS, 4, "\0", "term of round 1: kind 0; 1 to 4 are known"),
        DAMAGE(SECTION_TERMS, 5, "\2\0\0\0", "term of round 1: 1 outputs from 2; 1 from 0 is known"),
        DAMAGE(SECTION_TERMS, 70, "\0\0\0\0", "term of round 2: 0 outputs from 0; 1 from 0 is known"),
        DAMAGE(SECTION_TERMS, 74, "\1\0\0\0", "fourier term of round 2: projection 1 of 1"),
        DAMAGE(SECTION_TERMS, 78, "\2", "fourier term of round 2: repaired is not 0 or 1"),
        DAMAGE(SECTION_TERMS, 79, INF_BYTES, "fourier term of round 2: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 79, NAN_BYTES, "fourier term of round 2: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 86, "\xBF", "fourier term of round 2: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 87, INF_BYTES, "fourier term of round 2: a weight is not finite"),
        DAMAGE(SECTION_TERMS, 103, NAN_BYTES, "fourier term of round 2: a weight is not finite"),
        DAMAGE(SECTION_TERMS, 65, "\1\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0", "tree of round 2: no nodes"),
    };
    check_damage(damages, sizeof damages / sizeof damages[0]);
    check_resized(SECTION_TERMS, -1, "the model is damaged: section terms: 2 weights in 15 bytes");
}

static void trees(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_TERMS, 13, "\x1F\0\0\0", "tree of round 1: maximal depth 31; at most 30"),
        DAMAGE(SECTION_TERMS, 13, "\0\0\0\0", "section terms: 3 nodes; at most 1"),
        DAMAGE(SECTION_TERMS, 17, "\4\0\0\0", "section terms: 4 nodes; at most 3"),
        DAMAGE(SECTION_TERMS, 13, "\x1E\0\0\0\xFF\xFF\xFF\x7F", "section terms: 2147483647 nodes in 90 bytes"),
        DAMAGE(SECTION_TERMS, 17, "\0\0\0\0", "tree of round 1: no nodes"),
        DAMAGE(SECTION_TERMS, 17, "\2\0\0\0", "tree of round 1, node 0: its children lie beyond the last node"),
        DAMAGE(SECTION_TERMS, 17, "\1\0\0\0", "tree of round 1, node 0: its children lie beyond the last node"),
        DAMAGE(SECTION_TERMS, 21, INF_BYTES, "tree of round 1: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 21, NAN_BYTES, "tree of round 1: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 28, "\xC0", "tree of round 1: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 29, "\2", "tree of round 1, node 0: an unknown kind of split"),
        DAMAGE(SECTION_TERMS, 30, NAN_BYTES, "tree of round 1, node 0: the threshold is not a number"),
        DAMAGE(SECTION_TERMS, 38, "\2\0\0\0", "tree of round 1, node 0: feature 2 of 2"),
        DAMAGE(SECTION_TERMS, 38, "\xFF\xFF\xFF\xFF", "tree of round 1, node 0: feature 4294967295 of 2"),
        DAMAGE(SECTION_TERMS, 42, "\2", "tree of round 1, node 0: missing_left is not 0 or 1"),
        DAMAGE(SECTION_TERMS, 43, "\1", "tree of round 1, node 0: its share of the gain is not 0 to 1"),
        DAMAGE(SECTION_TERMS, 46, "\xBF", "tree of round 1, node 0: its share of the gain is not 0 to 1"),
        DAMAGE(SECTION_TERMS, 43, "\0\0\xC0\x7F", "tree of round 1, node 0: its share of the gain is not 0 to 1"),
        DAMAGE(SECTION_TERMS, 48, INF_BYTES, "tree of round 1, node 1: the value is not finite"),
        DAMAGE(SECTION_TERMS, 57, NAN_BYTES, "tree of round 1, node 2: the value is not finite"),
        DAMAGE(SECTION_TERMS, 29, "\0", "tree of round 1, node 1: no split leads to it"),
        /* Node 1 becomes a split on 18 bytes, those of node 2 among them. */
        DAMAGE(SECTION_TERMS, 47, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
               "tree of round 1, node 1: a split at the maximal depth"),
    };
    check_damage(damages, sizeof damages / sizeof damages[0]);
}

/* A model of one symmetric tree with two levels. */
static mxb_model *make_symmetric_model(void) {
    struct model_shape shape = {.seed = 1, .loss = MODEL_MSE, .n_features = 2};
    mxb_model *model = make_model(&shape);
    struct term term = {.kind = TERM_SYMMETRIC, .n_outputs = 1, .symmetric = {.depth = 2, .max_depth = 3, .gain = 1}};
    make_sure(mxb__symmetric_allocate(&term.symmetric, NULL));
    for (int i = 0; i < 4; i++) {
        term.symmetric.levels[i / 2] = (struct symmetric_level){.threshold = INFINITY, .share = 0.5f};
        term.symmetric.values[i] = i;
    }
    make_sure(mxb__model_add_term(model, &term, NULL));
    make_sure(mxb__model_build(model, NULL));
    return model;
}

/* Offsets: the depths at 13 and 17, the gain at 21, the levels at 29 and 46, the values from 63 on. */
static void symmetric_trees(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_TERMS, 13, "\x11", "symmetric tree of round 1: 2 levels of 17; at most 16"),
        DAMAGE(SECTION_TERMS, 17, "\4", "symmetric tree of round 1: 4 levels of 3; at most 16"),
        DAMAGE(SECTION_TERMS, 17, "\xFF\xFF\xFF\xFF", "symmetric tree of round 1: 4294967295 levels of 3; at most 16"),
        DAMAGE(SECTION_TERMS, 13, "\x10\0\0\0\x10", "section terms: 65536 leaves in 74 bytes"),
        DAMAGE(SECTION_TERMS, 17, "\3", "section terms ends too early"),
        DAMAGE(SECTION_TERMS, 21, NAN_BYTES, "symmetric tree of round 1: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 28, "\xBF", "symmetric tree of round 1: the gain is negative or not finite"),
        DAMAGE(SECTION_TERMS, 29, NAN_BYTES, "symmetric tree of round 1, level 0: the threshold is not a number"),
        DAMAGE(SECTION_TERMS, 54, "\2", "symmetric tree of round 1, level 1: feature 2 of 2"),
        DAMAGE(SECTION_TERMS, 41, "\2", "symmetric tree of round 1, level 0: missing_left is not 0 or 1"),
        DAMAGE(SECTION_TERMS, 62, "\x40", "symmetric tree of round 1, level 1: its share of the gain is not 0 to 1"),
        DAMAGE(SECTION_TERMS, 87, INF_BYTES, "symmetric tree of round 1: a value is not finite"),
    };
    check_damage_of(make_symmetric_model(), damages, sizeof damages / sizeof damages[0]);
}

/* An infinite threshold is a split of its own: everything that is not missing goes one way. */
static void infinite_threshold(void) {
    mxb_model *model = make_small_model(), *loaded;
    void *bytes;
    size_t n_bytes;
    mxb_error error;
    model->terms[0].tree.nodes[0].value = INFINITY;
    OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
    OK(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error);
    CHECK(isinf(loaded->terms[0].tree.nodes[0].value));
    mxb_model_free(loaded);
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

/* Children are not in the file; the loader finds them again, whatever the shape. */
static void children_are_found(void) {
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct model_shape shape = {.seed = seed, .loss = MODEL_MSE, .n_features = 3, .n_trees = 3, .max_depth = 7};
        mxb_model *model = make_model(&shape), *loaded;
        void *bytes;
        size_t n_bytes;
        mxb_error error;
        OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
        OK(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error);
        for (int r = 0; r < 3; r++) {
            const struct tree *one = &model->terms[r].tree, *other = &loaded->terms[r].tree;
            REQUIRE(one->n_nodes == other->n_nodes);
            CHECK(memcmp(one->nodes, other->nodes, one->n_nodes * sizeof *one->nodes) == 0);
        }
        mxb_bytes_free(bytes);
        mxb_model_free(model);
        mxb_model_free(loaded);
    }
}

/* Offsets: the first term at 4, its name at 13, rate at 21 and bytes at 29; the second at 36, with no bytes. */
static void callers_terms(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_TERMS, 13, "\0\0\0\0", "section terms: a name that is not 1 to 63 printable ASCII characters"),
        DAMAGE(SECTION_TERMS, 13, "\x40\0\0\0", "section terms: 64 bytes of a learner's name in 48 bytes"),
        DAMAGE(SECTION_TERMS, 13, "\1\0\1\0", "section terms: 65537 bytes of a learner's name; at most 65536"),
        DAMAGE(SECTION_TERMS, 18, "\x1F", "section terms: a name that is not 1 to 63 printable ASCII characters"),
        DAMAGE(SECTION_TERMS, 18, "\xE9", "section terms: a name that is not 1 to 63 printable ASCII characters"),
        DAMAGE(SECTION_TERMS, 18, "\0", "section terms: a zero byte in a text"),
        DAMAGE(SECTION_TERMS, 21, NAN_BYTES, "term of round 1: the rate is not finite"),
        DAMAGE(SECTION_TERMS, 53, INF_BYTES, "term of round 2: the rate is not finite"),
        DAMAGE(SECTION_TERMS, 29, "\x21\0\0\0", "section terms: 33 bytes of a term in 32 bytes"),
        DAMAGE(SECTION_TERMS, 29, "\xFF\xFF\xFF\xFF", "section terms: 4294967295 bytes of a term in 32 bytes"),
        DAMAGE(SECTION_TERMS, 61, "\1\0\0\0", "section terms: 1 bytes of a term in 0 bytes"),
    };
    check_damage_of(make_own_model(&MAKE_SHAPES[0]), damages, sizeof damages / sizeof damages[0]);
}

static void callers_terms_are_kept(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_own_model(&MAKE_SHAPES[s]), *loaded;
        void *bytes, *again;
        size_t n_bytes, n_again;
        mxb_error error;
        OK(mxb_model_to_bytes(model, &bytes, &n_bytes, &error), error);
        OK(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error);
        OK(mxb_model_to_bytes(loaded, &again, &n_again, &error), error);
        CHECK(n_bytes == n_again && memcmp(bytes, again, n_bytes) == 0);
        const struct own_term *own = &loaded->terms[loaded->n_terms - 2 * loaded->n_members].own;
        CHECK(own->rate == 0.5 && !own->box->has_term && own->box->n_bytes == 3);
        CHECK_INT(own->box->round, mxb_model_n_rounds(loaded) - 1);
        CHECK_TEXT(mxb_model_round_learner(loaded, mxb_model_n_rounds(loaded), 0), "line");
        CHECK_INT(loaded->n_own_terms, 2 * loaded->n_members);
        mxb_bytes_free(bytes);
        mxb_bytes_free(again);
        mxb_model_free(model);
        mxb_model_free(loaded);
    }
}

/* Three trees around the fourier term, all repaired. */
static mxb_model *make_repaired_model(void) {
    mxb_model *model = make_small_model();
    for (int i = 0; i < 2; i++) {
        struct term tree;
        make_sure(mxb__term_copy(&tree, &model->terms[0], NULL, NULL));
        make_sure(mxb__model_add_term(model, &tree, NULL));
    }
    for (uint32_t t = 0; t < model->n_terms; t++) {
        model->terms[t].repaired = 1;
    }
    mxb__free(model->train_curve);
    mxb__free(model->valid_curve);
    model->train_curve = model->valid_curve = NULL;
    model->n_curve = 0;
    return model;
}

static void repairs_are_kept(void) {
    mxb_model *model = make_repaired_model(), *loaded;
    void *bytes, *again;
    size_t n, n_again;
    mxb_error error;
    model->terms[2].repaired = 0;
    OK(mxb__model_build(model, &error), error);
    CHECK_INT(mxb_model_n_repairs(model), 3);
    OK(mxb_model_to_bytes(model, &bytes, &n, &error), error);
    OK(mxb_model_from_bytes(bytes, n, &loaded, &error), error);
    CHECK_INT(mxb_model_n_repairs(loaded), 3);
    CHECK(loaded->terms[0].repaired && loaded->terms[1].repaired && !loaded->terms[2].repaired);
    OK(mxb_model_to_bytes(loaded, &again, &n_again, &error), error);
    CHECK(n_again == n && memcmp(again, bytes, n) == 0);
    mxb_bytes_free(again);
    mxb_bytes_free(bytes);
    mxb_model_free(loaded);
    mxb_model_free(model);
}

static void repairs(void) {
    static const struct damage damages[] = {
        DAMAGE(SECTION_REPAIRS, 0, "\0\0\0\0", "section repairs: no terms"),
        DAMAGE(SECTION_REPAIRS, 0, "\2\0\0\0", "section repairs has 4 bytes too many"),
        DAMAGE(SECTION_REPAIRS, 0, "\4\0\0\0", "section repairs: 4 terms in 12 bytes"),
        DAMAGE(SECTION_REPAIRS, 0, "\1\0\0\1", "section repairs: 16777217 terms; at most 16777216"),
        DAMAGE(SECTION_REPAIRS, 4, "\1", "section repairs: term 1 is not there, out of order or tells of itself"),
        DAMAGE(SECTION_REPAIRS, 8, "\0", "section repairs: term 0 is not there, out of order or tells of itself"),
        DAMAGE(SECTION_REPAIRS, 12, "\4", "section repairs: term 4 is not there, out of order or tells of itself"),
    };
    check_damage_of(make_repaired_model(), damages, sizeof damages / sizeof damages[0]);
}

int main(void) {
    RUN(projections);
    RUN(projection_without_scaling);
    RUN(rounds);
    RUN(trees);
    RUN(symmetric_trees);
    RUN(infinite_threshold);
    RUN(children_are_found);
    RUN(callers_terms);
    RUN(callers_terms_are_kept);
    RUN(repairs_are_kept);
    RUN(repairs);
    return check_report();
}
