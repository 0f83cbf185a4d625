/* Tables of damage: bytes of the small model's file changed in one place, and the sentence the loader must say. */
#ifndef DAMAGE_MODEL_H
#define DAMAGE_MODEL_H

#include "check.h"
#include "model/model_format.h"
#include "unit/model/edit_model.h"
#include "unit/model/make_model.h"

#define NAN_BYTES "\0\0\0\0\0\0\xF8\x7F"
#define INF_BYTES "\0\0\0\0\0\0\xF0\x7F"

struct damage {
    enum section_id section;
    size_t offset; /* in the section */
    const char *bytes;
    size_t n_bytes;
    const char *sentence; /* after "the model is damaged: " */
};

/* `n` for string literals that hold zeros. */
#define DAMAGE(section, offset, bytes, sentence) \
    { section, offset, bytes, sizeof bytes - 1, sentence }

/* Frees the model. */
static inline void check_damage_of(mxb_model *model, const struct damage *damages, size_t n_damages) {
    for (size_t i = 0; i < n_damages; i++) {
        const struct damage *damage = &damages[i];
        void *bytes;
        size_t n_bytes, length;
        mxb_error error;
        mxb_model *loaded;
        char expected[1024];
        make_sure(mxb_model_to_bytes(model, &bytes, &n_bytes, NULL));
        unsigned char *section = edit_section(bytes, (size_t)damage->section - 1, &length);
        CHECK(damage->offset + damage->n_bytes <= length);
        memcpy(section + damage->offset, damage->bytes, damage->n_bytes);
        edit_repair(bytes);
        snprintf(expected, sizeof expected, "the model is damaged: %s", damage->sentence);
        FAILS(mxb_model_from_bytes(bytes, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT, expected);
        CHECK(loaded == NULL);
        mxb_model_free(loaded);
        mxb_bytes_free(bytes);
    }
    mxb_model_free(model);
}

static inline void check_damage(const struct damage *damages, size_t n_damages) {
    check_damage_of(make_small_model(), damages, n_damages);
}

/* The small model's file with the section's length changed by `change` bytes, cut or filled with zeros. */
static inline void check_resized(enum section_id id, int change, const char *sentence) {
    mxb_model *model = make_small_model(), *loaded;
    void *bytes;
    size_t n_bytes, length;
    mxb_error error;
    make_sure(mxb_model_to_bytes(model, &bytes, &n_bytes, NULL));
    unsigned char *file = malloc(n_bytes + 64);
    memcpy(file, bytes, n_bytes);
    edit_section(file, (size_t)id - 1, &length);
    n_bytes = edit_resize(file, n_bytes, (size_t)id - 1, (size_t)((int)length + change));
    edit_repair(file);
    FAILS(mxb_model_from_bytes(file, n_bytes, &loaded, &error), error, MXB_ERROR_FORMAT, sentence);
    mxb_model_free(loaded);
    free(file);
    mxb_bytes_free(bytes);
    mxb_model_free(model);
}

#endif
