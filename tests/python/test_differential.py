"""Some hundred cases of every family of differential cases with fixed numbers; tools/differential runs a million."""
import pytest
from differential import quiet
from differential_families import FAMILIES

NUMBER = 250


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_family(name, seed):
    family = FAMILIES[name]
    with quiet():
        found = [family.verdict(number) for number in range(seed * 10**9, seed * 10**9 + NUMBER)]
    wrong = [w for w in found if w and not isinstance(w, str)]
    assert not wrong, "\n".join(f"{w.number}: {w.text[:800]}\n    {w.what}" for w in wrong[:5])
