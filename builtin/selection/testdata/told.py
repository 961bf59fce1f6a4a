"""Reference vectors of selections that are told of clients: clustered-similarity, DivFL and Oort.

Run: /usr/bin/python3 told.py > told.json. Everything is from the formulas; trees are SciPy's, which
gets rows of angles as points, or the angles as distances.
"""
import json

import numpy as np
from scipy.cluster.hierarchy import linkage, to_tree
from scipy.spatial.distance import squareform

rng = np.random.default_rng(2022)


def angles(g):
    n = len(g)
    rho = np.zeros((n, n))
    for i in range(n):
        for j in range(i):
            if g[i].any() and g[j].any():
                cos = g[i] @ g[j] / np.sqrt((g[i] @ g[i]) * (g[j] @ g[j]))
                rho[i, j] = rho[j, i] = np.arccos(np.clip(cos, -1, 1))
    return rho


def distributions(rho, q, k, by):
    n = len(q)
    whole = np.floor(k * q + 1e-12).astype(int)
    r = [np.eye(n)[i] for i in range(n) for _ in range(whole[i])]
    left = np.maximum(k * q - whole, 0)
    left[left < 1e-12] = 0
    if by == "rows":
        tree = to_tree(linkage(rho, "ward"))
    else:
        tree = to_tree(linkage(squareform(rho), "ward"))
    groups = []

    def cut(node):
        members = sorted(node.pre_order())
        if node.is_leaf() or left[members].sum() <= 1 + 1e-12:
            members = [i for i in members if left[i] > 0]
            if members:
                groups.append((left[members].sum(), members))
        else:
            cut(node.left)
            cut(node.right)

    cut(tree)
    groups.sort()
    kept = k - len(r)
    for _, members in groups[len(groups) - kept:]:
        r.append(np.where(np.isin(np.arange(n), members), left, 0))
    at = int(whole.sum())
    for _, members in groups[: len(groups) - kept]:
        for i in members:
            while left[i] > 1e-12:
                if at < k - 1 and 1 - r[at].sum() < 1e-12:
                    at += 1
                put = left[i] if at == k - 1 else min(left[i], 1 - r[at].sum())
                r[at][i] += put
                left[i] -= put
    return np.array(r)


def clustered(n, k, dim, by):
    samples = rng.integers(5, 60, size=n)
    q = samples / samples.sum()
    g, rounds = np.zeros((n, dim)), []
    for t in range(6):  # in the first round all take part: before, all trees are as good
        r = distributions(angles(g), q, k, by) if t else np.zeros((k, n))
        cohort = sorted(rng.choice(n, size=3, replace=False).tolist()) if t else list(range(n))
        updates = rng.normal(size=(len(cohort), dim)) + 2 * (np.array(cohort) % 3 == 0)[:, None]
        rounds.append({"r": r.tolist(), "cohort": cohort, "updates": updates.tolist()})
        g[cohort] = updates
    return {"samples": samples.tolist(), "k": k, "by": by, "rounds": rounds}


def greedy(d, seen, candidates, cohort, k):
    cohort, nearest = list(cohort), np.full(len(d), np.inf)
    candidates = list(candidates)
    while len(cohort) < k and candidates:
        sums = [np.minimum(nearest, d[:, j])[seen].sum() for j in candidates]
        j = candidates.pop(int(np.argmin(sums)))
        nearest = np.minimum(nearest, d[:, j])
        cohort.append(j)
    return sorted(cohort)


def divfl(n, k, dim):
    g, seen, rounds = np.zeros((n, dim)), np.zeros(n, bool), []
    for t in range(6):
        available = [i for i in range(n) if t == 0 or rng.random() < 0.8]
        if t == 0:
            available = available[:-2]  # these are new in a later round
        d = np.linalg.norm(g[:, None] - g[None], axis=2)
        new = [i for i in available if not seen[i]]
        cohort = greedy(d, seen, [i for i in available if seen[i]], new, k)
        updates = rng.normal(size=(len(cohort), dim)) * np.exp(rng.normal(size=(len(cohort), 1)))
        rounds.append({"available": available, "cohort": cohort, "updates": updates.tolist()})
        g[cohort], seen[cohort] = updates, True
    return {"n": n, "k": k, "rounds": rounds}


def oort(n, k, utility, durations, pace, window, explore, clip):
    samples = rng.integers(5, 60, size=n)
    rms, last = np.full(n, np.nan), np.full(n, -1)
    preferred, achieved, rounds = pace, [], []
    for t in range(12):
        if t >= 2 * window and t % window == 0:
            if sum(achieved[-2 * window:-window]) > sum(achieved[-window:]):
                preferred += pace
        available = sorted(rng.choice(n, size=n - 2, replace=False).tolist())
        known = [i for i in available if last[i] >= 0]
        fresh = len(available) - len(known)
        epsilon = max(explore * 0.98**t, min(0.2, explore))
        exploited = min(int(k * (1 - epsilon) + 1e-12), len(known))
        explored = min(k - exploited, fresh)
        exploited = min(k - explored, len(known))
        u = np.array([samples[i] * rms[i] for i in known])
        if len(known):
            order = np.sort(u)
            limit = order[min(int(len(u) * clip), len(u) - 1)]
            low, width = 0.0, 1.0
            if utility == "normalised":
                low = 0.999 * order[0]
                width = max(order[-1] - low, 1e-4)
            u = (np.minimum(u, limit) - low) / width
            u = u + np.sqrt(0.1 * np.log(t + 1) / (last[known] + 1))
            if durations is not None:
                slow = durations[known]
                u = u * np.where(slow > preferred, (preferred / slow) ** 2, 1)
        admitted = []
        if exploited:
            enough = 0.95 * np.sort(u)[::-1][exploited - 1]
            admitted = [i for i, x in zip(known, u) if x >= enough]
        cohort = sorted(rng.choice(available, size=min(k, len(available)), replace=False).tolist())
        losses = np.exp(rng.normal(size=len(cohort)) - t / 6)
        rounds.append({"available": available, "known": known, "u": u.tolist(), "exploited": exploited,
                       "explored": explored, "admitted": admitted, "cohort": cohort,
                       "rms": losses.tolist(), "preferred": preferred})
        rms[cohort], last[cohort] = losses, t
        achieved.append(float(samples[cohort] @ losses))
    return {"samples": samples.tolist(), "k": k, "utility": utility, "explore": explore, "clip": clip,
            "durations": [] if durations is None else durations.tolist(), "pace": pace,
            "window": window, "rounds": rounds}


print(json.dumps({
    "clustered": [clustered(8, 3, 5, "rows"), clustered(8, 3, 5, "angles"), clustered(5, 4, 3, "rows"),
                  clustered(12, 4, 6, "rows"), clustered(6, 1, 4, "rows")],
    "divfl": [divfl(7, 3, 4), divfl(12, 4, 6), divfl(6, 1, 2)],
    "oort": [oort(10, 3, "published", None, 0, 20, 0.9, 0.95),
             oort(10, 4, "normalised", None, 0, 20, 0.5, 0.8),
             oort(12, 4, "published", np.exp(rng.normal(size=12)), 0.4, 2, 0.3, 0.95),
             oort(12, 5, "normalised", np.exp(rng.normal(size=12)), 0.3, 3, 0.6, 0.9)],
}))
