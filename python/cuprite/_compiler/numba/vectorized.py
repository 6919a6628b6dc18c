"""numba.vectorize and numba.guvectorize: a function of numbers becomes one of arrays.

The function is a device function; the kernel around it has one thread an element (a loop index of guvectorize). NumPy
arrays come in and go out as NumPy arrays; with target 'cuda' arrays on the device stay there. Targets 'cpu' and
'parallel' run on the CPU device.
"""
import functools
import re

from cuprite._compiler.ast import launch
from cuprite._compiler.ast.elements import Time
from cuprite._compiler.ast.expressions import call_text
from cuprite._compiler.ast.types import VOID, Array, Scalar
from cuprite._compiler.ast.values import Value, as_type
from cuprite._compiler.numba import _types
from cuprite._compiler.numba._host import RULES
from cuprite._compiler.numba._pickled import Pickled
from cuprite._compiler.numba_cuda import _typed, devicearray
from cuprite._compiler.numba.errors import NumbaPerformanceWarning, reported

TARGETS = ("cpu", "parallel", "cuda")
THREADS = 256


def _target(target, word):
    if target not in TARGETS:
        raise ValueError(f"{word}: the target is one of {', '.join(TARGETS)}, not {target!r}")


def vectorize(ftylist_or_function=(), target="cpu", identity=None, **options):
    """A function of numbers that works element by element on arrays of any shapes that broadcast together. Without
    signatures it is compiled for the types that it is given.

    Parameters: ftylist_or_function: signatures, or the function; target: 'cpu', 'parallel' or 'cuda'; identity: the
        value of no elements, or None.
    Errors: TypeError for what is no Python function."""
    _target(target, "vectorize")
    _options_of(options, target)
    if callable(ftylist_or_function) and not _types.is_signature(ftylist_or_function):
        return DeviceUfunc(ftylist_or_function, [], target, identity)
    signatures = _listed(ftylist_or_function) if ftylist_or_function else []

    def decorate(function):
        return DeviceUfunc(getattr(function, "_function", function), signatures, target, identity)
    return decorate


_OPTIONS = ("nopython", "cache", "fastmath", "boundscheck", "error_model", "forceobj", "locals", "nogil", "parallel",
            "writable_args", "debug", "opt", "lineinfo", "max_registers", "inline", "strict", "no_cpython_wrapper")


def _options_of(options, target):
    """Looks at what vectorize is given beside what it knows."""
    other = [n for n in options if n not in _OPTIONS]
    if other:
        raise KeyError(f"Unrecognized options. Only the following options are supported: {', '.join(_OPTIONS)}; "
                       f"given {', '.join(other)}")
    if target == "cuda" and "nopython" in options:
        import warnings
        warnings.warn("nopython kwarg for cuda target is redundant", RuntimeWarning, stacklevel=3)


def _listed(signatures):
    if _types.is_signature(signatures):
        signatures = [signatures]
    return [_types.signature(s) for s in signatures]


def _scalars(types, word):
    out = [_types.to_kernel_type(t) for t in types]
    for t in out:
        if not isinstance(t, (Scalar, Time)):
            raise TypeError(f"{word}: the types of a signature are numbers")
    return tuple(out)


class _OnDevice(Pickled):
    """What both kinds share: arguments to the device that the target means, results back."""

    def _device(self):
        import contextlib
        from cuprite.cuda import Device
        return Device("cpu") if self._target != "cuda" else contextlib.nullcontext()

    @staticmethod
    def _back(x, stays):
        """A result as what was given: on the device, or a NumPy array (a number when it has no dimension)."""
        if stays:
            return devicearray.DeviceNDArray(x)
        if isinstance(x, _typed.TypedArray):
            return x.get()[()]
        out = x.get()
        return out if out.ndim else out[()]


def _inputs(args):
    """(arrays or NumPy scalars, whether something lies on the device)"""
    import numpy
    stays = any(devicearray.lies_there(a) for a in args)
    out = []
    for a in args:
        if devicearray.lies_there(a):
            out.append(devicearray.ours(a))
        else:
            out.append(a if isinstance(a, (bool, int, float, complex)) else numpy.asarray(a))
    return out, stays


class DeviceUfunc(_OnDevice):
    """A function made by vectorize.

    Parameters: function: the function; signatures: its signatures, or none; target: 'cpu', 'parallel' or 'cuda';
        identity: the value of no elements, or None.
    Errors: TypeError for what is no Python function and signatures of another number of arguments."""

    def __init__(self, function, signatures, target="cuda", identity=None):
        if not hasattr(function, "__code__"):
            raise TypeError(f"vectorize takes a Python function, not {type(function).__name__}")
        self._function, self.py_func, self._given = function, function, signatures
        self._target, self.identity = target, identity
        self._is_device_function, self._rules = True, RULES
        self._made, self._chosen_for = {}, {}
        functools.update_wrapper(self, function)
        self.nin, self.nout = function.__code__.co_argcount, 1
        self._signatures = []
        for s in signatures:
            if len(s.args) != self.nin:
                raise TypeError(f"vectorize: {self.__name__} takes {self.nin} arguments, the signature {s} has "
                                f"{len(s.args)}")
            inputs = _scalars(s.args, "vectorize")
            result = None if s.return_type is None else _scalars([s.return_type], "vectorize")[0]
            self._signatures.append((inputs, result))
            self._compiled(inputs, result, (True,) * self.nin)

    def _options(self):
        return self._given, self._target, self.identity

    @property
    def types(self):
        """The types of the loops, as NumPy writes them."""
        return ["".join(t.dtype.char for t in inputs) + "->" + made.result.dtype.char
                for (inputs, _, _), made in self._made.items() if isinstance(made, _ElementKernel)]

    def _compiled(self, inputs, result, whole):
        """The kernel for input types; whole[k]: argument k is an array and not one number for all."""
        key = (inputs, result, whole)
        if key not in self._made:
            with reported():
                self._made[key] = _ElementKernel(self._function, inputs, result, whole)
        return self._made[key]

    def _loop(self, dtypes):
        """(input types, result) of the loop for arguments; a Python number has its type in place of a dtype."""
        if dtypes not in self._chosen_for:
            self._chosen_for[dtypes] = self._find_loop(dtypes)
        return self._chosen_for[dtypes]

    def _find_loop(self, dtypes):
        import numpy
        weak = {bool: "?", int: "l", float: "d", complex: "D"}
        given = [numpy.dtype(weak[d]) if isinstance(d, type) else d for d in dtypes]
        if not self._signatures:
            return tuple(map(launch.scalar, given)), None
        for casting in ("equiv", "safe", "same_kind"):
            for inputs, result in self._signatures:
                if all(numpy.can_cast(g, t.dtype, casting) or (isinstance(d, type) and t.kind in _FITS[d])
                       for d, g, t in zip(dtypes, given, inputs)):
                    return inputs, result
        if self._target == "cuda":  # a number is converted, whatever it is; arrays are not
            for inputs, result in self._signatures:
                if all(isinstance(d, type) or numpy.can_cast(g, t.dtype, "same_kind")
                       for d, g, t in zip(dtypes, given, inputs)):
                    return inputs, result
        raise TypeError(f"ufunc {self.__name__!r} did not contain a loop with signature matching types "
                        f"{', '.join(map(str, given))}")

    def __call__(self, *args, out=None, stream=0, dtype=None, casting="same_kind"):
        if len(args) == self.nin + 1 and out is None:
            *args, out = args
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments, not {len(args)}")
        out = out[0] if isinstance(out, tuple) else out
        with devicearray.using(stream), self._device():
            inputs, stays = _inputs(args)
            on_device = out is not None and devicearray.lies_there(out)
            result = self._run(inputs, devicearray.ours(out) if on_device else None)
            if dtype is not None:
                result = result.astype(dtype)
            if out is None:
                return self._back(result, stays)
            if devicearray.lies_there(out):
                return _known_array(out)
            out[...] = result.get()
            return out

    def _run(self, inputs, out=None):
        import cuprite
        import numpy
        if self._target == "cuda":
            inputs = [x.item() if isinstance(x, (numpy.ndarray, numpy.generic)) and not x.ndim and
                      x.dtype.kind not in "mM" else x for x in inputs]
        dtypes = tuple([x.dtype if hasattr(x, "dtype") else type(x) for x in inputs])
        types, result = self._loop(dtypes)
        shape = numpy.broadcast_shapes(*(getattr(x, "shape", ()) for x in inputs))
        if out is not None and out.shape != shape:
            raise ValueError(f"{self.__name__}: the result has the shape {shape}, out {out.shape}")
        whole = tuple([getattr(x, "shape", ()) != () for x in inputs])
        arrays = []
        for x, t, w in zip(inputs, types, whole):
            if not w and isinstance(t, Time):
                arrays.append(numpy.asarray(x, t.dtype)[()])
                continue
            if not w:
                arrays.append(x.item() if hasattr(x, "item") else x)
                continue
            if isinstance(t, Time):
                x = _typed.times(x, t.dtype)
            else:
                x = x if isinstance(x, cuprite.ndarray) else cuprite.asarray(x)
                x = x.astype(t.dtype, copy=False) if x.dtype != t.dtype else x
            arrays.append(cuprite.ascontiguousarray(x if x.shape == shape else cuprite.broadcast_to(x, shape)))
        made = self._compiled(types, result, whole)
        times = isinstance(made.result, Time)
        fits = out is not None and out._c_contiguous and out.dtype == made.result.dtype
        y = out if fits else cuprite.empty(shape, "i8" if times else made.result.dtype)
        if y.size:
            made.launch((-(-y.size // THREADS),), (THREADS,), (*arrays, y, y.size))
        if times and not fits:
            y = _typed.of_times(y, made.result.dtype)
        if out is not None and not fits:
            out[...] = y
        return y if out is None else out

    def fold(self, x, init=None):
        """The reduction of a 1-d array on the device, in halves; a 0-d array. `init` is combined last.

        Parameters: x: a 1-d array; init: a number or None.
        Errors: ValueError for no elements without `init`."""
        import cuprite
        while x.size > 1:
            half = x.size // 2
            y = self._run([x[:half], x[half:2 * half]])
            y = y.astype(x.dtype, copy=False)
            if x.size % 2:
                y[:1] = self._run([y[:1], x[2 * half:]]).astype(x.dtype, copy=False)
            x = y
        if x.size == 0:
            if init is None:
                raise ValueError("zero-size array to reduction operation which has no identity")
            return cuprite.asarray(init)
        if init is not None:
            x = self._run([x, init]).astype(x.dtype, copy=False)
        return x[0]

    def _folded(self, x, partial):
        """The rows of x reduced from the first to the last, as NumPy's ufuncs do; with `partial` all partial results.
        On the CPU, where a thread does a column."""
        import cuprite
        types, result = self._loop((x.dtype,) * 2)
        key = (types, result, partial)
        if key not in self._made:
            with reported():
                self._made[key] = _FoldKernel(self._function, types, result, partial)
        made = self._made[key]
        rows, lanes = x.shape[0], _product(x.shape[1:])
        x = cuprite.ascontiguousarray(x.astype(made.result.dtype, copy=False))
        y = cuprite.empty(x.shape if partial else x.shape[1:], made.result.dtype)
        if lanes and rows:
            made.launch((-(-lanes // THREADS),), (THREADS,), (x, y, rows, lanes))
        return y

    def reduce(self, array, axis=0, out=None, stream=0, keepdims=False):
        """The reduction by the function along an axis; with target 'cuda' in halves, so that it must be associative.

        Parameters: array: an array; axis: an axis; out: an array that takes the result; stream: a stream, or 0;
            keepdims: True: the axis stays, with length 1.
        Errors: ValueError for functions of other than two arguments, and for no elements without an identity."""
        import cuprite
        import numpy
        if self.nin != 2:
            raise ValueError("reduce only supported for binary functions")
        with devicearray.using(stream), self._device():
            stays = devicearray.lies_there(array)
            x = devicearray.ours(array) if stays else cuprite.asarray(numpy.asarray(array))
            if axis is None:
                x, axis = x.ravel(), 0
            axis = axis + x.ndim if axis < 0 else axis
            x = cuprite.swapaxes(x, 0, axis) if x.ndim > 1 else x
            if x.shape[0] == 0 and self.identity is None:
                raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
            if x.shape[0] == 0:
                types, result = self._loop((x.dtype,) * 2)
                y = cuprite.full(x.shape[1:], self.identity, (result or types[0]).dtype)
            elif self._target != "cuda":
                y = self._folded(x, False)
            else:
                y = self._reduce_rows(x) if x.ndim > 1 else self.fold(x)
            if x.ndim > 1 or keepdims:
                y = cuprite.swapaxes(y.reshape((1,) + y.shape), 0, axis)
                y = y if keepdims else y.squeeze(axis)
            if out is None:
                return self._back(y, stays and y.ndim)
            out[...] = y if devicearray.lies_there(out) else y.get()
            return out

    def _reduce_rows(self, x):
        dtype = x.dtype
        while x.shape[0] > 1:
            half = x.shape[0] // 2
            y = self._run([x[:half], x[half:2 * half]]).astype(dtype, copy=False)
            if x.shape[0] % 2:
                y[:1] = self._run([y[:1], x[2 * half:]]).astype(dtype, copy=False)
            x = y
        return x[0]

    def accumulate(self, array, axis=0, stream=0):
        """All partial reductions along an axis; with target 'cuda' in doubling steps, so that the function must be
        associative.

        Parameters: array: an array; axis: an axis; stream: a stream, or 0."""
        import cuprite
        import numpy
        with devicearray.using(stream), self._device():
            stays = devicearray.lies_there(array)
            x = devicearray.ours(array).copy() if stays else cuprite.array(numpy.asarray(array))
            y = cuprite.swapaxes(x, 0, axis)
            if self._target != "cuda":
                return self._back(cuprite.swapaxes(self._folded(y, True), 0, axis), stays)
            step = 1
            while step < y.shape[0]:
                y[step:] = self._run([y[:-step].copy(), y[step:].copy()]).astype(x.dtype, copy=False)
                step *= 2
            return self._back(x, stays)

    def outer(self, a, b, stream=0):
        """The function of every element of a with every one of b.

        Parameters: a: an array; b: an array; stream: a stream, or 0."""
        import numpy
        a = a if devicearray.lies_there(a) else numpy.asarray(a)
        return self(a.reshape(a.shape + (1,) * numpy.ndim(b)), b, stream=stream)

    def __repr__(self):
        return f"<numba vectorized {self.__name__}, target {self._target!r}>"


_FITS = {bool: "biufc", int: "iufc", float: "fc", complex: "c"}


class _ElementKernel(launch.Compiled):
    """out[i] = f(x[i], ...) for i < n."""

    def __init__(self, function, inputs, result, whole):
        self.result = result
        self._inputs, self._whole = inputs, whole
        values = [launch.array_value(Array(t, 1, "C")) if w else Value(t, "?") for t, w in zip(inputs, whole)]
        values += [launch.array_value(Array(result or inputs[0], 1, "C")), Value(launch.INT64, "?")]
        super().__init__(function, RULES, values, body=self._body)

    def _body(self, unit, function, name, values, kernel):
        heads, arguments = [], []
        for k, (t, w) in enumerate(zip(self._inputs, self._whole)):
            unit.need_type(t)
            heads.append((f"const {t.c} *x{k}", (k, "data")) if w else (f"{t.c} x{k}", (k,)))
            arguments.append(Value(t, f"x{k}[i]" if w else f"x{k}"))
        called, given = unit.device_function(function, RULES, arguments)
        if not isinstance(given, (Scalar, Time)):
            raise TypeError(f"{function.__name__} must return a number")
        self.result = self.result or given
        unit.need_type(self.result)
        last = len(self._inputs)
        heads += [(f"{self.result.c} *y", (last, "data")), ("long long n", (last + 1,))]
        call = Value(given, call_text(unit, called, arguments))
        return heads, ["    bool raised = false;"] * (called in unit.raisers) + [
                       "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
                       f"    if (i < n) y[i] = {as_type(call, self.result)};"]


class _FoldKernel(launch.Compiled):
    """y[j] = f(f(x[0, j], x[1, j]), ...), or all that is on the way, for j < lanes."""

    def __init__(self, function, inputs, result, partial):
        self.result, self._inputs, self._partial = result, inputs, partial
        array = launch.array_value(Array(inputs[0], 1, "C"))
        super().__init__(function, RULES, [array, array, Value(launch.INT64, "?"), Value(launch.INT64, "?")],
                         body=self._body)

    def _body(self, unit, function, name, values, kernel):
        t = self.result or self._inputs[0]
        arguments = [Value(a, as_type(Value(t, code), a)) for a, code in zip(self._inputs, ("sum", "x[k * lanes + j]"))]
        called, given = unit.device_function(function, RULES, arguments)
        if not isinstance(given, Scalar):
            raise TypeError(f"{function.__name__} must return a number")
        if self.result is None and given is not t:  # what it gives goes in again
            self.result = given
            return self._body(unit, function, name, values, kernel)
        self.result = t
        unit.need_type(t)
        call = as_type(Value(given, call_text(unit, called, arguments)), t)
        first, each, last = "", "", " y[j] = sum;"
        if self._partial:
            first, each, last = "y[j] = sum;", " y[k * lanes + j] = sum;", ""
        heads = [(f"const {t.c} *x", (0, "data")), (f"{t.c} *y", (1, "data")), ("long long n", (2,)),
                 ("long long lanes", (3,))]
        stop = " if (raised) return;" * (called in unit.raisers)
        return heads, ["    bool raised = false;"] * bool(stop) + [
                       "    long long j = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
                       "    if (j < lanes) {", f"        {t.c} sum = x[j];", f"        {first}",
                       f"        for (long long k = 1; k < n; k++) {{ sum = {call};{stop}{each} }}",
                       f"       {last}", "    }"]


def guvectorize(ftylist, signature=None, target="cpu", **options):
    """A function of arrays of fixed dimensions, such as '(m,n),(n)->(m)', becomes one that loops over further ones. The
    function writes its results into its last arguments.

    Parameters: ftylist: a list of signatures; signature: the layout, a string; target: 'cpu', 'parallel' or 'cuda'.
    Errors: TypeError for signatures that do not fit the layout."""
    _target(target, "guvectorize")
    if options.get("nopython", True) is not True:
        raise TypeError("nopython flag must be True")
    other = [n for n in options if n not in _OPTIONS and n != "identity"]
    if other:
        raise TypeError(f"The following target options are not supported: {', '.join(map(repr, other))}")
    if isinstance(ftylist, str) and signature is None:
        ftylist, signature = [], ftylist
    signatures = _listed(ftylist)
    _parse(signature)

    def decorate(function):
        return DeviceGUfunc(getattr(function, "_function", function), signatures, signature, target)
    return decorate


def _parse(layout):
    """'(m,n),(n)->(m)' as ([('m', 'n'), ('n',)], [('m',)])"""
    compact = layout.replace(" ", "")
    group = r"\((?:\w+(?:,\w+)*)?\)"
    if not re.fullmatch(rf"{group}(?:,{group})*->{group}(?:,{group})*", compact):
        raise ValueError(f"guvectorize: {layout!r} is not a layout such as '(m,n),(n)->(m)'")
    sides = compact.split("->")
    inputs, outputs = ([tuple(n for n in g[1:-1].split(",") if n) for g in re.findall(group, side)] for side in sides)
    known = {n for g in inputs for n in g}
    for n in (n for g in outputs for n in g):
        if n not in known and not n.isdigit():
            raise ValueError(f"guvectorize: the dimension {n!r} of a result is in no argument")
    return inputs, outputs


class DeviceGUfunc(_OnDevice):
    """A function made by guvectorize.

    Parameters: function: the function; signatures: its signatures; layout: its layout; target: 'cpu', 'parallel' or
        'cuda'.
    Errors: TypeError for signatures that do not fit the layout."""

    def __init__(self, function, signatures, layout, target):
        self._function, self.py_func, self._given = function, function, signatures
        self._target, self.signature = target, layout
        self._ins, self._outs = _parse(layout)
        functools.update_wrapper(self, function)
        self._made, self._signatures = {}, []
        count = len(self._ins) + len(self._outs)
        for s in signatures:
            if s.return_type not in (None, _types.void):
                raise TypeError(f"guvectorized functions cannot return values: signature {s} specifies {s.return_type} "
                                "return type")
            if len(s.args) != count:
                raise TypeError(f"guvectorize: the layout {layout} has {count} arguments, the signature {s} "
                                f"{len(s.args)}")
            self._signatures.append(self._checked(tuple(map(_types.to_kernel_type, s.args))))
            self._compiled(self._signatures[-1])

    def _options(self):
        return self._given, self.signature, self._target

    def _checked(self, types):
        for t, core in zip(types, self._ins + self._outs):
            ndim = t.ndim if isinstance(t, Array) else 0
            if ndim != len(core) and not (ndim == 1 and not core):
                raise TypeError(f"guvectorize: {t} in the signature does not fit ({','.join(core)}) in "
                                f"{self.signature}")
        return types

    def _compiled(self, types):
        if types not in self._made:
            with reported():
                self._made[types] = _LoopKernel(self._function, types, self._ins + self._outs)
        return self._made[types]

    def _types_for(self, inputs):
        import numpy
        given = [x.dtype if hasattr(x, "dtype") else numpy.asarray(x).dtype for x in inputs]
        if not self._signatures:
            raise TypeError(f"guvectorize: {self.__name__} has no signatures")
        for casting in ("equiv", "safe", "same_kind"):
            for types in self._signatures:
                dtypes = [(t.dtype if isinstance(t, Array) else t).dtype for t in types]
                if all(numpy.can_cast(g, d, casting) or (not hasattr(x, "dtype") and d.kind in _FITS[type(x)])
                       for x, g, d in zip(inputs, given, dtypes)):
                    return types
        raise TypeError(f"gufunc {self.__name__!r} did not contain a loop with signature matching types "
                        f"{', '.join(map(str, given))}")

    def __call__(self, *args, out=None, stream=0):
        count = len(self._ins)
        if len(args) not in (count, count + len(self._outs)):
            raise TypeError(f"gufunc accepts {count} positional arguments (when no positional output arguments are "
                            f"passed) or {count + len(self._outs)} positional arguments (when output arguments are "
                            f"passed). Got {len(args)} positional argument{'s' * (len(args) != 1)}.")
        if len(args) > count and out is not None:
            raise ValueError("cannot specify argument 'out' as both positional and keyword")
        outs = list(args[count:]) or ([] if out is None else list(out) if isinstance(out, tuple) else [out])
        with devicearray.using(stream), self._device():
            inputs, stays = _inputs(args[:count])
            results = self._run(inputs, [_given(o) for o in outs])
            back = []
            for k, y in enumerate(results):
                o = outs[k] if k < len(outs) else None
                if o is None:
                    back.append(self._back(y, stays))
                    continue
                if devicearray.lies_there(o):
                    if (x := devicearray.ours(o)) is not y:
                        x[...] = y.reshape(x.shape)
                    o = _known_array(o)
                else:
                    o[...] = y.get().reshape(o.shape)
                back.append(o)
            return back[0] if len(back) == 1 else tuple(back)

    def _run(self, inputs, outs):
        import cuprite
        import numpy
        types = self._types_for(inputs)
        extents, loops, arrays = {}, [], []
        for x, core, t in zip(inputs, self._ins, types):
            dtype = (t.dtype if isinstance(t, Array) else t).dtype
            if dtype.kind in "mM":
                x = _typed.times(x, dtype)
            else:
                x = x if isinstance(x, cuprite.ndarray) else cuprite.asarray(numpy.asarray(x, dtype))
                x = x.astype(dtype, copy=False)
            if x.ndim < len(core):
                raise ValueError(f"{self.__name__}: an argument has {x.ndim} dimensions, ({','.join(core)}) needs "
                                 f"{len(core)}")
            self._measure(core, x.shape[x.ndim - len(core):], extents)
            loops.append(x.shape[:x.ndim - len(core)])
            arrays.append(x)
        loop = numpy.broadcast_shapes(*loops)
        total, steps = 1, []
        for n in loop:
            total *= n
        for k, (x, core) in enumerate(zip(arrays, self._ins)):
            one = all(n == 1 for n in loops[k])
            shape = x.shape[x.ndim - len(core):]
            if not one and loops[k] != loop:
                x = cuprite.broadcast_to(x, loop + shape)
            arrays[k] = cuprite.ascontiguousarray(x)
            steps.append(0 if one else _product(shape))
        results = []
        for k, (core, t) in enumerate(zip(self._outs, types[len(self._ins):])):
            dtype = (t.dtype if isinstance(t, Array) else t).dtype
            shape = tuple(extents[n] if n in extents else int(n) for n in core)
            given = outs[k] if k < len(outs) else None
            if dtype.kind in "mM":
                y = cuprite.empty(loop + shape, "i8")
            elif given is not None:
                if given.shape == shape and _product(loop) == 1:  # a loop of one turn
                    given = given.reshape(loop + shape)
                y = cuprite.ascontiguousarray(given).astype(dtype, copy=False)
                if y.shape != loop + shape:
                    raise ValueError(f"{self.__name__}: the result has the shape {loop + shape}, out {y.shape}")
            else:
                y = cuprite.empty(loop + shape, dtype)
            results.append(y)
            steps.append(_product(shape))
        if total:
            cores = [extents[n] for n in self._names()]
            arguments = (*arrays, *results, *steps, *cores, total)
            _few_blocks(-(-total // THREADS))
            self._compiled(types).launch((-(-total // THREADS),), (THREADS,), arguments)
        outputs = [(t.dtype if isinstance(t, Array) else t).dtype for t in types[len(self._ins):]]
        return [_typed.of_times(y, d) if d.kind in "mM" else y for y, d in zip(results, outputs)]

    def _names(self):
        return sorted({n for core in self._ins + self._outs for n in core if not n.isdigit()})

    def _measure(self, core, shape, extents):
        for name, n in zip(core, shape):
            expected = int(name) if name.isdigit() else extents.setdefault(name, n)
            if expected != n:
                raise ValueError(f"{self.__name__}: the dimension {name} is {expected} in one argument and {n} in "
                                 "another")

    def __repr__(self):
        return f"<numba guvectorized {self.__name__} {self.signature}, target {self._target!r}>"


def _known_array(x):
    """An array that a result went into; of another library's as one of numba.cuda's."""
    import cuprite
    known = isinstance(x, (devicearray.DeviceNDArray, cuprite.ndarray))
    return x if known else devicearray.DeviceNDArray(devicearray.ours(x))


def _few_blocks(count):
    """Warns of a launch that leaves most of a GPU idle, where numba.config says so."""
    from cuprite._compiler.numba import config
    if config.CUDA_LOW_OCCUPANCY_WARNINGS and count < 128:
        import warnings
        warnings.warn(NumbaPerformanceWarning(f"Grid size {count} will likely result in GPU under-utilization due to "
                                              "low occupancy."), stacklevel=4)


def _given(x):
    import cuprite
    import numpy
    if not devicearray.lies_there(x) and _typed.foreign(numpy.asarray(x).dtype):
        return _typed.from_numpy(numpy.asarray(x))
    return devicearray.ours(x) if devicearray.lies_there(x) else cuprite.array(numpy.asarray(x))


def _product(shape):
    out = 1
    for n in shape:
        out *= n
    return out


class _LoopKernel(launch.Compiled):
    """f(arrays of loop index i) for i < n: every argument has an address and a step for i."""

    def __init__(self, function, types, cores):
        self._types, self._cores = types, cores
        self._names = sorted({n for core in cores for n in core if not n.isdigit()})
        elements = [t.dtype if isinstance(t, Array) else t for t in types]
        values = [launch.array_value(Array(t, 1, "C")) for t in elements]
        values += [Value(launch.INT64, "?") for _ in range(len(types) + len(self._names) + 1)]
        super().__init__(function, RULES, values, body=self._body)

    def _body(self, unit, function, name, values, kernel):
        heads, arguments, count = [], [], len(self._types)
        for k, (t, core) in enumerate(zip(self._types, self._cores)):
            element = t.dtype if isinstance(t, Array) else t
            unit.need_type(element)
            heads.append((f"{element.c} *x{k}", (k, "data")))
            at = f"(x{k} + i * step{k})"
            if isinstance(t, Array):
                n = [int(d) if d.isdigit() else f"extent_{d}" for d in core] or [1]
                arguments.append(Value(Array(element, len(n), "C"), at, n=n))
            else:
                arguments.append(Value(element, f"(*{at})"))
        heads += [(f"long long step{k}", (count + k,)) for k in range(count)]
        heads += [(f"long long extent_{d}", (2 * count + k,)) for k, d in enumerate(self._names)]
        heads += [("long long n", (2 * count + len(self._names),))]
        called, result = unit.device_function(function, RULES, arguments)
        if result is not VOID:
            raise TypeError(f"{function.__name__} must return nothing: it writes its results into its last arguments")
        return heads, ["    bool raised = false;"] * (called in unit.raisers) + [
                       "    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
                       f"    if (i < n) {call_text(unit, called, arguments)};"]
