/* The journal's layout. Header: magic, u32 length, text, u64 checksum of all before. Record: u32 stage, configuration,
 * fold, status; f64 loss, seconds; u64 rounds; the message, 0 behind it; u64 checksum. Little-endian. */
#ifndef MXB_TUNE_JOURNAL_FORMAT_H
#define MXB_TUNE_JOURNAL_FORMAT_H

#include <stddef.h>

#include "base/status.h"
#include "mixboost/tune.h"

#define JOURNAL_MAGIC "mixboost tune 1\n"
enum { JOURNAL_MAGIC_SIZE = 16, JOURNAL_RECORD_SIZE = 40 + 128 + 8 };

/** The header's bytes, to be freed with mxb__free. */
mxb_status mxb__journal_encode_header(const char *about, char **bytes, size_t *n_bytes, mxb_error *error);

void mxb__journal_encode_record(const mxb_trial *trial, const mxb_trial_result *result,
                                unsigned char bytes[JOURNAL_RECORD_SIZE]);

#endif
