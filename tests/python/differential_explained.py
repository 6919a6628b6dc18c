"""What Cuprite does differently on purpose in the cases of differential_arrange.py: a row for each difference, which
says exactly what differs, in which sources, what either side says, and why. Nothing else is forgiven.

A row is (kinds of mismatch, reason, patterns): `text`, `ours` and `theirs` are regular expressions that must be found;
`test` is a function of the Mismatch that must hold too. Each pattern says no more than it must."""
import re

import numpy as np
from cuprite import _device
from differential_known import now


class Row:
    """A difference that is meant."""

    def __init__(self, what, why, text="", ours="", theirs="", test=None):
        self.what, self.why, self.test = what.split(), why, test
        self.patterns = [re.compile(p) for p in (text, ours, theirs)]

    def explains(self, m):
        return m.what in self.what and all(p.search(t) for p, t in zip(self.patterns, (m.text, m.ours, m.theirs))) and \
            (self.test is None or self.test(m))


def is_ties(m):
    """The same numbers, but for which of equal ones: zeros of either sign, complex numbers with a NaN."""
    return all(isinstance(v, np.ndarray) for v in (m.got, m.want)) and np.array_equal(m.got, m.want, equal_nan=True)


def same_elements(m):
    """The same numbers in another order."""
    return all(isinstance(v, np.ndarray) for v in (m.got, m.want)) and np.array_equal(
        np.sort(m.got, None), np.sort(m.want, None), equal_nan=True)


def counts_nans(m):
    """Inverse indices of NaNs, each of which is a unique value: only theirs differ."""
    got, want = m.got, m.want
    if not isinstance(got, np.ndarray) or got.dtype.kind != "i" or got.shape != want.shape:
        return False
    other = got != want
    return sorted(got[other].tolist()) == sorted(want[other].tolist())


def rounds(m):
    """bfloat16's nearest numbers to float32's."""
    if not all(isinstance(v, np.ndarray) and v.dtype == "f4" for v in (m.got, m.want)):
        return False
    with np.errstate(all="ignore"):
        bits = np.asarray(m.want, "f4").view("u4")
        nearest = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view("f4")
    return bool(np.array_equal(m.got, nearest, equal_nan=True))


def wild(m):
    """Elements differ only where a real number has no integer of the type to become: an end of a type, or 0."""
    got, want = m.got, m.want
    if not isinstance(got, np.ndarray) or got.dtype.kind not in "iu":
        return False
    ends = [v for t in "bBhHiIqQ" for v in (np.iinfo(t).min, np.iinfo(t).max)]
    return all(g in ends or w in ends for g, w in zip(got[got != want].tolist(), want[got != want].tolist()))


def by_copy(m):
    """Elements that go over one another: NumPy's assignment of a copy gives ours."""
    from differential_arrange import THEIRS, run, same_bits
    statement = re.search(r";(a\[[^]]*\]=a\[[^]]*\]);", m.text)
    copied = m.text.replace(statement[1], statement[1] + ".copy()")
    return same_bits(m.got, run(THEIRS, compile(copied, "case", "exec"))[1][1])


def below(m):
    """Does insert take an index below -n? (An index out of range above, such as n + 1, is refused by both.)"""
    return re.search(r"xp\.insert\(.*?\),(\[[^]]*-\d|X\(\[[^]]*-\d)", m.text)


SETS = r"xp\.(unique|union1d|intersect1d|setdiff1d|setxor1d)"
ARRAY = r"A\('.',\([^()]*\)[^()]*\)"
PART = r"a(\.flat)?\[[^=]*\](\+|-|\*|/|//|\*\*|%|\||&|\^|<<)=[^=]*;"
SMALL = r"'E'"

TABLE = [
    # --- CuPy's ---
    Row("raises exception", "lists, numbers and NumPy's arrays are no operands",
        r"xp\.(copyto|lexsort|\w*stack|concat\w*|choose|block|append|select|searchsorted|polyval|poly\w+)\(",
        r"^TypeError: Unsupported type <class '(int|float|str|list|tuple|dict|bool|complex|None|object|numpy\.)"),
    Row("raises exception", "no arrays of objects or texts", "",
        r"^ValueError: Unsupported dtype (object|<U\d+|\|S\d+|datetime64\[\w+\])$"),
    Row("raises", "whole numbers beyond 64 bits are no objects", r"2\*\*64|10\*\*20|1844674407370955161\d",
        r"^OverflowError: Python integer \d{20,} out of bounds for uint64"),
    Row("raises", "a part of no dimensions is an array, whose operations in place keep its type; NumPy's is a scalar",
        PART, r"^TypeError: \w+: Cannot cast output from .* according to the rule 'same_kind'$"),
    Row("raises", "no list is one truth value, nor an empty one", r"^a=A\('\?'.*a\[[^=]*\]=\[\];",
        "^ValueError: setting an array element with a sequence"),
    Row("accepts", "x[i] = y takes an array of one element", r"a\[[^=]*\]=(A|a\[|X\(|np\.)",
        "", r"^(ValueError: setting an array element with a sequence\.|TypeError: only 0-dimensional arrays can be)"),
    Row("exception", "and one that does not fit is a ValueError", r"a\[[^=]*\][-+*/]?=",
        "could not be broadcast|could not broadcast|non-broadcastable", "^TypeError: only 0-dimensional arrays can be"),
    Row("exception", "a list for one element is a ValueError, as for any part", r"a\[[^=]*\]=[\[(]",
        "^ValueError: setting an array element with a sequence", r"^TypeError: (int\(\) argument|must be real number)"),
    Row("raises", "nor is it a truth value of one", r"a=A\('\?',.*(a\[\(\)\]|a\.flat\[-?\d+\])=[\[(]",
        "^ValueError: (setting an array element with a sequence|Error setting single item of array)"),
    Row("writeable", "diagonals can be written to", r"xp\.diag\(|diagonal\(", "^True$", "^False$"),
    Row("accepts", "round() of an array is round(x)", r"=round\(A", "", "doesn't define __round__ method"),
    Row("structure", "a comparison of poly1d is Python's bool", r"xp\.poly1d\(.*\)==xp\.poly1d\(",
        r"^\('thing', (True|False)\)$", r"array\((True|False)\)"),
    Row("accepts", "x.real = n casts, as NumPy before 2.5", r"\.(real|imag)=", "",
        r"^(OverflowError: Python integer -?\d+ out of bounds|TypeError: float\(\) argument must be a string or)"),
    Row("accepts structure", "an object of others is asked in turn", r"a\.__lt__\(object\(\)\)", "NotImplemented",
        r"^TypeError: '<' not supported between instances of|^\('array', array\(\[\]"),
    Row("order", "the memory of others is copied", r"xp\.(as(any)?)?array(_chkfinite)?\((memoryview|np\.arange)", "",
        r"^\(False, (True|False)\)$"),
    # --- a GPU's ---
    Row("raises exception", "a GPU reads at multiples of an element's size", "",
        r"^ValueError: .*on (cuda|late):\d+ elements of type \w+ must lie at multiples of \d+ bytes"),
    Row("view", "what comes from a GPU to the CPU is a copy", r"xp\.from_dlpack\(.*device='cpu'\)", "^None$", r"^\(",
        test=lambda m: _device.current() >= 0),
    Row("order", "and has the elements in C's order", r"xp\.from_dlpack\(.*device='cpu'\)", r"^\(True, (True|False)\)$",
        r"^\(False, (True|False)\)$", test=lambda m: _device.current() >= 0),
    Row("accepts", "which can be written to", r"xp\.from_dlpack\(.*device='cpu'\);b\[", "",
        "^ValueError: assignment destination is read-only", test=lambda m: _device.current() >= 0),
    Row("exception", "two mistakes: the index is told when the result is read", r"a\[.*\]\W+=.*;r=a\.copy",
        "^TypeError: .*(not supported for the input types|Cannot cast output from)",
        "^IndexError: index .* is out of bounds", test=lambda m: _device.current() >= 0),
    Row("raises exception", "which copy=False forbids", r"xp\.from_dlpack\(.*copy=False.*device='cpu'\)|"
        r"xp\.from_dlpack\(.*device='cpu'.*copy=False\)",
        "^BufferError: (__dlpack__: an array of a device comes to the host|from_dlpack: an array comes to another "
        "device) by a copy$", r"^(ValueError: assignment destination is read-only|\('array'|\(<class 'tuple'>)",
        test=lambda m: _device.current() >= 0),
    # --- what nobody promises ---
    Row("order", "indices lie each by itself; NumPy's are columns of one table",
        rf"xp\.(nonzero|argwhere|unravel_index|mask_indices|\w+_indices\w*)\(|\.nonzero\(\)|xp\.where\({ARRAY}\)$",
        r"^\(True, (True|False)\)$", r"^\(False, (True|False)\)$"),
    Row("order", "no order is promised for what arrays as indices give", r"^r=A\(.*\[.*\]$",
        r"^\((True|False), False\)$"),
    Row("order", "no order is promised; NumPy's of counts along an axis without elements is Fortran's",
        r"xp\.count_nonzero\(A\('.',\([^)]*\b0\b"),
    Row("value", "an object of each side's own", r"object\(\)", "^<object object at", "^<object object at"),
    Row("value", "what bytes that are neither 0 nor 1 are as truth values: True", r"\.view\('\?'\)$",
        test=lambda m: np.array_equal(m.got.view("u1") != 0, m.want.view("u1") != 0)),
    Row("value", "coordinates behind the last element", r"^f=.*\.flat;next\(f\);r=\(next\(f\),f\.index,f\.coords\)$",
        r"^\d+$", "^0$"),
    Row("order", "no order is promised; NumPy's follows from how it computes",
        r"xp\.(delete|insert|select|unpackbits|packbits|vectorize|vander|polynomial\.polynomial\.polyvander|piecewise|"
        r"concat|concatenate|[hvd]?stack|column_stack|append|block|cumulative_sum|apply_over_axes|apply_along_axis)\("),
    Row("value", "which of equal numbers stays (zeros of either sign, complex NaN)", SETS, test=is_ties),
    Row("value", "NaN of float16 come last along an axis too", r"xp\.unique\(A\('e'.*axis=",
        test=lambda m: same_elements(m) and np.isnan(m.want).any()),
    Row("value", "which NaN is which, where each counts by itself", r"xp\.unique(_inverse|_all)?\(.*",
        test=counts_nans),
    Row("value", "the order of equal numbers in a sort that is not stable",
        r"(xp|a|\))\.sort(_complex)?\((?!.*(stable|mergesort))", test=is_ties),
    Row("value", "NumPy reads what it wrote where elements go over one another with other steps",
        r"^a=A.*;a\[[^]]*\]=a\[", test=by_copy),
    Row("value", "the places of axes that repeat an element, in the order of memory",
        r"(flatten|ravel)\(.*'K'\)",
        test=lambda m: "b" in re.search(r"A\('.',\([^)]*\),'([^|']*)", m.text)[1]
        and same_elements(m)),
    Row("value", "what real numbers beyond a whole type's become depends on the loop in NumPy", test=wild),
    # --- what Cuprite has otherwise ---
    Row("warning", "NumPy forgets the warning where a mask is the index",
        r"a\[.*A\('\?'.*\]=|a\[A\('\?'|xp\.insert\(",
        "ComplexWarning", r"^set\(\)$"),
    Row("warning", "nothing is told of parts without elements", r"a\.flat\[|xp\.pad\(", r"^set\(\)$", "ComplexWarning"),
    Row("exception", "a mask's values broadcast as any others", "", "",
        "NumPy boolean array indexing assignment requires"),
    Row("accepts", "a mask's values broadcast as any others", "", "",
        "NumPy boolean array indexing assignment requires"),
    Row("raises", "a mask's values broadcast, also where it has no elements", r"a\[.*\]=",
        r"shape \((\d+, )+0(, \d+)*\) cannot be broadcast to \(0,"),
    Row("raises", "NumPy lets values without an element have more axes than the part", r"^a=A.*a\[.*\]=",
        r"could not be broadcast to indexing result of shape \((\d+, )*0[,)]"),
    Row("exception", "two mistakes: values are looked at before indices", r"a\[.*\]=",
        "could not be broadcast to indexing result", r"^IndexError: index -?\d+ is out of bounds"),
    Row("accepts", "out is of any type, as from NumPy 2.5 on", r"(take|choose)\(.*out=", "",
        r"^TypeError: Cannot cast (array data|scalar) from .* according to the rule 'safe'"),
    Row("exception", "two mistakes: nothing is joined along an axis that is none", r"xp\.stack\(\[\],axis=None",
        "^TypeError: 'NoneType' object", "^ValueError: need at least one array to stack"),
    Row("exception", "two mistakes: out's type is none", r"take\(.*out=", r"^IndexError: take: ",
        r"^(TypeError: Cannot cast (array data|scalar) from .* to the rule 'safe'|ValueError: output array does)"),
    Row("raises", "numbers wrap in where, but not those that no 64 bits hold beside int64", r"xp\.where\(.*2\*\*63",
        r"^OverflowError: Python integer 9223372036854775808 out of bounds for"),
    Row("accepts", "a number beyond the type wraps, as before NumPy 2.5", r"xp\.where\(", "",
        "^OverflowError: Python integer"),
    Row("accepts", "Python's numbers take the others' type, also beside uint64", r"xp\.select\(", "",
        r"^TypeError: Cannot cast (array data|scalar) from dtype\('int64'\) to dtype\('uint\d+'\) .*'same_kind'"),
    Row("accepts", "NumPy's arrays are values, converted as lists are",
        r"xp\.(place|putmask|put)\(.*np\.(arange|ones)\(", "",
        r"^TypeError: Cannot cast array data from dtype\('(int|float)\d+'\) to .* according to the rule 'safe'"),
    Row("accepts", "no coordinates of each", r"xp\.unravel_index\(.*,(\(\)|\[\])", "",
        "multiple indices are not supported for 0d"),
    Row("raises", "truth values are no places, NumPy's own message says", r"xp\.unravel_index\((X\(.*'\?'\)|A\('\?')",
        "only int indices permitted"),
    Row("exception", "two mistakes: truth values, and several places of no dimensions",
        r"xp\.unravel_index\((X\(.*'\?'\)|A\('\?').*,\(\)", "only int indices permitted",
        "not supported for 0d arrays"),
    Row("accepts", "a sorter of uint64 is one of integers", "sorter=", "", "could not parse sorter argument"),
    Row("raises", "NumPy looks at the sorter's indices it needs", "sorter=", "Sorter index out of range"),
    Row("accepts", "one way serves both kinds, and needs no table", r"xp\.isin\(.*kind='table'", "",
        "exceed the maximum integer|Maximum allowed dimension|MemoryError"),
    Row("accepts", "axis=None writes through, also where the elements are not contiguous", r"put_along_axis\(.*,None\)",
        "", "assignment destination is read-only"),
    Row("raises", "a length of 2^63 or more, which NumPy converts to none", r"xp\.arange\((2\*\*63|np\.uint64\(7)",
        "Maximum allowed size exceeded"),
    Row("raises", "NumPy's count of so many elements overflows", r"repeat\(",
        "repeats may not contain negative values"),
    Row("raises", "a negative extent is refused also where nothing is looked up",
        r"xp\.(unravel|ravel_multi)_index\(.*(\(-1, 2\)|,-2\*\*63\)$)",
        "dimensions are too large|larger than the maximum possible size"),
    Row("raises", "an extent below 1 has no places to clip to", r"xp\.ravel_multi_index\(.*\((0, 3|-1, 2)\)",
        "^OverflowError: minimum: Python integer -[12]"),
    Row("writeable", "repeated elements cannot be written to; NumPy means to forbid it too",
        r"xp\.(broadcast_arrays|meshgrid)\(", "^False$", "^True$"),
    Row("structure", "meshgrid gives a tuple, as its documentation says", r"xp\.meshgrid\(.*copy=False",
        "^.<class 'tuple'>", "^.<class 'list'>"),
    Row("accepts", "the type is known from the argument's", r"xp\.vectorize\(", "",
        "cannot call `vectorize` on size 0 inputs"),
    Row("accepts", "a condition of no dimensions for an array of none", rf"xp\.piecewise\(.*A\('\?',\(\)", "",
        "too many indices for array"),
    Row("accepts", "no values for no places", r"xp\.insert\(", "",
        r"could not be broadcast to indexing result of shape \((\d+,)*0[,)]|value array of shape \(0,\) could not"),
    Row("raises", "NumPy's insert does not look below -n", r"xp\.insert\(",
        r"^IndexError: (index_set: )?index -?\d+ is out of bounds for axis", test=below),
    Row("exception", "two mistakes: places of several axes, and beyond the first", r"xp\.insert\(",
        "^IndexError: index", "obj to insert must be one dimensional"),
    Row("raises", "a condition beyond the axis is refused also where the other axes have no elements",
        r"compress\(", "a true condition lies beyond the axis", r"^\('array', array\(\[\]"),
    Row("exception", "two mistakes: the place is looked at last", r"xp\.insert\(", "^(Overflow|Value|Type)Error: ",
        r"^IndexError: index (\[?-?\d+\]?|\d\.\d) is out of bounds"),
    Row("raises exception", "a shift and a diagonal are whole numbers",
        r"xp\.(roll|tri|tri[lu]\w*|mask_indices|tile|rollaxis|eye)\(",
        r"^TypeError: '[\w.]+' object cannot be interpreted as an integer|^OverflowError: int too big"),
    Row("accepts", "a diagonal beyond all", r"xp\.(tri\w*\(|mask_indices\().*(-2\*\*63|10\*\*20)", "",
        "Python int too large to convert to C long"),
    Row("raises", "NumPy's counts of tiles below 0 are 0", r"xp\.tile\(.*-", "negative dimensions are not allowed"),
    Row("raises", "NumPy's numbers have their type", r"repeat\(.*np\.float32\(2\)", "according to the rule 'safe'"),
    Row("accepts", "a size as an array of no dimensions", r"xp\.resize\(.*X\(2\)", "", "iteration over a 0-d array"),
    Row("accepts", "an array of no dimensions is an array as an index too, which takes a list",
        r"a\[[^]]*X\(-?\d+,'.'\)[^]]*\]=[\[(]", "",
        r"^(TypeError: (int\(\) argument must|must be real number)|ValueError: setting an array element with a seq)"),
    Row("exception", "a list that does not fit is a ValueError", r"a\[[^]]*X\(-?\d+,'.'\)[^]]*\]=[\[(]",
        "could not be broadcast", r"^TypeError: (int\(\) argument must|must be real number)"),
    Row("exception", "two mistakes: the place is looked at first", r"\.flat\[None\]=", "unsupported iterator",
        "read-only"),
    Row("exception", "two mistakes: the place is looked at first", r"partition\(a,True,True\)",
        "Booleans unacceptable"),
    Row("accepts", "a number that is written nowhere need not fit",
        r"xp\.pad\(.*,0,.*constant_values|a\[[^]]*,5:2\]=np\.int64\(300\)", "", "^OverflowError: Python integer"),
    Row("exception", "two mistakes: the value is looked at before the place", r"a\[.*\]='a';",
        "^ValueError: invalid literal", "^IndexError: index"),
    Row("exception", "two mistakes: an axis that is none is looked at first", r"xp\.stack\(\[\],axis=None\)",
        "^TypeError: 'NoneType'", "need at least one array"),
    Row("exception", "two mistakes: an axis of several, of an array of no dimensions", r"xp\.nanarg\w+\(.*axis=\(0,\)",
        "^TypeError: 'tuple' object cannot", "^AxisError: axis 0 is out of bounds for array of dimension 0"),
    Row("exception", "two mistakes: a number beyond 64 bits, which truth values do not take either",
        r"^a=A\('\?'.*xp\.copyto\(a,2\*\*63", "Cannot cast scalar", "^OverflowError: Python int too large"),
    Row("exception", "turns are whole numbers, told as such", r"xp\.rot90\(.*,'x'\)", "^TypeError: 'str' object cannot",
        "^ValueError: invalid literal"),
    Row("exception", "a number without end that repeats", r"xp\.polyder\(.*,10\*\*20", "^OverflowError: int too big",
        "^RecursionError"),
    Row("raises", "a text is no truth value", r"stable='x'", "^TypeError: 'str' object is no truth value"),
    Row("raises", "a dict is no shape", r"\{\}", "^TypeError: 'dict' object cannot be interpreted as an integer"),
    Row("raises", "one axis is a number", r"xp\.cumulative_(sum|prod)\(.*axis=\(0,\)",
        "^TypeError: 'tuple' object cannot"),
    Row("accepts", "a truth value is a count as any whole number is", r"unpackbits\(.*count=True", "",
        "an integer is required"),
    Row("accepts", "how often nothing is repeated is not looked at", r"A\('.',\([^)]*\b0\b.*repeat\(np\.nan", "",
        "cannot convert float NaN to integer"),
    Row("exception", "two mistakes: places without a sign, and a number that does not fit", r"xp\.insert\(",
        "^OverflowError: Python integer", "Cannot cast ufunc 'add'"),
    Row("accepts exception", "NumPy's insert cannot add to places without a sign", r"xp\.insert\(.*'[bBhHIL]'", "",
        r"^TypeError: Cannot cast ufunc 'add' output from dtype\('(int|float)64'\) to dtype\('uint|"
        r"^OverflowError: Python integer \d+ out of bounds for u?int(8|16)$"),
    Row("exception", "an array is no diagonal", r"xp\.(mask_indices|tri[lu]?\w*|eye)\(.*X\(\[",
        "^TypeError: only integer scalar", "truth value of an array"),
    Row("exception", "two mistakes: the type is looked at first", PART, "Cannot cast output",
        "setting an array element with a seq"),
    Row("exception", "two mistakes: what is read-only is looked at first", r"xp\.copyto\(.*where=A\('[^?]'",
        "destination is read-only", "Cannot cast array data"),
    Row("exception", "two mistakes: places are looked at first", r"xp\.insert\(", "^IndexError: index",
        "^ValueError: shape mismatch: value"),
    Row("accepts", "a truth value is an axis as any whole number is", r"xp\.rot90\(.*axes=\([^)]*True", "",
        "setting an array element with a sequence"),
    Row("raises exception", "a truth value is no axis, as NumPy's functions in C say", r"axis=True|,True[,)]",
        "^TypeError: an integer is required for the axis"),
    Row("exception", "two mistakes: an axis that is no whole number, and is the other one",
        r"xp\.rot90\(.*axes=\(1\.0,", "^TypeError: 'float' object cannot", "Axes must be different"),
    Row("exception", "two mistakes: what is no number of turns is looked at first", r"xp\.rot90\(A\('.',\(\)",
        "^TypeError: unsupported operand", "Axes must be different"),
    Row("accepts exception", "a truth value is an axis as any whole number is", r"partition\(.*,True\)", "",
        "an integer is required for the axis"),
    Row("value", "the order of a sum of means", r"xp\.pad\(.*'mean'",
        test=lambda m: np.allclose(m.got, m.want, 1e-14, 0)),
    Row("raises", "and lists that do not fit are none", r"^a=A\('\?'.*a\[.*X\(-?\d+,'.'\).*\]=[\[(]",
        "could not be broadcast"),
    Row("accepts", "a part of no dimensions is an array, not a number that must fit", r"a\[.*\]=a\[.*\]\.astype", "",
        "^OverflowError: Python int"),
    Row("raises exception", "a mode is a word; NumPy's numbers of them have no public names", r"mode=",
        "^TypeError: mode must be str"),
    Row("exception", "an axis beyond 32 bits is one that is not there", r"2\*\*40|10\*\*20|-2\*\*63",
        "^(AxisError|OverflowError): ",
        r"^(OverflowError: Python int too large|ValueError: (integer won't fit|Axes=.* out of range)|AxisError)"),
    Row("exception", "a length beyond 64 bits", r"10\*\*20", "^(ValueError|OverflowError): ",
        "^(OverflowError|TypeError|ValueError|MemoryError): "),
    Row("exception", "two mistakes: conditions of the wrong shape and values that do not fit", r"xp\.piecewise\(", "",
        "^IndexError: (too many indices|boolean index did not)"),
    Row("exception", "a sorter that is none: its length is looked at first", "sorter=", "sorter.size must equal",
        "could not parse sorter argument"),
    Row("exception", "two mistakes: what is read-only is looked at last",
        r"^a=A\('.',\([^)]*\),'[^'|]*b|put_along_axis", "^(Overflow|Value|Type)Error: ", "read-only"),
    Row("exception", "two mistakes: what is read-only is looked at last", r"put_along_axis\(.*,None\)", "^IndexError: ",
        "read-only"),
    Row("exception", "two mistakes: values are looked at first",
        r"(xp\.|a\.)(put|place|putmask|fill_diagonal|put_along_axis)\(", "^(Overflow|Value|Type)Error: ",
        "empty array|mask and data must|at least 2-d|equal length|must be an integer array|Cannot cast"),
    Row("exception", "two mistakes: shapes are looked at before types", r"choose\(", "could not be broadcast together",
        "Cannot cast"),
    Row("exception", "two mistakes: types are looked at before shapes", r"xp\.select\(", "should be boolean ndarray",
        "shape mismatch: objects cannot be broadcast"),
    Row("exception", "a dict is no shape and no list of arrays", r"\{\}"),
    Row("exception", "windows are whole numbers", r"sliding_window_view\(", "^TypeError: '<' not supported",
        "^ValueError: Since axis is `None`"),
    Row("exception", "two mistakes: axis is looked at first", r"xp\.stack\(.*axis=None", "",
        "must have the same shape"),
    Row("exception", "slices are looked at before other indices", r"\[.*(:1\.5|:'a')", "^TypeError: slice indices",
        "^IndexError"),
    Row("accepts", "an empty list of times", r"repeat\(.*\[\]", "",
        r"^TypeError: Cannot cast array data from dtype\('float64'\)"),
    Row("type", "arrays have the machine's order of bytes", "'>(i4|f2|c16)'", "dtype", r"dtype\('>"),
    # --- flat ---
    Row("raises exception", "NumPy's flat truncates real numbers", r"\.flat\[1\.5\]",
        r"^IndexError: only integers, slices"),
    Row("accepts", "flat[(i,)] is flat[i]", r"\.flat\[\(-?\d+,\)\]=", "", "Error setting single item of array"),
    Row("exception", "NumPy's flat hides the error of the value", r"\.flat\[[^=]*\]=",
        r"^(OverflowError|ValueError|TypeError): ", "Error setting single item of array"),
    Row("exception", "the value is looked at before the place", r"\.flat\[(-?\d+|X\(\d+\))\]=",
        "Error setting single item", r"^IndexError: index -?\d+ is out of bounds for size"),
    Row("accepts", "a part without elements of what is read-only", r"\.flat(\[|=)", "", "array is read-only$",
        lambda m: re.search(r"\([^)]*\b0\b", m.text)),
    Row("raises", "an array of no dimensions is one place of flat, for one value", r"\.flat\[X\(\d+\)\]=[\[(]",
        "Error setting single item"),
    Row("accepts", "flat[()] is the whole", r"\.flat\[\(\)\].?=", "", "Assigning to a flat iterator with a 0-D index"),
    Row("accepts", "masks in lists are masks for flat too", r"\.flat\[\[True\]\]", "",
        "boolean indices for iterators are not"),
    Row("exception", "two mistakes: the type is looked at first", r"\.flat\[\[True\]\](\+|-|\*)=", "Cannot cast output",
        "boolean indices for iterators are not"),
    Row("exception", "the value is looked at first", r"\.flat\[(\(\)|\[True\])\]=", "",
        "flat iterator with a 0-D|boolean indices for"),
    # --- faults of NumPy ---
    Row("value", "of several kinds NumPy's dtypes has a class for bool", r"\.dtypes\(kind=", "", "numpy.bool"),
    Row("accepts exception", "a slip of NumPy's: [True] is a mask",
        r"xp\.insert\(.*,(\[(True|False)[^]]*\]|True|False)", "",
        "^AttributeError: '(list|bool)' object has no attribute 'ndim'"),
    Row("value", "of an axis without elements NumPy's bits are what memory had",
        rf"xp\.unpackbits\(A\('.',\([^)]*\b0\b", "array.*0, 0, 0"),
    # --- bfloat16, which is compared with float32 ---
    Row("value", "bfloat16 rounds", SMALL, test=rounds),
    Row("value", "bfloat16 has another name and other bytes", SMALL + r".*|(repr|str)\(.*'E'", test=lambda m: bool(
        re.search(r"repr\(|str\(|array_repr|array2string|printing|\.nbytes|tobytes", m.text)) and _renamed(m)),
    Row("shape raises accepts", "bfloat16 has half the size", SMALL + r".*\.view\("),
    Row("raises", "bfloat16 does not hold every float32", SMALL + r".*np\.float32\(.*casting='(safe|no|equiv)'",
        r"^TypeError: Cannot cast scalar from dtype\('float32'\) to dtype\('bfloat16'\) according to the rule '"),
]

#: what NumPy of some versions does otherwise: (from this version on, before that one, what)
VERSIONS = [
    ((2, 5), None, Row("warning", "NumPy's copy of out is warned of", r"(take|choose)\(.*out=", r"^set\(\)$",
                       "ComplexWarning")),
    ((2, 5), None, Row("raises", "turns are whole numbers, of which NumPy 2.5 makes them",
                       r"xp\.rot90\(.*(\d\.\d|np\.float)", "object cannot be interpreted as an integer$")),
    ((2, 5), None, Row("order", "a pickle has its elements in C order; NumPy 2.5 keeps that of memory",
                       r"pickle\.dumps\(",
                       r"^\(True, False\)$", r"^\(False, (True|False)\)$")),
]
TABLE += [row for first, end, row in VERSIONS if now(first, end)]


def _renamed(m):
    """What is printed is the same but for the name, and bytes are a half."""
    if "nbytes" in m.text:
        return 2 * int(m.ours) == int(m.theirs)
    if "tobytes" in m.text:
        return m.got == b"".join(m.want[k + 2:k + 4] for k in range(0, len(m.want), 4))
    return isinstance(m.got, str) and "".join(m.got.split()).replace("bfloat16", "float32") == "".join(m.want.split())


def reason(mismatch):
    """Why a mismatch is meant, or None."""
    return next((row.why for row in TABLE if row.explains(mismatch)), None)
