"""cupyx.distributed.array: arrays in chunks on several devices, by one program.

In one process the devices are GPUs by their numbers; without a GPU every number is a share of the CPU, so the program
gives the same answer. After init_process_group(n, rank, backend="mpi") on the CPU the devices are the ranks: every rank
runs the same program and holds its own chunks.
"""
from typing import Optional

from cuprite._missing import getter as _getter
from cuprite.distributed.array._array import DistributedArray, distributed_array, matmul
from cuprite.distributed.array._index import make_2d_index_map
from cuprite.distributed.array._modes import MAX, MIN, PROD, REPLICA, SUM, OpMode

__all__ = ["DistributedArray", "MAX", "MIN", "Mode", "PROD", "REPLICA", "SUM", "distributed_array",
           "make_2d_index_map", "matmul"]
__getattr__ = _getter(__name__)
Mode = Optional[OpMode]
