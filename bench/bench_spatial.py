"""scipy.spatial and scipy.stats: distances of 1000 x 1000 points of 100 dimensions, trees of 10^5 points in space, a
triangulation of 10^4 points with 10^5 places, scores of 10^6 numbers, densities, clusters."""
import numpy as np

from common import Case


def libraries(b):
    """(array library, its scipy) of the peer."""
    if b.gpu and not b.cupy:
        return None, None
    if b.gpu:
        import cupyx.scipy.spatial
        import cupyx.scipy.stats
        return b.cupy, cupyx.scipy
    import scipy.cluster.vq
    import scipy.spatial
    import scipy.stats
    return np, scipy


def calls(s, a, b, near, at, plane, places, x, groups):
    """(name, call, least bytes, least operations) of a module and its arrays."""
    d, pairs = s.spatial.distance, a.shape[0] * b.shape[0]
    tree, mesh = s.spatial.KDTree(near), s.spatial.Delaunay(plane)
    yield "cdist, euclidean", lambda: d.cdist(a, b), 8 * pairs, 3 * pairs * a.shape[1]
    yield "cdist, cosine", lambda: d.cdist(a, b, "cosine"), 8 * pairs, 2 * pairs * a.shape[1]
    yield "cdist, cityblock", lambda: d.cdist(a, b, "cityblock"), 8 * pairs, 3 * pairs * a.shape[1]
    yield "pdist", lambda: d.pdist(a), 4 * pairs, 1.5 * pairs * a.shape[1]
    yield "KDTree", lambda: s.spatial.KDTree(near), 48 * near.shape[0], 0
    yield "KDTree.query, 1", lambda: tree.query(at), 40 * at.shape[0], 0
    yield "KDTree.query, 8", lambda: tree.query(at, 8), 152 * at.shape[0], 0
    yield "Delaunay and find_simplex", lambda: s.spatial.Delaunay(plane).find_simplex(places), 20 * places.shape[0], 0
    yield "find_simplex", lambda: mesh.find_simplex(places), 20 * places.shape[0], 0
    yield "zscore, 10^6", lambda: s.stats.zscore(x), 32 * x.size, 6 * x.size
    yield "rankdata, 10^6", lambda: s.stats.rankdata(x), 16 * x.size, 0
    yield "skew, 10^6", lambda: s.stats.skew(x), 16 * x.size, 0
    yield "vq, 10^5 of 32", lambda: s.cluster.vq.vq(near, groups), 40 * near.shape[0], 9 * 32 * near.shape[0]


def cases(b):
    ours, (xp, theirs) = b.cp.scipy, libraries(b)
    rng = np.random.default_rng(1)
    near = rng.uniform(0, 1, (10**5, 3))
    data = rng.normal(0, 1, (1000, 100)), rng.normal(0, 1, (1000, 100)), near, rng.uniform(0, 1, (10**5, 3)), \
        rng.uniform(0, 1, (10**4, 2)), rng.uniform(0, 1, (10**5, 2)), rng.normal(0, 1, 10**6), near[:32].copy()
    mine = calls(ours, *map(b.cp.asarray, data))
    others = {}
    if xp is not None:
        try:
            others = {name: call for name, call, _, _ in calls(theirs, *map(xp.asarray, data))}
        except (AttributeError, ImportError):  # a peer without some of these
            others = {}
    for name, call, bytes_, operations in mine:
        peers = b.array_peer(others[name]) if name in others else {}
        yield Case(name, call, peers, bytes=bytes_, operations=operations, bar=3 if b.gpu else 4,
                   against="cupy" if b.gpu else "numpy")
