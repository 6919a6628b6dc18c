"""einsum_path: in which order an einsum multiplies, with NumPy's algorithms, so that paths and costs are NumPy's."""
import itertools
import math

from cuprite import _einsum


class _Terms:
    """Subscripts without ellipses, and how long each label is."""

    def __init__(self, operands):
        text, arrays = _einsum._read(operands)
        text = text.replace(" ", "")
        shapes = [_shape(x) for x in arrays]
        for c in text:
            if c not in _einsum._LETTERS + ".,->":
                raise ValueError(f"einsum_path: character {c} is not a valid symbol")
        if text.count("->") != text.count("-") or text.count("-") != text.count(">") or text.count("-") > 1:
            raise ValueError("einsum_path: subscripts can only contain one '->'")
        inputs, arrow, output = text.partition("->")
        self.terms = inputs.split(",")
        if len(self.terms) != len(shapes):
            raise ValueError("einsum_path: number of einsum subscripts must be equal to the number of operands")
        wide = self._spread(shapes, inputs + output)
        self.output = self._wide(output, wide) if arrow else self._implicit(wide)
        self._check_output()
        self.extents = self._extents(shapes)

    def _spread(self, shapes, used):
        """Ellipses become labels that nothing else has; those of the longest."""
        free = [c for c in _einsum._LETTERS if c not in used]
        longest = 0
        for i, (term, shape) in enumerate(zip(self.terms, shapes)):
            if "." not in term:
                continue
            if term.count(".") != 3 or "..." not in term:
                raise ValueError("einsum_path: invalid ellipses")
            n = len(shape) - (len(term) - 3) if shape else 0
            if n < 0:
                raise ValueError("einsum_path: ellipses lengths do not match")
            longest = max(longest, n)
            self.terms[i] = term.replace("...", "".join(free[len(free) - n:]))
        return "".join(free[len(free) - longest:])

    @staticmethod
    def _wide(output, wide):
        if "." in output and (output.count(".") != 3 or "..." not in output):
            raise ValueError("einsum_path: invalid ellipses")
        return output.replace("...", wide)

    def _implicit(self, wide):
        together = "".join(self.terms)
        return wide + "".join(sorted(c for c in set(together) - set(wide) if together.count(c) == 1))

    def _check_output(self):
        for c in self.output:
            if self.output.count(c) != 1:
                raise ValueError(f"einsum_path: output character {c} appeared more than once in the output")
            if not any(c in term for term in self.terms):
                raise ValueError(f"einsum_path: output character {c} did not appear in the input")

    def _extents(self, shapes):
        extents = {}
        for i, (term, shape) in enumerate(zip(self.terms, shapes)):
            if len(term) != len(shape):
                raise ValueError(f"einsum_path: subscript {term} does not contain the correct number of indices for "
                                 f"operand {i}")
            for c, n in zip(term, shape):
                known = extents.setdefault(c, n)
                if known == 1:
                    extents[c] = n
                elif n not in (1, known):
                    raise ValueError(f"einsum_path: size of label '{c}' for operand {i} ({n}) does not match previous "
                                     f"terms ({known})")
        return extents

    def size(self, labels):
        return math.prod(self.extents[c] for c in labels)

    def cost(self, labels, summed, count):
        """Operations of a product of `count` operands."""
        return self.size(labels) * (max(1, count - 1) + bool(summed))


def _shape(x):
    if hasattr(x, "shape"):
        return tuple(x.shape)
    import numpy
    return numpy.shape(x)


def _join(positions, sets, output):
    """What the product of these operands keeps, the operands after it, and what it has meanwhile."""
    here = frozenset().union(*(sets[i] for i in positions))
    rest = [s for i, s in enumerate(sets) if i not in positions]
    kept = here & frozenset(output).union(*rest)
    return kept, [*rest, kept], here


def _optimal(t, sets, most):
    """The cheapest of all orders whose results have at most so many elements."""
    found = [(0, [], sets)]
    for left in range(len(sets), 1, -1):
        longer = []
        for cost, path, now in found:
            for pair in itertools.combinations(range(left), 2):
                kept, after, here = _join(pair, now, t.output)
                if t.size(kept) <= most:
                    longer.append((cost + t.cost(here, here - kept, 2), [*path, pair], after))
        if not longer:  # the rest at once
            return min(found, key=lambda x: x[0])[1] + [tuple(range(left))]
        found = longer
    return min(found, key=lambda x: x[0])[1]


def _greedy(t, sets, most):
    """At each step the pair that saves the most elements, of those the cheapest; outer products come last."""
    kept, _, here = _join(range(len(sets)), sets, t.output)
    naive, spent, path, known = t.cost(here, here - kept, len(sets)), 0, [], []
    pairs = itertools.combinations(range(len(sets)), 2)

    def look(pairs, outer):
        for x, y in pairs:
            if not outer and sets[x].isdisjoint(sets[y]):
                continue
            kept, _, here = _join((x, y), sets, t.output)
            cost = t.cost(here, here - kept, 2)
            if t.size(kept) <= most and spent + cost <= naive:
                known.append(((t.size(kept) - t.size(sets[x]) - t.size(sets[y]), cost), (x, y)))

    for _ in range(len(sets) - 1):
        look(pairs, False)
        if not known:
            look(itertools.combinations(range(len(sets)), 2), True)
        if not known:
            path.append(tuple(range(len(sets))))
            break
        (_, cost), (a, b) = min(known, key=lambda k: k[0])
        known = [(k, (x - (x > a) - (x > b), y - (y > a) - (y > b))) for k, (x, y) in known if not {x, y} & {a, b}]
        sets = _join((a, b), sets, t.output)[1]
        pairs = [(i, len(sets) - 1) for i in range(len(sets) - 1)]
        path.append((a, b))
        spent += cost
    return path


def _way(optimize):
    """The name of a way or False, the most elements of a result or None, and a path that is given or None."""
    if optimize is True:
        return "greedy", None, None
    if optimize is None or optimize is False or isinstance(optimize, str):
        return optimize or False, None, None
    if len(optimize) and isinstance(optimize[0], str) and optimize[0] == "einsum_path":
        return False, None, list(optimize[1:])
    if len(optimize) == 2 and isinstance(optimize[0], str) and isinstance(optimize[1], (int, float)):
        return optimize[0], int(optimize[1]), None
    raise TypeError(f"Did not understand the path: {optimize}")


def _find(t, way, most, path):
    if path is not None:
        return path
    sets = [frozenset(term) for term in t.terms]
    if not way or len(sets) < 3 or set(t.extents) == set(t.output):
        return [tuple(range(len(sets)))]
    if way not in ("greedy", "optimal"):
        raise KeyError(f"Path name {way} not found")
    if most is None:
        most = max(t.size(labels) for labels in [*t.terms, t.output])
    return (_greedy if way == "greedy" else _optimal)(t, sets, most)


def _describe(t, path):
    """The text that NumPy prints."""
    terms, sets, lines, costs, widths, sizes = list(t.terms), [frozenset(x) for x in t.terms], [], [], [], []
    for i, positions in enumerate(path):
        positions = sorted(positions, reverse=True)
        kept, sets, here = _join(positions, sets, t.output)
        costs.append(t.cost(here, here - kept, len(positions)))
        widths.append(len(here))
        sizes.append(t.size(kept))
        taken = [terms.pop(k) for k in positions]
        last = i == len(path) - 1
        terms.append(t.output if last else "".join(sorted(kept, key=lambda c: (t.extents[c], c))))
        current = ",".join(taken) + "->" + terms[-1]
        lines.append(f"\n{len(here):4d}    {current:>24s} {','.join(terms) + '->' + t.output:>40s}")
    if len(terms) != 1:
        raise RuntimeError(f"Invalid einsum_path is specified: {len(terms) - 1} more operands has to be contracted.")
    summed = sum(len(set(x)) for x in t.terms) > len(t.extents)
    naive, best = t.cost(t.extents, summed, len(t.terms)), sum(costs) + 1
    return (f"  Complete contraction:  {','.join(t.terms)}->{t.output}\n"
            f"         Naive scaling:  {len(t.extents)}\n"
            f"     Optimized scaling:  {max(widths)}\n"
            f"      Naive FLOP count:  {naive:.3e}\n"
            f"  Optimized FLOP count:  {best:.3e}\n"
            f"   Theoretical speedup:  {naive / best:3.3f}\n"
            f"  Largest intermediate:  {max(sizes):.3e} elements\n"
            + "-" * 74 + "\n" + f"{'scaling':>6s} {'current':>24s} {'remaining':>40s}\n" + "-" * 74 + "".join(lines))


def path_of(operands, optimize):
    """The steps alone."""
    way = _way(optimize)
    return _find(_Terms(operands), *way)


def einsum_path(operands, optimize):
    way = _way(optimize)
    t = _Terms(operands)
    path = _find(t, *way)
    text = _describe(t, path)
    return ["einsum_path", *path], text
