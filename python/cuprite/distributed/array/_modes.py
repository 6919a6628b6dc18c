"""How chunks that overlap are to be read: as replicas of the same elements, or as terms of an operation."""
import numpy

import cuprite


class OpMode:
    """Elements in several chunks are the result of an operation on all of them.

    Parameters: name: 'sum', 'prod', 'max' or 'min'; combine: the ufunc; idempotent: whether f(x, x) is x; identity: a
        function of a dtype."""
    __slots__ = ("name", "combine", "idempotent", "identity")

    def __init__(self, name, combine, idempotent, identity):
        self.name, self.combine, self.idempotent, self.identity = name, combine, idempotent, identity

    def __repr__(self):
        return self.name.upper()

    def __reduce__(self):
        return self.name.upper()


def _limit(which):
    def identity(dtype):
        dtype = numpy.dtype(dtype)
        if dtype.kind == "b":
            return which == "min"
        if dtype.kind in "iu":
            limits = numpy.iinfo(dtype)
            return limits.max if which == "min" else limits.min
        return numpy.inf if which == "min" else -numpy.inf
    return identity


REPLICA = None
SUM = OpMode("sum", cuprite.add, False, lambda dtype: 0)
PROD = OpMode("prod", cuprite.multiply, False, lambda dtype: 1)
MAX = OpMode("max", cuprite.maximum, True, _limit("max"))
MIN = OpMode("min", cuprite.minimum, True, _limit("min"))
