"""The three arrays of compressed matrices, and what is known of them: whether they make a matrix, in what order.

They are replaced at once, as other threads may read them, and checked again once an attribute of any matrix that has
them has shown them; on the CPU before each use while somebody holds an array that was shown, or was handed in."""
from __future__ import annotations

import sys

import cuprite as cp
from cuprite import _sparse as S
from cuprite._element_types import type_of
from cuprite.scipy.sparse._util import index_dtype

_CLAIMED = "claimed"  # canonical by the user's word alone: a dense array adds elements of one place nevertheless
FEW = 1 << 13         # elements that are always looked at at once
_START, _POINTERS, _LOW, _HIGH, _UNSORTED, _TWICE, _LAST = 1, 2, 4, 8, 16, 32, 256  # of cuprite/sparse.h


def _references(arrays):
    return [sys.getrefcount(x) for x in arrays]


_ALONE = _references((object(),))[0]    # of what a tuple alone has


class _Shown:
    """How often attributes of matrices that share arrays of indices have shown them."""

    __slots__ = ("times",)

    def __init__(self):
        self.times = 0


class Sharing:
    """Arrays of indices that several matrices may have, and whoever saw them may write to: are they those that were
    checked? `_trusted`: the matrix has checked them since it showed them."""

    _trusted, _shown, _looked = False, None, 0   # _looked: how often they had been shown when they were checked

    def _show(self):
        """Arrays go to the user, or come from there."""
        self._trusted = False
        if self._shown is None:
            self._shown = _Shown()
        self._shown.times += 1

    def _share(self, new):
        """new, a matrix with arrays of indices that this one has, too, and has checked."""
        if self._shown is None:
            self._shown, self._looked = _Shown(), 0
        new._shown, new._looked = self._shown, self._looked
        return new

    def _unshown(self):
        """Has no attribute shown the arrays since they were checked? Enough where no index is followed."""
        return self._trusted and (self._shown is None or self._shown.times == self._looked)

    def _sure(self):
        """Are the arrays known to make a matrix? A GPU would have to be waited for to look at them each time: there
        whoever keeps an array must not write to it after the next use."""
        shown = self._shown
        if not self._trusted or shown is None:
            return self._trusted
        return shown.times == self._looked and (not shown.times or self.data._device >= 0 or not self._kept())

    def _kept(self):
        """Do others hold an array of indices, or its memory?"""
        arrays, first = self._index_arrays()
        return any(n > _ALONE for n in _references(arrays)[first:]) or any(x.base is not None for x in arrays[first:])


class Checked(Sharing):
    """data, indices and indptr: `_triple` gives them, checked. `_swap` gives the major axis first."""

    def _index_arrays(self):
        return self._arrays, 1

    def _check_new(self):
        """The check of a matrix that was just made. Of many elements on the CPU what SciPy looks at, too, is looked at
        here, and the indices before they are first used: going through them takes longer than all else."""
        data, indices, indptr = self._arrays
        if indices.size > FEW and data.size == indices.size and type_of(indices) == type_of(indptr) and \
                type_of(indptr).char in "ilq" and data.ndim == indices.ndim == indptr.ndim == 1 and indptr.size == \
                self._swap(self._shape_as_2d)[0] + 1 and indptr._device < 0 and \
                indptr[0].item() == 0 and indptr[-1].item() == indices.size:
            return
        self._check()

    def _check(self):
        """SciPy's checks of sizes, and one pass over the indices. Gives the arrays that were checked."""
        given = data, indices, indptr = self._arrays
        looked = self._shown.times if self._shown else 0
        if not data.ndim == indices.ndim == indptr.ndim == 1:
            raise ValueError("data, indices, and indptr should be 1-D")
        for name, x in (("indptr", indptr), ("indices", indices)):
            if type_of(x).kind not in "iu":
                raise ValueError(f"{name} array has non-integer dtype ({x.dtype.name})")
        major, minor = self._swap(self._shape_as_2d)
        if indptr.size != major + 1:
            raise ValueError(f"index pointer size {indptr.size} should be {major + 1}")
        if indices.size != data.size:
            raise ValueError("indices and data should have the same size")
        if type_of(indptr) != type_of(indices) or type_of(indptr) not in ("int32", "int64"):
            index = index_dtype((indptr, indices))
            indptr, indices = indptr.astype(index), indices.astype(index)
        found = int(S.sparse_check(indices, indptr, minor))
        last = found // _LAST
        if found & _START:
            raise ValueError("index pointer should start with 0")
        if last > indices.size:
            raise ValueError("Last value of index pointer should be less than the size of index and data arrays")
        if found & _POINTERS:
            raise ValueError("indptr must be a non-decreasing sequence")
        if found & _HIGH:
            raise ValueError(f"indices must be < {minor}")
        if found & _LOW:
            raise ValueError("indices must be >= 0")
        checked = given if last == data.size and indptr is given[2] else (data[:last], indices[:last], indptr)
        if self._arrays is not given:
            return checked  # another thread has put others there
        self._arrays, self._looked = checked, looked
        claimed = self._canonical == _CLAIMED
        self._sorted = not found & _UNSORTED or (claimed or self._sorted == _CLAIMED) and _CLAIMED
        self._trusted = True
        self._canonical = not found & (_UNSORTED | _TWICE) or claimed and _CLAIMED
        return checked

    def check_format(self, full_check=True) -> None:
        """Checks the arrays: ValueError where they make no matrix.

        Parameters: full_check: for SciPy's sake; all is always checked."""
        self._check()

    _held = "_arrays"
    _arrays = (None, None, None)  # data, indices, indptr: replaced at once, as other threads may read them

    @property
    def data(self) -> ndarray:
        """The elements."""
        return self._arrays[0]

    @data.setter
    def data(self, x) -> None:
        self._arrays = (x, *self._arrays[1:])

    @property
    def _indices(self):
        return self._arrays[1]

    @_indices.setter
    def _indices(self, x):
        self._arrays = (self._arrays[0], x, self._arrays[2])

    @property
    def _indptr(self):
        return self._arrays[2]

    @_indptr.setter
    def _indptr(self, x):
        self._arrays = (*self._arrays[:2], x)

    @property
    def indices(self) -> ndarray:
        """The minor index of each element."""
        self._show()  # whoever sees the array may write to it: it is checked again
        return self._indices

    @indices.setter
    def indices(self, x) -> None:
        self._indices = cp.asarray(x)
        self._show()

    @property
    def indptr(self) -> ndarray:
        """Where each major line begins, and the end."""
        self._show()
        return self._indptr

    @indptr.setter
    def indptr(self, x) -> None:
        self._indptr = cp.asarray(x)
        self._show()

    def _triple(self, dtype=None):
        """data, indices, indptr, which were checked."""
        sure, given = self._trusted if self._shown is None else self._sure(), self._arrays
        data, indices, indptr = given
        if not sure or data.size != indices.size or data.ndim != 1:
            data, indices, indptr = self._check()
        return data if dtype is None else data.astype(dtype, copy=False), indices, indptr

    # --- order ---

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each line ascend."""
        if self._sorted is None or not self._sure():
            self._check()
        return bool(self._sorted)

    @has_sorted_indices.setter
    def has_sorted_indices(self, value) -> None:
        if not value:
            self._sorted = self._canonical = None
        elif not self.has_sorted_indices:
            self._sorted = _CLAIMED

    @property
    def has_canonical_format(self) -> bool:
        """Whether the indices of each line ascend and none is there twice."""
        if self._canonical is None or not self._sure():
            self._check()
        return bool(self._canonical)

    @has_canonical_format.setter
    def has_canonical_format(self, value) -> None:
        if not value:
            self._canonical = None
        elif self._canonical is not True or not self._sure():
            self._triple()
            self._canonical = self._canonical or _CLAIMED
            self._sorted = self._sorted or _CLAIMED

    def _put(self, triple, ordered, canonical):
        self._arrays = tuple(triple)
        self._sorted, self._canonical, self._trusted, self._shown = ordered, canonical, True, None
