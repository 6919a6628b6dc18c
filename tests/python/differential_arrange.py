"""Differential cases of what arranges elements (indexing, sorting, sets, manipulation, files, printing): drawn from a
seed, run on Cuprite and on NumPy, compared.

A case is a text, one or more statements over `xp` (the module), `A` (an array: type, shape, layout, place in the pool
of values) and `X` (an array of a list) that leave a result `r`; so a failing case can be kept as it is (KEPT in
test_differential_arrange.py). Compared are values bit by bit (any NaN is as good as another), type, shape, which
operand's memory a result looks into and where, strides of such views, contiguity of other results, what the operands
hold afterwards, ComplexWarnings, and the kind of an exception. What Cuprite does otherwise on purpose is a row of
differential_explained.py, and nothing else is forgiven. tools/differential runs as many cases as are wanted.
"""
import collections
import random
import warnings
import zlib

import numpy as np

import cuprite as cp
from differential import forget, settle
from differential_arrange_cases import FAMILIES, Draw
from differential_explained import reason
from oracle import kind

TYPES = "?bBhHiIlLefdFDE"  # E: bfloat16, for which NumPy gets float32 of the same values
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 0.5, -2.5, 3.0, 100.0, 1e-7, -65504.0, 3e38, -1e-40]
POOL = 4096


def _bfloat16(x):
    """float32 values rounded toward zero to bfloat16's, NaN kept."""
    return (x.astype("f4").view("u4") & 0xFFFF0000).view("f4")


def _pool(t):
    """POOL values of a type: small numbers with many ties, then any bits or special values."""
    rng = np.random.default_rng(ord(t))
    ties = rng.integers(0, 5, POOL // 2)
    if t == "?":
        return rng.integers(0, 2, POOL).astype("?")
    if t in "bBhHiIlL":
        info = np.iinfo(t)
        wild = rng.integers(info.min, info.max, POOL // 2, dtype=t, endpoint=True)
        wild[::7], wild[3::7] = info.min, info.max
        return np.concatenate([ties.astype(t), wild])
    wild = np.where(rng.random(POOL // 2) < 0.5, rng.choice(SPECIAL, POOL // 2), rng.normal(0, 3, POOL // 2))
    with np.errstate(all="ignore"):
        if t in "FD":
            other = np.where(rng.random(POOL // 2) < 0.5, rng.choice(SPECIAL, POOL // 2),
                             rng.integers(-2, 3, POOL // 2))
            whole = np.empty(POOL, "D")
            whole.real, whole.imag = np.concatenate([ties, wild]), np.concatenate([ties[::-1] % 2, other])
            return whole.astype(t)
        whole = np.concatenate([ties - 2.0 * (ties == 3), wild])
        return _bfloat16(whole) if t == "E" else whole.astype(t)


POOLS = {t: _pool(t) for t in TYPES}


def _values(t, n, place):
    place %= POOL
    if n <= POOL - place:
        return POOLS[t][place:place + n].copy()
    return np.resize(POOLS[t], n)


class Owner:
    """An object of another library's that says by __array__ what it holds."""

    def __init__(self, held):
        self.held = np.asarray(held)

    def __array__(self, dtype=None, copy=None):
        return self.held if dtype is None else self.held.astype(dtype)


class World:
    """What a case's text sees on one side: the module, its arrays, and every array made, with its memory."""

    def __init__(self, xp):
        self.xp, self.made = xp, []
        self.names = {"xp": xp, "np": np, "A": self.array, "X": self.listed, "S": slice,
                      "bf": "f4" if xp is np else cp.bfloat16, "O": Owner}

    def begin(self):
        self.made = []
        return dict(self.names)

    def own(self, host, bfloat16):
        if self.xp is np:
            return host
        return cp.array(host, cp.bfloat16) if bfloat16 else cp.array(host)

    def array(self, t, shape, layout="", place=0):
        """An array whose axes are, by a letter of `layout` each, c: contiguous, r: reversed, s: every second element,
        o: with others around, b: one element broadcast; behind | the order in memory of axes, for F and its like."""
        letters, _, order = layout.partition("|")
        letters += "c" * (len(shape) - len(letters))
        order = [int(i) for i in order] or list(range(len(shape)))
        extent = [{"s": 2 * n, "o": n + 3, "b": 1}.get(k, n) for n, k in zip(shape, letters)]
        count = 1
        for n in extent:
            count *= n
        base = self.own(_values(t, count, place).reshape([extent[i] for i in order]), t == "E")
        x = base
        if layout:
            x = x.transpose([order.index(i) for i in range(len(shape))])
            x = x[(*[{"r": slice(None, None, -1), "s": slice(None, None, 2), "o": slice(1, n + 1)}.get(k, slice(None))
                     for n, k in zip(shape, letters)], Ellipsis)]
            if "b" in letters:
                x = self.xp.broadcast_to(x, shape)
        self.made.append((base, x))
        return x

    def listed(self, values, t=None):
        """An array of a list's values; t as in array."""
        if t == "E":
            host = _bfloat16(np.array(values, "f4"))
        else:
            host = np.array(values, t)
        x = self.own(host, t == "E")
        self.made.append((x, x))
        return x


def position_of(x):
    return x.__array_interface__["data"][0] if isinstance(x, np.ndarray) else x.data.ptr


def home(x, made):
    """(number of the operand, offset in bytes) whose memory x looks into, or None."""
    if not x.size or not made:
        return None
    if isinstance(x, np.ndarray) and x.flags.owndata and not any(x is base for base, _ in made):
        return None
    at = position_of(x)
    for i, (base, _) in enumerate(made):
        start = position_of(base)
        if start <= at < start + base.nbytes:
            return i, at - start
    return None


def plain(x):
    """A result as a comparable thing: arrays on the host, iterators as lists."""
    if isinstance(x, cp.ndarray):
        return x.get()
    return x


def run(world, code):
    """(kind of the exception, result with its facts, contents of the operands, warnings, message)."""
    names = world.begin()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            exec(code, names)
            r = names["r"]
            facts = look(r, world.made)
            after = [plain(base) for base, _ in world.made]
            error = message = None
            if world is OURS:
                settle()
        except Exception as e:  # noqa: BLE001
            if world is OURS:
                forget()
            facts = after = None
            error, message = kind(e), str(e)
    told = {w.category for w in seen if w.category is np.exceptions.ComplexWarning}
    return error, facts, after, told, message


def look(r, made):
    """A result, by its structure, as tuples that can be compared."""
    if isinstance(r, np.ndarray):
        f = r.flags
        return ("array", r, home(r, made), r.strides, (f.c_contiguous, f.f_contiguous), f.writeable)
    if isinstance(r, cp.ndarray):
        host = r.get()
        t = "E" if r.dtype == cp.bfloat16 else ""
        if t and host.dtype != np.float32:
            host = host.astype("f4")
        strides = tuple(2 * s for s in r.strides) if t else r.strides
        f = r.flags
        return ("array", host, home(r, made), strides, (f.c_contiguous, f.f_contiguous), f.writeable, t)
    if isinstance(r, np.generic):
        return ("array", np.asarray(r), "nowhere", (), (True, True), True)
    if isinstance(r, (tuple, list)):
        return (tuple if isinstance(r, tuple) else list, [look(v, made) for v in r])
    if isinstance(r, dict):
        return (dict, sorted(r), [look(r[k], made) for k in sorted(r)])
    return ("thing", r)


def same_bits(got, want):
    if got.tobytes() == want.tobytes():
        return True
    if got.dtype.kind not in "fc":
        return bool(np.array_equal(got, want)) if got.dtype.kind in "OVSU" else False
    if got.dtype.kind == "c":
        return same_bits(got.real, want.real) and same_bits(got.imag, want.imag)
    with np.errstate(all="ignore"):
        equal = (got == want) & (np.signbit(got) == np.signbit(want)) | (got != got) & (want != want)
    return bool(equal.all())


def differs(ours, theirs, bfloat16):
    """The first difference between two looks, or None: (what, ours, theirs)."""
    if type(ours[0]) is not type(theirs[0]) or ours[0] != theirs[0]:
        if ours[0] == "array" and theirs[0] == "thing" and isinstance(theirs[1], (bool, int, float, complex)):
            return None if ours[1].shape == () and same_thing(ours[1].item(), theirs[1]) else ("value", ours, theirs)
        return "structure", ours, theirs
    if ours[0] in (tuple, list, dict):
        if len(ours[-1]) != len(theirs[-1]) or ours[0] is dict and ours[1] != theirs[1]:
            return "structure", ours, theirs
        for p, q in zip(ours[-1], theirs[-1]):
            found = differs(p, q, bfloat16)
            if found:
                return found
        return None
    if ours[0] == "thing":
        return None if same_thing(ours[1], theirs[1]) else ("value", ours[1], theirs[1])
    got, want = ours[1], theirs[1]
    if got.dtype != want.dtype and not (bfloat16 and got.dtype.kind == want.dtype.kind in "fc"):
        return "type", got.dtype, want.dtype
    if got.shape != want.shape:
        return "shape", got.shape, want.shape
    if not same_bits(got, want):
        return "value", got, want
    return layout_differs(ours, theirs, bfloat16)


def layout_differs(ours, theirs, bfloat16):
    """Which memory, and how it lies. Elements of bfloat16 have half the size of what stands for them."""
    if not theirs[1].size:
        return None
    mine, yours = ours[2], theirs[2]
    if yours == "nowhere":  # a scalar of NumPy's is a 0-d array, and may be a view
        return None
    if bfloat16 and mine and len(ours) > 6 and ours[6]:
        mine = mine[0], 2 * mine[1]
    if (mine is None) != (yours is None) or mine != yours and not bfloat16:
        return "view", ours[2], theirs[2]
    if mine is not None and not bfloat16:
        p, q = ([s for s, n in zip(x[3], x[1].shape) if n > 1] for x in (ours, theirs))
        if p != q:
            return "strides", ours[3], theirs[3]
        if ours[5] != theirs[5]:
            return "writeable", ours[5], theirs[5]
    if mine is None and ours[4] != theirs[4]:
        return "order", ours[4], theirs[4]
    return None


def same_thing(p, q):
    if isinstance(p, (bool, int, float, complex)):
        return type(p) is type(q) and (repr(p) == repr(q))
    return type(p) is type(q) and (repr(p) == repr(q) or isinstance(p, np.dtype) and p == q)


# what differs, in which case, both sides as text, and (for values) both arrays
Mismatch = collections.namedtuple("Mismatch", "what text ours theirs got want", defaults=(None, None))
OURS, THEIRS = World(cp), World(np)


def judge(text):
    """None where both sides agree, the reason where the difference is explained, else a Mismatch."""
    found = difference(text)
    return found and (reason(found) or found)


def compare(text):
    """None where both sides agree or the difference is explained, else a Mismatch."""
    found = judge(text)
    return None if isinstance(found, str) else found


def difference(text):
    """The first difference between the sides, as a Mismatch, or None."""
    code = compile(text, "case", "exec")
    with np.errstate(all="ignore"):
        theirs = run(THEIRS, code)
        ours = run(OURS, code)
    if ours[0] is not theirs[0]:
        return Mismatch("exception" if ours[0] and theirs[0] else "raises" if ours[0] else "accepts", text,
                        f"{ours[0].__name__}: {ours[4]}" if ours[0] else brief(ours[1]),
                        f"{theirs[0].__name__}: {theirs[4]}" if theirs[0] else brief(theirs[1]))
    if ours[0] is not None:
        return None
    d = differs(ours[1], theirs[1], "'E'" in text)
    if d:
        return Mismatch(d[0], text, brief(d[1]), brief(d[2]), *d[1:])
    for i, (p, q) in enumerate(zip(ours[2], theirs[2])):
        if not same_bits(p.astype("f4") if p.dtype != q.dtype else p, q):
            return Mismatch("operand", text, brief((i, p)), brief((i, q)))
    if ours[3] != theirs[3]:
        return Mismatch("warning", text, brief(ours[3]), brief(theirs[3]))
    return None


def brief(x):
    return repr(x)[:500]


def string_of(family, number, right=False):
    """The case of this number: (name of its kind, text). right=True: without the mistake that was drawn, if any."""
    makers, weights = FAMILIES[family]
    r = random.Random(zlib.crc32(family.encode()) << 64 | number)
    maker = r.choices(makers, weights)[0]
    return maker.__name__, maker(Draw(r, right))


def two_mistakes(found, family, number):
    """Whether the case of a mismatch has another mistake than the one that was drawn, which one side told of: the same
    case without that one raises the same on both sides."""
    if found.what != "exception":
        return False
    right = string_of(family, number, right=True)[1]
    if right == found.text:
        return False
    code = compile(right, "case", "exec")
    with np.errstate(all="ignore"):
        theirs, ours = run(THEIRS, code), run(OURS, code)
    told = {m.partition(":")[0] for m in (found.ours, found.theirs)}
    return ours[0] is theirs[0] is not None and ours[0].__name__ in told
