"""The contract with plugins: one that was compiled with other headers is refused before anything of it is called, with
a line that names both builds, and the CPU works on; the tables are made from the headers by the slots' names."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import cuprite as cp

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "generate"))
import contract  # noqa: E402
import module_folders  # noqa: E402
from table import TableError  # noqa: E402

BUILD = pathlib.Path(cp.__file__).absolute().parents[2]

# Of another build: it has a number, which is not ours. Being called, by whatever entry, would end the process.
STALE = """
#include <stdint.h>
#include <stdlib.h>
const uint64_t cuprite_backend_abi = UINT64_C(0x0123456789abcdef), cuprite_io_abi = UINT64_C(0xfedcba9876543210);
const void *cuprite_backend_open(const void *host) { (void)host; abort(); }
const void *cuprite_io_open(const void *host) { (void)host; abort(); }
"""
# Of the time when a number that was counted by hand stood in the table itself.
OLD = """
#include <stdint.h>
#include <stdlib.h>
static const struct { uint32_t abi; const char *name, *error; int devices; void *slots[60]; } table = {
    5, "old", "", 1, {0}};
static const struct { uint32_t abi; const char *libraries; void *slots[40]; } io = {4, "", {0}};
const void *cuprite_backend_open(const void *host) { (void)host; return &table; }
const void *cuprite_io_open(const void *host) { (void)host; return &io; }
"""
SOURCES = {"stale": STALE, "old": OLD}
REFUSED = {"stale": r"{} is of another build than libcuprite.so: its ABI is {}, this library's is [0-9a-f]{{16}}\b",
           "old": r"{} is of another build than libcuprite.so: its ABI is none, this library's is [0-9a-f]{{16}}\b"}


def run(command, **environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def shared(path, text):
    path.with_suffix(".c").write_text(text)
    run(["cc", "-shared", "-fPIC", "-o", path, path.with_suffix(".c")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Plugins of further backends, for CUPRITE_BACKENDS."""
    path = tmp_path_factory.mktemp("backends")
    for name, text in SOURCES.items():
        shared(path / f"libcuprite-{name}.so", text)
    return path


@pytest.fixture(scope="module", params=SOURCES)
def library(request, tmp_path_factory):
    """A folder with a copy of libcuprite.so and plugins for GPUs and files that do not fit, and a fake driver."""
    path = tmp_path_factory.mktemp(request.param)
    shutil.copy(BUILD / "lib/libcuprite.so", path / "libcuprite.so.0")
    shared(path / "libcuda.so.1", "int cuInit(unsigned flags) { return (int)flags; }")
    for name in ("cuda", "io"):
        shared(path / f"libcuprite-{name}.so", SOURCES[request.param])
    return request.param, path


def refused(which, path, number):
    return REFUSED[which].format(re.escape(str(path)), number)


@pytest.mark.parametrize("which", SOURCES)
def test_backend_of_another_build_in_python(folder, which):
    out = run([sys.executable, "-c", f"""
import cuprite as cp
for attempt in range(2):
    try:
        cp.cuda.Device("{which}:0").use()
    except Exception as e:
        print(type(e) is cp.cuda.runtime.CUDARuntimeError, e)
print(cp.arange(4).sum().item())
"""], CUPRITE_BACKENDS=str(folder), CUPRITE_DEVICE="cpu")
    first, second, total = out.splitlines()
    line = refused(which, folder / f"libcuprite-{which}.so", "0123456789abcdef")
    assert re.fullmatch(rf"True device: '{which}:0' is not there \(0 {which} devices found: {line}\)", first)
    assert second == first and total == "6"


PROGRAM = r"""
#include <cuprite.h>
#include <stdio.h>
int main(int n, char **words)
{
    int device = 0;
    if (n > 1) printf("%d ", cp_device_parse(words[1], &device) == CP_ERROR_DEVICE);
    if (n > 1) printf("%d %s\n", cp_error() == CP_ERROR_DEVICE, cp_error_message());
    if (n == 1) printf("%s\n", cp_device_error());
    if (n == 1) printf("%d ", !cp_io_libraries() && cp_error() == CP_ERROR_UNSUPPORTED);
    if (n == 1) printf("%s\n", cp_error_message());
    cp_error_clear();
    int64_t total = 0;
    cp_array *x = cp_arange(0, 4, 1, CP_INT64), *s = cp_sum(x);
    if (s) cp_to_host(s, &total, sizeof total);
    printf("%d\n", (int)total);
    cp_free(s);
    cp_free(x);
    return cp_error();
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("program")
    (path / "program.c").write_text(PROGRAM)
    run(["cc", "-std=c17", "-Wall", "-Werror", f"-I{ROOT / 'include'}", f"-I{BUILD / 'generated/include'}",
         path / "program.c", "-o", path / "program", f"-L{BUILD / 'lib'}", "-lcuprite", "-lm",
         f"-Wl,-rpath,{BUILD / 'lib'},--enable-new-dtags"])
    return path / "program"


@pytest.mark.parametrize("which", SOURCES)
def test_backend_of_another_build_in_c(folder, program, which):
    first, total = run([program, f"{which}:0"], CUPRITE_BACKENDS=str(folder), CUPRITE_DEVICE="cpu").splitlines()
    line = refused(which, folder / f"libcuprite-{which}.so", "0123456789abcdef")
    assert re.fullmatch(rf"1 1 device: '{which}:0' is not there \(0 {which} devices found: {line}\)", first)
    assert total == "6"


def test_plugins_beside_the_library_in_c(library, program):
    """Without a device named: device 0 is the CPU then, and says why."""
    which, path = library
    gpu, files, total = run([program], LD_LIBRARY_PATH=str(path), CUPRITE_DEVICE="", CUPRITE_GPU="").splitlines()
    assert re.fullmatch(refused(which, path / "libcuprite-cuda.so", "0123456789abcdef"), gpu)
    assert re.fullmatch("1 io_libraries: " + refused(which, path / "libcuprite-io.so", "fedcba9876543210"), files)
    assert total == "6"


def test_plugins_beside_the_library_in_python(library, tmp_path):
    which, path = library
    out = run([sys.executable, "-c", f"""
import cuprite as cp
from cuprite import _device
print(_device.error())
for write in range(2):
    try:
        cp.savez("{tmp_path}/a.npz", cp.ones((2, 2)))
    except Exception as e:
        print(type(e).__name__, e)
print(cp.arange(4).sum().item(), _device.count())
"""], LD_LIBRARY_PATH=str(path), CUPRITE_DEVICE="", CUPRITE_GPU="")
    gpu, first, second, total = out.splitlines()
    assert re.fullmatch(refused(which, path / "libcuprite-cuda.so", "0123456789abcdef"), gpu)
    line = refused(which, path / "libcuprite-io.so", "fedcba9876543210")
    assert re.fullmatch(r"NotImplementedError \w+: " + line, first)
    assert second == first and total == "6 0" and not list(tmp_path.iterdir())


# --- numbers ---
HEADER = "/* Words. */\n#define N 3 // three\n" \
         "typedef struct ops {\n    int (*a)(int n);\n    int (*b)(int n);\n} ops;\n"


@pytest.mark.parametrize("other", [
    HEADER.replace("Words", "Other words"), HEADER.replace("    ", "\t"), HEADER.replace("ops {\n", "ops\n{\n"),
    HEADER.replace("three", "3"), HEADER.replace("N 3", "N \\\n 3"), HEADER.replace("n)", "n )")])
def test_comments_and_space_change_no_number(other):
    one, two = contract.number_of({"a.h": HEADER}), contract.number_of({"a.h": other})
    assert one == two and 0 < one < 2**64


@pytest.mark.parametrize("other", [
    HEADER.replace("(*a)", "(*c)").replace("(*b)", "(*a)").replace("(*c)", "(*b)"), HEADER.replace("N 3", "N 4"),
    HEADER.replace("int n", "long n"), HEADER.replace("} ops;", "    int (*c)(int n);\n} ops;"),
    HEADER.replace("#define N 3", "#define N"), HEADER.replace("N 3 // three\n", "N 3 ")])
def test_all_else_changes_it(other):
    assert contract.number_of({"a.h": HEADER}) != contract.number_of({"a.h": other})
    assert contract.number_of({"a.h": HEADER}) != contract.number_of({"b.h": HEADER})


def test_numbers_are_of_what_plugins_are_compiled_with():
    folders = [*module_folders.include_folders(), ROOT / "include", BUILD / "generated/src",
               BUILD / "generated/include"]
    found = contract.headers_from(["backend/backend.h", *(f"{n}/{n}.h" for n in contract.with_slots())], folders)
    assert {"backend/backend.h", "backend/modules.h", "core/array.h", "core/shape.h", "cuprite/types.h",
            "cuprite/element_types.h", "sort/sort.h", "sort/slots.h"} <= set(found)
    assert {"io/io.h", "cuprite/io.h", "cuprite/types.h"} <= set(contract.headers_from(["io/io.h"], folders))
    assert "backend/abi.h" not in found
    text = (BUILD / "generated/src/backend/abi.h").read_text()
    number = contract.number_of({name: path.read_text() for name, path in found.items()})
    assert f"CPI_ABI UINT64_C(0x{number:016x})" in text


# --- tables ---
SLOTS = """#include "core/array.h"
typedef struct cpi_window_ops {
    cp_code (*open)(cp_stream *stream, const cpi_pane *panes, int n);
    /* NULL: nobody looks. */
    void (*shut)(cp_stream *stream, double *to);
    bool known;
    int64_t least, most;
} cpi_window_ops;
/*: slot("shut", absent="cuda") */
/*: value("known", cuda="true") */
/*: value("most", cpu="1 << 4", cuda="7") */
#include "window/slots.h"
"""


@pytest.fixture
def window(tmp_path, monkeypatch):
    (tmp_path / "src/array/window").mkdir(parents=True)
    (tmp_path / "src/modules.def").write_text('module("window", layer="array", slots=True, doc="")\n')
    monkeypatch.setattr(module_folders, "ROOT", tmp_path)

    def read(text):
        (tmp_path / "src/array/window/window.h").write_text(text)
        return contract.Module("window")
    return read


def test_tables_by_name(window):
    found = window(SLOTS)
    assert found.table("cpu") == """const cpi_window_ops cpi_window_cpu = {
    .open = cpi_window_cpu_open,
    .shut = cpi_window_cpu_shut,
    .most = 1 << 4,
};"""
    assert found.table("cuda") == """const cpi_window_ops cpi_window_cuda = {
    .open = cpi_window_cuda_open,
    .shut = NULL,
    .known = true,
    .most = 7,
};"""
    assert found.prototypes("cuda") == [
        "cp_code cpi_window_cuda_open(cp_stream *stream, const cpi_pane *panes, int n);"]
    assert len(found.prototypes("cpu")) == 2
    assert 'static_assert(offsetof(cpi_window_ops, shut) == 1 * sizeof(void (*)(void)), "slot 1 is shut");' in \
        found.assertions()


@pytest.mark.parametrize("old, new, words", [
    ('slot("shut"', 'slot("shutter"', "src/array/window/window.h:9: window has no slot shutter"),
    ('value("known"', 'value("unknown"', "window has no value unknown"),
    ('absent="cuda"', 'absent="cude"', "absent names devices: cpu or cuda"),
    ('cuda="7"', 'gpu="7"', "value has no column gpu"),
    ('#include "window/slots.h"', "", "is not there, after the slots"),
    ("cpi_window_ops;", "cpi_pane_ops;", "cpi_window_ops; is not there"),
    ("    int64_t least, most;\n", "    void (*last)(int n);\n", "the slot last stands behind known, which is none"),
])
def test_what_headers_may_not_say(window, old, new, words):
    with pytest.raises(TableError, match=re.escape(words)):
        window(SLOTS.replace(old, new))


def test_no_table_is_written_by_hand():
    for path in (ROOT / "src").rglob("*.c*"):
        for name, device in re.findall(r"_ops cpi_([a-z]+)_(cpu|cuda) = \{", path.read_text()):
            assert name in contract.BY_HAND, (path, device)
