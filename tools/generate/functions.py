"""Function rows: name, arguments, results and documentation of a public function; and all code generated from them.

    function("sort", "a: array, axis: axis_or_flat = -1, kind: sort_kind = None, *, stable: flag = None",
             doc="A sorted copy along an axis (None: flattened); NaN last.")
    method("sort", "a: array, axis: axis = -1", call="cp_sort_inplace(a, axis)", returns="none", doc="...")

The second argument is the Python signature: names, kinds (kinds.py has all of them; `array | None` may be None) and
defaults. Columns:

    doc       one line or a paragraph. Arguments, result and errors follow (documentation.py); four columns add to
              what the kinds say: about {"argument": "what it is"}, gives (the result), raises {"Error": "when"},
              differs (from NumPy's function)
    module    "scipy.ndimage" for cuprite.scipy.ndimage; cuprite itself otherwise. One `python_module` row declares it,
              in whichever file; rows of any module may name it
    method    True: also a method of ndarray, whose first argument is the array; "name": by another name
    also      other Python names of the function
    call      the C expression, in which an argument's name stands for its converted value. Without it the call is
              cp_NAME(...): the arguments without a default, or with one that a zeroed C option does not mean, in their
              order, then the others as named options. `options` is their struct where it is not cp_NAME_options.
    body      True, or a name: no expression but a C function in python/src is called,
              PyObject *py_NAME(const py_NAME_args *v)
    returns   "array" (what the call makes), "view" (of the first array), "view_or_copy" (the array itself where
              it is all of that), "none" (the call gives a cp_code),
              "int", "int64", "bool", "double", "(q, r)": a tuple of arrays, which C gives through pointers of these
              names;
              "arrays": a tuple of one for each of several arrays, which C puts into results[n];
              "array_or_arrays": of one alone itself.
              "rows": a tuple of views of what the call makes, along its first axis (nonzero, gradient).
              "array, step if retstep": what the call makes or, where the flag is given, a tuple with further arrays
              behind it. In C there is no flag: the options have pointers of these names. A 0-d one is returned as a
              number.
              The argument of kind `out` is returned where it was given.
    refuse    {"condition": "ValueError: text"}: what fits each argument but not all together; names as in `call`, and
              given(name), which is true of None too
    like      whether a subclass's array gives one of its class, as in NumPy: True (methods and views; the first
              argument says which), False (as it was made), "plain" (never, whatever the body returns). A function
              with the argument `subok` does as that says.
    itself    a condition in C, of {o}, under which a call with the first argument alone gives just that
    unlock    "size" (other threads run where the arrays are large), "always", "never" (a view is made, or nothing
              waits; a body holds its arrays itself where it lets others run), or an expression of the size
    c         the C function's name where it is not cp_NAME; "" where there is none, for the reason in
              tools/check_names.py

A row is in src/LAYER/MODULE/*.def, or in a comment that opens with slash, star and colon beside the body in
src/LAYER/MODULE/*.c or python/src/*.c. A generator of another table (reductions, say) makes rows by a function
`functions(tables)` in its module that returns them. In a module whose row in src/modules.def has a `header_comment`
the public header is generated from the rows as well: a prototype, an options struct and the macro that takes options by
name. A new function there needs only a row and the body beside it.

Written: python/GROUP_rows.h (records of converted arguments, which keep their arrays until the call is over),
python/GROUP_rows.c (a wrapper for each: arguments, errors, the interpreter's lock, the result), python/rows.c (the
methods' and functions' tables), python/cuprite/... (modules of functions, and stubs), include/cuprite/MODULE.h.
"""
import ast
import importlib
import pathlib
import re
import textwrap

import module_folders
import modules
from documentation import documentation
from kinds import KINDS, OUTS, words_converter, words_kind
from table import Row

COLUMNS = ["doc", "module", "method", "also", "call", "options", "body", "returns", "refuse", "unlock", "c", "about",
           "gives", "raises", "differs", "like", "itself"]
MANY = ("arrays", "arrays_or_numbers", "arrays_like")  # kinds
EACH = ("arrays", "array_or_arrays")    # results
ARRAYS = ("array", "operand", "replacement", "low_bound", "high_bound", "array_like", "array_like_to",
          "number_or_array_like", "array_or_list", "array_or_number", "prototype", "indices",
          "assigned", "safely_assigned")
C_WORDS = ("auto", "break", "case", "default", "register", "switch")
SELVES = ("array", "array_or_number", "array_like")  # kinds of what a result may be a view of
SIMPLE = {"int": "PyLong_FromLong({x})", "int64": "PyLong_FromLongLong({x})", "bool": "PyBool_FromLong({x})",
          "double": "PyFloat_FromDouble({x})", "object": "{x}", "none": "cpy_none({x})"}
C_RESULT = {"int": "int", "int64": "int64_t", "bool": "int", "double": "double", "object": "PyObject *",
            "none": "cp_code"}


class Argument:
    """One argument of a function: `default` is its text in Python, None where it must be given. `field` is its name in
    C, which differs where that is a word of C's."""

    def __init__(self, row, name, node, default, how, index):
        self.name, self.how, self.index = name, how, index      # how: "only", "any", "star", "keyword"
        self.field = name + "_" if name in C_WORDS else name
        self.optional = False
        if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value is None:
            self.optional, node = True, node.left
        self.argument = ""
        if isinstance(node, ast.Call):
            self.argument, node = node.args[0].value, node.func
        if not isinstance(node, ast.Name) or node.id not in row.kinds:
            raise row.error(f"{row.args[0]}: {name} has no kind that kinds.py knows")
        self.kind = row.kinds[node.id]
        self.has_default = default is not None
        self.default = ast.literal_eval(default) if self.has_default else None
        self.text = ast.unparse(default) if self.has_default else None
        if self.has_default and self.default is None:
            self.optional = True

    @property
    def constant(self):
        """The default in C; "" where a zeroed record means it."""
        if self.kind.only_checked or self.kind.name == "object" or not self.has_default and not self.optional:
            return ""
        if self.kind.name == "dtype" and self.argument:
            return f"CP_{self.argument.upper()}"
        for value, c in self.kind.constant.items():
            if value == self.default and type(value) is type(self.default):
                return "" if c in ("0", "false", "NULL") else c
        if type(self.default) in (int, float):
            return repr(self.default) if self.default else ""
        if self.default is not None and self.default not in self.kind.zero_means:
            raise ValueError(f"{self.name}: kind {self.kind.name} has no C constant for {self.default!r}")
        return ""

    @property
    def in_options(self):
        return self.has_default and any(self.default is z or (self.default == z and type(self.default) is type(z))
                                        for z in self.kind.zero_means)


class Function:
    """A parsed row: `name` in Python, `id` unique over all rows, its arguments."""

    def __init__(self, row, kinds):
        row.need(["name", "arguments"], ["doc"], COLUMNS)
        row.kinds = kinds
        self.row, self.name, self.module = row, row.args[0], row.get("module", "")
        last = self.module.split(".")[-1].strip("_")
        self.is_method_only = row.kind == "method"
        protocol = re.fullmatch("__(.*)__", self.name)
        self.id = protocol[1] + "_protocol" if protocol else \
            (last + "_" if last else "") + self.name + ("_method" if self.is_method_only else "")
        self.method = self.name if self.is_method_only or row.get("method") is True else row.get("method")
        self.also = row.get("also", "").split()
        self.returns = row.get("returns", "array")
        more = re.fullmatch(r"array, (\w+(?:, \w+)*) if (\w+)", self.returns)
        self.more, self.flag = (more[1].split(", "), more[2]) if more else ([], None)
        self.group = group_of(row.file)
        self.in_python = row.file.startswith("python/")
        body = row.get("body", self.in_python and "call" not in row.columns)
        self.body = self.id if body is True else body    # whose record it takes, too
        self.arguments, self.star = [], None
        self._read(row.args[1])
        self._check()

    def _read(self, text):
        try:
            a = ast.parse(f"def f({text}): pass").body[0].args
        except SyntaxError as e:
            raise self.row.error(f"{self.name}: {e.msg} in its arguments") from None
        plain = a.posonlyargs + a.args
        defaults = [None] * (len(plain) - len(a.defaults)) + a.defaults
        for i, (arg, default) in enumerate(zip(plain, defaults)):
            self._add(arg, default, "only" if i < len(a.posonlyargs) else "any")
        if a.vararg:
            self.star = len(self.arguments)
            self._add(a.vararg, None, "star")
        for arg, default in zip(a.kwonlyargs, a.kw_defaults):
            self._add(arg, default, "keyword")

    @property
    def self(self):
        """The array whose memory a view shares."""
        return next((a for a in self.arguments if a.kind.name in SELVES), None)

    def _add(self, arg, default, how):
        self.arguments.append(Argument(self.row, arg.arg, arg.annotation, default, how, len(self.arguments)))

    def _check(self):
        row = self.row
        known = (*SIMPLE, "array", "rows", "view", "view_or_copy", *EACH)
        if self.returns not in known and self.returns[:1] != "(" and not self.more:
            raise row.error(f"{self.name} returns {self.returns!r}, which is nothing known")
        if self.more and not any(a.name == self.flag and a.kind.name == "bool" for a in self.arguments):
            raise row.error(f"{self.name}: {self.flag} is no bool among its arguments")
        if self.method and (not self.arguments or self.arguments[0].kind.name != "array"):
            raise row.error(f"{self.name}: a method's first argument is the array")
        if "call" in row.columns:
            used = row.call + " ".join(row.get("refuse", {}))
            for a in self.arguments:
                reads = a.kind.only_checked or a.kind.name in (*OUTS, "device") or a.name == self.flag
                if not reads and not re.search(rf"\b{a.name}\b", used):
                    raise row.error(f"{self.name}: nothing reads the argument {a.name}")
        for a in self.arguments:
            try:
                a.constant
            except ValueError as e:
                raise row.error(f"{self.name}: {e}") from None

    # --- for Python ---
    def classed(self):
        """The statement that gives the result its class; "" where it is as it was made."""
        subok = next((a for a in self.arguments if a.name == "subok"), None)
        if subok:
            otherwise = "false" if subok.default is False else "true"
            return f"result = cpy_subok(result, o[{subok.index}], {otherwise}, o[0]);"
        like = self.row.get("like", bool(self.method) or self.returns == "view")
        if like == "plain":
            return "result = cpy_plain(result);"
        return "result = cpy_like(result, o[0]);" if like and self.arguments and self.returns not in SIMPLE else ""

    def text(self, first="", skip=0):
        """The signature as Python shows it; `first` stands before the arguments, of which `skip` are left out."""
        parts, seen = [first] if first else [], False
        shown = self.arguments[skip:]
        for i, a in enumerate(shown):
            if a.how == "star":
                parts.append("*" + a.name)
                seen = True
                continue
            if a.how == "keyword" and not seen:
                parts.append("*")
                seen = True
            parts.append(a.name + (f"={a.text}" if a.has_default else ""))
            if a.how == "only" and (i + 1 == len(shown) or shown[i + 1].how != "only"):
                parts.append("/")
        return ", ".join(parts)

    # --- for C ---
    @property
    def parameters(self):
        return [a for a in self.arguments if a.kind.c and not a.in_options and a.name != self.flag]

    @property
    def options(self):
        return [a for a in self.arguments if a.kind.c and a.in_options and a.name != self.flag]

    @property
    def has_options(self):
        return bool(self.options or self.more)

    @property
    def options_type(self):
        return self.row.get("options", f"{self.c_name}_options")

    @property
    def c_name(self):
        return self.row.get("c", f"cp_{self.name}")

    @property
    def results(self):
        return [r.strip() for r in self.returns.strip("()").split(",")] if self.returns[0] == "(" else []

    @property
    def many(self):
        """The argument of several arrays, for each of which there is a result."""
        return next(a for a in self.arguments if a.kind.name in MANY) if self.returns in EACH else None

    def value(self, a):
        passed = a.kind.passed.format(v=f"v.{a.name}", name=a.name)
        return passed

    def expression(self):
        """The C call, with the record's fields."""
        more = "".join(f", .{r} = v.{self.flag} ? &{r} : NULL" for r in self.more)
        if "call" in self.row.columns:
            text = self.with_values(self.row.call)
            return text[:-1] + more + ")" if more else text
        values = [self.value(a) for a in self.parameters]
        values += [f"&{r}" for r in self.results] + ["made_each"] * bool(self.many)
        values += [a.kind.option.format(v=f"v.{a.name}", name=a.name, o=f"o[{a.index}]") for a in self.options]
        return f"{self.c_name}({', '.join(values)}{more})"

    def with_values(self, text):
        """An expression of argument names as one of the record's fields; designators and strings stay."""
        named = {a.name: a for a in self.arguments}

        text = re.sub(r"\bgiven\((\w+)\)", lambda m: f"!!o[{named[m[1]].index}]", text)

        def value(found):
            a = named.get(found[0])
            return self.value(a) if a else found[0]
        return re.sub(r'(?<![.\w>"])[A-Za-z_]\w*(?!\s*\()', value, text)


def group_of(file):
    """Rows of one module, or of one file of python/src, are one pair of generated files."""
    in_core = pathlib.PurePath(file).parts[0] == "src"
    return module_folders.module_of(file) if in_core else pathlib.PurePath(file).stem


def quoted(text):
    lines = text.split("\n")
    ends = ["\\n"] * (len(lines) - 1) + [""]
    return "\n     ".join('"' + line.replace("\\", "\\\\").replace('"', '\\"') + end + '"'
                          for line, end in zip(lines, ends))


def wrapped(items):
    """{a, b, ...} over lines that are not too long."""
    text = "{" + ", ".join(items) + "}"
    if len(text) < 85:
        return text
    lines = textwrap.wrap(", ".join(i.replace(" ", "~") for i in items), 104)
    return "{\n        " + "\n        ".join(lines).replace("~", " ") + "}"


# --- records ---
def record(f):
    if f.body and f.body != f.id:
        return f"/* {f.name}({f.text()}): as {f.body} */"
    lines = [f"/* {f.name}({f.text()}) */", f"typedef struct py_{f.id}_args {{"]
    for a in f.arguments:
        lines.append("    " + a.kind.field.format(name=a.field))
        if a.kind.extra:
            lines.append("    " + a.kind.extra.format(name=a.name))
    if f.self:
        lines.append(f"    PyObject *self; /* the object of {f.self.name} */")
    if not f.arguments:
        lines.append("    int _;")
    lines.append(f"}} py_{f.id}_args;")
    if f.body == f.id:
        lines.append(f"PyObject *py_{f.id}(const py_{f.id}_args *v);")
    return "\n".join(lines)


# --- frames ---
def conversion(f, a, borrowed=False):
    """The statement that reads one argument."""
    o, v = f"o[{a.index}]", f"v.{a.field}"
    if a.kind.name == "object":
        return f"{v} = {o};"
    where = next((f"o[{w.index}]" for w in f.arguments if w.name == "where"), "NULL")
    typed = "v.dtype" if any(w.name == "dtype" for w in f.arguments) else "CP_DEFAULT"
    out = "v.out" if any(w.name == "out" for w in f.arguments) else "NULL"
    take = "!" + a.kind.convert.format(o=o, v=v, name=a.name, argument=a.argument, where=where, typed=typed, out=out)
    if borrowed and a.kind.name == "array":
        take = f"!({v} = cpy_need({o}))"
    given = f"cpy_given({o})" if a.optional and a.default is None and not a.kind.accepts_none else o
    if a.kind.only_checked:
        take = f"({v} = {given}) && {take}"
    elif a.has_default or a.optional or a.how == "star":
        take = f"{given} && {take}"
    return f"if ({take}) goto done;"


def record_variable(f):
    """The record with its defaults; a large one is not cleared first."""
    kind = f"py_{f.body or f.id}_args"
    if not any(a.kind.make_none for a in f.arguments):
        defaults = ", ".join(f".{a.name} = {a.constant}" for a in f.arguments if a.constant)
        return [f"{kind} v = {{{defaults or 0}}};"]
    lines = [f"{kind} v; /* large: not cleared */"]
    for a in f.arguments:
        if a.kind.clear:
            lines.append(a.kind.clear.format(v=f"v.{a.name}"))
        elif not a.kind.make_none:
            lines.append(f"v.{a.name} = {a.constant or ('NULL' if '*' in a.kind.field else '0')};")
            if a.kind.extra:
                lines.append(f"v.{a.name}_object = NULL;")
        elif a.has_default or a.optional or a.how == "star":
            lines.append(a.kind.make_none.format(v=f"v.{a.name}"))
    return lines


def sizes(f):
    """The work of a call: the elements of its largest array."""
    arrays = [a for a in f.arguments if a.kind.name in ARRAYS]
    size = ""
    for a in arrays:
        one = f"cp_size(v.{a.name})"
        if a.optional:
            one = f"(v.{a.name} ? {one} : 0)"
        size = f"cpy_larger({size}, {one})" if size else one
    for a in f.arguments:
        if a.kind.name in MANY:
            one = f"cpy_sizes(&v.{a.name})"
            size = f"cpy_larger({size}, {one})" if size else one
    return size


def is_borrowed(f):
    """Whether the wrapper takes the arrays last, when no code of Python's runs any more, and holds them only while
    other threads run."""
    return f.row.get("unlock", "size") == "never" or not f.body and f.row.get("unlock", "size") == "size"


def the_call(f):
    """Statements that make the call and leave the Python result in `result`."""
    if f.body:
        return [f"result = py_{f.body}(&v);"]
    lines, call = [], f.expression()
    if f.results:
        lines.append("cp_array " + ", ".join(f"*{r} = NULL" for r in f.results) + ";")
        lines.append("cp_code made;")
    elif f.many:
        lines.append(f"cp_array **made_each = PyMem_Calloc((size_t)v.{f.many.name}.n + 1, sizeof *made_each);")
        lines.append("if (!made_each) {\n        PyErr_NoMemory();\n        goto done;\n    }")
        lines.append("cp_code made;")
    else:
        kind = C_RESULT.get(f.returns, "cp_array *")
        if f.more:
            lines.append("cp_array " + ", ".join(f"*{r} = NULL" for r in f.more) + ";")
        lines.append(f"{kind}{'' if kind.endswith('*') else ' '}made;")
    unlock = f.row.get("unlock", "size")
    size = sizes(f)
    if unlock not in ("size", "always", "never"):
        lines.append(f"CPY_RUN({f.with_values(unlock)}, made = {call});")
    elif unlock == "size" and size:
        held = [f"v.{a.name}" for a in f.arguments if a.kind.name == "array"]
        listed = ", ".join(held)
        run = f"CPY_RUN_ON({len(held)}, ((cp_array *[]){{{listed}}}), {size}, " if held else f"CPY_RUN({size}, "
        lines.append(f"{run}made = {call});")
    elif unlock == "never":
        lines.append(f"made = {call};")
    else:
        lines.append(f"CPY_UNLOCKED(made = {call});")
    out = next((a for a in f.arguments if a.kind.name in OUTS), None)
    if f.results:
        lines.append(f"result = cpy_results(made, {len(f.results)}, (cp_array *[]){{{', '.join(f.results)}}});")
    elif f.many:
        alone = "true" if f.returns == "array_or_arrays" else "false"
        lines.append(f"result = cpy_wrap_each(made, made_each, &v.{f.many.name}, {alone});")
    elif f.returns == "view":
        lines.append("result = cpy_wrap_view(made, v.self);")
    elif f.more:
        lines.append(f"result = cpy_wrap_more(made, v.{f.flag}, {len(f.more)}, (cp_array *[]){{{', '.join(f.more)}}});")
    elif f.returns == "rows":
        lines.append("result = cpy_wrap_rows(made);")
    elif f.returns == "view_or_copy":
        # of an empty array it is unknown whether it is the array itself
        lines.append("result = made && cp_size(made) ? cpy_wrap_whole(made, v.self) : cpy_wrap(made);")
    elif f.returns in ("int", "int64", "double"):
        lines.append(f"result = cp_error() != CP_OK ? cpy_raise() : {SIMPLE[f.returns].format(x='made')};")
    elif f.returns == "bool":
        lines.append("result = made < 0 ? cpy_raise() : PyBool_FromLong(made);")
    elif f.returns in SIMPLE:
        lines.append(f"result = {SIMPLE[f.returns].format(x='made')};")
    elif out:
        lines.append(f"result = cpy_wrap_out(made, v.{out.name}_object);")
    else:
        lines.append("result = cpy_wrap(made);")
    return lines


def wrapper(f):
    late = [a for a in f.arguments if a.kind.reads_arrays]
    borrowed = is_borrowed(f)
    first = [a for a in f.arguments if not a.kind.reads_arrays and not (borrowed and a.kind.name == "array")]
    last = [a for a in f.arguments if borrowed and a.kind.name == "array"]
    lines = [f"static PyObject *{f.id}_wrapper(PyObject *const *o)", "{"]
    lines += ["    " + line for line in record_variable(f) if f.arguments or f.body] + ["    PyObject *result = NULL;"]
    if late:
        arrays = [a for a in f.arguments if a.kind.name in ARRAYS]
        listed = ", ".join(f"o[{a.index}]" for a in arrays)
        given = "" if any(not a.has_default for a in late) else " || ".join(f"o[{a.index}]" for a in late)
        # new arrays are made on the device of `near`
        placing = any("array_like" in a.kind.name or a.kind.name == "array_or_number" for a in f.arguments)
        find = "cpy_find_array" if placing else "cpy_find_operand"
        found = f"{find}({len(arrays)}, (PyObject *const[]){{{listed}}})"
        lines.append(f"    cpy_near near = {f'{given} ? {found} : (cpy_near){{NULL, NULL}}' if given else found}; /* "
                     f"what others meet */")
        lines.append("    const int before = cpy_go_to(near.x);")
    if not f.arguments:
        lines.append("    (void)o;")
    if f.self:
        lines.append(f"    v.self = o[{f.self.index}];")
    lines += ["    " + conversion(f, a, borrowed) for a in first + late + last]
    for condition, words in f.row.get("refuse", {}).items():
        error, text = words.split(": ", 1)
        lines.append(f"    if ({f.with_values(condition)}) {{")
        lines.append(f'        PyErr_SetString(PyExc_{error}, {quoted(text)});')
        lines.append("        goto done;\n    }")
    lines += ["    " + line for line in the_call(f)]
    out = next((a for a in f.arguments if a.kind.name in OUTS), None)
    if f.body and out:
        lines.append(f"    result = cpy_or_out(result, v.{out.name}_object);")
    if f.classed():
        lines.append("    " + f.classed())
    if f.row.get("unlock", "size") != "never":
        lines.append("    result = cpy_warned(result);")
    releases = [a.kind.release.format(o=f"o[{a.index}]", v=f"v.{a.name}") for a in reversed(f.arguments)
                if a.kind.release and not (borrowed and a.kind.name == "array")]
    if any("goto done" in line for line in lines):
        lines.append("done:")
    if late:
        releases += ["cpy_go_back(before);", "cpy_drop(near.o, near.x);"]
    lines += ["    " + r for r in releases]
    lines += ["    return result;", "}"]
    return "\n".join(lines)


def foreign_call(f, method):
    """The statement that hands another library's array to its own method, where CuPy's function is no more than that
    (python/src/foreign.c)."""
    kind = None if method or f.module else f.foreign
    if not kind:
        return ""
    at = 1 if kind == "method_of_second" else 0
    return (f'if (n > {at} && cpy_has_method(v[{at}], "{f.name}")) '
            f'return cpy_call_{kind}("{f.name}", v, n, names);\n    ')


def entry(f, name, method):
    """A function that CPython calls: sorts the arguments and enters the wrapper."""
    skip = 1 if method else 0
    shown = f.arguments[skip:]
    words = wrapped([f'{{"{a.name}", {len(a.name)}}}' for a in shown] or ["{NULL, 0}"])
    positional = sum(a.how in ("only", "any", "star") for a in shown)
    required = sum(1 << i for i, a in enumerate(shown) if not a.has_default and a.how != "star")
    fields = [f'"{name}"', "words", str(len(shown)), str(positional), str(sum(a.how == "only" for a in shown)),
              str(f.star - skip if f.star is not None else -1), hex(required) if required else "0",
              "true" if f.star is not None and f.arguments[f.star].kind.name in MANY else "false"]
    c = f"py_call_{f.id}" + ("_method" if method and not f.is_method_only else "")
    first = f"o[0] = self;\n    " if method else "(void)self;\n    "
    size = len(f.arguments) + 1
    star = f.star is not None
    call = f"return {f.id}_wrapper(o);"
    if f.module == "_fft" and re.fullmatch("i?[rh]?fft[2n]?", f.name):  # python/src/plans.c
        call = f'if (cpy_plans_are_in_use() && !cpy_check_plan("{f.name}", o)) return NULL;\n    ' + call
    if "itself" in f.row.columns and not method: # the fast path
        first += f"if (n == 1 && !names && {f.row.itself.format(o='v[0]')}) return Py_NewRef(v[0]);\n    "
    reads = [a for a in f.arguments if a.kind.name in ARRAYS + MANY + OUTS]
    if len(reads) > 1 or any(a.kind.name in MANY for a in reads):  # which may lie on several devices
        dropped = f"Py_XDECREF(o[{len(f.arguments)}]);\n    " if star else ""
        into = str(f.returns == "none").lower()
        call = call.replace(f"return {f.id}_wrapper(o);", f"PyObject *r = {f.id}_wrapper(o);\n    {dropped}return r || "
                            f"!cpy_on_two_devices() ? r : cpy_call_together({c}, self, v, n, names, {into});")
        first = first.replace("(void)self;\n    ", "")
    elif star:
        call = f"PyObject *r = {f.id}_wrapper(o);\n    Py_XDECREF(o[{len(f.arguments)}]);\n    return r;"
    return (f"PyObject *{c}(PyObject *self, PyObject *const *v, Py_ssize_t n, PyObject *names)\n{{\n"
            f"    static const cpy_name words[] = {words};\n"
            f"    static const cpy_signature signature = {{{', '.join(fields)}}};\n    PyObject *o[{size}];\n    "
            f"{first}{foreign_call(f, method)}"
            f"if (!cpy_arguments(&signature, v, n, names, o + {skip})) return NULL;\n    {call}\n}}\n"), c


class Entry:
    """A line of a table of functions or methods."""

    def __init__(self, function, name, c, method):
        self.function, self.name, self.c, self.method = function, name, c, method

    def signature(self):
        f = self.function
        return f.text("$self", 1) if self.method else f.text("$module")

    def line(self):
        doc = quoted(f"{self.name}({self.signature()})\n--\n\n{documentation(self.function, self.method)}")
        return (f'    {{"{self.name}", (PyCFunction)(void (*)(void)){self.c}, METH_FASTCALL | METH_KEYWORDS,\n'
                f'     {doc}}},')


def write_group(group, functions, out):
    """Records and frames of one module; returns the entries for the tables."""
    files = sorted({f.row.file for f in functions})
    source = ", ".join(files) if len(files) < 4 else f"the rows of {group}"
    guard = f"CPY_{group.upper()}_ROWS_H"
    head = [f"#ifndef {guard}", f"#define {guard}", "", '#include "rows.h"', ""]
    out.write(f"python/{group}_rows.h", source, "\n\n".join(["\n".join(head[:-1])] + [record(f) for f in functions]
                                                            + ["#endif"]))
    parts, entries = [f'#include "{group}_rows.h"\n'], []
    words = {a.kind.name: a.kind for f in functions for a in f.arguments if hasattr(a.kind, "words")}
    parts += [words_converter(words[name]) for name in sorted(words)]
    for f in functions:
        parts.append(f"/* --- {'ndarray.' if f.is_method_only else f.module + '.' if f.module else ''}{f.name} --- "
                     f"*/\n{wrapper(f)}\n")
        if not f.is_method_only:
            text, c = entry(f, f.name, False)
            parts.append(text)
            entries += [Entry(f, name, c, False) for name in [f.name] + f.also]
        if f.method:
            text, c = entry(f, f.method, True)
            parts.append(text)
            entries += [Entry(f, name, c, True) for name in [f.method] + (f.also if f.is_method_only else [])]
    out.write(f"python/{group}_rows.c", source, "\n".join(parts))
    return entries


def write_tables(entries, raw, out):
    """python/rows.c: the methods of ndarray, and the functions of every module."""
    parts = ['#include "rows.h"\n']
    for c in sorted({e.c for e in entries}):
        parts.append(f"PyObject *{c}(PyObject *self, PyObject *const *v, Py_ssize_t n, PyObject *names);")
    parts += [declared.rstrip() for _, declared, _ in raw if declared]
    by_module = {}
    for e in entries:
        by_module.setdefault("ndarray" if e.method else e.function.module, []).append(e)
    parts.append("\n/* The methods of ndarray. */\nPyMethodDef cpy_method_rows[] = {")
    lines = [(e.name, e.line()) for e in by_module.pop("ndarray", [])] + [(name, line) for name, _, line in raw]
    parts += [line for _, line in sorted(lines)] + ["    {NULL},\n};"]
    tables = []
    for module in sorted(by_module):
        c = "functions" + ("_" + module.replace(".", "_").strip("_") if module else "")
        where = f"cuprite.{module}" if module else "cuprite"
        tables.append((module, where, c))
        parts.append(f"\n/* The functions of {where}. */\nstatic PyMethodDef {c}[] = {{")
        parts += [e.line() for e in sorted(by_module[module], key=lambda e: e.name)] + ["    {NULL},\n};"]
    parts.append("\nconst cpy_table cpy_tables[] = {")
    parts += [f'    {{"{module}", "{where}", {c}}},' for module, where, c in tables] + ["    {NULL, NULL, NULL},\n};"]
    out.write("python/rows.c", "the rows of functions", "\n".join(parts))


def raw_method(row):
    """A method that reads its arguments itself: its name, a prototype (unless it is Python's own function), the
    table's line."""
    row.need(["name"], ["doc"], ["c", "flags"])
    name = row.args[0]
    c, flags = row.get("c", "py_" + name.strip("_")), row.get("flags", "METH_VARARGS | METH_KEYWORDS")
    declared = "" if c.startswith("Py_") else f"PyObject *{c}(PyObject *self, PyObject *args, PyObject *kw);\n"
    return name, declared, f'    {{"{name}", (PyCFunction)(void (*)(void)){c}, {flags},\n     {quoted(row.doc)}}},'


# --- public headers ---
def prototype(f):
    kind = "cp_code" if f.results or f.many else C_RESULT.get(f.returns, "cp_array *")
    parts = [a.kind.c.format(name=a.name) for a in f.parameters] + [f"cp_array **{r}" for r in f.results]
    if f.many:
        parts.append("cp_array **results")
    if f.has_options:
        parts.append(f"const {f.options_type} *options")
    return f"CP_API {kind}{'' if kind.endswith('*') else ' '}{f.c_name}({', '.join(parts) or 'void'});"


def option_fields(a):
    """The members of an options struct for one argument."""
    if a.kind.name == "dtype":
        return [f"CP_OPTION(bool, typed); /* {a.name} is meant */", f"CP_OPTION(cp_type, {a.name});"]
    declared = a.kind.c.format(name=a.name)
    return [f"CP_OPTION({declared.removesuffix(a.name).rstrip()}, {a.name});"]


def declaration(f, known):
    """Options struct, prototype and macro of one function, with its documentation."""
    lines = []
    if f.has_options and f.options_type not in known:
        known.add(f.options_type)
        fields = "".join(f"    {line}\n" for a in f.options for line in option_fields(a))
        fields += "".join(f"    CP_OPTION(cp_array **, {r});\n" for r in f.more)
        lines.append(f"typedef struct {f.options_type} {{\n{fields}    int _;\n}} {f.options_type};")
    doc = f.row.doc.replace("\n", "\n * ")
    lines.append(f"/* {doc} */\n{prototype(f)}")
    if f.has_options:
        count = len(f.parameters) + len(f.results) + bool(f.many) + sum("," in a.kind.c for a in f.parameters)
        call = "CP_CALL" if count == 1 else f"CP_CALL{count}"
        lines.append(f"#define {f.c_name}(...) {call}({f.c_name}, {f.options_type}, __VA_ARGS__, ._ = 0)")
    return "\n".join(lines)


def enumeration(row):
    """The C type of a `words` row: CP_NAME_WORD, of a hyphen an underscore."""
    values = row.get("values", "").split() or [f"CP_{row.args[0]}_{w}".upper().replace("-", "_")
                                               for w in row.args[1].split()]
    names = dict.fromkeys(values)  # a word may be another's synonym
    return f"typedef enum {row.c} {{ {', '.join(names)} }} {row.c};"


def header(subject, words, functions):
    """The public header of a module, from its rows; methods have no C function."""
    guard = f"CUPRITE_{subject.name.upper()}_H"
    known, header_comment = set(), subject.header_comment.strip().replace("\n", "\n * ")
    includes = "\n".join(f'#include "cuprite/{name}.h"' for name in ["array", *subject.uses])
    parts = [enumeration(row) for row in words if group_of(row.file) == subject.name]
    parts += [declaration(f, known) for f in functions if not f.is_method_only]
    return (f"/* {header_comment} */\n#ifndef {guard}\n#define {guard}\n\n{includes}\n\n#ifdef __cplusplus\nextern "
            f"\"C\" "
            f"{{\n#endif\n\n"
            + "\n\n".join(parts) + "\n\n#ifdef __cplusplus\n}\n#endif\n#endif\n")


def read_functions(tables):
    """All function rows of the sources and of other generators, in order."""
    kinds = dict(KINDS)
    for row in tables.of("words"):
        kind, other = words_kind(row), kinds.get(row.args[0])
        if other:
            place = f"{other.row.file}:{other.row.line}" if hasattr(other, "row") else "tools/generate/kinds.py"
            raise row.error(f"there is a kind {kind.name} in {place}; words need a name of their own")
        kinds[kind.name] = kind
    rows = [row for row in tables.rows if row.kind in ("function", "method")]
    for path in sorted(pathlib.Path(__file__).parent.glob("*.py")):
        if path.stem not in ("__main__", "table", "functions", "kinds", "stubs"):
            made = getattr(importlib.import_module(path.stem), "functions", None)
            rows += made(tables) if made else []
    functions = [Function(row, kinds) for row in rows]
    known = [row.args[0] for row in tables.of("python_module")]
    for f in functions:
        if f.module and f.module not in known:
            raise f.row.error(f"{f.name}: no python_module row declares {f.module}; there are {', '.join(known)}")
    foreign = {name: row.args[0] for row in tables.of("foreign") for name in row.args[1].split()}
    for f in functions:
        f.foreign = foreign.get(f.name)
    seen = {}
    for f in functions:
        for key in ([("", f.module, n) for n in [f.name] + f.also] if not f.is_method_only else []) + \
                [("method", "", n) for n in ([f.method] + (f.also if f.is_method_only else []) if f.method else [])]:
            if key in seen:
                raise f.row.error(f"{key[2]} was declared in {seen[key].row.file}:{seen[key].row.line}")
            seen[key] = f
    by_id = {f.id: f for f in functions}
    for f in functions:
        if f.body and f.body != f.id:
            other = by_id.get(f.body)
            if not other or sorted((a.name, a.kind.name)
                                   for a in other.arguments) != sorted((a.name, a.kind.name) for a in f.arguments):
                raise f.row.error(f"{f.name}: the body of {f.body} takes other arguments")
    return functions


def write(tables, out):
    functions = read_functions(tables)
    groups = {}
    for f in functions:
        groups.setdefault(f.group, []).append(f)
    entries = []
    for group in sorted(groups):
        entries += write_group(group, groups[group], out)
    write_tables(entries, [raw_method(row) for row in tables.of("varargs")], out)
    for subject in modules.modules():
        if subject.made_header:
            text = header(subject, tables.of("words"), groups.get(subject.name, []))
            out.write(f"include/cuprite/{subject.name}.h", f"the rows of src/{subject.layer}/{subject.name}", text)
