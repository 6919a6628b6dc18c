"""The build: the outputs and inputs that the generator declares to the build tool; builds for some processors only."""
import collections
import os
import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import hypothesis
import pytest
from hypothesis import strategies

import conftest
from oracle import instruction_sets

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]


def generate(*arguments):
    subprocess.run([sys.executable, ROOT / "tools/generate", *arguments], check=True)


def files(folder):
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


def inputs(depfile):
    target, _, rest = depfile.read_text().partition(":")
    return target, set(rest.replace("\\\n", " ").split())


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated")
    generate(folder, "--sources")
    return folder


def test_the_list_is_what_is_written(out, tmp_path):
    generate(tmp_path, "--list")
    assert set(files(tmp_path)) == {"sources.txt"}
    listed = (tmp_path / "sources.txt").read_text()
    assert listed == (out / "sources.txt").read_text()
    assert set(listed.split()) == set(files(out)) - {"sources.txt", "sources.stamp", "sources.d"}
    assert "src/elementwise/operations.c" in listed.split()


def test_inputs_are_what_was_read(out):
    target, read = inputs(out / "sources.d")
    assert target == str(out / "sources.stamp")
    for name in ("tools/generate/reducers.py", "python/src", "include/cuprite", "src"):
        assert str(ROOT / name) in read
    for pattern in ("*.def", "*.c", "*.cu"):  # each may hold rows
        assert {str(p) for p in (ROOT / "src").rglob(pattern)} <= read
    assert all(pathlib.Path(p).exists() for p in read)
    assert not [p for p in read if "/python/cuprite/" in p or "__pycache__" in p or str(out) in p]


def test_what_takes_nvcc_long():
    """Reading CUB's headers takes 5 s; tables are C, which nvcc need not see; two builds read one list of options."""
    sources = [p for p in (ROOT / "src").rglob("*.cu*") if "kernel/device" not in str(p)]
    assert {p.name for p in sources if "#include <cub/" in p.read_text()} == {
        "cub_cuda.cu", "rows_cuda.cu"}
    options = (ROOT / "tools/cuda_options.txt").read_text().splitlines()
    assert sorted(line.split()[0] for line in options if not line.startswith("#")) == [
        "balance", "brief", "flags", "host", "lean", "quick", "release"]
    brief, = (line.split(" ", 1)[1] for line in options if line.startswith("brief "))
    calls = {}  # the ways of calling of a chapter's operations
    for row in re.findall(r'^operation\(.*?\)$', "".join(
            p.read_text() for p in (ROOT / "src/array/elementwise").glob("special*.def")), re.S | re.M):
        calls.setdefault(re.search(r'chapter="(\w+)"', row)[1], set()).add(re.search(r'call="(\w+)"', row)[1])
    assert len(calls) > 12
    assert {c for c in calls if re.search(brief, f"/kernels_{c}_cuda.cu")} == {c for c in calls if calls[c] == {"once"}}
    lean, = (line.split(" ", 1)[1] for line in options if line.startswith("lean "))
    files = ["/" + str(p.relative_to(ROOT)) for p in sources if p.name.endswith("_cuda.cu")]
    files += [f"/generated/src/elementwise/kernels_{c}_cuda.cu" for c in calls]
    host, = (line.split(" ", 1)[1] for line in options if line.startswith("host "))
    of_host = [p for p in sources if re.search(host, str(p))]
    assert len(of_host) == 8 and not [p for p in of_host if re.search("<<<|__global__|__device__", p.read_text())]
    assert [f for f in files if re.search(lean, f)] and not [
        f for f in files if re.search(lean, f) and re.search(brief, f)]    # the option given twice is an error
    for user in ("CMakeLists.txt", "tools/gpu-check"):
        text = (ROOT / user).read_text()
        assert "cuda_options.txt" in text and "--fmad" not in text and "--expt-relaxed-constexpr" not in text


@pytest.mark.parametrize("target, options, cached, quick", [
    ("test", (), None, "ON"), ("test", ("CUDA_ARCHS=90",), None, "OFF"), ("test", (), "OFF", "OFF"),
    ("test", (), "", "OFF"),
    ("build", (), None, "OFF"), ("build", (), "ON", "ON"), ("build", ("CUDA_QUICK=OFF",), "ON", "OFF")])
def test_kernels_that_no_gpu_runs_are_compiled_quickly(tmp_path, target, options, cached, quick):
    """By `make test`, where there is no GPU and no build folder yet; a build to be used is not made so."""
    if cached is not None:
        (tmp_path / "CMakeCache.txt").write_text(cached and f"CUPRITE_CUDA_QUICK:BOOL={cached}\n")
    environment = dict(os.environ)
    for name in ("CUDA_ARCHS", "CUDA_QUICK", "MAKEFLAGS"):
        environment.pop(name, None)
    commands = subprocess.run(["make", "-n", target, f"BUILD={tmp_path}", *options], cwd=ROOT, env=environment,
                              check=True, capture_output=True, text=True).stdout
    expected = "OFF" if os.path.exists("/dev/nvidia0") else quick
    assert re.search(r"-DCUPRITE_CUDA_QUICK=(\w*)", commands)[1] == expected


def test_tables_of_slots_are_c(out):
    listed = (out / "sources.txt").read_text().split()
    tables = {name for name in listed if name.rpartition("/")[2].startswith("slots_cuda")}
    assert tables == {name.replace("_cpu.c", "_cuda.c") for name in listed if name.endswith("/slots_cpu.c")}


def test_nothing_is_written_twice(out):
    before = files(out)
    (out / "src/elementwise/nobody.c").write_text("")
    generate(out, "--sources")
    after = files(out)
    for name in ("sources.d", "sources.stamp"):  # of this run
        del before[name], after[name]
    assert after == before


def test_a_failed_generation_is_told_in_a_few_lines(tmp_path):
    """Ninja names every output of what failed, so the generator's step has one. The generator's own word is a line."""
    rules = (pathlib.Path(os.environ["CUPRITE_BUILD"]) / "build.ninja").read_text().replace("$\n", "")
    edges = [edge for edge in rules.split("\n\n") if "--sources" in edge]
    assert len(edges) == 1
    outputs = edges[0].removeprefix("build ").partition(":")[0].split("|")[0].split()
    assert [name.rpartition("/")[2] for name in outputs] == ["sources.stamp"]
    for name in ("tools/generate", "src", "include", "python/src"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.cu", "__pycache__"))
    (tmp_path / "src/modules.def").open("a").write('module("filters", layer="science", dok="filters")\n')
    for name, arguments in (("tools/generate", [str(tmp_path / "out"), "--sources"]),
                            ("tools/generate/module_folders.py", [])):
        done = subprocess.run([sys.executable, tmp_path / name, *arguments], capture_output=True, text=True)
        if arguments:
            line = len((tmp_path / "src/modules.def").read_text().splitlines())
            assert done.returncode == 1
            assert done.stderr == f"generate: src/modules.def:{line}: module needs the column doc\n"
        else:
            assert done.returncode == 0  # it asks for names and layers alone
    (tmp_path / "src/modules.def").write_text("module(")
    done = subprocess.run([sys.executable, tmp_path / "tools/generate/module_folders.py"], capture_output=True,
                          text=True)
    assert done.returncode == 1 and done.stderr.startswith("src/modules.def:1: ") and done.stderr.count("\n") == 1


def test_the_package_is_links(out, tmp_path):
    (tmp_path / "cuprite").mkdir()
    (tmp_path / "cuprite" / "gone.py").symlink_to(ROOT / "python/cuprite/gone.py")
    (tmp_path / "cuprite" / "_core.so").write_text("")
    generate(out, "--package", tmp_path)
    assert (tmp_path / "cuprite" / "profiler.py").resolve() == ROOT / "python/cuprite/profiler.py"
    assert (tmp_path / "cuprite" / "profiler.pyi").resolve() == out / "python/cuprite/profiler.pyi"
    assert (tmp_path / "cuprite" / "py.typed").exists()
    assert not (tmp_path / "cuprite" / "gone.py").is_symlink()
    assert (tmp_path / "cuprite" / "_core.so").is_file()
    read = inputs(out / "package.d")[1]
    assert {str(ROOT / "python/cuprite"), str(ROOT / "python/cuprite/profiler.py")} <= read


PROGRAM = """
#include <stdio.h>
#include "cpu/features.h"
int main(void)
{
    char text[160];
    const char *why = cpi_cpu_lacks(text, sizeof text);
    puts(why ? why : "nothing");
}
"""


@pytest.mark.parametrize("without, level, words", [
    ([], "x86-64-v2", "nothing"),
    (["V2"], "x86-64-v2", "this library was built for x86-64-v3 and newer only; CUPRITE_CPU is x86-64-v2"),
    (["V2", "V3"], "x86-64-v2", "this library was built for x86-64-v4 and newer only; CUPRITE_CPU is x86-64-v2"),
    (["V3", "V4"], "x86-64-v2", "nothing"),
])
def test_a_library_for_newer_processors_says_so(tmp_path, without, level, words):
    (tmp_path / "program.c").write_text(PROGRAM)
    subprocess.run(["gcc", "-std=gnu17", *(f"-DCPI_WITHOUT_{w}" for w in without), "-I", ROOT / "src/base", "-I",
                    ROOT / "include", tmp_path / "program.c", ROOT / "src/base/cpu/features.c", "-o",
                    tmp_path / "program"], check=True)
    said = subprocess.run([tmp_path / "program"], env={"CUPRITE_CPU": level}, check=True, capture_output=True,
                          text=True)
    assert said.stdout.strip() == words


def test_the_cpu_is_refused_where_its_kernels_are_not():
    """A build of all sets runs as the lowest; one without it raises and does not crash."""
    program = ("import cuprite as cp\ntry:\n    print(int(cp.arange(5).sum()))\n"
               "except RuntimeError as e:\n    print(type(e).__name__, e)\n")
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                          env={**os.environ, "CUPRITE_DEVICE": "cpu", "CUPRITE_CPU": "x86-64-v2"})
    if "x86-64-v2" in instruction_sets():
        assert said.stdout == "10\n"
    else:
        assert said.stdout.startswith("CUDARuntimeError device: this library was built for x86-64-v"), said.stdout


def vector_instructions(code):
    """Of each function of a disassembly the number of instructions with a register of 32 or 64 bytes."""
    counts, name = collections.Counter(), None
    for line in code.splitlines():
        begins = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        name = begins[1] if begins else name
        counts[name] += "%ymm" in line or "%zmm" in line
    return counts


def test_functions_by_polynomials_are_vectors_whatever_the_compiler():
    """GCC 13 left log1p and arctan scalar, which made them four times slower."""
    build = pathlib.Path(os.environ["CUPRITE_BUILD"])
    objects = [o for o in build.rglob("elementwise_series_simd.c.o") if "simd_v2.dir" not in str(o)]
    assert objects
    for o in objects:
        r = subprocess.run(["objdump", "-d", "--no-show-raw-insn", o], capture_output=True, text=True, check=True)
        counts = {n: c for n, c in vector_instructions(r.stdout).items() if n and n.startswith("cpi_series_")}
        assert {"cpi_series_log1p_f32", "cpi_series_arctan_f64"} <= {n[:-3] for n in counts}
        assert not [n for n, c in counts.items() if c < 40], o


def collected(*arguments):
    run = subprocess.run([sys.executable, "-m", "pytest", "--collect-only", "-q", "--device", "late:0", "-p",
                          "no:cacheprovider", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return [line for line in run.stdout.split("\n") if "::" in line]


def test_a_sample_has_every_function_and_of_devices_every_case():
    def functions(names):
        return collections.Counter(n.split("[")[0] for n in names)
    files = ["tests/python/test_signal.py", "tests/python/test_streams.py"]
    every, some = (functions(collected(*files, *more)) for more in ([], ["--sample", "3"]))
    assert set(every) == set(some)
    for name, count in every.items():
        assert some[name] == (count if "/test_streams.py" in name else min(count, 3)), name
    assert max(every.values()) > 3


def test_of_drawn_cases_a_sample_has_some():
    seen = []

    @hypothesis.settings(max_examples=500, database=None)
    @hypothesis.given(strategies.integers())
    def draws(n):
        seen.append(n)
    conftest._draw_fewer(draws, 30)
    draws()
    assert 15 <= len(seen) <= 30


@pytest.mark.parametrize("names, python, c", [
    (["src/array/sort/unique.c"], {"sort", "sort_select"}, {"sort", "select"}),
    (["src/science/random/order.c", "tests/python/test_fft.py"], {"random", "random_distributions", "fft"}, {"random"}),
    (["python/cuprite/_compiler/ast/arrays.py"], {"jit", "njit", "numba"}, set()),
    (["tests/c/test_late.c"], set(), {"late"}),
    (["src/base/core/shape.c"], {"ndarray", "reduce", "streams"}, {"core", "shape"}),
    (["tests/python/oracle.py"], {"reduce_options", "build"}, set()),
    ([], {"ndarray", "linalg"}, {"core"}),
])
def test_quick_finds_the_tests_of_a_file(names, python, c):
    quick = runpy.run_path(str(ROOT / "tools/quick"))
    found = quick["chosen"](names)
    assert python <= set(found[0]) and c <= set(found[1])
    for n in found[0]:
        assert (ROOT / f"tests/python/test_{n}.py").exists()
    for n in found[1]:
        assert (ROOT / f"tests/c/test_{n}.c").exists()


def test_quick_names_tests_that_are_there():
    quick = runpy.run_path(str(ROOT / "tools/quick"))
    for kind, tables in (("python", ("ALSO", "SAMPLE", "PUBLIC")), ("c", ("C_ALSO", "C_SAMPLE"))):
        for table in tables:
            words = quick[table]
            for word in " ".join(words.values() if isinstance(words, dict) else words).split():
                assert quick["existing"](kind, [word]), (table, word)


@pytest.mark.parametrize("line, adds", [
    ('/*: function("label", "input: array", doc="")', True), ('function("label", "input: array",', True),
    ('reduction("sum", reducer="sum"', True), ("CP_API cp_array *cp_label(cp_array *input);", True),
    ("    function(x);", False), ("static cp_array *function(cp_array *x)", False)])
def test_quick_sees_public_functions(line, adds):
    quick = runpy.run_path(str(ROOT / "tools/quick"))
    python = quick["chosen"](["src/science/ndimage/ndimage.c"], ["", line])[0]
    assert ({"ndimage"} if not adds else {"ndimage", *quick["PUBLIC"]}) <= set(python)
    assert adds == ("headers" in python)


@pytest.mark.parametrize("arguments", [["--list", "sort"], ["sort", "--list"]])
def test_quick_lists_without_running(arguments):
    done = subprocess.run([sys.executable, str(ROOT / "tools/quick"), *arguments], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0 and done.stderr == ""
    python, c = done.stdout.splitlines()[1:]
    assert python.startswith("quick: Python: sort sort_clip ") and c == "quick: C: sort clip select"


def test_quick_fails_where_a_test_is_not_built(tmp_path, capsys):
    quick = runpy.run_path(str(ROOT / "tools/quick"))
    assert quick["run"](tmp_path, [], ["sort"], 2**40) == 1
    assert "test_sort.c: not built; run ninja -C " in capsys.readouterr().out
