"""Makes privacy.json: five rounds of dp-fedavg and dp-ftrl without noise, from their formulas
alone, in NumPy. Noise is compared with its generator elsewhere.

    python3 builtin/aggregator/testdata/privacy.py
"""

import json
import pathlib

import numpy as np

rng = np.random.default_rng(2018)
ROUNDS, CLIENTS, SIZE = 5, 12, 6
BLOCKS = [(0, 4), (4, 6)]
start = rng.normal(size=SIZE)
samples = rng.integers(1, 9, size=CLIENTS)
cohorts = [sorted(rng.choice(CLIENTS, size=k, replace=False).tolist()) for k in (7, 8, 0, 9, 11)]
deltas = [rng.normal(scale=0.6, size=(len(c), SIZE)) + 0.2 for c in cohorts]


def clip(d, radius):
    norm = np.linalg.norm(d)
    return d if norm <= radius else d * (radius / norm)


def clipped(d, radius, blocks):
    if not blocks:
        return clip(d, radius)
    share = radius / np.sqrt(len(BLOCKS))
    return np.concatenate([clip(d[lo:hi], share) for lo, hi in BLOCKS])


def fedavg(radius, m, blocks=False, rate=1.0, quantile=None, speed=0.2):
    x, log, out = start.copy(), 0.0, []
    for t in range(ROUNDS):
        c = radius * np.exp(log)
        total = np.zeros(SIZE)
        for d in deltas[t]:
            total += clipped(d, c, blocks)
        if quantile is not None:
            inside = sum(0.5 if np.linalg.norm(d) <= c else -0.5 for d in deltas[t])
            log -= speed * (0.5 + inside / m - quantile)
        x = x + rate * total / m
        out.append(x.tolist())
    return out


def ftrl(radius, m, beta=0.0, rate=1.0):
    g, v, out = np.zeros(SIZE), np.zeros(SIZE), []
    for t in range(ROUNDS):
        for d in deltas[t]:
            g = g + clip(d, radius)
        v = beta * v + g / m
        out.append((start + rate * v).tolist())
    return out


cases = {
    "dp-fedavg": ({"clip": 1.2, "denominator": 8.0}, fedavg(1.2, 8)),
    "dp-fedavg blocks": (
        {"clip": 1.2, "denominator": 8.0, "per": "block", "server_rate": 0.7},
        fedavg(1.2, 8, blocks=True, rate=0.7),
    ),
    "dp-fedavg adaptive": (
        {"clip": 0.9, "denominator": 8.5, "adaptive": True, "quantile": 0.4, "clip_rate": 0.3},
        fedavg(0.9, 8.5, quantile=0.4, speed=0.3),
    ),
    "dp-ftrl": ({"clip": 1.2, "denominator": 8.0, "server_rate": 0.6}, ftrl(1.2, 8, rate=0.6)),
    "dp-ftrl momentum": ({"clip": 1.2, "denominator": 8.0, "momentum": 0.7}, ftrl(1.2, 8, 0.7)),
}
out = []
for name, (given, rounds) in cases.items():
    out.append(
        {
            "name": name,
            "inputs": {
                "given": {"noise": 0.0, **given},
                "start": start.tolist(),
                "samples": samples.tolist(),
                "importance": [1 / CLIENTS] * CLIENTS,
                "cohorts": cohorts,
                "losses": [[0.0] * len(c) for c in cohorts],
                "deltas": [d.tolist() for d in deltas],
            },
            "expected": {"rounds": rounds},
            "tol": {"abs": 1e-12, "rel": 0},
        }
    )
path = pathlib.Path(__file__).with_name("privacy.json")
path.write_text(json.dumps({"cases": out}, indent=1) + "\n")
