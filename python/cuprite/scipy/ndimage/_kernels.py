"""Generic filters whose function is a kernel, as CuPy has them: a ReductionKernel of each window's elements, or the
function of a RawKernel, called for each window or line with numbers of float64 on the device."""
import cuprite
import numpy

_CALLS = {
    "window": "raw_kernel::{name}((double *)(in + i * m), (int)m, out + i);",
    "line": "raw_kernel::{name}((double *)(in + i * m), m, out + i * n, n);",
}
_TEXT = """
namespace raw_kernel {{
{code}
}}
extern "C" __global__ void generic_filter(const double *in, long long m, double *out, long long n, long long count)
{{
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {call}
}}
"""


def is_kernel(function):
    """Is it one of the kernels that run on the device?"""
    return isinstance(function, (cuprite.RawKernel, cuprite.ReductionKernel))


def _called(kernel, how, x, n):
    """The kernel's function of each row of x: n numbers a row."""
    code = kernel.code.replace("__global__", "__device__")
    text = _TEXT.format(code=code, call=_CALLS[how].format(name=kernel.name))
    outer = cuprite.RawKernel(text, "generic_filter", options=tuple(kernel.options or ()))
    out = cuprite.empty((len(x), n))
    outer(((len(x) + 127) // 128,), (128,), (x, numpy.int64(x.shape[1]), out, numpy.int64(n), numpy.int64(len(x))))
    return out


def windows_filtered(kernel, x, shape, widths, padding, footprint, dtype):
    """What the kernel makes of each window of x; padding: of cuprite.pad, with its options."""
    if isinstance(kernel, cuprite.ReductionKernel) and (kernel.nin, kernel.nout) != (1, 1):
        raise TypeError("the kernel of a filter has one input and one output")
    count = x.shape
    x = cuprite.pad(x, widths, padding[0], **padding[1])
    windows = cuprite.lib.stride_tricks.sliding_window_view(x, shape)[..., cuprite.asarray(footprint)]
    windows = windows.reshape(-1, windows.shape[-1])
    if isinstance(kernel, cuprite.RawKernel):
        windows = cuprite.ascontiguousarray(windows, dtype=numpy.float64)
        return _called(kernel, "window", windows, 1).reshape(count)
    out = cuprite.empty(len(windows), dtype)
    kernel(cuprite.ascontiguousarray(windows), out=out, axis=-1)
    return out.reshape(count)


def lines_filtered(kernel, x, axis, widths, padding):
    """What the kernel writes of each line of x along an axis."""
    if not isinstance(kernel, cuprite.RawKernel):
        raise TypeError("the kernel of a filter along an axis is a RawKernel")
    x = cuprite.moveaxis(x.astype(numpy.float64), axis, -1)
    shape = x.shape
    x = cuprite.pad(x, [(0, 0)] * (x.ndim - 1) + [widths], padding[0], **padding[1])
    x = cuprite.ascontiguousarray(x.reshape(-1, x.shape[-1]))
    return cuprite.moveaxis(_called(kernel, "line", x, shape[-1]).reshape(shape), -1, axis)
