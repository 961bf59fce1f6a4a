"""Makes participation.json: nine rounds of whole methods whose clients keep something, from their
formulas alone, in NumPy. Losses are those of linear models, the mean of squared residuals.

    python3 builtin/local/testdata/participation.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(41)
CLIENTS, ROWS, SIZE, STEPS, RATE, GLOBAL = 4, 6, 3, 4, 0.05, 0.8
# Client 3 is seen late; round 4 has no participants.
cohorts = [[0, 1], [0, 2], [1], [0, 1, 2], [], [0, 3], [1, 3], [0, 1, 2, 3], [2]]
x = rng.normal(size=(CLIENTS, ROWS, SIZE))
y = rng.normal(size=(CLIENTS, ROWS))
start = rng.normal(size=SIZE)
importance = rng.dirichlet(np.ones(CLIENTS))
rates = [RATE * 0.5 ** (t // 3) for t in range(len(cohorts))]


def trained(i, theta, rate):
    """The client's model, and the sum of its gradients."""
    total = np.zeros(SIZE)
    for _ in range(STEPS):
        g = 2 * x[i].T @ (x[i] @ theta - y[i]) / ROWS
        theta, total = theta - rate * g, total + g
    return theta, total


def fedlaavg():
    theta, g, all = start, np.zeros((CLIENTS, SIZE)), []
    for t, s in enumerate(cohorts):
        for i in s:
            g[i] = trained(i, theta, rates[t])[1]
        if s:
            theta = theta - rates[t] * importance @ g
        all.append(theta.tolist())
    return all


def fedawe(clip=np.inf):
    theta, own, last, all = start, [start] * CLIENTS, [-1] * CLIENTS, []
    for t, s in enumerate(cohorts):
        sent = []
        for i in s:
            sent.append(own[i] + GLOBAL * (t - last[i]) * (trained(i, own[i], RATE)[0] - own[i]))
            last[i] = t
        if s:
            base = sum(own[i] for i in s) / len(s)
            added = sum(sent) / len(s) - base
            theta = base + added * min(1, clip / np.linalg.norm(added))
        for i in s:
            own[i] = theta
        all.append(theta.tolist())
    return all


pathlib.Path(__file__).with_name("participation.json").write_text(
    json.dumps(
        {
            "cohorts": cohorts,
            "x": x.tolist(),
            "y": y.tolist(),
            "start": start.tolist(),
            "importance": importance.tolist(),
            "rounds": {
                "fedlaavg": fedlaavg(),
                "fedawe": fedawe(),
                "fedawe, clip": fedawe(0.3),
            },
        },
        indent=1,
    )
    + "\n"
)
