#!/usr/bin/env python3
"""Transport beside POT: python3 tools/bench/beside/transport.py [-run RE] [-turns N]

Each of `bench -run '^ot/(sinkhorn|exact)'` and the same problem in POT, in turns, on one thread:
200 iterations a problem of ot.sinkhorn, by its default method and, for sinkhorn-log, by
sinkhorn_log, and ot.emd for exact, beside scipy.optimize.linear_sum_assignment where masses are
uniform: those of general are random. Prints a table in Markdown: the medians of the rates by processor time, and their ratios. Needs go, NumPy and SciPy;
without POT (Debian: python3-pot) its loops stand in, as they are written there: u = a/(K v) and
v = b/(Kᵀu) in NumPy, where every iteration looks for NaN and every tenth for the error, and
scipy.special.logsumexp. The table says which it was. OPENBLAS_CORETYPE is removed: it would slow NumPy down.
"""
import re
import statistics

import turns

import numpy
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

try:
    import ot
except ImportError:
    ot = None

PASSES = 200
LAMBDA = {"sinkhorn": 0.01, "sinkhorn-log": 0.001}


def problem(n, m):
    """Random points of the unit square, the largest squared distance being 1."""
    rng = numpy.random.default_rng(1)
    x, y = rng.random((n, 2)), rng.random((m, 2))
    cost = ((x[:, None] - y[None]) ** 2).sum(-1)
    return numpy.full(n, 1 / n), numpy.full(m, 1 / m), cost / cost.max()


def uneven(n):
    """Random masses."""
    mass = numpy.random.default_rng(n).random(n)
    return mass / mass.sum()


def sinkhorn(a, b, cost, lam):
    """The loop of POT's sinkhorn_knopp."""
    u, v = numpy.ones(len(a)) / len(a), numpy.ones(len(b)) / len(b)
    k = numpy.exp(cost / -lam)
    scaled = (1 / a).reshape(-1, 1) * k
    for i in range(PASSES):
        ktu = numpy.dot(k.T, u)
        v = b / ktu
        u = 1 / numpy.dot(scaled, v)
        if (numpy.any(ktu == 0) or numpy.any(numpy.isnan(u)) or numpy.any(numpy.isnan(v))
                or numpy.any(numpy.isinf(u)) or numpy.any(numpy.isinf(v))):
            raise ArithmeticError("under- or overflow")
        if i % 10 == 0:
            numpy.linalg.norm(numpy.einsum("i,ij,j->j", u, k, v) - b)
    return u.reshape(-1, 1) * k * v.reshape(1, -1)


def sinkhorn_log(a, b, cost, lam):
    """The loop of POT's sinkhorn_log."""
    log_a, log_b, k = numpy.log(a), numpy.log(b), -cost / lam
    u, v = numpy.zeros(len(a)), numpy.zeros(len(b))
    for i in range(PASSES):
        v = log_b - logsumexp(k + u[:, None], 0)
        u = log_a - logsumexp(k + v[None, :], 1)
        if i % 10 == 0:
            numpy.linalg.norm(numpy.exp(k + u[:, None] + v[None, :]).sum(0) - b)
    return numpy.exp(k + u[:, None] + v[None, :])


def rivals(name):
    """Yields, for a benchmark of hansa, what stands beside it, and how much work that does."""
    _, kind, size, *general = name.split("/")
    n, m = [int(part) for part in (size + "x" + size).split("x")[:2]]
    a, b, cost = problem(n, m)
    if kind == "exact":
        if general:
            a, b = uneven(n), uneven(m)[::-1].copy()
        else:
            yield "SciPy", 1, lambda: linear_sum_assignment(cost)
        if ot:
            yield "POT emd", 1, lambda: ot.emd(a, b, cost, numItermax=10**8)
    elif ot:
        method = kind.replace("-", "_")
        yield "POT " + method, PASSES, lambda: ot.sinkhorn(
            a, b, cost, LAMBDA[kind], method=method, numItermax=PASSES, stopThr=0, warn=False)
    else:
        loop = sinkhorn_log if kind == "sinkhorn-log" else sinkhorn
        yield "POT's loop", PASSES, lambda: loop(a, b, cost, LAMBDA[kind])


def compare(bench, name, asked):
    """Returns the median of hansa's rate, and names and medians of the others."""
    others = list(rivals(name))
    ours, theirs = [], [[] for _ in others]
    for _ in range(asked.turns):
        ours.append(turns.ours(bench, name, asked, chunks=5))
        for rates, (_, worth, work) in zip(theirs, others):
            rates.append(turns.rate(work, worth, asked.seconds))
    medians = [statistics.median(rates) for rates in theirs]
    return statistics.median(ours), zip([other[0] for other in others], medians)


def main():
    asked = turns.asked(__doc__, 1)
    with turns.built() as bench:
        print("| benchmark | hansa | beside | rate | ratio |")
        print("|---|---:|---|---:|---:|")
        for name in turns.names(bench, "^ot/(sinkhorn|exact)"):
            if name.endswith("/naive") or not re.search(asked.run, name):
                continue
            ours, theirs = compare(bench, name, asked)
            for beside, other in theirs:
                print(f"| `{name}` | {ours:.4g} | {beside} | {other:.4g} | {ours / other:.2f} |",
                      flush=True)


if __name__ == "__main__":
    numpy.seterr(all="ignore")  # at small λ the loops under- and overflow
    main()
