"""tools/check_imports.py: the package has no circles of imports, and the tool sees one where there is one."""
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
