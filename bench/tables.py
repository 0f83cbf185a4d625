"""A run's results as Markdown: first the figures that were asked for, then everybody's in every case."""

from __future__ import annotations

from cases import (
    AVX2_CASES,
    AVX2_MUST,
    AVX2_OF,
    CASES,
    FIGURE_THREADS,
    FIGURES,
    MEMORY_AIM,
    MEMORY_CASE,
    MEMORY_MUST,
    OURS,
    SCALING_AIM,
    SCALING_CASE,
    SCALING_MUST,
    TREE_PEERS,
    Figure,
)
from measurements import Measurement, Results


def table(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def fastest(best: dict[str, Measurement], peers: tuple[str, ...]) -> Measurement | None:
    there = [best[name] for name in peers if name in best and best[name].error is None]
    return min(there, key=lambda m: m.seconds, default=None)


def worked(best: dict[str, Measurement], name: str) -> bool:
    return name in best and best[name].error is None


def ratio_row(figure: Figure, results: Results) -> list[str] | None:
    best = results.of(figure.case, FIGURE_THREADS)
    peer = fastest(best, figure.peers)
    if peer is None or not worked(best, figure.ours):
        return None
    ratio = peer.seconds / best[figure.ours].seconds
    against = f"{peer.key.contestant} {peer.seconds:.3g} s / {best[figure.ours].seconds:.3g} s"
    return [figure.title, f"{ratio:.2f}", f"{figure.must:g}", figure.aim, verdict(ratio >= figure.must), against]


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


def figures_table(results: Results) -> str:
    """Empty where a run has none of the cases that figures are asked of."""
    rows = [ratio_row(figure, results) for figure in FIGURES] + [
        memory_row(results),
        scaling_row(results),
        avx2_row(results),
    ]
    found = [row for row in rows if row is not None]
    header = ["figure", "measured", "must", "aim", "met", "against"]
    return f"\n{table(header, found)}" if found else ""


def case_title(name: str, threads: int, n_repeats: int) -> str:
    case = CASES[name]
    work = f"{case.rounds} rounds of depth {case.depth}, binning included" if case.rounds else "binning alone"
    ways = f"{threads} thread{'s' if threads > 1 else ''}, best of {n_repeats}"
    return f"{name}: {case.data.replace('x', ' x ')}, {work}, {ways}"


def case_table(results: Results, name: str, threads: int) -> str:
    best = results.of(name, threads)
    peer = fastest(best, tuple(TREE_PEERS))
    rows = []
    for contestant, m in best.items():
        if m.error is not None:
            rows.append([contestant, f"failed: {m.error}", "", "", ""])
            continue
        ratio = f"{peer.seconds / m.seconds:.2f}" if peer is not None else ""
        metric = "" if m.metric is None else f"{m.metric:.5f}"
        rows.append([contestant, f"{m.seconds:.3f}", ratio, f"{m.bytes_a_row:.0f}", metric])
    header = ["", "s", "fastest tree-only peer ÷ it", "memory over the input, bytes a row", "held-out loss"]
    return f"\n## {case_title(name, threads, results.n_repeats(name, threads))}\n\n{table(header, rows)}"


def as_markdown(results: Results, machine: str, notes: list[str]) -> str:
    """The whole page."""
    versions = ", ".join(f"{package} {version}" for package, version in results.versions().items())
    n, reused = len(results.measurements), results.n_reused
    made = f"{n} measurements, each in a process of its own, contestants in turn"
    made += f"; {reused} of them are from an earlier run" if reused else ""
    lines = [f"{machine}.", f"{versions}.", f"{made}.", *notes]
    tables = "".join(case_table(results, *part) for part in results.parts())
    return "# mixboost beside its peers\n\n" + "\n".join(lines) + "\n" + figures_table(results) + tables
