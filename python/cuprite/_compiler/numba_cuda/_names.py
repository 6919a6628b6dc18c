"""What kernels of cuda.jit may use. Indices are int32, grid() and gridsize() int64, as in Numba."""
from cuprite._compiler.ast import arithmetic, functions
from cuprite._compiler.ast import shared_intrinsics as s
from cuprite._compiler.ast.intrinsics import (METHODS, Intrinsic, dynamic_array, intrinsic, known_shape, known_type,
                                     static_array)
from cuprite._compiler.ast.types import BOOL, INT32, INT64, UINT32, UINT64, Array, Opaque, VOID
from cuprite._compiler.ast.values import Value, as_type, describe, known, make_tuple

__all__ = ["threadIdx", "blockIdx", "blockDim", "gridDim", "grid", "gridsize", "syncthreads", "syncthreads_count",
           "syncthreads_and", "syncthreads_or", "syncwarp", "threadfence", "threadfence_block", "threadfence_system",
           "shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync", "all_sync", "any_sync", "eq_sync",
           "ballot_sync", "match_any_sync", "match_all_sync", "activemask", "lanemask_lt", "popc", "brev", "clz", "ffs",
           "fma", "cbrt", "selp", "nanosleep", "atomic", "shared", "local", "const", "laneid", "warpsize", "cg"]

threadIdx, blockIdx, blockDim, gridDim, grid, gridsize = s.places(INT32, INT64)
warpsize = 32


class _Lane:
    """laneid: a name without a call."""

    def __repr__(self):
        return "<laneid, for kernels>"

    def _kernel_value(self, tr):
        v = s.laneid(tr)
        return Value(INT32, f"((int){v.code})", nonneg=True)


laneid = _Lane()
syncthreads = Intrinsic("syncthreads", s.syncthreads, s.syncthreads.__doc__)
syncwarp = Intrinsic("syncwarp", s.syncwarp, s.syncwarp.__doc__)
threadfence = Intrinsic("threadfence", s.void("__threadfence()"), "Orders memory for the whole device.")
threadfence_block = Intrinsic("threadfence_block", s.void("__threadfence_block()"), "Orders memory for the block.")
threadfence_system = Intrinsic("threadfence_system", s.void("__threadfence_system()"), "Orders memory for all.")


def _sync(name):
    def write(tr, predicate):
        return Value(INT32, f"__{name}({arithmetic.truth(predicate)})", pure=False)
    return Intrinsic(name, write, f"{name}(predicate): a barrier that counts or joins what the threads say.")


syncthreads_count, syncthreads_and, syncthreads_or = map(_sync, ("syncthreads_count", "syncthreads_and",
                                                                 "syncthreads_or"))


def _shuffle(name):
    write = s.SHUFFLES[name]

    def three(tr, mask, value, lane):
        return write(tr, mask, value, lane)
    return Intrinsic(name, three, f"{name}(mask, value, lane): a value of another lane of the warp.")


shfl_sync, shfl_up_sync, shfl_down_sync, shfl_xor_sync = map(
    _shuffle, ("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"))
all_sync = Intrinsic("all_sync", s.vote("__all_sync", BOOL))
any_sync = Intrinsic("any_sync", s.vote("__any_sync", BOOL))
ballot_sync = Intrinsic("ballot_sync", s.vote("__ballot_sync", UINT32))
activemask = Intrinsic("activemask", lambda tr: Value(UINT32, "__activemask()", pure=False))


@intrinsic()
def eq_sync(tr, mask, predicate):
    """Whether the predicate is the same in all lanes of the mask."""
    m, p = as_type(mask, UINT32), arithmetic.truth(predicate)
    if not (mask.pure and predicate.pure):
        raise TypeError("eq_sync: give the predicate a name first")
    names = [tr.fresh("all_true"), tr.fresh("any_true")]
    for name, call in zip(names, ("__all_sync", "__any_sync")):
        tr.put_before(f"int {name} = {call}({m}, {p});")
    return Value(BOOL, f"({names[0]} != 0 || {names[1]} == 0)", pure=False)


@intrinsic()
def lanemask_lt(tr):
    """A mask of the lanes before this one."""
    return Value(UINT32, f"((1u << {s.laneid(tr).code}) - 1u)")


@intrinsic()
def match_any_sync(tr, mask, value):
    """The lanes that have the same value."""
    return Value(UINT32, f"__match_any_sync({as_type(mask, UINT32)}, {as_type(value, tr.rules.type_of(value))})",
                 pure=False)


@intrinsic()
def match_all_sync(tr, mask, value):
    """(mask, True) if all lanes of the mask have the same value, else (0, False)."""
    flag, lanes = tr.fresh("same"), tr.fresh("lanes")
    tr.put_before(f"int {flag};")
    tr.put_before(f"unsigned int {lanes} = __match_all_sync({as_type(mask, UINT32)}, "
                  f"{as_type(value, tr.rules.type_of(value))}, &{flag});")
    return make_tuple([Value(UINT32, lanes), Value(BOOL, f"({flag} != 0)")])


def _bits(name, narrow, wide, result=None):
    def write(tr, x):
        t = tr.rules.type_of(x)
        if not t.integer:
            raise TypeError(f"{name} is for integers, not {t.name}")
        big = t.size == 8
        work = (UINT64 if big else UINT32) if name in ("popc", "brev") else (INT64 if big else INT32)
        text = f"{wide if big else narrow}({as_type(x, work)})"
        return Value(result or work, text, pure=x.pure, nonneg=True)
    return Intrinsic(name, write)


popc = _bits("popc", "__popc", "__popcll", INT32)
brev = _bits("brev", "__brev", "__brevll")
clz = _bits("clz", "__clz", "__clzll", INT32)
ffs = _bits("ffs", "__ffs", "__ffsll", INT32)


@intrinsic()
def fma(tr, a, b, c):
    """a * b + c, rounded once."""
    return functions.run(tr, "fma", a, b, c)


cbrt = Intrinsic("cbrt", lambda tr, x: functions.run(tr, "cbrt", x), "The cube root.")


@intrinsic()
def selp(tr, condition, a, b):
    """a if the condition holds, else b."""
    return arithmetic.choose(tr.unit, arithmetic.truth(condition), a, b, condition.pure)


@intrinsic()
def nanosleep(tr, ns):
    """Sleeps about as many nanoseconds."""
    return Value(VOID, f"__nanosleep({as_type(ns, UINT32)})", pure=False)


class _Namespace:
    """shared, local, const, atomic, cg: names with members."""

    def __init__(self, **members):
        self.__dict__.update(members)


@intrinsic("shared.array")
def _shared_array(tr, shape, dtype):
    """shared.array(shape, dtype): an array that the threads of a block share; shape 0: what the launch gives."""
    t, extents = known_type(dtype), known_shape(shape)
    if extents == [0]:
        return dynamic_array(tr, t)
    return static_array(tr, "__shared__ ", extents, t)


@intrinsic("local.array")
def _local_array(tr, shape, dtype):
    """local.array(shape, dtype): an array of this thread alone."""
    return static_array(tr, "", known_shape(shape), known_type(dtype))


@intrinsic("const.array_like")
def _const_array(tr, ary):
    """const.array_like(ary): a NumPy array of the surroundings, as a constant of the kernel."""
    if isinstance(ary.type, Array):
        return ary
    import numpy
    if not ary.known:
        raise TypeError(f"const.array_like takes a NumPy array of the surroundings, not {describe(ary)}")
    x = ary.const
    return tr.unit.constant_array(x if isinstance(x, numpy.ndarray) else numpy.asarray(x))


def _atomic(op):
    def write(tr, ary, idx, val):
        return s.atomic(tr, op, ary, idx, val, f"atomic.{op}", over_nan=False)
    return Intrinsic(f"atomic.{op}", write, f"atomic.{op}(ary, idx, val): the element before the operation.")


@intrinsic("atomic.compare_and_swap")
def _compare_and_swap(tr, ary, old, val):
    """ary[0] becomes val if it is old; what it was."""
    return s.compare_and_swap(tr, ary, known(0), old, val, "atomic.compare_and_swap")


@intrinsic("atomic.cas")
def _cas(tr, ary, idx, old, val):
    """ary[idx] becomes val if it is old; what it was."""
    return s.compare_and_swap(tr, ary, idx, old, val, "atomic.cas")


@intrinsic("atomic.nanmax")
def _nanmax(tr, ary, idx, val):
    """atomic.max, for which a NaN is smaller than all."""
    return s.atomic(tr, "max", ary, idx, val, "atomic.nanmax")


@intrinsic("atomic.nanmin")
def _nanmin(tr, ary, idx, val):
    """atomic.min, for which a NaN is greater than all."""
    return s.atomic(tr, "min", ary, idx, val, "atomic.nanmin")


shared = _Namespace(array=_shared_array)
local = _Namespace(array=_local_array)
const = _Namespace(array_like=_const_array)
atomic = _Namespace(**{op: _atomic(op) for op in ("add", "sub", "exch", "min", "max", "inc", "dec", "xor")},
                    and_=_atomic("and"), or_=_atomic("or"), compare_and_swap=_compare_and_swap, cas=_cas,
                    nanmax=_nanmax, nanmin=_nanmin)

GRID_GROUP = "cooperative_groups::grid_group"


@intrinsic("cg.this_grid")
def _this_grid(tr):
    """The group of all threads of the grid; its sync() is a barrier for them."""
    tr.unit.need("#groups")
    tr.unit.cooperative = True
    return Value(Opaque(GRID_GROUP), "cooperative_groups::this_grid()")


METHODS.setdefault(GRID_GROUP, {})["sync"] = lambda tr, g: Value(VOID, f"{g.code}.sync()", pure=False)
cg = _Namespace(this_grid=_this_grid)
