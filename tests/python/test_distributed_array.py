"""cuprite.distributed.array: chunks on several devices (shares of the CPU, late:0 and late:1, GPUs), compared with
NumPy; over ranks in tests/clients/mpi_array.py."""
import pickle

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device
from cuprite.distributed import array as da
from cuprite.distributed.array._index import common, is_covered, ranges_of, within

MODES = [da.REPLICA, da.SUM, da.PROD, da.MAX, da.MIN]
MAPS = {
    "rows": {0: slice(0, 3), 1: slice(3, 7)},
    "overlap": {0: [(slice(4), slice(3)), slice(None, None, 2)], 1: [slice(1, None, 2), (slice(2, 6), slice(1, 5))]},
    "columns": {1: (slice(None), slice(0, 2)), 0: [(slice(None), slice(2, 4)), (slice(None), 4)]},
    "replicas": {0: slice(None), 1: slice(None)},
    "one": {1: slice(None)},
}
maps = pytest.mark.parametrize("which", MAPS)


@pytest.fixture(autouse=True)
def two_devices(device):
    if device.startswith("cuda") and _device.count() < 2:
        pytest.skip("two GPUs are needed")


def whole(dtype="d", shape=(7, 5)):
    x = np.random.default_rng(3).integers(1, 4, shape)
    return (x % 2 if dtype == "?" else x + 1j * x[::-1] if dtype == "D" else x).astype(dtype)


def holds(d, x, mode=...):
    """The whole is x, and so is every chunk of replicas, on its device."""
    np.testing.assert_array_equal(d.get(), x)
    assert d.dtype == x.dtype and d.shape == x.shape and (mode is ... or d.mode is mode)
    for number, chunks in d.change_mode(da.REPLICA).all_chunks().items():
        for c, part in zip(chunks, d.index_map[number], strict=True):
            np.testing.assert_array_equal(c.get(), x[part])


@maps
@pytest.mark.parametrize("dtype", ["?", "h", "f", "d", "D"])
def test_modes(which, dtype):
    x = whole(dtype)
    d = da.distributed_array(cp.asarray(x), MAPS[which])
    holds(d, x, da.REPLICA)
    for mode in MODES:
        if dtype == "D" and mode in (da.MAX, da.MIN):
            continue
        e = d.change_mode(mode)
        holds(e, x, mode)
        for other in (da.SUM, da.MAX) if dtype != "D" else (da.SUM,):
            holds(e.change_mode(other), x, other)
        holds(e.reshard(MAPS["columns"]), x, mode)
        holds(da.distributed_array(x, MAPS[which], mode), x, mode)
        holds(da.distributed_array(e, {0: slice(None)}, da.SUM), x, da.SUM)
    holds(d, x, da.REPLICA)  # nothing changed it
    assert set(d.devices) == set(MAPS[which])


def test_terms_that_differ():
    """In a mode of an operation chunks need not agree: the element is the operation's result."""
    a = da.distributed_array(np.zeros((3, 4)), {0: slice(0, 2), 1: slice(1, 3)})
    for i, c in enumerate(c for cs in a._chunks_map.values() for c in cs):
        with a._places.device(c.device):
            c.array[...] = 2 + i
    for mode, middle in ((da.SUM, 5), (da.PROD, 6), (da.MAX, 3), (da.MIN, 2)):
        a._mode = mode
        np.testing.assert_array_equal(a.get(), np.repeat([2., middle, 3.], 4).reshape(3, 4))


@maps
@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean"])
def test_reductions(which, name):
    for dtype in ("?", "h", "f"):
        x = whole(dtype)
        d = da.distributed_array(x, MAPS[which])
        for start in (da.REPLICA, da.SUM, da.MIN):
            for axis, keepdims in ((None, False), (0, True), (1, False), (-1, False), ((0, 1), True)):
                got = getattr(d.change_mode(start), name)(axis=axis, keepdims=keepdims)
                expected = np.asarray(getattr(x.astype("d") if name == "mean" and dtype == "f" else x, name)(
                    axis=axis, keepdims=keepdims))
                np.testing.assert_allclose(got.get(), expected, rtol=1e-6)
                assert got.shape == expected.shape
                if name != "mean":
                    assert got.dtype == expected.dtype and got.mode is getattr(da, name.upper())
    assert d.sum(axis=0, dtype="d").dtype == "d"
    np.testing.assert_array_equal(np.sum(d, axis=0).get(), x.sum(0))
    np.testing.assert_array_equal(np.amax(d, axis=0).get(), x.max(0))


@maps
def test_elementwise(which):
    x, y = whole(), whole(shape=(1, 5)) + 1
    d, e = da.distributed_array(x, MAPS[which]), da.distributed_array(x[::-1].copy(), MAPS["rows"])
    one = da.distributed_array(y, {0: slice(None)})
    holds(d + e, x + x[::-1])
    holds(d.change_mode(da.SUM) * e.change_mode(da.MAX), x * x[::-1])
    holds(2 - d, 2 - x)
    holds(-d, -x)
    holds(d > e, x > x[::-1])
    holds(d * one, x * y)
    holds(one * d, x * y)
    holds(np.sqrt(d), np.sqrt(x))
    holds(d ** 2, x ** 2)
    quotient, rest = divmod(d, e)
    holds(quotient, x // x[::-1])
    holds(rest, x % x[::-1])
    holds(d.astype("f"), x.astype("f"))
    holds(d.copy(), x)
    z = da.distributed_array(whole("D"), MAPS[which])
    holds(z.real, whole("D").real)
    holds(z.imag, whole("D").imag)
    holds(z.conj(), whole("D").conj())
    d += 1
    holds(d, x + 1)


UFUNCS = [n for n in dir(cp) if isinstance(getattr(cp, n), cp.ufunc) and hasattr(np, n)
          and getattr(cp, n).nin <= 2 and "d->" in str(getattr(cp, n).types)]


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs_of_cuprite(name):
    """cp.exp(d) is np.exp(d): chunk by chunk, in any mode, with operands in other chunks and with numbers."""
    ours, theirs = getattr(cp, name), getattr(np, name)
    x, y = whole() / 4, whole(shape=(1, 5)) / 8
    d, e = da.distributed_array(x, MAPS["overlap"]), da.distributed_array(y, {0: slice(None)})
    calls = [((d.change_mode(da.SUM),), (x,)), ((d.change_mode(da.MAX),), (x,))] if ours.nin == 1 else \
        [((d, d.change_mode(da.PROD)), (x, x)), ((d, e), (x, y)), ((d, 0.5), (x, 0.5)), ((0.5, d), (0.5, x))]
    for given, host in calls:
        got, want = ours(*given), theirs(*host)
        for g, w in zip(got if ours.nout > 1 else [got], want if ours.nout > 1 else [want]):
            assert isinstance(g, da.DistributedArray) and g.mode is da.REPLICA and g.dtype == w.dtype
            np.testing.assert_allclose(g.get(), w, rtol=1e-12)


def test_kernels():
    """An ElementwiseKernel and a fused function of distributed arrays, as in CuPy; a ReductionKernel refuses them."""
    x = whole()
    d, e = da.distributed_array(x, MAPS["rows"]), da.distributed_array(x[::-1].copy(), MAPS["columns"])
    kernel = cp.ElementwiseKernel("T a, T b", "T c", "c = a * b + 1", "distributed_kernel")
    holds(kernel(d, e), x * x[::-1] + 1, da.REPLICA)
    holds(kernel(d.change_mode(da.SUM), 3), x * 3 + 1)
    holds(cp.fuse(lambda a, b: cp.exp(a * 0) + b)(d, e), 1 + x[::-1])
    holds(cp.add(d, e, dtype="D"), np.add(x, x[::-1], dtype="D"))
    with pytest.raises(TypeError, match="DistributedArray"):
        cp.ReductionKernel("T a", "T b", "a", "a + b", "b = a", "0", "distributed_sum")(d, axis=0)
    for call in (lambda: cp.add(d, d, out=d), lambda: cp.add(d, d, d), lambda: cp.exp(d, d),
                 lambda: cp.add(d, d, where=x > 0), lambda: cp.exp(d, out=(d,))):
        with pytest.raises(RuntimeError, match="are not supported"):
            call()
    for call in (lambda: cp.add(d, x), lambda: cp.add(cp.asarray(x), d), lambda: kernel(d, cp.asarray(x))):
        with pytest.raises(RuntimeError, match="Mixing a distributed array"):
            call()
    class Other:
        pass
    for strange in (Other(), "a"):
        with pytest.raises(TypeError, match="Unsupported type"):
            cp.exp(strange)


def test_matmul():
    a, b = whole(shape=(6, 8)), whole(shape=(8, 5))
    blocks = da.make_2d_index_map([0, 2, 6], [0, 3, 8], [[{0}, {1}], [{0}, {1}]])
    others = da.make_2d_index_map([0, 3, 8], [0, 5], [[{0}], [{1}]])
    for index_a, index_b in (({0: slice(0, 3), 1: slice(3, 6)}, {0: slice(None), 1: slice(None)}), (blocks, others),
                             ({0: slice(None), 1: slice(None)},
                              {0: (slice(None), slice(2)), 1: (slice(None), slice(2, 5))})):
        x, y = da.distributed_array(a, index_a), da.distributed_array(b, index_b)
        holds(da.matmul(x, y), a @ b, da.SUM)
        holds(x.change_mode(da.SUM) @ y, a @ b)
        holds((x @ y) + 1, a @ b + 1)
    v = da.distributed_array(b[:, 0].copy(), {0: slice(None), 1: slice(None)})
    holds(x @ v, a @ b[:, 0])
    holds(v @ y, b[:, 0] @ b)
    holds(v @ v, np.asarray(b[:, 0] @ b[:, 0]))
    s, t = whole(shape=(3, 2, 4)), whole(shape=(3, 4, 2))
    index = {0: slice(0, 1), 1: slice(1, 3)}
    holds(da.distributed_array(s, index) @ da.distributed_array(t, index), s @ t)
    x, y = da.distributed_array(a, {0: slice(None)}), da.distributed_array(b, {1: slice(None)})
    with pytest.raises(RuntimeError, match="no device that can perform multiplication between block"):
        da.matmul(x, y)
    with pytest.raises(ValueError, match="do not fit"):
        da.matmul(x, x)
    with pytest.raises(RuntimeError, match="has a step"):
        steps = da.distributed_array(a, {0: [slice(0, None, 2), slice(1, None, 2)]})
        da.matmul(steps, da.distributed_array(b, {0: slice(None)}))
    with pytest.raises(TypeError, match="not ndarray"):
        da.matmul(x, b)


def test_errors():
    x = whole()
    d = da.distributed_array(x, MAPS["rows"])
    for index, kind, words in (({0: slice(None, None, -1)}, ValueError, "must be positive"),
                               ({0: (0, 0, 0)}, IndexError, "too many indices"), ({0: 7}, IndexError, "out of bounds"),
                               ({0: "a"}, TypeError, "slices and integers"),
                               ({-1: slice(None)}, ValueError, "no device")):
        with pytest.raises(kind, match=words):
            da.distributed_array(x, index)
    part = da.distributed_array(x, {0: slice(0, 3)})
    for call in (part.get, lambda: part.reshard(MAPS["rows"])):
        with pytest.raises(ValueError, match="does not have all elements"):
            call()
    for call in (lambda: d + x, lambda: d + cp.asarray(x), lambda: np.add(x, d)):
        with pytest.raises(RuntimeError, match="Mixing a distributed array"):
            call()
    with pytest.raises(RuntimeError, match="out"):
        d.sum(axis=0, out=d)
    with pytest.raises(RuntimeError, match="out"):
        np.add(d, d, out=d)
    with pytest.raises(np.exceptions.AxisError):
        d.sum(axis=2)
    with pytest.raises(ValueError, match="zero-size"):
        da.distributed_array(np.zeros((0, 3)), {0: slice(None)}).max(axis=1)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(d)
    with pytest.raises(NotImplementedError, match="DistributedArray.argsort"):
        d.argsort()
    with pytest.raises(NotImplementedError, match="DistributedArray.T"):
        d.T
    with pytest.raises(NotImplementedError, match="DistributedArray.sort"):
        cp.sort(d)
    with pytest.raises(ValueError, match="must rise from 0"):
        da.make_2d_index_map([1, 2], [0, 1], [[{0}]])
    with pytest.raises(ValueError, match="1 rows of 1 sets"):
        da.make_2d_index_map([0, 2], [0, 1], [[{0}, {1}]])
    out = np.empty((7, 5))
    assert d.get(out=out) is out and (out == x).all()
    assert pickle.loads(pickle.dumps(da.SUM)) is da.SUM and repr(da.SUM) == "SUM" and "rows" not in repr(d)


@pytest.mark.once
def test_ranges():
    """Intersections of ranges are those of sets."""
    rng = np.random.default_rng(1)
    for _ in range(2000):
        a, b = (range(s, s + n, k) for s, n, k in rng.integers([0, 0, 1], [12, 30, 7], (2, 3)).tolist())
        got = common((a,), (b,))
        assert (set() if got is None else set(got[0])) == set(a) & set(b), (a, b)
        if got is not None:
            at, = within(got, (a,))
            assert list(a[at]) == list(got[0])
    assert ranges_of((4, 5), (-1, slice(1, 9, 3))) == (range(3, 4), range(1, 5, 3))
    assert is_covered((3, 3), [(range(3), range(2)), (range(0, 3, 2), range(3)), (range(1, 2), range(2, 3))])
    assert not is_covered((3, 3), [(range(3), range(2)), (range(0, 3, 2), range(3))])
