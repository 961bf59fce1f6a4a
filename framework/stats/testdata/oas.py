"""Reference vectors of oracle approximating shrinkage, in fractions.

Run: python3 oas.py > oas.json. Equation 23 of Chen, Wiesel, Eldar and Hero (2010) is evaluated in
exact rational arithmetic, sample by sample, and rounded once, at the end.
"""
import json
import random
from fractions import Fraction as F

draw = random.Random(23)


def oas(rows):
    n, d = len(rows), len(rows[0])
    mean = [sum(r[i] for r in rows) / n for i in range(d)]
    z = [[r[i] - mean[i] for i in range(d)] for r in rows]
    s = [[sum(r[i] * r[j] for r in z) / n for j in range(d)] for i in range(d)]
    trace = sum(s[i][i] for i in range(d))
    square = sum(s[i][j] * s[j][i] for i in range(d) for j in range(d))
    above = (1 - F(2, d)) * square + trace**2
    below = (n + 1 - F(2, d)) * (square - trace**2 / d)
    delta = F(1) if below <= above else above / below
    shrunk = [[(1 - delta) * s[i][j] + (delta * trace / d if i == j else 0) for j in range(d)]
              for i in range(d)]
    return mean, shrunk, delta


cases = []
for n, d in [(3, 2), (5, 4), (40, 3), (12, 20), (200, 6), (4, 1)]:
    scales = [draw.choice([1, 2, 8]) for _ in range(d)]
    rows = [[F(draw.randint(-64, 64) * scales[i], 16) for i in range(d)] for _ in range(n)]
    for r in rows:
        if d > 1:
            r[1] += 2 * r[0]
    mean, shrunk, delta = oas(rows)
    cases.append({"x": [[float(v) for v in r] for r in rows], "mean": [float(v) for v in mean],
                  "covariance": [[float(v) for v in r] for r in shrunk], "shrinkage": float(delta)})
json.dump(cases, __import__("sys").stdout)
