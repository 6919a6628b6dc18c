"""Errors of compilers, with the names of cupy.cuda.compiler."""
from cuprite import _core


class CompileException(_core._CompileError):
    """A kernel's source does not compile. Its text is what the compiler said, with the source's own line numbers."""

    def __init__(self, msg, source, name, options, backend="nvrtc"):
        super().__init__(msg)
        self._msg, self.source, self.name, self.options, self.backend = msg, source, name, options, backend

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def get_message(self):
        """What the compiler said."""
        return self._msg

    def __str__(self):
        return self._msg

    def dump(self, f):
        """Writes the message and the numbered source to the file object `f`."""
        lines = self.source.split("\n")
        digits = len(str(len(lines)))
        f.write(f"{self.backend} compilation error: {self._msg}\n-----\nName: {self.name}\n"
                f"Options: {' '.join(self.options)}\nSource:\n")
        for number, line in enumerate(lines, 1):
            f.write(f"{number:0{digits}} {line}".rstrip() + "\n")
        f.write("-----\n")
        f.flush()
