"""How a search is shown: redrawn in place on a terminal, a line a stage elsewhere."""

import re
import subprocess

import pytest
from terminal import on_terminal, screen
from tuned import finalists, search

DURATION = r"\d\S* (?:s|min|h)"
SETTINGS = r"(?: ?\w+=\S+)+"
# What may be drawn, line by line: the stage, then the best so far, then more of its settings.
TIME = rf"(?:{DURATION} (?:left|so far)|in {DURATION})"
STAGE = rf"(?:\[=*>? *\] )?stage (\d) of 2: (\d) configurations, (\d+) of (\d+) trials  {TIME}"
BEST = rf"best rmse (\S+) (?:on 1/4 of the rows|on all rows|with 1/4 of the rounds|with all rounds):{SETTINGS}"


def words_of(*more):
    return list(map(str, search("numbers.csv", "m.mxb", "--folds", 2, *more)))


def drawings(seen):
    """Every drawing of the view, as its lines, from the plan's sentence to the bar of the last training."""
    plan, _, rest = seen.partition("\n")
    assert plan.startswith("mixboost: stages: 8 configurations ")
    view = rest[: rest.index("\x1b[J\n") + 3]
    assert view.endswith("\x1b[J")
    return [re.sub(r"\x1b\[\d*A|\x1b\[K", "", text).lstrip("\r").split("\n") for text in view.split("\x1b[J")[:-1]]


@pytest.mark.parametrize(("resource", "cost"), [("rows", 1), ("rounds", 0.75)])
def test_view(program, numbers_csv, tmp_path, resource, cost):
    """A trial of the last stage costs what four of the first do, or three more, where it goes on from there."""
    words = words_of("--num_round", 300, "--resource", resource)
    seen, code = on_terminal(program, words, tmp_path, stdout=subprocess.DEVNULL)
    assert code == 0
    counts = []
    losses = []
    for lines in drawings(seen):
        stage = re.fullmatch(STAGE, lines[0])
        assert stage and all(len(line) < 100 for line in lines), lines
        number, n_configs, n_done, n_trials = map(int, stage.groups())
        assert (n_configs, n_trials) == ((8, 16) if number == 1 else (2, 4)) and n_done <= n_trials
        done = n_done / 4 if number == 1 else 4 + n_done * cost
        assert lines[0].count("=") == int(30 * done / (4 + 4 * cost))
        counts.append((number, n_done))
        if len(lines) > 1:
            best = re.fullmatch(BEST, " ".join(line.strip() for line in lines[1:]))
            assert best, lines
            losses.append(float(best.group(1)))
    assert counts == sorted(counts) and counts[-1] == (2, 4)
    assert losses


def test_what_stands_there_in_the_end(program, run, numbers_csv, tmp_path):
    words = words_of("--num_round", 300, "--early_stopping_rounds", 0)
    seen, code = on_terminal(program, words, tmp_path, stdout=subprocess.DEVNULL)
    assert code == 0
    best = finalists(run(*words).stdout)[0]
    plan, stage, *rest = screen(seen)
    assert plan.startswith("mixboost: stages: 8 ")
    assert re.fullmatch(rf"\[={{30}}\] stage 2 of 2: 2 configurations, 4 of 4 trials  in {DURATION}", stage)
    *view, bar, trained, wrote, empty = rest
    told = " ".join(line.strip() for line in view)
    assert told.startswith(f"best rmse {best['rmse']} on all rows: ")
    settings = dict(word.split("=") for word in told.split(": ")[1].split())
    assert settings == {name: best[name] for name in settings} and len(settings) == len(best) - 3
    assert re.fullmatch(rf"\[={{30}}\] 300/300  train \S+  in {DURATION}", bar)
    assert trained.startswith("mixboost: trained 300 rounds in ") and wrote.startswith("mixboost: wrote m.mxb (")
    assert empty == ""


@pytest.mark.parametrize("columns", [1, 2, 3, 20, 60, 300])
def test_lines_never_wrap(program, numbers_csv, tmp_path, columns):
    seen, code = on_terminal(program, words_of(), tmp_path, columns=columns, stdout=subprocess.DEVNULL)
    assert code == 0
    for lines in drawings(seen):
        assert all(len(line) < max(columns, 1) for line in lines)
        assert len(lines) <= 24


def test_redrawn_at_most_ten_times_a_second(program, numbers_csv, tmp_path):
    seen, code = on_terminal(program, words_of("--num_round", 400), tmp_path, stdout=subprocess.DEVNULL)
    assert code == 0
    shown = drawings(seen)
    seconds = float(re.search(r"in (\S+) s", shown[-1][0]).group(1))
    assert len(shown) <= 10 * (seconds + 0.1) + 2


def test_the_time_left_is_never_more_than_the_limit(program, numbers_csv, tmp_path):
    words = list(map(str, search("numbers.csv", "m.mxb", "--folds", 2, "--configs", 10000, "--time-limit", 1)))
    seen, code = on_terminal(program, words, tmp_path, stdout=subprocess.DEVNULL)
    assert code == 0
    left = [float(number) for number in re.findall(r"trials  (\S+) s left", seen)]
    assert left and max(left) <= 1 and "min left" not in seen


def test_quiet_terminal(program, numbers_csv, tmp_path):
    assert on_terminal(program, words_of("--quiet"), tmp_path, stdout=subprocess.DEVNULL) == ("", 0)


def test_dumb_terminal_gets_lines(program, numbers_csv, tmp_path):
    seen, code = on_terminal(program, words_of(), tmp_path, stdout=subprocess.DEVNULL, TERM="dumb")
    assert code == 0
    assert "\r" not in seen and "\x1b" not in seen
    assert seen.splitlines()[1].startswith("stage 1 of 2: ")


PARTS = {"rows": ("on 1/4 of the rows", "on all rows"), "rounds": ("with 1/4 of the rounds", "with all rounds")}


@pytest.mark.parametrize("resource", PARTS)
def test_lines(run, numbers_csv, resource):
    some, everything = PARTS[resource]
    done = run(*words_of("--resource", resource))
    assert done.returncode == 0
    best = finalists(done.stdout)[0]
    plan, first, last, *rest = done.stderr.splitlines()
    memory = r"at most \d\S* [kMG]B of memory"
    assert re.fullmatch(rf"mixboost: stages: 8 configurations {some}, 2 {everything}; 2 folds each; {memory}", plan)
    assert re.fullmatch(rf"stage 1 of 2: 8 configurations, {TIME}; best rmse \S+ {some}:{SETTINGS}", first)
    end = rf"in {DURATION}; best rmse {best['rmse']} {everything}:{SETTINGS}"
    assert re.fullmatch(rf"stage 2 of 2: 2 configurations, {end}", last)
    assert f"learning_rate={best['learning_rate']} " in last
    assert rest[0].startswith("round 1 of 15: train ")
    assert rest[-2].startswith("mixboost: trained 15 rounds in ") and rest[-1].startswith("mixboost: wrote m.mxb (")


def test_one_part_has_no_folds_to_name(run, numbers_csv):
    plan = run(*search("numbers.csv", "m.mxb")).stderr.splitlines()[0]
    assert "folds" not in plan


def test_oddities_are_reported(run, tmp_path, numbers_csv):
    text = numbers_csv.read_text().replace("a,b,c,y", "1,2,3,y")
    (tmp_path / "odd.csv").write_text(text)
    done = run(*search("odd.csv", "m.mxb"))
    assert done.stderr.endswith(
        "mixboost: the first line of odd.csv is taken for column names; --header no if it is data\n"
    )
