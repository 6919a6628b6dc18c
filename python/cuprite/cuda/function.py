"""Modules and functions with the names of cupy.cuda.function: below RawModule and RawKernel."""
from cuprite import _core
from cuprite.cuda.device import on_cuda
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)


def _handle(what, device):
    if on_cuda(device):
        raise NotImplementedError(f"{type(what).__name__}.ptr: Cuprite does not give the driver's handle away")
    return id(what)


class Function:
    """A kernel of a module, called as function(grid, block, args, shared_mem=0, stream=None).

    Parameters: module: a Module; funcname: the name of the kernel."""

    def __init__(self, module, funcname):
        self._module, self._kernel = module, module._loaded().kernel(funcname)

    module = property(lambda self: self._module, doc="The Module that it is of.")
    ptr = property(lambda self: _handle(self, self._module._loaded().device),
                   doc="A number that names it; on a GPU NotImplementedError.")

    def __call__(self, grid, block, args, shared_mem=0, stream=None, enable_cooperative_groups=False):
        self._kernel(grid, block, args, shared_mem, cooperative=enable_cooperative_groups, stream=stream)

    def linear_launch(self, size, args, shared_mem=0, block_max_size=128, stream=None,
                      enable_cooperative_groups=False) -> None:
        """A launch of at least `size` threads in a row, in blocks of at most block_max_size.

        Parameters: size: how many threads; args: the arguments; shared_mem: bytes of dynamic shared memory;
            block_max_size: the most threads of a block; stream: the stream in which it happens (None: the current
            one); enable_cooperative_groups: True: the grid may wait for itself."""
        block = max(1, min(size, block_max_size))
        if size > 0:
            self((-(-size // block),), (block,), args, shared_mem, stream, enable_cooperative_groups)


class Module:
    """A module of compiled kernels, filled by load or load_file."""

    mapping = None

    def __init__(self):
        self._module = None

    ptr = property(lambda self: _handle(self, self._loaded().device) if self._module is not None else 0,
                   doc="A number that names it, 0 while it is empty; on a GPU NotImplementedError.")

    def load(self, cubin) -> None:
        """Takes cubin, fatbin or PTX."""
        self._module = _core._Module.load(cubin)

    def load_file(self, filename) -> None:
        """Takes a file of cubin, fatbin or PTX.

        Parameters: filename: a path."""
        with open(filename, "rb") as f:
            self.load(f.read())

    def _loaded(self):
        if self._module is None:
            raise RuntimeError("the module was not loaded")
        return self._module

    def get_function(self, name) -> "Function":
        """The kernel of that name, by the name in the source where `mapping` has it."""
        return Function(self, (self.mapping or {}).get(name, name))

    def get_global_var(self, name):
        """A pointer to the variable of that name."""
        from cuprite._raw import _Global
        from cuprite.cuda.memory import MemoryPointer
        module = self._loaded()
        address, size = module.global_((self.mapping or {}).get(name, name))
        return MemoryPointer(_Global(address, size, module.device, module), 0)
