"""Writes arrays of every type, order and shape as NumPy does, each beside its values.

    python3 arrays.py FOLDER

An array x becomes x.npy, and an array of the archives plain.npz and packed.npz. Its values, as
float64 row by row, are x.f64, its dimensions a line of index.txt.
"""
import sys
import numpy

folder = sys.argv[1] + "/"
rng = numpy.random.RandomState(7)
arrays = {}
for kind in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
    values = rng.standard_normal((7, 3)) * 60
    if kind[0] == "f":
        values[0] = [numpy.inf, -numpy.inf, numpy.nan]
        values[1] = [0, -0.0, numpy.finfo(kind).tiny / 4]
    elif kind[0] == "u":
        values = abs(values)
    little = values.astype("<" + kind)
    arrays[kind] = little
    arrays[kind + "-big"] = little.astype(">" + kind)
    arrays[kind + "-fortran"] = numpy.asfortranarray(little)
    arrays[kind + "-big-fortran"] = numpy.asfortranarray(little.astype(">" + kind))
arrays["bool"] = rng.standard_normal(11) > 0
arrays["half"] = numpy.arange(1 << 16, dtype=numpy.uint16).view(numpy.float16)
arrays["list"] = rng.standard_normal(5)
arrays["column"] = rng.standard_normal((5, 1))
arrays["strided"] = rng.standard_normal((8, 6))[::2, ::-3]
arrays["four"] = rng.standard_normal((3, 2, 4, 5))
arrays["four-fortran"] = numpy.asfortranarray(arrays["four"].astype("f4"))
arrays["large"] = rng.standard_normal((1500, 130)).astype("f4")
arrays["large-fortran"] = numpy.asfortranarray(arrays["large"])
arrays["empty"] = numpy.zeros((0, 4))
arrays["narrow"] = numpy.zeros((4, 0), order="F")
for name, array in arrays.items():
    numpy.save(folder + name + ".npy", array)
    array.astype("<f8").ravel(order="C").tofile(folder + name + ".f64")
numpy.savez(folder + "plain.npz", **arrays)
numpy.savez_compressed(folder + "packed.npz", **arrays)
for version in [(2, 0), (3, 0)]:
    name = "version-%d" % version[0]
    arrays[name] = arrays["four"]
    with open(folder + name + ".npy", "wb") as file:
        numpy.lib.format.write_array(file, arrays[name], version=version)
    arrays[name].tofile(folder + name + ".f64")
with open(folder + "index.txt", "w") as file:
    for name, array in arrays.items():
        print(name, *array.shape, file=file)
numpy.save(folder + "bad-text.npy", numpy.array(["amazon", "dslr"]))
numpy.save(folder + "bad-complex.npy", numpy.zeros(3, "c16"))
numpy.save(folder + "bad-record.npy", numpy.zeros(3, [("x", "<f4"), ("y", "<i4")]))
numpy.save(folder + "bad-object.npy", numpy.array([{}, []], dtype=object), allow_pickle=True)
numpy.save(folder + "bad-single.npy", numpy.float64(3))
