"""Plans as CuPy's programs hold them: what a transform is, checked where it is used, and `with plan:`.

The work itself is in the library, which keeps its own plans; making a Plan puts one there."""
from __future__ import annotations

import threading

_here = threading.local()


def look_in_wheels():
    """Tells the library of the folders in which wheels of NVIDIA's have cuFFT: nvidia/cufft/lib, nvidia/cu13/lib. It
    looks there when a GPU first needs it and the system's paths do not have it."""
    import os
    import sys
    before = os.environ.get("CUPRITE_LIBRARY_PATH", "").split(":")
    for place in sys.path:
        folder = os.path.join(place or ".", "nvidia")
        for part in sorted(os.listdir(folder), reverse=True) if os.path.isdir(folder) else []:
            libraries = os.path.abspath(os.path.join(folder, part, "lib"))
            if os.path.isdir(libraries) and any(f.startswith("libcufft.so") for f in os.listdir(libraries)):
                if libraries not in before:
                    before.append(libraries)
                    os.environ["CUPRITE_LIBRARY_PATH"] = ":".join(filter(None, before))


def current():
    """The plan of the innermost `with plan:` of this thread, or None."""
    return getattr(_here, "plans", None) and _here.plans[-1] or None


class Plan:
    """One transform: lengths and axes of arrays of a shape, and 'C2C', 'R2C' or 'C2R'."""

    def __init__(self, shape, lengths, axes, value_type, single):
        self.array_shape, self.shape, self.axes = tuple(shape), tuple(lengths), tuple(axes)
        self.value_type, self.single = value_type, single

    def __enter__(self):
        if not hasattr(_here, "plans"):
            _here.plans = []
        _here.plans.append(self)
        return self

    def __exit__(self, *error):
        _here.plans.pop()

    def __repr__(self):
        return (f"<Plan {self.value_type} of lengths {self.shape} along axes {self.axes} of arrays {self.array_shape}, "
                f"{'single' if self.single else 'double'} precision>")

    def check(self, x, lengths, axes, value_type, single):
        """ValueError unless the plan is for this transform."""
        wanted = Plan(x.shape, lengths, axes, value_type, single)
        if self.value_type != value_type:
            raise ValueError(f"the plan is for {self.value_type}, the transform is {value_type}")
        if self.array_shape != wanted.array_shape or sorted(zip(self.axes, self.shape)) != sorted(zip(axes, lengths)):
            raise ValueError(f"the plan is for other arrays, lengths or axes: {self!r}, wanted {wanted!r}")
        if self.single != single:
            raise ValueError("the plan is for the other precision")


def cook(x, s, axes, value_type):
    """Lengths and axes of a transform as the library understands them, without its defaults."""
    from operator import index
    nd = x.ndim
    s = None if s is None else (index(s),) if hasattr(s, "__index__") else tuple(index(n) for n in s)
    axes = None if axes is None else (index(axes),) if hasattr(axes, "__index__") else tuple(index(a) for a in axes)
    if s is not None and axes is not None and len(s) != len(axes):
        raise ValueError("Shape and axes have different lengths.")
    if axes is None:
        axes = tuple(range(-(nd if s is None else len(s)), 0))
    for a in axes:
        if not -nd <= a < nd:
            from numpy.exceptions import AxisError
            raise AxisError(a, nd)
    axes = tuple(a % nd for a in axes)
    if s is None:
        s = [x.shape[a] for a in axes]
        if value_type == "C2R" and s:
            s[-1] = 2 * (s[-1] - 1)
    return tuple(x.shape[a] if n == -1 else n for n, a in zip(s, axes)), axes


def is_single(x):
    return x.dtype.name in ("float32", "complex64", "float16", "bfloat16")


def get_fft_plan(a, shape=None, axes=None, value_type="C2C"):
    """A plan for transforms of arrays like `a`: for `plan=`, or for a `with` block. shape: the lengths along `axes`
    (all by default); value_type: 'C2C', 'R2C' or 'C2R'."""
    from cuprite import _fft
    transforms = {"C2C": _fft.fftn, "R2C": _fft.rfftn, "C2R": _fft.irfftn}
    if value_type not in transforms:
        raise ValueError(f"value_type is 'C2C', 'R2C' or 'C2R', not {value_type!r}")
    if value_type == "R2C" and a.dtype.kind == "c":
        raise TypeError("an R2C plan is for arrays of real numbers")
    lengths, axes = cook(a, shape, axes, value_type)
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    transforms[value_type](a, s=lengths, axes=axes)  # the library makes its plans, and keeps them
    return Plan(a.shape, lengths, axes, value_type, is_single(a))
