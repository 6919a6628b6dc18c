"""Macros of a program's, or of its options, with names that the device headers' macros and what is written into kernels
have: `#define row blockIdx.y` where a loop over threads asks for `block.row`. Kernels are what they are without the
macro, in the same tier; GPUs are given the same."""
import os
import pathlib
import re

import numpy as np
import pytest

import cuprite as cp

pytestmark = pytest.mark.once

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "src/compiler/kernel"
CHECKED = os.environ.get("CUPRITE_CHECK", "0") != "0"
LOOP = """
extern "C" __global__ void kk(const int *qa, int *qb, int qn)
{
    int qi = blockIdx.x * blockDim.x + threadIdx.x;
    if (qi < qn) qb[qi] = qa[qi] + MACRO;
}"""
REGIONS = """
extern "C" __global__ void kk(const int *qa, int *qb, int qn)
{
    __shared__ int qs[64];
    int qi = threadIdx.x, qv = qi * 3;
    qs[qi] = qa[qi];
    __syncthreads();
    for (int qd = 16; qd; qd /= 2) {
        if (qi < qd) qs[qi] += qs[qi + qd];
        __syncthreads();
    }
    int qw = __shfl_xor_sync(~0u, qv, 1) + __reduce_add_sync(~0u, qi);
    if (qi % 32 == 0) atomicAdd(qb, MACRO);
    __syncthreads();
    qb[qi] += qs[63 - qi] + qv + qw;
}"""


def ours():
    """The list in own.c."""
    text = re.search(r"ours\[\] = \{(.*?)NULL", (FOLDER / "own.c").read_text(), re.S)[1]
    return re.findall(r'"(\w+)"', text)


def right(text):
    i = np.arange(64)
    if text is LOOP:
        return np.where(i < 50, i + 7, 0)
    s = i.copy()
    for d in (16, 8, 4, 2, 1):
        s[:d] += s[d:2 * d]
    return s[63 - i] + 3 * i + 3 * (i ^ 1) + np.add.reduceat(i, [0, 32]).repeat(32) + np.where(i == 0, 14, 0)


@pytest.mark.parametrize("option", [False, True])
@pytest.mark.parametrize("text", [LOOP, REGIONS], ids=["loop", "regions"])
def test_a_macro_with_a_name_of_ours(text, option):
    a, wrong = cp.arange(64, dtype="i4"), []
    for name in ours():
        if name == "x":  # threadIdx.x would be another in CUDA too
            continue
        b = cp.zeros(64, "i4")
        source = text.replace("MACRO", name)
        options = (f"-D{name}=7",) if option else ()
        k = cp.RawKernel(source if option else f"#define {name} 7\n" + source, "kk", options=("--std=c++17", *options))
        k((1,), (64,), (a, b, np.int32(50)))
        if not np.array_equal(b.get(), right(text)) or not (
                CHECKED or k.kernel.tier in ("gpu", "loop" if text is LOOP else "regions")):
            wrong.append((name, k.kernel.tier))
    assert not wrong


def test_every_name_is_known():
    """The macros that kernels expand, and the members that are written into them, contain no other names."""
    words = set("""defined auto bool char const constexpr decltype do double else extern false float for if inline int
                   long nullptr return short sizeof static struct template true typename unsigned void volatile while
                   class this operator always_inline noinline require_constant_initialization aligned alignof alignas
                   noexcept max min""".split())
    words |= {f"atomic{f}" for f in "Add Sub Exch Min Max Inc Dec CAS And Or Xor".split()}
    found = set()
    for name in "context regions meetings warps checked atomics".split():
        text = re.sub(r"/\*.*?\*/", "", (FOLDER / f"device/{name}.h").read_text(), flags=re.S).replace("\\\n", " ")
        undone = set(re.findall(r"#undef (\w+)", text))
        for macro, parameters, body in re.findall(r"^\s*#\s*define (\w+)(\([^)]*\))?(.*)$", text, re.M):
            if macro not in undone - {f"atomic{f}" for f in "Add Sub".split()}:
                used = set(re.findall(r"(?<![\w\"])[A-Za-z]\w*", re.sub(r'"[^"]*"|\'[^\']*\'', "", body)))
                found |= used - set(re.findall(r"\w+", parameters))
    for file in ("spans", "write", "region_loops", "region_masks", "region_spans", "region_reduce", "region_tiles"):
        for string in re.findall(r'"(?:\\.|[^"\\])*"', (FOLDER / f"{file}.c").read_text()):
            found |= set(re.findall(r"__\w+(?:%d)?(?:\)|\])*(?:\.|->)([a-z]\w*)", string))
    found = {w for w in found if "__" not in w}
    assert {"row", "bd", "worker", "host", "arena", "from", "reported", "how"} <= found
    missing = found - words - set(ours())
    assert not missing, missing
