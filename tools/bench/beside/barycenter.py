#!/usr/bin/env python3
"""Barycenters beside POT: python3 tools/bench/beside/barycenter.py [-run RE] [-turns N]

`bench -run '^ot/barycenter/28x28'`, on the grid, and ot.bregman.convolutional_barycenter2d, and
the same without the grid and ot.bregman.barycenter, in turns, on one thread: ten random images,
200 iterations a problem. Prints a table in Markdown: the medians of the rates by processor time,
and their ratios. Needs go and NumPy; without POT (Debian: python3-pot) its loops stand in, as they
are written there, in NumPy. The table says which it was.
"""
import re
import statistics

import turns

import numpy

try:
    import ot
except ImportError:
    ot = None

PASSES, IMAGES, SIDE = 200, 10, 28
LAMBDA = 0.002  # in units of the largest cost, as hansa has it


def scribbles():
    """Random images, a fifth of whose pixels are 0."""
    images = numpy.maximum(0, numpy.random.default_rng(1).random((IMAGES, SIDE, SIDE)) - 0.2)
    return images / images.sum((1, 2), keepdims=True)


def squares():
    """Squared distances of rows, or of columns, from 0 to 1."""
    axis = numpy.linspace(0, 1, SIDE)
    return (axis[:, None] - axis) ** 2


def convolutions(images, reg):
    """The loop of POT's convolutional_barycenter2d."""
    k = numpy.exp(-squares() / reg)

    def apply(x):
        return numpy.einsum("...ij,klj->kli", k, numpy.einsum("...ij,kjl->kil", k, x))

    bar, ktu = numpy.full((SIDE, SIDE), 1 / SIDE ** 2), apply(numpy.ones(images.shape))
    for i in range(PASSES):
        v = bar[None] / ktu
        ktu = apply(images / apply(v))
        bar = numpy.exp((numpy.log(ktu + 1e-30) / IMAGES).sum(0))
        if i % 10 == 9:
            numpy.std(v * ktu, axis=0).sum()
    return bar


def products(images, cost, reg):
    """The loop of POT's barycenter, which does each iteration in two halves."""
    k, columns = numpy.exp(-cost / reg), images.reshape(IMAGES, -1).T

    def mean(x):
        return numpy.exp(numpy.log(x).mean(1))

    moved = numpy.dot(k, (columns.T / k.sum(0)).T)
    u = (mean(moved) / moved.T).T
    for i in range(PASSES):
        moved = u * numpy.dot(k, columns / numpy.dot(k, u))
        u = (u.T * mean(moved)).T / moved
        if i % 10 == 1:
            numpy.std(moved, axis=1).sum()
    return mean(moved)


def rival(name):
    """Returns what stands beside a benchmark of hansa, and its work, PASSES iterations."""
    images, reg = scribbles(), 2 * LAMBDA  # the largest of these costs is 2
    if not name.endswith("/dense"):
        if ot:
            solve = ot.bregman.convolutional_barycenter2d
            return "POT `convolutional_barycenter2d`", lambda: solve(
                images, reg, numItermax=PASSES, stopThr=0, warn=False)
        return "POT's loop, on the grid", lambda: convolutions(images, reg)
    cost = (squares()[:, None, :, None] + squares()[None, :, None, :]).reshape(SIDE ** 2, -1)
    columns = numpy.ascontiguousarray(images.reshape(IMAGES, -1).T)
    if ot:
        return "POT `barycenter`", lambda: ot.bregman.barycenter(
            columns, cost, reg, numItermax=PASSES, stopThr=0, warn=False)
    return "POT's loop", lambda: products(images, cost, reg)


def main():
    asked = turns.asked(__doc__, 1)
    with turns.built() as bench:
        print("| benchmark | hansa | beside | rate | ratio |")
        print("|---|---:|---|---:|---:|")
        for name in turns.names(bench, "^ot/barycenter/28x28"):
            if name.endswith("/naive") or not re.search(asked.run, name):
                continue
            beside, work = rival(name)
            ours, theirs = [], []
            for _ in range(asked.turns):
                found = turns.lines(bench, "-isa", asked.isa, "-run", "^ot/barycenter/28x28$",
                                    "-chunks", "5", "-time", f"{asked.seconds / 5}s")
                ours += [line["cpu_median"] for line in found if line["name"] == name]
                theirs.append(turns.rate(work, PASSES, asked.seconds))
            rates = statistics.median(ours), statistics.median(theirs)
            print(f"| `{name}` | {rates[0]:.4g} | {beside} | {rates[1]:.4g} | "
                  f"{rates[0] / rates[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
