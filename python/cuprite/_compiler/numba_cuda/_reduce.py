"""cuda.reduce: the reduction of an array by a function of two numbers."""
from cuprite._compiler.numba_cuda.devicearray import lies_there, ours, using


class Reduce:
    """A reduction by an associative binary function: f(array, size=None, res=None, init=0, stream=0)."""

    def __init__(self, functor):
        self._functor, self.py_func = functor, functor
        self._ufunc = None

    def __call__(self, arr, size=None, res=None, init=0, stream=0):
        import cuprite
        if self._ufunc is None:
            from cuprite._compiler.numba.vectorized import DeviceUfunc
            self._ufunc = DeviceUfunc(getattr(self._functor, "_function", self._functor), [], identity=None)
        if getattr(arr, "ndim", 1) != 1:
            raise TypeError(f"only support 1D array, not {arr.ndim}-d")
        with using(stream):
            x = ours(arr) if lies_there(arr) else cuprite.array(arr)
            if size is not None:
                x = x[:size]
            value = self._ufunc.fold(x, x.dtype.type(init))
            if res is None:
                return value.get()[()]
            if lies_there(res):
                ours(res)[:1] = value
            else:
                res[0] = value.get()[()]
            return None


def reduce(functor):
    """Decorator: a function of two numbers becomes a reduction of arrays."""
    return Reduce(functor)


