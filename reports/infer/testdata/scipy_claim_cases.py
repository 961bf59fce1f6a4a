"""Writes scipy_claims.json, the numbers that claims_test.go compares with.

Run with Python 3, NumPy 1.24 and SciPy 1.10:

    python3 scipy_claim_cases.py > scipy_claims.json

page_trend_test takes ties into account in no method, so that all cases are without ties.
Power of a one-sided t test is integrated over the distribution of the standard deviation.
"""

import json
import sys

import numpy as np
from scipy import integrate, stats

rng = np.random.default_rng(7)

pages = []
for blocks, points in [(3, 3), (5, 3), (5, 4), (2, 5), (8, 5), (4, 6), (3, 7), (5, 8)]:
    for trend in [0.0, 0.4, -1.0]:
        x = rng.normal(size=(blocks, points)) + trend * np.arange(points)
        up = stats.page_trend_test(x, method="exact")
        down = stats.page_trend_test(x[:, ::-1], method="exact")
        pages.append({"x": x.tolist(), "l": up.statistic, "up": up.pvalue, "down": down.pvalue})
normal = []
for blocks, points in [(3, 13), (10, 14), (5, 20)]:
    for trend in [0.0, 0.05, -0.1]:
        x = rng.normal(size=(blocks, points)) + trend * np.arange(points)
        up = stats.page_trend_test(x, method="asymptotic")
        down = stats.page_trend_test(x[:, ::-1], method="asymptotic")
        normal.append({"x": x.tolist(), "l": up.statistic, "up": up.pvalue, "down": down.pvalue})

correlations = []
for case in pages[::3]:
    x = np.asarray(case["x"])
    rho = np.mean([stats.spearmanr(row, np.arange(x.shape[1])).correlation for row in x])
    correlations.append({"x": case["x"], "rho": rho})

one_sample = []
for n in [2, 3, 5, 10, 40]:
    for mean in [0.0, 0.3, -1.5, 6.0]:
        x = rng.normal(loc=mean, size=n)
        one_sample.append({"x": x.tolist(),
                           "above": stats.ttest_1samp(x, 0, alternative="greater").pvalue,
                           "below": stats.ttest_1samp(x, 0, alternative="less").pvalue})

ratios = []
for n in [3, 5, 12]:
    for ratio in [0.93, 1.0, 1.09, 1.3]:
        for share in [0.1, 0.25]:
            b = rng.normal(loc=10, size=n)
            a = ratio * b + rng.normal(scale=0.3, size=n)
            above = stats.ttest_rel(a, (1 - share) * b, alternative="greater").pvalue
            below = stats.ttest_rel(a, (1 + share) * b, alternative="less").pvalue
            ratios.append({"a": a.tolist(), "b": b.tolist(), "share": share,
                           "above": above, "below": below})

slopes = []
for n in [2, 3, 7]:
    for exponent in [-0.5, 1.0, 2.5]:
        x = np.sort(rng.uniform(1, 1000, size=n))
        y = 3 * x**exponent * np.exp(rng.normal(scale=0.1, size=n))
        slope = stats.linregress(np.log(x), np.log(y)).slope
        slopes.append({"x": x.tolist(), "y": y.tolist(), "slope": slope})


def power(n, effect, alpha):
    critical, nu = stats.t.isf(alpha, n - 1), n - 1
    mean = effect * np.sqrt(n)
    return integrate.quad(lambda s: stats.norm.sf(critical * s - mean) * density(s, nu), 0, 12,
                          points=[0.5, 1, 2], epsabs=1e-11, limit=200)[0]


def density(s, nu):  # of a standard deviation with nu degrees of freedom, of 1
    return 2 * nu * s * stats.chi2.pdf(nu * s * s, nu)


seeds = []
for effect in [0.2, 0.5, 1.0, 2.5]:
    for alpha in [0.025, 0.005]:
        for wanted in [0.8, 0.95]:
            n = next(n for n in range(2, 2000) if power(n, effect, alpha) >= wanted)
            seeds.append({"effect": effect, "alpha": alpha, "power": wanted, "n": n})

json.dump({"pages": pages, "normal": normal, "correlations": correlations,
           "oneSample": one_sample, "ratios": ratios, "slopes": slopes, "seeds": seeds},
          sys.stdout, separators=(",", ":"))
print()
