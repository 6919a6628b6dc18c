"""Vectors and numbers of iterative solvers: sums and products of vectors in one pass over memory.

A solver's plans are made once. Its vectors are letters of a word, its numbers (products, norms) places in an array of
the device; a factor is a number of the host, quotients of those on the device, or both."""
from __future__ import annotations

import cuprite as cp
from cuprite import _sparse, ndarray
from cuprite._element_types import common_type, type_of
from cuprite.scipy.sparse._base import issparse
from cuprite.scipy.sparse.linalg._interface import IdentityOperator, MatrixLinearOperator

ONE = 0
MEASURE, STEP, ROOTS = 1, 2, 4   # flags: the first product decides whether the solver is live; a step was made; norms
# Flags: which numbers follow the products, as src/science/sparse/turns.inc has them. Of minres: the next rotation;
# whether to stop. Of bicg: rho and beta; alpha. Of qmr: the first ones; beta; the next step's; whether to stop. Of
# bicgstab: rho and beta; alpha; whether a step ends at its half; omega. Of tfqmr: alpha; the norm and eta; beta. Of
# lsqr and lsmr: a step's rotations; its end.
ROTATE, TEST, BICG_RHO, BICG_TURNED, QMR_BEGIN, QMR_PRODUCT, QMR_NORMS, QMR_CHECK = 8, 16, *range(32, 80, 8)
STAB_RHO, STAB_TURNED, STAB_MIDDLE, STAB_OMEGA, TFQMR_TURNED, TFQMR_SQUARE, TFQMR_RHO = range(80, 136, 8)
LSQR_ROTATE, LSQR_END, LSMR_ROTATE, LSMR_END = range(136, 168, 8)


def factor(scalar=0, over=(), under=(), minus=False, safe=False) -> int:
    """The number of the host a, b, c or d (scalar 1 to 4; 0: 1) times quotients of numbers, of which there are at most
    two.

    Parameters: scalar: which; over: places of numbers; under: the same; minus: whether it is negative; safe: whether it
        is 0 where the first number under the line is."""
    code = minus | scalar << 1 | safe << 20
    for shift, places in ((4, over), (8, under)):
        for k, place in enumerate(places):
            code |= place + 1 << shift + 8 * k
    return code


A, B, C, D = (factor(k) for k in (1, 2, 3, 4))


def plan(names, sums, products=(), at=0, flags=0) -> tuple[int, ...]:
    """A plan of _sparse.sparse_pass.

    Parameters: names: a letter for each vector; sums: (where to, (vector, factor), ...) each; products: pairs of
        letters, of which the first one is conjugated; at: the place of the first product; flags: see above."""
    flat = [flags, at, len(sums)]
    for to, *terms in sums:
        flat += [names.index(to), len(terms)]
        for x, f in terms:
            flat += [names.index(x), f]
    flat.append(len(products))
    for pair in products:
        flat += map(names.index, pair)
    return tuple(flat)


def numbers_of(x, n) -> ndarray:
    """Room for n numbers beside a vector."""
    return cp.zeros(n, dtype="D" if type_of(x).kind == "c" else "d")


def own(x) -> ndarray:
    """A copy of a vector that passes may write to."""
    return x.copy() if x.flags.c_contiguous else cp.ascontiguousarray(x)


def products(A, dtype):
    """(matvec, rmatvec) of an operator, which give contiguous vectors of a type. A sparse matrix and its adjoint are
    made compressed rows once."""
    if type(A) is MatrixLinearOperator and issparse(A.A) and common_type(type_of(A.A), dtype) == dtype:
        later = []

        def adjoint(x):
            if not later:
                later.append(_of_rows(A.A.T.conj(), dtype))
            return later[0](x)
        return _of_rows(A.A, dtype), adjoint
    if isinstance(A, IdentityOperator):
        return _same, _same
    return _checked(A.matvec, dtype), _checked(A.rmatvec, dtype)


def _same(x):
    return x


def _of_rows(m, dtype):
    m = m.tocsr()
    if type_of(m) != dtype:
        m = m._with_data(m.data.astype(dtype))
    columns = m.shape[1]
    return lambda x: _sparse.sparse_multiply(*m._triple(), columns, x)   # which a callback may have written to


def _checked(product, dtype):
    def run(x):
        y = product(x)
        if type_of(y).kind == "c" != dtype.kind:
            raise TypeError(f"an operator gave {y.dtype.name} where everything else is {dtype.name}: its dtype must "
                            "say that it is complex")
        return y if type_of(y) == dtype and y.flags.c_contiguous else cp.ascontiguousarray(y, dtype=dtype)
    return run


def plain(*operators) -> bool:
    """Are all matrices of the library's? So nobody notices when a product is made in vain.

    Parameters: operators: operators."""
    return all(isinstance(a, (MatrixLinearOperator, IdentityOperator)) for a in operators)


class Looks:
    """When the state of a solver is read: after each step, or where that waits for a device and nobody is told of the
    steps, after 1, 2, 4, 8, 16 and then each sixteenth. The device itself sees to it that those behind the last one
    change nothing."""

    def __init__(self, x, often):
        self.often, self.next = often or x.device.backend == "cpu", 1

    def due(self, steps) -> bool:
        """Is it time to?

        Parameters: steps: how many were issued."""
        if not self.often and steps < self.next:
            return False
        self.next = steps + min(max(steps, 1), 16)
        return True
