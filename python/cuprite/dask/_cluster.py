"""A worker for each device of this machine."""
import importlib.util
import os

import cuprite


def _devices():
    n = cuprite.cuda.runtime.getDeviceCount() if cuprite.cuda.Device().backend == "cuda" else 0
    return [f"cuda:{i}" for i in range(n)] or ["cpu"]


def _environment(device, threads):
    """A GPU's worker sees that one alone."""
    kind, _, number = device.partition(":")
    if kind != "cuda":
        return {"CUPRITE_DEVICE": device, "CUPRITE_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    seen = [v for v in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if v]
    return {"CUDA_VISIBLE_DEVICES": seen[int(number or 0)] if seen else number or "0", "CUPRITE_DEVICE": "cuda:0"}


def _bytes(limit):
    from dask.utils import parse_bytes
    return None if limit in (None, 0) else parse_bytes(limit)


def LocalCluster(n_workers=None, *, devices=None, threads_per_worker=1, memory_limit="auto", device_memory_limit=None,
                 local_directory=None, host="127.0.0.1", dashboard_address=None, **options):
    """A scheduler and workers on this machine, a process for each device, for `distributed.Client(cluster)`. Where
    there are GPUs and dask-cuda is installed it is dask-cuda's LocalCUDACluster.

    Parameters: n_workers: how many, the devices in turn; devices: names such as "cuda:0" (every GPU; the CPU where
        there is none); threads_per_worker: tasks at the same time; memory_limit: host memory of a worker, bytes or
        "4 GB": from 60 % of it on results go to disk; device_memory_limit: bytes of results on a device, more go to
        host memory; local_directory: where files go; host: the address; dashboard_address: ":8787", None: no
        dashboard; **options: more for the cluster's class.

    Errors: ImportError where distributed is not installed; ValueError for what is no number of bytes.
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
    devices = [str(d) for d in devices or _devices()]
    n = n_workers or len(devices)
    limit = parse_memory_limit(memory_limit, 1, n, logger=worker_logger)
    threads = max(1, len(os.sched_getaffinity(0)) // n)
    store = {"device_limit": _bytes(device_memory_limit), "host_limit": limit and int(0.6 * limit)}
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
                                               "dashboard_address": dashboard_address}}
    return SpecCluster(workers, scheduler, **options)
