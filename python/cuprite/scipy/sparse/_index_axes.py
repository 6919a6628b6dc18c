"""Indexing of coo arrays whose result, or who themselves, have more than two axes: elements are chosen by their
coordinates, as NumPy chooses those of a dense array."""
from __future__ import annotations

import cuprite as cp
from cuprite._element_types import type_of
from cuprite.scipy.sparse._axes import ravel, repeated, unravel
from cuprite.scipy.sparse._base import class_of, is_foreign, issparse, taken
from cuprite.scipy.sparse._index import as_numbers, items_of


class _Chosen:
    """What a key chooses: `index`, an int, a slice or an array of each axis; `arrays`, the axes that have arrays, which
    are broadcast to `together`; `axes`, of each axis of the result the axis of its slice, "array" or None; `shape`."""

    def __init__(self, key, shape):
        self.index, order, fancy, self.arrays = [], [], [], []
        for item in items_of(key, shape):
            at = len(self.index)
            if item is None:
                order.append(None)
            elif isinstance(item, slice):
                self.index.append(item)
                order.append(at)
            else:
                fancy.append(len(order))
                order.append("array")
                self._choose(item, shape, at)
        self._broadcast()
        if not self.arrays:                       # integers alone take their axes out
            order = [a for a in order if a != "array"]
        elif fancy[-1] - fancy[0] + 1 == len(fancy):
            order = order[:fancy[0]] + ["array"] * len(self.together) + order[fancy[-1] + 1:]
        else:
            order = ["array"] * len(self.together) + [a for a in order if a != "array"]
        self.axes = order
        lengths = iter(self.together)
        self.shape = tuple(1 if a is None else next(lengths) if a == "array" else
                           len(range(*self.index[a].indices(shape[a]))) for a in order)

    def _choose(self, item, shape, at):
        if isinstance(item, int):
            if not -shape[at] <= item < shape[at]:
                raise IndexError(f"index ({item}) out of range")
            self.index.append(item % shape[at])
        elif getattr(type_of(item, None), "kind", "i") == "b":
            part = tuple(shape[at:at + item.ndim])
            if tuple(item.shape) != part:
                raise IndexError(f"bool index {at} has shape {part} instead of {item.shape}")
            self.arrays.extend(range(at, at + item.ndim))
            self.index.extend(cp.asarray(x, dtype="int64") for x in item.nonzero())
        else:
            self.arrays.append(at)
            self.index.append(as_numbers(item, shape[at], most=64))

    def _broadcast(self):
        self.together = ()
        if not self.arrays:
            return
        shapes = [self.index[a].shape for a in self.arrays]
        try:
            found = cp.broadcast_arrays(*(self.index[a] for a in self.arrays))
        except ValueError:
            raise IndexError("shape mismatch: indexing arrays could not be broadcast together with shapes "
                             + " ".join(str(s) for s in shapes)) from None
        for a, x in zip(self.arrays, found):
            self.index[a] = x
        self.together = found[0].shape


def _within(m, chosen):
    """(which elements integers and slices choose, the place of each element in the slice of each such axis)."""
    keep, places = cp.ones(m.data.size, dtype=bool), {}
    for a, (c, item) in enumerate(zip(m._coords, chosen.index)):
        if isinstance(item, int):
            keep &= c == item
        elif isinstance(item, slice):
            start, stop, step = item.indices(m._shape[a])
            count = len(range(start, stop, step))
            place = (c.astype("int64") - start) * (1 if step > 0 else -1)
            keep &= (place >= 0) & (place % abs(step) == 0) & (place // abs(step) < count)
            places[a] = place // abs(step)
    return keep, places


def _joined(m, chosen, at):
    """For elements `at` that integers and slices choose: (elements, places in the arrays of indices) that agree."""
    shape = [m._shape[a] for a in chosen.arrays]
    wanted = ravel([chosen.index[a].ravel() for a in chosen.arrays], shape)
    order = cp.argsort(wanted, kind="stable")
    wanted = wanted[order]
    have = ravel([m._coords[a][at] for a in chosen.arrays], shape)
    first, last = (cp.searchsorted(wanted, have, side=side) for side in ("left", "right"))
    times = last - first
    which = cp.repeat(cp.arange(at.size), times)
    ends = cp.cumsum(times)
    nth = cp.arange(which.size) - cp.repeat(ends - times, times)
    return at[which], order[first[which] + nth]


class IndexedAxes:
    """Parts of a coo array of any number of axes, read and set."""

    def _needs_axes(self, key):
        """Is the array, or what the key chooses of it, of more than two axes?"""
        if self.ndim > 2 or key is None:
            return True
        parts = key if isinstance(key, tuple) else (key,)
        return any(x is None for x in parts)

    def _get_axes(self, key):
        key = taken(key, self) if is_foreign(key) else key
        chosen = _Chosen(key, self._shape)
        keep, places = _within(self, chosen)
        at, number = cp.flatnonzero(keep), None
        if chosen.arrays:
            at, number = _joined(self, chosen, at)
        if chosen.shape == ():
            self.sum_duplicates()
            return self.data[_within(self, chosen)[0]].sum(dtype=type_of(self))
        fancy = iter(unravel(number, chosen.together) if chosen.together else ())
        coords = [cp.zeros(at.size, dtype="int64") if a is None else next(fancy) if a == "array" else places[a][at]
                  for a in chosen.axes]
        return class_of("coo", True)((self.data[at], tuple(coords)), shape=chosen.shape, dtype=type_of(self))

    def _set_axes(self, key, x):
        chosen = _Chosen(taken(key, self) if is_foreign(key) else key, self._shape)
        x = taken(x, self)
        keep, _ = _within(self, chosen)
        there = cp.flatnonzero(keep)
        if chosen.arrays:
            there, _ = _joined(self, chosen, there)
        data, coords = self._new_elements(chosen, x)
        drop = cp.zeros(self.data.size, dtype=bool)
        drop[there] = True
        stay = ~drop
        coords = tuple(cp.concatenate((c[stay], new.astype(type_of(c)))) for c, new in zip(self._coords, coords))
        self.data, self._coords = cp.concatenate((self.data[stay], data)), coords
        self.has_canonical_format = False

    def _new_elements(self, chosen, x):
        """The elements that are set and where, without zeros; of several at one place the last one."""
        shape, axes = chosen.shape, chosen.axes
        if not issparse(x):
            x = cp.asarray(x, dtype=type_of(self))
            while x.ndim > len(shape) and x.shape[0] == 1:
                x = x[0]
            x = class_of("coo", True)(cp.broadcast_to(x, shape).reshape(shape or (1,)))
        else:
            x = x.tocoo()
            while x.ndim > max(len(shape), 1) and x.shape[0] == 1:
                x = class_of("coo", True)._new(x.data, x._coords[1:], x.shape[1:])
            if any(a not in (1, b) for a, b in zip(x.shape[::-1], shape[::-1] or (1,))) or x.ndim > max(len(shape), 1):
                raise ValueError("shape mismatch in assignment")
            x.sum_duplicates()
            x = repeated(x, shape or (1,))
        places = {a: c for a, c in zip(axes, x._coords) if a != "array"}
        number = None
        if chosen.arrays:
            number = ravel([c for c, a in zip(x._coords, axes) if a == "array"], chosen.together) if chosen.together \
                else cp.zeros(x.data.size, dtype="int64")
        coords = []
        for a, item in enumerate(chosen.index):
            if isinstance(item, int):
                coords.append(cp.full(x.data.size, item, dtype="int64"))
            elif isinstance(item, slice):
                start, _, step = item.indices(self._shape[a])
                coords.append(start + places[a].astype("int64") * step)
            else:
                coords.append(item.ravel()[number])
        if chosen.arrays and x.data.size:
            place = ravel(coords, self._shape)
            _, last = cp.unique(place[::-1], return_index=True)
            last = place.size - 1 - last
            return x.data[last].astype(type_of(self)), [c[last] for c in coords]
        return x.data.astype(type_of(self), copy=False), coords

