"""fuse: before its kernel is compiled and after, a function gives what it gives unfused, bit for bit."""
import gc
import itertools
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device
from cuprite._compiler.fuse import fusion as _fuse, program as _program
from cuprite._compiler.fuse.fusion import PerformanceWarning


@pytest.fixture(autouse=True)
def kernels(monkeypatch):
    """Small arrays too are the kernels': test_fuse_programs.py has both."""
    monkeypatch.setattr(_program, "_QUICK", 0)


REALS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]


def values(shape, dtype, seed=0):
    r = np.random.default_rng(seed)
    if dtype == "bool":
        return r.random(shape) > 0.5
    x = r.normal(size=shape) * 20 if dtype.startswith("float") else r.integers(-99 if dtype[0] == "i" else 0, 99, shape)
    x = x.astype(dtype)
    if dtype.startswith("float") and x.size > 4:
        x.flat[:4] = [np.nan, np.inf, -np.inf, -0.0]
    return x


def same(a, b):
    if isinstance(a, (tuple, list)):
        assert type(b) is type(a) and len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
    elif a is None:
        assert b is None
    else:
        assert a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides
        np.testing.assert_array_equal(bits(a), bits(b))


def bits(x):
    """The bytes of the elements; a NaN's sign and payload are whatever operand the compiler took them of."""
    x = np.ascontiguousarray(x.get())
    if x.dtype.kind in "fc":
        x = x.reshape(-1).view(f"f{x.dtype.itemsize // (2 if x.dtype.kind == 'c' else 1)}")
        x[np.isnan(x)] = np.nan
    return x.reshape(-1).view("u1")


def serve(g, *args):
    """A call that was compiled for: its kernels, or the engine where there is none, must do it, and neither the plain
    function nor operations one by one, which what declines falls back to unnoticed."""
    ways = []

    def look(frame, event, _):
        if event == "call":
            code, group = frame.f_code, frame.f_locals.get("self")
            if code is getattr(g.func, "__code__", None):
                ways.append("the function itself")
            elif code is _program.run.__code__:
                ways.append("operations one by one")
            elif code is _program.Group.otherwise.__code__ and group.kernel is not None:
                ways.append(f"declined: {group.kernel.operation}")
    assert any(p.runs_fused() for programs in g._programs.values() for p in programs), "nothing is fused"
    sys.setprofile(look)
    try:
        r = g(*args)
    finally:
        sys.setprofile(None)
    assert not ways, ways
    return r


def check(f, *args, fused=False, times=3):
    """Calls before and after compilation against the plain function; `fused`: what was compiled must do the last."""
    with np.errstate(all="ignore"):
        expected = f(*args)
        g = f if isinstance(f, type(cp.fuse(len))) else cp.fuse(f)
        same(expected, g(*args))
        for _ in range(times):
            g.wait()  # for what is compiled for the layouts that the call before met too
            same(expected, g(*args))
        g.wait()
        if fused:
            same(expected, serve(g, *args))
    return g


@pytest.mark.parametrize("shape", [(1000,), (1001,), (30, 40), (30, 41)])
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64"])
def test_what_was_prepared_serves_the_call(dtype, shape):
    """A kernel is prepared without arrays; one that was prepared otherwise than it is called declines, unnoticed."""
    x, y = [cp.asarray(values(shape, dtype, seed)) for seed in (0, 1)]
    f = cp.fuse(lambda x, y: (x - y) * (x - y) + cp.maximum(x, y))
    with np.errstate(all="ignore"):
        f(x, y)
        f.wait()
        program, = [p for programs in f._programs.values() for p in programs]
        group, = program.groups
        r = group.kernel(*[(x, y)[i] for i in group.slots])
        assert r is not NotImplemented
        same(r, (x - y) * (x - y) + cp.maximum(x, y))


@pytest.mark.parametrize("dtype", REALS)
def test_arithmetic(dtype):
    x, y = [cp.asarray(values((30, 40), dtype, seed)) for seed in (0, 1)]
    check(lambda x, y: (x - y) * (x - y) + x, x, y, fused=True)
    check(lambda x, y: cp.where(x > y, x, y * 2) + cp.maximum(x, y) - cp.minimum(x, 3), x, y, fused=True)
    check(lambda x, y: x / (y + 1) + x, x, y, fused=True)


@pytest.mark.parametrize("a", ["int8", "uint8", "int32", "float32", "float64", "bool"])
@pytest.mark.parametrize("b", ["int16", "uint32", "float32", "int64"])
def test_mixed_types(a, b):
    x, y = cp.asarray(values((100,), a)), cp.asarray(values((100,), b, 1))
    check(lambda x, y: x + y * 2, x, y, fused=True)
    check(lambda x, y: (x < y) & (x + y > 0), x, y, fused=True)


def test_signed_beside_unsigned_of_64_bits():
    """Compared exactly, added as float64: a conversion of one to the other's type would show."""
    x = cp.asarray(np.array([0, 1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1] * 30, "u8"))
    y = cp.asarray(np.array([-1, 1, 2**53, 2**63 - 1, -2**63, -1] * 30))
    for a, b in ((x, y), (y, x), (x, x[::-1]), (y, y[::-1])):
        check(lambda a, b: (a < b) | (a == b), a, b)
        check(lambda a, b: ((a >= b) & (a != b), a + b, cp.maximum(a, b) * 2, cp.where(a > b, a, b)), a, b)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_in_either_operand(dtype):
    """Results of their own: in a sum one NaN would hide that another is missing."""
    pairs = itertools.product([np.nan, np.inf, -np.inf, -0.0, 0.0, 1, -2], repeat=2)
    x, y = [cp.asarray(np.array(v, dtype)) for v in zip(*pairs)]
    check(lambda x, y: (cp.maximum(x, y) * 1, cp.minimum(x, y) * 1, cp.where(x < y, y, x) * 1, (x != y) & (x < 1)),
          x, y, fused=True)


@pytest.mark.parametrize("dtype", [t for t in REALS if "int" in t])
def test_conversions_beyond_the_range(dtype):
    x = cp.asarray(np.array([np.nan, np.inf, -np.inf, 1e20, -1e20, 300.7, -1.5, 3e9, -3e9, 127, 128, 7.9] * 20))
    check(lambda x: (x * 1).astype(dtype) + 1, x)
    check(lambda x: (x * 1).astype(dtype) + 1, x.astype("float32"))


def test_logic():
    x, y = cp.asarray(values((500,), "bool")), cp.asarray(values((500,), "bool", 1))
    check(lambda x, y: (x & y) | ~(x ^ y), x, y, fused=True)
    check(lambda x, y: cp.logical_and(x, cp.logical_not(y)) + (x == y), x, y, fused=True)


def test_functions_that_are_exact():
    x = cp.asarray(np.abs(values((1000,), "float32")))
    check(lambda x: cp.sqrt(x) + cp.floor(x) - cp.ceil(x / 3) * cp.rint(x) + cp.square(x) - cp.trunc(x), x, fused=True)


def test_functions_that_are_not():
    """On the CPU they are the kernels' own; on GPUs they are CUDA's."""
    x, y, z = cp.arange(10), cp.arange(10, 20), cp.arange(20, 30)
    check(lambda x, y, z: cp.sin(x) + cp.cos(y) / cp.sqrt(z), x, y, z)
    check(lambda x, y: cp.exp(-x / 10.0) * cp.log1p(y) + cp.arctan2(x, y), x, y)


@pytest.mark.parametrize("shapes", [((5, 1), (1, 7)), ((300, 1), (257,)), ((), (4,)), ((0, 3), (3,)), ((3,), ())])
def test_broadcasting(shapes):
    x, y = [cp.asarray(values(s, "float64", i)) for i, s in enumerate(shapes)]
    check(lambda x, y: x * y + x, x, y, fused=True)
    check(lambda x, y: (x * 2 + 1, x * y + y), x, y)  # results of different shapes


@pytest.mark.parametrize("turn", [lambda x: x[::-1], lambda x: x.T, lambda x: x[:, ::3], lambda x: x[2:-2, ::-1]])
def test_layouts(turn):
    x, y = [turn(cp.asarray(values((40, 40), "float32", i))) for i in range(2)]
    check(lambda x, y: (x + y) * (x - y), x, y, fused=True)
    one_order = abs(x.strides[0]) > abs(x.strides[1])  # else each operation chooses one for its result
    check(lambda x, y: (x + y) * (x - y), x, cp.ascontiguousarray(y), fused=one_order)


def test_numbers():
    x = cp.asarray(values((50,), "float32"))
    f = cp.fuse(lambda x, a, b: x * a + b)
    for a in (2.5, -1.0, 1e300, float("nan"), 0.1):
        check(f, x, a, 1.5)
    assert len(f._programs) == 1  # one kernel for all of them
    for a in (1, 2, True, np.float32(3), np.float64(3), np.int8(2)):
        check(lambda x, a: x * a + a, x, a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(lambda x, a: x * (a + 1) - a / 2, x, 3.5)
    i = cp.asarray(values((50,), "uint8"))
    check(lambda x, a: x * a + a, i, 3, fused=True)
    check(lambda x, a: x * a + a, i, 2.5, fused=True)


REPEATED = [lambda x: cp.broadcast_to(x[:1], (3, 4)), lambda x: cp.broadcast_to(x[:, :1], (3, 4)),
            lambda x: cp.broadcast_to(x[:1], (3, 4)).T, lambda x: cp.broadcast_to(x[:, None], (3, 5, 4)),
            lambda x: cp.broadcast_to(x[:, None], (3, 5, 4)).transpose(2, 0, 1), lambda x: x.T[::-1],
            lambda x: cp.broadcast_to(x[0, 0], (3, 4)), lambda x: cp.broadcast_to(x[None], (2, 3, 4)).swapaxes(0, 2)]


@pytest.mark.parametrize("turn", range(len(REPEATED)))
@pytest.mark.parametrize("f", [lambda x: x.astype("f8"), lambda x: x.astype("f8") * 2 + 1,
                               lambda x: (x * 2).astype("f8") - 1, lambda x: x.astype("f4") + x.astype("f8"),
                               lambda x: (x.astype("f8") * 2, x + x * 3),
                               lambda x: cp.sqrt(x.astype("f8")).astype("f4")])
def test_conversions_of_repeated_elements(turn, f):
    """A copy has repeated axes innermost."""
    x = REPEATED[turn](cp.asarray(values((3, 4), "float32")))
    fused, plain = cp.fuse(f), f(x)
    for _ in range(3):
        for a, b in zip(*[r if type(r) is tuple else (r,) for r in (fused(x), plain)]):
            same(a, b)
        fused.wait()
    same(cp.fused("float64(x) * 2 + 1", x=x), x.astype("f8") * 2 + 1)


def test_control_flow_on_values():
    def f(x, n, flag):
        for k in range(n):
            x = x * 2 + k
        return x + 1 if flag else x - 1
    x = cp.asarray(values((50,), "float64"))
    for n in (1, 3, 5):
        for flag in (True, False):
            check(f, x, n, flag, fused=True)

    def g(x, a):
        return x * a + 1 if a > 2 else x - a
    for a in (1.0, 3.0):
        check(g, x, a)


def test_several_results():
    x, y = [cp.asarray(values((50,), "float32", i)) for i in range(2)]
    check(lambda x, y: (x + y * 2, x < y, x.astype("float64") * y), x, y, fused=True)
    check(lambda x, y: (x + y * 2,), x, y, fused=True)
    check(lambda x, y: (x, x + y), x, y)
    check(lambda x, y: None, x, y)


def test_in_place():
    def f(x, y):
        x += y * 2
        x *= y
        y[...] = x - y
    start = [values((60,), "float64", i) for i in range(2)]
    expected = [cp.asarray(s) for s in start]
    f(*expected)
    g = cp.fuse(f)
    for _ in range(3):
        got = [cp.asarray(s) for s in start]
        assert g(*got) is None
        g.wait()
        for a, b in zip(got, expected):
            same(a, b)
    serve(g, *[cp.asarray(s) for s in start])
    shared = cp.asarray(values((61,), "float64"))
    other = shared.copy()
    g(shared[1:], shared[:-1])
    f(other[1:], other[:-1])
    same(shared, other)


def test_in_place_returns_its_argument():
    @cp.fuse
    def f(x, y):
        x += y * 2
        return x
    x, y = cp.ones(5), cp.ones(5)
    for n in range(4):
        assert f(x, y) is x
        f.wait()
    np.testing.assert_array_equal(x.get(), np.full(5, 9.0))


def test_own_results_change():
    def f(x, y):
        z = x + y
        z += x
        z *= 2
        return z - y
    check(f, *[cp.asarray(values((50,), "float32", i)) for i in range(2)], fused=True)


def test_reductions_and_views_run_as_they_are_written():
    x = cp.asarray(np.arange(20.0).reshape(4, 5))
    check(lambda x: cp.sum(x * x + 1, axis=0), x)
    check(lambda x: (x * 2)[1:] - x[:-1], x)
    check(lambda x: (x * x).mean() + x.T.sum(axis=0)[0], x)


def test_notice():
    f = cp.fuse(lambda x: cp.sort(x * 2 + 1), kernel_name="sorted_twice")
    x = cp.asarray(values((50,), "float32"))
    with pytest.warns(PerformanceWarning, match="sorted_twice: sort cannot be fused"):
        f(x)
        f.wait()
        same(f(x), cp.sort(x * 2 + 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(x)
        f.wait()


def test_failures_are_told_where_they_are_asked_for(monkeypatch):
    """What the function raises on stand-ins under CUPRITE_DEBUG; mistakes of the library's own always."""
    def strange(x):
        if type(x) is not cp.ndarray:
            raise LookupError("no such stand-in")
        return x * 2 + 1
    x, told = cp.ones(3), []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: told.append(what.exc_value))
    monkeypatch.delenv("CUPRITE_DEBUG", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = cp.fuse(strange)
        f(x), f.wait()
    assert not told
    monkeypatch.setenv("CUPRITE_DEBUG", "1")
    f = cp.fuse(strange)
    with pytest.warns(PerformanceWarning, match="(?s)strange runs without a kernel.*no such stand-in"):
        f(x), f.wait()
    same(f(x), x * 2 + 1)
    monkeypatch.delenv("CUPRITE_DEBUG")
    monkeypatch.setattr(_program.Program, "link", lambda self: self.no_such_thing)
    f = cp.fuse(lambda x: x * 2 + 1)
    f(x), f.wait()
    same(f(x), x * 2 + 1)
    assert len(told) == 1 and isinstance(told[0], AttributeError) and "no_such_thing" in str(told[0])


def test_exceptions_in_the_background_end_nothing(device):
    """A filter that makes warnings errors, or a mistake: Python's own hook reports it, the next function is
    compiled."""
    program = """
import cuprite as cp
from cuprite._compiler.fuse import fusion as _fuse
x = cp.arange(3.0)
f = cp.fuse(lambda x: cp.sort(x * 2 + 1))
f(x), f.wait()
_fuse.queue().put(lambda: 1 / 0)
g = cp.fuse(lambda x: x * 2 + 1)
g(x), g.wait()
print(len(g._programs), g(x).get().tolist())
"""
    run = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, timeout=60,
                         env={**os.environ, "CUPRITE_DEVICE": device})
    assert run.returncode == 0 and run.stdout == "1 [1.0, 3.0, 5.0]\n", run.stderr
    assert "PerformanceWarning: <lambda>: sort cannot be fused" in run.stderr and "ZeroDivisionError" in run.stderr


def test_shapes_that_do_not_meet_leave_the_kernel():
    f = cp.fuse(lambda x, y: (x + y) * 2)
    x, y = cp.ones(4), cp.ones(3)
    with pytest.raises(ValueError, match="broadcast"):
        f(x, y)
    f.wait()
    same(f(x, x), (x + x) * 2)
    f.wait()
    same(f(x, x), (x + x) * 2)
    assert [p.groups[0].kernel is not None for programs in f._programs.values() for p in programs] == [True]


def test_decorators():
    @cp.fuse
    def one(x):
        """Doc."""
        return x * x + x

    @cp.fuse()
    def two(x):
        return one(x) * 2 + one(x)

    @cp.fuse(kernel_name="third")
    def three(x):
        return two(x) - 1
    x = cp.asarray(values((50,), "float64"))
    for f in (one, two, three, cp.fuse(lambda x: x * 2 - x)):
        check(f, x, fused=True)
    assert one.__name__ == "one" and one.__doc__ == "Doc." and three.name == "third" and cp.fuse(one) is one
    with pytest.raises(TypeError, match="unexpected keyword"):
        cp.fuse(name="x")
    with pytest.raises(TypeError, match="one function"):
        cp.fuse(1)


def helper(x):
    return cp.maximum(x, 0) + x


def test_helpers_and_closures():
    scale = 2.5
    square = cp.square

    def inner(x):
        return square(x) * scale
    check(lambda x: helper(x) + inner(x) - scale, cp.asarray(values((50,), "float32")), fused=True)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_squares(dtype):
    """x ** 2 is a multiplication, which kernels have; x ** 2.0 and power(x, 2) are powers."""
    x = cp.asarray(values((50,), dtype))
    check(lambda x: x ** 2, x)
    check(lambda x: x ** 2 + x, x)
    if dtype != "bool":
        check(lambda x: (x + 1) ** 2 + cp.maximum(x, 1), x, fused=True)

    def update(x):
        x **= 2
        return x
    if dtype != "bool":
        same(cp.fuse(update)(x.copy()), update(x.copy()))


def test_methods():
    class Model:
        rate = 3

        @cp.fuse
        def step(self, x, y):
            return x * self.rate + y

        @staticmethod
        @cp.fuse
        def free(x):
            return x * 2 + 1
    m = Model()
    x, y = [cp.asarray(values((50,), "float32", i)) for i in range(2)]
    for _ in range(3):
        same(m.step(x, y), x * 3 + y)
        same(Model.free(x), x * 2 + 1)
        Model.free.wait()
        Model.__dict__["step"].wait()
    same(serve(Model.__dict__["step"], m, x, y), x * 3 + y)
    m.rate = 5  # what is looked at in an object is looked at in each call
    for _ in range(3):
        same(m.step(x, y), x * 5 + y)
        Model.__dict__["step"].wait()


def test_errors_are_the_functions_own():
    @cp.fuse
    def f(x, y):
        if y is None:
            raise KeyError("none")
        return x + y * 2
    x = cp.ones(3)
    for _ in range(3):
        with pytest.raises(KeyError, match="none"):
            f(x, None)
        with pytest.raises(ValueError, match="broadcast"):
            f(x, cp.ones(4))
        same(f(x, x), x * 3)
        f.wait()


def test_numpy_and_keywords():
    f = cp.fuse(lambda x, y=2.0: x * y + x)
    x = np.arange(5.0)
    np.testing.assert_array_equal(f(x), x * 3)
    same(f(cp.asarray(x), y=3.0), cp.asarray(x * 4))
    check(f, cp.asarray(x))
    g = cp.fuse(lambda x, y=2.0, z=1: x * y + x * z)
    for _ in range(3):
        same(g(cp.asarray(x), z=3), cp.asarray(x * 5))
        same(g(x=cp.asarray(x), y=4.0), cp.asarray(x * 5))
        g.wait()
    same(serve(g, cp.asarray(x), 2.0, 3), cp.asarray(x * 5))
    for words in ({"w": 1}, {"x": 1}):
        with pytest.raises(TypeError, match="unexpected keyword|multiple values"):
            g(cp.asarray(x), **words)
    with pytest.raises(TypeError, match="missing"):
        g(y=1.0)


FACTOR = 2


def test_values_outside_may_change(monkeypatch):
    more = 1
    f = cp.fuse(lambda x: x * FACTOR + more)
    x = cp.arange(5.0)
    for n in range(12):
        monkeypatch.setitem(globals(), "FACTOR", n)
        for _ in range(2):
            same(f(x), x * n + more)
            f.wait()
    more = 5
    same(f(x), x * 11 + 5)


def test_clear_cache():
    f = cp.fuse(lambda x: x * 2 + 1)
    x = cp.arange(5.0)
    f(x), f.wait(), f(x)
    f.clear_cache()
    assert not f._programs
    check(f, x, fused=True)


def test_streams():
    f = cp.fuse(lambda x, y: (x - y) * (x - y))
    x, y = cp.arange(10.0), cp.ones(10)
    f(x, y), f.wait()
    s = cp.cuda.Stream()
    s.wait_event(cp.cuda.get_current_stream().record())
    with s:
        r = f(x, y)
    s.synchronize()
    np.testing.assert_array_equal(r.get(), (np.arange(10.0) - 1) ** 2)


def test_other_types_run_as_they_are():
    for dtype in ("float16", "complex64", "complex128"):
        x = cp.arange(20).astype(dtype)
        check(lambda x: x * x + x, x)


@pytest.mark.once
def test_forked_child():
    f = cp.fuse(lambda x: x * 2 + 1)
    x = cp.arange(5.0)
    f(x), f.wait()
    child = os.fork()
    if not child:
        ok = False
        try:
            g = cp.fuse(lambda x: x * 3 + 2)
            g(x), g.wait()
            ok = float(g(x)[1]) == 5 and float(f(x)[1]) == 3
        finally:
            os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_negative_and_conversions_of_nan():
    x = cp.asarray(values((50,), "float32"))
    check(lambda x: -x * 2, x, fused=True)
    check(lambda x: x.astype("float64") * 2, x, fused=True)
    check(lambda x: x.astype("float32") * 2, x.astype("float64"), fused=True)


def test_memoize():
    calls = []

    @cp.memoize()
    def f(x, y=1):
        calls.append((x, y))
        return x + y
    assert (f(1), f(1), f(1, y=2), f(2)) == (2, 2, 3, 3) and calls == [(1, 1), (1, 2), (2, 1)]
    cp.clear_memo()
    assert f(1) == 2 and len(calls) == 4

    @cp.memoize(for_each_device=True)
    def g():
        return cp.cuda.Device()
    assert g() is g() and g() == cp.cuda.Device()
    with pytest.raises(TypeError, match="arguments"):
        cp.memoize(lambda: 1)


def test_vectorize():
    f = cp.vectorize(lambda x, y: x * y + 1, otypes="f")
    r = f(cp.arange(4.0), 2)
    assert r.dtype == "f4" and r.get().tolist() == [1, 3, 5, 7]
    with pytest.raises(NotImplementedError):
        cp.vectorize(abs, signature="()->()")
    assert cp.vectorize(lambda x: x + 1, cache=True)(cp.arange(3)).get().tolist() == [1, 2, 3]


def test_pickle_of_the_name():
    assert pickle.loads(pickle.dumps(module_level)) is module_level


@cp.fuse
def module_level(x):
    return x + 1


HOLDING = """
import sys
import cuprite as cp
from cuprite import _device
from cuprite._compiler.fuse import fusion as _fuse, program as _program
f = cp.fuse(lambda x, y, a: (x - y) * a + cp.maximum(x, y))
used = lambda: _device.pool(_device.current())["used"]
before = used()
x, y = cp.ones((1000, 1000)), cp.ones(1000)
f(x, y, 2.0).get()
del x, y
assert used() == before, (used(), before)
f.wait()
assert used() == before
x, y = cp.arange(5.0), cp.ones(5)
assert f(x, y, 2.0).get().tolist() == [-1, 1, 4, 7, 10]
"""


def test_memory_of_a_call_is_free_while_its_kernel_is_compiled(device, tmp_path):
    slow = tmp_path / "slow"
    slow.write_text('#!/bin/sh\nsleep 1\ntouch "$(dirname "$0")/called"\nexec g++ "$@"\n')
    slow.chmod(0o700)
    cache = tmp_path / "cache"
    cache.mkdir(mode=0o700)
    env = {**os.environ, "CUPRITE_CXX": str(slow), "CUPRITE_CACHE_DIR": str(cache), "CUPRITE_DEVICE": device}
    done = subprocess.run([sys.executable, "-c", HOLDING], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert device.startswith("cuda") or (tmp_path / "called").exists()


UNUSED = None  # an array, while test_what_is_not_named_is_not_kept runs


def global_neighbour(x):
    return cp.sin(x) + x * 2


def test_what_is_not_named_is_not_kept(device):
    """What a function was traced with refers to itself, so only the collector ends it: it must hold no array."""
    global UNUSED
    gc.collect()
    gc.disable()
    try:
        UNUSED = cp.ones(1000)
        f = cp.fuse(global_neighbour)
        f(UNUSED)
        f.wait()
        UNUSED = None
        live = _device.test_live()
        gc.collect()
        assert _device.test_live() == live
    finally:
        gc.enable()


def test_the_compiling_thread_takes_no_memory_of_the_device(device, monkeypatch):
    """A program that counts the pool's bytes meets its own alone."""
    taken = []

    class Seen(cp.cuda.MemoryHook):
        name = "seen"

        def malloc_preprocess(self, device_id, size, mem_size):
            taken.append(device_id)

    compiles = _fuse.Fusion._compile

    def watched(self, *args):
        with cp.cuda.Device(number), Seen():  # as where it is the process's own
            return compiles(self, *args)
    number = cp.cuda.Device().id
    monkeypatch.setattr(_fuse.Fusion, "_compile", watched)

    @cp.fuse()
    def f(x, y, z):
        return (cp.where(x > 2, cp.sin(x), y) + cp.cos(y.T.reshape(-1)) / cp.sqrt(z)).sum(), x[1:] - z[:-1]
    a, b, c = cp.arange(10), cp.arange(10) + 10, cp.arange(10) + 20
    f(a, b, c)
    _fuse.wait()
    r = f(a, b, c)
    assert f._programs and r[1].tolist() == [-19] * 9
    assert device == "cpu" or number not in taken


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64"])
def test_integers_wrap_without_the_compilers_help(name, monkeypatch):
    """NVRTC has no -fwrapv: what fuse writes wraps in any C++. (int8 and int16 are computed in int.)"""
    from cuprite import _raw
    compiles, texts = _raw.compiled, []

    def plainly(text, options, *rest):
        texts.append(text)
        return compiles(text, tuple(o for o in options if o != "-fwrapv"), *rest)
    monkeypatch.setattr(_raw, "compiled", plainly)

    def f(x, one):
        return x + one > x, x - one < x, (x * x) + x, -x < 0, x * 3 - x, cp.square(x) - one
    fused = cp.fuse(f)
    low, high = np.iinfo(name).min, np.iinfo(name).max
    x = np.array([low, low + 1, -1, 0, 1, high - 1, high, high // 2 + 1] * 8, name)
    fused(cp.asarray(x), cp.ones(64, name))
    fused.wait()
    got = fused(cp.asarray(x), cp.ones(64, name))
    one = np.ones(64, name)
    with np.errstate(over="ignore"):
        right = x + one > x, x - one < x, x * x + x, -x < 0, x * 3 - x, np.square(x) - one
    assert texts
    for a, b in zip(got, right):
        assert a.dtype == b.dtype and a.get().tolist() == b.tolist()
