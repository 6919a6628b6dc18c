"""matmul and its like with axes of their own: what NumPy's generalized ufuncs take and the calls in C do not."""
import cuprite

_SIGNATURES = {"matmul": "(n?,k),(k,m?)->(n?,m?)", "vecdot": "(n),(n)->()", "matvec": "(m,n),(n)->(m)",
               "vecmat": "(n),(n,m)->(m)"}
_CORE = {"matmul": (2, 2, 2), "vecdot": (1, 1, 0), "matvec": (2, 1, 1), "vecmat": (1, 2, 1)}  # axes of their own


def _type_of(signature, name):
    """The type that a signature, "ff->f" or a tuple of types, means: all three are one."""
    import numpy
    if isinstance(signature, str):
        signature = signature.replace("->", "")
        if len(signature) == 1:
            return numpy.dtype(signature)
    types = {numpy.dtype(t) for t in signature if t is not None}
    if len(types) != 1:
        raise TypeError(f"No loop matching the specified signature and casting was found for ufunc {name}")
    return types.pop()


def _all_axes(name, axes, axis, keepdims, vectors):
    """For each operand and the result, the tuple of its own axes."""
    core = [min(n, 1) if i < 2 and v else n for i, (n, v) in enumerate(zip(_CORE[name], (*vectors, False)))]
    if name == "matmul":
        core[2] = 2 - sum(vectors)
    if axis is not None:
        if axes is not None:
            raise TypeError("cannot specify both 'axis' and 'axes'")
        if name != "vecdot":
            raise TypeError(f"{name}: axis can only be used with a single shared core dimension, not with the "
                            f"{len(core)} distinct ones implied by signature {_SIGNATURES[name]}.")
        axes = [axis, axis, axis if keepdims else ()]
    if axes is None:
        return [tuple(range(-n, 0)) for n in core]
    if not isinstance(axes, list):
        raise TypeError("axes should be a list.")
    if len(axes) == 2 and not core[2]:
        axes = [*axes, axes[0] if keepdims else ()]
    if len(axes) != 3:
        raise ValueError("axes should be a list with an entry for all 3 inputs and outputs; entries for outputs can "
                         "only be omitted if none of them has core axes.")
    axes = [(a,) if hasattr(a, "__index__") else tuple(a) for a in axes]
    wanted = [core[0], core[1], 1 if keepdims and not core[2] else core[2]]
    for i, (a, n) in enumerate(zip(axes, wanted)):
        if len(a) != n:
            raise ValueError(f"axes item {i} should be a tuple with {n} elements, or a single integer")
    return axes


def with_axes(name, x1, x2, out, casting, order, dtype, axes, axis, keepdims, signature):
    if signature is not None:
        if dtype is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        dtype = _type_of(signature, name)
    if keepdims and name != "vecdot":
        raise TypeError(f"{name} does not support keepdims: its signature {_SIGNATURES[name]} requires multiple "
                        "operands to have the same number of core dimensions.")
    own = _all_axes(name, axes, axis, keepdims, [name == "matmul" and x.ndim == 1 for x in (x1, x2)])
    ins = [cuprite.moveaxis(x, a, tuple(range(-len(a), 0))) for x, a in zip((x1, x2), own)]
    kept = keepdims and name == "vecdot"
    into = out[0] if isinstance(out, tuple) else out
    if into is not None:
        into = cuprite.moveaxis(into, own[2], tuple(range(-len(own[2]), 0)))
        into = into[..., 0] if kept else into
    r = getattr(cuprite, name)(*ins, out=into, casting=casting, order=order, dtype=dtype)
    if out is not None:
        return out[0] if isinstance(out, tuple) else out
    r = r[..., None] if kept else r
    return cuprite.moveaxis(r, tuple(range(-len(own[2]), 0)), own[2]) if own[2] else r
