/* Step 9 of the data's path: a model file read: header, table of sections, checksums; from bytes and disk. Knows
 * nothing of what a section holds. The bytes are described in docs/model-format.md. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/file.h"
#include "model/model_format.h"

enum { MAX_SECTIONS = 64 };

static size_t header_bytes(size_t n_sections) {
    return MXB__START_BYTES + n_sections * MXB__ENTRY_BYTES + MXB__CHECKSUM_BYTES;
}

static const char *section_name(uint32_t id) {
    static const char *const names[] = {"", "meta", "options", "scaling", "projections", "terms", "curve", "repairs"};
    return id >= 1 && id <= MXB__N_SECTIONS ? names[id] : "(unknown)";
}

struct section_entry {
    uint32_t id;
    uint32_t flags;
    uint64_t offset;
    uint64_t length;
    uint64_t checksum;
};

static struct section_entry get_entry(struct byte_reader *table) {
    struct section_entry entry;
    entry.id = mxb__get_u32(table);
    entry.flags = mxb__get_u32(table);
    entry.offset = mxb__get_u64(table);
    entry.length = mxb__get_u64(table);
    entry.checksum = mxb__get_u64(table);
    return entry;
}

/* Everything that can be known without looking into a section. On success `*n_sections` entries follow the start. */
static mxb_status check_header(const unsigned char *bytes, size_t n_bytes, const char *file, uint32_t *n_sections,
                               mxb_error *error) {
    struct byte_reader in = {.bytes = bytes, .n_left = n_bytes};
    if (n_bytes < MXB__MAGIC_BYTES ||
        memcmp(mxb__get_bytes(&in, MXB__MAGIC_BYTES), MXB__MAGIC, MXB__MAGIC_BYTES) != 0) {
        return mxb__fail(error, MXB_ERROR_FORMAT, "%s is not a mixboost model", file);
    }
    uint32_t version = mxb__get_u32(&in);
    if (version < MXB__FORMAT_VERSION && !in.overrun) {
        return mxb__fail(error, MXB_ERROR_FORMAT,
                         "%s was written by a mixboost that was never released (format %" PRIu32
                         ") and cannot be read; train the model again",
                         file, version);
    }
    if (version > MXB__FORMAT_VERSION) {
        return mxb__fail(error, MXB_ERROR_FORMAT,
                         "%s was written by a newer mixboost (format %" PRIu32 "; this one reads up to %d)", file,
                         version, MXB__FORMAT_VERSION);
    }
    *n_sections = mxb__get_u32(&in);
    uint64_t length = mxb__get_u64(&in);
    if (*n_sections > MAX_SECTIONS) {
        return mxb__fail(error, MXB_ERROR_FORMAT, "%s is damaged: %" PRIu32 " sections; at most %d", file, *n_sections,
                         MAX_SECTIONS);
    }
    size_t n_header = header_bytes(in.overrun ? 0 : *n_sections);
    if (in.overrun || n_bytes < n_header) {
        return mxb__fail(error, MXB_ERROR_FORMAT, "%s is truncated: %zu bytes of a header of %zu", file, n_bytes,
                         n_header);
    }
    struct byte_reader checksum = {.bytes = bytes + n_header - MXB__CHECKSUM_BYTES, .n_left = MXB__CHECKSUM_BYTES};
    if (mxb__get_u64(&checksum) != mxb__crc64(bytes, n_header - MXB__CHECKSUM_BYTES)) {
        return mxb__fail(error, MXB_ERROR_FORMAT, "%s is damaged: checksum of the header", file);
    }
    if (length > n_bytes) {
        return mxb__fail(error, MXB_ERROR_FORMAT, "%s is truncated: %zu bytes of %" PRIu64, file, n_bytes, length);
    }
    if (length < n_bytes) {
        return mxb__fail(error, MXB_ERROR_FORMAT, "%s is damaged: %zu bytes where %" PRIu64 " belong", file, n_bytes,
                         length);
    }
    return MXB_OK;
}

/* Where the sections must stand so far. */
struct file_cursor {
    uint64_t offset;  /* of the next section */
    uint32_t last_id; /* ids ascend */
    uint32_t n_known; /* sections 1 .. n_known have been read */
};

static mxb_status check_entry(const struct section_entry *entry, const struct file_cursor *at, uint64_t n_bytes,
                              struct section_input *section) {
    if (entry->id <= at->last_id || entry->flags > MXB__FLAG_OPTIONAL) {
        return mxb__section_damaged(section, "section %" PRIu32 " has flags %" PRIu32 " and follows section %" PRIu32,
                                    entry->id, entry->flags, at->last_id);
    }
    if (entry->offset != at->offset || entry->length > n_bytes - at->offset) {
        return mxb__section_damaged(section,
                                    "section %" PRIu32 " of %" PRIu64 " bytes at %" PRIu64 " does not follow the last",
                                    entry->id, entry->length, entry->offset);
    }
    int known = entry->id <= MXB__N_SECTIONS;
    int is_optional = (entry->flags & MXB__FLAG_OPTIONAL) != 0;
    if (known && is_optional != (entry->id > MXB__N_NEEDED_SECTIONS)) {
        return mxb__section_damaged(section, "section %s is %smarked optional", section->name,
                                    is_optional ? "" : "not ");
    }
    if (known && entry->id != at->n_known + 1) {
        return mxb__section_damaged(section, "section %s is missing", section_name(at->n_known + 1));
    }
    if (!known && !is_optional) {
        return mxb__fail(section->error, MXB_ERROR_FORMAT, "%s needs a newer mixboost: section %" PRIu32 " is unknown",
                         section->file, entry->id);
    }
    return MXB_OK;
}

static mxb_status read_sections(const unsigned char *bytes, size_t n_bytes, const char *file,
                                const struct own_parts *own, mxb_model *model, mxb_error *error) {
    struct section_input section = {.file = file, .own = own, .error = error};
    uint32_t n_sections = 0;
    MXB_TRY(check_header(bytes, n_bytes, file, &n_sections, error));
    struct byte_reader table = {.bytes = bytes + MXB__START_BYTES, .n_left = n_sections * MXB__ENTRY_BYTES};
    struct file_cursor at = {.offset = header_bytes(n_sections)};
    for (uint32_t i = 0; i < n_sections; i++) {
        struct section_entry entry = get_entry(&table);
        section.name = section_name(entry.id);
        MXB_TRY(check_entry(&entry, &at, n_bytes, &section));
        section.in = (struct byte_reader){.bytes = bytes + entry.offset, .n_left = (size_t)entry.length};
        if (mxb__crc64(section.in.bytes, section.in.n_left) != entry.checksum) {
            return mxb__section_damaged(&section, "checksum of section %s", section.name);
        }
        if (entry.id <= MXB__N_SECTIONS) {
            MXB_TRY(mxb__section_decode((enum section_id)entry.id, &section, model));
            at.n_known = entry.id;
        }
        at.last_id = entry.id;
        at.offset += entry.length;
    }
    if (at.n_known < MXB__N_NEEDED_SECTIONS) {
        return mxb__section_damaged(&section, "section %s is missing", section_name(at.n_known + 1));
    }
    if (at.offset != n_bytes) {
        return mxb__section_damaged(&section, "%" PRIu64 " byte%s to no section", n_bytes - at.offset,
                                    n_bytes - at.offset == 1 ? " belongs" : "s belong");
    }
    return mxb__model_build(model, error);
}

mxb_status mxb__model_decode(const void *bytes, size_t n_bytes, const char *file, const struct own_parts *own,
                             mxb_model **model, mxb_error *error) {
    MXB_TRY(mxb__model_create(model, error));
    mxb_status status = read_sections(bytes, n_bytes, file, own, *model, error);
    if (status != MXB_OK) {
        mxb_model_free(*model);
        *model = NULL;
    }
    return status;
}

mxb_status mxb__model_from_bytes(const void *bytes, size_t n_bytes, const struct own_parts *own, mxb_model **model,
                                 mxb_error *error) {
    if (model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the model is NULL");
    }
    *model = NULL;
    if (bytes == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "bytes is NULL");
    }
    return mxb__model_decode(bytes, n_bytes, "the model", own, model, error);
}

mxb_status mxb_model_from_bytes(const void *bytes, size_t n_bytes, mxb_model **model, mxb_error *error) {
    return mxb__model_from_bytes(bytes, n_bytes, NULL, model, error);
}

/* ---- Disk ---- */

mxb_status mxb__model_load(const char *path, const struct own_parts *own, mxb_model **model, mxb_error *error) {
    char *bytes;
    size_t n_bytes;
    char quoted[256], file[sizeof quoted + 2];
    if (model == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "the place for the model is NULL");
    }
    *model = NULL;
    if (path == NULL) {
        return mxb__fail(error, MXB_ERROR_PARAM, "path is NULL");
    }
    MXB_TRY(mxb__file_read(path, &bytes, &n_bytes, error));
    snprintf(file, sizeof file, "\"%s\"", mxb__quote(quoted, sizeof quoted, path, strlen(path)));
    mxb_status status = mxb__model_decode(bytes, n_bytes, file, own, model, error);
    mxb__free(bytes);
    return status;
}

mxb_status mxb_model_load(const char *path, mxb_model **model, mxb_error *error) {
    return mxb__model_load(path, NULL, model, error);
}
