"""The primitives of the extension's device.c under their names."""
from cuprite import _core

globals().update(_core.rows("_device"))
