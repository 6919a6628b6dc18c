"""errstate, seterr and geterr of cuprite.scipy.special: SciPy's state and refusals, of each thread its own, without an
effect."""
import threading
import warnings

import numpy as np
import pytest
import scipy.special

import cuprite as cp
from cuprite.scipy import special as ours
from oracle import outcome

REQUESTS = [{}, {"singular": "warn"}, {"all": "raise"}, {"all": "warn", "loss": "ignore"},
            {"loss": "ignore", "all": "warn"}, {"foo": "warn"}, {"singular": "bad"}, {"all": "bad"}, {"singular": 1},
            {"singular": 7}, {"singular": None}, {"loss": "warn", "foo": "warn"}, {"loss": "raise", "domain": "bad"},
            {"memory": "ignore"}, {"slow": True}]


@pytest.fixture(autouse=True)
def restored():
    before = [(m, m.geterr()) for m in (ours, scipy.special)]
    yield
    for module, state in before:
        module.seterr(**state)


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_as_scipy(request_):
    """The state before and after, and what is refused half of the way."""
    def set_by(module):
        try:
            found = module.seterr(**request_)
        except (KeyError, TypeError) as e:
            found = type(e), e.args
        return found, module.geterr()
    assert ours.geterr() == scipy.special.geterr()
    assert set_by(ours) == set_by(scipy.special)


def test_positional():
    assert outcome(ours.seterr, "ignore") is outcome(scipy.special.seterr, "ignore") is TypeError
    assert outcome(ours.errstate, "ignore") is outcome(scipy.special.errstate, "ignore") is TypeError


def test_blocks():
    before = ours.geterr()
    with ours.errstate(all="raise") as nothing:
        assert nothing is None and set(ours.geterr().values()) == {"raise"}
        with ours.errstate(loss="warn"):
            assert ours.geterr()["loss"] == "warn" and ours.geterr()["domain"] == "raise"
        assert ours.geterr()["loss"] == "raise"
    assert ours.geterr() == before
    with pytest.raises(ZeroDivisionError), ours.errstate(all="warn"):
        1 / 0
    assert ours.geterr() == before
    block = ours.errstate(foo="warn")  # refused where it begins, as SciPy's
    with pytest.raises(KeyError):
        block.__enter__()


def test_threads_have_their_own():
    ours.seterr(loss="warn")
    seen = []
    thread = threading.Thread(target=lambda: seen.append(ours.geterr()))
    thread.start()
    thread.join()
    assert seen[0]["loss"] == "ignore" and seen[0]["memory"] == "raise" and ours.geterr()["loss"] == "warn"


def test_nothing_is_reported(device):
    """Results of a device carry no flags."""
    with warnings.catch_warnings(), ours.errstate(all="raise"):
        warnings.simplefilter("error")
        assert np.isinf(float(ours.gammaln(cp.asarray(0.0)))) and np.isnan(float(ours.loggamma(-1.0)))
    with scipy.special.errstate(all="raise"), pytest.raises(scipy.special.SpecialFunctionError):
        scipy.special.gammaln(0)
    for name, kind in (("SpecialFunctionWarning", Warning), ("SpecialFunctionError", Exception)):
        assert issubclass(getattr(ours, name), kind) and issubclass(getattr(scipy.special, name), kind)
