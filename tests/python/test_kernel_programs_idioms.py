"""What programs do with the language and the machine: kernels/idioms.cu. References are NumPy's; all but the sums of
floats are compared exactly."""
import numpy as np
import pytest

import cuprite as cp
from kernels import blocks, close, kernel, same

FILE = "idioms"
i4 = np.int32


def run(name, shape, block, *arguments, names=(), shared=0):
    arguments = [cp.asarray(a) if isinstance(a, np.ndarray) and a.ndim else a for a in arguments]
    kernel(FILE, name, names)((shape,), (block,), tuple(arguments), shared_mem=shared)


def draw(seed=0):
    return np.random.default_rng(seed)


def test_curious_templates():
    x, out = draw().random(50).astype("f4"), cp.zeros(50, "f4")
    run("twice_areas", 2, 32, x, out, i4(50))
    close(out, np.where(np.arange(50) % 2, 6 * x * x, 4 * x), 1e-6)


FILTERS = ["filter_1d<Clamp, 1, 2, 1>", "filter_1d<Wrap, 1, -3, 5, 7, 9>", "filter_1d<Mirror, 1, 0, 0, 0, 2, 0, 3>"]


@pytest.mark.parametrize("name, mode, taps", [(FILTERS[0], "edge", [1, 2, 1]), (FILTERS[1], "wrap", [1, -3, 5, 7, 9]),
                                              (FILTERS[2], "symmetric", [1, 0, 0, 0, 2, 0, 3])])
@pytest.mark.parametrize("n", [1, 5, 200])
def test_policies(name, mode, taps, n):
    x, y = draw().integers(-99, 99, n).astype("i4"), cp.zeros(n, "i4")
    run(name, blocks(n, 64), 64, x, y, i4(n), names=FILTERS)
    same(y, np.correlate(np.pad(x, len(taps) // 2, mode), np.array(taps, "i4"), "valid"))


def crc32c(row):
    c = 0xffffffff
    for v in row:
        c ^= int(v)
        for _ in range(8):
            c = c >> 1 ^ 0x82f63b78 if c & 1 else c >> 1
    return c ^ 0xffffffff


def test_tables_of_the_compiler():
    x, out = draw().integers(0, 256, (40, 9)).astype("u1"), cp.zeros(40, "u4")
    run("crc32c", 2, 32, x, out, i4(40), i4(9))
    same(out, np.array([crc32c(r) for r in x], "u4"))
    assert crc32c(b"123456789") == 0xe3069283


PACKS = ["largest_of<float>", "largest_of<float, int, short>"]


def test_packs():
    a, b, c = draw().standard_normal(90).astype("f4"), draw(1).integers(-2, 3, 90).astype("i4"), \
        draw(2).integers(-2, 3, 90).astype("i2")
    out = cp.zeros(90, "f4")
    run(PACKS[0], 1, 64, out, i4(90), a, names=PACKS)
    same(out, a)
    run(PACKS[1], 1, 64, out, i4(90), a, b, c, names=PACKS)
    same(out, np.maximum(np.maximum(a, b.astype("f4")), c))


def test_functions_by_number():
    x, which, y = draw().random(70).astype("f4"), draw(1).integers(0, 3, 70).astype("i4"), cp.zeros(70, "f4")
    run("by_number", 3, 32, x, which, y, i4(70))
    same(y, np.choose(which, [x * x, x / 2, x + (np.arange(70) % 32).astype("f4")]))


def test_interpreter():
    cells = draw().standard_normal((30, 4)).astype("f4")
    program = np.array([(1, 0 | 1 << 4), (2, 1 | 2 << 4), (3, 3), (1, 3 | 0 << 4), (4, 0)], "u1")
    got = cp.asarray(cells)
    run("interpret", 1, 32, program, got, i4(30))
    a, b, c, d = cells.T
    a = a + b
    b = b * c
    same(got, np.stack([a, b, c, -d + a], 1))


def test_lists():
    x, counts, sums = draw().integers(0, 1000, 500).astype("i4"), cp.zeros(8, "i4"), cp.zeros(8, "i8")
    run("push_nodes", 4, 128, x, i4(500))
    run("pop_nodes", 1, 8, counts, sums)
    same(counts, np.bincount(x & 7, minlength=8))
    same(sums, np.bincount(x & 7, x, 8))


SUMS = [f"sum_any<{t}>" for t in ("float", "double", "unsigned long long", "half", "half2")]


@pytest.mark.parametrize("name, dtype", [*zip(SUMS, ("f4", "f8", "u8", "f2", "f2"))])
def test_atomic_sums(name, dtype):
    x = draw().integers(0, 8, (200, 2) if "half2" in name else 200).astype(dtype)
    total = cp.zeros(x.shape[1:] or 1, dtype)
    run(name, 4, 64, x, total, i4(200), names=SUMS)
    same(total.get().ravel(), np.atleast_1d(x.sum(0)))


def test_extremes_of_floats():
    x = draw().standard_normal(300).astype("f4")
    least, most, all_ = cp.asarray(np.array([np.inf], "f4").view("i4")), cp.zeros(1, "i4"), cp.zeros(1, "u8")
    run("extremes", 5, 64, x[x > 0], least, most, all_, i4((x > 0).sum()))
    assert least.get().view("f4")[0] == x[x > 0].min() and most.get().view("f4")[0] == x.max()
    n = int((x > 0).sum())
    assert int(all_.get()[0]) == sum(1 << k for k in range(64) if (n - k + 63) // 64 % 2)


def test_labels():
    n, labels = 100, 5
    which, x = draw().integers(0, labels, n).astype("i4"), draw(1).integers(-9, 9, n).astype("i4")
    sums, sizes = cp.zeros(labels, "i4"), cp.zeros(labels, "i4")
    run("labelled_sums", 2, 64, which, x, sums, sizes, i4(n))
    same(sums, np.bincount(which, x, labels))
    padded = np.full(128, -1)
    padded[:n] = which
    same(sizes, [max((w == k).sum() for w in padded.reshape(-1, 32)) for k in range(labels)])


def test_halves_of_tiles():
    x = draw().integers(-50, 50, 96).astype("i4")
    x[:16] = 5  # all of one kind
    out = cp.zeros((96, 4), "i4")
    run("split_by_sign", 2, 48, x, out)
    wanted = np.zeros((96, 4), int)
    for first in range(0, 96, 16):
        for negative in (False, True):
            at = first + np.flatnonzero((x[first:first + 16] < 0) == negative)
            if not at.size:
                continue
            v = x[at]
            wanted[at, 0], wanted[at, 1] = np.cumsum(v) - v, v[0]
            wanted[at[:-1], 2], wanted[at[1:], 3] = v[1:], v[:-1]
    same(out, wanted)


TILES = [f"wide_tiles<{n}>" for n in (32, 64, 128, 256)]


@pytest.mark.parametrize("n", [32, 64, 128, 256])
def test_tiles_of_several_warps(n):
    x = draw().integers(-1, 60, 512).astype("i4")
    x[256:384] = abs(x[256:384])
    sums, scans, flags = cp.zeros((512 // n, 3), "i4"), cp.zeros(512, "i4"), cp.zeros(512, "i4")
    run(f"wide_tiles<{n}>", 2, 256, x, sums, scans, flags, names=TILES)
    t = x.reshape(-1, n)
    same(sums, np.stack([t.sum(1), t.max(1), t[:, -1]], 1))
    same(scans, (np.cumsum(t, 1) + 1000 * np.arange(n)).ravel())
    same(flags, np.repeat(2 * (t == 7).any(1) + (t >= 0).all(1) + 4, n))


@pytest.mark.parametrize("rounds", [1, 2, 7])
def test_named_barriers(rounds):
    x, out = draw().integers(0, 99, (rounds, 64)).astype("i4"), cp.zeros((rounds, 64), "i4")
    run("pipeline_of_warps", 1, 128, x, out, i4(rounds))
    same(out, 2 * x[:, ::-1] + 1)


def test_halves_in_ptx():
    a, b, c = draw().standard_normal((3, 60, 2)).astype("f2")
    got, d = cp.asarray(c), cp.zeros(60, "f2")
    run("halves_in_ptx", 1, 64, a, b, got, d, i4(60))
    same(got, (a.astype("f8") * b + c).astype("f2"))
    same(d, np.maximum(a[:, 0] + a[:, 0], b[:, 0]))


NAMES = ["(void (*)(int *, int, int))fill", "static_cast<void (*)(float *, int, float)>(fill)", "count_up",
         "count_down<double>"]


def test_names_of_overloads():
    x, y, z = cp.zeros(9, "i4"), cp.zeros(9, "f4"), cp.zeros(9)
    run(NAMES[0], 1, 32, x, i4(9), i4(7), names=NAMES)
    run(NAMES[1], 1, 32, y, i4(9), np.float32(2.5), names=NAMES)
    same(x, np.full(9, 7))
    same(y, np.full(9, 2.5))
    run("count_up", 1, 32, x, i4(9), i4(3), names=NAMES)
    run("count_down<double>", 1, 32, z, i4(9), names=NAMES)
    same(x, 3 * np.arange(9))
    same(z, 9.0 - np.arange(9))
    kernel(FILE, "_Z4fillPiii", NAMES)((1,), (32,), (x, i4(9), i4(5)))
    same(x, np.full(9, 5))
