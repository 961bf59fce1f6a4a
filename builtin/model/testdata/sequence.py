#!/usr/bin/env python3
"""Writes sequence.json: an LSTM and a transformer by PyTorch in float64.

/usr/bin/python3 sequence.py > sequence.json
"""
import json

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(25)
torch.set_default_dtype(torch.float64)
TOKENS, LENGTH, ROWS = 5, 6, 4


def values(t):
    return [float(f"{v:.9g}") for v in t.detach().reshape(-1).tolist()]


def case(name, params, scores, y):
    loss = F.cross_entropy(scores.reshape(-1, TOKENS), y.reshape(-1))
    grads = torch.autograd.grad(loss, params, retain_graph=True)
    return {"name": name, "tokens": x.reshape(-1).tolist(), "y": y.reshape(-1).tolist(),
            "params": [v for p in params for v in values(p)], "loss": loss.item(),
            "grads": [v for g in grads for v in values(g)], "scores": values(scores)}


x = torch.randint(TOKENS, (ROWS, LENGTH))
y = torch.randint(TOKENS, (ROWS, LENGTH))

embedding, lstm, head = nn.Embedding(TOKENS, 3), nn.LSTM(3, 4, 2, batch_first=True), nn.Linear(4, TOKENS)
for layer in range(2):
    getattr(lstm, f"bias_hh_l{layer}").data.zero_()
params = [embedding.weight] + [getattr(lstm, f"{n}_l{layer}") for layer in range(2)
                               for n in ("weight_ih", "weight_hh", "bias_ih")] + [head.weight, head.bias]
out = lstm(embedding(x))[0]
cases = [case("lstm every", params, head(out), y), case("lstm last", params, head(out[:, -1]), y[:, -1])]

# PyTorch's own encoder layer, with norms first and a mask, is a block of the decoder.
width, heads = 4, 2
embedding, positions = nn.Embedding(TOKENS, width), nn.Parameter(torch.randn(LENGTH, width) / 2)
blocks = [nn.TransformerEncoderLayer(width, heads, 4 * width, 0.0, F.gelu, batch_first=True, norm_first=True)
          for _ in range(2)]
norm = nn.LayerNorm(width)
h, params = embedding(x) + positions, [embedding.weight, positions]
for b in blocks:
    for p in (b.norm1.weight, b.norm1.bias, b.norm2.weight, b.norm2.bias):
        p.data += torch.randn_like(p) / 4
    h = b(h, src_mask=torch.triu(torch.full((LENGTH, LENGTH), float("-inf")), 1))
    a = b.self_attn
    params += [b.norm1.weight, b.norm1.bias, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight,
               a.out_proj.bias, b.norm2.weight, b.norm2.bias, b.linear1.weight, b.linear1.bias,
               b.linear2.weight, b.linear2.bias]
params += [norm.weight, norm.bias]
cases.append(case("transformer", params, norm(h) @ embedding.weight.T, y))

# PyTorch's GRU; second biases of gates are zero.
embedding, gru, head = nn.Embedding(TOKENS, 3), nn.GRU(3, 4, 2, batch_first=True), nn.Linear(4, TOKENS)
params, cut = [embedding.weight], []
for layer in range(2):
    params += [getattr(gru, f"{n}_l{layer}") for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]
    params[-1].data[:8] = 0
    cut.append(sum(p.numel() for p in params) - 12)
params += [head.weight, head.bias]
out = gru(embedding(x))[0]
for name, scores, own in (("gru every", head(out), y), ("gru last", head(out[:, -1]), y[:, -1])):
    c = case(name, params, scores, own)
    for key in ("params", "grads"):
        c[key] = [v for i, v in enumerate(c[key]) if not any(at <= i < at + 8 for at in cut)]
    cases.append(c)
print(json.dumps({"torch": torch.__version__, "cases": cases}))
