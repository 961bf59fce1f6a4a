"""Makes inner.json: five rounds of server optimizers over other rules, from their formulas alone.

    python3 builtin/aggregator/testdata/inner.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(2222)
ROUNDS, CLIENTS, SIZE = 5, 7, 6
start = rng.normal(size=SIZE)
samples = [3, 1, 4, 2, 5, 1, 2]
# What a round's clients send, less the model that they were sent. Two send far too much.
deltas = rng.normal(scale=0.1, size=(ROUNDS, CLIENTS, SIZE))
deltas[:, 2] *= 50
deltas[:, 5] -= 7


def krum(f):
    def rule(t, x):
        d = deltas[t]
        square = ((d[:, None] - d[None]) ** 2).sum(axis=2)
        others = [np.sort(np.delete(square[k], k))[: CLIENTS - f - 2].sum() for k in range(CLIENTS)]
        return d[int(np.argmin(others))]

    return rule


def median(t, x):
    return np.median(deltas[t], axis=0)


def momentum(inner, beta, rate):
    v = np.zeros(SIZE)

    def rule(t, x):
        nonlocal v
        v = beta * v + inner(t, x)
        return rate * v

    return rule


def adaptive(inner, second, beta1, rate, tau):
    m, v = np.zeros(SIZE), np.full(SIZE, tau**2)

    def rule(t, x):
        nonlocal m, v
        change = inner(t, x)
        m = beta1 * m + (1 - beta1) * change
        v = second(v, change**2)
        return rate * m / (np.sqrt(v) + tau)

    return rule


def run(rule):
    x, all = start.copy(), []
    for t in range(ROUNDS):
        x = x + rule(t, x)
        all.append(x.tolist())
    return all


def adam(v, s):
    return 0.99 * v + 0.01 * s


def yogi(v, s):
    return v - 0.01 * s * np.sign(v - s)


CASES = {
    "fedadam over krum": run(adaptive(krum(2), adam, 0.9, 0.05, 1e-3)),
    "fedavgm over coordinate-median": run(momentum(median, 0.9, 0.5)),
    "fedyogi over fedavgm over coordinate-median": run(
        adaptive(momentum(median, 0.5, 2.0), yogi, 0.9, 0.05, 1e-3)
    ),
    "fedadagrad over fedadam over krum": run(
        adaptive(
            adaptive(krum(1), adam, 0.9, 0.05, 1e-3), lambda v, s: v + s, 0.0, 0.1, 1e-2
        )
    ),
}

text = json.dumps(
    {
        "cases": [
            {
                "name": name,
                "inputs": {
                    "start": start.tolist(),
                    "samples": samples,
                    "deltas": deltas.tolist(),
                },
                "expected": {"rounds": rounds},
                "tol": {"abs": 1e-12, "rel": 1e-12},
            }
            for name, rounds in CASES.items()
        ]
    },
    indent=1,
)
pathlib.Path(__file__).with_name("inner.json").write_text(text + "\n")
