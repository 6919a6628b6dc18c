"""docs/environment.md and the sources name the same environment variables."""
import pathlib
import re

import pytest

pytestmark = pytest.mark.once
ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_variables_are_known():
    table = set(re.findall(r"`(CU(?:PRITE|PY)_[A-Z0-9_]+)`", (ROOT / "docs" / "environment.md").read_text()))
    names = set()
    for folder in ("src", "python", "cli"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".c", ".h", ".cu", ".cuh", ".py"):
                names |= set(re.findall(r'"(CU(?:PRITE|PY)_[A-Z0-9_]+)"', path.read_text()))
    names.remove("CUPRITE_INCLUDE")  # a pragma of ours
    assert len(names) > 20
    assert names <= table, names - table
    assert all(name.startswith("CUPY_") or name in names for name in table)
