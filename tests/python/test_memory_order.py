"""How results lie in memory: strides are NumPy's, for inputs in every order of axes, views and broadcast arrays."""
import itertools

import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does, outcome, told

LAYOUTS = {
    "C": lambda x, xp: x, "F": lambda x, xp: xp.asfortranarray(x), "turned": lambda x, xp: x.transpose(1, 0, 2),
    "rolled": lambda x, xp: x.transpose(2, 0, 1), "every second": lambda x, xp: x[:, ::2],
    "backwards": lambda x, xp: x[::-1, :, ::-1], "one place": lambda x, xp: x[:, :1],
}
ONE = {0: np.s_[:1], 1: np.s_[:, :1], 2: np.s_[:, :, :1], (0, 1): np.s_[:1, :1], (0, 2): np.s_[:1, :, :1],
       (1, 2): np.s_[:, :1, :1], (0, 1, 2): np.s_[:1, :1, :1]}
REPEATED = {  # steps of 0 along some axes, the others in several orders
    **{f"along {a}": lambda x, xp, k=k: xp.broadcast_to(x[k], (2, 3, 4)) for a, k in ONE.items()},
    **{f"along {a}, F": lambda x, xp, k=k: xp.broadcast_to(xp.asfortranarray(x[k]), (2, 3, 4)) for a, k in ONE.items()},
    **{f"along {a}, rolled": lambda x, xp, k=k: xp.broadcast_to(x[k], (2, 3, 4)).transpose(1, 2, 0)
       for a, k in ONE.items()},
}
CALLS = {
    **{f"median {axis}": lambda x, xp, axis=axis: xp.median(x, axis) for axis in (0, 1, 2, -1, (0, 1), (0, 2), None)},
    "tile": lambda x, xp: xp.tile(x, (2, 1, 1)), "tile all": lambda x, xp: xp.tile(x, (2, 2, 1, 3)),
    "tile once": lambda x, xp: xp.tile(x, 1), "linspace": lambda x, xp: xp.linspace(x, x + 1, 5),
    "linspace 1": lambda x, xp: xp.linspace(x, x + 1, 5, axis=1),
    "linspace -1": lambda x, xp: xp.linspace(x, 3, 5, axis=-1, dtype="f4"),
    "linspace of one": lambda x, xp: xp.linspace(x, 3, 1, axis=1),
    "concatenate": lambda x, xp: xp.concatenate([x, x], axis=1),
    "concatenate two orders": lambda x, xp: xp.concatenate([x, x.copy()], axis=0),
    **{f"stack {axis}": lambda x, xp, axis=axis: xp.stack([x, x], axis=axis) for axis in range(4)},
    "append": lambda x, xp: xp.append(x, x, axis=2), "vstack": lambda x, xp: xp.vstack([x, x]),
    "dstack": lambda x, xp: xp.dstack([x, x]),
    **{f"expand_dims {axis}": lambda x, xp, axis=axis: xp.expand_dims(x, axis)
       for axis in (0, 1, 2, 3, -1, (0, 1), (0, -1), (1, 3))}, "mean": lambda x, xp: xp.mean(x, 1),
    "sum": lambda x, xp: xp.sum(x, 0), "ptp": lambda x, xp: xp.ptp(x, 0), "sort": lambda x, xp: xp.sort(x, 1),
    "flip": lambda x, xp: xp.flip(x, 1), "tril": lambda x, xp: xp.tril(x), "round": lambda x, xp: xp.round(x),
    "clip": lambda x, xp: xp.clip(x, 1, 2), "where": lambda x, xp: xp.where(x > 1, x, 0),
    "copy": lambda x, xp: xp.copy(x), "astype": lambda x, xp: x.astype("f4"),
    "compress": lambda x, xp: xp.compress([True], x, axis=1),
}
AXES = [(), 0, 1, 2, (0, 1), (0, 2), (1, 2)]
COMPUTES = {  # NumPy has some of these work on a copy
    **{f"{f} {a}": lambda x, xp, f=f, a=a: getattr(xp, f)(x, axis=a, keepdims=len(f) % 2 > 0) for a in AXES
       for f in "sum max any mean var std median count_nonzero nansum nanprod nanvar nanstd nanmin ptp".split()},
    **{f"{f} {a}": lambda x, xp, f=f, a=a: getattr(xp, f)(x, a) for a in (0, 1, 2) for f in ("sort", "argmax")},
    **{f"{f} {a}": lambda x, xp, f=f, a=a: xp.partition(x, 1, axis=a) for a in (0, 1, 2) for f in ("partition",)},
    **{f"round {n}": lambda x, xp, n=n: xp.round(x, n) for n in (-1, 0, 2)}, "imag": lambda x, xp: xp.imag(x),
    "x.imag": lambda x, xp: x.imag, "real": lambda x, xp: xp.real(x), "nan_to_num": lambda x, xp: xp.nan_to_num(x),
    "isclose": lambda x, xp: xp.isclose(x, 1), "isclose itself": lambda x, xp: xp.isclose(x, x),
    "isclose others": lambda x, xp: xp.isclose(xp.asfortranarray(x), x), "sinc": lambda x, xp: xp.sinc(x),
    "where": lambda x, xp: xp.where(x > 1, x, 0), "sum where": lambda x, xp: xp.sum(x, 1, where=x < 3),
    "mean where": lambda x, xp: xp.mean(x, 1, where=x[:1] < 3), "sum as f4": lambda x, xp: xp.sum(x, 0, dtype="f4"),
    "sum as F": lambda x, xp: xp.sum(x, 2, dtype="F"),
    **{f"mean as i8 where {a}": lambda x, xp, a=a: xp.mean(x, a, dtype="i8", where=xp.arange(4) > 0) for a in AXES},
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_strides(call, layout):
    def strides(xp):
        r = call(layout(xp.arange(24.).reshape(2, 3, 4), xp), xp)
        return [s for s, n in zip(r.strides, r.shape) if n > 1]
    assert strides(np) == strides(cp)
    as_numpy_does(lambda xp: call(layout(xp.arange(24.).reshape(2, 3, 4), xp), xp))


@pytest.mark.parametrize("dtype", ["f8", "i4", "f2", "D", "?"])
@pytest.mark.parametrize("layout", [*LAYOUTS, *REPEATED])
def test_strides_of_what_is_computed(layout, dtype):
    make = {**LAYOUTS, **REPEATED}[layout]
    for name, call in {**COMPUTES, "i0": lambda x, xp: xp.i0(x)}.items():
        def strides(xp):
            r = call(make(xp.arange(24).reshape(2, 3, 4).astype(dtype), xp), xp)
            return [s for s, n in zip(r.strides, r.shape) if n > 1]
        assert outcome(strides, cp) == outcome(strides, np), name


@pytest.mark.parametrize("axis", [0, 1, 2, 3, (0, 1), (0, -1)])
def test_a_new_axis_steps_as_in_numpy(axis):
    for layout in ("C", "F", "turned", "rolled", "every second", "backwards"):
        as_numpy_does(lambda xp: xp.expand_dims(LAYOUTS[layout](xp.arange(24.).reshape(2, 3, 4), xp), axis).strides)
    as_numpy_does(lambda xp: xp.expand_dims(xp.zeros(()), 0).strides)


def test_joined_broadcast_arrays():
    for call in ("concatenate", "stack", "vstack", "hstack", "dstack"):
        def strides(xp):
            return getattr(xp, call)([xp.broadcast_to(xp.ones(4), (2, 3, 4))] * 2).strides
        as_numpy_does(strides)


def test_samples_that_lose_their_imaginary_parts():
    for dtype in ("f4", "f8", "f2"):
        as_numpy_does(lambda xp: xp.linspace(0, 1j, 5, dtype=dtype))
        as_numpy_does(lambda xp: xp.linspace(xp.asarray([1j, 2]), 3, 5, dtype=dtype))
    error, _, _ = told(lambda xp: xp.linspace(0, 1j, 5, dtype="i4"), np)
    assert error is TypeError
    as_numpy_does(lambda xp: xp.linspace(0, 1j, 5, dtype="i4"))


def test_bytes_of_nothing_as_another_type():
    """Without an element no step is too long; the last length must fit nevertheless."""
    for shape in ((3, 0, 2), (0, 3), (2, 0), (0,), (4, 1), (4, 2)):
        for key in (np.s_[:], np.s_[..., ::2], np.s_[..., ::-1], np.s_[::2]):
            for t in ("i1", "i4", "D"):
                as_numpy_does(lambda xp: xp.zeros(shape, "i4")[key].view(t))
                as_numpy_does(lambda xp: xp.zeros(shape, "i4", order="F")[key].view(t).shape)


@pytest.mark.parametrize("shape", [(2, 1, 3, 4), (2, 3, 2, 2), (1, 2, 3, 4)], ids=str)
def test_medians_of_axes_that_merge(shape):
    """NumPy makes several axes one: where their steps let it, the result keeps the order of the others."""
    for lying in itertools.permutations(range(4)):
        for axis in [*itertools.combinations(range(4), 2), *itertools.combinations(range(4), 3), (3, 0), (2, 1)]:
            for key in (np.s_[:], np.s_[::-1], np.s_[..., ::-1]):
                def median(xp, keepdims):
                    x = xp.arange(24.).reshape([shape[i] for i in lying]).transpose(np.argsort(lying).tolist())
                    return xp.median(x[key], axis, keepdims=keepdims)
                for keepdims in (False, True):
                    theirs, ours = median(np, keepdims), median(cp, keepdims)
                    steps = ([s for s, n in zip(r.strides, r.shape) if n > 1] for r in (ours, theirs))
                    assert next(steps) == next(steps), (lying, axis)
                    np.testing.assert_array_equal(ours.get(), theirs)


@pytest.mark.parametrize("n", [1000, 5000, 70_000, 2_000_000])
def test_copies_of_all_lengths(n, device):
    """Through buffers, past the caches, straight to where they go: by type, strides, length and mask."""
    host = np.random.default_rng(n).integers(-99, 99, n).astype("f4")
    x, mask = cp.asarray(host), host > 0
    for t in ("f4", "i4", "f8", "f2", "?"):
        ways = {
            "whole": lambda v: v.astype(t), "step": lambda v: v[::3].astype(t), "back": lambda v: v[::-1].astype(t),
            "short rows": lambda v: v.reshape(-1, 10)[:, :-1].astype(t), "one": lambda v: (v[:1] + 0 * v).astype(t),
            "rows": lambda v: v.reshape(-1, 500)[:, 1:].astype(t), "turned": lambda v: v.reshape(-1, 50).T.astype(t),
        }
        for name, way in ways.items():
            np.testing.assert_array_equal(way(x).get(), way(host), err_msg=f"{name} {t}")
        for step in (1, 2):
            theirs, mine = np.ones(n * step, t), cp.ones(n * step, t)
            np.copyto(theirs[::step], host, casting="unsafe", where=mask)
            cp.copyto(mine[::step], x, casting="unsafe", where=cp.asarray(mask))
            np.testing.assert_array_equal(mine.get(), theirs)
            np.copyto(theirs[::step], host, casting="unsafe")
            cp.copyto(mine[::step], x, casting="unsafe")
            np.testing.assert_array_equal(mine.get(), theirs)
    for mine, theirs in ((x.copy(), host.copy()), (x[::-1].copy(), host[::-1].copy())):  # where the elements are
        mine.view("i4")[...] = mine
        theirs.view("i4")[...] = theirs
        np.testing.assert_array_equal(mine.get(), theirs)
        mine[1:] = mine[:-1]
        theirs[1:] = theirs[:-1]
        np.testing.assert_array_equal(mine.get(), theirs)
