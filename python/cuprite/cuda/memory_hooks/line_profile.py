"""A hook that counts memory by the program lines that allocated it."""
from __future__ import annotations

import os
import sys

from cuprite.cuda.memory_hook import MemoryHook
from cuprite._missing import listing as _listing

__all__ = ["LineProfileHook", "MemoryFrame", "StackFrame"]

_OWN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


class StackFrame:
    """A line of a program: filename, lineno, name of the function.

    Parameters: obj: an entry of a traceback."""

    def __init__(self, obj):
        code = obj.f_code
        self.filename, self.lineno, self.name = code.co_filename, obj.f_lineno, code.co_name

    def _key(self):
        return self.filename, self.lineno, self.name

    def __eq__(self, other):
        return isinstance(other, StackFrame) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())


class MemoryFrame:
    """A line in the tree of lines that called one another: bytes given out and taken from the device.

    Parameters: parent: the frame above, or None; stackframe: a StackFrame, or None."""

    def __init__(self, parent, stackframe):
        self.parent, self.stackframe, self.children = parent, stackframe, []
        self.used_bytes = self.acquired_bytes = 0
        if parent is not None:
            parent.children.append(self)

    def child(self, stackframe):
        """The frame of a line below this one, a new one where there is none.

        Parameters: stackframe: a StackFrame."""
        for c in self.children:
            if c.stackframe == stackframe:
                return c
        return MemoryFrame(self, stackframe)

    @staticmethod
    def humanized_bytes(n):
        """Bytes with a unit: "1.50MB".

        Parameters: n: a number."""
        for unit in ("B", "KB", "MB", "GB", "TB"):
            if abs(n) < 1024 or unit == "TB":
                return f"{n:.2f}{unit}"
            n /= 1024


class LineProfileHook(MemoryHook):
    """Counts bytes by lines; print_report() prints them. `max_depth` is how many callers are looked at, 0: all."""

    name = "LineProfileHook"

    def __init__(self, max_depth=0):
        self._root, self._depth = MemoryFrame(None, None), max_depth

    def _frames(self):
        """The lines of the program that are under way, outermost first."""
        frames, f = [], sys._getframe(2)
        while f is not None:
            if not os.path.abspath(f.f_code.co_filename).startswith(_OWN):
                frames.append(StackFrame(f))
            f = f.f_back
        return reversed(frames[:self._depth] if self._depth else frames)

    def _count(self, used, acquired):
        at = self._root
        at.used_bytes += used
        at.acquired_bytes += acquired
        for frame in self._frames():
            at = at.child(frame)
            at.used_bytes += used
            at.acquired_bytes += acquired

    def malloc_preprocess(self, device_id, size, mem_size):
        """Counts bytes for the lines that the program is in.

        Parameters: device_id: the device's number; size: the bytes asked for; mem_size: the bytes given."""
        self._count(mem_size, 0)

    def alloc_preprocess(self, device_id, mem_size):
        """Counts bytes that are taken from the device for the lines that the program is in.

        Parameters: device_id: the device's number; mem_size: the bytes given."""
        self._count(0, mem_size)

    def print_report(self, file=sys.stdout) -> None:
        """Prints the tree: file, line, function, and (bytes given out, bytes taken from the device)."""
        for child in self._root.children:
            self._print(child, 0, file)

    def _print(self, frame, depth, file):
        s, words = frame.stackframe, frame.humanized_bytes
        print(f"{'  ' * depth}{s.filename}:{s.lineno}:{s.name} "
              f"({words(frame.used_bytes)}, {words(frame.acquired_bytes)})", file=file)
        for child in frame.children:
            self._print(child, depth + 1, file)


__dir__ = _listing(__name__)
