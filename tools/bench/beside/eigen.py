#!/usr/bin/env python3
"""Eigen-decompositions beside SciPy: python3 tools/bench/beside/eigen.py [-run RE] [-turns N]

Each of `bench -run '^eig/'` and scipy.linalg.eigh, by its default driver (evr) and by divide
and conquer (evd), in turns, on one thread: matrices of the same kind and size. Prints a table
in Markdown: the medians of the rates by processor time, and their ratios. Needs go and scipy
(Debian: python3-scipy). OPENBLAS_CORETYPE is removed: it would slow SciPy down.
"""
import os

os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import json
import re
import statistics
import subprocess
import tempfile
import time

import numpy
from scipy.linalg import eigh

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
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


def rate(a, driver, seconds):
    done, start, used = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        eigh(a, driver=driver)
        done += 1
    return done / (time.process_time() - used)


def lines(bench, *args):
    out = subprocess.run([bench, *args], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def compare(bench, name, asked):
    """Returns the medians of hansa's rate and of SciPy's by each driver."""
    a, ours, theirs = matrix(name), [], {driver: [] for driver in DRIVERS}
    for driver in DRIVERS:
        eigh(a, driver=driver)
    for _ in range(asked.turns):
        ours.append(lines(bench, "-isa", asked.isa, "-run", f"^{name}$", "-chunks", "3",
                          "-time", f"{asked.seconds / 3}s")[0]["cpu_median"])
        for driver in DRIVERS:
            theirs[driver].append(rate(a, driver, asked.seconds))
    return statistics.median(ours), [statistics.median(theirs[d]) for d in DRIVERS]


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    flags.add_argument("-isa", default="", help="path of hansa's kernels")
    flags.add_argument("-run", default="", help="regular expression of the benchmarks to run")
    flags.add_argument("-turns", type=int, default=5, help="how often each side has its turn")
    flags.add_argument("-seconds", type=float, default=1, help="length of a turn")
    asked = flags.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = os.path.join(folder, "bench")
        subprocess.run(["go", "build", "-o", bench, "./tools/bench"], cwd=TOP, check=True)
        print("| benchmark | hansa | `eigh` | ratio | `eigh`, `evd` | ratio |")
        print("|---|---:|---:|---:|---:|---:|")
        for line in lines(bench, "-run", "^eig/", "-chunks", "1", "-time", "1us"):
            name = line["name"]
            if name.endswith("/gonum") or not re.search(asked.run, name):
                continue
            ours, theirs = compare(bench, name, asked)
            cells = "".join(f" {x:.3g} | {ours / x:.2f} |" for x in theirs)
            print(f"| `{name}` | {ours:.3g} |{cells}", flush=True)


if __name__ == "__main__":
    main()
