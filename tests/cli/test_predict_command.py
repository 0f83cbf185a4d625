"""mixboost predict: from a model and a CSV file to a CSV file of predictions."""

import os
import resource
import signal
import stat
import subprocess
import threading
import time

import pytest
from samples import make_rows, predictions, train, write_csv


def test_values(run, numbers_model, numbers_csv):
    done = run("predict", numbers_model, numbers_csv)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "prediction"
    values = predictions(done.stdout)
    labels = [float(line.split(",")[3]) for line in numbers_csv.read_text().splitlines()[1:]]
    mean = sum(labels) / len(labels)
    error = sum((a - b) ** 2 for a, b in zip(values, labels, strict=True))
    assert error < 0.5 * sum((mean - label) ** 2 for label in labels)


def test_numbers_are_the_shortest_that_read_back(run, numbers_model, numbers_csv):
    for line in run("predict", numbers_model, numbers_csv).stdout.splitlines()[1:]:
        digits = len(line.lstrip("-").replace(".", "").lstrip("0"))
        assert digits <= len(repr(float(line)).lstrip("-").replace(".", "").lstrip("0"))


def test_classes(run, classes_model, classes_csv):
    values = run("predict", classes_model, classes_csv)
    chances = run("predict", classes_model, classes_csv, "--proba")
    raws = run("predict", classes_model, classes_csv, "--raw")
    assert [done.returncode for done in (values, chances, raws)] == [0, 0, 0]
    assert values.stdout.startswith("prediction\n")
    assert chances.stdout.startswith("probability\n")
    assert raws.stdout.startswith("raw\n")
    assert set(values.stdout.splitlines()[1:]) == {"0", "1"}
    for value, chance, raw in zip(*(predictions(done.stdout) for done in (values, chances, raws)), strict=True):
        assert 0 < chance < 1
        assert (chance > 0.5) == (raw > 0) == (value == 1)


def test_raw_of_numbers_is_the_value(run, numbers_model, numbers_csv):
    value = run("predict", numbers_model, numbers_csv).stdout
    raw = run("predict", numbers_model, numbers_csv, "--raw").stdout
    assert value.splitlines()[1:] == raw.splitlines()[1:]


def test_columns_are_found_by_name(run, numbers_model, numbers_csv, tmp_path):
    rows = make_rows(300, seed=1)
    write_csv(
        tmp_path / "other.csv",
        ["note", "c", "extra", "a", "empty", "b"],
        [['"a, ""text"""', c, 5, a, "", b] for a, b, c, _ in rows],
    )
    expected = run("predict", numbers_model, numbers_csv).stdout
    done = run("predict", numbers_model, "other.csv")
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


def test_without_header_columns_are_taken_in_order(run, numbers_model, numbers_csv, tmp_path):
    write_csv(tmp_path / "bare.csv", None, [row[:3] for row in make_rows(300, seed=1)])
    expected = run("predict", numbers_model, numbers_csv).stdout
    for header in ("auto", "no"):
        done = run("predict", numbers_model, "bare.csv", "--header", header)
        assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
    done = run("predict", numbers_model, "bare.csv", "--header", "yes")
    assert done.returncode == 1


def test_many_rows_are_as_few(run, numbers_model, numbers_csv, tmp_path):
    header, *rows = numbers_csv.read_text().splitlines()
    (tmp_path / "many.csv").write_text("\n".join([header, *rows * 9]) + "\n")
    title, *lines = run("predict", numbers_model, numbers_csv).stdout.splitlines()
    done = run("predict", numbers_model, "many.csv")
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, [title, *lines * 9], "")


def test_standard_input(run, numbers_model, numbers_csv):
    expected = run("predict", numbers_model, numbers_csv).stdout
    done = run("predict", numbers_model, "-", input=numbers_csv.read_text())
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


def test_same_row_by_row_and_for_any_number_of_threads(run, numbers_model, numbers_csv, tmp_path):
    expected = run("predict", numbers_model, numbers_csv).stdout
    for threads in (1, 2, 3, 8):
        assert run("predict", numbers_model, numbers_csv, "--n_threads", threads).stdout == expected
    assert run("predict", numbers_model, numbers_csv, "--n-threads=2").stdout == expected
    header, *rows = numbers_csv.read_text().splitlines()
    for i, row in enumerate(rows[:10]):
        alone = run("predict", numbers_model, "-", input=f"{header}\n{row}\n").stdout
        assert alone.splitlines()[1] == expected.splitlines()[1 + i]


def test_out_is_written_whole(run, numbers_model, numbers_csv, tmp_path):
    expected = run("predict", numbers_model, numbers_csv).stdout
    done = run("predict", numbers_model, numbers_csv, "--out", "p.csv")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "mixboost: wrote 300 predictions to p.csv\n"
    assert (tmp_path / "p.csv").read_text() == expected
    assert [path.name for path in tmp_path.glob("p.csv*")] == ["p.csv"]


def test_quiet_prints_nothing_but_results(run, numbers_model, numbers_csv):
    done = run("predict", numbers_model, numbers_csv, "--out", "p.csv", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_out_is_no_link_that_leads_nowhere(run, numbers_model, numbers_csv, tmp_path):
    (tmp_path / "link.csv").symlink_to("gone.csv")
    done = run("predict", numbers_model, numbers_csv, "--out", "link.csv")
    assert done.returncode == 1 and 'cannot write "link.csv": it is a link that leads nowhere' in done.stderr
    assert (tmp_path / "link.csv").is_symlink()


def test_out_keeps_links_and_permissions(run, numbers_model, numbers_csv, tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "real.csv").chmod(0o640)
    (tmp_path / "link.csv").symlink_to("real.csv")
    assert run("predict", numbers_model, numbers_csv, "--out", "link.csv").returncode == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("prediction\n")
    assert stat.S_IMODE((tmp_path / "real.csv").stat().st_mode) == 0o640


def test_out_dash_is_standard_output(run, numbers_model, numbers_csv, tmp_path):
    done = run("predict", numbers_model, numbers_csv, "--out", "-")
    assert done.stdout == run("predict", numbers_model, numbers_csv).stdout
    assert not (tmp_path / "-").exists()


def test_out_may_be_a_pipe(run, numbers_model, numbers_csv, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    texts = []
    reader = threading.Thread(target=lambda: texts.append((tmp_path / "pipe").read_text()))
    reader.start()
    assert run("predict", numbers_model, numbers_csv, "--out", "pipe").returncode == 0
    reader.join()
    assert texts == [run("predict", numbers_model, numbers_csv).stdout]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("folder", "it is a folder"),
        ("none/p.csv", 'there is no folder "none"'),
        ("", "it is not the name of a file"),
    ],
)
def test_out_that_cannot_be_is_seen_before_reading(run, tmp_path, path, reason):
    (tmp_path / "folder").mkdir()
    done = run("predict", "no_such_model.mxb", "no_such_data.csv", "--out", path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f'mixboost: cannot write "{path}": {reason}\n')


def test_full_disk(run, numbers_model, numbers_csv):
    done = run("predict", numbers_model, numbers_csv, "--out", "/dev/full")
    assert (done.returncode, done.stderr) == (1, 'mixboost: cannot write "/dev/full": No space left on device\n')
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)
    with open("/dev/full", "w") as full:
        done = run("predict", numbers_model, numbers_csv, stdout=full)
    assert done.returncode == 1
    assert done.stderr == "mixboost: cannot write to standard output: No space left on device\n"


def test_closed_standard_output(program, numbers_model, numbers_csv, tmp_path):
    command = f'"{program}" predict numbers.mxb numbers.csv >&-'
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "mixboost: cannot write to standard output: Bad file descriptor\n"


def test_reader_that_went_away(program, numbers_model, tmp_path):
    write_csv(tmp_path / "long.csv", "abc", [row[:3] for row in make_rows(20_000, seed=1)])
    process = subprocess.Popen(
        [program, "predict", "numbers.mxb", "long.csv"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "prediction\n"
    process.stdout.close()
    assert process.stderr.read() == "mixboost: cannot write to standard output: Broken pipe\n"
    process.stderr.close()
    assert process.wait(30) == 1


def test_many_rows_keep_their_order(run, numbers_model, tmp_path):
    """More than are written at a time."""
    rows, n_rows = ["1,-0.5,2", "0.25,3,-1", "-2,0.125,", "0,0,0.5", "4,-3,1"], 300_001
    (tmp_path / "few.csv").write_text("a,b,c\n" + "\n".join(rows) + "\n")
    (tmp_path / "many.csv").write_text("a,b,c\n" + "\n".join(rows[i % len(rows)] for i in range(n_rows)) + "\n")
    few, many = (run("predict", numbers_model, name).stdout.splitlines()[1:] for name in ("few.csv", "many.csv"))
    assert len(set(few)) == len(rows)
    assert many == [few[i % len(rows)] for i in range(n_rows)]


def test_a_file_that_may_not_grow_leaves_the_old_one(program, run, numbers_model, tmp_path):
    (tmp_path / "long.csv").write_text("a,b,c\n" + "1,-0.5,2\n" * 20_000)
    (tmp_path / "p.csv").write_text("old")
    done = subprocess.run(
        [program, "predict", "numbers.mxb", "long.csv", "--out", "p.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == 'mixboost: cannot write "p.csv": File too large\n'
    assert (tmp_path / "p.csv").read_text() == "old" and list(tmp_path.glob("p.csv.*")) == []


def test_interrupt_leaves_no_half_written_file(program, run, numbers_model, tmp_path):
    n_rows = 600_000
    (tmp_path / "long.csv").write_text("a,b,c\n" + "1,-0.5,2\n" * n_rows)
    (tmp_path / "p.csv").write_text("old")
    seen_temporary = False
    for _ in range(20):
        process = subprocess.Popen(
            [program, "predict", "numbers.mxb", "long.csv", "--out", "p.csv", "--quiet"], cwd=tmp_path
        )
        while process.poll() is None and not seen_temporary:
            seen_temporary = len(list(tmp_path.glob("p.csv.*"))) > 0
            time.sleep(0.0005)
        process.send_signal(signal.SIGINT)
        code = process.wait(30)
        assert list(tmp_path.glob("p.csv.*")) == []
        text = (tmp_path / "p.csv").read_text()
        assert text == "old" or len(text.splitlines()) == n_rows + 1
        if code == -signal.SIGINT and text == "old":
            return
        seen_temporary = False
        (tmp_path / "p.csv").write_text("old")
    pytest.fail("no prediction was interrupted while it was written")


def test_model_from_headerless_data_takes_columns_in_order(run, tmp_path):
    rows = make_rows(200, seed=1)
    write_csv(tmp_path / "bare.csv", None, rows)
    assert run("train", "bare.csv", "--label", 4, "--model", "m.mxb", "--num_round", 5, "--quiet").returncode == 0
    write_csv(tmp_path / "x.csv", None, [row[:3] for row in rows])
    write_csv(tmp_path / "named.csv", "pqr", [row[:3] for row in rows])
    bare = run("predict", "m.mxb", "x.csv")
    assert bare.returncode == 0
    assert run("predict", "m.mxb", "named.csv").stdout == bare.stdout


def test_labels_come_back_as_they_were(run, tmp_path):
    rows = [[a, b, c, 7.5 if y else -2] for a, b, c, y in make_rows(200, seed=1, classes=True)]
    data = write_csv(tmp_path / "d.csv", "abcy", rows)
    model = train(run, data, tmp_path / "m.mxb", "--objective", "logloss")
    assert set(run("predict", model, data).stdout.splitlines()[1:]) == {"-2", "7.5"}
