"""fuse over reductions, views and all types: what a traced function gives is what it gives plainly, bit for bit."""
import re
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cuprite as cp
from test_fuse import check, same, serve, values


@pytest.fixture(autouse=True, params=["kernels", "engine"])
def way(request, monkeypatch):
    """Small arrays are the engine's on the CPU; or kernels', as large ones are."""
    from cuprite._compiler.fuse import program as _program
    if request.param == "kernels":
        monkeypatch.setattr(_program, "_QUICK", 0)


def fused(f, *args):
    return check(f, *args, fused=True)


def table(shape=(40, 30), dtype="float32", seed=0):
    x = np.random.default_rng(seed).normal(size=shape) * 3
    return cp.asarray((np.abs(x) if dtype[0] == "u" else x).astype(dtype))


def softmax(x):
    e = cp.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def normalised(x, gain, shift):
    centre = x - cp.mean(x, axis=0)
    return centre / cp.sqrt((centre * centre).mean(axis=0) + 1e-5) * gain + shift


def variance(x):
    m = x.mean()
    return ((x - m) * (x - m)).sum() / x.size


def distances(x, y):
    d = x[:, None, :] - y[None, :, :]
    return cp.sqrt((d * d).sum(axis=-1))


def heat(x):
    new = x * 1
    new[1:-1, 1:-1] += 0.1 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1])
    return new


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "complex64"])
def test_known_functions(dtype):
    x, y = table(dtype=dtype), table((20, 30), dtype, 1)
    if dtype != "complex64":
        fused(softmax, x)
        fused(lambda x: cp.where(x > x.mean(), x, 0) * 2 - x.min(), x)
    fused(normalised, x, x[0], x[1])
    fused(variance, x)
    fused(distances, x, y)
    fused(lambda x: (x * 2 + 1).sum(axis=0) * 2 - x[3] * x[4], x)
    if dtype.startswith("float"):
        fused(heat, x)


def test_layouts_of_results():
    """Sums depend on the order of what they sum, so what is between has the order that operations give it."""
    for turn in (lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::2], lambda x: x.T[::3, ::-1]):
        x, y = turn(table(seed=1)), turn(table(seed=2))
        fused(lambda x, y: cp.sum(x * y + x, axis=0) + (x - y * 2).sum(axis=1).mean(), x, y)
        one_order = abs(x.strides[0]) > abs(x.strides[1])  # else each operation chooses one for its result
        check(lambda x, y: (x * y + x, x * 2 - y), x, cp.ascontiguousarray(y), fused=one_order)
        check(lambda x, y: x * y + x, x, y[0], fused=one_order)
        fused(lambda x, y: x * y + x, x, y[0, 0])
    x = table((4, 5, 6))
    for axes in ((0, 2, 1), (2, 0, 1), (1, 2, 0), (2, 1, 0)):
        fused(lambda x: (x * 2 + 1).sum(axis=1), x.transpose(axes))
        turned_x = x.transpose(axes)
        check(lambda x, y: x * y + x, turned_x, cp.ones((5, 6, 4)).transpose(2, 0, 1).reshape(turned_x.shape))
        fused(lambda x, y: x * y + x, turned_x, cp.ones((4, 5, 6)).transpose(axes))


def test_own_results_keep_their_order_of_axes():
    def f(x, y):
        z = x * 2
        z += y
        z *= y
        return y - z, (z + y).sum(axis=0)
    check(f, table().T, table((30, 40)))
    check(f, table().T.astype("int8"), table((30, 40)).astype("int8"))
    fused(f, table().T, table().T)


def test_views():
    x = table()
    fused(lambda x: (x.T * 2 + 1) - x[0, 3], x)
    fused(lambda x: (x.reshape(30, 40) * 2 + x.ravel()[:40]) * 3, x)
    fused(lambda x: cp.transpose(x * 2 + 1)[::2] - 1, x)
    fused(lambda x: cp.broadcast_to(x[0] * 2 + 1, x.shape) + x * 3, x)
    fused(lambda x: (x[..., None] * 2 + 1).swapaxes(0, 1), x)
    fused(lambda x: np.sum(np.sqrt(x * x + 1), axis=1, keepdims=True), x)
    fused(lambda x: [r * 2 + 1 for r in x[:3]], x)
    fused(lambda x: {"low": x * 2 - 1, "n": len(x), "rest": (x.ndim, None, "text")}["low"], x)


def test_views_of_arguments_stay_views():
    @cp.fuse
    def f(x):
        y = x * 2 + 1
        return x[1:], y, y[1:], x
    x = table()
    for _ in range(3):
        part, y, tail, whole = f(x)
        f.wait()
        assert whole is x and cp.may_share_memory(part, x) and cp.may_share_memory(y, tail)
        same(part, x[1:]), same(tail, y[1:]), same(y, x * 2 + 1)
    serve(f, x)
    part[...] = 5
    assert (x[1:] == 5).all() and not (x[0] == 5).all()


def in_place(f, *arrays, apart=True):
    """Calls on fresh copies: the arrays afterwards, and the result."""
    g = cp.fuse(f)
    expected = [x.copy() for x in arrays]
    result = f(*expected)
    for _ in range(4):
        got = [x.copy() for x in arrays]
        r = g(*got)
        g.wait()
        if isinstance(result, cp.ndarray):
            same(result, r)
        for a, b in zip(expected, got):
            same(a, b)
    if not apart:
        return
    got = [x.copy() for x in arrays]
    r = serve(g, *got)
    same([result, *expected], [r, *got])


def test_writing_through_views():
    def edges(x, y):
        x[1:] += y[1:] * 2
        x[0] = 7
        x[:, ::2] *= 3
    in_place(edges, table(), table(seed=1))

    def itself(x):
        x[1:] += x[:-1] * 2     # reads what it writes
        x *= 2
        return x.sum(axis=0) * 2 + 1
    in_place(itself, table(), apart=False)

    def own(x):
        z = x * 2 + 1
        v = z[1:-1]
        v *= 3
        z += 1
        return v * z[0] + 1
    in_place(own, table())

    def between(x, y):
        a = x + y * 2
        x *= 2                  # a is of x as it was
        b = x - y * 3
        y[...] = a * b
        return a + b * x
    in_place(between, table(), table(seed=1))

    def rows(x, mean):
        mean *= 0.9
        mean += x.mean(axis=0) * 0.1
        x -= mean
        return x * x + 1
    in_place(rows, table(), table((30,)))

    def repeated(x, y):
        x[...] = y.sum(axis=0)
        return abs(x) * 2
    in_place(repeated, table(), table(seed=1))

    def small(x, y):
        y += 1
        z = x * 2 + y
        y *= z[0]
        return z - y * 2
    in_place(small, table(), table((30,)))


def test_own_results_written_to_with_another_shape():
    def f(x, y):
        z = x + 1
        z += y * 2
        return z
    g = cp.fuse(f)
    x = table((30,))
    g(x, x), g.wait()
    same(g(x, x), f(x, x))
    g.wait()
    same(serve(g, x, x), f(x, x))
    y = table((40, 30))
    with pytest.raises(ValueError) as plainly:
        f(x, y)
    with pytest.raises(ValueError) as fusedly:
        g(x, y)
    assert str(plainly.value) == str(fusedly.value)
    same(g(y, x), f(y, x))


def test_shapes_that_are_looked_at():
    @cp.fuse
    def f(x):
        return x * x / len(x) + x.shape[-1]
    for n in (3, 5, 7, 3, 5, 7):
        x = table((n, 4))
        for _ in range(2):
            same(f(x), x * x / n + 4)
            f.wait()
    g = cp.fuse(lambda x: (x * x).sum(axis=-1) * 2 + 1)
    for n in (3, 5, 7):
        x = table((n, 4))
        same(g(x), (x * x).sum(axis=-1) * 2 + 1)
        g.wait()
    assert sum(len(p) for p in g._programs.values()) == 1  # one for all of them


def test_errors_of_steps():
    f = cp.fuse(lambda x, y: ((x * 2 + y) * y).sum(axis=1) + 1)
    x, y = table(), table(seed=1)
    f(x, y), f.wait()
    same(f(x, y), ((x * 2 + y) * y).sum(axis=1) + 1)
    for a, b in ((x, y[:3, :2]), (x[0], x[1])):
        with pytest.raises(Exception) as plainly:
            ((a * 2 + b) * b).sum(axis=1) + 1
        with pytest.raises(Exception) as fusedly:
            f(a, b)
        assert type(plainly.value) is type(fusedly.value) and str(plainly.value) == str(fusedly.value)


def test_numbers_of_numpy_are_strong():
    x = table()
    for a in (np.float32(2.5), np.float64(2.5), np.int8(3), np.float16(2), np.complex64(1 + 2j), np.bool_(True)):
        check(lambda x, a: x * a + a, x, a)
    f = cp.fuse(lambda x, a: x * a + 1)
    for a in (np.float64(0.0), np.float64(-0.0)):
        for _ in range(2):
            same(f(x, a), x * a + 1)
            f.wait()
    i = cp.asarray(np.arange(-20, 20, dtype="int8"))
    check(lambda x: x * 2 + x, i)
    for a in (300, -129, 2**70):
        with pytest.raises(OverflowError):
            cp.fuse(lambda x, a: x * 2 + a)(i, a)
    u = i.astype("uint64")
    check(lambda x, y: (x + y, x * y, x < y, x == y), i.astype("int64"), u)


def test_results_of_two():
    x, y = table(), table(seed=1)
    check(lambda x, y: divmod(x * 2 + 1, y)[1] * 2, x, y)
    check(lambda x: cp.modf(x * 2 + 1), x)


def test_arrays_made_within():
    fused(lambda x: x * 2 + cp.ones(30, "float64") - cp.zeros_like(x), table())

    def f(x):
        total = cp.zeros_like(x)
        for k in range(3):
            total += x * k
        return total
    fused(f, table())


def test_out():
    def f(x, y):
        cp.add(x * 2, y, out=y)
        return cp.multiply(y, 2, y)
    in_place(f, table(), table(seed=1))


TYPES = ["bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "complex64", "complex128"]
UNARY = """-x; abs(x); cp.sqrt(x); cp.exp(x); cp.square(x); cp.floor(x); x.astype('float32'); x.astype('int64'); x[::-1]
    x.T; x.sum(axis=0); x[..., :1]; x.max(axis=-1, keepdims=True); x.mean(); x * 2; 1.5 - x; cp.sin(x); x.reshape(-1)
    x == 0; cp.isnan(x); x[1:]; cp.rint(x) * 2 + 1; x.any(axis=-1); ~x; x.T * 2 + x.T; cp.maximum(x, 0) - 1j
    """.replace("\n", ";").split(";")[:-1]
BINARY = """x + y; x - y; x * y; x / y; cp.maximum(x, y); x < y; x ** y; x // y; x ^ y; cp.where(x > 0, x, y); x == y
    cp.arctan2(x, y); x % y; x << y; cp.logaddexp(x, y); divmod(x, y)[0]; cp.copysign(x, y); x * 2 + y; x & y
    """.replace("\n", ";").split(";")[:-1]
INPLACE = """x += y; x *= y; x[...] = y; x[1:] -= y; x[0:1] = y; x[::-1] += y; x[..., 0] *= 2; x[:-1] = x[1:] + y[1:]
    x **= 2; x[...] = 3; x += 1; cp.add(x, y, out=x)""".replace("\n", ";").split(";")


@st.composite
def programs(draw):
    """Types and layouts of arguments, and steps: an operation and the values that it takes."""
    n = draw(st.integers(1, 3))
    types = [draw(st.sampled_from(TYPES)) for _ in range(n)]
    turns = [draw(st.integers(0, 5)) for _ in range(n)]
    steps = []
    for k in range(draw(st.integers(2, 7))):
        kind = draw(st.sampled_from("uubbbbi"))
        which = draw(st.integers(0, 100))
        steps.append((kind, which, draw(st.integers(0, n + k - 1)), draw(st.integers(0, n + k - 1))))
    return types, turns, steps


def turned(x, how):
    return [x, x.T, x[::-1], x[0], x[:, :1], x[:, ::-1]][how]


def function(n, steps):
    """The function that the steps say; a name stays what it is when it is written to."""
    names = [f"v{k}" for k in range(n + len(steps))]
    lines = [f"def f({', '.join(names[:n])}):"]
    for k, (kind, which, a, b) in enumerate(steps, n):
        texts = {"u": UNARY, "b": BINARY, "i": INPLACE}[kind]
        text = re.sub(r"\b[xy]\b", lambda m: names[a if m[0] == "x" else b], texts[which % len(texts)].strip())
        lines.append(f"    {text}; {names[k]} = {names[a]}" if kind == "i" else f"    {names[k]} = {text}")
    lines.append(f"    return {', '.join(names)}")
    space = {"cp": cp}
    exec("\n".join(lines), space)
    return space["f"]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_random_programs(device, case):
    types, turns, steps = case
    start = [turned(cp.asarray(values((6, 6), t, k) if t[0] != "c" and t != "float16" else
                               values((6, 6), "float32", k).astype(t)), how)
             for k, (t, how) in enumerate(zip(types, turns))]
    f = function(len(types), steps)
    g = cp.fuse(f)

    def outcome(h):
        try:
            cp.cuda.get_current_stream().synchronize()
        except ValueError:  # of the call before
            pass
        mine = [x.copy(order="K") for x in start]
        with warnings.catch_warnings(record=True) as told, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                r = h(*mine)
                cp.cuda.get_current_stream().synchronize()  # a GPU reports wrong values late
            except Exception as e:
                r = type(e), str(e)
        return r, mine, sorted({str(w.message) for w in told if "cannot be fused" not in str(w.message)})
    expected, left, told = outcome(f)
    for _ in range(3):
        r, mine, warned = outcome(g)
        g.wait()
        assert warned == told
        if isinstance(expected[0], type):
            assert isinstance(r[0], type) and r == expected
        else:
            same(expected, r)
        if not isinstance(expected[0], type) or device == "cpu":
            for a, b in zip(left, mine):
                same(a, b)


@pytest.mark.parametrize("shape", [(0, 3), (2, 3)])
def test_updates_of_empty_arrays(shape):
    def f(a, b, c):
        wide = a.astype("i8")
        a += cp.isnan(wide)
        return (((1 - 2j) != wide) != cp.where(c, b, np.int64(3))) == (cp.logical_not(b) - a.astype("c16"))
    g = cp.fuse(f)
    for _ in range(3):
        b, c = cp.broadcast_to(cp.ones(1, "i1"), (3,)), cp.ones((1, 1))
        same(g(cp.zeros(shape, "i8"), b, c), f(cp.zeros(shape, "i8"), b, c))
        g.wait()
