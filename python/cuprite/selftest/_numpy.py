"""Areas whose checks are expressions that NumPy answers too: values, types and shapes are compared.

Each line is an expression of `xp`, the module, and of the arrays that _operands() has. The number before a group is the
tolerance of its floating-point results (difference() in _record.py says in what); 0 is for results that are exact.
"""
from __future__ import annotations

import warnings

import numpy as np

import cuprite as cp

_CREATION = (0, """
xp.zeros((2, 3))
xp.ones(4, dtype=xp.int16)
xp.full((2, 2), 7, dtype=xp.uint8)
xp.empty((0, 3)).shape
xp.eye(3, 4, k=1)
xp.identity(3, dtype=xp.complex64)
xp.arange(10)
xp.arange(2, 11, 3, dtype=xp.int8)
xp.arange(5, 0, -1)
xp.arange(0, 1, 0.25)
xp.array([[1, 2], [3, 4]])
xp.array([1, 2.5, 3])
xp.array([True, False])
xp.array([1 + 2j, 3])
xp.asarray(f, dtype=xp.int64)
xp.zeros_like(f)
xp.full_like(i, 3)
xp.diag(v)
xp.diag(f, k=1)
xp.tri(3, 4)
xp.tril(f)
xp.triu(f, 1)
xp.vander(v[:4])
xp.meshgrid(v, i[0])
xp.indices((2, 3))
xp.mgrid[0:3, 1:3]
xp.r_[1:4, 0, 4]
xp.fromfunction(lambda y, x: y + x, (3, 3))
xp.frombuffer(b'abcdefgh', dtype=xp.uint16)
""")

_CREATION_ROUNDED = (4, """
xp.linspace(0, 1, 7)
xp.linspace(5, -5, 4, endpoint=False)
xp.logspace(0, 3, 5)
xp.geomspace(1, 256, 9)
xp.hanning(8)
xp.kaiser(8, 5.0)
""")

_UFUNCS_EXACT = (0, """
f + i
f - 3
i * i
f / 8
i // 3
i % 3
-i // 3
-f % 2.5
divmod(i, 4)
f ** 2
i ** 3
-f
abs(-f)
f > 2
f <= i
i == 3
(f > 1) & (i < 9)
(f > 1) ^ (i < 9)
~(f > 1)
~i
i << 2
i >> 1
i | 5
u + u
u * 200
u - 200
xp.maximum(f, 2)
xp.minimum(f, i)
xp.fmax(n, 0)
xp.fmin(n, 0)
xp.sign(f - 2)
xp.floor(f)
xp.ceil(f)
xp.trunc(-f)
xp.rint(f)
xp.sqrt(f)
xp.square(f)
xp.reciprocal(f + 1)
xp.isnan(n)
xp.isfinite(n)
xp.isinf(n)
xp.signbit(-f)
xp.copysign(f, -1)
xp.nextafter(f, 9)
xp.spacing(f + 1)
xp.modf(f)
xp.frexp(f)
xp.ldexp(f, 3)
xp.gcd(i, 12)
xp.lcm(i + 1, 4)
xp.logical_not(i)
xp.where(f > 2, f, -1)
xp.clip(f, 1, 3)
xp.heaviside(f - 2, 0.5)
xp.conj(c)
c.real
c.imag
c + 1j
xp.add(i, 1, dtype=xp.float32)
xp.add.accumulate(v)
xp.multiply.outer(v, v)
xp.bitwise_count(i)
h + h
h * 3
s * 2.0
s * np.float64(2)
h * i[0, :1]
i + u[0, :1]
u + xp.int8(1)
""")

_UFUNCS_ROUNDED = (4, """
xp.exp(f)
xp.expm1(f)
xp.exp2(f)
xp.log(f + 1)
xp.log2(f + 1)
xp.log10(f + 1)
xp.log1p(f)
xp.sin(f)
xp.cos(f)
xp.tan(f)
xp.arcsin(f / 6)
xp.arccos(f / 6)
xp.arctan(f)
xp.arctan2(f, i + 1)
xp.sinh(f)
xp.cosh(f)
xp.tanh(f)
xp.arcsinh(f)
xp.arccosh(f + 1)
xp.arctanh(f / 7)
xp.hypot(f, i)
xp.cbrt(f)
xp.power(f, 1.5)
xp.float_power(i, 0.5)
xp.logaddexp(f, i)
xp.degrees(f)
xp.radians(f)
xp.sinc(f)
xp.i0(f)
xp.angle(c)
xp.abs(c)
c * c
c / (c + 1)
xp.exp(c)
xp.sqrt(c)
xp.exp(s)
xp.sin(s)
xp.log(s + 1)
xp.tanh(s)
xp.power(s, 2.5)
""")

_REDUCTIONS_EXACT = (0, """
i.sum()
i.sum(axis=0)
i.sum(axis=1, keepdims=True)
u.sum()
u.prod()
i.prod(axis=1)
i.max()
f.min(axis=0)
i.argmax()
f.argmin(axis=1)
xp.ptp(i, axis=0)
xp.all(i > 0)
xp.any(i > 8, axis=0)
xp.count_nonzero(i)
xp.cumsum(i, axis=1)
xp.cumprod(v)
xp.nanmax(n)
xp.nanargmin(n)
xp.sum(i, where=i > 3)
xp.max(f, initial=9.0)
xp.maximum.reduce(f, axis=0)
xp.maximum.accumulate(i, axis=0)
xp.add.reduceat(v, [0, 2, 4])
xp.bincount(v)
xp.diff(i, axis=0)
xp.median(f)
xp.median(i, axis=0)
xp.trapezoid(v)
t.sum(axis=(0, 2))
t.max(axis=-1)
t[:, ::2].sum(axis=1)
xp.sum(t, axis=())
""")

_REDUCTIONS_ROUNDED = (8, """
f.sum()
f.mean(axis=1)
i.mean()
f.std()
f.var(axis=0, ddof=1)
xp.nansum(n)
xp.nanmean(n)
xp.average(f, weights=i + 1)
xp.percentile(f, [10, 50, 90])
xp.quantile(f, 0.3, axis=1)
xp.cumsum(f)
xp.corrcoef(f)
xp.cov(f)
xp.histogram(f, bins=5)
xp.interp(v, v, v * 2.5)
xp.gradient(f, axis=1)
xp.convolve(v, v + 1)
s.sum()
s.std(axis=0)
c.sum(axis=0)
c.mean()
xp.logaddexp.reduce(f, axis=1)
xp.abs(big).sum()
big.std()
xp.polyfit(v, v * 3.0 + 1, 1)
xp.polyval([1, 2, 3], v)
""")

_INDEXING = (0, """
t[1]
t[-1, 2]
t[1, 2, 3]
t[:, 1:3]
t[::-1, ::2, 1::3]
t[..., 0]
t[None, 0, :, None]
t[t > 20]
t[[0, 1, 0]]
t[[0, 1], [2, 0]]
t[:, [2, 0]]
t[[[0], [1]], :, [1, 2]]
t[xp.array([True, False])]
t[:, xp.array([True, False, True])]
t[0, t[0] % 2 == 0]
xp.take(t, [5, 1, 7])
xp.take(t, [0, 2], axis=1)
xp.take_along_axis(i, xp.argsort(i, axis=1), axis=1)
xp.nonzero(i > 3)
xp.argwhere(i > 3)
xp.flatnonzero(i > 3)
xp.choose(v % 2, [v, -v])
xp.compress([True, False, True], i, axis=1)
xp.extract(i > 3, i)
xp.select([i < 3, i > 6], [i, -i], 99)
xp.unravel_index(v, (3, 4))
xp.ravel_multi_index((xp.array([0, 1]), xp.array([2, 3])), (3, 4))
xp.diagonal(t, axis1=1, axis2=2)
xp.ix_(v[:2], v[:3])
xp.tril_indices(3)
xp.searchsorted(v, [0, 3, 9])
xp.digitize(f, [1, 2, 3])
assigned(t, lambda a: a.__setitem__((slice(None), 1), -1))
assigned(t, lambda a: a.__setitem__(a > 10, 0))
assigned(t, lambda a: a.__setitem__([1, 0], a[[0, 1]] * 2))
assigned(t, lambda a: a[:, ::2].__imul__(3))
assigned(v, lambda a: xp.add.at(a, xp.array([0, 0, 2]), 5))
assigned(i, lambda a: xp.put(a, [1, 3], [50, 60]))
assigned(i, lambda a: xp.putmask(a, a > 4, -a))
assigned(i, lambda a: xp.fill_diagonal(a, 7))
""")

_SHAPES = (0, """
t.reshape(6, -1)
t.reshape((4, 6), order='F')
t.ravel()
t.T
t.transpose(1, 0, 2)
xp.moveaxis(t, 0, -1)
xp.swapaxes(t, 0, 2)
xp.rollaxis(t, 2)
xp.expand_dims(i, 1).shape
xp.squeeze(i[None])
xp.broadcast_to(v, (3, 5))
xp.concatenate([i, i], axis=1)
xp.concatenate([i, f])
xp.stack([v, v], axis=1)
xp.vstack([v, v])
xp.hstack([i, i])
xp.dstack([i, i])
xp.split(i, 3)
xp.array_split(v, 2)
xp.tile(i, (2, 1))
xp.repeat(i, 2, axis=1)
xp.repeat(v, v)
xp.roll(t, 2)
xp.roll(t, 1, axis=2)
xp.flip(i)
xp.rot90(i)
xp.pad(i, 1)
xp.pad(i, ((1, 2), (0, 1)), mode='reflect')
xp.pad(v, 3, mode='edge')
xp.pad(v, 3, mode='wrap')
xp.insert(v, 2, 9)
xp.delete(i, 1, axis=0)
xp.append(v, v)
xp.atleast_3d(v).shape
xp.block([[i, i], [i, i]])
i.astype(xp.float32)
f.astype(xp.uint8)
xp.packbits(i > 3)
xp.kron(v[:2], v[:3])
""")

_SORTING = (0, """
xp.sort(i)
xp.sort(f, axis=0)
xp.sort(n)
xp.argsort(f, axis=1, kind='stable')
xp.argsort(v[::-1])
xp.lexsort([i[0], f[0]])
xp.partition(v, 2)[2]
xp.sort(big)
xp.sort(big.astype(xp.float32))
xp.sort(big > 0)
xp.argsort(big, kind='stable')
xp.sort((big * 1000).astype(xp.int32))
xp.unique(i % 4)
xp.unique(i % 4, return_counts=True)
xp.unique(i % 4, return_inverse=True, return_index=True)
xp.union1d(v, [7, 8])
xp.intersect1d(v, [1, 3, 9])
xp.setdiff1d(v, [1, 3])
xp.isin(i, [1, 2, 3])
xp.sort_complex(c.ravel())
xp.median(big)
""")

_PRODUCTS = (16, """
a @ b
a @ x
x @ a
big.reshape(100, 100) @ big.reshape(100, 100)
a.astype(xp.float32) @ b.astype(xp.float32)
(a + 1j * b) @ (b - 1j * a)
i @ i.T
u @ u.T
xp.dot(x, x)
xp.vdot(a + 1j * b, b)
xp.inner(a, b)
xp.outer(x, x)
xp.tensordot(t * 1.0, t * 1.0, axes=([0, 1], [0, 1]))
xp.einsum('ij,jk->ik', a, b)
xp.einsum('ii', a)
xp.einsum('ij->ji', i)
xp.einsum('ijk,ikl->ijl', t * 1.0, t.transpose(0, 2, 1) * 1.0)
xp.matmul(t * 1.0, x[:4])
xp.cross(a[:, :3], b[:, :3])
xp.trace(a)
""")

_LINALG = (4096, """
xp.linalg.det(a)
xp.linalg.slogdet(a)
xp.linalg.inv(a)
xp.linalg.solve(a, b)
xp.linalg.solve(a, x)
xp.linalg.cholesky(a @ a.T)
xp.linalg.eigvalsh(a + a.T)
xp.linalg.svd(a)[1]
xp.abs(xp.linalg.qr(a)[1])
xp.linalg.qr(a)[0] @ xp.linalg.qr(a)[1]
xp.linalg.pinv(a[:, :3])
xp.linalg.lstsq(a[:, :3], x, rcond=None)[0]
xp.linalg.matrix_rank(a)
xp.linalg.matrix_power(a, 5)
xp.linalg.norm(a)
xp.linalg.norm(a, axis=1)
xp.linalg.norm(a, 2)
xp.linalg.norm(a, 'nuc')
xp.linalg.cond(a)
xp.linalg.multi_dot([a, b, a])
xp.linalg.tensorsolve(a, x)
xp.linalg.inv(xp.stack([a, b, a]))
xp.linalg.solve((a + 1j * b), b)
xp.linalg.eigvalsh(a @ a.T)[::-1] ** 0.5
xp.sort(xp.linalg.eigvals(a + a.T).real)
""")

_FFT = (64, """
xp.fft.fft(x)
xp.fft.ifft(x)
xp.fft.fft(a)
xp.fft.fft(a, axis=0)
xp.fft.fft(a, n=9)
xp.fft.fft(big)
xp.fft.fft(big[:1009])
xp.fft.ifft(xp.fft.fft(big)).real
xp.fft.rfft(big)
xp.fft.irfft(xp.fft.rfft(big[:1000]), n=1000)
xp.fft.rfft(x, n=5)
xp.fft.hfft(c[0])
xp.fft.ihfft(x)
xp.fft.fft2(a)
xp.fft.ifft2(a + 1j * b)
xp.fft.rfft2(a)
xp.fft.irfft2(xp.fft.rfft2(a), s=a.shape)
xp.fft.fftn(t * 1.0)
xp.fft.ifftn(t * 1.0, axes=(0, 2))
xp.fft.rfftn(t * 1.0)
xp.fft.fft(x, norm='ortho')
xp.fft.fftfreq(9, 0.5)
xp.fft.rfftfreq(8)
xp.fft.fftshift(a)
xp.fft.ifftshift(a, axes=1)
xp.fft.fft(c)
""")

_GROUPS = {
    "creation": [_CREATION, _CREATION_ROUNDED], "elementwise": [_UFUNCS_EXACT, _UFUNCS_ROUNDED],
    "reductions": [_REDUCTIONS_EXACT, _REDUCTIONS_ROUNDED], "indexing": [_INDEXING], "shapes": [_SHAPES],
    "sorting": [_SORTING], "products": [_PRODUCTS], "linalg": [_LINALG], "fft": [_FFT]}


def _operands(xp) -> dict:
    """The same arrays in both modules: made of whole numbers by NumPy, so of exact values."""
    counted = (np.arange(10000, dtype=np.int64) * 7919 + 13) % 10007
    square = counted[:36].reshape(6, 6) % 17 / 4.0
    values = {
        "v": np.arange(5), "i": (np.arange(12).reshape(3, 4) * 5 + 1) % 13, "f": np.arange(12.0).reshape(3, 4) * 0.5,
        "n": np.array([1.5, np.nan, -2, np.inf, 0.25]), "t": np.arange(24).reshape(2, 3, 4),
        "u": np.array([[1, 100, 200], [7, 255, 3]], np.uint8), "c": np.arange(12).reshape(3, 4) % 5 - 1.5 + 2j,
        "s": np.linspace(0, 3, 20, dtype=np.float32).reshape(4, 5), "h": np.arange(6, dtype=np.float16) / 4,
        "a": square + 5 * np.eye(6), "b": square.T - np.eye(6) * 3, "x": counted[:6] % 11 / 2.0,
        "big": counted / 1000.0 - 5}
    arrays = {name: xp.asarray(value) for name, value in values.items()}

    def assigned(array, change):
        copy = array.copy()
        change(copy)
        return copy
    return {"xp": xp, "np": np, "assigned": assigned, **arrays}


def _area(groups):
    def compare(record):
        ours, theirs = _operands(cp), _operands(np)
        for tolerance, text in groups:
            for line in text.strip().splitlines():
                code = compile(line, line, "eval")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    record.agree(line, lambda: eval(code, ours), lambda: eval(code, theirs), tolerance)
    return compare


def areas() -> dict:
    """{name: function of a Record}."""
    return {name: _area(groups) for name, groups in _GROUPS.items()}
