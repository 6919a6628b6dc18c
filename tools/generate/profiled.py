"""The slots of a device that is profiled (src/base/backend/profile.h): src/MODULE/slots_profiled.c of every module with
slots, and in it cpi_MODULE_profiled, which makes a table that records of another one.

A slot records the operation's name (profiled= or name= of its annotation in the header, else its own), whether the
caller waits for a result (waits=), and the bytes that it reads and writes at least: those of a cpi_loop, or

    /*: slot("transform", bytes="EXPRESSION") */

in the slot's arguments. A slot that gives no work to its stream (captured="called") or returns nothing is not recorded.
"""
from contract import with_slots
from late import LateModule


def is_recorded(row, result):
    return result == "cp_code" and not (row and row.get("captured") == "called")


def bytes_of(row, arguments):
    said = row.get("bytes") if row else None
    loop = next((a for a in arguments if a.pointee == "cpi_loop"), None)
    return said or (f"cpi_loop_bytes(1, {loop.name})" if loop else "0")


def slot(module, result, name, arguments):
    row = module.slot_rows.get(name)
    waits = row.get("waits") if row else None
    answer = "CPI_PROFILE_WORK" if not waits else ("CPI_PROFILE_ANSWER" if waits in (True, "true") else
                                                   f"({waits}) ? CPI_PROFILE_ANSWER : CPI_PROFILE_WORK")
    operation = (row.get("profiled") or row.get("name") if row else None) or f'"{name}"'
    declared, passed = (", ".join(f(a) for a in arguments) for f in (lambda a: a.declared(), lambda a: a.name))
    return [f"static {result} profiled_{name}({declared})", "{",
            f"    cpi_profile_mark mark = cpi_profile_begin(stream, {answer}, {operation}, "
            f"(int64_t)({bytes_of(row, arguments)}));",
            f"    return cpi_profile_end(&mark, mark.of->{module.name}->{name}({passed}));", "}", ""]


def table(module, names):
    ops = f"cpi_{module.name}_ops"
    return [f"const {ops} *cpi_{module.name}_profiled(const {ops} *of)", "{", f"    {ops} *to = malloc(sizeof *to);",
            "    if (!to) return NULL;", "    *to = *of;",
            *(f"    if (of->{name}) to->{name} = profiled_{name};" for name in names), "    return to;", "}"]


def write(tables, out):
    for module in map(LateModule, with_slots()):
        text = [f'#include "{module.header}"', "", "#include <stdlib.h>", "", '#include "backend/profile.h"',
                '#include "elementwise/table.h"' if module.name == "elementwise" else "",
                '#include "loop/loop.h"', ""]
        recorded = [s for s in module.slots if is_recorded(module.slot_rows.get(s[1]), s[0])]
        for s in recorded:
            text += slot(module, *s)
        out.write(f"src/{module.name}/slots_profiled.c", module.where,
                  "\n".join(text + table(module, [name for _, name, _ in recorded])))
