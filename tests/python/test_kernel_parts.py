"""Which parts of the device headers a kernel on the CPU is compiled behind (parts.c): every name that the preprocessor
finds in a part is one that asks for it, in the program, its macros, its options and its instances."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/generate"))
import kernel_sources  # noqa: E402

COMPILER = shutil.which(os.environ.get("CUPRITE_CXX") or "g++") or shutil.which("clang++")
FOLDER = ROOT / "src/compiler/kernel/device"


def preprocessed(*options):
    return subprocess.run([COMPILER, "-E", "-P", "-w", "-std=c++17", "-x", "c++", "-D__CUDACC_RTC__=1", f"-I{FOLDER}",
                           f"-I{FOLDER}/both", *options, str(FOLDER / "cuprite_device.h")], check=True,
                          capture_output=True, text=True).stdout


def functions(text):
    """Names with a ( behind them outside of all braces."""
    depth, found = 0, set()
    for word, behind in re.findall(r"([A-Za-z_]\w*|[{}])(\s*\()?", text):
        depth += {"{": 1, "}": -1}.get(word, 0)
        if behind and depth == 0:
            found.add(word)
    return found - kernel_sources.KEYWORDS - {"__attribute__"}


def macros(text):
    return {name for name in re.findall(r"^#define (\w+)", text, re.M) if not name.startswith(("__cu_", "__CU_"))}


def test_every_name_asks_for_its_part():
    asking = set().union(*map(kernel_sources.names_of, kernel_sources.PARTS))
    found = functions(preprocessed("-D__CU_ALL=1")) - functions(preprocessed())
    found = {name for name in found if not name.startswith("__cu_")}
    assert {"sinf", "fmaxf", "max", "erfinvf", "__popcll", "hypot", "__isnanf", "signbit", "llrintf"} <= found
    assert len(found) > 200 and not found - asking
    found = macros(preprocessed("-D__CU_ALL=1", "-dM")) - macros(preprocessed("-dM"))
    assert {"atomicAdd_system", "__shfl_sync", "__syncwarp", "ullmax"} <= found and not found - asking


def test_where_names_stand():
    """In macros of the program, also pasted ones, in options, and in templates' arguments."""
    x = cp.asarray([-2.5, 3], "f4")
    text = r"""
#define PLAIN(v) fabsf(v)
#define PASTED(name, v) name##f(v)
template <float (*F)(float)> __device__ float call(float v) { return F(v); }
extern "C" __global__ void k(const float *x, float *y)
{
    int i = threadIdx.x;
    y[i] = PLAIN(x[i]);
    y[2 + i] = PASTED(ceil, x[i]);
    y[4 + i] = OPTION(x[i], 1.0f);
    y[6 + i] = call<floorf>(x[i]);
}"""
    y = cp.zeros(8, "f4")
    cp.RawKernel(text, "k", options=("-DOPTION=fmaxf",))((1,), (2,), (x, y))
    v = x.get()
    np.testing.assert_array_equal(y.get(), np.concatenate([abs(v), np.ceil(v), np.maximum(v, 1), np.floor(v)]))
    for name, wanted in [("OPTION=__popc", [2, 1]), ("OPTION=__brev", [0xa0000000, 0x20000000])]:
        y = cp.zeros(2, "u4")
        cp.RawKernel('extern "C" __global__ void k(unsigned *y) { y[threadIdx.x] = OPTION(threadIdx.x ? 4u : 5u); }',
                     "k", options=("-D", name))((1,), (2,), (y,))
        np.testing.assert_array_equal(y.get(), wanted)
    module = cp.RawModule(code="template <int (*F)(unsigned)> __global__ void k(int *y) { *y = F(7); }",
                          options=("--std=c++17",), name_expressions=["k<__popc>"])
    y = cp.zeros(1, "i4")
    module.get_function("k<__popc>")((1,), (1,), (y,))
    assert y.get() == 3


def parts_of(code, path):
    """The macros that a program of Python's has its kernels compiled behind."""
    env = {**os.environ, "CUPRITE_KERNEL_TEXT": str(path), "CUPRITE_DEVICE": "cpu",
           "CUPRITE_CACHE_DIR": str(path.parent)}
    subprocess.run([sys.executable, "-c", f"import cuprite as cp\n{code}"], env=env, check=True)
    return set(re.findall(r"#define (\w+)", path.read_text().partition("#include")[0]))


def test_headers_of_ours_ask_for_their_parts(tmp_path):
    """A header of ours counts by the names in it and in those that it includes; others ask for everything, and so does
    a header that makes names."""
    core = {"__CU_NO_MACROS", "__CU_KERNELS"}
    text = ('cp.RawKernel("""#include %s\nextern "C" __global__ void k(int *y) { y[threadIdx.x] = %s; }""", "k")'
            '.compile()')
    assert parts_of(text % ("<stdint.h>", "1"), tmp_path / "a") == core
    assert parts_of(text % ("<cuprite_loop.cuh>", "1"), tmp_path / "b") == core
    assert parts_of(text % ("<cuprite_loop.cuh>", "__popc(y[0])"), tmp_path / "c") == {*core, "__CU_BITS"}
    assert "__CU_ALL" in parts_of(text % ("<cuprite_array.cuh>", "1"), tmp_path / "d")
    assert "__CU_ALL" in parts_of(text % ("<type_traits>", "1"), tmp_path / "e")
    loop = "import time\nfor _ in range(100): k(x); time.sleep(0.02)"
    assert parts_of('x = cp.ones(100000, "f4")\nk = cp.ElementwiseKernel("T x", "T y", "y = 3 * x + 1", "one")\n'
                    + loop, tmp_path / "g") == core
    assert parts_of('x = cp.ones((300, 300), "f4")\n'
                    'k = cp.ReductionKernel("T x", "T y", "sinf(x)", "a + b", "y = a", "0", "other")\n' + loop,
                    tmp_path / "h") == {*core, "__CU_FUNCTIONS"}


def test_small_kernels_take_no_part(tmp_path):
    """What the page says of them: a program that names nothing is compiled behind the core alone."""
    code = 'import cuprite as cp; cp.RawKernel(\'extern "C" __global__ void k(int *y) { y[threadIdx.x] = 1; }\', "k")' \
           ".compile()"
    env = {**os.environ, "CUPRITE_KERNEL_TEXT": str(tmp_path / "text"), "CUPRITE_DEVICE": "cpu"}
    subprocess.run([sys.executable, "-c", code], env=env, check=True)
    assert re.findall(r"#define (\w+)", (tmp_path / "text").read_text()) == ["__CU_NO_MACROS", "__CU_KERNELS"]
