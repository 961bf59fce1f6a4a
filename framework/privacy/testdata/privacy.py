"""Makes privacy.json: epsilon, delta and Renyi divergences by integrating the privacy loss.

    python3 framework/privacy/testdata/privacy.py    (some minutes)

Nothing is discretised into losses and nothing is a series: E_P exp(z L) is integrated over outcomes
by the trapezoidal rule, for complex z, and delta by inverting the Laplace transform of the payoff,

    delta(eps) = 1/(2 pi i) int E exp(z S) exp(-z eps) / (z (z + 1)) dz   along Re z = theta > 0,

where S sums the independent losses. One release is integrated directly. The bound for sampling
without replacement is summed with 600 digits.
"""

import json
import pathlib
from decimal import Decimal, getcontext
from math import comb, erfc, log, sqrt

import numpy as np

getcontext().prec = 600


def loss(x, q, s, added):
    """log P/Q and log P at outcomes, for P the mixture (removed) or N(0, s^2) (added)."""
    zero = -x * x / (2 * s * s) - np.log(s * np.sqrt(2 * np.pi))
    ratio = np.logaddexp(np.log1p(-q) if q < 1 else -np.inf, np.log(q) + (2 * x - 1) / (2 * s * s))
    return (-ratio, zero) if added else (ratio, zero + ratio)


def moments(z, q, s, added, reach):
    """log E_P exp(z L) for an array of z, continuous in it."""
    x = np.linspace(-14 * s, reach + 14 * s, 6001)
    l, p = loss(x, q, s, added)
    weight = p + np.log(x[1] - x[0])
    out = np.empty(len(z), complex)
    for k, zz in enumerate(z):
        e = weight + zz * l
        top = e.real.max()
        out[k] = np.log(np.exp(e - top).sum()) + top
    return out


def total(z, rounds, added, reach):
    return sum(n * moments(z, q, s, added, reach) for n, q, s in rounds)


def delta_curve(rounds, added, theta):
    reach = 3 + theta  # tilting by theta moves the outcomes of the mixture by about theta
    width = 1.0
    base = total(np.array([complex(theta)]), rounds, added, reach)[0].real
    while True:  # where the transform has died away
        v = total(np.array([complex(theta, width)]), rounds, added, reach)[0].real - base
        if v < -38 or width > 4000:
            break
        width *= 1.2
    t = np.linspace(-width, width, 4001)
    z = theta + 1j * t
    m = total(z, rounds, added, reach)
    f = np.exp(m - base) / (z * (z + 1))
    step = t[1] - t[0]

    def log_delta(eps):
        value = (f * np.exp(-1j * t * eps)).sum().real * step / (2 * np.pi)
        return np.log(value) + base - theta * eps if value > 0 else -np.inf

    return log_delta


def epsilon(rounds, delta, added):
    theta = 5.0
    for _ in range(4):  # the exponent that suits the epsilon that it gives
        curve = delta_curve(rounds, added, theta)
        low, high = 0.0, 100.0
        for _ in range(60):
            mid = (low + high) / 2
            low, high = (mid, high) if curve(mid) > log(delta) else (low, mid)
        grid = np.exp(np.linspace(np.log(0.3), np.log(200), 60))
        bound = total(grid.astype(complex), rounds, added, 3 + 200).real - grid * high
        best = grid[np.argmin(bound)]
        if abs(best - theta) < 0.02 * theta:
            break
        theta = best
    return high


def single(q, s, eps, added):
    x = np.linspace(-12 * s, 1 + 12 * s, 4_000_001)
    l, p = loss(x, q, s, added)
    return float((np.exp(p) * np.clip(-np.expm1(eps - l), 0, None)).sum() * (x[1] - x[0]))


def renyi(q, s, order):
    """Divergence of the mixture from N(0, s^2)."""
    x = np.linspace(-14 * s, order + 14 * s, 400_001)
    l, p = loss(x, q, s, False)
    e = p + (order - 1) * l
    top = e.max()
    value = np.log(np.exp(e - top).sum() * (x[1] - x[0])) + top
    if value < 0.1:  # near 0 without the rounding of a sum near 1
        value = np.log1p((np.exp(p) * np.expm1((order - 1) * l)).sum() * (x[1] - x[0]))
    return float(value / (order - 1))


def without_replacement(q, s, order):
    """Theorem 27 of Wang, Balle, Kasiviswanathan, with the alternating sums as they stand."""
    q, noise = Decimal(q), 1 / (Decimal(s) * Decimal(s))
    e = lambda i: (Decimal(i * (i - 1)) / 2 * noise).exp()
    b = {}

    def B(n):
        if n not in b:
            b[n] = sum((-1) ** (n - i) * comb(n, i) * e(i) for i in range(n + 1))
        return b[n]

    total = 1 + q**2 * comb(order, 2) * min(4 * (noise.exp() - 1), 2 * noise.exp())
    for j in range(3, order + 1):
        lo, hi = 2 * (j // 2), 2 * ((j + 1) // 2)
        total += q**j * comb(order, j) * min(4 * (B(lo) * B(hi)).sqrt(), 2 * e(j))
    return float(total.ln() / (order - 1))


def gaussian(mu, eps):
    phi = lambda x: erfc(-x / sqrt(2)) / 2
    return phi(mu / 2 - eps / mu) - np.exp(eps) * phi(-mu / 2 - eps / mu)


runs = [
    ("mnist tutorial", [(14063, 256 / 60000, 1.1)], 1e-5),
    ("opacus", [(2250, 0.04, 1.5)], 1e-5),
    ("little noise", [(120, 0.01, 0.7)], 1e-5),
    ("ten thousand", [(10000, 0.001, 0.8)], 1e-6),
    ("few", [(30, 0.2, 1.0)], 1e-4),
    ("mixed", [(500, 0.02, 1.0), (300, 0.1, 2.0), (20, 1.0, 10.0)], 1e-6),
    ("gaussian", [(100, 1.0, 10.0)], 1e-6),
]
out = {"runs": [], "single": [], "renyi": [], "without_replacement": []}
for name, rounds, d in runs:
    both = [epsilon(rounds, d, a) for a in (False, True)]
    print(name, both)
    out["runs"].append({"name": name, "rounds": [list(r) for r in rounds], "delta": d,
                        "epsilon_removed": both[0], "epsilon_added": both[1]})
mu = 1.0
print("check", abs(gaussian(mu, out["runs"][-1]["epsilon_removed"]) / 1e-6 - 1))
for q, s, eps in [(0.1, 1, 0.5), (0.01, 0.5, 1), (0.5, 2, 0.2), (1, 1, 1), (0.9, 0.7, 3)]:
    out["single"].append({"rate": q, "sigma": s, "epsilon": eps,
                          "delta_removed": single(q, s, eps, False),
                          "delta_added": single(q, s, eps, True)})
for q, s, order in [(1e-4, 1, 1.5), (1e-3, 1, 2), (0.01, 10, 20), (0.1, 100, 20.5),
                    (0.04, 1.5, 3.9),
                    (0.5, 0.5, 1.1), (0.5, 1, 1.5), (0.3, 2, 7.3), (0.999, 4, 33.3), (0.2, 0.3, 5)]:
    out["renyi"].append({"rate": q, "sigma": s, "order": order, "divergence": renyi(q, s, order)})
for q, s, order in [(0.01, 2.5, 2), (0.01, 2.5, 5), (0.01, 2.5, 50), (0.01, 2.5, 100),
                    (0.01, 2.5, 256), (0.1, 1, 3), (0.1, 10, 40), (0.3, 40, 101)]:
    out["without_replacement"].append({"rate": q, "sigma": s, "order": order,
                                       "divergence": without_replacement(q, s, order)})
path = pathlib.Path(__file__).with_name("privacy.json")
path.write_text(json.dumps(out, indent=1) + "\n")
