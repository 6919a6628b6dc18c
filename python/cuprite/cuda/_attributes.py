"""Attributes and properties of devices by CUDA's names. A GPU tells its own; for other devices the limits that kernels
have there stand under the same names, and what they do not know is 0."""
from cuprite import _device
from cuprite.cuda import _constants
from cuprite.cuda._errors import INVALID_VALUE, NOT_SUPPORTED, CUDARuntimeError
from cuprite.cuda.device import on_cuda

_PREFIX = "cudaDevAttr"

# attribute -> the property that tells the same, and the place in it
_FROM_PROPERTIES = {
    "MaxThreadsPerBlock": "maxThreadsPerBlock", "MaxBlockDimX": ("maxThreadsDim", 0),
    "MaxBlockDimY": ("maxThreadsDim", 1), "MaxBlockDimZ": ("maxThreadsDim", 2), "MaxGridDimX": ("maxGridSize", 0),
    "MaxGridDimY": ("maxGridSize", 1), "MaxGridDimZ": ("maxGridSize", 2),
    "MaxSharedMemoryPerBlock": "sharedMemPerBlock", "TotalConstantMemory": "totalConstMem", "WarpSize": "warpSize",
    "MaxPitch": "memPitch", "MaxRegistersPerBlock": "regsPerBlock", "TextureAlignment": "textureAlignment",
    "MultiProcessorCount": "multiProcessorCount", "Integrated": "integrated", "CanMapHostMemory": "canMapHostMemory",
    "UnifiedAddressing": "unifiedAddressing", "L2CacheSize": "l2CacheSize", "ManagedMemory": "managedMemory",
    "MaxThreadsPerMultiProcessor": "maxThreadsPerMultiProcessor", "CooperativeLaunch": "cooperativeLaunch",
    "MaxSharedMemoryPerMultiprocessor": "sharedMemPerMultiprocessor",
    "MaxRegistersPerMultiprocessor": "regsPerMultiprocessor", "PageableMemoryAccess": "pageableMemoryAccess",
    "ConcurrentManagedAccess": "concurrentManagedAccess", "MaxSharedMemoryPerBlockOptin": "sharedMemPerBlockOptin",
    "MaxBlocksPerMultiprocessor": "maxBlocksPerMultiProcessor",
    "ReservedSharedMemoryPerBlock": "reservedSharedMemPerBlock",
}


# Members that CuPy's dict has and that mean nothing where there is no GPU: 0 there.
_OF_GPUS = (
    "clockRate memoryClockRate memoryBusWidth pciBusID pciDeviceID pciDomainID ECCEnabled tccDriver computeMode "
    "kernelExecTimeoutEnabled deviceOverlap asyncEngineCount concurrentKernels isMultiGpuBoard multiGpuBoardGroupID "
    "streamPrioritiesSupported globalL1CacheSupported localL1CacheSupported hostNativeAtomicSupported "
    "singleToDoublePrecisionPerfRatio computePreemptionSupported canUseHostPointerForRegisteredMem "
    "cooperativeMultiDeviceLaunch pageableMemoryAccessUsesHostPageTables directManagedMemAccessFromHost "
    "texturePitchAlignment surfaceAlignment persistingL2CacheMaxSize accessPolicyMaxWindowSize maxTexture1D "
    "maxTexture1DLinear maxTexture1DMipmap maxTextureCubemap maxSurface1D maxSurfaceCubemap").split()


def _names():
    return {k[len(_PREFIX):]: v for k, v in vars(_constants).items() if k.startswith(_PREFIX)}


def properties_of(number):
    """A dict of cudaDeviceProp's members."""
    q = _device.query(number)
    known = _device.properties(number)
    known.setdefault("name", q["name"].encode())
    known.setdefault("multiProcessorCount", q["units"])
    known["totalGlobalMem"] = known.get("totalGlobalMem") or q["memory_total"]
    known.setdefault("major", 9)
    known.setdefault("minor", 0)
    known.setdefault("uuid", (q["backend"].encode() + b"%d" % q["number"]).ljust(16, b"\0")[:16])
    for name in _OF_GPUS:
        known.setdefault(name, 0)
    return known


def _reported(properties, name):
    where = _FROM_PROPERTIES.get(name)
    if where is None:
        return 0
    value = properties.get(where if isinstance(where, str) else where[0], 0)
    return value if isinstance(where, str) or not value else value[where[1]]


def attributes_of(number):
    """A dict of all attributes that the device knows."""
    if not on_cuda(number):
        properties = properties_of(number)
        return {name: _reported(properties, name) for name in _names()}
    found = {}
    for name, value in _names().items():
        status, results = _device.native(number, "cudaDeviceGetAttribute", (value, _device.query(number)["number"]))
        if status == 0:
            found[name] = results[0]
        elif status not in (INVALID_VALUE, NOT_SUPPORTED):
            raise CUDARuntimeError(status)
    return found


def attribute_of(number, attribute):
    """One of them by its number."""
    if on_cuda(number):
        status, results = _device.native(number, "cudaDeviceGetAttribute",
                                         (attribute, _device.query(number)["number"]))
        if status:
            raise CUDARuntimeError(status)
        return results[0]
    for name, value in _names().items():
        if value == attribute:
            return _reported(properties_of(number), name)
    raise CUDARuntimeError(INVALID_VALUE)
