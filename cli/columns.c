/* Lays rows out in at most 100 characters. Decides no wording. */
#include "columns.h"

#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 100, INDENT = 2, GAP = 2 };

/* How many characters of `text` go on a line of `width`: up to the last space that fits, else cut. */
static size_t line_length(const char *text, size_t width) {
    size_t n = strlen(text);
    if (n <= width) {
        return n;
    }
    for (size_t i = width; i > 0; i--) {
        if (text[i] == ' ') {
            return i;
        }
    }
    return width;
}

void columns_print(struct cell *cells, size_t n_cells) {
    int more = 1;
    while (more) {
        more = 0;
        size_t pending = INDENT; /* spaces owed, printed only when text follows */
        for (size_t c = 0; c < n_cells; c++) {
            size_t n = line_length(cells[c].text, cells[c].width);
            if (n > 0) {
                printf("%*s%.*s", (int)pending, "", (int)n, cells[c].text);
                pending = 0;
            }
            pending += cells[c].width - n + GAP;
            cells[c].text += n + strspn(cells[c].text + n, " ");
            more |= *cells[c].text != '\0';
        }
        putchar('\n');
    }
}

size_t columns_last_width(size_t widths, size_t n_others) { return LINE_WIDTH - INDENT - widths - GAP * n_others; }
