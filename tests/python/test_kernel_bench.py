"""bench/kernels_all.py and kernels_cpu.py: the texts that they make of files, and that each row has a partner."""
import sys

import pytest

import pages
from kernels import FOLDER, written

sys.path.insert(0, str(pages.ROOT / "bench"))
import kernels_all  # noqa: E402
import kernels_tables  # noqa: E402

pytestmark = pytest.mark.once

TEXT = """#include <x.h> // {
#define LOOP for (int i = 0; i < 3; i++) {
namespace n { // "
struct used { int v; __device__ int get() { return v; } };
struct unused { int used; };
__device__ int helper(int i) { used u{i}; return u.get() + '}'; }
template <int N> __device__ int helper(int i) { return helper(i) + N; }
__device__ used operator+(used a, used b) { return {a.v + b.v}; }
MAKE(two)
__device__ int other(int i) { return other(i - 1); } /* one */
}
extern "C" {
template <typename T> __global__ void __launch_bounds__(64) one(T *x) { x[0] = n::helper(1); }
__global__ void two(int *x) { x[0] = n::other(1); }
__global__ void three(int *x) { x[0] = 3; }
}
extern template __global__ void one<int>(int *);
template __global__ void one(float *x);
"""


def names(text):
    return [part[0] for part in kernels_all.parts(text)]


def test_parts_of_a_text():
    assert names(TEXT) == ["used", "unused", "helper", "helper", "other", "one", "two", "three", "one", "one"]
    assert [kernel for _, kernel, *_ in kernels_all.parts(TEXT)] == [False] * 5 + [True] * 5


@pytest.mark.parametrize("kernel, wanted", [("one", ["used", "helper", "helper", "one", "one", "one"]),
                                            ("two", ["used", "other", "two"]),
                                            ("three", ["used", "three"])])
def test_a_kernel_alone(kernel, wanted):
    """With what it uses, and all else that is no function and no record: operators, and what they use."""
    text = kernels_all.alone(TEXT, kernel)
    assert names(text) == wanted
    assert text.startswith("#include <x.h> // {\n#define LOOP") and text.count("namespace n {") == 1
    assert "unused" in names(kernels_all.alone(TEXT, kernel, f"{kernel}<n::unused>"))
    with pytest.raises(ValueError, match="four"):
        kernels_all.alone(TEXT, "four")


def test_each_kernel_of_the_files():
    """Every fifth one has no other beside it."""
    for file, name in [*dict.fromkeys(written())][::5]:
        text = kernels_all.alone((FOLDER / f"{file}.cu").read_text(), name)
        assert {part[0] for part in kernels_all.parts(text) if part[1]} <= {name}  # a macro may make it


def test_rows_have_numbas_loops():
    source = (pages.ROOT / "bench/kernels_numba.py").read_text()
    for name, (arguments, grid, block, cuda, cpp) in kernels_tables.CASES.items():
        assert f'"{name}"' in source
        assert 'extern "C" __global__ void k(' in cuda and 'extern "C" void k(' in cpp
        assert len(arguments.split(", ")) == cuda.partition("k(")[2].partition(")")[0].count(",") + 1
