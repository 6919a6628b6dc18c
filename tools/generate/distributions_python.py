"""The distributions' methods of Generator and RandomState and functions of cuprite.random, with their documentation and
stubs; from the rows that distributions.py reads."""
import ast
import textwrap

import examples
from distributions import SOURCE, read
from source_stubs import MADE, Module, complete

PACKAGE = True
SIZE = "the shape of the result (None: that of the parameters)"
OUT = "an array that takes the numbers and is returned (None: a new one)"


def documentation(d, depth, out=True, example=""):
    """The docstring, with its quotes; example: a section of its own."""
    inside = " " * depth
    parts = [f"{name}: {d.means[name]}" for name, _, _ in d.parameters]
    parts += [f"size: {SIZE}", f"dtype: {'an integer type' if d.whole else 'float32 or float64'}"]
    parts += [f"out: {OUT}"] if out else []
    errors = [d.raises] if d.raises else []
    errors.append("TypeError for a dtype that it does not draw")
    fill = {"width": 120, "initial_indent": inside, "subsequent_indent": inside + "    "}
    return textwrap.fill(f'"""{d.doc}', 120, initial_indent=inside, subsequent_indent=inside) + "\n\n" + \
        textwrap.fill("Parameters: " + "; ".join(parts) + ".", **fill) + "\n" + \
        textwrap.fill("Errors: " + "; ".join(errors) + ('.' if example else '."""'), **fill) + "\n" + \
        (f'\n{textwrap.indent(example, inside)}\n{inside}"""\n' if example else "")


def defined(d, first, out=True):
    """def NAME(parameters) -> ndarray:"""
    arguments = [f"{name}={default}" if default else name for name, _, default in d.parameters]
    arguments += ["size=None", f"dtype={'int' if d.whole else 'float'}", *(["out=None"] if out else [])]
    return f"def {d.name}({', '.join(first + arguments)}) -> ndarray:\n"


def method(d, out):
    name, arguments = d.calls
    given = f"{arguments}, " if arguments else ""
    return "\n    " + defined(d, ["self"], out) + documentation(d, 8, out) + \
        f"        return _r.rng_{name}(self._rng, {given}size, dtype{', out' if out else ''})\n"


def methods(every):
    text = '"""Methods of Generator and RandomState that draw one number for each element."""\n' \
        "from cuprite import _random as _r\nfrom cuprite._core import ndarray\n"
    for name, about, shown, out in (
            ("GeneratorDistributions", "What Generator draws; `_rng` is its generator of words.", "in_generator", True),
            ("StateDistributions", "What RandomState draws; `_rng` is its generator of words.", "in_state", False)):
        text += f'\n\nclass {name}:\n    """{about}"""\n'
        text += "".join(method(d, out) for d in every if getattr(d, shown))
    return text


def free_functions(every):
    text = '"""The functions of cuprite.random that draw one number for each element, from the process\'s state."""\n' \
        "from cuprite._core import ndarray\nfrom cuprite.random._state import get_random_state\n"
    names = []
    for d in every:
        if d.in_state:
            names.append(d.name)
            given = "".join(f"{name}, " for name, _, _ in d.parameters)
            example = examples.section("random", [d.name]).lstrip()
            text += "\n\n" + defined(d, [], False) + documentation(d, 4, False, example) + \
                f"    return get_random_state().{d.name}({given}size, dtype)\n"
    shown = textwrap.fill(", ".join(f'"{n}"' for n in sorted(names)), 116, initial_indent="    ",
                          subsequent_indent="    ")
    MADE["_functions.__all__"] = sorted(names)  # which cuprite.random imports
    return text + f"\n\n__all__ = [\n{shown},\n]\n"


def write_python(name, text, out):
    path = f"python/cuprite/random/{name}"
    out.write(path + ".py", SOURCE, text)
    out.write(path + ".pyi", SOURCE, complete(Module(ast.parse(text), "cuprite.random", ()).text()))


def write(tables, out):
    every = read(tables)
    write_python("_distributions", methods(every), out)
    write_python("_functions", free_functions(every), out)
