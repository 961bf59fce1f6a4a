#!/usr/bin/env python3
"""Writes colours.json: images that reinhard and sliced-transport move, from their definitions with
NumPy and SciPy.

Reinhard: RGB to cones by the matrix that the paper prints, logarithms to base 10, and the product
of its two matrices of l, alpha and beta; the way back solves linear systems. Sliced transport: a
basis is a rotation of SciPy's; along each direction pixels are transported in one dimension. Where
there are as many quantiles as pixels the plan is the exact one, by ranks; elsewhere np.quantile and
np.interp, with equal numbers at the mean of their targets.

/usr/bin/python3 colours.py > colours.json
"""
import json

import numpy as np
from scipy.spatial.transform import Rotation

rng = np.random.default_rng(62)
LMS = np.array([[0.3811, 0.5783, 0.0402], [0.1967, 0.7244, 0.0782], [0.0241, 0.1288, 0.8444]])
LAB = np.diag([1 / np.sqrt(3), 1 / np.sqrt(6), 1 / np.sqrt(2)]) @ np.array(
    [[1, 1, 1], [1, 1, -2], [1, -1, 0]])
GOLDEN = (1 + np.sqrt(5)) / 2


def images(n, channels, side, levels=0, digits=4):
    """n images in planes, each with its own colour; of so many levels, or to so many digits."""
    base = rng.uniform(0.2, 0.6, size=(n, channels, 1))
    light = rng.uniform(size=(n, 1, side * side)) ** 2
    x = base + light * rng.uniform(-0.1, 0.5, size=(1, channels, 1))
    x = np.clip(x + 0.05 * rng.normal(size=x.shape), 0, 1)
    return (x * levels).round() / levels if levels else x.round(digits)


def pixels(x):
    """All pixels of images: a column is a colour, image after image."""
    return np.concatenate(list(x), axis=1)


def to_lab(x):
    return LAB @ np.log10(LMS @ np.maximum(x, 1 / 255))


def from_lab(x):
    return np.linalg.solve(LMS, 10 ** np.linalg.solve(LAB, x))


def finish(own, moved, tau):
    """Clipped, and mixed with what was: images of a client."""
    moved = np.clip(moved, 0, 1)
    mixed = (1 - tau) * pixels(own) + tau * moved
    n, size = len(own), own.shape[2]
    return np.stack([mixed[:, i * size:(i + 1) * size] for i in range(n)])


def shares(clients, equal):
    w = np.array([1.0 if equal else len(c) for c in clients])
    return w / w.sum()


def reinhard(clients, lab=False, equal=False, tau=1.0):
    enter, leave = (to_lab, from_lab) if lab else (lambda x: x, lambda x: x)
    all_ = [enter(pixels(c)) for c in clients]
    w = shares(clients, equal)
    mean = sum(a * x.mean(1, keepdims=True) for a, x in zip(w, all_))
    std = sum(a * x.std(1, keepdims=True) for a, x in zip(w, all_))
    moved = []
    for own, x in zip(clients, all_):
        z = (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True)
        moved.append(finish(own, leave(mean + std * z), tau))
    return moved


def basis(channels, b):
    """The b-th basis: points of low discrepancy on the rotations, by Shoemake's quaternions."""
    if b == 0 or channels == 1:
        return np.eye(channels)
    if channels == 2:
        turn = np.pi / 2 * (b / GOLDEN % 1)
        return np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    r = np.roots([1, 0, 0, -1, -1])
    r = r[(abs(r.imag) < 1e-12) & (r.real > 0)].real[0]
    u, v, w = b / r % 1, b / r ** 2 % 1, b / r ** 3 % 1
    v, w = 2 * np.pi * v, 2 * np.pi * w
    low, high = np.sqrt(1 - u), np.sqrt(u)
    q = [low * np.sin(v), low * np.cos(v), high * np.sin(w), high * np.cos(w)]
    return Rotation.from_quat(q).as_matrix()


def some(x, most):
    """At most so many pixels, at multiples of the golden ratio."""
    count = x.shape[1]
    if count <= most:
        return x
    return x[:, ((np.arange(most) + 0.5) / GOLDEN % 1 * count).astype(int)]


def transport(x, source, target):
    """Numbers moved by the plan between two lists of quantiles."""
    knots, means, k = [], [], 0
    while k < len(source):
        end = k
        while end < len(source) and source[end] - source[k] <= 1e-12:
            end += 1
        knots.append(source[k])
        means.append(np.mean(target[k:end]))
        k = end
    if len(knots) == 1:
        return np.full_like(x, means[0])
    slope = (means[-1] - means[0]) / (knots[-1] - knots[0])
    beyond = np.minimum(x - knots[0], 0) + np.maximum(x - knots[-1], 0)
    return np.interp(x, knots, means) + slope * beyond


def ranked(x, target):
    """Numbers moved by the exact plan between as many."""
    y = np.empty_like(x)
    y[np.argsort(x)] = target
    return y


def sliced(clients, bases, levels, sweeps, most=4096, equal=False, tau=1.0, exact=False):
    channels = clients[0].shape[1]
    turns = [basis(channels, b) for b in range(1 if channels == 1 else bases)]
    at, w = np.linspace(0, 1, levels), shares(clients, equal)
    every = [some(pixels(c), most) for c in clients]
    if exact:
        assert all(x.shape[1] == levels for x in every)
        target = [sum(a * np.sort(B @ x, axis=1) for a, x in zip(w, every)) for B in turns]
    else:
        target = [sum(a * np.quantile(B @ x, at, axis=1).T for a, x in zip(w, every))
                  for B in turns]
    moved = []
    for own, x in zip(clients, every):
        y = pixels(own)
        for _ in range(sweeps if len(turns) > 1 else 1):
            for B, to in zip(turns, target):
                p, q = B @ x, B @ y
                if exact:  # all pixels are those from which maps are found
                    q = np.stack([ranked(q[c], to[c]) for c in range(channels)])
                    p = q
                else:
                    source = np.quantile(p, at, axis=1).T
                    q = np.stack([transport(q[c], source[c], to[c]) for c in range(channels)])
                    p = np.stack([transport(p[c], source[c], to[c]) for c in range(channels)])
                x, y = np.linalg.solve(B, p), np.linalg.solve(B, q)
        moved.append(finish(own, y, tau))
    return moved


def case(method, given, clients, want):
    return {"method": method, "given": given, "channels": clients[0].shape[1],
            "clients": [c.ravel().tolist() for c in clients],
            "want": [c.ravel().tolist() for c in want]}


three = [images(n, 3, 4) for n in (2, 1, 3)]
same = [images(3, 3, 4, digits=9) for _ in range(3)]  # no two numbers are equal: ranks are sure
eight = [images(n, 3, 4, 31) for n in (2, 3)]
two = [images(n, 2, 4) for n in (1, 2)]
one = [images(n, 1, 4) for n in (3, 2)]
bright = [images(2, 3, 4), np.clip(1.6 * images(2, 3, 4), 0, 1).round(4)]

cases = []
for clients, given in (
        (three, {}), (three, {"equal": True, "tau": 0.7}), (one, {}), (bright, {}),
        (three, {"lab": True}), (eight, {"lab": True, "tau": 0.4}), (bright, {"lab": True})):
    cases.append(case("reinhard", given, clients, reinhard(clients, **given)))
for clients, given in (
        (same, {"bases": 1, "levels": 48, "sweeps": 1, "exact": True}),
        (same, {"bases": 4, "levels": 48, "sweeps": 3, "exact": True, "equal": True}),
        (three, {"bases": 3, "levels": 9, "sweeps": 2}),
        (eight, {"bases": 5, "levels": 64, "sweeps": 2, "tau": 0.6}),
        (three, {"bases": 4, "levels": 12, "sweeps": 5, "most": 20, "equal": True}),
        (two, {"bases": 3, "levels": 10, "sweeps": 4}),
        (one, {"bases": 3, "levels": 10, "sweeps": 4}),
        (bright, {"bases": 4, "levels": 32, "sweeps": 5})):
    cases.append(case("sliced", given, clients, sliced(clients, **given)))
print(json.dumps({"numpy": np.__version__, "cases": cases}))
