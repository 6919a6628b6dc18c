"""cuprite.random's streams: NumPy's bits, seeds, states, jumps, order, arguments and errors; a battery on raw words.

NumPy's Generator(Philox(seed)) is the oracle of random() and integers(), bit for bit and in any sequence of calls.
"""
import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import cuprite as cp
import numpy as np
import pytest
from scipy import stats

from oracle import instruction_sets

KINDS = ["Philox", "Philox4x3210", "XORWOW", "MRG32k3a"]
INTEGERS = ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
LEAST = 1e-4


def pair(seed=0):
    return cp.random.Generator(cp.random.Philox(seed)), np.random.Generator(np.random.Philox(seed))


def same(got, want):
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_array_equal(got, want)


def same_position(ours, theirs):
    """The whole state, what NumPy has buffered too."""
    a, b = ours.bit_generator.state, theirs.bit_generator.state
    assert a["bit_generator"] == b["bit_generator"]
    for k in ("counter", "key"):
        np.testing.assert_array_equal(a["state"][k], b["state"][k])
    np.testing.assert_array_equal(a["buffer"], b["buffer"])
    assert [a[k] for k in ("buffer_pos", "has_uint32")] == [b[k] for k in ("buffer_pos", "has_uint32")]
    if a["has_uint32"]:
        assert a["uinteger"] == b["uinteger"]


# --- NumPy's bits ---
def test_known_words():
    """Key 0, counter 1: what NumPy's own Philox gives, written down."""
    words = cp.random.Philox(key=0, counter=0).random_raw(4).get()
    want = np.random.Philox(key=0, counter=0).random_raw(4)
    np.testing.assert_array_equal(words, want)
    assert int(words[0]) == 0x02f4ba6408e4d89b


@pytest.mark.parametrize("seed", [0, 1, 42, 2**31, 2**32, 2**64 + 5, 2**200 + 1, [1, 2, 3], [2**40, 0], [],
                                  ["0x1f", "17"]])
def test_seeds(seed):
    ours, theirs = pair(seed)
    same(ours.bit_generator.random_raw(9), theirs.bit_generator.random_raw(9))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_random_of_any_size(dtype):
    ours, theirs = pair(3)
    for n in [0, 1, 2, 3, 4, 5, 31, 2047, 2048, 2049, 6000, 40001, (3, 0, 2), (5, 7), (), 100003]:
        same(ours.random(n, dtype=dtype), np.asarray(theirs.random(n, dtype=dtype)))
        same_position(ours, theirs)


def any_range(rng, dtype):
    if dtype == "bool":
        low = int(rng.integers(0, 2))
        return low, int(rng.integers(low, 2))
    info = np.iinfo(dtype)
    width = int(rng.integers(0, info.bits + 1))
    span = int(rng.integers(0, 2**width - 1, dtype="u8", endpoint=True))
    low = int(info.min) + int(rng.integers(0, 2**info.bits - 1 - span, dtype="u8", endpoint=True))
    return low, low + span


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("endpoint", [False, True])
def test_integers(dtype, endpoint):
    rng, (ours, theirs) = np.random.default_rng(len(dtype) + ord(dtype[-1])), pair(11)
    for i in range(120):
        low, high = any_range(rng, dtype)
        n = int(rng.choice([0, 1, 2, 3, 5, 33, 100, 2047, 2049, 4097, 30000]))
        more = 0 if endpoint else 1
        same(ours.integers(low, high + more, n, dtype, endpoint), theirs.integers(low, high + more, n, dtype, endpoint))
        if i % 5 == 0:
            same(ours.random(i % 3, "f4"), theirs.random(i % 3, "f4"))
        same_position(ours, theirs)


@pytest.mark.parametrize("dtype, low, high", [
    ("u4", 0, 2**31 + 1), ("i8", 0, 2**31 + 1), ("i8", 0, 2**62 + 2**61), ("u8", 1, 2**63 + 2), ("u1", 0, 129),
    ("i2", -5, 2**14 + 3), ("i8", -2**63, 2**63), ("u8", 0, 2**64), ("i8", 0, 2**32), ("i8", 0, 2**32 + 1),
    ("i8", 0, 700_001), ("i4", -7, 500_002)])  # the last two: one in ten thousand
def test_ranges_that_pass_much_over(dtype, low, high):
    ours, theirs = pair(5)
    for n in (1, 1000, 200001):
        same(ours.integers(low, high, n, dtype), theirs.integers(low, high, n, dtype))
        same_position(ours, theirs)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_arrays(dtype):
    rng, (ours, theirs) = np.random.default_rng(5), pair(12)
    for _ in range(20):
        ranges = np.array([any_range(rng, dtype) for _ in range(12)], dtype)
        low, high = ranges[:, 0], ranges[:, 1]
        same(ours.integers(cp.asarray(low), cp.asarray(high), dtype=dtype, endpoint=True),
             theirs.integers(low, high, dtype=dtype, endpoint=True))
        same(ours.integers(cp.asarray(low[:1]), cp.asarray(low[:1]), (2, 3), dtype, True),
             theirs.integers(low[:1], low[:1], (2, 3), dtype, True))
        same_position(ours, theirs)
    a, b = np.array([[0], [1]]), np.array([2, 5, 1000])
    same(ours.integers(cp.asarray(a), cp.asarray(b)), theirs.integers(a, b))
    same(ours.integers([1, 2, 3], [5, 6, 2**40]), theirs.integers([1, 2, 3], [5, 6, 2**40]))


def test_a_sequence_of_calls():
    """Halves of words left by one call are the next one's, also across calls that take whole words."""
    rng, (ours, theirs) = np.random.default_rng(9), pair(77)
    calls = [lambda g, n: g.random(n), lambda g, n: g.random(n, dtype="f4"), lambda g, n: g.integers(0, 10, n),
             lambda g, n: g.integers(0, 200, n, dtype="u1"), lambda g, n: g.integers(0, 2**40, n),
             lambda g, n: g.integers(0, 2, n, dtype="bool"), lambda g, n: g.bit_generator.random_raw(n),
             lambda g, n: g.integers(0, 9, n, dtype="i2"), lambda g, n: g.uniform(-3, 4.5, n)]
    for _ in range(300):
        f, n = calls[rng.integers(len(calls))], int(rng.integers(0, 12))
        same(f(ours, n), f(theirs, n))
        same_position(ours, theirs)


def test_uniform_is_numpys():
    ours, theirs = pair(8)
    same(ours.uniform(-1, 7, 1000), theirs.uniform(-1, 7, 1000))
    low = np.linspace(-5, 5, 7)
    same(ours.uniform(cp.asarray(low), 9), theirs.uniform(low, 9))


def test_counter_carries():
    """Where the lower words of the counter are full."""
    for counter in (2**64 - 3, 2**128 - 2, 2**192 - 5, 2**256 - 9):
        ours, theirs = cp.random.Philox(key=5, counter=counter), np.random.Philox(key=5, counter=counter)
        same(ours.random_raw(9000), theirs.random_raw(9000))


@pytest.mark.parametrize("counter", [0, 3 << 200 | 7 << 130 | 5 << 64 | 11, 2**64 - 13, 2**64 - 40, 2**128 - 100,
                                     2**256 - 270])
def test_any_number_of_blocks(counter):
    """Blocks are made in batches of several sizes, and what is left of them one by one; a carry ends a batch."""
    key = 0x9d3f_0c55_1b2e_77aa_5566_1020_304f_ab91
    for blocks in (*range(1, 20), 23, 31, 32, 35, 36, 37, 43, 44, 51, 52, 53, 71, 72, 79, 80, 107, 108, 255, 500, 513):
        ours, theirs = cp.random.Philox(key=key, counter=counter), np.random.Philox(key=key, counter=counter)
        for words in (blocks % 3, 4 * blocks, 1 + blocks % 4):
            same(ours.random_raw(words), theirs.random_raw(words))
        a, b = cp.random.Generator(ours), np.random.Generator(theirs)
        same(a.random(4 * blocks + 1), b.random(4 * blocks + 1))


# --- seeds ---
@pytest.mark.once
@pytest.mark.parametrize("entropy", [0, 5, 2**32, 2**130 + 7, [1, 2], [1, 2, 3, 4, 5, 6, 2**70],
                                     np.arange(6, dtype="u4")])
@pytest.mark.parametrize("key, pool", [((), 4), ((3,), 4), ((1, 2**40, 0), 4), ((), 8), ((5,), 6)])
def test_seed_sequence(entropy, key, pool):
    ours = cp.random.SeedSequence(entropy, spawn_key=key, pool_size=pool)
    theirs = np.random.SeedSequence(entropy, spawn_key=key, pool_size=pool)
    for n, dtype in ((1, "u4"), (11, "u4"), (9, "u8")):
        same(ours.generate_state(n, dtype), theirs.generate_state(n, dtype))
    for a, b in zip(ours.spawn(2) + ours.spawn(1), theirs.spawn(2) + theirs.spawn(1)):
        assert a.spawn_key == b.spawn_key and repr(a) == repr(b)
        same(a.generate_state(4), b.generate_state(4))
    assert ours.n_children_spawned == theirs.n_children_spawned == 3
    assert {k: v for k, v in ours.state.items() if k != "entropy"} == \
        {k: v for k, v in theirs.state.items() if k != "entropy"}


@pytest.mark.once
def test_bad_seeds():
    for seed, error, text in [
            (-1, ValueError, "expected non-negative integer"), (1.5, TypeError, "expects int or sequence of ints"),
            ("5", TypeError, "expects int or sequence of ints"), (["x"], ValueError, "unrecognized seed string"),
            ([1.5], TypeError, "seed must be integer")]:
        with pytest.raises(error, match=text):
            cp.random.SeedSequence(seed)
    with pytest.raises(ValueError, match="at least 4"):
        cp.random.SeedSequence(1, pool_size=3)
    with pytest.raises(ValueError, match="uint32 or uint64"):
        cp.random.SeedSequence(1).generate_state(3, "i8")
    assert cp.random.SeedSequence().entropy != cp.random.SeedSequence().entropy


def test_default_rng():
    g = cp.random.default_rng(5)
    assert cp.random.default_rng(g) is g and isinstance(g.bit_generator, cp.random.Philox)
    b = cp.random.XORWOW(5)
    assert cp.random.default_rng(b).bit_generator is b
    same(cp.random.default_rng(cp.random.SeedSequence(5)).random(3), g.random(3).get())
    assert not (cp.random.default_rng().random(4) == cp.random.default_rng().random(4)).any()
    with pytest.raises(TypeError):
        cp.random.Generator(5)
    with pytest.raises(NotImplementedError, match="base class"):
        cp.random.BitGenerator()


# --- states, copies, jumps ---
@pytest.mark.parametrize("kind", KINDS)
def test_states(kind):
    make = getattr(cp.random, kind)
    g = cp.random.Generator(make(3))
    g.random(5), g.random(3, dtype="f4")
    state, kept = g.bit_generator.state, pickle.dumps(g)
    want = [g.random(7).get(), g.normal(size=5).get(), g.random(3, dtype="f4").get(), g.integers(0, 9, 4).get()]

    def check(h):
        for x, y in zip([h.random(7), h.normal(size=5), h.random(3, dtype="f4"), h.integers(0, 9, 4)], want):
            same(x, y)
    h = cp.random.Generator(make(99))
    h.bit_generator.state = state
    check(h)
    check(pickle.loads(kept))
    g.bit_generator.state = state
    twin = copy.copy(g.bit_generator)
    check(g)
    check(cp.random.Generator(twin))
    for wrong, error in [({}, ValueError), (5, TypeError), ({**state, "bit_generator": "PCG64"}, ValueError)]:
        with pytest.raises(error):
            g.bit_generator.state = wrong


def test_numpys_state_is_taken():
    theirs = np.random.Generator(np.random.Philox(4))
    theirs.random(6), theirs.random(3, dtype="f4")
    ours = cp.random.Generator(cp.random.Philox(1))
    ours.bit_generator.state = theirs.bit_generator.state
    same(ours.random(5, dtype="f4"), theirs.random(5, dtype="f4"))
    same(ours.random(50), theirs.random(50))
    back = np.random.Philox(0)
    back.state = ours.bit_generator.state
    same(ours.random(50), np.random.Generator(back).random(50))


@pytest.mark.parametrize("n", [0, 1, 7, 2**64 + 3, 2**255])
def test_advance_and_jumps_are_numpys(n):
    ours, theirs = cp.random.Philox(6), np.random.Philox(6)
    ours.random_raw(3), theirs.random_raw(3)
    ours.advance(n), theirs.advance(n)
    same(ours.random_raw(5), theirs.random_raw(5))
    same(ours.jumped(3).random_raw(5), theirs.jumped(3).random_raw(5))


@pytest.mark.parametrize("kind", KINDS)
def test_advance_is_words(kind):
    make = getattr(cp.random, kind)
    a, b = make(9), make(9)
    each = 4 if "Philox" in kind else 1
    for n in (1, 5, 1000, 70001):
        a.random_raw(n * each)
        b.advance(n)
        same(a.random_raw(each), b.random_raw(each).get())
    ahead = a.jumped()
    assert type(ahead) is make and not (ahead.random_raw(8) == a.jumped(2).random_raw(8)).any()
    half = {"Philox": 127, "Philox4x3210": 63, "XORWOW": 65, "MRG32k3a": 125}[kind]
    b.state = a.state
    same(b.advance(2**half).advance(2**half).random_raw(5), a.jumped().random_raw(5).get())


def test_spawn():
    ours, theirs = pair(15)
    for a, b in zip(ours.spawn(3), theirs.spawn(3)):
        same(a.random(4), b.random(4))
    same(ours.bit_generator.spawn(1)[0].random_raw(3), theirs.bit_generator.spawn(1)[0].random_raw(3))


def reference_words(kind, state, n):
    """XORWOW and MRG32k3a in Python, from their papers."""
    s, out = [int(v) for v in state], []
    for _ in range(2 * n):
        if kind == "XORWOW":
            t = s[0] ^ s[0] >> 2
            v = s[4]
            s[:5] = s[1:5] + [(v ^ v << 4 ^ t ^ t << 1) & 0xffffffff]
            s[5] = s[5] + 362437 & 0xffffffff
            out.append(s[4] + s[5] & 0xffffffff)
        else:
            p = (1403580 * s[1] - 810728 * s[0]) % 4294967087
            q = (527612 * s[5] - 1370589 * s[3]) % 4294944443
            s = [s[1], s[2], p, s[4], s[5], q]
            out.append(((p - q) % 4294967087 << 32) // 4294967087)
    return np.array([a | b << 32 for a, b in zip(out[::2], out[1::2])], "u8")


@pytest.mark.parametrize("kind", ["XORWOW", "MRG32k3a"])
def test_generators_are_their_papers(kind):
    g = getattr(cp.random, kind)(21)
    state = g.state["state"]
    same(g.random_raw(9001), reference_words(kind, state, 9001))


def test_philox_of_32_bits():
    """Salmon's known answer: counter and key 0."""
    g = cp.random.Philox4x3210(0)
    state = g.state
    state["state"] = {"counter": np.array([2**64 - 2, 2**64 - 1, 0, 0], "u8"), "key": np.array([0], "u8")}
    g.state = state
    assert [hex(v) for v in g.random_raw(2).get().tolist()] == ["0xe169c58d6627e8d5", "0x9b00dbd8bc57ac4c"]


@pytest.mark.parametrize("low", [2**32 - 100, 2**64 - 100, 0])
def test_philox_of_32_bits_carries(low):
    """Many words at once are those taken three at a time, also where the counter's lowest word overflows."""
    a, b = cp.random.Philox4x3210(1), cp.random.Philox4x3210(1)
    state = {**a.state, "buffer_pos": 4}
    state["state"] = {**state["state"], "counter": np.array([low, 7, 0, 0], "u8")}
    a.state = b.state = state
    same(a.random_raw(900), np.concatenate([b.random_raw(3).get() for _ in range(300)]))


# --- the same numbers, however they are computed ---
PROGRAM = """
import hashlib, sys
import cuprite as cp
h = hashlib.sha256()
for kind in ("Philox", "Philox4x3210", "XORWOW", "MRG32k3a"):
    g = cp.random.Generator(getattr(cp.random, kind)(5))
    n = 70001
    for x in (g.random(n), g.random(n, "f4"), g.normal(1, 2, n), g.standard_normal(n, "f4"), g.exponential(2, n),
              g.integers(0, 10**9, n), g.integers(0, 100, n, "u1"), g.integers(0, 3 * 2**30, n), g.gamma(0.4, 2, n),
              g.poisson(77, n), g.binomial(1000, 0.3, n), g.vonmises(1, 2, n), g.beta(0.5, 0.4, n), g.zipf(1.4, n),
              g.hypergeometric(500, 700, 300, n), g.wald(2, 3, n), g.lognormal(0, 1, n), g.gumbel(0, 1, n),
              g.standard_t(3, n), g.laplace(0, 1, n), g.logistic(0, 1, n), g.pareto(2, n), g.weibull(1.5, n),
              g.geometric(0.01, n), g.logseries(0.7, n), g.standard_cauchy(n), g.triangular(0, 1, 3, n),
              g.permutation(n), g.choice(n, 50, replace=False), g.multinomial(20, [0.3, 0.3, 0.4], 2000),
              g.dirichlet([0.3, 2, 0.1], 3000), g.normal(1, 2, n, "f4"), g.beta(2, 3, n), g.beta(0.5, 3, n),
              g.f(3, 7, n), g.chisquare(1, n), g.standard_t(0.5, n), g.gamma(cp.linspace(0.1, 5, n)),
              g.negative_binomial(20, 0.4, n),
              g.poisson(1e6, n), g.poisson(cp.linspace(0, 50, n)), g.binomial(10**7, 0.3, n), g.integers(0, 9, n, "i2"),
              g.integers(0, 2, n, "bool"), g.integers(0, 2**62 + 2**61, n), g.permutation(300_001), g.random(3),
              g.choice(4, n, p=[0.1, 0.2, 0.3, 0.4]), g.permuted(cp.arange(600).reshape(20, 30), axis=1)):
        h.update(x.get().tobytes())
print(h.hexdigest())
"""


def test_threads_and_instructions_change_nothing(device):
    def run(**more):
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300,
                              env={**os.environ, "CUPRITE_DEVICE": device, **more})
        assert done.returncode == 0, done.stderr
        return done.stdout
    want = run(CUPRITE_NUM_THREADS="1", CUPRITE_DEVICE="cpu")
    for more in [{"CUPRITE_NUM_THREADS": "2"}, {"CUPRITE_NUM_THREADS": "3"}, {"CUPRITE_NUM_THREADS": "4"},
                 *({"CUPRITE_CPU": isa} for isa in instruction_sets())]:
        assert run(**more) == want, more


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_are_the_whole(kind):
    """random and exponential of n numbers are those of k and then n - k."""
    make = getattr(cp.random, kind)
    a, b = cp.random.Generator(make(1)), cp.random.Generator(make(1))
    whole = a.random(9000).get()
    same(cp.concatenate([b.random(n) for n in (1, 2, 3, 4093, 4901)]), whole)
    whole = a.exponential(2, 5000).get()
    same(cp.concatenate([b.exponential(2, n) for n in (7, 4993)]), whole)


def test_threads_share_a_generator():
    """Every word comes once, and the numbers of a call are neighbours."""
    g = cp.random.Philox(31)
    want = cp.random.Philox(31).random_raw(8 * 40 * 100).get().reshape(-1, 100)
    found, errors = [], []

    def work():
        try:
            found.extend(g.random_raw(100).get() for _ in range(40))
        except Exception as e:
            errors.append(e)
    threads = [threading.Thread(target=work) for _ in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not errors
    assert sorted(map(tuple, found)) == sorted(map(tuple, want))


def child(g, queue):
    queue.put(g.random(2000).get())


@pytest.mark.once
def test_forked_children():
    g = cp.random.default_rng(17)
    g.random(5000)
    stop = threading.Event()

    def busy():
        while not stop.is_set():
            g2.integers(0, 3, 1000)
    g2 = cp.random.default_rng(1)
    t = threading.Thread(target=busy)
    t.start()
    try:
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        process = context.Process(target=child, args=(g, queue))
        process.start()
        got = queue.get(timeout=60)
        process.join(60)
    finally:
        stop.set()
        t.join()
    same(got, g.random(2000).get())


def test_captured_calls_repeat(device):
    if device == "cpu":
        pytest.skip("the CPU captures nothing")
    g, fresh = cp.random.default_rng(3), cp.random.default_rng(3)
    x, y = cp.zeros(1000), cp.zeros(1000)
    want = [fresh.standard_normal(1000).get(), fresh.random(1000).get(), fresh.random(5).get()]
    stream = cp.cuda.Stream(non_blocking=True)
    cp.cuda.Device().synchronize()
    with stream:
        stream.begin_capture()
        g.standard_normal(out=x)
        y[...] = g.random(1000)
        graph = stream.end_capture()
        assert not x.get().any()
        for _ in range(2):
            x[...] = 0
            graph.launch()
            same(x, want[0])
            same(y, want[1])
        same(g.random(5), want[2])


# --- order and choice ---
@pytest.mark.parametrize("n", [0, 1, 2, 100, 16383, 16384, 16385, 70_000, 2**18 + 1, 3_000_000])
def test_permutation_is_the_order_of_words(n):
    g, words = cp.random.default_rng(n), np.random.Generator(np.random.Philox(n))
    g.random(3), words.random(3)
    order = g.permutation(n).get()
    assert order.dtype == np.int64
    np.testing.assert_array_equal(order, np.argsort(words.bit_generator.random_raw(n), kind="stable"))
    same(g.random(5), words.random(5))


def test_permutation():
    g = cp.random.default_rng(2)
    for n in (0, 1, 2, 100, 70001):
        p = g.permutation(n).get()
        assert p.dtype == np.int64 and (np.sort(p) == np.arange(n)).all()
    orders = np.bincount([int("".join(map(str, p)), 3) for p in (g.permutation(3).get() for _ in range(3000))])
    assert stats.chisquare(orders[orders > 0]).pvalue > LEAST and (orders > 0).sum() == 6
    firsts = np.array([g.permutation(50).get()[[0, 49]] for _ in range(2000)])
    assert stats.chisquare(np.bincount(firsts[:, 0] // 10)).pvalue > LEAST
    assert stats.chisquare(np.bincount(firsts[:, 1] // 10)).pvalue > LEAST
    x = cp.arange(24).reshape(4, 6)
    for axis in (0, 1, -1):
        y = g.permutation(x, axis).get()
        assert (np.sort(y, axis) == x.get()).all() and y.shape == (4, 6)
        moved = np.moveaxis(y, axis, 0)
        assert all((m - m.flat[0] == np.moveaxis(x.get(), axis, 0)[0] - np.moveaxis(x.get(), axis, 0)[0].flat[0]).all()
                   for m in moved)
    assert sorted(g.permutation([3, 1, 2]).get().tolist()) == [1, 2, 3]
    with pytest.raises(np.exceptions.AxisError):
        g.permutation(x, 2)
    with pytest.raises(np.exceptions.AxisError):
        g.permutation(1.5)


@pytest.mark.parametrize("dtype", ["bool", "u1", "i2", "f2", "f4", "i8", "c16"])
def test_shuffle(dtype):
    g = cp.random.default_rng(3)
    base = np.arange(60).reshape(12, 5).astype(dtype)
    for view in (lambda a: a, lambda a: a[::-2], lambda a: a.T, lambda a: a[:, 1]):
        for axis in range(view(base).ndim):
            x = cp.asarray(base)
            v = view(x)
            assert g.shuffle(v, axis) is None
            rows = [r.tobytes() for r in np.moveaxis(v.get(), axis, 0)]
            assert sorted(rows) == sorted(r.tobytes() for r in np.moveaxis(view(base), axis, 0))
    with pytest.raises(TypeError):
        g.shuffle((1, 2))
    with pytest.raises(TypeError):
        g.shuffle(cp.array(5))
    fixed = cp.arange(5)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        g.shuffle(fixed)


def test_permuted():
    g = cp.random.default_rng(4)
    x = np.arange(2000).reshape(20, 5, 20)
    for axis in (0, 1, 2, -1, None):
        y = g.permuted(cp.asarray(x), axis=axis).get()
        assert y.shape == x.shape and not (y == x).all()
        assert (np.sort(y, axis).ravel() == x.ravel()).all()
    y = g.permuted(cp.asarray(x), axis=2).get() % 20
    assert len({tuple(r) for r in y.reshape(-1, 20)}) == 100   # lanes have orders of their own
    out = cp.zeros(x.shape, int)
    assert g.permuted(cp.asarray(x), axis=0, out=out) is out and out.sum() == x.sum()
    in_place = cp.asarray(x)
    assert (np.sort(g.permuted(in_place, axis=1, out=in_place).get(), 1) == x).all()
    with pytest.raises(ValueError, match="same shape"):
        g.permuted(cp.asarray(x), out=cp.zeros(3))
    assert g.permuted(cp.zeros((0, 3)), axis=1).shape == (0, 3)


def test_choice():
    g = cp.random.default_rng(5)
    assert stats.chisquare(np.bincount(g.choice(7, 20000).get(), minlength=7)).pvalue > LEAST
    p = np.array([0.1, 0, 0.4, 0.3, 0.2])
    k = np.bincount(g.choice(5, 20000, p=p).get(), minlength=5)
    assert k[1] == 0 and stats.chisquare(k[p > 0], 20000 * p[p > 0]).pvalue > LEAST
    for n, size in ((10, 10), (10, 3), (100000, 20), (5000, 99), (3, 0)):
        c = g.choice(n, size, replace=False).get()
        assert len(set(c.tolist())) == size and (size == 0 or (c.min() >= 0 and c.max() < n))
    pairs = np.array([g.choice(60, 1, replace=False).get()[0] for _ in range(3000)])
    assert stats.chisquare(np.bincount(pairs // 10, minlength=6)).pvalue > LEAST
    seconds = np.array([g.choice(200, 2, replace=False).get()[1] for _ in range(3000)])   # Floyd's way, in random order
    assert stats.chisquare(np.bincount(seconds // 25, minlength=8)).pvalue > LEAST
    w = np.array([g.choice(3, 2, replace=False, p=[0.5, 0.3, 0.2]).get() for _ in range(4000)])
    want = {(0, 1): .5 * .3 / .5, (0, 2): .5 * .2 / .5, (1, 0): .3 * .5 / .7, (1, 2): .3 * .2 / .7,
            (2, 0): .2 * .5 / .8, (2, 1): .2 * .3 / .8}
    found = [(w == k).all(1).sum() for k in want]
    assert stats.chisquare(found, 4000 * np.array(list(want.values()))).pvalue > LEAST
    x = np.arange(30).reshape(5, 6)
    for axis in (0, 1, -1):
        c = g.choice(cp.asarray(x), (2, 3), axis=axis).get()
        assert c.shape == ((2, 3, 6) if axis == 0 else (5, 2, 3))
        columns = {r.tobytes() for r in np.moveaxis(x, axis, 0)}
        rest = c.reshape(-1, 6) if axis == 0 else c.reshape(5, -1).T
        assert all(np.ascontiguousarray(r).tobytes() in columns for r in rest)
    assert g.choice([5, 7]).get() in (5, 7) and g.choice(4).shape == ()


# --- arguments ---
def test_shapes_types_and_out():
    g = cp.random.default_rng(6)
    assert g.normal().shape == () and g.normal(size=()).shape == () and g.random(3).dtype == np.float64
    assert g.normal(size=(2, 0, 3)).shape == (2, 0, 3) and g.normal([1, 2], [[1], [2], [3]]).shape == (3, 2)
    assert g.normal(cp.ones((2, 1)), size=(4, 2, 5)).shape == (4, 2, 5)
    out = cp.zeros((3, 4), "f4")
    assert g.standard_normal(out=out, dtype="f4") is out and (out != 0).all()
    wide = cp.zeros((8, 6))
    view = wide[::2, ::3]
    assert g.random(out=view) is view and (view > 0).all() and (wide[1::2] == 0).all() and (wide[:, 1::3] == 0).all()
    same(cp.random.default_rng(3).poisson(5, 100, "u2"), cp.random.default_rng(3).poisson(5, 100).get().astype("u2"))
    n = cp.asarray([3, 10, 100])
    assert (g.binomial(n, 1.0).get() == [3, 10, 100]).all() and (g.binomial(10.7, 1, 3).get() == 10).all()
    for order in (lambda a: a.T, lambda a: a[::-1]):
        scale = np.arange(12.0).reshape(3, 4)
        a, b = cp.random.default_rng(4), cp.random.default_rng(4)
        same(a.exponential(order(cp.asarray(scale))), b.exponential(cp.asarray(order(scale).copy())).get())


ERRORS = [
    ("normal(0, -1)", "scale < 0"), ("normal(0, [1, -1])", "scale < 0"), ("normal(0, -0.0)", "scale < 0"),
    ("exponential(-1)", "scale < 0"), ("standard_gamma(-1)", "shape < 0"), ("gamma(1, -1)", "scale < 0"),
    ("beta(0, 1)", "a <= 0"), ("beta(1, [0])", "b <= 0"), ("chisquare(0)", "df <= 0"), ("f(0, 1)", "dfnum <= 0"),
    ("f(1, 0)", "dfden <= 0"), ("noncentral_chisquare(0, 1)", "df <= 0"), ("noncentral_chisquare(1, -1)", "nonc < 0"),
    ("noncentral_f(0, 1, 1)", "dfnum <= 0"), ("standard_t(0)", "df <= 0"), ("vonmises(0, -1)", "kappa < 0"),
    ("pareto(0)", "a <= 0"), ("weibull(-1)", "a < 0"), ("power(0)", "a <= 0"), ("laplace(0, -1)", "scale < 0"),
    ("gumbel(0, -1)", "scale < 0"), ("logistic(0, -1)", "scale < 0"), ("lognormal(0, -1)", "sigma < 0"),
    ("rayleigh(-1)", "scale < 0"), ("wald(0, 1)", "mean <= 0"), ("wald(1, 0)", "scale <= 0"),
    ("triangular(1, 0, 2)", "left > mode"), ("triangular(0, 3, 2)", "mode > right"),
    ("triangular(0, 0, 0)", "left == right"), ("binomial(-1, .5)", "n < 0"),
    ("binomial(10, 1.5)", "p < 0, p > 1 or p is NaN"), ("binomial(10, np.nan)", "p < 0, p > 1 or p is NaN"),
    ("negative_binomial(0, .5)", "n <= 0"), ("negative_binomial(1, 0)", "p <= 0, p > 1 or p contains NaNs"),
    ("negative_binomial(1e15, 1e-10)", "n too large or p too small"), ("poisson(-1)", "lam < 0"),
    ("poisson(1e20)", "lam"), ("poisson([1, np.nan])", "lam"), ("zipf(1)", "a <= 1 or a is NaN"),
    ("zipf(np.nan)", "a <= 1 or a is NaN"), ("geometric(0)", "p <= 0, p > 1 or p contains NaNs"),
    ("geometric(1.1)", "p <= 0, p > 1 or p contains NaNs"), ("hypergeometric(1, 1, 3)", r"ngood \+ nbad < nsample"),
    ("hypergeometric(10**9 + 1, 1, 1)", "both ngood and nbad must be less than 1000000000"),
    ("logseries(1)", "p < 0, p >= 1 or p is NaN"), ("logseries([.5, -.1])", "p < 0, p >= 1 or p is NaN"),
    ("dirichlet([-1, 1])", "alpha < 0"), ("multinomial(10, [.5, .6, .1])", r"sum\(pvals\[:-1\]\) > 1.0"),
    ("multinomial(-1, [.5, .5])", "n < 0"),
    ("multinomial(10, [-.5, 1.5])", "pvals < 0, pvals > 1 or pvals contains NaNs"),
    ("multivariate_hypergeometric([1, 2], 5)", r"nsample > sum\(colors\)"),
    ("multivariate_hypergeometric([1, 2], -1)", "nsample must be nonnegative"),
    ("choice(0)", "a must be a positive integer unless no samples are taken"),
    ("choice(-1)", "a must be a positive integer unless no samples are taken"),
    ("choice([])", "a cannot be empty unless no samples are taken"),
    ("choice(1.5)", "a must be a sequence or an integer"),
    ("choice(5, 6, replace=False)", "Cannot take a larger sample than population when replace is False"),
    ("choice(5, 2, p=[.5, .5])", "a and p must have same size"),
    ("choice(2, 2, p=[.5, .6])", "Probabilities do not sum to 1"),
    ("choice(2, 2, p=[-.5, 1.5])", "Probabilities are not non-negative"),
    ("choice(2, 2, p=[.5, np.nan])", "Probabilities contain NaN"),
    ("choice(3, 3, replace=False, p=[.5, .5, 0])", "Fewer non-zero entries in p than size"),
    ("choice(3, -1)", "negative dimensions are not allowed"), ("uniform(2, 1)", "high - low < 0"),
    ("integers(5, 5)", "low >= high"), ("integers(6, 5, endpoint=True)", "low > high"),
    ("integers(0, 300, dtype='u1')", "high is out of bounds for uint8"),
    ("integers(-1, 3, dtype='u1')", "low is out of bounds for uint8"),
    ("integers(0, 2**65)", "high is out of bounds for int64"), ("integers([1, 2], [1, 3])", "low >= high"),
    ("integers([0], [300], dtype='u1')", "high is out of bounds for uint8"),
    ("integers([0, 1], [5, 2**70])", "high is out of bounds for int64"),
    ("random(-1)", "negative dimensions are not allowed"), ("random((2, -1))", "negative dimensions are not allowed"),
    ("multivariate_normal([0, 0], [1, 2])", "cov must be 2 dimensional and square"),
    ("multivariate_normal([[0, 0]], [[1, 0], [0, 1]])", "mean must be 1 dimensional"),
    ("multivariate_normal([0], [[1, 0], [0, 1]])", "mean and cov must have same length"),
]


@pytest.mark.parametrize("call, text", ERRORS, ids=[c for c, _ in ERRORS])
def test_errors_are_numpys(call, text):
    with np.errstate(all="ignore"), pytest.raises(ValueError, match=text):
        eval("g." + call, {"np": np, "g": cp.random.default_rng(1)})
    with pytest.raises(ValueError):
        eval("g." + call, {"np": np, "g": np.random.default_rng(1)})


def test_other_errors():
    g = cp.random.default_rng(1)
    with pytest.raises(OverflowError, match="range exceeds valid bounds"):
        g.uniform(0, np.inf)
    with pytest.raises(OverflowError, match="range exceeds valid bounds"):
        g.uniform(cp.asarray([0.0]), cp.asarray([np.nan]))
    for dtype in ("f2", "i4", "c8"):
        with pytest.raises(TypeError, match="Unsupported dtype"):
            g.standard_normal(3, dtype=dtype)
    with pytest.raises(TypeError, match="Unsupported dtype"):
        g.integers(3, dtype="f4")
    with pytest.raises(TypeError, match="wrong type"):
        g.random(out=cp.zeros(4, "f4"))
    with pytest.raises(ValueError, match="size must match out.shape"):
        g.random(3, out=cp.zeros(4))
    with pytest.raises(ValueError, match="not compatible with broadcast dimensions"):
        g.normal([1, 2], 1, size=3)
    with pytest.raises(ValueError, match="not compatible with broadcast dimensions"):
        g.normal([1, 2], 1, size=())
    with pytest.raises(TypeError, match="complex"):
        g.normal(cp.asarray([1j]), 1)
    with pytest.raises(ValueError):
        cp.random.RandomState(1, method=7)
    with pytest.raises(TypeError):
        cp.random.set_random_state(5)
    want = cp.random.default_rng(1).random(5).get()   # nothing was taken by what failed
    same(g.random(5), want)


# --- RandomState and the functions ---
def test_random_state():
    a, b = cp.random.RandomState(5), cp.random.RandomState(5)
    same(a.rand(3, 4), b.random_sample((3, 4)).get())
    same(a.randn(2, dtype="f4"), b.standard_normal(2, "f4").get())
    same(a.randint(3, size=50), b.randint(0, 3, 50).get())
    x = a.random_integers(3, size=2000).get()
    assert set(x.tolist()) == {1, 2, 3}
    assert a.tomaxint(5).get().min() >= 0 and len(a.bytes(7)) == 7 and a.rand().shape == ()
    a.seed(9)
    same(a.rand(4), cp.random.RandomState(9).rand(4).get())
    for method, kind in ((101, "XORWOW"), (121, "MRG32k3a"), (161, "Philox4x3210")):
        same(cp.random.RandomState(3, method).rand(4), cp.random.Generator(getattr(cp.random, kind)(3)).random(4).get())
    copied = pickle.loads(pickle.dumps(a))
    same(copied.rand(4), a.rand(4).get())
    with pytest.raises(TypeError, match="unexpected keyword"):
        a.rand(3, size=4)


def test_functions_are_the_states():
    cp.random.seed(12)
    state = cp.random.RandomState(12)
    for name, args in [("rand", (3,)), ("randn", (2, 2)), ("random", (4,)), ("ranf", (4,)), ("sample", (4,)),
                       ("random_sample", (4,)), ("randint", (0, 9, 5)), ("random_integers", (1, 9, 5)),
                       ("choice", (9, 4)),
                       ("permutation", (7,)), ("normal", (0, 1, 3)), ("multinomial", (5, [0.5, 0.5])),
                       ("multivariate_normal", ([0, 0], [[2, 1], [1, 2]], 3)), ("bytes", (5,)), ("gamma", (2, 1, 3)),
                       ("zipf", (2, 5))]:
        method = name if hasattr(state, name) else "random_sample"
        got, want = getattr(cp.random, name)(*args), getattr(state, method)(*args)
        if name == "bytes":
            assert got == want
        else:
            same(got, want.get())
    x, y = cp.arange(9), cp.arange(9)
    cp.random.shuffle(x), state.shuffle(y)
    same(x, y.get())
    mine = cp.random.RandomState(4)
    cp.random.set_random_state(mine)
    assert cp.random.get_random_state() is mine
    cp.random.reset_states()
    assert cp.random.get_random_state() is not mine


# --- a battery on the raw words ---
@pytest.mark.parametrize("kind", KINDS)
def test_battery(kind):
    words = getattr(cp.random, kind)(20261122).random_raw(1 << 15).get()
    bits = np.unpackbits(words.view("u1").reshape(-1, 8), axis=1, bitorder="little")
    n = bits.size
    assert stats.norm.sf(abs(2.0 * bits.sum() - n) / np.sqrt(n)) > LEAST                 # ones
    each = bits.sum(0)                                                                   # of each place in a word
    assert stats.chi2.sf((4 * (each - len(words) / 2.0)**2 / len(words)).sum(), 64) > LEAST
    flat = bits.ravel()
    runs = 1 + (flat[1:] != flat[:-1]).sum()                                             # runs
    assert stats.norm.sf(abs(runs - (n + 1) / 2) / np.sqrt(n / 4)) > LEAST
    u = words / 2.0**64
    for lag in (1, 2, 3, 4, 64):                                                         # serial correlation
        r = np.corrcoef(u[:-lag], u[lag:])[0, 1]
        assert stats.norm.sf(abs(r) * np.sqrt(len(u) - lag)) > LEAST
    days = np.sort(words.view("u4").reshape(-1, 512) >> 8, axis=1)             # birthdays: 2^24 days, 512 each
    spacings = np.sort(np.diff(days, axis=1), axis=1)
    equal = (np.diff(spacings, axis=1) == 0).sum()
    assert stats.poisson.cdf(equal, len(days) * 512**3 / 2**26) > LEAST
    assert stats.poisson.sf(equal - 1, len(days) * 512**3 / 2**26) > LEAST
    pairs = np.histogram2d(u[::2], u[1::2], 16, [[0, 1], [0, 1]])[0].ravel()             # pairs
    assert stats.chisquare(pairs).pvalue > LEAST
    assert stats.kstest(u, "uniform").pvalue > LEAST
