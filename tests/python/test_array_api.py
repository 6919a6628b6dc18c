"""The array API standard, version 2024.12: names and signatures, and what every function gives, beside
array-api-strict, which has the standard's functions, types and promotions and nothing else. What it refuses (integers
with floating numbers, int32 into sin) the standard leaves open, and NumPy's answer is tested elsewhere.

CALLS has calls of each function but the elementwise ones, which are called by their names;
test_no_function_is_forgotten looks for those that have none."""
import collections
import inspect
import itertools
import operator
import warnings

import array_api_strict as strict
import numpy as np
import pytest

import cuprite as cp
from oracle import raises

strict.set_array_api_strict_flags(api_version="2024.12")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS, COMPLEX = ["float32", "float64"], ["complex64", "complex128"]
DTYPES = ["bool", *INTEGERS, *FLOATS, *COMPLEX]
SPACES = {"": (strict, cp), "linalg.": (strict.linalg, cp.linalg), "fft.": (strict.fft, cp.fft)}
OF_STRICT = {"set_array_api_strict_flags", "get_array_api_strict_flags", "reset_array_api_strict_flags",
             "ArrayAPIStrictFlags", "Device", "linalg", "fft", "__array_namespace_info__"}
LATER = {"isin", "broadcast_shapes"}  # array-api-strict has them for version 2025.12


def _functions():
    """name -> (the standard's function, ours)"""
    found = {}
    for start, (theirs, ours) in SPACES.items():
        for name in theirs.__all__:
            f = getattr(theirs, name)
            if start + name not in OF_STRICT | LATER and inspect.isfunction(f):
                found[start + name] = f, getattr(ours, name)
    return found


# --- names and signatures ---

# Defaults that are NumPy's, and mean the same: None is "backward", 0 and a stable order.
SAME_DEFAULTS = {("correction", 0.0, None), ("stable", True, None), ("norm", "backward", None), ("axis", -1, None)}


def _fits(theirs, ours, name):
    """Every call that the standard's signature allows means the same to ours."""
    places = list(ours.values())
    kinds = {p.kind for p in places}
    for i, p in enumerate(theirs.values()):
        if p.kind is p.VAR_POSITIONAL:
            assert p.VAR_POSITIONAL in kinds, name
            continue
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            q = places[min(i, len(places) - 1)]
            assert q.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL), (name, p)
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD):
            q = ours.get(p.name)
            assert q and q.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD), (name, p)
            if p.kind is p.POSITIONAL_OR_KEYWORD:
                assert places[i] is q, (name, p)
        if p.default is not p.empty:
            assert q.default is not p.empty, (name, p)
            default = None if "Undef" in type(p.default).__name__ else p.default  # the standard's is None
            assert q.default == default or (p.name, default, q.default) in SAME_DEFAULTS or \
                "no value" in repr(q.default), (name, p, q)
    for i, q in enumerate(places):  # what more there is need not be given
        if i >= len(theirs) and q.name not in theirs and q.kind not in (q.VAR_POSITIONAL, q.VAR_KEYWORD):
            assert q.default is not q.empty, (name, q)


@pytest.mark.once
def test_names():
    for start, (theirs, ours) in SPACES.items():
        assert [n for n in theirs.__all__ if start + n not in OF_STRICT and not hasattr(ours, n)] == []
    for name in ("e", "pi", "inf", "nan", "newaxis"):
        assert getattr(cp, name) == getattr(strict, name) or name == "nan" and cp.nan != cp.nan
    for name in DTYPES:
        assert getattr(cp, name) == np.dtype(name) and cp.empty(0, dtype=getattr(cp, name)).dtype == np.dtype(name)


@pytest.mark.once
@pytest.mark.parametrize("name", sorted(set(_functions()) - {"clip"}))
def test_signatures(name):
    theirs, ours = _functions()[name]
    _fits(inspect.signature(theirs).parameters, inspect.signature(ours).parameters, name)


@pytest.mark.once
def test_signature_of_clip():
    """NumPy's: positional bounds must both be given, and a_min and a_max are their names there."""
    ours = inspect.signature(cp.clip).parameters
    assert list(ours)[:3] == ["a", "a_min", "a_max"] and {"min", "max"} < set(ours)
    x, y = cp.arange(5), np.arange(5)
    assert cp.clip(x, 1, 3).tolist() == cp.clip(x, min=1, max=3).tolist() == [1, 1, 2, 3, 3]
    for f in (lambda: cp.clip(x, 1), lambda: np.clip(y, 1)):
        with raises(TypeError):
            f()


METHODS = """__abs__ __add__ __and__ __array_namespace__ __bool__ __complex__ __dlpack__ __dlpack_device__ __eq__
__float__ __floordiv__ __ge__ __getitem__ __gt__ __iadd__ __iand__ __ifloordiv__ __ilshift__ __imatmul__ __imod__
__imul__ __index__ __int__ __invert__ __ior__ __ipow__ __irshift__ __isub__ __itruediv__ __ixor__ __le__ __lshift__
__lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __radd__ __rand__ __rfloordiv__ __rlshift__
__rmatmul__ __rmod__ __rmul__ __ror__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __setitem__
__sub__ __truediv__ __xor__ to_device dtype device mT ndim shape size T""".split()


@pytest.mark.once
@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    theirs, ours = getattr(type(strict.zeros(1)), name), getattr(cp.ndarray, name)
    if isinstance(theirs, property):
        assert type(getattr(cp.zeros((2, 3)), name)) is not None
        return
    theirs, ours = (list(inspect.signature(f).parameters.values())[1:] for f in (theirs, ours))
    if name == "to_device":  # whose stream is a keyword in the standard
        theirs[1] = theirs[1].replace(kind=inspect.Parameter.KEYWORD_ONLY)
    _fits({p.name: p for p in theirs}, {p.name: p for p in ours}, name)


# --- arrays of both ---

def values(dtype, shape, start=0):
    """Elements of a type, small and large, of both signs; the special ones are in the tables of special cases."""
    n = int(np.prod(shape))
    k = (np.arange(n) * 7 + 3 + start) % 23
    if dtype == "bool":
        return (k % 2 == 0).reshape(shape)
    if dtype in INTEGERS:
        a = (k - 9 * (dtype[0] == "i")).astype(dtype)
        return np.where(k == 5, np.iinfo(dtype).max, a).reshape(shape)
    a = (k - 9) / 4
    if dtype in COMPLEX:
        a = a + 1j * ((k * 5) % 11 - 4) / 8
    return a.astype(dtype).reshape(shape)


def host(x):
    if isinstance(x, cp.ndarray):
        return x.get()
    return np.asarray(x)


def same(ours, theirs, what, exact=False):
    """Types, shapes and values, to a few ulps."""
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), what
        if isinstance(theirs, tuple) and hasattr(theirs, "_fields"):
            assert ours._fields == theirs._fields, what
        for p, q in zip(ours, theirs):
            same(p, q, what, exact)
        return
    if not isinstance(theirs, type(strict.zeros(1))):
        named = str(theirs).split(".")[-1]  # a dtype of array-api-strict's is no NumPy's
        assert ours == theirs or ours is not None and np.dtype(named) == ours, (what, ours, theirs)
        return
    assert type(ours) is cp.ndarray, (what, ours)
    got, want = host(ours), host(theirs)
    assert got.dtype == want.dtype and got.shape == want.shape, (what, got, want)
    if want.dtype.kind in "fc" and not exact:
        eps = np.finfo(want.dtype).eps
        largest = max(np.abs(want[np.isfinite(want)]), default=0)
        np.testing.assert_allclose(got, want, rtol=8 * eps, atol=64 * eps * largest if want.size > 1 else 0,
                                   err_msg=str(what))
    else:
        np.testing.assert_array_equal(got, want, err_msg=str(what))


def compare(f, *hosts, what):
    """Whether the standard has an answer for f(namespace, arrays); if so it is ours."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs = f(strict, *(strict.asarray(a) for a in hosts))
        except (TypeError, ValueError, IndexError, OverflowError, np.linalg.LinAlgError):
            return False
        same(f(cp, *(cp.asarray(a) for a in hosts)), theirs, what)
        return True


# --- elementwise functions ---

UNARY = """abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf
isnan log log1p log2 log10 logical_not negative positive real reciprocal round sign signbit sin sinh square sqrt tan
tanh trunc""".split()
BINARY = """add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal
floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor maximum minimum
multiply nextafter not_equal pow remainder subtract""".split()
SHAPES = [(), (0,), (7,), (3, 4), (2, 0, 3), (2, 3, 4)]


@pytest.mark.parametrize("name", UNARY)
def test_unary(name):
    seen = set()
    for dtype, shape in itertools.product(DTYPES, SHAPES):
        a = values(dtype, shape)
        for form in (a, a.T, a[..., ::-1] if a.ndim else a):
            if compare(lambda xp, x: getattr(xp, name)(x), form, what=(name, dtype, shape)):
                seen.add(dtype)
    least = {"bitwise_invert": 9, "logical_not": 1, "signbit": 2, "imag": 2, "real": 4, "conj": 4, "sign": 12}
    assert len(seen) >= least.get(name, 4), seen


def _second(name, dtype, shape):
    b = values(dtype, shape, start=5)
    if "shift" in name:
        return b.astype("i8") % 7 if dtype == "bool" else (abs(b.real) % 7).astype(dtype)
    if name == "pow" and dtype in INTEGERS:
        return (b % 5).astype(dtype)
    return b


@pytest.mark.parametrize("name", BINARY)
def test_binary(name):
    """All pairs of types: the table of promotions is in this; shapes that broadcast."""
    seen = collections.Counter()
    for first, second in itertools.product(DTYPES, DTYPES):
        for p, q in (((7,), (7,)), ((3, 4), (4,)), ((), (2, 3)), ((0,), (1,)), ((2, 1, 3), (4, 1))):
            a, b = values(first, p), _second(name, second, q)
            seen[first, second] += compare(lambda xp, x, y: getattr(xp, name)(x, y), a, b, what=(name, first, second))
    assert sum(n == 5 for n in seen.values()) >= 4 if name in ("atan2", "hypot", "logaddexp", "copysign") else 1


SCALARS = [True, 3, 2, -1, 1.5, 2.5, float("inf"), 1 + 2j]
OPERATORS = "add sub mul truediv floordiv mod pow and_ or_ xor lshift rshift lt le gt ge eq ne".split()


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name):
    """With arrays, with Python's numbers on either side, and in place."""
    op, seen = getattr(operator, name), collections.Counter()
    inplace = getattr(operator, "i" + name.rstrip("_"), None)
    for dtype in DTYPES:
        a, b = values(dtype, (3, 4)), _second("shift" if "shift" in name else name, dtype, (3, 4))
        if name == "pow" and dtype in INTEGERS:
            b = (b % 5).astype(dtype)
        seen[0] += compare(lambda xp, x, y: op(x, y), a, b, what=(name, dtype))
        for s in SCALARS:
            if ("shift" in name or name == "pow" and dtype in INTEGERS) and (s == -1 or isinstance(s, float)):
                continue
            seen[1] += compare(lambda xp, x: op(x, s), a, what=(name, dtype, s))
            seen[2] += compare(lambda xp, x: op(s, x), b, what=(s, name, dtype))
            if inplace:
                seen[3] += compare(lambda xp, x: inplace(+x if dtype != "bool" else xp.asarray(x, copy=True), s), a,
                                   what=("i" + name, dtype, s))
        if inplace:
            seen[4] += compare(lambda xp, x, y: inplace(xp.asarray(x, copy=True), y), a, b, what=("i" + name, dtype))
    assert all(seen[i] for i in range(5 if inplace else 3)), seen


@pytest.mark.parametrize("name", ["maximum", "minimum", "add", "multiply", "pow", "divide", "logaddexp", "equal",
                                  "bitwise_and", "copysign", "where", "clip", "result_type"])
def test_numbers_as_arguments(name):
    """2024.12: one of two arguments may be a Python number."""
    seen = 0
    for dtype, s in itertools.product(DTYPES, [True, 2, 1.5, 1 + 2j]):
        a = np.abs(values(dtype, (5,))) if dtype not in COMPLEX else values(dtype, (5,))
        if name == "where":
            seen += compare(lambda xp, x: xp.where(xp.asarray([True, False] * 2 + [True]), x, s), a, what=(name, s))
            seen += compare(lambda xp, x: xp.where(xp.asarray([True, False] * 2 + [True]), s, x), a, what=(name, s))
        elif name == "clip":
            seen += compare(lambda xp, x: xp.clip(x, s, 3), a, what=(name, dtype, s))
            seen += compare(lambda xp, x: xp.clip(x, max=s), a, what=(name, dtype, s))
        else:
            seen += compare(lambda xp, x: getattr(xp, name)(x, s), a, what=(name, dtype, s))
            seen += compare(lambda xp, x: getattr(xp, name)(s, x), a, what=(name, s, dtype))
    assert seen > 3


# --- special cases of the standard ---

INF, NAN = float("inf"), float("nan")
SPECIAL = {
    "abs": [(NAN, NAN), (-0.0, 0.0), (-INF, INF), (INF, INF)],
    "acos": [(NAN, NAN), (1.5, NAN), (-1.5, NAN), (1.0, 0.0)],
    "acosh": [(NAN, NAN), (0.5, NAN), (1.0, 0.0), (INF, INF)],
    "asin": [(NAN, NAN), (2.0, NAN), (-2.0, NAN), (0.0, 0.0), (-0.0, -0.0)],
    "asinh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "atan": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, np.pi / 2), (-INF, -np.pi / 2)],
    "atanh": [(NAN, NAN), (-2.0, NAN), (2.0, NAN), (-1.0, -INF), (1.0, INF), (0.0, 0.0), (-0.0, -0.0)],
    "ceil": [(NAN, NAN), (INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0)],
    "cos": [(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, NAN), (-INF, NAN)],
    "cosh": [(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF)],
    "exp": [(NAN, NAN), (0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0)],
    "expm1": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -1.0)],
    "floor": [(NAN, NAN), (INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0)],
    "log": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)],
    "log1p": [(NAN, NAN), (-2.0, NAN), (-1.0, -INF), (-0.0, -0.0), (0.0, 0.0), (INF, INF)],
    "log2": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)],
    "log10": [(NAN, NAN), (-1.0, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (INF, INF)],
    "reciprocal": [(NAN, NAN), (INF, 0.0), (-INF, -0.0), (0.0, INF), (-0.0, -INF)],
    "round": [(NAN, NAN), (INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0), (0.5, 0.0), (1.5, 2.0), (-0.5, -0.0)],
    "sign": [(NAN, NAN), (-3.0, -1.0), (0.0, 0.0), (-0.0, 0.0), (INF, 1.0)],
    "signbit": [(0.0, False), (-0.0, True), (INF, False), (-INF, True), (3.0, False), (-3.0, True),
                (float(np.copysign(NAN, 1)), False), (float(np.copysign(NAN, -1)), True)],
    "sin": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "sinh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF)],
    "sqrt": [(NAN, NAN), (-1.0, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, INF)],
    "tan": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, NAN), (-INF, NAN)],
    "tanh": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0)],
    "trunc": [(NAN, NAN), (INF, INF), (-INF, -INF), (0.0, 0.0), (-0.0, -0.0), (-0.5, -0.0), (0.5, 0.0)],
    "isfinite": [(NAN, False), (INF, False), (-INF, False), (2.0, True)],
    "isinf": [(NAN, False), (INF, True), (-INF, True), (2.0, False)],
    "isnan": [(NAN, True), (INF, False), (2.0, False)],
    "logical_not": [],
}
SPECIAL_BINARY = {
    "add": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, -INF, NAN), (-INF, INF, NAN), (INF, INF, INF), (-INF, 2.0, -INF),
            (-0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (0.0, -0.0, 0.0), (2.0, -2.0, 0.0)],
    "atan2": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (1.0, 0.0, np.pi / 2), (1.0, -0.0, np.pi / 2), (0.0, 1.0, 0.0),
              (0.0, 0.0, 0.0), (0.0, -0.0, np.pi), (0.0, -1.0, np.pi), (-0.0, 1.0, -0.0), (-0.0, 0.0, -0.0),
              (-0.0, -0.0, -np.pi), (-0.0, -2.0, -np.pi), (-1.0, 0.0, -np.pi / 2), (1.0, INF, 0.0), (1.0, -INF, np.pi),
              (-1.0, INF, -0.0), (-1.0, -INF, -np.pi), (INF, 2.0, np.pi / 2), (-INF, 2.0, -np.pi / 2),
              (INF, INF, np.pi / 4), (INF, -INF, 3 * np.pi / 4), (-INF, INF, -np.pi / 4),
              (-INF, -INF, -3 * np.pi / 4)],
    "copysign": [(2.0, -0.0, -2.0), (-2.0, 0.0, 2.0), (NAN, 1.0, NAN), (3.0, float(np.copysign(NAN, -1)), -3.0)],
    "divide": [(NAN, 1.0, NAN), (INF, INF, NAN), (0.0, 0.0, NAN), (0.0, -0.0, NAN), (0.0, 2.0, 0.0), (-0.0, 2.0, -0.0),
               (0.0, -2.0, -0.0), (-0.0, -2.0, 0.0), (1.0, 0.0, INF), (1.0, -0.0, -INF), (-1.0, 0.0, -INF),
               (-1.0, -0.0, INF), (INF, 2.0, INF), (INF, -2.0, -INF), (-INF, -2.0, INF), (2.0, INF, 0.0),
               (2.0, -INF, -0.0), (-2.0, INF, -0.0), (-2.0, -INF, 0.0)],
    "floor_divide": [(NAN, 1.0, NAN), (INF, INF, NAN), (0.0, 0.0, NAN), (0.0, 2.0, 0.0), (-0.0, 2.0, -0.0),
                     (0.0, -2.0, -0.0), (1.0, 0.0, INF), (1.0, -0.0, -INF), (-1.0, 0.0, -INF), (INF, 2.0, NAN),
                     (2.0, INF, 0.0), (2.0, -INF, -1.0), (-2.0, INF, -1.0), (-2.0, -INF, 0.0)],
    "hypot": [(INF, NAN, INF), (NAN, -INF, INF), (INF, 2.0, INF), (NAN, 2.0, NAN), (2.0, NAN, NAN), (0.0, 0.0, 0.0)],
    "logaddexp": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, 2.0, INF), (2.0, INF, INF)],
    "maximum": [(NAN, 1.0, NAN), (1.0, NAN, NAN)], "minimum": [(NAN, 1.0, NAN), (1.0, NAN, NAN)],
    "multiply": [(NAN, 1.0, NAN), (INF, 0.0, NAN), (0.0, -INF, NAN), (INF, -2.0, -INF), (-0.0, 2.0, -0.0),
                 (-2.0, 0.0, -0.0), (-INF, -INF, INF)],
    "nextafter": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (-0.0, 0.0, 0.0), (0.0, -0.0, -0.0), (2.0, 2.0, 2.0)],
    "pow": [(1.0, NAN, 1.0), (NAN, 0.0, 1.0), (NAN, -0.0, 1.0), (NAN, 2.0, NAN), (2.0, INF, INF), (2.0, -INF, 0.0),
            (1.0, INF, 1.0), (1.0, -INF, 1.0), (0.5, INF, 0.0), (0.5, -INF, INF), (INF, 2.0, INF), (INF, -2.0, 0.0),
            (-INF, 3.0, -INF), (-INF, 2.0, INF), (-INF, -3.0, -0.0), (-INF, -2.0, 0.0), (0.0, 2.0, 0.0),
            (0.0, -2.0, INF), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0), (-0.0, -3.0, -INF), (-0.0, -2.0, INF),
            (-2.0, 0.5, NAN), (-1.0, INF, 1.0)],
    "remainder": [(NAN, 1.0, NAN), (1.0, NAN, NAN), (INF, 2.0, NAN), (2.0, 0.0, NAN), (2.0, -0.0, NAN), (0.0, 2.0, 0.0),
                  (-0.0, 2.0, 0.0), (0.0, -2.0, -0.0), (-0.0, -2.0, -0.0), (2.0, INF, 2.0), (2.0, -INF, -INF),
                  (-2.0, INF, INF), (-2.0, -INF, -2.0)],
    "subtract": [(NAN, 1.0, NAN), (INF, INF, NAN), (-INF, -INF, NAN), (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0)],
}
SPECIAL_COMPLEX = {
    "exp": [(complex(0, 0), 1 + 0j), (complex(1, INF), complex(NAN, NAN)), (complex(INF, 0), complex(INF, 0)),
            (complex(-INF, 1), 0j), (complex(INF, INF), complex(INF, NAN)), (complex(NAN, 0), complex(NAN, 0)),
            (complex(-INF, NAN), 0j), (complex(-INF, INF), 0j), (complex(NAN, 1), complex(NAN, NAN))],
    "sqrt": [(complex(0, 0), 0j), (complex(-0.0, 0), 0j), (complex(1, INF), complex(INF, INF)),
             (complex(NAN, INF), complex(INF, INF)), (complex(-INF, 1), complex(0, INF)),
             (complex(INF, 1), complex(INF, 0)), (complex(NAN, 1), complex(NAN, NAN)),
             (complex(INF, NAN), complex(INF, NAN)), (complex(-4, 0.0), 2j), (complex(-4, -0.0), complex(0, -2))],
    "log": [(complex(-0.0, 0), complex(-INF, np.pi)), (0j, complex(-INF, 0)),
            (complex(1, INF), complex(INF, np.pi / 2)), (complex(-INF, 1), complex(INF, np.pi)),
            (complex(INF, 1), complex(INF, 0)), (complex(-INF, INF), complex(INF, 3 * np.pi / 4)),
            (complex(INF, INF), complex(INF, np.pi / 4)),
            (complex(INF, NAN), complex(INF, NAN)), (complex(NAN, INF), complex(INF, NAN)),
            (complex(-1, 0), complex(0, np.pi)), (complex(-1, -0.0), complex(0, -np.pi))],
    "cosh": [(0j, 1 + 0j), (complex(0, INF), complex(NAN, 0)), (complex(INF, 0), complex(INF, 0)),
             (complex(INF, INF), complex(INF, NAN)), (complex(INF, NAN), complex(INF, NAN)),
             (complex(1, INF), complex(NAN, NAN)), (complex(NAN, 0), complex(NAN, 0))],
    "sinh": [(0j, 0j), (complex(0, INF), complex(0, NAN)), (complex(INF, 0), complex(INF, 0)),
             (complex(INF, INF), complex(INF, NAN)), (complex(NAN, 0), complex(NAN, 0))],
    "tanh": [(0j, 0j), (complex(INF, 1), 1 + 0j), (complex(INF, INF), 1 + 0j), (complex(INF, NAN), 1 + 0j),
             (complex(NAN, 0), complex(NAN, 0)), (complex(1, INF), complex(NAN, NAN))],
    "abs": [(complex(INF, NAN), INF), (complex(NAN, -INF), INF), (complex(NAN, 1), NAN), (complex(-3, 4), 5.0)],
    "sign": [(0j, 0j), (complex(3, 4), complex(0.6, 0.8)), (complex(NAN, 1), complex(NAN, NAN))],
    "isinf": [(complex(NAN, INF), True), (complex(1, NAN), False)],
    "isnan": [(complex(INF, NAN), True), (complex(1, INF), False)],
    "isfinite": [(complex(INF, 1), False), (complex(1, 2), True), (complex(1, NAN), False)],
}


def _special(name, arguments, result, dtype):
    want = np.asarray(result) if isinstance(result, bool) or name == "abs" else np.asarray(result, dtype)
    x = [cp.asarray(v, dtype=dtype) for v in arguments]
    for form in (lambda v: v, lambda v: cp.broadcast_to(v, (9,)), lambda v: cp.stack([v] * 64)[::2]):
        with np.errstate(all="ignore"):
            got = host(getattr(cp, name)(*(form(v) for v in x))).reshape(-1)
        for g in got:
            if np.iscomplexobj(g):
                parts = [(g.real, want.real), (g.imag, want.imag)]
            else:
                parts = [(g, want)]
            for p, q in parts:
                near = 4 * np.finfo(dtype).eps * abs(q)
                assert p == q or p != p and q != q or abs(p - q) <= near, (arguments, g, want)
                if not isinstance(result, bool) and not np.isnan(q) and not np.iscomplexobj(g):
                    assert np.signbit(p) == np.signbit(q), (arguments, g, want)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", sorted(SPECIAL))
def test_special_cases(name, dtype):
    for x, result in SPECIAL[name]:
        _special(name, (x,), result, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", sorted(SPECIAL_BINARY))
def test_special_cases_of_two(name, dtype):
    for x, y, result in SPECIAL_BINARY[name]:
        _special(name, (x, y), result, dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", sorted(SPECIAL_COMPLEX))
def test_special_cases_of_complex_numbers(name, dtype):
    for x, result in SPECIAL_COMPLEX[name]:
        _special(name, (x,), result, dtype)


# --- every other function ---

# `x` goes through all types and shapes; `i` are indices, `p` a positive definite matrix.
CALLS = """
all(x) all(x,axis=0) all(x,axis=-1,keepdims=True) any(x) any(x,axis=0) argmax(x) argmax(x,axis=0)
argmax(x,axis=-1,keepdims=True) argmin(x) argmin(x,axis=0) argsort(x) argsort(x,axis=0,descending=True)
argsort(x,stable=True,descending=True) astype(x,xp.float64) astype(x,xp.int16,copy=False) astype(x,xp.bool)
astype(x,xp.complex64) astype(x,xp.uint8) broadcast_arrays(x,x) broadcast_to(x,(2,)+x.shape) clip(x) clip(x,min=1)
clip(x,1,3) clip(x,max=2) concat([x,x]) concat([x,x],axis=-1) concat([x,x],axis=None) count_nonzero(x)
count_nonzero(x,axis=0) count_nonzero(x,axis=-1,keepdims=True) cumulative_prod(x)
cumulative_prod(x,axis=0,include_initial=True) cumulative_sum(x) cumulative_sum(x,axis=0)
cumulative_sum(x,axis=-1,include_initial=True) cumulative_sum(x,axis=0,dtype=xp.float64) diff(x) diff(x,axis=0,n=2)
diff(x,prepend=x,append=x) empty_like(x).shape expand_dims(x,axis=0) expand_dims(x,axis=-1) flip(x) flip(x,axis=0)
full_like(x,1) full_like(x,1,dtype=xp.float32) isdtype(x.dtype,"numeric") isdtype(x.dtype,("integral","bool"))
matmul(x,x) matmul(x,xp.matrix_transpose(x)) matrix_transpose(x) max(x) max(x,axis=0) max(x,axis=(0,-1))
max(x,axis=-1,keepdims=True) mean(x) mean(x,axis=0) mean(x,axis=-1,keepdims=True) min(x) min(x,axis=0) min(x,axis=())
moveaxis(x,0,-1) nonzero(x) ones_like(x) ones_like(x,dtype=xp.int32) permute_dims(x,tuple(range(x.ndim))[::-1])
prod(x) prod(x,axis=0) prod(x,dtype=xp.float64) repeat(x,2) repeat(x,3,axis=0) repeat(x,i,axis=0) reshape(x,(-1,))
reshape(x,(x.size,1),copy=True) result_type(x) result_type(x,xp.int16) result_type(x.dtype,2) roll(x,1)
roll(x,(1,-1),axis=(0,-1)) roll(x,2,axis=0) searchsorted(xp.sort(x),x) searchsorted(xp.sort(x),x,side="right")
searchsorted(x,x,sorter=xp.argsort(x)) sort(x) sort(x,axis=0,descending=True) sort(x,stable=False)
squeeze(xp.expand_dims(x,axis=0),axis=0) stack([x,x]) stack([x,x,x],axis=-1) std(x) std(x,axis=0,correction=1)
std(x,keepdims=True) sum(x) sum(x,axis=0) sum(x,axis=(0,-1),keepdims=True) sum(x,dtype=xp.float64) take(x,i)
take(x,i,axis=0) take(x,i,axis=-1) take_along_axis(x,xp.argsort(x)) take_along_axis(x,xp.argsort(x,axis=0),axis=0)
tensordot(x,x,axes=0) tensordot(x,x,axes=1) tensordot(x,x,axes=((0,),(0,))) tile(x,(2,)) tile(x,(2,1,3)) tril(x)
tril(x,k=1) triu(x,k=-1) triu(x) unique_all(x) unique_counts(x) unique_inverse(x) unique_values(x) unstack(x)
unstack(x,axis=-1) var(x) var(x,axis=0,correction=1.5) vecdot(x,x) vecdot(x,x,axis=-1) where(xp.astype(x,xp.bool),x,x)
where(x,x,x) zeros_like(x) zeros_like(x,dtype=xp.complex64) asarray(x) asarray(x,dtype=xp.complex128)
asarray(x,copy=True) meshgrid(x,x) meshgrid(x,x,indexing="ij") finfo(x.dtype).bits iinfo(x.dtype).max
finfo(x.dtype).eps finfo(x.dtype).smallest_normal from_dlpack(x) linalg.cross(x[...,:3],x[...,:3]) linalg.diagonal(x)
linalg.diagonal(x,offset=1) linalg.matmul(x,xp.matrix_transpose(x)) linalg.matrix_norm(x)
linalg.matrix_norm(x,ord=1,keepdims=True) linalg.matrix_norm(x,ord=2) linalg.matrix_norm(x,ord="nuc")
linalg.matrix_norm(x,ord=-float("inf")) linalg.matrix_rank(x) linalg.matrix_transpose(x) linalg.outer(x,x)
linalg.tensordot(x,x,axes=0) linalg.trace(x) linalg.trace(x,offset=-1,dtype=xp.float64) linalg.vecdot(x,x)
linalg.svdvals(x) linalg.vector_norm(x) linalg.vector_norm(x,axis=0,ord=1)
linalg.vector_norm(x,axis=-1,keepdims=True,ord=float("inf")) linalg.vector_norm(x,ord=0) linalg.vector_norm(x,ord=3.5)
linalg.pinv(x)@x linalg.cholesky(p) linalg.cholesky(p,upper=True) linalg.det(p) linalg.eigh(p).eigenvalues
linalg.eigvalsh(p) linalg.inv(p) linalg.matrix_power(p,3) linalg.matrix_power(p,-2) linalg.pinv(p,rtol=0.001)
linalg.qr(p).Q@xp.linalg.qr(p).R linalg.qr(p,mode="complete").R.shape linalg.slogdet(p)
linalg.solve(p[0,...],p[0,:,0]) linalg.solve(p,p) linalg.svd(p).S linalg.svd(p,full_matrices=False).Vh.shape
linalg.matrix_rank(p,rtol=0.5) fft.fft(x) fft.fft(x,n=5) fft.fft(x,axis=0,norm="ortho") fft.ifft(x)
fft.ifft(x,norm="forward") fft.fftn(x) fft.fftn(x,axes=(0,)) fft.ifftn(x) fft.ifftn(x,s=(4,),axes=(-1,)) fft.rfft(x)
fft.rfft(x,n=6,axis=0) fft.irfft(x) fft.irfft(x,n=5,norm="ortho") fft.rfftn(x) fft.irfftn(x)
fft.irfftn(x,s=(5,),axes=(0,)) fft.hfft(x) fft.hfft(x,n=7) fft.ihfft(x) fft.fftshift(x) fft.fftshift(x,axes=0)
fft.ifftshift(x)
"""
# Calls without an array beside them.
MADE = """
arange(5) arange(2,9,3) arange(0.5,3,0.5) arange(5,dtype=xp.float32) arange(7,1,-2) arange(3,2) asarray([1,2])
asarray(1.5) asarray([[1.0,2],[3,4]]) asarray(True) asarray(1j) asarray([1,2],dtype=xp.uint8)
asarray([1,2.5],dtype=xp.float32) empty((2,0)) eye(3) eye(2,3,k=1) eye(3,dtype=xp.int8) full((2,3),7) full(3,1.5)
full((),True) full((2,),1j) full((2,),3,dtype=xp.float32) linspace(0,1,5) linspace(0,1,4,endpoint=False)
linspace(0,10,3,dtype=xp.float32) linspace(0,1j,3,dtype=xp.complex64) ones((2,3)) ones(3,dtype=xp.bool) zeros((2,0,3))
zeros(2,dtype=xp.complex64) zeros(()) result_type(xp.int8,xp.uint8) result_type(xp.float32,1.5)
can_cast(xp.int8,xp.int16) can_cast(xp.int16,xp.int8) can_cast(xp.float32,xp.complex64) can_cast(xp.uint8,xp.int16)
can_cast(xp.uint64,xp.int64) fft.fftfreq(5) fft.fftfreq(6,d=0.5,dtype=xp.float32) fft.rfftfreq(5)
fft.rfftfreq(6,d=0.5,dtype=xp.float64)
"""
# The two orders that the standard leaves open are put into one.
UNORDERED = ("unique_values", "unique_counts", "unique_inverse", "unique_all")


def _evaluate(call):
    code = compile("xp." + call, call, "eval")

    def f(xp, x, i, p):
        r = eval(code, {"xp": xp, "x": x, "i": i, "p": p})
        if call.startswith(UNORDERED):
            return _in_order(xp, call, x, r)
        if call.startswith("finfo") or call.startswith("iinfo"):
            return float(r)
        return r
    return f


def _in_order(xp, call, x, r):
    if call.startswith("unique_values"):
        return xp.sort(r)
    order = xp.argsort(r.values)
    fields = [xp.take(r.values, order)]
    if "counts" in call or "all" in call:
        fields.append(xp.take(r.counts, order))
    if "inverse" in call or "all" in call:
        fields.append(xp.reshape(xp.take(r.values, xp.reshape(r.inverse_indices, (-1,))), x.shape))
    if "all" in call:
        fields.append(xp.take(xp.reshape(x, (-1,)), xp.take(r.indices, order)))
    return fields + [list(r._fields)]


@pytest.mark.parametrize("call", CALLS.split())
def test_functions(call):
    seen, f = set(), _evaluate(call)
    for dtype, shape in itertools.product(DTYPES, [(), (0,), (5,), (3, 3), (2, 0, 3), (2, 3, 4), (4, 1, 5)]):
        if "unique" in call and dtype in COMPLEX:
            continue  # which have no order in the standard
        if call.startswith("fft") and ("n=" in call or "s=" in call) and not np.prod(shape):
            continue  # NumPy reads what is not there
        a = values(dtype, shape)
        if "prod" in call and a.dtype.kind in "fc":
            a = (a / 2).astype(dtype)
        i = np.array([0, 2, 1][:min(3, max(shape[:1], default=1))])
        p = values(dtype, (2, 3, 3)) if dtype in FLOATS + COMPLEX else values(dtype, (3, 3))
        if dtype in FLOATS + COMPLEX:
            p = (p @ np.conj(np.swapaxes(p, 1, 2)) / 4 + 3 * np.eye(3)).astype(dtype)
        if call.startswith(("tensordot", "matmul", "linalg", "vecdot", "sum", "mean", "var", "std", "cumulative")):
            if dtype in INTEGERS:
                a = (a % 11).astype(dtype)
        if call.startswith("repeat(x,i"):
            i = np.arange(shape[0]) if shape else i
        if compare(f, a, i, p, what=(call, dtype, shape)):
            seen.add(dtype)
    few = call.startswith(("linalg", "fft", "finfo", "mean", "var", "std", "iinfo", "where", "result"))
    assert len(seen) >= (2 if few else 8) or call == "where(x,x,x)" and seen == {"bool"}, seen


@pytest.mark.parametrize("call", MADE.split())
def test_functions_that_make_arrays(call):
    f = compile("xp." + call, call, "eval")
    theirs = eval(f, {"xp": strict})
    ours = eval(f, {"xp": cp})
    if call.startswith("empty"):
        theirs, ours = strict.asarray(theirs.shape), cp.asarray(ours.shape)
    same(ours, theirs, call)


@pytest.mark.once
def test_no_function_is_forgotten():
    called = {c.split("(")[0] for c in (CALLS + MADE).split()} | set(UNARY) | set(BINARY)
    assert set(_functions()) - called == set()


# --- devices, namespaces, DLPack, indices, errors ---

CREATORS = ["arange(3, device=d)", "asarray([1, 2], device=d)", "empty(3, device=d)", "empty_like(x, device=d)",
            "eye(3, device=d)", "full(3, 1, device=d)", "full_like(x, 1, device=d)", "linspace(0, 1, 3, device=d)",
            "ones(3, device=d)", "ones_like(x, device=d)", "zeros(3, device=d)", "zeros_like(x, device=d)",
            "astype(x, xp.int32, device=d)", "fft.fftfreq(3, device=d)", "fft.rfftfreq(3, device=d)",
            "from_dlpack(x, device=d)"]


@pytest.mark.parametrize("call", CREATORS)
def test_devices(call, device):
    x = cp.ones(3)
    for d in (*cp.__array_namespace_info__().devices(), x.device, None):
        y = eval("xp." + call, {"xp": cp, "x": x, "d": d})
        assert y.device == (x.device if d is None else d)
        assert y.to_device(x.device).device == x.device
    with raises(ValueError):
        eval("xp." + call, {"xp": cp, "x": x, "d": "bogus"})


OF_TYPES = ("isdtype", "finfo", "iinfo", "result_type")


@pytest.mark.parametrize("call", [c for c in CALLS.split() if not c.startswith((*OF_TYPES, "asarray"))])
def test_results_are_where_the_arguments_are(call):
    """Also while another device is the current one, to which asarray moves, as CuPy's does."""
    f = _evaluate(call)
    for place in cp.__array_namespace_info__().devices():
        for dtype in ("float64", "complex64", "int32"):
            a, p = values(dtype, (3, 3)), (np.eye(3) * 4 + values("float64", (3, 3)) / 8).astype(dtype)
            p = (p + p.T) / 2 if dtype != "int32" else p
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    f(strict, strict.asarray(a), strict.asarray([0, 2, 1]), strict.asarray(p))
                except (TypeError, ValueError, IndexError, np.linalg.LinAlgError):
                    continue
                r = f(cp, cp.asarray(a, device=place), cp.asarray([0, 2, 1], device=place), cp.asarray(p, device=place))
            for y in r if isinstance(r, (tuple, list)) else [r]:
                assert not isinstance(y, cp.ndarray) or y.device == place


INDICES = ["x[0]", "x[-1]", "x[1:]", "x[::-1]", "x[..., 0]", "x[:, 1:2]", "x[None]", "x[:, None, 0]", "x[()]", "x[...]",
           "x[x > 1]", "x[i]", "x[i, 1]", "x[i, i]", "x[0, ...]", "x[2:0:-1, 1]", "x[xp.asarray([True, False, True])]",
           "x[xp.asarray(1)]", "x[i[None, :], i[:, None]]"]


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64", "bool"])
@pytest.mark.parametrize("index", INDICES)
def test_indices(index, dtype):
    if "> 1" in index and dtype == "bool":
        index = "x[x]"
    a, i = values(dtype, (3, 4)), np.array([2, 0])
    x, get = cp.asarray(a), compile(index, index, "eval")
    ours = eval(get, {"xp": cp, "x": x, "i": cp.asarray(i)})
    theirs = eval(get, {"xp": np, "x": a, "i": i})  # array-api-strict wants an index for each axis
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_array_equal(ours.get(), theirs)
    put = compile(index + " = 1", index, "exec")
    exec(put, {"xp": cp, "x": x, "i": cp.asarray(i)})
    exec(put, {"xp": np, "x": a, "i": i})
    np.testing.assert_array_equal(x.get(), a)


def test_numbers_of_arrays():
    for value, dtype in ((True, "bool"), (3, "int8"), (2.5, "float32"), (1 + 2j, "complex64")):
        x, y = cp.asarray(value, dtype=dtype), strict.asarray(value, dtype=getattr(strict, dtype))
        assert bool(x) is bool(y)
        for f in (int, float, complex, operator.index):
            try:
                theirs = f(y)
            except TypeError:
                continue
            assert f(x) == theirs and type(f(x)) is type(theirs)
    for f in (bool, int, float, complex):
        with raises(ValueError if f is bool else TypeError):
            f(cp.ones(2))
    for x in (cp.asarray(1.0), cp.asarray(1j)):
        with raises(TypeError):
            operator.index(x)
    with raises(TypeError):
        float(cp.asarray(1j))


def test_errors():
    x = cp.ones((2, 3))
    for f, error in ((lambda: cp.concat([x, cp.ones((2, 4))]), ValueError), (lambda: x[5], IndexError),
                     (lambda: cp.squeeze(x, axis=0), ValueError), (lambda: cp.reshape(x, (4,)), ValueError),
                     (lambda: x @ x, ValueError), (lambda: cp.broadcast_to(x, (2, 4)), ValueError),
                     (lambda: cp.asarray(x, dtype="f4", copy=False), ValueError), (lambda: x + cp.ones(2), ValueError),
                     (lambda: cp.max(cp.ones(0)), ValueError), (lambda: cp.argmin(cp.ones(0)), ValueError),
                     (lambda: cp.reshape(x.T, (6,), copy=False), ValueError),
                     (lambda: cp.sum(x, axis=2), np.exceptions.AxisError),
                     (lambda: cp.expand_dims(x, axis=4), np.exceptions.AxisError),
                     (lambda: cp.linalg.inv(x), np.linalg.LinAlgError), (lambda: cp.take(x, 0.5), TypeError),
                     (lambda: x.__array_namespace__(api_version="2020.01"), ValueError),
                     (lambda: cp.result_type(), ValueError), (lambda: cp.isdtype(x.dtype, "bogus"), ValueError),
                     (lambda: cp.linalg.cholesky(-cp.eye(2)).get(), np.linalg.LinAlgError),
                     (lambda: cp.unstack(cp.asarray(1)), ValueError), (lambda: cp.finfo(np.int32), ValueError),
                     (lambda: cp.iinfo(np.float32), ValueError)):
        with raises(error):
            f()


def test_dlpack():
    x = cp.arange(6.0).reshape(2, 3)
    y = cp.from_dlpack(x)
    y[0, 0] = 9
    assert x[0, 0] == 9  # no copy
    y = cp.from_dlpack(x, copy=True)
    y[0, 0] = 7
    assert x[0, 0] == 9
    kind, number = x.__dlpack_device__()
    assert isinstance(number, int) and x.__dlpack__(max_version=(1, 0), copy=False) is not None
    host_copy = np.from_dlpack(cp.from_dlpack(x, device="cpu"))
    np.testing.assert_array_equal(host_copy, x.get())
