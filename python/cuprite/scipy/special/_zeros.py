"""Zeros of special functions: SciPy's, on the host."""
from __future__ import annotations

from cuprite import ndarray
from cuprite.scipy.special._by_scipy import by_scipy

__all__ = [
    "ai_zeros", "bei_zeros", "beip_zeros", "ber_zeros", "berp_zeros", "bi_zeros", "erf_zeros", "fresnel_zeros",
    "fresnelc_zeros", "fresnels_zeros", "jn_zeros", "jnjnp_zeros", "jnp_zeros", "jnyn_zeros", "kei_zeros",
    "keip_zeros", "kelvin_zeros", "ker_zeros", "kerp_zeros", "y0_zeros", "y1_zeros", "y1p_zeros", "yn_zeros",
    "ynp_zeros",
]


@by_scipy
def ai_zeros(nt) -> tuple[ndarray, ...]:
    """Zeros of Ai and Ai', and Ai' and Ai there."""


@by_scipy
def bei_zeros(nt) -> ndarray:
    """Zeros of Kelvin's bei."""


@by_scipy
def beip_zeros(nt) -> ndarray:
    """Zeros of the derivative of Kelvin's bei."""


@by_scipy
def ber_zeros(nt) -> ndarray:
    """Zeros of Kelvin's ber."""


@by_scipy
def berp_zeros(nt) -> ndarray:
    """Zeros of the derivative of Kelvin's ber."""


@by_scipy
def bi_zeros(nt) -> tuple[ndarray, ...]:
    """Zeros of Bi and Bi', and Bi' and Bi there."""


@by_scipy
def erf_zeros(nt) -> ndarray:
    """Zeros of erf in the first quadrant."""


@by_scipy
def fresnel_zeros(nt) -> tuple[ndarray, ...]:
    """Zeros of Fresnel's sine and cosine integrals in the first quadrant."""


@by_scipy
def fresnelc_zeros(nt) -> ndarray:
    """Zeros of Fresnel's cosine integral in the first quadrant."""


@by_scipy
def fresnels_zeros(nt) -> ndarray:
    """Zeros of Fresnel's sine integral in the first quadrant."""


@by_scipy
def jn_zeros(n, nt) -> ndarray:
    """Zeros of jn, all above 0."""


@by_scipy
def jnjnp_zeros(nt) -> tuple[ndarray, ...]:
    """Zeros of all jn and their derivatives in their order: places, orders, numbers, and which."""


@by_scipy
def jnp_zeros(n, nt) -> ndarray:
    """Zeros of the derivative of jn."""


@by_scipy
def jnyn_zeros(n, nt) -> tuple[ndarray, ...]:
    """Zeros of jn, of its derivative, of yn, and of its derivative."""


@by_scipy
def kei_zeros(nt) -> ndarray:
    """Zeros of Kelvin's kei."""


@by_scipy
def keip_zeros(nt) -> ndarray:
    """Zeros of the derivative of Kelvin's kei."""


@by_scipy
def kelvin_zeros(nt) -> tuple[ndarray, ...]:
    """Zeros of Kelvin's functions, eight arrays: ber, bei, ker, kei and their derivatives."""


@by_scipy
def ker_zeros(nt) -> ndarray:
    """Zeros of Kelvin's ker."""


@by_scipy
def kerp_zeros(nt) -> ndarray:
    """Zeros of the derivative of Kelvin's ker."""


@by_scipy
def y0_zeros(nt, complex=False) -> tuple[ndarray, ...]:
    """Zeros of y0, and the derivatives there."""


@by_scipy
def y1_zeros(nt, complex=False) -> tuple[ndarray, ...]:
    """Zeros of y1, and the derivatives there."""


@by_scipy
def y1p_zeros(nt, complex=False) -> tuple[ndarray, ...]:
    """Zeros of the derivative of y1, and y1 there."""


@by_scipy
def yn_zeros(n, nt) -> ndarray:
    """Zeros of yn, all above 0."""


@by_scipy
def ynp_zeros(n, nt) -> ndarray:
    """Zeros of the derivative of yn."""
