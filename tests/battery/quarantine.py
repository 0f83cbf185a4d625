"""Runs a command where it can do no harm, whatever it tries: beside one folder and a /tmp of its own, all files and
devices are as they are and stay so, and its memory has an end.

    quarantine.py FOLDER COMMAND ...      FOLDER in build, or not in /tmp

A library that has lost the check of what it replaces would, as root, replace /dev/null.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_MEMORY = 8 << 30
AWAY = "/mnt"  # where the sources are while /tmp, which they may lie in, is replaced

SYS_MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1


def quarantined(folder: Path, command: list[object]) -> list[object]:
    """The command that runs a command so, as the same user, who for a moment must be one that may mount."""
    user, group = os.geteuid(), os.getegid()
    become_root = [] if user == 0 else ["--map-root-user"]
    become_user = [] if user == 0 else ["unshare", f"--map-user={user}", f"--map-group={group}"]
    return ["unshare", *become_root, "--mount", sys.executable, __file__, folder, *become_user, *command]


def mount(*words: object) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


def set_read_only(path: Path, flags: int, is_read_only: bool) -> None:
    class Attributes(ctypes.Structure):
        _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user_namespace")]

    wanted = Attributes(MOUNT_ATTR_RDONLY if is_read_only else 0, 0 if is_read_only else MOUNT_ATTR_RDONLY, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = (AT_FDCWD, os.fsencode(path), flags, ctypes.byref(wanted), ctypes.c_size_t(ctypes.sizeof(wanted)))
    if libc.syscall(SYS_MOUNT_SETATTR, *arguments) != 0:
        raise OSError(ctypes.get_errno(), f"cannot protect {path}: {os.strerror(ctypes.get_errno())}")


def protect_all_but(folder: Path) -> None:
    mount("--rbind", ROOT, AWAY)
    mount("-t", "tmpfs", "-o", "size=2g", "tmpfs", "/tmp")
    ROOT.mkdir(parents=True, exist_ok=True)
    mount("--rbind", AWAY, ROOT)
    mount("--bind", folder, folder)
    set_read_only(Path("/"), AT_RECURSIVE, True)
    for path in (folder, Path("/tmp"), Path("/proc")):  # where is told who the user is
        set_read_only(path, 0, False)


def main() -> None:
    folder, command = Path(sys.argv[1]), sys.argv[2:]
    protect_all_but(folder)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
