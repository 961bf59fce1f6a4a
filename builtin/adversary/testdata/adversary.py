"""Golden vectors of attacks, from their formulas alone. Run: python3 adversary.py > adversary.json

Five rounds of 7 honest and 3 faulty clients. Updates are differences to the model that was sent.
"""
import json
from statistics import NormalDist

import numpy as np

rng = np.random.default_rng(20)
ROUNDS, HONEST, FAULTY, D = 5, 7, 3, 6


def alie(x, f, z=None):
    n = len(x) + f
    if z is None:
        s = n // 2 + 1 - f
        z = NormalDist().inv_cdf((n - f - s) / (n - f))
    return x.mean(0) - z * x.std(0)


def direction(x, kind):
    mu = x.mean(0)
    return {"inverse-unit": -mu / np.linalg.norm(mu), "inverse-std": -x.std(0),
            "inverse-sign": -np.sign(mu)}[kind]


def bisect(fits):
    low, high = 0.0, 1.0
    while fits(high):
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def min_max(x, kind):
    mu, p = x.mean(0), direction(x, kind)
    bound = max(np.linalg.norm(a - b) for a in x for b in x)
    g = bisect(lambda g: max(np.linalg.norm(mu + g * p - a) for a in x) <= bound)
    return mu + g * p


def min_sum(x, kind):
    mu, p = x.mean(0), direction(x, kind)
    bound = max(sum(np.linalg.norm(a - b) ** 2 for b in x) for a in x)
    g = bisect(lambda g: sum(np.linalg.norm(mu + g * p - a) ** 2 for a in x) <= bound)
    return mu + g * p


class Mimic:
    """Begins after its first round, whose direction is drawn: z and the mean are given."""

    def __init__(self, warmup, z, mean):
        self.warmup, self.z, self.mean, self.t, self.target = warmup, z, mean, 1, None

    def __call__(self, x):
        t = self.t
        if t < self.warmup:
            self.mean = (t * self.mean + x.mean(0)) / (t + 1)
            v = sum(np.dot(self.z, a - self.mean) * (a - self.mean) for a in x)
            self.z = (t * self.z + v / np.linalg.norm(v)) / (t + 1)
            self.z = self.z / np.linalg.norm(self.z)
            self.target = int(np.argmax(x @ self.z))
            self.t += 1
        return x[self.target]


def line_maximize(harm, evaluations, delta=1.0, ratio=0.8):
    """Best-effort maximum over x >= 0, as ByzFL documents it."""
    tried = {}

    def value(x):
        tried[x] = harm(x)
        return tried[x]

    best, most, left = 0.0, value(0.0), evaluations - 1
    x = 0.0
    while left > 0:
        x, left = best + delta, left - 1
        y = value(x)
        if not y > most:
            delta *= ratio
            break
        best, most, delta = x, y, delta * 2
    while left > 0:
        if x < best:
            x += delta
        else:
            from_, x = x, x - delta
            while x < 0:
                x = (x + from_) / 2
        y, left = value(x), left - 1
        if y > most:
            best, most = x, y
        delta *= ratio
    return best


rounds = [rng.normal(0.3, 1, (HONEST + FAULTY, D)) for _ in range(ROUNDS)]
z0, m0 = rng.normal(size=D), rng.normal(size=D)
z0 /= np.linalg.norm(z0)
mimic = Mimic(4, z0, m0)
cases = {"alie": [], "alie 1.5": [], "ipm": [], "mimic": [], "sign-flip": [], "zero": []}
for kind in ("inverse-unit", "inverse-std", "inverse-sign"):
    cases["min-max " + kind], cases["min-sum " + kind] = [], []
for all_ in rounds:
    x, own = all_[:HONEST], all_[HONEST:]
    cases["alie"].append(alie(x, FAULTY))
    cases["alie 1.5"].append(alie(x, FAULTY, 1.5))
    cases["ipm"].append(-0.7 * x.mean(0))
    cases["mimic"].append(mimic(x))
    cases["sign-flip"].append(-2.5 * own[0])
    cases["zero"].append(0 * own[0])
    for kind in ("inverse-unit", "inverse-std", "inverse-sign"):
        cases["min-max " + kind].append(min_max(x, kind))
        cases["min-sum " + kind].append(min_sum(x, kind))
peaks = [0.0, 0.3, 1.0, 2.7, 11.0, 300.0]
labels = rng.integers(0, 5, 12)
image = rng.normal(size=(2, 4, 5))
stamped = image.copy()
stamped[:, -2:, -2:] = 0.5
print(json.dumps({
    "updates": [r.tolist() for r in rounds], "direction": z0.tolist(), "mean": m0.tolist(),
    "cases": {k: [v.tolist() for v in vs] for k, vs in cases.items()},
    "peaks": peaks, "best": [line_maximize(lambda x: -abs(x - c), 16) for c in peaks],
    "labels": labels.tolist(), "reverse": (4 - labels).tolist(), "shift": ((labels + 1) % 5).tolist(),
    "image": image.ravel().tolist(), "stamped": stamped.ravel().tolist(),
}, indent=1))
