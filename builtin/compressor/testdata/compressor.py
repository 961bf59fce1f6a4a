"""Golden vectors of compressors, from their formulas alone. Run: python3 compressor.py > compressor.json

Five updates of one client, of a 4x5 weight and a bias of 4. Draws are whole numbers below 2^53, of
which the draw in [0, 1) is one in 2^53; indices of random-k are given. Every case has what arrives
and the number of bits, counted by hand. Feedback is that of top-k with k = 3, and of sign.
"""
import json
import math

import numpy as np

rng = np.random.default_rng(23)
T, ROWS, COLS = 5, 4, 5
N = ROWS * COLS + ROWS
f32 = lambda x: np.asarray(x, np.float64).astype(np.float32).astype(np.float64)
INDEX = math.ceil(math.log2(N))


def ceil32(x):
    y = np.float32(x)
    return float(y if float(y) >= x else np.nextafter(y, np.float32(np.inf)))


def top_k(x, k):
    kept = np.argsort(-np.abs(x), kind="stable")[:k]
    out = np.zeros_like(x)
    out[kept] = f32(x[kept])
    return out, k * (INDEX + 32)


def random_k(x, kept, unbiased):
    out = np.zeros_like(x)
    out[kept] = f32(x[kept]) * (N / len(kept) if unbiased else 1)
    return out, 32 * len(kept)


def sign(x):
    return float(f32(np.abs(x).sum() / N)) * np.where(x < 0, -1.0, 1.0), N + 32


def qsgd(x, s, bucket, draws):
    out, bits = np.zeros_like(x), 0
    for lo in range(0, N, bucket):
        part, u = x[lo:lo + bucket], draws[lo:lo + bucket] / 2.0 ** 53
        norm = ceil32(np.linalg.norm(part))
        r = np.abs(part) / norm * s
        level = np.floor(r) + (u < r - np.floor(r))
        out[lo:lo + bucket] = np.sign(part) * level * norm / s
        bits += 32 + len(part) * (1 + math.ceil(math.log2(s + 1)))
    return out, bits


def terngrad(x, draws):
    out, bits = np.zeros_like(x), 0
    for lo, hi in ((0, ROWS * COLS), (ROWS * COLS, N)):
        part, u = x[lo:hi], draws[lo:hi] / 2.0 ** 53
        most = ceil32(np.abs(part).max())
        out[lo:hi] = most * np.sign(part) * (u < np.abs(part) / most)
        bits += 32 + 2 * len(part)
    return out, bits


def int8(x, block, draws):
    out, bits = np.zeros_like(x), 0
    for lo in range(0, N, block):
        part = x[lo:lo + block]
        unit = ceil32(np.abs(part).max() / 127)
        r = part / unit
        if draws is None:
            level = np.rint(r)
        else:
            level = np.floor(r) + (draws[lo:lo + block] / 2.0 ** 53 < r - np.floor(r))
        out[lo:lo + block] = level * unit
        bits += 32 + 8 * len(part)
    return out, bits


def float16(x):
    return x.astype(np.float16).astype(np.float64), 16 * N


def bfloat16(x):
    m, e = np.frexp(x)
    return np.ldexp(np.rint(m * 256), e - 8), 16 * N


names = ["top-k", "random-k", "random-k biased", "sign", "qsgd", "qsgd bucket", "terngrad", "int8",
         "int8 stochastic", "float16", "bfloat16", "ef top-k", "ef21 top-k", "ef sign"]
cases = {name: [] for name in names}
updates, draws, kept = [], [], []
e_top, g_top, e_sign = np.zeros(N), np.zeros(N), np.zeros(N)
for t in range(T):
    x = rng.normal(0, 1, N) * np.exp(rng.normal(0, 1, N))
    u = rng.integers(0, 2 ** 53, N)
    k = np.sort(rng.permutation(N)[:6])
    updates.append(x.tolist())
    draws.append([int(v) for v in u])
    kept.append([int(v) for v in k])
    add = lambda name, r: cases[name].append({"out": r[0].tolist(), "bits": int(r[1])})
    add("top-k", top_k(x, 3))
    add("random-k", random_k(x, k, True))
    add("random-k biased", random_k(x, k, False))
    add("sign", sign(x))
    add("qsgd", qsgd(x, 4, N, u))
    add("qsgd bucket", qsgd(x, 7, 10, u))
    add("terngrad", terngrad(x, u))
    add("int8", int8(x, 16, None))
    add("int8 stochastic", int8(x, 16, u))
    add("float16", float16(x))
    add("bfloat16", bfloat16(x))
    v = x + e_top
    c = top_k(v, 3)
    e_top = v - c[0]
    add("ef top-k", c)
    c = top_k(x - g_top, 3)
    g_top = g_top + c[0]
    add("ef21 top-k", (g_top, c[1]))
    v = x + e_sign
    c = sign(v)
    e_sign = v - c[0]
    add("ef sign", c)
print(json.dumps({"rows": ROWS, "cols": COLS, "updates": updates, "draws": draws, "kept": kept,
                  "cases": cases}, indent=1))
