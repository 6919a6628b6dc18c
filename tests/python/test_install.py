"""What is installed works by itself: with pkg-config, with CMake, from Python; shared and static; C and C++; in a
prefix that was moved; without LD_LIBRARY_PATH. Nothing is compiled again but the programs. (Wheels: test_wheel.py.)"""
import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build")).absolute()
CLEAN = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PYTHONPATH", "PKG_CONFIG_PATH",
                                                          "CUPRITE_BUILD")}

PROGRAM = """#include <cuprite.h>
#include <math.h>

int main(int argc, char **argv)
{
    double sum = pow(argc - 1, 2) + (argv[0] == NULL);
    for (CP_SCOPE) {
        cp_array *x = cp_arange(0, 12, 1, CP_FLOAT64);
        sum += cp_item_float(cp_sum(cp_reshape(x, CP_SHAPE(3, 4)), .axis = CP_ALL));
        cp_print(x);
    }
    return sum == 66 ? 0 : 1;
}
"""
PRINTED = "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11.]\n"

PROJECT = """cmake_minimum_required(VERSION 3.22)
project(consumer LANGUAGES C CXX)
find_package(cuprite 0.1 REQUIRED)
foreach(kind cuprite static)
  foreach(language c cpp)
    add_executable(${kind}_${language} program.${language})
    target_link_libraries(${kind}_${language} cuprite::${kind})
    target_compile_features(${kind}_${language} PRIVATE c_std_17 cxx_std_20)
  endforeach()
endforeach()
"""


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], text=True, capture_output=True, timeout=300,
                          env={**CLEAN, **options})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def install(prefix):
    """Installs; the list of files. One at a time, since the build folder keeps the list of the last one."""
    with open(BUILD / ".install-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run("cmake", "--install", BUILD, "--prefix", prefix)
        return (BUILD / "install_manifest.txt").read_text()


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """A prefix that was moved after the installation."""
    first, then = tmp_path_factory.mktemp("install") / "first", tmp_path_factory.mktemp("moved") / "prefix of a user"
    install(first)
    shutil.move(first, then)
    return then


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("consumer")
    for name in ("program.c", "program.cpp"):
        (folder / name).write_text(PROGRAM)
    (folder / "CMakeLists.txt").write_text(PROJECT)
    return folder


@pytest.mark.parametrize("package", ["cuprite", "cuprite-static"])
@pytest.mark.parametrize("compiler", [["gcc", "-std=c17", "program.c"], ["g++", "-std=c++20", "program.cpp"]],
                         ids=["C", "C++"])
def test_pkg_config(prefix, sources, tmp_path, package, compiler):
    straight = tmp_path / "prefix"
    straight.symlink_to(prefix)  # pkg-config quotes spaces in its own way
    flags = run("pkg-config", "--cflags", "--libs", package, PKG_CONFIG_PATH=straight / "lib" / "pkgconfig").split()
    program = tmp_path / "program"
    name, standard, source = compiler
    run(name, standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror", sources / source, *flags, "-o", program)
    assert run(program) == PRINTED
    assert ("libcuprite" in run("ldd", program)) == (package == "cuprite")


@pytest.mark.parametrize("example", sorted(p.stem for p in (ROOT / "examples").glob("*.c")))
def test_examples_link_as_documented(prefix, tmp_path, example):
    """The line at the beginning of the example, with its options and no others."""
    (tmp_path / "prefix").symlink_to(prefix)
    source = ROOT / "examples" / f"{example}.c"
    command, = re.findall(r"^ \*     ((?:mpi)?cc .*)$", source.read_text(), re.M)
    if command.startswith("mpicc") and not shutil.which("mpicc"):
        pytest.skip("there is no MPI: tools/setup could not install it")
    assert command.startswith((f"cc {example}.c ", f"mpicc {example}.c ")) and command.endswith(f" -o {example}")
    (tmp_path / source.name).symlink_to(source)
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, timeout=100,
                   env={**CLEAN, "PKG_CONFIG_PATH": str(tmp_path / "prefix/lib/pkgconfig")})
    assert "libcuprite.so" in run("ldd", tmp_path / example)


def test_a_program_without_pkg_config(prefix, sources, tmp_path):
    """As docs/install.md has it."""
    text = (ROOT / "docs/install.md").read_text()
    command, = re.findall(r"^(cc program.c -I.*)$", text, re.M)
    for old, new in (("program.c", f"{sources}/program.c"), ("/usr/local", str(tmp_path / "prefix"))):
        command = command.replace(old, new)
    (tmp_path / "prefix").symlink_to(prefix)
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, timeout=100, env=CLEAN)
    assert run(tmp_path / "program") == PRINTED


def test_installing_asks_for_no_packages(tmp_path):
    """Nor compiles; and says so where nothing was built."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("apt-get", "dpkg-query", "sudo", "ninja", "pip"):
        (folder / name).write_text("#!/bin/sh\necho called $0 >&2\nexit 1\n")
        (folder / name).chmod(0o755)
    path = f"{folder}:{os.environ['PATH']}"
    with open(BUILD / ".install-lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run("make", "-s", "-C", ROOT, "install", f"BUILD={BUILD}", f"PREFIX={tmp_path}/prefix", PATH=path)
    assert (tmp_path / "prefix/lib/libcuprite.so").exists()
    done = subprocess.run(["make", "-s", "-C", ROOT, "install", f"BUILD={tmp_path}/none"], text=True,
                          capture_output=True, env={**CLEAN, "PATH": path})
    assert done.returncode and f"nothing is built in {tmp_path}/none; first: make build" in done.stdout


def test_cmake(prefix, sources, tmp_path):
    run("cmake", "-S", sources, "-B", tmp_path / "b", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "b")
    for kind in ("cuprite", "static"):
        for language in ("c", "cpp"):
            program = tmp_path / "b" / f"{kind}_{language}"
            assert run(program) == PRINTED
            assert ("libcuprite" in run("ldd", program)) == (kind == "cuprite")


def test_command_and_files(prefix, tmp_path):
    sky = tmp_path / "sky.fits"
    run(prefix / "bin" / "cuprite", "sky", sky, "--size", "128", "--sources", "3")
    assert sky.stat().st_size > 128 * 128 * 2
    headers = {p.name for f in (ROOT / "include", BUILD / "generated/include") for p in f.rglob("*.h")} - {"testing.h"}
    headers |= {"mpi.h"} if (BUILD / "lib" / "libcuprite-mpi.so").exists() else set()
    assert {p.name for p in (prefix / "include").rglob("*") if p.is_file()} == headers
    page = (prefix / "share" / "man" / "man3" / "cp_median.3").read_text()
    assert page.startswith(".TH CP_MEDIAN 3") and "cp_median_options" in page


def test_python_module(prefix, tmp_path):
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folder, = (prefix / "lib" / version).glob("*-packages")  # Debian's dist-packages where /usr/local was configured
    text = ("import cuprite, sys; print(cuprite.__file__); "
            "print(cuprite.arange(4).sum(), cuprite.cuda.runtime.getDeviceCount() >= 0)")
    file, values = run(sys.executable, "-c", text, PYTHONPATH=folder).splitlines()
    assert pathlib.Path(file).is_relative_to(folder) and values == "6 True"
    assert (folder / "cuprite" / "py.typed").exists() and list((folder / "cuprite").rglob("*.pyi"))


def test_uninstall(tmp_path):
    prefix, build = tmp_path / "prefix", tmp_path / "build"
    build.mkdir()
    (build / "install_manifest.txt").write_text(install(prefix))
    assert len([p for p in prefix.rglob("*") if p.is_file()]) > 20
    run("make", "-s", "-C", ROOT, "uninstall", f"BUILD={build}")
    assert [p for p in prefix.rglob("*") if p.is_file() or p.is_symlink()] == []
