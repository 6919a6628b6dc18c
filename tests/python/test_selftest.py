"""python -m cuprite.selftest: passes here, and fails where something is wrong."""
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp
from cuprite import selftest
from cuprite.selftest import _kernels, _made, _numpy
from cuprite.selftest._record import Record, difference


def program(*arguments, **variables):
    return subprocess.run([sys.executable, "-m", "cuprite.selftest", *arguments], capture_output=True, text=True,
                          timeout=120, env={**os.environ, **variables})


@pytest.mark.once
def test_the_program_passes():
    done = program("--device", "cpu")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    passed, seconds = re.fullmatch(r"(\d+) passed, 0 failed, ([\d.]+) s", lines[-1]).groups()
    assert int(passed) > 400 and float(seconds) < 30
    areas = [line.split("  ")[1] for line in lines if line.startswith("  ")]
    assert len(areas) == len(selftest._areas()) and {"linalg", "FITS", "CUDA C++", "random"} <= set(areas)
    assert "skipped" not in done.stdout


@pytest.mark.once
def test_without_a_compiler_kernels_are_skipped_and_say_why():
    done = program("--device", "cpu", "CUDA C++", "Python kernels", "fuse", PATH="/nonexistent", CXX="", CUPRITE_CXX="")
    assert done.returncode == 0, done.stdout + done.stderr
    skipped = [line for line in done.stdout.splitlines() if "skipped: kernel: there is no C++ compiler" in line]
    assert len(skipped) == 2 and "6 passed, 0 failed" in done.stdout


@pytest.mark.once
def test_arguments():
    done = program("nonsense")
    assert done.returncode == 2 and done.stderr.startswith("selftest: no area 'nonsense'; there are creation, ")
    done = program("--device", "cuda:99")
    assert done.returncode == 2 and done.stderr


def test_every_area_passes(device):
    lines = []
    assert selftest.run([device], write=lines.append), "\n".join(lines)
    assert lines[0].startswith(device) and len(lines) == len(selftest._areas()) + 2


@pytest.mark.parametrize("module, name, wrong, area", [
    (cp, "sort", lambda x, *a, **k: x, "sorting"),
    (cp, "exp", lambda x: x, "elementwise"),
    (cp, "save", lambda path, x: open(path, "wb").close(), "files"),
    (cp.linalg, "inv", lambda x: x, "linalg"),
    (cp.fft, "fft", lambda x, **k: x + 0j, "fft"),
    (cp.random, "default_rng", lambda seed: np.random.default_rng(), "random"),
    (_kernels, "_BLOCK_SUM", _kernels._BLOCK_SUM.replace("+=", "-="), "CUDA C++"),
])
@pytest.mark.once
def test_what_is_wrong_is_found(module, name, wrong, area, monkeypatch):
    monkeypatch.setattr(module, name, wrong)
    lines = []
    assert not selftest.run(["cpu"], [area], lines.append)
    assert re.search(r"\d FAILED\n      \S", lines[1]) and ", 0 failed" not in lines[-1]


@pytest.mark.once
def test_the_status_of_a_failure(monkeypatch, capsys):
    monkeypatch.setattr(cp, "sort", lambda x, *a, **k: x)
    assert selftest.main(["--device", "cpu", "sorting"]) == 1
    assert "FAILED" in capsys.readouterr().out
    assert selftest.main(["--device", "cpu", "shapes"]) == 0


@pytest.mark.once
def test_an_error_in_an_area_is_a_failure(monkeypatch):
    monkeypatch.setitem(_made.AREAS, "random", lambda record: 1 / 0)
    lines = []
    assert not selftest.run(["cpu"], ["random", "errors"], lines.append)
    assert "the area: ZeroDivisionError" in lines[1] and "passed" in lines[2]


@pytest.mark.once
@pytest.mark.parametrize("got, expected, tolerance, differs", [
    (np.arange(3), np.arange(3), 0, False),
    (np.arange(3), np.arange(3.0), 0, True),
    (np.zeros((1, 3)), np.zeros(3), 4, True),
    (np.array([1.0]), np.array([1 + 2.0**-52]), 0, True),
    (np.array([1.0]), np.array([1 + 2.0**-52]), 1, False),
    (np.array([1.0]), np.array([1 + 2.0**-50]), 1, True),
    (np.array([np.nan, 1]), np.array([np.nan, 1]), 0, False),
    (np.array([np.nan, 1]), np.array([1, np.nan]), 4, True),
    (np.array([np.inf]), np.array([-np.inf]), 4, True),
    (np.array([np.nan]), np.array([0.0]), 4, True),
    ([np.arange(3), 1], [np.arange(3), 2], 0, True),
    ([1], [1, 2], 0, True),
    (True, 1.5, 0, True),
])
def test_differences(got, expected, tolerance, differs):
    assert bool(difference(got, expected, tolerance)) == differs


@pytest.mark.once
def test_exceptions_are_compared_exactly():
    record = Record("area")
    record.raises("right", ValueError, lambda: cp.arange(6).reshape(4))
    record.raises("a base class", Exception, lambda: cp.arange(6).reshape(4))
    record.raises("nothing", ValueError, lambda: cp.arange(6))
    assert record.passed == 1 and len(record.failures) == 2


@pytest.mark.once
def test_no_check_is_there_twice():
    for groups in _numpy._GROUPS.values():
        lines = [line for _, text in groups for line in text.split("\n") if line]
        assert len(lines) == len(set(lines)) >= 20
