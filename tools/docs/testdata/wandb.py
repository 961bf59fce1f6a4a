# What stands in for Weights & Biases where the README is tested: it counts what it is told.
import math, sys, types

runs = []


class Run:
    def __init__(self, **about):
        self.about, self.steps, self.last, self.done = about, 0, None, False
        runs.append(self)

    def log(self, values, step):
        assert self.last is None or step > self.last, "steps ascend"
        assert values and all(isinstance(v, float) for v in values.values()), values
        self.steps, self.last = self.steps + 1, step

    def finish(self):
        assert not self.done
        self.done = True


sys.modules["wandb"] = types.SimpleNamespace(init=Run)


def verify(cells, rounds):
    assert len(runs) == cells, len(runs)
    assert all(r.done and r.steps == rounds for r in runs)
    groups = {r.about["group"] for r in runs}
    assert "FedAVOT" in groups and len(groups) == 5, groups
    assert {r.about["config"]["seed"] for r in runs} == set(range(5))
