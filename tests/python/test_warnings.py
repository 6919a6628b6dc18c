"""Warnings as NumPy gives them: category and text, over operations and types; and what a filter makes of them."""
import inspect
import itertools
import warnings

import cuprite as cp
import numpy as np
import pytest

REAL = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64"]
TYPES = REAL + ["complex64", "complex128"]
REDUCTIONS = ["sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "nansum", "nanprod", "nanmin", "nanmax",
              "nanvar", "nanstd"]


def seen(f, xp):
    """The warnings of f(xp), or None where it raises: then they do not matter. NumPy repeats some."""
    with warnings.catch_warnings(record=True) as given, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            f(xp)
        except (TypeError, ValueError):
            return None
    return {(w.category, str(w.message)) for w in given}


def same(f, what):
    want = seen(f, np)
    assert want is None or seen(f, cp) == want, (what, want)
    return want


def samples(dtype):
    """Arrays with and without slices of nothing, of NaN, of one number."""
    x = np.array([[1, 0, 3], [2, 5, 1]]).astype(dtype)
    yield x
    yield np.zeros((0, 3), dtype)
    yield np.zeros((2, 0, 3), dtype)
    yield np.zeros((0, 0), dtype)
    if x.dtype.kind in "fc":
        some, none = x.copy(), x.copy()
        some[0, 1] = np.nan
        none[:, 1] = np.nan
        yield some
        yield none
        infinite = none.copy()
        infinite[0, 0] = np.inf
        yield infinite
        yield np.full((2, 3), np.nan, dtype)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", TYPES)
def test_slices_of_nothing(name, dtype, device):
    found = 0
    for x, axis, ddof in itertools.product(samples(dtype), (None, 0, 1, (0, 1), ()), (0, 1, 2, 3)):
        if ddof and not name.endswith(("var", "std")):
            continue
        if device != "cpu" and np.isnan(x).any():
            continue    # what depends on elements is not reported where that means waiting
        kw = {"axis": axis, **({"ddof": ddof} if ddof else {})}
        found += bool(same(lambda xp: getattr(xp, name)(xp.asarray(x), **kw), (name, x, kw)))  # noqa: B023
    known = name in ("mean", "var", "std") or name in ("nanvar", "nanstd")
    known |= name in ("nanmin", "nanmax") and dtype[0] in "fc" and device == "cpu"
    assert bool(found) == known     # the comparison has something to compare


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanvar", "nanstd", "nanmin", "nanmax", "sum"])
@pytest.mark.parametrize("dtype", TYPES)
def test_masked_slices(name, dtype, device):
    if device != "cpu":
        pytest.skip("counting what a mask leaves means waiting for the device")
    masks = [np.array(m) for m in ([True, False, True], [False] * 3, [[True], [False]], [[False], [True]],
                                   [[False, True, False]] * 2)]
    start = {"initial": 1} if name in ("nanmin", "nanmax") else {}
    for x, mask, axis, ddof in itertools.product(samples(dtype), masks, (None, 0, 1), (0, 1, 2)):
        if x.shape != (2, 3) or (ddof and not name.endswith(("var", "std"))):
            continue
        kw = {**start, "axis": axis, **({"ddof": ddof} if ddof else {})}
        same(lambda xp: getattr(xp, name)(xp.asarray(x), where=xp.asarray(mask), **kw),  # noqa: B023
             (name, x, mask, kw))


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", TYPES)
def test_imaginary_parts_in_reductions(name, dtype):
    x = np.array([[1, 0, 3], [2, 5, 1]]).astype(dtype)
    has_dtype = name not in ("min", "max", "any", "all", "nanmin", "nanmax")
    found = 0
    for other, wanted in itertools.product(TYPES + [None], TYPES + [None]):
        if (wanted and not has_dtype) or wanted == "bool":
            continue
        kw = {"dtype": wanted} if wanted else {}

        def call(xp):
            to = {"out": xp.zeros(3, dtype=other)} if other else {}  # noqa: B023
            return getattr(xp, name)(xp.asarray(x), axis=0, **to, **kw)  # noqa: B023
        found += bool(same(call, (name, dtype, other, wanted)))
    if dtype[0] == "c":
        assert found or name in ("any", "all") or name.endswith(("var", "std"))


@pytest.mark.parametrize("to", TYPES)
def test_imaginary_parts(to):
    z = np.array([1 + 2j, 3, 0])

    def into(xp, f):
        return f(xp.asarray(z), xp.zeros(3, dtype=to))
    calls = [
        lambda xp: xp.asarray(z).astype(to),
        lambda xp: into(xp, lambda a, o: xp.add(a, a, out=o, casting="unsafe")),
        lambda xp: xp.add(xp.asarray(z), 1, dtype=to, casting="unsafe"),
        lambda xp: xp.add(1j, xp.ones(3), dtype=to, casting="unsafe"),
        lambda xp: into(xp, lambda a, o: xp.negative(a, o, casting="unsafe")),
        lambda xp: into(xp, lambda a, o: xp.copyto(o, a, casting="unsafe")),
        lambda xp: into(xp, lambda a, o: xp.copyto(o, a, casting="unsafe", where=xp.asarray([True, False, True]))),
        lambda xp: into(xp, lambda a, o: o.__setitem__(slice(None), a)),
        lambda xp: into(xp, lambda a, o: o.__setitem__(0, a[0])),
        lambda xp: xp.concatenate([xp.asarray(z), xp.ones(2)], dtype=to, casting="unsafe"),
        lambda xp: xp.concatenate([xp.asarray(z)] * 2, out=xp.zeros(6, dtype=to), casting="unsafe"),
        lambda xp: xp.stack([xp.asarray(z)] * 2, dtype=to, casting="unsafe"),
        lambda xp: xp.hstack([xp.asarray(z)] * 2, dtype=to, casting="unsafe"),
        lambda xp: xp.vstack([xp.asarray(z)] * 2, dtype=to, casting="unsafe"),
        lambda xp: xp.add.reduce(xp.asarray(z), dtype=to),
        lambda xp: xp.add.reduce(xp.asarray(z), out=xp.zeros((), dtype=to)),
    ]
    for k, call in enumerate(calls):
        want = same(call, (k, to))
        if want is not None:
            assert bool(want) == (to in REAL and to != "bool"), k


def test_median_of_nothing():
    for shape, axis in (((0,), None), ((0, 3), 0), ((0, 3), 1), ((3,), 0)):
        same(lambda xp: xp.median(xp.zeros(shape), axis=axis), (shape, axis))  # noqa: B023
    assert seen(lambda xp: xp.median(xp.zeros(0)), cp) == {(RuntimeWarning, "Mean of empty slice")}


def test_filters():
    """A warning points at the caller's line; one made an error is raised, and leaves nothing for the next call."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        line = inspect.currentframe().f_lineno + 1
        cp.mean(cp.zeros(0))
    assert [(w.filename, w.lineno) for w in given] == [(__file__, line)]
    z, out = cp.asarray(np.array([1j, 2])), cp.zeros(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (lambda: cp.mean(cp.zeros(0)), lambda: cp.std(cp.ones(1), ddof=1)):
            with pytest.raises(RuntimeWarning):
                call()
        for call in (lambda: cp.add(z, z, out=out, casting="unsafe"),
                     lambda: cp.stack([z, z], dtype="f4", casting="unsafe"),
                     lambda: cp.copyto(out, z, casting="unsafe"), lambda: cp.sum(z, out=cp.zeros(()))):
            with pytest.raises(np.exceptions.ComplexWarning):
                call()
        with pytest.raises(ValueError):     # what failed warns of nothing
            cp.add(z, z, out=cp.zeros(5), casting="unsafe")
        assert float(cp.sum(cp.ones(3))) == 3 and cp.add(z, 1).dtype == np.complex128
