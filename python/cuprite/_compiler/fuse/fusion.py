"""fuse: functions of arrays whose operations become one kernel; vectorize.

A call runs at once, as the function is written, with the kernels that exist. Meanwhile a thread traces the function
with placeholders that know types but no values (trace.py, rebind.py), and compiles the trace from the bodies of the
operations' rows; when that is done, calls with arguments of the same kinds run the one kernel, with the same bits.
Where that is impossible, because an operation has no such body or the function reads values, calls go on as before: a
PerformanceWarning names operations that cannot be fused, once a function."""
import functools
import time
import types

from cuprite import _core
from cuprite._compiler.fuse.records import Described, Entry
from cuprite._compiler.jobs import (
    PerformanceWarning, breathe, import_module, make_way, queue, report_failure, wait)

__all__ = ["fuse", "vectorize"]


# As many programs as one function may become, by types and by the values of integers that it is called with.
_MOST_KERNELS = 8
_UNDER_WAY = -1


class Fusion(_core._Fusion):
    """A function whose operations are fused: see fuse."""

    def __init__(self, func, name=None):
        functools.update_wrapper(self, func)
        self.func = func
        self.name = name or getattr(func, "__name__", "fused")
        self.clear_cache()

    def clear_cache(self) -> None:
        """Forgets the kernels that were compiled."""
        self._programs = {}   # kinds of arguments -> list of program.Program
        self._asked = {}      # kinds -> how often they were traced, or _NEVER
        self._reported = False
        self._forget()

    def __get__(self, owner, kind=None):
        return self if owner is None else types.MethodType(self, owner)

    def _slowly(self, *args, **kwargs):
        """Calls that no entry of _core._Fusion fits."""
        if kwargs:
            args = self._positional(args, kwargs)
            return self.func(*args, **kwargs) if kwargs else self(*args)
        try:
            kinds = _kinds(args)
            programs = self._programs.get(kinds, ())
        except TypeError:  # an argument that cannot be a key
            return self.func(*args)
        for program in programs:
            if program.holds(args):
                return program.run(*args)
        r = self.func(*args)
        self._ask(kinds, args)
        if self._asked.get(kinds) == _UNDER_WAY:
            make_way(self._since)
        return r

    def _positional(self, args, kwargs):
        """The arguments in their order, and `kwargs` emptied; or both as they are, where names are not all."""
        code = getattr(self.func, "__code__", None)
        if code is None or code.co_flags & 12 or code.co_kwonlyargcount or code.co_posonlyargcount:  # *args, **kwargs
            return args
        names = code.co_varnames[:code.co_argcount]
        defaults = dict(zip(names[::-1], (self.func.__defaults__ or ())[::-1]))
        rest = names[len(args):]
        if len(args) > len(names) or not kwargs.keys() <= set(rest) or any(
                n not in kwargs and n not in defaults for n in rest):
            return args  # refused in the function's own words
        args = (*args, *[kwargs[n] if n in kwargs else defaults[n] for n in rest])
        kwargs.clear()
        return args

    def _ask(self, kinds, args):
        """Has the kernel for such arguments compiled, where there may be one."""
        times = self._asked.get(kinds, 0)
        if times == _UNDER_WAY or times >= _MOST_KERNELS or len(self._asked) >= 4 * _MOST_KERNELS:
            return
        if not any(isinstance(a, _core.ndarray) for a in args):
            return
        self._asked[kinds], self._since = _UNDER_WAY, time.perf_counter()
        described = [Described(a) if isinstance(a, _core.ndarray) else a for a in args]
        queue().put(functools.partial(self._compile, kinds, times, described))

    def _compile(self, kinds, times, args):
        """`args` describe arrays: memory that ends while compilers work is free at once."""
        for name in ("re", "cuprite._compiler.loop_source", "cuprite._compiler.kernels", "cuprite._compiler.fuse.trace",
                     "cuprite._compiler.fuse.rebind", "cuprite._compiler.fuse.kernel_source",
                     "cuprite._compiler.fuse.program"):
            import_module(name)
            breathe()
        from cuprite._compiler.fuse import program as programs, rebind, trace
        given = tuple([(a[0], a[3]) if isinstance(a, Described) else a if _is_plain(a) else type(a) for a in args])
        try:
            program = programs.program(self, args)
            program.prepare(args)
            self._programs.setdefault(kinds, []).append(program)
            self._asked[kinds] = times + 1
            self._enter(program.entry(given))
        except trace.NotFused as e:
            self._leave(kinds, given)
            self._report(str(e))
        except rebind.Raised as e:  # the function's own calls raise what is wrong with it
            self._leave(kinds, given)
            report_failure(self.name, e.__cause__, of_user=True)
        except Exception as e:
            self._leave(kinds, given)
            report_failure(self.name, e)

    def _leave(self, kinds, given):
        """From here on such calls are the function's, without a detour."""
        self._asked[kinds] = _MOST_KERNELS
        self._enter(Entry(given, tuple(range(len(given))), engine=self.func, whole=True))

    def _report(self, why):
        if why and not self._reported:
            self._reported = True
            import warnings
            warnings.warn(f"{self.name}: {why}; it runs operation by operation", PerformanceWarning, stacklevel=2)

    def wait(self) -> None:
        """Waits until what was to be compiled is; for tests and measurements."""
        wait()

    def __reduce__(self):
        return self.func.__qualname__  # by name, as functions are

    def __repr__(self):
        return f"<Fusion name={self.name}>"


def _kinds(args):
    """What decides on the program: types of arrays and where they are, classes of numbers, and values of what is no
    floating-point number (a function may look at them); of objects the class, as what is looked at in them is looked
    at again in each call."""
    return tuple([(a._type, a._device) if isinstance(a, _core.ndarray) else float if type(a) is float else _kind(a)
                  for a in args])


def _is_plain(a):
    return isinstance(a, (bool, int, float, complex, str, type(None))) or type(a).__module__ == "numpy"


def _kind(a):
    if type(a) in (bool, int, str, type(None)):
        return type(a), a
    if type(a) is complex:
        return complex, repr(a)
    if type(a).__module__ == "numpy" and hasattr(a, "tobytes"):
        if hasattr(a, "__array_finalize__"):
            raise TypeError  # an array of NumPy's
        return type(a), a.tobytes()  # -0.0 is not 0.0
    hash(a)
    return type(a)


def fuse(*args, **kwargs):
    """Decorator: the operations of the function become one kernel.

    Written as @fuse, @fuse() or @fuse(kernel_name=...), over functions, lambdas (fuse(lambda x: ...)) and methods.
    Everything may stand in the function: what cannot be fused runs as it is written. The first calls run at once; the
    kernel is compiled meanwhile and then takes over with the same bits. NumPy's arrays are passed to the function as
    they are.

    Errors: TypeError for more than a function, and unknown keywords.

    Example:
        >>> @cp.fuse
        ... def line(x, a):
        ...     return a * x + 1
        >>> line(cp.arange(3.0), 2)
        array([1., 3., 5.])
    """
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
    may do with its arguments what arrays do: operations and functions, without `if` on their values.

    Parameters: pyfunc: the function; otypes: the results' types (None: as they come); doc: a string (None: its own);
        excluded: None; cache: True or False (without effect); signature: None.
    Errors: NotImplementedError for an excluded or a signature."""

    def __init__(self, pyfunc, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if excluded is not None:
            raise NotImplementedError("vectorize: excluded= is not there: functools.partial binds such arguments")
        if signature is not None:
            raise NotImplementedError("vectorize: signature= is not there: cuprite.numba.guvectorize has signatures")
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
