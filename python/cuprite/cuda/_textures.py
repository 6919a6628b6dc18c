"""The runtime's functions of textures, surfaces and the arrays that they read. Cuprite has no textures, on any device:
each raises CUDARuntimeError (cudaErrorNotSupported)."""
from cuprite._core import CUDARuntimeError
from cuprite.cuda._errors import NOT_SUPPORTED


def createSurfaceObject(ResDescPtr):
    """Would make a surface.

    Parameters: ResDescPtr: a description's address.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def createTextureObject(ResDescPtr, TexDescPtr):
    """Would make a texture.

    Parameters: ResDescPtr: a description's address; TexDescPtr: a description's address.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def destroySurfaceObject(surfObject):
    """Would end a surface.

    Parameters: surfObject: a handle.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def destroyTextureObject(texObject):
    """Would end a texture.

    Parameters: texObject: a handle.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def freeArray(ptr):
    """Would free an array for textures.

    Parameters: ptr: an array's address.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def malloc3DArray(descPtr, width, height, depth, flags=0):
    """Would make an array for textures, of three dimensions.

    Parameters: descPtr: a description's address; width: elements a row; height: rows; depth: planes; flags: an
        integer.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def mallocArray(descPtr, width, height, flags=0):
    """Would make an array for textures.

    Parameters: descPtr: a description's address; width: elements a row; height: rows; flags: an integer.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DFromArray(dst, dpitch, src, wOffset, hOffset, width, height, kind):
    """Would copy from such an array.

    Parameters: dst: an address; dpitch: bytes a row; src: an address; wOffset: bytes; hOffset: rows; width: elements
        a row; height: rows; kind: memcpy....
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream):
    """Would copy from such an array in a stream.

    Parameters: dst: an address; dpitch: bytes a row; src: an address; wOffset: bytes; hOffset: rows; width: elements
        a row; height: rows; kind: memcpy...; stream: a stream's handle.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DToArray(dst, wOffset, hOffset, src, spitch, width, height, kind):
    """Would copy to such an array.

    Parameters: dst: an address; wOffset: bytes; hOffset: rows; src: an address; spitch: bytes a row; width: elements
        a row; height: rows; kind: memcpy....
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, stream):
    """Would copy to such an array in a stream.

    Parameters: dst: an address; wOffset: bytes; hOffset: rows; src: an address; spitch: bytes a row; width: elements
        a row; height: rows; kind: memcpy...; stream: a stream's handle.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy3D(Memcpy3DParmsPtr):
    """Would copy blocks of three dimensions.

    Parameters: Memcpy3DParmsPtr: a description's address.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)


def memcpy3DAsync(Memcpy3DParmsPtr, stream):
    """Would copy blocks of three dimensions in a stream.

    Parameters: Memcpy3DParmsPtr: a description's address; stream: a stream's handle.
    Errors: CUDARuntimeError (cudaErrorNotSupported) always: Cuprite has no textures."""
    raise CUDARuntimeError(NOT_SUPPORTED)
