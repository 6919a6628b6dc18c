"""Kinds of arguments: the words after the colon in a function row, and their meaning in Python and in C.

A kind is one row of KINDS: the C type of its field in the record of converted arguments, the converter
(python/src/converters.c), how it is passed to the C function, how the public C prototype spells it, and the annotation
of the stub. A row of kind `words` adds one: an enumeration that Python names by strings.

Invariant: every kind reads and checks its argument; none ignores it.
"""


class Kind:
    def __init__(self, name, field, convert, *, passed="{v}", c=None, option=None, stub="object", release=None,
                 zero_means=(), constant=None, reads_arrays=False, extra="", only_checked=False, arguments=False,
                 make_none=None, clear=None, accepts_none=False):
        self.name = name
        self.field = field                # declaration of the record's field; {name} is the argument
        self.convert = convert            # C expression, false with an exception; {o} object, {v} field, {name}
        self.passed = passed              # how the field is passed to the C function
        self.c = c                        # the C prototype's parameter (None: the C function has none)
        self.option = option or ".{name} = " + passed  # how the struct's fields are filled
        self.stub = stub
        self.release = release            # C statement when the call is over; {o} object, {v} field
        self.zero_means = zero_means      # defaults that a zeroed C option means too
        self.constant = constant or {}    # Python default -> C constant
        self.reads_arrays = reads_arrays  # conversion reads the arrays, so it follows theirs
        self.extra = extra                # another field
        self.only_checked = only_checked  # the field says whether it was given
        self.make_none = make_none        # the statement that makes it mean None; a record with it is not cleared
        self.clear = clear                # how a field that is a struct is cleared
        self.accepts_none = accepts_none  # None is read too, where it is the default as well: it means what
        #                                   stands for "not given" in NumPy's signatures does not
        self.arguments = arguments        # takes arguments in brackets: order("CFAK")


TURN = 6.283185307179586


def _array(name, take, owner="{o}", **columns):
    return Kind(name, "cp_array *{name};", take, c="cp_array *{name}", release=f"cpy_drop({owner}, {{v}});",
                zero_means=(None, True, 0.0, 1.0, 10.0, TURN), **columns)


def _checked(name, take, stub):
    return Kind(name, "bool {name};", take, stub=stub, only_checked=True)


AXES = "SupportsIndex | Sequence[SupportsIndex] | None"


def _axes(name, take, stub, zero_means=(None,), accepts_none=False):
    return Kind(name, "cpy_axes {name};", take, make_none="{v}.axes = CP_ALL;", passed="{v}.axes", c="cp_axes {name}",
                stub=stub, zero_means=zero_means, accepts_none=accepts_none)


def _ints(name, take):
    return Kind(name, "cpy_ints {name};", take, make_none="{v}.n = -1;", passed="{v}.n, {v}.at",
                c="int n, const int64_t *{name}", stub="SupportsIndex | Sequence[SupportsIndex]")


OUTS = ("out", "ufunc_out")

NUMBERS = {True: "true", False: "false", None: "0"}

KINDS = {k.name: k for k in [
    # --- arrays: the record owns them, or holds them in their objects, until the call is over ---
    _array("array", "cpy_take_array({o}, &{v})", stub="ndarray"),
    # an array, or a number: a host scalar of the type that the arrays beside it give it
    # (a number as the default is what the body takes for NULL)
    _array("operand", "cpy_take_operand({o}, near.x, &{v})", stub="_Operand", reads_arrays=True,
           constant={0.0: "NULL", 1.0: "NULL", TURN: "NULL"}),
    # the same for operations that integers do not have: beside them no integer is too large
    _array("replacement", "cpy_take_replacement({o}, near.x, &{v})", stub="_Operand", reads_arrays=True,
           constant={0.0: "NULL"}),
    # where a reduction starts: it becomes the result's type, whatever an integer beside the array would be
    _array("start", "cpy_take_start({o}, near.x, {typed}, {out}, &{v})", stub="_Operand", reads_arrays=True,
           accepts_none=True, option=".initial = {v}, .no_identity = {o} == Py_None"),
    # an array, or what asarray makes one of, on the device of the arrays beside it
    _array("array_like", "cpy_take_array_like({o}, near.x, &{v})", stub="ArrayLike", reads_arrays=True),
    # the same, but an integer that no type holds is converted as this operation does, to float64 beside such numbers
    _array("array_like_to", "cpy_take_array_like_to(CP_OP_{argument}, {o}, near.x, &{v})", stub="ArrayLike",
           reads_arrays=True,
           arguments=True),
    # the same, but a number stays one, a host scalar
    _array("number_or_array_like", "cpy_take_number_or_array_like({o}, near.x, &{v})", stub="ArrayLike",
           reads_arrays=True,
           constant={10.0: "NULL"}),
    # an array, a number as a host scalar, or a list; NumPy's arrays are rejected
    _array("array_or_list", "cpy_take_array_or_list({o}, near.x, &{v})", stub="ArrayLike", reads_arrays=True),
    # an array, or a number as a 0-d one
    _array("array_or_number", "cpy_take_array_or_number({o}, near.x, &{v})", stub="_Operand", reads_arrays=True),
    # whose type and shape are wanted: an array, or what asarray makes of another library's; lists are refused
    _array("prototype", "cpy_take_prototype({o}, &{v})", stub="ArrayLike"),
    # an array or a number that does not take part in the promotion of the others
    _array("mask", "cpy_take_operand({o}, NULL, &{v})", stub="ndarray | bool"),
    # a boolean array, or the truth of a number; True means none
    _array("where", "cpy_take_where({o}, &{v})", stub="ndarray | bool", constant={True: "NULL"}),
    # the same beside the array it limits: a Python integer beyond that one's integers limits nothing
    _array("low_bound", "cpy_take_bound({o}, near.x, -1, &{v})", stub="_Operand", reads_arrays=True),
    _array("high_bound", "cpy_take_bound({o}, near.x, 1, &{v})", stub="_Operand", reads_arrays=True),
    # indices: an array, a number, or a list, whose numbers become integers
    _array("indices", "cpy_take_indices({o}, near.x, &{v})", stub="ArrayLike", reads_arrays=True),
    # what is written into the array beside it, as x[...] = value takes it
    _array("assigned", "cpy_take_assigned({o}, near.x, &{v})", stub="ArrayLike", reads_arrays=True),
    # the same where the operation itself refuses a type that is not safe: no warning of an array's goes before that
    _array("safely_assigned", "cpy_take_safely_assigned({o}, near.x, &{v})", stub="ArrayLike", reads_arrays=True),
    # the array that the result is written to, and that the call then returns
    _array("out", "cpy_take_out({o}, &{v}, &{v}_object)", owner="{v}_object", stub="ndarray | None",
           extra="PyObject *{name}_object;"),
    # as ufuncs take it: in a tuple too
    _array("ufunc_out", "cpy_take_ufunc_out({o}, &{v}, &{v}_object)", owner="{v}_object",
           stub="ndarray | tuple[ndarray] | None", extra="PyObject *{name}_object;"),
    # a sequence of arrays
    Kind("arrays", "cpy_arrays {name};", "cpy_take_arrays({o}, &{v})", passed="{v}.n, {v}.at",
         clear="{v} = (cpy_arrays){{0}};", c="int n, cp_array *const *{name}", stub="Sequence[ndarray]",
         release="cpy_drop_arrays(&{v});"),
    Kind("arrays_or_numbers", "cpy_arrays {name};", "cpy_take_arrays_or_numbers({o}, &{v})", passed="{v}.n, {v}.at",
         clear="{v} = (cpy_arrays){{0}};", c="int n, cp_array *const *{name}", stub="Sequence[_Operand]",
         release="cpy_drop_arrays(&{v});"),
    Kind("arrays_like", "cpy_arrays {name};", "cpy_take_arrays_like({o}, &{v})", passed="{v}.n, {v}.at",
         clear="{v} = (cpy_arrays){{0}};", c="int n, cp_array *const *{name}", stub="Sequence[ArrayLike]",
         release="cpy_drop_arrays(&{v});"),
    # --- axes and shapes ---
    # NumPy's C functions read axes so: no truth values, ValueError beyond C's int
    Kind("axis", "int {name};", "cpy_axis({o}, &{v})", c="int {name}", stub="SupportsIndex", zero_means=(0,)),
    Kind("axis_or_flat", "int {name};", "cpy_axis_or_flat({o}, &{v})", c="int {name}", stub="SupportsIndex | None",
         constant={None: "CP_FLAT"}, zero_means=(0,)),
    # one or a tuple; a 0-d array (the first argument) takes 0 and -1, alone
    _axes("axes", "cpy_axes_arg({o}, o[0], &{v})", AXES),
    # the same where NumPy counts the elements of integers first
    _axes("known_axes", "cpy_known_axes({o}, o[0], {where}, &{v})", AXES),
    # of means and their like, whose elements NumPy counts first: from the shape, or by a sum where `where` says which
    _axes("counted_axes", "cpy_counted_axes({o}, o[0], {where}, &{v})", AXES),
    # one axis, or None: all; for argmin and argmax, which take no more
    _axes("axis_or_all", "cpy_take_axis_or_all({o}, &{v})", "SupportsIndex | None"),
    # its Python functions so, by __index__: True is 1, OverflowError beyond C's int; several in any sequence
    Kind("index_axis", "int {name};", "cpy_index_axis({o}, &{v})", c="int {name}", stub="SupportsIndex",
         zero_means=(0,)),
    Kind("index_axis_or_flat", "int {name};", "cpy_index_axis_or_flat({o}, &{v})", c="int {name}",
         stub="SupportsIndex | None", constant={None: "CP_FLAT"}, zero_means=(0,)),
    _axes("index_axes", "cpy_index_axes({o}, &{v})", AXES),
    # of transforms: one axis, the last by default; several, where None means all although some are the default
    _axes("last_axis", "cpy_last_axis({o}, &{v})", "SupportsIndex", zero_means=(-1,)),
    _axes("plane_axes", "cpy_plane_axes({o}, &{v})", AXES, zero_means=((-2, -1),), accepts_none=True),
    _axes("permutation", "cpy_permutation({o}, &{v})", AXES),  # of all axes, read as a shape
    Kind("extent", "int64_t {name};", "cpy_extent({o}, &{v})", c="int64_t {name}", stub="SupportsIndex"),
    Kind("shape", "cpy_ints {name};", "cpy_shape({o}, &{v})", make_none="{v}.n = -1;", passed="cpy_shape_of(&{v})",
         c="cp_shape {name}", stub="SupportsIndex | Sequence[SupportsIndex]"),
    # of reshape: None is the array's own
    Kind("new_shape", "cpy_ints {name};", "cpy_new_shape({o}, &{v})", make_none="{v}.n = -1;",
         passed="cpy_shape_of(&{v})",
         c="cp_shape {name}", stub="SupportsIndex | Sequence[SupportsIndex] | None"),
    # of a transform along one axis: at least 1, None for the array's own; along several, where -1 is an axis' own
    Kind("length", "int64_t {name};", "cpy_length({o}, &{v})", c="int64_t {name}", stub="SupportsIndex | None",
         zero_means=(None,)),
    Kind("lengths", "cpy_ints {name};", "cpy_lengths({o}, &{v})", make_none="{v}.n = -1;",
         passed="cpy_lengths_of(&{v})",
         c="cp_shape {name}", stub="SupportsIndex | Sequence[SupportsIndex] | None", zero_means=(None,)),
    _ints("ints", "cpy_ints_arg({o}, &{v})"),
    # one for all axes or one an axis, of any sign; None: the function's own choice, a cp_shape without `dim`
    Kind("per_axis", "cpy_ints {name};", "cpy_ints_arg({o}, &{v})", make_none="{v}.n = -1;",
         passed="cpy_size_of(&{v})", c="cp_shape {name}", zero_means=(None,),
         stub="SupportsIndex | Sequence[SupportsIndex] | None"),
    Kind("kth", "cpy_kths {name};", "cpy_kth({o}, near.x, v.axis, &{v})", passed="{v}.n, {v}.at",
         c="int n, const int64_t *{name}", reads_arrays=True,
         clear="{v} = (cpy_kths){{0}};", release="PyMem_Free({v}.at);",
         stub="SupportsIndex | Sequence[SupportsIndex]"),  # positions in a sorted array
    _ints("positions", "cpy_positions({o}, &{v})"),  # of one element
    # --- numbers and words ---
    Kind("bool", "bool {name};", "cpy_take_bool({o}, &{v})", c="bool {name}", stub="bool", zero_means=(False, None),
         constant=NUMBERS),
    # 1 for true, -1 for false, 0 for None: decided elsewhere
    Kind("choice", "int {name};", "cpy_choice({o}, &{v})", c="int {name}", stub="bool | None", zero_means=(None,)),
    # as reductions take it: an integer
    Kind("keepdims", "bool {name};", "cpy_keepdims({o}, &{v})", c="bool {name}", stub="bool", zero_means=(False,),
         constant=NUMBERS),
    Kind("int", "int {name};", "cpy_int({o}, &{v})", c="int {name}", stub="SupportsIndex", zero_means=(0, None),
         constant=NUMBERS),
    Kind("int64", "int64_t {name};", "cpy_int64({o}, &{v})", c="int64_t {name}", stub="SupportsIndex",
         zero_means=(0, None),
         constant=NUMBERS),
    # a number of elements; the index of a diagonal, within C's int or at most the last one
    Kind("count", "int64_t {name};", "cpy_count({o}, &{v})", c="int64_t {name}", stub="SupportsIndex",
         constant=NUMBERS),
    Kind("offset", "int64_t {name};", "cpy_offset({o}, &{v})", c="int64_t {name}", stub="SupportsIndex",
         zero_means=(0,),
         constant=NUMBERS),
    Kind("clamped_int64", "int64_t {name};", "cpy_clamped_int64({o}, &{v})", c="int64_t {name}", stub="SupportsIndex",
         zero_means=(0,), constant=NUMBERS),
    Kind("clamped_int", "int {name};", "cpy_clamped_int({o}, &{v})", c="int {name}", stub="SupportsIndex",
         zero_means=(0,),
         constant=NUMBERS),
    Kind("double", "double {name};", "cpy_double({o}, 0, &{v})", c="double {name}", stub="float", zero_means=(0,),
         constant={None: "NAN"}),
    # the number of a window's samples: any number, so that C can say which it wants
    Kind("window_length", "double {name};", "cpy_double({o}, 0, &{v})", c="double {name}", stub="float"),
    Kind("correction", "double {name};", "cpy_double({o}, 0, &{v})", stub="float", constant={None: "0"},
         accepts_none=True),
    Kind("dtype", "cp_type {name};", "cpy_type({o}, CP_DEFAULT, &{v})", c="cp_type {name}",
         option=".typed = {v} != CP_DEFAULT, .{name} = {v}", stub="DTypeLike", zero_means=(None,),
         constant={None: "CP_DEFAULT"}, arguments=True),  # dtype("float64"): None means that one
    # None: where it must be
    Kind("copy", "cpy_copy {name};", "cpy_take_copy({o}, &{v})", stub="bool | None",
         constant={None: "CPY_COPY_IF_NEEDED", True: "CPY_COPY_ALWAYS", False: "CPY_COPY_NEVER"}),
    Kind("casting", "cp_casting {name};", "cpy_casting({o}, CP_SAME_KIND, &{v})", c="cp_casting {name}", stub="str",
         zero_means=("same_kind",), constant={"same_kind": "CP_SAME_KIND", "safe": "CP_SAFE", "unsafe": "CP_UNSAFE",
                                        None: "CP_SAME_KIND"}),
    # whether a sort is stable, by NumPy's name of a kind or said so
    Kind("stable_kind", "cpy_stability {name};", "cpy_take_stable_kind({o}, &{v})", stub="str | None",
         constant={None: "0"}),
    Kind("stable_flag", "cpy_stability {name};", "cpy_take_stable_flag({o}, &{v})", stub="bool | None",
         constant={None: "0"}),
    # order("CFAK"): one of these letters
    Kind("order", "char {name};", 'cpy_order({o}, {v}, "{argument}", &{v})', c="char {name}", stub="str | None",
         arguments=True, constant={None: "0", "C": "'C'", "K": "'K'", "A": "'A'", "F": "'F'"}, zero_means=(None,)),
    # --- of Python alone ---
    # the device that is current during the call
    Kind("device", "cpy_position {name};", "cpy_enter({o}, &{v})", stub="object", release="cpy_leave(&{v});",
         clear="{v} = (cpy_position){{0}};"),
    Kind("string", "const char *{name};", "({v} = PyUnicode_AsUTF8({o}))", c="const char *{name}", stub="str",
         zero_means=(None,)),
    Kind("stream", "cp_stream *{name};", '({v} = PyCapsule_GetPointer({o}, "stream"))', stub="object"),
    Kind("event", "cp_event *{name};", '({v} = PyCapsule_GetPointer({o}, "event"))', stub="object"),
    Kind("graph", "cp_graph *{name};", '({v} = PyCapsule_GetPointer({o}, "graph"))', stub="object"),
    Kind("rng", "cp_rng *{name};", '({v} = PyCapsule_GetPointer({o}, "rng"))', c="cp_rng *{name}", stub="object"),
    # the shape of random numbers, by NumPy's name; the C option is `shape`. None: that of their parameters
    Kind("size", "cpy_ints {name};", "cpy_shape({o}, &{v})", make_none="{v}.n = -1;", passed="cpy_size_of(&{v})",
         option=".shape = cpy_size_of(&{v})", c="cp_shape {name}",
         stub="SupportsIndex | Sequence[SupportsIndex] | None",
         zero_means=(None,)),
    Kind("object", "PyObject *{name};", "", stub="object", constant={None: "NULL"}),
    # --- checked, with nothing to do: the field says whether it was given ---
    _checked("flag", "cpy_check_bool({o})", "bool | None"),
    _checked("sort_kind", "cpy_check_sort_kind({o})", "str | None"),
    _checked("select_kind", "cpy_check_select_kind({o})", "str"),
    _checked("no_fields", "cpy_check_no_fields({o})", "None"),
]}


def words_kind(row):
    """words("mode", "full valid same", c="cp_mode"[, values="CP_FULL ..."][, strings_only=True]): a kind `mode`.

    The first word is the one that a zeroed C option means. Enumerators are CP_MODE_FULL and so on, in the words'
    order; `values` names them otherwise, one for each word, and a synonym repeats that of its word. strings_only=True:
    anything but a string is a TypeError, not a ValueError, as in NumPy. Names of kinds are global: filter_mode, not
    mode again.
    """
    row.need(["name", "words"], ["c"], ["values", "default", "strings_only"])
    name, words = row.args[0], row.args[1].split()
    values = row.get("values", "").split() or [f"({row.c}){i}" for i in range(len(words))]
    if len(values) != len(words):
        raise row.error(f"{name} has {len(words)} words and {len(values)} values: one for each word, a synonym's again")
    kind = Kind(name, f"{row.c} {{name}};", f'cpy_take_{name}({{o}}, "{{name}}", &{{v}})', c=f"{row.c} {{name}}",
                stub="str", zero_means=(words[0], None), constant=dict(zip(words, values)))
    kind.row, kind.words, kind.values = row, words, values
    return kind


def words_converter(kind):
    """The C function that reads one of the words."""
    name = kind.name
    words = ", ".join(f'"{w}"' for w in kind.words)
    must = "!cpy_is_word(o, what) || " if kind.row.get("strings_only") else ""
    return (f"static bool cpy_take_{name}(PyObject *o, const char *what, {kind.row.c} *v)\n{{\n"
            f"    static const char *const words[] = {{{words}, NULL}};\n"
            f"    static const {kind.row.c} values[] = {{{', '.join(kind.values)}}};\n    int which;\n"
            f"    if ({must}!cpy_word(o, what, words, 0, &which)) return false;\n    *v = values[which];\n    return "
            f"true;\n}}\n")
