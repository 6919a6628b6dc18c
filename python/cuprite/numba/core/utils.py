"""numba.core.utils."""
import sys

from cuprite._missing import getter as _getter

PYVERSION = sys.version_info[:2]
__getattr__ = _getter(__name__)
