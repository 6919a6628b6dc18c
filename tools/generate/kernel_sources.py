"""The headers that user kernels are compiled with, as strings in the library: src/kernel/device_sources.c.

Every file below src/kernel/device becomes one, under its name there, and those below src/kernel/device/both under their
names in that folder, for the GPU's compiler too. Headers of the C library and of CUDA whose content kernels have anyway
(EMPTY, EMPTY_CUDA) are names only: standard headers cost more than a kernel. Read by a preprocessor alone
(__CUPRITE_READ__), a header leaves a line that asks for it; of C's headers the macros are there. A template (.inc) may
be included more than once.

Users define macros (-DT=float, -Dwidth=16, #define N 8 above an #include), and a header's parameters may have such a
name. So each header undefines macros of its parameters' names temporarily (push_macro).
"""
import hashlib
import re

import module_folders

FOLDER = module_folders.file("kernel/device")
BOTH = FOLDER / "both"
EMPTY = "stdio.h stdlib.h string.h assert.h cassert".split()  # for the GPU's compiler too
EMPTY_CUDA = ("cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h device_functions.h vector_types.h "
              "vector_functions.h vector_functions.hpp builtin_types.h math_functions.h math_functions.hpp "
              "device_types.h device_double_functions.h driver_types.h host_defines.h common_functions.h "
              "channel_descriptor.h texture_types.h surface_types.h surface_functions.h device_atomic_functions.h "
              "sm_20_atomic_functions.h sm_20_intrinsics.h sm_30_intrinsics.h sm_32_atomic_functions.h "
              "sm_32_intrinsics.h sm_35_atomic_functions.h sm_35_intrinsics.h sm_60_atomic_functions.h "
              "sm_61_intrinsics.h crt/common_functions.h crt/device_double_functions.h crt/device_functions.h "
              "crt/host_defines.h crt/math_functions.h time.h ctime").split()

# Names of CUDA's and CCCL's headers whose content other headers of ours have, by those: FOLDER/ and names there.
ALIASES = """
cub/reduce.h: cub/block/block_reduce.cuh cub/warp/warp_reduce.cuh
cub/scan.h: cub/block/block_scan.cuh cub/warp/warp_scan.cuh
cub/move.h: cub/block/ block_load.cuh block_store.cuh block_exchange.cuh block_shuffle.cuh
cub/move.h: cub/warp/ warp_load.cuh warp_store.cuh warp_exchange.cuh
cub/sort.h: cub/block/ block_radix_sort.cuh block_merge_sort.cuh block_histogram.cuh
cub/sort.h: cub/warp/warp_merge_sort.cuh cub/thread/thread_sort.cuh
cub/neighbours.h: cub/block/ block_discontinuity.cuh block_adjacent_difference.cuh block_run_length_decode.cuh
cub/operators.h: cub/thread/ thread_load.cuh thread_operators.cuh thread_reduce.cuh thread_scan.cuh thread_search.cuh
cub/operators.h: cub/thread/thread_store.cuh
cub/operators.h: cub/ config.cuh version.cuh util_arch.cuh util_macro.cuh util_math.cuh util_namespace.cuh util_ptx.cuh
cub/operators.h: cub/ util_temporary_storage.cuh util_type.cuh util_cpp_dialect.cuh util_debug.cuh
cub/iterators.h: cub/iterator/ arg_index_input_iterator.cuh cache_modified_input_iterator.cuh
cub/iterators.h: cub/iterator/ cache_modified_output_iterator.cuh constant_input_iterator.cuh
cub/iterators.h: cub/iterator/ counting_input_iterator.cuh transform_input_iterator.cuh
cub/reduce.h cub/scan.h cub/move.h cub/sort.h cub/neighbours.h cub/iterators.h: cub/cub.cuh
thrust/algorithms.h: thrust/ adjacent_difference.h binary_search.h copy.h count.h equal.h extrema.h fill.h find.h
thrust/algorithms.h: thrust/ for_each.h gather.h generate.h inner_product.h logical.h merge.h mismatch.h partition.h
thrust/algorithms.h: thrust/ reduce.h remove.h replace.h reverse.h scan.h scatter.h sequence.h set_operations.h sort.h
thrust/algorithms.h: thrust/ tabulate.h transform.h transform_reduce.h transform_scan.h uninitialized_copy.h
thrust/algorithms.h: thrust/ uninitialized_fill.h unique.h
thrust/words.h: thrust/ addressof.h advance.h device_ptr.h distance.h execution_policy.h memory.h pair.h
thrust/words.h: thrust/ swap.h tuple.h version.h
thrust/iterators.h: thrust/iterator/ constant_iterator.h counting_iterator.h discard_iterator.h iterator_categories.h
thrust/iterators.h: thrust/iterator/ iterator_traits.h permutation_iterator.h reverse_iterator.h
thrust/iterators.h: thrust/iterator/ tabulate_output_iterator.h transform_iterator.h transform_output_iterator.h
thrust/iterators.h: thrust/iterator/zip_iterator.h thrust/zip_function.h
thrust/placeholders.h: thrust/functional.h
thrust/random.h: thrust/random/linear_congruential_engine.h thrust/random/uniform_int_distribution.h
thrust/random.h: thrust/random/uniform_real_distribution.h thrust/random/normal_distribution.h
cupy/complex.cuh: thrust/complex.h
cuda/std/words.h: cuda/std/ utility cstdint climits cfloat cassert cstring cstdlib cstddef ctime version
cuda/std/words.h: cuda/version cuda/__cccl_config nv/target
initializer_list cuda/std/words.h: cuda/std/initializer_list
type_traits cuda/std/words.h: cuda/std/type_traits cuda/type_traits
limits cuda/std/words.h: cuda/std/limits
tuple cuda/std/words.h: cuda/std/tuple
array cuda/std/words.h: cuda/std/array
optional cuda/std/words.h: cuda/std/optional
ratio cuda/std/words.h: cuda/std/ratio
variant cuda/std/words.h: cuda/std/variant
bits/stl_iterator.h cuda/std/words.h: cuda/std/iterator
cuda/std/algorithm: cuda/algorithm
cuda/std/bit: cuda/bit
cuda/std/complex: cuda/std/ccomplex
cuda/annotated_ptr: cuda/discard_memory
cuda/std/cmath: cuda/cmath
cuda/std/functional: cuda/functional
cuda/std/mdspan: cuda/mdspan
cuda/std/numeric: cuda/numeric
cuda/atomic: cuda/std/atomic
cuda/barrier: cuda/std/barrier
cuda/latch: cuda/std/latch
cuda/semaphore: cuda/std/semaphore
curand_kernel.h: curand_mtgp32_kernel.h
cuda_pipeline.h: cuda_pipeline_primitives.h cuda_pipeline_helpers.h
"""
# Headers of the C++ library that ours use, and others that compile behind ours. They stay an include of the source's
# when that is preprocessed. What would be thrown ends the thread as in CUDA, without the library's functions.
PASSED = ("type_traits limits utility tuple array optional initializer_list ratio variant numeric bit span concepts "
          "algorithm functional vector map set unordered_map unordered_set deque list queue stack forward_list any new "
          "exception string_view").split()
# Parts of what every kernel is compiled behind that are left out where the program contains none of their names.
PARTS = "atomics bits extremes functions inverses warps".split()
# CUB's algorithms for a whole device, which the host launches: cub/device/device_NAME.cuh.
DEVICE_WIDE = ("adjacent_difference copy find for histogram memcpy merge merge_sort partition radix_sort reduce "
               "run_length_encode scan segmented_radix_sort segmented_reduce segmented_sort select spmv transform "
               "topk").split()
# Those of the host alone.
HOST = "string complex iostream sstream fstream thread mutex chrono random regex stdexcept".split()
LIBRARY = """#ifndef _GLIBCXX_THROW_OR_ABORT
namespace std {
extern "C" int rand() noexcept;
}
#define _GLIBCXX_THROW_OR_ABORT(error) (__builtin_trap())
#endif
#include_next <NAME>
#ifndef __CU_THROWS
#define __CU_THROWS
namespace std {
__attribute__((weak, visibility("hidden"))) void __throw_out_of_range_fmt(const char *, ...) { __builtin_trap(); }
}
#endif"""


def aliases():
    found = {}
    for line in ALIASES.strip().split("\n"):
        content, names = line.split(": ")
        folder, *names = names.split()
        if not folder.endswith("/"):
            folder, names = "", [folder, *names]
        for name in names:
            found[folder + name] = "\n".join(f"#include <{c}>" for c in content.split())
    return found


KEYWORDS = set("""alignas alignof asm auto bool break case catch char class const constexpr const_cast continue decltype
default define defined delete do double else enum explicit export extern false float for friend goto if ifdef ifndef
include inline int long mutable namespace new noexcept nullptr operator once pragma private protected public register
return short signed sizeof static static_assert static_cast struct switch template this throw true try typedef typeid
typename undef union unsigned using virtual void volatile wchar_t while reinterpret_cast dynamic_cast elif endif
char16_t char32_t char8_t and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq concept requires""".split())


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
    user's. A macro that its file undefines is not public."""
    public = []
    for text in found.values():
        gone = set(re.findall(r"#\s*undef\s+(\w+)", text)) if "__CU_CHECK" not in text else set()
        for line in re.findall(r"#\s*define\s((?:[^\n]*\\\n)*[^\n]*)", text):
            if re.match(r"\w+", line)[0] not in gone:
                public.append(line)
    return own_names("\n".join(public), macros)


def guarded(text, macros, everywhere):
    names = sorted({*own_names(text, macros), *everywhere})
    put_away = "\n".join(f'#pragma push_macro("{n}")\n#undef {n}' for n in names)
    back = "\n".join(f'#pragma pop_macro("{n}")' for n in names)
    return f"#ifndef __CU_NO_MACROS\n{put_away}\n#endif\n{text}\n#ifndef __CU_NO_MACROS\n{back}\n#endif"


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
        body = guarded(text, macros, everywhere) if own_names(text, macros) and file not in PASSED else text
        once = "" if file.endswith(".inc") else "#pragma once\n"
        read = f"#pragma CUPRITE_INCLUDE <{file}>\n{directives(file, text)}"
        whole = f"{once}#ifdef __CUPRITE_READ__\n{read}#else\n{body}\n#endif"
        rows.append(f'    {{"{file}",\n{literal(whole)}}},')
    return f"const cpi_header {name}[] = {{\n" + "\n".join(rows) + "\n    {NULL, NULL}};\n"


def names_of(part):
    """The names that a header has for programs, and for other headers; what ## makes of them by an f, too."""
    text = re.sub(r"/\*.*?\*/", "", (FOLDER / f"{part}.h").read_text(), flags=re.S)
    found = set(re.findall(r"\b([A-Za-z_]\w+)\(", text)) | set(re.findall(r"#define (\w+)", text))
    found |= set(re.findall(r"(?:struct|enum \{) (\w+)", text)) | set(re.findall(r"__CU_[A-Z]+\((\w+)", text))
    found -= KEYWORDS | {"__attribute__"} | set("name how mask make instruction exchange gather add all width".split())
    found = {n for n in found if not n.startswith(("__builtin_", "__atomic_", "__CU_")) and len(n) > 1}
    return found | {n + "f" for n in found}


def part_names():
    """Sorted rows; inverses.h calls functions.h, behind which it is."""
    found = {part: names_of(part) for part in PARTS}
    found["inverses"] -= found["functions"]
    rows = sorted((name, part) for part in PARTS for name in found[part])
    return ("const cpi_part_name cpi_part_names[] = {\n" +
            "\n".join(f'    {{"{name}", {len(name)}, CPI_PART_{part.upper()}}},' for name, part in rows) +
            f"\n}};\nconst int cpi_part_names_n = {len(rows)};\n")


def write(tables, out):
    nothing = "/* nothing: kernels have it */"
    both = {**dict.fromkeys(EMPTY, nothing), **strings(BOTH)}
    cpu = {**dict.fromkeys(EMPTY_CUDA, nothing), **{name: LIBRARY.replace("NAME", name) for name in PASSED},
           **{name: f'#error "<{name}> is the host\'s: kernels have no such header"' for name in HOST},
           **{f"cub/device/device_{name}.cuh": "#error \"cub's algorithms for a whole device are launched by the host: "
              "kernels cannot call them, on a GPU neither (docs/guide/kernels.md)\"" for name in DEVICE_WIDE},
           **aliases(), **strings(FOLDER, BOTH), **both}
    text = table("cpi_device_sources", cpu)
    digest = hashlib.sha256(text.encode()).hexdigest()  # here, since it takes milliseconds
    out.write("src/kernel/device_sources.c", "src/kernel/device",
              f'#include "kernel/compiler.h"\n\nconst char cpi_device_sources_digest[] = "{digest}";\n' + text + "\n" +
              table("cpi_both_sources", both) + "\n" + part_names())
