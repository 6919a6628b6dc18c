"""Texts that are hard to read: strings of all kinds, macros that hide words or have names of the vocabulary's, depth.
One block of 64; `y` has an element for each thread."""
import numpy as np
import pytest

import cuprite as cp

T = np.arange(64)
KERNEL = 'extern "C" __global__ void k(int *y) { int at = threadIdx.x; %s }'
SWAP = KERNEL % "__shared__ int s[64]; s[at] = at; __syncthreads(); y[at] = s[63 - at];"
OWN = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZacdefghijlmnopqrsuvwz", "value", "width", "mask", "size", "count", "index", "step",
       "type", "name", "offset", "key", "lane", "from", "to", "lo", "hi", "sum", "first", "last", "block", "kernel",
       "line", "own", "equal", "max", "min", "loop", "regions", "fibers", "nargs", "sizes", "elements", "left", "right"]
OWN = [name for name in OWN if name not in ("k", "y", "s")]

# name: what each thread leaves, the source
CASES = {
    "raw strings": (ord("}") + 0 * T, KERNEL % r'''
        auto a = LR"x(}} __syncthreads(); ")" )x"; auto b = uR"(}"{( )"; auto c = UR"(})"; auto d = R"(})";
        y[at] = a[0] == b[0] && b[0] == c[0] ? d[0] : 0;'''),
    "raw bytes": (ord("}") + 0 * T, KERNEL % 'auto a = u8R"(}{"( )"; y[at] = a[0];'),
    "empty raw string": (0 * T, KERNEL % 'auto a = R"()"; y[at] = a[0];'),
    "names that begin like strings": (15 + 0 * T, KERNEL % "int L = 1, LR = 2, u8 = 3, u8R = 4, UR = 5;"
                                                           "y[at] = L + LR + u8 + u8R + UR;"),
    "words made of parts": (T, "#define GLUE(a, b) a##b\n" + KERNEL.replace("__global__", "GLUE(__glo, bal__)") %
                            "y[at] = GLUE(thread, Idx).x;"),
    "a mark of the order of bytes": (63 - T, "\ufeff" + SWAP),
    "a mark before a directive": (2 * T, "\ufeff#if 1\n#define TWO 2\n#endif\n" + KERNEL % "y[at] = at * TWO;"),
}


def run(text, **words):
    y = cp.zeros(64, "i4")
    kernel = cp.RawKernel(text, "k", **words)
    kernel((1,), (64,), (y,))
    return y.get(), kernel.kernel


@pytest.mark.parametrize("case", CASES)
def test_text(case, device):
    wanted, text = CASES[case]
    if "\ufeff" in text and device.startswith("cuda"):
        pytest.skip("NVRTC decides")
    assert np.array_equal(run(text)[0], wanted)


def test_macros_with_names_of_the_vocabulary(device):
    """-DT=float, -DN=4: no parameter of a header of ours stands in the way."""
    if device.startswith("cuda"):
        pytest.skip("NVRTC's own headers have such parameters")
    assert np.array_equal(run(SWAP, options=tuple(f"-D{name}=77" for name in OWN))[0], 63 - T)


HEADERS = ("cooperative_groups.h", "cooperative_groups/reduce.h", "cuda_fp16.h", "cuda_bf16.h", "curand_kernel.h",
           "math_constants.h", "cupy/complex.cuh", "cupy/carray.cuh")


@pytest.mark.parametrize("header", HEADERS)
def test_macros_above_headers(header, device):
    if device.startswith("cuda"):
        pytest.skip("CUDA's own headers")
    text = "".join(f"#define {name} 77\n" for name in OWN) + f"#include <{header}>\n" + SWAP
    assert np.array_equal(run(text)[0], 63 - T)


@pytest.mark.parametrize("options", [("-DHERE=__shared__", "-DMEET=__syncthreads()"),
                                     ("-D", "HERE=__shared__", "--define-macro=MEET=__syncthreads()")])
def test_options_that_hide_words(options):
    text = KERNEL % "HERE int s[64]; s[at] = at; MEET; y[at] = s[63 - at];"
    assert np.array_equal(run(text, options=options)[0], 63 - T)
    kernel = KERNEL.replace('extern "C" __global__', "KERNEL") % "y[at] = at;"
    assert np.array_equal(run(kernel, options=('-DKERNEL=extern "C" __global__',))[0], T)


@pytest.mark.parametrize("options", [("-DBUMP=i+=1",), ("-D", "BUMP=i+=1"), ("-D BUMP=++i",),
                                     ("--define-macro=BUMP=i++",), ("--define-macro", "BUMP=i+=1")])
def test_options_that_change_a_loops_variable(options):
    """Such a loop is not one of the grid's stride, whose rounds could be gone through otherwise."""
    k = cp.RawKernel("""extern "C" __global__ void f(int *y, int n)
        {
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
                BUMP;
                if (i < n) y[i] += 1;
            }
        }""", "f", options=options)
    y = cp.zeros(40, "i4")
    k((2,), (4,), (y, np.int32(40)))
    wanted = np.zeros(40, "i4")
    for i in range(8):
        while i < 40:
            i += 1
            wanted[i:i + 1] += 1
            i += 8
    assert np.array_equal(y.get(), wanted)


def test_file_before_the_text(tmp_path):
    (tmp_path / "mine.h").write_text("__device__ int twice(int v) { return 2 * v; }\n")
    got, _ = run(KERNEL % "y[at] = twice(at);", options=(f"-I{tmp_path}", "-include=mine.h"))
    assert np.array_equal(got, 2 * T)


def test_namespaces_in_namespaces(device):
    """200 are read, more are refused, and as many as stacks have no space for too."""
    def text(n):
        return "namespace a {" * n + "__device__ int f() { return threadIdx.x; }" + "}" * n + KERNEL % (
            "y[at] = " + "a::" * n + "f();")
    assert np.array_equal(run(text(200))[0], T)
    if device.startswith("cuda"):
        return
    with pytest.raises(NotImplementedError, match="line 1: namespaces more than 256 deep"):
        run(text(300))
    with pytest.raises(cp.cuda.compiler.CompileException, match="nested more than 1000 deep"):
        run("namespace a {" * 200000 + "}" * 200000 + KERNEL % "")


def test_zeros_in_strings():
    """A string of C's ends at a 0: what is behind it would be ignored."""
    module = cp.RawModule(code="__device__ int v;" + KERNEL % "y[at] = at;")
    for bad in (lambda: run(KERNEL % "\0"), lambda: run(KERNEL % "", options=("-DA\0B",)),
                lambda: module.get_function("k\0x"), lambda: module.get_global("v\0x"),
                lambda: cp.RawModule(code=KERNEL % "", name_expressions=["k\0x"]).get_function("k")):
        with pytest.raises(ValueError, match="embedded null character"):
            bad()
    for ask in (module.get_function, module.get_global):
        for wrong in (None, 5, b"k"):
            with pytest.raises(TypeError, match="a str is needed, not <class '"):
                ask(wrong)
