"""What SciPy's special functions do about errors, as a state of each thread: kept and given back. Results of a device
carry no flags, so that ours neither warn nor raise, as with SciPy's default, "ignore"."""
from __future__ import annotations

import threading

__all__ = ["SpecialFunctionError", "SpecialFunctionWarning", "errstate", "geterr", "seterr"]

_CATEGORIES = ("singular", "underflow", "overflow", "slow", "loss", "no_result", "domain", "arg", "other", "memory")
_ACTIONS = ("ignore", "warn", "raise")
_thread = threading.local()


class SpecialFunctionWarning(Warning):
    """SciPy's warning of a special function; no function here gives it."""


class SpecialFunctionError(Exception):
    """SciPy's exception of a special function; no function here raises it."""


def _state():
    if not hasattr(_thread, "actions"):
        _thread.actions = dict.fromkeys(_CATEGORIES, "ignore") | {"memory": "raise"}
    return _thread.actions


def geterr() -> dict[str, str]:
    """What this thread has set for each category of errors: "ignore", "warn" or "raise"."""
    return dict(_state())


def seterr(**kwargs) -> dict[str, str]:
    """Sets what shall be done about categories of errors in this thread, and gives what was set before. It is kept for
    geterr and errstate alone: functions here neither warn nor raise, as results of a device carry no flags.

    Parameters: kwargs: categories (singular, underflow, overflow, slow, loss, no_result, domain, arg, other, memory),
        or `all` for those not named, each "ignore", "warn" or "raise".
    Errors: KeyError for other categories and actions; TypeError for an action's number."""
    before = geterr()
    if "all" in kwargs:
        kwargs = dict.fromkeys(_CATEGORIES, kwargs["all"]) | {k: v for k, v in kwargs.items() if k != "all"}
    for category, action in kwargs.items():
        if isinstance(action, int) and 0 <= action < len(_ACTIONS):
            raise TypeError("an integer is required")  # as SciPy says it, of the number of an action
        if action not in _ACTIONS:
            raise KeyError(action)
        if category not in _CATEGORIES:
            raise KeyError(category)
        _state()[category] = action
    return before


class errstate:
    """A block for which seterr holds.

    Parameters: kwargs: as those of seterr.
    Errors: KeyError and TypeError as of seterr, where the block begins."""

    def __init__(self, **kwargs):
        self.kwargs = kwargs

    def __enter__(self) -> None:
        self.olderr = seterr(**self.kwargs)

    def __exit__(self, kind, error, trace) -> None:
        seterr(**self.olderr)
