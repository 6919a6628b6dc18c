"""Modules of cupy.cuda whose libraries Cuprite has no interface to: they import, their numbers are right, their errors
are theirs, and what would need the library says what is missing."""
import importlib
import os
import pathlib
import pickle
import subprocess

import pytest

import cuprite as cp
from cuprite import cuda

pytestmark = pytest.mark.once
LIBRARIES = {"cublas": ("cuBLAS", "create"), "cusolver": ("cuSOLVER", "create"), "cusparse": ("cuSPARSE", "create"),
             "curand": ("cuRAND", "createGenerator"), "cutensor": ("cuTENSOR", "create_handle"),
             "cusparselt": ("cuSPARSELt", "init"), "cudnn": ("cuDNN", "create"), "jitify": ("Jitify", "jitify"),
             "cufft": ("cuFFT", "create"), "thrust": ("Thrust", "sort"),
             "cub": ("CUB", "device_reduce")}


@pytest.mark.parametrize("name", LIBRARIES)
def test_says_what_is_missing(name):
    library, word = LIBRARIES[name]
    module = getattr(cuda, name)
    assert module is importlib.import_module(f"cuprite.cuda.{name}") and module.available is False
    with pytest.raises(NotImplementedError) as e:
        getattr(module, word)(1, 2)
    assert str(e.value).startswith(f"{name}.{word}: Cuprite has no interface to {library}")
    with pytest.raises(AttributeError):
        module.NO_SUCH_NUMBER


@pytest.mark.parametrize("name, kind", [("cufft", "XtPlanNd")])
def test_objects_cannot_be_made(name, kind):
    made = getattr(getattr(cuda, name), kind)
    assert isinstance(made, type)
    with pytest.raises(NotImplementedError, match=f"{kind}: Cuprite has no interface to"):
        made()


def test_numbers():
    from cuprite.cuda import cub, cufft, nccl
    assert (cufft.CUFFT_C2C, cufft.CUFFT_Z2D, cufft.CUFFT_FORWARD) == (41, 108, -1)
    assert (nccl.NCCL_SUM, nccl.NCCL_AVG, nccl.NCCL_FLOAT64, nccl.NCCL_BFLOAT16) == (0, 4, 8, 9)
    assert cub.CUPY_CUB_SUM == 0 and cub.CUPY_CUB_PROD == 7
    assert [d.name for d in cub.CUB_sum_support_dtype][-1] == "float16"
    assert cuda.thrust.get_build_version() == 0 == cub.get_build_version()


@pytest.mark.parametrize("error, check, number, text", [
    ("cufft.CuFFTError", "check_result", 5, "CUFFT_INTERNAL_ERROR"), ("cufft.CuFFTError", "check_result", 99, "99"),
    ("nccl.NcclError", "check_status", 4, "NCCL_ERROR_INVALID_ARGUMENT")])
def test_errors(error, check, number, text):
    module, kind = error.split(".")
    module = getattr(cuda, module)
    assert getattr(module, check)(0) is None
    with pytest.raises(getattr(module, kind), match=text) as e:
        getattr(module, check)(number)
    assert str(pickle.loads(pickle.dumps(e.value))) == str(e.value)


def test_textures():
    from cuprite.cuda import texture
    channel = texture.ChannelFormatDescriptor(32, 0, 0, 0, cuda.runtime.cudaChannelFormatKindFloat)
    assert channel.get_channel_format() == {"x": 32, "y": 0, "z": 0, "w": 0, "f": 2}
    assert texture.TextureDescriptor(filterMode=1).get_texture_desc() == {"filterMode": 1, "readMode": 0}
    for make in (texture.CUDAarray, texture.ResourceDescriptor, texture.TextureObject, texture.SurfaceObject):
        with pytest.raises(texture.CUDARuntimeError, match="cudaErrorNotSupported"):
            make(channel, 8)


def test_compilers():
    from cuprite.cuda import compiler
    assert compiler.is_valid_kernel_name("f_1") and not compiler.is_valid_kernel_name("f<int>")
    for name in ("compile_using_nvrtc", "compile_using_nvcc", "compile_using_hipcc"):
        with pytest.raises(NotImplementedError, match=f"compiler.{name}: .*RawModule"):
            getattr(compiler, name)("")


def test_function_of_a_module(device, tmp_path):
    code = 'extern "C" __global__ void twice(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; ' \
           'if (i < n) x[i] *= 2; }'
    module = cuda.Module()
    assert module.ptr == 0 and module.mapping is None
    with pytest.raises(RuntimeError, match="the module was not loaded"):
        module.get_function("twice")
    module._module = cp.RawModule(code=code)._source.module()
    f = cuda.Function(module, "twice")
    assert f.module is module
    x = cp.arange(1000, dtype="f4")
    import numpy as np
    f.linear_launch(1000, (x, np.int32(1000)))
    f((8,), (128,), (x, np.int32(1000)))
    f.linear_launch(0, (x, np.int32(1000)))
    assert x.tolist() == [4.0 * k for k in range(1000)]


def test_no_library_takes_the_room_of_static_tls():
    """The loader has few bytes of it for libraries that come late: OpenMP's beside PyTorch needs them."""
    folder = pathlib.Path(cp.__file__).absolute().parents[2] / "lib"
    found = sorted(folder.glob("libcuprite*.so"))
    assert folder / "libcuprite.so" in found
    for library in found:
        text = subprocess.run(["readelf", "-dW", library], check=True, capture_output=True, text=True).stdout
        assert "SONAME" in text and "STATIC_TLS" not in text, library
