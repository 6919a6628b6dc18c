"""tools/newcomer: its steps, its options, and that it tells what failed. Its commands are tried by running it."""
import importlib.machinery
import importlib.util
import pathlib
import re
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.once

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools/newcomer"


@pytest.fixture(scope="module")
def newcomer():
    loader = importlib.machinery.SourceFileLoader("newcomer", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("newcomer", loader))
    sys.modules["newcomer"] = module  # dataclasses look for it
    loader.exec_module(module)
    yield module
    del sys.modules["newcomer"]


def listed(*options):
    done = subprocess.run([TOOL, "--list", *options], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_steps():
    """What the issue of a newcomer names, README's commands as README has them."""
    found = listed()
    assert found[:4] == ["clone", "make demo", "make test", "wheel"]
    assert set(found) >= {"self-test", "README's code", "quickstart", "pip install .", "C tutorial", "site"}
    assert ("site in a browser" in found) == (ROOT / "tools/check_site").exists()
    assert listed("--quick") == [s for s in found if s != "make test"]
    assert listed("--only", "self-test") == ["clone", "make demo", "wheel", "install the wheel", "self-test"]
    assert "wheel" not in listed("--wheel", TOOL)
    assert listed("--wheel", TOOL, "--only", "self-test, C library") == ["clone", "install the wheel", "self-test",
                                                                         "C library"]


def test_commands_are_there(newcomer, tmp_path):
    """Programs, targets, pages and options that the steps name."""
    chosen = newcomer.arguments([])
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M)
    names = set()
    for step in newcomer.steps(tmp_path, chosen):
        assert set(step.needs) <= names  # which come before it
        names.add(step.name)
        for command in step.commands:
            first, *others = map(str, command)
            if first == "make":
                assert others[0] in targets
            elif first.startswith("tools/"):
                assert (ROOT / first).exists(), first
            for word in others:
                if word.endswith(".md"):
                    assert (ROOT / word).exists(), word
                elif word.startswith("--") and first.startswith("tools/"):
                    assert word in (ROOT / first).read_text()
                elif "/cuprite/" in word and word.startswith(str(tmp_path)):
                    assert (ROOT / word.split("/cuprite/", 1)[1]).exists(), word
    assert newcomer.readme_commands("a\n```sh\nmake demo   # x\nmake test\n```\nThen make bench") == ["make demo",
                                                                                                "make test"]


@pytest.mark.parametrize("options, message", [
    (["--only", "lunch"], "no step is called 'lunch'; there are: clone, "),
    (["--wheel", "none.whl"], "there is no wheel"),
    (["--python", "python9"], "there is no Python python9"), (["--folder", str(ROOT)], "is not empty"),
    (["--slow"], "unrecognized arguments: --slow")])
def test_refusals(options, message):
    done = subprocess.run([TOOL, "--list", *options], text=True, capture_output=True)
    assert done.returncode and message in done.stderr


def run(newcomer, monkeypatch, capsys, folder, steps):
    """The table of these steps, and whether all passed."""
    monkeypatch.setattr(newcomer, "steps", lambda folder, chosen: steps)
    good = newcomer.everything(newcomer.arguments([]), folder)
    return good, capsys.readouterr().out


def test_the_table(newcomer, monkeypatch, capsys, tmp_path):
    """A step that fails is named with its log, those that need it are not run, and the others are."""
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    Step = newcomer.Step
    steps = [Step("one", [["sh", "-c", "env | sort; pwd; echo 12 passed in 3.20s; echo '510 passed, 0 failed, 1.9 s'"]],
                  folder=".", note=newcomer.SUMMARY, more={"MORE": "x"}),
             Step("two", [["sh", "-c", "echo something; exit 3"], ["touch", "two"]], ("one",), "."),
             Step("three", [["touch", "three"]], ("two", "one"), "."), Step("four", [["no-such-program"]], (), "."),
             Step("five", [["cat", tmp_path / "x/lo*/01-one.log"]], (), "outside", "^(PATH)=")]
    good, table = run(newcomer, monkeypatch, capsys, tmp_path / "x", steps)
    lines = table.splitlines()
    assert not good and lines[-1] == f"2 passed, 3 failed; logs: {tmp_path}/x/logs"
    assert re.fullmatch(r"one +0:\d\d +0:\d\d  passed  12 passed; 510 passed, 0 failed", lines[1])
    assert re.fullmatch(rf"two +0:\d\d +0:\d\d  FAILED  see {tmp_path}/x/logs/02-two.log", lines[2])
    assert re.fullmatch(r"three +0:00 +0:00  FAILED  not run, for it needs: two", lines[3])
    assert "FAILED" in lines[4] and "no-such-program" in (tmp_path / "x/logs/04-four.log").read_text()
    assert re.fullmatch(r"five +0:\d\d +0:\d\d  passed  PATH", lines[5])
    assert not (tmp_path / "x/two").exists() and not (tmp_path / "x/three").exists()
    log = (tmp_path / "x/logs/01-one.log").read_text()
    names = set(re.findall(r"^(\w+)=", log, re.M)) - {"PWD", "_", "SHLVL", "OLDPWD"}
    assert names == {"CCACHE_DISABLE", "HOME", "LANG", "MORE", "PATH"} and f"HOME={tmp_path}/x/home\n" in log
    assert list((tmp_path / "x/home").iterdir()) == []


def test_clock(newcomer):
    assert [newcomer.clock(s) for s in (0.4, 59.6, 61, 3599)] == ["0:00", "1:00", "1:01", "59:59"]


def test_what_a_step_leaves_running_ends_with_it(newcomer, monkeypatch, capsys, tmp_path):
    step = newcomer.Step("one", [["sh", "-c", "sleep 100 & echo $! > pid"]], folder=".")
    good, _ = run(newcomer, monkeypatch, capsys, tmp_path / "x", [step])
    assert good
    state = pathlib.Path("/proc", (tmp_path / "x/pid").read_text().strip(), "stat")
    deadline = time.monotonic() + 20
    while state.exists() and state.read_text().split()[2] != "Z":
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_step_that_does_not_end(newcomer, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(newcomer, "LONGEST", 0.2)
    step = newcomer.Step("one", [["sleep", "60"]], folder=".")
    good, table = run(newcomer, monkeypatch, capsys, tmp_path / "x", [step])
    assert not good and "FAILED" in table
    assert "stopped after" in (tmp_path / "x/logs/01-one.log").read_text()
