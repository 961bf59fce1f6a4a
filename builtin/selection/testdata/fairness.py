"""Makes fairness.json: the mixture of DRFA over five rounds, from its formula alone, in NumPy.

    python3 builtin/selection/testdata/fairness.py
"""

import itertools
import json
import pathlib

import numpy as np

rng = np.random.default_rng(22)
ROUNDS, CLIENTS, RATE = 5, 5, 0.02
importance = np.array([0.3, 0.1, 0.2, 0.25, 0.15])
losses = rng.uniform(0.1, 3, size=(ROUNDS, CLIENTS))
steps = [4, 4, 6, 1, 9]


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


# All clients are asked, so that N/|U| is 1.
mixture, mixtures = importance, []
for f, tau in zip(losses, steps):
    mixture = projected(mixture + tau * RATE * f)
    mixtures.append(mixture.tolist())

pathlib.Path(__file__).with_name("fairness.json").write_text(
    json.dumps(
        {
            "rate": RATE,
            "importance": importance.tolist(),
            "losses": losses.tolist(),
            "steps": steps,
            "mixtures": mixtures,
        },
        indent=1,
    )
    + "\n"
)
