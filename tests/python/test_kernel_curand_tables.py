"""cuRAND's generators whose tables a program brings: MTGP32 against the recursion in Python, discrete distributions
against their tables."""
import numpy as np
import pytest

import cuprite as cp

N = 351
PARAMETERS = np.dtype([("pos", "u4", 200), ("tbl", "u4", (200, 16)), ("temper", "u4", (200, 16)),
                       ("single", "u4", (200, 16)), ("sh1", "u4", 200), ("sh2", "u4", 200), ("mask", "u4")], align=True)
STATE = np.dtype([("s", "u4", 1024), ("offset", "i4"), ("which", "i4"), ("k", "u8")], align=True)
TEXT = """
#include <curand_kernel.h>
extern "C" __global__ void take(curandStateMtgp32 *states, unsigned *out, int rounds)
{
    curandStateMtgp32 *s = &states[blockIdx.x];
    const int n = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) out[(blockIdx.x * rounds + r) * n + t] = curand(s);
}
extern "C" __global__ void specific(curandStateMtgp32_t *s, unsigned *out)
{
    out[threadIdx.x] = curand_mtgp32_specific(s, threadIdx.x, blockDim.x);
}
extern "C" __global__ void singles(curandStateMtgp32 *s, float *out) { out[threadIdx.x] = curand_mtgp32_single(s); }
extern "C" __global__ void numbers(curandStateMtgp32 *s, double *out)
{
    const int t = threadIdx.x, n = blockDim.x;
    out[t] = curand_uniform(s), out[n + t] = curand_uniform_double(s), out[2 * n + t] = curand_normal(s);
    out[3 * n + t] = curand_normal_double(s), out[4 * n + t] = curand_poisson(s, 3.5);
    out[5 * n + t] = curand_log_normal(s, 0.5f, 2.0f);
}
"""


def parameters(seed=0):
    """Any: the recursion is one for all."""
    rng, p = np.random.default_rng(seed), np.zeros((), PARAMETERS)
    p["pos"] = rng.integers(4, 95, 200)  # a block of 256 threads reads no word that it writes
    p["sh1"], p["sh2"] = rng.integers(1, 32, (2, 200))
    for name in ("tbl", "temper", "single"):
        p[name] = rng.integers(0, 2**32, (200, 16), "u4")
    p["single"] = p["single"] >> 9 | 0x3f800000
    p["mask"] = 0xfff80000
    return p


class Reference:
    def __init__(self, p, which, words):
        self.s = [int(v) for v in words]
        self.pos, self.sh1, self.sh2 = (int(p[n][which]) for n in ("pos", "sh1", "sh2"))
        self.tbl, self.temper, self.single = ([int(v) for v in p[n][which]] for n in ("tbl", "temper", "single"))
        self.mask, self.at = int(p["mask"]), 0

    def next(self, single=False):
        s, i, m = self.s, self.at, 0xffffffff
        x = s[i] & self.mask ^ s[i + 1]
        x ^= x << self.sh1 & m
        y = x ^ s[i + self.pos] >> self.sh2
        word = y ^ self.tbl[y & 15]
        s.append(word)
        self.at += 1
        t = s[i + self.pos - 1]
        t ^= t >> 16
        t ^= t >> 8
        return word >> 9 ^ self.single[t & 15] if single else word ^ self.temper[t & 15]


def made(which, device):
    if device.startswith("late"):
        pytest.skip("states hold an address; on the test device only arguments of kernels can")
    p, rng = parameters(), np.random.default_rng(5)
    states = np.zeros(len(which), STATE)
    on_device = cp.asarray(np.frombuffer(p.tobytes(), "u1"))
    states["s"][:, :N], states["which"], states["k"] = rng.integers(0, 2**32, (len(which), N), "u4"), which, \
        on_device.data.ptr
    references = [Reference(p, w, s[:N]) for w, s in zip(which, states["s"])]
    return cp.asarray(np.frombuffer(states.tobytes(), "u1")), references, on_device


def kernel(name):
    return cp.RawModule(code=TEXT).get_function(name)


@pytest.mark.parametrize("block", [(1, 1), (64, 1), (16, 16)])
def test_mtgp32(block, device):
    n, rounds = block[0] * block[1], 12
    states, references, kept = made([0, 7, 199], device)
    out = cp.zeros((3, rounds * n), "u4")
    for half in range(2):
        kernel("take")((3,), block, (states, out, np.int32(rounds)))
        np.testing.assert_array_equal(out.get(), np.array([[r.next() for _ in range(rounds * n)] for r in references],
                                                          "u4"))


def test_specific_and_distributions(device):
    states, (r,), kept = made([3], device)
    out = cp.zeros(100, "u4")
    kernel("specific")((1,), (100,), (states, out))
    np.testing.assert_array_equal(out.get(), np.array([r.next() for _ in range(100)], "u4"))
    got, n = cp.zeros((6, 128)), 128
    kernel("numbers")((1,), (n,), (states, got))
    words = np.array([[r.next() for _ in range(n)] for _ in range(6)], "f8")
    got = got.get()
    np.testing.assert_allclose(got[0], words[0] * 2.0 ** -32 + 2.0 ** -33, 1e-6)
    np.testing.assert_allclose(got[1], words[1] * 2.0 ** -32 + 2.0 ** -32, 1e-15)
    from scipy import stats
    for row, bound in ((2, 1e-4), (3, 1e-9)):
        np.testing.assert_allclose(got[row], stats.norm.ppf((words[row] + 0.5) / 2 ** 32), bound, 1e-6)
    np.testing.assert_array_equal(got[4], stats.poisson.ppf((words[4] + 0.5) / 2 ** 32, 3.5))
    np.testing.assert_allclose(np.log(got[5]), 0.5 + 2 * stats.norm.ppf((words[5] + 0.5) / 2 ** 32), 1e-4, 1e-4)


def test_singles(device):
    """Two calls of one warp. cuRAND's threads begin with the second word, leave their words where they began, and are
    in step: all have written when the first reads what it tempers by."""
    states, (r,), kept = made([42], device)
    ring, pos = r.s + [0] * (1024 - N), r.pos
    assert pos < 32  # else no lane would read what another wrote
    for offset in (0, 32):
        single = cp.zeros(32, "f4")
        kernel("singles")((1,), (32,), (states, single))
        words, expected = [], []
        for t in range(1, 33):
            x = ring[t + offset] & r.mask ^ ring[t + offset + 1]
            x ^= x << r.sh1 & 0xffffffff
            y = x ^ ring[t + offset + pos] >> r.sh2
            words.append(y ^ r.tbl[y & 15])
        ring[1:33] = words
        for t, word in zip(range(1, 33), words):
            helper = ring[t + offset + pos - 1]
            helper ^= helper >> 16
            helper ^= helper >> 8
            expected.append(word >> 9 ^ r.single[helper & 15])
        np.testing.assert_array_equal(single.get().view("u4"), np.array(expected, "u4"))


DISCRETE = """
#include <curand_kernel.h>
extern "C" __global__ void k(curandDiscreteDistribution_st *d, double *v, unsigned *bins, unsigned *out,
                             unsigned *words, uint4 *four, int length)
{
    __shared__ curandHistogramM2_st h;
    __shared__ curandDistributionM2Shift_st m;
    __shared__ curandDiscreteDistribution_st own;
    if (threadIdx.x == 0) {
        h.V = v, h.K = bins;
        m.histogram = &h, m.shift = 10, m.length = length;
        own = *d;
        own.M2 = &m;
    }
    __syncthreads();
    curandState a, b;
    curand_init(1, threadIdx.x, 0, &a);
    b = a;
    out[threadIdx.x] = curand_discrete(&a, &own), words[threadIdx.x] = curand(&b);
    curandStatePhilox4_32_10_t c;
    curand_init(1, threadIdx.x, 0, &c);
    four[2 * threadIdx.x] = curand_discrete4(&c, &own);
    curand_init(1, threadIdx.x, 0, &c);
    four[2 * threadIdx.x + 1] = curand4(&c);
}
"""


def test_discrete():
    n, length = 64, 5
    probability = np.array([0.1, 0.4, 0.05, 0.3, 0.15])
    v, k = np.zeros(length), np.zeros(length, "u4")  # the alias method: bin j is cut at V[j], above it is K[j]
    height, small, large = probability * length, [], []
    for j in range(length):
        (small if height[j] < 1 else large).append(j)
    while small and large:
        s, b = small.pop(), large[-1]
        v[s], k[s] = (s + height[s]) / length, b
        height[b] -= 1 - height[s]
        if height[b] < 1:
            small.append(large.pop())
    for j in small + large:
        v[j] = (j + 1) / length
    d = np.zeros((), [("self", "u8"), ("m2", "u8"), ("host", "u8"), ("stddev", "f8"), ("mean", "f8"), ("method", "i4"),
                      ("gen", "u4")])
    out, words, four = cp.zeros(n, "u4"), cp.zeros(n, "u4"), cp.zeros((n, 2, 4), "u4")
    kernel_ = cp.RawKernel(DISCRETE, "k")

    def run(method, stddev=0.0, mean=0.0):
        d["method"], d["stddev"], d["mean"] = method, stddev, mean
        record = cp.asarray(np.frombuffer(d.tobytes(), "u1"))
        kernel_((1,), (n,), (record, cp.asarray(v), cp.asarray(k), out, words, four, np.int32(length)))
        return out.get(), words.get(), four.get()

    def wanted(w):
        u = w * 2.0 ** -32 + 2.0 ** -32
        j = np.minimum((length * u).astype(int), length - 1)
        return 10 + np.where(u < v[j], j, k[j])
    got, w, f = run(5)
    np.testing.assert_array_equal(got, wanted(w))
    np.testing.assert_array_equal(f[:, 0], wanted(f[:, 1]))
    assert set(got.tolist()) == {10, 11, 12, 13, 14}
    got, _, f = run(0, 100.0, 5000.0)
    assert abs(got.mean() - 5000) < 60 and 60 < got.std() < 140 and abs(f[:, 0].mean() - 5000) < 30
