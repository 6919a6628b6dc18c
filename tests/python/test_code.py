"""What tools/check_code.py refuses, and what it lets pass."""
import pathlib
import sys

import pytest

pytestmark = pytest.mark.once

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import check_code  # noqa: E402


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """Gives a function that writes a checkout's files, and knows no exceptions."""
    monkeypatch.setattr(check_code, "ROOT", tmp_path)
    monkeypatch.setattr(check_code, "TWICE", {})
    monkeypatch.setattr(check_code, "LONG_MACROS", {})

    def write(**texts):
        for name, text in texts.items():
            stem, _, suffix = name.rpartition("_")
            path = tmp_path / "src/array" / stem / f"{stem}.{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return write


BOTH = ["typedef struct cpi_pane {\n    int a;\n} cpi_pane;\n", "struct cpi_pane {\n    int b;\n};\n",
        "typedef enum cpi_pane { A, B } cpi_pane;\n", "typedef enum { C } cpi_pane;\n", "typedef int cpi_pane;\n",
        "typedef void (*cpi_pane)(int n);\n", "typedef struct { int n; } cpi_pane;\n", "union cpi_pane { int n; };\n",
        "static inline int cpi_pane(int n) { return n; }\n",
        "static inline int\ncpi_pane(int n)\n{\n    return n;\n}\n"]


@pytest.mark.parametrize("text", BOTH)
def test_names_twice(tree, text):
    tree(one_h=BOTH[0], two_h=text)
    assert list(check_code.names()) == ["cpi_pane is defined in src/array/one/one.h and src/array/two/two.h"]


@pytest.mark.parametrize("one, two", [
    ("cp_code cpi_open(int n)\n{\n    return n;\n}\n", "cp_code cpi_open(int n, int m)\n{\n    return m;\n}\n"),
    ("static inline int is(int n) { return n; }\n", "static inline bool is(int n)\n{\n    return n;\n}\n")])
def test_functions_twice(tree, one, two):
    tree(one_h=one, two_h=two)
    assert len(list(check_code.names())) == 1


@pytest.mark.parametrize("one, two", [
    (BOTH[0], "typedef struct cpi_pane cpi_pane;\nstruct cpi_pane *made(void);\nint f(const struct cpi_pane *p);\n"),
    (BOTH[0], "/* typedef int cpi_pane; */\n#define P typedef int cpi_pane;\n"),
    (BOTH[0], "static void use(void)\n{\n    struct cpi_pane p = {1};\n    if (cpi_pane(p)) {\n    }\n}\n"),
    ("namespace a {\nstruct pair { int n; };\n}\n", "namespace b {\nstruct pair { int n; };\n}\n")])
def test_names_once(tree, one, two):
    tree(one_h=one, two_h=two)
    assert list(check_code.names()) == []


def test_what_one_source_knows(tree):
    text = "typedef struct job { int n; } job;\nstatic int run(job *j)\n{\n    return j->n;\n}\n"
    tree(one_c=text, two_c=text)
    assert list(check_code.names()) == []


def test_exceptions_that_are_none_any_more(tree, monkeypatch):
    tree(one_h=BOTH[0])
    monkeypatch.setattr(check_code, "TWICE", {"cpi_pane": "why"})
    monkeypatch.setattr(check_code, "LONG_MACROS", {"one.h LONG": "why"})
    assert list(check_code.names()) == ["cpi_pane is defined once: take it from TWICE"]
    assert list(check_code.macros()) == ["one.h LONG is no long macro any more: take it from LONG_MACROS"]


def test_long_macros(tree, monkeypatch):
    tree(one_h="# define LONG(x) \\\n" + "    a \\\n" * 19 + "    b\n"
         "#define SHORT \\\n" + "    a \\\n" * 18 + "    b\n")
    assert [text.split(";")[0] for text in check_code.macros()] == ["one.h LONG: the macro has more than 20 lines"]
    monkeypatch.setattr(check_code, "LONG_MACROS", {"one.h LONG": "why"})
    assert list(check_code.macros()) == []


def test_long_files(tree):
    tree(one_c="int a;\n" * 800, two_c="int a;\n" * 801)
    assert list(check_code.lengths()) == ["src/array/two/two.c: 801 lines; 800 are the most"]


def test_long_functions(tree):
    lines = "    n++; /* } */ s = \"}\";\n"
    tree(one_c="static int f(int n)\n{\n" + lines * 57 + "}\n\n"
         "int g(int n)\n{\n    if (n) {\n" + lines * 58 + "    }\n}\n")
    assert check_code.functions() == [(63, "src/array/one/one.c", 62, "g")]


def test_this_checkout():
    assert [*check_code.names(), *check_code.macros(), *check_code.lengths()] == []
