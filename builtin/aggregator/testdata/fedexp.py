"""Makes fedexp.json: five rounds of FedExP and of SCAFFOLD-ExP, from their formulas alone.

    python3 builtin/aggregator/testdata/fedexp.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(23)
ROUNDS, CLIENTS, SIZE = 5, 6, 5
start = rng.normal(size=SIZE)
samples = [3, 1, 4, 2, 7, 1]
deltas = rng.normal(scale=0.5, size=(ROUNDS, CLIENTS, SIZE))
deltas[1] = deltas[1, 0]  # a round in which all agree
deltas[3] += 3  # and one in which they nearly do
controls = rng.normal(size=(ROUNDS, CLIENTS, SIZE))


def run(weights, eps):
    w, x, all, rates = np.array(weights) / np.sum(weights), start.copy(), [], []
    for t in range(ROUNDS):
        mean = w @ deltas[t]
        square = w @ (deltas[t] ** 2).sum(axis=1)
        rates.append(max(1.0, square / (2 * ((mean**2).sum() + eps))))
        x = x + rates[-1] * mean
        all.append(x.tolist())
    return {"rounds": all, "rates": rates}


def official(eps, decay=0.998):
    """What main.py of github.com/Divyansh03/FedExP computes: sums by samples, then over their sum;
    half of the mean square over the square of the mean, to which S times ε is added, and ε is
    smaller by decay² in each round, the first included."""
    x, all, used = start.copy(), [], []
    p = np.array(samples) / sum(samples)
    for t in range(ROUNDS):
        eps = decay * decay * eps
        total, square, weight = np.zeros(SIZE), 0.0, 0.0
        for i in range(CLIENTS):
            square += p[i] * np.linalg.norm(deltas[t, i]) ** 2
            total = total + p[i] * deltas[t, i]
            weight += p[i]
        total, square = total / weight, square / weight
        rate = max(1, 0.5 * square / (np.linalg.norm(total) ** 2 + CLIENTS * eps))
        x = x + rate * total
        all.append(x.tolist())
        used.append(CLIENTS * eps)
    return {"rounds": all, "epsilons": used}


control, broadcasts = np.zeros(SIZE), []
for t in range(ROUNDS):
    control = control + controls[t].sum(axis=0) / CLIENTS
    broadcasts.append(control.tolist())

CASES = {
    "uniform": run([1] * CLIENTS, 0.001),
    "samples": run(samples, 0.1),
    "scaffold": {**run([1] * CLIENTS, 0.01), "broadcasts": broadcasts},
    "official": official(0.001),
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
                    "controls": controls.tolist(),
                },
                "expected": expected,
                "tol": {"abs": 1e-12, "rel": 1e-12},
            }
            for name, expected in CASES.items()
        ]
    },
    indent=1,
)
pathlib.Path(__file__).with_name("fedexp.json").write_text(text + "\n")
