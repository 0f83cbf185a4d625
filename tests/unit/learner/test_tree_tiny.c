/* Nodes with few rows: what is found without a histogram is what one would tell, bit for bit. */
#include "learner/tree/tree_tiny.h"

#include "check.h"
#include "unit/learner/make_engine.h"

/* An engine that has begun, with scratch of its own. */
struct tiny_bench {
    struct bench bench;
    struct tiny_cells cells;
    double *gains; /* [n_features] */
};

static const struct tiny_cells ALL_ZERO;

static int tiny_open(struct tiny_bench *tiny, struct data_recipe recipe, uint32_t hist_nbins, double colsample) {
    struct learner_options options = fit_options();
    options.colsample = colsample;
    options.lambda_l2 = recipe.seed % 2 == 0 ? 0.0 : 0.5;
    options.min_child_weight = recipe.seed % 3 == 0 ? 3.0 : 0.0;
    tiny->cells = ALL_ZERO;
    tiny->gains = calloc(recipe.n_features, sizeof *tiny->gains);
    if (!bench_open(&tiny->bench, recipe, options, hist_nbins)) {
        return 0;
    }
    bench_begin(&tiny->bench, 1);
    return 1;
}

static void tiny_close(struct tiny_bench *tiny) {
    free(tiny->gains);
    bench_close(&tiny->bench);
}

/* The cells of a feature as they would lie in a histogram of its own. */
union histogram {
    struct gradient_sum sums[MXB__CELLS];
    uint64_t words[MXB__CELLS];
};

static struct feature_cells histogram_of(const struct tree_engine *engine, const struct engine_node *node,
                                         uint32_t feature, union histogram *histogram) {
    const mxb_prepared *prepared = engine->input->prepared;
    memset(histogram, 0, sizeof *histogram);
    if (!engine->packed) {
        naive_cells(engine, node->rows, feature, histogram->sums);
    }
    for (uint32_t i = node->rows.begin; engine->packed && i < node->rows.end; i++) {
        histogram->words[naive_code(prepared, feature, engine->rows[i])] += engine->words[engine->rows[i]];
    }
    return mxb__feature_cells(histogram, engine->packed, &prepared->bins[feature]);
}

/* One feature of a node: its gain, if it is in the run and sampled, and the split with it. */
static void check_feature(struct tiny_bench *tiny, const struct engine_node *node, uint32_t f, int is_in_run) {
    const struct tree_engine *engine = &tiny->bench.engine;
    if (!is_in_run || !engine->is_column[f]) {
        CHECK(tiny->gains[f] == -1.0);
        return;
    }
    union histogram histogram;
    struct feature_cells cells = histogram_of(engine, node, f, &histogram);
    double gain = mxb__split_gain(&mxb__training_kernels_portable, &cells, node->total, &engine->rules);
    CHECK(tiny->gains[f] == gain);
    if (gain > 0.0) {
        struct split expected = mxb__split_locate(&cells, node->total, &engine->rules, gain);
        struct split split = mxb__tiny_locate(engine, node, f, &tiny->cells, gain);
        CHECK(same_split(&split, &expected));
        CHECK(memcmp(&tiny->cells, &ALL_ZERO, sizeof ALL_ZERO) == 0);
    }
}

static void check_node(struct tiny_bench *tiny, struct row_span rows, struct field_run run) {
    const struct tree_engine *engine = &tiny->bench.engine;
    const mxb_prepared *prepared = engine->input->prepared;
    struct engine_node node = {.rows = rows};
    node.total = mxb__tiny_total(engine, &node);
    CHECK(same_sum(node.total, naive_total_of(engine, rows)));
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        tiny->gains[f] = -1.0;
    }
    mxb__tiny_gains(engine, &node, run, &tiny->cells, tiny->gains);
    CHECK(memcmp(&tiny->cells, &ALL_ZERO, sizeof ALL_ZERO) == 0);
    for (uint32_t f = 0; f < prepared->n_features; f++) {
        uint32_t field = prepared->fields.places[f].field;
        check_feature(tiny, &node, f, field >= run.first && field < run.first + run.n);
    }
}

/* From a group on to the end of its panel or of the fields. */
static struct field_run run_from(const mxb_prepared *prepared, uint32_t first) {
    uint32_t end = (first / MXB__PANEL + 1) * MXB__PANEL;
    struct field_run run = {first, (end < prepared->fields.n ? end : prepared->fields.n) - first};
    return run;
}

/* Every number of rows, anywhere among the rows. */
static void check_sizes(struct tiny_bench *tiny, uint64_t seed) {
    struct dice dice = {seed};
    const mxb_prepared *prepared = tiny->bench.fit.prepared;
    size_t n_groups = (prepared->fields.n + MXB__GROUP - 1) / MXB__GROUP;
    for (uint32_t n = 1; n <= MXB__TINY_ROWS; n++) {
        uint32_t begin = (uint32_t)dice_below(&dice, tiny->bench.engine.n_sampled - n);
        struct field_run run = run_from(prepared, MXB__GROUP * (uint32_t)dice_below(&dice, n_groups));
        run.n = dice_below(&dice, 2) == 0 && run.n > MXB__GROUP ? MXB__GROUP : run.n;
        check_node(tiny, (struct row_span){begin, begin + n}, run);
    }
}

static void wide_nodes(void) {
    for (uint32_t seed = 1; seed <= 24; seed++) {
        struct tiny_bench tiny;
        struct data_recipe recipe = {.n_rows = 400,
                                     .n_features = 1 + 3 * seed, /* up to three panels */
                                     .seed = seed,
                                     .missing = seed % 2 == 0 ? 0.3 : 0.0,
                                     .n_distinct = (size_t[]){0, 2, 5, 40}[seed % 4],
                                     .weighted = seed % 5 == 0};
        REQUIRE(tiny_open(&tiny, recipe, seed % 7 == 0 ? 9 : 256, seed % 3 == 0 ? 0.3 : 1.0));
        CHECK_INT(tiny.bench.engine.packed, 0);
        check_sizes(&tiny, seed);
        tiny_close(&tiny);
    }
}

static void packed_nodes(void) {
    for (uint32_t k = 0; k < 4; k++) {
        struct tiny_bench tiny;
        struct data_recipe recipe = {.n_rows = 66000,
                                     .n_features = 9,
                                     .seed = k,
                                     .missing = k % 2 == 0 ? 0.3 : 0.0,
                                     .n_distinct = k < 2 ? 0 : 4};
        REQUIRE(tiny_open(&tiny, recipe, 256, 0.8));
        CHECK_INT(tiny.bench.engine.packed, 1);
        CHECK(k < 2 ? tiny.bench.fit.prepared->fields.n == 9 : tiny.bench.fit.prepared->fields.n < 9);
        check_sizes(&tiny, k);
        tiny_close(&tiny);
    }
}

/* One feature of 60 values, a value a row: bin 0 is empty in all nodes but those with the first row. */
static void the_lowest_bin_empty_or_not(void) {
    struct tiny_bench tiny;
    struct made_data data = data_allocate(60, 1, 0);
    tiny.cells = ALL_ZERO;
    tiny.gains = calloc(1, sizeof *tiny.gains);
    for (size_t i = 0; i < 60; i++) {
        data.x[i] = i % 3 == 2 ? (double)NAN : (double)i;
        data.y[i] = i % 3 == 2 ? 10.0 : (double)(i * i % 7); /* missing values against all others is the best cut */
    }
    REQUIRE(data_view(&data));
    struct bench *bench = &tiny.bench;
    REQUIRE(bench_open_on(bench, data, fit_options(), 256));
    bench_begin(bench, 1);
    for (uint32_t begin = 0; begin < 12; begin++) {
        for (uint32_t end = begin + 1; end <= begin + MXB__TINY_ROWS; end++) {
            check_node(&tiny, (struct row_span){begin, end}, (struct field_run){0, 1});
        }
    }
    struct engine_node node = {.rows = {30, 50}};
    node.total = mxb__tiny_total(&bench->engine, &node);
    mxb__tiny_gains(&bench->engine, &node, (struct field_run){0, 1}, &tiny.cells, tiny.gains);
    struct split split = mxb__tiny_locate(&bench->engine, &node, 0, &tiny.cells, tiny.gains[0]);
    CHECK_INT(split.bin, 0);
    CHECK_INT(split.missing_left, 1);
    tiny_close(&tiny);
}

/* ---- subtraction ---- */

/* Cells of a run of fields, from the rows one by one. */
static void build(const struct tree_engine *engine, struct row_span rows, struct field_run run, uint64_t *cells) {
    const mxb_prepared *prepared = engine->input->prepared;
    for (uint32_t i = rows.begin; i < rows.end; i++) {
        uint32_t row = engine->rows[i];
        for (uint32_t field = 0; field < run.n; field++) {
            size_t at = field * MXB__CELLS + mxb__prepared_records(prepared, run.first + field)[row * MXB__PANEL];
            if (engine->packed) {
                cells[at] += engine->words[row];
            } else {
                cells[2 * at] += (uint64_t)engine->sums[row].g;
                cells[2 * at + 1] += (uint64_t)engine->sums[row].h;
            }
        }
    }
}

static void check_subtraction(struct tiny_bench *tiny, uint32_t n_parent, struct row_span rows, uint32_t first) {
    const struct tree_engine *engine = &tiny->bench.engine;
    struct field_run run = run_from(engine->input->prepared, first);
    size_t n_words = (size_t)run.n * MXB__CELLS * 2;
    uint64_t *parent = calloc(n_words, sizeof *parent);
    uint64_t *sibling = calloc(n_words, sizeof *sibling);
    build(engine, (struct row_span){0, n_parent}, run, parent);
    build(engine, (struct row_span){0, rows.begin}, run, sibling);
    build(engine, (struct row_span){rows.end, n_parent}, run, sibling);
    struct engine_node node = {.rows = rows};
    mxb__tiny_subtract(engine, &node, run, parent);
    CHECK(memcmp(parent, sibling, n_words * sizeof *parent) == 0);
    free(parent);
    free(sibling);
}

static void subtraction_leaves_the_sibling(void) {
    for (uint32_t packed = 0; packed < 2; packed++) {
        struct tiny_bench tiny;
        struct data_recipe recipe = {
            .n_rows = packed ? 66000 : 300, .n_features = 43, .seed = 5, .missing = 0.1, .n_distinct = 30};
        REQUIRE(tiny_open(&tiny, recipe, 256, 1.0));
        CHECK_INT(tiny.bench.engine.packed, packed);
        CHECK_INT(tiny.bench.fit.prepared->fields.n, 43);
        for (uint32_t n = 0; n <= MXB__TINY_ROWS; n += 6) {
            for (uint32_t first = 0; first < 43; first += 8) {
                check_subtraction(&tiny, 200, (struct row_span){3 * n, 4 * n}, first);
            }
        }
        tiny_close(&tiny);
    }
}

int main(void) {
    RUN(wide_nodes);
    RUN(packed_nodes);
    RUN(the_lowest_bin_empty_or_not);
    RUN(subtraction_leaves_the_sibling);
    return check_report();
}
