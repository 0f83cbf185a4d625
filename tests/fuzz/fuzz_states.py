"""States of fitted estimators, as pickles carry them, changed at random.

`__setstate__` refuses one with a ValueError or a TypeError, or takes it, and then everything works or raises such an
error.

    fuzz_states.py [--seconds S] [--count N] [--seed FIRST]

Runs on an installed package. States are tried in child processes, so that one that a process does not survive is
counted and the next one goes on. A failure names its seed; `--count 1 --seed SEED` repeats it.
"""

from __future__ import annotations

import argparse
import ctypes
import mmap
import os
import pickle
import random
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from mixboost import (
    HeterogeneousBoostingClassifier,
    HeterogeneousBoostingRegressor,
    MixBoostClassifier,
    MixBoostRegressor,
)
from mixboost._predictor import _of_bytes
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

A_CHILD = 500  # states
SECONDS = 1  # of processor time, for a state
MOST_BYTES, A_BYTE = 64 << 20, 4  # of memory
ALLOWED = (ValueError, TypeError)

State = dict[Any, Any]


# ---- What is fitted -------------------------------------------------------------------------------------------------


class Subject(NamedTuple):
    """An estimator's class, its state, and rows for it."""

    kind: Any
    state: State
    X: Any


def make_subjects() -> list[Subject]:
    numbers = np.random.default_rng(0)
    X = numbers.uniform(-3, 3, (60, 3))
    y = np.sin(X[:, 0]) + (X[:, 1] > 0)
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(town=np.array(["Oslo", "Rome", None] * 20, object))
    few = {"num_round": 6, "n_components": 8, "n_projections": 2, "max_max_depth": 3, "symmetric_depth": 2}
    learners = [(0.5, DecisionTreeRegressor(max_depth=2)), (0.5, Ridge())]
    fitted = [
        (MixBoostRegressor(**few, validation_fraction=0.3).fit(X, y), X),
        (MixBoostRegressor(**few, tree_probability=1.0).fit(frame, y), frame),
        (MixBoostClassifier(**few).fit(X, (y > 0.5).astype(int)), X),
        (MixBoostClassifier(**few).fit(frame, np.where(y > 0.5, "yes", "no")), frame),
        (HeterogeneousBoostingRegressor(learners, num_round=4).fit(X, y), X),
        (HeterogeneousBoostingRegressor(num_round=3).fit(X, y), X),
        (HeterogeneousBoostingClassifier(learners, num_round=4).fit(frame[["a", "b"]], y > 0.5), frame[["a", "b"]]),
    ]
    return [Subject(type(model), model.__getstate__(), rows[:5]) for model, rows in fitted]


# ---- Changes --------------------------------------------------------------------------------------------------------


def crc64_table() -> list[int]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xC96C5795D7870F42 if value & 1 else 0)
        table.append(value)
    return table


CRC64 = crc64_table()


def crc64(data: bytes) -> int:
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC64[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFFFFFFFFFF


def change_bytes(dice: random.Random, data: bytes) -> bytes:
    """One to eight bytes."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, 8)):
        changed[dice.randrange(len(changed))] ^= dice.randint(1, 255)
    return bytes(changed)


def change_section(dice: random.Random, data: bytes) -> bytes:
    """Bytes or a number of a section of a model file, whose checksums are put right (docs/model-format.md)."""
    changed = bytearray(data)
    (n_sections,) = struct.unpack_from("<I", changed, 12)
    entry = 24 + 32 * dice.randrange(n_sections)
    at, length = struct.unpack_from("<QQ", changed, entry + 8)
    place = at + dice.randrange(min(length, 40) if dice.random() < 0.5 else length)
    if dice.random() < 0.5 and place + 4 <= at + length:
        struct.pack_into("<I", changed, place, dice.choice([0, 1, 2, 255, 65536, 0x7FFFFFFF, 0xFFFFFFFF]))
    else:
        changed[place] ^= dice.randint(1, 255)
    struct.pack_into("<Q", changed, entry + 24, crc64(bytes(changed[at : at + length])))
    header = 24 + 32 * n_sections
    struct.pack_into("<Q", changed, header, crc64(bytes(changed[:header])))
    return bytes(changed)


def junk(dice: random.Random) -> Any:
    """Something of another kind."""
    made: list[Callable[[], Any]] = [
        lambda: None,
        lambda: dice.choice([0, -1, 1, 2, 7, 2**31, 2**63, 10**30, -(2**40), True]),
        lambda: dice.choice([0.5, -1.0, 1e308, float("nan"), float("inf"), 1j]),
        lambda: dice.choice(["", "auto", "a", "\0", "ü" * 100, "\ud800", "mse", "10"]),
        lambda: dice.choice([b"", b"a", bytes(1000), bytearray(b"\x89MXB"), memoryview(b"\x89MXB")]),
        lambda: dice.choice([[], (), {}, set(), [1], [None, None], ["a", "b"], {"a": 1}, [[1, 2], [3, 4]]]),
        lambda: dice.choice(
            [np.array([]), np.array([1, 2]), np.array(["x", "y"]), np.array([None, 1], object), np.array(3), np.eye(2)]
        ),
        lambda: dice.choice([object(), len, int, Exception("x"), slice(1), range(3), np.float32(2), np.str_("s")]),
        lambda: (ctypes.c_char * 8)(),
    ]
    return dice.choice(made)()


def change_list(dice: random.Random, value: Any) -> Any:
    """A list, tuple or array with something less, more, or other in it."""
    items = list(value)
    place = dice.randrange(len(items) + 1)
    how = dice.randrange(4)
    if how == 0:
        items = items[:place]
    elif how == 1:
        items.insert(place, junk(dice))
    elif how == 2 and place < len(items):
        items[place] = junk(dice)
    else:
        dice.shuffle(items)
    if isinstance(value, np.ndarray):
        try:
            return np.array(items, dtype=dice.choice([None, object, value.dtype]))
        except (ValueError, TypeError, OverflowError):
            return items
    return items


def change_value(dice: random.Random, state: State) -> None:
    """Gives an attribute another value."""
    name = dice.choice(list(state))
    how = dice.randrange(4)
    is_list = isinstance(state[name], (list, tuple)) or getattr(state[name], "shape", ()) != ()
    if how == 0 and is_list:
        state[name] = change_list(dice, state[name])
    elif how == 1:
        state[name] = state[dice.choice(list(state))]
    else:
        state[name] = junk(dice)


def change_state(dice: random.Random, subjects: list[Subject], subject: Subject) -> tuple[Any, bool]:
    """A changed state; whether only bytes of the model changed, which is always noticed."""
    state = dict(subject.state)
    how = dice.randrange(10)
    if how < 3:
        return {**state, "_model": change_bytes(dice, state["_model"])}, True
    if how < 6:
        return {**state, "_model": change_section(dice, state["_model"])}, False
    if how == 6:
        return {**state, "_model": dice.choice(subjects).state["_model"]}, False
    if how == 7 and dice.random() < 0.1:
        return junk(dice), False
    for _ in range(dice.randint(1, 3)):
        learned = [name for name in state if name.endswith("_") or name == "_model"]
        if dice.random() < 0.3:
            del state[dice.choice(learned if learned and dice.random() < 0.5 else list(state))]
        elif learned and dice.random() < 0.5:
            some = {name: state[name] for name in learned}
            change_value(dice, some)
            state |= some
        elif state:
            change_value(dice, state)
    if dice.random() < 0.1:
        state[dice.choice(["more_", "_more", "", 5, None])] = junk(dice)
    return state, False


# ---- Use ------------------------------------------------------------------------------------------------------------


def uses(model: Any, X: Any, path: Path) -> Iterator[Callable[[], Any]]:
    """All that can be done with a fitted estimator but to fit it again."""
    yield lambda: repr(model)
    yield lambda: (model.get_params(), clone(model))
    yield lambda: pickle.loads(dumps(model))
    yield model.__sklearn_tags__
    yield lambda: model.predict(X)
    if not model.__sklearn_is_fitted__():
        return
    yield lambda: list(model.staged_predict(X))
    yield lambda: model.predict(np.asarray(X)[:, :2])
    if hasattr(type(model), "predict_proba"):
        yield lambda: (model.predict_proba(X), model.decision_function(X), list(model.staged_predict_proba(X)))
        yield lambda: model.classes_.tolist()
    yield lambda: (model.n_features_in_, model.best_iteration_, model.evals_result_, model.learner_shares_)
    yield lambda: getattr(model, "feature_names_in_", None)
    if hasattr(type(model), "predictor"):
        yield lambda: (model.feature_importances_, model.options_)
        yield lambda: model.predictor()(np.asarray(X)[0])
        yield lambda: model.save(path)
        yield lambda: type(model).load(path)
    else:
        yield lambda: (model.estimators_, model.learners_, model.learner_indices_.tolist())


def dumps(model: Any) -> bytes:
    try:
        return pickle.dumps(model)
    except (pickle.PicklingError, AttributeError) as error:  # of an attribute that nobody can pickle
        raise TypeError from error


def scores(model: Any, X: Any) -> bytes:
    values: bytes = np.asarray(getattr(model, "decision_function", model.predict)(X)).tobytes()
    return values


class Outcome(NamedTuple):
    is_accepted: bool = False
    is_different: bool = False
    wrong: str = ""  # an error that is neither a ValueError nor a TypeError, and where it came from


def attempt(action: Callable[[], Any]) -> str:
    """What an action raises that it must not."""
    try:
        action()
    except ALLOWED:
        return ""
    except BaseException:
        return traceback.format_exc()
    return ""


def try_state(subjects: list[Subject], expected: list[bytes], seed: int, path: Path) -> Outcome:
    dice = random.Random(seed)
    number = dice.randrange(len(subjects))
    subject = subjects[number]
    state, is_damage = change_state(dice, subjects, subject)
    if isinstance(state, dict) and "_model" in state and dice.random() < 0.1:  # a predictor's pickle has the same bytes
        wrong = attempt(lambda: _of_bytes(state["_model"])(np.zeros(3)))
        if wrong:
            return Outcome(wrong=wrong)
    model = subject.kind.__new__(subject.kind)
    try:
        model.__setstate__(state)
    except ALLOWED as error:
        return Outcome(wrong="" if str(error) else "an error without a sentence")
    except BaseException:
        return Outcome(wrong=traceback.format_exc())
    wrong = "".join(map(attempt, uses(model, subject.X, path)))
    return Outcome(True, is_damage and scores(model, subject.X) != expected[number], wrong)


# ---- Processes ------------------------------------------------------------------------------------------------------

TALLY = ["next", "states", "accepted", "different", "wrong", "too_large", "crashes", "hangs"]


class Tally:
    """Numbers that parent and children share."""

    def __init__(self) -> None:
        self._numbers = np.frombuffer(mmap.mmap(-1, 8 * len(TALLY)), np.int64)

    def add(self, name: str, n: int = 1) -> None:
        self._numbers[TALLY.index(name)] += n

    def __getitem__(self, name: str) -> int:
        return int(self._numbers[TALLY.index(name)])


def most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run_child(subjects: list[Subject], expected: list[bytes], tally: Tally, last: int, path: Path) -> None:
    before = most_memory()
    largest = max(len(subject.state["_model"]) for subject in subjects)
    while tally["next"] < last:
        seed = tally["next"]
        signal.setitimer(signal.ITIMER_PROF, SECONDS)  # its signal ends the process
        signal.alarm(30 * SECONDS)
        outcome = try_state(subjects, expected, seed, path)
        signal.setitimer(signal.ITIMER_PROF, 0)
        tally.add("accepted", outcome.is_accepted)
        tally.add("different", outcome.is_different)
        tally.add("wrong", bool(outcome.wrong))
        if outcome.wrong or outcome.is_different:
            print(f"seed {seed}: {outcome.wrong or 'other predictions'}", flush=True)
        if most_memory() - before > MOST_BYTES + A_BYTE * largest:
            print(f"seed {seed}: {most_memory() - before} bytes more", flush=True)
            tally.add("too_large")
            before = most_memory()
        tally.add("next")
        tally.add("states")


def run(subjects: list[Subject], first: int, count: int, seconds: float, path: Path) -> Tally:
    expected = [scores(revived(subject), subject.X) for subject in subjects]
    for subject in subjects:  # the first time things are imported and made that last
        for use in uses(revived(subject), subject.X, path):
            attempt(use)
    tally, until = Tally(), time.monotonic() + seconds
    tally.add("next", first)
    while tally["next"] < first + count and time.monotonic() < until:
        last = min(first + count, tally["next"] + A_CHILD)
        child = os.fork()
        if child == 0:
            try:
                run_child(subjects, expected, tally, last, path)
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        _, status = os.waitpid(child, 0)
        if status != 0:
            ended_by = signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else "an error"
            print(f"seed {tally['next']}: the process ended by {ended_by}", flush=True)
            tally.add("hangs" if ended_by in ("SIGPROF", "SIGALRM") else "crashes")
            tally.add("next")
            tally.add("states")
    return tally


def revived(subject: Subject) -> Any:
    model = subject.kind.__new__(subject.kind)
    model.__setstate__(subject.state)
    return model


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mxb"
        tally = run(make_subjects(), arguments.seed, arguments.count, arguments.seconds, path)
    print(
        f"{tally['states']} states, {tally['accepted']} accepted; {tally['crashes']} crashes, {tally['hangs']} hangs, "
        f"{tally['too_large']} too large, {tally['wrong']} wrong errors, {tally['different']} other predictions"
    )
    bad = ("crashes", "hangs", "too_large", "wrong", "different")
    return 1 if any(tally[name] for name in bad) else 0


if __name__ == "__main__":
    sys.exit(main())
