/* A problem of coordinates.h put through the library's boosting loop, on the public header alone: every subclass is a
 * learner class with its probability, the loss is a caller's, the learning rate is mu / S.
 *
 * Labels and the only feature are the row's number, by which the callbacks find y and B. The loop starts from the score
 * 0; another beta^0 enters through the loss, as l(y_i, B_i beta^0 + score). */
#ifndef CLASS_LOOP_H
#define CLASS_LOOP_H

#include <stdio.h>
#include <stdlib.h>

#include "coordinates.h"
#include "mixboost/mixboost.h"

enum { MAX_ROUNDS = 64 };

struct class_loop;

struct subclass_learner {
    struct class_loop *loop;
    size_t k;
};

struct class_loop {
    const struct problem *problem;
    enum pick pick;
    double start[MAX_ROWS]; /* B beta^0 */
    double row_numbers[MAX_ROWS];
    struct subclass_learner subclasses[MAX_SUBCLASSES];
    size_t chosen[MAX_ROUNDS]; /* the hypothesis of each round of the latest training */
    mxb_dataset *data;
    mxb_params *params;
    mxb_prepared *prepared;
    mxb_error error;
};

/* ---- the loss ---- */

static inline mxb_status class_loss_value(void *context, size_t n, const double *labels, const double *scores,
                                          double *values, mxb_error *error) {
    const struct class_loop *loop = context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)labels[i];
        values[i] = loss_value(&loop->problem->loss, loop->problem->y[row], loop->start[row] + scores[i]);
    }
    return MXB_OK;
}

static inline mxb_status class_loss_derivatives(void *context, size_t n, const double *labels, const double *scores,
                                                double *first, double *second, mxb_error *error) {
    const struct class_loop *loop = context;
    (void)error;
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)labels[i];
        double y = loop->problem->y[row], f = loop->start[row] + scores[i];
        first[i] = loss_first(&loop->problem->loss, y, f);
        second[i] = loss_second(&loop->problem->loss, f);
    }
    return MXB_OK;
}

/* ---- the learners ---- */

/* sigma b_j */
struct class_term {
    size_t j;
    double sigma;
};

static inline mxb_status class_predict(void *context, const void *term, const mxb_dataset *data, double *values,
                                       mxb_error *error) {
    const struct subclass_learner *learner = context;
    const struct class_term *chosen = term;
    size_t n = mxb_dataset_n_rows(data);
    mxb_status status = mxb_dataset_read(data, 0, 0, n, values, error);
    for (size_t i = 0; status == MXB_OK && i < n; i++) {
        values[i] = chosen->sigma * learner->loop->problem->class.b[chosen->j][(size_t)values[i]];
    }
    return status;
}

/* The weighted least-squares fit of the round's targets t with weights w by sigma b_j, j in the subclass. For each j
 * the best sigma is (sum of w t b) / (sum of w b^2), and takes (sum of w t b)^2 / (sum of w b^2) off the sum of
 * squares; the j that takes off the most is the best. */
static inline mxb_status class_fit(void *context, const mxb_round *round, void **term, double *values,
                                   mxb_error *error) {
    struct subclass_learner *learner = context;
    struct class_loop *loop = learner->loop;
    const struct finite_class *class = &loop->problem->class;
    double targets[MAX_ROWS], weights[MAX_ROWS], root_gain[MAX_HYPOTHESES], sigma[MAX_HYPOTHESES];
    mxb_round_targets(round, targets, weights);
    for (size_t j = 0; j < class->n_hypotheses; j++) {
        double wtb = 0.0, wbb = 0.0;
        for (size_t i = 0; i < class->n_rows; i++) {
            wtb += weights[i] * targets[i] * class->b[j][i];
            wbb += weights[i] * class->b[j][i] * class->b[j][i];
        }
        sigma[j] = wtb / wbb;
        root_gain[j] = wtb / sqrt(wbb);
    }
    struct class_term *chosen = malloc(sizeof *chosen);
    if (chosen == NULL) {
        return MXB_ERROR_MEMORY;
    }
    chosen->j = choose_coordinate(class, root_gain, learner->k, loop->pick);
    chosen->sigma = sigma[chosen->j];
    loop->chosen[(mxb_round_number(round) - 1) % MAX_ROUNDS] = chosen->j;
    *term = chosen;
    return class_predict(context, chosen, mxb_round_data(round), values, error);
}

static inline void class_free_term(void *context, void *term) {
    (void)context;
    free(term);
}

/* ---- opening and closing ---- */

static inline mxb_status class_loop_set(struct class_loop *loop, const char *name, double value) {
    char text[64];
    snprintf(text, sizeof text, "%.17g", value);
    return mxb_params_set(loop->params, name, text, &loop->error);
}

static inline mxb_status class_loop_add_learners(struct class_loop *loop, const double *phi) {
    mxb_status status = MXB_OK;
    for (size_t k = 0; status == MXB_OK && k < loop->problem->class.n_subclasses; k++) {
        mxb_learner *learner;
        char name[] = "subclass 0";
        name[sizeof name - 2] = (char)('0' + k);
        loop->subclasses[k] = (struct subclass_learner){loop, k};
        status = mxb_learner_create(name, class_fit, class_predict, class_free_term, &loop->subclasses[k], &learner,
                                    &loop->error);
        if (status == MXB_OK) {
            status = mxb_params_add_learner(loop->params, learner, phi[k], &loop->error);
            mxb_learner_free(learner);
        }
    }
    return status;
}

static inline mxb_status class_loop_set_loss(struct class_loop *loop) {
    mxb_loss *loss;
    mxb_status status = mxb_loss_create("theory", class_loss_value, class_loss_derivatives, loop, &loss, &loop->error);
    if (status == MXB_OK) {
        status = mxb_params_set_loss(loop->params, loss, &loop->error);
        mxb_loss_free(loss);
    }
    return status;
}

/* The class as data and options, with the probabilities `phi`, from the coordinates `beta` (NULL: 0). Whatever comes of
 * it, class_loop_close frees it; `loop` must not move in between. */
static inline mxb_status class_loop_open(struct class_loop *loop, const struct problem *problem, const double *phi,
                                         const double *beta, enum pick pick) {
    memset(loop, 0, sizeof *loop);
    loop->problem = problem;
    loop->pick = pick;
    if (beta != NULL) {
        find_scores(&problem->class, beta, loop->start);
    }
    for (size_t i = 0; i < problem->class.n_rows; i++) {
        loop->row_numbers[i] = (double)i;
    }
    mxb_error *error = &loop->error;
    mxb_status status = mxb_dataset_create(problem->class.n_rows, &loop->data, error);
    if (status == MXB_OK) {
        status = mxb_dataset_add_column(loop->data, NULL, loop->row_numbers, sizeof(double), MXB_FLOAT64, error);
    }
    if (status == MXB_OK) {
        status = mxb_dataset_set_label(loop->data, loop->row_numbers, sizeof(double), MXB_FLOAT64, error);
    }
    if (status == MXB_OK && (status = mxb_params_create(&loop->params, error)) == MXB_OK &&
        (status = class_loop_set(loop, "learning_rate", learning_rate(problem))) == MXB_OK &&
        (status = mxb_params_set(loop->params, "preset", "paper", error)) == MXB_OK &&
        (status = class_loop_set_loss(loop)) == MXB_OK && (status = class_loop_add_learners(loop, phi)) == MXB_OK) {
        status = mxb_prepared_create(loop->data, loop->params, &loop->prepared, error);
    }
    return status;
}

static inline void class_loop_close(struct class_loop *loop) {
    mxb_prepared_free(loop->prepared);
    mxb_params_free(loop->params);
    mxb_dataset_free(loop->data);
}

/* ---- training ---- */

/* A training of `n_rounds` (at most MAX_ROUNDS) rounds with a seed; the model is the caller's. */
static inline mxb_status class_loop_train(struct class_loop *loop, size_t seed, size_t n_rounds, mxb_model **model) {
    mxb_trainer *trainer = NULL;
    mxb_status status = class_loop_set(loop, "random_state", (double)seed);
    *model = NULL;
    if (status == MXB_OK && (status = class_loop_set(loop, "num_round", (double)n_rounds)) == MXB_OK &&
        (status = mxb_trainer_create(loop->prepared, NULL, loop->params, &trainer, &loop->error)) == MXB_OK &&
        (status = mxb_trainer_run(trainer, n_rounds, NULL, NULL, &loop->error)) == MXB_OK) {
        status = mxb_trainer_model(trainer, model, &loop->error);
    }
    mxb_trainer_free(trainer);
    return status;
}

/* The subclass that was drawn in a round, counted from 1. */
static inline size_t drawn_subclass(const mxb_model *model, size_t round) {
    return (size_t)(mxb_model_round_learner(model, round, 0)[sizeof "subclass " - 1] - '0');
}

/* L after `round` rounds, 0 for the start: the curve has the mean over the rows. */
static inline double objective_of_curve(const struct class_loop *loop, const mxb_model *model, size_t round) {
    return (double)loop->problem->class.n_rows * mxb_model_curve(model, round, 0);
}

#endif
