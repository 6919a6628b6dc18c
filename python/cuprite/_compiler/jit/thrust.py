"""jit.thrust: algorithms over ranges of an array, x.begin() to x.end(), that each thread runs by itself."""
from __future__ import annotations

from cuprite._compiler.ast.intrinsics import ITERATORS, Intrinsic, intrinsic, pointer
from cuprite._compiler.ast.types import BOOL, INT64, VOID, Array, Opaque, Scalar, SCALARS
from cuprite._compiler.ast.values import Value, as_type, describe, known, make_tuple, number


class _Policy:
    """Where an algorithm runs: in a kernel always in the thread that calls it."""

    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return f"<thrust.{self.__name__}>"


seq, device, host = _Policy("seq"), _Policy("device"), _Policy("host")
ITERATORS.update({f"{t.c} *": t for t in SCALARS.values()})
ITERATORS.update({f"seq_{kind}<{t.c}>": t for kind in ("constant", "counting", "strided") for t in SCALARS.values()})


def _begun(tr, args):
    """The arguments, with arrays as their first iterators."""
    return [pointer(tr, v) if isinstance(v.type, Array) and v.type.ndim == 1 else v for v in args]


def _element(v, word):
    t = ITERATORS.get(v.type.c) if isinstance(v.type, Opaque) else None
    if t is None:
        raise TypeError(f"thrust.{word} takes iterators such as x.begin(), not {describe(v)}")
    return t


def _ready(tr, policy, word):
    if not (policy.known and isinstance(policy.const, _Policy)):
        raise TypeError(f"thrust.{word}: the first argument is thrust.seq or thrust.device, not {describe(policy)}")
    if policy.const is host:
        raise TypeError(f"thrust.{word}: a kernel cannot run on the host")
    tr.unit.need("#iterators")


def _algorithm(name, iterators, values=(), result="void", optional=()):
    """`iterators`: how many come first; `values`: for each number behind them, the iterator whose element type it has;
    result: 'void', 'bool', 'int', 'value', an iterator by its number, or a pair of them. `optional`: the last values
    when they are not given."""
    def write(tr, exec_policy, *args):
        _ready(tr, exec_policy, name)
        args = _begun(tr, args)
        most, least = iterators + len(values), iterators + len(values) - len(optional)
        if not least <= len(args) <= most:
            if len(args) == most + 1 or args and args[-1].known and args[-1].const is None:
                raise NotImplementedError(f"thrust.{name}: operations and comparisons of one's own are not there")
            raise TypeError(f"thrust.{name} takes {least} to {most} arguments behind the policy, not {len(args)}")
        its, given = args[:iterators], list(args[iterators:])
        given += [known(x) for x in optional[len(given) - (len(values) - len(optional)):]]
        types = [_element(v, name) for v in its]
        for t in types:
            tr.unit.need_type(t)
        for v in given:
            if not (v.known and number(v.const) or isinstance(v.type, Scalar)):
                raise NotImplementedError(f"thrust.{name}: {describe(v)} cannot be an argument; operations and "
                                          "comparisons of one's own are not there")
        of = [types[k] for k in values]
        text = tr.unit.call(f"seq_{name}", *(v.code for v in its), *(as_type(v, t) for v, t in zip(given, of)))
        return _result(tr, text, result, its, of, types)
    words = [f"iterator{k + 1}" for k in range(iterators)] + [f"value{k + 1}" for k in range(len(values))]
    given = {"void": "nothing", "bool": "a bool", "int": "an integer", "value": "a value"}.get(result, "an iterator")
    text = f"{name}(exec_policy, {', '.join(words)}): Thrust's algorithm, run by the thread that calls it; gives " \
           f"{'a pair' if isinstance(result, tuple) else given}."
    if optional:
        text += f" The last {len(optional)} need not be given: {', '.join(map(repr, optional))}."
    return Intrinsic(f"thrust.{name}", write, text)


def _result(tr, text, result, its, of, types):
    if result == "void":
        return Value(VOID, text, pure=False)
    if result in ("bool", "int", "value"):
        return Value({"bool": BOOL, "int": INT64}.get(result) or of[0], text, pure=False)
    if isinstance(result, int):
        return Value(its[result].type, text, pure=False)
    made = tr.fresh("pair")
    tr.put_before(f"seq_pair<{its[result[0]].type.c}, {its[result[1]].type.c}> {made} = {text};")
    return make_tuple([Value(its[k].type, f"{made}.v{i}") for i, k in enumerate(result)])


adjacent_difference = _algorithm("adjacent_difference", 3, result=2)
copy = _algorithm("copy", 3, result=2)
count = _algorithm("count", 2, (0,), "int")
equal = _algorithm("equal", 3, result="bool")
exclusive_scan = _algorithm("exclusive_scan", 3, (0,), 2, (0,))
exclusive_scan_by_key = _algorithm("exclusive_scan_by_key", 4, (2,), 3, (0,))
inclusive_scan = _algorithm("inclusive_scan", 3, result=2)
inclusive_scan_by_key = _algorithm("inclusive_scan_by_key", 4, result=3)
fill = _algorithm("fill", 2, (0,))
find = _algorithm("find", 2, (0,), 0)
gather = _algorithm("gather", 4, result=3)
inner_product = _algorithm("inner_product", 3, (0,), "value")
is_sorted = _algorithm("is_sorted", 2, result="bool")
is_sorted_until = _algorithm("is_sorted_until", 2, result=0)
mismatch = _algorithm("mismatch", 3, result=(0, 2))
reduce = _algorithm("reduce", 2, (0,), "value", (0,))
reduce_by_key = _algorithm("reduce_by_key", 5, result=(3, 4))
remove_copy = _algorithm("remove_copy", 3, (0,), 2)
replace_copy = _algorithm("replace_copy", 3, (0, 0), 2)
reverse = _algorithm("reverse", 2)
reverse_copy = _algorithm("reverse_copy", 3, result=2)
scatter = _algorithm("scatter", 4)
sequence = _algorithm("sequence", 2, (0, 0), "void", (0, 1))
sort, stable_sort = _algorithm("sort", 2), _algorithm("stable_sort", 2)
sort_by_key, stable_sort_by_key = _algorithm("sort_by_key", 3), _algorithm("stable_sort_by_key", 3)
swap_ranges = _algorithm("swap_ranges", 3, result=2)
unique = _algorithm("unique", 2, result=0)
unique_by_key = _algorithm("unique_by_key", 3, result=(0, 2))
(set_difference, set_intersection, set_symmetric_difference, set_union) = (
    _algorithm(f"set_{n}", 5, result=4) for n in ("difference", "intersection", "symmetric_difference", "union"))


def _set_by_key(name):
    """Two ranges of keys, their values (an intersection has those of the first only), two results."""
    def write(tr, exec_policy, *args):
        _ready(tr, exec_policy, f"set_{name}_by_key")
        both = name != "intersection"
        if len(args) != 8 - (not both):
            raise TypeError(f"thrust.set_{name}_by_key takes {8 - (not both)} iterators, not {len(args)}")
        keys, values, out = args[:4], list(args[4:-2]), args[-2:]
        for v in args:
            tr.unit.need_type(_element(v, f"set_{name}_by_key"))
        values += values if not both else []
        its = [*keys, out[0], *values, out[1]]
        text = tr.unit.call(f"seq_set_{name}_by_key", *(v.code for v in its))
        return _result(tr, text, (4, 7), its, [], [])
    return Intrinsic(f"thrust.set_{name}_by_key", write, f"set_{name}_by_key(exec_policy, keys and values): Thrust's "
                     "algorithm, of the iterators that Thrust takes and in their order, in one thread.")


(set_difference_by_key, set_intersection_by_key, set_symmetric_difference_by_key, set_union_by_key) = map(
    _set_by_key, ("difference", "intersection", "symmetric_difference", "union"))


@intrinsic("thrust.remove")
def remove(tr, exec_policy, first, last, value):
    """remove(exec_policy, first, last, value): the other elements move to the front; the end of them."""
    return remove_copy.write(tr, exec_policy, first, last, first, value)


@intrinsic("thrust.replace")
def replace(tr, exec_policy, first, last, old_value, new_value):
    """replace(exec_policy, first, last, old_value, new_value): elements that are the old value become the new one."""
    made = replace_copy.write(tr, exec_policy, first, last, first, old_value, new_value)
    return Value(VOID, made.code, pure=False)


def _bound(name, result):
    """Searches in a sorted range: of one value, or of a range of them into a third one."""


    def write(tr, exec_policy, first, last, *more):
        _ready(tr, exec_policy, name)
        t = _element(first, name)
        if len(more) == 3:
            _element(more[0], name)
            at, x = tr.fresh("at"), f"{more[0].code}"
            tr.put_before(f"for (long long {at} = 0; {at} < {more[1].code} - {x}; {at}++)")
            tr.put_before(f"    {more[2].code}[{at}] = "
                          f"{result(tr, first.code, last.code, f'(({t.c}){x}[{at}])', t)[1]};")
            return Value(more[2].type, f"({more[2].code} + ({more[1].code} - {x}))")
        if len(more) != 1:
            raise NotImplementedError(f"thrust.{name} takes one value, or two iterators and a result; comparisons of "
                                      "one's own are not there")
        return result(tr, first.code, last.code, as_type(more[0], t), t, first.type)[0]

    return Intrinsic(f"thrust.{name}", write, f"{name}(exec_policy, first, last, value): where the value belongs in a "
                     "sorted range; with two iterators and a result in its place, where each of a range does. Thrust's "
                     "algorithm, run by the thread that calls it.")


def _edge(name):
    def result(tr, a, b, v, t, made=None):
        text = tr.unit.call(f"seq_{name}", a, b, v)
        return Value(made, text, pure=False), f"{text} - {a}"
    return result


def _found(tr, a, b, v, t, made=None):
    text = f"({tr.unit.call('seq_lower_bound', a, b, v)} != {tr.unit.call('seq_upper_bound', a, b, v)})"
    return Value(BOOL, text, pure=False), text


lower_bound, upper_bound = _bound("lower_bound", _edge("lower_bound")), _bound("upper_bound", _edge("upper_bound"))
binary_search = _bound("binary_search", _found)


@intrinsic("thrust.equal_range")
def equal_range(tr, exec_policy, first, last, value):
    """equal_range(exec_policy, first, last, value): where a value stands in a sorted range, its two ends."""
    names = [tr.fresh("edge"), tr.fresh("edge")]
    for name, f in zip(names, (lower_bound, upper_bound)):
        v = f.write(tr, exec_policy, first, last, value)
        tr.put_before(f"{first.type.c} {name} = {v.code};")
    return make_tuple([Value(first.type, n) for n in names])


def _made(tr, kind, x, rest):
    tr.unit.need("#iterators")
    t = tr.rules.type_of(x)
    tr.unit.need_type(t)
    c = f"seq_{kind}<{t.c}>"
    return Value(Opaque(c), f"{c}{{{as_type(x, t)}{rest}}}")


@intrinsic("thrust.make_constant_iterator")
def make_constant_iterator(tr, x, i=None):
    """make_constant_iterator(x): an iterator over one value, again and again."""
    return _made(tr, "constant", x, f", {as_type(i, INT64) if i is not None else 0}")


@intrinsic("thrust.make_counting_iterator")
def make_counting_iterator(tr, x):
    """make_counting_iterator(x): an iterator over x, x + 1, ..."""
    return _made(tr, "counting", x, "")
