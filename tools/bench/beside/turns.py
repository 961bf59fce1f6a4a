"""What the scripts beside hansa's benchmarks share: one thread, turns, processor time.

Import it before NumPy: it is what leaves the libraries one thread each, and OpenBLAS its own
choice of kernels, as OPENBLAS_CORETYPE would slow it down.
"""
import os

os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("OPENBLAS_L2_SIZE", None)
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import contextlib
import json
import subprocess
import tempfile
import time

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def asked(doc, seconds):
    """Returns the flags of a script."""
    flags = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawTextHelpFormatter)
    flags.add_argument("-isa", default="", help="path of hansa's kernels")
    flags.add_argument("-run", default="", help="regular expression of the benchmarks to run")
    flags.add_argument("-turns", type=int, default=5, help="how often each side has its turn")
    flags.add_argument("-seconds", type=float, default=seconds, help="length of a turn")
    return flags.parse_args()


@contextlib.contextmanager
def built():
    """Builds the benchmarks, and gives the path of the program."""
    with tempfile.TemporaryDirectory() as folder:
        bench = os.path.join(folder, "bench")
        subprocess.run(["go", "build", "-o", bench, "./tools/bench"], cwd=TOP, check=True)
        yield bench


def lines(bench, *args):
    """Returns what the benchmarks print."""
    out = subprocess.run([bench, *args], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def names(bench, pattern):
    """Returns the names of the benchmarks that a regular expression matches."""
    return [line["name"] for line in lines(bench, "-run", pattern, "-chunks", "1", "-time", "1us")]


def ours(bench, name, asked, chunks=3):
    """Returns hansa's rate in one turn."""
    return lines(bench, "-isa", asked.isa, "-run", f"^{name}$", "-chunks", str(chunks),
                 "-time", f"{asked.seconds / chunks}s")[0]["cpu_median"]


def rate(work, worth, seconds):
    """Returns how much work is done in a second of processor time; a call is worth so much."""
    done, start, used = 0, time.perf_counter(), time.process_time()
    while done == 0 or time.perf_counter() - start < seconds:
        work()
        done += worth
    return done / (time.process_time() - used)
