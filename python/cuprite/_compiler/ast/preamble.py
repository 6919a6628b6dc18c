"""C++ helpers that are added to the kernels that use them: name -> source, and each one's own dependencies.

All are templates over the number type, without a barrier, and take and give values.
"""
import re

from .elements import HELPERS as _ELEMENTS
from .number_helpers import HELPERS as _NUMBERS
from .numba_helpers import HELPERS as _NUMBAS
from .sequences import HELPERS as _SEQUENCES

T = "template <class T> static __device__ inline "

HELPERS = {
    "#complex": "#include <cupy/complex.cuh>\n",
    "#groups": "#include <cooperative_groups.h>\n",
    "#half": "#include <cuda_fp16.h>\n",
    # Python's division: towards minus infinity; by zero it gives 0, where C++ gives nothing at all.
    "py_floordiv": T + """T py_floordiv(T a, T b) {
    if (b == 0) return 0;
    if (b == (T)-1 && (T)-1 < (T)0) return (T)(0 - (unsigned long long)a);
    T q = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? (T)(q - 1) : q;
}
""",
    "py_mod": T + """T py_mod(T a, T b) {
    if (b == 0 || (b == (T)-1 && (T)-1 < (T)0)) return 0;
    T r = a % b;
    return (r != 0 && (r < 0) != (b < 0)) ? (T)(r + b) : r;
}
""",
    "py_fmod": T + """T py_fmod(T a, T b) {
    T r = fmod_of(a, b);
    return (r != 0) ? ((b < 0) != (r < 0) ? r + b : r) : copysign_of((T)0, b);
}
""",
    "py_ffloordiv": T + """T py_ffloordiv(T a, T b) {
    if (b == 0) return a / b;
    T r = fmod_of(a, b), q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) q -= 1;
    if (q == 0) return copysign_of((T)0, a / b);
    T whole = floor_of(q);
    return q - whole > (T)0.5 ? whole + 1 : whole;
}
""",
    "fmod_of": "static __device__ inline float fmod_of(float a, float b) { return fmodf(a, b); }\n"
               "static __device__ inline double fmod_of(double a, double b) { return fmod(a, b); }\n",
    "floor_of": "static __device__ inline float floor_of(float a) { return floorf(a); }\n"
                "static __device__ inline double floor_of(double a) { return floor(a); }\n",
    "copysign_of": "static __device__ inline float copysign_of(float a, float b) { return copysignf(a, b); }\n"
                   "static __device__ inline double copysign_of(double a, double b) { return copysign(a, b); }\n",
    "py_ipow": T + """T py_ipow(T a, T e) {
    if (e < 0) return a == 1 ? 1 : a == (T)-1 ? ((e % 2) ? (T)-1 : (T)1) : (T)0;
    unsigned long long r = 1, x = (unsigned long long)a;
    for (; e; e /= 2, x *= x)
        if (e % 2) r *= x;
    return (T)r;
}
""",
    "py_square": T + "T py_square(T x) { return (T)(wrapping(x) * wrapping(x)); }\n",
    "py_cube": T + "T py_cube(T x) { return (T)(wrapping(x) * wrapping(x) * wrapping(x)); }\n",
    "py_powi": T + """T py_powi(T x, long long e) {
    T r = 1;
    for (unsigned long long n = e < 0 ? 0 - (unsigned long long)e : e; n; n /= 2, x *= x)
        if (n & 1) r *= x;
    return e < 0 ? (T)1 / r : r;
}
""",
    "py_cpowi": "template <class T> static __device__ inline complex<T> py_cpowi(complex<T> x, long long e) {\n"
                "    complex<T> r(1);\n"
                "    for (unsigned long long n = e < 0 ? 0 - (unsigned long long)e : e; n; n /= 2) {\n"
                "        if (n & 1) r = r * x;\n"
                "        x = x * x;\n"
                "    }\n"
                "    return e < 0 ? complex<T>(1) / r : r;\n"
                "}\n",
    # a number whose operations wrap: C++ takes overflow of signed ones for impossible
    "wrapping": "template <class T> static __device__ inline T wrapping(T a) { return a; }\n"
                "static __device__ inline unsigned int wrapping(signed char a) { return (unsigned int)a; }\n"
                "static __device__ inline unsigned int wrapping(unsigned char a) { return a; }\n"
                "static __device__ inline unsigned int wrapping(short a) { return (unsigned int)a; }\n"
                "static __device__ inline unsigned int wrapping(unsigned short a) { return a; }\n"
                "static __device__ inline unsigned int wrapping(int a) { return (unsigned int)a; }\n"
                "static __device__ inline unsigned long long wrapping(long long a) { return (unsigned long long)a; }\n",
    # min(a, b) as Python compares: the first unless the second is smaller
    "py_min": T + "T py_min(T a, T b) { return b < a ? b : a; }\n",
    "py_max": T + "T py_max(T a, T b) { return a < b ? b : a; }\n",
    # as NumPy compares: a NaN wins
    "np_min": T + "T np_min(T a, T b) { return (a <= b || a != a) ? a : b; }\n",
    "np_max": T + "T np_max(T a, T b) { return (a >= b || a != a) ? a : b; }\n",
    "np_fmin": T + "T np_fmin(T a, T b) { return (a <= b || b != b) ? a : b; }\n",
    "np_fmax": T + "T np_fmax(T a, T b) { return (a >= b || b != b) ? a : b; }\n",
    "np_sign": T + "T np_sign(T a) { return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a; }\n",
    "py_abs": T + "T py_abs(T a) { return a < 0 ? (T)(0 - wrapping(a)) : a; }\n",
    # 0 - a, which g++ takes for -a where a cannot be -0.0
    # a - b, which g++ takes for -b where it knows that a is 0 and that b, a whole number before, cannot be -0.0
    "py_minus": T + "T py_minus(T a, T b) { return a == b ? (a == 0 ? a : (T)0) : a - b; }\n",
    "py_from_zero": T + "T py_from_zero(T a) { return a == 0 ? (T)0 : -a; }\n",
    "py_gcd": T + "T py_gcd(T a, T b) {\n"
                  "    for (; b != 0;) { T r = (T)-1 < (T)0 && b == (T)-1 ? (T)0 : (T)(a % b); a = b; b = r; }\n"
                  "    return a < 0 ? (T)(0 - wrapping(a)) : a;\n}\n",
    # whether a divisor was zero; the host function reports it
    "host_zero": "static __device__ int host_zero;\n",
    "host_divisor": T + "T host_divisor(T b) {\n    if (b == 0) host_zero = 1;\n    return b;\n}\n",
    "host_base": T + "T host_base(T a, T e) {\n    if (a == 0 && e < 0) host_zero = 1;\n    return a;\n}\n",
    # with checks: the number of the first exception of a launch, and an element in place of one that is not there
    "debug_status": "extern \"C\" { __device__ int debug_status[7]; }\n",
    # with the thread and the block of the first
    "debug_tell": """static __device__ inline void debug_tell(int k) {
    if (atomicCAS(debug_status, 0, k) != 0) return;
    debug_status[1] = (int)threadIdx.x, debug_status[2] = (int)threadIdx.y, debug_status[3] = (int)threadIdx.z;
    debug_status[4] = (int)blockIdx.x, debug_status[5] = (int)blockIdx.y, debug_status[6] = (int)blockIdx.z;
}
""",
    "debug_at": "static __device__ long long debug_nowhere[128];\n" + T + """T *debug_at(T *p, bool inside) {
    if (inside) return p;
    debug_tell(1);
    return (T *)debug_nowhere;
}
""",
    # to a number of decimal digits, ties to even
    "py_round": """static __device__ inline double py_round(double x, long long digits) {
    double p = pow(10.0, (double)(digits < 0 ? -digits : digits));
    double y = digits < 0 ? x / p : x * p;
    if (!(y - y == 0)) return x;
    y = rint(y);
    return digits < 0 ? y * p : y / p;
}
""",
    "py_wrap": "static __device__ inline long long py_wrap(long long i, long long n) { return i < 0 ? i + n : i; }\n",
    # the ends of a slice with step +1 or -1 (or any other): Python's rules
    "py_slice": "static __device__ inline long long py_slice(long long i, long long n, bool down) {\n"
                "    if (i < 0) i += n;\n    if (i < 0) return down ? -1 : 0;\n"
                "    return i >= n ? (down ? n - 1 : n) : i;\n}\n"
                "static __device__ inline long long py_slice_length(long long a, long long b, long long step) {\n"
                "    long long d = step > 0 ? b - a : a - b, s = step > 0 ? step : -step;\n"
                "    return d > 0 ? (d - 1) / s + 1 : 0;\n}\n",
    "lane_id": "static __device__ inline unsigned int lane_id() {\n"
               "    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) & 31u;\n}\n",
}

# Atomic operations that CUDA lacks, through compare-and-swap on the element's bits.
HELPERS.update({
    "bits_cas": """template <int N> struct cas_bits;
template <> struct cas_bits<2> { typedef unsigned short type; };
template <> struct cas_bits<4> { typedef unsigned int type; };
template <> struct cas_bits<8> { typedef unsigned long long type; };
template <class T> static __device__ inline T atomic_bits_cas(T *p, T old, T value) {
    typedef typename cas_bits<sizeof(T)>::type U;
    union { T t; U u; } a, b;
    a.t = old, b.t = value;
    a.u = atomicCAS((U *)p, a.u, b.u);
    return a.t;
}
""",
    "atomic_wide_inc": "static __device__ inline unsigned long long atomic_wide_inc(unsigned long long *p, "
                       "unsigned long long limit) {\n"
                       "    unsigned long long old = *(volatile unsigned long long *)p, seen;\n"
                       "    for (; (seen = atomicCAS(p, old, old >= limit ? 0 : old + 1)) != old; old = seen) {}\n"
                       "    return old;\n}\n",
    "atomic_wide_dec": "static __device__ inline unsigned long long atomic_wide_dec(unsigned long long *p, "
                       "unsigned long long limit) {\n"
                       "    unsigned long long old = *(volatile unsigned long long *)p, seen;\n"
                       "    for (; (seen = atomicCAS(p, old, old == 0 || old > limit ? limit : old - 1)) != old; "
                       "old = seen) {}\n    return old;\n}\n",
})

for _word, _sign in (("max", "<"), ("min", ">")):
    # a NaN in memory is replaced; in the plain ones a NaN on either side changes nothing
    HELPERS[f"atomic_float_{_word}"] = T + f"""T atomic_float_{_word}(T *p, T v) {{
    T old = *(volatile T *)p;
    while (old {_sign} v || old != old) {{
        T seen = atomic_bits_cas(p, old, v);
        if (seen == old || (seen != seen && old != old)) break;
        old = seen;
    }}
    return old;
}}
"""
    HELPERS[f"atomic_float_{_word}_plain"] = T + f"""T atomic_float_{_word}_plain(T *p, T v) {{
    T old = *(volatile T *)p;
    while (old {_sign} v) {{
        T seen = atomic_bits_cas(p, old, v);
        if (seen == old) break;
        old = seen;
    }}
    return old;
}}
"""

# xoroshiro128+, the generator of numba.cuda.random: two words of state a thread.
HELPERS.update({
    "xoroshiro": """static __device__ inline unsigned long long xoroshiro_next(unsigned long long *s) {
    unsigned long long a = s[0], b = s[1], r = a + b;
    b ^= a;
    s[0] = ((a << 55) | (a >> 9)) ^ b ^ (b << 14);
    s[1] = (b << 36) | (b >> 28);
    return r;
}
static __device__ inline double xoroshiro_uniform_double(unsigned long long *s) {
    return (double)(xoroshiro_next(s) >> 11) * (1.0 / 9007199254740992.0);
}
static __device__ inline float xoroshiro_uniform_float(unsigned long long *s) {
    return (float)xoroshiro_uniform_double(s);
}
static __device__ inline float xoroshiro_normal_float(unsigned long long *s) {
    float u = xoroshiro_uniform_float(s), v = xoroshiro_uniform_float(s);
    return sqrtf(-2.0f * logf(u)) * cosf(6.2831855f * v);
}
static __device__ inline double xoroshiro_normal_double(unsigned long long *s) {
    double u = xoroshiro_uniform_double(s), v = xoroshiro_uniform_double(s);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}
""",
})

HELPERS.update(_ELEMENTS)
HELPERS.update(_SEQUENCES)
HELPERS.update(_NUMBERS)
HELPERS.update(_NUMBAS)

# What cuprite._compiler.jit.cub and cg need.
HELPERS.update({
    "sum_op": "struct sum_op { template <class T> __device__ T operator()(T a, T b) const { return a + b; } };\n",
    "max_op": "struct max_op {\n"
                "    template <class T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }\n"
                "};\n",
    "min_op": "struct min_op {\n"
                "    template <class T> __device__ T operator()(T a, T b) const { return b < a ? b : a; }\n"
                "};\n",
    "warp_reduce": """template <class T, class F>
static __device__ inline T warp_reduce(T v, F f, unsigned int valid, unsigned int lane) {
    for (int d = 16; d > 0; d /= 2) {
        T other = __shfl_down_sync(0xffffffffu, v, d);
        if (lane + d < valid) v = f(v, other);
    }
    return v;
}
""",
    "warp_fold_complex": """template <class T, class F>
static __device__ inline complex<T> warp_fold_complex(complex<T> v, F f, unsigned int valid, unsigned int lane) {
    for (int d = 16; d > 0; d /= 2) {
        complex<T> other(__shfl_down_sync(0xffffffffu, v.real(), d), __shfl_down_sync(0xffffffffu, v.imag(), d));
        if (lane + d < valid) v = f(v, other);
    }
    return v;
}
""",
    "block_reduce": """template <class T, class F>
static __device__ inline T block_reduce(T *shared, T v, F f, unsigned int n, unsigned int thread) {
    if (thread < n) shared[thread] = v;
    __syncthreads();
    while (n > 1) {
        unsigned int half = (n + 1) / 2;
        if (thread < n - half) shared[thread] = f(shared[thread], shared[thread + half]);
        __syncthreads();
        n = half;
    }
    return shared[0];
}
""",
    "block_copy": """template <class T> static __device__ inline
void block_copy(T *to, const T *from, long long bytes, unsigned int thread, unsigned int threads) {
    for (long long i = thread; i < bytes / (long long)sizeof(T); i += threads) to[i] = from[i];
}
""",
})

_WORD = re.compile(r"\w+")
_BASE = {"atomic_bits_cas": "bits_cas", "complex": "#complex", "__half": "#half", "seq_pair": "#iterators",
         "seq_swap": "#iterators"}


def strings(names):
    """The helpers of these names and of what they use, each once, in an order that compiles."""
    done, out = set(), []

    def take(name):
        if name in done:
            return
        done.add(name)
        for word in _WORD.findall(HELPERS[name]):
            other = word if word in HELPERS else _BASE.get(word)
            if other and other != name:
                take(other)
        out.append(HELPERS[name])
    for name in sorted(names):
        take(name)
    return "".join(out)
