/* Random changes of a model file: bytes of it, or its structure, with lengths and checksums put right so that the
 * change gets past them. */
#ifndef CHANGE_MODEL_H
#define CHANGE_MODEL_H

#include "unit/boost/make_data.h"
#include "unit/model/edit_model.h"

enum { CHANGE_ROOM = 1 << 18, CHANGE_LARGEST = CHANGE_ROOM / 4, CHANGE_LONGER = 4096 /* at most */ };

struct model_file {
    unsigned char bytes[CHANGE_ROOM];
    size_t n;
};

static inline size_t change_n_sections(const struct model_file *file) {
    return (size_t)edit_number(file->bytes + 12, 4);
}

/* ---- bytes ---- */

/* One to eight of them. */
static inline void change_bytes(struct dice *dice, unsigned char *bytes, size_t n) {
    for (size_t left = n == 0 ? 0 : 1 + dice_below(dice, 8); left > 0; left--) {
        bytes[dice_below(dice, n)] ^= (unsigned char)(1 + dice_below(dice, 255));
    }
}

/* ---- inside a section ---- */

/* Where a number may stand: the first ones of a section are counts and kinds. */
static inline size_t change_place(struct dice *dice, size_t n) {
    return n == 0 ? 0 : dice_below(dice, dice_below(dice, 2) == 0 && n > 32 ? 32 : n);
}

/* A number of 1, 4 or 8 bytes becomes one at an edge of what may be, or a little more or less than it was. */
static inline void change_number(struct dice *dice, unsigned char *bytes, size_t n) {
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     30,
                                     31,
                                     0x7F,
                                     0xFF,
                                     0xFFFF,
                                     0x10000,
                                     0x7FFFFFFF,
                                     0x80000000u,
                                     0xFFFFFFFFu,
                                     0x7F800000u,         /* infinite, f32 */
                                     0x7FC00000u,         /* no number */
                                     0x7FEFFFFFFFFFFFFFu, /* the largest f64 */
                                     0x7FF0000000000000u, /* infinite */
                                     0xFFF0000000000000u,
                                     0x7FF8000000000000u, /* no number */
                                     0x8000000000000000u, /* -0 */
                                     0xFFFFFFFFFFFFFFFFu};
    static const size_t widths[] = {1, 4, 4, 8};
    size_t at = change_place(dice, n), width = widths[dice_below(dice, 4)];
    width = width < n - at ? width : n - at;
    uint64_t value = edges[dice_below(dice, sizeof edges / sizeof edges[0])];
    if (dice_below(dice, 2) == 0) {
        value = edit_number(bytes + at, width) + 1 + dice_below(dice, 3) - (dice_below(dice, 2) == 0 ? 4 : 0);
    }
    for (size_t i = 0; i < width; i++) {
        bytes[at + i] = (unsigned char)(value >> (8 * i));
    }
}

/* Takes a piece out of the section's middle, or puts it there once more. */
static inline void change_piece(struct dice *dice, struct model_file *file, size_t index) {
    size_t length;
    unsigned char *section = edit_section(file->bytes, index, &length);
    size_t at = change_place(dice, length), n = length - at < 64 ? length - at : 64;
    n = n == 0 ? 0 : 1 + dice_below(dice, n);
    if (dice_below(dice, 2) == 0) {
        memmove(section + at, section + at + n, length - at - n);
        file->n = edit_resize(file->bytes, file->n, index, length - n);
    } else {
        file->n = edit_resize(file->bytes, file->n, index, length + n);
        memmove(section + at + n, section + at, length - at);
    }
}

static inline void change_end(struct dice *dice, struct model_file *file, size_t index) {
    size_t length;
    edit_section(file->bytes, index, &length);
    size_t longer = length + (dice_below(dice, 4) == 0 ? CHANGE_LONGER : 16);
    file->n = edit_resize(file->bytes, file->n, index, dice_below(dice, longer + 1));
}

/* Gives the section what another model has there. */
static inline void change_section(struct dice *dice, struct model_file *file, struct model_file *other) {
    size_t n_both = change_n_sections(file), length;
    n_both = change_n_sections(other) < n_both ? change_n_sections(other) : n_both;
    size_t index = dice_below(dice, n_both);
    const unsigned char *section = edit_section(other->bytes, index, &length);
    file->n = edit_resize(file->bytes, file->n, index, length);
    memcpy(edit_section(file->bytes, index, &length), section, length);
}

/* ---- the header ---- */

/* A section of a kind that nobody knows, behind the others; optional or not. */
static inline void change_append(struct dice *dice, struct model_file *file) {
    size_t n_sections = change_n_sections(file), n_header = edit_header_bytes(file->bytes);
    size_t length = dice_below(dice, 100);
    memmove(file->bytes + n_header + EDIT_ENTRY, file->bytes + n_header, file->n - n_header);
    memset(file->bytes + n_header - 8, 0, EDIT_ENTRY + 8);
    for (size_t i = 0; i < n_sections; i++) {
        unsigned char *entry = file->bytes + EDIT_START + i * EDIT_ENTRY;
        mxb__store_u64(entry + 8, edit_number(entry + 8, 8) + EDIT_ENTRY);
    }
    unsigned char *entry = file->bytes + EDIT_START + n_sections * EDIT_ENTRY;
    mxb__store_u32(entry, (uint32_t)(n_sections + dice_below(dice, 3)));
    mxb__store_u32(entry + 4, (uint32_t)dice_below(dice, 3));
    mxb__store_u64(entry + 8, file->n + EDIT_ENTRY);
    mxb__store_u64(entry + 16, length);
    mxb__store_u32(file->bytes + 12, (uint32_t)(n_sections + 1));
    memset(file->bytes + file->n + EDIT_ENTRY, 0x5A, length);
    file->n += EDIT_ENTRY + length;
    mxb__store_u64(file->bytes + 16, file->n);
}

/* A number of the header or its table becomes another one, and only the header's checksum is put right. */
static inline void change_header(struct dice *dice, struct model_file *file) {
    size_t n_header = edit_header_bytes(file->bytes);
    change_number(dice, file->bytes + 8, n_header - 16);
    n_header = edit_number(file->bytes + 12, 4) <= EDIT_MAX_SECTIONS ? edit_header_bytes(file->bytes) : n_header;
    if (n_header <= file->n) {
        mxb__store_u64(file->bytes + n_header - 8, mxb__crc64(file->bytes, n_header - 8));
    }
}

/* ---- any of these ---- */

/* One to three changes of a file whose sections follow one another; `other` is another such one. Both have at most
 * CHANGE_LARGEST bytes, so there is room for whatever the changes add. */
static inline void change_structure(struct dice *dice, struct model_file *file, struct model_file *other) {
    for (size_t left = 1 + dice_below(dice, 3); left > 0; left--) {
        size_t index = dice_below(dice, change_n_sections(file)), length;
        unsigned char *section = edit_section(file->bytes, index, &length);
        switch (dice_below(dice, 8)) {
            case 0:
                change_bytes(dice, section, length);
                break;
            case 1:
                change_piece(dice, file, index);
                break;
            case 2:
                change_end(dice, file, index);
                break;
            case 3:
                change_section(dice, file, other);
                break;
            case 4:
                change_append(dice, file);
                break;
            default:
                change_number(dice, section, length);
                break;
        }
    }
    edit_repair(file->bytes);
    if (dice_below(dice, 10) == 0) {
        change_header(dice, file);
    }
}

#endif
