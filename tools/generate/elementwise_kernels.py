"""The GPU's side of the elementwise operations (rows: elementwise.py):

    src/move/memory_cuda.h                loads of every type as every other; memory_runs_cuda.h: of neighbours
    src/elementwise/operations_cuda.h     rows as data for the launcher, the kernels' tables
    src/elementwise/kernels_TYPES_cuda.cu operations as structs for the templates of flat_cuda.h, and those tables;
                                          kernels_halves_cuda.cu: of contiguous halves

Operations with one result, all of whose inputs have the computing type, use the templates; the others have their own
kernel. In a group of types equal bodies exist once.
"""
from element_types import by_suffix, for_type, types_of
from elementwise import (LETTERS, RULES, TABLE, acting_type, called_once, chapters_of, groups_of, main_of,
                         operations_of, types_in, uses, word_of)

CALLS = {"never": "CPI_CALL_NEVER", "general": "CPI_CALL_GENERAL", "wide": "CPI_CALL_WIDE", "always": "CPI_CALL_ALWAYS",
         "once": "CPI_CALL_ALWAYS"}
WIDE = {"f32": "f64", "c64": "c128"}
HEAD = "static __device__ __noinline__"
GLOBAL = "static __global__ void __launch_bounds__(CPI_THREADS)"


# --- memory ---

def cases(types, line):
    return "".join(f"    case {t.enum}: {line(t)}\n" for t in types)


def load(types, t):
    c, s = t.stored, t.suffix
    text = f"static __host__ __device__ __noinline__ {c} cpi_load_{s}(const void *p, int type)\n"
    text += "{\n    switch (type) {\n"
    text += cases(types, lambda u: f"return cps_{u.suffix}_to_{s}(*(const {u.stored} *)p);")
    return text + f"    }}\n    return {c}();\n}}\n"


def load_run(types, t):
    c, s = t.stored, t.suffix
    text = f"{HEAD} cpi_pack<{c}, CPI_RUN> cpi_load_run_{s}(const void *p, int type, bool aligned)\n{{\n"
    text += f"    cpi_pack<{c}, CPI_RUN> r;\n    switch (type) {{\n"
    for u in types:
        text += f"    case {u.enum}: {{\n        cpi_pack<{u.stored}, CPI_RUN> v = cpi_take<{u.stored}>(p, aligned);\n"
        text += f"        for (int j = 0; j < CPI_RUN; j++) r.x[j] = cps_{u.suffix}_to_{s}(v.x[j]);\n"
        text += "        break;\n    }\n"
    return text + "    default: break;\n    }\n    return r;\n}\n"


def store(types, t):
    c, s = t.stored, t.suffix
    text = f"{HEAD} void cpi_store_{s}(void *p, int type, {c} v)\n{{\n    switch (type) {{\n"
    text += cases(types, lambda u: f"*({u.stored} *)p = cps_{s}_to_{u.suffix}(v); break;")
    return text + "    }\n}\n"


def store_run(types, t):
    c, s = t.stored, t.suffix
    text = f"{HEAD} void cpi_store_run_{s}(void *p, int type, bool aligned, cpi_pack<{c}, CPI_RUN> v)\n{{\n"
    text += "    switch (type) {\n"
    for u in types:
        text += f"    case {u.enum}: {{\n        cpi_pack<{u.stored}, CPI_RUN> r;\n"
        text += f"        for (int j = 0; j < CPI_RUN; j++) r.x[j] = cps_{s}_to_{u.suffix}(v.x[j]);\n"
        text += f"        cpi_give<{u.stored}>(p, aligned, r);\n        break;\n    }}\n"
    return text + "    default: break;\n    }\n}\n"


def memory(types):
    text = "#ifndef CPI_MEMORY_CUDA_H\n#define CPI_MEMORY_CUDA_H\n\n#include \"cuda/elements.h\"\n\n"
    text += "/* A value of any type in memory as one of each type. Called, not copied: there is one body. */\n\n"
    return text + "\n".join(load(types, t) for t in types) + "\n#endif"


def memory_runs(types):
    text = "#ifndef CPI_MEMORY_RUNS_CUDA_H\n#define CPI_MEMORY_RUNS_CUDA_H\n\n"
    text += '#include "move/memory_cuda.h"\n#include "move/vectors.cuh"\n\n'
    text += "/* The same for CPI_RUN neighbours. */\n\n"
    return text + "\n".join(load_run(types, t) for t in types) + "\n#endif"


# --- rows and tables for the launcher ---

def declared(t):
    return f"extern const cpi_cuda_entry cpi_cuda_ops_{t.suffix}[CPI_NKERNELS];"


def launcher(operations, types):
    text = "#ifndef CPI_OPERATIONS_CUDA_H\n#define CPI_OPERATIONS_CUDA_H\n\n#include \"elementwise/kernels_cuda.h\"\n\n"
    text += "/* What the launcher knows of an operation; the words of `in` and `out` are table.h's. */\n"
    text += "struct cpi_cuda_row {\n    const char *name;\n    uint8_t nin, nout, rule, chapter, place;\n"
    text += "    int8_t in[CPI_MAXIN], out[CPI_MAXOUT];\n};\n"
    text += "static const cpi_cuda_row cpi_cuda_rows[CPI_NKERNELS] = {\n"
    places = {o: i for members in chapters_of(operations).values() for i, o in enumerate(members)}
    for o in operations:
        ins, outs = (", ".join(word_of(types, w) for w in words) for words in (o.inputs, o.outputs))
        where = f"CPI_CHAPTER_{o.chapter}, {places[o]}" if o.chapter else "0, 0"
        text += f'    {{"{o.name}", {o.nin}, {o.nout}, {RULES[o.rule]}, {where}, {{{ins}}}, {{{outs}}}}},\n'
    text += "};\n\n/* Of operations on halves, the kernels for contiguous ones. */\n"
    text += "extern const cpi_cuda_half_entry cpi_cuda_half_ops[CPI_NKERNELS][CPI_NHALVES];\n"
    text += "/* The kernels by computing type, then by operation. */\n"
    text += "".join(declared(t) + "\n" for t in types if not t.is_half)
    text += "static const cpi_cuda_entry *const cpi_cuda_ops[CP_NTYPES] = {\n"
    text += "".join(f"    {'nullptr' if t.is_half else 'cpi_cuda_ops_' + t.suffix},\n" for t in types)
    text += "};\n\n/* The kernels of accumulators by computing type. */\n"
    mine = [t for t in types if not t.is_half]
    text += "".join(f"extern const cpi_cuda_accumulator cpi_cuda_acc_{t.suffix};\n" for t in mine)
    text += "static const cpi_cuda_accumulator *const cpi_cuda_accumulators[CP_NTYPES] = {\n"
    text += "".join(f"    {'nullptr' if t.is_half else '&cpi_cuda_acc_' + t.suffix},\n" for t in types)
    return text + "};\n\n" + chapters_launcher(chapters_of(operations), types) + "\n#endif"


FIND = """/* The kernels of an operation; nullptr where there is none of that type. */
static inline const cpi_cuda_entry *cpi_cuda_entry_of(int op, cp_type type)
{
    const cpi_cuda_row *row = &cpi_cuda_rows[op];
    const cpi_cuda_entry *table = row->chapter ? cpi_cuda_chapters[row->chapter][type] : cpi_cuda_ops[type];
    return table ? &table[row->chapter ? row->place : op] : nullptr;
}
static inline const cpi_cuda_accumulator *cpi_cuda_accumulator_of(int op, cp_type type)
{
    const int chapter = cpi_cuda_rows[op].chapter;
    return chapter ? cpi_cuda_chapter_accumulators[chapter][type] : cpi_cuda_accumulators[type];
}
"""


def chapters_launcher(chapters, types):
    """The tables of the chapters, and how an operation's kernels are found."""
    text, tables, accumulators = "", "", ""
    for chapter, members in chapters.items():
        mine = types_in(members, types)
        text += "".join(f"extern const cpi_cuda_entry cpi_cuda_{chapter}_{t.suffix}[];\n"
                        f"extern const cpi_cuda_accumulator cpi_cuda_acc_{chapter}_{t.suffix};\n" for t in mine)
        tables += f"    {{{', '.join(f'cpi_cuda_{chapter}_{t.suffix}' if t in mine else 'nullptr' for t in types)}}},\n"
        accumulators += "    {" + ", ".join(f"&cpi_cuda_acc_{chapter}_{t.suffix}" if t in mine else "nullptr"
                                            for t in types) + "},\n"
    text += "/* By chapter and computing type. */\n"
    text += "static const cpi_cuda_entry *const cpi_cuda_chapters[CPI_NCHAPTERS][CP_NTYPES] = {\n    {},\n" + tables
    text += "};\nstatic const cpi_cuda_accumulator *const cpi_cuda_chapter_accumulators[CPI_NCHAPTERS][CP_NTYPES] = {\n"
    return text + "    {},\n" + accumulators + "};\n\n" + FIND


# --- kernels ---

class Kernels:
    """The text of a file."""

    def __init__(self, types):
        self.types, self.names, self.text = types, {}, []
        self.kept = {}  # kernels of several operations, by types
        self.families = {}  # (type, result, inputs): the name of a family, the operations in it
        self.memory = {}  # load and store functions of the kernels, in order of first use

    def needs(self, *wanted):
        for function, t in wanted:
            self.memory.setdefault((function.__name__, t.suffix), function(self.types, t))

    def single(self, key, name, text):
        if key not in self.names:
            self.names[key] = name
            self.text.append(text(name))
        return self.names[key]

    def body(self, o, t):
        """(acting type, expressions, whether operands are taken as truth values); None where there is no kernel."""
        column = o.column(t)
        if o.rule == "logic":
            if t.is_half or o.loops is not None:
                return None
            acting = acting_type(self.types, "bits", t) if t.is_int else t
            return acting, [for_type(o.row.get("bool"), self.types, acting)], True
        if column is None:
            return None
        acting = acting_type(self.types, column[0], t)
        return acting, [for_type(e, self.types, acting) for e in column[1]], False

    def plain(self, o, t):
        """The struct of a plain operation."""
        acting, (expression,), truth = self.body(o, t)
        result = self.types[0] if truth else o.out_types(self.types, acting)[0]
        c = acting.stored

        def text(name):
            used = [x for x in LETTERS[:o.nin] if uses(x, [expression])]
            kind, convert = ("uint8_t", "cpi_truth(x[{}])") if truth else (c, "x[{}]")
            takes = ", ".join(f"{x} = {convert.format(LETTERS.index(x))}" for x in used)
            return "\n".join([
                f"struct {name} {{", f"    using Type = {c};", f"    using Result = {result.stored};",
                f"    static constexpr int nin = {o.nin};", f"    static constexpr cpi_calls call = {CALLS[o.call]};",
                f"    static __device__ __forceinline__ {result.stored} body_of(const {c} *x)", "    {",
                f"        const {kind} {takes};" if used else "        (void)x;",
                f"        return {expression};", "    }", "};"])

        return self.single((c, result.stored, expression, o.nin, o.call, truth), f"{o.name}_{acting.suffix}", text)

    def family(self, t, result, nin, members, narrows):
        """All plain operations of a type with that result and number of inputs, behind one switch; `narrows`: they
        serve the narrow type too."""
        name, c, r = f"{t.suffix}_to_{result.suffix}_{nin}", t.stored, result.stored
        self.needs((load, t), (load_run, t), (store, result), (store_run, result))
        lines = [f"struct {name} {{", f"    using Type = {c};", f"    using Result = {r};",
                 f"    static constexpr int nin = {nin};",
                 f"    static constexpr bool narrows = {str(narrows).lower()};",
                 "    static __device__ __forceinline__ Type load(const void *p, int type)", "    {",
                 f"        return cpi_load_{t.suffix}(p, type);", "    }",
                 "    static __device__ __forceinline__ cpi_pack<Type, CPI_RUN>",
                 "    load_run(const void *p, int type, bool aligned)", "    {",
                 f"        return cpi_load_run_{t.suffix}(p, type, aligned);", "    }",
                 "    static __device__ __forceinline__ void store(void *p, int type, Result v)", "    {",
                 f"        cpi_store_{result.suffix}(p, type, v);", "    }",
                 "    static __device__ __forceinline__ void store_run(void *p, int type, bool aligned,",
                 "                                                     const cpi_pack<Result, CPI_RUN> &v)", "    {",
                 f"        cpi_store_run_{result.suffix}(p, type, aligned, v);", "    }",
                 "    static __device__ __forceinline__ void",
                 f"    apply(int op, const Type (&x)[{nin}][CPI_RUN], Result (&r)[CPI_RUN])", "    {",
                 "        switch (op) {"]
        by_struct = {}
        for o, struct in members:
            by_struct.setdefault(struct, []).append(o)
        for struct, same in by_struct.items():
            lines += [f"        case CP_OP_{o.name}:" for o in same]
            lines += [f"            cpi_apply<{struct}>(x, r);", "            break;"]
        self.text.append("\n".join(lines + ["        }", "    }", "};"]))
        return name

    @staticmethod
    def unrolled(o):
        """A body that is called is called from one place: its arguments take longer to compile than to move."""
        return "#pragma unroll 1" if o.call == "always" else "#pragma unroll"

    def several(self, o, t):
        """The kernels of an operation that has several results, or inputs of other types: (straight, general)."""
        before, expressions = called_once(self.body(o, t)[1], "auto")
        ins, outs = o.in_types(self.types, t), o.out_types(self.types, t)
        name = f"{o.name}_{t.suffix}"
        lines = [f"        {line}" for line in before]
        lines += [f"        const {u.stored} r{k} = {e};" for k, (e, u) in enumerate(zip(expressions, outs))]
        self.general(name, ins, outs, self.unrolled(o), lines)
        return self.straight(o, t, before, expressions), name

    def once(self, members, t):
        """The kernel of all operations of a chapter that have these types, computed in the wide type of t's kind."""
        ins, outs = members[0].in_types(self.types, t), members[0].out_types(self.types, t)
        name = f"once_{'_'.join(u.suffix for u in ins)}_to_{'_'.join(u.suffix for u in outs)}"
        lines = [f"        {u.stored} r{k} = {{}};" for k, u in enumerate(outs)] + ["        switch (g.op) {"]
        for o in members:
            before, expressions = called_once(self.body(o, t)[1], "auto")
            lines.append(f"        case CP_OP_{o.name}:{' {' if before else ''}")
            lines += [f"            {line}" for line in before]
            lines += [f"            r{k} = {e};" for k, e in enumerate(expressions)]
            lines += ["            break;"] + ["        }"] * len(before)
        words = members[0].inputs, members[0].outputs
        rounded_in, rounded_out = ([w in ("T", "part") for w in some] for some in words)
        narrow = [f"        if (g.narrow) r{k} = cpi_as_narrow(r{k});" for k in range(len(outs)) if rounded_out[k]]
        self.general(name, ins, outs, "#pragma unroll 1", lines + ["        }"] + narrow, rounded_in)
        return name

    def general(self, name, ins, outs, unrolled, body, narrows=()):
        """The kernel of any operands; `body` are lines that make r0, r1, ... of a, b, ...; narrows: the inputs that
        are rounded for the narrow type."""
        nin, nout = len(ins), len(outs)
        n = nin + nout
        self.needs(*[(load, u) for u in ins], *[(store, u) for u in outs])
        lines = [f"{GLOBAL} {name}(const __grid_constant__ cpi_general_args g)", "{",
                 "    const int64_t first = (int64_t)blockIdx.x * (CPI_THREADS * CPI_RUN) + threadIdx.x;",
                 f"    int64_t at[CPI_RUN][{n}];", "    bool active[CPI_RUN];"]
        lines += [f"    {u.stored} {x}s[CPI_RUN];" for x, u in zip(LETTERS, ins)]
        lines += ["    cpi_offsets_of<0>(g.loop, first, CPI_THREADS, at);",
                  f"    cpi_taking_part<{n}>(g, first, active);", "#pragma unroll",
                  "    for (int u = 0; u < CPI_RUN; u++) {", "        if (!active[u]) continue;"]
        for k, (x, u) in enumerate(zip(LETTERS, ins)):
            q = nout + k
            lines += [f"        {x}s[u] = g.values >> {k} & 1 ? *(const {u.stored} *)g.value[{k}]",
                      f"                : g.type[{q}] == {u.enum} ? *(const {u.stored} *)(g.data[{q}] + at[u][{q}])",
                      f"                : cpi_load_{u.suffix}(g.data[{q}] + at[u][{q}], g.type[{q}]);"]
        lines += ["    }", unrolled, "    for (int u = 0; u < CPI_RUN; u++) {",
                  "        if (!active[u]) continue;"]
        rounded = ["g.narrow ? cpi_as_narrow({0}s[u]) : {0}s[u]" if n else "{0}s[u]" for n in narrows or [False] * nin]
        lines += [f"        const {u.stored} {x} = {r.format(x)};" for x, u, r in zip(LETTERS, ins, rounded)] + body
        for k, u in enumerate(outs):
            lines += [f"        if (g.type[{k}] == {u.enum}) *({u.stored} *)(g.data[{k}] + at[u][{k}]) = r{k};",
                      f"        else cpi_store_{u.suffix}(g.data[{k}] + at[u][{k}], g.type[{k}], r{k});"]
        self.text.append("\n".join(lines + ["    }", "}"]))

    def straight(self, o, t, before, expressions):
        """The kernel of contiguous operands: the CPI_RUN elements of a thread are adjacent; results have their
        types."""
        name = f"{o.name}_{t.suffix}_straight"
        ins, outs = o.in_types(self.types, t), o.out_types(self.types, t)
        self.needs(*[(load_run, u) for u in ins])
        lines = [f"{GLOBAL} {name}(const __grid_constant__ cpi_general_args g)", "{",
                 "    const int64_t i = ((int64_t)blockIdx.x * CPI_THREADS + threadIdx.x) * CPI_RUN;",
                 "    if (i >= g.loop.n) return;",
                 "    const int left = g.loop.n - i < CPI_RUN ? (int)(g.loop.n - i) : CPI_RUN;"]
        lines += [f"    cpi_pack<{u.stored}, CPI_RUN> {x}s;" for x, u in zip(LETTERS, ins)]
        for k, (x, u) in enumerate(zip(LETTERS, ins)):
            lines += [f"    cpi_straight_run(g, {k}, {o.nout + k}, {u.enum}, i, left, {x}s, cpi_load_{u.suffix},",
                      f"                     cpi_load_run_{u.suffix});"]
        lines += [f"    cpi_pack<{u.stored}, CPI_RUN> r{k};" for k, u in enumerate(outs)]
        lines += [self.unrolled(o), "    for (int u = 0; u < CPI_RUN; u++) {"]
        lines += [f"        const {u.stored} {x} = {x}s.x[u];" for x, u in zip(LETTERS, ins)]
        lines += [f"        {line}" for line in before]
        lines += [f"        r{k}.x[u] = {e};" for k, e in enumerate(expressions)] + ["    }"]
        lines += [f"    cpi_straight_give(g, {k}, i, left, r{k});" for k in range(o.nout)]
        self.text.append("\n".join(lines + ["}"]))
        return name

    def accumulators(self, t, members, chapter=""):
        """All reduce operations of a type, in one function, and the kernels of reduce and accumulate."""
        name = f"cpi_cuda_acc_{chapter}{t.suffix}"
        wide = self.wide(t) if chapter else None
        if members and wide:
            self.text.append(self.accumulator(name, wide))
            return
        if not members:  # of a chapter without operations of two numbers
            self.text.append(f"extern const cpi_cuda_accumulator {name}; /* constants are local otherwise */\n"
                             f"const cpi_cuda_accumulator {name} = {{nullptr}};")
            return
        self.needs((load, t), (store, t))
        c, by_struct = t.stored, {}
        for o, struct in members:
            by_struct.setdefault(struct, []).append(o)
        lines = [f"struct {t.suffix}_links {{", f"    using Type = {c};",
                 f"    static constexpr int type = {t.enum};",
                 "    static __device__ __forceinline__ Type load(const void *p, int type)", "    {",
                 f"        return cpi_load_{t.suffix}(p, type);", "    }",
                 "    static __device__ __forceinline__ void store(void *p, int type, Type v)", "    {",
                 f"        cpi_store_{t.suffix}(p, type, v);", "    }",
                 "    static __device__ __noinline__ Type join(int op, Type a, Type b)", "    {",
                 "        switch (op) {"]
        for struct, same in by_struct.items():
            lines += [f"        case CP_OP_{o.name}:" for o in same]
            lines += [f"            return cpi_join<{struct}>(a, b);"]
        lines += ["        }", "        return a;", "    }", "};", self.accumulator(name, t)]
        self.text.append("\n".join(lines))

    @staticmethod
    def accumulator(name, t):
        return (f"extern const cpi_cuda_accumulator {name}; /* constants are local otherwise */\n"
                f"const cpi_cuda_accumulator {name} = cpi_accumulator_of<{t.suffix}_links>();")

    def is_joined(self, o, t):
        """Whether reduce has it: two inputs and a result of that type."""
        words = o.in_types(self.types, t) + o.out_types(self.types, t)
        return o.column(t) is not None and o.nin == 2 and words == [t] * 3

    def wide(self, t):
        """The wide type of t's kind; None where t is not narrow."""
        return by_suffix(self.types, WIDE[t.suffix]) if t.suffix in WIDE else None

    @staticmethod
    def is_wide(t):
        return t.suffix in WIDE.values()

    def family_key(self, o, t):
        """(type, result, inputs) of the family that serves an operation."""
        if o.chapter and o.call == "always" and o.outputs[0] in ("T", "part"):
            t = self.wide(t) or t
        return t.suffix, o.out_types(self.types, t)[0].suffix, o.nin

    def shared(self, operations, t):
        """operation -> the kernel that it shares, made when the first type needs it."""
        wide, groups = self.wide(t) or t, {}
        for o in operations:
            if o.call == "once" and o.column(t) is not None:
                words = o.in_types(self.types, wide), o.out_types(self.types, wide)
                rounded = [w in ("T", "part") for w in o.inputs + o.outputs]
                groups.setdefault(tuple(tuple(u.suffix for u in w) for w in words) + (tuple(rounded),), []).append(o)
        names = {}
        for key, members in groups.items():
            if key not in self.kept:
                self.kept[key] = self.once(members, wide)
            names |= {o: self.kept[key] for o in members}
        return names

    def table(self, operations, t, chapter=None):
        """The entries of a type, in the operations' order. A chapter's wide types come first: called bodies of the
        narrow ones share their families."""
        families, structs = {}, {}
        for o in operations:
            if o.chapter != chapter or not o.plain or o.call == "once" or self.body(o, t) is None:
                continue
            structs[o] = self.plain(o, t)
            if o.column(t) is not None:
                families.setdefault(self.family_key(o, t), []).append((o, structs[o]))
        for key, m in families.items():
            if key not in self.families:
                name = self.family(t, by_suffix(self.types, key[1]), key[2], m, bool(chapter) and self.is_wide(t))
                self.families[key] = name, [o for o, _ in m]
            assert all(o in self.families[key][1] for o, _ in m)
        mine = [o for o in operations if o.chapter == chapter]
        wide = chapter and self.wide(t)
        joined = [(o, None if wide else self.plain(o, t)) for o in mine if o.call == "once" and self.is_joined(o, t)]
        plain = [m for key, some in families.items() if key[1:] == (key[0], 2) for m in some]
        self.accumulators(t, plain + joined, f"{chapter}_" if chapter else "")
        shared = self.shared(mine, t)
        name = f"cpi_cuda_{chapter}_{t.suffix}[]" if chapter else f"cpi_cuda_ops_{t.suffix}[CPI_NKERNELS]"
        lines = [f"extern const cpi_cuda_entry {name}; /* constants are local otherwise */",
                 f"const cpi_cuda_entry {name} = {{"]
        for o in operations:
            if o.chapter != chapter:
                lines.append("    {},")
                continue
            if o in structs and o.column(t) is not None:
                key = self.family_key(o, t)
                kind = "entry" if key[0] == t.suffix else "narrow_entry"
                entry = f"cpi_{kind}<{structs[o]}, {self.families[key][0]}>()"
            elif o in shared:
                entry = f"cpi_once_entry({shared[o]})"
            elif o in structs:
                entry = f"cpi_flat_entry<{structs[o]}>()"
            elif self.body(o, t) is not None:
                entry = "cpi_several_entry({}, {})".format(*self.several(o, t))
            else:
                entry = "{}"
            lines.append(f"    {entry}, /* {o.name} */")
        return "\n".join(lines + ["};"])


def halves_file(operations, types):
    """The kernels of halves, which compute in float: in a separate file, which compiles in parallel with float's."""
    made, single = Kernels(types), by_suffix(types, "f32")
    lines = ["/* constants are local otherwise */",
             "extern const cpi_cuda_half_entry cpi_cuda_half_ops[CPI_NKERNELS][CPI_NHALVES];",
             "const cpi_cuda_half_entry cpi_cuda_half_ops[CPI_NKERNELS][CPI_NHALVES] = {"]
    for o in operations:
        plain = o.plain and not o.chapter and made.body(o, single) is not None
        struct = made.plain(o, single) if plain else None
        entries = [f"cpi_half_entry<{struct}, cpi_{t.suffix}>()" for t in types if t.is_half and struct]
        lines.append(f"    {{{', '.join(entries)}}}, /* {o.name} */")
    head = '#include "elementwise/flat_cuda.h"\n#include "scalar/scalar.h"\n\n'
    return head + "\n\n".join(made.text + ["\n".join(lines + ["};"])])


def kernels_file(operations, types, members):
    made = Kernels(types)
    tables = [made.table(operations, t) for t in members]
    head = '#include "elementwise/accumulate_cuda.h"\n#include "scalar/scalar.h"\n\n'
    head += "/* Loads and stores of other types are called, not copied: one body serves every operation. */\n"
    return head + "\n".join(made.memory.values()) + "\n" + "\n\n".join(made.text + tables)


def chapter_file(chapter, members, types):
    made = Kernels(types)
    wide_first = sorted(types_in(members, types), key=lambda t: t.suffix in WIDE)
    tables = [made.table(members, t, chapter) for t in wide_first]
    head = '#include "elementwise/accumulate_cuda.h"\n' + f'#include "scalar/{chapter}.h"\n\n'
    return head + "\n".join(made.memory.values()) + "\n" + "\n\n".join(made.text + tables)


def write(tables, out):
    types = types_of(tables)
    operations = operations_of(tables, types)
    out.write("src/move/memory_cuda.h", "src/base/core/types.def", memory(types))
    out.write("src/move/memory_runs_cuda.h", "src/base/core/types.def", memory_runs(types))
    out.write("src/elementwise/operations_cuda.h", TABLE, launcher(operations, types))
    for group, members in groups_of(types).items():
        out.write(f"src/elementwise/kernels_{group}_cuda.cu", TABLE, kernels_file(operations, types, members))
    out.write("src/elementwise/kernels_halves_cuda.cu", TABLE, halves_file(operations, types))
    for chapter, members in chapters_of(operations).items():
        text = chapter_file(chapter, members, types)
        out.write(f"src/elementwise/kernels_{chapter}_cuda.cu", members[0].row.file, text)
