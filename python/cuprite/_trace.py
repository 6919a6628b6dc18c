"""Tracing for fuse: a function runs on stand-ins of arrays, which write down the operations that are done to them.

Stand-ins know a type and no value, so what a function does with them does not depend on values; what asks for one
raises NotFused. An operation's text is its row's body (ufunc._bodies) with the C types of its loop, and only bodies
whose bits are those of the kernels that exist are taken: on the CPU operators and exact functions, on GPUs CUDA's
functions too, which both are compiled from. (Signs and payloads of NaN are not among them: compilers turn operations
round.) The function's module and those of cuprite's functions that it names are replaced by stand-ins in a copy of its
globals."""
import re
import types

import cuprite
from cuprite import _core
from cuprite._fuse import Described
from cuprite._loop_text import C_TYPES

_RANK = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
_KIND = {"bool": 0, "float32": 2, "float64": 2, **dict.fromkeys(
    ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"], 1)}
_UNSIGNED = {"int64": "unsigned long long", "uint64": "unsigned long long"}
# functions whose result is the only right one, on every device
_EXACT = {"sqrt", "floor", "ceil", "trunc", "rint", "fabs"}
# those of CUDA's library, which the GPU's kernels call too
_CUDA = _EXACT | {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh",
                  "atanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "cbrt"}
# functions of the scalar prelude that are one expression (src/scalar/real.inc)
_PRELUDE = {"maximum": "(a >= b) | (a != a) ? a : b", "minimum": "(a <= b) | (a != a) ? a : b",
            "negative": "cuprite_negative(a)"}
# conversions that keep a NaN's payload (cuprite_array.cuh)
_PAYLOAD = {("float32", "float64"): "cuprite_double", ("float64", "float32"): "cuprite_float"}


class NotFused(Exception):
    """Why a function cannot be fused; without a text where that is nobody's fault."""


class Array:
    """Stands for an array: a type, and the variable of the text that holds an element."""
    __array_priority__ = 1000
    __hash__ = None

    def __init__(self, trace, name, dtype, parts):
        self._trace, self._name, self._dtype, self._parts = trace, name, dtype, parts

    @property
    def dtype(self):
        return cuprite.dtype(self._dtype)

    def astype(self, dtype, copy=True):
        return self._trace.cast(self, cuprite.dtype(dtype).name)

    def copy(self):
        return self._trace.cast(self, self._dtype)

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        ours = getattr(cuprite, ufunc.__name__, None)
        if method != "__call__" or options or not isinstance(ours, _core.ufunc):
            raise NotFused(f"numpy.{ufunc.__name__} cannot be fused")
        return self._trace.apply(ours, inputs)

    def __setitem__(self, key, value):
        whole = key is Ellipsis or (isinstance(key, slice) and key == slice(None))
        if not whole:
            raise NotFused("assignment to a part of an array cannot be fused")
        self._trace.store(self, value)

    def __bool__(self):
        raise NotFused()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotFused(f"{name} of an array cannot be fused")

    def _no(self, *args):
        raise NotFused()

    __float__ = __int__ = __index__ = __complex__ = __len__ = __iter__ = _no

    def __getitem__(self, key):
        raise NotFused("an index cannot be fused")


def _operator(name):
    f = getattr(cuprite, name)

    def forward(self, other):
        return self._trace.apply(f, (self, other))

    def backward(self, other):
        return self._trace.apply(f, (other, self))

    def inplace(self, other):
        return self._trace.store(self, self._trace.apply(f, (self, other)))
    return forward, backward, inplace


for _word, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "and": "bitwise_and",
                     "or": "bitwise_or", "xor": "bitwise_xor", "floordiv": "floor_divide", "mod": "remainder",
                     "pow": "power", "lshift": "left_shift", "rshift": "right_shift"}.items():
    _f, _b, _i = _operator(_name)
    setattr(Array, f"__{_word}__", _f)
    setattr(Array, f"__r{_word}__", _b)
    setattr(Array, f"__i{_word}__", _i)
for _word, _name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
                     "ne": "not_equal"}.items():
    setattr(Array, f"__{_word}__", _operator(_name)[0])
for _word, _name in {"neg": "negative", "pos": "positive", "invert": "invert", "abs": "absolute"}.items():
    setattr(Array, f"__{_word}__", lambda self, f=getattr(cuprite, _name): self._trace.apply(f, (self,)))
Array.__hash__ = None


class Number(float):
    """Stands for a floating-point argument, whose value calls may change: only operations with arrays take it."""
    def __new__(cls, trace, name):
        self = super().__new__(cls, "nan")
        self._trace, self._name = trace, name
        return self

    def _no(self, *args):
        raise NotFused()

    __bool__ = __int__ = __float__ = __round__ = __trunc__ = __floor__ = __ceil__ = __divmod__ = _no
    __hash__ = __abs__ = __neg__ = __pos__ = __repr__ = __str__ = __format__ = _no


def _number_operator(word):
    def f(self, other):
        if isinstance(other, Array):
            return NotImplemented
        raise NotFused()
    return f


for _word in ("add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rfloordiv rmod rpow lt le gt ge eq "
              "ne").split():
    setattr(Number, f"__{_word}__", _number_operator(_word))


class Trace:
    """The text that operations on stand-ins become."""

    def __init__(self, gpu):
        self.gpu, self.lines, self.numbers = gpu, [], 0
        self.arguments, self.written = {}, {}
        self.names, self.cells, self.attributes = [], [], []  # values outside of the arguments: they may change

    def new(self, dtype, expression, parts):
        name = f"v{self.numbers}"
        self.numbers += 1
        self.lines.append(f"const {C_TYPES[dtype]} {name} = {expression};")
        return Array(self, name, dtype, parts)

    def cast(self, x, dtype):
        if dtype == x._dtype:
            return self.new(dtype, x._name, x._parts)
        if dtype not in _KIND or (_KIND[x._dtype] == 2 and _KIND[dtype] == 1):
            raise NotFused()  # beyond an integer's range C leaves open what NumPy does not
        return self.new(dtype, self.converted(x, dtype), x._parts)

    def converted(self, x, dtype):
        if isinstance(x, Array):
            if x._dtype == dtype:
                return x._name
            if _KIND[x._dtype] == 2 and _KIND[dtype] == 1:
                raise NotFused()
            if (x._dtype, dtype) in _PAYLOAD:
                return f"{_PAYLOAD[x._dtype, dtype]}({x._name})"
            return f"({x._name} != 0)" if dtype == "bool" else f"({C_TYPES[dtype]}){x._name}"
        if isinstance(x, Number):
            if _KIND[dtype] != 2:
                raise NotFused()
            return f"({C_TYPES[dtype]}){x._name}"
        return _constant(x, dtype)

    def operand_types(self, operands):
        """Types in which numbers beside arrays take part: theirs where they are of no higher kind."""
        arrays = [x._dtype for x in operands if isinstance(x, Array)]
        if not arrays:
            raise NotFused()
        partner = arrays[0]
        for t in arrays[1:]:
            partner = cuprite.promote_types(partner, t).name
        found = []
        for x in operands:
            if isinstance(x, Array):
                found.append(x._dtype)
            elif type(x) is bool:
                found.append("bool")
            elif type(x) in (int, float, Number):  # NumPy's numbers have types of their own
                kind = 1 if type(x) is int else 2
                found.append(partner if kind <= _KIND[partner] else "float64" if kind == 2 else "int64")
            else:
                raise NotFused()
        return found

    def apply(self, f, operands, **options):
        if options:
            raise NotFused(f"{f.name} with {', '.join(options)} cannot be fused")
        if f.nout != 1:
            raise NotFused(f"{f.name} cannot be fused")
        operands = [self.taken(x) for x in operands]
        given = self.operand_types(operands)
        if any(t not in _KIND for t in given):
            raise NotFused()
        *loop, out = f._loop(*given)
        if out not in _KIND or any(t not in _KIND for t in loop):
            raise NotFused()
        if len({t for t in loop}) > 1 or _mixed(given):
            raise NotFused()
        parts = frozenset().union(*[x._parts for x in operands if isinstance(x, Array)])
        return self.new(out, self.body(f, loop, [self.converted(x, t) for x, t in zip(operands, loop)]), parts)

    def taken(self, x):
        if isinstance(x, _core.ndarray):
            raise NotFused("an array that is no argument cannot be fused")
        if isinstance(x, Array) and x._trace is not self:
            raise NotFused()
        return x

    def body(self, f, loop, operands):
        dtype = loop[0]
        text = f._bodies[_KIND[dtype]]
        if text is None:
            raise NotFused(f"{f.name} cannot be fused")
        text = text[0]
        inner = re.fullmatch(r"F\((\w+)\)\(([abc, ]*)\)", text)
        if inner:
            if inner[1] not in _PRELUDE or _KIND[dtype] != 2 or inner[2] not in ("a", "a, b"):
                raise NotFused(f"{f.name} cannot be fused")
            text = _PRELUDE[inner[1]]
        text = re.sub(r"\bM\((\w+)\)", lambda m: self.function(f, m[1], dtype), text)
        if re.search(r"\b[A-Z]\(|\bcps_", text):
            raise NotFused(f"{f.name} cannot be fused")
        words = dict(zip("abc", operands), T=C_TYPES[dtype], U=_UNSIGNED.get(dtype, "unsigned int"))
        # an operand may be an expression: each is in brackets
        return re.sub(r"\b[abcTU]\b", lambda m: words[m[0]] if m[0] in "TU" else f"({words[m[0]]})", text)

    def function(self, f, name, dtype):
        if name not in (_CUDA if self.gpu else _EXACT):
            raise NotFused("" if name in _CUDA else f"{f.name} cannot be fused")
        return name + ("f" if dtype == "float32" else "")

    def where(self, condition, a, b):
        operands = [self.taken(x) for x in (condition, a, b)]
        if not isinstance(operands[0], Array) or not any(isinstance(x, Array) for x in operands[1:]):
            raise NotFused()
        types_ = self.operand_types(operands[1:])
        out = cuprite.promote_types(*types_).name
        if out not in _KIND or _mixed(types_):
            raise NotFused()
        truth = f"({operands[0]._name} != 0)"
        parts = frozenset().union(*[x._parts for x in operands if isinstance(x, Array)])
        a, b = [self.converted(x, out) for x in operands[1:]]
        return self.new(out, f"{truth} ? {a} : {b}", parts)

    def store(self, x, value):
        """x[...] = value, where x is an argument."""
        if x._name not in self.arguments:
            # a result of the function's own: from here on it is the new value
            new = value if isinstance(value, Array) else None
            if new is None:
                raise NotFused()
            same = self.cast(new, x._dtype)
            x._name, x._parts = same._name, same._parts | x._parts
            return x
        value = self.taken(value)
        dtype = x._dtype
        if isinstance(value, Array) and (_KIND[value._dtype] > _KIND[dtype] or _mixed([value._dtype, dtype])):
            raise NotFused()  # NumPy refuses, or warns
        name = f"v{self.numbers}"
        self.numbers += 1
        self.lines.append(f"const {C_TYPES[dtype]} {name} = {self.converted(value, dtype)};")
        parts = x._parts | (value._parts if isinstance(value, Array) else frozenset())
        slot = self.arguments.pop(x._name)
        x._name, x._parts = name, parts
        self.arguments[name] = slot
        self.written[slot] = x
        return x


def _mixed(names):
    """Signed beside unsigned integers of 64 bits: NumPy compares and adds them in ways of their own."""
    return "uint64" in names and any(n.startswith("int") for n in names)


def _constant(x, dtype):
    if isinstance(x, bool):
        return f"({C_TYPES[dtype]}){int(x)}"
    if _KIND[dtype] == 1:
        low, high = (0, 2 ** int(dtype[4:])) if dtype[0] == "u" else (-2 ** (int(dtype[3:]) - 1),
                                                                    2 ** (int(dtype[3:]) - 1))
        if not isinstance(x, int) or not low <= x < high or abs(x) >= 2 ** 62:
            raise NotFused()
        return f"({C_TYPES[dtype]}){x}ll"
    if _KIND[dtype] == 0:
        raise NotFused()
    if isinstance(x, int) and abs(x) >= 2 ** 53:
        raise NotFused()
    x = float(x)
    if x != x or x in (float("inf"), -float("inf")):
        text = "(0.0 / 0.0)" if x != x else "(1.0 / 0.0)" if x > 0 else "(-1.0 / 0.0)"
        return f"({C_TYPES[dtype]}){text}"
    return f"({C_TYPES[dtype]}){x.hex()}"


class Object:
    """Stands for an argument that is no array and no number, as a method's first: its numbers are looked at again in
    every call."""

    def __init__(self, trace, what, place):
        self.__dict__["_own"] = trace, what, place

    def __getattr__(self, name):
        trace, what, place = self._own
        value = getattr(what, name)
        if isinstance(value, types.MethodType) and value.__self__ is what:
            return types.MethodType(rebound(trace, value.__func__), self)
        if type(value) in _PLAIN:
            trace.attributes.append((place, name, value))
            return value
        if isinstance(value, types.FunctionType):
            return rebound(trace, value)
        if hasattr(value, "clear_cache") and hasattr(value, "func"):
            return _Stand(trace, value)
        raise NotFused()

    def __setattr__(self, name, value):
        raise NotFused()

    def _no(self, *args):
        raise NotFused()

    __bool__ = __len__ = __iter__ = __getitem__ = __call__ = __eq__ = __hash__ = _no


_PLAIN = {bool, int, float, str, type(None)}


class _Stand:
    """Stands for the module cuprite, or for one of its functions, where stand-ins of arrays are about."""

    def __init__(self, trace, what):
        self._trace, self._what = trace, what

    def __getattr__(self, name):
        return stand(self._trace, getattr(self._what, name))

    def __call__(self, *args, **kwargs):
        trace, what = self._trace, self._what
        if not any(isinstance(a, (Array, Number)) for a in (*args, *kwargs.values())):
            return what(*args, **kwargs)
        if isinstance(what, _core.ufunc):
            return trace.apply(what, args, **kwargs)
        if what is cuprite.where and len(args) == 3 and not kwargs:
            return trace.where(*args)
        if getattr(what, "func", None) is not None and hasattr(what, "clear_cache"):  # a fused function in another
            return rebound(trace, what.func)(*args, **kwargs)
        raise NotFused(f"{getattr(what, '__name__', what)} cannot be fused")


def stand(trace, value):
    """What stands for a global value of a function."""
    from cuprite._fuse import Fusion
    if value is cuprite or isinstance(value, (_core.ufunc, Fusion)):
        return _Stand(trace, value)
    if isinstance(value, types.ModuleType) and value.__name__.startswith("cuprite"):
        return _Stand(trace, value)
    if isinstance(value, types.BuiltinFunctionType) and getattr(cuprite, value.__name__, None) is value:
        return _Stand(trace, value)
    return value


def _lasting(value):
    """Whether a global value is what functions and modules are: not looked at again."""
    return isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, _Stand))


def rebound(trace, f):
    """The function with stand-ins among its globals and what it encloses, and so the functions of Python that it
    names. Other values that it finds there are written down: they may be others in a later call."""
    if isinstance(f, types.MethodType):
        return types.MethodType(rebound(trace, f.__func__), f.__self__)
    if not isinstance(f, types.FunctionType):
        raise NotFused()
    made = {}

    def replaced(value):
        if isinstance(value, types.FunctionType) and value.__module__ == f.__module__:
            return again(value)
        return stand(trace, value)

    def again(g):
        if g in made:
            return made[g]
        names = _names(g.__code__)
        space = dict(g.__globals__)
        cells = tuple(_cell(c) for c in g.__closure__ or ())
        new = made[g] = types.FunctionType(g.__code__, space, g.__name__, g.__defaults__, cells)
        new.__kwdefaults__ = g.__kwdefaults__
        for name in names & space.keys():
            value, space[name] = space[name], replaced(space[name])
            if not _lasting(space[name]):
                known(value)
                trace.names.append((g.__globals__, name, value))
        for cell, before in zip(cells, g.__closure__ or ()):
            try:
                value = before.cell_contents
            except ValueError:  # empty
                continue
            cell.cell_contents = replaced(value)
            if not _lasting(cell.cell_contents):
                known(value)
                trace.cells.append((before, value))
        return new

    def known(value):
        if type(value) not in _PLAIN:
            raise NotFused()
    return again(f)


def _cell(c):
    try:
        return types.CellType(c.cell_contents)
    except ValueError:
        return types.CellType()


def _names(code):
    found = set(code.co_names)
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            found |= _names(c)
    return found


class Program:
    """A traced function as a kernel: `kernel` over the arguments that it needs, and what its results are made of."""

    def __init__(self, kernel, places, written, results, trace):
        self.gpu = trace.gpu
        self.kernel, self.places, self.written, self.results = kernel, places, written, results
        self.names, self.cells, self.attributes = trace.names, trace.cells, trace.attributes

    def is_stale(self, args):
        """Whether values outside of the arguments are others than those that were traced."""
        for space, name, value in self.names:
            if space.get(name, self) is not value:
                return True
        for cell, value in self.cells:
            if cell.cell_contents is not value:
                return True
        for place, name, value in self.attributes:
            now = getattr(args[place], name)
            if type(now) is not type(value) or now != value:
                return True
        return False

    def run(self, args):
        given = [args[p] for p in self.places]
        if self.written:
            arrays = [a for a in args if isinstance(a, _core.ndarray)]
            if not _apart(arrays):
                return NotImplemented
            given += [args[p] for p in self.written]
        r = self.kernel(*given)
        return r if self.results is None or r is NotImplemented else self.results(args, r)

    def prepare(self, args):
        """Compiles for arguments like these, where they are on a device of the kind that was traced for."""
        from cuprite import _kernels
        if _kernels._is_gpu(next(a[3] for a in args if isinstance(a, Described))) != self.gpu:
            return
        given = [args[p] for p in self.places]
        self.kernel._prepare(*given, *[args[p] for p in self.written])


def _apart(arrays):
    """Whether no two arrays share memory: what is written is not read by another way."""
    return not any(cuprite.may_share_memory(x, y) for i, x in enumerate(arrays) for y in arrays[:i])


def program(fusion, args):
    """What the function becomes for arguments like these, arrays described; NotFused where it becomes nothing."""
    import numpy
    from cuprite import _kernels
    devices = {a[3] for a in args if isinstance(a, Described)}
    if len(devices) != 1:
        raise NotFused()
    gpu = _kernels._is_gpu(devices.pop())
    trace = Trace(gpu)
    given, params, places = [], [], []
    for i, a in enumerate(args):
        if isinstance(a, Described):
            if a[0] not in _KIND:
                raise NotFused()
            x = Array(trace, f"a{i}", a[0], frozenset([i]))
            trace.arguments[x._name] = i
            params.append(f"{a[0]} a{i}")
        elif type(a) is float:
            x = Number(trace, f"a{i}")
            params.append(f"float64 a{i}")
        else:
            given.append(a if type(a) in _PLAIN or isinstance(a, numpy.generic) else Object(trace, a, i))
            continue
        places.append(i)
        given.append(x)
    result = rebound(trace, fusion.func)(*given)
    return _finish(fusion, trace, given, params, places, result, gpu)


def _finish(fusion, trace, given, params, places, result, gpu):
    from cuprite import _kernels
    several = isinstance(result, tuple)
    results = list(result) if several else [result]
    if trace.written:
        if result is not None and not all(any(r is g for g in given) for r in results):
            raise NotFused()  # new results beside written arguments
        outputs = [trace.written[p] for p in trace.written]
    else:
        if not all(isinstance(r, Array) and not any(r is g for g in given) for r in results):
            raise NotFused()
        outputs = results
    if not outputs or len(trace.lines) < 2:
        raise NotFused()  # one operation is one kernel as it is
    everything = frozenset(i for i, g in enumerate(given) if isinstance(g, Array))
    outs = [f"{x._dtype} r{k}" for k, x in enumerate(outputs)]
    text = "\n".join(["{", *trace.lines, *[f"r{k} = {x._name};" for k, x in enumerate(outputs)], "}"])
    kernel = _kernels.ElementwiseKernel(", ".join(params), ", ".join(outs), text, _identifier(fusion.name),
                                        return_tuple=several and not trace.written,
                                        options=("--fmad=false",))
    kernel._patient = True
    kernel._alike = bool(trace.written) or any(x._parts != everything for x in outputs)
    back = None
    if trace.written:
        back = _returning(result, given, several)
    return Program(kernel, places, list(trace.written), back, trace)


def _returning(result, given, several):
    """What a function that writes to its arguments returns: some of them, or nothing."""
    if result is None:
        return lambda args, r: None
    at = [next(i for i, g in enumerate(given) if g is x) for x in (result if several else [result])]
    return (lambda args, r: tuple(args[i] for i in at)) if several else (lambda args, r: args[at[0]])


def _identifier(name):
    word = re.sub(r"\W", "_", name)
    return word if word and not word[0].isdigit() and word != "_lambda_" else "fused"
