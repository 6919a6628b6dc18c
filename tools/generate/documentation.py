"""Generates the sections of a function's docstring, arguments, result, errors and example, from its row.

A row's `doc` is the summary and what is specific to the function. Four short sections follow: each argument with its
meaning (the row's column `about`, else that of its name in MEANINGS and OF_GROUP, else that of its kind), the result
(its `returns`), the errors (those of its kinds, `refuse`, and the column `raises`) and where it differs from NumPy
(the column `differs`).

Invariant: a kind's errors are raised by its converter or, for lengths of axes (EXTENTS: converters take any
integer), by whatever makes an array of that shape; tests/python/test_docstring_errors.py provokes them. A function
that takes such a kind for something else checks it and says so in `raises`.
"""
import re
import textwrap

import examples

WIDTH = 110

# --- what a kind takes ---
AXIS = "an axis; negative ones count from the last"
AXES = "an axis, a tuple of axes, or None for all; negative ones count from the last"
FLAT = AXIS + "; None: the array is flattened"
ARRAY_LIKE = "an array, a NumPy array, a number, or nested lists of numbers"
NUMBER = "an array or a number"
KINDS = {
    "array": "an array", "operand": NUMBER, "replacement": NUMBER, "array_or_number": NUMBER, "mask": NUMBER,
    "array_or_list": "an array, a number, or lists of numbers",
    **dict.fromkeys(["array_like", "array_like_to", "number_or_array_like"], ARRAY_LIKE),
    "start": "an array or a number with which the operation begins; None: its own beginning",
    "where": "a boolean array that broadcasts, and names the elements that count; True: all of them",
    "low_bound": "an array or a number; None: no bound", "high_bound": "an array or a number; None: no bound",
    "indices": "integers: an array, a NumPy array, a number, or lists, whose numbers are cut off to integers",
    "assigned": "an array, a NumPy array, a number, or lists; it is converted to the array's type",
    "out": "an array that takes the result and is returned; None: a new one",
    "ufunc_out": "an array, alone or in a tuple, that takes the result and is returned; None: a new one",
    "arrays": "a sequence of arrays", "arrays_or_numbers": "arrays or numbers",
    "axis": AXIS, "index_axis": AXIS, "last_axis": AXIS,
    "axis_or_flat": FLAT, "index_axis_or_flat": FLAT, "axis_or_all": AXIS + "; None: of the flattened array",
    **dict.fromkeys(["axes", "known_axes", "counted_axes", "index_axes"], AXES),
    "plane_axes": "the axes, a tuple; negative ones count from the last",
    "permutation": "all axes in their new order; by default reversed",
    "extent": "an integer, at least 0", "count": "an integer, at least 0",
    "shape": "an integer or a tuple of integers", "new_shape": "an integer or a tuple of integers (None: its own)",
    "ints": "an integer or a sequence of integers",
    "per_axis": "an integer, or a sequence of integers, one an axis; None: the function's own choice",
    "positions": "one index into the flattened array, or one for each axis",
    "length": "an integer, at least 1; None: as long as the input asks for",
    "lengths": "a sequence of integers, one an axis; None: the input's own",
    "kth": "an integer or several, positions in the sorted axis; negative ones count from the end",
    "bool": "True or False", "choice": "True, False or None", "keepdims": "True: the axes stay, with extent 1",
    **dict.fromkeys(["int", "int64", "offset", "clamped_int", "clamped_int64"], "an integer"),
    "window_length": "the number of samples, a whole number from 0 on",
    "double": "a number", "correction": "a number", "string": "a string",
    "dtype": "an element type: a dtype, a type or a name; None: the function's own choice",
    "copy": "True: always; False: never; None: where one is needed",
    "casting": "'no', 'equiv', 'safe', 'same_kind' or 'unsafe': which conversions are allowed",
    "device": "a Device, a name as \"cpu\" or \"cuda:1\", or a number; None: the current one",
    "object": "see above", "flag": "True, False or None; taken as NumPy's, without effect here",
    "sort_kind": "NumPy's name of a way to sort, or None; checked, and always the same stable one",
    "stable_kind": "NumPy's name of a way to sort, or None: 'stable' and 'mergesort' leave -0.0 and 0.0 in their order",
    "select_kind": "'introselect'", "no_fields": "None: arrays have no fields",
    "stream": "a stream", "event": "an event", "graph": "a graph", "rng": "a generator",
    "size": "a shape; None: that of the parameters",
}

# --- meaning of names where the kind is not enough: (name, kind), else the group's (OF_GROUP), else the name's, which
# several groups use alike ---
MEANINGS = {
    "dtype": "the result's element type, a dtype, a type or a name; None: what the operands give",
    ("dtype", "object"): "an element type", "ddof": "what is taken from the number of elements to give the divisor",
    "decimals": "how many decimals stay; negative: places before the point", "equal_nan": "True: a NaN equals a NaN",
    "rtol": "relative tolerance", "overwrite_input": "True or False; taken as NumPy's: the input is never overwritten",
    "blocking": "True or False; taken as CuPy's: the copy is complete when the call returns",
    "subok": "True or None: of a subclass's array one of its class; False: of none",
    "assume_unique": "True: no input holds a value twice", ("bias", "double"): "the exponent of a power law",
    ("right", "number_or_array_like"): "the value beyond the last sample; None: the last one",
    ("left", "number_or_array_like"): "the value before the first sample; None: the first one",
    ("order", "no_fields"): "None: arrays have no fields",
    "k": "which diagonal; 0 is the main one, positive ones lie above it",
    "offset": "which diagonal; 0 is the main one, positive ones lie above it",
    ("offset", "double"): "the logarithm of the product of the middle places",
    "period": "the length after which values repeat", ("M", "object"): "the number of columns; None: as many as rows",
    "N": "the number of rows", ("initial", "double"): "a first guess",
    "stream": "a stream in which it happens; None: the current one",
    ("axes", "object"): "which axes the operation takes: a list of tuples, one an operand; None: the last ones",
    ("axis", "object"): "the axis of all operands; None: the last ones",
    ("signature", "object"): "the types to compute in, as a ufunc takes them; None: from the operands",
    ("a", "object"): ARRAY_LIKE, ("object", "object"): ARRAY_LIKE + ", or an object with a buffer or an interface",
    ("src", "object"): ARRAY_LIKE, ("value", "object"): "what is written: an array or a number",
    ("slices", "object"): "an index, as in a[slices]", ("val", "object"): NUMBER,
    ("x", "object"): "an object with __dlpack__", ("dltensor", "object"): "a DLPack capsule",
    ("start", "object"): "a number, where it begins; alone it is `stop`",
    ("stop", "object"): "a number, which is not reached", ("step", "object"): "a number, the distance, not 0",
    ("start", "number_or_array_like"): NUMBER + ", the first value",
    ("stop", "number_or_array_like"): NUMBER + ", the last value",
    ("stream", "object"): "a stream in which it happens; None: the current one",
    ("write", "object"): "True or False; None: as it is", ("align", "object"): "True, False or None",
    ("uic", "object"): "False or None", ("fid", "object"): "a path or a file object",
    ("file", "object"): "a path or a file object",
    ("sep", "object"): "a text between elements; empty: bytes are written",
    ("format", "object"): "how a text tells an element", ("out", "object"): "a NumPy array to fill; None: a new one",
    ("memo", "object"): "Python's own dict", ("from_", "object"): "a dtype or an array",
    ("dl_device", "object"): "DLPack's (type, number); None: where it lies",
    ("max_version", "object"): "(major, minor) of the consumer; None: before version 1",
    ("api_version", "object"): "a version of the array API as \"2024.12\"; None: the newest",
    ("stable", "stable_flag"): "True: -0.0 and 0.0 stay in their order, which a sort else brings into one",
    ("copy", "object"): "True, False or None", ("copy", "bool"): "True: the result shares no memory with the array",
    ("format_spec", "object"): "a text, as of format()", ("output", "object"): "a dtype or an array; None: int32",
    "shape": "the extents, an integer or a tuple of integers",
}
# names that mean this in one group (a module, or a file of python/src) alone
OF_GROUP = {
    "reduce": {
        "correction": "the same as `ddof`, by the array API's name", "mean": "the mean where it is known, else None",
    },
    "elementwise": {
        "ndigits": "how many decimals stay", "atol": "absolute tolerance", "deg": "True: in degrees",
        "type1": "an element type", "type2": "an element type", "to": "an element type",
    },
    "sort": {
        "stable": "True, False or None; the order of equal elements always stays",
        "sorted": "True or False; the result is always in order", "invert": "True: the opposite of each answer",
        "descending": "True: the largest first", "return_index": "True: also where each value comes first",
        "return_inverse": "True: also what rebuilds the input",
        "return_counts": "True: also how often each value comes",
        "kappa": "how many standard deviations are kept, above 0",
        "max_iterations": "the most passes; 0: until nothing is dropped",
        "sorter": "integers that put the array in order, as argsort gives; None: it is in order",
    },
    "compose": {
        "sparse": "True: extents of 1 stay", "return_indices": "True: also where values come first",
        "tol": "how large an imaginary part may be", "beta": "the shape of the window",
        "M": "the number of samples; less than 1 gives an empty array",
        "prepend": "what is put before the array along the axis; None: nothing",
        "append": "what is put behind it; None: nothing",
        "to_begin": "what stands before the differences; None: nothing",
        "to_end": "what stands behind them; None: nothing",
        "new_shape": "the extents, an integer or a tuple of integers", "reps": "an integer or several, one an axis",
        "shift": "an integer or several, one an axis", "nan": NUMBER + ", in place of NaN",
        "posinf": NUMBER + ", in place of infinity; None: the largest finite one",
        "neginf": NUMBER + ", in place of minus infinity; None: the lowest finite one",
        "discont": "the least jump that is mended; None: half a period",
    },
    "shape": {
        "endpoint": "True: `stop` is the last one", "retstep": "True: also the distance of two neighbours",
        "num": "how many values", "ndmin": "the least number of axes",
        "fill_value": "a number, or what asarray makes an array of", "prototype": "the array that is taken as a model",
        "source": "axes, an integer or several", "destination": "their new positions",
    },
    "scan": {
        "include_initial": "True: begins with the value of no elements",
    },
    "statistics": {
        "rowvar": "True: variables are rows", "bias": "True: divides by the number of observations",
        "right": "True: intervals hold their right edges", "minlength": "the least length of the result",
        "weights": "weights of the elements, " + ARRAY_LIKE + "; None: all count alike",
        "fweights": "how often each observation counts; None: once", "aweights": "how much each observation counts",
        "q": "the parts, " + ARRAY_LIKE,
    },
    "fft": {
        "type": "1, 2, 3 or 4", "orthogonalize": "True or False: the orthogonal variant; None: where norm is 'ortho'",
        "mu": "the order of the transform", "dln": "the distance of samples, of the logarithm",
        "d": "the samples' distance", "size": "the most plans; -1: as it is",
        "memsize": "the most bytes; -2: as it is, -1: no limit", "clear": "True: forgets all",
        "real": "True: of real numbers", "target": "an integer, at least 1",
    },
    "ndimage": {
        "labels": "an array of labels that broadcasts; None: one label for all",
        "index": "the labels to tell of, an integer or integers; None: all together",
        "count": "the number of labels, an integer", "max_label": "the largest label; 0: find it",
        "structure": "which neighbours connect; None: a cross",
    },
    "io": {
        "inplace": "True: the array itself is changed",
    },
    "matrices": {
        "wrap": "True: the diagonal begins anew below the square", "axisa": "the axis of `a` that holds vectors",
        "axisb": "that of `b`", "axisc": "that of the result",
    },
    "signal": {
        "fillvalue": NUMBER + ", beyond the edges",
    },
    "windows": {
        "sym": "True: symmetric; False: for spectra, without the last sample of one more",
    },
    "linalg": {
        "upper": "True: the upper triangle is read",
    },
}

# --- what a kind's converter raises: exception -> when ---
NO_ARRAY = {"TypeError": "what is no array (NumPy's are none)"}
NO_NUMBERS = {"ValueError": "an array-like whose elements are no numbers"}
NO_AXIS = {"AxisError": "an axis out of bounds", "TypeError": "an axis that is no integer"}
TWICE = {**NO_AXIS, "ValueError": "an axis named twice"}
NO_INTEGER = {"TypeError": "no integer where one is needed"}
OUT = {"TypeError": "`out` that is no array", "ValueError": "`out` of another shape"}
EXTENTS = ("extent", "shape", "count")
LENGTH = {**NO_INTEGER, "ValueError": "a negative extent"}
ERRORS = {
    **dict.fromkeys(["array", "operand", "replacement", "array_or_number", "start", "low_bound", "high_bound", "mask",
                     "where", "arrays", "arrays_or_numbers"], NO_ARRAY),
    "array_or_list": {**NO_ARRAY, **NO_NUMBERS},
    **dict.fromkeys(["array_like", "array_like_to", "number_or_array_like", "assigned"], NO_NUMBERS),
    "indices": {**NO_NUMBERS, "TypeError": "an array of indices that are no integers"},
    "out": OUT, "ufunc_out": OUT,
    **dict.fromkeys(["axis", "axis_or_flat", "axis_or_all", "index_axis", "index_axis_or_flat", "last_axis"], NO_AXIS),
    **dict.fromkeys(["axes", "known_axes", "counted_axes", "index_axes", "permutation"], TWICE), "plane_axes": NO_AXIS,
    **dict.fromkeys(EXTENTS, LENGTH),
    **dict.fromkeys(["ints", "per_axis"], NO_INTEGER),
    "new_shape": {**NO_INTEGER, "ValueError": "two negative extents"},
    "length": {**NO_INTEGER, "ValueError": "a length below 1"},
    "lengths": {**NO_INTEGER, "ValueError": "a length below 1"},
    "kth": {"TypeError": "a place that is no integer", "ValueError": "a place out of bounds"},
    **dict.fromkeys(["int", "int64", "offset", "clamped_int", "clamped_int64", "keepdims"], NO_INTEGER),
    **dict.fromkeys(["bool", "flag", "stable_flag"], {"TypeError": "no truth value where one is needed"}),
    "double": {"TypeError": "no number where one is needed"},
    "window_length": {"TypeError": "no number where one is needed", "OverflowError": "an infinite length",
                      "ValueError": "a length below 0 or not whole"},
    "correction": {"TypeError": "no number where one is needed"},
    "dtype": {"TypeError": "what is no dtype", "ValueError": "a dtype that arrays cannot have"},
    "casting": {"ValueError": "an unknown casting rule", "TypeError": "a conversion that it forbids"},
    "order": {"ValueError": "an unknown order"},
    **dict.fromkeys(["sort_kind", "stable_kind", "select_kind"], {"ValueError": "an unknown kind"}),
    "no_fields": {"ValueError": "an order of fields"},
    "device": {"ValueError": "what is no device"},
}
# several operands that are combined
MEETING = ("operand", "array", "array_or_number", "array_like", "array_like_to", "where", "low_bound", "high_bound")

RESULTS = {"view": "a view of the array", "view_or_copy": "a view or a copy of the array, or itself", "none": "None",
           "int": "an int", "int64": "an int", "bool": "a bool", "double": "a float",
           "rows": "a tuple of arrays, one an axis", "arrays": "a tuple of arrays, one for each",
           "array_or_arrays": "an array, or of several a tuple of arrays"}
# for functions whose body determines the result
GIVES = {
    "a NumPy array": "get asnumpy", "None": "set setflags tofile dump scatter_add scatter_max scatter_min fill copyto "
    "__array_finalize__",
    "bytes": "tobytes dumps __bytes__", "a Python number": "item __complex__ __round__", "a text": "__format__",
    "a list, or a number": "tolist", "a capsule": "__dlpack__ toDlpack", "a tuple of two integers": "__dlpack_device__",
    "a new array": "eye full empty_like zeros_like ones_like full_like arange flatten __deepcopy__ "
                   "sigma_clip tensordot",
    "an array over the same memory": "fromDlpack view reduced_view",
    "an array over the same memory, or a copy": "from_dlpack",
    "a view, or a copy": "reshape ravel", "a new array, or the array itself": "array asarray asanyarray "
    "ascontiguousarray asfortranarray to_device byteswap astype conj", "a view or a new array": "real imag",
    "a 0-d bool array": "allclose array_equal", "a bool": "can_cast", "a dtype": "promote_types",
    "a new array; with the condition alone a tuple of arrays, one an axis": "where",
    "a new array, or `out`": "clip angle compress matmul vecdot matvec vecmat",
    "an array, or with a flag a tuple of arrays": "unique", "a named tuple": "sigma_clip_stats measure",
    "(labels, count), or the count": "label", "a tuple for one label, a list for several": "center_of_mass "
    "minimum_position maximum_position", "a tuple of four": "extrema", "a list": "find_objects", "the module":
    "__array_namespace__", "nothing": "__array__",
    "an array of the class": "__array_wrap__", "what pickle keeps": "__reduce__",
}


def meaning(f, a):
    """The meaning of an argument, from the row, its name or its kind."""
    if a.kind.name == "order":
        letters = [repr(c) for c in a.argument]
        return "the order of elements in memory: " + ", ".join(letters[:-1]) + " or " + letters[-1]
    about = f.row.get("about", {}).get(a.name)
    words = getattr(a.kind, "words", None)
    named = MEANINGS.get((a.name, a.kind.name))
    if not named and not words:
        named = OF_GROUP.get(f.group, {}).get(a.name) or MEANINGS.get(a.name)
    text = about or named
    if not text and words:
        shown = [repr(w) for w in words]
        text = shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " or " + shown[-1]
    text = text or KINDS.get(a.kind.name, "see above")
    if a.optional and a.text == "None" and "None" not in text and a.kind.name != "permutation":
        text += ", or None"
    return text


def result(f):
    given = f.row.get("gives")
    if given:
        return given
    outs = any(a.kind.name in ("out", "ufunc_out") for a in f.arguments)
    if f.results:
        return f"a tuple of arrays ({', '.join(f.results)})"
    if f.more:
        return f"an array; with `{f.flag}` a tuple with further arrays ({', '.join(f.more)}) behind it"
    if f.returns in RESULTS:
        return RESULTS[f.returns]
    if f.body:
        return next((text for text, names in GIVES.items() if f.name in names.split()), "")
    return "a new array, or `out`" if outs else "a new array"


def errors(f, method):
    """Exception -> what gives it."""
    found = {}
    for a in f.arguments[1:] if method else f.arguments:
        known = ERRORS.get(a.kind.name, {"ValueError": f"an unknown {a.name}"} if hasattr(a.kind, "words") else {})
        for name, when in known.items():
            found.setdefault(name, []).append(when)
    if sum(a.kind.name in MEETING for a in f.arguments) > 1 and f.returns == "array" and not f.body:
        found.setdefault("ValueError", []).append("shapes that do not fit")
    for text in f.row.get("refuse", {}).values():
        name, when = text.split(": ", 1)
        found.setdefault(name, []).append("\"" + when.rstrip(".") + "\"")
    for name, when in f.row.get("raises", {}).items():
        found.setdefault(name, []).append(when)
    return {name: list(dict.fromkeys(whens)) for name, whens in found.items()}


def wrapped(text, first, rest="    "):
    return "\n".join(textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest,
                                   break_long_words=False, break_on_hyphens=False))


def sections(f, method=False):
    """The paragraphs after a row's `doc`."""
    parts = []
    shown = f.arguments[1:] if method else f.arguments
    if shown:
        lines = [wrapped(f"{'*' if a.how == 'star' else ''}{a.name}: {meaning(f, a)}.", "    ", "        ")
                 for a in shown]
        parts.append("Parameters:\n" + "\n".join(lines))
    if result(f):
        parts.append(wrapped(f"Result: {result(f)}.", ""))
    listed = errors(f, method)
    if listed:
        parts.append(wrapped("Errors: " + "; ".join(f"{name} for {', '.join(whens)}" for name, whens in
                                                    listed.items()) + ".", ""))
    if f.row.get("differs"):
        parts.append(wrapped(f"NumPy: {f.row.get('differs')}", ""))
    return "\n\n".join(parts)


def documentation(f, method=False):
    doc = f.row.doc
    rest = sections(f, method)
    example = examples.section("ndarray", [f.method, *f.also]) if method else ""
    if not example and (not method or f.is_method_only):
        example = examples.section(f.module, [f.name, *f.also])
    return doc + ("\n\n" + rest if rest else "") + example


def example(doc):
    """The lines of a docstring's example, as they are indented; none where it has none."""
    return doc.partition("\n\nExample:\n")[2].rstrip()


def summary(doc):
    """The part of a docstring before its sections."""
    return re.split(r"\n\n(?:Parameters:|Result:|Errors:|NumPy:|Example:)", doc, maxsplit=1)[0]
