"""Makes other_plans.json: partial, unbalanced and Gromov-Wasserstein plans by POT.

    python3 framework/ot/testdata/other_plans.py

Needs NumPy and POT (0.8.2 made the file). partial_wasserstein, sinkhorn_unbalanced and
gromov_wasserstein are run until they do not move any more. Inputs are rounded, so that the file
says all of them.
"""

import json
import pathlib

import numpy
import ot


def masses(rng, n, total, zeros=0):
    x = rng.random(n) + 0.1
    x[:zeros] = 0
    return numpy.round(x / x.sum() * total, 6)


def distribution(rng, n):
    x = masses(rng, n, 1)
    x[-1] += 1 - x.sum()
    return x


def partial(name, seed, n, m, totals, mass, zeros=0):
    rng = numpy.random.default_rng(seed)
    a, b = masses(rng, n, totals[0], zeros), masses(rng, m, totals[1], zeros)
    cost = numpy.round(rng.random((n, m)) * 3, 6)
    plan = ot.partial.partial_wasserstein(a, b, cost, m=mass, nb_dummies=1, numItermax=10**6)
    return {"name": name, "source": "ot.partial.partial_wasserstein",
            "inputs": {"a": a.tolist(), "b": b.tolist(), "c": cost.tolist(), "mass": mass},
            "expected": {"T": plan.tolist(), "cost": float((plan * cost).sum())},
            "tol": {"abs": 1e-9, "rel": 1e-9}}


def unbalanced(name, seed, n, m, totals, lam, rho):
    rng = numpy.random.default_rng(seed)
    a, b = masses(rng, n, totals[0]), masses(rng, m, totals[1])
    cost = numpy.round(rng.random((n, m)), 6)
    plan = ot.sinkhorn_unbalanced(a, b, cost, lam, rho, numItermax=10**6, stopThr=1e-16)
    return {"name": name, "source": "ot.sinkhorn_unbalanced",
            "inputs": {"a": a.tolist(), "b": b.tolist(), "c": cost.tolist(), "lambda": lam,
                       "rho": rho},
            "expected": {"T": plan.tolist(), "cost": float((plan * cost).sum()),
                         "mass": float(plan.sum())},
            "tol": {"abs": 1e-10, "rel": 1e-10}}


def gromov(name, seed, n, m, dim, squared):
    rng = numpy.random.default_rng(seed)
    x, y = rng.random((n, dim)), rng.random((m, dim))
    apart = [((z[:, None] - z[None]) ** 2).sum(-1) for z in (x, y)]
    x, y = [numpy.round(z if squared else numpy.sqrt(z), 6) for z in apart]
    a, b = distribution(rng, n), distribution(rng, m)
    plan, log = ot.gromov.gromov_wasserstein(x, y, a, b, "square_loss", log=True,
                                             numItermax=2000, stopThr=0, stopThr2=0)
    return {"name": name, "source": "ot.gromov.gromov_wasserstein",
            "inputs": {"a": a.tolist(), "b": b.tolist(), "x": x.tolist(), "y": y.tolist()},
            "expected": {"T": plan.tolist(), "cost": float(log["gw_dist"])},
            "tol": {"abs": 1e-8, "rel": 1e-8}}


def main():
    cases = [
        partial("partial_half", 1, 5, 7, (1, 1), 0.5),
        partial("partial_of_different_masses", 2, 6, 4, (2, 1.25), 1.0),
        partial("partial_with_atoms_without_mass", 3, 6, 8, (1, 3), 0.25, zeros=2),
        partial("partial_nearly_all", 4, 7, 7, (1, 1.5), 0.99),
        unbalanced("unbalanced_of_equal_mass", 5, 5, 6, (1, 1), 0.1, 1.0),
        unbalanced("unbalanced_of_different_masses", 6, 6, 4, (1, 3), 0.05, 0.5),
        unbalanced("unbalanced_at_a_small_price", 7, 4, 5, (2, 1), 0.1, 0.02),
        gromov("gromov_squared_distances", 8, 6, 6, 2, True),
        gromov("gromov_distances", 9, 5, 8, 2, False),
        gromov("gromov_in_three_dimensions", 10, 9, 7, 3, True),
    ]
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps({"cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
