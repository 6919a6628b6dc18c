"""A worker for each device of this machine."""
import importlib.util
import logging
import operator
import os
import re

import cuprite


def _devices():
    n = cuprite.cuda.runtime.getDeviceCount() if cuprite.cuda.Device().backend == "cuda" else 0
    return [f"cuda:{i}" for i in range(n)] or ["cpu"]


def _environment(device, threads):
    """A GPU's worker sees that one alone."""
    kind, _, number = device.partition(":")
    if kind != "cuda":
        return {"CUPRITE_DEVICE": device, "CUPRITE_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads),
                "CUPRITE_POOL": "off"}  # the limit is on what the process has, and a pool keeps what was spilled
    seen = [v for v in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if v]
    return {"CUDA_VISIBLE_DEVICES": seen[int(number or 0)] if seen else number or "0", "CUPRITE_DEVICE": "cuda:0"}


def _bytes(name, limit):
    from dask.utils import parse_bytes
    n = None if limit in (None, 0) else parse_bytes(limit)
    if n is not None and n <= 0:
        raise ValueError(f"{name} must be a number of bytes above 0, not {limit!r}")
    return n


def _number(name, n):
    if operator.index(n) < 1:
        raise ValueError(f"{name} must be 1 or more, not {n}")
    return operator.index(n)


def _names(devices):
    """Devices' names. A GPU's worker may lie in a process that sees other GPUs than this one: only words are checked.

    Parameters: devices: names, or one."""
    devices = [devices] if isinstance(devices, str) else [str(d) for d in devices]
    for d in devices:
        if not re.fullmatch(r"cpu|(cuda|late)(:\d+)?", d):
            raise ValueError(f"devices: {d!r} is no device; expected cpu, cuda or cuda:N")
    return devices


def LocalCluster(n_workers=None, *, devices=None, threads_per_worker=1, memory_limit="auto", device_memory_limit=None,
                 local_directory=None, host="127.0.0.1", dashboard_address=None, **options):
    """A scheduler and workers on this machine, a process for each device, for `distributed.Client(cluster)`. Where
    there are GPUs and dask-cuda is installed it is dask-cuda's LocalCUDACluster.

    Parameters: n_workers: how many, the devices in turn; devices: names such as "cuda:0" (every GPU; the CPU where
        there is none); threads_per_worker: tasks at the same time; memory_limit: host memory of a worker, bytes or
        "4 GB": from 60 % of it on results go to disk; device_memory_limit: bytes of results on a device, more go to
        host memory; local_directory: where files go; host: the address; dashboard_address: ":8787", None: no
        dashboard; **options: more for the cluster's class.

    Errors: ImportError where distributed is not installed; TypeError, ValueError for what is no number of workers,
        threads or bytes, or no device.
    """
    from distributed import Nanny, Scheduler, SpecCluster
    from distributed.worker_memory import parse_memory_limit, worker_logger
    if devices is None and _devices() != ["cpu"] and importlib.util.find_spec("dask_cuda"):
        from dask_cuda import LocalCUDACluster
        if device_memory_limit is not None:
            options["device_memory_limit"] = device_memory_limit
        return LocalCUDACluster(n_workers=n_workers, threads_per_worker=threads_per_worker, memory_limit=memory_limit,
                                local_directory=local_directory, host=host, dashboard_address=dashboard_address,
                                **options)
    devices = _names(devices or _devices())
    n = _number("n_workers", n_workers or len(devices))
    _number("threads_per_worker", threads_per_worker)
    limit = parse_memory_limit(memory_limit, 1, n, logger=worker_logger)
    if limit is not None and limit <= 0:
        raise ValueError(f"memory_limit must be a number of bytes above 0, not {memory_limit!r}")
    threads = max(1, len(os.sched_getaffinity(0)) // n)
    on_device = _bytes("device_memory_limit", device_memory_limit)
    store = {"device_limit": on_device, "host_limit": limit and int(0.6 * limit)}
    workers = {}
    for i in range(n):
        device = devices[i % len(devices)]
        some = {"nthreads": threads_per_worker, "memory_limit": limit, "local_directory": local_directory, "host": host,
                "env": _environment(device, threads), "dashboard": False}
        if not device.startswith("cpu"):
            from cuprite.dask._memory import DeviceMemory
            some["data"] = DeviceMemory, store
        workers[i] = {"cls": Nanny, "options": some}
    scheduler = {"cls": Scheduler, "options": {"host": host, "port": 0, "dashboard": dashboard_address is not None,
                                               "dashboard_address": dashboard_address or ":0"}}
    return SpecCluster(workers, scheduler, **{"silence_logs": logging.WARNING, **options})
