"""scipy.ndimage's distance transforms and watershed against SciPy, distances and places exactly."""
import itertools
import warnings

import cuprite as cp
import numpy as np
import pytest
import scipy.ndimage as theirs
from cuprite.scipy import ndimage as ours
from oracle import raises


def mask(rng, ndim, most):
    shape = tuple(rng.integers(1, most[ndim - 1], ndim).tolist())
    x = rng.random(shape) < rng.choice([0.1, 0.5, 0.8, 0.99, 1.0])
    x = x.astype(rng.choice(["bool", "int8", "float32", "uint16"]))
    return x[tuple(slice(None, None, int(s)) for s in rng.choice([1, -1], ndim))]


def same(got, want, tolerance=0):
    if isinstance(want, tuple):
        assert isinstance(got, tuple) and len(got) == len(want)
        for g, w in zip(got, want):
            same(g, w, tolerance)
        return
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=0)


def sampling_of(rng, ndim):
    if rng.random() < 0.5:
        return None
    return float(rng.choice([1, 2.5])) if rng.random() < 0.3 else rng.uniform(0.3, 3, ndim).tolist()


@pytest.mark.parametrize("part", range(12))
def test_edt(part):
    for seed in range(part * 30, part * 30 + 30):
        rng = np.random.default_rng(seed)
        ndim = int(rng.integers(1, 5))
        x = mask(rng, ndim, [300, 90, 14, 7])
        options = {"sampling": sampling_of(rng, ndim), "return_indices": bool(rng.random() < 0.6)}
        want = theirs.distance_transform_edt(x, **options)
        same(ours.distance_transform_edt(cp.asarray(x), **options), want, 0 if options["sampling"] is None else 4e-16)


@pytest.mark.parametrize("shape", [(700, 30), (30, 700), (1, 5000), (5000,), (40, 1, 300), (3, 200, 40)])
def test_edt_of_few_zeros(shape):
    """Distances of many steps: lower envelopes on the CPU, blocks on a GPU."""
    for seed, zeros in enumerate([1, 2, 5, 40]):
        rng = np.random.default_rng(seed)
        x = np.ones(shape, bool)
        x.reshape(-1)[rng.integers(0, x.size, zeros)] = False
        for sampling in (None, [0.7, 1.3, 2][:x.ndim]):
            want = theirs.distance_transform_edt(x, sampling, return_indices=True)
            same(ours.distance_transform_edt(cp.asarray(x), sampling, return_indices=True), want,
                 0 if sampling is None else 4e-16)


def test_edt_without_a_zero():
    for shape in [(1,), (5,), (3, 4), (2, 3, 4)]:
        x = np.ones(shape, "int16")
        want = theirs.distance_transform_edt(x, 0.5, return_indices=True)
        same(ours.distance_transform_edt(cp.asarray(x), 0.5, return_indices=True), want)


def test_edt_of_a_number_and_of_nothing():
    for value in (0, 3):
        same(ours.distance_transform_edt(cp.array(value)), theirs.distance_transform_edt(np.array(value)))
    assert ours.distance_transform_edt(cp.zeros((0, 4))).shape == (0, 4)
    found, where = ours.distance_transform_edt(cp.zeros((3, 0)), return_indices=True)
    assert found.shape == (3, 0) and where.shape == (2, 3, 0)


def test_edt_of_complex_and_small_types():
    x = np.array([[1j, 0, 2], [3, 4, 1j]])
    same(ours.distance_transform_edt(cp.asarray(x)), theirs.distance_transform_edt(x))
    same(ours.distance_transform_edt(cp.asarray(x.real).astype("bfloat16")), theirs.distance_transform_edt(x.real))


def test_outputs():
    x = np.random.default_rng(3).random((20, 30)) < 0.9
    want, where = theirs.distance_transform_edt(x, return_indices=True)
    distances, indices = cp.empty((20, 60))[:, ::-2], cp.empty((2, 20, 30), "int32")
    y = cp.asarray(x)
    assert ours.distance_transform_edt(y, return_indices=True, distances=distances, indices=indices) is None
    same(distances, want)
    same(indices, where)
    same(ours.distance_transform_edt(y, return_distances=False, return_indices=True), where)
    got = ours.distance_transform_edt(y, float64_distances=False)
    same(got, want.astype("float32"))
    single = cp.empty((20, 30), "float32")
    assert ours.distance_transform_edt(y, float64_distances=False, distances=single) is None
    same(single, want.astype("float32"))
    steps = cp.empty((20, 30), "int32")
    assert ours.distance_transform_cdt(y, distances=steps) is None
    same(steps, theirs.distance_transform_cdt(x))


@pytest.mark.parametrize("part", range(4))
def test_cdt(part):
    for seed in range(part * 40, part * 40 + 40):
        rng = np.random.default_rng(seed)
        ndim = int(rng.integers(1, 5))
        x = mask(rng, ndim, [100, 30, 10, 6])
        metric = str(rng.choice(["chessboard", "taxicab", "cityblock"])) if rng.random() < 0.6 else \
            (rng.random((3,) * ndim) < 0.6).astype("int8")
        options = {"return_indices": bool(rng.random() < 0.6)}
        want = theirs.distance_transform_cdt(x, metric, **options)
        if not isinstance(metric, str) and seed % 2:
            metric = cp.asarray(metric)
        same(ours.distance_transform_cdt(cp.asarray(x), metric, **options), want)


@pytest.mark.parametrize("metric", ["euclidean", "taxicab", "chessboard", "manhattan", "EUCLIDEAN"])
def test_bf(metric):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        ndim = int(rng.integers(1, 4))
        x = mask(rng, ndim, [60, 16, 7])
        options = {"sampling": sampling_of(rng, ndim), "return_indices": bool(rng.random() < 0.6)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = theirs.distance_transform_bf(x, metric, **options)
        same(ours.distance_transform_bf(cp.asarray(x), metric, **options), want, 4e-16)


BAD = [
    "distance_transform_edt(x, return_distances=False)", "distance_transform_edt(x, (1, 2, 3))",
    "distance_transform_edt(x, return_distances=False, return_indices=True, distances=x)",
    "distance_transform_edt(x, indices=xp.zeros((2, 4, 5), 'int32'))",
    "distance_transform_edt(x, distances=xp.zeros((4, 4)))",
    "distance_transform_edt(x, distances=xp.zeros((4, 5), 'f4'))",
    "distance_transform_edt(x, return_indices=True, indices=xp.zeros((2, 4, 5)))",
    "distance_transform_edt(x, return_indices=True, indices=xp.zeros((4, 5), 'int32'))",
    "distance_transform_cdt(x, 'unknown')", "distance_transform_cdt(x, xp.ones((3, 5)))",
    "distance_transform_cdt(x, distances=xp.zeros((4, 5)))",
    "distance_transform_cdt(x, return_distances=False)", "distance_transform_bf(x, 'unknown')",
    "distance_transform_bf(x, return_distances=False)", "distance_transform_bf(x, sampling=(1, 2, 3))",
    "distance_transform_bf(x, 'taxicab', distances=xp.zeros((4, 5)))",
    "watershed_ift(x, marks)", "watershed_ift(values, marks[1:])", "watershed_ift(values, x)",
    "watershed_ift(values, marks, xp.ones((3, 5)))", "watershed_ift(values, marks, xp.ones((3, 3, 3)))",
    "watershed_ift(values, marks, output=xp.zeros((4, 5)))",
    "watershed_ift(values, marks, output=xp.zeros((4, 4), 'int8'))",
    "watershed_ift(values.astype('int16'), marks)",
]


@pytest.mark.parametrize("expression", BAD)
def test_errors(expression):
    def of(module, xp):
        names = {"x": xp.ones((4, 5)), "values": xp.ones((4, 5), "uint8"), "marks": xp.ones((4, 5), "int8"), "xp": xp}
        functions = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
        try:
            eval(expression, functions | names)
        except Exception as e:
            return type(e)
    want = of(theirs, np)
    assert want is not None
    assert of(ours, cp) is want


def test_refusals_of_ours():
    for call in (lambda: ours.distance_transform_edt(np.ones(3)), lambda: ours.distance_transform_cdt([1, 0]),
                 lambda: ours.watershed_ift(cp.ones(3, "uint8"), [0, 0, 1])):
        with raises(TypeError):
            call()


# --- watersheds ---

class Queue:
    """A list by links, which the elements have: an element lies in one list at most."""

    def __init__(self, behind, before):
        self.first = self.last = None
        self.behind, self.before = behind, before

    def append(self, i):
        self.before[i], self.behind[i] = self.last, None
        if self.last is not None:
            self.behind[self.last] = i
        self.last = i
        self.first = i if self.first is None else self.first

    def push(self, i):
        self.behind[i], self.before[i] = self.first, None
        if self.first is not None:
            self.before[self.first] = i
        self.first = i
        self.last = i if self.last is None else self.last

    def remove(self, i):
        behind, before = self.behind[i], self.before[i]
        self.first = behind if self.first == i else self.first
        self.last = before if self.last == i else self.last
        if before is not None:
            self.behind[before] = behind
        if behind is not None:
            self.before[behind] = before


def flooded(x, markers, structure, as_scipy):
    """SciPy's algorithm, element by element. as_scipy: with its two mistakes: neighbours of a line's end are those at
    the beginning of the next line, since only the ends of the whole array are looked at, and an element that is alone
    in its queue stays there when it moves to another."""
    shape, label = x.shape, markers.astype(int).ravel()
    value, cost, done = x.astype(int).ravel(), np.full(x.size, int(x.max()) + 1), np.zeros(x.size, bool)
    behind, before = [None] * x.size, [None] * x.size
    queues = [Queue(behind, before) for _ in range(int(x.max()) + 1)]
    steps = [s for s in itertools.product((-1, 0, 1), repeat=x.ndim) if any(s) and structure[tuple(i + 1 for i in s)]]
    weights = [int(np.prod(shape[d + 1:])) for d in range(x.ndim)]

    def enqueue(i, price):
        cost[i] = price
        (queues[price].append if label[i] < 0 else queues[price].push)(i)

    for i in np.flatnonzero(label):
        enqueue(i, 0)
    for queue in queues:
        while queue.first is not None:
            i = queue.first
            queue.first = behind[i]
            if queue.first is None:
                queue.last = None
            else:
                before[queue.first] = None
            behind[i] = before[i] = None
            done[i] = True
            at = np.unravel_index(i, shape)
            for step in steps:
                j = i + sum(s * w for s, w in zip(step, weights))
                inside = as_scipy or all(0 <= a + s < n for a, s, n in zip(at, step, shape))
                price = max(abs(value[i] - value[j]), cost[i]) if 0 <= j < x.size and inside else None
                if price is None or done[j] or price >= cost[j]:
                    continue
                alone = behind[j] is None and before[j] is None
                if cost[j] < len(queues) and not (as_scipy and alone):
                    queues[cost[j]].remove(j)
                label[j] = label[i]
                enqueue(j, price)
    return label.reshape(shape).astype(markers.dtype)


@pytest.mark.parametrize("part", range(6))
def test_watershed(part):
    """SciPy's results but for its mistakes."""
    for seed in range(part * 25, part * 25 + 25):
        rng = np.random.default_rng(seed)
        ndim = int(rng.integers(1, 4))
        shape = tuple(rng.integers(1, [40, 12, 6][ndim - 1], ndim).tolist())
        x = rng.integers(0, rng.choice([1, 3, 256]), shape).astype(rng.choice(["uint8", "uint16"]))
        markers = np.where(rng.random(shape) < 0.15, rng.integers(-2, 5, shape), 0)
        markers = markers.astype(rng.choice(["int8", "int16", "int32", "int64"]))
        cross = theirs.generate_binary_structure(ndim, 1)
        structure = cross if rng.random() < 0.5 else rng.random((3,) * ndim) < 0.6
        np.testing.assert_array_equal(theirs.watershed_ift(x, markers, structure), flooded(x, markers, structure, True))
        got = ours.watershed_ift(cp.asarray(x), cp.asarray(markers), None if structure is cross else structure)
        assert got.dtype == markers.dtype
        np.testing.assert_array_equal(cp.asnumpy(got), flooded(x, markers, structure, False))


def test_watershed_outputs():
    x, markers = cp.asarray(np.random.default_rng(1).integers(0, 9, (6, 7)).astype("uint8")), cp.zeros((6, 7), "int16")
    markers[1, 1], markers[4, 5] = 1, -3
    want = ours.watershed_ift(x, markers).get()
    out = cp.zeros((7, 6), "int64").T
    assert ours.watershed_ift(x, markers, output=out) is not None
    assert (out.get() == want).all()
    for output in ("int8", np.int64):
        got = ours.watershed_ift(x, markers, output=output)
        assert got.dtype == output and (got.get() == want).all()
    assert ours.watershed_ift(cp.zeros((0, 3), "uint8"), cp.zeros((0, 3), "int8")).shape == (0, 3)


def test_both_names_of_the_array(device):
    """CuPy calls it image, SciPy input; it is one of them."""
    x = cp.asarray([[1, 1, 0], [1, 1, 1]])
    want = theirs.distance_transform_edt(x.get())
    same(ours.distance_transform_edt(x), want, 4e-16)
    for name in ("image", "input"):
        same(ours.distance_transform_edt(**{name: x}), want, 4e-16)
    for wrong in ({}, {"image": x, "input": x}):
        with pytest.raises(TypeError):
            ours.distance_transform_edt(**wrong)
