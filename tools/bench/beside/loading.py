#!/usr/bin/env python3
"""Loading of pictures beside others: python3 tools/bench/beside/loading.py [-run RE] [-turns N]

Parquet files as they are published on the Hugging Face hub, a structure of bytes and path beside a
label, packed by Snappy, with pictures of CIFAR-10: as they are, a corner of one channel, and 49
side by side. In turns and on one thread each: hansa reads both columns, and decodes the pictures
besides; DuckDB reads both columns; Pillow decodes the same bytes (zlib, libjpeg-turbo); and zlib
unpacks what PNG packs, which no decoder can do without. Prints a table in Markdown: megabytes of
pictures, as they are in the file, a second of processor time, and how many seconds a gigabyte takes.

Needs go, NumPy, Pillow (Debian: python3-pil), node, and DuckDB (npm install @duckdb/node-api) where
node finds it, such as by NODE_PATH; and cifar-10/data_batch_1.bin.gz in the folder HANSA_DATA.
"""
import base64
import gzip
import io
import os
import re
import statistics
import subprocess
import tempfile
import zlib

import turns

import numpy
from PIL import Image

COPY = """
const {DuckDBInstance} = require("@duckdb/node-api");
const [from, to] = process.argv.slice(1);
(async () => {
  const c = await (await DuckDBInstance.create()).connect();
  await c.run(`COPY (SELECT {'bytes': from_base64(content), 'path': NULL::VARCHAR} AS image, label
    FROM read_csv('${from}', columns = {'content': 'VARCHAR', 'label': 'BIGINT'}, header = false,
    max_line_size = 10000000)) TO '${to}' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE 2048)`);
})();
"""
READ = """
const {DuckDBInstance} = require("@duckdb/node-api");
const [path, seconds] = process.argv.slice(1);
(async () => {
  const c = await (await DuckDBInstance.create(":memory:", {threads: "1"})).connect();
  const read = async () => Number((await c.runAndReadAll(
    `SELECT sum(octet_length(image.bytes)), sum(label) FROM '${path}'`)).getRows()[0][0]);
  await read();
  let bytes = 0;
  const from = process.cpuUsage(), start = Date.now();
  while (bytes === 0 || Date.now() - start < 1000 * seconds) bytes += await read();
  const used = process.cpuUsage(from);
  console.log(bytes / (used.user + used.system));
})();
"""


def images():
    """The images of a file of CIFAR-10."""
    with gzip.open(os.path.join(os.environ["HANSA_DATA"], "cifar-10", "data_batch_1.bin.gz")) as f:
        rows = numpy.frombuffer(f.read(5000 * 3073), numpy.uint8).reshape(-1, 3073)
    return rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)


def mosaics(cifar, turns=1):
    """49 images side by side, again in other places in every turn."""
    whole = numpy.concatenate([numpy.roll(cifar, 7 * k, 0)[:len(cifar) // 49 * 49]
                               for k in range(turns)]).reshape(-1, 7, 7, 32, 32, 3)
    return whole.transpose(0, 1, 3, 2, 4, 5).reshape(-1, 224, 224, 3)


def encoded(pictures, form):
    """The files of pictures."""
    files = []
    for picture in pictures:
        to = io.BytesIO()
        Image.fromarray(numpy.ascontiguousarray(picture)).save(to, form)
        files.append(to.getvalue())
    return files


def decode(files):
    """Decodes all files by Pillow."""
    for content in files:
        Image.open(io.BytesIO(content)).load()


def packed(content):
    """What a PNG file has packed."""
    at, parts = 8, []
    while at < len(content):
        n = int.from_bytes(content[at:at + 4], "big")
        if content[at + 4:at + 8] == b"IDAT":
            parts.append(content[at + 8:at + 8 + n])
        at += 12 + n
    return b"".join(parts)


def node(script, *args):
    """Runs a script that has DuckDB, and returns what it prints."""
    return subprocess.run(["node", "-e", script, *args], check=True, stdout=subprocess.PIPE).stdout


def write(path, files):
    """Writes a file with a column of pictures and one of labels."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        for k, content in enumerate(files):
            f.write(f"{base64.b64encode(content).decode()},{k % 10}\n")
        f.flush()
        node(COPY, f.name, path)


def ours(bench, name, path, size, asked):
    """Returns hansa's rate in one turn."""
    os.environ["BENCH_PARQUET"], os.environ["BENCH_SIZE"] = path, str(size)
    return turns.ours(bench, name, asked)


def median(of, asked):
    """Returns medians of several rates over turns."""
    seen = [[rate() for rate in of] for _ in range(asked.turns)]
    return [statistics.median(rates) for rates in zip(*seen)]


def main():
    asked = turns.asked(__doc__, 1)
    cifar = images()
    kinds = {"png/32": (cifar, "PNG", 32), "png/28/grey": (cifar[:, 2:30, 2:30, 1], "PNG", 28),
             "png/224": (mosaics(cifar), "PNG", 224), "jpeg/32": (cifar, "JPEG", 32),
             "jpeg/224": (mosaics(cifar, 7), "JPEG", 224)}
    print("| pictures | bytes | columns | DuckDB | ratio | decoded | Pillow | ratio | zlib alone "
          "| hansa, s/GB | Pillow |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    with turns.built() as bench, tempfile.TemporaryDirectory() as folder:
        for name, (pictures, form, size) in kinds.items():
            if not re.search(asked.run, name):
                continue
            files, path = encoded(pictures, form), os.path.join(folder, "x.parquet")
            streams = [packed(content) for content in files] if form == "PNG" else []
            size_mb = sum(map(len, files)) / 1e6
            write(path, files)
            r = median([
                lambda: ours(bench, "dataset/file/columns", path, size, asked),
                lambda: float(node(READ, path, str(asked.seconds))),
                lambda: ours(bench, "dataset/file/pictures", path, size, asked),
                lambda: turns.rate(lambda: decode(files), size_mb, asked.seconds),
                lambda: turns.rate(lambda: [zlib.decompress(s) for s in streams], size_mb,
                                   asked.seconds) if streams else 0,
            ], asked)
            alone = f"{r[4]:.0f}" if streams else ""
            print(f"| `{name}` | {1e6 * size_mb / len(files):.0f} | {r[0]:.0f} | {r[1]:.0f} | "
                  f"{r[0] / r[1]:.2f} | {r[2]:.1f} | {r[3]:.1f} | {r[2] / r[3]:.2f} | {alone} | "
                  f"{1000 / r[2]:.1f} | {1000 / r[3]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
