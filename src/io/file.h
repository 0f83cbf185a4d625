/* Whole files: read into memory, replaced atomically. */
#ifndef MXB_IO_FILE_H
#define MXB_IO_FILE_H

#include <stddef.h>

#include "base/status.h"

/** Reads a file ("-" = standard input), a regular one or a pipe, into a new block of *n_bytes bytes. */
mxb_status mxb__file_read(const char *path, char **bytes, size_t *n_bytes, mxb_error *error);

/** Replaces `path` by the given bytes: temporary file beside it, fsync, rename, fsync of the folder. After any failure
 *  or crash the old file is whole or the new one is, and no temporary file is left by a failure. */
mxb_status mxb__file_replace(const char *path, const void *bytes, size_t n_bytes, mxb_error *error);

#endif
