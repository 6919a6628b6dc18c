"""x[key] and x[key] = value with integers, slices, Ellipsis, None, arrays of integers and masks in every mixture,
against NumPy: values, shapes, kinds of exceptions. A wrong index is reported where the result is read, if not
before."""
import os

import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does, equal, outcome, raises

TYPES = "?bBhHiIlLefdFD"
CASES = int(os.environ.get("CUPRITE_CASES", 4000))


def numbers(rng, shape, t):
    x = rng.integers(-100, 100, shape)
    return np.asarray(x % 2 if t == "?" else abs(x) if t in "BHIL" else x + 1j * (x % 3) if t in "FD" else x).astype(t)


def source(rng, t=None, limit=6):
    """A host array of 0 to 5 dimensions, as a view with strides of either sign, and how to make it of one of ours."""
    ndim = int(rng.integers(0, limit))
    shape = tuple(int(rng.choice([1, 2, 3, 4, 5, 7, 0], p=[.15, .2, .2, .2, .1, .1, .05])) for _ in range(ndim))
    steps = tuple(slice(None, None, int(rng.choice([1, 1, -1, 2]))) for _ in shape)
    order = tuple(map(int, rng.permutation(ndim)))
    base = numbers(rng, shape, t or str(rng.choice(list(TYPES))))
    return base, lambda x: x[(*steps, Ellipsis)].transpose(order)


def slice_of(rng, n):
    a, b = (int(v) if rng.random() < 0.6 else None for v in rng.integers(-n - 2, n + 3, 2))
    return slice(a, b, [None, 1, 2, -1, -2, 3][rng.integers(6)])


def index_array(rng, n, shape, wrong):
    low, high = (-n, n) if n else (0, 1)
    at = rng.integers(low, max(high, low + 1), shape)
    if wrong and at.size:
        at.ravel()[rng.integers(at.size)] = rng.choice([n, -n - 1, n + 7])
    types = "bhilBHIL" if at.size == 0 or at.min() >= 0 else "bhil"
    return np.asarray(at).astype(str(rng.choice(list(types))))


def key_for(rng, shape):
    """A key: mostly a right one."""
    common = tuple(map(int, rng.integers(1, 4, rng.integers(0, 4))))
    if rng.random() < 0.08:
        common = (0,) + common
    key, axis, wrong = [], 0, rng.random() < 0.06
    while axis < len(shape) and rng.random() < 0.85:
        n, what = shape[axis], rng.random()
        if what < 0.22:
            key.append(slice_of(rng, n))
        elif what < 0.37:
            key.append(int(rng.integers(-n, n)) if n and not wrong else int(rng.integers(-9, 9)))
        elif what < 0.75:
            part = common[int(rng.integers(0, len(common) + 1)):]
            part = tuple(1 if rng.random() < 0.2 and e else e for e in part)
            key.append(index_array(rng, n, part, wrong))
        elif what < 0.9:
            deep = int(rng.integers(1, 3))
            mask = np.asarray(rng.random(shape[axis:axis + deep]) < rng.choice([0.1, 0.5, 1]))
            if rng.random() < 0.03:
                mask = np.ones(tuple(e + 1 for e in mask.shape), bool)
            key.append(mask)
            axis += mask.ndim - 1
        elif what < 0.95:
            key.append(None)
            axis -= 1
        else:
            key.append(bool(rng.integers(2)))
            axis -= 1
        axis += 1
    if rng.random() < 0.3 and Ellipsis not in [k for k in key if not isinstance(k, np.ndarray)]:
        key.insert(int(rng.integers(0, len(key) + 1)), Ellipsis)
    if rng.random() < 0.03:
        key.append(0)
    return tuple(key)


def ours(key):
    """The same key of our arrays; small ones sometimes as lists."""
    if isinstance(key, tuple):
        return tuple(map(ours, key))
    if isinstance(key, np.ndarray):
        return key.tolist() if key.ndim and key.size and key.size % 3 == 1 else cp.asarray(key)
    return key


def read(x):
    """The elements. Errors on the way are reported, also where there are no elements to wait for."""
    r = x.get()
    cp.cuda.get_current_stream().synchronize()
    return cp.asarray(r)


def check(got, want):
    assert isinstance(got, type) == isinstance(want, type) and (not isinstance(got, type) or got is want), (got, want)
    if not isinstance(got, type):
        equal(got, want)


@pytest.mark.parametrize("seed", range(8))
def test_reading(seed):
    rng = np.random.default_rng(seed)
    for _ in range(CASES // 8):
        base, view = source(rng)
        x, a = view(base), view(cp.asarray(base))
        key = key_for(rng, x.shape)
        check(outcome(lambda: read(a[ours(key)])), outcome(lambda: x[key]))


@pytest.mark.parametrize("seed", range(8))
def test_writing(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(CASES // 8):
        base, view = source(rng)
        t = base.dtype.char
        x, b = base.copy(), cp.asarray(base)
        key = key_for(rng, view(x).shape)
        shape = outcome(lambda: view(x)[key].shape)
        shape = () if isinstance(shape, type) else shape
        cut = shape[int(rng.integers(0, len(shape) + 1)):]
        part = tuple(1 if rng.random() < 0.2 else e for e in cut)
        # to one element an array of one may be written, as CuPy does; and NumPy does not look at empty values
        if rng.random() < 0.1 and shape and 0 not in part:
            part = (1,) + part if rng.random() < 0.5 else (2,) + part
        v = numbers(rng, part, t)

        def put(x, key, v):
            view(x)[key] = v
            return x if isinstance(x, np.ndarray) else read(x)

        check(outcome(put, b, ours(key), cp.asarray(v) if v.ndim or rng.random() < 0.5 else v.item()),
              outcome(put, x, key, v))
        assert np.array_equal(b.get(), x)


@pytest.mark.parametrize("seed", range(4))
def test_in_place(seed):
    rng = np.random.default_rng(200 + seed)
    for _ in range(CASES // 16):
        base, view = source(rng, str(rng.choice(list("bhilfdD"))))
        x, b = base.copy(), cp.asarray(base)
        key = key_for(rng, view(x).shape)

        def change(x, key):
            view(x)[key] += 1
            view(x)[key] *= 2
            return x if isinstance(x, np.ndarray) else read(x)

        check(outcome(change, b, ours(key)), outcome(change, x, key))


def test_issue_examples():
    with raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        cp.arange(5)[[7]].get()
    with raises(IndexError, match="index_set: .*index -6 is out of bounds for axis 0 with size 5"):
        x = cp.arange(5)
        x[cp.asarray([0, -6])] = 1
        x.get()


def test_nothing_is_written_where_an_index_is_wrong():
    x = cp.arange(6)
    assert outcome(lambda: (x.__setitem__(cp.asarray([0, 1, 6]), 9), x.get())) is IndexError
    assert x.get().tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("n, places", [(1000, 1), (200000, 1), (300000, 1000), (300000, 250000)])
def test_the_last_value_stays(n, places):
    rng = np.random.default_rng(n + places)
    at = rng.integers(0, places, n)
    for t in ("b", "f", "D"):
        v = numbers(rng, n, t)
        x, b = np.zeros(places, t), cp.zeros(places, t)
        x[at] = v
        for _ in range(3):
            b[cp.asarray(at)] = cp.asarray(v)
            assert np.array_equal(b.get(), x)
        y, c = np.zeros((3, places, 2), t), cp.zeros((3, places, 2), t)
        w = numbers(rng, (3, n, 2), t)
        y[:, at] = w
        c[:, cp.asarray(at)] = cp.asarray(w)
        assert np.array_equal(c.get(), y)


# indices, elements: one block and several, a table and a hash table, few elements of which one is named very often, and
# very many values for as many elements, which go window by window
MANY = [(100, 10**6), (2048, 10**6), (3000, 100), (5000, 12288), (16384, 50000), (20000, 300), (300000, 3),
        (1 << 18, 1 << 16), (300000, 65537), (700000, 10**6)]


@pytest.mark.parametrize("n, elements", MANY)
def test_many_values(n, elements):
    rng = np.random.default_rng(n + elements)
    at = rng.integers(-elements, elements, n)
    at[rng.random(n) < 0.1] = elements // 2
    for t in ("b", "h", "f", "d", "D"):
        x, v = numbers(rng, 2 * elements, t), numbers(rng, n, t)
        for step in (1, -2):
            a, view = cp.asarray(x), slice(None, None, step) if step < 0 else slice(elements)
            x[view][at] = v
            a[view][cp.asarray(at)] = cp.asarray(v)
            equal(a, x)
        x[:elements][at] = 1
        a[:elements][cp.asarray(at)] = 1
        equal(a, x)
    np.put(x, at * 3, v, "wrap")
    cp.put(a, cp.asarray(at * 3), cp.asarray(v), "wrap")
    equal(a, x)
    side = int(elements**0.5)
    y, w = numbers(rng, (side, side), "f"), numbers(rng, n, "f")
    b, rows, columns = cp.asarray(y), rng.integers(0, side, n), rng.integers(-side, 0, n)
    y[rows, columns] = w
    b[cp.asarray(rows), cp.asarray(columns)] = cp.asarray(w)
    equal(b, y)


@pytest.mark.parametrize("n", [10, 5000, 40000, 300000])
def test_a_wrong_index_among_many(n):
    rng = np.random.default_rng(n)
    x, at = numbers(rng, n, "f"), rng.integers(0, n, n)
    for wrong in (n, -n - 1):
        at[n // 3] = wrong
        for v in (cp.asarray(x + 1), 1):
            a = cp.asarray(x)
            with raises(IndexError, match=f"index {wrong} is out of bounds for axis 0 with size {n}"):
                a[cp.asarray(at)] = v
                a.get()
            equal(a, x)
            a[cp.asarray([0, 1, 0])] = cp.asarray(x[:3])
            equal(a[:2], x[[2, 1]])


@pytest.mark.parametrize("t", TYPES)
def test_rows_of_every_length(t):
    rng = np.random.default_rng(5)
    for width in (1, 2, 3, 4, 5, 8, 31, 70000):
        x = numbers(rng, (7, width), t)
        at = rng.integers(-7, 7, 11 if width < 100 else 3)
        a = cp.asarray(x)
        equal(a[cp.asarray(at)], x[at])
        equal(a[::-1, ::-1][cp.asarray(at)], x[::-1, ::-1][at])
        equal(a.T[:, cp.asarray(at)], x.T[:, at])
        a[cp.asarray(at)] = a[0]
        x[at] = x[0].copy()
        equal(a, x)


def test_overlapping_assignment():
    x, a = np.arange(10), cp.arange(10)
    at = np.array([0, 3, 3, 9, -2])
    x[at] = x[::-2].copy()
    a[cp.asarray(at)] = a[::-2]
    equal(a, x)
    x[x[:5] % 10] = 7
    a[a[:5] % 10] = 7
    equal(a, x)
    y, b = np.array([3, 1, 0, 2]), cp.array([3, 1, 0, 2])
    y[y] = [10, 20, 30, 40]
    b[b] = cp.array([10, 20, 30, 40])
    equal(b, y)


def test_a_copy_is_made():
    for key in ((np.array([0, 1]),), (np.array(1),), (True,), (np.array([True, False, True]), slice(None))):
        x = cp.zeros((3, 2))
        y = x[ours(key)]
        y[...] = 5
        assert not x.get().any()


def test_many_axes_of_their_own():
    """More axes than a record has, on either side."""
    rng = np.random.default_rng(3)
    x = numbers(rng, (2,) * 20, "h")[(slice(None), slice(None, None, -1)) * 10]
    a = cp.asarray(numbers(rng, (2,) * 20, "h"))
    x = a.get()
    steps = (slice(None), slice(None, None, -1)) * 10
    order = tuple(rng.permutation(20))
    x, a = x[steps].transpose(order), a[steps].transpose(order)
    at = rng.integers(-2, 2, (2, 1, 2) * 4).transpose(tuple(rng.permutation(12)))
    for key in ((at.ravel()[:3],), (slice(None),) * 9 + (at.ravel()[:3], at.ravel()[3:6]),
                (slice(None), np.array([1, 0]), slice(None), np.array([0, 1]))):
        equal(a[ours(key)], x[key])
        x2, a2 = x.copy(), a.copy()
        x2[key] = 3
        a2[ours(key)] = 3
        equal(a2, x2)
    y = np.arange(12).reshape(3, 4)[:, ::-1]
    equal(cp.asarray(y)[cp.asarray(at), cp.asarray(at.T)], y[at, at.T])
    many = tuple(rng.integers(-2, 2, 5) for _ in range(20))
    equal(a[ours(many)], x[many])


@pytest.mark.parametrize("index", [1.0, "a", [1.5], {1}, ([0.0],), ("x", 0), (slice(None), slice(None), 0),
                                   [[0, 1], [2]], (Ellipsis, Ellipsis), slice(None, None, 0), 2 ** 70, [2 ** 70],
                                   np.float64(1)])
def test_wrong_keys(index):
    as_numpy_does(lambda xp: xp.zeros((3, 4))[index])

    def put(xp):
        xp.zeros((3, 4))[index] = 1

    as_numpy_does(put)


def test_numpy_integers_and_scalars_as_index():
    x, a = np.arange(24).reshape(2, 3, 4), cp.arange(24).reshape(2, 3, 4)
    for i in (np.int8(1), np.uint64(1), np.int64(-1), True, False, np.True_):
        equal(a[i], x[i])
    equal(a[cp.asarray(1)], x[np.array(1)])
    equal(a[cp.asarray(1), :, cp.asarray([0, 2])], x[np.array(1), :, [0, 2]])
    equal(a[..., cp.asarray([2 ** 64 - 1], "u8")], x[..., np.array([2 ** 64 - 1], "u8")])


def test_index_on_another_type_of_memory_order():
    x = np.asfortranarray(np.arange(60).reshape(3, 4, 5))
    a = cp.asarray(x)
    at, to = np.array([[0, 2], [1, 1]]), np.array([[3, 1], [0, 0]])
    equal(a[cp.asarray(at), cp.asarray(to)], x[at, to])
    equal(a[cp.asarray(at), :, cp.asarray(to)], x[at, :, to])
    equal(a[:, cp.asarray(at)], x[:, at])


def test_places_beyond_64_bits():
    """Indices that fit each by itself, and whose flat indices together do not: 2^64 of them are not 0."""
    def by(xp, shape):
        nought = xp.zeros((1, 1), "i8")
        one = xp.broadcast_to(nought, (2 ** 32, 1)), xp.broadcast_to(nought, (1, 2 ** 32))
        x = xp.zeros(shape)
        with pytest.raises(ValueError):
            x[one]
        with pytest.raises(ValueError):
            x[one] = 5

    for shape in ((1, 1), (1, 1, 2)):
        by(np, shape)
        by(cp, shape)


def test_flat_by_integers():
    rng = np.random.default_rng(6)
    for _ in range(CASES // 20):
        base, view = source(rng)
        x, a = view(base), view(cp.asarray(base))
        at = index_array(rng, x.size, tuple(rng.integers(0, 5, 1)), rng.random() < 0.2)
        check(outcome(lambda: read(a.flat[cp.asarray(at)])), outcome(lambda: x.flat[at]))
        v = numbers(rng, (int(rng.integers(1, 4)),), base.dtype.char)
        y, b = base.copy(), cp.asarray(base)

        def put(x, at, v):
            view(x).flat[at] = v
            return x if isinstance(x, np.ndarray) else read(x)

        want = outcome(put, y, at, v)
        if isinstance(want, type):
            continue  # NumPy writes as far as it comes
        equal(outcome(put, b, cp.asarray(at), cp.asarray(v)), want)
    assert isinstance(a.flat, cp.flatiter)


@pytest.mark.parametrize("t", ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_an_element_from_a_0d_array(t, device):
    """x[i] = y where y has no dimensions: of x's type and of another, views of x itself, and what is refused."""
    x = np.arange(12).astype(t).reshape(3, 4)
    a = cp.asarray(x)
    for key in ((1, 2), (-1, -4), (np.int64(0), 3)):
        for value in (np.array(5, t), np.array(1, "u1"), np.array(1, "?")):
            a[key] = cp.asarray(value)
            x[key] = value
            np.testing.assert_array_equal(a.get(), x, strict=True)
    a[0, 0] = a[2, 3]
    x[0, 0] = x[2, 3]
    b, y = a[:, ::-2], x[:, ::-2]
    b[2, 1] = a[1, 1]
    y[2, 1] = x[1, 1]
    np.testing.assert_array_equal(a.get(), x, strict=True)
    value = cp.asarray(np.array(1, t))
    for key in ((3, 0), (0, -5), (0, 0, 0)):
        with pytest.raises(IndexError):
            a[key] = value
    a.flags.writeable = False
    with pytest.raises(ValueError):
        a[0, 0] = value
    np.testing.assert_array_equal(a.get(), x, strict=True)
