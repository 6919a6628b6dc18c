"""Wheels and the source distribution: what they hold, when they are refused, and that they work where they are alone.

The wheel for other machines is made of the objects of this build, as tools/wheel makes it of its own. What is only in
tools/newcomer: that it compiles from nothing, and that pip finds what it needs.
"""
import base64
import fcntl
import hashlib
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

import pytest

import cuprite

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build")).absolute()
CLEAN = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PYTHONPATH", "CUPRITE_BUILD")}
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, timeout=300,
                          **{"env": CLEAN, **options})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def backend():
    spec = importlib.util.spec_from_file_location("build_backend", ROOT / "tools/build_backend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A virtual environment that has NumPy and OpenBLAS, as links, and nothing else; its Python."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    packages, = folder.glob("lib/python*/site-packages")
    ours = pathlib.Path(sysconfig.get_paths()["purelib"])
    for pattern in ("numpy", "numpy.libs", "numpy-*", "scipy_openblas64*"):
        for found in ours.glob(pattern):
            (packages / found.name).symlink_to(found)
    return folder / "bin" / "python"


@pytest.fixture
def build():
    """The build folder, whose programs only one process links at a time."""
    with open(BUILD / ".install-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield BUILD


def test_a_wheel_alone(environment, build, tmp_path):
    """Made, installed with its requirements checked, and tested by what it holds itself, far from the sources."""
    run(*PIP, "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", tmp_path,
        "--config-settings", f"build-dir={BUILD}", "--config-settings", "compression=1", ROOT)
    wheel, = tmp_path.glob("*.whl")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name == f"cuprite_array-{cuprite.__version__}-{tag}-{tag}-linux_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        libraries = [n for n in archive.namelist() if n.startswith("cuprite/lib/libcuprite.so")]
    assert libraries == ["cuprite/lib/libcuprite.so.0"]
    run(*PIP, "--python", environment, "install", "-q", "--no-index", wheel)
    alone = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    said = run(environment, "-m", "cuprite.selftest", cwd=tmp_path, env=alone)
    assert re.search(r"^[5-9]\d\d passed, 0 failed", said, re.M) and "skipped" not in said
    run(environment.parent / "cuprite", "sky", "sky.fits", "--size", "64", "--sources", "1", cwd=tmp_path, env=alone)
    assert (tmp_path / "sky.fits").stat().st_size > 64 * 64 * 2
    said = run(environment.parent / "cuprite", "info", cwd=tmp_path, env=alone)
    assert re.search(r"^blas +OpenBLAS .*scipy_openblas64", said, re.M)
    run(*PIP, "--python", environment, "uninstall", "-q", "-y", "cuprite-array")
    done = subprocess.run([environment, "-c", "import cuprite"], cwd=tmp_path, env=alone, capture_output=True)
    assert b"ModuleNotFoundError" in done.stderr


def glibc(wheel, folder):
    """The newest version of glibc that a library or program of the wheel needs, and what it needs of others."""
    newest, needed, held = (0,), set(), set()
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if archive.read(name)[:4] != b"\x7fELF":
                continue
            held.add(pathlib.PurePath(name).name)
            text = run("readelf", "-d", "-V", archive.extract(name, folder))
            newest = max(newest, *(tuple(map(int, v.split("."))) for v in re.findall(r"Name: GLIBC_([\d.]+)", text)))
            needed |= set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))
    return newest, needed - held


def test_the_wheel_for_other_machines(environment, build, tmp_path):
    """Linked for an older glibc, verified and renamed by auditwheel, and tested as the one above."""
    run(sys.executable, ROOT / "tools/wheel", "--build-dir", build, tmp_path)
    wheel, = tmp_path.glob("*.whl")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name == f"cuprite_array-{cuprite.__version__}-{tag}-{tag}-manylinux_2_28_x86_64.whl"
    newest, needed = glibc(wheel, tmp_path)
    assert (2, 14) <= newest <= (2, 28)
    assert needed <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}
    with zipfile.ZipFile(wheel) as archive:
        licenses = [n for n in archive.namelist() if re.search("/licenses/.", n)]
    assert len(licenses) == 6 and any("libcfitsio" in n for n in licenses)
    run(*PIP, "--python", environment, "install", "-q", "--no-index", wheel)
    alone = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    said = run(environment, "-m", "cuprite.selftest", cwd=tmp_path, env=alone)
    assert re.search(r"^[5-9]\d\d passed, 0 failed", said, re.M) and "skipped" not in said
    run(environment.parent / "cuprite", "sky", "sky.fits", "--size", "64", "--sources", "1", cwd=tmp_path, env=alone)
    assert (tmp_path / "sky.fits").stat().st_size > 64 * 64 * 2
    run(*PIP, "--python", environment, "uninstall", "-q", "-y", "cuprite-array")


def test_an_editable_installation(environment, backend, build, tmp_path):
    (tmp_path / "out").mkdir()
    run(sys.executable, "-c", "import sys, build_backend\n"
        f"build_backend.build_editable({str(tmp_path)!r}, {{'build-dir': {str(BUILD)!r}}})", cwd=ROOT / "tools")
    wheel, = tmp_path.glob("*.whl")
    run(*PIP, "--python", environment, "install", "-q", "--no-index", wheel)
    said = run(environment, "-c", "import cuprite; print(cuprite.__file__, cuprite.arange(3).sum())", cwd=tmp_path)
    assert said == f"{BUILD}/python/cuprite/__init__.py 3\n"
    assert "cuprite" in run(environment.parent / "cuprite", "--version", cwd=tmp_path)
    run(*PIP, "--python", environment, "uninstall", "-q", "-y", "cuprite-array")


# --- refusals ---

def module(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


@pytest.mark.parametrize("files", [
    [], ["cuprite/_core.cpython-399-x86_64-linux-gnu.so"], ["cuprite/_core.so"],
    ["cuprite/_core{}", "cuprite/_core.cpython-399-x86_64-linux-gnu.so"], ["cuprite/lib/_core{}"]])
def test_no_wheel_without_the_module_for_its_python(backend, tmp_path, files):
    module(tmp_path, "cuprite/lib/libcuprite.so.0", *(f.format(sysconfig.get_config_var("EXT_SUFFIX")) for f in files))
    with pytest.raises(SystemExit, match="the wheel would hold .*, where cuprite/_core.cpython-3.* is needed"):
        backend._check_contents({}, "all", tmp_path)


def test_the_module_of_this_python_suffices(backend, tmp_path):
    module(tmp_path, "cuprite/_core" + sysconfig.get_config_var("EXT_SUFFIX"), "cuprite/lib/libcuprite.so.0")
    backend._check_contents({}, "all", tmp_path)
    with pytest.raises(SystemExit, match="libcuprite-cuda.so is needed"):
        backend._check_contents({}, "cuda", tmp_path / "cuprite/lib")


def test_nothing_is_left_of_a_wheel_that_was_refused(backend, tmp_path, monkeypatch):
    monkeypatch.setattr(backend, "_built", lambda settings, part="all": tmp_path / "build")
    monkeypatch.setattr(backend.subprocess, "run", lambda *a, **k: None)
    (tmp_path / "to").mkdir()
    with pytest.raises(SystemExit):
        backend.build_wheel(tmp_path / "to")
    assert list((tmp_path / "to").iterdir()) == []


def test_a_python_without_a_gil_is_refused(backend, monkeypatch, tmp_path):
    monkeypatch.setattr(backend.sysconfig, "get_config_var", lambda name: name == "Py_GIL_DISABLED")
    with pytest.raises(SystemExit, match="free-threaded, which Cuprite does not support; use a Python with a GIL"):
        backend.build_wheel(tmp_path)


def test_what_is_missing_is_named_at_once(tmp_path):
    """With the packages of Debian and Ubuntu that have it, and the options that do without."""
    def configure(*options):
        return subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path / "build", "-G", "Ninja", "-DCUPRITE_CUDA=OFF",
                               f"-DPython3_EXECUTABLE={sys.executable}", "-DSLEEF_LIBRARY=SLEEF_LIBRARY-NOTFOUND",
                               "-DPython3_INCLUDE_DIR=/nonexistent", *options], capture_output=True, text=True,
                              env={**CLEAN, "PKG_CONFIG_LIBDIR": "/nonexistent", "CMAKE_IGNORE_PATH": "x",
                                   "CMAKE_LIBRARY_PATH": ""})
    done = configure("-DCMAKE_IGNORE_PREFIX_PATH=/usr", "-DCMAKE_IGNORE_PATH=" + ";".join(
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/include", "/lib/x86_64-linux-gnu", "/lib"]))
    assert done.returncode == 1
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    command = re.search(r"apt-get install (.*)", done.stderr)[1].split()
    assert set(command) >= {"libsleef-dev", "libcfitsio-dev", "wcslib-dev", "libpng-dev", f"python{version}-dev"}
    for option in ("SLEEF", "FILES", "PYTHON"):
        assert f"-DCUPRITE_{option}=OFF" in done.stderr
    assert not list((tmp_path / "build").glob("build.ninja"))


def test_a_failed_configuration_is_reported(backend, tmp_path, capfd, monkeypatch):
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", "/nonexistent")
    with pytest.raises(SystemExit) as error:
        backend._built({"build-dir": str(tmp_path / "build"), "cmake": "-DCUPRITE_CUDA=OFF"})
    assert "apt-get install libcfitsio-dev wcslib-dev libpng-dev" in str(error.value)


def test_a_failed_compilation_shows_its_last_lines(backend, tmp_path, capfd, monkeypatch):
    program = tmp_path / "cmake"
    program.write_text("#!/bin/sh\nfor i in 1 2 3; do echo \"[$i/3] step $i\"; done\n"
                       "echo error: $NINJA_STATUS; exit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SystemExit, match=r"(?s)it does not compile:.*step 3\nerror: \[%f/%t\]"):
        backend._compile(tmp_path)
    assert "step 1" in capfd.readouterr().out


# --- names and contents ---

def test_one_version_everywhere(backend):
    version = backend._project()["version"]
    assert cuprite.__version__ == version
    assert re.search(r"project\(cuprite VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1] == version
    header = (ROOT / "include/cuprite.h").read_text()
    assert ".".join(re.findall(r"#define CP_VERSION_M?[A-Z]+ (\d+)", header)) == version
    for needs in backend._project()["optional-dependencies"].values():
        assert {n for n in needs if n.startswith("cuprite")} <= {f"cuprite-array-cuda=={version}"}


def test_the_name_of_the_distribution():
    """`cuprite` on PyPI is something else, which nobody shall install in place of this."""
    for page in ("README.md", "docs/install.md"):
        text = " ".join((ROOT / page).read_text().split())
        assert "pip install cuprite-array" in text and not re.search(r"pip install \"?cuprite(?!-array)\b", text)
        assert re.search(r"name (`cuprite` )?on PyPI belongs to another project", text), page


def test_metadata(backend, tmp_path):
    name = backend.prepare_metadata_for_build_wheel(str(tmp_path))
    assert name == f"cuprite_array-{cuprite.__version__}.dist-info"
    text = (tmp_path / name / "METADATA").read_text()
    assert "\nName: cuprite-array\n" in text and "\nRequires-Dist: numpy>=" in text
    assert '\nRequires-Dist: nvidia-cublas-cu12 ; extra == "cuda12"\n' in text and "\nProvides-Extra: cuda13\n" in text
    assert (tmp_path / name / "entry_points.txt").read_text() == (
        "[console_scripts]\ncuprite = cuprite._command:main\n\n[dask.array.backends]\ncuprite = cuprite.dask:Backend\n")
    name = backend.prepare_metadata_for_build_wheel(str(tmp_path), {"part": "cuda"})
    assert name == f"cuprite_array_cuda-{cuprite.__version__}.dist-info"
    text = (tmp_path / name / "METADATA").read_text()
    assert f"\nRequires-Dist: cuprite-array=={cuprite.__version__}\n" in text and "Extra" not in text.split("\n\n")[0]
    assert not (tmp_path / name / "entry_points.txt").exists()


def test_headers_of_another_python_name_the_wheel(backend, tmp_path):
    (tmp_path / "patchlevel.h").write_text("#define PY_MAJOR_VERSION\t3\n#define PY_MINOR_VERSION\t14\n"
                                           "#define PY_VERSION \"3.14.2\"\n")
    settings = {"python-headers": str(tmp_path)}
    assert backend._tag(settings).startswith("cp314-cp314-linux")
    assert backend._tag(settings, "cuda").startswith("py3-none-linux")
    assert backend._build_folder(settings).name == "build-cp314"
    assert backend._build_folder({}).name == "build-cp{}{}".format(*sys.version_info[:2])


def test_the_source_distribution(tmp_path):
    """It can be configured, and makes itself again where there is no git."""
    run("make", "-s", "-C", ROOT, "dist", f"DIST={tmp_path}")
    archive, = tmp_path.glob("*.tar.gz")
    assert archive.name == f"cuprite_array-{cuprite.__version__}.tar.gz"
    with tarfile.open(archive) as tar:
        names = tar.getnames()
        tar.extractall(tmp_path)
    folder = tmp_path / archive.name[:-len(".tar.gz")]
    assert {f"{folder.name}/{n}" for n in ("CMakeLists.txt", "PKG-INFO", "pyproject.toml", "LICENSE")} <= set(names)
    (folder / "build-cp311").mkdir()
    (folder / "build-cp311" / "x").write_text("")
    run(sys.executable, folder / "tools/build_backend.py", "sdist", tmp_path / "again")
    with tarfile.open(tmp_path / "again" / archive.name) as tar:
        assert sorted(tar.getnames()) == sorted(names)
    run("cmake", "-S", folder, "-B", tmp_path / "build", "-G", "Ninja", f"-DPython3_EXECUTABLE={sys.executable}",
        "-DCUPRITE_CUDA=OFF", "-DCUPRITE_TESTS=OFF")


# --- libraries for older systems ---

PROGRAM = r"""
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <dlfcn.h>

static void *work(void *x) { *(double *)x = pow(*(double *)x, 2) + hypot(3, 4); return NULL; }

int main(int argc, char **argv)
{
    pthread_t thread;
    double x = argc + 1;
    struct stat s;
    pthread_create(&thread, NULL, work, &x);
    pthread_join(thread, NULL);
    fprintf(stderr, "%g %d %d\n", x, stat(argv[0], &s) == 0 && s.st_size > 1000, dlopen(NULL, RTLD_LAZY) != NULL);
    return 0;
}
"""


def test_libraries_run_on_an_older_glibc(tmp_path):
    stubs = tmp_path / "stubs"
    run(sys.executable, ROOT / "tools/portable/stubs.py", stubs, "2.28")
    (tmp_path / "program.c").write_text(PROGRAM)
    newest = {}
    for name, options in (("portable", [f"-L{stubs}"]), ("usual", [])):
        run("gcc", tmp_path / "program.c", *options, "-o", tmp_path / name, "-lm", "-ldl", "-lpthread")
        done = subprocess.run([tmp_path / name], capture_output=True, text=True)
        assert done.stderr == "9 1 1\n" and done.returncode == 0
        versions = re.findall(r"GLIBC_([\d.]+)", run("objdump", "-T", tmp_path / name))
        newest[name] = max(tuple(map(int, v.split("."))) for v in versions)
    assert newest["portable"] <= (2, 28) < newest["usual"]


C23 = r"""
#include <limits.h>
#include <stdio.h>

long __isoc23_strtol(const char *, char **, int);
long long __isoc23_strtoll(const char *, char **, int);
unsigned long __isoc23_strtoul(const char *, char **, int);
unsigned long long __isoc23_strtoull(const char *, char **, int);
int __isoc23_sscanf(const char *, const char *, ...);

int main(void)
{
    char *end, text[8];
    int a;
    double b;
    int n = __isoc23_sscanf("7 -2.5 abc", "%d %lf %7s", &a, &b, text);
    fprintf(stderr, "%d %d %g %s %ld", n, a, b, text, __isoc23_strtol("-0x1fz", &end, 0));
    fprintf(stderr, "%s %lld %lu %d\n", end, __isoc23_strtoll("-9000000000", NULL, 10),
            __isoc23_strtoul("077", NULL, 8), __isoc23_strtoull("18446744073709551615", NULL, 10) == ULLONG_MAX);
    return 0;
}
"""


def test_names_that_newer_headers_give_to_functions(tmp_path):
    """Of glibc 2.38 and later: a library that is linked there runs where they do not exist."""
    run(sys.executable, ROOT / "tools/portable/stubs.py", tmp_path / "stubs", "2.28")
    (tmp_path / "new.c").write_text(C23)
    run("gcc", tmp_path / "new.c", f"-L{tmp_path / 'stubs'}", "-o", tmp_path / "new")
    done = subprocess.run([tmp_path / "new"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "3 7 -2.5 abc -31z -9000000000 63 1\n"
    assert "isoc23" not in run("objdump", "-T", tmp_path / "new")


CPP = r"""
#include <iostream>
#include <random>
#include <string>
#include <thread>

static const std::string &word()
{
    static const std::string kept = std::to_string(std::random_device{}()); // guarded
    return kept;
}

int main()
{
    bool same = false;
    std::thread([&] { same = &word() == &word() && !word().empty(); }).join();
    std::cout << same << std::endl;
}
"""


def test_the_static_library_of_cpp(tmp_path):
    """The plugin for GPUs holds what it needs of it; newer ones ask for what an older glibc lacks."""
    run(sys.executable, ROOT / "tools/portable/stubs.py", tmp_path / "stubs", "2.28")
    (tmp_path / "program.cpp").write_text(CPP)
    run("g++", tmp_path / "program.cpp", "-static-libstdc++", f"-L{tmp_path / 'stubs'}", "-o", tmp_path / "program",
        "-lpthread", "-Wl,--allow-shlib-undefined")  # of libgcc_s, which is this machine's
    assert run(tmp_path / "program") == "1\n"
    versions = re.findall(r"GLIBC_([\d.]+)", run("objdump", "-T", tmp_path / "program"))
    assert max(tuple(map(int, v.split("."))) for v in versions) <= (2, 28)


def test_what_an_older_glibc_lacks_does_not_link(tmp_path):
    run(sys.executable, ROOT / "tools/portable/stubs.py", tmp_path / "stubs", "2.28")
    (tmp_path / "new.c").write_text("#define _GNU_SOURCE\n#include <unistd.h>\n#include <sched.h>\n"
                                    "extern int close_range(unsigned, unsigned, int);\n"
                                    "int main(void) { return close_range(9, 9, 0); }\n")
    done = subprocess.run(["gcc", tmp_path / "new.c", f"-L{tmp_path / 'stubs'}", "-o", tmp_path / "new"],
                          capture_output=True, text=True)
    assert done.returncode and "undefined reference to `close_range'" in done.stderr


def test_the_wheel_for_other_machines_is_made_of_this_build():
    """What tools/wheel says of itself is what it takes; the options exist in CMakeLists.txt."""
    text = run(sys.executable, ROOT / "tools/wheel", "--help")
    assert "--cuda" in text and "manylinux_2_28" in text
    cmake = (ROOT / "CMakeLists.txt").read_text()
    for option in set(re.findall(r"-D(CUPRITE_\w+)", (ROOT / "tools/build_backend.py").read_text() +
                                 (ROOT / "tools/wheel").read_text())):
        assert re.search(rf"(option|set)\({option} ", cmake), option


def test_a_wheel_has_no_links_and_right_sums(backend, tmp_path):
    wheel = backend._Wheel(tmp_path, backend._project(), "cp311-cp311-linux_x86_64")
    wheel.add("cuprite/a.py", b"1\n")
    wheel.close()
    with zipfile.ZipFile(tmp_path / wheel.name) as archive:
        record = archive.read(f"{wheel.info}/RECORD").decode()
        assert archive.testzip() is None
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"1\n").digest()).rstrip(b"=").decode()
    assert f"cuprite/a.py,sha256={digest},2\n" in record and record.endswith("/RECORD,,\n")
