#!/usr/bin/env python3
"""Barycenters of Gaussians beside NumPy and SciPy: python3 tools/bench/beside/gaussian.py [-turns N]

The iteration S <- S^-1/2 (sum w (S^1/2 Sk S^1/2)^1/2)^2 S^-1/2 of `bench -run '^bures/'`, from
the mean of covariances of the same kind and size, in turns, on one thread: with roots by
numpy.linalg.eigh, and with roots by scipy.linalg.sqrtm as code for general matrices has them.
All sides need the same number of iterations, so that the ratio is that of barycenters. Prints a
table in Markdown: the medians of the rates by processor time, and their ratios. Needs go and
scipy (Debian: python3-scipy). OPENBLAS_CORETYPE is removed: it would slow NumPy down.
"""
import re
import statistics

import turns

import numpy
from scipy.linalg import sqrtm



def covariances(k, d):
    """Matrices as bures/barycenter/KxD asks for."""
    rng = numpy.random.default_rng(1)
    for _ in range(k):
        a = rng.standard_normal((d, d))
        v = numpy.linalg.eigh(numpy.tril(a) + numpy.tril(a, -1).T)[1]
        yield v * numpy.logspace(0, -3, d) @ v.T


def root(s):
    values, v = numpy.linalg.eigh(s)
    return v * numpy.sqrt(numpy.maximum(values, 0)) @ v.T


def by_eigh(s, parts, weight):
    values, v = numpy.linalg.eigh(s)
    r, inverse = v * numpy.sqrt(values) @ v.T, v / numpy.sqrt(values) @ v.T
    half = inverse @ sum(weight * root(r @ p @ r) for p in parts)
    return half @ half.T


def by_sqrtm(s, parts, weight):
    r = sqrtm(s).real
    half = numpy.linalg.solve(r, sum(weight * sqrtm(r @ p @ r).real for p in parts))
    return half @ half.T


def twice(step, parts):
    """Two iterations from the mean, as bench has them."""
    weight = 1 / len(parts)
    s = weight * sum(parts)
    for _ in range(2):
        s = step(s, parts, weight)


def compare(bench, name, asked):
    """Returns the medians of hansa's rate and of the others'."""
    parts = list(covariances(*map(int, name.split("/")[-1].split("x"))))
    mean = sum(parts) / len(parts)
    a, b = (step(mean, parts, 1 / len(parts)) for step in (by_eigh, by_sqrtm))
    assert numpy.abs(a - b).max() < 1e-10, "the two iterations differ"
    ours, eigh, general = [], [], []
    for turn in range(asked.turns):
        ours.append(turns.ours(bench, name, asked))
        eigh.append(turns.rate(lambda: twice(by_eigh, parts), 2, asked.seconds))
        if turn % 3 == 0:  # it takes long
            general.append(turns.rate(lambda: twice(by_sqrtm, parts), 2, asked.seconds))
    return map(statistics.median, (ours, eigh, general))


def main():
    asked = turns.asked(__doc__, 2)
    with turns.built() as bench:
        print("| benchmark | hansa | `eigh` | ratio | `sqrtm` | ratio |")
        print("|---|---:|---:|---:|---:|---:|")
        for name in turns.names(bench, "^bures/"):
            if not re.search(asked.run, name):
                continue
            ours, eigh, general = compare(bench, name, asked)
            print(f"| `{name}` | {ours:.3g} | {eigh:.3g} | {ours / eigh:.2f} |"
                  f" {general:.3g} | {ours / general:.1f} |", flush=True)


if __name__ == "__main__":
    main()
