"""Writes scipy_compare.json, the numbers that reports/scipy_test.go compares with.

Run with Python 3, NumPy 1.24 and SciPy 1.10:

    python3 scipy_compare_cases.py > scipy_compare.json

What SciPy has is SciPy's: permutation_test over all signs for the exact tests (of signed
ranks for Wilcoxon's, which so is right with ties, and equals wilcoxon(mode="exact") without),
friedmanchisquare, rankdata, f.sf, trim_mean, ttest_1samp, gamma functions and winsorize. The
quantile of the studentised range is the root of its integral by adaptive quadrature, compared
with studentized_range.ppf. Areas are numpy.trapz.
"""

import json
import math

import numpy as np
from scipy import integrate, optimize, special, stats
from scipy.stats import mstats


def t_quantile(p, nu):
    return np.sqrt(nu * (1 / special.betaincinv(nu / 2, 0.5, 2 * (1 - p)) - 1))


def exact(d):
    d = np.asarray(d, dtype=float)
    flip = dict(permutation_type="samples", n_resamples=np.inf, alternative="two-sided")

    def p(values):
        return stats.permutation_test((values,), lambda x, axis: x.sum(axis=axis),
                                      vectorized=True, **flip).pvalue

    kept = d[d != 0]
    ranks = np.sign(kept) * stats.rankdata(np.abs(kept))
    signed = p(ranks)
    if len(set(np.abs(kept))) == len(d):
        assert abs(stats.wilcoxon(d, mode="exact").pvalue - signed) < 1e-12
    return {"d": d.tolist(), "w": ranks[ranks > 0].sum(), "wilcoxon": signed, "flip": p(d)}


def effect(a, b, margin):
    a, b = np.asarray(a), np.asarray(b)
    d = a - b
    n = len(d)
    j = special.gamma((n - 1) / 2) / (math.sqrt((n - 1) / 2) * special.gamma((n - 2) / 2))
    u = stats.mannwhitneyu(a, b).statistic
    p = max(stats.ttest_1samp(d, -margin, alternative="greater").pvalue,
            stats.ttest_1samp(d, margin, alternative="less").pvalue)
    return {"a": a.tolist(), "b": b.tolist(), "margin": margin, "hedges": j * d.mean() / d.std(ddof=1),
            "superiority": u / n / n, "equivalence": p}


def iqm(x):
    n, g = len(x), len(x) // 4
    h = n - 2 * g
    w = np.asarray(mstats.winsorize(np.asarray(x), limits=(g / n + 1e-9, g / n + 1e-9)))
    se = math.sqrt((n - 1) * w.var(ddof=1) / (h * (h - 1)))
    mean, half = stats.trim_mean(x, 0.25), t_quantile(0.975, h - 1) * se
    return {"x": list(x), "mean": mean, "low": mean - half, "high": mean + half}


def friedman(data):
    data = np.asarray(data, dtype=float)
    n, k = data.shape
    chi, _ = stats.friedmanchisquare(*data.T)
    f = (n - 1) * chi / (n * (k - 1) - chi)
    ranks = np.array([stats.rankdata(row) for row in data])
    return {"data": data.tolist(), "ranks": ranks.mean(axis=0).tolist(), "chi": chi, "f": f,
            "p": stats.f.sf(f, k - 1, (k - 1) * (n - 1))}


def range_cdf(q, k):
    def density(z):
        return k * stats.norm.pdf(z) * (special.ndtr(z) - special.ndtr(z - q)) ** (k - 1)
    return sum(integrate.quad(density, u, u + 1, epsabs=1e-15, epsrel=1e-13)[0]
               for u in range(-10, 10))


def critical(k, n, alpha):
    q = optimize.brentq(lambda q: range_cdf(q, k) - (1 - alpha), 0.1, 10, xtol=1e-13)
    assert abs(q - stats.studentized_range.ppf(1 - alpha, k, np.inf)) < 1e-6
    return {"k": k, "n": n, "alpha": alpha, "difference": q / math.sqrt(2) * math.sqrt(k * (k + 1) / 6 / n)}


def main():
    rng = np.random.default_rng(20240301)
    tests = [exact(rng.normal(0.7, 1, size=n)) for n in (2, 4, 5, 6, 8, 10, 13)]
    tests += [exact(d) for d in (
        [1, 1, 1, 1, 1], [1, 1, -1, 2, 2, 3], [0, 0, 1, 2, -3], [-1, -2, -3, -4, -5, -6],
        [3, 3, -3, -3, 1, 1, -1, 2], rng.integers(-3, 4, size=12).tolist())]
    effects = []
    for n in (4, 5, 8, 20):
        for gap, margin in ((0, 0.5), (0.05, 0.2), (1, 0.5), (1, 3)):
            common = rng.normal(size=n)
            effects.append(effect(10 + gap + common + 0.2 * rng.normal(size=n), 10 + common, margin))
    effects.append(effect([97, 98, 97, 99], [97, 97, 96, 97], 2))
    means = [iqm(rng.normal(50, 4, size=n).tolist()) for n in (4, 5, 6, 7, 8, 11, 20, 33)]
    means.append(iqm([1, 1, 2, 2, 3, 3, 100]))
    frieds = [friedman(rng.normal(size=(n, k)) + np.arange(k) * shift)
              for n, k, shift in ((6, 3, 0), (6, 4, 1), (10, 5, 0.5), (12, 8, 0.3), (30, 3, 0.2))]
    frieds += [friedman(rng.integers(0, 4, size=(n, k))) for n, k in ((6, 4), (9, 5), (20, 6))]
    differences = [critical(k, n, alpha) for k in (2, 3, 4, 5, 10, 30) for n in (6, 14)
                   for alpha in (0.05, 0.1)]
    areas = []
    for n in (2, 3, 11, 40):
        rounds = np.cumsum(rng.integers(1, 9, size=n))
        values = rng.normal(size=n)
        areas.append({"rounds": rounds.tolist(), "values": values.tolist(),
                      "area": np.trapz(values, rounds) / (rounds[-1] - rounds[0])})
    print(json.dumps({"exact": tests, "effects": effects, "iqm": means, "friedman": frieds,
                      "critical": differences, "areas": areas}, indent=1))


main()
