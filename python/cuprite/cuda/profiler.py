"""cupy.cuda.profiler: what a profiler that was started with its recording off is to record."""
from __future__ import annotations

from cuprite.cuda.runtime import profilerStart as start, profilerStop as stop  # noqa: F401
