#!/usr/bin/env python3
"""Writes nn_sequence.json: layers of sequences by PyTorch in float64.

/usr/bin/python3 nn_sequence.py > nn_sequence.json
"""
import json

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(24)
torch.set_default_dtype(torch.float64)


def r(*shape):
    return (torch.randn(*shape) / 2).requires_grad_()


def values(t):
    return [float(f"{v:.9g}") for v in t.detach().reshape(-1).tolist()]


def case(name, inputs, params, y, x=None):
    up = torch.randn_like(y)
    wanted = list(params) + ([x] if x is not None else [])
    grads = torch.autograd.grad((y * up).sum(), wanted)
    out = {"name": name, "inputs": {**inputs, "upstream": values(up)}, "expected": {
        "y": values(y), "grads": [values(g) for g in grads[:len(params)]]}}
    out["inputs"]["params"] = [values(p) for p in params]
    if x is not None:
        out["inputs"]["x"] = values(x)
        out["expected"]["grad_x"] = values(grads[-1])
    return out


cases = []

# Two layers of LSTM, whose second bias is zero.
x, h = r(2, 6, 3), 4
lstm = nn.LSTM(3, h, 2, batch_first=True)
for layer in range(2):
    getattr(lstm, f"bias_hh_l{layer}").data.zero_()
kept = [getattr(lstm, f"{n}_l{layer}") for layer in range(2) for n in ("weight_ih", "weight_hh", "bias_ih")]
cases.append(case("lstm", {}, kept, lstm(x)[0], x))

for name, f in (("tanh", torch.tanh), ("sigmoid", torch.sigmoid), ("gelu", F.gelu)):
    x = (4 * torch.randn(2, 5, 3)).requires_grad_()
    cases.append(case(name, {}, [], f(x), x))

x, scale, offset = r(2, 5, 6), r(6), r(6)
cases.append(case("layer_norm", {}, [scale, offset], F.layer_norm(x, (6,), scale, offset), x))

# Causal attention of two heads, queries, keys and values side by side.
x = (2 * torch.randn(2, 70, 12)).requires_grad_()
q, k, v = (part.reshape(2, 70, 2, 2).transpose(1, 2) for part in x.split(4, dim=2))
scores = q @ k.transpose(2, 3) / 2 ** 0.5
mask = torch.ones(70, 70).tril().bool()
y = (scores.masked_fill(~mask, float("-inf")).softmax(-1) @ v).transpose(1, 2).reshape(2, 70, 4)
cases.append(case("attention", {}, [], y, x))

# Tokens, positions, a block before norms, and scores by the weight of the embedding.
tokens = torch.randint(7, (3, 5))
y_all = torch.randint(7, (3, 5))
e, pos = r(7, 4), r(5, 4)
g1, o1, wq, bq, wo, bo = r(4), r(4), r(12, 4), r(12), r(4, 4), r(4)
g2, o2, w1, b1, w2, b2, g3, o3 = r(4), r(4), r(16, 4), r(16), r(4, 16), r(4), r(4), r(4)
x = F.embedding(tokens, e) + pos
a = F.linear(F.layer_norm(x, (4,), g1, o1), wq, bq)
q, k, v = (part.reshape(3, 5, 2, 2).transpose(1, 2) for part in a.split(4, dim=2))
mask = torch.ones(5, 5).tril().bool()
a = ((q @ k.transpose(2, 3) / 2 ** 0.5).masked_fill(~mask, float("-inf")).softmax(-1) @ v)
x = x + F.linear(a.transpose(1, 2).reshape(3, 5, 4), wo, bo)
x = x + F.linear(F.gelu(F.linear(F.layer_norm(x, (4,), g2, o2), w1, b1)), w2, b2)
scores = F.linear(F.layer_norm(x, (4,), g3, o3), e)
params = [e, pos, g1, o1, wq, bq, wo, bo, g2, o2, w1, b1, w2, b2, g3, o3]
loss = F.cross_entropy(scores.reshape(15, 7), y_all.reshape(15))
grads = torch.autograd.grad(loss, params)
cases.append({"name": "decoder", "inputs": {
    "tokens": tokens.reshape(-1).tolist(), "y": y_all.reshape(-1).tolist(),
    "params": [values(p) for p in params]},
    "expected": {"y": values(scores), "loss": loss.item(), "grads": [values(g) for g in grads]}})

# Two layers of GRU, whose second biases of the gates are zero.
x, h = r(2, 6, 3), 4
gru, kept = nn.GRU(3, h, 2, batch_first=True), []
for layer in range(2):
    w, u, b, inner = (getattr(gru, f"{n}_l{layer}") for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
    inner.data[:2 * h] = 0
    kept += [w, u, b, inner]
cases.append(case("gru", {}, kept, gru(x)[0], x))
for what in ("params", "grads"):
    lists = cases[-1]["inputs" if what == "params" else "expected"][what]
    for layer in range(2):
        lists[4 * layer + 3] = lists[4 * layer + 3][2 * h:]

# Attention of two heads to all positions.
x = (2 * torch.randn(2, 66, 12)).requires_grad_()
q, k, v = (part.reshape(2, 66, 2, 2).transpose(1, 2) for part in x.split(4, dim=2))
y = ((q @ k.transpose(2, 3) / 2 ** 0.5).softmax(-1) @ v).transpose(1, 2).reshape(2, 66, 4)
cases.append(case("self", {}, [], y, x))

x = (4 * torch.randn(2, 5, 3)).requires_grad_()
cases.append(case("quick-gelu", {}, [], x * torch.sigmoid(1.702 * x), x))
print(json.dumps({"torch": torch.__version__, "cases": cases}))
