"""`python -m cuprite` and the names of CuPy in children; what programs that check for CuPy see."""
import os
import subprocess
import sys

import pytest

import cuprite as cp
from cuprite import _device

SAYS = "import cupy, sys; print(cupy.__name__, cupy.__version__.split('.')[0], sys.argv, __name__)"


def run(*arguments, text=None, **options):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, input=text, timeout=120,
                          **options)


def test_ways_to_name_a_program(tmp_path):
    """As Python's own: a file, a folder, -m, -c, - ; sys.argv and sys.path as there."""
    (tmp_path / "program.py").write_text(SAYS)
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    (tmp_path / "package" / "__main__.py").write_text("import program_beside\n" + SAYS)
    (tmp_path / "program_beside.py").write_text("")
    for given, argv in ((["program.py", "a"], "['program.py', 'a']"), (["-c", SAYS, "-x"], "['-c', '-x']"),
                        (["-", "b"], "['-', 'b']")):
        r = run("-m", "cuprite", *given, text=SAYS, cwd=tmp_path)
        assert (r.returncode, r.stdout, r.stderr) == (0, f"cupy 14 {argv} __main__\n", ""), r
    for name in ("package", "program"):
        r = run("-m", "cuprite", "-m", name, "c", cwd=tmp_path)
        assert r.returncode == 0 and r.stdout.startswith("cupy 14 [") and "'c'] __main__" in r.stdout, r
    assert run("-m", "cuprite", "-c", "import sys; sys.exit(7)").returncode == 7
    r = run("-m", "cuprite", "-c", "1 / 0")
    assert r.returncode == 1 and "ZeroDivisionError" in r.stderr


@pytest.mark.parametrize("given", [["-m"], ["-c"], ["-x"], ["no_such_file.py"], []])
def test_what_cannot_be_run(given):
    r = run("-m", "cuprite", *given)
    assert r.returncode == 2 and "Traceback" not in r.stderr


def test_children_find_the_names(tmp_path):
    """Subprocesses, theirs, and what multiprocessing spawns; a sitecustomize of the user's is read too."""
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.mine = True\n")
    program = tmp_path / "program.py"
    program.write_text("""
import multiprocessing, subprocess, sys
def work(q):
    import cupy
    q.put((cupy.__name__, float(cupy.arange(3).sum())))
if __name__ == "__main__":
    code = "import cupy, cuprite; print(cupy is cuprite, cupy.arange(3).sum(), mine)"
    print(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip())
    outer = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import cupyx; print(cupyx.__name__)'])"
    print(subprocess.run([sys.executable, "-c", outer], capture_output=True, text=True).stdout.strip())
    print(subprocess.run([sys.executable, "-c", "import sys; print('cuprite' in sys.modules)"], capture_output=True,
                         text=True).stdout.strip())
    context = multiprocessing.get_context("spawn")
    q = context.Queue()
    p = context.Process(target=work, args=(q,))
    p.start()
    print(q.get())
    p.join()
""")
    before = os.environ.get("PYTHONPATH", "")
    r = run("-m", "cuprite", str(program),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [before, str(tmp_path)]))})
    assert r.stdout.splitlines() == ["True 3 True", "cupy", "False", "('cupy', 3.0)"], r


def test_a_plain_process_is_told_cuprite():
    r = run("-c", "import cuprite; print(cuprite.__name__, cuprite.__version__, cuprite.ndarray)")
    assert r.stdout == f"cuprite {cp.__version__} <class 'cuprite.ndarray'>\n"


def test_what_programs_know_cupy_by(tmp_path):
    r = run("-c", """
import cuprite, pickle
before = pickle.dumps(cuprite.arange(3))
cuprite.install_as_cupy()
import cupy, numpy
assert cupy is cuprite and cupy.__name__ == "cupy" and cupy.__version__.startswith("14.")
assert str(cupy.ndarray) == "<class 'cupy.ndarray'>" and type(cupy.ones(2)).__module__ == "cupy"
assert cupy.get_array_module(cupy.ones(2)) is cupy and cupy.get_array_module(numpy.ones(2)) is numpy
assert pickle.loads(before).tolist() == [0, 1, 2] and pickle.loads(pickle.dumps(cupy.arange(3))).tolist() == [0, 1, 2]
import cupy._polynomials, cupyx.scipy.ndimage
print(pickle.dumps(cupy.arange(3)).hex())
""")
    assert r.returncode == 0, r.stderr
    import pickle
    assert pickle.loads(bytes.fromhex(r.stdout)).tolist() == [0, 1, 2]  # in a process without the names


@pytest.mark.skipif(_device.count() > 0, reason="arrays on a GPU have it in any process")
def test_the_interface_that_libraries_look_for():
    """On the CPU only in a process that calls Cuprite cupy, and where there is no GPU."""
    assert not hasattr(cp.ones(2), "__cuda_array_interface__")
    r = run("-c", """
import cuprite
cuprite.install_as_cupy()
x = cuprite.arange(6.0).reshape(2, 3)[:, ::2]
d = x.__cuda_array_interface__
assert d["shape"] == (2, 2) and d["strides"] == (24, 16) and d["typestr"] == "<f8" and d["data"] == (x.data.ptr, False)
class Other:
    __cuda_array_interface__ = d
    keep = x
y = cuprite.asarray(Other())
assert y.tolist() == x.tolist()
y[0, 0] = 9
assert x[0, 0] == 9 and (Other() + cuprite.ones(2) if hasattr(Other, "__add__") else cuprite.add(Other(), 1)).shape
d["data"] = (4096, False)
try:
    cuprite.asarray(Other())
except RuntimeError:
    print("refused")
with cuprite.cuda.Device("late:0"):
    assert not hasattr(cuprite.ones(2), "__cuda_array_interface__")
""")
    assert r.stdout == "refused\n", r


def test_install_as_numba():
    r = run("-c", """
import cuprite
cuprite.install_as_numba()
import numba, numba.cuda
assert numba is cuprite.numba and numba.cuda is cuprite.numba.cuda
try:
    import cupy
except ImportError:
    print("alone")
else:
    print("alone" if "cuprite" not in (cupy.__file__ or "") else "cupy too")
""")
    assert r.stdout == "alone\n", r


def test_all_names_by_a_star():
    r = run("-c", """
import cuprite
names = {}
exec("from cuprite import *", names)
print(sorted(n for n in dir(cuprite) if not n.startswith("_") and n not in names), "__version__" in names)
""")
    assert r.stdout == "[] False\n", r
    for module in ("random", "linalg", "fft", "cuda", "testing", "scipy.ndimage"):
        r = run("-c", f"import cuprite.{module}; d = {{}}; exec('from cuprite.{module} import *', d); print(len(d))")
        assert r.returncode == 0, r.stderr


def test_array_namespaces():
    pytest.importorskip("array_api_compat")
    r = run("-c", "from cuprite import _alias; _alias.install(); import cupy, array_api_compat as a; "
            "print(a.array_namespace(cupy.arange(3)).float64, a.is_cupy_array(cupy.ones(1)))")
    assert r.stdout == "<class 'numpy.float64'> True\n", r


def test_programs_may_run():
    """CuPy's programs ask cuda.is_available; ours, whether there is a GPU."""
    asked = "print(cp.is_available(), cp.cuda.is_available(), cp.cuda.runtime.getDeviceCount() > 0)"
    r = run("-m", "cuprite", "-c", "import cupy as cp; " + asked)
    assert r.stdout == "True True True\n", r
    r = run("-c", "import cuprite as cp; " + asked)
    assert r.stdout == f"{_device.count() > 0} {_device.count() > 0} True\n", r


def test_properties_of_devices():
    p = cp.cuda.runtime.getDeviceProperties(0)
    assert len(p["uuid"]) == 16 and isinstance(p["uuid"], bytes)
    assert {"clockRate", "pciBusID", "pciDeviceID", "pciDomainID", "memoryClockRate", "memoryBusWidth"} <= set(p)


def test_words_of_a_full_pool(device):
    with pytest.raises(cp.cuda.OutOfMemoryError,
                       match=r"8000000000000 bytes asked for \(7\.3 TiB\).*its limit is none"):
        cp.ones(10**12)
    pool = cp.get_default_memory_pool()
    pool.set_limit(size=pool.used_bytes() + (64 << 20))
    try:
        with pytest.raises(cp.cuda.OutOfMemoryError, match=r"its limit is [\d.]+ MiB"):
            cp.ones(10**8)
    finally:
        pool.set_limit(size=0)


@pytest.mark.parametrize("ask", [
    lambda: cp.cuda.alloc(2**62), lambda: cp.cuda.Memory(2**62), lambda: cp.cuda.runtime.malloc(2**62),
    lambda: cp.cuda.MemoryPool().malloc(2**62), lambda: cp.cuda.alloc_pinned_memory(2**62)])
def test_every_allocator_says_what_is_available(ask, device):
    with pytest.raises((cp.cuda.OutOfMemoryError, cp.cuda.runtime.CUDARuntimeError),
                       match=r"4611686018427387904 bytes asked for \(4\.0 EiB\), available are [\d.]+ [KMGT]iB"):
        ask()


def test_a_pool_of_ones_own_says_its_limit(device):
    pool = cp.cuda.MemoryPool()
    pool.set_limit(size=3 << 29)
    with pytest.raises(cp.cuda.OutOfMemoryError, match=r"\(2\.0 GiB\), the pool holds 0 bytes, its limit is 1\.5 GiB$"):
        pool.malloc(2 << 30)


def test_the_configuration_names_the_device(device, capsys):
    """On one screen: the current device, its memory and what its pool may hold."""
    pool = cp.get_default_memory_pool()
    pool.set_limit(size=5 << 30)
    try:
        cp.show_config()
    finally:
        pool.set_limit(size=0)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 20
    facts = dict(line.split(" : ", 1) for line in (" ".join(text.split()) for text in lines))
    assert facts["Device"].startswith("cpu (" if device == "cpu" else f"{device} ({cp.cuda.Device().name}, ")
    assert "available" in facts["Memory"] and "iB" in facts["Memory"]
    assert facts["Memory Pool"].startswith("holds ") and "its limit is 5.0 GiB" in facts["Memory Pool"]


def test_capsules(device):
    x = cp.arange(3.0)
    assert cp.from_dlpack(x.toDlpack()).tolist() == [0, 1, 2]
    capsule = x.toDlpack()
    y = cp.from_dlpack(capsule, copy=True)
    y[0] = 5
    assert x[0] == 0
    with pytest.raises((ValueError, BufferError)):
        cp.from_dlpack(capsule)


def test_a_cache_folder_whose_name_is_like_an_option(tmp_path):
    r = run("-c", "import cuprite as cp\n"
            "k = cp.RawKernel('extern \"C\" __global__ void f(float *x) { x[0] = 3; }', 'f')\n"
            "x = cp.zeros(1, 'f4')\nk((1,), (1,), (x,))\nprint(float(x[0]))", cwd=tmp_path,
            env={**os.environ, "CUPRITE_CACHE_DIR": "-cache"})
    assert r.stdout == "3.0\n", r.stderr
    assert (tmp_path / "-cache").is_dir()
