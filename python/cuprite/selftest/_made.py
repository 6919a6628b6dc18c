"""Areas whose answers NumPy has not: they are computed here in plain Python, or known.

Random numbers are checked by what they must be on average: six standard errors, so a right generator does not fail.
"""
from __future__ import annotations

import math
import operator
import warnings

import numpy as np

import cuprite as cp

COUNT = 20000
# name, mean, variance, call
_DISTRIBUTIONS = [
    ("random", 0.5, 1 / 12, lambda g: g.random(COUNT)),
    ("random, float32", 0.5, 1 / 12, lambda g: g.random(COUNT, dtype=np.float32)),
    ("standard_normal", 0, 1, lambda g: g.standard_normal(COUNT)),
    ("standard_exponential", 1, 1, lambda g: g.standard_exponential(COUNT)),
    ("integers", 4.5, 99 / 12, lambda g: g.integers(0, 10, COUNT)),
    ("poisson", 3, 3, lambda g: g.poisson(3.0, COUNT)),
    ("gamma", 2, 2, lambda g: g.gamma(2.0, size=COUNT)),
    ("beta", 0.4, 0.04, lambda g: g.beta(2.0, 3.0, COUNT)),
    ("binomial", 3, 2.1, lambda g: g.binomial(10, 0.3, COUNT)),
    ("uniform", 1, 4 / 3, lambda g: g.uniform(-1, 3, COUNT)),
]


def _random(record):
    for name, mean, variance, call in _DISTRIBUTIONS:
        sample = call(cp.random.default_rng(11)).get().astype(np.float64)
        error = abs(sample.mean() - mean) / math.sqrt(variance / COUNT)
        record.true(f"{name}: mean {sample.mean():.4f}, not {mean}", lambda: error < 6)
        record.true(f"{name}: variance {sample.var():.4f}, not {variance:.4f}",
                    lambda: abs(sample.var() / variance - 1) < 0.15)
        record.true(f"{name}: the same seed, other numbers",
                    lambda: cp.array_equal(call(cp.random.default_rng(11)), call(cp.random.default_rng(11))))
        record.true(f"{name}: another seed, the same numbers",
                    lambda: not cp.array_equal(call(cp.random.default_rng(11)), call(cp.random.default_rng(12))))
    state = cp.random.RandomState(3)
    record.equal("permutation", lambda: cp.sort(state.permutation(1000)), np.arange(1000))
    record.equal("choice without replacement", lambda: cp.unique(state.choice(50, 50, replace=False)), np.arange(50))
    record.true("randint's bounds", lambda: set(state.randint(0, 4, 500).get().tolist()) == {0, 1, 2, 3})
    record.raises("integers of an empty range", ValueError, lambda: cp.random.default_rng(1).integers(5, 5, 3))


def _neighbours(picture):
    """Pixels that are set and touch get one number, in the order of the first pixel of each."""
    labels, count = np.zeros(picture.shape, int), 0
    for start in zip(*np.nonzero(picture)):
        if labels[start]:
            continue
        count += 1
        waiting = [start]
        while waiting:
            y, x = waiting.pop()
            if 0 <= y < picture.shape[0] and 0 <= x < picture.shape[1] and picture[y, x] and not labels[y, x]:
                labels[y, x] = count
                waiting += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
    return labels, count


def _images(record):
    from cuprite.scipy import ndimage
    picture = (np.arange(600) * 7919 % 1009 % 7 < 3).reshape(20, 30)
    expected, count = _neighbours(picture)
    labels, found = ndimage.label(cp.asarray(picture))
    record.equal("label: number of regions", lambda: int(found), count)
    record.equal("label", lambda: labels.astype(int), expected)
    values = np.arange(600.0).reshape(20, 30) % 37
    every = range(1, count + 1)
    ours, index = cp.asarray(values), cp.arange(1, count + 1)
    for name, oracle in (("sum", np.sum), ("mean", np.mean), ("maximum", np.max), ("minimum", np.min),
                         ("standard_deviation", np.std), ("variance", np.var)):
        record.equal(name, lambda: getattr(ndimage, name)(ours, labels, index).astype(float),
                     np.array([oracle(values[expected == k]) for k in every], float), 8)
    moved = [np.average(np.argwhere(expected == k), axis=0, weights=values[expected == k] + 1) for k in every]
    record.equal("center_of_mass",
                 lambda: np.array([[float(c) for c in p] for p in ndimage.center_of_mass(ours + 1, labels, index)]),
                 np.array(moved), 16)
    boxes = ndimage.find_objects(labels)
    sizes = np.bincount(expected.ravel())
    record.true("find_objects", lambda: all((expected[boxes[k - 1]] == k).sum() == sizes[k] for k in every))


def _convolved(image, kernel):
    """Every sum of products, with zeros around the image."""
    height, width = (a + b - 1 for a, b in zip(image.shape, kernel.shape))
    full = np.zeros((height, width))
    for y in range(kernel.shape[0]):
        for x in range(kernel.shape[1]):
            full[y:y + image.shape[0], x:x + image.shape[1]] += kernel[y, x] * image
    return full


def _signal(record):
    from cuprite.scipy import signal, special
    image, kernel = np.arange(80.0).reshape(8, 10) % 7, np.arange(12.0).reshape(3, 4) - 3
    full = _convolved(image, kernel)
    ours = cp.asarray(image), cp.asarray(kernel)
    record.equal("convolve2d", lambda: signal.convolve2d(*ours), full)
    record.equal("convolve2d, valid", lambda: signal.convolve2d(*ours, mode="valid"), full[2:8, 3:10])
    record.equal("convolve2d, same", lambda: signal.convolve2d(*ours, mode="same"), full[1:9, 1:11])
    record.equal("correlate2d", lambda: signal.correlate2d(*ours), _convolved(image, kernel[::-1, ::-1]))
    x = np.linspace(-3, 3, 41)
    record.equal("erf", lambda: special.erf(cp.asarray(x)), np.array([math.erf(v) for v in x]), 4)
    record.equal("xlogy", lambda: special.xlogy(cp.asarray([0.0, 2.0]), cp.asarray([0.0, 3.0])),
                 np.array([0, 2 * math.log(3)]), 2)
    clipped = np.concatenate([np.arange(101) % 11, [1e6, -1e6]]).astype(float)
    record.equal("sigma_clip_stats", lambda: float(cp.sigma_clip_stats(cp.asarray(clipped)).center), 5.0)


def _errors(record):
    x = cp.arange(6).reshape(2, 3)
    for name, error, call in (
            ("shapes that do not fit", ValueError, lambda: x + cp.ones(4)),
            ("matmul of shapes that do not fit", ValueError, lambda: x @ x),
            ("an index out of bounds", IndexError, lambda: x[5]),
            ("an index array out of bounds", IndexError, lambda: np.asarray(x[cp.asarray([7])].get())),
            ("an axis that is not there", cp.AxisError, lambda: x.sum(axis=2)),
            ("a reshape that does not fit", ValueError, lambda: x.reshape(4)),
            ("a wrong type", TypeError, lambda: cp.add(x, "a")),
            ("a cast that is not safe", cp.UFuncTypeError, lambda: operator.iadd(cp.arange(3), 0.5)),
            ("the maximum of nothing", ValueError, lambda: cp.max(cp.zeros(0))),
            ("a truth value of several", ValueError, lambda: bool(x)),
            ("a NumPy array as operand", TypeError, lambda: x + np.ones(3)),
            ("a name that is not there", AttributeError, lambda: cp.no_such_name),
            ("a singular matrix", np.linalg.LinAlgError, lambda: cp.linalg.inv(cp.zeros((2, 2))))):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            record.raises(name, error, call)
    record.equal("the next call after an error", lambda: x.sum(), np.array(15))


def _interchange(record):
    import pickle
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = cp.asarray(a)
    record.equal("asarray, get", lambda: x, a)
    record.equal("asnumpy of a view", lambda: cp.asnumpy(x[::-1, ::2]), a[::-1, ::2])
    record.equal("Fortran order", lambda: cp.asarray(np.asfortranarray(a)), a)
    record.equal("set", lambda: (lambda y: (y.set(a * 2), y)[1])(cp.zeros_like(x)), a * 2)
    record.equal("pickle", lambda: pickle.loads(pickle.dumps(x)), a)
    record.equal("DLPack", lambda: cp.from_dlpack(x), a)
    record.equal("NumPy's functions", lambda: np.median(x), np.median(a), 2)
    record.equal("NumPy's ufuncs", lambda: np.add(x, 1), a + 1)
    record.equal("bytes", lambda: x.tobytes(), a.tobytes())
    record.equal("tolist", lambda: x.tolist(), a.tolist())
    record.equal("repr", lambda: repr(cp.arange(3)), repr(np.arange(3)))
    record.equal("str", lambda: str(x / 3), str(a / 3))
    record.true("get_array_module", lambda: cp.get_array_module(x) is cp and cp.get_array_module(a) is np)
    record.true("NumPy's implicit copy is refused", lambda: _refuses(lambda: np.asarray(x)))


def _refuses(call):
    try:
        call()
    except TypeError:
        return True
    return False


def _devices(record):
    stream, x = cp.cuda.Stream(), cp.arange(1000.0)
    with stream:
        y = x * 2
    done = cp.cuda.Event()
    done.record(stream)
    done.synchronize()
    record.equal("a stream", lambda: y, np.arange(1000.0) * 2)
    record.true("a stream's end", lambda: stream.done)
    before = cp.get_default_memory_pool().used_bytes()
    block = cp.zeros(1 << 20, np.uint8)
    record.true("the pool counts", lambda: cp.get_default_memory_pool().used_bytes() >= before + block.nbytes)
    record.true("the device has memory", lambda: 0 < cp.cuda.Device().mem_info[0] <= cp.cuda.Device().mem_info[1])
    record.equal("to_device", lambda: x.to_device("cpu"), np.arange(1000.0))


AREAS = {"random": _random, "images": _images, "signal": _signal, "errors": _errors, "interchange": _interchange,
         "devices": _devices}
