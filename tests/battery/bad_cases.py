"""Reads the tables of bad input and makes the files that they describe. The tables are bad_input/*.txt, each a room of
blocks with blank lines between them. Lines of a block:

    # a comment
    d.csv: a,y\\n1,2\\n                      a file of this text, with the escapes of a Python string
    bad.mxb = trees.mxb | flip 40 | repair   a file made of another one: the edits are those of `EDITS`
    folder/                                  an empty folder
    locked j.mxj                             the file is locked, as by another run
    $ show bad.mxb                           a command line of mixboost
    > fit(X, y[1:])                          or a line of Python
    1: "bad.mxb" is ...                      the exit code or the exception, and the exact sentence; ends a case

Files are those of all cases of their block; a block without a case has those of the whole room, and the results of its
commands. `let NAME = text` lets {NAME} stand for a text from there on.
"""

from __future__ import annotations

import codecs
import re
import shlex
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

TABLES = Path(__file__).resolve().parent / "bad_input"
GOLDEN = TABLES.parents[1] / "golden"
SECTIONS = ["meta", "options", "scaling", "projections", "terms", "curve"]


class Case(NamedTuple):
    room: str
    line: int
    files: dict[str, str]  # name to recipe: ": text", "= a file and edits", "/" or "locked"
    call: str
    result: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.room} {self.line}: {self.call}"


@dataclass
class Room:
    name: str
    files: dict[str, str] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)


# ---- The tables ----

FILE = re.compile(r"(?P<name>[\w.]+)(?P<recipe>: .*|:$| = .*|/$)")
RESULT = re.compile(r"(\d|[A-Z]\w+): (.+)")


def read_room(name: str) -> Room:
    room = Room(name)
    reader = BlockReader(room)
    for number, line in enumerate((TABLES / f"{name}.txt").read_text(encoding="utf-8").splitlines(), 1):
        try:
            reader.take(number, line)
        except ValueError as error:
            raise ValueError(f"{name}.txt, line {number}: {error}") from None
    reader.end()
    return room


class BlockReader:
    """The block that is being read."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._lets: dict[str, str] = {}
        self._begin()

    def _begin(self) -> None:
        self._files: dict[str, str] = {}
        self._calls: list[str] = []
        self._n_cases = 0

    def end(self) -> None:
        if self._n_cases == 0:
            self._room.files.update(self._files)
            self._room.commands += self._calls
        elif self._calls:
            raise ValueError(f"nothing is said of {self._calls[-1]}")
        self._begin()

    def take(self, number: int, line: str) -> None:
        if not line:
            self.end()
            return
        if line.startswith("#"):
            return
        for name, text in self._lets.items():
            line = line.replace(f"{{{name}}}", text)
        kind, _, rest = line.partition(" ")
        result, file = RESULT.fullmatch(line), FILE.fullmatch(line)
        if kind in ("$", ">"):
            self._calls.append(rest)
        elif kind == "let":
            name, _, text = rest.partition(" = ")
            self._lets[name] = text
        elif kind == "locked":
            self._files[rest] += " | locked"
        elif result and self._calls:
            self._add_case(number, *result.groups())
        elif file:
            self._files[file["name"]] = file["recipe"]
        else:
            raise ValueError("neither a file, nor a call, nor a result")

    def _add_case(self, number: int, result: str, sentence: str) -> None:
        files = {**self._room.files, **self._files}
        self._room.cases.append(Case(self._room.name, number, files, self._calls.pop(), result, sentence))
        self._n_cases += 1
        if self._calls:
            raise ValueError(f"nothing is said of {self._calls[-1]}")


# ---- The files ----


def crc64(data: bytes) -> int:
    """CRC-64/XZ, of models and journals."""
    crc = 0xFFFFFFFFFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFFFFFFFFFF


def _crc_of_byte(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0xC96C5795D7870F42 if byte & 1 else 0)
    return byte


CRC_TABLE = [_crc_of_byte(byte) for byte in range(256)]


def plain(text: str) -> bytes:
    """The bytes that a text with escapes stands for."""
    return codecs.escape_decode(text.encode())[0]


def place(data: bytes, where: str) -> int:
    """An offset: 20, -1, the start of a section of a model, "terms", or "terms+4"."""
    name, _, more = where.partition("+")
    if name not in SECTIONS:
        at = int(where)
        return at if at >= 0 else len(data) + at
    entry = 24 + 32 * SECTIONS.index(name)
    return struct.unpack_from("<Q", data, entry + 8)[0] + int(more or 0)


def cut(data: bytes, where: str) -> bytes:
    """The bytes before a place."""
    return data[: place(data, where)]


def add(data: bytes, text: str) -> bytes:
    return data + plain(text)


def times(data: bytes, n: str) -> bytes:
    return data * int(n)


def put(data: bytes, how: str) -> bytes:
    """Writes a number of a type of the module struct, little-endian: "terms+4 I 7"."""
    where, letter, number = how.split()
    at = place(data, where)
    value = struct.pack(f"<{letter}", float(number) if letter in "fd" else int(number, 0))
    return data[:at] + value + data[at + len(value) :]


def flip(data: bytes, where: str) -> bytes:
    """Changes the lowest bit of a byte."""
    at = place(data, where)
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def replace(data: bytes, how: str) -> bytes:
    old, new = (plain(text) for text in how.split(" with "))
    if data.count(old) != 1:
        raise ValueError(f"{old!r} is there {data.count(old)} times")
    return data.replace(old, new)


def utf16(data: bytes, _: str) -> bytes:
    return data.decode().encode("utf-16")


def repair(data: bytes, _: str) -> bytes:
    """Makes the checksums of a model, and its length, what they should be."""
    model = bytearray(data)
    n_sections = min(struct.unpack_from("<I", model, 12)[0], 64)
    for entry in range(24, 24 + 32 * n_sections, 32):
        offset, length = struct.unpack_from("<QQ", model, entry + 8)
        struct.pack_into("<Q", model, entry + 24, crc64(model[offset : offset + length]))
    return repair_header(bytes(model), "")


def repair_header(data: bytes, _: str) -> bytes:
    """Makes the checksum of a model's header what it should be, and no other."""
    end = 24 + 32 * struct.unpack_from("<I", data, 12)[0]
    return data[:end] + struct.pack("<Q", crc64(data[:end])) + data[end + 8 :]


EDITS = {
    edit.__name__.replace("_", " "): edit
    for edit in (cut, add, times, put, flip, replace, utf16, repair_header, repair)
}


def edited(data: bytes, edit: str) -> bytes:
    for name, action in EDITS.items():
        if edit == name or edit.startswith(f"{name} "):
            return action(data, edit[len(name) + 1 :])
    raise ValueError(f"there is no edit {edit!r}")


def make_file(folder: Path, name: str, recipe: str) -> None:
    """Makes a file of its recipe; "locked" is for who runs the case."""
    if recipe == "/":
        (folder / name).mkdir()
    elif recipe.startswith(":"):
        (folder / name).write_bytes(plain(recipe[2:]))
    else:
        source, *edits = recipe[3:].split(" | ")
        data = ((folder if (folder / source).exists() else GOLDEN) / source).read_bytes()
        for edit in edits:
            data = data if edit == "locked" else edited(data, edit)
        (folder / name).write_bytes(data)


def words_of(call: str) -> list[bytes]:
    """The words of a command line, split as a shell does."""
    return [plain(word) for word in shlex.split(call.replace("\\", "\\\\"))]
