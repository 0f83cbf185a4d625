/* mixboost show: what is in a model file, for people, or as JSON for other programs. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arguments.h"
#include "command.h"
#include "message.h"
#include "mixboost/mixboost.h"
#include "output.h"
#include "source.h"
#include "text.h"

static const struct flag flags[] = {
    {"json", NULL, "Print the whole model as JSON.", 0},
};

enum {
    MAX_DEPTH = 64,
    MAX_LEARNERS = 64,
    N_TOP_FEATURES = 10,
    N_TEXT_FEATURES = 100,
    N_TEXTS = 5,
    N_CURVE_ROWS = 8,
    N_SPARKS = 40,
    NAME_SIZE = 120,
    TEXT_SIZE = 40
};

static int print_json(const mxb_model *model) {
    mxb_error error;
    char *json;
    size_t n_bytes;
    mxb_status status = mxb_model_to_json(model, &json, &n_bytes, &error);
    if (status != MXB_OK) {
        return fail_status(status, &error);
    }
    struct output output;
    int code = output_open(&output, NULL);
    if (code == EXIT_DONE) {
        output_write(&output, json);
        code = output_close(&output);
    }
    mxb_bytes_free(json);
    return code;
}

static int has_valid(const mxb_model *model) { return !isnan(mxb_model_curve(model, 0, 1)); }

static void print_rounds(const mxb_model *model) {
    size_t n_rounds = mxb_model_n_rounds(model);
    size_t n_members = mxb_model_n_members(model);
    size_t n_trained = mxb_model_n_curve(model);
    printf("rounds     ");
    if (n_members > 1) {
        printf("%zu members of %zu rounds", n_members, n_rounds);
    } else {
        printf("%zu", n_rounds);
    }
    if (mxb_model_stopped_early(model)) {
        printf(" used of %zu trained: the best by %s on the validation set\n", n_trained, mxb_model_metric(model));
    } else {
        printf(", all that were trained\n");
    }
}

/* The rounds of a learner class, of all members together. */
struct learner_rounds {
    const char *name;
    size_t n_rounds;
    double decrease;                  /* what they took off the training curve */
    size_t n_by_depth[MAX_DEPTH + 1]; /* of trees */
};

static void count_round(struct learner_rounds *rounds, const mxb_model *model, size_t round, size_t member) {
    size_t depth = mxb_model_round_depth(model, round, member);
    rounds->n_by_depth[depth < MAX_DEPTH ? depth : MAX_DEPTH]++;
    rounds->n_rounds++;
    rounds->decrease += mxb_model_round_decrease(model, round, member);
}

/* "tree: 16 rounds, 71.5% of the decrease (depth 1: 3, depth 2: 13)". There is no share of a curve that did not fall.
 */
static void print_learner(const struct learner_rounds *rounds, double whole_decrease) {
    printf("%s: %zu round%s", rounds->name, rounds->n_rounds, rounds->n_rounds == 1 ? "" : "s");
    if (whole_decrease > 0 && isfinite(rounds->decrease / whole_decrease)) {
        printf(", %.1f%% of the decrease", 100 * rounds->decrease / whole_decrease);
    }
    const char *before = " (";
    for (size_t depth = 1; depth <= MAX_DEPTH; depth++) {
        if (rounds->n_by_depth[depth] > 0) {
            printf("%sdepth %zu: %zu", before, depth, rounds->n_by_depth[depth]);
            before = ", ";
        }
    }
    printf("%s\n", before[0] == ',' ? ")" : "");
}

/* The place of a class among those met so far, or for it behind them; the last place is for all there is no room for.
 */
static struct learner_rounds *find_learner(struct learner_rounds *learners, const char *name) {
    size_t i = 0;
    while (i < MAX_LEARNERS && learners[i].name != NULL && strcmp(learners[i].name, name) != 0) {
        i++;
    }
    learners[i].name = i < MAX_LEARNERS ? name : "others";
    return &learners[i];
}

/* A line for each class: the library's, then the caller's in the order they appear. */
static void print_learners(const mxb_model *model) {
    struct learner_rounds learners[MAX_LEARNERS + 1] = {{.name = "tree"}, {.name = "symmetric"}, {.name = "fourier"}};
    size_t n_rounds = mxb_model_n_rounds(model);
    for (size_t round = 1; round <= n_rounds; round++) {
        for (size_t member = 0; member < mxb_model_n_members(model); member++) {
            const char *name = mxb_model_round_learner(model, round, member);
            count_round(find_learner(learners, name), model, round, member);
        }
    }
    const char *heading = "learners";
    for (size_t i = 0; i <= MAX_LEARNERS; i++) {
        if (learners[i].n_rounds > 0) {
            printf("%-10s ", heading);
            print_learner(&learners[i], mxb_model_curve(model, 0, 0) - mxb_model_curve(model, n_rounds, 0));
            heading = "";
        }
    }
    printf("%s", n_rounds == 0 ? "learners   none\n" : "");
}

static const char *feature_name(const mxb_model *model, size_t feature, char name[NAME_SIZE]) {
    const char *given = mxb_model_feature_name(model, feature);
    if (given == NULL) {
        snprintf(name, NAME_SIZE, "column %zu", feature + 1);
    } else {
        text_printable(name, NAME_SIZE, given);
    }
    return name;
}

/* The learner classes whose gains have features, in the order they are shown. */
static const mxb_importance PARTS[] = {MXB_IMPORTANCE_TREE, MXB_IMPORTANCE_SYMMETRIC, MXB_IMPORTANCE_FOURIER};
enum { N_PARTS = sizeof PARTS / sizeof *PARTS };

/* What the rounds gained by each feature, as parts of all they gained: [N_PARTS][n_features]. */
struct shares {
    size_t n_features;
    double *of_part; /* the caller's to free; NULL after a failure */
};

static double share(const struct shares *shares, size_t part, size_t feature) {
    return shares->of_part[part * shares->n_features + feature];
}

static double total_share(const struct shares *shares, size_t feature) {
    double total = 0;
    for (size_t part = 0; part < N_PARTS; part++) {
        total += share(shares, part, feature);
    }
    return total;
}

/* Gains may be near the largest double, so they are made small before they are added up. */
static void gains_to_shares(double *gains, size_t n) {
    double largest = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, gains[i]);
    }
    for (size_t i = 0; i < n; i++) {
        gains[i] = largest > 0 ? gains[i] / largest : 0;
        sum += gains[i];
    }
    for (size_t i = 0; i < n && sum > 0; i++) {
        gains[i] /= sum;
    }
}

static struct shares find_shares(const mxb_model *model, int *code) {
    mxb_error error;
    struct shares shares = {.n_features = mxb_model_n_features(model)};
    double *gains = malloc(N_PARTS * shares.n_features * sizeof *gains);
    if (gains == NULL) {
        *code = fail_data("out of memory");
        return shares;
    }
    for (size_t part = 0; part < N_PARTS; part++) {
        mxb_status status = mxb_model_importance(model, PARTS[part], gains + part * shares.n_features, &error);
        if (status != MXB_OK) {
            free(gains);
            *code = fail_status(status, &error);
            return shares;
        }
    }
    gains_to_shares(gains, N_PARTS * shares.n_features);
    shares.of_part = gains;
    return shares;
}

/* The feature of the largest share of those that have less than feature `last`, or as much and come later; n_features
 * when there is none. */
static size_t next_feature(const struct shares *shares, size_t last) {
    size_t best = shares->n_features;
    double most = 0;
    double limit = last < shares->n_features ? total_share(shares, last) : INFINITY;
    for (size_t i = 0; i < shares->n_features; i++) {
        double total = total_share(shares, i);
        int follows = total < limit || (total == limit && i > last);
        if (total > most && follows) {
            best = i;
            most = total;
        }
    }
    return best;
}

/* Features by what they brought, the first ten; nothing where no round gained anything. */
static void print_gains(const mxb_model *model, const struct shares *shares) {
    size_t n_features = shares->n_features;
    size_t feature = next_feature(shares, n_features);
    if (feature == n_features) {
        return;
    }
    printf("\nfeatures that matter most, by their share of what rounds gained\n");
    printf("   gain       tree  symmetric    fourier   splits\n");
    for (size_t i = 0; i < N_TOP_FEATURES && feature < n_features; i++) {
        char name[NAME_SIZE];
        printf("%6.1f%%", 100 * total_share(shares, feature));
        for (size_t part = 0; part < N_PARTS; part++) {
            printf("  %8.1f%%", 100 * share(shares, part, feature));
        }
        printf("  %7zu  %s\n", mxb_model_feature_splits(model, feature), feature_name(model, feature, name));
        feature = next_feature(shares, feature);
    }
}

static void print_features(const mxb_model *model, const struct shares *shares) {
    size_t n_features = mxb_model_n_features(model);
    size_t n_used = 0;
    size_t n_text = 0;
    for (size_t i = 0; i < n_features; i++) {
        n_used += mxb_model_feature_splits(model, i) > 0;
        n_text += (size_t)mxb_model_feature_is_text(model, i);
    }
    printf("features   %zu", n_features);
    if (n_text > 0) {
        printf(" (%zu of text)", n_text);
    }
    printf(", of which trees split on %zu\n", n_used);
    print_gains(model, shares);
}

/* "       3  colour: blue, green, red". Says so where numbers are among the texts. */
static void print_text_feature(const mxb_model *model, size_t feature) {
    char printable[NAME_SIZE];
    size_t n_texts = mxb_model_feature_n_texts(model, feature);
    size_t n_numbers = 0;
    printf("%8zu  %s", n_texts, feature_name(model, feature, printable));
    for (size_t i = 0; i < n_texts; i++) {
        const char *text = mxb_model_feature_text(model, feature, i);
        n_numbers += (size_t)text_is_number(text);
        if (i < N_TEXTS) {
            printf("%s%s", i == 0 ? ": " : ", ", text_printable(printable, TEXT_SIZE, text));
        }
    }
    printf("%s", n_texts > N_TEXTS ? ", ..." : "");
    if (n_numbers > 0 && n_numbers == n_texts) {
        printf(" (all are numbers)");
    } else if (n_numbers > 0) {
        printf(" (mixed: %zu of the texts are numbers)", n_numbers);
    }
    putchar('\n');
}

static void print_text_features(const mxb_model *model) {
    size_t n_shown = 0;
    for (size_t i = 0; i < mxb_model_n_features(model) && n_shown < N_TEXT_FEATURES; i++) {
        if (mxb_model_feature_is_text(model, i)) {
            printf("%s", n_shown++ == 0 ? "\nfeatures that hold text, and how many different ones\n" : "");
            print_text_feature(model, i);
        }
    }
}

static void print_labels(const mxb_model *model) {
    char texts[2][NAME_SIZE];
    if (mxb_model_label_text(model, 0) != NULL) {
        printf("labels     %s, %s\n", text_printable(texts[0], NAME_SIZE, mxb_model_label_text(model, 0)),
               text_printable(texts[1], NAME_SIZE, mxb_model_label_text(model, 1)));
    }
}

/* Where the default is auto, a model does not tell whether a value was given. */
static void print_options(const mxb_model *model) {
    printf("\noptions (* not the default, ~ given or what auto came to)\n");
    for (size_t i = 0; i < mxb_option_count(); i++) {
        const char *value = mxb_model_option(model, mxb_option_name(i));
        if (value == NULL) {
            continue; /* thread counts are not kept */
        }
        char printable[NAME_SIZE];
        text_printable(printable, sizeof printable, value);
        if (strcmp(value, mxb_option_default(i)) == 0) {
            printf("    %-22s %s\n", mxb_option_name(i), printable);
        } else {
            char mark = strcmp(mxb_option_default(i), "auto") == 0 ? '~' : '*';
            printf("  %c %-22s %s (default %s)\n", mark, mxb_option_name(i), printable, mxb_option_default(i));
        }
    }
}

/* Whether block characters can be expected to come out right. */
static int stdout_draws_blocks(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; isatty(STDOUT_FILENO) && i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && *value != '\0') {
            return strstr(value, "UTF-8") != NULL || strstr(value, "utf8") != NULL;
        }
    }
    return 0;
}

/* The curve in one line of blocks, from its lowest to its highest value. */
static void print_sparkline(const mxb_model *model, int valid) {
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t n = mxb_model_n_curve(model);
    size_t n_sparks = n + 1 < N_SPARKS ? n + 1 : N_SPARKS;
    double low = INFINITY;
    double high = -INFINITY;
    for (size_t round = 0; round <= n; round++) {
        low = fmin(low, mxb_model_curve(model, round, valid));
        high = fmax(high, mxb_model_curve(model, round, valid));
    }
    printf("  %-10s ", valid ? "validation" : "train");
    for (size_t i = 0; i < n_sparks; i++) {
        size_t round = n_sparks > 1 ? i * n / (n_sparks - 1) : 0;
        double height = high > low ? (mxb_model_curve(model, round, valid) - low) / (high - low) : 0;
        printf("%s", blocks[height >= 0 && height <= 1 ? (size_t)(height * 7.999) : 0]);
    }
    putchar('\n');
}

static void print_curve_row(const mxb_model *model, size_t round) {
    const char *mark = mxb_model_stopped_early(model) && round == mxb_model_n_rounds(model) ? "  <- used" : "";
    printf("%8zu  %10.6g", round, mxb_model_curve(model, round, 0));
    if (has_valid(model)) {
        printf("  %10.6g", mxb_model_curve(model, round, 1));
    }
    printf("%s\n", mark);
}

static void print_curve(const mxb_model *model) {
    size_t n_curve = mxb_model_n_curve(model);
    if (isnan(mxb_model_curve(model, 0, 0))) {
        return;
    }
    size_t n_rounds = mxb_model_n_rounds(model);
    size_t n_rows = n_curve < N_CURVE_ROWS ? n_curve : N_CURVE_ROWS;
    printf("\ntraining curve (%s)\n", mxb_model_metric(model));
    if (stdout_draws_blocks()) {
        print_sparkline(model, 0);
        if (has_valid(model)) {
            print_sparkline(model, 1);
        }
    }
    printf("   round       train%s\n", has_valid(model) ? "  validation" : "");
    size_t previous = 0;
    for (size_t i = 0; i <= n_rows; i++) {
        size_t round = n_rows > 0 ? i * n_curve / n_rows : 0;
        if (previous < n_rounds && n_rounds < round) {
            print_curve_row(model, n_rounds);
        }
        print_curve_row(model, round);
        previous = round;
    }
}

static int print_model(const mxb_model *model, const char *path) {
    char size[TEXT_NUMBER_SIZE];
    char name[NAME_SIZE];
    struct stat found;
    int code = EXIT_DONE;
    struct shares shares = find_shares(model, &code);
    if (shares.of_part == NULL) {
        return code;
    }
    double n_bytes = stat(path, &found) == 0 ? (double)found.st_size : 0;
    printf("%s\n\n", text_printable(name, sizeof name, path));
    printf("size       %s\n", text_size(size, n_bytes));
    const char *objective = mxb_model_option(model, "objective");
    printf("objective  %s, judged by %s\n", objective == NULL ? "unknown" : objective, mxb_model_metric(model));
    print_labels(model);
    print_rounds(model);
    print_learners(model);
    printf("repairs    %zu (rounds that needed numerical help)\n", mxb_model_n_repairs(model));
    print_features(model, &shares);
    print_text_features(model);
    print_options(model);
    print_curve(model);
    free(shares.of_part);
    return output_finish_stdout();
}

static int run_show(const struct arguments *arguments) {
    mxb_model *model = NULL;
    const char *path = arguments->operands[0];
    int code = source_load_model(path, &model);
    if (code == EXIT_DONE) {
        code = arguments_flag(arguments, "json") != NULL ? print_json(model) : print_model(model, path);
    }
    mxb_model_free(model);
    return code;
}

const struct command command_show = {
    .name = "show",
    .summary = "say what is in a model file",
    .usage = "MODEL [--json]",
    .operands = {{"MODEL", "The model file."}},
    .n_operands = 1,
    .flags = flags,
    .n_flags = sizeof flags / sizeof *flags,
    .run = run_show,
};
