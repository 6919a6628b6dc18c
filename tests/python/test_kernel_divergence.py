"""Barriers that the threads of a block do not reach together: one message, with both threads and both lines, from loops
between barriers, from fibers and under CUPRITE_CHECK."""
import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.once

HEAD = ('extern "C" __global__ void f(int *y, int n)\n{\n    __shared__ int s[64];\n    int t = threadIdx.x;\n'
        "    s[t] = t;\n")
BEHIND = "    __syncthreads();\n    y[t] = s[3];\n}"
# name: the source behind HEAD (its first line is 6), threads and lines that wait, whether loops are made of it
PROGRAMS = {
    "two branches": ("    if (t < 32)\n        __syncthreads();\n    else\n        __syncthreads();\n    y[t] = s[1];\n}",
                     0, 7, 32, 9, True),
    "a branch": ("    if (t < 32) {\n        __syncthreads();\n        y[t] = 1;\n    }\n" + BEHIND, 0, 7, 32, 10, True),
    "the other branch": ("    if (t != 5) {\n        y[t] = 3;\n    } else {\n        __syncthreads();\n    }\n" + BEHIND,
                         0, 11, 5, 9, True),
    "a count": ("    if (t < 32)\n        y[0] = __syncthreads_count(t);\n" + BEHIND, 0, 7, 32, 8, True),
    "rounds of a loop": ("    int k = t / 32;\n    while (k++ < 1) {\n        __syncthreads();\n        y[t] = k;\n    }\n" +
                         BEHIND, 0, 8, 32, 11, True),
    "in a loop": ("    for (int k = 0; k < 2; k++) {\n        if (t < 20 - k) {\n            __syncthreads();\n"
                  "            y[t]++;\n        }\n    }\n" + BEHIND, 0, 8, 20, 12, True),
    "a thread leaves": ("    for (int k = 0; k < 3; k++) {\n        if (t == 40 && k == 1)\n            break;\n"
                        "        __syncthreads();\n        y[t] = k;\n    }\n" + BEHIND, 40, 12, 63, 9, False),
}
PROGRAM = r"""
import json, sys
import cuprite as cp
for name, text in json.load(sys.stdin).items():
    k = cp.RawKernel(text, "f")
    try:
        k((1,), (64,), (cp.zeros(64, "i4"), cp.int32(3)))
        told = None
    except cp.CUDARuntimeError as e:
        told = str(e)
    print(json.dumps([name, k.kernel.tier, told]))
"""


def told(**variables):
    given = json.dumps({name: HEAD + case[0] for name, case in PROGRAMS.items()})
    r = subprocess.run([sys.executable, "-c", PROGRAM], input=given, capture_output=True, text=True, timeout=100,
                       env={**os.environ, "CUPRITE_DEVICE": "cpu", **variables})
    assert r.returncode == 0, r.stderr
    return {name: (tier, text) for name, tier, text in map(json.loads, r.stdout.splitlines())}


WORDS = "f: divergent barrier: thread ({}, 0, 0) waits in line {}, thread ({}, 0, 0) in line {} of block (0, 0, 0)"


@pytest.mark.parametrize("tier", ["regions", "fibers"])
def test_words(tier):
    for name, (tier_of, text) in told(**({"CUPRITE_KERNEL_TIER": "fibers"} if tier == "fibers" else {})).items():
        _, one, line, other, its_line, loops = PROGRAMS[name]
        if one > other: one, line, other, its_line = other, its_line, one, line
        assert (tier_of, text) == (tier if loops else "fibers", WORDS.format(one, line, other, its_line)), name


def test_words_of_checks():
    """Threads run in other orders, so others than the first may be named: in the same words, with the same lines."""
    for name, (_, text) in told(CUPRITE_CHECK="1").items():
        _, _, line, _, its_line, _ = PROGRAMS[name]
        parts = text.replace("(", " ").replace(",", " ").replace(")", " ").split()
        lines = [int(parts[i + 1]) for i, word in enumerate(parts) if word == "line"]
        assert sorted(lines) == sorted((line, its_line)), text
        assert text.startswith("f: divergent barrier: thread (") and text.endswith(" of block (0, 0, 0)"), text
