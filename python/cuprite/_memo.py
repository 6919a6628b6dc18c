"""memoize and clear_memo: results of functions are kept, one for each device where that is asked for."""
import functools

__all__ = ["clear_memo", "memoize"]

_memos = []


def memoize(for_each_device=False):
    """Decorator: the function's result is kept for its arguments (which must be hashable); with for_each_device for the
    current device too. clear_memo() forgets all of them.

    Parameters: for_each_device: True or False.
    Errors: TypeError where it is written without brackets."""
    if callable(for_each_device):
        raise TypeError("memoize is a decorator with arguments: @memoize() or @memoize(for_each_device=True)")

    def decorate(f):
        memo = {}
        _memos.append(memo)

        @functools.wraps(f)
        def memoized(*args, **kwargs):
            device = -1
            if for_each_device:
                from cuprite import _device
                device = _device.current()
            key = (device, args, frozenset(kwargs.items()))
            if key not in memo:
                memo[key] = f(*args, **kwargs)
            return memo[key]
        return memoized
    return decorate


def clear_memo() -> None:
    """Forgets the results that all memoized functions have kept."""
    for memo in _memos:
        memo.clear()
