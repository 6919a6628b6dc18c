/* What the sources of ElementwiseKernel, ReductionKernel and their like are compiled against: arrays and indices as
 * kernels see them, the small floating types. Carried by the library, for NVRTC, nvcc and the CPU's compiler.
 *
 * CArray and CIndexer have the interface of cupy/carray.cuh, which is this file under another name: an index counts
 * elements in C order, whatever the strides. */
#ifndef CUPRITE_ARRAY_CUH
#define CUPRITE_ARRAY_CUH

#include <cuprite_loop.cuh>

template <typename T> struct cuprite_pointer { static const bool is = false; };
template <typename T> struct cuprite_pointer<T *> { static const bool is = true; };
template <bool> struct cuprite_way {};

/* An array of any strides. The index is an integer in C order, an array of `ndim` integers, or a pointer to them. */
template <typename T, int _ndim, bool _c_contiguous = false, bool _use_32bit_indexing = false> class CArray {
public:
    typedef T value_type;
    static const int ndim = _ndim;
    static const bool c_contiguous = _c_contiguous;

private:
    typedef typename cuprite_count<_use_32bit_indexing>::type count;
    T *data_;
    ptrdiff_t size_, shape_[_ndim + !_ndim], strides_[_ndim + !_ndim]; /* strides are bytes */

    CUPRITE_INLINE T &at(ptrdiff_t i, cuprite_way<false>) const
    {
        if (_c_contiguous) return data_[i];
        count rest = (count)i;
        ptrdiff_t offset = 0;
#pragma unroll
        for (int d = _ndim - 1; d > 0; --d) {
            count extent = (count)shape_[d], next = rest / extent;
            offset += (ptrdiff_t)(rest - next * extent) * strides_[d];
            rest = next;
        }
        if (_ndim > 0) offset += (ptrdiff_t)rest * strides_[0];
        return *(T *)((char *)data_ + offset);
    }
    template <typename I> CUPRITE_INLINE T &at(const I *index, cuprite_way<true>) const
    {
        ptrdiff_t offset = 0;
#pragma unroll
        for (int d = 0; d < _ndim; ++d) offset += (ptrdiff_t)index[d] * strides_[d];
        return *(T *)((char *)data_ + offset);
    }

public:
    /* `numbers` are size, shape and strides. */
    CUPRITE_INLINE CArray(T *data, const long long *numbers) : data_(data), size_((ptrdiff_t)numbers[0])
    {
#pragma unroll
        for (int d = 0; d < _ndim; ++d) {
            shape_[d] = (ptrdiff_t)numbers[1 + d];
            strides_[d] = (ptrdiff_t)numbers[1 + _ndim + d];
        }
    }
    CUPRITE_INLINE ptrdiff_t size() const { return size_; }
    CUPRITE_INLINE const ptrdiff_t *shape() const { return shape_; }
    CUPRITE_INLINE const ptrdiff_t *strides() const { return strides_; }
    CUPRITE_INLINE T *data() const { return data_; }
    template <typename I> CUPRITE_INLINE T &operator[](I index) const
    {
        return at(index, cuprite_way<cuprite_pointer<I>::is>());
    }
};

/* The index of a loop: `set` takes it in C order, `get` has it by axes. */
template <int _ndim, bool _c_contiguous = false, bool _use_32bit_indexing = false> class CIndexer {
public:
    static const int ndim = _ndim;

private:
    typedef typename cuprite_count<_use_32bit_indexing>::type count;
    ptrdiff_t size_, shape_[_ndim + !_ndim], index_[_ndim + !_ndim];

public:
    CUPRITE_INLINE CIndexer(ptrdiff_t size, const long long *shape) : size_(size)
    {
#pragma unroll
        for (int d = 0; d < _ndim; ++d) shape_[d] = (ptrdiff_t)shape[d], index_[d] = 0;
    }
    CUPRITE_INLINE ptrdiff_t size() const { return size_; }
    CUPRITE_INLINE const ptrdiff_t *shape() const { return shape_; }
    CUPRITE_INLINE const ptrdiff_t *get() const { return index_; }
    CUPRITE_INLINE void set(ptrdiff_t i)
    {
        count rest = (count)i;
#pragma unroll
        for (int d = _ndim - 1; d > 0; --d) {
            count extent = (count)shape_[d], next = rest / extent;
            index_[d] = (ptrdiff_t)(rest - next * extent);
            rest = next;
        }
        if (_ndim > 0) index_[0] = (ptrdiff_t)rest;
    }
};

/* --- small floating types: stored in 16 bits, computed with as float --- */

CUPRITE_INLINE float cuprite_widen_half(unsigned short h)
{
#if defined(__CUDA_ARCH__) && !defined(__CUPRITE_CPU__)
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
    return f;
#else
    unsigned int sign = (unsigned int)(h & 0x8000u) << 16, body = (unsigned int)(h & 0x7fffu) << 13;
    float normal = cuprite_from_bits(body + 0x38000000u);
    float small = cuprite_from_bits(body + 0x38800000u) - cuprite_from_bits(0x38800000u);
    float big = cuprite_from_bits(body | 0x7f800000u);
    float m = body < 0x00800000u ? small : body >= 0x0f800000u ? big : normal;
    return cuprite_from_bits(cuprite_bits(m) | sign);
#endif
}

CUPRITE_INLINE unsigned short cuprite_narrow_half(float f)
{
#if defined(__CUDA_ARCH__) && !defined(__CUPRITE_CPU__)
    unsigned short h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
    return h;
#else
    unsigned int u = cuprite_bits(f), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
    unsigned int normal = (a + 0x0fffu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
    unsigned int small = cuprite_bits(cuprite_from_bits(a < 0x38800000u ? a : 0) + 0.5f) - 0x3f000000u;
    unsigned int h = a < 0x38800000u ? small : a >= 0x477ff000u ? 0x7c00u : normal;
    h = a > 0x7f800000u ? 0x7e00u | ((a >> 13) & 0x3ffu) : h;
    return (unsigned short)(h | sign);
#endif
}

CUPRITE_INLINE float cuprite_widen_brain(unsigned short h) { return cuprite_from_bits((unsigned int)h << 16); }

CUPRITE_INLINE unsigned short cuprite_narrow_brain(float f)
{
    unsigned int u = cuprite_bits(f);
    unsigned int rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    return (unsigned short)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
}

/* A double is cut to a float whose last bit says that something was cut off, so that it is rounded once. */
CUPRITE_INLINE float cuprite_cut(double d)
{
    float f = (float)d;
    double back = (double)f;
    unsigned int u = cuprite_bits(f);
    unsigned int cut = (back < 0 ? -back : back) > (d < 0 ? -d : d) ? u - 1 : u;
    return back == d || d != d ? f : cuprite_from_bits(cut | 1u);
}

/* The bits of the small float beside `from`, toward `to`: x and y are theirs. */
CUPRITE_INLINE unsigned short cuprite_next_bits(float from, float to, unsigned short x, unsigned short y)
{
    if (from == to) return y;
    if (from == 0) return (unsigned short)((y & 0x8000u) | 1);
    return (unsigned short)(x + ((from < to) == (from > 0) ? 1 : -1));
}

#define CUPRITE_SMALL_ASSIGN(NAME, OP) \
    template <typename N> CUPRITE_INLINE NAME &operator OP##=(const N &v) { return *this = NAME(*this OP v); }
#define CUPRITE_SMALL_FLOAT(NAME, WIDEN, NARROW)                                                              \
    class NAME {                                                                                              \
        unsigned short bits_;                                                                                 \
    public:                                                                                                   \
        NAME() = default;                                                                                     \
        CUPRITE_INLINE NAME(float v) : bits_(NARROW(v)) {}                                                    \
        CUPRITE_INLINE NAME(double v) : bits_(NARROW(cuprite_cut(v))) {}                                      \
        template <typename N> CUPRITE_INLINE NAME(const N &v) : bits_(NARROW(cuprite_cut((double)v))) {}      \
        CUPRITE_INLINE operator float() const { return WIDEN(bits_); }                                        \
        CUPRITE_INLINE NAME operator-() const { return NAME(-(float)*this); }                                 \
        CUPRITE_SMALL_ASSIGN(NAME, +) CUPRITE_SMALL_ASSIGN(NAME, -)                                           \
        CUPRITE_SMALL_ASSIGN(NAME, *) CUPRITE_SMALL_ASSIGN(NAME, /)                                           \
        friend CUPRITE_INLINE NAME nextafter(NAME x, NAME y)                                                  \
        {                                                                                                     \
            float from = x, to = y;                                                                           \
            if (from != from || to != to) return NAME(from + to);                                             \
            x.bits_ = cuprite_next_bits(from, to, x.bits_, y.bits_);                                          \
            return x;                                                                                         \
        }                                                                                                     \
    };
#define CUPRITE_SMALL_FUNCTIONS(NAME)                                                                         \
    CUPRITE_INLINE NAME min(NAME a, NAME b) { return (float)b < (float)a ? b : a; }                           \
    CUPRITE_INLINE NAME max(NAME a, NAME b) { return (float)a < (float)b ? b : a; }                           \
    CUPRITE_INLINE bool isnan(NAME x) { return isnan((float)x); }                                             \
    CUPRITE_INLINE bool isinf(NAME x) { return isinf((float)x); }                                             \
    CUPRITE_INLINE bool isfinite(NAME x) { return isfinite((float)x); }                                       \
    CUPRITE_INLINE bool signbit(NAME x) { return signbit((float)x); }                                         \
    CUPRITE_INLINE NAME copysign(NAME x, NAME y) { return NAME(copysignf((float)x, (float)y)); }

CUPRITE_SMALL_FLOAT(float16, cuprite_widen_half, cuprite_narrow_half)
CUPRITE_SMALL_FLOAT(bfloat16, cuprite_widen_brain, cuprite_narrow_brain)
CUPRITE_SMALL_FUNCTIONS(float16)
CUPRITE_SMALL_FUNCTIONS(bfloat16)
#undef CUPRITE_SMALL_ASSIGN
#undef CUPRITE_SMALL_FLOAT
#undef CUPRITE_SMALL_FUNCTIONS

#define CUPY_FOR(i, n)                                                                   \
    for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < (n);        \
         i += (ptrdiff_t)blockDim.x * gridDim.x)

#endif
