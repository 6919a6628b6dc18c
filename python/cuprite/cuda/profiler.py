"""cupy.cuda.profiler: starts and stops the recording of a profiler that was started with recording off."""
from __future__ import annotations

from cuprite.cuda.runtime import profilerStart as start, profilerStop as stop  # noqa: F401
