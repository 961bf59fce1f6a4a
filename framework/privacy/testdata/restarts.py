"""Makes restarts.json: how far a client moves the nodes of trees that restart, by enumeration.

    python3 framework/privacy/testdata/restarts.py

Trees are written out as lists of nodes, and every set of rounds that a client may take part in is
tried. Epsilon is that of the Gaussian mechanism that they are together, by bisection of its delta.
"""

import json
import pathlib
from math import erfc, exp, sqrt


def nodes(rounds, every, completes):
    """The rounds below each node that is released."""
    out, start = [], 0
    while start < rounds:
        size = min(every or rounds, rounds - start)
        width = 1
        while width <= size:
            out += [range(start + i, start + i + width) for i in range(0, size - width + 1, width)]
            width *= 2
        ended = start + size < rounds
        if completes and ended and size & (size - 1):
            out.append(range(start, start + size))
        start += size
    return out


def sets(rounds, most, separation, first=0):
    yield ()
    if most == 0:
        return
    for r in range(first, rounds):
        for rest in sets(rounds, most - 1, separation, r + separation):
            yield (r, *rest)


def squares(rounds, every, completes, most, separation):
    tree = nodes(rounds, every, completes)
    return max(
        sum(sum(r in n for r in s) ** 2 for n in tree) for s in sets(rounds, most, separation)
    )


def epsilon(noise, total, delta):
    """Of replace-one neighbours: two radii."""
    mu = 2 * sqrt(total) / noise

    def phi(x):
        return erfc(-x / sqrt(2)) / 2

    low, high = 0.0, 200.0
    for _ in range(200):
        e = (low + high) / 2
        if phi(mu / 2 - e / mu) - exp(e) * phi(-mu / 2 - e / mu) > delta:
            low = e
        else:
            high = e
    return high


out = []
for rounds, every, most, separation in [
    (12, 4, 3, 4), (12, 5, 4, 3), (13, 6, 5, 2), (16, 3, 6, 3), (14, 7, 2, 7), (15, 5, 15, 1),
    (10, 10, 3, 3), (11, 3, 4, 1), (17, 6, 3, 5), (9, 0, 3, 3),
]:
    for completes in [False, True]:
        if completes and not every:
            continue
        total = squares(rounds, every, completes, most, separation)
        out.append({"rounds": rounds, "every": every, "completes": completes, "most": most,
                    "separation": separation, "squares": total,
                    "epsilon": epsilon(9.0, total, 1e-5)})
        print(out[-1])
path = pathlib.Path(__file__).with_name("restarts.json")
path.write_text(json.dumps({"noise": 9.0, "delta": 1e-5, "cases": out}, indent=1) + "\n")
