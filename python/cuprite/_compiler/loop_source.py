"""CUDA C++ source of ElementwiseKernel and ReductionKernel, for one layout of their operands.

The kernels' arguments are the parameters (an address, or a number), for a reduction the memory of partial results, and
the geometry `_g`, integers in the order in which python/src/loop_run.c writes them. _loop_constants has that order and
all else that the two must agree on. The source has no barrier on the CPU: a block is one thread there. It goes over a
chunk of the elements, along rows, so that compilers vectorize it. A reduction accumulates in a few SIMD lanes or
columns, and a second kernel combines its parts. On a GPU threads take elements in turn, and a block's lanes are joined
in shared memory. All partial results are combined in an order that the sizes alone determine.
"""
import re

from cuprite import _core

# cuprite's names of types -> C's, with those of CUDA's overloads
C_TYPES = {"bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short",
           "uint16": "unsigned short", "int32": "int", "uint32": "unsigned int", "int64": "long long",
           "uint64": "unsigned long long", "float16": "float16", "bfloat16": "bfloat16", "float32": "float",
           "float64": "double", "complex64": "complex<float>", "complex128": "complex<double>"}
SIZES = {"bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
         "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16}

_C = _core._loop_constants()
NARROW, SPLIT, COLUMN, WIDE = [_C[n] for n in ("NARROW", "SPLIT", "COLUMN", "WIDE")]
NUMBER, RAW_DENSE, RAW_STRIDED, DENSE, UNIT, REPEATED, STRIDED = [
    _C[n] for n in ("NUMBER", "RAW_DENSE", "RAW_STRIDED", "DENSE", "UNIT", "REPEATED", "STRIDED")]
COLUMNS, THREADS = _C["COLUMNS"], _C["THREADS"]
LANES, ROWS = 32, 4
KEY_FLAGS = _C["KEY_FLAGS"]
_AT = {name: i for i, name in enumerate(_C["ELEMENTWISE"])}  # in the geometry


def mentions(text, word):
    """Whether `word` occurs in the source as a word."""
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


class Operand:
    """A parameter of one variant: how it lies, and where its integers stand in the geometry."""
    __slots__ = ("name", "ctype", "const", "output", "lies", "axes", "at")

    def __init__(self, parameter, ctype, output, lies, axes):
        self.name, self.ctype, self.output = parameter.name, ctype, output
        self.lies, self.axes = lies, axes
        self.const = "const " if parameter.is_const else ""
        self.at = None

    @property
    def raw(self):
        return self.lies in (RAW_DENSE, RAW_STRIDED)

    @property
    def argument(self):
        if self.lies == NUMBER:
            return f"const {self.ctype} {self.name}"
        return f"{'' if self.raw else self.const}{self.ctype} *_raw_{self.name}"

    def reference(self, place):
        return f"{self.const}{self.ctype} &{self.name} = {place};"

    def element(self, row, step, index):
        """The element `index` elements after the address `row` (bytes), by the operand's layout along the row."""
        kind = f"{self.const}{self.ctype}"
        if self.lies == REPEATED:
            return self.reference(f"*({kind} *){row}")
        if self.lies in (UNIT, DENSE):
            return self.reference(f"(({kind} *){row})[{index}]")
        return self.reference(f"*({kind} *)({row} + ({index}) * {step})")


class Variant:
    """What the C side says of a call: flags, axes of results, axes that are reduced, and how each operand lies."""

    def __init__(self, key, parameters, nin, types, reduction):
        self.flags, self.kept, self.reduced = key[KEY_FLAGS], key[_C["KEY_KEPT"]], key[_C["KEY_REDUCED"]]
        first = _C["KEY_OPERANDS"]
        self.narrow = "true" if self.flags & NARROW else "false"
        self.axes = self.kept + self.reduced
        self.operands = [Operand(p, C_TYPES[t], i >= nin, key[first + 2 * i], key[first + 2 * i + 1])
                         for i, (p, t) in enumerate(zip(parameters, types))]
        self.stepping = [t for o, t in zip(self.operands, types) if not o.raw and o.lies != NUMBER]
        self.stepping_in = [t for o, t in zip(self.operands[:nin], types) if not o.raw and o.lies != NUMBER]
        self.shape = len(_C["REDUCTION" if reduction else "ELEMENTWISE"])
        self.numbers = self.shape + self.axes
        for o in self.operands:
            if not o.raw and o.lies not in (NUMBER, DENSE):
                o.at = self.numbers
                self.numbers += self.kept if reduction and o.output else self.axes
        for o in self.operands:
            if o.raw:
                o.at = self.numbers
                self.numbers += 1 + 2 * o.axes

    @property
    def inputs(self):
        return [o for o in self.operands if not o.output and not o.raw and o.lies != NUMBER]

    @property
    def outputs(self):
        return [o for o in self.operands if o.output and not o.raw]

    def raws(self):
        for o in self.operands:
            if o.raw:
                dense = "true" if o.lies == RAW_DENSE else "false"
                yield (f"CArray<{o.ctype}, {o.axes}, {dense}, {self.narrow}> {o.name}(_raw_{o.name}, _g.v + {o.at});")

    def arguments(self, *more):
        return ", ".join([o.argument for o in self.operands] + [*more, f"const cuprite_numbers<{self.numbers}> _g"])


def lines(indent, *strings):
    """Strings, and lists of strings, indented by so many steps."""
    found = []
    for t in strings:
        found += ["    " * indent + line if line else "" for line in ([t] if isinstance(t, str) else t)]
    return found


#: in loops of a few rounds: vectors of them take a third of a reduction's compile time, and save nothing
SINGLY = "cuprite_singly();"
#: what cuprite_array.cuh has besides the loops' own header, or what may hide a use of it
ARRAYS = re.compile(r"\b(float16|bfloat16|CArray|CIndexer|CUPY_FOR|cuprite_(?!loop|numbers|count|offset|bits|from_bits|"
                    r"negative|double|float|vector|singly)\w+)\b|##|%:|#\s*include(?! <cuprite_loop\.cuh>)")


def finished(kernel, text):
    """The source, behind all of our arrays' header where it may use that."""
    text = "\n".join([*text, ""])
    whole = ARRAYS.search(text) or any("-std" not in o for o in getattr(kernel, "_options", ()))
    return text.replace("cuprite_loop.cuh", "cuprite_array.cuh", 1) if whole else text


def opening(kernel, types):
    """Headers, the types that placeholders stand for, and the user's preamble."""
    text = ["#include <cuprite_loop.cuh>"]
    words = " ".join([kernel.preamble, kernel.body_source, *types])
    if "complex" in words:
        text.append("#include <cupy/complex.cuh>")
    known = {}
    for p, t in zip(kernel.params, types):
        if p.dtype_name is None:
            known.setdefault(p.ctype, t)
    text += [f"typedef {C_TYPES[t]} {name};" for name, t in known.items()]
    return text + ([kernel.preamble] if kernel.preamble else [])


def once(operation):
    """The operation of one element. `return`, `break` and `continue` leave that element only."""
    operation = operation.strip()
    words = re.sub(r"/\*.*?\*/|//[^\n]*", " ", operation, flags=re.S)
    if any(mentions(words, word) for word in ("return", "break", "continue")):
        operation = f"do {{ {operation}\n; }} while (0)"
    return f"[&]() {{ {operation}; }}();" if mentions(words, "return") else operation + ";"


def own_index(place):
    """The operation's `i`, which it may change: the loop goes on with its own."""
    return [f"ptrdiff_t i = {place};", "(void)i;"]


# --- elementwise ---
def elementwise(kernel, types, key, gpu):
    v = Variant(key, kernel.params, kernel.nin, types, False)
    steps = v.inputs + v.outputs
    by_axes = mentions(kernel.body_source, "_ind")
    flat = all(o.lies == DENSE for o in steps)
    text = opening(kernel, types)
    text.append(f'extern "C" __global__ void {kernel.symbol}({v.arguments()})')
    text.append("{")
    text += lines(1, f"const ptrdiff_t n = (ptrdiff_t)_g.v[{_AT['n']}];", "(void)n;", list(v.raws()))
    if by_axes:
        text += lines(1, f"CIndexer<{v.axes}, true, {v.narrow}> _ind(n, _g.v + {v.shape});")
    if kernel.loop_prep:
        text += lines(1, kernel.loop_prep + ";")
    body = (["_ind.set(i);"] if by_axes else [])
    if gpu and v.flags & WIDE:
        text += _wide_step(v, steps, body, kernel)
    elif gpu:
        text += _strided_loop(v, steps, body, kernel.operation)
    elif flat:
        text += _flat_loop(v, steps, body, kernel.operation)
    else:
        text += _rows_loop(v, steps, body, kernel.operation)
    if kernel.after_loop:
        text += lines(1, kernel.after_loop + ";")
    return finished(kernel, [*text, "}"])


def _strided_loop(v, steps, body, operation):
    """Threads take elements in turn."""
    places = [o.reference(f"_raw_{o.name}[i]") if o.lies == DENSE else
              o.reference(f"*({o.const}{o.ctype} *)((char *)_raw_{o.name} + cuprite_offset<{v.axes}, {v.narrow}>"
                          f"(i, _g.v + {v.shape}, _g.v + {o.at}))") for o in steps]
    return ["#pragma unroll 1", *lines(1, "CUPY_FOR(_turn, n) {"), *lines(2, own_index("_turn"), body, places,
            once(operation)), *lines(1, "}")]


def may_be_wide(kernel, operation):
    """Whether a thread may take several elements at once: it keeps nothing between them, and neither takes addresses of
    inputs, which lie in registers then, nor writes to them."""
    names = "|".join(re.escape(p.name) for p in kernel.in_params if not p.raw)
    if any(not p.is_const and not p.raw for p in kernel.in_params):
        return False
    return not kernel.loop_prep and not kernel.after_loop and not mentions(operation, "break") and not (
        names and re.search(rf"&\s*({names})\b", operation))


def is_one_assignment(kernel, operation):
    """Whether the operation is `output = expression` alone, so that nothing is read after something is written."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", operation, flags=re.S).strip().rstrip(";").strip()
    whole = re.fullmatch(r"(\w+)\s*=(?!=)(.*)", text, re.S)
    return bool(whole and len(kernel.out_params) == 1 and whole[1] == kernel.out_params[0].name and
                not re.search(r"[;{}#]|\+\+|--|(?<![=!<>])=(?!=)|<<=|>>=", whole[2]))


def assigned(operation):
    """The names that the operation assigns to, once and before it reads them, whatever the elements are."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", operation, flags=re.S).strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1]
    if re.search(r"[{}#\"']|\b(if|else|for|while|do|switch|goto|return|continue|break|asm)\b", text):
        return set()
    found, seen = set(), set()
    for statement in text.split(";"):
        m = re.match(r"\s*(\w+)\s*=(?!=)(.*)", statement, re.S)
        words = set(re.findall(r"[A-Za-z_]\w*", m[2] if m else statement))
        if m and m[1] not in seen | words:
            found.add(m[1])
            words.add(m[1])
        seen |= words
    return found


def _wide_step(v, steps, body, kernel):
    """A thread takes neighbours, as many as the widest operand has in 16 bytes."""
    count = 16 // max(SIZES[t] for t in v.stepping)
    flat = all(o.lies == DENSE for o in steps)
    written = assigned(kernel.operation)
    word = "unsigned int" if v.flags & NARROW else "unsigned long long"
    text = lines(1, f"const {word} _at = (({word})blockIdx.x * blockDim.x + threadIdx.x) * {count}u;",
                 f"if (_at >= ({word})n) return;")
    if flat:
        text += lines(1, f"const bool _whole = ({word})n - _at >= {count};")
    places, loads, pieces, stores, rests = [], [], [], [], []
    for o in steps:
        vector = f"cuprite_vector<{o.ctype}, {count}>"
        if o.lies == DENSE:
            text += lines(1, f"{o.const}{o.ctype} *const _p_{o.name} = _raw_{o.name} + _at;")
        else:
            text += lines(1, f"{o.const}{o.ctype} *const _p_{o.name} = ({o.const}{o.ctype} *)((char *)_raw_{o.name} + "
                             f"cuprite_offset<{v.axes}, {v.narrow}>(_at, _g.v + {v.shape}, _g.v + {o.at}));")
        if o.lies in (DENSE, UNIT) and (not o.output or o.name in written):
            text += lines(1, f"{vector} _v_{o.name};")
            places.append(o.reference(f"_v_{o.name}.v[_j]"))
            if o.output:
                stores.append(f"*({vector} *)_p_{o.name} = _v_{o.name};")
                rests.append(f"_p_{o.name}[_j] = _v_{o.name}.v[_j];")
            else:
                loads.append(f"_v_{o.name} = *(const {vector} *)_p_{o.name};")
                pieces.append(f"_v_{o.name}.v[_j] = _p_{o.name}[_j];")
        elif o.lies == REPEATED:
            text += [] if o.output else lines(1, f"const {o.ctype} _v_{o.name} = *_p_{o.name};")
            places.append(o.reference(f"*_p_{o.name}" if o.output else f"_v_{o.name}"))
        else:
            places.append(o.reference(f"_p_{o.name}[_j]"))
    text += _whole_or_rest(flat, loads, pieces, count)
    text += ["#pragma unroll"] + lines(1, f"for (int _j = 0; _j < {count}; ++_j) {{")
    text += lines(2, own_index("(ptrdiff_t)(_at + _j)"), ["if (i >= n) break;"] if flat else [], body, places,
                  once(kernel.operation)) + lines(1, "}")
    return text + _whole_or_rest(flat, stores, rests, count)


def _whole_or_rest(flat, whole, rest, count):
    """Vectors are moved at once; the last one of a flat array, where it is not whole, element by element."""
    if not flat:
        return lines(1, whole)
    if not whole:
        return []
    return [*lines(1, "if (_whole) {"), *lines(2, whole), *lines(1, "} else {"), "#pragma unroll",
            *lines(2, f"for (int _j = 0; _j < {count}; ++_j)"), *lines(3, "if ((ptrdiff_t)(_at + _j) < n) {"),
            *lines(4, rest), *lines(3, "}"), *lines(1, "}")]


PIECE = [f"const ptrdiff_t _begin = (ptrdiff_t)blockIdx.x * _g.v[{_AT['piece']}];",
         f"const ptrdiff_t _end = n - _begin < _g.v[{_AT['piece']}] ? n : _begin + (ptrdiff_t)_g.v[{_AT['piece']}];"]


def _flat_loop(v, steps, body, operation):
    places = [o.reference(f"_raw_{o.name}[i]") for o in steps]
    return [*lines(1, PIECE, "for (ptrdiff_t _turn = _begin; _turn < _end; ++_turn) {"),
            *lines(2, own_index("_turn"), body, places, once(operation)), *lines(1, "}")]


def _rows_loop(v, steps, body, operation):
    """Rows along the last axis; where one begins is found once."""
    last = v.axes - 1
    text = lines(1, PIECE, f"const ptrdiff_t _extent = (ptrdiff_t)_g.v[{v.shape + last}];",
                 "for (ptrdiff_t _row = _begin; _row < _end;) {")
    text += lines(2, "const ptrdiff_t _left = _extent - _row % _extent;",
                  "const ptrdiff_t _count = _left < _end - _row ? _left : _end - _row;")
    places = []
    for o in steps:
        if o.lies == DENSE:
            places.append(o.reference(f"_raw_{o.name}[i]"))
            continue
        text += lines(2, f"char *const _row_{o.name} = (char *)_raw_{o.name} + cuprite_offset<{v.axes}, false>"
                         f"(_row, _g.v + {v.shape}, _g.v + {o.at});",
                      f"const ptrdiff_t _step_{o.name} = (ptrdiff_t)_g.v[{o.at + last}];", f"(void)_step_{o.name};")
        places.append(o.element(f"_row_{o.name}", f"_step_{o.name}", "i - _row"))
    text += lines(2, "for (ptrdiff_t _turn = _row; _turn < _row + _count; ++_turn) {")
    text += lines(3, own_index("_turn"), body, places, once(operation))
    return text + lines(2, "}", "_row += _count;") + lines(1, "}")


# --- reductions ---
NAMES = _C["REDUCTION"]


class Reduction:
    """The source of a reduction: one kernel, or two where its elements are split into chunks."""

    def __init__(self, kernel, types, key, gpu):
        self.kernel, self.types, self.gpu = kernel, types, gpu
        self.v = Variant(key, kernel.params, kernel.nin, types, True)
        self.split, self.column = bool(key[KEY_FLAGS] & SPLIT), bool(key[KEY_FLAGS] & COLUMN)

    def text(self):
        text = opening(self.kernel, self.types)
        text += self.typedefs()
        text += self.head("")
        text += self.gpu_first() if self.gpu else self.cpu_columns() if self.column else self.cpu_rows()
        text.append("}")
        if self.split:
            text += self.head("_join") + (self.gpu_join() if self.gpu else self.cpu_join()) + ["}"]
        return finished(self.kernel, text)

    def typedefs(self):
        k, text = self.kernel, []
        for side, first in (("in", 0), ("out", k.nin)):
            operands = self.v.operands[first:first + (k.nin if side == "in" else k.nout)]
            text += [f"typedef {o.ctype} type_{side}{i}_raw;" for i, o in enumerate(operands)]
        return text + [f"typedef {k.reduce_ctype(self.types)} _type_reduce;"]

    def head(self, suffix):
        v = self.v
        text = [f'extern "C" __global__ void {self.kernel.symbol}{suffix}({v.arguments("void *_part")})', "{"]
        for i, name in enumerate(NAMES):
            text += lines(1, f"const ptrdiff_t _{name} = (ptrdiff_t)_g.v[{i}];")
        text += lines(1, *[f"(void)_{name};" for name in NAMES], list(v.raws()))
        if mentions(self.kernel.body_source, "_in_ind"):
            text += lines(1, f"CIndexer<{v.axes}, true, {v.narrow}> _in_ind(_kept * _all, _g.v + {v.shape});")
        if mentions(self.kernel.body_source, "_out_ind"):
            text += lines(1, f"CIndexer<{v.kept}, true, {v.narrow}> _out_ind(_kept, _g.v + {v.shape});")
        return text

    def offset(self, o, axes, first, index):
        narrow = self.v.narrow
        return f"cuprite_offset<{axes}, {narrow}>({index}, _g.v + {self.v.shape + first}, _g.v + {o.at + first})"

    def mapped(self, result, kept, reduced):
        """The words between the elements' references and the result."""
        words = []
        if mentions(self.kernel.map_expr, "_J"):
            words.append(f"const ptrdiff_t _J = {reduced};")
        if mentions(self.kernel.map_expr, "_i"):
            words.append(f"const ptrdiff_t _i = {kept};")
        if mentions(self.kernel.map_expr, "_j"):
            words.append(f"const ptrdiff_t _j = ({kept}) * _all + {reduced};")
        if mentions(self.kernel.map_expr, "_in_ind"):
            words.append(f"_in_ind.set(({kept}) * _all + {reduced});")
        return words + [f"{result} = static_cast<_type_reduce>({self.kernel.map_expr});"]

    def joined(self, into, value):
        return f"{{ _type_reduce a = {into}, b = {value}; {into} = ({self.kernel.reduce_expr}); }}"

    def join_mapped(self, into, places, kept, reduced):
        return ["{", *lines(1, "_type_reduce _value;"), *lines(1, "{"), *lines(2, places,
                self.mapped("_value", kept, reduced)), *lines(1, "}", self.joined(into, "_value")), "}"]

    def finish(self, value, kept):
        """Writes a result, or a part of one."""
        if self.split:
            return [f"((_type_reduce *)_part)[({kept}) * _chunks + _chunk] = {value};"]
        return self.post(value, kept)

    def post(self, value, kept):
        places = []
        for o in self.v.outputs:
            if o.lies == DENSE:
                places.append(o.reference(f"_raw_{o.name}[{kept}]"))
            else:
                places.append(o.reference(f"*({o.ctype} *)((char *)_raw_{o.name} + "
                                          f"{self.offset(o, self.v.kept, 0, kept)})"))
        words = [f"const ptrdiff_t _i = {kept};"] if mentions(self.kernel.post_map_expr, "_i") else []
        if mentions(self.kernel.post_map_expr, "_out_ind"):
            words.append(f"_out_ind.set({kept});")
        return ["{", *lines(1, places, words, f"_type_reduce &a = {value};", f"{self.kernel.post_map_expr};"), "}"]

    def empty(self):
        """What a result of no elements is made of."""
        identity = self.kernel.identity_source
        return f"_type_reduce({identity})" if identity else "_type_reduce()"

    def starts(self, kept, names="_at"):
        """The addresses of the first elements of a result."""
        return [f"char *const {names}_{o.name} = (char *)_raw_{o.name} + {self.offset(o, self.v.kept, 0, kept)};"
                for o in self.v.inputs]

    def at(self, o, reduced):
        return f"_at_{o.name} + {self.offset(o, self.v.reduced, self.v.kept, reduced)}"

    def single(self, reduced):
        """References to one element wherever it lies."""
        return [o.reference(f"*({o.const}{o.ctype} *)({self.at(o, reduced)})") for o in self.v.inputs]

    # --- the CPU ---
    PIECES = ["for (ptrdiff_t _q = (ptrdiff_t)blockIdx.x * _per, _r = _q + _per; _q < _r && _q < _groups * _chunks; "
              "++_q) {"]
    BOUNDS = ["const ptrdiff_t _group = _q / _chunks, _chunk = _q % _chunks, _low = _chunk * _length;",
              "const ptrdiff_t _high = _low + _length < _all ? _low + _length : _all;"]

    def cpu_rows(self):
        last = self.v.axes - 1
        text = lines(1, self.PIECES)
        text += lines(2, self.BOUNDS, self.starts("_group"))
        text += lines(2, f"_type_reduce _lane[{LANES}];", "ptrdiff_t _k = _low;",
                      f"for (; _k < _high && _k < _low + {LANES}; ++_k) {{")
        text += lines(3, self.single("_k"), self.mapped("_lane[_k - _low]", "_group", "_k")) + lines(2, "}")
        text += lines(2, "const ptrdiff_t _lanes = _k - _low;",
                      f"const ptrdiff_t _extent = (ptrdiff_t)_g.v[{self.v.shape + last}];", "while (_k < _high) {")
        text += lines(3, "const ptrdiff_t _left = _extent - _k % _extent;",
                      "const ptrdiff_t _count = _left < _high - _k ? _left : _high - _k;")
        for o in self.v.inputs:
            text += lines(3, f"char *const _row_{o.name} = {self.at(o, '_k')};",
                          f"const ptrdiff_t _step_{o.name} = (ptrdiff_t)_g.v[{o.at + last}];",
                          f"(void)_step_{o.name};")
        text += lines(3, "ptrdiff_t _e = 0;", f"for (; _e + {LANES} <= _count; _e += {LANES})")
        text += lines(4, f"for (int _l = 0; _l < {LANES}; ++_l)")
        text += lines(5, self.join_mapped("_lane[_l]", self.row("_e + _l"), "_group", "_k + _e + _l"))
        text += lines(3, "for (; _e < _count; ++_e) {", f"    {SINGLY}")
        text += lines(4, self.join_mapped("_lane[0]", self.row("_e"), "_group", "_k + _e"))
        text += lines(3, "}", "_k += _count;") + lines(2, "}")
        text += lines(2, f"for (int _w = {LANES // 2}; _w > 0; _w /= 2)")
        text += lines(3, "for (int _l = 0; _l < _w; ++_l) {", f"    {SINGLY}")
        text += lines(4, f"if (_l + _w < _lanes) {self.joined('_lane[_l]', '_lane[_l + _w]')}") + lines(3, "}")
        text += lines(2, f"if (_lanes == 0) _lane[0] = {self.empty()};", self.finish("_lane[0]", "_group"))
        return text + lines(1, "}")

    def row(self, index, number=""):
        return [o.element(f"_row{number}_{o.name}", f"_step_{o.name}", index) for o in self.v.inputs]

    def row_starts(self, number):
        return [f"char *const _row{number}_{o.name} = {self.at(o, f'_k + {number}')};" for o in self.v.inputs]

    def cpu_columns(self):
        inner = self.v.kept - 1
        text = lines(1, f"const ptrdiff_t _inner = (ptrdiff_t)_g.v[{self.v.shape + inner}];",
                     f"const ptrdiff_t _across = (_inner + {COLUMNS - 1}) / {COLUMNS};", self.PIECES)
        text += lines(2, self.BOUNDS, f"const ptrdiff_t _column = _group % _across * {COLUMNS};",
                      "const ptrdiff_t _first = _group / _across * _inner + _column;",
                      f"const ptrdiff_t _wide = _inner - _column < {COLUMNS} ? _inner - _column : {COLUMNS};",
                      f"_type_reduce _lane[{COLUMNS}];", self.starts("_first"))
        for o in self.v.inputs:
            text += lines(2, f"const ptrdiff_t _step_{o.name} = (ptrdiff_t)_g.v[{o.at + inner}];",
                          f"(void)_step_{o.name};")
        text += lines(2, "ptrdiff_t _k = _low;", "if (_k < _high) {") + lines(3, self.row_starts(0))
        text += lines(3, "for (ptrdiff_t _c = 0; _c < _wide; ++_c) {")
        text += lines(4, self.row("_c", 0), self.mapped("_lane[_c]", "_first + _c", "_k")) + lines(3, "}", "++_k;")
        text += lines(2, "}")
        for rows in (ROWS, 1):
            text += lines(2, f"for (; _k + {rows} <= _high; _k += {rows}) {{")
            text += lines(3, *[self.row_starts(r) for r in range(rows)])
            text += lines(3, "for (ptrdiff_t _c = 0; _c < _wide; ++_c) {", "    _type_reduce _sum = _lane[_c];")
            for r in range(rows):
                text += lines(4, self.join_mapped("_sum", self.row("_c", r), "_first + _c", f"_k + {r}"))
            text += lines(4, "_lane[_c] = _sum;") + lines(3, "}") + lines(2, "}")
        text += lines(2, "for (ptrdiff_t _c = 0; _low >= _high && _c < _wide; ++_c) {")
        text += lines(3, SINGLY, f"_lane[_c] = {self.empty()};") + lines(2, "}")
        text += lines(2, "for (ptrdiff_t _c = 0; _c < _wide; ++_c) {")
        text += lines(3, self.finish("_lane[_c]", "_first + _c"))
        return text + lines(2, "}") + lines(1, "}")

    def cpu_join(self):
        text = lines(1, "const ptrdiff_t _o = (ptrdiff_t)blockIdx.x;",
                     "const _type_reduce *const _parts = (const _type_reduce *)_part + _o * _chunks;",
                     "_type_reduce _value = _parts[0];", "for (ptrdiff_t _p = 1; _p < _chunks; ++_p) {",
                     f"    {SINGLY}")
        return text + lines(2, self.joined("_value", "_parts[_p]")) + lines(1, "}", self.post("_value", "_o"))

    # --- GPUs ---
    def shared(self):
        return lines(1, f"__shared__ __align__(16) unsigned char _memory[{THREADS} * sizeof(_type_reduce)];",
                     "_type_reduce *const _lane = (_type_reduce *)_memory;", "const int _t = threadIdx.x;")

    def gpu_first(self):
        """Threads take elements in turn, or as many neighbours as fit a load."""
        neighbours = self.v.flags & WIDE
        self.together = 16 // max(SIZES[t] for t in self.v.stepping_in) if neighbours else 1
        text = self.shared()
        text += lines(1, f"const int _lanes = {THREADS} / (int)_side, _l = _t / (int)_side;",
                      "const ptrdiff_t _o = (ptrdiff_t)blockIdx.x * _side + _t % (int)_side, _chunk = blockIdx.y;",
                      "const ptrdiff_t _low = _chunk * _length, _end = _low + _length < _all ? _low + _length : _all;",
                      f"ptrdiff_t _k = _low + _l * {self.together};", "if (_o < _kept && _k < _end) {")
        text += lines(2, self.starts("_o"), "_type_reduce _sum;", "{")
        text += lines(3, self.single("_k"), self.mapped("_sum", "_o", "_k")) + lines(2, "}")
        text += lines(2, self.gpu_neighbours() if neighbours else self.gpu_turns())
        text += lines(2, "_lane[_t] = _sum;") + lines(1, "}")
        text += lines(1, f"const ptrdiff_t _turns = (_end - _low + {self.together - 1}) / {self.together};",
                      "const int _filled = _turns < _lanes ? (int)_turns : _lanes;",
                      "for (int _w = _lanes / 2; _w > 0; _w /= 2) {")
        text += lines(2, "__syncthreads();", "if (_o < _kept && _l < _w && _l + _w < _filled)")
        text += lines(3, self.joined("_lane[_t]", "_lane[_t + _w * (int)_side]")) + lines(1, "}")
        text += lines(1, "if (_o < _kept && _l == 0) {")
        text += lines(2, f"if (_filled <= 0) _lane[_t] = {self.empty()};", self.finish("_lane[_t]", "_o"))
        return text + lines(1, "}")

    def gpu_turns(self):
        return ["#pragma unroll 4", "for (_k += _lanes; _k < _end; _k += _lanes)",
                *lines(1, self.join_mapped("_sum", self.single("_k"), "_o", "_k"))]

    def gpu_neighbours(self):
        n, places, loads, rests, text = self.together, [], [], [], ["int _skip = 1;"]
        for o in self.v.inputs:
            if o.lies == UNIT:
                vector = f"cuprite_vector<{o.ctype}, {n}>"
                text.append(f"{vector} _v_{o.name};")
                loads.append(f"_v_{o.name} = ((const {vector} *)_at_{o.name})[_k / {n}];")
                rests.append(f"_v_{o.name}.v[_e] = ((const {o.ctype} *)_at_{o.name})[_k + _e];")
                places.append(o.reference(f"_v_{o.name}.v[_e]"))
            elif o.lies == REPEATED:
                places.append(o.reference(f"*({o.const}{o.ctype} *)_at_{o.name}"))
            else:
                places.append(o.reference(f"*({o.const}{o.ctype} *)({self.at(o, '_k + _e')})"))
        text += ["#pragma unroll 2", f"for (; _k < _end; _k += _lanes * {n}, _skip = 0) {{"]
        if loads:
            text += lines(1, f"if (_k + {n} <= _end) {{", lines(1, loads), "} else {", lines(1, ["#pragma unroll"]),
                          f"    for (int _e = 0; _e < {n}; ++_e)", "        if (_k + _e < _end) {", lines(3, rests),
                          "        }", "}")
        text += [*lines(1, "#pragma unroll", f"for (int _e = 0; _e < {n}; ++_e)",
                        "    if (_e >= _skip && _k + _e < _end)"),
                 *lines(3, self.join_mapped("_sum", places, "_o", "_k + _e")), "}"]
        return text

    def gpu_join(self):
        text = self.shared()
        text += lines(1, "const ptrdiff_t _o = (ptrdiff_t)blockIdx.x;",
                      "const _type_reduce *const _parts = (const _type_reduce *)_part + _o * _chunks;",
                      "if (_t < _chunks) {")
        text += lines(2, "_type_reduce _sum = _parts[_t];",
                      f"for (ptrdiff_t _p = _t + {THREADS}; _p < _chunks; _p += {THREADS})")
        text += lines(3, self.joined("_sum", "_parts[_p]")) + lines(2, "_lane[_t] = _sum;") + lines(1, "}")
        text += lines(1, f"const int _filled = _chunks < {THREADS} ? (int)_chunks : {THREADS};",
                      f"for (int _w = {THREADS // 2}; _w > 0; _w /= 2) {{")
        text += lines(2, "__syncthreads();", f"if (_t < _w && _t + _w < _filled) "
                                             f"{self.joined('_lane[_t]', '_lane[_t + _w]')}") + lines(1, "}")
        return text + lines(1, "if (_t == 0)") + lines(2, self.post("_lane[0]", "_o"))
