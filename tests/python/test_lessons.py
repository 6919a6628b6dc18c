"""The lessons: notebooks, solutions and programs in C run as copied, and print what is said. Listing and copying."""
import json
import os
import re
import subprocess
import sys

import matplotlib
import pytest

import cuprite as cp
import pages
from cuprite import _lessons
from cuprite.io import png_read

LESSONS = pages.ROOT / "lessons"
NAMES = sorted(p.stem for p in (LESSONS / "text").glob("*.md"))


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """All lessons, as the command copies them."""
    folder = tmp_path_factory.mktemp("lessons")
    lesson("copy", "all", folder)
    return folder


def python(*given, cwd=None, **environment):
    environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(cp.__file__)), **environment}
    return subprocess.run([sys.executable, *map(str, given)], text=True, capture_output=True, timeout=120, cwd=cwd,
                          env=environment)


def lesson(*given, cwd=None):
    done = python("-m", "cuprite", "lesson", *given, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def succeeded(done):
    assert done.returncode == 0 and not done.stderr, done.stdout + done.stderr
    return done.stdout


def said(path, before, prefix):
    """What a program says at its end that it prints."""
    text = path.read_text()
    assert before in text, path
    return re.sub(rf"^{re.escape(prefix)} ?", "", text.partition(before)[2].removesuffix(" */\n"), flags=re.M)


def compare(expected, printed):
    assert expected.strip() and pages.matches(expected, printed), f"said:\n{expected}\nprinted:\n{printed}"


# --- they run ---
@pytest.mark.parametrize("name", NAMES)
def test_notebook(name, copied, device):
    printed = succeeded(python("-m", "cuprite", "--device", device, f"{name}.ipynb", cwd=copied))
    blocks = [b for b in pages.blocks(f"lessons/text/{name}.md") if b.language == "python"]
    compare("\n".join(b.expected.rstrip() for b in blocks if b.expected), printed)
    shown = re.findall(r'^show\(.*"(\w+\.png)"\)$', "".join(b.text for b in blocks), re.M)
    assert shown
    for file in shown:
        picture = png_read(copied / file)
        assert int(picture.max()) == 255 and int(picture.min()) == 0, file


@pytest.mark.parametrize("name", NAMES)
def test_solutions(name, copied, device):
    path = copied / "solutions" / f"{name}.py"
    printed = succeeded(python(path, cwd=copied, CUPRITE_DEVICE=device))
    compare(said(path, "# It prints:\n#\n", "#"), printed)


@pytest.mark.parametrize("name", NAMES)
def test_program_in_c(name, copied, device):
    path, program = copied / "c" / f"{name}.c", copied / "c" / name
    if not program.exists():
        pages.succeeded(["cc", *pages.STRICT, *pages.INCLUDES, path, *pages.LIBRARY, "-lm", "-o", program], copied)
    done = subprocess.run([program], text=True, capture_output=True, timeout=120, cwd=copied,
                          env=dict(os.environ, CUPRITE_DEVICE=device))
    compare(said(path, "/* It prints:\n *\n", " *"), succeeded(done))


# --- what they are ---
@pytest.mark.once
def test_each_lesson_is_whole():
    assert len(NAMES) >= 11
    assert [int(name[:2]) for name in NAMES] == list(range(1, len(NAMES) + 1))
    for name in NAMES:
        text = (LESSONS / "text" / f"{name}.md").read_text()
        assert text.startswith(f"# Lesson {int(name[:2])}: ")
        assert len(re.findall(r"^\* .*[;.]$", text.partition("You will learn")[2].partition("Time:")[0], re.M)) == 3
        exercises = re.findall(r"^(\d)\. ", text.partition("## Exercises")[2], re.M)
        assert exercises in (["1", "2"], ["1", "2", "3"])
        solved = (LESSONS / "solutions" / f"{name}.py").read_text()
        assert set(exercises) == set(re.findall(r"^# (\d)\.", solved, re.M)), name
        assert f"`solutions/{name}.py`" in text
    for folder, suffix in (("solutions", ".py"), ("c", ".c")):
        assert sorted(p.stem for p in (LESSONS / folder).glob(f"*{suffix}")) == NAMES


@pytest.mark.once
def test_notebooks_are_made_from_the_texts(tmp_path):
    done = python(pages.ROOT / "tools" / "make_lessons.py", "--check")
    assert (done.returncode, done.stdout) == (0, "")
    for name in NAMES:
        book = json.loads((LESSONS / f"{name}.ipynb").read_text())
        assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
        assert len({c["id"] for c in book["cells"]}) == len(book["cells"])
        code = [c for c in book["cells"] if c["cell_type"] == "code"]
        assert all(c["outputs"] == [] and c["execution_count"] is None for c in code)
        assert ["".join(c["source"]) for c in code] == \
            [b.text.strip("\n") for b in pages.blocks(f"lessons/text/{name}.md") if b.language == "python"]


@pytest.mark.once
def test_page_lists_them():
    """docs/lessons.md has a line for each, with its minutes and links that lead somewhere."""
    page = (pages.ROOT / "docs" / "lessons.md").read_text()
    for name, title, minutes in _lessons.lessons():
        row = next(line for line in page.splitlines() if f"../lessons/text/{name}.md" in line)
        assert f"[{title}]" in row and row.rstrip().endswith(f"| {minutes} |"), row
        assert all((pages.ROOT / "docs" / target).exists() for target in re.findall(r"\]\((\S+?)\)", row))


@pytest.mark.once
def test_picture_in_a_notebook(tmp_path, monkeypatch):
    """With matplotlib it is drawn, without it the file is shown."""
    matplotlib.use("Agg")
    from matplotlib import pyplot
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(LESSONS)
    import workshop
    picture = workshop.beside(cp.eye(8), 1 - cp.eye(8))
    assert picture.shape == (8, 18)
    drawn = []
    monkeypatch.setattr(pyplot, "show", lambda: drawn.append(pyplot.gca().images[0].get_array()))
    workshop.in_notebook(picture, "eye.png")
    assert (drawn[0] == picture.get()).all()
    workshop.show(cp.eye(3), "eye.png")
    assert png_read("eye.png").shape == (240, 240)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    files = []

    class Display:
        Image, display = staticmethod(lambda filename: filename), staticmethod(files.append)
    monkeypatch.setitem(sys.modules, "IPython", Display)
    monkeypatch.setitem(sys.modules, "IPython.display", Display)
    workshop.in_notebook(picture, "eye.png")
    assert files == ["eye.png"]


# --- the command ---
@pytest.mark.once
def test_installed(tmp_path):
    """What is installed for a wheel has all of them."""
    for component in ("wheel", "libraries"):
        subprocess.run(["cmake", "--install", pages.BUILD, "--prefix", tmp_path / "site", "--component", component],
                       check=True, capture_output=True)
    done = python("-c", "from cuprite import _lessons; print(len(_lessons.copy('all', 'here')), _lessons.folder())",
                  cwd=tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert succeeded(done) == f"{3 * len(NAMES) + 2} {tmp_path}/site/cuprite/lessons\n"


@pytest.mark.once
def test_list():
    lines = lesson().splitlines()
    assert [line[:2] for line in lines[:len(NAMES)]] == [name[:2] for name in NAMES]
    assert lines[2].split() == ["03", "kappa-sigma", "clipping", "15", "minutes"]


@pytest.mark.once
@pytest.mark.parametrize("word", ["03", "3", "clipping", "03_clipping"])
def test_copy_one(word, tmp_path):
    out = lesson("copy", word, "here", cwd=tmp_path)
    wanted = {"03_clipping.ipynb", "c/03_clipping.c", "solutions/03_clipping.py", "workshop.py", "c/workshop.h"}
    assert {str(p.relative_to(tmp_path / "here")) for p in (tmp_path / "here").rglob("*") if p.is_file()} == wanted
    assert set(out.split()) == {f"here/{name}" for name in wanted}
    for name in wanted:
        assert (tmp_path / "here" / name).read_bytes() == (LESSONS / name).read_bytes()


@pytest.mark.once
def test_copy_keeps_what_is_there(tmp_path):
    lesson("copy", "1", cwd=tmp_path)
    mine = tmp_path / "cuprite-lessons" / "01_convolution.ipynb"
    mine.write_text("my answers")
    assert lesson("copy", "1", cwd=tmp_path) == "cuprite-lessons has them already\n"
    assert "04_segmentation.ipynb" in lesson("copy", "all", cwd=tmp_path)
    assert mine.read_text() == "my answers"


@pytest.mark.once
@pytest.mark.parametrize("given,status,says", [
    (["copy", "99"], 1, "there is no lesson 99"), (["copy", ""], 1, "there is no lesson"),
    (["copy", "1", "/dev/null/x"], 1, "/dev/null"), (["copy"], 2, "usage:"), (["paste"], 2, "usage:"),
    (["copy", "1", "a", "b"], 2, "usage:")])
def test_wrong_usage(given, status, says, tmp_path):
    done = python("-m", "cuprite", "lesson", *given, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (status, "") and says in done.stderr and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.once
def test_command(tmp_path):
    """`cuprite lesson` runs the Python that it finds; a wheel's command is in its own Python."""
    (tmp_path / "python3").symlink_to(sys.executable)
    environment = {"PATH": str(tmp_path), "PYTHONPATH": os.path.dirname(os.path.dirname(cp.__file__))}
    command = pages.BUILD / "bin" / "cuprite"
    done = subprocess.run([command, "lesson", "copy", "nothing"], capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stdout) == (1, "") and "there is no lesson nothing" in done.stderr
    done = subprocess.run([command, "lesson"], capture_output=True, text=True, env={"PATH": str(tmp_path / "no")})
    assert (done.returncode, done.stderr) == (1, "cuprite: lesson: python3: No such file or directory\n")
    code = "import sys; sys.argv[1:] = ['lesson']; from cuprite._command import main; sys.exit(main())"
    assert succeeded(python("-c", code)) == lesson()
