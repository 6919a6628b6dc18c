"""NumPy's functions for files, strings and buffers: load, save, savez, fromfile, loadtxt, ...

Files that a path names are read and written in C (cuprite/io.h). File objects, text and pickles are left to NumPy,
whose arrays are taken over. Invariant: nothing in a file is run unless allow_pickle says so.
"""
from __future__ import annotations

import collections.abc
import errno
import io
import math
import os
import re

import numpy

from cuprite import _core, _io
from cuprite._core import _of_buffer, _table_of, asarray, asnumpy, ndarray
from cuprite._foreign import FOREIGN

__all__ = ["load", "save", "savez", "savez_compressed", "fromfile", "frombuffer", "fromstring", "loadtxt",
           "genfromtxt", "savetxt", "DataSource"]

DataSource = numpy.lib.npyio.DataSource
_MAPS = {"r": 1, "readonly": 1, "c": 2, "r+": 3}
_MOST = 2**62


def _path(file):
    """The path that C can open; None of file objects, and of names that are no UTF-8."""
    if not isinstance(file, (str, bytes)) and not hasattr(type(file), "__fspath__"):
        return None
    path = os.fsdecode(file)
    if "\0" in path:
        raise ValueError("embedded null byte")
    return None if any("\ud800" <= c <= "\udfff" for c in path) else path


def _reported(error, path):
    """The system's error as Python's exception: PermissionError, IsADirectoryError, ..."""
    for code in (errno.ENOENT, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR, errno.EROFS, errno.ENOSPC,
                 errno.ELOOP, errno.ENAMETOOLONG):
        if str(error).endswith(os.strerror(code)):
            return OSError(code, os.strerror(code), path)
    return error


def _foreign(dtype):
    """The name of a dtype that NumPy lacks; None of others."""
    if type(dtype) is type and dtype in (float, int, bool, complex):
        return None
    if isinstance(dtype, numpy.dtype) and dtype.isbuiltin == 1:
        return None
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", None)
    return name if name in FOREIGN else None


def _taken(x):
    """Arrays of NumPy's as ours; whatever else as it is."""
    return asarray(x) if isinstance(x, numpy.ndarray) else x


# --- load ---

class _Attributes:
    """An archive's arrays as attributes."""

    def __init__(self, archive):
        self._archive = archive

    def __getattr__(self, name):
        try:
            return self._archive[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return list(self._archive)


class NpzFile(collections.abc.Mapping):
    """An archive of arrays: a mapping from names to arrays, which are read when they are asked for."""

    def __init__(self, file, allow_pickle=False, max_header_size=10000, **pickled):
        self.zip, self.fid, self._name = None, None, None
        self.allow_pickle, self.max_header_size, self._pickled = allow_pickle, max_header_size, pickled
        self._theirs = None
        path = _path(file)
        if path is None:
            self._theirs = numpy.load(file, allow_pickle=allow_pickle, max_header_size=max_header_size, **pickled)
            self._files, self.files = self._theirs._files, self._theirs.files
        else:
            try:
                self.zip, self._files = _io.archive_open(path)
            except ValueError as e:
                raise _damaged(e) from None
            self._name = path
            self.files = [name.removesuffix(".npy") for name in self._files]

    @property
    def f(self):
        """The arrays as attributes."""
        return _Attributes(self)

    def close(self) -> None:
        """Closes the file; arrays that were read stay."""
        if self._theirs is not None:
            self._theirs.close()
        self.zip = self._theirs = None

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *exception):
        self.close()

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)

    def __contains__(self, key):
        return key in self._files or key in self.files

    def __getitem__(self, key) -> ndarray:
        if key not in self:
            raise KeyError(f"{key} is not a file in the archive")
        if self._theirs is not None:
            return _taken(self._theirs[key])
        if self.zip is None:
            raise ValueError("the archive is closed")
        names = self._files if key in self._files else self.files
        at = len(names) - 1 - names[::-1].index(key)
        try:
            return _io.archive_load(self.zip, at, self._most)
        except ValueError as e:
            if "a member is no NumPy array" in str(e) or (self.allow_pickle and "Object arrays" in str(e)):
                return self._by_numpy(self._files[at])
            raise _damaged(e) from None

    @property
    def _most(self):
        return _MOST if self.allow_pickle else self.max_header_size

    def _by_numpy(self, name):
        import zipfile
        import zlib
        try:
            with numpy.load(self._name, allow_pickle=self.allow_pickle, **self._pickled) as theirs:
                return _taken(theirs[name])
        except zlib.error as e:
            raise zipfile.BadZipFile(str(e)) from None

    def __repr__(self):
        shown = ", ".join(self.files[:5]) + ("..." if len(self.files) > 5 else "")
        return f"NpzFile {self._name or 'object'!r} with keys: {shown}"


def _damaged(error):
    if "damaged archive: " not in str(error):
        return error
    import zipfile
    return zipfile.BadZipFile(str(error))


_ONE_CHUNK = 1 << 20  # elements of more bytes are not put into one object of Python's
_PLAIN_BYTES = 128    # what NumPy writes before an array of few axes


_PLAIN_HEADER = re.compile(rb"\x93NUMPY\x01\x00v\x00{'descr': '([<|][biufc]\d+)', 'fortran_order': (True|False), "
                           rb"'shape': \(((?:\d+, )*\d*,?)\), } *\n")


def _plain(file):
    """The array in an object whose header is as NumPy writes it; None, and nothing is read, for whatever else."""
    if not hasattr(file, "read") or not hasattr(file, "seek"):
        return None
    start = file.read(_PLAIN_BYTES)
    found = isinstance(start, bytes) and _PLAIN_HEADER.fullmatch(start)
    read = len(start)
    if found:
        dtype = numpy.dtype(found[1].decode())
        shape = tuple(int(n) for n in found[3].split(b",") if n)
        size = math.prod(shape) * dtype.itemsize
        data = file.read(size) if 0 < size <= _ONE_CHUNK and len(shape) <= 8 else b""
        if 0 < size == len(data):
            return asarray(numpy.frombuffer(data, dtype).reshape(shape, order="F" if found[2] == b"True" else "C"))
        read += len(data)
    file.seek(-read, 1)
    return None


_ACCIDENTS = ("TokenError", "SyntaxError", "OverflowError", "RecursionError", "TypeError",
              "UnicodeDecodeError")  # of NumPy's own parser


def _check_header(file, most):
    """ValueError where an object's header is no header, or says more than is behind it: nothing is allocated for it."""
    start = file.tell()
    try:
        version = file.read(8)[6:]
        width = 2 if version == b"\1\0" else 4
        head = file.read(width)
        head += file.read(min(int.from_bytes(head, "little"), most))
        read = numpy.lib.format.read_array_header_1_0 if width == 2 else numpy.lib.format.read_array_header_2_0
        shape, _, dtype = read(io.BytesIO(head), max_header_size=most)
        size, held = math.prod(shape) * dtype.itemsize, file.seek(0, 2) - start - 8 - len(head)
    except Exception as e:
        if type(e).__name__ not in _ACCIDENTS:
            raise
        raise ValueError(f"Cannot parse header: {e}") from e
    finally:
        file.seek(start)
    if not dtype.hasobject and (min(shape, default=0) < 0 or max(shape, default=0) >= 2**63 or size > held):
        raise ValueError(f"load: the header says shape {shape} of {dtype}, {size} bytes, and {held} are behind it")


def _load_object(file, allow_pickle, max_header_size, **pickled):
    """What numpy.load reads of a file object."""
    if all(hasattr(file, name) for name in ("read", "seek", "tell")) and not allow_pickle:
        start = file.read(6)
        file.seek(-len(start), 1)
        if start == b"\x93NUMPY":
            _check_header(file, max_header_size)
    return numpy.load(file, None, allow_pickle, max_header_size=max_header_size, **pickled)


def load(file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding="ASCII", *,
         max_header_size=10000):
    """The array in a file of NumPy's (.npy), or a mapping of those in an archive (.npz), on the current device.

    `mmap_mode` "r", "c" or "r+": on the CPU the file stands for the array's memory (read-only, written in memory alone,
    written in the file); on another device its pages are copied, and "r+" is ValueError, as is "w+". Pickles are
    ValueError unless allow_pickle says that they may run.

    Parameters: file: a path or a file object; mmap_mode: None, 'r', 'c' or 'r+'; allow_pickle: True or False;
        fix_imports: as of pickles; encoding: as of pickles; max_header_size: the longest header, in bytes, that is
        read.
    Errors: EOFError for an empty file; ValueError for what is none of these formats; FileNotFoundError;
        zipfile.BadZipFile for a damaged archive.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> cp.save(file, cp.arange(3))
        >>> cp.load(io.BytesIO(file.getvalue()))
        array([0, 1, 2])
    """
    allow_pickle = bool(allow_pickle)
    pickled = {"fix_imports": fix_imports, "encoding": encoding}
    if encoding not in ("ASCII", "latin1", "bytes"):
        raise ValueError("encoding must be 'ASCII', 'latin1', or 'bytes'")
    path = _path(file)
    if path is None:
        x = _plain(file) if max_header_size >= _PLAIN_BYTES else None
        if x is not None:
            return x
        theirs = _load_object(file, allow_pickle, max_header_size, **pickled)
        if not isinstance(theirs, numpy.lib.npyio.NpzFile):
            return _taken(theirs)
        archive = NpzFile.__new__(NpzFile)
        archive.zip, archive._name, archive._theirs = None, None, theirs
        archive._files, archive.files = theirs._files, theirs.files
        return archive
    with open(path, "rb") as f:
        magic = f.read(6)
    if not magic:
        raise EOFError("No data left in file")
    if magic[:4] in (b"PK\3\4", b"PK\5\6"):
        return NpzFile(path, allow_pickle, max_header_size, **pickled)
    if magic != b"\x93NUMPY":
        return _taken(numpy.load(path, None, allow_pickle, **pickled))
    if mmap_mode is not None and mmap_mode not in _MAPS:
        raise ValueError(f"mode must be one of {sorted(_MAPS)}, not {mmap_mode!r}")
    try:
        return _io.load(path, map=_MAPS.get(mmap_mode, 0), max_header=_MOST if allow_pickle else max_header_size)
    except ValueError as e:
        if allow_pickle and "Object arrays" in str(e):
            return _taken(numpy.load(path, None, True, **pickled))
        raise


# --- save ---

def _text(file):
    return os.fsdecode(file) if isinstance(file, bytes) else file


def _ended(path, ending):
    return path if path.endswith(ending) else path + ending


def _header(x):
    """What stands before an array's elements: version 1.0, as NumPy writes it."""
    fortran = x._f_contiguous and not x._c_contiguous
    text = f"{{'descr': '{x.dtype.str}', 'fortran_order': {fortran}, 'shape': {x.shape}, }}"
    growing = x.shape[-1 if fortran else 0] if x.ndim else None  # NumPy leaves room for a longer first length
    text += " " * (_LONGEST - len(repr(growing)) if growing is not None else 0)
    text += " " * (64 - (11 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text.encode("latin1")


_LONGEST = len(str((8 << 64) - 1))  # numpy.lib.format.GROWTH_AXIS_MAX_DIGITS


def save(file, arr, allow_pickle=True) -> None:
    """Writes an array to a file of NumPy's; ".npy" is added to a path without it.

    Parameters: file: a path or a file object; arr: an array, a NumPy array, a number or nested lists; allow_pickle:
        True or False (arrays need none).
    Result: None.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> cp.save(file, cp.arange(3))
        >>> cp.load(io.BytesIO(file.getvalue()))
        array([0, 1, 2])
    """
    path = _path(file)
    if path is None or not isinstance(arr, ndarray):
        if isinstance(arr, ndarray):
            if arr._type in FOREIGN:
                return _save_foreign(file, arr)
            if arr.nbytes < _ONE_CHUNK and hasattr(file, "write"):
                file.write(_header(arr))
                file.write(arr.tobytes("A"))
                return
        return numpy.save(_text(file), asnumpy(arr, order="A"), allow_pickle=allow_pickle)
    path = _ended(path, ".npy")
    try:
        _io.save(path, arr)
    except OSError as e:
        raise _reported(e, path) from None


def _save_foreign(file, arr):
    """What NumPy has no dtype for, to an object or a name that C cannot open: by way of a file."""
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        between = os.path.join(folder, "x.npy")
        save(between, arr)
        with open(between, "rb") as f:
            text = f.read()
    if hasattr(file, "write"):
        file.write(text)
    else:
        with open(_ended(os.fsdecode(file), ".npy"), "wb") as f:
            f.write(text)


def _in_chunks(file, arrays):
    """Whether each of the arrays can be written to a file object as one chunk of bytes."""
    return hasattr(file, "write") and all(isinstance(x, ndarray) and x._type not in FOREIGN and x.nbytes < _ONE_CHUNK
                                          for x in arrays)


def _archive(file, arrays, compressed):
    """The archive that numpy.savez writes to a file object."""
    import zipfile
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        for name, x in arrays.items():
            with archive.open(name + ".npy", "w", force_zip64=True) as f:
                f.write(_header(x))
                f.write(x.tobytes("A"))


def _savez(file, args, kwds, compressed, allow_pickle):
    arrays = dict(kwds)
    for i, x in enumerate(args):
        if f"arr_{i}" in arrays:
            raise ValueError(f"Cannot use un-named variables and keyword arr_{i}")
        arrays[f"arr_{i}"] = x
    path = _path(file)
    if path is None and _in_chunks(file, arrays.values()):
        return _archive(file, arrays, compressed)
    if path is None or not all(isinstance(x, ndarray) for x in arrays.values()):
        write = numpy.savez_compressed if compressed else numpy.savez
        hosts = {name: asnumpy(x, order="A") for name, x in arrays.items()}
        return write(_text(file), allow_pickle=allow_pickle, **hosts)
    path = _ended(path, ".npz")
    try:
        _io.archive_save(path, tuple(arrays), list(arrays.values()), compressed)
    except OSError as e:
        raise _reported(e, path) from None


def savez(file, *args, allow_pickle=True, **kwds) -> None:
    """Writes arrays to an archive, as arr_0, arr_1, ... and by their keywords; ".npz" is added to a path without it.
    args and kwds are arrays.

    Parameters: file: a path or a file object; allow_pickle: True or False (arrays need none).
    Result: None.
    Errors: ValueError for a name given twice.

    Example:
        >>> import io
        >>> file = io.BytesIO()
        >>> cp.savez(file, x=cp.arange(3))
        >>> cp.load(io.BytesIO(file.getvalue()))["x"]
        array([0, 1, 2])
    """
    _savez(file, args, kwds, False, allow_pickle)


def savez_compressed(file, *args, allow_pickle=True, **kwds) -> None:
    """savez, compressed. args and kwds are arrays.

    Parameters: file: a path or a file object; allow_pickle: True or False (arrays need none).
    Result: None.
    Errors: ValueError for a name given twice."""
    _savez(file, args, kwds, True, allow_pickle)


# --- bytes and text, by way of NumPy ---

def _of_numpy(f, dtype, *args, **options):
    """f's array as ours; of a type that NumPy lacks the bits."""
    name = _foreign(dtype)
    if name is None:
        return asarray(f(*args, dtype=dtype, **options))
    if options.get("sep"):
        return asarray(f(*args, dtype=float, **options)).astype(name)
    return asarray(f(*args, dtype=f"u{FOREIGN[name][1]}", **options)).view(name)


def fromfile(file, dtype=float, count=-1, sep="", offset=0, *, like=None) -> ndarray:
    """An array of a file's bytes, or of the numbers in a text file where `sep` separates them.

    Parameters: file: a path or a file object; dtype: an element type; count: how many elements (-1: all); sep: what
        stands between numbers (empty: bytes); offset: where they begin, in bytes; like: None, or an array of
        Cuprite's, which changes nothing.
    Errors: FileNotFoundError; ValueError for text that is not numbers."""
    return _of_numpy(numpy.fromfile, dtype, file, count=count, sep=sep, offset=offset)


def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None) -> ndarray:
    """An array of a buffer's bytes, which are copied: a device does not see what is written to them later.

    Parameters: buffer: an object with a buffer; dtype: an element type; count: how many elements (-1: all); offset:
        where they begin, in bytes; like: None, or an array of Cuprite's, which changes nothing.
    Errors: ValueError for a buffer that is too small, or no multiple of the element."""
    x = _of_buffer(buffer, dtype, count, offset)  # None: NumPy says what is wrong
    return _of_numpy(numpy.frombuffer, dtype, buffer, count=count, offset=offset) if x is None else x


def fromstring(string, dtype=float, count=-1, *, sep="", like=None) -> ndarray:
    """An array of the numbers in a string.

    Parameters: string: a string; dtype: an element type; count: how many (-1: all); sep: what stands between them;
        like: None, or an array of Cuprite's, which changes nothing.
    Errors: ValueError for text that is not numbers, and an empty sep."""
    name = "float64" if dtype is float else getattr(dtype, "name", dtype)
    if sep and not sep.strip() and count == -1 and name in ("float64", "float32", "f8", "f4"):
        x = _table_of(string)
        if x is not None and len(x) == 1:
            return x.reshape(-1).astype(name, copy=False)
    return _of_numpy(numpy.fromstring, dtype, string, count=count, sep=sep)


_LONG_TEXT = 1 << 20  # characters; longer ones are not kept whole


def _table(file):
    """The array of a text file of numbers only, with as many in each line; axes of length 1 are dropped, as NumPy does.
    None for any other file, of which nothing is read."""
    if not isinstance(file, io.TextIOBase) or not file.seekable():
        return None
    start = file.tell()
    text = file.read(_LONG_TEXT)
    x = _table_of(text) if len(text) < _LONG_TEXT else None
    if x is None:
        file.seek(start)
    return x if x is None else x.squeeze()


def _text_columns(read, file, dtype, unpack, options):
    name = _foreign(dtype)
    x = read(file, dtype=float if name else dtype, unpack=unpack, **options)
    if isinstance(x, (list, tuple)):
        return type(x)(asarray(column) for column in x)
    return asarray(x).astype(name) if name else asarray(x)


def loadtxt(fname, dtype=float, comments="#", delimiter=None, converters=None, skiprows=0, usecols=None, unpack=False,
            ndmin=0, encoding=None, max_rows=None, *, quotechar=None, like=None):
    """An array of a text file, a row a line (numpy.loadtxt).

    Parameters: fname: a path, a file object, or lines; dtype: an element type; comments: what begins a comment;
        delimiter: what stands between values (None: white space); converters: functions of strings, by columns;
        skiprows: how many lines are passed over; usecols: which columns (None: all); unpack: True: the transposed
        array; ndmin: the least number of axes; encoding: the file's encoding; max_rows: the most rows; quotechar:
        what quotes a value; like: None, or an array of Cuprite's, which changes nothing.
    Errors: ValueError for what is no number, and rows of different lengths; FileNotFoundError.

    Example:
        >>> import io
        >>> cp.loadtxt(io.StringIO("1 2\\n3 4"))
        array([[1., 2.],
               [3., 4.]])
    """
    options = {"comments": comments, "delimiter": delimiter, "converters": converters, "skiprows": skiprows,
               "usecols": usecols, "ndmin": ndmin, "encoding": encoding, "max_rows": max_rows, "quotechar": quotechar}
    options = {name: value for name, value in options.items() if value is not _LOADTXT[name]}
    x = _table(fname) if not options and dtype is float and not unpack else None
    return x if x is not None else _text_columns(numpy.loadtxt, fname, dtype, unpack, options)


_LOADTXT = {"comments": "#", "delimiter": None, "converters": None, "skiprows": 0, "usecols": None, "ndmin": 0,
            "encoding": None, "max_rows": None, "quotechar": None}


def genfromtxt(fname, dtype=float, *args, unpack=None, like=None, **kwargs) -> ndarray:
    """An array of a text file in which numbers may be missing (numpy.genfromtxt).

    Parameters: fname: a path, a file object, or lines; dtype: an element type; unpack: True: the transposed array;
        like: None, or an array of Cuprite's, which changes nothing.
    Errors: TypeError for an argument given twice; ValueError for rows of different lengths."""
    if args:
        import inspect
        names = list(inspect.signature(numpy.genfromtxt).parameters)[2:]
        given = dict(zip(names, args))
        for name in given:
            if name in kwargs:
                raise TypeError(f"genfromtxt() got multiple values for argument '{name}'")
        unpack = given.pop("unpack", unpack)
        kwargs.update(given)
    x = _table(fname) if not kwargs and dtype is float and not unpack else None
    return x if x is not None else _text_columns(numpy.genfromtxt, fname, dtype, unpack, kwargs)


_ONE_FORMAT = re.compile(r"%[-+ #0]*[0-9]*(\.[0-9]+)?[eEfFgGd]")  # of numbers, whose type does not show


def savetxt(fname, X, fmt="%.18e", delimiter=" ", newline="\n", header="", footer="", comments="# ",
            encoding=None) -> None:
    """Writes an array of one or two axes as text, a line a row.

    Parameters: fname: a path or a file object; X: an array of one or two axes; fmt: how a number is written, or one
        text a column; delimiter: what stands between columns; newline: what ends a line; header: a string before;
        footer: a string behind; comments: what stands before these; encoding: the file's encoding.
    Result: None.
    Errors: ValueError for other than one or two axes.

    Example:
        >>> import io
        >>> file = io.StringIO()
        >>> cp.savetxt(file, cp.asarray([1.5, 2.5]), fmt="%.1f")
        >>> file.getvalue()
        '1.5\\n2.5\\n'
    """
    one = isinstance(fmt, str) and _ONE_FORMAT.fullmatch(fmt)
    strings = all(isinstance(t, str) and "%" not in t for t in (delimiter, newline)) and header == footer == ""
    if (one and strings and isinstance(fname, io.TextIOBase) and isinstance(X, ndarray) and X.ndim in (1, 2)
            and X._type not in FOREIGN and X.dtype.kind in "fiu"):
        row = (delimiter.join([fmt] * X.shape[1]) if X.ndim == 2 else fmt) + newline
        values = X.tolist()
        fname.write("".join([row % tuple(v) for v in values] if X.ndim == 2 else [row % v for v in values]))
        return
    numpy.savetxt(fname, asnumpy(X), fmt, delimiter, newline, header, footer, comments, encoding)


# --- methods of arrays ---

def _bits(x):
    """x, of a type that NumPy lacks as the integers of its bits."""
    name = _foreign(x.dtype)
    return x.view(f"u{FOREIGN[name][1]}") if name else x


def tofile(x, fid, sep, format) -> None:
    """The elements in C order, as bytes or as text."""
    if sep != "":
        host = asnumpy(x.astype("f4") if _foreign(x.dtype) else x)
    else:
        host = asnumpy(_bits(_core.ascontiguousarray(x)))
    host.tofile(fid, sep, format)


def dump(x, file):
    """Pickles into a file object or the file of a path."""
    import pickle
    if hasattr(file, "write"):
        pickle.dump(x, file, protocol=4)
    else:
        with open(os.fspath(file), "wb") as f:
            pickle.dump(x, f, protocol=4)


def dumps(x):
    """The pickle's bytes."""
    import pickle
    return pickle.dumps(x, protocol=4)


def byteswap(x, inplace) -> ndarray:
    """Each element's bytes in the other order, those of complex numbers part by part."""
    unit = x.itemsize // 2 if x.dtype.kind == "c" else x.itemsize
    y = x if inplace else x.copy(order="A")
    if unit == 1 or not x.size:
        return y
    flat = _core.ascontiguousarray(x).reshape(-1).view("u1").reshape(-1, unit)
    y[...] = _core.ascontiguousarray(flat[:, ::-1]).reshape(-1).view(x.dtype).reshape(x.shape)
    return y
