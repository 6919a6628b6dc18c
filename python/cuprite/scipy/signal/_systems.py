"""Linear systems: SciPy's classes with arrays of ours, and what they answer to signals."""
from __future__ import annotations

import operator
import types
from collections.abc import Sequence

from cuprite import ndarray
from cuprite.scipy.signal._by_scipy import by_scipy, scipy_signal, to_device, to_host


def _wrapped(system):
    """Our class of one of SciPy's systems."""
    names = {"TransferFunction": TransferFunction, "ZerosPolesGain": ZerosPolesGain, "StateSpace": StateSpace}
    kind = next(c for n, c in names.items() if isinstance(system, getattr(scipy_signal(), n)))
    ours = object.__new__(kind)
    ours._system = system
    return ours


def _call(name):
    def method(self, *args, **options):
        result = getattr(self._system, name)(*map(to_host, args), **{k: to_host(v) for k, v in options.items()})
        return to_device(result)
    return method


class _Kind(type):
    """The systems' type: as in SciPy each one is an lti or a dlti too."""

    def __instancecheck__(cls, x):
        if cls.__name__ in ("lti", "dlti") and isinstance(x, _System):
            return isinstance(x._system, getattr(scipy_signal(), cls.__name__))
        return type.__instancecheck__(cls, x)


class _System(metaclass=_Kind):
    """A system that holds SciPy's."""

    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, *system, **options):
        made = getattr(scipy_signal(), self._made_by)(*map(to_host, system), **options)
        self._system = made
        if type(self).__name__ in ("lti", "dlti"):
            self.__class__ = type(_wrapped(made))

    def __repr__(self) -> str:
        return repr(self._system)

    def __setattr__(self, name, value) -> None:
        if name in ("_system", "__class__") or not hasattr(self._system, name):
            object.__setattr__(self, name, value)
        else:
            setattr(self._system, name, to_host(value))

    @property
    def dt(self) -> float | None:
        """The step of time, None in continuous time."""
        return to_device(self._system.dt)

    @property
    def inputs(self) -> int:
        """How many inputs it has."""
        return self._system.inputs

    @property
    def outputs(self) -> int:
        """How many outputs it has."""
        return self._system.outputs

    @property
    def poles(self) -> ndarray:
        """The poles."""
        return to_device(self._system.poles)

    @property
    def zeros(self) -> ndarray:
        """The zeros."""
        return to_device(self._system.zeros)

    def to_tf(self, **options) -> TransferFunction:
        """The system as a TransferFunction.

        Parameters: options: SciPy's."""
        return _wrapped(self._system.to_tf(**options))

    def to_zpk(self, **options) -> ZerosPolesGain:
        """The system as ZerosPolesGain.

        Parameters: options: SciPy's."""
        return _wrapped(self._system.to_zpk(**options))

    def to_ss(self) -> StateSpace:
        """The system as a StateSpace."""
        return _wrapped(self._system.to_ss())

    def to_discrete(self, dt, method="zoh", alpha=None) -> _System:
        """The system in discrete time.

        Parameters: dt: the step of time; method: which method; alpha: of 'gbt'."""
        return _wrapped(self._system.to_discrete(dt, method, alpha))

    def impulse(self, X0=None, T=None, N=None, **discrete) -> tuple[ndarray, Sequence[ndarray] | ndarray]:
        """(t, y): the response to an impulse.

        Parameters: X0: the state to begin with; T: times; N: how many; discrete: x0, t and n in discrete time."""
        return _response(self, "impulse", X0, T, N, discrete)

    def step(self, X0=None, T=None, N=None, **discrete) -> tuple[ndarray, Sequence[ndarray] | ndarray]:
        """(t, y): the response to a step.

        Parameters: X0: the state to begin with; T: times; N: how many; discrete: x0, t and n in discrete time."""
        return _response(self, "step", X0, T, N, discrete)

    def output(self, *given, **named) -> tuple[ndarray, ...]:
        """The response to an input.

        Parameters: given: the input, times, the state to begin with; named: these by name, U, T and X0, in discrete
            time u, t and x0."""
        return _call("output")(self, *given, **named)

    def bode(self, w=None, n=100) -> tuple[ndarray, ...]:
        """(w, magnitude in decibels, phase in degrees).

        Parameters: w: frequencies; n: how many."""
        return _call("bode")(self, w, n)

    def freqresp(self, w=None, n=10000, whole=None) -> tuple[ndarray, ...]:
        """(w, response).

        Parameters: w: frequencies; n: how many; whole: in discrete time whether it goes round the whole circle."""
        return _call("freqresp")(self, w, n, *(() if whole is None else (whole,)))


def _response(system, name, state, times, count, discrete):
    names = ("x0", "t", "n") if isinstance(system, dlti) else ("X0", "T", "N")
    given = {k: v for k, v in zip(names, (state, times, count)) if v is not None}
    return _call(name)(system, **given, **discrete)


class lti(_System):
    """A system of continuous time: (num, den), (zeros, poles, gain) or (A, B, C, D).

    Parameters: system: those coefficients; options: SciPy's.
    Errors: ValueError for another number of them."""
    _made_by = "lti"


class dlti(_System):
    """A system of discrete time: (num, den), (zeros, poles, gain) or (A, B, C, D).

    Parameters: system: those coefficients; options: dt, the step of time.
    Errors: ValueError for another number of them."""
    _made_by = "dlti"


class TransferFunction(_System):
    """A system by its transfer function.

    Parameters: system: the numerator's and the denominator's coefficients; options: dt, the step of time."""
    _made_by = "TransferFunction"

    @property
    def num(self) -> ndarray:
        """The numerator's coefficients."""
        return to_device(self._system.num)

    @property
    def den(self) -> ndarray:
        """The denominator's coefficients."""
        return to_device(self._system.den)


class ZerosPolesGain(_System):
    """A system by zeros, poles and gain.

    Parameters: system: the three; options: dt, the step of time."""
    _made_by = "ZerosPolesGain"

    @property
    def gain(self) -> float | ndarray:
        """The gain."""
        return to_device(self._system.gain)


def _arithmetic(operation, reflected=False):
    def method(self, other) -> StateSpace:
        operands = (self._system, to_host(other))
        return _wrapped(operation(*(reversed(operands) if reflected else operands)))
    return method


class StateSpace(_System):
    """A system by its state space. Systems, and gains, are added (in parallel) and multiplied (one behind the other).

    Parameters: system: A, B, C and D; options: dt, the step of time."""
    _made_by = "StateSpace"
    __array_ufunc__ = None  # arrays of NumPy's leave operators to the system
    __add__, __radd__ = _arithmetic(operator.add), _arithmetic(operator.add, True)
    __sub__, __rsub__ = _arithmetic(operator.sub), _arithmetic(operator.sub, True)
    __mul__, __rmul__ = _arithmetic(operator.mul), _arithmetic(operator.mul, True)
    __truediv__ = _arithmetic(operator.truediv)

    def __neg__(self) -> StateSpace:
        return _wrapped(-self._system)

    @property
    def A(self) -> ndarray:
        """The state matrix."""
        return to_device(self._system.A)

    @property
    def B(self) -> ndarray:
        """The input matrix."""
        return to_device(self._system.B)

    @property
    def C(self) -> ndarray:
        """The output matrix."""
        return to_device(self._system.C)

    @property
    def D(self) -> ndarray:
        """The feedthrough matrix."""
        return to_device(self._system.D)


@by_scipy
def bode(system, w=None, n=100) -> tuple[ndarray, ...]:
    """(w, magnitude in decibels, phase in degrees) of a system of continuous time."""


@by_scipy
def cont2discrete(system, dt, method="zoh", alpha=None) -> tuple[ndarray, ...]:
    """A system of discrete time that is one of continuous time at its steps."""


@by_scipy
def dbode(system, w=None, n=100) -> tuple[ndarray, ...]:
    """(w, magnitude in decibels, phase in degrees) of a system of discrete time."""


@by_scipy
def dfreqresp(system, w=None, n=10000, whole=False) -> tuple[ndarray, ...]:
    """(w, response) of a system of discrete time."""


@by_scipy
def dimpulse(system, x0=None, t=None, n=None) -> tuple[ndarray, Sequence[ndarray] | ndarray]:
    """(t, y): the response of a system of discrete time to an impulse."""


@by_scipy
def dlsim(system, u, t=None, x0=None) -> tuple[ndarray, ...]:
    """(t, y), of state-space systems (t, y, x): a simulation in discrete time."""


@by_scipy
def dstep(system, x0=None, t=None, n=None) -> tuple[ndarray, Sequence[ndarray] | ndarray]:
    """(t, y): the response of a system of discrete time to a step."""


@by_scipy
def freqresp(system, w=None, n=10000) -> tuple[ndarray, ...]:
    """(w, response) of a system of continuous time."""


@by_scipy
def impulse(system, X0=None, T=None, N=None) -> tuple[ndarray, Sequence[ndarray] | ndarray]:
    """(t, y): the response of a system of continuous time to an impulse."""


@by_scipy
def lsim(system, U, T, X0=None, interp=True) -> tuple[ndarray, ...]:
    """(t, y, x): a simulation in continuous time."""


@by_scipy
def step(system, X0=None, T=None, N=None) -> tuple[ndarray, Sequence[ndarray] | ndarray]:
    """(t, y): the response of a system of continuous time to a step."""
