"""Bit generators: objects around the library's generators.

A bit generator is a capsule of the C library's, which has the lock and the state; what Python adds are seeds, which are
NumPy's SeedSequence, spawning, states as dictionaries, and pickling.
"""
import functools
import operator
import struct

from cuprite import _random, _support
from cuprite._core import ndarray

# struct cp_rng_state: kind, position, key, counter, state, has_half, half
_STATE = struct.Struct("<2i2Q4Q6I2I")
_M, _W = (0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
_LONG = (1 << 64) - 1


def _philox(key, counter):
    """A block of Philox 4x64: what NumPy's state shows beside key and counter."""
    (k, m), (a, b, c, d) = key, counter
    for _ in range(10):
        p, q = _M[0] * a, _M[1] * c
        a, b, c, d = q >> 64 ^ b ^ k, q & _LONG, p >> 64 ^ d ^ m, p & _LONG
        k, m = k + _W[0] & _LONG, m + _W[1] & _LONG
    return a, b, c, d


class BitGenerator:
    """What all generators of words have; XORWOW, MRG32k3a, Philox4x3210 and Philox are such.

    Parameters: seed: an integer, a sequence of integers, a SeedSequence, or None: one of the system's.
    Errors: NotImplementedError: only the kinds can be made."""

    _kind = None    # cp_rng_kind
    generator = None  # cuRAND's number of it

    def __init__(self, seed=None):
        if self._kind is None:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        if seed is None:
            import secrets
            seed = secrets.randbits(128)
        if type(seed) is int and seed >= 0:  # what NumPy's SeedSequence makes of it, without importing NumPy
            self._entropy = seed
            words = -(-seed.bit_length() // 32) or 1
            self._rng = _random.rng_new_kind(self._kind, seed.to_bytes(4 * words, "little"))
            return
        if not hasattr(seed, "generate_state"):
            from numpy.random import SeedSequence
            seed = SeedSequence(seed.get() if isinstance(seed, ndarray) else seed)
        self._seed(seed)

    def _seed(self, sequence):
        self.seed_seq = sequence
        self._rng = _random.rng_new_kind(self._kind, b"")
        _random.rng_set_state(self._rng, self._first(sequence))

    @functools.cached_property
    def seed_seq(self):
        """The seed, a SeedSequence of NumPy's."""
        from numpy.random import SeedSequence
        return SeedSequence(self._entropy)

    def _first(self, sequence):
        """The state that a seed begins with."""
        words = sequence.generate_state(6).tolist()
        return _STATE.pack(self._kind, 0, *(0,) * 6, *self._good(words), 0, 0)

    @property
    def _fields(self):
        return _STATE.unpack(_random.rng_get_state(self._rng))

    def _put(self, *fields):
        try:
            packed = _STATE.pack(*fields)
        except struct.error:  # too large, too many, or too few
            raise ValueError("state is not that of a generator of this kind") from None
        _random.rng_set_state(self._rng, packed)

    @property
    def _seed_seq(self):
        """The seed, by the name that NumPy's generators of old have, and dask asks for."""
        return self.seed_seq

    @property
    def lock(self):
        """A lock for callers that want several calls together; single calls need none."""
        lock = self.__dict__.get("_lock")
        if lock is None:
            import threading
            lock = self.__dict__.setdefault("_lock", threading.Lock())
        return lock

    def random_raw(self, size=None, output=True):
        """The generator's next words, uint64; nothing where output is False.

        Parameters: size: the shape, None: one word; output: False: they are passed over."""
        words = _random.rng_raw(self._rng, size)
        return words if output else None

    def jumped(self, jumps=1):
        """A generator so many jumps ahead, whose words this one does not come to.

        Parameters: jumps: how many, not below 0.
        Errors: ValueError for a negative number."""
        if jumps < 0:
            raise ValueError("jumps must not be negative")
        return self._with(_random.rng_jumped(self._rng, jumps))

    def advance(self, delta):
        """Goes on by `delta` steps (of Philox: blocks of four words); returns itself."""
        _random.rng_advance(self._rng, (operator.index(delta) % (1 << 256)).to_bytes(32, "little"))
        return self

    def spawn(self, n_children):
        """Generators of the same kind with seeds of their own.

        Parameters: n_children: how many.
        Result: a list."""
        return [type(self)(seed) for seed in self.seed_seq.spawn(n_children)]

    def _with(self, rng):
        made = type(self).__new__(type(self))
        made.seed_seq, made._rng = self.seed_seq, rng
        return made

    def __getstate__(self):
        return self.seed_seq, _random.rng_get_state(self._rng)

    def __setstate__(self, state):
        self._seed(state[0])
        _random.rng_set_state(self._rng, state[1])

    def __copy__(self):
        return self._with(_random.rng_copy(self._rng))

    def _check_name(self, state):
        if not isinstance(state, dict):
            raise TypeError("state must be a dict")
        if state.get("bit_generator") != type(self).__name__:
            raise ValueError(f"state must be for a {type(self).__name__} PRNG")
        missing = [name for name in self.state if name not in state]
        if missing:
            raise ValueError(f"state lacks {', '.join(missing)}")


class _Stepped(BitGenerator):
    """Generators without a counter: six words are their state."""

    def __init__(self, seed=None, *, size=-1):
        super().__init__(seed)
        self._size = size  # CuPy's number of states on the device; here one stream serves all threads

    @property
    def state(self):
        """The state as a dictionary; it can be set."""
        import numpy
        f = self._fields
        return {"bit_generator": type(self).__name__, "state": numpy.array(f[8:14], "u4"), "has_uint32": f[14],
                "uinteger": f[15]}

    @state.setter
    def state(self, value):
        self._check_name(value)
        words = [int(w) for w in value["state"]]
        self._put(self._kind, 0, *(0,) * 6, *words, int(value["has_uint32"]), int(value["uinteger"]))


class XORWOW(_Stepped):
    """Marsaglia's XORWOW ("Xorshift RNGs", 2003): period 2^192 - 2^32.

    Parameters: seed: an integer, a sequence of integers, a SeedSequence, or None: one of the system's; size: CuPy's
        number of states, without effect here."""

    _kind, generator = 2, 101

    @staticmethod
    def _good(w):
        return w if any(w[:5]) else (1, *w[1:])


class MRG32k3a(_Stepped):
    """L'Ecuyer's combined multiple recursive generator (1999): period about 2^191.

    Parameters: seed: an integer, a sequence of integers, a SeedSequence, or None: one of the system's; size: CuPy's
        number of states, without effect here."""

    _kind, generator = 3, 121

    @staticmethod
    def _good(w):
        a, b = [v % 4294967087 for v in w[:3]], [v % 4294944443 for v in w[3:]]
        return (*(a if any(a) else (1, 0, 0)), *(b if any(b) else (1, 0, 0)))


class Philox(BitGenerator):
    """Philox 4x64-10 (Salmon, Moraes, Dror and Shaw 2011), NumPy's Philox: a block of words of any counter and key.

    Parameters: seed: an integer, a sequence of integers, a SeedSequence, or None: one of the system's; counter:
        where it begins, an integer or four words; key: an integer or two words, in place of a seed.
    Errors: ValueError for both a seed and a key."""

    _kind, _words_of_key = 0, 2

    def __init__(self, seed=None, counter=None, key=None):
        if key is not None and seed is not None:
            raise ValueError("seed and key cannot be both used")
        super().__init__(seed)
        if key is not None or counter is not None:
            f = self._fields
            key = f[2:4] if key is None else _long_words(key, 2, "key")
            counter = f[4:8] if counter is None else _long_words(counter, 4, "counter")
            self._put(self._kind, 4, *key, *counter, *(0,) * 8)

    def _first(self, sequence):
        return _STATE.pack(self._kind, 4, *sequence.generate_state(2, "u8").tolist(), *(0,) * 12)

    @property
    def state(self):
        """NumPy's dictionary of it; it can be set."""
        import numpy
        f = self._fields
        buffer = _philox(f[2:4], f[4:8]) if any(f[4:8]) else (0,) * 4
        return {"bit_generator": type(self).__name__,
                "state": {"counter": numpy.array(f[4:8], "u8"), "key": numpy.array(f[2:4], "u8")},
                "buffer": numpy.array(buffer, "u8"), "buffer_pos": f[1], "has_uint32": f[14], "uinteger": f[15]}

    @state.setter
    def state(self, value):
        self._check_name(value)
        words = value["state"]
        self._put(self._kind, int(value["buffer_pos"]), *map(int, words["key"]), *map(int, words["counter"]), *(0,) * 6,
                  int(value["has_uint32"]), int(value["uinteger"]))


class Philox4x3210(BitGenerator):
    """Philox 4x32-10: 64 bits of key, 128 of counter; a 64-bit word is two of its outputs, the first one below.

    Parameters: seed: an integer, a sequence of integers, a SeedSequence, or None: one of the system's; size: CuPy's
        number of states, without effect here."""

    _kind, generator = 1, 161

    def __init__(self, seed=None, *, size=-1):
        super().__init__(seed)
        self._size = size

    def _first(self, sequence):
        key, = sequence.generate_state(1, "u8").tolist()
        return _STATE.pack(self._kind, 4, key, 0, _LONG - 1, _LONG, _LONG, _LONG, *(0,) * 8)

    @property
    def state(self):
        """The state as a dictionary; it can be set."""
        import numpy
        f = self._fields
        return {"bit_generator": type(self).__name__,
                "state": {"counter": numpy.array(f[4:8], "u8"), "key": numpy.array(f[2:3], "u8")}, "buffer_pos": f[1],
                "has_uint32": f[14], "uinteger": f[15]}

    @state.setter
    def state(self, value):
        self._check_name(value)
        words = value["state"]
        self._put(self._kind, int(value["buffer_pos"]), int(words["key"][0]), 0, *map(int, words["counter"]), *(0,) * 6,
                  int(value["has_uint32"]), int(value["uinteger"]))


def _long_words(value, n, name):
    """n words of 64 bits: an integer, or a sequence of them, the lowest first."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        words = [operator.index(v) for v in value]
        if len(words) > n or not all(0 <= w <= _LONG for w in words):
            raise ValueError(f"{name} must be positive and have at most {n} words of 64 bits")
        return words + [0] * (n - len(words))
    value = operator.index(value)
    if not 0 <= value < 1 << 64 * n:
        raise ValueError(f"{name} must be positive and less than 2**{64 * n}.")
    return [value >> 64 * i & _LONG for i in range(n)]


def name_generators():
    """In a process that calls Cuprite cupy the classes say that they are CuPy's: Dask, for one, asks them."""
    for kind in (BitGenerator, XORWOW, MRG32k3a, Philox, Philox4x3210):
        kind.__module__ = "cupy.random._bits"


if _support.as_cupy:
    name_generators()
