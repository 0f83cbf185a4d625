"""The wheel as a file: what is in it, what it needs, and that it can be built again to the last byte."""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import subprocess
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

LIBRARY = "mixboost/libmixboost.so"
PROGRAM = "{stem}.data/scripts/mixboost"
SBOM = "{stem}.dist-info/sboms/mixboost.cdx.json"


def built(pattern: str) -> Path:
    """The one file that ./dev built with this name."""
    (path,) = Path(os.environ["MIXBOOST_DIST"]).glob(pattern)
    return path


@pytest.fixture(scope="module")
def wheel() -> Path:
    return built("*.whl")


@pytest.fixture(scope="module")
def files(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def sources(stem: str) -> dict[str, bytes]:
    """The files of the sdist."""
    with tarfile.open(built("*.tar.gz")) as archive:
        return {member.name.removeprefix(f"{stem}/"): read(archive, member) for member in archive if member.isfile()}


def read(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    assert file is not None
    return file.read()


@pytest.fixture(scope="module")
def stem(wheel: Path) -> str:
    """mixboost-VERSION."""
    return "-".join(wheel.name.split("-")[:2])


def sections(content: bytes, folder: Path, option: str) -> str:
    """What readelf says of a file of the wheel."""
    (folder / "binary").write_bytes(content)
    return subprocess.run(["readelf", option, "binary"], cwd=folder, check=True, capture_output=True, text=True).stdout


def test_one_wheel_serves_every_python(wheel: Path, files: dict[str, bytes], stem: str) -> None:
    platform = re.fullmatch(r"mixboost-\d+\.\d+\.\d+-py3-none-(\w*linux\w+)\.whl", wheel.name)
    assert platform, wheel.name
    assert f"Tag: py3-none-{platform[1]}\n".encode() in files[f"{stem}.dist-info/WHEEL"]


def test_is_under_2_megabytes(wheel: Path) -> None:
    assert wheel.stat().st_size < 2_000_000


def test_holds_the_package_the_library_and_the_program(files: dict[str, bytes], stem: str, root: Path) -> None:
    wanted = {f"mixboost/{path.name}" for path in (root / "python/mixboost").glob("*.py")}
    wanted |= {"mixboost/py.typed", LIBRARY, PROGRAM.format(stem=stem), SBOM.format(stem=stem)}
    wanted |= {f"{stem}.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    assert set(files) == wanted


def test_the_record_states_every_file(files: dict[str, bytes], stem: str) -> None:
    record = f"{stem}.dist-info/RECORD"
    rows = {row[0]: row[1:] for row in csv.reader(files[record].decode().splitlines())}
    assert rows.pop(record) == ["", ""]
    digests = {
        name: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        for name, content in files.items()
        if name != record
    }
    assert rows == {name: [f"sha256={digest}", str(len(files[name]))] for name, digest in digests.items()}


def test_the_program_is_on_the_path(files: dict[str, bytes], stem: str) -> None:
    program = Path(sysconfig.get_path("scripts")) / "mixboost"
    assert program.read_bytes() == files[PROGRAM.format(stem=stem)]
    answer = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    assert answer.split() == stem.split("-")


@pytest.mark.parametrize("name", [LIBRARY, PROGRAM])
def test_binaries_are_stripped_and_need_the_c_library_only(
    files: dict[str, bytes], stem: str, tmp_path: Path, name: str
) -> None:
    content = files[name.format(stem=stem)]
    dynamic = sections(content, tmp_path, "-dW")
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    assert needed
    assert [library for library in needed if not re.match(r"(libc|libm|libpthread|ld-\w+[-\w]*)\.", library)] == []
    assert "RPATH" not in dynamic
    assert "RUNPATH" not in dynamic
    assert ".symtab" not in sections(content, tmp_path, "-SW")


@pytest.fixture(scope="module")
def hardening(root: Path) -> ModuleType:
    """What the tests of the library share about built files."""
    spec = importlib.util.spec_from_file_location("hardening", root / "tests/hardening.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", [LIBRARY, PROGRAM])
def test_binaries_are_hardened(
    files: dict[str, bytes], stem: str, tmp_path: Path, hardening: ModuleType, name: str
) -> None:
    (tmp_path / "binary").write_bytes(files[name.format(stem=stem)])
    assert hardening.missing(tmp_path / "binary") == []


def test_the_bill_of_materials_says_that_all_is_ours(files: dict[str, bytes], stem: str) -> None:
    """CycloneDX, where PEP 770 wants it; its version is the header's."""
    bill = json.loads(files[SBOM.format(stem=stem)])
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.5", 1)
    name, version = stem.split("-")
    package = bill["metadata"]["component"]
    assert (package["name"], package["version"]) == (name, version)
    assert package["bom-ref"] == package["purl"] == f"pkg:pypi/{name}@{version}"
    assert package["licenses"] == [{"license": {"id": "Apache-2.0"}}]
    (told,) = package["properties"]
    assert told == {"name": "mixboost:third-party-components", "value": "none"}
    assert bill["components"] == []
    assert bill["dependencies"] == [{"ref": package["bom-ref"], "dependsOn": []}]
    assert bill["compositions"] == [{"aggregate": "complete", "assemblies": [package["bom-ref"]]}]


def test_no_machine_shows_in_the_archive(wheel: Path) -> None:
    """Order, dates and permissions are the same from every file system, clock and checkout."""
    with zipfile.ZipFile(wheel) as archive:
        entries = archive.infolist()
    names = [entry.filename for entry in entries]
    assert names == sorted(names, key=lambda name: (".dist-info/" in name, name.endswith("/RECORD"), name))
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    modes = {entry.filename: entry.external_attr >> 16 for entry in entries}
    programs = {name for name, mode in modes.items() if mode == 0o100755}
    assert programs == {name for name in names if name.endswith((".so", "/scripts/mixboost"))}
    assert {mode for name, mode in modes.items() if name not in programs} == {0o100644}


def test_no_path_of_this_machine_is_in_it(files: dict[str, bytes], root: Path) -> None:
    assert [name for name, content in files.items() if os.fsencode(root) in content] == []


def test_depends_on_numpy_and_scikit_learn_only() -> None:
    requirements = [Requirement(line) for line in importlib.metadata.requires("mixboost") or []]
    hard = [requirement for requirement in requirements if requirement.marker is None]
    assert sorted(requirement.name for requirement in hard) == ["numpy", "scikit-learn"]
    assert all(requirement.specifier.contains(importlib.metadata.version(requirement.name)) for requirement in hard)


def test_the_oldest_versions_it_allows_are_those_it_is_tested_with(root: Path) -> None:
    lines = (root / "python/tests/oldest.txt").read_text().splitlines()
    pins = [Requirement(line) for line in lines if not line.startswith("#")]
    for requirement in map(Requirement, importlib.metadata.requires("mixboost") or []):
        if requirement.marker is None:
            (bound,) = requirement.specifier
            oldest = next(pin for pin in pins if pin.name == requirement.name).specifier
            assert bound.operator == ">="
            assert oldest.contains(bound.version), f"{requirement} is tested with {oldest}"


def test_the_sdist_holds_sources_as_they_are(sources: dict[str, bytes], root: Path) -> None:
    written = {name: content for name, content in sources.items() if name != "PKG-INFO"}
    assert [name for name, content in written.items() if (root / name).read_bytes() != content] == []
    assert [name for name in written if re.search(r"^build/|/__pycache__/|\.(o|a|so|pyc|whl)$", name)] == []
    assert {"CMakeLists.txt", "src/boost/trainer.c", "python/tests/test_wheel.py"} <= set(written)


def test_the_sdist_gives_the_same_wheel_to_the_last_byte(
    wheel: Path, sources: dict[str, bytes], root: Path, tmp_path: Path
) -> None:
    """Another folder, another build folder, compiled anew, by another front end."""
    for name, content in sources.items():
        path = tmp_path / "another folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o700)
    command = [os.environ["MIXBOOST_BUILDER"], "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*command, "-w", "dist", "./another folder"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "dist" / wheel.name).read_bytes() == wheel.read_bytes()
