"""The GPU's kernels of scans (src/array/scan/runs.cuh) as kernels of a user's, on every device: so CI, which has no
GPU, runs their indices and waits on the CPU. Compared with NumPy's accumulations, around the bounds of vectors,
segments, tiles and chunks; integers and choices exactly, sums within what float64 rounds.

Each test names the launch's geometry, as the launchers of src/array/scan/launch_cuda.h do."""
import functools
import pathlib
import sys

import numpy as np
import pytest

import cuprite as cp

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "generate"))
import module_folders  # noqa: E402

TYPES = """
namespace {
struct c8 { float re, im; };
struct c16 { double re, im; };
}
"""
C = {"b1": "unsigned char", "i1": "signed char", "u1": "unsigned char", "i2": "short", "u2": "unsigned short",
     "i4": "int", "u4": "unsigned", "i8": "long long", "u8": "unsigned long long", "f4": "float", "f8": "double",
     "c8": "c8", "c16": "c16"}
ADD, TIMES = np.add, np.multiply
BITS = [np.bitwise_and, np.bitwise_or, np.bitwise_xor]


def words(kind, f, t, u=None):
    """What the scan of elements t, gathered as u, is called."""
    u = u or t
    times, unsigned = str(f is TIMES).lower(), C["u" + t[1:]] if t[0] in "iu" else None
    if kind == "whole":
        return f"runs::whole<{'runs::flag' if t == 'b1' else C[t]}, {C['u' + u[1:]]}, {times}>"
    if kind == "widened":
        return f"runs::widened<{unsigned}, {times}>"
    if kind in ("real", "complexes"):
        return f"runs::{kind}<{C[t]}, {times}>"
    if kind == "truth":
        return "runs::truth"
    if kind == "choice_of_real":
        numbers, least = f in (np.fmax, np.fmin), f in (np.minimum, np.fmin)
        return f"runs::choice_of_real<{C[t]}, {str(numbers).lower()}, {str(least).lower()}>"
    return f"runs::{kind}<{unsigned}>"


def mode(kind, f, t):
    """What the scan's traits are made of."""
    sign, least = 1 << 8 * bytes_of(t) - 1, f in (np.minimum, np.fmin)
    if kind == "widened":
        return np.uint64(sign if t[0] == "i" else 0)
    if kind in ("bits", "truth"):
        return np.uint64(BITS.index(f))
    if kind == "choice_of_whole":
        return np.uint64((sign if t[0] == "i" else 0) ^ (2 * sign - 1 if least else 0))
    return np.uint64(kind == "whole_of_few_bits" and f is TIMES)


CASES = [("whole", ADD, "b1", "i8"), ("widened", ADD, "i1", "i8"), ("whole", ADD, "i4", "i8"),
         ("widened", TIMES, "u2", "u8"), ("widened", ADD, "u1", "u8"), ("widened", TIMES, "i4", "i8"),
         ("whole", ADD, "i8", "i8"), ("whole_of_few_bits", ADD, "u1", "u1"),
         ("whole_of_few_bits", TIMES, "i2", "i2"),
         ("whole", TIMES, "i4", "i4"),
         ("real", ADD, "f4", "f4"), ("real", ADD, "f8", "f8"), ("real", TIMES, "f4", "f4"),
         ("complexes", ADD, "c8", "c8"), ("complexes", TIMES, "c8", "c8"), ("complexes", ADD, "c16", "c16"),
         ("complexes", TIMES, "c16", "c16"), ("truth", np.bitwise_or, "b1", "b1"),
         ("truth", np.bitwise_xor, "b1", "b1"),
         ("truth", np.bitwise_and, "b1", "b1"), ("bits", np.bitwise_or, "u8", "u8"),
         ("bits", np.bitwise_and, "i2", "i2"), ("bits", np.bitwise_xor, "u1", "u1"),
         ("choice_of_whole", np.maximum, "i1", "i1"),
         ("choice_of_whole", np.minimum, "i8", "i8"), ("choice_of_whole", np.minimum, "u2", "u2"),
         ("choice_of_whole", np.maximum, "u4", "u4"),
         ("choice_of_real", np.maximum, "f4", "f4"), ("choice_of_real", np.minimum, "f8", "f8"),
         ("choice_of_real", np.fmax, "f8", "f8"), ("choice_of_real", np.fmin, "f4", "f4")]


def quick(device):
    """The option that lets g++ compile in half the time; older versions of NVRTC do not know it. ("max" takes a third,
    but what it makes of these kernels runs for four times as long.)"""
    return () if device.startswith("cuda") else ("--Ofast-compile=mid",)


@functools.lru_cache(maxsize=None)
def kernels(device, name):
    text = TYPES + module_folders.file("scan/runs.cuh").read_text()
    names = tuple(f"runs::{k}<{name}>" for k in ("sums", "rows", "column_sums", "columns"))
    module = cp.RawModule(code=text, name_expressions=names, options=("--std=c++17", *quick(device)))
    return [module.get_function(k) for k in names]


def elements(rng, n, t, f):
    """Elements that show which of them was taken: NaN, both zeros, ends of the type."""
    if t == "b1":
        return rng.random(n) < (0.01 if f is np.bitwise_or else 0.7)
    if t[0] in "iu":
        info = np.iinfo(t)
        x = rng.integers(info.min, info.max, n, dtype=t, endpoint=True)
        return x | 1 if f is TIMES else x
    if f in (ADD, TIMES):
        x = rng.uniform(0.99, 1.01, n) if f is TIMES else rng.standard_normal(n)
        if t[0] == "c":
            x = np.exp(1j * x) if f is TIMES else x + 1j * rng.standard_normal(n)
        return x.astype(t)
    x = (np.arange(n) * (1 if f in (np.maximum, np.fmax) else -1) + rng.standard_normal(n) * n / 4).astype(t)
    x[rng.random(n) < 0.2] = np.nan if f in (np.fmax, np.fmin) else 0
    if f in (np.maximum, np.minimum) and n > 40:
        x[n // 3 * 2:] = np.nan
    x[:n // 3] = rng.choice([0.0, -0.0], n // 3)
    return x


def bytes_of(t):
    return int(t[1:])


def gathered(kind, f, t, u):
    """Bytes of what is gathered, as the struct of the words has them."""
    if kind == "complexes":
        return 24 if f is TIMES else 16
    if kind == "real":
        return 8
    return bytes_of(u) if kind == "choice_of_real" else max(bytes_of(u), 4)


def segment_of(kind, f, t, u):
    """Elements that a warp takes at once: struct reach."""
    V = 16 // bytes_of(u)
    return 32 * V * min(max(128 // (V * gathered(kind, f, t, u)), 2), 4 if V < 4 else 8)


def first_of_equals(want, x, f, axis):
    """Of zeros of both signs and of NaN the first, as it lies there."""
    x, want = np.moveaxis(x, axis, -1), np.moveaxis(want, axis, -1)
    now, before = x[..., 1:], want[..., :-1]
    new = now > before if f in (np.maximum, np.fmax) else now < before
    nan = np.isnan(now), np.isnan(before)
    new |= ~nan[0] & nan[1] if f in (np.fmax, np.fmin) else nan[0] & ~nan[1]
    at = np.zeros(x.shape, int)
    at[..., 1:] = np.where(new, np.arange(1, x.shape[-1]), 0)
    got = np.take_along_axis(x, np.maximum.accumulate(at, -1), -1)
    np.testing.assert_array_equal(got, want)
    return np.ascontiguousarray(np.moveaxis(got, -1, axis))


def check(got, x, f, u, axis):
    if np.dtype(u).kind in "fc" and f in (ADD, TIMES):
        wide = f.accumulate(x.astype("G" if np.dtype(u).kind == "c" else "g"), axis)
        scale = np.abs(x).astype("g").sum(axis, keepdims=True) if f is ADD else np.abs(wide)
        bound = 4 * np.finfo(u).eps * np.abs(wide) + 4 * x.shape[axis] * np.finfo("f8").eps * scale
        assert (np.abs(got - wide) <= bound).all()
        return
    want = f.accumulate(x, axis, dtype="?" if u == "b1" else u)
    if np.dtype(u).kind == "f":
        want = first_of_equals(want, x, f, axis)
    assert got.dtype == want.dtype
    known = got == got
    np.testing.assert_array_equal(known, want == want)  # a GPU has one NaN of its own
    np.testing.assert_array_equal(got[known].view(f"u{bytes_of(u)}"), want[known].view(f"u{bytes_of(u)}"))


@pytest.mark.parametrize("kind, f, t, u", CASES)
def test_rows(device, kind, f, t, u):
    """Rows in one chunk and in several, in place and not, from aligned and misaligned memory."""
    sums, rows, _, _ = kernels(device, words(kind, f, t, u))
    kind_mode = mode(kind, f, t)
    rng = np.random.default_rng(0)
    V = 16 // bytes_of(u)
    segment = segment_of(kind, f, t, u)
    for threads, each, sizes in ((32, 1, (1, 2, V, segment, segment + 1, 3 * segment - 1)),
                                 (64, 2, (2 * segment - 1, 5 * segment + 3, 9 * segment + V + 1)),
                                 (128, 1, (4 * segment, 4 * segment + 1, 8 * segment + 5))):
        tile = threads // 32 * segment
        for n in sizes:
            for outer, gap, whole_rows in ((1, 0, False), (3, 0, False), (3, 1, True), (2, 1, False)):
                x = elements(rng, outer * n, t, f)
                tiles = (n + V - 2) // tile + 1
                per = tiles if whole_rows else each
                pieces = (tiles - 1) // per + 1
                space = cp.asarray(np.concatenate([x[:gap], x]))
                from_, to = space[gap:], cp.zeros(outer * n + 2 * gap, u if u != "b1" else "?")
                out = to[gap:gap + outer * n]
                memory = cp.zeros(outer * pieces * gathered(kind, f, t, u), "u1")
                more = (np.int64(n), np.int64(pieces), np.int64(outer * pieces), np.int64(per))
                if pieces > 1:
                    sums((outer,), (threads,), (from_, *more, memory, kind_mode))
                rows((outer * pieces,), (threads,), (from_, out, *more, memory, kind_mode))
                check(out.get().reshape(outer, n), x.reshape(outer, n), f, u, 1)
                beside = to.get()
                assert not beside[:gap].any() and not beside[gap + outer * n:].any()
                if t == u:
                    rows((outer * pieces,), (threads,), (from_, from_, *more, memory, kind_mode))
                    assert from_.get().tobytes() == out.get().tobytes()


@pytest.mark.parametrize("kind, f, t, u", CASES)
def test_columns(device, kind, f, t, u):
    _, _, sums, columns = kernels(device, words(kind, f, t, u))
    kind_mode = mode(kind, f, t)
    rng = np.random.default_rng(1)
    for outer, n, inner, each in ((1, 1, 5, 1), (1, 40, 130, 9), (3, 33, 3, 33), (2, 50, 1, 16), (1, 64, 256, 8)):
        x = elements(rng, outer * n * inner, t, f)
        lanes, pieces = outer * inner, (n - 1) // each + 1
        across = (lanes - 1) // 128 + 1
        from_, out = cp.asarray(x), cp.zeros(x.size, u if u != "b1" else "?")
        memory = cp.zeros(lanes * pieces * gathered(kind, f, t, u), "u1")
        more = (np.int64(lanes), np.int64(n), np.int64(inner), np.int64(each))
        if pieces > 1:
            sums((across, pieces - 1), (128,), (from_, *more, memory, kind_mode))
        columns((across, pieces), (128,), (from_, out, *more, memory, kind_mode))
        check(out.get().reshape(outer, n, inner), x.reshape(outer, n, inner), f, u, 1)


@pytest.mark.parametrize("kind, f, t", [("real", ADD, "f4"), ("real", TIMES, "f8"), ("complexes", ADD, "c8"),
                                        ("complexes", TIMES, "c16")])
def test_nan_as_nothing(device, kind, f, t):
    sums, rows, _, _ = kernels(device, words(kind, f, t))
    rng = np.random.default_rng(2)
    n = 2000
    x = elements(rng, n, t, f)
    x[rng.random(n) < 0.3] = np.nan
    V = 16 // bytes_of(t)
    segment = segment_of(kind, f, t, t)
    pieces = (n + V - 2) // (2 * segment) + 1
    from_, out, memory = cp.asarray(x), cp.zeros(n, t), cp.zeros(pieces * 24, "u1")
    more = (np.int64(n), np.int64(pieces), np.int64(pieces), np.int64(1))
    sums((pieces,), (64,), (from_, *more, memory, np.uint64(1)))
    rows((pieces,), (64,), (from_, out, *more, memory, np.uint64(1)))
    check(out.get(), np.where(np.isnan(x), f.identity, x).astype(t), f, t, 0)


@pytest.mark.parametrize("f", [np.fmax, np.fmin])
@pytest.mark.parametrize("t", ["f4", "f8"])
def test_first_nan_stays_as_it_is(device, f, t):
    """Of NaNs the first, also where it differs by its sign alone from what stands for no element."""
    _, rows, _, _ = kernels(device, words("choice_of_real", f, t))
    bits = 8 * bytes_of(t)
    plain = int(np.array(np.nan, t).view(f"u{bytes_of(t)}"))
    x = np.array([2**bits - 1, plain, plain + 1, 0, plain, 0], f"u{bytes_of(t)}")
    x[[3, 5]] = np.array([1.5, 1.5], t).view(x.dtype)
    from_, out, memory = cp.asarray(x.view(t)), cp.zeros(x.size, t), cp.zeros(64, "u1")
    rows((1,), (32,), (from_, out, *map(np.int64, (x.size, 1, 1, 1)), memory, mode("choice_of_real", f, t)))
    assert out.get().view(x.dtype).tolist() == [x[0]] * 3 + [x[3]] * 3
