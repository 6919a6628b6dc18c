"""Checks of an installation: `python -m cuprite.selftest`.

A few hundred answers of every part of the library are compared with NumPy's and with what plain Python computes, on the
CPU and on each GPU. It takes seconds, prints a line an area, and exits with status 1 where an answer is wrong. An area
that cannot be checked (kernels without a compiler) is skipped with the reason.

    python -m cuprite.selftest [--device cpu|cuda:0] [AREA...]
"""
from __future__ import annotations

import platform
import sys
import time

from cuprite._missing import listing as _listing
from cuprite.selftest._record import Record, Skipped

__all__ = ["main", "run"]
__dir__ = _listing(__name__)


def _areas() -> dict:
    """{name: function of a Record}, in the order that they run in."""
    from cuprite.selftest import _files, _kernels, _made, _numpy
    return {**_numpy.areas(), **_made.AREAS, **_files.AREAS, **_kernels.AREAS}


def _devices() -> list[str]:
    from cuprite import _device
    return ["cpu", *(f"cuda:{i}" for i in range(_device.count()))]


def _described(device: str) -> str:
    from cuprite.cuda import runtime
    name = runtime.getDeviceProperties(int(device[5:]))["name"].decode() if device.startswith("cuda:") else ""
    return f"{device}: {name}" if name else device


def _run_area(area, record: Record) -> None:
    """An error that is no check's own ends the area and counts as a failure."""
    try:
        area(record)
    except Skipped as reason:
        record.skipped = str(reason)
    except Exception as e:
        record.fail("the area", f"{type(e).__name__}: {e}")


def run(devices: list[str] | None = None, areas: list[str] | None = None, write=print) -> bool:
    """Runs the checks and prints a line an area; whether all of them passed.

    Parameters: devices: names of devices, all by default; areas: names of areas, all by default; write: what prints a
    line.
    Errors: ValueError for a name that there is not."""
    from cuprite import _device
    known = _areas()
    unknown = [n for n in areas or [] if n not in known]
    if unknown:
        raise ValueError(f"selftest: no area {unknown[0]!r}; there are {', '.join(known)}")
    passed = failed = 0
    start, before = time.monotonic(), _device.current()
    for device in devices or _devices():
        number = _device.parse(device)
        write(_described(device))
        try:
            _device.use(number)
            for name in areas or known:
                record = Record(name)
                _run_area(known[name], record)
                write(f"  {record}")
                passed, failed = passed + record.passed, failed + len(record.failures)
        finally:
            _device.use(before)
    write(f"{passed} passed, {failed} failed, {time.monotonic() - start:.1f} s")
    return failed == 0


def main(arguments: list[str] | None = None) -> int:
    """The program: prints versions and runs what its arguments name; the exit status.

    Parameters: arguments: the words behind the program's name, those of sys.argv by default.
    Errors: SystemExit for an argument that is not known."""
    import argparse

    import numpy

    import cuprite
    parser = argparse.ArgumentParser("python -m cuprite.selftest", description="Checks an installation of Cuprite.")
    parser.add_argument("--device", action="append", help="cpu or cuda:0; all devices by default")
    parser.add_argument("area", nargs="*", help="areas, all by default")
    chosen = parser.parse_args(arguments)
    print(f"cuprite {cuprite.__version__}, NumPy {numpy.__version__}, Python {platform.python_version()}, "
          f"{platform.platform()}", flush=True)
    try:
        return 0 if run(chosen.device, chosen.area) else 1
    except (ValueError, RuntimeError) as e:
        print(e, file=sys.stderr)
        return 2
