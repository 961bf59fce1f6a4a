"""Makes participation.json: rounds of methods with memory, from their formulas alone, in NumPy.

    python3 builtin/aggregator/testdata/participation.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(23)
CLIENTS, SIZE = 4, 5
# Client 3 is seen late; round 4 has no participants, and is not shown to aggregators.
cohorts = [[0, 1], [0, 2], [1], [0, 1, 2], [], [0, 3], [1, 3], [0, 1, 2, 3], [2]]
start = rng.normal(size=SIZE)
deltas = rng.normal(scale=0.1, size=(len(cohorts), CLIENTS, SIZE))


def mifa(wait, rates, server=1.0):
    x, g, seen, all = start.copy(), np.zeros((CLIENTS, SIZE)), set(), []
    for t, s in enumerate(cohorts):
        if s:
            for i in s:
                g[i] = -deltas[t, i] / rates[t]
            seen |= set(s)
            if not wait or len(seen) == CLIENTS:
                x = x - server * rates[t] / CLIENTS * g.sum(axis=0)
        all.append(x.tolist())
    return all


def fedvarp(server):
    x, y, all = start.copy(), np.zeros((CLIENTS, SIZE)), []
    for t, s in enumerate(cohorts):
        if s:
            v = (deltas[t, s] - y[s]).mean(axis=0) + y.mean(axis=0)
            x = x + server * v
            y[s] = deltas[t, s]
        all.append(x.tolist())
    return all


def fedau(cutoff, server):
    x, m, length, omega = start.copy(), [0] * CLIENTS, [0] * CLIENTS, [1.0] * CLIENTS
    all = []
    for t, s in enumerate(cohorts):
        x = x + server / CLIENTS * sum((omega[i] * deltas[t, i] for i in s), np.zeros(SIZE))
        for i in range(CLIENTS):
            length[i] += 1
            if i in s or length[i] == cutoff:
                omega[i] = length[i] if m[i] == 0 else (m[i] * omega[i] + length[i]) / (m[i] + 1)
                m[i] += 1
                length[i] = 0
        all.append(x.tolist())
    return all


def debias(server):
    x, took, all = start.copy(), np.zeros(CLIENTS), []
    for t, s in enumerate(cohorts):
        took[s] += 1
        for i in s:
            x = x + server / CLIENTS * deltas[t, i] * (t + 1) / took[i]
        all.append(x.tolist())
    return all


def fedlaavg(server, rates):
    """What clients send are changes of -eta_0 g_i, which are drawn here as they come."""
    x, v, all = start.copy(), np.zeros(SIZE), []
    for t, s in enumerate(cohorts):
        if s:
            v = v + importance[s] @ deltas[t, s]
            x = x + server * rates[t] / rates[0] * v
        all.append(x.tolist())
    return all


def f3ast(server, shared):
    x, all = start.copy(), []
    for t, s in enumerate(cohorts):
        for i in s:
            x = x + server * importance[i] / shared[t, i] * deltas[t, i]
        all.append(x.tolist())
    return all


ROUNDS = len(cohorts)
later = np.random.default_rng(24)
importance = later.dirichlet(np.ones(CLIENTS))
rates_of_clients = later.uniform(0.05, 1, size=(ROUNDS, CLIENTS))
step = [0.1 * 0.5 ** (t // 3) for t in range(ROUNDS)]
CASES = {
    "mifa": ({}, 0, mifa(False, [0.1] * ROUNDS)),
    "mifa, wait": ({"wait": True, "server_rate": 0.5}, 0, mifa(True, [0.1] * ROUNDS, 0.5)),
    "mifa, rates": ({}, 3, mifa(False, step)),
    "fedvarp": ({"server_rate": 0.7}, 0, fedvarp(0.7)),
    "fedau": ({"server_rate": 0.7}, 0, fedau(50, 0.7)),
    "fedau, cutoff": ({"cutoff": 2}, 0, fedau(2, 1.0)),
    "debias-fedavg": ({"server_rate": 0.7}, 0, debias(0.7)),
    "fedlaavg": ({"server_rate": 0.7}, 0, fedlaavg(0.7, [0.1] * ROUNDS)),
    "fedlaavg, rates": ({}, 3, fedlaavg(1.0, step)),
    "f3ast": ({"server_rate": 0.7}, 0, f3ast(0.7, rates_of_clients)),
}

text = json.dumps(
    {
        "cases": [
            {
                "name": name,
                "inputs": {
                    "given": given,
                    "period": period,
                    "start": start.tolist(),
                    "cohorts": cohorts,
                    "deltas": deltas.tolist(),
                    "importance": importance.tolist(),
                    "rates": rates_of_clients.tolist(),
                },
                "expected": {"rounds": rounds},
                "tol": {"abs": 1e-12, "rel": 1e-12},
            }
            for name, (given, period, rounds) in CASES.items()
        ]
    },
    indent=1,
)
pathlib.Path(__file__).with_name("participation.json").write_text(text + "\n")
