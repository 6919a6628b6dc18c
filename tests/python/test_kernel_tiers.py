"""Random kernels with barriers, shuffles, votes and functions that wait: what loops between the barriers leave is what
fibers leave, to the bit. Programs keep to what CUDA defines: masks name lanes that come.

A statement is made for threads that are there together: the whole block, whole warps, or lanes that a mask names."""
import random

import numpy as np
import pytest

import cuprite as cp

FUNCTIONS = r"""
__device__ int warp_sum(int v) { for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d); return v; }
__device__ __forceinline__ unsigned lanes_before(unsigned m) { return __popc(m & ((1u << (threadIdx.x & 31)) - 1)); }
template <typename T> __device__ T warp_max(T v)
{
#pragma unroll
    for (int d = 1; d < 32; d *= 2) { T o = __shfl_xor_sync(0xffffffff, v, d); v = o > v ? o : v; }
    return v;
}
template <int N> __device__ int scan(int v, int lane)
{
    for (int d = 1; d < N; d <<= 1) {
        int up = __shfl_up_sync(~0u, v, d, N);
        if ((lane & (N - 1)) >= d) v += up;
    }
    return v;
}
__device__ void broadcast(int &v, int from) { v = __shfl_sync(~0u, v, from); }
__device__ int chosen(int v, bool first)
{
    if (first) return __shfl_xor_sync(~0u, v, 1) * 3;
    int w = __shfl_xor_sync(~0u, v, 2);
    return w + 1;
}
__device__ int block_sum(int v)
{
    static __shared__ int part[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = threadIdx.x < (blockDim.x + 31) / 32 ? part[lane] : 0;
    if (warp == 0) v = warp_sum(v);
    __syncthreads();
    return v;
}
"""
BLOCK, WARP, LANES = range(3)


class Program:
    """Source of a kernel: variables a, b, c of each thread, shared s of one element a thread, t, lane, warp."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = 0
        self.left = 14
        ended = self.r.choice(["", "", "", "if (lane == 3 && warp == 0) { out[t] = -7; return; }",
                               "if (warp == 1) { out[t] = -9; return; }", "if (t >= n) { out[t] = -1; return; }"])
        self.ends = bool(ended)
        body = self.several(BLOCK, "~0u", 0, self.r.randint(3, 6))
        self.text = f"""{FUNCTIONS}
extern "C" __global__ void f(const int *in, int *out, int n)
{{
    __shared__ int s[256];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    int a = in[t], b = t * 7 + 1, c = n;
    s[t] = a;
    {ended}
    __syncthreads();
    {body}
    out[t] = a * 31 + b * 17 + c;
}}"""

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def pick(self, *choices):
        return self.r.choice(choices)

    def variable(self):
        return self.pick("a", "b", "c")

    def value(self):
        v = self.variable
        return self.pick(v(), f"({v()} + {self.r.randint(1, 9)})", f"({v()} ^ {v()})", f"({v()} * 3 - lane)",
                         f"(t % {self.r.randint(2, 7)} ? {v()} : {v()})", "in[t]")

    def condition(self, level):
        """The same for all that are there."""
        k = self.r.randint(0, 9)
        if level == BLOCK:
            return self.pick(f"n > {k * 10}", f"n % 3 == {k % 3}", f"blockDim.x > {32 * k}")
        if level == WARP:
            return self.pick(f"warp % 2 == {k % 2}", f"warp < {k % 4}", "warp == 0", f"t / 32 + n > {k}")
        return self.pick(f"lane < {k * 3}", f"lane % 3 == {k % 3}", f"a % 2 == {k % 2}", f"b > c + {k}")

    def exchange(self, mask):
        v, x, k = self.variable(), self.value(), self.r.randint(0, 31)
        shapes = [f"{v} = __shfl_sync(~0u, {x}, {k});", f"{v} += __shfl_down_sync(~0u, {x}, {k % 17});",
                  f"{v} ^= __shfl_xor_sync(~0u, {x}, {k % 16}, 16);", f"{v} = __shfl_up_sync(~0u, {x}, {k % 9}) + {v};",
                  f"{v} = __shfl_sync(~0u, {x}, {v} & 31) - __shfl_sync(~0u, {v}, lane ^ 1);",
                  f"{v} += warp_sum({x});", f"{v} = warp_max({self.variable()}) - {x};",
                  f"{v} += scan<{self.pick(8, 16, 32)}>({x}, lane);", f"broadcast({v}, {k});",
                  f"{v} = chosen({x}, n > {k});",
                  f"for (int d = 8; d; d /= 2) {v} += __shfl_xor_sync(~0u, {v}, d);",
                  f"if (__any_sync(~0u, {x} % 5 == {k % 5})) {v}++;"] if mask == "~0u" and not self.ends else []
        first = f"__ffs({mask} & __ballot_sync({mask}, 1)) - 1"
        shapes += [f"{v} = (int)__ballot_sync({mask}, {x} & 1) & 0xffffff;",
                   f"{v} += __any_sync({mask}, {x} > {k * 9});",
                   f"{v} -= __all_sync({mask}, {x} % 3);", f"{v} = __reduce_add_sync({mask}, {x} & 0xff);",
                   f"{v} ^= __reduce_max_sync({mask}, {x});", f"{v} += __popc(__match_any_sync({mask}, {x} % 4));",
                   f"{{ int from = {first}; {v} = __shfl_sync({mask}, {x}, from); }}",
                   f"s[t] = {x}; __syncwarp({mask}); {v} += s[warp * 32 + (__ffs({mask}) - 1)]; __syncwarp({mask});"
                   if not self.ends else f"{v} ^= 5;"]
        return self.pick(*shapes)

    def several(self, level, mask, depth, count, loop=None):
        return "\n".join(self.statement(level, mask, depth, loop) for _ in range(count))

    def statement(self, level, mask, depth, loop):
        self.left -= 1
        v, kind = self.variable(), self.r.random()
        if self.left < 0 or kind < 0.15:
            return f"{v} = {self.value()};"
        if kind < 0.45:
            return self.exchange(mask)
        if kind < 0.52 and level == BLOCK:
            return self.stride(v)
        if kind < 0.64 and level == BLOCK:
            k = self.r.randint(1, 40)
            return self.pick(f"__syncthreads(); s[t] = {self.value()}; __syncthreads(); "
                             f"{v} += s[(t + {k}) % blockDim.x]; __syncthreads();",
                             f"{v} += __syncthreads_count({self.value()} & 1);",
                             f"if (__syncthreads_or({self.value()} == {k})) {v} += 2; else {v}--;",
                             f"int {(x := self.name())} = block_sum({self.value()}); if (t == 0) {v} = {x};"
                             if not self.ends else f"{v} -= __syncthreads_and({self.value()} % 7);")
        if depth == 3:
            return f"{v} += {self.value()};"
        if kind < 0.7:
            inner = level if self.r.random() < 0.5 else min(level + 1, LANES)
            return self.branch(inner, level, mask, depth, loop)
        if kind < 0.85 and level < LANES:
            return self.loop(level, mask, depth)
        if loop and kind < 0.9:
            return f"if ({self.condition(loop[0])}) {loop[1]};"
        return f"{{ int {(x := self.name())} = {self.value()}; " + self.several(level, mask, depth + 1, 2, loop) + \
            f" {v} ^= {x}; }}"

    def stride(self, v):
        """A loop with the stride of the block, in many forms: one that goes round by round, and one that must not."""
        i, k, x = self.name(), self.r.randint(1, 300), self.variable()
        kind = self.pick("int", "unsigned", "long long", "size_t")
        first = self.pick("t", "threadIdx.x", "t + 3", "blockIdx.x * blockDim.x + threadIdx.x", "n + t", "2 * t", "-t")
        limit = self.pick(str(k), f"n * {k % 5}", "(int)blockDim.x * 2", f"{k} + t", "200.5f")
        body = self.pick(f"{v} += in[{i} % blockDim.x] * 3;", f"if ({i} % 3 == 1) continue; {v} ^= (int){i} + {x};",
                         f"int w = in[{i} % 32]; if (w > {x}) {v} -= w; else {x} += (int){i};",
                         f"{v} += (int){i}; if ({v} > 900) break;")
        step = self.pick("blockDim.x", "32", "blockDim.x * gridDim.x", "t + 1")
        if self.pick(0, 1) and "continue" not in body:
            return f"{{ {kind} {i} = {first}; while ({i} < {limit}) {{ {body} {i} += {step}; }} }}"
        return f"for ({kind} {i} = {first}; {i} < {limit}; {i} += {step}) {{ {body} }}"

    def branch(self, inner, level, mask, depth, loop):
        inside = loop if loop and inner <= loop[0] else None
        if inner < LANES:
            other = f" else {{ {self.variable()} -= {self.value()}; }}" if self.r.random() < 0.5 else ""
            body = self.several(inner if inner == level else WARP, mask, depth + 1, 2, inside)
            return f"if ({self.condition(inner)}) {{ {body} }}{other}"
        c, m = self.name(), self.name()
        body = self.several(LANES, m, depth + 1, 2)
        return (f"bool {c} = {self.condition(LANES)}; unsigned {m} = __ballot_sync({mask}, {c});\n"
                f"if ({c}) {{ {body} }}")

    def loop(self, level, mask, depth):
        k, count = self.name(), self.r.randint(1, 4)
        jump = (level, self.pick("break", "continue")) if level == WARP or self.r.random() < 0.5 else None
        body = self.several(level, mask, depth + 1, 2, jump)
        if level == BLOCK:
            return self.pick(f"for (int {k} = 0; {k} < {count}; {k}++) {{ {body} }}",
                             f"for (int {k} = n % 3 + 1; {k}; {k} >>= 1) {{ {body} b += {k}; }}")
        return self.pick(f"for (int {k} = warp; {k} < {count}; {k}++) {{ {body} c += {k}; }}",
                         f"int {k} = warp + 1; while ({k}-- > 0) {{ {body} }}",
                         f"int {k} = 0; do {{ {body} }} while (++{k} < warp);")


def run(text, threads, n, host):
    k = cp.RawKernel(text, "f", ("--std=c++17",))
    out = cp.full(threads, -3, "i4")
    k((1,), (threads,), (cp.asarray(host), out, np.int32(n)))
    return k.kernel.tier, out.get()


@pytest.mark.once
@pytest.mark.parametrize("seed", range(10))
def test_loops_do_what_fibers_do(seed, monkeypatch):
    assert compare(seed, monkeypatch) == {"regions"}


def compare(seed, monkeypatch):
    text = Program(seed).text
    tiers = set()
    for threads, n in [(64, 40), (128, 17)]:
        host = np.random.default_rng(seed).integers(-99, 99, threads).astype("i4")
        monkeypatch.delenv("CUPRITE_KERNEL_TIER", raising=False)
        tier, got = run(text, threads, n, host)
        if tier == "gpu":
            pytest.skip("one tier only")
        monkeypatch.setenv("CUPRITE_KERNEL_TIER", "fibers")
        other, wanted = run(text + "// in fibers\n", threads, n, host)
        assert other == "fibers"
        np.testing.assert_array_equal(got, wanted, text)
        tiers.add(tier)
    return tiers


STRIDES = r"""
#define FIRST (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void counted(int *out, int n)
{
    for (int i = FIRST; i < n; i += blockDim.x * gridDim.x) out[i] += i + 1;
}
extern "C" __global__ void whiled(int *out, int n)
{
    unsigned i = FIRST, all = gridDim.x * blockDim.x;
    while (i < n) { out[i] += i + 1; i = i + all; }
}
extern "C" __global__ void skipping(int *out, long long n)
{
    const unsigned first = threadIdx.x + blockIdx.x * blockDim.x;
    for (size_t i = first; i < n; i += blockDim.x * gridDim.x) {
        if (i % 5 == 0) { out[i] += i; out[i]++; continue; }
        out[i] += i + 1;
    }
}
extern "C" __global__ void left_early(int *out, int n)
{
    int t = FIRST, before = t % 2;
    if (t >= n) return;
    for (int i = t; i < n; i += blockDim.x * gridDim.x) { out[i] += i + before; before = 1; }
    if (t % 2 == 0) out[t]++;
}
"""


@pytest.mark.parametrize("name", ["counted", "whiled", "skipping", "left_early"])
@pytest.mark.parametrize("grid, block", [((1,), (64,)), ((3,), (37,)), ((2,), (1024,)), ((5,), (1,)), ((2, 1), (8, 1))])
def test_strides_of_the_grid(name, grid, block):
    """Each element once, whatever the blocks are."""
    f = cp.RawModule(code=STRIDES, options=("--std=c++17",)).get_function(name)
    assert f.kernel.tier in ("loop", "gpu")
    for n in (0, 1, 63, 64, 1000, 4097):
        out = cp.zeros(max(n, 1), "i4")
        f(grid, block, (out, np.int64(n) if name == "skipping" else np.int32(n)))
        np.testing.assert_array_equal(out.get()[:n], np.arange(n) + 1)


def test_stride_of_blocks_of_several_rows():
    """Threads of a block that is no row begin at the same elements: each goes its own way."""
    f = cp.RawModule(code=STRIDES.replace("out[i] += i + 1;", "atomicAdd(&out[i], 1);")).get_function("counted")
    out = cp.zeros(1000, "i4")
    f((2,), (16, 4), (out, np.int32(1000)))
    np.testing.assert_array_equal(out.get(), 4)


def test_strides_near_the_end_of_int():
    f = cp.RawKernel("""extern "C" __global__ void f(int *out, int n, int from)
    {
        for (int i = threadIdx.x + from; i < n; i += blockDim.x) atomicAdd(&out[i - from], 1);
    }""", "f")
    for n in (2**31 - 1 - 64, 2**31 - 4000, -5):
        out = cp.zeros(500, "i4")
        f((1,), (64,), (out, np.int32(n), np.int32(n - 500)))
        np.testing.assert_array_equal(out.get(), 1)


@pytest.mark.parametrize("barrier", ["", "__syncthreads();"])
def test_launches_beyond_int(barrier):
    """Threads beyond 2**31 and blocks beyond 2**20, which the kernel for other launches takes for impossible."""
    f = cp.RawKernel("""extern "C" __global__ void f(int *out, long long from)
    {
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        %s
        if (i >= 0x7fffffffu && i < 0x7fffffffu + 70) out[i - from] = 1;
    }""" % barrier, "f")
    out = cp.zeros(70, "i4")
    f((2**31 // 1024 + 1,), (1024,), (out, 2**31 - 1))
    np.testing.assert_array_equal(out.get(), 1)
    g = cp.RawKernel("""extern "C" __global__ void g(int *out)
    {
        %s
        if (blockIdx.x >= 1u << 20) out[blockIdx.x - (1u << 20)] = blockIdx.x >> 20;
    }""" % barrier, "g")
    out = cp.zeros(9, "i4")
    g((2**20 + 9,), (1,), (out,))
    np.testing.assert_array_equal(out.get(), 1)


class Striding:
    """Text of a kernel whose loops have the stride of the grid, where neighbouring blocks may go round together: what
    they keep between rounds, early ends, two loops, and what forbids it."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        first = r.choice(["FIRST"] * 4 + ["(int)FIRST", "FIRST + 0u"])
        c = r.choice
        head = c(["", "", "if (FIRST >= k) return;", "if (FIRST % 7 == 3) return;", "float kept = FIRST;"])
        loops = "\n    ".join(self.loop(c(["i", "j"]), first) for _ in range(c([1, 1, 2])))
        tail = c(["", "", "if (FIRST < size) sum[FIRST] += a * 3 + b;", "if (threadIdx.x == 0) sum[FIRST] = 5;",
                  "if (blockDim.x > 20 && FIRST < size) sum[FIRST] += b;"])
        self.text = f"""#define FIRST (blockIdx.x * blockDim.x + threadIdx.x)
extern "C" __global__ void f(const int *in, int *out, int *sum, int n, int k, int size)
{{
    int a = FIRST * 3, b = 1;
    {head}
    {loops}
    {tail}
}}"""

    def loop(self, i, first):
        c = self.r.choice
        step = c(["blockDim.x * gridDim.x"] * 3 + ["gridDim.x * blockDim.x"])
        body = c([f"out[{i}] += in[{i}] + 1;", f"out[{i}] = out[{i}] * 2 + in[{i}];", f"a += in[{i}]; b ^= a;",
                  f"if (in[{i}] % 3 == 0) continue; out[{i}] -= a;",
                  f"int w = in[{i}]; for (int q = 0; q < w % 4; q++) out[{i}] += q + b;",
                  f"atomicAdd(&out[{i}], in[{i}]);", f"b += {i} < k ? 2 : 1; out[{i}] += b;",
                  f"out[{i}] += (int)blockDim.x + (int)gridDim.x;"])
        kind = c(["int", "unsigned", "size_t", "long long"])
        limit = c(["n", "n", "n / 2", "n - 5"])
        if "continue" not in body and self.r.random() < 0.4:
            return f"{{ {kind} {i} = {first}; while ({i} < ({kind})({limit})) {{ {body} {i} += {step}; }} }}"
        return f"for ({kind} {i} = {first}; {i} < ({kind})({limit}); {i} += {step}) {{ {body} }}"


@pytest.mark.once
@pytest.mark.parametrize("seed", range(12))
def test_rounds_of_blocks_together(seed, monkeypatch):
    compare_strides(seed, monkeypatch)


def compare_strides(seed, monkeypatch):
    program, r = Striding(seed), random.Random(-seed)
    for _ in range(3):
        block, grid = r.choice([(32,), (100,), (256,), (1024,), (1,)]), r.choice([(1,), (9,), (40,), (300,)])
        n, size = r.choice([40, 1000, 30011]), block[0] * grid[0]
        host = np.random.default_rng(seed).integers(0, 50, n).astype("i4")
        found = []
        for tier in (None, "fibers"):
            if tier:
                monkeypatch.setenv("CUPRITE_KERNEL_TIER", tier)
            f = cp.RawKernel(program.text, "f", ("--std=c++17",))
            out, total = cp.full(n, 7, "i4"), cp.zeros(size, "i4")
            f(grid, block, (cp.asarray(host), out, total, np.int32(n), np.int32(size // 2), np.int32(size)))
            assert f.kernel.tier == (tier or "loop")
            found.append((out.get(), total.get()))
            monkeypatch.delenv("CUPRITE_KERNEL_TIER", raising=False)
        np.testing.assert_array_equal(found[0][0], found[1][0], f"{block} {grid}\n{program.text}")
        np.testing.assert_array_equal(found[0][1], found[1][1], f"{block} {grid}\n{program.text}")


class Guarded:
    """Text of a kernel that begins with tests of its threads: forms whose threads are known beforehand, and forms that
    are not (an index that wraps, turns round, or is read from memory). Every thread that takes part says so once."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        both = r.random() < 0.5
        first = r.choice(["blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockDim.x * blockIdx.x",
                          "(blockIdx.x * blockDim.x) + threadIdx.x", "(size_t)blockIdx.x * blockDim.x + threadIdx.x",
                          "threadIdx.x + (blockIdx.x * blockDim.x)", "threadIdx.x", "blockIdx.x * 24 + threadIdx.x",
                          "k - blockIdx.x * blockDim.x + threadIdx.x", "2 * blockIdx.x * blockDim.x + threadIdx.x",
                          "(short)blockIdx.x * blockDim.x + threadIdx.x", "1 + blockIdx.x * blockDim.x + threadIdx.x",
                          "blockDim.x * blockIdx.x + threadIdx.x % 7", "threadIdx.x + blockIdx.x * blockDim.x * 2",
                          "(float)blockIdx.x * blockDim.x + threadIdx.x"])
        if r.random() < 0.6:
            first = "blockIdx.x * blockDim.x + threadIdx.x"
        kind = r.choice(["int"] * 12 + ["const int", "unsigned", "unsigned int", "long long", "size_t", "auto", "short",
                         "float", "unsigned char"])
        ways = [f"{kind} i = {first};"] + [f"int j = blockIdx.y * blockDim.y + threadIdx.y;"] * both
        if r.random() < 0.2 and "const" not in kind:
            ways[0] = f"{kind} i = threadIdx.x; i += blockIdx.x * blockDim.x;"
        r.shuffle(ways)
        if r.random() < 0.3:
            ways.append(r.choice(["int e = i + 3;", "int e = n / 2;", "int e = N - k;", "float e = n * 0.25f;"]))
            self.more = ["i < e", "e > i", "i >= e", "e < n", "e * 2 < n"]
        else:
            self.more = []
        self.both, out = both, ""
        for _ in range(r.randint(0, 2)):
            out += f"if ({self.tests(' || ')}) " + r.choice(["return;", "{ return; }"]) + "\n    "
        body = r.choice(["ADD", "{ ADD }", "{ if ((int)i % 3) return; ADD }", "{ k++; ADD }",
                         "for (int q = 0; q < 2; q++) { ADD }", "{ int i = 3; ADD }", "{ n = 5; ADD k = n; }"])
        form = r.randint(0, 3)
        if form:
            out += f"if ({self.tests(' && ')}) {body}" + ("", "", " else atomicAdd(out + at, 1000);",
                                                         "\n    atomicAdd(out + at, 10000);")[form]
        else:
            out += body
        at = ("int at = ((blockIdx.y * gridDim.x + blockIdx.x) * blockDim.y + threadIdx.y) * blockDim.x + "
              "threadIdx.x;")
        if r.random() < 0.5:  # of the grid's indices alone, so that blocks can be joined
            at = ("int at = (blockIdx.y * blockDim.y + threadIdx.y) * {width} + "
                  "(blockIdx.x * blockDim.x + threadIdx.x);")
        joint = "\n    ".join(ways)
        self.text = f"""#define N 777
extern "C" __global__ void f(const int *in, int *out, int n, unsigned m, long long l, float x, int k)
{{
    {at}
    {joint}
    {out}
}}""".replace("ADD", "atomicAdd(out + at, 1 + (int)i % 5 + k);")

    def test(self):
        r = self.r
        c = r.choice
        limit = c(["n", "n", "n - k", "n + 1", "N", "m", "l", "x", "x * 2", "n / 2", "3", "-1", "gridDim.x * 20", "(n)",
                   "n % 100", "in[0]"])
        if self.both and r.random() < 0.3:
            return c(["j < k", "j >= 3", "j * 2 < n", "j == 2", "j", "j % 2 == 0"])
        if r.random() < 0.7:
            return c([f"i < {limit}", f"i >= {limit}", f"i {c(['<=', '>'])} {r.randint(0, 90)}", "i < n", "i > k"])
        return c([f"i < {limit}", f"i <= {limit}", f"i >= {limit}", f"i > {limit}", f"{limit} > i",
                  f"({limit} <= i)", f"i + 1 < {limit}", f"i + 2u > {limit}", f"(i < {limit})", f"i == {limit}",
                  f"i - 1 < {limit}", f"i * 2 < {limit}", f"(int)i % 4 != {limit}", f"!(i < {limit})",
                  f"i + 5000 < {limit}", "blockIdx.x * blockDim.x + threadIdx.x < n",
                  "threadIdx.x + blockIdx.x * blockDim.x < m", "n > 100", "in[(unsigned)i % 10] < n",
                  "threadIdx.x < 20", "(int)i < n", "(unsigned)i < n", "(short)i < n", "-i > k",
                  *self.more])

    def tests(self, joint):
        return joint.join(self.test() for _ in range(self.r.choice([1, 1, 2, 2, 3])))


def run_guarded(program, block, grid, arguments):
    text = program.text.replace("{width}", str(block[0] * grid[0]))
    f = cp.RawKernel(text, "f", ("--std=c++17",))
    out = cp.zeros(int(np.prod(block) * np.prod(grid)), "i4")
    f(grid, block, (cp.arange(10, dtype="i4"), out, *arguments))
    return f.kernel.tier, out.get()


@pytest.mark.once
@pytest.mark.parametrize("seed", range(12))
def test_who_takes_part(seed, monkeypatch):
    """What loops over the threads that pass their tests leave is what fibers leave, which make every test."""
    compare_guarded(seed, monkeypatch)


def compare_guarded(seed, monkeypatch):
    program, r = Guarded(seed), random.Random(-seed)
    for _ in range(3):
        block = r.choice([(32,), (100,), (256,), (16, 4), (7, 3), (8, 2, 2)])
        grid = r.choice([(1,), (9,), (40,), (3, 2), (13, 3)])
        n = r.choice([0, -3, 1, 31, 100, 1000, 1023, 2 ** 31 - 1, -2 ** 31 + 5])
        arguments = (np.int32(n), np.uint32(r.choice([0, 50, 900, 2 ** 32 - 1])), np.int64(r.choice([-1, 70, 2 ** 40])),
                     np.float32(r.choice([float("nan"), -0.5, 77.5, 1e30])), np.int32(r.randint(-3, 40)))
        tier, found = run_guarded(program, block, grid, arguments)
        monkeypatch.setenv("CUPRITE_KERNEL_TIER", "fibers")
        _, wanted = run_guarded(program, block, grid, arguments)
        monkeypatch.delenv("CUPRITE_KERNEL_TIER")
        np.testing.assert_array_equal(found, wanted, err_msg=f"{block} {grid} {arguments}\n{program.text}")
        assert tier == "loop"
