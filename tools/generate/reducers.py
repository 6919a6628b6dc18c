"""The words of the rows `reducer` in src/array/reduce/reduce.def in C, and the functions that a reducer becomes.

A word is a function or a constant of the current type: `add(a, b)` is cpf_add_f64(a, b) where accumulators
are doubles, `zero` is 0.0 there. The functions are written once for each type into src/reduce/words.h of the generated
sources, for C17 and CUDA C++ alike. Invariant: all are defined for every value, and branch-free where compilers should
vectorise it.
"""
import re
from string import Template


class Element:
    """A type that reducers have kernels for: the suffix of its names, its C type, kind (signed, unsigned, float,
    complex)."""

    def __init__(self, t):
        self.name, self.x, self.T, self.kind, self.enum, self.size = t.name, t.suffix, t.c, t.kind, t.enum, t.size
        self.whole = t.is_int

    @property
    def number(self):
        """The type in which numbers are accumulated: a double or a pair of them."""
        return ("c128", "cp_complex128") if self.kind == "complex" else ("f64", "double")


# --- constants, by the suffix of the accumulator ---

def _integer(least, greatest):
    return {"zero": "0", "minus_zero": "0", "one": "1", "least": least, "greatest": greatest}


def _real(T):
    return {"zero": f"({T})0", "minus_zero": f"({T})-0.0", "one": f"({T})1", "unknown": f"({T})NAN",
            "least": f"({T})-INFINITY", "greatest": f"({T})INFINITY"}


def _complex(pair, T):
    both = {word: f"{pair}({text}, {text})" for word, text in _real(T).items()}
    return {**both, "one": f"{pair}(1, 0)"}


CONSTANTS = {f"{s}{bits}": _integer(*limits) for bits in (8, 16, 32, 64)
             for s, limits in (("i", (f"INT{bits}_MIN", f"INT{bits}_MAX")), ("u", ("0", f"UINT{bits}_MAX")))}
CONSTANTS |= {"f32": _real("float"), "f64": _real("double"),
              "c64": _complex("cps_pair32", "float"), "c128": _complex("cps_pair64", "double")}

# functions by what their suffix is: the accumulator's, that of x, the number's, none
BY_ACCUMULATOR = {"add", "multiply", "lower", "higher", "lower_known", "higher_known", "known", "indexed",
                  "lower_indexed",
                  "higher_indexed"}
BY_X = {"nonzero", "isnan", "absolute"}
BY_NUMBER = {"moment"}
PLAIN = {"join": "cpf_join"}


def translate(row, text, acc, x, element):
    """The C expression of a row's `text` where accumulators have the suffix `acc` and x has the suffix `x`."""
    constants = CONSTANTS.get(acc, {}) | {"empty": "cpf_moments(0, 0, 0, 0)"}
    constants["nowhere"] = f"cpf_indexed_{element.x}({CONSTANTS[element.x]['zero']}, -1)"

    def word(found):
        name = found[0]
        if name in ("x", "i", "a", "b"):
            return name
        if name in constants:
            return constants[name]
        if name in BY_ACCUMULATOR:
            return f"cpf_{name}_{acc}"
        if name == "absolute" and x == "u64" and element.kind == "signed":
            return "cpf_absolute_modulo"
        if name in BY_X:
            return f"cpf_{name}_{x}"
        if name in BY_NUMBER:
            return f"cpf_{name}_{element.number[0]}"
        if name in PLAIN:
            return PLAIN[name]
        raise row.error(f"reducer {row.args[0]}: {name} is no word")

    return re.sub(r"\b[A-Za-z_]\w*\b", word, text)


# --- the functions of a type ---

INTEGER = Template("""
/* --- $T --- */

CPS_MATH int cpf_isnan_$x($T a) { return (void)a, 0; }
CPS_MATH int cpf_nonzero_$x($T a) { return a != 0; }
CPS_MATH int cpf_less_$x($T a, $T b) { return a < b; }
CPS_MATH $T cpf_absolute_$x($T a) { return $absolute; }
CPS_MATH $T cpf_add_$x($T a, $T b) { return ($T)((uint64_t)a + (uint64_t)b); }
CPS_MATH $T cpf_multiply_$x($T a, $T b) { return ($T)((uint64_t)a * (uint64_t)b); }
CPS_MATH $T cpf_lower_$x($T a, $T b) { return b < a ? b : a; }
CPS_MATH $T cpf_higher_$x($T a, $T b) { return b > a ? b : a; }
""")

REAL = Template("""
/* --- $T --- */

CPS_MATH int cpf_isnan_$x($T a) { return a != a; }
CPS_MATH int cpf_nonzero_$x($T a) { return a != 0; }
CPS_MATH int cpf_less_$x($T a, $T b) { return a < b; }
CPS_MATH int cpf_less_equal_$x($T a, $T b) { return a <= b; }
CPS_MATH $T cpf_absolute_$x($T a) { return fabs$f(a); }
CPS_MATH $T cpf_add_$x($T a, $T b) { return a + b; }
CPS_MATH $T cpf_multiply_$x($T a, $T b) { return a * b; }
""")

COMPLEX = Template("""
/* --- $T --- */

CPS_MATH int cpf_isnan_$x($T a) { return (a.re != a.re) | (a.im != a.im); }
CPS_MATH int cpf_nonzero_$x($T a) { return (a.re != 0) | (a.im != 0); }
CPS_MATH int cpf_less_$x($T a, $T b) { return cps_less_$x(a, b); }
CPS_MATH int cpf_less_equal_$x($T a, $T b) { return cps_less_equal_$x(a, b); }
CPS_MATH $T cpf_absolute_$x($T a) { return $pair(cps_absolute_$x(a), 0); }
CPS_MATH $T cpf_add_$x($T a, $T b) { return cps_add_$x(a, b); }
CPS_MATH $T cpf_multiply_$x($T a, $T b) { return cps_multiply_$x(a, b); }
""")

# Comparison with NaN: NaN wins, or a number wins; the first of equals. Two comparisons each.
ORDER = Template("""\
CPS_MATH $T cpf_known_$x($T a, $T otherwise) { return cpf_isnan_$x(a) ? otherwise : a; }
CPS_MATH $T cpf_lower_$x($T a, $T b) { return cpf_choose_$x(cpf_less_equal_$x(a, b) | cpf_isnan_$x(a), b, a); }
CPS_MATH $T cpf_higher_$x($T a, $T b) { return cpf_choose_$x(cpf_less_equal_$x(b, a) | cpf_isnan_$x(a), b, a); }
CPS_MATH $T cpf_lower_known_$x($T a, $T b) { return cpf_choose_$x(cpf_less_equal_$x(a, b) | cpf_isnan_$x(b), b, a); }
CPS_MATH $T cpf_higher_known_$x($T a, $T b) { return cpf_choose_$x(cpf_less_equal_$x(b, a) | cpf_isnan_$x(b), b, a); }
""")

INDEXED = Template("""\
typedef struct cpf_indexed_of_$x { int64_t index; $T value; } cpf_indexed_of_$x; /* index -1: nowhere */
CPS_MATH cpf_indexed_of_$x cpf_indexed_$x($T a, int64_t i)
{
    cpf_indexed_of_$x p;
    p.index = i, p.value = a;
    return p;
}
CPS_MATH cpf_indexed_of_$x cpf_first_$x(cpf_indexed_of_$x a, cpf_indexed_of_$x b, int better, int worse)
{
    int an = cpf_isnan_$x(a.value), bn = cpf_isnan_$x(b.value), earlier = a.index < b.index;
    if (b.index < 0) return a;
    if (a.index < 0) return b;
    if (an | bn) return (an & bn ? earlier : an) ? a : b;
    return worse || (!better && earlier) ? a : b;
}
CPS_MATH cpf_indexed_of_$x cpf_lower_indexed_$x(cpf_indexed_of_$x a, cpf_indexed_of_$x b)
{
    return cpf_first_$x(a, b, cpf_less_$x(b.value, a.value), cpf_less_$x(a.value, b.value));
}
CPS_MATH cpf_indexed_of_$x cpf_higher_indexed_$x(cpf_indexed_of_$x a, cpf_indexed_of_$x b)
{
    return cpf_first_$x(a, b, cpf_less_$x(a.value, b.value), cpf_less_$x(b.value, a.value));
}
""")

WORDS = """/* The words that the rows `reducer` of reduce.def may use, as functions of each type; for C17 and CUDA C++.
*/ #ifndef CPI_REDUCE_WORDS_H
#define CPI_REDUCE_WORDS_H

#include "reduce/accumulators.h"

/* Of a signed integer modulo 2^64. */
CPS_MATH uint64_t cpf_absolute_modulo(uint64_t a) { return (int64_t)a < 0 ? 0 - a : a; }
"""


def words(elements):
    out = [WORDS]
    for e in elements:
        names = {"x": e.x, "T": e.T, "f": "f" if e.x in ("f32", "c64") else "",
                 "pair": "cps_pair32" if e.x == "c64" else "cps_pair64",
                 "absolute": f"({e.T})(a < 0 ? 0 - (uint64_t)a : (uint64_t)a)" if e.kind == "signed" else "a"}
        out.append((INTEGER if e.whole else COMPLEX if e.kind == "complex" else REAL).substitute(names))
        if not e.whole:
            out.append(ORDER.substitute(names))
        out.append(INDEXED.substitute(names))
    return "".join(out) + "\n#endif\n"


# --- the three functions of a reducer and a type ---

class Reducer:
    """A row, for one type of element: the name and type of its accumulator, and the conversion of an element to x."""

    def __init__(self, row, element, whole):
        self.row, self.element, self.whole = row, element, whole
        self.name = f"{row.args[0]}_{element.x}" + ("_whole" if whole else "")
        kind, number, N = row.accumulator, *element.number
        self.placed = kind == "indexed"
        self.acc, self.A, self.V = element.x, element.T, element.T
        self.read = "x"
        if kind == "number" and whole:
            self.acc, self.A, self.V, self.read = "u64", "uint64_t", "uint64_t", "(uint64_t)x"
        elif kind in ("number", "moments"):
            self.acc, self.A, self.V = number, N, N
            self.read = "cps_pair64((double)x.re, (double)x.im)" if element.kind == "complex" else "(double)x"
        elif kind == "count":
            self.acc, self.A = "u64", "uint64_t"
        elif kind == "indexed":
            self.A = f"cpf_indexed_of_{element.x}"
        elif kind != "own":
            raise row.error(f"there is no accumulator {kind}")
        if kind == "moments":
            self.A = "cpi_moments"
        self.x = self.acc if kind in ("number", "moments") else element.x

    @property
    def size(self):
        """Bytes of an accumulator."""
        own = self.element.size
        return {"moments": 32, "count": 8, "own": own, "indexed": 8 + max(8, own),
                "number": 16 if self.acc == "c128" else 8}[self.row.accumulator]

    def names(self):
        e = self.element
        map_ = translate(self.row, self.row.map, self.acc, self.x, e)
        if self.read != "x":
            map_ = re.sub(r"\bx\b", "v", map_)
        return {"N": self.name, "T": e.T, "A": self.A, "V": self.V, "read": self.read, "map": map_, "type": e.name,
                "identity": translate(self.row, self.row.identity, self.acc, self.x, e),
                "combine": translate(self.row, self.row.combine, self.acc, self.x, e)}

    def functions(self):
        n = self.names()
        widened = "" if self.read == "x" else "    $V v = $read;\n"
        position = "" if re.search(r"\bi\b", n["map"]) else "    (void)i;\n"
        return Template(
            "/* --- $type${whole} --- */\n\n"
            "CPS_MATH $A ${N}_identity(void) { return $identity; }\n"
            "CPS_MATH $A ${N}_map($T x, int64_t i)\n{\n" + widened + position + "    return $map;\n}\n"
            "CPS_MATH $A ${N}_combine($A a, $A b) { return $combine; }\n\n"
        ).substitute(n, whole=", modulo 2^64" if self.whole else "")


def variants(row, elements):
    """The variants of a row: a Reducer for each type. Integers are accumulated modulo 2^64; as doubles only where their
    sums are not exact in 64 bits; for other reducers they are converted first."""
    out = []
    for e in elements:
        if e.whole and row.get("integers"):
            continue
        number = row.accumulator == "number"
        if e.whole and number:
            out.append(Reducer(row, e, True))
        if not e.whole or not number or (row.get("exact") and e.size > 2):
            out.append(Reducer(row, e, False))
    return out


def header(row, elements):
    """src/reduce/NAME.h: the reducer as functions for each type, one source for both devices."""
    guard = f"CPI_REDUCE_{row.args[0].upper()}_H"
    body = "".join(f.functions() for f in variants(row, elements))
    return (f"/* The reducer {row.args[0]}: identity, map and combine of every type. */\n#ifndef {guard}\n#define "
            f"{guard}\n\n"
            f'#include "reduce/words.h"\n\n{body}#endif\n')


# --- kernels of the GPU ---

STRUCT = Template("""\
struct $N {
    typedef $T Element;
    typedef $A Acc;
    typedef $pairs Pairs; /* the same reducer of pairs of doubles */
    static constexpr int CLASS = CPI_$class_;
    static __device__ __forceinline__ Acc identity() { return ${N}_identity(); }
    static __device__ __forceinline__ Acc map(Element x, int64_t i) { return ${N}_map(x, i); }
    static __device__ __forceinline__ Acc combine(Acc a, Acc b) { return ${N}_combine(a, b); }
};
""")

LAUNCHER = Template("""\
/* The reducer $name on the GPU. */
#include "reduce/row_reducer.cuh"
#include "reduce/$name.h"

namespace reducer {

$structs
} // namespace reducer

cp_code cpi_reducer_$name(cp_stream *s, const cpi_reduce_args *a)
{
    using namespace reducer;
$whole    switch ((int)a->type) {
$cases    default:
        return cpi_host->fail(CP_ERROR_TYPE, "%s: no kernel for type %d", cpi_reduce_name(a->op), (int)a->type);
    }
}
""")

# elements as kernels of the GPU load them; the half types are reduced as float
STORED = {"complex64": "c64", "complex128": "c128"}


def _cases(chosen, indent, halves, extended=None):
    """extended: the reducer of 64 bits to which narrower integers are extended, signed and unsigned ones by one kernel;
    None: they have kernels of their own."""
    out = ""
    for f in chosen:
        signed = f.whole and not f.element.name.startswith("u")
        if signed and (extended or f.element.name == "int64"):
            continue  # modulo 2^64 as unsigned ones
        if f.whole and (extended or f.element.name == "uint64"):
            out += f"{indent}case CP_{f.element.name[1:].upper()}:\n"
        if f.element.name == "float32":
            for t in halves:
                out += f"{indent}case {t.enum}: return launch<Row<{f.name}, cpi_{t.suffix}>>(s, a);\n"
        if f.element.name == "uint8":
            out += f"{indent}case CP_BOOL:\n"
        stored = STORED.get(f.element.name, f.element.T)
        kind = f"Extended<{extended}" if extended and f.element.name != "uint64" else f"Row<{f.name}"
        out += f"{indent}case {f.element.enum}: return launch<{kind}, {stored}>>(s, a);\n"
    return out


def cuda(row, elements, halves):
    """src/reduce/NAME_cuda.cu: the reducer for the GPU's engine; complex128 comes first, others refer to it."""
    all_ = sorted(variants(row, elements), key=lambda f: f.element.name != "complex128")
    structs = "".join(STRUCT.substitute(f.names(), class_=row.accumulator.upper(), pairs=f"{row.args[0]}_c128")
                      for f in all_)
    extended = None if row.get("exact") else f"{row.args[0]}_u64_whole"
    whole = _cases([f for f in all_ if f.whole], " " * 8, halves, extended)
    if whole:
        whole = f"        switch ((int)a->type) {{\n{whole}        default: break;\n        }}\n"
        whole = f"    if (a->whole) {{\n{whole}    }}\n"
    return LAUNCHER.substitute(name=row.args[0], structs=structs, whole=whole,
                               cases=_cases([f for f in all_ if not f.whole], "    ", halves))
