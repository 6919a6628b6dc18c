"""Special functions give the CPU's values on every device, for enough arguments that each kernel is compiled right: the
assembler of CUDA 13.0 keeps two results of one function in one register where it has allocated registers over calls."""
import numpy as np
import pytest
from test_special import PLAIN, SIZE, UFUNC, drawn, several

import cuprite as cp


@pytest.mark.parametrize("t", ["f", "d"])
@pytest.mark.parametrize("name", PLAIN)
def test_values_are_the_cpus(name, t, device):
    x = [v.astype(t) for v in drawn(name, 100 if device == "cpu" else 3000)]
    got = several(UFUNC[name](*map(cp.asarray, x)))
    with cp.cuda.Device("cpu"):
        want = several(UFUNC[name](*(cp.asarray(v.astype("d")) for v in x)))
    for g, w in zip(got, want):
        g, w = g.get().astype("d"), w.get()
        w = w.astype(t).astype("d")  # of float32 the rounded value
        with np.errstate(all="ignore"):
            # one unit of its last place, or what the last bit of exp and log becomes in badly conditioned functions
            size = [SIZE[name](*v) if name in SIZE and np.isfinite(v).all() and v[-1] else 0 for v in zip(*x)]
            if name == "zeta":  # terms of both signs, of the size of the one nearest to the pole, cancel
                k = np.where((x[1] < 0) & np.isfinite(x[1]), np.round(-x[1]), 0)
                near = abs(x[1] + k + 0.5 * (x[1] + k == 0)) ** -x[0].astype("d")
                size = np.nan_to_num(np.maximum(size, near), posinf=0)
            least = np.maximum(np.maximum(abs(w), 1e-290 if t == "d" else 1e-37), size)
            close = abs(g - w) <= (2.0**-23 if t == "f" else 1e-9) * least
        bad = np.flatnonzero(~((g == w) | (np.isnan(g) & np.isnan(w)) | close))
        assert not len(bad), [([float(v[i]) for v in x], float(w[i]), float(g[i])) for i in bad[:5]]


SINGLE = [name for name in PLAIN if any(t.startswith("f" * UFUNC[name].nin + "->") for t in UFUNC[name].types)]


@pytest.mark.parametrize("name", SINGLE)
def test_float32_of_any_operands(name, device):
    """With dtype=float32 operands are rounded to it first and results last, however they lie in memory and whatever
    their type; so are the steps of accumulate."""
    f = UFUNC[name]
    x = [np.asarray(v, "d")[:101] for v in drawn(name, 300)]
    x = [np.where(abs(v) < 3e38, v, 1) for v in x]  # others overflow in the cast
    narrow = [cp.asarray(v.astype("f")) for v in x]
    want = several(f(*narrow))
    wide = [cp.asarray(np.stack([v, v[::-1]], axis=1)) for v in x]
    for operands in ([w[:, 0] for w in wide], [w[:, 1][::-1] for w in wide], [n[::-1][::-1] for n in narrow],
                     narrow[:1] + [w[:, 0] for w in wide[1:]]):
        for g, w in zip(several(f(*operands, dtype="f", casting="same_kind")), want):
            assert g.dtype == w.dtype
            np.testing.assert_array_equal(g.get(), w.get())
    column, row = cp.asarray(x[0].astype("f"))[:, None], [cp.asarray(v.astype("f")) for v in x[1:]]
    for g, w in zip(several(f(column, *row)), several(f(cp.repeat(column, 101 if row else 1, 1), *row))):
        np.testing.assert_array_equal(g.get(), w.get())
    if f.nin == 2 and f.nout == 1 and "ff->f" in f.types:
        a = narrow[0][:6]
        steps = [a[:1]]
        for k in range(1, 6):
            steps.append(f(steps[-1], a[k:k + 1]))
        np.testing.assert_array_equal(f.accumulate(a).get(), cp.concatenate(steps).get())
