"""The pictures: who stands where, and that the same figures make the same bytes."""

import re

import pytest


@pytest.fixture
def pictures(module):
    return module("pictures")


@pytest.fixture
def draw(pictures, tmp_path):
    """Draws twice; returns the text of the picture, or None where there was nothing to draw."""

    def run(function, of):
        paths = [tmp_path / "some" / "one.svg", tmp_path / "two.svg"]
        for path in paths:
            path.unlink(missing_ok=True)
        drawn = [function(path, of) for path in paths]
        assert drawn == [path.exists() for path in paths]
        if not drawn[0]:
            return None
        one, two = (path.read_text() for path in paths)
        assert one == two and "dc:date" not in one
        return one

    return run


def texts_of(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def n_bars_over_groups(svg):
    return len(re.findall(r"stroke-width: 4[;\"]", svg))


def losses_of(**rows):
    return {who: {str(i): loss for i, loss in enumerate(row)} for who, row in rows.items()}


def test_the_diagram_of_the_published_losses(pictures, draw, module):
    svg = draw(pictures.critical_differences, module("published").OPENML_LOSSES)
    assert {"SnapBoost  1.20", "LightGBM  2.20", "2.60  XGBoost", "1", "2", "3"} <= set(texts_of(svg))
    assert "critical difference 1.05; average ranks over 10 sets, 1 is the best" in texts_of(svg)
    assert n_bars_over_groups(svg) == 2  # the difference of 1 is below the critical one, that of 1.4 is not


def test_those_that_differ_have_no_bar(pictures, draw):
    alike, apart = losses_of(a=[1, 2, 1, 2], b=[2, 1, 2, 1]), losses_of(a=[1] * 9, b=[2] * 9)
    assert n_bars_over_groups(draw(pictures.critical_differences, alike)) == 1
    assert n_bars_over_groups(draw(pictures.critical_differences, apart)) == 0


def test_without_two_sets_and_two_contestants_nothing_is_drawn(pictures, draw):
    for losses in ({}, losses_of(a=[1, 2, 3]), losses_of(a=[1], b=[2]), {"a": {"x": 1.0}, "b": {"y": 1.0}}):
        assert draw(pictures.critical_differences, losses) is None


def test_boxes_have_those_with_losses(pictures, draw):
    losses = {"Rossmann": {"XGBoost": [3.0, 4.0, 5.0], "SB": [1.0], "KTBoost": []}, "none": {"SB": []}}
    svg = draw(pictures.boxes, losses)
    assert {"Rossmann", "XGBoost", "SB"} <= set(texts_of(svg)) and not {"KTBoost", "none"} & set(texts_of(svg))
    assert pictures.OUR_COLOUR in svg and pictures.PEER_COLOUR in svg
    assert draw(pictures.boxes, {"none": {}}) is None


def test_bars_tell_times_and_are_logarithmic_where_needed(pictures, draw):
    svg = draw(pictures.bars, {"near": {"XGBoost": 5400.0, "SB": 600.0}, "far": {"XGBoost": 90000.0, "SB": 60.0}})
    assert {"near", "far", "1.5 h", "10 min", "25 h", "1 min", "seconds", "seconds, logarithmic"} <= set(texts_of(svg))
    assert draw(pictures.bars, {}) is None


def test_times_have_the_unit_that_fits(pictures):
    assert [pictures.time_text(s) for s in (0.25, 59.0, 90.0, 3600.0, 86400.0)] == [
        "0.25 s",
        "59 s",
        "1.5 min",
        "1 h",
        "24 h",
    ]


def test_only_ours_have_our_colour(pictures):
    ours = ["ours (paper space)", "ours (default space)", "SB", "SB-T"]
    assert {pictures.colour_of(who) for who in ours} == {pictures.OUR_COLOUR}
    assert {pictures.colour_of(who) for who in ("XGBoost", "snapml", "KTBoost")} == {pictures.PEER_COLOUR}


def test_curves_have_a_panel_for_each_loss_and_mass_function(pictures, draw, module):
    convergence = module("convergence")
    svg = draw(pictures.curves, convergence.follow_all(n_rounds=4, n_repeats=5))
    found = [text for text in texts_of(svg) if "Θ" in text]
    assert len(found) == 8 and "squared loss, trees alone: Θ = 0" in found
    assert "bound of Theorem 1" in texts_of(svg) and draw(pictures.curves, []) is None
