"""cuprite.profiler.record: what is counted, timed and said; the command's --profile, --report, --device; notebooks."""
import json
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import cuprite as cp
from cuprite import _device, _profile
from cuprite.profiler import record

pytestmark = pytest.mark.device


def rows(record):
    """{operation: (calls, ms, MB)} of a table, equal operations added up."""
    found = {}
    for line in record.table().splitlines()[1:]:
        calls, ms, _, _, mb, _, where, name = line.split(None, 7)
        assert where == NAMES[0]
        before = found.get(name, (0, 0, 0))
        found[name] = (before[0] + int(calls), before[1] + float(ms), before[2] + (0 if mb == "-" else float(mb)))
    return found


NAMES = [None]


@pytest.fixture(autouse=True)
def name_of_device(device):
    NAMES[0] = device


def test_calls_and_bytes():
    x, y = cp.ones((1000, 500)), cp.ones(500)
    with record() as r:
        for _ in range(3):
            z = x + y
        z.sum(axis=0)
        x @ z.T
        cp.sort(z, axis=1)
        cp.gradient(y)
    found = rows(r)
    assert found["add"][0] == 3 and found["sum"][0] == 1 and found["matmul: product"][0] == 1
    assert found["add"][2] == pytest.approx(3 * (2 * 500_000 + 500) * 8e-6, abs=1e-3)
    assert found["sum"][2] == pytest.approx((500_000 + 500) * 8e-6, abs=1e-3)
    assert found["matmul: product"][2] == pytest.approx((2 * 500_000 + 1_000_000) * 8e-6, abs=1e-3)
    assert any(name.startswith("gradient: ") for name in found)
    assert all(ms >= 0 for _, ms, _ in found.values()) and found["matmul: product"][1] > 0


def test_off_is_off():
    with record() as r:
        cp.ones(5) + 1
    before = r.table()
    cp.ones(5) - 1
    assert r.table() == before and "subtract" not in before
    with record() as again:  # what was recorded is forgotten
        cp.ones(5) * 2
    assert set(rows(again)) >= {"multiply"} and "add" not in rows(again)
    with pytest.raises(ZeroDivisionError), record():
        1 / 0
    cp.ones(5) / 2
    assert "divide" not in again.table()


def test_trace(tmp_path):
    with record() as r:
        x = cp.arange(1 << 16, dtype="f4")
        for _ in range(4):
            x = cp.sin(x)
        x.get()
    r.trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())
    events = trace["traceEvents"]
    sines = [e for e in events if e["name"] == "sin"]
    assert len(sines) == 4 and {e["ph"] for e in events} == {"X"} and {e["pid"] for e in events} == {NAMES[0]}
    assert all(e["args"]["bytes"] == 2 * 4 << 16 and e["dur"] >= 0 for e in sines)
    assert [e["ts"] for e in sines] == sorted(e["ts"] for e in sines)
    copies = [e for e in events if e["cat"] == "copy to the host"]
    assert [e["args"]["bytes"] for e in copies] == [4 << 16]
    assert copies[0]["args"]["place"].startswith(__file__ + ":")
    with pytest.raises(OSError):
        r.trace(tmp_path / "none" / "trace.json")


def test_report_names_the_line():
    x = cp.arange(1 << 16)
    with record() as r:
        for _ in range(5):
            x.get(); line = sys._getframe().f_lineno  # noqa: E702
        cp.cuda.Device().synchronize()
    lines = r.report().splitlines()
    copies = [text for text in lines if "copies to the host" in text]
    assert len(copies) == 1 and f"{__file__}:{line}: " in copies[0]
    assert copies[0].split()[0] == "5" and float(copies[0].split()[2]) == pytest.approx(5 * 8 * 65536e-6, abs=1e-3)
    assert sum(f"{__file__}:{line + 1}: " in text and "wait for the device" in text for text in lines) == 1


def test_what_is_waited_for_is_told():
    x = cp.arange(1 << 16)
    with record() as r:
        x[x > 5]
    assert sum("waits for the result of" in text for text in r.report().splitlines()) == 1


def test_more_calls_than_are_kept():
    """They are added up; the trace has the latest, and says how many are missing."""
    x, n = cp.zeros(3), 70_000
    with record() as r:
        for _ in range(n):
            cp.negative(x, out=x)
    assert rows(r)["negative"][0] == n
    trace = json.loads(_profile.string(2))
    assert len(trace["traceEvents"]) + trace["otherData"]["calls that are not here"] == n
    assert 0 < len(trace["traceEvents"]) <= 65_536


def test_threads():
    number = cp.cuda.Device()._number

    def work():
        _device.use(number)
        x = cp.ones(1 << 16)
        for _ in range(200):
            x = cp.tanh(x)
        x.get()
    threads = [threading.Thread(target=work) for _ in range(4)]
    with record() as r:
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert rows(r)["tanh"][0] == 800
    report = [text for text in r.report().splitlines() if "copies to the host" in text]
    assert sum(int(text.split()[0]) for text in report) == 4 and all(__file__ in text for text in report)


def test_errors_are_the_same():
    with record() as r:
        with pytest.raises(np.linalg.LinAlgError):
            cp.linalg.solve(cp.zeros((3, 3)), cp.ones(3)).get()
        assert float((cp.ones(3) + 1).sum()) == 6
    assert rows(r)["solve"][0] == 1


@pytest.mark.parametrize("first", ["record", "capture"])
def test_with_captures(first):
    """A graph does the same whether it is made before or while calls are recorded."""
    x = cp.ones(100)
    cp.cuda.Device().synchronize()
    stream = cp.cuda.Stream(non_blocking=True)

    def capture():
        with stream:
            stream.begin_capture()
            cp.add(x, 1, out=x)
            return stream.end_capture()
    if first == "capture":
        graph = capture()
    with record() as r:
        if first == "record":
            graph = capture()
        for _ in range(3):
            graph.launch(stream)
        stream.synchronize()
        cp.multiply(x, 2, out=x)
        cp.cuda.Device().synchronize()
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(cp.asnumpy(x), np.full(100, 9.0))
    assert rows(r)["multiply"][0] == 1


def test_child_is_not_recorded():
    x = cp.ones(10)
    with record() as r:
        cp.sin(x)
        child = os.fork()
        if not child:
            try:
                _device.use(-1)
                cp.cos(cp.ones(3))
                os._exit(0 if "cos" not in r.table() else 1)
            except BaseException:
                os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        cp.tan(x)
    assert rows(r)["sin"][0] == rows(r)["tan"][0] == 1


def command(*given, cwd, **more):
    return subprocess.run([sys.executable, "-m", "cuprite", *given], capture_output=True, text=True, cwd=cwd,
                          timeout=120, env={**os.environ, **more})


PROGRAM = """import sys
import cupy as cp
x = cp.arange(1 << 16)
y = (x + 1).get()
print(int(y[-1]), sys.argv[1:], cp.cuda.Device()._number)
sys.exit(int(sys.argv[1]))
"""


def test_options_of_the_command(tmp_path, device):
    (tmp_path / "program.py").write_text(PROGRAM)
    r = command("--device", device, "--profile", "--report", "program.py", "5", "--profile", cwd=tmp_path)
    assert r.returncode == 5 and r.stdout.startswith("65536 ['5', '--profile'] ")
    assert "add" in r.stderr and "program.py:4: copies to the host" in r.stderr
    r = command("--device", device, "--profile=t.json", "program.py", "0", cwd=tmp_path)
    assert r.returncode == 0 and r.stderr == ""
    assert "add" in {e["name"] for e in json.loads((tmp_path / "t.json").read_text())["traceEvents"]}
    r = command("--device", device, "program.py", "0", cwd=tmp_path)
    assert (r.returncode, r.stderr) == (0, "")
    r = command("--device", device, "--report", "-c", "1 / 0", cwd=tmp_path)
    assert r.returncode == 1 and "ZeroDivisionError" in r.stderr and "place" in r.stderr


@pytest.mark.parametrize("given,said", [
    (["--device"], "--device needs a name"), (["--device", "nothing", "p.py"], "nothing"),
    (["--profil", "p.py"], "unknown option --profil"), (["--report=1", "p.py"], "unknown option --report"),
    (["--profile=", "p.py"], "names nothing"), (["--profile"], "no program"), (["--report", "q.py"], "no such file")])
def test_wrong_options(tmp_path, given, said):
    (tmp_path / "p.py").write_text("")
    r = command(*given, cwd=tmp_path)
    assert r.returncode == 2 and said in r.stderr and "Traceback" not in r.stderr


def test_whole_programs_in_c(tmp_path, device):
    """CUPRITE_PROFILE, which needs no Python: here of Python's process."""
    code = "import cuprite as cp; x = cp.ones(7) + 1"
    for value, kept in (("1", None), (str(tmp_path / "t.json"), tmp_path / "t.json")):
        r = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                           env={**os.environ, "CUPRITE_PROFILE": value, "CUPRITE_DEVICE": device})
        assert r.returncode == 0
        assert "add" in (kept.read_text() if kept else r.stderr)


def book(*cells, **more):
    return json.dumps({"cells": [{"cell_type": "markdown", "source": "text"}] +
                       [{"cell_type": "code", "source": c} for c in cells], "nbformat": 4, **more})


def test_notebooks(tmp_path, device):
    path = tmp_path / "a.ipynb"
    path.write_text(book("import cupy as cp\nx = cp.ones(3)", ["y = x + 1\n", "print(float(y.sum()))"]))
    r = command("--device", device, "a.ipynb", cwd=tmp_path)
    assert (r.returncode, r.stdout, r.stderr) == (0, "6.0\n", "")
    path.write_text(book("a = 1", "b = 2\nraise ValueError(a + b)"))
    r = command("a.ipynb", cwd=tmp_path)
    assert r.returncode == 1 and "ValueError: 3" in r.stderr and "a.ipynb, cell 2\", line 2" in r.stderr
    for text in ("{", "[]", "{}", '{"cells": [{}]}', ""):
        path.write_text(text)
        r = command("a.ipynb", cwd=tmp_path)
        assert r.returncode == 2 and "is no notebook" in r.stderr and "Traceback" not in r.stderr, text


def test_notebooks_with_magics(tmp_path):
    """IPython's lines are run by it, or refused by name; here a stand-in that says what it was given."""
    (tmp_path / "a.ipynb").write_text(book("%load_ext cuprite", "print(1)"))
    (tmp_path / "IPython").mkdir()
    (tmp_path / "IPython" / "__init__.py").write_text("raise ImportError('none')")
    r = command("a.ipynb", cwd=tmp_path, PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
    assert r.returncode == 2 and "'%load_ext cuprite'" in r.stderr and "pip install ipython" in r.stderr
