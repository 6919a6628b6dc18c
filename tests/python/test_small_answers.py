"""Answers of single functions that were others than NumPy's, SciPy's or CuPy's, each beside its siblings."""
import warnings

import numpy as np
import pytest

import cuprite as cp

NAN = np.nan


def told(f, *args):
    """What a call gives: a value with its type, or the class of its exception, which some devices report later."""
    try:
        r = f(*args)
        cp.cuda.Device().synchronize()
        return r.get() if isinstance(r, cp.ndarray) else r
    except Exception as e:
        return type(e)


def same(got, want):
    if isinstance(want, type):
        assert got is want
        return
    np.testing.assert_array_equal(np.asarray(got), np.asarray(want), strict=True)


@pytest.mark.parametrize("n", [1, 300])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("edges", [[1, 3, 5, 8, NAN], [NAN, 8, 5, 3, 1], [NAN, NAN, NAN], [1, 3, NAN, NAN], [5, 5, NAN],
                                   [NAN, 1, 2], [1, NAN], [1, 2, NAN, 0.5], [2, 2, 2], [3, 2, 2, NAN], [1, 3, 2]])
def test_digitize_with_nan_among_the_edges(edges, right, n, device):
    """The first two edges that are unequal say which way they go. Many edges go another way than few."""
    if n > 1:
        edges = [edges[0]] * n + edges[1:]
    x = np.array([0.5, 2, 4, 9, 1, 3, 5, 8])
    got = told(lambda: cp.digitize(cp.asarray(x), cp.asarray(edges, dtype="f8"), right))
    want = told(lambda: np.digitize(x, np.array(edges, "f8"), right))
    a = np.array(edges, "f8")
    falls = not (a[1:] > a[:-1]).any() and not (a == a[0]).all()
    if not isinstance(want, type) and (np.isnan(a[1:-1]).any() or falls and np.isnan(a[-1])) and not np.isnan(a).all():
        assert got.shape == want.shape  # a binary search in unsorted edges finds what it finds
        return
    same(got, want)


@pytest.mark.parametrize("edges", [[1, 3, 5, 8, NAN], [1, NAN, NAN], [NAN, NAN], [3, 1, NAN]])
def test_histogram_with_nan_behind_the_edges(edges, device):
    x = np.array([0.5, 2, 4, 9, 1, 3])
    same(told(lambda: cp.histogram(cp.asarray(x), cp.asarray(edges))[0]),
         told(lambda: np.histogram(x, np.array(edges))[0]))


@pytest.mark.parametrize("text, shape", [("ii", (1, 3)), ("ii", (3, 1)), ("ii->i", (1, 3)), ("iij", (3, 3, 1)),
                                         ("...ii", (2, 3, 1)), ("ii", (3, 3)), ("iji", (1, 2, 3)), ("ij", (1, 3))])
def test_diagonals_broadcast_nothing(text, shape):
    x = np.arange(np.prod(shape), dtype=float).reshape(shape)
    same(told(lambda: cp.einsum(text, cp.asarray(x))), told(lambda: np.einsum(text, x)))


def test_einsum_of_two_operands_broadcasts_between_them():
    a, b = np.ones((1, 3)), np.ones((3, 1))
    same(told(lambda: cp.einsum("ij,ij->ij", cp.asarray(a), cp.asarray(b))), np.einsum("ij,ij->ij", a, b))
    assert told(lambda: cp.einsum("ij,jj", cp.asarray(a), cp.asarray(b))) is ValueError


@pytest.mark.parametrize("view", [lambda xp, a: xp.einsum("ii->i", a), lambda xp, a: xp.einsum("ij->ji", a),
                                  lambda xp, a: xp.einsum("ij", a), lambda xp, a: xp.einsum("...", a)])
def test_views_of_einsum(view):
    for xp in (np, cp):
        a = xp.arange(9.0).reshape(3, 3).copy()
        b = view(xp, a)
        b[...] = 7
        assert bool((a == 7).any()) and b.base is a and not b.flags.owndata


def test_views_of_array():
    for xp in (np, cp):
        a = xp.arange(4.0)
        b = xp.array(a, copy=None, ndmin=3)
        b[...] = 7
        assert bool((a == 7).all()) and b.base is a and not b.flags.owndata and b.shape == (1, 1, 4)
    assert cp.array(a, copy=False, ndmin=2).base is a
    made = cp.array([1, 2], ndmin=3)
    assert made.base is None and made.flags.owndata and cp.array(a, ndmin=3).base is None


def test_solve_without_right_sides(device):
    for a in (np.zeros((2, 2)), np.eye(2), np.ones((3, 2, 2)), np.zeros((0, 2, 2))):
        b = np.zeros((*a.shape[:-1], 0))
        got = told(lambda: cp.linalg.solve(cp.asarray(a), cp.asarray(b)))
        same(got, told(lambda: np.linalg.solve(a, b)))


@pytest.mark.parametrize("out", ["?", "i1", "i4", "i8", "u4", "f4", "f8", "c16"])
@pytest.mark.parametrize("own", ["i4", "f8"])
def test_types_that_out_may_have(own, out):
    """An out that does not become the array's type safely is refused, as by NumPy before 2.5, which buffered it so."""
    for k, f in enumerate((lambda xp, a, o: xp.take(a, xp.asarray([1, 2]), out=o[:2]),
                           lambda xp, a, o: a.take(xp.asarray([1, 2]), out=o[:2]),
                           lambda xp, a, o: xp.compress(xp.ones(5, bool), a, out=o),
                           lambda xp, a, o: a.compress(xp.ones(5, bool), out=o),
                           lambda xp, a, o: xp.choose(xp.asarray([0, 1]), [a[:2], a[2:4]], out=o[:2]))):
        got = told(f, cp, cp.arange(5, dtype=own), cp.zeros(5, out))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = told(f, np, np.arange(5, dtype=own), np.zeros(5, out))
        if np.lib.NumpyVersion(np.__version__) >= "2.5.0" and k < 4 and not np.can_cast(out, own):
            want = TypeError
        same(got, want)


@pytest.mark.parametrize("name", ["putmask", "place"])
def test_no_warning_before_a_type_is_refused(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError):
            getattr(cp, name)(cp.zeros(2), cp.array([True, False]), cp.array([1j, 2]))


def test_k_order_of_broadcast_arrays():
    """ravel and flatten by NumPy's order of axes, of which some say nothing."""
    rng = np.random.default_rng(5)
    for _ in range(1500):
        shape = tuple(int(n) for n in rng.integers(1, 4, rng.integers(1, 5)))
        a = np.arange(np.prod(shape)).reshape(shape)
        c = cp.asarray(a)
        for _ in range(rng.integers(0, 4)):
            kind = rng.integers(5)
            if kind == 0:
                p = [int(i) for i in rng.permutation(a.ndim)]
                a, c = a.transpose(p), c.transpose(p)
            elif kind == 1:
                to = (*(int(n) for n in rng.integers(1, 4, rng.integers(0, 2))),
                      *(n if n > 1 else int(rng.integers(1, 4)) for n in a.shape))
                a, c = np.broadcast_to(a, to), cp.broadcast_to(c, to)
            elif kind == 2:
                axis = int(rng.integers(a.ndim))
                a, c = np.flip(a, axis), cp.flip(c, axis)
            elif kind == 3:
                axis = int(rng.integers(a.ndim + 1))
                a, c = np.expand_dims(a, axis), cp.expand_dims(c, axis)
            else:
                a, c = np.asfortranarray(a), cp.asfortranarray(c)
        for order in "KA":
            same(c.ravel(order).get(), a.ravel(order))
            same(c.flatten(order).get(), a.flatten(order))


def test_comparing_with_what_has_only_eq():
    class Two:
        def __eq__(self, other):
            return other == 2

    class Never:
        def __eq__(self, other):
            return False

    class Own(Two):
        def __ne__(self, other):
            return "own"

    x, a = cp.array([1, 2, 3]), np.array([1, 2, 3])
    for stranger in (Two(), Never()):
        same(told(lambda: x == stranger), told(lambda: a == stranger)) if isinstance(stranger, Two) else None
    same(told(lambda: x != Two()), a != Two())
    assert (x != Own()) == "own" and (x != object()).tolist() == [True] * 3
    assert bool(x != Never()) is True if isinstance(x != Never(), bool) else (x != Never()).all()


# --- polynomials ---

def test_poly1d_is_its_coefficients_to_ufuncs():
    p, q = cp.poly1d(cp.arange(1, 4)), np.poly1d(np.arange(1, 4))
    same(told(lambda: cp.add(p, p)), np.add(q, q))
    same(told(lambda: cp.multiply(p, 2)), np.multiply(q, 2))
    same(told(lambda: cp.arange(3) + p), np.arange(3) + q)
    same(told(lambda: cp.arange(3) == p), np.arange(3) == q)
    x, y = cp.arange(3), np.arange(3)
    x += p
    y += q
    same(x.get(), y)
    assert type(p + cp.arange(3)) is cp.poly1d and type(np.poly1d([1]) + np.arange(3)) is np.poly1d
    same(cp.asarray(p).get(), np.asarray(q))


def test_objects_that_give_an_array():
    """CuPy's protocol __cupy_get_ndarray__."""
    class Box:
        def __init__(self, x):
            self.x = x

        def __cupy_get_ndarray__(self):
            return self.x
    x = cp.arange(3.0)
    assert cp.asarray(Box(x)) is x and (x + Box(x)).tolist() == [0, 2, 4]
    assert cp.add(Box(x), 1).tolist() == [1, 2, 3] and cp.asarray(Box(x), "i4").dtype == "i4"
    with pytest.raises(TypeError):
        cp.asarray(Box(3))


def test_poly1d_set():
    p = cp.poly1d(cp.arange(1, 4))
    p.set(np.poly1d([1, 2], variable="z"))
    assert p.variable == "z" and p.coeffs.tolist() == [1, 2]
    with pytest.raises(TypeError):
        p.set([1, 2])


@pytest.mark.parametrize("t", ["f4", "i1", "f8", "c8"])
def test_polyval_of_a_poly1d_keeps_the_type(t):
    a = np.arange(3).astype(t)
    got, want = cp.polyval(cp.poly1d(cp.asarray(a)), cp.poly1d(cp.asarray(a))), np.polyval(np.poly1d(a), np.poly1d(a))
    same(got.coeffs.get(), want.coeffs)


@pytest.mark.parametrize("f", [
    lambda xp: xp.polyval(xp.asarray(3.0), xp.asarray([1.0, 2])), lambda xp: xp.roots(xp.asarray(3.0)),
    lambda xp: xp.polyder(xp.asarray(3.0)), lambda xp: xp.polyint(xp.asarray(3.0)),
    lambda xp: xp.polyadd(xp.asarray(3.0), xp.asarray([1.0, 2])), lambda xp: xp.polymul(xp.asarray(3.0), xp.ones(2)),
    lambda xp: xp.correlate(xp.asarray(1.0), xp.asarray([1.0])), lambda xp: xp.correlate(xp.ones(2), xp.asarray(1.0)),
    lambda xp: xp.convolve(xp.asarray(3.0), xp.ones(2)), lambda xp: (xp.poly1d(xp.arange(3)) ** 3.0).coeffs,
    lambda xp: (xp.poly1d(xp.arange(3)) ** 2).coeffs, lambda xp: (xp.poly1d(xp.arange(3)) ** np.int64(2)).coeffs,
    lambda xp: (xp.poly1d(xp.arange(3)) ** 2.5).coeffs, lambda xp: xp.indices((3,), dtype=bool),
    lambda xp: xp.indices((2, 2), dtype=bool), lambda xp: xp.indices((3, 0), dtype=bool)])
def test_what_numpy_refuses(f):
    same(told(f, cp), told(f, np))


def test_what_random_states_refuse():
    r = cp.random.RandomState(0)
    for bad in (lambda: r.choice([[0, 1], [2, 3]], 1), lambda: r.choice(cp.ones((2, 2)), 1),
                lambda: r.hypergeometric(10, 10, 0), lambda: r.hypergeometric(10, 10, [1, 0])):
        with pytest.raises(ValueError):
            bad()
    assert int(r.choice([4, 4, 4], 1)[0]) == 4 and int(cp.random.default_rng(0).hypergeometric(10, 10, 0)) == 0


def test_fill_takes_one_value():
    for t in (bool, "i4", "f8"):
        x = cp.zeros(3, t)
        x.fill(np.ones((), t))
        assert (x == 1).all()
        with pytest.raises(ValueError):
            x.fill(np.ones(1, t))


@pytest.mark.parametrize("key", [
    np.s_[5:], np.s_[0:], np.s_[2.5:], np.s_[3::2], np.s_[0:3], np.s_[1:2:5j], (np.s_[0:2], np.s_[1:2:3j])], ids=str)
def test_grids(key):
    for name in ("mgrid", "ogrid"):
        got, want = told(lambda: getattr(cp, name)[key]), told(lambda: getattr(np, name)[key])
        for g, w in zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]:
            same(told(lambda: g), w)
    if isinstance(key, slice):
        same(told(lambda: cp.r_[key]), told(lambda: np.r_[key]))


def test_grids_between_arrays():
    z = lambda xp: xp.zeros(10)[:, None]  # noqa: E731
    same(cp.mgrid[z(cp):z(cp) + 1:10j, z(cp):z(cp) + 1:10j].get(), np.mgrid[z(np):z(np) + 1:10j, z(np):z(np) + 1:10j])


# --- transforms, factors ---

def test_plans_set_by_with():
    from cuprite.scipy import fft as sf
    a = cp.arange(10).astype("D")
    own, other = sf.get_fft_plan(a), sf.get_fft_plan(cp.arange(50).astype("D"))
    for f in (cp.fft.fft, cp.fft.ifft, cp.fft.fftn, cp.fft.ifftn, sf.fft, sf.fftn, cp.fft.hfft, cp.fft.irfft):
        with other, pytest.raises(ValueError):
            f(a)
    for f in (cp.fft.rfft, cp.fft.ihfft):
        with own, pytest.raises(ValueError):
            f(a.real)
    with own:
        np.testing.assert_allclose(cp.fft.fft(a).get(), np.fft.fft(a.get()))
        np.testing.assert_allclose(sf.fft(a).get(), np.fft.fft(a.get()))
        sf.get_fft_plan(cp.arange(50).astype("D"))
        with pytest.raises(RuntimeError):
            sf.fft(a, plan=own)
        from cuprite.scipy import fftpack
        with pytest.raises(RuntimeError):
            fftpack.fft(a, plan=own)
        with pytest.raises(ValueError):
            cp.fft.fft(a, 12)
        out = cp.empty(50, "D")
        other.fft(cp.ones(50, "D"), out, -1)
    cp.fft.fft(cp.ones(7))
    two = sf.get_fft_plan(cp.ones((4, 6), "D"))
    with two:
        cp.fft.fft2(cp.ones((4, 6), "D")), cp.fft.fftn(cp.ones((4, 6), "D"), axes=(0, 1))
        with pytest.raises(ValueError):
            cp.fft.fft2(cp.ones((4, 7), "D"))


def test_nd_planning_warns():
    for use in (lambda: cp.fft.config.enable_nd_planning,
                lambda: setattr(cp.fft.config, "enable_nd_planning", cp.fft.config.enable_nd_planning)):
        with pytest.warns(DeprecationWarning):
            use()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cp.fft.config.use_multi_gpus is False


@pytest.mark.parametrize("t", ["f2", "f4", "f8"])
@pytest.mark.parametrize("name", ["fht", "ifht"])
@pytest.mark.parametrize("bias", [0, 0.8, -0.3])
def test_hankel_transforms(name, t, bias):
    sf = pytest.importorskip("scipy.fft")
    from cuprite.scipy import fft as cf
    a = np.arange(1, 9).astype("f4" if t == "f2" else t)
    got, want = getattr(cf, name)(cp.asarray(a), 0.1, 0.5, bias=bias), getattr(sf, name)(a, 0.1, 0.5, bias=bias)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got.get(), want, rtol=1e-5 if want.dtype == "f4" else 1e-12, atol=1e-5)


@pytest.mark.parametrize("lower", [True, False])
def test_cho_solve_looks_at_one_triangle(lower):
    rng = np.random.default_rng(0)
    m = rng.normal(size=(4, 4))
    a, b = m @ m.T + 4 * np.eye(4), rng.normal(size=4)
    c = np.linalg.cholesky(a) if lower else np.linalg.cholesky(a).T
    c[np.triu_indices(4, 1) if lower else np.tril_indices(4, -1)] = NAN
    np.testing.assert_allclose(cp.linalg.cho_solve((cp.asarray(c), lower), cp.asarray(b)).get(), np.linalg.solve(a, b))
    c[0, 0] = NAN
    with pytest.raises(ValueError):
        cp.linalg.cho_solve((cp.asarray(c), lower), cp.asarray(b))


# --- pinned memory, protocols ---

@pytest.mark.parametrize("order", ["C", "F", "A", "K", None])
@pytest.mark.parametrize("shape", [None, (4, 2), (3, 4, 2)])
def test_layouts_of_pinned_arrays(order, shape):
    for a in (np.zeros((2, 3, 4)), np.asfortranarray(np.zeros((2, 3, 4))), np.zeros((4, 2, 3)).transpose(1, 2, 0),
              np.zeros((2, 6, 4))[:, ::2]):
        want = np.empty_like(a, order=order or "K", shape=shape)
        for x in (a, cp.asarray(a) if a.flags.forc else a):
            got = cp.empty_like_pinned(x, order=order, shape=shape)
            assert (got.strides, got.shape, got.dtype) == (want.strides, want.shape, want.dtype)
            assert (cp.zeros_like_pinned(x, "f4", order, shape=shape) == 0).all()


def test_pinned_arrays():
    assert cp.empty_pinned((2, 3), "f4", None).strides == (12, 4)
    assert type(cp.empty_pinned(3).base).__name__ == "PinnedMemoryPointer"
    assert cp.zeros_pinned((2, 0, 3)).shape == (2, 0, 3) and cp.zeros_pinned(()).shape == ()


def test_nothing_to_broadcast():
    for f in (cp.broadcast_arrays, cp.atleast_1d, cp.meshgrid, cp.atleast_3d):
        for options in ({}, {"subok": True} if f is cp.broadcast_arrays else {}):
            assert f(**options) in ((), [])


def test_structured_types_are_no_element_types():
    for f in (lambda: cp.zeros(2, [("a", int)]), lambda: np.empty_like(cp.zeros(2), dtype=[("a", int), ("b", float)])):
        with pytest.raises(TypeError):
            f()
    with pytest.raises(ValueError):
        cp.zeros(2, "M8[s]")


def test_states_of_bit_generators():
    for kind in (cp.random.XORWOW, cp.random.MRG32k3a, cp.random.Philox4x3210, cp.random.Philox):
        g = kind(3)
        state = g.state
        assert g._seed_seq is g.seed_seq
        for bad in ({**state, "has_uint32": 1 << 80}, {**state, "uinteger": -1},
                    {k: v for k, v in state.items() if k != "has_uint32"}, {"bit_generator": kind.__name__}):
            with pytest.raises(ValueError):
                g.state = bad
        g.state = state


@pytest.mark.parametrize("d", [{}, {"shape": (2,)}, {"shape": (2,), "typestr": "<f8"},
                               {"shape": (2,), "typestr": "<f8", "data": (1, 2, 3)}])
def test_descriptions_that_lack_something(d):
    class X:
        __cuda_array_interface__ = d
    with pytest.raises(ValueError):
        cp.asarray(X())
