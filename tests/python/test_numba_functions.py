"""What kernels of numba.cuda call: functions that call themselves, those that exec makes or that were added by
numba.extending, operators, ufuncs with an array for their result; constants as arguments; enumerations."""
import cmath
import enum
import operator
import subprocess
import sys

import numpy as np
import pytest

import cuprite.numba as numba
from cuprite.numba import cuda, extending, njit, types
from cuprite.numba.core.errors import TypingError


@cuda.jit("i8(i8)", device=True)
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


@cuda.jit(device=True)
def half_sum(n):
    """Its result is an integer first, then a float."""
    if n <= 0:
        return 0
    return half_sum(n - 1) + n / 2


@cuda.jit(device=True)
def even(n):
    return True if n == 0 else odd(n - 1)


@njit
def odd(n):
    if n == 0:
        return False
    return even(n - 1)


@njit
def parts(a, n):
    """The sum and the largest, of a tuple."""
    if n == 1:
        return a[0], a[0]
    s, m = parts(a, n - 1)
    return s + a[n - 1], max(m, a[n - 1])


def test_functions_that_call_themselves(device):
    @cuda.jit
    def kernel(a, out):
        i = cuda.grid(1)
        out[i, 0] = fibonacci(i)
        out[i, 1] = half_sum(i)
        out[i, 2] = odd(i)
        out[i, 3], out[i, 4] = parts(a, i + 1)
    a = np.array([3.0, -1, 4, -1, 5, -9, 2, 6])
    out = np.zeros((8, 5))
    kernel[1, 8](a, out)
    assert out[:, 0].tolist() == [0, 1, 1, 2, 3, 5, 8, 13]
    assert out[:, 1].tolist() == [i * (i + 1) / 4 for i in range(8)]
    assert out[:, 2].tolist() == [i % 2 for i in range(8)]
    assert (out[:, 3] == a.cumsum()).all() and (out[:, 4] == np.maximum.accumulate(a)).all()


@cuda.jit(device=True)
def endless(x):
    return endless(x)


@cuda.jit(device=True)
def growing(t):
    return growing((t, 1))


@pytest.mark.parametrize("function, argument", [(endless, 1), (growing, 1)])
def test_functions_that_never_end_have_no_type(function, argument):
    with pytest.raises(TypingError, match="cannot type infer runaway recursion"):
        @cuda.jit("void()")
        def kernel():
            function(argument)


def test_functions_with_signatures(device):
    """Arguments and results are converted to the types of the signature that fits best."""
    @cuda.jit("int32(int32, int32)", device=True)
    def low(a, b):
        return (a & 0xFF) * 1000000 + (b & 0xFF)

    @cuda.jit(["(int64, int64)", "(float64, float64)"], device=True)
    def add(a, b):
        return a + b

    @cuda.jit
    def kernel(x, out):
        out[0] = low(x[0], x[1])
        out[1] = add(x[0], x[1])
        out[2] = add(int(x[0]), 2)
    out = np.zeros(3)
    kernel[1, 1](np.array([3.9, 5.5], "f4"), out)
    assert out.tolist() == [3000005, np.float32(3.9) + 5.5, 5]
    with pytest.raises(TypingError, match=r"with parameters \(complex128, complex128\)"):
        cuda.jit("void(complex128[:])")(lambda x: add(x[0], x[1]))


# --- constants as arguments ---

@cuda.jit(device=True)
def through_shared(x, n, dtype, op, cast, wrap):
    s = cuda.shared.array(n, dtype)
    t = cuda.threadIdx.x
    s[t] = 0
    cuda.syncthreads()
    at = cast(x[t] % n)
    if wrap:
        at = at - n
    op(s, at, 1)
    cuda.syncthreads()
    x[t] = s[t]


@cuda.jit(device=True)
def whole(x):
    return int(x)


def test_constants_reach_functions(device):
    """A shape, a type, a function and a flag as arguments; of shapes also tuples, expressions and closures."""
    size, pair = 16, (2, 8)

    @cuda.jit
    def kernel(x):
        through_shared(x, 16, numba.uint32, cuda.atomic.add, whole, True)

    @cuda.jit
    def shapes(out):
        a = cuda.shared.array((pair[0], pair[1] * 2), "f4")
        b = cuda.local.array(shape=size // 4 + 1, dtype=out.dtype)
        c = cuda.local.array(pair + (3,), np.int8)
        out[0], out[1], out[2], out[3] = a.size, b.shape[0], c.size, a.shape[1]
    x = np.array([1, 1, 5, 5, 5, 17, 0, 3, 3, 3, 3, 3, 3, 3, 3, 3], "u4")
    want = np.bincount(x % 16, minlength=16)
    kernel[1, 16](x)
    assert (x == want).all()
    out = np.zeros(4)
    shapes[1, 1](out)
    assert out.tolist() == [32, 5, 48, 16]
    with pytest.raises(TypingError, match="must be a constant integer"):
        cuda.jit("void(int64[:])")(lambda x: through_shared(x, x[0], numba.uint32, cuda.atomic.add, whole, True))


# --- numba.extending ---

def scaled(x, factor=2):
    raise RuntimeError("on the host")


@extending.overload(scaled)
def _scaled(x, factor=2):
    if isinstance(x, types.Array):
        return None
    if x == types.int64:
        return lambda x, factor=2: x * factor + 1000
    return lambda x, factor=2: x * factor


def where_am_i(x):
    raise RuntimeError("on the host")


for _target, _number in (("generic", 1), ("cuda", 2)):
    extending.overload(where_am_i, target=_target)(lambda x, number=_number: lambda x: x + number)


@extending.overload_attribute(types.Array, "middle")
def _middle(a):
    return lambda a: a[a.size // 2]


@extending.overload_method(types.Array, "total")
def _total(a, first=0):
    def total(a, first=0):
        s = 0.0
        for i in range(first, a.size):
            s += a[i]
        return s
    return total


@extending.register_jitable
def plus_one(x):
    return x + 1


@extending.intrinsic
def raw(typingctx, x):
    return None


def test_functions_that_programs_add(device):
    @cuda.jit
    def kernel(a, out):
        out[0] = scaled(a[1])
        out[1] = scaled(3, factor=5)
        out[2] = a.middle
        out[3] = a.total()
        out[4] = a.total(1) + plus_one(a[0])
        out[5] = where_am_i(1)
    a, out = np.array([1.5, 2.5, 4]), np.zeros(6)
    kernel[1, 1](a, out)
    assert out.tolist() == [5, 1015, 2.5, 8, 9, 3]
    assert plus_one(2) == 3 and njit(lambda x: where_am_i(x))(1) == 2
    with pytest.raises(TypingError, match="No implementation of function scaled"):
        cuda.jit("void(int64[:])")(lambda x: scaled(x))
    with pytest.raises(NotImplementedError, match="raw is an intrinsic"):
        cuda.jit("void(int64[:])")(lambda x: raw(x))
    assert extending.is_jitted(kernel) and not extending.is_jitted(plus_one)


# --- functions of the module operator, ufuncs with out, calls with * ---

@pytest.mark.parametrize("name", "add sub mul truediv floordiv mod pow eq ne lt le gt ge iadd isub imul".split())
def test_operator(device, name):
    op = getattr(operator, name)

    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[i] = op(a[i], b[i])
    a, b = np.array([7.5, -2, 0, 3]), np.array([2.0, 3, 5, 3])
    out = np.zeros(4)
    kernel[1, 4](a, b, out)
    assert (out == [op(float(x), float(y)) for x, y in zip(a, b)]).all()


@pytest.mark.parametrize("name", "and_ or_ xor lshift rshift".split())
def test_operator_of_integers(device, name):
    op = getattr(operator, name)

    @cuda.jit
    def kernel(a, b, out):
        i = cuda.grid(1)
        out[i, 0] = op(a[i], b[i])
        out[i, 1] = operator.neg(a[i]) + operator.invert(b[i])
        out[i, 2] = operator.getitem(a, i) + operator.not_(b[i] > 2)
    a, b = np.array([6, -3, 0, 12]), np.array([2, 1, 3, 5])
    out = np.zeros((4, 3), "i8")
    kernel[1, 4](a, b, out)
    assert out.tolist() == [[op(int(x), int(y)), -x + ~y, x + (not y > 2)] for x, y in zip(a, b)]


def test_ufuncs_with_an_array_for_the_result(device):
    @cuda.jit
    def kernel(a, b, out, part):
        np.add(a, b, out)
        np.multiply(out, 2, out=out)
        np.sqrt(a[0], part)
        np.hypot(a[1:2], b[0], out[1:2])
    rng = np.random.RandomState(4)
    a, b = rng.rand(3, 4), rng.rand(3, 4)
    out, part = np.zeros((3, 4)), np.zeros(4, "f4")
    want = (a + b) * 2
    kernel[1, 1](a, b, out, part)
    want[1] = np.hypot(a[1], b[0])
    np.testing.assert_allclose(out, want, rtol=1e-14)
    np.testing.assert_allclose(part, np.sqrt(a[0]), rtol=1e-6)
    with pytest.raises(TypingError, match="makes a new array"):
        cuda.jit("void(float64[:])")(lambda x: np.sin(x))


def test_calls_that_unpack_a_tuple(device):
    @cuda.jit
    def kernel(z, out):
        out[0] = complex(*cmath.polar(z[0]))
        out[1] = max(*(1, 2), 3)
    out = np.zeros(2, complex)
    kernel[1, 1](np.array([3 + 4j]), out)
    assert abs(out[0] - complex(*cmath.polar(3 + 4j))) < 1e-15 and out[1] == 3


def test_methods_of_arrays(device):
    @cuda.jit
    def kernel(a, bytes, out):
        i = cuda.grid(1)
        out[i] = a.reshape(2, 3, 2)[i % 2, 1, 1] + a.reshape((-1, 4))[2, 3] + bytes[4:12].view(np.int32)[1] \
            + a.reshape(3, 4).transpose(1, 0)[3, 2] + a.ravel().size
    a, data = np.arange(12.0), np.arange(16, dtype="u1")
    out = np.zeros(2)
    kernel[1, 2](a, data, out)
    assert out.tolist() == [a.reshape(2, 3, 2)[i, 1, 1] + 11 + int(data[4:12].view("i4")[1]) + 11 + 12
                            for i in range(2)]


# --- enumerations ---

class Color(enum.Enum):
    red = 1
    green = 2


class Shape(enum.IntEnum):
    circle = 2
    square = 5


def test_enumerations(device):
    @njit
    def other(c):
        return Color.red if c == Color.green else Color.green

    @cuda.jit
    def kernel(a, b, out):
        out[0] = a == b
        out[1] = a is b
        out[2] = a is not Color.red
        out[3] = other(a) == Color.red
        out[4] = Color["red"] == Color.red
        out[5] = Shape.square + 1
        out[6] = Shape.circle > 1
    for a, b in ((Color.red, Color.red), (Color.green, Color.red)):
        out = np.zeros(7, "i4")
        kernel[1, 1](a, b, out)
        assert out.tolist() == [a == b, a is b, a is not Color.red, a is Color.green, 1, 6, 1]


# --- exec ---

PROGRAM = """
import numpy as np
from numba import cuda

def made(body):
    space = {}
    exec(f"def kernel(x, y):\\n    {body}", globals(), space)
    return cuda.jit(space["kernel"])

def in_a_function():
    exec("def kernel(x, y):\\n    x[1] = y + 10")
    return locals()["kernel"]

x = np.zeros(4)
made("x[0] = y * 2")[1, 1](x, 3)
cuda.jit(in_a_function())[1, 1](x, 3)
space = {"k": 7, "cuda": cuda}
exec('''
@cuda.jit
def f(x, y):
    for i in range(2):
        x[2 + i] += k * y + i

g = lambda x: x
''', space)
space["f"][1, 1](x, 1)
print(x.tolist())
try:
    exec("def broken(: 1")
except SyntaxError as e:
    print(e.filename)
exec(compile("v = 5", "elsewhere", "exec"))
print(v, exec.__name__)
"""


@pytest.mark.once
def test_functions_that_exec_makes(tmp_path):
    """Where numba is ours exec keeps the source that a kernel is compiled from."""
    path = tmp_path / "program.py"
    path.write_text("import cuprite; cuprite.install_as_numba()\n" + PROGRAM)
    r = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
    assert r.returncode == 0 and r.stdout == "[6.0, 13.0, 7.0, 8.0]\n<string>\n5 exec\n", r.stdout + r.stderr


@pytest.mark.once
def test_functions_of_a_command():
    """Python keeps no source of `python -c`, but its arguments."""
    text = "from cuprite.numba import cuda\n\n@cuda.jit\ndef k(x):\n    print(x, 7)\n\nk[1, 1](3)\ncuda.synchronize()"
    for before in ([], ["-m", "cuprite"]):
        r = subprocess.run([sys.executable, *before, "-c", text], capture_output=True, text=True)
        assert r.returncode == 0 and r.stdout == "3 7\n", r.stdout + r.stderr
