"""Reading tables: rows in the notation of Python calls, with literals only; nothing in them is ever executed.

A table is a file src/MODULE/NAME.def; its comments begin with #. Rows may also stand in a C file, beside the body they
declare, in a comment that opens with slash, star and colon:

    /*: function("ptp", "a, axis=None, out=None, keepdims=False", doc="Maximum minus minimum over axes.") */

A row's keyword arguments are its columns. Positional ones are kept in `args`. Invariant: a Row knows its file and line,
and every complaint about a row begins with them.
"""
import ast
import re


class TableError(Exception):
    """A row that cannot be read, or that says what it may not; the text begins with file and line."""


class Row:
    def __init__(self, kind, args, columns, file, line):
        self.kind, self.args, self.columns, self.file, self.line = kind, args, columns, file, line

    def __getattr__(self, name):
        try:
            return self.columns[name]
        except KeyError:
            raise AttributeError(f"{self.file}:{self.line}: {self.kind} has no column {name}") from None

    def get(self, name, otherwise=None):
        return self.columns.get(name, otherwise)

    def error(self, text):
        return TableError(f"{self.file}:{self.line}: {text}")

    def need(self, positional, required, optional=()):
        """Checks the row's form: the names of its positional arguments, required and optional columns."""
        if len(self.args) != len(positional):
            raise self.error(f"{self.kind} takes {len(positional)} arguments before its columns "
                             f"({', '.join(positional)}), "
                             f"{len(self.args)} are given")
        for name in required:
            if name not in self.columns:
                raise self.error(f"{self.kind} needs the column {name}")
        for name in self.columns:
            if name not in required and name not in optional:
                raise self.error(f"{self.kind} has no column {name}; there are {', '.join([*required, *optional])}")


def _literal(node, file, first):
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise TableError(f"{file}:{first + node.lineno - 1}: a table holds literals only") from None


def read(text, file, first=1):
    """The rows of a table's text, in their order."""
    try:
        tree = ast.parse(text)
    except SyntaxError as e:
        raise TableError(f"{file}:{first + (e.lineno or 1) - 1}: {e.msg}") from None
    rows = []
    for node in tree.body:
        call = node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise TableError(f"{file}:{first + node.lineno - 1}: expected a row: kind(argument, column=value, ...)")
        if any(k.arg is None for k in call.keywords):
            raise TableError(f"{file}:{first + node.lineno - 1}: a row has no ** arguments")
        rows.append(Row(call.func.id, [_literal(a, file, first) for a in call.args],
                        {k.arg: _literal(k.value, file, first) for k in call.keywords}, file, first + node.lineno - 1))
    return rows


def read_embedded(text, file):
    """The rows in the comments /*: ... */ of a C or CUDA file."""
    rows = []
    for found in re.finditer(r"/\*:(.*?)\*/", text, re.S):
        lines = found[1].split("\n")
        inner = "\n".join([lines[0].strip()] + lines[1:])
        body = inner if inner.strip() else ""
        rows += read(_dedent(body), file, text.count("\n", 0, found.start()) + 1)
    return rows


def _dedent(text):
    """Rows may be indented as comments are; a line that begins with ` * ` loses that."""
    lines = [re.sub(r"^\s*\*? ?", "", line, count=1) if i else line for i, line in enumerate(text.split("\n"))]
    depth, out = 0, []
    for line in lines:
        out.append(line.strip() if depth == 0 else line)
        depth += line.count("(") - line.count(")")
    return "\n".join(out)


class Tables:
    """All rows of the sources; `of(kind)` are those of one kind, in the order of files and lines."""

    def __init__(self, root):
        self.rows = []
        for path in sorted([*(root / "src").rglob("*"), *(root / "python" / "src").glob("*.c")]):
            name = str(path.relative_to(root))
            if path.suffix == ".def":
                text = path.read_text()
                if not text.lstrip().startswith("/*"):
                    self.rows += read(text, name)
            elif path.suffix in {".c", ".cu"}:
                text = path.read_text()
                if "/*:" in text:
                    self.rows += read_embedded(text, name)

    def of(self, kind):
        return [row for row in self.rows if row.kind == kind]
