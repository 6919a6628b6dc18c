#!/usr/bin/env python3
"""Checks the dependencies of modules (includes and calls), and that no source names a small floating type by hand.

    python tools/check_modules.py [BUILD]

A module may use its own files and those of modules before it in src/modules.def. This holds for includes and, with a
build (`build` by default), for calls: the objects' symbols are read, so an earlier module cannot call a public function
of a later one either, and there is no cycle. Rows are in the order of layers, so a layer uses itself and those before
it. MAY lists the exceptions by name. The module compose uses public functions only: it includes no header of another
module but those of INNER. A function is declared by a header of the module that defines it. Code for a small floating
type is generated from its row in core/types.def; NAMES_HALVES lists the sources that name one nevertheless, and why.
Exits 1 with one line for each violation.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/generate"))

import module_folders  # noqa: E402
from element_types import types_of  # noqa: E402
from modules import modules  # noqa: E402
from table import TableError, Tables  # noqa: E402

try:
    ORDER = [module.name for module in modules()]
except TableError as e:
    sys.exit(str(e))
# module -> headers, modules ("scalar/") or symbols that it may use although they are later
MAY = {
    "core": {"scalar/"},
    # the registry knows the built-in backend, and whether it has kernels for this processor; its tables (CPI_MODULES)
    # name the slots of every module
    "backend": {"cpi_backend_cpu", "cp_threads", "cpi_cpu_lacks", "cpu/features.h",
                *(f"cpi_{r}_profiled" for r in ORDER)},
    "cpu": {f"cpi_{r}_{table}" for r in ORDER for table in ("cpu", "recorded")},
    "cuda": {f"cpi_{r}_cuda" for r in ORDER},
}
NAMES_HALVES = {
    "include/cuprite/types.h": "their C types",
    "scalar/convert.h": "their conversions from and to float",
    "scalar/scalar.h": "NumPy's spacing of float16 is not that of other types",
    "elementwise/elementwise.def": "NumPy's spacing of float16 is not that of other types",
    "signal/signal.def": "SciPy refuses float16",
    "kernel/device/both/cuprite_array.cuh": "CUDA's names of the types, and PTX's",
    "kernel/ptx_half.c": "CUDA's names of the types, and PTX's",
    "kernel/device/ptx_half.h": "CUDA's names of the types",
    "kernel/device/cuda_fp6.h": "CUDA's names of the types",
    "kernel/device/cuda_fp4.h": "CUDA's names of the types",
    "reduce/reduce.c": "NumPy has a rule of its own for out= of a mean of float16",
    "reduce/notice.c": "NumPy has a rule of its own for the mean of float16",
    "move/move_simd.c": "processors have an instruction for float16",
    "reduce/sums_simd.c": "processors have an instruction for float16",
    "signal/signal_simd.c": "processors have an instruction for float16",
    "products/split_kernels.h": "tensor cores multiply parts of float32 numbers of that type",
    "kernel/device/cuda_fp16.h": "CUDA's header of that name, for the CPU",
    "kernel/device/cuda_bf16.h": "CUDA's header of that name, for the CPU",
    "kernel/device/cuda_fp8.h": "CUDA's header of that name, for the CPU",
    "kernel/device/mma.h": "CUDA's header of that name, for the CPU",
    "products/products_cuda.cu": "cuBLAS's names of the types",
    "sort/cub_cuda.cu": "CUB's own types of 8 and 16 bits, one for all floats of a width",
}
INNER = {"shape/triangles.h", "backend/scope.h", "core/error.h",
         "core/memory.h", "core/shape.h", "reduce/exponentials.h"}
SOURCES = {".c", ".h", ".cu", ".cuh", ".def", ".inc"}
RANK = {module: i for i, module in enumerate(ORDER)}


def later(module, other, what):
    """May `module` not use `what` of the module `other`?"""
    allowed = MAY.get(module, set())
    return RANK[other] > RANK[module] and what not in allowed and other + "/" not in allowed


def includes():
    for path in sorted((ROOT / "src").rglob("*")):
        module, name = module_folders.module_of(path), path.relative_to(ROOT)
        if path.suffix not in SOURCES or not module:
            continue
        for line, text in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([a-z_0-9]+)/([^"]+)"', text)
            if not found or found[1] not in RANK or found[1] == module:
                continue
            header = f"{found[1]}/{found[2]}"
            if later(module, found[1], header):
                yield f"{name}:{line}: {module} may not include {header}"
            if module == "compose" and header not in INNER:
                yield f"{name}:{line}: compose is made of public functions; it may not include {header}"


def objects(build):
    """(module, source, object) of everything the build compiles for a module."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        module = module_folders.module_of(entry["file"])
        if module not in RANK or "/python/src/" in entry["file"]:
            continue
        output = entry.get("output") or re.search(r" -o (\S+)", entry["command"])[1]
        path = pathlib.Path(entry["directory"]) / output
        if path.exists():
            yield module, pathlib.Path(entry["file"]), path


def symbols(paths):
    """{path: (defined, undefined)} of the global names of objects."""
    found = {str(path): (set(), set()) for path in paths}
    for first in range(0, len(paths), 500):
        text = subprocess.run(["nm", "-A", "-P", "-g", *paths[first:first + 500]], capture_output=True, text=True,
                              check=True).stdout
        for line in text.splitlines():
            path, _, line = line.partition(": ")
            name, kind = line.split()[:2]
            found[path][kind in "Uvw"].add(name)
    return found


def calls(build):
    every = list(objects(build))
    named = symbols([path for _, _, path in every])
    found = [(module, source, *named[str(path)]) for module, source, path in every]
    if not found:
        yield f"{build}: no objects; build first"
    home = {name: module for module, _, defined, _ in found for name in defined}
    for module, source, _, undefined in sorted(found, key=lambda f: str(f[1])):
        for name in sorted(undefined):
            other = home.get(name)
            if other and other != module and later(module, other, name):
                yield f"{source.name}: {module} may not call {name}, which is {other}'s"
    yield from declarations(home)


def declarations(home):
    """A name that a module's header declares is defined in the module."""
    headers = [(module, path) for module,
               folder in module_folders.folders().items() for path in sorted(folder.glob("*.h"))]
    for module, path in headers:
        text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for name in re.findall(r"^(?!static|#|\s)[^;{}()]*?\b(cpi_[a-z0-9_]+)\([^;{}]*\)[^;{}()]*;", text, flags=re.M):
            if later(module, home.get(name, module), name):
                yield f"{path.relative_to(ROOT)}: {module} declares {name}, which {home[name]} defines"


def source(name):
    return ROOT / name if name.startswith("include/") else module_folders.file(name)


def without_comments(path):
    """A source with its comments blanked, line by line."""
    text = path.read_text()
    if path.suffix in (".def", ".py"):
        return [re.sub(r"#.*", "", line) for line in text.splitlines()]
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S).splitlines()


def types():
    """No source names a small floating type, and none depends on the order of types, which belongs to promotion."""
    rows = types_of(Tables(ROOT))
    halves = [t for t in rows if t.is_half]
    names = "|".join(rf"\b{t.enum}\b|\b{t.c}\b|(?<!#)(?:\b|(?<=[a-z0-9]_)){t.suffix}(?:\b|(?=_))" for t in halves)
    named = re.compile(rf"{names}|\b__half2?\b|\b__nv_\w*(?:float16|fp8)\w*\b|\b__\w+2(?:half|bfloat16)\w*")
    words = [w for t in halves for w in (t.enum, t.c, t.suffix)] + ["__half", "float16", "fp8", "2half", "2bfloat16"]
    enums = "|".join(t.enum for t in rows)
    ordered = re.compile(rf" [<>]=? (?:{enums})\b|\b(?:{enums}) [<>]=? ")
    named_anyway = {source(name): name for name in NAMES_HALVES}
    for pattern in ("src/**/*", "include/**/*", "python/src/*", "cli/*", "tools/generate/*"):
        for path in sorted(ROOT.glob(pattern)):
            name = str(path.relative_to(ROOT))
            if path.suffix not in SOURCES | {".py"} or path == module_folders.file("core/types.def"):
                continue
            lines = without_comments(path)
            whole = "\n".join(lines)  # a search for plain words first: few files have one
            may_name = path not in named_anyway and any(word in whole for word in words)
            for line, text in enumerate(lines, 1):
                if may_name and (found := named.search(text)):
                    yield f"{name}:{line}: {found[0]} is named by hand; what a small float needs is made from its row"
                if "CP_" in text and ("<" in text or ">" in text) and (found := ordered.search(text)):
                    yield (f"{name}:{line}: '{found[0].strip()}': types have no order to ask for, but sets "
                           "(core/type_traits.h)")
    for path, name in named_anyway.items():
        if not named.search("\n".join(without_comments(path))):
            yield f"{name} names no small float any more: take it from NAMES_HALVES"


def main():
    breaches = [*includes(), *types()]
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
    if len(sys.argv) > 1 or (build / "compile_commands.json").exists():
        breaches += calls(build)
    for text in breaches:
        print(text)
    return bool(breaches)


if __name__ == "__main__":
    sys.exit(main())
