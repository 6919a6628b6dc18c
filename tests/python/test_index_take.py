"""take, put, choose, place, ravel_multi_index, mgrid, tril_indices and their like against NumPy: values, types, shapes,
kinds of exceptions. A wrong index is reported where the result is read, if not before."""
import os

import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does, equal, outcome, raises
from test_index_keys import TYPES, check, index_array, numbers, read, source

CASES = int(os.environ.get("CUPRITE_CASES", 2000))


def near(x, rng):
    """What stands for a host array in a call of ours: an array, or its list where that means the same."""
    return cp.asarray(x) if not isinstance(x, (int, float, complex)) else x


def result(r):
    return tuple(map(read, r)) if isinstance(r, tuple) else read(r)


def calls(seed, number=CASES):
    rng = np.random.default_rng(seed)
    return (rng for _ in range(number))


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_take(mode):
    for rng in calls(1):
        base, view = source(rng)
        x, a = view(base), view(cp.asarray(base))
        axis = None if rng.random() < 0.3 else int(rng.integers(-x.ndim - 1, x.ndim + 1))
        n = x.size if axis is None or not -x.ndim <= axis < x.ndim else x.shape[axis]
        at = index_array(rng, n, tuple(rng.integers(0, 4, rng.integers(0, 3))), rng.random() < 0.3)
        if mode == "wrap" and n == 0:
            continue  # NumPy never returns
        check(outcome(lambda: read(cp.take(a, cp.asarray(at), axis, mode=mode))),
              outcome(lambda: np.take(x, at, axis, mode=mode)))
        check(outcome(lambda: read(a.take(cp.asarray(at), axis=axis, mode=mode))),
              outcome(lambda: np.take(x, at, axis, mode=mode)))


def test_take_into_out_and_of_lists(device):
    x = np.arange(12.0).reshape(3, 4)
    for axis, shape, t in ((0, (2, 4), "d"), (1, (3, 2), "d"), (None, (2,), "d"), (0, (2, 3), "d"), (0, (2, 4), "f")):
        as_numpy_does(lambda xp: xp.take(xp.asarray(x), [0, 2], axis, out=xp.zeros(shape, t)))
    for t in "?blefFD":
        out = cp.zeros((2, 4), t)
        if t in "FD":  # what out has must become x's type safely, as in NumPy's buffered take
            with pytest.raises(TypeError):
                cp.take(cp.asarray(x), [0, 2], 0, out=out)
        else:
            assert cp.take(cp.asarray(x), [0, 2], 0, out=out) is out and out.dtype == t
            assert (out.get() == x[[0, 2]].astype(t)).all()
        line = cp.choose(cp.asarray([0, 1]), [cp.arange(2.0), cp.ones(2)], out=cp.zeros(2, t))
        assert line.dtype == t and line.tolist() == [0, 1]
    for at in ([], [1.0], True, [True, False], 2, -1, "a", [[0], [1]]):
        as_numpy_does(lambda xp: xp.take(xp.asarray(x), at))
    as_numpy_does(lambda xp: xp.take(xp.asarray(x), [0], mode="bogus"))
    as_numpy_does(lambda xp: xp.take(xp.zeros((0, 3)), [0], 1))
    as_numpy_does(lambda xp: xp.take(xp.asarray(5), [0, 0]))
    with raises(IndexError, match="take: .*index 12 is out of bounds for axis 0 with size 12|take: an index is out of"):
        read(cp.take(cp.asarray(x), [12]))
    out = cp.zeros(2)
    assert outcome(lambda: read(cp.take(cp.asarray(x), [1, 12], out=out))) is IndexError
    assert device != "cpu" or not out.get().any()  # elsewhere its elements are undefined now


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_put(mode):
    for rng in calls(2):
        base, view = source(rng, str(rng.choice(list("?bhilfdFD"))))
        x, b = base.copy(), cp.asarray(base)
        at = index_array(rng, view(x).size, tuple(rng.integers(0, 5, rng.integers(0, 3))), rng.random() < 0.2)
        v = numbers(rng, tuple(rng.integers(0, 4, rng.integers(0, 3))), str(rng.choice(list("?bld"))))
        want = outcome(lambda: np.put(view(x), at, v, mode=mode) or x)
        check(outcome(lambda: cp.put(view(b), cp.asarray(at), cp.asarray(v), mode=mode) or read(b)), want)
        equal(b, base if isinstance(want, type) else x)  # NumPy writes as far as it comes


def test_put_of_numbers_and_lists():
    for v in (1, 2.5, [1, 2], 300, True, [], 3j):
        for t in "bfD":
            as_numpy_does(lambda xp: xp.put(x := xp.zeros(4, t), [1, 2, 3, 1], v) or x)
    as_numpy_does(lambda xp: xp.zeros(3).put([0], [1]))
    as_numpy_does(lambda xp: xp.put(xp.zeros(3), xp.asarray([1.0]), 1))
    as_numpy_does(lambda xp: xp.put(xp.zeros(3), [], 1))
    as_numpy_does(lambda xp: xp.put(xp.zeros(0), [0], 1))
    as_numpy_does(lambda xp: xp.put(xp.broadcast_to(xp.zeros(1), (3,)), [0], 1))


def lanes(rng, x, axis, wrong):
    shape = [1 if rng.random() < 0.15 else n for n in x.shape]
    n = x.shape[axis] if -x.ndim <= axis < x.ndim else 1
    if -x.ndim <= axis < x.ndim:
        shape[axis] = int(rng.integers(0, 5))
    return index_array(rng, n, tuple(shape), wrong)


def test_along_an_axis():
    for rng in calls(3):
        base, view = source(rng)
        x, a = view(base), view(cp.asarray(base))
        axis = int(rng.integers(-x.ndim - 1, x.ndim + 1)) if rng.random() < 0.05 or not x.ndim else \
            int(rng.integers(-x.ndim, x.ndim))
        at = lanes(rng, x, axis, rng.random() < 0.1)
        if rng.random() < 0.03:
            at = at[None]
        check(outcome(lambda: read(cp.take_along_axis(a, cp.asarray(at), axis))),
              outcome(lambda: np.take_along_axis(x, at, axis)))
        y, b = base.copy(), cp.asarray(base)
        v = numbers(rng, outcome(lambda: np.take_along_axis(x, at, axis).shape[int(rng.integers(0, x.ndim + 1)):])
                    if not isinstance(outcome(np.take_along_axis, x, at, axis), type) else (), base.dtype.char)
        check(outcome(lambda: cp.put_along_axis(view(b), cp.asarray(at), cp.asarray(v), axis) or read(b)),
              outcome(lambda: np.put_along_axis(view(y), at, v, axis) or y))
        equal(b, y)


@pytest.mark.parametrize("shape", [(70, 5), (300, 700), (20000, 30), (64, 12288), (65, 13000), (2, 3, 90000)], ids=str)
def test_many_along_an_axis(shape):
    """Rows that a block has several of, one of, and too long ones; the last of several values stays."""
    rng = np.random.default_rng(len(shape))
    for axis, t in ((0, "b"), (1, "f"), (-1, "d"), (-1, "D")):
        wide, many = list(shape), shape[axis]
        for wide[axis] in (many // 2 + 1, 2 * many):
            x, at = numbers(rng, shape, t), rng.integers(-many, many, wide)
            v, a = numbers(rng, wide, t), cp.asarray(x)
            equal(cp.take_along_axis(a, cp.asarray(at), axis), np.take_along_axis(x, at, axis))
            np.put_along_axis(x, at, v, axis)
            cp.put_along_axis(a, cp.asarray(at), cp.asarray(v), axis)
            equal(a, x)
    at[0] = many
    with raises(IndexError):
        cp.put_along_axis(a, cp.asarray(at), cp.asarray(v), axis)
        a.get()
    equal(a, x)


def test_along_no_axis_and_what_argsort_gives():
    x = np.random.default_rng(4).standard_normal((4, 5, 3))
    a = cp.asarray(x)
    for axis in (0, 1, 2):
        equal(cp.take_along_axis(a, cp.argsort(a, axis), axis), np.sort(x, axis))
    at = np.array([0, 59, -1, 7])
    equal(cp.take_along_axis(a[::-1], cp.asarray(at), None), np.take_along_axis(x[::-1], at, None))
    cp.put_along_axis(a[::-1], cp.asarray(at), 9, None)
    y = x.copy()
    y[::-1].reshape(-1)
    z = x[::-1].copy()
    np.put_along_axis(z, at, 9, None)
    equal(a[::-1], z)
    for bad in (lambda xp: xp.take_along_axis(xp.asarray(x), xp.zeros((1, 1, 1)), 0),
                lambda xp: xp.take_along_axis(xp.asarray(x), xp.zeros((1, 1), int), 0),
                lambda xp: xp.take_along_axis(xp.asarray(x), xp.zeros((1, 1, 1), int), None),
                lambda xp: xp.put_along_axis(xp.asarray(x), xp.zeros((1, 4, 1), int), 1, 0),
                lambda xp: xp.put_along_axis(xp.asarray(x), xp.zeros((1, 1), int), 1, 0)):
        as_numpy_does(bad)


@pytest.mark.parametrize("mode", ["raise", "wrap", "clip"])
def test_choose(mode):
    for rng in calls(5, CASES // 2):
        shape = tuple(rng.integers(1, 4, rng.integers(0, 4)))
        n = int(rng.integers(1, 5))
        at = rng.integers(-n if rng.random() < 0.1 or mode != "raise" else 0, n + (rng.random() < 0.1) * 2, shape)

        def part():
            s = shape[int(rng.integers(0, len(shape) + 1)):]
            return tuple(1 if rng.random() < 0.2 else e for e in s)

        choices = [numbers(rng, part(), str(rng.choice(list(TYPES)))) for _ in range(n)]
        check(outcome(lambda: read(cp.choose(cp.asarray(at), [cp.asarray(c) for c in choices], mode=mode))),
              outcome(lambda: np.choose(at, choices, mode=mode)))


def test_choose_more():
    as_numpy_does(lambda xp: xp.choose(xp.asarray([0, 1, 0]), [1, xp.arange(3.0)]))
    as_numpy_does(lambda xp: xp.asarray([1, 0]).choose([xp.arange(2), xp.arange(2) * 10], out=xp.zeros(2, int)))
    as_numpy_does(lambda xp: xp.choose(xp.asarray([True, False]), xp.asarray([[1, 2], [3, 4]])))
    as_numpy_does(lambda xp: xp.choose(xp.asarray([0.0]), [xp.arange(3)]))
    as_numpy_does(lambda xp: xp.choose(xp.asarray([0, 1]), [xp.zeros(3), xp.zeros(2)]))
    with raises(ValueError, match="choose: invalid entry in choice array"):
        read(cp.choose(cp.asarray([2]), [cp.zeros(1), cp.zeros(1)]))


@pytest.mark.parametrize("name", ["place", "putmask"])
def test_masked_assignment(name):
    for rng in calls(6):
        base, view = source(rng)
        x, b = base.copy(), cp.asarray(base)
        mask = np.asarray(rng.random(view(x).shape) < rng.choice([0, 0.3, 1]))
        if rng.random() < 0.1:
            mask = mask.ravel()
        if rng.random() < 0.05:
            mask = np.ones(mask.size + 1, bool)
        t = base.dtype.char if rng.random() < 0.8 else "d"
        v = numbers(rng, tuple(rng.integers(0 if rng.random() < 0.1 else 1, 5, rng.integers(0, 3))), t)
        check(outcome(lambda: getattr(cp, name)(view(b), cp.asarray(mask), cp.asarray(v)) or read(b)),
              outcome(lambda: getattr(np, name)(view(x), mask, v) or x))
        equal(b, x)


def test_masked_assignment_of_numbers():
    for name in ("place", "putmask"):
        for v in (1, 300, 2.5, [7, 8], [1.5]):
            for t in "bd":
                as_numpy_does(lambda xp: getattr(xp, name)(x := xp.zeros(5, t), xp.arange(5) % 2 == 0, v) or x)


@pytest.mark.parametrize("order", ["C", "F"])
def test_flat_places_and_coordinates(order):
    for rng in calls(7, CASES // 2):
        dims = tuple(int(n) for n in rng.integers(1, 6, rng.integers(1, 6)))
        shape = tuple(rng.integers(0, 4, rng.integers(0, 3)))
        mode = [str(m) for m in rng.choice(["raise", "wrap", "clip"], len(dims))]
        mode = tuple(mode) if rng.random() < 0.5 else mode[0]
        low, high = (-9, 12) if rng.random() < 0.5 else (0, 1)
        at = tuple(rng.integers(low, high, shape).astype(str(rng.choice(list("bhil")))) if high > 1
                   else rng.integers(0, n, shape) for n in dims)
        check(outcome(lambda: result(cp.ravel_multi_index(tuple(map(cp.asarray, at)), dims, mode, order))),
              outcome(lambda: np.asarray(np.ravel_multi_index(at, dims, mode, order))))
        size = int(np.prod(dims))
        flat = index_array(rng, size, shape, rng.random() < 0.1)
        flat = flat if rng.random() < 0.1 else abs(flat.astype("l")) % size
        got = outcome(lambda: result(cp.unravel_index(cp.asarray(flat), dims, order)))
        want = outcome(lambda: tuple(map(np.asarray, np.unravel_index(flat, dims, order))))
        check(got, want)


def test_coordinates_more():
    for f in (lambda xp: xp.unravel_index([], (3, 4)), lambda xp: xp.unravel_index(xp.asarray([1.0]), (3,)),
              lambda xp: xp.unravel_index(xp.asarray([1]), (2 ** 40, 2 ** 40)),
              lambda xp: xp.ravel_multi_index((xp.asarray([0]),), (2, 2)),
              lambda xp: xp.ravel_multi_index((xp.asarray([0.5]),), (2,)),
              lambda xp: xp.ravel_multi_index(xp.asarray([[3, 6, 6], [4, 5, 1]]), (7, 6)),
              lambda xp: xp.ravel_multi_index((xp.asarray([0]), xp.asarray([0])), (2 ** 40, 2 ** 40)),
              lambda xp: xp.ravel_multi_index((xp.zeros(2, int), xp.zeros(3, int)), (2, 2)),
              lambda xp: xp.ravel_multi_index((xp.zeros((2, 1), int), xp.arange(3)), (2, 3))):
        as_numpy_does(f)


def test_select():
    for rng in calls(8, CASES // 4):
        shape = tuple(rng.integers(0, 4, rng.integers(0, 4)))
        n = int(rng.integers(1, 4))

        def part():
            s = shape[int(rng.integers(0, len(shape) + 1)):]
            return tuple(1 if rng.random() < 0.2 else e for e in s)

        conditions = [rng.random(part()) < 0.4 for _ in range(n)]
        conditions = [np.asarray(c) for c in conditions]
        choices = [numbers(rng, part(), str(rng.choice(list(TYPES)))) for _ in range(n)]
        fallback = int(rng.integers(0, 2)) if rng.random() < 0.5 else numbers(rng, part(), "d")
        check(outcome(lambda: read(cp.select([cp.asarray(c) for c in conditions], [cp.asarray(c) for c in choices],
                                             near(fallback, rng)))),
              outcome(lambda: np.select(conditions, choices, fallback)))
    for f in (lambda xp: xp.select([], []), lambda xp: xp.select([xp.ones(2, bool)], []),
              lambda xp: xp.select([xp.ones(2)], [xp.ones(2)]),
              lambda xp: xp.select([xp.ones(2, bool)], [xp.ones(3)])):
        as_numpy_does(f)


def test_extract_and_compress():
    for rng in calls(9, CASES // 4):
        base, view = source(rng)
        x, a = view(base), view(cp.asarray(base))
        mask = np.asarray(rng.random(x.shape) < 0.5)
        check(outcome(lambda: read(cp.extract(cp.asarray(mask), a))), outcome(lambda: np.extract(mask, x)))


# --- matrices and grids ---

@pytest.mark.parametrize("t", TYPES)
def test_diagonals(t):
    x = numbers(np.random.default_rng(1), (4, 6), t)
    a = cp.asarray(x)
    for k in (-9, -5, -1, 0, 2, 6, 8):
        for part, ours in ((x, a), (x[::-2, ::-1], a[::-2, ::-1]), (x[1], a[1]), (x[1, ::-2], a[1, ::-2]),
                           (x[:, :0], a[:, :0]), (x[0, :0], a[0, :0])):
            equal(cp.diag(ours, k), np.diag(part, k))
            equal(cp.diagflat(ours, k), np.diagflat(part, k))
    equal(cp.diagflat([[1, 2], [3, 4]]), np.diagflat([[1, 2], [3, 4]]))
    equal(cp.diag([1, 2.5]), np.diag([1, 2.5]))
    for bad in (lambda xp: xp.diag(xp.asarray(1)), lambda xp: xp.diag(xp.zeros((1, 1, 1)))):
        as_numpy_does(bad)


def test_fill_diagonal():
    for rng in calls(10, CASES // 2):
        ndim = int(rng.integers(1, 5))
        n = int(rng.integers(0, 5))
        shape = tuple(rng.integers(0, 9, 2)) if ndim == 2 else (n,) * ndim if rng.random() < 0.9 else (n,) + (2,) * ndim
        t = str(rng.choice(list("bld")))
        x = numbers(rng, shape, t)
        a = cp.asarray(x)
        turn = (lambda x: x), (lambda x: x.T), (lambda x: x[::-1]), (lambda x: x[:, ::2] if x.ndim > 1 else x)
        view = turn[int(rng.integers(4)) if ndim == 2 else int(rng.integers(3))]
        val = numbers(rng, tuple(rng.integers(1, 4, rng.integers(0, 3))), t)
        val = val if rng.random() < 0.6 else float(val.ravel()[0])
        wrap = bool(rng.integers(2))
        check(outcome(lambda: cp.fill_diagonal(view(a), near(val, rng), wrap) or read(a)),
              outcome(lambda: np.fill_diagonal(view(x), val, wrap) or x))
        equal(a, x)


def test_triangles():
    for n in (0, 1, 3, 5):
        for m in (None, 0, 2, 7):
            for k in (-9, -2, 0, 1, 8):
                for t in (float, "i2", bool, complex, "f2"):
                    equal(cp.tri(n, m, k, dtype=t), np.tri(n, m, k, dtype=t))
                equal(cp.tril_indices(n, k, m), np.tril_indices(n, k, m))
                equal(cp.triu_indices(n, k, m), np.triu_indices(n, k, m))
                equal(cp.tril_indices_from(cp.zeros((n, m or 2)), k), np.tril_indices_from(np.zeros((n, m or 2)), k))
                equal(cp.triu_indices_from(cp.zeros((n, m or 2)), k), np.triu_indices_from(np.zeros((n, m or 2)), k))
        equal(cp.mask_indices(n, cp.tril, 1), np.mask_indices(n, np.tril, 1))
        equal(cp.diag_indices(n, 3), np.diag_indices(n, 3))
        equal(cp.diag_indices_from(cp.zeros((n, n))), np.diag_indices_from(np.zeros((n, n))))
    for bad in (lambda xp: xp.tril_indices_from(xp.zeros(3)), lambda xp: xp.triu_indices_from(xp.zeros((1, 2, 3))),
                lambda xp: xp.diag_indices_from(xp.zeros((2, 3))), lambda xp: xp.diag_indices_from(xp.zeros(3))):
        as_numpy_does(bad)


GRIDS = [slice(0, 5), slice(-1, 1, 5j), slice(0, 10, 3), slice(5, 0, -2), slice(0, 1, 0.25), slice(3, 3),
         slice(0, 5, 2.5), slice(None, 4), slice(1, 1, 1j), (slice(0, 3), slice(0, 2)),
         (slice(-1, 1, 3j), slice(0, 4, 2)),
         (slice(0, 2), slice(5, 5), slice(0, 1, 0.5)), (slice(0, 4, 1.5),), (slice(None, 2), slice(None, 3, 2j)),
         (slice(3, 0), slice(0, 2))]


@pytest.mark.parametrize("key", GRIDS, ids=str)
def test_grids(key):
    as_numpy_does(lambda xp: xp.mgrid[key])
    as_numpy_does(lambda xp: xp.ogrid[key])


def test_indices_and_meshes():
    for shape in ((), (0,), (3,), (2, 3), (4, 0, 2), (2, 1, 3)):
        for t in (int, "f4", "u1"):
            as_numpy_does(lambda xp: xp.indices(shape, dtype=t))
            as_numpy_does(lambda xp: xp.indices(shape, dtype=t, sparse=True))
    for args in (([0, 1], [2]), ([True, False, True], [1, 2]), ([], [1]), ([[1]],), (range(3),)):
        as_numpy_does(lambda xp: xp.ix_(*[a if isinstance(a, range) and xp is np else xp.asarray(list(a), int)
                                          if list(a) == [] else xp.asarray(list(a)) for a in args]))
    x = np.arange(20).reshape(4, 5)
    equal(cp.asarray(x)[cp.ix_([0, 3], [1, 2, 4])], x[np.ix_([0, 3], [1, 2, 4])])
    equal(cp.asarray(x)[cp.ix_([True, False, True, True], [4])], x[np.ix_([True, False, True, True], [4])])


def test_joining_by_index():
    a, b = np.array([1, 2, 3]), np.array([[4.0, 5], [6, 7]])
    for key in ((a, 0, a), (slice(0, 4), 7, 8), (slice(-1, 1, 5j),), ([1, 2], [3]), ("0,2", a, a), ("-1", b, b),
                ("0,2,0", a, a), ("1,3,1", a, a), (1, 2.5, 3), (1j, a), (np.float32([1]), 2), ("r", a), ("c", a),
                ("-1", b, a)):
        def joined(xp, obj):
            k = tuple(xp.asarray(v) if isinstance(v, np.ndarray) else v for v in key)
            r = obj[k if len(k) > 1 else k[0]]
            return np.asarray(r) if xp is np else r
        check(outcome(joined, cp, cp.r_), outcome(joined, np, np.r_))
        check(outcome(joined, cp, cp.c_), outcome(joined, np, np.c_))
    assert len(cp.r_) == 0
    assert outcome(lambda: cp.r_[cp.arange(2), "0"]) is ValueError
    assert outcome(lambda: cp.r_["x", cp.arange(2)]) is ValueError
