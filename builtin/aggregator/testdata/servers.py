"""Makes servers.json: five rounds of server optimizers, from their formulas alone, in NumPy.

    python3 builtin/aggregator/testdata/servers.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(22)
ROUNDS, CLIENTS, SIZE = 5, 4, 6
start = rng.normal(size=SIZE)
samples = [3, 1, 4, 2]
# What a round's clients send, less the model that they were sent. One coordinate is large; one does
# not move at one client, which has no sign.
deltas = rng.normal(scale=0.1, size=(ROUNDS, CLIENTS, SIZE))
deltas[:, 0, 1] = 0
deltas[:, :, 2] *= 100
weights = np.array(samples) / sum(samples)


def run(step):
    x, all = start.copy(), []
    for t in range(ROUNDS):
        x = step(t, x, weights @ deltas[t], deltas[t])
        all.append(x.tolist())
    return all


def fedavgm(beta, rate):
    v = np.zeros(SIZE)

    def step(t, x, mean, each):
        nonlocal v
        v = beta * v + mean
        return x + rate * v

    return step


def adaptive(second, beta1, rate, tau):
    m, v = np.zeros(SIZE), np.full(SIZE, tau**2)

    def step(t, x, mean, each):
        nonlocal m, v
        m = beta1 * m + (1 - beta1) * mean
        v = second(v, mean**2)
        return x + rate * m / (np.sqrt(v) + tau)

    return step


def adam(beta1, beta2, rate, eps):
    m, v = np.zeros(SIZE), np.zeros(SIZE)

    def step(t, x, mean, each):
        nonlocal m, v
        m = beta1 * m - (1 - beta1) * mean
        v = beta2 * v + (1 - beta2) * mean**2
        return x - rate * (m / (1 - beta1 ** (t + 1))) / (np.sqrt(v / (1 - beta2 ** (t + 1))) + eps)

    return step


def generalized(period, amplify):
    first = start.copy()

    def step(t, x, mean, each):
        nonlocal first
        x = x + mean
        if (t + 1) % period == 0:
            x = first + amplify * (x - first)
            first = x.copy()
        return x

    return step


def masked(tau, rate):
    def step(t, x, mean, each):
        agree = np.abs(np.sign(each).mean(axis=0))
        return x + rate * np.where(agree >= tau, 1, agree) * mean

    return step


CASES = {
    "fedavgm": ({"momentum": 0.9, "server_rate": 0.5}, run(fedavgm(0.9, 0.5))),
    "fedadagrad": (
        {"beta1": 0.3, "tau": 0.01, "server_rate": 0.1},
        run(adaptive(lambda v, s: v + s, 0.3, 0.1, 0.01)),
    ),
    "fedadam": (
        {"server_rate": 0.05},
        run(adaptive(lambda v, s: 0.99 * v + 0.01 * s, 0.9, 0.05, 1e-3)),
    ),
    "fedyogi": (
        {"beta2": 0.9, "server_rate": 0.05},
        run(adaptive(lambda v, s: v - 0.1 * s * np.sign(v - s), 0.9, 0.05, 1e-3)),
    ),
    "fedopt": (
        {"optimizer": "adam", "server_rate": 0.02},
        run(adam(0.9, 0.999, 0.02, 1e-8)),
    ),
    "generalized-fedavg": (
        {"period": 2, "amplification": 3.0},
        run(generalized(2, 3)),
    ),
    "fedgma": ({"tau": 0.6, "server_rate": 1.5}, run(masked(0.6, 1.5))),
}

text = json.dumps(
    {
        "cases": [
            {
                "name": name,
                "inputs": {
                    "given": given,
                    "start": start.tolist(),
                    "samples": samples,
                    "deltas": deltas.tolist(),
                },
                "expected": {"rounds": rounds},
                "tol": {"abs": 1e-12, "rel": 1e-12},
            }
            for name, (given, rounds) in CASES.items()
        ]
    },
    indent=1,
)
pathlib.Path(__file__).with_name("servers.json").write_text(text + "\n")
