"""The site as HTML, by tools/check_site: its files always, and in Chromium where one is installed. Each thing that it
checks is broken in a copy, which it must refuse."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import warnings

import pytest

import cuprite as cp

pytestmark = pytest.mark.once
ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import devtools  # noqa: E402


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    path = os.pathsep.join([str(pathlib.Path(cp.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, ROOT / "tools/make_site.py", folder], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path})
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def check(site, *options):
    done = subprocess.run([sys.executable, ROOT / "tools/check_site", *options, site], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_files(site):
    status, said = check(site, "--files")
    assert status == 0, said


def test_in_a_browser(site, tmp_path):
    """Searches, colours, a phone's width, nothing fetched; it takes screenshots."""
    if not devtools.program():
        warnings.warn("no Chromium: the site's pages were checked, but in no browser (tools/check_site --install)")
        pytest.skip("no Chromium: tools/check_site --install gets one")
    status, said = check(site, "--pictures", str(tmp_path))
    assert status == 0, said
    assert {"start.png", "search.png", "phone.png"} <= {p.name for p in tmp_path.iterdir()}


#: what is done to a copy of the site: file (None: every page), text that is replaced, by what, what is said then
BROKEN = {
    "link": ("quickstart.html", 'href="lessons.html"', 'href="nowhere.html"', "nowhere.html, which is not there"),
    "anchor": ("from-cupy.html", "#what-cudas-names-mean-on-the-cpu", "#nowhere", "whose anchor is not there"),
    "script": ("index.html", 'src="search.js"', 'src="https://example.org/search.js"', "loads https://example.org/s"),
    "font": ("site.css", r"/\* search:", "@import url(//example.org/x); /* search:", "loads //example.org/x"),
    "search": ("search_index.js", "linalg.html#svd", "linalg.html#svd-elsewhere", "search: svd is said to be at"),
    "colours": ("site.css", r"\.codehilite \.kn ", ".codehilite .none ", "no colour for the class kn"),
    "phone": ("cli.html", 'name="viewport"', 'name="other"', "cli.html: no viewport"),
    "table": ("cli.html", "<td>number of pixels</td>", "<td>number</td><td>pixels</td>", "a row of 3 cells"),
    "island": (None, r'href="(\.\./)*glossary.html', 'href="index.html', "glossary.html: no way leads there"),
}


@pytest.fixture(scope="module")
def said_of_broken(site, tmp_path_factory):
    copy = tmp_path_factory.mktemp("broken") / "site"
    shutil.copytree(site, copy)
    for file, old, new, _ in BROKEN.values():
        changed = 0
        for path in [copy / file] if file else copy.rglob("*.html"):
            text = path.read_text()
            changed += bool(re.search(old, text))
            path.write_text(re.sub(old, new, text))
        assert changed, f"the site has no {old} any more"
    return check(copy, "--files")


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_site_is_refused(said_of_broken, name):
    status, said = said_of_broken
    assert status == 1 and BROKEN[name][3] in said, said


@pytest.mark.skipif(not devtools.program(), reason="no Chromium: tools/check_site --install gets one")
def test_the_browser_sees_what_is_wrong(site, tmp_path):
    """A script's error, a page that is too wide, a search that finds nothing, an address that is fetched."""
    copy = tmp_path / "site"
    shutil.copytree(site, copy)
    kept = {"index", "quickstart", "arrays", "linalg", "array", "c-tutorial", "glossary", "lessons", "coverage", "sort",
            "sums-means-and-statistics", "cli", "from-numpy", "environment"}
    for page in copy.rglob("*.html"):  # each that is opened takes a third of a second
        if page.stem not in kept:
            page.unlink()
    page = copy / "glossary.html"
    page.write_text(page.read_text().replace("</h1>", '</h1><div style="width: 700px">wide</div>', 1))
    page = copy / "lessons.html"
    script = "<script>fetch('http://127.0.0.1:9/x'); nothing.there();</script>"
    page.write_text(page.read_text().replace("</body>", script))
    script = copy / "search.js"
    script.write_text(script.read_text().replace("title === words", "title !== words"))
    status, said = check(copy)
    assert status == 1
    for words in ("glossary.html: wider than a phone", "loads http://127.0.0.1:9/x", "nothing is not defined",
                  "a search for svd finds"):
        assert words in said, said


def test_every_c_function_is_found(site):
    """The search has all functions of the headers, by their names."""
    import headers
    text = (site / "search_index.js").read_text()
    entries = {title: address for title, address, _ in json.loads(text[text.index("["):text.rindex("]") + 1])}
    build = os.environ.get("CUPRITE_BUILD", str(ROOT / "build"))
    public = [n for n in headers.functions(build) if not n.startswith("cp_test_")]  # those are for our tests
    assert len(public) > 450
    missing = sorted(n for n in public if not entries.get(n, "").endswith(f".html#{n}"))
    assert not missing, missing
