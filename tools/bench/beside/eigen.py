#!/usr/bin/env python3
"""Eigen-decompositions beside SciPy: python3 tools/bench/beside/eigen.py [-run RE] [-turns N]

Each of `bench -run '^eig/'` and scipy.linalg.eigh, by its default driver (evr) and by divide
and conquer (evd), in turns, on one thread: matrices of the same kind and size. Prints a table
in Markdown: the medians of the rates by processor time, and their ratios. Needs go and scipy
(Debian: python3-scipy). OPENBLAS_CORETYPE is removed: it would slow SciPy down.
"""
import re
import statistics

import turns

import numpy
from scipy.linalg import eigh

DRIVERS = None, "evd"


def matrix(name):
    """A matrix as eig/N or eig/N/spd asks for."""
    part = name.split("/")
    n = int(part[1])
    a = numpy.random.default_rng(1).standard_normal((n, n))
    a = numpy.tril(a) + numpy.tril(a, -1).T
    if part[2:] == ["spd"]:
        vectors = numpy.linalg.eigh(a)[1]
        a = vectors * numpy.logspace(0, -3, n) @ vectors.T
    return a


def compare(bench, name, asked):
    """Returns the medians of hansa's rate and of SciPy's by each driver."""
    a, ours, theirs = matrix(name), [], {driver: [] for driver in DRIVERS}
    for driver in DRIVERS:
        eigh(a, driver=driver)
    for _ in range(asked.turns):
        ours.append(turns.ours(bench, name, asked))
        for driver in DRIVERS:
            theirs[driver].append(turns.rate(lambda: eigh(a, driver=driver), 1, asked.seconds))
    return statistics.median(ours), [statistics.median(theirs[d]) for d in DRIVERS]


def main():
    asked = turns.asked(__doc__, 1)
    with turns.built() as bench:
        print("| benchmark | hansa | `eigh` | ratio | `eigh`, `evd` | ratio |")
        print("|---|---:|---:|---:|---:|---:|")
        for name in turns.names(bench, "^eig/"):
            if name.endswith("/gonum") or not re.search(asked.run, name):
                continue
            ours, theirs = compare(bench, name, asked)
            cells = "".join(f" {x:.3g} | {ours / x:.2f} |" for x in theirs)
            print(f"| `{name}` | {ours:.3g} |{cells}", flush=True)


if __name__ == "__main__":
    main()
