"""cupy.cuda.profiler: starts and stops the recording of a profiler that was started with recording off."""
from __future__ import annotations

from cuprite.cuda.runtime import profilerStart as start, profilerStop as stop  # noqa: F401
from cuprite._missing import listing as _listing


__dir__ = _listing(__name__)
