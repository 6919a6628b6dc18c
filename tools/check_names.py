#!/usr/bin/env python3
"""Checks that cuprite.NAME in Python is cp_NAME in C, and vice versa.

    tools/check_names.py [--check]       exits 1 with a line for each name that only one of the two has

Python's names are those of the function rows, of the tables of operations and reductions, and of the functions written
in Python; C's are those of the public headers, written and generated (BUILD is the build folder, `build` by default).
Exceptions are listed below with their reason; an unnecessary exception is a violation too.
"""
import ast
import functools
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "generate")]
import headers  # noqa: E402
import reductions  # noqa: E402
from functions import read_functions  # noqa: E402
from stubs import operations  # noqa: E402
from table import Tables  # noqa: E402

OBJECTS = "makes arrays of Python's objects, or such objects of arrays"
PYTHON_ONLY = {
    **dict.fromkeys("array asarray asanyarray get_array_module".split(), OBJECTS),
    **dict.fromkeys("array_str array_repr array2string".split(), "NumPy prints in Python"),
    **dict.fromkeys("isscalar result_type shape iscomplexobj isrealobj may_share_memory".split(),
                    "asks Python's objects"),
    **dict.fromkeys("is_available get_default_memory_pool get_default_pinned_memory_pool install_as_cupy "
                    "install_as_numba".split(),
                    "Python's face of devices and pools"),
    **dict.fromkeys(["archive_save"], "cp_savez"),
    **dict.fromkeys("fromfile frombuffer fromstring loadtxt genfromtxt savetxt savez_compressed "
                    "tofile dump dumps byteswap".split(), "NumPy reads and writes bytes and texts in Python"),
    "fromDlpack": "CuPy's name of from_dlpack, of a capsule",
    "einsum_path": "a list and a text about costs; cp_einsum takes such a path as its option",
    **dict.fromkeys("unique_all unique_counts unique_inverse unique_values".split(),
                    "named tuples; cp_unique has all of it"),
    **dict.fromkeys("identity matrix_transpose permute_dims flipud fliplr".split(),
                    "another name of a call with fixed arguments"),
    "get_window": "a window by its name, which in C is its function", "dpss": "SciPy's, on the host",
    "plan_entered": "a plan of Python's that with makes the current one",
    "schur_sorted": "cp_schur(a, &t, &z, .sort = ...)",
    "schur_chosen": "cp_schur(a, &t, &z, .chosen = ...)",
    "asfortranarray": "cp_copy_order(x, 'F')",
    "capsule_signature": "asks a capsule of Python's",
    "amax": "NumPy's other name of max", "amin": "NumPy's other name of min",
    "concat": "NumPy's other name of concatenate", "around": "NumPy's other name of round",
    "round_": "CuPy's other name of round",
}
# Python's name: C's
OTHER_NAMES = {
    "ascontiguousarray": "contiguous", "real": "real_part", "imag": "imag_part", "promote_types": "promote",
    "mean": "mean_labels", "variance": "variance_labels", "standard_deviation": "std_labels",
    "minimum": "minimum_labels", "maximum": "maximum_labels", "asnumpy": "to_host",
}
LIFE = "the life of C's arrays, scopes, streams and errors, which Python does itself"
ATTRIBUTE = "an attribute, an operator or a conversion in Python"
C_ONLY = {
    **dict.fromkeys("retain free keep scope_begin scope_end error error_set error_clear error_message code_string "
                    "code_exception warnings warnings_clear "
                    "warning_string warning_category "
                    "image_header_free sources_free string_free rng_new rng_free".split(), LIFE),
    "seed_state": "numpy.random.SeedSequence",
    **dict.fromkeys("type_of nbytes dims dim strides data device_of is_c_contiguous is_f_contiguous is_writable "
                    "set_writable type_name type_from_name type_kind "
                    "type_size item_int item_float set_item slice mask_get mask_set index_get index_set view_as "
                    "from_host from_memory "
                    "to_host int float "
                    "complex scalar copy_order".split(), ATTRIBUTE),
    **dict.fromkeys((f"sparse_{name}" for name in "new free retain arrays from_dense from_diagonals apply "
                     "power kron hstack vstack tril triu max min mean norm maximum minimum not_equal less greater "
                     "convert astype to_device format_of type_of device_of is_canonical nnz columns add subtract "
                     "scale matmul dot slice diagonal sort_indices eliminate_zeros cg cgs bicg bicgstab tfqmr "
                     "gmres to_blocks minres qmr lgmres gcrotmk lsqr lsmr eigsh eigs svds "
                     "lobpcg expm_multiply onenormest argmax argmin nanmax nanmin count_nonzero trace assign "
                     "assign_slice elements set_diagonal reshape resize block_diag bmat kronsum eye random "
                     "matrix_power conj multiply_dense equal less_equal greater_equal lu lu_free lu_nnz "
                     "lu_parts lu_solve spsolve spsolve_sparse spsolve_triangular save "
                     "load".split()),
                    "one object for what cuprite.scipy.sparse has as classes"),
    "cstruct": ATTRIBUTE, "struct_argument": "the objects of cstruct and mdspan",
    **dict.fromkeys("sort_inplace partition_inplace".split(), "the method of that name"),
    **dict.fromkeys("elementwise elementwise_all reduce op_query op_types op_from_name reduction_query "
                    "reduction_from_name".split(),
                    "the general call behind every operation"),
    **dict.fromkeys("fits_read fits_describe fits_write catalog_write io_libraries ".split(),
                    "files are C's and the command's so far"),
    "blas_library": "show_config and get_runtime_info name it", "interrupt_set": "Python's signals",
    **dict.fromkeys("print fprint array_to_string".split(), "NumPy prints in Python"),
    **dict.fromkeys("arange_int progression".split(), "arange of integers and of any type, which C must tell apart"),
    **dict.fromkeys("generic_laplace generic_gradient_magnitude vectorized_filter".split(),
                    "in Python they call Python's functions (python/cuprite/scipy/ndimage)"),
    **dict.fromkeys(["assign"], ATTRIBUTE), "ramp": "linspace of numbers, which C need not put into arrays",
}
PREFIXES = {"ufunc_": "methods of ufuncs",
            "profile_": "cuprite.profiler",
            "device_": "cuprite.cuda", "graph_": "cuprite.cuda", "memory_": "cuprite.cuda",
            "allocator_": "cuprite.cuda", "synchronize_allow": "allow_synchronize",
            "library_folders": "Python tells where packages lie",
            "stream_": "cuprite.cuda", "event_": "cuprite.cuda", "pool_": "cuprite.cuda",
            "threads": "cuprite._device", "test_": "for tests", "scope_": LIFE, "backend_": "cuprite.cuda",
            "kernel_": "the objects of RawKernel", "module_": "the objects of RawModule",
            "fusion_": "the objects behind cuprite.fused",
            "image_": "files are C's and the command's so far",
            "to_dlpack": "ndarray.__dlpack__", "from_dlpack_old": "from_dlpack", "dlpack_": "ndarray.__dlpack__",
            "archive_": "NpzFile"}


@functools.cache
def tables():
    return Tables(ROOT)


@functools.cache
def rows():
    return read_functions(tables())


def written_in_python():
    names = []
    for name in ("_shaping.py", "__init__.py", "_compiler/fuse/expression.py", "_files.py"):
        tree = ast.parse((ROOT / "python/cuprite" / name).read_text())
        names += [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    return names


def breaches(build):
    functions = [f for f in rows()
                 if f.module not in ("_device", "_profile") and not f.name.startswith("_")]
    methods = {f.method for f in functions if f.method}
    operation_names = {n for module in [None, *(row.args[0] for row in tables().of("python_module"))]
                       for n in operations(tables(), module)}
    python = {n for f in functions if not f.is_method_only for n in [f.name] + f.also} | set(written_in_python())
    in_c = {f.name for f in functions if f.row.get("c")}
    named = {f.row.c[3:] for f in functions if "c" in f.row.columns}  # in C by the row's own column
    c = {name[3:] for name in headers.functions(build)} | operation_names
    c |= {row.args[0] for row in reductions.functions(tables())}
    for name in sorted(python):
        if name not in c | in_c and name not in PYTHON_ONLY and OTHER_NAMES.get(name) not in c:
            yield f"Python has {name}, C has no cp_{name}"
    for name in sorted(c):
        known = name in python or name in methods or name in operation_names | named or name in OTHER_NAMES.values()
        if not known and name not in C_ONLY and not name.startswith(tuple(PREFIXES)):
            yield f"C has cp_{name}, Python has no {name}"
    for name in sorted(PYTHON_ONLY):
        if name in c and name in python:
            yield f"{name} is in both: take it off PYTHON_ONLY"


SPELLED = {"dtype": "type", "axis": "axes", "axis1": "a", "axis2": "b"}  # Python's argument: C's


# With a hand-written body between the two: C's parameter and its argument, or what it is
FOUND = "what the call finds, through a pointer"
HELD = "what the object that has the function holds too"
BODIES = {
    "clip": {"b": "a_min", "c": "a_max"}, "angle": {"a": "z"}, "can_cast": {"from": "from_", "rule": "casting"},
    "compress": {"x": "a"}, "where": {"a": "x", "b": "y"}, "label": {"out": "output", "count": FOUND},
    "find_objects": {"labels": "input"}, "measure": {"sources": FOUND}, "sigma_clip_stats": {"result": FOUND},
    "sigma_clip_split": {"part": FOUND},
    "eye": {"rows": "N", "columns": "M"}, "full": {"value": "fill_value"}, "full_like": {"value": "fill_value"},
    "array_equal": {"a": "a1", "b": "a2"}, "stream_handle": {"s": "stream"}, "event_elapsed": {"ms": FOUND},
    "event_handle": {"e": "event"}, "graph_handle": {"g": "graph"}, "stream_capture_end": {"s": "stream"},
    "from_dlpack": {"tensor": "x"}, "distance_transform_edt": {"input": "image"},
    "distance_transform_cdt": {"structure": "metric"},
    "generic_filter": {"context": HELD}, "generic_filter1d": {"context": HELD},
    "geometric_transform": {"context": HELD}, "labeled_comprehension": {"function": "func", "context": HELD},
    "value_indices": {"x": "arr", "values": FOUND, "ends": FOUND, "positions": FOUND},
    "extrema": {"minimum": FOUND, "maximum": FOUND, "minimum_position": FOUND, "maximum_position": FOUND},
    "tensordot": {"a_axes": "axes", "b_axes": "axes"},
}
TURNED = ("full", "full_like")  # the type before the value, as C's other makers have it
MADE = ("object", "flag", "stream", "event", "graph")  # kinds that a body converts to something else


def declared_parameters(declared):
    """A prototype's parameters as written."""
    inside = re.search(r"\w\)? ?\((.*)\);?$", declared.text)[1]
    return [] if inside == "void" else [part.strip() for part in inside.split(",")]


def parameters(declared):
    """Names of a prototype's parameters."""
    return [re.search(r"(\w+)\W*$", part)[1] for part in declared_parameters(declared)]


def drift(build):
    """Differences between a hand-written prototype and its row. A row without `call` has the prototype's parameters by
    name and order (its first array may be called x); a row's `call` passes numbers and words to the parameters of their
    names."""
    found = headers.functions(build)
    for f in rows():
        call = re.fullmatch(r"(cp_\w+)\(([^()]*)\)", f.row.get("call", ""))
        declared = found.get(call[1] if call else f.row.get("c", "cp_" + f.name))
        if not declared or f.body or f.is_method_only or "call" in f.row.columns and not call:
            continue
        names, where = parameters(declared), f"{f.row.file}:{f.row.line}"
        if not call:
            made = [re.search(r"(\w+)$", part)[1] for a in f.parameters
                    for part in a.kind.c.format(name=a.name).split(",")]
            made += [*f.results, *["results"] * bool(f.many), *["options"] * f.has_options]
            alike = [name in (mine, SPELLED.get(mine)) or i == 0 and name == "x"
                     for i, (mine, name) in enumerate(zip(made, names))]
            if len(made) != len(names) or not all(alike):
                yield f"{where}: {f.name} takes ({', '.join(made)}), {declared.header} says ({', '.join(names)})"
            continue
        kinds = {a.name: a.kind.c for a in f.arguments if a.kind.c}
        given = [part for passed in call[2].split(",") for part in [passed.strip()]
                 * (1 + ("," in kinds.get(passed.strip(), "")))]
        for passed, name in zip(given, names):
            if passed in kinds and "*" not in kinds[passed] and name not in (passed, SPELLED.get(passed), "options"):
                yield f"{where}: {f.name} passes {passed} as the parameter {name} of {declared.name}"


def bodies(build):
    """The same for functions with a hand-written body: each parameter of C has one argument of that name (BODIES and
    SPELLED list the differences), of its type, and in its order."""
    found = headers.functions(build)
    for f in rows():
        declared = found.get(f.row.get("c", "cp_" + f.name))
        if not declared or not f.body or f.is_method_only:
            continue
        where, other, last = f"{f.row.file}:{f.row.line}", BODIES.get(f.name, {}), -1
        places = {a.name: i for i, a in enumerate(f.arguments)}
        spelled = {SPELLED.get(a.name): a.name for a in f.arguments} | other
        for text, name in zip(declared_parameters(declared), parameters(declared)):
            mine = f.arguments[0].name if name == "x" and last < 0 else spelled.get(name, name)
            if mine in (FOUND, HELD) or name == "options":
                continue
            if mine not in places:
                yield f"{where}: {f.name} has no argument for the parameter {name} of {declared.name}"
                continue
            kind = f.arguments[places[mine]].kind
            wanted = (kind.c or "").format(name=name)
            if kind.name not in MADE and wanted.replace(" ", "") != text.replace("const ", "").replace(" ", ""):
                yield f"{where}: {f.name} takes {mine} as `{wanted}`, {declared.header} says `{text}`"
            if places[mine] < last and f.name not in TURNED:
                yield f"{where}: {f.name} has {mine} in another place than {declared.name}"
            last = places[mine]
        for name in set(other) - set(parameters(declared)):
            yield f"{declared.name} has no parameter {name}: take it off BODIES"


def unread():
    """Arguments that a hand-written body ignores: every argument must have an effect or be rejected."""
    # (a body that hands the whole record on is not followed)
    text = "\n".join(path.read_text() for path in sorted((ROOT / "python/src").glob("*.c")))
    starts = {}
    for found in re.finditer(r"^PyObject \*py_(\w+)\(", text, re.M):
        starts.setdefault(found[1], found.start())
    whole = re.compile(r".*?^(?:\}|PyObject[^\n]*\})$|[^\n]*\}$", re.S | re.M)
    for f in rows():
        body = whole.match(text, starts[f.body]) if f.body in starts else None
        for a in f.arguments if f.body else []:
            reads = body and re.search(rf"\bv->{a.field}\b|[(, ]v[,)]|\(void\)v;", body[0])
            if not reads and not a.kind.only_checked and a is not f.self and a.kind.name not in ("device", "out"):
                yield f"{f.row.file}:{f.row.line}: the body of {f.name} does not read its argument {a.name}"


if __name__ == "__main__":
    build = os.environ.get("BUILD", "build")
    found = [*breaches(build), *drift(build), *bodies(build), *unread()]
    print("\n".join(found + (["tools/check_names.py holds what differs on purpose"] if found else [])),
          end="\n" if found else "")
    sys.exit(bool(found))
