"""numba.cuda.random: xoroshiro128+, one state a thread, all of one seed and 2^64 steps apart.

The states are the same as Numba's: the first is from splitmix64, each next one a jump further. A jump is linear over
bits, so states are made by doubling: those made so far, multiplied by a bit matrix whose square serves the next step.
"""
from cuprite._compiler.ast.intrinsics import Intrinsic
from cuprite._compiler.ast.types import DOUBLE, FLOAT, UINT64, Array
from cuprite._compiler.ast.values import Value, as_type, describe
from cuprite._compiler.numba_cuda.devicearray import DeviceNDArray, using

__all__ = ["create_xoroshiro128p_states", "init_xoroshiro128p_states", "xoroshiro128p_dtype", "xoroshiro128p_next",
           "xoroshiro128p_uniform_float32", "xoroshiro128p_uniform_float64", "xoroshiro128p_normal_float32",
           "xoroshiro128p_normal_float64"]
_MASK = (1 << 64) - 1
_JUMP = (0xbeac0467eba5facb, 0xd86b048b86aa9922)


def __getattr__(name):
    if name == "xoroshiro128p_dtype":
        import numpy
        return numpy.dtype([("s0", numpy.uint64), ("s1", numpy.uint64)], align=True)
    raise AttributeError(f"module 'numba.cuda.random' has no attribute {name!r}")


class RandomStates(DeviceNDArray):
    """The states on the device, two words each."""
    __slots__ = ()
    _states = True
    shape = property(lambda self: self._x.shape[:1])
    size = property(lambda self: self._x.shape[0])
    ndim = property(lambda self: 1)
    dtype = property(lambda self: __getattr__("xoroshiro128p_dtype"))

    def copy_to_host(self, ary=None, stream=0):
        """The states as a NumPy array of s0 and s1."""
        with using(stream):
            x = self._x.get().view(self.dtype)[:, 0]
        if ary is None:
            return x
        ary[...] = x
        return ary

    def __getitem__(self, index):
        part = self._x[index]
        if part.ndim == 2 and part.strides[1] == 8 and part._c_contiguous:
            return RandomStates(part)
        return part.get().view(self.dtype)[..., 0][()]


def _split_mix(seed):
    z = (seed + 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def _stepped(a, b):
    """One step of the generator on many states (arrays of uint64)."""
    import numpy
    u = numpy.uint64
    b = b ^ a
    a = ((a << u(55)) | (a >> u(9))) ^ b ^ (b << u(14))
    return a, (b << u(36)) | (b >> u(28))


def _jumped(a, b):
    """2^64 steps on many states."""
    import numpy
    x, y = numpy.zeros_like(a), numpy.zeros_like(b)
    for word in _JUMP:
        for bit in range(64):
            if word >> bit & 1:
                x, y = x ^ a, y ^ b
            a, b = _stepped(a, b)
    return x, y


def _applied(matrix, a, b):
    """The matrix (the images of the 128 bits, two arrays) times many states."""
    import numpy
    u = numpy.uint64
    x, y = numpy.zeros_like(a), numpy.zeros_like(b)
    for k in range(128):
        bit = ((a if k < 64 else b) >> u(k % 64)) & u(1)
        mask = u(0) - bit
        x ^= matrix[0][k] & mask
        y ^= matrix[1][k] & mask
    return x, y


def _states(n, seed, subsequence_start):
    import numpy
    u = numpy.uint64
    with numpy.errstate(over="ignore"):
        bits = numpy.array([1 << k for k in range(64)], u)
        none = numpy.zeros(64, u)
        matrix = _jumped(numpy.concatenate([bits, none]), numpy.concatenate([none, bits]))
        first = u(_split_mix(seed & _MASK))
        a, b = numpy.array([first]), numpy.array([first])
        power, rest = matrix, int(subsequence_start)
        while rest:
            if rest & 1:
                a, b = _applied(power, a, b)
            power, rest = _applied(power, *power), rest >> 1
        power = matrix
        while len(a) < n:
            more = _applied(power, a[:n - len(a)], b[:n - len(a)])
            a, b = numpy.concatenate([a, more[0]]), numpy.concatenate([b, more[1]])
            power = _applied(power, *power)
        return numpy.stack([a, b], axis=1)[:n].copy()


def create_xoroshiro128p_states(n, seed, subsequence_start=0, stream=0) -> "RandomStates":
    """States for n threads, each 2^64 steps further than the one before."""
    import cuprite
    with using(stream):
        return RandomStates(cuprite.array(_states(n, seed, subsequence_start)))


def init_xoroshiro128p_states(states, seed, subsequence_start=0, stream=0):
    """Gives states that exist new values."""
    import cuprite
    with using(stream):
        states._x[...] = cuprite.array(_states(states.size, seed, subsequence_start))


def _drawn(name, helper, t):
    def write(tr, states, index):
        if not (isinstance(states.type, Array) and states.type.states):
            raise TypeError(f"{name} takes states of create_xoroshiro128p_states, not {describe(states)}")
        i = as_type(index, tr.rules.type_of(index))
        tr.unit.need("xoroshiro")
        return Value(t, f"{helper}({states.code} + 2 * (long long)({i}))", pure=False, nonneg=t is UINT64)
    return Intrinsic(name, write, f"{name}(states, index): the next number of a thread's state.")


xoroshiro128p_next = _drawn("xoroshiro128p_next", "xoroshiro_next", UINT64)
xoroshiro128p_uniform_float32 = _drawn("xoroshiro128p_uniform_float32", "xoroshiro_uniform_float", FLOAT)
xoroshiro128p_uniform_float64 = _drawn("xoroshiro128p_uniform_float64", "xoroshiro_uniform_double", DOUBLE)
xoroshiro128p_normal_float32 = _drawn("xoroshiro128p_normal_float32", "xoroshiro_normal_float", FLOAT)
xoroshiro128p_normal_float64 = _drawn("xoroshiro128p_normal_float64", "xoroshiro_normal_double", DOUBLE)
