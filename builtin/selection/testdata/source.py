"""Numbers of the authors' code of clustered sampling, DivFL, Oort and power of choice.

Run: /usr/bin/python3 source.py CLUSTERED DIVFL OORT CHOICE > source.json, with the folders of

  Accenture/Labs-Federated-Learning, branch clustered_sampling: py_func/clustering.py
  melodi-lab/divfl: flearn/trainers/fedbase.py
  SymbioticLab/Oort: oort/oort.py
  peng-ju/Power-of-Choice, dnn: utils.py, which grew from the authors' supplement

Nothing of these is copied here. What they import and these functions do not need is replaced by
empty modules. Clients of a cluster are taken in order instead of shuffled. Of Oort's choice the
probabilities are kept with which clients are drawn that took part before.
"""
import importlib
import json
import sys
import types
import warnings

import numpy as np
from scipy.cluster.hierarchy import linkage

warnings.simplefilter("ignore")


class Anything(types.ModuleType):
    def __getattr__(self, name):
        return Anything(name)

    def __call__(self, *args, **kwargs):
        return self


def load(folder, name, *missing):
    for m in missing:
        sys.modules.setdefault(m, Anything(m))
    sys.path.insert(0, folder)
    module = importlib.import_module(name)
    sys.path.pop(0)
    return module


rng = np.random.default_rng(33)


def clustered(code):
    out = []
    shuffle, np.random.shuffle = np.random.shuffle, lambda x: None
    for n, k, dim in [(8, 3, 5), (12, 4, 6), (10, 2, 4), (20, 5, 3)]:
        samples = rng.integers(500, 3000, size=n)
        while max(samples) * k >= samples.sum():  # the code is for shares below 1/K
            samples = rng.integers(500, 3000, size=n)
        updates = rng.normal(size=(n, dim))
        rho = code.get_matrix_similarity_from_grads([[g] for g in updates], "cosine")
        np.fill_diagonal(rho, 0)  # NaN where a cosine is rounded above 1
        r = code.get_clusters_with_alg2(linkage(rho, "ward"), k, samples / samples.sum())
        out.append({"samples": samples.tolist(), "k": k, "updates": updates.tolist(), "r": r.tolist()})
    np.random.shuffle = shuffle
    return out


def divfl(code):
    out = []
    for n, k, dim in [(8, 3, 4), (15, 5, 3), (20, 2, 6), (10, 9, 2)]:
        updates = rng.normal(size=(n, dim))
        server = object.__new__(code.BaseFedarated)
        server.clients = list(range(n))
        server.norm_diff = np.linalg.norm(updates[:, None] - updates[None], axis=2)
        out.append({"k": k, "updates": updates.tolist(),
                    "greedy": sorted(int(i) for i in server.greedy(k)),
                    "lazy": sorted(int(i) for i in server.lazy_greedy(k))})
    return out


def oort(code):
    out = []
    for n, k, threshold, clip in [(12, 5, 101, 0.95), (12, 5, 50, 0.95), (15, 6, 30, 0.8)]:
        args = types.SimpleNamespace(
            exploration_factor=0.5, exploration_decay=1.0, exploration_min=0.2, exploration_alpha=0.2,
            round_threshold=threshold, sample_window=5.0, round_penalty=2.0, clip_bound=clip,
            cut_off_util=0.0, pacer_step=20, pacer_delta=10, blacklist_rounds=-1, blacklist_max_len=0.3)
        server = code.create_training_selector(args)
        samples = rng.integers(5, 60, size=n)
        rms, last = np.exp(rng.normal(size=n)), rng.integers(1, 6, size=n)
        durations = np.exp(rng.normal(size=n))
        for i in range(n):
            server.register_client(i, {"reward": 1.0, "duration": durations[i]})
            server.update_client_util(i, {"reward": samples[i] * rms[i], "duration": durations[i],
                                          "time_stamp": int(last[i]), "status": True})
        server.training_round = 5
        drawn = {}
        choice = np.random.choice

        def spy(clients, size, p=None, replace=False):
            drawn.setdefault("clients", [int(i) for i in clients])
            drawn.setdefault("p", [float(x) for x in p])
            return choice(clients, size, p=p, replace=replace)

        np.random.choice = spy
        server.select_participant(k, set(range(n)))
        np.random.choice = choice
        preferred = float(server.round_prefer_duration)
        out.append({"samples": samples.tolist(), "k": k, "clip": clip, "rms": rms.tolist(),
                    "last": last.tolist(), "durations": durations.tolist(), "round": 6,
                    "preferred": preferred if np.isfinite(preferred) else 1e9, **drawn})
    return out


def choice(code):
    samples, losses = np.array([4, 9, 2, 7, 5, 3]), [1.5, 0.2, 2.5, 0.9, 1.1, 3.0]
    args = types.SimpleNamespace(algo="pow-d", seed=0, num_clients=6, powd=4, clients_per_round=2)
    counts = {}
    for r in range(40000):
        users, _ = code.select_clients(samples / samples.sum(), losses, None, args, r)
        key = tuple(sorted(int(i) for i in users))
        counts[key] = counts.get(key, 0) + 1
    return {"samples": samples.tolist(), "losses": losses, "d": 4, "k": 2,
            "sets": [list(s) for s in sorted(counts)], "counts": [counts[s] for s in sorted(counts)]}


torch = ["torch", "torch.utils", "torch.utils.data", "torch.utils.data.distributed", "torchvision",
         "torchvision.datasets", "torchvision.transforms", "models"]
print(json.dumps({
    "clustered": clustered(load(sys.argv[1], "py_func.clustering")),
    "divfl": divfl(load(sys.argv[2], "flearn.trainers.fedbase", "tensorflow", "tqdm", "sklearn",
                        "sklearn.metrics", "flearn.models.client", "flearn.utils.model_utils",
                        "flearn.utils.tf_utils")),
    "oort": oort(load(sys.argv[3], "oort.oort", "oort.utils.lp")),
    "choice": choice(load(sys.argv[4], "utils", *torch)),
}))
