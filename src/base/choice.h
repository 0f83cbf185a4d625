/* Choices of a table of options: texts in a row. */
#ifndef MXB_BASE_CHOICE_H
#define MXB_BASE_CHOICE_H

/** The index of `value` among choices like "a | b | c", or -1. */
int mxb__choice_find(const char *choices, const char *value);

#endif
