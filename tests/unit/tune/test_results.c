/* Results of trials: stages from any order of arrival, against a plain halving; ties, failures, what is known halfway.
 */
#include "tune/results.h"

#include <float.h>

#include "base/memory.h"
#include "check.h"
#include "unit/tune/known_losses.h"

static mxb_error error;

/* ---- Running through ---- */

/* Adds a trial's result from the world. */
static mxb_status tell(struct results *results, const mxb_trial *trial) {
    const mxb_trial_result *result = &world.results[trial->stage][trial->config][trial->fold];
    mxb_status status = mxb__results_check(results, trial, result, &error);
    if (status == MXB_OK) {
        mxb__results_add(results, trial, result);
        status = mxb__results_advance(results, &error);
    }
    return status;
}

/* Some trials are out at a time and come back in any order; some are given back and taken again. */
static mxb_status run(struct results *results, struct dice *dice, size_t n_workers) {
    mxb_trial out[64];
    size_t n_out = 0;
    mxb_status status = MXB_OK;
    while (status == MXB_OK && results->stage < results->n_stages) {
        while (n_out < n_workers && mxb__results_take(results, &out[n_out])) {
            n_out++;
        }
        if (n_out == 0) {
            check_failed(__FILE__, __LINE__, "no trial waits, and the search is not at its end");
            break;
        }
        size_t i = dice_below(dice, n_out);
        if (dice_below(dice, 10) == 0) {
            mxb__results_put_back(results, &out[i]);
        } else {
            status = tell(results, &out[i]);
        }
        out[i] = out[--n_out];
    }
    return status;
}

/* Whether a stage has exactly these configurations. */
static int stage_has(const struct results *results, size_t stage, const size_t *configs, size_t n) {
    const struct stage_results *at = &results->stages[stage];
    return at->configs != NULL && at->n_configs == n && memcmp(at->configs, configs, n * sizeof *configs) == 0;
}

static void any_order_gives_the_stages_of_plain_halving(void) {
    static const struct {
        size_t n_configs, eta;
        double min_resource;
        size_t n_folds;
    } shapes[] = {{64, 4, 1.0 / 16, 1}, {250, 3, 0.01, 3}, {37, 2, 0.06, 5},
                  {20, 4, 1, 2},        {1, 2, 1, 1},      {128, 2, 0.007, 1}};
    struct dice dice = {21};
    for (int k = 0; k < 60; k++) {
        size_t shape = (size_t)k % (sizeof shapes / sizeof shapes[0]);
        make_plan(shapes[shape].n_configs, shapes[shape].eta, shapes[shape].min_resource, shapes[shape].n_folds);
        make_losses(&dice, k % 3 == 0 ? 4 : 1000000, k % 2 == 0 && shape != 4 ? 0.02 : 0);
        world.keeps_first = k % 4 < 2;
        struct results results;
        OK(mxb__results_init(&results, &world.plan, world.n_folds, &error), error);
        results.keeps_first = world.keeps_first;
        OK(run(&results, &dice, 1 + dice_below(&dice, 64)), error);
        size_t configs[MOST_CONFIGS], kept[MOST_CONFIGS];
        size_t n = world.plan.stages[0].n_configs;
        for (size_t i = 0; i < n; i++) {
            configs[i] = i;
        }
        for (size_t s = 0; s < world.plan.n_stages; s++) {
            CHECK(stage_has(&results, s, configs, n));
            CHECK_INT(results.stages[s].n_done, n * world.n_folds);
            for (size_t i = 0; i < n; i++) {
                CHECK(mxb__results_loss(&results, s, configs[i]) == mean_loss(s, configs[i]));
            }
            if (s + 1 < world.plan.n_stages) {
                n = halve(s, configs, n, world.plan.stages[s + 1].n_configs, kept);
                memcpy(configs, kept, n * sizeof *kept);
            }
        }
        halve(world.plan.n_stages - 1, configs, n, 1, kept);
        size_t stage = SIZE_MAX;
        CHECK_INT(mxb__results_best(&results, &stage), kept[0]);
        CHECK_INT(stage, world.plan.n_stages - 1);
        mxb__results_clear(&results);
    }
}

/* The worst of all stays to the end if it is the first and is to be kept, but not as the only one, nor once it failed.
 */
static void the_first_may_be_kept(void) {
    struct dice dice = {24};
    for (int kind = 0; kind < 4; kind++) {
        make_plan(kind == 1 ? 16 : 64, 4, 1.0 / 16, 1);
        make_losses(&dice, 1000, 0);
        for (size_t s = 0; s < world.plan.n_stages; s++) {
            world.results[s][0][0].loss = 1e9;
        }
        world.results[1][0][0].status = kind == 2 ? MXB_ERROR_DATA : MXB_OK;
        struct results results;
        OK(mxb__results_init(&results, &world.plan, 1, &error), error);
        results.keeps_first = kind < 3;
        OK(run(&results, &dice, 3), error);
        CHECK((results.stages[1].configs[0] == 0) == (kind < 3));
        CHECK((results.stages[2].configs[0] == 0) == (kind == 0)); /* 1: one is left; 2: it failed */
        CHECK(kind >= 3 || results.stages[1].order[results.stages[1].n_configs - 1] == 0);
        mxb__results_clear(&results);
    }
}

/* A configuration that is best in every stage, and one that is best at first and worst at the end. */
static void the_winner_is_known(void) {
    struct dice dice = {22};
    make_plan(64, 4, 1.0 / 16, 2);
    make_losses(&dice, 1000, 0);
    for (size_t s = 0; s < world.plan.n_stages; s++) {
        for (size_t f = 0; f < 2; f++) {
            world.results[s][41][f].loss = -2;
            world.results[s][17][f].loss = s + 1 < world.plan.n_stages ? -3 : 1e9;
        }
    }
    struct results results;
    size_t stage, ranking[MOST_CONFIGS];
    OK(mxb__results_init(&results, &world.plan, 2, &error), error);
    OK(run(&results, &dice, 3), error);
    CHECK_INT(mxb__results_best(&results, &stage), 41);
    OK(mxb__results_rank(&results, ranking, &error), error);
    CHECK_INT(ranking[0], 41);
    CHECK_INT(ranking[world.plan.stages[2].n_configs - 1], 17); /* last of those that came so far */
    mxb__results_clear(&results);
}

static void equal_losses_are_ranked_by_number(void) {
    struct dice dice = {23};
    make_plan(50, 5, 0.04, 1);
    make_losses(&dice, 1, 0);
    struct results results;
    size_t ranking[MOST_CONFIGS];
    OK(mxb__results_init(&results, &world.plan, 1, &error), error);
    OK(run(&results, &dice, 8), error);
    OK(mxb__results_rank(&results, ranking, &error), error);
    for (size_t i = 0; i < 50; i++) {
        CHECK_INT(ranking[i], i);
    }
    CHECK_INT(results.stages[2].configs[1], 1);
    mxb__results_clear(&results);
}

/* ---- Halfway ---- */

/* Stages that a configuration is done in on all folds, one after the other; its last loss. */
static size_t n_stages_done(const struct results *results, size_t config, double *loss) {
    size_t n = 0;
    for (size_t s = 0; s < results->n_stages; s++) {
        size_t n_folds = 0;
        for (size_t f = 0; f < results->n_folds; f++) {
            const struct trial_slot *slot = mxb__results_find(results, &(mxb_trial){s, config, f});
            n_folds += slot != NULL && slot->state == TRIAL_IS_DONE;
        }
        if (n_folds == results->n_folds) {
            n = s + 1;
            *loss = mean_loss(s, config);
        }
    }
    return n;
}

/* Whether `a` stands before `b`, by the words of the header. */
static int stands_before(const struct results *results, size_t a, size_t b) {
    double loss_a = 0, loss_b = 0;
    size_t n_a = n_stages_done(results, a, &loss_a), n_b = n_stages_done(results, b, &loss_b);
    return n_a != n_b ? n_a > n_b : loss_a != loss_b ? loss_a < loss_b : a < b;
}

static void check_halfway(const struct results *results) {
    size_t ranking[MOST_CONFIGS], stage = SIZE_MAX, best = SIZE_MAX, best_stage = SIZE_MAX, n_wrong = 0;
    double loss = 0;
    OK(mxb__results_rank(results, ranking, &error), error);
    int is_there[MOST_CONFIGS] = {0};
    for (size_t i = 0; i < results->n_all; i++) {
        is_there[ranking[i]] = 1;
        n_wrong += i > 0 && !stands_before(results, ranking[i - 1], ranking[i]);
        size_t n = n_stages_done(results, ranking[i], &loss);
        if (best == SIZE_MAX && n > 0 && isfinite(loss)) { /* the first of the ranking that did not fail */
            best = ranking[i];
            best_stage = n - 1;
        }
    }
    for (size_t i = 0; i < results->n_all; i++) {
        n_wrong += !is_there[i];
    }
    CHECK_INT(n_wrong, 0);
    CHECK(mxb__results_best(results, &stage) == best);
    CHECK(stage == best_stage);
}

static void ranking_and_best_are_right_after_every_trial(void) {
    struct dice dice = {24};
    for (int k = 0; k < 12; k++) {
        make_plan(k % 2 == 0 ? 27 : 18, k % 2 == 0 ? 3 : 2, 0.1, (size_t)k % 3 + 1);
        make_losses(&dice, k % 4 == 0 ? 3 : 100000, 0.1);
        struct results results;
        mxb_trial out[8];
        size_t n_out = 0;
        mxb_status status = MXB_OK;
        OK(mxb__results_init(&results, &world.plan, world.n_folds, &error), error);
        check_halfway(&results);
        while (status == MXB_OK && results.stage < results.n_stages) {
            while (n_out < 8 && mxb__results_take(&results, &out[n_out])) {
                n_out++;
            }
            size_t i = dice_below(&dice, n_out);
            status = tell(&results, &out[i]);
            out[i] = out[--n_out];
            check_halfway(&results);
        }
        CHECK(status == MXB_OK || status == MXB_ERROR_DATA); /* all of a stage may have failed */
        mxb__results_clear(&results);
    }
}

static void nothing_is_known_at_first(void) {
    struct results results;
    size_t stage = 77, ranking[MOST_CONFIGS];
    make_plan(9, 3, 0.3, 2);
    OK(mxb__results_init(&results, &world.plan, 2, &error), error);
    CHECK(mxb__results_best(&results, &stage) == SIZE_MAX && stage == 77);
    CHECK(isnan(mxb__results_loss(&results, 0, 0)) && isnan(mxb__results_loss(&results, 0, 9)));
    CHECK(isnan(mxb__results_loss(&results, 1, 0)) && isnan(mxb__results_loss(&results, 2, 0)));
    OK(mxb__results_rank(&results, ranking, &error), error);
    CHECK(ranking[0] == 0 && ranking[8] == 8);
    OK(mxb__results_advance(&results, &error), error);
    CHECK_INT(results.stage, 0);
    mxb__results_clear(&results);
}

/* ---- Taking ---- */

static void trials_are_taken_in_order_and_once(void) {
    struct results results;
    mxb_trial trial;
    make_plan(10, 3, 1, 3);
    OK(mxb__results_init(&results, &world.plan, 3, &error), error);
    for (size_t i = 0; i < 30; i++) {
        REQUIRE(mxb__results_take(&results, &trial));
        CHECK(trial.stage == 0 && trial.config == i / 3 && trial.fold == i % 3);
    }
    CHECK(!mxb__results_take(&results, &trial));
    static const mxb_trial back[] = {{0, 7, 1}, {0, 2, 2}, {0, 9, 0}};
    for (size_t i = 0; i < 3; i++) {
        mxb__results_put_back(&results, &back[i]);
        mxb__results_put_back(&results, &back[i]); /* it waits already */
    }
    static const size_t order[] = {1, 0, 2};
    for (size_t i = 0; i < 3; i++) {
        REQUIRE(mxb__results_take(&results, &trial));
        CHECK(trial.config == back[order[i]].config && trial.fold == back[order[i]].fold);
    }
    CHECK(!mxb__results_take(&results, &trial));
    mxb__results_put_back(&results, &(mxb_trial){0, 10, 0}); /* none of these is there */
    mxb__results_put_back(&results, &(mxb_trial){1, 0, 0});
    mxb__results_put_back(&results, &(mxb_trial){0, 0, 3});
    CHECK(!mxb__results_take(&results, &trial));
    mxb__results_clear(&results);
}

/* Results may be told of trials that were never taken: they are not handed out any more, and cannot be put back. */
static void what_is_done_is_not_taken(void) {
    struct dice dice = {25};
    struct results results;
    mxb_trial trial;
    make_plan(4, 2, 0.5, 1);
    make_losses(&dice, 100, 0);
    OK(mxb__results_init(&results, &world.plan, 1, &error), error);
    OK(tell(&results, &(mxb_trial){0, 0, 0}), error);
    OK(tell(&results, &(mxb_trial){0, 2, 0}), error);
    mxb__results_put_back(&results, &(mxb_trial){0, 0, 0});
    CHECK(mxb__results_take(&results, &trial) && trial.config == 1);
    CHECK(mxb__results_take(&results, &trial) && trial.config == 3);
    CHECK(!mxb__results_take(&results, &trial));
    OK(tell(&results, &(mxb_trial){0, 3, 0}), error);
    CHECK(!mxb__results_take(&results, &trial)); /* the next stage waits for all */
    OK(tell(&results, &(mxb_trial){0, 1, 0}), error);
    CHECK_INT(results.stage, 1);
    CHECK(mxb__results_take(&results, &trial) && trial.stage == 1 && trial.config == results.stages[1].configs[0]);
    OK(tell(&results, &(mxb_trial){1, results.stages[1].configs[1], 0}), error);
    OK(tell(&results, &trial), error);
    CHECK(results.stage == 2 && !mxb__results_take(&results, &trial));
    mxb__results_clear(&results);
}

static void finds_what_is_there(void) {
    struct dice dice = {26};
    struct results results;
    make_plan(8, 2, 0.25, 2);
    make_losses(&dice, 1000, 0);
    OK(mxb__results_init(&results, &world.plan, 2, &error), error);
    CHECK(mxb__results_find(&results, &(mxb_trial){1, 0, 0}) == NULL); /* not yet */
    OK(run(&results, &dice, 4), error);
    for (size_t s = 0; s < 4; s++) {
        size_t n_found = 0;
        for (size_t c = 0; c < 9; c++) {
            for (size_t f = 0; f < 3; f++) {
                const struct trial_slot *slot = mxb__results_find(&results, &(mxb_trial){s, c, f});
                n_found += slot != NULL;
                CHECK(slot == NULL || memcmp(&slot->result, &world.results[s][c][f], sizeof slot->result) == 0);
            }
        }
        CHECK_INT(n_found, s < 3 ? 16 >> s : 0);
    }
    mxb__results_clear(&results);
}

/* ---- Failures and mistakes ---- */

/* One failed fold is enough; of failed configurations those with lower numbers go on where places are left. */
static void failures_come_last(void) {
    struct dice dice = {27};
    struct results results;
    size_t ranking[MOST_CONFIGS];
    make_plan(12, 2, 0.5, 3);
    make_losses(&dice, 1000, 0);
    for (size_t c = 0; c < 12; c++) {
        if (c != 5 && c != 9) {
            world.results[0][c][c % 3].status = MXB_ERROR_MEMORY;
            world.results[0][c][c % 3].loss = -1e9; /* not looked at */
        }
    }
    OK(mxb__results_init(&results, &world.plan, 3, &error), error);
    for (size_t i = 0; i < 36; i++) {
        OK(tell(&results, &(mxb_trial){0, 11 - i / 3, i % 3}), error);
    }
    CHECK(stage_has(&results, 1, (const size_t[]){0, 1, 2, 3, 5, 9}, 6));
    CHECK(mxb__results_loss(&results, 0, 0) == HUGE_VAL);
    OK(mxb__results_rank(&results, ranking, &error), error);
    size_t better = mean_loss(0, 5) < mean_loss(0, 9) ? 5 : 9;
    CHECK(ranking[0] == better && ranking[1] == 14 - better);
    for (size_t i = 2; i < 12; i++) {
        CHECK(ranking[i] == (i < 7 ? i - 2 : i < 10 ? i - 1 : i));
    }
    mxb__results_clear(&results);
}

/* In the first stage, and in a later one. */
static void all_failed(void) {
    for (size_t failing = 0; failing < 2; failing++) {
        struct dice dice = {28};
        struct results results;
        make_plan(6, 2, 0.5, 2);
        make_losses(&dice, 1000, 0);
        for (size_t c = 0; c < 6; c++) {
            mxb_trial_result *result = &world.results[failing][c][c % 2];
            result->status = c % 2 == 0 ? MXB_ERROR_MEMORY : MXB_ERROR_DATA;
            result->loss = HUGE_VAL;
        }
        OK(mxb__results_init(&results, &world.plan, 2, &error), error);
        mxb_status status = run(&results, &dice, 5);
        size_t first = results.stages[failing].configs[0];
        char sentence[200];
        snprintf(sentence, sizeof sentence, "all configurations failed; the first: stage %zu, %zu, %zu", failing, first,
                 first % 2);
        CHECK_INT(status, first % 2 == 0 ? MXB_ERROR_MEMORY : MXB_ERROR_DATA);
        CHECK_TEXT(error.message, sentence);
        CHECK_INT(results.stage, failing); /* what came before stays */
        size_t stage;
        CHECK((mxb__results_best(&results, &stage) == SIZE_MAX) == (failing == 0));
        mxb__results_clear(&results);
    }
}

/* A message that fills its array has no end of its own. */
static void a_reason_may_be_long(void) {
    struct results results;
    mxb_trial_result result = {.status = MXB_ERROR_IO};
    make_plan(1, 2, 1, 1);
    memset(result.message, 'x', sizeof result.message);
    result.message[sizeof result.message - 1] = (char)0xc2; /* of a character that was cut */
    OK(mxb__results_init(&results, &world.plan, 1, &error), error);
    mxb__results_add(&results, &(mxb_trial){0, 0, 0}, &result);
    CHECK_INT(mxb__results_advance(&results, &error), MXB_ERROR_IO);
    CHECK_INT(strlen(error.message), strlen("all configurations failed; the first: ") + sizeof result.message);
    mxb__results_clear(&results);
}

/* Losses whose sum is no double any more: their mean is one, and the search goes on. */
static void losses_may_be_huge(void) {
    struct dice dice = {29};
    struct results results;
    size_t stage;
    make_plan(4, 2, 0.5, 3);
    make_losses(&dice, 1000, 0);
    for (size_t s = 0; s < 2; s++) {
        for (size_t c = 0; c < 4; c++) {
            for (size_t f = 0; f < 3; f++) {
                world.results[s][c][f].loss = (c % 2 == 0 ? DBL_MAX : -DBL_MAX) * (c > 1 ? 0.75 : 1);
            }
        }
    }
    world.results[0][3][2].status = MXB_ERROR_DATA; /* beside two that sum to minus infinity */
    OK(mxb__results_init(&results, &world.plan, 3, &error), error);
    OK(run(&results, &dice, 4), error);
    CHECK(stage_has(&results, 1, (const size_t[]){1, 2}, 2));
    CHECK(mxb__results_best(&results, &stage) == 1 && stage == 1);
    CHECK_NEAR(mxb__results_loss(&results, 0, 2) / DBL_MAX, 0.75, 1e-12);
    CHECK_NEAR(mxb__results_loss(&results, 0, 1) / DBL_MAX, -1, 1e-12);
    CHECK(mxb__results_loss(&results, 0, 3) == HUGE_VAL);
    mxb__results_clear(&results);
}

static void says_what_is_wrong(void) {
    struct dice dice = {30};
    struct results results;
    mxb_trial_result fine = {.loss = 1}, bad = {.loss = NAN}, failed = {.status = MXB_ERROR_DATA, .loss = NAN};
    make_plan(4, 2, 0.5, 2);
    make_losses(&dice, 1000, 0);
    OK(mxb__results_init(&results, &world.plan, 2, &error), error);
    FAILS(mxb__results_check(&results, &(mxb_trial){0, 4, 0}, &fine, &error), error, MXB_ERROR_PARAM,
          "stage 0 has no trial of configuration 4 on fold 0");
    FAILS(mxb__results_check(&results, &(mxb_trial){0, 1, 2}, &fine, &error), error, MXB_ERROR_PARAM,
          "stage 0 has no trial of configuration 1 on fold 2");
    FAILS(mxb__results_check(&results, &(mxb_trial){1, 1, 0}, &fine, &error), error, MXB_ERROR_PARAM,
          "stage 1 has no trial of configuration 1 on fold 0");
    FAILS(mxb__results_check(&results, &(mxb_trial){2, 1, 0}, &fine, &error), error, MXB_ERROR_PARAM,
          "stage 2 has no trial of configuration 1 on fold 0");
    FAILS(mxb__results_check(&results, &(mxb_trial){0, 1, 0}, &bad, &error), error, MXB_ERROR_PARAM,
          "the loss of a trial that did not fail must be a finite number");
    bad.loss = INFINITY;
    FAILS(mxb__results_check(&results, &(mxb_trial){0, 1, 0}, &bad, &error), error, MXB_ERROR_PARAM,
          "the loss of a trial that did not fail must be a finite number");
    OK(mxb__results_check(&results, &(mxb_trial){0, 1, 0}, &failed, &error), error);
    OK(tell(&results, &(mxb_trial){0, 1, 0}), error);
    FAILS(mxb__results_check(&results, &(mxb_trial){0, 1, 0}, &fine, &error), error, MXB_ERROR_PARAM,
          "the trial of configuration 1 on fold 0 in stage 0 is done");
    mxb__results_clear(&results);
}

static void every_allocation_may_fail(void) {
    struct dice dice = {31};
    make_plan(8, 2, 0.25, 2);
    make_losses(&dice, 1000, 0);
    for (uint64_t n = 1; n <= 4; n++) {
        struct results results;
        mxb__memory_fail_at(n, 0);
        mxb_status status = mxb__results_init(&results, &world.plan, 2, &error);
        mxb__memory_fail_at(0, 0);
        CHECK_INT(status, n < 4 ? MXB_ERROR_MEMORY : MXB_OK);
        mxb__results_clear(&results);
    }
    struct results results;
    OK(mxb__results_init(&results, &world.plan, 2, &error), error);
    for (size_t i = 0; i < 16; i++) {
        mxb__results_add(&results, &(mxb_trial){0, i / 2, i % 2}, &world.results[0][i / 2][i % 2]);
    }
    for (uint64_t n = 1; n <= 3; n++) { /* it may be tried again */
        mxb__memory_fail_at(n, 0);
        CHECK_INT(mxb__results_advance(&results, &error), MXB_ERROR_MEMORY);
        mxb__memory_fail_at(0, 0);
        CHECK(results.stage == 0 && results.stages[1].configs == NULL);
    }
    OK(mxb__results_advance(&results, &error), error);
    CHECK_INT(results.stage, 1);
    mxb__results_clear(&results);
}

int main(void) {
    RUN(any_order_gives_the_stages_of_plain_halving);
    RUN(the_first_may_be_kept);
    RUN(the_winner_is_known);
    RUN(equal_losses_are_ranked_by_number);
    RUN(ranking_and_best_are_right_after_every_trial);
    RUN(nothing_is_known_at_first);
    RUN(trials_are_taken_in_order_and_once);
    RUN(what_is_done_is_not_taken);
    RUN(finds_what_is_there);
    RUN(failures_come_last);
    RUN(all_failed);
    RUN(a_reason_may_be_long);
    RUN(losses_may_be_huge);
    RUN(says_what_is_wrong);
    RUN(every_allocation_may_fail);
    return check_report();
}
