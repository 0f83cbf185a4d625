"""The battery itself: what is kept, what is done again, figures and their table."""

import dataclasses
import json
import sys

import pytest


@pytest.fixture
def battery(root, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(root)
    monkeypatch.syspath_prepend(root / "tests" / "battery")
    import battery

    monkeypatch.setattr(battery, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(battery, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(battery, "digest_of_sources", lambda: "these")
    return battery


@pytest.fixture
def made_up(battery):
    """A section of two parts, the second of which fails where it is told to; what was done."""
    done = []

    def part(name):
        def action(run):
            if name in done.failing:
                raise KeyboardInterrupt
            done.append((name, run.is_short))
            return {"things": 3, "most": len(name)}

        return battery.Part(name, action)

    class Done(list):
        failing = ()

    done = Done()
    section = battery.Section(
        "made-up",
        "A title",
        lambda is_short: [part("a")] if is_short else [part("a"), part("bb")],
        lambda counts, is_short: [
            battery.Figure("things", battery.total(counts, "things"), "= 3" if is_short else "= 6"),
            battery.Figure("most", battery.largest(counts, "most"), "≤ 1"),
            battery.Figure("told alone", 0.25),
        ],
    )
    return section, done


def test_a_figure_is_met_or_not(battery):
    for must, measured, is_met in (
        ("= 0", 0, True),
        ("= 0", 1, False),
        ("≥ 5", 5, True),
        ("≤ 5", 6, False),
        ("", 7, True),
    ):
        assert battery.Figure("x", measured, must).is_met is is_met
    with pytest.raises(KeyError):
        battery.Figure("x", 1, "< 5").is_met  # noqa: B018


def test_a_run_that_was_stopped_goes_on(battery, made_up):
    section, done = made_up
    done.failing = ("bb",)
    with pytest.raises(KeyboardInterrupt):
        battery.run_full(section)
    assert done == [("a", False)] and not battery.RESULTS.exists()
    done.failing = ()
    figures = battery.run_full(section)
    assert done == [("a", False), ("bb", False)] and [figure.measured for figure in figures] == [6, 2, 0.25]
    assert battery.run_full(section) == figures and len(done) == 2


def test_other_sources_do_it_all_again(battery, made_up, monkeypatch):
    section, done = made_up
    battery.run_full(section)
    monkeypatch.setattr(battery, "digest_of_sources", lambda: "others")
    battery.run_full(section)
    assert len(done) == 4


def test_a_line_that_was_being_written_does_not_count(battery, made_up):
    section, done = made_up
    battery.run_full(section)
    path = battery.KEPT / "made-up.jsonl"
    path.write_text(path.read_text()[:-3])
    battery.run_full(section)
    assert [name for name, _ in done] == ["a", "bb", "bb"]


def test_the_short_form_keeps_nothing(battery, made_up):
    section, done = made_up
    figures = battery.run_short(section)
    assert done == [("a", True)] and [figure.is_met for figure in figures] == [True, True, True]
    assert not battery.RESULTS.exists() and not battery.KEPT.exists()
    nothing = dataclasses.replace(section, parts=lambda _is_short: [])
    assert battery.run_short(nothing) == []


def test_the_table_has_every_figure_and_what_is_not_met(battery, made_up):
    battery.run_full(made_up[0])
    result = json.loads((battery.RESULTS / "made-up.json").read_text())
    assert result["command"] == "./dev battery made-up" and result["date"] and result["machine"]
    page = battery.summary()
    assert "| A title | things | 6 | = 6 | yes |" in page and "|  | most | 2 | ≤ 1 | **no** |" in page
    assert "|  | told alone | 0.25 |  |  |" in page


def test_digests_are_of_what_the_sources_say(root, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(root)
    monkeypatch.syspath_prepend(root / "tests" / "battery")
    sys.modules.pop("battery", None)
    import battery

    monkeypatch.setattr(battery, "ROOT", tmp_path)
    monkeypatch.setattr(battery, "RESULTS", tmp_path / "tests" / "battery" / "results")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.c").write_text("int a;")
    digests = [battery.digest_of_sources()]
    (tmp_path / "src" / "a.c").write_text("int b;")
    digests.append(battery.digest_of_sources())
    battery.RESULTS.mkdir(parents=True)
    (battery.RESULTS / "x.json").write_text("{}")
    assert battery.digest_of_sources() == digests[1] != digests[0]
