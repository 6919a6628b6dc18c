"""What cuprite.scipy.special has beside its ufuncs."""
from __future__ import annotations

from cuprite import _core

__all__ = ["cbrt", "exp2", "expm1", "i0", "log1p", "round", "sinc"]

cbrt, exp2, expm1, i0, log1p, sinc = (_core.cbrt, _core.exp2, _core.expm1, _core.i0, _core.log1p, _core.sinc)
round = _core.rint
