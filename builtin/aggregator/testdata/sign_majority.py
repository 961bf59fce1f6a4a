"""Golden vectors of signSGD with majority vote, from its formula alone.
Run: python3 sign_majority.py > sign_majority.json

Five rounds of four to eight clients; some updates are zero in a coordinate, and some votes are ties.
"""
import json

import numpy as np

rng = np.random.default_rng(31)
D, STEP = 9, 0.05
start = theta = rng.normal(0, 1, D)
deltas, models = [], []
for t in range(5):
    x = rng.normal(0, 1, (4 + t, D)) * (rng.uniform(0, 1, (4 + t, D)) < 0.9)
    x[:, 0] = 0
    theta = theta + STEP * np.sign(np.sign(x).sum(0))
    deltas.append(x.tolist())
    models.append(theta.tolist())
print(json.dumps({"start": start.tolist(), "step": STEP, "deltas": deltas, "models": models}, indent=1))
