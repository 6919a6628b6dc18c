"""Small objects that attributes of arrays give: flags, device, data, flat; named tuples of results."""
import collections

ClipStats = collections.namedtuple("ClipStats", "center std lower upper count iterations")
Sources = collections.namedtuple("Sources", "pixels flux centroid peak position")


class Flags:
    """x.flags: c_contiguous, f_contiguous, owndata, writeable, aligned, and the same by NumPy's keys. Only
    writeable can be set; what else NumPy lets be set is what it is here. They tell what was when x.flags was asked."""
    __slots__ = ("_x", "_c", "_f", "_own", "_writable")
    _KEYS = {"C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
             "O": "owndata", "W": "writeable", "A": "aligned", "B": "behaved", "CA": "carray", "FA": "farray",
             "X": "writebackifcopy", **{name.upper(): name for name in ("c_contiguous", "f_contiguous", "owndata",
                                                                        "writeable", "aligned", "behaved",
                                                "carray", "farray", "fnc", "forc", "writebackifcopy")}}

    def __init__(self, x):
        self._x = x
        self._c, self._f, self._own, self._writable = x._c_contiguous, x._f_contiguous, x.base is None, x._writable

    c_contiguous = property(lambda self: self._c)
    contiguous = property(lambda self: self._c)
    f_contiguous = property(lambda self: self._f)
    fortran = property(lambda self: self._f)
    owndata = property(lambda self: self._own)
    writeable = property(lambda self: self._writable, lambda self, v: self._x.setflags(write=bool(v)))
    aligned = property(lambda self: True, lambda self, v: self._x.setflags(align=bool(v)))
    writebackifcopy = property(lambda self: False, lambda self, v: self._x.setflags(uic=bool(v)))
    behaved = property(lambda self: self._writable)
    carray = property(lambda self: self._c and self._writable)
    farray = property(lambda self: self._f and not self._c and self._writable)
    fnc = property(lambda self: self._f and not self._c)
    forc = property(lambda self: self._f or self._c)
    num = property(lambda self: 0x100 | self._c | self._f << 1 | self._own << 2 | self._writable << 10)

    def __getitem__(self, key):
        if key not in self._KEYS:
            raise KeyError("Unknown flag")
        return getattr(self, self._KEYS[key])

    def __setitem__(self, key, value):
        name = self._KEYS.get(key)
        if name not in ("writeable", "aligned", "writebackifcopy"):
            raise KeyError("Unknown flag")
        setattr(self, name, value)

    def __eq__(self, other):
        return self.num == other.num if isinstance(other, Flags) else NotImplemented

    __hash__ = None

    def __repr__(self):
        return "".join(f"  {name} : {self[name]}\n"
                       for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED",
                                    "WRITEBACKIFCOPY"))


def signature(text):
    import inspect
    scope = {}
    exec(f"def f{text}: pass", scope)
    return inspect.signature(scope["f"])


def ufuncs_of(place):
    """name -> ufunc, of those whose rows say that they belong to cuprite.PLACE."""
    from cuprite import _core
    start = f"_{place}."
    return {n[len(start):]: f for n, f in vars(_core).items() if n.startswith(start)}


def ufunc_of(place, name):
    return ufuncs_of(place)[name]


def device_of(x):
    from cuprite.cuda.device import Device
    return Device._of(x._device)


def data_of(x):
    from cuprite.cuda.memory import MemoryPointer
    return MemoryPointer(x)


class Flat:
    """x.flat: an iterator over the elements in C order, which are also read and written by one index, slice or mask."""
    __slots__ = ("base", "index")
    __hash__ = None

    def __init__(self, x):
        self.base, self.index = x, 0

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return self

    def __next__(self):
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self[self.index - 1]

    @property
    def coords(self):
        """Where the next element lies, a tuple of indices."""
        at, rest = [], self.index
        for extent in reversed(self.base.shape):
            at.append(rest % extent)
            rest //= extent
        return tuple(reversed(at))

    def copy(self):
        """The elements, a new 1-d array."""
        return self.base.flatten()

    def _key(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > 1 or None in [k for k in keys if not hasattr(k, "shape")]:
            raise IndexError("unsupported iterator index")
        return key

    def __getitem__(self, key):
        return self.base.ravel()[self._key(key)].copy()

    def __setitem__(self, key, value):
        """Values of any shape are written one after the other, and again from the first when there are too few."""
        x, key = self.base, self._key(key)
        flat = x.reshape(-1) if x._c_contiguous else x.flatten()
        one = hasattr(key, "__index__") and getattr(key, "ndim", 0) == 0
        if not one and (hasattr(value, "shape") or isinstance(value, (list, tuple))):
            value = self._repeated(value, flat[key].size)
            if value is None:
                return
        elif one and (getattr(value, "ndim", 0) or isinstance(value, (list, tuple))):
            raise ValueError("Error setting single item of array.")
        flat[key] = value
        if not x._c_contiguous:
            x[...] = flat.reshape(x.shape)

    def _repeated(self, value, count):
        import cuprite
        x = self.base
        if not isinstance(value, cuprite.ndarray):
            like, value = value, None
            with cuprite.cuda.Device._of(x._device):
                value = cuprite.array(like, x.dtype)
        value = value.ravel()
        if value.size == 0 or count == 0:
            return None
        if value.size < count:
            times = -(-count // value.size)
            value = cuprite.broadcast_to(value, (times, value.size)).reshape(-1)
        return value[:count]

    def __eq__(self, other):
        return self.base.ravel() == other

    def __ne__(self, other):
        return self.base.ravel() != other


def cuda_array_interface(x):
    from cuprite import _device
    return {"shape": x.shape, "typestr": x.dtype.str, "descr": [("", x.dtype.str)], "version": 3,
            "stream": _device.stream_handle(_device.stream_current(x._device)) or 1,
            "strides": None if x._c_contiguous else x.strides, "data": (x._address, not x._writable)}
