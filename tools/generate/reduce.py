"""The module reduce: from the rows of src/array/reduce/reduce.def

    include/cuprite/reductions.h   the public names: the enum, a function and its macro for each reduction
    src/reduce/rows.h              the enums of reducers and of their classes, names
    src/reduce/table.c             the API layer's tables, and the public functions
    src/reduce/finalizes.h          from accumulators to results
    src/reduce/words.h, FOLD.h     reducers as functions (reducers.py)
    src/reduce/REDUCER_simd.c         kernels of the CPU (reducer_kernels.py), and kernels_simd.c, which lists them
    src/reduce/REDUCER_cuda.cu        kernels of the GPU, and reducers_cuda.h, which lists them
"""
import re
import textwrap

import reducer_kernels
import reducer_words
import reducers
from element_types import types_of
from reducers import Element

SOURCE = "src/array/reduce/reduce.def"
CLASSES = ["number", "own", "count", "moments", "indexed"]
RESULTS = ["wide", "mean", "real", "same", "index", "truth", "count"]


def name(row):
    return row.args[0]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def check(reduce_rows, reductions):
    known = {name(f) for f in reduce_rows}
    for f in reduce_rows:
        f.need(["name"], ["accumulator", "identity", "map", "combine"], ["integers", "exact", "cuda", "hand_written"])
        if f.get("hand_written", "all") not in ("all", "real"):
            raise f.error("hand_written is all or real")
        if f.accumulator not in CLASSES:
            raise f.error(f"there is no accumulator {f.accumulator}; there are {', '.join(CLASSES)}")
        if f.get("integers", name(f)) not in known:
            raise f.error(f"there is no reducer {f.integers}")
        reducer_words.check_reducer(f)
    for r in reductions:
        r.need(["name"], ["reducer", "result", "identity", "ufunc", "finalize", "doc"],
               ["method", "aliases", "warns", "whole", "root"])
        if r.reducer not in known:
            raise r.error(f"there is no reducer {r.reducer}")
        if r.get("whole", name(r)) not in {name(other) for other in reductions}:
            raise r.error(f"there is no reduction {r.whole}")
        if r.result not in RESULTS:
            raise r.error(f"there is no result {r.result}; there are {', '.join(RESULTS)}")
        accumulator = next(f for f in reduce_rows if name(f) == r.reducer).accumulator
        if accumulator == "own" and r.finalize != "a":
            raise r.error("an accumulator of the element's own type is the result: finalize is a")
        reducer_words.check_finalize(r, accumulator)


# --- names ---

PUBLIC = """/* The reductions by name: cp_sum(x, options), cp_max(x, options), ... reduce.h includes this. */
#ifndef CUPRITE_REDUCTIONS_H
#define CUPRITE_REDUCTIONS_H

#include "cuprite/array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_reduce_options cp_reduce_options;

typedef enum cp_reduction {
%s
    CP_NREDUCTIONS
} cp_reduction;

%s
%s
#ifdef __cplusplus
}
#endif
#endif
"""


def public(reductions):
    enum = "\n".join(f"    CP_REDUCE_{name(r)}," for r in reductions)
    functions = "".join(f"/* {r.doc} */\nCP_API cp_array *cp_{name(r)}(cp_array *x, const cp_reduce_options "
                        f"*options);\n"
                        for r in reductions)
    macros = "".join(f"#define cp_{name(r)}(...) CP_CALL(cp_{name(r)}, cp_reduce_options, __VA_ARGS__, ._ = 0)\n"
                     for r in reductions)
    return PUBLIC % (enum, functions, macros)


ROWS = """/* The reducers, the classes of their accumulators, and names. */
#ifndef CPI_REDUCE_ROWS_H
#define CPI_REDUCE_ROWS_H

typedef enum cpi_reducer {
%s
    CPI_NREDUCERS
} cpi_reducer;

typedef enum cpi_class { %s } cpi_class;

typedef enum cpi_reduce_rule { %s } cpi_reduce_rule;

/* The public name of a reduction. */
static inline const char *cpi_reduce_name(cp_reduction op)
{
    static const char *const names[] = {
%s
    };
    return names[op];
}

#endif
"""


def rows_header(reduce_rows, reductions):
    names = ", ".join(quoted(name(r)) for r in reductions)
    return ROWS % ("\n".join(f"    CPI_REDUCER_{name(f).upper()}," for f in reduce_rows),
                   ", ".join(f"CPI_{c.upper()}" for c in CLASSES),
                   ", ".join(f"CPI_RESULT_{r.upper()}" for r in RESULTS),
                   textwrap.fill(names, 110, initial_indent=" " * 8, subsequent_indent=" " * 8))


TABLE = """/* The API layer's tables, and the public functions; a name in parentheses keeps its macro
 * away. */
#include "reduce/reduce.h"

const cpi_reducer_row cpi_reducers[CPI_NREDUCERS] = {
%s};

const cpi_reduction_row cpi_reductions[CP_NREDUCTIONS] = {
%s};

%s"""


def table(reduce_rows, reductions):
    def reducer_line(f):
        marks = ", .from_zero = true" if f.accumulator == "number" and f.identity == "minus_zero" else ""
        marks += ", .exact = true" if f.get("exact") else ""
        return (f"    [CPI_REDUCER_{name(f).upper()}] = {{CPI_{f.accumulator.upper()}, "
                f"CPI_REDUCER_{f.get('integers', name(f)).upper()}{marks}}},\n")

    def reduction_line(r):
        warns = f"CP_WARNING_{r.warns.upper()}" if r.get("warns") else "CP_NWARNINGS"
        return (f"    [CP_REDUCE_{name(r)}] = "
                f"{{\n        \"{name(r)}\", CPI_REDUCER_{r.reducer.upper()}, CPI_RESULT_{r.result.upper()}, "
                f"CP_REDUCE_{r.get('whole', name(r))}, {warns}, {str(r.identity).lower()},\n"
                f"        {str(r.get('root', False)).lower()}, {quoted(r.ufunc)},\n        {quoted(r.doc)},\n    }},\n")

    calls = "".join(f"cp_array *(cp_{name(r)})(cp_array *x, const cp_reduce_options *options)\n"
                    f"{{\n    return cp_reduce(CP_REDUCE_{name(r)}, x, options);\n}}\n" for r in reductions)
    return TABLE % ("".join(map(reducer_line, reduce_rows)), "".join(map(reduction_line, reductions)), calls)


# --- finishes ---

FINALIZES = """/* From accumulators to results: the finalizers of reduce.def, a function for each class; for C17 and
CUDA
 * C++ alike. */
#ifndef CPI_REDUCE_FINISHES_H
#define CPI_REDUCE_FINISHES_H

/* a: a sum or product of n elements; real and imaginary parts are finished alike. */
CPI_RESULT double cpi_finalize_number(cp_reduction op, double a, int64_t n)
{
%s}

/* a: the sum of squared deviations of n elements. */
CPI_RESULT double cpi_finalize_moments(cp_reduction op, double a, double n, double ddof)
{
%s}

/* a: how many of n elements. */
CPI_RESULT int64_t cpi_finalize_count(cp_reduction op, int64_t a, int64_t n)
{
%s}

/* a: the indexed of one of n elements. */
CPI_RESULT int64_t cpi_finalize_indexed(cp_reduction op, int64_t a, int64_t n)
{
%s}

#endif
"""


def finalizers(reduce_rows, reductions):
    accumulator = {name(f): f.accumulator for f in reduce_rows}

    def body(cls):
        mine = [r for r in reductions if accumulator[r.reducer] == cls and r.finalize != "a"]
        unused = "" if any(re.search(r"\bn\b", r.finalize) for r in mine) else "    (void)n;\n"
        if not mine:
            return unused + "    (void)op;\n    return a;\n"
        cases = "".join(f"    case CP_REDUCE_{name(r)}: return {reducer_words.finalize_in_c(r, cls)};\n" for r in mine)
        return f"{unused}    switch ((int)op) {{\n{cases}    default: return a;\n    }}\n"

    return FINALIZES % tuple(body(cls) for cls in ("number", "moments", "count", "indexed"))


# --- lists of kernels ---

def kernel_list(reduce_rows, elements):
    """src/reduce/kernels_simd.c: the kernels made from rows, by reducer."""
    tables = [(f, whole) for f in reduce_rows for whole in (False, True)
              if any(v.whole == whole for v in reducers.variants(f, elements))]
    symbol = lambda f, whole: f"CPI_ISA_NAME(cpi_reducer_{name(f)}{'_whole' if whole else ''})"  # noqa: E731
    out = "/* The kernels made from the rows of reduce.def, by reducer; [..][1]: of integers modulo 2^64. */\n"
    out += '#include "reduce/kernels.h"\n\n'
    out += "".join(f"extern const cpi_reduce_kernel {symbol(f, w)}[CP_NTYPES];\n" for f, w in tables)
    out += "\nconst cpi_reduce_kernels CPI_ISA_NAME(cpi_reduce_rows) = {\n"
    out += "".join(f"    [CPI_REDUCER_{name(f).upper()}][{int(w)}] = {symbol(f, w)},\n" for f, w in tables)
    return out + "};\n"


def launchers(reduce_rows):
    """src/reduce/reducers_cuda.h: the launcher of each reducer on the GPU."""
    names = [f.get("cuda", f"cpi_reducer_{name(f)}") for f in reduce_rows]
    out = "/* The reducers of the GPU: for each a function that launches its kernel. */\n"
    out += '#ifndef CPI_REDUCE_REDUCERS_CUDA_H\n#define CPI_REDUCE_REDUCERS_CUDA_H\n\n#include "reduce/reduce.h"\n\n'
    out += "".join(f"cp_code {n}(cp_stream *stream, const cpi_reduce_args *a);\n" for n in dict.fromkeys(names))
    out += "\nstatic inline cp_code cpi_launch_reducer(cp_stream *stream, const cpi_reduce_args *a)\n"
    out += "{\n    switch ((int)a->reducer) {\n"
    out += "".join(f"    case CPI_REDUCER_{name(f).upper()}: return {n}(stream, a);\n" for f,
                   n in zip(reduce_rows, names))
    return out + "    default: return CP_ERROR_VALUE;\n    }\n}\n\n#endif\n"


def write(tables, out):
    reduce_rows, reductions = tables.of("reducer"), tables.of("reduction")
    check(reduce_rows, reductions)
    types = types_of(tables)
    elements, halves = [Element(t) for t in types if t.kind != "bool"
                        and not t.is_half], [t for t in types if t.is_half]
    here = lambda file, text: out.write(file, SOURCE, text)  # noqa: E731
    here("include/cuprite/reductions.h", public(reductions))
    here("src/reduce/rows.h", rows_header(reduce_rows, reductions))
    here("src/reduce/table.c", table(reduce_rows, reductions))
    here("src/reduce/finalizes.h", finalizers(reduce_rows, reductions))
    here("src/reduce/words.h", reducers.words(elements))
    for f in reduce_rows:
        here(f"src/reduce/{name(f)}.h", reducers.header(f, elements))
        here(f"src/reduce/{name(f)}_simd.c", reducer_kernels.kernels(f, elements))
        if not f.get("cuda"):
            here(f"src/reduce/{name(f)}_cuda.cu", reducers.cuda(f, elements, halves))
    here("src/reduce/kernels_simd.c", kernel_list(reduce_rows, elements))
    here("src/reduce/reducers_cuda.h", launchers(reduce_rows))
