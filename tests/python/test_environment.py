"""The examples of README.md run, and give what they say."""
import pathlib
import re
import textwrap

import numpy as np

import cuprite as cp

README = pathlib.Path(__file__).parents[2] / "README.md"


def blocks(heading):
    """The indented blocks of Python below a heading."""
    section = README.read_text().split(f"## {heading}\n")[1].split("\n## ")[0]
    return [textwrap.dedent(b) for b in re.findall(r"(?:^    .*\n|^\n)+", section, re.M) if " = cp." in b]


def test_kernels():
    text, = blocks("Your own kernels")
    # source of functions is read from files
    import linecache
    linecache.cache["<README>"] = (len(text), None, text.splitlines(True), "<README>")
    found = {}
    exec(compile(text, "<README>", "exec"), found)
    x = np.arange(1000, dtype="f4")
    np.testing.assert_array_equal(found["out"].get(), 4 * x)
    np.testing.assert_allclose(found["d"].get(), x * np.sqrt(np.float32(5)), rtol=1e-6)
    np.testing.assert_allclose(float(found["total"]), np.sqrt((2 * x.astype("f8")) @ (2 * x)), rtol=1e-5)
    np.testing.assert_allclose(found["w"].get(), np.sin(x) + np.cos(x) / np.sqrt(x + 1), rtol=1e-5, atol=1e-6)


def test_matrices():
    text, = blocks("Matrices, transforms, random numbers")
    found = {"cp": cp}
    exec(text, found)
    a, u, s, vt, x = (found[name].get() for name in ("a", "u", "s", "vt", "x"))
    np.testing.assert_allclose(u * s[:, None] @ vt, a, atol=1e-12)
    np.testing.assert_allclose(a @ x, a.mT @ a, atol=1e-8)
    rng = np.random.Generator(np.random.Philox(42))
    found["rng"] = cp.random.default_rng(42)
    assert (found["rng"].random(5).get() == rng.random(5)).all()
    assert found["spectrum"].shape == (2 ** 19 + 1,) and found["spectrum"].dtype == "complex128"


def test_variables_are_known():
    """The table of environment variables and the sources name the same ones."""
    root = README.parent
    if not (root / "src").is_dir():
        return
    table = set(re.findall(r"`(CU(?:PRITE|PY)_[A-Z_]+)`", README.read_text()))
    names = set()
    for folder in ("src", "python", "cli"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".c", ".h", ".cu", ".cuh", ".py"):
                names |= set(re.findall(r'"(CU(?:PRITE|PY)_[A-Z_]+)"', path.read_text()))
    assert names <= table
    assert all(name.startswith("CUPY_") or name in names for name in table)
