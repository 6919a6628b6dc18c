"""NumPy's functions on Cuprite's arrays: every public function of numpy, numpy.linalg and numpy.fft that asks
__array_function__, every ufunc, and the functions with like=, give what they give for NumPy's arrays, as Cuprite's.

CALLS has a call of each such function; test_no_function_is_forgotten looks for those that have none."""
import inspect
import io

import numpy as np
import pytest

import cuprite as cp
from cuprite import _dispatch
from oracle import kind, raises

# NumPy's functions that Cuprite has not: dates, and those whose arguments are no arrays of numbers.
ABSENT = {"busday_count", "busday_offset", "datetime_as_string", "is_busday"}

ARRAYS = {
    "a": np.array([[3.0, -1.5, 2.0, 0.25], [0.5, 4.0, -2.0, 1.0], [1.0, 2.0, 8.0, -0.75]]),
    "b": np.array([3, 1, 2, 1, 0, 3]), "c": np.array([2, 3, 5]), "m": np.array([True, False, True]),
    "v": np.array([0.5, 1.5, -1.0, 2.0]), "z": np.array([1 + 2j, -0.5j, 3]),
    "q": np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 5.0]]), "n": np.array([1.0, np.nan, 3.0, -2.0]),
    "s": np.array([0, 1, 2, 3]), "w": np.array([[1, 0, 1, 1, 0, 0, 1, 1]], "u1"),
    "zero": np.array([0.0, 0.0, 1.0, 0.0]),
    "cube": np.arange(24.0).reshape(2, 3, 4), "i2": np.array([[1, 0], [0, 1]]),
}

CALLS = """
all(a) allclose(a,a) amax(a,0) amin(a,axis=1) angle(z) any(a>1,1) append(v,v) apply_along_axis(np.sum,0,a)
apply_over_axes(np.sum,cube,[0,2]) argmax(a,axis=1) argmin(a) argpartition(b,5)[5:] argsort(b,kind="stable")
argwhere(a>1) around(a,1) array2string(a,precision=2) array_equal(a,a) array_equiv(a,a) array_repr(a) array_split(b,4)
array_str(a) astype(a,np.float32) atleast_1d(a) atleast_2d(v) atleast_3d(v,a) average(a,axis=0)
average(v,weights=b[:4]) bincount(b) bincount(b,minlength=9) block([[a,a],[a,a]]) broadcast_arrays(a,v)
broadcast_arrays(v,a,subok=False) broadcast_to(v,(3,4)) can_cast(a.dtype,np.float32) choose(b[:3]%2,[c,c*2])
clip(a,0,2) clip(a,a_min=0,a_max=v) column_stack([c,c]) common_type(a,c) compress(m,a,axis=0) concat([a,a])
concatenate((a,a),axis=1) convolve(v,c) copy(a) corrcoef(a) correlate(v,c) count_nonzero(b,axis=0) cov(a)
cross(c,c[::-1]) cumprod(v) cumsum(a,axis=1) cumulative_prod(v,axis=0) cumulative_sum(a,axis=1,include_initial=True)
delete(b,2) diag(q) diag_indices_from(q) diagflat(c) diagonal(a,1) diff(a,axis=0) digitize(v,c) dot(a,v)
dsplit(cube,2) dstack([v,v]) ediff1d(b) einsum("ij,j->i",a,v) einsum_path("ij,j->i",a,v) empty_like(a).shape
expand_dims(a,1) extract(a>1,a) extract(condition=a>1,arr=a) fix(a) fix(x=a) flatnonzero(b) flip(a,0) fliplr(a)
flipud(a) full_like(a,7) gradient(v) histogram(v,bins=4) histogram2d(v,v,bins=2) histogram_bin_edges(v,3)
histogramdd(a,bins=2) hsplit(a,2) hstack([v,v]) i0(v) i0(x=v) imag(z) inner(v,v) insert(b,1,9) interp(v,s,v)
intersect1d(b,c) isclose(a,a) iscomplex(z) iscomplexobj(z) isin(b,c) isin(element=b,test_elements=c) isneginf(v)
isposinf(x=v) isreal(z) isrealobj(z) ix_(c,c) kron(c,c) lexsort((b,b[::-1])) linspace(v,v+1,5)
    geomspace(v*v+1,v*v+2,3) logspace(v,v+1,3)
matrix_transpose(a) max(a,axis=1,keepdims=True) may_share_memory(a,a) mean(a,axis=0) median(a,axis=1) meshgrid(c,v)
min(a) min_scalar_type(v) moveaxis(cube,0,2) nan_to_num(n) nanargmax(n) nanargmin(n) nancumprod(n) nancumsum(n)
nanmax(n) nanmean(n) nanmedian(n) nanmin(n) nanpercentile(n,30) nanprod(n) nanquantile(n,0.3) nanstd(n) nansum(n)
nanvar(n,ddof=1) ndim(a) nonzero(b) ones_like(a) outer(v,c) packbits(w) pad(v,2) partition(b,2)[2]
percentile(a,30,axis=1) permute_dims(cube,(2,0,1)) piecewise(v,[v<0,v>=0],[-1,1]) poly(z) polyadd(c,v) polyder(v)
polydiv(v,c) polyfit(v,v**2,2) polyint(v) polymul(c,v) polysub(v,c) polyval(c,v) prod(a,axis=0) ptp(a,axis=0)
quantile(a,0.25,axis=0) ravel(a) ravel_multi_index((c-2,c-2),(9,9)) real(z) real_if_close(v+0j) repeat(v,2)
repeat(v,s) reshape(a,(4,3)) resize(a,(2,7)) result_type(a,c) roll(a,1,0) rollaxis(cube,2) roots(c) rot90(a)
round(a,1) searchsorted(s,v) select([v<0,v>1],[v,-v],7) setdiff1d(b,c) setxor1d(b,c) shape(a) shares_memory(a,a)
sinc(v) sinc(x=v) size(a,1) sort(a,axis=0) sort_complex(z) split(b,3) squeeze(w) stack([v,v],axis=1)
stack(arrays=(v,v)) std(a,axis=1) sum(a,axis=(0,1)) sum(a=a,axis=0,dtype=np.float32) swapaxes(cube,0,1)
take(a,c-2,axis=1) take_along_axis(q[:2],i2,1) tensordot(a,v,1) tile(v,(2,2)) trace(q) transpose(a)
trapezoid(a,axis=0) tril(q) tril_indices_from(q) trim_zeros(zero) triu(q,1) triu_indices_from(q) union1d(b,c)
unique(b,return_counts=True) unique_all(b) unique_counts(b) unique_inverse(b) unique_values(b).sum() unpackbits(w)
unravel_index(b,(3,4)) unstack(a) unwrap(v*9) vander(c) var(a,axis=0,ddof=1) vdot(z,z) vsplit(q,3) vstack([v,v])
where(a>1,a,0) where(b) zeros_like(a) linalg.cholesky(q) linalg.cond(q) linalg.cross(c,c[::-1]) linalg.det(q)
linalg.diagonal(a) linalg.eig(q+0j).eigenvalues.sum() linalg.eigh(q).eigenvalues linalg.eigvals(q+0j).sum()
linalg.eigvalsh(q) linalg.inv(q) linalg.lstsq(q,c)[0] linalg.matmul(a,v) linalg.matrix_norm(a)
linalg.matrix_power(q,3) linalg.matrix_rank(a) linalg.matrix_transpose(a) linalg.multi_dot([q,a,v]) linalg.norm(a)
linalg.norm(v,1) linalg.outer(v,v) linalg.pinv(a) linalg.qr(q,mode="r")**2 linalg.slogdet(q) linalg.solve(q,a)
linalg.svd(a)[1] linalg.svdvals(a) linalg.tensordot(a,v,axes=1) linalg.tensorinv(q,ind=1) linalg.tensorsolve(q,c)
linalg.trace(q) linalg.vecdot(v,v) linalg.vector_norm(a,axis=1) fft.fft(v) fft.fft2(a) fft.fftn(cube) fft.fftshift(v)
fft.hfft(z) fft.ifft(z) fft.ifft2(a) fft.ifftn(cube) fft.ifftshift(v) fft.ihfft(v) fft.irfft(z) fft.irfft2(a)
fft.irfftn(a) fft.rfft(v) fft.rfft2(a) fft.rfftn(cube) lib.stride_tricks.sliding_window_view(v,2)
"""

# What writes into an argument or a file: the argument, or what was written, is the result.
STATEMENTS = {
    "copyto": "np.copyto(a, v); r = a", "fill_diagonal": "np.fill_diagonal(q, 9); r = q",
    "place": "np.place(a, a > 1, c); r = a", "put": "np.put(a, c, v[:3]); r = a",
    "put_along_axis": "np.put_along_axis(a[:2], i2, 7, 1); r = a", "putmask": "np.putmask(a, a > 1, v); r = a",
    "save": "np.save(f, a); r = f.getvalue()", "savetxt": "np.savetxt(f, a); r = f.getvalue()",
    "savez": "np.savez(f, a, k=v); f.seek(0); r = dict(np.load(f))",
    "savez_compressed": "np.savez_compressed(f, a, k=v); f.seek(0); r = dict(np.load(f))",
}


def _calls():
    """The calls of CALLS: they stand behind one another, and none has a space outside of quotes."""
    return CALLS.split()


def _functions():
    """name -> function, of all that ask __array_function__."""
    found = {}
    for start, module in (("", np), ("linalg.", np.linalg), ("fft.", np.fft)):
        for name in dir(module):
            f = getattr(module, name)
            if not name.startswith("_") and hasattr(f, "_implementation"):
                found[start + name] = f
    return found


def same(ours, theirs):
    """The same structure, and arrays of Cuprite's where NumPy has arrays or scalars of its own."""
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs) and isinstance(ours, (tuple, list)), (ours, theirs)
        for p, q in zip(ours, theirs):
            same(p, q)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for k in theirs:
            np.testing.assert_array_equal(ours[k], theirs[k])
    elif isinstance(theirs, (np.ndarray, np.generic)):
        assert type(ours) is cp.ndarray, (type(ours), theirs)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, (ours, theirs)
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12, atol=1e-12)
    elif type(theirs) is bool and isinstance(ours, cp.ndarray):  # array_equal and its like, as CuPy's
        assert ours.dtype == bool and ours.shape == () and bool(ours) is theirs
    else:
        assert type(ours) is type(theirs) and ours == theirs, (ours, theirs)


def _both(code, run):
    """What `run` gives for the code, of Cuprite's arrays and of NumPy's."""
    result = []
    for make in (cp.array, np.array):
        scope = {"np": np, "f": io.BytesIO(), **{n: make(x) for n, x in ARRAYS.items()}}
        result.append(run(code, scope))
    return result


def _run(code, scope):
    exec(code, scope)
    return scope["r"]


@pytest.mark.parametrize("call", _calls())
def test_functions(call):
    same(*_both("np." + call, eval))


@pytest.mark.parametrize("name", STATEMENTS)
def test_functions_that_write(name):
    ours, theirs = _both(STATEMENTS[name], _run)
    same(ours, theirs)


@pytest.mark.once
def test_no_function_is_forgotten():
    called = {c.split("(")[0] for c in _calls()} | set(STATEMENTS)
    functions = _functions()
    assert len(functions) > 200
    assert set(functions) - called == ABSENT
    assert ABSENT.isdisjoint(n for n in functions if _found(functions[n]))


def _found(function):
    ours = cp
    for name in function.__module__.split(".")[1:] + [function.__name__]:
        ours = getattr(ours, name, None)
    return ours


@pytest.mark.once
def test_every_argument_of_numpys_is_known():
    """Whatever NumPy's function takes by position or by name ours takes too, from NumPy's call."""
    inner = {("einsum_path", "einsum_call")}  # NumPy's own use of it
    for name, f in _functions().items():
        if name in ABSENT:
            continue
        theirs, ours = inspect.signature(f).parameters, inspect.signature(_found(f)).parameters
        kinds, places = {p.kind for p in ours.values()}, list(ours.values())
        needed = _dispatch._needed(f)
        for i, p in enumerate(theirs.values()):
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or (name, p.name) in inner:
                continue
            if p.kind is p.POSITIONAL_OR_KEYWORD and p.VAR_POSITIONAL not in kinds:
                assert i < len(places) and places[i].kind is not p.KEYWORD_ONLY, (name, p.name)
            if p.kind is not p.POSITIONAL_ONLY and p.name not in needed and p.VAR_KEYWORD not in kinds:
                assert p.name in ours and ours[p.name].kind is not p.POSITIONAL_ONLY, (name, p.name)


# --- like= ---

LIKE = ["array([1, 2], like=x)", "asarray([1, 2], 'f4', like=x)", "asanyarray([1], like=x)", "arange(3, like=x)",
        "ascontiguousarray([[1, 2]], like=x)", "asfortranarray([[1, 2]], like=x)", "empty((2, 0), like=x)",
        "eye(3, k=1, like=x)", "frombuffer(b'12345678', like=x)", "fromfunction(lambda i: i * 2, (3,), like=x)",
        "fromiter([1, 2], float, like=x)", "fromstring('1 2', sep=' ', like=x)", "full((2, 2), 7, like=x)",
        "genfromtxt(['1 2', '3 4'], like=x)", "identity(3, like=x)", "loadtxt(['1 2', '3 4'], like=x)",
        "ones((2, 3), 'i2', like=x)", "require([1.0], like=x)", "tri(3, k=-1, like=x)", "zeros((2, 3), 'c8', like=x)"]


@pytest.mark.parametrize("call", LIKE)
def test_like(call):
    ours, theirs = (eval("np." + call, {"np": np, "x": x}) for x in (cp.zeros(1), np.zeros(1)))
    same(ours, theirs)


@pytest.mark.once
def test_every_function_with_like_is_called():
    names = {n for n in dir(np) if "like=None" in str(getattr(getattr(np, n), "__doc__", "") or "")}
    assert len(names) > 10 and names - {c.split("(")[0] for c in LIKE} <= {"fromfile"}  # which reads a file


def test_like_reads_a_file(tmp_path):
    np.arange(5.0).tofile(tmp_path / "x")
    same(np.fromfile(tmp_path / "x", like=cp.zeros(1)), np.arange(5.0))


# --- ufuncs ---

def _ufuncs():
    found = {f.__name__: f for f in (getattr(np, n) for n in dir(np)) if isinstance(f, np.ufunc)}
    del found["isnat"]  # of dates
    return found


def _operands(f):
    core = {"matmul": ("q", "q"), "vecdot": ("v", "v"), "matvec": ("q", "c"), "vecmat": ("c", "q")}
    if f.__name__ in core:
        return core[f.__name__]
    if any(t.startswith("dd"[:f.nin]) for t in f.types) and f.__name__ != "ldexp":
        return ("u", "v")[:f.nin]
    return ("c", "c")[:f.nin] if f.__name__ != "ldexp" else ("u", "s")


@pytest.mark.parametrize("name", sorted(_ufuncs()))
def test_ufuncs(name):
    f = _ufuncs()[name]
    host = ARRAYS | {"u": np.array([0.5, 0.25, 1.0, 0.75])}
    operands = [host[n] for n in _operands(f)]
    with np.errstate(all="ignore"):
        theirs = f(*operands)
        same(f(*(cp.array(x) for x in operands)), theirs)
        outs = [cp.empty(t.shape, t.dtype) for t in (theirs if f.nout > 1 else (theirs,))]
        got = f(*(cp.array(x) for x in operands), out=tuple(outs))
        assert got is outs[0] if f.nout == 1 else all(p is q for p, q in zip(got, outs))
        if f.nin == 2 and f.signature is None:
            same(f(cp.array(operands[0]), operands[1][1]), f(operands[0], operands[1][1]))  # NumPy's scalar
            same(f(operands[0][1], cp.array(operands[1])), f(operands[0][1], operands[1]))
        if f.nin == 2 and f.nout == 1 and f.signature is None:
            same(f.outer(*(cp.array(x) for x in operands)), f.outer(*operands))
            same_outcome(f.accumulate, cp.array(operands[0]), operands[0])
            if name not in ("arctan2", "power"):  # whose reduce is not the last of NumPy's own accumulate
                same_outcome(f.reduce, cp.array(operands[0]), operands[0])
                same_outcome(lambda x: f.reduceat(x, [0, 1]), cp.array(operands[0]), operands[0])


def same_outcome(f, x, a):
    """What a method gives, or the kind of its exception."""
    try:
        theirs = f(a)
    except Exception as e:  # noqa: BLE001
        with raises(kind(e)):
            f(x)
        return
    same(f(x), theirs)


def test_at():
    for f, more in ((np.add, (2.0,)), (np.negative, ()), (np.maximum, (1.0,))):
        a = ARRAYS["v"].copy()
        x = cp.array(a)
        f.at(a, [0, 0, 3], *more)
        f.at(x, [0, 0, 3], *more)
        same(x, a)


# --- what is refused ---

def test_arrays_of_both_do_not_mix():
    x, a = cp.ones(3), np.ones(3)
    for f in (lambda: np.concatenate([x, a]), lambda: np.add(x, a), lambda: np.add(a, x), lambda: np.add(a, a, out=x),
              lambda: np.add(x, x, out=a), lambda: np.where(x > 0, a, x), lambda: np.dot(a, x), lambda: x @ a,
              lambda: a @ x, lambda: a + x):
        with raises(TypeError):
            f()


def test_what_nobody_implements():
    x = cp.ones(3)
    with raises(TypeError, match="no implementation found"):
        np.datetime_as_string(x)
    with raises(TypeError):
        np.isnat(x)

    class Other:
        def __array_function__(self, *args):
            return NotImplemented

        __array_ufunc__ = None

    with raises(TypeError):
        np.concatenate([x, Other()])
    with raises(TypeError):
        np.add(x, Other())
