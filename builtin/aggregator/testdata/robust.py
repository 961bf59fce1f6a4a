"""Makes robust.json: five rounds of robust aggregators, from their formulas alone, in NumPy.

    python3 builtin/aggregator/testdata/robust.py
"""

import itertools
import json
import pathlib

import numpy as np

rng = np.random.default_rng(2018)
ROUNDS, CLIENTS, SIZE = 5, 12, 6
start = rng.normal(size=SIZE)
samples = rng.integers(1, 9, size=CLIENTS)
cohorts = [sorted(rng.choice(CLIENTS, size=k, replace=False).tolist()) for k in (7, 8, 12, 9, 11)]
deltas = [rng.normal(scale=0.3, size=(len(c), SIZE)) + 0.2 for c in cohorts]
for d in deltas:
    d[1] = 5 * rng.normal(size=SIZE)  # an outlier


def run(step):
    x, all = start.copy(), []
    for t in range(ROUNDS):
        x = x + step(np.array(cohorts[t]), deltas[t])
        all.append(x.tolist())
    return all


def trimmed(f):
    return lambda c, d: np.sort(d, axis=0)[f : len(c) - f].mean(axis=0)


def around_median(d, count):
    median, out = np.median(d, axis=0), []
    for j in range(d.shape[1]):
        near = sorted(d[:, j], key=lambda x: abs(x - median[j]))[:count]
        out.append(np.mean(near))
    return np.array(out)


def krum_order(d, f, near=None):
    n = len(d)
    near = n - f - 2 if near is None else near
    scores = []
    for i in range(n):
        others = sorted(((d[i] - d[j]) ** 2).sum() for j in range(n) if j != i)
        scores.append((sum(others[:near]), sum(others)))
    return sorted(range(n), key=lambda i: scores[i])


def multi_krum(f, m):
    return lambda c, d: d[krum_order(d, f)[: m or len(c) - f]].mean(axis=0)


def bulyan(f):
    def step(c, d):
        left, chosen = list(range(len(c))), []
        while len(chosen) < len(c) - 2 * f:
            near = min(max(len(left) - f - 2, 1), len(left) - 1)
            best = left[krum_order(d[left], f, near)[0]]
            chosen.append(best)
            left.remove(best)
        return around_median(d[chosen], len(chosen) - 2 * f)

    return step


def least_diameter(f):
    def step(c, d):
        best = None
        for some in itertools.combinations(range(len(c)), len(c) - f):
            pairs = itertools.combinations(some, 2)
            diameter = max(((d[i] - d[j]) ** 2).sum() for i, j in pairs)
            if best is None or diameter < best[0] * (1 - 1e-12):
                best = diameter, some
        return d[list(best[1])].mean(axis=0)

    return step


def geometric_median(weigh):
    def step(c, d):
        w = samples[c] if weigh else np.ones(len(c))
        z = np.average(d, axis=0, weights=w)
        for _ in range(20000):  # Weiszfeld, until nothing changes
            by = w / np.linalg.norm(d - z, axis=1)
            z = by @ d / by.sum()
        return z

    return step


def clipping(radius):
    def step(c, d):
        norms = np.linalg.norm(d, axis=1, keepdims=True)
        return (d * np.minimum(1, radius / norms)).mean(axis=0)

    return step


def centered(radius, iterations):
    v = np.zeros(SIZE)

    def step(c, d):
        nonlocal v
        for _ in range(iterations):
            off = d - v
            norms = np.linalg.norm(off, axis=1, keepdims=True)
            v = v + (off * np.minimum(1, radius / norms)).mean(axis=0)
        return v

    return step


def rlr(votes, rate):
    def step(c, d):
        agree = np.abs(np.sign(d).sum(axis=0)) >= votes * len(c)
        return np.where(agree, rate, -rate) * d.mean(axis=0)

    return step


def case(name, given, step):
    return {
        "name": name,
        "inputs": {
            "given": given,
            "start": start.tolist(),
            "samples": samples.tolist(),
            "importance": [1 / CLIENTS] * CLIENTS,
            "cohorts": cohorts,
            "losses": [[0] * len(c) for c in cohorts],
            "deltas": [d.tolist() for d in deltas],
        },
        "expected": {"rounds": run(step)},
        "tol": {"abs": 1e-12, "rel": 1e-12},
    }


cases = [
    case("coordinate-median", {}, lambda c, d: np.median(d, axis=0)),
    case("trimmed-mean", {"f": 2}, trimmed(2)),
    case("meamed", {"f": 2}, lambda c, d: around_median(d, len(c) - 2)),
    case("krum", {"f": 2}, multi_krum(2, 1)),
    case("multi-krum", {"f": 2}, multi_krum(2, 0)),
    case("multi-krum three", {"f": 1, "m": 3}, multi_krum(1, 3)),
    case("bulyan", {"f": 1}, bulyan(1)),
    case("mda", {"f": 2}, least_diameter(2)),
    case("geometric-median", {}, geometric_median(False)),
    case("geometric-median by samples", {"weights": "samples"}, geometric_median(True)),
    case("norm-clipping", {"threshold": 0.9}, clipping(0.9)),
    case("centered-clipping", {"tau": 0.8, "iterations": 2}, centered(0.8, 2)),
    case("rlr", {"votes": 0.5, "rate": 0.7}, rlr(0.5, 0.7)),
]
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps({"cases": cases}, indent=1) + "\n")
