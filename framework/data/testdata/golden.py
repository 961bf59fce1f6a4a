"""Writes numpy.json and standardize.json beside itself.

Made with NumPy 1.24.2 and scikit-learn 1.2.1: python3 golden.py
"""

import hashlib
import json
import pathlib
import warnings

import numpy as np
from sklearn.preprocessing import StandardScaler

HERE = pathlib.Path(__file__).parent
LONG = 20000  # values of a long sequence; a block of the generator is 624 words


def digest(a, dtype):
    """SHA-256 of the values in little-endian order."""
    return hashlib.sha256(np.ascontiguousarray(a, dtype=dtype).tobytes()).hexdigest()


def stream(seed):
    fresh = lambda: np.random.RandomState(seed)
    uniform = fresh().random_sample(LONG)
    after = fresh()
    normal = after.standard_normal(LONG)
    permutation = fresh().permutation(LONG)
    shuffled = np.arange(LONG) ** 2
    fresh().shuffle(shuffled)

    # One generator, every kind of call in turn: the spare normal number must survive the
    # others, and every call must consume the right number of words.
    rs, mixed = fresh(), []
    for n in range(1, 100):
        mixed.append(rs.standard_normal())
        mixed.append(rs.random_sample())
        mixed.append(rs.uniform(-3, 2.5))
        mixed.append(rs.normal(scale=0.1))
        mixed.append(rs.normal(5, 2))
        mixed.append(float(rs.permutation(n)[-1]))
    return {
        "seed": seed,
        "uniform": list(uniform[:5]) + list(uniform[-5:]),
        "uniform_sha256": digest(uniform, "<f8"),
        "normal": list(normal[:2000]),
        "uniform_after_normal": after.random_sample(),
        "permutation": [int(v) for v in list(permutation[:5]) + list(permutation[-5:])],
        "permutation_sha256": digest(permutation, "<i8"),
        "shuffled_sha256": digest(shuffled, "<i8"),
        "mixed": mixed,
    }


def standardize():
    rs = np.random.RandomState(7)
    spread = np.array([1, 1e-6, 1e6, 0, 0, 1, 1e-3, 1e-7])
    middle = np.array([0, 3, -1e9, 0.1, 0, 1e3, 1e8, 1e9])  # the last is constant up to rounding
    x = rs.standard_normal((40, 8)) * spread + middle
    x[:, 4] = 0
    x[:, 5] = 0
    x[17, 5] = 255
    z = rs.standard_normal((5, 8)) * 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s = StandardScaler().fit(x)
    rows = lambda a: [list(r) for r in a]
    return {"x": rows(x), "other": rows(z), "x_out": rows(s.transform(x)),
            "other_out": rows(s.transform(z))}


def write(name, value):
    (HERE / name).write_text(json.dumps(value, indent=0, separators=(",", ":")) + "\n")


write("numpy.json", [stream(s) for s in (0, 1, 42, 2**32 - 1)])
write("standardize.json", standardize())
