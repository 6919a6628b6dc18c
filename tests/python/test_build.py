"""The build: what the generator tells the build tool about its outputs and inputs."""
import pathlib
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]


def generate(*arguments):
    subprocess.run([sys.executable, ROOT / "tools/generate", *arguments], check=True)


def files(folder):
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


def inputs(depfile):
    target, _, rest = depfile.read_text().partition(":")
    return target, set(rest.replace("\\\n", " ").split())


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    generate(folder, "--sources")
    return folder


def test_the_list_is_what_is_written(out, tmp_path):
    generate(tmp_path, "--list")
    assert set(files(tmp_path)) == {"sources.txt"}
    listed = (tmp_path / "sources.txt").read_text()
    assert listed == (out / "sources.txt").read_text()
    assert set(listed.split()) == set(files(out)) - {"sources.txt", "sources.d"}
    assert "src/elementwise/operations.c" in listed.split()


def test_inputs_are_what_was_read(out):
    target, read = inputs(out / "sources.d")
    assert target == str(out / "sources.txt")
    for name in ("tools/generate/folds.py", "python/src", "include/cuprite", "src"):
        assert str(ROOT / name) in read
    for pattern in ("*.def", "*.c", "*.cu"):  # each may hold rows
        assert {str(p) for p in (ROOT / "src").rglob(pattern)} <= read
    assert all(pathlib.Path(p).exists() for p in read)
    assert not [p for p in read if "/python/cuprite/" in p or "__pycache__" in p or str(out) in p]


def test_nothing_is_written_twice(out):
    before = files(out)
    (out / "src/elementwise/nobody.c").write_text("")
    generate(out, "--sources")
    after = files(out)
    assert {n: t for n, t in after.items() if n != "sources.d"} == {n: t for n, t in before.items() if n != "sources.d"}


def test_the_package_is_links(out, tmp_path):
    (tmp_path / "cuprite").mkdir()
    (tmp_path / "cuprite" / "gone.py").symlink_to(ROOT / "python/cuprite/gone.py")
    (tmp_path / "cuprite" / "_core.so").write_text("")
    generate(out, "--package", tmp_path)
    assert (tmp_path / "cuprite" / "linalg.py").resolve() == ROOT / "python/cuprite/linalg.py"
    assert (tmp_path / "cuprite" / "linalg.pyi").resolve() == out / "python/cuprite/linalg.pyi"
    assert (tmp_path / "cuprite" / "py.typed").exists()
    assert not (tmp_path / "cuprite" / "gone.py").is_symlink()
    assert (tmp_path / "cuprite" / "_core.so").is_file()
    read = inputs(out / "package.d")[1]
    assert {str(ROOT / "python/cuprite"), str(ROOT / "python/cuprite/linalg.py")} <= read
