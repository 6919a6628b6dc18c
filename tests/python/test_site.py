"""The site's pages: every public name has a page, and every page is in the table of contents."""
import os
import pathlib
import re
import subprocess
import sys

import pytest

import cuprite as cp

pytestmark = pytest.mark.once
ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "tools" / "make_site.py", "--pages", folder], check=True,
                   env={**os.environ, "PYTHONPATH": str(pathlib.Path(cp.__file__).parents[1])})
    return folder


def headings(site, page):
    text = (site / "site-pages" / page).read_text()
    return [h.replace("\\", "") for h in re.findall(r"^#+ (.*)$", text, re.M)]


def test_every_page_is_listed(site):
    listed = set(re.findall(r": (\S+\.md)$", (site / "mkdocs.yml").read_text(), re.M))
    pages = {str(p.relative_to(site / "site-pages")) for p in (site / "site-pages").rglob("*.md")}
    assert listed == pages
    assert {"index.md", "from-numpy.md", "guide/arrays.md", "c/array.md", "python-api/linalg.md"} <= pages


def test_links_lead_to_pages(site):
    pages = site / "site-pages"
    for page in [*pages.glob("*.md"), *pages.glob("guide/*.md")]:
        text = re.sub(r"^```.*?^```$|`[^`]*`", "", page.read_text(), flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s#]+)", text):
            assert re.match(r"\w+:", target) or (page.parent / target).is_file(), f"{page.name}: {target}"
    assert "](images/sky.png)" in (pages / "index.md").read_text()


def test_every_name_has_a_place(site):
    chapters = {}
    for path in sorted((site / "site-pages" / "python-api").glob("*.md")):
        chapters[path.name] = headings(site, f"python-api/{path.name}")
    top = [h for page in chapters.values() for h in page]
    names = [n for n in dir(cp) if not n.startswith("_") and callable(getattr(cp, n)) and (
        isinstance(getattr(cp, n), cp.ufunc) or str(getattr(getattr(cp, n), "__module__", "")).startswith("cuprite"))]
    assert len(names) > 380
    assert not [n for n in names if n not in top]
    assert "ndarray.sort" in chapters["ndarray.md"] and "Generator.normal" in chapters["random.md"]
    assert "svd" in chapters["linalg.md"] and "median" in chapters["sums-means-and-statistics.md"]
    # few names stand in no chapter by their module
    assert len(chapters["devices-and-the-rest.md"]) < 20


def test_docstrings_become_lists(site):
    text = (site / "site-pages" / "python-api" / "sums-means-and-statistics.md").read_text()
    entry = text.split("\n## median\n")[1].split("\n## ")[0]
    assert "\n```python\nmedian(a, axis=None, out=None, overwrite_input=False, keepdims=False)\n```\n" in entry
    assert "\n```pycon\n>>> cp.median(cp.asarray(" in entry and entry.rstrip().endswith("```")
    assert "\n* `axis`: an axis" in entry and "**Errors** TypeError" in entry
