"""cupy.cuda.texture: Cuprite has no textures and surfaces, on any device. Their descriptors
can be made, as these are only numbers; objects on the device raise CUDARuntimeError (cudaErrorNotSupported)."""
from cuprite._core import CUDARuntimeError
from cuprite.cuda._errors import NOT_SUPPORTED
from cuprite._missing import listing as _listing


class ChannelFormatDescriptor:
    """Bits of each channel, and the kind of number in them (runtime.cudaChannelFormatKind...).

    Parameters: x: bits of a channel; y: bits of a channel; z: bits of a channel; w: bits of a channel; f: the kind.
    """

    def __init__(self, x, y, z, w, f):
        self._format = {"x": x, "y": y, "z": z, "w": w, "f": f}

    def get_channel_format(self):
        """A dict of x, y, z, w and f."""
        return dict(self._format)


class TextureDescriptor:
    """How a texture would be read.

    Parameters: addressModes: one a dimension, runtime.cudaAddressMode...; filterMode: runtime.cudaFilterMode...;
        readMode: runtime.cudaReadMode...; sRGB: True or False; borderColors: four numbers; normalizedCoords: True:
        from 0 to 1; maxAnisotropy: an integer."""

    def __init__(self, addressModes=None, filterMode=0, readMode=0, sRGB=None, borderColors=None,
                 normalizedCoords=None, maxAnisotropy=None):
        self._how = {"addressMode": addressModes, "filterMode": filterMode, "readMode": readMode, "sRGB": sRGB,
                     "borderColor": borderColors, "normalizedCoords": normalizedCoords,
                     "maxAnisotropy": maxAnisotropy}

    def get_texture_desc(self):
        """A dict of what was said."""
        return {name: value for name, value in self._how.items() if value is not None}


class _OnDevice:
    def __init__(self, *args, **kwargs):
        raise CUDARuntimeError(NOT_SUPPORTED)


class CUDAarray(_OnDevice):
    """Memory that textures read: cudaErrorNotSupported."""


class ResourceDescriptor(_OnDevice):
    """What a texture reads: cudaErrorNotSupported."""


class TextureObject(_OnDevice):
    """A texture: cudaErrorNotSupported."""


class SurfaceObject(_OnDevice):
    """A surface: cudaErrorNotSupported."""


__dir__ = _listing(__name__)
