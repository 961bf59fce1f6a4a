"""Writes scipy.json, the numbers that tests_test.go compares with.

Run with Python 3, NumPy 1.24 and SciPy 1.10:

    python3 scipy_cases.py > scipy.json

Quantiles of t go through the inverse incomplete beta function: stats.t.ppf of that
version is good to 2e-9 only (at p = 0.95 with 4 degrees of freedom the distribution
function has a closed form to tell). Holm's adjustment is computed by hand from its
definition, as in statsmodels' multipletests(method="holm").
"""

import json

import numpy as np
from scipy import integrate, optimize, special, stats


def t_quantile(p, nu):
    x = special.betaincinv(nu / 2, 0.5, 2 * min(p, 1 - p))
    return np.sign(p - 0.5) * np.sqrt(nu * (1 - x) / x)


def paired(a, b):
    a, b = np.asarray(a), np.asarray(b)
    d = a - b
    test = stats.ttest_rel(a, b)
    half = t_quantile(0.975, len(d) - 1) * stats.sem(d)
    return {"a": a.tolist(), "b": b.tolist(), "mean": d.mean(), "sd": d.std(ddof=1),
            "t": test.statistic, "p": test.pvalue, "low": d.mean() - half, "high": d.mean() + half}


def holm(p):
    p = np.asarray(p)
    order = np.argsort(p, kind="stable")
    stepped = np.minimum(1, p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(stepped)
    return {"p": p.tolist(), "adjusted": adjusted.tolist()}


def power(delta, nu, alpha):
    critical = t_quantile(1 - alpha / 2, nu)
    return stats.nct.sf(critical, nu, delta) + stats.nct.cdf(-critical, nu, delta)


def power_by_quadrature(delta, nu, alpha):
    """The same without the noncentral t: over the distribution of s/sigma."""
    critical = t_quantile(1 - alpha / 2, nu)
    chi = stats.chi(nu)

    def reject(x):
        c = critical * x / np.sqrt(nu)
        return (stats.norm.sf(c - delta) + stats.norm.cdf(-c - delta)) * chi.pdf(x)

    lo, hi = chi.ppf(1e-300), chi.isf(1e-16)
    knots = np.linspace(lo, hi, 41)
    return sum(integrate.quad(reject, u, v, epsabs=1e-15, epsrel=1e-13)[0]
               for u, v in zip(knots, knots[1:]))


def checked_power(delta, nu, alpha):
    one, two = power(delta, nu, alpha), power_by_quadrature(delta, nu, alpha)
    assert abs(one - two) < 1e-9, (delta, nu, alpha, one, two)
    return {"delta": delta, "nu": nu, "alpha": alpha, "power": two}


def detectable(n, sd, alpha):
    root = optimize.brentq(lambda d: power(d, n - 1, alpha) - 0.8, 0.1, 200, xtol=1e-13)
    return {"n": n, "sd": sd, "alpha": alpha, "difference": root * sd / np.sqrt(n)}


def main():
    rng = np.random.default_rng(20240229)
    pairs = []
    for n in (4, 5, 8, 20, 100):
        for gap in (0, 0.5, 3, 40):
            common = rng.normal(size=n)
            pairs.append(paired(10 + gap + common + 0.4 * rng.normal(size=n), 10 + common))
    pairs.append(paired([97.1, 96.8, 97.4, 96.9, 97.0], [95.2, 95.9, 94.8, 95.5, 95.1]))
    pairs.append(paired((1e-9 * rng.normal(size=5)).tolist(), (1e-9 * rng.normal(size=5)).tolist()))
    pairs.append(paired((1e12 + rng.normal(size=6)).tolist(), (1e12 + rng.normal(size=6)).tolist()))
    families = [holm(p) for p in (
        [0.03], [0.04, 0.01, 0.03], [0.01, 0.01, 0.01], [0.5, 0.6, 0.7, 0.001],
        [1, 0.2, 1e-12, 0.049, 0.05], rng.uniform(size=12).tolist())]
    quantiles = [{"p": p, "nu": nu, "t": t_quantile(p, nu)}
                 for p in (0.6, 0.8, 0.95, 0.975, 0.9875, 0.995, 0.9995)
                 for nu in (1, 2, 3, 4, 9, 19, 99)]
    powers = [checked_power(delta, nu, alpha)
              for delta in (0.01, 0.5, 1, 2, 3, 5, 8) for nu in (3, 4, 7, 9, 19, 49)
              for alpha in (0.05, 0.05 / 3, 0.005)]
    detectables = [detectable(n, sd, alpha)
                   for n, sd in ((4, 1), (5, 1), (5, 0.003), (10, 1), (20, 1e4), (50, 1))
                   for alpha in (0.05, 0.025, 0.0125, 0.005)]
    print(json.dumps({"paired": pairs, "holm": families, "quantiles": quantiles,
                      "power": powers, "detectable": detectables}, indent=1))


main()
