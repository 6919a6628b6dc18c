"""Indexing, copies, searches and bits at the sizes where their ways change: whole vectors and what is left of one,
chunks, tasks, what is larger than a cache; each as NumPy does it, to the bit."""
import numpy as np
import pytest

import cuprite as cp
from oracle import equal, outcome, raises

SIZES = [1, 2, 15, 16, 63, 64, 65, 127, 129, 511, 512, 513, 700, 5000, 40_000, 300_000]
TYPES = ["u1", "i2", "f4", "f8", "c16"]


def numbers(rng, shape, t):
    return rng.integers(0, 200, shape).astype(t)


def places(rng, extent, shape, negative=True):
    return rng.integers(-extent if negative else 0, extent, shape)


# --- elements by integers ---

@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_elements(t, n):
    rng = np.random.default_rng(n)
    x, v = numbers(rng, n, t), numbers(rng, n, t)
    for negative in (False, True):
        i = places(rng, n, n, negative)
        ours, at = cp.asarray(x), cp.asarray(i)
        equal(ours[at], x[i])
        equal(ours.take(at), x.take(i))
        equal(cp.take(ours, cp.asarray(3 * i), mode="wrap"), np.take(x, 3 * i, mode="wrap"))
        equal(cp.take(ours, cp.asarray(3 * i), mode="clip"), np.take(x, 3 * i, mode="clip"))
        equal(ours[::-1][at], x[::-1][i])
        equal(ours[at[::2]], x[i[::2]])
        for put in (lambda a, j, w: a.__setitem__(j, w), lambda a, j, w: a.put(j, w)):
            p, q = x.copy(), cp.asarray(x)
            put(p, i, v), put(q, at, cp.asarray(v))  # of several values for one element the last
            equal(q, p)
            put(p, i, 7), put(q, at, 7)
            equal(q, p)


@pytest.mark.parametrize("n", SIZES)
def test_wrong_places_change_nothing(n, device):
    rng = np.random.default_rng(n)
    x = numbers(rng, n, "f4")
    for wrong in (n, -n - 1, 2**63 - 1, -2**63):
        for at in {0, n // 2, n - 1}:
            i = places(rng, n, n)
            i[at] = wrong
            ours, index = cp.asarray(x), cp.asarray(i)
            for f in (lambda: ours[index].get(), lambda: ours.take(index).get(),
                      lambda: cp.take_along_axis(ours, index, 0).get()):
                with raises(IndexError):
                    f()
            ours = cp.asarray(x)
            with raises(IndexError):
                ours[index] = 5
                ours.get()
            if device == "cpu":  # where work is done at once, nothing was written
                equal(ours, x)


LONG, MANY = 4_300_000, 1_200_000  # elements of a line whose claims no cache holds, and indices to write to


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("kind", ["anywhere", "sorted", "crowded", "one", "strided"])
def test_elements_of_a_long_line(t, kind):
    rng = np.random.default_rng(5)
    i = rng.integers(-LONG, LONG, MANY)
    if kind == "sorted":
        i.sort()
    if kind == "crowded":  # most of them in a few neighbours
        i[:: 3] = rng.integers(0, 20_000, len(i[:: 3]))
        i[1:: 3] = 4_000_000
    x, v = numbers(rng, LONG * (1 + (kind == "strided")), t), numbers(rng, MANY, t)
    ours, value = cp.asarray(x), 3 if kind == "one" else v
    (x[::-2] if kind == "strided" else x)[i] = value
    (ours[::-2] if kind == "strided" else ours)[cp.asarray(i)] = 3 if kind == "one" else cp.asarray(v)
    equal(ours, x)


def test_a_wrong_place_in_a_long_line(device):
    rng = np.random.default_rng(6)
    i, x = rng.integers(0, LONG, MANY), np.arange(LONG, dtype="f4")
    for wrong, at in ((LONG, 0), (-LONG - 1, MANY - 1), (2**32, MANY // 2)):
        j, ours = i.copy(), cp.asarray(x)
        j[at] = wrong
        with raises(IndexError):
            ours[cp.asarray(j)] = cp.ones(MANY, "f4")
            ours.get()
        if device != "late:0":  # which does not go on after a failure
            equal(ours, x)


@pytest.mark.parametrize("t", ["f4", "f8", "c16", "i2"])
@pytest.mark.parametrize("n, k", [(700, 700), (1000, 333), (255, 5000), (1, 3000)])
def test_the_same_places_of_many_rows(t, n, k):
    rng = np.random.default_rng(n)
    x, i = numbers(rng, (300, n + 3), t), places(rng, n, k)
    ours, at = cp.asarray(x), cp.asarray(i)
    for rows, mine in ((x[:, :n], ours[:, :n]), (x[::-2, 3:], ours[::-2, 3:]), (x[:, n - 1::-1], ours[:, n - 1::-1])):
        equal(mine[:, at], rows[:, i])
        equal(cp.take(mine, cp.asarray(3 * i), axis=1, mode="wrap"), np.take(rows, 3 * i, axis=1, mode="wrap"))
        equal(cp.take(mine, cp.asarray(i.reshape(1, -1)), axis=1), np.take(rows, i.reshape(1, -1), axis=1))
    i[k // 2] = n
    with raises(IndexError):
        ours[:, :n][:, cp.asarray(i)].get()


@pytest.mark.parametrize("t", TYPES)
def test_writing_all_over_much_memory(t, device):
    rng = np.random.default_rng(3)
    extent = 2**23 // np.dtype(t).itemsize + 12345  # what is larger than caches is written range by range
    n = max(2**18, extent // 7) + 77
    x, v, i = numbers(rng, extent, t), numbers(rng, n, t), places(rng, extent, n)
    i[1000:1100] = i[n - 1] = i[0]                  # of several values for one element the last
    i[-60000:-50000] = np.arange(10000)             # and some that lie side by side
    ours, at = cp.asarray(x), cp.asarray(i)
    for put in (lambda a, j, w: a.__setitem__(j, w), lambda a, j, w: a.put(j, w)):
        put(x, i, v), put(ours, at, cp.asarray(v))
        equal(ours, x)
        put(x, i[:-5], 7), put(ours, at[:-5], 7)
        equal(ours, x)
    x[5:-6][i[::2] // 2] = v[::2]                   # off the lines of the memory; an index and values with gaps
    ours[5:-6][at[::2] // 2] = cp.asarray(v)[::2]
    equal(ours, x)
    for wrong in (extent, -extent - 1, 2**63 - 1, -2**63):
        i[n // 2] = wrong
        with raises(IndexError):
            ours[cp.asarray(i)] = 5
            ours.get()
        if device == "cpu":
            equal(ours, x)


def test_more_places_than_are_dealt_out_at_a_time():
    rng = np.random.default_rng(4)
    n = 2**25 + 70_000
    x, i = numbers(rng, 2**23 + 1, "u1"), rng.integers(0, 2**23 + 1, n, dtype="i4").astype("i8")
    v = rng.integers(0, 200, n, dtype="u1")
    ours = cp.asarray(x)
    x[i], ours[cp.asarray(i)] = v, cp.asarray(v)
    equal(ours, x)


@pytest.mark.parametrize("shape", [(1, 7), (3, 700), (700, 3), (130, 130), (40, 5000)])
@pytest.mark.parametrize("axis", [0, 1])
def test_along_an_axis(shape, axis):
    rng = np.random.default_rng(shape[0])
    x, v, i = numbers(rng, shape, "f4"), numbers(rng, shape, "f4"), places(rng, shape[axis], shape)
    for turn in (lambda a: a, lambda a: a[::-1], lambda a: a[:, ::-1]):
        ours, at = turn(cp.asarray(x)), cp.asarray(i)
        equal(cp.take_along_axis(ours, at, axis), np.take_along_axis(turn(x), i, axis))
        p = turn(x.copy())
        np.put_along_axis(p, i, v, axis), cp.put_along_axis(ours, at, cp.asarray(v), axis)
        equal(ours, p)


@pytest.mark.parametrize("shape", [(3, 700), (700, 3), (300, 300)])
def test_rows_and_columns(shape):
    rng = np.random.default_rng(shape[1])
    x = numbers(rng, shape, "f8")
    i, j = places(rng, shape[0], 500), places(rng, shape[1], 500)
    ours = cp.asarray(x)
    equal(ours[cp.asarray(i)], x[i])
    equal(ours[:, cp.asarray(j)], x[:, j])
    equal(ours.T[cp.asarray(j)], x.T[j])
    equal(ours[cp.asarray(i.reshape(20, 25))], x[i.reshape(20, 25)])
    p, v = x.copy(), numbers(rng, (shape[0], 500), "f8")
    p[:, j], ours[:, cp.asarray(j)] = v, cp.asarray(v)
    equal(ours, p)
    w = numbers(rng, (500, shape[1]), "f8")
    p[i], ours[cp.asarray(i)] = w, cp.asarray(w)
    equal(ours, p)


def test_values_of_overlapping_memory():
    x = np.arange(1000.0)
    i = np.random.default_rng(0).permutation(1000)
    ours, at = cp.asarray(x), cp.asarray(i)
    x[i], ours[at] = x[:1000].copy(), ours
    equal(ours, x)
    at[at] = cp.asarray(i[::-1].copy())
    i2 = i.copy()
    i2[i] = i[::-1]
    equal(at, i2)


# --- copies ---

SHAPES = [(9, 70), (3, 5, 40), (33, 17), (8, 8), (2, 9, 8, 31), (1000, 10), (300, 1001)]


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_copies_by_rows(t, shape):
    x = numbers(np.random.default_rng(len(shape)), shape, t)
    ours = cp.asarray(x)
    for k in range(4):
        equal(cp.rot90(ours, k).copy(), np.rot90(x, k).copy())
        equal(cp.rot90(ours, k, axes=(-2, -1)).copy(), np.rot90(x, k, axes=(-2, -1)).copy())
    for axis in range(x.ndim):
        equal(cp.flip(ours, axis).copy(), np.flip(x, axis).copy())
        equal(cp.roll(ours, 3, axis), np.roll(x, 3, axis))
        equal(cp.repeat(ours, 3, axis), np.repeat(x, 3, axis))
        equal(cp.concatenate((ours, ours[::-1]), axis), np.concatenate((x, x[::-1]), axis))
    equal(cp.tile(ours, (2, 3)), np.tile(x, (2, 3)))
    turned, p = cp.zeros_like(ours), np.zeros_like(x)
    turned[..., ::-1], p[..., ::-1] = ours, x
    equal(turned, p)
    wide = tuple(2 * e for e in shape)
    every, p = cp.zeros(wide, t), np.zeros(wide, t)
    key = (slice(None, None, 2),) * (x.ndim - 1) + (slice(1, None, 2),)
    every[key], p[key] = ours, x
    equal(every, p)


@pytest.mark.parametrize("n", [2047, 2048, 2049, 5000, 70_000, 1_100_000, 7_000_000])
def test_copies_between_odd_places(n):
    x = np.random.default_rng(n).integers(0, 256, n + 40).astype("u1")
    ours = cp.asarray(x)
    for ahead in (0, 1, 7, 15, 16, 17, 31):
        for start in (0, 1, 15):
            to = cp.zeros(n + 64, "u1")
            to[ahead:ahead + n] = ours[start:start + n]
            equal(to[ahead:ahead + n], x[start:start + n])
            assert not to[:ahead].any() and not to[ahead + n:].any()


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("n", [1, 1000, 2_000_001])
def test_one_value(t, n):
    whole, p = cp.zeros(n + 2, t), np.zeros(n + 2, t)
    whole[1:-1], p[1:-1] = 3, 3
    equal(whole, p)
    whole[1:-1], p[1:-1] = cp.asarray(5, "i2"), 5
    equal(whole, p)


@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("n", [0, 1, 5, 100, 33_000, 70_000])
def test_repeat(t, n):
    rng = np.random.default_rng(n)
    x = numbers(rng, n, t)
    for most in (1, 2, 3, 5, 9):
        times = rng.integers(0, most, n)
        equal(cp.repeat(cp.asarray(x), cp.asarray(times)), np.repeat(x, times))
        equal(cp.repeat(cp.asarray(x)[::-1], times.tolist()), np.repeat(x[::-1], times))
        equal(cp.repeat(cp.asarray(x), most), np.repeat(x, most))
    if n:
        times[n // 2] = -1
        with raises(ValueError):
            cp.repeat(cp.asarray(x), cp.asarray(times))


# --- bits, indices, padding ---

@pytest.mark.parametrize("shape", [(0,), (1,), (7,), (8,), (9,), (63,), (64,), (65,), (200_000,), (200_003,), (3, 5),
                                   (3, 8), (4, 70), (5, 0), (0, 5), (2, 66_000), (2, 66_001), (2, 3, 100)])
@pytest.mark.parametrize("order", ["big", "little"])
def test_bits(shape, order):
    rng = np.random.default_rng(len(shape))
    x = rng.integers(0, 3, shape) * rng.integers(-1, 2, shape)
    b = rng.integers(0, 256, shape).astype("u1")
    for axis in (None, *range(-len(shape), len(shape))):
        for t in ("?", "u1", "i1", "i2", "u8"):
            equal(cp.packbits(cp.asarray(x.astype(t)), axis, order), np.packbits(x.astype(t), axis, order))
        equal(cp.unpackbits(cp.asarray(b), axis, None, order), np.unpackbits(b, axis, None, order))
    equal(cp.packbits(cp.asarray(x > 0)[..., ::-1]), np.packbits((x > 0)[..., ::-1]))


@pytest.mark.parametrize("shape", [(3,), (3, 4), (2, 3, 4), (5, 1, 2), (1, 1), (1000, 1000)])
def test_coordinates(shape):
    i = np.random.default_rng(len(shape)).integers(0, np.prod(shape), (7, 300))
    for order in "CF":
        for ours, theirs in zip(cp.unravel_index(cp.asarray(i), shape, order), np.unravel_index(i, shape, order)):
            equal(ours, theirs)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_pad_by_plain_widths(mode):
    for shape in [(5,), (1, 4), (3, 1, 6), (2, 2)]:
        for order in "CF":
            x = np.asarray(np.arange(np.prod(shape)).reshape(shape), order=order)
            ours = cp.asarray(x).copy(order) if order == "C" else cp.asfortranarray(cp.asarray(x))
            for width in (0, 1, 7, (2, 3), [(2, 3)], ((1, 0),) * len(shape), [[0, 9]] * len(shape)):
                r, p = cp.pad(ours, width, mode), np.pad(x, width, mode)
                equal(r, p)
                assert (r.flags.c_contiguous, r.flags.f_contiguous) == (p.flags.c_contiguous, p.flags.f_contiguous)
    for width in (-1, (1, -1), (1, 2, 3), ((1, 2), (3, 4), (5, 6)), 1.5, True, ((1, 2), 3)):
        theirs = outcome(lambda: np.pad(np.ones((2, 2)), width, mode))
        ours = outcome(lambda: cp.pad(cp.ones((2, 2)), width, mode))
        assert ours is theirs if isinstance(theirs, type) else np.array_equal(ours.get(), theirs)


# --- searches ---

@pytest.mark.parametrize("t", ["?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "F", "D"])
@pytest.mark.parametrize("n", [1, 2, 3, 17, 1000, 70_000])
def test_searches(t, n):
    rng = np.random.default_rng(n)
    for m in (1, 15, 16, 17, 63, 64, 65, 200, 5000):
        a, v = rng.integers(-100, 100, n).astype(t), rng.integers(-110, 110, m).astype(t)
        if t in "f2f4f8FD":
            a[rng.integers(0, n, n // 10)], v[rng.integers(0, m, m // 5)] = np.nan, np.nan
            a[rng.integers(0, n, n // 10)], v[rng.integers(0, m, m // 5)] = -0.0, 0.0
        a.sort()
        for side in ("left", "right"):
            equal(cp.searchsorted(cp.asarray(a), cp.asarray(v), side), np.searchsorted(a, v, side))
