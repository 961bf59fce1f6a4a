#!/usr/bin/env python3
"""Writes guidance.json: losses and gradients by soft targets and by a penalty on features, by
PyTorch's autograd in float64, of the networks in guidance_torch_test.go.

    python3 guidance.py > guidance.json

Parameters, samples, targets and features to compare with are numbers of one generator, which the
test has too: none of them is in the file. Parameters are in the order of the layout of hansa, with
windows of convolutions in the order row, column, channel; what is flattened is in that order, too.
"""
import json

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
ROWS, CLASSES, TEMPERATURE, WEIGHT, SAMPLED = 6, 4, 2.5, 0.7, 150


class Numbers:
    """Numbers between -1 and 1, by a linear congruence."""

    def __init__(self):
        self.state = 12345

    def take(self, *shape):
        n = 1
        for s in shape:
            n *= s
        out = []
        for _ in range(n):
            self.state = (1103515245 * self.state + 12345) % 2**31
            out.append(self.state / 2**30 - 1)
        return torch.tensor(out).reshape(shape)


class Net:
    """Layers that make their parameters when they run first."""

    def __init__(self, numbers):
        self.numbers, self.params, self.at = numbers, [], 0

    def param(self, scale, offset, *shape):
        if self.at == len(self.params):
            self.params.append((offset + scale * self.numbers.take(*shape)).requires_grad_())
        self.at += 1
        return self.params[self.at - 1]

    def dense(self, x, out):
        w = self.param(x.shape[1] ** -0.5, 0, out, x.shape[1])
        return F.linear(x, w, self.param(0.1, 0, out))

    def conv(self, x, out, k, pad):
        c = x.shape[1]
        w = self.param((k * k * c) ** -0.5, 0, out, k, k, c)
        return F.conv2d(x, w.permute(0, 3, 1, 2), self.param(0.1, 0, out), padding=pad)

    def block(self, x, out):
        x = self.conv(x, out, 3, 1)
        groups = next(g for g in range(min(out, 32), 0, -1) if out % g == 0)
        scale = self.param(0.1, 1, out)
        return F.relu(F.group_norm(x, groups, scale, self.param(0.1, 0, out)))


def flat(x):
    return x.permute(0, 2, 3, 1).reshape(len(x), -1)


def mlp(net, x):
    z = F.relu(net.dense(F.relu(net.dense(x, 9)), 7))
    return z, net.dense(z, CLASSES)


def cnn(net, x):
    x = F.max_pool2d(F.relu(net.conv(x, 2, 5, 0)), 2)
    x = flat(F.max_pool2d(F.relu(net.conv(x, 4, 5, 0)), 2))
    z = F.relu(net.dense(F.relu(net.dense(x, 256)), 128))
    return z, net.dense(z, CLASSES)


def resnet9(net, x):
    def half(x):
        return F.max_pool2d(x, 2)

    def residual(x):
        c = x.shape[1]
        return x + net.block(net.block(x, c), c)

    x = residual(half(net.block(net.block(x, 2), 4)))
    x = residual(half(net.block(half(net.block(x, 8)), 16)))
    z = x.mean((2, 3))
    return z, net.dense(z, CLASSES)


def case(name, forward, *shape):
    numbers = Numbers()
    x = numbers.take(ROWS, *shape)
    y = torch.arange(ROWS) % CLASSES
    teacher = F.softmax(2 * numbers.take(ROWS, CLASSES), 1)
    net = Net(numbers)
    with torch.no_grad():
        features, _ = forward(net, x)
    near = numbers.take(*features.shape)
    found = {}
    for what in ("targets", "penalty"):
        net.at = 0
        z, s = forward(net, x)
        loss = F.cross_entropy(s, y)
        if what == "targets":
            soft = F.kl_div(F.log_softmax(s / TEMPERATURE, 1), teacher, reduction="batchmean")
            loss = (1 - WEIGHT) * loss + WEIGHT * TEMPERATURE**2 * soft
        else:
            loss = loss + ((z - near) ** 2).sum(1).mean() / 2
        grads = torch.autograd.grad(loss, net.params)
        grad = torch.cat([g.reshape(-1) for g in grads])
        step = max(1, len(grad) // SAMPLED)
        found[what] = {"loss": loss.item(), "norm": grad.norm().item(), "step": step,
                       "grad": grad[::step].tolist()}
    return {"name": name, **found}


print(json.dumps({"torch": torch.__version__, "cases": [
    case("mlp", mlp, 12), case("cnn", cnn, 3, 16, 16), case("resnet9", resnet9, 3, 16, 16)]}))
