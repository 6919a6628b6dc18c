"""Inline PTX of numbers of 16 bits, against exact results rounded once, and barriers between parts of a block."""
import numpy as np
import pytest

import cuprite as cp

RNG = np.random.default_rng(11)


def halves(n, seed=0):
    """Of every size, with the ends of the range."""
    x = np.random.default_rng(seed).integers(0, 65536, n).astype("u2")
    x[:8] = [0, 0x8000, 0x3c00, 0xbc00, 0x7bff, 0x0001, 0x7c00, 0xfc00]
    return x[(x & 0x7c00 != 0x7c00) | (x & 0x3ff == 0)]


def bf16(x):
    return (x.astype("u4") << 16).view("f4")


def to_bf16(f):
    """The nearest bfloat16 of float64s."""
    f = np.asarray(f, "f8")
    g = f.astype("f4")
    # float32 toward zero with a sticky bit: rounding twice would be wrong
    bits = g.view("u4").astype("i8")
    over = np.abs(g.astype("f8")) > np.abs(f)
    bits = np.where(over, bits - 1, bits)
    exact = bits.astype("u4").view("f4").astype("f8") == f
    bits = np.where(exact | np.isinf(f), bits, bits | 1)
    r = (bits + 0x7fff + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(f), 0x7fff, r).astype("u2")


class Programs:
    """Kernels of one source, which is compiled once: `add` returns a number, `self[number]` what the kernel wrote."""

    KINDS = {"u2": "unsigned short", "u4": "unsigned", "f4": "float", "f8": "double", "i4": "int"}

    def __init__(self):
        self.text, self.inputs, self.types, self.module = "", [], [], None

    def add(self, body, *inputs, t="u2"):
        names, k = "abc"[:len(inputs)], len(self.inputs)
        parameters = "".join(f"const {self.KINDS[v.dtype.str[1:]]} *x{n}, " for v, n in zip(inputs, names))
        load = " ".join(f"auto {n} = x{n}[i];" for n in names)
        self.text += f"""extern "C" __global__ void k{k}({parameters}{self.KINDS[t]} *y, int n)
        {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            {load}
            {self.KINDS[t]} r = 0;
            {body}
            y[i] = r;
        }}\n"""
        self.inputs.append(inputs)
        self.types.append(t)
        return k

    def __getitem__(self, k):
        self.module = self.module or cp.RawModule(code=self.text)
        n = self.inputs[k][0].size
        y = cp.zeros(n, self.types[k])
        self.module.get_function(f"k{k}")(((n + 63) // 64,), (64,), (*map(cp.asarray, self.inputs[k]), y, np.int32(n)))
        return y.get()


def equal(got, wanted):
    """As halves: any NaN is one."""
    a, b = (np.asarray(v, "u2").view("f2") for v in (got, wanted))
    both = np.isnan(a) & np.isnan(b)
    np.testing.assert_array_equal(np.where(both, 0, got), np.where(both, 0, wanted))


OPERATIONS = {"add": np.add, "sub": np.subtract, "mul": np.multiply}


def test_arithmetic():
    a, b, p = halves(500), halves(500, 1), Programs()
    a, b = a[:min(a.size, b.size)], b[:min(a.size, b.size)]
    pairs = (a | a[::-1].astype("u4") << 16).astype("u4"), (b | b[::-1].astype("u4") << 16).astype("u4")
    made = {n: (p.add(f'asm("{n}.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));', a, b),
                p.add(f'asm("{{{n}.rn.bf16 %0, %1, %2;}}" : "=h"(r) : "h"(a), "h"(b));', a, b),
                p.add(f'asm("{n}.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));', *pairs, t="u4"))
            for n in OPERATIONS}
    finite = np.isfinite(bf16(a)) & np.isfinite(bf16(b))
    for name, (one, wide, two) in made.items():
        with np.errstate(all="ignore"):
            f = OPERATIONS[name](a.view("f2").astype("f8"), b.view("f2").astype("f8")).astype("f2").view("u2")
            g = to_bf16(OPERATIONS[name](bf16(a).astype("f8"), bf16(b).astype("f8")))
        equal(p[one], f)
        np.testing.assert_array_equal(p[wide][finite], g[finite])
        got = p[two]
        equal((got & 0xffff).astype("u2"), f)
        equal((got >> 16).astype("u2"), f[::-1])


def test_fused_and_others():
    a, b, c = (v[:300] for v in (halves(400), halves(400, 1), halves(400, 2)))
    x, y, z = (v.view("f2").astype("f8") for v in (a, b, c))
    small, p = a[np.abs(x) < 10], Programs()
    fma = p.add('asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r) : "h"(a), "h"(b), "h"(c));', a, b, c)
    relu = p.add('asm("{ .reg .b16 t; fma.rn.relu.f16 t, %1, %2, %3; mov.b16 %0, t; }" : "=h"(r) '
                 ': "h"(a), "h"(b), "h"(c));', a, b, c)
    neg = p.add('asm("neg.f16 %0, %1;" : "=h"(r) : "h"(a));', a)
    absolute = p.add('asm("abs.bf16 %0, %1;" : "=h"(r) : "h"(a));', a)
    ends = [p.add(f'asm("{n}.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));', a, b) for n in ("min", "max")]
    sat = p.add('asm("add.sat.f16 %0, %1, %2;" : "=h"(r) : "h"(a), "h"(b));', a, b)
    ex2 = p.add('asm("ex2.approx.f16 %0, %1;" : "=h"(r) : "h"(a));', small)
    tanh = p.add('asm("tanh.approx.f16 %0, %1;" : "=h"(r) : "h"(a));', small)
    with np.errstate(all="ignore"):
        fused, s = x * y + z, x + y  # 22 + 11 bits of similar sizes: float64 has them where the result is no tie
        sure = (np.abs(x * y) < np.abs(z) * 2.0 ** 40) & (np.abs(z) < np.abs(x * y) * 2.0 ** 40)
        sure |= ~np.isfinite(fused) | (z == 0) | (x * y == 0)
        wanted = fused.astype("f2").view("u2")
        clipped = np.where(np.isnan(s), 0, np.clip(s.astype("f2"), 0, 1))
    equal(p[fma][sure], wanted[sure])
    ok = sure & np.isfinite(fused)
    equal(p[relu][ok], np.where(fused < 0, 0, wanted)[ok])
    equal(p[neg], a ^ 0x8000)
    equal(p[absolute], a & 0x7fff)
    for k, f in zip(ends, (np.fmin, np.fmax)):
        np.testing.assert_array_equal(p[k].view("f2"), f(a.view("f2"), b.view("f2")))
    np.testing.assert_array_equal(p[sat].view("f2"), clipped)
    np.testing.assert_allclose(p[ex2].view("f2"), 2.0 ** small.view("f2").astype("f8"), 1e-3)
    np.testing.assert_allclose(p[tanh].view("f2"), np.tanh(small.view("f2").astype("f8")), 2e-3, 1e-7)


def test_comparisons():
    a, b, p = halves(400)[:300], halves(400, 1)[:300], Programs()
    x, y = a.view("f2"), b.view("f2")
    tests = [(p.add(f'asm("{{.reg .pred p; setp.{n}.f16 p, %1, %2; selp.b16 %0, 1, 0, p;}}"'
                    ' : "=h"(r) : "h"(a), "h"(b));', a, b), f)
             for n, f in (("lt", np.less), ("ge", np.greater_equal), ("eq", np.equal))]
    pairs = (a | b.astype("u4") << 16).astype("u4"), (b | b.astype("u4") << 16).astype("u4")
    both = p.add('asm("{.reg .pred p, q; .reg .u32 s, t; setp.lt.f16x2 p|q, %1, %2; selp.u32 s, 1, 0, p;'
                 ' selp.u32 t, 2, 0, q; or.b32 %0, s, t;}" : "=r"(r) : "r"(a), "r"(b));', *pairs, t="u4")
    for k, f in tests:
        np.testing.assert_array_equal(p[k], f(x, y))
    np.testing.assert_array_equal(p[both], np.less(x, y) * 1)


def test_conversions():
    f = np.concatenate([RNG.standard_normal(300) * 10.0 ** RNG.integers(-8, 6, 300),
                        [0.0, -0.0, 65504, 65520, 65519.99, 1e9, -1e9, np.inf, 2.0 ** -25, 1.5 * 2.0 ** -24]])
    f, codes, p = f.astype("f4"), halves(500, 3), Programs()
    i = np.concatenate([RNG.integers(-70000, 70000, 200), [2049, 2051, 65519, 65520, -4097]]).astype("i4")
    near = p.add('asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));', f)
    wide = p.add('asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(a));', f)
    zero = p.add('asm("cvt.rz.f16.f32 %0, %1;" : "=h"(r) : "f"(a));', f)
    back = p.add('asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));', codes, t="f4")
    wide_back = p.add('asm("cvt.f32.bf16 %0, %1;" : "=f"(r) : "h"(a));', codes, t="f4")
    pair = p.add('asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(a), "f"(b));', f, f[::-1].copy(), t="u4")
    whole = p.add('asm("cvt.rn.f16.s32 %0, %1;" : "=h"(r) : "r"(a));', i)
    wholes = [(p.add(f'asm("cvt.{n}.s32.f16 %0, %1;" : "=r"(r) : "h"(a));', codes, t="i4"), g)
              for n, g in (("rni", np.rint), ("rzi", np.trunc), ("rmi", np.floor), ("rpi", np.ceil))]
    with np.errstate(all="ignore"):
        h = f.astype("f2").view("u2")
        equal(p[whole], i.astype("f8").astype("f2").view("u2"))
    equal(p[near], h)
    np.testing.assert_array_equal(p[wide], to_bf16(f.astype("f8")))
    nearest = h.view("f2").astype("f8")
    toward = np.where(np.abs(nearest) > np.abs(f), np.nextafter(h.view("f2"), np.float16(0)).astype("f8"), nearest)
    np.testing.assert_array_equal(p[zero].view("f2").astype("f8"), toward)
    np.testing.assert_array_equal(p[back], codes.view("f2").astype("f4"))
    np.testing.assert_array_equal(p[wide_back], bf16(codes))
    equal((p[pair] >> 16).astype("u2"), h)
    equal((p[pair] & 0xffff).astype("u2"), h[::-1])
    x = codes.view("f2").astype("f8")
    for k, g in wholes:
        np.testing.assert_array_equal(p[k], np.clip(g(x), -2**31, 2**31 - 1).astype("i4"))


def test_sums_in_memory():
    text = """
    extern "C" __global__ void k(unsigned short *h, unsigned *p, unsigned short *old)
    {
        __shared__ unsigned short s;
        if (threadIdx.x == 0) s = 0;
        __syncthreads();
        unsigned short one = 0x3c00, before;
        asm volatile("red.shared.add.noftz.f16 [%0], %1;" :: "r"((unsigned)__cvta_generic_to_shared(&s)), "h"(one));
        asm volatile("atom.global.add.noftz.f16 %0, [%1], %2;" : "=h"(before) : "l"(h), "h"(one) : "memory");
        asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" :: "l"(p), "r"(0x3f804000u) : "memory");
        old[threadIdx.x] = before;
        __syncthreads();
        if (threadIdx.x == 0) h[1] = s;
    }"""
    h, p, old = cp.zeros(2, "f2"), cp.zeros(1, "u4"), cp.zeros(64, "f2")
    cp.RawKernel(text, "k")((1,), (64,), (h, p, old))
    assert h.get().tolist() == [64, 64] and sorted(old.get().tolist()) == list(range(64))
    assert bf16(np.array([p.get()[0] & 0xffff, p.get()[0] >> 16], "u2")).tolist() == [128, 64]


@pytest.mark.parametrize("text", ["mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0}, {%0}, {%0}, {%0};",
                                  "set.lt.f16.f16 %0, %0, %0;"])
@pytest.mark.once
def test_what_is_refused(text):
    """On the CPU; a GPU's compiler takes them."""
    with pytest.raises(NotImplementedError, match=text.split()[0]):
        cp.RawKernel(f'extern "C" __global__ void k(unsigned short *y) {{ unsigned short r = 0; '
                     f'asm("{text}" : "+h"(r)); *y = r; }}', "k").compile()


# --- barriers ---

def test_parts_of_a_block():
    """Each pair of warps goes around on its own barrier, in registers and numbers, by all of PTX's names."""
    text = """
    extern "C" __global__ void k(const int *x, int *out, int *votes)
    {
        __shared__ int s[256];
        const int t = threadIdx.x, part = t / 64, at = t % 64;
        for (int r = 0; r < 4; r++) {
            s[t] = x[t] + r;
            if (r == 0) asm volatile("bar.sync %0, %1;" :: "r"(part + 1), "r"(64));
            else if (r == 1) asm volatile("barrier.sync.aligned %0, 64;" :: "r"(part + 1));
            else if (r == 2) asm volatile("barrier.cta.sync %0, %1;" :: "r"(part + 1), "n"(64));
            else asm volatile("barrier.sync %0, 64;" :: "r"(part + 1));
            out[r * 256 + t] = s[part * 64 + 63 - at];
            asm volatile("bar.cta.sync %0, 64;" :: "r"(part + 1));
        }
        int n, all, any;
        asm volatile("{.reg .pred p, q; setp.gt.s32 p, %3, 50; bar.red.popc.u32 %0, %4, 64, p;"
                     " barrier.red.and.pred q, %4, 64, p; selp.s32 %1, 1, 0, q;"
                     " barrier.cta.red.or.pred q, %4, 64, p; selp.s32 %2, 1, 0, q;}"
                     : "=r"(n), "=r"(all), "=r"(any) : "r"(x[t]), "r"(part + 1));
        votes[t] = n * 4 + all * 2 + any;
        asm volatile("bar.sync 5;");
    }"""
    x = RNG.integers(0, 100, 256).astype("i4")
    x[64:128], x[128:192] = 99, 1
    out, votes = cp.zeros((4, 256), "i4"), cp.zeros(256, "i4")
    cp.RawKernel(text, "k")((1,), (256,), (cp.asarray(x), out, votes))
    turned = x.reshape(4, 64)[:, ::-1].ravel()
    np.testing.assert_array_equal(out.get(), turned + np.arange(4)[:, None])
    p = x.reshape(4, 64) > 50
    np.testing.assert_array_equal(votes.get(), np.repeat(p.sum(1) * 4 + p.all(1) * 2 + p.any(1), 64))


@pytest.mark.once
@pytest.mark.parametrize("body, what", [
    ('if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");', "line 1 is not reached by all"),
    ('asm volatile("bar.sync %0, 32;" :: "r"(16 + 40));', "barriers have the numbers 0 to 15, not 56"),
    ('if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;"); else asm volatile("bar.sync 1, 32;");',
     "others wait for"),
])
def test_wrong_barriers(body, what):
    k = cp.RawKernel(f'extern "C" __global__ void k(int *y) {{ {body} y[0] = 1; }}', "k")
    y = cp.zeros(1, "i4")
    with pytest.raises(Exception, match=what):
        k((1,), (64,), (y,))
        cp.cuda.Stream.null.synchronize()
