"""Modules and functions with the names of cupy.cuda.function: below RawModule and RawKernel."""
from cuprite import _core
from cuprite._core import _Kernel as Function  # noqa: F401


class Module:
    """A module of compiled kernels, filled by load or load_file."""

    def __init__(self):
        self._module = None

    def load(self, cubin):
        """Takes cubin, fatbin or PTX."""
        self._module = _core._Module.load(cubin)

    def load_file(self, filename):
        """Takes a file of cubin, fatbin or PTX."""
        with open(filename, "rb") as f:
            self.load(f.read())

    def _loaded(self):
        if self._module is None:
            raise RuntimeError("the module was not loaded")
        return self._module

    def get_function(self, name):
        """The kernel of that name."""
        return self._loaded().kernel(name)

    def get_global_var(self, name):
        """A pointer to the variable of that name."""
        from cuprite._raw import _Global
        from cuprite.cuda.memory import MemoryPointer
        module = self._loaded()
        address, size = module.global_(name)
        return MemoryPointer(_Global(address, size, module.device, module), 0)
