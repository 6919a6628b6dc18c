"""Elements and views of arrays, as C++ expressions of addresses. A view is an array with its own expressions for
address, lengths and strides. Nothing is copied."""
from . import elements
from .types import CFLOAT, DOUBLE, FLOAT, INT64, Array, Scalar
from .values import Value, as_type, describe, items_of, known, number


def extent(v, k):
    """The k-th length of an array."""
    text = v.n[k]
    return known(text) if isinstance(text, int) else Value(INT64, text, nonneg=True)


def shape(v):
    from .values import make_tuple
    return make_tuple([extent(v, k) for k in range(v.type.ndim)])


def size(v):
    if all(isinstance(n, int) for n in v.n):
        total = 1
        for n in v.n:
            total *= n
        return known(total)
    return Value(INT64, product(v.n), nonneg=True)


def product(strings):
    strings = [str(t) for t in strings if t != 1]
    return strings[0] if len(strings) == 1 else "(" + " * ".join(strings) + ")" if strings else "1"


def stride(v, k):
    """The k-th stride, an expression or a number: in elements, or in bytes for layout 'B'."""
    if v.s is not None:
        return v.s[k]
    rest = v.n[k + 1:] if v.type.layout == "C" else v.n[:k]
    if all(isinstance(n, int) for n in rest):
        out = 1
        for n in rest:
            out *= n
        return out
    return product(rest)


def byte_stride(v, k):
    s, size_ = stride(v, k), v.type.dtype.size
    if v.type.layout != "B":
        s = s * size_ if isinstance(s, int) else f"({s} * {size_})"
    return known(s) if isinstance(s, int) else Value(INT64, s)


def field(unit, v, name):
    """A field of a record, or of every record of an array; None where there is none."""
    if not isinstance(v.type, Array):
        return elements.field(unit, v, name)
    s = [byte_stride(v, k) for k in range(v.type.ndim)]
    return elements.field(unit, v, name, [x.const if x.known else x.code for x in s])


def _index_string(unit, v, k, index):
    """The text of one index, negative ones counted from the end where the rules say so."""
    if index.known:
        if not number(index.const) or isinstance(index.const, (float, complex)):
            raise TypeError(f"an index must be an integer, not {describe(index)}")
        i, n = int(index.const), v.n[k]
        if isinstance(n, int) and not -n <= i < n:
            raise IndexError(f"index {i} is out of bounds for axis {k} with size {n}")
        if i < 0:
            return str(n + i) if isinstance(n, int) else f"({n} - {-i})"
        return str(i)
    t = index.type
    if not isinstance(t, Scalar) or not t.integer:
        raise TypeError(f"an index must be an integer, not {describe(index)}")
    text = f"(int){index.code}" if t.kind == "b" else index.code
    if unit.rules.wraps and not index.nonneg and t.kind == "i":
        return unit.call("py_wrap", text, str(v.n[k]))
    return text


def _offset(v, parts):
    """The sum of index * stride over (axis, text); Horner's form where the layout is C."""
    if v.type.layout == "C" and v.s is None and len(parts) == v.type.ndim:
        text = ""
        for k, i in parts:
            text = i if not text else f"({text} * {v.n[k]} + {i})" if text != "0" else i
        return text or "0"
    terms = [i if str(s) == "1" else f"{i} * {s}" for (k, i), s in ((p, stride(v, p[0])) for p in parts) if i != "0"]
    return " + ".join(terms) if len(terms) < 2 else "(" + " + ".join(terms) + ")"


def _moved(v, parts):
    """The address after indices have been added."""
    offset = _offset(v, parts)
    if not offset or offset == "0":
        return v.code
    if v.type.layout == "B":
        return f"(({v.type.dtype.c} *)((char *){v.code} + {offset}))"
    return f"({v.code} + {offset})"


def _expanded(v, indices):
    ndim = sum(1 for i in indices if not (i.known and i.const is None or i.known and i.const is Ellipsis))
    if ndim > v.type.ndim:
        raise IndexError(f"too many indices: the array has {v.type.ndim} dimensions, {ndim} were indexed")
    whole = known(slice(None))
    out, seen = [], False
    for i in indices:
        if i.known and i.const is Ellipsis:
            if seen:
                raise IndexError("an index can have only one ellipsis")
            seen = True
            out += [whole] * (v.type.ndim - ndim)
        else:
            out.append(i)
    return out if seen else out + [whole] * (v.type.ndim - ndim)


def take(unit, v, indices):
    """v[indices]: an element when every axis has a number, else a view."""
    if v.type.states:
        raise TypeError("states of random generators are used by the functions of cuda.random")
    pure = all(i.pure for i in indices)
    indices = _expanded(v, indices)
    if all(not _is_slice(i) and not (i.known and i.const is None) for i in indices):
        parts = [(k, _index_string(unit, v, k, i)) for k, i in enumerate(indices)]
        if v.type.packed:
            return elements.place(unit, v.type.dtype, _moved(v, parts), True, pure)
        if unit.faults is not None and pure and parts:
            if v.type.dtype.size > 1024:
                raise NotImplementedError("with debug=True an element has at most 1024 bytes")
            text = f"(*{unit.call('debug_at', _moved(v, parts), _inside(v, parts))})"
        elif v.type.layout == "B":
            text = f"*{_moved(v, parts)}"
            text = f"({text})"
        else:
            text = f"{v.code}[{strip(_offset(v, parts) or '0')}]"
        return Value(v.type.dtype, text, lvalue=True, pure=pure)
    return _view(unit, v, indices)


def _inside(v, parts):
    """The C++ condition that all indices are inside."""
    return " && ".join(f"(unsigned long long)({i}) < (unsigned long long)({v.n[k]})" for k, i in parts)


def strip(text):
    """Without the outermost parentheses, where they belong together."""
    if text[:1] != "(" or text[-1:] != ")":
        return text
    depth = 0
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and at < len(text) - 1:
            return text
    return text[1:-1]


def _is_slice(v):
    return isinstance(v.type, SliceType) or (v.known and isinstance(v.const, slice))


class SliceType:
    """The type of start:stop:step with values that are not known yet; they are the value's items."""
    short = "s"


SLICE = SliceType()


def _ends(unit, v, k, index):
    """(first, length, step) of a slice along an axis: numbers, or C++ expressions."""
    start, stop, step = index.items if index.items is not None else \
        [known(x) for x in (index.const.start, index.const.stop, index.const.step)]
    if not step.known:
        return _steps(unit, v.n[k], start, stop, step)
    step = 1 if step.const is None else int(step.const)
    if step == 0:
        raise ValueError("the step of a slice cannot be zero")
    n = v.n[k]
    if isinstance(n, int) and start.known and stop.known:
        first, last, _ = slice(start.const, stop.const, step).indices(n)
        return first, len(range(first, last, step)), step
    down = "true" if step < 0 else "false"

    def clamp(x, otherwise):
        return otherwise if x.known and x.const is None else \
            unit.call("py_slice", as_type(x, INT64), str(n), down)
    unit.need("py_slice")
    first = clamp(start, f"({n} - 1)" if step < 0 else "0")
    last = clamp(stop, "-1" if step < 0 else str(n))
    if first == "0" and last == str(n) and step == 1:
        return 0, n, 1
    return first, f"py_slice_length({first}, {last}, {step})", step


def _steps(unit, n, start, stop, step):
    """_ends, with a step that is known at run time only."""
    unit.need("py_slice")
    d = as_type(step, INT64)
    down = f"({d} < 0)"

    def clamp(x, up, else_):
        return f"({down} ? {else_} : {up})" if x.known and x.const is None else \
            unit.call("py_slice", as_type(x, INT64), str(n), down)
    first, last = clamp(start, "0", f"({n} - 1)"), clamp(stop, str(n), "-1")
    return first, f"py_slice_length({first}, {last}, {d})", d


def _view(unit, v, indices):
    parts, extents, strides, axis, whole_behind = [], [], [], 0, True
    for i in indices:
        if i.known and i.const is None:
            extents.append(1)
            strides.append(0)
            whole_behind = False
            continue
        if _is_slice(i):
            first, length, step = _ends(unit, v, axis, i)
            parts.append((axis, str(first)))
            s = stride(v, axis)
            extents.append(length)
            both = isinstance(s, int) and isinstance(step, int)
            strides.append(s if step == 1 else s * step if both else f"({s} * {step})")
            whole_behind = whole_behind and length == v.n[axis]
        else:
            parts.append((axis, _index_string(unit, v, axis, i)))
            whole_behind = whole_behind and not extents
        axis += 1
    parts = [(k, i) for k, i in parts if i != "0"]
    plain = Value(v.type._replace(layout="B" if v.type.layout == "B" else "A"), v.code, n=v.n,
                  s=[stride(v, k) for k in range(v.type.ndim)])
    layout = "C" if whole_behind and v.type.layout == "C" else plain.type.layout
    return Value(v.type._replace(ndim=len(extents), layout=layout), _moved(plain, parts), n=extents,
                 s=None if layout == "C" else strides, pure=all(i.pure for i in indices))


def transposed(v):
    layout = {"C": "F", "F": "C"}.get(v.type.layout, v.type.layout)
    return Value(v.type._replace(layout=layout), v.code, n=v.n[::-1], s=v.s and v.s[::-1])


def part(unit, v, name):
    """The real or imaginary parts of an array, as a view."""
    t = v.type.dtype
    if t.kind != "c":
        if name == "real":
            return v
        raise TypeError(f"an array of {t.name} has no imaginary parts to write to: they are 0")
    unit.need_type(t)
    half = FLOAT if t is CFLOAT else DOUBLE
    twice = 1 if v.type.layout == "B" else 2
    s = [stride(v, k) for k in range(v.type.ndim)]
    s = [x * twice if isinstance(x, int) else f"({x} * {twice})" for x in s]
    code = f"(({half.c} *){v.code}{' + 1' if name == 'imag' else ''})"
    return Value(v.type._replace(dtype=half, layout="B" if v.type.layout == "B" else "A"), code, n=list(v.n), s=s,
                 pure=v.pure)


def index_items(index):
    """The indices between the brackets, as a list."""
    items = items_of(index)
    return [index] if items is None else items

