"""Variables that kernels change through references, parentheses, methods, casts and macros: loops with the stride of
the grid, and variables that are uniform over a block or computed from a thread's index, mean what they mean in
fibers."""
import numpy as np
import pytest

import cuprite as cp

TEXT = """
#define NEXT(x) if (x % 4 == 1) x += 1
#define INC(x) ++x
#define BUMP i += 1
template <class T> __device__ void bump(T &x) { if (x % 6 == 2) x += 1; }
struct Ref { int &r; __device__ void up() { r += 1; } };
struct Ref2 { int &r; __device__ Ref2(int &x) : r(x) {} __device__ void up() { r += 1; } };
struct Own { int q; __device__ void up(int &x) { x += q; } __device__ void operator()(int &x) { x += 1; } };
__device__ int &same_of(int &x) { return x; }
typedef int &int_ref;
using IR = int &;
"""
CHANGES = """auto &z = i; if (z % 5 == 0) z += 1; | int &z = i; z += 1; | int &z(i); z += 1; | int &z{i}; z += 1;
auto &&z = i; z += 1; | bump((i)); | bump<int>(i); | NEXT(i); | INC(i); | BUMP; | Ref r{i}; r.up(); | Ref2 r(i); r.up();
Ref2 r{i}; r.up(); | Own o{2}; o.up(i); | Own o{2}; o(i); | Own{2}.up(i); | (i)++; | ++(i); | (i) += 1; | ((i)) += 1;
same_of(i) += 1; | int j = 0; (w % 2 ? i : j) += 1; w += j; | int_ref z = i; z += 1; | IR z = i; z++;
for (int &z = i; w % 3 == 0; w++) z += 1; | if (int &z = i; w % 2) z += 1; | static_cast<int &>(i) += 1;
reinterpret_cast<unsigned &>(i) += 1; | decltype((i)) z = i; z += 1; | auto &[z] = *(int (*)[1])&i; z += 1;
if (w % 2) (i)++; | const int &z = i; w += z; | w += (i) * 2; | int z = i, y(i); w += z + y; | w += max((i), 3);
int z[2] = {i, 1}; w += z[w % 2]; | w += (unsigned)(i) + (w & (i)); | i ^= 1; i ^= 1; w += i;"""
CHANGES = [change.strip() for line in CHANGES.split("\n") for change in line.split("|")]
FRAMES = {
    "for": """unsigned w = 1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) { w += i; @ }""",
    "while": """unsigned w = 1;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) { w += i; @ i += blockDim.x * gridDim.x; }""",
    "one for a block": """unsigned w = threadIdx.x;
    int i = n / 3;
    BARRIERS
    w = w * 100 + i;""",
    "of a thread's place": """unsigned w = threadIdx.x;
    int i = threadIdx.x * 2;
    BARRIERS
    w = w * 100 + i;""",
}
BARRIERS = """__shared__ int s[64];
    s[threadIdx.x] = 5;
    __syncthreads();
    if (threadIdx.x % 2) { @ }
    w += s[threadIdx.x ^ 1];
    __syncthreads();"""


@pytest.mark.once
@pytest.mark.parametrize("frame", FRAMES)
def test_changes_by_other_names(frame, monkeypatch):
    text, names = TEXT, range(len(CHANGES))
    for k in names:
        body = FRAMES[frame].replace("BARRIERS", BARRIERS).replace("@", CHANGES[k])
        text += f'extern "C" __global__ void f{k}(unsigned *out, int n)\n{{ {body}\n'
        text += "    out[blockIdx.x * blockDim.x + threadIdx.x] = w;\n}\n"
    found = []
    for tier in (None, "fibers"):
        if tier:
            monkeypatch.setenv("CUPRITE_KERNEL_TIER", tier)
        module = cp.RawModule(code=text, options=("--std=c++17",))
        for k in names:
            out = cp.zeros(192, "u4")
            f = module.get_function(f"f{k}")
            if tier is None and f.kernel.tier == "gpu":
                pytest.skip("one tier only")
            f((3,), (64,), (out, np.int32(1000)))
            found.append(out.get())
    for k in names:
        np.testing.assert_array_equal(found[k], found[len(CHANGES) + k], CHANGES[k])
