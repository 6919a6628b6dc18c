"""The pages that are made from headers and tables: they are up to date, and what is missing is named."""
import pathlib
import runpy
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/make_api.py"


@pytest.fixture(scope="module")
def tool():
    return runpy.run_path(str(TOOL))


@pytest.mark.checked
def test_pages_are_up_to_date():
    done = subprocess.run([sys.executable, TOOL, "--check"], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_module_has_a_page_that_is_linked(tool):
    text = (ROOT / "docs/architecture.md").read_text()
    assert list(tool["unlinked"](text)) == []
    assert list(tool["unlinked"](text.replace("](../src/array/loop/README.md)", ""))) == [
        'docs/architecture.md, "Where to read on", does not link to src/array/loop/README.md']
    assert len(list(tool["unlinked"](""))) == len(tool["modules"]())


def test_headers_say_where_functions_are_in_python(tool):
    page = tool["page"]()
    parts = {part.partition(".h\n")[0]: part for part in page.split("\n## ")}
    assert "`cp_correlate2d`, `cp_trigonometric_sums` are in `cuprite.scipy.signal`." in parts["signal"]
    assert "The functions are in `cuprite.scipy.ndimage`." in parts["ndimage"]
    assert "are in `cuprite.scipy" not in parts["sort"]
