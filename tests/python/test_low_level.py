"""Filters of cuprite.scipy.ndimage by functions of C (scipy.LowLevelCallable) against SciPy's: the same function of the
same numbers gives the same bits."""
import ctypes
import subprocess
import threading

import cuprite as cp
import numpy as np
import pytest
import scipy.ndimage as theirs
from cuprite.scipy import ndimage as ours
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import raises
from scipy import LowLevelCallable
from scipy.ndimage import _ctest

MODES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant"]
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
SOURCE = """
#include <stdint.h>
typedef struct { double scale, shift; int64_t calls, limit; } state;

int window(double *w, intptr_t n, double *r, void *data)
{
    state *s = data;
    double sum = 0;
    for (intptr_t i = 0; i < n; i++) sum += w[i] * (i + 1), w[i] = -1e9;
    *r = s->scale * sum / (n ? n : 1) + s->shift;
    return s->calls++ != s->limit;
}
int line(double *w, intptr_t m, double *r, intptr_t n, void *data)
{
    state *s = data;
    for (intptr_t i = 0; i < n; i++) r[i] = s->scale * (w[i] - 2 * w[i + m - n]) + i;
    for (intptr_t i = 0; i < m; i++) w[i] = -1e9;
    return s->calls++ != s->limit;
}
int place(intptr_t *at, double *to, int n, int m, void *data)
{
    state *s = data;
    for (int d = 0; d < m; d++) to[d] = s->scale * at[d % n] + s->shift * (d + 1);
    return s->calls++ != s->limit;
}
"""


class State(ctypes.Structure):
    _fields_ = [("scale", ctypes.c_double), ("shift", ctypes.c_double), ("calls", ctypes.c_int64),
                ("limit", ctypes.c_int64)]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """name -> (its LowLevelCallable, its state), which each call resets."""
    folder = tmp_path_factory.mktemp("low_level")
    (folder / "f.c").write_text(SOURCE)
    subprocess.run(["cc", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", folder / "f.so", folder / "f.c"],
                   check=True)
    library, pointer = ctypes.CDLL(str(folder / "f.so")), ctypes.POINTER
    double, size = pointer(ctypes.c_double), ctypes.c_ssize_t
    types = {"window": (double, size, double), "line": (double, size, double, size),
             "place": (pointer(size), double, ctypes.c_int, ctypes.c_int)}

    def make(name, scale=0.75, shift=-0.5, limit=-1):
        f, state = getattr(library, name), State(scale, shift, 0, limit)
        f.argtypes, f.restype = (*types[name], ctypes.c_void_p), ctypes.c_int
        data = ctypes.cast(ctypes.pointer(state), ctypes.c_void_p)
        return LowLevelCallable(f, data), state
    return make


def image(rng, shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -50, 50, shape).astype(dtype)
    return rng.normal(0, 10, shape).astype(dtype)


def turned(rng, x):
    x = x[tuple(slice(None, None, int(s)) for s in rng.choice([1, -1, 2], x.ndim))]
    return np.asfortranarray(x) if x.ndim and rng.random() < 0.3 else x


def same(got, want):
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


def both(name, x, functions, args, options):
    """Ours and SciPy's, with equal functions; they were called equally often."""
    (f, mine), (g, its) = functions
    want = getattr(theirs, name)(x, g, *args, **options)
    got = getattr(ours, name)(cp.asarray(x), f, *args, **options)
    same(got, want)
    assert mine.calls == its.calls


def options_of(rng, x):
    options = {"mode": str(rng.choice(MODES)), "cval": float(rng.choice([0, 2.5, -7]))}
    if rng.random() < 0.5:
        options["output"] = str(rng.choice(TYPES[1:]))
    return options


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_windows(compiled, seed):
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(0, 5))
    x = turned(rng, image(rng, tuple(rng.integers(0 if rng.random() < 0.1 else 1, [0, 30, 9, 6, 4][ndim] + 1, ndim)),
                          rng.choice(TYPES)))
    options = options_of(rng, x)
    n = ndim
    if ndim and rng.random() < 0.4:
        n = int(rng.integers(1, ndim + 1))
        options["axes"] = tuple(int(a) - ndim * int(rng.random() < 0.3) for a in rng.permutation(ndim)[:n])
    if rng.random() < 0.5:
        size = rng.integers(1, 6, n)
        options["size"] = [int(s) for s in size]
    else:
        size = rng.integers(1, 5, n)
        options["footprint"] = rng.random(tuple(size)) < 0.6
    if n and rng.random() < 0.5 and "axes" not in options:
        options["origin"] = [int(rng.integers(-(s // 2), (s - 1) // 2 + 1)) for s in size]
    if "size" in options and "axes" in options:  # SciPy counts axes in ascending order there
        options["size"] = options["size"][0] if n else 3
    if "footprint" in options and "axes" in options and n != ndim:
        options["axes"] = tuple(sorted(a % ndim for a in options["axes"]))
    elif "footprint" in options and n == ndim:
        options.pop("axes", None)
    both("generic_filter", x, [compiled("window") for _ in range(2)], (), options)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_lines(compiled, seed):
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 5))
    x = turned(rng, image(rng, tuple(rng.integers(0 if rng.random() < 0.1 else 1, [0, 30, 9, 6, 4][ndim] + 1, ndim)),
                          rng.choice(TYPES)))
    size, options = int(rng.integers(1, 9)), options_of(rng, x)
    options |= {"axis": int(rng.integers(-ndim, ndim)), "origin": int(rng.integers(-(size // 2), (size - 1) // 2 + 1))}
    both("generic_filter1d", x, [compiled("line", scale=1.5) for _ in range(2)], (size,), options)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_places(compiled, seed):
    rng = np.random.default_rng(seed)
    ndim = int(rng.integers(1, 4))
    x = turned(rng, image(rng, tuple(rng.integers(1, [0, 30, 9, 6][ndim] + 1, ndim)), rng.choice(TYPES)))
    options = {"mode": str(rng.choice(MODES)), "cval": 2.0, "order": int(rng.integers(0, 2))}
    if rng.random() < 0.5:
        lengths = rng.integers(0 if rng.random() < 0.1 else 1, 6, int(rng.integers(1, 4)))
        options["output_shape"] = tuple(lengths.tolist())
    if rng.random() < 0.4:
        options["output"] = "float64"
    functions = [compiled("place", scale=0.875, shift=0.25) for _ in range(2)]
    (f, mine), (g, its) = functions
    want = theirs.geometric_transform(x, g, **options)
    got = cp.asnumpy(ours.geometric_transform(cp.asarray(x), f, **options))
    assert got.dtype == want.dtype and got.shape == want.shape and mine.calls == its.calls
    np.testing.assert_allclose(got.astype(float), want.astype(float), rtol=1e-5 if x.dtype == "float32" else 1e-13,
                               atol=1e-12)


def test_outputs(compiled):
    """Arrays that are written to, views and the input itself among them."""
    x = np.random.default_rng(3).normal(0, 10, (6, 8))
    for name, args in (("window", {"size": 3}), ("line", {"filter_size": 3})):
        filter_ = "generic_filter" if name == "window" else "generic_filter1d"
        want = getattr(theirs, filter_)(x, compiled(name)[0], **args)
        out = cp.zeros((8, 12))
        view = out[:, ::2].T
        assert getattr(ours, filter_)(cp.asarray(x), compiled(name)[0], output=view, **args) is view
        same(view, want)
        assert not out[:, 1::2].any()
        y = cp.asarray(x)
        assert getattr(ours, filter_)(y, compiled(name)[0], output=y, **args) is y
        same(y, want)
    want = theirs.geometric_transform(x, compiled("place")[0], order=1)
    out = cp.zeros((6, 8))
    assert ours.geometric_transform(cp.asarray(x), compiled("place")[0], order=1, output=out) is out
    np.testing.assert_allclose(out.get(), want, rtol=1e-13)
    z = x + 1j * x[::-1]
    np.testing.assert_allclose(ours.geometric_transform(cp.asarray(z), compiled("place")[0], order=1).get(),
                               theirs.geometric_transform(z, compiled("place")[0], order=1), rtol=1e-13)


CALLS = [("generic_filter", "window", {"size": 3}, "unknown error in filter function"),
         ("generic_filter1d", "line", {"filter_size": 3}, "unknown error in line processing function"),
         ("geometric_transform", "place", {}, "unknown error in mapping function")]


@pytest.mark.parametrize("name, function, options, text", CALLS, ids=[c[0] for c in CALLS])
def test_a_function_that_fails(compiled, name, function, options, text):
    """ends the call where it fails; the output is as it was."""
    x = np.arange(12.0).reshape(3, 4)
    for limit in (0, 1, 2):
        f, state = compiled(function, limit=limit)
        out = cp.full((3, 4), 7.0)
        with raises(RuntimeError, match=text):
            getattr(ours, name)(cp.asarray(x), f, output=out, **options)
        assert state.calls == limit + 1 and bool((out == 7).all())
        with raises(RuntimeError, match=text):
            getattr(theirs, name)(x, compiled(function, limit=limit)[0], **options)
    same(getattr(ours, name)(cp.asarray(x), compiled(function)[0], **{**options, "mode": "nearest", **(
        {"order": 0} if name == "geometric_transform" else {})}),
         getattr(theirs, name)(x, compiled(function)[0], **{**options, "mode": "nearest", **(
             {"order": 0} if name == "geometric_transform" else {})}))


def outcome(call):
    try:
        return call()
    except Exception as e:  # noqa: BLE001
        return type(e), str(e)


@pytest.mark.parametrize("name, function, options, _", CALLS, ids=[c[0] for c in CALLS])
def test_signatures(compiled, name, function, options, _):
    """are SciPy's, and so are the errors."""
    x = np.arange(12.0).reshape(3, 4)
    y, f = cp.asarray(x), compiled(function)[0]
    form = {"window": "int (double *, {0}, double *, void *)", "line": "int (double *, {0}, double *, {0}, void *)",
            "place": "int ({0} *, double *, int, int, void *)"}[function]
    for integer in ("intptr_t", "npy_intp", "long", "long long", "int", "size_t", "long "):
        g = LowLevelCallable(f.function, f.user_data, signature=form.format(integer))
        mine = outcome(lambda: getattr(ours, name)(y, g, **options))
        its = outcome(lambda: getattr(theirs, name)(x, g, **options))
        if isinstance(its, tuple):
            assert mine == its and its[0] is ValueError
        else:
            np.testing.assert_allclose(mine.get(), its, rtol=1e-13, atol=1e-13)
    others = [c for c in ("window", "line", "place") if c != function]
    bare = _ctest.filter1d(3)
    wrong = [compiled(c)[0] for c in others] + [5, None, "name", LowLevelCallable(bare)]
    for g in wrong:
        mine = outcome(lambda: getattr(ours, name)(y, g, **options))
        its = outcome(lambda: getattr(theirs, name)(x, g, **options))
        assert mine == its and its[0] is (RuntimeError if g is None and function == "place" else ValueError)
        empty = outcome(lambda: getattr(ours, name)(cp.zeros((0, 3)), g, **options))
        assert empty == its
    assert outcome(lambda: getattr(ours, name)(y, f.function, **options))[0] is \
        outcome(lambda: getattr(theirs, name)(x, f.function, **options))[0]  # a pointer of ctypes' is called by Python


def test_capsules():
    """without a name hold a function of the right kind: SciPy's own."""
    x = np.random.default_rng(5).normal(0, 3, (7, 9))
    y = cp.asarray(x)
    f = _ctest.filter2d([1.0, 2.0, -0.5])
    for mode in MODES:
        same(ours.generic_filter(y, f, footprint=np.ones((1, 3)), mode=mode, cval=2),
             theirs.generic_filter(x, f, footprint=np.ones((1, 3)), mode=mode, cval=2))
        same(ours.generic_filter1d(y, _ctest.filter1d(4), 4, axis=0, mode=mode),
             theirs.generic_filter1d(x, _ctest.filter1d(4), 4, axis=0, mode=mode))
    np.testing.assert_allclose(ours.geometric_transform(y, _ctest.transform(0.3), order=3).get(),
                               theirs.geometric_transform(x, _ctest.transform(0.3), order=3), rtol=0, atol=1e-12)


def test_functions_of_ctypes():
    """that call Python: they have the GIL. Threads at work do not disturb them."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.c_ssize_t,
                            ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)

    @kind
    def largest(window, n, result, _):
        result[0] = max(window[i] for i in range(n))
        return 1
    x = np.random.default_rng(6).normal(0, 3, (20, 30))
    want, results = theirs.maximum_filter(x, 3), []

    def work():
        for _ in range(3):
            results.append(ours.generic_filter(cp.asarray(x), LowLevelCallable(largest), 3).get())
    threads = [threading.Thread(target=work) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 9
    for r in results:
        np.testing.assert_array_equal(r, want)


def test_beside_a_function_of_a_stream():
    """While a stream is to call Python the filter runs without the GIL, and its function with it."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.c_ssize_t,
                            ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)
    seen = []

    @kind
    def first(window, n, result, _):
        seen.append(n)
        result[0] = window[0]
        return 1
    stream = cp.cuda.Stream()
    with stream:
        x = cp.arange(6.0)
        stream.launch_host_func(lambda given: seen.append(given), "called")
        got = ours.generic_filter(x, LowLevelCallable(first), 3, mode="nearest").get()
    stream.synchronize()
    np.testing.assert_array_equal(got, [0, 0, 1, 2, 3, 4])
    assert sorted(map(str, seen)) == ["3"] * 6 + ["called"]
