"""python -m cuprite program.py [arguments]: runs a program of CuPy's with Cuprite standing for cupy and cupyx, and for
numba where Numba does not import. Its children, started as Python programs, find the same names. Options before the
program choose the device and say what it did."""
import os
import runpy
import sys
import types

_USAGE = """usage: python -m cuprite [options] program.py [arguments]
       python -m cuprite [options] notebook.ipynb [arguments]
       python -m cuprite [options] -m module [arguments]
       python -m cuprite [options] -c command [arguments]
       python -m cuprite [options] - [arguments]
       python -m cuprite lesson [copy NUMBER|all [folder]]

Runs the program with `cupy` and `cupyx` standing for Cuprite, and `numba` for cuprite.numba where Numba is not
installed, in its children too. `lesson` lists lessons and copies them: notebooks, programs in C, solutions.

options:
  --device NAME         the device that is current at the start: cpu, cuda:1, ...
  --profile             when the program has ended, a line for each operation: calls, time, bytes (on stderr)
  --profile=FILE.json   writes the calls as a trace, for Chrome's about:tracing or Perfetto
  --report              when it has ended, a line for each line of the program that copied to the host or waited"""


def for_children():
    """Python programs that this process starts find cupy as well: by a folder in PYTHONPATH whose sitecustomize Python
    reads when it starts."""
    package = os.path.dirname(os.path.abspath(__file__))
    os.environ["CUPRITE_AS_CUPY"] = os.path.dirname(package)
    before = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]
    folder = os.path.join(package, "_children")
    if folder not in before:
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *before])


def _run_text(text, name):
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(text, name, "exec"), module.__dict__)


def _run(kind, rest):
    """Runs what `python kind rest...` would; sys.argv and sys.path are as there."""
    if kind in ("-m", "-c"):
        what, *sys.argv[1:] = rest
        sys.argv[0] = kind
        sys.path[0] = os.getcwd() if kind == "-m" else ""
        if kind == "-c":
            return _run_text(what + "\n", "<string>")
        return runpy.run_module(what, run_name="__main__", alter_sys=True)
    sys.argv = [kind, *rest]
    if kind == "-":
        sys.path[0] = ""
        return _run_text(sys.stdin.read(), "<stdin>")
    sys.path[0] = kind if os.path.isdir(kind) else os.path.dirname(os.path.abspath(kind))
    if kind.endswith(".ipynb"):
        from cuprite import _notebook
        return _notebook.run(kind)
    return runpy.run_path(kind, run_name="__main__")


def _options(given):
    """(options, what is left), or a sentence that says what is wrong."""
    found = {}
    while given and given[0].startswith("--"):
        name, equals, value = given.pop(0).partition("=")
        if name == "--device" and not equals:
            if not given:
                return "--device needs a name"
            value = given.pop(0)
        if name not in ("--device", "--profile", "--report") or (name == "--report" and equals):
            return f"unknown option {name}"
        if equals and not value:
            return f"{name}= names nothing"
        found[name] = value
    return found, given


def _check(given):
    """What is wrong with the program's name or kind, or None."""
    kind, *rest = given
    if kind in ("-m", "-c") and not rest:
        return f"an argument is expected for {kind}"
    if kind.startswith("-") and kind not in ("-m", "-c", "-"):
        return f"unknown option {kind}\n{_USAGE}"
    if not kind.startswith("-") and not os.path.exists(kind):
        return f"can't open file {kind!r}: no such file"
    return None


def _say(options, record):
    """What the program did, on stderr, whatever it ended by."""
    sys.stdout.flush()
    trace = options.get("--profile")
    if trace:
        try:
            record.trace(trace)
        except OSError as e:
            print(f"python -m cuprite: --profile={trace}: {e.strerror}", file=sys.stderr)
    elif trace is not None:
        print(record.table(), file=sys.stderr)
    if "--report" in options:
        print(record.report(), file=sys.stderr)


def _run_recorded(options, given):
    from cuprite import profiler
    with profiler.record() as record:
        try:
            _run(given[0], given[1:])
        finally:
            _say(options, record)


def main():
    given = sys.argv[1:]
    if not given or given[0] in ("-h", "--help"):
        print(_USAGE)
        return 0 if given else 2
    if given[0] == "lesson":
        from cuprite import _lessons
        return _lessons.main(given[1:])
    found = _options(given)
    wrong = found if isinstance(found, str) else "there is no program" if not given else _check(given)
    if wrong:
        print(f"python -m cuprite: {wrong}", file=sys.stderr)
        return 2
    options = found[0]
    if "--device" in options:
        os.environ["CUPRITE_DEVICE"] = options["--device"]
    import cuprite
    if "--device" in options:
        try:
            cuprite.cuda.Device(options["--device"]).use()
        except (ValueError, cuprite.cuda.runtime.CUDARuntimeError) as e:
            print(f"python -m cuprite: --device: {e}", file=sys.stderr)
            return 2
    from cuprite._alias import install
    from cuprite._notebook import NotebookError
    for_children()
    install(report=True)
    try:
        if "--profile" in options or "--report" in options:
            _run_recorded(options, given)
        else:
            _run(given[0], given[1:])
    except NotebookError as e:
        print(f"python -m cuprite: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
