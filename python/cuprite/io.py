"""Pictures in files. (FITS images and catalogues are read and written in C and by the command; Python has astropy.)"""
from __future__ import annotations

import os

from cuprite import _io
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

__all__ = ["png_read", "png_write"]


def _path(path):
    path = os.fsdecode(path)
    if "\0" in path:
        raise ValueError("embedded null byte")
    return path


def png_read(path):
    """A picture from a PNG file, on the current device: uint8, of 16 bits uint16; (height, width) of greys, else
    (height, width, channels) with 2 (grey and alpha), 3 (colour) or 4 channels. Palettes become colours, fewer than 8
    bits 8, a transparent colour alpha. ValueError for what is no PNG file, or a damaged one.

    Parameters: path: a path.
    Errors: ValueError for what is no PNG file, or a damaged one; FileNotFoundError."""
    return _io.png_read(_path(path))


def png_write(path, picture) -> None:
    """Writes a uint8 array (height, width) as a grey PNG file, (height, width, 3) as one in colour.

    Parameters: path: a path; picture: an array of uint8.
    Result: None.
    Errors: ValueError for another shape or type."""
    _io.png_write(_path(path), picture)
