"""First calls of ElementwiseKernel, which wait for no compiler: bit for bit those of the compiled kernel, over random
texts, types and layouts; that nothing is compiled before they return, that the kernel takes over, and that none is
needed. What the engine must not take goes to the compiler."""
import contextlib
import os
import random
import subprocess
import sys
import textwrap
import threading
import warnings

import numpy as np
import pytest

import cuprite as cp
from cuprite._compiler import c_source
from cuprite._compiler.fuse import fusion as _fuse

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
REAL = ["float32", "float64", "float16"]
TYPES = ["bool", *INTEGERS, *REAL]
BITS = {2: "u2", 4: "u4", 8: "u8", 1: "u1"}
C_NAMES = {"bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short",
           "uint16": "unsigned short", "int32": "int", "uint32": "unsigned int", "int64": "long long",
           "uint64": "unsigned long long", "float16": "float16", "float32": "float", "float64": "double"}


@contextlib.contextmanager
def no_compiler_yet():
    """The thread that compiles stands still."""
    gate, there = threading.Event(), threading.Event()

    def stand():
        there.set()
        gate.wait()
    _fuse.queue().put(stand)
    assert there.wait(30)
    try:
        yield
    finally:
        gate.set()


def in_turn(kernel, *args, **kwargs):
    """The results of a first call, which is the engine's, and of the compiled kernel."""
    before = len(kernel._codes)
    with no_compiler_yet():
        first = kernel(*args, **kwargs)
        assert len(kernel._waiting) == 1 and len(kernel._codes) == before
    _fuse.wait()
    assert not kernel._waiting and len(kernel._codes) == before + 1
    return first, kernel(*args, **kwargs)


def assert_same_bits(a, b):
    assert a.dtype == b.dtype and a.shape == b.shape and a.strides == b.strides
    if a.dtype == cp.bfloat16:
        a, b = a.astype("f4"), b.astype("f4")
    a, b = np.ascontiguousarray(a.get()), np.ascontiguousarray(b.get())
    same = a.view(BITS[a.itemsize]) == b.view(BITS[b.itemsize])
    if a.dtype.kind == "f":
        same |= np.isnan(a) & np.isnan(b)
    assert same.all(), (a[~same][:5], b[~same][:5])


def both(kernel, *args, **kwargs):
    first, then = in_turn(kernel, *args, **kwargs)
    for a, b in zip(first if type(first) is tuple else [first], then if type(then) is tuple else [then]):
        assert_same_bits(a, b)
    return first


def values(dtype, shape, seed):
    r = np.random.default_rng(seed)
    if dtype == "bool":
        return r.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        return r.integers(0 if dtype[0] == "u" else -100, 100, shape).astype(dtype)
    x = r.normal(size=shape) * 10.0 ** r.integers(-3, 4, shape)
    special = r.integers(0, 40, shape)
    for k, v in enumerate([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0]):
        x = np.where(special == k, v, x)
    with np.errstate(over="ignore"):
        return x.astype(dtype)


class Writer:
    """Random expressions of C, with their types, without what C leaves open."""

    def __init__(self, r, names):
        self.r, self.names = r, names  # name -> type

    def real(self, type):
        return type in REAL

    def leaf(self):
        if self.r.random() < 0.25:
            return self.r.choice([("3", "int32"), ("7u", "uint32"), ("2.5f", "float32"), ("0.1", "float64"),
                                  ("0x1fL", "int64"), ("true", "bool"), ("1e-3f", "float32"), ("0", "int32")])
        name = self.r.choice(list(self.names))
        return name, self.names[name]

    def expression(self, depth):
        if depth == 0:
            return self.leaf()
        a, s = self.expression(depth - 1)
        b, t = self.expression(depth - 1)
        way = self.r.random()
        if way < 0.45:
            sign = self.r.choice("+-*/")
            common = c_source._common(s, t)
            if sign == "/" and not self.real(common):
                return f"({a} {self.r.choice('/%')} {self.r.randint(1, 9)})", c_source._common(s, "int32")
            return f"({a} {sign} {b})", common
        if way < 0.55:
            return f"({a} {self.r.choice(['<', '<=', '>', '>=', '==', '!='])} {b})", "bool"
        if way < 0.65:
            c, _ = self.expression(depth - 1)
            small = "float16" in (s, t) and s != t
            if small:
                a, b, s, t = f"(float){a}", f"(float){b}", "float32", "float32"
            return f"({c} ? {a} : {b})", s if s == t else c_source._common(s, t)
        if way < 0.72:
            return f"({a} {self.r.choice(['&&', '||'])} !{b})", "bool"
        if way < 0.80:
            to = self.r.choice([x for x in TYPES if not (self.real(s) and x in INTEGERS)])
            form = self.r.choice(["({}){}", "static_cast<{}>({})"])
            return form.format(C_NAMES[to], a), to
        if self.real(s):
            f = self.r.choice(["sqrt", "floor", "ceil", "trunc", "rint", "fabs", "sqrtf", "-", "abs"])
            to = "float32" if f[-1] == "f" and f != "-" else s if f == "-" else c_source._promoted(s)
            return f"({f}({a}))", to
        if self.real(t):
            return f"(-{a})", c_source._promoted(s)
        if way < 0.9:
            return f"({a} {self.r.choice('&|^')} {b})", c_source._common(s, t)
        if c_source._promoted(s) == c_source._promoted(t) and "bool" not in (s, t):
            return f"{self.r.choice(['min', 'max'])}({a}, {b})", c_source._promoted(s)
        return f"(~{a} >> {self.r.randint(0, 7)})", c_source._promoted(s)


def random_kernel(seed):
    """A kernel, and the types of its inputs."""
    r = random.Random(seed)
    types = [r.choice(TYPES) for _ in range(3)]
    names = {f"x{k}": t for k, t in enumerate(types)}
    w = Writer(r, dict(names))
    lines, outs = [], []
    for k in range(r.randint(1, 3)):
        text, type = w.expression(2)
        lines.append(f"{r.choice(['', 'const '])}{r.choice(['auto', C_NAMES[type]])} t{k} = {text};")
        w.names[f"t{k}"] = type
    for k in range(3):
        text, type = w.expression(2)
        to = r.choice([x for x in TYPES if not (w.real(type) and x in INTEGERS)])
        outs.append(f"{to} z{k}")
        if r.random() < 0.3:
            condition, _ = w.expression(1)
            other, kind = w.expression(1)
            if not w.real(kind) or to not in INTEGERS:
                text = f"{text}; if ({condition}) z{k} = {other}"
        lines.append(f"z{k} = {text};")
    return cp.ElementwiseKernel(", ".join(f"{t} {n}" for n, t in names.items()), ", ".join(outs), "\n".join(lines),
                                "random"), types


@pytest.mark.parametrize("seed", range(48))
def test_random_texts(seed):
    for turn in range(3):  # one may have a number beyond what the engine's language has
        k, types = random_kernel(seed + 1000 * turn)
        if c_source.engine(k, [p.dtype_name for p in k.params], False):
            break
    shapes = [(7, 300), (300,), (7, 1)] if seed % 3 == 0 else [(2100,)] * 3
    x = [cp.asarray(values(t, s, 10 * seed + i)) for i, (t, s) in enumerate(zip(types, shapes))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both(k, *x)


TEXTS = ["z = x * y + x", "z = x - y * x - 1", "z = x; z *= y; z -= 3", "T t = x * y; t += x; z = t",
         "z = x > y ? x * y + 1 : y - x", "if (x > y) { T d = x - y; z = d * d; } else if (x < y) z = y; else z = 0;",
         "float a = x, b = y; z = a * b == x", "/* first */ z = x + y; // last\n", "{ z = x * 2 + y; }", "z = x"]


@pytest.mark.parametrize("dtype", [*TYPES, "bfloat16"])
@pytest.mark.parametrize("text", TEXTS)
def test_types(text, dtype):
    k = cp.ElementwiseKernel("T x, T y", "T z", text, "typed")
    x = [cp.asarray(values("float32" if dtype == "bfloat16" else dtype, (500,), seed)).astype(dtype)
         for seed in (1, 2)]
    both(k, *x)


LAYOUTS = [lambda x: x, lambda x: x.T, lambda x: x[::-1, ::-2], lambda x: x[3:-3, 5:40], lambda x: x[:1],
           lambda x: x[:, :1], lambda x: x[None, 2:3], lambda x: x[7, 9], lambda x: cp.broadcast_to(x[:1], x.shape)]


@pytest.mark.parametrize("turn", range(len(LAYOUTS)))
def test_layouts(turn):
    text = "float32 x, T y", "T z, float32 w", "z = x * y + 2; w = x / 3 + y", "laid"
    x, y = cp.asarray(values("float32", (60, 60), 0)), cp.asarray(values("float32", (60, 60), 1))
    first, then = LAYOUTS[turn](x), LAYOUTS[turn](y)
    both(cp.ElementwiseKernel(*text), first, then)
    if first.shape == x.shape:
        both(cp.ElementwiseKernel(*text), first, y)


@pytest.mark.parametrize("shape", [(), (1,), (1, 1), (3, 0), (0,)])
def test_small_and_empty(shape):
    k = cp.ElementwiseKernel("T x", "T y", "y = x * x + 1", "small")
    x = cp.full(shape, 1.5, "f4")
    if x.size:
        assert both(k, x).shape == shape
    else:
        r = k(x)
        assert r.shape == shape and not k._waiting and not k._codes


@pytest.mark.parametrize("number", [True, 3, -2, 2.7, np.float32(0.1), np.float64(0.1), np.int8(-3), 1e30])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8", "bool"])
def test_numbers(dtype, number):
    k = cp.ElementwiseKernel("T x, T p, float64 q", "T y, float64 w", "y = x * p + p; w = q * q + p", "numbers")
    x = cp.asarray(values(dtype, (100,), 3))
    try:
        with no_compiler_yet():
            k(x, number, number)
    except (OverflowError, TypeError) as e:
        with pytest.raises(type(e)):
            k(x, number, number)
        return
    _fuse.wait()
    both(cp.ElementwiseKernel("T x, T p, float64 q", "T y, float64 w", "y = x * p + p; w = q * q + p", "numbers"),
         x, number, number)


def test_numbers_alone():
    k = cp.ElementwiseKernel("float32 a, float32 b", "float32 z", "z = a * b + 0.1f", "alone")
    outs = [cp.zeros((3, 5), "f4") for _ in range(2)]
    with no_compiler_yet():
        k(2.3, 1.7, outs[0])
        waited = len(k._waiting)
    _fuse.wait()
    k(2.3, 1.7, outs[1])
    assert waited == 1
    assert_same_bits(*outs)


def test_outputs_that_are_given():
    text = "T x, T y", "T z", "z = x * y + 1", "given"
    x, y = (cp.asarray(values("float64", (40, 50), s)) for s in (0, 1))
    base = [cp.zeros((50, 120)) for _ in range(2)]
    k = cp.ElementwiseKernel(*text)
    with no_compiler_yet():
        out = base[0][:, ::-3].T
        assert k(x, y, out) is out
    _fuse.wait()
    k(x, y, base[1][:, ::-3].T)
    assert_same_bits(*base)
    wide = [cp.zeros((3, 4)), cp.zeros((3, 4))]
    with no_compiler_yet():
        k(cp.arange(4.0), cp.arange(4.0), wide[0])
    _fuse.wait()
    k(cp.arange(4.0), cp.arange(4.0), wide[1])
    assert_same_bits(*wide)


@pytest.mark.parametrize("text, taken", [("z = x * 2 + y", True), ("z = y; z = x + z", False),
                                         ("z = y + 1; z = z * x", False)])
def test_in_place(text, taken):
    """An output that is an input: at once where nothing is read behind its writing, else by the compiled kernel."""
    k = cp.ElementwiseKernel("T x, T y", "T z", text, "in_place")
    y, x = cp.arange(1000.0)[::-1] * 0.5, [cp.arange(1000.0), cp.arange(1000.0)]
    with no_compiler_yet():
        assert k(x[0], y, x[0]) is x[0]
        assert len(k._waiting) == taken and len(k._codes) != taken
    _fuse.wait()
    k(x[1], y, x[1])
    assert_same_bits(*x)


def test_memory_that_is_shared_otherwise_waits_for_the_kernel():
    k = cp.ElementwiseKernel("T x", "T z", "z = x + 1", "shifted")
    x = cp.arange(100.0)
    with no_compiler_yet():
        k(x[:-1], x[1:])
        assert not k._waiting and len(k._codes) == 1
    k = cp.ElementwiseKernel("T x", "T z, T w", "z = x + 1; w = x", "two")
    z, w = k(x, x, cp.empty(100))
    assert z is x and (w == z).all() and not k._waiting  # w is made of what z has become
    same = cp.zeros(100)
    k = cp.ElementwiseKernel("T x", "T z, T w", "z = x + 1; w = x", "two")
    k(x, same, same)
    assert not k._waiting and (same == x).all()


NOT_TAKEN = ["z = x / y", "z = x % y", "z = x << y", "z = 1 << 32", "z = i", "z = n", "z = 017",
             "int k = 3.5; z = x + k", "z = x; return", "for (int j = 0; j < 2; ++j) z = x",
             "z = max(x, y) + nothing(x)", "z = y++", "z = x, y",
             "T *p = &z; *p = x", "x = y; z = x", "z = pow(x, y)", "z = (z = x)", "z += x", "", "if (x) z = y",
             "auto k = x; int k = 2; z = k", "z = 'a'", "#pragma x\nz = x", "z = -1 / 2 + x", "z = x // y",
             "z = x / -2", "int T = 3; z = T", "float16 f = x; z = (x > y ? f : 1.0) > y", "z = x +", "z = (x",
             "z = 99999999999999999999", "z = sin(x)", "{ z = x; ", "unsigned char c = x; z = unsigned char(c)",
             "z = x; // on \\\n z = y;", "z = x; /* */ // \\\r\n z = y;", "z = x; // on\r z = y;",
             "z = x + \u0663", "z = x\u00a0+ y", "z = x + y\u2003", "z = x + " + "9" * 5000,
             "z = 1." + "9" * 5000 + " > x", "int const_cast = 3; z = x + const_cast"]


@pytest.mark.parametrize("text", NOT_TAKEN)
def test_what_is_not_taken(text):
    k = cp.ElementwiseKernel("T x, T y", "T z", text, "other")
    assert c_source.engine(k, ("int32",) * 3, False) is None


@pytest.mark.parametrize("text", ["z = x; // on \\\n z = y;", "z = x; // on\r z = y;"])
def test_comments_end_where_the_compiler_ends_them(text, device):
    goes_on = "\\" in text or device.startswith("cuda")  # a lone \r ends lines for C++ compilers, not for NVRTC
    k = cp.ElementwiseKernel("T x, T y", "T z", text, "comment")
    x = cp.arange(5)
    assert (k(x, x + 7) == (x if goes_on else x + 7)).all()


@pytest.mark.parametrize("name", ["class", "int", "unsigned", "true", "if", "const_cast", "and"])
def test_names_that_no_parameter_can_have_are_the_compilers_to_refuse(name):
    k = cp.ElementwiseKernel(f"T {name}", "T z", f"z = {name} + 1", "word")
    with pytest.raises(cp.cuda.compiler.CompileException, match="error"):
        k(cp.arange(5))


def test_real_numbers_that_are_not_taken():
    for text, types in [("z = x", ("float32", "int32")), ("z = max(x, x)", ("float64",) * 2),
                        ("z = x % x", ("float32",) * 2),
                        ("z = x", ("complex64",) * 2),
                        ("z = 0.0 - x", ("float32",) * 2), ("z = x & 1", ("float16",) * 2),
                        ("z = fma(x, x, x)", ("float64",) * 2)]:
        k = cp.ElementwiseKernel("A x", "B z", text, "other")
        assert c_source.engine(k, types, True) is None, text


def test_functions_of_cuda_are_taken_on_a_gpu_alone():
    k = cp.ElementwiseKernel("T x", "T z", "z = sin(x) + expf(x)", "waves")
    assert c_source.engine(k, ("float32",) * 2, False) is None
    program, _ = c_source.engine(k, ("float32",) * 2, True)
    assert program.text == "v0 = sin(a0)\nv1 = exp(a0)\nv2 = v0 + v1\nreturn v2"
    assert c_source.is_taken(k, ("float32",) * 2)


@pytest.mark.once
def test_functions_are_the_rows_own():
    """What the engine calls in a function's place has that function for its body."""
    for name in (*c_source._EXACT, *c_source._CUDA):
        row = getattr(cp, c_source._CUDA.get(name, name))
        assert row._bodies[2] == (f"M({name})(a)",), name


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_functions_of_cuda_on_a_gpu(device, dtype):
    if not device.startswith("cuda"):
        pytest.skip("on the CPU they are the compiler's")
    x = cp.asarray(values(dtype, (3000,), 7))
    for name in sorted(c_source._CUDA):
        both(cp.ElementwiseKernel("T x", "T y", f"y = {name}(x) * x + 1", "function"), x)


def test_other_kernels_wait_for_the_compiler():
    for text, words in [("z = x", {"preamble": "#define A 1"}), ("z = x", {"loop_prep": "int a"}),
                        ("z = x", {"options": ("-DA",)})]:
        k = cp.ElementwiseKernel("T x", "T z", text, "more", **words)
        k(cp.ones(3))
        assert not k._waiting and len(k._codes) == 1
    k = cp.ElementwiseKernel("raw T x", "T z", "z = x[i]", "raw_one")
    k(cp.ones(3), size=3)
    assert not k._waiting and len(k._codes) == 1


def test_codes_are_waited_for():
    k = cp.ElementwiseKernel("T x", "T z", "z = x * 3", "coded")
    k(cp.ones(3))
    assert "z = x * 3" in k.cached_code and len(k.cached_codes) == 1


def test_compiled_without_contraction():
    """x * y + z of which contraction would keep what the product lost."""
    x = cp.asarray([1 + 2.0 ** -12], "f4")
    k = cp.ElementwiseKernel("T x, T y", "T z", "z = x * x - y", "exactly")
    y = x * x
    first, then = in_turn(k, x, y)
    assert first.get()[0] == then.get()[0] == 0
    y = cp.ElementwiseKernel("raw T x, T y", "T z", "z = x[i] * x[i] - y", "contracted")(x, y)
    assert abs(y.get()[0]) in (0, 2.0 ** -24)  # as the processor has it


def run(code, **environment):
    """A process of its own."""
    code = ("import cuprite as cp, numpy as np, time, threading\n"
            "from cuprite._compiler.fuse import fusion as _fuse\n") + textwrap.dedent(code)
    r = subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True,
                       timeout=120)
    assert r.returncode == 0, r.stderr
    return r.stdout, r.stderr


@pytest.mark.once
def test_a_slow_compiler_is_not_waited_for(tmp_path):
    compiler = tmp_path / "slow"
    compiler.write_text('#!/bin/sh\ncase "$*" in *shared*) sleep 2;; esac\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    out, _ = run("""
        x = cp.arange(1000.0)
        k = cp.ElementwiseKernel("T x", "T z", "z = x * 3 + 1", "slowly")
        t = time.perf_counter()
        a = k(x)
        took = time.perf_counter() - t
        assert len(k._waiting) == 1, k._waiting
        assert took < 1, took
        _fuse.wait()
        assert time.perf_counter() - t > 1.5
        assert not k._waiting and (k(x) == a).all() and len(k.cached_codes) == 1
        print("done")
        """, CUPRITE_CXX=str(compiler), CUPRITE_CACHE_DIR=str(tmp_path / "cache"), CUPRITE_DEVICE="cpu")
    assert out == "done\n"


@pytest.mark.once
def test_without_any_compiler(tmp_path):
    code = """
        x = cp.arange(1000.0)
        k = cp.ElementwiseKernel("T x", "T z", "z = x * 3 + 1", "alone")
        for _ in range(3):
            assert (k(x) == x * 3 + 1).all()
            _fuse.wait()
        assert not k._waiting
        """
    words = {"CUPRITE_CXX": str(tmp_path / "none"), "CUPRITE_CACHE_DIR": str(tmp_path / "cache"),
             "CUPRITE_DEVICE": "cpu"}
    assert run(code, **words, CUPRITE_DEBUG="")[1] == ""
    told = run(code, **words, CUPRITE_DEBUG="1")[1]
    assert told.count("alone runs without a kernel of its own") == 1 and str(tmp_path / "none") in told


@pytest.mark.once
def test_a_forked_child_compiles_for_itself(tmp_path):
    out, _ = run("""
        import os
        x = cp.arange(1000.0)
        k = cp.ElementwiseKernel("T x", "T z", "z = x * 3 + 1", "forked")
        _fuse.queue().put(threading.Event().wait)  # the parent's thread never comes to it
        a = k(x)
        child = os.fork()
        if not child:
            assert (k(x) == a).all() and not k._codes
            _fuse.wait()
            assert len(k._codes) == 1 and (k(x) == a).all()
            os._exit(7)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7 and not k._codes
        print("done", flush=True)
        os._exit(0)
        """, CUPRITE_DEVICE="cpu")
    assert out == "done\n"


@pytest.mark.once
def test_a_child_that_is_forked_during_an_import():
    """Modules are imported when they are first used: another thread may be at it."""
    out, _ = run("""
        import os, signal, sys
        from importlib.machinery import PathFinder

        class Slow:
            def find_spec(self, name, path=None, target=None):
                if name == "cuprite.jit":
                    begun.set()
                    time.sleep(0.3)
                return PathFinder.find_spec(name, path, target)
        sys.meta_path.insert(0, Slow())
        begun = threading.Event()
        thread = threading.Thread(target=lambda: cp.jit)
        thread.start()
        begun.wait()
        child = os.fork()
        if not child:
            signal.alarm(20)
            cp.jit.rawkernel
            os._exit(7)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        thread.join()
        """, CUPRITE_DEVICE="cpu")
    assert out == "7\n"


@pytest.mark.once
def test_checks_are_the_kernels(tmp_path):
    run("""
        k = cp.ElementwiseKernel("T x", "T z", "z = x * 3 + 1", "checked")
        k(cp.ones(3))
        assert not k._waiting and len(k._codes) == 1
        """, CUPRITE_CHECK="1", CUPRITE_DEVICE="cpu")


def test_threads():
    k = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "together")
    found = []

    def work(dtype, n):
        x = cp.asarray(np.random.default_rng(n).integers(0, 15, (n, 3)).astype(dtype))
        found.append((x, k(x, x)))
    threads = [threading.Thread(target=work, args=(t, n)) for t in ("f4", "f8", "i4", "u1") for n in (1, 50, 700)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 12
    _fuse.wait()
    for x, r in found:
        assert_same_bits(r, k(x, x))


def test_no_leak(no_leak):
    for _ in range(3):
        k = cp.ElementwiseKernel("T x, T p", "T z", "z = x * p + x", "short_lived")
        x = cp.ones(10)
        k(x, 3)
        k(x, x)
        _fuse.wait()
