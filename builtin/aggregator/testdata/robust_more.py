"""Makes robust_more.json: five rounds of more robust aggregators, from their formulas, in NumPy.

    python3 builtin/aggregator/testdata/robust_more.py
"""

import itertools
import json
import pathlib

import numpy as np

rng = np.random.default_rng(2025)
ROUNDS, CLIENTS, SIZE = 5, 12, 7
start = rng.normal(size=SIZE)
samples = rng.integers(1, 9, size=CLIENTS)
cohorts = [sorted(rng.choice(CLIENTS, size=k, replace=False).tolist()) for k in (7, 8, 12, 9, 11)]
sybil = rng.normal(size=SIZE)
deltas = []
for c in cohorts:
    d = rng.normal(scale=0.6, size=(len(c), SIZE)) + 0.2
    d[1] = 5 * rng.normal(size=SIZE)  # an outlier
    for k, i in enumerate(c):
        if i < 3:  # clients that resemble each other over rounds
            d[k] = sybil + 0.2 * rng.normal(size=SIZE)
    d[-1, 2] = 0  # a parameter that does not move
    deltas.append(d)

root_x, root_y = rng.normal(size=(9, SIZE)), rng.normal(size=9)


def run(step):
    x, all = start.copy(), []
    for t in range(ROUNDS):
        x = x + step(np.array(cohorts[t]), deltas[t], x)
        all.append(x.tolist())
    return all


def caf(f):
    def step(c, d, x):
        n = len(c)
        weights, best = np.ones(n), (np.inf, None)
        while weights.sum() > n - 2 * f:
            mean = weights @ d / weights.sum()
            off = d - mean
            values, vectors = np.linalg.eigh((off.T * weights) @ off / weights.sum())
            if values[-1] < best[0]:
                best = values[-1], mean
            tau = (off @ vectors[:, -1]) ** 2
            weights = weights * (1 - np.minimum(1, tau / tau[weights > 0].max()))
        return best[1]

    return step


def smea(f):
    def step(c, d, x):
        best = (np.inf, None)
        for some in itertools.combinations(range(len(c)), len(c) - f):
            own = d[list(some)]
            most = np.linalg.eigvalsh(np.cov(own.T, bias=True))[-1]
            if most < best[0]:
                best = most, own.mean(axis=0)
        return best[1]

    return step


def foolsgold(confidence, rate):
    history = np.zeros((CLIENTS, SIZE))

    def step(c, d, x):
        history[c] += d
        h, n = history[c], len(c)
        norms = np.linalg.norm(h, axis=1)
        cosine = h @ h.T / np.outer(norms, norms)
        np.fill_diagonal(cosine, 0)
        most = cosine.max(axis=1)
        pardoned = cosine.copy()
        for i in range(n):
            for j in range(n):
                if i != j and most[i] < most[j]:
                    pardoned[i, j] *= most[i] / most[j]
        alpha = np.clip(1 - pardoned.max(axis=1), 0, 1)
        alpha = alpha / alpha.max()
        alpha[alpha == 1] = 0.99
        with np.errstate(divide="ignore"):
            alpha = np.clip(confidence * (np.log(alpha / (1 - alpha)) + 0.5), 0, 1)
        return rate * alpha @ d / n

    return step


def fltrust(steps, lr, rate):
    def step(c, d, x):
        own = x.copy()
        for _ in range(steps):
            own = own - lr * root_x.T @ (root_x @ own - root_y) / len(root_y)
        own = own - x
        norms = np.linalg.norm(d, axis=1)
        score = np.maximum(0, d @ own / norms / np.linalg.norm(own))
        return rate * (score * np.linalg.norm(own) / norms) @ d / score.sum()

    return step


def mean_shift(points):
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    width = np.sort(distance, axis=1)[:, len(points) // 2 - 1].mean()
    bins = sorted({tuple(np.round(p / width)) for p in points})
    seeds = points if len(bins) == len(points) else np.array(bins) * width
    peaks = set()
    for at in seeds:
        for _ in range(301):
            near = points[np.linalg.norm(points - at, axis=1) <= width]
            if len(near) == 0:
                break
            before, at = at, near.mean(axis=0)
            if np.linalg.norm(at - before) <= 1e-3 * width:
                break
        if len(near):
            peaks.add((len(near), tuple(at)))
    centers = []
    for _, at in sorted(peaks, reverse=True):
        if all(np.linalg.norm(np.array(at) - c) > width for c in centers):
            centers.append(np.array(at))
    labels = []
    for p in points:
        by = [np.linalg.norm(p - c) for c in centers]
        labels.append(int(np.argmin(by)) if min(by) <= width else -1)
    return np.array(labels), len(centers)


def signguard(low, high, rate):
    def step(c, d, x):
        norms = np.linalg.norm(d, axis=1)
        shares = np.stack([(d > 0).mean(1), (d == 0).mean(1), (d < 0).mean(1)], axis=1)
        labels, many = mean_shift(shares / (shares.max(axis=0) + 1e-8))
        sizes = [(labels == k).sum() for k in range(many)]
        usual = (norms > low * np.median(norms)) & (norms < high * np.median(norms))
        kept = usual & (labels == np.argmax(sizes))
        smaller = np.sort(norms)[(len(c) - 1) // 2]
        cut = d * np.minimum(1, smaller / norms)[:, None]
        return rate * cut[kept].mean(axis=0)

    return step


def centered(radius, iterations, beta):
    v, u = np.zeros(SIZE), None

    def step(c, d, x):
        nonlocal v, u
        for _ in range(iterations):
            off = d - v
            norms = np.linalg.norm(off, axis=1, keepdims=True)
            v = v + (off * np.minimum(1, radius / norms)).mean(axis=0)
        u = v if u is None else beta * u + (1 - beta) * v
        return u

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
            "root": {"x": root_x.tolist(), "y": root_y.tolist()},
        },
        "expected": {"rounds": run(step)},
        "tol": {"abs": 1e-12, "rel": 1e-12},
    }


cases = [
    case("caf", {"f": 2}, caf(2)),
    case("smea", {"f": 2}, smea(2)),
    case("foolsgold", {}, foolsgold(1, 1)),
    case("foolsgold sharp", {"confidence": 0.3, "server_rate": 2}, foolsgold(0.3, 2)),
    case("fltrust", {"steps": 3, "lr": 0.1, "server_rate": 0.5}, fltrust(3, 0.1, 0.5)),
    case("signguard", {"share": 1, "server_rate": 0.5}, signguard(0.1, 3, 0.5)),
    case("signguard narrow", {"share": 1, "low": 0.6, "high": 1.3}, signguard(0.6, 1.3, 1)),
    case("centered-clipping", {"tau": 0.8, "beta": 0.6}, centered(0.8, 1, 0.6)),
]
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps({"cases": cases}, indent=1) + "\n")
