"""Cases of indexing, taking, sorting, searching and sets for differential_arrange.py: a function a kind, which draws
the source of a case. FAMILIES has all, also those of differential_arrange_more.py and differential_interop.py."""
from differential_draw import Draw, nested  # noqa: F401
import differential_arrange_more as more
import differential_interop as interop


def slice_text(d, n):
    a, b = (d.choice(("", d.int(-n - 2, n + 2))) for _ in range(2))
    step = d.choice(("", "", 1, 2, -1, -2, 3))
    if d.wrong(0.01):
        step = d.junk((0, "1.5", "X(1)", "2**70", "'a'", "np.int8(2)"))
    return f"{a}:{b}:{step}" if step != "" else f"{a}:{b}"


def basic_key(d, shape):
    key, axis = [], 0
    while axis < len(shape) and d.chance(0.85):
        p, n = d.random(), shape[axis]
        if p < 0.5:
            key.append(slice_text(d, n))
        elif p < 0.9:
            at = d.int(-n, n - 1) if n else 3
            key.append(d.ok(d.junk((n, -n - 1, 3)) if d.wrong(0.04) else at))
        else:
            key.append("None")
            continue
        axis += 1
    if d.chance(0.25):
        key.insert(d.int(0, len(key)), "...")
    if d.wrong(0.01):
        key.append(d.junk(("...", "0", "'a'", "1.0", "None", "2**65")))
    return ",".join(key) + ("," if len(key) == 1 and d.chance(0.5) else "") or "()"


def mask_text(d, shape):
    if d.wrong(0.04):
        shape = tuple(n + 1 for n in shape)
    return d.array(shape, t="?")


def fancy_key(d, shape):
    """Arrays, lists and masks between slices."""
    common = tuple(d.int(1, 3) for _ in range(d.choice((0, 1, 1, 1, 2, 3))))
    if d.chance(0.06):
        common = (0, *common)
    key, axis = [], 0
    while axis < len(shape) and d.chance(0.88):
        p, n = d.random(), shape[axis]
        if p < 0.2:
            key.append(slice_text(d, n))
        elif p < 0.32:
            key.append(str(d.int(-n, n - 1) if n else 0))
        elif p < 0.75:
            key.append(d.indices(n, tuple(1 if d.chance(0.15) and e else e for e in common[d.int(0, len(common)):])
                                 if d.chance(0.5) else common))
        elif p < 0.9:
            deep = d.int(1, 2)
            part = shape[axis:axis + deep]
            key.append(mask_text(d, part))
            axis += len(part) - 1
        elif p < 0.95:
            key.append("None")
            continue
        else:
            key.append(d.choice(("True", "False", "np.bool(True)", "X(True)")))
            continue
        axis += 1
    if d.chance(0.25):
        key.insert(d.int(0, len(key)), "...")
    if d.wrong(0.02):
        key.append(d.junk(("...", "0", "'a'", "X([1.5])", "[True]", "[]", "[[0]]", "1.0", "X([0])")))
    return ",".join(key) or "()"


def any_key(d, shape):
    p = d.random()
    if p < 0.35:
        return basic_key(d, shape)
    if p < 0.5:
        return mask_text(d, shape[:d.int(0, len(shape))] if d.chance(0.3) else shape)
    return fancy_key(d, shape)


def get_basic(d):
    a = d.array()
    return f"r={a}[{basic_key(d, a.shape)}]"


def get_mask(d):
    a = d.array()
    return f"r={a}[{mask_text(d, a.shape[:d.int(0, a.ndim)] if d.chance(0.3) else a.shape)}]"


def get_fancy(d):
    a = d.array()
    return f"r={a}[{fancy_key(d, a.shape)}]"


def set_item(d):
    a = d.target()
    key = any_key(d, a.shape)
    if d.chance(0.4):  # a value that fits, from the result's own shape
        v = d.array(d.near(a.shape[d.int(0, a.ndim):]))
    else:
        v = d.value(d.near(a.shape), a.t)
    return f"a={a};a[{key}]={v};r=a.copy()"


def set_fitting(d):
    a = d.target()
    v = d.choice(("a[{0}]*1", "a[{0}][...,::-1]", "a[{0}]", "a[{0}]==0", "xp.zeros_like(a[{0}])", "a[{0}].astype('f4')",
                  "a[{0}].astype('i1')", "a[{0}][:1]", "a[{0}][None]", "a[{0}].astype('D')"))
    key = any_key(d, a.shape)
    return f"a={a};a[{key}]={v.format(key)};r=a.copy()"


def set_overlap(d):
    n = d.int(1, 9)
    t, lay = d.type(), d.choice(("", "s", "r", "o"))
    p, q = slice_text(d, n), slice_text(d, n)
    return f"a=A('{t}',({n},),'{lay}',{d.int(0, 4000)});a[{p}]=a[{q}];r=a.copy()"


def in_place(d):
    a = d.target()
    op = d.choice(("+=", "-=", "*=", "|=", "&=", "^=", "<<=", "//=", "/=", "**=", "%="))
    if op in ("/=", "**=", "%=", "//="):
        v = d.choice(("1", "2", "1.0"))
    else:
        v = (d.choice(("1", "2", "True", "1.5", "1j", "np.int8(2)", "np.float32(2)", d.array(d.near(a.shape[-1:]),
            ties=True))))
    ties = str(a).rsplit(",", 1)[0] + f",{d.int(0, 1200)})"  # sums of any bits are no matter of this file
    return f"a={ties};a[{any_key(d, a.shape)}]{op}{v};r=a.copy()"


def delete_and_iterate(d):
    a = d.array(d.shape(0, 3))
    return (d.choice((f"r=list({a})", f"r=len({a})", f"del {a}[0];r=1", f"r=[*zip({a},{a})]",
        f"r={d.number()} in {a}", f"x,y={a};r=(x,y)", f"r=[v for v in {a}.flat]", f"r=tuple(reversed({a}))",
        f"r={a}.tolist()", f"r={a}.item({d.ok(0, .3)})",
        f"r={a}.item(*{d.choice(((0, 0), (0,), (1, 1), (-1,), (5,), (0, 0, 0)))})", f"r=max({a},key=lambda v: 0)",
        f"r=sorted([1,2]) if {a}.size else {a}")))


def flat(d):
    a = d.target()
    n = a.size
    key = d.choice((slice_text(d, n), str(d.int(-n, n)), d.indices(n, (d.int(0, 4),)), "...", "()", "None", "1.5",
                    "(0,0)", f"({d.int(-n, n)},)", f"A('?',({n},))", "[True]", slice_text(d, n), "X(0)", "'a'",
                    d.indices(n, (2, 2)), "slice(None),"))
    p = d.random()
    if p < 0.4:
        return f"r={a}.flat[{key}]"
    if p < 0.8:
        return f"a={a};a.flat[{key}]={d.value((d.int(1, 5),), a.t)};r=a.copy()"
    return (d.choice((f"r=len({a}.flat)", f"a={a};a.flat={d.value((d.int(1, 5),), a.t)};r=a.copy()",
        f"r={a}.flat.copy()", f"r={a}.flat.base", f"f={a}.flat;next(f);r=(next(f),f.index,f.coords)",
        f"r={a}.flat==1", f"a={a};a.flat[{key}]+=1;r=a.copy()", f"r=xp.asarray({a}.flat[:])")))


INDEX = [(get_basic, 4), (get_mask, 2), (get_fancy, 5), (set_item, 5), (set_fitting, 3), (set_overlap, 1), (in_place,
    3), (delete_and_iterate, 1), (flat, 2)]


def take(d):
    a = d.array()
    mode = d.choice(("'raise'", "'wrap'", "'clip'"))
    n = a.size
    axis = "None"
    if d.chance(0.7) and a.ndim:
        k = d.int(0, a.ndim - 1)
        n, axis = a.shape[k], str(k - a.ndim if d.chance(0.5) else k)
    wrong = 0.04 if mode == "'raise'" else 0.5
    shape = tuple(d.int(0, 3) for _ in range(d.choice((0, 1, 1, 2))))
    mode = mode if n or mode != "'wrap'" else "'raise'"  # NumPy's never returns
    at = d.indices(n, shape, wrong)
    options = d.some((f"axis={d.ok(axis)}", 1 if axis != "None" else 0.3), (f"mode={d.ok(mode)}", 0.6))
    if d.chance(0.2):
        full = shape if axis == "None" else a.shape[:int(axis) % a.ndim] + shape + a.shape[int(axis) % a.ndim + 1:]
        options += f",out={d.out(a.t, full)}"
        return f"o=None;a={a};r=xp.take(a,{at}{options})"
    return f"r=xp.take({a},{at}{options})" if d.chance(0.7) else f"r={a}.take({at}{options})"


def put(d):
    a = d.target()
    at = d.indices(a.size, d.choice(((), (3,), (2, 2), (0,), (1,))), 0.2)
    v = d.value((3,), a.t)
    mode = d.some((f"mode={d.ok(d.choice(('raise', 'wrap', 'clip')).join(chr(39) * 2))}", 0.5))
    return (f"a={a};r=xp.put(a,{at},{v}{mode});r=(r,a.copy())" if d.chance(0.7) else
        f"a={a};a.put({at},{v}{mode});r=a.copy()")


def _broadcast(shapes):
    """The shape that several have together, or None."""
    result = []
    for i in range(1, max(map(len, shapes)) + 1):
        extents = {s[-i] for s in shapes if len(s) >= i} - {1}
        if len(extents) > 1:
            return None
        result.append(extents.pop() if extents else 1)
    return tuple(reversed(result))


def choose(d):
    shape = d.shape(0, 3)
    n = d.int(1, 4)
    mode = d.choice(("'raise'", "'wrap'", "'clip'"))
    a = d.indices(n, shape, 0.04 if mode == "'raise'" else 0.5, False, 0)
    t = d.type() if d.chance(0.7) else None
    parts = [d.array(d.near(shape), t=t) for _ in range(n)]
    if d.chance(0.2):
        t, parts = None, [d.array((n, *shape))]
    seq = "[" + ",".join(parts) + "]" if len(parts) == n and n > 1 else parts[0]
    # NumPy writes beside an out with strides, or of another shape or type than the choices
    full = _broadcast([shape, *(p.shape for p in parts)])
    out = d.some((f"out=A('{t}',{full})", 0.2 if t and full is not None else 0), (f"mode={d.ok(mode)}", 0.6))
    return f"r=xp.choose({a},{d.ok(seq)}{out})" if d.chance(0.7) else f"r={a}.choose({seq}{out})"


def select(d):
    shape = d.shape(0, 3)
    n = d.int(1, 3)
    conditions = [d.array(d.near(shape), t="?" if not d.wrong(0.02) else None) for _ in range(n)]
    t = d.type() if d.chance(0.7) else None
    choices = [d.array(d.near(shape), t=t) if d.chance(0.85) else d.number() for _ in range(n + d.wrong(0.03))]
    return f"r=xp.select([{','.join(conditions)}],[{','.join(choices)}]{d.some((d.number(), 0.4))})"


def place_mask(d):
    a = d.target()
    f = d.choice(("place", "putmask", "extract", "compress", "copyto"))
    m = d.array(a.shape if not d.wrong(0.05) else d.near(a.shape), t="?" if d.chance(0.85) else None)
    v = d.value((d.int(1, 4),), a.t)
    if f == "extract":
        return f"r=xp.extract({m},{a})"
    if f == "copyto":
        return f"a={a};xp.copyto(a,{d.value(a.shape, a.t)}{d.some((f'where={m}', .5), (d.cast(), .4))});r=a.copy()"
    if f == "compress":
        k = d.int(0, a.ndim - 1) if a.ndim else 0
        n = (a.shape[k] if a.ndim else 1) if d.chance(0.9) else d.int(0, 5)
        c = d.array((n,), t="?" if d.chance(0.9) else None) if d.chance(0.8) else [d.int(0, 1) for _ in range(n)]
        axis = d.some((f"axis={k}", .7))
        return f"r=xp.compress({c},{a}{axis})" if d.chance(0.7) else f"r={a}.compress({c}{axis})"
    return f"a={a};r=xp.{f}(a,{d.ok(m)},{v});r=(r,a.copy())"


def along_axis(d):
    a = d.target(d.shape(1, 4))
    k = d.int(0, a.ndim - 1)
    shape = list(a.shape)
    shape[k] = d.int(0, 4)
    shape = [1 if d.chance(0.1) and i != k else n for i, n in enumerate(shape)]
    if d.chance(0.03):
        shape = shape[:-1]
    at = d.indices(a.shape[k], tuple(shape), list_too=False)
    axis = d.ok(d.choice((k, k - a.ndim)))
    if d.chance(0.1):
        at, axis = d.indices(a.size, (3,), list_too=False), "None"
    if d.chance(0.5):
        return (f"r=xp.take_along_axis({a},{at},{axis})" if d.chance(0.8) else
            f"r=xp.take_along_axis({a},{at},axis={axis})")
    return f"a={a};xp.put_along_axis(a,{at},{d.value(tuple(shape), a.t)},{axis});r=a.copy()"


def grids(d):
    parts = [d.choice((d.indices(5, (d.int(0, 3),)), d.array((d.int(0, 4),), t="?"), "[]", "[True,False]", d.ok(
        "[0,1]", .2))) for _ in range(d.int(0, 3))]
    numbers = [d.choice((f"{d.int(-3, 3)}:{d.int(-3, 9)}:{d.choice((1, 2, -1, 0.5, '3j', 1.5, '1j', '0j'))}", d.number(
        ), d.array((d.int(0, 3),)), f"{d.int(0, 3)}:{d.int(0, 6)}", "[1,2,3]", d.array(d.shape(0, 2)))) for _ in range(
        d.int(1, 3))]
    text = ",".join(numbers)
    spec = d.choice(("", "", "", "'0,2',", "'1',", "'-1,2,0',", "'0,3,1',", "'-1',", "'0,2,-1',"))
    slices = ",".join(f"{d.choice((0, 1, -2, 0.5))}:{d.choice((3, 5, 2.5, 0))}:{d.choice((1, 2, '3j', 0.5, '4j'))}"
                      for _ in range(d.int(1, 3)))
    return (d.choice((f"r=xp.ix_({','.join(parts)})", f"r=xp.r_[{spec}{text}]", f"r=xp.c_[{text}]",
        f"r=xp.mgrid[{slices}]", f"r=xp.ogrid[{slices}]", f"r=xp.s_[{basic_key(d, (3, 3))}]",
        f"r=xp.index_exp[{basic_key(d, (3, 3))}]")))


def diagonals(d):
    a = d.target(d.shape(0, 4))
    k = d.ok(d.int(-4, 4))
    axes = f",{d.axis(a.ndim)},{d.axis(a.ndim)}" if d.chance(0.5) else ""
    n, m = d.int(0, 5), d.int(0, 5)
    return (d.choice((f"r=xp.diag({a},{k})", f"r=xp.diag({a})", f"r=xp.diagflat({a},{k})",
        f"r=xp.diagonal({a},{k}{axes})", f"r={a}.diagonal({k}{axes})",
        f"a={a};r=xp.fill_diagonal(a,{d.value((3,), a.t)}{d.some(('wrap=True', .4))});" "r=(r,a.copy())",
        f"r=xp.diag_indices({d.ok(n)},{d.ok(d.int(0, 4))})", f"r=xp.diag_indices_from({a})", f"r=xp.tril({a},{k})",
        f"r=xp.triu({a},{k})", f"r=xp.tri({d.ok(n)},{d.ok(m)},{k},dtype='{d.type()}')" if not d.small else
        f"r=xp.tri({n})", f"r=xp.tril_indices({n},{k},{m})", f"r=xp.triu_indices({n},{k},{m})",
        f"r=xp.tril_indices_from({a},{k})", f"r=xp.triu_indices_from({a},{k})",
        f"r=xp.mask_indices({n},xp.{d.choice(('triu', 'tril'))},{k})",
        f"r=xp.eye({d.ok(n)},{d.ok(m)},{k}{d.some((d.order('CF'), .3))})", f"r=xp.identity({d.ok(n)})",
        f"r=xp.vander({d.array((d.int(0, 4),), ties=True)},{d.choice(('None', '2', '0', '5', '-1'))},"
        f"{d.choice(('True', 'False'))})",
        f"r=xp.indices({d.ok(tuple(d.int(0, 3) for _ in range(d.int(0, 3))))}"
        f"{d.some(('sparse=True', .4), ('dtype=' + repr(d.choice('ilfd')), .3))})")))


def multi_index(d):
    dims = tuple(d.int(1, 5) for _ in range(d.int(1, 4)))
    if d.chance(0.05):
        dims = d.choice(((), (0, 3), (2**40, 2**40), (-1, 2)))
    total = 1
    for n in dims:
        total *= n
    shape = tuple(d.int(0, 3) for _ in range(d.int(0, 2)))
    order = d.some((d.order("CF"), 0.4))
    if d.chance(0.5):
        return f"r=xp.unravel_index({d.indices(max(total, 1), shape, 0.05, False, 0)},{d.ok(dims)}{order})"
    mode = d.choice(("'raise'", "'wrap'", "'clip'", "('clip','wrap')"))
    dims = dims or (2,)
    at = ",".join(d.indices(n, shape, 0.05 if mode == "'raise'" else 0.5, False, 0) for n in dims)
    return f"r=xp.ravel_multi_index(({at},),{d.ok(dims)}{d.some((f'mode={mode}', .6))}{order})"


def where(d):
    shape = d.shape(0, 4)
    c = d.array(d.near(shape), t="?" if d.chance(0.7) else None)
    p, q = (d.array(d.near(shape)) if d.chance(0.75) else d.number() for _ in range(2))
    return (d.choice((f"r=xp.where({c},{p},{q})",) * 3 + (f"r=xp.where({c})", f"r=xp.nonzero({c})",
        f"r=xp.argwhere({c})", f"r=xp.flatnonzero({c})", f"r={c}.nonzero()", f"r=xp.where({c},{p})",
        f"r=xp.count_nonzero({c}{d.some((f'axis={d.axis(c.ndim, .2)}', .6), ('keepdims=True', .3))})")))


TAKE = [(take, 4), (put, 2), (choose, 2), (select, 2), (place_mask, 4), (along_axis, 3), (grids, 2), (diagonals, 4),
        (multi_index, 2), (where, 4)]


def sort(d):
    a = d.target()
    axis = d.axis(a.ndim, 0.1)
    kind = (d.some((f"axis={axis}", 0.7), ("kind=" + d.ok(d.choice(("'quicksort'", "'stable'", "'mergesort'",
        "'heapsort'"))), .2)))
    stable = ",kind='stable'" if d.chance(0.8) else ",stable=True"
    p = d.random()
    if p < 0.35:
        return f"r=xp.sort({a}{kind}{d.some(('stable=' + d.ok('True'), .05))})"
    if p < 0.5 and a.ndim:
        return f"a={a};r=a.sort({kind[1:] if 'None' not in kind else ''});r=(r,a.copy())"
    if p < 0.85:
        return (f"r=xp.argsort({a}{d.some((f'axis={axis}', .7))}{stable})" if d.chance(0.7) else
            f"r={a}.argsort({axis}{stable})")
    return d.choice((f"r=xp.sort_complex({a})", f"a={a};i=xp.argsort(a,-1,kind='stable');r=xp.take_along_axis(a,i,-1)"))


def lexsort(d):
    shape = d.shape(0, 3)
    n = d.int(1, 3)
    keys = (d.choice(("(" + ",".join(d.array(shape, ties=True) for _ in range(n)) + ",)", str(d.array((n, *shape),
        ties=True)), str(d.array(d.shape(0, 3))))))
    if d.small:
        keys = str(d.array((n, *shape)))
    return f"r=xp.lexsort({d.ok(keys)}{d.some((f'axis={d.axis(len(shape))}', .4))})"


def partition(d):
    a = d.array(d.shape(1, 4))
    n = a.shape[-1]
    k = d.int(0, n - 1) if n else 0
    if d.chance(0.75) and n:
        cut = f"r=(r[...,{k}],xp.sort(r[...,:{k}]),xp.sort(r[...,{k + 1}:]))"
        f = (d.choice((f"r=xp.partition(a,{k - n if d.chance(.5) else k})", f"a=a.copy();a.partition({k});r=a",
            f"r=xp.take_along_axis(a,xp.argpartition(a,{k}),-1)", f"r=xp.take_along_axis(a,a.argpartition({k}),-1)")))
        return f"a={a};{f};{cut}"
    several = (d.choice(([k, 0], (0, k), [k], "X([0,%d])" % k, "[]", "True", "n", "1.0", str(n), str(-n - 1),
        "[0,9]", "None")))
    axis = d.axis(a.ndim, 0.2)
    return f"a={a};n={n};r=xp.partition(a,{several},{axis}).shape" if d.chance(0.5) else \
        f"a={a};n={n};r=xp.argpartition(a,{several},{axis});r=(r.shape,r.dtype==xp.int64)"


def searchsorted(d):
    t = d.type()
    a = d.array((d.int(0, 7),), t=t)
    v = d.array(d.shape(0, 3), t=t if d.chance(0.7) else None) if d.chance(0.85) else d.number()
    side = (d.some((
        f"side={d.ok(d.choice(('left', 'right', 'l', 'R')[:2 if d.chance(.95) else 4]).join(chr(39) * 2))}", .6)))
    p = d.random()
    if p < 0.7:
        return (f"a=xp.sort({a});r=xp.searchsorted(a,{v}{side})" if d.chance(0.7) else
            f"a=xp.sort({a});r=a.searchsorted({v}{side})")
    if p < 0.95:
        s = "xp.argsort(a,kind='stable')" if d.chance(.9) else d.ok(d.indices(a.size, a.shape), .3)
        rest = "" if s.startswith("xp") else ".shape"  # nothing is promised of what is not sorted
        return f"a={a};s={s};r=xp.searchsorted(a,{v}{side},sorter=s){rest}"
    return f"r=xp.searchsorted({d.array()},{v}{side}).shape"  # nothing is promised of what is not sorted


def extremes(d):
    a = d.array()
    f = d.choice(("argmax", "argmin", "nanargmax", "nanargmin"))
    axis = d.axis(a.ndim, 0.2)
    options = d.some((f"axis={axis}", 0.7), ("keepdims=True", 0.2))
    if d.chance(0.1) and a.ndim and "(" not in axis:
        k = int(axis) % a.ndim if axis.lstrip("-").isdigit() and abs(int(axis)) < 9 else 0
        options = f",axis={k},out={d.out('l', a.shape[:k] + a.shape[k + 1:])}"
    return f"r=xp.{f}({a}{options})" if "nan" in f or d.chance(0.6) else f"r={a}.{f}({options[1:]})"


SORT = [(sort, 6), (lexsort, 2), (partition, 3), (searchsorted, 4), (extremes, 4)]


def unique(d):
    a = d.array(ties=d.chance(0.7))
    axis = (d.some((f"axis={d.axis(a.ndim, .1)}", 0.5 if a.t not in "E" else 0), ("equal_nan=" + d.choice(("True",
        "False")), .3), ("sorted=True", .05)))
    wanted = d.some(("return_index=True", .4), ("return_inverse=True", .4), ("return_counts=True", .4))
    return (d.choice((f"r=xp.unique({a}{wanted}{axis})",) * 4 + (f"r=tuple(xp.unique_all({a}))",
        f"r=tuple(xp.unique_counts({a}))", f"r=tuple(xp.unique_inverse({a}))", f"r=xp.sort(xp.unique_values({a}))")))


def isin(d):
    t = d.type()
    a = d.array(ties=d.chance(0.7), t=t)
    b = d.array(ties=d.chance(0.7), t=t if d.chance(0.6) else None)
    k = d.some(("invert=True", .3), ("kind=" + d.ok(d.choice(("'sort'", "'table'", "None"))), .3))
    return (f"r=xp.isin({a},{d.ok(b)}{k})" if d.chance(0.9) else
        f"r=xp.isin({a},{d.choice(('2', '[1,2]', '[]', '1.0', 'True'))}{k})")


def sets(d):
    t = d.type()
    a = d.array(d.shape(0, 3), ties=d.chance(0.7), t=t)
    b = d.array(d.shape(0, 3), ties=d.chance(0.7), t=t if d.chance(0.6) else None)
    f = d.choice(("union1d", "intersect1d", "setdiff1d", "setxor1d"))
    k = d.some(("return_indices=True", .4)) if f == "intersect1d" else ""
    if d.chance(0.15) and f != "union1d":
        return f"a,b=xp.unique({a}),xp.unique({b});r=xp.{f}(a,b,assume_unique=True{k})"
    return f"r=xp.{f}({a},{b}{k})"


def trim(d):
    a = d.array(d.shape(1, 3), ties=True)
    return (f"r=xp.trim_zeros({a}{d.some((repr(d.choice(('f', 'b', 'fb', 'F', 'BF', 'x', ''))), .6))}"
        f"{d.some((f'axis={d.axis(a.ndim, .2)}', .3))})")


SETS = [(unique, 4), (isin, 3), (sets, 4), (trim, 1)]


FAMILIES = {name: tuple(zip(*table)) for name, table in
            {"index": INDEX, "take": TAKE, "sort": SORT, "sets": SETS, **more.FAMILIES, **interop.FAMILIES}.items()}
