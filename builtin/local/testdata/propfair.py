"""Makes propfair.json: five rounds of a client of PropFair, from its formula alone, in NumPy.

    python3 builtin/local/testdata/propfair.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(9)
ROWS, SIZE, STEPS, RATE = 8, 3, 4, 0.02
x, y = rng.normal(size=(ROWS, SIZE)), rng.normal(size=ROWS)
start = 2 * rng.normal(size=SIZE)  # where the loss is above M in the first steps
most = 0.9 * ((x @ start - y) ** 2).mean()
EPSILON = most / 4


def run(most, huber):
    theta, rounds, branches = start, [], 0
    for _ in range(5):
        for _ in range(STEPS):
            r = x @ theta - y
            f, grad = r @ r / ROWS, 2 * x.T @ r / ROWS
            if most - f >= EPSILON:
                slope, branches = 1 / (most - f), branches + 1
            else:
                slope = 1 / EPSILON if huber else 1 / most
            theta = theta - RATE * most * slope * grad
        rounds.append(theta.tolist())
    assert 0 < branches < 5 * STEPS, branches
    return rounds


pathlib.Path(__file__).with_name("propfair.json").write_text(
    json.dumps(
        {
            "rate": RATE,
            "steps": STEPS,
            "most": most,
            "epsilon": EPSILON,
            "x": x.tolist(),
            "y": y.tolist(),
            "start": start.tolist(),
            "rounds": {"constant": run(most, False), "huber": run(most, True)},
        },
        indent=1,
    )
    + "\n"
)
