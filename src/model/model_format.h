/* What the writer and the reader of model files share. The bytes are described in docs/model-format.md. */
#ifndef MXB_MODEL_MODEL_FORMAT_H
#define MXB_MODEL_MODEL_FORMAT_H

#include "base/bytes.h"
#include "model/model.h"

/* The only one there is: what was written before it, by versions that were never released, is not read. */
enum { MXB__FORMAT_VERSION = 1 };

/* A high bit and both line ends, as PNG has them: a transfer that treats the file as text is noticed at once. */
#define MXB__MAGIC "\x89MXB\r\n\x1A\n"

enum {
    MXB__MAGIC_BYTES = 8,
    MXB__START_BYTES = 24,   /* magic, version, number of sections, length of the file */
    MXB__ENTRY_BYTES = 32,   /* a section in the table: id, flags, offset, length, checksum */
    MXB__CHECKSUM_BYTES = 8, /* of all before it */
    MXB__FLAG_OPTIONAL = 1   /* a reader that does not know the section may go on without */
};

/* In the order they have in the file. */
enum section_id {
    SECTION_META = 1,
    SECTION_OPTIONS = 2,
    SECTION_SCALING = 3,
    SECTION_PROJECTIONS = 4,
    SECTION_TERMS = 5,
    SECTION_CURVE = 6,
    SECTION_REPAIRS = 7 /* optional */
};
enum { MXB__N_NEEDED_SECTIONS = 6, MXB__N_SECTIONS = 7 };

/** Whether a term says of itself that it was repaired; of the others the section of repairs does. */
static inline int mxb__tells_repairs(const struct term *term) { return term->kind == TERM_FOURIER; }

/* What a feature holds; categories with splits of their own will be another kind. */
enum feature_kind { FEATURE_NUMERIC = 1, FEATURE_TEXT = 2 };

/* What the two labels of logloss are. */
enum label_kind { LABELS_NUMERIC = 1, LABELS_TEXT = 2 };

/** Sections of the model's file. */
uint32_t mxb__model_n_sections(const mxb_model *model);
/** Writes what one section holds. */
void mxb__section_encode(const mxb_model *model, enum section_id id, struct byte_writer *out);

/* A section whose checksum is right, and whose every other byte is in doubt. */
struct section_input {
    struct byte_reader in;
    const char *file;            /* for messages, quotes included */
    const char *name;            /* the section's */
    const struct own_parts *own; /* what the caller brings; NULL: nothing */
    mxb_error *error;
};

/** "FILE is damaged: " and the rest of the sentence. */
__attribute__((format(printf, 2, 3))) mxb_status mxb__section_damaged(const struct section_input *section,
                                                                      const char *format, ...);

/** Every count passes here before memory is asked for: FORMAT unless it is within its limit and the bytes left can hold
 *  that many of `bytes_each`. */
mxb_status mxb__section_check_count(const struct section_input *section, uint32_t count, uint32_t limit,
                                    size_t bytes_each, const char *what);

/** A text without NUL bytes, the caller's to free; `what` names its bytes in messages. */
mxb_status mxb__section_get_text(struct section_input *section, const char *what, char **text);

/** A name as callers may give losses and learners. */
mxb_status mxb__section_get_own_name(struct section_input *section, const char *what, char name[MXB__OWN_NAME_SIZE]);

/** Reads one section, all of it, into the model; sections come in order. Whatever it holds so far, the model can be
 *  freed. */
mxb_status mxb__section_decode(enum section_id id, struct section_input *section, mxb_model *model);

/** The same for the sections of projections and terms, which predictions walk through, and of repaired terms. */
mxb_status mxb__projections_decode(struct section_input *section, mxb_model *model);
mxb_status mxb__terms_decode(struct section_input *section, mxb_model *model);
mxb_status mxb__repairs_decode(struct section_input *section, mxb_model *model);

#endif
