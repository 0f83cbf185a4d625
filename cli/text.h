/* Numbers, sizes and untrusted names as text for people and files. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <stddef.h>

/* Room for any number of text_number, text_size or text_duration. */
enum { TEXT_NUMBER_SIZE = 40 };

/** The shortest decimal text that reads back as exactly `number`. Returns `out`. */
char *text_number(char out[TEXT_NUMBER_SIZE], double number);

/** "812 bytes", "12.3 kB". Returns `out`. */
char *text_size(char out[TEXT_NUMBER_SIZE], double n_bytes);

/** "0.42 s", "12 s", "3 min", "2.5 h". Returns `out`. */
char *text_duration(char out[TEXT_NUMBER_SIZE], double seconds);

/** Whether a text is a number and nothing else, as in a CSV file. */
int text_is_number(const char *text);

/** Copies `text` so that it can do a terminal no harm: control characters and what is not UTF-8 become \xNN. What does
 *  not fit is cut with "...". Returns `out`. */
char *text_printable(char *out, size_t out_size, const char *text);

#endif
