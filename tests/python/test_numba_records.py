"""Records, strings and datetimes in kernels of numba.cuda: values are NumPy's."""
import numpy as np
import pytest

import cuprite.numba as numba
from cuprite.numba import cuda, float64, guvectorize, int32, vectorize
from cuprite.numba.core.errors import TypingError

PLAIN = np.dtype([("mass", "f8"), ("kind", "i4"), ("phase", "c8"), ("flag", "?")], align=True)
PACKED = np.dtype([("flag", "u1"), ("mass", "f8"), ("kind", "i2"), ("phase", "c16"), ("grid", "f4", (2, 3))])
INNER = np.dtype([("i", "i4"), ("j", "f4", (2, 3))])
OUTER = np.dtype([("x", "i4"), ("y", INNER), ("z", INNER, 2)])


def sample(dtype, n, seed=3):
    """n records of random numbers, without a NaN."""
    x = np.zeros(n, dtype)
    random = np.random.RandomState(seed)

    def fill(part):
        if part.dtype.names:
            for name in part.dtype.names:
                fill(part[name])
        elif part.dtype.kind == "c":
            part[...] = random.randint(-9, 9, part.shape) + 1j * random.randint(-9, 9, part.shape)
        else:
            part[...] = random.randint(0, 2 if part.dtype.kind == "b" else 9, part.shape)
    fill(x)
    return x


@cuda.jit
def advance(x, step):
    i = cuda.grid(1)
    if i < x.size:
        r = x[i]
        r.mass += step
        r["kind"] = r.kind * 2 + i
        x[i].phase = r.phase * 1j
        x[i].flag = not r.flag


@pytest.mark.parametrize("dtype", [PLAIN, PACKED])
@pytest.mark.parametrize("where", ["host", "device", "slice"])
def test_fields_are_read_and_written(device, dtype, where):
    """Of records that C would lay out, and of some whose fields begin on odd bytes."""
    x = sample(dtype, 9)
    want = x.copy()
    part = want[::2] if where == "slice" else want
    for i, r in enumerate(part):
        r["mass"] += 0.5
        r["kind"] = r["kind"] * 2 + i
        r["phase"] = r["phase"] * 1j
        r["flag"] = not r["flag"]
    if where == "host":
        advance[1, 32](x, 0.5)
    else:
        d = cuda.to_device(x)
        advance[1, 32](d[::2] if where == "slice" else d, 0.5)
        x = d.copy_to_host()
    assert x.dtype == dtype and (x == want).all()


@cuda.jit
def by_records(x, rec, out):
    i = cuda.grid(1)
    if i == 0:
        x[1] = x[0]
        x[2] = rec
        rec.mass = 17
        out[0] = x.mass[0]
        out[1] = x["kind"][3]
        out[2] = rec.kind
        out[3] = x[3][0]        # a field by its number


@pytest.mark.parametrize("dtype", [PLAIN, PACKED])
def test_whole_records(device, dtype):
    """A record is assigned as a whole; one given as an argument is copied back; fields of all records are arrays."""
    x, out = sample(dtype, 5), np.zeros(4)
    rec = sample(dtype, 1, 11)[0]
    want, kind = x.copy(), rec["kind"]
    want[1], want[2] = want[0], rec
    by_records[1, 32](x, rec, out)
    assert (x == want).all() and rec["mass"] == 17
    assert out.tolist() == [want["mass"][0], want["kind"][3], kind, float(want[3][0])]
    with pytest.raises(TypingError, match="cannot become"):
        by_records[1, 1](x, sample(INNER, 1)[0], out)


@cuda.jit(device=True)
def trace(m):
    s = 0.0
    for k in range(2):
        s += m[k, k]
    return s


@cuda.jit(device=True)
def largest(x):
    best = x[0]
    for k in range(1, x.size):
        if x[k].x > best.x:
            best = x[k]
    return best


@cuda.jit
def of_nested(x, out):
    i = cuda.grid(1)
    if i < x.size:
        r = x[i]
        r.y.i += 1
        r.y.j[:, 1] = 7
        r["z"][1]["j"][0, 2] = trace(r.y.j)
        r.z[0] = r.y
        out[i] = largest(x).x


def test_records_in_records(device):
    """Nested records, arrays in records, arrays of records in records; they are given to functions and returned."""
    x, out = sample(OUTER, 6), np.zeros(6, "i4")
    want = x.copy()
    want["y"]["i"] += 1
    want["y"]["j"][:, :, 1] = 7
    want["z"]["j"][:, 1, 0, 2] = want["y"]["j"][:, 0, 0] + want["y"]["j"][:, 1, 1]
    want["z"][:, 0] = want["y"]
    of_nested[1, 32](x, out)
    assert (x == want).all() and (out == want["x"].max()).all()


@cuda.jit
def nested_arrays(dest, src, whole):
    dest["j"] = src["j"]
    whole.j[:, :, 1] = 5
    whole["j"][0] = src.j


def test_arrays_in_records_are_assigned_at_once(device):
    dest, src, whole = sample(INNER, 1)[0], sample(INNER, 1, 8)[0], sample(INNER, 3)
    want = whole.copy()
    want["j"][:, :, 1] = 5
    want["j"][0] = src["j"]
    nested_arrays[1, 1](dest, src, whole)
    assert (dest["j"] == src["j"]).all() and (whole == want).all()


TABLE = sample(PLAIN, 4, 5)
ODD = sample(PACKED, 4, 5)
EMPTY = np.zeros(0, PLAIN)


@cuda.jit
def in_every_memory(x, out):
    shared = cuda.shared.array(32, PLAIN)
    local = cuda.local.array(2, PACKED)
    constant, odd = cuda.const.array_like(TABLE), cuda.const.array_like(ODD)
    t = cuda.threadIdx.x
    shared[t] = x[t]
    local[1].mass = t + 0.5
    cuda.syncthreads()
    out[t] = shared[31 - t].mass + local[1].mass + constant[t % 4].kind + odd[t % 4].grid[1, 2] \
        + len(cuda.const.array_like(EMPTY))


def test_shared_local_and_constant_arrays_of_records(device):
    x, out, t = sample(PLAIN, 32), np.zeros(32), np.arange(32)
    in_every_memory[1, 32](x, out)
    assert (out == x["mass"][::-1] + t + 0.5 + TABLE["kind"][t % 4] + ODD["grid"][t % 4, 1, 2]).all()


@cuda.jit
def count(x):
    cuda.atomic.add(x.kind, 0, 1)
    cuda.atomic.max(x.mass, cuda.threadIdx.x % 2, cuda.threadIdx.x)


def test_atomic_operations_on_fields(device):
    x = np.zeros(2, PLAIN)
    count[1, 64](x)
    assert x["kind"].tolist() == [64, 0] and x["mass"].tolist() == [62, 63]


def test_signatures_and_types(device):
    t = numba.from_dtype(PLAIN)
    assert numba.typeof(TABLE) == t[::1] and numba.typeof(TABLE[0]) == t and t.dtype == PLAIN
    assert numba.typeof(TABLE) != numba.from_dtype(PACKED)[::1]
    assert t.fields["mass"] == float64 and t.size == PLAIN.itemsize

    @cuda.jit((t[:], int32, float64))
    def kernel(x, i, v):
        x[i].mass = v
    x = TABLE.copy()
    kernel[1, 1](x, 2, 9.5)
    assert x["mass"][2] == 9.5
    with pytest.raises(TypeError, match="No matching definition"):
        kernel[1, 1](ODD.copy(), 2, 9.5)
    with pytest.raises(TypingError, match="no field|no attribute"):
        cuda.jit((t[:],))(lambda x: x[0].weight)


def test_arrays_of_records_on_the_device(device):
    d = cuda.to_device(ODD)
    assert d.shape == (4,) and d.dtype == PACKED and d.nbytes == ODD.nbytes and len(d) == 4
    assert (d.copy_to_host() == ODD).all() and (d[1:].copy_to_host() == ODD[1:]).all()
    r = d[2]
    assert (r["mass"], r["kind"], r["phase"]) == tuple(ODD[2][n] for n in ("mass", "kind", "phase"))
    r["mass"], r["grid"] = 4.5, 1
    assert d.copy_to_host()["mass"][2] == 4.5 and (d[2]["grid"].copy_to_host() == 1).all()
    d[0] = ODD[1]
    assert d.copy_to_host()[0] == ODD[1] and r.copy_to_host()["mass"] == 4.5
    m = np.zeros((3, 4), PLAIN, order="F")
    m["kind"] = np.arange(12).reshape(3, 4)
    e = cuda.to_device(m)
    assert e.is_f_contiguous() and (e.copy_to_host() == m).all() and (e.T.copy_to_host() == m.T).all()
    like = cuda.device_array_like(m)
    like.copy_to_device(m)
    assert like.strides == m.strides and (like[1].copy_to_host() == m[1]).all()
    # numbers at half their size
    packed = np.zeros(3, np.dtype([("n", "i4"), ("z", "c8"), ("w", "c16", 2)], align=True))
    d = cuda.to_device(packed)
    for k in range(3):
        d[k]["z"], packed[k]["z"] = k + 2j, k + 2j
    packed["w"][:, 1] = 3 - 1j
    d["w"][:, 1] = 3 - 1j
    assert (d.copy_to_host() == packed).all() and d[2]["z"] == 2 + 2j and (d["z"].copy_to_host() == packed["z"]).all()
    with pytest.raises(TypeError):
        cuda.to_device(np.zeros(2, [("a", object)]))


# --- strings ---

@cuda.jit
def named(u, s, r):
    i = cuda.grid(1)
    if i < u.size - 1:
        u[i] = "XYZ\u03b1"
        s[i] = b"abc"
        r[i]["name"] = "n"
        r[i].bytes = s[i]


def test_strings_of_fixed_length(device):
    u, s = np.full(3, "long before", "<U12"), np.full(3, b"before", "S6")
    r = np.zeros(3, [("k", "i4"), ("name", "U5"), ("bytes", "S6")])
    named[1, 32](u, s, r)
    assert u.tolist() == ["XYZ\u03b1", "XYZ\u03b1", "long before"] and s.tolist() == [b"abc", b"abc", b"before"]
    assert r["name"].tolist() == ["n", "n", ""] and r["bytes"].tolist() == [b"abc", b"abc", b""]
    with pytest.raises(TypingError, match="more than the 2 characters"):
        named[1, 1](np.zeros(2, "U2"), s[:2], r[:2])


# --- datetimes ---

@cuda.jit
def times(a, b, delta, at, out, where):
    i = cuda.grid(1)
    if i < a.size:
        delta[i] = b[i] - a[i]
        where[i, 0] = a[i] == at
        where[i, 1] = a[i] != b[i]
        where[i, 2] = a[i] < b[i]
        where[i, 3] = a[i] >= b[i]
        out[i, 0] = a[i] + delta[i]
        out[i, 1] = a[i] - 2 * delta[i]
        out[i, 2] = b[i] - delta[i] // 3
        out[i, 3] = a[i] + (-delta[i]) * 0.5


@pytest.mark.parametrize("unit, other", [("D", "D"), ("D", "s"), ("s", "h"), ("10ms", "us"), ("M", "Y")])
def test_datetimes(device, unit, other):
    a = np.arange(5, 13).astype(f"M8[{unit}]")
    b = (np.arange(8)[::-1] * 3 - 4).astype(f"M8[{other}]")
    a[2] = b[5] = np.datetime64("NaT")
    fine = (b - a).dtype
    delta, where = np.zeros(8, fine), np.zeros((8, 4), "?")
    out = np.zeros((8, 4), (a + delta).dtype)
    times[1, 32](a, b, delta, a[4], out, where)
    assert np.array_equal(delta, b - a, equal_nan=True)
    want = np.stack([a + delta, a - 2 * delta, b - delta // 3, a + (-delta) * 0.5], 1)
    assert np.array_equal(out, want, equal_nan=True)
    assert (where == np.stack([a == a[4], a != b, a < b, a >= b], 1)).all()


def test_datetimes_elsewhere(device):
    """Ratios, constants of the surroundings, ufuncs, arrays on the device; what has no meaning is refused."""
    day = np.timedelta64(1, "D")
    a = np.arange("2005-02", "2005-03", dtype="M8[D]")

    @cuda.jit
    def days(a, first, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = (a[i] - first) / day
    out = np.zeros(a.size)
    days[1, 32](cuda.to_device(a), a[0], out)
    assert (out == np.arange(a.size)).all()
    t, d = numba.from_dtype(a.dtype), numba.from_dtype((a - a).dtype)

    @vectorize([(t, t)], target="cuda")
    def between(x, y):
        return y - x

    @guvectorize([(t, t, d[:])], "(),()->()", target="cuda")
    def between_too(x, y, out):
        out[0] = y - x
    for f in (between, between_too):
        made = f(a, a[::-1])
        assert made.dtype == (a - a).dtype and (made == a[::-1] - a).all()
        assert (f(cuda.to_device(a), cuda.to_device(a[3:4])).copy_to_host() == a[3] - a).all()
    assert cuda.to_device(a).view("i8").copy_to_host().tolist() == a.view("i8").tolist()

    @cuda.jit
    def wrong(a, out):
        out[0] = a[0] * 2
    with pytest.raises(TypingError, match="unsupported operands"):
        wrong[1, 1](a, a)

    @cuda.jit
    def no_length(a, b, out):
        out[0] = a[0] - b[0]
    with pytest.raises(TypingError, match="no common unit"):
        no_length[1, 1](a, a.astype("M8[M]"), np.zeros(1, "m8[D]"))
