"""Makes separation.json: the stationary law of chains of cohorts with a minimum separation, solved
from their transitions alone, in NumPy.

    python3 builtin/availability/testdata/separation.py
"""

import itertools
import json
import pathlib

import numpy as np

rng = np.random.default_rng(31)


def stationary(r, k, separation):
    """The law of one round of the chain whose states are the last cohorts, oldest first."""
    cohorts = [frozenset(s) for s in itertools.combinations(range(len(r)), k)]
    states = [
        h
        for h in itertools.product(cohorts, repeat=separation)
        if len(frozenset().union(*h)) == k * separation
    ]
    at = {h: j for j, h in enumerate(states)}
    transition = np.zeros((len(states), len(states)))
    for h in states:
        free = [s for s in cohorts if not s & frozenset().union(*h)]
        odds = np.array([np.prod([r[i] for i in s]) for s in free])
        for s, p in zip(free, odds / odds.sum()):
            transition[at[h], at[(*h, s)[1:] if separation else ()]] += p
    # The left null vector of P - I whose elements sum to 1.
    n = len(states)
    system = np.vstack([transition.T - np.eye(n), np.ones(n)])
    mu = np.linalg.lstsq(system, np.append(np.zeros(n), 1), rcond=None)[0]
    if separation == 0:
        odds = np.array([np.prod([r[i] for i in s]) for s in cohorts])
        return cohorts, odds / odds.sum()
    return cohorts, np.array([mu[[h[-1] == s for h in states]].sum() for s in cohorts])


cases = []
for n, k, separation in [(4, 1, 1), (5, 1, 2), (6, 1, 3), (6, 2, 1), (7, 2, 2), (7, 3, 1), (5, 2, 0)]:
    r = rng.uniform(0.2, 3, size=n)
    cohorts, q = stationary(r, k, separation)
    inclusion = [sum(p for s, p in zip(cohorts, q) if i in s) for i in range(n)]
    cases.append(
        {
            "r": r.tolist(),
            "k": k,
            "separation": separation,
            "sets": [sorted(s) for s in cohorts],
            "q": q.tolist(),
            "inclusion": [float(x) for x in inclusion],
        }
    )

text = json.dumps({"cases": cases}, indent=1)
pathlib.Path(__file__).with_name("separation.json").write_text(text + "\n")
