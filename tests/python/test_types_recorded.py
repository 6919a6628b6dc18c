"""Results of functions written in Python are of the types that their stubs promise. The returns of every such function
are recorded while docstrings' examples and a program of a user's run."""
import ast
import doctest
import inspect
import pathlib
import re
import sys

import numpy as np
import pytest

import cuprite as cp
import typed_program
from test_docstrings import DOCUMENTED, document

pytestmark = pytest.mark.once

PACKAGE = pathlib.Path(cp.__file__).parent
# a promised name -> the classes that it stands for; others are not compared
CLASSES = {"numpy.ndarray": np.ndarray, "ndarray": cp.ndarray, "bool": (bool, type(NotImplemented)), "int": int,
           "float": float, "str": str, "list": list, "tuple": tuple, "dict": dict, "None": type(None),
           "dtype": np.dtype, "Stream": cp.cuda.Stream, "Device": cp.cuda.Device, "MemoryPool": cp.cuda.MemoryPool,
           "Generator": cp.random.Generator}


def promised():
    """(file, qualified name) -> the annotation of the result, of functions with one signature and of properties."""
    found = {}
    for path in PACKAGE.rglob("*.pyi"):
        def enter(body, prefix, name=str(path.with_suffix(".py").relative_to(PACKAGE))):
            for node in body:
                if isinstance(node, ast.FunctionDef) and node.returns is not None and \
                        [ast.unparse(d) for d in node.decorator_list] in ([], ["property"]):
                    found[name, prefix + node.name] = ast.unparse(node.returns)
                elif isinstance(node, ast.ClassDef):
                    enter(node.body, f"{prefix}{node.name}.")
        enter(ast.parse(path.read_text()).body, "")
    return found


def names(kind):
    """"tuple[int, ...] | numpy.dtype[Any]" is ["tuple", "dtype"]."""
    while "[" in kind:
        kind = re.sub(r"\[[^\[\]]*\]", "", kind)
    return [one if one in CLASSES else one.rpartition(".")[2] for one in kind.split(" | ")]


class Recorder:
    def __init__(self):
        self.promised, self.checked, self.wrong, self.files = promised(), set(), {}, {}
        for path in PACKAGE.rglob("*.py"):  # the package is links; code has a link's name or the file's
            name = str(path.relative_to(PACKAGE))
            self.files.update({str(path): name, str(path.resolve()): name})

    def __call__(self, frame, event, result):
        code = frame.f_code
        name = self.files.get(code.co_filename) if event == "return" else None
        key = (name, code.co_qualname)
        if name is None or key not in self.promised or code.co_flags & inspect.CO_GENERATOR:
            return
        kinds = [CLASSES.get(kind) for kind in names(self.promised[key])]
        if None in kinds or result is None:  # an exception looks as a result of None
            return
        self.checked.add(key)
        if not any(isinstance(result, k) for k in kinds):
            self.wrong[key] = (self.promised[key], type(result))


def examples():
    for name, x in DOCUMENTED.items():
        if "\nExample:\n" in document(x):
            yield doctest.DocTestParser().get_doctest(inspect.cleandoc(document(x)), {"cp": cp}, name, None, 0)


def test_results_are_as_promised(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(sys, "argv", ["program"])
    before = sys.getprofile()
    sys.setprofile(recorder)
    try:
        for test in examples():
            doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None)
        typed_program.main()
    finally:
        sys.setprofile(before)
    assert not recorder.wrong, recorder.wrong
    assert len(recorder.checked) > 60 and ("_histograms.py", "histogram") in recorder.checked


def test_a_broken_promise_is_seen():
    recorder = Recorder()
    recorder.promised["_manipulation.py", "rot90"] = "tuple[ndarray, ...]"
    sys.setprofile(recorder)
    try:
        cp.rot90(cp.ones((2, 2)))
    finally:
        sys.setprofile(None)
    assert recorder.wrong == {("_manipulation.py", "rot90"): ("tuple[ndarray, ...]", cp.ndarray)}
