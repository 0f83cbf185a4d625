/* Numbers as text, the same in every locale. */
#ifndef MXB_BASE_NUMBER_H
#define MXB_BASE_NUMBER_H

#include <stddef.h>

/** Reads a number that makes up all of text[0 .. n_bytes): decimal with optional sign, fraction and exponent, or inf /
 *  infinity (any case). The result is the nearest double (ties to even), infinite on overflow. Returns 1, or 0 if the
 *  text is anything else (also "nan", empty, blanks, hexadecimal). */
int mxb__number_parse(const char *text, size_t n_bytes, double *number);

/** Reads the decimal number that text[.. end) begins with, as far as it goes. Returns where it ends, or NULL if there
 * is none or its exponent has no digits. */
const char *mxb__number_begin(const char *text, const char *end, double *number);

enum { MXB__NUMBER_SIZE = 32 };

/** Writes the shortest decimal text that reads back as the same double ("0.1", "1e-300", "inf", "nan"), NUL included;
 *  returns its length. */
size_t mxb__number_format(double number, char text[MXB__NUMBER_SIZE]);

#endif
