"""Names that are not there: Python's own exceptions, which name the nearest one and the page with the coverage."""
import importlib.util
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

import cuprite as cp
from oracle import raises

pytestmark = pytest.mark.once
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

CASES = [
    ("cp.madian", AttributeError, "module 'cuprite' has no attribute 'madian': Cuprite has no such name; the nearest "
     "is cuprite.median (docs/coverage.md says what is there)"),
    ("cp.MEDIAN", AttributeError, "the nearest is cuprite.median "),
    ("cp.linalg.nrm", AttributeError, "the nearest is cuprite.linalg.norm "),
    ("cp.cuda.Strem", AttributeError, "the nearest is cuprite.cuda.Stream "),
    ("cp.cuda.runtime.deviceSynchronise", AttributeError, "the nearest is cuprite.cuda.runtime.deviceSynchronize "),
    ("cp.scipy.odr", AttributeError, "'cuprite.scipy' has no attribute 'odr': Cuprite has no such name (docs/"),
    ("from cuprite import madian", ImportError, "cannot import name 'madian' from 'cuprite': Cuprite has no such name; "
     "the nearest is cuprite.median (docs/coverage.md"),
    ("from cuprite.scipy.ndimage import sum_label", ImportError, "the nearest is cuprite.scipy.ndimage.sum_labels "),
    ("from cuprite.scipy.signal import convolve2D", ImportError, "the nearest is cuprite.scipy.signal.convolve2d "),
    ("from cuprite.scipy.special import hypot", ImportError, "the nearest is cuprite.hypot "),
    ("from cuprite.scipy import odr", ImportError, "cannot import name 'odr' from 'cuprite.scipy': Cuprite has "
     "no such name (docs/coverage.md"),
    ("import cuprite.scipy.odr.models", ModuleNotFoundError, "No module named 'cuprite.scipy.odr': Cuprite has "
     "no such module (docs/coverage.md"),
    ("import cuprite.scipy.linag", ModuleNotFoundError, "the nearest is cuprite.scipy.linalg "),
    ("from cuprite.numba import njti", ImportError, "the nearest is cuprite.numba.njit (docs/from-numba.md"),
    ("from cuprite.numba.cuda import sycnthreads", ImportError, "the nearest is cuprite.numba.cuda.syncthreads "),
    ("cp.__wrapped__", AttributeError, "module 'cuprite' has no attribute '__wrapped__'"),
]


@pytest.mark.parametrize("code, error, text", CASES, ids=[c[0] for c in CASES])
def test_what_is_said(code, error, text):
    with raises(error) as caught:
        exec(code, {"cp": cp})
    found = caught.value
    assert text in str(found), str(found)
    if issubclass(error, ImportError):
        assert found.name and found.name.startswith("cuprite")


def test_asking_is_answered():
    """hasattr, getattr with a default and find_spec get their answers."""
    assert not hasattr(cp, "madian") and getattr(cp.scipy.signal, "buttery", 7) == 7
    assert importlib.util.find_spec("cuprite.scipy.odr") is None
    assert importlib.util.find_spec("cuprite.scipy.signal") is not None


ALIAS = """
import cuprite
cuprite.install_as_cupy()
cuprite.install_as_numba()
for code in ("from cupy import madian", "import cupyx.scipy.odr", "from cupyx.scipy.ndimage import sum_label",
             "import cupy; cupy.madian", "import numba.pycc", "from numba.cuda import sycnthreads"):
    try:
        exec(code)
    except Exception as e:
        print(type(e).__name__, e)
import importlib.util
print(importlib.util.find_spec("cupy.core"), importlib.util.find_spec("cupyx.scipy.odr"))
"""


def test_names_that_programs_use():
    """A program that calls Cuprite cupy is told of cupy's names."""
    done = subprocess.run([sys.executable, "-c", ALIAS], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    no, page = "Cuprite has no such", "(docs/coverage.md says what is there)"
    assert done.stdout.splitlines() == [
        f"ImportError cannot import name 'madian' from 'cupy': {no} name; the nearest is cupy.median {page}",
        f"ModuleNotFoundError No module named 'cupyx.scipy.odr': {no} module {page}",
        f"ImportError cannot import name 'sum_label' from 'cupyx.scipy.ndimage': {no} name; the nearest is "
        f"cupyx.scipy.ndimage.sum_labels {page}",
        f"AttributeError module 'cupy' has no attribute 'madian': {no} name; the nearest is cupy.median {page}",
        f"ModuleNotFoundError No module named 'numba.pycc': {no} module (docs/from-numba.md says what is there)",
        f"ImportError cannot import name 'sycnthreads' from 'numba.cuda': {no} name; the nearest is "
        "numba.cuda.syncthreads (docs/from-numba.md says what is there)",
        "None None",
    ]


def test_the_page_of_coverage():
    """What it calls missing is missing, and its sums are right. What is only there to be imported raises."""
    tool = ROOT / "tools/make_coverage.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    page, _, placeholders = (ROOT / "docs/coverage.md").read_text().partition("## There to be imported")
    counts, _, _ = page.partition("## Different")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in counts.splitlines() if line[:3] == "| `"]
    there, of = (sum(int(r[k]) for r in rows) for k in (1, 2))
    assert f"\n{there} of {of} names are there.\n" in page
    for space, names in re.findall(r"^\| `cupy([\w.]*)` \| ([\w ]+) \|", placeholders, re.M):
        for name in names.split():
            call = getattr(importlib.import_module("cuprite" + space), name)
            arguments = [None] * (name == "set_cufft_gpus")
            with pytest.raises(NotImplementedError):
                call(*arguments)
    assert "XtPlanNd" in placeholders
    for name, have, listed, missing in rows:
        assert int(missing or 0) == int(listed) - int(have), name


def test_a_stale_page_of_coverage():
    """The tool's word names what has arrived or was lost, and how to write the page again."""
    tool = runpy.run_path(str(ROOT / "tools/make_coverage.py"))
    spaces = tool["listed"]()
    assert {"median", "ndarray", "ndarray.sum"} <= set(spaces["cupy"]) and "norm" in spaces["cupy.linalg"]
    spaces = {"cupy": ["median", "ndarray.sum", "no_such"], "cupyx.none": ["at_all"]}
    page = tool["page"](spaces, [("cupy", "no_*", "planned"), ("cupyx.none", "*", "needs more")], [])
    assert tool["missing"](page) == {"cupy.no_such", "cupyx.none"}
    assert "| `cupy` | 2 | 3 | 1 |\n| `cupyx.none` | 0 | 1 | 1 |\n" in page
    assert "| `cupy` | no_such | planned |\n| `cupyx.none` | all | needs more |\n" in page
    assert tool["difference"](page.replace("no_such", "no_such median"), page) == "calls cupy.median missing"
    assert tool["difference"](page.replace("| all |", "|  |"), page) == "does not miss cupyx.none"
    assert "cupy_names.txt" in tool["difference"](page.replace("2 of 4", "3 of 4"), page)


def test_reasons_and_differences_are_complete():
    """A name that is missing has one reason, a reason has a name, and what is different is a line of a page."""
    tool = runpy.run_path(str(ROOT / "tools/make_coverage.py"))
    spaces = {"cupy": ["median", "no_such", "none_such"]}
    why = [("cupy", "no_such none_such", "planned")]
    for absences, different, said in (
            ([("cupy", "no_such", "planned")], [], "no reason for cupy.none_such"),
            ([*why, ("cupy", "no_*", "planned")], [], "nothing is missing of cupy: no_*"),
            ([*why, ("cupy", "median", "planned")], [], "nothing is missing of cupy: median"),
            (why, [("cupy", "median mean", "from-cupy.md", "Of several values")], "cupy lacks some of median mean"),
            (why, [("cupy", "median", "from-cupy.md", "Of no values")], "docs/from-cupy.md has 0 lines that begin")):
        with pytest.raises(SystemExit) as caught:
            tool["page"](spaces, absences, different)
        assert said in str(caught.value)
    page = tool["page"](spaces, why, [("cupy", "median", "from-cupy.md", "Of several values for one")])
    assert "| `cupy.median` | Of several values for one element the last one stays | [From CuPy](from-cupy.md#arrays)" \
        in page
    assert all(reason.strip() for *_, reason in tool["ABSENT"])
    assert all(set(patterns.split()) != {"*"} for place, patterns, _ in tool["ABSENT"]
               if place in ("cupyx.scipy.ndimage", "cupyx.scipy.signal", "cupyx.scipy.special"))
