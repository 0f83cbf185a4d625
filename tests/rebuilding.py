"""Building once more in another folder, and comparing what came of it."""

import os
import shutil
import subprocess

SOURCES = ["CMakeLists.txt", "cli", "cmake", "include", "src"]


def run(*command, **options):
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert ran.returncode == 0, f"{' '.join(map(str, command))}\n{ran.stdout[-4000:]}"


def install(build, prefix):
    run("cmake", "--install", build, "--prefix", prefix)


def install_from(root, folder):
    """Copies the sources into a folder that is not there yet, builds them at another hour of the day, and installs.
    Returns where to."""
    sources = folder / "other sources"
    for name in SOURCES:
        copy = shutil.copytree if (root / name).is_dir() else shutil.copy
        sources.mkdir(parents=True, exist_ok=True)
        copy(root / name, sources / name)
    environment = {**os.environ, "TZ": "UTC-13", "LC_ALL": "C"}
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DMIXBOOST_BUILD_TESTS=OFF"]
    run("cmake", "-S", sources, "-B", folder / "objects", *options, env=environment)
    run("cmake", "--build", folder / "objects", env=environment)
    install(folder / "objects", folder / "installed")
    return folder / "installed"


def contents(folder):
    """Files by their names, and where links lead."""
    paths = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    return {
        str(path.relative_to(folder)): os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
        for path in paths
    }


def differing_bytes(first, second):
    """How many bytes differ, for each file in which any do; all of a file that one side does not have."""
    found = {}
    for name in sorted({*first, *second}):
        a, b = first.get(name, b""), second.get(name, b"")
        n = abs(len(a) - len(b)) + sum(x != y for x, y in zip(a, b, strict=False)) if a != b else 0
        if n > 0 or (name in first) != (name in second):
            found[name] = max(n, 1)
    return found
