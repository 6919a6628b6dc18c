"""cupyx.time: the old name of cuprite.profiler.benchmark."""
from __future__ import annotations

from cuprite._missing import getter as _getter
from cuprite.profiler import benchmark

__all__ = ["repeat"]
__getattr__ = _getter(__name__)


def repeat(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=float("inf"),
           devices=None):
    """Times a function, as cuprite.profiler.benchmark does.

    Parameters: func: the function; args: its arguments; kwargs: its arguments by name; n_repeat: calls; name: what is
        printed, by default the function's; n_warmup: calls before; max_duration: seconds after which it ends; devices:
        numbers of devices, by default the current one.
    Errors: ValueError for arguments that benchmark refuses."""
    return benchmark(func, args, kwargs, n_repeat, name=name, n_warmup=n_warmup, max_duration=max_duration,
                     devices=devices)
