"""Elements of arrays that are no numbers: records (structured dtypes), strings of fixed length, datetimes.

A record is a block of bytes, the structure `bytes_SIZE_ALIGNMENT` in C++; a value of it is a place, and a variable of
it is an address. A field is a place in it, an array in it an array whose strides are bytes. Where a field may lie on
any byte (a dtype without align=True whose offsets are not multiples of the alignment) it is read and written byte by
byte: GPUs refuse other accesses.
"""
from typing import NamedTuple

from .types import BOOL, DOUBLE, INT64, Array, Scalar, scalar
from .values import Value, as_type, describe

NAT = "(-9223372036854775807LL - 1)"


class Field(NamedTuple):
    """A field of a record: `type` is a Scalar, Record, Chars or Time, `shape` that of a nested array or ()."""
    name: str
    type: object
    shape: tuple
    offset: int


class _Bytes:
    """What records and strings share: a structure of bytes."""
    __slots__ = ()

    @property
    def c(self):
        return f"bytes_{self.size}_{self.alignment}"

    def declaration(self):
        """The structure's text."""
        return f"struct __align__({self.alignment}) {self.c} {{ unsigned char b[{max(self.size, 1)}]; }};\n"


class Record(_Bytes, NamedTuple("Record", [("fields", tuple), ("size", int), ("aligned", bool)])):
    """A structured dtype. aligned: every field lies on a multiple of its own alignment."""
    __slots__ = ()
    kind = "V"

    @property
    def alignment(self):
        return max([alignment(f.type) for f in self.fields], default=1) if self.aligned else 1

    @property
    def dtype(self):
        import numpy
        return numpy.dtype({"names": [f.name for f in self.fields],
                            "formats": [(f.type.dtype, f.shape) if f.shape else f.type.dtype for f in self.fields],
                            "offsets": [f.offset for f in self.fields], "itemsize": self.size})

    @property
    def name(self):
        parts = (f"{f.name}[type={f.type!r}{list(f.shape) if f.shape else ''};offset={f.offset}]" for f in self.fields)
        return f"Record({','.join(parts)};{self.size};{self.aligned})"

    short = property(lambda self: f"r{abs(hash(self)):x}")

    def __repr__(self):
        return self.name

    def field(self, name):
        """The Field of a name (or a number), else None."""
        if isinstance(name, int):
            return self.fields[name] if -len(self.fields) <= name < len(self.fields) else None
        return next((f for f in self.fields if f.name == name), None)

    def from_value(self, v):
        """The text of a value as one of this type."""
        if isinstance(v.type, Record) and (v.type == self or _alike(v.type, self)):
            return v.code
        raise TypeError(f"{describe(v)} cannot become {self.name}")


class Chars(_Bytes, NamedTuple("Chars", [("kind", str), ("count", int)])):
    """A string of at most `count` characters: kind 'S', one byte each, or 'U', four."""
    __slots__ = ()
    alignment = 1  # a packed record may have it anywhere, and it is only copied and compared
    size = property(lambda self: self.count * (4 if self.kind == "U" else 1))
    name = property(lambda self: f"{'[unichr' if self.kind == 'U' else '[char'} x {self.count}]")
    short = property(lambda self: f"{self.kind}{self.count}")

    @property
    def dtype(self):
        import numpy
        return numpy.dtype(f"{self.kind}{self.count}")

    def __repr__(self):
        return self.name

    def from_value(self, v):
        """The text of a value, a constant string or one of the same length, as one of this type."""
        if v.type == self:
            return v.code
        text = v.const if v.known else None
        if not isinstance(text, str if self.kind == "U" else bytes):
            raise TypeError(f"{describe(v)} cannot become a string of the type {self.name}")
        if len(text) > self.count:
            raise ValueError(f"{text!r} has more than the {self.count} characters of {self.name}")
        data = text.encode("utf-32-le") if self.kind == "U" else text
        return f"{self.c}{{{{{', '.join(map(str, data)) or '0'}}}}}"


class Time(NamedTuple):
    """datetime64 (kind 'M') or timedelta64 ('m') in a unit ('D', 's', '10ns', or '' for none)."""
    kind: str
    unit: str

    c = property(lambda self: INT64.c)
    size = property(lambda self: 8)
    name = property(lambda self: f"{'datetime' if self.kind == 'M' else 'timedelta'}64[{self.unit}]")
    short = property(lambda self: f"{self.kind}8{self.unit}")

    @property
    def dtype(self):
        import numpy
        return numpy.dtype(f"{self.kind}8[{self.unit}]" if self.unit else f"{self.kind}8")

    def __repr__(self):
        return self.name

    def from_value(self, v):
        """The text of a value as one of this type, in its unit."""
        if isinstance(v.type, Time) and v.type.kind == self.kind:
            return in_unit(v, self.unit)
        if v.known and type(v.const) is int or isinstance(v.type, Scalar) and v.type.integer:
            return as_type(v, INT64)
        raise TypeError(f"{describe(v)} cannot become {self.name}")


def alignment(t):
    """The alignment of an element in a record of C."""
    if isinstance(t, (Record, Chars)):
        return t.alignment
    return t.size // 2 if t.kind == "c" else t.size


def _alike(a, b):
    """Whether two records have the same fields at the same places, whatever the fields are called."""
    return a.size == b.size and [f[1:] for f in a.fields] == [f[1:] for f in b.fields]


def element(dtype):
    """The type of an array's elements for a dtype: a Scalar, Record, Chars or Time."""
    if type(dtype) is Scalar:
        return dtype
    import numpy
    dtype = numpy.dtype(dtype)
    if dtype.names:
        fields = []
        for name in dtype.names:
            sub, offset = dtype.fields[name][:2]
            base, shape = sub.subdtype or (sub, ())
            fields.append(Field(name, element(base), tuple(shape), offset))
        fields = tuple(fields)
        fine = all(f.offset % alignment(f.type) == 0 and dtype.itemsize % alignment(f.type) == 0 and
                   (not isinstance(f.type, Record) or f.type.aligned) for f in fields)
        return Record(fields, dtype.itemsize, fine)
    if dtype.kind in "SU":
        return Chars(dtype.kind, dtype.itemsize // (4 if dtype.kind == "U" else 1))
    if dtype.kind in "mM" and dtype.isnative:
        return Time(dtype.kind, _unit(dtype))
    return scalar(dtype)


def _unit(dtype):
    import numpy
    unit, count = numpy.datetime_data(dtype)
    return "" if unit == "generic" else unit if count == 1 else f"{count}{unit}"


# --- fields ---

def reference(t, address):
    """The record of the type t at an address."""
    return Value(t, f"(*{address})", lvalue=True)


def field(unit, v, name, strides=None):
    """A field of a record, or the field of every record of an array, whose strides in bytes are given; None where there
    is none of that name."""
    t = v.type.dtype if isinstance(v.type, Array) else v.type
    f = t.field(name)
    if f is None:
        return None
    unit.need_type(f.type)
    packed = not t.aligned
    if isinstance(v.type, Array):
        return _field_of_array(v, f, packed, strides)
    address = f"((unsigned char *)&{v.code} + {f.offset})"
    if f.shape:
        made = Array(f.type, len(f.shape), "C", packed=packed)
        return Value(made, f"(({f.type.c} *){address})", n=list(f.shape), pure=v.pure)
    return place(unit, f.type, address, packed, v.pure)


def place(unit, t, address, packed, pure=True):
    """The element of the type t at an address in bytes."""
    if packed and t.size > 1 and not isinstance(t, (Record, Chars)):
        text = unit.call("packed_load", f"({t.c} *){address}")
        return Value(t, text, lvalue=f"({t.c} *){address}", pure=pure)
    return Value(t, f"(*({t.c} *){address})", lvalue=True, pure=pure)


def _field_of_array(v, f, packed, strides):
    step, inner = f.type.size, []
    for n in reversed(f.shape):
        inner.insert(0, step)
        step *= n
    made = Array(f.type, v.type.ndim + len(f.shape), "B", packed=packed)
    return Value(made, f"(({f.type.c} *)((unsigned char *){v.code} + {f.offset}))", n=[*v.n, *f.shape],
                 s=strides + inner, pure=v.pure)


# --- datetimes ---

_STEPS = {"W": 7 * 86400 * 10 ** 18, "D": 86400 * 10 ** 18, "h": 3600 * 10 ** 18, "m": 60 * 10 ** 18, "s": 10 ** 18,
          "ms": 10 ** 15, "us": 10 ** 12, "ns": 10 ** 9, "ps": 10 ** 6, "fs": 1000, "as": 1}
_MONTHS = {"Y": 12, "M": 1}


def _length(unit):
    """(kind of the unit, its length in the smallest of that kind)"""
    digits = len(unit) - len(unit.lstrip("0123456789"))
    count, word = int(unit[:digits] or 1), unit[digits:]
    return ("months", count * _MONTHS[word]) if word in _MONTHS else ("time", count * _STEPS[word])


def in_unit(v, unit):
    """The text of a time as a number of another unit, which the first one is a multiple of."""
    mine = v.type.unit
    if mine == unit or not mine or not unit:
        return v.code
    (kind, a), (other, b) = _length(mine), _length(unit)
    if kind != other or a % b:
        raise TypeError(f"{v.type.name} cannot become a number of the unit {unit!r} exactly")
    return f"nat_scaled({v.code}, {a // b}LL)"


def finer(a, b):
    """The finer of two units."""
    if a == b or not b:
        return a
    if not a:
        return b
    (kind, x), (other, y) = _length(a), _length(b)
    if kind != other:
        raise TypeError(f"times in {a!r} and {b!r} have no common unit: years and months have no fixed length")
    return a if x <= y else b


def is_time(*values):
    return any(isinstance(v.type, Time) for v in values)


def compute(unit, op, a, b):
    """a op b where one is a time; a not-a-time makes the result one."""
    kinds = "".join(v.type.kind if isinstance(v.type, Time) else "n" for v in (a, b))
    made = _RESULTS.get((op, kinds))
    if made is None:
        raise TypeError(f"unsupported operands for {op}: {describe(a)} and {describe(b)}")
    unit.need("nat")
    pure = a.pure and b.pure
    if "n" in kinds:
        return _with_number(unit, op, kinds, a, b, pure)
    fine = finer(a.type.unit, b.type.unit)
    x, y = in_unit(a, fine), in_unit(b, fine)
    if op == "truediv":
        return Value(DOUBLE, f"nat_ratio({x}, {y})", pure=pure)
    if op == "floordiv":
        return Value(INT64, f"nat_quotient({x}, {y})", pure=pure)
    return Value(Time(made, fine), f"nat_{op}({x}, {y})", pure=pure)


#: (operator, kinds of the operands) -> kind of the result
_RESULTS = {("sub", "MM"): "m", ("add", "Mm"): "M", ("add", "mM"): "M", ("sub", "Mm"): "M", ("add", "mm"): "m",
            ("sub", "mm"): "m", ("mod", "mm"): "m", ("truediv", "mm"): "f", ("floordiv", "mm"): "i",
            ("mul", "mn"): "m", ("mul", "nm"): "m", ("truediv", "mn"): "m", ("floordiv", "mn"): "m",
            ("add", "mn"): "m", ("sub", "mn"): "m", ("add", "Mn"): "M", ("sub", "Mn"): "M"}


def _with_number(unit, op, kinds, a, b, pure):
    t, v = (a, b) if kinds[1] == "n" else (b, a)
    kind = unit.rules.type_of(v).kind
    if kind in "biu":
        other = as_type(v, INT64)
        op = "floordiv" if op == "truediv" else op
    elif op in ("mul", "truediv", "floordiv"):
        other = as_type(v, DOUBLE)
        op = "floordiv" if op == "truediv" else op
    else:
        raise TypeError(f"unsupported operands for {op}: {describe(a)} and {describe(b)}")
    return Value(t.type, f"nat_{op}({t.code}, {other})", pure=pure)


def signed(unit, op, v):
    """+v, -v of a timedelta."""
    if v.type.kind != "m" or op == "~":
        raise TypeError(f"unsupported operand for {op}: {describe(v)}")
    unit.need("nat")
    return v if op == "+" else Value(v.type, f"nat_mul({v.code}, -1LL)", pure=v.pure)


def compare(unit, sign, a, b):
    """Whether a sign b: never with a not-a-time, but for !=."""
    if not (isinstance(a.type, Time) and isinstance(b.type, Time) and a.type.kind == b.type.kind):
        raise TypeError(f"{describe(a)} and {describe(b)} cannot be compared")
    unit.need("nat")
    fine = finer(a.type.unit, b.type.unit)
    x, y = in_unit(a, fine), in_unit(b, fine)
    text = f"nat_compared({x}, {y}, {['==', '!=', '<', '<=', '>', '>='].index(sign)})"
    return Value(BOOL, text, pure=a.pure and b.pure)


def constant(unit, x):
    """A NumPy datetime64 or timedelta64 of the surroundings as a value."""
    import numpy
    return Value(element(x.dtype), f"({int(numpy.asarray(x).view('i8'))}LL)" if not numpy.isnat(x) else NAT)


HELPERS = {
    "packed_load": """template <class T> static __device__ inline T packed_load(const T *p) {
    T value;
    for (int k = 0; k < (int)sizeof(T); k++) ((unsigned char *)&value)[k] = ((const unsigned char *)p)[k];
    return value;
}
""",
    "packed_store": """template <class T> static __device__ inline void packed_store(T *p, T value) {
    for (int k = 0; k < (int)sizeof(T); k++) ((unsigned char *)p)[k] = ((const unsigned char *)&value)[k];
}
""",
    "nat": f"#define NAT {NAT}\n" + """static __device__ inline long long nat_scaled(long long a, long long n) {
    return a == NAT ? NAT : (long long)((unsigned long long)a * (unsigned long long)n);
}
static __device__ inline long long nat_add(long long a, long long b) {
    return a == NAT || b == NAT ? NAT : (long long)((unsigned long long)a + (unsigned long long)b);
}
static __device__ inline long long nat_sub(long long a, long long b) {
    return a == NAT || b == NAT ? NAT : (long long)((unsigned long long)a - (unsigned long long)b);
}
static __device__ inline long long nat_mod(long long a, long long b) {
    if (a == NAT || b == NAT || b == 0) return NAT;
    long long r = b == -1 ? 0 : a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static __device__ inline long long nat_mul(long long a, long long n) { return nat_scaled(a, n); }
static __device__ inline long long nat_mul(long long a, double n) {
    return a == NAT || n - n != 0 ? NAT : (long long)((double)a * n);
}
static __device__ inline long long nat_floordiv(long long a, long long n) {
    return a == NAT || n == 0 ? NAT : n == -1 ? (long long)(0 - (unsigned long long)a) : a / n;
}
static __device__ inline long long nat_floordiv(long long a, double n) {
    return a == NAT || n != n || n == 0 ? NAT : (long long)((double)a / n);
}
static __device__ inline long long nat_quotient(long long a, long long b) {
    if (a == NAT || b == NAT || b == 0) return 0;
    long long q = b == -1 ? (long long)(0 - (unsigned long long)a) : a / b;
    return b != -1 && a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
static __device__ inline double nat_ratio(long long a, long long b) {
    double nan = 1e300 * 1e300 - 1e300 * 1e300;
    return a == NAT || b == NAT ? nan : (double)a / (double)b;
}
static __device__ inline bool nat_compared(long long a, long long b, int how) {
    if (a == NAT || b == NAT) return how == 1;
    return how == 0 ? a == b : how == 1 ? a != b : how == 2 ? a < b : how == 3 ? a <= b : how == 4 ? a > b : a >= b;
}
""",
}
