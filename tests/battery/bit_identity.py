"""The same model and the same predictions, bit for bit, in whatever way they are made; and how it is with others."""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from programs import build, run_peer, run_program, wheel_environment

from battery import Counts, Figure, Part, Run, Section, total
from tests.compilers import find_compilers
from tests.identity.identities import KERNELS, LEVELS, Made, build_with, known, read_made, usable_kernels
from tools.logs import RELEASE, ROOT

THREADS = range(1, 17)
LEAST_OF_PACKAGE, LEAST_OF_PROGRAM = 45, 12  # models made
N_COLUMNS = 9  # of the rows that are kept: features, label, weight
ROUNDS = (1, 5, 10)  # the checkpoints that the program goes on from
FEW_BYTES = 1 << 20

LIBRARIES = ["mixboost", "XGBoost", "LightGBM", "CatBoost"]
LOSSES = {"squared": "labels exp(6z)", "logistic": "two classes"}


def compared(made: Iterable[Made]) -> Counts:
    """Tells what is not as it is known; the builds of a machine must not even differ from those of others."""
    expected = known(ROOT)
    counts = {"made": 0, "other models": 0, "other predictions": 0}
    for each in made:
        model, predictions = expected[each.case]
        counts["made"] += 1
        counts["other models"] += each.model != model
        counts["other predictions"] += each.predictions != predictions
        if (each.model, each.predictions) != (model, predictions):
            print(f"{each.case}, {each.way}: not the model or predictions in known.txt", file=sys.stderr)
    return counts


# ---- Threads, kernels, compilers, levels of optimisation ----


def made_by(program: Path, run: Run, kernels: str) -> list[Made]:
    text = run_program([program, *THREADS], run.log, run.folder, MIXBOOST_KERNELS=kernels)
    return read_made(text)


def build_part(name: str, make_program: Callable[[Run], Path]) -> Part:
    def train(run: Run) -> Counts:
        program = make_program(run)
        sets = usable_kernels()[-1:] if run.is_short else usable_kernels()
        made = [each for kernels in sets for each in made_by(program, run, kernels)]
        return {"builds": 1, "threads": len({each.way for each in made}), **compared(made)}

    return Part(name, train)


def released(run: Run) -> Path:
    return build("release", run.log) / "identity"


def compiled_parts() -> list[Part]:
    return [
        build_part(f"{compiler} {level}", lambda _run, c=compiler, level=level: build_with(ROOT, c, level))
        for compiler in find_compilers()
        for level in LEVELS
    ]


# ---- The package and the program ----


def kept(run: Run) -> Path:
    """The models of the release build, and the rows they were trained on."""
    folder = run.folder / "kept"
    folder.mkdir(exist_ok=True)
    run_program([released(run), "--keep", folder, 3], run.log, run.folder)
    return folder


def in_python(run: Run) -> Counts:
    script = Path(__file__).with_name("identity_in_python.py")
    text = run_program([wheel_environment(run.log), script, kept(run), 5], run.log, run.folder)
    return compared(read_made(text))


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_table(path: Path, numbers: array[float], n_columns: int) -> None:
    rows = [numbers[i : i + n_columns] for i in range(0, len(numbers), N_COLUMNS)]
    path.write_text("".join(",".join(map(repr, row)) + "\n" for row in rows))


def by_the_program(case: Path, run: Run) -> Iterator[Made]:
    """Trained on a file of numbers in one go and from checkpoints on, unless there were validation rows."""
    program, model = RELEASE / "mixboost", run.folder / "program.mxb"
    shown = json.loads(run_program([program, "show", case, "--json"], run.log, run.folder))
    numbers = array("d", case.with_suffix(".rows").read_bytes())
    if shown["curve"]["valid"] is not None or len(numbers) > FEW_BYTES // 8:
        return
    write_table(run.folder / "train.csv", numbers, N_COLUMNS)
    write_table(run.folder / "rows.csv", numbers, N_COLUMNS - 2)
    last_round = shown["options"].pop("num_round")
    options = [f"--{name}={value}" for name, value in shown["options"].items()]
    train = [program, "train", "train.csv", "--label", N_COLUMNS - 1, "--weight", N_COLUMNS, "--model", model]
    train += ["--header", "no", "--quiet", *options, "--num_round"]

    def made(way: str) -> Made:
        predicted, out = b"", run.folder / "predictions.csv"
        for output in ("--raw", "--raw" if shown["labels"] is None else "--proba"):
            command = [program, "predict", model, "rows.csv", "--header", "no", output, "--quiet", "--out", out]
            run_program(command, run.log, run.folder)
            _, *lines = out.read_text().splitlines()
            predicted += array("d", map(float, lines)).tobytes()
        return Made(case.stem, way, digest(model.read_bytes()), digest(predicted))

    run_program([*train, last_round], run.log, run.folder)
    yield made("program")
    for n_rounds in ROUNDS:
        run_program([*train, n_rounds], run.log, run.folder)
        run_program([*train, last_round, "--from", model], run.log, run.folder)
        yield made(f"program, from round {n_rounds} on")


def in_the_program(run: Run) -> Counts:
    folder = kept(run)
    return compared(made for case in sorted(folder.glob("*.mxb")) for made in by_the_program(case, run))


# ---- The same with other boosters ----


def peer_part(library: str, loss: str) -> Part:
    def train(run: Run) -> Counts:
        return run_peer(
            run,
            "peers_identity.py",
            library,
            loss,
            trainings=r"(\d+) trainings",
            models=r"(\d+) models",
            predictions=r"(\d+) predictions",
            by_a_file=r"(\d+) changed by a file",
            by_pickles=r"(\d+) by pickles",
        )

    return Part(name_of(library, loss), train)


def name_of(library: str, loss: str) -> str:
    return f"{library}, {LOSSES[loss]}"


def peer_figures(counts: Counts, library: str, loss: str) -> list[Figure]:
    whose = (library, counts["version"])
    title, must = LOSSES[loss], ["= 1", "= 1", "= 0"] if library == "mixboost" else [""] * 3
    of_threads = f"{title}: different models of {len(THREADS)} numbers of threads"
    changed = counts["by_a_file"] + counts["by_pickles"]
    return [
        Figure(of_threads, counts["models"], must[0], *whose),
        Figure(f"{title}: different predictions of these", counts["predictions"], must[1], *whose),
        Figure(f"{title}: models changed by a file or by pickles", changed, must[2], *whose),
    ]


# ---- The section ----


def parts(is_short: bool) -> list[Part]:
    """The unit tests have every build with fewer numbers of threads."""
    ours = [build_part("release", released)]
    if is_short:
        return ours
    ours += [*compiled_parts(), Part("package", in_python), Part("program", in_the_program)]
    return [*ours, *(peer_part(library, loss) for library in LIBRARIES for loss in LOSSES)]


def figures(counts: dict[str, Counts], is_short: bool) -> list[Figure]:
    n_cases, sets = len(known(ROOT)), 1 if is_short else len(usable_kernels())
    built = {name: of_part for name, of_part in counts.items() if "builds" in of_part}
    found = [
        Figure("sorts of data and options trained on", n_cases, "≥ 18"),
        Figure("builds: compilers, levels of optimisation", total(counts, "builds"), "= 1" if is_short else "≥ 11"),
        Figure("sets of kernels", sets, "= 1" if is_short else f"= {len(KERNELS)}"),
        Figure("numbers of threads", min(of_part["threads"] for of_part in built.values()), f"= {len(THREADS)}"),
        Figure(
            "models made and predicted with",
            total(built, "made"),
            f"= {n_cases * total(built, 'builds') * sets * len(THREADS):g}",
        ),
        Figure("whose bytes are not those that are known", total(counts, "other models"), "= 0"),
        Figure("whose predictions are not", total(counts, "other predictions"), "= 0"),
    ]
    if not is_short:
        of_package, of_program = counts["package"]["made"], counts["program"]["made"]
        found += [
            Figure("models of the package, trained, saved and pickled", of_package, f"≥ {LEAST_OF_PACKAGE}"),
            Figure("models of the program, in one go and from checkpoints on", of_program, f"≥ {LEAST_OF_PROGRAM}"),
        ]
        for library in LIBRARIES:
            for loss in LOSSES:
                found += peer_figures(counts[name_of(library, loss)], library, loss)
    return found


IDENTITY = Section("identity", "Bit identity", parts, figures)
