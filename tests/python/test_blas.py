"""Which OpenBLAS is opened, and that it is ours alone: each case in a process of its own."""
import glob
import os
import subprocess
import sys

import numpy
import pytest

pytestmark = pytest.mark.once
SITE = os.path.dirname(os.path.dirname(numpy.__file__))

PROGRAM = """
import os, sys
import cuprite as cp
n = 300
a = cp.arange(n * n, dtype='f8').reshape(n, n) % 7
b = a.T.astype('f8') + 1
def check(r):
    import numpy
    x = numpy.arange(n * n, dtype='f8').reshape(n, n) % 7
    assert (cp.asnumpy(r) == x @ (x.T + 1)).all()
"""


def run(program, *flags, **environment):
    done = subprocess.run([sys.executable, *flags, "-c", PROGRAM + program], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "CUPRITE_DEVICE": "cpu", **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def libraries(*patterns):
    return [f for p in patterns for f in glob.glob(os.path.join(SITE, p))]


SHOW = """
check(a @ b)
print(*sorted({line.split(None, 5)[5].strip() for line in open('/proc/self/maps') if 'openblas' in line}), sep='\\n')
"""


@pytest.mark.parametrize("path", libraries("scipy_openblas*/lib/lib*.so", "numpy.libs/*openblas*",
                                           "scipy.libs/*openblas*"))
def test_each_library(path):
    """Wide and narrow integers, other names, bundled copies: all give the product, from a copy of the file."""
    maps = run("import numpy\n" + SHOW, CUPRITE_OPENBLAS=path)
    assert "memfd:openblas" in maps


def test_a_wheel_is_found_beside_the_interpreter():
    wheels = libraries("scipy_openblas64/lib/lib*.so")
    assert wheels, "tools/setup installs it"
    assert os.path.realpath(wheels[0]) in run(SHOW)


def test_without_any():
    """Kernels of our own do the same."""
    maps = run("check(a @ b)\nc = (a + 1j) @ b\ncheck(c.real.copy())\n"
               "print('memfd:openblas' in open('/proc/self/maps').read())", CUPRITE_OPENBLAS="/no/such/file")
    assert maps == "False\n"


def test_numpys_threads_stay():
    """NumPy's own copy keeps its number of threads."""
    path = libraries("numpy.libs/*openblas*")
    if not path:
        pytest.skip("this NumPy bundles no OpenBLAS")
    program = f"""
import ctypes, numpy
theirs = ctypes.CDLL({path[0]!r})
name = next(n for n in ("scipy_openblas_get_num_threads64_", "scipy_openblas_get_num_threads",
                        "openblas_get_num_threads64_", "openblas_get_num_threads") if hasattr(theirs, n))
before = getattr(theirs, name)()
check(a @ b)
assert getattr(theirs, name)() == before, before
"""
    run(program, CUPRITE_OPENBLAS=path[0], OPENBLAS_NUM_THREADS="2")


def test_environment_stays():
    run("before = dict(os.environ)\ncheck(a @ b)\nimport ctypes\n"
        "libc = ctypes.CDLL(None)\nlibc.getenv.restype = ctypes.c_char_p\n"
        "assert libc.getenv(b'OPENBLAS_NUM_THREADS') == os.environb.get(b'OPENBLAS_NUM_THREADS')\n"
        "os.environ['LATER'] = '1'\nassert libc.getenv(b'LATER') == b'1'\nassert libc.getenv(b'PATH')")


@pytest.mark.parametrize("first", [True, False])
def test_forked_children(first):
    run(f"""
if {first}:
    check(a @ b)
for _ in range(3):
    child = os.fork()
    if not child:
        try:
            check(a @ b)
            check(a @ b)
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
check(a @ b)
""")


@pytest.mark.parametrize("first", [True, False])
def test_forks_beside_threads_at_work(first):
    """A child whose parent was in the middle of a factorization, or looking for the library, can make its own."""
    run(f"""
import signal, threading
from cuprite import linalg
stop = []
def busy():
    while not stop:
        linalg.inv(b + n * cp.eye(n))
if {first}:
    linalg.inv(b + n * cp.eye(n))
thread = threading.Thread(target=busy)
thread.start()
for _ in range(3):
    child = os.fork()
    if not child:
        signal.alarm(50)
        linalg.inv(b + n * cp.eye(n))
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop.append(1)
thread.join()
""")


@pytest.mark.parametrize("damage", ["none", "cut", "text", "folder", "other"])
def test_a_damaged_library(tmp_path, damage):
    """It is not opened, and the error says which file and why."""
    path = tmp_path / "libopenblas.so"
    whole = libraries("scipy_openblas*/lib/lib*.so", "numpy.libs/*openblas*")
    if damage == "cut":
        with open(whole[0], "rb") as f:
            path.write_bytes(f.read(100_000))
    elif damage == "text":
        path.write_text("not a library " * 1000)
    elif damage == "folder":
        path.mkdir()
    elif damage == "other":
        path = next(p for p in open("/proc/self/maps").read().split() if "/libm.so" in p)
    said = run("""
check(a @ b)
try:
    cp.linalg.eigvals(a)
except NotImplementedError as e:
    print(e)
""", CUPRITE_OPENBLAS=str(path))
    why = {"none": "No such file or directory", "other": "is no OpenBLAS"}
    assert f"({path}" in said and why.get(damage, "is no library, or not all of it") in said


def test_threads_at_once():
    run("""
import threading
results = []
def work():
    for _ in range(20):
        results.append(a @ b)
threads = [threading.Thread(target=work) for _ in range(6)]
[t.start() for t in threads]
[t.join() for t in threads]
assert len(results) == 120
first = cp.asnumpy(results[0])
assert all((cp.asnumpy(r) == first).all() for r in results)
check(results[0])
""")


# --- CUPRITE_BLAS ---

def mkl_folder():
    """The folder of libmkl_rt, of this interpreter or of CUPRITE_LIBRARY_PATH; None."""
    folders = [os.path.join(sys.prefix, "lib"), *os.environ.get("CUPRITE_LIBRARY_PATH", "").split(":")]
    return next((f for f in folders if f and glob.glob(os.path.join(f, "libmkl_rt.so*"))), None)


MKL = mkl_folder()
with_mkl = pytest.mark.skipif(not MKL, reason="MKL is not installed (pip install mkl)")


def run_mkl(program, **environment):
    return run(program, CUPRITE_BLAS="mkl", CUPRITE_LIBRARY_PATH=MKL, **environment)


TELL = """
for f in (lambda: a @ b, lambda: cp.linalg.eigvals(a), lambda: cp.linalg.qr(a)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)
    else:
        raise AssertionError("nothing was raised")
assert (cp.linalg.inv(cp.zeros((9, 4, 4)) + cp.eye(4) * 2) == cp.eye(4) / 2).all()
"""


@pytest.mark.parametrize("word", ["MKL", "blis", "openblas ", "0"])
def test_a_word_that_is_none(word):
    """Products too say so, which could do without; what needs no library is done."""
    lines = run(TELL, CUPRITE_BLAS=word).splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("ValueError ") and f"CUPRITE_BLAS must be 'openblas' or 'mkl', not '{word}'" in line


def test_show_config_says_that_the_word_is_none():
    said = run("cp.show_config()", CUPRITE_BLAS="blis")
    assert "CUPRITE_BLAS must be 'openblas' or 'mkl', not 'blis'" in said


@pytest.mark.parametrize("word", ["", "openblas"])
def test_openblas_by_its_word(word):
    said = run("check(a @ b)\ncp.show_config()", CUPRITE_BLAS=word)
    line = next(line for line in said.splitlines() if line.startswith("BLAS"))
    assert "OpenBLAS" in line and "openblas" in line.rsplit("(", 1)[1]


def broken_mkl(folder, damage):
    """A folder with what is no whole MKL, and what the error says of it."""
    if damage == "text":
        (folder / "libmkl_rt.so.2").write_text("not a library " * 1000)
        return "libmkl_rt.so.2"
    other = next(p for p in open("/proc/self/maps").read().split() if "/libm.so" in p)
    (folder / "libmkl_rt.so.2").write_bytes(open(other, "rb").read())
    if damage == "other":
        for part in ("core", "intel_lp64", "sequential", "def"):
            (folder / f"libmkl_{part}.so.2").write_bytes(b"")
        return "is no MKL"
    return "has libmkl_rt.so.2 and no libmkl_core.so.2"


@pytest.mark.parametrize("damage", ["none", "text", "alone", "other"])
def test_mkl_that_is_not_there(tmp_path, damage):
    """An error at the first call, of products too, that says what was looked for; never OpenBLAS in its place."""
    why = "libmkl_rt.so (.3, .2 or .1) is looked for in CUPRITE_LIBRARY_PATH" if damage == "none" else \
        broken_mkl(tmp_path, damage)
    lines = run(TELL + "assert 'openblas' not in open('/proc/self/maps').read().lower()\n",
                "-S",  # without the interpreter's packages, beside which there may be an MKL
                CUPRITE_BLAS="mkl", CUPRITE_LIBRARY_PATH=str(tmp_path), MKLROOT="").splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("NotImplementedError ") and "MKL is needed and not there" in line and why in line
        assert "pip install mkl" in line


@with_mkl
def test_mkl_is_used():
    said = run_mkl("check(a @ b)\ncp.show_config()\ncp.linalg.svd(a)\n"
                   "maps = open('/proc/self/maps').read()\n"
                   "assert 'libmkl_core' in maps and 'memfd:openblas' not in maps\n")
    line = next(line for line in said.splitlines() if line.startswith("BLAS"))
    assert "Math Kernel Library" in line and "libmkl_rt" in line


@with_mkl
@pytest.mark.parametrize("layer", [None, "SEQUENTIAL", "INTEL"])
def test_mkl_computes(layer):
    """Each routine that is called, of the four types, single and many, against what defines the result."""
    run_mkl("""
import numpy
rng = numpy.random.default_rng(5)
for letter, eps in (("f4", 1e-3), ("f8", 1e-10), ("c8", 1e-3), ("c16", 1e-10)):
    for shape in ((200, 200), (6, 70, 70), (300, 120), (90, 260)):
        x = rng.standard_normal(shape)
        if letter[0] == "c":
            x = x + 1j * rng.standard_normal(shape)
        x = x.astype(letter)
        def near(p, q):
            p, q = cp.asnumpy(p), cp.asnumpy(q)
            assert p.shape == q.shape and p.dtype == q.dtype == letter, (p.shape, q.shape, p.dtype, q.dtype)
            assert abs(p - q).max() < eps * max(1, abs(q).max()), (letter, shape, abs(p - q).max())
        a = cp.asarray(x)
        h = a.mT.conj()
        near(a @ h, x @ x.swapaxes(-1, -2).conj())
        near(a[..., :, 0] @ a if a.ndim == 2 and shape[0] == shape[1] else a @ h,
             x[..., :, 0] @ x if a.ndim == 2 and shape[0] == shape[1] else x @ x.swapaxes(-1, -2).conj())
        for mode in ("reduced", "complete"):
            q, r = cp.linalg.qr(a, mode=mode)
            near(q @ r, a)
            near(q.mT.conj() @ q, cp.broadcast_to(cp.eye(q.shape[-1], dtype=letter), q.mT.shape[:-1] + q.shape[-1:]))
        u, s, v = cp.linalg.svd(a, full_matrices=False)
        near((u * s[..., None, :]).astype(letter) @ v, a)
        if shape[-1] != shape[-2]:
            continue
        n = shape[-1]
        b = a + 20 * cp.eye(n, dtype=letter)
        near(b @ cp.linalg.inv(b), cp.broadcast_to(cp.eye(n, dtype=letter), shape))
        near(b @ cp.linalg.solve(b, a), a)
        p = a @ h + cp.eye(n, dtype=letter)
        l = cp.linalg.cholesky(p)
        near(l @ l.mT.conj(), p)
        w, z = cp.linalg.eigh(p)
        near((z * w[..., None, :]).astype(letter) @ z.mT.conj(), p)
        w = cp.linalg.eigvals(a)
        t = cp.asnumpy(w.sum(-1))
        assert abs(t - numpy.trace(x, axis1=-2, axis2=-1)).max() < 30 * eps
        from cuprite.scipy import linalg
        if a.ndim == 2:
            t, z, chosen = linalg.schur(a, sort="lhp")
            near(z @ t @ z.mT.conj(), a)
            assert chosen == (cp.asnumpy(cp.linalg.eigvals(a)).real < 0).sum()
""", **({"MKL_THREADING_LAYER": layer} if layer else {}))


@with_mkl
def test_mkls_threads_stay():
    """A program's own number of MKL's threads, of the process and of the thread, is not changed."""
    run_mkl("""
import ctypes, glob
m = ctypes.CDLL(glob.glob(os.environ['CUPRITE_LIBRARY_PATH'] + '/libmkl_rt.so*')[0])
check(a @ b)
def count():
    return m.MKL_Get_Max_Threads()
m.MKL_Set_Num_Threads(2)
before = count()
cp.linalg.svd(a), cp.linalg.qr(a), cp.linalg.inv(b + n * cp.eye(n)), a @ b
assert count() == before
assert m.MKL_Set_Num_Threads_Local(0) == 0
""")


@with_mkl
@pytest.mark.parametrize("first", [True, False])
def test_forked_children_with_mkl(first):
    run_mkl(f"""
import signal
from cuprite import linalg
def work():
    check(a @ b)
    linalg.svd(a)
    linalg.inv(b + n * cp.eye(n))
if {first}:
    work()
for _ in range(3):
    child = os.fork()
    if not child:
        signal.alarm(50)
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
work()
""")


BITS = """
import hashlib, numpy
rng = numpy.random.default_rng(3)
for m, n in ((200, 200), (512, 512), (700, 130), (130, 700)):
    for letter in ("f4", "f8", "c16"):
        x = cp.asarray((rng.standard_normal((m, n)) + (1j * rng.standard_normal((m, n)) if letter == "c16" else 0))
                       .astype(letter))
        results = [x @ x.mT, *cp.linalg.qr(x), *cp.linalg.qr(x, mode="complete"), *cp.linalg.qr(x, mode="raw")]
        if m == n:
            p = x @ x.mT.conj() + cp.eye(n, dtype=letter)
            results += [cp.linalg.inv(x), cp.linalg.det(x), cp.linalg.cholesky(p), cp.linalg.cholesky(p, upper=True)]
        print(m, n, letter, hashlib.sha256(b"".join(cp.asnumpy(r).tobytes() for r in results)).hexdigest())
"""


@pytest.mark.parametrize("library", ["openblas", pytest.param("mkl", marks=with_mkl)])
def test_bits_do_not_depend_on_threads(library):
    """Products, factors by QR, LU and Cholesky: which the pool's threads make."""
    where = {"CUPRITE_BLAS": library, **({"CUPRITE_LIBRARY_PATH": MKL} if library == "mkl" else {})}
    said = {run(BITS, CUPRITE_NUM_THREADS=str(n), **where) for n in (1, 2, 3, 7)}
    assert len(said) == 1
