"""The extension in several interpreters of one process: made, used and ended, each with types of its own.

Every test is a process of its own: what it proves is that nothing is left behind and that nothing crashes.
"""
import os
import subprocess
import sys

import pytest

import cuprite as cp

pytestmark = pytest.mark.once

# Interpreters by whichever module this Python has: create() -> id, run(id, code), destroy(id).
HELP = r"""
import os, sys
try:
    import _interpreters as _i            # 3.13 and later
except ImportError:
    import _xxsubinterpreters as _i
def create():
    return _i.create()
def run(interpreter, code):
    failed = (_i.exec if hasattr(_i, "exec") else _i.run_string)(interpreter, code)
    if failed:
        raise RuntimeError(str(failed))
def destroy(interpreter):
    _i.destroy(interpreter)
"""


def process(code, *options):
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    r = subprocess.run([sys.executable, *options, "-c", HELP + code], capture_output=True, text=True, timeout=120,
                       env={**os.environ, "PYTHONPATH": home, "CUPRITE_DEVICE": "cpu"})
    assert r.returncode == 0, r.stderr
    return r.stdout


WORK = r"""
import cuprite as cp
x = cp.arange(12.0).reshape(3, 4)
assert (x + x)[1:, ::2].tolist() == [[8, 12], [16, 20]] and cp.median(x).item() == 5.5 and (x * 3)[0, 1].item() == 3
assert cp.sort(-x, axis=1)[0].tolist() == [-3, -2, -1, 0] and cp.add(x, 1, out=x) is x and x[x > 11].tolist() == [12]
class Mine(cp.ndarray):
    pass
mine = Mine((2, 2)); mine.fill(7); mine.me = mine
assert (mine + 1).tolist() == [[8, 8], [8, 8]]
try:
    x + cp.ones(7)
except ValueError:
    pass
else:
    raise AssertionError
try:
    cp.sqrt("a")
except TypeError:
    pass
else:
    raise AssertionError
"""


def test_several_interpreters_one_after_the_other():
    process(f"WORK = {WORK!r}\n" + r"""
import cuprite as cp
from cuprite import _device
exec(WORK)
import gc
def live():
    gc.collect()
    return _device.test_live()
for n in range(30):
    before = live()
    i = create()
    run(i, WORK)
    run(i, WORK)
    destroy(i)
    assert live() <= before, (n, live(), before)
exec(WORK)
""")


def test_interpreters_side_by_side_share_no_type():
    out = process(r"""
import cuprite as cp
x = cp.ones(3)
all = [create() for _ in range(4)]
for i in all:
    run(i, "import cuprite as cp; x = cp.ones(3) * 2; y = x[1:]; "
           "print(id(cp.ndarray), id(cp.ufunc), id(cp.OutOfMemoryError), id(cp.add), id(cp.median))")
for _ in range(3):
    for i in all:
        run(i, "x = x + 1; y = y.reshape(1, -1); assert y.tolist() == [[2, 2]] and type(x) is cp.ndarray")
    x = x + 1
    assert x.tolist()[0] in (2, 3, 4) and isinstance(x, cp.ndarray)
destroy(all.pop(1))
for i in all:
    run(i, "assert x.tolist() == [5, 5, 5] and (x + x).sum().item() == 30")
for i in all:
    destroy(i)
assert (x + 1).tolist() == [5, 5, 5]
print(id(cp.ndarray), id(cp.ufunc), id(cp.OutOfMemoryError), id(cp.add), id(cp.median))
""")
    lines = [line.split() for line in out.splitlines()]
    assert len(lines) == 5
    for column in zip(*lines):
        assert len(set(column)) == 5, "an object is in two interpreters"


def test_arrays_go_from_one_interpreter_to_another_as_bytes():
    process(r"""
import cuprite as cp
read, write = os.pipe()
i = create()
run(i, f"import os, cuprite as cp; os.write({write}, (cp.arange(100.0) ** 2).tobytes()); "
       f"os.write({write}, cp.arange(6, dtype='i4').reshape(2, 3).tobytes('F'))")
destroy(i)
x = cp.array(memoryview(os.read(read, 800)).cast("d"))
assert x.tolist() == [v * v for v in range(100)] and cp.sum(x).item() == 328350
assert cp.array(memoryview(os.read(read, 24)).cast("i")).tolist() == [0, 3, 1, 4, 2, 5]
""")


def test_interpreters_in_threads():
    """Where each has a GIL of its own they run at the same time."""
    process(f"WORK = {WORK!r}\n" + r"""
import threading
import cuprite as cp
failures = []
def work():
    try:
        for _ in range(5):
            i = create()
            for _ in range(5):
                run(i, WORK)
            destroy(i)
    except BaseException as e:
        failures.append(e)
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for _ in range(200):
    exec(WORK)
for t in threads: t.join()
assert not failures, failures
""")


def test_an_interpreter_may_end_with_arrays_alive():
    """In a cycle, in a thread's storage, in a module that is not collected: the process ends quietly."""
    out = process(r"""
import cuprite as cp
i = create()
run(i, "import sys, cuprite as cp, weakref\n"
       "class Mine(cp.ndarray): pass\n"
       "a = Mine(3); a.me = a; Mine.kept = a; sys.kept = [cp.ones(3), a, cp.ones(3)[1:]]\n"
       "cp.ones(3).__class__.__mro__; f = cp.median; g = cp.ones(3).sum; w = weakref.ref(sys.kept[0])")
destroy(i)
sys.kept = cp.ones(3)
class Last:
    def __init__(self): self.x = cp.ones(3)
    def __del__(self): self.x = self.x + 1
last = Last(); last.me = last
""", "-X", "dev")
    assert out == ""


def test_importing_again_gives_the_same_types():
    process(r"""
import cuprite as cp
x = cp.ones(3)
for name in [n for n in sys.modules if n.startswith("cuprite")]:
    del sys.modules[name]
import cuprite as again
assert again is not cp and again.ndarray is cp.ndarray and again.add is cp.add
assert (again.arange(3) + x).tolist() == [1, 2, 3] and again._core.__spec__ is not cp._core.__spec__
""")


def test_the_type_is_as_fixed_as_numpys():
    for name in ("new_attribute", "shape", "sum"):
        with pytest.raises(TypeError):
            setattr(cp.ndarray, name, 1)
    with pytest.raises(TypeError):
        cp.ufunc()


def test_a_hundred_thousand_calls_leave_the_process_as_large_as_it_was():
    process(r"""
import cuprite as cp
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
x = cp.arange(24.0).reshape(4, 6)
class Mine(cp.ndarray):
    pass
def loop(n):
    for _ in range(n):
        x + x; x[1:3].reshape(-1); x + 1; x.sum(axis=0); Mine(3)
for _ in range(2):
    loop(50_000) # caches, the heap and what reads the figure find their size
    before = resident()
loop(100_000)
assert resident() - before < 50_000, resident() - before # half a byte a call
""")
