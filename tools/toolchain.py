"""The compilers, CMake, Ninja and virtual environments that everything is built with."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys

from tools.logs import BUILD, ROOT, Failed, must_run, new_log

CMAKE_NEEDED = (3, 21)
N_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_venv(folder, requirements):
    """Makes a virtual environment with the given packages unless it is there already."""
    stamp = folder / "requirements.stamp"
    wanted = hashlib.sha256("\n".join([sys.version, *requirements]).encode()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return
    log = new_log(f"venv-{folder.name}")
    python = folder / "bin" / "python"
    has_ensurepip, has_pip = (importlib.util.find_spec(name) is not None for name in ("ensurepip", "pip"))
    if not has_ensurepip and not has_pip:
        raise Failed("This Python has neither ensurepip nor pip: install them (Debian calls the package python3-venv).")
    options = [] if has_ensurepip else ["--without-pip"]
    must_run([sys.executable, "-m", "venv", "--clear", *options, folder], log, "making a virtual environment")
    pip = [python, "-m", "pip"] if has_ensurepip else [sys.executable, "-m", "pip", "--python", python]
    what = f"fetching {', '.join(requirements)} from PyPI"
    must_run([*pip, "install", "--quiet", "--disable-pip-version-check", *requirements], log, what)
    stamp.write_text(wanted)


def find_tools():
    """Puts a CMake that is new enough and a Ninja on the PATH, fetching both where the system lacks one."""
    if find_compiler() is None:
        raise Failed("No C compiler was found: install gcc or clang, or name one in the environment variable CC.")
    version = None
    if shutil.which("cmake"):
        text = subprocess.run(["cmake", "--version"], capture_output=True, text=True).stdout
        match = re.search(r"(\d+)\.(\d+)", text)
        version = match and tuple(map(int, match.groups()))
    has_ninja = any(shutil.which(name) for name in ("ninja", "ninja-build", "samu"))
    if not version or version < CMAKE_NEEDED or not has_ninja:
        print("Fetching CMake and Ninja into build/tools ...", flush=True)
        make_venv(BUILD / "tools", ["cmake>=3.21", "ninja"])
        os.environ["PATH"] = f"{BUILD / 'tools' / 'bin'}{os.pathsep}{os.environ['PATH']}"


def find_compiler():
    return next((name for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name and shutil.which(name)), None)


def all_compilers():
    """gcc and clang, those that are there; where neither is, the system's own compiler."""
    return [name for name in ("gcc", "clang") if shutil.which(name)] or [find_compiler()]


def probe(compiler, flags, source="int main(void) { return 0; }", wrapper=()):
    """Whether the compiler makes a program with these flags that runs."""
    folder = BUILD / "probe"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "probe.c").write_text(source)
    compiled = subprocess.run([compiler, *flags, "probe.c", "-o", "probe"], cwd=folder, capture_output=True)
    if compiled.returncode != 0:
        return False
    ran = subprocess.run([*wrapper, folder / "probe", "-runs=1"], cwd=folder, capture_output=True)
    return ran.returncode == 0


def configure(folder, log, options, sources=ROOT):
    must_run(["cmake", "-S", sources, "-B", folder, *options], log, "cmake")


def build_targets(folder, log, targets=()):
    chosen = ["--target", *targets] if targets else []
    must_run(["cmake", "--build", folder, "--parallel", str(N_CORES), *chosen], log, "the build")


def configure_and_build(folder, log, options, targets=()):
    configure(folder, log, options)
    build_targets(folder, log, targets)


def build_preset(preset, log, options=()):
    configure_and_build(BUILD / preset, log, ["--preset", preset, *options])
