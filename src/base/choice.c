/* Finds a choice among those of an option or setting. Knows nothing of what it means. */
#include "base/choice.h"

#include <string.h>

int mxb__choice_find(const char *choices, const char *value) {
    size_t length = strlen(value);
    int index = 0;
    for (const char *choice = choices; choice != NULL; index++) {
        const char *bar = strstr(choice, " | ");
        size_t choice_length = bar == NULL ? strlen(choice) : (size_t)(bar - choice);
        if (choice_length == length && memcmp(choice, value, length) == 0) {
            return index;
        }
        choice = bar == NULL ? NULL : bar + 3;
    }
    return -1;
}
