"""Makes participation.json: cohorts and rates of F3AST over ten rounds, and cohorts of FedLaAvg,
from their rules alone, in NumPy.

    python3 builtin/selection/testdata/participation.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(51)
CLIENTS, K, BETA = 6, 2, 0.2
importance = rng.dirichlet(np.ones(CLIENTS))
# Round 3 has no available clients, round 5 fewer than K.
available = [sorted(rng.choice(CLIENTS, size=n, replace=False).tolist())
             for n in (6, 4, 3, 0, 5, 1, 6, 4, 6, 3)]

r, last = np.full(CLIENTS, K / CLIENTS), np.full(CLIENTS, -1)
cohorts, rates, absent = [], [], []
for t, here in enumerate(available):
    utility = importance**2 / r**2
    cohort = sorted(sorted(here, key=lambda i: -utility[i])[:K])
    chosen = np.isin(np.arange(CLIENTS), cohort)
    r = (1 - BETA) * r + BETA * chosen
    cohorts.append(cohort)
    rates.append(r.tolist())
    oldest = sorted(sorted(here, key=lambda i: (last[i], i))[:K])
    last[oldest] = t
    absent.append(oldest)

pathlib.Path(__file__).with_name("participation.json").write_text(
    json.dumps(
        {
            "k": K,
            "beta": BETA,
            "importance": importance.tolist(),
            "available": available,
            "cohorts": cohorts,
            "rates": rates,
            "absent": absent,
        },
        indent=1,
    )
    + "\n"
)
