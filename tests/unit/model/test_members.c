/* Members joined into one model, and taken apart again. */
#include "check.h"
#include "unit/model/naive_predict.h"

static int same_bytes(const mxb_model *one, const mxb_model *other) {
    void *bytes[2];
    size_t n_bytes[2];
    make_sure(mxb_model_to_bytes(one, &bytes[0], &n_bytes[0], NULL));
    make_sure(mxb_model_to_bytes(other, &bytes[1], &n_bytes[1], NULL));
    int same = n_bytes[0] == n_bytes[1] && memcmp(bytes[0], bytes[1], n_bytes[0]) == 0;
    mxb_bytes_free(bytes[0]);
    mxb_bytes_free(bytes[1]);
    return same;
}

static uint32_t n_rounds_of(const mxb_model *model) { return (uint32_t)mxb_model_n_rounds(model); }

/* Member `which` as a model of its own, built. */
static mxb_model *make_part(const mxb_model *model, uint32_t which) {
    mxb_model *part;
    make_sure(mxb__model_copy_empty(model, &part, NULL));
    part->n_members = 1;
    make_sure(mxb__scaling_copy(&part->scaling, &model->scaling, NULL));
    make_sure(mxb__members_part(part, model, which, NULL));
    make_sure(mxb__model_build(part, NULL));
    return part;
}

static void apart_and_joined_again(void) {
    for (int s = 0; s < MAKE_N_SHAPES; s++) {
        mxb_model *model = make_model(&MAKE_SHAPES[s]), *copy;
        mxb_error error;
        OK(make_cut(model, n_rounds_of(model), &copy, &error), error);
        CHECK(same_bytes(model, copy) == (s != 5)); /* which has a projection that no round uses */
        CHECK(copy->collapsed_weights == NULL);
        mxb_model_free(model);
        OK(mxb__model_build(copy, &error), error);
        mxb_model_free(copy);
    }
}

/* The prediction is the mean of the members' own. */
static void parts_are_averaged(void) {
    enum { N_ROWS = 300 };
    static double whole[N_ROWS], parts[2][N_ROWS];
    mxb_model *model = make_model(&MAKE_SHAPES[6]);
    double *rows = make_rows(N_ROWS, model->n_features);
    mxb_dataset *dataset = make_dataset(rows, N_ROWS, model->n_features);
    make_sure(mxb_model_predict(model, dataset, MXB_PREDICT_RAW, 1, whole, NULL));
    for (uint32_t m = 0; m < 2; m++) {
        mxb_model *part = make_part(model, m);
        CHECK_INT(mxb_model_n_rounds(part), mxb_model_n_rounds(model));
        CHECK_INT(part->n_projections, 1);
        make_sure(mxb_model_predict(part, dataset, MXB_PREDICT_RAW, 1, parts[m], NULL));
        mxb_model_free(part);
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        CHECK_NEAR(whole[i], (parts[0][i] + parts[1][i]) / 2, 1e-13);
    }
    mxb_dataset_free(dataset);
    free(rows);
    mxb_model_free(model);
}

static void first_rounds(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[5]), *copy;
    mxb_error error;
    OK(make_cut(model, 2, &copy, &error), error);
    CHECK_INT(mxb_model_n_rounds(copy), 2);
    CHECK_INT(mxb_model_n_curve(copy), mxb_model_n_curve(model));
    CHECK(copy->n_projections == 0 && copy->scaling.features == NULL);
    CHECK(copy->scaling.kind == SCALING_RANK);
    mxb_model_free(copy);
    OK(make_cut(model, n_rounds_of(model), &copy, &error), error);
    CHECK_INT(model->n_projections, 3);
    CHECK_INT(copy->n_projections, 2);
    struct term term = make_tree(3, 2);
    OK(mxb__model_add_term(copy, &term, &error), error); /* a full array grows */
    mxb_model_free(copy);
    OK(make_cut(model, 0, &copy, &error), error);
    CHECK_INT(mxb_model_n_rounds(copy), 0);
    mxb_model_free(copy);
    mxb_model_free(model);
}

/* A file may have one projection for several members: each gets it. */
static void a_shared_projection(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[6]), *copy;
    mxb_error error;
    for (uint32_t i = 0; i < model->n_terms; i++) {
        if (model->terms[i].kind == TERM_FOURIER) {
            model->terms[i].fourier.projection = 1;
        }
    }
    OK(make_cut(model, 4, &copy, &error), error);
    CHECK_INT(copy->n_projections, 2);
    for (uint32_t i = 0; i < copy->n_terms; i++) {
        CHECK(copy->terms[i].kind != TERM_FOURIER || copy->terms[i].fourier.projection == i % 2);
    }
    for (uint32_t p = 0; p < 2; p++) {
        CHECK_INT(memcmp(copy->projections[p].phases, model->projections[1].phases, 6 * sizeof(float)), 0);
    }
    mxb_model_free(copy);
    mxb_model_free(model);
}

/* Copies share the callers' terms they keep. */
static void callers_terms(void) {
    for (int s = 2; s <= 6; s += 4) {
        mxb_model *model = make_own_model(&MAKE_SHAPES[s]), *copy;
        mxb_error error;
        OK(make_cut(model, n_rounds_of(model) - 1, &copy, &error), error);
        OK(mxb__model_build(copy, &error), error);
        CHECK_INT(copy->n_own_terms, copy->n_members);
        const struct own_box *box = copy->terms[copy->n_terms - 1].own.box;
        CHECK(box == model->terms[copy->n_terms - 1].own.box);
        CHECK_INT(box->n_holders, 2);
        mxb_model_free(model);
        CHECK_INT(box->n_holders, 1);
        mxb_model_free(copy);
    }
}

static void may_fail(void) {
    mxb_model *model = make_model(&MAKE_SHAPES[6]), *copy;
    mxb_error error;
    mxb_status status = MXB_ERROR_MEMORY;
    int n_failures = 0;
    for (uint64_t n = 1; status != MXB_OK; n++) {
        mxb__memory_fail_at(n, 0);
        status = make_cut(model, n_rounds_of(model), &copy, &error);
        mxb__memory_fail_at(0, 0);
        CHECK(status == MXB_OK || (status == MXB_ERROR_MEMORY && copy == NULL));
        n_failures += status != MXB_OK;
    }
    CHECK(n_failures > 50);
    mxb_model_free(copy);
    mxb_model_free(model);
}

int main(void) {
    RUN(apart_and_joined_again);
    RUN(parts_are_averaged);
    RUN(first_rounds);
    RUN(a_shared_projection);
    RUN(callers_terms);
    RUN(may_fail);
    return check_report();
}
