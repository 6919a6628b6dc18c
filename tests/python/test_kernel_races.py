"""CUPRITE_CHECK=1 on the CPU: races in shared and global memory, reads of what nobody wrote, wrong sizes of arguments,
free() twice, the summary and the exit status; and that programs which have none of these pass. The variable is read
once a process, so each group of cases is one."""
import json
import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

SHARED = """(int *y)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = t; s[t + 64] = 7;
    __syncthreads();
    %s
    __syncthreads();
    y[t] = s[t];
}"""
ORDERED = r"without a __syncthreads\(\) between them"
IN_SHARED = r"line 7: thread .* 4 bytes of shared memory which thread number \d+ (read|wrote) in line 7 " + ORDERED
GLOBAL = "nothing orders blocks of a launch"
# name: blocks, threads, arguments, the source behind the kernel's name, what is reported
WRONG = {
    "reduction": (1, 64, "y,", SHARED % "for (int k = 32; k > 0; k /= 2) if (t < k) s[t] += s[t + k];", IN_SHARED),
    "reduction, written out": (1, 64, "y,", SHARED % "for (int k = 32; k; k /= 2) if (t < k) s[t] = s[t] + s[t + k];",
                               IN_SHARED),
    "scan in place": (1, 64, "y,", SHARED % "for (int k = 1; k < 64; k *= 2) { if (t >= k) s[t] += s[t - k]; "
                      "__syncthreads(); }", IN_SHARED),
    "scan by a variable": (1, 64, "y,", SHARED % "for (int k = 1; k < 64; k *= 2) { int v = t >= k ? s[t - k] : 0; "
                           "s[t] = v; __syncthreads(); }", IN_SHARED),
    "count": (1, 64, "y,", SHARED % "s[0] += 1;", IN_SHARED),
    "one word": (1, 64, "y,", SHARED % "s[0] = t;", IN_SHARED),
    "last writer": (1, 64, "y,", SHARED % "s[t / 2] = t;", IN_SHARED),
    "bytes": (1, 64, "y,", SHARED % "((char *)s)[t / 2] = t;", IN_SHARED.replace("4 bytes", "1 byte")),
    "in lockstep": (1, 32, "y,", "(int *y)\n{\n    __shared__ int s[32]; int t = threadIdx.x;\n    s[t] = t;\n"
                    "    y[t] = s[(t + 1) & 31];\n}", "of shared memory which thread number .* " + ORDERED),
    "half a warp": (1, 32, "y,", SHARED % "if (t < 16) s[t] += s[t + 16]; if (t < 8) s[t] += s[t + 8];", IN_SHARED),
    "dynamic": (1, 64, "y,", "(int *y)\n{\n    extern __shared__ int d[];\n    int t = threadIdx.x;\n    d[t] = t;\n"
                "    __syncthreads();\n    d[t] = d[t ^ 1];\n    y[t] = d[t];\n}", "line 7: .* of shared memory"),
    "global": (1, 64, "y,", "(int *y)\n{\n    int t = threadIdx.x;\n    y[t] = t;\n    y[t] += y[t ^ 1];\n}",
               r"line [45]: thread .* 4 bytes at index \d+ of y \(argument 1\), which thread number \d+ (wrote|read) "
               "in line [45] " + ORDERED),
    "global count": (1, 64, "y,", "(int *y)\n{\n    y[0] += 1;\n}", r"line 3: .* at index 0 of y \(argument 1\)"),
    "between blocks": (4, 32, "y,", "(int *y)\n{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    y[i] = i;\n"
                       "    y[i] = y[(i + 32) % 128] + 1;\n}",
                       r"which thread number \d+ of block number \d+ (wrote|read) in line [45]: " + GLOBAL),
    "sum of blocks": (4, 32, "y,", "(int *y)\n{\n    if (threadIdx.x == 0) y[0] = y[0] + 1;\n}", GLOBAL),
    "last block": (4, 32, "y,", "(int *y)\n{\n    y[0] = blockIdx.x;\n}",
                   "line 3: .* writes 4 bytes at index 0 of y .*: " + GLOBAL),
    "variable": (2, 32, "y,", "(int *y);\n__device__ int total;\nextern \"C\" __global__ void f(int *y)\n{\n"
                 "    total += y[threadIdx.x];\n}", "line 5: .* of the variable total, which thread number"),
    "atomic and not": (1, 64, "y,", SHARED % "atomicAdd(&s[0], 1); s[0] = s[0] * 2;", "of shared memory which thread"),
    "unwritten shared": (1, 64, "y,", "(int *y)\n{\n    __shared__ int s[64];\n    if (threadIdx.x < 63) "
                         "s[threadIdx.x] = 1;\n    __syncthreads();\n    y[threadIdx.x] = s[threadIdx.x];\n}",
                         r"line 6: thread \(63, 0, 0\) of block \(0, 0, 0\) reads 4 bytes of shared memory which no "
                         "thread of the block has written"),
    "unwritten counter": (1, 64, "y,", "(int *y)\n{\n    __shared__ int n;\n    atomicAdd(&n, 1);\n"
                          "    __syncthreads();\n    y[threadIdx.x] = n;\n}",
                          "line 4: .* updates 4 bytes of shared memory which no thread"),
    "of another block": (2, 1, "y,", "(int *y)\n{\n    __shared__ int s;\n    if (blockIdx.x == 0) s = 4;\n"
                         "    y[blockIdx.x] = s;\n}", r"line 5: thread \(0, 0, 0\) of block \(1, 0, 0\) reads 4 bytes"),
    "empty": (1, 64, "y, e", "(int *y, const int *e)\n{\n    y[threadIdx.x] = e[threadIdx.x];\n}",
              r"line 3: .* reads 4 bytes at index \d+ of e \(argument 2\), which nothing has written"),
    "empty, updated": (1, 64, "e,", "(int *e)\n{\n    e[threadIdx.x] += 1;\n}", "line 3: .* which nothing has written"),
    "empty bytes": (1, 64, "e,", "(signed char *e)\n{\n    e[threadIdx.x] = e[threadIdx.x + 64] + 1;\n}",
                    "line 3: .* reads 1 byte .* which nothing has written"),
    "allocated": (1, 1, "y,", "(int *y)\n{\n    int *p = (int *)malloc(40);\n    p[1] = 5;\n    y[0] = p[4];\n"
                  "    free(p);\n}", "line 5: .* reads 4 bytes at 0x[0-9a-f]+, which nothing has written"),
    "freed twice": (1, 1, "y,", "(int *y)\n{\n    int *p = (int *)malloc(40);\n    p[0] = y[0];\n    free(p);\n"
                    "    free(p);\n}", r"line 6: free\(\) of 0x[0-9a-f]+, which was freed already"),
    "freed array": (1, 1, "y,", "(int *y)\n{\n    free(y);\n}", r"line 3: free\(\) of 0x.*, which malloc\(\) did"),
    "freed inside": (1, 1, "y,", "(int *y)\n{\n    char *p = (char *)malloc(40);\n    free(p + 8);\n}",
                     "is not the start"),
    "long for int": (1, 1, "y, 2 ** 40", "(int *y, int n)\n{\n    y[0] = n;\n}",
                     "f: argument 2 has 8 bytes, the kernel takes 4 for n: pass numpy.int32"),
    "double for int": (1, 1, "y, 3.0", "(int *y, int n)\n{\n    y[0] = n;\n}", "argument 2 has 8 bytes"),
    "double for float": (1, 1, "y, 0.1", "(int *y, float n)\n{\n    y[0] = n;\n}",
                         "argument 2 has 8 bytes, the kernel takes 4 for n: pass numpy.float32"),
    "a barrier for some": (1, 64, "y,", "(int *y)\n{\n    if (threadIdx.x < 32) __syncthreads();\n"
                           "    else __syncthreads();\n    y[threadIdx.x] = 1;\n}",
                           "divergent barrier: .*line 3.*line 4"),
}
APART = {  # shared memory that functions, methods and the source declare
    "of a function": "__device__ int g(int t) { __shared__ int s[64]; s[t] = t; return s[63 - t]; }",
    "of a method": "struct S { __device__ static int get(int t) { __shared__ int s[64]; s[t] = t; return s[63 - t]; } "
                   "};\n#define g S::get",
    "of a functor": "struct S { __device__ int operator()(int t) const { __shared__ int s[64]; s[t] = t; "
                    "return s[63 - t]; } };\n#define g S()",
    "of a template": "template <class T> __device__ T g(T t) { __shared__ T s[64]; s[t] = t; return s[63 - t]; }",
    "of the source": "__shared__ int s[64];\n__device__ int g(int t) { s[t] = t; return s[63 - t]; }",
}
G = '(int *y);\n%s\nextern "C" __global__ void f(int *y) { y[threadIdx.x] = g((int)threadIdx.x); }'
WRONG |= {name: (1, 64, "y,", G % text, "4 bytes of shared memory which thread number .* " + ORDERED)
          for name, text in APART.items()}
WRONG["unwritten, of a method"] = (1, 64, "y,", G % APART["of a method"].replace("s[t] = t;", "if (t) s[t] = t; "
                                   "__syncthreads();"), "reads 4 bytes of shared memory which no thread of the block")
# Right programs that look wrong: name: blocks, threads, arguments, source
RIGHT = {
    "the same value": (1, 64, "y,", SHARED % "if (t % 2) s[0] = 5;"),
    "a flag": (4, 64, "y,", "(int *y) { if (threadIdx.x > 3) y[0] = 1; }"),
    "neighbouring bytes": (1, 64, "y,", "(char *y) { y[threadIdx.x] = y[threadIdx.x] + 1; }"),
    "bytes of shared words": (1, 64, "y,", "(int *y) { __shared__ char s[64]; int t = threadIdx.x; s[t] = t; "
                              "s[t] += 1; __syncthreads(); y[t] = s[63 - t]; }"),
    "a structure": (1, 32, "y,", "(int *y) { struct P { char c; double d; }; __shared__ P s[32]; int t = threadIdx.x; "
                    "s[t].c = 1; s[t].d = 2; P p = s[t]; __syncwarp(); s[t ^ 1] = p; __syncwarp(); y[t] = s[t].c; }"),
    "volatile in a warp": (1, 32, "y,", "(int *y) { __shared__ volatile int s[64]; int t = threadIdx.x; s[t] = t; "
                           "s[t + 32] = 0; __syncwarp(); for (int k = 16; k; k /= 2) { int v = s[t + k]; __syncwarp(); "
                           "s[t] = s[t] + v; __syncwarp(); } y[t] = s[0]; }"),
    "reduction": (1, 64, "y,", SHARED % "for (int k = 32; k > 0; k /= 2) { if (t < k) s[t] += s[t + k]; "
                  "__syncthreads(); }"),
    "ping-pong": (1, 64, "y,", "(int *y) { __shared__ int s[2][64]; int t = threadIdx.x, in = 0; s[0][t] = t; "
                  "__syncthreads(); for (int k = 1; k < 64; k *= 2, in ^= 1) { s[in ^ 1][t] = s[in][t] + (t >= k ? "
                  "s[in][t - k] : 0); __syncthreads(); } y[t] = s[in][t]; }"),
    "the last block": (4, 32, "y,", "(int *y);\n__device__ int done;\nextern \"C\" __global__ void f(int *y) { "
                       "__shared__ bool last; if (threadIdx.x == 0) { y[blockIdx.x] = blockIdx.x + 1; __threadfence(); "
                       "last = atomicAdd(&done, 1) == gridDim.x - 1; } __syncthreads(); if (last && threadIdx.x == 0) "
                       "{ int s = 0; for (int i = 0; i < 4; i++) s += ((volatile int *)y)[i]; y[64] = s; } }"),
    "a lock of blocks": (4, 8, "y,", "(int *y);\n__device__ int lock;\nextern \"C\" __global__ void f(int *y) { if "
                         "(threadIdx.x == 0) { while (atomicCAS(&lock, 0, 1)) {} y[0] += 1; __threadfence(); "
                         "atomicExch(&lock, 0); } }"),
    "a first look": (4, 32, "y,", "(int *y) { int v = threadIdx.x; if (v > y[0]) atomicMax(y, v); }"),
    "a lock that is begun": (1, 32, "y,", "(int *y) { __shared__ int lock, n; if (threadIdx.x == 0) { "
                             "atomicExch(&lock, 0); atomicExch(&n, 0); } __syncthreads(); atomicAdd(&n, 1); "
                             "__syncthreads(); y[threadIdx.x] = n + lock; }"),
    "memory that comes again": (1, 64, "y,", "(int *y) { int *p = (int *)malloc(24); p[0] = threadIdx.x; "
                                "y[threadIdx.x] = p[0]; free(p); }"),
    "own slots": (4, 32, "y,", "(int *y) { int at = atomicAdd(y + 200, 1); y[at] = threadIdx.x; }"),
    "written, then read": (1, 64, "e,", "(int *e) { e[threadIdx.x] = 1; e[threadIdx.x] += 1; }"),
    "the grid": (4, 32, "y,", "(int *y);\n#include <cooperative_groups.h>\nextern \"C\" __global__ void f(int *y) { "
                 "int i = blockIdx.x * 32 + threadIdx.x; y[i] = i; cooperative_groups::this_grid().sync(); "
                 "int v = y[127 - i]; cooperative_groups::this_grid().sync(); y[i] = v; }"),
    "an int of Python's": (1, 1, "y, -5, 7", "(int *y, int n, unsigned m) { y[0] = n; y[1] = m; }"),
    "zero": (1, 1, "y, 0.0", "(int *y, float n) { y[0] = n; }"),
}
RIGHT |= {"shared, " + name: (1, 64, "y,", G % text.replace("return s[63 - t];", "__syncthreads(); int v = s[63 - t]; "
                                                            "__syncthreads(); return v;"))
          for name, text in APART.items()}
PROGRAM = r"""
import json, sys
import numpy as np
import cuprite as cp
for name, (blocks, threads, args, text) in json.load(sys.stdin).items():
    y, e = cp.zeros(256, "i4"), cp.empty(64, "i4")
    try:
        cp.RawKernel('extern "C" __global__ void f' + text, "f", enable_cooperative_groups="this_grid" in text)(
            (blocks,), (threads,), eval(f"({args})"), shared_mem=512)
        told = None
    except Exception as error:
        told = type(error).__name__ + ": " + str(error)
    assert int(cp.ones(100, "i4").sum()) == 100  # and work goes on
    print(json.dumps([name, told]))
"""


def told(cases, **variables):
    given = json.dumps({name: case[:4] for name, case in cases.items()})
    r = subprocess.run([sys.executable, "-c", PROGRAM], input=given, capture_output=True, text=True, timeout=600,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu", **variables})
    assert r.returncode == 0, r.stderr
    return dict(json.loads(line) for line in r.stdout.splitlines()), r.stderr


@pytest.fixture(scope="module")
def wrong():
    return told(WRONG, CUPRITE_CHECK="1")


@pytest.mark.parametrize("name", WRONG)
def test_wrong(wrong, name):
    text = wrong[0][name]
    assert text is not None and re.search(WRONG[name][4], text), text


def test_summary(wrong):
    """Each error is in the summary, which counts all of them."""
    lines = [line[10:] for line in wrong[1].splitlines() if line.startswith("========= ")]
    assert lines[0] == f"CUPRITE CHECK: {len(WRONG)} launches of kernels"
    assert lines[-1] == f"ERROR SUMMARY: {len(WRONG)} errors"
    assert wrong[0]["reduction"].partition(": ")[2] in lines


def test_right():
    texts, summary = told(RIGHT, CUPRITE_CHECK="1")
    assert texts == dict.fromkeys(RIGHT)
    assert "ERROR SUMMARY: 0 errors" in summary


BYTES = r"""
import numpy as np
import cuprite as cp
read = cp.RawKernel('extern "C" __global__ void f(unsigned char *y, const unsigned char *a, int step, int n)\n'
                    '{ for (int i = 0; i < n; i++) y[i] = a[i * step]; }', "f")
write = cp.RawKernel('extern "C" __global__ void f(unsigned char *a, int v) { a[0] = v; a[0] += 1; }', "f")
for v in range(256):
    y = cp.zeros(16, "u1")
    for n in 1, 2, 3, 9:
        a = cp.asarray(np.full(n, v, "u1"))
        read((1,), (1,), (y, a, 1, n))
        assert (y[:n] == v).all()
    e = cp.empty(128, "u1")
    e[::8] = v
    read((1,), (1,), (y, e, 8, 16))
    assert (y == v).all()
    e = cp.empty(64, "u1")
    write((1,), (1,), (e, v))
    assert int(e[0]) == (v + 1) % 256
"""


def test_bytes():
    """A byte may have any value: an array of one, bytes of words of which nothing else is written, and a byte that a
    kernel wrote."""
    r = subprocess.run([sys.executable, "-c", BYTES], capture_output=True, text=True, timeout=600,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu", "CUPRITE_CHECK": "1"})
    assert r.returncode == 0 and "ERROR SUMMARY: 0 errors" in r.stderr, r.stderr


# Programs that were right where lanes ran in lockstep: what they give there; None: lockstep does not order them
LOCKSTEP = {
    "reduction": (SHARED % "s[t + 32] = 0; __syncthreads(); if (t < 32) { s[t] += s[t + 16]; "
                  "s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; "
                  "s[t] += s[t + 1]; }", True),
    "scan": (SHARED % "for (int k = 1; k < 32; k *= 2)\n        if (t >= k) s[t] += s[t - k];", True),
    "exchange": (SHARED % "s[t] = s[t ^ 1];", True),
    "of one lane": (SHARED % "if (t == 3)\n        s[100] = 7;\n    y[t] = s[100];", True),
    "global": ("(int *y)\n{\n    int t = threadIdx.x;\n    y[t] = t;\n    y[t] = y[t ^ 1] + 1;\n}", True),
    "one word": (SHARED % "s[0] = t;", False),
    "branches": (SHARED % "if (t < 16)\n        y[t] = s[t + 16];\n    else\n        s[t] = 4;", False),
}


def test_lanes():
    """A race that lockstep would order says so; with lockstep there is none."""
    cases = {name: (1, 32, "y,", text) for name, (text, _) in LOCKSTEP.items()}
    texts, _ = told(cases, CUPRITE_CHECK="1")
    stepped, _ = told(cases, CUPRITE_CHECK="1", CUPRITE_KERNEL_LOCKSTEP="1")
    for name, (_, ordered) in LOCKSTEP.items():
        assert re.search(ORDERED, texts[name]), name
        assert ("CUPRITE_KERNEL_LOCKSTEP=1" in texts[name]) == ordered, texts[name]
        assert stepped[name] is None or not ordered, stepped[name]
        assert "LOCKSTEP" not in (stepped[name] or "")
    blocks = told({"warps": (1, 64, "y,", SHARED % "s[t] = s[t ^ 32];")}, CUPRITE_CHECK="1")[0]["warps"]
    assert re.search(ORDERED + "$", blocks), blocks


def test_letters_beyond_ascii():
    """A name in a message is what the source says."""
    case = (1, 1, "y,", "(int *\u00b5)\n{\n    \u00b5[-100] = 1;\n}")
    assert "writes 4 bytes at index -100 of \u00b5 (argument 1)" in told({"name": case}, CUPRITE_CHECK="1")[0]["name"]


def test_without():
    """What is an error in any case, and no summary."""
    names = ("reduction", "empty", "long for int", "double for float", "freed array", "one word")
    texts, summary = told({name: WRONG[name] for name in names})
    assert [name for name in names if texts[name]] == ["double for float", "freed array"] and summary == ""
    assert "pass numpy.float32" in texts["double for float"] and "which malloc() did not give" in texts["freed array"]


EXIT = r"""
import cuprite as cp
try:
    cp.RawKernel('extern "C" __global__ void f(int *y) { y[%s] = 1; }', "f")((1,), (1,), (cp.zeros(4, "i4"),))
except cp.CUDARuntimeError:
    pass
print("ends")
"""


@pytest.mark.parametrize("index,asked,status", [("4", "3", 3), ("4", None, 0), ("3", "3", 0)])
def test_exit_status(index, asked, status):
    """A program that catches the error ends with the status that was asked for."""
    r = subprocess.run([sys.executable, "-c", EXIT % index], capture_output=True, text=True, timeout=100,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu", "CUPRITE_CHECK": "1",
                            **({"CUPRITE_CHECK_EXIT": asked} if asked else {})})
    assert r.stdout == "ends\n" and r.returncode == status, r.stderr
    assert f"ERROR SUMMARY: {int(index == '4')} error" in r.stderr
