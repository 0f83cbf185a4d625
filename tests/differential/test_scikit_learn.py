"""One round of each learner against scikit-learn's own tree and ridge regression, through the program."""

import json
import subprocess

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

ONE_STEP = {"preset": "paper", "num_round": 1, "learning_rate": 1}


@pytest.fixture
def fit(program, tmp_path):
    """Trains on (x, y, weight) and returns predictions of x and the model as a dictionary."""

    def fit_and_predict(x, y, weight=None, **options):
        columns = [*x.T, y] + ([weight] if weight is not None else [])
        names = [f"x{j}" for j in range(x.shape[1])] + ["y"] + (["w"] if weight is not None else [])
        data, model = tmp_path / "data.csv", tmp_path / "model.mxb"
        with open(data, "w") as file:
            print(*names, sep=",", file=file)
            for row in zip(*columns, strict=True):
                print(*(repr(float(value)) for value in row), sep=",", file=file)
        command = [program, "train", data, "--label", "y", "--model", model, "--quiet"]
        command += ["--weight", "w"] if weight is not None else []
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        subprocess.run(command, check=True)
        output = subprocess.run([program, "predict", model, data, "--raw"], check=True, capture_output=True, text=True)
        shown = subprocess.run([program, "show", model, "--json"], check=True, capture_output=True, text=True)
        return np.array([float(line) for line in output.stdout.split()[1:]]), json.loads(shown.stdout)

    return fit_and_predict


def random_data(seed, n_rows=400, n_features=5, n_values=200):
    """Features of few enough values that each has a bin of its own, a label without ties, weights."""
    random = np.random.default_rng(seed)
    x = random.choice(random.standard_normal(n_values), size=(n_rows, n_features))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + random.standard_normal(n_rows)
    return x, y, random.uniform(0.1, 3.0, n_rows)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("depth", [1, 4, 7])
def test_a_tree_round_is_a_regression_tree(fit, seed, weighted, depth):
    x, y, weight = random_data(seed)
    weight = weight if weighted else None
    options = {"tree_probability": 1, "lambda_l2": 0}
    ours, _ = fit(x, y, weight, min_max_depth=depth, max_max_depth=depth, **ONE_STEP, **options)
    tree = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(x, y, sample_weight=weight)
    np.testing.assert_allclose(ours, tree.predict(x), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("depth", [1, 4, 9])
def test_an_exact_tree_round_is_a_regression_tree_on_continuous_features(fit, seed, weighted, depth):
    """Thresholds below the root may differ within their gap: ours lie between neighbours of the whole data set."""
    random = np.random.default_rng(100 + seed)
    x = random.standard_normal((1200, 4)).astype(np.float32).astype(float)  # as scikit-learn sees it
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + random.standard_normal(1200)
    weight = random.uniform(0.1, 3.0, 1200) if weighted else None
    assert min(len(np.unique(column)) for column in x.T) > 1100
    options = {"tree_probability": 1, "lambda_l2": 0, "use_histograms": "false"}
    ours, model = fit(x, y, weight, min_max_depth=depth, max_max_depth=depth, **ONE_STEP, **options)
    tree = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(x, y, sample_weight=weight)
    np.testing.assert_allclose(ours, tree.predict(x), rtol=1e-9, atol=1e-12)
    root = model["rounds"][0]["nodes"][0]
    assert root["feature"] == tree.tree_.feature[0]
    assert root["threshold"] == pytest.approx(tree.tree_.threshold[0], rel=1e-12)


@pytest.mark.parametrize("scaling", ["none", "standard", "rank"])
@pytest.mark.parametrize("intercept", ["true", "false"])
@pytest.mark.parametrize("alpha", [1e-3, 10.0])
def test_a_fourier_round_is_ridge_regression(fit, scaling, intercept, alpha):
    x, y, weight = random_data(seed=9)
    options = {"tree_probability": 0, "n_components": 40, "gamma": 0.3, "fourier_scaling": scaling, "alpha": alpha}
    ours, model = fit(x, y, weight, fit_intercept=intercept, **ONE_STEP, **options)
    z = fourier_features(x, model)
    ridge = Ridge(alpha=alpha, fit_intercept=intercept == "true", solver="cholesky").fit(z, y, sample_weight=weight)
    np.testing.assert_allclose(ours, ridge.predict(z), rtol=1e-5, atol=1e-5)


def fourier_features(x, model):
    """z(x) from the numbers in the model file, by the formula of docs/algorithm.md."""
    inputs = np.empty_like(x)
    for j, feature in enumerate(model["scaling"]["features"]):
        if model["scaling"]["kind"] == "rank":
            inputs[:, j] = np.interp(x[:, j], feature["knots"], feature["scores"])
        else:
            inputs[:, j] = (x[:, j] - feature["center"]) * feature["factor"]
    mantissas, exponents = np.frexp(inputs)
    inputs = np.ldexp(np.round(mantissas * 2**12), exponents - 12)  # 12 binary digits
    projection = model["projections"][0]
    turns = inputs @ np.array(projection["weights"]) + np.array(projection["phases"])
    return np.sqrt(2 / projection["n_components"]) * np.cos(2 * np.pi * turns)


def test_standard_scaling_is_the_training_mean_and_deviation(fit):
    x, y, weight = random_data(seed=3)
    _, model = fit(x, y, weight, tree_probability=0, fourier_scaling="standard", **ONE_STEP)
    mean = np.average(x, axis=0, weights=weight)
    deviation = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=weight))
    shown = model["scaling"]["features"]
    np.testing.assert_allclose([feature["center"] for feature in shown], mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose([feature["factor"] for feature in shown], 1 / deviation, rtol=1e-12)


def test_frequencies_have_variance_two_gamma(fit):
    x, y, _ = random_data(seed=4, n_features=50)
    _, model = fit(x, y, tree_probability=0, n_components=400, gamma=0.7, **ONE_STEP)
    frequencies = 2 * np.pi * np.array(model["projections"][0]["weights"])
    assert abs(frequencies.mean()) < 0.03
    assert abs(frequencies.var() / (2 * 0.7) - 1) < 0.03
