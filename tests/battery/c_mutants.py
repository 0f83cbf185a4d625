"""Mutants of C sources: one small change each that a test should see. Comments, texts and the preprocessor's lines are
left alone, and no change moves a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TOKEN = re.compile(
    r"""(?P<skipped>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
      | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<number>\d[\w.]*(?:(?<=[eEpP])[+-]\w+)?)
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||<<|>>|[<>=!+\-*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

SIGNS = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "&&": ("||",),
    "||": ("&&",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "%": ("*",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|",),
    "|": ("&",),
    "+=": ("-=",),
    "-=": ("+=",),
}
STATUSES = {
    "MXB_OK": "MXB_ERROR_MEMORY",
    "MXB_ERROR_MEMORY": "MXB_ERROR_IO",
    "MXB_ERROR_IO": "MXB_ERROR_DATA",
    "MXB_ERROR_DATA": "MXB_ERROR_PARAM",
    "MXB_ERROR_PARAM": "MXB_ERROR_FORMAT",
    "MXB_ERROR_FORMAT": "MXB_OK",
}
NO_CALLS = {"if", "for", "while", "switch", "return", "sizeof", "assert", "MXB_TRY"}
INTEGER = re.compile(r"(0|[1-9]\d*)([uUlL]*)")


class Token(NamedTuple):
    kind: str
    text: str
    begin: int

    @property
    def end(self) -> int:
        return self.begin + len(self.text)


class Mutant(NamedTuple):
    """The text from `begin` to `end` gives way to another."""

    path: str
    begin: int
    end: int
    text: str

    def change(self, source: str) -> str:
        n_lines_less = source.count("\n", self.begin, self.end) - self.text.count("\n")
        return source[: self.begin] + self.text + "\n" * n_lines_less + source[self.end :]

    def lines(self, source: str) -> tuple[str, str]:
        """The lines that change, as one, before and after."""
        first = source.rfind("\n", 0, self.begin) + 1
        last = source.find("\n", self.end)
        old, new = source[first:last], source[first : self.begin] + self.text + source[self.end : last]
        return " ".join(old.split()), " ".join(new.split())


def tokens_of(source: str) -> list[Token]:
    found = (Token(match.lastgroup or "", match.group(), match.start()) for match in TOKEN.finditer(source))
    return [token for token in found if token.kind != "skipped"]


def closing(tokens: list[Token], opening: int) -> int:
    """The place of the parenthesis that closes the one at `opening`."""
    depth = 0
    for i in range(opening, len(tokens)):
        depth += (tokens[i].text == "(") - (tokens[i].text == ")")
        if depth == 0:
            return i
    raise ValueError("a parenthesis is not closed")


def is_binary(source: str, token: Token) -> bool:
    """By the blanks around it, which a formatted source has."""
    return source[token.begin - 1].isspace() and source[token.end].isspace()


def changes_of(source: str, tokens: list[Token], i: int) -> Iterator[tuple[int, int, str]]:
    token, before = tokens[i], tokens[i - 1].text
    after = tokens[i + 1].text if i + 1 < len(tokens) else ""
    if token.kind == "sign" and is_binary(source, token):
        yield from ((token.begin, token.end, other) for other in SIGNS.get(token.text, ()))
    elif token.text == "!":
        yield token.begin, token.end, ""
    elif token.kind == "number" and (match := INTEGER.fullmatch(token.text)):
        value, suffix = int(match.group(1)), match.group(2)
        yield from ((token.begin, token.end, f"{n}{suffix}") for n in (value + 1, value - 1) if n >= 0)
    elif token.text in STATUSES:
        yield token.begin, token.end, STATUSES[token.text]
    elif token.text == "if":
        end = closing(tokens, i + 1)
        yield tokens[i + 1].begin, tokens[end].end, f"(!{source[tokens[i + 1].begin : tokens[end].end]})"
    elif token.text == "MXB_TRY":
        end = closing(tokens, i + 1)
        yield token.begin, tokens[end].end, f"(void){source[token.end : tokens[end].end]}"
    elif token.kind == "name" and after == "(" and before in ("{", "}", ";") and token.text not in NO_CALLS:
        end = closing(tokens, i + 1)
        if tokens[end + 1].text == ";":
            yield token.begin, tokens[end].end, ""


def mutants_of(path: str, source: str) -> list[Mutant]:
    tokens = tokens_of(source)
    places = range(1, len(tokens))
    return [Mutant(path, *change) for i in places for change in changes_of(source, tokens, i)]


def mutants_of_file(root: Path, path: str) -> list[Mutant]:
    return mutants_of(path, (root / path).read_text())
