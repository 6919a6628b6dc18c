"""Cases of what lies between libraries, for differential_arrange.py: DLPack both ways, the array API's words, what
others' buffers become, NumPy's and Python's questions to an array. Drawn as those of differential_arrange_cases.py are.

(NumPy's functions of Cuprite's arrays are calls: the family protocols of differential_protocols.py.)"""

KINDS = ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric")
VERSIONS = ("None", "(0, 8)", "(1, 0)", "(1, 1)", "(2, 0)")


def exchange(d):
    """from_dlpack of ours, of NumPy's, of what has only the two methods; what __dlpack__ is asked for."""
    d.small = False                                          # NumPy's side has float32 for bfloat16
    a = d.array()
    given = d.some(("copy=" + d.choice(("True", "False", "None")), .5), ("device=" + d.choice(("None", "'cpu'")), .2))
    asked = d.some(("max_version=" + d.choice(VERSIONS), .5), ("copy=" + d.choice(("True", "False", "None")), .4),
                   ("dl_device=" + d.choice(("None", "a.__dlpack_device__()")), .3), ("stream=None", .3))
    wrapped = (f"class W:\n  def __dlpack__(s,**k): return a.__dlpack__(**k)\n"
               f"  def __dlpack_device__(s): return a.__dlpack_device__()\n")
    host = f"np.arange({d.int(0, 9)},dtype='{d.choice('bBhHiIlLefdFD')}')" + d.choice(("", "[::2]", "[::-1]", "[1:]"))
    return d.choice((
        f"r=xp.from_dlpack({a}{given})", f"r=xp.from_dlpack({a}{given})",
        f"a={a}\n{wrapped}r=xp.from_dlpack(W(){given})",
        f"r=xp.array(xp.from_dlpack({host}{given}))", f"r=xp.from_dlpack({host}).flags.writeable",
        f"a={a};r=type(a.__dlpack__({asked[1:]})).__name__",
        f"a={a};a.setflags(write=False);r=type(a.__dlpack__({asked[1:]})).__name__",
        f"a={a};a.setflags(write=False);r=xp.from_dlpack(a{given})",
        f"a={a};b=xp.from_dlpack(a{given});b[...]=1;r=(b,a.copy())",
        f"r=xp.from_dlpack({d.choice(('1', 'None', '[1,2]', repr('a'), 'object()', 'X([1]).dtype'))})"))


def namespace(d):
    """The array API's inspection, and its functions that NumPy has by the same names."""
    d.small = False
    a, b = d.array(), d.array()
    kind = d.choice([repr(k) for k in KINDS] + ["('bool','integral')", "()", "None", "'x'", "('bool','x')", "1"])
    t = d.choice("?bBhHiIlLefdFD")
    info = "xp.__array_namespace_info__()"
    version = d.choice(("None", "'2021.12'", "'2022.12'", "'2023.12'", "'2024.12'", "'1999.01'", "1", "''"))
    return d.choice((
        f"r={a}.__array_namespace__(api_version={version}) is xp", f"r={a}.__array_namespace__() is xp",
        f"r={info}.dtypes(kind={kind})", f"r={info}.dtypes(kind={kind})", f"r={info}.dtypes(device=None)",
        f"r={info}.default_dtypes()", f"r={info}.capabilities()",
        f"r=xp.isdtype(xp.dtype('{t}'),{kind})", f"r=xp.isdtype(xp.dtype('{t}'),{kind})",
        f"r=xp.isdtype(xp.dtype('{t}'),xp.{d.choice(('int8', 'float32', 'bool', 'complex128'))})",
        f"r=xp.astype({a},'{t}'{d.some(('copy=' + d.choice(('True', 'False')), .4), ('device=None', .2))})",
        f"r=xp.can_cast({a}.dtype,'{t}'{d.some((d.cast(), .3))})", f"r=xp.result_type({a},{b})",
        f"r=xp.promote_types({a}.dtype,'{t}')", f"r=xp.finfo({a}.dtype).{d.choice(('bits', 'dtype'))}",
        f"r=float(xp.finfo('{d.choice('efdFD')}').{d.choice(('eps', 'max', 'min', 'smallest_normal', 'tiny'))})",
        f"r=xp.iinfo('{t}').{d.choice(('max', 'min', 'bits', 'kind'))}",
        f"r=xp.{d.choice(('zeros', 'ones', 'empty'))}({d.ok(d.shape(0, 3))},device=None).shape",
        f"r=xp.asarray({a},copy={d.choice(('True', 'False', 'None'))}{d.some((f'dtype={t!r}', .3))})",
        f"r={a}.to_device({a}.device)", f"r=xp.matrix_transpose({a})", f"r=xp.vecdot({a},{b}).shape",
        f"r=xp.permute_dims({a},None)", f"r=xp.cumulative_sum({d.array(types='bhilBHIL')}"
        f"{d.some(('axis=' + d.axis(2), .5), ('include_initial=True', .4))})"))


BUFFERS = ("b'abcdefgh'", "bytearray(b'abcd')", "memoryview(b'abcdefgh')", "array.array('d',[1,2,3])",
           "array.array('i',[1,-2])", "array.array('B',[7,8])", "memoryview(array.array('f',[1,2]))[::-1]",
           "memoryview(bytearray(12)).cast('i')", "memoryview(bytes(range(12))).cast('B',(3,4))",
           "np.arange(6,dtype='u2').reshape(2,3).T", "np.float32(2.5)", "np.bool(True)", "np.array(3,'i2')",
           "np.arange(4,dtype='>i4')", "np.ma.array([1,2])", "range(4)", "(x for x in (1,2))", "{1,2}", "{1:2}",
           "collections.deque([1,2])", "'abc'", "fractions.Fraction(1,2)", "decimal.Decimal(1)", "b''", "[b'a']",
           "np.array(['a'])", "np.array([None])", "np.datetime64(1,'s')", "collections.namedtuple('P','x y')(1,2)")


def outside(d):
    """What objects of others become."""
    b, t = d.choice(BUFFERS), d.choice("?bBhHiIlLefdFD")
    options = d.some((f"dtype='{t}'", .4), (d.order("CFAK"), .2), ("copy=" + d.choice(("True", "None")), .2),
                     (f"ndmin={d.int(0, 3)}", .2))
    f = d.choice(("array", "array", "asarray", "asanyarray", "ascontiguousarray", "asarray_chkfinite"))
    if f != "array":
        options = d.some((f"dtype='{t}'", .4))
    return "import array,collections,fractions,decimal;r=" + d.choice((
        f"xp.{f}({b}{options})", f"xp.{f}({b}{options})", f"xp.array([{b},{b}]{d.some((f'dtype={t!r}', .3))})",
        f"xp.frombuffer({b}{d.some((f'dtype={t!r}', .6))})", f"xp.array(O({d.choice(BUFFERS[9:13])}){options})"))


QUESTIONS = ("isinstance(a,collections.abc.Iterable)", "isinstance(a,collections.abc.Hashable)", "callable(a)",
             "np.ndim(a)", "np.shape(a)", "np.size(a)", "np.iscomplexobj(a)", "np.isrealobj(a)", "np.isscalar(a)",
             "np.can_cast(a.dtype,'f4')", "np.result_type(a.dtype,'i4')", "np.dtype(a.dtype)", "a.dtype.name",
             "a.dtype.str", "a.dtype.kind", "a.dtype==np.dtype('f8')", "hash(a.dtype)==hash(np.dtype('i4'))",
             "np.zeros(2,a.dtype).dtype", "a.__len__()", "list(map(int,a.shape))", "iter(a).__next__()",
             "a.__bool__()", "a.__contains__(1)", "a.__complex__()", "bytes(a)==a.tobytes()", "sum(a.shape)",
             "dir(a)!=[]", "a.__class__ is xp.ndarray", "a==None", "a!=None", "a=='x'", "a is a.view()",
             "a.__eq__(a)", "a.__lt__(object())", "a.__radd__(1)", "a.__rmatmul__(a)", "a.__divmod__(3)",
             "a.__rpow__(2)", "a==object()", "[1,2]==a", "2**a", "1.5-a", "True&a", "3//a", "7%a", "1<<a",
             "np.float32(2)*a", "np.int8(3)+a", "np.float64(2)/a", "np.bool(True)|a", "np.complex64(1j)*a",
             "np.int64(2)**a")


def questions(d):
    """What Python and NumPy ask of an array, and operators with their numbers on either side."""
    d.small = False
    a = d.array(d.shape(0, 3), ties=True)
    return f"import collections.abc;a={a};r={d.choice(QUESTIONS)}"


INTEROP = [(exchange, 4), (namespace, 4), (outside, 3), (questions, 4)]

FAMILIES = {"interop": INTEROP}
