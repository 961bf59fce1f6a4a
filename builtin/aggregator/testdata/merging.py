"""Writes merging.json: Fisher merging (Matena and Raffel 2022, eq. 3), RegMean (Jin et al. 2023,
eq. 2, no ridge) and the greedy soup (Wortsman et al. 2022, Recipe 1) of perceptrons, from the
papers' formulas with NumPy. Run it in this folder: python3 merging.py"""

import json

import numpy as np

rng = np.random.default_rng(8)
SIZES = [6, 7, 4]


def net(scale=1.0):
    return [(scale * rng.normal(size=(o, i)), scale * rng.normal(size=o))
            for i, o in zip(SIZES, SIZES[1:])]


def flat(layers):
    return np.concatenate([np.concatenate([w.ravel(), b]) for w, b in layers])


def fisher(samples):
    thetas = [flat(net()) for _ in samples]
    info = [rng.exponential(size=len(thetas[0])) for _ in samples]
    lam = np.array(samples) / sum(samples)
    top = sum(l * f * t for l, f, t in zip(lam, info, thetas))
    return {"models": [t.tolist() for t in thetas], "fisher": [f.tolist() for f in info],
            "samples": samples, "want": (top / sum(l * f for l, f in zip(lam, info))).tolist()}


def regmean(samples, alpha):
    nets = [net() for _ in samples]
    grams = []
    for n in samples:
        own = []
        for i in SIZES[:-1]:
            x = np.hstack([rng.normal(size=(n, i)), np.ones((n, 1))])
            own.append(x.T @ x)
        grams.append(own)
    merged = []
    for k in range(len(SIZES) - 1):
        total, right = 0, 0
        for layers, own in zip(nets, grams):
            g = alpha * own[k] + (1 - alpha) * np.diag(np.diag(own[k]))
            w = np.vstack([layers[k][0].T, layers[k][1]])  # rows of inputs, the bias last
            total, right = total + g, right + g @ w
        w = np.linalg.inv(total) @ right
        merged.append((w[:-1].T, w[-1]))
    return {"models": [flat(n).tolist() for n in nets], "samples": samples, "alpha": alpha,
            "grams": [[g.tolist() for g in own] for own in grams], "want": flat(merged).tolist()}


def soup(models, spread):
    """The candidates are noisy copies of the network by which samples have their classes."""
    truth = net()
    x = rng.normal(size=(200, SIZES[0])).round(3)

    def classes(layers):
        z = np.maximum(x @ layers[0][0].T + layers[0][1], 0)
        return np.argmax(z @ layers[1][0].T + layers[1][1], axis=1)

    y = classes(truth)
    candidates = [[(w + spread * rng.normal(size=w.shape), b + spread * rng.normal(size=b.shape))
                   for w, b in truth] for _ in range(models)]

    def accuracy(members):
        mean = [(np.mean([candidates[k][l][0] for k in members], axis=0),
                 np.mean([candidates[k][l][1] for k in members], axis=0)) for l in range(2)]
        return (classes(mean) == y).mean()

    alone = [accuracy([k]) for k in range(models)]
    if len(set(alone)) < models:  # ties are broken by client, which is not in the paper
        return soup(models, spread)
    order = sorted(range(models), key=lambda k: -alone[k])
    members = order[:1]
    for k in order[1:]:
        if accuracy(members + [k]) >= accuracy(members):
            members.append(k)
    want = np.mean([flat(candidates[k]) for k in members], axis=0)
    return {"models": [flat(c).tolist() for c in candidates], "x": x.tolist(), "y": y.tolist(),
            "members": sorted(members), "want": want.tolist()}


json.dump({"fisher": [fisher([3, 8, 5]), fisher([1, 1])],
           "regmean": [regmean([20, 35, 15], 0.9), regmean([40, 12], 1.0), regmean([9, 9], 0.0)],
           "soup": [soup(5, 0.3), soup(6, 0.6), soup(4, 1.0)]},
          open("merging.json", "w"))
