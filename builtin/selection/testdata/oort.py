"""Golden vectors of Oort with measured durations, from its formula. Run: python3 oort.py > oort.json

The utility of client i, which took part, is |B|*rms + sqrt(0.1 ln R / R_i), its first term cut at
a quantile, times (T / t_i)^2 where t_i > T: t_i are the seconds of its last round. T begins with the
pace and grows by it where the last window has less utility than the one before it.
"""
import json

import numpy as np

rng = np.random.default_rng(31)


def oort(n, k, durations, pace, window, alpha, clip):
    samples = rng.integers(5, 60, size=n)
    rms, last, own = np.full(n, np.nan), np.full(n, -1), np.full(n, np.nan)
    preferred, achieved, rounds = pace, [], []
    for t in range(12):
        if t >= 2 * window and t % window == 0:
            if sum(achieved[-2 * window:-window]) > sum(achieved[-window:]):
                preferred += pace
        known = [i for i in range(n) if last[i] >= 0]
        u = np.array([samples[i] * rms[i] for i in known])
        if known:
            order = np.sort(u)
            u = np.minimum(u, order[min(int(len(u) * clip), len(u) - 1)])
            u = u + np.sqrt(0.1 * np.log(t + 1) / (last[known] + 1))
            u = u * np.where(own[known] > preferred, (preferred / own[known]) ** alpha, 1)
        cohort = sorted(rng.choice(n, size=k, replace=False).tolist())
        losses = np.exp(rng.normal(size=k) - t / 6)
        seconds = np.exp(rng.normal(size=k) - 0.5)
        rounds.append({"known": known, "u": u.tolist(), "preferred": preferred, "cohort": cohort,
                       "rms": losses.tolist(), "seconds": seconds.tolist()})
        rms[cohort], last[cohort], own[cohort] = losses, t, seconds
        achieved.append(float(samples[cohort] @ losses))
    return {"samples": samples.tolist(), "k": k, "durations": durations, "pace": pace,
            "window": window, "alpha": alpha, "clip": clip, "rounds": rounds}


stated = np.exp(rng.normal(size=10)).tolist()
print(json.dumps([oort(12, 4, [], 0.4, 2, 2.0, 0.95), oort(10, 3, stated, 0.3, 3, 1.5, 1.0)]))
