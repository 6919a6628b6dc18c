"""Dask with Cuprite's arrays: dask.array of chunks on CPUs and GPUs, and distributed's workers with their devices.

    import cuprite, dask.array
    dask.config.set({"array.backend": "cuprite"})
    x = dask.array.ones((40000, 40000), chunks=5000)

Nothing of this module need be imported for that: Dask knows the arrays once a program has imported both, and the
backend's name too, which it also finds where Cuprite is installed with pip. What is here is what Dask has not.
"""
from __future__ import annotations

from cuprite._missing import listing as _listing, missing as _missing

_LATER = {"Backend": "_backend", "DeviceMemory": "_memory", "LocalCluster": "_cluster", "label": "_label",
          "map_overlap": "_chunks", "measure": "_label", "sigma_clip_stats": "_clip"}


def __getattr__(name):
    if name not in _LATER:
        raise _missing(__name__, name)
    import importlib
    importlib.import_module("dask.array")  # which makes Cuprite's entries in its tables, of the modules below
    value = globals()[name] = getattr(importlib.import_module("cuprite.dask." + _LATER[name]), name)
    return value


__dir__ = _listing(__name__, *_LATER)
