/* Cells of runs of fields, against sums over the rows one by one. */
#include "learner/tree/tree_cells.h"

#include "check.h"
#include "unit/learner/make_engine.h"

static int64_t naive_cell(const struct tree_engine *engine, struct row_span span, uint32_t field, unsigned code,
                          int want_h) {
    int64_t sum = 0;
    for (uint32_t i = span.begin; i < span.end; i++) {
        uint32_t row = engine->rows[i];
        if (*(mxb__prepared_records(engine->input->prepared, field) + (size_t)row * MXB__PANEL) == code) {
            struct gradient_sum of_row = engine->packed ? mxb__unpacked(engine->words[row]) : engine->sums[row];
            sum += want_h ? of_row.h : of_row.g;
        }
    }
    return sum;
}

static size_t n_wrong(const struct tree_engine *engine, struct row_span span, struct field_run run,
                      const uint64_t *cells) {
    size_t wrong = 0;
    for (uint32_t f = 0; f < run.n; f++) {
        for (unsigned code = 0; code < MXB__MAX_BINS; code++) {
            size_t at = mxb__cells_words(engine, f) + code * (engine->packed ? 1 : 2);
            struct gradient_sum cell = engine->packed
                                           ? mxb__unpacked(cells[at])
                                           : (struct gradient_sum){(int64_t)cells[at], (int64_t)cells[at + 1]};
            wrong += cell.g != naive_cell(engine, span, run.first + f, code, 0);
            wrong += cell.h != naive_cell(engine, span, run.first + f, code, 1);
        }
    }
    return wrong;
}

static void check_runs(struct bench *bench, struct row_span span) {
    struct tree_engine *engine = &bench->engine;
    struct engine_node node = {.rows = span};
    mxb__cells_build_by_threads(engine, &node);
    for (size_t next = 0; next < engine->n_groups;) {
        struct field_run run = mxb__cells_next_run(engine, &next, engine->n_groups);
        size_t n = mxb__cells_words(engine, run.n);
        uint64_t *alone = calloc(n, sizeof *alone);
        uint64_t *together = calloc(n, sizeof *together);
        memset(alone, 0x5a, n * sizeof *alone);
        memset(together, 0xa5, n * sizeof *together);
        mxb__cells_build(engine, &node, run, alone);
        mxb__cells_gather(engine, run, together);
        CHECK_INT(n_wrong(engine, span, run, alone), 0);
        CHECK_INT(memcmp(alone, together, n * sizeof *alone), 0);
        mxb__cells_subtract(together, alone, n);
        for (size_t i = 0; i < n; i++) {
            CHECK(together[i] == 0);
        }
        free(alone);
        free(together);
    }
}

static void check_data(struct data_recipe recipe, uint32_t threads, double colsample, int packed) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.tree_n_threads = threads;
    options.colsample = colsample;
    REQUIRE(bench_open(&bench, recipe, options, 6));
    bench_begin(&bench, 1);
    CHECK_INT(bench.engine.packed, packed);
    uint32_t n = (uint32_t)recipe.n_rows;
    check_runs(&bench, (struct row_span){0, n});
    check_runs(&bench, (struct row_span){n / 3, n / 2});
    bench_close(&bench);
}

static void cells_are_sums_over_rows(void) {
    for (uint32_t threads = 2; threads <= 4; threads++) {
        check_data((struct data_recipe){.n_rows = 16400, .n_features = 5, .seed = 3}, threads, 1.0, 0);
        check_data((struct data_recipe){.n_rows = 66000, .n_features = 2, .seed = 4, .missing = 0.1}, threads, 1.0, 1);
    }
    check_data((struct data_recipe){.n_rows = 16400, .n_features = 100, .seed = 5}, 2, 0.1, 0);
}

/* Every listed group is in one run, runs end at gaps and at panels, and the last one at the last field. */
static void runs_cover_the_groups(void) {
    struct bench bench;
    struct learner_options options = fit_options();
    options.colsample = 0.05;
    REQUIRE(bench_open(&bench, (struct data_recipe){.n_rows = 500, .n_features = 301, .seed = 6}, options, 256));
    CHECK_INT(bench.fit.prepared->fields.n, 301);
    for (uint32_t round = 1; round <= 50; round++) {
        bench_begin(&bench, round);
        const struct tree_engine *engine = &bench.engine;
        size_t covered = 0;
        for (size_t next = 0; next < engine->n_groups;) {
            size_t before = next;
            struct field_run run = mxb__cells_next_run(engine, &next, engine->n_groups);
            CHECK_INT(run.first, 8 * engine->groups[before]);
            CHECK_INT(mxb__n_blocks(run.n, MXB__GROUP), next - before);
            CHECK_INT(run.first / MXB__PANEL, (run.first + run.n - 1) / MXB__PANEL);
            CHECK(run.first + run.n <= 301);
            int ends = next == engine->n_groups || engine->groups[next] != engine->groups[next - 1] + 1 ||
                       engine->groups[next] % MXB__PANEL_GROUPS == 0;
            CHECK(ends);
            covered += next - before;
        }
        CHECK_INT(covered, engine->n_groups);
    }
    bench_close(&bench);
}

int main(void) {
    RUN(cells_are_sums_over_rows);
    RUN(runs_cover_the_groups);
    return check_report();
}
