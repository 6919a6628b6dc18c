"""Reductions, operations and modules: what their tables refuse, with file and line, before anything is compiled."""
import pathlib
import sys

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools" / "generate")]
import element_types  # noqa: E402
import elementwise  # noqa: E402
import reduce  # noqa: E402
import reductions  # noqa: E402
import module_folders  # noqa: E402
import modules  # noqa: E402
from table import TableError, Tables, read  # noqa: E402

FOLD = dict(accumulator="number", identity="minus_zero", map="x", combine="add(a, b)")
REDUCTION = dict(reducer="f", result="wide", identity=True, ufunc="add", finalize="a", doc="")


def row(kind, name, columns):
    return f"{kind}({name!r}, " + ", ".join(f"{k}={v!r}" for k, v in columns.items()) + ")\n"


def check(reducer, **reduction):
    """What the generator does with a reducer and a reduction of it; `reducer` stands in the first line, the reduction
    in the second."""
    reducers, reductions = ([r] for r in read(row("reducer", "f", {**FOLD, **reducer})
                                              + row("reduction", "r", {**REDUCTION, **reduction}), "reduce.def"))
    reduce.check(reducers, reductions)


@pytest.mark.parametrize("reducer", [
    {}, {"map": "absolute(x)", "exact": True}, {"map": "isnan(x) ? zero : multiply(x, x)"}, {"map": "(x)"},
    {"map": "nonzero(x) && !isnan(x) || isnan(x) ? x : one"},
    {"accumulator": "own", "identity": "least", "map": "absolute(x)", "combine": "higher(a, b)"},
    {"accumulator": "count", "identity": "zero", "map": "!isnan(x) && nonzero(absolute(x))"},
    {"accumulator": "moments", "identity": "empty", "map": "moment(absolute(x))", "combine": "join(a, b)"},
    {"accumulator": "indexed", "identity": "nowhere", "map": "indexed(absolute(x), i)",
     "combine": "lower_indexed(a, b)"},
])
def test_reducers(reducer):
    check(reducer)


@pytest.mark.parametrize("reducer, words", [
    ({"map": "x < zero ? -x : x"}, "< is no word; values have no operators"),
    ({"map": "-x"}, "- is no word here; there are x, i, zero"),
    ({"map": "x * x"}, r"\* is no word"),
    ({"map": "abs(x)"}, "abs is no word here; .*absolute"),
    ({"map": "x ? one : zero"}, "takes a condition"), ({"map": "!x"}, "! takes a condition, .* not a value"),
    ({"identity": "one"}, r"add\(a, b\) leaves an accumulator as it is beside zero or minus_zero"),
    ({"map": "isnan(x)"}, "this is a count, and the accumulator number is a value"),
    ({"map": "isnan(x) ? x : i"}, "two alike, not a value and a position"),
    ({"map": "known(x, zero)"}, "integers have no NaN"),
    ({"map": "least"}, "no meaning beside the accumulator number"),
    ({"map": "moment(x)"}, "no meaning beside the accumulator number"),
    ({"map": "add(x)"}, r"expected ,, not \)"), ({"map": "add(x, x"}, r"expected \), not the end"),
    ({"map": "x x"}, "x is no word"), ({"map": "absolute x"}, r"expected \(, not x"),
    ({"map": "a"}, "a is no word here"), ({"identity": "x"}, "x is no word here"),
    ({"combine": "lower(a, b)"}, "no meaning beside the accumulator number"),
    ({"accumulator": "count", "identity": "zero", "map": "x"}, "this is a value, and the accumulator count is a count"),
    ({"accumulator": "moments", "identity": "empty", "map": "moment(x)", "combine": "add(a, b)"},
     "no meaning beside .* moments"), ({"accumulator": "indexed", "identity": "nowhere", "map": "indexed(x)",
                                        "combine": "lower_indexed(a, b)"}, "expected ,"),
])
def test_reducers_refused(reducer, words):
    with pytest.raises(TableError, match=words) as e:
        check(reducer)
    assert str(e.value).startswith("reduce.def:1: reducer f: ")


COUNT = {"accumulator": "count", "identity": "zero", "map": "nonzero(x)"}


@pytest.mark.parametrize("reducer, reduction, words", [
    ({}, {"finalize": "root(a / n)"}, 'needs result="real"'),
    ({}, {"finalize": "spread(a, n)"}, "spread is no word for the accumulator number"),
    ({}, {"finalize": "sqrt(a)"}, "sqrt is no word"), ({}, {"finalize": "a / (n - ddof)"}, "ddof is no word"),
    (COUNT, {"finalize": "root(a)"}, "root is no word for the accumulator count"),
])
def test_finishes_refused(reducer, reduction, words):
    with pytest.raises(TableError, match=words) as e:
        check(reducer, **reduction)
    assert str(e.value).startswith("reduce.def:2: ")


def test_reductions_are_checked_before_functions_are_made_of_them():
    class Read:
        def of(self, kind):
            rows = read(row("reducer", "f", FOLD) + 'reduction("r", reducer="f")', "reduce.def")
            return [r for r in rows if r.kind == kind]
    with pytest.raises(TableError, match="reduce.def:2: reduction needs the column result"):
        reductions.functions(Read())


def test_root_of_a_number_is_written_out():
    text = row("reducer", "f", FOLD) + row("reduction", "r", {**REDUCTION, "finalize": "root(a / n)", "result": "real"})
    reducers, reductions = ([r] for r in read(text, "reduce.def"))
    reduce.check(reducers, reductions)
    assert "case CP_REDUCE_r: return cpi_root(a / (double)n);" in reduce.finalizers(reducers, reductions)


# --- operations ---
OPERATION = dict(real="a", doc="")


@pytest.mark.parametrize("columns, words", [
    ({"loops": ["float23"]}, "loops: there is no type float23"), ({"cost": "much"}, "cost is 'much'"),
    ({"call": "often"}, "call is 'often'"), ({"rule": "other"}, "there is no rule 'other'; there are number"),
    ({"real": ["a", "b"]}, "real has 2 expressions for 1 outputs"),
])
def test_operations_refused(columns, words):
    types = element_types.types_of(Tables(ROOT))
    with pytest.raises(TableError, match=words) as e:
        found = elementwise.Operation(*read(row("operation", "f", {**OPERATION, **columns}).replace(
            "'f'", "'f', 'T->T'"), "elementwise.def"), types)
        [found.column(t) for t in types]
    assert str(e.value).startswith("elementwise.def:1: ")


def test_operations_without_a_body_or_twice():
    class Read:
        def __init__(self, *lines):
            self.lines = lines

        def of(self, kind):
            return read("\n".join(self.lines), "elementwise.def")
    types, one = element_types.types_of(Tables(ROOT)), 'operation("f", "T->T", real="a", doc="")'
    with pytest.raises(TableError, match="elementwise.def:1: there is no body: one of bool, int"):
        elementwise.operations_of(Read('operation("f", "T->T", doc="")'), types)
    with pytest.raises(TableError, match="elementwise.def:2: f was declared in elementwise.def:1"):
        elementwise.operations_of(Read(one, one), types)


# --- modules ---
@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A checkout of three modules; gives a function that writes another list of them and reads it."""
    for folder in ("src/core", "src/array/window", "src/compose", "include/cuprite"):
        (tmp_path / folder).mkdir(parents=True)
    for file in ("src/array/window/window.h", "include/cuprite/types.h", "include/cuprite/window.h",
                 "include/cuprite/calls.h"):
        (tmp_path / file).write_text("")
    monkeypatch.setattr(modules, "ROOT", tmp_path)

    def listed(*text):
        (tmp_path / "src/modules.def").write_text("\n".join(text))
        return modules.modules()
    return listed


CORE = 'module("core", layer="base", headers="types", doc="")'
WINDOW = 'module("window", layer="array", slots=True, doc="")'
COMPOSE = 'module("compose", layer="array", header_comment="Composites.", doc="")'


def test_modules(tree):
    found = tree(CORE, WINDOW, COMPOSE)
    assert [(r.name, r.headers, r.slots, r.made_header) for r in found] == [
        ("core", ["types"], False, False), ("window", ["window"], True, False), ("compose", ["compose"], False, True)]
    out = {}
    modules.write(None, type("Out", (), {"write": lambda self, name, source, text: out.update({name: text})})())
    assert [line for line in out["include/cuprite/modules.h"].splitlines() if "include" in line] == [
        f'#include "cuprite/{name}.h"' for name in ("types", "window", "compose")]
    assert "#define CPI_MODULES_array(MODULE) \\\n    MODULE(window)\n\n" in out["src/backend/modules.h"]


@pytest.mark.parametrize("rows, words", [
    ((CORE, COMPOSE), "the folder src/array/window is no module"),
    ((CORE, WINDOW, COMPOSE, 'module("fft", layer="science", doc="")'), "there is no folder src/science/fft"),
    ((WINDOW, COMPOSE, 'module("core", layer="array", doc="")'), "types.h is no module's"),
    ((CORE, WINDOW, 'module("compose", layer="array", slots=True, doc="")'), "src/compose/compose.h, .* is not there"),
    ((CORE, WINDOW, COMPOSE, 'module("late", layer="late", doc="")'), "there is no folder src/late"),
    ((CORE.replace("types", "types error"), WINDOW, COMPOSE), "no header include/cuprite/error.h"),
    ((CORE, WINDOW.replace("slots", 'header_comment="Windows.", slots'), COMPOSE), "window.h stands where one is made"),
    ((CORE, WINDOW.replace("doc", "dok"), COMPOSE), "needs the column doc"),
    ((WINDOW, CORE, COMPOSE), "core is of the layer base and stands after one of a later layer"),
    ((CORE.replace("base", "bass"), WINDOW, COMPOSE), "bass is no layer; there are base, array, "),
])
def test_modules_refused(tree, rows, words):
    with pytest.raises(TableError, match=words) as e:
        tree(*rows)
    assert str(e.value).startswith("src/modules.def:")


def test_folders_of_modules(tree, tmp_path):
    tree(CORE, WINDOW, COMPOSE)
    assert {n: str(p.relative_to(tmp_path)) for n, p in module_folders.folders(tmp_path).items()} == {
        "core": "src/core", "window": "src/array/window", "compose": "src/compose"}
    assert module_folders.file("window/window.h", tmp_path) == tmp_path / "src/array/window/window.h"
    assert module_folders.include_folders(tmp_path) == [tmp_path / "src", tmp_path / "src/array"]


@pytest.mark.parametrize("path, module", [
    ("src/sort/sort.c", "sort"), ("src/array/sort/sort.c", "sort"), ("/a/src/b/src/science/fft/x/y.c", "fft"),
    ("src/io/io.c", "io"), ("src/io/plugin/png.c", "io"), ("src/late/late.c", "late"), ("src/modules.def", None),
    ("src/base/x.h", None), ("include/cuprite/sort.h", None)])
def test_module_of_a_file(path, module):
    assert module_folders.module_of(path) == module
