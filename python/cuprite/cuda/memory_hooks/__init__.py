"""Hooks that are ready to use."""
from cuprite.cuda.memory_hooks import debug_print, line_profile  # noqa: F401
from cuprite.cuda.memory_hooks.debug_print import DebugPrintHook  # noqa: F401
from cuprite.cuda.memory_hooks.line_profile import LineProfileHook  # noqa: F401

__all__ = ["DebugPrintHook", "LineProfileHook"]
