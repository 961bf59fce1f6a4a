#!/usr/bin/env python3
"""Loads a ResNet-18 that hansa exported into PyTorch's, and prints what it makes of samples.

    python3 load.py NETWORKS GROUPS|batch MODEL.safetensors SAMPLES.safetensors

NETWORKS is the folder of residual.py, which has the network. The ten lines are load's.
"""
import json
import struct
import sys

import numpy as np
import torch


def load(path):
    """The tensors of a safetensors file."""
    with open(path, "rb") as f:
        header = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
        data = f.read()
    header.pop("__metadata__", None)
    return {name: torch.from_numpy(np.frombuffer(
        data[t["data_offsets"][0]:t["data_offsets"][1]], "<f4").reshape(t["shape"]).copy())
        for name, t in header.items()}


sys.path.insert(0, sys.argv[1])
import residual  # noqa: E402

torch.set_default_dtype(torch.float32)
state, x = load(sys.argv[3]), load(sys.argv[4])["x"]
kind = "batch" if sys.argv[2] == "batch" else int(sys.argv[2])
net = residual.ResNet(64, kind, [2, 2, 2, 2], channels=x.shape[1], classes=len(state["fc.bias"]))
missing, unexpected = net.load_state_dict(state, strict=False)
assert not unexpected and all(n.endswith("num_batches_tracked") for n in missing), (missing, unexpected)
print(json.dumps(net.eval()(x).reshape(-1).tolist()))
