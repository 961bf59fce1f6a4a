"""Makes mixture_ot.json: transport between Gaussian mixtures by SciPy's roots and POT's plans.

    python3 framework/ot/testdata/mixture_ot.py

Needs NumPy, SciPy and POT (0.8.2 made the file). Costs between components are squared
Bures-Wasserstein distances by scipy.linalg.sqrtm, the plan is by ot.emd, and a point goes to the
mean of where the plan sends it, by densities of scipy.stats. Inputs are rounded.
"""

import json
import pathlib

import numpy
import ot
from scipy.linalg import sqrtm
from scipy.stats import multivariate_normal


def mixture(rng, parts, d, apart):
    weights = numpy.round(rng.random(parts) + 0.2, 3)
    weights = numpy.round(weights / weights.sum(), 6)
    weights[-1] += 1 - weights.sum()
    means = numpy.round(rng.normal(size=(parts, d)) * apart, 6)
    covs = []
    for _ in range(parts):
        half = rng.normal(size=(d, d + 1))
        cov = numpy.round(half @ half.T / d + 0.1 * numpy.eye(d), 6)
        covs.append((cov + cov.T) / 2)
    return weights, means, covs


def squared(m, s, n, g):
    root = sqrtm(s).real
    return ((m - n) ** 2).sum() + numpy.trace(s + g - 2 * sqrtm(root @ g @ root).real)


def push(x, m, s, n, g):
    root = sqrtm(s).real
    inverse = numpy.linalg.inv(root)
    return n + inverse @ sqrtm(root @ g @ root).real @ inverse @ (x - m)


def case(name, seed, parts, d, apart):
    rng = numpy.random.default_rng(seed)
    a, m, s = mixture(rng, parts[0], d, apart)
    b, n, g = mixture(rng, parts[1], d, apart)
    cost = numpy.array([[squared(m[i], s[i], n[j], g[j]) for j in range(parts[1])]
                        for i in range(parts[0])])
    plan = ot.emd(a, b, cost)
    points = numpy.round(rng.normal(size=(5, d)) * (apart + 1), 6)
    images = []
    for x in points:
        density = numpy.array([a[i] * multivariate_normal.pdf(x, m[i], s[i])
                               for i in range(parts[0])])
        density /= density.sum()
        images.append(sum(density[i] * plan[i, j] / a[i] * push(x, m[i], s[i], n[j], g[j])
                          for i in range(parts[0]) for j in range(parts[1])).tolist())
    law = lambda w, mean, cov: {"weights": w.tolist(), "means": mean.tolist(),
                                "covariances": [c.tolist() for c in cov]}
    return {"name": name, "source": "scipy.linalg.sqrtm, ot.emd",
            "inputs": {"from": law(a, m, s), "to": law(b, n, g), "points": points.tolist()},
            "expected": {"plan": plan.tolist(), "squared": float((plan * cost).sum()),
                         "images": images},
            "tol": {"abs": 1e-8, "rel": 1e-8}}


cases = [case("one component each", 1, (1, 1), 3, 1), case("2 and 3 components", 2, (2, 3), 2, 2),
         case("4 and 4, near", 3, (4, 4), 3, 0.5), case("5 and 2, far apart", 4, (5, 2), 4, 4),
         case("3 and 6", 5, (3, 6), 6, 1.5)]
path = pathlib.Path(__file__).with_name("mixture_ot.json")
path.write_text(json.dumps({"cases": cases}, indent=1) + "\n")
