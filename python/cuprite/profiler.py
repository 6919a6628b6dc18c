"""cuprite.profiler: times a function on the CPU's clock and on the devices', and marks for a profiler what to
record."""
from __future__ import annotations

import contextlib
import os
import time

from cuprite import _device, _profile
from cuprite.cuda import Device, Event
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)
# frames of files that begin so are not the program's
_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


class _Result:
    """Times in seconds: cpu_times (n_repeat), gpu_times (devices, n_repeat). Printing shows microseconds."""

    def __init__(self, name, times, devices):
        self.name, self._times, self._devices = name, times, devices

    @property
    def cpu_times(self):
        return self._times[0]

    @property
    def gpu_times(self):
        return self._times[1:]

    @staticmethod
    def _line(label, seconds):
        us = seconds * 1e6
        text = f"    {label}: {us.mean():9.03f} us"
        if us.size > 1:
            text += f"   +/- {us.std():6.03f} (min: {us.min():9.03f} / max: {us.max():9.03f}) us"
        return text

    def to_str(self, show_gpu=False):
        lines = [self._line("CPU", self._times[0])]
        if show_gpu:
            lines += [self._line(d, t) for d, t in zip(self._devices, self._times[1:])]
        return f"{self.name:<20s}:{' '.join(lines)}"

    def __str__(self):
        return self.to_str(show_gpu=True)

    def __repr__(self):
        return self.to_str(show_gpu=True)


class _Clock:
    """Two events on a device, recorded with as little as possible between them and the work."""

    def __init__(self, place):
        self.place = place
        with place:
            self.begin, self.end = Event()._event, Event()._event
            self.stream = _device.stream_current(place._number)

    def start(self):
        _device.event_record(self.begin, self.stream)

    def stop(self):
        _device.event_record(self.end, self.stream)

    def seconds(self, elapsed):
        _device.event_synchronize(self.end)
        return _device.event_elapsed(self.begin, self.end) * 1e-3 if self.place._number >= 0 else elapsed


def _once(func, args, kwargs, clocks):
    """(CPU seconds, seconds on each device) of one call."""
    for clock in clocks:
        clock.start()
    start = time.perf_counter()
    func(*args, **kwargs)
    cpu = time.perf_counter() - start
    for clock in clocks:
        clock.stop()
    return [cpu] + [clock.seconds(cpu) for clock in clocks]


def benchmark(func, args=(), kwargs=None, n_repeat=10000, *, name=None, n_warmup=10, max_duration=float("inf"),
              devices=None):
    """Calls func(*args, **kwargs) n_warmup times, then n_repeat times (or until max_duration seconds of CPU time), and
    returns the times. The CPU device's times are the elapsed ones.

    Parameters: func: what is called; args: a tuple; kwargs: a dict; n_repeat: an integer; name: a string (None: its
        own); n_warmup: an integer; max_duration: seconds; devices: numbers of devices (None: the current one).
    Errors: ValueError for an argument of another kind."""
    import numpy
    if not callable(func):
        raise ValueError("`func` should be a callable object.")
    if not isinstance(args, tuple):
        raise ValueError("`args` should be of tuple type.")
    kwargs = {} if kwargs is None else kwargs
    if not isinstance(kwargs, dict):
        raise ValueError("`kwargs` should be of dict type.")
    for word, n in (("n_repeat", n_repeat), ("n_warmup", n_warmup)):
        if not isinstance(n, int):
            raise ValueError(f"`{word}` should be an integer.")
    if name is None:
        name = getattr(func, "__name__", type(func).__name__)
    if not isinstance(name, str):
        raise ValueError("`name` should be a str.")
    places = [Device()] if devices is None else [Device(d) for d in devices]
    for _ in range(n_warmup):
        func(*args, **kwargs)
    for place in places:
        place.synchronize()
    clocks = [_Clock(place) for place in places]
    times, spent = [], 0.0
    for _ in range(n_repeat):
        times.append(_once(func, args, kwargs, clocks))
        spent += times[-1][0]
        if spent >= max_duration:
            break
    columns = numpy.asarray(times, dtype=numpy.float64).reshape(-1, 1 + len(places)).T
    return _Result(name, numpy.ascontiguousarray(columns), tuple(
        "device cpu" if p.backend == "cpu" else f"GPU-{p.id}" for p in places))


class Record:
    """What cuprite.profiler.record() recorded."""

    def table(self) -> str:
        """A line for each operation and device: calls, time, bytes; the longest first. On a GPU the time is the
        device's."""
        return _profile.string(0)

    def report(self) -> str:
        """A line for each line of the program that copied to the host or waited."""
        return _profile.string(1)

    def trace(self, path):
        """Writes the calls as a trace, for Chrome's about:tracing, Perfetto and others. Of more than 65,536 calls the
        latest.

        Parameters: path: the file's.
        Errors: OSError where it cannot be written."""
        text = _profile.string(2)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def __repr__(self):
        return self.table()


@contextlib.contextmanager
def record():
    """A block whose operations are recorded, with their times: `with record() as r: ...; print(r)`. What was recorded
    before is forgotten. Python's threads that run meanwhile are recorded too."""
    _profile.clear()
    _profile.start(_FOLDER)
    try:
        yield Record()
    finally:
        _profile.stop()


@contextlib.contextmanager
def profile():
    """A block that a profiler records which was started with its recording off, as with
    `nsys profile --capture-range=cudaProfilerApi`."""
    from cuprite.cuda import profiler
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()


class time_range(contextlib.ContextDecorator):
    """A range in the profiler's picture, as a block or a decorator; `message` is the function's name by default, the
    colour one of a few (color_id) or ARGB. With sync=True the device is waited for at both ends.

    Parameters: message: a string or None; color_id: an integer or None; argb_color: 0xAARRGGBB or None; sync: True or
        False.
    Errors: ValueError for both colours."""

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("only either color_id or argb_color can be specified")
        self.message, self.color_id, self.argb_color, self.sync = message, color_id, argb_color, sync

    def _recreate_cm(self):
        return self

    def __call__(self, function):
        if self.message is None:
            self.message = function.__name__
        return super().__call__(function)

    def __enter__(self):
        from cuprite.cuda import nvtx
        if self.message is None:
            raise ValueError("message is not set")
        if self.sync:
            Device().synchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        return self

    def __exit__(self, *exception):
        from cuprite.cuda import nvtx
        if self.sync:
            Device().synchronize()
        nvtx.RangePop()


def load_ipython_extension(ipython):
    """%gpu_timeit STATEMENT in IPython: benchmark of a statement, with its options -n (times) and -r is taken as -n.

    Parameters: ipython: the running IPython."""
    from IPython.core.magic import register_line_cell_magic

    def gpu_timeit(line, cell=None):
        options, statement = ipython.magics_manager.registry["ExecutionMagics"].parse_options(line, "n:r:", posix=False)
        code = compile(statement if cell is None else cell, "<gpu_timeit>", "exec")
        count = int(options.get("n", options.get("r", 10000)))
        duration = float("inf") if "n" in options or "r" in options else 1.0
        print(benchmark(exec, (code, ipython.user_ns), n_repeat=count, max_duration=duration, name="run"))
    register_line_cell_magic(gpu_timeit)
