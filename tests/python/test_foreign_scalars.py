"""NumPy's scalars that are no numbers of ours, and sequences beside 0-d integers: as NumPy, or TypeError."""
import operator

import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does

TEXTS = [np.bytes_(b""), np.bytes_(b"x"), np.bytes_(b"12"), np.str_("1"), np.str_("x"), np.void(b"1"),
         "1", "x", b"12", b"x"]
TIMES = [np.timedelta64(3), np.datetime64("2020")]
LONG = [np.longdouble(3), np.clongdouble(3 + 1j)]
TYPES = ["?", "u1", "i4", "f2", "f4", "c8"]


def filled(xp, dtype, value):
    r = xp.ones(3, dtype)
    r.fill(value)
    return r


@pytest.mark.parametrize("value", TEXTS + TIMES + LONG, ids=repr)
@pytest.mark.parametrize("dtype", TYPES)
def test_writing(value, dtype):
    def write(xp, place):
        r = xp.ones(3, dtype)
        r[place] = value
        return r

    as_numpy_does(lambda xp: write(xp, 0))
    as_numpy_does(lambda xp: write(xp, slice(None)))
    as_numpy_does(lambda xp: filled(xp, dtype, value))
    as_numpy_does(lambda xp: xp.full(3, value, dtype=dtype))
    as_numpy_does(lambda xp: xp.full_like(xp.ones(3), value, dtype=dtype))
    as_numpy_does(lambda xp: xp.asarray(value, dtype=dtype))
    as_numpy_does(lambda xp: xp.asarray([value, value], dtype=dtype))


@pytest.mark.parametrize("value", [v for v in TEXTS if isinstance(v, np.generic)], ids=repr)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op", [operator.add, operator.sub, operator.mul, operator.truediv, operator.eq, operator.ne,
                                operator.lt, operator.ge])
def test_operators_with_texts(value, dtype, op):
    as_numpy_does(lambda xp: op(xp.ones(3, dtype), value))


@pytest.mark.parametrize("value", TIMES, ids=repr)
@pytest.mark.parametrize("op", [operator.eq, operator.ne, operator.lt])
def test_comparisons_with_times(value, op):
    as_numpy_does(lambda xp: op(xp.arange(5), value))


@pytest.mark.parametrize("value", [v for v in TEXTS + TIMES if isinstance(v, np.generic)], ids=repr)
@pytest.mark.parametrize("call", [
    lambda x, v: x + v, lambda x, v: v * x, lambda x, v: cp.add(x, v), lambda x, v: cp.where(x > 0, x, v),
    lambda x, v: cp.clip(x, v, 5), lambda x, v: cp.sum(x, initial=v), lambda x, v: cp.add.reduce(x, initial=v),
    lambda x, v: cp.copyto(x, v), lambda x, v: x.__iadd__(v) and x + v])
def test_no_number_is_read_from_bytes(value, call):
    x = cp.ones(3)
    with pytest.raises(TypeError):
        call(x, value)
    np.testing.assert_array_equal(x.get(), np.ones(3))


@pytest.mark.parametrize("value", [v for v in TEXTS + TIMES + LONG if isinstance(v, np.generic)], ids=repr)
def test_no_dtype_for_it(value):
    for call in (cp.asarray, lambda v: cp.full(3, v), lambda v: cp.linspace(v, 5, 3)):
        with pytest.raises((TypeError, ValueError)):
            call(value)


@pytest.mark.parametrize("sequence", [[1], (1, 2), "ab", b"ab", bytearray(b"ab")], ids=repr)
def test_a_sequence_is_not_repeated(sequence):
    n = cp.asarray(2)
    for call in (lambda: sequence * n, lambda: n * sequence, lambda: operator.imul(sequence, n)):
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \*"):
            call()
    with pytest.raises(TypeError):
        n *= sequence
    assert len(sequence) <= 2


def test_who_multiplies_itself_is_asked():
    class Own(list):
        def __mul__(self, other):
            return "left"

        def __rmul__(self, other):
            return "right"

    assert cp.asarray(2) * Own() == "right" and Own() * cp.asarray(2) == "left"


@pytest.mark.parametrize("shape", [np.array(3), np.array(3.0), np.array(True), np.array([3]), np.array(2**63, "u8")],
                         ids=repr)
def test_a_shape_in_an_array(shape):
    as_numpy_does(lambda xp: xp.zeros(shape))
    as_numpy_does(lambda xp: xp.ones(3).reshape(shape))
    as_numpy_does(lambda xp: xp.reshape(xp.ones(3), shape))
    as_numpy_does(lambda xp: xp.broadcast_to(xp.ones(1), shape))


def test_axes_and_repetitions_in_an_array():
    as_numpy_does(lambda xp: xp.ones(3).transpose(np.array(0)))
    as_numpy_does(lambda xp: xp.transpose(xp.ones(3), np.array(0)))
    as_numpy_does(lambda xp: xp.tile(xp.ones(2), np.array(3)))


def test_order_a_is_c_or_fortran():
    wide = np.arange(24.0).reshape(4, 6)
    for pick in (lambda x: x[:, ::2], lambda x: x.T, lambda x: x, lambda x: x[::2].T):
        ours, theirs = pick(cp.asarray(wide)), pick(wide)
        r, want = ours.astype("f8", copy=False, order="A"), theirs.astype("f8", copy=False, order="A")
        assert (r is ours) == (want is theirs) and r.strides == want.strides
        np.testing.assert_array_equal(r.get(), want)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("key", [0, 5, -4, (0,), np.int64(5), slice(0, 1), slice(5, None), ..., True, (0, 0)], ids=repr)
def test_setitem(dtype, key):
    for value in [300, -1, 1.5, 1j, 2**70, [1], [], (2,), [[1]], [1, 2], "12", None, np.float64(2), np.array([1]),
                  np.array(2), np.uint8(7), object(), float("nan")]:
        def write(xp, value=value):
            r = xp.ones(3, dtype)
            r[key] = value
            return r

        as_numpy_does(write)
        if isinstance(value, np.ndarray) and value.ndim:  # as CuPy's; NumPy's error depends on the type
            with pytest.raises(ValueError):
                filled(cp, dtype, value)
        else:
            as_numpy_does(lambda xp, value=value: filled(xp, dtype, value))


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanvar", "nanstd", "sum"])
@pytest.mark.parametrize("axis", [1 << 40, -(1 << 40), 2**70, (1 << 40,), (0, 1 << 40), True, (True,), np.int8(0), 1.5,
                                  "0", (0, 0)], ids=repr)
def test_axes_beyond_an_int(name, axis):
    as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray([[1.0, 2], [3, 5]]), axis=axis))


@pytest.mark.parametrize("value", [np.int8(3), np.float64(2), np.bool_(True), np.complex64(1)], ids=repr)
@pytest.mark.parametrize("to", ["f8", "i1", "c8", "?"])
def test_can_cast_of_typed_numbers(value, to):
    as_numpy_does(lambda xp: xp.can_cast(value, to))


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4)])
def test_matrix_transpose_of_vectors(shape):
    as_numpy_does(lambda xp: xp.matrix_transpose(xp.ones(shape)))


def test_huge_mantissas():
    for v in (2**70, 2**63, -2**70, 2**64, 3, 2**63 - 1, 2**1100):
        for dtype in ("i1", "i4", "i8", "?", "u4"):
            as_numpy_does(lambda xp: xp.ldexp(v, xp.asarray([1, 2]).astype(dtype)))
    for d in ("i8", "f4", "f2"):
        as_numpy_does(lambda xp: xp.ldexp(xp.asarray([1, 2]).astype(d), 2**70))


@pytest.mark.parametrize("huge", [2**63, 2**64 - 1, 2**70, -2**63 - 1])
def test_huge_integers_beside_truth_values(huge):
    """Where there is no number that it could give way to, a Python integer is an int64, or none."""
    for name in ("logical_and", "logical_or", "logical_xor"):
        for dtype in ("?", "i1", "i8", "u8", "f2", "f8", "F"):
            for shape in ((2,), (0,), ()):
                as_numpy_does(lambda xp: getattr(xp, name)(xp.ones(shape, dtype), huge))
                as_numpy_does(lambda xp: getattr(xp, name)(huge, xp.ones(shape, dtype)))
        for number in (True, 1, 1.5, 2j, np.True_, np.float32(2), np.uint64(3)):
            as_numpy_does(lambda xp: getattr(xp, name)(number, huge))
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        as_numpy_does(lambda xp: getattr(xp, name)(xp.ones(2, "?"), huge))
        as_numpy_does(lambda xp: getattr(xp, name)(huge, xp.ones(2, "?")))
        as_numpy_does(lambda xp: getattr(xp, name)(np.True_, huge))
    as_numpy_does(lambda xp: xp.ones(2, "?") < huge)
    as_numpy_does(lambda xp: xp.ones(2, "?") == huge)


@pytest.mark.parametrize("huge", [2**1100, 2**70, 2**63, -2**63 - 1])
def test_huge_integers_beside_what_has_no_loop(huge):
    """A missing element is reported before an integer that the type cannot hold."""
    for name in ("ldexp", "hypot", "arctan2", "floor_divide", "copysign", "bitwise_and", "left_shift", "gcd", "fmod"):
        for dtype in ("F", "D", "f4", "d"):
            as_numpy_does(lambda xp: type_error(getattr(xp, name), xp.ones(2, dtype), huge))
            as_numpy_does(lambda xp: type_error(getattr(xp, name), huge, xp.ones(2, dtype)))
    as_numpy_does(lambda xp: xp.ones(2) & huge)
    as_numpy_does(lambda xp: xp.ones(2, "D") // huge)


def type_error(f, *operands):
    """NumPy's TypeErrors have classes of their own."""
    try:
        return f(*operands)
    except TypeError:
        raise TypeError from None


HUGE = [2**70, -2**70, 2**64, 2**63]


@pytest.mark.parametrize("dtype", ["i1", "i8", "u8", "?", "f4", "d", "D"])
@pytest.mark.parametrize("huge", HUGE)
def test_huge_integers_are_compared(huge, dtype):
    for name in ("isclose", "allclose", "array_equal"):
        for shape in ((3,), ()):
            as_numpy_does(lambda xp: getattr(xp, name)(xp.ones(shape, dtype), huge))
            as_numpy_does(lambda xp: getattr(xp, name)(huge, xp.ones(shape, dtype)))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(float(huge)).astype("f8"), huge))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(2**64 - 1).astype("u8"), huge))
    as_numpy_does(lambda xp: xp.isclose(xp.ones(3, dtype), huge, rtol=1))
    as_numpy_does(lambda xp: xp.isclose(huge, 2.5))


@pytest.mark.parametrize("huge", HUGE)
def test_huge_integers_beside_floating_point_differences(huge):
    """NumPy's are objects; integers have no type for it here."""
    for dtype in ("f4", "d", "D"):
        x = np.array([1, 2, 4], dtype)
        for ends in ({"prepend": huge}, {"append": huge}, {"prepend": huge, "append": 1}):
            np.testing.assert_array_equal(cp.diff(cp.asarray(x), **ends).get().astype("D"),
                                          np.diff(x.astype("D" if dtype == "D" else "d"), **ends).astype("D"))
    if abs(huge) > 2**64:
        with pytest.raises(OverflowError):
            cp.diff(cp.arange(3), prepend=huge)


@pytest.mark.parametrize("dtype", ["i1", "i8", "u8", "?", "f4", "d", "D"])
@pytest.mark.parametrize("huge", HUGE)
def test_integers_have_nothing_that_a_huge_one_replaces(huge, dtype):
    for name in ("nan", "posinf", "neginf"):
        as_numpy_does(lambda xp: xp.nan_to_num(xp.asarray([0, 1, 3]).astype(dtype), **{name: huge}))


@pytest.mark.parametrize("dtype", ["i1", "i8", "u8", "f4", "d"])
@pytest.mark.parametrize("huge", HUGE)
def test_huge_starts_are_of_the_type_that_is_computed_in(huge, dtype):
    for name in ("sum", "prod", "nansum", "nanprod", "max", "min", "nanmax", "nanmin"):
        for out in (None, "d", "f4"):
            into = lambda xp: {"out": xp.zeros((), out)} if out else {}  # noqa: E731
            as_numpy_does(lambda xp: getattr(xp, name)(xp.ones(2, dtype), initial=huge, **into(xp)))
            if name[-3:] in ("sum", "rod"):
                for to in ("d", "f4", "D", "i8", "u8", "?"):
                    if out and to == "D":
                        continue
                    as_numpy_does(lambda xp: getattr(xp, name)(xp.ones(2, dtype), dtype=to, initial=huge, **into(xp)))
    as_numpy_does(lambda xp: xp.add.reduce(xp.ones(2, dtype), dtype="d", initial=huge))
    as_numpy_does(lambda xp: xp.maximum.reduce(xp.ones(2, dtype), out=xp.zeros(()), initial=huge))
