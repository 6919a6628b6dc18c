"""What formats do with their elements alone, whose places stay: types, signs, numbers times them, ufuncs."""
from __future__ import annotations

import cuprite as cp
from cuprite._element_types import type_of
from cuprite.scipy.sparse._base import _spbase
from cuprite.scipy.sparse._util import getdtype, isscalarlike


def _elementwise(name):
    def method(self):
        data = getattr(cp, name)(self._deduped())
        getdtype(type_of(data))
        return self._with_data(data)
    method.__name__, method.__doc__ = name, f"`cuprite.{name}` of each element."
    return method


class DataMatrix(_spbase):
    """A format with an array `data`: `_with_data` makes a matrix of other elements at the same places, and `_deduped`
    gives the elements when those that stand at one place have been added."""

    def astype(self, dtype, casting="unsafe", copy=True) -> _spbase:
        """The matrix with elements of another type.

        Parameters: dtype: the type; casting: which conversions are allowed; copy: whether the result must be new."""
        dtype = getdtype(dtype)
        if type_of(self) == dtype:
            return self.copy() if copy else self
        if casting != "unsafe" and not cp.can_cast(type_of(self), dtype, casting):
            raise TypeError(f"Cannot cast array data from {self.dtype!r} to {dtype!r} according to the rule "
                            f"'{casting}'")
        new = self._with_data(self.data.astype(dtype))
        new._deduped()
        return new

    def conjugate(self, copy=True) -> _spbase:
        """The complex conjugate.

        Parameters: copy: whether the result of a real matrix must be new."""
        if type_of(self).kind == "c":
            return self._with_data(self.data.conj(), copy=copy)
        return self.copy() if copy else self

    def _real(self):
        return self._with_data(self.data.real.copy())

    def _imag(self):
        return self._with_data(self.data.imag.copy() if type_of(self).kind == "c" else cp.zeros_like(self.data))

    def __abs__(self) -> _spbase:
        return self._with_data(abs(self._deduped()))

    def __round__(self, ndigits=0) -> _spbase:
        data = cp.around(self._deduped(), ndigits)
        getdtype(type_of(data))
        return self._with_data(data)

    def __neg__(self) -> _spbase:
        if type_of(self).kind == "b":
            raise NotImplementedError("negating a boolean sparse array is not supported")
        return self._with_data(-self.data)

    def _mul_scalar(self, other):
        return self._with_data(self.data * other)

    def __imul__(self, other) -> _spbase:
        if not isscalarlike(other):
            return NotImplemented
        self.data *= other
        return self

    def __itruediv__(self, other) -> _spbase:
        if not isscalarlike(other):
            return NotImplemented
        self.data *= 1.0 / other
        return self

    def power(self, n, dtype=None) -> _spbase:
        """Each element to a power.

        Parameters: n: a number, not 0; dtype: the type in which it is computed."""
        if not isscalarlike(n):
            raise NotImplementedError("input is not scalar")
        if not n:
            raise NotImplementedError("zero power is not supported as it would densify the matrix.\nUse "
                                      "`np.ones(A.shape, dtype=A.dtype)` for this case.")
        data = self._deduped()
        data = (data if dtype is None else data.astype(dtype, copy=False)) ** n
        getdtype(type_of(data))
        return self._with_data(data)

    sin = _elementwise("sin")
    tan = _elementwise("tan")
    arcsin = _elementwise("arcsin")
    arctan = _elementwise("arctan")
    sinh = _elementwise("sinh")
    tanh = _elementwise("tanh")
    arcsinh = _elementwise("arcsinh")
    arctanh = _elementwise("arctanh")
    rint = _elementwise("rint")
    sign = _elementwise("sign")
    expm1 = _elementwise("expm1")
    log1p = _elementwise("log1p")
    deg2rad = _elementwise("deg2rad")
    rad2deg = _elementwise("rad2deg")
    floor = _elementwise("floor")
    ceil = _elementwise("ceil")
    trunc = _elementwise("trunc")
    sqrt = _elementwise("sqrt")
