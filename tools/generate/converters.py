"""Conversions of contiguous elements between all types.

    src/move/converters.h       the CPU's, for move_simd.c: a loop, or two loops one after the other, for every pair of
                                types, and their table
    src/move/converters_cuda.h  the GPU's, for move_cuda.cu: what converts an element, and the table of kernels

Few pairs need a loop of their own. Pairs whose results have the same bits share one (`acting`); and what
cps_FROM_to_TO (scalar/convert.h) does by way of a third type is done so block by block (`way`), where the type is
narrow or what is lost of a complex number costs more than that.
"""
from element_types import TABLE, by_suffix, types_of
from table import TableError


def acting(types, a, b):
    """The pair whose loop serves a to b: of integers the unsigned one where a sign is not spread."""
    def unsigned(size):
        return next((t for t in types if t.kind == "unsigned" and t.size == size), None)

    if a is b and a.kind != "bool":
        return (unsigned(a.size) or a,) * 2
    if a.is_int and (b.kind == "bool" or b.is_int and b.size <= a.size):
        a = unsigned(a.size)
    if b.is_int and (a.kind == "bool" or a.is_int or a.kind == "float" and b.size < 4):
        b = unsigned(b.size)
    return a, b


def way(types, a, b):
    """The type by way of which `conversion` of element_types.py goes, where it does."""
    if a is b:
        return None
    part, real = by_suffix(types, b.part), "complex" not in (a.kind, b.kind)
    if a.kind == "complex" and b.kind not in ("complex", "bool"):
        part = by_suffix(types, a.part)
        return part if b is not part else None
    if b.kind == "complex" and a.kind != "complex":
        return part if a.size < 4 else None
    if real and a.is_half:
        wide = by_suffix(types, a.computes)
        return wide if b is not wide else None
    if real and b.is_half and a.is_int:
        return by_suffix(types, b.computes)
    return None


def header(types):
    def name(a, b):
        return "convert_{}_{}".format(*(t.suffix for t in acting(types, a, b)))

    loops, steps, table = {}, {}, []
    for a in types:
        for b in types:
            table.append(f"    [{a.enum}][{b.enum}] = {name(a, b)},")
            by, (p, q) = way(types, a, b), acting(types, a, b)
            if by:
                steps[name(a, b)] = (a, by, b)
            else:
                loops[name(a, b)] = (p, q)
    text = "#ifndef CPI_CONVERTERS_H\n#define CPI_CONVERTERS_H\n\n"
    for n, (a, b) in loops.items():
        half = a.is_half or b.is_half
        text += f"#ifndef {n} /* an instruction of the processor */\n" if half else ""
        text += f"static void {n}(void *out_, const void *in_, int64_t n)\n{{\n"
        text += f"    {b.stored} *out = out_;\n    const {a.stored} *in = in_;\n#pragma GCC ivdep\n"
        text += f"    for (int64_t i = 0; i < n; i++) out[i] = cps_{a.suffix}_to_{b.suffix}(in[i]);\n}}\n"
        text += "#endif\n" if half else ""
    text += """
/* By way of a third type. */
static void convert_twice(char *out, int out_size, const char *in, int in_size, int64_t n, cpi_converter first,
                          cpi_converter second)
{
    enum { BLOCK = 256 };
    uint64_t between[BLOCK];
    for (; n > 0; n -= BLOCK, in += BLOCK * in_size, out += BLOCK * out_size) {
        first(between, in, n < BLOCK ? n : BLOCK);
        second(out, between, n < BLOCK ? n : BLOCK);
    }
}
"""
    done = set(loops)
    while steps:
        ready = [n for n, (a, by, b) in steps.items() if {name(a, by), name(by, b)} <= done]
        if not ready:
            raise TableError(f"{TABLE}: conversions go round in a circle: {', '.join(steps)}")
        for n in ready:
            a, by, b = steps.pop(n)
            text += f"static void {n}(void *out, const void *in, int64_t n)\n{{\n"
            text += f"    convert_twice(out, {b.size}, in, {a.size}, n, {name(a, by)}, {name(by, b)});\n}}\n"
        done.update(ready)
    text += "\nstatic const cpi_converter converters[CP_NTYPES][CP_NTYPES] = {\n" + "\n".join(table) + "\n};\n"
    return text + "\n#endif"


def kernels(types):
    names, text, table = set(), "#ifndef CPI_CONVERTERS_CUDA_H\n#define CPI_CONVERTERS_CUDA_H\n\n", ""
    for a in types:
        row = []
        for b in types:
            p, q = acting(types, a, b)
            name = f"convert_{p.suffix}_{q.suffix}"
            row.append(f"entry_of<{name}>()")
            if name in names:
                continue
            names.add(name)
            text += f"struct {name} {{\n    using From = {p.stored};\n    using To = {q.stored};\n"
            text += "    static __device__ __forceinline__ To call(From v) "
            text += f"{{ return cps_{p.suffix}_to_{q.suffix}(v); }}\n"
            text += "};\n"
        table += "    {" + ",\n     ".join(row) + "},\n"
    return text + f"\nconst entry converters[CP_NTYPES][CP_NTYPES] = {{\n{table}}};\n\n#endif"


def write(tables, out):
    types = types_of(tables)
    out.write("src/move/converters.h", TABLE, header(types))
    out.write("src/move/converters_cuda.h", TABLE, kernels(types))
