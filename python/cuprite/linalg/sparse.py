"""cuprite.linalg.sparse, as cupyx.linalg.sparse: a direct solver of Hermitian systems."""
from __future__ import annotations

from cuprite._missing import getter as _getter
from cuprite.scipy.sparse.linalg._direct import lschol

__all__ = ["lschol"]
__getattr__ = _getter(__name__)
