"""What the checks of one area gave. A check that fails is recorded, and the next one runs."""
from __future__ import annotations

import numpy as np

import cuprite as cp


class Skipped(Exception):
    """Why an area cannot be checked here."""


def host(value):
    """A result on the host: arrays of Cuprite's become NumPy's, in tuples and lists too."""
    if isinstance(value, cp.ndarray):
        return value.get()
    if isinstance(value, (tuple, list)):
        return [host(v) for v in value]
    return value


def difference(got, expected, tolerance) -> str:
    """What is wrong with `got`, or "". Types and shapes are compared too. Numbers that are not exact may differ by
    `tolerance` times the spacing of numbers as large as the largest expected one."""
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(expected):
            return f"{got!r}, not {expected!r}"
        return next((d for d in (difference(g, e, tolerance) for g, e in zip(got, expected)) if d), "")
    if not isinstance(expected, (np.ndarray, np.generic)):
        return "" if got == expected else f"{got!r}, not {expected!r}"
    got, expected = np.asarray(got), np.asarray(expected)
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"{got.dtype}{got.shape}, not {expected.dtype}{expected.shape}"
    if expected.dtype.kind not in "fc" or not tolerance:
        same = np.array_equal(got, expected, equal_nan=expected.dtype.kind in "fc")
        return "" if same else f"{got.tolist()!r:.80}, not {expected.tolist()!r:.80}"
    known = np.isfinite(expected)
    if not np.array_equal(got[~known], expected[~known], equal_nan=True):
        return "other infinities or NaNs"
    if not known.any():
        return ""
    bound = tolerance * np.finfo(expected.dtype).eps * max(np.abs(expected[known]).max(), np.finfo(expected.dtype).tiny)
    error = np.abs(got[known] - expected[known]).max()
    return "" if error <= bound else f"differs by {error:.3g}, more than {bound:.3g}"


class Record:
    """Counts checks that passed, and keeps what is wrong with the others."""

    def __init__(self, name):
        self.name, self.passed, self.failures, self.skipped = name, 0, [], ""

    def fail(self, check, reason):
        self.failures.append(f"{check}: {reason}")

    def _result(self, check, wrong):
        if wrong:
            self.fail(check, wrong)
        else:
            self.passed += 1

    def equal(self, check, call, expected, tolerance=0):
        """`call()` gives `expected`; `tolerance` as in difference()."""
        try:
            wrong = difference(host(call()), expected, tolerance)
        except Exception as e:
            wrong = f"{type(e).__name__}: {e}"
        self._result(check, wrong)

    def agree(self, check, ours, oracle, tolerance=0):
        """`ours()` gives what NumPy's `oracle()` does."""
        try:
            expected = oracle()
        except Exception as e:
            return self.fail(check, f"NumPy's own {type(e).__name__}: {e}")
        self.equal(check, ours, expected, tolerance)

    def true(self, check, call):
        self.equal(check, lambda: bool(call()), True)

    def raises(self, check, error, call):
        """`call()` raises exactly that exception."""
        try:
            wrong = f"no {error.__name__}, but {call()!r:.80}"
        except Exception as e:
            wrong = "" if type(e) is error else f"{type(e).__name__}, not {error.__name__}: {e}"
        self._result(check, wrong)

    def __str__(self):
        if self.skipped and not self.passed and not self.failures:
            return f"{self.name:16}skipped: {self.skipped}"
        line = f"{self.name:16}{self.passed} passed"
        if self.failures:
            line += f", {len(self.failures)} FAILED" + "".join(f"\n      {f}" for f in self.failures)
        return line + (f" (others skipped: {self.skipped})" if self.skipped else "")
