"""DistributedArray: chunks on devices, what is computed chunk by chunk, and what moves between chunks.

Chunks are kept in one order (by device, then as they were given), which is that of all transfers. Invariants: in the
mode REPLICA all chunks that have an element have the same value of it; in another mode the element is the operation's
result of all their values. An array is not changed: a change of mode or of the index map makes a new one.
"""
from __future__ import annotations

from collections.abc import KeysView

import numpy

import cuprite
from cuprite.distributed.array import _modes, _owners
from cuprite.distributed.array._index import common, is_covered, lengths, ranges_of, slices_of, within

_REDUCTIONS = {"sum": _modes.SUM, "prod": _modes.PROD, "max": _modes.MAX, "min": _modes.MIN}
_OF_UFUNC = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
_ABSENT = """all any argmax argmin argpartition argsort byteswap choose clip compress cumprod cumsum diagonal dot dump
    dumps fill flatten item nonzero partition ptp put ravel reduced_view repeat reshape round scatter_add scatter_max
    scatter_min searchsorted set sort squeeze std swapaxes take toDlpack tobytes tofile tolist trace transpose var
    view""".split()
_ABSENT_VALUES = "T mT base cstruct data device flags flat mdspan strides".split()


class Chunk:
    """A part of the whole.

    Parameters: device: where it is; ranges: which part, one range for each axis; array: its elements, or None where
        another rank has them; dtype: their type."""
    __slots__ = ("device", "ranges", "array", "dtype")

    def __init__(self, device, ranges, array, dtype):
        self.device, self.ranges, self.array, self.dtype = device, ranges, array, dtype


def _map_of(shape, index_map, places):
    """device: tuples of ranges, of an index map as a program writes it."""
    found = {}
    for device in sorted(index_map):
        indices = index_map[device]
        places.device(device)
        found[device] = [ranges_of(shape, i) for i in (indices if isinstance(indices, list) else [indices])]
    return found


class DistributedArray(numpy.lib.mixins.NDArrayOperatorsMixin):
    """An array whose chunks lie on several devices; distributed_array makes one.

    Parameters: shape: of the whole; dtype: of its elements; chunks_map: for each device a list of its chunks; mode: how
        overlapping chunks are read: REPLICA, SUM, PROD, MAX or MIN; comms: of no use here."""
    __array_priority__ = 1000

    def __init__(self, shape, dtype, chunks_map, mode=None, comms=None):
        self._shape, self._dtype, self._mode = tuple(shape), numpy.dtype(dtype), mode
        self._chunks_map, self._places = chunks_map, _owners.current()

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._shape

    @property
    def dtype(self) -> numpy.dtype:
        """The element type."""
        return self._dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(numpy.prod(self._shape, dtype=numpy.int64))

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, each once."""
        return self.size * self.itemsize

    @property
    def mode(self) -> _modes.OpMode | None:
        """How overlapping chunks are read."""
        return self._mode

    @property
    def devices(self) -> KeysView[int]:
        """The devices that have chunks."""
        return self._chunks_map.keys()

    @property
    def index_map(self) -> "dict[int, list[tuple[slice, ...]]]":
        """For each device the parts that it has."""
        return {d: [slices_of(c.ranges) for c in cs] for d, cs in self._chunks_map.items()}

    def all_chunks(self) -> "dict[int, list[cuprite.ndarray]]":
        """For each device its chunks, as arrays there; of ranks only this one's."""
        return {d: [c.array for c in cs] for d, cs in self._chunks_map.items() if self._places.owns(d)}

    def __repr__(self):
        return f"<DistributedArray {self.shape} {self.dtype} on devices {list(self.devices)}, " \
               f"{'replicas' if self._mode is None else self._mode.name}>"

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of unsized object")
        return self._shape[0]

    def __bool__(self):
        return bool(self.get())

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy "
                        "array explicitly.")

    def _chunks(self):
        return [c for cs in self._chunks_map.values() for c in cs]

    def _map(self, function, shape=None, ranges=None, dtype=None, mode=...):
        """The same chunks with other elements: function(array) of each."""
        made = {}
        for device, chunks in self._chunks_map.items():
            made[device] = []
            for c in chunks:
                x = None
                if self._places.owns(device):
                    with self._places.device(device):
                        x = function(c.array)
                where = c.ranges if ranges is None else ranges(c.ranges)
                made[device].append(Chunk(device, where, x, dtype or self.dtype))
        return DistributedArray(self._shape if shape is None else shape, dtype or self._dtype, made,
                                self._mode if mode is ... else mode)

    def copy(self, order="C") -> "DistributedArray":
        """A copy, chunk by chunk.

        Parameters: order: of no use here."""
        return self._map(lambda a: a.copy())

    def astype(self, dtype, order="K", casting="unsafe", subok=None, copy=True) -> "DistributedArray":
        """The elements as another type. Terms of an operation become replicas first.

        Parameters: dtype: the type; order, casting, subok, copy: as of an ndarray's."""
        x = self.change_mode(_modes.REPLICA)
        return x._map(lambda a: a.astype(dtype, order=order, casting=casting, copy=True), dtype=numpy.dtype(dtype))

    @property
    def real(self) -> DistributedArray:
        """The real parts."""
        return self._part("real")

    @property
    def imag(self) -> DistributedArray:
        """The imaginary parts."""
        return self._part("imag")


    def _part(self, name):
        x = self.change_mode(_modes.REPLICA)
        dtype = numpy.empty(0, self.dtype).real.dtype
        return x._map(lambda a: getattr(a, name).copy(), dtype=dtype)

    def conj(self) -> "DistributedArray":
        """Complex conjugates."""
        return cuprite_ufunc(cuprite.conj, (self,))

    conjugate = conj

    # --- modes ---
    def change_mode(self, mode) -> "DistributedArray":
        """The same array with its overlaps read otherwise; itself, where nothing changes.

        Parameters: mode: REPLICA, SUM, PROD, MAX or MIN."""
        if mode is self._mode:
            return self
        if self._mode is not _modes.REPLICA:
            x = self._map(lambda a: a.copy(), mode=_modes.REPLICA)
            _to_replicas(x, self._mode)
            return x.change_mode(mode)
        if mode.idempotent:
            return self._map(lambda a: a, mode=mode)
        x = self._map(lambda a: a.copy(), mode=mode)
        chunks = x._chunks()
        for i, c in enumerate(chunks):  # the last chunk that has an element keeps it
            for d in chunks[i + 1:]:
                _forget(x._places, c, common(c.ranges, d.ranges), mode)
        return x

    def reshard(self, index_map) -> "DistributedArray":
        """The same array in other chunks.

        Parameters: index_map: for each device an index or a list of them: slices, integers and tuples of them.
        Errors: ValueError where the chunks that there are lack elements, or for a step that is not positive; IndexError
            for an index out of bounds."""
        wanted = _map_of(self._shape, index_map, self._places)
        x, places = self.change_mode(_modes.REPLICA), self._places
        x._covered()
        made = {d: [Chunk(d, r, None, x.dtype) for r in ranges] for d, ranges in wanted.items()}
        for chunks in made.values():
            for c in chunks:
                if places.owns(c.device):
                    with places.device(c.device):
                        c.array = cuprite.empty(lengths(c.ranges), x.dtype)
                for s in _sources(x._chunks(), c):
                    _owners.transfer(places, s, c, common(s.ranges, c.ranges))
        return DistributedArray(self._shape, self._dtype, made, _modes.REPLICA).change_mode(self._mode)

    def _covered(self):
        if not is_covered(self._shape, [c.ranges for c in self._chunks()]):
            raise ValueError("the index map does not have all elements")

    def get(self, stream=None, order="C", out=None, blocking=True) -> numpy.ndarray:
        """The whole as a numpy.ndarray; on every rank.

        Parameters: stream, blocking: of no use here; order: 'C', 'F' or 'A'; out: a numpy.ndarray that gets it.
        Errors: ValueError where the chunks lack elements or out has another shape; TypeError where out is no array."""
        if out is not None and not isinstance(out, numpy.ndarray):
            raise TypeError(f"Only numpy.ndarray can be obtained from a DistributedArray, not {type(out).__name__}")
        if out is not None and (out.shape != self._shape or out.dtype != self._dtype):
            raise ValueError(f"out has shape {out.shape} and dtype {out.dtype}; {self._shape} and {self._dtype} are "
                             "needed")
        x, places = self.change_mode(_modes.REPLICA), self._places
        x._covered()
        result = numpy.empty(self._shape, self._dtype, order="F" if order == "F" else "C") if out is None else out
        for c in x._chunks():
            part = c.array
            if places.group is not None:
                shape = lengths(c.ranges)
                part = cuprite.empty(shape, c.dtype) if part is None else cuprite.ascontiguousarray(part).reshape(shape)
                if part.size:
                    places.group.broadcast(part, c.device)
            result[slices_of(c.ranges)] = part.get()
        return result

    # --- what is computed ---
    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        name = ufunc.__name__
        ours = getattr(cuprite, name, None)
        if method == "__call__" and name == "matmul":
            return matmul(*inputs, **options)
        if method == "reduce" and name in _OF_UFUNC:
            return getattr(inputs[0], _OF_UFUNC[name])(**{"axis": 0, **options})
        if method != "__call__" or not isinstance(ours, cuprite.ufunc):
            return NotImplemented
        if options.get("out") is not None or options.get("where", True) is not True:
            raise RuntimeError("Argument `out` and `where` are not supported")
        return cuprite_ufunc(ours, inputs, **{k: v for k, v in options.items() if k not in ("out", "where")})

    def __cupy_override_elementwise_kernel__(self, kernel, *args, **options):
        """What cuprite's ufuncs and elementwise kernels return of distributed arrays: themselves, chunk by chunk."""
        if getattr(kernel, "__name__", None) == "matmul":
            return matmul(*args, **options)
        if options.pop("out", None) is not None or options.pop("where", True) is not True:
            raise RuntimeError("Argument `out` and `where` are not supported")
        if getattr(kernel, "nout", 1) == 1 and len(args) > kernel.nin:
            raise RuntimeError("Argument `out` and `where` are not supported")
        return cuprite_ufunc(kernel, args, **options)

    def __array_function__(self, function, types, args, kwargs):
        name = {"amax": "max", "amin": "min"}.get(function.__name__, function.__name__)
        if name in (*_REDUCTIONS, "mean") and args and isinstance(args[0], DistributedArray):
            return getattr(args[0], name)(*args[1:], **kwargs)
        return NotImplemented

    def _reduce(self, name, axis, dtype, out, keepdims):
        mode = _REDUCTIONS[name]
        if out is not None:
            raise RuntimeError("Argument `out` is not supported")
        axes = tuple(range(self.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        axes = numpy.lib.array_utils.normalize_axis_tuple(axes, self.ndim)
        if mode.idempotent and self.size == 0:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        x = self.change_mode(mode)
        options = {} if dtype is None or mode.idempotent else {"dtype": dtype}
        made = getattr(numpy.empty((1,) * self.ndim, self._dtype), name)(axis=axes, **options).dtype

        def kept(values):
            return tuple(range(1) if i in axes and isinstance(v, range) else 1 if i in axes else v
                         for i, v in enumerate(values) if keepdims or i not in axes)

        def reduced(a):
            if mode.idempotent and any(a.shape[i] == 0 for i in axes):
                return cuprite.full([1 if i in axes else n for i, n in enumerate(a.shape) if keepdims or i not in axes],
                                    mode.identity(made), made)
            return cuprite.asarray(getattr(a, name)(axis=axes, keepdims=keepdims, **options))
        return x._map(reduced, kept(self._shape), kept, made, mode)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False) -> "DistributedArray":
        """The sum along axes; in mode SUM.

        Parameters: axis: an axis, a tuple of them, or None: all; dtype: of the result; out: None; keepdims: whether the
            axes stay, with a length of 1.
        Errors: RuntimeError for out; AxisError."""
        return self._reduce("sum", axis, dtype, out, keepdims)

    def prod(self, axis=None, dtype=None, out=None, keepdims=False) -> "DistributedArray":
        """The product along axes; in mode PROD.

        Parameters: axis: an axis, a tuple of them, or None: all; dtype: of the result; out: None; keepdims: whether the
            axes stay, with a length of 1.
        Errors: RuntimeError for out; AxisError."""
        return self._reduce("prod", axis, dtype, out, keepdims)

    def max(self, axis=None, out=None, keepdims=False) -> "DistributedArray":
        """The greatest elements along axes; in mode MAX.

        Parameters: axis: an axis, a tuple of them, or None: all; out: None; keepdims: whether the axes stay, with a
            length of 1.
        Errors: RuntimeError for out; AxisError; ValueError where there is no element."""
        return self._reduce("max", axis, None, out, keepdims)

    def min(self, axis=None, out=None, keepdims=False) -> "DistributedArray":
        """The least elements along axes; in mode MIN.

        Parameters: axis: an axis, a tuple of them, or None: all; out: None; keepdims: whether the axes stay, with a
            length of 1.
        Errors: RuntimeError for out; AxisError; ValueError where there is no element."""
        return self._reduce("min", axis, None, out, keepdims)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False) -> "DistributedArray":
        """The mean along axes: the sum, divided by the number of elements.

        Parameters: axis: an axis, a tuple of them, or None: all; dtype: of the result; out: None; keepdims: whether the
            axes stay, with a length of 1.
        Errors: RuntimeError for out; AxisError."""
        if dtype is None:
            dtype = numpy.float64 if self._dtype.kind in "biu" else self._dtype
        total = self._reduce("sum", axis, dtype, out, keepdims)
        return cuprite_ufunc(cuprite.true_divide, (total, self.size // max(1, total.size)))


def _absent(name):
    def method(self, *args, **kwargs):
        raise NotImplementedError(f"DistributedArray.{name}: of the chunks, `all_chunks()` has the arrays; `get()` "
                                  "gives the whole")
    method.__name__, method.__doc__ = name, "Not there: NotImplementedError, as in CuPy."
    return method


def _not_in_place(name):
    """`a += b` is `a = a + b`: an array is not changed."""
    operator = getattr(numpy.lib.mixins.NDArrayOperatorsMixin, f"__{name}__")
    return lambda self, other: operator(self, other)


for _name in "add sub mul matmul truediv floordiv mod pow lshift rshift and xor or".split():
    setattr(DistributedArray, f"__i{_name}__", _not_in_place(_name))
for _name in _ABSENT:
    setattr(DistributedArray, _name, _absent(_name))
for _name in _ABSENT_VALUES:
    setattr(DistributedArray, _name, property(_absent(_name), doc="Not there: NotImplementedError, as in CuPy."))


def _sources(chunks, target):
    """Chunks that a new one is made of: those on its own device alone, where they have all of it."""
    near = [c for c in chunks if common(c.ranges, target.ranges) is not None]
    here = [c for c in near if c.device == target.device]
    for some in (here, *([c] for c in near)):
        parts = [tuple(range(s.start, s.stop, s.step) for s in within(common(c.ranges, target.ranges), target.ranges))
                 for c in some]
        if some and is_covered(lengths(target.ranges), parts):
            return some
    return near


def _forget(places, chunk, region, mode):
    """A chunk's part becomes the identity: another has it."""
    if region is not None and places.owns(chunk.device):
        with places.device(chunk.device):
            chunk.array[within(region, chunk.ranges)] = mode.identity(chunk.dtype)


def _to_replicas(x, mode):
    """Terms of an operation become its result, in every chunk: first they are brought to the last chunk that has the
    element, then the result from there to the others."""
    chunks = x._chunks()
    for i, c in enumerate(chunks):
        for d in chunks[i + 1:]:
            region = common(c.ranges, d.ranges)
            if region is not None:
                _owners.transfer(x._places, c, d, region, mode.combine)
                _forget(x._places, c, region, mode)
    for j in range(len(chunks) - 1, -1, -1):
        for c in chunks[:j]:
            region = common(c.ranges, chunks[j].ranges)
            if region is not None:
                _owners.transfer(x._places, chunks[j], c, region)


def _fitted(x, shape, like):
    """An operand in the chunks of another, of whose shape it may be a part that is repeated."""
    more = len(shape) - x.ndim

    def ranges(whole):
        return tuple(range(1) if n == 1 else r for n, r in zip(x.shape, whole[more:]))
    wanted = {d: [slices_of(ranges(c.ranges)) for c in cs] for d, cs in like._chunks_map.items()}
    x = x.change_mode(_modes.REPLICA)
    return x if x.index_map == wanted else x.reshard(wanted)


def cuprite_ufunc(ufunc, inputs, **options):
    """An elementwise operation, chunk by chunk.

    Parameters: ufunc: the operation; inputs: DistributedArrays and numbers.
    Errors: RuntimeError for other arrays, and where no operand has the result's shape."""
    arrays = [x for x in inputs if isinstance(x, DistributedArray)]
    for x in inputs:
        if isinstance(x, (cuprite.ndarray, numpy.ndarray)):
            raise RuntimeError("Mixing a distributed array with a non-distributed array is not supported")
    shape = numpy.broadcast_shapes(*(x.shape for x in arrays))
    like = next((x for x in arrays if x.shape == shape), None)
    if like is None:
        raise RuntimeError(f"no operand has the shape {shape} of the result")
    operands = [_fitted(x, shape, like)._chunks() if isinstance(x, DistributedArray) else x for x in inputs]
    places, made, types = like._places, [], None
    for i, c in enumerate(like._chunks()):
        result = None
        if places.owns(c.device):
            with places.device(c.device):
                result = ufunc(*(x[i].array if isinstance(x, list) else x for x in operands), **options)
        made.append(result)
    types = _types_of(ufunc, inputs, options)
    several = len(types) > 1
    results = []
    for k, dtype in enumerate(types):
        chunks = {d: [] for d in like._chunks_map}
        for c, x in zip(like._chunks(), made):
            chunks[c.device].append(Chunk(c.device, c.ranges, x[k] if several and x is not None else x, dtype))
        results.append(DistributedArray(shape, dtype, chunks, _modes.REPLICA))
    return tuple(results) if several else results[0]


def _types_of(ufunc, inputs, options):
    """The results' types, which a rank without chunks has to know too: of one element."""
    with cuprite.cuda.Device():
        small = ufunc(*(cuprite.ones((1,) * x.ndim, x.dtype) if isinstance(x, DistributedArray) else x for x in inputs),
                      **options)
    return [r.dtype for r in (small if isinstance(small, tuple) else (small,))]


def matmul(a, b, out=None, **kwargs) -> DistributedArray:
    """The product of two distributed arrays, matrices in their last two axes. A device multiplies blocks that it has
    both of. The result is in mode SUM.

    Parameters: a, b: DistributedArrays; out: None.
    Errors: RuntimeError where no device has both blocks of a product, for chunks with steps, and for out; ValueError
        for shapes that do not fit; TypeError for other arrays."""
    from cuprite.distributed.array._matmul import product
    return product(DistributedArray, Chunk, a, b, out, **kwargs)


def distributed_array(array, index_map, mode=None) -> DistributedArray:
    """An array in chunks on several devices.

    Parameters: array: anything that asarray takes, or a DistributedArray; of ranks each gives the whole; index_map: for
        each device an index or a list of them: slices, integers and tuples of them; mode: how overlapping chunks are
        read: REPLICA, SUM, PROD, MAX or MIN.
    Errors: ValueError for a step that is not positive or a device that is not there; IndexError.

    Example:
        >>> x = cp.distributed.array.distributed_array(cp.arange(6).reshape(2, 3), {0: slice(0, 1), 1: slice(1, 2)})
        >>> (x + x).sum(axis=0).get()
        array([ 6, 10, 14])
    """
    if isinstance(array, DistributedArray):
        return array.reshard(index_map).change_mode(mode)
    if not isinstance(array, cuprite.ndarray):
        array = numpy.asarray(array)
    places, made = _owners.current(), {}
    for device, indices in _map_of(array.shape, index_map, places).items():
        made[device] = []
        for ranges in indices:
            x = None
            if places.owns(device):
                part, to = array[slices_of(ranges)], places.device(device)
                with to:
                    x = cuprite.array(part) if isinstance(part, numpy.ndarray) or part.device == to else \
                        cuprite.ascontiguousarray(part).to_device(to)
            made[device].append(Chunk(device, ranges, x, array.dtype))
    return DistributedArray(array.shape, array.dtype, made, _modes.REPLICA).change_mode(mode)
