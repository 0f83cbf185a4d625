/* Step 9 of the data's path: a model file written: header, table of sections, checksums; to bytes and disk. Knows
 * nothing of what a section holds. The bytes are described in docs/model-format.md. */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "model/model_format.h"

/* What a file cannot hold, said before it is written; the rest is bounded by training. */
static mxb_status check_names(const mxb_model *model, mxb_error *error) {
    for (uint32_t f = 0; model->feature_names != NULL && f < model->n_features; f++) {
        size_t n_bytes = strlen(model->feature_names[f]);
        if (n_bytes > MXB__MAX_NAME_BYTES) {
            return mxb__fail(error, MXB_ERROR_DATA,
                             "the name of feature %" PRIu32 " has %zu bytes; a model file takes up to %" PRIu32, f,
                             n_bytes, MXB__MAX_NAME_BYTES);
        }
    }
    return MXB_OK;
}

static mxb_status check_own_terms(const mxb_model *model, mxb_error *error) {
    for (uint32_t i = 0; i < model->n_terms; i++) {
        const struct term *term = &model->terms[i];
        if (term->kind == TERM_OWN && !mxb__own_term_is_writable(&term->own)) {
            return mxb__fail(error, MXB_ERROR_PARAM,
                             "the model has rounds of the learner \"%s\", which cannot be written; give it "
                             "mxb_learner_set_files",
                             mxb__term_name(term));
        }
    }
    return MXB_OK;
}

static void write_all(const mxb_model *model, struct byte_writer *out) {
    unsigned char header[MXB__START_BYTES + MXB__N_SECTIONS * MXB__ENTRY_BYTES + MXB__CHECKSUM_BYTES] = {0};
    memcpy(header, MXB__MAGIC, MXB__MAGIC_BYTES);
    mxb__store_u32(header + 8, MXB__FORMAT_VERSION);
    uint32_t n_sections = mxb__model_n_sections(model);
    size_t n_covered = MXB__START_BYTES + n_sections * MXB__ENTRY_BYTES;
    mxb__store_u32(header + 12, n_sections);
    mxb__put_bytes(out, header, n_covered + MXB__CHECKSUM_BYTES);
    for (uint32_t i = 0; i < n_sections; i++) {
        unsigned char *entry = header + MXB__START_BYTES + i * MXB__ENTRY_BYTES;
        size_t offset = out->n_bytes;
        mxb__section_encode(model, (enum section_id)(i + 1), out);
        if (out->status != MXB_OK) {
            return;
        }
        mxb__store_u32(entry, i + 1);
        mxb__store_u32(entry + 4, i < MXB__N_NEEDED_SECTIONS ? 0 : MXB__FLAG_OPTIONAL);
        mxb__store_u64(entry + 8, offset);
        mxb__store_u64(entry + 16, out->n_bytes - offset);
        mxb__store_u64(entry + 24, mxb__crc64(out->bytes + offset, out->n_bytes - offset));
    }
    mxb__store_u64(header + 16, out->n_bytes);
    mxb__store_u64(header + n_covered, mxb__crc64(header, n_covered));
    memcpy(out->bytes, header, n_covered + MXB__CHECKSUM_BYTES);
}

mxb_status mxb_model_to_bytes(const mxb_model *model, void **bytes, size_t *n_bytes, mxb_error *error) {
    struct byte_writer out = {.error = error};
    if (bytes == NULL || n_bytes == NULL || model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "%s is NULL", model == NULL ? "model" : "the place for the bytes");
    }
    *bytes = NULL;
    *n_bytes = 0;
    MXB_TRY(check_names(model, error));
    MXB_TRY(check_own_terms(model, error));
    write_all(model, &out);
    if (out.status != MXB_OK) {
        mxb__free(out.bytes);
        return out.status;
    }
    *bytes = out.bytes;
    *n_bytes = out.n_bytes;
    return MXB_OK;
}

void mxb_bytes_free(void *bytes) { mxb__free(bytes); }

mxb_status mxb_model_save(const mxb_model *model, const char *path, mxb_error *error) {
    void *bytes;
    size_t n_bytes;
    if (path == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "path is NULL");
    }
    MXB_TRY(mxb_model_to_bytes(model, &bytes, &n_bytes, error));
    mxb_status status = mxb__file_replace(path, bytes, n_bytes, error);
    mxb__free(bytes);
    return status;
}
