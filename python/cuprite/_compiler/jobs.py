"""The thread that compiles while calls go on: one for the process, started by the first job.

Invariant: a job's failure ends the job alone; a process that forks or ends leaves no one waiting for the thread."""
import _thread
import atexit
import os
import time

from cuprite import _core


class PerformanceWarning(RuntimeWarning):
    """Something is done in a slower way than was asked for."""


class _Jobs:
    """What a thread has to do, one after the other. Made of what is built in: a first call must not wait for
    imports. Where no thread can be started (a limit, no memory, an isolated interpreter) nothing is done: all that is
    put here only makes later calls faster."""

    def __init__(self):
        self.waiting, self.wake, self.ended = [], _thread.allocate_lock(), _thread.allocate_lock()
        self.wake.acquire()
        self.ended.acquire()
        try:
            self.thread = _thread.start_new_thread(self.work, ())
        except (RuntimeError, MemoryError):
            self.thread = None

    def put(self, job):
        if self.thread is None:
            return
        self.waiting.append(job)
        try:
            self.wake.release()
        except RuntimeError:  # it is awake
            pass

    def work(self):
        while True:
            self.wake.acquire()
            while self.waiting:
                try:
                    if self.waiting.pop(0)() is self:  # no name for the job, which would live until the next one
                        return self.ended.release()
                except BaseException as e:  # a warning that a filter makes an error, say: who waits must not for ever
                    _core._report_unraisable(e)

    def end(self):
        """A compiler at work while the process ends would find its libraries taken apart."""
        if _jobs is self and self.thread is not None:
            self.put(lambda: self)
            self.ended.acquire(timeout=30)


# What only a mistake of the library's raises where no code of the user's runs.
_MISTAKES = (AssertionError, AttributeError, LookupError, NameError, ArithmeticError, SyntaxError, TypeError,
             ValueError)


def report_failure(name, error, of_user=False):
    """What the thread could not do, so that calls go on as they did: told under CUPRITE_DEBUG. Mistakes of the
    library's own are always."""
    if not of_user and isinstance(error, _MISTAKES):
        return _core._report_unraisable(error)
    if os.environ.get("CUPRITE_DEBUG"):
        import traceback
        import warnings
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        warnings.warn(f"{name} runs without a kernel of its own:\n{trace}", PerformanceWarning, stacklevel=2)
    return None


_making = _thread.allocate_lock()


def queue():
    """The process's thread that compiles."""
    global _jobs
    if _jobs is None:
        with _making:
            if _jobs is None:
                _jobs = _Jobs()
                atexit.register(_jobs.end)
    return _jobs


def wait():
    """Waits until what was to be compiled is; for tests and measurements."""
    done = _thread.allocate_lock()
    done.acquire()
    jobs = queue()
    jobs.put(done.release)
    if jobs.thread is not None:
        done.acquire()


# Held while the thread imports: a child that was forked then would wait for ever for the module, whose import only the
# parent goes on with.
_importing = _thread.allocate_lock()
_held = []


def import_module(name):
    """Imports a module in the thread that compiles."""
    with _importing:
        __import__(name)


def _before_fork():
    if _jobs is not None and _thread.get_ident() != _jobs.thread and _importing.acquire(timeout=1):
        _held.append(None)  # an import may wait for one that the thread which forks is in


def _after_fork_parent():
    if _held:
        _held.pop()
        _importing.release()


def _after_fork_child():
    """The thread is the parent's."""
    global _jobs, _importing, _making
    _jobs, _importing, _making = None, _thread.allocate_lock(), _thread.allocate_lock()
    _held.clear()


_jobs = None
os.register_at_fork(before=_before_fork, after_in_parent=_after_fork_parent, after_in_child=_after_fork_child)


_PERIOD = 2e-3      # seconds for which the compiling thread keeps the interpreter's lock
_PATIENCE = 0.25    # seconds after it was asked for a kernel, in which calls make way for it
_breath = 0.0


def breathe():
    """Lets other threads go on, now and then: what traces in Python holds the lock of the interpreter. Not after every
    step, as a thread that gave the lock to one that is busy has it again after 5 ms only."""
    global _breath
    if time.perf_counter() - _breath > _PERIOD:
        time.sleep(5e-5)
        _breath = time.perf_counter()


def make_way(since):
    """Gives the compiling thread, which was asked at `since`, the lock of the interpreter until it breathes: a program
    that does nothing but call the function would keep it for 5 ms of every 10, and have its kernel so much later."""
    if time.perf_counter() - since < _PATIENCE:
        time.sleep(2e-5)
