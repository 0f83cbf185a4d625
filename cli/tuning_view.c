/* Draws on standard error what the tuner reports. */
#include "tuning_view.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "terminal.h"
#include "text.h"
#include "training_input.h"
#include "tuning_text.h"

enum { BEST_SIZE = TUNING_SETTINGS_SIZE + 128, TIME_SIZE = TEXT_NUMBER_SIZE + 16, INDENT = 2 };

static const double seconds_between_draws = 0.1;

/* ---- What is shown ---- */

/* "best rmse 0.123 on 1/4 of the rows: learning_rate=0.05 ..."; nothing where there is no such configuration. */
static char *print_best(const mxb_tuner *tuner, size_t stage, size_t config, char out[BEST_SIZE]) {
    char settings[TUNING_SETTINGS_SIZE];
    char resource[TUNING_TEXT_SIZE];
    mxb_params *params;
    *out = '\0';
    if (config == SIZE_MAX || mxb_tuner_params(tuner, config, &params, NULL) != MXB_OK) {
        return out;
    }
    snprintf(out, BEST_SIZE, "best %s %.6g %s: %s", training_input_metric(params), mxb_tuner_loss(tuner, stage, config),
             tuning_resource(resource, tuner, stage), tuning_settings(settings, mxb_tuner_space(tuner), params));
    mxb_params_free(params);
    return out;
}

/* The configuration of the least loss in a stage that has ended; of several the first. */
static size_t stage_best(const mxb_tuner *tuner, size_t stage) {
    size_t best = mxb_tuner_stage_config(tuner, stage, 0);
    for (size_t place = 1; place < mxb_tuner_stage_size(tuner, stage); place++) {
        size_t config = mxb_tuner_stage_config(tuner, stage, place);
        if (mxb_tuner_loss(tuner, stage, config) < mxb_tuner_loss(tuner, stage, best)) {
            best = config;
        }
    }
    return best;
}

/* "12 s left", or "12 s so far" while nothing is done, or at the end "in 34 s". */
static char *print_time(const struct tuning_view *view, const mxb_tuner *tuner, int is_last, char out[TIME_SIZE]) {
    char duration[TEXT_NUMBER_SIZE];
    double share = tuning_share(tuner);
    double limit = strtod(mxb_tuner_get(tuner, "time_limit"), NULL);
    double done = share - view->share_before; /* in this run */
    if (is_last) {
        snprintf(out, TIME_SIZE, "in %s", text_duration(duration, view->seconds));
    } else if (done <= 0 || view->seconds <= 0) {
        snprintf(out, TIME_SIZE, "%s so far", text_duration(duration, view->seconds));
    } else {
        double left = view->seconds / done * (1 - share);
        double allowed = limit - view->seconds;
        if (limit > 0 && left > allowed) {
            left = allowed > 0 ? allowed : 0;
        }
        snprintf(out, TIME_SIZE, "%s left", text_duration(duration, left));
    }
    return out;
}

/* ---- A terminal ---- */

/* Prints at most `max_lines` lines of a text, wrapped to `width` between words, the later ones indented. Returns how
 * many there were. */
static size_t draw_wrapped(const char *text, size_t width, size_t max_lines) {
    size_t n_lines = 0;
    while (*text != '\0' && n_lines < max_lines) {
        size_t indent = n_lines > 0 && width > INDENT ? INDENT : 0;
        size_t n = strlen(text);
        if (n > width - indent) {
            for (n = width - indent; n > 0 && text[n] != ' '; n--) {
            }
            n = n > 0 ? n : width - indent;
        }
        fprintf(stderr, "%s%*s%.*s\033[K", n_lines > 0 ? "\n" : "", (int)indent, "", (int)n, text);
        text += n + strspn(text + n, " ");
        n_lines++;
    }
    return n_lines;
}

/* "[=====>    ] stage 2 of 3: 62 configurations, 31 of 186 trials  12 s left", and below it the best; no line reaches
 * the last column, where terminals begin a new one. */
static void draw(struct tuning_view *view, const mxb_tuner *tuner, int is_last) {
    char best[BEST_SIZE];
    char time[TIME_SIZE];
    char text[TERMINAL_MAX_COLUMNS + 1];
    char bar[TERMINAL_BAR_SIZE];
    size_t n_stages = mxb_tuner_n_stages(tuner);
    size_t stage = mxb_tuner_stage(tuner) < n_stages ? mxb_tuner_stage(tuner) : n_stages - 1;
    size_t n_configs = mxb_tuner_stage_size(tuner, stage);
    int n = snprintf(text, sizeof text, "stage %zu of %zu: %zu configuration%s, %zu of %zu trials  %s", stage + 1,
                     n_stages, n_configs, n_configs == 1 ? "" : "s", mxb_tuner_n_done(tuner, stage),
                     n_configs * mxb_tuner_n_folds(tuner), print_time(view, tuner, is_last, time));
    size_t n_text = n < (int)sizeof text ? (size_t)n : sizeof text - 1;
    size_t width = terminal_columns() - 1;
    size_t max_lines = terminal_rows() > 2 ? terminal_rows() - 1 : 1;
    if (view->n_lines > 1) {
        fprintf(stderr, "\033[%zuA", view->n_lines - 1);
    }
    terminal_bar(bar, tuning_share(tuner), width > n_text ? width - n_text : 0);
    fprintf(stderr, "\r%s%.*s\033[K", bar, (int)(n_text < width ? n_text : width), text);
    print_best(tuner, tuning_last_stage(tuner, mxb_tuner_best(tuner)), mxb_tuner_best(tuner), best);
    if (*best != '\0' && max_lines > 1 && width > 0) {
        fputc('\n', stderr);
    }
    view->n_lines = 1 + (width > 0 ? draw_wrapped(best, width, max_lines - 1) : 0);
    fputs("\033[J", stderr);
    fflush(stderr);
    view->shown_seconds = view->seconds;
}

/* ---- Lines ---- */

/* "stage 1 of 2: 8 configurations, 34 s left; best rmse 0.123 on ...", for each stage that has ended. */
static void tell_stages(struct tuning_view *view, const mxb_tuner *tuner) {
    char best[BEST_SIZE];
    char time[TIME_SIZE];
    size_t n_stages = mxb_tuner_n_stages(tuner);
    for (; view->n_told < mxb_tuner_stage(tuner) && view->n_told < n_stages; view->n_told++) {
        size_t stage = view->n_told;
        size_t n_configs = mxb_tuner_stage_size(tuner, stage);
        fprintf(stderr, "stage %zu of %zu: %zu configuration%s, %s; %s\n", stage + 1, n_stages, n_configs,
                n_configs == 1 ? "" : "s", print_time(view, tuner, stage + 1 == n_stages, time),
                print_best(tuner, stage, stage_best(tuner, stage), best));
    }
}

/* ---- The course ---- */

void tuning_view_begin(struct tuning_view *view, int quiet, const mxb_tuner *tuner) {
    *view = (struct tuning_view){
        .style = progress_choose_style(quiet), .share_before = tuning_share(tuner), .n_told = mxb_tuner_stage(tuner)};
    if (quiet) {
        return;
    }
    tuning_report_plan(tuner);
    if (tuning_n_done(tuner) > 0) {
        report("going on: %zu of %zu trials are done", tuning_n_done(tuner), tuning_n_trials(tuner));
    }
}

int tuning_view_update(void *context, const mxb_tuner *tuner, double seconds) {
    struct tuning_view *view = context;
    view->seconds = seconds;
    if (view->style == PROGRESS_LINES) {
        tell_stages(view, tuner);
    } else if (view->style == PROGRESS_BAR &&
               (view->n_lines == 0 || seconds - view->shown_seconds >= seconds_between_draws)) {
        draw(view, tuner, 0);
    }
    return !interrupt_caught();
}

void tuning_view_finish(struct tuning_view *view, const mxb_tuner *tuner) {
    if (view->style == PROGRESS_LINES) {
        tell_stages(view, tuner);
    } else if (view->style == PROGRESS_BAR && view->n_lines > 0) {
        draw(view, tuner, 1);
        fputc('\n', stderr);
    }
}
