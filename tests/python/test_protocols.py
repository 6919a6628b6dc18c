"""What stands around ndarray: ufuncs, NumPy's protocols, signatures, devices, streams, events, pools, profiler,
aliases."""
import inspect
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device


def run(code, *args, **kw):
    """A new Python process that finds this Cuprite."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    kw["env"] = {**os.environ, "PYTHONPATH": os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])}
    return subprocess.run([sys.executable, *args, "-c", code] if code is not None else [sys.executable, *args],
                          capture_output=True, text=True, timeout=120, **kw)


# --- importing ---
def test_import_is_light():
    r = run("import sys, cuprite as cp\n"
            "assert 'numpy' not in sys.modules\n"
            "assert not any('cuprite-cuda' in l for l in open('/proc/self/maps'))\n"
            "x = cp.array([[1, 2.5], [3, 4]])\n"
            "y = (x + 1)[0].sum().item(); z = x.tolist(); n = len(x); s = x.shape\n"
            "assert 'numpy' not in sys.modules, 'arithmetic needs no NumPy'\n"
            "x.dtype\n"
            "assert 'numpy' in sys.modules\n")
    assert r.returncode == 0, r.stderr


def test_names():
    assert cp.float32 is np.float32 and cp.bool_ is np.bool_ and cp.dtype is np.dtype and cp.newaxis is None
    assert cp.pi == np.pi and cp.e == np.e and np.isnan(cp.nan) and cp.inf == np.inf
    assert cp.finfo("f4").eps == np.finfo("f4").eps and cp.iinfo(int).max == np.iinfo(int).max
    assert cp.AxisError is np.exceptions.AxisError
    assert "median" in dir(cp) and "float32" in dir(cp)
    with pytest.raises(AttributeError):
        cp.no_such_name
    assert cp.get_array_module(np.ones(1)) is np and cp.get_array_module(1, cp.ones(1)) is cp
    import cuprite.scipy
    import scipy
    assert cuprite.scipy.get_array_module(cp.ones(1)) is cuprite.scipy and cuprite.scipy.get_array_module(1) is scipy
    assert cp.scipy.ndimage.label.__module__ == "cuprite.scipy.ndimage"


# --- signatures ---
def test_every_function_shows_its_arguments():
    for module in ("", "scipy.signal", "scipy.ndimage", "_device"):
        for name, f in cp._core.rows(module).items():
            inspect.signature(f)
            assert f.__doc__ and f.__name__ == name
    for name in dir(cp.ndarray):
        f = getattr(cp.ndarray, name)
        if type(f).__name__ == "method_descriptor" and not name.startswith("__"):
            assert f.__doc__, name
            assert list(inspect.signature(f).parameters)[0] == "self"
    assert str(inspect.signature(cp.median)) == "(a, axis=None, out=None, overwrite_input=False, keepdims=False)"
    assert str(inspect.signature(cp.scipy.ndimage.label)) == "(input, structure=None, output=None)"


@pytest.mark.parametrize("call, words", [
    (lambda: cp.median(), "missing required argument 'a'"),
    (lambda: cp.median(cp.ones(1), x=1), "unexpected keyword argument 'x'"),
    (lambda: cp.median(cp.ones(1), a=1), "multiple values for argument 'a'"),
    (lambda: cp.zeros(1, 2, 3, 4), "at most 3 positional arguments"),
    (lambda: cp.ones(1).item(1, 2, 3, x=1), "unexpected keyword"),
    (lambda: cp.astype(x=cp.ones(1), dtype=int), "unexpected keyword"),
])
def test_wrong_calls(call, words):
    with pytest.raises(TypeError, match=words):
        call()


# --- ufuncs ---
def ufuncs():
    return sorted(n for n in dir(cp) if isinstance(getattr(cp, n), cp.ufunc))


def test_ufunc_attributes():
    assert len(ufuncs()) > 20
    for name in ufuncs():
        f = getattr(cp, name)
        assert f.nargs == f.nin + f.nout and f.__name__ == f.name and f.__doc__.startswith(f.name)
        inspect.signature(f)
        theirs = getattr(np, name, None)
        if isinstance(theirs, np.ufunc):
            assert (f.nin, f.nout) == (theirs.nin, theirs.nout), name
    assert cp.add.identity == 0 and cp.multiply.identity == 1 and cp.subtract.identity is None
    assert "dd->d" in cp.add.types and "dd->?" in cp.less.types
    assert cp.abs is cp.absolute and cp.conj is cp.conjugate and cp.true_divide is cp.divide and cp.mod is cp.remainder
    assert cp.acos is cp.arccos and cp.bitwise_not is cp.invert and cp.pow is cp.power


def test_ufunc_calls():
    x, y = cp.arange(6.0).reshape(2, 3), cp.arange(3)
    a, b = x.get(), y.get()
    np.testing.assert_array_equal(cp.add(x, y).get(), a + b)
    assert isinstance(cp.add(1, 2), cp.ndarray) and int(cp.add(1, 2)) == 3 and cp.sqrt(4.0).dtype == np.float64
    out = cp.zeros((2, 3))
    assert cp.add(x, y, out) is out and cp.add(x, y, out=out) is out and cp.add(x, y, out=(out,)) is out
    np.testing.assert_array_equal(out.get(), a + b)
    out = cp.full((2, 3), -1.0)
    cp.add(x, y, out=out, where=x > 2)
    want = np.full((2, 3), -1.0)
    np.add(a, b, out=want, where=a > 2)
    np.testing.assert_array_equal(out.get(), want)
    cp.add(x, y, out=out, where=False)
    np.testing.assert_array_equal(out.get(), want)
    assert cp.add(y, y, dtype="f4").dtype == np.float32
    with pytest.raises(TypeError):
        cp.add(x, y, dtype="i4")
    assert cp.add(x, y, dtype="i4", casting="unsafe").dtype == np.int32
    for bad in (lambda: cp.add(x), lambda: cp.add(x, y, out, 1), lambda: cp.add(x, y, axis=1),
                lambda: cp.add(x, [1, 2, 3]), lambda: cp.add(x, a), lambda: cp.add(x, y, out=a),
                lambda: cp.add(x, "a")):
        with pytest.raises(TypeError):
            bad()
    with pytest.raises(ValueError, match="casting"):
        cp.add(x, y, casting="wild")
    with pytest.raises(ValueError):
        cp.add(x, cp.ones(7))
    with pytest.raises(TypeError):
        cp.add(y, y, out=cp.zeros(3, "i1"), casting="safe")


def test_ufunc_reduce_and_outer():
    a = np.arange(1, 7).reshape(2, 3)
    x = cp.asarray(a)
    for name in ("add", "multiply", "minimum", "maximum", "logical_and", "logical_or"):
        ours, theirs = getattr(cp, name), getattr(np, name)
        for kw in ({}, {"axis": 1}, {"axis": None}, {"axis": 0, "keepdims": True}):
            np.testing.assert_array_equal(ours.reduce(x, **kw).get(), theirs.reduce(a, **kw))
    np.testing.assert_array_equal(np.add.reduce(x, axis=1).get(), np.add.reduce(a, axis=1))
    np.testing.assert_array_equal(cp.subtract.outer(x[0], x[1]).get(), np.subtract.outer(a[0], a[1]))
    np.testing.assert_array_equal(cp.subtract.reduce(x).get(), np.subtract.reduce(a))


# --- NumPy's protocols ---
def test_numpy_ufuncs_come_here():
    x = cp.arange(3.0)
    for f in (np.add, np.multiply, np.maximum):
        got = f(x, 2)
        assert isinstance(got, cp.ndarray)
        np.testing.assert_array_equal(got.get(), f(x.get(), 2))
    assert isinstance(np.sqrt(x), cp.ndarray) and isinstance(np.float32(2) * x,
                                                             cp.ndarray) and isinstance(np.float64(2) > x, cp.ndarray)
    assert (np.float32(2) * cp.ones(2, "f4")).dtype == np.float32 and (np.float64(2)
                                                                       * cp.ones(2, "f4")).dtype == np.float64
    out = cp.zeros(3)
    assert np.add(x, 1, out=out) is out
    for bad in (lambda: np.add(x, np.ones(3)), lambda: np.ones(3) + x, lambda: np.add(np.ones(3), 1, out=out),
                lambda: np.add(x, [1, 2, 3]), lambda: np.add(x, 1, out=np.ones(3))):
        with pytest.raises(TypeError):
            bad()


def test_numpy_functions_come_here():
    a = np.array([3.0, 1, 2, 8])
    x = cp.asarray(a)
    for call in (lambda v: np.median(v), lambda v: np.std(v), lambda v: np.amax(v), lambda v: np.mean(v, axis=0),
                 lambda v: np.sum(v, keepdims=True), lambda v: np.sort(v), lambda v: np.argsort(v),
                 lambda v: np.where(v > 1, 1, 0), lambda v: np.concatenate([v, v]), lambda v: np.reshape(v, (2, 2)),
                 lambda v: np.convolve(v, v), lambda v: np.unique(v), lambda v: np.clip(v, 1, 2),
                 lambda v: np.zeros_like(v), lambda v: np.expand_dims(v, 0), lambda v: np.stack([v, v]),
                 lambda v: np.max(v)):
        got = call(x)
        assert isinstance(got, cp.ndarray)
        np.testing.assert_allclose(got.get(), call(a))
    assert np.allclose(x, a) and np.allclose(a, x) and not np.allclose(a + 1, x) and np.array_equal(x, a)
    assert np.shape(x) == (4,) and np.ndim(x) == 1 and np.size(x) == 4
    assert np.result_type(x, np.float32) == np.float64 and np.can_cast(x, np.float32) is False
    with pytest.raises(TypeError):
        np.is_busday(x)  # dates are no numbers


@pytest.mark.parametrize("call", [np.asarray, np.array, lambda x: np.frombuffer(x),
                                  lambda x: np.ones(3) * np.asarray(x)])
def test_no_implicit_conversion(call):
    with pytest.raises(TypeError):
        call(cp.arange(3))
    with pytest.raises(TypeError, match="Implicit conversion to a NumPy array is not allowed. "
                                        "Please use `.get\\(\\)` to construct a NumPy array explicitly."):
        cp.arange(3).__array__()


# --- errors ---
def test_errors_are_pythons():
    x = cp.arange(6).reshape(2, 3)
    for call, error in [(lambda: x.sum(axis=5), np.exceptions.AxisError), (lambda: x[9], IndexError),
                        (lambda: x.reshape(5), ValueError), (lambda: x + cp.ones(7), ValueError),
                        (lambda: ~cp.ones(2), TypeError), (lambda: cp.add(x, 1.5, out=cp.zeros((2, 3), "i1")),
                                                           TypeError), (lambda: cp.empty(2**56), MemoryError)]:
        with pytest.raises(error):
            call()
        assert int((x + 1).sum()) == 21  # work goes on
    assert issubclass(cp.UFuncTypeError, TypeError) and issubclass(cp.OutOfMemoryError, MemoryError)
    assert cp.cuda.memory.OutOfMemoryError is cp.OutOfMemoryError
    assert issubclass(cp.cuda.runtime.CUDARuntimeError, RuntimeError)
    with pytest.raises(np.exceptions.AxisError, match="axis 5 is out of bounds"):
        x.sum(axis=5)


# --- bfloat16 ---
def test_bfloat16():
    x = cp.zeros(3, "bfloat16") + 1
    assert x.dtype == "bfloat16" and x.dtype.name == "bfloat16" and x.itemsize == 2 and cp.bfloat16 is x.dtype.type
    assert x.tolist() == [1.0] * 3 and "bfloat16" in repr(x) and cp.asarray(x, "f4").get().tolist() == [1.0] * 3
    assert (x + cp.ones(3, "f2")).dtype == np.float32 and cp.array([1.5], cp.bfloat16).item() == 1.5
    assert cp.zeros(2, x.dtype).dtype is x.dtype and x.get().astype("f4").tolist() == [1.0] * 3
    for args, want in [((x, cp.ones(1, "f2")), np.float32), (("f2", "bfloat16"), np.float32),
                       ((cp.bfloat16, 1.5), "bfloat16"), ((x, x.dtype), "bfloat16"), ((x, np.int8), "bfloat16"),
                       ((x, "i4"), np.float64), ((1, x, np.float64(2)), np.float64), ((x, 1j), np.complex64),
                       ((2j, x, "f8"), np.complex128), ((x,), "bfloat16"), ((True, x, "?"), "bfloat16")]:
        assert cp.result_type(*args) == want, args
    assert cp.promote_types("bfloat16", "f2") == np.float32 and cp.promote_types(x.dtype, "f8") == np.float64
    assert (x + 1j).dtype == np.complex64 and (x * 2.5).dtype == "bfloat16" and (x > 0).dtype == np.bool_
    y = x.get()
    assert y.shape == (3,) and cp.asarray(y, "bfloat16").dtype == "bfloat16"
    if y.dtype == "bfloat16":  # with ml_dtypes its arrays come and go as they are
        assert cp.asarray(y).dtype == "bfloat16" and cp.asarray(y).tolist() == [1.0] * 3


# --- devices ---
def test_devices(device):
    x = cp.arange(3)
    here = cp.cuda.Device()
    assert x.device == here and hash(x.device) == hash(here) and here.name and isinstance(repr(here), str)
    assert cp.cuda.Device(device) == here
    if device == "late:0":
        assert repr(here) == "<late Device 0>" and not hasattr(x, "__cuda_array_interface__")
    elif _device.count() == 0:
        assert cp.cuda.Device(0) == here and x.device.id == 0 and not cp.is_available()
    with cp.cuda.Device(0) as d:
        assert cp.arange(3).device == d
    assert cp.cuda.Device() == here
    with here:
        with pytest.raises(ZeroDivisionError):
            with cp.cuda.Device("cpu"):
                1 / 0
        assert cp.cuda.Device() == here
    y = x.to_device("cpu")
    assert y.device == cp.cuda.Device("cpu") and (y is x) == (device == "cpu")
    assert y.to_device(here).device == here and (y.to_device(device).get() == x.get()).all()
    assert cp.zeros(3, device="cpu").device == cp.cuda.Device("cpu") and cp.cuda.Device() == here
    assert cp.asarray(x, device="cpu").device == cp.cuda.Device("cpu")
    here.synchronize()
    free, total = here.mem_info
    assert 0 < total and 0 <= free <= total
    for bad, error in (("toaster", ValueError), ("cuda:99", RuntimeError), (99, RuntimeError),
                       (1.5, TypeError)):
        with pytest.raises(error):
            cp.cuda.Device(bad).use()
    if _device.count():
        with pytest.raises(ValueError):
            cp.zeros(3, device="cpu") + cp.zeros(3, device="cuda:0")


def test_runtime():
    r = cp.cuda.runtime
    assert r.getDeviceCount() >= 1 and isinstance(r.getDevice(), int)
    r.deviceSynchronize()
    p = r.getDeviceProperties(0)
    assert isinstance(p["name"], bytes) and p["totalGlobalMem"] > 0 and p["multiProcessorCount"] > 0


def test_streams_and_events():
    s, t = cp.cuda.Stream(), cp.cuda.Stream(non_blocking=True)
    start, end = cp.cuda.Event(), cp.cuda.Event()
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null and cp.cuda.Stream(null=True) is cp.cuda.Stream.null
    with s:
        assert cp.cuda.get_current_stream() is s
        start.record()
        x = cp.arange(1000) * 2
        with t:
            assert cp.cuda.get_current_stream() is t
            t.wait_event(s.record())
            y = x + 1
            end.record(t)
        assert cp.cuda.get_current_stream() is s
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    s.synchronize()
    end.synchronize()
    assert end.done and start.done and s.done
    assert cp.cuda.get_elapsed_time(start, end) >= 0
    assert int(y[999]) == 1999 and isinstance(s.ptr, int)
    cp.cuda.Stream.null.synchronize()
    cp.cuda.Stream().use()  # nobody else holds it
    u = cp.cuda.get_current_stream()
    assert u != cp.cuda.Stream.null or u.ptr == 0
    with s:
        with cp.cuda.Stream.null:
            assert cp.cuda.get_current_stream() is cp.cuda.Stream.null and int(cp.ones(3).sum()) == 3
        assert cp.cuda.get_current_stream() is s
    assert cp.cuda.get_current_stream() is u
    cp.cuda.Stream.null.synchronize()
    assert cp.cuda.get_current_stream() is u
    cp.cuda.Stream.null.use()
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    x.get(stream=s)


def test_pool():
    pool = cp.get_default_memory_pool()
    import gc
    gc.collect()
    pool.free_all_blocks()
    used = pool.used_bytes()
    x = cp.ones(1 << 20)
    assert pool.used_bytes() - used >= 8 << 20 and pool.total_bytes() >= pool.used_bytes()
    del x
    assert pool.used_bytes() == used
    assert pool.free_bytes() >= 8 << 20 or pool.free_bytes() == 0  # none is kept with CUPRITE_POOL=off
    pool.free_all_blocks()
    before = pool.get_limit()
    pool.set_limit(size=pool.total_bytes() + (64 << 20))
    try:
        with pytest.raises(cp.cuda.memory.OutOfMemoryError):
            cp.empty(1 << 24)
        assert int(cp.ones(1000).sum()) == 1000
    finally:
        pool.set_limit(size=before)
    for bad in ({}, {"size": 1, "fraction": 0.5}, {"size": -1}, {"fraction": 2.0}):
        with pytest.raises(ValueError):
            pool.set_limit(**bad)
    cp.get_default_pinned_memory_pool().free_all_blocks()


def test_threads_work_side_by_side(device):
    failures = []

    def work(k):
        try:
            cp.cuda.Device(device).use()
            for i in range(30):
                x = cp.full((100, 100), k)
                assert int((x + i).sum()) == (k + i) * 10000
                with pytest.raises(ValueError):
                    x + cp.ones(7)
        except BaseException as e:  # noqa: BLE001
            failures.append(e)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_other_threads_run_meanwhile():
    """A long call lets other Python threads run."""
    x = cp.ones(20_000_000)
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            stop.wait(0.0005)
    t = threading.Thread(target=tick)
    t.start()
    for _ in range(3):
        cp.asnumpy(cp.sqrt(x))
    stop.set()
    t.join()
    assert len(ticks) > 3


# --- scipy's companions ---
def test_signal():
    from scipy import signal
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(20, 17)), rng.normal(size=(5, 4))
    for f in ("convolve2d", "correlate2d"):
        ours, theirs = getattr(cp.scipy.signal, f), getattr(signal, f)
        for mode in ("full", "same", "valid"):
            for boundary in ("fill", "wrap", "symm"):
                np.testing.assert_allclose(ours(cp.asarray(a), cp.asarray(b), mode, boundary).get(),
                                           theirs(a, b, mode, boundary), atol=1e-12)
        np.testing.assert_allclose(ours(cp.asarray(a), cp.asarray(b), fillvalue=2).get(), theirs(a, b, fillvalue=2),
                                   atol=1e-12)
        with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
            ours(a, b)
        with pytest.raises(ValueError, match="mode must be one of"):
            ours(cp.asarray(a), cp.asarray(b), mode="half")
        with pytest.raises(TypeError, match="Implicit conversion"):
            theirs(cp.asarray(a), cp.asarray(b))
    for mode in ("full", "same", "valid"):
        np.testing.assert_allclose(cp.convolve(cp.asarray(a[0]), cp.asarray(b[0]), mode).get(),
                                   np.convolve(a[0], b[0], mode), atol=1e-13)


def test_ndimage():
    from scipy import ndimage as theirs
    ours = cp.scipy.ndimage
    rng = np.random.default_rng(0)
    a = (rng.random((40, 50)) < 0.4).astype(int)
    v = rng.random((40, 50))
    x, w = cp.asarray(a), cp.asarray(v)
    labels, n = theirs.label(a)
    got, count = ours.label(x)
    assert isinstance(count, int) and count == n and (got.get() == labels).all() and got.dtype == np.int32
    out = cp.empty((40, 50))
    assert ours.label(x, output=out) == n and (out.get()
                                               == labels).all() and ours.label(x, output="i8")[0].dtype == np.int64
    assert ours.label(x, np.ones((3, 3)))[1] == theirs.label(a, np.ones((3, 3)))[1]
    index = np.arange(1, n + 1)
    for name in ("sum_labels", "sum", "mean", "variance", "standard_deviation", "minimum", "maximum"):
        f, g = getattr(ours, name), getattr(theirs, name)
        np.testing.assert_allclose(f(w, got, cp.asarray(index)).get(), g(v, labels, index), atol=1e-12)
        for args in ((w, got, 3), (w, got), (w,)):
            r = f(*args)
            assert isinstance(r, cp.ndarray) and r.shape == ()
            want = g(*[q.get() if isinstance(q, cp.ndarray) else q for q in args])
            np.testing.assert_allclose(r.get(), want, rtol=1e-12, atol=1e-14)
    for name in ("center_of_mass", "minimum_position", "maximum_position"):
        f, g = getattr(ours, name), getattr(theirs, name)
        many, one = f(w, got, cp.asarray(index)), f(w, got, 3)
        assert len(many) == n and isinstance(many, list) and isinstance(one, tuple) and len(one) == 2
        np.testing.assert_allclose([[float(i) for i in p] for p in many], g(v, labels, index))
        np.testing.assert_allclose([float(i) for i in one], g(v, labels, 3))
    for p, q in zip(ours.find_objects(got), theirs.find_objects(labels)):
        assert p == q
    assert ours.find_objects(cp.asarray([[0, 3]])) == theirs.find_objects(np.array([[0, 3]]))
    s = ours.measure(w, got, n)
    np.testing.assert_allclose(s.flux.get(), theirs.sum_labels(v, labels, index))
    np.testing.assert_allclose(s.peak.get(), theirs.maximum(v, labels, index))
    np.testing.assert_allclose(s.centroid.get(), theirs.center_of_mass(v, labels, index))
    assert (s.pixels.get() == np.bincount(labels.ravel())[1:]).all() and s.position.shape == (n, 2)
    with pytest.raises(TypeError):
        ours.label(a)


# --- the profiler ---
def test_benchmark(device):
    from cuprite.profiler import benchmark
    calls = []

    def work(x, scale=1):
        calls.append(scale)
        return x * scale
    r = benchmark(work, (cp.ones(10),), {"scale": 2}, n_repeat=5, n_warmup=2)
    assert len(calls) == 7 and r.cpu_times.shape == (5,) and r.gpu_times.shape == (1, 5) and (r.gpu_times > 0).all()
    import re
    times = r": +[\d.]+ us   \+/- +[\d.]+ \(min: +[\d.]+ / max: +[\d.]+\) us"
    label = "device cpu" if device == "cpu" else r"GPU-\d+"
    assert re.fullmatch(rf"work                :    CPU{times}     {label}{times}", str(r)), str(r)
    assert str(r).startswith(r.to_str()) and "GPU" not in r.to_str()
    assert benchmark(work, (cp.ones(1),), n_repeat=1, name="named").to_str().startswith("named")
    assert benchmark(work, (cp.ones(1),), n_repeat=10**6, max_duration=0.01).cpu_times.size < 10**6
    for bad in ((3,), (work, [1]), (work, (), [1]), (work, (), {}, 2.5)):
        with pytest.raises(ValueError):
            benchmark(*bad)


# --- names of cupy ---
def test_alias_in_a_process(tmp_path):
    (tmp_path / "helper.py").write_text("value = 42\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, os\n"
        "assert sys.argv == [%r, 'a', '--b'], sys.argv\n"
        "assert os.path.samefile(sys.path[0], os.path.dirname(%r)) and __name__ == '__main__' and __file__ == %r\n"
        "import helper\n"
        "import cupy, cupy as cp, cupyx\n"
        "import cupyx.scipy.signal\n"
        "from cupyx.scipy.ndimage import label\n"
        "from cupyx.profiler import benchmark\n"
        "from cupy.cuda import Device, Stream\n"
        "import cupy.cuda.runtime\n"
        "import cuprite, cuprite.scipy.ndimage\n"
        "assert cupy is cuprite and cupyx.scipy.ndimage is cuprite.scipy.ndimage and label is "
        "cuprite.scipy.ndimage.label\n"
        "assert cupy.cuda.runtime is cuprite.cuda.runtime and cuprite.__spec__.name == 'cuprite'\n"
        "try:\n"
        "    import cupyx.no_such_module\n"
        "except ModuleNotFoundError as e:\n"
        "    assert 'cupyx.no_such_module' in str(e)\n"
        "else:\n"
        "    raise SystemExit('found')\n"
        "print(helper.value, cp.arange(3).sum())\n"
        "sys.exit(7)\n" % (str(program), str(program), str(program)))
    r = run(None, "-W", "error", "-m", "cuprite", str(program), "a", "--b", cwd="/")
    assert (r.returncode, r.stdout, r.stderr) == (7, "42 3\n", ""), r
    assert run(None, "-m", "cuprite").returncode == 2
    assert run(None, "-m", "cuprite", "no_such_file.py").returncode == 2


def test_cupy_is_not_there_unasked():
    r = run("import cuprite\ntry:\n    import cupy\nexcept ImportError:\n    print('none')\nelse:\n    "
            "print(cupy.__file__)")
    assert r.returncode == 0 and "cuprite" not in r.stdout
    r = run("import cuprite; cuprite.install_as_cupy(); cuprite.install_as_cupy(); import cupy; assert cupy is cuprite")
    assert r.returncode == 0, r.stderr


def test_interface_for_other_libraries(device):
    x = cp.arange(6, dtype="f4").reshape(2, 3)
    if not device.startswith("cuda"):
        assert not hasattr(x, "__cuda_array_interface__")
    else:
        i = x.T.__cuda_array_interface__
        assert i["shape"] == (3, 2) and i["typestr"] == "<f4" and i["strides"] == (4, 12)
        assert i["data"] == (x.data.ptr, False)


def test_environment_is_left_alone():
    """No output, no warning in a process that uses arrays and ends."""
    r = run("import cuprite as cp; x = cp.ones(1000); y = x + 1; z = y[y > 1]; cp.median(z)", "-X", "dev", "-W",
            "error")
    assert (r.returncode, r.stdout, r.stderr) == (0, "", "")


def test_host_values_go_where_the_array_is(device):
    """What comes from the host meets an array on the array's device, whichever is current."""
    for place in ["cpu"] + [f"cuda:{i}" for i in range(_device.count())]:
        x = cp.arange(3.0, device=place)
        assert cp.allclose(x, [0, 1, 2]) and cp.allclose(np.arange(3.0), x) and cp.array_equal(x, np.arange(3.0))
        x[:] = [3, 4, 5]
        x[[True, False, True]] = np.array([7.0, 8.0])
        x.set(x.get() + 1)
        assert x.tolist() == [8, 5, 9] and (x.compress([True, False, True]) + 1).tolist() == [9, 10]
        assert x.device == cp.cuda.Device(place) and (x == None).device == x.device  # noqa: E711
        assert cp.concatenate([x, x]).device == x.device and cp.zeros_like(x).device == x.device
