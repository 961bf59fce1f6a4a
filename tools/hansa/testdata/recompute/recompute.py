"""Computes the rounds of a run again, from what hansa export --what updates writes.

    hansa run recompute.toml
    hansa export recompute --what updates
    python3 recompute.py export/recompute

Every function below is a formula of a paper, given what the clients sent and nothing that the server
kept: what it needs of earlier rounds it keeps itself. It returns the next model. Printed is by how
much the model of hansa differs from it, at most, in any round and coordinate, relative to the largest
parameter; more than 1e-12 is an error.
"""

import csv
import pathlib
import sys

import numpy as np


class Round:
    """What the server got in a round."""

    def __init__(self, path, number):
        z = np.load(path)
        self.number = number  # from 1
        self.x, self.next = z["global"], z["next"]
        self.clients = z["clients"].astype(int)
        self.samples, self.steps, self.p = z["samples"], z["steps"], z["importance"]
        self.models = np.array([z[f"updates/{i}"] for i in self.clients])
        self.deltas = self.models - self.x
        self.payload = {k[len("payload/"):]: z[k] for k in z.files if k.startswith("payload/")}
        self.N = len(self.p)

    def sent(self, name):
        return np.array([self.payload[f"{i}/{name}"] for i in self.clients])

    def by_samples(self):
        return self.samples / self.samples.sum()


def fedavg():
    return lambda r: r.by_samples() @ r.models


def fedavg_hajek():
    def step(r):
        w = r.p[r.clients]
        return r.x + w / w.sum() @ r.deltas

    return step


def fedavgm(beta=0.9):
    v = 0

    def step(r):
        nonlocal v
        v = beta * v + r.by_samples() @ r.deltas
        return r.x + v

    return step


def adaptive(second, beta1, tau=1e-3):
    m, v = 0, tau**2

    def step(r):
        nonlocal m, v
        d = r.by_samples() @ r.deltas
        m = beta1 * m + (1 - beta1) * d
        v = second(v, d**2)
        return r.x + m / (np.sqrt(v) + tau)

    return step


def fedadagrad():
    return adaptive(lambda v, s: v + s, 0)


def fedadam():
    return adaptive(lambda v, s: 0.99 * v + 0.01 * s, 0.9)


def fedyogi():
    return adaptive(lambda v, s: v - 0.01 * s * np.sign(v - s), 0.9)


def generalized_fedavg(period=2, eta=1.5):
    start = None

    def step(r):
        nonlocal start
        if (r.number - 1) % period == 0:
            start = r.x
        x = r.by_samples() @ r.models
        return start + eta * (x - start) if r.number % period == 0 else x

    return step


def fedgma(tau=0.4):
    def step(r):
        agree = abs(np.sign(r.deltas).sum(0)) / len(r.clients)
        return r.x + np.where(agree < tau, agree, 1) * (r.by_samples() @ r.deltas)

    return step


def fedexp(eps=1e-3):
    def step(r):
        d = r.deltas.mean(0)
        rate = (r.deltas**2).sum() / (2 * len(r.clients) * (d @ d + eps))
        return r.x + max(1, rate) * d

    return step


def fednova():
    def step(r):
        w, a = r.by_samples(), r.sent("length").ravel()
        return r.x + (w @ a) * ((w / a) @ r.deltas)

    return step


def scaffold(rate=0.1):
    c, own = 0, {}

    def step(r):
        # The clients' control variates, by option II: nothing that they sent is believed.
        nonlocal c
        moved = []
        for i, d, k in zip(r.clients, r.deltas, r.steps):
            before = own.get(i, np.zeros_like(d))
            own[i] = before - c - d / (k * rate)
            moved.append(own[i] - before)
        c = c + np.sum(moved, 0) / r.N
        return r.x + r.deltas.mean(0)

    return step


def feddyn(alpha=0.01):
    h = 0

    def step(r):
        nonlocal h
        h = h - alpha / r.N * r.deltas.sum(0)
        return r.models.mean(0) - h / alpha

    return step


def main(folder):
    folder, worst = pathlib.Path(folder), 0
    for row in csv.DictReader(open(folder / "runs.csv", encoding="utf-8")):
        step, error, files = globals()[row["method"].replace("-", "_")](), 0, 0
        for path in sorted((folder / row["folder"]).glob("round-*.npz")):
            r = Round(path, int(path.stem.split("-")[1]))
            error = max(error, abs(step(r) - r.next).max() / abs(r.next).max())
            files += 1
        print(f"{row['method']:20} {files} rounds, {error:.1e}")
        worst = max(worst, error)
        assert files == 5, row["method"]
    assert worst <= 1e-12, worst


main(sys.argv[1])
