"""Types for annotations: NDArray[cp.float32] is Cuprite's array of that type, ArrayLike is what asarray accepts."""
import types
from typing import Any, TypeVar, Union

import numpy
import numpy.typing
from numpy.typing import DTypeLike

from cuprite._core import ndarray
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]

_Scalar = TypeVar("_Scalar", bound=numpy.generic)
ArrayLike = Union[ndarray, numpy.typing.ArrayLike]
NDArray = types.GenericAlias(ndarray, (Any, numpy.dtype[_Scalar]))


def __getattr__(name):
    if name == "NBitBase":  # NumPy warns where it is used: it is on its way out
        return numpy.typing.NBitBase
    raise _missing(__name__, name)


__dir__ = _listing(__name__)
