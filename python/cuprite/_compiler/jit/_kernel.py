"""jit.rawkernel: a function that is compiled for the types of its arguments, and its two ways of being launched."""
import functools

from cuprite._compiler.ast import launch
from cuprite._compiler.ast.rules import Cuda, Numpy
from cuprite._core import ndarray

_RULES = {"cuda": Cuda(), "numpy": Numpy()}


def rawkernel(*, mode="cuda", device=False):
    """A decorator that makes a kernel, or with device=True a function that kernels call. mode: 'cuda' has C's types
    for what is computed, 'numpy' NumPy's.

    Parameters: mode: 'cuda' or 'numpy'; device: True or False.
    Errors: ValueError for another mode; TypeError for what is no Python function."""
    if mode not in _RULES:
        raise ValueError(f"rawkernel: mode is 'cuda' or 'numpy', not {mode!r}")

    def decorate(function):
        if not hasattr(function, "__code__"):
            raise TypeError(f"rawkernel decorates a Python function, not {type(function).__name__}")
        return functools.update_wrapper(_Kernel(function, mode, device), function)
    return decorate


class _Kernel:
    """f((grid,), (block,), args, shared_mem=0) or f[grid, block](*args)."""

    def __init__(self, function, mode, device):
        self._function, self._mode, self._device = function, mode, device
        self._rules = _RULES[mode]
        self._made = {}     # fast key of the arguments -> Compiled
        self._codes = {}    # types -> Compiled
        self._configured = {}   # (grid, block) -> what self[grid, block] is
        self._is_device_function = True     # any kernel may be called from another, as a function

    def __call__(self, grid, block, args, shared_mem=0, stream=None):
        """Launches the kernel on the current stream, or on `stream`."""
        if stream is not None:
            with stream:
                return self(grid, block, args, shared_mem)
        key = tuple([(a._type, a.ndim, "C" if a._c_contiguous else launch.layout_of(a)) if type(a) is ndarray
                     else _key(a) for a in args])
        made = self._made.get(key)
        if made is None:
            made = self._compile(key, args)
        if shared_mem or not made.ready:
            made.launch(grid, block, args, shared_mem)
        else:
            made.ready(grid, block, made.flatten(*args))

    def __getitem__(self, configuration):
        try:
            made = self._configured.get(configuration)
        except TypeError:  # of lists
            made = None
        return made or self._configure(configuration)

    def _configure(self, configuration):
        if not isinstance(configuration, tuple) or not 2 <= len(configuration) <= 4:
            raise TypeError("a kernel is launched as kernel[grid, block](*args), or with shared memory and a stream "
                            "behind the block")
        grid, block, *more = configuration
        grid = grid if isinstance(grid, tuple) else (grid,)
        block = block if isinstance(block, tuple) else (block,)

        def launch_it(*args):
            self(grid, block, args, *more)
        plain = not more and all(type(n) is int for n in (*grid, *block))  # a stream would be kept alive
        if plain and len(self._configured) < 64:
            self._configured[configuration] = launch_it
        return launch_it

    def _compile(self, key, args):
        if self._device:
            raise TypeError(f"{self.__name__} is a device function: a kernel calls it")
        types = tuple([launch.type_of_argument(a, self._rules, ndarray) for a in args])
        if types not in self._codes:
            self._codes[types] = launch.Compiled(self._function, self._rules, launch.values_of(types, args))
        made = self._made[key] = self._codes[types]
        return made

    @property
    def cached_codes(self):
        """The sources compiled so far: argument types -> CUDA C++."""
        return {types: made.source for types, made in self._codes.items()}

    @property
    def cached_code(self):
        """The text, when the kernel was compiled for one list of types."""
        codes = self.cached_codes
        if len(codes) > 1:
            import warnings
            warnings.warn("The kernel was compiled for several types of arguments; this is the text of one.")
        return next(iter(codes.values()), None)

    def __repr__(self):
        return f"<jit.rawkernel {self.__name__}>"


def _key(a):
    """What of an argument that is no array its type depends on."""
    if type(a) is int:
        return 0 if -0x80000000 <= a < 0x80000000 else 1 if a < 0x8000000000000000 else 2
    if isinstance(a, ndarray):
        return (a._type, a.ndim, launch.layout_of(a))
    return tuple([_key(x) for x in a]) if isinstance(a, (tuple, list)) else type(a)
