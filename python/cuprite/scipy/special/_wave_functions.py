"""Mathieu's and spheroidal wave functions: SciPy's ufuncs, on the host."""
from __future__ import annotations

from cuprite import ndarray
from cuprite._beside import all_beside
from cuprite.scipy.special._by_scipy import host_ufunc

__all__ = [
    "mathieu_a", "mathieu_b", "mathieu_cem", "mathieu_modcem1", "mathieu_modcem2", "mathieu_modsem1",
    "mathieu_modsem2", "mathieu_sem", "obl_ang1", "obl_ang1_cv", "obl_cv", "obl_rad1", "obl_rad1_cv", "obl_rad2",
    "obl_rad2_cv", "pro_ang1", "pro_ang1_cv", "pro_cv", "pro_rad1", "pro_rad1_cv", "pro_rad2", "pro_rad2_cv",
]


@host_ufunc(1)
def mathieu_a(m, q, /, out=None, **options) -> ndarray:
    """The characteristic value of Mathieu's even function of order m."""


@host_ufunc(1)
def mathieu_b(m, q, /, out=None, **options) -> ndarray:
    """The characteristic value of Mathieu's odd function of order m."""


@host_ufunc(2)
def mathieu_cem(m, q, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """Mathieu's even function ce of order m, and its derivative."""


@host_ufunc(2)
def mathieu_sem(m, q, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """Mathieu's odd function se of order m, and its derivative."""


@host_ufunc(2)
def mathieu_modcem1(m, q, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """Mathieu's even modified function of the first kind, and its derivative."""


@host_ufunc(2)
def mathieu_modcem2(m, q, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """Mathieu's even modified function of the second kind, and its derivative."""


@host_ufunc(2)
def mathieu_modsem1(m, q, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """Mathieu's odd modified function of the first kind, and its derivative."""


@host_ufunc(2)
def mathieu_modsem2(m, q, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """Mathieu's odd modified function of the second kind, and its derivative."""


@host_ufunc(2)
def obl_ang1(m, n, c, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """The oblate spheroidal angular function of the first kind, and its derivative."""


@host_ufunc(2)
def obl_ang1_cv(m, n, c, cv, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """obl_ang1 of a characteristic value that is known."""


@host_ufunc(1)
def obl_cv(m, n, c, /, out=None, **options) -> ndarray:
    """The characteristic value of oblate spheroidal functions."""


@host_ufunc(2)
def obl_rad1(m, n, c, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """The oblate spheroidal radial function of the first kind, and its derivative."""


@host_ufunc(2)
def obl_rad1_cv(m, n, c, cv, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """obl_rad1 of a characteristic value that is known."""


@host_ufunc(2)
def obl_rad2(m, n, c, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """The oblate spheroidal radial function of the second kind, and its derivative."""


@host_ufunc(2)
def obl_rad2_cv(m, n, c, cv, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """obl_rad2 of a characteristic value that is known."""


@host_ufunc(2)
def pro_ang1(m, n, c, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """The prolate spheroidal angular function of the first kind, and its derivative."""


@host_ufunc(2)
def pro_ang1_cv(m, n, c, cv, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """pro_ang1 of a characteristic value that is known."""


@host_ufunc(1)
def pro_cv(m, n, c, /, out=None, **options) -> ndarray:
    """The characteristic value of prolate spheroidal functions."""


@host_ufunc(2)
def pro_rad1(m, n, c, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """The prolate spheroidal radial function of the first kind, and its derivative."""


@host_ufunc(2)
def pro_rad1_cv(m, n, c, cv, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """pro_rad1 of a characteristic value that is known."""


@host_ufunc(2)
def pro_rad2(m, n, c, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """The prolate spheroidal radial function of the second kind, and its derivative."""


@host_ufunc(2)
def pro_rad2_cv(m, n, c, cv, x, /, out=None, **options) -> tuple[ndarray, ndarray]:
    """pro_rad2 of a characteristic value that is known."""

all_beside(__all__, globals())
