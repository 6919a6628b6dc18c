"""SciPy on Cuprite's arrays. Run by tests/python/test_clients.py with SCIPY_ARRAY_API=1, which SciPy reads when it is
imported: each call gives arrays of Cuprite's, with NumPy's dtypes, shapes and values."""
import os

assert os.environ.get("SCIPY_ARRAY_API") == "1"

import numpy as np  # noqa: E402
import pytest  # noqa: E402
import scipy.cluster  # noqa: E402
import scipy.constants  # noqa: E402
import scipy.differentiate  # noqa: E402
import scipy.fft  # noqa: E402
import scipy.integrate  # noqa: E402
import scipy.linalg  # noqa: E402
import scipy.optimize.elementwise  # noqa: E402
import scipy.signal  # noqa: E402
import scipy.spatial.transform  # noqa: E402
import scipy.special  # noqa: E402
import scipy.stats  # noqa: E402

import cuprite as cp  # noqa: E402

rng = np.random.default_rng(7)
ARRAYS = {
    "x": rng.standard_normal(40), "y": rng.standard_normal(40) + 0.2, "p": rng.random(40) + 0.1,
    "m": rng.standard_normal((12, 3)), "z": rng.standard_normal(16) + 1j * rng.standard_normal(16),
    "k": rng.integers(0, 5, 30), "f": rng.standard_normal(40).astype("f4"), "w": rng.random((4, 4)),
    "o": rng.standard_normal((6, 8)), "c": rng.standard_normal((3, 3)), "q": rng.standard_normal((5, 4)),
    "t": np.linspace(0, 2, 21), "angles": rng.random(30) * 6,
    "r": np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]]),
}

# Calls of which SciPy makes arrays of NumPy's (p-values, splines) have no answer here, as on any GPU: nothing is copied
# to the host unasked.
CALLS = """
fft.fft(x) fft.ifft(z) fft.rfft(x,n=32) fft.irfft(z) fft.hfft(z) fft.ihfft(x) fft.fft2(o) fft.ifft2(o) fft.fftn(o)
fft.ifftn(o,norm="ortho") fft.rfft2(o) fft.irfft2(o) fft.rfftn(o) fft.irfftn(o) fft.hfft2(o) fft.hfftn(o)
fft.ihfft2(o) fft.ihfftn(o) fft.fftshift(x) fft.ifftshift(x) fft.fft(f) fft.fftfreq(9,xp=xp)
fft.rfftfreq(9,d=0.5,xp=xp) special.logsumexp(x) special.logsumexp(o,axis=1,b=p[:8])
special.logsumexp(x,return_sign=True) special.softmax(o,axis=1) special.log_softmax(o,axis=0) special.xlogy(p,p)
special.rel_entr(p,p[::-1]) special.erf(x) special.expm1(x) stats.zscore(o) stats.zscore(o,axis=1,ddof=1)
stats.zmap(x,y) stats.gzscore(p) stats.skew(x) stats.kurtosis(o,axis=1) stats.moment(x,order=3) stats.variation(p)
stats.gmean(p) stats.hmean(p) stats.pmean(p,2) stats.describe(o) stats.sem(o) stats.tmean(x,(-1,1)) stats.tvar(x)
stats.tstd(x) stats.tsem(x) stats.tmin(x,-1) stats.tmax(x,1) stats.circmean(angles) stats.circvar(angles)
stats.circstd(angles) stats.iqr(x) stats.trim_mean(x,0.1) stats.kstat(x,3) stats.kstatvar(x) stats.rankdata(k)
stats.quantile(x,0.3) stats.median_abs_deviation(x) stats.sigmaclip(x,2.0,2.0)[0] stats.boxcox_llf(0.5,p)
stats.yeojohnson_llf(0.5,x) stats.directional_stats(m).mean_direction stats.mode(k) stats.false_discovery_control(p/2)
signal.fftconvolve(x,y) signal.oaconvolve(x,y[:5]) signal.fftconvolve(o,c,mode="same") signal.hilbert(x)
signal.hilbert2(o) signal.windows.hann(9,xp=xp) signal.windows.hamming(9,xp=xp) signal.windows.blackman(8,xp=xp)
signal.windows.boxcar(4,xp=xp) signal.windows.triang(7,xp=xp) signal.windows.parzen(7,xp=xp)
signal.windows.bohman(7,xp=xp) signal.windows.nuttall(7,xp=xp) signal.windows.blackmanharris(7,xp=xp)
signal.windows.flattop(7,xp=xp) signal.windows.bartlett(7,xp=xp) signal.windows.barthann(7,xp=xp)
signal.windows.gaussian(7,2.0,xp=xp) signal.windows.exponential(7,tau=2.0,xp=xp) signal.windows.tukey(9,xp=xp)
signal.windows.cosine(7,xp=xp) signal.windows.lanczos(7,xp=xp) signal.windows.taylor(7,xp=xp)
signal.windows.general_gaussian(7,1.5,2.0,xp=xp) signal.buttap(4,xp=xp)[1] signal.cheb1ap(3,1,xp=xp)[1]
signal.freqz(c[0,:],worN=16)[1] signal.tf2zpk(c[0,:],c[1,:])[2] signal.zpk2tf(c[0,:],c[1,:],2.0)[0]
signal.lp2lp_zpk(c[0,:],c[1,:],2.0,3.0)[0] signal.resample(x,20) signal.vectorstrength(p,2.0)[0] signal.envelope(x)
cluster.vq.whiten(m) integrate.trapezoid(o,t[:8]) integrate.cumulative_trapezoid(x,dx=0.5)
integrate.cumulative_simpson(x,dx=0.5) integrate.romb(t[:17]) integrate.tanhsinh(xp.exp,t[0]*1.0,t[-1]).integral
integrate.nsum(lambda_k,t[10],t[20]).sum integrate.cubature(gauss,t[:1],t[5:6]).estimate
differentiate.derivative(xp.exp,t).df differentiate.jacobian(square,c[:,0]).df differentiate.hessian(total,c[:,0]).ddf
optimize.elementwise.find_root(cubic,(t[:3]*0-2,t[:3]*0+2)).x
optimize.elementwise.find_minimum(square,(t[:3]*0-2,t[:3]*0+0.1,t[:3]*0+2)).x
spatial.transform.Rotation.from_rotvec(c).as_matrix() spatial.transform.Rotation.from_quat(q).as_quat()
spatial.transform.Rotation.from_euler("xyz",c).apply(c) spatial.transform.Rotation.from_matrix(r).inv().as_rotvec()
constants.convert_temperature(p,"C","K") constants.lambda2nu(p) constants.nu2lambda(p)
""".split()


def scope(xp):
    make = cp.asarray if xp is cp else np.asarray
    return {"xp": xp, "np": xp, **{n: make(a) for n, a in ARRAYS.items()}, "square": lambda x: x**2,
            "cubic": lambda x: x**3 - 0.5, "total": lambda x: xp.sum(x**3, axis=0), "lambda_k": lambda k: 1 / k**2,
            "gauss": lambda x: xp.exp(-xp.sum(x**2, axis=-1))}


def same(ours, theirs):
    if isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs)
        for p, q in zip(ours, theirs):
            same(p, q)
    elif isinstance(theirs, (np.ndarray, np.generic)):
        assert isinstance(ours, cp.ndarray), type(ours)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        tolerance = 2e-6 if theirs.dtype.itemsize == 4 or theirs.dtype == "c8" else 1e-8
        np.testing.assert_allclose(ours.get(), theirs, rtol=tolerance, atol=tolerance)
    else:
        assert ours == theirs


@pytest.mark.parametrize("call", CALLS)
def test_calls(call):
    same(eval("scipy." + call, {"scipy": scipy, **scope(cp)}), eval("scipy." + call, {"scipy": scipy, **scope(np)}))
