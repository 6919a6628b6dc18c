"""Arrays of numba.cuda: what other libraries see of them, streams, views; arguments with a direction; warnings;
questions to kernels. In the spirit of Numba's own tests."""
import warnings

import numpy as np
import pytest

import cuprite.numba as numba
from cuprite.numba import config, cuda, float32, float64, guvectorize, int64, vectorize, void
from cuprite.numba.core import errors
from cuprite.numba.cuda.args import wrap_arg
from cuprite.numba.cuda.cudadrv import devicearray
from cuprite.numba.cuda.kernels.transpose import transpose
from cuprite.numba.cuda.vector_types import vector_types


class Foreign:
    """An array of another library, which has nothing but the interface."""

    def __init__(self, x):
        self.keep, self.__cuda_array_interface__ = x, x.__cuda_array_interface__


def test_cuda_array_interface(device):
    """It is there on the CPU and on GPUs, and an array is made of it without a copy."""
    if device.startswith("late"):  # its memory is no GPU's, which the interface stands for
        with pytest.raises(RuntimeError):
            cuda.as_cuda_array(Foreign(cuda.to_device(np.zeros(3))))
        return
    host = np.arange(24.0).reshape(4, 6)
    d = cuda.to_device(host)
    for view in (d, d[1:, ::2], d[::-1], d.T, cuda.to_device(np.zeros((0, 3)))):
        interface = view.__cuda_array_interface__
        assert interface["shape"] == view.shape and interface["typestr"] == "<f8" and interface["version"] == 3
        assert interface["strides"] == (None if view.is_c_contiguous() else view.strides)
        same = cuda.as_cuda_array(Foreign(view))
        assert (same.copy_to_host() == view.copy_to_host()).all() and same.shape == view.shape

    @cuda.jit
    def add(x, v):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] += v
    add[(1, 1), (8, 8)](Foreign(d[1:3, ::2]), 100)
    host[1:3, ::2] += 100
    assert (d.copy_to_host() == host).all()
    f = vectorize(["f8(f8, f8)"], target="cuda")(lambda a, b: a + b)
    assert (f(Foreign(d), 1).copy_to_host() == host + 1).all()
    records = np.zeros(3, [("a", "i4"), ("b", "f8")])
    records["b"] = 1.5, 2.5, 3.5
    assert (cuda.as_cuda_array(Foreign(cuda.to_device(records))).copy_to_host() == records).all()
    with pytest.raises(TypeError):
        cuda.as_cuda_array(np.zeros(3))


def test_streams_of_arrays(device):
    stream = cuda.stream()
    with stream.auto_synchronize():
        d = cuda.device_array((3, 3), "f4", stream=stream)
        assert d.stream is stream and d[1].stream is stream and d.bind(0).stream == 0
        assert cuda.to_device(np.zeros(3), stream=stream).stream is stream


def test_arrays_of_given_memory(device):
    d = devicearray.DeviceNDArray((2, 3), (24, 8), np.float64)
    d.copy_to_device(np.arange(6.0).reshape(2, 3))
    column = devicearray.DeviceNDArray((2,), (24,), np.float64, gpu_data=d.gpu_data)
    assert column.copy_to_host().tolist() == [0, 3] and column.gpu_data == d.gpu_data
    assert devicearray.is_contiguous(d) and not devicearray.is_contiguous(column)
    assert devicearray.is_cuda_ndarray(d) and not devicearray.is_cuda_ndarray(np.zeros(2))
    devicearray.verify_cuda_ndarray_interface(d)
    made, new = devicearray.auto_device(np.arange(3))
    assert new and made.copy_to_host().tolist() == [0, 1, 2] and devicearray.auto_device(made) == (made, False)
    with pytest.raises(ValueError, match="non-contiguous buffer"):
        devicearray.sentry_contiguous(np.zeros((4, 4))[:, ::2])
    with pytest.raises(ValueError, match="strides"):
        devicearray.DeviceNDArray((2, 3), (8,), np.float64)


def test_views_and_axes(device):
    d = cuda.to_device(np.arange(12, dtype="i2").reshape(4, 3))
    with pytest.raises(ValueError, match="its size must be a divisor of the total size"):
        d.view("i4")
    with pytest.raises(ValueError, match="the last axis must be contiguous"):
        d[:, ::2].view("i1")
    with pytest.raises(ValueError, match=r"invalid axes list \(0, 2\)"):
        d.transpose((0, 2))
    with pytest.raises(ValueError, match=r"invalid axes list \(0, 0\)"):
        d.transpose((0, 0))
    with pytest.raises(ValueError, match="Can't copy sequence with size 2 to array axis 0 with dimension 3"):
        d[0] = np.zeros(2, "i2")
    t = transpose(d)
    assert t.is_c_contiguous() and (t.copy_to_host() == d.copy_to_host().T).all()
    back = cuda.device_array((4, 3), "i2")
    assert (transpose(t, back).copy_to_host() == d.copy_to_host()).all()
    with pytest.raises(NotImplementedError):
        d.get_ipc_handle()


def test_arguments_with_a_direction(device):
    @cuda.jit
    def three(x):
        x[0] = 3
    a, b, c = np.zeros(1), np.zeros(1), np.zeros(1)
    three[1, 1](cuda.In(a))
    three[1, 1](cuda.Out(b))
    three[1, 1](cuda.InOut(c))
    assert (a[0], b[0], c[0]) == (0, 3, 3)

    class OnlyIn:
        def prepare_args(self, ty, val, **kwargs):
            return ty, wrap_arg(val, default=cuda.In)
    three.extensions.append(OnlyIn())
    b[0] = 0
    three[1, 1](b)
    three[1, 1](cuda.InOut(c))
    assert (b[0], c[0]) == (0, 3)


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
def test_arrays_of_memory_that_devices_reach_are_lent(make):
    """cupy.asarray makes a view of what has __cuda_array_interface__, of a class of NumPy's arrays too."""
    import cuprite as cp
    host = make((3, 4), dtype=np.int32)
    host[...] = np.arange(12).reshape(3, 4)
    for part in (host, host[1:], host[:, ::2], host[::-1], host.T):
        for x in (cp.asarray(part), cp.array(part, copy=False), cp.asanyarray(part)):
            assert isinstance(x, cp.ndarray) and x.shape == part.shape and x.dtype == np.int32
            x += 1000
            cp.cuda.get_current_stream().synchronize()
            assert (part >= 1000).all() and (x.get() == part).all()
            part -= 1000
            assert (x.get() == np.asarray(part)).all()
    for copy in (cp.array(host), cp.asarray(host, dtype="f8"), cp.asarray(host.copy()), cp.asarray(host + 0)):
        copy[...] = 7
        cp.cuda.get_current_stream().synchronize()
        assert (host == np.arange(12).reshape(3, 4)).all()
    assert cp.asarray(host[:0]).shape == (0, 4)
    with pytest.raises(ValueError):
        cp.array(host.copy(), copy=False)  # NumPy's copy lies elsewhere


@pytest.mark.parametrize("make, kind", [(cuda.mapped_array, devicearray.MappedNDArray),
                                        (cuda.managed_array, devicearray.ManagedNDArray)])
def test_arrays_of_the_host_that_devices_reach(make, kind, device):
    """Their interface says where they lie, of the memory that they were made in alone; work on that is seen."""
    stream = cuda.stream()
    x = make((4, 6), np.float32, stream=stream)
    assert type(x) is kind and isinstance(x, np.ndarray) and cuda.is_cuda_array(x)
    x[...] = host = np.arange(24, dtype=np.float32).reshape(4, 6)
    interface = x.__cuda_array_interface__
    assert interface["data"] == (x.ctypes.data, False) and interface["stream"] == stream.handle.value
    assert interface["shape"] == (4, 6) and interface["strides"] is None and interface["typestr"] == "<f4"
    part = x[1:, ::2].__cuda_array_interface__
    assert part["data"][0] == x.ctypes.data + 24 and part["strides"] == (24, 8) and part["shape"] == (3, 3)
    assert make(3).__cuda_array_interface__["stream"] is None
    for ordinary in (cuda.pinned_array(3), x.copy(), x + 1, np.sort(x)):
        assert not hasattr(ordinary, "__cuda_array_interface__") and not cuda.is_cuda_array(ordinary)
    assert type(x + 1) is np.ndarray and type(x.sum()) is np.float32

    @cuda.jit
    def add(x, v):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j] += v
    add[1, (8, 8)](x, 1)
    add[1, (8, 8)](cuda.as_cuda_array(x[1:, ::2]), 10)
    add[1, (8, 8)](x[:, 1:2], 100)
    cuda.synchronize()
    host += 1
    host[1:, ::2] += 10
    host[:, 1:2] += 100
    assert (x == host).all() and (cuda.to_device(x).copy_to_host() == host).all() and (x.copy_to_host() == host).all()
    x.copy_to_device(cuda.to_device(host * 2))
    assert (x == host * 2).all() and x.is_c_contiguous() and not x.is_f_contiguous() and x.alloc_size == 96


def test_specialized_kernels(device):
    @cuda.jit
    def kernel(x, n):
        s = cuda.shared.array(100, float32)
        c = cuda.const.array_like(TABLE)
        i = cuda.grid(1)
        s[i] = c[i % 4]
        cuda.syncthreads()
        x[i] = s[i] + n
    one = kernel.specialize(float32[::1], int64)
    assert kernel.specialize(float32[::1], int64) is one and len(kernel.specializations) == 1
    assert kernel.specialize(float32[:], int64) is not one
    with pytest.raises(RuntimeError, match="already specialized"):
        one.specialize(float64[::1], int64)
    x = np.zeros(4, "f4")
    one[1, 4](x, 2)
    assert x.tolist() == (TABLE + 2).tolist() and one.get_shared_mem_per_block() == 400
    assert isinstance(one.get_regs_per_thread(), int)
    with pytest.raises(TypeError, match="Ambiguous overloading"):
        cuda.jit([void(float64[::1], float32, float64), void(float64[::1], float64, float32)])(
            lambda x, a, b: None)[1, 1](np.zeros(1), 1.0, 2.0)


TABLE = np.arange(4.0)


@pytest.mark.parametrize("options, text", [
    ({"debug": True}, "debug=True with opt=True"), ({"debug": True, "opt": False, "lineinfo": True}, "lineinfo")])
def test_options_that_do_not_go_together(options, text):
    with pytest.warns(errors.NumbaInvalidConfigWarning, match=text):
        cuda.jit(**options)(lambda x: None)


def test_warnings_on_demand(device, monkeypatch):
    @cuda.jit
    def kernel(x):
        x[0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel[1, 1](np.zeros(1))
    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 1)
    with pytest.warns(errors.NumbaPerformanceWarning, match="Grid size 1 will likely"):
        kernel[1, 1](cuda.to_device(np.zeros(1)))
    monkeypatch.setattr(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0)
    monkeypatch.setattr(numba.core.config, "CUDA_WARN_ON_IMPLICIT_COPY", 1)
    with pytest.warns(errors.NumbaPerformanceWarning, match="copy overhead"):
        kernel[1, 1](np.zeros(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel[1, 1](cuda.to_device(np.zeros(1)))
        kernel[1, 1](cuda.mapped_array(1))
    with pytest.warns(errors.NumbaPerformanceWarning, match="copy overhead"):
        kernel[1, 1](cuda.pinned_array(1))  # which Numba copies too


def test_types_as_arguments(device):
    """A kernel is compiled for each; a signature has numba.typeof of one."""
    def kernel(x, kind):
        s = cuda.shared.array(100, kind)
        i = cuda.grid(1)
        s[99 - i] = i + 0.5
        cuda.syncthreads()
        x[i] = s[i]
    every, one = cuda.jit(kernel), cuda.jit(void(float64[::1], numba.typeof(np.int32)))(kernel)
    for kind in (np.int32, np.float64):
        x = np.zeros(100)
        every[1, 100](x, kind)
        assert (x == kind(np.arange(100)[::-1] + 0.5)).all()
    assert one.get_shared_mem_per_block() == 400 and every.specialize(x, np.float64).get_shared_mem_per_block() == 800
    one[1, 100](x, np.int32)
    assert (x == np.arange(100)[::-1]).all()
    with pytest.raises(TypeError, match=r"No matching definition for argument type\(s\) .*class\(int64\)"):
        one[1, 100](x, np.int64)
    with pytest.raises(errors.TypingError, match="Cannot determine Numba type"):
        every[1, 100](x, int)
    assert numba.typeof(np.int16) == numba.typeof(np.int16) != numba.typeof(np.int32)


def test_a_launch_that_is_refused(device):
    """Programs expect Numba's error of the driver's API; it is CUDA's kind too."""
    @cuda.require_context
    def launched(threads):
        cuda.jit(lambda x: None)[1, threads](cuda.to_device(np.zeros(3)))
    for kind in (cuda.cudadrv.driver.CudaAPIError, cuda.cudadrv.error.CudaDriverError):
        with pytest.raises(kind, match="CUDA_ERROR_INVALID_VALUE.*1025 x 1 x 1") as e:
            launched(1025)
        assert e.value.msg == str(e.value)
    launched(1024)
    assert cuda.devices.require_context(len) is len and issubclass(cuda.cudadrv.error.NvrtcError, Exception)


def test_what_vectorize_and_guvectorize_refuse(device):
    signature = [void(float32[:], float32[:])]
    with pytest.raises(TypeError, match="nopython flag must be True"):
        guvectorize(signature, "(x)->(x)", target="cuda", nopython=False)
    with pytest.raises(TypeError, match="The following target options are not supported: 'what'"):
        guvectorize(signature, "(x)->(x)", target="cuda", what=1)
    with pytest.raises(KeyError, match="Unrecognized options"):
        vectorize(["f4(f4)"], target="cuda", what=1)
    with pytest.warns(RuntimeWarning, match="redundant"):
        vectorize(["f4(f4)"], target="cuda", nopython=True)

    @guvectorize([void(float32[:], float32[:])], "(x)->(x)", target="cuda")
    def twice(x, out):
        for i in range(x.size):
            out[i] = 2 * x[i]
    x = np.arange(3, dtype="f4")
    with pytest.raises(TypeError, match="gufunc accepts 1 positional arguments .* or 2 .*Got 3 positional arguments"):
        twice(x, x, x)
    with pytest.raises(ValueError, match="both positional and keyword"):
        twice(x, x, out=x)
    assert twice(x).tolist() == [0, 2, 4]


def test_functions_that_are_declared():
    f = cuda.declare_device("f1", "int32(float32[:])")
    assert f.name == "f1" and f.sig.args == (float32[:],)
    with pytest.raises(TypeError, match="Return type"):
        cuda.declare_device("f1", "(float32[:],)")
    with pytest.raises(NotImplementedError, match="f1 is declared with .*, and no file that is linked"):
        cuda.jit("void(float32[:])")(lambda x: f(x))


def test_short_vectors_by_their_types(device):
    for name in ("float32x3", "int16x4", "float64x2"):
        t = vector_types[name]
        assert getattr(cuda, name) is t and all(getattr(cuda, alias) is t for alias in t.aliases)

        @cuda.jit
        def kernel(out):
            v = t(t.base_type(1), *(t.base_type(2),) * (t.num_elements - 1))
            out[0] = v.x
            out[1] = v.y
        out = np.zeros(2)
        kernel[1, 1](out)
        assert out.tolist() == [1, 2]


def test_numbers_beyond_a_signature_wrap(device):
    @cuda.jit("void(int64[:], int32, uint8)")
    def kernel(out, a, b):
        out[0] = a
        out[1] = b
    out = np.zeros(2, "i8")
    kernel[1, 1](out, 0xFFFFFFFF, 258)
    assert out.tolist() == [-1, 2]
