"""The error of cupy.cuda.nvrtc."""


class NVRTCError(RuntimeError):
    """The run-time compiler failed otherwise than by refusing a source."""
