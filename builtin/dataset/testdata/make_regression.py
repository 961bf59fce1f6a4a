"""Writes make_regression.json beside itself.

The recipe of the FedAVOT authors' code, by the libraries it uses, for several parameters.
Made with NumPy 1.24.2 and scikit-learn 1.2.1: python3 make_regression.py
"""

import json
import pathlib

import numpy as np
from sklearn.datasets import make_regression
from sklearn.preprocessing import StandardScaler


def case(samples, features, informative, noise, random_state):
    x, y = make_regression(n_samples=samples, n_features=features, n_informative=informative,
                           noise=noise, random_state=random_state)
    x = StandardScaler().fit_transform(x)
    order = np.random.RandomState(random_state).permutation(samples)
    x, y = x[order], y[order]
    place = np.arange(1, samples + 1) / samples
    return {
        "given": {"samples": samples, "features": features, "informative": informative,
                  "noise": noise, "random_state": random_state},
        "first": list(x[0]), "last": list(x[-1]),
        # The columns of X sum to 0; weighted by the place of each row they do not, and tell
        # whether it is the right row.
        "columns": list(place @ x),
        "y": list(y[:3]) + list(y[-3:]),
        "y_sum": y.sum(), "y_by_place": place @ y,
    }


def optimum(x, y, p):
    """The p-weighted mean squared error at its minimum and at 0, 30 rows for each client."""
    w = np.repeat(p / p.sum() / 30, 30)
    root = np.sqrt(w)
    theta = np.linalg.lstsq(x * root[:, None], y * root, rcond=None)[0]
    return {"minimum": w @ (x @ theta - y) ** 2, "at_zero": w @ y**2}


x, y = make_regression(n_samples=3000, n_features=100, noise=0.1, random_state=0)
x = StandardScaler().fit_transform(x)
order = np.random.RandomState(0).permutation(3000)
golden = {
    "cases": [
        case(3000, 100, 10, 0.1, 0),
        case(60, 5, 10, 0.0, 42),  # no noise, fewer features than informative ones
        case(200, 40, 3, 2.5, 2**32 - 1),
        case(10, 1, 1, 0.5, 7),
    ],
    "optimum": optimum(x[order], y[order], (101 - np.arange(1, 101.0)) ** 0.8),
}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(golden, indent=0, separators=(",", ":")) + "\n")
