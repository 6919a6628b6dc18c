"""The three arrays of compressed matrices, and what is known of them: whether they make a matrix, in what order.

They are replaced at once, as other threads may read them, and checked again once an attribute has shown them."""
from __future__ import annotations

import cuprite as cp
from cuprite import _sparse as S
from cuprite.scipy.sparse._util import get_index_dtype

_CLAIMED = "claimed"  # canonical by the user's word alone: a dense array adds elements of one place nevertheless
FEW = 1 << 13         # elements that are always looked at at once
_START, _POINTERS, _LOW, _HIGH, _UNSORTED, _TWICE, _LAST = 1, 2, 4, 8, 16, 32, 256  # of cuprite/sparse.h


class Checked:
    """data, indices and indptr: `_triple` gives them, checked. `_swap` gives the major axis first."""

    def _check_new(self):
        """The check of a matrix that was just made. Of many elements on the CPU what SciPy looks at, too, is looked at
        here, and the indices before they are first used: going through them takes longer than all else."""
        data, indices, indptr = self._arrays
        if indices.size > FEW and data.size == indices.size and indices.dtype == indptr.dtype and \
                indptr.dtype.char in "ilq" and data.ndim == indices.ndim == indptr.ndim == 1 and indptr.size == \
                self._swap(self._shape_as_2d)[0] + 1 and indptr._device < 0 and \
                indptr[0].item() == 0 and indptr[-1].item() == indices.size:
            return
        self._check()

    def _check(self):
        """SciPy's checks of sizes, and one pass over the indices."""
        given = data, indices, indptr = self._arrays
        if not data.ndim == indices.ndim == indptr.ndim == 1:
            raise ValueError("data, indices, and indptr should be 1-D")
        for name, x in (("indptr", indptr), ("indices", indices)):
            if x.dtype.kind not in "iu":
                raise ValueError(f"{name} array has non-integer dtype ({x.dtype.name})")
        major, minor = self._swap(self._shape_as_2d)
        if indptr.size != major + 1:
            raise ValueError(f"index pointer size {indptr.size} should be {major + 1}")
        if indices.size != data.size:
            raise ValueError("indices and data should have the same size")
        if indptr.dtype != indices.dtype or indptr.dtype not in (cp.int32, cp.int64):
            index = get_index_dtype((indptr, indices))
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
        if self._arrays is not given:
            return  # another thread has put others there
        if last < data.size or indptr is not given[2]:
            self._arrays = data[:last], indices[:last], indptr
        claimed = self._canonical == _CLAIMED
        self._sorted = not found & _UNSORTED or (claimed or self._sorted == _CLAIMED) and _CLAIMED
        self._trusted = True
        self._canonical = not found & (_UNSORTED | _TWICE) or claimed and _CLAIMED

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
        self._trusted = False  # whoever sees the array may write to it: it is checked again
        return self._indices

    @indices.setter
    def indices(self, x) -> None:
        self._indices, self._trusted = cp.asarray(x), False

    @property
    def indptr(self) -> ndarray:
        """Where each major line begins, and the end."""
        self._trusted = False
        return self._indptr

    @indptr.setter
    def indptr(self, x) -> None:
        self._indptr, self._trusted = cp.asarray(x), False

    def _triple(self, dtype=None):
        """data, indices, indptr, which were checked."""
        data, indices, indptr = self._arrays
        if not self._trusted or data.size != indices.size or data.ndim != 1:
            self._check()
            data, indices, indptr = self._arrays
        return data if dtype is None else data.astype(dtype, copy=False), indices, indptr

    # --- order ---

    @property
    def has_sorted_indices(self) -> bool:
        """Whether the indices of each line ascend."""
        if self._sorted is None or not self._trusted:
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
        if self._canonical is None or not self._trusted:
            self._check()
        return bool(self._canonical)

    @has_canonical_format.setter
    def has_canonical_format(self, value) -> None:
        if not value:
            self._canonical = None
        elif self._canonical is not True or not self._trusted:
            self._triple()
            self._canonical = self._canonical or _CLAIMED
            self._sorted = self._sorted or _CLAIMED

    def _put(self, triple, ordered, canonical):
        self._arrays = tuple(triple)
        self._sorted, self._canonical, self._trusted = ordered, canonical, True
