"""The runtime's functions of textures, surfaces and the arrays that they read. Cuprite has no textures, on any device:
each raises CUDARuntimeError (cudaErrorNotSupported)."""
from cuprite._core import CUDARuntimeError
from cuprite.cuda._errors import NOT_SUPPORTED


def createSurfaceObject(ResDescPtr):
    raise CUDARuntimeError(NOT_SUPPORTED)


def createTextureObject(ResDescPtr, TexDescPtr):
    raise CUDARuntimeError(NOT_SUPPORTED)


def destroySurfaceObject(surfObject):
    raise CUDARuntimeError(NOT_SUPPORTED)


def destroyTextureObject(texObject):
    raise CUDARuntimeError(NOT_SUPPORTED)


def freeArray(ptr):
    raise CUDARuntimeError(NOT_SUPPORTED)


def malloc3DArray(descPtr, width, height, depth, flags=0):
    raise CUDARuntimeError(NOT_SUPPORTED)


def mallocArray(descPtr, width, height, flags=0):
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream):
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind):
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, stream):
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy3D(Memcpy3DParmsPtr):
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy3DAsync(Memcpy3DParmsPtr, stream):
    raise CUDARuntimeError(NOT_SUPPORTED)
