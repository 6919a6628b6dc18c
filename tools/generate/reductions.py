"""Function rows of the reductions: what `result` of a reduction's row says decides which arguments its function
takes."""
import reduce
from table import Row

ARGUMENTS = {
    "wide": "axis: axes = None, dtype: dtype = None, out: out = None, keepdims: keepdims = False, initial: start = "
            "None, "
            "where: where = True",
    "mean": "axis: axes = None, dtype: dtype = None, out: out = None, keepdims: keepdims = False, *, where: where = "
            "True",
    "real": "axis: axes = None, dtype: dtype = None, out: out = None, ddof: double = 0, keepdims: keepdims = False, *, "
            "where: where = True, mean: operand = None, correction: correction = None",
    "same": "axis: axes = None, out: out = None, keepdims: keepdims = False, initial: start = None, "
            "where: where = True",
    "index": "axis: axis_or_all = None, dtype: dtype = None, out: out = None, keepdims: bool = False",
    "truth": "axis: axes = None, out: out = None, keepdims: keepdims = False, *, where: where = True",
    "count": "axis: axes = None, *, keepdims: keepdims = False",
}
REAL = {
    "call": "cp_{name}(a, .axis = axis, .typed = dtype != CP_DEFAULT, .dtype = dtype, .out = out, .keepdims = "
            "keepdims, "
            ".where = where, .mean = mean, .ddof = given(correction) ? correction : ddof)",
    "refuse": {"given(correction) && ddof != 0": "ValueError: ddof and correction can't be provided simultaneously."},
}


def functions(tables):
    reduce.check(tables.of("reducer"), tables.of("reduction"))  # before anything is asked of a row
    rows = []
    for row in tables.of("reduction"):
        name, result = row.args[0], row.result
        columns = {"doc": row.doc, "method": row.get("method", False), "also": " ".join(row.get("aliases", [])),
                   "options": "cp_reduce_options", "like": not name.startswith(("nanarg", "count"))}
        if result == "real":
            columns["call"] = REAL["call"].format(name=name)
            columns["refuse"] = REAL["refuse"]
        arguments = ARGUMENTS[result]
        if result in ("mean", "real") and not row.get("whole"):
            arguments = arguments.replace("axis: axes", "axis: counted_axes")
        elif result == "real":
            arguments = arguments.replace("axis: axes", "axis: known_axes")
        rows.append(Row("function", [name, "a: array, " + arguments], columns, row.file, row.line))
    return rows
