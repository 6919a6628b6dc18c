"""tools/check_imports.py: the package has no circles of imports, and the tool sees one where there is one; threads that
import at the same time."""
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check_imports.py"


def check(*arguments):
    done = subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def package(folder, **files):
    (folder / "made").mkdir()
    for name, text in {"__init__": "", **files}.items():
        (folder / "made" / f"{name}.py").write_text(text)
    return str(folder / "made")


@pytest.mark.checked
def test_the_package():
    assert check() == (0, "")


@pytest.mark.parametrize("files, circle", [
    ({"a": "from made import b", "b": "import made.c", "c": "from .a import x"}, "made.a, made.b, made.c"),
    ({"a": "try:\n    from made.b import x\nexcept ImportError:\n    pass", "b": "class C:\n    from made import a"},
     "made.a, made.b"),
    ({"__init__": "from made import a", "a": "from made import x"}, "made, made.a"),
])
def test_circles_at_top_level(tmp_path, files, circle):
    code, text = check(package(tmp_path, **files))
    assert (code, text) == (1, f"circle of imports at top level: {circle}\n")


def test_circles_inside_functions(tmp_path):
    """They are reported, and do not break the rule about a package's top level."""
    code, text = check(package(tmp_path, a="from made import b", b="def f():\n    from made import a"))
    assert (code, text) == (0, "2 modules in circles of imports inside functions\n")


@pytest.mark.parametrize("files", [
    {"a": "from made import b", "b": "import made.c", "c": ""},
    {"__init__": "def f():\n    from made import a", "a": "import made"},
    {"a": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import made.b", "b": "import made.a"},
])
def test_no_circles(tmp_path, files):
    assert check(package(tmp_path, **files)) == (0, "")


def test_modules_past_their_package(tmp_path):
    """What imports a package's module by its own name, outside the package, where the package imports it too."""
    files = {"pack/__init__": "from made.pack import inner", "pack/inner": "x = 1",
             "pack/other": "import made.pack.inner", "plain/__init__": "", "plain/inner": "x = 1",
             "a": "def f():\n    from made.pack.inner import x\n    import made.pack.inner",
             "b": "from made.pack import inner\nfrom made.plain.inner import x"}
    for folder in ("pack", "plain"):
        (tmp_path / "made" / folder).mkdir(parents=True)
    for name, text in {"__init__": "", **files}.items():
        (tmp_path / "made" / f"{name}.py").write_text(text)
    a = tmp_path / "made" / "a.py"
    code, text = check(str(tmp_path / "made"))
    assert (code, text) == (1, "".join(f"{a}:{line}: import made.pack.inner from its package, made.pack\n"
                                       for line in (2, 3)))


THREADS = """
import sys, threading, time
import cuprite as cp

class Waits:  # of the modules of PACKAGE, before the first one is looked for
    def find_spec(self, name, path=None, target=None):
        if name.startswith(PACKAGE + ".") and threading.current_thread() is first and not begun.is_set():
            begun.set()
            time.sleep(0.3)  # the other thread locks what it can
begun, errors = threading.Event(), []
sys.meta_path.insert(0, Waits())

def run(f, waits):
    try:
        if waits:
            begun.wait(20)
        f()
    except BaseException as e:
        errors.append(repr(e))

def use():
    USE

x = cp.ones(3)
first = threading.Thread(target=run, args=(lambda: __import__(PACKAGE), False))
second = threading.Thread(target=run, args=(use, True))
first.start(), second.start(), first.join(), second.join()
assert begun.is_set()
print(errors)
"""


@pytest.mark.parametrize("package, use", [
    ("cuprite.cuda", "x.data"), ("cuprite.cuda", "x.device"), ("cuprite.cuda", "cp.get_default_memory_pool()"),
    ("cuprite.cuda", "cp.cuda.Stream()"), ("cuprite.cuda", "cp.zeros_pinned(3)"),
    ("cuprite.cuda", "cp.RawModule(code='extern \"C\" __global__ void f() {}').get_function('f')"),
    ("cuprite._compiler.numba_cuda", "from cuprite.numba import vectorize"),
    ("cuprite.numba", "cp.install_as_numba()"), ("cuprite.random", "cp.random.rand()"),
    ("cuprite.jit", "cp.jit.rawkernel"), ("cuprite.fft", "cp.fft.config"),
    ("cuprite.testing", "cp.testing.shaped_arange")])
def test_first_uses_in_two_threads(package, use):
    """A package and its modules, imported at the same time by what two threads do."""
    text = THREADS.replace("PACKAGE", repr(package)).replace("USE", use)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stdout + done.stderr
