"""Which C compilers this machine has."""

import shutil


def find_compilers():
    """gcc and clang, those that are there; where neither is, the system's own compiler."""
    return [name for name in ("gcc", "clang") if shutil.which(name)] or ["cc"]
