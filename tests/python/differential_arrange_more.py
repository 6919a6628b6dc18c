"""Cases of manipulation, files, printing, copies, scalars and polynomials for differential_arrange.py; the notation is
that of differential_arrange_cases.py, which gathers the families."""


def reshape(d):
    a = d.array()
    n, new = a.size, []
    while n > 1 and d.chance(0.8):
        f = d.choice([k for k in range(1, n + 1) if n % k == 0])
        new.append(f)
        n //= f
    new += [n] + [1] * d.int(0, 1)
    d.r.shuffle(new)
    if d.chance(0.3):
        new[d.int(0, len(new) - 1)] = -1
    if d.chance(0.05):
        new.append(d.choice((2, -1, -2, 0)))
    order = d.some((d.order("CFA"), 0.5), ("copy=" + d.choice(("True", "False", "None")), 0.2))
    t = d.ok(tuple(new) if len(new) != 1 or d.chance(0.5) else new[0])
    k = d.choice("CFAK")
    copied = d.some((d.order(), .6), ("copy=" + d.choice(("True", "False", "None")), .3))
    return (d.choice((f"r=xp.reshape({a},{t}{order})", f"r={a}.reshape({t}{order})",
        f"r={a}.reshape(*{tuple(new)}{order})", f"r=xp.ravel({a}{d.some((d.order(), .6))})",
        f"r={a}.ravel({d.order()})", f"r={a}.flatten('{k}')", f"a={a};a.shape={t};r=a",
        f"r=xp.ravel({a}).reshape({t})", f"r=xp.copy({a},'{k}')", f"r={a}.copy('{k}')",
        f"r=xp.array({a}"
        f"{copied}{d.some((f'ndmin={d.int(0, 6)}', .3))})",
        f"r=xp.asarray({a}{d.some((d.order(), .6), ('copy=' + d.choice(('True', 'False', 'None')), .3))})",
        f"r=xp.ascontiguousarray({a})", f"r=xp.asfortranarray({a})",
        f"r=xp.require({a},None,{d.choice(('[]', repr('C'), repr('F'), repr('W')))})",
        f"r=xp.{d.choice(('zeros', 'ones'))}_like({a}"
        f"{d.some((d.order(), .6), ('shape=(2,3)', .2), ('dtype=' + repr(d.type('ilfdD')), 0 if d.small else .2))})")))


def axes_text(d, n):
    order = list(range(n))
    d.r.shuffle(order)
    order = [k - n if d.chance(0.2) else k for k in order]
    if d.chance(0.06):
        order = order[1:] + [d.choice((0, n, -n - 1))]
    return tuple(order)


def transpose(d):
    a = d.array()
    n = a.ndim
    axes = d.ok(axes_text(d, n))
    x, y = d.axis(n), d.axis(n)
    some = tuple(d.r.sample(range(-n, n), d.int(0, min(n, 2)))) if n else ()
    where = tuple(d.r.sample(range(n), len(some))) if d.chance(0.97) else (0, 1)
    ones = "(" + ",".join(d.axis(n) for _ in range(d.int(1, 2))) + ",)"
    return (d.choice((f"r=xp.transpose({a},{axes})", f"r={a}.transpose({axes})",
        f"r={a}.transpose(*{axes_text(d, n)})", f"r={a}.T", f"r={a}.mT", f"r=xp.matrix_transpose({a})",
        f"r=xp.permute_dims({a},{axes})", f"r=xp.moveaxis({a},{some},{where})", f"r=xp.moveaxis({a},{x},{y})",
        f"r=xp.swapaxes({a},{x},{y})", f"r={a}.swapaxes({x},{y})", f"r=xp.rollaxis({a},{x},{y})",
        f"r=xp.squeeze({a}{d.some((f'axis={d.ok(d.choice((x, ones)))}', .6))})",
        f"r={a}.squeeze({d.choice((x, ''))})", f"r=xp.expand_dims({a},{d.choice((x, ones, d.int(-n - 2, n + 1)))})",
        f"r=xp.atleast_{d.int(1, 3)}d({a}{d.some((str(d.array()), .3))})",
        f"r=xp.flip({a}{d.some((f'axis={d.choice((x, ones))}', .6))})",
        f"r=xp.{d.choice(('fliplr', 'flipud'))}({a})",
        f"r=xp.rot90({a},{d.ok(d.int(-5, 5))}{d.some((f'axes=({x},{y})', .5))})", f"r={a}.real", f"r={a}.imag",
        f"r=xp.real({a})", f"r=xp.imag({a})", f"r={a}.conj()", f"r=xp.roll({a},"
        f"{d.choice((d.int(-9, 9), (1, -2), d.ok(2**40, .5)))}{d.some((f'axis={d.choice((x, ones))}', .6))})")))


def split(d):
    a = d.array()
    f = d.choice(("split", "array_split", "hsplit", "vsplit", "dsplit", "unstack"))
    k = d.int(0, a.ndim - 1) if a.ndim else 0
    if f == "unstack":
        return f"r=xp.unstack({a}{d.some((f'axis={d.axis(a.ndim)}', .6))})"
    if f in ("hsplit", "vsplit", "dsplit"):
        k = {"hsplit": 1 if a.ndim > 1 else 0, "vsplit": 0, "dsplit": 2}[f]
    n = a.shape[k] if k < a.ndim else 1
    parts = [m for m in range(1, n + 1) if n % m == 0] or [1]
    how = d.ok(d.choice((d.choice(parts), d.int(0, 5), sorted(d.int(-1, n + 1) for _ in range(d.int(0, 3))),
                         f"X({sorted(d.int(0, n) for _ in range(2))})", tuple(d.int(-2, 6) for _ in range(2)))))
    if f in ("split", "array_split"):
        how += d.some((f"axis={d.axis(a.ndim) if d.chance(.2) else k}", 0.8 if k else 0.3))
    return f"r=xp.{f}({a},{how})"


def join(d):
    shape = d.shape(0, 4)
    n = d.int(1, 3)
    t = d.type() if d.chance(0.6) else None
    f = (d.choice(("concatenate", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "concat",
        "append", "block")))
    k = d.int(0, len(shape) - 1) if shape else 0
    parts = []
    for _ in range(n):
        s = list(shape)
        if s and f not in ("stack", "block") and d.chance(0.5):
            s[k] = d.extent()
        if d.chance(0.03):
            s = s[1:] or [2]
        parts.append(d.array(s, t=t))
    seq = ("[" + ",".join(parts) + "]" if d.chance(0.85) else d.choice(("[]", "(" + ",".join(parts) + ",)", str(d.array(
        )))))
    axis = d.some((f"axis={k if d.chance(.8) else d.axis(len(shape), .3)}", 1 if k else 0.5))
    cast = d.some((d.cast(), .2), (f"dtype='{d.type()}'", 0 if d.small else .2))
    if f == "append":
        return f"r=xp.append({parts[0]},{d.value((d.int(0, 3),)) if d.chance(.5) else parts[-1]}{axis})"
    if f == "block":
        return (d.choice((f"r=xp.block({seq})", f"r=xp.block([{seq},{seq}])", f"r=xp.block([[{seq}],[{seq}]])",
            f"r=xp.block({parts[0]})", f"r=xp.block([{parts[0]},1,2.5])", "r=xp.block([])",
            f"r=xp.block([[1,{parts[0]}],[{parts[0]},2]])")))
    if f in ("concatenate", "concat", "stack"):
        if d.chance(0.1) and f == "stack":
            axis += f",out={d.out(t or 'd', (n, *shape))}" if "axis" not in axis else ""
        return f"r=xp.{f}({d.ok(seq)}{axis}{cast})"
    return f"r=xp.{f}({d.ok(seq)}{cast if f in ('hstack', 'vstack') else ''})"


def views(d):
    a = d.array()
    shape = d.shape(0, 3)
    near = tuple(d.int(1, 3) for _ in range(d.int(0, 2))) + tuple(d.int(0, 4) if n == 1 else n for n in a.shape)
    w = tuple(d.int(0, max(1, n)) for n in a.shape)
    k = d.int(0, a.ndim - 1) if a.ndim else 0
    one = d.array((d.int(1, 6),), broadcast=False)
    n = one.size
    i = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "e": 2, "E": 2, "i": 4, "I": 4, "f": 4, "F": 8, "D": 16}.get(one.t, 8)
    window = d.int(1, n)
    return (d.choice((f"r=xp.broadcast_to({a},{d.ok(near)})", f"r=xp.broadcast_to({a},{d.ok(shape, .2)})",
        f"r=xp.broadcast_arrays({a},{d.array(d.near(a.shape))})", f"r=xp.broadcast_arrays({a})",
        f"r=xp.broadcast({a},{d.array(d.near(a.shape))}).shape",
        f"r=xp.broadcast_shapes({a.shape},{d.near(a.shape)},{d.ok(())})",
        f"r=xp.lib.stride_tricks.sliding_window_view({a},{d.ok(w)}{d.some(('writeable=True', .3))})",
        f"r=xp.lib.stride_tricks.sliding_window_view({a},{d.int(0, 3)},axis={d.axis(a.ndim)})",
        f"r=xp.lib.stride_tricks.sliding_window_view({a},({d.int(1, 2)},{d.int(1, 2)}),axis=({k},{d.axis(a.ndim)}))",
        f"r=xp.lib.stride_tricks.as_strided(A('{one.t}',({n},),'',{d.int(0, 4000)}),({n - window + 1},{window}),"
        f"({i},{i}))" if not d.small else f"r={a}[...]", f"r=xp.meshgrid({d.array((d.int(0, 3),))},"
        f"{d.array((d.int(0, 3),))}"
        f"{d.some(('sparse=True', .4), ('copy=False', .4), ('indexing=' + repr(d.choice(('ij', 'xy', 'z'))), .4))})",
        f"r={a}.view()", f"r={a}.view({d.choice(('i1', 'u2', 'f4', 'i8', 'f8', 'D', '?'))!r})",
        f"r={a}.view({a}.dtype)",
        f"a={a};r=(a.flags.c_contiguous,a.flags.f_contiguous,a.flags.writeable,a.size,a.ndim,a.itemsize,a.nbytes)"
        if not d.small else f"r={a}.ndim",
        f"a={a};a.setflags(write={d.choice((True, False, 0))});r=a.flags.writeable",
        f"a={a};r=xp.shares_memory(a,a[{d.choice(('::2', '1:', '...', 'None', '0:0'))}])" if a.ndim else
        f"r=xp.may_share_memory({a},{a})")))


SHAPE = [(reshape, 4), (transpose, 5), (split, 2), (join, 4), (views, 4)]

MODES = ("constant", "edge", "linear_ramp", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap",
    "empty")


def pad(d):
    a = d.array(d.shape(0, 3), ties=True)
    mode = d.choice(MODES[:-1] if d.chance(0.98) else ("bogus", "None"))
    if mode in ("mean", "linear_ramp", "median"):
        a = d.array(a.shape, "bhilBd", ties=True)  # what rounds in other ways has its tests elsewhere
    n = max(a.ndim, 1)

    def width():
        return (d.choice((d.int(0, 3), (d.int(0, 3), d.int(0, 3)), tuple((d.int(0, 4), d.int(0, 2)) for _ in range(n)),
            [[d.int(0, 2)]] * n, ((d.int(0, 9), d.int(0, 3)),),
            d.choice((-1, "1.5", "X([1,2])", ((1, 2, 3),))) if d.chance(
            .2) else 1, {d.choice((0, -1, 1)): d.choice((1, (0, 2)))})))
    options = ""
    if mode == "constant":
        options = (d.some((f"constant_values="
            f"{d.choice((3, (1, 2), tuple((i, i + 1) for i in range(n)), 2.5, '1j', 300, 'X([1,2])'))}", .6)))
    elif mode == "linear_ramp":
        options = d.some((f"end_values={d.choice((3, (1, 2), tuple((i, i + 1) for i in range(n)), 0))}", .6))
    elif mode in ("maximum", "minimum", "mean", "median"):
        options = (d.some((
            f"stat_length={d.choice((1, 2, (1, 3), 'None', tuple((1, 2) for _ in range(n)), 9, 0, -1))}", .5)))
    elif mode in ("reflect", "symmetric"):
        options = d.some((f"reflect_type={d.choice(('odd', 'even'))!r}", .5))
        a = a if "odd" not in options else d.array(a.shape, "bhilBHfd", ties=True)
    if d.chance(0.03):
        options = d.choice((",constant_values=1", ",reflect_type='odd'", ",stat_length=1", ",foo=2"))
    return f"r=xp.pad({a},{d.ok(width())},{mode!r}{options})"


def insert_delete(d):
    a = d.array(d.shape(0, 4))
    k = d.int(0, a.ndim - 1) if a.ndim else 0
    flat = d.chance(0.3) or not a.ndim
    n = a.size if flat else a.shape[k]
    axis = "" if flat else f",axis={d.ok(d.choice((k, k - a.ndim)))}"
    at = (d.choice((str(d.int(-n, n)), f"slice({d.int(-n, n)},{d.int(-n, n)},{d.choice((1, 2, -1, 'None'))})", str([
        d.int(-n, n) for _ in range(d.int(0, 3))]), f"A('?',({n},),'',{d.int(0, 4000)})", d.indices(n, (d.int(0, 3),
        )), "slice(None)", str([d.choice((True, False)) for _ in range(n)]), d.ok("1.0"), "np.int64(0)", "X(0)",
        f"[{d.int(-n - 1, n + 1)}]")))
    if d.chance(0.5):
        return f"r=xp.delete({a},{d.ok(at)}{axis})"
    v = (d.value((d.int(0, 3),), a.t) if flat or d.chance(.4) else d.array(a.shape[:k] + (d.int(0, 3),) + a.shape[k
        + 1:]) if d.chance(.5) else d.array(d.near(a.shape[:k] + a.shape[k + 1:])))
    return f"r=xp.insert({a},{d.ok(at)},{v}{axis})"


def repeated(d):
    a = d.array(d.shape(0, 4))
    k = d.int(0, a.ndim - 1) if a.ndim else 0
    axis = d.some((f"axis={d.ok(d.choice((k, k - a.ndim)))}", 0.6 if a.ndim else 0.1))
    n = a.shape[k] if axis and a.ndim else a.size
    times = (d.choice((d.int(0, 3), [d.int(0, 3) for _ in range(n)], [d.int(0, 3)],
        f"X({[d.int(0, 3) for _ in range(n)]})", "X(2)", "-1", f"X({[d.int(0, 2) for _ in range(n + 1)]})",
        "X([1.0])", "np.int8(2)", "X([2],'u8')")))
    reps = (d.ok(d.choice((d.int(0, 3), tuple(d.int(0, 3) for _ in range(d.int(0, 4))), [2, 1], "X([1,2])", "-1",
        "np.int64(2)"))))
    return (d.choice((f"r=xp.repeat({a},{d.ok(times)}{axis})", f"r={a}.repeat({d.ok(times)}{axis})",
        f"r=xp.tile({a},{reps})", f"r=xp.resize({a},{d.ok(d.choice((d.shape(0, 3), d.int(0, 9), -1, '(2,-1)')))})")))


def bits(d):
    a = d.array(d.shape(0, 3), types="?bBilHd" if d.chance(.2) else "?B" if d.chance(.5) else "B")
    k = (d.some((f"axis={d.axis(a.ndim, .1)}", .6), (
        f"bitorder={d.choice(('big', 'little', 'x') if d.chance(.1) else ('big', 'little'))!r}", .5)))
    if d.small:
        return f"r=xp.packbits(A('B',(3,3),'',{d.int(0, 99)}){k})"
    if d.chance(0.5):
        return f"r=xp.packbits({a}{k})"
    return f"r=xp.unpackbits({a}{k}{d.some((f'count={d.ok(d.int(-9, 20))}', .4))})"


def applied(d):
    a = d.array(d.shape(0, 3), "bhilBHIL", ties=True)
    f = (d.choice(("lambda v: v[::-1]", "lambda v: v.max()", "lambda v: v.sum()", "lambda v: xp.stack([v,v])",
        "lambda v: v[:1]", "lambda v: xp.float32(2)", "lambda v: v*2", "xp.sort", "lambda v: v[0:0]",
        "lambda v: v.reshape(1,-1)")))
    axes = d.choice((d.int(0, 2), (0,), (0, 1), [0, -1], "None", "X([0])", (0, 0)))
    c = d.array(a.shape if d.chance(.9) else d.near(a.shape), t="?")
    functions = "[" + ",".join(d.choice(("1", "-1", "lambda v: v*2", "lambda v: v+1", "2.5", "lambda v,k=3: v*k"))
                               for _ in range(d.int(1, 3))) + "]"
    return (d.choice((f"r=xp.apply_along_axis({f},{d.axis(a.ndim)},{a})",
        f"r=xp.apply_over_axes({d.choice(('xp.sum', 'xp.max', 'xp.prod'))},{a},{axes})",
        f"r=xp.piecewise({a},[{c},{d.array(c.shape, t='?')}],{d.ok(functions)})",
        f"r=xp.piecewise({a},{c},[{d.number()},{d.number()}])", f"r=xp.piecewise({a},[{c}],{functions})",
        f"r=xp.vectorize(lambda x,y: x+y*2)({a},{d.array(d.near(a.shape), 'bhil', ties=True)})",
        f"r=xp.vectorize(lambda x: x*x)({a})", f"r=xp.fromfunction(lambda i,j: i*2+j,"
        f"{d.ok((d.int(0, 3), d.int(0, 3)))},dtype={d.choice(('int', 'float'))})",
        f"r=xp.fromiter(iter([1,2,3]),{d.type('ilfd')!r},{d.choice((-1, 2, 3, 4))})" if not d.small else f"r={a}")))


FILL = [(pad, 5), (insert_delete, 5), (repeated, 4), (bits, 2), (applied, 3)]


def coefficients(d, n=None):
    return d.array((d.int(1, 4) if n is None else n,), d.choice(("il", "d", "d", "il", "?bBhilfdFD")), ties=True)


def polynomials(d):
    p, q = coefficients(d), coefficients(d)
    x = d.array(d.shape(0, 2), "ild", ties=True)
    return (d.choice((f"r=xp.{d.choice(('polyadd', 'polysub', 'polymul'))}({p},{q})", f"r=xp.polyval({p},{x})",
        f"r=xp.polyder({p},{d.ok(d.int(-1, 4))})",
        f"r=xp.polyint({p},{d.ok(d.int(0, 2))}{d.some((f'k={d.choice((1, [1, 2], 0))}', .3))})",
        f"r=xp.poly1d({p}).c", f"r=xp.poly1d({p})(2)",
        f"r=str(xp.poly1d({d.choice(([1, 2, 3], [0, 1], [1, -2], [3], [0, 0], [1.5, 0, -1], [0, 0, 2, 1]))}))",
        f"r=repr(xp.poly1d({p}))", f"r=xp.poly1d({p}).order", f"r=(xp.poly1d({p})*xp.poly1d({q})).c",
        f"r=(xp.poly1d({p})+2).c", f"r=(xp.poly1d({p})**{d.int(0, 3)}).c", f"r=xp.poly1d({p})[{d.int(-1, 4)}]",
        f"p=xp.poly1d({p});p[{d.int(-1, 6)}]=3;r=p.c", f"r=xp.poly1d({p})==xp.poly1d({q})", f"r=-xp.poly1d({p}).c",
        f"r=len(xp.poly1d({p}))", f"r=xp.poly1d({p}).deriv({d.int(0, 3)}).c",
        f"r=xp.polynomial.polynomial.polyadd({p},{q})", f"r=xp.polynomial.polyutils.trimseq({p})",
        f"r=xp.polynomial.polyutils.as_series([{p},{q}])",
        f"r=xp.polynomial.polyutils.trimcoef({p},{d.choice((0, 1, -1))})",
        f"r=xp.polynomial.polynomial.polyvander({x},{d.int(0, 3)})") if not d.small else (
        f"r=xp.polyval(X([1,2]),{d.int(0, 3)})",)))


POLYNOMIALS = [(polynomials, 1)]


def printing(d):
    a = d.array(d.shape(0, 4) if d.chance(0.98) else (d.int(900, 1100),))
    v = d.choice(("repr", "str"))
    options = (d.some((f"precision={d.choice((0, 1, 3, 8, 12, 'None'))}", .4), (
        f"suppress_small={d.choice((True, False))}", .3), (f"max_line_width={d.choice((5, 20, 40, 75, 200, 0))}", .4)))
    more = (d.some((f"threshold={d.choice((0, 1, 5, 1000))}", .4), (f"edgeitems={d.choice((1, 2, 3, 0))}", .4), (
        f"floatmode={d.choice(('fixed', 'unique', 'maxprec', 'maxprec_equal'))!r}", .4), (
        f"sign={d.choice(('+', '-', ' '))!r}", .3), ("separator=" + repr(d.choice((", ", "", "|", ",\n"))), .3), (
        "prefix='array('", .2), ("suffix=')'", .2), (
        "formatter={'float': lambda x: 'F%.1f' % x, 'int': lambda x: 'I%d' % x}", .1), ("legacy=False", .05), (
        f"legacy={d.choice(('1.13', '1.21', '1.25', '2.1'))!r}", .1), ("formatter={'all': lambda x: '<%s>' % x}",
        .05)))
    p = d.random()
    if p < 0.35:
        return f"r={v}({a})"
    if p < 0.5:
        return f"r=xp.array_{v}({a}{options})"
    if p < 0.8:
        return f"r=xp.array2string({a}{options}{more})"
    if p < 0.93:
        context = (options.replace("suppress_small", "suppress").replace("max_line_width", "linewidth").replace(
            "=None", "=5") + more)
        for word in (",prefix='array('", ",suffix=')'", ",separator=', '", ",separator=''", ",separator='|'",
                ",separator=',\\n'"):
            context = context.replace(word, "")
        return f"with xp.printoptions({context[1:]}): r={v}({a})" if "edgeitems=0" not in context else f"r={v}({a})"
    return (d.choice((f"r=format({a},{d.choice(('', '5', '.2f', 'x', 'd', 'e', '>9'))!r})",
        f"r=f'{{a:{d.choice(('.3f', '5d', ''))}}}'".replace("r=", f"a={a};r=", 1), f"r='%s' % ({a},)",
        f"r=xp.base_repr({d.int(-99, 99)},{d.int(1, 37)},{d.int(0, 3)})",
        f"r=xp.binary_repr({d.int(-9, 99)},{d.choice(('None', 3, 9))})",
        f"r=xp.format_float_positional({d.choice((1.5, 1e-7, 3e20, -0.0))},precision={d.int(0, 5)})",
        f"r=xp.format_float_scientific({d.choice((1.5, 1e-7, 3e20))},precision={d.int(0, 5)})", f"r=repr([{a}])",
        f"r='%5.2f' % {a}")))


PRINT = [(printing, 1)]


def scalars(d):
    a = d.array(d.choice(((), (), (1,), (1, 1), (2,), (0,), (1, 0))))
    f = (d.choice(("int({})", "float({})", "complex({})", "bool({})", "{}.item()", "[0,1,2,3][{}]", "range(9)[{}:]",
        "operator.index({})", "round({})", "round({},1)", "{}.tolist()", "bytes({}.tobytes())", "hash({})",
        "len({})", "divmod({},2)", "1 if {} else 2", "not {}", "math.floor({})", "math.trunc({})", "'ab'*{}",
        "{}.item(0)", "{}.__index__()", "{} is None", "{}.tobytes('F')", "math.sqrt({})", "chr({})", "hex({})",
        "{}.nbytes")))
    return "import operator,math;r=" + f.format(a)


LISTS = ([1, 2], [[1], [2]], [1, 2.5], [True, 1], [], [[]], [1j], [[1, 2], [3]], "None", "'a'", [2**63], [2**64],
         "[-1,2**63]", (1, [2]), [1, None], "range(3)", "[np.int8(1),2.5]", "[np.float32(1),2]", "[X(1),2]",
         "[X([1,2]),X([3,4])]", "[X([1,2]),[3,4]]")


def copies(d):
    a = d.array()
    t = d.choice("?bBhHiIlLefdFD")
    return (d.choice((f"import copy;r=copy.copy({a})", f"import copy;r=copy.deepcopy({a})",
        f"import pickle;r=pickle.loads(pickle.dumps({a},{d.int(0, 5)}))", f"r={a}.astype('{t}'"
        f"{d.some((d.cast(), .2), (d.order(), .3), ('copy=' + d.choice(('True', 'False')), .3))})" if not d.small
        else f"r={a}.copy()", f"r={a}.tobytes({d.choice(('', repr('C'), repr('F'), repr('A')))})" if not d.small
        else f"r={a}.ndim", f"import pickle;r=pickle.loads({a}.dumps())" if not d.small else f"r={a}.size",
        f"a={a};r=a[...].base is None",
        f"r={a}.__copy__()", f"a={a};r=a.copy() is a", f"r=xp.copy({a})",
        f"a={a};a.fill({d.number()});r=a.copy()", f"r={a}.byteswap()" if not d.small else f"r={a}.T",
        f"r=xp.full({d.ok(d.shape(0, 3))},{d.number()}{d.some((f'dtype={t!r}', .5), (d.order(), .3))})",
        f"r=xp.full_like({a},{d.number()}{d.some((d.order(), .3))})",
        f"r=xp.arange({d.number()},{d.choice((5, 7.5, 0, -3))},{d.choice((1, 2, 0.5, -1))})",
        f"r=xp.array("
        f"{d.choice(LISTS)}{d.some((f'dtype={t!r}', .5), (f'ndmin={d.int(0, 3)}', .3), (d.order(), .3))})",
        f"r=xp.asarray_chkfinite({a})", f"r=xp.size({a}{d.some((d.axis(a.ndim), .5))})", f"r=xp.shape({a})",
        f"r=xp.ndim({a})")))


SCALARS = [(scalars, 1), (copies, 2)]


def files(d):
    a = d.array(types="?bBhHiIlLefdFD", t=None if not d.small else d.choice("ild"))
    b = d.array(t=d.choice("ildf"))
    start = "import io;f=io.BytesIO();"
    text = (d.choice(("1 2 3\\n4 5 6\\n", "1,2,3\\n4,5,6", "# c\\n1 2\\n\\n3 4", "1.5 nan\\ninf -2", "1", "",
        "1 2\\n3", "a b\\nc d", "1;2\\n3;4", "1+2j 3j", "1,,3\\n4,5,6", "1e400 2", "0x10 2", " 1  2 \\n 3 4 #x",
        "1\\n2\\n3", "300 2", "-1 2", "1_0 2", "True False", "1.0 2.0")))
    load = (d.some((f"dtype={d.choice(('int', 'float', 'complex', repr('i1'), repr('f4'), 'bool', repr('u1')))}", .5),
        (f"delimiter={d.choice((',', ';', ' '))!r}", .4), (f"skiprows={d.int(0, 2)}", .2), (
        f"usecols={d.choice((0, (0, 1), -1, [1], 5, '1.5'))}", .3), ("unpack=True", .2), (f"ndmin={d.int(0, 3)}", .3),
        (f"max_rows={d.int(0, 3)}", .2), ("comments=None", .1)))
    generate = (d.some((f"dtype={d.choice(('int', 'float', 'complex', repr('f4')))}", .4), (
        f"delimiter={d.choice((',', ';'))!r}", .4), (f"skip_header={d.int(0, 2)}", .2), (
        f"usecols={d.choice((0, (0, 1), [1]))}", .2), ("filling_values=9", .2), ("missing_values='a'", .2), (
        "unpack=True", .2), ("invalid_raise=False", .2)))
    small = d.array(d.shape(0, 3), types="?bBhilfdFD")
    write = (d.some((f"fmt={d.choice(('%d', '%.3e', '%5.1f', '%s', '%d %d', '%r'))!r}", .5), ("delimiter=','", .3),
        ("header='h\\nx'", .2), ("newline='\\r\\n'", .2), ("footer='z'", .2), ("comments='//'", .2)))
    raw = (d.some((f"dtype={d.choice(('i1', 'u2', 'f4', 'f8', '>i4', 'D', '?'))!r}", .8), (f"count={d.int(-1, 5)}",
        .4), (f"offset={d.choice((0, 1, 4, 8, 99, -1))}", .3)))
    n = d.choice((0, 3, 8, 16, 24, 32))
    sep, mode = d.some(("sep=','", .2), ("sep=''", .2)), d.some(("mmap_mode='r'", .2), ("mmap_mode='c'", .2))
    return (d.choice((
        f"{start}xp.save(f,{a});f.seek(0);r=xp.load(f)", f"{start}xp.save(f,{a});r=f.getvalue()" if not d.small
        else f"r={a}.ndim", f"{start}np.save(f,"
        f"np.asarray({d.choice(('[1,2]', '[[1.5]]', '3', '[1j]', '[[1],[2]]'))})"
        f".astype({d.choice(('>i4', '<f8', '>f2', '>c16', '<u2', '?'))!r}));f.seek(0);r=xp.load(f)",
        f"{start}xp.savez(f,{a},k={b});f.seek(0);z=xp.load(f);r=(sorted(z.files),z['arr_0'],z['k'])",
        f"{start}xp.savez_compressed(f,x={a});f.seek(0);r=xp.load(f)['x']",
        f"r=xp.loadtxt(io.StringIO('{text}'){load})".replace("r=", "import io;r=", 1),
        f"import io;r=xp.genfromtxt(io.StringIO('{text}'){generate})",
        f"{start}xp.savetxt(f,{small}{write});r=f.getvalue()", f"r=xp.frombuffer(bytes(range({n})){raw})",
        f"r=xp.frombuffer(bytearray(range({n})){raw})", f"r=xp.fromstring("
        f"{d.choice(('1 2 3', '1,2', '', '1 x', '1.5 2'))!r},dtype={d.choice(('int', 'float'))},"
        f"sep={d.choice((' ', ','))!r})", f"import tempfile,os;t=tempfile.mkstemp();os.close(t[0]);"
        f"{a}.tofile(t[1]{sep});r=open(t[1],'rb').read();os.remove(t[1])" if not d.small else "r=1",
        f"import tempfile,os;t=tempfile.mkstemp();os.write(t[0],bytes(range({n})));os.close(t[0])\ntry: "
        f"r=xp.fromfile(t[1]{raw})\nfinally: os.remove(t[1])", f"import tempfile,os;t=tempfile.mkdtemp()+'/x.npy';"
        f"xp.save(t,{a});r=xp.load(t{mode});r=xp.array(r);os.remove(t);os.rmdir(t[:-6])" if not d.small else "r=2",
        start + "f.write(" + d.choice(("b''", "b'abc'", "b'\\x93NUMPY'", "b'PK'", "b'\\x93NUMPY\\x01\\x00'")) +
        ");f.seek(0);r=xp.load(f)")))


IO = [(files, 1)]

FAMILIES = {"shape": SHAPE, "fill": FILL, "polynomials": POLYNOMIALS, "print": PRINT, "scalars": SCALARS, "io": IO}

