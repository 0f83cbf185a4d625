/* The engine of exact trees: each open node has its rows in sorted order, feature by feature. */
#ifndef MXB_LEARNER_TREE_EXACT_H
#define MXB_LEARNER_TREE_EXACT_H

#include "learner/tree/tree_engine.h"

extern const struct engine_ops mxb__exact_engine;

#endif
