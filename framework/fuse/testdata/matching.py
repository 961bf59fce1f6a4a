"""Writes matching.json: weight matching of two networks (Ainsworth et al. 2023, Algorithm 1) and
the matching of PFNM (Yurochkin et al. 2019, Proposition 2), from the papers' formulas, with
assignments by SciPy. Run it in this folder: python3 matching.py"""

import json

import numpy as np
from scipy.optimize import linear_sum_assignment

rng = np.random.default_rng(25)


def weight_matching(sizes):
    """Permutes the neurons of b, layer after layer, until no layer changes."""
    def net():
        return [(rng.normal(size=(o, i)), rng.normal(size=o)) for i, o in zip(sizes, sizes[1:])]

    a, b = net(), net()
    start = [(w.copy(), c.copy()) for w, c in b]
    perm = [np.arange(n) for n in sizes]  # perm[l][place] is the neuron of b that comes there
    changed = True
    while changed:
        changed = False
        for l in range(1, len(sizes) - 1):
            w_in = start[l - 1][0][:, perm[l - 1]]
            w_out = start[l][0][perm[l + 1], :]
            gain = a[l - 1][0] @ w_in.T + np.outer(a[l - 1][1], start[l - 1][1]) + a[l][0].T @ w_out
            _, best = linear_sum_assignment(gain, maximize=True)
            places = np.arange(sizes[l])
            if gain[places, best].sum() > gain[places, perm[l]].sum() + 1e-9:
                perm[l], changed = best, True
    end = [(w[perm[l + 1]][:, perm[l]], c[perm[l + 1]]) for l, (w, c) in enumerate(start)]

    def flat(layers):
        return np.concatenate([np.concatenate([w.ravel(), c]) for w, c in layers]).tolist()

    return {"sizes": sizes, "a": flat(a), "b": flat(start), "want": flat(end)}


def atoms(widths, gamma, passes):
    """Matches neurons of several networks: each in turn is taken out and assigned anew."""
    dim, nets = 5, len(widths)
    centres = 2 * rng.normal(size=(max(widths) + 3, dim))
    own = [centres[rng.permutation(len(centres))[:n]] + 0.3 * rng.normal(size=(n, dim))
           for n in widths]
    mean, prior = 0.1 * rng.normal(size=dim), np.full(dim, 0.2)
    precision = [np.where(np.arange(dim) < 3, 4.0, 1.0 + 0.5 * j) for j in range(nets)]
    member = [[None] * n for n in widths]  # labels of global neurons
    labels, fresh = [], 0
    for turn in range(passes + 1):
        visits = sorted(range(nets), key=lambda j: -widths[j]) if turn == 0 else range(nets)
        for j in visits:
            member[j] = [None] * widths[j]
            groups = {}
            for k in range(nets):
                for l, label in enumerate(member[k]):
                    if label is not None:
                        groups.setdefault(label, []).append((k, l))
            labels = [x for x in labels if x in groups]
            score = np.zeros((widths[j], len(labels) + widths[j]))
            for l, v in enumerate(own[j]):
                s = precision[j]
                for i, label in enumerate(labels):
                    g = mean * prior + sum(precision[k] * own[k][m] for k, m in groups[label])
                    big = prior + sum(precision[k] for k, _ in groups[label])
                    c = len(groups[label])
                    score[l, i] = ((g + s * v) ** 2 / (big + s) - g ** 2 / big).sum() \
                        + 2 * np.log(c / (nets - c))
                alone = ((mean * prior + s * v) ** 2 / (prior + s) - mean ** 2 * prior).sum()
                for k in range(widths[j]):
                    score[l, len(labels) + k] = alone + 2 * np.log(gamma / nets) \
                        - 2 * np.log(k + 1)
            rows, cols = linear_sum_assignment(score, maximize=True)
            old = len(labels)
            for l, col in zip(rows, cols):
                if col >= old:  # whichever new one it is, the sum is the same
                    labels, col, fresh = labels + [fresh], len(labels), fresh + 1
                member[j][l] = labels[col]
    number = {label: i for i, label in enumerate(labels)}
    result = []
    for label in labels:
        g, big = mean * prior, prior.copy()
        for k in range(nets):
            for l in range(widths[k]):
                if member[k][l] == label:
                    g, big = g + precision[k] * own[k][l], big + precision[k]
        result.append((g / big).tolist())
    return {"own": [o.tolist() for o in own], "precision": [p.tolist() for p in precision],
            "mean": mean.tolist(), "prior": prior.tolist(), "gamma": gamma, "passes": passes,
            "of": [[number[x] for x in m] for m in member], "global": result}


json.dump({"weights": [weight_matching(s) for s in ([4, 7, 3], [5, 9, 8, 3], [3, 12, 11, 6, 4])],
           "atoms": [atoms([4, 4, 4], 1.0, 0), atoms([5, 3, 6], 1.0, 2), atoms([6, 6, 5, 6], 7.0, 3),
                     atoms([5, 5, 5, 5, 5], 0.05, 3)]},
          open("matching.json", "w"), indent=1)
