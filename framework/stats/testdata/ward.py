"""Reference vectors of Ward's method, by SciPy.

Run: /usr/bin/python3 ward.py > ward.json. Heights come from scipy.cluster.hierarchy.linkage; a case
has the distances of all pairs, and of every merge what is in the cluster and its height.
"""
import json

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform, pdist

rng = np.random.default_rng(2021)
out = []
for n, dim in [(2, 1), (3, 2), (5, 2), (8, 3), (13, 1), (30, 4)]:
    for kind in ["points", "angles"]:
        x = rng.normal(size=(n, dim)) * np.exp(rng.normal(size=(n, 1)))
        if kind == "points":
            d = squareform(pdist(x))
        else:  # no distances of points, but a formula that holds for them all the same
            y = rng.normal(size=(n, dim + 3))
            y /= np.linalg.norm(y, axis=1)[:, None]
            d = np.arccos(np.clip(y @ y.T, -1, 1))
            np.fill_diagonal(d, 0)
            d = (d + d.T) / 2
        members = [[i] for i in range(n)]
        merges = []
        for a, b, height, _ in linkage(squareform(d), "ward"):
            members.append(sorted(members[int(a)] + members[int(b)]))
            merges.append({"members": members[-1], "height": height})
        out.append({"d": d.tolist(), "merges": merges})
print(json.dumps(out))
