"""cupy.cuda.thrust: Cuprite sorts by kernels of its own; these functions of addresses raise NotImplementedError."""
from cuprite.cuda._absent import function
from cuprite._missing import listing as _listing

available = False


def get_build_version():
    """0: there is none."""
    return 0


sort = function("Thrust", "thrust.sort", "cuprite.sort sorts arrays")
argsort = function("Thrust", "thrust.argsort", "cuprite.argsort sorts arrays")
lexsort = function("Thrust", "thrust.lexsort", "cuprite.argsort sorts arrays")


__dir__ = _listing(__name__)
