#!/usr/bin/env python3
"""Matrix products beside OpenBLAS: python3 tools/bench/beside/gemm.py [-isa avx2] [-run RE]

Each product of `bench -run '^gemm/'` is measured by bench and by OpenBLAS in turns, on one
thread and with the kernels that OpenBLAS takes for this processor. One JSON line per product:
the best rates in GFLOPS and their ratio; then the geometric mean and the least of the ratios.
Needs go, a C compiler and libopenblas.so.0 (Debian: libopenblas0-pthread).
"""
import argparse
import ctypes
import json
import math
import os
import random
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
CHUNK, CHUNKS = 0.002, 15  # seconds: short, so that some chunks have a processor to themselves

# What measures OpenBLAS, so that no call from Python is in the time.
TIMER = """
#include <time.h>
typedef void (*gemm)(int, int, int, int, int, int, REAL, REAL *, int, REAL *, int, REAL, REAL *, int);
double seconds_REAL(gemm f, int calls, int ta, int tb, int m, int n, int k, REAL *a, REAL *b, REAL *c)
{
	struct timespec t, u;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (int i = 0; i < calls; i++)
		f(101, ta ? 112 : 111, tb ? 112 : 111, m, n, k, 1, a, ta ? m : k, b, tb ? k : n, 0, c, n);
	clock_gettime(CLOCK_MONOTONIC, &u);
	return ((u.tv_sec - t.tv_sec) + 1e-9 * (u.tv_nsec - t.tv_nsec)) / calls;
}
"""


def timers(folder):
    """The timer for f32 and for f64."""
    found = {}
    for kind, real in ("f32", "float"), ("f64", "double"):
        source, built = (os.path.join(folder, kind + end) for end in (".c", ".so"))
        with open(source, "w") as file:
            file.write(TIMER.replace("REAL", real))
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, source], check=True)
        found[kind] = ctypes.CDLL(built)["seconds_" + real]
        found[kind].restype = ctypes.c_double
    return found


class Product:
    """c = a·b by OpenBLAS, as gemm/MxKxN/NN/f32 asks for."""

    def __init__(self, blas, timers, name):
        _, shape, forms, kind = name.split("/")
        m, k, n = map(int, shape.split("x"))
        real, f = (ctypes.c_float, blas.cblas_sgemm) if kind == "f32" else (
            ctypes.c_double, blas.cblas_dgemm)
        data = [(real * size)(*(random.gauss(0, 1) for _ in range(min(size, 999))))
                for size in (m * k, k * n, m * n)]
        self.seconds = lambda calls: timers[kind](
            f, calls, forms[0] == "T", forms[1] == "T", m, n, k, *data)
        self.gflop = 2e-9 * m * n * k
        self.calls = max(1, int(CHUNK / self.seconds(3)))

    def best(self):
        """The best rate of some chunks."""
        return self.gflop / min(self.seconds(self.calls) for _ in range(CHUNKS))


def lines(bench, *args):
    out = subprocess.run([bench, *args], stdout=subprocess.PIPE, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def compare(asked, folder):
    """Prints a line per product and returns the ratios."""
    blas, timer = ctypes.CDLL("libopenblas.so.0"), timers(folder)
    blas.openblas_get_corename.restype = ctypes.c_char_p
    print("OpenBLAS:", blas.openblas_get_corename().decode(), file=sys.stderr)
    bench = os.path.join(folder, "bench")
    subprocess.run(["go", "build", "-o", bench, "./tools/bench"], cwd=TOP, check=True)
    ratios = []
    for line in lines(bench, "-run", asked.run, "-chunks", "1", "-time", "1us"):
        name = line["name"]
        if not name.startswith("gemm/") or name.endswith("/gonum"):
            continue
        product, ours, theirs = Product(blas, timer, name), 0, 0
        for _ in range(asked.rounds):
            ours = max(ours, lines(bench, "-isa", asked.isa, "-run", f"^{name}$", "-chunks",
                                   str(CHUNKS), "-time", f"{CHUNK}s")[0]["best"])
            theirs = max(theirs, product.best())
        ratios.append(ours / theirs)
        print(json.dumps({"name": name, "unit": "GFLOPS", "hansa": round(ours, 1),
                          "openblas": round(theirs, 1), "ratio": round(ratios[-1], 3)}), flush=True)
    return ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-isa", default="", help="path of hansa's kernels")
    parser.add_argument("-run", default="^gemm/", help="regular expression of the products")
    parser.add_argument("-rounds", type=int, default=5, help="turns")
    asked = parser.parse_args()
    if "OPENBLAS_CORETYPE" in os.environ or os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        # OpenBLAS reads the environment when it is loaded.
        os.environ.pop("OPENBLAS_CORETYPE", None)
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    with tempfile.TemporaryDirectory() as folder:
        ratios = compare(asked, folder)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(json.dumps({"name": "gemm", "geomean": round(mean, 3), "least": round(min(ratios), 3)}))


if __name__ == "__main__":
    main()
