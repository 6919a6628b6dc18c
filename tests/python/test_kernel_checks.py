"""CUPRITE_CHECK=1 on the CPU: the reports of a kernel's wrong accesses, indices and missing barriers, and that correct
programs pass. The variable is read once a process, so each group of cases is a process of its own."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

HEAD = 'extern "C" __global__ void f'
# name: how many threads, arguments, the source after HEAD, what is reported (None: nothing)
WRONG = {
    "read": (100, "a, b, 100", "(float *out, const float *in, int n)\n{\n    out[threadIdx.x] = "
             "in[threadIdx.x + 1];\n}",
             "f: line 3: thread (99, 0, 0) of block (0, 0, 0) reads 4 bytes at index 100 of in (argument 2), an array "
             "of 100 elements"),
    "write": (101, "a,", "(float *out)\n{\n\n    out[threadIdx.x] = 1;\n}",
              "f: line 4: thread (100, 0, 0) of block (0, 0, 0) writes 4 bytes at index 100 of out (argument 1), an "
              "array of 100 elements"),
    "below": (1, "a,", "(float *out)\n{ out[(int)threadIdx.x - 2] = 1; }",
              "line 2: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes at index -2 of out (argument 1)"),
    "null": (4, "a, None", "(float *a, float *none)\n{\n    if (threadIdx.x == 3) none[threadIdx.x] = a[0];\n}",
             "line 3: thread (3, 0, 0) of block (0, 0, 0) writes 4 bytes through a null pointer: index 3 of none "
             "(argument 2), which is null"),
    "pointed type": (26, "a,", "(float4 *a)\n{ a[threadIdx.x].y = 1; }",
                     "index 25 of a (argument 1), an array of 25 elements"),
    "inlined": (1, "a,", "(float *p)\n{\n    p[0] =\n        __ldg(p + 100);\n}",
                "line 4: thread (0, 0, 0) of block (0, 0, 0) reads 4 bytes at index 100 of p (argument 1)"),
    "called": (1, "a,", "(float *p);\n__device__ float get(const float *q)\n{\n    return q[100];\n}\n" + HEAD +
               "(float *p)\n{ p[0] = get(p); }", "line 4: thread (0, 0, 0)"),
    "atomic": (101, "a,", "(float *p)\n{\n    atomicAdd(&p[threadIdx.x], 1.f);\n}",
               "line 3: thread (100, 0, 0) of block (0, 0, 0) updates 4 bytes at index 100 of p"),
    "copied": (1, "a,", "(float *p)\n{\n    memcpy(p, p + 1, 400);\n}",
               "line 3: thread (0, 0, 0) of block (0, 0, 0) reads 400 bytes at index 1 of p"),
    "behind a condition": (101, "a,", "(float *p);\n#define N 5\n#if N > 4\n" + HEAD +
                           "(float *p)\n{\n    p[threadIdx.x] = N;\n}\n#endif\n", "line 6: thread (100, 0, 0)"),
    "address": (101, "a.data.ptr,", "(float *p)\n{ p[threadIdx.x] = 1; }",
                "index 100 of p (argument 1), an array of 100 elements"),
    "pointer in memory": (51, "table,", "(double **p)\n{ p[0][threadIdx.x] = 1; }",
                          "writes 8 bytes at 0x@, where no array is: the nearest one has 400 bytes from 0x@ on"),
    "freed": (1, "gone,", "(double **p)\n{ p[0][threadIdx.x + 3] = 1; }",
              "writes 8 bytes in memory that was freed: byte 24 of what was an array of 400 bytes"),
    "nothing there": (1, "0x7fff12345678,", "(long long p)\n{ *(int *)p = 1; }",
                      "writes 4 bytes at 0x7fff12345678, where no array is"),
    "heap": (1, "a,", "(float *p)\n{\n    float *q = (float *)malloc(8);\n    q[2] = p[0];\n}",
             "line 4: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes at 0x@, where no array is: the nearest one "
             "has 8 bytes from 0x@ on"),
    "given back": (1, "a,", "(float *p)\n{\n    float *q = (float *)malloc(8);\n    free(q);\n    q[1] = p[0];\n}",
                   "line 5: thread (0, 0, 0) of block (0, 0, 0) writes 4 bytes in memory that was freed: byte 4 of"),
    "shared array": (5, "a,", "(float *a)\n{\n    __shared__ float tile[4][8];\n    tile[threadIdx.x][2] = 1;\n"
                     "    __syncthreads();\n    a[threadIdx.x] = tile[0][2];\n}",
                     "line 4: thread (4, 0, 0) of block (0, 0, 0) uses index 4 of tile, which is 'float [4][8]'"),
    "shared pointer": (5, "a,", "(float *a)\n{\n    __shared__ float s[4];\n    float *p = s;\n    p[threadIdx.x] "
                       "= 1;\n    a[threadIdx.x] = p[threadIdx.x];\n}",
                       "line 5: thread (4, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 16 of static shared memory, "
                       "which has 16"),
    "dynamic": (5, "a,", "(float *a)\n{\n    extern __shared__ float t[];\n    t[threadIdx.x] = 1;\n"
                "    a[threadIdx.x] = t[threadIdx.x];\n}",
                "line 4: thread (4, 0, 0) of block (0, 0, 0) writes 4 bytes at byte 16 of dynamic shared memory, which "
                "has 16"),
    "local array": (1, "a,", "(float *a)\n{\n    float t[3] = {0};\n    for (int i = 0; i < a[0] + 4; i++)\n"
                    "        t[i] = i;\n    a[0] = t[1];\n}",
                    "line 5: thread (0, 0, 0) of block (0, 0, 0) uses index 3 of t, which is 'float [3]'"),
    "variable": (5, "n,", "(int *p);\n__device__ int table[4];\n" + HEAD +
                 "(int *p)\n{ p[0] = table[threadIdx.x]; }",
                 "line 4: thread (4, 0, 0) of block (0, 0, 0) uses index 4 of table, which is 'int [4]'"),
    "alignment": (1, "n,", "(char *p)\n{\n    *(int *)(p + 1) = 1;\n}", "as the address of 'int': misaligned address"),
    "race": (64, "a,", "(float *a)\n{\n    __shared__ float s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n"
             "    a[threadIdx.x] = s[63 - threadIdx.x];\n}", " of shared memory which thread number @ "),
    "race of a loop": (64, "a,", "(float *a)\n{\n    __shared__ float s[64];\n    for (int i = 0; i < 3; i++) {\n"
                       "        s[threadIdx.x] = i;\n        __syncthreads();\n        a[threadIdx.x] += s[threadIdx.x "
                       "^ 1];\n    }\n}", " of shared memory which thread number @ "),
    "race with an atomic": (64, "n,", "(int *a)\n{\n    __shared__ int s;\n    if (threadIdx.x == 0) s = 0;\n"
                            "    __syncthreads();\n    atomicAdd(&s, 1);\n    a[threadIdx.x] = s;\n}",
                            "line 6: thread (@, 0, 0) of block (0, 0, 0) updates 4 bytes of shared memory which thread "
                            "number @ read in line 7 without a __syncthreads() between them"),
}
RIGHT = {
    "all of it": (100, "a,", "(float *a) { a[threadIdx.x] += 1; }"),
    "shared": (64, "a,", "(float *a) { __shared__ float s[64]; s[threadIdx.x] = a[threadIdx.x]; __syncthreads(); "
               "a[threadIdx.x] = s[63 - threadIdx.x]; }"),
    "warp": (64, "a,", "(float *a) { __shared__ float s[64]; int t = threadIdx.x; s[t] = a[t]; __syncwarp(); "
             "float v = s[t ^ 1]; __syncwarp(); s[t] = v; a[t] = s[t] + __shfl_down_sync(~0u, v, 1); }"),
    "lock": (64, "n,", "(int *n) { __shared__ int lock, sum; if (!threadIdx.x) lock = sum = 0; __syncthreads(); "
             "while (atomicCAS(&lock, 0, 1)) {} sum += 1; __threadfence_block(); atomicExch(&lock, 0); "
             "__syncthreads(); n[threadIdx.x] = sum; }"),
    "histogram": (100, "n,", "(int *n) { __shared__ int h[4]; if (threadIdx.x < 4) h[threadIdx.x] = 0; "
                  "__syncthreads(); atomicAdd(&h[threadIdx.x % 4], 1); __syncthreads(); if (threadIdx.x < 4) "
                  "n[threadIdx.x] = h[threadIdx.x]; }"),
    "pointer in memory": (50, "table,", "(double **p) { p[0][threadIdx.x] = 1; }"),
    "variables": (4, "n,", "(int *p);\n__constant__ int c[4] = {1, 2, 3, 4}; __device__ int d[4];\n" + HEAD +
                  "(int *p) { const int t[] = {4, 5, 6, 7}; d[threadIdx.x] = c[threadIdx.x]; int *q = d; "
                  "p[threadIdx.x] = q[threadIdx.x] + t[threadIdx.x]; }"),
    "heap": (3, "a,", "(float *p) { float *q = (float *)malloc(8); q[1] = 2; p[threadIdx.x] = q[1]; free(q); }"),
    "groups": (64, "a,", "(float *p);\n#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" + HEAD +
               "(float *p) { auto b = cg::this_thread_block(); auto t = cg::tiled_partition<32>(b); float v = "
               "t.shfl_down((float)b.thread_rank(), 1); b.sync(); p[threadIdx.x] = v + cg::reduce(t, v, "
               "cg::plus<float>()); }"),
}
PROGRAM = r"""
import json, sys
import numpy as np
import cuprite as cp
for name, (threads, args, text) in json.load(sys.stdin).items():
    a, b, n = cp.zeros(100, "f4"), cp.ones(100, "f4"), cp.zeros(100, "i4")
    inner = cp.zeros(50)
    table = cp.asarray(np.array([inner.data.ptr], "u8"))
    lost = cp.zeros(50)
    gone = cp.asarray(np.array([lost.data.ptr], "u8"))
    del lost
    try:
        cp.RawKernel('extern "C" __global__ void f' + text, "f")((1,), (threads,), eval(f"({args})"), shared_mem=16)
        told = None
    except Exception as e:
        told = type(e).__name__ + ": " + str(e)
    assert float(b.sum()) == 100  # and work goes on
    print(json.dumps([name, told]))
"""


def told(cases, **variables):
    """What is reported of each case, in a process with those variables."""
    given = json.dumps({name: case[:3] for name, case in cases.items()})
    r = subprocess.run([sys.executable, "-c", PROGRAM], input=given, capture_output=True, text=True, timeout=300,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu", **variables})
    assert r.returncode == 0, r.stderr
    return dict(json.loads(line) for line in r.stdout.splitlines())


@pytest.fixture(scope="module")
def wrong():
    return told(WRONG, CUPRITE_CHECK="1")


@pytest.mark.parametrize("name", WRONG)
def test_wrong(wrong, name):
    pattern = re.escape(WRONG[name][3]).replace("@", "[0-9a-f]+")
    assert wrong[name] is not None and re.search(pattern, wrong[name]), wrong[name]
    assert wrong[name].startswith("CUDARuntimeError: f: ")


def test_right():
    assert told(RIGHT, CUPRITE_CHECK="1") == dict.fromkeys(RIGHT)


def test_off():
    """Without the variable nothing is compared."""
    cases = {name: WRONG[name] for name in ("read", "race", "alignment")}
    for value in ({}, {"CUPRITE_CHECK": "0"}):
        assert told(cases, **value) == dict.fromkeys(cases)


FILES = ("test_kernel_programs.py", "test_kernel_programs_language.py", "test_kernel_programs_numeric.py",
         "test_kernel_programs_sorts.py", "test_kernel_groups.py", "test_kernel_curand.py")


@pytest.mark.parametrize("name", FILES)
def test_right_programs(name):
    """Kernels of public textbooks' style, more than a hundred, all of them right, pass with every access watched: each
    with one of its sizes and types."""
    file = pathlib.Path(__file__).parent / name
    r = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--device", "cpu",
                        "--sample", "1", str(file)], capture_output=True, text=True, timeout=1200,
                       env={**os.environ, "CUPRITE_CHECK": "1"})
    assert r.returncode == 0 and "passed" in r.stdout, r.stdout[-3000:]
