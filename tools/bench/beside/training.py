#!/usr/bin/env python3
"""Training beside PyTorch: python3 tools/bench/beside/training.py [-run RE] [-turns N]

Steps and rounds of `bench -run '^step/|^fl/'` and the same written as PyTorch users write
them (nn.Module, torch.optim, state_dict; eager, one thread), in turns. One JSON line each:
the medians of the rates by processor time, and their ratio. Needs go and torch (Debian:
python3-torch). OPENBLAS_CORETYPE is removed: it would slow PyTorch down.
"""
import os

os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import copy
import json
import re
import statistics
import subprocess
import tempfile
import time

import torch
from torch import nn

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
torch.set_num_threads(1)


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 400), nn.ReLU(), nn.Linear(400, 200), nn.ReLU(),
                         nn.Linear(200, 100), nn.ReLU(), nn.Linear(100, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(3, 64, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(64, 128, 5),
                         nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(3200, 256), nn.ReLU(),
                         nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))


class Residual(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.inner = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.inner(x)


def unit(inside, out):
    return [nn.Conv2d(inside, out, 3, padding=1), nn.GroupNorm(32, out), nn.ReLU()]


def resnet9():
    return nn.Sequential(
        *unit(3, 64), *unit(64, 128), nn.MaxPool2d(2), Residual(*unit(128, 128), *unit(128, 128)),
        *unit(128, 256), nn.MaxPool2d(2), *unit(256, 512), nn.MaxPool2d(2),
        Residual(*unit(512, 512), *unit(512, 512)), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(512, 10))


def vgg11():
    layers, inside = [], 3
    for out in [64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0]:
        if out == 0:
            layers.append(nn.MaxPool2d(2))
        else:
            layers += [nn.Conv2d(inside, out, 3, padding=1), nn.ReLU()]
            inside = out
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(512, 10))


def softmax():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 10))


OPTIMIZERS = {"sgd": lambda p: torch.optim.SGD(p, lr=1e-3), "adam": lambda p: torch.optim.Adam(p, lr=1e-3)}
NETWORKS = {"mlp": (mlp, (1, 28, 28), 64), "cnn": (cnn, (3, 32, 32), 16),
            "resnet9": (resnet9, (3, 32, 32), 32), "vgg11": (vgg11, (3, 32, 32), 32),
            "softmax": (softmax, (1, 28, 28), 64)}


def step(name, by):
    """Makes steps as a client makes them: gather, forward, backward, step."""
    make, shape, batch = NETWORKS[name]
    x, y = torch.rand(8 * batch, *shape), torch.randint(10, (8 * batch,))
    model = make()
    optimizer, loss = OPTIMIZERS[by](model.parameters()), nn.CrossEntropyLoss()

    def work():
        rows = torch.randperm(8 * batch)[:batch]
        optimizer.zero_grad()
        loss(model(x[rows]), y[rows]).backward()
        optimizer.step()
    return work, batch


def federated(make, loss, by, clients, cohort, batch):
    """Plays rounds of FedAvg; clients hold pairs (x, y)."""
    model = make()

    def work():
        start, total = copy.deepcopy(model.state_dict()), None
        for i in torch.randperm(len(clients))[:cohort].tolist():
            model.load_state_dict(start)
            optimizer = by(model.parameters())
            x, y = clients[i]
            for _ in range(5):
                if batch:
                    rows = torch.randperm(len(x))[:batch]
                    bx, by_ = x[rows], y[rows]
                else:
                    bx, by_ = x, y
                optimizer.zero_grad()
                loss(model(bx), by_).backward()
                optimizer.step()
            if total is None:
                total = {k: v.clone() for k, v in model.state_dict().items()}
            else:
                for k, v in model.state_dict().items():
                    total[k] += v
        model.load_state_dict({k: v / cohort for k, v in total.items()})
    return work, 1


def benchmarks():
    for name in NETWORKS:
        yield f"step/{name}/sgd", lambda name=name: step(name, "sgd")
    yield "step/mlp/adam", lambda: step("mlp", "adam")
    images = [(torch.rand(320, 784), torch.randint(10, (320,))) for _ in range(100)]
    rows = [(torch.randn(100, 20), torch.randn(100, 1)) for _ in range(100)]
    cross = nn.CrossEntropyLoss()
    for name, by in (("fl/mlp/10", "sgd"), ("fl/mlp-adam/10", "adam")):
        yield name, lambda by=by: federated(mlp, cross, OPTIMIZERS[by], images, 10, 64)
    for k in (2, 10, 100):
        yield f"fl/linreg/{k}", lambda k=k: federated(
            lambda: nn.Linear(20, 1, bias=False), nn.MSELoss(), OPTIMIZERS["sgd"], rows, k, 0)


def rate(work, worth, seconds):
    done, start, used = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        work()
        done += 1
    return done * worth / (time.process_time() - used)


def main():
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    flags.add_argument("-run", default="", help="regular expression of the benchmarks to run")
    flags.add_argument("-turns", type=int, default=5, help="how often each side has its turn")
    flags.add_argument("-seconds", type=float, default=0.5, help="length of a turn of PyTorch's")
    o = flags.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = os.path.join(folder, "bench")
        subprocess.run(["go", "build", "-o", bench, "./tools/bench"], cwd=TOP, check=True)
        for name, make in benchmarks():
            if not re.search(o.run, name):
                continue
            work, worth = make()
            work()
            ours, theirs = [], []
            for _ in range(o.turns):
                out = subprocess.run([bench, "-run", f"^{name}$", "-chunks", "3", "-time", "200ms"],
                                     check=True, capture_output=True, text=True).stdout
                ours.append(json.loads(out.splitlines()[0])["cpu_median"])
                theirs.append(rate(work, worth, o.seconds))
            a, b = statistics.median(ours), statistics.median(theirs)
            print(json.dumps({"name": name, "hansa": a, "torch": b, "ratio": a / b}), flush=True)


if __name__ == "__main__":
    main()
