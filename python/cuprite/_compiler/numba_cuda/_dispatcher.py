"""cuda.jit: kernels and device functions, compiled for the types of their arguments or for those of a signature."""
import enum
import functools
import math
import threading

from cuprite._compiler.ast import launch
from cuprite._compiler.ast.types import VOID, Array, Constant
from cuprite._compiler.numba import _types, config
from cuprite._compiler.numba._host import RULES
from cuprite._compiler.numba._pickled import Pickled
from cuprite._compiler.numba._matching import NARROWS, NEVER, distance
from cuprite._compiler.numba_cuda import _typed
from cuprite._compiler.numba_cuda._linked import Declared, Linked
from cuprite._compiler.numba_cuda.devicearray import (
    DeviceNDArray, fill_record, lies_there, ours, using)
from cuprite._compiler.numba_cuda.args import ArgHint
from cuprite._core import _CUDADriverError
from cuprite._compiler.numba.errors import (
    NumbaInvalidConfigWarning, NumbaPerformanceWarning, TypingError, reported)


def jit(func_or_sig=None, device=False, inline=False, link=(), debug=None, opt=True, lineinfo=False, cache=False,
        fastmath=False, max_registers=None, **options):
    """A kernel, or with device=True a function that kernels call; with one signature or a list of them, or compiled for
    whatever the arguments are."""
    signatures = None
    if isinstance(func_or_sig, list) or _types.is_signature(func_or_sig):
        signatures = [_types.signature(s) for s in (func_or_sig if isinstance(func_or_sig, list) else [func_or_sig])]
        func_or_sig = None
    flags = ("--use_fast_math",) if fastmath is True else ()
    if max_registers:
        flags += (f"--maxrregcount={int(max_registers)}",)
    if options.pop("boundscheck", None):
        raise NotImplementedError("bounds checking is not supported for CUDA: debug=True checks indices")
    debug, opt = _debugged(debug, opt)
    if debug and opt:
        _warn("debug=True with opt=True (the default) is not supported by CUDA. This may result in a crash - set "
              "debug=False or opt=False.", NumbaInvalidConfigWarning)
    if debug and lineinfo:
        _warn("debug and lineinfo are mutually exclusive. Use debug to get full debug info (this disables some "
              "optimizations), or lineinfo for line info only with code generation unaffected.",
              NumbaInvalidConfigWarning)
    if device and isinstance(signatures, list) and link:
        raise ValueError("link keyword invalid for device function")

    def decorate(function):
        if isinstance(function, (Dispatcher,)):
            raise TypeError("A jit decorator was called on an already jitted function. If trying to get to the "
                            f"original python function, use the .py_func attribute. The function: {function!r}")
        return Dispatcher(function, signatures, device, flags, bool(debug), Linked(link))
    return decorate if func_or_sig is None else decorate(func_or_sig)


def _debugged(debug, opt):
    """(debug, opt), with the default of numba.config."""
    return (bool(config.CUDA_DEBUGINFO_DEFAULT) if debug is None else bool(debug)), bool(opt)


def _warn(text, kind):
    import warnings
    warnings.warn(kind(text), stacklevel=4)


def declare_device(name, sig):
    """The name and the types of a function of CUDA C++, in a file that the kernel links (cuda.jit(link='NAME.cu')). It
    writes what it returns to its first parameter, and returns 0."""
    sig = _types.signature(sig)
    if sig.return_type is None:
        raise TypeError("Return type must be provided for device declarations")
    return Declared(name, sig)


def compile_ptx(*args, **kwargs):
    """Kernels are compiled by way of CUDA C++; their PTX is not given away."""
    raise NotImplementedError("the kernel is compiled by way of CUDA C++: kernel.inspect_source() has its source")


compile = compile_for_current_device = compile_ptx_for_current_device = compile_ptx


class Dispatcher(Pickled):
    """A function of cuda.jit: kernel[blocks, threads, stream, sharedmem](*args), kernel.forall(n)(*args)."""
    _rules = RULES
    _is_device_function = True

    def __init__(self, function, signatures=None, device=False, flags=(), checked=False, linked=None):
        self._function = self.py_func = function
        self._device, self._flags, self._checked, self._linked = device, tuple(flags), checked, linked
        self._made, self._fast, self._configured = {}, {}, {}
        self._given = signatures
        self._signatures, self._results, self.specialized = None, None, False
        self.specializations, self.extensions, self._locked = {}, [], threading.Lock()
        functools.update_wrapper(self, function)
        if signatures is not None:
            for s in signatures:
                if not device and s.return_type not in (None, _types.void):
                    raise TypeError(f"CUDA kernel must have void return type: {self.__name__} has {s.return_type}")
            self._signatures = [tuple(map(_types.to_kernel_type, s.args)) for s in signatures]
            self._results = [s.return_type and _types.to_kernel_type(s.return_type) for s in signatures]
            self.specialized = len(signatures) == 1
            if not device:
                for types in self._signatures:
                    self._compiled(types)

    def _options(self):
        return self._given, self._device, self._flags, self._checked, self._linked

    def __getitem__(self, configuration) -> "_Configured":
        key = configuration
        try:
            made = self._configured.get(key)
        except TypeError:
            key = made = None
        if made is None:
            if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
                raise ValueError("must specify at least the griddim and blockdim")
            made = _Configured(self, *configuration)
            if key is not None and len(self._configured) < 64:
                self._configured[key] = made
        return made

    def configure(self, griddim, blockdim, stream=0, sharedmem=0) -> "_Configured":
        """What self[griddim, blockdim, stream, sharedmem] is."""
        return _Configured(self, griddim, blockdim, stream, sharedmem)

    def forall(self, ntasks, tpb=0, stream=0, sharedmem=0):
        """A launch for at least `ntasks` threads in one dimension."""
        if ntasks < 0:
            raise ValueError(f"Can't create ForAll with negative task count: {ntasks}")
        threads = tpb or 256
        if ntasks == 0:
            return lambda *args: None
        return _Configured(self, -(-ntasks // threads), threads, stream, sharedmem)

    def __call__(self, *args):
        if self._device:
            raise RuntimeError(f"{self.__name__} is a device function: kernels call it")
        raise ValueError(f"Kernel launch configuration was not specified. Use the syntax:\n\n{self.__name__}"
                         "[blockspergrid, threadsperblock](<arguments>)")

    _by_signature = property(lambda self: None if self._signatures is None else self._best)

    def _best(self, types):
        """(types of the arguments, type of the result) of a call from a kernel, by the signatures."""
        best = min(range(len(self._signatures)), key=lambda k: distance(self._signatures[k], tuple(types)))
        wanted = self._signatures[best]
        if distance(wanted, tuple(types)) >= NEVER:
            raise TypeError(f"Invalid use of type({self!r}) with parameters ({', '.join(map(_name, types))})\nKnown "
                            "signatures:\n" + "\n".join(f" * ({', '.join(map(_name, s))})" for s in self._signatures))
        return wanted, self._results[best]

    def _compiled(self, types):
        with self._locked:
            return self._compiled_once(types)

    def _compiled_once(self, types):
        if types not in self._made:
            with reported():
                self._made[types] = launch.Compiled(self._function, RULES, launch.values_of(types, [None] * len(types)),
                                                    self._flags, checked=self._checked, linked=self._linked)
        return self._made[types]

    def _chosen(self, args):
        """The kernel for these arguments (arrays on the device, numbers, tuples)."""
        import cuprite
        types = tuple([Constant(a) if isinstance(a, type) else launch.type_of_argument(a, RULES, cuprite.ndarray)
                       for a in args])
        if self._signatures is None:
            return self._compiled(types)
        types = tuple([RULES.constant(t.value.value) if isinstance(t, Constant) and isinstance(t.value, enum.Enum)
                       else t for t in types])
        found = sorted(((distance(s, types), s) for s in self._signatures), key=lambda pair: pair[0])
        best = found[0]
        if len(found) > 1 and best[0] == found[1][0] and best[0] < NEVER and best[0] >= NARROWS:
            both = "\n".join(f"({', '.join(map(_long_name, s))}) -> none" for _, s in found[:2])
            raise TypeError(f"Ambiguous overloading for {self._function!r} ({', '.join(map(_long_name, types))}):\n"
                            + both)
        if best[0] >= NEVER:
            raise TypeError(f"No matching definition for argument type(s) {', '.join(map(_name, types))} in "
                            f"{self.__name__}, which has {self.signatures}")
        return self._compiled(tuple(a if isinstance(a, Array) else s for s, a in zip(best[1], types)))

    def launch(self, grid, block, stream, sharedmem, args):
        """Issues the kernel; NumPy arrays are copied to the device and back."""
        import numpy
        with using(stream):
            back, given, key = [], [], []
            if self.extensions:
                args = self._prepared(args, stream)
            for a in args:
                if type(a) is DeviceNDArray:
                    x = a._x
                    k = a._key or _array_key(a)
                else:
                    x, k = _argument(a, back)
                given.append(x)
                key.append(k)
            key = tuple(key)
            made = self._fast.get(key)
            if made is None:
                if self._device:
                    raise RuntimeError("Cannot compile a device function as a kernel: "
                                       f"{self.__name__} is one, which kernels call")
                made = self._fast[key] = self._chosen(given)
            if config.CUDA_LOW_OCCUPANCY_WARNINGS and grid[0] * math.prod(grid[1:]) < 128:
                _warn(f"Grid size {math.prod(grid)} will likely result in GPU under-utilization due to low occupancy.",
                      NumbaPerformanceWarning)
            if config.CUDA_WARN_ON_IMPLICIT_COPY and any(_copied(array) for array, _ in back):
                _warn("Host array used in CUDA kernel will incur copy overhead to/from device.",
                      NumbaPerformanceWarning)
            try:
                made.launch(grid, block, given, sharedmem)
            except _CUDADriverError as e:
                from cuprite._compiler.numba_cuda.cudadrv import error
                raise error.LaunchError(*e.args) from None
            for array, x in back:
                if isinstance(array, numpy.void):
                    fill_record(array, x.get())
                else:
                    array[...] = x.get()

    def _prepared(self, args, stream):
        """The arguments as the extensions, the last first, make them."""
        import numpy
        out = []
        for a in args:
            host = isinstance(a, (numpy.ndarray, numpy.generic, int, float, complex, tuple)) or lies_there(a)
            t = _types.typeof(a) if host else None
            for extension in reversed(self.extensions):
                t, a = extension.prepare_args(t, a, stream=stream, retr=[])
            out.append(a)
        return out

    def specialize(self, *args) -> "Dispatcher":
        """This kernel for the types of these arguments only; the same one whenever it is asked for."""
        if self.specialized:
            raise RuntimeError("Dispatcher already specialized")
        types = tuple([a if isinstance(a, _types.Type) else _types.typeof(a) for a in args])
        if types not in self.specializations:
            self.specializations[types] = Dispatcher(self._function, [_types.Signature(None, types)], self._device,
                                                     self._flags, self._checked, self._linked)
        return self.specializations[types]

    def compile(self, sig):
        """Compiles for a signature now."""
        types = tuple(map(_types.to_kernel_type, _types.signature(sig).args))
        return self._compiled(types)

    def recompile(self) -> None:
        """Compiles again for all types that it was compiled for: globals and closures count as they are now."""
        with self._locked:
            known, self._made = list(self._made), {}
            self._fast.clear()
            for types in known:
                self._compiled_once(types)

    @property
    def signatures(self):
        """The types of arguments that it was compiled for, or that it was given."""
        known = list(self._made) if self._signatures is None else self._signatures
        return [tuple(map(_types.of_kernel_type, types)) for types in known]

    @property
    def overloads(self):
        """Argument types -> the compiled kernel, whose `source` is its CUDA C++."""
        return {tuple(map(_types.of_kernel_type, types)): made for types, made in self._made.items()}

    def inspect_types(self, file=None) -> None:
        """Prints the types that the kernel was compiled for, with its text in CUDA C++."""
        for types, made in self.overloads.items():
            print(f"{self.__name__} {types}\n{'-' * 80}\n{made.source}", file=file)

    def inspect_source(self):
        """Argument types -> the source in CUDA C++."""
        return {types: made.source for types, made in self.overloads.items()}

    targetoptions = property(lambda self: {"device": self._device, "debug": self._checked,
                                           "fastmath": "--use_fast_math" in self._flags},
                             doc="The options of cuda.jit.")

    def _asked(self, attribute, signature):
        """An attribute of the compiled kernel; without a signature a dict of all, or that of the only one."""
        if signature is None and self.specialized:
            return self._made[self._signatures[0]].attribute(attribute)
        if signature is None:
            return {types: made.attribute(attribute) for types, made in self.overloads.items()}
        types = tuple(map(_types.to_kernel_type, getattr(signature, "args", signature)))
        return self._made[types].attribute(attribute)

    def get_regs_per_thread(self, signature=None):
        """Registers that a thread needs."""
        return self._asked("num_regs", signature)

    def get_shared_mem_per_block(self, signature=None):
        """Bytes of static shared memory."""
        return self._asked("shared_size_bytes", signature)

    def get_local_mem_per_thread(self, signature=None):
        """Bytes of memory of a thread's own."""
        return self._asked("local_size_bytes", signature)

    def get_const_mem_size(self, signature=None):
        """Bytes of constant memory."""
        return self._asked("const_size_bytes", signature)

    def get_max_threads_per_block(self, signature=None):
        """The largest block that it can be launched with."""
        return self._asked("max_threads_per_block", signature)

    def inspect_sass(self, signature=None):
        """Not there: kernels are compiled by way of CUDA C++."""
        if self._device:
            raise RuntimeError("Cannot inspect SASS of a device function")
        self._no_code(signature)

    def _no_code(self, signature=None):
        """Not there: kernels are compiled by way of CUDA C++, which inspect_source() gives."""
        raise NotImplementedError("the kernel is compiled by way of CUDA C++: inspect_source() has its source")

    inspect_asm = inspect_llvm = _no_code

    def __repr__(self):
        return f"<cuda.jit {'device function' if self._device else 'kernel'} {self.__name__}>"


class _Configured:
    """A kernel with its grid: called with the arguments it is launched."""
    __slots__ = ("_kernel", "_grid", "_block", "_stream", "_shared")

    def __init__(self, kernel, griddim, blockdim, stream=0, sharedmem=0):
        self._kernel, self._stream, self._shared = kernel, stream, sharedmem
        self._grid, self._block = _dimensions(griddim, "griddim"), _dimensions(blockdim, "blockdim")

    dispatcher = property(lambda self: self._kernel)
    griddim = property(lambda self: _of_three(self._grid))
    blockdim = property(lambda self: _of_three(self._block))
    stream = property(lambda self: self._stream)
    sharedmem = property(lambda self: self._shared)

    def __reduce__(self):
        return _Configured, (self._kernel, self._grid, self._block, self._stream, self._shared)

    def __call__(self, *args):
        self._kernel.launch(self._grid, self._block, self._stream, self._shared, args)


def _of_three(dimensions):
    return (*dimensions, 1, 1)[:3]


def _dimensions(x, word):
    x = list(x) if isinstance(x, (tuple, list)) else [x]
    if not 1 <= len(x) <= 3:
        raise ValueError(f"{word} must be a sequence of 1, 2 or 3 integers, got {x!r}")
    try:
        return tuple([n.__index__() for n in x])
    except AttributeError:
        raise TypeError(f"{word} must be a sequence of integers, got {x!r}") from None


def _array_key(a):
    x = a._x
    a._key = key = (x._type, x.ndim, launch.layout_of(x))
    return key


def _argument(a, back):
    """(what the kernel is given, its key) for an argument that is no DeviceNDArray."""
    import numpy
    if isinstance(a, ArgHint):
        return _hinted(a, back)
    if isinstance(a, numpy.ndarray):
        import cuprite
        if _typed.foreign(a.dtype):
            x = _typed.from_numpy(a)
            key = (x._type, x.ndim, launch.layout_of(x))
            back += [(a, x)] if a.flags.writeable else []
            return x, key
        x = cuprite.array(a)
        if a.flags.writeable:
            back.append((a, x))
        return x, (x._type, x.ndim, launch.layout_of(x))
    if isinstance(a, numpy.void):
        x = _typed.from_numpy(numpy.asarray(a))
        back.append((a, x))
        return x, (x._type, 0, "record")
    if lies_there(a):
        if not isinstance(a, (DeviceNDArray, _ndarray())):
            from cuprite._compiler.numba_cuda._api import wait_for_producer
            wait_for_producer(a)
        x = ours(a)
        states = getattr(a, "_states", False)
        return (a if states else x), (x._type, x.ndim, launch.layout_of(x), states)
    if isinstance(a, (tuple, list)):
        pairs = [_argument(x, back) for x in a]
        given = tuple([x for x, _ in pairs])
        if hasattr(a, "_fields"):
            given = type(a)(*given)
        return given, (getattr(a, "_fields", ()), *[k for _, k in pairs])
    if type(a) is int:
        return a, (int, a < 1 << 63)
    if isinstance(a, (numpy.datetime64, numpy.timedelta64)):
        return a, a.dtype
    if isinstance(a, enum.Enum):
        return a, ("enumeration", a)
    if isinstance(a, (bool, int, float, complex, numpy.generic)) or a is None:
        return a, type(a)
    if isinstance(a, type) and issubclass(a, numpy.generic):
        return a, ("class", a)
    raise TypingError(f"Cannot determine Numba type of {type(a)}")


def _ndarray():
    import cuprite
    return cuprite.ndarray


def _hinted(a, back):
    """_argument of one with a direction."""
    mine = []
    if not a.copies_in and not lies_there(a.value):
        import numpy
        from cuprite._compiler.numba_cuda._api import device_array_like
        x = numpy.asarray(a.value)
        given = device_array_like(x)._x
        mine, key = [(a.value, given)], (given._type, given.ndim, launch.layout_of(given))
    else:
        given, key = _argument(a.value, mine)
    back.extend(mine if a.copies_back else ())
    return given, key


def _copied(x):
    """Whether an array of the host is copied for Numba too: page-locked ones are, mapped and managed ones are not."""
    return not hasattr(x, "__cuda_array_interface__")


def _long_name(t):
    if isinstance(t, Array):
        return f"Array({t.dtype.name}, {t.ndim}, {t.layout!r}, False, aligned=True)"
    return _name(t)


def _name(t):
    return repr(_types.of_kernel_type(t)) if t is not VOID else "none"
