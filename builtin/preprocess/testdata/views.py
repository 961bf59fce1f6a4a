#!/usr/bin/env python3
"""Writes views.json: images brought to the size of a network by PyTorch, which filters as Pillow does.

/usr/bin/python3 views.py > views.json
"""
import json

import torch
from torch.nn import functional as F

torch.manual_seed(30)
cases = []
for mode in ("bilinear", "bicubic"):
    for h, w, short, side in ((12, 9, 8, 8), (5, 6, 16, 14), (7, 7, 7, 7), (31, 24, 9, 6), (6, 11, 10, 7)):
        if mode == "bilinear" and h > short:
            continue  # hansa's has two taps always
        x = torch.rand(3, h, w, dtype=torch.float64)
        size = (int(short * h / min(h, w)), int(short * w / min(h, w)))
        y = F.interpolate(x[None], size, mode=mode, antialias=mode == "bicubic", align_corners=False)[0]
        top, left = (int(round((n - side) / 2.0)) for n in size)
        y = y[:, top:top + side, left:left + side]
        cases.append({"bicubic": mode == "bicubic", "h": h, "w": w, "short": short, "side": side,
                      "x": x.reshape(-1).tolist(), "y": y.permute(1, 2, 0).reshape(-1).tolist()})
print(json.dumps({"torch": torch.__version__, "cases": cases}))
