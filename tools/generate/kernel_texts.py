"""The headers that user kernels are compiled with, as texts in the library: src/kernel/device_texts.c.

Every file below src/kernel/device becomes one, under its name there, and those below src/kernel/device/both under their
names in that folder, for the GPU's compiler too. Headers of the C library and of CUDA whose content kernels have anyway
(EMPTY) are names only: standard headers cost more than a kernel. Read by a preprocessor alone (__CUPRITE_READ__), a
header leaves a line that asks for it.
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "src/kernel/device"
BOTH = FOLDER / "both"
EMPTY = ("stdio.h stdlib.h string.h limits.h float.h assert.h cstdio cstdlib cstring climits cfloat "
         "cassert cstddef cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h device_functions.h "
         "vector_types.h vector_functions.h builtin_types.h math_functions.h sm_60_atomic_functions.h "
         "device_atomic_functions.h").split()


def literal(text):
    lines = [line.replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return "\n".join(f'    "{line}\\n"' for line in lines)


def texts(folder, apart=None):
    return {str(path.relative_to(folder)): path.read_text().rstrip("\n") for path in sorted(folder.rglob("*"))
            if path.is_file() and (apart is None or apart not in path.parents)}


def table(name, found):
    rows = []
    for file, text in sorted(found.items()):
        whole = f"#pragma once\n#ifdef __CUPRITE_READ__\n#pragma CUPRITE_INCLUDE <{file}>\n#else\n{text}\n#endif"
        rows.append(f'    {{"{file}",\n{literal(whole)}}},')
    return f"const cpi_header {name}[] = {{\n" + "\n".join(rows) + "\n    {NULL, NULL}};\n"


def write(tables, out):
    both = texts(BOTH)
    cpu = {**{name: "/* nothing: kernels have it */" for name in EMPTY}, **texts(FOLDER, BOTH), **both}
    out.write("src/kernel/device_texts.c", "src/kernel/device",
              '#include "kernel/compiler.h"\n\n' + table("cpi_device_texts", cpu) + "\n" +
              table("cpi_both_texts", both))
