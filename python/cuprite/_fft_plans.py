"""Plans as CuPy's programs hold them: what a transform is, checked where it is used, and `with plan:`.

The work itself is in the library, which keeps its own plans; making a Plan puts one there."""
from __future__ import annotations

import threading

from cuprite._fft import plan_entered

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


class _No:
    """A block in which no plan is the current one."""

    def __enter__(self):
        self._kept, _here.plans = getattr(_here, "plans", []), []

    def __exit__(self, *error):
        _here.plans = self._kept


def check_current(name, a, s, axes, axes_given):
    """ValueError unless the current plan, if there is one, is for the transform of this name (python/src/plans.c)."""
    plan = current()
    if plan is None:
        return
    from cuprite import asarray, ndarray
    x = a if isinstance(a, ndarray) else asarray(a)
    several = name[-1] in "2n"
    if not axes_given:
        axes = (-2, -1) if name[-1] == "2" else None if several else -1
    s = (s,) if s is not None and not several else s
    kind = name.removesuffix("2").removesuffix("n")
    value_type = {"rfft": "R2C", "ihfft": "R2C", "irfft": "C2R", "hfft": "C2R"}.get(kind, "C2C")
    plan.check(x, *cook(x, s, axes, value_type), value_type, is_single(x))


# cuFFT's numbers for the kinds of transforms.
TYPES = {("C2C", True): 0x29, ("R2C", True): 0x2a, ("C2R", True): 0x2c,
         ("C2C", False): 0x69, ("R2C", False): 0x6a, ("C2R", False): 0x6c}
_KINDS = {number: kind for kind, number in TYPES.items()}


class Plan:
    """Some transforms of one kind: their lengths, and how many there are. `with plan:` makes it the current one."""

    def __init__(self, fft_type, lengths, batch):
        from operator import index
        if fft_type not in _KINDS:
            raise ValueError(f"fft_type is one of cufft's CUFFT_C2C to CUFFT_Z2D, not {fft_type!r}")
        self.fft_type = fft_type
        self.value_type, self.single = _KINDS[fft_type]
        self.shape, self.batch = tuple(index(n) for n in lengths), index(batch)
        if min((*self.shape, self.batch), default=1) < 1:
            raise ValueError(f"lengths and their number are 1 or more, not {self.shape} and {self.batch}")

    def __enter__(self):
        if not hasattr(_here, "plans"):
            _here.plans = []
        _here.plans.append(self)
        plan_entered(1)
        return self

    def __exit__(self, *error):
        _here.plans.pop()
        plan_entered(-1)

    def __repr__(self):
        return (f"<{type(self).__name__}: {self.batch} of {self.value_type} of lengths {self.shape}, "
                f"{'single' if self.single else 'double'} precision>")

    def check(self, x, lengths, axes, value_type, single):
        """ValueError unless the plan is for this transform."""
        if self.value_type != value_type:
            raise ValueError(f"the plan is for {self.value_type}, the transform is {value_type}")
        if self.single != single:
            raise ValueError("the plan is for the other precision")
        if sorted(self.shape) != sorted(lengths):
            raise ValueError(f"the plan is for other lengths: {self!r}, wanted {tuple(lengths)}")
        batch = 1
        for d, n in enumerate(x.shape):
            batch *= 1 if d in axes else n
        if self.batch != batch:
            raise ValueError(f"the plan is for another number of transforms: {self!r}, wanted {batch}")

    def _types(self):
        real, complex_ = ("float32", "complex64") if self.single else ("float64", "complex128")
        return real if self.value_type == "R2C" else complex_, real if self.value_type == "C2R" else complex_

    def _placed(self, x, what, halved, layout):
        """The memory of x as (batch, ...lengths): behind one another, or as embed, step and distance say."""
        from cuprite import ndarray
        wanted = self._types()[what == "output"]
        if not isinstance(x, ndarray):
            raise TypeError(f"{what}: a Cuprite array, not {type(x).__name__}")
        if x.dtype != wanted:
            raise ValueError(f"{what} dtype mismatch: the plan is for {wanted}, not {x.dtype}")
        if not (x.flags.c_contiguous or x.flags.f_contiguous):
            raise ValueError(f"{what}: its elements must be contiguous")
        shape = list(self.shape)
        if halved:
            shape[-1] = shape[-1] // 2 + 1
        embed, step, distance = layout
        if embed is None:
            embed, step, distance = shape, 1, None
        steps = [step]
        for extent in embed[:0:-1]:
            steps.insert(0, steps[0] * extent)
        if distance is None:
            distance = steps[0] * shape[0]
        shape, steps = [self.batch, *shape], [distance, *steps]
        if x.size <= sum((n - 1) * s for n, s in zip(shape, steps)) or min(steps) < 0:
            raise ValueError(f"{what}: {x.size} elements are too few for {self!r}")
        return ndarray(shape, x.dtype, memptr=x.data, strides=[s * x.itemsize for s in steps])

    def fft(self, a, out, direction):
        """Transforms the memory of `a` into that of `out`, forward (-1) or backward (1), unscaled."""
        if direction not in (-1, 1):
            raise ValueError(f"direction is CUFFT_FORWARD (-1) or CUFFT_INVERSE (1), not {direction!r}")
        x = self._placed(a, "input", self.value_type == "C2R", self._in)
        y = self._placed(out, "output", self.value_type == "R2C", self._out)
        with _No():
            self._run(x, y, tuple(range(1, x.ndim)), direction)

    def _run(self, x, y, axes, direction):
        from cuprite import _fft
        if self.value_type == "R2C":
            _fft.rfftn(x, self.shape, axes, out=y)
        elif self.value_type == "C2R":
            _fft.irfftn(x, self.shape, axes, "forward", out=y)
        elif direction < 0:
            _fft.fftn(x, None, axes, out=y)
        else:
            _fft.ifftn(x, None, axes, "forward", out=y)

    def _result(self, a):
        shape = list(a.shape)
        if self.value_type != "C2C":
            shape[self.last_axis] = self.last_size
        return tuple(shape), self._types()[1]

    def get_output_array(self, a, order="C"):
        """A new array for the results of transforms of `a`."""
        from cuprite import empty
        return empty(*self._result(a), order=order)

    def check_output_array(self, a, out):
        """ValueError unless `out` can take the results of transforms of `a`."""
        shape, dtype = self._result(a)
        if out.shape != shape:
            raise ValueError("output shape mismatch")
        if out.dtype != dtype:
            raise ValueError("output dtype mismatch")


class Plan1d(Plan):
    """`batch` transforms of nx elements, behind one another."""

    _in = _out = (None, 1, None)
    last_axis = -1

    def __init__(self, nx, fft_type, batch, devices=None, *, out=None, prealloc_plan=0):
        if devices is not None:
            raise NotImplementedError("Plan1d: a transform runs on one device")
        super().__init__(fft_type, (nx,), batch)
        self.nx, self.gpus = self.shape[0], None
        self.last_size = self.nx // 2 + 1 if self.value_type == "R2C" else self.nx


class PlanNd(Plan):
    """`batch` transforms along several axes. inembed, istride, idist: what an array in memory is a part of, the
    elements from one of its last axis to the next, and from one transform to the next; inembed or onembed None: all
    lie behind one another."""

    def __init__(self, shape, inembed, istride, idist, onembed, ostride, odist, fft_type, batch, order, last_axis,
                 last_size, prealloc_plan=0):
        super().__init__(fft_type, shape, batch)
        if not self.shape:
            raise ValueError("a plan is for one axis or more")
        if order not in ("C", "F"):
            raise ValueError(f"order is 'C' or 'F', not {order!r}")
        self._in = self._out = (None, 1, None)
        if inembed is not None and onembed is not None:
            self._in, self._out = self._layout(inembed, istride, idist), self._layout(onembed, ostride, odist)
        self.order, self.gpus = order, None
        real = self.value_type != "C2C"
        self.last_axis = -1 if last_axis is None else last_axis
        n = self.shape[-1]
        self.last_size = (n if self.value_type == "C2R" else n // 2 + 1) if real and last_size is None else last_size

    def _layout(self, embed, step, distance):
        from operator import index
        embed = tuple(index(n) for n in embed)
        if len(embed) != len(self.shape):
            raise ValueError(f"inembed and onembed are as long as the shape {self.shape}")
        return embed, index(step), index(distance)


def plan_of(a, lengths, axes, value_type):
    """The Plan1d or PlanNd for transforms of arrays like `a`, which lies C-contiguous."""
    batch = 1
    for d, n in enumerate(a.shape):
        batch *= 1 if d in axes else n
    kind = TYPES[value_type, is_single(a)]
    if not axes:
        raise ValueError("a plan is for one axis or more")
    if len(axes) == 1:
        return Plan1d(lengths[0], kind, batch)
    last = lengths[-1] if value_type == "C2R" else lengths[-1] // 2 + 1 if value_type == "R2C" else None
    return PlanNd(lengths, None, 1, 0, None, 1, 0, kind, batch, "C", axes[-1], last)


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
    """A Plan1d or PlanNd for transforms of arrays like `a`: for `plan=`, or for a `with` block. shape: the lengths
    along `axes` (all by default); value_type: 'C2C', 'R2C' or 'C2R'.

    Parameters: a: an array; shape: lengths, or None; axes: axes, or None; value_type: one of these words.
    Errors: ValueError for another value_type and an axis named twice; TypeError for 'R2C' of complex numbers."""
    from cuprite import _fft
    transforms = {"C2C": _fft.fftn, "R2C": _fft.rfftn, "C2R": _fft.irfftn}
    if value_type not in transforms:
        raise ValueError(f"value_type is 'C2C', 'R2C' or 'C2R', not {value_type!r}")
    if value_type == "R2C" and a.dtype.kind == "c":
        raise TypeError("an R2C plan is for arrays of real numbers")
    lengths, axes = cook(a, shape, axes, value_type)
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    with _No():
        transforms[value_type](a, s=lengths, axes=axes)  # the library makes its plans, and keeps them
    return plan_of(a, lengths, axes, value_type)
