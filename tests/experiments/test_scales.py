"""What is done at each scale."""

import pytest


@pytest.fixture
def scales(module):
    return module("scales")


@pytest.mark.parametrize(
    "experiment, scale, sizes",
    [
        ("openml", "full", [512, 128]),
        ("openml", "medium", [128, 32]),
        ("openml", "small", [16, 4]),
        ("openml", "confirm", [16, 4]),
        ("node", "full", [1000, 250, 62]),
        ("node", "small", [16, 4, 1]),
        ("kaggle", "full", [256, 64, 16]),
        ("kaggle", "medium", [64, 16, 4]),
        ("kaggle", "small", [16, 4, 1]),
    ],
)
def test_the_papers_configurations_or_fewer(scales, experiment, scale, sizes):
    stages = scales.stages_of(scales.EXPERIMENTS[experiment], scales.SCALES[scale])
    assert [stage.n_configs for stage in stages] == sizes and stages[-1].resource == 1


def test_everybody_takes_part(scales):
    rivals = ["XGBoost", "LightGBM", "CatBoost"]
    stopping = ["XGBoost (stopping)", "LightGBM (stopping)"]
    ours = ["ours (paper space)", "ours (default space)"]
    assert [*scales.EXPERIMENTS["openml"].contestants] == [*rivals, "snapml", *stopping, *ours]
    assert [*scales.EXPERIMENTS["node"].contestants] == [*rivals, *stopping, *ours]
    kaggle = scales.EXPERIMENTS["kaggle"].contestants
    assert [*kaggle] == [*rivals, "KTBoost", "SB-T", "SB", "ours (default space)"]
    assert kaggle["SB-T"].options == {"tree_probability": 1.0} and kaggle["SB"].options == {}
    assert scales.EXPERIMENTS["node"].contestants["ours (paper space)"].space == "paper-node"
    for name in ("XGBoost", "XGBoost (stopping)"):
        assert scales.EXPERIMENTS["node"].contestants[name].space["max_depth"].highest == 8


def test_one_scale_alone_has_other_folds_and_is_else_the_small_one(scales):
    assert scales.SCALES["confirm"] == scales.SCALES["small"]._replace(deal=1)
    assert {name for name, scale in scales.SCALES.items() if scale.deal == 0} == {"full", "medium", "small"}


def test_sets_are_those_of_the_published_tables(scales, module):
    published = module("published")
    assert scales.EXPERIMENTS["openml"].sets == [*published.OPENML_LOSSES[published.SNAPBOOST]]
    assert scales.EXPERIMENTS["node"].sets == [*published.NODE_LOSSES[published.SNAPBOOST]]
