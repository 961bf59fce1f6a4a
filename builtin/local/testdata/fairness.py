"""Makes fairness.json: five rounds of a client of DRFA, from their formula alone, in NumPy.

    python3 builtin/local/testdata/fairness.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(22)
ROWS, SIZE, STEPS, RATE = 8, 3, 7, 0.05
x, y = rng.normal(size=(ROWS, SIZE)), rng.normal(size=ROWS)
start = rng.normal(size=SIZE)
# t'/tau, of which t' is the ceiling; none in the first round.
moments = [None, 0.4, 0.01, 1.0, 3 / 7 + 1e-9]

theta, rounds, snapshots = start, [], []
for moment in moments:
    at = STEPS if moment is None else int(np.ceil(moment * STEPS))
    for step in range(1, STEPS + 1):
        theta = theta - RATE * 2 * x.T @ (x @ theta - y) / ROWS
        if step == at:
            snapshots.append(theta.tolist())
    rounds.append(theta.tolist())

pathlib.Path(__file__).with_name("fairness.json").write_text(
    json.dumps(
        {
            "rate": RATE,
            "steps": STEPS,
            "x": x.tolist(),
            "y": y.tolist(),
            "start": start.tolist(),
            "moments": [0 if m is None else m for m in moments],
            "rounds": rounds,
            "snapshots": snapshots,
        },
        indent=1,
    )
    + "\n"
)
