"""thrust's algorithms, iterators and function objects, and cuda::std, in user kernels against NumPy and Python."""
import numpy as np
import pytest

import cuprite as cp

@pytest.fixture(autouse=True)
def takes_thrust(device):
    if device.startswith("cuda"):
        pytest.skip("NVRTC refuses CCCL's thrust, which needs the C++ library's headers")


RNG = np.random.default_rng(11)


def run(text, *arguments, headers="", threads=1, blocks=1, names=("k",)):
    head = "".join(f"#include <{h}>\n" for h in headers.split())
    m = cp.RawModule(code=head + text, options=("--std=c++17",))
    for name in names:
        m.get_function(name)((blocks,), (threads,), arguments)


def rows(t="i4", shape=(16, 50), low=-40, high=40):
    return RNG.integers(low, high, shape).astype(t)


def each(body, x, *more, out=None, headers="thrust/sort.h", head=""):
    """Each of 16 threads has a row of x (`a` to `z`), of n numbers, and a row of y (`y`)."""
    y = cp.full(x.shape if out is None else out, 111, x.dtype if out is None else "i4")
    c = {"i4": "int", "f4": "float", "f8": "double", "u1": "unsigned char"}[x.dtype.str[1:]]
    r = "int" if out is not None else c
    extra = "".join(f", const int *x{i}" for i in range(len(more)))
    own = " ".join(f"const int *p{i} = x{i} + threadIdx.x * n;" for i in range(len(more)))
    run(head + f"""extern "C" __global__ void k({c} *x, {r} *y, int n, int m{extra})
        {{
            {c} *a = x + threadIdx.x * n, *z = a + n;
            y += threadIdx.x * m;
            {own}
            {body}
        }}""", cp.asarray(x), y, np.int32(x.shape[1]), np.int32(y.shape[1]), *map(cp.asarray, more), headers=headers,
        threads=16)
    return y.get()


@pytest.mark.parametrize("t", ["i4", "f4", "f8", "u1"])
@pytest.mark.parametrize("n", [1, 17, 300])
def test_sort(t, n):
    x = rows(t, (16, n), low=0)
    c = {"i4": "int", "f4": "float", "f8": "double", "u1": "unsigned char"}[t]
    r = each("thrust::sort(thrust::seq, a, z); for (int i = 0; i < n; i++) y[i] = a[i];", x)
    np.testing.assert_array_equal(r, np.sort(x, 1))
    r = each(f"""thrust::stable_sort(thrust::seq, a, z, thrust::greater<{c}>());
                 for (int i = 0; i < n; i++) y[i] = a[i];""", x)
    np.testing.assert_array_equal(r, np.sort(x, 1)[:, ::-1])


def test_sort_by_key_is_stable_where_it_says_so():
    x = rows(low=0, high=6)
    r = each("for (int i = 0; i < n; i++) y[i] = i; thrust::stable_sort_by_key(thrust::seq, a, z, y);", x)
    np.testing.assert_array_equal(r, np.argsort(x, 1, kind="stable"))
    x = np.stack([RNG.permutation(50) for _ in range(16)]).astype("i4")
    r = each("""for (int i = 0; i < n; i++) y[i] = i;
                thrust::sort_by_key(thrust::seq, a, z, y, thrust::greater<int>());""", x)
    np.testing.assert_array_equal(r, np.argsort(-x, 1))


FOLDS = {
    "thrust::reduce(thrust::seq, a, z)": lambda v: v.sum(),
    "thrust::reduce(thrust::seq, a, z, 100)": lambda v: v.sum() + 100,
    "thrust::reduce(thrust::seq, a, z, -1000, thrust::maximum<int>())": lambda v: v.max(),
    "thrust::transform_reduce(thrust::seq, a, z, Square(), 0, thrust::plus<int>())": lambda v: (v * v).sum(),
    "thrust::inner_product(thrust::seq, a, z, a, 3)": lambda v: (v * v).sum() + 3,
    "thrust::count(thrust::seq, a, z, 7)": lambda v: (v == 7).sum(),
    "thrust::count_if(thrust::seq, a, z, Even())": lambda v: (v % 2 == 0).sum(),
    "thrust::find(thrust::seq, a, z, 7) - a": lambda v: np.r_[np.flatnonzero(v == 7), 50][0],
    "thrust::find_if(thrust::seq, a, z, Even()) - a": lambda v: np.flatnonzero(v % 2 == 0)[0],
    "thrust::find_if_not(thrust::seq, a, z, Even()) - a": lambda v: np.flatnonzero(v % 2)[0],
    "thrust::max_element(thrust::seq, a, z) - a": lambda v: v.argmax(),
    "thrust::min_element(thrust::seq, a, z) - a": lambda v: v.argmin(),
    "thrust::all_of(thrust::seq, a, z, Even())": lambda v: np.all(v % 2 == 0),
    "thrust::any_of(thrust::seq, a, z, Even())": lambda v: np.any(v % 2 == 0),
    "thrust::none_of(thrust::seq, a, z, Even())": lambda v: not np.any(v % 2 == 0),
    "thrust::is_sorted(thrust::seq, a, z)": lambda v: np.all(v[1:] >= v[:-1]),
    "thrust::equal(thrust::seq, a, z - 1, a + 1)": lambda v: np.all(v[1:] == v[:-1]),
    "thrust::mismatch(thrust::seq, a, z, a).first - a": lambda v: 50,
    "thrust::remove(thrust::seq, a, z, 7) - a": lambda v: (v != 7).sum(),
    "thrust::remove_if(thrust::seq, a, z, Even()) - a": lambda v: (v % 2 != 0).sum(),
    "thrust::partition(thrust::seq, a, z, Even()) - a": lambda v: (v % 2 == 0).sum(),
    "*thrust::minmax_element(thrust::seq, a, z).second - *thrust::minmax_element(thrust::seq, a, z).first": np.ptp,
}
FUNCTORS = """struct Even { __device__ bool operator()(int v) const { return v % 2 == 0; } };
struct Square { __device__ int operator()(int v) const { return v * v; } };
"""
ALGORITHMS = "reduce transform_reduce inner_product count find extrema logical sort equal mismatch remove partition"


@pytest.mark.parametrize("expression", FOLDS)
def test_answers_about_a_range(expression):
    x = rows()
    headers = " ".join(f"thrust/{h}.h" for h in ALGORITHMS.split()) + " thrust/functional.h thrust/execution_policy.h"
    r = each(f"*y = (int)({expression});", x, out=(16, 1), headers=headers, head=FUNCTORS)
    assert r[:, 0].tolist() == [int(FOLDS[expression](v)) for v in x]


SCANS = {
    "inclusive_scan(thrust::seq, a, z, y)": lambda v: np.cumsum(v),
    "inclusive_scan(thrust::seq, a, z, y, thrust::maximum<int>())": np.maximum.accumulate,
    "exclusive_scan(thrust::seq, a, z, y)": lambda v: np.cumsum(v) - v,
    "exclusive_scan(thrust::seq, a, z, y, 10)": lambda v: np.cumsum(v) - v + 10,
    "transform_inclusive_scan(thrust::seq, a, z, y, Square(), thrust::plus<int>())": lambda v: np.cumsum(v * v),
    "adjacent_difference(thrust::seq, a, z, y)": lambda v: np.r_[v[0], np.diff(v)],
    "transform(thrust::seq, a, z, y, Square())": lambda v: v * v,
    "transform(thrust::seq, a, z, a, y, thrust::multiplies<int>())": lambda v: v * v,
    "reverse_copy(thrust::seq, a, z, y)": lambda v: v[::-1],
    "copy(thrust::seq, a, z, y)": lambda v: v,
    "replace_copy(thrust::seq, a, z, y, 7, 99)": lambda v: np.where(v == 7, 99, v),
    "sequence(thrust::seq, y, y + n, 3, 2)": lambda v: 3 + 2 * np.arange(50),
    "fill(thrust::seq, y, y + n, 5)": lambda v: np.full(50, 5),
    "tabulate(thrust::seq, y, y + n, Square())": lambda v: np.arange(50)**2,
}


@pytest.mark.parametrize("call", SCANS)
def test_ranges_to_ranges(call):
    x = rows()
    names = ("scan transform_scan adjacent_difference transform reverse copy replace sequence fill tabulate functional "
             "execution_policy")
    headers = " ".join(f"thrust/{h}.h" for h in names.split())
    r = each(f"thrust::{call};", x, headers=headers, head=FUNCTORS)
    np.testing.assert_array_equal(r, [SCANS[call](v) for v in x])


def test_selection_and_runs():
    x = np.sort(rows(high=-20), 1)
    r = each("""int *e = thrust::copy_if(thrust::seq, a, z, y, Even());
                for (; e < y + n; e++) *e = 1000;""", x, headers="thrust/copy.h thrust/execution_policy.h",
             head=FUNCTORS)
    np.testing.assert_array_equal(r, [np.r_[v[v % 2 == 0], np.full((v % 2 != 0).sum(), 1000)] for v in x])
    r = each("""int *e = thrust::unique_copy(thrust::seq, a, z, y);
                for (; e < y + n; e++) *e = 1000;""", x, headers="thrust/unique.h thrust/execution_policy.h")
    np.testing.assert_array_equal(r, [np.r_[np.unique(v), np.full(50 - np.unique(v).size, 1000)] for v in x])
    r = each("""int key[50], sum[50];
                auto e = thrust::reduce_by_key(thrust::seq, a, z, thrust::make_constant_iterator(1), key, sum);
                for (int i = 0; i < n; i++) y[i] = i < e.first - key ? key[i] * 100 + sum[i] : 0;""", x,
             headers="thrust/reduce.h thrust/iterator/constant_iterator.h thrust/execution_policy.h")
    for v, got in zip(x, r):
        key, n = np.unique(v, return_counts=True)
        np.testing.assert_array_equal(got, np.r_[key * 100 + n, np.zeros(50 - key.size, int)])


def test_searches_in_sorted_ranges():
    x, q = np.sort(rows(), 1), rows()
    headers = "thrust/binary_search.h thrust/execution_policy.h"
    r = each("for (int i = 0; i < n; i++) y[i] = thrust::lower_bound(thrust::seq, a, z, p0[i]) - a;", x, q,
             headers=headers)
    np.testing.assert_array_equal(r, [np.searchsorted(v, w) for v, w in zip(x, q)])
    r = each("thrust::upper_bound(thrust::seq, a, z, p0, p0 + n, y);", x, q, headers=headers)
    np.testing.assert_array_equal(r, [np.searchsorted(v, w, "right") for v, w in zip(x, q)])
    r = each("""for (int i = 0; i < n; i++) {
                    auto e = thrust::equal_range(thrust::seq, a, z, p0[i]);
                    y[i] = e.second - e.first + 100 * thrust::binary_search(thrust::seq, a, z, p0[i]);
                }""", x, q, headers=headers)
    np.testing.assert_array_equal(r, [[(v == k).sum() + 100 * (k in v) for k in w] for v, w in zip(x, q)])


def test_merges_and_sets():
    x = np.stack([np.r_[np.sort(RNG.choice(60, 25, False)), np.sort(RNG.choice(60, 25, False))] for _ in range(16)])
    headers = "thrust/merge.h thrust/set_operations.h thrust/fill.h thrust/execution_policy.h"
    for name, f in {"merge": lambda a, b: np.sort(np.r_[a, b]), "set_union": np.union1d,
                    "set_intersection": np.intersect1d, "set_difference": np.setdiff1d,
                    "set_symmetric_difference": np.setxor1d}.items():
        r = each(f"""thrust::fill(thrust::seq, y, y + n, -9);
                     thrust::{name}(thrust::seq, a, a + 25, a + 25, z, y);""", x.astype("i4"), headers=headers)
        for v, got in zip(x, r):
            wanted = f(v[:25], v[25:])
            np.testing.assert_array_equal(got, np.r_[wanted, np.full(50 - wanted.size, -9)], name)


def test_iterators():
    x, p = rows(), np.stack([RNG.permutation(50) for _ in range(16)]).astype("i4")
    kinds = "counting transform zip permutation reverse discard"
    headers = " ".join(f"thrust/iterator/{k}_iterator.h" for k in kinds.split())
    headers += " thrust/copy.h thrust/reduce.h thrust/transform.h thrust/tuple.h thrust/execution_policy.h"
    head = FUNCTORS + """struct Weighted { template <class T> __device__ int operator()(const T &t) const
        { return thrust::get<0>(t) * 10 + thrust::get<1>(t); } };
        """
    wanted = [(x * x, "auto f = thrust::make_transform_iterator(a, Square()); thrust::copy(thrust::seq, f, f + n, y);"),
              (np.take_along_axis(x, p, 1), "auto f = thrust::make_permutation_iterator(a, p0);"
               "thrust::copy(thrust::seq, f, f + n, y);"),
              (x[:, ::-1], "auto f = thrust::make_reverse_iterator(z); thrust::copy(thrust::seq, f, f + n, y);"),
              (np.arange(50) * 10 + x, "auto f = thrust::make_zip_iterator(thrust::make_tuple("
               "thrust::counting_iterator<int>(0), a)); thrust::transform(thrust::seq, f, f + n, y, Weighted());"),
              (np.broadcast_to(np.arange(50)**2, x.shape), "auto f = thrust::make_transform_iterator("
               "thrust::make_counting_iterator(0), Square()); for (int i = 0; i < n; i++) y[i] = f[i];")]
    for right, body in wanted:
        np.testing.assert_array_equal(each(body, x, p, headers=headers, head=head), right)


def test_sort_of_zipped_ranges():
    x = np.stack([RNG.permutation(50) for _ in range(16)]).astype("i4")
    r = each("""for (int i = 0; i < n; i++) y[i] = i;
                auto f = thrust::make_zip_iterator(thrust::make_tuple(a, y));
                thrust::sort(thrust::seq, f, f + n);""", x,
             headers="thrust/sort.h thrust/iterator/zip_iterator.h thrust/tuple.h thrust/execution_policy.h")
    np.testing.assert_array_equal(r, np.argsort(x, 1))


def test_pairs_tuples_and_functions():
    y = cp.zeros(12, "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            thrust::pair<int, float> p = thrust::make_pair(3, 2.5f), q(3, 1.5f);
            thrust::tuple<int, char, double> t = thrust::make_tuple(1, 'c', 4.5);
            int a = 5, b = 9;
            thrust::swap(a, b);
            y[0] = p.first + (int)(2 * p.second), y[1] = q < p, y[2] = thrust::get<0>(t) + (int)thrust::get<2>(t);
            y[3] = a * 10 + b, y[4] = thrust::plus<int>()(2, 3), y[5] = thrust::negate<int>()(4);
            y[6] = thrust::logical_and<bool>()(true, false), y[7] = thrust::bit_xor<int>()(6, 3);
            y[8] = thrust::maximum<int>()(2, 7), y[9] = thrust::min(4, 2), y[10] = thrust::modulus<int>()(17, 5);
            int u; char v; double w;
            thrust::tie(u, v, w) = t;
            y[11] = u + v + (int)w;
        }""", y, headers="thrust/pair.h thrust/tuple.h thrust/functional.h thrust/swap.h thrust/extrema.h")
    assert y.get().tolist() == [8, 1, 5, 95, 5, -4, 0, 5, 7, 2, 2, 104]


def test_complex_numbers_of_thrust():
    z = (RNG.normal(size=64) + 1j * RNG.normal(size=64)).astype("D")
    y, r = cp.zeros((4, 64), "D"), cp.zeros((2, 64), "f8")
    run("""extern "C" __global__ void k(const thrust::complex<double> *z, thrust::complex<double> *y, double *r)
        {
            int i = threadIdx.x;
            thrust::complex<double> v = z[i], w(1.5, -2);
            y[i] = v * w + 1.0, y[64 + i] = thrust::exp(v), y[128 + i] = v / w, y[192 + i] = thrust::conj(v) - w;
            r[i] = thrust::abs(v), r[64 + i] = v.real() + thrust::arg(v);
        }""", cp.asarray(z), y, r, headers="thrust/complex.h", threads=64)
    w = 1.5 - 2j
    np.testing.assert_allclose(y.get(), [z * w + 1, np.exp(z), z / w, z.conj() - w], rtol=1e-14)
    np.testing.assert_allclose(r.get(), [abs(z), z.real + np.angle(z)], rtol=1e-14)


# --- cuda::std ---

def test_traits_limits_and_bits():
    y = cp.zeros(16, "i8")
    run("""template <class T> __device__ cuda::std::enable_if_t<cuda::std::is_integral<T>::value, int> kind(T)
        {
            return 1;
        }
        template <class T> __device__ cuda::std::enable_if_t<cuda::std::is_floating_point_v<T>, int> kind(T)
        {
            return 2;
        }
        extern "C" __global__ void k(long long *y)
        {
            cuda::std::uint32_t v = 0x00f0;
            y[0] = kind(3), y[1] = kind(3.5f), y[2] = cuda::std::numeric_limits<int>::max();
            y[3] = cuda::std::numeric_limits<float>::digits, y[4] = cuda::std::is_same_v<int, cuda::std::int32_t>;
            y[5] = cuda::std::popcount(v), y[6] = cuda::std::countl_zero(v), y[7] = cuda::std::countr_zero(v);
            y[8] = cuda::std::bit_width(v), y[9] = cuda::std::rotl(v, 28), y[10] = cuda::std::has_single_bit(64u);
            y[11] = cuda::std::bit_ceil(33u), y[12] = cuda::std::bit_cast<int>(1.0f), y[13] = cuda::std::bit_floor(33u);
            y[14] = sizeof(cuda::std::conditional_t<true, double, char>);
            y[15] = cuda::std::numeric_limits<double>::infinity() > 1e308;
        }""", y, headers="cuda/std/type_traits cuda/std/limits cuda/std/cstdint cuda/std/bit")
    assert y.get().tolist() == [1, 2, 2**31 - 1, 24, 1, 4, 24, 4, 8, 0xF, 1, 64, 0x3F800000, 32, 8, 1]


def test_arrays_tuples_optionals_and_spans():
    x, y = cp.arange(64, dtype="i4"), cp.zeros((6, 64), "i4")
    run("""__device__ cuda::std::optional<int> half(int v)
        {
            if (v % 2) return cuda::std::nullopt;
            return v / 2;
        }
        __device__ int total(cuda::std::span<const int> s)
        {
            int sum = 0;
            for (int v : s) sum += v;
            return sum;
        }
        extern "C" __global__ void k(const int *x, int *y)
        {
            int i = threadIdx.x;
            cuda::std::array<int, 4> a = {i, 2 * i, 3, 4};
            cuda::std::tuple<int, double> t(i, 0.5);
            auto [first, second] = cuda::std::make_pair(i, 2 * i);
            y[i] = a[1] + (int)a.size(), y[64 + i] = half(i).value_or(-1), y[128 + i] = half(i).has_value();
            y[192 + i] = (int)(cuda::std::get<0>(t) * 2 * cuda::std::get<1>(t)) + first + second;
            y[256 + i] = total(cuda::std::span<const int>(x, i + 1));
            y[320 + i] = cuda::std::max(i, 40) + cuda::std::min(i, 9);
        }""", x, y, headers="cuda/std/array cuda/std/tuple cuda/std/optional cuda/std/span cuda/std/utility "
        "cuda/std/algorithm", threads=64)
    i = np.arange(64)
    np.testing.assert_array_equal(y.get(), [2 * i + 4, np.where(i % 2, -1, i // 2), i % 2 == 0, 4 * i, np.cumsum(i),
                                            np.maximum(i, 40) + np.minimum(i, 9)])


def test_functional_numeric_and_algorithm():
    y = cp.zeros(8, "i4")
    run("""extern "C" __global__ void k(int *y)
        {
            int v[6] = {5, 3, 9, 1, 7, 3};
            y[0] = cuda::std::accumulate(v, v + 6, 0), y[1] = cuda::std::gcd(84, 36), y[2] = cuda::std::lcm(4, 6);
            y[3] = cuda::std::plus<>()(2, 3) + cuda::std::invoke(cuda::std::negate<int>(), 10);
            y[4] = cuda::maximum<>()(3, 8), y[5] = cuda::std::clamp(12, 0, 10), y[6] = cuda::ceil_div(17, 5);
            cuda::std::swap(v[0], v[2]);
            y[7] = v[0] * 10 + v[2];
        }""", y, headers="cuda/std/numeric cuda/std/functional cuda/functional cuda/std/algorithm cuda/cmath "
        "cuda/std/utility")
    assert y.get().tolist() == [28, 12, 12, -5, 8, 10, 4, 95]


def test_mathematics():
    x = np.linspace(0.1, 3, 64)
    z, y = cp.asarray(x + 1j * x[::-1]), cp.zeros((4, 64), "f8")
    run("""extern "C" __global__ void k(const double *x, const cuda::std::complex<double> *z, double *y)
        {
            int i = threadIdx.x;
            y[i] = cuda::std::sqrt(x[i]) + cuda::std::pow(x[i], 2.5), y[64 + i] = cuda::std::abs(z[i]);
            y[128 + i] = cuda::std::exp(z[i]).imag(), y[192 + i] = (z[i] * cuda::std::conj(z[i])).real();
        }""", cp.asarray(x), z, y, headers="cuda/std/cmath cuda/std/complex", threads=64)
    z = z.get()
    np.testing.assert_allclose(y.get(), [np.sqrt(x) + x**2.5, abs(z), np.exp(z).imag, abs(z)**2], rtol=1e-14)


def test_names_of_macros_do_not_meet_those_of_headers(device):
    if device != "cpu":
        pytest.skip("CCCL's own headers use such names")
    y = cp.zeros(2, "i4")
    code = """#define N 3
        #define X 4
        #define T 5
        #define from 6
        #define row 7
        #define all 8
        #include <cub/cub.cuh>
        #include <thrust/sort.h>
        #include <cuda/std/tuple>
        #include <cuda/pipeline>
        extern "C" __global__ void k(int *y) { y[0] = N + X + T + from; y[1] = row * all; }"""
    cp.RawKernel(code, "k", options=("--std=c++17", "-Dn=9"))((1,), (1,), (y,))
    assert y.get().tolist() == [18, 56]


def test_random_engines_and_distributions():
    """thrust's sequence: x * 48271 mod 2^31 - 1, from seeds and places of one's own."""
    x, y, z = cp.zeros((3, 64), "u4"), cp.zeros((2, 64), "f8"), cp.zeros((2, 64), "i4")
    run("""extern "C" __global__ void k(unsigned *x, double *y, int *z)
        {
            int i = threadIdx.x;
            thrust::default_random_engine engine(i + 5);
            thrust::minstd_rand0 other;
            other.discard(1000000007ull * i);
            x[i] = engine(), x[64 + i] = engine(), x[128 + i] = other();
            thrust::uniform_real_distribution<double> real(-1, 3);
            thrust::random::normal_distribution<double> normal(2, 5);
            thrust::uniform_int_distribution<int> whole(1, 6);
            y[i] = real(engine), y[64 + i] = normal(engine), z[i] = whole(engine), z[64 + i] = whole(engine);
        }""", x, y, z, headers="thrust/random.h", threads=64)
    m, special = 2**31 - 1, pytest.importorskip("scipy.special")
    for i in range(64):
        s = [(i + 5) * pow(48271, n, m) % m for n in range(1, 7)]
        assert x.get()[:, i].tolist() == [s[0], s[1], pow(16807, 1000000007 * i + 1, m)]
        p = (s[3] - 1 + 0.5) / (m - 2)
        unit = [(v - 1) / (m - 1) for v in s]
        np.testing.assert_allclose(y.get()[:, i], [unit[2] * 4 - 1, 2 + 5 * special.ndtri(p)], rtol=1e-7)
        assert z.get()[:, i].tolist() == [int(unit[4] * 6 + 1), int(unit[5] * 6 + 1)]


def test_checked_access():
    y = cp.zeros(4, "i4")
    run("""extern "C" __global__ void k(int *y, int i)
        {
            cuda::std::array<int, 3> a = {4, 5, 6};
            cuda::std::optional<int> o;
            if (i == 1) o = 9;
            cuda::std::variant<int, float> v = 2.5f;
            y[0] = a[i] + a.front(), y[1] = o.value(), y[2] = (int)cuda::std::get<float>(v), y[3] = v.index();
        }""", y, np.int32(1), headers="cuda/std/array cuda/std/optional cuda/std/variant")
    assert y.get().tolist() == [9, 9, 2, 1]


def test_what_would_be_thrown_ends_the_launch(device):
    if device != "cpu":
        pytest.skip("a GPU's context is lost")
    y = cp.zeros(1, "i4")
    text = """#include <cuda/std/array>
        #include <cuda/std/optional>
        extern "C" __global__ void k(int *y, int i)
        {
            cuda::std::array<int, 3> a = {4, 5, 6};
            cuda::std::optional<int> o;
            *y = i < 9 ? a.at(i) : o.value();
        }"""
    f = cp.RawKernel(text, "k", options=("--std=c++17",))
    for i in (3, 9):
        with pytest.raises(Exception, match="illegal instruction|trap"):
            f((1,), (1,), (y, np.int32(i)))
            y.get()
    f((1,), (1,), (y, np.int32(1)))
    assert y.get()[0] == 5


def test_placeholders():
    x, q = rows(), rows()
    headers = "thrust/transform.h thrust/functional.h thrust/count.h thrust/execution_policy.h"
    r = each("""using namespace thrust::placeholders;
                thrust::transform(thrust::seq, a, z, p0, y, 3 * _1 - (_2 << 1));
                y[0] = thrust::count_if(thrust::seq, a, z, _1 > 5 && !(_1 == 7));""", x, q, headers=headers)
    wanted = 3 * x - 2 * q
    wanted[:, 0] = ((x > 5) & (x != 7)).sum(1)
    np.testing.assert_array_equal(r, wanted)
