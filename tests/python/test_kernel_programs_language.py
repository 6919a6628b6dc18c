"""Kernels that show what the language has: recursion, templates, structures, atomics, symbols, loops with barriers,
votes, shuffles, printing, whole grids that wait."""
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp
from kernels import FOLDER, blocks, kernel, same, variable


def integers(*shape, low=0, high=100, dtype="i4", seed=0):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def test_recursion():
    n = 300
    fib, divisor = cp.zeros(n, "u8"), cp.zeros(n, "i4")
    kernel("language", "recursion")((blocks(n, 64),), (64,), (fib, divisor, np.int32(n)))
    f = [0, 1]
    while len(f) < 16:
        f.append(f[-1] + f[-2])
    same(fib, [f[i % 16] for i in range(n)])
    same(divisor, [math.gcd(i, 360) for i in range(n)])


@pytest.mark.parametrize("n", [1, 100, 5001])
def test_structures(n):
    x, out = integers(n, dtype="f4"), cp.zeros(n, "f4")
    a = cp.asarray(x)
    record = np.dtype([("n", "i4"), ("scale", "f4", 3), ("x", "u8"), ("y", "u8")], align=True)
    p = np.array((n, (1, 2, 0.5), a.data.ptr, out.data.ptr), record)
    kernel("language", "structures")((3,), (64,), (p,))
    same(out, x * np.array([1, 2, 0.5], "f4")[np.arange(n) % 3])


POLYNOMIALS = ["geometry::polynomial<float, 3>", "geometry::polynomial<long long, 2>", "geometry::polynomial<int, 0>"]


@pytest.mark.parametrize("name, dtype, power", [*zip(POLYNOMIALS, ("f4", "i8", "i4"), (3, 2, 0))])
@pytest.mark.parametrize("n", [1, 77, 1000])
def test_templates_in_a_namespace(name, dtype, power, n):
    x, out = integers(n, dtype=dtype, high=50), cp.zeros(n, dtype)
    kernel("language", name, POLYNOMIALS)((blocks(n, 128),), (128,), (cp.asarray(x), out, np.int32(n)))
    same(out, x ** power + 2 * x * x + 2)


FILLS = ["fill<float>", "fill<int>", "fill<bool>"]


@pytest.mark.parametrize("name, dtype", [*zip(FILLS, ("f4", "i4", "?"))])
def test_specialized_templates(name, dtype):
    n = 100
    out = cp.zeros(n, dtype)
    kernel("language", name, FILLS)((2,), (64,), (out, np.int32(n)))
    i = np.arange(n)
    same(out, {"f4": i / 2, "i4": i // 2, "?": i % 3 == 0}[dtype])


@pytest.mark.parametrize("n", [1, 1000, 20011])
def test_loops_of_compare_and_swap(n):
    x, total, largest = integers(n, dtype="f4", high=5000), cp.zeros(1), cp.zeros(1, "f4")
    kernel("language", "cas_loops")((blocks(n, 128),), (128,), (cp.asarray(x), total, largest, np.int32(n)))
    assert total.get()[0] == x.sum(dtype="f8") and largest.get()[0] == x.max()


@pytest.mark.parametrize("n", [1, 1000, 20011])
def test_lock(n):
    x, total = integers(n), cp.zeros(1, "i8")
    kernel("language", "locked")((blocks(n, 64),), (64,), (cp.asarray(x), total, np.int32(n)))
    assert total.get()[0] == x.sum()


@pytest.mark.parametrize("n", [1, 100, 5003])
def test_atomics(n):
    v, u = cp.asarray(np.array([0, 0, -5, 7, -1, 0, 0, 0], "i4")), cp.zeros(2, "u4")
    kernel("language", "atomics")((blocks(n, 96),), (96,), (v, u, np.int32(n)))
    i = np.arange(n)
    same(v, [10 * n, -10 * n, max(-5, n - 1), 0, np.bitwise_and.reduce(2 * i + 7), np.bitwise_or.reduce(1 << i % 20),
             np.bitwise_xor.reduce(i), n - 1])
    same(u, [n % 17, -n % 137])


def test_symbols():
    n = 100
    calls, table = variable("language", "calls", (), "i4"), variable("language", "table", (2, 3), "f4")
    coefficients = variable("language", "coefficients", (4,), "f4")
    calls[...], table[...], coefficients[...] = 0, 1, cp.asarray(np.array([1, 2, 3, 4], "f4"))
    x, y, k = integers(n, dtype="f4", high=10), cp.zeros(n, "f4"), kernel("language", "symbols")
    k((2,), (64,), (cp.asarray(x), y, np.int32(n)))
    same(y, 4 * x ** 3 + 3 * x ** 2 + 2 * x + 1)
    coefficients[...] = cp.asarray(np.array([5, 0, 0, 1], "f4"))
    k((2,), (64,), (cp.asarray(x), y, np.int32(n)))
    same(y, x ** 3 + 5)
    assert int(calls) == 2
    same(table, 1 + 2 * np.arange(6.0).reshape(2, 3))


@pytest.mark.parametrize("n", [1, 33, 256])
def test_arrays_in_dynamic_memory(n):
    x = np.random.default_rng(3).random(n, "f4")
    order, squares = cp.zeros(n, "i4"), cp.zeros(n)
    kernel("language", "dynamic_arrays")((1,), (n,), (cp.asarray(x), order, squares, np.int32(n)), shared_mem=14 * n)
    same(squares, x[::-1].astype("f8") ** 2)
    same(order, (np.arange(n) + 1) % n + np.where(x[::-1] > 0.5, 1000, 0))


@pytest.mark.parametrize("n", [1, 64, 65, 1000])
def test_early_return(n):
    x, out = integers(n, low=-20), cp.full(n, -7, "i4")
    kernel("language", "early_return")((blocks(n, 64),), (64,), (cp.asarray(x), out, np.int32(n)))
    left = np.where(np.arange(n) % 64, np.roll(x, 1), 0)
    same(out, np.where(x < 0, -7, left + x))


@pytest.mark.parametrize("threads", [1, 50, 128])
def test_rounds_that_depend_on_data(threads):
    steps = np.array([0, 1, 5, 200], "i4")
    out = cp.zeros((4, threads), "i4")
    kernel("language", "data_dependent_trips")((4,), (threads,), (cp.asarray(steps), out))
    same(out, (np.arange(threads) + steps[:, None]) % threads * 1000 + steps[:, None])


@pytest.mark.parametrize("threads", [1, 33, 96])
@pytest.mark.parametrize("rounds", [1, 4, 9])
def test_odd_loops(threads, rounds):
    x = integers(threads)
    a = cp.asarray(x)
    kernel("language", "odd_loops")((1,), (threads,), (a, np.int32(rounds)))
    wanted = np.roll(x, -rounds)
    wanted[1:rounds:2] += 100
    same(a, wanted[::-1])


@pytest.mark.parametrize("n", [1, 64, 100, 1000])
def test_macros(n):
    x, m = integers(n), blocks(n, 64) * 64
    padded = np.concatenate([x, np.full(m - n, -1)]).reshape(-1, 64)
    for options, wanted in [((), np.roll(padded, -32, 1)), (("-DBACKWARDS",), padded[:, ::-1])]:
        out = cp.zeros(n, "i4")
        kernel("language", "macros", (), options)((m // 64,), (64,), (cp.asarray(x), out, np.int32(n)))
        same(out, wanted.ravel()[:n])


def test_votes():
    x = integers(4 * 96, high=10)
    x[32:64], x[64:96], x[200] = 9, 0, -1
    warps = len(x) // 32
    ballots, any_all, counts = cp.zeros(warps, "u4"), cp.zeros(warps, "i4"), cp.zeros((4, 3), "i4")
    kernel("language", "votes")((4,), (96,), (cp.asarray(x), ballots, any_all, counts))
    w, b = x.reshape(-1, 32), x.reshape(4, 96)
    same(ballots, ((w > 5) * (1 << np.arange(32, dtype="u8"))).sum(1).astype("u4"))
    every = (w >= 0).all(1)
    same(any_all, 2 * (w == 7).any(1) + every + 4 * every)
    same(counts, np.stack([(b > 0).sum(1), (b >= 0).all(1), (b == 9).any(1)], 1))


def test_shuffles():
    x = np.random.default_rng(4).random(96)
    out = cp.zeros((4, 96))
    kernel("language", "shuffles")((1,), (96,), (cp.asarray(x), *out))
    w, lane = x.reshape(3, 32), np.arange(32)
    same(out[0], np.repeat(w[:, 5], 32))
    same(out[1], np.roll(w, -1, 1).ravel())
    same(out[2], w[:, np.where(lane % 8 + 3 < 8, lane + 3, lane)].ravel())
    same(out[3], np.repeat(w.max(1), 32))


def test_reductions_of_a_warp():
    x = integers(2 * 64, high=1000, dtype="u4")
    sums, largest = cp.zeros(4, "u4"), cp.zeros(4, "i4")
    kernel("language", "warp_reduce")((2,), (64,), (cp.asarray(x), sums, largest))
    same(sums, x.reshape(-1, 32).sum(1))
    same(largest, x.reshape(-1, 32).max(1).astype("i4") - 100)


def test_intrinsics():
    x = np.concatenate([integers(500, high=2 ** 32, dtype="u4"), [0, 1, 2 ** 31, 2 ** 32 - 1]]).astype("u4")
    out = cp.zeros((len(x), 8), "i4")
    kernel("language", "intrinsics")((blocks(len(x), 128),), (128,), (cp.asarray(x), out, np.int32(len(x))))
    mask = 2 ** 32 - 1

    def row(v):
        bits = f"{v:032b}"
        both = v.to_bytes(4, "little") + (~v & mask).to_bytes(4, "little")
        half = float(np.float32(np.float32(v) * np.float32(0.5)))
        clamp = lambda f: int(min(max(f, -2 ** 31), 2 ** 31 - 1))  # noqa: E731
        return [bits.count("1"), 32 - v.bit_length(), (v & -v).bit_length(), int(bits[::-1], 2),
                v * 0x9e3779b9 >> 32, int.from_bytes(bytes(both[i] for i in (5, 1, 7, 3)), "little"),
                clamp(np.rint(half)) - clamp(np.trunc(half)), (v << 7 | v >> 25) & mask]
    same(out.get().astype("u4"), np.array([[c & mask for c in row(int(v))] for v in x], "u4"))


@pytest.mark.parametrize("n", [1, 1000])
def test_control_flow(n):
    x, out = integers(n, high=2000), cp.zeros(n, "i4")
    kernel("language", "control_flow")((blocks(n, 256),), (256,), (cp.asarray(x), out, np.int32(n)))
    prime = np.array([2, 3, 5, 7, 11])[np.arange(n) % 5]
    q, r = x // prime, x % prime
    same(out, np.where(r == 0, q, np.where(r < 3, -q, np.where(q > 10, 10, r))))


# --- groups ---

@pytest.mark.parametrize("n", [1, 1000, 20011])
@pytest.mark.parametrize("shape", [(1, 32), (7, 64), (20, 256)])
def test_grid_that_waits(n, shape):
    x, partial, out = integers(n), cp.zeros(shape[0], "i4"), cp.zeros(1, "i4")
    k = kernel("cooperative", "grid_reduce", cooperative=True)
    k(shape[:1], shape[1:], (cp.asarray(x), partial, out, np.int32(n)), shared_mem=4 * shape[1])
    assert out.get()[0] == x.sum()


@pytest.mark.parametrize("n", [3, 500])
@pytest.mark.parametrize("steps", [0, 1, 8])
def test_steps_of_a_whole_grid(n, steps):
    x = integers(n, dtype="f4")
    a, b = cp.asarray(x), cp.zeros(n, "f4")
    kernel("cooperative", "jacobi", cooperative=True)((4,), (64,), (a, b, np.int32(n), np.int32(steps)))
    for _ in range(steps):  # halves of small integers are exact
        x[1:-1] = 0.5 * (x[:-2] + x[2:])
    same(b if steps % 2 else a, x)


TILES = [f"tile_sums<{n}>" for n in (1, 4, 16, 32)]


@pytest.mark.parametrize("size", [1, 4, 16, 32])
def test_tiles(size):
    x = integers(2 * 96)
    sums, ranks = cp.zeros(len(x) // size, "i4"), cp.zeros(len(x), "i4")
    kernel("cooperative", f"tile_sums<{size}>", TILES)((2,), (96,), (cp.asarray(x), sums, ranks))
    same(sums, x.reshape(-1, size).sum(1))
    same(ranks, np.arange(len(x)) % size)


@pytest.mark.parametrize("n", [1, 100, 5003])
def test_coalesced_lanes(n):
    x, out, count = integers(n), cp.full(n, -1, "i4"), cp.zeros(1, "i4")
    kernel("cooperative", "filter_coalesced")((blocks(n, 96),), (96,), (cp.asarray(x), out, count, np.int32(n)))
    wanted = np.sort(x[x % 2 == 1])
    assert count.get()[0] == len(wanted)
    same(np.sort(out.get()[:len(wanted)]), wanted)


# --- text ---

PRINTING = """
import sys
import cuprite as cp
with cp.cuda.Device({device}):
    k = cp.RawModule(code=open({path!r}).read(), options=("--std=c++17",)).get_function("hello")
    k((2,), (32,), (cp.asarray(3).astype("i4").get()[()],))
    cp.cuda.get_current_stream().synchronize()
"""


def test_printing(device):
    if not device.startswith("cpu"):
        environment, number = {**os.environ, "CUPRITE_DEVICE": device}, "cp.cuda.runtime.getDevice()"
    else:
        environment, number = {**os.environ, "CUPRITE_DEVICE": "cpu"}, "cp.cuda.runtime.getDevice()"
    run = subprocess.run([sys.executable, "-c", PRINTING.format(device=number, path=str(FOLDER / "language.cu"))],
                         env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert sorted(run.stdout.splitlines()) == [f"block {b} thread {t}: hello {t / 4:.2f}" for b in range(2)
                                               for t in range(3)]
    assert kernel("language", "hello").name == "hello"
