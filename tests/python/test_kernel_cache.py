"""The folder of compiled kernels on the CPU: found again, verified, closed to others, bounded, shared by processes that
start at once; options of compilers; the error where there is no compiler. Each case is a process of its own, with a
folder of its own and a compiler that counts how often it is run."""
import os
import shutil
import stat
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.once

COMPILER = shutil.which(os.environ.get("CUPRITE_CXX") or "g++") or shutil.which("clang++")
ADD = r"""
import cuprite as cp
a = cp.ones(64, "f4")
cp.RawKernel('extern "C" __global__ void f(float *a) { a[threadIdx.x] += %s; }', "f")((1,), (64,), (a,))
print(float(a.sum()))
"""


class Place:
    """A cache, and the compiler that counts."""

    def __init__(self, folder):
        self.cache, self.count, self.compiler = folder / "cache", folder / "count", folder / "g++"
        self.compiler.write_text(f'#!/bin/sh\necho x >> {self.count}\nexec {COMPILER} "$@"\n')
        self.compiler.chmod(0o755)
        self.variables = {"CUPRITE_CACHE_DIR": str(self.cache), "CUPRITE_CXX": str(self.compiler)}

    def start(self, text, *words, **variables):
        env = {**os.environ, "CUPRITE_DEVICE": "cpu", **self.variables, **variables}
        env = {name: value for name, value in env.items() if value is not None}
        return subprocess.Popen([sys.executable, "-c", text, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=env)

    def run(self, text, *words, **variables):
        p = self.start(text, *words, **variables)
        out, err = p.communicate(timeout=100)
        return out.strip(), err

    @property
    def compiled(self):
        return len(self.count.read_text().split()) if self.count.exists() else 0

    @property
    def entries(self):
        return sorted(self.cache.glob("*.bin"))


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_found_again(place):
    for _ in range(3):
        assert place.run(ADD % 1) == ("128.0", "")
    assert place.compiled == 1 and len(place.entries) == 1
    assert stat.S_IMODE(place.cache.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(e.stat().st_mode) == 0o600 for e in place.entries)
    assert place.run(ADD % 2)[0] == "192.0" and place.compiled == 2
    assert not list(place.cache.glob("work-*")) and not list(place.cache.glob("*.bin.*"))


def test_behind_a_preprocessor(place):
    text = ADD.replace("extern", "\\n#if 1\\nextern").replace("}'", "}\\n#endif\\n'")
    for _ in range(3):
        assert place.run(text % 1) == ("128.0", "")
    assert place.compiled == 4 and len(place.entries) == 1  # the preprocessor each time, the compiler once


def test_key(place):
    """Options, the compiler and its version are part of what a kernel is found by."""
    text = ADD.replace(', "f")(', ', "f", options=tuple(__import__("sys").argv[1:]))(') % "N"
    assert place.run(text, "-DN=1")[0] == "128.0" and place.run(text, "-DN=2")[0] == "192.0"
    assert place.run(text, "-D", "N=2")[0] == "192.0" and place.run(text, "--define-macro=N=2")[0] == "192.0"
    n = place.compiled
    assert n == 4
    os.utime(place.compiler, (1, 1))  # another version
    assert place.run(text, "-DN=1")[0] == "128.0" and place.compiled == n + 1


@pytest.mark.parametrize("damage", ["truncated", "empty", "changed", "grown", "link", "writable", "folder", "pipe"])
def test_damaged(place, damage):
    """What does not fit, or is not surely ours, is compiled again."""
    place.run(ADD % 1)
    entry, = place.entries
    content = bytearray(entry.read_bytes())
    if damage == "truncated":
        entry.write_bytes(content[:-100])
    elif damage == "empty":
        entry.write_bytes(b"")
    elif damage == "changed":
        content[len(content) // 2] ^= 1
        entry.write_bytes(content)
    elif damage == "grown":
        entry.write_bytes(content + b"more")
    elif damage == "link":
        entry.rename(place.cache / "other")
        entry.symlink_to(place.cache / "other")
    elif damage == "writable":
        entry.chmod(0o666)
    elif damage == "pipe":
        entry.unlink()
        os.mkfifo(entry, 0o600)
    else:
        entry.unlink()
        entry.mkdir()
    assert place.run(ADD % 1) == ("128.0", "") and place.compiled == 2
    assert place.run(ADD % 1) == ("128.0", "") and place.compiled == (3 if damage == "folder" else 2)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("damage", ["missing", "changed", "truncated", "no folder", "link that leads nowhere"])
def test_damaged_headers(place, damage):
    """Headers that something cleared away, or that a full disk cut, are written again."""
    place.run(ADD % 1)
    folder, = place.cache.glob("headers-*")
    types = folder / "types.h"
    if damage == "missing":
        types.unlink()
    elif damage == "changed":
        types.write_text("#error this is not ours\n")
    elif damage == "truncated":
        types.write_bytes(types.read_bytes()[:-20])
    else:
        shutil.rmtree(folder)
        if damage == "no folder":
            folder.write_text("")
        else:
            folder.symlink_to(place.cache / "nothing")
    assert place.run(ADD % 2) == ("192.0", "")


CHILDREN = {
    "ignored": "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n",
    "waited for": """
import os, threading, time
def wait():
    while True:
        try:
            os.wait()
        except ChildProcessError:
            time.sleep(0.0005)
threading.Thread(target=wait, daemon=True).start()
""",
}


@pytest.mark.parametrize("how", CHILDREN)
def test_children_of_the_program(place, how):
    """The compiler's status may have gone to somebody else: its result says what it was."""
    assert place.run(CHILDREN[how] + ADD % 1) == ("128.0", "")
    out, err = place.run(CHILDREN[how] + ADD % "nothing")
    assert "CompileException" in err and "nothing" in err


@pytest.mark.parametrize("size", [1, 64, 100, 5000, 12000])
def test_an_unfinished_library(place, size):
    """A compiler that was stopped while it wrote, and whose status nobody has seen."""
    place.compiler.write_text('#!/bin/sh\n'
                              f'{COMPILER} "$@" || exit 1\n'
                              'while [ $# -gt 1 ]; do [ "$1" = -o ] && out=$2; shift; done\n'
                              f'truncate -s {size} "$out"\n')
    out, err = place.run(ADD % 1)
    assert err.strip().endswith("CompileException: kernel: what was compiled cannot be loaded: the file is not whole")
    assert not place.entries


def test_no_room_for_what_is_cached(place):
    place.run(ADD % 1)
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" \
            "import cuprite; resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
    out, err = place.run(limit + ADD % 1)
    assert "what was compiled cannot be loaded: File too large" in err and not out
    assert place.run(ADD % 1) == ("128.0", "") and place.compiled == 1


def test_full_disk(place):
    """The error is the disk's."""
    limit = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n" \
            "import cuprite; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    out, err = place.run(limit + ADD % 1)
    assert err.strip().endswith(f"OSError: kernel cache: {place.cache}: File too large")
    assert not list(place.cache.glob("making-*")) and not list(place.cache.glob("work-*"))


def test_entry_of_another_user(place):
    place.run(ADD % 1)
    os.chown(place.entries[0], 12345, 12345)
    assert place.run(ADD % 1) == ("128.0", "") and place.compiled == 2
    assert place.entries[0].stat().st_uid == 0


def refused(place, text, **variables):
    out, err = place.run(ADD % 1, **variables)
    assert not out and text in err.splitlines()[-1], err
    assert place.compiled == 0


def test_refused_folders(place, tmp_path):
    place.cache.mkdir()
    for mode in (0o770, 0o707, 0o722):
        place.cache.chmod(mode)
        refused(place, f"OSError: kernel cache: others can write to {place.cache} (chmod go-w it, or name another")
    place.cache.rmdir()
    place.cache.write_text("")
    refused(place, f"OSError: kernel cache: {place.cache} is not a folder")
    refused(place, f"OSError: kernel cache: {place.cache}/inner: Not a directory",
            CUPRITE_CACHE_DIR=f"{place.cache}/inner")
    place.cache.unlink()
    place.cache.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(place.cache, 12345, 12345)
        refused(place, f"OSError: kernel cache: {place.cache} belongs to another user")


def test_places(place, tmp_path):
    for name, folder in [("CUPRITE_CACHE_DIR", "a"), ("CUPY_CACHE_DIR", "b"), ("XDG_CACHE_HOME", "c"), ("HOME", "d")]:
        variables = dict.fromkeys(("CUPRITE_CACHE_DIR", "CUPY_CACHE_DIR", "XDG_CACHE_HOME", "HOME"))
        variables[name] = str(tmp_path / folder)
        assert place.run(ADD % 1, **variables) == ("128.0", "")
        inner = {"c": "cuprite/kernels", "d": ".cache/cuprite/kernels"}.get(folder, "")
        assert len(list((tmp_path / folder / inner).glob("*.bin"))) == 1


def test_bound(place):
    for i in range(6):
        assert place.run(ADD % i, CUPRITE_CACHE_SIZE="60000")[0] == str(64.0 * (i + 1))
    sizes = [e.stat().st_size for e in place.entries]
    assert 1 <= len(sizes) < 6 and sum(sizes) <= 60000
    n = place.compiled
    place.run(ADD % 5, CUPRITE_CACHE_SIZE="60000")
    assert place.compiled == n  # the newest stays
    for i in range(6):
        assert place.run(ADD % i, CUPRITE_CACHE_SIZE="1GB")[0] == str(64.0 * (i + 1))
    assert len(place.entries) == 6  # no number, so no bound of one byte


def test_leftovers(place):
    place.run(ADD % 1)
    old, young = place.cache / f"{'0' * 64}.bin.abcdef", place.cache / f"{'1' * 64}.bin.abcdef"
    work = place.cache / "work-abcdef"
    work.mkdir()
    for file in (old, young, work / "kernel.cpp"):
        file.write_text("x")
    for file in (old, work):
        os.utime(file, (time.time() - 7200,) * 2)
    place.run(ADD % 2)
    assert not old.exists() and young.exists() and not work.exists()


REGIONS = r"""
import sys
import numpy as np
import cuprite as cp
k = cp.RawKernel('''extern "C" __global__ void product(int *out, int n)
{
    __shared__ int s[64]; int t = threadIdx.x, a = 3;
    n * a;
    s[t] = a * t; __syncthreads(); a *= n; __syncthreads(); out[t] = s[63 - t] + a;%s
}''', "product")
out = cp.zeros(64, "i4")
k((1,), (64,), (out, np.int32(2)))
assert out.get().tolist() == [3 * (63 - t) + 6 for t in range(64)]
print(k.kernel.tier)
"""


def test_loops_that_do_not_compile_are_remembered(place):
    assert place.run(REGIONS % "") == ("fibers", "") and place.compiled == 2
    for _ in range(2):
        assert place.run(REGIONS % "") == ("fibers", "") and place.compiled == 2
    for _ in range(2):  # a user's error is reported in every process
        n = place.compiled
        err = place.run(REGIONS % " nothing;")[1]
        assert "kernel.cu:5" in err and "nothing" in err and "CompileException" in err and place.compiled > n


def test_processes_at_once(place, processes=12):
    started = [place.start(ADD % (1 + i % 3)) for i in range(processes)]
    for i, p in enumerate(started):
        out, err = p.communicate(timeout=100)
        assert (out.strip(), err) == (str(64.0 * (2 + i % 3)), "")
    assert len(place.entries) == 3 and not list(place.cache.glob("work-*")) and not list(place.cache.glob("making-*"))


OPTIONS = r"""
import sys
import cuprite as cp
try:
    a = cp.zeros(1, "i4")
    cp.RawKernel('''#ifndef N
    #define N 7
    #endif
    extern "C" __global__ void f(int *a) { *a = N; }''', "f", options=tuple(sys.argv[1:]))((1,), (1,), (a,))
    print(int(a[0]))
except Exception as e:
    print(type(e).__name__ + ": " + str(e).splitlines()[0])
"""
GOOD = {("-DN=5",): 5, ("-D", "N=5"): 5, ("-DN",): 1, ("--define-macro=N=4",): 4, ("--define-macro", "N=4"): 4,
        ("-DN=5", "-UN"): 7, ("--undefine-macro=N", "-DX"): 7, ("-std=c++17",): 7, ("--std=c++11",): 7,
        ("--std", "c++20"): 7, ("--Ofast-compile", "max"): 7, ("-Ofc=0", "--Ofast-compile=min"): 7,
        ("--fmad=false",): 7, ("-fmad=true",): 7, ("-Ofc=mid",): 7, ("-arch=sm_80",): 7, ("-arch", "sm_80"): 7,
        ("--gpu-architecture=compute_90",): 7, ("-lineinfo", "-G", "-dc", "-rdc=true"): 7, ("-use_fast_math",): 7,
        ("--ptxas-options=-v",): 7, ("-Xptxas", "-v"): 7, ("--maxrregcount=32",): 7, ("-w",): 7, ("-O3",): 7,
        ("--diag-suppress=177",): 7, ("-include", "stdint.h"): 7, ("--pre-include=stdint.h",): 7,
        tuple(f"-DA{i}={i}" for i in range(400)) + ("-DN=9",): 9}
BAD = {("-dcx",): "unrecognized option -dcx found", ("-Wall",): "unrecognized option -Wall found",
       ("-Oops",): "unrecognized option -Oops found", ("--nothing",): "unrecognized option --nothing found",
       ("-includestdint.h",): "unrecognized option -includestdint.h found", ("N=5",): "unrecognized option N=5 found",
       ("-std=c++99",): "invalid value c++99 of option -std=c++99", ("-D",): "unrecognized option -D found",
       ("--fmad=maybe",): "invalid value maybe of option --fmad=maybe", ("-gx",): "unrecognized option -gx found",
       ("-Ofc=much",): "invalid value much of option -Ofc=much",
       ("-maxrregcount",): "unrecognized option -maxrregcount found", ("-I=",): "option -I= has no value",
       tuple("-w" for i in range(300)) + ("-no-such",): "unrecognized option -no-such found"}


@pytest.mark.parametrize("options", [*GOOD, *BAD], ids=lambda o: " ".join(o[-3:]))
def test_options(place, options):
    wanted = str(GOOD[options]) if options in GOOD else "CompileException: " + BAD[options]
    assert place.run(OPTIONS, *options, CUPRITE_CACHE_DIR=os.environ.get("CUPRITE_CACHE_DIR")) == (wanted, "")


def test_included_file(place, tmp_path):
    (tmp_path / "my folder").mkdir()
    header = tmp_path / "my folder" / "mine.h"
    text = ADD.replace("extern", '#include \\"mine.h\\"\\nextern').replace(', "f")(', ', "f", options=tuple('
                                                                          '__import__("sys").argv[1:]))(') % "N"
    for n in (1, 3):  # what the file says is part of the key
        header.write_text(f"#define N {n}\n")
        for options in ([f"-I{header.parent}"], ["-I", str(header.parent)], [f"--include-path={header.parent}"]):
            assert place.run(text, *options) == (str(64.0 * (1 + n)), "")


@pytest.mark.parametrize("variables, told", [
    ({"CUPRITE_CXX": None, "CXX": None, "PATH": ""},
     "NotImplementedError: kernel: there is no C++ compiler, which user kernels on the CPU need: install g++ (apt-get "
     "install g++) or clang++, or name one by CUPRITE_CXX"),
    ({"CUPRITE_CXX": "/no/such/compiler"}, "NotImplementedError: kernel: CUPRITE_CXX is '/no/such/compiler', which is "
                                           "no program"),
    ({"CUPRITE_CXX": "/bin/false"}, "/bin/false failed without a word"),
])
def test_without_a_compiler(place, variables, told):
    """What to install is said; what needs no compiler works."""
    out, err = place.run(ADD % 1, **variables)
    assert not out and told in err, err
    assert place.run("import cuprite as cp; print(float(cp.ones(5).sum()))", **variables)[0] == "5.0"


def test_cached_without_a_compiler(place):
    """A kernel is found by the compiler that made it: without one even a known kernel is not."""
    assert place.run(ADD % 1) == ("128.0", "")
    assert "there is no C++ compiler" in place.run(ADD % 1, CUPRITE_CXX=None, CXX=None, PATH="")[1]


@pytest.mark.skipif(not shutil.which("clang++"), reason="no clang++")
def test_clang(place):
    for text, wanted in [(ADD % 1, "128.0"), (REGIONS % "", "fibers")]:
        assert place.run(text, CUPRITE_CXX="clang++") == (wanted, "")


def test_libraries_of_wheels(tmp_path, monkeypatch):
    """Where the loader finds no NVRTC, folders of NVIDIA's wheels are looked in, once."""
    from cuprite import _raw
    for part, file in [("cuda_nvrtc", "libnvrtc.so.12"), ("cu13", "libnvrtc.so.13"), ("cublas", "libcublas.so.12")]:
        (tmp_path / "site" / "nvidia" / part / "lib").mkdir(parents=True)
        (tmp_path / "site" / "nvidia" / part / "lib" / file).write_text("")
    folders = [str(tmp_path / "site" / "nvidia" / part / "lib") for part in ("cuda_nvrtc", "cu13")]
    asked = []

    class Core:
        @staticmethod
        def _Module(source, options, names):
            asked.append(os.environ.get("CUPRITE_LIBRARY_PATH"))
            if source == "found" and len(asked) == 2:
                return "a module"
            raise NotImplementedError("kernel: " + source)
    monkeypatch.setattr(_raw, "_core", Core)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "nothing"), str(tmp_path / "site")])
    monkeypatch.setenv("CUPRITE_LIBRARY_PATH", "/opt/mine")
    missing = "NVRTC (libnvrtc.so.12 or .13) is not there"
    with pytest.raises(NotImplementedError, match="there is no C.. compiler"):  # another error
        _raw._module("there is no C++ compiler", (), ())
    assert asked == ["/opt/mine"]
    asked.clear()
    with pytest.raises(NotImplementedError, match="is not there"):
        _raw._module(missing, (), ())
    assert asked == ["/opt/mine", ":".join(["/opt/mine", *folders])]
    with pytest.raises(NotImplementedError, match="is not there"):
        _raw._module(missing, (), ())
    assert len(asked) == 3  # nothing new to look in
