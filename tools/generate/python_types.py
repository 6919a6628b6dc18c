"""Types for the stubs of Python modules, where the source does not say them: results, what a parameter takes, and the
overloads of functions and decorators whose result depends on their arguments.

Invariant: a type is never narrower than what the function takes; where neither a name, a default nor the docstring says
what a parameter takes, it is Any.
"""
import ast
import re

# Results, by module: type -> functions and methods. They name what the modules do not import.
RESULTS = {
    "cuprite": {
        "cuprite.cuda.memory.MemoryPool": "get_default_memory_pool",
        "cuprite.cuda.pinned_memory.PinnedMemoryPool": "get_default_pinned_memory_pool",
        "types.ModuleType": "get_array_module",
    },
    "cuprite._compiler.numba_cuda._api": {
        "numpy.ndarray[Any, Any]": "pinned_array pinned_array_like", "DeviceNDArray": "to_device",
        "AbstractContextManager[None]": "Stream.auto_synchronize pinned profiling defer_cleanup",
    },
    "cuprite._compiler.numba_cuda.devicearray": {
        "numpy.ndarray[Any, Any]": "DeviceNDArray.copy_to_host", "numpy.dtype[Any]": "DeviceNDArray.dtype",
        "int": "DeviceNDArray.size DeviceNDArray.ndim DeviceNDArray.nbytes DeviceNDArray.itemsize",
        "tuple[int, ...]": "DeviceNDArray.shape DeviceNDArray.strides", "DeviceNDArray": "DeviceNDArray.T",
    },
    "cuprite._einsum": {
        "ndarray": "einsum",
    },
    "cuprite._einsum_path": {
        "tuple[list[Any], str]": "einsum_path",
    },
    "cuprite._index_tricks": {
        "ndarray": "select isin ravel_multi_index tri",
        "tuple[ndarray, ...]": "unravel_index ix_ mask_indices diag_indices diag_indices_from",
        "tuple[ndarray, ndarray]": "tril_indices triu_indices tril_indices_from triu_indices_from",
    },
    "cuprite._manipulation": {
        "Iterator[tuple[tuple[int, ...], Any]]": "ndenumerate.__iter__",
    },
    "cuprite._memo": {
        "Callable[[_F], _F]": "memoize",
    },
    "cuprite._pinned": {
        "numpy.ndarray[Any, Any]": "empty_pinned zeros_pinned empty_like_pinned zeros_like_pinned",
    },
    "cuprite._polynomials": {
        "numpy.poly1d": "poly1d.get",
        "poly1d": "poly1d.__neg__ poly1d.__add__ poly1d.__sub__ poly1d.__rsub__ poly1d.__mul__ poly1d.__pow__",
        "ndarray": "poly1d.__cupy_get_ndarray__",
        "numpy.ndarray[Any, Any]": "poly1d.__array__",
    },
    "cuprite._support": {
        "Iterator[ndarray]": "Flat.__iter__",
        "ndarray": "Flat.copy Flat.__getitem__ Flat.__next__",
        "bool": """Flags.c_contiguous Flags.contiguous Flags.f_contiguous Flags.fortran Flags.owndata
            Flags.writeable Flags.aligned Flags.writebackifcopy Flags.behaved Flags.carray
            Flags.farray Flags.fnc Flags.forc""",
        "int": "Flags.num",
    },
    "cuprite._type_names": {
        "type[Any]": "common_type",
        "numpy.dtype[Any]": "min_scalar_type find_common_type make_aligned_dtype",
    },
    "cuprite.cuda": {
        "AbstractContextManager[None]": "profile",
    },
    "cuprite.cuda.runtime": {
        "dict[str, Any]": "getDeviceProperties",
    },
    "cuprite.io": {
        "ndarray": "png_read",
    },
    "cuprite.polynomial.chebyshev": {
        "ndarray": "chebpts1 chebpts2 chebinterpolate", "Self": "Chebyshev.interpolate",
        "tuple[ndarray, ndarray]": "chebgauss",
    },
    "cuprite.polynomial.polynomial": {
        "ndarray": """polyvander polycompanion polyval polyval2d polyval3d polyvalnd polygrid2d polygrid3d polyvander2d
            polyvander3d polyvalfromroots polyline polyfromroots polyadd polysub polymulx polymul polypow polyder
            polyint polyroots""",
        "tuple[ndarray, ndarray]": "polydiv",
    },
    "cuprite.scipy.fftpack": {
        "ndarray": "fft ifft fft2 ifft2 fftn ifftn rfft irfft",
    },
    "cuprite.scipy": {"types.ModuleType": "get_array_module"},
    "cuprite.polynomial._bases": {
        "ndarray": """Basis.add Basis.sub Basis.line Basis.mulx Basis.mul Basis.pow Basis.fromroots Basis.to_powers
            Basis.of_powers Basis.der Basis.int Basis.val Basis.val2d Basis.val3d Basis.valnd Basis.grid2d Basis.grid3d
            Basis.vander Basis.vander2d Basis.vander3d Basis.companion Basis.roots Basis.weight""",
        "tuple[ndarray, ndarray]": "Basis.div Basis.gauss",
    },
    "cuprite.polynomial.polyutils": {"ndarray": "getdomain mapdomain"},
    "cuprite.cuda.driver": {"int": "getVersion"},
    "cuprite.cuda.memory_hook": {"dict[str, MemoryHook]": "get_memory_hooks"},
    "cuprite.cuda.compiler": {"bool": "is_valid_kernel_name", "str": "CompileException.get_message"},
    "cuprite.scipy.linalg": {
        "tuple[ndarray, ndarray]": "lu_factor schur",
        "ndarray": "lu_solve solve_triangular hadamard dft kron tri tril triu",
    },
    "cuprite._shaping": {
        "numpy.dtype[Any]": "result_type", "_UniqueCounts": "unique_counts", "_UniqueInverse": "unique_inverse",
        "_UniqueAll": "unique_all",
    },
    "cuprite._cupyx": {
        "AbstractContextManager[None]": "errstate allow_synchronize", "dict[str, Any]": "geterr seterr",
        "_RuntimeInfo": "get_runtime_info",
    },
    "cuprite._files": {"Iterator[str]": "NpzFile.__iter__", "builtins.bytes": "dumps", "ndarray": "loadtxt"},
    "cuprite._raw": {
        "str | None": "RawKernel.code RawKernel.file_path RawModule.code RawModule.file_path",
        "int": """RawKernel.max_threads_per_block RawKernel.shared_size_bytes RawKernel.const_size_bytes
            RawKernel.local_size_bytes RawKernel.num_regs RawKernel.ptx_version RawKernel.binary_version
            RawKernel.cache_mode_ca RawKernel.max_dynamic_shared_size_bytes
            RawKernel.preferred_shared_memory_carveout""",
        "cuprite.cuda.memory.MemoryPointer": "RawModule.get_global",
        "cuprite.cuda.function.Function": "RawKernel.kernel", "cuprite.cuda.function.Module": "RawModule.module",
    },
    "cuprite.cuda.device": {"str": "Device.name Device.backend", "bool": "Device.__lt__ Device.__le__ Device.__gt__ "
                            "Device.__ge__",
        "NoReturn": """Device.cublas_handle Device.cusolver_handle Device.cusolver_sp_handle
            Device.cusparse_handle Device.cutensor_handle""",
    },
    "cuprite.cuda.nvtx": {"int": "RangeStart"}, "cuprite.cuda.graph": {"int": "Graph.graph Graph.graphExec"},
    "cuprite.cuda.function": {
        "Module": "Function.module", "None": "Function.__call__", "int": "Function.ptr Module.ptr",
    },
    "cuprite.cuda.memory": {"Callable[[int], MemoryPointer]": "get_allocator"},
    "cuprite.lib.scimath": {"ndarray": "sqrt log log10 log2 arccos arcsin arctanh logn power"},
    "cuprite.polynomial._series": {
        "Self": """ABCPolyBase.copy ABCPolyBase.cutdeg ABCPolyBase.trim ABCPolyBase.truncate ABCPolyBase.identity
            ABCPolyBase.basis ABCPolyBase.integ ABCPolyBase.deriv ABCPolyBase.fromroots ABCPolyBase.cast
            ABCPolyBase.__neg__ ABCPolyBase.__add__ ABCPolyBase.__radd__ ABCPolyBase.__sub__ ABCPolyBase.__rsub__
            ABCPolyBase.__mul__ ABCPolyBase.__rmul__ ABCPolyBase.__floordiv__ ABCPolyBase.__rfloordiv__
            ABCPolyBase.__mod__ ABCPolyBase.__rmod__ ABCPolyBase.__truediv__ ABCPolyBase.__rtruediv__
            ABCPolyBase.__pow__""",
        "tuple[Self, Self]": "ABCPolyBase.__divmod__ ABCPolyBase.__rdivmod__", "ABCPolyBase": "ABCPolyBase.convert",
        "int": "ABCPolyBase.degree", "ndarray": "ABCPolyBase.roots",
        "str": "ABCPolyBase.symbol ABCPolyBase.__format__",
        "tuple[ndarray, ndarray]": "ABCPolyBase.linspace ABCPolyBase.mapparms",
        "bool": """ABCPolyBase.has_samecoef ABCPolyBase.has_samedomain ABCPolyBase.has_samewindow
            ABCPolyBase.has_sametype""",
    },
    "cuprite.cuda.stream": {
        "int": "_Base.ptr _Base.device_id _Base.priority Event.ptr", "cuprite.cuda.graph.Graph": "_Base.end_capture",
        "bool": "_Base.done _Base.is_non_blocking _Base.is_capturing",
        "None": "_Base.launch_host_func _Base.add_callback _Base.begin_capture _Base.synchronize _Base.wait_event",
        "Self": "_Base.use _Base.__enter__", "Event": "_Base.record",
        "Stream": "Stream.from_external", "Stream | ExternalStream": "get_current_stream",
    },
    "cuprite._compiler.numba_cuda._dispatcher": {"Callable[..., None]": "Dispatcher.forall"},
    "cuprite._compiler.jit._kernel": {
        "None": "_Kernel.__call__", "Callable[..., None]": "_Kernel.__getitem__",
        "dict[Any, str]": "_Kernel.cached_codes", "str | None": "_Kernel.cached_code",
    },
    "cuprite._compiler.kernels": {"ndarray": "ReductionKernel.__call__", "str": "_LoopKernel.cached_code"},
    "cuprite._compiler.fuse.expression": {"ndarray": "fused"},
    "cuprite._compiler.numba._types": {
        "numpy.dtype[Any]": "Number.dtype Record.dtype as_dtype", "int": "Number.bitwidth Record.size",
        "bool": "Number.signed Record.aligned", "Number": "Complex.underlying_float", "Type": "Record.make_c_struct",
        "Signature": "signature",
    },
    "cuprite.numba.core.typing": {"Signature": "signature"},
    "cuprite._compiler.numba._extending": {
        "Callable[[_F], _F]": "overload overload_attribute overload_method",
    },
    "cuprite._compiler.numba.vectorized": {
        "Callable[[Callable[..., Any]], DeviceGUfunc]": "guvectorize",
    },
    "cuprite.profiler": {
        "_Result": "benchmark", "AbstractContextManager[Record]": "record", "AbstractContextManager[None]": "profile",
        "str": "_Result.to_str", "numpy.ndarray[Any, Any]": "_Result.cpu_times _Result.gpu_times",
        "None": "load_ipython_extension", "Self": "time_range.__enter__",
    },
    "cuprite.random._state": {"builtins.bytes": "RandomState.bytes bytes"},
    "cuprite.random._generator": {"builtins.bytes": "Generator.bytes"},
    "cuprite._fft_plans": {
        "ndarray": "Plan.get_output_array",
        "Plan1d | PlanNd": "get_fft_plan",
    },
    "cuprite.cuda._memories": {
        "Device": "BaseMemory.device MemoryPointer.device",
        "builtins.int": "BaseMemory.device_id MemoryPointer.device_id",
        "BaseMemory": "MemoryPointer.mem",
        "Self": "MemoryPointer.__add__ MemoryPointer.__sub__",
        "MemoryPointer": "malloc",
    },
    "cuprite.cuda._pools": {
        "MemoryPointer": "_Pool.malloc",
    },
    "cuprite.cuda.pinned_memory": {
        "Device": "PinnedMemory.device",
        "Self": "PinnedMemoryPointer.__add__ PinnedMemoryPointer.__sub__",
        "int": "PinnedMemoryPointer.ptr",
    },
    "cuprite.cuda._textures": {
        "NoReturn": """createSurfaceObject createTextureObject destroySurfaceObject destroyTextureObject
            freeArray malloc3DArray mallocArray memcpy2DFromArray memcpy2DFromArrayAsync
            memcpy2DToArray memcpy2DToArrayAsync memcpy3D memcpy3DAsync""",
    },
    "cuprite.fft.config": {
        "NoReturn": "set_cufft_callbacks",
    },
    "cuprite.testing._beside": {
        "Callable[[Callable[..., Any]], Callable[..., None]]": """
            numpy_cupy_allclose numpy_cupy_array_almost_equal numpy_cupy_array_almost_equal_nulp
            numpy_cupy_array_max_ulp numpy_cupy_array_equal numpy_cupy_array_less numpy_cupy_array_list_equal
            numpy_cupy_equal numpy_cupy_raises""",
    },
    "cuprite.testing._loops": {
        "Callable[[Callable[..., Any]], Callable[..., None]]": """
            for_dtypes for_all_dtypes for_float_dtypes for_signed_dtypes for_unsigned_dtypes for_int_dtypes
            for_complex_dtypes for_dtypes_combination for_all_dtypes_combination for_signed_dtypes_combination
            for_unsigned_dtypes_combination for_int_dtypes_combination for_orders for_CF_orders for_contiguous_axes""",
    },
    "cuprite.testing._runs": {
        "Callable[[_T], _T]": "parameterize multi_gpu with_requires fix_random",
        "bool": "numpy_satisfies",
        "int": "generate_seed",
        "list[dict[Any, Any]]": "product",
    },
    "cuprite.random._bits": {
        "Self": "BitGenerator.jumped BitGenerator.__copy__",
        "numpy.random.SeedSequence": "BitGenerator.seed_seq",
    },
    "cuprite.scipy.sparse._base": {
        "_spbase": "_spbase.T _spbase.real _spbase.imag spmatrix.H", "ndarray": "spmatrix.A",
        "int": "_spbase.ndim _spbase.nnz _spbase.size", "str": "_spbase.format", "object": "_spbase.device",
        "tuple[int, ...]": "_spbase.shape spmatrix.shape",
    },
    "cuprite.scipy.sparse._host": {
        "int": "_host.ndim", "numpy.dtype[Any]": "_host.dtype", "object": "_host.device",
    },
}
BASES_OF_POLYNOMIALS = {"chebyshev": "cheb", "hermite": "herm", "hermite_e": "herme", "laguerre": "lag",
                        "legendre": "leg"}
ONE = """add sub mulx mul pow val val2d val3d valnd grid2d grid3d vander vander2d vander3d fromroots roots companion der
    int weight line"""
# Variables that a call makes.
VARIABLES = {
    **{f"cuprite.polynomial.{module}": {
        "Callable[..., ndarray]": " ".join([*(start + word for word in ONE.split()), f"{start}2poly", f"poly2{start}"]),
        "Callable[..., tuple[ndarray, ndarray]]": f"{start}div {start}gauss",
        "ndarray": f"{start}domain {start}one {start}x {start}zero",
    } for module, start in BASES_OF_POLYNOMIALS.items()},
    "cuprite.scipy.fft": {"Callable[..., ndarray]": """fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2
        ihfft2 fftn ifftn rfftn irfftn hfftn ihfftn dct idct dst idst dctn idctn dstn idstn"""},
    # fields of named tuples, by the class
    "Sources": {"ndarray": "pixels flux centroid peak position",
                "ndarray | None": "sum flux_error centroid_error"},
    "cuprite.linalg": {"type[numpy.linalg.LinAlgError]": "LinAlgError"},
    "cuprite._index_tricks": {"_Index": "r_ c_ mgrid", "_Rows": "ogrid"},
}
# Bases of classes, in brackets: what is generic in the stub only.
BASES = {"cuprite._compiler.numba._host": {"HostFunction": "Generic[_P, _R]"}}
# Stubs that are not made of their modules: type checkers know typing's class.
WHOLE = {"cuprite._named": "from typing import NamedTuple as NamedTuple\n"}
# What a stub begins with that the module does not have.
BEFORE = {
    "cuprite._shaping": """from typing import NamedTuple
class _UniqueCounts(NamedTuple):
    values: ndarray
    counts: ndarray
class _UniqueInverse(NamedTuple):
    values: ndarray
    inverse_indices: ndarray
class _UniqueAll(NamedTuple):
    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray""",
    "cuprite._index_tricks": """class _Index(Protocol):
    def __getitem__(self, key: Any, /) -> ndarray: ...
class _Rows(Protocol):
    def __getitem__(self, key: Any, /) -> tuple[ndarray, ...]: ...""",
}
REST = """inline: bool=False, link: Any=(), debug: bool | None=None, opt: bool=True, lineinfo: bool=False, \
cache: bool=False, fastmath: bool=False, max_registers: int | None=None, **options: Any"""
# Functions whose result depends on their arguments, and members of generic classes, by module.
OVERLOADS = {
    "cuprite.linalg": {
        "svd": """@overload
def svd(a: ArrayLike, full_matrices: bool=True, compute_uv: Literal[True]=True, hermitian: bool=False) -> SVDResult: ...
@overload
def svd(a: ArrayLike, full_matrices: bool=True, *, compute_uv: Literal[False], hermitian: bool=False) -> ndarray: ...
@overload
def svd(a: ArrayLike, full_matrices: bool, compute_uv: Literal[False], hermitian: bool=False) -> ndarray: ...""",
        "qr": """@overload
def qr(a: ArrayLike, mode: Literal['reduced', 'complete']='reduced') -> QRResult: ...
@overload
def qr(a: ArrayLike, mode: Literal['r']) -> ndarray: ...
@overload
def qr(a: ArrayLike, mode: Literal['raw']) -> tuple[ndarray, ndarray]: ...""",
    },
    "cuprite._compiler.fuse.fusion": {  # a fused function takes and gives what the function does
        "fuse": """@overload
def fuse(function: _F, /, *, kernel_name: str | None=None) -> _F: ...
@overload
def fuse(*, kernel_name: str | None=None) -> Callable[[_F], _F]: ...""",
    },
    "cuprite._compiler.jit._kernel": {  # a device function is called by kernels, as it is written
        "rawkernel": """@overload
def rawkernel(*, mode: str='cuda', device: Literal[False]=False) -> Callable[[Callable[..., Any]], _Kernel]: ...
@overload
def rawkernel(*, mode: str='cuda', device: Literal[True]) -> Callable[[_F], _F]: ...""",
    },
    "cuprite._compiler.numba_cuda._dispatcher": {
        "jit": f"""@overload
def jit(func_or_sig: Callable[..., Any], device: Literal[False]=False, {REST}) -> Dispatcher: ...
@overload
def jit(func_or_sig: str | list[Any] | tuple[Any, ...] | None=None, device: Literal[False]=False, {REST}) \
-> Callable[[Callable[..., Any]], Dispatcher]: ...
@overload
def jit(func_or_sig: str | list[Any] | tuple[Any, ...] | None=None, *, device: Literal[True], {REST}) \
-> Callable[[_F], _F]: ...
@overload
def jit(func_or_sig: _F, *, device: Literal[True], {REST}) -> _F: ...""",
    },
    "cuprite._compiler.numba._host": {
        **{name: f"""@overload
def {name}(signature_or_function: Callable[_P, _R], {more}**options: Any) -> HostFunction[_P, _R]: ...
@overload
def {name}(signature_or_function: str | list[Any] | tuple[Any, ...] | None=None, {more}**options: Any) \
-> Callable[[Callable[_P, _R]], HostFunction[_P, _R]]: ..."""
           for name, more in (("jit", "forceobj: bool=False, error_model: str='python', "), ("njit", ""))},
        "HostFunction.__call__": "def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...",
        "HostFunction.__init__": "py_func: Callable[_P, _R]\ndef __init__(self, function: Callable[_P, _R], "
                                 "signatures: Any=(), native: bool=True, zero: bool=True) -> None: ...",
    },
    "cuprite._compiler.numba.vectorized": {
        "vectorize": """@overload
def vectorize(ftylist_or_function: Callable[..., Any], target: str='cpu', identity: Any=None, **options: Any) \
-> DeviceUfunc: ...
@overload
def vectorize(ftylist_or_function: str | list[Any] | tuple[Any, ...]=(), target: str='cpu', identity: Any=None, \
**options: Any) -> Callable[[Callable[..., Any]], DeviceUfunc]: ...""",
    },
    "cuprite._manipulation": {
        "average": """@overload
def average(a: ArrayLike, axis: SupportsIndex | Sequence[SupportsIndex] | None=None, weights: ArrayLike | None=None, \
returned: Literal[False]=False, *, keepdims: bool=False) -> ndarray: ...
@overload
def average(a: ArrayLike, axis: SupportsIndex | Sequence[SupportsIndex] | None=None, weights: ArrayLike | None=None, \
*, returned: Literal[True], keepdims: bool=False) -> tuple[ndarray, ndarray]: ...""",
    },
    "cuprite._polynomials": {
        **{name: f"""@overload
def {name}(a1: poly1d, a2: ArrayLike | poly1d) -> poly1d: ...
@overload
def {name}(a1: ArrayLike, a2: poly1d) -> poly1d: ...
@overload
def {name}(a1: ArrayLike, a2: ArrayLike) -> ndarray: ...""" for name in ("polyadd", "polysub", "polymul")},
        **{name: f"""@overload
def {name}(p: poly1d, {more}) -> poly1d: ...
@overload
def {name}(p: ArrayLike, {more}) -> ndarray: ..."""
           for name, more in (("polyder", "m: SupportsIndex=1"), ("polyint", "m: SupportsIndex=1, k: Any=None"))},
        "polyval": """@overload
def polyval(p: ArrayLike | poly1d, x: poly1d) -> poly1d: ...
@overload
def polyval(p: ArrayLike | poly1d, x: ArrayLike) -> ndarray: ...""",
        "polyfit": """@overload
def polyfit(x: ArrayLike, y: ArrayLike, deg: SupportsIndex | Sequence[SupportsIndex], rcond: float | None=None, \
full: Literal[False]=False, w: ArrayLike | None=None, cov: Literal[False]=False) -> ndarray: ...
@overload
def polyfit(x: ArrayLike, y: ArrayLike, deg: SupportsIndex | Sequence[SupportsIndex], rcond: float | None=None, \
full: bool=False, w: ArrayLike | None=None, cov: bool | str=False) -> Any: ...""",
    },
    "cuprite.profiler": {"time_range.__call__": "def __call__(self, function: _F) -> _F: ..."},
    "cuprite._compiler.kernels": {
        "ReductionKernel.__call__": "def __call__(self, *args: Any, **options: Any) -> ndarray: ...",
    },
}
# What a stub imports for the types that it names: a sign of the type -> the line.
IMPORTS = {
    r"\bnumpy\.": "import numpy", r"\bnumpy\.linalg\.": "import numpy.linalg",
    r"\bnumpy\.random\.": "import numpy.random", r"\bbuiltins\.": "import builtins",
    r"\b(?:ArrayLike|DTypeLike)\b": "from numpy.typing import ArrayLike, DTypeLike",
    r"@overload|\bLiteral\[": "from typing import Literal, overload",
    r"\bSupportsIndex\b": "from typing import SupportsIndex",
    r"\bGeneric\[": "from typing import Generic", r"\bProtocol\b": "from typing import Protocol",
    r"\bIO\[": "from typing import IO", r"\bPathLike\[": "from os import PathLike",
    r"\b(?:Callable|Iterator|Sequence)\[": "from collections.abc import Callable, Iterator, Sequence",
    r"\bAbstractContextManager\[": "from contextlib import AbstractContextManager",
    r"\bNoReturn\b": "from typing import NoReturn", r"\btypes\.ModuleType\b": "import types",
    r"\b_T\b": "from typing import TypeVar\n_T = TypeVar(\"_T\")",
    r"\bcuprite\.cuda\.graph\.": "import cuprite.cuda.graph",
    r"\bcuprite\.cuda\.function\.": "import cuprite.cuda.function",
    r"\bSelf\b": "from typing_extensions import Self", r"\bndarray\b": "from cuprite._core import ndarray",
    r"\bcuprite\.cuda\.memory\.": "import cuprite.cuda.memory",
    r"\bcuprite\.cuda\.pinned_memory\.": "import cuprite.cuda.pinned_memory",
    r"\b_F\b": "from typing import TypeVar\nfrom collections.abc import Callable\n"
               "_F = TypeVar(\"_F\", bound=Callable[..., Any])",
    r"\b_P\b": "from typing import ParamSpec, TypeVar\nfrom collections.abc import Callable\n"
               "_P = ParamSpec(\"_P\")\n_R = TypeVar(\"_R\")",
}
# What a parameter takes: by its name, by how the docstring begins to tell of it.
AXES = "SupportsIndex | Sequence[SupportsIndex] | None"
NAMES = {"dtype": "DTypeLike | None", "out": "ndarray | None", "axis": AXES, "keepdims": "bool"}
SAID = [
    (r"(an )?arrays? of ours|.*\b(poly1d|class|Cuprite)\b", "Any"),
    (r"an array that takes the result", "ndarray | None"),
    (r"(an? |the |square |two )?(1-d |2-d )?(arrays?|matri(x|ces)|coefficients)\b", "ArrayLike"),
    (r"(an integer or several|an integer, or several|an axis or several|an axis, several)", AXES),
    (r"(an integer|how (many|often)|which diagonal|the number of|an address|a number of bytes)\b", "SupportsIndex"),
    (r"(a stream's|an event's|a pool's|a graph's) handle", "SupportsIndex"),
    (r"(a|the) device's number", "SupportsIndex"),
    (r"True( or False\b|:)", "bool"), (r"(an|the) element type", "DTypeLike | None"),
    (r"a path or a file object", "str | PathLike[str] | IO[Any]"), (r"a path\b", "str | PathLike[str]"),
    (r"a string\b|the variable's name", "str"), (r"an axis \(negative", "SupportsIndex"),
    (r"the shape of the result", AXES),
]
SEVERAL = r"\b(or|several|None|list|lists|tuple|name|string|array)\b"


def said(doc):
    """What a docstring's Parameters section says: name -> words."""
    found = re.search(r"Parameters: (.*?)(?:\n\s*\n|\n?\s*Errors:|\n?\s*Result:|$)", doc or "", re.S)
    words = {}
    for part in re.sub(r"\s+", " ", found.group(1) if found else "").split(";"):
        names, colon, text = part.partition(":")
        if colon:
            words.update({n.strip(" *"): text.strip(" .") for n in names.split(",")})
    return words


def parameter(name, default, words):
    """The type that a parameter takes. `default` is a node, or None where there is none."""
    constant = default.value if isinstance(default, ast.Constant) else ...
    text = words.get(name, "")
    kind = NAMES.get(name) or next((t for how, t in SAID if re.match(how, text)), "Any")
    if kind == "SupportsIndex" and re.search(SEVERAL, text.partition("(")[0]) or \
            kind == "bool" and default is not None and not (isinstance(constant, bool) or constant is None):
        kind = "Any"  # it takes something else too
    if kind == "Any" and isinstance(constant, bool) and not text:
        kind = "bool"
    if kind in ("ArrayLike", "SupportsIndex", "str", "bool") and default is not None and constant in (None, ...) or \
            kind not in ("Any", "bool") and "None" in text and "None" not in kind:
        kind += " | None"
    if kind == "str" and constant is not ... and default is not None and not isinstance(constant, str):
        kind = "Any"
    return kind


def result(module, name):
    """The result of a function or a method (Class.name), or None."""
    return next((kind for kind, names in RESULTS.get(module, {}).items() if name in names.split()), None)


def variable(module, name):
    return next((kind for kind, names in VARIABLES.get(module, {}).items() if name in names.split()), None)


def imports(text):
    """The lines that a stub's text needs before it."""
    own = set(re.findall(r"^(?:class|def) (\w+)|import \w+ as (\w+)$", text, re.M))
    known = {n for pair in own for n in pair if n}
    lines = [line for sign, line in IMPORTS.items() if re.search(sign, text) and not line.split()[-1] in known]
    return list(dict.fromkeys(line for lines_ in lines for line in lines_.split("\n")))
