"""tools/differential itself, with families of its own: crashes and hangs are reported and do not end the run, every
number is tried once, the time limit is kept, and what an interrupted run has found is in its files."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.once
TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "differential"
FAMILIES = '''
import collections, os, pathlib, time
Wrong = collections.namedtuple("Wrong", "kind what number text")

class Family:
    about = "what is told here"
    def __init__(self, does): self.does = does
    def text(self, number): return f"case {number}"
    def verdict(self, number, careful=True):
        with open(os.environ["TRIED"], "a") as f: f.write(f"{self.does.__name__} {number}\\n")
        return self.does(number)

def good(n): return "a reason" if n % 10 == 3 else None
def wrong(n): return Wrong("odd", "it is odd", n, "x" * (50 - n % 20)) if n % 50 == 49 else None
def fails(n): return [][n] if n == 5 else None
def crash(n): os.kill(os.getpid(), 11) if n in (7, 60) else None
def hang(n): time.sleep(1000) if n == 11 else None
def slow(n): time.sleep(0.02)
FAMILIES = {f.__name__: Family(f) for f in (good, wrong, fails, crash, hang, slow)}
'''


@pytest.fixture
def tool(tmp_path):
    (tmp_path / "tools").mkdir(), (tmp_path / "tests" / "python").mkdir(parents=True)
    shutil.copy(TOOL, tmp_path / "tools")
    (tmp_path / "tests/python/differential.py").write_text("import contextlib\nquiet = contextlib.nullcontext\n")
    (tmp_path / "tests/python/differential_families.py").write_text(FAMILIES)
    os.environ["TRIED"] = str(tmp_path / "tried")

    def start(*words):
        return subprocess.Popen([sys.executable, tmp_path / "tools/differential", *words, "--results",
                                 tmp_path / "results"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    start.results = lambda name: json.loads((tmp_path / "results" / f"{name}.json").read_text())
    start.tried = lambda: (tmp_path / "tried").read_text().splitlines()
    yield start
    del os.environ["TRIED"]


def test_every_number_once(tool):
    p = tool("good,wrong,fails", "-n", "300", "-j", "2", "-s", "0")
    said = p.communicate(timeout=120)[0]
    assert p.returncode == 1, said
    assert sorted(tool.tried()) == sorted(f"{f} {n}" for f in ("good", "wrong", "fails") for n in range(300))
    assert tool.results("good")["known"] == {"a reason": 30} and tool.results("good")["mismatches"] == []
    found, = tool.results("wrong")["mismatches"]
    assert found["times"] == 6 and found["number"] == 99 and found["text"] == "x" * 31
    assert "IndexError" in tool.results("fails")["mismatches"][0]["what"]


def test_nothing_wrong_is_success(tool):
    p = tool("good", "-n", "40")
    assert p.communicate(timeout=120)[0] and p.returncode == 0


def test_crashes_and_hangs_are_told(tool):
    p = tool("crash,hang,good", "-n", "100", "-j", "2", "--limit", "2")
    said = p.communicate(timeout=200)[0]
    assert p.returncode == 1, said
    assert {m["number"] for m in tool.results("hang")["mismatches"]} == {11}
    crashes, = tool.results("crash")["mismatches"]
    assert crashes["times"] == 2 and "-11" in crashes["what"]
    for name in ("crash", "hang", "good"):
        assert tool.results(name)["cases"] == 100 and {f"{name} {n}" for n in range(100)} <= set(tool.tried())


def test_the_time_is_kept(tool):
    start = time.monotonic()
    p = tool("slow,good", "-n", "1000000", "-T", "3", "-j", "2")
    p.communicate(timeout=120)
    assert p.returncode == 0 and time.monotonic() - start < 60
    assert 0 < tool.results("slow")["cases"] < 1000


def test_ended_early(tool):
    p = tool("good,slow", "-n", "1000000", "-j", "1")
    while not os.path.exists(os.environ["TRIED"]) or len(tool.tried()) < 300:
        time.sleep(0.1)
    p.send_signal(signal.SIGTERM)
    said = p.communicate(timeout=60)[0]
    assert "ended early" in said and "together" in said, said
    assert tool.results("good")["cases"] > 0
