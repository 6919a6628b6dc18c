"""Small objects that attributes of arrays give: flags, device, data, flat; named tuples of results."""
import collections

ClipStats = collections.namedtuple("ClipStats", "center std lower upper count iterations")
Sources = collections.namedtuple("Sources", "pixels flux centroid peak position")


class Flags:
    """x.flags: c_contiguous, f_contiguous, owndata, and the same by NumPy's keys."""
    __slots__ = ("c_contiguous", "f_contiguous", "owndata")
    _KEYS = {"C_CONTIGUOUS": "c_contiguous", "C": "c_contiguous", "F_CONTIGUOUS": "f_contiguous", "F": "f_contiguous",
             "OWNDATA": "owndata", "O": "owndata"}

    def __init__(self, x):
        self.c_contiguous, self.f_contiguous, self.owndata = x._c_contiguous, x._f_contiguous, x.base is None

    fnc = property(lambda self: self.f_contiguous and not self.c_contiguous)
    forc = property(lambda self: self.f_contiguous or self.c_contiguous)

    def __getitem__(self, key):
        if key not in self._KEYS:
            raise KeyError("Unknown flag")
        return getattr(self, self._KEYS[key])

    def __repr__(self):
        return f"  C_CONTIGUOUS : {self.c_contiguous}\n  F_CONTIGUOUS : {self.f_contiguous}\n  OWNDATA : {self.owndata}\n"


def signature(text):
    import inspect
    scope = {}
    exec(f"def f{text}: pass", scope)
    return inspect.signature(scope["f"])


def device_of(x):
    from cuprite.cuda import Device
    return Device._of(x._device)


class MemoryPointer:
    """x.data: the address of the first element; keeps the array alive."""
    __slots__ = ("ptr", "mem", "_device")

    def __init__(self, x):
        self.ptr, self.mem, self._device = x._address, x, x._device

    @property
    def device(self):
        from cuprite.cuda import Device
        return Device._of(self._device)

    @property
    def device_id(self):
        return self.device.id

    def __int__(self):
        return self.ptr

    def __repr__(self):
        return f"<MemoryPointer {self.ptr:#x} device={self.device!r}>"


class Flat:
    """x.flat: the elements in C order, read and written by one index."""
    __slots__ = ("base", "_i")

    def __init__(self, x):
        self.base, self._i = x, 0

    def __len__(self):
        return self.base.size

    def __iter__(self):
        return iter(self.base.ravel())

    def __getitem__(self, key):
        return self.base.ravel()[key].copy()

    def __setitem__(self, key, value):
        x = self.base
        if x._c_contiguous:
            x.reshape(-1)[key] = value
        else:
            flat = x.flatten()
            flat[key] = value
            x[...] = flat.reshape(x.shape)


def cuda_array_interface(x):
    from cuprite import _device
    return {"shape": x.shape, "typestr": x.dtype.str, "descr": [("", x.dtype.str)], "version": 3,
            "stream": _device.stream_handle(_device.stream_current(x._device)) or 1,
            "strides": None if x._c_contiguous else x.strides, "data": (x._address, False)}
