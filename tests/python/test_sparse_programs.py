"""Programs of sparse matrices and graphs as people write them, each run twice: with NumPy and SciPy, and with Cuprite's
modules in their place. The answers must agree, and be answers."""
import types

import cuprite as cp
import numpy as np
import pytest
import scipy
import scipy.ndimage
import scipy.sparse
import scipy.sparse.csgraph
import scipy.sparse.linalg
import scipy.spatial

THEIRS = types.SimpleNamespace(xp=np, scipy=scipy, host=np.asarray)
OURS = types.SimpleNamespace(xp=cp, scipy=cp.scipy, host=lambda x: x.get() if isinstance(x, cp.ndarray) else
                             np.asarray(x))


def both(program, *args):
    """What a program returns, as NumPy's arrays: with Cuprite and with SciPy."""
    return [[m.host(r) for r in program(m, *args)] for m in (OURS, THEIRS)]


def agree(program, *args, rtol=1e-9, atol=1e-11):
    ours, theirs = both(program, *args)
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs):
        assert a.shape == b.shape and a.dtype == b.dtype, (a.shape, b.shape, a.dtype, b.dtype)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol)
    return ours


def poisson(m, n):
    """The Laplacian of n x n points."""
    line = m.scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")
    return m.scipy.sparse.kronsum(line, line, format="csr")


# --- algebraic multigrid: smoothed aggregation, as PyAMG's (Vanek, Mandel, Brezina 1996) ---

def strong(m, a, theta):
    """The entries with |a_ij| above theta sqrt(a_ii a_jj)."""
    d, c = abs(a.diagonal()), abs(a).tocoo()
    kept = c.data**2 > theta**2 * d[c.row] * d[c.col]
    return m.scipy.sparse.coo_matrix((c.data[kept], (c.row[kept], c.col[kept])), shape=a.shape).tocsr()


def aggregates(m, s):
    """Nodes and their strong neighbours, one after another on the host; which each node belongs to."""
    indptr, indices = m.host(s.indptr), m.host(s.indices)
    of, count = np.full(s.shape[0], -1), 0
    for i in range(s.shape[0]):
        near = indices[indptr[i]:indptr[i + 1]]
        if (of[near] < 0).all():
            of[near] = of[i] = count
            count += 1
    for i in np.flatnonzero(of < 0):
        near = of[indices[indptr[i]:indptr[i + 1]]]
        of[i] = near[near >= 0][0]
    return of, count


def hierarchy(m, a):
    levels = []
    while a.shape[0] > 40:
        of, count = aggregates(m, strong(m, a, 0.08 * 0.5**len(levels)))
        n = a.shape[0]
        tentative = m.scipy.sparse.csr_matrix((m.xp.ones(n), m.xp.asarray(of), m.xp.arange(n + 1)), shape=(n, count))
        size = m.xp.asarray(tentative.power(2).sum(axis=0)).ravel()
        tentative = tentative @ m.scipy.sparse.diags(1 / m.xp.sqrt(size))
        inverse = 1 / a.diagonal()
        da = m.scipy.sparse.diags(inverse) @ a
        radius = float(abs(da).sum(axis=1).max())
        p = (tentative - (4 / 3 / radius) * (da @ tentative)).tocsr()
        levels.append((a, p, p.T.tocsr(), inverse, radius))
        a = (p.T @ a @ p).tocsr()
    return levels, m.scipy.sparse.linalg.factorized(a.tocsc())


def cycle(levels, coarsest, b, k=0):
    if k == len(levels):
        return coarsest(b)
    a, p, r, inverse, radius = levels[k]
    weight = 4 / 3 / radius
    x = weight * inverse * b
    x = x + p @ cycle(levels, coarsest, r @ (b - a @ x), k + 1)
    return x + weight * inverse * (b - a @ x)


def multigrid(m, n):
    a = poisson(m, n)
    b = m.xp.asarray(np.random.default_rng(1).normal(size=n * n))
    levels, coarsest = hierarchy(m, a)
    steps = {"plain": 0, "preconditioned": 0}

    def count(name):
        def step(x):
            steps[name] += 1
        return step
    cycles = m.scipy.sparse.linalg.LinearOperator(a.shape, matvec=lambda v: cycle(levels, coarsest, v.ravel()),
                                                  dtype=a.dtype)
    x, info = m.scipy.sparse.linalg.cg(a, b, rtol=1e-9, M=cycles, callback=count("preconditioned"))
    m.scipy.sparse.linalg.cg(a, b, rtol=1e-9, callback=count("plain"))
    left = float(m.xp.linalg.norm(b - a @ x) / m.xp.linalg.norm(b))
    return (x, np.array([info, len(levels), *(le[1].shape[1] for le in levels), *(le[0].nnz for le in levels)]),
            np.array([left < 2e-9, steps["preconditioned"], steps["plain"] > 3 * steps["preconditioned"]]))


def test_algebraic_multigrid(device):
    x, sizes, (solved, steps, faster) = agree(multigrid, 40, rtol=1e-6, atol=1e-6)
    assert sizes[0] == 0 and solved and faster and steps < 30
    direct = scipy.sparse.linalg.spsolve(poisson(THEIRS, 40).tocsc(), np.random.default_rng(1).normal(size=1600))
    np.testing.assert_allclose(x, direct, rtol=1e-6, atol=1e-6)


# --- equations ---

def elements(m, n):
    """A membrane on triangles: each element adds 3 x 3 numbers, the duplicates of a coo matrix are summed."""
    xp = m.xp
    y, x = (v.ravel() for v in np.mgrid[0:1:n * 1j, 0:1:n * 1j])
    node = np.arange(n * n).reshape(n, n)
    lower = np.stack([node[:-1, :-1], node[:-1, 1:], node[1:, :-1]], -1).reshape(-1, 3)
    upper = np.stack([node[1:, 1:], node[1:, :-1], node[:-1, 1:]], -1).reshape(-1, 3)
    t = xp.asarray(np.concatenate([lower, upper]))
    x, y = xp.asarray(x)[t], xp.asarray(y)[t]
    b, c = xp.roll(y, -1, 1) - xp.roll(y, 1, 1), xp.roll(x, 1, 1) - xp.roll(x, -1, 1)
    area = 0.5 * abs(b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    stiff = (b[:, :, None] * b[:, None] + c[:, :, None] * c[:, None]) / (4 * area[:, None, None])
    row, column = xp.broadcast_to(t[:, :, None], stiff.shape), xp.broadcast_to(t[:, None], stiff.shape)
    k = m.scipy.sparse.coo_matrix((stiff.ravel(), (row.ravel(), column.ravel())), shape=(n * n, n * n)).tocsr()
    load = xp.bincount(t.ravel(), xp.repeat(area / 3, 3), n * n)
    inside = xp.asarray(np.flatnonzero((node % n > 0) & (node % n < n - 1) & (node >= n) & (node < n * n - n)))
    u = xp.zeros(n * n)
    u[inside] = m.scipy.sparse.linalg.spsolve(k[inside][:, inside].tocsc(), load[inside])
    return u, xp.asarray(k.sum(axis=1)).ravel(), np.array([k.nnz])


def test_finite_elements(device):
    u, rows, _ = agree(elements, 25)
    assert abs(rows).max() < 1e-12  # constants have no energy
    assert abs(u.max() - 0.0736713) < 2e-4  # -laplace(u) = 1 on the unit square, in its middle


def heat(m, n, steps):
    """Crank and Nicolson's steps with one factorization."""
    a = poisson(m, n) * (n + 1)**2
    one, dt = m.scipy.sparse.identity(n * n, format="csr"), 1e-3
    solver = m.scipy.sparse.linalg.splu((one + dt / 2 * a).tocsc())
    at = m.xp.arange(1, n + 1) / (n + 1)
    first = m.xp.outer(m.xp.sin(m.xp.pi * at), m.xp.sin(2 * m.xp.pi * at)).ravel()
    u = first
    for _ in range(steps):
        u = solver.solve(u - dt / 2 * (a @ u))
    return u, m.xp.linalg.norm(u) / m.xp.linalg.norm(first)


def test_heat(device):
    _, decay = agree(heat, 30, 25)
    assert abs(decay - np.exp(-5 * np.pi**2 * 0.025)) < 3e-3


def vibrations(m, n):
    """The lowest frequencies of a membrane."""
    w, v = m.scipy.sparse.linalg.eigsh(poisson(m, n) * (n + 1)**2, k=4, sigma=0)
    order = m.xp.argsort(w)
    return w[order], abs(v.T @ v)[order][:, order]


def test_vibrations(device):
    w, products = agree(vibrations, 24, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(w, np.pi**2 * np.array([2, 5, 5, 8]), rtol=0.01)
    np.testing.assert_allclose(products, np.eye(4), atol=1e-8)


# --- graphs ---

def links(m):
    rng = np.random.default_rng(3)
    a = rng.integers(0, 200, 1500)
    b = (a + rng.geometric(0.05, 1500)) % 200
    return m.scipy.sparse.coo_matrix((m.xp.ones(1500), (m.xp.asarray(a), m.xp.asarray(b))), shape=(200, 200)).tocsr()


def page_rank(m):
    a = links(m)
    out = m.xp.asarray(a.sum(axis=1)).ravel()
    step = (m.scipy.sparse.diags(m.xp.where(out > 0, 1 / m.xp.maximum(out, 1), 0.0)) @ a).T.tocsr()
    x = m.xp.full(200, 1 / 200)
    for _ in range(100):
        x = 0.85 * (step @ x) + (1 - 0.85 * x[out > 0].sum()) / 200
    return x, m.xp.argsort(-x)[:10]


def test_page_rank(device):
    x, _ = agree(page_rank)
    assert abs(x.sum() - 1) < 1e-12


def maze(m):
    """The shortest way through an image, as a graph of its open pixels."""
    wall = np.random.default_rng(6).random((30, 40)) < 0.25
    wall[0, 0] = wall[-1, -1] = False
    cost = m.xp.asarray(np.where(wall, np.inf, 1 + np.random.default_rng(2).random(wall.shape)))
    node = m.xp.arange(wall.size).reshape(wall.shape)
    rows, columns, lengths = [], [], []
    for a, b in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        length = (cost[a] + cost[b]) / 2
        open_ = m.xp.isfinite(length)
        rows.append(node[a][open_])
        columns.append(node[b][open_])
        lengths.append(length[open_])
    graph = m.scipy.sparse.coo_matrix((m.xp.concatenate(lengths), (m.xp.concatenate(rows), m.xp.concatenate(columns))),
                                      shape=(wall.size, wall.size)).tocsr()
    far, before = m.scipy.sparse.csgraph.dijkstra(graph, directed=False, indices=0, return_predecessors=True)
    before, way = m.host(before), [wall.size - 1]
    while way[-1] != 0 and len(way) < wall.size:
        way.append(int(before[way[-1]]))
    count, of = m.scipy.sparse.csgraph.connected_components(graph, directed=False)
    _, areas = m.scipy.ndimage.label(m.xp.asarray(~wall))
    walls = int(wall.sum())
    return far, np.array(way), np.array([count - walls, int(areas)]), of


def test_maze(device):
    far, way, (parts, areas), _ = agree(maze)
    assert parts == areas and way[-1] == 0 and np.isfinite(far[-1])


def clusters(m):
    """Spectral clustering of three rings of points, and single linkage from a minimum spanning tree."""
    rng = np.random.default_rng(4)
    angle = (np.arange(240) + rng.uniform(-0.3, 0.3, 240)) * (2 * np.pi / 80)
    ring = np.repeat([1.0, 4.0, 8.0], 80)
    at = m.xp.asarray(np.stack([ring * np.cos(angle), ring * np.sin(angle)], 1) + rng.normal(0, 0.05, (240, 2)))
    near = m.scipy.spatial.KDTree(at).sparse_distance_matrix(m.scipy.spatial.KDTree(at), 2.2).tocsr()
    alike = near.copy()
    alike.data = m.xp.exp(-alike.data**2)
    laplacian = m.scipy.sparse.csgraph.laplacian(alike, normed=True)
    w, v = m.scipy.sparse.linalg.eigsh(laplacian + 1e-3 * m.scipy.sparse.identity(240), k=3, sigma=0)
    tree = m.scipy.sparse.csgraph.minimum_spanning_tree(near)
    tree.data[tree.data > 1.9] = 0
    tree.eliminate_zeros()
    count, of = m.scipy.sparse.csgraph.connected_components(tree, directed=False)
    projector = v @ v.T  # of one basis or another of the three
    return m.xp.sort(w), projector, np.array([count]), of


def test_clusters(device):
    w, projector, count, of = agree(clusters, rtol=1e-6, atol=1e-7)
    assert count[0] == 3 and abs(w - 1e-3).max() < 1e-8
    np.testing.assert_array_equal(of, np.repeat([0, 1, 2], 80))
    assert abs(projector[:80, 80:]).max() < 1e-6


# --- words and tastes ---

def search(m):
    """Documents that are most like a query, by term frequencies; their topics by a truncated decomposition."""
    rng = np.random.default_rng(8)
    word, document = rng.zipf(1.6, 4000) % 300, rng.integers(0, 120, 4000)
    counts = m.scipy.sparse.coo_matrix((m.xp.ones(4000), (m.xp.asarray(document), m.xp.asarray(word))),
                                       shape=(120, 300)).tocsr()
    known = m.xp.asarray((counts > 0).sum(axis=0)).ravel()
    weights = m.xp.log((1 + 120) / (1 + known)) + 1
    tf = counts.multiply(weights).tocsr()
    norm = m.xp.sqrt(m.xp.asarray(tf.multiply(tf).sum(axis=1)).ravel())
    tf = m.scipy.sparse.diags(1 / norm) @ tf
    likeness = (tf @ tf[5].T).toarray().ravel()
    u, s, vt = m.scipy.sparse.linalg.svds(tf, k=4, v0=m.xp.ones(120))
    return likeness, m.xp.argsort(-likeness)[:5], m.xp.sort(s), abs(u @ m.xp.diag(s) @ vt).sum(axis=0)


def test_search(device):
    likeness, best, _, _ = agree(search, rtol=1e-7, atol=1e-9)
    assert best[0] == 5 and abs(likeness[5] - 1) < 1e-12


def tastes(m):
    """Factors of a matrix that is known in part, by alternating least squares over its rows and columns."""
    rng = np.random.default_rng(9)
    truth = rng.normal(size=(40, 2)) @ rng.normal(size=(2, 30))
    seen = m.scipy.sparse.csr_matrix(m.xp.asarray(np.where(rng.random(truth.shape) < 0.4, truth, 0)))
    factors = [None, m.xp.asarray(rng.normal(size=(30, 2)))]
    for _ in range(60):
        for side in (0, 1):
            known, other = (seen if side == 0 else seen.T.tocsr()), factors[1 - side]
            mask = known.copy()
            mask.data = m.xp.ones_like(mask.data)
            products = (other[:, :, None] * other[:, None]).reshape(-1, 4)
            left = (mask @ products).reshape(-1, 2, 2) + 1e-9 * m.xp.eye(2)
            factors[side] = m.xp.linalg.solve(left, (known @ other)[:, :, None])[:, :, 0]
    return (factors[0] @ factors[1].T, m.xp.asarray(truth))


def test_tastes(device):
    found, truth = agree(tastes, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found, truth, atol=1e-3)


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "lil", "dok"])
def test_markov_chain(device, format):
    """The lasting distribution of a walk, by powers of its matrix and by its eigenvector."""
    def program(m):
        n = 60
        up, down = np.full(n - 1, 0.3), np.full(n - 1, 0.2)
        stay = 1 - np.append(up, 0) - np.append(0, down)
        step = m.scipy.sparse.diags([down, stay, up], [-1, 0, 1]).asformat(format)
        p = m.xp.zeros(n)
        p[0] = 1
        for _ in range(3000):
            p = step.T @ p
        far = step.tocsr() ** 8
        return p, m.xp.asarray(far.sum(axis=1)).ravel(), np.array([far.nnz])
    p, sums, _ = agree(program)
    want = 1.5**np.arange(60)
    np.testing.assert_allclose(p, want / want.sum(), atol=1e-9)
    np.testing.assert_allclose(sums, 1, rtol=1e-13)
