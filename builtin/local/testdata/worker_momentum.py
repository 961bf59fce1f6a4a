"""Makes worker_momentum.json: six rounds of worker momentum, from its formula alone, in NumPy.

    python3 builtin/local/testdata/worker_momentum.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(21)
ROWS, SIZE, STEPS, RATE, BETA = 8, 3, 4, 0.05, 0.8
x, y = rng.normal(size=(ROWS, SIZE)), rng.normal(size=ROWS)
globals_ = rng.normal(size=(6, SIZE))  # what the client is sent

momentum, sent = None, []
for theta in globals_:
    own = theta
    for _ in range(STEPS):
        own = own - RATE * 2 * x.T @ (x @ own - y) / ROWS
    delta = own - theta
    momentum = delta if momentum is None else (1 - BETA) * delta + BETA * momentum
    sent.append((theta + momentum).tolist())

pathlib.Path(__file__).with_name("worker_momentum.json").write_text(
    json.dumps(
        {
            "rate": RATE,
            "steps": STEPS,
            "beta": BETA,
            "x": x.tolist(),
            "y": y.tolist(),
            "globals": globals_.tolist(),
            "sent": sent,
        },
        indent=1,
    )
    + "\n"
)
