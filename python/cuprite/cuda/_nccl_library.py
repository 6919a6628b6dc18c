"""libnccl.so.2: where it is looked for, and calls of its functions by name.

Invariant: it is opened once a process, by the first call; a file of that name that is no NCCL, or lacks a function, is
an error that names the file and the function.
"""
import ctypes
import glob
import os
import sys
import threading

_NAME = "libnccl.so.2"
_lock = threading.Lock()
_opened = None  # a Library, or the words of why there is none


class _Library:
    def __init__(self, path, library):
        self.path, self.library, self.functions = path, library, {}
        for name in ("ncclGetErrorString", "ncclGetLastError"):
            if hasattr(library, name):
                getattr(library, name).restype = ctypes.c_char_p
        if hasattr(library, "ncclGetLastError"):
            library.ncclGetLastError.argtypes = [ctypes.c_void_p]


def _files():
    """Paths and names to try, in this order: the user's folders, what the process or the system has, wheels."""
    for folder in os.environ.get("CUPRITE_LIBRARY_PATH", "").split(":"):
        if folder and os.path.exists(os.path.join(folder, _NAME)):
            yield os.path.join(folder, _NAME)
    yield _NAME
    for folder in sys.path:
        yield from sorted(glob.glob(os.path.join(glob.escape(folder or "."), "nvidia", "*", "lib", _NAME)))


def _open():
    why = []
    for path in _files():
        try:
            library = ctypes.CDLL(path)
            library.ncclGetVersion
        except OSError as e:
            why.append(str(e))
        except AttributeError:
            why.append(f"{path} is no NCCL: it has no ncclGetVersion")
        else:
            return _Library(path, library)
    return (f"NCCL was not found: {'; '.join(dict.fromkeys(why))}. `pip install nvidia-nccl-cu12` (or -cu13) has it; "
            "CUPRITE_LIBRARY_PATH names folders to look in")


def _library():
    global _opened
    if _opened is None:
        with _lock:
            if _opened is None:
                _opened = _open()
    return _opened


def found():
    """Whether there is a library."""
    return isinstance(_library(), _Library)


def found_library():
    """The library that is open, or None."""
    return _opened if isinstance(_opened, _Library) else None


def words_of(status):
    """What the library calls an error; "" where it was not opened yet or is not there.

    Parameters: status: its number."""
    if not isinstance(_opened, _Library):
        return ""
    words = _opened.library.ncclGetErrorString(ctypes.c_int(status))
    return words.decode(errors="replace") if words else ""


def last_words(comm):
    """What the library last said of an error, where it keeps that.

    Parameters: comm: a communicator's handle, or None."""
    if not isinstance(_opened, _Library) or not hasattr(_opened.library, "ncclGetLastError"):
        return ""
    words = _opened.library.ncclGetLastError(comm)
    return " ".join(words.decode(errors="replace").split()) if words else ""


def caller(functions):
    """A function call(name, *args) that returns the library's status.

    Parameters: functions: the types of the arguments of each function, by name."""
    def call(name, *args):
        library = _library()
        if not isinstance(library, _Library):
            raise NotImplementedError(library)
        function = library.functions.get(name)
        if function is None:
            try:
                function = getattr(library.library, name)
            except AttributeError:
                raise NotImplementedError(f"{name}: {library.path} is older than that") from None
            function.argtypes, function.restype = functions[name], ctypes.c_int
            library.functions[name] = function
        return function(*[a.__index__() if hasattr(a, "__index__") else a for a in args])
    return call
