"""The elementwise operations: from the rows of src/array/elementwise/elementwise.def

    include/cuprite/operations.h          their numbers and C functions
    src/elementwise/operations.h, .c      hidden numbers; rows as data, C functions, bodies as strings
    src/elementwise/loops_TYPES_simd.c    the CPU's loops
    src/elementwise/accumulate_TYPES.c        reduce and accumulate, of operations T,T->T
    src/elementwise/kernels_TYPES_cuda.cu the GPU's kernels (elementwise_kernels.py)
    src/elementwise/loops_CHAPTER_simd.c, kernels_CHAPTER_cuda.cu   those of the rows of a chapter

TYPES is a group of types: the integers of one size (bool with the smallest), or one other type. Code of a group that
does not depend on a type exists once.
"""
import re

from element_types import by_suffix, for_type, types_of
from table import Row

TABLE = "src/array/elementwise/elementwise.def"
RULES = {"": "CPI_RULE_SAME", "number": "CPI_RULE_NUMBER", "count": "CPI_RULE_COUNT", "divide": "CPI_RULE_DIVIDE",
         "logic": "CPI_RULE_LOGIC", "double": "CPI_RULE_DOUBLE", "order": "CPI_RULE_ORDER",
         "orders": "CPI_RULE_ORDERS"}
BODIES = ("bool", "int", "real", "complex")
LETTERS = "abcde"


class Operation:
    def __init__(self, row, types):
        halves = [t.suffix for t in types if t.is_half]
        row.need(["name", "signature"], [] if row.get("hidden") else ["doc"],
                 [*BODIES, "bits", "loops", "rule", "identity", "ulp", "complex_ulp", "cost", "call", "results",
                  "aliases", "oracle", "module", "chapter", "hidden", *(["doc"] if row.get("hidden") else []),
                  "half", *halves])
        if not {*BODIES, "bits"} & set(row.columns):
            raise row.error(f"there is no body: one of {', '.join([*BODIES, 'bits'])}")
        self.row, self.name, signature = row, row.args[0], row.args[1]
        inputs, _, outputs = signature.partition("->")
        self.inputs, self.outputs = inputs.split(","), outputs.split(",")
        self.nin, self.nout = len(self.inputs), len(self.outputs)
        names = {t.name for t in types}
        for word in self.inputs + self.outputs:
            if word not in names | {"T", "part"}:
                raise row.error(f"{word!r} in a signature is neither T, part nor a type")
        if not 1 <= self.nin <= 5 or not 1 <= self.nout <= 4 or self.nin + self.nout > 7:
            raise row.error("1 to 5 inputs and 1 to 4 outputs, 7 in all")
        if "bits" in row.columns and "int" in row.columns:
            raise row.error("bits stands in place of int")
        self.hidden, self.rule, self.doc = bool(row.get("hidden")), row.get("rule", ""), row.get("doc", "")
        if self.rule not in RULES:
            raise row.error(f"there is no rule {self.rule!r}; there are {', '.join(r for r in RULES if r)}")
        if row.get("cost", "function") != "function":
            raise row.error(f"cost is {row.cost!r}; it is function, or there is no such column")
        self.call = row.get("call", "never")
        if self.call not in ("never", "general", "wide", "always", "once"):
            raise row.error(f"call is {self.call!r}; it is general, wide, always or once, or there is no such column")
        if self.call == "once" and not row.get("chapter"):
            raise row.error("call is once only in a chapter")
        self.results = row.get("results", [])
        if len(self.results) != (self.nout if self.nout > 1 else 0):
            raise row.error("results names every output where there are several, and only there")
        self.loops, self.chapter = row.get("loops"), row.get("chapter")
        for t in self.loops or []:
            if t not in names:
                raise row.error(f"loops: there is no type {t}; there are {', '.join(sorted(names))}")
        self.by_bits = {t: f"{self.name}_{t.suffix}" for t in types
                        if t.is_half and {"half", t.suffix} & set(row.columns)}

    def kernels_of_bits(self, types):
        """The hidden operations for halves with their own body."""
        for t, name in self.by_bits.items():
            acting = next(u for u in types if u.kind == "unsigned" and u.size == t.size)
            body = self.row.get(t.suffix) or for_type(self.row.get("half"), types, t)
            columns = {"hidden": True, "loops": [acting.name], "int": body}
            yield Operation(Row("operation", [name, self.row.args[1]], columns, self.row.file, self.row.line), types)

    #: all inputs and the only output go through the kernels that take one type
    plain = property(lambda self: self.nout == 1 and set(self.inputs) == {"T"})

    def column(self, t):
        """The body for a type: the column's name and the expressions, one an output; None where there is none."""
        if t.is_half or self.loops is not None and t.name not in self.loops:
            return None
        name = "bits" if t.is_int and "bits" in self.row.columns else t.body
        body = self.row.get(name)
        if body is None:
            return None
        body = [body] if isinstance(body, str) else body
        if len(body) != self.nout:
            raise self.row.error(f"{name} has {len(body)} expressions for {self.nout} outputs")
        return name, body

    def has_loop(self, types, t):
        """Whether operands of that type have a loop; a half type has where its computing type has."""
        if self.loops is not None and t.name not in self.loops:
            return False
        return self.column(by_suffix(types, t.computes)) is not None if self.loops is None or not t.is_half else False

    def type_of(self, types, word, t):
        """The type of a word of the signature where t is the computing type."""
        if word in ("T", "part"):
            return t if word == "T" else by_suffix(types, t.part)
        return next(u for u in types if u.name == word)

    def in_types(self, types, t):
        return [self.type_of(types, w, t) for w in self.inputs]

    def out_types(self, types, t):
        return [self.type_of(types, w, t) for w in self.outputs]


def operations_of(tables, types):
    """All operations, hidden ones last."""
    rows, first = [Operation(row, types) for row in tables.of("operation")], {}
    for o in rows:
        if first.setdefault(o.name, o) is not o:
            raise o.row.error(f"{o.name} was declared in {first[o.name].row.file}:{first[o.name].row.line}")
    bits = [k for o in rows for k in o.kernels_of_bits(types)]
    public = [o for o in rows if not o.hidden]
    chapters = [o for members in chapters_of(public).values() for o in members]
    return [o for o in public if not o.chapter] + chapters + [o for o in rows if o.hidden] + bits


def chapters_of(operations):
    """chapter -> its operations, in their order."""
    chapters = {}
    for o in operations:
        if o.chapter:
            chapters.setdefault(o.chapter, []).append(o)
    return chapters


def main_of(operations):
    """The operations of the tables that every type has."""
    return [o for o in operations if not o.chapter]


def types_in(members, types):
    """The computing types that a chapter's operations have a body for."""
    return [t for t in types if any(o.column(t) for o in members)]


def groups_of(types):
    """name -> the computing types of a file."""
    groups = {}
    for t in types:
        if not t.is_half:
            groups.setdefault(f"int{8 * t.size}" if t.is_int or t.kind == "bool" else t.name, []).append(t)
    return groups


def acting_type(types, column, t):
    """The type whose code is used: for a body that does not depend on the sign, the unsigned one of that size."""
    if column != "bits":
        return t
    return next(u for u in types if u.kind == "unsigned" and u.size == t.size)


def uses(letter, expressions):
    return any(re.search(rf"\b{letter}\b", e) for e in expressions)


def called_once(expressions, word):
    """Expressions, with the declaration before them of what all of them take a member of: (T)f(a).x, (T)f(a).y, or
    f(a).x and f(a).y. `word` is the language's for a type that follows from the value."""
    parts = [re.fullmatch(r"(|\(\w+\))(\w+\(.*\))\.(\w+)", e) for e in expressions]
    if len(parts) < 2 or None in parts or len({m[2] for m in parts}) > 1:
        return [], expressions
    return [f"const {word} all = {parts[0][2]};"], [f"{m[1]}all.{m[3]}" for m in parts]


# --- names, functions, data ---

def arguments(o):
    return ", ".join(f"cp_array *{x}" for x in LETTERS[:o.nin])


def prototype(o):
    if o.nout == 1:
        return f"cp_array *cp_{o.name}({arguments(o)})"
    return f"cp_code cp_{o.name}({arguments(o)}, " + ", ".join(f"cp_array **{r}" for r in o.results) + ")"


def public_header(operations):
    public = [o for o in operations if not o.hidden]
    text = "/* The elementwise operations by name; elementwise.h says what they have in common. */\n"
    text += "#ifndef CUPRITE_OPERATIONS_H\n#define CUPRITE_OPERATIONS_H\n\n#include \"cuprite/array.h\"\n\n"
    text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
    text += "typedef enum cp_op {\n" + "".join(f"    CP_OP_{o.name},\n" for o in public) + "    CP_NOPS\n} cp_op;\n\n"
    for o in public:
        text += f"/* {o.doc} */\nCP_API {prototype(o)};\n"
    return text + "\n#ifdef __cplusplus\n}\n#endif\n#endif"


def internal_header(operations):
    hidden = [o for o in operations if o.hidden]
    text = "#ifndef CPI_OPERATIONS_H\n#define CPI_OPERATIONS_H\n\n#include \"cuprite/elementwise.h\"\n\n"
    text += "/* Operations that have a kernel but no public name. */\nenum {\n    CPI_OP_LAST_PUBLIC = CP_NOPS - 1,\n"
    text += "".join(f"    CP_OP_{o.name},\n" for o in hidden) + "    CPI_NKERNELS\n};\n\n"
    text += "/* Chapters: operations whose kernels stand in files and tables of their own. */\n"
    text += "enum {\n    CPI_CHAPTER_NONE,\n"
    text += "".join(f"    CPI_CHAPTER_{name},\n" for name in chapters_of(operations)) + "    CPI_NCHAPTERS\n};\n\n"
    return text + "#endif"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def word_of(types, word):
    return {"T": "CPI_TYPE_T", "part": "CPI_TYPE_PART"}.get(word) or next(t.enum for t in types if t.name == word)


def row_data(o, types, place):
    loops = [f"1u << {t.enum}" for t in types if o.has_loop(types, t)]
    lines, line = [], "     "
    for i, piece in enumerate(loops):
        piece += " | " if i + 1 < len(loops) else ","
        if len(line) + len(piece) > 118:
            lines.append(line.rstrip())
            line = "     "
        line += piece
    lines.append(line)
    inputs = ", ".join(word_of(types, w) for w in o.inputs)
    outputs = ", ".join(word_of(types, w) for w in o.outputs)
    identity = o.row.get("identity")
    aliases = o.row.get("aliases", [])
    strings = []
    for name in BODIES:
        body = o.row.get("bits") if name == "int" and "bits" in o.row.columns else o.row.get(name)
        body = body or []
        strings.append("{" + (", ".join(quoted(e) for e in ([body] if isinstance(body,
                                                                                 str) else body)) or "NULL") + "}")
    head = f"    {{.name = {quoted(o.name)}, .nin = {o.nin}, .nout = {o.nout}, "
    head += f".in = {{{inputs}}}, .out = {{{outputs}}},\n"
    text = head + "     .loops = " + "\n".join(lines).strip() + "\n"
    text += f"     .rule = {RULES[o.rule]}, .function = {str(o.row.get('cost') == 'function').lower()}"
    text += f", .ulp = {o.row.get('ulp', 0)}"
    if identity is not None:
        text += f", .has_identity = true, .identity = {identity}"
    text += ",\n"
    if o.chapter:
        text += f"     .chapter = CPI_CHAPTER_{o.chapter}, .place = {place},\n"
    if o.by_bits:
        text += "     .by_bits = {" + ", ".join(f"[{t.enum}] = CP_OP_{n}" for t, n in o.by_bits.items()) + "},\n"
    if o.row.get("module"):
        text += f"     .module = {quoted(o.row.module)},\n"
    if aliases:
        text += "     .aliases = (const char *const[]){" + ", ".join(quoted(a) for a in aliases) + ", NULL},\n"
    if o.doc:
        text += f"     .doc = {quoted(o.doc)},\n"
    return text + "     .text = {" + ",\n              ".join(strings) + "}},\n"


def call(o):
    ins = ", ".join(LETTERS[:o.nin])
    if o.nout == 1:
        return (f"{prototype(o)}\n{{\n    return cp_elementwise(CP_OP_{o.name}, (cp_array *[]){{{ins}}}, NULL);\n}}\n")
    outs = ", ".join(o.results)
    return (f"{prototype(o)}\n{{\n    return cpi_elementwise_into(CP_OP_{o.name}, (cp_array *[]){{{ins}}}, "
            f"(cp_array **[]){{{outs}}});\n}}\n")


def data(operations, types):
    text = '#include "elementwise/table.h"\n\n#include <math.h>\n\nconst cpi_op_row cpi_op_rows[CPI_NKERNELS] = {\n'
    places = {o: i for members in chapters_of(operations).values() for i, o in enumerate(members)}
    text += "".join(row_data(o, types, places.get(o)) for o in operations) + "};\n\n"
    return text + "\n".join(call(o) for o in operations if not o.hidden)


# --- the CPU's loops ---

def loop(inputs, outputs, expressions, name):
    """One loop as C: `inputs` and `outputs` are C types."""
    nin, nout = len(inputs), len(outputs)
    used = [x for x in LETTERS[:nin] if uses(x, expressions)]
    kinds = dict(zip(LETTERS, inputs))
    outs = ["out"] if nout == 1 else [f"out{k}" for k in range(nout)]
    lines = [f"static void {name}(void *const *op, int64_t n, unsigned scalars)", "{"]
    lines += [f"    {c} *{o} = op[{k}];" for k, (o, c) in enumerate(zip(outs, outputs))]
    lines += [f"    const {kinds[x]} *p{x} = op[{nout + LETTERS.index(x)}];" for x in used]

    def body(fixed, indent):
        moving = [x for x in used if x not in fixed]
        made = [f"{indent}const {kinds[x]} {x} = p{x}[0];" for x in used if x in fixed]
        made += ["#pragma GCC ivdep", f"{indent}for (int64_t i = 0; i < n; i++) {{"]
        made += [f"{indent}    const {kinds[x]} {x} = p{x}[i];" for x in moving]
        before, values = called_once(expressions, "__auto_type")
        made += [f"{indent}    {line}" for line in before]
        made += [f"{indent}    {o}[i] = {e};" for o, e in zip(outs, values)]
        return made + [f"{indent}}}"]

    cases = {1: [("", "")], 2: [("scalars == 0", ""), ("scalars == 1", "a"), ("", "b")],
             3: [("scalars == 0", ""), ("", "bc")], 4: [("", "")], 5: [("", "")]}[nin]
    if len(cases) == 1 or not used:
        lines += ["    (void)scalars;"] + body("", "    ")
    else:
        for i, (test, fixed) in enumerate(cases):
            lines += [f"    if ({test}) {{" if i == 0 else f"    }} else if ({test}) {{" if test else "    } else {"]
            lines += body(fixed, "        ")
        lines += ["    }"]
    return "\n".join(lines + ["}"])


class Loops:
    """The functions of a file; equal ones exist once."""

    def __init__(self, types):
        self.types, self.names, self.text = types, {}, []

    def name(self, o, t):
        column, body = o.column(t)
        acting = acting_type(self.types, column, t)
        inputs = [u.stored for u in o.in_types(self.types, acting)]
        outputs = [u.stored for u in o.out_types(self.types, acting)]
        expressions = [for_type(e, self.types, acting) for e in body]
        key = (tuple(inputs), tuple(outputs), tuple(expressions))
        if key not in self.names:
            self.names[key] = f"{o.name}_{acting.suffix}"
            self.text.append(loop(inputs, outputs, expressions, self.names[key]))
        return self.names[key]


def loops_file(operations, types, group, members):
    made = Loops(types)
    tables = []
    for t in members:
        rows = [(o, made.name(o, t)) for o in operations if o.column(t)]
        text = f"const cpi_kernel CPI_ISA_NAME(cpi_ops_{t.suffix})[CPI_NKERNELS] = {{\n"
        tables.append(text + "".join(f"    [CP_OP_{o.name}] = {n},\n" for o, n in rows) + "};")
    head = '#include "elementwise/loops.h"\n#include "scalar/scalar.h"\n'
    return "\n\n".join([head] + made.text + tables)


def chapter_file(chapter, members, types):
    """The loops of a chapter, of all its types: they share the functions that bodies call."""
    made, tables = Loops(types), []
    for t in types_in(members, types):
        names = [made.name(o, t) if o.column(t) else "NULL" for o in members]
        text = f"const cpi_kernel CPI_ISA_NAME(cpi_ops_{chapter}_{t.suffix})[] = {{\n"
        tables.append(text + "".join(f"    {n},\n" for n in names) + "};")
    head = f'#include "elementwise/loops.h"\n#include "scalar/{chapter}.h"\n'
    return "\n\n".join([head] + made.text + tables)


def chapters_list(chapters, types):
    """Declarations, and rows of the table of chapters."""
    text, rows = "", ""
    for chapter, members in chapters.items():
        mine = types_in(members, types)
        text += "".join(f"extern const cpi_kernel CPI_ISA_NAME(cpi_ops_{chapter}_{t.suffix})[];\n" for t in mine)
        entries = ", ".join(f"[{t.enum}] = CPI_ISA_NAME(cpi_ops_{chapter}_{t.suffix})" for t in mine)
        rows += f"    [CPI_CHAPTER_{chapter}] = {{{entries}}},\n"
    return text + "static const cpi_kernel *const cpi_chapters[CPI_NCHAPTERS][CP_NTYPES] = {\n" + rows + "};\n"


def loops_list(operations, types):
    text = "#ifndef CPI_LOOPS_LIST_H\n#define CPI_LOOPS_LIST_H\n\n#include \"elementwise/loops.h\"\n\n"
    text += "/* The loops of one instruction set, by computing type. */\n"
    mine = [t for t in types if not t.is_half]
    text += "".join(f"extern const cpi_kernel CPI_ISA_NAME(cpi_ops_{t.suffix})[CPI_NKERNELS];\n" for t in mine)
    text += "static const cpi_kernel *const cpi_ops[CP_NTYPES] = {\n"
    text += "".join(f"    [{t.enum}] = CPI_ISA_NAME(cpi_ops_{t.suffix}),\n" for t in mine)
    return text + "};\n" + chapters_list(chapters_of(operations), types) + "\n#endif"


# --- the CPU's reduce and accumulate: element by element ---

def link(c, expression, name):
    """The loops of a slice and of indices, as C."""
    return f"""static void {name}(void *r, const char *x, int64_t step, int64_t n, char *out, int64_t to)
{{
    {c} a = *({c} *)r;
    if (out) {{
        for (int64_t i = 0; i < n; i++) {{
            const {c} b = *(const {c} *)(x + i * step);
            a = {expression};
            *({c} *)(out + i * to) = a;
        }}
    }} else if (step == sizeof({c})) {{
        for (int64_t i = 0; i < n; i++) {{
            const {c} b = ((const {c} *)x)[i];
            a = {expression};
        }}
    }} else {{
        for (int64_t i = 0; i < n; i++) {{
            const {c} b = *(const {c} *)(x + i * step);
            a = {expression};
        }}
    }}
    *({c} *)r = a;
}}

static void {name}_at(void *x, int64_t size, const int64_t *place, int64_t n, const char *v, int64_t step)
{{
    for (int64_t i = 0; i < n; i++) {{
        {c} *p = ({c} *)x + place[i] + (place[i] < 0 ? size : 0);
        const {c} a = *p, b = *(const {c} *)(v + i * step);
        *p = {expression};
    }}
}}"""


def accumulate_file(operations, types, members):
    names, text, tables = {}, [], []
    for t in members:
        rows = []
        for o in operations:
            if not o.plain or o.nin != 2 or not o.column(t) or o.out_types(types, t)[0] is not t:
                continue
            column, (body,) = o.column(t)
            acting = acting_type(types, column, t)
            key = acting.stored, for_type(body, types, acting)
            if key not in names:
                names[key] = f"{o.name}_{acting.suffix}"
                text.append(link(*key, names[key]))
            rows.append(f"    [CP_OP_{o.name}] = {{{names[key]}, {names[key]}_at}},\n")
        tables.append(f"const cpi_links cpi_links_{t.suffix}[CPI_NKERNELS] = {{\n" + "".join(rows) + "};")
    return "\n\n".join(['#include "elementwise/accumulate_list.h"\n#include "scalar/scalar.h"\n', *text, *tables])


def accumulate_list(types):
    text = "#ifndef CPI_CHAINS_LIST_H\n#define CPI_CHAINS_LIST_H\n\n"
    text += '#include "elementwise/accumulate_cpu.h"\n#include "elementwise/table.h"\n\n'
    mine = [t for t in types if not t.is_half]
    text += "".join(f"extern const cpi_links cpi_links_{t.suffix}[CPI_NKERNELS];\n" for t in mine)
    text += "static const cpi_links *const cpi_links_of[CP_NTYPES] = {\n"
    return text + "".join(f"    [{t.enum}] = cpi_links_{t.suffix},\n" for t in mine) + "};\n\n#endif"


def write(tables, out):
    types = types_of(tables)
    operations = operations_of(tables, types)
    out.write("include/cuprite/operations.h", TABLE, public_header(operations))
    out.write("src/elementwise/operations.h", TABLE, internal_header(operations))
    out.write("src/elementwise/operations.c", TABLE, data(operations, types))
    out.write("src/elementwise/loops_list.h", TABLE, loops_list(operations, types))
    out.write("src/elementwise/accumulate_list.h", TABLE, accumulate_list(types))
    main = main_of(operations)
    for group, members in groups_of(types).items():
        out.write(f"src/elementwise/loops_{group}_simd.c", TABLE, loops_file(main, types, group, members))
        out.write(f"src/elementwise/accumulate_{group}.c", TABLE, accumulate_file(main, types, members))
    for chapter, members in chapters_of(operations).items():
        out.write(f"src/elementwise/loops_{chapter}_simd.c", members[0].row.file, chapter_file(chapter, members, types))
