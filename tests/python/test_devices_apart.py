"""Arrays on another device than the current one, over all families of functions: results are right and lie with their
operands; operands on two devices are refused, or right where values are only copied.

The cases are those of test_differential.py, with what is current and where arrays are made changed."""
import numpy as np
import pytest

import cuprite as cp
import differential
import differential_arrange
from cuprite import _device
from differential import quiet
from differential_families import FAMILIES, Calls

NUMBER = 150
#: what brings arrays to the current device, which is what it is for
BRINGS = {"array", "asarray", "asanyarray", "asarray_chkfinite", "copy", ".copy", "full",
          "ascontiguousarray", "asfortranarray"}
#: a text that makes arrays where it is run, beside those that it is given
MAKES = ("xp.zeros(", "xp.ones(", "xp.empty(", "xp.full(", "xp.arange(", "xp.asarray(", "xp.array(", "copy=False",
         "require(", "chkfinite")
REFUSED = "operands lie on different devices"


@pytest.fixture
def two():
    """Two devices of one kind; the second one is current."""
    names = ("cuda:0", "cuda:1") if _device.count() > 1 else ("late:0", "late:1")
    before = _device.current()
    first, second = (cp.cuda.Device(n) for n in names)
    second.use()
    yield first, second
    _device.use(before)


def arrays_in(r):
    if isinstance(r, cp.ndarray):
        yield r
    elif isinstance(r, (tuple, list)):
        for e in r:
            yield from arrays_in(e)


def is_given(v):
    return isinstance(v, differential.Array) or isinstance(v, (tuple, list)) and any(map(is_given, v))


def settle(device):
    with device, np.errstate(all="ignore"):
        differential.forget()


@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if isinstance(f, Calls)])
def test_calls(two, name, monkeypatch):
    first, second = two
    run, of, misplaced = differential.run, differential.Array.of, []

    def on_first(self, xp, memo):
        with first:
            return of(self, xp, memo)

    def watched(case, xp, memo):
        error, r, fetched, told = run(case, xp, memo)
        if xp is cp:
            settle(first)
            if error is None and case.f not in BRINGS and any(map(is_given, [*case.args, *case.options.values()])):
                misplaced.extend((case.f, case.text()[:300], x.device) for x in arrays_in(r) if x.device != first)
        return error, r, fetched, told
    monkeypatch.setattr(differential.Array, "of", on_first)
    monkeypatch.setattr(differential, "run", watched)
    with quiet():
        found = [FAMILIES[name].verdict(number) for number in range(NUMBER)]
    wrong = [w for w in found if w and not isinstance(w, str)
             and not (w.kind == "asarray: strides: " or w.kind == "asanyarray: strides: ")]  # not a view any more
    assert not wrong, "\n".join(f"{w.number}: {w.text[:800]}\n    {w.what}" for w in wrong[:5])
    assert not misplaced, misplaced[:5]


@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if not isinstance(f, Calls)])
def test_statements(two, name, monkeypatch):
    first, second = two
    own, run = differential_arrange.World.own, differential_arrange.run

    def on_first(self, host, bfloat16):
        with first:
            return own(self, host, bfloat16)

    def watched(world, code):
        found = run(world, code)
        settle(first)
        return found
    monkeypatch.setattr(differential_arrange.World, "own", on_first)
    monkeypatch.setattr(differential_arrange, "run", watched)
    family = FAMILIES[name]
    with quiet():
        found = [family.verdict(n) for n in range(NUMBER) if not any(m in family.text(n) for m in MAKES)]
    wrong = [w for w in found if w and not isinstance(w, str)]
    assert not wrong, "\n".join(f"{w.number}: {w.text[:800]}\n    {w.what}" for w in wrong[:5])


@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if isinstance(f, Calls)])
def test_operands_on_two_devices(two, name, monkeypatch):
    """Every second array lies on the other device. Nothing reads memory that it must not: what is not refused is
    right."""
    first, second = two
    run, of, made = differential.run, differential.Array.of, []

    def in_turn(self, xp, memo):
        if id(self.buffer) not in memo and xp is cp:
            made.append(self)
        with second if len(made) % 2 else first:
            return of(self, xp, memo)

    def watched(case, xp, memo):
        made.clear()
        found = run(case, xp, memo)
        if xp is cp:
            settle(first)
        return found
    monkeypatch.setattr(differential.Array, "of", in_turn)
    monkeypatch.setattr(differential, "run", watched)
    with quiet():
        found = [FAMILIES[name].verdict(number) for number in range(NUMBER)]
    wrong = [w for w in found if w and not isinstance(w, str) and REFUSED not in str(w.what)
             and "asarray: strides" not in w.kind and "asanyarray: strides" not in w.kind]
    assert not wrong, "\n".join(f"{w.number}: {w.text[:800]}\n    {w.what}" for w in wrong[:5])
