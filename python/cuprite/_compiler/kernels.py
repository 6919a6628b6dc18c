"""ElementwiseKernel and ReductionKernel: parameters, types and errors. Calls are in python/src/loop*.c; loop_source.py
writes the source that is compiled. A kernel is compiled for a device, types and a layout of the operands, when a call
first needs it. Where the library's engine knows the operation of an ElementwiseKernel (c_source.py), the engine runs
the first calls while fuse's thread compiles. Such kernels are compiled without contraction, so the bits are the
same."""
import functools
import os
import re

from cuprite import _core, _device
from cuprite._compiler import c_source, jobs, loop_source
from cuprite._compiler.loop_source import C_TYPES, SIZES

__all__ = ["ElementwiseKernel", "ReductionKernel"]

_RESERVED = {"i", "n"}
_TYPE_WORDS = {"float": "float64", "double": "float64", "half": "float16", "single": "float32", "int": "int64",
               "long": "int64", "longlong": "int64", "complex": "complex128", "bool_": "bool", "uint": "uint64"}


def call_in(stream, f, args, keywords):
    """The call, while `stream` is this thread's."""
    with stream:
        return f(*args, **keywords)


def _numpy_type(name):
    import cuprite
    return cuprite.dtype(name).type if name != "bfloat16" else cuprite.bfloat16


def _type_name(word):
    """Our name of a type by any that NumPy has for it; None: a placeholder."""
    if word in C_TYPES:
        return word
    if len(word) == 1:
        return None
    if word in _TYPE_WORDS:
        return _TYPE_WORDS[word]
    import numpy
    try:
        return numpy.dtype(word).name
    except TypeError:
        raise TypeError(f"data type {word!r} not understood") from None


class ParameterInfo:
    """A parameter of a kernel: its name, `ctype` (C's type, or the placeholder), dtype (None: a placeholder), and
    whether it is raw and const."""

    def __init__(self, text, is_const):
        words = text.split()
        if len(words) < 2:
            raise Exception(f"Syntax error: {text}")
        self.name, word = words[-1], words[-2]
        self.raw, self.is_const = False, is_const
        self.dtype_name = _type_name(word)
        self.ctype = word if self.dtype_name is None else C_TYPES[self.dtype_name]
        for flag in words[:-2]:
            if flag == "raw":
                self.raw = True
            elif flag == "_non_const":
                self.is_const = False
            else:
                raise Exception(f'Unknown keyword "{flag}"')

    @property
    def dtype(self):
        return None if self.dtype_name is None else _numpy_type(self.dtype_name)

    def __repr__(self):
        return f"<ParameterInfo {'raw ' * self.raw}{self.ctype} {self.name}>"


def _parameters(text, is_const):
    """The parameters that a declaration string lists."""
    text = text.strip()
    found = tuple(ParameterInfo(part, is_const) for part in text.split(",")) if text else ()
    for p in found:
        if not p.name.isidentifier() or p.name in _RESERVED or p.name.startswith("_"):
            raise ValueError(f"Invalid parameter name {p.name!r}: it must be an identifier other than 'n' and 'i' that "
                             "does not begin with '_'")
    return found


def _unique(params):
    names = [p.name for p in params]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Parameter {name!r} is declared twice")


def _texts(**given):
    for word, text in given.items():
        if not isinstance(text, str):
            raise TypeError(f"{word} must be str, not {type(text).__name__}")


def _name(name):
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ValueError(f'Invalid kernel name: "{name}"')
    return name


def _resolve(kernel, names):
    """Types of all parameters from those of the arrays; None stands for numbers, and for outputs not given."""
    known = {}

    def check(p, given):
        expected = p.dtype_name or known.get(p.ctype)
        if expected is None:
            known[p.ctype] = given
        elif expected != given:
            if p.dtype_name:
                raise TypeError(f"Type is mismatched. {p.name} {_numpy_type(given)} {_numpy_type(expected)}")
            raise TypeError(f"Type is mismatched. {p.name} {_numpy_type(given)} {_numpy_type(expected)} {p.ctype}")

    pairs = list(zip(kernel.params, names))
    for p, given in pairs[kernel.nin:] + pairs[:kernel.nin]:
        if given is not None:
            check(p, given)
    for p in kernel.params:
        if p.dtype_name is None and p.ctype not in known:
            raise ValueError(f"The type {p.ctype} of the parameter {p.name} cannot be told from numbers alone: "
                             "no array has it")
    return tuple(p.dtype_name or known[p.ctype] for p in kernel.params)


@functools.lru_cache(None)
def _is_gpu(device):
    return device >= 0 and _device.query(device)["backend"] == "cuda"


class _LoopKernel(_core._LoopKernel):
    """What both kinds share."""
    loop_prep = after_loop = ""

    def _setup(self, in_params, out_params, name, preamble, reduce_dims, options):
        from cuprite._raw import checked_options
        _texts(in_params=in_params, out_params=out_params, name=name, preamble=preamble)
        self.in_params = _parameters(in_params, True)
        self.out_params = _parameters(out_params, False)
        self.params = self.in_params + self.out_params
        _unique(self.params)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.name, self.preamble, self.reduce_dims = _name(name), preamble, reduce_dims
        self.symbol = self.name + "_kernel"  # the name alone may be a function's of CUDA: norm
        self._options = checked_options(options)
        self._codes = {}

    def _compile(self, text, types, key, device, names, options=()):
        self._codes[types, key, device] = text
        from cuprite._raw import compiled
        # signed numbers wrap, as they do in the engine that does the first calls
        wraps = () if _is_gpu(device) else ("-fwrapv",)
        module = compiled(text, (*self._options, *options, *wraps), (), self.name)
        found = tuple(module.kernel(n) for n in names)
        return found if len(found) > 1 else found[0]

    @property
    def cached_codes(self):
        """The sources that were compiled: {(types, layout, device): text}."""
        self._wait()
        if not self._codes:
            import warnings
            warnings.warn("No codes are cached because compilation is deferred until the first function call.")
        return dict(self._codes)

    @property
    def cached_code(self):
        """One of the sources that were compiled, the longest."""
        return max(self.cached_codes.values(), key=len, default="")

    def _wait(self):
        """Waits for what a thread compiles."""

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r}>"


class ElementwiseKernel(_LoopKernel):
    """A function of elements, written in CUDA C++, that is applied to broadcast arrays.

    in_params and out_params declare the parameters, 'float32 x, T y, raw T z': a type of NumPy's or a placeholder of
    one letter; what is raw is not stepped through but indexed in the operation. `operation` computes the outputs from
    the inputs; `i` is the index of the element, `n` their number, `_ind.size()` and `_ind.get()` the same by axes.
    loop_prep and after_loop run once a thread; `preamble` stands before the kernel. Outputs that a call does not give
    are made by it. Calls take size= (where all arrays are raw), stream= and block_size=. `name` is the kernel's, `doc`
    its text; reduce_dims False keeps all axes; no_return: results are not returned; return_tuple: one result is a
    tuple, too.

    Errors: TypeError for keywords that there are not and unknown types; CompileException
        for code that is none.

    Example:
        >>> square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")
        >>> square(cp.arange(3))
        array([0, 1, 4])
    """
    __slots__ = ("in_params", "out_params", "params", "nin", "nout", "nargs", "name", "preamble", "reduce_dims",
                 "operation", "no_return", "return_tuple", "kwargs")

    def __init__(self, in_params, out_params, operation, name="kernel", reduce_dims=True, preamble="", no_return=False,
                 return_tuple=False, *, options=(), loop_prep="", after_loop="", doc=None, **kwargs):
        if kwargs:
            raise TypeError(f"ElementwiseKernel got unexpected keyword arguments: {', '.join(map(repr, kwargs))}")
        _texts(operation=operation, loop_prep=loop_prep, after_loop=after_loop)
        self._setup(in_params, out_params, name, preamble, reduce_dims, options)
        self.operation, self.no_return, self.return_tuple = operation, no_return, return_tuple
        self.loop_prep, self.after_loop = loop_prep, after_loop
        self.kwargs = {k: v for k, v in (("options", options), ("loop_prep", loop_prep), ("after_loop", after_loop))
                       if v}
        self.body_source = " ".join((operation, loop_prep, after_loop))
        self._wide = loop_source.may_be_wide(self, operation)
        self._single = loop_source.is_one_assignment(self, operation)
        self._direct = not (options or preamble or loop_prep or after_loop or any(p.raw for p in self.params) or
                            not all(p.is_const for p in self.in_params))
        self._waiting = []
        if doc is not None:
            self.__doc__ = doc
        self._declare(name, bytes(p.raw for p in self.params), self.nin, self.nout, False, no_return, return_tuple,
                      reduce_dims, True)

    def _resolve(self, names, device):
        return _resolve(self, names), _is_gpu(device), 0

    def _build(self, types, device, key):
        text = loop_source.elementwise(self, types, key, _is_gpu(device))
        apart = self._direct and c_source.is_taken(self, types)
        return self._compile(text, types, key, device, (self.symbol,), ("--fmad=false",) if apart else ())

    def _engine(self, types, device):
        """What runs until a kernel is compiled; None where calls wait for the compiler."""
        if os.environ.get("CUPRITE_CHECK", "0") not in ("", "0"):
            return None  # whose accesses are checked
        return c_source.engine(self, types, _is_gpu(device))

    def _later(self, device, types, layout):
        """Has compiled what a call was done without; types and layout are keys of the calls in C."""
        job = functools.partial(self._make_later, device, types, layout)
        self._waiting.append(job)
        jobs.queue().put(job)

    def _make_later(self, *what):
        try:
            self._make(*what)
        except Exception as e:  # no compiler, say: the engine goes on
            jobs.report_failure(self.name, e)
        finally:
            self._waiting.pop()

    def _wait(self):
        if self._waiting:
            jobs.wait()


class ReductionKernel(_LoopKernel):
    """A reduction written in CUDA C++: `map_expr` makes a value of each element, `reduce_expr` one value of two, `a`
    and `b`, and `post_map_expr` writes the outputs from the last one, `a`. `identity` is the value of no elements
    (None: there is none), `reduce_type` the C type of the values, the first output's by default.

    Calls take axis=, keepdims=, out= and stream= as cuprite.sum does. The same input gives the same bits. in_params and
    out_params are declared as of ElementwiseKernel; `name`, reduce_dims and `preamble` as there.

    Errors: ValueError without an output; CompileException for code that is none.

    Example:
        >>> squares = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
        >>> squares(cp.arange(4.0))
        array(14.)
    """
    __slots__ = ("in_params", "out_params", "params", "nin", "nout", "nargs", "name", "preamble", "reduce_dims",
                 "map_expr", "reduce_expr", "post_map_expr", "identity", "reduce_type", "options")

    def __init__(self, in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name="reduce_kernel",
                 reduce_type=None, reduce_dims=True, preamble="", options=()):
        _texts(map_expr=map_expr, reduce_expr=reduce_expr, post_map_expr=post_map_expr,
               reduce_type="" if reduce_type is None else reduce_type)
        self._setup(in_params, out_params, name, preamble, reduce_dims, options)
        if not self.out_params:
            raise ValueError("ReductionKernel needs an output")
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity, self.reduce_type, self.options = identity, reduce_type, options
        self.identity_source = "" if identity is None else _literal(identity)
        self.body_source = " ".join((map_expr, reduce_expr, post_map_expr, self.identity_source, reduce_type or ""))
        self._wide = loop_source.may_be_wide(self, map_expr)
        self._declare(name, bytes(p.raw for p in self.params), self.nin, self.nout, True, False, False, reduce_dims,
                      identity is not None)

    def _placeholders(self, types):
        return {p.ctype: t for p, t in zip(self.params, types) if p.dtype_name is None}

    def reduce_ctype(self, types):
        """The C type of the values, for these types of the parameters."""
        return self.reduce_type if self.reduce_type is not None else C_TYPES[types[self.nin]]

    def _part_bytes(self, types):
        """Bytes of a value; 0 where they are the preamble's secret, and then a result is made by one block."""
        if self.reduce_type is None:
            return SIZES[types[self.nin]]
        word = " ".join(self.reduce_type.split())
        named = self._placeholders(types).get(word)
        by_c = {c: SIZES[t] for t, c in C_TYPES.items()} | {"long": 8, "unsigned long": 8, "size_t": 8, "ptrdiff_t": 8,
                                                           "unsigned": 4, "char": 1, "int64_t": 8, "uint64_t": 8,
                                                           "int32_t": 4, "uint32_t": 4}
        return SIZES[named] if named else by_c.get(word, 0)

    def _resolve(self, names, device):
        types = _resolve(self, names)
        return types, _is_gpu(device), self._part_bytes(types)

    def _build(self, types, device, key):
        text = loop_source.Reduction(self, types, key, _is_gpu(device)).text()
        split = key[loop_source.KEY_FLAGS] & loop_source.SPLIT
        names = (self.symbol, self.symbol + "_join") if split else (self.symbol,)
        return self._compile(text, types, key, device, names)


def _literal(identity):
    """The identity as C writes it, between the brackets of a conversion to the type of the values."""
    if type(identity).__name__.startswith("complex"):
        return f"{_literal(identity.real)}, {_literal(identity.imag)}"
    text = str(identity)
    return {"inf": "(1.0 / 0.0)", "-inf": "(-1.0 / 0.0)", "nan": "(0.0 / 0.0)", "True": "true", "False": "false"}.get(
        text, text)
