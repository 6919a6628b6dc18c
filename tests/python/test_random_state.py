"""RandomState's stream: Philox 4x32-10 by the definition in docs/guide/random.md, against that generator in NumPy.

Numbers of any call depend on the position in the stream alone, so the reference has all of them, bit for bit, on every
device.
"""
import pickle

import cuprite as cp
import numpy as np
import pytest
from oracle import raises
from scipy import stats

LEAST = 1e-4
LOW, WIDE = np.uint64(0xffffffff), np.uint64(32)


def outputs(key, first, n):
    """Four outputs of 32 bits of each of n values of the counter from `first` on (Salmon et al. 2011)."""
    low = np.uint64(first % 2**64) + np.arange(n, dtype="u8")
    high = np.uint64((first >> 64) % 2**64) + (low < np.uint64(first % 2**64)).astype("u8")
    a, b, c, d = low & LOW, low >> WIDE, high & LOW, high >> WIDE
    k, m = key & 0xffffffff, key >> 32
    for _ in range(10):
        p, q = np.uint64(0xD2511F53) * a, np.uint64(0xCD9E8D57) * c
        a, b, c, d = q >> WIDE ^ b ^ np.uint64(k), q & LOW, p >> WIDE ^ d ^ np.uint64(m), p & LOW
        k, m = (k + 0x9E3779B9) % 2**32, (m + 0xBB67AE85) % 2**32
    return np.stack([a, b, c, d], 1)


def words(key, start, n, first=0):
    """n words from the start-th on, 0 being the first one of the counter's value `first`."""
    out = outputs(key, first + start // 2, n // 2 + 2)
    return (out[:, ::2] | out[:, 1::2] << WIDE).ravel()[start % 2:][:n]


def doubles(w):
    return (w >> np.uint64(11)) * 2.0**-53


def halves(w):
    return np.stack([w & LOW, w >> WIDE], 1).ravel().astype("u4")


def floats(h):
    return ((h >> 8) * np.float64(2)**-24).astype("f4")


def key_of(seed):
    return int(np.random.SeedSequence(seed).generate_state(1, "u8")[0])


def at(key, counter, used=0):
    """A generator that stands `used` words (0 to 3) behind the first one of the counter's value."""
    g = cp.random.Philox4x3210(0)
    before = (counter - 2) % 2**256
    g.state = {**g.state, "buffer_pos": 4, "state": {
        "counter": np.array([before >> 64 * i & 2**64 - 1 for i in range(4)], "u8"), "key": np.array([key], "u8")}}
    if used:
        g.random_raw(used, output=False)
    return cp.random.Generator(g)


def same(got, want):
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


# Random123's kat_vectors, philox4x32 of 10 rounds: counter, key, outputs
KNOWN = [(0, 0, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
         (2**128 - 1, 2**64 - 1, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
         (0x0370734413198a2e85a308d3243f6a88, 0x299f31d0a4093822, "d16cfe09 94fdcceb 5001e420 24126ea1")]


@pytest.mark.parametrize("counter, key, want", KNOWN)
def test_known_answers(counter, key, want):
    want = [int(v, 16) for v in want.split()]
    assert outputs(key, counter, 1)[0].tolist() == want
    got = at(key, counter).bit_generator.random_raw(2).get().tolist()
    assert [v >> s & 0xffffffff for v in got for s in (0, 32)] == want


@pytest.mark.parametrize("seed", [0, 1, 42, 2**32 + 7, 2**100 + 1, [1, 2, 3]])
def test_seeds(seed):
    same(cp.random.RandomState(seed).random_sample(9), doubles(words(key_of(seed), 0, 9)))


@pytest.mark.parametrize("method", [None, 100, 161])
def test_methods_of_philox(method):
    same(cp.random.RandomState(6, method).rand(5), doubles(words(key_of(6), 0, 5)))


def test_any_size():
    """Odd sizes leave any place of a block, so that large calls begin at each of them."""
    state, key, place = cp.random.RandomState(3), key_of(3), 0
    for n in [1, 0, 2, 3, 4, 5, 31, 32, 33, 2047, 2048, 2049, (3, 0, 2), (5, 7), (), 40001, 1, 40002, 3, 40003, 100003]:
        size = int(np.prod(n))
        same(state.random_sample(n), doubles(words(key, place, size)).reshape(n))
        place += size


def test_floats_are_halves_of_words():
    state, key = cp.random.RandomState(4), key_of(4)
    h, place = halves(words(key, 0, 200_000)), 0
    for n in [1, 2, 3, 4, 7, 2047, 4097, 1, 70001, (3, 5), 30003]:
        size = int(np.prod(n))
        same(state.random_sample(n, "f4"), floats(h[place:place + size]).reshape(n))
        place += size
    whole = (place + 1) // 2  # the half that is left waits for the next float32
    same(state.rand(6), doubles(words(key, whole, 6)))
    assert place % 2
    same(state.rand(1, dtype="f4"), floats(h[place:place + 1]))


def test_calls_in_pieces_are_one_call():
    state, place = cp.random.RandomState(8), 0
    want = doubles(words(key_of(8), 0, 60_000))
    rng = np.random.default_rng(1)
    while place < 40_000:
        n = int(rng.choice([0, 1, 2, 3, 5, 100, 2049, 5000]))
        same(state.random_sample(n), want[place:place + n])
        place += n


def test_the_counter_goes_on_by_what_a_call_takes():
    state = cp.random.RandomState(5)
    for taken in (1, 4, 5, 1000, 40_001):
        state.seed(5)
        state.random_sample(taken)
        place = state._generator.bit_generator.state
        counter = sum(int(v) << 64 * i for i, v in enumerate(place["state"]["counter"]))
        assert (counter, place["buffer_pos"]) == ((taken - 1) // 4 * 2, (taken - 1) % 4 + 1)


@pytest.mark.parametrize("used", range(4))
@pytest.mark.parametrize("counter", [2**32 - 700, 2**32 - 701, 2**64 - 700, 2**96 - 700, 2**128 - 700, 2**32, 2**64 + 5,
                                     2**96 + 2**33, 2**127 + 2**70 + 2**40 + 1])
def test_counter_carries(counter, used):
    """From each word of the counter into the next one, and, in the last of them, full words that do not move."""
    key = 0x0123456789abcdef
    same(at(key, counter, used).random(9001), doubles(words(key, used, 9001, counter)))
    same(at(key, counter, used).random(9001, dtype="f4"), floats(halves(words(key, used, 4501, counter))[:9001]))
    same(at(key, counter, used).bit_generator.random_raw(9001), words(key, used, 9001, counter))


def test_carry_at_every_place():
    """Wherever in a chunk of vectors the lowest word of the counter wraps."""
    for left in range(1, 40):
        same(at(7, 2**32 - left).random(131), doubles(words(7, 0, 131, 2**32 - left)))


@pytest.mark.parametrize("used", range(4))
@pytest.mark.parametrize("first", range(3))
def test_out(used, first):
    """Results that begin at any offset, with their surroundings untouched."""
    want = doubles(words(9, used, 30_001))
    for n in (1, 2, 63, 64, 65, 1024, 30_001):
        whole = cp.full(n + 6, -1.0)
        out = whole[first:first + n]
        assert at(9, 0, used).random(out=out) is out
        same(whole, np.concatenate([np.full(first, -1.0), want[:n], np.full(6 - first, -1.0)]))
    narrow = cp.full(5000, -1.0, "f4")
    at(9, 0, used).random(out=narrow[first:first + 4000], dtype="f4")
    same(narrow[first:first + 4000], floats(halves(words(9, used, 2000))))
    assert (narrow[:first] == -1).all() and (narrow[first + 4000:] == -1).all()
    strided = cp.zeros((40, 6))
    at(9, 0, used).random(out=strided[::-2, ::3])
    same(strided[::-2, ::3], want[:40].reshape(20, 2))
    assert (strided[::2] == 0).all() and (strided[:, 1::3] == 0).all()


def test_uniform():
    """low + (high - low) u, in this order of operations; of float32 the same, rounded."""
    w = doubles(words(key_of(2), 0, 50_003))
    for low, high in ((-1, 3), (2.5, 2.5), (0.1, 0.3), (-1e300, 1e300)):
        want = low + (float(high) - low) * w
        same(cp.random.RandomState(2).uniform(low, high, 50_003), want)
        if high < 1e30:
            same(cp.random.RandomState(2).uniform(low, high, 50_003, "f4"), want.astype("f4"))
    low, high = np.linspace(-5, 5, 7), np.linspace(6, 7, 3)[:, None]
    same(cp.random.RandomState(2).uniform(cp.asarray(low), cp.asarray(high)), low + (high - low) * w[:21].reshape(3, 7))
    same(cp.random.RandomState(2).uniform(), np.asarray(w[0]))
    assert np.random.RandomState(2).uniform(3, -1) <= 3  # only Generator refuses bounds in this order
    for low, high in ((3, -1), (0.3, 0.1), (1e300, -1e300)):
        same(cp.random.RandomState(2).uniform(low, high, 503), low + (float(high) - low) * w[:503])
    for low, high in ((0, np.inf), (-1e308, 1e308), (np.nan, 1)):
        with pytest.raises(OverflowError):
            cp.random.RandomState(2).uniform(low, high)
        with pytest.raises(OverflowError):
            np.random.RandomState(2).uniform(low, high)


def test_functions():
    w, place = doubles(words(key_of(12), 0, 100)), 0
    cp.random.seed(12)
    for name, args in (("rand", (3, 2)), ("random_sample", ((5,),)), ("random", (7,)), ("ranf", (1,)),
                       ("sample", ((2, 2),)), ("uniform", (0, 1, 6))):
        got = getattr(cp.random, name)(*args).get()
        np.testing.assert_array_equal(got.ravel(), w[place:place + got.size])
        place += got.size
    assert place == 29


def test_other_laws_take_the_same_words():
    """Integers and orders, whose words have ways of their own on a GPU."""
    n, w = 50_001, words(key_of(13), 0, 50_001)
    state = cp.random.RandomState(13)
    same(state.randint(0, 2**40, n), (w >> np.uint64(24)).astype("i8"))
    state.seed(13)
    same(state.randint(0, 2**16, n, "u2"), (w.view("u2")[:n]))
    state.seed(13)
    same(state.tomaxint(n), (w >> np.uint64(1)).astype("i8"))
    state.seed(13)
    same(state.permutation(n), np.argsort(w, kind="stable"))
    state.seed(13)
    np.testing.assert_allclose(state.exponential(2, n).get(), 2 * -np.log1p((w >> np.uint64(12)) * -2.0**-52), 1e-13)


def test_states_and_jumps():
    state = cp.random.RandomState(21)
    state.random_sample(7), state.random_sample(3, "f4")
    kept = pickle.dumps(state)
    want = [state.rand(3, dtype="f4").get(), state.rand(9).get()]
    again = pickle.loads(kept)
    same(again.rand(3, dtype="f4"), want[0])
    same(again.rand(9), want[1])
    key, g = key_of(21), cp.random.RandomState(21)._generator.bit_generator
    same(cp.random.Generator(g.jumped(3)).random(5), doubles(words(key, 0, 5, 3 * 2**65)))
    same(cp.random.Generator(g.advance(10**12)).random(5), doubles(words(key, 0, 5, 2 * 10**12)))


def test_distribution():
    state = cp.random.RandomState(20261123)
    for dtype in ("f8", "f4"):
        x = state.random_sample(200_000, dtype).get()
        assert 0 <= x.min() and x.max() < 1
        assert stats.kstest(x, "uniform").pvalue > LEAST
        pairs = np.histogram2d(x[::2], x[1::2], 20, [[0, 1], [0, 1]])[0].ravel()
        assert stats.chisquare(pairs).pvalue > LEAST
        low = np.bincount((x * 2.0**24).astype("i8") & 255, minlength=256)  # the lowest bits that both types have
        assert stats.chisquare(low).pvalue > LEAST
    y = state.uniform(-3, 5, 200_000).get()
    assert stats.kstest(y, stats.uniform(-3, 8).cdf).pvalue > LEAST
    last = np.bincount((state.random_sample(100_000).get() * 2.0**53).astype("i8") & 255, minlength=256)
    assert stats.chisquare(last).pvalue > LEAST


def test_calls_and_seeds_do_not_meet():
    a, b = cp.random.RandomState(1), cp.random.RandomState(2)
    x = np.concatenate([a.rand(1000).get(), b.rand(1000).get(), a.rand(1000).get()])
    assert len(set(x.tolist())) == 3000


def test_seeds_are_numpys():
    """SeedSequence is NumPy's own class, and what a generator of one begins with."""
    assert cp.random.SeedSequence is np.random.SeedSequence
    seed = np.random.SeedSequence(5, spawn_key=(3,))
    assert cp.random.default_rng(seed).bit_generator.seed_seq is seed
    theirs = np.random.Generator(np.random.Philox(seed)).random(5)
    np.testing.assert_array_equal(cp.random.default_rng(seed).random(5).get(), theirs)
    for kind in (cp.random.XORWOW, cp.random.MRG32k3a, cp.random.Philox4x3210):
        assert cp.random.Generator(kind(cp.arange(3))).random(4).get().tolist() == \
            cp.random.Generator(kind([0, 1, 2])).random(4).get().tolist()


def test_no_sample():
    with raises(ValueError):
        cp.random.hypergeometric(3, 4, 0)
    assert cp.random.default_rng(1).hypergeometric(3, 4, 0) == 0
