/* Step 9 of the data's path: members of a model. Each is an ensemble of its own while it is trained; in a finished
 * model their terms stand round by round, member after member. Knows nothing of how they were trained. */
#include "base/memory.h"
#include "model/model.h"

/* In a map from projections of one model to those of another. */
static const uint32_t NOT_USED = UINT32_MAX, USED = 0;

/* Appends copies of the projections that the first n_rounds rounds of member `which` of `from` use. `*map`, the
 * caller's to free, tells where each of them is now. */
static mxb_status append_projections(mxb_model *to, const mxb_model *from, uint32_t which, uint32_t n_rounds,
                                     uint32_t **map, mxb_error *error) {
    MXB_TRY(mxb__alloc(map, from->n_projections, sizeof **map, "projections", error));
    for (uint32_t p = 0; p < from->n_projections; p++) {
        (*map)[p] = NOT_USED;
    }
    for (uint32_t r = 0; r < n_rounds; r++) {
        const struct term *term = &from->terms[r * from->n_members + which];
        if (term->kind == TERM_FOURIER) {
            (*map)[term->fourier.projection] = USED;
        }
    }
    for (uint32_t p = 0; p < from->n_projections; p++) {
        if ((*map)[p] == USED) {
            struct projection projection;
            (*map)[p] = to->n_projections;
            MXB_TRY(mxb__projection_copy(&projection, &from->projections[p], error));
            mxb_status status = mxb__model_add_projection(to, &projection, error);
            if (status != MXB_OK) {
                mxb__projection_clear(&projection);
                return status;
            }
        }
    }
    return MXB_OK;
}

/* Appends a copy of a term of `from`. */
static mxb_status append_term(mxb_model *to, const mxb_model *from, const struct term *term, const uint32_t *map,
                              mxb_error *error) {
    struct term copy;
    MXB_TRY(mxb__term_copy(&copy, term, from->projections, error));
    if (copy.kind == TERM_FOURIER) {
        copy.fourier.projection = map[copy.fourier.projection];
    }
    mxb_status status = mxb__model_add_term(to, &copy, error);
    if (status != MXB_OK) {
        mxb__term_clear(&copy);
    }
    return status;
}

static mxb_status join(mxb_model *model, const mxb_model *const *members, uint32_t n_rounds, uint32_t **maps,
                       mxb_error *error) {
    for (uint32_t m = 0; m < model->n_members; m++) {
        MXB_TRY(append_projections(model, members[m], 0, n_rounds, &maps[m], error));
    }
    uint32_t n_terms = n_rounds * model->n_members;
    MXB_TRY(mxb__grow(&model->terms, 0, n_terms, sizeof *model->terms, "the ensemble", error));
    model->capacity = n_terms;
    for (uint32_t r = 0; r < n_rounds; r++) {
        for (uint32_t m = 0; m < model->n_members; m++) {
            MXB_TRY(append_term(model, members[m], &members[m]->terms[r], maps[m], error));
        }
    }
    return model->n_projections == 0 ? MXB_OK : mxb__scaling_copy(&model->scaling, &members[0]->scaling, error);
}

mxb_status mxb__members_join(mxb_model *model, const mxb_model *const *members, uint32_t n_rounds, mxb_error *error) {
    uint32_t **maps;
    MXB_TRY(mxb__alloc_zeroed(&maps, model->n_members, sizeof *maps, "members", error));
    mxb_status status = join(model, members, n_rounds, maps, error);
    for (uint32_t m = 0; m < model->n_members; m++) {
        mxb__free(maps[m]);
    }
    mxb__free(maps);
    return status;
}

mxb_status mxb__members_part(mxb_model *member, const mxb_model *from, uint32_t which, mxb_error *error) {
    uint32_t n_rounds = from->n_terms / from->n_members;
    uint32_t *map = NULL;
    mxb_status status = append_projections(member, from, which, n_rounds, &map, error);
    for (uint32_t r = 0; r < n_rounds && status == MXB_OK; r++) {
        status = append_term(member, from, &from->terms[r * from->n_members + which], map, error);
    }
    mxb__free(map);
    return status;
}
