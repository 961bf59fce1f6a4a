#!/usr/bin/env python3
"""Training beside PyTorch: python3 tools/bench/beside/training.py [-run RE] [-turns N]

Steps and rounds of `bench -run '^step/|^fl/'` and the same written as PyTorch users write
them (nn.Module, torch.optim, state_dict; eager, one thread), in turns. One JSON line each:
the medians of the rates by processor time, and their ratio. Needs go and torch (Debian:
python3-torch). OPENBLAS_CORETYPE is removed: it would slow PyTorch down. But OpenBLAS takes kernels
of 2004 on processors that are newer than it is; where these have AVX-512, it is told so.
With HANSA_ISA=avx2 in the environment both sides do without AVX-512.
"""
import os

os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("OPENBLAS_L2_SIZE", None)
with open("/proc/cpuinfo") as cpu:
    if os.environ.get("HANSA_ISA") == "avx2":
        os.environ["OPENBLAS_CORETYPE"] = "Haswell"
        os.environ["ATEN_CPU_CAPABILITY"] = "avx2"
        os.environ["DNNL_MAX_CPU_ISA"] = os.environ["ONEDNN_MAX_CPU_ISA"] = "AVX2"
    elif "GenuineIntel" in (text := cpu.read()) and "avx512f" in text:
        os.environ["OPENBLAS_CORETYPE"] = "SkylakeX"
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


class Basic(nn.Module):
    """The block of ResNet-18, with group norms."""

    def __init__(self, inside, out, stride):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(inside, out, 3, stride, 1, bias=False), nn.GroupNorm(32, out), nn.ReLU(),
            nn.Conv2d(out, out, 3, 1, 1, bias=False), nn.GroupNorm(32, out))
        self.shortcut = nn.Identity() if stride == 1 else nn.Sequential(
            nn.Conv2d(inside, out, 1, stride, bias=False), nn.GroupNorm(32, out))

    def forward(self, x):
        return torch.relu(self.main(x) + self.shortcut(x))


def resnet18():
    blocks, inside = [], 64
    for k in range(4):
        for i in range(2):
            blocks.append(Basic(inside, 64 << k, 2 if k > 0 and i == 0 else 1))
            inside = 64 << k
    return nn.Sequential(nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.GroupNorm(32, 64), nn.ReLU(),
                         *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10))


def mcmahan():
    return nn.Sequential(
        nn.Conv2d(1, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 5, padding=2),
        nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(3136, 512), nn.ReLU(), nn.Linear(512, 10))


class Fire(nn.Module):
    def __init__(self, inside, squeeze, expand):
        super().__init__()
        self.squeeze = nn.Conv2d(inside, squeeze, 1)
        self.expand1, self.expand3 = nn.Conv2d(squeeze, expand, 1), nn.Conv2d(squeeze, expand, 3, padding=1)

    def forward(self, x):
        x = torch.relu(self.squeeze(x))
        return torch.cat([torch.relu(self.expand1(x)), torch.relu(self.expand3(x))], 1)


def squeezenet():
    """SqueezeNet 1.0 before its scores."""
    half = nn.MaxPool2d(3, 2, ceil_mode=True)
    return nn.Sequential(
        nn.Conv2d(3, 96, 7, 2), nn.ReLU(), half, Fire(96, 16, 64), Fire(128, 16, 64), Fire(128, 32, 128),
        half, Fire(256, 32, 128), Fire(256, 48, 192), Fire(384, 48, 192), Fire(384, 64, 256), half,
        Fire(512, 64, 256), nn.AdaptiveAvgPool2d(1), nn.Flatten())


def encode(side, batch):
    """Features of images of 32x32 pixels, as a user would compute them."""
    model, x = squeezenet().eval(), torch.rand(batch, 3, side, side)
    mean = torch.tensor([104.0, 117.0, 123.0]).reshape(1, 3, 1, 1)

    def work():
        with torch.no_grad():
            big = nn.functional.interpolate(x, size=227, mode="bilinear", align_corners=False)
            model(255 * big[:, [2, 1, 0]] - mean)
    return work, batch


class CLIP(nn.Module):
    """The encoder of images of CLIP, ViT-B/32."""
    def __init__(self):
        super().__init__()
        self.patches, self.proj = nn.Conv2d(3, 768, 32, 32, bias=False), nn.Linear(768, 512, bias=False)
        self.token, self.positions = torch.randn(1, 1, 768) / 50, torch.randn(50, 768) / 50
        self.pre, self.post = nn.LayerNorm(768), nn.LayerNorm(768)
        self.blocks = nn.ModuleList(
            nn.ModuleList([nn.LayerNorm(768), nn.MultiheadAttention(768, 12, batch_first=True),
                           nn.LayerNorm(768), nn.Linear(768, 3072), nn.Linear(3072, 768)])
            for _ in range(12))

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = self.pre(torch.cat([self.token.expand(len(x), 1, 768), x], 1) + self.positions)
        for first, attention, second, wide, narrow in self.blocks:
            a = first(x)
            x = x + attention(a, a, a, need_weights=False)[0]
            m = wide(second(x))
            x = x + narrow(m * torch.sigmoid(1.702 * m))
        return self.proj(self.post(x[:, 0]))


def encode_clip(side, batch):
    """Features of images of 32x32 pixels, as a user would compute them."""
    model, x = CLIP().eval(), torch.rand(batch, 3, side, side)
    mean, root = (torch.tensor(v).reshape(1, 3, 1, 1) for v in (
        [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]))

    def work():
        with torch.no_grad():
            big = nn.functional.interpolate(x, size=224, mode="bicubic", align_corners=False)
            model((big - mean) / root)
    return work, batch


def softmax():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 10))


class LSTM(nn.Module):
    """That of LEAF and of McMahan et al., with the next of 80 characters at every position."""
    def __init__(self, units=256, layers=2):
        super().__init__()
        self.embedding, self.head = nn.Embedding(80, 8), nn.Linear(units, 80)
        self.lstm = nn.LSTM(8, units, layers, batch_first=True)

    def forward(self, x):
        return self.head(self.lstm(self.embedding(x))[0]).transpose(1, 2)


class GRU(nn.Module):
    """LSTM with gated recurrent units."""
    def __init__(self):
        super().__init__()
        self.embedding, self.head = nn.Embedding(80, 8), nn.Linear(256, 80)
        self.gru = nn.GRU(8, 256, 2, batch_first=True)

    def forward(self, x):
        return self.head(self.gru(self.embedding(x))[0]).transpose(1, 2)


class Block(nn.Module):
    causal = True

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.norm1, self.norm2 = heads, nn.LayerNorm(width), nn.LayerNorm(width)
        self.take, self.give = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.register_buffer("later", torch.ones(128, 128).triu(1).bool())

    def forward(self, x):
        n, length, width = x.shape
        q, k, v = (part.reshape(n, length, self.heads, -1).transpose(1, 2)
                   for part in self.take(self.norm1(x)).split(width, dim=2))
        scores = (q @ k.transpose(2, 3)) * (width // self.heads) ** -0.5
        if self.causal:
            scores = scores.masked_fill(self.later, float("-inf"))
        a = scores.softmax(-1) @ v
        x = x + self.give(a.transpose(1, 2).reshape(n, length, width))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    """A decoder of 4 blocks, 128 wide, with a context of 128 and tied weights."""
    def __init__(self):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(80, 128), nn.Parameter(torch.randn(128, 128) / 50)
        self.blocks, self.norm = nn.Sequential(*(Block(128, 4) for _ in range(4))), nn.LayerNorm(128)

    def forward(self, x):
        x = self.norm(self.blocks(self.embedding(x) + self.positions))
        return (x @ self.embedding.weight.T).transpose(1, 2)


class Encoder(Block):
    causal = False


class ViT(nn.Module):
    """Of the size of DeiT-Ti, on patches of 4x4."""
    def __init__(self):
        super().__init__()
        self.proj, self.token = nn.Conv2d(3, 192, 4, 4), nn.Parameter(torch.randn(1, 1, 192) / 50)
        self.positions, self.norm = nn.Parameter(torch.randn(65, 192) / 50), nn.LayerNorm(192)
        self.blocks, self.head = nn.Sequential(*(Encoder(192, 3) for _ in range(12))), nn.Linear(192, 10)

    def forward(self, x):
        x = self.proj(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(len(x), -1, -1), x], 1) + self.positions
        return self.head(self.norm(self.blocks(x)[:, 0]))


def rectified(inside, out, k, stride=1, groups=1):
    return nn.Sequential(nn.Conv2d(inside, out, k, stride, k // 2, groups=groups, bias=False),
                         nn.GroupNorm(next(g for g in range(32, 0, -1) if out % g == 0), out), nn.ReLU6())


class Inverted(nn.Module):
    """The block of MobileNetV2, with group norms."""
    def __init__(self, inside, times, out, stride):
        super().__init__()
        wide = times * inside
        self.conv = nn.Sequential(*([rectified(inside, wide, 1)] if times > 1 else []),
                                  rectified(wide, wide, 3, stride, wide), *rectified(wide, out, 1)[:2])
        self.same = inside == out and stride == 1

    def forward(self, x):
        return x + self.conv(x) if self.same else self.conv(x)


def mobilenet():
    """MobileNetV2 for images of 32x32."""
    layers, inside = [rectified(3, 32, 3)], 32
    for times, out, count, stride in [(1, 16, 1, 1), (6, 24, 2, 1), (6, 32, 3, 2), (6, 64, 4, 2),
                                      (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for k in range(count):
            layers.append(Inverted(inside, times, out, stride if k == 0 else 1))
            inside = out
    return nn.Sequential(*layers, rectified(320, 1280, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(1280, 10))


OPTIMIZERS = {"sgd": lambda p: torch.optim.SGD(p, lr=1e-3), "adam": lambda p: torch.optim.Adam(p, lr=1e-3)}
NETWORKS = {"mlp": (mlp, (1, 28, 28), 64), "cnn": (cnn, (3, 32, 32), 16),
            "resnet9": (resnet9, (3, 32, 32), 32), "vgg11": (vgg11, (3, 32, 32), 32),
             "softmax": (softmax, (1, 28, 28), 64), "lstm": (LSTM, 80, 32),
             "lstm-32": (lambda: LSTM(32, 1), 40, 16),
             "transformer": (Transformer, 128, 16), "resnet18": (resnet18, (3, 32, 32), 32),
             "mcmahan-cnn": (mcmahan, (1, 28, 28), 32), "vit": (ViT, (3, 32, 32), 32),
             "gru": (GRU, 80, 32), "mobilenet-v2": (mobilenet, (3, 32, 32), 32)}


def step(name, by):
    """Makes steps as a client makes them: gather, forward, backward, step."""
    make, shape, batch = NETWORKS[name]
    if isinstance(shape, int):  # a text
        x, y = torch.randint(80, (8 * batch, shape)), torch.randint(80, (8 * batch, shape))
    else:
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
    yield "step/encode/squeezenet1_0", lambda: encode(32, 16)
    yield "step/encode/vit-b32-clip", lambda: encode_clip(32, 16)
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
                chunk = f"{400 * o.seconds:.0f}ms"  # with three of them, little more than a turn of PyTorch's
                out = subprocess.run([bench, "-run", f"^{name}$", "-chunks", "3", "-time", chunk],
                                     check=True, capture_output=True, text=True).stdout
                ours.append(json.loads(out.splitlines()[0])["cpu_median"])
                theirs.append(rate(work, worth, o.seconds))
            a, b = statistics.median(ours), statistics.median(theirs)
            print(json.dumps({"name": name, "hansa": a, "torch": b, "ratio": a / b}), flush=True)


if __name__ == "__main__":
    main()
