"""numba.cuda.args: how an argument of a launch that lies on the host is copied: In (to the device), Out (back), InOut
(both)."""


class ArgHint:
    """An argument with the direction in which it is copied.

    Parameters: value: an array or a record."""
    copies_in = copies_back = True

    def __init__(self, value):
        self.value = value

    @property
    def _numba_type_(self):
        from cuprite._compiler.numba._types import typeof
        return typeof(self.value)


class In(ArgHint):
    """Copied to the device, and not back."""
    copies_back = False


class Out(ArgHint):
    """Copied back; its elements on the device are not set before."""
    copies_in = False


class InOut(ArgHint):
    """Copied to the device and back, as an array without a hint is."""


def wrap_arg(value, default=InOut):
    """The value with a hint, its own or the default.

    Parameters: value: an argument; default: In, Out or InOut."""
    return value if isinstance(value, ArgHint) else default(value)
