"""The manual pages: each describes its own function."""
import collections
import os
import pathlib
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build"))
#: whose declarations share one comment that says all
SHARED = {"NULL is fine", "a view", "of before 1.0", "x itself", "number of the device"}
PAIRS = {"cp_arange_int", "cp_from_dlpack_old", "cp_to_dlpack_old", "cp_deg2rad", "cp_rad2deg", "cp_sort_inplace",
         "cp_partition_inplace", "cp_kernel_compile"}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("man")
    subprocess.run([sys.executable, ROOT / "tools/make_man.py", folder], check=True, capture_output=True,
                   env={**os.environ, "BUILD": str(BUILD)})
    return folder


def test_each_page_describes_its_own_function(pages):
    """Not one that stands in front of it in the header."""
    about = collections.defaultdict(set)
    for path in (pages / "man3").glob("cp_*.3"):
        text = path.read_text()
        assert path.stem in re.search(r"\.SH NAME\n(.*)", text)[1]
        about[re.search(r"\\- (.*)", text)[1]].add(path.stem)
    unsaid = set().union(*(names for text, names in about.items() if text.startswith("see cuprite/")))
    assert unsaid <= PAIRS, sorted(unsaid - PAIRS)
    shared = {text: names for text, names in about.items()
              if len(names) > 1 and not text.startswith("see ") and text not in SHARED}
    assert not shared


def test_the_command_has_a_page(pages):
    text = (pages / "man1/cuprite.1").read_text()
    for option in ("plane", "catalog", "kappa", "seed"):
        assert option in text
    assert "\ncuprite sky sky.fits \\-\\-size 440" in text and "```" not in text


def test_pipes_of_tables(pages):
    """A pipe that Markdown needs a backslash for is a pipe alone."""
    texts = [p.read_text() for p in pages.rglob("*.[13]")]
    assert any("|a|" in t for t in texts) and not any("\\e|" in t for t in texts)
