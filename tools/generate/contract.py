"""The contract between the core and its plugins, from the modules' headers: a module declares its slots once, as
members of struct cpi_MODULE_ops in MODULE/MODULE.h.

    src/MODULE/slots.h        prototypes of the slots' functions on both devices, the tables, assertions of layout
    src/MODULE/slots_cpu.c    const cpi_MODULE_ops cpi_MODULE_cpu, a table by the slots' names
    src/MODULE/slots_cuda.c   the same for CUDA
    src/backend/abi.h         CPI_ABI and CPI_IO_ABI: numbers of all headers that plugins are compiled with

The function of a slot is called cpi_MODULE_cpu_SLOT or cpi_MODULE_cuda_SLOT. MODULE.h ends with the include of
slots.h, so the compiler checks a definition against its slot, and a missing one does not link. Further properties are
declared beside the slots:

    /*: slot("gather", absent="cuda") */                   the slot is NULL there ("cpu cuda" for both)
    /*: value("known", cuda="true") */                   a member that is no function, where it is not 0

The numbers are hashes of tokens: comments and white space do not change them, everything else does.
"""
import hashlib
import re

import module_folders
import modules
from table import TableError, read_embedded

DEVICES = ("cpu", "cuda")
FUNCTION = re.compile(r"(\w+)\s*\(\*(\w+)\)\(([^;]*)\)")
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|' r"'(?:\\.|[^'\\])*'" r"|\w+|[^\w\s]")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def wrapped(head, arguments):
    """A prototype in lines of 120 columns."""
    lines, end = [head], [", "] * (len(arguments) - 1) + [");"]
    for a, after in zip(arguments, end):
        if len(lines[-1] + a + after.rstrip()) > 120:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * len(head))
        lines[-1] += a + after
    return "\n".join(lines)


class Argument:
    def __init__(self, text):
        found = re.fullmatch(r"(.*?)(\w+)", text.strip(), re.S)
        self.type, self.name = " ".join(found[1].split()), found[2]
        self.pointee = self.type.replace("const ", "").replace(" *", "").strip() if self.type.endswith("*") else None
        self.const = self.type.startswith("const ")

    def declared(self):
        return self.type + ("" if self.type.endswith("*") else " ") + self.name


class Module:
    """The slots that a module's header declares: `slots` are (result, name, arguments), `values` the names of other
    members."""

    def __init__(self, name):
        self.name, self.header = name, f"{name}/{name}.h"
        text = module_folders.file(self.header).read_text()
        self.where = str(module_folders.file(self.header).relative_to(module_folders.ROOT))
        self.rows = read_embedded(text, self.where)
        self.plain = without_comments(text)
        table = re.search(r"typedef struct cpi_%s_ops \{(.*?)\} cpi_%s_ops;" % (name, name), self.plain, re.S)
        if not table:
            raise TableError(f"{self.where}: typedef struct cpi_{name}_ops {{ ... }} cpi_{name}_ops; is not there")
        if f'#include "{name}/slots.h"' not in text:
            raise TableError(f'{self.where}: #include "{name}/slots.h" is not there, after the slots')
        self.slots, self.values = [], []
        for member in filter(None, map(str.strip, table[1].split(";"))):
            found = FUNCTION.fullmatch(member)
            if found and self.values:
                raise TableError(f"{self.where}: the slot {found[2]} stands behind {self.values[0]}, which is none")
            if found:
                self.slots.append((found[1], found[2], [Argument(a) for a in found[3].split(",")]))
            else:
                self.values += re.findall(r"(\w+)\s*(?:,|$)", member)
        self.slot_rows = self.rows_of("slot", [s for _, s, _ in self.slots],
                                      ["host", "waits", "hand_written", "name", "absent", "captured", "bytes",
                                       "profiled"])
        self.value_rows = self.rows_of("value", self.values, DEVICES)
        for row in self.slot_rows.values():
            if not set(row.get("absent", "").split()) <= set(DEVICES):
                raise row.error(f"absent names devices: {' or '.join(DEVICES)}")

    def rows_of(self, kind, names, columns):
        found = {row.args[0]: row for row in self.rows if row.kind == kind}
        for row in found.values():
            row.need([f"the {kind}'s name"], [], columns)
            if row.args[0] not in names:
                raise row.error(f"{self.name} has no {kind} {row.args[0]}")
        return found

    def absent(self, slot, device):
        row = self.slot_rows.get(slot)
        return bool(row) and device in row.get("absent", "").split()

    def function(self, slot, device):
        return f"cpi_{self.name}_{device}_{slot}"

    def prototypes(self, device):
        return [wrapped(f"{result} {self.function(slot, device)}(", [a.declared() for a in arguments])
                for result, slot, arguments in self.slots if not self.absent(slot, device)]

    def assertions(self):
        ops, pointer = f"cpi_{self.name}_ops", "sizeof(void (*)(void))"
        out = [f'static_assert(offsetof({ops}, {slot}) == {k} * {pointer}, "slot {k} is {slot}");'
               for k, (_, slot, _) in enumerate(self.slots)]
        if not self.values:
            out.append(f'static_assert(sizeof({ops}) == {len(self.slots)} * {pointer}, "there are no others");')
        return out

    def table(self, device):
        lines = [f"    .{slot} = " + ("NULL," if self.absent(slot, device) else self.function(slot, device) + ",")
                 for _, slot, _ in self.slots]
        lines += [f"    .{name} = {row.get(device)}," for name in self.values
                  if (row := self.value_rows.get(name)) and row.get(device)]
        return "\n".join([f"const cpi_{self.name}_ops cpi_{self.name}_{device} = {{", *lines, "};"])


def slots_header(module):
    guard = f"CPI_{module.name.upper()}_SLOTS_H"
    tables = "\n".join(f"extern const cpi_{module.name}_ops cpi_{module.name}_{d};" for d in DEVICES)
    return "\n".join([
        f"/* The functions behind the slots of {module.name}, and the tables of both devices. A function that is not",
        " * defined does not link; those of CUDA are in the plugin. */",
        f"#ifndef {guard}", f"#define {guard}", "", f'#include "{module.header}"', "",
        "#include <assert.h>", "#include <stddef.h>", "",
        "#ifdef __cplusplus", 'extern "C" {', "#endif", "#pragma GCC visibility push(hidden)",
        *(line for d in DEVICES for line in module.prototypes(d)), "", tables,
        "#pragma GCC visibility pop", "#ifdef __cplusplus", "}", "#endif", "", *module.assertions(), "", "#endif"])


def tokens(text):
    """A header as the compiler sees it: tokens, and directives in lines of their own."""
    lines = without_comments(text).replace("\\\n", " ").splitlines()
    return " ".join(f"\n{' '.join(TOKEN.findall(line))}\n" if line.lstrip().startswith("#")
                    else " ".join(TOKEN.findall(line)) for line in lines if line.strip())


def headers_from(first, folders):
    """Paths of `first` and of all headers of ours that they include, by names; others are system headers."""
    found, left = {}, [(name, None) for name in first]
    while left:
        name, beside = left.pop()
        if beside and (beside / name).is_file():
            path = beside / name
            name = str(path.relative_to(next(f for f in folders if f in path.parents)))
        else:
            path = next((f / name for f in folders if (f / name).is_file()), None)
        if path and name not in found:
            found[name] = path
            left += [(n, path.parent) for n in re.findall(r'^\s*#\s*include\s+["<]([^">]+)[">]',
                                                          without_comments(path.read_text()), re.M)]
    return found


def number_of(headers):
    """64 bits of a hash of headers, {name: text}."""
    text = "\n".join(f"{name}\n{tokens(headers[name])}" for name in sorted(headers))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def abi_header(folders):
    numbers = []
    for macro, first in (("CPI_ABI", ["backend/backend.h", *(f"{n}/{n}.h" for n in with_slots())]),
                         ("CPI_IO_ABI", ["io/io.h"])):
        headers = headers_from(first, folders)
        number = number_of({name: path.read_text() for name, path in headers.items()})
        numbers.append(f"/* of {len(headers)} headers: {first[0]} and what is included with it */\n"
                       f"#define {macro} UINT64_C(0x{number:016x})")
    return ("/* What core and plugins agree upon: hashes of the headers that both are compiled with. */\n"
            "#ifndef CPI_BACKEND_ABI_H\n#define CPI_BACKEND_ABI_H\n\n#include <stdint.h>\n\n"
            + "\n".join(numbers) + "\n\n#endif\n")


def with_slots():
    return [subject.name for subject in modules.modules() if subject.slots]


def write(tables, out):
    """Runs last of all generators: the numbers cover generated headers too."""
    for module in (Module(name) for name in with_slots()):
        name = module.name
        out.write(f"src/{name}/slots.h", module.where, slots_header(module))
        for device in DEVICES:
            out.write(f"src/{name}/slots_{device}.c", module.where,
                      f'#include "{module.header}"\n\n{module.table(device)}')
    # files that are only listed do not exist yet
    folders = [*module_folders.include_folders(), module_folders.ROOT / "include", out.folder / "src",
               out.folder / "include"]
    dry = getattr(out, "dry", False)
    out.write("src/backend/abi.h", "the headers", "" if dry else abi_header(folders))
