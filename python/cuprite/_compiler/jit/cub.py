"""jit.cub: folds over the threads of a warp and of a block. The result is that of the first thread."""
from __future__ import annotations

from cuprite._compiler.ast.intrinsics import Intrinsic, Method, static_array
from cuprite._compiler.ast.types import UINT32, scalar
from cuprite._compiler.ast.values import Value, as_type, describe, known


class _Operation:
    def __init__(self, name, c):
        self.__name__, self.c = name, c


def _operation(name, c):
    made = _Operation(name, c)
    return Intrinsic(f"cub.{name}", lambda tr: known(made), f"{name}(): an operation for Reduce.")


Sum, Max, Min = _operation("Sum", "sum_op"), _operation("Max", "max_op"), _operation("Min", "min_op")


class _TempStorage:
    """The dtype of shared memory that a fold needs."""

    def __init__(self, t, count):
        self._t, self._count = t, count

    def storage(self, tr):
        return known(_Storage(static_array(tr, "__shared__ ", [self._count], self._t) if self._count else None))


class _Storage:
    def __init__(self, array):
        self.array = array

    def _kernel_subscript(self, tr, index):
        return known(self)


class _Reduce:
    """WarpReduce[dtype], BlockReduce[dtype, threads]: called in a kernel with its storage."""

    def __init__(self, name, t, count):
        self.__name__, self._t, self._count = name, t, count
        self.TempStorage = _TempStorage(t, count)

    def _kernel_value(self, tr):
        made = Intrinsic(self.__name__, self._bind)
        made.TempStorage = self.TempStorage
        return known(made)

    def _bind(self, tr, temp_storage):
        if not (temp_storage.known and isinstance(temp_storage.const, _Storage)):
            raise TypeError(f"{self.__name__} takes an element of shared_memory({self.__name__}.TempStorage, 1), not "
                            f"{describe(temp_storage)}")
        return known(_Bound(self, temp_storage.const.array))


class _Bound:
    def __init__(self, fold, array):
        self.fold, self.array = fold, array

    def _kernel_attribute(self, tr, name):
        if name == "Sum":
            return known(Method(name, lambda tr, value, valid_items=None: self._reduced(tr, value, "sum_op",
                                                                                        valid_items)))
        if name == "Reduce":
            return known(Method(name, self._reduce))
        raise AttributeError(f"{self.fold.__name__} has no attribute {name!r}")

    def _reduce(self, tr, value, op, valid_items=None):
        if not (op.known and isinstance(op.const, _Operation)):
            raise TypeError(f"Reduce folds by cub.Sum(), cub.Max() or cub.Min(), not by {describe(op)}")
        return self._reduced(tr, value, op.const.c, valid_items)

    def _reduced(self, tr, value, op, valid_items):
        t = self.fold._t
        tr.unit.need_type(t)
        tr.unit.need(op)
        if self.array is None:
            valid = "32u" if valid_items is None else as_type(valid_items, UINT32)
            name = "warp_fold_complex" if t.kind == "c" else "warp_reduce"
            text = tr.unit.call(name, as_type(value, t), f"{op}()", valid, tr.unit.call("lane_id"))
        else:
            count = str(self.fold._count)
            text = tr.unit.call("block_reduce", self.array.code, as_type(value, t), f"{op}()",
                                f"{count}u" if valid_items is None else as_type(valid_items, UINT32),
                                "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))")
        return Value(t, text, pure=False)


class _Subscripted:
    """BlockReduce[type, threads, ...] and WarpReduce[type]: what folds values over the threads of a block or a warp."""

    def __init__(self, name):
        self.__name__ = name

    def __getitem__(self, parameters):
        parameters = parameters if isinstance(parameters, tuple) else (parameters,)
        t = scalar(parameters[0])
        if self.__name__ == "WarpReduce":
            if len(parameters) > 1 and parameters[1] != 32:
                raise NotImplementedError("cub.WarpReduce folds over 32 threads")
            return _Reduce("WarpReduce", t, 0)
        if len(parameters) < 2:
            raise TypeError("cub.BlockReduce[dtype, threads] needs the number of threads")
        count = 1
        for n in parameters[1:]:
            count *= int(n)
        return _Reduce("BlockReduce", t, count)

    def _kernel_subscript(self, tr, index):
        if not index.known:
            raise TypeError(f"cub.{self.__name__} is subscripted with a dtype and constants")
        return self[index.const]._kernel_value(tr)

    def __call__(self, *args):
        raise RuntimeError(f"cub.{self.__name__}[dtype, ...] is used in a kernel")


BlockReduce, WarpReduce = _Subscripted("BlockReduce"), _Subscripted("WarpReduce")
