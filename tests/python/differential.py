"""Differential cases: a call drawn from a number, made with NumPy and with Cuprite, whose outcomes are compared.

A family is a function that draws a Case from a Draw; the same family and number give the same case, so a failure is
identified by its number, and by a source string that pytest can keep (Case.text). Drawing is plain random choice from
pools of values that are made once, so that a million cases take minutes. Arrays are a buffer and the steps that make a
view of it, done by both libraries: strides, overlap and read-only views are the same on both sides.

What is compared: the exception's type as a program would catch it, the result's structure, type, shape, elements and,
where the case says so, strides; that `out` is what returns; every buffer afterwards, where something may have written;
ComplexWarning and the warnings that shapes alone decide. `Known` holds the differences that have a reason.
"""
import contextlib
import importlib
import math
import operator
import random
import warnings
import zlib

import numpy as np

import cuprite as cp
from cuprite import _device
from oracle import PROMISED, kind

TYPES = "?bBhHiIqQefdFD"
REAL = "?bBhHiIqQefd"
INTEGERS = "bBhHiIqQ"
FLOATS = "efd"
COMPLEX = "FD"
INEXACT = "efdFD"
NAMES = {c: np.dtype(c).name for c in TYPES}
POOL = 4096                                                  # elements of a pool; larger arrays repeat them

#: warnings that Cuprite promises on every device: those that shapes decide, and imaginary parts that are discarded
TOLD = ("Degrees of freedom", "Mean of empty slice")
SPECIAL = [0.0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 1.5, 2.5, -1.5, 3, 0.1, 100, -100, 1e-3, math.inf, -math.inf, math.nan,
           7, -7, 0.9999999, 1.0000001, 88.5, -88.5, 709.5, 1e4, 6e4, 1e-8]


def _pool(char, flavour):
    """unit: powers of two between 1/2 and 2, of either sign; small: integers and quarters near 0, whose sums have
    one answer; positive: those above 0; plain: ordinary numbers; special: with NaN, infinities and zeros of both signs;
    nans: a third NaN; wide: the whole range of bits."""
    rng = np.random.default_rng(zlib.crc32(f"{char}{flavour}".encode()))
    t = np.dtype(char)
    n = POOL
    if t.kind == "b":
        return rng.random(n) < 0.5
    if t.kind in "iu":
        low, high = np.iinfo(t).min, np.iinfo(t).max
        if flavour in ("small", "positive", "plain", "unit"):
            return rng.integers(1 if flavour == "positive" else max(low, -9), 10, n).astype(t)
        r = np.where(rng.random(n) < 0.4, rng.integers(low, high, n, dtype=t, endpoint=True),
                     rng.integers(max(low, -9), 10, n).astype(t))
        edge = np.array([low, high, low + 1, high - 1, 0, 1, high // 2], dtype=object).astype(t)
        return np.where(rng.random(n) < 0.15, rng.choice(edge, n), r).astype(t)
    if t.kind == "c":
        part = "f" if char == "F" else "d"
        r = np.empty(n, t)
        r.real, r.imag = _pool(part, flavour), np.roll(_pool(part, flavour), 1234)
        if flavour != "positive":
            r.imag[rng.random(n) < 0.2] = 0
        return r
    if flavour == "unit":
        return rng.choice([1, -1, 0.5, 2, 1, 1], n).astype(t)
    if flavour in ("small", "positive"):
        return (rng.integers(1 if flavour == "positive" else -32, 33, n) / 4).astype(t)
    r = rng.normal(size=n) * 10.0 ** rng.integers(-3, 2, n)
    r = np.where(rng.random(n) < 0.3, np.round(r), r).astype(t)
    if flavour == "plain":
        return r
    if flavour == "nans":
        return np.where(rng.random(n) < 0.35, np.nan, r).astype(t)
    if flavour == "special":
        return np.where(rng.random(n) < 0.12, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], n), r).astype(t)
    f = np.finfo(t)
    special = np.array(SPECIAL + [f.max, -f.max, f.tiny, f.smallest_subnormal, f.eps])
    with np.errstate(all="ignore"):
        r = np.where(rng.random(n) < 0.4, rng.choice(special, n), r).astype(t)
        bits = rng.integers(0, 256, (n, t.itemsize), dtype=np.uint8).view(t)[:, 0]
        bits = np.where(np.isnan(bits), np.array(np.nan, t), bits)   # one NaN: which one comes through is no rule's
    return np.where(rng.random(n) < 0.2, bits, r).astype(t)


_POOLS = {}


def pool(char, flavour):
    if (char, flavour) not in _POOLS:
        p = _pool(char, flavour)
        p.setflags(write=False)
        _POOLS[char, flavour] = p
    return _POOLS[char, flavour]


class Buffer:
    """Elements that arrays of a case share; one-dimensional, never written here."""
    __slots__ = ("values",)

    def __init__(self, values):
        self.values = values


class Array:
    """A view of a buffer: `steps` are (kind, argument) that both libraries take in turn."""
    __slots__ = ("buffer", "steps", "shape", "char")

    def __init__(self, buffer, steps, shape, char):
        self.buffer, self.steps, self.shape, self.char = buffer, steps, shape, char

    def of(self, xp, memo):
        a = memo.get(id(self.buffer))
        if a is None:
            a = memo[id(self.buffer)] = xp.array(self.buffer.values)
        for what, argument in self.steps:
            if what == "reshape":
                a = a.reshape(argument)
            elif what == "transpose":
                a = a.transpose(argument)
            elif what == "index":
                a = a[argument]
            else:
                a = xp.broadcast_to(a, argument)
        return a

    def text(self, seen):
        name = seen.get(id(self.buffer))
        if name is None:
            name = seen[id(self.buffer)] = f"b{len(seen)}"
            v = self.buffer.values
            t = f"({name} := A({v.dtype.char!r}, [{', '.join(_number(e) for e in v.tolist())}]))"
        else:
            t = name
        for what, argument in self.steps:
            if what == "index":
                t += "[" + ", ".join(_index(i) for i in argument) + "]" if argument else "[()]"
            elif what == "broadcast_to":
                t = f"xp.broadcast_to({t}, {argument})"
            else:
                t += f".{what}({argument})"
        return t

    @property
    def plain(self):
        """The elements, as a NumPy array of its own."""
        return self.of(np, {})


def _number(e):
    if isinstance(e, complex):
        return f"complex({_number(e.real)}, {_number(e.imag)})"
    return repr(e) if not isinstance(e, float) or math.isfinite(e) else f"float({str(e)!r})"


def _index(i):
    if isinstance(i, slice):
        return ":".join("" if v is None else str(v) for v in (i.start, i.stop, i.step))
    return {None: "None", Ellipsis: "..."}.get(i, str(i))


def string_of(v, seen):
    if isinstance(v, Array):
        return v.text(seen)
    if isinstance(v, (tuple, list)):
        inside = ", ".join(string_of(e, seen) for e in v)
        return f"[{inside}]" if isinstance(v, list) else f"({inside}{',' * (len(v) == 1)})"
    if isinstance(v, np.generic):
        return f"np.{type(v).__name__}({_number(v.item())})"
    if isinstance(v, np.dtype):
        return f"np.dtype({v.str!r})"
    if isinstance(v, np.ndarray):
        return f"np.array({v.tolist()}, {v.dtype.char!r})"
    if type(v) is object:
        return "object()"
    if isinstance(v, type):
        return v.__name__
    return _number(v)


class Case:
    """A call: `f` is a dotted name below the module, ".name" a method of the first argument, "op:name" an operator.

    strides: they are promised. writes: buffers are compared afterwards. values: False where they are nobody's (what a
    mask leaves out of a fresh array). close: (case, ours, NumPy's) -> whether arrays that differ may. module: whose
    function it is on both sides, None: each its own. family: the one that drew the case, where another one took it."""
    __slots__ = ("f", "args", "options", "strides", "writes", "values", "close", "number", "about", "module", "family")

    def __init__(self, f, args, options=None, strides=False, writes=False, values=True, close=None, about=None):
        self.f, self.args, self.options = f, args, options or {}
        self.strides, self.writes, self.values, self.close, self.about = strides, writes, values, close, about
        self.module = self.family = None

    def text(self):
        seen = {}
        args = [string_of(v, seen) for v in self.args]
        options = [f"{k}={string_of(v, seen)}" for k, v in self.options.items()]
        if self.f.startswith("."):
            return f"{args[0]}{self.f}({', '.join(args[1:] + options)})"
        name = "operator." + self.f[3:] if self.f.startswith("op:") else \
            ("np." if self.module else "xp.") + self.f
        return f"{name}({', '.join(args + options)})"

    def arrays(self):
        """NumPy's arrays of the operands that are arrays."""
        return [a.plain if isinstance(a, Array) else np.asarray(a) for a in self.args]


_FUNCTIONS = {}


def function(xp, path):
    f = _FUNCTIONS.get((xp, path))
    if f is None:
        if path.startswith("op:"):
            f = getattr(operator, path[3:])
        elif path.startswith("."):
            name = path[1:]
            f = lambda x, *a, **k: getattr(x, name)(*a, **k)  # noqa: E731
        elif xp is np and path.startswith("scipy."):         # SciPy's, whose companions ours are
            module, _, name = path.rpartition(".")
            f = getattr(importlib.import_module(module), name)
        else:
            f = xp
            for part in path.split("."):
                f = getattr(f, part)
        _FUNCTIONS[xp, path] = f
    return f


def made(v, xp, memo):
    t = type(v)
    if t is Array:
        return v.of(xp, memo)
    if t is tuple or t is list:
        return t(made(e, xp, memo) for e in v)
    return v


def settle():
    """Waits for what a GPU has under way: what went wrong there is raised here, in the case that it belongs to."""
    here = _device.current()
    if here >= 0:
        _device.synchronize(here)


def forget():
    """Errors still pending when a case failed must not be reported to the next one."""
    with contextlib.suppress(Exception):
        settle()


_seen = []                                                   # warnings of the call under way


def _note(message, category, filename, lineno, file=None, line=None):
    _seen.append((category, str(message)))


class quiet:
    """Within it, warnings go to a list instead of anywhere else: what warnings.catch_warnings costs, once."""

    def __enter__(self):
        self.caught, self.ignored = warnings.catch_warnings(), np.errstate(all="ignore")
        self.caught.__enter__()
        self.ignored.__enter__()
        warnings.simplefilter("always")
        warnings.showwarning = _note

    def __exit__(self, *e):
        self.ignored.__exit__(*e)
        self.caught.__exit__(*e)


def run(case, xp, memo):
    """(exception or None, result, warnings); the result's elements are NumPy's in either case."""
    _seen.clear()
    try:
        r = function(case.module or xp, case.f)(*[made(v, xp, memo) for v in case.args],
                                 **{k: made(v, xp, memo) for k, v in case.options.items()})
        fetched = fetch(r)
        if xp is cp:
            settle()
    except Exception as e:  # noqa: BLE001
        if xp is cp:
            forget()
        return e, None, None, set()
    told = {(c, m[:19] if c is RuntimeWarning else "") for c, m in _seen
            if c is np.exceptions.ComplexWarning or (c is RuntimeWarning and m.startswith(TOLD))}
    return None, r, fetched, told


def fetch(r):
    if isinstance(r, cp.ndarray):
        return r.get()
    if isinstance(r, (tuple, list)):
        return [fetch(e) for e in r]
    if isinstance(r, dict):
        return {k: fetch(v) for k, v in r.items()}
    return r


def same(got, want):
    """Elements alike: NaN is NaN, zeros have their sign."""
    if got.tobytes() == want.tobytes():
        return True
    if want.dtype.kind == "f":
        return bool(np.all((got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)))
    if want.dtype.kind == "c":
        return same(got.real, want.real) and same(got.imag, want.imag)
    return bool(np.array_equal(got, want))


def differ(case, ours, got, want, options_out=None):
    """None, or what is wrong about a result of ours (`got`: its elements)."""
    if isinstance(want, (tuple, list)):
        if not isinstance(ours, (tuple, list)):
            return f"structure: {type(ours).__name__} for {type(want).__name__}"
        if len(ours) != len(want):
            return f"structure: {len(ours)} results for {len(want)}"
        for p, g, q in zip(ours, got, want):
            wrong = differ(case, p, g, q)
            if wrong:
                return wrong
        return None
    if isinstance(want, np.dtype):                           # long and long long are one here
        return None if isinstance(ours, np.dtype) and ours == want else f"value: {ours} for {want}"
    if isinstance(want, dict):
        return f"structure: {ours}" if type(ours) is not dict or list(ours) != list(want) else \
            differ(case, list(ours.values()), list(got.values()), list(want.values()))
    if not isinstance(want, (np.ndarray, np.generic)):
        if type(ours) is not type(want):
            if isinstance(ours, cp.ndarray) and ours.ndim == 0 and isinstance(want, (bool, int, float, complex)):
                want = np.asarray(want)                      # count_nonzero and its like: 0-d here
            else:
                return f"structure: {type(ours).__name__} for {type(want).__name__}"
        else:
            return None if ours == want or ours != ours and want != want else f"value: {ours} for {want}"
    if not isinstance(ours, cp.ndarray):
        if type(ours) in (float, complex) and isinstance(want, np.inexact):  # Python's where NumPy has its own
            like = alike(np.asarray(ours), np.asarray(want), float(np.finfo(want.dtype).eps) * 2).all()
            return None if like and type(ours) is type(want.item()) else f"value: {ours} for {want}"
        if type(ours) is not type(want):
            return f"structure: {type(ours).__name__} for {type(want).__name__}"
        got = np.asarray(ours)
    want = np.asarray(want)
    if got.dtype != want.dtype:
        return f"type: {got.dtype} for {want.dtype}"
    if got.shape != want.shape:
        return f"shape: {got.shape} for {want.shape}"
    if case.values and not same(got, want) and not (case.close and case.close(case, got, want)):
        return f"value: {unlike(got, want)}"
    if case.strides and want.size and want.ndim:
        a, b = ([s for s, n in zip(v, want.shape) if n > 1] for v in (ours.strides, want.strides))
        if a != b:
            return f"strides: {ours.strides} for {want.strides} of {want.shape}"
    return None


def unlike(got, want):
    """The first elements that differ, with their indices."""
    pairs = ((got.real, want.real), (got.imag, want.imag)) if got.dtype.kind == "c" else ((got, want),)
    equal = np.logical_and.reduce([(g == w) & (np.signbit(g) == np.signbit(w)) | (g != g) & (w != w)
                                   if g.dtype.kind == "f" else g == w for g, w in pairs])
    at = np.flatnonzero(~equal)[:4]
    return f"{got.ravel()[at]} for {want.ravel()[at]} at {at} of {got.size}"


def alike(got, want, rtol, atol=0.0):
    """Where two arrays are about the same; complex numbers part by part, by the larger part of what is finite."""
    to = "c16" if got.dtype.kind == "c" else "f8"
    g, w = got.astype(to), want.astype(to)
    if to == "f8":
        return _alike(g, w, atol + rtol * np.where(np.isfinite(w), abs(w), 0))
    size = [np.where(np.isfinite(p), abs(p), 0) for p in (w.real, w.imag)]
    bound = atol + rtol * np.maximum(*size)
    return _alike(g.real, w.real, bound) & _alike(g.imag, w.imag, bound)


def _alike(g, w, bound):
    return (g == w) | np.isnan(g) & np.isnan(w) | (abs(g - w) <= bound)


def near(got, want):
    """Of what `at` wrote one by one: about the same everywhere."""
    if got.dtype.kind not in "fc":
        return False
    return bool(alike(got, want, 1e-3, 1e-6).all())


class Known:
    """A difference that has a reason: `covers(case, message)` says whether a mismatch is it (differential_known.py)."""

    def __init__(self, reason, families, covers):
        self.reason, self.families, self.covers = reason, families.split(), covers


def compare(case, known=()):
    """None where ours is NumPy's, a Known, or a message."""
    theirs, mine = {}, {}
    their_error, want, _, their_reported = run(case, np, theirs)
    error, ours, got, told = run(case, cp, mine)
    wrong = None
    if their_error is not None or error is not None:
        a, b = error and kind(error), their_error and kind(their_error)
        if a is not b:
            wrong = (f"error: {a.__name__ if a else 'none'} for {b.__name__ if b else 'none'}"
                     f" ({error or their_error})")
        elif a not in PROMISED and a is not RuntimeError:
            wrong = f"error: {a.__name__} is promised by nobody ({error})"
    else:
        wrong = differ(case, ours, got, want)
        if not wrong and told != their_reported:
            wrong = f"warning: {told} for {their_reported}"
        if not wrong and "out" in case.options and isinstance(want, np.ndarray):
            out = case.options["out"]
            if isinstance(out, Array) and not isinstance(ours, cp.ndarray):
                wrong = "structure: out is not what returns"
        if not wrong and case.writes and case.values:
            _deliver(case, theirs, mine)
            for key, after in theirs.items():
                mismatch = differ(_AFTER, mine[key], mine[key].get(), after)
                if mismatch and not (case.f.endswith(".at") and case.close and near(mine[key].get(), after)):
                    wrong = "after the call: " + mismatch
                    break
    if wrong:
        for k in known:
            if k.covers(case, wrong):
                return k
    return wrong


def _deliver(case, theirs, mine):
    """Puts what ours wrote into out, which was compared as the result, into NumPy's buffers: the rest must be equal."""
    out = case.options.get("out")
    if out is None and case.f.startswith("op:i"):
        out = case.args[0]
    for o in out if isinstance(out, tuple) else (out,):
        if isinstance(o, Array):
            o.of(np, theirs)[...] = o.of(cp, mine).get()


_AFTER = Case("", ())


class Draw(random.Random):
    """The choices of a case."""

    def chance(self, p):
        return self.random() < p

    def pick(self, s):
        return s[int(self.random() * len(s))]

    def shape(self, most=300, least_ndim=0, most_ndim=5, empty=0.06):
        n = self.pick((0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5))
        n = min(max(n, least_ndim), most_ndim)
        shape, size = [], 1
        for _ in range(n):
            d = self.pick((1, 1, 2, 2, 3, 3, 4, 5, 7) if n > 1 else (1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 40))
            if size * d > most:
                d = 1
            shape.append(d)
            size *= d
        if shape and self.chance(empty):
            shape[self.randrange(n)] = 0
        if shape and self.chance(0.01):
            shape[self.randrange(n)] = self.pick((100, 129, 1000, 1031))
        return tuple(shape)

    def buffer(self, char, n, flavour):
        p = pool(char, flavour)
        o = self.randrange(POOL)
        if o + n <= POOL:
            return Buffer(p[o:o + n])
        return Buffer(np.resize(np.concatenate([p[o:], p[:o]]), n))

    def view(self, shape, spread=0.25):
        """(elements of a buffer, steps) that make an array of that shape."""
        n = len(shape)
        size = math.prod(shape)
        how = self.random()
        if how < 0.4 or n == 0:
            if n == 1:
                return size, ()
            return size, (("reshape", shape),)
        if how < 0.52:
            return size, (("reshape", shape[::-1]), ("transpose", tuple(range(n))[::-1]))
        steps = []
        inner, broadcast = list(shape), False
        if self.chance(spread):
            for k in range(n):
                if self.chance(0.4):
                    inner[k], broadcast = 1, True
        perm = list(range(n))
        if self.chance(0.5):
            self.shuffle(perm)
        cut, stored = [], []
        for k in range(n):
            s = self.pick((1, 1, 1, -1, 2, -2, 3, -3)) if how < 0.9 else 1
            extra = self.pick((0, 0, 0, 1, 2))
            m = inner[k] * abs(s) + (extra if inner[k] or s == 1 else 0)
            first = extra if s > 0 else 0
            # a slice of inner[k] elements of m
            if s == 1:
                cut.append(slice(first, first + inner[k]))
            elif s > 0:
                cut.append(slice(first, None, s))
            else:
                cut.append(slice(inner[k] * -s - 1, None, s) if inner[k] else slice(0, 0))
            if s > 1:
                cut[-1] = slice(first, first + (inner[k] - 1) * s + 1 if inner[k] else first, s)
            stored.append(m)
        steps.append(("reshape", tuple(stored[p] for p in perm)))
        if perm != sorted(perm):
            back = [0] * n
            for at, p in enumerate(perm):
                back[p] = at
            steps.append(("transpose", tuple(back)))
        steps.append(("index", tuple(cut)))
        if broadcast:
            steps.append(("broadcast_to", tuple(shape)))
        return math.prod(stored), tuple(steps)

    def array(self, char, shape, flavour="small", spread=0.25):
        n, steps = self.view(shape, spread)
        return Array(self.buffer(char, n, flavour), steps, tuple(shape), char)

    def out_over(self, a, shape, char):
        """An array for results in a's memory, or None where its buffer has no space."""
        n = math.prod(shape)
        if a.char != char or len(a.buffer.values) < n or not n:
            return None
        o = self.pick((0, len(a.buffer.values) - n))
        return Array(a.buffer, (("index", (slice(o, o + n),)), ("reshape", tuple(shape))), tuple(shape), char)

    def python(self, kinds="bifc"):
        k = self.pick(kinds)
        if k == "b":
            return self.chance(0.5)
        if k == "i":
            return self.pick((0, 1, 2, -1, 3, -3, 7, 100, 127, 128, -128, -129, 255, 256, 300, 70000, 2**31, 2**40,
                              -2**31, 2**63 - 1))
        if k == "f":
            return self.pick((0.0, -0.0, 1.0, 2.5, -1.5, 0.1, 1e10, 1e300, math.inf, -math.inf, math.nan))
        return self.pick((1j, 1 + 1j, -2.5j, 3 + 0j, complex(0, math.inf)))

    def scalar(self, chars=TYPES, flavour="small"):
        """A number of NumPy's."""
        return pool(self.pick(chars), flavour)[self.randrange(POOL)]

    def broadcastable(self, shape, wrong=0.02):
        """A shape that broadcasts to `shape`; seldom one that does not."""
        s = list(shape)
        if self.chance(0.45):
            s = s[self.randrange(len(s) + 1):] if s else s
        for k in range(len(s)):
            if self.chance(0.2):
                s[k] = 1
        if s and self.chance(wrong):
            k = self.randrange(len(s))
            s[k] += self.pick((1, 2))
        return tuple(s)

    def axis(self, ndim, tuples=True, wrong=0.03):
        if self.chance(wrong):
            return self.pick((ndim, -ndim - 1, 7, 1.5, "a") + ((0, 0), (0, ndim)) * tuples)
        if ndim == 0:
            return self.pick((None, 0, -1, ()) if tuples else (None, 0, -1))
        if self.chance(0.25):
            return None
        if not tuples or self.chance(0.6):
            return self.randrange(-ndim, ndim)
        axes = self.sample(range(ndim), self.randrange(ndim + 1))
        return tuple(a - ndim * self.chance(0.3) for a in axes)


WRONG = (None, "a", b"a", [1, 2], (1, 2.5), {}, object(), slice(2), 2**100, -2**63 - 1, [], [[1], [2, 3]])


def case_of(family, number):
    """The case of that number of a family."""
    r = Draw(zlib.crc32(family.__name__.encode()) << 64 | number)
    c = family(r)
    c.number = number
    return c


def text_case(expression, xp):
    """What a kept text gives with a module: the outcome of its expression."""
    names = {"xp": xp, "np": np, "operator": operator, "A": lambda t, v: xp.array(np.array(v, t)), "nan": math.nan,
             "inf": math.inf}
    return eval(expression, names)                           # noqa: S307
