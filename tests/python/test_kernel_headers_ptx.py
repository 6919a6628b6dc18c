"""Inline PTX in user kernels, against exact arithmetic of Python's; what is not translated is refused by its name."""
import numpy as np
import pytest

import cuprite as cp

RNG = np.random.default_rng(7)
EDGES = [0, 1, 2, 31, 32, 33, 255, 256, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x01234567]
M32, M64 = 2**32 - 1, 2**64 - 1


def words(n=256):
    x = RNG.integers(0, 2**32, n, dtype="u4")
    x[:len(EDGES)] = EDGES
    return x


def signed(v, bits=32):
    v = int(v) & 2**bits - 1
    return v - 2**bits if v >> bits - 1 else v


def apply(body, *inputs, t="u4", c="unsigned", head=""):
    """y[i] of each thread for a, b, d: numbers of the inputs."""
    inputs = [np.asarray(v) for v in inputs]
    names = "abd"[:len(inputs)]
    kinds = {"u4": "unsigned", "u8": "unsigned long long", "f4": "float", "f8": "double", "i4": "int"}
    parameters = "".join(f"const {kinds[v.dtype.str[1:]]} *x{n}, " for v, n in zip(inputs, names))
    load = " ".join(f"auto {n} = x{n}[i];" for n in names)
    text = f"""{head}
        extern "C" __global__ void k({parameters}{c} *y)
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            {load}
            {c} r = 0;
            {body}
            y[i] = r;
        }}"""
    y = cp.zeros(inputs[0].size, t)
    cp.RawKernel(text, "k")((inputs[0].size // 64,), (64,), (*map(cp.asarray, inputs), y))
    return y.get()


def bfe(a, at, n, sign):
    at, n = at & 255, n & 255
    if not n:
        return 0
    filled = signed(a) if sign else int(a)
    end = min(at + n - 1, 31)
    have = end - at + 1 if at < 32 else 0
    r = (filled >> min(at, 63)) & (1 << max(have, 0)) - 1 if have > 0 else 0
    if sign and int(a) >> end & 1:
        r |= M32 << max(have, 0)
    return r & M32


@pytest.mark.parametrize("sign", [False, True])
def test_bfe(sign):
    a, b, d = words(), RNG.integers(0, 40, 256).astype("u4"), RNG.integers(0, 40, 256).astype("u4")
    r = apply(f'asm("bfe.{"s" if sign else "u"}32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d));', a, b, d)
    assert r.tolist() == [bfe(*map(int, v), sign) for v in zip(a, b, d)]


def test_bfi():
    def one(a, b, at, n):
        mask = ((1 << min(n, max(32 - at, 0))) - 1) << at if at < 32 else 0
        return b & ~mask | a << at & mask
    a, b = words(), words()[::-1].copy()
    d = RNG.integers(0, 40, 256).astype("u4")
    r = apply('asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(d & 31u), "r"(d >> 1));', a, b, d)
    assert r.tolist() == [one(int(x), int(y), int(z) & 31, int(z) >> 1) for x, y, z in zip(a, b, d)]


def test_prmt():
    def one(a, b, s):
        r = 0
        for i in range(4):
            pick = s >> 4 * i & 15
            byte = (b << 32 | a) >> 8 * (pick & 7) & 255
            r |= (255 * (byte >> 7) if pick & 8 else byte) << 8 * i
        return r
    a, b, d = words(), words()[::-1].copy(), words()
    r = apply('asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d));', a, b, d)
    assert r.tolist() == [one(*map(int, v)) for v in zip(a, b, d)]


@pytest.mark.parametrize("table", [0x96, 0xE8, 0xCA, 0x1B, 0xFF])
def test_lop3(table):
    def one(a, b, c):
        return sum((table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i for i in range(32))
    a, b, d = words(64), RNG.permutation(words(64)), RNG.permutation(words(64))
    r = apply(f'asm("lop3.b32 %0, %1, %2, %3, {table:#x};" : "=r"(r) : "r"(a), "r"(b), "r"(d));', a, b, d)
    assert r.tolist() == [one(*map(int, v)) for v in zip(a, b, d)]


def test_sums_of_128_bits_by_carries():
    """In one statement, and in four that hand the carry on."""
    a, b = words(), RNG.permutation(words())
    whole = apply("""unsigned long long low, high;
        asm("add.cc.u64 %0, %2, %4; addc.u64 %1, %3, %5;" : "=l"(low), "=l"(high)
            : "l"((unsigned long long)a << 32 | b), "l"(5ull), "l"((unsigned long long)b << 32 | a), "l"(7ull));
        r = low ^ high;""", a, b, t="u8", c="unsigned long long")
    parts = apply("""unsigned low, mid, high;
        asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(low) : "r"(a), "r"(b));
        asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(mid) : "r"(b), "r"(a));
        asm volatile("addc.u32 %0, 0, 0;" : "=r"(high));
        r = low + 3u * mid + 5u * high;""", a, b)
    for x, y, w, p in zip(map(int, a), map(int, b), whole, parts):
        s = (x << 32 | y) + (y << 32 | x)
        assert int(w) == (s & M64) ^ (12 + (s >> 64))
        s = (y << 32 | x) + (x << 32 | y)
        assert int(p) == ((s & M32) + 3 * (s >> 32 & M32) + 5 * (s >> 64)) & M32


def test_differences_and_products_with_carries():
    a, b = words(), RNG.permutation(words())
    r = apply("""unsigned low, high, p, q;
        asm("sub.cc.u32 %0, %2, %3; subc.u32 %1, 9, 0;" : "=&r"(low), "=r"(high) : "r"(a), "r"(b));
        asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, 0;" : "=&r"(p), "=r"(q) : "r"(a), "r"(b), "r"(~0u));
        r = low ^ high << 7 ^ p << 13 ^ q << 17;""", a, b)
    for x, y, got in zip(map(int, a), map(int, b), r):
        s, m = (9 << 32) + x - y, x * y + M32
        assert int(got) == (s ^ (s >> 32) << 7 ^ m << 13 ^ (m >> 32) << 17) & M32


INSTRUCTIONS = {
    "mul.lo.u32": lambda a, b, c: a * b, "mul.hi.u32": lambda a, b, c: a * b >> 32,
    "mul.hi.s32": lambda a, b, c: signed(a) * signed(b) >> 32, "mad.lo.u32": lambda a, b, c: a * b + c,
    "mad.hi.u32": lambda a, b, c: (a * b >> 32) + c, "add.u32": lambda a, b, c: a + b, "sub.s32": lambda a, b, c: a - b,
    "min.s32": lambda a, b, c: min(signed(a), signed(b)), "max.u32": lambda a, b, c: max(a, b),
    "and.b32": lambda a, b, c: a & b, "or.b32": lambda a, b, c: a | b, "xor.b32": lambda a, b, c: a ^ b,
    "not.b32": lambda a: ~a, "neg.s32": lambda a: -a, "abs.s32": lambda a: abs(signed(a)),
    "popc.b32": lambda a: a.bit_count(), "clz.b32": lambda a: 32 - a.bit_length(),
    "brev.b32": lambda a: int(f"{a:032b}"[::-1], 2), "cnot.b32": lambda a: int(a == 0),
    "bfind.u32": lambda a: a.bit_length() - 1, "bfind.s32": lambda a: (a ^ (M32 if a >> 31 else 0)).bit_length() - 1,
    "bfind.shiftamt.u32": lambda a: 32 - a.bit_length() if a else -1,
    "shl.b32": lambda a, b, c: a << b if b < 32 else 0, "shr.u32": lambda a, b, c: a >> b if b < 32 else 0,
    "shr.s32": lambda a, b, c: signed(a) >> min(b, 31), "sad.u32": lambda a, b, c: abs(a - b) + c,
    "sad.s32": lambda a, b, c: abs(signed(a) - signed(b)) + c,
    "shf.l.wrap.b32": lambda a, b, c: (b << 32 | a) << (c & 31) >> 32,
    "shf.r.clamp.b32": lambda a, b, c: (b << 32 | a) >> min(c, 32), "div.u32": lambda a, b, c: a // b,
    "rem.u32": lambda a, b, c: a % b,
}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_integer_instruction(name):
    f = INSTRUCTIONS[name]
    a, b, d = words(), RNG.permutation(words()), RNG.permutation(words())
    if name.startswith("sh"):
        b, d = (b % 40 if name[2] != "f" else b), d % 40
    if name[:3] in ("div", "rem"):
        b[b == 0] = 3
    n = f.__code__.co_argcount
    c = 3 if name[:3] in ("mad", "sad", "shf") else n and min(n, 2)
    operands, given = ", ".join(f"%{k}" for k in range(c + 1)), ", ".join(f'"r"({v})' for v in "abd"[:c])
    r = apply(f'asm("{name} {operands};" : "=r"(r) : {given});', a, b, d)
    wanted = [f(*map(int, v[:n])) & M32 for v in zip(a, b, d)]
    assert r.tolist() == wanted


def test_wide_products_and_64_bits():
    a, b = words(), RNG.permutation(words())
    r = apply("""unsigned long long p, q, s;
        asm("mul.wide.u32 %0, %1, %2;" : "=l"(p) : "r"(a), "r"(b));
        asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(q) : "r"(a), "r"(b), "l"(11ll));
        asm("mul.hi.u64 %0, %1, %2;" : "=l"(s) : "l"(p), "l"(q));
        r = p ^ q << 1 ^ s << 2;""", a, b, t="u8", c="unsigned long long")
    for x, y, got in zip(map(int, a), map(int, b), r):
        p, q = x * y, (signed(x) * signed(y) + 11) & M64
        assert int(got) == (p ^ q << 1 ^ (p * q >> 64) << 2) & M64


def test_predicates_and_labels():
    a, b = words(), RNG.permutation(words())
    r = apply("""asm("{ .reg .pred p, q; .reg .u32 t<2>;\\n\\t"
                 "  setp.lt.u32 p, %1, %2;   // smaller\\n\\t"
                 "  setp.eq.s32 q, %1, %2;\\n\\t"
                 "  mov.u32 t0, 7;  @!p mov.u32 t0, 5;\\n\\t"
                 "  selp.u32 t1, 100, 200, q;\\n\\t"
                 "  @p bra DONE;\\n\\t"
                 "  add.u32 t0, t0, 1000;\\n"
                 "DONE:\\n\\t"
                 "  add.u32 %0, t0, t1; }" : "=r"(r) : "r"(a), "r"(b));""", a, b)
    assert r.tolist() == [(7 if x < y else 1005) + (100 if x == y else 200) for x, y in zip(a, b)]


def test_read_and_written_operands_by_name(device):
    a, text = words(), 'r = 5; asm("mad.lo.u32 %[sum], %[x], 3, %[sum];" : [sum] "+r"(r) : [x] "r"(a));'
    if device.startswith("cuda"):  # nvcc takes names of operands, NVRTC none
        with pytest.raises(cp.cuda.compiler.CompileException, match="symbolic operand"):
            apply(text, a)
        return
    r = apply(text, a)
    assert r.tolist() == [(int(x) * 3 + 5) & M32 for x in a]


def test_real_numbers():
    a, b = RNG.normal(size=64).astype("f4") * 100, RNG.normal(size=64).astype("f4")
    r = apply("""float s, t;
        asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(s) : "f"(a), "f"(b));
        asm("add.rz.f32 %0, %1, %2;" : "=f"(t) : "f"(a), "f"(b));
        asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(s), "f"(t));""", a, b, t="f4", c="float")
    def toward_zero(v):
        n = np.float32(v)
        return np.nextafter(n, np.float32(0)) if abs(float(n)) > abs(v) else n
    wanted = [max(np.float32(float(x) * float(y) + 1), toward_zero(float(x) + float(y))) for x, y in zip(a, b)]
    np.testing.assert_array_equal(r, np.array(wanted, "f4"))


def test_conversions():
    a = np.r_[RNG.normal(size=56) * 1e3, [2.5, -2.5, 3e9, -3e9, 5e9, np.nan, 0.5, -0.5]].astype("f4")
    r = apply("""int n, z, p; unsigned u;
        asm("cvt.rni.s32.f32 %0, %1;" : "=r"(n) : "f"(a));
        asm("cvt.rzi.s32.f32 %0, %1;" : "=r"(z) : "f"(a));
        asm("cvt.rpi.s32.f32 %0, %1;" : "=r"(p) : "f"(a));
        asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(u) : "f"(a));
        r = (unsigned)n ^ (unsigned)z << 3 ^ (unsigned)p << 7 ^ u << 11;""", a)
    def clipped(v, low, high):
        return 0 if np.isnan(v) else int(min(max(float(v), low), high))
    wanted = []
    for v in a:
        n, z, p = (clipped(f(v), -2**31, 2**31 - 1) for f in (np.rint, np.trunc, np.ceil))
        u = clipped(np.trunc(v), 0, 2**32 - 1)
        wanted.append((n ^ z << 3 ^ p << 7 ^ u << 11) & M32)
    assert r.tolist() == wanted


def test_bits_move_between_kinds_of_registers():
    a = np.array([1.5, -2.25] * 32, "f4")
    r = apply("""unsigned w, low, high; unsigned long long both;
        asm("mov.b32 %0, %1;" : "=r"(w) : "f"(a));
        asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(w), "r"(~w));
        asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(both + 1));
        r = low ^ high << 1;""", a)
    bits = a.view("u4")
    assert r.tolist() == [(int(w) + 1 ^ (~int(w) & M32) << 1) & M32 for w in bits]


def test_special_registers():
    y = cp.zeros((9, 2, 3, 32), "u4")
    cp.RawKernel("""
        __device__ unsigned lane() { unsigned r; asm("mov.u32 %0, %%laneid;" : "=r"(r)); return r; }
        extern "C" __global__ void k(unsigned *y)
        {
            unsigned t = threadIdx.x + 32 * (threadIdx.y + 3 * blockIdx.x), v[9];
            v[0] = lane();
            asm("mov.u32 %0, %%tid.x;" : "=r"(v[1]));
            asm("mov.u32 %0, %%tid.y;" : "=r"(v[2]));
            asm("mov.u32 %0, %%ntid.y;" : "=r"(v[3]));
            asm("mov.u32 %0, %%ctaid.x;" : "=r"(v[4]));
            asm("mov.u32 %0, %%nctaid.x;" : "=r"(v[5]));
            asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v[6]));
            asm("mov.u32 %0, %%lanemask_ge;" : "=r"(v[7]));
            asm("mov.u32 %0, WARP_SZ;" : "=r"(v[8]));
            for (int i = 0; i < 9; i++) y[192 * i + t] = v[i];
        }""", "k")((2,), (32, 3), (y,))
    block, row, lane = np.indices((2, 3, 32))
    one = np.ones_like(lane)
    wanted = [lane, lane, row, 3 * one, block, 2 * one, (1 << lane) - 1, (M32 << lane) & M32, 32 * one]
    np.testing.assert_array_equal(y.get(), wanted)


def test_clocks_go_forward():
    y = cp.zeros(4, "u8")
    cp.RawKernel("""extern "C" __global__ void k(unsigned long long *y)
        {
            unsigned long long a, b, c, d; unsigned e, s, n;
            asm volatile("mov.u64 %0, %%clock64;" : "=l"(a));
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(c));
            for (volatile int i = 0; i < 1000; i++) {}
            asm volatile("mov.u64 %0, %%clock64;" : "=l"(b));
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(d));
            asm volatile("mov.u32 %0, %%clock;" : "=r"(e));
            asm("mov.u32 %0, %%smid;" : "=r"(s));
            asm("mov.u32 %0, %%nsmid;" : "=r"(n));
            y[0] = b > a, y[1] = d >= c, y[2] = e != 0, y[3] = s < n;
        }""", "k")((1,), (1,), (y,))
    assert y.get().tolist() == [1, 1, 1, 1]


def test_loads_and_stores_with_cache_hints():
    x, y = cp.arange(128, dtype="u4"), cp.zeros(128, "u4")
    cp.RawKernel("""extern "C" __global__ void k(const unsigned *x, unsigned *y)
        {
            unsigned a, b, c, d, i = 4 * threadIdx.x;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(x + i));
            asm volatile("ld.global.cg.u32 %0, [%1+4];" : "=r"(b) : "l"(x + i));
            asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(c) : "l"(x + i + 2) : "memory");
            asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(d) : "l"(x + i + 3));
            asm volatile("prefetch.global.L1 [%0];" :: "l"(x + i));
            asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" :: "l"(y + i), "r"(a + 1), "r"(b + 2) : "memory");
            asm volatile("st.global.wt.u32 [%0], %1;" :: "l"(y + i + 2), "r"(c + 3));
            asm volatile("st.relaxed.gpu.global.u32 [%0+12], %1;" :: "l"(y + i), "r"(d + 4));
        }""", "k")((1,), (32,), (x, y))
    np.testing.assert_array_equal(y.get(), np.arange(128) + np.tile([1, 2, 3, 4], 32))


def test_vectors_of_real_numbers():
    x, y = cp.arange(128, dtype="f4"), cp.zeros(128, "f4")
    cp.RawKernel("""extern "C" __global__ void k(const float4 *x, float4 *y)
        {
            float4 v;
            asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(x + threadIdx.x));
            asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};"
                         :: "l"(y + threadIdx.x), "f"(v.w), "f"(v.z), "f"(v.y), "f"(v.x));
        }""", "k")((1,), (32,), (x, y))
    np.testing.assert_array_equal(y.get(), np.arange(128).reshape(32, 4)[:, ::-1].ravel())


def test_shared_memory_by_its_own_addresses():
    y = cp.zeros(128, "u4")
    cp.RawKernel("""extern "C" __global__ void k(unsigned *y)
        {
            extern __shared__ unsigned dynamic[];
            __shared__ unsigned fixed[64];
            unsigned t = threadIdx.x, a, b;
            unsigned at = (unsigned)__cvta_generic_to_shared(&fixed[t]), more;
            asm("{ .reg .u64 p; cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }" : "=r"(more) : "l"(&dynamic[63 - t]));
            asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(3 * t) : "memory");
            asm volatile("st.shared.u32 [%0], %1;" :: "r"(more), "r"(5 * t) : "memory");
            __syncthreads();
            at = (unsigned)__cvta_generic_to_shared(&fixed[t ^ 1]);
            asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(at) : "memory");
            b = dynamic[t];
            y[t] = a, y[64 + t] = b;
        }""", "k")((1,), (64,), (y,), shared_mem=256)
    t = np.arange(64)
    np.testing.assert_array_equal(y.get(), np.r_[3 * (t ^ 1), 5 * (63 - t)])


def test_copies_to_shared_memory():
    x, y = cp.arange(1, 257, dtype="u4"), cp.zeros(256, "u4")
    cp.RawKernel("""extern "C" __global__ void k(const uint4 *x, unsigned *y)
        {
            __shared__ alignas(16) unsigned s[256];
            unsigned t = threadIdx.x, to = (unsigned)__cvta_generic_to_shared(&s[4 * t]);
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(x + t), "r"(t < 32 ? 16 : 8));
            asm volatile("cp.async.commit_group;");
            asm volatile("cp.async.wait_group 0;" ::: "memory");
            __syncthreads();
            for (int i = 0; i < 4; i++) y[4 * t + i] = s[255 - (4 * t + i)];
        }""", "k")((1,), (64,), (x, y))
    s = np.arange(1, 257)
    s[128:].reshape(32, 4)[:, 2:] = 0
    np.testing.assert_array_equal(y.get(), s[::-1])


def test_atomics_and_reductions():
    y = cp.zeros(4, "u4")
    cp.RawKernel("""extern "C" __global__ void k(unsigned *y)
        {
            unsigned old;
            asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(y), "r"(2) : "memory");
            asm volatile("red.global.add.u32 [%0], %1;" :: "l"(y + 1), "r"(old & 1) : "memory");
            asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" :: "l"(y + 2), "r"(threadIdx.x) : "memory");
            asm volatile("atom.global.cas.b32 %0, [%1], 0, 77;" : "=r"(old) : "l"(y + 3) : "memory");
        }""", "k")((3,), (64,), (y,))
    assert y.get().tolist() == [384, 0, 63, 77]


def test_barriers_fences_and_lanes():
    y = cp.zeros((6, 64), "u4")
    cp.RawKernel("""extern "C" __global__ void k(unsigned *y)
        {
            __shared__ unsigned s[64];
            unsigned t = threadIdx.x, v[5];
            s[t] = t * t;
            asm volatile("bar.sync 0;" ::: "memory");
            y[t] = s[63 - t];
            asm volatile("membar.cta; membar.gl; fence.acq_rel.gpu;" ::: "memory");
            asm volatile("shfl.sync.down.b32 %0, %1, 4, 0x1f, 0xffffffff;" : "=r"(v[0]) : "r"(t));
            asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, %4;"
                         : "=r"(v[1]) : "r"(t), "r"(3), "r"(0x181f), "r"(~0u));
            asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 40; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                         : "=r"(v[2]) : "r"(t));
            asm volatile("shfl.sync.idx.b32 %0, %1, 2, 0x1f, 0xffffffff;" : "=r"(v[3]) : "r"(t));
            asm volatile("shfl.sync.up.b32 %0, %1, 1, 0, 0xffffffff;" : "=r"(v[4]) : "r"(t));
            asm volatile("bar.warp.sync 0xffffffff;");
            for (int i = 0; i < 5; i++) y[64 * (i + 1) + t] = v[i];
        }""", "k")((1,), (64,), (y,))
    t = np.arange(64)
    lane = t % 32
    wanted = [(63 - t)**2, np.where(lane < 28, t + 4, t), t ^ 3, np.repeat([0, (M32 << 9) & M32], 32), t // 32 * 32 + 2,
              np.where(lane > 0, t - 1, t)]
    np.testing.assert_array_equal(y.get(), wanted)


def test_exit_ends_the_thread():
    y = cp.zeros(64, "i4")
    cp.RawKernel("""extern "C" __global__ void k(int *y)
        {
            if (threadIdx.x % 3 == 0) asm volatile("exit;");
            y[threadIdx.x] = 1;
        }""", "k")((1,), (64,), (y,))
    np.testing.assert_array_equal(y.get(), np.arange(64) % 3 != 0)


def test_in_macros_methods_and_conditions():
    y = cp.zeros(64, "u4")
    cp.RawKernel("""
        #define REVERSED(r, x) asm("brev.b32 %0, %1;" : "=r"(r) : "r"(x))
        struct Bits {
            unsigned v;
            __device__ unsigned lane() const
            {
                unsigned r;
                asm("{ .reg .u32 l; mov.u32 l, %%laneid; add.u32 %0, l, %1; }" : "=r"(r) : "r"(v));
                return r;
            }
        };
        extern "C" __global__ void k(unsigned *y)
        {
            unsigned r;
            Bits bits = {100};
            if (threadIdx.x < 32) REVERSED(r, threadIdx.x);
            else r = bits.lane();
            asm volatile("" ::: "memory");
            y[threadIdx.x] = r;
        }""", "k")((1,), (64,), (y,))
    t = np.arange(32)
    np.testing.assert_array_equal(y.get(), np.r_[[int(f"{i:032b}"[::-1], 2) for i in t], t + 100])


@pytest.mark.parametrize("text, name", [
    ("wgmma.fence.sync.aligned;", "wgmma.fence.sync.aligned"), ("mov.u32 %0, %%warpsize;", "%warpsize"),
    ("bar.sync 1, 64;", "bar.sync"),
    ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0}, {%0}, {%0}, {%0};", "mma."),
    ("cp.async.bulk.shared.global [%0], [%0], 16, [%0];", "cp.async.bulk"), ("tex.2d.v4.f32.s32 %0, %0;", "tex.2d")])
def test_what_is_refused_is_named(text, name, device):
    if device != "cpu":
        pytest.skip("a GPU has it, or its assembler says so")
    code = f'extern "C" __global__ void k(unsigned *y)\n{{\n    unsigned r = 0;\n    asm("{text}" : "=r"(r));\n}}'
    with pytest.raises(Exception, match=rf"line 4: inline PTX: {name}.*docs/guide/kernels.md"):
        cp.RawKernel(code, "k").compile()


def numbers(words, sign, bits):
    """The words' lowest bits as numbers."""
    return [signed(w, bits) if sign else int(w) & (1 << bits) - 1 for w in words]


@pytest.mark.parametrize("mode", ["clamp", "wrap"])
def test_masks_and_extensions(mode):
    a, b = words(), RNG.integers(0, 70, 256).astype("u4")
    d = RNG.integers(0, 70, 256).astype("u4")
    turn = 31 if mode == "wrap" else M32
    r = apply(f'asm("bmsk.{mode}.b32 %0, %1, %2;" : "=r"(r) : "r"(b), "r"(d));', a, b, d)
    assert r.tolist() == [((1 << (n & turn)) - 1) << (at & turn) & M32 for at, n in zip(map(int, b), map(int, d))]
    for sign in (False, True):
        r = apply(f'asm("szext.{mode}.{"s" if sign else "u"}32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));', a, b)
        wanted = [0 if n & turn == 0 else v if n & turn >= 32 else (signed(v, n & turn) if sign else v &
                                                                   (1 << (n & turn)) - 1) & M32
                  for v, n in zip(map(int, a), map(int, b))]
        assert r.tolist() == wanted


@pytest.mark.parametrize("sign", [False, True])
def test_products_of_24_bits(sign):
    a, b, d = words(), RNG.permutation(words()), words()
    t = f'{"s" if sign else "u"}32'
    products = [p * q for p, q in zip(numbers(a, sign, 24), numbers(b, sign, 24))]
    for half, shift in (("lo", 0), ("hi", 16)):
        r = apply(f'asm("mul24.{half}.{t} %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));', a, b)
        assert r.tolist() == [p >> shift & M32 for p in products]
        r = apply(f'asm("mad24.{half}.{t} %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d));', a, b, d)
        assert r.tolist() == [(p >> shift) + int(v) & M32 for p, v in zip(products, d)]


@pytest.mark.parametrize("types", ["s32.s32", "u32.u32", "s32.u32", "u32.s32"])
def test_products_of_bytes(types):
    a, b, d = words(), RNG.permutation(words()), words()
    left, right = (t[0] == "s" for t in types.split("."))

    def parts(v, sign, bits, n):
        return numbers([int(v) >> bits * i for i in range(n)], sign, bits)
    r = apply(f'asm("dp4a.{types} %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d));', a, b, d)
    assert r.tolist() == [sum(p * q for p, q in zip(parts(x, left, 8, 4), parts(y, right, 8, 4))) + int(z) & M32
                          for x, y, z in zip(a, b, d)]
    for half, at in (("lo", 0), ("hi", 2)):
        r = apply(f'asm("dp2a.{half}.{types} %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d));', a, b, d)
        assert r.tolist() == [sum(p * q for p, q in zip(parts(x, left, 16, 2), parts(y, right, 8, 4)[at:])) + int(z)
                              & M32 for x, y, z in zip(a, b, d)]


def test_the_nth_bit():
    """The n-th set bit from `base` upwards, or downwards for a negative n; none is all ones."""
    def one(mask, base, n):
        if n == 0:
            return base if mask >> base & 1 else M32
        at = [i for i in (range(base, 32) if n > 0 else range(base, -1, -1)) if mask >> i & 1]
        return at[abs(n) - 1] if len(at) >= abs(n) else M32
    a, b = words(), RNG.integers(0, 32, 256).astype("u4")
    d = RNG.integers(-20, 21, 256).astype("i4")
    r = apply('asm("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(d));', a, b, d)
    assert r.tolist() == [one(*map(int, v)) for v in zip(a, b, d)]


@pytest.mark.parametrize("t, c, r", [("f4", "float", "f"), ("f8", "double", "d")])
def test_copysign(t, c, r):
    """The sign of the first, the rest of the second."""
    a, b = RNG.standard_normal((2, 256)).astype(t)
    a[:2], b[1:3] = [-0.0, np.nan], [np.inf, -0.0]
    found = apply(f'asm("copysign.f{8 * int(t[1])} %0, %1, %2;" : "={r}"(r) : "{r}"(a), "{r}"(b));', a, b, t=t, c=c)
    np.testing.assert_array_equal(found, np.copysign(b, a))
