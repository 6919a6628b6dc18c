"""Graphs: work that a stream recorded (Stream.begin_capture), to be launched as often as wanted."""
from cuprite import _device
from cuprite._missing import listing as _listing


class Graph:
    """What Stream.end_capture returns. Memory that the recorded work uses lives as long as this object.

    Errors: RuntimeError where a program calls it."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError("a Graph comes from Stream.end_capture()")

    @classmethod
    def _of(cls, handle, device, host_funcargs):
        self = cls.__new__(cls)
        self._graph, self._number, self._host_funcargs = handle, device, tuple(host_funcargs)
        return self

    def _in(self, stream):
        return _device.stream_current(self._number) if stream is None else stream._stream()

    def launch(self, stream=None) -> None:
        """Does the recorded work in the order of a stream, the current one by default."""
        _device.graph_launch(self._graph, self._in(stream))

    def upload(self, stream=None) -> None:
        """Prepares the next launch in the stream."""
        _device.graph_upload(self._graph, self._in(stream))

    graph = property(lambda self: _device.graph_handle(self._graph, False), doc="The native handle of the graph.")
    graphExec = property(lambda self: _device.graph_handle(self._graph, True), doc="That of what is launched.")
    host_funcargs = property(lambda self: self._host_funcargs, doc="(function, argument) of each recorded host call.")

    def debug_dot_str(self, flags=0) -> str:
        """The graph as DOT text, which a GPU's driver writes.

        Parameters: flags: of cudaGraphDebugDotFlags."""
        import os
        import tempfile
        from cuprite.cuda import runtime
        file, path = tempfile.mkstemp(suffix=".dot")
        os.close(file)
        try:
            runtime.graphDebugDotPrint(self.graph, path, flags)
            with open(path) as f:
                return f.read()
        finally:
            os.remove(path)

    def __repr__(self):
        from cuprite.cuda.stream import _shown
        return f"<Graph {self.graph:#x} (device {_shown(self._number)})>"


__dir__ = _listing(__name__)
