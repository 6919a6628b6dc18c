"""cuRAND's device functions on the CPU: the numbers of NVIDIA's header.

NUMBERS were written by NVIDIA's header, compiled for the host. Where the toolkit is installed it is asked again, for
other seeds."""
import os
import pathlib
import shutil
import subprocess

import numpy as np
import pytest

import cuprite as cp

pytestmark = pytest.mark.device
TOOLKIT = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"

# one text for both: integers are written as they are, the rest as numbers
CALLS = """
    curandState s;
    curand_init(seed, sequence, offset, &s);
    for (int i = 0; i < 4; i++) *to++ = curand(&s);
    *to++ = curand_uniform(&s);
    *to++ = curand_uniform_double(&s);
    *to++ = curand_normal(&s), *to++ = curand_normal(&s);
    *to++ = curand_normal_double(&s), *to++ = curand_normal_double(&s);
    *to++ = curand_normal(&s), *to++ = curand_log_normal(&s, 0.5f, 2.f), *to++ = curand_normal(&s);
    *to++ = curand_log_normal(&s, 0.5f, 2.f), *to++ = curand_log_normal(&s, 9.5f, 1.f);
    *to++ = curand_log_normal_double(&s, 0.5, 2), *to++ = curand_normal_double(&s);
    *to++ = curand_log_normal_double(&s, 9.5, 1);
    float2 a = curand_normal2(&s), b = curand_log_normal2(&s, 0.f, 1.f);
    double2 c = curand_normal2_double(&s), d = curand_log_normal2_double(&s, 0, 1);
    *to++ = a.x, *to++ = a.y, *to++ = b.x, *to++ = b.y, *to++ = c.x, *to++ = c.y, *to++ = d.x, *to++ = d.y;
    skipahead(1000ull, &s);
    *to++ = curand(&s);
    skipahead_sequence(3ull, &s);
    *to++ = curand(&s);
"""
N = 28
INTEGERS = [0, 1, 2, 3, 26, 27]
KERNEL = """#include <curand_kernel.h>
extern "C" __global__ void draw(const unsigned long long *of, double *to)
{
    unsigned long long seed = of[0], sequence = of[1], offset = of[2];
    %s
}
""" % CALLS
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
""" % CALLS

# seed, sequence, offset: the first four integers
NUMBERS = {
    (0, 0, 0): (3179217846, 1883133293, 2220552389, 674260989),
    (1234, 0, 0): (624778773, 1867875844, 3739671282, 1954919316),
    (1234, 1, 0): (3522650202, 3978931785, 2198015705, 2308946676),
    (1234, 5, 7): (3351265907, 3629609298, 415430802, 1173093345),
    (0xdeadbeefcafef00d, 1023, 123456789): (712737720, 2523841794, 1917080079, 4080926264),
    (42, 2**64 - 1, 2**64 - 1): (3219760634, 3696890910, 3886673264, 3715285876),
    (7, 2**40, 2**33): (458273354, 4145886578, 3004621451, 734659126),
}


def drawn(kernel, of):
    to = cp.zeros(N)
    kernel((1,), (1,), (cp.array(of, "u8"), to))
    return to.get()


@pytest.fixture(scope="module")
def kernel():
    return cp.RawKernel(KERNEL, "draw")


@pytest.mark.parametrize("of", NUMBERS, ids=str)
def test_integers_of_xorwow(device, kernel, of):
    assert drawn(kernel, of)[:4].tolist() == list(NUMBERS[of])


@pytest.fixture(scope="module")
def header(tmp_path_factory):
    """A program of NVIDIA's header."""
    if not (TOOLKIT / "curand_kernel.h").exists() or not shutil.which("g++"):
        pytest.skip("needs the CUDA toolkit's headers and g++")
    folder = tmp_path_factory.mktemp("curand")
    (folder / "draw.cpp").write_text(HOST)
    subprocess.run(["g++", "-O1", "-ffp-contract=off", f"-I{TOOLKIT}", "draw.cpp", "-o", "draw"], cwd=folder,
                   check=True, capture_output=True)
    return folder / "draw"


# position: (mean, deviation) of what was a normal number before exp
LOGARITHMIC = {11: (0.5, 2), 13: (0.5, 2), 14: (0.5, 2), 15: (0.5, 2), 17: (9.5, 1), 20: (0, 1), 21: (0, 1), 24: (0, 1),
               25: (0, 1)}
DOUBLE = [8, 9, 15, 16, 17, 22, 23, 24, 25]


def normals(x):
    """All normal numbers, also of those that exp was taken of."""
    x = x.copy()
    for k, (mean, deviation) in LOGARITHMIC.items():
        x[k] = (np.log(x[k]) - mean) / deviation
    return x


def test_as_nvidias_header(device, kernel, header):
    """Integers and uniforms bit for bit. Normal numbers are a radius below 8.6 times a sine: within two units of the
    radius's last place for the logarithm, the sine and the product, and the sine's rounded multiple of pi."""
    draw = np.random.default_rng(11)
    bound = np.full(N, 2**-19)
    bound[DOUBLE] = 2**-46
    for k in range(20):
        of = [int(x) for x in draw.integers(0, 2**64, 3, "u8") >> draw.integers(0, 64, 3, "u8")]
        text = subprocess.run([str(header), *map(str, of)], check=True, capture_output=True, text=True).stdout
        right, got = np.array(text.split(), float), drawn(kernel, of)
        assert len(right) == N and (got[:6] == right[:6]).all() and (got[INTEGERS] == right[INTEGERS]).all(), of
        if not device.startswith("cuda"):  # sines are the fast ones there
            assert (abs(normals(got) - normals(right)) <= bound).all(), of


LAYOUT = r"""#include <curand_kernel.h>
extern "C" __global__ void start(curandState *states, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, 0, &states[i]);
}
extern "C" __global__ void mean(curandState *states, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curandState local = states[i];
    float sum = 0;
    for (int k = 0; k < n; k++) sum += curand_uniform(&local);
    states[i] = local;
    out[i] = sum / n;
}
"""


def test_states_kept_between_kernels(device):
    """The usual program: a kernel makes a state for each thread, 48 bytes, another uses them."""
    module = cp.RawModule(code=LAYOUT)
    states, out = cp.zeros(256 * 48, "u1"), cp.zeros(256, "f4")
    module.get_function("start")((4,), (64,), (states, np.uint64(1234)))
    words = states.get().view("u4").reshape(256, 12)
    assert words[0, 0] == (6615241 + (1234 ^ 0xaad26b49) * 1099087573 + 0xf7dcefdd * 2591861531) % 2**32
    assert len({tuple(w[1:6]) for w in words}) == 256 and len(set(words[:, 0])) == 1
    module.get_function("mean")((4,), (64,), (states, out, np.int32(1000)))
    first = out.get()
    module.get_function("mean")((4,), (64,), (states, out, np.int32(1000)))
    assert abs(first.mean() - 0.5) < 0.005 and abs(first.std() - (1 / 12 / 1000)**0.5) < 0.002
    assert not (out.get() == first).any()


def test_a_pair_is_for_its_function(device):
    """What curand_normal keeps is not taken by curand_log_normal, for both generators."""
    code = """#include <curand_kernel.h>
    template <class S> __device__ void pair(float *to)
    {
        S s, t;
        curand_init(5, 0, 0, &s), curand_init(5, 0, 0, &t);
        to[0] = curand_normal(&s), to[1] = logf(curand_log_normal(&s, 0, 1)), to[2] = curand_normal(&s);
        float2 first = curand_normal2(&t), second = curand_normal2(&t);
        to[3] = first.x, to[4] = second.x, to[5] = curand_normal2(&t).x;
    }
    extern "C" __global__ void both(float *to)
    {
        pair<curandState>(to), pair<curandStatePhilox4_32_10_t>(to + 6);
    }"""
    to = cp.zeros(12, "f4")
    cp.RawKernel(code, "both")((1,), (1,), (to,))
    x = to.get().reshape(2, 2, 3)
    assert np.allclose(x[:, 0], x[:, 1], rtol=0, atol=2e-6) and len(set(x[0, 1])) == 3
