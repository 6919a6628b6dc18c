"""jit.cg: groups of threads that are told to wait for each other."""
from __future__ import annotations

from cuprite._compiler.ast import arrays
from cuprite._compiler.ast.intrinsics import METHODS, intrinsic
from cuprite._compiler.ast.types import INT64, UINT32, VOID, Array, Opaque
from cuprite._compiler.ast.values import Value, as_type, describe, known, make_tuple

BLOCK, GRID = "cooperative_groups::thread_block", "cooperative_groups::grid_group"


@intrinsic("cg.this_thread_block")
def this_thread_block(tr):
    """this_thread_block(): the group of the threads of the block."""
    return known(_Block())


@intrinsic("cg.this_grid")
def this_grid(tr):
    """this_grid(): the group of the threads of the grid."""
    tr.unit.need("#groups")
    tr.unit.cooperative = True
    return Value(Opaque(GRID), "cooperative_groups::this_grid()")


class _Block:
    """The threads of the block: known while the kernel is written, for its text is CUDA's own names."""

    def _kernel_attribute(self, tr, name):
        from cuprite._compiler.ast.intrinsics import Method
        if name not in _OF_BLOCK:
            raise AttributeError(f"a thread block has no attribute {name!r}")
        return known(Method(name, _OF_BLOCK[name]))


def _three(name):
    return lambda tr: make_tuple([Value(UINT32, f"{name}.{axis}", nonneg=True) for axis in "xyz"])


def _rank(tr):
    return Value(UINT32, "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))", nonneg=True)


def _count(tr):
    return Value(UINT32, "(blockDim.x * blockDim.y * blockDim.z)", nonneg=True)


def _barrier(tr):
    return Value(VOID, "__syncthreads()", pure=False)


_OF_BLOCK = {"sync": _barrier, "thread_rank": _rank, "size": _count, "num_threads": _count,
             "group_index": _three("blockIdx"), "thread_index": _three("threadIdx"), "group_dim": _three("blockDim"),
             "dim_threads": _three("blockDim")}


def _of_grid(text, t):
    return lambda tr, g: Value(t, text.format(g.code), pure=t is not VOID, nonneg=True)


METHODS.setdefault(GRID, {}).update({
    "sync": lambda tr, g: Value(VOID, f"{g.code}.sync()", pure=False),
    "is_valid": lambda tr, g: known(True),
    "size": _of_grid("((long long)(gridDim.x * gridDim.y * gridDim.z) * (blockDim.x * blockDim.y * blockDim.z))",
                     INT64),
    "thread_rank": _of_grid("((long long)(blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)) * "
                            "(blockDim.x * blockDim.y * blockDim.z) + threadIdx.x + blockDim.x * (threadIdx.y + "
                            "blockDim.y * threadIdx.z))", INT64),
    "num_threads": _of_grid("((long long)(gridDim.x * gridDim.y * gridDim.z) * (blockDim.x * blockDim.y * "
                            "blockDim.z))", INT64),
    "num_blocks": _of_grid("((long long)gridDim.x * gridDim.y * gridDim.z)", INT64),
    "block_rank": _of_grid("((long long)blockIdx.x + gridDim.x * (blockIdx.y + (long long)gridDim.y * blockIdx.z))",
                           INT64),
    "block_index": lambda tr, g: _three("blockIdx")(tr),
    "dim_blocks": lambda tr, g: _three("gridDim")(tr),
    "group_dim": lambda tr, g: _three("gridDim")(tr),
})


def _waits(tr, group, word):
    if group.known and isinstance(group.const, _Block):
        return _barrier(tr)
    if isinstance(group.type, Opaque) and group.type.c == GRID:
        return Value(VOID, f"{group.code}.sync()", pure=False)
    raise TypeError(f"cg.{word} takes a group, not {describe(group)}")


@intrinsic("cg.sync")
def sync(tr, group):
    """sync(group): waits for all threads of the group."""
    return _waits(tr, group, "sync")


@intrinsic("cg.wait")
def wait(tr, group):
    """wait(group): waits until the copies of the group are done."""
    return _waits(tr, group, "wait")


@intrinsic("cg.wait_prior")
def wait_prior(tr, group, step=None):
    """wait_prior(group): waits until the copies of the group are done."""
    return _waits(tr, group, "wait_prior")


@intrinsic("cg.memcpy_async")
def memcpy_async(tr, group, dst, dst_idx, src, src_idx, size, *, aligned_size=None):
    """memcpy_async(group, dst, dst_idx, src, src_idx, size): the block copies `size` bytes; wait(group) waits
    for it."""
    if not (group.known and isinstance(group.const, _Block)):
        raise TypeError(f"cg.memcpy_async takes a thread block, not {describe(group)}")
    for v in (dst, src):
        if not isinstance(v.type, Array):
            raise TypeError(f"cg.memcpy_async copies between arrays, not {describe(v)}")
    if dst.type.dtype is not src.type.dtype:
        raise TypeError("cg.memcpy_async copies between arrays of one type")
    places = [arrays.take(tr.unit, v, arrays.index_items(i)).code for v, i in ((dst, dst_idx), (src, src_idx))]
    text = tr.unit.call("block_copy", f"&{places[0]}", f"&{places[1]}", as_type(size, INT64), _rank(tr).code,
                        _count(tr).code)
    return Value(VOID, text, pure=False)
