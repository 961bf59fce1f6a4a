"""Makes fairness.json: five rounds of fair aggregators, from their formulas alone, in NumPy.

    python3 builtin/aggregator/testdata/fairness.py
"""

import itertools
import json
import pathlib

import numpy as np

rng = np.random.default_rng(2022)
ROUNDS, CLIENTS, SIZE = 5, 5, 6
start = rng.normal(size=SIZE)
samples = np.array([3, 1, 4, 2, 6])
importance = np.array([0.3, 0.1, 0.2, 0.25, 0.15])
cohorts = [[0, 1, 2, 3], [1, 2, 3, 4], [0, 1, 2, 3, 4], [0, 2, 3], [1, 4]]
losses = [rng.uniform(0.1, 2, size=len(c)) for c in cohorts]
deltas = [rng.normal(scale=0.3, size=(len(c), SIZE)) + 0.2 for c in cohorts]


def run(step):
    x, all = start.copy(), []
    for t in range(ROUNDS):
        x = x + step(np.array(cohorts[t]), losses[t], deltas[t])
        all.append(x.tolist())
    return all


def shares(cohort):
    return samples[cohort] / samples[cohort].sum()


def q_fedavg(q, eta):
    def step(cohort, f, d):
        lipschitz, f = 1 / eta, f + 1e-10
        big = -d * lipschitz
        h = q * f ** (q - 1) * (big**2).sum(axis=1) + lipschitz * f**q
        return -(f[:, None] ** q * big).sum(axis=0) / h.sum()

    return step


def projected(v):
    """The nearest point of the simplex: of all supports the one whose point is nearest."""
    best = None
    for on in itertools.product([False, True], repeat=len(v)):
        on = np.array(on)
        if not on.any():
            continue
        x = np.where(on, v - (v[on].sum() - 1) / on.sum(), 0)
        if (x >= 0).all() and (best is None or ((x - v) ** 2).sum() < ((best - v) ** 2).sum()):
            best = x
    return best


def agnostic(gamma):
    mixture = importance.copy()

    def step(cohort, f, d):
        nonlocal mixture
        w = mixture[cohort]
        move = w @ d / w.sum() if w.sum() > 0 else np.zeros(SIZE)
        up = mixture.copy()
        up[cohort] += gamma * CLIENTS / len(cohort) * f
        mixture = projected(up)
        return move

    return step


def tilted(t, share):
    kept = None

    def step(cohort, f, d):
        nonlocal kept
        p = shares(cohort)
        now = (p * np.exp(t * f)).sum()
        kept = now if kept is None else (1 - share) * kept + share * now
        return (p * np.exp(t * f) / kept) @ d

    return step


def superquantile(conformity):
    def step(cohort, f, d):
        # The best vertex of the polytope: clients at their bound, and one with the rest.
        p, best, value = shares(cohort), None, -np.inf
        for full in itertools.product([False, True], repeat=len(p)):
            full = np.array(full)
            for k in np.flatnonzero(~full):
                w = np.where(full, p / conformity, 0)
                w[k] = 1 - w.sum()
                if 0 <= w[k] <= p[k] / conformity + 1e-12 and w @ f > value:
                    best, value = w, w @ f
        return best @ d

    return step


def whole(conformity):
    def step(cohort, f, d):
        p = shares(cohort)
        # The largest loss l with P(F >= l) >= conformity.
        at = max(l for l in f if p[f >= l].sum() >= conformity)
        w = np.where(f >= at, p, 0)
        return w @ d / w.sum()

    return step


def mgda(epsilon, normalize, rate):
    def step(cohort, f, d):
        p, n = shares(cohort), len(cohort)
        g = d / np.linalg.norm(d, axis=1)[:, None] if normalize else d
        gram, best = g @ g.T, None
        low, high = np.maximum(0, p - epsilon), np.minimum(1, p + epsilon)
        # Every choice of which weights are at a bound; the free ones are optimal for their sum.
        for where in itertools.product([0, 1, 2], repeat=n):
            where = np.array(where)
            x, free = np.where(where == 0, low, high), np.flatnonzero(where == 2)
            if len(free) == 0:
                if abs(x.sum() - 1) > 1e-12:
                    continue
            else:
                x[free] = 0
                a = np.block([[gram[np.ix_(free, free)], np.ones((len(free), 1))],
                              [np.ones((1, len(free))), np.zeros((1, 1))]])
                b = np.append(-gram[free] @ x, 1 - x.sum())
                x[free] = np.linalg.solve(a, b)[:-1]
            if (x < low - 1e-12).any() or (x > high + 1e-12).any():
                continue
            if best is None or x @ gram @ x < best @ gram @ best:
                best = x
        return rate * best @ g

    return step


CASES = {
    "q-fedavg": ({"q": 2.5, "lr": 0.2}, run(q_fedavg(2.5, 0.2))),
    "agnostic-fl": ({"ascent": 0.3}, run(agnostic(0.3))),
    "term": ({"tilt": 1.7, "share": 0.3}, run(tilted(1.7, 0.3))),
    "delta-fl": ({"conformity": 0.45}, run(superquantile(0.45))),
    "delta-fl whole": ({"conformity": 0.45, "boundary": "whole"}, run(whole(0.45))),
    "fedmgda-plus": ({"epsilon": 0.15, "server_rate": 0.7}, run(mgda(0.15, True, 0.7))),
    "fedmgda-plus free": ({"epsilon": 1.0, "normalize": False}, run(mgda(1, False, 1))),
}

snapshots = [rng.normal(size=(len(c), SIZE)) for c in cohorts]
times = [[1, 2, 1, 3], [1, 1, 1, 1], [1, 1, 4, 1, 1], [2, 2, 2], [5, 1]]
steps = [[7] * len(c) for c in cohorts]


def drfa():
    x, models, means = start.copy(), [], []
    for c, d, s, m in zip(cohorts, deltas, snapshots, times):
        w = np.array(m) / sum(m)
        x = x + w @ d
        models.append(x.tolist())
        means.append((w @ s).tolist())
    return {"rounds": models, "snapshots": means}


text = json.dumps(
    {
        "cases": [
            {
                "name": "drfa",
                "inputs": {
                    "start": start.tolist(),
                    "samples": samples.tolist(),
                    "importance": importance.tolist(),
                    "cohorts": cohorts,
                    "deltas": [d.tolist() for d in deltas],
                    "snapshots": [s.tolist() for s in snapshots],
                    "times": times,
                },
                "expected": drfa(),
                "tol": {"abs": 1e-12, "rel": 1e-12},
            }
        ]
        + [
            {
                "name": name,
                "inputs": {
                    "given": given,
                    "start": start.tolist(),
                    "samples": samples.tolist(),
                    "importance": importance.tolist(),
                    "cohorts": cohorts,
                    "losses": [f.tolist() for f in losses],
                    "deltas": [d.tolist() for d in deltas],
                },
                "expected": {"rounds": rounds},
                "tol": {"abs": 1e-12, "rel": 1e-12},
            }
            for name, (given, rounds) in CASES.items()
        ]
    },
    indent=1,
)
pathlib.Path(__file__).with_name("fairness.json").write_text(text + "\n")
