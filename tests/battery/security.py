"""What is handed to others: hardened, built twice to the same bytes, and told what is in it."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

from programs import build

from battery import Counts, Figure, Part, Run, Section, total
from tests.hardening import missing
from tests.rebuilding import contents, differing_bytes, install, install_from
from tools.logs import RELEASE, ROOT, must_run
from tools.wheel import BUILDER, DIST, build_wheel

BINARIES = ["libmixboost.so", "libmixboost-predict.so", "mixboost"]
OTHER_FILE_SYSTEM = Path("/dev/shm")  # lists folders in another order than a disk


def protections_of(binaries: list[Path]) -> Counts:
    lacks = {binary.name: missing(binary) for binary in binaries}
    for name, lacked in lacks.items():
        if lacked:
            print(f"{name} lacks {', '.join(lacked)}", file=sys.stderr)
    return {"binaries": len(binaries), "lacks": sum(map(len, lacks.values()))}


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def compared(first: dict[str, bytes], second: dict[str, bytes]) -> tuple[int, int]:
    """How many files there are, and how many bytes of them differ."""
    differing = differing_bytes(first, second)
    for name, n in differing.items():
        print(f"{name} differs in {n} bytes", file=sys.stderr)
    return len(first), sum(differing.values())


def twice_installed(run: Run) -> Counts:
    """The preset of everybody, and a copy of the sources."""
    build("release", run.log)
    folder = fresh(run.folder / "library")
    install(RELEASE, folder / "first")
    counts = protections_of([RELEASE / name for name in BINARIES])
    n_files, n_bytes = compared(contents(folder / "first"), contents(install_from(ROOT, folder / "another")))
    return {**counts, "installed": n_files, "installed differ": n_bytes}


def again_from_the_sdist(folder: Path, log: Path) -> Path:
    """By another front end, with temporary files elsewhere."""
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    (sources,) = folder.iterdir()
    environment = {**os.environ, "TZ": "UTC-13"}
    if os.access(OTHER_FILE_SYSTEM, os.W_OK):
        environment["TMPDIR"] = str(OTHER_FILE_SYSTEM)
    command = [BUILDER, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder / "dist"]
    must_run([*command, sources], log, "building the wheel again", environment)
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def twice_packed(run: Run) -> Counts:
    folder = fresh(run.folder / "wheel")
    build_wheel(run.log)
    (wheel,) = DIST.glob("*.whl")
    another = again_from_the_sdist(folder, run.log)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "unpacked")
    found = contents(folder / "unpacked")
    binaries = [folder / "unpacked" / name for name, content in found.items() if content.startswith(b"\x7fELF")]
    bills = [json.loads(content) for name, content in found.items() if "/sboms/" in name]
    _, n_bytes = compared({wheel.name: wheel.read_bytes()}, {another.name: another.read_bytes()})
    return {
        **protections_of(binaries),
        "wheel differs": n_bytes,
        "bills": len(bills),
        "components": sum(len(bill["components"]) for bill in bills),
    }


def parts(is_short: bool) -> list[Part]:
    """The unit tests do the same."""
    return [] if is_short else [Part("library and program", twice_installed), Part("wheel", twice_packed)]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    return [
        Figure("libraries and programs looked at, those of the wheel too", total(counts, "binaries"), "= 5"),
        Figure("protections that any of them lacks", total(counts, "lacks"), "= 0"),
        Figure("installed files built in two folders", total(counts, "installed"), "≥ 12"),
        Figure("bytes of them that differ", total(counts, "installed differ"), "= 0"),
        Figure("bytes that differ between two builds of the wheel", total(counts, "wheel differs"), "= 0"),
        Figure("bills of materials in the wheel", total(counts, "bills"), "= 1"),
        Figure("third-party components in it", total(counts, "components"), "= 0"),
    ]


SECURITY = Section("security", "Hardening, reproducible builds, bill of materials", parts, figures)
