"""Products of matrices by warps (<mma.h>, nvcuda::wmma): every shape, type and layout, against NumPy. Both devices."""
import numpy as np
import pytest

import cuprite as cp

@pytest.fixture(autouse=True)
def has_headers(device):
    if device.startswith("cuda"):
        try:
            cp.RawKernel('#include <mma.h>\nextern "C" __global__ void k() {}', "k").compile()
        except cp.cuda.compiler.CompileException as e:
            if "crt/mma.h" not in str(e):
                raise
            pytest.skip("the wheel of CUDA's headers lacks crt/mma.h, which is in nvidia-cuda-crt's")


LARGE = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
KERNEL = """#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void %(name)s(const %(memory)s *a, const %(memory)s *b, const %(sum)s *c, %(sum)s *d)
{
    wmma::fragment<wmma::matrix_a, %(m)d, %(n)d, %(k)d, %(type)s, wmma::%(la)s> fa;
    wmma::fragment<wmma::matrix_b, %(m)d, %(n)d, %(k)d, %(type)s, wmma::%(lb)s> fb;
    wmma::fragment<wmma::accumulator, %(m)d, %(n)d, %(k)d, %(sum)s> fc, fd;
    int warp = threadIdx.x / 32;
    wmma::load_matrix_sync(fa, a + warp * %(m)d * %(k)d, %(lda)d);
    wmma::load_matrix_sync(fb, b, %(ldb)d);
    %(prepare)s
    wmma::load_matrix_sync(fc, c, %(n)d, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc);
    for (int i = 0; i < fd.num_elements; i++) fd.x[i] = fd.x[i] + fd.x[i];
    wmma::store_matrix_sync(d + warp * %(m)d * %(n)d, fd, %(ldd)d, wmma::%(ld)s);
}
"""


def kernel(name, shape, type, memory, sum, la, lb, ld, prepare=""):
    m, n, k = shape
    return KERNEL % {"name": name, "m": m, "n": n, "k": k, "type": type, "memory": memory, "sum": sum, "la": la,
                     "lb": lb, "ld": ld, "prepare": prepare, "lda": k if la == "row_major" else m,
                     "ldb": n if lb == "row_major" else k, "ldd": n if ld == "mem_row_major" else m}


LAYOUTS = [("row_major", "col_major", "mem_row_major"), ("col_major", "row_major", "mem_col_major"),
           ("row_major", "row_major", "mem_row_major"), ("col_major", "col_major", "mem_col_major")]
TYPES = {  # element, its words in memory, sums, elements on the host, relative error of a sum
    "half": ("half", "half", "float", "f2", 2.0 ** -20), "half_half": ("half", "half", "half", "f2", 2.0 ** -9),
    "bf16": ("__nv_bfloat16", "__nv_bfloat16", "float", "bf", 2.0 ** -20),
    "s8": ("signed char", "signed char", "int", "i1", 0), "u8": ("unsigned char", "unsigned char", "int", "u1", 0),
    "tf32": ("wmma::precision::tf32", "float", "float", "f4", 2.0 ** -20),
    "double": ("double", "double", "double", "f8", 2.0 ** -50),
}
SHAPES = {"tf32": [(16, 16, 8)], "double": [(8, 8, 4)]}
PREPARE = """for (int i = 0; i < fa.num_elements; i++) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; i++) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);"""


def elements(draw, code, shape):
    """On the device's side, and as float64 or int64."""
    if code in ("i1", "u1"):
        x = draw.integers(*((-128, 128) if code == "i1" else (0, 256)), shape).astype(code)
        return x, x.astype("i8")
    x = draw.uniform(-2, 2, shape)
    if code == "bf":
        bits = x.astype("f4").view("u4") >> 16
        return bits.astype("u2"), (bits << 16).astype("u4").view("f4").astype("f8")
    x = x.astype(code)
    if code == "f4":  # to the nearest of 11 bits
        return x, ((x.view("u4") + 0x1000) & ~np.uint32(0x1fff)).view("f4").astype("f8")
    return x, x.astype("f8")


@pytest.mark.parametrize("kind", TYPES)
def test_products(kind):
    type, memory, sum, code, error = TYPES[kind]
    shapes = SHAPES.get(kind, LARGE)
    rows = [(f"k{i}{j}", s, l) for i, s in enumerate(shapes) for j, l in enumerate(LAYOUTS)]
    text = "".join(kernel(name, s, type, memory, sum, *l, PREPARE if kind == "tf32" else "") for name, s, l in rows)
    module, draw = cp.RawModule(code=text), np.random.default_rng(5)
    sums = {"float": "f4", "half": "f2", "int": "i4", "double": "f8"}[sum]
    for name, (m, n, k), (la, lb, ld) in rows:
        (a, wide_a), (b, wide_b) = elements(draw, code, (2, m, k)), elements(draw, code, (k, n))
        c = (draw.integers(-99, 99, (m, n)) if sums == "i4" else draw.uniform(-3, 3, (m, n))).astype(sums)
        d = cp.zeros((2, m * n), sums)
        in_memory_a = a if la == "row_major" else a.transpose(0, 2, 1).copy()
        in_memory_b = b if lb == "row_major" else b.T.copy()
        module.get_function(name)((1,), (64,), (cp.asarray(in_memory_a), cp.asarray(in_memory_b), cp.asarray(c), d))
        got = d.get().reshape((2, m, n) if ld == "mem_row_major" else (2, n, m))
        got = got if ld == "mem_row_major" else got.transpose(0, 2, 1)
        right = 2 * (wide_a @ wide_b + c)
        scale = 2 * (abs(wide_a) @ abs(wide_b) + abs(c))
        assert (abs(got - right) <= error * scale).all(), (name, abs(got - right).max())


PACKED = """#include <mma.h>
using namespace nvcuda::wmma;
using nvcuda::wmma::mma_sync;
template <class P> __device__ void product(const unsigned *a, const unsigned *b, int *d)
{
    fragment<matrix_a, 8, 8, 32, P, row_major> fa;
    fragment<matrix_b, 8, 8, 32, P, col_major> fb;
    fragment<accumulator, 8, 8, 32, int> fc;
    fill_fragment(fc, 7);
    load_matrix_sync(fa, a, 32);
    load_matrix_sync(fb, b, 32);
    mma_sync(fc, fa, fb, fc);
    store_matrix_sync(d, fc, 8, mem_row_major);
}
extern "C" __global__ void four_bits(const unsigned *a, const unsigned *b, int *d)
{
    product<experimental::precision::s4>(a, b, d);
    product<experimental::precision::u4>(a, b, d + 64);
}
extern "C" __global__ void one_bit(const unsigned *a, const unsigned *b, int *d)
{
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> fa;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> fb;
    fragment<accumulator, 8, 8, 128, int> fc, fd;
    fill_fragment(fc, -3);
    load_matrix_sync(fa, a, 128);
    load_matrix_sync(fb, b, 128);
    bmma_sync(fd, fa, fb, fc, experimental::bmmaBitOpXOR);
    store_matrix_sync(d, fd, 8, mem_row_major);
    bmma_sync(fd, fa, fb, fc, experimental::bmmaBitOpAND);
    store_matrix_sync(d + 64, fd, 8, mem_row_major);
}
"""


def test_packed_elements():
    """Elements of 4 bits and of one, those of a row, or a column of the second factor, side by side."""
    module, draw = cp.RawModule(code=PACKED), np.random.default_rng(6)
    a, b = (draw.integers(0, 16, (8, 32)) for _ in range(2))
    words = [(x.reshape(8, 4, 8) << np.arange(8) * 4).sum(-1).astype("u4") for x in (a, b)]
    d = cp.zeros((2, 8, 8), "i4")
    module.get_function("four_bits")((1,), (32,), (*map(cp.asarray, words), d))
    signed = [np.where(x > 7, x - 16, x) for x in (a, b)]
    assert (d.get() == [signed[0] @ signed[1].T + 7, a @ b.T + 7]).all()
    a, b = (draw.integers(0, 2, (8, 128)) for _ in range(2))
    words = [(x.reshape(8, 4, 32) << np.arange(32)).sum(-1).astype("u4") for x in (a, b)]
    module.get_function("one_bit")((1,), (32,), (*map(cp.asarray, words), d))
    assert (d.get() == [(a[:, None] ^ b).sum(-1) - 3, (a[:, None] & b).sum(-1) - 3]).all()


TILED = """#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half *a, const half *b, float *c, int n)
{
    __shared__ half tile_a[2][16 * 16], tile_b[2][16 * 16];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = blockIdx.y * 16, column = (blockIdx.x * 2 + warp) * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        for (int i = lane; i < 256; i += 32) {
            tile_a[warp][i] = a[(row + i / 16) * n + k + i % 16];
            tile_b[warp][i] = b[(k + i / 16) * n + column + i % 16];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
        wmma::load_matrix_sync(fa, tile_a[warp], 16);
        wmma::load_matrix_sync(fb, tile_b[warp], 16);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
"""


@pytest.mark.parametrize("checked", [False, True])
def test_product_of_tiles(checked, monkeypatch):
    """The usual program: tiles in shared memory, warps that go through them; and under CUPRITE_CHECK."""
    if checked:
        monkeypatch.setenv("CUPRITE_CHECK", "1")
    n, draw = 64, np.random.default_rng(7)
    a, b = (draw.uniform(-1, 1, (n, n)).astype("f2") for _ in range(2))
    c = cp.zeros((n, n), "f4")
    cp.RawKernel(TILED, "product")((n // 32, n // 16), (64,), (cp.asarray(a), cp.asarray(b), c, np.int32(n)))
    right = a.astype("f8") @ b.astype("f8")
    assert np.allclose(c.get(), right, rtol=0, atol=n * 2.0 ** -20)
