"""What type checkers see of results: a table of expressions with their types, which are also what they are at run time,
and a program of a user's (typed_program.py) that mypy --strict accepts. mypy runs once for all of them."""
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp

pytestmark = pytest.mark.once

HERE = pathlib.Path(__file__).parent
# What mypy made of the stubs, NumPy's among them, is read again by the next test: a tenth of the time.
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", HERE.parents[1] / "build"))
MYPY = ["--strict", "--cache-dir", str(BUILD.absolute() / "mypy")]
FOLDER = str(pathlib.Path(cp.__file__).parent.parent)
BEGIN = """
import numpy as np
import cuprite as cp
from cuprite import jit, linalg
from cuprite.numba import cuda, njit
from cuprite.scipy import fft, ndimage, signal, special
from cuprite.scipy import linalg as sla

x = cp.asarray([[2.0, 1.0], [1.0, 3.0]])
v = cp.arange(4.0)
n = cp.asarray([[1, 1, 0], [0, 0, 2]])
rng = cp.random.default_rng(3)
@jit.rawkernel()
def kernel(a: cp.ndarray) -> None:
    a[0] = 1
@jit.rawkernel(device=True)
def on_device(a: float, b: int) -> float:
    return a * b
@cuda.jit
def numba_kernel(a: cp.ndarray) -> None:
    a[0] = 1
@njit
def host(a: float, b: int) -> float:
    return a * b
"""
A = "ndarray"
TYPES = {
    # operators, indices, iteration, attributes
    "x + 1": A, "1 - x": A, "x @ x": A, "-x": A, "2 ** x": A, "x == 1": A, "x < v[0]": A, "x[0]": A, "x[x > 1]": A,
    "divmod(x, 2)": f"tuple[{A}, {A}]", "[row for row in x]": f"list[{A}]", "x.T": A, "x.shape": "tuple[int, ...]",
    "x.get()": "numpy.ndarray[Any, Any]", "x.dtype": "numpy.dtype[Any]", "float(v[0])": "float",
    # ufuncs
    "cp.sin(x)": A, "cp.sin(2.0)": A, "cp.add(x, 1)": A, "cp.add(x, 1, out=x)": A, "cp.add(x, 1, x)": A,
    "cp.modf(x)": f"tuple[{A}, {A}]", "cp.divmod(x, 2)": f"tuple[{A}, {A}]", "special.erf(x)": A,
    "cp.add.reduce(x)": A, "cp.add.outer(v, v)": A, "cp.multiply(x, np.float32(2))": A,
    # functions whose result depends on a flag
    "cp.unique(v)": A, "cp.unique(v, return_counts=True)": f"tuple[{A}, {A}]",
    "cp.unique(v, True, return_inverse=True)": f"tuple[{A}, {A}, {A}]", "cp.linspace(0, 1, 5)": A,
    "cp.linspace(0, 1, 5, retstep=True)": f"tuple[{A}, float]", "cp.where(x > 1, x, 0)": A,
    "cp.where(x > 1)": f"tuple[{A}, ...]", "cp.average(x)": A, "cp.average(x, returned=True)": f"tuple[{A}, {A}]",
    "cp.intersect1d(v, v, return_indices=True)": f"tuple[{A}, {A}, {A}]", "cp.polyfit(v, v, 1)": A,
    "ndimage.label(n)": f"tuple[{A}, int]", "ndimage.label(n, output=cp.zeros((2, 3), 'i4'))": "int",
    "linalg.svd(x, compute_uv=False)": A, "linalg.qr(x, 'r')": A, "cp.atleast_1d(3)": A,
    # functions of rows and of Python
    "cp.sum(x, axis=0)": A, "cp.median(x)": A, "cp.asarray([1, 2])": A, "cp.full((2, 2), 7)": A,
    "cp.histogram(v)": f"tuple[{A}, {A}]", "cp.histogramdd(x)": f"tuple[{A}, list[{A}]]",
    "cp.split(v, 2)": f"list[{A}]", "cp.nonzero(v)": f"tuple[{A}, ...]", "cp.pad(v, 1)": A, "cp.isin(v, [1])": A,
    "cp.einsum('ij,j', x, v[:2])": A, "cp.rot90(x)": A, "cp.r_[0:3, 7]": A, "cp.mgrid[0:2, 0:2]": A,
    "cp.result_type(x, 1)": "numpy.dtype[Any]", "cp.can_cast('i4', 'i8')": "bool", "cp.shares_memory(x, x)": "bool",
    "cp.array2string(x)": "str", "cp.asnumpy(x)": "numpy.ndarray[Any, Any]",
    # linear algebra, transforms, images, random numbers
    "linalg.slogdet(x)": f"tuple[{A}, {A}, fallback=SlogdetResult]", "linalg.eigh(x).eigenvectors": A,
    "linalg.norm(x)": A, "linalg.inv(x)": A, "sla.lu_factor(x)": f"tuple[{A}, {A}]", "cp.fft.rfft(v)": A,
    "fft.dct(v)": A, "signal.convolve2d(x, x)": A, "ndimage.measure(n, n, 2).flux": A, "ndimage.find_objects(n)":
    "list[tuple[slice[Any, Any, Any], ...] | None]", "rng.normal(size=3)": A, "rng.integers(3)": A,
    "rng.permutation(v)": A, "cp.random.rand(3)": A, "cp.random.bytes(2)": "bytes",
    "cp.lib.stride_tricks.sliding_window_view(v, 2)": A,
    # kernels, devices
    "kernel[1, 32]": "Callable[..., None]", "on_device(2.0, 3)": "float", "host(2.0, 3)": "float",
    "host.py_func(2.0, 3)": "float", "numba_kernel": "Dispatcher", "cp.cuda.Device(0).mem_info": "tuple[int, int]",
    "cp.cuda.Device(0).synchronize()": "None", "cp.cuda.Stream(non_blocking=True).use()": "Stream",
    "cp.cuda.get_current_stream()": "Stream | ExternalStream", "cp.get_default_memory_pool().used_bytes()": "int",
    "cp.cuda.runtime.getDeviceCount()": "int",
}
MODULES = r"\b(?:cuprite|builtins|typing)\.(?:\w+\.)*"  # before mypy's names of types
ONLY_SEEN = {"on_device(2.0, 3)"}  # what has a meaning in kernels alone
WRONG = ["cp.sin()", "cp.sin([1, 2])", "cp.add(x)", "cp.modf(x).shape", "cp.linalg.svd(x, full_matrices='no')",
         "kernel(x)", "host('a', 'b')", "cp.unique(v).counts", "x.get().device_id", "cp.pad()", "cp.isin(v)",
         "cp.cuda.Device(0).used()", "cp.sum(x, axis='a')", "rng.normal(sizes=3)"]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """mypy's lines: number of an expression -> its type; the errors of the table; those of the program."""
    folder = tmp_path_factory.mktemp("types")
    lines = [f"reveal_type({e})" for e in TYPES] + WRONG
    (folder / "table.py").write_text(BEGIN + "\n".join(lines) + "\n")
    shutil.copy(HERE / "typed_program.py", folder)
    done = subprocess.run([sys.executable, "-m", "mypy", *MYPY, "--no-color-output", "--no-pretty", "table.py",
                           "typed_program.py"], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "MYPYPATH": FOLDER})
    first = BEGIN.count("\n") + 1
    types, errors, others = {}, {}, []
    for line in done.stdout.splitlines():
        where = re.match(r'table\.py:(\d+): (note: Revealed type is "(.*)"|error: (.*))', line)
        if where and where.group(3):
            types[int(where.group(1)) - first] = re.sub(MODULES, "", where.group(3))
        elif where and int(where.group(1)) - first >= len(TYPES):
            errors[int(where.group(1)) - first - len(TYPES)] = where.group(4)
        elif ": error: " in line:
            others.append(line)
    assert types, done.stdout + done.stderr
    return types, errors, others


def test_the_program_is_typed(found):
    """Nor is anything wrong in the stubs."""
    assert not found[2], "\n".join(found[2])


def shown(kind):
    """mypy's names as the table writes them."""
    if re.fullmatch(r"def \(\*.*\)( -> None)?", kind):
        return "Callable[..., None]"
    return kind


def test_pyright_accepts_the_program(tmp_path):
    """The other checker of editors, where it is installed: pip install "pyright[nodejs]"."""
    pytest.importorskip("pyright")
    shutil.copy(HERE / "typed_program.py", tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"include": ["typed_program.py"], "extraPaths": [FOLDER],
                                                             "typeCheckingMode": "strict"}))
    done = subprocess.run([sys.executable, "-m", "pyright", "--pythonpath", sys.executable], capture_output=True,
                          text=True, cwd=tmp_path)
    assert done.returncode == 0 and "0 errors" in done.stdout, done.stdout + done.stderr


def test_types_of_results(found):
    types = {e: shown(found[0].get(i, "nothing")) for i, e in enumerate(TYPES)}
    different = {e: t for e, t in types.items() if t != TYPES[e]}
    assert not different, "\n".join(f"{e}: {t}, not {TYPES[e]}" for e, t in different.items())


def test_wrong_lines_are_reported(found):
    assert [e for i, e in enumerate(WRONG) if i not in found[1]] == []


def fits(value, kind):
    """Whether a value is of a type of the table."""
    if kind == "None":
        return value is None
    if kind == "Callable[..., None]":
        return callable(value)
    outer, _, inner = kind.partition("[")
    classes = {"ndarray": cp.ndarray, "numpy.ndarray": np.ndarray, "numpy.dtype": np.dtype, "Stream": cp.cuda.Stream,
               "Stream | ExternalStream": (cp.cuda.Stream, cp.cuda.ExternalStream)}
    if outer in ("tuple", "list"):
        items = re.findall(r"ndarray|float|int|\.\.\.", inner)
        expected = [items[0]] * len(value) if "..." in items or outer == "list" else [i for i in items]
        nested = "tuple" in inner or "list" in inner
        return isinstance(value, eval(outer)) and (nested or len(expected) == len(value) and
                                                   all(map(fits, value, expected)))
    if outer == "Dispatcher":
        return type(value).__name__ == outer
    return isinstance(value, classes.get(outer) or getattr(__import__("builtins"), outer))


def test_types_at_run_time(tmp_path):
    (tmp_path / "begin.py").write_text(BEGIN)  # kernels are read from files
    spec = importlib.util.spec_from_file_location("begin", tmp_path / "begin.py")
    begin = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(begin)
    for expression, kind in TYPES.items():
        if expression not in ONLY_SEEN:
            value = eval(expression, vars(begin))
            assert fits(value, kind), f"{expression}: {value!r} is no {kind}"


def test_the_program_runs():
    done = subprocess.run([sys.executable, str(HERE / "typed_program.py")], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": FOLDER})
    assert done.returncode == 0 and "array([0., 1., 2., 3., 4., 5.])" in done.stdout, done.stdout + done.stderr
