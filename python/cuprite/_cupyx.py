"""Functions of cupyx that stand alone: what happens on errors of linear algebra, what is installed, whether calls may
wait for a device."""
from __future__ import annotations

import contextlib
import threading

__all__ = ["allow_synchronize", "errstate", "get_runtime_info", "geterr", "seterr", "show_config"]

_DEFAULTS = {"divide": None, "over": None, "under": None, "invalid": None, "linalg": None}
_WORDS = {"divide": (None, "ignore"), "over": (None, "ignore"), "under": (None, "ignore"), "invalid": (None, "ignore"),
          "linalg": (None, "ignore", "raise")}


class _Here(threading.local):
    choices = _DEFAULTS


_here = _Here()


def geterr():
    """What happens on errors, a dict. Floating-point errors are never reported; `linalg` is "ignore", "raise" or None,
    which leaves it to the function."""
    return dict(_here.choices)


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None):
    """Sets what happens on errors, for this thread; returns what was. Floating-point errors can only be ignored.

    Parameters: divide: 'ignore', or None: as it is; over: 'ignore', or None: as it is; under: 'ignore', or None: as
        it is; invalid: 'ignore', or None: as it is; linalg: 'ignore', 'raise', or None: as it is.
    Errors: NotImplementedError for another word of floating-point errors; ValueError for another of linalg."""
    asked = {"divide": divide, "over": over, "under": under, "invalid": invalid, "linalg": linalg}
    for name, word in asked.items():
        if word not in _WORDS[name]:
            if name == "linalg":
                raise ValueError(f"linalg: 'ignore', 'raise' or None, not {word!r}")
            raise NotImplementedError(f"{name}: devices do not tell of floating-point errors, so {word!r} cannot be; "
                                      "isfinite and isnan find what is not a number")
    before = geterr()
    _here.choices = {name: before[name] if word is None else word for name, word in asked.items()}
    return before


@contextlib.contextmanager
def errstate(*, divide=None, over=None, under=None, invalid=None, linalg=None):
    """A block for which seterr holds.

    Parameters: divide: 'ignore', or None: as it is; over: 'ignore', or None: as it is; under: 'ignore', or None: as
        it is; invalid: 'ignore', or None: as it is; linalg: 'ignore', 'raise', or None: as it is.
    Errors: NotImplementedError for another word of floating-point errors; ValueError for another of linalg."""
    before = _here.choices
    seterr(divide=divide, over=over, under=under, invalid=invalid, linalg=linalg)
    try:
        yield
    finally:
        _here.choices = before


def _current_device():
    """Facts about the current device: name, memory, limit; or why there is none."""
    from cuprite import _device
    from cuprite._core import CUDARuntimeError
    from cuprite.cuda import _memories
    try:
        number = _device.current()
        q, pool = _device.query(number), _device.pool(number)
    except CUDARuntimeError as e:
        return {"Device": e}
    name = q["backend"] if number == -1 else f"{q['backend']}:{q['number']}"
    units = "threads" if q["backend"] == "cpu" else "multiprocessors"
    return {"Device": f"{name} ({q['name']}, {q['variant']}, {q['units']} {units})",
            "Memory": f"{_memories.in_words(q['memory_total'])}, {_memories.in_words(q['memory_free'])} available",
            "Memory Pool": f"holds {_memories.in_words(pool['held'])}, "
                           f"its limit is {_memories.in_words(pool['limit']) if pool['limit'] else 'none'}"}


class _RuntimeInfo:
    """Versions and devices, one fact a line when printed."""

    def __init__(self, full):
        import platform
        import cuprite
        from cuprite import _device
        from cuprite.cuda import runtime
        facts = {"OS": platform.platform(), "Python Version": platform.python_version(),
                 "Cuprite Version": cuprite.__version__}
        try:
            import numpy
            facts["NumPy Version"] = numpy.__version__
        except ImportError:
            facts["NumPy Version"] = None
        facts.update(_current_device())
        facts["BLAS"] = _device.blas()
        facts["CUDA Driver Version"] = facts["CUDA Runtime Version"] = None
        if _device.count():
            with cuprite.cuda.Device(0):
                facts["CUDA Driver Version"] = runtime.driverGetVersion()
                facts["CUDA Runtime Version"] = runtime.runtimeGetVersion()
        else:
            facts["No GPU"] = _device.error()
        for number in [-1, *range(_device.count())] if full else []:
            q = _device.query(number)
            facts[f"Device {q['backend']}:{q['number']}"] = f"{q['name']} ({q['variant']})"
        self._facts = facts

    def __str__(self):
        width = max(map(len, self._facts))
        return "\n".join(f"{name:<{width}} : {value}" for name, value in self._facts.items())

    __repr__ = __str__


def get_runtime_info(*, full=True):
    """What is installed, to be printed; with full=False without the devices."""
    return _RuntimeInfo(full)


def show_config(*, _full=False) -> None:
    """Prints what is installed."""
    import sys
    print(get_runtime_info(full=_full))
    sys.stdout.flush()


@contextlib.contextmanager
def allow_synchronize(allow):
    """A block in which this thread may, or with False may not, wait for devices: streams, events and devices waited
    for, and arrays read by the host, then raise DeviceSynchronized. On the CPU too, where waiting takes no time.

    Parameters: allow: True or False."""
    from cuprite import _device
    before = _device.allow_waits(bool(allow))
    try:
        yield
    finally:
        _device.allow_waits(before)
