"""A run's results as Markdown: first the figures that were asked for, then everybody's in every case."""

from __future__ import annotations

import math
from collections.abc import Callable

from cases import (
    AVX2_CASES,
    AVX2_MUST,
    AVX2_OF,
    FIGURE_THREADS,
    MEMORY_AIM,
    MEMORY_CASE,
    MEMORY_MUST,
    OURS,
    SCALING_AIM,
    SCALING_CASE,
    SCALING_MUST,
    TREE_PEERS,
    Case,
    Figure,
    Limit,
    Suite,
)
from measurements import Measurement, Results

UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "KB": 1e3, "MB": 1e6}


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def fastest(best: dict[str, Measurement], peers: tuple[str, ...]) -> Measurement | None:
    there = [best[name] for name in peers if name in best and best[name].error is None]
    return min(there, key=lambda m: m.seconds, default=None)


def worked(best: dict[str, Measurement], name: str) -> bool:
    return name in best and best[name].error is None


def ratio_row(figure: Figure, case: Case, results: Results) -> list[str] | None:
    best = results.of(figure.case, FIGURE_THREADS)
    peer = fastest(best, figure.peers or case.peers)
    if peer is None or not worked(best, figure.ours):
        return None
    ratio = peer.seconds / best[figure.ours].seconds
    against = f"{peer.key.contestant} {peer.seconds:.3g} s / {best[figure.ours].seconds:.3g} s"
    return [figure.title, f"{ratio:.2f}", f"{figure.must:g}", figure.aim, verdict(ratio >= figure.must), against]


def limit_row(limit: Limit, results: Results) -> list[str] | None:
    best = results.of(limit.case, FIGURE_THREADS)
    if not worked(best, limit.ours):
        return None
    ours = best[limit.ours]
    found = (ours.size or math.inf) if limit.unit in ("KB", "MB") else ours.seconds
    measured = found / UNITS[limit.unit]
    title = f"{limit.title}, {limit.unit}"
    return [title, f"{measured:.3g}", f"≤ {limit.must:g}", limit.aim, verdict(measured <= limit.must), ""]


def verdict(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def memory_row(results: Results) -> list[str] | None:
    best = results.of(MEMORY_CASE, FIGURE_THREADS)
    peers = [best[name] for name in TREE_PEERS if worked(best, name)]
    if not peers or not worked(best, OURS):
        return None
    ours, least = best[OURS].bytes_a_row, min(peers, key=lambda m: m.bytes_a_row)
    is_met = ours <= MEMORY_MUST and ours < least.bytes_a_row
    against = f"{least.key.contestant} {least.bytes_a_row:.0f}"
    title = f"memory of {MEMORY_CASE} over the input, bytes a row"
    return [title, f"{ours:.0f}", f"≤ {MEMORY_MUST:g}, below every peer", MEMORY_AIM, verdict(is_met), against]


def scaling_row(results: Results) -> list[str] | None:
    one, two = results.of(SCALING_CASE, 1), results.of(SCALING_CASE, 2)
    if not worked(one, OURS) or not worked(two, OURS):
        return None
    ratio = one[OURS].seconds / two[OURS].seconds
    names = [name for name in TREE_PEERS if worked(one, name) and worked(two, name)]
    against = ", ".join(f"{name} {one[name].seconds / two[name].seconds:.2f}" for name in names)
    title = f"2 threads against 1, {SCALING_CASE}"
    return [title, f"{ratio:.2f}", f"{SCALING_MUST:g}", SCALING_AIM, verdict(ratio >= SCALING_MUST), against]


def avx2_row(results: Results) -> list[str] | None:
    """The case that loses most where there is no AVX-512."""
    shares = []
    for case in AVX2_CASES:
        best = results.of(case, FIGURE_THREADS)
        for ours, without in AVX2_OF.items():
            if worked(best, ours) and worked(best, without):
                title = case if ours == OURS else f"{case} mixed"
                shares.append((best[ours].seconds / best[without].seconds, title))
    if not shares:
        return None
    least = min(shares)[0]
    against = ", ".join(f"{title} {share:.2f}" for share, title in shares)
    return [
        "speed with AVX2 alone, least share",
        f"{least:.2f}",
        f"{AVX2_MUST:g}",
        "",
        verdict(least >= AVX2_MUST),
        against,
    ]


def figures_table(results: Results, suite: Suite) -> str:
    """Empty where a run has none of the cases that figures are asked of."""
    rows = [
        limit_row(figure, results)
        if isinstance(figure, Limit)
        else ratio_row(figure, suite.cases[figure.case], results)
        for figure in suite.figures
    ]
    rows += [memory_row(results), scaling_row(results), avx2_row(results)]
    found = [row for row in rows if row is not None]
    header = ["figure", "measured", "must", "aim", "met", "against"]
    return f"\n{table(header, found)}" if found else ""


def case_title(case: Case, threads: int, n_repeats: int) -> str:
    ways = f"{threads} thread{'s' if threads > 1 else ''}, best of {n_repeats}"
    return f"{case.name}: {case.description}, {ways}"


def columns_of(case: Case, suite: Suite, peer: Measurement | None) -> dict[str, Callable[[Measurement], str]]:
    """What is shown of a measurement, and how; empty where it was not measured."""

    def time_of(m: Measurement) -> str:
        time = m.seconds / UNITS[case.unit]
        digits = ".3f" if case.unit == "s" else ".0f" if time >= 1000 else ".4g"
        return f"{time:{digits}}" if time < math.inf else ""

    def ratio_of(m: Measurement) -> str:
        return f"{peer.seconds / m.seconds:.2f}" if peer is not None and m.seconds < math.inf else ""

    return {
        case.unit: time_of,
        f"fastest {suite.rivals} ÷ it": ratio_of,
        "memory over the input, bytes a row": lambda m: f"{m.bytes_a_row:.0f}" if m.bytes_a_row < math.inf else "",
        "held-out loss": lambda m: "" if m.metric is None else f"{m.metric:.5f}",
        "MB on disk": lambda m: "" if m.size is None else f"{m.size / UNITS['MB']:.3f}",
    }


def case_table(results: Results, suite: Suite, name: str, threads: int) -> str:
    case, best = suite.cases[name], results.of(name, threads)
    columns = columns_of(case, suite, fastest(best, case.peers))
    there = {title: show for title, show in columns.items() if any(show(m) for m in best.values())}
    rows = []
    for contestant, m in best.items():
        shown = [show(m) for show in there.values()]
        rows.append([contestant, *(shown if m.error is None else [f"failed: {m.error}", *[""] * (len(shown) - 1)])])
    return f"\n## {case_title(case, threads, results.n_repeats(name, threads))}\n\n{table(['', *there], rows)}"


def all_tables(results: Results, suite: Suite) -> str:
    """The figures, then every case."""
    return figures_table(results, suite) + "".join(case_table(results, suite, *part) for part in results.parts())


def as_markdown(results: Results, suite: Suite, machine: str, notes: list[str]) -> str:
    """The whole page."""
    versions = ", ".join(f"{package} {version}" for package, version in results.versions().items())
    n, reused = len(results.measurements), results.n_reused
    made = f"{n} measurements, each in a process of its own, contestants in turn"
    made += f"; {reused} of them are from an earlier run" if reused else ""
    lines = [f"{machine}.", f"{versions}.", f"{made}.", *notes]
    return f"# {suite.title}\n\n" + "\n".join(lines) + "\n" + all_tables(results, suite)
