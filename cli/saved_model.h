/* What there is to say of a model that was just trained and saved. */
#ifndef CLI_SAVED_MODEL_H
#define CLI_SAVED_MODEL_H

#include "mixboost/mixboost.h"

/** Reports the rounds, the losses and the size of the file at `path`; the training took so many seconds. */
void saved_model_report(const mxb_model *model, const char *path, double seconds);

#endif
