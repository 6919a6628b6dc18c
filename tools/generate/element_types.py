"""The element types: from the rows of src/base/core/types.def the public enumeration, the traits, the conversions
between all types and the scalar prelude of every type.

    include/cuprite/element_types.h   the enumeration cp_type, and CP_TYPES
    src/core/type_traits.h            sizes, kinds; src/core/type_rows.c: names, casts
    src/scalar/conversions.h          cps_FROM_to_TO(x) for every pair that scalar/convert.h does not write itself
    src/scalar/halves.h               elements of the half types by a type known at run time
    src/cuda/elements.h               the types as C++ types for CUDA C++, and the switch over them
    src/scalar/type_list.h            the types as macros
    python/type_rows.h                type properties for the extension; python/cuprite/_foreign.py: types NumPy lacks
    src/scalar/convert_value.c        cpi_convert_value
    src/scalar/functions.h            the templates of src/scalar (.inc), once a type

Other generators take `types_of(tables)`: a list of Type, in the order of the enumeration.
"""
import re

import module_folders
from table import TableError

TABLE = "src/base/core/types.def"
KINDS = {"bool": "b", "signed": "i", "unsigned": "u", "float": "f", "complex": "c"}


class Type:
    """A row, with defaults filled in. `computes` and `part` are suffixes; look them up with `by_suffix`."""

    def __init__(self, row):
        row.need(["name"], ["c", "suffix", "kind", "letter", "size", "casts"],
                 ["stored", "computes", "bits", "mantissa", "part", "libm", "module"])
        self.row, self.name = row, row.args[0]
        self.enum = "CP_" + self.name.upper()
        self.c, self.suffix, self.kind, self.letter = row.c, row.suffix, row.get("kind"), row.letter
        self.size, self.casts = row.size, row.casts
        self.stored = row.get("stored", self.c)
        self.computes = row.get("computes", self.suffix)
        self.bits, self.libm = row.get("bits"), row.get("libm")
        self.part = row.get("part", self.suffix)
        self.mantissa, self.module = row.get("mantissa"), row.get("module", "numpy")
        if self.kind not in KINDS:
            raise row.error(f"kind is {self.kind!r}; there are {', '.join(KINDS)}")
        if (self.kind == "float") != isinstance(self.mantissa, int):
            raise row.error("a floating type, and no other, says how many bits its mantissa has")

    is_int = property(lambda self: self.kind in ("signed", "unsigned"))
    is_half = property(lambda self: self.computes != self.suffix)
    #: (floating) the bits of infinity, and the exponent of the smallest number above 0
    infinity = property(lambda self: (1 << 8 * self.size - 1) - (1 << self.mantissa))
    least = property(lambda self: 2 - (1 << 8 * self.size - 2 - self.mantissa) - self.mantissa)
    #: the column of an operation's bodies that serves the type
    body = property(lambda self: {"bool": "bool", "signed": "int", "unsigned": "int", "float": "real",
                                  "complex": "complex"}[self.kind])


def types_of(tables):
    types = [Type(row) for row in tables.of("type")]
    suffixes = {t.suffix for t in types}
    for t in types:
        for s in (t.computes, t.part):
            if s not in suffixes:
                raise t.row.error(f"there is no type with the suffix {s}")
    return types


def by_suffix(types, suffix):
    return next(t for t in types if t.suffix == suffix)


def casts_of(types):
    """name -> the names of all types that hold its values."""
    near = {t.name: t.casts for t in types}

    def reach(name, seen):
        for n in near[name]:
            if n not in near:
                raise TableError(f"{TABLE}: {name} casts to {n}, which is no type")
            if n not in seen:
                seen.add(n)
                reach(n, seen)
        return seen

    return {t.name: reach(t.name, {t.name}) for t in types}


# --- the public enumeration ---

def public_header(types):
    rows = [f'X({t.name.upper()}, "{t.name}", {t.c}, \'{KINDS[t.kind]}\', {t.size})' for t in types]
    width = max(len(r) for r in rows) + 4
    lines = ["#ifndef CUPRITE_ELEMENT_TYPES_H", "#define CUPRITE_ELEMENT_TYPES_H", "",
             "/* The element types, in NumPy's order: the first upwards that two cast to is their promotion. */",
             "typedef enum cp_type {"]
    lines += [f"    {t.enum}," for t in types]
    lines += ["    CP_DEFAULT = -1 /* in options: the type that NumPy would choose */", "} cp_type;",
              f"#define CP_NTYPES {len(types)} /* no enumerator: a switch that names all types is whole */", "",
              "/* CP_TYPES(X) is X(NAME, NumPy's name, C type of an element, kind letter, bytes) for every type. */",
              "#define CP_TYPES(X)".ljust(width) + "\\"]
    lines += [f"    {r}".ljust(width) + "\\" for r in rows[:-1]] + [f"    {rows[-1]}"]
    return "\n".join(lines + ["", "#endif"])


# --- traits ---

def wrapped(names, indent, limit=118):
    lines, line = [], indent
    for n in names:
        if len(line) + len(n) + 2 > limit:
            lines.append(line.rstrip())
            line = indent
        line += n + ", "
    return "\n".join(lines + [line.rstrip()])


def bits_of(types, test):
    """An expression of the types' bits, broken to lines."""
    parts = [f"1u << {t.enum}" for t in types if test(t)]
    return wrapped(parts, "        ", 100).replace(",", " |").strip().rstrip("|").strip()


def traits_header(types):
    text = """#ifndef CPI_CORE_TYPE_TRAITS_H
#define CPI_CORE_TYPE_TRAITS_H

#include "cuprite/types.h"

/* Sets of types, bit t for type t. */
enum {
"""
    sets = [("CPI_INTEGERS", lambda t: t.is_int), ("CPI_SIGNED_INTEGERS", lambda t: t.kind == "signed"),
            ("CPI_FLOATS", lambda t: t.kind == "float"), ("CPI_HALVES", lambda t: t.is_half),
            ("CPI_COMPLEXES", lambda t: t.kind == "complex")]
    for name, test in sets:
        text += f"    {name} = {bits_of(types, test)},\n"
    text += """};
/* `case` of every type of a set. A switch over types names them all (-Werror=switch-enum), by these where a new one of
 * the kind would be treated alike. */
"""
    for name, test in (("WHOLE", lambda t: t.kind == "bool" or t.is_int), ("HALVES", lambda t: t.is_half),
                       ("FLOATS", lambda t: t.kind == "float"), ("COMPLEXES", lambda t: t.kind == "complex")):
        cases = wrapped([f"case {t.enum}" for t in types if test(t)], "    ", 100).rstrip(",").replace(", ", ": ")
        lines = cases.replace(",\n", ": \\\n")
        text += f"#define CPI_CASE_{name} " + (f"\\\n{lines}\n" if "\n" in lines else f"{lines.strip()}\n")
    text += "\n"
    text += row_type()
    for name, what in (("sizes", lambda t: str(t.size)), ("computes", lambda t: by_suffix(types, t.computes).enum),
                       ("parts", lambda t: by_suffix(types, t.part).enum)):
        text += f"static const uint8_t cpi_type_{name}[CP_NTYPES] = {{\n"
        text += wrapped([what(t) for t in types], "    ") + "\n};\n"
    text += floats(types)
    text += """/* Bytes of an element. */
static inline int64_t cpi_itemsize(cp_type t) { return cpi_type_sizes[t]; }
CPI_TRAIT bool cpi_is_bool(cp_type t) { return t == CP_BOOL; }
CPI_TRAIT bool cpi_is_int(cp_type t) { return (unsigned)CPI_INTEGERS >> t & 1; }
CPI_TRAIT bool cpi_is_signed(cp_type t) { return (unsigned)CPI_SIGNED_INTEGERS >> t & 1; }
CPI_TRAIT bool cpi_is_float(cp_type t) { return (unsigned)CPI_FLOATS >> t & 1; }
CPI_TRAIT bool cpi_is_half(cp_type t) { return (unsigned)CPI_HALVES >> t & 1; }
CPI_TRAIT bool cpi_is_complex(cp_type t) { return (unsigned)CPI_COMPLEXES >> t & 1; }
/* Bits that tell an element of a type without parts from zero: all, or all but the sign of a floating number. */
static inline uint64_t cpi_magnitude(cp_type t) { return ~(uint64_t)0 >> (64 - 8 * cpi_itemsize(t) + cpi_is_float(t)); }
/* A bool or an integer. */
CPI_TRAIT bool cpi_is_whole(cp_type t) { return cpi_is_bool(t) || cpi_is_int(t); }
/* The type in which kernels compute values of type t: float32 for the half types. */
static inline cp_type cpi_compute_type(cp_type t) { return (cp_type)cpi_type_computes[t]; }
/* The type of a complex number's parts; of other types they themselves. */
static inline cp_type cpi_part_type(cp_type t) { return (cp_type)cpi_type_parts[t]; }

#endif"""
    return text


def bits_by_type(types):
    """Bits that a thread tests once: as switches, which take fewer registers in kernels than shifts and tests."""
    masks, flips = {}, {}
    for t in types:
        part = by_suffix(types, t.part)
        top = 1 << 8 * part.size - 1
        if t.kind == "float":
            masks.setdefault(f"0x{top - 1:x}", []).append(t.enum)
        if t.kind == "signed":
            flips.setdefault(f"low ? 0x{top - 1:x} : 0x{top:x}", []).append(t.enum)
        if part.kind == "float":
            flips.setdefault(f"low ? 0x{top:x} : 0", []).append(t.enum)
    cases = lambda enums: " ".join(f"case {e}:" for e in enums)  # noqa: E731
    mask, flip = ("".join(f"    {cases(enums)} return {value};\n" for value, enums in by.items())
                  for by in (masks, flips))
    return f"""
/* --- bits by a type known at run time; in kernels that keep them a switch takes fewer registers than arithmetic --- */

/* All bits but the sign of a floating number: of elements without parts those that tell them from zero. */
CPS uint64_t cpi_not_sign(cp_type t)
{{
    switch ((int)t) {{
{mask}    default: return ~0ull;
    }}
}}
/* What is flipped of an element, or of each part of a complex one, so that integers are ordered as unsigned ones and,
 * where `low`, the order is turned round. */
CPS uint64_t cpi_order_flip(cp_type t, bool low)
{{
    switch ((int)t) {{
{flip}    default: return low ? ~0ull : 0;
    }}
}}
"""


def floats(types):
    """The formats of floating types, by type; those of a complex type's parts, and zeros for the others."""
    text = "/* Of floating and complex types: the format of a number, or of a part. */\n"
    text += "typedef struct cpi_float_format {\n    uint64_t infinity; /* its bits */\n"
    text += "    int digits;        /* bits of the mantissa with the leading one */\n"
    text += "    int least;         /* exponent of the smallest number above 0 */\n"
    text += "} cpi_float_format;\nstatic const cpi_float_format cpi_float_formats[CP_NTYPES] = {\n"
    for t in types:
        f = by_suffix(types, t.part)
        text += f"    {{0x{f.infinity:x}, {f.mantissa + 1}, {f.least}}},\n" if f.kind == "float" else "    {0, 0, 0},\n"
    return text + "};\n\n"


def row_type():
    return """#ifdef __CUDACC__
#define CPI_TRAIT static constexpr __host__ __device__ inline
#else
#define CPI_TRAIT static inline
#endif

/* What the table says of a type. */
typedef struct cpi_type_row {
    const char *name;
    char kind;     /* as cp_type_kind tells it */
    char letter;   /* NumPy's character code */
    uint8_t size;  /* bytes of an element */
    uint32_t safe; /* the types that hold every value of this one */
} cpi_type_row;
#ifndef __CUDACC__
extern const cpi_type_row cpi_types[CP_NTYPES];
#endif

"""


def type_rows(types):
    text = '#include "core/type_traits.h"\n\nconst cpi_type_row cpi_types[CP_NTYPES] = {\n'
    safe, enums = casts_of(types), {t.name: t.enum for t in types}
    for t in types:
        text += f"    {{\"{t.name}\", '{KINDS[t.kind]}', '{t.letter}', {t.size},\n"
        names = [f"1u << {enums[u.name]}" for u in types if u.name in safe[t.name]]
        text += wrapped(names, "     ").replace(",", " |").rstrip().rstrip("|").rstrip() + "},\n"
    return text + "};"


# --- conversions ---

def pair(types, t):
    return f"cps_pair{8 * by_suffix(types, t.part).size}"


def conversion(types, a, b):
    """The expression that makes a stored value of type b from `x`, a stored one of type a."""
    if b.kind == "bool":
        return ("(uint8_t)((x.re != 0) | (x.im != 0))" if a.kind == "complex"
                else f"(uint8_t)(cps_{a.suffix}_to_{a.computes}(x) != 0)" if a.is_half else "(uint8_t)(x != 0)")
    if a is b:
        return "x"
    if a.kind == "complex" and b.kind == "complex":
        parts = ", ".join(f"cps_{a.part}_to_{b.part}(x.{p})" for p in ("re", "im"))
        return f"{pair(types, b)}({parts})"
    if a.kind == "complex":
        return f"cps_{a.part}_to_{b.suffix}(x.re)"
    if b.kind == "complex":
        return f"{pair(types, b)}(cps_{a.suffix}_to_{b.part}(x), 0)"
    if a.is_half:
        return f"cps_{a.computes}_to_{b.suffix}(cps_{a.suffix}_to_{a.computes}(x))"
    if b.is_half:
        wide = by_suffix(types, b.computes)
        odd = f"cps_{a.suffix}_to_odd(x)" if a.kind == "float" and a.size > wide.size else f"({wide.c})x"
        odd = "(float)(x != 0)" if a.kind == "bool" else odd
        return f"cps_{b.computes}_to_{b.suffix}({odd})"
    if a.kind == "float" and b.kind == "unsigned" and b.size == 8:
        return "cps_f64_to_u64((double)x)"
    if a.kind == "float" and b.is_int:
        through = "i32" if b.size < 4 or b.kind == "signed" and b.size == 4 else "i64"
        return f"({b.c})cps_{a.suffix}_to_{through}(x)"
    return f"({b.c})(x != 0)" if a.kind == "bool" else f"({b.c})x"


def conversions_header(types):
    hand_written = set(re.findall(r"\b(cps_\w+_to_\w+)\(", module_folders.file("scalar/convert.h").read_text()))
    lines = ["#ifndef CPS_CONVERSIONS_H", "#define CPS_CONVERSIONS_H", ""]
    for t in types:
        if t.kind == "complex":
            r = by_suffix(types, t.part).c
            lines.append(f"CPS {t.c} {pair(types, t)}({r} re, {r} im) {{ {t.c} z; z.re = re; z.im = im; return z; }}")
    # real types first: a conversion through another type finds it declared
    order = sorted(types, key=lambda t: (t.kind == "complex", t.is_half))
    for a in order:
        lines.append("")
        for b in order:
            name = f"cps_{a.suffix}_to_{b.suffix}"
            if name not in hand_written:
                lines.append(f"CPS {b.stored} {name}({a.stored} x) {{ return {conversion(types, a, b)}; }}")
    return "\n".join(lines + ["", "#endif"])


def halves_header(types):
    text = """#ifndef CPS_HALVES_H
#define CPS_HALVES_H

#include "cuprite/types.h"
#include "scalar/convert.h"

"""
    halves = [t for t in types if t.is_half]
    text += "/* Element i of a half type. */\nCPS float cps_load_half(cp_type t, const void *p, int64_t i)\n{\n"
    for t in halves:
        test = f"if (t == {t.enum}) " if t is not halves[-1] else ""
        text += f"    {test}return cps_{t.suffix}_to_f32(((const {t.stored} *)p)[i]);\n"
    text += "}\nCPS void cps_store_half(cp_type t, void *p, int64_t i, float x)\n{\n"
    for k, t in enumerate(halves):
        test = f"if (t == {t.enum}) " if t is not halves[-1] else ""
        text += f"    {'else ' if k else ''}{test}(({t.stored} *)p)[i] = cps_f32_to_{t.suffix}(x);\n"
    text += "}\n/* x rounded to a half type. */\nCPS float cps_round_half(cp_type t, float x)\n{\n"
    for t in halves:
        test = f"if (t == {t.enum}) " if t is not halves[-1] else ""
        text += f"    {test}return cps_{t.suffix}_to_f32(cps_f32_to_{t.suffix}(x));\n"
    return text + "}\n\n#endif"


ELEMENTS_OPENED = """#ifndef CPI_CUDA_ELEMENTS_H
#define CPI_CUDA_ELEMENTS_H

#include <type_traits>

#include "core/type_traits.h"
#include "cuda/cuda.h"
#include "scalar/convert.h"

/* --- the half types as C++ types of their own, which kernels compute with as float --- */

/* Is T one of them? Has it instructions (scalar/convert.h) that lose which NaN it is, for one and for two numbers? */
template <class T> constexpr bool cpi_half_element = false;
template <class T> constexpr bool cpi_loosely_widened = false;
template <class T> constexpr bool cpi_loosely_narrowed = false;
"""

WIDENED_AND_NARROWED = """
/* An element as kernels compute with it, and back. The type has a name: of the device's functions the host's compiler
 * sees no body, and would deduce another from them. */
template <class T> using cpi_wide = std::conditional_t<cpi_half_element<T>, float, T>;
template <class T> CPS_DEVICE cpi_wide<T> cpi_widen(T x)
{
    if constexpr (cpi_half_element<T>) return T::widened(x);
    else return x;
}
template <class T> CPS_DEVICE cpi_wide<T> cpi_loosely_widen(T x)
{
    if constexpr (cpi_half_element<T>) return T::loosely_widened(x);
    else return x;
}
template <class T, class C> CPS_DEVICE T cpi_narrow(C x)
{
    if constexpr (cpi_half_element<T>) return T::narrowed(x);
    else return (T)x;
}

/* --- all types --- */

/* T: an element as stored; Bits: the unsigned integer of its width, of a complex number's that of its parts. */
template <cp_type TYPE, char KIND, class STORED, class BITS> struct cpi_element {
    static constexpr cp_type type = TYPE;
    static constexpr char kind = KIND; /* as cp_type_kind tells it */
    typedef STORED T;
    typedef BITS Bits;
};
"""


def half_structures(halves):
    """The half types as C++ types, and which instructions they have."""
    hand_written = module_folders.file("scalar/convert.h").read_text()
    text = ""
    for t in halves:
        name, loose, pair = f"cpi_{t.suffix}", f"cps_loose_{t.suffix}_to_f32", f"cps_loose_f32_to_{t.suffix}_pair"
        loosely, in_pairs = f"{loose}(" in hand_written, f"{pair}(" in hand_written
        text += f"""
struct {name} {{
    {t.stored} bits;
    CPS float widened({name} x) {{ return cps_{t.suffix}_to_f32(x.bits); }}
    CPS {name} narrowed(float x) {{ return {name}{{cps_f32_to_{t.suffix}(x)}}; }}
    CPS_DEVICE float loosely_widened({name} x) {{ return {loose if loosely else f"cps_{t.suffix}_to_f32"}(x.bits); }}
"""
        if in_pairs:
            text += f"    CPS_DEVICE uint{16 * t.size}_t loosely_narrowed(float first, float second)"
            text += f" {{ return {pair}(first, second); }}\n"
        text += f"}};\ntemplate <> inline constexpr bool cpi_half_element<{name}> = true;\n"
        if loosely:
            text += f"template <> inline constexpr bool cpi_loosely_widened<{name}> = true;\n"
        if in_pairs:
            text += f"template <> inline constexpr bool cpi_loosely_narrowed<{name}> = true;\n"
    return text


def elements_header(types):
    """The types in CUDA C++."""
    halves = [t for t in types if t.is_half]
    text = ELEMENTS_OPENED + half_structures(halves) + WIDENED_AND_NARROWED
    elements = {}
    for t in types:
        stored = f"cpi_{t.suffix}" if t.is_half else t.stored
        bits = f"uint{8 * by_suffix(types, t.part).size}_t"
        elements[t.name] = f"cpi_element<{t.enum}, '{KINDS[t.kind]}', {stored}, {bits}>"
    text += "\n/* f(a cpi_element) for the type t: the switch over types is written once. */\n"
    text += "template <class F> cp_code cpi_with_type(cp_type t, F f)\n{\n    switch (t) {\n"
    text += "".join(f"    case {t.enum}: return f({elements[t.name]}());\n" for t in types)
    text += "    case CP_DEFAULT: break;\n    }\n"
    text += '    return cpi_host->fail(CP_ERROR_INTERNAL, "there is no type %d", (int)t);\n}\n'
    text += bits_by_type(types)
    text += "\n/* What is there once a half type is an array of CPI_NHALVES. */\n"
    text += f"enum {{ CPI_NHALVES = {len(halves)} }};\n"
    text += "static inline int cpi_half_position(cp_type t)\n"
    return text + "{\n    return __builtin_popcount((unsigned)CPI_HALVES & ((1u << t) - 1));\n}\n\n#endif"


def python_rows(types):
    text = "#ifndef CPY_TYPE_ROWS_H\n#define CPY_TYPE_ROWS_H\n\n#include \"cuprite/types.h\"\n\n"
    text += "typedef struct cpy_type_row {\n    char letter;        /* NumPy's character code */\n"
    text += "    bool half;          /* computes as float32 */\n"
    text += "    const char *module; /* the package that has the dtype; NULL: NumPy */\n} cpy_type_row;\n"
    text += "static const cpy_type_row cpy_type_rows[CP_NTYPES] = {\n"
    for t in types:
        module = "NULL" if t.module == "numpy" else f'"{t.module}"'
        text += f"    [{t.enum}] = {{'{t.letter}', {str(t.is_half).lower()}, {module}}},\n"
    return text + "};\n\n#endif"


def python_names(types):
    rows = "".join(f'    "{t.name}": ("{t.module}", {t.size}, "{t.letter}"),\n' for t in types if t.module != "numpy")
    every = "".join(f'    "{t.name}": ("{KINDS[t.kind]}", {t.size}, "{t.letter}"),\n' for t in types)
    return f'''"""FOREIGN, the types that NumPy lacks: the package that has the dtype, bytes, character code.
ELEMENTS, all types: kind, bytes, character code."""
FOREIGN = {{
{rows}}}
ELEMENTS = {{
{every}}}'''


def type_list(types):
    """The types as macros, for code that is still expanded by the preprocessor."""
    lines = ["#ifndef CPS_TYPE_LIST_H", "#define CPS_TYPE_LIST_H", ""]
    lists = [("CPS_TYPES", types), ("CPS_TYPES_INNER", types), ("CPS_REALS", [t for t in types if t.kind != "complex"]),
             ("CPS_HALVES", [t for t in types if t.is_half])]
    for name, members in lists:
        lines += [f"#define {name}(X, A) \\", wrapped([f"X(A, {t.suffix})" for t in members],
                                                      "    ").replace(",\n", " \\\n")
                  .replace("), ", ") ").rstrip(",")]
    for t in types:
        lines += [f"#define CPS_CTYPE_{t.suffix} {t.stored}", f"#define CPS_ENUM_{t.suffix} {t.enum}"]
    return "\n".join(lines + ["", "#endif"])


def convert_value(types):
    text = '#include <string.h>\n\n#include "core/array.h"\n#include "scalar/convert.h"\n\n'
    for a in types:
        text += f"static void from_{a.name}({a.stored} x, cp_type to, void *result)\n{{\n    switch (to) {{\n"
        for b in types:
            text += f"    case {b.enum}: {{\n        const {b.stored} y = cps_{a.suffix}_to_{b.suffix}(x);\n"
            text += "        memcpy(result, &y, sizeof y);\n        break;\n    }\n"
        text += "    case CP_DEFAULT: break;\n    }\n}\n\n"
    text += "void cpi_convert_value(cp_type from, const void *value, cp_type to, void *result)\n"
    text += "{\n    switch (from) {\n"
    for a in types:
        text += f"    case {a.enum}: {{\n        {a.stored} x;\n        memcpy(&x, value, sizeof x);\n"
        text += f"        from_{a.name}(x, to, result);\n        break;\n    }}\n"
    return text + "    case CP_DEFAULT: break;\n    }\n}"


# --- the scalar prelude ---

def choose(lines, signed):
    """Takes the lines of `#if CPS_SIGNED` ... `#else` ... `#endif` that hold; other conditions stay."""
    out, kept = [], []
    for line in lines:
        word = line.split()[0] if line.split() else ""
        if word.startswith("#if"):
            kept.append(("signed", signed) if line.strip() == "#if CPS_SIGNED" else ("other", True))
            if kept[-1][0] == "signed":
                continue
        elif word in ("#else", "#endif") and kept[-1][0] == "signed":
            kept[-1] = ("signed", not kept[-1][1])
            if word == "#endif":
                kept.pop()
            continue
        if all(on for _, on in kept):
            out.append(line)
        if word == "#endif" and kept:
            kept.pop()
    return out


def for_type(text, types, t):
    """A template's text for one type: F(name), M(name), T, U, R and X are replaced (scalar/scalar.h says by what)."""
    part = by_suffix(types, t.part)
    text = re.sub(r"\bF\((\w+)\)", rf"cps_\1_{t.suffix}", text)
    text = re.sub(r"\bM\((\w+)\)", lambda m: m[1] + (t.libm or ""), text)
    text = re.sub(r"\bX\((\w+)\)", rf"\1{t.suffix}", text)
    if t.is_half:
        text = re.sub(r"\bINFINITE\b", f"0x{t.infinity:x}", text)
        text = re.sub(r"\bMAGNITUDE\b", f"0x{(1 << 8 * t.size - 1) - 1:x}", text)
        text = re.sub(r"\b(WIDEN|NARROW)\(", lambda m: f"cps_{t.suffix}_to_{t.computes}(" if m[1] == "WIDEN"
                      else f"cps_{t.computes}_to_{t.suffix}(", text)
    for word, by in (("T", t.stored), ("U", t.bits), ("R", part.stored), ("CPS_SIGNED", str(int(t.kind == "signed")))):
        if by:
            text = re.sub(rf"\b{word}\b", by, text)
    return text


def functions_header(types):
    out = ["#ifndef CPS_FUNCTIONS_H", "#define CPS_FUNCTIONS_H"]
    for template, test in (("int", lambda t: t.is_int), ("half", lambda t: t.is_half),
                           ("real", lambda t: t.kind == "float" and not t.is_half),
                           ("complex", lambda t: t.kind == "complex")):
        text = module_folders.file(f"scalar/{template}.inc").read_text()
        body = text[text.index("*/") + 2:].strip("\n").split("\n")
        for t in types:
            if test(t):
                out += ["", f"/* --- {t.name} --- */", for_type("\n".join(choose(body, t.kind == "signed")), types, t)]
    return "\n".join(out + ["", "#endif"])


def write(tables, out):
    types = types_of(tables)
    out.write("include/cuprite/element_types.h", TABLE, public_header(types))
    out.write("src/core/type_traits.h", TABLE, traits_header(types))
    out.write("src/core/type_rows.c", TABLE, type_rows(types))
    out.write("src/scalar/conversions.h", TABLE, conversions_header(types))
    out.write("src/scalar/halves.h", TABLE, halves_header(types))
    out.write("src/cuda/elements.h", TABLE, elements_header(types))
    out.write("src/scalar/type_list.h", TABLE, type_list(types))
    out.write("python/type_rows.h", TABLE, python_rows(types))
    out.write("src/scalar/convert_value.c", TABLE, convert_value(types))
    out.write("src/scalar/functions.h", "the templates in src/base/scalar", functions_header(types))
