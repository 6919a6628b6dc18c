"""Operations with several results, or inputs of other types than the computing one, where operands are contiguous."""
import numpy as np
import pytest

import cuprite as cp

SEVERAL = {"modf": ("efd", ""), "frexp": ("efd", ""), "ldexp": ("efd", "bhil"), "divmod": ("bBilefd", "bBilefd")}


@pytest.mark.parametrize("name, left", [(n, c) for n, (left, _) in SEVERAL.items() for c in left])
def test_several_of_neighbours(name, left, device):
    """Operations with several results, or inputs of other types: every length of the last run, whatever address
    an operand begins at, in one dimension and two, beside a scalar, into operands."""
    rng = np.random.default_rng(12)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 6e-8, 1.5, -1.5, 2.0**60, -1e300]
    x = rng.normal(0, 40, 3000)
    if left in "efd":
        x[::17] = rng.choice(special, x[::17].size)
    with np.errstate(all="ignore"):
        x = x.astype(left)
    for right in SEVERAL[name][1] or " ":
        others = [rng.integers(-9, 9, 3000).astype(right)] if right != " " else []
        for shape in [(n,) for n in range(1, 10)] + [(1023,), (1029,), (7, 3), (31, 33)]:
            size = np.prod(shape)
            for begins in ([0, 0], [1, 0], [0, 3], [5, 5]):
                ours = [cp.asarray(v)[b:b + size].reshape(shape) for v, b in zip([x, *others], begins)]
                theirs = [v[b:b + size].reshape(shape) for v, b in zip([x, *others], begins)]
                compare_several(name, ours, theirs)
                if len(theirs) > 1:
                    compare_several(name, [ours[0], 3], [theirs[0], 3])
                    compare_several(name, [theirs[0].flat[0].item(), ours[1]], [theirs[0].flat[0].item(), theirs[1]])
        into = cp.asarray(x)[1:1030]
        with np.errstate(all="ignore"):
            want = getattr(np, name)(x[1:1030], *[v[:1029] for v in others])
        want = want if isinstance(want, tuple) else (want,)
        if want[-1].dtype == x.dtype:
            getattr(cp, name)(into, *[cp.asarray(v)[:1029] for v in others], out=(None,) * (len(want) - 1) + (into,))
            np.testing.assert_array_equal(into.get(), want[-1])


def compare_several(name, ours, theirs):
    with np.errstate(all="ignore"):
        try:
            want = getattr(np, name)(*theirs)
        except (TypeError, OverflowError) as e:
            with pytest.raises(type(e)):
                getattr(cp, name)(*ours)
            return
    got = getattr(cp, name)(*ours)
    if not isinstance(want, tuple):
        got, want = (got,), (want,)
    for g, w in zip(got, want, strict=True):
        g, w = g.get(), np.asarray(w)
        assert g.dtype == w.dtype and g.shape == w.shape
        np.testing.assert_array_equal(g, w)
        np.testing.assert_array_equal(np.signbit(g) & (g == g), np.signbit(w) & (w == w))
