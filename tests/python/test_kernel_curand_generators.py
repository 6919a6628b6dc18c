"""cuRAND's generators MRG32k3a, Philox and Sobol's in kernels, and Poisson's distribution, on every device.

Integers and uniforms are compared with NVIDIA's header, compiled for the host, where the toolkit is there, and always
with recurrences in Python; distributions with SciPy's."""
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest
from scipy import special, stats

import cuprite as cp

pytestmark = pytest.mark.device
TOOLKIT = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
M1, M2 = 4294967087, 4294944443


class MRG32k3a:
    """L'Ecuyer's recurrences, and jumps by powers of their matrices."""

    A = ((((0, 1, 0), (0, 0, 1), (M1 - 810728, 1403580, 0)), M1),
         (((0, 1, 0), (0, 0, 1), (M2 - 1370589, 0, 527612)), M2))

    def __init__(self, seed, subsequence, offset):
        x, y = (seed & 0xffffffff) ^ 0x55555555, (seed >> 32) ^ 0xaaaaaaaa
        self.s = [[12345] * 3, [12345] * 3]
        if seed:
            self.s = [[v * 12345 % M1 for v in (x, y, x)], [v * 12345 % M2 for v in (y, x, y)]]
        self.skip(subsequence << 76)
        self.skip(offset)

    def skip(self, n):
        for k, (a, m) in enumerate(self.A):
            a = np.array(a, object)
            v = np.array(self.s[k], object)
            for bit in bin(n)[:1:-1]:
                v = a @ v % m if bit == "1" else v
                a = a @ a % m
            self.s[k] = v.tolist()

    def next(self):
        (a, b, c), (d, e, f) = self.s
        x, y = (1403580 * b - 810728 * a) % M1, (527612 * f - 1370589 * d) % M2
        self.s = [[b, c, x], [e, f, y]]
        return x - y if x > y else x - y + M1


MRG = """#include <curand_kernel.h>
extern "C" __global__ void draw(const unsigned long long *of, double *to)
{
    curandStateMRG32k3a s;
    curand_init(of[0], of[1], of[2], &s);
    for (int i = 0; i < 3; i++) to[i] = curand(&s);
    for (int i = 3; i < 6; i++) to[i] = curand_uniform_double(&s);
    to[6] = curand_uniform(&s);
    skipahead(12345ull, &s);
    to[7] = curand(&s);
    skipahead_subsequence(3ull, &s);
    to[8] = curand(&s);
    skipahead_sequence(5ull, &s);
    to[9] = curand(&s);
    float2 a = curand_normal2(&s);
    double2 b = curand_normal2_double(&s);
    to[10] = a.x, to[11] = a.y, to[12] = b.x, to[13] = b.y;
}"""


@pytest.mark.parametrize("of", [(0, 0, 0), (1234, 0, 0), (1234, 1, 0), (0xdeadbeefcafef00d, 1023, 123456789),
                                (42, 2**51 - 1, 2**63 + 5)], ids=str)
def test_mrg32k3a(device, of):
    to = cp.zeros(14)
    cp.RawKernel(MRG, "draw")((1,), (1,), (cp.array(of, "u8"), to))
    got, g = to.get(), MRG32k3a(*of)
    assert got[:3].tolist() == [int(g.next() * 1.000000048662) for _ in range(3)]
    assert got[3:6].tolist() == [g.next() * 2.3283065498378288e-10 for _ in range(3)]
    assert got[6] == np.float32(g.next() * 2.3283065498378288e-10)
    for k, n in (7, 12345), (8, 3 << 76), (9, 5 << 127):
        g.skip(n)
        assert got[k] == int(g.next() * 1.000000048662)
    for k, bound in (10, 2**-19), (12, 2**-46):
        u, v = (g.next() * 2.3283065498378288e-10 for _ in range(2))
        r = np.sqrt(-2 * np.log(u))
        if not device.startswith("cuda"):  # sines are the fast ones there
            assert np.allclose(got[k:k + 2], [r * np.sin(2 * np.pi * v), r * np.cos(2 * np.pi * v)], rtol=0, atol=bound)


def vectors(bits):
    """Any set of vectors in which the k-th has its lowest bit at place bits - 1 - k."""
    draw = np.random.default_rng(3)
    v = draw.integers(0, 2**64, bits, "u8") >> np.uint64(64 - bits)
    return [int(x) >> (bits - 1 - k) << (bits - 1 - k) | 1 << (bits - 1 - k) for k, x in enumerate(v)]


SOBOL = """#include <curand_kernel.h>
extern "C" __global__ void draw(W *vectors, W scramble, W offset, double *to, W *integers, int n)
{
    STATE s;
    curand_init(vectors, INIT offset, &s);
    for (int i = 0; i < n; i++) integers[i] = curand(&s);
    to[0] = curand_uniform(&s), to[1] = curand_uniform_double(&s), to[2] = curand_normal(&s);
    to[3] = curand_normal_double(&s), to[4] = curand_log_normal(&s, 0.5f, 2.f);
    to[5] = curand_log_normal_double(&s, 0.5, 2), to[6] = curand_poisson(&s, 3.5), to[7] = curand_poisson(&s, 900.);
    to[8] = curand_poisson(&s, 5000.);
    skipahead((W)1000, &s);
    integers[n] = curand(&s);
}"""


@pytest.mark.parametrize("offset", [0, 7, 2**31 + 12345])
@pytest.mark.parametrize("name,bits", [("Sobol32", 32), ("ScrambledSobol32", 32), ("Sobol64", 64),
                                       ("ScrambledSobol64", 64)])
def test_sobol(device, name, bits, offset):
    """Element i is the sum over GF(2) of the vectors of the bits of i's Gray code, and the scramble."""
    v, scrambled, n = vectors(bits), name.startswith("Scrambled"), 40
    scramble = 0x9e3779b97f4a7c15 >> (64 - bits) if scrambled else 0

    def element(i):
        gray, x = i ^ i >> 1, scramble
        for k in range(bits):
            x ^= v[k] if gray >> k & 1 else 0
        return x

    word, dtype = ("unsigned", "u4") if bits == 32 else ("unsigned long long", "u8")
    text = SOBOL.replace("STATE", "curandState" + name).replace("INIT", "scramble," if scrambled else "")
    to, integers = cp.zeros(9), cp.zeros(n + 1, dtype)
    scalar = np.dtype(dtype).type
    cp.RawKernel(text.replace("W", word), "draw")(
        (1,), (1,), (cp.array(v, dtype), scalar(scramble), scalar(offset), to, integers, np.int32(n)))
    assert integers.get().tolist() == [element(offset + i) for i in range(n)] + [element(offset + n + 9 + 1000)]
    got, words = to.get(), [element(offset + n + k) for k in range(9)]
    u = [((w >> bits - 32) + 0.5) / 2**32 for w in words]
    assert got[0] == pytest.approx(u[0], rel=2**-23)
    assert got[1] == ((words[1] + 1) / 2**32 if bits == 32 else ((words[1] >> 11) + 0.5) / 2**53)
    fine = [(w + 0.5) / 2**32 if bits == 32 else ((w >> 11) + 0.5) / 2**53 for w in words]
    assert got[2] == pytest.approx(special.ndtri(u[2]), rel=1e-5, abs=1e-6)
    assert got[3] == pytest.approx(special.ndtri(fine[3]), rel=1e-13)
    assert np.log(got[4]) == pytest.approx(0.5 + 2 * special.ndtri(u[4]), rel=1e-4, abs=1e-5)
    assert np.log(got[5]) == pytest.approx(0.5 + 2 * special.ndtri(fine[5]), rel=1e-12)
    assert got[6] == stats.poisson.ppf(fine[6], 3.5) and got[7] == stats.poisson.ppf(fine[7], 900)
    assert got[8] == int(np.sqrt(5000) * special.ndtri(fine[8]) + 5000.5)


POISSON = """#include <curand_kernel.h>
extern "C" __global__ void draw(unsigned *to, double lambda, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    STATE s;
    curand_init(99ull, i, 0ull, &s);
    for (int k = 0; k < n; k++) to[i * n + k] = curand_poisson(&s, lambda);
}"""


@pytest.mark.parametrize("value", [0.25, 3, 40, 64, 300, 3999, 4001])
@pytest.mark.parametrize("state", ["curandState", "curandStateMRG32k3a", "curandStatePhilox4_32_10_t"])
def test_poisson(device, state, value):
    """Chi-square at 1e-6, over bins that expect at least 50 of 25,600 numbers."""
    to = cp.zeros((256, 100), "u4")
    cp.RawKernel(POISSON.replace("STATE", state), "draw")((8,), (32,), (to, float(value), np.int32(100)))
    x = to.get().ravel()
    edges = np.unique(stats.poisson.ppf(np.linspace(0, 1, 41)[1:-1], value))
    expected = np.diff(np.concatenate([[0], stats.poisson.cdf(edges, value), [1]])) * x.size
    seen = np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1)
    keep = expected >= 50
    chi = ((seen - expected)[keep] ** 2 / expected[keep]).sum()
    assert keep.sum() >= 2 and stats.chi2.sf(chi, keep.sum() - 1) > 1e-6
    assert abs(x.mean() - value) < 6 * np.sqrt(value / x.size)


CALLS = """
    STATE s;
    curand_init(seed, sequence, offset, &s);
    for (int i = 0; i < 5; i++) *to++ = curand(&s);
    *to++ = curand_uniform(&s), *to++ = curand_uniform_double(&s), *to++ = curand_uniform(&s);
    *to++ = curand_poisson(&s, 0.5), *to++ = curand_poisson(&s, 12.25), *to++ = curand_poisson(&s, 63.);
    skipahead(1000ull, &s);
    *to++ = curand(&s);
    skipahead_sequence(3ull, &s);
    *to++ = curand(&s), *to++ = curand(&s);
    MORE
"""
FOUR = """uint4 i = curand4(&s);
    float4 u = curand_uniform4(&s);
    double2 d = curand_uniform2_double(&s);
    uint4 p = curand_poisson4(&s, 5);
    *to++ = i.x, *to++ = i.y, *to++ = i.z, *to++ = i.w, *to++ = u.x, *to++ = u.y, *to++ = u.z, *to++ = u.w;
    *to++ = d.x, *to++ = d.y, *to++ = p.x, *to++ = p.y, *to++ = p.z, *to++ = p.w;
    float4 g = curand_normal4(&s), l = curand_log_normal4(&s, 0.f, 0.5f);
    double2 h = curand_normal2_double(&s);
    *to++ = g.x, *to++ = g.y, *to++ = g.z, *to++ = g.w, *to++ = l.x, *to++ = l.y, *to++ = l.z, *to++ = l.w;
    *to++ = h.x, *to++ = h.y;"""
HOST = """#define QUALIFIERS static inline
#include <cuda_runtime.h>
#include <curand_kernel.h>
#include <cstdio>
#include <cstdlib>
int main(int, char **v)
{
    unsigned long long seed = strtoull(v[1], 0, 10), sequence = strtoull(v[2], 0, 10), offset = strtoull(v[3], 0, 10);
    double all[64], *to = all;
    %s
    for (double *x = all; x < to; x++) printf("%%.17g ", *x);
}
"""
DEVICE = """#include <curand_kernel.h>
extern "C" __global__ void draw(const unsigned long long *of, double *to)
{
    unsigned long long seed = of[0], sequence = of[1], offset = of[2];
    %s
}"""


@pytest.mark.parametrize("state", ["curandState", "curandStateMRG32k3a", "curandStatePhilox4_32_10_t"])
def test_as_nvidias_header(device, state, tmp_path):
    if not (TOOLKIT / "curand_kernel.h").exists() or not shutil.which("g++"):
        pytest.skip("needs the CUDA toolkit's headers and g++")
    calls = CALLS.replace("STATE", state).replace("MORE", FOUR if "Philox" in state else "")
    (tmp_path / "draw.cpp").write_text(HOST % calls)
    subprocess.run(["g++", "-O1", "-w", "-ffp-contract=off", f"-I{TOOLKIT}", f"-I{TOOLKIT / 'cccl'}", "draw.cpp", "-o",
                    "draw"], cwd=tmp_path, check=True, capture_output=True)
    kernel, draw = cp.RawKernel(DEVICE % calls, "draw"), np.random.default_rng(12)
    for _ in range(20):
        of = [int(x) >> int(s) for x, s in zip(draw.integers(0, 2**64, 3, "u8"), draw.integers(0, 64, 3))]
        of[1] &= 2**51 - 1  # MRG32k3a: the header's table ends there
        text = subprocess.run([str(tmp_path / "draw"), *map(str, of)], check=True, capture_output=True,
                              text=True).stdout
        right, to = np.array(text.split(), float), cp.zeros(64)
        kernel((1,), (1,), (cp.array(of, "u8"), to))
        got = to.get()[:len(right)]
        assert (got[:28] == right[:28]).all(), of
        if not device.startswith("cuda"):
            assert np.allclose(got[28:], right[28:], rtol=2e-5, atol=1e-5), of
