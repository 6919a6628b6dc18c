"""Generic filters whose function is a kernel, as CuPy has them: a ReductionKernel of each window's elements, or the
function of a RawKernel, called for each window or line with numbers of float64 on the device."""
import re

import cuprite
from cuprite import _numpy as numpy
from cuprite._compiler import loop_source
from cuprite._element_types import type_of

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
_REDUCTION = """
struct window_index {{
    long long n, at;
    __device__ long long size() const {{ return n; }}
    __device__ const long long *get() const {{ return &at; }}
}};
extern "C" __global__ void generic_filter({x_type} *windows, long long m, {y_type} *results, long long count)
{{
    const long long _i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (_i >= count) return;
    {x_type} *const _raw_{x} = windows + _i * m;
    {y_type} *const _raw_{y} = results + _i;
    window_index _in_ind = {{m, 0}}, _out_ind = {{1, 0}};
    (void)_raw_{y}, (void)_out_ind;
    _type_reduce _sum = _type_reduce({identity});
    for (long long _J = 0; _J < m; _J++) {{
        const long long _j = _in_ind.at = _J;
        (void)_j;
        {x_type} &{x} = _raw_{x}[_J];
        _type_reduce a = _sum, b = static_cast<_type_reduce>({map});
        _sum = _J || {has_identity} ? static_cast<_type_reduce>({reduce}) : b;
    }}
    _type_reduce &a = _sum;
    {y_type} &{y} = _raw_{y}[0];
    {post};
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


def _reads_window(kernel):
    """Does a ReductionKernel ask for more than its element? Then a window is the whole of what it reduces."""
    return re.search(rf"\b(_in_ind|_out_ind|_raw_{kernel.in_params[0].name}|_i|_j|_J)\b", kernel.body_source)


def _reduced(kernel, windows, out):
    """Each row of windows by a ReductionKernel whose names are those of the row alone."""
    x, y = (p.name for p in kernel.params)
    types = kernel._resolve((type_of(windows).name, type_of(out).name), windows._device)[0]
    x_type, y_type = (loop_source.C_TYPES[t] for t in types)
    text = [*loop_source.opening(kernel, types), f"typedef {kernel.reduce_ctype(types)} _type_reduce;",
            _REDUCTION.format(x=x, y=y, x_type=x_type, y_type=y_type, map=kernel.map_expr, reduce=kernel.reduce_expr,
                              post=kernel.post_map_expr, identity=kernel.identity_source,
                              has_identity=int(bool(kernel.identity_source)))]
    outer = cuprite.RawKernel(loop_source.finished(kernel, text), "generic_filter", options=tuple(kernel.options or ()))
    windows = windows.astype(types[0], copy=False)
    results = cuprite.empty(len(windows), types[1])
    outer(((len(windows) + 127) // 128,), (128,), (windows, numpy.int64(windows.shape[1]), results,
                                                   numpy.int64(len(windows))))
    out[...] = results


def windows_filtered(kernel, x, shape, widths, padding, footprint, dtype):
    """What the kernel makes of each window of x; padding: of cuprite.pad, with its options."""
    if isinstance(kernel, cuprite.ReductionKernel) and (kernel.nin, kernel.nout) != (1, 1):
        raise TypeError("the kernel of a filter has one input and one output")
    count = x.shape
    x = cuprite.pad(x, widths, padding[0], **padding[1])
    windows = cuprite.lib.stride_tricks.sliding_window_view(x, shape)[..., cuprite.asarray(footprint)]
    windows = windows.reshape(-1, windows.shape[-1])
    if isinstance(kernel, cuprite.RawKernel):
        windows = cuprite.ascontiguousarray(windows, dtype="float64")
        return _called(kernel, "window", windows, 1).reshape(count)
    out = cuprite.empty(len(windows), dtype)
    windows = cuprite.ascontiguousarray(windows)
    if _reads_window(kernel):
        _reduced(kernel, windows, out)
    else:
        kernel(windows, out=out, axis=-1)
    return out.reshape(count)


def lines_filtered(kernel, x, axis, widths, padding):
    """What the kernel writes of each line of x along an axis."""
    if not isinstance(kernel, cuprite.RawKernel):
        raise TypeError("the kernel of a filter along an axis is a RawKernel")
    x = cuprite.moveaxis(x.astype("float64"), axis, -1)
    shape = x.shape
    x = cuprite.pad(x, [(0, 0)] * (x.ndim - 1) + [widths], padding[0], **padding[1])
    x = cuprite.ascontiguousarray(x.reshape(-1, x.shape[-1]))
    return cuprite.moveaxis(_called(kernel, "line", x, shape[-1]).reshape(shape), -1, axis)
