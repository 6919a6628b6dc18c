"""Kernels compiled from Python, one for each list of argument types, and the conversion of a call's arguments to kernel
parameters.

An array is passed as its address and those of its lengths and strides that the source reads; a number as a value of its
type. A Python function made once for each compiled kernel turns the arguments of a call into that list.
"""
import enum
import re
from types import SimpleNamespace

from .rules import of_constant
from .compiling import compile_function
from .elements import Record, Time, element
from .types import BOOL, DOUBLE, INT64, OBJECT, UINT64, Array, Constant, Scalar, Tuple, no_records, scalar
from .unit import Unit, c_name
from .values import Value, known


def layout_of(x):
    """How the strides of an array are known: 'C', 'F', 'A' (counted in elements) or 'B' (in bytes)."""
    if x._c_contiguous:
        return "C"
    if x._f_contiguous:
        return "F"
    size = x.itemsize
    return "A" if all(s % size == 0 for s in x.strides) else "B"


def captured_type(x):
    """(type, the array itself) of an array on the device that a kernel's surroundings name."""
    from cuprite._core import ndarray
    if not isinstance(x, ndarray):
        from cuprite._compiler.numba_cuda import devicearray
        x = devicearray.ours(x)
    return Array(element(x.dtype), x.ndim, layout_of(x)), x


def array_value(t):
    """A parameter of an array type."""
    return Value(t, "?", n=["?"] * t.ndim, s=["?"] * t.ndim if t.layout in "AB" else None)


def parameter_value(t):
    """A parameter of any type; VOID's and objects' are known ones."""
    if isinstance(t, Array):
        return array_value(t)
    if isinstance(t, Tuple):
        return Value(t, items=[parameter_value(x) for x in t.items])
    return Value(t, "?")


class Compiled:
    """A kernel's text, the function that launches it, and what makes its parameters of a call's arguments.

    `values`: the parameters as values; `source` the C++ source; `flatten(*args)` the tuple of parameters."""

    def __init__(self, function, rules, values, options=(), body=None, checked=False, linked=None):
        """checked: indices are looked at, and what threads raise is raised by the launch. linked: other sources that
        it calls functions of."""
        unit = Unit(rules)
        if linked is not None and linked.text:
            unit.linked = linked
            unit.names |= linked.names
            options = (*options, *linked.options)
        if checked:
            unit.faults = [(IndexError(f"an index is out of bounds in {function.__name__}"), None)]
            unit.need("debug_status")
            unit.zero_raises = "--use_fast_math" not in options
        self.faults = unit.faults
        self.name = unit.unique(c_name(function.__name__))
        self.values, self.options = values, tuple(options)
        heads, lines = (body or compile_function)(unit, function, self.name, values, kernel=True)
        values = self.values = [*values, *self._captured(unit, len(values), heads)]
        text = "\n".join(lines)
        words = set(re.findall(r"\w+", text))
        heads = [(h, path) for h, path in heads if h.split()[-1].lstrip("*") in words]
        self.wants_shared_size = "dynamic_shared_bytes" in words
        if any("dynamic_shared_bytes" in t for t in unit.functions):
            raise NotImplementedError(f"{function.__name__}: the length of dynamic shared memory is known in the "
                                      "kernel itself only: give it to the device function")
        declarations = [h for h, _ in heads] + ["long long dynamic_shared_bytes"] * self.wants_shared_size
        dynamic = "extern __shared__ __align__(16) unsigned char dynamic_shared[];\n" if unit.dynamic_shared else ""
        kernel = f'{dynamic}extern "C" __global__ void {self.name}({", ".join(declarations)}) {{\n{text}\n}}\n'
        self.source = unit.text(kernel)
        self.cooperative = unit.cooperative
        self.constant_bytes, self.local_bytes = unit.constant_bytes, unit.local_bytes
        self.flatten = _flattener(values, [path for _, path in heads])
        if self.captured:
            inner, more = self.flatten, self.captured
            self.flatten = lambda *args: inner(*args, *more)
        self._launch = None
        self.ready = None  # self._launch, where it takes what flatten gives and nothing more

    def _captured(self, unit, first, heads):
        """The arrays of the surroundings as parameters behind the others."""
        from .compiling import _parameter
        self.captured = [array for _, _, array in unit.captured.values()]
        tr = SimpleNamespace(unit=unit)
        for k, (name, value, _) in enumerate(unit.captured.values()):
            _parameter(tr, name, value, heads, (first + k,))
        return [value for _, value, _ in unit.captured.values()]

    def launch(self, grid, block, args, shared_mem=0):
        """Issues the kernel to the current stream; the arguments are of the types it was compiled for."""
        if self._launch is None:
            self._launch = self._load()
            self.ready = None if self.wants_shared_size or self.faults is not None else self._launch
        flat = self.flatten(*args)
        if self.wants_shared_size:
            flat += (int(shared_mem),)
        if self.faults is not None:
            return self._launch_checked(grid, block, flat, shared_mem)
        if shared_mem:
            self._launch(grid, block, flat, shared_mem=shared_mem)
        else:
            self._launch(grid, block, flat)

    def _launch_checked(self, grid, block, flat, shared_mem):
        """A launch that waits for its end, and raises the first exception that a thread recorded."""
        import cuprite
        status = cuprite.ndarray((7,), "int32", self._module.get_global("debug_status"))
        status.fill(0)
        self._launch(grid, block, flat, shared_mem=shared_mem)
        reported, *place = status.get().tolist()
        if reported:
            raise _placed(*self.faults[reported - 1], place)

    def attribute(self, name):
        """One of the compiled kernel's attributes, by RawKernel's name."""
        if self._launch is None:
            self._launch = self._load()
        found = getattr(self._launch, name)
        if not found and name in ("local_size_bytes", "const_size_bytes"):  # the CPU has no such memory: by the source
            formats = sum(len(text) + 1 for text in re.findall(r'printf\("((?:[^"\\]|\\.)*)"', self.source))
            return self.local_bytes if name == "local_size_bytes" else self.constant_bytes + formats
        return found

    def max_cooperative_grid_blocks(self, blockdim, dynsmemsize=0):
        """How many blocks of so many threads can wait for each other: all that the device runs at a time.

        Parameters: blockdim: the threads of a block, a number or a tuple; dynsmemsize: bytes of dynamic shared memory
            a block."""
        import math
        from cuprite.cuda import Device
        device, threads = Device(), math.prod(blockdim) if isinstance(blockdim, (tuple, list)) else blockdim
        if device.backend != "cuda":
            return (1 << 16) // threads  # as many as the CPU device keeps at once
        has, warps = device.attributes, -(-threads // 32)
        registers = -(-self.attribute("num_regs") * 32 // 256) * 256 * warps
        shared = self.attribute("shared_size_bytes") + dynsmemsize + has["ReservedSharedMemoryPerBlock"]
        each = min(has["MaxBlocksPerMultiprocessor"], has["MaxThreadsPerMultiProcessor"] // (32 * warps),
                   has["MaxRegistersPerMultiprocessor"] // max(registers, 1),
                   has["MaxSharedMemoryPerMultiprocessor"] // max(shared, 1))
        return each * has["MultiProcessorCount"]

    def _load(self):
        import cuprite
        more = {"enable_cooperative_groups": True} if self.cooperative else {}
        self._module = cuprite.RawModule(code=self.source, options=self.options, **more)
        return self._module.get_function(self.name)


def _placed(error, where, place):
    """The exception of a thread, whose text says where, as Numba writes it."""
    text = f"tid={place[:3]} ctaid={place[3:]}"
    if where is not None:
        text = "In function {!r}, file {}, line {}, ".format(*where) + text
    return type(error)(f"{text}: {error.args[0]}" if error.args else text, *error.args[1:])


def _flattener(values, paths):
    """A function of the arguments that returns the tuple of the kernel's parameters."""
    scope = {"int": int, "float": float, "bool": bool}
    parts = []
    for path in paths:
        text, v, rest = f"a{path[0]}", values[path[0]], list(path[1:])
        while rest and isinstance(v.type, Tuple):
            text, v = f"{text}[{rest[0]}]", v.items[rest.pop(0)]
        if not rest:
            parts.append(_number(text, v.type, scope))
        elif rest[0] == "data":
            plain = isinstance(v.type.dtype, Scalar) and not v.type.packed
            scope["bytes_of"] = bytes_of
            parts.append(f"{text}._x" if v.type.states else text if plain else f"bytes_of({text})")
        elif rest[0] == "record":
            scope["bytes_of"] = bytes_of
            parts.append(f"bytes_of({text})")
        elif rest[0] == "n":
            parts.append(f"{text}.shape[{rest[1]}]")
        else:
            per = f" // {v.type.dtype.size}" if v.type.layout == "A" else ""
            parts.append(f"{text}.strides[{rest[1]}]{per}")
    names = ", ".join(f"a{k}" for k in range(len(values)))
    return eval(f"lambda {names}: ({''.join(p + ', ' for p in parts)})", scope)


def bytes_of(x):
    """The array of Cuprite's that holds the elements of one that Cuprite does not know."""
    return getattr(x, "_bytes", x)


def _number(text, t, scope):
    """The text of a scalar argument as one of the type t."""
    if t is INT64:
        return f"int({text})"
    if t is DOUBLE:
        return f"float({text})"
    if t is BOOL:
        return f"bool({text})"
    if isinstance(t, Time):
        scope["number_of_time"] = number_of_time
        return f"number_of_time({text})"
    scope[t.name] = t.dtype.type if t.kind not in "iu" else _wrapping(t)
    return f"{t.name}({text})"


def _wrapping(t):
    """A function that makes a number of an integer type, of what is beyond it by leaving out bits."""
    make, bits = t.dtype.type, 8 * t.size

    def number(x):
        try:
            return make(x)
        except OverflowError:
            x = int(x) % (1 << bits)
            return make(x - (1 << bits) if t.kind == "i" and x >> (bits - 1) else x)
    return number


def number_of_time(x):
    """The number of a NumPy datetime64 or timedelta64; a number as it is."""
    return int(x.view("i8")) if hasattr(x, "view") else int(x)


def type_of_argument(x, rules, ndarray):
    """The type of an argument of a launch."""
    if isinstance(x, ndarray):
        return Array(scalar(x.dtype), x.ndim, layout_of(x))
    if getattr(x, "_states", False):
        return Array(UINT64, 1, "C", True)
    if hasattr(x, "_bytes"):
        t = element(x.dtype)
        whole = not x.ndim and isinstance(t, Record)
        return t if whole else Array(t, x.ndim, layout_of(x), packed=isinstance(t, Scalar))
    if type(x).__name__ in ("datetime64", "timedelta64"):
        return element(x.dtype)
    if isinstance(x, enum.Enum):
        return Constant(x)
    t = of_constant(x)
    if t is not None:
        return t
    if isinstance(x, (bool, int, float, complex)):
        return rules.constant(x)
    if isinstance(x, (tuple, list)):
        return Tuple(tuple(type_of_argument(e, rules, ndarray) for e in x), getattr(x, "_fields", ()))
    if x is None:
        return OBJECT
    no_records(getattr(x, "dtype", None))
    raise TypeError(f"a kernel cannot be given an argument of type {type(x).__name__}")


def values_of(types, args):
    """The parameters of a kernel: None stays known."""
    return [known(a) if t is OBJECT else known(t.value) if isinstance(t, Constant) else parameter_value(t)
            for t, a in zip(types, args)]
