"""The headers that user kernels are compiled with, as strings in the library: src/kernel/device_sources.c.

Every file below src/kernel/device becomes one, under its name there, and those below src/kernel/device/both under their
names in that folder, for the GPU's compiler too. Headers of the C library and of CUDA whose content kernels have anyway
(EMPTY, EMPTY_CUDA) are names only: standard headers cost more than a kernel. Read by a preprocessor alone
(__CUPRITE_READ__), a header leaves a line that asks for it; of C's headers the macros are there. A template (.inc) may
be included more than once.

Users define macros (-DT=float, -Dwidth=16, #define N 8 above an #include), and a header's parameters may have such a
name. So each header undefines macros of its parameters' names temporarily (push_macro).
"""
import re

import module_folders

FOLDER = module_folders.file("kernel/device")
BOTH = FOLDER / "both"
EMPTY = "stdio.h stdlib.h string.h assert.h cassert".split()  # for the GPU's compiler too
EMPTY_CUDA = ("cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h device_functions.h vector_types.h "
              "vector_functions.h builtin_types.h math_functions.h sm_60_atomic_functions.h "
              "device_atomic_functions.h").split()

KEYWORDS = set("""alignas alignof asm auto bool break case catch char class const constexpr const_cast continue decltype
default define defined delete do double else enum explicit export extern false float for friend goto if ifdef ifndef
include inline int long mutable namespace new noexcept nullptr operator once pragma private protected public register
return short signed sizeof static static_assert static_cast struct switch template this throw true try typedef typeid
typename undef union unsigned using virtual void volatile wchar_t while reinterpret_cast dynamic_cast elif endif
char16_t char32_t char8_t""".split())


def literal(text):
    lines = [line.replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return "\n".join(f'    "{line}\\n"' for line in lines)


def strings(folder, apart=None):
    return {str(path.relative_to(folder)): path.read_text().rstrip("\n") for path in sorted(folder.rglob("*"))
            if path.is_file() and (apart is None or apart not in path.parents)}


def own_names(text, macros):
    """The names in a header that a user may have given a macro: not the vocabulary's macros, nor C++'s own words."""
    directives = r"#\s*(?:include|pragma|if\w*|el\w+|endif)[^\n]*"
    strings = r"\"(?:\\.|[^\"\n])*\""
    code = re.sub(rf"/\*.*?\*/|//[^\n]*|{strings}|{directives}", " ", text, flags=re.S)
    found = set(re.findall(r"(?<![\w#])[A-Za-z]\w*", code))
    return sorted(n for n in found - macros - KEYWORDS if "__" not in n)


def names_in_macros(found, macros):
    """Names in the bodies of public macros: other headers and users' code expand them, so such a name stays the
    user's."""
    lines = re.findall(r"#\s*define\s((?:[^\n]*\\\n)*[^\n]*)", "\n".join(found.values()))
    return own_names("\n".join(lines), macros)


def guarded(text, macros, everywhere):
    names = sorted({*own_names(text, macros), *everywhere})
    put_away = "".join(f'#pragma push_macro("{n}")\n#undef {n}\n' for n in names)
    back = "".join(f'\n#pragma pop_macro("{n}")' for n in names)
    return put_away + text + back


def directives(file, text):
    """What a preprocessor alone reads: a program asks which of C's constants there are (`#ifndef M_PI`)."""
    if "/" in file or file.endswith((".cuh", ".inc")) or not (BOTH / file).exists():
        return ""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return "".join(line + "\n" for line in text.split("\n") if re.match(r"#(?!pragma)", line))


def table(name, found):
    macros = set(re.findall(r"#\s*(?:define|undef|ifdef|ifndef)\s+(\w+)", "\n".join(found.values())))
    everywhere = names_in_macros(found, macros)
    rows = []
    for file, text in sorted(found.items()):
        body = guarded(text, macros, everywhere)
        once = "" if file.endswith(".inc") else "#pragma once\n"
        read = f"#pragma CUPRITE_INCLUDE <{file}>\n{directives(file, text)}"
        whole = f"{once}#ifdef __CUPRITE_READ__\n{read}#else\n{body}\n#endif"
        rows.append(f'    {{"{file}",\n{literal(whole)}}},')
    return f"const cpi_header {name}[] = {{\n" + "\n".join(rows) + "\n    {NULL, NULL}};\n"


def write(tables, out):
    nothing = "/* nothing: kernels have it */"
    both = {**dict.fromkeys(EMPTY, nothing), **strings(BOTH)}
    cpu = {**dict.fromkeys(EMPTY_CUDA, nothing), **strings(FOLDER, BOTH), **both}
    out.write("src/kernel/device_sources.c", "src/kernel/device",
              '#include "kernel/compiler.h"\n\n' + table("cpi_device_sources", cpu) + "\n" +
              table("cpi_both_sources", both))
