"""Every public header, written or generated, compiles alone, as C17 and as C++17, without a warning."""
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "include", pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build")) / "generated/include"]
HEADERS = sorted(str(p.relative_to(folder)) for folder in FOLDERS for p in folder.rglob("*.h"))


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("compiler, language, standard", [("cc", "c", "c17"), ("c++", "c++", "c++17")])
def test_header_compiles_alone(header, compiler, language, standard):
    assert shutil.which(compiler), f"{compiler} is missing"
    run = subprocess.run([compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                          *[f"-I{folder}" for folder in FOLDERS], "-"], input=f'#include "{header}"\n', text=True, capture_output=True)
    assert run.returncode == 0, run.stderr
