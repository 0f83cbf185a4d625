/* Standard error as a place to draw on. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stddef.h>

enum { TERMINAL_MAX_COLUMNS = 255, TERMINAL_MAX_BAR = 30, TERMINAL_BAR_SIZE = TERMINAL_MAX_BAR + 4 };

/** Whether standard error is a terminal that can be drawn on. */
int terminal_is_there(void);

/** Columns, at most TERMINAL_MAX_COLUMNS, and rows of it. To be asked anew for every drawing because windows change. */
size_t terminal_columns(void);
size_t terminal_rows(void);

/** "[=====>    ] ", as long as `room` columns allow, of which the part `share` (0 to 1) is full; "" where there are too
 *  few. Returns `out`. */
char *terminal_bar(char out[TERMINAL_BAR_SIZE], double share, size_t room);

#endif
