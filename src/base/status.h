/* Errors: a status plus, when the caller wants it, a sentence. */
#ifndef MXB_BASE_STATUS_H
#define MXB_BASE_STATUS_H

#include "mixboost/mixboost.h"

/** Writes the sentence (printf format) unless `error` is NULL, and returns `status`. */
__attribute__((format(printf, 3, 4))) mxb_status mxb__fail(mxb_error *error, mxb_status status, const char *format,
                                                           ...);

/** "out of memory" with what it was for. */
mxb_status mxb__fail_memory(mxb_error *error, size_t n_bytes, const char *purpose);

/** Copies `text` of at most `n_bytes` bytes into `out` (NUL at the end) as one printable ASCII line: control characters
 *  and other bytes become \xNN, and what does not fit is cut with "...". Returns `out`. For quoting what files say. */
char *mxb__quote(char *out, size_t out_size, const char *text, size_t n_bytes);

/** Forwards a failure to the caller of the function it stands in. */
#define MXB_TRY(expression)                       \
    do {                                          \
        mxb_status mxb_try_status = (expression); \
        if (mxb_try_status != MXB_OK) {           \
            return mxb_try_status;                \
        }                                         \
    } while (0)

#endif
