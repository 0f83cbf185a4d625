"""Figures of sections that must not be met where too little was done."""

import pytest


def missed(section, counts):
    return [figure.title for figure in section.figures(counts, False) if not figure.is_met]


def test_examples_do_not_count_twice(sections):
    numbers = sections("numbers_at_ends").NUMBERS
    part = {"trainings": 10000, "predictions": 1, "bad": 0, "repaired": 1, "failed": 0}
    counts = {"with many values": {**part, "examples": 26}, "sanitized": {**part, "examples": 25}}
    assert missed(numbers, counts) == []
    counts["with many values"]["examples"] = 25
    assert len(missed(numbers, counts)) == 1
    counts["with many values"] |= {"examples": 26, "failed": 1}
    assert missed(numbers, counts) == ["checks of all these that failed"]


@pytest.mark.parametrize(
    "name, least", [("torn", 30), ("resumed", 150), ("saves", 300), ("trainings", 300), ("states", 10000)]
)
def test_kills_must_come_at_all_moments(sections, name, least):
    kills = sections("kills")
    ours = {"saves": 300, "torn": 30, "trainings": 300, "resumed": 150, "states": 10000, "broken": 0, "failed": 0}
    others = {f"saves of {library}": {"lost": 0, "different": 0, "version": "1.2"} for library in kills.LIBRARIES}
    assert missed(kills.KILLS, {"ours": ours, **others}) == []
    assert len(missed(kills.KILLS, {"ours": {**ours, name: least - 1}, **others})) == 1


def test_journals_must_be_torn(sections):
    searches = sections("searches").SEARCHES
    ours = {"kills": 400, "torn": 40, "searches": 100, "failed": 0}
    assert missed(searches, {"ours": ours}) == []
    assert len(missed(searches, {"ours": {**ours, "torn": 39}})) == 1


def counts_of_identity(identity):
    n_made = len(identity.known(identity.ROOT)) * len(identity.usable_kernels()) * 16
    same = {"other models": 0, "other predictions": 0}
    counts = {f"build {i}": {"builds": 1, "threads": 16, "made": n_made, **same} for i in range(11)}
    counts |= {"package": {"made": 45, **same}, "program": {"made": 12, **same}}
    peer = {"models": 1, "predictions": 1, "by_a_file": 0, "by_pickles": 0, "version": "1.2"}
    return counts | {
        identity.name_of(library, loss): peer for library in identity.LIBRARIES for loss in identity.LOSSES
    }


def test_each_way_to_make_a_model_has_its_least(sections):
    identity = sections("bit_identity")
    known = set(missed(identity.IDENTITY, counts_of_identity(identity)))
    assert known <= {"sets of kernels"}  # where the processor has not all of them
    for part, name in (("package", "made"), ("program", "made"), ("build 3", "made"), ("build 3", "threads")):
        counts = counts_of_identity(identity)
        counts[part][name] -= 1
        assert len(set(missed(identity.IDENTITY, counts)) - known) == 1, (part, name)


def test_what_python_does_not_say_as_it_should_is_wrong(sections, monkeypatch):
    bad_input = sections("bad_input")
    monkeypatch.setattr(bad_input, "build_wheel", lambda _log: None)
    monkeypatch.setattr(bad_input, "ready_for_tests", lambda _versions, _log: {})
    monkeypatch.setattr(bad_input, "run_pytest", lambda *_a, **_k: {"passed": 5, "failed": 2})
    run = type("Run", (), {"log": None})
    assert bad_input.calls_in_python(run) == {"python": 7, "wrong": 2}


def test_memory_must_not_grow_in_c_nor_in_python(sections):
    soak = sections("soak")
    in_c = {"predictions": 10**6, "trainings": 1000, "growth": 0, "growth_of_trainings": 0, "left": 0, "failed": 0}
    in_c |= {"left_by_trainings": 0, "wrong": 0, "trained_wrong": 0}
    package = {"predictions": 10**6, "fits": 1000, "growth": 0, "growth_of_fits": 0, "wrong": 0, "trained_wrong": 0}
    load = {"threads": 64, "served": 100_000, "wrong": 0}
    loads = {soak.load_name(name): {**load, "beside": n} for name, n in soak.LOADS.items()}
    counts = {"soak": in_c, "package": package, **loads}
    assert missed(soak.SOAK, counts) == []
    for part, name in (("soak", "growth_of_trainings"), ("package", "growth"), ("package", "growth_of_fits")):
        grown = {**counts, part: {**counts[part], name: 2**20 + 1}}
        assert missed(soak.SOAK, grown) == ["bytes by which its memory grew"]
    assert len(missed(soak.SOAK, {**counts, "package": {**package, "fits": 999}})) == 1
    for preset, least in soak.LEAST_SERVED.items():
        name = soak.load_name(preset)
        (title,) = missed(soak.SOAK, {**counts, name: {**counts[name], "served": least - 1}})
        assert title.endswith(preset)


def test_what_must_hold_of_trainings_was_asked_often_enough(sections):
    trainings = sections("trainings").TRAININGS
    least = {"rounds": 200_000, "never_risen": 4_000, "same_leaves": 4_000, "same_scores": 5_000}
    part = {"trainings": 20_000, "large": 200, "refused": 2_000, "failed": 0, **least}
    assert missed(trainings, {"all": part}) == []
    for name, n in least.items():
        assert len(missed(trainings, {"all": {**part, name: n - 1}})) == 1
    assert len(missed(trainings, {"all": {**part, "refused": 2_001}})) == 1


def test_growth_of_a_process_is_seen(sections, capsys):
    check_growth, kept = sections("soak_in_python").check_growth, []
    check_growth("calls", 401, lambda i: i != 7)
    check_growth("calls", 401, lambda i: kept.append(bytes(20_000)) is None)
    steady, growing = (
        [int(word) for word in line.split() if word.isdigit()] for line in capsys.readouterr().out.splitlines()
    )
    assert steady[:2] == [401, 1] and steady[2] < 2**20
    assert growing[:2] == [401, 0] and growing[2] > 2**21
