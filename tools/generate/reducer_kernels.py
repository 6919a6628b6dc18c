"""The kernels of the CPU that the rows `reducer` of src/array/reduce/reduce.def become: src/reduce/NAME_simd.c.

Sums, products and counts are written in vectors (src/reduce/vectors.h); reducers with other accumulators or another
combine as loops over SIMD lanes, which compilers vectorize. Invariant: both reduce in the same order.
"""
import re
from string import Template

from reducers import CONSTANTS, variants

COLUMNS = Template("""\
static void ${N}_columns(const void *data, int64_t pitch, int64_t rows, int64_t cols, int64_t base,
    const double *shift, void *acc)
{
    enum { W = 256 / sizeof($T) };
    const char *at = data;
    $A *restrict a = acc;
    int64_t i = 0;
    (void)shift;
$start    for (; i + 4 <= rows; i += 4, at += 4 * pitch) {
        const $T *restrict p = (const $T *)at, *restrict q = (const $T *)(at + pitch);
        const $T *restrict r = (const $T *)(at + 2 * pitch), *restrict s = (const $T *)(at + 3 * pitch);
        int64_t j = 0;
        for (; j + W <= cols; j += W) {
            for (int k = 0; k < 16; k++) /* the same part of the next four rows */
                __builtin_prefetch((const char *)(p + j) + (4 + k / 4) * pitch + k % 4 * 64);
            for (int64_t l = j; l < j + W; l++)
                a[l] = ${N}_combine(a[l], ${N}_of_four(p[l], q[l], r[l], s[l], base + i, 1));
        }
        for (; j < cols; j++)
            a[j] = ${N}_combine(a[j], ${N}_of_four(p[j], q[j], r[j], s[j], base + i, 1));
    }
    for (; i < rows; i++, at += pitch) {
        const $T *restrict p = (const $T *)at;
        for (int64_t j = 0; j < cols; j++) a[j] = ${N}_combine(a[j], ${N}_map(p[j], base + i));
    }
}

""")

RUN = Template("""\
static void ${N}_run(const void *data, int64_t n, int64_t base, const double *shift, void *acc)
{
    enum { L = $L };
    const $T *x = data;
    $A a[L];
    int64_t i = 0;
    (void)shift;
#pragma GCC unroll 1
    for (int l = 0; l < L; l++) a[l] = ${N}_identity();
    for (; i + 4 * L <= n; i += 4 * L) {
        const $T *p = x + i;
        CPI_REDUCE_FETCH(p, 4 * L * sizeof($T));
#pragma GCC unroll 1
        for (int l = 0; l < L; l++)
            a[l] = ${N}_combine(a[l], ${N}_of_four(p[l], p[L + l], p[2 * L + l], p[3 * L + l], base + i + l, L));
    }
    for (; i + L <= n; i += L) {
        const $T *p = x + i;
#pragma GCC unroll 1
        for (int l = 0; l < L; l++) a[l] = ${N}_combine(a[l], ${N}_map(p[l], base + i + l));
    }
    /* half the lanes, and as many elements where there are so many: fewer than L are left */
$halves    *($A *)acc = $result;
}

""")

# The same for accumulators of 64 bits, in vectors; a lane without elements is the identity, which combines to the other
# operand. Complex sums are sums of parts: two parts are an element, and the last two lanes the result. Rows one after
# the other, or four at a time.
VECTOR_ROWS = Template("""\
    for (; i < rows; i++, at += pitch) {
        const $P *restrict p = (const $P *)at;
        int64_t j = 0;
        for (; j + 8 <= cols; j += 8) {
            cpl_${s}x8 v;
            memcpy(&v, a + j, sizeof v);
            v = v $op $p8;
            memcpy(a + j, &v, sizeof v);
        }
        for (; j < cols; j++) a[j] = a[j] $op $p1;
    }
""")

VECTOR_FOUR_ROWS = Template("""\
    for (; i + 4 <= rows; i += 4, at += 4 * pitch) {
        const $P *restrict p = (const $P *)at, *restrict q = (const $P *)(at + pitch);
        const $P *restrict r = (const $P *)(at + 2 * pitch), *restrict s = (const $P *)(at + 3 * pitch);
        int64_t j = 0;
        for (; j + W <= cols; j += W) {
            for (int k = 0; k < 16; k++) /* the same part of the next four rows */
                __builtin_prefetch((const char *)(p + j) + (4 + k / 4) * pitch + k % 4 * 64);
            for (int64_t l = j; l < j + W; l += 8) ${N}_step(a + l, p + l, q + l, r + l, s + l);
        }
        for (; j + 8 <= cols; j += 8) ${N}_step(a + j, p + j, q + j, r + j, s + j);
        for (; j < cols; j++) a[j] = a[j] $op (($p1 $op $q1) $op ($r1 $op $s1));
    }
    for (; i < rows; i++, at += pitch) {
        const $P *restrict p = (const $P *)at;
        for (int64_t j = 0; j < cols; j++) a[j] = a[j] $op $p1;
    }
""")

VECTOR_STEP = Template("""\
/* a[0 .. 7] with the same elements of four rows. */
static inline void ${N}_step($B *a, const $P *p, const $P *q, const $P *r, const $P *s)
{
    cpl_${s}x8 v;
    memcpy(&v, a, sizeof v);
    v = v $op (($p8 $op $q8) $op
             ($r8 $op $s8));
    memcpy(a, &v, sizeof v);
}

""")

VECTOR_COLUMNS = Template("""\
$few${step}static void ${N}_columns(const void *data, int64_t pitch, int64_t rows, int64_t cols, int64_t base,
    const double *shift, void *acc)
{
    enum { W = 256 / sizeof($P) };
    const char *at = data;
    $B *restrict a = acc;
    int64_t i = 0;
    (void)base, (void)shift;
$twice    if (cols < W) {
        ${N}_few(at, pitch, rows, cols, a);
        return;
    }
    for (int64_t j = 0; j < cols; j++) a[j] = $identity;
$rows}

""")

# A few columns: accumulators stay in registers from row to row.
FEW_COLUMNS = Template("""\
static inline void ${N}_few_x$lanes(const char *at, int64_t pitch, int64_t rows, $B *acc)
{
    cpl_${s}x$lanes v = $identity - (cpl_${s}x$lanes){0};
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4, at += 4 * pitch)
        v = v $op (($l0 $op $l1) $op
                 ($l2 $op $l3));
    for (; i < rows; i++, at += pitch) v = v $op $l0;
    memcpy(acc, &v, sizeof v);
}

""")

FEW = Template("""\
${parts}static void ${N}_few(const char *at, int64_t pitch, int64_t rows, int64_t cols, $B *acc)
{
    int64_t j = 0;
    for (; j + 8 <= cols; j += 8) ${N}_few_x8(at + j * (int64_t)sizeof($P), pitch, rows, acc + j);
    for (; j + 4 <= cols; j += 4) ${N}_few_x4(at + j * (int64_t)sizeof($P), pitch, rows, acc + j);
    for (; j + 2 <= cols; j += 2) ${N}_few_x2(at + j * (int64_t)sizeof($P), pitch, rows, acc + j);
    if (j < cols) ${N}_few_x1(at + j * (int64_t)sizeof($P), pitch, rows, acc + j);
}

""")

VECTOR_BLOCKS = Template("""\
    for (; i + 64 <= n; i += 64) {
        CPI_REDUCE_FETCH(x + i, 64 * sizeof($P));
        a = a $op (($x0 $op $x16) $op
                 ($x32 $op $x48));
        b = b $op (($x8 $op $x24) $op
                 ($x40 $op $x56));
    }
""")

# The same as compilers vectorize it, which is faster for float32: a vector holds twice as many of them.
GENERIC_BLOCKS = Template("""\
    if (n >= 64) {
        $B lanes[16];
        for (int l = 0; l < 16; l++) lanes[l] = $identity;
        for (; i + 64 <= n; i += 64) {
            const $P *p = x + i;
            CPI_REDUCE_FETCH(p, 64 * sizeof($P));
#pragma GCC unroll 1
            for (int l = 0; l < 16; l++)
                lanes[l] = lanes[l] $op ${N}_of_four(p[l], p[16 + l], p[32 + l], p[48 + l], 0, 0);
        }
        memcpy(&a, lanes, sizeof a), memcpy(&b, lanes + 8, sizeof b);
    }
""")

VECTOR_RUN = Template("""\
static void ${N}_run(const void *data, int64_t n, int64_t base, const double *shift, void *acc)
{
    const $P *x = data;
    cpl_${s}x8 a = $identity - (cpl_${s}x8){0}, b = a;
    int64_t i = 0;
    (void)base, (void)shift;
$twice$blocks    for (; i + 16 <= n; i += 16) {
        a = a $op $x0;
        b = b $op $x8;
    }
    /* half the lanes, and as many elements where there are so many: fewer than 16 are left */
    a = a $op b;
    if (n - i >= 8) a = a $op $x0, i += 8;
    cpl_${s}x4 c = CPL_LOW4(cpl_${s}x4, a) $op CPL_HIGH4(cpl_${s}x4, a);
    if (n - i >= 4) c = c $op $y, i += 4;
    cpl_${s}x2 d = CPL_LOW2(cpl_${s}x2, c) $op CPL_HIGH2(cpl_${s}x2, c);
    if (n - i >= 2) d = d $op $z, i += 2;
$last}

""")

# Integers narrower than half their accumulator: few of them fill a vector of accumulators, and what narrow vectors
# store wide ones cannot load at once.
WIDENED = Template("""\
static void ${M}_run(const void *data, int64_t n, int64_t base, const double *shift, void *acc);
static void ${N}_run(const void *data, int64_t n, int64_t base, const double *shift, void *acc)
{
    $W wide[CPI_REDUCE_BLOCK];
    const $T *x = data;
    for (int64_t i = 0; i < n; i++) wide[i] = x[i];
    ${M}_run(wide, n, base, shift, acc);
}

""")

HALF = Template("""\
    if (i)
#pragma GCC unroll 1
        for (int l = 0; l < $h; l++) a[l] = ${N}_combine(a[l], a[$h + l]);
    if (n - i >= $h) {
        const $T *p = x + i;
#pragma GCC unroll 1
        for (int l = 0; l < $h; l++) a[l] = ${N}_combine(a[l], ${N}_map(p[l], base + i + l));
        i += $h;
    }
""")


def few_columns(both, load):
    """The function for fewer columns than a block has; load(k, where) reads k elements."""
    rows = {f"l{k}": f"at + {k} * pitch" if k > 1 else "at + pitch" if k else "at" for k in range(4)}
    parts = "".join(FEW_COLUMNS.substitute(both, lanes=k, **{l: load(k, at) for l, at in rows.items()})
                    for k in (8, 4, 2, 1))
    return FEW.substitute(both, parts=parts)


def in_vectors(reducer, names):
    """Run and columns in vectors, if the reducer adds or multiplies numbers or counts; else None. `part` is the type of
    vector elements: elements, the parts of complex ones, or, for counting, their bits."""
    e, op = reducer.element, {"add(a, b)": "+", "multiply(a, b)": "*"}.get(reducer.row.combine)
    known = re.fullmatch(r"known\(x, (\w+)\)", reducer.row.map)
    counts = reducer.row.accumulator == "count" and reducer.row.map == "nonzero(x)"
    pairs = e.kind == "complex" and not counts
    if not op or not (counts or reducer.row.accumulator == "number" and (known or reducer.row.map == "x")):
        return None
    if pairs and (known or op != "+") or e.size > 8 and counts:
        return None
    part = {"c64": "f32", "c128": "f64"}.get(e.x, e.x)
    s = "f64" if pairs else reducer.acc
    bits = {"f32": "INT32_MAX", "f64": "INT64_MAX", "c64": "0x7fffffff7fffffff"}.get(e.x, "-1")
    if counts:
        part = f"u{8 * e.size}"
    P = {"f32": "float", "f64": "double", "u32": "uint32_t", "u64": "uint64_t"}.get(part, e.T)
    kept = CONSTANTS[part][known[1]] if known and part[0] == "f" else None  # what stands for NaN

    def load(lanes, at):
        types = f"{part}, {s}"
        if counts:
            return f"CPL_NONZERO({types}, {lanes}, {bits}, {at})"
        if kept:
            return f"CPL_KNOWN8({types}, i{part[1:]}, {kept}, {at})" if lanes == 8 else \
                f"CPL_KNOWN({types}, i{part[1:]}, {lanes}, {kept}, {at})"
        return f"CPL_LOAD({types}, {lanes}, {at})"

    def one(v):
        if counts:
            return f"(({v} & {bits}) != 0)" if bits != "-1" else f"({v} != 0)"
        if pairs:
            return f"(double){v}"
        return f"{reducer.name}_map({v}, 0)" if kept else f"({names['A']}){v}"

    B = {"f64": "double", "u64": "uint64_t"}[s]
    last = "    memcpy(acc, &d, sizeof d);\n"
    if not pairs:
        last = f"    {B} last = d[0] {op} d[1];\n    if (n - i) last = last {op} {one('x[i]')};\n"
        last += f"    *({B} *)acc = last;\n"
    both = {"N": reducer.name, "P": P, "B": B, "s": s, "op": op, "identity": CONSTANTS[s][reducer.row.identity],
            "L": 16}
    both |= {v + "1": one(f"{v}[j]") for v in "pqrs"} | {v + "8": load(8, v) for v in "pqrs"}
    xs = {f"x{k}": load(8, f"x + i + {k}" if k else "x + i") for k in range(0, 64, 8)}
    blocks = (GENERIC_BLOCKS if kept and part == "f32" else VECTOR_BLOCKS).substitute(both, A=reducer.A, **xs)
    run = VECTOR_RUN.substitute(both, **xs, blocks=blocks, last=last, y=load(4, "x + i"), z=load(2, "x + i"),
                                twice="    n *= 2;\n" if pairs else "")
    few = few_columns(both, load)
    if kept and part == "f32" or counts and e.size < 8:  # compilers do better
        few_first = f"    if (cols < W) {{\n        {reducer.name}_few(at, pitch, rows, cols, a);\n"
        few_first += "        return;\n    }\n"
        return few + COLUMNS.substitute(names, start=few_first + names["start"]), run
    exact = s == "u64" and e.size == 8  # any order will do
    four = VECTOR_ROWS if exact else VECTOR_FOUR_ROWS
    rows = four.substitute(both | ({"p8": load(8, "p + j")} if exact else {}))
    columns = VECTOR_COLUMNS.substitute(both, few=few, rows=rows, step="" if exact else VECTOR_STEP.substitute(both),
                                        twice="    cols *= 2;\n" if pairs else "")
    return columns, run


def lanes(size):
    """The number of accumulators of that many bytes: some 128 bytes, a power of two."""
    return 4 if size > 16 else 128 // size


def halves(names):
    """Combines the lanes pairwise, half with half, and the remaining elements in between."""
    out, h = "", names["L"] // 2
    while h:
        out += HALF.substitute(names, h=h)
        h //= 2
    return out


KERNEL = Template("""\
/* --- $type$whole --- */

/* Four elements, the first at position i, `step` from one to the next. */
CPS_MATH $A ${N}_of_four($T p, $T q, $T r, $T s, int64_t i, int64_t step)
{
    $A first = ${N}_combine(${N}_map(p, i), ${N}_map(q, i + step));
    $A second = ${N}_combine(${N}_map(r, i + 2 * step), ${N}_map(s, i + 3 * step));
    return ${N}_combine(first, second);
}

$columns${run}static void ${N}_join(void *av, const void *bv, int64_t n)
{
    $A *restrict a = av;
    const $A *restrict b = bv;
    for (int64_t i = 0; i < n; i++) a[i] = ${N}_combine(a[i], b[i]);
}

static void ${N}_empty(void *acc) { *($A *)acc = ${N}_identity(); }

""")

# Hand-written kernels are compiled once more for the first instruction set only: as a reference.
PORTABLE = "#if !defined(__AVX2__) || defined(CPI_WITHOUT_V2)\n{}#endif\n"

KERNELS = Template("""\
/* Kernels of the reducer $name, for every type; compiled once per instruction set.
 *
 * A block is reduced in lanes, some 128 bytes of accumulators, element by element in loops of a fixed length that
 * compilers turn into vectors, then as a tree, which takes in what is left of the elements. Invariant: the order does
 * not depend on the instruction set, so neither do the bits; positions may meet in any order. */
#include "reduce/kernels.h"
${lanes}#include "reduce/$name.h"

$kernels/* --- the table --- */

""")


def kernels(row, elements):
    """src/reduce/NAME_simd.c: the kernels of the CPU."""
    text, tables = [], {False: [], True: []}
    for f in variants(row, elements):
        n = f.names() | {"whole": ", modulo 2^64" if f.whole else ""}
        n["result"] = f"{f.name}_combine(*(const {f.A} *)acc, a[0])" if f.placed else "a[0]"
        n["start"] = "" if f.placed else f"    for (int64_t j = 0; j < cols; j++) a[j] = {f.name}_identity();\n"
        n["L"] = lanes(f.size)
        n["halves"] = halves(n)
        narrow = f.element.whole and f.element.size <= 2
        widened = narrow and f.whole
        if widened:
            x = f.element.x[0] + "32"
            n["M"], n["W"] = f"{row.args[0]}_{x}_whole", {"i32": "int32_t", "u32": "uint32_t"}[x]
        n["columns"], n["run"] = COLUMNS.substitute(n), RUN.substitute(n)
        if widened:
            n["run"] = WIDENED.substitute(n)
        elif not narrow:
            n["columns"], n["run"] = in_vectors(f, n) or (n["columns"], n["run"])
        N = f.name
        body = KERNEL.substitute(n)
        entry = f"    [{f.element.enum}] = {{sizeof({f.A}), {N}_run, {N}_columns, {N}_join, {N}_empty}},\n"
        which = row.get("hand_written")
        hand_written = which == "all" or which == "real" and f.element.kind != "complex"
        text.append(PORTABLE.format(body) if hand_written else body)
        tables[f.whole].append(PORTABLE.format(entry) if hand_written else entry)
    made = "".join(text)
    header = "known_vectors.h" if "CPL_KNOWN" in made else "vectors.h"
    header = f'#include "reduce/{header}"\n' if "cpl_" in made else ""
    out = KERNELS.substitute(name=row.args[0], lanes=header, kernels=made)
    for whole, lines in tables.items():
        if lines:
            table = f"cpi_reducer_{row.args[0]}" + ("_whole" if whole else "")
            out += f"const cpi_reduce_kernel CPI_ISA_NAME({table})[CP_NTYPES] = {{\n{''.join(lines)}}};\n"
    return out
