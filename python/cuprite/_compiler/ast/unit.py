"""One CUDA C++ source under construction: a kernel, the device functions it calls, the constants and helpers it needs.

A Unit writes each device function once for each list of argument types. `text()` puts all together in an order that
compiles: helpers, tuples, constants, functions, the kernel.
"""
import re

from . import preamble
from .elements import Chars, Record, Time, element
from .types import BOOL, HALF, INT64, OBJECT, Array, Scalar, Tuple
from .values import Value, literal, number

RESERVED = set("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr const_cast
continue decltype default delete do double dynamic_cast else enum explicit export extern false float for friend goto
if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
register reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this
thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
xor_eq restrict half half2 threadIdx blockIdx blockDim gridDim warpSize complex main printf assert malloc free memset
memcpy abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh div erf erfc exp exp2 exp10 expm1 fabs
floor fma fmax fmin fmod frexp hypot ilogb isfinite isinf isnan labs ldexp lgamma llrint llround log log10 log1p log2
logb lrint lround max min modf nan nearbyint nextafter norm normcdf pow proj polar conj real imag arg remainder remquo
rint round rsqrt scalbn signbit sin sincos sinh sinpi cospi sqrt tan tanh tgamma trunc j0 j1 jn y0 y1 yn index time
clock linux unix NULL EOF T int1 int2 int3 int4 float1 float2 float3 float4 double2 double3 double4 dim3 uint uint1
uint2 uint3 uint4 char1 char2 short2 long2 ushort ulong size_t brev clz ffs popc ballot all any tex1D atomicAdd
atomicAdd atomicCAS dynamic_shared dynamic_shared_bytes cooperative_groups erfinv erfcinv erfcx M_PI INFINITY NAN
INT_MAX raised
""".split())


def c_name(name):
    """A Python name as one of C++."""
    if not name.isascii():
        name = "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)
    name = re.sub(r"\W", "_", name)
    taken = name in RESERVED or (name[-1:] == "f" and name[:-1] in RESERVED) or name in preamble.HELPERS
    if name[:1].isdigit() or taken or name[:4] in ("seq_", "tupl") or \
            name[:2] == "__":
        name = "my_" + name.lstrip("_")
    return name


class Underway:
    """A device function that is being written, for calls of it from itself. seen: the types of its result that calls
    were written for, each with whether it may raise."""

    def __init__(self, function, name, result=None):
        self.function, self.name, self.given, self.state, self.seen = function, name, result, None, set()

    def called(self, raises):
        """(name, type of the result), as far as it is known."""
        result = self.given or (self.state and self.state.result)
        if result is None:
            if self.state is not None and self.state.passes < 3:
                from .expressions import Later
                raise Later(f"the type of {self.function.__name__}() is not known yet", self)
            raise TypeError(f"{self.function.__name__}: cannot type infer runaway recursion: no way through it ends "
                            "without calling it")
        self.seen.add((result, raises))
        return self.name, result


class Unit:
    def __init__(self, rules):
        self.rules = rules
        self.helpers, self.tuples, self.constants, self.functions, self.names = set(), {}, {}, [], set()
        self.made = {}          # (function, argument types) -> (name, type of the result, parameters)
        self.busy = []          # functions being written
        self.underway = {}      # (function, argument types) of those -> Underway
        self.prototypes = []    # of functions that call themselves
        self.constant_bytes = self.local_bytes = 0
        self.keep = []          # objects whose identity is a key here
        self.captured = {}      # id of an array of the surroundings -> (name, value like it, the array)
        self.faults = None      # with checks: the exceptions that a thread can raise, the first an index out of range
        self.raisers = set()    # names of functions with a parameter that says whether one raised, the thread ends then
        self.host_calls = {}    # (function of the host, its constants) -> what it gave
        self.dynamic_shared = False
        self.cooperative = False
        self.options = ()
        self.written = set()    # (name of a kernel's array parameter) that a kernel may write

    # -- what the source needs

    def need(self, *names):
        self.helpers.update(names)

    def need_type(self, t):
        if isinstance(t, Scalar):
            if t.kind == "c":
                self.helpers.add("#complex")
            elif t is HALF:
                self.helpers.add("#half")
        elif isinstance(t, (Record, Chars)):
            self.tuples.setdefault(t.c, (t.c, t.declaration()))
        elif isinstance(t, Time):
            self.helpers.add("nat")

    def call(self, helper, *arguments):
        self.helpers.add(helper)
        return f"{helper}({', '.join(arguments)})"

    def unique(self, name):
        name, k = c_name(name), 1
        made = name
        while made in self.names:
            made, k = f"{name}_{k}", k + 1
        self.names.add(made)
        return made

    def tuple_type(self, t):
        """The struct that carries a tuple out of a device function."""
        t = Tuple(t.items)
        if t not in self.tuples:
            name = f"tuple_{t.short}"
            members = "".join(f" {self.c_type(x)} v{k};" for k, x in enumerate(t.items))
            self.tuples[t] = (name, f"struct {name} {{{members} }};\n")
        return self.tuples[t][0]

    def array_type(self, t):
        """The struct that carries an array out of a device function: its address, lengths and strides."""
        if t not in self.tuples:
            self.need_type(t.dtype)
            words = [f"n{k}" for k in range(t.ndim)] + [f"s{k}" for k in range(t.ndim) if t.layout in "AB"]
            name = f"array_{t.short}"
            members = "".join(f" long long {w};" for w in words)
            self.tuples[t] = (name, f"struct {name} {{ {t.dtype.c} *data;{members} }};\n")
        return self.tuples[t][0]

    def c_type(self, t):
        if isinstance(t, Tuple):
            return self.tuple_type(t)
        if isinstance(t, Array):
            return self.array_type(t)
        if t is OBJECT:
            raise TypeError("a device function cannot return such an object")
        self.need_type(t)
        return f"{t.c} *" if isinstance(t, Record) else t.c

    def constant_array(self, x):
        """A NumPy array that the kernel reads, kept in its text."""
        import numpy
        key = id(x)
        if key not in self.constants:
            t = element(x.dtype)
            self.need_type(t)
            if x.nbytes > 1 << 20:
                raise ValueError(f"a constant array of {x.nbytes} bytes is too large to stand in a kernel: pass it")
            name = self.unique("constant_array")
            numbers = _literals(numpy.ascontiguousarray(x).ravel(), t)
            lines = [", ".join(numbers[k:k + 16]) for k in range(0, len(numbers), 16)] or ["0"]
            plain = t is not HALF and t.kind != "c"
            place = "__constant__" if x.nbytes <= 32768 and plain else "__device__ const"
            text = f"static {place} {t.c} {name}[{max(x.size, 1)}] = {{\n    " + ",\n    ".join(lines) + "\n};\n"
            self.constant_bytes += x.nbytes
            code = name if place == "__constant__" else f"(({t.c} *){name})"  # so that a variable can be it
            self.constants[key] = (Value(Array(t, x.ndim, "C"), code, n=list(x.shape)), text)
            self.keep.append(x)
        return self.constants[key][0]

    def host_call(self, function, args, kwargs):
        """What a function of the host gives for constants; the same object whenever it is asked for again."""
        key = (id(function), repr(args), repr(kwargs))
        if key not in self.host_calls:
            self.keep.append(function)
            self.host_calls[key] = function(*args, **kwargs)
        return self.host_calls[key]

    def captured_array(self, x):
        """An array on the device that a kernel's surroundings name: a parameter of the kernel that the program does
        not give."""
        from .launch import array_value, captured_type
        if self.busy:
            raise NotImplementedError("a device function knows no arrays of its surroundings: give it the array")
        key = id(x)
        if key not in self.captured:
            kind, array = captured_type(x)
            self.need_type(kind.dtype)
            self.captured[key] = (f"captured_{len(self.captured)}", array_value(kind), array)
            self.keep.append(x)
        name, value, _ = self.captured[key]
        return Value(value.type, name, n=[f"{name}_n{k}" for k in range(value.type.ndim)],
                     s=[f"{name}_s{k}" for k in range(value.type.ndim)] if value.s is not None else None)

    def fault(self, error, where=None):
        """The source that records an exception; the first one of a launch is raised after it. where: (function, file,
        line)."""
        self.faults.append((error, where))
        return self.call("debug_tell", str(len(self.faults)))

    # -- functions

    def call_text(self, name, values):
        """The call of a device function with these arguments."""
        from .expressions import flattened
        first = ["raised"] if name in self.raisers else []
        return f"{name}({', '.join(first + [text for v in values for text in flattened(v)])})"

    def device_function(self, function, rules, values, result=None):
        """(name, type of the result) of a device function for these arguments; writes it if it is new. result: the type
        that a signature gives it."""
        types = tuple(_known_key(v.const) if v.type is OBJECT else _shape_key(v) for v in values)
        key = (id(function), types, result)
        if function in self.busy and not (rules or self.rules).widens:
            raise NotImplementedError(f"{function.__name__} calls itself: device functions cannot be recursive, so "
                                      "write a loop")
        if key in self.underway:
            mine = self.underway[key]
            return mine.called(mine.name in self.raisers)
        if key not in self.made:
            if self.busy.count(function) > 8:
                raise TypeError(f"{function.__name__}: cannot type infer runaway recursion: it calls itself with "
                                "arguments of other types each time")
            self.busy.append(function)
            self.keep += [values, function]
            before, self.rules = self.rules, rules or self.rules
            try:
                self._write(key, function, values, result)
            finally:
                self.rules = before
                self.busy.pop()
                self.underway.pop(key, None)
        return self.made[key]

    def _write(self, key, function, values, result):
        """Writes a function; again, where another one was written with a type of its result that has changed since."""
        from .compiling import compile_function
        name = self.unique(c_name(function.__name__) + "_device")
        for _ in range(4):
            count, known = len(self.functions), set(self.made)
            mine = self.underway[key] = Underway(function, name, result)
            text, found = compile_function(self, function, name, values, result=result, underway=mine)
            if mine.seen <= {(found, name in self.raisers)}:
                break
            del self.functions[count:]
            self.made = {k: v for k, v in self.made.items() if k in known}
            result = found
        else:
            raise TypeError(f"Return type of recursive function does not converge: {function.__name__}")
        if mine.seen:
            self.prototypes.append(text.split(" {\n", 1)[0] + ";\n")
        self.functions.append(text)
        self.made[key] = (name, found)

    def text(self, kernel):
        parts = [preamble.strings(self.helpers), "".join(t for _, t in self.tuples.values()),
                 "".join(t for _, t in self.constants.values()), "".join(self.prototypes), "\n".join(self.functions),
                 kernel]
        return "\n".join(p for p in parts if p)


def _literals(x, t):
    """The elements of a 1-d array as text."""
    if isinstance(t, (Record, Chars)):
        if not x.size:
            return ["{{0}}"]
        return [f"{{{{{', '.join(map(str, row))}}}}}" for row in x.view("u1").reshape(x.size, -1).tolist()]
    if isinstance(t, Time):
        x, t = x.view("i8"), INT64
    return [literal(v.item() if t is not BOOL else bool(v), t) for v in x]


def _known_key(x):
    numbers = x if isinstance(x, tuple) else (x,)
    return ("known", type(x), repr(x)) if all(map(number, numbers)) else ("known", id(x))


def _shape_key(v):
    """What of an argument a device function's source depends on: its type, and the lengths that are numbers."""
    if isinstance(v.type, Array):
        return (v.type, tuple(n if isinstance(n, int) else None for n in v.n),
                v.s and tuple(s if isinstance(s, int) else None for s in v.s), v.nonneg)
    if isinstance(v.type, Tuple):
        return (v.type, tuple(_shape_key(x) for x in v.items))
    return (v.type, v.nonneg)

