"""Tracing for fuse: a function runs on stand-ins (placeholders) of arrays, which record its operations as a list of
nodes.

Stand-ins know a type and the shape of one call, and no value, so what a function does with them does not depend on
values. Reading a value raises NotFused; reading a shape specializes the program to it. Types are found by running each
operation on arrays of one element on the CPU, so every rule and refusal is the library's own. Shapes of reductions and
views are found likewise, by arrays without memory or whose lengths identify the axes. program.py compiles the nodes;
rebind.py makes the copy of the function that runs on stand-ins."""
import operator

import cuprite
from cuprite import _core
from cuprite._compiler.jobs import breathe

# of an array and its axes; results are arrays of their own
FRESH = frozenset("""sum prod max min amax amin any all mean var std argmax argmin nansum nanprod nanmax nanmin nanmean
    nanvar nanstd nanargmax nanargmin ptp count_nonzero median nanmedian cumsum cumprod clip round around logsumexp
    """.split())
# those that may look into their argument's memory
VIEWS = frozenset("""transpose swapaxes moveaxis rollaxis squeeze expand_dims broadcast_to reshape ravel flip fliplr
    flipud rot90 real imag atleast_1d atleast_2d atleast_3d permute_dims matrix_transpose""".split())
_METHODS = frozenset("""sum prod max min any all mean var std argmax argmin ptp cumsum cumprod clip round transpose
    swapaxes squeeze reshape ravel flatten""".split())
_ATTRIBUTES = frozenset({"T", "mT", "real", "imag"})
# arrays made of nothing but a shape
MAKERS = frozenset("zeros ones empty full zeros_like ones_like empty_like full_like".split())
# lengths of stand-ins for reductions: what is left of them says which axis it was
_EXTENTS = (5, 7, 11, 13)
PLAIN = {bool, int, float, complex, str, type(None)}
_NAMES = ("float32", "float64", "float16", "int32", "int64", "uint8", "bool", "complex64", "complex128")


class NotFused(Exception):
    """Why a function cannot be fused; without a message where there is nothing to report."""


def is_generic(x):
    """Whether it is a number of NumPy's."""
    return type(x).__module__ == "numpy" and getattr(getattr(x, "dtype", None), "kind", "") in "biufc" and \
        hasattr(x, "item") and getattr(x, "shape", None) == ()


class Node:
    """One thing that is done. `kind`: argument, number (an argument too), op (a ufunc, what: it), part (what: which
    result), where, cast, call (what: a callable, args: templates in `more`) and store (args: target, value)."""
    __slots__ = ("kind", "what", "args", "more", "dtype", "shape", "memory", "at")

    def __init__(self, kind, what, args, dtype, shape, memory=False, more=None):
        self.kind, self.what, self.args, self.more = kind, what, args, more
        self.dtype, self.shape, self.memory = dtype, shape, memory  # memory: it may be read and written by other ways
        self.at = None

    def __repr__(self):
        return f"<{self.at} {self.kind} {self.what} {[a.at if isinstance(a, Node) else a for a in self.args]}>"


class Hole:
    """Where an operand goes in a call's arguments."""
    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


def filled(template, operands):
    """The template with operands in its holes."""
    if isinstance(template, Hole):
        return operands[template.index]
    if type(template) in (tuple, list):
        return type(template)([filled(t, operands) for t in template])
    if type(template) is dict:
        return {k: filled(t, operands) for k, t in template.items()}
    return template


def met(shapes):
    """The shape of operands together."""
    n = max([len(s) for s in shapes], default=0)
    out = [1] * n
    for s in shapes:
        for d, extent in enumerate(s, n - len(s)):
            if extent != 1:
                if out[d] not in (1, extent):
                    raise NotFused()
                out[d] = extent
    return tuple(out)


def _sample(x):
    """An operand of one element: what decides on types."""
    if isinstance(x, Node):
        return 1.0 if x.kind == "number" else cuprite.ones(1, x.dtype)
    return x


def _is_complex(x):
    if isinstance(x, Node):
        return x.dtype.startswith("complex")
    return type(x) is complex or getattr(getattr(x, "dtype", None), "kind", "") == "c"


class Array:
    """Stands for an array: the node that makes it, which assignments may replace."""
    __array_priority__ = 1000

    def __init__(self, trace, node):
        self._trace, self._node = trace, node

    @property
    def dtype(self):
        return cuprite.dtype(self._node.dtype)

    @property
    def shape(self):
        self._trace.shaped = True
        return self._node.shape

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        n = 1
        for d in self.shape:
            n *= d
        return n

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.size * self.itemsize

    def __len__(self):
        if not self.shape:
            raise NotFused()
        return self.shape[0]

    def __iter__(self):
        if len(self) > 64:
            raise NotFused("a loop over so many rows cannot be fused")
        return iter([self[i] for i in range(len(self))])

    def astype(self, dtype, order="K", casting="unsafe", subok=None, copy=True):
        if order != "K" or casting != "unsafe" or subok is not None:
            raise NotFused("astype with such options cannot be fused")
        name = dtype if dtype in _NAMES else cuprite.dtype(dtype).name  # NumPy's is imported for it
        return self if not copy and name == self._node.dtype else self._trace.cast(self, name)

    def copy(self):
        raise NotFused("copy of an array cannot be fused")  # of another order than an operation's result

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        ours = getattr(cuprite, ufunc.__name__, None)
        if method != "__call__" or not isinstance(ours, _core.ufunc):
            raise NotFused(f"numpy.{ufunc.__name__} cannot be fused")
        return self._trace.apply(ours, inputs, **options)

    def __array_function__(self, function, kinds, args, kwargs):
        return self._trace.stand(getattr(cuprite, function.__name__, function))(*args, **kwargs)

    def __getitem__(self, key):
        for k in key if type(key) is tuple else (key,):
            if not (k is None or k is Ellipsis or type(k) is int or (
                    type(k) is slice and all(type(v) in (int, type(None)) for v in (k.start, k.stop, k.step)))):
                raise NotFused("an index of values cannot be fused")
        return self._trace.view(operator.getitem, (self, key), {})

    def __setitem__(self, key, value):
        whole = key is Ellipsis or (type(key) is slice and key == slice(None))
        if not whole and isinstance(value, Array):
            n = value._node
            if n.kind == "call" and n.what is operator.getitem and n.args[0] is self._node and (
                    _alike(n.more[0][1], key)):
                return  # what x[...] += y ends with
        self._trace.store(self if whole else self[key], value)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in _ATTRIBUTES:
            return self._trace.view(operator.attrgetter(name), (self,), {})
        if name in _METHODS:
            def method(*args, **kwargs):
                call = self._trace.view if name in VIEWS else self._trace.fresh
                return call(Method(name), (self, *args), kwargs)
            return method
        raise NotFused(f"{name} of an array cannot be fused")

    def _no(self, *args):
        raise NotFused()

    __float__ = __int__ = __index__ = __complex__ = __bool__ = __contains__ = _no


def _alike(a, b):
    return type(a) is type(b) and a == b


class Method:
    """A method by its name, as a function."""
    def __init__(self, name):
        self.__name__ = name

    def __call__(self, x, *args, **kwargs):
        return getattr(x, self.__name__)(*args, **kwargs)


def _operator(name):
    f = getattr(cuprite, name)

    def applied(x, other):
        squares = name == "power" and type(other) is int and other == 2  # as ndarray's operator decides
        return (cuprite.square, (x,)) if squares else (f, (x, other))

    def forward(self, other):
        return self._trace.apply(*applied(self, other))

    def backward(self, other):
        return self._trace.apply(f, (other, self))

    def inplace(self, other):
        return self._trace.update(self, *applied(self, other))
    return forward, backward, inplace


for _word, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "and": "bitwise_and",
                     "or": "bitwise_or", "xor": "bitwise_xor", "floordiv": "floor_divide", "mod": "remainder",
                     "pow": "power", "lshift": "left_shift", "rshift": "right_shift", "divmod": "divmod"}.items():
    _f, _b, _i = _operator(_name)
    setattr(Array, f"__{_word}__", _f)
    setattr(Array, f"__r{_word}__", _b)
    if _word != "divmod":
        setattr(Array, f"__i{_word}__", _i)
for _word, _name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
                     "ne": "not_equal"}.items():
    setattr(Array, f"__{_word}__", _operator(_name)[0])
for _word, _name in {"neg": "negative", "pos": "positive", "invert": "invert", "abs": "absolute"}.items():
    setattr(Array, f"__{_word}__", lambda self, f=getattr(cuprite, _name): self._trace.apply(f, (self,)))
Array.__hash__ = None


class Number(float):
    """Stands for a floating-point argument, whose value calls may change: only operations with arrays take it."""
    def __new__(cls, trace, node):
        self = super().__new__(cls, "nan")
        self._trace, self._node = trace, node
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
    """The list of nodes that operations on stand-ins become. `stand(trace, function)` gives what is called with
    stand-ins instead of the function (rebind.py)."""

    def __init__(self, stand):
        self._stand = stand
        self.nodes, self.parts = [], {}
        self.shaped = False
        self.names, self.cells, self.attributes = [], [], []  # values outside of the arguments: they may change

    def stand(self, function):
        return self._stand(self, function)

    def add(self, *node, **more):
        n = Node(*node, **more)
        n.at = len(self.nodes)
        if n.at >= 4000:
            raise NotFused("so many operations cannot be fused")
        self.nodes.append(n)
        breathe()
        return n

    def operand(self, x):
        """A node, or a number that stands for itself: Python's are weak, NumPy's have their types."""
        if isinstance(x, (Array, Number)):
            if x._trace is not self:
                raise NotFused()
            return x._node
        if type(x) in (bool, int, float, complex) or is_generic(x):
            return x
        if isinstance(x, _core.ndarray):
            raise NotFused("an array that is no argument cannot be fused")
        raise NotFused()

    @staticmethod
    def shape(operands):
        return met([n.shape for n in operands if isinstance(n, Node)])

    def apply(self, f, operands, out=None, **options):
        if options:
            raise NotFused(f"{f.name} with {', '.join(options)} cannot be fused")
        if len(operands) == f.nin + 1 and out is None:
            *operands, out = operands
        if out is not None:
            out = out[0] if type(out) is tuple and len(out) == 1 else out
            if not isinstance(out, Array):
                raise NotFused(f"{f.name} with out cannot be fused")
            return self.update(out, f, operands)
        r = self.result(f, operands)
        return tuple(r) if f.nout > 1 else r[0]

    def result(self, f, operands):
        operands = [self.operand(x) for x in operands]
        r = f(*[_sample(x) for x in operands])  # refused here is refused there
        shape = self.shape(operands)
        if f.nout == 1:
            return [Array(self, self.add("op", f, operands, r._type, shape))]
        both = self.add("op", f, operands, None, shape)
        return [Array(self, self.add("part", k, [both], x._type, shape)) for k, x in enumerate(r)]

    def cast(self, x, dtype):
        if _is_complex(x._node) and not dtype.startswith("complex"):
            raise NotFused()  # there is a warning in each call
        return Array(self, self.add("cast", dtype, [x._node], dtype, x._node.shape))

    def where(self, *operands):
        operands = [self.operand(x) for x in operands]
        r = cuprite.where(*[_sample(x) for x in operands])
        return Array(self, self.add("where", None, operands, r._type, self.shape(operands)))

    def update(self, x, f, operands):
        """f(*operands, out=x)"""
        if f.nout != 1:
            raise NotFused()
        operands = [y for y in operands]
        f(*[_sample(self.operand(y)) for y in operands], out=_sample(x._node))
        value = self.result(f, operands)[0]
        return self.replace(x, value._node, (f, [self.operand(y) for y in operands]))

    def store(self, x, value):
        """x[...] = value"""
        value = self.operand(value)
        if _is_complex(value) and not _is_complex(x._node):
            raise NotFused()  # there is a warning in each call
        _sample(x._node)[...] = _sample(value)
        self.replace(x, value, None)

    def replace(self, x, value, how):
        """x has the value from here on: as shared memory, or as another node where it is not shared."""
        target = x._node
        if isinstance(value, Node) and value.kind != "number" and met([value.shape, target.shape]) != target.shape:
            raise NotFused()  # refused
        if target.memory:
            self.add("store", how, [target, value], target.dtype, target.shape)
        else:
            x._node = self.add("set", how, [target, value], target.dtype, target.shape)
        return x

    # --- calls of the library ---
    def templates(self, given):
        """The call's arguments with holes, and the nodes that go there."""
        nodes = []

        def hole(x):
            if isinstance(x, Array):
                nodes.append(self.operand(x))
                return Hole(len(nodes) - 1)
            if isinstance(x, (Number, _core.ndarray)):
                raise NotFused()
            if type(x) in (tuple, list):
                return type(x)([hole(y) for y in x])
            if type(x) is dict:
                return {k: hole(y) for k, y in x.items()}
            if type(x) in PLAIN or x is Ellipsis or isinstance(x, (slice, type)) or is_generic(x) or \
                    type(x).__module__ in ("numpy", "numpy.dtypes"):
                return x
            raise NotFused()
        return hole(given), nodes

    def fresh(self, what, args, kwargs):
        if kwargs.get("out") is not None or "where" in kwargs:
            raise NotFused(f"{what.__name__} with out or where cannot be fused")
        more, nodes = self.templates((tuple(args), dict(kwargs)))
        if any(len(n.shape) > len(_EXTENTS) for n in nodes):
            raise NotFused()
        whole = met([n.shape for n in nodes])

        def extents(shape):
            return [1 if e == 1 else _EXTENTS[d] for d, e in enumerate(shape, len(whole) - len(shape))]
        a, k = filled(more, [cuprite.ones(extents(n.shape), n.dtype) for n in nodes])
        r = what(*a, **k)
        known = dict(zip(_EXTENTS, whole))
        if not isinstance(r, _core.ndarray) or any(e != 1 and e not in known for e in r.shape):
            raise NotFused(f"{what.__name__} cannot be fused")
        return Array(self, self.add("call", what, nodes, r._type, tuple([known.get(e, 1) for e in r.shape]),
                                    more=more))

    def view(self, what, args, kwargs):
        more, nodes = self.templates((tuple(args), dict(kwargs)))
        if len(nodes) != 1:
            raise NotFused()
        node = nodes[0]
        same = (node, repr(args[1])) if what is operator.getitem else None
        if same in self.parts:  # a part of the same memory: written through one, read through the other
            return Array(self, self.parts[same])
        if what.__name__ in ("reshape", "ravel", "flatten") if hasattr(what, "__name__") else False:
            shape, dtype = self.reshaped(what.__name__, node, args[1:], kwargs), node.dtype
        else:
            a, k = filled(more, [cuprite.broadcast_to(cuprite.zeros((), node.dtype), node.shape)])
            r = what(*a, **k)
            if not isinstance(r, _core.ndarray):
                raise NotFused()
            shape, dtype = r.shape, r._type
        node.memory = True
        made = self.add("call", what, nodes, dtype, shape, memory=True, more=more)
        if same:
            self.parts[same] = made
        return Array(self, made)

    def reshaped(self, name, node, args, kwargs):
        size = 1
        for d in node.shape:
            size *= d
        if name != "reshape":
            return (size,)
        if set(kwargs) - {"order", "shape", "newshape", "copy"}:
            raise NotFused()
        new = kwargs.get("shape", kwargs.get("newshape", args[0] if len(args) == 1 else args))
        new = (new,) if type(new) is int else tuple(new)
        if any(type(e) is not int for e in new) or new.count(-1) > 1:
            raise NotFused()
        rest = 1
        for e in new:
            rest *= e if e != -1 else 1
        if -1 in new:
            if not rest or size % rest:
                raise NotFused()
            return tuple([size // rest if e == -1 else e for e in new])
        if rest != size:
            raise NotFused()
        return new

    def made(self, what, args, kwargs):
        """Of zeros and its like: an array that is made in each call."""
        more, nodes = self.templates((tuple(args), dict(kwargs)))
        if any(n.kind == "number" for n in nodes) or len(nodes) > 1:
            raise NotFused()
        like = what.__name__.endswith("_like")
        a, k = filled(more, [cuprite.ones((1,), n.dtype) for n in nodes])
        if like:
            shape = nodes[0].shape
            if not nodes or k.get("shape") is not None:
                raise NotFused()
        else:
            shape = a[0] if a else k.get("shape")
            shape = (shape,) if type(shape) is int else tuple(shape)
            if any(type(e) is not int or e < 0 for e in shape):
                raise NotFused()
            a, k = ((1, *a[1:]), k) if a else (a, {**k, "shape": 1})
        r = what(*a, **k)
        return Array(self, self.add("call", what, nodes, r._type, shape, more=more))
