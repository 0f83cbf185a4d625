"""The battery itself: what is kept, what is done again, figures and their table."""

import dataclasses
import importlib.machinery
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import types

import pytest


@pytest.fixture
def battery(sections, monkeypatch, tmp_path):
    battery = sections("battery")
    monkeypatch.setattr(battery, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(battery, "DOCUMENT", tmp_path / "page.md")
    monkeypatch.setattr(battery, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(battery, "digest_of_sources", lambda: "these")
    return battery


@pytest.fixture
def made_up(battery):
    """A section of two parts, which raise what they are told to; what was done."""
    done = []

    def part(name):
        def action(run):
            if name in done.failing:
                raise done.failing[name]
            done.append((name, run.is_short))
            return {"things": 3, "most": len(name)}

        return battery.Part(name, action)

    class Done(list):
        def __init__(self):
            self.failing = {}

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
    done.failing = {"bb": KeyboardInterrupt()}
    with pytest.raises(KeyboardInterrupt):
        battery.run_full(section)
    assert done == [("a", False)] and not battery.RESULTS.exists()
    done.failing = {}
    figures = battery.run_full(section)
    assert done == [("a", False), ("bb", False)] and [figure.measured for figure in figures] == [6, 2, 0.25]
    assert battery.run_full(section) == figures and len(done) == 2


@pytest.mark.parametrize("is_foreseen", [True, False])
def test_a_part_that_fails_is_told_and_tried_again(battery, sections, made_up, capsys, is_foreseen):
    section, done = made_up
    done.failing = {"a": sections("tools.logs").Failed("no room") if is_foreseen else KeyError("no such count")}
    assert battery.run_full(section) == [battery.Figure("parts that failed, of 2", 1, "= 0")]
    assert done == [("bb", False)] and "no " in capsys.readouterr().out
    (result,) = battery.known_results()
    assert [figure.is_met for figure in result.figures] == [False]
    assert not battery.run_short(section)[0].is_met
    done.failing = {}
    assert [figure.measured for figure in battery.run_full(section)] == [6, 2, 0.25]
    assert done == [("bb", False), ("a", False)]


def test_what_rests_on_a_part_that_fails_is_not_tried(battery, sections, made_up):
    section, done = made_up
    done.failing = {"a": sections("tools.logs").Failed("no room")}
    (figure,) = battery.run_full(dataclasses.replace(section, in_order=True))
    assert figure.measured == 2 and done == []
    assert sections("coverage").COVERAGE.in_order


def test_other_sections_go_on_after_a_part_that_fails(battery, sections, made_up, monkeypatch, capsys):
    section, done = made_up
    done.failing = {"a": sections("tools.logs").Failed("no room")}
    another = dataclasses.replace(section, name="another", parts=lambda is_short: section.parts(is_short)[1:])
    program = sections("run_battery")
    monkeypatch.setattr(program, "SECTIONS", {"made-up": section, "another": another})
    monkeypatch.setattr(program, "write_pages", lambda: None)
    monkeypatch.setattr("sys.argv", ["run_battery.py"])
    assert program.main() == 1 and done == [("bb", False)] * 2
    said = capsys.readouterr().out
    assert "made-up: parts that failed, of 2: 1 NOT = 0" in said and "another: told alone: 0.25" in said


def test_pages_are_written_after_each_section(battery, sections, made_up, monkeypatch):
    section, _ = made_up
    program, pages = sections("run_battery"), []
    monkeypatch.setattr(program, "SECTIONS", {name: dataclasses.replace(section, name=name) for name in ("a", "b")})
    monkeypatch.setattr(program, "write_pages", lambda: pages.append(len(battery.known_results())))
    monkeypatch.setattr("sys.argv", ["run_battery.py"])
    program.main()
    assert pages == [1, 2]
    monkeypatch.setattr("sys.argv", ["run_battery.py", "--short"])
    program.main()
    assert pages == [1, 2]


ANOTHER_RUN = """
import importlib.machinery, pathlib, sys, types
sys.path.insert(0, {root!r})
dev = types.ModuleType("dev")
importlib.machinery.SourceFileLoader("dev", {root!r} + "/dev").exec_module(dev)
dev.BUILD = pathlib.Path({build!r})
dev.battery_command = lambda *_arguments: [sys.executable, "-c", {program!r}]
dev.command_battery(types.SimpleNamespace(rest={arguments!r}))
"""


def another_run(root, build, program, *arguments):
    """Of ./dev battery, with something else in place of the battery."""
    script = ANOTHER_RUN.format(root=str(root), build=str(build), program=program, arguments=arguments)
    return subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_no_two_runs_share_their_builds(sections, root, monkeypatch, tmp_path):
    sections("tools.logs")  # lets the entry find its tools
    dev = types.ModuleType("dev")
    importlib.machinery.SourceFileLoader("dev", str(root / "dev")).exec_module(dev)
    monkeypatch.setattr(dev, "BUILD", tmp_path)

    def must_not_run(*_arguments):
        raise AssertionError

    monkeypatch.setattr(dev, "test_everything", must_not_run)
    monkeypatch.setattr(dev.os, "execve", must_not_run)
    with another_run(root, tmp_path, "print('begun', flush=True); input()", "mutants") as run:
        assert run.stdout.readline() == "begun\n"
        for command in (dev.command_test, dev.command_battery):
            with pytest.raises(dev.Failed, match="another run of tests is going on"):
                command(types.SimpleNamespace(rest=["mutants"]))
        with another_run(root, tmp_path, "print('read')", "--tables") as reader:
            assert reader.communicate()[0] == "read\n"
        run.communicate("\n")
    assert run.returncode == 0
    with dev.alone("tests"):
        pass


SLOW_BATTERY = """
import sys
sys.path[:0] = {path!r}
from tools.logs import end_by_signals, run_logged
end_by_signals()
# A second is enough for the process to be known to the one that starts it.
run_logged(["sh", "-c", "sleep 1; sleep 1000 & echo $! > {told}; wait"], {told!r} + ".log", seconds={seconds})
"""


def is_running(pid):
    """Not only waited for, as one whose parent is gone may be for ever in a container."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize(("name", "seconds"), [("SIGTERM", 900), ("SIGHUP", None)])
def test_a_signal_ends_what_was_started_and_what_that_started(root, tmp_path, name, seconds):
    told = tmp_path / "pid"
    script = SLOW_BATTERY.format(path=[str(root)], told=str(told), seconds=seconds)
    # Where this process ignores a signal, as under nohup, its children do, too.
    restore = f"import signal; signal.signal(signal.{name}, signal.SIG_DFL)\n"
    with subprocess.Popen([sys.executable, "-c", restore + script]) as run:
        while run.poll() is None and not (told.exists() and told.read_text().endswith("\n")):
            time.sleep(0.01)
        assert is_running(told.read_text().strip())
        run.send_signal(getattr(signal, name))
        assert run.wait(60) == 128 + getattr(signal, name)
    deadline = time.monotonic() + 60
    while is_running(told.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(told.read_text().strip())


def test_parts_of_sources_that_change_meanwhile_are_not_kept(battery, made_up, monkeypatch, capsys):
    section, done = made_up
    digests = ["these", "these", "others", "these", "these"]  # at the beginning, before and after each part
    monkeypatch.setattr(battery, "digest_of_sources", lambda: digests.pop(0))
    assert not battery.run_full(section)[0].is_met and len(done) == 2
    assert "the sources have changed" in capsys.readouterr().out
    monkeypatch.setattr(battery, "digest_of_sources", lambda: "these")
    battery.run_full(section)
    assert [name for name, _ in done] == ["a", "bb", "a"]


def test_a_result_is_of_the_commit_that_it_began_with(battery, made_up, monkeypatch):
    section, done = made_up
    monkeypatch.setattr(battery, "commit", lambda: f"after {len(done)} parts")
    battery.run_full(section)
    assert [result.commit for result in battery.known_results()] == ["after 0 parts"]


def test_the_page_says_whose_sources_are_older(battery, made_up, monkeypatch):
    battery.run_full(made_up[0])
    assert "of these sources;" in battery.summary(battery.known_results())
    monkeypatch.setattr(battery, "digest_of_sources", lambda: "others")
    page = battery.summary(battery.known_results())
    assert "of **older sources**;" in page and "the sources were others." in page


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
    (result,) = battery.known_results()
    assert result.command == "./dev battery made-up" and result.date and result.machine
    page = battery.summary([result])
    assert "| A title | things | 6 | = 6 | yes |" in page and "|  | most | 2 | ≤ 1 | **no** |" in page
    assert "|  | told alone | 0.25 |  |  |" in page


def test_the_document_has_a_line_a_section_and_a_column_a_booster(battery, made_up, monkeypatch):
    section, _ = made_up
    monkeypatch.setattr(battery, "commit", lambda: "12ab")
    figures = [
        battery.Figure("crashes", 0, "= 0", "ours .a", "0.9"),
        battery.Figure("crashes", 2, "", "theirs .a", "4.6"),
        battery.Figure("crashes", 3, "", "theirs .b", "4.6"),
        battery.Figure("hangs", 1, "", "theirs", "4.7"),
        battery.Figure("told alone", 3, "≥ 2"),
    ]
    battery.run_full(dataclasses.replace(section, figures=lambda counts, is_short: figures))
    battery.DOCUMENT.write_text("Before.\n<!-- Written by `./dev battery`. -->\nstale\n<!-- Up to here. -->\nAfter.\n")
    battery.write_pages()
    page = battery.DOCUMENT.read_text()
    assert "| A title | told alone | 3 | ≥ 2 |" in page
    assert "| A title | `./dev battery made-up` | 2 of 2 | 0 |" in page and "| 12ab |" in page and "stale" not in page
    assert "| counted of all boosters | ours 0.9 | theirs 4.6, 4.7 |" in page and "| hangs |  | 1 |" in page
    assert "| crashes | 0 (.a) | 2 (.a), 3 (.b) |" in page
    assert "|  | theirs .b 4.6: crashes | 3 |  |  |" in (battery.RESULTS / "README.md").read_text()


def test_the_document_shows_the_results(sections):
    battery = sections("battery")
    page, overview = sections("places").part_of_page(battery.DOCUMENT, "./dev battery"), battery.overview
    assert page == overview(battery.known_results())


@pytest.fixture
def tree(sections, monkeypatch, tmp_path):
    """The battery of a folder with one source in it."""
    battery = sections("battery")
    monkeypatch.setattr(battery, "ROOT", tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    write(tmp_path / "src" / "a.c", "int a;")
    return battery


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def is_another_after(battery, name, text):
    before = battery.digest_of_sources()
    write(battery.ROOT / name, text)
    return battery.digest_of_sources() != before


def check_digests(battery):
    assert is_another_after(battery, "src/a.c", "int b;")
    assert is_another_after(battery, "src/new.c", "int b;")
    assert is_another_after(battery, "CMakePresets.json", "{}")
    assert not is_another_after(battery, "tests/battery/results/x.json", "{}")
    assert not is_another_after(battery, "tests/experiments/test_x.py", "")
    assert not is_another_after(battery, "docs/page.md", "")


def test_digests_are_of_what_the_sources_say(tree):
    check_digests(tree)


def git(folder, *words):
    subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True)


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_what_git_ignores_is_no_source(tree):
    git(tree.ROOT, "init", "--quiet")
    write(tree.ROOT / ".gitignore", "*~\n")
    check_digests(tree)
    assert not is_another_after(tree, "src/a.c~", "int a;")
    git(tree.ROOT, "add", ".")
    before = tree.digest_of_sources()
    (tree.ROOT / "src" / "a.c").unlink()
    assert tree.digest_of_sources() != before


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_a_commit_is_dirty_where_its_sources_are_others(tree):
    assert tree.commit() == ""
    git(tree.ROOT, "init", "--quiet")
    git(tree.ROOT, "add", ".")
    git(tree.ROOT, "commit", "--quiet", "-m", "first")
    for name in ("docs/page.md", "tests/battery/results/x.json"):
        write(tree.ROOT / name, "{}")
        assert tree.commit() and "dirty" not in tree.commit()
    write(tree.ROOT / "src" / "a.c", "int b;")
    assert tree.commit().endswith("-dirty")
