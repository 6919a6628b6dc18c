"""What kernels of jit.rawkernel may use. Indices are uint32, as in CUDA."""

from cuprite._compiler.ast import shared_intrinsics as s
from cuprite._compiler.ast.intrinsics import Intrinsic, Range, dynamic_array, intrinsic, known_shape, static_array
from cuprite._compiler.ast.intrinsics import known_int, known_type
from cuprite._compiler.ast.types import UINT32

threadIdx, blockIdx, blockDim, gridDim, grid, gridsize = s.places(UINT32, UINT32)
warpsize = 32
laneid = Intrinsic("laneid", s.laneid, "laneid(): the number of this thread in its warp.")
range = Range("range", None, "range(start, stop, step, unroll=None): a loop that the compiler may unroll.")
syncthreads = Intrinsic("syncthreads", s.syncthreads, s.syncthreads.__doc__)


@intrinsic()
def syncwarp(tr, *, mask=None):
    """syncwarp(mask=0xffffffff): waits for the threads of the warp."""
    return s.syncwarp(tr, mask)


@intrinsic()
def shared_memory(tr, dtype, size, alignment=None):
    """shared_memory(dtype, size): an array that the threads of a block share; size None: what the launch gives."""
    special = getattr(dtype.const, "storage", None) if dtype.known else None
    if special is not None:
        return special(tr)
    t = known_type(dtype)
    if alignment is not None and alignment.known and alignment.const is not None:
        align = known_int(alignment, "the alignment")
        if align & (align - 1) or align < t.size:
            raise ValueError(f"shared_memory: the alignment must be a power of two and at least {t.size}")
        place = f"__shared__ __align__({align}) "
    else:
        place = "__shared__ "
    if size.known and size.const is None:
        return dynamic_array(tr, t)
    return static_array(tr, place, known_shape(size), t)


def _atomic(op):
    def write(tr, array, index, value, alt_value=None):
        if alt_value is not None:
            raise TypeError(f"atomic_{op} takes one value")
        return s.atomic(tr, op, array, index, value)
    return Intrinsic(f"atomic_{op}", write, f"atomic_{op}(array, index, value): the element before the operation.")


(atomic_add, atomic_sub, atomic_exch, atomic_min, atomic_max, atomic_inc, atomic_dec, atomic_and, atomic_or,
 atomic_xor) = map(_atomic, ("add", "sub", "exch", "min", "max", "inc", "dec", "and", "or", "xor"))


@intrinsic()
def atomic_cas(tr, array, index, value, alt_value=None):
    """atomic_cas(array, index, old, new): the element becomes `new` if it is `old`; what it was."""
    if alt_value is None:
        raise TypeError("atomic_cas takes two values: the one that is expected and the new one")
    return s.compare_and_swap(tr, array, index, value, alt_value)


def _shuffle(name):
    write = s.SHUFFLES[name]

    def keyword_only(tr, mask, var, val_id, *, width=None):
        return write(tr, mask, var, val_id, width)
    return Intrinsic(name, keyword_only, f"{name}(mask, var, val_id, width=32): a value of another lane of the warp.")


shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync = map(
    _shuffle, ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"))
