/* Step 1 of the data's path: text to fields, without copying. Knows nothing of columns or names. */
#include "io/csv.h"

#include <string.h>

#include "base/eight_bytes.h"
#include "base/number.h"

/* CR only counts as part of CR LF, or at the very end. */
static int ends_line(const char *p, const char *end) {
    return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

mxb_status mxb__csv_init(struct csv_reader *reader, const char *text, size_t n_bytes, const char *path,
                         mxb_error *error) {
    *reader = (struct csv_reader){.next = text, .end = text + n_bytes, .path = path, .line = 1, .is_line_done = 1};
    if (n_bytes >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s is UTF-16 text; it must be UTF-8", path);
    }
    if (n_bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        reader->next += 3;
    }
    return MXB_OK;
}

int mxb__csv_is_at_end(const struct csv_reader *reader) { return reader->next == reader->end; }

/* `p` stands after the field's first quote. Leaves it where the field ends. */
static mxb_status read_quoted(struct csv_reader *reader, struct csv_field *field, const char **p, mxb_error *error) {
    const char *q = *p;
    field->text = q;
    field->quoted = 1;
    for (;; q++) {
        if (q == reader->end) {
            return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu, column %zu: the quoted field never ends",
                             reader->path, field->line, reader->n_fields);
        }
        if (*q == '\n') {
            reader->line++;
        } else if (*q == '"') {
            if (q + 1 == reader->end || q[1] != '"') {
                break;
            }
            q++;
        }
    }
    field->n_bytes = (size_t)(q - field->text);
    for (q++; q < reader->end && mxb__csv_is_blank(*q); q++) {
    }
    if (!ends_line(q, reader->end) && *q != ',') {
        return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu, column %zu: text follows the closing quote",
                         reader->path, reader->line, reader->n_fields);
    }
    *p = q;
    return MXB_OK;
}

/* Marks the bytes that are zero; beyond the first of them it may mark others. */
static uint64_t mark_zeros(uint64_t bytes) { return (bytes - 0x0101010101010101) & ~bytes & 0x8080808080808080; }

/* The first comma or LF from `p` on, or `end`. */
static const char *find_delimiter(const char *p, const char *end) {
    for (; end - p >= 8; p += 8) {
        uint64_t bytes = mxb__load_eight(p);
        uint64_t found = mark_zeros(bytes ^ 0x2c2c2c2c2c2c2c2c) | mark_zeros(bytes ^ 0x0a0a0a0a0a0a0a0a);
        if (found != 0) {
            return p + mxb__first_marked(found);
        }
    }
    while (p < end && *p != ',' && *p != '\n') {
        p++;
    }
    return p;
}

static void read_plain(const struct csv_reader *reader, struct csv_field *field, const char **p) {
    const char *q = find_delimiter(*p, reader->end);
    if (q > *p && q[-1] == '\r' && ends_line(q - 1, reader->end)) {
        q--;
    }
    field->text = *p;
    field->n_bytes = (size_t)(q - *p);
    while (field->n_bytes > 0 && mxb__csv_is_blank(field->text[field->n_bytes - 1])) {
        field->n_bytes--;
    }
    *p = q;
}

static void begin_field(struct csv_reader *reader) {
    if (reader->is_line_done) {
        reader->n_fields = 0;
        reader->record_line = reader->line;
    }
    reader->n_fields++;
}

mxb_status mxb__csv_next(struct csv_reader *reader, struct csv_field *field, mxb_error *error) {
    const char *p = reader->next;
    begin_field(reader);
    field->line = reader->line;
    field->quoted = 0;
    while (p < reader->end && mxb__csv_is_blank(*p)) {
        p++;
    }
    if (p < reader->end && *p == '"') {
        p++;
        MXB_TRY(read_quoted(reader, field, &p, error));
    } else {
        read_plain(reader, field, &p);
    }
    if (field->n_bytes > MXB__MAX_FIELD_BYTES) {
        return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu, column %zu: the field is longer than %d bytes%s",
                         reader->path, field->line, reader->n_fields, (int)MXB__MAX_FIELD_BYTES,
                         field->quoted ? "; its closing quote may be missing" : "");
    }
    field->is_last = ends_line(p, reader->end);
    reader->is_line_done = field->is_last;
    if (field->is_last) {
        p += p < reader->end && *p == '\r';
        reader->line += p < reader->end;
    }
    reader->next = p + (p < reader->end);
    return MXB_OK;
}

int mxb__csv_next_number(struct csv_reader *reader, double *number, int *is_last) {
    const char *p = mxb__number_begin(reader->next, reader->end, number);
    if (p == NULL || p == reader->end || p - reader->next > MXB__MAX_FIELD_BYTES) {
        return 0;
    }
    p += *p == '\r' && p + 1 < reader->end && p[1] == '\n';
    if (*p != ',' && *p != '\n') {
        return 0;
    }
    begin_field(reader);
    *is_last = *p == '\n';
    reader->is_line_done = *is_last;
    reader->line += (size_t)*is_last;
    reader->next = p + 1;
    return 1;
}

void mxb__csv_skip(struct csv_reader *reader) {
    const char *p = find_delimiter(reader->next, reader->end);
    if (p < reader->end && *p == ',' && *reader->next != '"' && !mxb__csv_is_blank(*reader->next)) {
        begin_field(reader);
        reader->is_line_done = 0;
        reader->next = p + 1;
    } else {
        struct csv_field field;
        (void)mxb__csv_next(reader, &field, NULL);
    }
}

int mxb__csv_begins_blank_line(const char *p, const char *end) {
    while (p < end && mxb__csv_is_blank(*p)) {
        p++;
    }
    return ends_line(p, end);
}

/* The closing quote of a field whose first quote is at `p`, or `end`. */
static const char *closing_quote(const char *p, const char *end, size_t *n_breaks) {
    for (p++; p < end; p++) {
        *n_breaks += *p == '\n';
        if (*p == '"') {
            if (p + 1 == end || p[1] != '"') {
                return p;
            }
            p++;
        }
    }
    return end;
}

const char *mxb__csv_line_end(const char *p, const char *end, size_t *n_breaks) {
    const char *feed = memchr(p, '\n', (size_t)(end - p));
    const char *last = feed == NULL ? end : feed;
    if (memchr(p, '"', (size_t)(last - p)) != NULL) {
        int begins_field = 1;
        for (last = p; last < end && *last != '\n'; last++) {
            if (*last == '"' && begins_field) {
                last = closing_quote(last, end, n_breaks);
                if (last == end) {
                    return end;
                }
            }
            begins_field = *last == ',' || (begins_field && mxb__csv_is_blank(*last));
        }
    }
    *n_breaks += last < end;
    return last + (last < end);
}

int mxb__csv_is_blank_line(const struct csv_reader *reader, const struct csv_field *field) {
    return reader->n_fields == 1 && field->is_last && !field->quoted && field->n_bytes == 0;
}

size_t mxb__csv_copy(const struct csv_field *field, char *out, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < field->n_bytes && used < size; i++) {
        out[used++] = field->text[i];
        i += field->quoted && field->text[i] == '"';
    }
    return used;
}
