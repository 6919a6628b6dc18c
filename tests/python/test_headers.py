"""The headers as C and as C++: each compiles alone, every macro runs, every function that is declared can be linked to.

The programs lie in tests/headers and examples. A new macro without a use there, a new function with options that does
not take them, and a function that is declared and not exported (or the other way round) fail here by themselves.
"""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build"))
FOLDERS = [ROOT / "include", BUILD / "generated" / "include"]
HEADERS = sorted({str(p.relative_to(f)) for f in FOLDERS for p in f.rglob("*.h")})
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", *(f"-I{f}" for f in FOLDERS)]
COMPILERS = {"gcc": ["gcc", "-x", "c", "-std=c17"], "clang": ["clang", "-x", "c", "-std=c17"],
             "g++": ["g++", "-x", "c++", "-std=c++20"], "clang++": ["clang++", "-x", "c++", "-std=c++20"]}
compilers = pytest.mark.parametrize("compiler", COMPILERS)


def run(command, **options):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def program(compiler, source, to, *options):
    """Compiles a program against this build, without a warning; its path."""
    assert shutil.which(compiler), f"{compiler} is missing: tools/setup installs it"
    run([*COMPILERS[compiler], *STRICT, *options, source, "-x", "none", f"-L{BUILD / 'lib'}", "-lcuprite",
         f"-Wl,-rpath,{BUILD / 'lib'}", "-lm", "-o", to])
    return to


def preprocessed(*options):
    """All public headers as the preprocessor leaves them."""
    text = "".join(f'#include "{h}"\n' for h in HEADERS)
    return run(["gcc", "-x", "c", "-std=c17", "-E", "-P", *options, *STRICT, "-"], input=text).stdout


def macros():
    found = dict(re.findall(r"^#define ((?:cp_|CP_)\w+)(?:\([^)]*\))? *(.*)$", preprocessed("-dM"), re.M))
    assert len(found) > 40
    return found


@pytest.mark.parametrize("header, compiler", [
    (h, c) for k, h in enumerate(HEADERS) for c in (("gcc", "clang++"), ("clang", "g++"))[k % 2]])
def test_header_compiles_alone(header, compiler):
    run([*COMPILERS[compiler], *STRICT, "-fsyntax-only", "-"], input=f'#include "{header}"\nextern int nothing;\n')


def test_headers_are_cxx11():
    """Without the sugar, older C++ can call the library too."""
    text = "".join(f'#include "{h}"\n' for h in HEADERS)
    text += "int main() { return (cp_sum)(cp_zeros(CP_SHAPE(2, 3), CP_INT8), nullptr) == nullptr; }\n"
    run(["g++", "-x", "c++", "-std=c++11", *STRICT, "-fsyntax-only", "-"], input=text)


# Words of the headers themselves, which programs have no use for.
INTERNAL = {"CP_API", "CP_ARGS_1", "CP_ARGS_2", "CP_ARGS_3"}


def test_every_macro_is_used():
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "tests/headers/macros.c").read_text(), flags=re.S)
    words = set(re.findall(r"\w+", text))
    unused = {m for m in macros() if m.startswith("CP_")} - INTERNAL - words
    assert not unused, f"no use in tests/headers/macros.c: {sorted(unused)}"


@compilers
def test_macros(compiler, tmp_path):
    run([program(compiler, ROOT / "tests/headers/macros.c", tmp_path / "macros")])


def declarations():
    """name -> (result type, [argument types]) of what the headers declare for export."""
    found = {}
    exported = r'__attribute__\(\(visibility\("default"\)\)\)\s+([^;()]*?)\b(cp_\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*;'
    for result, name, arguments in re.findall(exported, preprocessed()):
        parts = re.split(r",(?![^(]*\))", arguments)
        found[name] = (" ".join(result.split()), [" ".join(a.split()) for a in parts if a.strip() != "void"])
    assert len(found) > 200
    return found


def exports(library):
    return {line.split()[-1] for line in run(["nm", "-D", "--defined-only", library]).stdout.splitlines()}


def test_what_is_declared_is_exported():
    declared, exported = set(declarations()), exports(BUILD / "lib" / "libcuprite.so")
    assert declared - exported == set(), "declared in a header, not in the library"
    assert exported - declared == set(), "in the library, in no header"


def members(text, struct):
    """(type, name) of the members of an options struct."""
    body = re.search(rf"typedef struct {struct} \{{(.*?)\}} {struct};", text, re.S)
    assert body, struct
    found = [re.fullmatch(r"(.*?)\s*(\w+)", " ".join(m.split())).groups() for m in body[1].split(";") if m.strip()]
    assert found[-1] == ("int", "_"), f"{struct} does not end with `int _`"
    return found[:-1]


def call_with_options(text, name, body, declared):
    """Lines of C that call one function three ways: with no options, with every option by name, with NULL."""
    form = re.fullmatch(rf"CP_CALL([2345]?)\({name}, (\w+), __VA_ARGS__, \._ = 0\)", body)
    assert form, f"{name} is not made of CP_CALL: {body}"
    result, arguments = declared[name]
    assert arguments[-1].startswith(f"const {form[2]} *"), f"{name} does not end with its options"
    assert len(arguments) - 1 == int(form[1] or 1), f"{name}: another CP_CALL"
    given = []
    for a in arguments[:-1]:
        kind = re.sub(r"\s*\w+$", "", a)
        given.append({"cp_array *": "x", "cp_rng *": "begun()", "cp_shape": "CP_SHAPE(6)",
                      "const char *": '"no such folder/file"'}.get(kind, "NULL" if "*" in kind
                                                                   else f"({kind.replace('_Bool', 'bool')})0"))
    names = [n for _, n in members(text, form[2])]
    every = ", ".join(given + [f".{n} = o.{n}" for n in names])
    test = {"cp_array *": "SAME_ARRAYS", "char *": "SAME_TEXTS", "cp_stream *": "BOTH_STREAMS",
            "cp_event *": "BOTH_EVENTS", "double": "SAME_NUMBERS", "int64_t": "SAME_NUMBERS",
            "cp_module *": "DO_NOT_COMPILE", "cp_kernel *": "DO_NOT_COMPILE",
            "cp_sparse_factors *": "REFUSED"}.get(result, "SAME_CODES")
    return (f"    {{\n        static {form[2]} o;\n"
            f"        {test}(cp_{name[3:]}({', '.join(given)}), ({name})({', '.join(given)}, NULL));\n"
            f"        {test}({name}({every}), ({name})({', '.join(given)}, &o));\n    }}\n")


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@compilers
def test_an_option_without_a_name_does_not_compile(compiler, level):
    """cp_sum(x, 0) is no axis 0."""
    text = "#include <cuprite.h>\ncp_array *f(cp_array *x, cp_array *y) { (void)y; return %s; }\n"
    command = [*COMPILERS[compiler], *STRICT, level, "-c", "-", "-o", "/dev/null"]
    lax = [*COMPILERS[compiler], "-w", *(f"-I{f}" for f in FOLDERS), level, "-c", "-", "-o", "/dev/null"]
    for call in ("cp_sum(x, 0)", "cp_sum(x, CP_AXES(0))", "cp_median(x, NULL)", "cp_sum(x, 0, .keepdims = true)"):
        done = subprocess.run(lax, input=text % call, text=True, capture_output=True, timeout=300)
        assert done.returncode != 0 and "options have names" in done.stderr, (call, done.stderr)
    run(command, input=text % "cp_sum(cp_mean(x, .out = y), .axis = CP_AXES(0), .keepdims = true)")


@compilers
def test_options(compiler, tmp_path):
    """Written here for every function with options, from the headers: sugar, pointer and NULL are one call."""
    text, declared = preprocessed(), declarations()
    sugar = {m: body for m, body in macros().items() if m.startswith("cp_")}
    with_options = {n for n, (_, a) in declared.items() if a and re.match(r"const cp_\w+_options \*", a[-1])}
    # for operations chosen at run time, and behind five arguments: a pointer only
    by_pointer = {"cp_reduce", "cp_elementwise", "cp_elementwise_all", "cp_kernel_launch"}
    assert set(sugar) == with_options - by_pointer
    lines = "".join(call_with_options(text, name, body, declared) for name, body in sorted(sugar.items()))
    source = tmp_path / "options.c"
    source.write_text("".join(f'#include "{h}"\n' for h in HEADERS) + """
#include <stdio.h>
#include <string.h>

static int wrong;

/* One generator, at the same place for every call. */
static cp_rng *begun(void)
{
    static cp_rng *g;
    static cp_rng_state first;
    if (!g) g = cp_rng_new(1), cp_rng_get_state(g, &first);
    cp_rng_set_state(g, &first);
    return g;
}

static int same(cp_array *a, cp_code first, cp_array *b, cp_code second)
{
    cp_error_clear();
    return first == second && !a == !b && (!a || cp_array_equal(a, b, true) == 1);
}

#define SAME_ARRAYS(left, right) \\
    do { \\
        cp_error_clear(); \\
        cp_array *a = left; \\
        cp_code first = cp_error(); \\
        cp_error_clear(); \\
        cp_array *b = right; \\
        if (!same(a, first, b, cp_error())) wrong++, puts(#left); \\
        cp_error_clear(); \\
    } while (0)
#define SAME_CODES(left, right) \\
    do { \\
        cp_error_clear(); \\
        cp_code first = left; \\
        cp_error_clear(); \\
        if ((right) != first) wrong++, puts(#left); \\
        cp_error_clear(); \\
    } while (0)
#define SAME_NUMBERS(left, right) \\
    do { \\
        cp_error_clear(); \\
        double first = (double)(left); \\
        cp_code code = cp_error(); \\
        cp_error_clear(); \\
        double second = (double)(right); \\
        if (first != second || code != cp_error()) wrong++, puts(#left); \\
        cp_error_clear(); \\
    } while (0)
#define SAME_TEXTS(left, right) \\
    do { \\
        char *a = left, *b = right; \\
        if (!a || !b || strcmp(a, b) != 0) wrong++, puts(#left); \\
        cp_string_free(a); \\
        cp_string_free(b); \\
    } while (0)
#define BOTH(left, right, type, end) \\
    do { \\
        type *a = left, *b = right; \\
        if (!a || !b || a == b) wrong++, puts(#left); \\
        end(a); \\
        end(b); \\
    } while (0)
#define BOTH_STREAMS(left, right) BOTH(left, right, cp_stream, cp_stream_free)
#define BOTH_EVENTS(left, right) BOTH(left, right, cp_event, cp_event_free)
#define REFUSED(left, right) \\
    do { \\
        if ((left) || cp_error() != CP_ERROR_VALUE) wrong++, puts(#left); \\
        cp_error_clear(); \\
        if ((right) || cp_error() != CP_ERROR_VALUE) wrong++, puts(#right); \\
        cp_error_clear(); \\
    } while (0)
#define DO_NOT_COMPILE(left, right) \\
    do { \\
        if ((left) || cp_error() != CP_ERROR_COMPILE) wrong++, puts(#left); \\
        cp_error_clear(); \\
        if ((right) || cp_error() != CP_ERROR_COMPILE) wrong++, puts(#right); \\
        cp_error_clear(); \\
    } while (0)

int main(void)
{
    cp_scope *scope = cp_scope_begin();
    cp_array *x = cp_reshape(cp_arange(0, 6, 1, CP_FLOAT64), CP_SHAPE(2, 3));
""" + lines + "    cp_scope_end(scope);\n    return wrong;\n}\n")
    run([program(compiler, source, tmp_path / "options")])


# What an example is given, and what it prints
EXAMPLES = {"source_finding": (["sky.fits", "cpu"], "sources: "),
            "survey": (["survey.npz"], "read again: the same"),
            "monte_carlo": (["3", "200000"], "volume   5.1"),
            "spectrum": (["cpu"], " Hz "),
            "spectrogram": (["spectrogram.png", "cpu"], "686 segments, the loudest tone from 517 Hz to 7967 Hz"),
            "denoise": (["-", "denoised.png", "30", "cpu"], "384 x 384 pixels; the median changed them by 24.3"),
            "bessel_table": (["cpu"], "    2    0.2238907791412357"),
            "low_rank": (["sky.fits", "low_rank.png", "5", "cpu"], "5 of 256 values"),
            "poisson": (["poisson.png", "32", "cpu"], "32 x 32 points, 4992 elements; "),
            "similar_stars": (["cpu"], "sum of all squared cosines: 2914825.34")}


PICTURES = {"low_rank", "spectrogram", "denoise", "poisson"}


def with_openblas():
    """The environment, where programs in C find the OpenBLAS that NumPy brings, if no other was chosen."""
    import numpy
    bundled = sorted(pathlib.Path(numpy.__file__).parents[1].glob("numpy.libs/libscipy_openblas*"))
    return {**({"CUPRITE_OPENBLAS": str(bundled[0])} if bundled else {}), **os.environ}


# those of MPI are test_mpi_plugin.py's
@pytest.mark.parametrize("example", sorted(p.stem for p in (ROOT / "examples").glob("*.c") if "_mpi" not in p.stem))
@compilers
def test_examples(example, compiler, tmp_path):
    made = program(compiler, ROOT / "examples" / f"{example}.c", tmp_path / example)
    given, printed = EXAMPLES[example]
    run([BUILD / "bin" / "cuprite", "sky", tmp_path / "sky.fits", "--size", "256", "--sources", "5"])
    assert printed in run([made, *given], cwd=tmp_path, env=with_openblas()).stdout
    pictures = list(tmp_path.glob("*.png"))
    assert all(p.read_bytes()[:4] == b"\x89PNG" for p in pictures) and len(pictures) == (example in PICTURES)


@pytest.mark.once
def test_denoise_of_a_picture(tmp_path):
    """PNG in, PNG out, as SciPy has it: the picture, and beside it what the filters and the rotation make."""
    import cuprite as cp
    import cuprite.io
    import numpy as np
    from scipy import ndimage
    picture = np.random.default_rng(2).integers(0, 256, (40, 50, 3)).astype("u1")
    cp.io.png_write(tmp_path / "in.png", cp.asarray(picture))
    run([BUILD / "bin/example_denoise", tmp_path / "in.png", tmp_path / "out.png", "20", "cpu"])
    grey = picture.mean(2).astype("f4")
    clean = ndimage.median_filter(grey, 3, mode="mirror")
    turned = ndimage.rotate(ndimage.gaussian_filter(clean, 1, mode="mirror"), 20, reshape=False, cval=128)
    want = np.clip(np.rint(np.concatenate([grey, turned], 1)), 0, 255)
    assert abs(cp.io.png_read(tmp_path / "out.png").get() - want).max() <= 1


@pytest.mark.once
@pytest.mark.parametrize("where", ["cpu", "late:0"])
def test_poisson(where, tmp_path):
    """What it prints is true: the residual is below the tolerance, and the picture is the solution that is known."""
    import cuprite.io
    import numpy as np
    n = 63
    said = run([BUILD / "bin/example_poisson", tmp_path / "out.png", str(n), where]).stdout
    steps, residual, error = re.search(r"; (\d+) steps to a residual of (\S+); the error is (\S+):", said).groups()
    t = np.arange(1, n + 1) / (n + 1)
    g, bend = t * (1 - t) * (1 - 2 * t), 6 - 12 * t
    size = np.linalg.norm(108 * (np.outer(bend, g) + np.outer(g, bend)) / (n + 1) ** 2)
    assert int(steps) < 2 * n and float(residual) < 1e-6 * size and float(error) < 1e-6
    u = 108 * np.outer(g, g)
    red, blue = 1 + np.minimum(u, 0), 1 - np.maximum(u, 0)
    drawn = cuprite.io.png_read(tmp_path / "out.png").get()
    assert abs(drawn - 255 * np.stack([red, red * blue, blue], 2)).max() <= 1.01


@pytest.mark.once
def test_low_rank_of_a_picture(tmp_path):
    """PNG in, PNG out: each colour's first singular values, as NumPy has them."""
    import numpy as np
    from PIL import Image
    y, x = np.mgrid[:40, :60]
    picture = np.stack([(x * 5 + y) % 256, (x + y) * 2, x * y % 251], 2).astype("u1")
    Image.fromarray(picture).save(tmp_path / "in.png")
    run([BUILD / "bin/example_low_rank", tmp_path / "in.png", tmp_path / "out.png", "4", "cpu"], env=with_openblas())
    u, s, vt = np.linalg.svd(np.moveaxis(picture, 2, 0).astype(float), full_matrices=False)
    again = np.moveaxis((u[..., :4] * s[:, None, :4]) @ vt[:, :4], 0, 2)
    low, high = float(picture.min()), float(picture.max())
    want = np.clip((again - low) / (high - low) * 255, 0, 255)
    got = np.asarray(Image.open(tmp_path / "out.png").convert("RGB")).astype(float)
    assert got.shape == (40, 180, 3)
    assert np.abs(got[:, :60] - np.floor((picture - low) / (high - low) * 255 + 1e-9)).max() <= 1
    assert (np.abs(got[:, 60:120] - (want - 0.5)) <= 0.5 + 1e-6).all()  # bytes are cut off, not rounded


@compilers
def test_leaks_are_told(compiler, tmp_path):
    source = ROOT / "tests/headers/leaks.c"
    made = program(compiler, source, tmp_path / "leaks", "-g")
    assert run([made]).stderr == ""
    told = run([made], env={**os.environ, "CUPRITE_DEBUG": "leaks"}).stderr.splitlines()
    lines = {name: i for i, line in enumerate(source.read_text().splitlines(), 1)
             for name in re.findall(r"/\* (\w+) \*/$", line)}
    assert told[0] == f"cuprite: 1004 arrays of {1000 * 8000 + 8 + 8000} bytes were never freed:"
    want = {"add": (1000, "spill"), **dict.fromkeys(("sum", "reshape", "float", "copy"), (1, "main"))}
    for name, (number, caller) in want.items():
        found = [t for t in told if f" cp_{name}," in t]
        assert len(found) == 1, told
        assert re.search(rf"^    {number} made by cp_{name}, called by {caller}\S* at \S*leaks.c:{lines[name]}\b",
                         found[0])
        assert ("in a scope that was never ended" in found[0]) == (name == "copy")
        assert ("outside of a scope the caller frees what it returns: for (CP_SCOPE)" in found[0]) == (name == "float")
    assert len(told) == 1 + len(want)
