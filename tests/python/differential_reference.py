"""NumPy's results of expressions, with one answer where NumPy has several.

* maximum, minimum, fmax and fmin of zeros of both signs: the first operand, as documented. NumPy's answer depends on
  the type, the length and the position.
* A product of complex numbers is its formula, rounded after each operation. NumPy's has fused operations where the
  processor has them.
* The magnitude of a complex number is the correctly rounded one, or one of those beside it: `evaluate` returns the
  result for each, and one of them must be met exactly. NumPy's is within 2 ulp.
"""
import ast
import functools
import itertools

import numpy as np


def _typed(x, dtype):
    return np.asarray(x).astype(dtype)


def _first_of_equal(f):
    """f, which gives the first of two equal numbers."""
    def call(x, y):
        made = f(x, y)
        if made.dtype.kind != "f":
            return made
        a, b = _typed(x, made.dtype), _typed(y, made.dtype)
        return np.where(a == b, a, made)[()]
    return call


def times(x, y):
    """x * y."""
    if not (hasattr(x, "dtype") or hasattr(y, "dtype")):
        return x * y
    made = np.multiply(x, y)
    if made.dtype.kind != "c":
        return made
    a, b = _typed(x, made.dtype), _typed(y, made.dtype)
    out = np.empty(made.shape, made.dtype)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out[()]


class Reference:
    """NumPy with these answers. `steps`: how far each magnitude lies from the correctly rounded one, call by call;
    `magnitudes`: how many were asked for."""

    def __init__(self, steps=()):
        self.steps, self.magnitudes = steps, 0
        self.multiply, self.maximum, self.minimum = times, _first_of_equal(np.maximum), _first_of_equal(np.minimum)
        self.fmax, self.fmin = _first_of_equal(np.fmax), _first_of_equal(np.fmin)

    def __getattr__(self, name):
        return getattr(np, name)

    def square(self, x):
        return times(x, x) if np.asarray(x).dtype.kind == "c" else np.square(x)

    def absolute(self, x):
        made, x = np.absolute(x), np.asarray(x)
        if x.dtype.kind != "c":
            return made
        step = self.steps[self.magnitudes] if self.magnitudes < len(self.steps) else 0
        self.magnitudes += 1
        long = np.longdouble
        right = np.hypot(x.real.astype(long), x.imag.astype(long)).astype(made.dtype)
        for _ in range(abs(step)):
            right = np.nextafter(right, made.dtype.type(np.inf if step > 0 else 0))
        return right[()]


class _Products(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mult):
            return node
        return ast.copy_location(ast.Call(ast.Name("times", ast.Load()), [node.left, node.right], []), node)


@functools.lru_cache(maxsize=256)
def _code(text):
    tree = ast.fix_missing_locations(_Products().visit(ast.parse(text, mode="eval")))
    return compile(tree, "expression", "eval")


def evaluate(text, values, within=1):
    """[the result, and what it is with other magnitudes], of the expression with these values of its variables.
    `within`: how many numbers a magnitude may lie from the right one."""
    def one(steps):
        reference = Reference(steps)
        return eval(_code(text), {"np": reference, "times": times, **values}), reference.magnitudes
    made, magnitudes = one(())
    others = itertools.product(range(-within, within + 1), repeat=magnitudes)
    return [made] + [one(steps)[0] for steps in others if any(steps)]
