"""numba.cuda.libdevice: the functions of CUDA's mathematical library under their names there, each for fixed types:
sinf takes and gives float32, sin float64. Those of several results give a tuple. Numba knows no unsigned numbers there:
their bits are those of int32 and int64."""
from cuprite._compiler.ast.intrinsics import Intrinsic
from cuprite._compiler.ast.types import DOUBLE, FLOAT, INT16, INT32, INT64, UINT32, UINT64
from cuprite._compiler.ast.values import Value, as_type, make_tuple

_MODES = ("rd", "rn", "ru", "rz")
_OF = {"f": FLOAT, "d": DOUBLE, "i": INT32, "u": UINT32, "l": INT64, "U": UINT64}
_GIVES = {**_OF, "u": INT32, "U": INT64, "b": INT32}

# For float64 and, with an f behind, float32: the number of their arguments -> names.
_BOTH = {
    1: "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc erfcx erfinv erfcinv exp exp10 exp2 expm1 "
       "fabs floor j0 j1 lgamma log log10 log1p log2 logb nearbyint normcdf normcdfinv rcbrt rint round rsqrt sin "
       "sinh sinpi sqrt tan tanh tgamma trunc y0 y1",
    2: "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder rhypot", 3: "fma"}
# Others: name, what it is in C, types of result and arguments.
_OTHERS = """
abs abs i:i|llabs llabs l:l|brev __brev i:u|brevll __brevll l:U|clz __clz i:i|clzll __clzll i:l|ffs __ffs i:i
ffsll __ffsll i:l|popc __popc i:u|popcll __popcll i:U|mul24 __mul24 i:ii|umul24 __umul24 u:uu|mulhi __mulhi i:ii
umulhi __umulhi u:uu|mul64hi __mul64hi l:ll|umul64hi __umul64hi U:UU|sad __sad u:iiu|usad __usad u:uuu
hadd __hadd i:ii|rhadd __rhadd i:ii|uhadd __uhadd u:uu|urhadd __urhadd u:uu|byte_perm __byte_perm u:uuu
min py_min i:ii|max py_max i:ii|umin py_min u:uu|umax py_max u:uu|llmin py_min l:ll|llmax py_max l:ll
ullmin py_min U:UU|ullmax py_max U:UU
isnand isnan b:d|isnanf isnan b:f|isinfd isinf b:d|isinff isinf b:f|isfinited isfinite b:d|finitef isfinite b:f
signbitd signbit b:d|signbitf signbit b:f|saturatef __saturatef f:f|ilogb ilogb i:d|ilogbf ilogbf i:f
ldexp ldexp d:di|ldexpf ldexpf f:fi|scalbn scalbn d:di|scalbnf scalbnf f:fi|jn jn d:id|yn yn d:id
jnf jnf f:if|ynf ynf f:if|powi pow d:dd|powif powf f:ff
llrint llrint l:d|llround llround l:d|llrintf llrintf l:f|llroundf llroundf l:f|lrint llrint l:d|lround llround l:d
fast_cosf __cosf f:f|fast_sinf __sinf f:f|fast_tanf __tanf f:f|fast_expf __expf f:f|fast_exp10f __exp10f f:f
fast_logf __logf f:f|fast_log2f __log2f f:f|fast_log10f __log10f f:f|fast_powf __powf f:ff
fast_fdividef __fdividef f:ff
dsub_rn __dsub_rn d:dd|frsqrt_rn __frsqrt_rn f:f|int2double_rn __int2double_rn d:i|uint2double_rn __uint2double_rn d:u
float_as_int __float_as_int i:f|int_as_float __int_as_float f:i
double_as_longlong __double_as_longlong l:d|longlong_as_double __longlong_as_double d:l
double2hiint __double2hiint i:d|double2loint __double2loint i:d|hiloint2double __hiloint2double d:ii
"""
# Those that round as they are told, each as NAME_rd, _rn, _ru and _rz.
_ROUNDING = "dadd d:dd|ddiv d:dd|dmul d:dd|drcp d:d|dsqrt d:d|fma d:ddd|fadd f:ff|fdiv f:ff|fmul f:ff|frcp f:f|" \
            "fsqrt f:f|fsub f:ff|fmaf f:fff|double2float f:d|double2int i:d|double2ll l:d|double2uint u:d|" \
            "double2ull U:d|float2int i:f|float2ll l:f|float2uint u:f|float2ull U:f|int2float f:i|uint2float f:u|" \
            "ll2double d:l|ll2float f:l|ull2double d:U|ull2float f:U"
# Results through addresses: name, what it is in C, type of the argument, of the result, of what the addresses are of.
_SEVERAL = "frexp frexp d d i|frexpf frexpf f f i|modf modf d d d|modff modff f f f|sincos sincos d - dd|" \
           "sincosf sincosf f - ff|sincospi sincospi d - dd|sincospif sincospif f - ff|fast_sincosf __sincosf f - ff"


def _function(name, c, result, arguments, truth=False):
    def write(tr, *values):
        if len(values) != len(arguments):
            raise TypeError(f"{name} takes {len(arguments)} arguments, not {len(values)}")
        strings = [as_type(v, t) for v, t in zip(values, arguments)]
        text = tr.unit.call(c, *strings) if c.startswith("py_") else f"{c}({', '.join(strings)})"
        text = f"({text} != 0)" if truth else text
        text = f"(({result.c}){text})" if result in (INT32, INT64) else text
        return Value(result, text, pure=all(v.pure for v in values))
    return Intrinsic(name, write, f"{name}: {', '.join(t.name for t in arguments)} -> {result.name}")


def several(tr, name, c, value, t, result, addressed):
    """The call of a C function that gives results through addresses: a tuple of all results."""
    names = [tr.fresh(f"{name}_part") for _ in addressed]
    for n, a in zip(names, addressed):
        tr.put_before(f"{a.c} {n};")
    call = f"{c}({', '.join([as_type(value, t)] + ['&' + n for n in names])})"
    out = [Value(a, n) for n, a in zip(names, addressed)]
    if result is None:
        tr.put_before(f"{call};")
        return make_tuple(out)
    first = tr.fresh(f"{name}_part")
    tr.put_before(f"{result.c} {first} = {call};")
    return make_tuple([Value(result, first), *out])


def _tuple_function(name, c, t, result, addressed):
    def write(tr, x):
        return several(tr, name, c, x, t, result, addressed)
    return Intrinsic(name, write, f"{name}: {t.name} -> a tuple")


def _fill(space):
    for count, names in _BOTH.items():
        for name in names.split():
            space[name] = _function(name, name, DOUBLE, [DOUBLE] * count)
            space[name + "f"] = _function(name + "f", name + "f", FLOAT, [FLOAT] * count)
    for row in _OTHERS.strip().replace("\n", "|").split("|"):
        name, c, types = row.split()
        result, arguments = types.split(":")
        space[name] = _function(name, c, _GIVES[result], [_OF[a] for a in arguments], result == "b")
    for row in _ROUNDING.split("|"):
        name, types = row.split()
        result, arguments = types.split(":")
        for mode in _MODES:
            space[f"{name}_{mode}"] = _function(f"{name}_{mode}", f"__{name}_{mode}", _GIVES[result],
                                                [_OF[a] for a in arguments])
    for row in _SEVERAL.split("|"):
        name, c, t, result, addressed = row.split()
        space[name] = _tuple_function(name, c, _OF[t], _OF.get(result), [_OF[a] for a in addressed])


def _remquo(t, c):
    def write(tr, x, y):
        quotient, rest = tr.fresh("quotient"), tr.fresh("rest")
        tr.put_before(f"int {quotient};")
        tr.put_before(f"{t.c} {rest} = {c}({as_type(x, t)}, {as_type(y, t)}, &{quotient});")
        return make_tuple([Value(t, rest), Value(INT32, quotient)])
    return Intrinsic(c, write, f"{c}: {t.name}, {t.name} -> ({t.name}, int32)")


def _half(name, text, t, given):
    def write(tr, x):
        tr.unit.need("#half")
        return Value(t, text.format(as_type(x, given)), pure=x.pure)
    return Intrinsic(name, write, f"{name}: {given.name} -> {t.name}")


remquo, remquof = _remquo(DOUBLE, "remquo"), _remquo(FLOAT, "remquof")
float2half_rn = _half("float2half_rn", "__half_as_short(__float2half_rn({}))", INT16, FLOAT)
half2float = _half("half2float", "__half2float(__short_as_half({}))", FLOAT, INT16)
_fill(globals())
