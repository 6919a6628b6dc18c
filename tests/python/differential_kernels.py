"""Expressions in kernels, with an oracle that computes the same text: NumPy for jit.rawkernel and fuse, g++ for CUDA
C++ on the CPU. All families of cases that are compiled are in KERNELS."""
import ast
import ctypes
import os
import subprocess
import tempfile
import warnings

import numpy as np

import differential_numba
import differential_programs
from differential_batches import VARIABLES, Batches, Expression, differs, rows_of
from differential_numba import KIND, NP1, NP2, Tree, function_of
from differential_reference import evaluate

NUMPY1 = {k: [f for f in v.split() if f not in ("real", "imag", "spacing", "deg2rad", "conj")] for k, v in NP1.items()}
NUMPY2 = {k: [f for f in v.split() if f not in ("power", "lcm")] for k, v in NP2.items()}


class NumpyTree(Tree):
    """Expressions that mean the same to NumPy's scalars, to arrays and in a kernel of mode='numpy'."""

    def of(self, kind, depth):
        if depth <= 0:
            return self.leaf(kind)
        r = self.r.random()
        a, b = kind, self.r.choice({"b": "b", "i": "bi", "f": "bif", "c": "bifc"}[kind])
        if kind == "b" and r < 0.6:
            a, b = self.r.choice("bif"), self.r.choice("bif")
            return f"({self.of(a, depth - 1)} {self.r.choice(['<', '<=', '==', '!=', '>'])} {self.variable(b)})"
        if r < 0.4:
            signs = {"b": "&|^", "i": "+ - * // % & | ^".split(), "f": "+ - * / // %".split(), "c": "+ - *".split()}
            return f"({self.variable(a)} {self.r.choice(signs[kind])} {self.of(b, depth - 1)})"
        if r < 0.5:
            sign = "~" if kind == "b" or kind == "i" and self.r.random() < 0.6 else "-"
            return f"{sign}{self.variable(kind)}"
        key = "bi" if kind in "bi" else kind
        if r < 0.75:
            return f"np.{self.r.choice(NUMPY1[key])}({self.variable('i' if kind == 'b' else kind)})"
        x = self.of("i" if kind == "b" else kind, depth - 1)
        return f"np.{self.r.choice(NUMPY2[key])}({self.variable('i' if kind == 'b' else kind)}, {x})"

    def variable(self, kind):
        name = self.r.choice([n for n in VARIABLES if KIND[VARIABLES[n]] == kind])
        self.names.add(name)
        return name


def draw_numpy(r):
    t = NumpyTree(r)
    text = t.of(r.choice("biifffc"), r.choice((1, 2, 2, 3)))
    return Expression(text, tuple(sorted(t.names)), 0)


def asks_nan(text, row):
    """Whether the expression asks for the sign of a NaN that it computes, which is open."""
    if "np.copysign" not in text and "np.signbit" not in text:
        return False
    calls = [n for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Call)]
    asked = [n.args[-1] for n in calls if n.func.attr in ("copysign", "signbit")]
    return any(np.isnan(eval(compile(ast.Expression(x), "asked", "eval"), {"np": np, **row})) for x in asked)


def wrong(got, right, t, names, rows):
    """(what the first value is that is in none of the lists `right` at its place, its number), or None."""
    for k, x in enumerate(got):
        if all(differs(x, values[k], t, 0) for values in right):
            return f"ours {x!r}, right {right[0][k]!r} with {({v: rows[v][k] for v in names})}", k
    return None


def verdicts(cases, theirs, ours, rows, open_nan=True):
    """`theirs`: a message, or (dtype, lists of values, of each of which one is right); `ours`: a message, or (dtype,
    values). `open_nan`: whether the cases are expressions of Python that may ask for the sign of a NaN."""
    from differential_families import Wrong
    found = []
    for (n, case), right, got in zip(cases, theirs, ours):
        if isinstance(right, str):
            found.append(right)
        elif isinstance(got, str):
            found.append(Wrong(f"refused: {got[:50]}", f"ours: {got}, right {right[0]}", n, case.text))
        elif got[0] != right[0]:
            found.append(Wrong(f"type {got[0]} for {right[0]}", f"ours {got[0]}, right {right[0]}", n, case.text))
        else:
            first = wrong(got[1], right[1], right[0], case.names, rows)
            if first and open_nan and asks_nan(case.text, {v: rows[v][first[1]] for v in case.names}):
                found.append("the sign of a NaN")
            else:
                found.append(first and Wrong(f"value of {right[0]}", first[0], n, case.text))
    return found


def of_numpy(text, rows):
    """(dtype, lists of values) of NumPy's scalars, or why there are none."""
    made = []
    try:
        for k in range(len(rows["x_bool"])):
            made.append([np.asarray(v) for v in evaluate(text, {v: rows[v][k] for v in VARIABLES})])
    except (TypeError, OverflowError, ValueError, ZeroDivisionError) as e:
        return f"NumPy refuses: {type(e).__name__}"
    t = made[0][0].dtype
    if any(v[0].dtype != t for v in made):
        return "types depend on values"
    return t, [[v[()] for v in values] for values in zip(*made)]


# --- jit.rawkernel(mode="numpy") ---

def of_jit(texts, rows):
    """[(dtype, values)] of expressions in one kernel; those that are refused are found by halving."""
    import cuprite as cp
    from cuprite import jit
    from cuprite._compiler.ast import launch
    device = function_of(texts, None)

    def kernel():
        names = list(VARIABLES)
        lines = [f"def kernel({', '.join(names + [f'o{k}' for k in range(len(texts))])}):", "    i = jit.threadIdx.x",
                 f"    r = inner({', '.join(f'{a}[i]' for a in names)})"]
        lines += [f"    o{k}[i] = r[{k}]" for k in range(len(texts))]
        source = "\n".join(lines) + "\n"
        import linecache
        file = f"<jit {abs(hash(source))}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        space = {"jit": jit, "inner": jit.rawkernel(device=True, mode="numpy")(device)}
        exec(compile(source, file, "exec"), space)
        return space["kernel"]
    try:
        types = [t.dtype for t in result_types(device, rows)]
        outs = [cp.zeros(len(rows["x_bool"]), t) for t in types]
        args = (*(cp.asarray(rows[v]) for v in VARIABLES), *outs)
        rules = jit.rawkernel(mode="numpy")(device)._rules
        kinds = tuple(launch.type_of_argument(a, rules, cp.ndarray) for a in args)
        made = launch.Compiled(kernel(), rules, launch.values_of(kinds, args), ("--fmad=false",))  # the same bits
        made.launch((1,), (len(rows["x_bool"]),), args)
        return [(t, list(o.get())) for t, o in zip(types, outs)]
    except Exception as e:  # noqa: BLE001
        if len(texts) == 1:
            return [f"{type(e).__name__}: {str(e).splitlines()[-1]}"]
        half = len(texts) // 2
        return of_jit(texts[:half], rows) + of_jit(texts[half:], rows)


def result_types(function, rows):
    from cuprite._compiler.ast.rules import Numpy
    from cuprite._compiler.ast.types import scalar
    from cuprite._compiler.ast.unit import Unit
    from cuprite._compiler.ast.values import Value
    unit = Unit(Numpy())
    return unit.device_function(function, unit.rules, [Value(scalar(t), v) for v, t in VARIABLES.items()])[1].items


def make_jit(name, batch, cases):
    rows = rows_of(name, batch)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = [of_numpy(c.text, rows) for _, c in cases]
        usable = [k for k, t in enumerate(theirs) if not isinstance(t, str)]
        ours = dict(zip(usable, of_jit([cases[k][1].text for k in usable], rows))) if usable else {}
        return verdicts(cases, theirs, [ours.get(k, "") for k in range(len(cases))], rows)


# --- fuse ---

TOGETHER = 12                                                # expressions of a fused function: a kernel takes 38 arrays


def has_kernel(text, rows):
    """Whether the expression becomes a kernel. One that does not keeps others of its function from becoming one."""
    import cuprite as cp
    from cuprite._compiler.fuse import program, records
    names = [v for v in VARIABLES if v in text]
    space = {"np": cp}
    exec(f"def f({', '.join(names)}): return {text}", space)
    try:
        made = program.program(cp.fuse(space["f"]), [records.Described(cp.asarray(rows[v])) for v in names])
    except Exception:  # noqa: BLE001: of_fuse compares what such a function does
        return False
    return all(g.kernel is not None for g in made.groups)



def of_fuse(texts, rows):
    """[(dtype, values), or a message] of expressions that one function returns, of the first call, operation by
    operation, and of the kernels that took over; where it is refused it is halved."""
    import cuprite as cp
    names = [v for v in VARIABLES if any(v in t for t in texts)]
    space = {"np": cp}
    exec(f"def f({', '.join(names)}): return {', '.join(texts)},", space)
    fused = cp.fuse(space["f"])
    given = [cp.asarray(rows[v]) for v in names]
    try:
        first = fused(*given)
        fused.wait()
        later = fused(*given)
    except Exception as e:  # noqa: BLE001
        if len(texts) == 1:
            return [f"{type(e).__name__}: {str(e).splitlines()[-1]}"]
        half = len(texts) // 2
        return of_fuse(texts[:half], rows) + of_fuse(texts[half:], rows)
    found = []
    for x, y in zip(first, later):
        same = x.dtype == y.dtype and (x.get().tobytes() == y.get().tobytes() or
                                       np.array_equal(x.get(), y.get(), equal_nan=x.dtype.kind in "fc"))
        found.append((y.dtype, list(y.get())) if same else f"the kernel gives {y}, the operations {x}")
    return found


def make_fuse(name, batch, cases):
    from cuprite._compiler.fuse import program
    rows = rows_of(name, batch)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = []
        for _, c in cases:
            if not c.names:
                theirs.append("no array")
                continue
            try:
                made = [np.asarray(v) for v in evaluate(c.text, rows)]
                theirs.append((made[0].dtype, [list(v) for v in made]))
            except Exception as e:  # noqa: BLE001
                theirs.append(f"NumPy refuses: {type(e).__name__}")
        usable, ours = [k for k, t in enumerate(theirs) if not isinstance(t, str)], {}
        small, program._QUICK = program._QUICK, 0            # small arrays too are the kernels'
        fused = {k: has_kernel(cases[k][1].text, rows) for k in usable}
        for kind in (True, False):
            those = [k for k in usable if fused[k] is kind]
            for k in range(0, len(those), TOGETHER):
                part = those[k:k + TOGETHER]
                ours.update(zip(part, of_fuse([cases[k][1].text for k in part], rows)))
        program._QUICK = small
        return verdicts(cases, theirs, [ours.get(k, "") for k in range(len(cases))], rows)


# --- CUDA C++ on the CPU, compared with g++ on the same text ---

C = {"int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
     "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long", "float32": "float",
     "float64": "double", "bool": "bool"}
C_VARIABLES = [v for v, t in VARIABLES.items() if t in C]
PUT = """
template <class T> struct code_of { static const int value = 0; };
template <> struct code_of<float> { static const int value = 1; };
template <> struct code_of<double> { static const int value = 2; };
template <class T> DEVICE void put(unsigned char *o, T v)
{
    union { T t; unsigned char c[sizeof(T)]; } u;
    u.t = v;
    for (int k = 0; k < (int)sizeof(T); k++) o[k] = u.c[k];
    o[8] = sizeof(T);
    o[9] = (unsigned char)(code_of<T>::value ? code_of<T>::value : (T)-1 < (T)0 ? 3 : (T)2 == (T)1 ? 5 : 4);
}
"""

#: -0 is below 0, as in CUDA; C leaves it open
EXTREMES = """
#define fmax cuda_fmax
#define fmin cuda_fmin
template <class T> static T cuda_fmax(T x, T y)
{
    return x != x ? y : y != y ? x : x == y ? (signbit(x) ? y : x) : x < y ? y : x;
}
template <class T> static T cuda_fmin(T x, T y)
{
    return x != x ? y : y != y ? x : x == y ? (signbit(x) ? x : y) : x < y ? x : y;
}
"""


class CTree(Tree):
    """Expressions of C, without what has no meaning there."""

    def leaf(self, kind):
        if self.r.random() < 0.2:
            return self.r.choice(["1", "-3", "7u", "100LL", "0x10ull", "'a'"] if kind == "i" else
                                 ["0.5f", "2.0", "-1.5f", "1e3"])
        name = self.r.choice([v for v in C_VARIABLES if (KIND[VARIABLES[v]] == "f") == (kind == "f")])
        self.names.add(name)
        return name

    def of(self, kind, d):
        if d <= 0:
            return self.leaf(kind)
        r = self.r.random()
        if kind == "i":
            if r < 0.4:
                return f"({self.of('i', d - 1)} {self.r.choice('+-*&|^')} {self.of('i', d - 1)})"
            if r < 0.5:
                return f"({self.of('i', d - 1)} {self.r.choice('/%')} (int)({self.of('i', d - 1)} & 7 | 1))"
            if r < 0.6:
                return f"({self.of('i', d - 1)} {self.r.choice(['<<', '>>'])} ({self.of('i', d - 1)} & 7))"
            if r < 0.7:
                return f"({self.r.choice('-~!+')} {self.of('i', d - 1)})"
            if r < 0.85:
                x, y = self.r.choice(["ii", "ff", "if"])
                sign = self.r.choice(["<", "<=", "==", "!=", "&&", "||"])
                return f"({self.of(x, d - 1)} {sign} {self.of(y, d - 1)})"
        elif r < 0.5:
            return f"({self.of('f', d - 1)} {self.r.choice('+-*/')} {self.of(self.r.choice('if'), d - 1)})"
        elif r < 0.7:
            f = self.r.choice(("fabs fabsf sqrt sqrtf floor floorf ceil trunc rint fmod fmodf copysign fmax "
                               "fmin").split())
            two = f in ("fmod", "fmodf", "copysign", "fmax", "fmin")
            if not two:
                return f"{f}({self.of('f', d - 1)})"
            t = self.r.choice(("float", "double"))  # both of one type, which NVRTC insists on
            second = self.of("i" if f == "copysign" else "f", d - 1)  # no NaN, whose sign is each processor's own
            return f"{f}(({t}){self.of('f', d - 1)}, ({t}){second})"
        if r < 0.92:
            types = [t for t in C if (KIND[t] == "f") == (kind == "f")]
            return f"({C[self.r.choice(types)]}){self.of(kind, d - 1)}"
        return f"({self.of('i', d - 1)} ? {self.of(kind, d - 1)} : {self.of(kind, d - 1)})"


def draw_c(r):
    t = CTree(r)
    text = t.of(r.choice("iif"), r.choice((1, 2, 3, 4)))
    return Expression(text, tuple(sorted(t.names)), 0)


def _bytes(out, cases):
    kinds = {1: "f4", 2: "f8"}
    found = []
    for k in range(len(cases)):
        size, code = int(out[0, k, 8]), int(out[0, k, 9])
        t = np.dtype(kinds.get(code) or ("?" if code == 5 else f"{'i' if code == 3 else 'u'}{size}"))
        found.append((t, [out[i, k, :size].view(t)[0] for i in range(len(out))]))
    return found


def make_c(name, batch, cases):
    import cuprite as cp
    from cuprite import _device
    rows = rows_of(name, batch)
    n = len(rows["x_bool"])
    body = "".join(f"    put(o + (i * {len(cases)} + {k}) * 16, {c.text});\n" for k, (_, c) in enumerate(cases))
    arguments = ", ".join(f"const {C[VARIABLES[v]]} *{v}_" for v in C_VARIABLES)
    reads = "".join(f"    const {C[VARIABLES[v]]} {v} = {v}_[i];\n" for v in C_VARIABLES)
    host = np.zeros((n, len(cases), 16), "u1")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "host")
        with open(file + ".cpp", "w") as f:
            f.write(f"#include <cmath>\nusing namespace std;\n#define DEVICE static inline\n{PUT}\n{EXTREMES}\n"
                    f'extern "C" void f({arguments}, unsigned char *o, int n)\n{{\n  for (int i = 0; i < n; i++) {{\n'
                    f"{reads}{body}  }}\n}}\n")
        subprocess.run(["g++", "-std=c++20", "-O0", "-w", "-fwrapv", "-ffp-contract=off", "-shared", "-fPIC",
                        "-o", file + ".so", file + ".cpp"], check=True)
        made = ctypes.CDLL(file + ".so").f
        made(*(rows[v].ctypes.data_as(ctypes.c_void_p) for v in C_VARIABLES), host.ctypes.data_as(ctypes.c_void_p), n)
    source = f'#define DEVICE static __device__\n{PUT}\nextern "C" __global__ void f({arguments}, unsigned char *o)\n' \
             f"{{\n    const int i = threadIdx.x;\n{reads}{body}}}\n"
    out = cp.zeros(host.shape, "u1")
    given = [cp.asarray(rows[v]) for v in C_VARIABLES]
    wraps = () if _device.query(_device.current())["backend"] == "cuda" else ("-fwrapv",)  # CUDA's compiler has none
    cp.RawKernel(source, "f", (*wraps, "--fmad=false"))((1,), (n,), (*given, out))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        theirs = [(t, [values]) for t, values in _bytes(host, cases)]
        return verdicts(cases, theirs, _bytes(out.get(), cases), rows, False)


KERNELS = {**differential_numba.FAMILIES, **differential_programs.FAMILIES,
           **{b.name: b for b in (
               Batches("jit", "expressions in jit.rawkernel(mode='numpy'), compared with NumPy", draw_numpy, make_jit),
               Batches("fuse", "expressions of arrays that are fused, compared with NumPy", draw_numpy, make_fuse),
               Batches("kernels", "expressions of C in a RawKernel on the CPU, compared with g++", draw_c, make_c))}}
