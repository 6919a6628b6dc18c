"""Intrinsics that both interfaces have: barriers, shuffles, votes, atomics. Each interface gives them its names."""
from . import arithmetic
from .intrinsics import Dim3, Intrinsic, known_int
from .types import (BOOL, DOUBLE, FLOAT, HALF, INT32, INT64, UINT32, UINT64, VOID, Array)
from .values import Value, as_type, describe, known, make_tuple

FULL = 0xFFFFFFFF


def syncthreads(tr):
    """syncthreads(): waits for all threads of the block."""
    return Value(VOID, "__syncthreads()", pure=False)


def syncwarp(tr, mask=None):
    """Waits for the threads of the warp (of those in `mask`)."""
    return Value(VOID, f"__syncwarp({as_type(mask or known(FULL), UINT32)})", pure=False)


def laneid(tr):
    """The number of this thread in its warp."""
    return Value(UINT32, tr.unit.call("lane_id"), nonneg=True)


def thread_number(tr, axis, t=INT64):
    """blockIdx * blockDim + threadIdx along an axis."""
    wide = "" if t is UINT32 else "(long long)"
    return Value(t, f"({wide}blockIdx.{axis} * blockDim.{axis} + threadIdx.{axis})", nonneg=True)


def thread_count(tr, axis, t=INT64):
    """gridDim * blockDim along an axis."""
    wide = "" if t is UINT32 else "(long long)"
    return Value(t, f"({wide}gridDim.{axis} * blockDim.{axis})", nonneg=True)


def along(tr, ndim, one, t, word):
    """grid(ndim), gridsize(ndim): a number, or a tuple of two or three."""
    n = known_int(ndim, f"the argument of {word}")
    if n not in (1, 2, 3):
        raise ValueError(f"{word} has 1, 2 or 3 dimensions, not {n}")
    values = [one(tr, axis, t) for axis in "xyz"[:n]]
    return values[0] if n == 1 else make_tuple(values)


def places(index, t):
    """threadIdx, blockIdx, blockDim and gridDim, of the type `index`; grid and gridsize, of the type t."""
    def of_grid(word, one, what):
        return Intrinsic(word, lambda tr, ndim: along(tr, ndim, one, t, word),
                         f"{word}(ndim): {what}; for 2 and 3 dimensions a tuple.")
    return [*(Dim3(name, index) for name in ("threadIdx", "blockIdx", "blockDim", "gridDim")),
            of_grid("grid", thread_number, "the number of this thread in the grid"),
            of_grid("gridsize", thread_count, "how many threads the grid has")]


def shuffle(name, second):
    """__shfl_sync and its kin: `second` is the type of the lane argument."""
    def write(tr, mask, var, val_id, width=None):
        t = tr.rules.type_of(var)
        if t.kind == "c":
            raise TypeError("complex numbers cannot be exchanged between lanes")
        tr.unit.need_type(t)
        work = INT32 if t.size == 1 else FLOAT if t is HALF else INT32 if t.size == 2 else t
        text = as_type(Value(t, as_type(var, t)), work)
        w = "32" if width is None else as_type(width, INT32)
        call = f"{name}({as_type(mask, UINT32)}, {text}, {as_type(val_id, second)}, {w})"
        return Value(t, as_type(Value(work, call), t), pure=False)
    return write


SHUFFLES = {"shfl_sync": shuffle("__shfl_sync", INT32), "shfl_up_sync": shuffle("__shfl_up_sync", UINT32),
            "shfl_down_sync": shuffle("__shfl_down_sync", UINT32), "shfl_xor_sync": shuffle("__shfl_xor_sync", INT32)}


def element(tr, array, index, word):
    """The element array[index] of an atomic operation."""
    if not isinstance(array.type, Array):
        raise TypeError(f"{word} works on an element of an array, not on {describe(array)}")
    place = tr.subscript(array, index)
    if not place.lvalue:
        raise TypeError(f"{word}: the index must name one element")
    return place


_WIDE = {INT64: UINT64}     # CUDA has the operation for the unsigned type only, with the same bits
_HAS = {"add": "i4 u4 u8 f4 f8 f2", "exch": "i4 u4 u8 f4", "min": "i4 u4 i8 u8", "max": "i4 u4 i8 u8",
        "and": "i4 u4 u8", "or": "i4 u4 u8", "xor": "i4 u4 u8", "cas": "i4 u4 u8 u2", "sub": "i4 u4",
        "inc": "u4", "dec": "u4"}


def _refuse(word, t):
    raise TypeError(f"{word} is not there for {t.name}")


def _call(tr, c_name, place, values, work):
    t = place.type
    pointer = f"&{place.code}" if work is t else f"({work.c} *)&{place.code}"
    text = f"{c_name}({', '.join([pointer] + values)})"
    return Value(t, text if work is t else f"(({t.c}){text})", pure=False)


def atomic(tr, op, array, index, value, word=None, over_nan=True):
    """One atomic operation on array[index]; the value before it. over_nan: min and max replace a NaN."""
    word = word or f"atomic_{op}"
    place = element(tr, array, index, word)
    t = place.type
    tr.unit.need_type(t)
    if op in ("and", "or", "xor", "inc", "dec") and not t.integer or t.kind == "c" or t.size == 1:
        _refuse(word, t)
    tr.rules.stored(t, value)
    v = as_type(value, t)
    if op == "sub":
        if t.short not in _HAS["sub"]:
            op, negative = "add", arithmetic.unary(tr.unit, "-", Value(t, v)) if t is not UINT64 else None
            v = as_type(negative, t) if negative else f"(0 - {v})"
    if op in ("inc", "dec") and t in (UINT64, INT64):
        return _call(tr, tr.unit.call(f"atomic_wide_{op}", "").split("(")[0], place, [f"({UINT64.c}){v}"], UINT64)
    if op in ("min", "max") and t.kind == "f" and t is not HALF:
        tr.unit.need("bits_cas")
        text = tr.unit.call(f"atomic_float_{op}{'' if over_nan else '_plain'}", f"&{place.code}", v)
        return Value(t, text, pure=False)
    if op == "exch" and t is DOUBLE:
        text = f"__longlong_as_double(atomicExch((unsigned long long *)&{place.code}, __double_as_longlong({v})))"
        return Value(t, text, pure=False)
    work = t if t.short in _HAS[op].split() else _WIDE.get(t) if t in _WIDE else None
    if work is None:
        _refuse(word, t)
    if work is not t:
        v = f"({work.c}){v}"
    return _call(tr, f"atomic{op.capitalize()}", place, [v], work)


def compare_and_swap(tr, array, index, old, value, word="atomic_cas"):
    """array[index] becomes value if it is old; what it was."""
    place = element(tr, array, index, word)
    t = place.type
    tr.unit.need_type(t)
    if t.kind == "c" or t.size == 1:
        _refuse(word, t)
    a, b = as_type(old, t), as_type(value, t)
    if t.kind == "f" or t.short == "i2":
        return Value(t, tr.unit.call("atomic_bits_cas", f"&{place.code}", a, b), pure=False)
    if t.short == "u2":
        return _call(tr, "atomicCAS", place, [a, b], t)
    work = _WIDE.get(t, t)
    if work is not t:
        a, b = f"({work.c}){a}", f"({work.c}){b}"
    return _call(tr, "atomicCAS", place, [a, b], work)


def vote(name, result):
    """__all_sync and its kin."""
    def write(tr, mask, predicate):
        text = f"{name}({as_type(mask, UINT32)}, {arithmetic.truth(predicate)})"
        return Value(result, f"({text} != 0)" if result is BOOL else text, pure=False)
    return write


def void(text):
    """An intrinsic without arguments and result."""
    return lambda tr: Value(VOID, text, pure=False)


