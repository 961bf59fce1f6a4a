#!/usr/bin/env python3
"""Writes vit.json: vision transformers by PyTorch in float64.

/usr/bin/python3 vit.py > vit.json
"""
import json

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(26)
torch.set_default_dtype(torch.float64)
ROWS, CLASSES, PATCH, WIDTH, HEADS = 3, 4, 4, 6, 2


def values(t):
    return [float(f"{v:.9g}") for v in t.detach().reshape(-1).tolist()]


def case(pool):
    proj, head = nn.Conv2d(2, WIDTH, PATCH, PATCH), nn.Linear(WIDTH, CLASSES)
    count = 6 if pool == "mean" else 7
    token, positions = nn.Parameter(torch.randn(1, 1, WIDTH)), nn.Parameter(torch.randn(1, count, WIDTH))
    blocks = [nn.TransformerEncoderLayer(WIDTH, HEADS, 3 * WIDTH, 0.0, F.gelu, batch_first=True,
                                         norm_first=True) for _ in range(2)]
    norm = nn.LayerNorm(WIDTH)
    x, y = torch.rand(ROWS, 2, 8, 12).float().double(), torch.randint(CLASSES, (ROWS,))
    h, params = proj(x).flatten(2).transpose(1, 2), [proj.weight, proj.bias]
    if pool == "token":
        h = torch.cat([token.expand(ROWS, -1, -1), h], 1)
        params.append(token)
    h = h + positions
    params.append(positions)
    for b in blocks:
        for p in (b.norm1.weight, b.norm1.bias, b.norm2.weight, b.norm2.bias):
            p.data += torch.randn_like(p) / 4
        h = b(h)
        a = b.self_attn
        params += [b.norm1.weight, b.norm1.bias, a.in_proj_weight, a.in_proj_bias, a.out_proj.weight,
                   a.out_proj.bias, b.norm2.weight, b.norm2.bias, b.linear1.weight, b.linear1.bias,
                   b.linear2.weight, b.linear2.bias]
    params += [norm.weight, norm.bias, head.weight, head.bias]
    h = norm(h)
    scores = head(h[:, 0] if pool == "token" else h.mean(1))
    loss = F.cross_entropy(scores, y)
    grads = torch.autograd.grad(loss, params)

    def flat(tensors):
        # Weights of a convolution are in the order out, row, column, in.
        return [v for t in tensors for v in values(t.permute(0, 2, 3, 1) if t.dim() == 4 else t)]
    return {"name": pool, "x": values(x), "y": y.tolist(), "params": flat(params), "grads": flat(grads),
            "loss": loss.item(), "scores": values(scores)}


print(json.dumps({"torch": torch.__version__, "cases": [case("token"), case("mean")]}))
