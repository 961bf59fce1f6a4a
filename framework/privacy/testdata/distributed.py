"""Makes distributed.json: epsilon of distributed discrete Gaussian and Skellam noise.

    python3 framework/privacy/testdata/distributed.py

The bounds of both papers are summed as they stand, with 60 digits, at the whole orders 2 to 256;
without logarithms of binomials, and without the form in which the package computes them.
"""

import json
import pathlib
from decimal import Decimal, getcontext
from math import comb

getcontext().prec = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
ORDERS = range(2, 257)


def epsilon(c):
    n, d, b, k = Decimal(c["clients"]), Decimal(c["dim"]), c["bits"], Decimal(c["range"])
    z, beta, radii = Decimal(c["noise"]), Decimal(c["bias"]), Decimal(c["radii"])
    gamma, delta = Decimal(c["drawn"]) / Decimal(c["of"]), Decimal(c["delta"])
    # 2^b = 2k sqrt((n^2/d + z^2)/g^2 + n/4) for the grain g, in radii
    grain = ((n * n / d + z * z) / ((Decimal(2) ** b / (2 * k)) ** 2 - n / 4)).sqrt()
    s = 1 / grain
    l2 = s + d.sqrt()
    if beta > 0:
        wide = s * s + d / 4 + (2 * (1 / beta).ln()).sqrt() * (s + d.sqrt() / 2)
        l2 = min(l2, wide.sqrt())
    l1 = min(l2 * l2, d.sqrt() * l2)
    l1, l2 = radii * l1, radii * l2
    sigma = s * z
    tau = Decimal(0)
    for j in range(1, c["clients"]):
        tau += (-2 * PI * PI * sigma * sigma / n * Decimal(j) / Decimal(j + 1)).exp()
    tau *= 10

    def whole(a):
        a = Decimal(a)
        if c["law"] == "skellam":
            v = sigma * sigma
            more = min(((2 * a - 1) * l2 * l2 + 6 * l1) / (4 * v * v), 3 * l1 / (2 * v))
            return a * l2 * l2 / (2 * v) + more
        mu = l2 / sigma
        return min(
            a / 2 * mu * mu + tau * d,
            a / 2 * (mu * mu + 2 * tau * l1 / sigma + tau * tau * d),
            a / 2 * (mu + d.sqrt() * tau) ** 2,
        )

    table = {a: whole(a) for a in ORDERS}
    best = None
    for a in ORDERS:
        r = table[a]
        if gamma < 1:
            e2 = table[2].exp()
            total = 1 + gamma**2 * comb(a, 2) * min(4 * (e2 - 1), 2 * e2)
            for j in range(3, a + 1):
                total += gamma**j * comb(a, j) * 2 * ((j - 1) * table[j]).exp()
            r = min(r, total.ln() / (a - 1))
        r *= c["rounds"]
        e = r + (1 - 1 / Decimal(a)).ln() - (delta.ln() + Decimal(a).ln()) / (a - 1)
        if best is None or e < best[0]:
            best = (e, a)
    return best, tau


out = []
for case in [
    (20, 1024, 12, 4, "1", "0.6065306597126334", 2, 20, 20, 10),
    (100, 8192, 16, 4, "4", "0.6065306597126334", 2, 100, 1000, 40),
    (100, 8192, 16, 4, "1", "0", 2, 100, 1000, 40),
    (100, 8192, 18, 3, "8", "0.3", 1, 100, 100, 3),
    (40, 256, 8, 4, "2", "0.6065306597126334", 2, 40, 4000, 500),
    (3, 64, 10, 2, "0.7", "0.5", 2, 3, 12, 25),
    (10, 64, 4, 2, "1", "0.5", 2, 10, 10, 3),
    (10, 64, 4, 2, "1.2", "0.5", 2, 10, 500, 3),
    (1000, 64, 8, 2, "6", "0.5", 2, 3, 3, 2),
]:
    for law in ["discrete-gaussian", "skellam"]:
        keys = ["clients", "dim", "bits", "range", "noise", "bias", "radii", "drawn", "of", "rounds"]
        c = dict(zip(keys, case), law=law, delta="0.00001")
        (e, a), tau = epsilon(c)
        c["delta"] = float(c["delta"])
        c["noise"], c["bias"] = float(c["noise"]), float(c["bias"])
        out.append({**c, "epsilon": float(e), "order": a, "tau": float(tau)})
        print(law, case, "epsilon", float(e), "order", a, "tau", float(tau))
path = pathlib.Path(__file__).with_name("distributed.json")
path.write_text(json.dumps(out, indent=1) + "\n")
