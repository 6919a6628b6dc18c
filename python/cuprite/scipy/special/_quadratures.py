"""Gauss's quadratures: SciPy's, of few points, on the host."""
from __future__ import annotations

from cuprite import ndarray
from cuprite.scipy.special._by_scipy import by_scipy

__all__ = [
    "c_roots", "cg_roots", "h_roots", "he_roots", "j_roots", "js_roots", "l_roots", "la_roots", "p_roots", "ps_roots",
    "roots_chebyc", "roots_chebys", "roots_chebyt", "roots_chebyu", "roots_gegenbauer", "roots_genlaguerre",
    "roots_hermite", "roots_hermitenorm", "roots_jacobi", "roots_laguerre", "roots_legendre", "roots_sh_chebyt",
    "roots_sh_chebyu", "roots_sh_jacobi", "roots_sh_legendre", "s_roots", "t_roots", "ts_roots", "u_roots",
    "us_roots",
]


@by_scipy
def c_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_chebyc by its old name."""


@by_scipy
def cg_roots(n, alpha, mu=False) -> tuple[ndarray, ...]:
    """roots_gegenbauer by its old name."""


@by_scipy
def h_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_hermite by its old name."""


@by_scipy
def he_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_hermitenorm by its old name."""


@by_scipy
def j_roots(n, alpha, beta, mu=False) -> tuple[ndarray, ...]:
    """roots_jacobi by its old name."""


@by_scipy
def js_roots(n, p1, q1, mu=False) -> tuple[ndarray, ...]:
    """roots_sh_jacobi by its old name."""


@by_scipy
def l_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_laguerre by its old name."""


@by_scipy
def la_roots(n, alpha, mu=False) -> tuple[ndarray, ...]:
    """roots_genlaguerre by its old name."""


@by_scipy
def p_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_legendre by its old name."""


@by_scipy
def ps_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_sh_legendre by its old name."""


@by_scipy
def roots_chebyc(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight 1 / sqrt(1 - x*x/4) on [-2, 2]."""


@by_scipy
def roots_chebys(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight sqrt(1 - x*x/4) on [-2, 2]."""


@by_scipy
def roots_chebyt(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight 1 / sqrt(1 - x*x) on [-1, 1]."""


@by_scipy
def roots_chebyu(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight sqrt(1 - x*x) on [-1, 1]."""


@by_scipy
def roots_gegenbauer(n, alpha, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight (1 - x*x)**(alpha - 1/2) on [-1, 1]."""


@by_scipy
def roots_genlaguerre(n, alpha, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight x**alpha * exp(-x) from 0 on."""


@by_scipy
def roots_hermite(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight exp(-x*x)."""


@by_scipy
def roots_hermitenorm(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight exp(-x*x / 2)."""


@by_scipy
def roots_jacobi(n, alpha, beta, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight (1 - x)**alpha * (1 + x)**beta on [-1, 1]."""


@by_scipy
def roots_laguerre(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight exp(-x) from 0 on."""


@by_scipy
def roots_legendre(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight 1 on [-1, 1]."""


@by_scipy
def roots_sh_chebyt(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight 1 / sqrt(x - x*x) on [0, 1]."""


@by_scipy
def roots_sh_chebyu(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight sqrt(x - x*x) on [0, 1]."""


@by_scipy
def roots_sh_jacobi(n, p1, q1, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight (1 - x)**(p1 - q1) * x**(q1 - 1) on [0, 1]."""


@by_scipy
def roots_sh_legendre(n, mu=False) -> tuple[ndarray, ...]:
    """Points and weights of Gauss's quadrature for the weight 1 on [0, 1]."""


@by_scipy
def s_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_chebys by its old name."""


@by_scipy
def t_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_chebyt by its old name."""


@by_scipy
def ts_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_sh_chebyt by its old name."""


@by_scipy
def u_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_chebyu by its old name."""


@by_scipy
def us_roots(n, mu=False) -> tuple[ndarray, ...]:
    """roots_sh_chebyu by its old name."""
