"""einsum_path: paths, costs and their printed form are NumPy's."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.once  # shapes alone

WAYS = [True, False, None, "greedy", "optimal", ("greedy", 20), ("optimal", 20), ("greedy", 100.0), ("optimal", 1),
        "best", ["einsum_path", (0, 1), (0, 1)], ["einsum_path", (0, 1, 2)], ["path", (0, 1)], (), ("greedy", "20"), 3]


def random_subscripts(rng):
    labels = "abcdefgh"
    extent = {c: int(rng.choice([0, 1, 2, 3, 5, 7], p=[0.02, 0.18, 0.2, 0.2, 0.2, 0.2])) for c in labels}
    wide = [int(n) for n in rng.integers(1, 4, int(rng.integers(3)))]
    texts, arrays = [], []
    for _ in range(int(rng.integers(1, 6))):
        own = [str(c) for c in rng.choice(list(labels), int(rng.integers(5)))]
        shape = [extent[c] if rng.random() < 0.95 else 1 for c in own]
        if wide and rng.random() < 0.4:
            at = int(rng.integers(len(own) + 1))
            shape[at:at] = wide
            own.insert(at, "...")
        texts.append("".join(own))
        arrays.append(np.zeros(shape))
    text = ",".join(texts)
    if rng.random() < 0.7:
        there = sorted(set(text) - set(",."))
        out = [c for c in there if rng.random() < 0.4]
        rng.shuffle(out)
        text += "->" + ("..." if "..." in text else "") + "".join(out)
    if rng.random() < 0.1:
        wrong = [text + "?", text + "->a", text + "zz", text.replace(",", "", 1), text.replace("...", "..")]
        text = str(rng.choice(wrong))
    return text, arrays


def outcome(m, operands, way):
    try:
        return m.einsum_path(*operands, optimize=way)
    except Exception as e:
        return type(e)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(range(len(WAYS))), st.integers(0, 2**32 - 1))
def test_random_subscripts(way, seed):
    rng = np.random.default_rng(seed)
    text, arrays = random_subscripts(rng)
    want = outcome(np, (text, *arrays), WAYS[way])
    got = outcome(cp, (text, *map(cp.asarray, arrays)), WAYS[way])
    if isinstance(want, type):
        assert got == want
    else:
        assert got[0] == want[0]
        if "..." in text:  # which letters stand for an ellipsis is nobody's choice
            assert got[1].split("\n")[1:10] == want[1].split("\n")[1:10]
        else:
            assert got[1] == want[1]


def test_lists_and_what_is_no_array():
    a, b, c = np.zeros((3, 4)), np.zeros((4, 5)), np.zeros((5, 2))
    ours = [cp.asarray(x) for x in (a, b, c)]
    for operands in ((a, [0, 1], b, [1, 2], c, [2, 3]), (a, [0, 1], b, [1, 2], c, [2, 3], [3, 0]),
                     ([[1, 2]], [0, 1], b[:2], [1, 2]), (a, [0, "x"]), (a, [Ellipsis, 1], b, [1, 2])):
        mine = [ours[0] if x is a else ours[1] if x is b else ours[2] if x is c else x for x in operands]
        want, got = outcome(np, operands, "greedy"), outcome(cp, mine, "greedy")
        assert got == want if isinstance(want, type) else got[0] == want[0]
    assert outcome(cp, (), "greedy") == outcome(np, (), "greedy")


def test_a_path_serves_einsum():
    rng = np.random.default_rng(1)
    arrays = [rng.integers(-3, 4, s).astype("f8") for s in ((3, 4), (4, 5), (5, 3), (3, 2))]
    text = "ij,jk,ki,il->l"
    want = np.einsum(text, *arrays)
    ours = [cp.asarray(x) for x in arrays]
    for way in ("greedy", "optimal", ("greedy", 5), ("optimal", 1), False):
        path = cp.einsum_path(text, *ours, optimize=way)[0]
        np.testing.assert_array_equal(cp.asnumpy(cp.einsum(text, *ours, optimize=path)), want)
        np.testing.assert_array_equal(cp.asnumpy(cp.einsum(text, *ours, optimize=way)), want)
    with pytest.raises(RuntimeError):
        cp.einsum_path(text, *ours, optimize=["einsum_path", (0, 1)])
