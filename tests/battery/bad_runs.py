"""Runs the program on bad input and compares what it says with the tables."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
from contextlib import ExitStack
from pathlib import Path

from bad_cases import Case, Room, make_file, read_room, words_of

ROOMS = ["csv", "models", "options", "spaces", "journals", "program"]


def run(program: Path, call: str, folder: Path) -> tuple[str, str, str]:
    """The exit code, standard output and standard error."""
    command = [str(program).encode(), *words_of(call)]
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return str(done.returncode), done.stdout.decode(), done.stderr.decode("utf-8", "backslashreplace")


def files_in(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def prepare(program: Path, room: Room, folder: Path) -> Path:
    """Makes what all cases of the room have."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, recipe in room.files.items():
        make_file(folder, name, recipe)
    for call in room.commands:
        code, _, said = run(program, call, folder)
        if code != "0":
            raise ValueError(f"{room.name}.txt: {call}: {said}")
    return folder


def mistake_of(program: Path, case: Case, room: Room, given: Path, folder: Path) -> str:
    """What is not as the table says; nothing where all is. `given` has the files of the room."""
    shutil.copytree(given, folder)
    for name, recipe in case.files.items():
        if room.files.get(name) != recipe:
            make_file(folder, name, recipe)
    before = files_in(folder)
    with ExitStack() as stack:
        for name, recipe in case.files.items():
            if recipe.endswith("| locked"):
                fcntl.flock(stack.enter_context(open(folder / name, "rb")), fcntl.LOCK_EX)
        code, printed, said = run(program, case.call, folder)
    if (code, said) != (case.result, f"mixboost: {case.sentence}\n"):
        return f"{case}\n{code}: {said}is not\n{case.result}: mixboost: {case.sentence}\n"
    if printed:
        return f"{case}: it printed {printed!r}"
    if files_in(folder) != before:
        return f"{case}: it changed files"
    shutil.rmtree(folder)
    return ""


def mistakes_of_room(program: Path, name: str, folder: Path) -> tuple[int, list[str]]:
    """How many cases the room has, and what is not as it says."""
    room = read_room(name)
    shutil.rmtree(folder, ignore_errors=True)
    given = prepare(program, room, folder / "given")
    found = [mistake_of(program, case, room, given, folder / str(case.line)) for case in room.cases]
    return len(room.cases), [mistake for mistake in found if mistake]
