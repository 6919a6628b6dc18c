"""Calls own what they work on: other threads may give an array another shape meanwhile, as often as they like."""
import os
import subprocess
import sys

import pytest

import cuprite as cp

pytestmark = pytest.mark.device

CALLS = {
    "median": "cp.median(x).item() == middle",
    "sort": "cp.sort(x, axis=None)[n // 2].item() == n // 2",
    "sort method": "y.sort(axis=-1) is None",
    "argsort": "cp.argsort(x, axis=None)[7].item() == 7",
    "partition": "cp.partition(x, 5, axis=None)[5].item() == 5",
    "unique": "cp.unique(x).size == n",
    "sum": "x.sum().item() == total",
    "max method": "x.max().item() == n - 1",
    "argmax": "x.argmax().item() == n - 1",
    "ptp": "cp.ptp(x).item() == n - 1",
    "mean with out": "cp.mean(x, out=zero) is zero and zero.item() == middle",
    "operator": "(x + x).size == n",
    "operator with a number": "(x * 2).size == n",
    "in place": "x.__iadd__(0) is x",
    "square": "(x ** 2).size == n",
    "ufunc": "cp.sqrt(x).size == n",
    "ufunc with out": "cp.positive(x, out=x) is x",
    "ufunc with where": "cp.negative(1.0, out=x, where=x < 0) is x",
    "ufunc with order A": "cp.add(x, x, order='A').size == n",
    "ufunc with order C": "cp.positive(x.T, order='C').size == n",
    "ufunc.reduce": "cp.add.reduce(x, axis=None).item() == total",
    "comparison": "(x >= 0).size == n",
    "in": "-1 not in x",
    "clip": "cp.clip(x, 0, n).size == n",
    "round": "cp.round(x, 1).size == n",
    "astype": "x.astype('f4').size == n",
    "copy": "x.copy().size == n",
    "flatten": "x.flatten('F').size == n",
    "ravel": "cp.ravel(x, 'F').size == n",
    "reshape": "x.T.reshape(-1).size == n",
    "array": "cp.array(x, copy=True, order='F').size == n",
    "asarray": "cp.asarray(x, dtype='f4').size == n",
    "full_like": "cp.full_like(x, 3.0).size == n",
    "fill": "x.fill(1.0) is None and x.sum().item() == n",
    "mask": "x[mask].size == 0",
    "mask set": "x.__setitem__(mask, 3.0) is None",
    "assignment": "x.__setitem__(Ellipsis, x) is None",
    "assignment from": "z.__setitem__(Ellipsis, x.T.reshape(-1)) is None",
    "copyto": "cp.copyto(x, 2.0) is None",
    "copyto where": "cp.copyto(x, 2.0, where=flat_mask.reshape(x.shape)) is None or True",
    "where": "cp.where(mask, 1.0, 2.0).size == n",
    "compress": "cp.compress(flat_mask, x, axis=None).size == 0",
    "nonzero": "len(cp.flatnonzero(x)) == n - 1",
    "isclose": "cp.isclose(x, 1.0).size == n",
    "allclose": "not cp.allclose(x, -1.0).item()",
    "concatenate": "cp.concatenate([x, x], axis=None).size == 2 * n",
    "sigma_clip": "cp.sigma_clip(x, 100).size == n",
    "get": "x.get().size == n",
    "tobytes": "len(x.tobytes('F')) == 8 * n",
    "pickle": "len(pickle.dumps(x)) > 8 * n",
    "minimum of labels": "cp.scipy.ndimage.minimum(x) .item() == 0",
    "to_device": "x.to_device('cpu').size == n",
}

PROGRAM = """
import pickle, sys, threading
import cuprite as cp
import cuprite.scipy.ndimage
n = 1 << 17
shapes = [(n,), (2, n // 2), (n // 4, 4), (2, 2, n // 4)]
middle, total = (n - 1) / 2, n * (n - 1) / 2
stop = False
def reshape(a):
    while not stop:
        for s in shapes:
            a.shape = s
sys.setswitchinterval(1e-5)
for name, call in CALLS.items():
    x = cp.arange(float(n)); y = cp.arange(float(n)); z = cp.zeros(n); zero = cp.zeros(())
    mask = x < 0; flat_mask = cp.zeros(n, bool)
    print(name, flush=True)
    stop = False
    threads = [threading.Thread(target=reshape, args=(a,)) for a in (x, x, mask, y)]
    for t in threads: t.start()
    try:
        for _ in range(25):
            try:
                right = eval(call)
            except (ValueError, IndexError) as e:  # two arrays whose shapes differ at this moment
                assert any(word in str(e) for word in ('shape', 'broadcast', 'dimension', 'mask', 'boolean index')), e
            else:
                assert right, call
    finally:
        stop = True
        for t in threads: t.join()
"""


@pytest.mark.parametrize("part", range(4))
def test_other_threads_change_the_shape(part):
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    calls = dict(list(CALLS.items())[part::4])
    r = subprocess.run([sys.executable, "-c", f"CALLS = {calls!r}\n" + PROGRAM], capture_output=True, text=True,
                       timeout=300, env={**os.environ, "PYTHONPATH": home})
    assert r.returncode == 0, f"{r.stdout.split(chr(10))[-2]}: {r.returncode}\n{r.stderr}"


# Another thread writes elements while a call looks at them twice: what comes out is anything, but nothing breaks.
WRITTEN = {
    "max": "cp.max(x)", "argmax": "cp.argmax(x)", "argmin": "cp.argmin(x[:5000])", "columns": "cp.argmax(x2, axis=0)",
    "rows": "cp.min(x2, axis=1)", "sort": "cp.sort(x)", "argsort": "cp.argsort(x)", "median": "cp.median(x)",
    "partition": "cp.partition(x, 30000)", "in place": "x.sort()", "unique": "cp.unique(x)", "places of 7":
    "cp.argmax(i)", "sort i": "cp.sort(i)", "unique i": "cp.unique(i)", "unique all":
    "cp.unique(i, return_index=True, return_inverse=True, return_counts=True)", "mask": "y[i > 7]", "nonzero":
    "cp.nonzero(i)", "label": "ndimage.label(i.reshape(300, 200))",
}
WRITING = """
import sys, threading
import cuprite as cp
from cuprite.scipy import ndimage
x, y, i = cp.zeros(60000), cp.zeros(60000), cp.zeros(60000, 'i8')
x2 = x.reshape(300, 200)
stop = False
def write():
    while not stop:
        x[0].item(); i[...] = 0; x[...] = 1; x[-1] = float('nan'); x[20000] = float('nan'); i[40000:] = 2**40; i[-1] = 7
sys.setswitchinterval(1e-5)
thread = threading.Thread(target=write)
thread.start()
try:
    for name, call in WRITTEN.items():
        print(name, flush=True)
        for _ in range(200 if DEVICE == 'cpu' else 10): eval(call)
finally:
    stop = True
    thread.join()
"""


def test_other_threads_write(device):
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    program = f"WRITTEN, DEVICE = {WRITTEN!r}, {device!r}\n" + WRITING
    r = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                       timeout=300, env={**os.environ, "PYTHONPATH": home, "CUPRITE_DEVICE": device})
    assert r.returncode == 0, f"{r.stdout.split(chr(10))[-2]}: {r.returncode}\n{r.stderr}"


# Code that runs while a call reads its arguments gives the call's own array other shapes; then memory is used again.
OWN_CODE = """
import sys, warnings
import cuprite as cp
def view(a):  # of its record no other owner lives
    b = a.reshape((1,) + a.shape)
    for _ in range(3): b.shape = a.shape
    return b
def reshape(a):
    s = a.shape
    for i in range(6): a.shape = (1,) * (i % 3) + s
    a.shape = s
    return [cp.zeros(3).reshape(1, 3, 1) for _ in range(50)]
class Index:
    def __init__(self, a): self.a = a
    def __index__(self): reshape(self.a); return 0
class Number(int):
    def __bool__(self): reshape(self.a); return True
    __int__ = lambda self: reshape(self.a) and 1
x, o, e = view(cp.arange(6.).reshape(2, 3)), view(cp.zeros(3)), Number(1)
e.a = o
v, w = view(cp.array(1 + 2j)), view(cp.array([1 + 2j] * 4))
y = cp.zeros(4)
def warned(*a, **k): reshape(v); reshape(w); reshape(y)
warnings.showwarning = warned
warnings.simplefilter('always')
got = eval(sys.argv[1])
print((y if got is None else got).tolist())
"""
SUMS = [3.0, 5.0, 7.0]


@pytest.mark.parametrize("call, expected", [
    ("cp.add.reduce(x, keepdims=Index(x), initial=2**70)", [2.0**70] * 3),
    ("cp.add.reduce(x, axis=Index(x), initial=2**70)", [2.0**70] * 3),
    ("cp.add.reduce(x, axis=0, out=o, where=e)", SUMS),
    ("cp.add.reduce(x, axis=0, out=o, initial=e)", [4.0, 6.0, 8.0]),
    ("cp.sum(x, axis=Index(x), initial=2**70)", [2.0**70] * 3),
    ("cp.sum(x, axis=0, out=o, where=e)", SUMS),
    ("y.fill(v)", [1.0] * 4),
    ("cp.copyto(y, w, casting='unsafe')", [1.0] * 4),
    ("y.__setitem__(Ellipsis, w)", [1.0] * 4),
    ("y.__setitem__(y == y, w)", [1.0] * 4),
    ("w.astype('f8')", [1.0] * 4),
    ("cp.full(4, w, dtype='f8')", [1.0] * 4),
])
def test_code_of_arguments_changes_the_shape(call, expected):
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    r = subprocess.run([sys.executable, "-c", OWN_CODE, call], capture_output=True, text=True, timeout=60,
                       env={**os.environ, "PYTHONPATH": home, "CUPRITE_POOL": "off", "MALLOC_PERTURB_": "165"})
    assert r.returncode == 0 and r.stdout.strip() == str(expected), f"{r.returncode}: {r.stdout}{r.stderr}"
