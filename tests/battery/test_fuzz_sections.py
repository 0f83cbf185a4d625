"""The sections that fuzz and that change model files: what they count, and that what is broken is counted."""

import faulthandler
import os
import random
import signal
import subprocess
import time
import types

import pytest

# ---- Fuzz targets ----


def test_how_a_fuzz_target_ends_says_what_is_wrong(sections):
    failure_of = sections("fuzzing").failure_of
    for text, failure in (
        ("#7 NEW\nLEAK: 0 bytes before an input of 17, 64 after it\n", "leaks"),
        ("==1==ERROR: LeakSanitizer: detected memory leaks\n", "leaks"),
        ("HANG: 1.204 seconds for an input of 30 bytes\n==1== ERROR: libFuzzer: deadly signal\n", "hangs"),
        ("==1== ERROR: libFuzzer: timeout after 10 seconds\n", "hangs"),
        ("BLOW-UP: 99999999 bytes for an input of 9\n", "blow_ups"),
        ("==1== ERROR: libFuzzer: out-of-memory (malloc(4294967296))\n", "blow_ups"),
        ("SUMMARY: AddressSanitizer: allocation-size-too-big x.c:1:2 in f\n", "blow_ups"),
        ("SUMMARY: AddressSanitizer: heap-buffer-overflow x.c:1:2 in f\n", "crashes"),
        ("x.h:273: not so: status == MXB_OK\n", "crashes"),
        ("", "crashes"),
    ):
        assert failure_of(text) == failure


def test_executions_of_all_processes_count_and_failures_too(sections):
    count = sections("fuzzing").count_executions
    fine = (0, "stat::number_of_executed_units: 57644\nstat::average_exec_per_sec:     944\n")
    bad = (77, "HANG: 2 seconds for an input of 3 bytes\nstat::number_of_executed_units: 6\n")
    assert count("libfuzzer", [fine, bad]) == {
        "executions": 57650,
        "crashes": 0,
        "leaks": 0,
        "hangs": 1,
        "blow_ups": 0,
    }
    assert count("standalone", [(0, "20 files and 4000 mutations\n")])["executions"] == 4000


def test_every_target_has_a_title_and_a_corpus(sections, root):
    fuzzing, targets = sections("fuzzing"), sections("tools.fuzz_targets").FUZZ_TARGETS
    assert list(fuzzing.TITLES) == targets
    for target in targets:
        assert any((root / "tests/fuzz/corpus" / target).iterdir())


def test_processes_that_hang_are_ended(sections, monkeypatch, tmp_path):
    fuzzing = sections("fuzzing")
    monkeypatch.setattr(fuzzing, "LONGEST", 1)
    run = types.SimpleNamespace(folder=tmp_path, log=tmp_path / "log")
    with pytest.raises(subprocess.TimeoutExpired):
        fuzzing.run_beside([["sleep", 60]] * 2, run, "endless")


def test_too_few_executions_are_not_met(sections):
    fuzzing = sections("fuzzing")
    counts = {name: {"executions": n, "wrong": 0, "different": 0} for name, n in fuzzing.LEAST.items()}
    assert all(figure.is_met for figure in fuzzing.figures(counts, False))
    for name, n in fuzzing.LEAST.items():
        too_few = {**counts, name: {**counts[name], "executions": n - 1}}
        assert sum(not figure.is_met for figure in fuzzing.figures(too_few, False)) == 1
    assert (len(fuzzing.TITLES) + 1) * fuzzing.SECONDS < 3000  # which leaves time of an hour to build


@pytest.fixture
def corpora(sections, monkeypatch, tmp_path):
    """Folders of inputs, and the module whose merge takes all that are small enough."""
    targets = sections("tools.fuzz_targets")

    def merge(_target, into, folders, _options, _log):
        for folder in folders:
            for path in folder.iterdir():
                (into / path.name).write_bytes(path.read_bytes())

    for name in ("ROOT", "CORPUS", "FOUND"):
        monkeypatch.setattr(targets, name, tmp_path / name)
    monkeypatch.setattr(targets, "merge", merge)
    for folder in ("ROOT/tests/golden", "CORPUS/model", "CORPUS/csv", "FOUND/model", "FOUND/csv"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "ROOT/tests/golden/known.mxb").write_bytes(b"known")
    return targets


@pytest.mark.parametrize("target, kept", [("model", ["found-small", "found-whole"]), ("csv", ["found-small"])])
def test_small_inputs_are_kept_and_models_may_be_larger(corpora, target, kept):
    found = corpora.FOUND / target
    for name, n_bytes in (("small", 400), ("whole", 4096), ("large", 4097)):
        (found / name).write_bytes(bytes(n_bytes))
    assert corpora.keep_found(target, None) == len(kept)
    assert sorted(path.name for path in (corpora.CORPUS / target).iterdir()) == kept


def test_no_more_inputs_are_kept_than_may_be(corpora, monkeypatch):
    monkeypatch.setattr(corpora, "MOST_KEPT", 2)
    for i in range(3):
        (corpora.CORPUS / "csv" / f"found-{i}").touch()
        (corpora.FOUND / "csv" / f"new{i}").touch()
    assert corpora.keep_found("csv", None) == 0 and len(list((corpora.CORPUS / "csv").iterdir())) == 3


# ---- Models of ours ----


def test_changed_models_are_counted(sections, build, monkeypatch):
    mutants, run = sections("mutants"), types.SimpleNamespace(log=None, folder=None)
    said = []

    def run_program(command, _log, _folder, codes):
        ran = subprocess.run([*map(str, [command[0], 40, *command[2:]])], capture_output=True, text=True)
        assert ran.returncode in codes
        said.append(ran.stdout)
        return said[-1]

    monkeypatch.setattr(mutants, "build", lambda _preset, _log: build / "tests")
    monkeypatch.setattr(mutants, "run_program", run_program)
    counts = mutants.part(1).action(run)
    assert counts["of_bytes"] == counts["of_structure"] == 20 and counts["models"] >= 35
    assert counts["accepted_bytes"] == 0 and counts["most_bytes"] > 1000
    monkeypatch.setattr(mutants, "run_program", lambda *_a, **_k: said[0].replace("0 crashes, 0", "1 crashes, 2"))
    counts = mutants.part(1).action(run)
    assert counts["our_crashes"] == 1 and counts["our_hangs"] == 2


# ---- Models of others ----


@pytest.fixture
def broken(sections, tmp_path, monkeypatch):
    """How a process ended that loaded something, by what loading does."""
    peers = sections("peers_mutants")
    monkeypatch.setattr(peers, "SECONDS", 1)
    expected = peers.np.arange(3.0)

    def end_of(load):
        booster = types.SimpleNamespace(load=lambda _path: load(), predict=lambda model, _X: model)
        status = peers.in_a_child(lambda: peers.load_and_predict(booster, "", expected), tmp_path / "messages")
        return peers.name_end(status, tmp_path / "messages")

    return end_of


def raises(error):
    def load():
        raise error

    return load


def dies(number, message=""):
    def load():
        faulthandler.disable()  # pytest's
        os.write(2, message.encode())
        os.kill(os.getpid(), number)

    return load


@pytest.mark.parametrize(
    "load, end",
    [
        (lambda: [0.0, 1.0, 2.0], "same"),
        (lambda: [0.0, 1.0, 3.0], "different"),
        (raises(ValueError("not a model")), "refused"),
        (raises(ValueError("std::bad_alloc")), "blow_ups"),
        (raises(MemoryError()), "blow_ups"),
        (lambda: bytearray(5 << 30), "blow_ups"),
        (dies(signal.SIGSEGV), "crashes"),
        (dies(signal.SIGABRT, "terminate called after throwing an instance of 'std::bad_alloc'"), "blow_ups"),
        (lambda: time.sleep(60), "hangs"),
        (lambda: os._exit(0), "crashes"),
        (lambda: os._exit(1), "crashes"),
        (raises(SystemExit(1)), "crashes"),
    ],
)
def test_what_loading_does_is_told_from_its_end(broken, load, end):
    assert broken(load) == end


@pytest.fixture
def number_in_a_file(sections):
    """A booster whose model is a number; what else loading does is for the test to say."""

    class Booster(sections("peers").Booster):
        def __init__(self, end=lambda: None):
            self.end = end

        def fit(self, *_rows):
            return 1.0

        def save(self, model, path):
            with open(path, "w") as file:
                file.write(str(model))

        def load(self, path):
            self.end()
            with open(path) as file:
                return float(file.read())

        def predict(self, model, X):
            return [model] * len(X)

    return Booster


def test_the_unchanged_file_must_predict_the_same(sections, number_in_a_file, monkeypatch, tmp_path):
    peers = sections("peers_mutants")
    ends = set(peers.Mutants(number_in_a_file(), tmp_path, "txt").ends("numbers", range(20)))
    assert "different" in ends and not ends & {"blow_ups", "crashes", "hangs"}
    monkeypatch.setattr(peers, "ADDRESSES", 1 << 20)  # too few for anybody
    with pytest.raises(SystemExit, match=r"the unchanged file: (blow_ups|refused|crashes)"):
        peers.Mutants(number_in_a_file(), tmp_path, "txt")


def test_after_many_hangs_no_more_is_tried(sections, monkeypatch):
    monkeypatch.setattr(sections("peers"), "MOST_HANGS", 2)
    found = iter(["same", "hangs", "same", "hangs", "same"])
    assert sections("peers").count_ends(found) == {"same": 2, "hangs": 2} and list(found) == ["same"]
    mutants = sections("mutants")
    counts = {"tried": 150, "refused": 50, "hangs": 100, "blow_ups": 0, "crashes": 0, "different": 0, "version": "1.2"}
    figures = mutants.library_figures(counts, "XGBoost", "json", "bytes")
    assert all("of 150 model files" in each.title and "too many had hung" in each.title for each in figures)
    assert {each.full_title.partition(":")[0] for each in figures} == {"XGBoost .json 1.2"}


def test_ours_must_all_be_refused(sections):
    mutants = sections("mutants")
    ours = mutants.name_of("mixboost", "mxb", "bytes")
    counts = {
        mutants.name_of(*each): dict.fromkeys(["refused", "same", *mutants.ENDS], 0) | {"tried": 1000, "version": "1.2"}
        for each in mutants.LIBRARIES
    }

    def met(refused):
        counts[ours]["refused"] = refused
        (figure,) = (each for each in mutants.figures(counts, False) if each.title.endswith("refused") and each.must)
        return figure.is_met

    assert met(1000) and not met(999)


def test_edits_change_something_the_same_each_time(sections):
    peers = sections("peers_mutants")
    data = b'{"depth": 4, "weights": [0.25, -1e-3]}'
    for edit in peers.EDITS.values():
        edited = {edit(random.Random(seed), data) for seed in range(50)}
        assert len(edited) > 30 and edited == {edit(random.Random(seed), data) for seed in range(50)}
    assert all(text.startswith(b'{"depth": ') for text in edited)  # of `numbers`, the last one
