"""Some hundred cases of every family of differential cases with fixed numbers; tools/differential runs a million. And
no public function that NumPy has too is without cases."""
import inspect

import differential_companions
import differential_matrices
import differential_points
import numpy as np
import pytest
from differential import quiet
from differential_families import FAMILIES

import cuprite as cp

NUMBER = 250
FEWER = 60  # of SciPy's companions, which take longer
COMPANIONS = {*differential_companions.FAMILIES, *differential_matrices.FAMILIES, *differential_points.FAMILIES}
MODULES = ["", "lib.array_utils", "lib.stride_tricks", "linalg", "fft", "polynomial.polynomial", "polynomial.polyutils"]
#: what no case can draw, and who looks at it
ELSEWHERE = {
    "errstate": "test_more_names", "geterr": "test_runtime", "seterr": "test_runtime",   # nothing can be raised
    "set_printoptions": "test_interop", "get_printoptions": "test_interop", "show_config": "test_more_names",
    "from_dlpack": "test_dlpack", "einsum_path": "test_einsum_path",
    "row_stack": "test_manipulation",                        # NumPy has it no longer from 2.5 on
    "lib.array_utils.byte_bounds": "test_manipulation", "lib.array_utils.normalize_axis_index": "test_manipulation",
    "lib.array_utils.normalize_axis_tuple": "test_manipulation",
    **{f"polynomial.polynomial.poly{name}": "test_series" for name in
       ("fit", "grid2d", "grid3d", "vander2d", "vander3d")},
    **{f"polynomial.polyutils.{name}": "test_series" for name in ("getdomain", "mapdomain", "mapparms")},
}
MEMBERS_ELSEWHERE = {"data", "device", "to_device", "dump", "strides"}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_family(name, seed):
    family = FAMILIES[name]
    with quiet():
        count = FEWER if name in COMPANIONS else NUMBER
        found = [family.verdict(number) for number in range(seed * 10**9, seed * 10**9 + count)]
    wrong = [w for w in found if w and not isinstance(w, str)]
    assert not wrong, "\n".join(f"{w.number}: {w.text[:800]}\n    {w.what}" for w in wrong[:5])


@pytest.fixture(scope="module")
def drawn():
    """The names that cases call."""
    return {n for key, family in FAMILIES.items() if key not in COMPANIONS
            for number in range(2500) for n in family.names(number)}


def public(module):
    """Functions of ours that NumPy's module of the name has too."""
    ours, theirs = cp, np
    for part in filter(None, module.split(".")):
        ours, theirs = getattr(ours, part), getattr(theirs, part)
    return [n for n in dir(ours) if not n.startswith("_") and callable(getattr(ours, n)) and callable(
        getattr(theirs, n, None)) and not inspect.isclass(getattr(ours, n))]


@pytest.mark.once
@pytest.mark.parametrize("module", MODULES)
def test_every_function_is_drawn(module, drawn):
    names = [f"{module}.{n}".strip(".") for n in public(module)]
    assert [n for n in names if n not in drawn and n not in ELSEWHERE] == []


@pytest.mark.once
def test_every_member_is_drawn(drawn):
    names = [n for n in dir(cp.ndarray) if not n.startswith("_") and hasattr(np.ndarray, n)]
    assert [n for n in names if "." + n not in drawn and n not in MEMBERS_ELSEWHERE] == []
