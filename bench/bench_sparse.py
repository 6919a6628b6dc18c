"""scipy.sparse: 10^5 x 10^5 with 10^6 elements of float64 at random places; a dense matrix of 4000 x 4000 with 1 %; the
Laplacian of a grid of 512^2 squared; systems of such Laplacians. On the CPU also what formats do without becoming rows:
blocks of 2 x 2, ten diagonals, columns by number."""
import itertools

import numpy as np

from common import Case

N, COUNT, GRID, DENSE, COARSE = 10**5, 10**6, 512, 4000, 128


def library(b):
    """(array library, its scipy.sparse) of the peer."""
    if b.gpu and not b.cupy:
        return None, None
    if b.gpu:
        from cupyx.scipy import sparse
        return b.cupy, sparse
    from scipy import sparse
    return np, sparse


def calls(xp, s, data):
    """(name, call, least bytes, least operations) of a module."""
    coo = s.coo_matrix((xp.asarray(data["data"]), (xp.asarray(data["row"]), xp.asarray(data["column"]))), shape=(N, N))
    a, other = s.csr_matrix(coo), s.csr_matrix((xp.asarray(data["more"]), (xp.asarray(data["column"]), xp.asarray(
        data["row"]))), shape=(N, N))
    a.sum_duplicates()
    other.sum_duplicates()
    csc, nnz = a.tocsc(), a.nnz
    x, many, rows = xp.asarray(data["x"]), xp.asarray(data["many"]), xp.asarray(data["rows"])
    laplacian = s.csr_matrix(tuple(xp.asarray(v) for v in data["laplacian"]), shape=(GRID**2, GRID**2))
    small, dense = s.csr_matrix(xp.asarray(data["dense"])), xp.asarray(data["dense"])
    yield "sps_spmv", lambda: a @ x, 12 * nnz + 16 * N, 2 * nnz
    yield "sps_spmm, 32 columns", lambda: a @ many, 12 * nnz + 512 * N, 64 * nnz
    yield "sps_spmv_csc", lambda: csc @ x, 12 * nnz + 16 * N, 2 * nnz
    yield "sps_spgemm, a Laplacian squared", lambda: laplacian @ laplacian, 12 * (2 * 5 + 13) * GRID**2, \
        50 * GRID**2
    yield "sps_add", lambda: a + other, 48 * nnz, nnz
    yield "sps_multiply", lambda: a.multiply(other), 24 * nnz, nnz
    yield "sps_transpose_tocsr", lambda: a.T.tocsr(), 24 * nnz, 0
    yield "sps_coo_tocsr", lambda: coo.tocsr(), 28 * nnz, 0
    yield "sps_sum_axis", lambda: a.sum(axis=0), 12 * nnz, nnz
    yield "sps_slice_rows", lambda: a[1000:60000], 24 * nnz * 0.59, 0
    yield "sps_index_rows, 10^4", lambda: a[rows], 24 * nnz * 0.1, 0
    yield "sps_toarray, 4000^2", lambda: small.toarray(), 8 * DENSE**2, 0
    yield "sps_from_dense, 4000^2", lambda: s.csr_matrix(dense), 8 * DENSE**2, 0
    yield from solvers(xp, s, laplacian, s.csr_matrix(tuple(xp.asarray(v) for v in data["coarse"]),
                                                      shape=(COARSE**2, COARSE**2)))


def formats(xp, s, data):
    """The same on the CPU, where SciPy has all formats."""
    from scipy.sparse import coo_matrix
    x, four = xp.asarray(data["x"]), xp.asarray(data["many"][:, :4].copy())
    shared = coo_matrix((data["data"], (data["row"], data["column"])), shape=(N, N)).tocsr()
    parts = tuple(xp.asarray(v) for v in (shared.data, shared.indices, shared.indptr))
    a, nnz = s.csr_matrix(parts, shape=(N, N)), shared.nnz
    csc, coo = a.tocsc(), a.tocoo()
    any_ = s.coo_matrix((coo.data, (coo.col, coo.row)), shape=(N, N))
    where = coo_matrix((np.arange(COUNT // 4), (data["row"][:COUNT // 4] // 2, data["column"][:COUNT // 4] // 2)))
    where = where.tocsr()
    places = tuple(xp.asarray(v) for v in (where.indices, where.indptr))
    elements = xp.asarray(np.resize(data["data"], (where.nnz, 2, 2)))
    one, other = (s.bsr_matrix((elements * f, *places), shape=(N, N)) for f in (1, 2))
    diagonals = s.dia_matrix((xp.asarray(data["many"].T[:10].copy()), xp.arange(-5, 5)), shape=(N, N))
    row, columns = xp.asarray(data["x"]), xp.asarray(data["rows"])
    line = s.csr_matrix(s.diags([-xp.ones(1999), 2.1 * xp.ones(2000), -xp.ones(1999)], [-1, 0, 1]))
    yield "sps_from_arrays", lambda: s.csr_matrix(parts, shape=(N, N)), 64, 0
    yield "sps_from_arrays, and times a vector", lambda: s.csr_matrix(parts, shape=(N, N)) @ x, 12 * nnz + 16 * N, \
        2 * nnz
    yield "sps_spmv_coo", lambda: coo @ x, 16 * nnz + 16 * N, 2 * nnz
    yield "sps_spmv_coo, in any order", lambda: any_ @ x, 16 * nnz + 16 * N, 2 * nnz
    yield "sps_spmm_csc, 4 columns", lambda: csc @ four, 12 * nnz + 64 * N, 8 * nnz
    yield "sps_max_coo", lambda: coo.max(), 8 * nnz, 0
    yield "sps_argmax_csr", lambda: a.argmax(), 8 * nnz, 0
    yield "sps_diagonal_coo", lambda: coo.diagonal(), 8 * nnz, 0
    yield "sps_index_columns, 10^4", lambda: a[:, columns], 4 * nnz + 2.4 * nnz, 0
    yield "sps_add_bsr", lambda: one + other, 4 * 36 * where.nnz, 0
    yield "sps_spmv_bsr", lambda: one @ x, 36 * where.nnz + 16 * N, 8 * where.nnz
    yield "sps_max_bsr", lambda: one.max(), 32 * where.nnz, 0
    yield "sps_count_nonzero_bsr", lambda: one.count_nonzero(), 32 * where.nnz, 0
    yield "sps_sum_dia", lambda: diagonals.sum(), 80 * N, 10 * N
    yield "sps_multiply_dia, a row", lambda: diagonals.multiply(row), 168 * N, 10 * N
    yield from lines(xp, s, line)
    yield from graphs(s, s.csr_matrix((abs(parts[0]),) + parts[1:], shape=(N, N)))


def graphs(s, a):
    """Searches of a graph of 10^5 nodes and 10^6 edges."""
    import importlib
    graph = importlib.import_module(s.__name__ + ".csgraph")
    edges = 12 * a.nnz
    yield "csg_components", lambda: graph.connected_components(a, directed=False), edges, 0
    yield "csg_components, strong", lambda: graph.connected_components(a, connection="strong"), edges, 0
    yield "csg_breadth_first_order", lambda: graph.breadth_first_order(a, 0), edges, 0
    yield "csg_dijkstra, one source", lambda: graph.dijkstra(a, indices=0), edges, 0


def lines(xp, s, a):
    """Systems of a tridiagonal matrix."""
    import importlib
    linalg, n = importlib.import_module(s.__name__ + ".linalg"), a.shape[0]
    csc, b = a.tocsc(), xp.ones(a.shape[0])
    yield "spl_spsolve, tridiagonal of 2000", lambda: linalg.spsolve(csc, b), 56 * n, 0


def solvers(xp, s, a, coarse):
    """Systems of the Laplacian: 100 iterations on the fine grid, direct solutions and eigenvalues on the coarse one."""
    import importlib
    linalg = importlib.import_module(s.__name__ + ".linalg")
    n, m = a.shape[0], coarse.shape[0]
    b, c, v0 = xp.ones(n), xp.ones(m), xp.ones(m)
    step, cycles = 12 * a.nnz + 16 * n, 100 if s.__name__.startswith("cupyx") else 5  # CuPy counts steps
    csc = coarse.tocsc()
    kept = linalg.splu(csc)
    yield "spl_cg, 512^2, 100 iterations", lambda: linalg.cg(a, b, maxiter=100), 100 * (step + 72 * n), 0
    yield "spl_gmres, 512^2, 5 x 20 steps", lambda: linalg.gmres(a, b, restart=20, maxiter=cycles), \
        100 * (step + 20 * 16 * n), 0
    yield "spl_minres, 512^2, 100 iterations", lambda: linalg.minres(a, b, maxiter=100), 100 * (step + 96 * n), 0
    yield "spl_lsmr, 512^2, 100 iterations", lambda: linalg.lsmr(a, b, maxiter=100), 100 * (2 * step + 96 * n), 0
    yield "spl_spsolve, 128^2", lambda: linalg.spsolve(csc, c), 12 * coarse.nnz, 0
    yield "spl_splu, 128^2", lambda: linalg.splu(csc), 12 * coarse.nnz, 0
    yield "spl_splu_solve, 128^2", lambda: kept.solve(c), 12 * kept.nnz, 2 * kept.nnz
    yield "spl_eigsh, 128^2, 4 largest", lambda: linalg.eigsh(coarse, 4, v0=v0, tol=1e-4), 12 * coarse.nnz, 0
    yield "spl_svds, 128^2, 4 largest", lambda: linalg.svds(coarse, 4, tol=1e-2), 12 * coarse.nnz, 0
    if not s.__name__.startswith("cupyx"):  # which has no eigs: so it is the last one
        drawn = s.csr_matrix(tuple(xp.asarray(v) for v in several()), shape=(10**4, 10**4))
        first = xp.ones(10**4)
        yield "spl_eigs, 10^4, 6 largest", lambda: linalg.eigs(drawn, 6, v0=first, tol=1e-6), 12 * drawn.nnz, 0


def grid(n):
    """The Laplacian of n^2 points: data, indices, indptr."""
    from scipy import sparse
    line = sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1], dtype="f8")
    m = sparse.kronsum(line, line, format="csr")
    m.sort_indices()
    return m.data, m.indices, m.indptr


def several(n=10**4):
    """A matrix that is not symmetric, of 8 drawn elements a row beside values from 0 to 30: data, indices, indptr."""
    from scipy import sparse
    r = np.random.default_rng(2)
    m = sparse.coo_array((r.normal(size=8 * n), (r.integers(0, n, 8 * n), r.integers(0, n, 8 * n))), shape=(n, n))
    m = (m + sparse.diags_array(r.uniform(0, 30, n))).tocsr()
    m.sort_indices()
    return m.data, m.indices, m.indptr


def cases(b):
    r = np.random.default_rng(1)
    dense = np.zeros((DENSE, DENSE))
    dense.ravel()[r.integers(0, DENSE**2, DENSE**2 // 100)] = 1.5
    data = {"data": r.normal(size=COUNT), "more": r.normal(size=COUNT), "row": r.integers(0, N, COUNT).astype("i4"),
            "column": r.integers(0, N, COUNT).astype("i4"), "x": r.normal(size=N), "many": r.normal(size=(N, 32)),
            "rows": r.integers(0, N, 10**4), "laplacian": grid(GRID), "coarse": grid(COARSE),
            "dense": dense}
    mine = calls(b.cp, b.cp.scipy.sparse, data)
    xp, theirs = library(b)
    others = calls(xp, theirs, data) if xp is not None else None
    if not b.gpu:
        mine = itertools.chain(mine, formats(b.cp, b.cp.scipy.sparse, data))
        others = itertools.chain(others, formats(xp, theirs, data))
    for name, call, bytes_, operations in mine:
        other = next(others, None) if others else None
        peers = b.array_peer(other[1]) if other else {}
        yield Case(name, call, peers, bytes=bytes_, operations=operations, bar=3 if b.gpu else 4,
                   against="cupy" if b.gpu else "numpy")
