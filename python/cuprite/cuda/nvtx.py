"""Marks and ranges for NVIDIA's profilers: cupy.cuda.nvtx. Without the library, libnvToolsExt.so.1, they do nothing; it
is looked for at the first call."""
from cuprite._missing import listing as _listing
_ARGB = (0xFF0000FF, 0xFFFF0000, 0xFF00FF00, 0xFFFFFF00, 0xFFFF00FF, 0xFF00FFFF)  # a colour for each id
_library = None  # False: there is none


def _open():
    global _library
    if _library is None:
        import ctypes
        _library = False
        for name in ("libnvToolsExt.so.1", "libnvToolsExt.so"):
            try:
                _library = ctypes.CDLL(name)
                _library.nvtxRangeStartEx.restype = ctypes.c_uint64
                break
            except OSError:
                continue
    return _library


def __getattr__(name):
    if name == "available":
        return bool(_open())
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _attributes(message, color):
    """A nvtxEventAttributes_t: version 2, a message, and a colour unless it is None."""
    import ctypes

    class Attributes(ctypes.Structure):
        _fields_ = [("version", ctypes.c_uint16), ("size", ctypes.c_uint16), ("category", ctypes.c_uint32),
                    ("colorType", ctypes.c_int32), ("color", ctypes.c_uint32), ("payloadType", ctypes.c_int32),
                    ("reserved", ctypes.c_int32), ("payload", ctypes.c_uint64), ("messageType", ctypes.c_int32),
                    ("message", ctypes.c_char_p)]
    text = message if isinstance(message, bytes) else str(message).encode()
    argb = 1 if color is not None else 0
    return ctypes.byref(Attributes(2, ctypes.sizeof(Attributes), 0, argb, color or 0, 0, 0, 0, 1, text))


def _of_id(id_color):
    return None if id_color < 0 else _ARGB[id_color % len(_ARGB)]


def MarkC(message, color=0) -> None:
    """Marks a moment, in an ARGB colour.

    Parameters: message: a string; color: 0xAARRGGBB."""
    if _open():
        _library.nvtxMarkEx(_attributes(message, color))


def Mark(message, id_color=-1) -> None:
    """Marks a moment, in one of a few colours.

    Parameters: message: a string; id_color: an integer (-1: any)."""
    if _open():
        _library.nvtxMarkEx(_attributes(message, _of_id(id_color)))


def RangePushC(message, color=0) -> None:
    """Begins a range inside the thread's last one, in an ARGB colour.

    Parameters: message: a string; color: 0xAARRGGBB."""
    if _open():
        _library.nvtxRangePushEx(_attributes(message, color))


def RangePush(message, id_color=-1) -> None:
    """Begins a range inside the thread's last one, in one of a few colours.

    Parameters: message: a string; id_color: an integer (-1: any)."""
    if _open():
        _library.nvtxRangePushEx(_attributes(message, _of_id(id_color)))


def RangePop() -> None:
    """Ends the thread's last range."""
    if _open():
        _library.nvtxRangePop()


def RangeStart(message, color):
    """Begins a range that any thread may end; its number.

    Parameters: message: a string; color: 0xAARRGGBB."""
    return _library.nvtxRangeStartEx(_attributes(message, color)) if _open() else 0


def RangeEnd(range_id) -> None:
    """Ends the range with that number.

    Parameters: range_id: what RangeStart gave."""
    if _open():
        import ctypes
        _library.nvtxRangeEnd(ctypes.c_uint64(range_id))


__dir__ = _listing(__name__)
