/* Sums up a model for the person who waited for it. */
#define _POSIX_C_SOURCE 200809L
#include "saved_model.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "message.h"
#include "text.h"

void saved_model_report(const mxb_model *model, const char *path, double seconds) {
    char text[TEXT_NUMBER_SIZE];
    char best[48] = "";
    char valid[80] = "";
    struct stat saved;
    size_t n_trained = mxb_model_n_curve(model);
    size_t n_kept = mxb_model_n_rounds(model);
    double valid_loss = mxb_model_curve(model, n_kept, 1);
    const char *metric = mxb_model_metric(model);
    if (mxb_model_stopped_early(model)) {
        snprintf(best, sizeof best, "; round %zu is the best", n_kept);
    }
    if (!isnan(valid_loss)) {
        snprintf(valid, sizeof valid, ", validation %s %.6g", metric, valid_loss);
    }
    report("trained %zu round%s in %s%s: train %s %.6g%s", n_trained, n_trained == 1 ? "" : "s",
           text_duration(text, seconds), best, metric, mxb_model_curve(model, n_kept, 0), valid);
    double n_bytes = stat(path, &saved) == 0 ? (double)saved.st_size : 0;
    report("wrote %s (%s)", path, text_size(text, n_bytes));
}
