"""Six clients with losses ½(θ − cᵢ)² train for asynchronous servers: events, models and staleness,
by a loop that knows nothing of hansa. All clients are available and train at once, one gradient
step each; the seconds that each needs are the same in every round, and no two events coincide.

    python3 asynchronous.py > asynchronous.json
"""
import json

import numpy as np

SECONDS = [3.03, 1.07, 2.11, 1.53, 4.57, 0.71]
MINIMA = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 4.0])
SAMPLES = 1
RATE, ROUNDS = 0.1, 40


def discount(form, a, b, tau):
    if form == "polynomial":
        return (1 + tau) ** -a
    if form == "hinge" and tau > b:
        return 1 / (a * (tau - b) + 1)
    return 1.0


def step(base, i):
    return base - RATE * (base - MINIMA[i])


def buffered(take, rule, form="polynomial", a=0.5, b=4.0, alpha=0.6, server=1.0):
    """FedBuff or FedAsync; a client waits for the next model when its update is in the buffer."""
    theta, now, models, stale, times = 0.0, 0.0, [], [], []
    work = {i: (SECONDS[i], 0, theta) for i in range(6)}
    for t in range(ROUNDS):
        buffer = []
        while len(buffer) < take:
            i = min(work, key=lambda j: work[j][0])
            now, version, base = work.pop(i)
            buffer.append((i, t - version, base))
        s = np.array([discount(form, a, b, tau) for _, tau, _ in buffer])
        got = np.array([step(base, i) for i, _, base in buffer])
        bases = np.array([base for _, _, base in buffer])
        if rule == "fedbuff":
            theta = theta + server / take * np.sum(s * (got - bases))
        else:
            theta = theta + np.sum(alpha * s / take * (got - theta))
        for i, _, _ in buffer:
            work[i] = (now + SECONDS[i], t + 1, theta)
        models.append(theta)
        stale.append([tau for _, tau, _ in sorted(buffer)])
        times.append(now)
    return dict(models=models, staleness=stale, seconds=times)


def tiered(tiers, equal=False):
    """FedAT with tiers by rank of speed."""
    order = np.argsort(SECONDS, kind="stable")
    members = np.array_split(order, tiers)
    theta, now = 0.0, 0.0
    own, ended = np.zeros(tiers), np.zeros(tiers)
    begun = [(max(SECONDS[i] for i in m), 0, theta) for m in members]
    models, stale, times = [], [], []
    for t in range(ROUNDS):
        m = min(range(tiers), key=lambda k: begun[k][0])
        now, version, base = begun[m]
        own[m] = np.mean([step(base, i) for i in members[m]])
        ended[m] += 1
        w = np.full(tiers, 1 / tiers) if equal else ended[::-1] / ended.sum()
        theta = float(w @ own)
        begun[m] = (now + max(SECONDS[i] for i in members[m]), t + 1, theta)
        models.append(theta)
        stale.append([t - version] * len(members[m]))
        times.append(now)
    return dict(models=models, staleness=stale, seconds=times)


print(json.dumps({
    "minima": MINIMA.tolist(), "seconds": SECONDS, "rate": RATE, "rounds": ROUNDS,
    "runs": [
        dict(rule="fedasync", given={}, take=1, **buffered(1, "fedasync")),
        dict(rule="fedasync", given={"discount": "hinge", "discount_b": 4.0},
             take=1, **buffered(1, "fedasync", "hinge", 0.5)),
        dict(rule="fedasync", given={"mixing": 0.9, "discount": "constant"}, take=3,
             **buffered(3, "fedasync", "constant", alpha=0.9)),
        dict(rule="fedbuff", given={}, take=2, **buffered(2, "fedbuff")),
        dict(rule="fedbuff", given={"server_rate": 0.7, "discount_a": 1.0}, take=3,
             **buffered(3, "fedbuff", a=1.0, server=0.7)),
        dict(rule="fedbuff", given={"discount": "constant"}, take=1,
             **buffered(1, "fedbuff", "constant")),
        dict(rule="fedat", given={}, tiers=3, **tiered(3)),
        dict(rule="fedat", given={"weights": "equal"}, tiers=2, **tiered(2, True)),
        dict(rule="fedat", given={}, tiers=1, **tiered(1)),
    ]}))
