"""What programs rely on that ask for cached kernels: each function, closure and process has its own code whatever the
cache holds, changed sources and globals count, and a folder that cannot be written is no error. Constants of all bytes;
views of arrays on the device. In the spirit of Numba's tests of its cache and of its arrays, on every device."""
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

from cuprite.numba import cuda, njit

SOURCE = '''
import numpy as np
from cuprite.numba import cuda, njit
Z = 1


@cuda.jit(cache=True)
def add(r, x, y):
    r[()] = x + y + Z


@cuda.jit(device=True, cache=True)
def inner(x, y):
    return x + y + Z


@cuda.jit(cache=True)
def outer(r, x, y):
    r[()] = inner(-y, x)


@cuda.jit
def outer_uncached(r, x, y):
    r[()] = inner(-y, x)


def closure(x):
    @cuda.jit(cache=True)
    def made(r, y):
        r[()] = x + y
    return made


three, five, seven = closure(3), closure(5), closure(7)


@cuda.jit(cache=True)
def named(r, x):
    r[()] = x + 2


first = named


@cuda.jit(cache=True)
def named(r, x):  # noqa: F811
    r[()] = x + 6


@njit(cache=True)
def on_host(x):
    return x + 100


@cuda.jit(cache=True)
def on_device(r, x):
    r[()] = x + 200


@cuda.jit(cache=True)
def record(r, records, i):
    r[0] = records[i]


@cuda.jit(cache=True)
def meets(r):
    g = cuda.cg.this_grid()
    i = cuda.grid(1)
    r[i] = i
    g.sync()
    s = r[(i + 1) % r.size]
    g.sync()
    r[i] = 10 * s
'''


def module(path, name="fodder"):
    """The source as a module of its own, as each import makes one."""
    import importlib.util
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "fodder.py"
    file.write_text(SOURCE)
    return file


def result(kernel, *args):
    r = cuda.to_device(np.zeros((), "f8"))
    kernel[1, 1](r, *args)
    return float(r.copy_to_host()[()])


def check(m, z=1):
    assert (result(m.add, 2, 3), result(m.add, 2.5, 3)) == (5 + z, 5.5 + z)
    assert result(m.outer, 3, 2) == result(m.outer_uncached, 3, 2) == 1 + z
    assert (result(m.three, 4), result(m.five, 4), result(m.seven, 4)) == (7, 9, 11)
    assert (result(m.first, 2), result(m.named, 2)) == (4, 8)
    assert (m.on_host(5), m.on_host(5.5), result(m.on_device, 5), result(m.on_device, 5.5)) == (105, 105.5, 205, 205.5)


def test_functions_of_one_module(path):
    """Functions of one name, closures, the host and the device: also where another import compiled them before."""
    for _ in range(2):
        check(module(path))


def test_another_process(path):
    """The cache is there for it, and what it finds is the same."""
    check(module(path))
    code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import numpy as np, fodder\n" \
           "from cuprite.numba import cuda\n" \
           "r = cuda.to_device(np.zeros(())); fodder.add[1, 1](r, 2, 3); print(r.copy_to_host()[()])\n" \
           "fodder.five[1, 1](r, 4); print(r.copy_to_host()[()])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["6.0", "9.0"]


def test_changed_sources_and_globals(path):
    m = module(path)
    check(m)
    path.write_text(SOURCE.replace("Z = 1", "Z = 10"))
    check(module(path), 10)
    check(m)
    m.Z = 20                                       # frozen when a kernel is compiled
    assert result(m.add, 2, 3) == 6
    m.add.recompile()
    assert (result(m.add, 2, 3), result(m.add, 2.5, 3)) == (25, 25.5)
    assert len(m.add.signatures) == 2 and result(m.outer, 3, 2) == 2
    m.outer.recompile()
    assert result(m.outer, 3, 2) == 21


@pytest.mark.parametrize("align", [False, True])
def test_records(path, align):
    m = module(path)
    kind = np.dtype([("a", "i1"), ("b", "f8")], align=align)
    given = np.array([(1, 42.5), (2, 43.5)], kind)
    r = cuda.to_device(np.zeros(1, kind))
    m.record[1, 1](r, cuda.to_device(given), 1)
    assert r.copy_to_host()[0] == given[1] and r.dtype == kind


def test_a_grid_that_meets(path):
    """Also as the first thing that a process compiles."""
    r = cuda.to_device(np.zeros(8, "i4"))
    module(path).meets[2, 4](r)
    assert (r.copy_to_host() == 10 * ((np.arange(8) + 1) % 8)).all()
    code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import numpy as np, fodder\n" \
           "from cuprite.numba import cuda\n" \
           "r = cuda.to_device(np.zeros(8, 'i4')); fodder.meets[2, 4](r); print(r.copy_to_host().sum())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "280\n"


def test_many_local_arrays():
    """Kernels with more text than a compiler's tools like."""
    names = [f"a{k}" for k in range(60)]
    lines = [f"    {n} = cuda.local.array((1, 1), np.float64)\n    {n}[:] = {k}\n" for k, n in enumerate(names)]
    text = "def kernel(r):\n" + "".join(lines) + "    r[()] = " + " + ".join(f"{n}[0, 0]" for n in names) + "\n"
    import linecache
    linecache.cache["<many>"] = (len(text), None, text.splitlines(True), "<many>")
    space = {"cuda": cuda, "np": np}
    exec(compile(text, "<many>", "exec"), space)
    assert result(cuda.jit(space["kernel"])) == sum(range(60))


def test_a_cache_that_cannot_be_written(path, tmp_path):
    """Its folder would lie in a file, and the folder of the source is read-only: kernels run, or the error names it."""
    (tmp_path / "file").write_text("")
    code = f"import sys; sys.path.insert(0, {str(path.parent)!r}); import numpy as np, fodder\n" \
           "from cuprite.numba import cuda\n" \
           "r = cuda.to_device(np.zeros(()))\n" \
           "try: fodder.add[1, 1](r, 2, 3); print(r.copy_to_host()[()])\n" \
           "except OSError as e: print('file' in str(e))"
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "CUPRITE_CACHE_DIR": str(tmp_path / "file" / "cache")}
    path.parent.chmod(0o500)
    try:
        out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    finally:
        path.parent.chmod(0o700)
    assert out.stdout in ("6.0\n", "True\n"), out.stderr


def test_constants_of_all_bytes():
    every = np.arange(256, dtype="u1")

    @cuda.jit(cache=True)
    def kernel(r):
        c = cuda.const.array_like(every)
        i = cuda.grid(1)
        r[i] = c[i]
    r = cuda.to_device(np.zeros(256, "i4"))
    kernel[2, 128](r)
    assert (r.copy_to_host() == every).all()


# --- views of arrays on the device: shapes, strides and flags as NumPy's ---
def same(d, x):
    assert d.shape == x.shape and d.strides == x.strides and d.ndim == x.ndim and d.size == x.size
    if x.size:
        assert d.is_c_contiguous() == x.flags.c_contiguous and d.is_f_contiguous() == x.flags.f_contiguous
        assert dict(d.flags)["C_CONTIGUOUS"] == x.flags.c_contiguous
        assert dict(d.flags)["F_CONTIGUOUS"] == x.flags.f_contiguous
    assert (d.copy_to_host() == x).all()


ENDS = (-2, -1, 0, 1, 2)


def test_slices():
    one, two, three = np.arange(4.0), np.arange(20.0).reshape(4, 5), np.arange(120.0).reshape(4, 5, 6)
    d1, d2, d3 = map(cuda.to_device, (one, two, three))
    for a in ENDS:
        same(d1[a:], one[a:])
        same(d1[:a], one[:a])
        same(d2[a:], two[a:])
        same(d2[:a], two[:a])
    for a, b in itertools.product(ENDS, ENDS):
        same(d1[a:b], one[a:b])
        same(d2[a:, b:], two[a:, b:])
        same(d2[:a, :b], two[:a, :b])
        same(d2[a:b, b:a], two[a:b, b:a])
    for a, b, c in itertools.product((-2, -1, 1, 2), repeat=3):
        same(d1[::a], one[::a])
        same(d2[::a, ::b], two[::a, ::b])
        same(d3[::a, ::b, ::c], three[::a, ::b, ::c])
    moved = np.transpose(np.empty((1, 2, 3)), (2, 0, 1))
    assert cuda.to_device(np.zeros((1, 2, 3))).transpose((2, 0, 1)).shape == moved.shape


@pytest.mark.parametrize("shape", [(20, 6), (120,), (5, 24), (6, 5, 4), (-1,), (2, -1, 3), (4, -1), (5, -1, 4)])
@pytest.mark.parametrize("order", "CF")
def test_reshapes(shape, order):
    x = np.arange(120.0).reshape(4, 5, 6)
    d = cuda.to_device(x).reshape(*shape, order=order)
    assert (d.copy_to_host() == x.reshape(shape, order=order)).all() and d.shape == x.reshape(shape).shape


def test_reshapes_that_are_none():
    d = cuda.to_device(np.zeros((3, 4, 5)))
    with pytest.raises(ValueError, match="can only specify one unknown dimension"):
        d.reshape(-1, -1, 3)
    for shape in ((-1, 7), (3, 4), (61,)):
        with pytest.raises(ValueError):
            d.reshape(*shape)


def test_squeezed():
    x = np.arange(24.0).reshape(1, 2, 1, 4, 1, 3)
    d = cuda.to_device(x)
    same(d.squeeze(), x.squeeze())
    for axis in (0, 2, 4, (0, 2), (0, 4), (2, 4), (0, 2, 4)):
        same(d.squeeze(axis=axis), x.squeeze(axis=axis))
    for axis in (1, (2, 3)):
        with pytest.raises(ValueError):
            d.squeeze(axis=axis)


def test_iteration():
    x = np.arange(5.0)
    assert [float(v) for v in cuda.to_device(x)] == list(x)
    rows = np.arange(6.0).reshape(2, 3)
    assert [list(row.copy_to_host()) for row in cuda.to_device(rows)] == rows.tolist()
    assert list(njit(lambda v: v + 1)(x)) == list(x + 1)
