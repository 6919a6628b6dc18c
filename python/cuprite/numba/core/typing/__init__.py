"""numba.core.typing: signatures."""
from cuprite._compiler.numba._types import Signature, typeof  # noqa: F401
from cuprite._missing import getter as _getter


def signature(return_type, *args, recvr=None):
    """A Signature of a result type and the types of the arguments.

    Parameters: return_type: a type; args: types; recvr: not used."""
    return Signature(return_type, args)


__getattr__ = _getter(__name__)
