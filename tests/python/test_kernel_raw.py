"""RawKernel and RawModule: arguments of every kind, launches and their limits, modules, attributes, errors."""
import gc
import io
import pickle
import threading

import numpy as np
import pytest

import cuprite as cp

pytestmark = pytest.mark.device

ADD = r"""
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, const int size)
{
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < size) c[item] = a[item] + b[item];
}
"""


@pytest.fixture(scope="module")
def add():
    return cp.RawKernel(ADD, "vector_add")


@pytest.mark.parametrize("size", [1, 31, 1024, 2048, 100003])
def test_vector_add(add, size):
    r = np.random.default_rng(size)
    a, b = r.random(size, "f4"), r.random(size, "f4")
    c = cp.zeros(size, "f4")
    add((-(-size // 256), 1, 1), (256, 1, 1), (cp.asarray(a), cp.asarray(b), c, size))
    np.testing.assert_array_equal(c.get(), a + b)


def test_words_of_a_call(add):
    a = cp.ones(10, "f4")
    for words in [dict(grid=(1,), block=(32,), args=(a, a, a, np.int32(10))), dict(args=(a, a, a, 10), block=[32],
                                                                                  grid=[1], shared_mem=0)]:
        add(**words)
    add((np.int64(1),), (np.int32(32),), [a, a, a, 10])
    assert a.get().tolist() == [8.0] * 10
    with pytest.raises(TypeError, match="unexpected keyword argument 'blocks'"):
        add((1,), (1,), (a, a, a, 10), blocks=3)
    with pytest.raises(TypeError, match="grid, block and args"):
        add((1,), (1,))
    with pytest.raises(ValueError, match="1 to 3 integers"):
        add((1, 1, 1, 1), (1,), (a, a, a, 10))


STORE = "extern \"C\" __global__ void store(%s v, %s *out) { *out = v; }"
VALUES = [(True, "bool", "?"), (False, "bool", "?"), (3, "long long", "i8"), (-2 ** 63, "long long", "i8"),
          (2 ** 64 - 1, "unsigned long long", "u8"), (2.5, "double", "f8"), (np.float32(1.5), "float", "f4"),
          (np.int8(-3), "signed char", "i1"), (np.uint16(60000), "unsigned short", "u2"), (np.int32(-7), "int", "i4"),
          (np.float64(0.1), "double", "f8"), (np.bool_(True), "bool", "?"), (np.uint64(2 ** 63), "unsigned long long",
                                                                              "u8")]


@pytest.mark.parametrize("value, ctype, dtype", VALUES)
def test_numbers(value, ctype, dtype):
    out = cp.zeros(1, dtype)
    cp.RawKernel(STORE % (ctype, ctype), "store")((1,), (1,), (value, out))
    assert out.get()[0] == value


def test_complex():
    code = """#include <cupy/complex.cuh>
    extern "C" __global__ void f(complex<double> a, complex<float> b, complex<double> *out) { *out = a * b + 1.0; }"""
    out = cp.zeros(1, "c16")
    cp.RawKernel(code, "f")((1,), (1,), (1 + 2j, np.complex64(3 - 1j), out))
    assert out.get()[0] == (1 + 2j) * (3 - 1j) + 1


def test_records_by_value():
    dtype = np.dtype([("a", "f8"), ("n", "i4"), ("v", "f4", 3)], align=True)
    code = """struct record { double a; int n; float v[3]; };
    extern "C" __global__ void f(record r, double *out) { out[0] = r.a; out[1] = r.n; out[2] = r.v[2]; }"""
    k = cp.RawKernel(code, "f")
    array = np.array([(1.5, 7, (1, 2, 3))], dtype)
    for r in (array[0], array, array.reshape(())):
        out = cp.zeros(3)
        k((1,), (1,), (r, out))
        assert out.get().tolist() == [1.5, 7, 3]
    with pytest.raises(ValueError, match="at most 32764 bytes"):
        k((1,), (1,), (np.zeros(2000, dtype), cp.zeros(3)))


def test_pointers():
    code = 'extern "C" __global__ void f(double *a, double *none, double *out) { out[0] = a[0]; out[1] = none == 0; }'
    k = cp.RawKernel(code, "f")
    a, out = cp.arange(5.0), cp.zeros(2)
    k((1,), (1,), (a.data + 16, None, out))
    assert out.get().tolist() == [2, 1]
    k((1,), (1,), (a[3:], cp.cuda.alloc(8), out))
    assert out.get().tolist() == [3, 0]

    class Foreign:
        __cuda_array_interface__ = {"data": (a[4:].data.ptr, False)}
    k((1,), (1,), (Foreign(), None, out))
    assert out.get().tolist() == [4, 1]


@pytest.mark.parametrize("wrong", [np.ones(3), "text", [1], (1, 2), object(), {}])
def test_unsupported_arguments(add, wrong):
    a = cp.ones(3, "f4")
    with pytest.raises(TypeError, match=f"Unsupported type {type(wrong)!r}"):
        add((1,), (1,), (a, wrong, a, 3))


def test_many_arguments():
    names = [f"p{i}" for i in range(60)]
    code = 'extern "C" __global__ void f(%s, long long *out) { *out = %s; }' % (
        ", ".join("long long " + n for n in names), " + ".join(names))
    out = cp.zeros(1, "i8")
    cp.RawKernel(code, "f")((1,), (1,), (*range(60), out))
    assert int(out[0]) == sum(range(60))


def test_too_many_bytes_of_arguments():
    """CUDA's bound of 32764 bytes is of all parameters together, and the compiler's."""
    pair = np.zeros((), [("a", "f8", 2048)])
    code = """struct record { double a[%d]; };
    extern "C" __global__ void f(record a, record b, double *out) { *out = a.a[2047] + b.a[5] + 1; }"""
    out = cp.zeros(1)
    with pytest.raises(cp.cuda.compiler.CompileException, match="Formal parameter space overflowed"):
        cp.RawKernel(code % 2048, "f")((1,), (1,), (pair, pair, out))
    assert not out.any()


def test_the_most_bytes_of_arguments():
    """32764: a structure of 32752 bytes, a pointer, an integer."""
    record = np.zeros((), [("a", "f8", 4094)])
    record["a"][4093] = 7
    code = """struct record { double a[4094]; };
    extern "C" __global__ void f(record a, double *out, int n) { *out = a.a[4093] + n; }"""
    out = cp.zeros(1)
    cp.RawKernel(code, "f")((1,), (1,), (record, out, np.int32(5)))
    assert out.get()[0] == 12


def test_arguments_that_are_too_short(device):
    if device.startswith("cuda"):
        pytest.skip("the driver takes addresses of values, and nobody is told how long they are")
    out = cp.zeros(1)
    k = cp.RawKernel('extern "C" __global__ void f(double *out, double x, int n) { *out = x + n; }', "f")
    with pytest.raises(ValueError, match="f: argument 2 has 4 bytes, the kernel takes 8"):
        k((1,), (1,), (out, np.float32(1), 2))
        cp.cuda.Device().synchronize()  # where work is done late
    k((1,), (1,), (out, 1.0, 2))
    assert float(out[0]) == 3


def test_limits(add):
    a = cp.ones(10, "f4")
    for grid, block in [((1,), (2048,)), ((1,), (1, 1, 65)), ((1,), (32, 33)), ((0,), (1,)), ((1,), (0,)),
                        ((1, 65536), (1,)), ((-1,), (1,))]:
        with pytest.raises(cp.cuda.driver.CUDADriverError):
            add(grid, block, (a, a, a, 10))
    assert a.get().tolist() == [1.0] * 10
    add((1,), (10,), (a, a, a, 10))  # and work goes on


def test_no_such_kernel():
    with pytest.raises(cp.cuda.driver.CUDADriverError):
        cp.RawKernel(ADD, "vector_sub")((1,), (1,), ())
    with pytest.raises(cp.cuda.driver.CUDADriverError):
        cp.RawModule(code=ADD).get_function("vector_sub")


def test_compile_error():
    code = 'extern "C" __global__ void f(int *a)\n{\n    a[0] = nothing_of_that_name;\n}\n'
    k = cp.RawKernel(code, "f")
    with pytest.raises(cp.cuda.compiler.CompileException, match="nothing_of_that_name") as e:
        k((1,), (1,), (cp.zeros(1, "i4"),))
    assert "3" in str(e.value) and e.value.get_message() == str(e.value)
    text = io.StringIO()
    e.value.dump(text)
    assert "3     a[0] = nothing_of_that_name;" in text.getvalue() and "nothing_of_that_name" in str(
        pickle.loads(pickle.dumps(e.value)))


def test_shared_memory_and_barriers():
    code = r"""
    extern "C" __global__ void reverse(const int *in, int *out)
    {
        extern __shared__ int part[];
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        part[threadIdx.x] = in[i];
        __syncthreads();
        out[i] = part[blockDim.x - 1 - threadIdx.x];
    }"""
    x = np.arange(1024, dtype="i4")
    out = cp.zeros(1024, "i4")
    cp.RawKernel(code, "reverse")((8,), (128,), (cp.asarray(x), out), shared_mem=4 * 128)
    np.testing.assert_array_equal(out.get(), x.reshape(8, 128)[:, ::-1].ravel())


def test_stream(add):
    s = cp.cuda.Stream()
    a = cp.ones(10, "f4")
    s.wait_event(cp.cuda.get_current_stream().record())
    add((1,), (32,), (a, a, a, 10), stream=s)
    s.synchronize()
    assert a.get().tolist() == [2.0] * 10


def test_attributes(add):
    for name, value in add.attributes.items():
        assert getattr(add, name) == value and isinstance(value, int)
    assert add.max_threads_per_block > 0 and add.shared_size_bytes == 0
    before = add.max_dynamic_shared_size_bytes
    add.max_dynamic_shared_size_bytes = 4096
    assert add.max_dynamic_shared_size_bytes == 4096
    add.max_dynamic_shared_size_bytes = before
    add.preferred_shared_memory_carveout = 50
    assert add.preferred_shared_memory_carveout in (50, -1)  # -1: the device has no such choice
    with pytest.raises(AttributeError):
        add.num_regs = 3
    assert (add.name, add.options, add.backend, add.file_path) == ("vector_add", (), "nvrtc", None)
    assert add.code == ADD and not add.enable_cooperative_groups and add.kernel.name == "vector_add"


def test_wrong_declarations():
    with pytest.raises(TypeError, match="str"):
        cp.RawKernel(b"code", "f")
    with pytest.raises(TypeError, match="tuple of str"):
        cp.RawKernel(ADD, "f", options="-DN=1")
    with pytest.raises(ValueError, match="invalid backend"):
        cp.RawKernel(ADD, "f", backend="gcc")
    with pytest.raises(TypeError, match="Exactly one"):
        cp.RawModule()
    with pytest.raises(TypeError, match="Exactly one"):
        cp.RawModule(code=ADD, path="x.cubin")


def test_options():
    k = cp.RawKernel('extern "C" __global__ void f(int *out) { *out = N; }', "f", ("-DN=5", "--std=c++17"))
    out = cp.zeros(1, "i4")
    k((1,), (1,), (out,))
    assert int(out[0]) == 5


MODULE = r"""
__constant__ float weights[4];
__device__ int counter;
template <typename T> __global__ void scale(T *x, T by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= by;
}
extern "C" __global__ void weigh(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { x[i] *= weights[i % 4]; atomicAdd(&counter, 1); }
}
"""


def test_templates():
    m = cp.RawModule(code=MODULE, options=("-std=c++14",), name_expressions=["scale<float>", "scale<long long>"])
    x, n = cp.ones(50, "f4"), cp.ones(50, "i8")
    m.get_function("scale<float>")((1,), (64,), (x, np.float32(2.5), 50))
    m.get_function("scale<long long>")((1,), (64,), (n, 3, 50))
    assert (x == 2.5).all() and (n == 3).all()
    assert m.name_expressions == ("scale<float>", "scale<long long>")
    with pytest.raises(cp.cuda.driver.CUDADriverError):
        m.get_function("scale<double>")


def test_globals():
    m = cp.RawModule(code=MODULE)
    w = m.get_global("weights")
    assert isinstance(w, cp.cuda.MemoryPointer) and w.mem.size == 16
    cp.ndarray((4,), "f4", memptr=w)[...] = cp.arange(4, dtype="f4")
    x = cp.ones(10, "f4")
    m.get_function("weigh")((1,), (32,), (x, 10))
    assert x.get().tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0, 1]
    assert int(cp.ndarray((), "i4", memptr=m.get_global("counter"))) == 10
    with pytest.raises(cp.cuda.driver.CUDADriverError):
        m.get_global("nothing")


def test_pickling(add):
    a = cp.ones(10, "f4")
    other = pickle.loads(pickle.dumps(add))
    other((1,), (32,), (a, a, a, 10))
    assert a.get().tolist() == [2.0] * 10
    m = pickle.loads(pickle.dumps(cp.RawModule(code=MODULE, name_expressions=["scale<float>"])))
    m.get_function("scale<float>")((1,), (32,), (a, np.float32(2), 10))
    assert a.get().tolist() == [4.0] * 10


def test_translated_complex():
    code = """extern "C" __global__ void f(cuDoubleComplex *z) { *z = cuCmul(*z, make_cuDoubleComplex(0, 1)); }"""
    z = cp.asarray(np.array([1 + 2j]))
    cp.RawKernel(code, "f", translate_cucomplex=True)((1,), (1,), (z,))
    assert z.get()[0] == (1 + 2j) * 1j


def test_many_threads_compile_once_each():
    found = []

    def work(n):
        k = cp.RawKernel(f'extern "C" __global__ void f(int *out) {{ *out = {n % 3}; }}', "f")
        out = cp.zeros(1, "i4")
        k((1,), (1,), (out,))
        found.append((n % 3, int(out[0])))
    threads = [threading.Thread(target=work, args=(n,)) for n in range(9)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 9 and all(a == b for a, b in found)


def test_subclasses_and_attributes_of_objects(add):
    class Counted(cp.RawKernel):
        calls = 0

        def __call__(self, *args, **kw):
            self.calls += 1
            return super().__call__(*args, **kw)
    k = Counted(ADD, "vector_add")
    a = cp.ones(4, "f4")
    k((1,), (4,), (a, a, a, 4))
    assert k.calls == 1 and a.get().tolist() == [2.0] * 4


def test_compiled_kernels_outlive_theirs():
    k = cp.RawKernel(ADD, "vector_add")
    compiled, a = k.kernel, cp.ones(4, "f4")
    del k
    gc.collect()
    compiled((1,), (4,), (a, a, a, 4))
    assert a.get().tolist() == [2.0] * 4


def test_no_leak(add, no_leak):
    a = cp.ones(10, "f4")
    for _ in range(20):
        add((1,), (32,), (a, a, a, 10))
        with pytest.raises(TypeError):
            add((1,), (32,), (a, "x", a, 10))
