"""Subclasses of ndarray: what is made of their arrays has their class and attributes where NumPy's has."""
import copy
import pickle

import numpy as np
import pytest

import cuprite as cp


class Named:
    """What both libraries' subclasses do: an attribute that goes from array to array."""

    def __array_finalize__(self, obj):
        self.told = obj
        self.info = getattr(obj, "info", None)


class Ours(Named, cp.ndarray):
    pass


class Theirs(Named, np.ndarray):
    pass


class Later(Ours):
    __array_priority__ = 200


def pair(shape=(3, 4), dtype="f8"):
    x = np.arange(1, 1 + int(np.prod(shape))).reshape(shape).astype(dtype)
    ours, theirs = cp.asarray(x).view(Ours), x.view(Theirs)
    ours.info = theirs.info = 7
    return ours, theirs


def same_class(ours, theirs):
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            same_class(a, b)
        return
    assert isinstance(ours, Ours) == isinstance(theirs, Theirs), (type(ours), type(theirs))
    if isinstance(theirs, Theirs):
        assert ours.info == theirs.info == 7
    np.testing.assert_array_equal(ours.get(), np.asarray(theirs))


WAYS = {
    "slice": lambda x: x[1:], "row": lambda x: x[1], "step": lambda x: x[::-1, ::2], "new axis": lambda x: x[None],
    "integers": lambda x: x[[0, 2]], "mask": lambda x: x[x > 3], "both": lambda x: x[[0, 1], 1:],
    "T": lambda x: x.T, "mT": lambda x: x.mT, "real": lambda x: x.real, "imag": lambda x: x.imag,
    "reshape": lambda x: x.reshape(4, 3), "ravel": lambda x: x.ravel(), "flatten": lambda x: x.flatten(),
    "transpose": lambda x: x.transpose(1, 0), "swapaxes": lambda x: x.swapaxes(0, 1),
    "squeeze": lambda x: x[:1].squeeze(), "diagonal": lambda x: x.diagonal(), "view": lambda x: x.view("i8"),
    "copy": lambda x: x.copy(), "astype": lambda x: x.astype("f4"),
    "plain astype": lambda x: x.astype("f4", subok=False),
    "conj": lambda x: x.conj(), "round": lambda x: x.round(), "clip": lambda x: x.clip(2, 5),
    "sum": lambda x: x.sum(0), "mean": lambda x: x.mean(1), "std": lambda x: x.std(0), "max": lambda x: x.max(0),
    "prod": lambda x: x.prod(1), "all": lambda x: x.all(0), "cumsum": lambda x: x.cumsum(1),
    "argsort": lambda x: x.argsort(0), "argmax": lambda x: x.argmax(0), "take": lambda x: x.take([0, 1], 1),
    "repeat": lambda x: x.repeat(2), "compress": lambda x: x.compress([True, False, True], 0),
    "dot": lambda x: x.dot(x.T), "matmul": lambda x: x @ x.T, "trace": lambda x: x.reshape(2, 2, 3).trace(),
    "nonzero": lambda x: x.nonzero(), "copy.copy": copy.copy, "copy.deepcopy": copy.deepcopy,
    "add": lambda x: x + 1, "radd": lambda x: 1 + x, "compare": lambda x: x < 3, "divmod": lambda x: divmod(x, 2),
    "negative": lambda x: -x, "power": lambda x: x ** 2, "shifted": lambda x: x.astype("i4") << 1,
}
FUNCTIONS = {
    "sqrt": lambda m, x: m.sqrt(x), "add": lambda m, x: m.add(x, x), "subok": lambda m, x: m.add(x, 1, subok=False),
    "where": lambda m, x: m.add(x, 1, out=None, where=x == x), "modf": lambda m, x: m.modf(x),
    "reduce": lambda m, x: m.add.reduce(x),
    "accumulate": lambda m, x: m.add.accumulate(x), "outer": lambda m, x: m.multiply.outer(x, x),
    "reduceat": lambda m, x: m.add.reduceat(x, [0, 1]), "sum": lambda m, x: m.sum(x, 0), "sort": lambda m, x: m.sort(x),
    "nansum": lambda m, x: m.nansum(x, 0), "median": lambda m, x: m.median(x, 0), "flip": lambda m, x: m.flip(x),
    "roll": lambda m, x: m.roll(x, 1), "diff": lambda m, x: m.diff(x), "tile": lambda m, x: m.tile(x, 2),
    "expand_dims": lambda m, x: m.expand_dims(x, 0), "moveaxis": lambda m, x: m.moveaxis(x, 0, 1),
    "asarray": lambda m, x: m.asarray(x), "asanyarray": lambda m, x: m.asanyarray(x), "array": lambda m, x: m.array(x),
    "array subok": lambda m, x: m.array(x, subok=True), "np.copy": lambda m, x: m.copy(x),
    "copy subok": lambda m, x: m.copy(x, subok=True), "zeros_like": lambda m, x: m.zeros_like(x),
    "plain zeros_like": lambda m, x: m.zeros_like(x, subok=False), "full_like": lambda m, x: m.full_like(x, 2),
    "ascontiguousarray": lambda m, x: m.ascontiguousarray(x), "broadcast_to": lambda m, x: m.broadcast_to(x, (2, 3, 4)),
    "broadcast subok": lambda m, x: m.broadcast_to(x, (2, 3, 4), subok=True), "diag": lambda m, x: m.diag(x),
    "concatenate": lambda m, x: m.concatenate([x, x]), "isclose": lambda m, x: m.isclose(x, x),
    "nan_to_num": lambda m, x: m.nan_to_num(x), "real": lambda m, x: m.real(x), "angle": lambda m, x: m.angle(x),
    "atleast_3d": lambda m, x: m.atleast_3d(x), "rot90": lambda m, x: m.rot90(x), "unique": lambda m, x: m.unique(x),
    "gradient": lambda m, x: m.gradient(x, axis=0), "trapezoid": lambda m, x: m.trapezoid(x),
}


@pytest.mark.parametrize("way", WAYS)
def test_of_methods(way):
    ours, theirs = pair()
    same_class(WAYS[way](ours), WAYS[way](theirs))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_of_functions(name):
    ours, theirs = pair()
    same_class(FUNCTIONS[name](cp, ours), FUNCTIONS[name](np, theirs))


def test_complex_parts():
    ours, theirs = pair(dtype="c16")
    same_class(ours.real, theirs.real)
    same_class(ours.imag, theirs.imag)


def test_in_place_stays():
    ours, _ = pair()
    before = ours
    ours += 1
    ours[0] = 5
    assert ours is before and ours.info == 7 and ours[0, 0].item() == 5


def test_views_of_classes():
    x = cp.arange(3)
    v = x.view(Ours)
    assert type(v) is Ours and v.told is x and v.base is x and v.info is None
    assert type(v.view(cp.ndarray)) is cp.ndarray and type(v.view(type=Later)) is Later
    assert type(v.view("i4", Ours)) is Ours and v.view("i4", Ours).shape == (6,)
    assert v.view(cp.ndarray).base is x
    v[0] = 9
    assert x.tolist() == [9, 1, 2]
    for wrong in (lambda: x.view(type=int), lambda: x.view(Ours, Ours)):
        with pytest.raises(ValueError):
            wrong()


def test_constructor():
    class Made(cp.ndarray):
        def __new__(cls, shape, dtype="f4", info="none"):
            made = super().__new__(cls, shape, dtype)
            made.info = info
            return made

        def __array_finalize__(self, obj):
            self.explicit = obj is None
            self.info = getattr(obj, "info", "default")

    x = Made((2, 3), info="mine")
    assert type(x) is Made and x.info == "mine" and x.explicit and x.dtype == "f4" and x.shape == (2, 3)
    y = x[1:]
    assert type(y) is Made and y.info == "mine" and not y.explicit
    assert Made.__array_finalize__ is not cp.ndarray.__array_finalize__
    assert cp.ndarray.__slots__ == [] and cp.ndarray.__array_finalize__(x, None) is None


def test_errors_come_through():
    class Refusing(cp.ndarray):
        def __array_finalize__(self, obj):
            if obj is not None:
                raise KeyError("no")

    x = Refusing(3, "f8")
    for wrong in (lambda: x[1:], lambda: x + 1, lambda: x.sum(), lambda: cp.arange(3).view(Refusing)):
        with pytest.raises(KeyError):
            wrong()

    class Silent(cp.ndarray):
        __array_finalize__ = None

    assert type(Silent(3)[1:]) is Silent


def test_which_class():
    first, last = cp.arange(3).view(Ours), cp.arange(3).view(Later)
    assert type(first + last) is Later and type(last + first) is Later
    assert type(cp.arange(3) + first) is Ours and type(cp.add(cp.arange(3), first)) is Ours

    class Other(cp.ndarray):
        pass

    other = cp.arange(3).view(Other)
    assert type(first * other) is Ours and type(other * first) is Other


def test_wrap():
    class Wrapping(cp.ndarray):
        def __array_wrap__(self, array, context=None, return_scalar=False):
            return "wrapped", type(array) is cp.ndarray

    x = cp.arange(3).view(Wrapping)
    assert x + 1 == ("wrapped", True) and cp.sqrt(x) == ("wrapped", True)
    assert cp.modf(x) == (("wrapped", True),) * 2
    y = cp.arange(3).view(Ours)
    assert type(y.__array_wrap__(cp.arange(2))) is Ours


class Counting(cp.ndarray):
    calls = []

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        Counting.calls.append((ufunc.__name__, method, len(inputs), sorted(options)))
        plain = [x.view(cp.ndarray) if isinstance(x, Counting) else x for x in inputs]
        if "out" in options:
            options["out"] = tuple(x.view(cp.ndarray) if isinstance(x, Counting) else x for x in options["out"])
        r = super().__array_ufunc__(ufunc, method, *plain, **options)
        return r.view(Counting) if isinstance(r, cp.ndarray) else r


def test_array_ufunc():
    x = cp.arange(1, 4).view(Counting)
    Counting.calls.clear()
    r = x + 1
    assert type(r) is Counting and r.tolist() == [2, 3, 4]
    assert cp.add(1, x, dtype="f4").dtype == "f4" and cp.add.reduce(x).item() == 6
    assert (-x).tolist() == [-1, -2, -3] and divmod(x, 2)[0].tolist() == [0, 1, 1]
    assert cp.multiply.outer(x, x).shape == (3, 3) and cp.add.accumulate(x).tolist() == [1, 3, 6]
    cp.add.at(x, cp.array([0]), 5)
    assert x.tolist() == [6, 2, 3]
    x *= 2
    assert x.tolist() == [12, 4, 6]
    assert [c[:2] for c in Counting.calls] == [
        ("add", "__call__"), ("add", "__call__"), ("add", "reduce"), ("negative", "__call__"), ("divmod", "__call__"),
        ("multiply", "outer"), ("add", "accumulate"), ("add", "at"), ("multiply", "__call__")]
    assert Counting.calls[1][3] == ["dtype"] and Counting.calls[-1][3] == ["out"]


def test_array_ufunc_refuses():
    class Refusing(cp.ndarray):
        __array_ufunc__ = None

    class Unable(cp.ndarray):
        def __array_ufunc__(self, *args, **kwargs):
            return NotImplemented

    for cls in (Refusing, Unable):
        x = cp.arange(3).view(cls)
        with pytest.raises(TypeError):
            cp.add(x, 1)
        with pytest.raises(TypeError):
            cp.arange(3) + x


@pytest.mark.parametrize("order", "CF")
def test_pickle(order):
    ours, _ = pair()
    ours = cp.asanyarray(ours, order=order)
    ours.more = [1, 2]
    ours.told = None
    back = pickle.loads(pickle.dumps(ours))
    assert type(back) is Ours and back.info == 7 and back.more == [1, 2]
    assert back.tolist() == ours.tolist() and back.strides == ours.strides
    plain = pickle.loads(pickle.dumps(cp.arange(3)))
    assert type(plain) is cp.ndarray


def test_many_objects_end():
    import gc
    import weakref
    x = cp.arange(1000).view(Ours)
    for _ in range(1000):
        x = x + 1
        x.told = None
    gone = weakref.ref(x)
    del x
    gc.collect()
    assert gone() is None
