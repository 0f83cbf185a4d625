/* Step 1 of the data's path: text to fields, without copying. Knows nothing of columns, names or numbers. */
#include "io/csv.h"

#include <string.h>

static int is_blank(char c) { return c == ' ' || c == '\t'; }

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
    for (q++; q < reader->end && is_blank(*q); q++) {
    }
    if (!ends_line(q, reader->end) && *q != ',') {
        return mxb__fail(error, MXB_ERROR_DATA, "%s: line %zu, column %zu: text follows the closing quote",
                         reader->path, reader->line, reader->n_fields);
    }
    *p = q;
    return MXB_OK;
}

static void read_plain(const struct csv_reader *reader, struct csv_field *field, const char **p) {
    const char *q = *p;
    while (q < reader->end && *q != ',' && *q != '\n') {
        q++;
    }
    if (q > *p && q[-1] == '\r' && ends_line(q - 1, reader->end)) {
        q--;
    }
    field->text = *p;
    field->n_bytes = (size_t)(q - *p);
    while (field->n_bytes > 0 && is_blank(field->text[field->n_bytes - 1])) {
        field->n_bytes--;
    }
    *p = q;
}

mxb_status mxb__csv_next(struct csv_reader *reader, struct csv_field *field, mxb_error *error) {
    const char *p = reader->next;
    if (reader->is_line_done) {
        reader->n_fields = 0;
        reader->record_line = reader->line;
    }
    reader->n_fields++;
    field->line = reader->line;
    field->quoted = 0;
    while (p < reader->end && is_blank(*p)) {
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
