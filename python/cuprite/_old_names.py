"""Names that NumPy 2 has no more and CuPy's programs still use: each calls what it is named today."""
import cuprite


def alltrue(a, axis=None, out=None, keepdims=False):
    """all."""
    return cuprite.all(a, axis=axis, out=out, keepdims=keepdims)


def sometrue(a, axis=None, out=None, keepdims=False):
    """any."""
    return cuprite.any(a, axis=axis, out=out, keepdims=keepdims)


def product(a, axis=None, dtype=None, out=None, keepdims=False):
    """prod."""
    return cuprite.prod(a, axis=axis, dtype=dtype, out=out, keepdims=keepdims)


def cumproduct(a, axis=None, dtype=None, out=None):
    """cumprod."""
    return cuprite.cumprod(a, axis=axis, dtype=dtype, out=out)


def trapz(y, x=None, dx=1.0, axis=-1):
    """trapezoid."""
    return cuprite.trapezoid(y, x, dx, axis)


def asfarray(a, dtype="float64"):
    """asarray of a floating type, float64 where the dtype is none."""
    dtype = cuprite.dtype(dtype)
    return cuprite.asarray(a, dtype=dtype if dtype.kind in "fc" else "float64")
