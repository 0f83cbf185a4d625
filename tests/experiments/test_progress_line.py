"""The line that says how far a run is."""

import io

import pytest


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(module, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module("progress_line").time, "monotonic", lambda: now[0])
    return now


def test_everybody_is_taken_at_his_own_pace(module, clock):
    progress = module("progress_line").Progress({"quick": 10, "slow": 10, "unknown": 5}, io.StringIO())
    assert progress.seconds_left() is None
    progress.begin("pol", "quick")
    clock[0] += 2
    progress.advance(2)
    progress.begin("pol", "slow")
    clock[0] += 30
    progress.advance(3)
    # 8 at 1 s, 7 at 10 s, 5 at the usual 32 / 5 s.
    assert progress.seconds_left() == pytest.approx(8 + 70 + 32)


def test_what_an_earlier_run_did_does_not_count_as_pace(module, clock):
    progress = module("progress_line").Progress({"a": 10}, io.StringIO())
    progress.begin("pol", "a")
    progress.advance(4, is_new=False)
    assert progress.seconds_left() is None
    clock[0] += 6
    progress.advance(2)
    assert progress.seconds_left() == pytest.approx(12)


def test_a_terminal_is_redrawn_and_other_streams_get_lines(module, clock):
    for stream in (Terminal(), io.StringIO()):
        progress = module("progress_line").Progress({"a": 10}, stream)
        progress.begin("pol, fold 1 of 3", "a")
        clock[0] += 60
        progress.advance(5)
        progress.tell("pol, fold 1: a 0.5")
        progress.end()
        text = stream.getvalue()
        if stream.isatty():
            assert "\r\033[K 50% pol, fold 1 of 3, a; about 1 min left" in text and text.endswith("\r\033[K")
            assert "\r\033[Kpol, fold 1: a 0.5\n" in text
        else:
            assert text == "pol, fold 1: a 0.5; about 1 min left\n"


def test_durations(module):
    duration = module("progress_line").duration
    assert [duration(seconds) for seconds in (29, 61, 3600, 7500)] == ["0 min", "1 min", "1 h 0 min", "2 h 5 min"]
