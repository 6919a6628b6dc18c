"""Arrays as a header and frames, the pieces that distributed sends and spills without pickling. The bytes go in the
order in which they lie in memory where the array fills it, as transposed arrays do, and repeated elements go once. On
the CPU a frame is the array's own memory."""
import pickle

import numpy

import cuprite
from cuprite import ndarray


class OnHost:
    """An array of a device as header and frames in host memory (see DeviceMemory)."""

    def __init__(self, header, frames):
        self.header, self.frames = header, list(frames)

    def __sizeof__(self):
        return object.__sizeof__(self) + sum(f.nbytes if hasattr(f, "nbytes") else len(f) for f in self.frames)


def _parts(x):
    """(header, the elements as bytes on the array's device)."""
    if type(x) is not ndarray:
        raise NotImplementedError("a subclass has more than its elements")  # distributed pickles it then
    shape = x.shape
    x = x[tuple(slice(0, 1) if s == 0 and n > 1 else slice(None) for n, s in zip(shape, x.strides))]
    order = sorted(range(x.ndim), key=lambda i: (-abs(x.strides[i]), i))
    lying = x.transpose(order)
    if not lying.flags.c_contiguous:
        order = list(range(x.ndim))
        lying = cuprite.ascontiguousarray(x)
    dtype = x.dtype  # of NumPy's but for bfloat16
    short = isinstance(dtype, numpy.dtype) and dtype.kind != "V" and numpy.dtype(dtype.str) == dtype
    header = {"shape": shape, "lying": lying.shape, "order": order,
              "dtype": dtype.str if short else pickle.dumps(dtype)}
    return header, lying.reshape(-1).view(cuprite.uint8)


def _array(header, flat):
    """The array whose elements' bytes are `flat`."""
    dtype = header["dtype"]
    x = flat.view(numpy.dtype(dtype) if isinstance(dtype, str) else pickle.loads(dtype))
    order = list(header["order"])
    x = x.reshape(tuple(header["lying"])).transpose([order.index(i) for i in range(len(order))])
    shape = tuple(header["shape"])
    return x if x.shape == shape else cuprite.broadcast_to(x, shape)


def to_host(x):
    header, flat = _parts(x)
    on_cpu = flat.device.backend == "cpu"
    return header, [memoryview(numpy.from_dlpack(flat) if on_cpu else cuprite.asnumpy(flat))]


def from_host(header, frames):
    """The array on the current device. On the CPU it keeps a frame that may be written as its memory."""
    if len(frames) == 1:
        flat = numpy.frombuffer(frames[0], numpy.uint8) if len(frames[0]) else numpy.empty(0, numpy.uint8)
    else:  # frames are cut for sending where they are long
        flat = numpy.concatenate([numpy.frombuffer(f, numpy.uint8) for f in frames])
    keeps = flat.flags.writeable and flat.ctypes.data % 16 == 0 and cuprite.cuda.Device().backend == "cpu"
    return _array(header, cuprite.from_dlpack(flat) if keeps and flat.size else cuprite.asarray(flat))


def to_device(x):
    if not isinstance(x, ndarray) or x.device.backend == "cpu":
        raise NotImplementedError("this array is in host memory")
    header, flat = _parts(x)
    return header, [flat]


def from_device(header, frames):
    """The array in the frame's memory, which is any object with CUDA's interface."""
    frame, = frames
    return _array(header, cuprite.asarray(frame).view(cuprite.uint8))
