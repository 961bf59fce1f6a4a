"""Makes least_variance.json: plans of least variance by a generic solver of quadratic programs.

    python3 framework/ot/testdata/least_variance.py

The solver is the dual active-set method of D. Goldfarb and A. Idnani (Mathematical Programming 27,
1983) on all weights as variables, in rational arithmetic: its optimum is exact. It knows nothing
of the problem: minimise sum_k d_k x_k^2 / 2 where E x = e and x >= 0.
"""

import json
import pathlib
import random
from fractions import Fraction as F
from itertools import combinations


def solve(matrix, right):
    """Gauss-Jordan; a row without a pivot has to be empty."""
    rows = [list(r) + [b] for r, b in zip(matrix, right)]
    n, pivots, at = len(matrix[0]), [], 0
    for c in range(n):
        p = next((r for r in range(at, len(rows)) if rows[r][c] != 0), None)
        if p is None:
            continue
        rows[at], rows[p] = rows[p], rows[at]
        rows[at] = [v / rows[at][c] for v in rows[at]]
        for r in range(len(rows)):
            if r != at and rows[r][c] != 0:
                f = rows[r][c]
                rows[r] = [a - f * b for a, b in zip(rows[r], rows[at])]
        pivots.append(c)
        at += 1
    assert all(r[n] == 0 for r in rows[at:]), "inconsistent"
    x = [F(0)] * n
    for r, c in enumerate(pivots):
        x[c] = rows[r][n]
    return x


def system(d, equal, active):
    """The Karush-Kuhn-Tucker matrix of the equations and the active bounds."""
    n = len(d)
    normals = [list(r) for r in equal] + [[F(i == k) for i in range(n)] for k in active]
    top = [[d[i] * (i == j) for j in range(n)] + [-a[i] for a in normals] for i in range(n)]
    return top + [a + [F(0)] * len(normals) for a in normals]


def quadratic_program(d, equal, right):
    n, m = len(d), len(equal)
    active, u = [], []
    x = solve(system(d, equal, active), [F(0)] * n + right)[:n]
    while min(x) < 0:
        k, mine = min(range(n), key=lambda i: x[i]), F(0)
        while True:
            e = [F(i == k) for i in range(n)] + [F(0)] * (m + len(active))
            s = solve(system(d, equal, active), e)
            z, r = s[:n], [-v for v in s[n + m :]]
            assert z[k] >= 0
            drops = [(u[j] / r[j], j) for j in range(len(active)) if r[j] > 0]
            full = -x[k] / z[k] if z[k] > 0 else None
            partial = min(drops) if drops else None
            assert full is not None or partial, "infeasible"
            t = full if partial is None or full is not None and full <= partial[0] else partial[0]
            x = [a + t * b for a, b in zip(x, z)]
            u = [a - t * b for a, b in zip(u, r)]
            mine += t
            if t == full:
                active.append(k)
                u.append(mine)
                break
            del active[partial[1]], u[partial[1]]
    return x


def case(name, rng, n, sets, zeros):
    q = [F(rng.randint(1, 9)) for _ in sets]
    q = [v / sum(q) for v in q]
    p = [F(0)] * n
    for w, s in zip(q, sets):
        share = [F(rng.randint(0, 9) * (rng.random() >= zeros)) for _ in s]
        if sum(share) == 0:
            share[0] = F(1)
        for i, v in zip(s, share):
            p[i] += w * v / sum(share)
    places = [(j, i) for j, s in enumerate(sets) for i in s]
    d = [q[j] for j, _ in places]
    equal = [[F(j == a) for a, _ in places] for j in range(len(sets))]
    equal += [[q[a] * (i == b) for a, b in places] for i in range(n - 1)]  # the last follows
    y = quadratic_program(d, equal, [F(1)] * len(sets) + p[: n - 1])
    rows = [[float(v) for (a, _), v in zip(places, y) if a == j] for j in range(len(sets))]
    variance = sum(w * v * v for w, v in zip(d, y))
    return {
        "name": name,
        "inputs": {"p": [float(v) for v in p], "q": [float(v) for v in q], "sets": sets},
        "expected": {"weights": rows, "variance": float(variance)},
        "tol": {"abs": 1e-8, "rel": 0},
    }


rng = random.Random(5)
cases = [
    case("pairs_of_4", rng, 4, [list(s) for s in combinations(range(4), 2)], 0),
    case("pairs_of_5_skewed", rng, 5, [list(s) for s in combinations(range(5), 2)], 0.4),
    case("triples_of_5", rng, 5, [list(s) for s in combinations(range(5), 3)], 0.3),
    case("any_of_4", rng, 4, [list(s) for k in (1, 2, 3, 4) for s in combinations(range(4), k)], 0.5),
    case("few_of_6", rng, 6, [[0, 1, 2], [2, 3], [1, 3, 4, 5], [0, 5], [1, 4]], 0.5),
    case("tight", rng, 5, [[0, 1], [0, 2, 3], [1, 2, 4], [3, 4], [0, 4]], 0.8),
]
path = pathlib.Path(__file__).with_name("least_variance.json")
path.write_text(json.dumps({"cases": cases}, indent=1) + "\n")
