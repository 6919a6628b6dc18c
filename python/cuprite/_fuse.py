"""fuse: functions of arrays whose operations become one kernel; vectorize.

A call runs at once, as the function is written, with the kernels that exist. Meanwhile a thread runs the function on
stand-ins that know types and no values (_trace.py), and compiles what they did from the bodies of the operations' rows;
when that is done, calls with arguments of the same kinds run the one kernel, with the same bits. Where that cannot be,
because an operation has no such body or the function looks at values, calls go on as they did: a PerformanceWarning
tells of operations that cannot be fused, once a function."""
import functools
import os
import types

from cuprite import _core
from cuprite._core import ndarray as _ndarray


class PerformanceWarning(RuntimeWarning):
    """Something is done in a slower way than was asked for."""


# As many kernels as one function may become, by types and by the values of integers that it is called with.
_MOST_KERNELS = 8


def _queue():
    """The thread that compiles, one for the process, and what it has to do; made when first needed."""
    global _jobs
    if _jobs is None:
        import atexit
        import queue
        import threading
        jobs = queue.SimpleQueue()

        def work():
            while jobs.get()() is not jobs:  # no name for the job, which would live until the next one
                pass
        thread = threading.Thread(target=work, name="cuprite-fuse", daemon=True)
        thread.start()

        def end():  # a compiler at work while the process ends would find its libraries taken apart
            if _jobs is jobs:
                jobs.put(lambda: jobs)
                thread.join(30)
        atexit.register(end)
        _jobs = jobs
    return _jobs


def _after_fork():
    global _jobs
    _jobs = None


_jobs = None
os.register_at_fork(after_in_child=_after_fork)  # the thread is the parent's


class Described(tuple):
    """What a kernel must know of an array, without it: (type, shape, strides, device)."""
    __slots__ = ()

    def __new__(cls, array):
        return super().__new__(cls, (array._type, array.shape, array.strides, array._device))


class Fusion:
    """A function whose operations are fused: see fuse."""

    def __init__(self, func, name=None):
        functools.update_wrapper(self, func)
        self.func = func
        self.name = name or getattr(func, "__name__", "fused")
        self.clear_cache()

    def clear_cache(self):
        """Forgets the kernels that were compiled."""
        self._programs = {}   # kinds of arguments -> _trace.Program, or None where there is none
        self._asked = set()
        self._told = False
        self._changes = 0

    def __get__(self, owner, kind=None):
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *args, **kwargs):
        if kwargs or not self._programs:
            return self._plainly(args, kwargs)
        try:
            program = self._programs.get(_kinds(args))
        except TypeError:  # an argument that cannot be a key
            program = None
        if program is not None:
            if program.is_stale(args):
                self._again(program)
            else:
                r = program.run(args)
                if r is not NotImplemented:
                    return r
        return self._plainly(args, kwargs)

    def _again(self, program):
        """What the function looks at outside of its arguments has changed; after a few times it is left alone."""
        self._changes += 1
        kinds = [k for k, p in list(self._programs.items()) if p is program]
        for k in kinds:
            if self._changes > _MOST_KERNELS:
                self._programs[k] = None
            else:
                self._programs.pop(k, None)
        self._asked = set()

    def _plainly(self, args, kwargs):
        r = self.func(*args, **kwargs)
        if not kwargs:
            self._ask(args)
        return r

    def _ask(self, args):
        """Has the kernel for such arguments compiled, where there may be one."""
        if not any(isinstance(a, _core.ndarray) for a in args):
            return
        try:
            kinds = _kinds(args)
            key = kinds, tuple(_layout(a) for a in args)
        except TypeError:
            return
        if key in self._asked or len(self._asked) >= 4 * _MOST_KERNELS or (
                kinds not in self._programs and len(self._programs) >= _MOST_KERNELS):
            return
        self._asked.add(key)
        _queue().put(functools.partial(self._compile, kinds, [Described(a) if isinstance(a, _core.ndarray) else a
                                                              for a in args]))

    def _compile(self, kinds, args):
        """`args` describe arrays: memory that ends while compilers work is free at once."""
        from cuprite import _trace
        try:
            if kinds not in self._programs:
                self._programs[kinds] = _trace.program(self, args)
            if self._programs[kinds] is not None:
                self._programs[kinds].prepare(args)
        except _trace.NotFused as e:
            self._programs[kinds] = None
            self._tell(str(e))
        except Exception:  # whatever is wrong with the function is told by its calls
            self._programs[kinds] = None

    def _tell(self, why):
        if why and not self._told:
            self._told = True
            import warnings
            warnings.warn(f"{self.name}: {why}; it runs operation by operation", PerformanceWarning, stacklevel=2)

    def wait(self):
        """Waits until what was to be compiled is; for tests and measurements."""
        import threading
        done = threading.Event()
        _queue().put(done.set)
        done.wait()

    def __reduce__(self):
        return self.func.__qualname__  # by name, as functions are

    def __repr__(self):
        return f"<Fusion name={self.name}>"


def _kinds(args):
    """What decides on the kernel: types of arrays, classes of numbers, and values of what is no floating-point number
    (a function may look at them)."""
    return tuple([a._type if type(a) is _ndarray else float if type(a) is float else
                  a._type if isinstance(a, _ndarray) else (type(a), a) for a in args])


def _layout(a):
    return (a.ndim, a._c_contiguous, a._device) if isinstance(a, _core.ndarray) else None


def fuse(*args, **kwargs):
    """Decorator: the operations of the function become one kernel.

    Written as @fuse, @fuse() or @fuse(kernel_name=...), over functions, lambdas (fuse(lambda x: ...)) and methods.
    Everything may stand in the function: what cannot be fused runs as it is written. The first calls run at once; the
    kernel is compiled meanwhile and then takes over with the same bits. NumPy's arrays are passed to the function as
    they are."""
    name = kwargs.pop("kernel_name", None)
    if kwargs:
        raise TypeError(f"fuse() got unexpected keyword arguments: {', '.join(map(repr, kwargs))}")
    if not args:
        return lambda f: fuse(f, kernel_name=name)
    if len(args) > 1 or not callable(args[0]):
        raise TypeError("fuse() takes one function")
    return args[0] if isinstance(args[0], Fusion) else Fusion(args[0], name)


class vectorize:
    """A function of numbers, applied to arrays element by element: vectorize(f)(x, y). It runs on whole arrays, so it
    may do with its arguments what arrays do: operations and functions, without `if` on their values."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        for given, word in ((excluded, "excluded"), (signature, "signature")):
            if given is not None:
                raise NotImplementedError(f"vectorize: {word}= is not supported")
        if cache:
            raise NotImplementedError("vectorize: cache= is not supported")
        functools.update_wrapper(self, pyfunc)
        self.pyfunc, self.otypes, self._fused = pyfunc, otypes, Fusion(pyfunc)
        if doc is not None:
            self.__doc__ = doc

    def __call__(self, *args):
        import cuprite
        r = self._fused(*[a if isinstance(a, _core.ndarray) else cuprite.asarray(a) for a in args])
        if self.otypes is None:
            return r
        wanted = [self.otypes] if not isinstance(r, tuple) else list(self.otypes)
        if isinstance(r, tuple):
            return tuple(x.astype(t, copy=False) for x, t in zip(r, wanted))
        return r.astype(wanted[0] if not isinstance(wanted[0], (list, tuple)) else wanted[0][0], copy=False)
