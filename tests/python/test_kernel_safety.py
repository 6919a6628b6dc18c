"""Kernels on the CPU that do not end, use up their stacks or read nowhere: an error, and the process goes on. Each case
is a process of its own."""
import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.once

START = r"""
import signal, sys, threading, time
import numpy as np
import cuprite as cp

def kernel(text):
    return cp.RawKernel('extern "C" __global__ void f' + text, "f")

def caught(call):
    start = time.monotonic()
    try:
        call()
        told = "nothing"
    except BaseException as e:
        told = type(e).__name__ + ": " + str(e)
    print(told, "| after", time.monotonic() - start, flush=True)

def works():
    a = cp.arange(1000, dtype="f8")
    kernel("(double *a) { __shared__ double s[100]; s[threadIdx.x] = a[blockIdx.x * 100 + threadIdx.x]; "
           "__syncthreads(); a[blockIdx.x * 100 + threadIdx.x] = s[99 - threadIdx.x]; }")((10,), (100,), (a,))
    assert a.get().tolist() == np.arange(1000.).reshape(10, 100)[:, ::-1].ravel().tolist()
    assert float(cp.sum(a)) == 499500
    print("works")

LOOP = kernel("(volatile int *a) { while (a[0] == 0) a[1]++; }")
a = cp.zeros(100, "i4")
"""


def run(text, **variables):
    return subprocess.run([sys.executable, "-c", START + text], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "CUPRITE_DEVICE": "cpu", **variables})


def told(line):
    """What was raised, and after how many seconds."""
    text, _, after = line.partition(" | after ")
    return text, float(after)


ENDLESS = {
    "loop": "LOOP((1,), (1,), (a,))",
    "many blocks": "LOOP((1000,), (256,), (a,))",
    "barriers": 'kernel("(volatile int *a) { __shared__ int s[32]; while (a[0] == 0) { s[threadIdx.x] = a[1]; '
                '__syncthreads(); a[2] = s[31 - threadIdx.x]; __syncthreads(); } }")((4,), (32,), (a,))',
    "fibers": 'kernel("(volatile int *a) { while (a[0] == 0) a[1] = __shfl_sync(~0u, a[2], 3); }")((4,), (32,), (a,))',
    "functions": 'kernel("(float *a) { float x = a[0]; while (x < 5) x = sinf(x); a[1] = x; }")((4,), (32,), (a,))',
    "printing": 'kernel("(volatile int *a) { while (a[0] == 0) printf(\\"\\"), a[1]++; }")((4,), (32,), (a,))',
}


@pytest.mark.parametrize("name", ENDLESS)
def test_timeout(name):
    r = run(f"caught(lambda: {ENDLESS[name]})\nworks()\ncaught(lambda: {ENDLESS[name]})\nworks()",
            CUPRITE_KERNEL_TIMEOUT="0.5")
    lines = r.stdout.splitlines()
    assert [lines[1], lines[3]] == ["works"] * 2, r.stderr
    for line in (lines[0], lines[2]):
        text, after = told(line)
        assert text == ("CUDADriverError: CUDA_ERROR_LAUNCH_TIMEOUT: the launch timed out and was terminated, after "
                        "0.5 seconds (CUPRITE_KERNEL_TIMEOUT) (f)")
        assert 0.4 < after < 10


def test_no_timeout():
    """What takes less is left alone; so is everything without the variable."""
    slow = ('kernel("(volatile int *a, int n) { a[0] = 0; for (int i = 1; i < n; i++) a[0] = a[0] + 1; }")'
            "((1,), (1,), (a, %d))\n")  # several cycles a turn: more than a second in any case
    r = run("n = 1000\nwhile True:\n    t = time.monotonic()\n    " + slow.replace("%d", "n") +
            "    if time.monotonic() - t > 1 or n == 2 ** 31 - 1: break\n    n = min(n * 4, 2 ** 31 - 1)\n"
            "print(int(a[0]) == n - 1)\nworks()")
    assert r.stdout.split() == ["True", "works"], r.stderr
    r = run("LOOP((1,), (1,), (cp.ones(2, 'i4'),))\nworks()", CUPRITE_KERNEL_TIMEOUT="1")
    assert r.stdout.split() == ["works"], r.stderr


def test_wrong_timeout():
    r = run("caught(lambda: LOOP((1,), (1,), (cp.ones(2, 'i4'),)))", CUPRITE_KERNEL_TIMEOUT="soon")
    assert told(r.stdout)[0] == "ValueError: kernel: CUPRITE_KERNEL_TIMEOUT='soon' is no number of seconds", r.stderr


def interrupt(text, times=1):
    """Runs the program, which prints "begins" before it launches, and interrupts it a little later. What a shell starts
    in the background ignores interrupts, and its children do: the program takes them again."""
    heard = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    p = subprocess.Popen([sys.executable, "-u", "-c", heard + START + text], text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, env={**os.environ, "CUPRITE_DEVICE": "cpu"})
    try:
        assert p.stdout.readline() == "begins\n"
        for _ in range(times):
            time.sleep(0.7)
            p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=30)
        return out.splitlines(), err
    finally:
        p.kill()


@pytest.mark.parametrize("launch", ["LOOP((1,), (1,), (a,))", "LOOP((100,), (128,), (a,))", ENDLESS["fibers"]])
def test_interrupt(launch):
    lines, err = interrupt(f"def go():\n    print('begins')\n    {launch}\ncaught(go)\nworks()")
    text, after = told(lines[0])
    assert text == "KeyboardInterrupt: " and after < 10 and lines[1] == "works", err


def test_interrupt_of_a_program_with_a_handler():
    """A program's own handler runs; the kernel that goes on is ended with an error that says so."""
    lines, err = interrupt("signal.signal(signal.SIGINT, lambda *a: print('handled'))\n"
                           "def go():\n    print('begins')\n    LOOP((1,), (1,), (a,))\ncaught(go)\nworks()")
    assert lines[0] == "handled" and lines[2] == "works", err
    assert told(lines[1])[0] == "KeyboardInterrupt: f: the launch was interrupted"


def test_interrupt_of_the_main_thread_only():
    """A kernel that another thread runs goes on."""
    lines, err = interrupt("flag = cp.zeros(2, 'i4')\nt = threading.Thread(target=lambda: LOOP((1,), (1,), (flag,)))\n"
                           "t.start()\ndef go():\n    print('begins')\n    time.sleep(30)\ncaught(go)\n"
                           "time.sleep(1)\nprint(t.is_alive())\nflag[0] = 1\nt.join()\nworks()")
    assert told(lines[0])[0] == "KeyboardInterrupt: " and lines[1:] == ["True", "works"], err


def test_interrupts_between_launches():
    """Python's handling of them is as it was."""
    lines, err = interrupt("LOOP((1,), (1,), (cp.ones(2, 'i4'),))\ndef go():\n    print('begins')\n    time.sleep(30)\n"
                           "caught(go)\nworks()")
    assert told(lines[0])[0] == "KeyboardInterrupt: " and told(lines[0])[1] < 5 and lines[1] == "works", err


RECURSION = ("(int *a);\\n__device__ __noinline__ int deep(volatile int *a, int n)\\n{ volatile int here[%d]; "
             "here[n & 7] = a[0]; if (a[1]) return 0; return deep(a, n + 1) + here[n & 7]; }\\n"
             'extern \\"C\\" __global__ void f(int *a) { %s a[2] = deep(a, threadIdx.x) %s; }')


@pytest.mark.parametrize("local", [8, 5000])
@pytest.mark.parametrize("barrier", ["", "__syncwarp();"])
def test_endless_recursion(local, barrier):
    call = f'kernel("{RECURSION % (local, barrier, "+ 1")}")'
    r = run(f"k = {call}\nfor grid in (1, 1, 500):\n    caught(lambda: k((grid,), (32,), (a,)))\n    works()")
    lines = r.stdout.splitlines()
    assert r.returncode == 0 and lines[1::2] == ["works"] * 3, r.stderr
    for line in lines[::2]:
        assert told(line)[0] == ("CUDARuntimeError: f: the stack of a thread is used up: a function calls itself "
                                 "without end, or has too many local variables")


def test_faults():
    r = run("""
for text in ("(int *a) { *(volatile int *)0 = 1; }", "(int *a) { int *p = 0; a[0] = p[1 << 12]; }",
             "(int *a) { __trap(); }", "(int *a) { assert(a[0] == 1); }"):
    for grid in (1, 100):
        caught(lambda: kernel(text)((grid,), (32,), (a,)))
works()
kernel("(int *a) { a[1] = 7 / a[0]; a[2] = 7 % a[0]; }")((1,), (1,), (a,))
print(a[1:3].get().tolist())
""")
    lines = [line for line in r.stdout.splitlines() if not line.startswith("kernel.cu")]
    assert len(lines) == 10 and lines[8] == "works" and lines[9] == "[-1, 7]", r.stderr + r.stdout
    address = "CUDARuntimeError: f: an illegal address was read or written: "
    assert [told(line)[0] for line in lines[:4]] == [address + "(nil)"] * 2 + [address + "0x4000"] * 2
    for line in lines[4:8]:
        assert told(line)[0] == "CUDARuntimeError: f: a trap, a failed assertion or an illegal instruction was reached"


def test_fork():
    """A child has a watchdog of its own."""
    r = run("""
import os
works()
sys.stdout.flush()
child = os.fork()
if not child:
    caught(lambda: LOOP((1,), (1,), (a,)))
    works()
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
works()
""", CUPRITE_KERNEL_TIMEOUT="0.5")
    lines = r.stdout.splitlines()
    assert [lines[0], lines[2], lines[3]] == ["works"] * 3 and "CUDA_ERROR_LAUNCH_TIMEOUT" in lines[1], r.stderr


def test_many_threads_at_once():
    """65536 stacks need no more mappings than a process may have, and leave none behind; their ends are watched."""
    r = run(r"""
import os
def cooperative(text):
    return cp.RawKernel("#include <cooperative_groups.h>\n" + text, "f", enable_cooperative_groups=True)
mirror = cooperative('''extern "C" __global__ void f(int *a, int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    a[i] = i;
    cooperative_groups::this_grid().sync();
    b[i] = a[n - 1 - i];
}''')
deep = cooperative('''__device__ __noinline__ int deep(volatile int *a, int n)
{ volatile int here[8]; here[n & 7] = a[0]; if (a[1]) return 0; return deep(a, n + 1) + here[n & 7]; }
extern "C" __global__ void f(int *a, int *b)
{ b[threadIdx.x] = 0; cooperative_groups::this_grid().sync(); if (blockIdx.x == %d) b[0] = deep(a, 0); }''' % 37)
for blocks in (3, 64, 40):
    n = 1024 * blocks
    b = cp.zeros(n, "i4")
    mirror((blocks,), (1024,), (cp.zeros(n, "i4"), b))
    print(bool((b == cp.arange(n, dtype="i4")[::-1]).all()), sum(1 for _ in open("/proc/self/maps")) < 10000)
caught(lambda: deep((64,), (1024,), (cp.zeros(9, "i4"), cp.zeros(1024, "i4"))))
works()
caught(lambda: mirror((65,), (1024,), (a, a)))
caught(lambda: mirror((2 ** 30, 32768, 32768), (16,), (a, a)))
""")
    lines = r.stdout.splitlines()
    assert lines[:3] == ["True True"] * 3 and lines[4] == "works", r.stderr
    assert "the stack of a thread is used up" in lines[3]
    for line, blocks in zip(lines[5:], ("65 blocks of 1024", "1152921504606846976 blocks of 16"), strict=True):
        assert told(line)[0] == (f"CUDADriverError: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: f: {blocks} threads at "
                                 "once, the CPU device runs at most 65536 threads")
