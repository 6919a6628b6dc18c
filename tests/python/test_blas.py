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


def run(program, **environment):
    done = subprocess.run([sys.executable, "-c", PROGRAM + program], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "CUPRITE_DEVICE": "cpu", **environment})
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
