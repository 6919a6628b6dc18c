"""Every public C function has a manual page, which the formatter reads without a warning."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = os.environ.get("CUPRITE_BUILD", str(ROOT / "build"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("man")
    subprocess.run([sys.executable, ROOT / "tools/make_man.py", folder], check=True, env={**os.environ, "BUILD": BUILD},
                   capture_output=True)
    return folder / "man3"


def test_every_function_has_a_page(pages):
    sys.path.insert(0, str(ROOT / "tools"))
    import headers
    names = set(headers.functions(BUILD))
    assert len(names) > 140 and {"cp_median", "cp_sum_labels", "cp_fits_read"} <= names
    assert names <= {p.stem for p in pages.glob("*.3")}


def test_a_page(pages):
    text = (pages / "cp_median.3").read_text()
    for words in ("#include <cuprite/sort.h>", "const cp_median_options *options", "bool keepdims;", "Median over axes",
                  "cuprite.median(a, axis=None"):
        assert words in text


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is missing")
def test_no_warnings(pages):
    run = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", *sorted(pages.glob("*.3"))], capture_output=True,
                         text=True)
    assert run.returncode == 0 and not run.stderr, run.stderr
