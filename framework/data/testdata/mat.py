"""Writes arrays like those of SVHN as MAT-files of version 5, by SciPy, packed and not."""
import numpy
import scipy.io

x = (numpy.arange(4 * 3 * 3 * 5, dtype=numpy.int64) * 7 % 251).astype(numpy.uint8)
x = x.reshape((4, 3, 3, 5), order="F")
y = numpy.array([[1], [10], [3], [10], [9]], dtype=numpy.uint8)
real = numpy.array([[0.5, -2.0, 3.0]])
for name, packed in ("mat_packed.mat", True), ("mat_plain.mat", False):
    scipy.io.savemat(name, {"note": "x", "X": x, "y": y, "real": real,
                            "short": numpy.array([[300, -300]], dtype=numpy.int16)},
                     do_compression=packed)
