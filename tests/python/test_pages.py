"""README.md and the pages of docs: their code runs and prints what the page says; links lead somewhere."""
import concurrent.futures
import os
import re

import pytest

import pages
from cuprite import _device
from cuprite.io import png_read

MADE = {"docs/api.md", "docs/python-reference.md", "docs/coverage.md"}  # of headers, rows and names
#: whose lines test_from_numpy.py runs
LINES = {"docs/from-numpy.md", "docs/from-cupy.md", "docs/from-numba.md"}
WRITTEN = sorted({"README.md", *(str(p.relative_to(pages.ROOT)) for p in (pages.ROOT / "docs").rglob("*.md"))} - MADE)
RUN = [page for page in WRITTEN if any(b.language != "text" for b in pages.blocks(page))]
#: these say what is on the CPU
ON_CPU = {"README.md", "docs/quickstart.md", "docs/guide/devices.md", "docs/c-tutorial.md", "docs/from-cupy.md",
          "docs/guide/performance.md", "docs/cli.md", "docs/install.md", "docs/profiling.md"}


def device_of_a_new_thread():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(_device.current).result()


@pytest.mark.parametrize("page", sorted(set(RUN) - ON_CPU))
def test_code(page, tmp_path, device):
    if page == "docs/dask.md":
        pytest.importorskip("dask", reason="dask is not installed")
        if device_of_a_new_thread() != _device.parse(device):
            pytest.skip("in Dask's threads the current device is the process's first, not the one under test")
    assert not (wrong := pages.check(page, tmp_path)), "\n".join(wrong)


@pytest.mark.once
@pytest.mark.parametrize("page", sorted(set(RUN) & ON_CPU))
def test_code_on_the_cpu(page, tmp_path):
    assert not (wrong := pages.check(page, tmp_path)), "\n".join(wrong)


@pytest.mark.once
def test_the_picture_is_the_commands(tmp_path):
    for line in ("sky sky.fits --size 440 --sources 40 --seed 1", "sources sky.fits --plot sky.png"):
        pages.succeeded([pages.BUILD / "bin" / "cuprite", *line.split()], tmp_path)
    kept = pages.ROOT / "docs/images/sky.png"
    assert (png_read(tmp_path / "sky.png") == png_read(kept)).all()
    assert kept.stat().st_size < 150_000


@pytest.mark.once
@pytest.mark.parametrize("page", WRITTEN)
def test_code_has_a_language(page):
    assert {b.language for b in pages.blocks(page)} <= pages.LANGUAGES
    if page not in LINES:
        assert not pages.indented(page)


@pytest.mark.once
def test_rows_of_tables_fit():
    """As GitHub reads them: a pipe ends a cell, in code too, unless a backslash stands before it."""
    tables = 0
    for path in sorted({*pages.ROOT.glob("*.md"), *(p for folder in ("docs", "src", "bench", "lessons", "examples")
                                                    for p in (pages.ROOT / folder).rglob("*.md"))}):
        columns = None
        for line in pages.FENCE.sub(lambda m: "\n" * m[0].count("\n"), path.read_text()).split("\n"):
            cells = len(re.split(r"(?<!\\)\|", line)) if line.startswith("|") else None
            tables += columns is None and cells is not None
            assert not cells or columns in (None, cells), f"{path.name}: {line}"
            columns = cells
    assert tables > 60


def anchors(path):
    text = pages.FENCE.sub("", path.read_text())
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", h.replace("`", "")).strip().lower())
            for h in re.findall(r"^#+ (.*)$", text, re.M)}


@pytest.mark.once
@pytest.mark.parametrize("page", [*WRITTEN, "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md",
                                  *sorted(str(p.relative_to(pages.ROOT)) for p in (pages.ROOT / "src").rglob("*.md"))])
def test_links(page):
    path = pages.ROOT / page
    for target in re.findall(r"\]\(([^)\s]+)\)", pages.FENCE.sub("", path.read_text())):
        if re.match(r"\w+:", target):
            continue
        name, _, anchor = target.partition("#")
        found = path if not name else path.parent / name
        assert found.exists(), f"{page}: {target}"
        assert not anchor or found.suffix != ".md" or anchor in anchors(found), f"{page}: {target}"
    assert os.path.exists(path)
