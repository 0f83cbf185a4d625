/* Draws on standard error what the trainer reports after every round. */
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interrupt.h"
#include "terminal.h"
#include "text.h"

enum { N_LINES = 10, ROUNDS_A_LINE = 100 };

static const double seconds_between_draws = 0.1;

enum progress_style progress_choose_style(int quiet) {
    return quiet ? PROGRESS_NONE : terminal_is_there() ? PROGRESS_BAR : PROGRESS_LINES;
}

void progress_init(struct progress *progress, int quiet, size_t n_rounds, const char *unit, const char *valid_name) {
    memset(progress, 0, sizeof *progress);
    progress->unit = unit;
    progress->valid_name = valid_name;
    progress->n_rounds = n_rounds;
    progress->style = progress_choose_style(quiet);
    progress->valid_loss = NAN;
}

/* "train 0.123, validation 0.234"; nothing before the first round is done. */
static void print_losses(const struct progress *progress, char *out, size_t out_size) {
    if (progress->round == 0) {
        *out = '\0';
    } else if (isnan(progress->valid_loss)) {
        snprintf(out, out_size, "train %.6g", progress->train_loss);
    } else {
        snprintf(out, out_size, "train %.6g, %s %.6g", progress->train_loss, progress->valid_name,
                 progress->valid_loss);
    }
}

/* Rounds done, the part of the next one counted. */
static double n_done(const struct progress *progress) { return (double)progress->round + progress->part; }

/* "12 s left", "at most 12 s left" or "12 s so far", or once all is done "in 34 s". */
static void print_time(const struct progress *progress, int is_last, char *out, size_t out_size) {
    char duration[TEXT_NUMBER_SIZE];
    if (is_last) {
        snprintf(out, out_size, "in %s", text_duration(duration, progress->seconds));
    } else if (progress->n_rounds == 0 || n_done(progress) == 0) {
        snprintf(out, out_size, "%s so far", text_duration(duration, progress->seconds));
    } else {
        double left = progress->seconds / n_done(progress) * ((double)progress->n_rounds - n_done(progress));
        snprintf(out, out_size, "%s%s left", progress->may_stop_early ? "at most " : "", text_duration(duration, left));
    }
}

/* "\r[=====>    ] 42/100  train 0.123, validation 0.234  12 s left", or "\rround 42  train ..." where nobody knows how
 * many there will be; the bar takes what room there is, and the line never reaches the last column, where terminals
 * begin a new one. */
static void draw(const struct progress *progress, const char *losses, const char *time) {
    char count[64];
    char text[TERMINAL_MAX_COLUMNS + 1];
    char bar[TERMINAL_BAR_SIZE] = "";
    if (progress->n_rounds == 0) {
        snprintf(count, sizeof count, "%s %zu", progress->unit, progress->round);
    } else {
        snprintf(count, sizeof count, "%zu/%zu", progress->round, progress->n_rounds);
    }
    int n = snprintf(text, sizeof text, "%s  %s%s%s", count, losses, *losses == '\0' ? "" : "  ", time);
    size_t n_text = n < (int)sizeof text ? (size_t)n : sizeof text - 1;
    size_t room = terminal_columns() - 1;
    if (progress->n_rounds > 0) {
        terminal_bar(bar, n_done(progress) / (double)progress->n_rounds, room > n_text ? room - n_text : 0);
    }
    fprintf(stderr, "\r%s%.*s\033[K", bar, (int)(n_text < room ? n_text : room), text);
    fflush(stderr);
}

static void print_line(const struct progress *progress, const char *losses, const char *time) {
    fprintf(stderr, "%s %zu", progress->unit, progress->round);
    if (progress->n_rounds > 0) {
        fprintf(stderr, " of %zu", progress->n_rounds);
    }
    fprintf(stderr, ": %s, %s\n", losses, time);
}

static void show(struct progress *progress, int is_last) {
    char losses[80];
    char time[TEXT_NUMBER_SIZE + 16];
    print_losses(progress, losses, sizeof losses);
    print_time(progress, is_last, time, sizeof time);
    if (progress->style == PROGRESS_BAR) {
        draw(progress, losses, time);
    } else {
        print_line(progress, losses, time);
    }
    progress->is_shown = 1;
    progress->shown_round = progress->round;
    progress->shown_seconds = progress->seconds;
}

static int bar_is_due(const struct progress *progress) {
    return !progress->is_shown || progress->seconds - progress->shown_seconds >= seconds_between_draws;
}

/* Whether the last round done is one of those to be shown; the very last is left to progress_finish. */
static int is_due(const struct progress *progress) {
    if (progress->style == PROGRESS_NONE || (progress->n_rounds > 0 && progress->round >= progress->n_rounds)) {
        return 0;
    }
    if (progress->style == PROGRESS_BAR) {
        return bar_is_due(progress);
    }
    size_t every = progress->n_rounds == 0 ? ROUNDS_A_LINE : (progress->n_rounds + N_LINES - 1) / N_LINES;
    return progress->round == 1 || progress->round % every == 0;
}

int progress_update(void *context, size_t round, double train_loss, double valid_loss, double seconds) {
    struct progress *progress = context;
    progress->round = round;
    progress->train_loss = train_loss;
    progress->valid_loss = valid_loss;
    progress->seconds = seconds;
    progress->part = 0;
    if (is_due(progress)) {
        show(progress, 0);
    }
    return !interrupt_caught();
}

int progress_advance(struct progress *progress, double part, double seconds) {
    progress->seconds = seconds;
    progress->part = part;
    if (progress->style == PROGRESS_BAR && bar_is_due(progress)) {
        show(progress, 0);
    }
    return !interrupt_caught();
}

void progress_finish(struct progress *progress) {
    if (progress->style == PROGRESS_NONE || (progress->round == 0 && !progress->is_shown)) {
        return;
    }
    if (progress->style == PROGRESS_BAR || progress->shown_round != progress->round) {
        show(progress, 1);
    }
    if (progress->style == PROGRESS_BAR) {
        fputc('\n', stderr);
    }
}
