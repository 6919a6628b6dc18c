"""The distributions of src/science/random/distributions.def, whose header comment describes a row: lists of the
distributions for both devices, C prototypes, macros and functions, and rows of the functions below cuprite.random.
distributions_python.py has the Python part.

Invariant: a distribution that is a single draw is named nowhere else but in its sampler in
src/science/random/samplers.h. """
import textwrap

from table import Row

SOURCE = "src/science/random/distributions.def"
BOUNDS = "any not_negative positive share share_above_0 share_below_1 above_1 mean count".split()
DRAWS = ("word", "pair", "source")


class Distribution:
    """A row, read: `parameters` are (name, bound, default or None); `calls` is (distribution, arguments)."""

    def __init__(self, row, known):
        row.need(["name", "parameters"], ["doc"],
                 ["draws", "whole", "body", "of", "generator", "state", "means", "raises"])
        self.row, self.name = row, row.args[0]
        self.parameters = [self.parameter(text) for text in filter(None, row.args[1].split(", "))]
        self.means, self.raises, self.doc = row.get("means", {}), row.get("raises"), row.doc
        self.in_generator, self.in_state = row.get("generator", True), row.get("state", True)
        self.body, self.of = row.get("body", False), row.get("of")
        if set(self.means) != {name for name, _, _ in self.parameters}:
            raise row.error("means says what each parameter is")
        if self.of:
            name, _, arguments = self.of.rstrip(")").partition("(")
            if name not in known:
                raise row.error(f"of: there is no distribution {name} above")
            self.calls, self.whole = (name, arguments), known[name].whole
        else:
            if row.get("draws") not in DRAWS or len(self.parameters) > 3:
                raise row.error(f"draws is one of {', '.join(DRAWS)}, and there are at most three parameters")
            self.calls, self.whole = (self.name, ", ".join(n for n, _, _ in self.parameters)), row.get("whole", False)

    def parameter(self, text):
        declared, _, default = text.partition(" = ")
        name, _, bound = declared.partition(": ")
        if bound not in BOUNDS:
            raise self.row.error(f"{name}: the bound is one of {', '.join(BOUNDS)}")
        return name, bound, default or None

    @property
    def distribution(self):
        return self.name.upper()


def read(tables):
    found = {}
    for row in tables.of("distribution"):
        found[row.args[0]] = Distribution(row, found)
    return list(found.values())


def functions(tables):
    """The rows of cuprite._random's functions, which functions.py expands."""
    rows = []
    for d in read(tables):
        if not d.of:
            arguments = ["g: rng", *[f"{name}: number_or_array_like" for name, _, _ in d.parameters],
                         "size: size = None, dtype: dtype = None, out: out = None"]
            rows.append(Row("function", [f"rng_{d.name}", ", ".join(arguments)],
                            {"module": "_random", "options": "cp_draw_options", "unlock": "always", "doc": d.doc},
                            d.row.file, d.row.line))
    return rows


# --- C ---
def listed(name, items):
    """A list macro: #define NAME(X) X(A) X(B) ..."""
    lines = textwrap.wrap(" ".join(f"X({item})" for item in items), 110)
    return f"#define {name}(X) \\\n    " + " \\\n    ".join(lines) + "\n"


def lists(every):
    text = "/* The distributions by what they draw, in the order of their rows; samplers.h has the bodies. */\n" \
        "#ifndef CPR_DISTRIBUTIONS_H\n#define CPR_DISTRIBUTIONS_H\n\n"
    for kind in DRAWS:
        drawn = [d.distribution for d in every if d.row.get("draws") == kind]
        text += listed(f"CPR_{kind.upper()}_DISTRIBUTIONS", drawn)
    whole = [d.distribution for d in every if d.whole and not d.of]
    return text + listed("CPR_WHOLE_DISTRIBUTIONS", whole) + "\n#endif\n"


def prototype(d, options="options"):
    arrays = "".join(f", cp_array *{name}" for name, _, _ in d.parameters)
    return f"cp_array *{{}}(cp_rng *g{arrays}, const cp_draw_options *{options})"


def comment(d):
    said = "".join(f"; {name}: {d.means[name]}" for name, _, _ in d.parameters)
    return "/* " + textwrap.fill(d.doc.rstrip(".") + said + ".", 114, subsequent_indent=" * ") + " */\n"


def header(tables):
    text = "/* The distributions whose numbers are drawn one by one, of parameters that broadcast. Integers are " \
        "int64 and\n * others float64, unless options say otherwise. */\n" \
        "#ifndef CUPRITE_DISTRIBUTIONS_H\n#define CUPRITE_DISTRIBUTIONS_H\n\n#include \"cuprite/random.h\"\n\n" \
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
    for d in read(tables):
        if not d.of:
            n = len(d.parameters) + 1
            text += comment(d) + textwrap.fill("CP_API " + prototype(d).format(f"cp_rng_{d.name}") + ";", 118,
                                               subsequent_indent=" " * 8) + "\n"
            call = f"CP_CALL{n if n > 1 else ''}(cp_rng_{d.name}, cp_draw_options, __VA_ARGS__, ._ = 0)"
            define = f"#define cp_rng_{d.name}(...)"
            text += define + (" " if len(define + call) < 118 else " \\\n    ") + call + "\n\n"
    return text + "#ifdef __cplusplus\n}\n#endif\n#endif\n"


def bodies(every):
    text = "/* Distributions that are one draw of their distribution. */\n#include \"random/draw.h\"\n"
    for d in every:
        if d.of or d.body:
            continue
        given = (",\n" + " " * 35).join(f'{{"{name}", {name}, CPI_{bound.upper()}}}' for name, bound, _ in d.parameters)
        text += "\n" + textwrap.fill(prototype(d).format(f"(cp_rng_{d.name})"), 118, subsequent_indent=" " * 8) + \
            "\n{\n" \
            f'    cpi_drawing d = {{.name = "{d.name}", .g = g, .distribution = CPR_{d.distribution}, ' \
            f'.n = {len(d.parameters)}, ' \
            ".options = options"
        text += (f",\n                     .parameter = {{{given}}}" if given else "") + "};\n" \
            "    return cpi_draw_distribution(&d);\n}\n"
    return text


def write(tables, out):
    every = read(tables)
    out.write("src/random/distributions.h", SOURCE, lists(every))
    out.write("src/random/distributions.c", SOURCE, bodies(every))
    out.write("include/cuprite/distributions.h", SOURCE, header(tables))
