"""What the cases of differential_arrange.py are drawn with: types, shapes, layouts, operands, axes, junk, all as the
source of a case. One argument of a case may be wrong, not two: which of two mistakes is reported is unspecified."""
import random

TYPES = "?bBhHiIlLefdFD"
WHOLE = "bBhHiIlL"
JUNK = ["None", "'x'", "1.5", "[1,2]", "np.int8(1)", "True", "object()", "-1", "10**20", "()", "np.nan", "[]",
        "X([1,0])", "(0,0)", "{}", "np.float32(2)", "X(2)", "[[1],[0]]", "1j", "-2**63", "[True,False]"]


class Operand(str):
    """The text of an array, with its shape and type."""

    def __new__(cls, text, shape, t):
        self = super().__new__(cls, text)
        self.shape, self.t = tuple(shape), t
        return self

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        n = 1
        for e in self.shape:
            n *= e
        return n


class Draw:
    """The choices of a case. A mistake is drawn beside what would be right there, by numbers of its own (`junk`), so
    that right=True draws the same case without it."""

    def __init__(self, r, right=False):
        self.r, self.right = r, right
        self.other = random.Random(r.getrandbits(32))
        self.random = r.random
        self.small = r.random() < 0.04  # a case of bfloat16
        self.mistaken = False  # whether some argument may be wrong already

    def chance(self, p):
        return self.random() < p

    def choice(self, s):
        return s[int(self.random() * len(s))]

    def int(self, low, high):
        """An integer from low to high; as choice, several times faster than Python's, which fit any size."""
        return low + int(self.random() * (high - low + 1))

    def wrong(self, p):
        """Whether this is where the case is wrong."""
        if self.mistaken:
            return False
        self.mistaken = self.chance(p)
        return self.mistaken and not self.right

    def junk(self, s):
        """One of several mistakes."""
        return self.other.choice(s)

    def ndim(self, low=0, high=5):
        return min(high, max(low, self.choice((0, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5))))

    def extent(self):
        return self.choice((0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 7)) if self.chance(0.3) else self.choice((1, 2, 3, 4))

    def shape(self, low=0, high=5):
        return tuple(self.extent() for _ in range(self.ndim(low, high)))

    def type(self, types=None):
        if self.small and (types is None or "e" in types):
            return "E"
        return self.choice(types or TYPES)

    def layout(self, n, broadcast=True):
        if not n or self.chance(0.45):
            return ""
        if self.chance(0.25):
            return "|" + "".join(map(str, reversed(range(n))))  # Fortran's order
        letters = "".join(self.choice("cccrsob" if broadcast else "cccrso") for _ in range(n))
        if self.chance(0.5):
            order = list(range(n))
            self.r.shuffle(order)
            return letters + "|" + "".join(map(str, order))
        return letters

    def array(self, shape=None, types=None, t=None, ties=None, broadcast=True):
        """An operand; ties=True: small numbers only."""
        shape = self.shape() if shape is None else tuple(shape)
        t = t or self.type(types)
        place = self.int(0, 1200 if ties or ties is None and self.chance(0.5) else 4095)
        return Operand(f"A('{t}',{shape!r},'{self.layout(len(shape), broadcast)}',{place})", shape, t)

    def target(self, shape=None, types=None, t=None, **options):
        """An operand that is written to: rarely a broadcast one."""
        return self.array(shape, types, t, broadcast=self.wrong(0.03), **options)

    def near(self, shape):
        """A shape that broadcasts to `shape`, mostly."""
        shape = shape[self.int(0, len(shape)):] if shape and self.chance(0.4) else shape
        shape = tuple(1 if self.chance(0.2) else n for n in shape)
        if self.wrong(0.04):
            shape = (*shape, 2)
        return shape

    def number(self, t="d"):
        """A number of Python's or NumPy's."""
        right = self.choice(("0", "1", "2")) if self.chance(0.5) else self.choice((
            "3", "2.5", "-0.0", "True", "np.int8(3)", "np.float32(1.5)", "np.float64(2)", "np.uint64(7)",
            "np.bool(True)"))
        if self.wrong(0.2):
            return self.junk(("np.nan", "np.inf", "1j", "300", "-129", "2**63", "1e300", "70000",
                              "np.complex64(1+2j)", "np.int64(300)", "np.float64(-129)", "-1", "np.int64(-3)"))
        return right

    def value(self, shape, t=None):
        """What is assigned to a part of this shape: an array, a number, a list."""
        p = self.random()
        if p < 0.35:
            return self.number()
        if p < 0.45 and len(shape) == 1:
            return ("[" + ",".join(self.number() if self.chance(0.1) else str(self.int(0, 9)) for _ in range(shape[0]))
                + "]")
        right = self.array(self.near(shape), t=t if t and self.chance(0.5) else None)
        if p < 0.5 and self.wrong(1):
            return self.junk(("[]", "[1]", "[[1],[2]]", "(1,2)", "[1.5]", "np.arange(3)", "None", "'a'", "X(3)",
                              "np.ones((2,1),'f4')", "[1,[2]]"))
        return right

    def axis(self, n, none=0.0):
        if self.chance(none):
            return "None"
        right = str(self.int(-n, n - 1)) if n else "0"
        if self.wrong(0.04):
            return self.junk((str(n), str(-n - 1), "7", "None", "1.0", "'0'", "(0,)", "True", "np.int8(0)", "X(0)",
                              "2**40"))
        return right

    def ok(self, text, p=0.02):
        """The text, rarely junk instead."""
        return self.junk(JUNK) if self.wrong(p) else str(text)

    def indices(self, n, shape, wrong=0.04, list_too=True, low=None):
        """An array or list of indices into an axis of n."""
        count = 1
        for e in shape:
            count *= e
        low = (0 if self.chance(0.5) else -n) if low is None else low
        at = [self.int(low, n - 1) if n > 0 else 0 for _ in range(count)]
        if at and self.wrong(wrong):
            far = (2**31, -2**40) if wrong < 0.2 else (-3 * n,)  # NumPy wraps by adding the length, one by one
            at[self.other.randrange(count)] = self.junk((n, -n - 1, n + 5, *far))
        text = nested(at, shape)
        if list_too and self.chance(0.3) and len(shape) > 0 and count:
            return text
        t = (self.choice("bhilBHIL" if min(at, default=0) >= 0 else "bhil") if max(map(abs, at), default=0) < 100
            else "l")
        if self.wrong(0.02):
            t = self.junk("?fdD")
        return f"X({text},'{t}')" if count else f"A('{t}',{tuple(shape)!r})"

    def some(self, *options):
        """Some of these keyword arguments, each (text, probability); the same word no more than once."""
        taken = [text for text, p in options if self.chance(p)]
        words = {text.partition("=")[0]: text for text in taken}
        return "".join("," + text for text in words.values())

    def order(self, letters="CFAK"):
        right = f"order='{self.choice(letters)}'"
        return "order='x'" if self.wrong(0.02) else right

    def cast(self):
        return "casting=" + self.choice(("'no'", "'equiv'", "'safe'", "'same_kind'", "'unsafe'"))

    def out(self, t, shape):
        """An array to write to; rarely one that is not right."""
        if self.wrong(0.1):
            shape = self.junk((shape + (1,), shape[1:], shape[::-1]))
        return self.array(shape, t=t if not self.wrong(0.2) else None, broadcast=False)


def nested(values, shape):
    """Values as the source of nested lists."""
    if not shape:
        return str(values[0])
    if len(shape) == 1:
        return "[" + ",".join(map(str, values)) + "]"
    step = len(values) // shape[0] if shape[0] else 0
    return "[" + ",".join(nested(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"
