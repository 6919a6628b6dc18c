"""NumPy's functions that no other benchmark measures, and those that others measure at one size, at every size.

A line of CASES is a statement, PyTorch's (T) or None where it has none, and, where not all, the sizes. The statements'
names are from `data`: x, y float32, ten to the power m elements. Arrays from Python lists and functions called for each
element have small sizes only: they are bound by the interpreter.
"""
import types

import numpy as np

from bench_index import call_of
from common import Case

ALL = (1, 100, 10**4, 10**7)
FEW = (1, 100, 10**4)
SOME = (100, 10**4, 10**7)


def data(rng, n):
    """n elements each; a and b squares of about as many, p a polynomial, k integers."""
    d = types.SimpleNamespace()
    d.x, d.y = rng.random(n, dtype="f4") + np.float32(0.01), rng.random(n, dtype="f4") + np.float32(0.01)
    d.e = d.x.astype("f8")
    d.k, d.l = rng.integers(1, 1000, n).astype("i4"), rng.integers(1, 8, n).astype("i4")
    d.m = rng.random(n) < 0.5
    d.w = d.x.astype("c8") + 1j * d.y
    d.gaps = d.x.copy()
    d.gaps[50::100] = np.nan
    side = max(1, int(n**0.5))
    d.a, d.b = rng.random((side, side), dtype="f4"), rng.random((side, side), dtype="f4")
    d.v = rng.random(side, dtype="f4")
    d.three, d.thrice = rng.random((max(1, n // 3), 3), dtype="f4"), rng.random((max(1, n // 3), 3), dtype="f4")
    d.stack = rng.random((max(1, n // 100), 10, 10), dtype="f4")
    d.tens = rng.random((max(1, n // 100), 10), dtype="f4")
    d.zeros = np.concatenate([np.zeros(n // 4), d.e, np.zeros(n // 4)])
    d.p, d.q = rng.random(5), rng.random(4)
    d.few = rng.random(max(1, n // 100), dtype="f4")
    d.into = d.x.copy()
    return d


def ufuncs(cp):
    """A line for each operation of the table."""
    names = {f.__name__: f for f in vars(cp).values() if isinstance(f, type(cp.add))}
    for name, f in sorted(names.items()):
        if not hasattr(np, name):
            continue
        types = next((t for t in f.types if t.startswith("f")), f.types[0])
        ins = types.split("->")[0]
        words = {"f": "xyy", "d": "eee"}
        yield (f"xp.{name}(" + ", ".join(words.get(t, "kll")[i] for i, t in enumerate(ins)) + ")",
               f"T.{TORCH.get(name, name)}(" + ", ".join(words.get(t, "kll")[i] for i, t in enumerate(ins)) + ")",
               FEW)


#: operations with other names in PyTorch
TORCH = {"absolute": "abs", "negative": "neg", "not_equal": "ne", "equal": "eq", "less": "lt", "less_equal": "le",
         "greater": "gt", "greater_equal": "ge", "power": "pow", "conjugate": "conj", "invert": "bitwise_not",
         "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "rint": "round"}

CASES = [
    # reductions and searches
    *((f"xp.{f}(x)", f"T.{f}(x)", ALL) for f in ("sum", "prod", "mean", "std", "var", "median", "nanmean", "nansum")),
    ("xp.max(x)", "T.amax(x)", ALL), ("xp.min(x)", "T.amin(x)", ALL), ("xp.ptp(x)", None, ALL),
    ("xp.argmax(x)", "T.argmax(x)", ALL), ("xp.argmin(x)", "T.argmin(x)", ALL),
    ("xp.all(m)", "T.all(m)", ALL), ("xp.any(m)", "T.any(m)", ALL),
    ("xp.count_nonzero(m)", "T.count_nonzero(m)", ALL),
    *((f"xp.{f}(gaps)", None, ALL) for f in ("nanmax", "nanmin", "nanprod", "nanargmin", "nancumprod")),
    ("xp.nanquantile(gaps, 0.3)", "T.nanquantile(gaps, 0.3)", FEW), ("xp.nan_to_num(gaps)", "T.nan_to_num(gaps)", ALL),
    ("xp.quantile(x, 0.3)", "T.quantile(x, 0.3)", FEW),
    ("a.sum(axis=0)", "a.sum(0)", ALL), ("a.sum(axis=1)", "a.sum(1)", ALL), ("a.mean(axis=1)", "a.mean(1)", ALL),
    ("a.max(axis=0)", "a.amax(0)", ALL), ("a.argmax(axis=1)", "a.argmax(1)", ALL),
    ("xp.cumulative_sum(x)", "T.cumsum(x, 0)", ALL), ("xp.cumulative_prod(x)", "T.cumprod(x, 0)", ALL),
    ("xp.trace(a)", "T.trace(a)", ALL),
    # sorting, sets
    ("xp.sort(x)", "T.sort(x)", ALL), ("xp.argsort(x)", "T.argsort(x)", ALL), ("xp.sort(k)", "T.sort(k)", ALL),
    ("xp.sort(a, axis=0)", "T.sort(a, 0)", ALL), ("xp.sort_complex(w)", None, FEW), ("xp.lexsort((x, y))", None, FEW),
    ("xp.partition(x, x.size // 2)", None, ALL), ("xp.argpartition(x, x.size // 2)", None, ALL),
    ("xp.unique_values(k)", "T.unique(k)", ALL), ("xp.unique_counts(k)", "T.unique(k, return_counts=True)", ALL),
    ("xp.unique_inverse(k)", "T.unique(k, return_inverse=True)", ALL), ("xp.unique_all(k)", None, ALL),
    ("xp.union1d(k, l)", None, ALL), ("xp.intersect1d(k, l)", None, ALL), ("xp.setdiff1d(k, l)", None, ALL),
    ("xp.setxor1d(k, l)", None, ALL), ("xp.indices(a.shape)", None, ALL),
    # elementwise and composed of it
    ("xp.clip(x, 0.2, 0.8)", "T.clamp(x, 0.2, 0.8)", ALL), ("xp.round(x, 2)", "T.round(x, decimals=2)", ALL),
    ("xp.angle(w)", "T.angle(w)", ALL), ("xp.real(w)", "T.real(w)", FEW), ("xp.imag(w)", "T.imag(w)", FEW),
    ("xp.isclose(x, y)", "T.isclose(x, y)", ALL), ("xp.allclose(x, y)", "T.allclose(x, y)", ALL),
    ("xp.array_equal(x, into)", "T.equal(x, into)", ALL), ("xp.array_equiv(x, into)", None, ALL),
    ("xp.isneginf(x)", "T.isneginf(x)", ALL), ("xp.isposinf(x)", "T.isposinf(x)", ALL),
    ("xp.iscomplex(w)", None, ALL), ("xp.isreal(w)", "T.isreal(w)", ALL), ("xp.real_if_close(w)", None, FEW),
    ("xp.unwrap(x)", None, ALL), ("xp.ediff1d(x)", None, ALL), ("xp.piecewise(x, [m], [1, 2])", None, ALL),
    ("xp.cross(three, thrice)", "T.linalg.cross(three, thrice)", ALL), ("xp.vander(few, 4)", "T.vander(few, 4)", ALL),
    ("x.astype('f8')", "x.to(T.float64)", ALL), ("x.astype('i4')", "x.to(T.int32)", ALL),
    ("-x + y * 2", "-x + y * 2", ALL),
    # products
    ("xp.dot(x, y)", "T.dot(x, y)", ALL), ("xp.vdot(x, y)", "T.vdot(x, y)", ALL),
    ("xp.inner(x, y)", "T.inner(x, y)", ALL),
    ("xp.vecdot(tens, tens)", "T.linalg.vecdot(tens, tens)", ALL), ("xp.outer(v, v)", "T.outer(v, v)", ALL),
    ("xp.kron(v, v)", "T.kron(v, v)", ALL), ("xp.matvec(stack, tens)", None, ALL),
    ("xp.vecmat(tens, stack)", None, ALL),
    ("xp.matmul(stack, stack)", "T.matmul(stack, stack)", ALL), ("a @ b", "a @ b", FEW),
    ("xp.tensordot(a, b, 1)", "T.tensordot(a, b, 1)", FEW),
    ("xp.einsum('ij,ij->i', a, b)", "T.einsum('ij,ij->i', a, b)", ALL),
    ("xp.convolve(x, p)", None, ALL), ("xp.correlate(x, p)", None, SOME),
    # new arrays
    ("xp.arange(x.size)", "T.arange(x.numel())", ALL),
    ("xp.linspace(0, 1, x.size)", "T.linspace(0, 1, x.numel())", ALL),
    ("xp.logspace(0, 1, x.size)", "T.logspace(0, 1, x.numel())", ALL), ("xp.geomspace(1, 9, x.size)", None, ALL),
    ("xp.zeros(x.size)", "T.zeros(x.numel())", ALL), ("xp.ones(x.size)", "T.ones(x.numel())", ALL),
    ("xp.full(x.size, 3.0)", "T.full((x.numel(),), 3.0)", ALL), ("xp.empty(x.size)", "T.empty(x.numel())", ALL),
    ("xp.zeros_like(x)", "T.zeros_like(x)", ALL), ("xp.ones_like(x)", "T.ones_like(x)", ALL),
    ("xp.full_like(x, 3)", "T.full_like(x, 3)", ALL), ("xp.empty_like(x)", "T.empty_like(x)", ALL),
    ("xp.eye(v.size)", "T.eye(v.numel())", ALL), ("xp.identity(v.size)", "T.eye(v.numel())", ALL),
    ("xp.tri(v.size)", None, ALL), ("xp.diagflat(v)", "T.diagflat(v)", ALL), ("xp.meshgrid(v, v)", None, ALL),
    ("xp.diag_indices(v.size)", None, ALL), ("xp.tril_indices(v.size)", "T.tril_indices(v.numel(), v.numel())", ALL),
    ("xp.triu_indices(v.size)", "T.triu_indices(v.numel(), v.numel())", ALL),
    ("xp.mask_indices(v.size, xp.triu)", None, FEW),
    *((f"xp.{f}(x.size)", f"T.{f}_window(x.numel(), periodic=False)", ALL)
      for f in ("bartlett", "blackman", "hamming")),
    ("xp.hanning(x.size)", "T.hann_window(x.numel(), periodic=False)", ALL),
    ("xp.kaiser(x.size, 9.0)", "T.kaiser_window(x.numel(), periodic=False, beta=9.0)", ALL),
    ("xp.array(x)", "x.clone()", ALL), ("xp.copy(x)", "T.clone(x)", ALL), ("xp.asarray(x)", "T.asarray(x)", FEW),
    ("xp.ascontiguousarray(a.T)", "a.T.contiguous()", ALL), ("xp.asfortranarray(a)", None, ALL),
    ("xp.frombuffer(bytes, 'f4')", "T.frombuffer(bytes, dtype=T.float32)", FEW),
    ("xp.array(list)", "T.tensor(list)", FEW),
    # other shapes
    ("xp.reshape(x, (-1, 1))", "T.reshape(x, (-1, 1))", FEW), ("xp.ravel(a)", "T.ravel(a)", FEW),
    ("xp.transpose(a)", "T.t(a)", FEW), ("xp.permute_dims(stack, (2, 0, 1))", "T.permute(stack, (2, 0, 1))", FEW),
    ("xp.matrix_transpose(a)", "a.mT", FEW), ("xp.rollaxis(stack, 2)", None, FEW), ("xp.fliplr(a)", "T.fliplr(a)", FEW),
    ("xp.flipud(a)", "T.flipud(a)", FEW), ("xp.rot90(a)", "T.rot90(a)", FEW),
    ("xp.atleast_1d(x)", "T.atleast_1d(x)", FEW),
    ("xp.atleast_2d(x)", "T.atleast_2d(x)", FEW), ("xp.atleast_3d(x)", "T.atleast_3d(x)", FEW),
    ("xp.diagonal(a)", "T.diagonal(a)", FEW), ("xp.broadcast_arrays(a, v)", "T.broadcast_tensors(a, v)", FEW),
    ("xp.broadcast_shapes((5, 1), (3,))", "T.broadcast_shapes((5, 1), (3,))", (1,)),
    ("xp.array_split(x, 3)", "T.tensor_split(x, 3)", FEW), ("xp.hsplit(a, 1)", "T.hsplit(a, 1)", FEW),
    ("xp.vsplit(a, 1)", "T.vsplit(a, 1)", FEW), ("xp.dsplit(stack, 2)", "T.dsplit(stack, 2)", FEW),
    ("xp.unstack(tens, axis=1)", "T.unbind(tens, 1)", FEW), ("xp.column_stack((x, y))", "T.column_stack((x, y))", ALL),
    ("xp.dstack((x, y))", "T.dstack((x, y))", ALL), ("xp.block([[a, b], [b, a]])", None, ALL),
    ("xp.resize(x, 2 * x.size)", None, ALL), ("xp.trim_zeros(zeros)", None, ALL),
    ("xp.concat((x, y))", "T.concat((x, y))", ALL),
    ("xp.diag_indices_from(a)", None, FEW), ("xp.tril_indices_from(a)", None, FEW),
    ("xp.triu_indices_from(a)", None, FEW),
    ("a.flatten()", "a.flatten()", FEW), ("x.tolist()", "x.tolist()", FEW), ("x.tobytes()", None, FEW),
    ("x.view('i4')", "x.view(T.int32)", FEW), ("a.strides", "a.stride()", (1,)), ("a.dtype", "a.dtype", (1,)),
    ("a.ndim", "a.ndim", (1,)), ("a.size", "a.numel()", (1,)), ("a.nbytes", "a.nbytes", (1,)), ("a.mT", "a.mT", (1,)),
    ("bool(m[0])", "bool(m[0])", (1,)), ("int(k[0])", "int(k[0])", (1,)), ("k[0].item()", "k[0].item()", (1,)),
    # counts, polynomials
    ("xp.histogram_bin_edges(x)", None, ALL), ("xp.histogramdd(three, 5)", "T.histogramdd(three, [5, 5, 5])", ALL),
    ("xp.polyval(p, x)", None, ALL), ("xp.polyfit(x, y, 2)", None, SOME), ("xp.polyadd(p, q)", None, (1,)),
    ("xp.polymul(p, q)", None, (1,)), ("xp.polysub(p, q)", None, (1,)), ("xp.polydiv(p, q)", None, (1,)),
    ("xp.polyder(p)", None, (1,)), ("xp.polyint(p)", None, (1,)), ("xp.roots(p)", None, (1,)),
    ("xp.poly(q)", None, (1,)),
    # calls of Python's
    ("xp.apply_along_axis(xp.sum, 1, a)", None, FEW), ("xp.apply_over_axes(xp.sum, a, (0, 1))", None, FEW),
    ("xp.fromfunction(lambda i, j: i + j, a.shape)", None, ALL), ("xp.fromiter(list, 'f4')", None, FEW),
    # memory, types
    ("xp.shares_memory(x, y)", None, (1,)), ("xp.may_share_memory(x, y)", None, (1,)),
    ("xp.result_type(x, k)", "T.result_type(x, k)", (1,)),
    ("xp.promote_types('f4', 'i4')", "T.promote_types(T.float32, T.int32)", (1,)),
    ("xp.can_cast('f4', 'i4')", "T.can_cast(T.float32, T.int32)", (1,)), ("xp.isscalar(3)", None, (1,)),
    ("xp.iscomplexobj(x)", "T.is_complex(x)", (1,)), ("xp.isrealobj(x)", None, (1,)), ("xp.ndim(a)", None, (1,)),
    ("xp.shape(a)", None, (1,)), ("xp.size(a)", None, (1,)), ("xp.min_scalar_type(3)", None, (1,)),
    ("xp.common_type(x, x)", None, (1,)),
    # input, output
    ("xp.load(io.BytesIO(saved))", None, FEW), ("xp.save(io.BytesIO(), x)", "T.save(x, io.BytesIO())", FEW),
    ("xp.savez(io.BytesIO(), x)", None, FEW), ("pickle.dumps(x)", "pickle.dumps(x)", FEW),
    ("pickle.loads(pickle.dumps(x))", "pickle.loads(pickle.dumps(x))", FEW), ("copy.copy(x)", "copy.copy(x)", FEW),
    ("copy.deepcopy(x)", "copy.deepcopy(x)", FEW), ("xp.array_str(x)", "str(x)", (1, 100)),
    ("str(x)", "str(x)", (1, 100)),
    ("repr(a)", "repr(a)", (1, 100)), ("xp.fromstring(text, sep=' ')", None, FEW),
    ("xp.loadtxt(io.StringIO(text))", None, FEW), ("xp.genfromtxt(io.StringIO(text))", None, FEW),
    ("xp.savetxt(io.StringIO(), x)", None, FEW),
    ("xp.from_dlpack(x)", "T.from_dlpack(x)", (1,)), ("x.__dlpack__()", "x.__dlpack__()", (1,)),
]


def cases(b):
    import copy
    import io
    import pickle
    xp = b.cupy if b.gpu else np
    for n in b.sizes(ALL):
        made = vars(data(np.random.default_rng(7), n))
        f = io.BytesIO()
        np.save(f, made["x"])
        extra = {"io": io, "pickle": pickle, "copy": copy, "bytes": made["x"].tobytes(), "saved": f.getvalue()}
        if n < 10**7:
            extra |= {"list": made["x"].tolist(), "text": " ".join(map(str, made["x"].tolist()))}
        ours = {k: b.ours(v.copy()) for k, v in made.items()}
        theirs = {k: b.theirs(v.copy()) for k, v in made.items()} if xp is not None else {}
        tensors = {k: b.tensor(v.copy()) for k, v in made.items()} if b.torch is not None else {}
        for statement, torch_statement, sizes in (*ufuncs(b.cp), *CASES):
            if n not in sizes:
                continue
            peers = b.array_peer(call_of(statement, {"xp": xp, **theirs, **extra})) if xp is not None else {}
            if b.torch is not None and torch_statement:
                peers |= b.torch_peer(call_of(torch_statement, {"T": b.torch, **tensors, **extra}))
            name = statement.replace("xp.", "")
            yield Case(f"{name} {n:g}", call_of(statement, {"xp": b.cp, **ours, **extra}), peers)
