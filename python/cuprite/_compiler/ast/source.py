"""The syntax tree of a function, and errors that name its lines. Every error of the compiler passes `located` once,
which prefixes the message with file, line and that source line, and keeps the error's type."""
import ast
import inspect
import linecache

from . import executed

class Source:
    """A function's tree with its position in a file: `node` is a FunctionDef or a Lambda."""

    def __init__(self, function):
        self.function = function
        code = function.__code__
        self.file, self.name = code.co_filename, function.__name__
        try:
            lines, first = lines_of(function)
        except (OSError, TypeError, IndexError):
            raise OSError(
                f"{self.name}: the function's source is not to be had ({self.file}), and a kernel is compiled from it; "
                "define it in a file, in a notebook, or in an interpreter that keeps what was typed (IPython, "
                "Python 3.13 and later)") from None
        self.first = max(first, 1)
        if lines[0][:1].isspace():  # a function in a function or class; dedenting would break long strings
            tree = self._parse("".join(["if 1:\n", *lines]))
            self.first -= 1
        else:
            tree = self._parse("".join(lines))
        self.node = self._find(tree, code)
        names = [a.arg for a in self.node.args.posonlyargs + self.node.args.args + self.node.args.kwonlyargs]
        self.parameters = names
        self.variadic = self.node.args.vararg is not None or self.node.args.kwarg is not None

    def _parse(self, text):
        try:
            return ast.parse(text)
        except SyntaxError:
            # a lambda in the middle of an expression: its lines alone need not be a statement
            cut = text.find("lambda")
            while self.name == "<lambda>" and cut >= 0 and len(text) > cut:
                try:
                    return ast.parse("\n" * text[:cut].count("\n") + f"({text[cut:].strip()})")
                except SyntaxError:
                    text = text[:-1]
            raise OSError(f"{self.name}: its source could not be read from {self.file}") from None

    def _find(self, tree, code):
        wanted = ast.Lambda if self.name == "<lambda>" else (ast.FunctionDef, ast.AsyncFunctionDef)
        arguments = code.co_varnames[:code.co_argcount]
        found = [n for n in ast.walk(tree) if isinstance(n, wanted)
                 and tuple(a.arg for a in n.args.posonlyargs + n.args.args) == arguments]
        if wanted is not ast.Lambda:
            found = [n for n in found if n.name == code.co_name][:1]
            if found and isinstance(found[0], ast.AsyncFunctionDef):
                raise NotImplementedError(f"{self.name}: a kernel cannot be an async function")
        if len(found) > 1 and len({ast.dump(n) for n in found}) > 1:
            raise OSError(f"{self.name}: several lambdas stand in this line ({self.file}:{self.first}); use def")
        if not found:
            raise OSError(f"{self.name}: its source could not be read from {self.file}")
        return found[0]

    def line(self, node):
        return self.first + getattr(node, "lineno", 1) - 1

    def where(self, node):
        number = self.line(node)
        text = linecache.getline(self.file, number).strip()
        return f'{self.file}:{number}: in {self.name}' + (f"\n    {text}\n" if text else ": ")

    def located(self, error, node):
        """The error with its file and line, added once."""
        if getattr(error, "_located", False):
            return error
        message = error.args[0] if error.args else str(error)
        kind = type(error)
        made = kind(f"{self.where(node)}{message}")
        made._located, made.lineno_ = True, self.line(node)
        return made


def lines_of(function):
    """(lines, number of the first) of a function's text."""
    return executed.lines_of(function) or inspect.getsourcelines(function)


def names_of(function):
    """What a function's free names mean: closure over globals over builtins, looked up when they are needed."""
    import builtins
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))

    def find(name):
        if name in closure:
            try:
                return closure[name].cell_contents
            except ValueError:
                raise NameError(f"the free variable {name!r} has no value yet") from None
        if name in function.__globals__:
            return function.__globals__[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise NameError(f"name {name!r} is not defined")
    return find
