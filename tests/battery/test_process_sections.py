"""The sections of processes and of sizes: what they count, and that what is broken is counted."""

import faulthandler
import os
import signal
import time

import pytest


def die():
    faulthandler.disable()  # pytest's
    os.kill(os.getpid(), signal.SIGSEGV)


def test_how_a_child_ends_is_told(sections, monkeypatch):
    peers_forks = sections("peers_forks")
    monkeypatch.setattr(peers_forks, "SECONDS", 1)

    def end(work):
        return peers_forks.end_in_a_child(work, lambda: None)

    assert end(lambda: True) == "same"
    assert end(lambda: False) == "different"
    assert end(lambda: time.sleep(30)) == "hangs"
    assert end(die) == "crashes"
    assert end(lambda: 1 / 0) == "crashes"
    assert end(lambda: os._exit(0)) == end(lambda: os._exit(1)) == "crashes"


def test_a_parent_that_hangs_ends(sections, monkeypatch, tmp_path):
    peers, peers_forks = sections("peers"), sections("peers_forks")
    monkeypatch.setattr(peers_forks, "SECONDS", 1)

    def fork():
        peers_forks.end_in_a_child(lambda: True, lambda: time.sleep(60))
        return 0

    assert os.WTERMSIG(peers.in_a_child(fork, tmp_path / "messages")) == signal.SIGALRM


def test_a_pool_that_hangs_is_told(sections, monkeypatch):
    peers_forks = sections("peers_forks")
    monkeypatch.setattr(peers_forks, "SECONDS", 1)

    class Trainings:
        def __init__(self, trains):
            self.trains = trains

    assert peers_forks.end_of_a_pool(Trainings(lambda: True)) == "same"
    assert peers_forks.end_of_a_pool(Trainings(lambda: False)) == "different"
    assert peers_forks.end_of_a_pool(Trainings(lambda: time.sleep(30))) == "hangs"


def counts_of_processes(processes, **ours):
    ends = {"different": 0, "hangs": 0, "crashes": 0, "version": "1.2"}
    counts = {
        processes.name_of(who, at): {**ends, "repeats": n}
        for who, n in processes.LIBRARIES.items()
        for at in processes.SITUATIONS
    }
    counts[processes.name_of("mixboost", "pool")].update(ours)
    counts[processes.name_of("XGBoost", "trained")].update(hangs=20)
    counts["forks, release"] = counts["forks, asan"] = {"in_c": 200, "failed": 0}
    groups = {"groups of version 1": 1, "groups of version 2": 0, "beyond a limit": 0}
    counts["default threads"] = {"threads": 4, "threads on one": 1, "processors": 4, **groups}
    counts["float modes"] = {"modes_same": 813, "modes_left": 0, "failed": 0}
    counts["beside"] = {"beside": 24, "beside_different": 0, "bad forks": 0, "modes changed": 0, "OpenMP runtimes": 1}
    return counts


def missed(found):
    return [figure.title for figure in found if not figure.is_met]


def test_hangs_of_ours_are_not_met_and_those_of_others_are_told(sections):
    processes = sections("processes")
    figures = processes.figures(counts_of_processes(processes), False)
    assert missed(figures) == []
    (told,) = (figure for figure in figures if figure.booster == "XGBoost" and "children train," in figure.title)
    assert told.measured == 100 and not told.must and "too many" not in told.title
    for end in ("different", "hangs", "crashes"):
        broken = processes.figures(counts_of_processes(processes, **{end: 1}), False)
        (title,) = missed(broken)
        assert "children train in a pool" in title


def test_forks_that_were_not_all_tried_are_told(sections):
    processes = sections("processes")
    counts = counts_of_processes(processes, repeats=150, hangs=100)
    found = [figure for figure in processes.figures(counts, False) if "(after 150, too many had hung" in figure.title]
    assert [figure.booster for figure in found] == ["mixboost"]


def test_there_must_be_a_control_group(sections):
    processes = sections("processes")
    counts = counts_of_processes(processes)
    counts["default threads"]["groups of version 1"] = 0
    assert missed(processes.figures(counts, False)) == ["real control groups that could be made"]


@pytest.mark.parametrize("n_threads", [1, 3, 5])
def test_threads_by_default_are_as_many_as_there_are_processors(sections, n_threads):
    processes = sections("processes")
    counts = counts_of_processes(processes)
    counts["default threads"]["threads"] = n_threads
    (title,) = missed(processes.figures(counts, False))
    assert "threads by default, with all processors" in title


@pytest.mark.parametrize(
    "files, n",
    [
        ({"proc/self/cgroup": "0::/a/b\n"}, 8),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, 8),
        ({"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "250000 100000\n"}, 3),
        ({"proc/self/cgroup": "0::/elsewhere\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2),
        ({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "2000000 100000\n"}, 8),
        (
            {
                "proc/self/cgroup": "5:memory:/a\n4:cpu,cpuacct:/a\n",
                "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "150000\n",
                "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
            },
            2,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/a\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            },
            8,
        ),
    ],
)
def test_processors_are_counted_by_affinity_and_control_groups(sections, monkeypatch, tmp_path, files, n):
    processes = sections("processes")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)))
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert processes.n_processors(tmp_path) == n


def test_a_folder_that_is_no_control_group_is_not_taken_for_one(sections, monkeypatch, tmp_path):
    processes = sections("processes")
    monkeypatch.setitem(processes.CONTROL_GROUPS, 2, (tmp_path, {"cpu.max": "100000 100000"}))
    with processes.control_group(2) as group:
        assert group is None
    monkeypatch.setitem(processes.CONTROL_GROUPS, 2, (tmp_path / "not there", {"cpu.max": "100000 100000"}))
    with processes.control_group(2) as group:
        assert group is None
    assert list(tmp_path.iterdir()) == []


def test_a_part_without_room_fails_with_a_sentence(sections, tmp_path):
    size = sections("size")
    size.check_room(0, 0, tmp_path)
    for memory, disk in ((10**6, 0), (0, 10**9)):
        with pytest.raises(
            sections("tools.logs").Failed, match=f"needs {memory} GiB of memory that is free, and {disk}"
        ):
            size.check_room(memory, disk, tmp_path)
