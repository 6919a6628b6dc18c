"""Cases of the special functions, compared with SciPy: families special (real numbers) and special_complex.

Types, broadcasting, strides of either sign, empty arrays, out= and where= are drawn; values come from the pools of
test_special.py, whose tables say where SciPy's differ (docs/from-numpy.md has the reasons): those elements are left
out. Results are SciPy's of float64, rounded to the type that SciPy's loop has. Each function has its bound
there; here a result is wrong that differs in the eighth digit."""
import collections

import numpy as np
import scipy.special

import cuprite as cp
import test_special as table
from differential import Draw

Wrong = collections.namedtuple("Wrong", "kind what number text")
#: SciPy's noncentral distributions, and Tukey's, have roots to a part in 10^8, NaN far out, and the bounds of their
#: search for what has no root; test_special_noncentral.py has other oracles
FUNCTIONS = [n for n in table.PLAIN if not n.startswith(("nct", "ncf", "chndtr", "tklmbda"))]
#: SciPy's powm1 is 0 where the power overflows, its binom of large numbers has eight digits, its inverse of gammainc
#: takes what is no probability, its hyp1f1 left of 0 is another number for a = 6, b = 0.69, its hyperu is NaN near 0,
#: its polynomials of no whole degree have five digits near the left end
POWERS = {"powm1": lambda x, y: abs(y) > 50, "binom": lambda n, k: n > 1e5,
          "gammaincinv": lambda a, p: (p < 0) | (p > 1), "hyp1f1": lambda a, b, z: (a >= 6) & (b < 1) & (z < 0),
          "hyperu": lambda a, b, x: (a > 5) & (b > 5) & (x < 0.01),
          "eval_sh_chebyt": lambda n, x: (n != np.round(n)) & (x < 0.03)}
COMPLEX = sorted(n for n in table.ROW if "complex" in table.ROW[n].columns and n not in ("lambertw", "xlog1py"))
#: of complex numbers, where SciPy has fewer digits, overflows on the way or has another branch
ELSEWHERE = {"log_ndtr": lambda z: z.real > 4, "gamma": lambda z: abs(z) > 20, "rgamma": lambda z: abs(z) > 20,
             "hyp0f1": lambda v, z: (v <= 0) | (abs(z) > 25), "airy": lambda z: abs(z) > 12,
             "airye": lambda z: abs(z) > 12, "spence": lambda z: (z.imag == 0) & (z.real < 0),
             "elliprc": lambda x, y: (x.imag == 0) & (x.real < 0),
             "hyp1f1": lambda a, b, z: (abs(a) > 6) | (abs(b) > 6) | (abs(z) > 6),
             "hyp2f1": lambda a, b, c, z: (abs(a) > 4) | (abs(b) > 4) | (abs(c) > 4)}
for _name in COMPLEX:
    if _name.startswith("eval_"):
        ELSEWHERE[_name] = lambda *x: (x[0] < 0) | (x[0] > 9) | np.any([abs(v) > 9 for v in x[1:-1]] or [False], axis=0)
for _name in ("eval_jacobi", "eval_sh_jacobi"):
    ELSEWHERE[_name] = lambda n, a, b, z: (n < 0) | (n > 9) | (a > 4) | (a < -0.9) | (b > 4) | (b < -0.9)
_POOLS = {}


def pool(name):
    if name not in _POOLS:
        _POOLS[name] = [np.asarray(v, "d") for v in table.drawn(name, 1500)]
    return _POOLS[name]


class Case:
    """Operands with the steps that make views of them: (elements, shape, view), and what else the call is given."""

    def __init__(self, family, number):
        r = Draw(f"{family}:{number}")
        self.number, self.complex = number, family == "special_complex"
        self.name = r.pick(COMPLEX if self.complex else FUNCTIONS)
        self.f = table.UFUNC[self.name]
        shape = r.shape(120, most_ndim=3)
        self.arrays = [self.operand(r, k, shape) for k in range(self.f.nin)]
        self.masked, self.into = r.chance(0.1), r.chance(0.2)
        self.mask = np.array([r.chance(0.6) for _ in range(int(np.prod(self.shape())))], bool).reshape(self.shape())

    def operand(self, r, k, whole):
        """An array whose shape broadcasts with `whole`, some of its axes reversed, stretched or transposed."""
        shape = tuple(1 if r.chance(0.15) else n for n in whole)
        if self.f.nin > 1 and r.chance(0.2):
            shape = shape[r.randrange(len(shape) + 1):]
        order = self.complex and table.ROW[self.name].args[1].split(",")[k].split("-")[0] == "part"
        values, n = pool(self.name)[k], int(np.prod(shape))
        count = k < table.COUNTS.get(self.name, 0)
        char = r.pick("qih" if count else "fd" if order else "FD" if self.complex else "dddfffqih?e")
        x = np.array([values[r.randrange(len(values))] for _ in range(n)])
        if char in "FD":
            mild = np.array([r.uniform(-8, 8) if r.chance(0.7) else r.uniform(-1, 1) for _ in range(n)])
            x = mild + 1j * np.array([0.0 if r.chance(0.1) else r.uniform(-9, 9) for _ in range(n)])
        elif order:
            x = np.array([float(r.randrange(-5, 12)) if r.chance(0.5) else r.uniform(-5, 30) for _ in range(n)])
        with np.errstate(all="ignore"):
            if char in "qih?":
                x = np.where(np.isfinite(x) & (abs(x) < 3e4), x, 1)
            x = x.astype(char).reshape(shape)
        step = tuple(slice(None, None, -1) if r.chance(0.2) else slice(None) for _ in shape)
        if x.ndim > 1 and r.chance(0.2):
            x = np.asfortranarray(x)
        return x, step

    def shape(self):
        return np.broadcast_shapes(*(x.shape for x, _ in self.arrays))

    def text(self):
        inside = ", ".join(f"A({x.dtype.char!r}, {x.tolist()})" + (f"[{s}]" if s else "") for x, s in self.arrays)
        return f"xp.scipy.special.{table.scipys(self.name).__name__}({inside}{', out=...' if self.into else ''}" \
               f"{', where=...' if self.masked else ''})"

    def wanted(self, plain):
        """SciPy's results of float64 or complex128, and where they are no measure."""
        count = table.COUNTS.get(self.name, 0)
        wide = [x if k < count else x.astype("D" if x.dtype.kind == "c" else "d") for k, x in enumerate(plain)]
        want = table.several(table.scipys(self.name)(*wide))
        whole = np.broadcast_arrays(*wide)
        if not self.complex:
            where = [t[self.name](*(v.astype("d") for v in whole)) for t in (table.OTHERWISE, POWERS) if self.name in t]
            return want, np.broadcast_to(sum(where, np.zeros((), bool)), self.shape())
        left = ELSEWHERE[self.name](*whole) if self.name in ELSEWHERE else False
        return want, np.broadcast_to(left, self.shape()) | ~np.logical_and.reduce([np.isfinite(w) for w in want])

    def sizes(self, plain):
        """What errors are relative to where a value is smaller."""
        if self.complex:
            size = table.COMPLEX_SIZE.get(self.name)
        else:
            size = table.SIZE.get(self.name)
        whole = [np.ravel(x) for x in np.broadcast_arrays(*plain)]
        if size is None:
            unit = self.complex and self.name in ("airy", "dawsn", "exp1", "spence")
            polynomial = self.complex and self.name.startswith("eval_")
            small = 1e-7 if self.name in ("elliprj", "hyp1f1", "hyp2f1") else 1e-2 if polynomial else 0.0
            return np.full(self.shape(), 1.0 if unit else small)  # a zero's rounding
        made = []
        for x in zip(*(v.tolist() for v in whole)):
            try:
                made.append(size(*x))
            except (ArithmeticError, ValueError):
                made.append(0.0)
        return np.array(made, "d").reshape(self.shape())

    def wrong(self):
        plain = [x[step] for x, step in self.arrays]
        ours = [cp.asarray(x)[step] for x, step in self.arrays]
        with np.errstate(all="ignore"):
            ones = [np.ones(1, "b" if x.dtype == bool else x.dtype) for x in plain]  # some SciPy's negate them
            kinds = [r.dtype for r in table.several(table.scipys(self.name)(*ones))]
        options, before = {}, 7
        if self.into or self.masked:
            outs = tuple(cp.full(self.shape(), before, kind) for kind in kinds)
            options["out"] = outs if self.f.nout > 1 else outs[0]
        if self.masked:
            options["where"] = cp.asarray(self.mask)
        got = table.several(self.f(*ours, **options))
        if options and any(g is not o for g, o in zip(got, outs)):
            return "structure: out is not what returns"
        want, left = self.wanted(plain)
        size = self.sizes(plain)
        for k, (g, w, dtype) in enumerate(zip(got, want, kinds)):
            narrow = dtype.char in "fF"
            if g.dtype != dtype or g.shape != self.shape():
                return f"type: {g.dtype} {g.shape} for {dtype} {self.shape()}"
            g = g.get()
            bound = max(2e-6 if narrow else 1e-8, 0 if self.complex else table.LOOSE.get(self.name, 0))
            tiny = 1e-36 if narrow else 1e-280
            with np.errstate(all="ignore"):
                rounded = w.astype(dtype)
                near = abs(g - w) <= bound * np.maximum(np.maximum(abs(w), tiny), size)
                beyond = narrow & (abs(w) > 3e38)            # of float32: a part is infinite, the other has no digits
                fine = left | beyond | (g == rounded) | near | (abs(w) < tiny) & (abs(g) < tiny)
                fine = fine | np.isnan(g) & np.isnan(w)
            kept = ~self.mask & (g == before) if self.masked else False
            if self.masked:
                fine = np.where(self.mask, fine, kept)
            if not fine.all():
                at = int(np.flatnonzero(~np.ravel(fine))[0])
                x = [np.ravel(v)[at].item() for v in np.broadcast_arrays(*plain)]
                return f"value: {np.ravel(g)[at]} for {np.ravel(w)[at]} of {x}, result {k}"
        return None


class Special:
    """A family of calls, as differential_families.py has them."""

    def __init__(self, name):
        self.name = name
        self.about = "special functions of complex numbers" if name == "special_complex" else "special functions"

    def text(self, number):
        return Case(self.name, number).text()

    def names(self, number):
        return {f"scipy.special.{Case(self.name, number).name}"}

    def verdict(self, number, careful=True):
        case = Case(self.name, number)
        try:
            wrong = case.wrong()
        except Exception as e:  # noqa: BLE001
            if not careful:
                raise
            wrong = f"comparison: {e!r}"
        return wrong and Wrong(f"{case.name}: {wrong.split(':')[0]}", wrong, number, case.text())


FAMILIES = {name: Special(name) for name in ("special", "special_complex")}
