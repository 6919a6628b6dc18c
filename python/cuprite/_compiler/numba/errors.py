"""Errors and warnings by Numba's names."""


class NumbaError(Exception):
    """What compiling a function can fail with."""


class TypingError(NumbaError, TypeError):
    """An expression has no type, or a wrong one."""


class UnsupportedError(NumbaError, NotImplementedError):
    """Something of Python that a kernel cannot have."""


class UnsupportedBytecodeError(UnsupportedError):
    """A statement or expression that a kernel cannot have."""


class LoweringError(NumbaError):
    """A function with types could not be written down."""


class NumbaValueError(TypingError):
    """A constant has no value that is allowed."""


class NumbaTypeError(TypingError):
    """A constant has no type that is allowed."""


class NumbaRuntimeError(NumbaError, RuntimeError):
    """What compiled code found."""


class NumbaAssertionError(TypingError):
    """What must hold does not."""


class NumbaNotImplementedError(UnsupportedError):
    """Something is not there."""


class RequireLiteralValue(TypingError):
    """An argument must be a constant."""


class ConstantInferenceError(NumbaError):
    """A constant could not be found out."""


class ForbiddenConstruct(LoweringError):
    """Something is not there for this target."""


class NumbaWarning(Warning):
    pass


class NumbaPerformanceWarning(NumbaWarning):
    pass


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    pass


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    pass


class NumbaTypeSafetyWarning(NumbaWarning):
    pass


class NumbaInvalidConfigWarning(NumbaWarning):
    pass


class NumbaDebugInfoWarning(NumbaWarning):
    pass


class NumbaExperimentalFeatureWarning(NumbaWarning):
    pass


def reported():
    """A context in which the compiler's errors become Numba's."""
    return _Reported()


class _Reported:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None or not getattr(error, "_located", False) or isinstance(error, NumbaError):
            return False
        made = UnsupportedError if issubclass(kind, (NotImplementedError, SyntaxError)) else TypingError
        raise made(str(error)) from None
