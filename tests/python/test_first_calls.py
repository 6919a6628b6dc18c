"""What the first call of a companion of SciPy's imports: with arrays of ours neither NumPy nor SciPy, which take longer
than all else that a first call does."""
import os
import subprocess
import sys

import pytest

import cuprite as cp

pytestmark = pytest.mark.once

# Code that runs first, and calls. `x` is of 30 elements, `m` of 12 x 12.
CALLS = {
    "ndimage": ("from cuprite.scipy import ndimage as n", """
n.gaussian_filter(m, 1.5)
n.gaussian_filter1d(x, 2, order=1)
n.gaussian_laplace(m, 1.0)
n.label(m > 0)
n.median_filter(m, 3)
n.maximum_filter(m, 3)
n.grey_dilation(m, 3)
n.rank_filter(m, 1, footprint=m[:3, :3] > -2)
n.convolve(m, cp.ones((3, 3)))
n.correlate1d(m, [1.0, 2.0, 1.0])
n.uniform_filter(m, 3)
n.sobel(m)
n.laplace(m)
n.binary_erosion(m > 0)
n.binary_dilation(m > 0, cp.ones((3, 3), bool))
n.binary_fill_holes(m > 0)
n.generate_binary_structure(2, 1)
n.zoom(m, 2)
n.rotate(m, 20)
n.shift(m, 0.5)
n.affine_transform(m, cp.eye(2))
n.map_coordinates(m, cp.ones((2, 4)))
n.spline_filter(m)
n.center_of_mass(m)
n.sum_labels(m, n.label(m > 0)[0], cp.arange(3))
n.distance_transform_edt(m > 0)
n.fourier_gaussian(m, 1.0)"""),
    "signal": ("from cuprite.scipy import signal as s; b = a = [1.0, 0.5]; "
               "sos = cp.asarray([[1.0, 0, 0, 1, -0.5, 0]])", """
s.fftconvolve(x, x)
s.convolve(x, x)
s.oaconvolve(x, x[:4])
s.correlate(x, x)
s.convolve2d(m, m[:3, :3])
s.welch(x, nperseg=16)
s.csd(x, x + 1, nperseg=16)
s.periodogram(x)
s.coherence(x, x + 1, nperseg=16)
s.spectrogram(x, nperseg=16)
s.istft(s.stft(x, nperseg=16)[2], nperseg=16)
s.lfilter(b, a, x)
s.lfilter_zi(b, a)
s.filtfilt(b, a, x)
s.sosfilt(sos, x)
s.sosfiltfilt(sos, x)
s.find_peaks(x, height=0)
s.peak_widths(x, s.find_peaks(x)[0])
s.argrelmax(x)
s.hilbert(x)
s.detrend(x)
s.medfilt(x, 3)
s.savgol_filter(x, 5, 2)
s.wiener(m)
s.resample(x, 20)
s.resample_poly(x, 2, 3)
s.decimate(x, 2, ftype='fir')
s.upfirdn([1.0, 1.0], x, 2)
s.get_window('hann', 8)
s.windows.kaiser(8, 2.0)"""),
    "special": ("from cuprite.scipy import special as s", """
s.gamma(x)
s.betainc(2.0, 3.0, x * x)
s.erf(x)
s.jv(1.5, x)
s.hyp2f1(1.0, 2.0, 3.0, x / 2)
s.xlogy(x, 2.0)
s.logsumexp(x)
s.softmax(x)
s.comb(5, cp.arange(3))
s.factorial(cp.arange(5))
s.expm1(x)
s.polygamma(1, x + 2)"""),
    "stats": ("from cuprite.scipy import stats as s; y = cp.cos(cp.arange(30.0))", """
s.pearsonr(x, y)
s.spearmanr(x, y)
s.linregress(x, y)
s.norm.pdf(x)
s.norm.ppf(cp.asarray(0.3))
s.gamma.cdf(x + 1, 2.0)
s.uniform.rvs(size=3)
s.zscore(x)
s.skew(x)
s.kurtosis(x)
s.moment(x, 3)
s.describe(x)
s.mode(x)
s.rankdata(x)
s.iqr(x)
s.trim_mean(x, 0.1)
s.gmean(x + 2)
s.entropy(x + 2)
s.boxcox(x + 2, 0.5)
s.ttest_ind(x, y)
s.f_oneway(x, y)
s.binned_statistic(x, y, 'median', 3)
s.gaussian_kde(x)(y)"""),
    "interpolate": ("from cuprite.scipy import interpolate as s; t = cp.arange(30.0); rng = cp.random.default_rng(1); "
                    "p = rng.random((30, 2))", """
s.CubicSpline(t, x)(t + 0.5)
s.CubicSpline(t, x).derivative()(t)
s.PchipInterpolator(t, x)(t)
s.Akima1DInterpolator(t, x)(t)
s.make_interp_spline(t, x)(t)
s.interp1d(t, x)(t)
s.interp1d(t, x, kind='cubic')(t)
s.BarycentricInterpolator(t[:5], x[:5])(t[:4])
s.RegularGridInterpolator((t[:12], t[:12]), m)(p)
s.RegularGridInterpolator((t[:12], t[:12]), m, method='cubic')(p)
s.RBFInterpolator(p, x)(p)
s.griddata(p, x, p)
s.NearestNDInterpolator(p, x)(p)"""),
    "spatial": ("from cuprite.scipy import spatial as s; from cuprite.scipy.spatial import distance as d; "
                "rng = cp.random.default_rng(1); p = rng.random((200, 2))", """
s.KDTree(p).query(p, 2)
s.KDTree(p).query_ball_point(p, 0.1)
s.KDTree(p).count_neighbors(s.KDTree(p), 0.1)
s.Delaunay(p).find_simplex(p)
s.distance_matrix(p, p)
d.cdist(p, p)
d.squareform(d.pdist(p, 'cosine'))
d.euclidean(x, x + 1)
d.jensenshannon(x + 2, x + 3)"""),
    "sparse": ("from cuprite.scipy import sparse as s; v = cp.ones(12); i = cp.arange(12)", """
s.csr_matrix(m) @ v
s.csr_array(m) + s.csr_array(m.T)
s.csr_array(m) @ s.csc_array(m)
s.csr_matrix(m) * 2.0
s.csr_array(m) / 2.0
s.csr_array(m) > 0.5
s.csr_array(m).multiply(m)
s.csr_array(m)[1:3, 2]
s.csr_array(m).sum(axis=0)
s.csr_array(m).mean()
s.csr_array(m).max(axis=1)
s.csr_array(m).astype('f4').conj().T.tocoo()
s.coo_matrix((v, (i, i)), shape=(12, 12)).tocsr().toarray()
s.coo_array(x).toarray()
s.csc_array((v, i, cp.arange(13)), shape=(12, 12)).tobsr((2, 2)) @ v
s.diags([v, v[1:]], [0, 1]).tocsc().diagonal()
s.eye(12, format='csr').todia() @ v
s.kron(s.eye(2), s.eye(3))
s.vstack([s.csr_array(m), s.csr_array(m)])
s.block_diag([m, m])
s.random(5, 5, 0.3)"""),
    "sparse.linalg": ("from cuprite.scipy import sparse as s; from cuprite.scipy.sparse import linalg as l; "
                      "v = cp.ones(12); a = s.csr_array(cp.eye(12) * 3)", """
l.cg(a, v)
l.bicgstab(a, v)
l.gmres(a, v)
l.minres(a, v)
l.lsqr(a, v)
l.spsolve(a, v)
l.norm(a)
l.aslinearoperator(a) @ v
l.LinearOperator((12, 12), matvec=lambda w: 2 * w, dtype='f8') @ v"""),
    "sparse.csgraph": ("from cuprite.scipy import sparse as s; from cuprite.scipy.sparse import csgraph as g; "
                       "a = s.csr_array(cp.eye(12, k=1))", """
g.connected_components(a)
g.shortest_path(a)
g.dijkstra(a, indices=0)
g.breadth_first_order(a, 0)
g.laplacian(a)"""),
    "fft": ("from cuprite.scipy import fft as s, fftpack as q", """
s.fft(x)
s.irfft2(s.rfft2(m))
s.dctn(m)
s.fftfreq(8)
q.rfft(x)"""),
    "linalg": ("from cuprite.scipy import linalg as s", """
s.lu(m)
s.lu_solve(s.lu_factor(m + 3 * cp.eye(12)), m)
s.toeplitz(x)
s.expm(m)
s.solve_triangular(cp.eye(12), m)"""),
    "cluster": ("from cuprite.scipy.cluster import vq", """
vq.kmeans2(m, 2, minit='points', seed=1)
vq.vq(m, m[:2])
vq.whiten(m)"""),
}
CHILD = """
import sys
import cuprite as cp
x = cp.sin(cp.arange(30.0))
m = cp.sin(cp.arange(144.0) ** 2).reshape(12, 12)
def left(call):
    there = [n for n in ("numpy", "scipy", "inspect", "typing", "dataclasses", "concurrent") if n in sys.modules]
    if there:
        sys.exit(f"{call} imports {', '.join(there)}")
"""


def first_calls(begin, calls):
    """None, or what a fresh process said of the first call after which a module was there."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    lines = [begin, f"left({begin!r})"]
    for call in calls.strip().splitlines():
        lines += [call, f"left({call!r})"]
    r = subprocess.run([sys.executable, "-c", CHILD + "\n".join(lines)], capture_output=True, text=True, timeout=120,
                       env={**os.environ, "PYTHONPATH": path})
    return r.stderr.strip() if r.returncode else None


@pytest.mark.parametrize("name", CALLS)
def test_neither_numpy_nor_scipy(name):
    assert first_calls(*CALLS[name]) is None


@pytest.mark.parametrize("call, module", [
    ("x.dtype", "numpy"), ("cp.scipy.signal.butter(2, 0.3)", "numpy, scipy"), ("import typing", "typing"),
])
def test_an_import_is_seen(call, module):
    assert first_calls("", call).startswith(f"{call} imports {module}")


NEEDS_SCIPY = ["scipy.signal.butter(2, 0.3)", "scipy.special.jn_zeros(0, 2)", "scipy.stats.norm.entropy()",
               "scipy.interpolate.splrep(x, m[0])", "scipy.spatial.ConvexHull(m[:, :2]).volume",
               "scipy.sparse.dok_array((3, 3))",
               "scipy.sparse.csgraph.min_weight_full_bipartite_matching(cp.scipy.sparse.csr_array(cp.eye(3)))",
               "scipy.sparse.linalg.spilu(cp.scipy.sparse.csc_array(cp.eye(3)))"]
FAILS = """
class Fails:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "scipy":
            raise {error}
sys.meta_path.insert(0, Fails)
try:
    cp.{call}
except ImportError as e:
    print(e)
"""


@pytest.mark.parametrize("call", NEEDS_SCIPY)
@pytest.mark.parametrize("error, missing", [
    ("ImportError('_flapack.so: failed to map segment from shared object: Cannot allocate memory')", False),
    ("ModuleNotFoundError(\"No module named 'scipy'\", name='scipy')", True),
])
def test_what_is_said_without_scipy(call, error, missing):
    """SciPy that is there and cannot be loaded is not said to be missing."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    r = subprocess.run([sys.executable, "-c", CHILD + FAILS.format(error=error, call=call)], capture_output=True,
                       text=True, timeout=120, env={**os.environ, "PYTHONPATH": path})
    assert r.returncode == 0, r.stderr
    assert ("which is not installed (pip install scipy)" in r.stdout) is missing
    assert ("Cannot allocate memory" in r.stdout) is not missing
