#!/usr/bin/env python3
"""Writes clip.json: a small encoder of images of CLIP by PyTorch in float64, under two namings.

/usr/bin/python3 clip.py > clip.json
"""
import json

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(29)
torch.set_default_dtype(torch.float64)
ROWS, SIDE, PATCH, WIDTH, HEADS, DEPTH, FEATURES = 3, 8, 4, 6, 2, 2, 5


def values(t):
    return [float(f"{v:.9g}") for v in t.detach().reshape(-1).tolist()]


def quick(x):
    return x * torch.sigmoid(1.702 * x)


def r(*shape):
    return torch.randn(*shape) / 2


def norm():
    return 1 + r(WIDTH), r(WIDTH)


conv, token, positions, proj = r(WIDTH, 3, PATCH, PATCH), r(WIDTH), r(5, WIDTH), r(WIDTH, FEATURES)
pre, post = norm(), norm()
blocks = [{"n1": norm(), "n2": norm(), "q": r(WIDTH, WIDTH), "k": r(WIDTH, WIDTH), "v": r(WIDTH, WIDTH),
           "bq": r(WIDTH), "bk": r(WIDTH), "bv": r(WIDTH), "o": r(WIDTH, WIDTH), "bo": r(WIDTH),
           "w1": r(4 * WIDTH, WIDTH), "b1": r(4 * WIDTH), "w2": r(WIDTH, 4 * WIDTH), "b2": r(WIDTH)}
          for _ in range(DEPTH)]


def encode(x, gelu):
    h = F.conv2d(x, conv, stride=PATCH).flatten(2).transpose(1, 2)
    h = torch.cat([token.expand(len(x), 1, WIDTH), h], 1) + positions
    h = F.layer_norm(h, (WIDTH,), *pre).transpose(0, 1)
    for b in blocks:
        a = F.layer_norm(h, (WIDTH,), *b["n1"])
        a, _ = F.multi_head_attention_forward(
            a, a, a, WIDTH, HEADS, torch.cat([b["q"], b["k"], b["v"]]),
            torch.cat([b["bq"], b["bk"], b["bv"]]), None, None, False, 0.0, b["o"], b["bo"], training=False)
        h = h + a
        m = F.linear(F.layer_norm(h, (WIDTH,), *b["n2"]), b["w1"], b["b1"])
        h = h + F.linear(gelu(m), b["w2"], b["b2"])
    return F.layer_norm(h[0], (WIDTH,), *post) @ proj


openai = {"visual.conv1.weight": conv, "visual.class_embedding": token,
          "visual.positional_embedding": positions, "visual.proj": proj, "logit_scale": r(1)}
face = {"vision_model.embeddings.class_embedding": token,
        "vision_model.embeddings.patch_embedding.weight": conv,
        "vision_model.embeddings.position_embedding.weight": positions,
        "vision_model.embeddings.position_ids": torch.arange(5.0),
        "visual_projection.weight": proj.T, "text_projection.weight": r(2, 2)}
for part, k in (("weight", 0), ("bias", 1)):
    openai[f"visual.ln_pre.{part}"], openai[f"visual.ln_post.{part}"] = pre[k], post[k]
    face[f"vision_model.pre_layrnorm.{part}"] = pre[k]
    face[f"vision_model.post_layernorm.{part}"] = post[k]
    for i, b in enumerate(blocks):
        o, f = f"visual.transformer.resblocks.{i}.", f"vision_model.encoder.layers.{i}."
        openai[f"{o}ln_1.{part}"] = face[f"{f}layer_norm1.{part}"] = b["n1"][k]
        openai[f"{o}ln_2.{part}"] = face[f"{f}layer_norm2.{part}"] = b["n2"][k]
        q, key, v = (b[n] for n in (("q", "k", "v") if k == 0 else ("bq", "bk", "bv")))
        openai[f"{o}attn.in_proj_{part}"] = torch.cat([q, key, v])
        for name, t in (("q", q), ("k", key), ("v", v)):
            face[f"{f}self_attn.{name}_proj.{part}"] = t
        out, w1, w2 = (b[n] for n in (("o", "w1", "w2") if k == 0 else ("bo", "b1", "b2")))
        openai[f"{o}attn.out_proj.{part}"] = face[f"{f}self_attn.out_proj.{part}"] = out
        openai[f"{o}mlp.c_fc.{part}"] = face[f"{f}mlp.fc1.{part}"] = w1
        openai[f"{o}mlp.c_proj.{part}"] = face[f"{f}mlp.fc2.{part}"] = w2

x = torch.rand(ROWS, 3, SIDE, SIDE).float().double()


def tensors(named):
    return [{"name": n, "shape": list(t.shape), "data": values(t.contiguous())} for n, t in named.items()]


print(json.dumps({"torch": torch.__version__, "x": values(x.permute(0, 2, 3, 1).contiguous()),
                  "files": {"openai": tensors(openai), "hugging face": tensors(face)},
                  "features": {"vit-b32-clip": values(encode(x, quick)),
                               "vit-b32-openclip": values(encode(x, F.gelu))}}))
