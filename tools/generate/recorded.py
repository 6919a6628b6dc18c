"""The slots of the CPU while one of its streams captures (src/base/cpu/record.h): src/MODULE/slots_recorded.c of every
module with slots, the table cpi_MODULE_recorded.

A slot calls the CPU's, or, if its stream captures, keeps the call in a task: as late.py keeps one, whose annotations
in the headers say what is in the host's memory and what returns a result. The latter is refused, as in CUDA. Where that
is not so, a slot says what happens while its stream captures:

    /*: slot("unload", captured="called") */     it is called at once: it gives no work to the stream
    /*: slot("wrap", captured="kept") */         it is kept, although it can return a result
    /*: slot("launch", captured="hand_written") */    the module has the function cpi_MODULE_recorded_SLOT

A slot that returns nothing is called at once.
"""
from contract import with_slots
from late import Keeper, LateModule

KEEPER = Keeper(host="cpi_task_keep", record="cpi_task_keep", loops="cpi_task_keep_loops", array="cpi_task_keep_array",
                inside="{}")
CAPTURED = ("called", "kept", "hand_written")


def behaviour(row, result):
    """What a slot does while its stream captures: one of CAPTURED, "refused", or a condition of being refused."""
    said = row.get("captured") if row else None
    if said and said not in CAPTURED:
        raise row.error(f"captured is one of {', '.join(CAPTURED)}")
    if said or result == "void":
        return said or "called"
    waits = row.get("waits") if row else None
    if (row and row.get("hand_written")) or waits in (True, "true"):
        return "refused"
    return waits or "kept"


def kept_call(module, row, name, arguments):
    """The function that makes the call at a launch. It gets copies of what it may write to."""
    call, rest = f"{module.name}_{name}", arguments[1:]
    fresh = [a for a in rest if a.pointee and a.pointee.startswith("cpi_") and not a.const]
    passed = ", ".join(["stream"] + [f"&{a.name}" if a in fresh else f"kept->{a.name}" for a in rest])
    return [f"struct {call} {{", *(f"    {a.declared()};" for a in rest), "};", "",
            f"static cp_code run_{call}(cp_stream *stream, void *call)", "{", f"    struct {call} *kept = call;",
            *(f"    {a.pointee} {a.name} = *kept->{a.name};" for a in fresh),
            f"    return {module.function(name, 'cpu')}({passed});", "}", ""]


def slot(module, result, name, arguments):
    """The function of one slot; nothing where the CPU's own, or one by hand, is in the table."""
    row = module.slot_rows.get(name)
    does, call = behaviour(row, result), f"{module.name}_{name}"
    declared = ", ".join(a.declared() for a in arguments)
    if does == "called":
        return []
    if does == "hand_written":
        return [f"{result} cpi_{module.name}_recorded_{name}({declared});", ""]
    operation = row.get("name", f'"{name}"') if row else f'"{name}"'
    own = f"{module.function(name, 'cpu')}({', '.join(a.name for a in arguments)})"
    out = [] if does == "refused" else kept_call(module, row, name, arguments)
    out += [f"static {result} recorded_{call}({declared})", "{", f"    if (!cpi_recording(stream)) return {own};"]
    if does != "kept":
        condition = "" if does == "refused" else f"if ({does}) "
        out.append(f"    {condition}return cpi_not_recorded(stream, {operation});")
    if does != "refused":
        out += [f"    cpi_record_task *t = cpi_task_new({operation}, run_{call}, sizeof(struct {call}));",
                "    if (!t) return CP_ERROR_MEMORY;", f"    struct {call} *kept = (void *)t->call;"]
        for a in arguments[1:]:
            out += ["    " + line for line in KEEPER.keep(module, row, a)]
        out.append("    return cpi_task_record(stream, t);")
    return out + ["}", ""]


def table(module):
    def function(result, name):
        does = behaviour(module.slot_rows.get(name), result)
        return (module.function(name, "cpu") if does == "called" else
                f"cpi_{module.name}_recorded_{name}" if does == "hand_written" else f"recorded_{module.name}_{name}")

    lines = [f"    .{name} = {function(result, name)}," for result, name, _ in module.slots
             if not module.absent(name, "cpu")]
    lines += [f"    .{name} = {row.get('cpu')}," for name, row in module.value_rows.items() if row.get("cpu")]
    ops = f"cpi_{module.name}_ops cpi_{module.name}_recorded"
    return [f"extern const {ops};", f"const {ops} = {{", *lines, "};"]


def write(tables, out):
    for module in map(LateModule, with_slots()):
        text = ["/* The CPU's slots while a stream captures: a call is kept for the graph's launches. */",
                f'#include "{module.header}"', '#include "loop/keep.h"', ""]
        for s in module.slots:
            if not module.absent(s[1], "cpu"):
                text += slot(module, *s)
        out.write(f"src/{module.name}/slots_recorded.c", module.where, "\n".join(text + table(module)))
