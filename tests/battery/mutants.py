"""Changed model files: ours in bytes and in their structure, under the sanitizers; and those of other boosters."""

from __future__ import annotations

from programs import build, counts_in, run_peer, run_program

from battery import Counts, Figure, Part, Run, Section, largest, total
from tools.logs import ROOT

N_MUTANTS, A_PART = 200_000, 50_000  # half of them in bytes
FIRST_SEED = 100_001  # those of the unit tests are smaller
FOLDERS = [ROOT / "tests" / "golden", ROOT / "tests" / "fuzz" / "corpus" / "model"]

N_OF_A_LIBRARY = 1_000
LIBRARIES = [  # and the format of a file, and what is changed in it
    ("mixboost", "mxb", "bytes"),
    ("XGBoost", "ubj", "bytes"),
    ("XGBoost", "json", "bytes"),
    ("XGBoost", "json", "numbers"),
    ("LightGBM", "txt", "bytes"),
    ("LightGBM", "txt", "numbers"),
    ("CatBoost", "cbm", "bytes"),
]
ENDS = {
    "crashes": "killed the process",
    "blow_ups": "wanted over 4 GiB",
    "hangs": "took over ten seconds",
    "different": "were accepted and predicted something else",
}


def part(first: int) -> Part:
    def mutate(run: Run) -> Counts:
        program = build("asan", run.log) / "stress_mutated_models"
        text = run_program([program, A_PART, first, *FOLDERS], run.log, run.folder, codes=(0, 1))
        return counts_in(
            text,
            models=r"(\d+) models;",
            of_bytes=r"(\d+) mutants of bytes",
            accepted_bytes=r"mutants of bytes, (\d+) accepted",
            of_structure=r"(\d+) of structure",
            accepted_structures=r"of structure, (\d+) accepted",
            most_bytes=r"at most (\d+) bytes",
            **{f"our_{name}": rf"(\d+) {name}" for name in ("crashes", "hangs", "leaks")},
            our_blow_ups=r"(\d+) too large",
        )

    return Part(f"seeds from {first}", mutate)


def name_of(library: str, suffix: str, edits: str) -> str:
    return f"{library}, .{suffix}, {edits}"


def library_part(library: str, suffix: str, edits: str) -> Part:
    def mutate(run: Run) -> Counts:
        patterns = {name: rf"(\d+) {name}" for name in ("tried", "refused", "same", *ENDS)}
        arguments = [library, suffix, edits, "--count", N_OF_A_LIBRARY]
        return run_peer(run, "peers_mutants.py", *arguments, **patterns)

    return Part(name_of(library, suffix, edits), mutate)


def parts(is_short: bool) -> list[Part]:
    """The unit tests have some of ours."""
    ours = [part(first) for first in range(FIRST_SEED, FIRST_SEED + N_MUTANTS, A_PART)]
    return [] if is_short else [*ours, *(library_part(*each) for each in LIBRARIES)]


def library_figures(counts: Counts, library: str, suffix: str, edits: str) -> list[Figure]:
    is_ours, whose = library == "mixboost", (f"{library} .{suffix}", counts["version"])
    of = f"of {counts['tried']:,.0f} model files with changed {edits}"
    of += ":" if counts["tried"] == N_OF_A_LIBRARY else ", after which too many had hung to go on:"
    refused = f"= {N_OF_A_LIBRARY}" if is_ours else ""
    ends = [Figure(f"{of} {said}", counts[end], "= 0" if is_ours else "", *whose) for end, said in ENDS.items()]
    return [Figure(f"{of} were refused", counts["refused"], refused, *whose), *ends]


def figures(counts: dict[str, Counts], _is_short: bool) -> list[Figure]:
    half = f"= {N_MUTANTS // 2}"
    found = [
        Figure("model files that are changed, golden ones and seeds of the fuzzer", largest(counts, "models"), "≥ 35"),
        Figure("model files with one to eight bytes changed", total(counts, "of_bytes"), half),
        Figure("model files with another structure, checksums put right", total(counts, "of_structure"), half),
        Figure("crashes, or promises broken", total(counts, "our_crashes"), "= 0"),
        Figure("files that took the processors over a second", total(counts, "our_hangs"), "= 0"),
        Figure("leaks", total(counts, "our_leaks"), "= 0"),
        Figure("files that took over 4 times their size + 8 MiB", total(counts, "our_blow_ups"), "= 0"),
        Figure("accepted with other bytes", total(counts, "accepted_bytes"), "= 0"),
        Figure("accepted with another structure", total(counts, "accepted_structures"), f"≥ {N_MUTANTS // 40}"),
        Figure("bytes that any of them took at most", largest(counts, "most_bytes")),
    ]
    for each in LIBRARIES:
        found += library_figures(counts[name_of(*each)], *each)
    return found


MUTANTS = Section("mutants", "Changed model files", parts, figures)
