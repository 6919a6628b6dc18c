"""The GPU's kernels of src/linalg (*.cuh) as kernels of a user's, on every device: so CI, which has no GPU, runs the
arithmetic of each on the CPU. What is compared: what factors multiply back to, and how orthogonal they are.

Each test names the launch's geometry, as the launchers of src/linalg/*_cuda.cu do."""
import functools
import pathlib
import re
import sys

import numpy as np
import pytest
import scipy.linalg

import cuprite as cp

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "generate"))
import module_folders  # noqa: E402

NAMES = {"f": "float", "d": "double", "F": "la::complex<float>", "D": "la::complex<double>"}
TYPES = list(NAMES)
i4, i8, u4 = np.int32, np.int64, np.uint32
SINGULAR = 7  # what the tests' mailbox gets

NUMBERS = """#ifndef INFINITY  // what nvcc has, and NVRTC lacks
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#endif
"""


@functools.lru_cache(maxsize=None)
def text(file):
    """The file and what it includes, each once."""
    seen, lines = set(), []

    def take(name):
        if name in seen:
            return
        seen.add(name)
        for line in module_folders.file(name).read_text().splitlines():
            own = re.match(r'#include "(.*)"', line)
            if own:
                take(own.group(1))
            else:
                lines.append(line)

    take(file)
    return NUMBERS + "\n".join(lines)


def quick(device, much):
    """The option that lets g++ compile in a third of the time; older versions of NVRTC do not know it."""
    return () if device.startswith("cuda") else (f"--Ofast-compile={much}",)


@functools.lru_cache(maxsize=None)
def module(device, file, names, much):
    return cp.RawModule(code=text(file), name_expressions=names, options=("--std=c++17", *quick(device, much)))


@pytest.fixture
def kernel(device):
    def get(file, name, dtype, more="", much="max"):
        """`much="mid"` for a kernel whose thousand threads run for longer than its compilation takes."""
        name = f"la::{name}<{NAMES[dtype]}{more}>"
        return module(device, f"linalg/{file}.cuh", (name,), much).get_function(name)
    return get


def random(shape, dtype, seed=0):
    rng = np.random.default_rng([seed, *shape])
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype in "FD" else x).astype(dtype)


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


def close(got, wanted, n, dtype, c=20, scale=None):
    got, wanted = cp.asnumpy(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    scale = np.abs(wanted).max() if scale is None else scale
    assert np.abs(got - wanted).max() <= c * n * np.finfo(dtype).eps * scale


def orthonormal(q, dtype):
    n = q.shape[-1]
    close(adjoint(q) @ q, np.broadcast_to(np.eye(n), q.shape[:-2] + (n, n)), q.shape[-2], dtype, scale=1)


def room(bytes):
    return (bytes + 15) // 16 * 16


@pytest.mark.parametrize("n, k, lanes, most", [(1, 1, 4, 1), (4, 4, 4, 4), (5, 1, 8, 1), (8, 3, 8, 4), (8, 8, 8, 8),
                                               (13, 13, 16, 16), (17, 1, 32, 1), (25, 3, 32, 4), (32, 32, 32, 32)])
@pytest.mark.parametrize("dtype", TYPES)
def test_systems_of_lanes(kernel, dtype, n, k, lanes, most):
    """Rows in registers: the residual, a zero where the first pivot would be, NaN, and a singular matrix; as many right
    sides as rows are the identity's."""
    batch, inverse = 7 if lanes < 32 else 5, k == n == most  # a block has two of 32 lanes
    a, b = random((batch, n, n), dtype), random((batch, n, k), dtype, 1)
    if inverse:
        b[:] = np.eye(n)
    if n > 1:
        a[0, 0, 0] = 0
        a[1] = np.eye(n)[::-1]
    f = kernel("warp_lu", "lu_by_warps", dtype, f", {lanes}, {most}")

    def run(a, quiet=False):
        x, mailbox = cp.full((batch, n, k), 9, dtype), cp.zeros(1, "u4")
        sides = 0 if inverse else cp.asarray(b)
        f((-(-batch // (64 // lanes)),), (32, 2), (i8(batch), i4(n), i4(k), cp.asarray(a), sides, x,
                                                  0 if quiet else mailbox, u4(SINGULAR)))
        return cp.asnumpy(x), int(mailbox[0])

    x, told = run(a)
    assert told == 0
    close(a @ x, b, n, dtype, scale=np.abs(a).max() * np.abs(x).max() * n)
    if n > 1:
        np.testing.assert_array_equal(x[1], b[1][::-1])
    bad = a.copy()
    bad[3, n // 2] = np.nan
    y, told = run(bad)
    assert told == 0 and not np.isfinite(y[3]).any()
    np.testing.assert_array_equal(y[4], x[4])
    bad[3] = a[3]
    bad[3, :, n // 2] = 0
    for quiet in {False, lanes < 32}:
        y, told = run(bad, quiet)
        assert told == (0 if quiet else SINGULAR) and np.isnan(y[3]).all()
        np.testing.assert_array_equal(y[:3], x[:3])
        np.testing.assert_array_equal(y[4:], x[4:])


@pytest.mark.parametrize("n, threads, teams", [(1, 32, 1), (8, 32, 4), (23, 64, 1)])
@pytest.mark.parametrize("dtype", TYPES)
def test_lu_of_teams(kernel, dtype, n, threads, teams):
    batch, k = 5, 3
    a, b = random((batch, n, n), dtype), random((batch, n, k), dtype, 1)
    mailbox = cp.zeros(1, "u4")
    f = kernel("lu", "lu_whole", dtype)

    def run(task, a, k, x, u=0, s=0):
        ld = (n + k) | 1
        each = room(n * ld * a.itemsize + 8 * n)
        f((-(-batch // teams),), (threads, teams),
          (i4(task), i8(0), i8(batch), i4(n), i4(n), i4(k), i4(ld), cp.asarray(a), cp.asarray(b), x, u, s, 0, 0,
           i8(each), 0, mailbox, u4(SINGULAR)), shared_mem=each * teams)
        return cp.asnumpy(x)

    x = run(1, a, k, cp.empty((batch, n, k), dtype))
    close(a @ x, b, n, dtype, scale=np.abs(a).max() * np.abs(x).max() * n)
    x = run(2, a, n, cp.empty((batch, n, n), dtype))
    close(a @ x, np.broadcast_to(np.eye(n), a.shape), n, dtype, scale=np.abs(a).max() * np.abs(x).max() * n)
    sign, log = cp.empty(batch, dtype), cp.empty(batch, a.real.dtype)
    det = run(3, a, 0, cp.empty(batch, dtype), sign, log)
    wanted = np.linalg.slogdet(a.astype("D"))
    close(det, np.linalg.det(a.astype("D")), n, dtype, c=200)
    close(log, wanted[1], n, dtype, c=200, scale=max(1, np.abs(wanted[1]).max()))
    close(sign, wanted[0] if dtype in "FD" else wanted[0].real, n, dtype, c=200)
    assert not mailbox.get()[0]
    a[2] = 0
    run(2, a, n, cp.empty((batch, n, n), dtype))
    assert mailbox.get()[0] == SINGULAR


@pytest.mark.parametrize("m, n, nb, rows", [(60, 60, 16, False), (60, 60, 8, True), (40, 70, 16, False),
                                            (70, 40, 16, False)])
@pytest.mark.parametrize("dtype", TYPES)
def test_lu_by_panels(kernel, dtype, m, n, nb, rows):
    a = random((2, m, n), dtype)
    x, r = cp.asarray(a), min(m, n)
    pivots, moves = cp.zeros((2, r), "i4"), cp.zeros((2, 2 * nb), "i4")
    for j in range(0, r, nb):
        now, h = min(nb, r - j), m - j
        common = (x, i8(2), i4(m), i4(n), i4(j))
        if rows and now == nb:
            kernel("lu", "lu_panel_of_rows", dtype, f", {nb}")((2,), (64,), (*common, pivots, moves))
        else:
            shared = h * (now | 1) * a.itemsize + 4 * (h + now)
            kernel("lu", "lu_panel", dtype)((2,), (64,), (*common, i4(now), pivots, moves, 0, i8(0)), shared_mem=shared)
        if n > now:
            kernel("lu", "lu_beside", dtype)((-(-(n - now) // 16), 2), (128,),
                                             (*common, i4(now), i4(n), i4(16), pivots, moves),
                                             shared_mem=now * 16 * a.itemsize)
        y = x.get()
        y[:, j + now:, j + now:] -= y[:, j + now:, j:j + now] @ y[:, j:j + now, j + now:]
        x = cp.asarray(y)
    for y, p, wanted in zip(x.get(), pivots.get(), a):
        order = np.arange(m)
        for i in range(r):
            order[[i, p[i]]] = order[[p[i], i]]
        lower = np.tril(y, -1)[:, :r] + np.eye(m, r)
        assert np.abs(lower).max() <= 1.5
        close(lower @ np.triu(y)[:r], wanted[order], m, dtype)


IMPLICIT = [(60, 60, 16, 64), (45, 45, 32, 64), (40, 70, 8, 64), (70, 40, 16, 96), (100, 100, 32, 128), (1, 1, 8, 32)]


def eliminated(kernel, a, nb, threads, least, lower=True):
    """What the launches of implicit_panel and implicit_follow make of a, its pivots and the order of its rows."""
    batch, m, n = a.shape
    dtype, r = a.dtype.char, min(m, least)
    w, x = cp.asarray(a), cp.full(a.shape, np.nan, dtype)
    order, pivots = cp.full((batch, m), 99, "i4"), cp.zeros((batch, r), "i4")
    for j in range(0, r, nb):
        now = min(nb, r - j)
        kernel("implicit", "implicit_panel", dtype, f", {nb}, {threads}")(
            (batch,), (-(-(m - j) // 32) * 32,), (w, x, i8(batch), i4(m), i4(n), i4(j), i4(now), i4(r), order, pivots))
        right, left, rows = -(-(n - j - now) // 32), -(-j // 32) if lower else 0, 32 if dtype == "D" else 64
        down = max(1, -(-(m - j - now) // rows))
        if right + left:
            kernel("implicit", "implicit_follow", dtype)((right + left, down, batch), (256,), (
                w, x, i8(batch), i4(m), i4(n), i4(j), i4(now), i4(right), order))
    if m > r:
        kernel("implicit", "implicit_rest", dtype)((7,), (64,), (w, x, i8(batch), i4(m), i4(n), i4(r), order))
    return x, pivots.get(), order.get()


@pytest.mark.parametrize("m, n, nb, threads", IMPLICIT)
@pytest.mark.parametrize("dtype", TYPES)
def test_lu_implicit(kernel, dtype, m, n, nb, threads):
    a = random((2, m, n), dtype)
    a[1] = np.round(a[1].real)  # ties: LAPACK's choice is the first in the order that its exchanges have led to
    x, pivots, orders = eliminated(kernel, a, nb, threads, n)
    r = min(m, n)
    for i, (y, p, order, wanted) in enumerate(zip(x.get(), pivots, orders, a)):
        rows = np.arange(m)
        for k in range(r):
            rows[[k, p[k]]] = rows[[p[k], k]]
        np.testing.assert_array_equal(rows, order)
        if not i:
            np.testing.assert_array_equal(p, scipy.linalg.lu_factor(wanted)[1][:r])
        lower = np.tril(y, -1)[:, :r] + np.eye(m, r)
        assert np.abs(lower).max() <= 1.5
        close(lower @ np.triu(y)[:r], wanted[rows], m, dtype)


def test_lu_implicit_ties(kernel):
    """Equal entries: all pivots are LAPACK's. Those of Hadamard's matrices of 8 rows are powers of 2: all is exact."""
    rng = np.random.default_rng(3)
    a = np.empty((6, 40, 40))
    for x in a:
        h = scipy.linalg.hadamard(8) * rng.choice([-1, 1], (8, 1)) * rng.choice([-1, 1], 8)
        x[:] = np.kron(h[rng.permutation(8)], np.eye(5))[rng.permutation(40)]
    x, pivots, _ = eliminated(kernel, a, 8, 64, 40)
    for y, p, one in zip(x.get(), pivots, a):
        lu, wanted = scipy.linalg.lu_factor(one)
        np.testing.assert_array_equal(p, wanted)
        np.testing.assert_array_equal(y, lu)


@pytest.mark.parametrize("n, k", [(1, 1), (33, 1), (70, 3)])
@pytest.mark.parametrize("dtype", TYPES)
def test_systems_implicit(kernel, dtype, n, k):
    a, b = random((2, n, n), dtype), random((2, n, k), dtype, 1)
    both = np.concatenate([a, b], 2)
    x, _, _ = eliminated(kernel, both, 16, 128, n, lower=False)
    y = cp.empty(b.shape, dtype)
    start = x.reshape(-1)[n:]
    kernel("implicit", "implicit_back", dtype)((2,), (128,), (x, start, y, i4(n + k), i8(n * (n + k)), i4(n), i4(k)),
                                               shared_mem=n * k * a.itemsize)
    close(a @ y.get(), b, n, dtype, scale=np.abs(a).max() * np.abs(y.get()).max() * n)


OPERAND = np.dtype([("at", "u8"), ("down", "i8"), ("right", "i8"), ("next", "i8"), ("conjugate", "i4"), ("_", "i4")])


def operand(x, down, right, conjugate=0, at=0):
    return np.array((x.data.ptr + at * x.itemsize, down, right, x[0].size, conjugate, 0), OPERAND)[()]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
def test_products(kernel, dtype, turned):
    m, n, k = 70, 66, 19
    a, b, c = random((2, m, k), dtype), random((2, k, n), dtype), random((2, m, n), dtype)
    x = cp.asarray(np.ascontiguousarray(a.swapaxes(1, 2)) if turned else a)
    y, z = cp.asarray(b), cp.asarray(c)
    kernel("blocks", "subtract_product", dtype)(
        (2, 2, 2), (256,), (operand(x, *((1, m) if turned else (k, 1)), turned), operand(y, n, 1), z, i8(n), i8(m * n),
                            i8(2), i4(m), i4(n), i4(k), i4(0), i4(0)))
    close(z, c - (a.conj() if turned else a) @ b, k, dtype)


@pytest.mark.parametrize("lower", [0, 1])
@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("dtype", TYPES)
def test_triangles(kernel, dtype, lower, unit):
    n, k = 29, 40
    a, b = random((2, n, n), dtype) / n + 2 * np.eye(n, dtype=dtype), random((2, n, k), dtype)
    x, keep = cp.asarray(b), cp.asarray(a.astype(dtype))
    kernel("blocks", "triangle_step", dtype)((2, 2), (128,), (operand(keep, n, 1), x, i8(k), i8(n * k), i8(2), i4(n),
                                                              i4(k), i4(lower), i4(unit)))
    t = np.tril(a) if lower else np.triu(a)
    t = t - np.eye(n) * t + np.eye(n) if unit else t
    close(t @ x.get(), b, n, dtype, scale=np.abs(x.get()).max() * 4)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("n, threads, teams", [(1, 32, 1), (8, 32, 2), (30, 64, 1)])
@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky(kernel, dtype, n, threads, teams, upper):
    g = random((3, n, n), dtype)
    a = (g @ adjoint(g) + np.eye(n)).astype(dtype)
    half = np.where(np.triu(np.ones((n, n)), 0) if upper else np.tril(np.ones((n, n)), 0), a, np.nan).astype(dtype)
    each, mailbox, x = room(n * (n | 1) * a.itemsize), cp.zeros(1, "u4"), cp.empty(a.shape, dtype)
    f = kernel("blocks", "cholesky_whole", dtype)

    def run(given):
        f((-(-3 // teams),), (threads, teams), (i8(0), i8(3), i4(n), i4(n | 1), i4(upper), cp.asarray(given), x,
                                                i8(each), 0, mailbox, u4(SINGULAR)), shared_mem=each * teams)
        return x.get()

    y = run(half)
    close(adjoint(y) @ y if upper else y @ adjoint(y), a, n, dtype)
    assert (y == (np.triu(y) if upper else np.tril(y))).all() and not mailbox.get()[0]
    run(-a)
    assert mailbox.get()[0] == SINGULAR


@pytest.mark.parametrize("m, n, threads, teams", [(1, 1, 32, 1), (8, 8, 32, 2), (9, 4, 32, 1), (4, 9, 32, 1),
                                                 (40, 21, 128, 1)])
@pytest.mark.parametrize("dtype", TYPES)
def test_qr_of_teams(kernel, dtype, m, n, threads, teams):
    a, r, ld = random((3, m, n), dtype), min(m, n), m | 1
    for rows, columns in {(r, r), (m, m)}:
        each = room((ld * n + r + ld * columns) * a.itemsize)
        x, u = cp.empty((3, rows, n), dtype), cp.empty((3, m, columns), dtype)
        kernel("qr", "qr_whole", dtype)((-(-3 // teams),), (threads, teams),
                                        (i8(0), i8(3), i4(m), i4(n), i4(rows), i4(columns), i4(0), cp.asarray(a), x, u,
                                         0, i8(each), 0), shared_mem=each * teams)
        orthonormal(u.get(), dtype)
        close(u.get() @ x.get(), a, max(m, n), dtype)
        wanted = np.linalg.qr(a.astype("D" if dtype in "FD" else "d"), "complete" if rows == m else "reduced")[1]
        close(x, wanted, m, dtype, c=100)


@pytest.mark.parametrize("m, n, shared, dtype", [
    *((50, 50, shared, t) for t in TYPES for shared in (False, True)), (70, 30, False, "d"), (70, 30, False, "F"),
    (70, 30, True, "f"), (70, 30, True, "D"), (30, 45, False, "f"), (30, 45, False, "D"), (30, 45, True, "d"),
    (30, 45, True, "F")])
def test_qr_by_panels(kernel, dtype, m, n, shared):
    a, r, nb = random((2, m, n), dtype), min(m, n), 8
    w, taus = cp.asarray(np.ascontiguousarray(a.swapaxes(1, 2))), cp.zeros((2, r), dtype)
    q, x = cp.empty((2, m, m), dtype), cp.empty((2, m, n), dtype)
    common = (w, taus, i8(2), i4(m), i4(n))
    reflect = kernel("qr", "qr_reflect", dtype, ", 8")
    for j in range(0, r, nb):
        now, h = min(nb, r - j), m - j
        if shared:
            kernel("qr", "qr_panel_shared", dtype)((2,), (32 * now,), (*common, i4(j), i4(now)),
                                                   shared_mem=now * h * a.itemsize)
        else:
            kernel("qr", "qr_panel", dtype, ", 8")((2,), (32 * now,), (*common, i4(j)), shared_mem=2 * h * a.itemsize)
        if n > j + now:
            reflect((-(-(n - j - now) // 4), 2), (128,), (*common, i4(j), i4(j + now), i4(1), w, i8(m * n), i4(j + now),
                                                          i4(n)))
    reflect((-(-m // 4), 2), (128,), (*common, i4(0), i4(r), i4(0), q, i8(m * m), i4(0), i4(m)))
    kernel("qr", "qr_upper", dtype)((4,), (32, 8), (w, x, i8(2), i4(m), i4(n), i4(m)))
    q = q.get().swapaxes(1, 2)
    orthonormal(q, dtype)
    close(q @ x.get(), a, max(m, n), dtype)


@pytest.mark.parametrize("m, n, each, warps, dtype", [
    *((50, 50, 2, 32, t) for t in TYPES), *((33, 1, 2, 32, t) for t in TYPES), *((70, 30, 8, 16, t) for t in "fD"),
    *((30, 45, 2, 16, t) for t in "dF"), *((200, 70, 16, 16, t) for t in "dD")])
def test_qr_by_blocks(kernel, dtype, m, n, each, warps):
    a, r = random((2, m, n), dtype), min(m, n)
    a[1, :, n // 2] = 0  # a column that needs no reflection until others have met it
    w, taus = cp.asarray(np.ascontiguousarray(a.swapaxes(1, 2))), cp.zeros((2, r), dtype)
    q, x, factors = cp.full((2, m, m), np.nan, dtype), cp.empty((2, m, n), dtype), cp.empty((2, 32, 32), dtype)
    rows = 192 if dtype == "D" else 4096 // a.itemsize
    for j in range(0, r, warps):
        now, h = min(warps, r - j), m - j
        behind = n - j - now
        kernel("wy", "wy_panel", dtype, f", {each}, {warps}")((2,), (32 * now,), (w, taus, factors, i8(2), i4(m), i4(n),
                                                                                 i4(j)))
        apply, shared = kernel("wy", "wy_apply", dtype), (min(h, rows) * 33 + h * 8) * a.itemsize
        apply.max_dynamic_shared_size_bytes = 180000
        apply((-(-behind // 8) + -(-m // 8), 2), (256,), (w, factors, q, i8(2), i4(m), i4(n), i4(j), i4(now),
                                                         i4(behind), i4(m)), shared_mem=shared)
    kernel("wy", "qr_upper", dtype)((4,), (32, 8), (w, x, i8(2), i4(m), i4(n), i4(m)))
    u = cp.empty((2, m, r), dtype)
    kernel("wy", "wy_rows", dtype)((3,), (64,), (q, u, i8(2), i4(m), i4(r)))
    q = q.get().conj()
    orthonormal(q, dtype)
    np.testing.assert_array_equal(u.get(), q[..., :r])
    close(q @ x.get(), a, max(m, n), dtype)
    wanted = [scipy.linalg.qr(one, mode="raw")[0] for one in a]
    for got, (h, tau), t in zip(w.get(), wanted, taus.get()):
        close(got.T, h, max(m, n), dtype, c=100)
        close(t, tau, max(m, n), dtype, c=100)


@pytest.mark.parametrize("m, n, each, many, dtype", [
    *((33, 33, 2, 4, t) for t in TYPES), (64, 64, 2, 4, "f"), (64, 64, 2, 4, "D"), (40, 3, 2, 4, "d"),
    (40, 3, 2, 4, "F"), (5, 60, 2, 4, "f"), (5, 60, 2, 4, "D"), (96, 70, 3, 6, "d")])  # their threads are slow on a CPU
def test_qr_in_registers(kernel, dtype, m, n, each, many):
    count, r = 2 if m < 64 else 1, min(m, n)
    a = random((count, m, n), dtype)
    f = kernel("wy", "qr_registers", dtype, f", {each}, {many}", "mid")
    f.max_dynamic_shared_size_bytes = 180000
    for rows, columns, raw in {(r, r, 0), (m, m, 0), (r, 0, 0), (r, 0, 1)}:
        x = cp.full((count, n, m) if raw else (count, rows, n), np.nan, dtype)
        u, s = cp.full((count, m, columns), np.nan, dtype), cp.full((count, r), np.nan, dtype)
        f((count,), (1024,), (i8(count), i4(m), i4(n), i4(rows), i4(columns), i4(raw), cp.asarray(a), x, u, s),
          shared_mem=m * (n | 1) * a.itemsize)
        if raw:
            for got, t, one in zip(x.get(), s.get(), a):
                h, tau = scipy.linalg.qr(one, mode="raw")[0]
                close(got.T, h, max(m, n), dtype, c=100)
                close(t, tau, max(m, n), dtype, c=100)
            continue
        wanted = np.linalg.qr(a.astype("D" if dtype in "FD" else "d"), "complete" if rows == m else "reduced")[1]
        close(x, wanted, m, dtype, c=100)
        if columns:
            orthonormal(u.get(), dtype)
            close(u.get() @ x.get(), a, max(m, n), dtype)


def spectrum(u, s, vt, a, dtype):
    m, n = a.shape[1:]
    r = min(m, n)
    orthonormal(u, dtype)
    orthonormal(adjoint(vt), dtype)
    close(s, np.linalg.svd(a.astype("D"), compute_uv=False), max(m, n), dtype)
    close(u[..., :r] * s[:, None, :] @ vt[:, :r], a, max(m, n), dtype)


@pytest.mark.parametrize("deficient", [False, True])
@pytest.mark.parametrize("m, n, threads, teams", [(1, 1, 32, 1), (8, 8, 32, 2), (5, 9, 32, 1), (9, 5, 32, 1),
                                                 (21, 13, 64, 1)])
@pytest.mark.parametrize("dtype", TYPES)
def test_svd_of_teams(kernel, dtype, m, n, threads, teams, deficient):
    a = random((3, m, n), dtype)
    if deficient:
        a[:, -1] = a[:, :, 0] = 0
        a[0] = 0
        a[0, 0, 0] = 2
        a[1] = a[1] + 1
    p, r, mailbox = max(m, n), min(m, n), cp.zeros(1, "u4")
    for columns in {r, p}:
        ld = p | 1
        each = room((ld * columns + (r | 1) * r + ld * r + r) * a.itemsize + r * 8 + 4 * r + 4)
        u = cp.empty((3, m, columns if m >= n else m), dtype)
        vt = cp.empty((3, columns if m < n else n, n), dtype)
        s = cp.empty((3, r), a.real.dtype)
        kernel("jacobi", "svd_whole", dtype)((-(-3 // teams),), (threads, teams),
                                             (i8(0), i8(3), i4(m), i4(n), i4(columns), cp.asarray(a), u, s, vt,
                                              i8(each), 0, mailbox, u4(SINGULAR)), shared_mem=each * teams)
        assert not mailbox.get()[0]
        spectrum(u.get(), s.get(), vt.get(), a, dtype)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("n, threads, teams", [(1, 32, 1), (8, 32, 2), (19, 64, 1)])
@pytest.mark.parametrize("dtype", TYPES)
def test_eigh(kernel, dtype, n, threads, teams, upper):
    g = random((3, n, n), dtype)
    a = g + adjoint(g)
    a[1] = np.eye(n)
    half = np.where(np.triu(np.ones((n, n)), 0) if upper else np.tril(np.ones((n, n)), 0), a, np.nan).astype(dtype)
    each = room(2 * n * (n | 1) * a.itemsize + (n + 1) // 2 * 32 + 4 * n + 4)
    u, s, mailbox = cp.empty(a.shape, dtype), cp.empty((3, n), a.real.dtype), cp.zeros(1, "u4")
    kernel("jacobi", "eigh_whole", dtype)((-(-3 // teams),), (threads, teams),
                                          (i8(0), i8(3), i4(n), i4(upper), cp.asarray(half), u, s, i8(each), 0, mailbox,
                                           u4(SINGULAR)), shared_mem=each * teams)
    assert not mailbox.get()[0]
    u, s = u.get(), s.get()
    orthonormal(u, dtype)
    close(s, np.linalg.eigvalsh(a.astype("D" if dtype in "FD" else "d")), n, dtype)
    close(a @ u, u * s[:, None, :], n, dtype, scale=np.abs(s).max())
