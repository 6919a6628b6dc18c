"""The stubs name what the modules name: each public function, class and operation, with its arguments. mypy's stubtest
says so of every module; what it cannot know, as that nothing public is missing, is asked here."""
import ast
import importlib
import inspect
import os
import pathlib
import subprocess
import sys

import pytest

import cuprite as cp
from test_types import MYPY

pytestmark = pytest.mark.once

PACKAGE = pathlib.Path(cp.__file__).parent
MODULES = ["cuprite", "cuprite._core", "cuprite._device", "cuprite.scipy", "cuprite.scipy.signal",
           "cuprite.scipy.ndimage", "cuprite.cuda", "cuprite.cuda.memory", "cuprite.cuda.stream",
           "cuprite.cuda.runtime", "cuprite.profiler"]


def test_stubtest(tmp_path):
    """Names, arguments, defaults and properties of every module are what they are at run time."""
    folder = str(PACKAGE.parent)
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "cuprite", "--concise", "--allowlist",
                           str(pathlib.Path(__file__).with_name("stubtest.allow"))], capture_output=True, text=True,
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": folder, "MYPYPATH": folder})
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubtest_sees_a_wrong_stub(tmp_path):
    """The same of a module whose stub has an argument that is not there."""
    (tmp_path / "made.py").write_text("def f(a, b=1): return a\n")
    (tmp_path / "made.pyi").write_text("from typing import Any\n\ndef f(a: Any, c: Any = 1) -> Any: ...\n")
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "made", "--concise"], capture_output=True, text=True,
                          cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path), "MYPYPATH": str(tmp_path)})
    assert done.returncode == 1 and "made.f" in done.stdout, done.stdout + done.stderr


PROGRAM = """
import cuprite as cp
from cuprite.scipy import ndimage

x = cp.zeros((3, 4), dtype="f4")
y: cp.ndarray = cp.median(x, axis=0, keepdims=True) + 2 * x
n: int = y.ndim
s: tuple[int, ...] = y.shape
u, v, w = cp.linalg.svd(x)
z = cp.random.default_rng(3).normal(0, 1, size=(2, 2))
labels, count = ndimage.label(x > 1)
k = cp.RawKernel("", "f")
cp.add(x, y, out=x)
with cp.cuda.Device(0), cp.cuda.Stream() as stream:
    f = cp.fft.rfft(cp.sort(x, axis=-1))
cp.scipy.special.erf(x), cp.scipy.linalg.lu(x), cp.lib.stride_tricks.as_strided(x)
cp.polynomial.polynomial.polyval(x, [2]), cp.numba.cuda.jit, cp.cuda.runtime.getDevice(), cp.jit.thrust.sort
"""
# What results are, as a type checker sees it and at run time.
TYPED = """
from typing import Any, assert_type
import numpy
import cuprite as cp

x = cp.asarray([[2.0, 1.0], [1.0, 3.0]])
assert_type(x, cp.ndarray)
host = assert_type(x.get(), numpy.ndarray[Any, Any])
assert isinstance(host, numpy.ndarray)
assert_type(cp.asnumpy(x), numpy.ndarray[Any, Any])
assert isinstance(assert_type(x.dtype, numpy.dtype[Any]), numpy.dtype)
assert isinstance(assert_type(x.device, cp.cuda.Device), cp.cuda.Device)
assert isinstance(assert_type(x.data, cp.cuda.MemoryPointer), cp.cuda.MemoryPointer)
assert isinstance(assert_type(x.flat, cp.flatiter), cp.flatiter)
u, s, v = cp.linalg.svd(x)
assert isinstance(assert_type(s, cp.ndarray), cp.ndarray)
assert isinstance(assert_type(cp.linalg.svd(x, compute_uv=False), cp.ndarray), cp.ndarray)
assert isinstance(assert_type(cp.linalg.svd(x, False, False), cp.ndarray), cp.ndarray)
assert isinstance(assert_type(cp.linalg.qr(x, "r"), cp.ndarray), cp.ndarray)
assert isinstance(assert_type(cp.linalg.eigh(x).eigenvalues, cp.ndarray), cp.ndarray)
rng = assert_type(cp.random.default_rng(3), cp.random.Generator)
assert isinstance(rng, cp.random.Generator)
assert isinstance(assert_type(rng.normal(size=3), cp.ndarray), cp.ndarray)
assert isinstance(assert_type(cp.random.poisson(3, 4), cp.ndarray), cp.ndarray)

@cp.fuse
def twice(a: cp.ndarray, n: int = 2) -> cp.ndarray:
    return a * n

@cp.fuse(kernel_name="half")
def half(a: cp.ndarray) -> cp.ndarray:
    return a / 2

assert isinstance(assert_type(half(twice(x, 2)), cp.ndarray), cp.ndarray)
assert isinstance(assert_type(cp.astype(x, "f4"), cp.ndarray), cp.ndarray)
assert isinstance(assert_type(x.reshape(4).ravel(), cp.ndarray), cp.ndarray)
assert isinstance(assert_type(cp.can_cast("i4", "i8"), bool), bool)
assert_type(x.fill(1), None)
"""
WRONG = ["cp.median(x, axiz=0)", "x.nope", "cp.nope", "t: str = x.ndim", "cp.random.normal(locc=1)", "cp.take(x)",
         "cp.linalg.svd(x, full=True)"]


def test_programs_are_checked(tmp_path):
    """mypy finds nothing in a program that is right, and each line of one that is wrong. It sees the types that another
    program has when it runs, and reports a fused function's wrong argument. (It reads the stubs once for both.)"""
    (tmp_path / "program.py").write_text(PROGRAM + "\n".join(WRONG) + "\n")
    (tmp_path / "typed.py").write_text(TYPED + "half(3)\ntwice(x, 'n')\n")
    done = subprocess.run([sys.executable, "-m", "mypy", *MYPY, "program.py", "typed.py"], capture_output=True,
                          text=True, cwd=tmp_path, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})

    def lines(program):
        return [int(line.split(":")[1]) for line in done.stdout.splitlines()
                if line.startswith(program) and ": error: " in line]
    first = PROGRAM.count("\n") + 1
    assert set(lines("program.py")) == set(range(first, first + len(WRONG))), done.stdout + done.stderr
    first = TYPED.count("\n") + 1
    assert lines("typed.py") == [first, first + 1], done.stdout + done.stderr
    exec(compile(TYPED, "typed", "exec"), {})


def test_names_for_completion():
    assert "annotations" not in dir(cp) and "annotations" not in cp.__all__
    for module in ("cuprite", "cuprite.random", "cuprite.linalg", "cuprite.cuda", "cuprite.scipy.fft"):
        assert "annotations" not in names_of(stub_of(module).body)


def test_all_names_by_star():
    """In a process in which no name was used yet."""
    done = subprocess.run([sys.executable, "-c", """
from cuprite import *
import cuprite
names = [n for n in dir(cuprite) if not n.startswith("_")]
assert len(names) > 500 and {"float64", "linalg", "split", "RawKernel", "r_", "pi", "ndarray"} <= set(names)
for n in names:
    assert globals()[n] is getattr(cuprite, n), n
"""], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)})
    assert done.returncode == 0, done.stderr


def stub_of(module):
    path = PACKAGE.joinpath(*module.split(".")[1:])
    path = path / "__init__.pyi" if path.is_dir() else path.with_suffix(".pyi")
    return ast.parse(path.read_text())


def names_of(body):
    """Name -> node of what a stub declares."""
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            assert node.name not in found or isinstance(node,
                                                        ast.FunctionDef) and node.decorator_list, f"{node.name} twice"
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.Assign):  # another name
            found.update({t.id: node for t in node.targets})
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update({a.asname: node for a in node.names if a.asname})
    return found


def public(names):
    return {n for n in names if not n.startswith("_")}


def test_typed():
    assert (PACKAGE / "py.typed").exists()


@pytest.mark.parametrize("module", MODULES)
def test_names(module):
    m = importlib.import_module(module)
    stub = public(names_of(stub_of(module).body))
    for name in stub:
        assert hasattr(m, name), f"{module}.{name} is in the stub only"
    declared = getattr(m, "__all__", None) or [n for n, v in vars(m).items() if not inspect.ismodule(v) and
                                               (module in ("cuprite", "cuprite._core") or getattr(v, "__module__", "")
                                                == module)]
    missing = public(declared) - stub
    assert not missing, f"not in the stub of {module}: {sorted(missing)}"


@pytest.mark.parametrize("module", ["cuprite._core", "cuprite._device", "cuprite.scipy.signal",
                                    "cuprite.scipy.ndimage"])
def test_signatures(module):
    m = importlib.import_module(module)
    for name, node in names_of(stub_of(module).body).items():
        f = getattr(m, name, None)
        if isinstance(node, ast.FunctionDef) and name != "rows" and not node.decorator_list:  # stubtest has overloads
            same_arguments(node, f)


def test_methods():
    node = names_of(stub_of("cuprite._core").body)["ndarray"]
    stub = names_of(node.body)
    assert public(stub) == public(dir(cp.ndarray))
    for name, method in stub.items():
        if not name.startswith("_") and not method.decorator_list:
            same_arguments(method, getattr(cp.ndarray, name))


def same_arguments(node, f):
    shown = [(p.name, p.kind, p.default is not p.empty) for p in inspect.signature(f).parameters.values()]
    if shown and shown[0][0] == "self":
        shown[0] = ("self", inspect.Parameter.POSITIONAL_OR_KEYWORD, False)
        if any(kind == inspect.Parameter.POSITIONAL_ONLY for _, kind, _ in shown[1:]):
            shown[0] = ("self", inspect.Parameter.POSITIONAL_ONLY, False)
    a = node.args
    plain = a.posonlyargs + a.args
    has_default = [False] * (len(plain) - len(a.defaults)) + [True] * len(a.defaults)
    kinds = [inspect.Parameter.POSITIONAL_ONLY] * len(a.posonlyargs)
    kinds += [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(a.args)
    stub = [(arg.arg, kind, d) for arg, kind, d in zip(plain, kinds, has_default)]
    if a.vararg:
        stub.append((a.vararg.arg, inspect.Parameter.VAR_POSITIONAL, False))
    stub += [(arg.arg, inspect.Parameter.KEYWORD_ONLY, d is not None) for arg, d in zip(a.kwonlyargs, a.kw_defaults)]
    assert stub == shown, (node.name, stub, shown)
