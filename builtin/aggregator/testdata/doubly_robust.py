"""Makes doubly_robust.json: rounds of doubly robust aggregation, from its formula in plain Python.

    python3 builtin/aggregator/testdata/doubly_robust.py

Every round is computed anew from all that was sent before, by the sums of the formula; the
regression is fitted by its normal equations, which are solved by Gauss-Jordan elimination.
"""

import json
import pathlib
import random

draw = random.Random(94)
N, D, K, ROUNDS = 7, 4, 2, 6


def normal(n):
    return [draw.gauss(0, 1) for _ in range(n)]


total = [0.5 + draw.random() for _ in range(N)]
p = [x / sum(total) for x in total]
X = [normal(K) for _ in range(N)]
enrolled = [0, 1, 3, 4, 6]
e = [0.4 + 0.5 * draw.random() for _ in range(N)]
s = [[0.3 + 0.6 * draw.random() for _ in range(N)] for _ in range(ROUNDS)]
cohorts = [[0, 3, 4], [1, 4, 6], [0, 1, 3, 4], [6], [0, 4, 6], [1, 3]]
deltas = [[normal(D) for _ in range(N)] for _ in range(ROUNDS)]


def solve(a, b):
    """The solution of a·x = b with rows b as right-hand sides."""
    n = len(a)
    rows = [list(a[i]) + list(b[i]) for i in range(n)]
    for j in range(n):
        best = max(range(j, n), key=lambda i: abs(rows[i][j]))
        rows[j], rows[best] = rows[best], rows[j]
        rows[j] = [x / rows[j][j] for x in rows[j]]
        for i in range(n):
            if i != j:
                rows[i] = [x - rows[i][j] * y for x, y in zip(rows[i], rows[j])]
    return [row[n:] for row in rows]


def weigh(t, by):
    w = {i: p[i] / (e[i] * s[t][i]) for i in cohorts[t]}
    if by == "hajek":
        scale = sum(w.values())
        w = {i: x / scale for i, x in w.items()}
    return w


def regression(until, by, ridge, kept):
    """B of all rounds before one, (K + 1)×D."""
    n = K + 1
    gram = [[0.0] * n for _ in range(n)]
    cross = [[0.0] * D for _ in range(n)]
    for t in range(until):
        w, fade = weigh(t, by), kept ** (until - 1 - t)
        scale = fade / sum(w.values())
        for i, x in w.items():
            h = [1.0] + X[i]
            for j in range(n):
                for k in range(n):
                    gram[j][k] += scale * x * h[j] * h[k]
                for d in range(D):
                    cross[j][d] += scale * x * h[j] * deltas[t][i][d]
    for j in range(1, n):
        gram[j][j] *= 1 + ridge
    return solve(gram, cross)


def run(outcome, by, unseen, fit, ridge, kept):
    theta, path = [0.0] * D, []
    share = {i: p[i] / e[i] for i in enrolled}
    if by == "hajek":
        scale = sum(share.values())
        share = {i: x / scale for i, x in share.items()}
    for t in range(ROUNDS):
        w = weigh(t, by)
        last = {}
        for earlier in range(t):
            for i in cohorts[earlier]:
                last[i] = deltas[earlier][i]
        until = t + 1 if fit == "current" else t
        b = None
        if outcome != "memory" and until > 0:
            b = regression(until, by, ridge, kept)

        def linear(i):
            if b is None:
                return [0.0] * D
            h = [1.0] + X[i]
            return [sum(h[j] * b[j][d] for j in range(K + 1)) for d in range(D)]

        def expected(i):
            if outcome == "covariates":
                return linear(i)
            if i in last:
                return last[i]
            weight = sum(share[j] for j in last)
            if unseen == "zero" or not last:
                return [0.0] * D
            return [sum(share[j] * last[j][d] for j in last) / weight for d in range(D)]

        v = [0.0] * D
        for i in range(N):
            m = linear(i)
            for d in range(D):
                v[d] += p[i] * m[d]
        for i in enrolled:
            m, own = linear(i), expected(i)
            for d in range(D):
                v[d] += share[i] * (own[d] - m[d])
        for i in cohorts[t]:
            own = expected(i)
            for d in range(D):
                v[d] += w[i] * (deltas[t][i][d] - own[d])
        theta = [x + y for x, y in zip(theta, v)]
        path.append(theta)
    return path


CASES = {
    "covariates": ("covariates", "ht", "mean", "earlier", 0.02, 0.7),
    "covariates, hajek": ("covariates", "hajek", "mean", "earlier", 0.02, 0.7),
    "covariates, current": ("covariates", "ht", "mean", "current", 0.02, 0.9),
    "memory": ("memory", "ht", "mean", "earlier", 0.02, 0.7),
    "memory, zero": ("memory", "hajek", "zero", "earlier", 0.02, 0.7),
    "both": ("both", "hajek", "mean", "earlier", 0.02, 0.7),
    "both, zero": ("both", "ht", "zero", "current", 0.02, 0.9),
}

NAMES = ("outcome", "normalisation", "unseen", "fit", "ridge", "kept")
text = json.dumps(
    {
        "cases": [
            {
                "name": "rounds",
                "inputs": {
                    "p": p,
                    "covariates": X,
                    "enrolled": enrolled,
                    "e": e,
                    "s": s,
                    "cohorts": cohorts,
                    "deltas": deltas,
                    "given": {name: dict(zip(NAMES, case)) for name, case in CASES.items()},
                },
                "expected": {name: run(*case) for name, case in CASES.items()},
                "tol": {"abs": 1e-10, "rel": 1e-10},
            }
        ]
    },
    indent=1,
)
pathlib.Path(__file__).with_name("doubly_robust.json").write_text(text + "\n")
