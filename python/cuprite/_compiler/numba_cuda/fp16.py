"""numba.cuda.fp16: functions of float16, each rounded once; and of float16 the elementary functions."""
from cuprite._compiler.ast.intrinsics import Intrinsic
from cuprite._compiler.ast.types import BOOL, HALF
from cuprite._compiler.ast.values import Value, as_type

_NAMES = {  # name -> (in C, arguments, result)
    **{n: (f"__{n}", 2, HALF) for n in "hadd hsub hmul hmax hmin".split()}, "hdiv": ("__hdiv", 2, HALF),
    "hfma": ("__hfma", 3, HALF), "hneg": ("__hneg", 1, HALF), "habs": ("__habs", 1, HALF),
    **{n: (f"__{n}", 2, BOOL) for n in "heq hne hge hgt hle hlt".split()},
    **{n: (n, 1, HALF) for n in "hsin hcos hlog hlog10 hlog2 hexp hexp10 hexp2 hfloor hceil hsqrt hrsqrt hrcp hrint "
                                "htrunc".split()}}


def _function(name, c, count, result):
    def write(tr, *values):
        if len(values) != count:
            raise TypeError(f"{name} takes {count} arguments, not {len(values)}")
        tr.unit.need_type(HALF)
        text = f"{c}({', '.join(as_type(v, HALF) for v in values)})"
        return Value(result, text, pure=all(v.pure for v in values))
    return Intrinsic(name, write, f"{name} of {count} float16")


for _name, _row in _NAMES.items():
    globals()[_name] = _function(_name, *_row)
