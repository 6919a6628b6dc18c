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


@pytest.mark.parametrize("peers", [False, True])
@pytest.mark.parametrize("name", [n for n, f in FAMILIES.items() if isinstance(f, Calls)])
def test_operands_on_two_devices(two, name, peers, monkeypatch):
    """Every second array lies on the other device. Where devices cannot read each other's memory that is refused, or
    right where values are only copied; else all is right."""
    first, second = two
    run, of, made = differential.run, differential.Array.of, []
    monkeypatch.setattr(_device, "can_access", lambda device, peer: peers)

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
    wrong = [w for w in found if w and not isinstance(w, str) and not w.kind.endswith(": strides: ")  # copies' own
             and (peers or REFUSED not in str(w.what))]
    assert not wrong, "\n".join(f"{w.number}: {w.text[:800]}\n    {w.what}" for w in wrong[:5])


def elementwise(x, y):
    return cp.ElementwiseKernel("T a, T b", "T c", "c = a + b", "two_sum")(x, y)


def reduction(x, y):
    return cp.ReductionKernel("T a, T b", "T c", "a + b", "a + b", "c = a", "0", "two_total")(x, y)


@cp.fuse()
def fused(x, y):
    return x + y


def into(x, y):
    out = cp.zeros(3).to_device(y.device)
    assert cp.add(x, x + 1, out=out) is out and out.device == y.device
    np.testing.assert_array_equal(out.get(), 2 * x.get() + 1)
    assert cp.sum(cp.stack([x, x]), axis=0, out=out) is out and out.tolist() == (2 * x.get()).tolist()
    whole, part = cp.divmod(x, cp.ones(3), out=(out, None))
    assert whole is out and out.tolist() == x.tolist() and part.device == x.device
    return x + out.to_device(x.device) - x + y


def written(x, y):
    z, at = x.copy(), cp.array([2, 0]).to_device(y.device)
    z += y
    z[at] = y[:2]
    want = x.get() + y.get()
    want[[2, 0]] = y.get()[:2]
    assert z.device == x.device and z.tolist() == want.tolist()
    cp.put(z, at, cp.array([5., 6]))
    cp.add.at(z, at, y[:2])
    want[[2, 0]] = [5, 6]
    want[[2, 0]] += y.get()[:2]
    assert z.tolist() == want.tolist() and x[at].device == x.device
    return x + y


@pytest.mark.parametrize("f", [elementwise, fused, into, written, cp.add, lambda x, y: x + y,
                               lambda x, y: cp.stack([x, y]).sum(0), lambda x, y: cp.einsum("i->i", x) + y,
                               lambda x, y: -(x - 2 * x - y), lambda x, y: cp.vectorize(lambda a, b: a + b)(x, y),
                               lambda x, y: cp.concatenate([x[None], y[None]]).sum(0)])
def test_a_device_that_reads_another(two, f, monkeypatch):
    """As CuPy: the result lies on the current device, and a PerformanceWarning says what that costs."""
    first, second = two
    first.use()
    x = cp.arange(3.0)
    y = (cp.arange(3.0) * 10).to_device(second)
    monkeypatch.setattr(_device, "can_access", lambda device, peer: True)
    with pytest.warns(RuntimeWarning, match="different from the current device") as seen:
        r = f(x, y)
    assert r.device == first and r.tolist() == [0, 11, 22] and x.tolist() == [0, 1, 2] and y.tolist() == [0, 10, 20]
    assert {type(w.message).__name__ for w in seen} == {"PerformanceWarning"}
    with second, pytest.warns(RuntimeWarning):
        assert cp.dot(x, y).device == second and float(reduction(x, y)) == 33
    monkeypatch.setattr(_device, "can_access", lambda device, peer: False)
    for call in (lambda: f(x, y), lambda: reduction(x, y), lambda: x.dot(y), lambda: x < y, lambda: x @ y):
        with pytest.raises(ValueError, match="Peer access is unavailable between these devices"):
            call()


def test_a_source_is_copied(two):
    """copyto and assignments need no access: they copy between devices."""
    first, second = two
    x = cp.arange(3.0)
    with first:
        y, mask = cp.zeros(3), cp.array([True, False, True])
        cp.copyto(y, x, where=mask)
        assert y.tolist() == [0, 0, 2]
        cp.copyto(y, x)
        y[::2] = x[1:]
        assert y.device == first and y.tolist() == [1, 1, 2]


KERNELS = [
    ("fft", lambda x: cp.fft.ifft(cp.fft.fft(x)).real), ("rfftn", lambda x: cp.fft.irfftn(cp.fft.rfftn(x))),
    ("solve", lambda x: cp.linalg.solve(x, x @ x)), ("inv", lambda x: cp.linalg.inv(cp.linalg.inv(x))),
    ("svd", lambda x: (lambda u, s, v: (u * s) @ v)(*cp.linalg.svd(x))),
    ("eigh", lambda x: (lambda w, v: (v * w) @ v.T)(*cp.linalg.eigh((x + x.T) / 2)) + (x - x.T) / 2),
    ("lu", lambda x: (lambda p, l, u: p @ l @ u)(*cp.scipy.linalg.lu(x))),
    ("sort", lambda x: cp.sort(x.ravel())[cp.argsort(cp.argsort(x.ravel()))].reshape(x.shape)),
    ("choice", lambda x: x + 0 * cp.random.choice(x.ravel(), x.shape)),
    ("permutation", lambda x: x + 0 * cp.random.permutation(x)),
    ("normal", lambda x: x + 0 * cp.random.default_rng(1).normal(0, 1, x.shape).to_device(x.device)),
    ("fused", lambda x: fused(x, x) / 2), ("elementwise", lambda x: elementwise(x, x) / 2),
    ("reduction", lambda x: x + 0 * reduction(x, x)), ("vectorize", lambda x: cp.vectorize(lambda a: a * 1)(x)),
    ("label", lambda x: x * (cp.scipy.ndimage.label(x > -1)[0] == 1)),
    ("convolve", lambda x: cp.scipy.signal.convolve2d(x, cp.ones((1, 1)).to_device(x.device))),
]


@pytest.mark.parametrize("name, f", KERNELS, ids=[n for n, _ in KERNELS])
def test_libraries_and_kernels_on_a_device_that_is_not_current(two, name, f):
    first, second = two
    with first:
        x = cp.asarray(np.random.default_rng(4).random((6, 6)) + 6 * np.eye(6))
    r = f(x)
    assert r.device == first
    np.testing.assert_allclose(r.get(), x.get(), rtol=1e-9, atol=1e-12)
