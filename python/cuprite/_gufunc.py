"""GeneralizedUFunc: a function of arrays whose last axes are its own ("core" dimensions, named in a signature), applied
over all others, which broadcast."""
import re

from cuprite._support import _own_asarray

__all__ = ["GeneralizedUFunc"]

_LIST = r"\((?:\w+(?:,\w+)*)?\)"


class GeneralizedUFunc:
    """GeneralizedUFunc(func, "(i,j),(j)->(i)"): func gets arrays, and returns one or a tuple.

    With supports_batched=True it is called once with all axes, its own last, else once for each place of the others.
    With supports_out=True it gets `out`. Calls take out, axes, axis, keepdims, dtype, order and casting as NumPy's.

    Parameters: func: a function of arrays; signature: the axes, a string; name: a string (None: its own); doc: a string
        (None: its own); supports_batched: True or False; supports_out: True or False; signatures: types to convert
        to, or none; try_fastcall_func: a function that is asked first (without effect).
    Errors: ValueError for a signature that is none."""

    def __init__(self, func, signature, *, name=None, doc=None, supports_batched=False, supports_out=False,
                 signatures=None, try_fastcall_func=None):
        packed = signature.replace(" ", "")
        if not re.fullmatch(f"(?:{_LIST}(?:,{_LIST})*)?->{_LIST}(?:,{_LIST})*", packed):
            raise ValueError(f"not a valid gufunc signature: {signature}")
        self.signature, self._func = packed, func
        self._ins, self._outs = ([tuple(filter(None, dims[1:-1].split(","))) for dims in re.findall(_LIST, side)]
                                 for side in packed.split("->"))
        self.__name__ = name or getattr(func, "__name__", "gufunc")
        self.__doc__ = doc or getattr(func, "__doc__", None)
        self._batched, self._takes_out, self._signatures = supports_batched, supports_out, signatures or ()
        self.nin, self.nout = len(self._ins), len(self._outs)

    def _axes(self, axes, axis, keepdims):
        """For each operand, where its own dimensions lie."""
        if axes is not None and axis is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        every = [*self._ins, *self._outs]
        if axis is not None:
            if any(len(dims) > 1 for dims in every):
                raise TypeError(f"{self.__name__}: axis needs operands of one core dimension; use axes")
            axes = [(axis,) if dims else () for dims in every]
        if axes is None:
            return [tuple(range(-len(dims), 0)) for dims in every]
        if len(axes) == self.nin and all(not dims or keepdims for dims in self._outs):
            axes = [*axes, *(axes[0] if keepdims else () for _ in self._outs)]
        if len(axes) != len(every):
            raise ValueError(f"{self.__name__}: axes for {len(every)} operands are needed, {len(axes)} given")
        return [(a,) if hasattr(a, "__index__") else tuple(a) for a in axes]

    def _function_for(self, arrays, dtype):
        """The function, and the types that its arguments are converted to (None: as they are)."""
        import numpy
        for types, function in self._signatures:
            ins = types.split("->")[0]
            if dtype is None and all(numpy.can_cast(a.dtype, t, "safe") for a, t in zip(arrays, ins)):
                return function, ins
        return self._func, None if dtype is None else [dtype] * self.nin

    def _sizes(self, arrays):
        """The batch shape that the arrays broadcast to; checks that dimensions of one name are of one size."""
        import numpy
        sizes, batches = {}, []
        for i, (dims, a) in enumerate(zip(self._ins, arrays)):
            if a.ndim < len(dims):
                raise ValueError(f"{self.__name__}: operand {i} does not have enough dimensions (it has {a.ndim}, "
                                 f"{self.signature} needs {len(dims)})")
            for dim, n in zip(dims, a.shape[a.ndim - len(dims):]):
                if sizes.setdefault(dim, n) != n:
                    raise ValueError(f"{self.__name__}: operand {i} has {n} for the core dimension {dim}, which is "
                                     f"{sizes[dim]}")
            batches.append(a.shape[:a.ndim - len(dims)])
        return numpy.broadcast_shapes(*batches)

    def __call__(self, *args, out=None, axes=None, axis=None, keepdims=False, dtype=None, order="K",
                 casting="same_kind", **kwargs):
        import cuprite
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}: {self.nin} arrays are needed, {len(args)} given")
        if keepdims and any(self._outs):
            raise TypeError(f"{self.__name__}: keepdims is for results without core dimensions")
        arrays = [_own_asarray(a) for a in args]
        function, types = self._function_for(arrays, dtype)
        if types is not None:
            arrays = [a.astype(t, copy=False) for a, t in zip(arrays, types)]
        places = self._axes(axes, axis, keepdims)
        arrays = [cuprite.moveaxis(a, where, tuple(range(-len(where), 0))) if where else a
                  for a, where in zip(arrays, places)]
        batch = self._sizes(arrays)
        if not self._batched or any(a.shape[:a.ndim - len(d)] != batch for a, d in zip(arrays, self._ins)):
            arrays = [cuprite.broadcast_to(a, batch + a.shape[a.ndim - len(d):]) for a, d in zip(arrays, self._ins)]
        outs = (out,) if out is not None and not isinstance(out, tuple) else out
        if self._takes_out and outs is not None and self.nout == 1 and axes is axis is None:
            function(*arrays, out=outs[0], **kwargs)
            return outs[0]
        results = self._batch(function, arrays, batch, kwargs)
        results = [self._placed(r, dims, where, keepdims and places[0], len(batch))
                   for r, dims, where in zip(results, self._outs, places[self.nin:])]
        if outs is not None:
            for o, r in zip(outs, results):
                cuprite.copyto(o, r, casting=casting)
            results = outs
        return results[0] if self.nout == 1 else tuple(results)

    def _batch(self, function, arrays, batch, kwargs):
        import itertools
        import cuprite
        if self._batched or not batch:
            results = function(*arrays, **kwargs)
            return results if self.nout > 1 else (results,)
        rows = []
        for at in itertools.product(*map(range, batch)):
            results = function(*(a[at] for a in arrays), **kwargs)
            rows.append(results if self.nout > 1 else (results,))
        if not rows:
            raise ValueError(f"{self.__name__}: the shape of no results is not known")
        return [cuprite.stack([_own_asarray(r) for r in column]).reshape(batch + column[0].shape)
                for column in zip(*rows)]

    @staticmethod
    def _placed(result, dims, where, kept, batch):
        import cuprite
        if kept:
            return cuprite.expand_dims(result, kept)
        return cuprite.moveaxis(result, tuple(range(-len(dims), 0)), where) if dims and where else result
