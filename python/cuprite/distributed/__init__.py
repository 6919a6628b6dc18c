"""cupyx.distributed: collectives of arrays between processes, a GPU each or none.

Backends are engines of others: NCCL between GPUs, MPI between processes. A program that asks for NCCL where there is
no GPU gets MPI on the CPU, with the same calls: start it with `mpiexec -n 4 python PROGRAM`.
"""
from cuprite._missing import getter as _getter, listing as _listing
from cuprite.distributed._errors import DistributedError, DistributedTimeout

_LATER = {"MPIBackend": "_mpi", "NCCLBackend": "_nccl", "is_cuda_aware": "_mpi"}
_nothing = _getter(__name__)
_PORT = 13333
_groups = {}  # "ranks": the group of MPI's ranks that was made last, which distributed.array takes for devices


def __getattr__(name):
    if name not in _LATER and name != "array":
        return _nothing(name)
    import importlib
    module = importlib.import_module(f"{__name__}.{_LATER.get(name, name)}")
    value = globals()[name] = module if name == "array" else getattr(module, name)
    return value


__dir__ = _listing(__name__, "array", *_LATER)


def _number(variable, kind, otherwise):
    """What a variable of the environment says."""
    import os
    text = os.environ.get(variable, otherwise)
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"{variable} must be a number, not {text!r}") from None


def init_process_group(n_devices, rank, *, backend="nccl", host=None, port=None, use_mpi=False, timeout=None,
                       check=None):
    """Makes this process a rank of a group, and returns its collectives.

    Parameters: n_devices: ranks of the group; rank: this one's number, from 0; backend: 'nccl' or 'mpi'; where there
        is no GPU 'nccl' is MPI too; host, port: where rank 0 listens for the others before NCCL can be used, or None:
        CUPYX_DISTRIBUTED_HOST and CUPYX_DISTRIBUTED_PORT, or 127.0.0.1 and 13333; use_mpi: the ranks meet by MPI
        instead; timeout: seconds that a rank waits for others, or None: CUPRITE_DISTRIBUTED_TIMEOUT, or 600; check:
        whether ranks compare their calls, or None: with NCCL those that are new, with MPI all.
    Errors: TypeError for what is no number; ValueError for numbers that are none of a rank, a port or a time, or
        another backend; DistributedError where ranks do not come; NotImplementedError where there is no NCCL or no
        mpi4py.

    Example:
        >>> cp.distributed.init_process_group(2, 2)
        Traceback (most recent call last):
            ...
        ValueError: Invalid number of rank 2 2
    """
    import os
    from cuprite.distributed._backend import checked_rank
    n_devices, rank = checked_rank(n_devices, rank)
    if backend not in ("nccl", "mpi"):
        raise ValueError(f"{backend} is not supported")
    if host is None:
        host = os.environ.get("CUPYX_DISTRIBUTED_HOST", "127.0.0.1")
    if port is None:
        port = _number("CUPYX_DISTRIBUTED_PORT", int, _PORT)
    if timeout is None:
        timeout = _number("CUPRITE_DISTRIBUTED_TIMEOUT", float, 600)
    from cuprite.cuda import Device
    of_gpus = backend == "nccl" and Device().backend == "cuda"
    kind = __getattr__("NCCLBackend" if of_gpus else "MPIBackend")
    group = kind(n_devices, rank, host, port, use_mpi, timeout=timeout, check=check)
    if not of_gpus:
        _groups["ranks"] = group
    return group
