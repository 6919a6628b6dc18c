"""Function rows: what the generator makes of one, and what it refuses, with file and line."""
import pathlib
import sys

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "generate"))
import documentation  # noqa: E402
import functions  # noqa: E402
from table import TableError, read  # noqa: E402
from table import Tables as Rows  # noqa: E402


class Tables:
    def __init__(self, text, file="src/module/module.def"):
        self.rows = read(text, file)

    def of(self, kind):
        return [row for row in self.rows if row.kind == kind]


class Out(dict):
    def write(self, name, source, text):
        self[name] = text


def made(text, file="src/module/module.def"):
    out = Out()
    functions.write(Tables(text, file), out)
    return out


@pytest.mark.parametrize("row, words", [
    ('function("f", "a: array, b: nothing", doc="")', "b has no kind"),
    ('function("f", "a: array, b", doc="")', "b has no kind"),
    ('function("f", "a: array, b: bool = False", call="cp_f(a)", doc="")', "nothing reads the argument b"),
    ('function("f", "a: array, b: axis = None", doc="")', None),
    ('function("f", "a: array, b: casting = \'bogus\'", doc="")', "no C constant for 'bogus'"),
    ('function("f", "a: array,, b", doc="")', "invalid syntax"),
    ('function("f", "a: array", returns="thing", doc="")', "returns 'thing'"),
    ('function("f", "a: array")', "needs the column doc"),
    ('function("f", "a: array", doc="", colour="red")', "no column colour"),
    ('function("f", doc="")', "takes 2 arguments"),
    ('method("f", "a: int", doc="")', "first argument is the array"),
    ('function("f", "a: array", doc="")\nfunction("f", "a: array", doc="")', "was declared in src/module/module.def:1"),
    ('function("f", "a: array", doc="")\nfunction("g", "b: array", body="f", doc="")', "takes other arguments"),
    ('words("w", "one two", c="cp_w", values="A")', "2 words and 1 values: one for each word"),
    ('words("w", "one", c="cp_w")\nwords("w", "two", c="cp_v")', "a kind w in src/module/module.def:1; words need"),
    ('words("shape", "one", c="cp_w")', "a kind shape in tools/generate/kinds.py"),
    ('python_module("a", doc="")\nfunction("f", "x: array", module="b", doc="")',
     "f: no python_module row declares b; there are a"),
])
def test_refused(row, words):
    if words is None:
        assert made(row)
        return
    with pytest.raises(TableError, match=words) as e:
        made(row)
    assert str(e.value).startswith("src/module/module.def:")


def test_call_is_made_of_the_row():
    frame = made('function("f", "a: array, n: int = 1, axes: axes = None, out: out = None, keepdims: bool = False", '
                 'doc="Does it.")')
    text = frame["python/module_rows.c"]
    assert "made = cp_f(v.a, v.n, .axes = v.axes.axes, .out = v.out, .keepdims = v.keepdims)" in text
    assert "cpy_wrap_out(made, v.out_object)" in text and "v.n = 1;" in text
    assert '"f($module, a, n=1, axes=None, out=None, keepdims=False)\\n"' in frame["python/rows.c"]


def test_designators_strings_and_calls_stay():
    text = made('function("f", "a: array, axis: axis, mode: bool", call="cp_f(a, axis(1), .axis = axis, \\"mode\\", '
                'mode)", doc="")')
    assert 'cp_f(v.a, axis(1), .axis = v.axis, "mode", v.mode)' in text["python/module_rows.c"]


def test_public_header():
    text = made('function("f", "a: array, k: int64 = 2, dtype: dtype = None, axis: axes = None", doc="Does it.")\n'
                'function("g", "tup: arrays, *, casting: casting = \'same_kind\'", doc="Joins.")\n'
                'function("h", "x: array", returns="(q, r)", doc="Two.")',
                "src/compose/x.c")["include/cuprite/compose.h"]
    assert "CP_API cp_array *cp_f(cp_array *a, int64_t k, const cp_f_options *options);" in text
    assert ("    CP_OPTION(bool, typed); /* dtype is meant */\n    CP_OPTION(cp_type, dtype);\n"
            "    CP_OPTION(cp_axes, axis);\n    int _;") in text
    assert "#define cp_f(...) CP_CALL2(cp_f, cp_f_options, __VA_ARGS__, ._ = 0)" in text
    assert "CP_API cp_array *cp_g(int n, cp_array *const *tup, const cp_g_options *options);" in text
    assert "#define cp_g(...) CP_CALL2(cp_g" in text
    assert "CP_API cp_code cp_h(cp_array *x, cp_array **q, cp_array **r);" in text


def test_words_become_an_enumeration():
    text = made('words("edge", "near grid-wrap", c="cp_edge")\n'
                'words("side", "left right l", c="cp_side", values="CP_L CP_R CP_L")\n'
                'function("f", "a: array, edge: edge = \'near\', side: side = \'right\'", doc="")', "src/compose/x.c")
    header, rows = text["include/cuprite/compose.h"], text["python/compose_rows.c"]
    assert "typedef enum cp_edge { CP_EDGE_NEAR, CP_EDGE_GRID_WRAP } cp_edge;" in header
    assert "typedef enum cp_side { CP_L, CP_R } cp_side;" in header
    assert "cp_array *cp_f(cp_array *a, cp_side side, const cp_f_options *options);" in header
    assert '{"left", "right", "l", NULL};\n    static const cp_side values[] = {CP_L, CP_R, CP_L};' in rows
    assert "side = CP_R" in rows and "cp_f(v.a, v.side, .edge = v.edge)" in rows


def test_one_number_for_all_axes_or_one_for_each():
    text = made('function("f", "a: array, size: per_axis = None", doc="")', "src/compose/x.c")
    assert "    CP_OPTION(cp_shape, size);\n    int _;" in text["include/cuprite/compose.h"]
    rows = text["python/compose_rows.c"]
    assert "cp_f(v.a, .size = cpy_size_of(&v.size))" in rows and "cpy_ints_arg(" in rows


def test_meanings_of_names():
    """A name has one meaning in all groups that use it, or one in its group. None is left over."""
    every = functions.read_functions(Rows(ROOT))
    used = {(f.group, a.name, a.kind.name) for f in every for a in f.arguments
            if not hasattr(a.kind, "words") and a.name not in f.row.get("about", {})}
    for key in documentation.MEANINGS:
        groups = {g for g, name, kind in used if key in (name, (name, kind))}
        # a kind's own meaning for a name may be of one group; that of a name for all kinds may not
        assert groups if isinstance(key, tuple) else len(groups) > 1, key
    for group, names in documentation.OF_GROUP.items():
        for name in names:
            assert any((g, n) == (group, name) for g, n, _ in used), (group, name)
    said = {f.name: dict(zip([a.name for a in f.arguments], [documentation.meaning(f, a) for a in f.arguments]))
            for f in every}
    assert said["rng_normal"]["size"] == "a shape; None: that of the parameters"
    assert said["fft_plan_cache"]["size"] == "the most plans; -1: as it is"
    assert "labels" not in said["_of_buffer"]["count"]
    errors = documentation.errors(next(f for f in every if f.name == "roll"), False)
    assert errors["ValueError"] == ["an axis named twice"]  # any integer is a shift


def test_further_results_by_a_flag():
    row = ('function("f", "a: array, weights: out = None, returned: bool = False", doc="", '
           'returns="array, sum, n if returned")')
    text = made(row, "src/compose/x.c")
    frame = text["python/compose_rows.c"]
    assert "cp_f(v.a, .weights = v.weights, .sum = v.returned ? &sum : NULL, .n = v.returned ? &n : NULL)" in frame
    assert "cpy_wrap_more(made, v.returned, 2, (cp_array *[]){sum, n})" in frame
    header = text["include/cuprite/compose.h"]
    assert "    CP_OPTION(cp_array **, sum);\n    CP_OPTION(cp_array **, n);\n    int _;" in header
    assert "returned" not in header
    with pytest.raises(TableError, match="returned is no bool"):
        made(row.replace("returned: bool", "given: bool"))


def test_a_tuple_of_rows():
    text = made('function("f", "a: array", doc="", returns="rows")')["python/module_rows.c"]
    assert "result = cpy_wrap_rows(made);" in text
