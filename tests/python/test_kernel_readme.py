"""The pages of src/compiler/kernel: their kernels get the tier that is claimed and become the C++ that is shown, and
the files they name exist."""
import re
import subprocess
import sys

import pytest

import cuprite as cp
import pages

FOLDER = pages.ROOT / "src/compiler/kernel"
PAGES = sorted(p.name for p in FOLDER.glob("*.md"))
TOKEN = re.compile(r"\.\.\.|\w+|\S")
pytestmark = pytest.mark.once


def tokens(text):
    text = re.sub(r"(?m)^#.*$", "", text)
    return TOKEN.findall(re.sub(r"//.*", "", text))


def shown(part, whole):
    """Whether the tokens of the part stand in the whole side by side; each `...` stands for any tokens."""
    at = 0
    for words in re.split(r"\.\.\.", " ".join(tokens(part))):
        words = words.split()
        found = next((i for i in range(at, len(whole) - len(words) + 1) if whole[i:i + len(words)] == words), None)
        if found is None:
            return False
        at = found + len(words)
    return True


def written(text, name, folder, monkeypatch):
    """The tier of the kernel and the C++ that the engine writes."""
    for variable in ("CUPRITE_CHECK", "CUPRITE_KERNEL_TIER", "CUPRITE_KERNEL_LOCKSTEP"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CUPRITE_KERNEL_TEXT", str(folder / "kernel.cpp"))
    return cp.RawKernel(text, name).kernel.tier, (folder / "kernel.cpp").read_text()


def examples():
    """(kernel's name, source, what it becomes): each block of CUDA with the C++ behind it."""
    for page in PAGES:
        blocks = re.findall(r"^```(\w\S*)\n(.*?)^```", (FOLDER / page).read_text(), re.M | re.S)
        for (language, source), (behind, becomes) in zip(blocks, blocks[1:]):
            if language == "cuda":
                assert behind == "c++", source
                yield re.search(r"__global__ void (\w+)", source)[1], source, becomes


@pytest.mark.parametrize("name, source, becomes", list(examples()), ids=lambda v: v if len(v) < 20 else "")
def test_examples(name, source, becomes, tmp_path, monkeypatch):
    tier, text = written(source, name, tmp_path, monkeypatch)
    assert f"// {tier}\n" == becomes[:becomes.index("\n") + 1]
    assert shown(becomes, tokens(text)), f"{becomes}\nis not in\n{text}"


def test_each_tier_has_an_example():
    assert {becomes.split()[1] for *_, becomes in examples()} == {"loop", "regions", "fibers"}


def test_shown_finds_what_differs():
    assert shown("a ... c(d) ;", tokens("x a(b, c(d);")) and not shown("a ... c(e)", tokens("x a(b, c(d);"))
    assert not shown("a b", tokens("a, b")) and not shown("c ... a", tokens("a b c"))


def test_code_of_headers():
    """What is shown of a header stands in it."""
    found = re.findall(r"^```c\+\+\n// (device/\S+)\n(.*?)^```", (FOLDER / "README.md").read_text(), re.M | re.S)
    assert found
    for name, part in found:
        text = re.sub(r"/\*.*?\*/", "", (FOLDER / name).read_text(), flags=re.S)
        assert shown(part, tokens(text)), part


def statements():
    rows = re.findall(r"^\| `(.*)` \| (loop|regions|fibers) \|", (FOLDER / "README.md").read_text(), re.M)
    assert len(rows) >= 9
    return rows


def test_table_of_tiers():
    """The statements of the table, each in a kernel of one text."""
    kernels = [f'extern "C" __global__ void k{i}(int *x, int n) {{ int t = threadIdx.x, v = x[t]; {code} x[t] = v; }}'
               for i, (code, _) in enumerate(statements())]
    m = cp.RawModule(code="\n".join(kernels))
    for i, (code, tier) in enumerate(statements()):
        assert m.get_function(f"k{i}").kernel.tier == tier, code


def test_three_pages():
    """Two pictures and some 75 lines a page."""
    assert (FOLDER / "README.md").read_text().count("\n") <= 240


@pytest.mark.parametrize("page", PAGES)
def test_files_are_there(page):
    text = (FOLDER / page).read_text()
    names = set(re.findall(r"\b[a-z_0-9]+\.(?:c|h|cu|inc)\b", re.sub(r"<[^>\n]*>|```.*?```", "", text, flags=re.S)))
    names -= {"kernel.cu"}
    known = {p.name for folder in ("src", "include") for p in (pages.ROOT / folder).rglob("*.*")}
    assert names and not names - known


def test_every_file_is_named():
    """So that whoever looks for one finds what it does."""
    text = "".join((FOLDER / page).read_text() for page in PAGES)
    files = [p.name for pattern in ("*.c", "*.cu") for p in FOLDER.glob(pattern)]
    assert not [name for name in files if not re.search(rf"\b{name}\b", text)]


def test_pictures_are_up_to_date():
    done = subprocess.run([sys.executable, pages.ROOT / "tools/make_kernel_diagrams.py", "--check"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
