"""docs/from-numpy.md, from-cupy.md and from-numba.md: each line of code gives what the page says, an exception of
exactly that name or a value of that representation. (Fenced blocks are test_pages.py's.)"""
import pathlib
import re
import warnings

import numpy as np
import pytest
import scipy.special

import cuprite as cp

DOCS = pathlib.Path(__file__).parents[2] / "docs"
TEXT = "".join(re.sub(r"^```.*?^```$", "", (DOCS / f"from-{name}.md").read_text(), flags=re.M | re.S)
               for name in ("numpy", "cupy", "numba"))
LINES = re.findall(r"^    (\S.*?)\s+# (.*)$", TEXT, re.M)


class Sub(cp.ndarray):
    pass


def warned(f):
    """Names of the warnings of a call, each once."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        f()
    return sorted({w.category.__name__ for w in seen})


def put(x, key, value):
    """The elements after x[key] = value."""
    x[key] = value
    return x.tolist()


def test_lines_are_read():
    code = [line for line in TEXT.split("\n") if line.startswith("    ")]
    assert len(LINES) == len(code) > 90
    assert sum(said.endswith("Error") for _, said in LINES) > 30


@pytest.mark.parametrize("code, said", LINES, ids=[code for code, _ in LINES])
def test_line(code, said):
    scope = {"cp": cp, "np": np, "scipy": scipy, "warned": warned, "put": put, "Sub": Sub}
    if re.fullmatch(r"\w+Error", said):
        with pytest.raises(Exception) as caught:
            eval(code, scope)
        assert type(caught.value).__name__ == said, caught.value
    else:
        assert repr(eval(code, scope)) == said
