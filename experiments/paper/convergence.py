"""Theorem 1 on a finite class: what the theorem promises, and what Algorithm 1 does.

Everything follows the paper's section 3. A finite class of functions b_j with sum_i b_j(x_i)^2 = 1 in K subclasses, a
matrix B of their values, and a probability mass function Φ over the subclasses. A round draws a subclass from Φ, takes
its function that fits the Newton step best, and adds it times the learning rate μ / S. Then

    E[L(β^M) - L(β*)] <= (1 - μ²/S² Θ²)^M (L(β^0) - L(β*))

with the minimum cosine angle Θ of B and Φ. This is the mathematics in numpy; that the library's own boosting loop does
the same is what tests/theory is for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull
from scipy.special import expit

Array = npt.NDArray[np.float64]

SUBCLASSES = ("stumps", "trees of depth 2", "Fourier features")
PHIS = {
    "uniform": (1 / 3, 1 / 3, 1 / 3),
    "mostly trees": (0.45, 0.45, 0.1),  # as the paper sets its own: a tree with probability 0.9, each depth alike
    "nearly all stumps": (0.94, 0.03, 0.03),
    "trees alone": (0.5, 0.5, 0.0),
}
N_ROWS, N_ROUNDS, N_REPEATS, SEED = 60, 120, 4000, 0
FREQUENCY = np.array([12.0, 7.0])
BAND = (5.0, 95.0)  # percent of the trainings below its ends


# ---- losses ----


@dataclass(frozen=True)
class Loss:
    """l(y, f) with its derivatives by f, the second within [mu, s] (Assumptions 1 and 2)."""

    name: str
    mu: float
    s: float
    value: Callable[[Array, Array], Array]
    first: Callable[[Array, Array], Array]
    second: Callable[[Array, Array], Array]

    @property
    def rate(self) -> float:
        """The learning rate of the theorem."""
        return self.mu / self.s


SQUARED = Loss(
    "squared loss",
    mu=1.0,
    s=1.0,
    value=lambda y, f: (y - f) ** 2 / 2,
    first=lambda y, f: f - y,
    second=lambda y, f: np.ones_like(f),
)


def logistic(penalty: float) -> Loss:
    """log(1 + exp(-y f)) + penalty f² / 2 with labels -1 and 1."""
    return Loss(
        "logistic loss",
        mu=penalty,
        s=penalty + 0.25,
        value=lambda y, f: np.logaddexp(0, -y * f) + penalty * f**2 / 2,
        first=lambda y, f: -y * expit(-y * f) + penalty * f,
        second=lambda y, f: expit(f) * expit(-f) + penalty,
    )


# ---- the class ----


@dataclass(frozen=True)
class FiniteClass:
    """The functions as columns, each of length 1, and the indices of each subclass: I(k)."""

    b: Array
    members: list[npt.NDArray[np.int64]]

    def basis(self) -> Array:
        """Orthonormal columns that span Range(B)."""
        u, singular, _ = np.linalg.svd(self.b, full_matrices=False)
        return u[:, singular > 1e-9 * singular[0]]


def finite_class(subclasses: list[list[Array]]) -> FiniteClass:
    """The class of these functions' values, scaled to length 1 (Assumption 3)."""
    columns = [values / np.linalg.norm(values) for functions in subclasses for values in functions]
    ends = np.cumsum([len(functions) for functions in subclasses])
    starts = [0, *ends[:-1]]
    return FiniteClass(np.column_stack(columns), [np.arange(*span) for span in zip(starts, ends, strict=True)])


def tree_values(rows: Array, leaves: tuple[float, ...]) -> Array:
    """A tree of depth 2: both features cut at a half, a value for each of the four cells."""
    cell = 2 * (rows[:, 0] > 0.5) + (rows[:, 1] > 0.5)
    return np.asarray(np.array(leaves)[cell])


def make_class(rows: Array) -> FiniteClass:
    """Stumps, trees of depth 2 and Fourier features on rows of the unit square.

    The trees span the four cells that the middle of both features makes. The Fourier features have one frequency and
    several phases, which span two dimensions more.
    """
    stumps = [tree_values(rows, leaves) for leaves in ((-1, -1, 1, 1), (-1, 1, -1, 1), (0, 0, 1, 1), (0, 1, 0, 1))]
    one_cell = [tuple(float(i == cell) for i in range(4)) for cell in range(4)]
    trees = [tree_values(rows, leaves) for leaves in (*one_cell, (1, -1, -1, 1), (-1, 0, 0, 1), (0, -1, 1, 0))]
    phases = np.arange(3) * np.pi / 3
    return finite_class([stumps, trees, [np.cos(rows @ FREQUENCY + phase) for phase in phases]])


# ---- the minimum cosine angle ----


def phi_norm(of: FiniteClass, phi: tuple[float, ...], x: Array) -> Array:
    """The sum over k of phi_k times the largest |x_j| of I(k); x has a column for each function."""
    largest = [np.abs(x[..., members]).max(axis=-1) for members in of.members]
    return np.asarray(np.tensordot(phi, largest, axes=1))


def minimum_cosine(of: FiniteClass, phi: tuple[float, ...]) -> tuple[float, Array]:
    """Θ, the least Φ-norm of the cosines with any direction of Range(B), and a direction that has it.

    In an orthonormal basis of Range(B) the cosines with a unit vector c are b_j · c. So the norm is a sum of support
    functions, phi_k times that of the polytope with the corners ±b_j, j in I(k), and as such the support function of
    the polytopes' sum. The least support of a polytope around the origin is the distance of its nearest facet: Θ is
    exact, but for rounding, and the direction is that facet's normal.
    """
    basis = of.basis()
    inside = (basis.T @ of.b).T
    used = [members for members, share in zip(of.members, phi, strict=True) if share > 0]
    _, singular, directions = np.linalg.svd(inside[np.concatenate(used)])
    if len(singular) < basis.shape[1] or singular[-1] < 1e-9:  # a direction that no function of Φ's has a part in
        return 0.0, np.asarray(basis @ directions[-1])
    corners = np.zeros((1, basis.shape[1]))
    for members, share in zip(of.members, phi, strict=True):
        if share > 0:
            both = share * np.vstack([inside[members], -inside[members]])
            corners = (corners[:, None] + both[None]).reshape(-1, basis.shape[1])
    facets = ConvexHull(corners).equations  # normal · x + offset <= 0 inside, normals of length 1
    nearest = facets[np.argmax(facets[:, -1])]
    return float(-nearest[-1]), np.asarray(basis @ nearest[:-1])


# ---- the problem ----


@dataclass(frozen=True)
class Problem:
    """Minimise L(β) = the sum over rows of l(y, B β)."""

    of: FiniteClass
    loss: Loss
    y: Array

    def objective(self, f: Array) -> Array:
        """L of scores f = B β, a row of them each training."""
        return np.asarray(self.loss.value(self.y, f).sum(axis=-1))


def find_optimum(problem: Problem) -> tuple[float, float]:
    """L(β*) by Newton's method, and by how much it can be wrong: ||gradient||² / 2μ, by strong convexity."""
    basis, loss, y = problem.of.basis(), problem.loss, problem.y
    at = np.zeros(basis.shape[1])
    for _ in range(50):
        f = basis @ at
        gradient = basis.T @ loss.first(y, f)
        step = np.linalg.solve(basis.T @ (loss.second(y, f)[:, None] * basis), gradient)
        at = at - loss.rate * step  # with μ / S every step descends
    gradient = basis.T @ loss.first(y, basis @ at)
    return float(problem.objective(basis @ at)), float(gradient @ gradient / (2 * loss.mu))


def boost(problem: Problem, phi: tuple[float, ...], n_rounds: int, n_repeats: int, seed: int) -> Array:
    """Algorithm 1, many trainings at once: L after 0, 1, ... rounds (a row each) of every training (a column each)."""
    rng = np.random.default_rng(seed)
    b, loss, y = problem.of.b, problem.loss, problem.y
    is_member = np.array([np.isin(np.arange(b.shape[1]), members) for members in problem.of.members])
    f = np.zeros((n_repeats, len(y)))
    found = [problem.objective(f)]
    for _ in range(n_rounds):
        drawn = rng.choice(len(phi), size=n_repeats, p=phi)
        first, second = loss.first(y, f) @ b, loss.second(y, f) @ b**2  # of L, by each coordinate of β
        fit = np.where(is_member[drawn], np.abs(first) / np.sqrt(second), -1.0)
        chosen = fit.argmax(axis=1)[:, None]
        steps = -np.take_along_axis(first, chosen, 1) / np.take_along_axis(second, chosen, 1)
        f += loss.rate * steps * b[:, chosen[:, 0]].T
        found.append(problem.objective(f))
    return np.array(found)


# ---- theorem against training ----


@dataclass(frozen=True)
class Course:
    """How the excess loss L - L* goes on, over that at the start: measured, and at most by the theorem."""

    loss: str
    phi_name: str
    phi: tuple[float, ...]
    mu: float
    s: float
    theta: float
    contraction: float  # 1 - μ²/S² Θ², a round's share of the excess that the theorem leaves
    bound: list[float]
    mean: list[float]
    low: list[float]
    high: list[float]


def follow(problem: Problem, phi_name: str, theta: float, n_rounds: int, n_repeats: int, seed: int) -> Course:
    loss, phi = problem.loss, PHIS[phi_name]
    optimum, error = find_optimum(problem)
    losses = boost(problem, phi, n_rounds, n_repeats, seed)
    assert error < 1e-12 * (losses[0, 0] - optimum)
    excess = (losses - optimum) / (losses[0, 0] - optimum)
    contraction = 1 - (loss.rate * theta) ** 2
    low, high = np.percentile(excess, BAND, axis=1)
    return Course(
        loss.name,
        phi_name,
        phi,
        loss.mu,
        loss.s,
        theta,
        contraction,
        bound=[contraction**m for m in range(n_rounds + 1)],
        mean=excess.mean(axis=1).tolist(),
        low=low.tolist(),
        high=high.tolist(),
    )


def make_problems(n_rows: int, seed: int) -> list[Problem]:
    """The class on random rows, with labels of a step, a wave and noise: as they are, and their signs."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(size=(n_rows, 2))
    of = make_class(rows)
    wave = np.cos(rows @ FREQUENCY + 0.5)
    y = wave + np.where((rows[:, 0] > 0.5) & (rows[:, 1] > 0.5), 1.0, -0.5) + rng.normal(0, 0.3, n_rows)
    return [Problem(of, SQUARED, y), Problem(of, logistic(penalty=1.0), np.where(y > 0, 1.0, -1.0))]


def follow_all(n_rounds: int = N_ROUNDS, n_repeats: int = N_REPEATS, seed: int = SEED) -> list[Course]:
    """Every loss with every mass function."""
    problems = make_problems(N_ROWS, seed)
    thetas = {name: minimum_cosine(problems[0].of, phi)[0] for name, phi in PHIS.items()}  # the losses share a class
    return [
        follow(problem, name, theta, n_rounds, n_repeats, seed)
        for problem in problems
        for name, theta in thetas.items()
    ]
