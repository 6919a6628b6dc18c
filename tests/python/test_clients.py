"""Other libraries on Cuprite's arrays: SciPy and scikit-learn by the array API, array-api-compat and -extra,
opt_einsum, matplotlib, PyTorch, pandas and xarray. The last three run where they are installed; PyTorch's part of
DLPack is played by ctypes in test_dlpack.py everywhere."""
import os
import pathlib
import subprocess
import sys

import array_api_compat
import array_api_extra as xpx
import numpy as np
import pytest

import cuprite as cp
from oracle import raises

CLIENTS = pathlib.Path(__file__).resolve().parent.parent / "clients"


@pytest.mark.parametrize("file", sorted(p.name for p in CLIENTS.glob("test_*.py")))
def test_in_a_process_of_its_own(file, device):
    """SciPy reads SCIPY_ARRAY_API once, when it is imported."""
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist",
                          f"--rootdir={CLIENTS}", str(CLIENTS / file)], capture_output=True, text=True,
                         env=os.environ | {"SCIPY_ARRAY_API": "1", "CUPRITE_DEVICE": device}, cwd=CLIENTS)
    assert run.returncode == 0 and " passed" in run.stdout and "skipped" not in run.stdout, run.stdout + run.stderr


# --- array-api-compat ---

def test_compat_knows_us():
    x = cp.ones((2, 3))
    assert array_api_compat.is_array_api_obj(x) and array_api_compat.array_namespace(x) is cp
    assert array_api_compat.array_namespace(x, 1.0, None, cp.zeros(1), api_version="2024.12") is cp
    assert array_api_compat.size(x) == 6 and array_api_compat.device(x) == x.device
    assert array_api_compat.to_device(x, x.device) is x
    assert array_api_compat.to_device(x, "cpu").device == cp.cuda.Device("cpu")
    assert array_api_compat.is_writeable_array(x) and not array_api_compat.is_lazy_array(x)
    for other in ("numpy", "cupy", "torch", "dask", "jax", "ndonnx", "pydata_sparse"):
        assert not getattr(array_api_compat, f"is_{other}_array")(x)
    assert not array_api_compat.is_numpy_namespace(cp) and not array_api_compat.is_array_api_strict_namespace(cp)
    with raises(TypeError):
        array_api_compat.array_namespace(x, np.ones(3))


# --- array-api-extra ---

EXTRA = ["at(x)[1].set(9)", "at(x)[x > 1].add(2)", "at(x, i).multiply(3)", "at(x)[0].min(0)", "at(x)[:2].power(2)",
         "atleast_nd(x, ndim=3)", "cov(m)", "create_diagonal(x)", "expand_dims(m, axis=(0, 2))", "isclose(x, x + 1e-9)",
         "kron(x, x)", "nunique(i)", "one_hot(i, 4)", "pad(m, 2, constant_values=3)", "setdiff1d(i, i[:1])",
         "sinc(x)", "partition(x, 2)[2]", "argpartition(x, 2).shape",
         "default_dtype(xp)", "union1d(i, i + 1)", "isin(i, i[1:])",
         "apply_where(x > 1, (x, x), lambda a, b: a / b, lambda a, b: a - b)", "angle(x + 1j)", "nan_to_num(x / x)",
         "apply_where(x > 1, x, lambda a: a * 2, fill_value=-1)", "searchsorted(x, x, side='right')"]


@pytest.mark.parametrize("call", EXTRA)
def test_extra(call, device):
    host = {"x": np.array([0.5, 1.5, 2.0, 4.0]), "m": np.array([[1.0, 2, 4], [3, 1, 1]]), "i": np.array([2, 0, 3])}
    with np.errstate(all="ignore"):
        theirs = eval("xpx." + call, {"xpx": xpx, "xp": np, **{n: a.copy() for n, a in host.items()}})
        ours = eval("xpx." + call, {"xpx": xpx, "xp": cp, **{n: cp.array(a) for n, a in host.items()}})
    if isinstance(theirs, (np.ndarray, np.generic)):
        assert isinstance(ours, cp.ndarray) and ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-13, atol=1e-15)
    else:
        assert ours == theirs


# --- opt_einsum ---

@pytest.mark.parametrize("text, shapes", [("ij,jk,kl->il", [(3, 4), (4, 5), (5, 2)]),
                                          ("ijk,kj->i", [(2, 3, 4), (4, 3)]), ("i,i,i->", [(5,)] * 3),
                                          ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 3)])])
def test_opt_einsum(text, shapes):
    import opt_einsum
    hosts = [np.arange(np.prod(s), dtype="f8").reshape(s) / 7 for s in shapes]
    ours = opt_einsum.contract(text, *(cp.array(a) for a in hosts))
    assert isinstance(ours, cp.ndarray)
    np.testing.assert_allclose(ours.get(), opt_einsum.contract(text, *hosts), rtol=1e-12)
    expression = opt_einsum.contract_expression(text, *shapes)
    np.testing.assert_allclose(expression(*(cp.array(a) for a in hosts)).get(), expression(*hosts), rtol=1e-12)


# --- matplotlib ---

def test_matplotlib(tmp_path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    x = cp.linspace(0, 6, 50)
    figure, axes = pyplot.subplots(2)
    line, = axes[0].plot(x.get(), cp.sin(x).get())
    np.testing.assert_array_equal(line.get_ydata(), cp.sin(x).get())
    axes[0].errorbar(x[:5].get(), x[:5].get(), yerr=0.1)
    axes[1].imshow(cp.outer(x, x).get())
    axes[1].contour(cp.outer(x, x).get(), levels=cp.linspace(0, 30, 4).get())
    axes[0].set_xlim(float(x.min()), float(x.max()))  # numbers of 0-d arrays
    counts, edges, _ = axes[0].hist(x.get(), bins=5)
    np.testing.assert_array_equal(counts, cp.histogram(x, bins=5)[0].get())
    figure.savefig(tmp_path / "figure.png")
    pyplot.close(figure)
    assert (tmp_path / "figure.png").stat().st_size > 1000
    with raises(TypeError):  # no copy to the host unasked
        axes[0].plot(x, x)


# --- PyTorch ---

NAMES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
         "complex128"]


@pytest.mark.parametrize("name", NAMES)
def test_torch_both_ways(name, device):
    torch = pytest.importorskip("torch")
    if device.startswith("late"):
        x = cp.arange(12).reshape(3, 4).astype(name)
        t = torch.from_dlpack(x.to_device("cpu"))  # PyTorch has no such device
        assert str(t.dtype) == "torch." + name and t.tolist() == x.tolist()
        assert cp.from_dlpack(t, device=device).tolist() == cp.asarray(t).tolist() == x.tolist()
        assert cp.from_dlpack(t, device=device).device == cp.asarray(t).device == x.device
        return
    if device.startswith("cuda") and not torch.cuda.is_available():
        pytest.skip("this PyTorch knows no GPU")
    x = cp.arange(12).reshape(3, 4).astype(name)
    for form in (lambda v: v, lambda v: v.T, lambda v: v[1:, ::2], lambda v: v[2, 3], lambda v: v[:0]):
        y = form(x)
        t = torch.from_dlpack(y)
        assert str(t.dtype) == "torch." + name and tuple(t.shape) == y.shape
        assert not y.size or t.data_ptr() == y.data.ptr and t.tolist() == y.tolist()
        z = cp.from_dlpack(t)
        assert z.dtype == y.dtype and z.shape == y.shape and z.tolist() == y.tolist()
        assert not y.size or z.data.ptr == y.data.ptr
        assert cp.asarray(t).tolist() == y.tolist()
    t = torch.from_dlpack(x)
    copied = cp.from_dlpack(t, copy=True)
    copied[...] = 1
    assert t[0, 0] == 0
    t[0, 0] = 1
    assert x[0, 0] == 1
    x[0, 1] = 0
    assert t[0, 1] == 0
    del x
    assert t.shape == (3, 4) and t[0, 0] == 1  # the memory lives on


def test_torch_views_of_torch(device):
    torch = pytest.importorskip("torch")
    if device.startswith("late"):
        x = cp.from_dlpack(torch.arange(4.0), device=device)  # a copy, from the host
        assert x.tolist() == [0, 1, 2, 3]
        return
    place = "cuda" if device.startswith("cuda") else "cpu"
    if place == "cuda" and not torch.cuda.is_available():
        pytest.skip("this PyTorch knows no GPU")
    t = torch.arange(24.0, device=place).reshape(2, 3, 4)
    for v in (t, t.permute(2, 0, 1), t[:, 1], t[..., ::2], t.expand(2, 2, 3, 4)):
        x = cp.from_dlpack(v)
        assert x.shape == tuple(v.shape) and x.tolist() == v.tolist() and x.data.ptr == v.data_ptr()
        assert x.strides == tuple(4 * s for s in v.stride()) and cp.sum(x).item() == v.sum().item()
    with raises(BufferError):
        cp.from_dlpack(torch.ones(3, requires_grad=True))


# --- pandas, xarray ---

def test_pandas():
    pandas = pytest.importorskip("pandas")
    x = cp.arange(6.0).reshape(3, 2)
    frame = pandas.DataFrame(x.get(), columns=["a", "b"])
    assert cp.asarray(frame.to_numpy()).tolist() == x.tolist()
    assert cp.asarray(frame["a"]).tolist() == [0, 2, 4] and cp.asarray(frame).shape == (3, 2)


def test_xarray():
    """xarray holds arrays of the standard as they are."""
    xarray = pytest.importorskip("xarray")
    x = cp.arange(6.0).reshape(2, 3)
    d = xarray.DataArray(x, dims=("row", "column"))
    assert d.data is x
    for f in (lambda v: v + 1, lambda v: v.sum("row"), lambda v: v.mean(), lambda v: v.T, lambda v: v.isel(column=1),
              lambda v: np.sin(v), lambda v: v.where(v > 2, 0), lambda v: v.max("column"), lambda v: v.std("row"),
              lambda v: v.isel(row=0) * v, lambda v: v.stack(all=("row", "column")),
              lambda v: xarray.concat([v, v], "row"),
              lambda v: v.astype("f4"), lambda v: v.cumsum("row"), lambda v: v.clip(1, 3), lambda v: v.shift(row=1)):
        r, want = f(d), f(xarray.DataArray(x.get(), dims=("row", "column")))
        assert isinstance(r.data, cp.ndarray) and r.dtype == want.dtype and r.dims == want.dims
        np.testing.assert_allclose(r.data.get(), want.data, rtol=1e-13)
