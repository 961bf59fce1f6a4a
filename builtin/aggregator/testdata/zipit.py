"""Writes zipit.json: ZipIt (Stoica et al. 2024) of perceptrons: features of two hidden layers merged
greedily by their correlations, and the network that comes of it, by products with merge and unmerge
matrices, with NumPy. Features that were merged are sets, and every step looks at all pairs. Run it
in this folder: python3 zipit.py"""

import json

import numpy as np

rng = np.random.default_rng(41)
SIZES = [6, 7, 5, 4]


def net():
    return [(rng.normal(size=(o, i)), 0.5 * rng.normal(size=o)) for i, o in zip(SIZES, SIZES[1:])]


def near(layers, noise):
    """The same network with its neurons in other orders, and noise."""
    below, out = np.arange(SIZES[0]), []
    for l, (w, b) in enumerate(layers):
        order = rng.permutation(len(b)) if l < len(layers) - 1 else np.arange(len(b))
        out.append((w[order][:, below] + noise * rng.normal(size=w.shape),
                    b[order] + noise * rng.normal(size=b.shape)))
        below = order
    return out


def features(layers, x):
    for w, b in layers[:-1]:
        x = np.maximum(x @ w.T + b, 0)
        yield x.T


def correlations(rows):
    """Of constants 1 with each other, and 0 with others."""
    c = rows - rows.mean(1, keepdims=True)
    norm = np.sqrt((c ** 2).sum(1))
    idle = norm <= 1e-9 * abs(rows.mean(1)) * np.sqrt(rows.shape[1])
    c = c / np.where(idle, 1, norm)[:, None]
    rho = c @ c.T
    rho[idle, :] = rho[:, idle] = 0
    rho[np.ix_(idle, idle)] = 1
    return rho


def groups(rows, n, networks, alpha, beta):
    rho = correlations(np.concatenate(rows))
    sets = [frozenset([i]) for i in range(n * networks)]
    sim = {(sets[i], sets[j]): rho[i, j] for i in range(len(sets)) for j in range(i + 1, len(sets))}
    budget = [int(beta * ((networks - 1) * n // networks) + 1e-9)] * networks
    within = 0

    def shared(a, b):
        return {i // n for i in a} & {i // n for i in b}

    while len(sets) > n:
        sets.sort(key=min)
        pairs = [(a, b) for k, a in enumerate(sets) for b in sets[k + 1:]]

        def may(a, b):
            common = shared(a, b)
            return not (any(budget[k] <= 0 for k in common)
                        or (alpha == 0 and common and (len(a) > 1 or len(b) > 1)))

        allowed = [p for p in pairs if may(*p)] or pairs
        a, b = max(allowed, key=lambda p: (sim[p], not shared(*p), -min(p[0]), -min(p[1])))
        if shared(a, b):
            within += 1
            for k in shared(a, b):
                budget[k] -= 1
        new = a | b
        rest = [s for s in sets if s not in (a, b)]

        def of(s, t):
            return sim[(s, t)] if (s, t) in sim else sim[(t, s)]

        for s in rest:
            first, second = sorted((s, new), key=min)
            sim[(first, second)] = alpha * min(of(a, s), of(b, s))
        sets = rest + [new]
    return sorted(sets, key=min), within


def zipit(nets, x, w, alpha, beta):
    K, within = len(nets), 0
    said = [list(features(l, x)) for l in nets]
    unmerge = [np.eye(SIZES[0])] * K
    out = []
    for l, n in enumerate(SIZES[1:]):
        if l < len(SIZES) - 2:
            sets, times = groups([s[l] for s in said], n, K, alpha, beta)
            within += times
            member = np.zeros((n, K * n))
            for g, s in enumerate(sets):
                member[g, sorted(s)] = 1
            merge = member * np.repeat(w, n)
            merge /= merge.sum(1, keepdims=True)
            merge, after = np.split(merge, K, axis=1), np.split(member.T, K, axis=0)
        else:
            merge, after = [a * np.eye(n) for a in w], None
        weight = sum(m @ layers[l][0] @ u for m, layers, u in zip(merge, nets, unmerge))
        out.append((weight, sum(m @ layers[l][1] for m, layers in zip(merge, nets))))
        unmerge = after
    return out, within


def flat(layers):
    return np.concatenate([np.concatenate([w.ravel(), b]) for w, b in layers]).tolist()


def case(nets, samples, alpha, beta):
    x = rng.normal(size=(60, SIZES[0])).round(4)
    weights = np.array(samples) / sum(samples)
    out, within = zipit(nets, x, weights, alpha, beta)
    return {"models": [flat(n) for n in nets], "samples": samples, "alpha": alpha, "beta": beta,
            "x": x.tolist(), "within": within, "want": flat(out)}


first = net()
dead = [net(), net()]
for layers in dead:
    layers[0][1][:2] = -50  # two neurons never say anything
cases = [
    case([net(), net()], [1, 1], 0.3, 0.125), case([net(), net()], [2, 5], 0.3, 1.0),
    case([net(), net()], [1, 1], 1.0, 1.0), case([net(), net()], [1, 3], 0.0, 1.0),
    case([net(), net()], [1, 1], 0.0001, 0.0), case([net(), net(), net()], [1, 1, 1], 0.3, 0.5),
    case([net() for _ in range(4)], [4, 1, 2, 3], 0.5, 0.0),
    case([net() for _ in range(4)], [1, 1, 1, 1], 0.0, 0.5),
    case([first, near(first, 0.2), near(first, 0.2)], [1, 2, 3], 0.3, 0.3),
    case(dead, [1, 1], 0.3, 0.5), case([net()], [3], 0.3, 0.5)]
with open("zipit.json", "w") as f:
    json.dump(cases, f)
print([c["within"] for c in cases])
