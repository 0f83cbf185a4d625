"""The build backend: scikit-build-core's, and two things that it does not do yet.

A wheel has a bill of materials (PEP 770), and it is packed in one order, with one date and permissions that follow from
the contents. So its bytes depend on the sources, the compiler and this backend alone, and neither on the clock, nor on
the permissions of a checkout, nor on the order in which a file system lists a folder.
"""

from __future__ import annotations

import base64
import csv
import email
import hashlib
import io
import json
import stat
import zipfile
from pathlib import Path

from scikit_build_core import build
from scikit_build_core.build import (
    build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
)

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

Settings = dict[str, "list[str] | str"]

BILL = "sboms/mixboost.cdx.json"
DATE = (1980, 1, 1, 0, 0, 0)  # the first that an archive can hold


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Settings | None = None) -> str:
    name = build.prepare_metadata_for_build_wheel(metadata_directory, config_settings)
    folder = Path(metadata_directory) / name
    (folder / BILL).parent.mkdir()
    (folder / BILL).write_bytes(bill_of_materials((folder / "METADATA").read_bytes()))
    return name


def build_wheel(
    wheel_directory: str, config_settings: Settings | None = None, metadata_directory: str | None = None
) -> str:
    name = build.build_wheel(wheel_directory, config_settings, metadata_directory)
    wheel = Path(wheel_directory) / name
    with zipfile.ZipFile(wheel) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    (folder,) = (entry.removesuffix("METADATA") for entry in files if entry.endswith(".dist-info/METADATA"))
    files[folder + BILL] = bill_of_materials(files[folder + "METADATA"])
    del files[folder + "RECORD"]
    pack(wheel, files, folder)
    return name


def bill_of_materials(metadata: bytes) -> bytes:
    """In CycloneDX 1.5. All that is in the wheel is compiled from, or is, the project's own sources."""
    about = email.message_from_bytes(metadata)
    reference = f"pkg:pypi/{about['Name']}@{about['Version']}"
    package = {
        "type": "library",
        "bom-ref": reference,
        "name": about["Name"],
        "version": about["Version"],
        "description": about["Summary"],
        "licenses": [{"license": {"id": about["License-Expression"]}}],
        "purl": reference,
        "properties": [{"name": "mixboost:third-party-components", "value": "none"}],
    }
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": package},
        "components": [],
        "dependencies": [{"ref": reference, "dependsOn": []}],
        "compositions": [{"aggregate": "complete", "assemblies": [reference]}],
    }
    return (json.dumps(bill, indent=2) + "\n").encode()


def pack(wheel: Path, files: dict[str, bytes], folder: str) -> None:
    """Writes a wheel of these files, those of `folder` (.dist-info) last, and its record."""
    names = sorted(files, key=lambda name: (name.startswith(folder), name))
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for name in names:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).decode().rstrip("=")
        rows.writerow([name, f"sha256={digest}", len(files[name])])
    rows.writerow([folder + "RECORD", "", ""])
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            add(archive, name, files[name])
        add(archive, folder + "RECORD", record.getvalue().encode())


def add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    permissions = 0o755 if content.startswith(b"\x7fELF") else 0o644
    entry.external_attr = (stat.S_IFREG | permissions) << 16
    archive.writestr(entry, content)
