/* Asks the system about the terminal. Knows nothing of what is drawn. */
#define _POSIX_C_SOURCE 200809L
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { DEFAULT_COLUMNS = 80, DEFAULT_ROWS = 24, MIN_BAR = 5 };

int terminal_is_there(void) {
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind != NULL && strcmp(kind, "dumb") != 0;
}

static void ask_size(size_t *columns, size_t *rows) {
    *columns = DEFAULT_COLUMNS;
    *rows = DEFAULT_ROWS;
#ifdef TIOCGWINSZ
    struct winsize window;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0) {
        *columns = window.ws_col > 0 ? window.ws_col : *columns;
        *rows = window.ws_row > 0 ? window.ws_row : *rows;
    }
#endif
}

size_t terminal_columns(void) {
    size_t columns;
    size_t rows;
    ask_size(&columns, &rows);
    return columns < TERMINAL_MAX_COLUMNS ? columns : TERMINAL_MAX_COLUMNS;
}

size_t terminal_rows(void) {
    size_t columns;
    size_t rows;
    ask_size(&columns, &rows);
    return rows;
}

char *terminal_bar(char out[TERMINAL_BAR_SIZE], double share, size_t room) {
    *out = '\0';
    if (room < MIN_BAR + 3) {
        return out;
    }
    size_t n_bar = room - 3 < TERMINAL_MAX_BAR ? room - 3 : TERMINAL_MAX_BAR;
    size_t n_full = (size_t)((double)n_bar * share);
    memset(out, ' ', n_bar + 3);
    out[0] = '[';
    memset(out + 1, '=', n_full);
    if (n_full < n_bar) {
        out[1 + n_full] = '>';
    }
    out[1 + n_bar] = ']';
    out[n_bar + 3] = '\0';
    return out;
}
