/* What a caller brings, told by its name, and what its functions come to. */
#include "base/callbacks.h"

#include <string.h>

int mxb__own_name_fits(const char *name, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i++) {
        if (name[i] < 0x20 || name[i] > 0x7e) {
            return 0;
        }
    }
    return n_bytes >= 1 && n_bytes < MXB__OWN_NAME_SIZE;
}

const mxb_learner *mxb__own_learner_find(const struct own_parts *own, const char *name) {
    for (uint32_t i = 0; own != NULL && i < own->n_learners; i++) {
        if (strcmp(own->learners[i].name, name) == 0) {
            return &own->learners[i];
        }
    }
    return NULL;
}

mxb_status mxb__callback_result(mxb_status status, const mxb_error *said, const char *who, const char *where,
                                mxb_error *error) {
    if (status == MXB_OK) {
        return MXB_OK;
    }
    const char *end = memchr(said->message, '\0', sizeof said->message);
    int n_said = end == NULL ? (int)sizeof said->message : (int)(end - said->message);
    return mxb__fail(error, status, "%s %s %s%s%.*s", who, status == MXB_STOPPED ? "stopped" : "failed", where,
                     n_said > 0 ? ": " : "", n_said, said->message);
}
