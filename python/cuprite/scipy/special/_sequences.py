"""Sequences of numbers and functions, and ellipsoidal harmonics: SciPy's, on the host."""
from __future__ import annotations

from cuprite import ndarray
from cuprite._beside import all_beside
from cuprite.scipy.special._by_scipy import by_scipy

__all__ = [
    "bernoulli", "ellip_harm", "ellip_harm_2", "ellip_normal", "euler", "lmbda", "lqmn", "lqn", "mathieu_even_coef",
    "mathieu_odd_coef", "obl_cv_seq", "pbdn_seq", "pbdv_seq", "pbvv_seq", "pro_cv_seq", "riccati_jn", "riccati_yn",
]


@by_scipy
def bernoulli(n) -> ndarray:
    """Bernoulli's numbers B0 to Bn."""


@by_scipy
def ellip_harm(h2, k2, n, p, s, signm=1, signn=1) -> ndarray:
    """Ellipsoidal harmonics of the first kind."""


@by_scipy
def ellip_harm_2(h2, k2, n, p, s) -> ndarray:
    """Ellipsoidal harmonics of the second kind."""


@by_scipy
def ellip_normal(h2, k2, n, p) -> ndarray:
    """Normalization constants of ellipsoidal harmonics."""


@by_scipy
def euler(n) -> ndarray:
    """Euler's numbers E0 to En."""


@by_scipy
def lmbda(v, x) -> tuple[ndarray, ...]:
    """Jahnke and Emde's Lambda functions of orders v0, v0 + 1, ... v, and their derivatives."""


@by_scipy
def lqmn(m, n, z) -> tuple[ndarray, ...]:
    """Associated Legendre functions of the second kind of orders 0 to m and degrees 0 to n, and their derivatives."""


@by_scipy
def lqn(n, z) -> tuple[ndarray, ...]:
    """Legendre functions of the second kind of degrees 0 to n, and their derivatives."""


@by_scipy
def mathieu_even_coef(m, q) -> ndarray:
    """Fourier coefficients of even Mathieu functions."""


@by_scipy
def mathieu_odd_coef(m, q) -> ndarray:
    """Fourier coefficients of odd Mathieu functions."""


@by_scipy
def obl_cv_seq(m, n, c) -> ndarray:
    """Characteristic values of oblate spheroidal functions of mode m and degrees m to n."""


@by_scipy
def pbdn_seq(n, z) -> tuple[ndarray, ...]:
    """Parabolic cylinder functions D0 to Dn of a complex number, and their derivatives."""


@by_scipy
def pbdv_seq(v, x) -> tuple[ndarray, ...]:
    """Parabolic cylinder functions Dv0 to Dv, and their derivatives."""


@by_scipy
def pbvv_seq(v, x) -> tuple[ndarray, ...]:
    """Parabolic cylinder functions Vv0 to Vv, and their derivatives."""


@by_scipy
def pro_cv_seq(m, n, c) -> ndarray:
    """Characteristic values of prolate spheroidal functions of mode m and degrees m to n."""


@by_scipy
def riccati_jn(n, x) -> tuple[ndarray, ...]:
    """x times the spherical Bessel functions of the first kind of orders 0 to n, and their derivatives."""


@by_scipy
def riccati_yn(n, x) -> tuple[ndarray, ...]:
    """x times the spherical Bessel functions of the second kind of orders 0 to n, and their derivatives."""

all_beside(__all__, globals())
