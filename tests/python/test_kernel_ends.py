"""Kernels on the CPU that would damage Cuprite's memory or end the process: the process goes on, and its arrays are
whole. Each group of cases is a process of its own."""
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

START = r"""
import numpy as np
import cuprite as cp

def kernel(text):
    return cp.RawKernel('extern "C" __global__ void f' + text, "f")

def told(text, *args, **words):
    try:
        kernel(text)((1,), (1,), args, **words)
        print("nothing")
    except Exception as e:
        print(type(e).__name__ + ": " + str(e).partition("\n")[0])

def works():
    a = [cp.arange(n, dtype="i4") for n in (1, 16, 64, 1000, 5000)] * 50
    assert [int(x.sum()) for x in a] == [n * (n - 1) // 2 for n in (1, 16, 64, 1000, 5000)] * 50
    b = [x + 1 for x in a]
    del a
    assert int(b[-1][-1]) == 5000
    print("works")

"""


def run(text, **variables):
    # -u: kernels print through C's buffer, Python through its own
    r = subprocess.run([sys.executable, "-u", "-c", START + text], capture_output=True, text=True, timeout=200,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu", **variables})
    assert r.returncode == 0, (r.returncode, r.stderr)
    return r.stdout.splitlines()


SIZES = (1, 8, 64, 100, 1000, 1024, 100000, 600000)


@pytest.mark.parametrize("how", ["cp.zeros(n, 'i4')", "cp.zeros(n, 'i4')[:]", "cp.zeros((n, 2), 'i4')[:, 0]",
                                 "cp.ndarray(n, 'i4', cp.cuda.runtime.malloc(4 * n))"])
def test_writes_around_an_array(how):
    """A hundred elements before and behind: another array may have a wrong element, nothing else happens."""
    if "runtime" in how:
        how = ("cp.ndarray(n, 'i4', cp.cuda.MemoryPointer(cp.cuda.UnownedMemory("
               "cp.cuda.runtime.malloc(4 * n), 4 * n, None), 0))")
    lines = run(f"""
k = kernel("(int *x, int n) {{ for (int i = 1; i < 100; i++) x[-i] = x[n + i - 1] = -1; }}")
for n in {SIZES}:
    before = [cp.zeros(n, 'i4') for _ in range(3)]
    x = {how}
    try:
        k((1,), (1,), (x, np.int32(n)))
    except cp.CUDARuntimeError as e:
        assert "an illegal address was read or written" in str(e)
    del x, before
    works()
""")
    assert lines == ["works"] * len(SIZES)


def test_a_kernel_meets_no_record():
    """A page around small arrays has nothing of ours in it: all of it may be written."""
    assert run("""
k = kernel("(int *x, int n) { for (int i = -n; i < n; i++) x[i] = i * 7919; }")
keep = [cp.zeros(n, 'f8') for n in range(1, 500)]
for n in (3, 30, 300):
    try:
        k((1,), (1,), (keep[n], np.int32(30000)))
    except cp.CUDARuntimeError:
        pass
views = [x[1:] for x in keep]
shapes = [x.shape for x in keep] + [v.shape for v in views]
assert shapes == [(n,) for n in range(1, 500)] + [(n - 1,) for n in range(1, 500)]
del keep, views
works()
""") == ["works"]


ENDS = {
    "exit": ("void exit(int)", "exit(3)", "exit() was called"),
    "_exit": ("void _exit(int)", "_exit(3)", "_exit() was called"),
    "quick_exit": ("void quick_exit(int)", "quick_exit(3)", "quick_exit() was called"),
    "abort": ("void abort()", "abort()", "abort() was called"),
    "raise": ("int raise(int)", "raise(9)", "raise() was called"),
}


def test_functions_that_end_programs():
    text = "".join(f"""
told('''(int *a);
extern "C" {declared};
extern "C" __global__ void f(int *a) {{ {called}; a[0] = 1; }}''', cp.zeros(1, "i4"))
works()
""" for declared, called, _ in ENDS.values())
    for check in "01":
        lines = run(text, CUPRITE_CHECK=check)
        for (_, _, what), line in zip(ENDS.values(), lines[::2], strict=True):
            where = "line 3: " if check == "1" else ""
            assert line == f"CUDARuntimeError: f: {where}{what}, which would end the program: a kernel cannot"
        assert lines[1::2] == ["works"] * len(ENDS)


def test_free():
    lines = run(r"""
a = cp.zeros(64, "i4")
told("(int *a) { free(a); }", a)
told("(int *a) { free(a + 1000000000); }", a)
told("(int *a) { int here; free(&here); }", a)
told("(volatile int *a) { int *volatile p = (int *)malloc(400); free(p); free(p); }", a)
told("(int *a) { char *volatile p = (char *)malloc(400); free(p + 16); }", a)
told("(int *a) { char *volatile p = (char *)malloc(4000000); free(p); free(p); }", a)
told("(int *a) { int *volatile p = new int[40]; delete[] p; delete[] p; }", a)
told("(int *a) { free(0); int *volatile p = (int *)malloc(0); free(p); }", a)
works()
""")
    assert all("CUDARuntimeError: f: free() of 0x" in line for line in lines[:7]), lines
    assert lines[7:] == ["nothing", "works"]


def test_memory_of_kernels():
    """Blocks of all sizes are apart and keep what is written; it lives until another launch gives it back."""
    assert run(r"""
make = kernel('''(char **p, long long *sizes, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i] = (char *)malloc(sizes[i]);
    for (long long k = 0; k < sizes[i]; k++) p[i][k] = (char)(i * 31 + k);
}''')
check = kernel('''(char **p, long long *sizes, int n, int *wrong)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (long long k = 0; k < sizes[i]; k++) if (p[i][k] != (char)(i * 31 + k)) atomicAdd(wrong, 1);
    free(p[i]);
}''')
rng = np.random.default_rng(1)
for _ in range(3):
    sizes = np.concatenate([np.arange(600), rng.integers(0, 9000, 400), [65536, 262144, 262145, 1000000, 3000000]])
    n = len(sizes)
    p, s, wrong = cp.zeros(n, "u8"), cp.asarray(sizes.astype("i8")), cp.zeros(1, "i4")
    make((16,), (64,), (p, s, np.int32(n)))
    starts = np.sort(p.get().astype("i8"))
    assert (np.diff(starts) > 0).all()
    order = np.argsort(p.get())
    assert (p.get()[order][:-1] + sizes[order][:-1].astype("u8") <= p.get()[order][1:]).all()
    check((16,), (64,), (p, s, np.int32(n), wrong))
    assert int(wrong[0]) == 0
works()
""") == ["works"]


def test_overruns_of_kernels_own_memory():
    """Far behind a block of malloc's, shared memory, a local array: an error at most."""
    lines = run(r"""
a = cp.zeros(64, "i4")
told("(int *a) { volatile char *p = (char *)malloc(100); for (int i = -300; i < 300; i++) p[i] = 1; }", a)
works()
told("(int *a) { extern __shared__ volatile int s[]; s[threadIdx.x] = 1; }", a)
told("(int *a) { extern __shared__ volatile int s[]; s[threadIdx.x] = 1; }", a, shared_mem=4)
told("(int *a) { extern __shared__ volatile int s[]; s[300] = 1; }", a, shared_mem=1024)
told("(int *a) { __shared__ volatile int s[4]; s[a[0] - 3000] = 1; }", a)
told("(int *a) { volatile int t[4]; for (int i = 0; i < 100000000; i++) t[i + a[0]] = 1; }", a)
works()
""")
    beyond = "CUDARuntimeError: f: byte %d of dynamic shared memory was read or written, and the launch gives %d bytes"
    assert lines[0:2] == ["nothing", "works"]
    assert lines[2:5] == [beyond % (0, 0), "nothing", beyond % (1200, 1024)]
    assert lines[5].startswith("CUDARuntimeError: f: an illegal address was read or written")
    assert lines[6:] == ["CUDARuntimeError: f: a local array was read or written far beyond its end", "works"]


def test_constructors_of_variables():
    """Of variables without __device__, with which they are refused, they run when the module is loaded; one that fails
    is an error of loading it."""
    lines = run(r"""
a = cp.zeros(4, "i4")
def of(constructor, before=""):
    told("(int *);\n" + before + "struct A { int v; __device__ A() " + constructor + " __device__ ~A() {} };\n"
         'A x;\nextern "C" __global__ void f(int *a) { a[0] = x.v; }', a)
of(": v(41) {}")
print(int(a[0]))
of("{ v = *(volatile int *)8; }")
of("{ abort(); }", 'extern "C" void abort();')
of(": v(1) { v += a(v); }", "__device__ int a(volatile int n) { return a(n + 1) + n; }")
works()
""")
    assert lines[0:2] == ["nothing", "41"]
    failed = "CompileException: the constructor of a variable failed: "
    assert lines[2] == failed + "an illegal address was read or written: 0x8"
    assert lines[3] == failed + "abort() was called, which would end the program: a kernel cannot"
    assert lines[4].startswith(failed + "the stack of a thread is used up") and lines[5] == "works"


def test_printing_of_bad_addresses():
    """A string that is none ends the launch, and printing goes on."""
    lines = run(r"""
a = cp.zeros(4, "i4")
for _ in range(3):
    told('(int *a) { printf("%s\\n", (const char *)8); }', a)
told('(int *a) { printf("%d %s %5.2f\\n", 5, "five", 5.25); printf("one\\n"); printf("%c\\n", 65); }', a)
told('(int *a) { printf("%02000d\\n", 7); }', a)
works()
""")
    assert lines[:3] == ["CUDARuntimeError: f: an illegal address was read or written: 0x8"] * 3
    assert lines[3:7] == ["5 five  5.25", "one", "A", "nothing"]
    assert lines[7] == "7".rjust(2000, "0") and lines[8:] == ["nothing", "works"]
