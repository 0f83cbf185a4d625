/* The search of a level, and what goes left in its nodes, against sums over the rows one by one: to the last bit,
 * whether nodes have histograms or not. */
#include "learner/tree/level_cells.h"

#include "check.h"
#include "learner/tree/level_split.h"
#include "learner/tree/tree_tiny.h"
#include "unit/learner/make_engine.h"

enum { MAX_NODES = 32 };

struct open_level {
    struct bench *bench;
    struct engine_node nodes[MAX_NODES];
    size_t n_nodes;
};

/* ---- the oracle ---- */

static double score_level(const struct open_level *level) {
    const struct split_rules *rules = &level->bench->engine.rules;
    double score = 0.0;
    for (size_t i = 0; i < level->n_nodes; i++) {
        score +=
            mxb__level_divides(level->nodes[i].total, rules) ? mxb__level_score(level->nodes[i].total, rules) : 0.0;
    }
    return score;
}

static struct level_cut naive_cut(const struct open_level *level, uint32_t feature) {
    const struct tree_engine *engine = &level->bench->engine;
    double right[MXB__CELLS] = {0}, left[MXB__CELLS] = {0};
    uint8_t has_missing = 0;
    const struct feature_bins *bins = &engine->input->prepared->bins[feature];
    struct level_gains gains = {bins->n_cuts + 1, right, left, &has_missing};
    for (size_t i = 0; i < level->n_nodes; i++) {
        struct gradient_sum cells[MXB__CELLS];
        naive_cells(engine, level->nodes[i].rows, feature, cells);
        struct feature_cells of_feature = mxb__feature_cells(cells, 0, bins);
        if (mxb__level_divides(level->nodes[i].total, &engine->rules)) {
            mxb__level_add(&mxb__training_kernels_portable, &of_feature, level->nodes[i].total, &engine->rules, &gains);
        }
    }
    return mxb__level_best(&gains, score_level(level), &engine->rules);
}

static void check_cuts(const struct open_level *level) {
    struct tree_engine *engine = &level->bench->engine;
    uint32_t d = engine->input->prepared->n_features;
    struct level_cut *cuts = calloc(d, sizeof *cuts);
    struct level found = {level->nodes, level->n_nodes, score_level(level), cuts};
    memset(cuts, 0x5a, d * sizeof *cuts);
    engine->ops->search_level(engine, &found);
    for (uint32_t f = 0; f < d; f++) {
        struct level_cut expected = engine->is_column[f] ? naive_cut(level, f) : (struct level_cut){0};
        CHECK(cuts[f].gain == expected.gain && cuts[f].bin == expected.bin);
        CHECK_INT(cuts[f].missing_left, expected.missing_left);
        CHECK_INT(cuts[f].has_missing, expected.has_missing);
    }
    free(cuts);
}

/* ---- levels of splits that the test wants ---- */

/* Splits every node alike; those that would be left with an empty side stay as they are. */
static void go_down(struct open_level *level, uint32_t feature, uint32_t bin, uint8_t missing_left) {
    struct tree_engine *engine = &level->bench->engine;
    struct engine_node parents[MAX_NODES];
    struct family families[MAX_NODES];
    size_t n_families = 0, n_nodes = 0;
    memcpy(parents, level->nodes, sizeof parents);
    for (size_t i = 0; i < level->n_nodes; i++) {
        struct engine_node *parent = &parents[i];
        struct split forced = forced_split(engine, parent->rows, feature, bin, missing_left);
        parent->split = forced;
        struct gradient_sum left = engine->ops->left_sum(engine, parent);
        CHECK(same_sum(left, forced.left));
        size_t n_left = 0;
        for (uint32_t k = parent->rows.begin; k < parent->rows.end; k++) {
            n_left += (size_t)naive_side(engine->input->prepared, &forced, engine->rows[k]);
        }
        if (n_left == 0 || n_left == mxb__span_rows(parent->rows)) {
            level->nodes[n_nodes++] = *parent;
        } else {
            families[n_families++] = (struct family){parent, &level->nodes[n_nodes], &level->nodes[n_nodes + 1]};
            level->nodes[n_nodes] = level->nodes[n_nodes + 1] = (struct engine_node){0};
            n_nodes += 2;
        }
    }
    level->n_nodes = n_nodes;
    engine->ops->partition(engine, families, n_families);
    engine->ops->open_level(engine, families, n_families);
}

static void check_nodes(const struct open_level *level, size_t n_histograms) {
    const struct tree_engine *engine = &level->bench->engine;
    size_t n_kept = 0, n_large = 0;
    for (size_t i = 0; i < level->n_nodes; i++) {
        const struct engine_node *node = &level->nodes[i];
        CHECK(same_sum(node->total, naive_total_of(engine, node->rows)));
        n_kept += node->cells != NULL;
        n_large += mxb__span_rows(node->rows) > MXB__TINY_ROWS;
        CHECK(node->cells == NULL || mxb__span_rows(node->rows) > MXB__TINY_ROWS);
    }
    CHECK_INT(n_kept + engine->scratch.n_unused, n_histograms); /* none is lost */
    CHECK(n_histograms < MAX_NODES || n_kept == n_large);
}

struct trial {
    struct data_recipe recipe;
    struct learner_options options;
    uint32_t hist_nbins;
    size_t n_histograms; /* that may be used */
};

static void check_trial(const struct trial *trial, uint64_t seed) {
    struct bench bench;
    struct dice dice = {seed};
    struct open_level level = {.bench = &bench, .n_nodes = 1};
    REQUIRE(bench_open(&bench, trial->recipe, trial->options, trial->hist_nbins));
    struct tree_engine *engine = &bench.engine;
    const mxb_prepared *prepared = bench.fit.prepared;
    bench_begin(&bench, 1 + (uint32_t)seed);
    size_t n_histograms =
        engine->scratch.n_unused < trial->n_histograms ? engine->scratch.n_unused : trial->n_histograms;
    engine->scratch.n_unused = n_histograms;
    level.nodes[0] = (struct engine_node){.rows = {0, engine->n_sampled}};
    struct family root = {.left = &level.nodes[0]};
    engine->ops->open_level(engine, &root, 1);
    for (uint32_t depth = 0; depth < 5; depth++) {
        check_nodes(&level, n_histograms);
        check_cuts(&level);
        uint32_t feature;
        do {
            feature = (uint32_t)dice_below(&dice, prepared->n_features);
        } while (!engine->is_column[feature]);
        uint32_t bin = (uint32_t)dice_below(&dice, (size_t)prepared->bins[feature].n_cuts + 1);
        go_down(&level, feature, bin, (uint8_t)dice_below(&dice, 2));
    }
    check_nodes(&level, n_histograms);
    check_cuts(&level);
    bench_close(&bench);
}

static void every_form(void) {
    for (uint64_t seed = 0; seed < 120; seed++) {
        struct dice dice = {seed};
        struct trial trial = {
            .options = fit_options(), .hist_nbins = seed % 5 == 0 ? 6 : 256, .n_histograms = SIZE_MAX};
        int before = check_n_failed;
        trial.options.symmetric_depth = 6;
        trial.options.tree_n_threads = 1 + (uint32_t)(seed % 3);
        trial.options.max_wide_rows = seed % 2 == 0 ? 1 << 16 : 0; /* packed */
        trial.options.subsample = seed % 4 == 0 ? 0.7 : 1.0;
        trial.options.colsample = seed % 4 == 1 ? 0.6 : 1.0;
        trial.options.lambda_l2 = seed % 3 == 0 ? 0.0 : 1.0;
        trial.options.min_child_weight = seed % 5 == 3 ? 20.0 : 0.0;
        trial.recipe = (struct data_recipe){.n_rows = seed % 7 == 0 ? 20 : 200 + dice_below(&dice, 1500),
                                            .n_features = 1 + dice_below(&dice, seed % 6 == 0 ? 70 : 12),
                                            .seed = seed,
                                            .missing = seed % 3 == 1 ? 0.2 : 0.0,
                                            .n_distinct = seed % 4 < 2 ? 0 : 1 + dice_below(&dice, 5),
                                            .weighted = seed % 8 == 5};
        trial.n_histograms = seed % 3 == 2 ? 1 + dice_below(&dice, 5) : SIZE_MAX;
        check_trial(&trial, seed);
        if (check_n_failed > before) {
            fprintf(stderr, "    (the trial of seed %llu)\n", (unsigned long long)seed);
            return;
        }
    }
}

/* Rows enough that all threads build a node together. */
static void many_rows(void) {
    struct trial trial = {.options = fit_options(), .hist_nbins = 256, .n_histograms = SIZE_MAX};
    trial.options.symmetric_depth = 6;
    trial.options.tree_n_threads = 3;
    trial.options.max_wide_rows = 0;
    trial.recipe = (struct data_recipe){.n_rows = 70000, .n_features = 3, .seed = 5, .missing = 0.1};
    check_trial(&trial, 1);
    trial.n_histograms = 1;
    check_trial(&trial, 2);
}

int main(void) {
    RUN(every_form);
    RUN(many_rows);
    return check_report();
}
