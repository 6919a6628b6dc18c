"""What only a machine with a GPU and NVIDIA's tools shows: kernels that fault, under compute-sanitizer and without, and
NVRTC that lies in a PyPI wheel alone. Each case skips where there is no GPU, or where its tool is on no path."""
import ctypes.util
import glob
import os
import shutil
import subprocess
import sys

import pytest

import cuprite as cp

FAULT = """\
import os
import cuprite as cp
cp.cuda.Device(os.environ["HERE"]).use()
k = cp.RawKernel(r\'\'\'
extern "C" __global__ void wild(int *x, long long far)
{
    x[threadIdx.x + far] = 1;
}\'\'\', "wild")
x = cp.zeros(10, "i4")
k((1,), (32,), (x, 1 << 40))
cp.cuda.Device().synchronize()
print("went on")
"""

HINT = "; CUPRITE_CHECK=1 compute-sanitizer python prog.py reports the kernel, its line and the address"


def environment(device, **more):
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CUPRITE_") or k == "CUPRITE_BUILD"}
    return {**kept, "HERE": device, "PYTHONPATH": home, **more}


def needs_gpu(device):
    if not device.startswith("cuda"):
        pytest.skip("a GPU's")


def sanitizer():
    folders = [os.environ.get("PATH", ""), *(f"{f}/bin" for f in sorted(glob.glob("/usr/local/cuda*"), reverse=True)),
               *sorted(glob.glob("/usr/local/cuda*/compute-sanitizer"))]
    found = shutil.which("compute-sanitizer", path=os.pathsep.join(folders))
    if not found:
        pytest.skip("there is no compute-sanitizer")
    return found


@pytest.mark.parametrize("check", ["0", "1"])
def test_a_fault_points_to_the_sanitizer(device, check, tmp_path):
    needs_gpu(device)
    (tmp_path / "prog.py").write_text(FAULT)
    r = subprocess.run([sys.executable, "prog.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                       env=environment(device, CUPRITE_CHECK=check))
    assert r.returncode == 1 and "went on" not in r.stdout, r.stdout + r.stderr
    last = r.stderr.strip().splitlines()[-1]
    begins = ("cuprite.CUDARuntimeError: synchronize: CUDA: an illegal memory access was encountered "
              "(cudaErrorIllegalAddress) in work under way: ")
    assert last.startswith(begins) and last.endswith(HINT), r.stderr
    assert "kernel" in last.removeprefix(begins).removesuffix(HINT), last


def test_the_sanitizer_tells_kernel_and_line(device, tmp_path):
    needs_gpu(device)
    (tmp_path / "prog.py").write_text(FAULT)
    r = subprocess.run([sanitizer(), "--error-exitcode", "9", sys.executable, "prog.py"], cwd=tmp_path, timeout=500,
                       capture_output=True, text=True, env=environment(device, CUPRITE_CHECK="1"))
    assert r.returncode != 0 and "went on" not in r.stdout, r.stdout + r.stderr
    assert "Invalid __global__ write of size 4 bytes" in r.stdout, r.stdout
    named = [line for line in r.stdout.splitlines() if " at wild" in line]
    assert named and any(":4" in line or "line 4" in line for line in named), r.stdout


# --- NVRTC in a wheel ---

COMPILES = """
import os
import cuprite as cp
cp.cuda.Device(os.environ["HERE"]).use()
x = cp.zeros(10, "f4")
k = cp.RawKernel('extern "C" __global__ void put(float *x) { x[threadIdx.x] = threadIdx.x * 2; }', "put")
k((1,), (10,), (x,))
assert x.get().tolist() == [2.0 * i for i in range(10)]
with open("/proc/self/maps") as f:
    print(sorted({line.split()[-1] for line in f if "libnvrtc" in line}))
"""


def nvrtc_folder():
    """The folder of the NVRTC of this machine, without its links."""
    name = ctypes.util.find_library("nvrtc")
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines()
    paths = [line.split("=> ")[-1] for line in listed if name and line.strip().startswith(name + " ")]
    paths += sorted(glob.glob("/usr/local/cuda*/lib64/libnvrtc.so.*"))
    for place in sys.path:
        paths += sorted(glob.glob(os.path.join(place or ".", "nvidia", "*", "lib", "libnvrtc.so.*")))
    if not paths:
        pytest.skip("there is no NVRTC to put into a wheel")
    return os.path.dirname(os.path.realpath(paths[0]))


def _has_nvrtc(place):
    return bool(glob.glob(os.path.join(place or ".", "nvidia", "*", "lib", "libnvrtc.so*")))


def hidden(folders):
    """The beginning of a command that runs without these folders, in a mount namespace of its own."""
    script = "".join(f"mount -t tmpfs none '{folder}' && " for folder in folders) + 'exec "$@"'
    for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
        command = [*unshare, "sh", "-c", script, "hidden"]
        if subprocess.run([*command, "true"], capture_output=True).returncode == 0:
            return command
    return None


@pytest.mark.parametrize("layout", ["cuda_nvrtc", "cu13"])
def test_nvrtc_of_a_wheel_alone(device, layout, tmp_path):
    """Where the toolkit is not seen, the wheel beside the interpreter is found, and nothing of the toolkit is used."""
    needs_gpu(device)
    system = nvrtc_folder()
    wheel = tmp_path / "site" / "nvidia" / layout / "lib"
    wheel.mkdir(parents=True)
    for path in glob.glob(os.path.join(system, "libnvrtc*.so.*")):
        if ".alt." not in path and not os.path.islink(path):
            shutil.copy(path, wheel / os.path.basename(path))
    for path in glob.glob(os.path.join(system, "libnvrtc*.so.*")):
        if ".alt." not in path and os.path.islink(path):
            os.symlink(os.path.basename(os.path.realpath(path)), wheel / os.path.basename(path))
    toolkits = {os.path.realpath(f) for f in glob.glob("/usr/local/cuda*") if os.path.isdir(f)}
    others = [system] if not any(system.startswith(f + "/") for f in toolkits) else []
    command = hidden([*sorted(toolkits), *others])
    if command is None:
        pytest.skip("this process may not make mount namespaces, so the toolkit cannot be hidden")
    env = environment(device, CUPRITE_CACHE_DIR=str(tmp_path / "cache"))
    for name in ("CUDA_PATH", "CUDA_HOME"):
        env.pop(name, None)
    places = env.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    env["LD_LIBRARY_PATH"] = os.pathsep.join(place for place in places if not glob.glob(f"{place}/libnvrtc*"))
    (tmp_path / "prog.py").write_text(COMPILES)
    others_wheels = any(_has_nvrtc(place) for place in sys.path)
    alone = subprocess.run([*command, sys.executable, "prog.py"], cwd=tmp_path, capture_output=True, text=True,
                           timeout=300, env=env)
    if not others_wheels:
        assert alone.returncode == 1 and "NVRTC (libnvrtc.so.12 or .13) is not there" in alone.stderr, alone.stderr
    env["PYTHONPATH"] = os.pathsep.join([str(tmp_path / "site"), env["PYTHONPATH"]])
    env["CUPRITE_CACHE_DIR"] = str(tmp_path / "another cache")  # where the first run has left nothing
    r = subprocess.run([*command, sys.executable, "prog.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300,
                       env=env)
    assert r.returncode == 0, r.stdout + r.stderr
    assert str(wheel) in r.stdout and system not in r.stdout, r.stdout
