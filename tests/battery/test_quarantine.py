"""What runs in quarantine writes where it may, and nowhere else."""

import subprocess

import pytest


@pytest.fixture
def folder(root):
    path = root / "build" / "quarantine"
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture
def run(sections, folder):
    quarantine = sections("quarantine")

    def run_in(script):
        command = quarantine.quarantined(folder, ["sh", "-c", script])
        return subprocess.run(list(map(str, command)), capture_output=True, text=True)

    if run_in("true").returncode != 0:
        pytest.skip("this system gives nobody a namespace of mounts")
    return run_in


@pytest.mark.parametrize("outside", ["/", "/dev", "/etc", "/mnt"])
def test_what_is_outside_cannot_be_written(run, outside):
    assert run(f"test -d {outside} && test ! -w {outside}").returncode == 0


def test_nor_can_the_sources(run, root):
    assert run(f"test -f {root}/CMakeLists.txt && test ! -w {root} && test ! -w {root}/CMakeLists.txt").returncode == 0


def test_the_folder_can_and_so_can_a_tmp_that_nobody_else_sees(run, folder, tmp_path):
    made = run(f"echo of the folder > made && echo of tmp > /tmp/made && cat /tmp/made && test ! -e {tmp_path}")
    assert made.returncode == 0 and made.stdout == "of tmp\n"
    assert (folder / "made").read_text() == "of the folder\n"


def test_devices_still_work_and_memory_has_an_end(run, sections):
    assert run("echo gone > /dev/null && test -c /dev/null").returncode == 0
    assert int(run("ulimit -d").stdout) == sections("quarantine").MOST_MEMORY // 1024
