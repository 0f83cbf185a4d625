"""The machine that figures belong to: its name, a process's memory on it, and neighbours that keep it busy."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def processor() -> str:
    """Its name, with family and model where that is all that a virtual machine tells of the generation."""
    found = dict(re.findall(r"^([\w ]+?)\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    if "model name" not in found:
        return platform.machine()
    return f"{found['model name']} (family {found.get('cpu family', '?')}, model {found.get('model', '?')})"


def machine_name() -> str:
    """The same as a part of file names."""
    return re.sub(r"\W+", "-", processor().lower()).strip("-")


def describe() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{processor()}, {os.cpu_count()} processors, {memory:.0f} GiB; Python {platform.python_version()}"


class PeakMemory:
    """The most memory that this process has had since this was made, over what it had then."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")  # from here on the kernel's peak is that of what follows
        self.before = self._kilobytes("VmRSS")

    def bytes(self) -> float:
        return 1024.0 * (self._kilobytes("VmHWM") - self.before)

    def _kilobytes(self, name: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


@contextmanager
def busy_neighbours(n: int) -> Iterator[None]:
    """Processes that compute all the time."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()
