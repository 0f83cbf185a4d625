"""Saves and labels of boosters: what is broken is counted, shown with boosters that break on purpose."""

import os
import pickle
import random
import signal
import time


class Mean:
    """A booster whose model is a number, kept in a file of many zeros."""

    suffix = "mean"

    def __init__(self, is_atomic, refuses=lambda y, weight: False):
        self.is_atomic, self.refuses = is_atomic, refuses

    def fit(self, X, y, weight=None, rounds=1):
        if self.refuses(y, weight):
            raise ValueError("bad value")
        return rounds * float((y * (1 if weight is None else weight)).mean())

    def save(self, model, path):
        text = pickle.dumps((model, bytes(100_000)))
        place = f"{path}.tmp" if self.is_atomic else path
        with open(place, "wb") as file:
            for i in range(0, len(text), 10_000):
                file.write(text[i : i + 10_000])
                file.flush()
                time.sleep(0.0005)
        os.replace(place, path)

    def load(self, path):
        with open(path, "rb") as file:
            return pickle.load(file)[0]

    def predict(self, model, X):
        return [model] * len(X)


def killed(sections, folder, booster, n=8):
    saves, dice = sections("peers_saves").Saves(booster, folder), random.Random(1)
    return {saves.kill_one(dice) for _ in range(n)}


def test_a_save_into_the_file_itself_is_lost(sections, tmp_path):
    assert "lost" in killed(sections, tmp_path, Mean(is_atomic=False))


def test_a_save_beside_the_file_is_not(sections, tmp_path):
    assert killed(sections, tmp_path, Mean(is_atomic=True)) == {"whole"}


def test_a_model_that_is_neither_is_different(sections, tmp_path):
    class Forgets(Mean):
        def load(self, path):
            return super().load(path) + (path.endswith("model.mean"))

    assert killed(sections, tmp_path, Forgets(is_atomic=True), n=1) == {"different"}


def test_a_model_whose_loading_ends_the_process_is_lost(sections, tmp_path):
    class Exits(Mean):
        def load(self, path):
            return os._exit(0) if path.endswith("model.mean") else super().load(path)

    assert killed(sections, tmp_path, Exits(is_atomic=True), n=1) == {"lost"}


def test_bad_labels_and_weights_are_told_by_what_becomes_of_them(sections, tmp_path):
    labels = sections("peers_labels")

    def end_of(refuses, of="label", value=labels.np.nan):
        return labels.end_of(Mean(True, refuses), of, value, tmp_path / "messages")

    def is_bad(y, weight):
        return not labels.np.isfinite(y * weight).all()

    assert end_of(is_bad) == end_of(is_bad, "weight") == end_of(is_bad, "label", -labels.np.inf) == "refused"
    assert end_of(is_bad, "label", 1e300) == "finite"
    assert end_of(lambda y, weight: False) == "not_finite"
    assert end_of(lambda y, weight: os._exit(0)) == end_of(lambda y, weight: os._exit(1)) == "crashes"
    assert end_of(lambda y, weight: os.kill(os.getpid(), signal.SIGKILL)) == "crashes"
