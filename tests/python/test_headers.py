"""Every public header compiles alone, as C17 and as C++17, without a warning."""
import pathlib
import shutil
import subprocess

import pytest

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"
HEADERS = sorted(str(p.relative_to(INCLUDE)) for p in INCLUDE.rglob("*.h"))


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("compiler, language, standard", [("cc", "c", "c17"), ("c++", "c++", "c++17")])
def test_header_compiles_alone(header, compiler, language, standard):
    assert shutil.which(compiler), f"{compiler} is missing"
    run = subprocess.run([compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                          f"-I{INCLUDE}", "-"], input=f'#include "{header}"\n', text=True, capture_output=True)
    assert run.returncode == 0, run.stderr
