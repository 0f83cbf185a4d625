/* CSV text as a sequence of fields (RFC 4180). Knows nothing of columns or names. */
#ifndef MXB_IO_CSV_H
#define MXB_IO_CSV_H

#include <stddef.h>

#include "base/status.h"

/** The longest field, in bytes; a longer one is most likely a lost quote. */
enum { MXB__MAX_FIELD_BYTES = 1 << 20 };

static inline int mxb__csv_is_blank(char c) { return c == ' ' || c == '\t'; }

struct csv_field {
    const char *text; /* in the text read: without the blanks around it, or what stands between the quotes */
    size_t n_bytes;
    size_t line; /* in the file, from 1, where the field begins */
    int quoted;  /* 1 = was in quotes; a quote in `text` is then doubled */
    int is_last; /* 1 = the line ends after it */
};

struct csv_reader {
    const char *next;
    const char *end;
    const char *path;   /* for messages, printable */
    size_t line;        /* of `next`, from 1 */
    size_t n_fields;    /* read of the current line */
    size_t record_line; /* where the current line of fields began: quoted fields may span lines */
    int is_line_done;   /* 1 = `next` begins a line */
};

/** Begins at the start of the text, after a UTF-8 byte order mark. The text and `path` must outlive the reader. DATA if
 *  the text is UTF-16. */
mxb_status mxb__csv_init(struct csv_reader *reader, const char *text, size_t n_bytes, const char *path,
                         mxb_error *error);

/** 1 when no line is left. To be asked between lines only. */
int mxb__csv_is_at_end(const struct csv_reader *reader);

/** The next field. A line ends with LF, CR LF or the end of the text; blanks (space, tab) around a field, and around
 *  its quotes, do not belong to it; a quote in a field that does not begin with one is text. DATA for a quote that
 *  never closes, text after a closing quote, and a field that is too long. */
mxb_status mxb__csv_next(struct csv_reader *reader, struct csv_field *field, mxb_error *error);

/** The next field, if it is a decimal number and nothing else, not even blanks: 1. Else 0, and nothing has happened.
 *  Quicker than mxb__csv_next. */
int mxb__csv_next_number(struct csv_reader *reader, double *number, int *is_last);

/** Goes over the next field of a line that was read before, without failure. Quicker than mxb__csv_next. */
void mxb__csv_skip(struct csv_reader *reader);

/** Whether `p`, which begins a line of the text up to `end`, begins an empty one: nothing but blanks. */
int mxb__csv_begins_blank_line(const char *p, const char *end);

/** Where the line that begins at `p` ends, as mxb__csv_next sees it where nothing is wrong with it: after an LF that is
 *  in no quoted field, or at `end`. Adds to *n_breaks the LFs on the way. */
const char *mxb__csv_line_end(const char *p, const char *end, size_t *n_breaks);

/** Whether the field is all of an empty line: nothing but blanks, not even quotes. */
int mxb__csv_is_blank_line(const struct csv_reader *reader, const struct csv_field *field);

/** Copies the first `size` bytes of a field at most, doubled quotes made single; returns how many. No NUL is added. */
size_t mxb__csv_copy(const struct csv_field *field, char *out, size_t size);

#endif
