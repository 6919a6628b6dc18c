"""Types and values of numbers in kernels written for Numba, and its language: slices, tuples of arrays, arrays that are
assigned at once. What is right is written down, or Python's or NumPy's; test_numba_oracle.py asks Numba itself."""
import cmath
import math
from collections import namedtuple

import numpy as np
import pytest

import cuprite as cp
from cuprite.numba import cuda, njit, vectorize


def run(kernel, out, *args, threads=1):
    kernel[1, threads](*args, out)
    return out.tolist()


@cuda.jit
def slices(a, m, b, o):
    o[0], o[1], o[2] = a[b:].size, len(a[:b]), a[::b].size
    o[3], o[4] = m[b:].shape[0], m[b:].ndim
    o[5] = a[b:][0]
    for x in a[b:b + 2]:
        o[6] += x
    o[7] = a[::-b].size


def test_slices_with_bounds_known_at_run_time():
    a = np.arange(6.0)
    assert run(slices, np.zeros(8), a, np.zeros((4, 3)), 2) == [4, 2, 3, 2, 2, 2, 5, 3]
    for step in (1, -1, 2, -2, 5, -7):
        @njit
        def picked(a, start, stop, step):
            n, total = 0, 0.0
            for x in a[start:stop:step]:
                n, total = n + 1, total * 10 + x
            return n, total
        for start, stop in ((0, 6), (5, 0), (-3, 9), (4, 1)):
            right = a[start:stop:step]
            assert picked(a, start, stop, step) == (len(right), sum(x * 10**(len(right) - 1 - k)
                                                                     for k, x in enumerate(right)))


@cuda.jit
def mean_of_shared(b, o):
    s = cuda.shared.array(8, np.float64)
    o[0] = s[b:].size


def test_slice_of_shared_memory():
    assert run(mean_of_shared, np.zeros(1), 3) == [5]


@cuda.jit
def inverted(m, u, o):
    i = cuda.grid(1)
    if ~m[i]:
        o[i, 0] = 1
    if ~(u[i] > 100):
        o[i, 1] = 1
    o[i, 2], o[i, 3], o[i, 4] = ~m[i], ~u[i], -u[i]


def test_invert_and_negative_are_of_the_operands_type():
    o = np.zeros((2, 5), np.int64)
    assert run(inverted, o, np.array([True, False]), np.array([200, 5], np.uint8), threads=2) == \
        [[0, 0, 0, 55, 56], [1, 1, 1, 250, 251]]


@pytest.mark.parametrize("f", ["sqrt", "log", "acos", "asin", "atanh", "acosh", "exp", "cos"])
@pytest.mark.parametrize("x", [-4.0, 2.0, 0.5, -0.25])
def test_cmath_of_a_real_number(f, x):
    function = getattr(cmath, f)

    @njit
    def host(x):
        return function(x)
    assert abs(host(x) - function(x)) < 1e-14 * max(1, abs(function(x))) and type(host(x)) is complex


@pytest.mark.parametrize("z", [complex(2, 0.0), complex(2, -0.0), complex(-2, 0.0), complex(-2, -0.0), complex(0.0, 2),
                               complex(-0.0, 2), complex(0.0, -2), 1e-9 + 1e-9j, 1 + 1e-9j, 1e150 + 1e150j, 1e-9j,
                               complex(0.5, 0.0), complex(0.5, -0.0), -1 + 0j, 3 - 4j])
@pytest.mark.parametrize("f", ["acos", "asin", "atan", "acosh", "asinh", "atanh", "sqrt", "log"])
def test_inverse_complex_functions_on_both_sides_of_their_cuts(f, z):
    function = getattr(cmath, f)

    @njit
    def host(z):
        return function(z)
    try:
        right = function(z)
    except ValueError:
        return
    got = host(z)
    for a, b in ((got.real, right.real), (got.imag, right.imag)):
        assert abs(a - b) <= 4e-16 * max(abs(right), 1e-300) * 4 + 4e-16 * abs(b), (got, right)
        assert b == 0 or math.copysign(1, a) == math.copysign(1, b), (got, right)


def test_phase_polar_rect():
    @njit
    def parts(z):
        r, phi = cmath.polar(z)
        return cmath.phase(z), r, phi, cmath.rect(r, phi)
    got = parts(-3 + 4j)
    assert got[:3] == (cmath.phase(-3 + 4j), 5.0, cmath.phase(-3 + 4j)) and abs(got[3] - (-3 + 4j)) < 1e-14


INTEGER_UFUNCS = ["np.add(x, y)", "np.multiply(x, y)", "np.square(x)", "np.negative(x)", "np.invert(x)",
                  "np.subtract(y, x)", "np.floor_divide(x, y)", "np.fmod(x, y)",
                  "np.float_power(x, y)", "np.reciprocal(x)", "np.maximum(x, y)", "np.gcd(x, y)", "np.lcm(x, y)"]


@pytest.mark.parametrize("text", INTEGER_UFUNCS)
@pytest.mark.parametrize("t", ["uint8", "int8", "int16", "int64"])
def test_numpys_functions_of_integers_have_its_types(text, t):
    space = {"np": np}
    exec(f"def f(x, y): return {text}", space)
    import linecache
    linecache.cache["<ufuncs>"] = (1, None, [f"def f(x, y): return {text}\n"], "<ufuncs>")
    exec(compile(f"def f(x, y): return {text}\n", "<ufuncs>", "exec"), space)
    f = njit(space["f"], error_model="numpy")
    with np.errstate(all="ignore"):
        for x, y in ((100, 7), (-100, 3), (-7, 0), (120, 100), (2, -1)):
            x, y = np.array([x, y]).astype(t)
            right = space["f"](x, y)
            got = f(x, y)
            assert got == right.item() or math.isclose(got, right), (x, y)
    types = next(iter(f._made.values())).result
    assert types.dtype == right.dtype


def test_fmod_of_large_integers():
    @njit
    def f(x, y):
        return np.fmod(x, y)
    assert [f(2**53 + 1, 10), f(-(2**62 + 3), 7), f(9, 0)] == [3, int(np.fmod(-(2**62 + 3), 7)), 0]


@pytest.mark.parametrize("x", [math.inf, -math.inf, 0.0, -0.0, -2.75, math.nan])
def test_modf(x):
    @cuda.jit
    def k(x, o):
        o[0], o[1] = math.modf(x[0])
    got = run(k, np.zeros(2), np.array([x]))
    for a, b in zip(got, math.modf(x)):
        assert (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)


def test_signed_numbers_wrap():
    @cuda.jit
    def k(a, b, o):
        o[0] = (b[0] * a[0]) // b[0]
        o[1] = a[1] + 1 > a[1]
        o[2] = -a[2] < 0
        o[3] = a[1] - b[2] - 1
    n = 2**63
    o = np.zeros(4, np.int64)
    a, b = np.array([2**33, n - 1, -n]), np.array([2**33, 1, -n])
    with np.errstate(all="ignore"):
        assert run(k, o, a, b) == [0, 0, 1, int(a[1] - b[2] - 1)]


# --- the language ---

ARRAYS = tuple(np.full(3, k, np.float32) for k in range(5))
Pair = namedtuple("Pair", "x y")


@cuda.jit
def over_arrays(arrays, o):
    i = cuda.threadIdx.x
    for a in arrays:
        o[i] += a[i]
    for j in range(5):
        o[i] += 10 * arrays[j][i]
    for n, a in enumerate(arrays):
        o[i] += 100 * n * a[i]
    for a, b in zip(arrays, arrays):
        o[i] += 1000 * a[i] * b[i]


@cuda.jit
def of_pair(p, o):
    o[0] = p.x + p.y[1]


def test_tuples_of_arrays_and_namedtuples():
    assert run(over_arrays, np.zeros(3), ARRAYS, threads=3) == [10 + 100 + 3000 + 30000] * 3
    mixed = (ARRAYS[1], np.arange(6, dtype=np.float32)[::2], np.arange(3, dtype=np.float32))

    @cuda.jit
    def strided(arrays, o):
        for a in arrays:
            for k in range(a.size):
                o[0] += a[k]
    assert run(strided, np.zeros(1), mixed) == [3 + 6 + 3]
    assert run(of_pair, np.zeros(1), Pair(3, np.array([1.0, 2.0]))) == [5]


@cuda.jit(device=True)
def filled(c, v):
    for i in range(3):
        c[i] = v
    return c


@cuda.jit
def returns(o):
    c = cuda.local.array(3, np.float32)
    c = filled(c, 2.0)
    o[0] = c[0] + c[1] + c[2]


@cuda.jit
def assigned(a, b, o):
    x, y, z = a[1]
    o[0] = x * y * z
    a[0, :] = 2.0
    a[1:, 1] = 7
    o[1:] = b[:2]
    o[0:1] += 1


@cuda.jit
def into(a, o):
    np.sin(a, o)


GIVEN = cuda.to_device(np.array([6.0, 7.0, 8.0]))


@cuda.jit
def global_array(o):
    o[0] = GIVEN[0]
    for x in GIVEN[1:]:
        o[1] += x


def test_arrays_at_once():
    assert run(returns, np.zeros(1)) == [6]
    a = np.arange(9.0).reshape(3, 3)
    o = np.zeros(3)
    assert run(assigned, o, a, np.array([8.0, 9.0, 1.0])) == [61, 8, 9]
    assert a.tolist() == [[2, 2, 2], [3, 7, 5], [6, 7, 8]]
    x = np.linspace(0, 3, 6).reshape(2, 3)
    assert np.allclose(run(into, np.zeros((2, 3)), x), np.sin(x), rtol=1e-15)


@pytest.mark.once  # the global array is made on the CPU
def test_arrays_of_the_surroundings():
    assert run(global_array, np.zeros(2)) == [6, 15]
    GIVEN[0] = 60.0
    assert run(global_array, np.zeros(2)) == [60, 15]


def test_parts_of_complex_arrays():
    @cuda.jit
    def k(z, o):
        cuda.atomic.add(z.real, 0, 6.0)
        z.imag[1] = 3
        o[0] = z[0].real
    z = np.zeros(2, complex)
    assert run(k, np.zeros(1), z) == [6] and z.tolist() == [6, 3j]


def test_range_cuts_off():
    @cuda.jit
    def k(n, o):
        for _ in range(n[0]):
            o[0] += 1
    assert run(k, np.zeros(1), np.array([3.7])) == [3]


def test_a_variable_has_the_type_of_what_reaches_it():
    @njit
    def f(v, n):
        w = ~v          # v is an integer here, though the loop makes it a float
        for k in range(n):
            v = v + 0.5
            if k == 2:
                v = 7
                w += v
        return v, w
    assert f(5, 2) == (6.0, -6) and type(f(5, 2)[1]) is int and f(5, 4) == (7.5, 1)
    assert all(made is not None for made in f._made.values())


@pytest.mark.parametrize("t", [np.float32, np.float64])
def test_atomics_and_nan(t):
    @cuda.jit
    def k(a, b, c, d, v):
        i = cuda.grid(1)
        cuda.atomic.max(a, i, v[0])
        cuda.atomic.nanmax(b, i, v[0])
        cuda.atomic.min(c, i, v[0])
        cuda.atomic.max(d, i, v[1])
    a, b, c, d = (np.array([np.nan, 1], t) for _ in range(4))
    k[1, 2](a, b, c, d, np.array([3, np.nan], t))
    assert [str(x.tolist()) for x in (a, b, c, d)] == ["[nan, 3.0]", "[3.0, 3.0]", "[nan, 1.0]", "[nan, 1.0]"]


def test_vectorize_converts_numbers():
    @vectorize(["int16(int16, int16)"], target="cuda")
    def f(a, t):
        return a if a > t else 0
    a = np.arange(12, 18, dtype=np.int16)
    assert f(a, 15.0).tolist() == f(a, np.float64(15.9)).tolist() == f(a, np.array(15.0)).tolist() == \
        [0, 0, 0, 0, 16, 17]
    with pytest.raises(TypeError, match="did not contain a loop"):
        f(a.astype(np.float64), 15)


@pytest.mark.parametrize("text, right", [("pow(x, 2)", -3 + 4j), ("pow(x, 2.0f)", -3 + 4j), ("pow(x, 2.0)", -3 + 4j),
                                         ("pow(x, complex<float>(2, 0))", -3 + 4j), ("pow(2, x)", 2 ** (1 + 2j)),
                                         ("pow(x, -1)", 1 / (1 + 2j)), ("pow(x, 0)", 1)])
def test_complex_powers_in_kernels(text, right):
    got = cp.ElementwiseKernel("T x", "T z", f"z = {text}", "power")(cp.array([1 + 2j]))[0].item()
    assert abs(got - right) < 1e-15 * 4 and (right != -3 + 4j or got == right)


@pytest.mark.parametrize("text, x, right", [("z = (x + x) / 2", np.full(1000, 2**30, "i4"), -2**30),
                                            ("z = x + 1 > x", np.full(1000, 2**63 - 1, "i8"), 0),
                                            ("z = -x < 0", np.full(1000, -2**31, "i4"), 1)])
def test_overflow_is_the_same_in_first_and_later_calls(text, x, right, device):
    """On a GPU only the first calls wrap: to NVRTC signed overflow is undefined, as CUDA C++ has it."""
    from cuprite._compiler.jobs import wait
    k = cp.ElementwiseKernel("T x", "T z", text, "overflow")
    x = cp.asarray(x)
    first = int(k(x)[0])
    wait()
    k(x)
    assert first == right
    assert int(k(x)[0]) == right or str(device).startswith("cuda")


def test_remainders_of_what_wrapped_or_was_unsigned():
    @njit
    def f(x, n):
        s = 1
        for _ in range(n):
            s = (s * 6364136223846793005 + 1442695040888963407) % 1000003
            s = s * 9000000000000000000 % 7 + 1
        return x % 3, min(x % 3, np.uint32(-1)), s, np.int8(np.uint8(200)) % 7
    s = 1
    for _ in range(5):
        s = int(np.int64(np.uint64((s * 6364136223846793005 + 1442695040888963407) % 2**64))) % 1000003
        s = int(np.uint64(s * 9000000000000000000 % 2**64).astype(np.int64)) % 7 + 1
    x = 16342399616067694545
    assert f(np.uint64(x), 5) == ((x - 2**64) % 3, (x - 2**64) % 3, s, -56 % 7)
    assert all(made is not None for made in f._made.values())
