"""Linear systems: SciPy's classes with arrays of ours, and what they answer to signals."""
from cuprite.scipy.signal._by_scipy import by_scipy, scipy_signal, to_device, to_host


def _property(name, doc):
    return property(lambda self: to_device(getattr(self._system, name)),
                    lambda self, value: setattr(self._system, name, to_host(value)), doc=doc)


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


class _System:
    """A system that holds SciPy's."""

    def __init__(self, *system, **options):
        made = getattr(scipy_signal(), self._made_by)(*map(to_host, system), **options)
        self._system = made
        if type(self).__name__ in ("lti", "dlti"):
            self.__class__ = type(_wrapped(made))

    def __repr__(self):
        return repr(self._system)

    dt = _property("dt", "The step of time, None in continuous time.")
    poles = _property("poles", "The poles.")
    zeros = _property("zeros", "The zeros.")

    def to_tf(self, **options):
        """The system as a TransferFunction.

        Parameters: options: SciPy's."""
        return _wrapped(self._system.to_tf(**options))

    def to_zpk(self, **options):
        """The system as ZerosPolesGain.

        Parameters: options: SciPy's."""
        return _wrapped(self._system.to_zpk(**options))

    def to_ss(self):
        """The system as a StateSpace."""
        return _wrapped(self._system.to_ss())

    def to_discrete(self, dt, method="zoh", alpha=None):
        """The system in discrete time.

        Parameters: dt: the step of time; method: which method; alpha: of 'gbt'."""
        return _wrapped(self._system.to_discrete(dt, method, alpha))

    def impulse(self, X0=None, T=None, N=None, **discrete):
        """(t, y): the response to an impulse.

        Parameters: X0: the state to begin with; T: times; N: how many; discrete: x0, t and n in discrete time."""
        return _response(self, "impulse", X0, T, N, discrete)

    def step(self, X0=None, T=None, N=None, **discrete):
        """(t, y): the response to a step.

        Parameters: X0: the state to begin with; T: times; N: how many; discrete: x0, t and n in discrete time."""
        return _response(self, "step", X0, T, N, discrete)

    def output(self, U, T, X0=None):
        """The response to an input.

        Parameters: U: the input; T: times; X0: the state to begin with."""
        return _call("output")(self, U, T, X0)

    def bode(self, w=None, n=100):
        """(w, magnitude in decibels, phase in degrees).

        Parameters: w: frequencies; n: how many."""
        return _call("bode")(self, w, n)

    def freqresp(self, w=None, n=10000, **discrete):
        """(w, response).

        Parameters: w: frequencies; n: how many; discrete: whole in discrete time."""
        return _call("freqresp")(self, w, n, **discrete)


def _response(system, name, state, times, count, discrete):
    given = {k: v for k, v in (("X0", state), ("T", times), ("N", count)) if v is not None}
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
    num = _property("num", "The numerator's coefficients.")
    den = _property("den", "The denominator's coefficients.")


class ZerosPolesGain(_System):
    """A system by zeros, poles and gain.

    Parameters: system: the three; options: dt, the step of time."""
    _made_by = "ZerosPolesGain"
    gain = _property("gain", "The gain.")


class StateSpace(_System):
    """A system by its state space.

    Parameters: system: A, B, C and D; options: dt, the step of time."""
    _made_by = "StateSpace"
    A = _property("A", "The state matrix.")
    B = _property("B", "The input matrix.")
    C = _property("C", "The output matrix.")
    D = _property("D", "The feedthrough matrix.")


@by_scipy
def bode(system, w=None, n=100):
    """(w, magnitude in decibels, phase in degrees) of a system of continuous time."""


@by_scipy
def cont2discrete(system, dt, method="zoh", alpha=None):
    """A system of discrete time that is one of continuous time at its steps."""


@by_scipy
def dbode(system, w=None, n=100):
    """(w, magnitude in decibels, phase in degrees) of a system of discrete time."""


@by_scipy
def dfreqresp(system, w=None, n=10000, whole=False):
    """(w, response) of a system of discrete time."""


@by_scipy
def dimpulse(system, x0=None, t=None, n=None):
    """(t, y): the response of a system of discrete time to an impulse."""


@by_scipy
def dlsim(system, u, t=None, x0=None):
    """(t, y), of state-space systems (t, y, x): a simulation in discrete time."""


@by_scipy
def dstep(system, x0=None, t=None, n=None):
    """(t, y): the response of a system of discrete time to a step."""


@by_scipy
def freqresp(system, w=None, n=10000):
    """(w, response) of a system of continuous time."""


@by_scipy
def impulse(system, X0=None, T=None, N=None):
    """(t, y): the response of a system of continuous time to an impulse."""


@by_scipy
def lsim(system, U, T, X0=None, interp=True):
    """(t, y, x): a simulation in continuous time."""


@by_scipy
def step(system, X0=None, T=None, N=None):
    """(t, y): the response of a system of continuous time to a step."""
