"""numba.core.typing.typeof."""
from cuprite._compiler.numba._types import typeof  # noqa: F401
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
