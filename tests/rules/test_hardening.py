"""What is built is hardened: the libraries and the program, in every build that an optimising compiler makes."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from compilers import find_compilers
from hardening import missing, readelf

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ELF files"),
    pytest.mark.skipif(not shutil.which("readelf"), reason="readelf is not installed"),
]


@pytest.mark.parametrize("file", ["libmixboost.so", "libmixboost-predict.so", "mixboost"])
def test_nothing_is_missing(build, file):
    assert missing(build / file) == []


@pytest.mark.parametrize("library", ["libmixboost.a", "libmixboost-predict.a"])
def test_no_object_of_a_static_library_asks_for_an_executable_stack(build, library):
    """One that does not say that it needs none would make the stack of the whole program executable."""
    _, *objects = readelf(build / library, "-SW").split("\nFile: ")
    assert len(objects) > 40
    stacks = [
        re.findall(r"\.note\.GNU-stack +PROGBITS +(?:\w+ +){4}([A-Z]*) +\d+ +\d+ +\d+$", each, re.M) for each in objects
    ]
    assert [stack for stack in stacks if stack != [""]] == []


CODE = """#include <stdio.h>
#include <string.h>
int main(int n, char **words) { char text[99]; strcpy(text, words[n - 1]); return puts(text); }
void mxb_in_the_program(void) { }
"""
NONE = """-O2 -fno-stack-protector -U_FORTIFY_SOURCE -no-pie -fno-pie -rdynamic -Wl,-z,norelro,-z,lazy,-z,execstack
-Wl,-rpath,/nowhere,--disable-new-dtags""".split()
ALL = """-O2 -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -pie -fPIE
-Wl,-z,relro,-z,now,-z,noexecstack""".split()


@pytest.mark.parametrize("compiler", find_compilers())
def test_what_is_missing_is_seen(tmp_path, compiler):
    (tmp_path / "program.c").write_text(CODE)
    for flags, name in ((NONE, "none"), (ALL, "all")):
        subprocess.run([compiler, *flags, "program.c", "-o", name], cwd=tmp_path, check=True)
    assert missing(tmp_path / "all") == []
    names = "RELRO, BIND_NOW, stack protector, FORTIFY, no executable stack, no folders of its own to search"
    assert missing(tmp_path / "none") == [*names.split(", "), "any place in memory", "hidden symbols"]


@pytest.fixture(scope="module", params=["Release", "RelWithDebInfo", "MinSizeRel", "Debug", "None"])
def configured(root, tmp_path_factory, request):
    """The commands of a build: those of a package for a distribution have type None, and flags of their own."""
    folder = tmp_path_factory.mktemp(request.param)
    options = [
        f"-DCMAKE_BUILD_TYPE={request.param}",
        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
        "-DMIXBOOST_BUILD_TESTS=OFF",
    ]
    subprocess.run(["cmake", "-S", root, "-B", folder, "-G", "Ninja", *options], check=True, capture_output=True)
    units = json.loads((folder / "compile_commands.json").read_text())
    links = re.findall(r"^ +LINK_FLAGS = (.*)$", (folder / "build.ninja").read_text(), re.MULTILINE)
    return request.param, [unit["command"].split() for unit in units], links


def test_every_file_is_compiled_with_what_protects(configured):
    build_type, commands, _ = configured
    assert len(commands) > 150
    wanted = {"-fstack-protector-strong", "-fvisibility=hidden"}
    if build_type not in ("Debug", "None"):  # it needs an optimising compiler
        wanted |= {"-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"}
    assert [command[-1] for command in commands if not wanted <= set(command)] == []
    assert [command[-1] for command in commands if not {"-fPIC", "-fPIE"} & set(command)] == []


def test_everything_is_linked_with_what_protects(configured):
    _, _, links = configured
    assert len(links) == 3  # two libraries and the program
    assert [flags for flags in links if not re.search("-z,relro,-z,now,-z,noexecstack", flags)] == []
