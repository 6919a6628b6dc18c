"""python -m cuprite program.py [arguments]: runs a program of CuPy's with Cuprite standing for cupy and cupyx, and for
numba where Numba does not import. Its children, started as Python programs, find the same names."""
import os
import runpy
import sys
import types

_USAGE = """usage: python -m cuprite program.py [arguments]
       python -m cuprite -m module [arguments]
       python -m cuprite -c command [arguments]
       python -m cuprite - [arguments]

Runs the program with `cupy` and `cupyx` standing for Cuprite, and `numba` for cuprite.numba where Numba is not
installed, in its children too."""


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
    return runpy.run_path(kind, run_name="__main__")


def main():
    given = sys.argv[1:]
    if not given or given[0] in ("-h", "--help"):
        print(_USAGE)
        return 0 if given else 2
    kind, *rest = given
    if kind in ("-m", "-c") and not rest:
        print(f"python -m cuprite: an argument is expected for {kind}", file=sys.stderr)
        return 2
    if kind.startswith("-") and kind not in ("-m", "-c", "-"):
        print(f"python -m cuprite: unknown option {kind}\n{_USAGE}", file=sys.stderr)
        return 2
    if not kind.startswith("-") and not os.path.exists(kind):
        print(f"python -m cuprite: can't open file {kind!r}: no such file", file=sys.stderr)
        return 2
    from cuprite._alias import install
    for_children()
    install(report=True)
    _run(kind, rest)
    return 0


if __name__ == "__main__":
    sys.exit(main())
