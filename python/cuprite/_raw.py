"""RawKernel and RawModule: the user's CUDA C++. The launch is python/src/kernel.c; here are compilation at first use,
once a device, and attributes."""
import _thread
import re

from cuprite import _core, _device

__all__ = ["RawKernel", "RawModule"]

_BACKENDS = ("nvrtc", "nvcc")


def _wheels():
    """Folders in which wheels of NVIDIA's have libraries for compiling: nvidia/cuda_nvrtc/lib, nvidia/cu13/lib."""
    import os
    import sys
    found = []
    for place in sys.path:
        folder = os.path.join(place or ".", "nvidia")
        try:
            parts = sorted(os.listdir(folder), reverse=True)
        except OSError:
            continue
        for part in parts:
            libraries = os.path.abspath(os.path.join(folder, part, "lib"))
            if os.path.isdir(libraries) and any(f.startswith("libnvrtc.so") for f in os.listdir(libraries)):
                found.append(libraries)
    return found


def _look_in_wheels(error):
    """Whether the library that `error` says is missing may lie in folders that were not looked in before."""
    import os
    if "NVRTC (" not in str(error):
        return False
    before = os.environ.get("CUPRITE_LIBRARY_PATH", "")
    more = [folder for folder in _wheels() if folder not in before.split(":")]
    if more:
        os.environ["CUPRITE_LIBRARY_PATH"] = ":".join([*filter(None, [before]), *more])
    return bool(more)


def _module(source, options, names):
    try:
        return _core._Module(source, options, names)
    except NotImplementedError as e:
        if not _look_in_wheels(e):
            raise
    return _core._Module(source, options, names)


def compiled(source, options, names, label):
    """A module of the current device; CompileException where the source does not compile."""
    try:
        return _module(source, tuple(options), tuple(names))
    except _core._CompileError as e:
        from cuprite.cuda import compiler
        raise compiler.CompileException(str(e), source, label, tuple(options)) from None


def checked_options(options):
    if isinstance(options, str) or not all(isinstance(o, str) for o in options):
        raise TypeError("options must be a tuple of str")
    return tuple(options)


def _checked_backend(backend):
    if backend not in _BACKENDS:
        raise ValueError(f"invalid backend specified: {backend!r}, not 'nvrtc' or 'nvcc'")
    return backend


class _Global:
    """The memory of a module's variable; keeps the module."""
    __slots__ = ("ptr", "size", "_device", "module")

    def __init__(self, ptr, size, device, module):
        self.ptr, self.size, self._device, self.module = ptr, size, device, module

    @property
    def device(self):
        from cuprite.cuda import Device
        return Device._of(self._device)

    @property
    def device_id(self):
        return self.device.id


_CUCOMPLEX = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]cuComplex\.h[>"][ \t]*$', re.MULTILINE)


class _Source:
    """A source, or an image of a compiled one, and what it became on each device where it was used."""

    def __init__(self, code, path, options, names, translate):
        self.code, self.path, self.options, self.names, self.translate = code, path, options, names, translate
        self.modules, self.lock = {}, _thread.allocate_lock()

    def module(self):
        """The module of the current device."""
        device = _device.current()
        found = self.modules.get(device)
        if found is None:
            with self.lock:
                found = self.modules.get(device) or self._compile()
                self.modules[device] = found
        return found

    def _compile(self):
        if self.path is not None:
            with open(self.path, "rb") as f:
                return _core._Module.load(f.read())
        code = self.code
        if self.translate:  # the user's lines keep their numbers
            code = _CUCOMPLEX.sub("", code)  # whose names are there already
            code = "#include <cupy/cucomplex.cuh>\n#line 1\n" + code
        return compiled(code, self.options, self.names, "RawModule")


def _attribute(name, doc, settable=False):
    def read(self):
        return self._current().get(name)

    def write(self, value):
        self._current().set(name, value)
    return property(read, write if settable else None, doc=doc)


class RawKernel(_core._LazyKernel):
    """A kernel written in CUDA C++: RawKernel(code, name), called as kernel(grid, block, args, shared_mem=0).

    `code` is the source, in which `name` is a function declared extern "C" __global__; `options` are the compiler's.
    It is compiled at the first call, once for each device. Arguments are arrays, numbers (int is a 64-bit integer,
    float a double, NumPy's scalars have their own types), records of NumPy's, MemoryPointers; None is a null
    pointer. x.cstruct is CArray<T, ndim> of <cupy/carray.cuh> by value, x.mdspan(index_type=...) a cuda::std::mdspan
    of <cuda/std/mdspan>.

    Parameters: code: the source; name: the kernel; options: the compiler's options; backend: 'nvrtc' or 'nvcc' (one
        way serves both); translate_cucomplex: True: cuComplex becomes thrust::complex; enable_cooperative_groups:
        True: the grid may wait for itself; jitify: True or False (without effect).
    Errors: TypeError for a code or name that is no text; CompileException, when it is compiled, for code that is
        none.

    Example:
        >>> code = 'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }'
        >>> twice = cp.RawKernel(code, "twice")
        >>> x = cp.arange(3, dtype="f4")
        >>> twice((1,), (3,), (x,))
        >>> x
        array([0., 2., 4.], dtype=float32)
    """
    __slots__ = ("name", "options", "backend", "enable_cooperative_groups", "__dict__", "__weakref__")

    def __init__(self, code, name, options=(), backend="nvrtc", translate_cucomplex=False, *,
                 enable_cooperative_groups=False, jitify=None):
        if not isinstance(code, str) or not isinstance(name, str):
            raise TypeError("code and name of a RawKernel must be str")
        options = checked_options(options)
        self._fill(_Source(code, None, options, (), bool(translate_cucomplex)), name, options,
                   _checked_backend(backend), enable_cooperative_groups)

    def _fill(self, source, name, options, backend, cooperative):
        self._source, self.name, self.options, self.backend = source, name, options, backend
        self.enable_cooperative_groups = self._cooperative = bool(cooperative)
        self.__name__ = name

    @classmethod
    def _of(cls, source, name, options, backend, cooperative):
        self = cls.__new__(cls)
        self._fill(source, name, options, backend, cooperative)
        return self

    def _on(self, device):
        return self._source.module().kernel(self.name)

    def compile(self, log_stream=None) -> None:
        """Compiles the kernel for the current device now.

        Parameters: log_stream: a file object for what the compiler says."""
        self._current()

    code = property(lambda self: self._source.code, doc="The source; None where there is none.")
    file_path = property(lambda self: self._source.path, doc="The file that the kernel was loaded from, or None.")
    kernel = property(lambda self: self._current(), doc="The compiled kernel of the current device.")

    @property
    def attributes(self) -> "dict[str, int]":
        """What is known of the compiled kernel, a dict by CUDA's names."""
        k = self._current()
        return {name: k.get(name) for name in _ATTRIBUTES}

    max_threads_per_block = _attribute("max_threads_per_block", "The most threads that a block can have.")
    shared_size_bytes = _attribute("shared_size_bytes", "Bytes of static shared memory of a block.")
    const_size_bytes = _attribute("const_size_bytes", "Bytes of constant memory.")
    local_size_bytes = _attribute("local_size_bytes", "Bytes of local memory of a thread.")
    num_regs = _attribute("num_regs", "Registers of a thread.")
    ptx_version = _attribute("ptx_version", "Version of PTX that it was compiled for, ten times the major one.")
    binary_version = _attribute("binary_version", "Architecture that it was compiled for.")
    cache_mode_ca = _attribute("cache_mode_ca", "Whether -Xptxas --dlcm=ca was set.")
    max_dynamic_shared_size_bytes = _attribute("max_dynamic_shared_size_bytes",
                                               "The most dynamic shared memory of a block; can be set.", True)
    preferred_shared_memory_carveout = _attribute("preferred_shared_memory_carveout",
                                                  "Percent of the L1 cache wanted as shared memory; can be set.", True)

    def __reduce__(self):
        s = self._source
        return _rebuild, (s.code, s.path, s.names, s.translate, self.name, self.options, self.backend,
                          self.enable_cooperative_groups)

    def __repr__(self):
        return f"<RawKernel {self.name!r}>"


_ATTRIBUTES = ("max_threads_per_block", "shared_size_bytes", "const_size_bytes", "local_size_bytes", "num_regs",
               "ptx_version", "binary_version", "cache_mode_ca", "max_dynamic_shared_size_bytes",
               "preferred_shared_memory_carveout")


def _rebuild(code, path, names, translate, name, options, backend, cooperative):
    return RawKernel._of(_Source(code, path, options, names, translate), name, options, backend, cooperative)


class RawModule:
    """Several kernels and variables of one source (`code`), or of a file that another compiler made (`path`: cubin,
    fatbin or PTX, for GPUs). name_expressions are the instances of templates that get_function may be asked for, as
    C++ calls them. It is compiled when something of it is first asked for, once for each device.

    Parameters: code: the source; path: a file; options: the compiler's options; backend: 'nvrtc' or 'nvcc' (one way
        serves both); translate_cucomplex: True: cuComplex becomes thrust::complex; enable_cooperative_groups: True:
        the grid may wait for itself; name_expressions: instances of templates; jitify: True or False (without
        effect).
    Errors: TypeError for both or neither of code and path, and for name_expressions that are none.

    Example:
        >>> code = 'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }'
        >>> twice = cp.RawModule(code=code).get_function("twice")
        >>> x = cp.arange(3, dtype="f4")
        >>> twice((1,), (3,), (x,))
        >>> x
        array([0., 2., 4.], dtype=float32)
    """
    __slots__ = ("options", "backend", "name_expressions", "enable_cooperative_groups", "__dict__", "__weakref__")

    def __init__(self, code=None, *, path=None, options=(), backend="nvrtc", translate_cucomplex=False,
                 enable_cooperative_groups=False, name_expressions=None, jitify=False):
        if (code is None) == (path is None):
            raise TypeError("Exactly one of `code` and `path` keyword arguments must be given.")
        if path is not None and name_expressions:
            raise TypeError("name_expressions are for `code`: a compiled file has its instances")
        self.options = checked_options(options)
        self.backend = _checked_backend(backend)
        if name_expressions is not None:
            if isinstance(name_expressions, str):
                raise TypeError("name_expressions must be a sequence of str")
            name_expressions = tuple(name_expressions)
        self.name_expressions = name_expressions
        self.enable_cooperative_groups = bool(enable_cooperative_groups)
        self._source = _Source(code, path, self.options, name_expressions or (), bool(translate_cucomplex))

    code = property(lambda self: self._source.code, doc="The source, or None.")
    file_path = property(lambda self: self._source.path, doc="The file that was given, or None.")
    module = property(lambda self: self._source.module(), doc="The compiled module of the current device.")

    def compile(self, log_stream=None) -> None:
        """Compiles the module for the current device now.

        Parameters: log_stream: a file object for what the compiler says."""
        self._source.module()

    def get_function(self, name) -> "RawKernel":
        """The kernel of that name, or the instance of a template that is called so."""
        k = RawKernel._of(self._source, name, self.options, self.backend, self.enable_cooperative_groups)
        k._current()
        return k

    def get_global(self, name):
        """A pointer to the variable of that name in the current device's memory."""
        from cuprite.cuda import MemoryPointer
        module = self._source.module()
        address, size = module.global_(name)
        return MemoryPointer(_Global(address, size, module.device, module), 0)

    def __reduce__(self):
        s = self._source
        return _rebuild_module, (s.code, s.path, self.options, self.backend, s.translate,
                                 self.enable_cooperative_groups, self.name_expressions)

    def __repr__(self):
        return f"<RawModule of {self.file_path!r}>" if self.file_path else "<RawModule>"


def _rebuild_module(code, path, options, backend, translate, cooperative, names):
    return RawModule(code, path=path, options=options, backend=backend, translate_cucomplex=translate,
                     enable_cooperative_groups=cooperative, name_expressions=names)
