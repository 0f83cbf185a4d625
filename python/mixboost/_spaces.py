"""Search spaces out of what users call a space: a name, a text, a file, or a dict."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from . import _native
from ._columns import naming

Ranges = Mapping[str, object]

_SCALES = ("linear", "log10", "integer")
_KINDS = "it must be the name of a built-in space, the text of one, the pathlib.Path of a file, or a dict"


class SpaceText(NamedTuple):
    """The text that the library reads."""

    text: str
    is_built_in: bool


def space_text(space: str | os.PathLike[str] | Ranges) -> SpaceText:
    """The text of a space.

    Of a dict ``{option: what it may be}`` a tuple ``(lowest, highest, scale)`` is a range, a list is a choice of its
    values, and anything else a value that is always the same. With ``"defaults": True`` configuration 0 is not drawn.
    """
    if isinstance(space, str):
        built_in = _native.built_in_space(space)
        if built_in is None and len(space.split()) < 2:
            raise ValueError(f"space is {space!r}, and there is no built-in space of that name; {_KINDS}")
        return SpaceText(built_in or space, built_in is not None)
    if isinstance(space, os.PathLike):
        with naming(os.fspath(space)):
            text = Path(space).read_text(encoding="utf-8")
            _native.Space(text)  # so that a mistake in it is told with its name
        return SpaceText(text, False)
    if isinstance(space, Mapping):
        return SpaceText("".join(_line(option, values) for option, values in space.items()), False)
    raise TypeError(f"space is a {type(space).__name__}; {_KINDS}")


def _line(option: str, values: object) -> str:
    if option == "defaults" and isinstance(values, bool):
        return "defaults\n" if values else ""
    if isinstance(values, list):
        if not values:
            raise ValueError(f"the space has [] for {option}; a choice needs at least one value")
        words = [*(_word(option, value) for value in values), "choice"]
    elif isinstance(values, tuple):
        if len(values) != 3 or values[2] not in _SCALES:
            raise ValueError(
                f"the space has {values!r} for {option}; a range is (lowest, highest, scale), the scale one of "
                + ", ".join(_SCALES)
            )
        words = [_word(option, value) for value in values]
    else:
        words = [_word(option, values)]
    return " ".join([_word("an option", option), *words]) + "\n"


def _word(option: str, value: object) -> str:
    text = _native.option_text(option, value)
    if len(text.split()) != 1 or "#" in text:
        raise ValueError(f"the space has the value {value!r} for {option}, which no option takes")
    return text
