/* "did you mean": the nearest of the names that exist to the one that was typed. */
#ifndef CLI_SUGGESTION_H
#define CLI_SUGGESTION_H

#include <stddef.h>

struct suggestion {
    const char *typed;
    const char *nearest; /* NULL while no name was near enough to be a slip of the fingers */
    size_t distance;     /* edits from typed to nearest; a new name must have fewer */
};

void suggestion_init(struct suggestion *suggestion, const char *typed);

/** Considers one more name; the first of equally near ones is kept. */
void suggestion_offer(struct suggestion *suggestion, const char *name);

#endif
