#!/usr/bin/env python3
"""Barycenters of Gaussians beside NumPy and SciPy: python3 tools/bench/beside/gaussian.py [-turns N]

The iteration S <- S^-1/2 (sum w (S^1/2 Sk S^1/2)^1/2)^2 S^-1/2 of `bench -run '^bures/'`, from
the mean of covariances of the same kind and size, in turns, on one thread: with roots by
numpy.linalg.eigh, and with roots by scipy.linalg.sqrtm as code for general matrices has them.
All sides need the same number of iterations, so that the ratio is that of barycenters. Prints a
table in Markdown: the medians of the rates by processor time, and their ratios. Needs go and
scipy (Debian: python3-scipy). OPENBLAS_CORETYPE is removed: it would slow NumPy down.
"""
import os

os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import statistics
import subprocess
import tempfile
import time

import numpy
from scipy.linalg import sqrtm

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


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


def rate(step, parts, seconds):
    """Iterations a second, two at a time from the mean, as bench has them."""
    weight, done, start, used = 1 / len(parts), 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        s = weight * sum(parts)
        for _ in range(2):
            s = step(s, parts, weight)
        done += 2
    return done / (time.process_time() - used)


def lines(bench, *args):
    out = subprocess.run([bench, *args], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def compare(bench, name, asked):
    """Returns the medians of hansa's rate and of the others'."""
    parts = list(covariances(*map(int, name.split("/")[-1].split("x"))))
    mean = sum(parts) / len(parts)
    a, b = (step(mean, parts, 1 / len(parts)) for step in (by_eigh, by_sqrtm))
    assert numpy.abs(a - b).max() < 1e-10, "the two iterations differ"
    ours, eigh, general = [], [], []
    for turn in range(asked.turns):
        ours.append(lines(bench, "-isa", asked.isa, "-run", f"^{name}$", "-chunks", "3",
                          "-time", f"{asked.seconds / 3}s")[0]["cpu_median"])
        eigh.append(rate(by_eigh, parts, asked.seconds))
        if turn % 3 == 0:  # it takes long
            general.append(rate(by_sqrtm, parts, asked.seconds))
    return map(statistics.median, (ours, eigh, general))


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    flags.add_argument("-isa", default="", help="path of hansa's kernels")
    flags.add_argument("-turns", type=int, default=5, help="how often each side has its turn")
    flags.add_argument("-seconds", type=float, default=2, help="length of a turn")
    asked = flags.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = os.path.join(folder, "bench")
        subprocess.run(["go", "build", "-o", bench, "./tools/bench"], cwd=TOP, check=True)
        print("| benchmark | hansa | `eigh` | ratio | `sqrtm` | ratio |")
        print("|---|---:|---:|---:|---:|---:|")
        for line in lines(bench, "-run", "^bures/", "-chunks", "1", "-time", "1us"):
            ours, eigh, general = compare(bench, line["name"], asked)
            print(f"| `{line['name']}` | {ours:.3g} | {eigh:.3g} | {ours / eigh:.2f} |"
                  f" {general:.3g} | {ours / general:.1f} |", flush=True)


if __name__ == "__main__":
    main()
