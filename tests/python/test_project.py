"""What a project has besides its code: one version, a changelog, hooks that run, templates."""
import re
import subprocess
import sys

import pytest

import cuprite as cp
from pages import ROOT

pytestmark = pytest.mark.once


def test_one_version():
    cmake = re.search(r"project\(cuprite VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    package = re.search(r'^version = "([\d.]+)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    cited = re.search(r"^version: ([\d.]+)$", (ROOT / "CITATION.cff").read_text(), re.M)[1]
    assert cmake == package == cited == cp.__version__
    assert re.search(rf"^## {re.escape(cmake)} \(\d{{4}}-\d\d-\d\d\)$|^## Unreleased$",
                     (ROOT / "CHANGELOG.md").read_text(), re.M)


def test_each_module_describes_its_algorithms():
    folders = [p for p in (ROOT / "src").glob("*/*") if p.is_dir() and p.parent.name not in ("io", "late")]
    assert len(folders) > 25
    for folder in [*folders, ROOT / "src/io", ROOT / "src/late", ROOT / "python"]:
        assert len((folder / "README.md").read_text().split()) > 40, folder


def test_hooks_exist():
    """The tree's own are files, and need no network."""
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"- repo: (.*)", text) == ["local"]
    entries = re.findall(r"entry: (.*)", text)
    assert len(entries) == 5
    for entry in entries:
        for word in entry.split():
            assert "/" not in word or (ROOT / word).is_file(), entry


@pytest.mark.checked
@pytest.mark.parametrize("tool", ["results", "make_speed", "make_diagram"])
def test_made_pages_are_up_to_date(tool):
    """docs/api.md: test_module_pages.py; docs/coverage.md: test_missing.py."""
    done = subprocess.run([sys.executable, ROOT / f"tools/{tool}.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("tool", ["make_speed", "make_diagram"])
def test_tools_find_stale_pages(tool, tmp_path):
    """A figure or a module that was changed is refused."""
    pages = {"make_speed": ["README.md", "docs/guide/performance.md"], "make_diagram": ["docs/images/layers.svg"]}[tool]
    code = ("import importlib, pathlib, sys; sys.path[:0] = [{tools!r}]; m = importlib.import_module({tool!r}); "
            "m.PAGES = [{page!r}]; sys.argv = ['x', '--check']; m.main()")

    def check(page):
        return subprocess.run([sys.executable, "-c", code.format(tools=str(ROOT / "tools"), tool=tool, page=str(page))],
                              capture_output=True, text=True)
    for page in pages:
        copy = tmp_path / "page"
        text = (ROOT / page).read_text()
        copy.write_text(text)
        assert check(copy).returncode == 0
        changed = re.sub(r"\b(\d\.\d+) \|" if tool == "make_speed" else ">reduce<", "9.99 |", text, count=1)
        assert changed != text
        copy.write_text(changed)
        assert check(copy).returncode == 1
