"""numba.errors: errors and warnings by Numba's names."""
from cuprite._compiler.numba.errors import (  # noqa: F401
    LoweringError, NumbaDeprecationWarning, NumbaError, NumbaExperimentalFeatureWarning,
    NumbaPendingDeprecationWarning, NumbaPerformanceWarning, NumbaTypeSafetyWarning, NumbaWarning, TypingError,
    UnsupportedBytecodeError, UnsupportedError, ConstantInferenceError, ForbiddenConstruct, NumbaAssertionError,
    NumbaDebugInfoWarning, NumbaInvalidConfigWarning, NumbaNotImplementedError, NumbaRuntimeError, NumbaTypeError,
    NumbaValueError, RequireLiteralValue)
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
