#!/usr/bin/env python3
"""Colours of images beside POT: python3 tools/bench/beside/colour.py [-run RE] [-turns N]

`bench -run '^colour/align'` and POT's SinkhornTransport, fitted to 250 pixels of every image and
then applied to all of them, in turns, on one thread: fifty smooth images of 32×32 pixels, moved to
masses of random positions as published, and to a cloud of colours. Prints a table in Markdown: the
medians of the rates by processor time, and their ratios; `together`, which has all processors, by
the clock. Needs go and NumPy; without POT (Debian: python3-pot) its loops stand in, as
they are written there, in NumPy. The table says which it was.
"""
import re
import statistics

import turns

import numpy

try:
    import ot
except ImportError:
    ot = None

IMAGES, PIXELS, SAMPLES, LAMBDA, ROUNDS, CLOSE, BATCH = 50, 1024, 250, 0.01, 1000, 1e-8, 128
RNG = numpy.random.default_rng(1)


def photos():
    """Smooth images with some noise, a pixel a row."""
    y, x = numpy.mgrid[:32, :32].reshape(2, -1, 1)
    images = []
    for _ in range(IMAGES):
        a, b = 3 + 5 * RNG.random(2)
        smooth = 0.5 + 0.3 * numpy.sin(x / a) * numpy.cos(y / b) + 0.05 * numpy.arange(3)
        images.append(numpy.clip(smooth + 0.05 * RNG.normal(size=(PIXELS, 3)), 0, 1))
    return images


def squares(x, y):
    """Squared distances, as POT computes them."""
    c = -2 * numpy.dot(x, y.T)
    c += numpy.einsum("ij,ij->i", x, x)[:, None]
    c += numpy.einsum("ij,ij->i", y, y)[None]
    return numpy.maximum(c, 0, out=c)


def plan(cost):
    """The loop of POT's sinkhorn_knopp, with its checks."""
    n, m = cost.shape
    a, b = numpy.full(n, 1 / n), numpy.full(m, 1 / m)
    k = numpy.exp(cost / -LAMBDA)
    scaled, u, v = (1 / a)[:, None] * k, numpy.full(n, 1 / n), numpy.full(m, 1 / m)
    for i in range(ROUNDS):
        before = u, v
        ktu = numpy.dot(k.T, u)
        v = b / ktu
        u = 1 / numpy.dot(scaled, v)
        bad = numpy.any(ktu == 0)
        for s in (u, v):
            bad = bad or numpy.any(numpy.isnan(s)) or numpy.any(numpy.isinf(s))
        if bad:
            u, v = before
            break
        if i % 10 == 0:
            columns = numpy.einsum("i,ij,j->j", u, k, v)
            if numpy.linalg.norm(columns - b) < CLOSE:
                break
    return u[:, None] * k * v[None]


def loop(image, target):
    """What SinkhornTransport's fit and transform do for pixels it was not fitted to."""
    from_ = image[RNG.integers(0, PIXELS, SAMPLES)]
    found = plan(squares(from_, target))
    moved = []
    for lo in range(0, PIXELS, BATCH):
        part = image[lo:lo + BATCH]
        nearest = numpy.argmin(squares(part, from_), axis=1)
        to = numpy.dot(found / found.sum(1)[:, None], target)
        moved.append(to[nearest] + part - from_[nearest])
    return numpy.concatenate(moved)


def pot(image, target):
    """The same by POT itself."""
    from_ = image[RNG.integers(0, PIXELS, SAMPLES)]
    transport = ot.da.SinkhornTransport(reg_e=LAMBDA, max_iter=ROUNDS, tol=CLOSE)
    return transport.fit(Xs=from_, Xt=target).transform(Xs=image)


def main():
    asked = turns.asked(__doc__, 1)
    images = photos()
    masses = (1 + 0.1 * RNG.normal(size=(SAMPLES, 3))) / SAMPLES
    targets = {"colour/align": masses, "colour/align/together": masses,
               "colour/align/cloud": RNG.random((SAMPLES, 3))}
    how, align = ("POT `SinkhornTransport`", pot) if ot else ("POT's loop", loop)
    with turns.built() as bench:
        print("| benchmark | hansa | beside | rate | ratio |")
        print("|---|---:|---|---:|---:|")
        for name, target in targets.items():
            if not re.search(asked.run, name):
                continue
            ours, theirs = [], []
            kind = "median" if name.endswith("/together") else "cpu_median"
            for _ in range(asked.turns):
                ours += [line[kind] for line in turns.lines(
                    bench, "-isa", asked.isa, "-run", f"^{name}$", "-chunks", "3",
                    "-time", f"{asked.seconds / 3}s") if line["name"] == name]
                theirs.append(turns.rate(
                    lambda: [align(image, target) for image in images], IMAGES, asked.seconds))
            rates = statistics.median(ours), statistics.median(theirs)
            print(f"| `{name}` | {rates[0]:.4g} | {how} | {rates[1]:.4g} | "
                  f"{rates[0] / rates[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
