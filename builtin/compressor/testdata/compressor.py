"""Golden vectors of compressors, from their formulas alone. Run: python3 compressor.py > compressor.json

Five updates of one client, of a 4x5 weight and a bias of 4. A seed of 64 bits gives
draws of 32 bits by SplitMix64: pair lo + j // 2 of number j of a part that begins at lo. Indices of
random-k are given, and the first Q of PowerSGD. Every case has what arrives
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


def uniform(seed, lo, n):
    """n draws in [0, 1) of the part that begins at lo."""
    mask, out = 2 ** 64 - 1, []
    for j in range(n):
        z = (seed + (lo + j // 2 + 1) * 0x9E3779B97F4A7C15) & mask
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        z ^= z >> 31
        out.append((z >> 32 * (j % 2) & 0xFFFFFFFF) / 2.0 ** 32)
    return np.array(out)


def qsgd(x, s, bucket, seed):
    out, bits = np.zeros_like(x), 0
    for lo in range(0, N, bucket):
        part = x[lo:lo + bucket]
        norm = ceil32(np.linalg.norm(part))
        level = np.floor(np.abs(part) / norm * s + uniform(seed, lo, len(part)))
        out[lo:lo + bucket] = np.sign(part) * level * norm / s
        bits += 32 + len(part) * (1 + math.ceil(math.log2(s + 1)))
    return out, bits


def terngrad(x, seed):
    out, bits = np.zeros_like(x), 0
    for lo, hi in ((0, ROWS * COLS), (ROWS * COLS, N)):
        part = x[lo:hi]
        most = ceil32(np.abs(part).max())
        out[lo:hi] = most * np.sign(part) * np.floor(np.abs(part) / most + uniform(seed, lo, hi - lo))
        bits += 32 + 2 * len(part)
    return out, bits


def int8(x, block, seed):
    out, bits = np.zeros_like(x), 0
    for lo in range(0, N, block):
        part = x[lo:lo + block]
        unit = ceil32(np.abs(part).max() / 127)
        if seed is None:
            level = np.rint(part / unit)
        else:
            level = np.sign(part) * np.floor(np.abs(part) / unit + uniform(seed, lo, len(part)))
        out[lo:lo + block] = level * unit
        bits += 32 + 8 * len(part)
    return out, bits


def float16(x):
    return x.astype(np.float16).astype(np.float64), 16 * N


def bfloat16(x):
    m, e = np.frexp(x)
    return np.ldexp(np.rint(m * 256), e - 8), 16 * N


def power_sgd(x, q):
    """One power iteration from q on the weight; the bias in full."""
    m = x[:ROWS * COLS].reshape(ROWS, COLS)
    p = m @ q
    for a in range(p.shape[1]):
        for b in range(a):
            p[:, a] -= p[:, b] * (p[:, b] @ p[:, a])
        p[:, a] /= np.linalg.norm(p[:, a])
    p = f32(p)
    q = f32(m.T @ p)
    out = np.concatenate([(p @ q.T).ravel(), f32(x[ROWS * COLS:])])
    return (out, 32 * (q.size + p.size + ROWS)), q


names = ["power-sgd", "top-k", "random-k", "random-k biased", "sign", "qsgd", "qsgd bucket", "terngrad", "int8",
         "int8 stochastic", "float16", "bfloat16", "ef top-k", "ef21 top-k", "ef sign"]
cases = {name: [] for name in names}
updates, draws, kept = [], [], []
e_top, g_top, e_sign = np.zeros(N), np.zeros(N), np.zeros(N)
q = first = rng.normal(0, 1, (COLS, 2))
for t in range(T):
    x = rng.normal(0, 1, N) * np.exp(rng.normal(0, 1, N))
    u = int(rng.integers(0, 2 ** 63)) * 2 + t % 2
    k = np.sort(rng.permutation(N)[:6])
    updates.append(x.tolist())
    draws.append([u])
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
    r, q = power_sgd(x, q)
    add("power-sgd", r)
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
print(json.dumps({"rows": ROWS, "cols": COLS, "updates": updates, "draws": draws, "kept": kept, "first": first.T.tolist(),
                  "cases": cases}, indent=1))
