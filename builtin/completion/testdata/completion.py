"""Golden vectors of completion models, from their formulas. Run: python3 completion.py > completion.json

Five rounds of six clients: seconds by normal draws that are given, and probabilities to finish by
deadlines. The case "fedscale" is the time of one client by the formula of FedScale
(fedscale/cloud/internal/client_metadata.py): 3 * batch * steps * speed / 1000 of computation, with
speed in milliseconds, and (upload + download) / bandwidth of communication, in kbit and kbit/s.
"""
import json
import math

import numpy as np

rng = np.random.default_rng(24)
N, T = 6, 5
steps = rng.integers(1, 40, N)
down, up = rng.integers(10**6, 10**8, N), rng.integers(10**6, 10**8, N)
x, y, z = rng.normal(size=N), rng.normal(size=N), rng.normal(size=(T, N))
step, spread, beta_down, beta_up, network, rho = 0.25, 0.75, 16.0, 4.0, 0.5, 0.3

m = steps * step * np.exp(spread * x) + (down / (1e6 * beta_down) + up / (1e6 * beta_up)) * np.exp(
    network * y)
listed = np.array([30.0, 10.0, 20.0, 10.0, 45.0, 5.0])
deadlines = [float(np.median(m)), 10.0]
phi = lambda s, of: [0.5 * (1 + math.erf(math.log(s / v) / rho / math.sqrt(2))) for v in of]

batch, local, speed, model, kbps = 32, 20, 50.0, 65536.0, 2000.0
# Seconds of steps by Zipf's law of ranks, of ranks that are given.
ranks, exponent = rng.integers(1, N + 1, N), 1.5
zipf = steps * step * (2 * ranks / (N + 1.0)) ** -exponent + (
    down / (1e6 * beta_down) + up / (1e6 * beta_up)) * np.exp(network * y)

# A trace of four lines and six columns, over and over again: testdata/seconds.csv.
lines = np.round(rng.lognormal(2, 1, size=(4, N)), 3)
np.savetxt("seconds.csv", lines, fmt="%.3f", delimiter=",", comments="",
           header=",".join(f"client {i}" for i in range(N)))

print(json.dumps({
    "steps": steps.tolist(), "down": down.tolist(), "up": up.tolist(),
    "x": x.tolist(), "y": y.tolist(), "z": z.tolist(),
    "params": {"step": step, "spread": spread, "download": beta_down, "upload": beta_up,
               "network_spread": network, "jitter": rho},
    "speeds": (m * np.exp(rho * z)).tolist(),
    "median": m.tolist(),
    "ranks": ranks.tolist(), "exponent": exponent,
    "zipf": (zipf * np.exp(rho * z)).tolist(),
    "trace": np.tile(lines, (3, 1))[:10].tolist(),
    "listed": listed.tolist(),
    "durations": (listed * np.exp(rho * z)).tolist(),
    "deadlines": deadlines,
    "speeds_chances": [phi(s, m) for s in deadlines],
    "durations_chances": [phi(s, listed) for s in deadlines],
    "fedscale": {"steps": local, "step": 3 * batch * speed / 1000, "bits": int(model * 1000),
                 "rate": kbps / 1000, "seconds": 3 * batch * local * speed / 1000
                 + (model + model) / kbps},
}, indent=1))
