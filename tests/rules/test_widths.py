"""Products that could leave 32 bits: cells, rows times columns, are counted in size_t everywhere.

A build with narrow indices would have to narrow size_t, which the C library fixes. What it would find is an index that
is computed in 32 bits. Of these, one that is narrowed where it is assigned is a warning (-Wconversion), and an error in
./dev check; one that is widened too late is looked for here; and tests/stress/many_cells.c runs beyond 2^32 cells.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

THIRTY_TWO_BITS = "hasType(hasCanonicalType(anyOf(asString('unsigned int'), asString('int'))))"
LITERAL = "ignoringParenImpCasts(integerLiteral())"
NAMED = "ignoringParenImpCasts(declRefExpr(to(enumConstantDecl())))"
VARIABLE = f"hasEitherOperand(unless({NAMED})), unless(hasAncestor(enumConstantDecl()))"
PRODUCTS = f"""\
set output diag
set bind-root true
match binaryOperator(hasOperatorName("*"), {THIRTY_TWO_BITS}, unless(hasEitherOperand({LITERAL})), {VARIABLE})
match binaryOperator(hasOperatorName("*="), {THIRTY_TWO_BITS})
"""

KNOWN = {
    "at most 256 codes": {
        "*field = (uint8_t)(*field + codes[i] * place->stride);",
        "if (n_codes <= MXB__MAX_SHARED_CODES && open_codes * n_codes <= MXB__MAX_BINS) {",
        "open_codes *= n_codes;",
    },
    "at most 2^24 terms": {
        "const struct term *term = &from->terms[r * from->n_members + which];",
        "uint32_t n_terms = n_rounds * model->n_members;",
        "status = append_term(member, from, &from->terms[r * from->n_members + which], map, error);",
    },
    "at most 2^20 features of 256 cells": {
        "first *= MXB__GROUP;",
        "uint32_t first = engine->groups[index] * MXB__GROUP;",
        "uint32_t n = (behind - first) * MXB__GROUP;",
        "families[i].left->total = root_total(engine, families[i].left, engine->groups[0] * MXB__GROUP);",
        "family->left->total = root_total(engine, family->left, engine->groups[0] * MXB__GROUP);",
        "size_t at = f * MXB__CELLS + codes[f];",
    },
    "at most 64 sections": {
        "size_t n_covered = MXB__START_BYTES + n_sections * MXB__ENTRY_BYTES;",
        "unsigned char *entry = header + MXB__START_BYTES + i * MXB__ENTRY_BYTES;",
        "struct byte_reader table = {.bytes = bytes + MXB__START_BYTES, .n_left = n_sections * MXB__ENTRY_BYTES};",
    },
    "at most 6 digits of a key": {
        "unsigned digit_shift = shift + digit * DIGIT_BITS;",
        "counts[digit][digit_of(key, digit * DIGIT_BITS)]++;",
    },
}


@pytest.mark.skipif(not shutil.which("clang-query"), reason="clang-query is not installed")
def test_products_in_32_bits_are_known_to_be_small(root, build, tmp_path):
    query = tmp_path / "products"
    query.write_text(PRODUCTS.replace("'", '"'))
    sources = sorted((root / "src").rglob("*.c"))
    command = ["clang-query", "-p", build, "-f", query, *sources]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    places = set(re.findall(rf'^({root / "src"}/\S+?):(\d+):\d+: note: "root" binds here', printed, re.MULTILINE))
    lines = {Path(file).read_text().splitlines()[int(line) - 1].strip() for file, line in places}
    assert lines == set().union(*KNOWN.values())
