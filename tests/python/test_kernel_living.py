"""Barriers and lanes that meet wait for the threads that have not ended: __syncthreads() for the rest of the block,
__shfl_sync() with a full mask for the rest of the warp. What the others do in the meantime is to end."""
import numpy as np
import pytest

import cuprite as cp

T = np.arange(64)
HALF = T < 32


def run(body, threads=64, head="", block=None):
    """y of each thread; it is 0 before."""
    text = f"""{head} extern "C" __global__ void k(int *y, int n)
    {{
        __shared__ int s[64];
        int t = threadIdx.x + blockDim.x * threadIdx.y;
        {body}
    }}"""
    y = cp.zeros(threads, "i4")
    cp.RawKernel(text, "k", options=("--std=c++17",))((1,), block or (threads,), (y, np.int32(32)))
    return y.get()


TURN = "s[t] = t; __syncthreads(); y[t] = s[t ^ 31];"
# Whole warps part, as a GPU that reconverges lanes before they end needs it.
BARRIERS = {
    "else ends": ("if (t < n) { y[t] = 1; __syncthreads(); y[t] = 2; } else y[t] = 3;", np.where(HALF, 2, 3)),
    "no else": (f"if (t < n) {{ {TURN} }}", np.where(HALF, T ^ 31, 0)),
    "what follows": (f"if (t < n) {{ {TURN} }} y[t] += 100;", np.where(HALF, T ^ 31, 0) + 100),
    "in the else": (f"if (t >= n) y[t] = 5; else {{ {TURN} }} y[t] += 100;", np.where(HALF, T ^ 31, 5) + 100),
    "nested": (f"if (t < 48) {{ y[t] = 1; if (t < n) {{ {TURN} }} y[t]++; }} ",
               np.where(HALF, (T ^ 31) + 1, np.where(T < 48, 2, 0))),
    "all come": (f"if (t < 2 * n) {{ {TURN} }}", T ^ 31), "none comes": (f"if (t < n - 32) {{ {TURN} }}", 0 * T),
    "of memory": (f"y[t] = t / n; if (y[t] == 0) {{ {TURN} }}", np.where(HALF, T ^ 31, 1)),
    "after a return": (f"if (t >= 48) return; if (t < n) {{ {TURN} }} y[t] += 7;",
                       np.where(HALF, (T ^ 31) + 7, np.where(T < 48, 7, 0))),
    "a loop inside": ("if (t < n) { for (int k = 0; k < 5; k++) { s[t] = t + k; __syncthreads(); y[t] += s[(t + k) & "
                      "31]; "
                      "__syncthreads(); } }", np.where(HALF, sum(((T + k) & 31) + k for k in range(5)), 0)),
    "a loop inside that is left": ("if (t < n) { for (int k = 0; k < 5; k++) { s[t] = t + k; __syncthreads(); if (k "
                                   "== n - "
                                   "29) break; y[t] += s[t ^ 1]; __syncthreads(); } } ",
                                   np.where(HALF, sum((T ^ 1) + k for k in range(3)), 0)),
    "a loop that warps leave": ("int r = t < n ? 3 : 6; while (r > 0) { r--; y[t]++; __syncthreads(); } y[t] += 10;",
                                np.where(HALF, 13, 16)),
    "a for that warps leave": ("for (int k = t / n; k < 4; k++) { s[t] = k; __syncthreads(); y[t] += s[t ^ 1]; "
                               "__syncthreads(); }",
                               np.where(HALF, 6, 6)),
    "a do that warps leave": ("int r = t < n ? 2 : 5; do { y[t] += r; __syncthreads(); } while (--r > 0);",
                              np.where(HALF, 3, 15)),
    "left in the middle": ("int r = t < n ? 2 : 5; while (true) { if (r-- == 0) break; s[t] = r; __syncthreads(); "
                           "y[t] += "
                           "s[t ^ 1]; __syncthreads(); }", np.where(HALF, 1, 10)),
    "rounds cut short": ("for (int k = 0; k < 6; k++) { if (t >= n && k > 2) continue; y[t]++; __syncthreads(); } ",
                         np.where(HALF, 6, 3)),
    "kept values": ("int v = t * 3; if (t < n) { s[t] = v; __syncthreads(); v += s[t ^ 1]; } y[t] = v;",
                    np.where(HALF, 3 * (T + (T ^ 1)), 3 * T)),
    "in a function": ("if (t < n) y[t] = turned(s, t);", np.where(HALF, T ^ 31, 0)),
    "votes": ("if (t < n) y[t] = __syncthreads_count(t & 1);", np.where(HALF, 16, 0)),
}
TURNED = ("__device__ int turned(int *s, int t) { s[t] = t; __syncthreads(); int r = s[t ^ 31]; __syncthreads(); "
          "return r; }")


@pytest.mark.parametrize("fibers", [False, True])
@pytest.mark.parametrize("name", BARRIERS)
def test_barrier(name, fibers, monkeypatch):
    if fibers:
        monkeypatch.setenv("CUPRITE_KERNEL_TIER", "fibers")
    body, wanted = BARRIERS[name]
    assert run(body, head=TURNED).tolist() == wanted.tolist()


def test_others_may_not_come_to_another_barrier():
    """On the CPU that is told; a GPU takes any barrier of the block for the same one."""
    if cp.RawKernel('extern "C" __global__ void k() {}', "k").kernel.tier == "gpu":
        pytest.skip("a GPU does not tell")
    for body in ("if (t < n) { __syncthreads(); y[t] = 1; } __syncthreads();",
                 "for (int k = 0; k < 2; k++) { if (t < n - k) { __syncthreads(); y[t]++; } }"):
        with pytest.raises(Exception, match="divergent barrier"):
            run(body)


A = 'if (t % 16 == 0) s[t / 16] = t / 16 + 1; __syncthreads(); if (threadIdx.y == 0) { int e = s[t & 3]; '
SHUFFLES = {
    "in a loop": A + "for (int o = 2; o > 0; o /= 2) e += __shfl_down_sync(0xffffffff, e, o); if (t == 0) y[0] = e; }",
    "unrolled": A + "e += __shfl_down_sync(0xffffffff, e, 2); e += __shfl_down_sync(0xffffffff, e, 1); "
                    "if (t == 0) y[0] = e; }",
    "in a function": A + "e = summed(e); if (t == 0) y[0] = e; }",
    "a vote": A + "if (__any_sync(0xffffffff, t == 3)) e = 10; if (t == 0) y[0] = e; }",
    "a ballot": A + "e = __popc(__ballot_sync(0xffffffff, e > 0)) - 6; if (t == 0) y[0] = e; }",
}
SUMMED = ("__device__ int summed(int e) { for (int o = 2; o > 0; o /= 2) e += __shfl_down_sync(0xffffffff, e, o); "
          "return e; }")


@pytest.mark.parametrize("fibers", [False, True])
@pytest.mark.parametrize("name", SHUFFLES)
def test_half_a_warp_shuffles(name, fibers, monkeypatch):
    """The other half can only end: blocks of 16 x 4 threads, whose first row adds what the rows left."""
    if fibers:
        monkeypatch.setenv("CUPRITE_KERNEL_TIER", "fibers")
    y = run(SHUFFLES[name], head=SUMMED, block=(16, 4))
    assert y[0] == 10 and not y[1:].any()


LOCAL = r"""extern "C" __global__ void k(int *y, const int *at)
{ unsigned char a[%d]; for (int i = 0; i < %d; i++) a[i] = i; __syncthreads();
  y[threadIdx.x] += a[at[0]] + threadIdx.x; }"""


@pytest.mark.parametrize("tier", ["", "fibers"])
@pytest.mark.parametrize("size, threads", [(8192, 256), (32768, 256), (200000, 32), (520000, 32), (520000, 128)])
def test_large_local_arrays_over_a_barrier(size, threads, tier, monkeypatch, device):
    """CUDA allows 512 KiB a thread; a GPU reserves that for all threads that it can run, which is more than it has."""
    if device.startswith("cuda"):
        size = min(size, 32768)
    monkeypatch.setenv("CUPRITE_KERNEL_TIER", tier)
    y = cp.zeros(threads, "i4")
    for _ in range(2):
        cp.RawKernel(LOCAL % (size, size), "k")((1,), (threads,), (y, cp.full(1, size - 1, "i4")))
    assert y.get().tolist() == [2 * ((size - 1) % 256 + t) for t in range(threads)]


def test_large_structures_over_a_barrier():
    text = r"""struct big { double d[300]; int n; };
    extern "C" __global__ void k(int *y)
    {
        big b;
        for (int i = 0; i < 300; i++) b.d[i] = i + threadIdx.x;
        b.n = 7;
        __shared__ int s[64];
        s[threadIdx.x] = (int)b.d[299];
        __syncthreads();
        b.d[5] += s[63 - threadIdx.x];
        __syncthreads();
        y[threadIdx.x] = (int)b.d[5] + b.n;
    }"""
    y = cp.zeros(64, "i4")
    cp.RawKernel(text, "k")((3,), (64,), (y,))
    assert y.get().tolist() == (5 + T + 299 + 63 - T + 7).tolist()


COUNTERS = {
    "two": "for (int a = 0, b = 5; a < n; a += 4, b += 2)", "by parameters": "for (int a = n / 8, b = a + 1; a <= n; "
    "a += n / 4, b *= 2)",
    "three": "for (int a = 0, b = 1, c = n; a < c; a++, b += a, c -= 2)",
    "of the index": "for (int a = t & 3, b = 0; b < 6; a++, b++)",
    "changed inside": "for (int a = 0, b = 0; a < 9; a++, b++)",
}


@pytest.mark.parametrize("name", COUNTERS)
def test_loops_with_several_counters(name):
    change = "a += b & 1;" if name == "changed inside" else ""
    body = f"""int r = 0;
        {COUNTERS[name]} {{ s[t] = a * 10 + b; __syncthreads(); r = r * 3 + s[t ^ 5]; __syncthreads(); {change} }}
        y[t] = r;"""
    wanted = []
    for t in range(64):
        values = {"two": [(a, 5 + a // 2) for a in range(0, 32, 4)],
                  "by parameters": [(4 + 8 * k, 5 * 2**k) for k in range(4)],
                  "of the index": [((t ^ 5 & 3) % 4 + k if False else ((t ^ 5) & 3) + k,
                  k) for k in range(6)]}.get(name)
        if name == "three":
            values, a, b, c = [], 0, 1, 32
            while a < c:
                values.append((a, b))
                a += 1
                b += a
                c -= 2
        if name == "changed inside":
            values, a, b = [], 0, 0
            while a < 9:
                values.append((a, b))
                a += b & 1
                a += 1
                b += 1
        r = 0
        for a, b in values:
            r = r * 3 + a * 10 + b
        wanted.append(r)
    assert run(body).tolist() == np.array(wanted).astype("i8").astype("i4").tolist()


@pytest.mark.once
def test_dynamic_shared_memory_that_was_not_given():
    text = """extern "C" __global__ void k(int *y, int n)
    { extern __shared__ int s[]; s[threadIdx.x + n] = threadIdx.x; __syncthreads();
      y[threadIdx.x] = s[threadIdx.x ^ 1]; }"""
    k, y = cp.RawKernel(text, "k"), cp.zeros(64, "i4")
    for shared, n in ((0, 0), (128, 0), (240, 0), (256, 5000)):
        with pytest.raises(Exception, match="dynamic shared memory"):
            k((1,), (64,), (y, np.int32(n)), shared_mem=shared)
    k((1,), (64,), (y, np.int32(0)), shared_mem=256)
    assert y.get().tolist() == (T ^ 1).tolist()
