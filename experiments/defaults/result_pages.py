"""The results as Markdown: losses of everybody, ratios beside what is asked for, ablations, sizes, fit times."""

from __future__ import annotations

from collections.abc import Container

from entrants import (
    ABLATIONS,
    ALL_ROWS,
    BASELINES,
    CONTESTANTS,
    OTHER_VALUES,
    OURS,
    PEERS,
    PLAIN,
    SIZES,
    STOPPING,
    TIMED_ROUNDS,
    TIMES,
)
from fits import N_REPEATS
from outcomes import Outcome
from ratios import (
    EVERY_SET,
    GROUPS,
    Losses,
    Summary,
    better_of,
    choose_on_halves,
    geometric_mean,
    losses_of,
    mean_ranks,
    of_group,
    set_losses,
    set_ratios,
    summarise,
)
from sets import APART, CLEAN, NOISY, SOURCES
from tables import table, verdict
from targets import BETTER_SNAPML, LARGEST_TIME, LEAST_SHARE_WON, SNAPML_SETTINGS, TARGETS

TITLES = {
    STOPPING: "Early stopping on a given validation part",
    PLAIN: "Plain `fit` with nothing set",
}
FIGURE_HEADER = ["figure", "measured", "95 %", "asked", "met", "sets won"]


def named(names: list[str], found: Container[str]) -> list[str]:
    return [name for name in names if name in found]


# ---- Losses -----------------------------------------------------------------------------------------------------


def loss_table(losses: Losses) -> str:
    """Everybody's test loss; the least of each set stands out."""
    contestants = named([*BASELINES, *PEERS, *OURS], losses)
    rows = []
    for group in (CLEAN, NOISY, APART):
        for a_set in [name for name, source in SOURCES.items() if source.group == group]:
            found = set_losses(losses, contestants, a_set)
            if found:
                least = f"{min(found.values()):.5g}"
                cells = [f"{found[c]:.5g}" if c in found else "" for c in contestants]
                rows.append([a_set, group, *(f"**{cell}**" if cell == least else cell for cell in cells)])
    return table(["set", "group", *contestants], rows)


def rank_table(losses: Losses) -> str:
    contestants = named([*PEERS, *OURS], losses)
    found = {group: mean_ranks(losses, contestants, group) for group in GROUPS}
    rows = [[name, *(f"{found[g][name]:.1f}" if found[g] else "" for g in GROUPS)] for name in contestants]
    return table(["mean rank", *GROUPS], rows)


# ---- Ratios -----------------------------------------------------------------------------------------------------


def with_better_snapml(losses: Losses) -> Losses:
    better = better_of(losses, SNAPML_SETTINGS)
    return {**losses, BETTER_SNAPML: better} if better else losses


def ratio_cells(summary: Summary | None) -> list[str]:
    if summary is None:
        return ["", "", ""]
    won = f"{summary.n_won} of {summary.n_sets}"
    return [f"{summary.mean:.3f}", f"{summary.low:.3f} to {summary.high:.3f}", won]


def group_cells(losses: Losses, ours: str, peer: str) -> list[str]:
    """One contestant over another in every group."""
    ratios = set_ratios(losses, ours, peer)
    return [cell for group in GROUPS for cell in ratio_cells(summarise(of_group(ratios, group)))]


GROUP_HEADER = [title for group in GROUPS for title in (group, "95 %", "won")]


def ratio_table(losses: Losses, ours: str) -> str:
    """Against everybody else; what comes as the default also against our other settings."""
    others = [name for name in OURS if name != "ours"] if ours == "ours" else []
    peers = named([*BASELINES, *PEERS, BETTER_SNAPML, *others], losses)
    return table([f"{ours} ÷", *GROUP_HEADER], [[peer, *group_cells(losses, ours, peer)] for peer in peers])


def target_rows(losses: Losses) -> list[list[str]]:
    rows = []
    for ours, peer, group, largest in TARGETS:
        found = summarise(of_group(set_ratios(losses, ours, peer), group))
        if found is not None:
            measured, interval, won = ratio_cells(found)
            met = verdict(found.mean <= largest)
            rows.append([f"{ours} ÷ {peer}, {group}", measured, interval, f"≤ {largest:g}", met, won])
    return rows


def win_rows(losses: Losses) -> list[list[str]]:
    """Sets won against each peer, those apart among them."""
    rows = []
    for peer in dict.fromkeys(target.peer for target in TARGETS if target.peer not in OURS):
        found = summarise(of_group(set_ratios(losses, "ours", peer), EVERY_SET))
        if found is not None:
            share, won = found.n_won / found.n_sets, f"{found.n_won} of {found.n_sets}"
            asked, met = f"≥ {LEAST_SHARE_WON:.2f}", verdict(share >= LEAST_SHARE_WON)
            rows.append([f"sets won against {peer}", f"{share:.2f}", "", asked, met, won])
    return rows


def target_table(losses: Losses) -> str:
    return table(FIGURE_HEADER, target_rows(losses) + win_rows(losses))


def worst_sets(losses: Losses) -> str:
    """Where ours is worst against each of those that do not boost; not clipped."""
    lines = []
    for name in BASELINES:
        ratios = of_group(set_ratios(losses, "ours", name), "all")
        if ratios:
            worst = max(ratios, key=lambda a_set: ratios[a_set])
            lines.append(f"Worst against {name}: {worst}, {ratios[worst]:.3f}.\n")
    return "".join(lines)


def best_peer(losses: Losses) -> str | None:
    """The one whose losses are least over all sets, that is against whom we are worst."""
    found = {peer: summarise(of_group(set_ratios(losses, "ours", peer), "all")) for peer in named([*PEERS], losses)}
    means = {peer: summary.mean for peer, summary in found.items() if summary is not None}
    return max(means, key=lambda peer: means[peer], default=None)


def plain_table(losses: Losses) -> str:
    peer = best_peer(losses)
    if peer is None:
        return ""
    found = summarise(of_group(set_ratios(losses, "ours", peer), "all"))
    assert found is not None
    measured, interval, won = ratio_cells(found)
    title = f"ours ÷ {peer}, the best peer, all"
    return table(FIGURE_HEADER, [[title, measured, interval, "< 1", verdict(found.mean < 1), won]])


# ---- Pages ------------------------------------------------------------------------------------------------------


def versions_of(outcomes: list[Outcome]) -> str:
    versions: dict[str, set[str]] = {}
    for outcome in outcomes:
        package = CONTESTANTS[outcome.key.contestant].package
        versions.setdefault(package, set()).add(outcome.key.version)
    return ", ".join(f"{package} {' and '.join(sorted(found))}" for package, found in versions.items())


def mixed_up(outcomes: list[Outcome]) -> list[str]:
    """Contestants whose results are not all of one build and one setting."""
    ways: dict[str, set[tuple[str, str]]] = {}
    for outcome in outcomes:
        ways.setdefault(outcome.key.contestant, set()).add((outcome.key.digest, outcome.key.version))
    return [name for name, found in ways.items() if len(found) > 1]


def conditions(outcomes: list[Outcome], protocol: str, names: list[str]) -> str:
    """Who took part, over which seeds, and what went wrong."""
    here = [o for o in outcomes if o.key.protocol == protocol and o.key.contestant in names]
    seeds = ", ".join(map(str, sorted({o.key.seed for o in here})))
    lines = [f"{versions_of(here)}.", f"{len({o.key.set for o in here})} sets, seeds {seeds}."]
    mixed = mixed_up(here)
    lines += [f"Results of several settings or builds are mixed: {', '.join(mixed)}."] if mixed else []
    failed = [f"{o.key.contestant} on {o.key.set}, seed {o.key.seed} ({o.error})" for o in here if o.error is not None]
    lines += [f"Failed: {', '.join(failed)}."] if failed else []
    return "\n".join(lines) + "\n"


def loss_page(outcomes: list[Outcome], protocol: str) -> str:
    losses = with_better_snapml(losses_of(outcomes, protocol))
    text = f"# {TITLES[protocol]}\n\n{conditions(outcomes, protocol, [*PEERS, *OURS])}"
    if "ours" in losses:
        asked = target_table(losses) if protocol == STOPPING else plain_table(losses)
        text += f"\n{asked}" if asked else ""
        text += "".join(f"\n## {name}\n\n{ratio_table(losses, name)}" for name in named([*OURS], losses))
    text += f"\n## Ranks\n\n{rank_table(losses)}"
    return text + f"\n## Test losses\n\n{loss_table(losses)}"


def variant_table(losses: Losses, variants: list[str]) -> str:
    rows = [[variant, *group_cells(losses, variant, "ours")] for variant in variants]
    return table(["variant ÷ ours", *GROUP_HEADER], rows)


def ablation_page(outcomes: list[Outcome]) -> str:
    """Each variant over ours: above 1, what ours has is better."""
    losses = losses_of(outcomes, STOPPING)
    off, other = named([*ABLATIONS], losses), named([*OTHER_VALUES], losses)
    text = f"# Ingredients switched off alone\n\n{conditions(outcomes, STOPPING, ['ours', *ABLATIONS, *OTHER_VALUES])}"
    text += f"\nAbove 1: the ingredient helps.\n\n{variant_table(losses, off)}" if off else ""
    if other:
        text += f"\n## Other values, ÷ ours\n\nAbove 1: the default is better.\n\n{variant_table(losses, other)}"
    choice = choose_on_halves(losses, ["ours", *off, *other], "ours") if "ours" in losses else None
    if choice is not None:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in choice.shares.items())
        text += "\n## Chosen on half of the sets, reported on the other half\n\n"
        text += (
            f"The best variant ÷ ours: {choice.here:.4f} where it was chosen, {choice.there:.4f} on the other half. "
        )
        text += f"Chosen: {shares}.\n"
    return text


def size_page(outcomes: list[Outcome]) -> str:
    """Ratios for each size, and for all rows everybody's figures."""
    text = "# Plain `fit` from 50 rows to all of a large table\n"
    for protocol in SIZES:
        losses = losses_of(outcomes, protocol)
        if losses:
            text += f"\n## {protocol.capitalize()}\n\n{conditions(outcomes, protocol, [*BASELINES, *PEERS, *OURS])}"
            text += f"\n{ratio_table(losses, 'ours')}\n{worst_sets(losses)}" if "ours" in losses else ""
        if losses and protocol == ALL_ROWS:
            seconds = second_table(best_times(outcomes, protocol))
            text += f"\nTest losses:\n\n{loss_table(losses)}"
            text += f"\nSeconds of these fits, perhaps beside other work:\n\n{seconds}"
    return text


def best_times(outcomes: list[Outcome], protocol: str, machine: str = "") -> dict[str, dict[str, float]]:
    """Seconds by contestant and set: the best of the repeats, of timings those on a machine."""
    best: dict[str, dict[str, float]] = {}
    for outcome in outcomes:
        key = outcome.key
        if key.protocol == protocol and key.machine == machine and outcome.seconds is not None:
            of_set = best.setdefault(key.contestant, {})
            of_set[key.set] = min(outcome.seconds, of_set.get(key.set, outcome.seconds))
    return best


def timed_sets(best: dict[str, dict[str, float]]) -> list[str]:
    return [name for name in SOURCES if any(name in of_set for of_set in best.values())]


def second_table(best: dict[str, dict[str, float]]) -> str:
    contestants = named([*CONTESTANTS], best)
    rows = [[s, *(f"{best[c][s]:.2f}" if s in best[c] else "" for c in contestants)] for s in timed_sets(best)]
    return table(["s", *contestants], rows)


def time_page(outcomes: list[Outcome], machine: str) -> str:
    """Everybody's seconds, and their ratio to LightGBM's."""
    best = best_times(outcomes, TIMES, machine)
    base = best.get("lightgbm", {})
    timed, rows = timed_sets(best), []
    for name in named([*CONTESTANTS], best):
        ratios = [best[name][s] / base[s] for s in timed if s in best[name] and s in base]
        ratio = geometric_mean(ratios) if ratios else float("nan")
        cells = [f"{best[name][s]:.2f}" if s in best[name] else "" for s in timed]
        rows.append([name, *cells, f"{ratio:.2f}", verdict(ratio <= LARGEST_TIME) if name == "ours" else ""])
    header = ["s", *timed, "÷ lightgbm", f"≤ {LARGEST_TIME:g}"]
    versions = versions_of([outcome for outcome in outcomes if outcome.key.machine == machine])
    how = f"{TIMED_ROUNDS} rounds, 2 threads, binning included, contestants in turn, best of {N_REPEATS}."
    return f"# Fit times\n\n{machine}. {versions}.\n{how}\n\n{table(header, rows)}"
