"""The slots of the test backend `late`: every slot of every module, enqueued on a stream instead of being run.

Slots are read from the modules' headers, src/MODULE/MODULE.h, so a new module or slot needs nothing here. A call is
stored until it runs: arguments by value; records of arrays and the structures of the module (cpi_*) as copies, with the
array records they point to; device memory by the address that only the queues may use. Declarations are annotated in
the header:

    /*: slot("partition", host={"kth": "nkth"}) */         kth points to nkth values in the host's memory
    /*: slot("label", waits="count != NULL") */            the call returns results on the host (if the condition holds)
    /*: slot("reduce", name="cpi_reduce_name(args->op)") */    the operation's name, in what it fails with
    /*: slot("unique", hand_written=True) */                    src/late has the function late_MODULE_SLOT
    /*: record("cpi_label_plan", host={"neighbour": "neighbours"}) */    the same for a member of a structure
"""
import re

from contract import Module, with_slots


class LateModule(Module):
    """The declarations of a module's header: slots, and which members of its structures are more than values."""

    def __init__(self, name):
        super().__init__(name)
        self.record_rows = {r.args[0]: r for r in self.rows if r.kind == "record"}
        self.records = {n: body for n, body in
                        re.findall(r"typedef struct (cpi_\w+) \{(.*?)\} cpi_\w+;", self.plain, re.S)}

    def arrays_of(self, record):
        """Members of a structure that point to array records."""
        found = re.findall(r"cp_array ([^;]+);", self.records.get(record, ""))
        return [m.strip(" *") for group in found for m in group.split(",")]


class Keeper:
    """How arguments are copied into a call: the names of the functions that copy, and of what `inside` is."""

    def __init__(self, host, record, loops, array, inside):
        self.host, self.record, self.loops, self.array, self.inside = host, record, loops, array, inside

    def keep(self, module, row, a):
        """The lines that put argument `a` into the call `kept` of task `t`."""
        host = row.get("host", {}) if row else {}
        if a.pointee == "cpi_loop":
            return [f"kept->{a.name} = {self.loops}(t, {a.name}, (size_t)({host.get(a.name, 1)}));"]
        if a.name in host:
            return [f"kept->{a.name} = {self.host}(t, {a.name}, sizeof *{a.name} * (size_t)({host[a.name]}));"]
        if a.pointee == "cp_array":
            return [f"kept->{a.name} = {self.array}(t, {a.name});"]
        if a.pointee and a.pointee.startswith("cpi_"):
            return self.keep_record(module, a)
        if a.pointee:
            return [f"kept->{a.name} = {self.inside.format(a.name)};"]
        return [f"kept->{a.name} = {a.name};"]

    def keep_record(self, module, a):
        """The same for a structure of the module, with what its members point to."""
        lines = [f"{a.pointee} *{a.name}_copy = {self.record}(t, {a.name}, sizeof *{a.name});",
                 f"kept->{a.name} = {a.name}_copy;"]
        inner = [f"{a.name}_copy->{m} = {self.array}(t, {a.name}->{m});" for m in module.arrays_of(a.pointee)]
        record = module.record_rows.get(a.pointee)
        for m, n in (record.host if record else {}).items():
            inner.append(f"{a.name}_copy->{m} = {self.host}(t, {a.name}->{m}, sizeof *{a.name}->{m} * "
                         f"(size_t){a.name}->{n});")
        if inner:
            lines += [f"if ({a.name}_copy) {{"] + ["    " + i for i in inner] + ["}"]
        return lines


KEEPER = Keeper(host="late_keep_host", record="late_keep", loops="late_keep_loops", array="late_keep_array",
                inside="late_inside({})")


def slot(module, result, name, arguments):
    row = module.slot_rows.get(name)
    call, waits = f"{module.name}_{name}", row.get("waits") if row else None
    rest = arguments[1:]
    declared = ", ".join(a.declared() for a in arguments)
    if row and row.get("hand_written"):
        return f"{result} late_{call}({declared});\n"
    out = [f"struct {call} {{"] + [f"    {a.declared()};" for a in rest] + ["};", ""]
    passed = ", ".join(["late_cpu_stream()"] + [f"kept->{a.name}" for a in rest])
    run = f"late_host->cpu->{module.name}->{name}({passed})"
    out += [f"static cp_code run_{call}(void *call)", "{", f"    struct {call} *kept = call;"]
    out += [f"    return {run};"] if result != "void" else [f"    {run};", "    return CP_OK;"]
    operation = row.get("name", f'"{name}"') if row else f'"{name}"'
    out += ["}", "", f"static {result} late_{call}({declared})", "{",
            f'    late_task *t = late_task_new({operation}, run_{call}, sizeof(struct {call}));',
            "    if (!t) return" + (" CP_ERROR_MEMORY;" if result != "void" else ";"),
            f"    struct {call} *kept = late_call(t);"]
    for a in rest:
        out += ["    " + line for line in KEEPER.keep(module, row, a)]
    if not waits:
        # a slot that returns nothing frees something: it does not fail, and cannot report other failures
        out += ["    late_give_quietly(stream, t);" if result == "void" else "    return late_give(stream, t);"]
    else:
        back = [f"    late_take_back({a.name}, kept->{a.name}, sizeof *{a.name});" for a in rest
                if a.pointee and a.pointee.startswith("cpi_") and not a.const]
        if waits is not True:
            out += [f"    if (!({waits})) return late_give(stream, t);"]
        if row.get("captured") == "kept":
            out += ["    if (late_capture_of(stream)) return late_give(stream, t);"]
        out += ["    cp_code code = late_give_and_wait(stream, t);"]
        out += back                                      # also on failure: the caller frees what it made
        out += ["    late_task_free(t);", "    return code;"]
    return "\n".join(out + ["}", ""])


def write(tables, out):
    names = with_slots()
    text = ["/* The slots of the backend `late`: a call is kept, given to the stream's queue, and run there later by "
            "the",
            " * CPU's slot. */", '#include "late/late.h"']
    text += [f'#include "{n}/{n}.h"' for n in names] + [""]
    for n in names:
        module = LateModule(n)
        text += [f"/* --- {n} --- */", ""] + [slot(module, *s) for s in module.slots if not module.absent(s[1], "cpu")]
        text += [f"const cpi_{n}_ops cpi_{n}_late = {{"]
        text += [f"    .{name} = late_{n}_{name}," for _, name, _ in module.slots
                 if not module.absent(name, "cpu")] + ["};", ""]
    out.write("src/late/slots.c", "src/MODULE/MODULE.h", "\n".join(text))
