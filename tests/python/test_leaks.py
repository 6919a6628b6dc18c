"""No call leaks references or memory, whether it succeeds, is refused, or runs out of memory anywhere inside."""
import gc
import pickle
import sys

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device

HOST = np.arange(12.0).reshape(3, 4)


def calls():
    x = cp.arange(12.0).reshape(3, 4)
    i = cp.arange(12).reshape(3, 4)
    m = x > 3
    sig, nd = cp.scipy.signal, cp.scipy.ndimage
    out = cp.zeros((3, 4))
    return {
        "operators": lambda: (x + x, x * 2, 1 - x, x ** 2, x < 3, -x, divmod(x, 3.0),
                              x == None, np.float32(2) * x),  # noqa: E711
        "in place": lambda: out.__iadd__(x),
        "ufunc": lambda: (cp.sqrt(x), cp.add(x, 1, out=out), cp.add(x, x, where=m, out=out), cp.add.reduce(x),
                          cp.add.outer(x[0], x[1])),
        "create": lambda: (cp.empty(3), cp.zeros((2, 3), order="F"), cp.full(3, 2), cp.arange(5), cp.linspace(0, 1, 5),
                           cp.ones_like(x), cp.eye(3)),
        "array": lambda: (cp.array([[1, 2.5], [3, 4]]), cp.array(HOST), cp.asarray(HOST.T), cp.array([x, x]),
                          cp.array(3), cp.array([1], "f2")),
        "to the host": lambda: (x.get(), x.T.get(), x.tolist(), x[0, 0].item(), cp.asnumpy(x), repr(x),
                                f"{x[0, 0]:.2f}", x.tobytes()),
        "views": lambda: (x.T, x.reshape(4, 3), x.T.ravel(), x[1:, ::2], x[None, ..., 0], x.diagonal(), x.squeeze(),
                          x.real, x.imag, x.view("i8")),
        "attributes": lambda: (x.shape, x.strides, x.dtype, x.flags, x.device, x.data, x.base, x.nbytes),
        "masks": lambda: (x[m], x[:, m[0]], x.compress(m[0], 1)),
        "assign": lambda: (out.__setitem__(0, 1.5), out.__setitem__(m, 2), out.__setitem__(Ellipsis, x),
                           out.__setitem__(0, [1, 2, 3, 4]), out.fill(2), cp.copyto(out, x), out.set(HOST)),
        "join": lambda: (cp.concatenate([x, x]), cp.stack([x, x]), cp.hstack([x, i])),
        "reduce": lambda: (x.sum(), x.mean(0), x.var(axis=(0, 1)), x.max(1), x.argmax(), x.any(), x.sum(where=m),
                           cp.count_nonzero(x)),
        "sort": lambda: (cp.sort(x), x.argsort(), cp.partition(x, 1), cp.median(x, 0), cp.unique(i, True, True, True),
                         cp.unique(x, True, True, True, 0), cp.unique(x, axis=1), cp.sigma_clip(x),
                         cp.sigma_clip_stats(x)),
        "select": lambda: (cp.nonzero(x), cp.argwhere(x), cp.where(m, x, 0), cp.where(m), cp.extract(m, x),
                           cp.flatnonzero(x)),
        "compare": lambda: (cp.allclose(x, HOST), cp.isclose(x, x), cp.array_equal(x, x), 3 in x, bool(x[0, 0]),
                            float(x[1, 1])),
        "convert": lambda: (x.astype("f4"), x.copy("F"), x.round(1), x.clip(0, 3), x.conj(), cp.result_type(x, "f4"),
                            cp.can_cast("f4", "f8")),
        "signal": lambda: (sig.convolve2d(x, x), sig.correlate2d(x, x, "same", "wrap", 1.5), cp.convolve(x[0], x[1])),
        "ndimage": lambda: (nd.label(m), nd.sum_labels(x, i, 3), nd.center_of_mass(x, i, 3),
                            nd.maximum_position(x, i, cp.arange(3)), nd.find_objects(i), nd.measure(x, i, 11)),
        "iterate": lambda: [v for v in x],
        "pickle": lambda: pickle.loads(pickle.dumps(x)),
        "numpy": lambda: (np.median(x), np.add(x, 1), np.concatenate([x, x])),
        "cuda": lambda: (cp.cuda.Stream().synchronize(), cp.cuda.Event().record(), cp.cuda.Device(),
                         cp.cuda.get_current_stream().ptr),
    }


def refused():
    x = cp.arange(12.0).reshape(3, 4)
    return {
        "operator": lambda: x + cp.ones(7), "stranger": lambda: x + "a", "host": lambda: x + HOST,
        "ufunc": lambda: cp.add(x, 1, where=x), "keyword": lambda: cp.median(x, wrong=1),
        "missing": lambda: cp.median(), "many": lambda: x.sum(1, 2, 3, 4, 5, 6, 7, 8, 9), "index": lambda: x[9],
        "indices": lambda: x[0, 0, 0], "mask": lambda: x[cp.ones(2, bool)], "key": lambda: x["a"],
        "assign": lambda: x.__setitem__(0, [1, 2]), "reshape": lambda: x.reshape(5), "axis": lambda: x.sum(9),
        "unique": lambda: cp.unique(x, True, axis=2), "list": lambda: cp.array([[1], [2, 3]]),
        "text": lambda: cp.array("a"), "dtype": lambda: cp.zeros(3, "nothing"),
        "overflow": lambda: cp.array([300], "i1"), "join": lambda: cp.concatenate([x, x[0]]),
        "join host": lambda: cp.stack([x, HOST]), "item": lambda: x.item(), "len": lambda: len(x[0, 0]),
        "out": lambda: x.sum(out=HOST), "get": lambda: x.get(out=HOST[0]),
        "word": lambda: cp.convolve(x[0], x[0], "half"), "variadic": lambda: x.reshape(1, 2, 3, order="C", wrong=1),
        "copyto": lambda: cp.copyto(x, 1j), "set": lambda: x.set(HOST[0]),
    }


def settle():
    gc.collect()
    _device.synchronize(_device.current())  # work under way may hold memory
    return sys.getallocatedblocks(), _device.test_live()


def check(once):
    """100 calls leave nothing behind; caches may grow now and then, so it is enough that one round of a few does
    not."""
    for _ in range(20):
        once()
    live = settle()[1]
    for _ in range(8):
        blocks, _ = settle()
        for _ in range(100):
            once()
        after, live_after = settle()
        assert live_after <= live
        if after - blocks < 20:
            return
    raise AssertionError(f"{after - blocks} blocks of Python's memory in 100 calls")


@pytest.mark.parametrize("name", list(calls()))
def test_calls_leak_nothing(name):
    check(calls()[name])


@pytest.mark.parametrize("name", list(refused()))
def test_refused_calls_leak_nothing(name):
    call = refused()[name]

    def once():
        try:
            call()
        except Exception:  # noqa: BLE001
            return
        raise AssertionError("was not refused")
    check(once)


@pytest.mark.parametrize("name", [n for n in calls() if n not in ("attributes",)])
def test_every_allocation_may_fail(name):
    call = calls()[name]
    call()
    blocks, live = settle()
    for n in range(1, 400):
        _device.test_fail(n)
        done = False
        try:
            call()
            done = True
        except MemoryError:
            pass
        finally:
            counted = _device.test_fail(0)
        assert settle()[1] <= live, f"allocation {n} failing leaks"
        if counted < n:
            assert done
            break
    else:
        raise AssertionError("never succeeded")
    call()


def test_blocks_are_counted_whichever_thread_gives_them_back():
    import threading
    before = settle()[1]
    for _ in range(3):
        made = []
        threads = [threading.Thread(target=lambda: made.extend(cp.ones(10) + 1 for _ in range(50))) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert settle()[1] > before
        made.clear()
        assert settle()[1] == before
