/* Edit distance between what was typed and what there is. Knows nothing of options or commands. */
#include "suggestion.h"

#include <string.h>

enum { MAX_NAME = 64 }; /* longer words get no suggestion */

/* Insertions, deletions and replacements of one character that make `a` into `b`; '-' and '_' are the same. */
static size_t edit_distance(const char *a, const char *b) {
    size_t n_a = strlen(a);
    size_t n_b = strlen(b);
    if (n_a > MAX_NAME || n_b > MAX_NAME) {
        return (size_t)-1;
    }
    size_t row[MAX_NAME + 1]; /* row[j]: distance of a's first i characters from b's first j */
    for (size_t j = 0; j <= n_b; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            char from = a[i - 1] == '-' ? '_' : a[i - 1];
            char to = b[j - 1] == '-' ? '_' : b[j - 1];
            size_t best = diagonal + (from != to);
            diagonal = row[j];
            if (row[j] + 1 < best) {
                best = row[j] + 1;
            }
            if (row[j - 1] + 1 < best) {
                best = row[j - 1] + 1;
            }
            row[j] = best;
        }
    }
    return row[n_b];
}

void suggestion_init(struct suggestion *suggestion, const char *typed) {
    suggestion->typed = typed;
    suggestion->nearest = NULL;
    suggestion->distance = 2 + strlen(typed) / 4;
}

void suggestion_offer(struct suggestion *suggestion, const char *name) {
    size_t distance = edit_distance(suggestion->typed, name);
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        suggestion->nearest = name;
    }
}
