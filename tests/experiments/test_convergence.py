"""Theorem 1 on a finite class: the constants from their definitions, and the mean loss under the bound."""

import json

import numpy as np
import pytest


@pytest.fixture
def convergence(module):
    return module("convergence")


@pytest.fixture
def problems(convergence):
    return convergence.make_problems(n_rows=40, seed=1)


def circle_class(convergence, angles_of_subclasses):
    """Functions in a plane of a space of three rows, at these angles."""
    plane = np.array([[1.0, 0.0], [0.0, 0.6], [0.0, 0.8]])
    angles = [[plane @ [np.cos(a), np.sin(a)] for a in angles] for angles in angles_of_subclasses]
    return convergence.finite_class(angles)


@pytest.mark.parametrize("phi", [(0.5, 0.5), (0.9, 0.1), (1.0, 0.0)])
def test_the_minimum_cosine_is_the_least_of_a_grid(convergence, phi):
    of = circle_class(convergence, [[0.1, 1.0, 2.2], [0.4, 1.9]])
    angles = np.linspace(0, np.pi, 20001)
    directions = np.array([np.cos(angles), 0.6 * np.sin(angles), 0.8 * np.sin(angles)])
    norms = convergence.phi_norm(of, phi, directions.T @ of.b)
    theta, direction = convergence.minimum_cosine(of, phi)
    assert theta == pytest.approx(norms.min(), abs=1e-4) and theta <= norms.min()
    assert convergence.phi_norm(of, phi, direction @ of.b) == pytest.approx(theta)


def test_the_minimum_cosine_of_axes_is_that_of_their_diagonal(convergence):
    of = convergence.finite_class([list(np.eye(4))])
    assert convergence.minimum_cosine(of, (1.0,))[0] == pytest.approx(0.5)


def test_no_direction_has_less_than_the_minimum_cosine(convergence, problems):
    of = problems[0].of
    basis, rng = of.basis(), np.random.default_rng(0)
    inside = rng.normal(size=(20000, basis.shape[1]))
    directions = inside / np.linalg.norm(inside, axis=1, keepdims=True) @ basis.T
    for phi in convergence.PHIS.values():
        theta, direction = convergence.minimum_cosine(of, phi)
        assert np.all(convergence.phi_norm(of, phi, directions @ of.b) >= theta)
        assert convergence.phi_norm(of, phi, direction @ of.b) == pytest.approx(theta, abs=1e-12)
        assert np.linalg.norm(direction) == pytest.approx(1) and np.allclose(basis @ (basis.T @ direction), direction)


def test_a_subclass_that_is_needed_and_never_drawn_makes_it_zero(convergence, problems):
    found = {name: convergence.minimum_cosine(problems[0].of, phi)[0] for name, phi in convergence.PHIS.items()}
    assert found.pop("trees alone") == 0
    assert found["uniform"] > found["mostly trees"] > found["nearly all stumps"] > 0


def test_the_derivatives_are_within_the_constants(convergence):
    f, step = np.linspace(-8, 8, 401), 1e-4
    for loss in (convergence.SQUARED, convergence.logistic(0.3)):
        for y in (np.full_like(f, -1.0), np.full_like(f, 1.0)):
            slope = (loss.value(y, f + step) - loss.value(y, f - step)) / (2 * step)
            bend = (loss.first(y, f + step) - loss.first(y, f - step)) / (2 * step)
            assert np.allclose(loss.first(y, f), slope, atol=1e-6)
            assert np.allclose(loss.second(y, f), bend, atol=1e-6)
            assert np.all(loss.second(y, f) >= loss.mu) and np.all(loss.second(y, f) <= loss.s)


def test_the_optimum_is_least(convergence, problems):
    squared, logistic = problems
    residual = squared.y - squared.of.b @ np.linalg.lstsq(squared.of.b, squared.y, rcond=None)[0]
    assert convergence.find_optimum(squared)[0] == pytest.approx(residual @ residual / 2)
    optimum, error = convergence.find_optimum(logistic)
    assert error < 1e-12
    rng = np.random.default_rng(2)
    assert np.all(logistic.objective(rng.normal(0, 2, (1000, logistic.of.b.shape[1])) @ logistic.of.b.T) >= optimum)


def test_boosting_takes_the_best_step_of_the_drawn_subclass(convergence, problems):
    """With all the mass on one subclass nothing is random: the best coordinate by hand."""
    squared, logistic = problems
    uneven = convergence.Problem(logistic.of, convergence.logistic(0.01), logistic.y)  # rows differ in curvature
    for problem in (squared, logistic, uneven):
        b, loss, members = problem.of.b, problem.loss, problem.of.members[1]
        found = convergence.boost(problem, (0.0, 1.0, 0.0), n_rounds=60, n_repeats=2, seed=0)
        assert found.shape == (61, 2)
        f = np.zeros(len(problem.y))
        for m in range(60):
            g, h = loss.first(problem.y, f), loss.second(problem.y, f)
            errors = {}
            for j in members:
                sigma = -(g @ b[:, j]) / (h @ b[:, j] ** 2)
                errors[j] = h @ (-g / h - sigma * b[:, j]) ** 2, sigma
            j = min(errors, key=lambda j: errors[j][0])
            f = f + loss.mu / loss.s * errors[j][1] * b[:, j]
            assert found[m + 1] == pytest.approx([float(problem.objective(f))] * 2)


def test_the_mean_stays_below_a_falling_bound(convergence):
    for course in convergence.follow_all(n_rounds=40, n_repeats=200, seed=3):
        bound, mean = np.array(course.bound), np.array(course.mean)
        assert bound[0] == mean[0] == 1 and np.all(mean[1:] < bound[1:])
        assert np.all(np.diff(bound) < 0) if course.theta > 0 else np.all(bound == 1)
        assert np.all(np.array(course.low) <= course.high) and 0 <= course.theta <= 1


def test_the_page_tells_the_constants_and_when_the_excess_is_small(convergence, module, tmp_path):
    run = module("run_convergence")
    courses = convergence.follow_all(n_rounds=10, n_repeats=20)
    text = run.write(courses, "2026-01-02", tmp_path)
    assert text == (tmp_path / "convergence.md").read_text() and "2026-01-02" in text
    assert f"| logistic loss | uniform | 0.33 0.33 0.33 | 1 | 1.25 | 0.8 | {courses[4].theta:.3f} |" in text
    kept = json.loads((tmp_path / "convergence.json").read_text())
    assert len(kept["courses"]) == 8 and kept["courses"][0]["mean"] == pytest.approx(courses[0].mean, rel=1e-4)
    assert (tmp_path / "convergence.svg").read_text().startswith("<?xml")


def test_rounds_until_a_hundredth(convergence, module):
    run = module("run_convergence")

    def course(theta, contraction, mean):
        return convergence.Course("", "", (1.0,), 1.0, 1.0, theta, contraction, [], mean, [], [])

    assert run.rounds_until_small(course(0.5, 0.75, [1.0, 0.1, 0.01, 0.001])) == ("17", "2")
    assert run.rounds_until_small(course(0.0, 1.0, [1.0, 0.5])) == ("never", "> 1")
