"""Searches that end before their end: killed, stopped, out of time. The journal has what was done, and going on from it
gives the bytes of a search that nothing disturbed."""

import fcntl
import pathlib
import re
import signal
import subprocess
import time

import pytest
from samples import make_rows, write_csv
from tuned import finalists, search

JOURNAL = ["--journal", "j.mxj"]
SLOW = ["--folds", 2, "--num_round", 1000, "--early_stopping_rounds", 0]  # a second or so
ENDLESS = ["--num_round", 1000000, "--early_stopping_rounds", 0]


@pytest.fixture
def start(program, tmp_path):
    """Starts a search in the background."""
    started = []

    def start_program(*words):
        words = [program, *map(str, search("numbers.csv", "m.mxb", *words))]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started.append(subprocess.Popen(words, cwd=tmp_path, text=True, **pipes))
        return started[-1]

    yield start_program
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def undisturbed(program, tmp_path_factory):
    """The model and the output of SLOW, for each resource."""
    folder = tmp_path_factory.mktemp("undisturbed")
    write_csv(folder / "numbers.csv", "abcy", make_rows(300, seed=1))
    results = {}
    for resource in ("rows", "rounds"):
        command = [program, *map(str, search("numbers.csv", "m.mxb", *SLOW, "--resource", resource))]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        results[resource] = ((folder / "m.mxb").read_bytes(), done.stdout)
    return results


def wait_for_size(process, path, n_bytes):
    """Waits until the journal has so many bytes, or the search is done."""
    while process.poll() is None and (not path.exists() or path.stat().st_size < n_bytes):
        time.sleep(0.001)


@pytest.mark.parametrize("resource", ["rows", "rounds"])
def test_killed_again_and_again(run, start, numbers_csv, tmp_path, undisturbed, resource):
    """With other numbers of threads each time, too."""
    words = [*SLOW, *JOURNAL, "--resume", "--resource", resource]
    journal = tmp_path / "j.mxj"
    size = 0
    for attempt in range(6):
        process = start(*words, "--n_threads", 1 + attempt % 3)
        wait_for_size(process, journal, size + 200)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not (tmp_path / "m.mxb").exists() or attempt > 3
        assert journal.stat().st_size >= size
        size = journal.stat().st_size
    done = run(*search("numbers.csv", "m.mxb", *words))
    assert done.returncode == 0
    assert re.search(r"^mixboost: going on: \d+ of 20 trials are done$", done.stderr, re.M)
    assert ((tmp_path / "m.mxb").read_bytes(), done.stdout) == undisturbed[resource]


def test_a_finished_search_is_not_done_again(run, numbers_csv, tmp_path):
    first = run(*search("numbers.csv", "1.mxb", *JOURNAL))
    size = (tmp_path / "j.mxj").stat().st_size
    second = run(*search("numbers.csv", "2.mxb", *JOURNAL, "--resume"))
    assert (second.returncode, second.stdout) == (0, first.stdout)
    assert "\nmixboost: going on: 10 of 10 trials are done\n" in second.stderr
    assert "stage" not in second.stderr.split("\n", 1)[1]
    assert (tmp_path / "1.mxb").read_bytes() == (tmp_path / "2.mxb").read_bytes()
    assert (tmp_path / "j.mxj").stat().st_size == size


@pytest.mark.parametrize("cut", [1, 30, 75])
def test_a_damaged_end_is_cut_off(run, numbers_csv, tmp_path, cut):
    first = run(*search("numbers.csv", "1.mxb", *JOURNAL))
    journal = tmp_path / "j.mxj"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-cut])
    done = run(*search("numbers.csv", "2.mxb", *JOURNAL, "--resume", "--quiet"))
    assert (done.returncode, done.stdout) == (0, "")
    assert re.fullmatch(
        r'mixboost: warning: the last \d+ bytes of the journal "j.mxj" are damaged and were cut off\n', done.stderr
    )
    assert (tmp_path / "1.mxb").read_bytes() == (tmp_path / "2.mxb").read_bytes()
    assert len(journal.read_bytes()) == len(whole)
    again = run(*search("numbers.csv", "2.mxb", *JOURNAL, "--resume"))
    assert again.stdout == first.stdout


def test_a_journal_that_is_there_is_not_touched(run, numbers_csv, tmp_path):
    run(*search("numbers.csv", "m.mxb", *JOURNAL))
    before = (tmp_path / "j.mxj").read_bytes()
    (tmp_path / "m.mxb").unlink()
    done = run(*search("numbers.csv", "m.mxb", *JOURNAL))
    sentence = 'mixboost: the journal "j.mxj" is there already; --resume goes on from it\n'
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)
    assert (tmp_path / "j.mxj").read_bytes() == before
    assert not (tmp_path / "m.mxb").exists()


OTHERS = [
    ("--eta 2", '"eta 4", this one "eta 2"'),
    ("--resource rounds", '"resource rows", this one "resource rounds"'),
    ("--random_state 3", '"random_state 0", this one "random_state 3"'),
    ("--alpha 2", None),
    ("--space paper", None),
    ("--weight c", None),
    ("--folds 2", '"n_folds 0", this one "n_folds 2"'),
    ("--objective logloss", None),
]


@pytest.mark.parametrize(("typed", "difference"), OTHERS, ids=[typed for typed, _ in OTHERS])
def test_a_journal_of_another_search(run, tmp_path, typed, difference):
    rows = [[a, b, 1, y] for a, b, _, y in make_rows(100, seed=1, classes=True)]
    write_csv(tmp_path / "d.csv", "abcy", rows)
    assert run(*search("d.csv", "m.mxb", *JOURNAL)).returncode == 0
    before = (tmp_path / "j.mxj").read_bytes()
    done = run(*search("d.csv", "2.mxb", *JOURNAL, "--resume", *typed.split()))
    assert done.returncode in (1, 2) and done.stdout == ""
    told = re.fullmatch(r'mixboost: the journal "j.mxj" is of another search: it has (.*)\n', done.stderr)
    assert told and (difference is None or told.group(1) == difference), done.stderr
    assert (tmp_path / "j.mxj").read_bytes() == before
    assert not (tmp_path / "2.mxb").exists()


def test_a_journal_of_other_data(run, numbers_csv, tmp_path):
    write_csv(tmp_path / "other.csv", "abcy", make_rows(300, seed=2))
    assert run(*search("numbers.csv", "m.mxb", *JOURNAL)).returncode == 0
    done = run(*search("other.csv", "m.mxb", *JOURNAL, "--resume"))
    assert done.returncode in (1, 2)
    assert re.fullmatch(r'mixboost: the journal "j.mxj" is of another search: it has .*data.*\n', done.stderr)


@pytest.mark.parametrize("words", [["--time-limit", "1h"], ["--n_threads", 2], ["--quiet"]])
def test_what_shapes_no_result_may_differ(run, numbers_csv, tmp_path, words):
    run(*search("numbers.csv", "1.mxb", *JOURNAL))
    done = run(*search("numbers.csv", "2.mxb", *JOURNAL, "--resume", *words))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "1.mxb").read_bytes() == (tmp_path / "2.mxb").read_bytes()


def test_a_file_that_is_no_journal(run, numbers_csv, tmp_path):
    (tmp_path / "j.mxj").write_text("dear diary\n")
    done = run(*search("numbers.csv", "m.mxb", *JOURNAL, "--resume"))
    assert done.returncode == 1
    assert re.fullmatch(r'mixboost: .*"j.mxj".*\n', done.stderr)
    assert (tmp_path / "j.mxj").read_text() == "dear diary\n"


def test_a_journal_in_use(run, numbers_csv, tmp_path):
    run(*search("numbers.csv", "m.mxb", *JOURNAL))
    with (tmp_path / "j.mxj").open() as journal:
        fcntl.flock(journal, fcntl.LOCK_EX)
        done = run(*search("numbers.csv", "m.mxb", *JOURNAL, "--resume"))
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == 'mixboost: cannot use the journal "j.mxj": another run is using it\n'
    assert run(*search("numbers.csv", "m.mxb", *JOURNAL, "--resume")).returncode == 0


def test_a_full_disk(program, run, numbers_csv, tmp_path):
    """A limit on the size of files leaves room for the first trials."""
    limited = ["sh", "-c", 'ulimit -f 3; exec "$@"', "sh", program, *map(str, search("numbers.csv", "m.mxb", *JOURNAL))]
    done = subprocess.run(limited, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-2:] == [
        'mixboost: cannot write the journal "j.mxj": File too large',
        "mixboost: j.mxj has what was done; --resume goes on from it",
    ]
    assert not (tmp_path / "m.mxb").exists()
    assert run(*search("numbers.csv", "m.mxb", *JOURNAL, "--resume")).returncode == 0
    assert run(*search("numbers.csv", "whole.mxb")).returncode == 0
    assert (tmp_path / "m.mxb").read_bytes() == (tmp_path / "whole.mxb").read_bytes()


# ---- The clock ----


@pytest.mark.parametrize("resource", ["rows", "rounds"])
def test_the_best_so_far_when_time_is_up(run, numbers_csv, tmp_path, undisturbed, resource):
    words = [*SLOW, "--resource", resource, *JOURNAL]
    n_done = 0
    limit = 0.1
    done = run(*search("numbers.csv", "m.mxb", *words, "--time-limit", limit))
    while "the time is up" in done.stderr or "could be judged" in done.stderr:
        if done.returncode == 0:
            stopped = re.search(
                r"^mixboost: the time is up in stage ([12]) of 2, after (\d+) of 20 trials; "
                r"the best configuration so far is taken$",
                done.stderr,
                re.M,
            )
            assert n_done <= int(stopped.group(2)) < 20
            n_done = int(stopped.group(2))
            title = r"(the best 5 of [678]|[1-5]) configurations? judged in stage [12] of 2, by mean rmse (on|with) "
            assert re.match(title, done.stdout)
            assert finalists(done.stdout)[0]["rank"] == "1"
            assert run("show", "m.mxb").returncode == 0
            assert done.stderr.endswith("mixboost: j.mxj has what was done; --resume goes on from it\n")
        limit *= 2  # a trial that takes longer than the limit would never be done
        done = run(*search("numbers.csv", "m.mxb", *words, "--resume", "--time-limit", limit))
    assert n_done > 0
    assert done.returncode == 0
    assert ((tmp_path / "m.mxb").read_bytes(), done.stdout) == undisturbed[resource]
    assert "--resume" not in done.stderr


@pytest.mark.parametrize("words", [[], ["--quiet"]])
def test_nothing_judged_when_time_is_up(run, numbers_csv, tmp_path, words):
    done = run(*search("numbers.csv", "m.mxb", *ENDLESS, "--time-limit", "0.05", *words))
    assert (done.returncode, done.stdout) == (1, "")
    last = done.stderr.splitlines()[-1]
    assert last == "mixboost: no configuration could be judged within 0.05; nothing was written"
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.csv"]


def test_a_limit_that_is_not_reached_changes_nothing(run, numbers_csv, tmp_path):
    """The longest that there may be, in every unit: 1e9 seconds."""
    limits = ["1000000000", "1000000000s", "16666666m", "277777h", "2.5h"]
    outputs = {
        run(*search("numbers.csv", "m.mxb", *words)).stdout for words in ([], *(["--time-limit", x] for x in limits))
    }
    assert len(outputs) == 1


# ---- Signals ----


def catches(process, number):
    """Whether the process has a handler for the signal."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"SigCgt:\s*(\w+)", status).group(1), 16) >> (number - 1) & 1


def wait_until(process, condition):
    while not condition():
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.001)


@pytest.mark.parametrize(("number", "quiet"), [(signal.SIGINT, []), (signal.SIGTERM, ["--quiet"])])
def test_a_signal_ends_with_the_best_so_far(run, start, numbers_csv, tmp_path, undisturbed, number, quiet):
    process = start(*SLOW, *JOURNAL, *quiet)
    wait_for_size(process, tmp_path / "j.mxj", 1600)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == -number
    lines = err.splitlines()
    stopped = [line for line in lines if line.startswith("mixboost: stopped in stage ")]
    assert len(stopped) == 1 and stopped[0].endswith("; the best configuration so far is taken")
    assert lines[-1] == "mixboost: j.mxj has what was done; --resume goes on from it"
    assert (len(lines) == 2 and out == "") if quiet else finalists(out)
    assert run("show", "m.mxb").returncode == 0
    done = run(*search("numbers.csv", "m.mxb", *SLOW, *JOURNAL, "--resume"))
    assert ((tmp_path / "m.mxb").read_bytes(), done.stdout) == undisturbed["rows"]


def test_a_signal_before_anything_was_judged(start, numbers_csv, tmp_path):
    process = start(*ENDLESS, *JOURNAL)
    wait_until(process, lambda: catches(process, signal.SIGINT))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (-signal.SIGINT, "")
    assert err.splitlines()[-1] == "mixboost: stopped before any configuration was judged; nothing was written"
    assert not (tmp_path / "m.mxb").exists()


@pytest.mark.parametrize("ended_by", ["signal", "time"])
def test_the_last_training_can_be_stopped_too(start, tmp_path, ended_by):
    """Trials have few of many rows, so that it takes much longer than they do."""
    write_csv(tmp_path / "numbers.csv", "abcy", make_rows(20_000, seed=1))
    limit = ["--time-limit", 2] if ended_by == "time" else []
    words = ["--eta", 8, "--min-resource", "1/64", "--configs", 512, "--num_round", 1500, "--early_stopping_rounds", 0]
    process = start(*words, *JOURNAL, *limit)
    if ended_by == "signal":
        wait_for_size(process, tmp_path / "j.mxj", 1400)
        process.send_signal(signal.SIGINT)
    for line in process.stderr:
        if line.startswith("round 1 of "):
            break
        assert "mixboost: stopped in stage 1 " in line or "time is up" in line or "mixboost: stages: " in line
    wait_until(process, lambda: catches(process, signal.SIGINT))
    process.send_signal(signal.SIGINT)
    if ended_by == "time":  # the first is not enough
        lines = iter(process.stderr)
        assert any("trained again; one more signal stops that" in line for line in lines)
        assert any(line.startswith("round 1 of ") for line in lines)
        process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
    assert err.splitlines()[-2:] == [
        "mixboost: stopped while the best configuration was trained; nothing was written",
        "mixboost: j.mxj has what was done; --resume goes on from it",
    ]
    assert not (tmp_path / "m.mxb").exists()
