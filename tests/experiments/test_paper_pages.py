"""Pages of records that are made up."""

import pytest


@pytest.fixture
def pages(module):
    return module("paper_pages")


@pytest.fixture
def make(module):
    records = module("records")

    def make_records(experiment, contestant, a_set, losses, scale="small", by_seed=False, **more):
        found = []
        for i, loss in enumerate(losses):
            fold, seed = (0, i) if by_seed else (i, 0)
            figures = {"tuning_seconds": 360.0, "fit_seconds": 36.0, "n_trials": 20, "n_processors": 2}
            figures |= {"machine": "a machine", "date": "2026-01-02", "version": "1.0", **more}
            key = records.Key(experiment, scale, a_set, contestant, fold, seed)
            found.append(records.Record(key, loss, **figures))
        return found

    return make_records


def experiment_of(module, name):
    return module("scales").EXPERIMENTS[name]


def row_of(page, name, n=0):
    """The cells of the n-th row of the page that has this name."""
    rows = [line for line in page.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in rows[n].strip("|").split("|")]


def test_losses_stand_beside_the_published_ones(pages, module, make, tmp_path):
    records = make("openml", "XGBoost", "pol", [0.1, 0.2, 0.3]) + make("openml", "snapml", "pol", [0.1] * 3)
    records += make("openml", "XGBoost", "letter", [0.02] * 3) + make(
        "openml", "snapml", "letter", [0.03] * 3, n_failed=4
    )
    page = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    assert row_of(page, "pol") == ["pol", "0.03632", "0.03597", "0.03451", "0.2", "**0.1**"]
    assert row_of(page, "letter")[4:] == ["**0.02**", "0.03"]
    assert row_of(page, "average rank of those published")[1:] == ["2.60", "2.20", "1.20", "", ""]
    assert row_of(page, "average rank")[1:] == ["", "", "", "1.50", "1.50"]
    assert row_of(page, "XGBoost")[1:] == ["1 of 2", "1 of 2", "1 of 2"]
    assert row_of(page, "trials that failed")[1:] == ["0 of 120", "12 of 120"]
    # Three searches of 6 minutes, and 36 s of training each, by two processors.
    assert row_of(page, "pol", 1)[1:] == ["0.3 (0.165)", "0.3 (0.165)"]
    assert row_of(page, "all 2 sets")[1:] == ["0.6 (0.33)", "0.6 (0.33)"]
    assert "## Scale small" in page and "16 on 0.25 of the rows, 4 on 1 of the rows" in page
    absent = ["LightGBM", "CatBoost", "XGBoost (stopping)", "LightGBM (stopping)", "ours (paper space)"]
    assert f"Not run: {', '.join(absent)}, ours (default space), CreditCardSubset, eeg-eye" in page
    assert "Friedman test of 3 contestants over 10 sets" in page.split("## The published losses")[1]
    assert "\n2026-01-02. XGBoost 1.0, snapml 1.0.\na machine.\n" in page
    assert "Wilcoxon" in page and "openml-small-ranks.svg" in page
    assert {path.name for path in tmp_path.iterdir()} == {"openml-small-time.svg", "openml-small-ranks.svg"}


def test_what_is_not_finished_has_no_loss(pages, module, make, tmp_path):
    records = make("openml", "XGBoost", "pol", [0.1, 0.2]) + make("openml", "snapml", "pol", [0.4] * 3)
    records += make("openml", "CatBoost", "pol", [None], error="over 8 h")
    page = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    assert row_of(page, "pol")[4:] == ["2 of 3", "over 8 h", "0.4"]  # the least of one is none to show
    assert "CatBoost" not in page.split("### Significance")[1]
    assert [cell[0] for cell in row_of(page, "pol", 1)[1:]] == ["≥", "≥", "0"]


def test_each_scale_has_its_section_and_versions_that_differ_are_told(pages, module, make, tmp_path):
    records = make("openml", "XGBoost", "pol", [0.1] * 3, scale="full")
    records += make("openml", "XGBoost", "pol", [0.2] * 3) + make(
        "openml", "XGBoost", "letter", [0.2] * 3, version="2.0"
    )
    page = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    full, small = page.split("## Scale ")[1:]
    assert full.startswith("full") and small.startswith("small")
    assert row_of(full, "pol")[4] == "0.1" and row_of(small, "pol")[4] == "0.2"
    assert "mixed: XGBoost" in small and "mixed" not in full


def test_machines_that_differ_are_told_with_who_ran_on_them(pages, module, make, tmp_path):
    records = make("openml", "XGBoost", "pol", [0.1] * 3) + make("openml", "snapml", "pol", [0.2] * 3)
    alike = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    records += make("openml", "snapml", "letter", [0.1] * 3, machine="another, 2 processors")
    page = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    told = "Hours of several machines are not to be compared:\n\n"
    told += "- XGBoost, snapml: a machine\n- snapml: another, 2 processors\n"
    assert told in page and "several machines" not in alike


def test_contestants_that_lack_sets_are_ranked_on_those_that_all_have(pages, module, make, tmp_path):
    records = []
    for i, who in enumerate(("XGBoost", "LightGBM", "snapml")):
        for a_set in ("pol", "letter", "nursery") if who != "LightGBM" else ("pol", "letter"):
            records += make("openml", who, a_set, [0.1 + i / 100] * 3)
    page = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    assert row_of(page, "average rank")[4:] == ["1.00", "", "2.00"]
    assert row_of(page, "average rank, the 2 sets that all have")[1:] == ["", "", "", "1.00", "2.00", "3.00"]
    assert "Over the sets that all have: Friedman test of 3 contestants over 2 sets" in page
    digest = pages.make_digest(experiment_of(module, "openml"), records, tmp_path, "")
    assert "Friedman test of 3 contestants over 2 sets" in digest and "| XGBoost < snapml | 3 : 0 | 3 |" in digest
    assert "](openml-small-ranks.svg)" in page and "](openml-small-ranks.svg)" in digest
    without = [record for record in records if record.key.set != "nursery"]
    assert "that all have" not in pages.make_page(experiment_of(module, "openml"), without, tmp_path)


def test_two_who_lack_sets_are_too_few_for_the_test_of_all(pages, module, make, tmp_path):
    records = [r for a_set in ("pol", "letter", "nursery") for r in make("openml", "XGBoost", a_set, [0.1] * 3)]
    records += [r for a_set in ("pol", "letter") for r in make("openml", "snapml", a_set, [0.2] * 3)]
    page = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    assert "Over the sets that all have" not in page and "](openml-small-ranks.svg)" in page


def test_pictures_of_results_that_are_gone_are_removed(pages, module, make, tmp_path):
    records = [r for who in ("XGBoost", "snapml") for a in ("pol", "letter") for r in make("openml", who, a, [0.1] * 3)]
    experiment = experiment_of(module, "openml")
    pages.make_page(experiment, records, tmp_path)
    assert "ranks.svg" in pages.make_digest(experiment, records, tmp_path, "")
    alone = records[:6]
    assert "ranks.svg" not in pages.make_page(experiment, alone, tmp_path)
    assert "ranks.svg" not in pages.make_digest(experiment, alone, tmp_path, "")


def test_ours_alone_are_not_drawn_by_rank(pages, module, make, tmp_path):
    ours = ("ours (paper space)", "ours (default space)")
    records = [r for who in ours for a in ("pol", "letter") for r in make("openml", who, a, [0.1] * 3)]
    pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"openml-small-time.svg"}


def test_other_folds_and_other_patience_are_told(pages, module, make, tmp_path):
    records = make("openml", "XGBoost", "pol", [0.1] * 3) + make("openml", "XGBoost", "pol", [0.1] * 3, scale="confirm")
    small, confirm = pages.make_page(experiment_of(module, "openml"), records, tmp_path).split("## Scale ")[1:]
    assert "3 outer folds, dealt by another seed" in confirm and "another seed" not in small
    records = make("kaggle", "XGBoost", "rossmann", [0.1] * 3, by_seed=True)
    page = pages.make_page(experiment_of(module, "kaggle"), records, tmp_path)
    assert "after 10 rounds; of our default space after 50, of KTBoost never." in page


def test_searches_that_the_defaults_won_are_counted(pages, module, make, tmp_path):
    records = make("openml", "ours (default space)", "pol", [0.1] * 3, options={"learning_rate": "auto"})
    records += make("openml", "ours (default space)", "letter", [0.1] * 3, options={"learning_rate": 0.1})
    records += make("openml", "ours (paper space)", "pol", [0.1] * 3, options={"learning_rate": 0.1})
    page = pages.make_page(experiment_of(module, "openml"), records, tmp_path)
    assert "The untuned defaults won 3 of our default space's 6 searches." in page
    assert "untuned defaults won" not in pages.make_page(experiment_of(module, "openml"), records[6:], tmp_path)


def test_seeds_have_a_mean_and_a_deviation_and_share_a_search(pages, module, make, tmp_path):
    records = make("kaggle", "SB", "rossmann", [600, 601, 602], by_seed=True)
    records += make("kaggle", "SB-T", "rossmann", [610, 610, 610], by_seed=True)
    page = pages.make_page(experiment_of(module, "kaggle"), records, tmp_path)
    assert row_of(page, "rossmann") == ["rossmann", "627.5", "659.7", "610 ± 0", "**601** ± 1"]
    assert row_of(page, "rossmann", 1)[3:] == ["0.1 (0.065)", "0.1 (0.065)"]
    assert row_of(page, "trials that failed")[3:] == ["0 of 20", "0 of 20"]
    assert "Significance" not in page and "kaggle-small-losses.svg" in page
    assert "Not run: XGBoost, LightGBM, CatBoost, KTBoost, ours (default space), credit card, nycflights13." in page


def test_parkinsons_is_shown_and_not_counted(pages, module, make, tmp_path):
    records = [record for name in ("parkinsons", "ailerons") for record in make("node", "XGBoost", name, [0.00015] * 2)]
    page = pages.make_page(experiment_of(module, "node"), records, tmp_path)
    assert row_of(page, "parkinsons")[3] == "0.00015" and row_of(page, "XGBoost")[1:] == ["1 of 1", "1 of 1"]
    assert row_of(page, "ailerons", 1)[1:3] == ["38.25", "0.34"]


def test_the_digest_has_totals_of_those_who_finished(pages, module, make, tmp_path):
    records = make("openml", "XGBoost", "pol", [0.1, 0.2, 0.3]) + make("openml", "snapml", "pol", [0.1] * 3)
    records += make("openml", "snapml", "letter", [0.03] * 3, n_failed=4)
    (tmp_path / "openml-small-time.svg").touch()
    digest = pages.make_digest(experiment_of(module, "openml"), records, tmp_path, "there/")
    assert row_of(digest, "all 2 sets")[1:] == ["", "0.6 (0.33)"]
    assert row_of(digest, "trials that failed")[1:] == ["0 of 60", "12 of 120"]
    assert row_of(digest, "pol")[4:] == ["0.2", "**0.1**"]
    assert "\n### Scale small\n" in digest and "](there/openml-small-time.svg)" in digest
    published = digest.split("### The published losses")[1]
    assert "**p = 0.00135**" in published and "| SnapBoost < XGBoost | 10 : 0 | 10 | 0.0025 | 0.0039 |" in published


@pytest.mark.parametrize("name", ["openml", "node", "kaggle"])
def test_the_document_shows_the_results(pages, module, root, name):
    run_paper, results = module("run_paper"), root / "experiments/paper/results"
    records = list(module("records").RecordFile(results / f"{name}.jsonl").known.values())
    digest = pages.make_digest(experiment_of(module, name), records, results, run_paper.LINK)
    assert module("places").part_of_page(run_paper.DOCUMENT, f"./dev experiments {name}") == digest


@pytest.mark.parametrize("name", ["openml", "node", "kaggle"])
def test_the_pages_are_those_of_the_results(pages, module, root, tmp_path, name):
    results = root / "experiments/paper/results"
    records = list(module("records").RecordFile(results / f"{name}.jsonl").known.values())
    assert pages.make_page(experiment_of(module, name), records, tmp_path) == (results / f"{name}.md").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in results.glob(f"{name}-*-*.svg")}


@pytest.mark.parametrize("name", ["openml", "node"])
def test_the_pages_of_other_shuffles_are_those_of_their_results(module, root, name):
    spread = module("run_spread")
    assert spread.page(name) == (root / f"experiments/paper/results/{name}-spread.md").read_text()
    shown = module("places").part_of_page(spread.DOCUMENT, f"./dev experiments spread {name}")
    assert shown == spread.digest(name)


def test_the_readme_shows_ranks_of_the_document(pages, module, root):
    readme = (root / "README.md").read_text().partition("\n**Tuned**")[2].partition("\n**Without tuning**")[0]
    titles = {"ours (default space)": "mixboost, its own space"}
    titles["ours (paper space)"] = "mixboost, the paper's learner and space"
    shown = [(name, scale) for name in ("openml", "node") for scale in ("small", "confirm")]
    for column, (name, scale) in enumerate(shown, 1):
        experiment = experiment_of(module, name)
        records = list(module("records").RecordFile(root / f"experiments/paper/results/{name}.jsonl").known.values())
        ranks = module("significance").average_ranks(pages.losses_of(pages.cells_of(experiment, records, scale)))
        assert "ours (default space)" in ranks
        for who, rank in ranks.items():
            starts = tuple(f"| {titles.get(who, who)}{end}" for end in (" |", ", of whose"))
            (row,) = (line for line in readme.splitlines() if line.startswith(starts))
            assert row.strip("|").split("|")[column].strip() == f"{rank:.2f}"
